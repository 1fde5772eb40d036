"""How one message was scored: which templates could be aligned, which were, and what became of each filler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adjudge.formats.muc4 import Template, TemplateFile
from adjudge.formats.muc4_history import History
from adjudge.formats.muc4_slots import Slots, show
from adjudge.tasks.catalogue.muc4_align import NOTHING, Pair, align, by_id, candidates
from adjudge.tasks.catalogue.muc4_equal import is_optional
from adjudge.tasks.catalogue.muc4_slot import Entries, Judged, judge, leftovers


def explain(
    message: str, key: TemplateFile, response: TemplateFile, slots: Slots, *, history: History | None = None
) -> str:
    """The lines that explain one message."""
    decisions = history.decisions.get(message, {}) if history is not None else {}
    keys, responses = by_id(key.messages.get(message, [])), by_id(response.messages.get(message, []))
    lines = [f"{message}: {_number(len(keys), 'key template')}, {_number(len(responses), 'response template')}"]
    possible = candidates(keys, responses, slots, decisions)
    if len(keys) * len(responses) > 1:
        lines += ["", "pairs that may be aligned, best first:"]
        lines += [f"  key {keys[c.key].id}, response {responses[c.response].id}: recall {c.recall} %" for c in possible]
        if not possible:
            lines.append("  none")
    for pair in align(keys, responses, slots, decisions):
        lines += ["", *_pair(pair, slots, decisions)]
    return "\n".join(lines) + "\n"


def _pair(pair: Pair, slots: Slots, decisions: Mapping[str, Entries]) -> Iterator[str]:
    yield f"key {_name(pair.key)}, response {_name(pair.response)}: {pair.standing}"
    if pair.standing in ("irrelevant", "optional"):
        return
    ours = pair.key.values if pair.key is not None else {}
    theirs = pair.response.values if pair.response is not None else {}
    aligned = pair.key is not None and pair.response is not None
    entries = decisions.get(pair.key.id, NOTHING) if aligned and pair.key is not None else NOTHING
    width = max(len(slot.id) for slot in slots.scored)
    for slot in slots.scored:
        if slot.id in ours or slot.id in theirs:
            judged = judge(slot, ours.get(slot.id, ()), theirs.get(slot.id, ()), entries)
            for line in _links(judged):
                yield f"  {slot.id:{width}}  {line}"


def _links(judged: Judged) -> Iterator[str]:
    for link in judged.links:
        by = " (decided by people)" if link.decided else ""
        yield f"{link.outcome:9}  {show(link.key)}  |  {show(link.answer)}{by}"
    # What is left over is only counted; here it stands in order, what may be left out last.
    keys, answers = sorted(judged.keys, key=is_optional), sorted(judged.answers, key=is_optional)
    incorrect, spurious, missing = leftovers(keys, answers)
    for place in range(max(len(keys), len(answers))):
        key = keys[place] if place < len(keys) else None
        answer = answers[place] if place < len(answers) else None
        if place < incorrect:
            outcome = "incorrect"
        elif place < incorrect + missing:
            outcome = "missing"
        elif place < incorrect + spurious:
            outcome = "spurious"
        else:
            outcome = "optional"
        yield f"{outcome:9}  {show(key)}  |  {show(answer)}"


def _name(template: Template | None) -> str:
    return "none" if template is None else template.id


def _number(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")
