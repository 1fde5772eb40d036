"""MUC-4: templates against a key, as the scorer 3.3 of 1992 counts them.

Values are equal up to premodifiers; an answer above the key in its set, or the country of a place, is worth half.
Templates are aligned greedily by recall, and F is made of whole percentages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from adjudge.algebra.solve.deadline import timed
from adjudge.errors import FormatError, Problem, UsageError, did_you_mean
from adjudge.formats.muc4 import History, Template, TemplateFile, decoded, read_history, read_templates
from adjudge.formats.muc4_slots import Slots, muc4_slots, read_slots, show
from adjudge.formats.source import read_whole
from adjudge.model.prf import ratio
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.muc4_align import (
    BASES,
    FILLS,
    FILTERING,
    NOTHING,
    Message,
    Pair,
    add,
    align,
    by_id,
    candidates,
    filtering,
    is_relevant,
    percent,
    slot_rows,
    summary_rows,
    template_tally,
)
from adjudge.scorers.muc4_slot import Entries, Judged, Tally, is_optional, judge, leftovers
from adjudge.scorers.shared import both_sides
from adjudge.stats.measure import Measure, Prf, Ratio, Total
from adjudge.stats.result import Note

NAME = "template.muc4"
COUNTS = ("correct", "partial", "incorrect", "missing", "spurious")
SHOWN = 5


class Asked(NamedTuple):
    """The options of the scorer.

    `history` is a file of decisions, `slots` one of another kind of template, `messages` a list of all messages, if the
    key does not have them all. `message` explains how one of them was scored.
    """

    history: Any = None
    slots: Any = None
    messages: Any = None
    report: str | None = None
    table: str | None = None
    text_filtering: bool = False
    per_slot: bool = False
    message: str | None = None


def run(gold: Any, system: Any, **options: Any) -> Published:
    r"""The report of the scorer for one system.

    >>> text = b'0.  MESSAGE: ID  M1\n1.  MESSAGE: TEMPLATE  1\n4.  INCIDENT: TYPE  BOMBING\n'
    >>> print(run(text, text.replace(b"BOMBING", b"ATTACK"), message="M1").text, end="")
    M1: 1 key template, 1 response template
    <BLANKLINE>
    key 1, response 1: matched
      inc-type            partial    BOMBING  |  ATTACK
    """
    asked = Asked(**options)
    chosen = muc4_slots() if asked.slots is None else read_slots(asked.slots)
    key, response = both_sides(lambda source: read_templates(source, chosen), gold, system)
    decisions = None if asked.history is None else read_history(asked.history, chosen)
    names = None if asked.messages is None else read_messages(asked.messages)
    compared = compare(key, response, chosen, history=decisions, messages=names)
    if asked.message is not None:
        message = asked.message.upper()  # as everything in the files
        known = [each.id for each in compared]
        if message not in known:
            hint = did_you_mean(message, known) or "messages are called as in the key"
            raise UsageError(f"there is no message {message!r}", hint=hint)
        text = explain(message, key, response, chosen, history=decisions)
    else:
        text = report(compared, chosen, asked)
    rows = [(each.id, counts(each, chosen, per_slot=asked.per_slot)) for each in compared]
    return Published(
        rows,
        measures(chosen, per_slot=asked.per_slot),
        text,
        notes=_notes(key, response, compared),
        documents=([each.id for each in compared], response.messages.keys()),
    )


def compare(
    key: TemplateFile,
    response: TemplateFile,
    slots: Slots,
    *,
    history: History | None = None,
    messages: Iterable[str] | None = None,
) -> list[Message]:
    """Every message of the key (or of a list) with its aligned templates."""
    compared: list[Message] = []
    for name in timed(messages if messages is not None else key.messages):
        keys, responses = key.messages.get(name, []), response.messages.get(name, [])
        decisions = history.decisions.get(name, {}) if history is not None else {}
        compared.append(Message(name, align(keys, responses, slots, decisions), *is_relevant(keys, responses)))
    return compared


def counts(message: Message, slots: Slots, *, per_slot: bool = False) -> dict[str, float]:
    """The counts of one message in each row of the report."""
    rows: dict[str, Tally] = {_metric(name): row for name, row in summary_rows(message.pairs, slots).items()}
    rows[f"{NAME}.templates"] = add(map(template_tally, message.pairs))
    rows[f"{NAME}.messages"] = filtering([message])
    if per_slot:
        by_slot = slot_rows(message.pairs, slots)
        rows |= {f"{NAME}.{slot.id}": by_slot[slot.id] for slot in slots.scored}
    found: dict[str, float] = {}
    for name, tally in rows.items():
        found |= {f"{name}:{part}": float(getattr(tally, part)) for part in COUNTS}
        found[f"{name}:credit"] = tally.correct + tally.partial / 2
        found[f"{name}:possible"], found[f"{name}:actual"] = float(tally.possible), float(tally.actual)
    return found


def measures(slots: Slots, *, per_slot: bool = False) -> tuple[Measure, ...]:
    """Precision, recall and F of each row, unrounded; of all templates also the counts."""
    names = [*(_metric(row) for row in (*BASES, *FILLS)), f"{NAME}.templates", f"{NAME}.messages"]
    names.sort(key=lambda name: name != NAME)
    names += [f"{NAME}.{slot.id}" for slot in slots.scored] if per_slot else []
    found: list[Measure] = []
    for name in names:
        precision, recall = (f"{name}:credit", f"{name}:actual"), (f"{name}:credit", f"{name}:possible")
        found.append(Prf(name, precision, recall))
        if name == NAME:
            found += [Prf(name, precision, recall, beta=beta, parts=(f"f{beta:g}",)) for beta in (0.5, 2.0)]
            found.append(Ratio(name, "overgeneration", ((f"{name}:spurious", 1.0),), ((f"{name}:actual", 1.0),)))
            found += [Total(name, part, ((f"{name}:{part}", 1.0),)) for part in COUNTS]
    return tuple(found)


def read_messages(source: Any) -> list[str]:
    r"""The ids of messages, one on each line.

    >>> read_messages(b"M1\nM2\n")
    ['M1', 'M2']
    """
    whole = read_whole(source)
    lines = [line.split() for line in decoded(whole.data).upper().splitlines()]
    names = list(dict.fromkeys(line[0] for line in lines if line))
    if not names:
        raise FormatError(Problem("there are no messages", whole.place, hint="give one id on each line"))
    return names


def _metric(row: str) -> str:
    """The metric of a row: `MATCHED ONLY` is template.muc4.matched-only."""
    return NAME if row == "ALL TEMPLATES" else f"{NAME}.{row.replace('/', '-').replace(' ', '-').lower()}"


def _notes(key: TemplateFile, response: TemplateFile, compared: Sequence[Message]) -> list[Note]:
    names = {message.id: None for message in compared}
    found = [
        (
            "missing-document",
            [name for name in names if name in key.messages and name not in response.messages],
            "messages of the key without a response, which count as empty",
        ),
        (
            "unknown-document",
            [name for name in response.messages if name not in names],
            "messages of the response that the key does not have, which are not scored",
        ),
        ("key-syntax", [str(warning) for warning in key.warnings], "malformed lines in the key"),
        ("response-syntax", [str(warning) for warning in response.warnings], "malformed lines in the response"),
    ]
    return [
        Note(code, len(cases), f"{message}: {len(cases)}", tuple(cases[:SHOWN]))
        for code, cases, message in found
        if cases
    ]


# ---------------------------------------------------------------------------------------------------------------------
# The report, character for character


_RULE = "-----------------------------+-----------+-------+-----------+---------------"
_HEAD = f"SLOT\t\t      POS ACT|COR PAR INC|ICR IPA|SPU MIS NON|REC PRE OVG FAL\n{_RULE}"
WEIGHTS = {"P&R": (1, 2), "2P&R": (4, 5), "P&2R": (1, 5)}  # the share of precision, as a fraction


ALL = "all-templates"
TABLES = {name.replace("/", "-").replace(" ", "-").lower(): name for name in BASES}


def report(messages: Sequence[Message], slots: Slots, asked: Asked) -> str:
    """The lines of the report."""
    lines: list[str] = []
    if asked.report == "full":
        lines += [f"Report of {asked.table or ALL} scores", ""]
        for message in messages:
            for pair in message.pairs or [Pair(None, None, "irrelevant", {})]:
                lines += [*_pair(message.id, pair, slots), "\f"]
    lines += _totals(messages, slots, asked)
    return "\n".join(lines) + "\n"


def _pair(message: str, pair: Pair, slots: Slots) -> Iterator[str]:
    line = indent(message, 21) + f"key: {_name(pair.key)}  response: {_name(pair.response)}"
    standing = "" if pair.standing == "matched" else f"[{pair.standing}]"
    yield indent(line, 79 - len(standing)) + standing
    if pair.standing == "irrelevant":
        return
    yield ""
    yield _HEAD
    if not pair.tallies and pair.response is None:
        # The program stops here: an unanswered optional template has no slots.
        yield row(slots.template.id, Tally(missing=1)) + "  * "
        return
    yield row(slots.template.id, template_tally(pair))
    tallies = pair.tallies or {slot.id: Tally() for slot in slots.scored}
    yield from _slots(tallies, slots)
    yield _RULE
    totals = {name: add(tallies[slot] for slot in members) for name, members in slots.totals.items()}
    yield from (row(name, tally) for name, tally in totals.items())
    yield _RULE
    yield row("TOTAL", add(tallies.values()))


def _totals(messages: Sequence[Message], slots: Slots, asked: Asked) -> Iterator[str]:
    pairs = [pair for message in messages for pair in message.pairs or [Pair(None, None, "irrelevant", {})]]
    rows, summary = slot_rows(pairs, slots, TABLES[asked.table or ALL]), summary_rows(pairs, slots)
    yield " * * * TOTAL SLOT SCORES * * *"
    yield ""
    yield _HEAD
    yield row(slots.template.id, rows[slots.template.id])
    yield from _slots(rows, slots)
    yield _RULE
    if slots.totals:
        yield from (row(name, rows[name]) for name in slots.totals)
        yield _RULE
    for name, tally in summary.items():
        yield row(name, tally, fallout=name == "SET FILLS ONLY")
    if asked.text_filtering:
        yield _filtering(filtering(messages))
    yield _RULE
    yield indent("", 53) + "P&R      2P&R      P&2R"
    values = [f_measure(summary["ALL TEMPLATES"], share) for share in WEIGHTS.values()]
    first, *others = ("*" if value is None else repr(value) for value in values)
    yield indent("F-MEASURES", 57 - len(first)) + first + "".join(f"{text:>10}" for text in others)


def _slots(tallies: Mapping[str, Tally], slots: Slots) -> Iterator[str]:
    for slot in slots.scored:
        yield row(slot.id, tallies[slot.id], fallout=slot.type == "set")


def row(name: str, tally: Tally, *, fallout: bool = False) -> str:
    """One line of a table.

    >>> row("inc-type", Tally(partial=1))
    'inc-type\\t        1   1|  0   1   0|  0   0|  0   0   0| 50  50   0 '
    """
    t = tally
    counts = f"{t.possible:4d} {t.actual:3d}|{t.correct:3d} {t.partial:3d} {t.incorrect:3d}|{t.decided:3d} "
    counts += f"{t.decided_partial:3d}|{t.spurious:3d} {t.missing:3d} {t.blank:3d}|"
    return indent(name, 21) + counts + _rates(t, fallout=fallout)


def _filtering(tally: Tally) -> str:
    t = tally
    counts = (
        f"{t.possible:4d} {t.actual:3d}|{t.correct:3d}   *   *|  *   *|{t.spurious:3d} {t.missing:3d} {t.blank:3d}|"
    )
    return indent(FILTERING, 21) + counts + _rates(t, fallout=True)


def _rates(t: Tally, *, fallout: bool) -> str:
    """Recall, precision, overgeneration, and fallout if it is wanted; a rate without a denominator is a star."""
    rates = [precision_or_recall(t, t.possible), precision_or_recall(t, t.actual), percent(t.spurious, t.actual)]
    if fallout:
        rates.append(percent(t.incorrect + t.spurious, t.chances))
    return "".join("  * " if rate is None else f"{rate:3d} " for rate in rates)


def precision_or_recall(tally: Tally, whole: int) -> int | None:
    """Correct and half of partial, as a whole percentage of what is possible or actual."""
    return percent(2 * tally.correct + tally.partial, 2 * whole)


def f_measure(tally: Tally, share: tuple[int, int]) -> float | None:
    """F of the rounded percentages; `share` is the share of precision. None where one of them has no value.

    >>> f_measure(Tally(correct=16, partial=6, incorrect=6, spurious=8, missing=4), (1, 2))
    55.84
    """
    precision = precision_or_recall(tally, tally.actual)
    recall = precision_or_recall(tally, tally.possible)
    if precision is None or recall is None:
        return None
    above, below = share
    denominator = above * recall + (below - above) * precision
    return round(ratio(below * precision * recall, denominator), 2)


def indent(text: str, column: int) -> str:
    """A text padded to a column with tabs, then blanks.

    >>> indent("inc-type", 21)
    'inc-type\\t     '
    """
    at = len(text.expandtabs(8))
    if at >= column:
        return text
    tabs = column // 8 - at // 8
    return text + ("\t" * tabs + " " * (column % 8) if tabs else " " * (column - at))


def _name(template: Template | None) -> str:
    return "<NONE>" if template is None else template.id


# ---------------------------------------------------------------------------------------------------------------------
# How one message was scored


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
        lines += ["", *_explained(pair, slots, decisions)]
    return "\n".join(lines) + "\n"


def _explained(pair: Pair, slots: Slots, decisions: Mapping[str, Entries]) -> Iterator[str]:
    key, response = (each.id if each is not None else "none" for each in (pair.key, pair.response))
    yield f"key {key}, response {response}: {pair.standing}"
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
    # What is left over is only counted; here it is listed in order, optional values last.
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


def _number(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")


SCORER = Scorer(
    name="muc4-3.3",
    family="template",
    about="the MUC-4 scorer 3.3 of 1992, without questions",
    run=run,
    options={
        "history": Option("MUC-4: decisions of people, as the scorer saves them.", "FILE"),
        "slots": Option("MUC-4: the slots of another kind of template, TOML or JSON.", "FILE"),
        "messages": Option("MUC-4: ids of all messages, if some have neither key nor response.", "FILE"),
        "report": Option("MUC-4: the totals, or every pair of templates first.", choices=("totals", "full")),
        "table": Option(
            "MUC-4: which pairs of templates the table of slots counts.",
            choices=("all-templates", "matched-only", "matched-missing", "matched-spurious"),
        ),
        "text-filtering": Option("MUC-4: add a row for relevant and other messages."),
        "per-slot": Option("MUC-4: with --format json, csv, ..., also a metric for each slot."),
    },
    explain="message",
)
