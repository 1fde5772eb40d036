"""MUC-4: templates against a key, as the scorer 3.3 of 1992 counts them.

Values are equal up to premodifiers; an answer above the key in its set, or the country of a place, is worth half.
Templates are aligned greedily by recall, and F is made of whole percentages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from adjudge.errors import FormatError, Problem, UsageError, did_you_mean
from adjudge.formats.muc4 import TemplateFile, decoded, read_templates
from adjudge.formats.muc4_history import History, read_history
from adjudge.formats.muc4_slots import Slots, muc4_slots, read_slots
from adjudge.formats.source import read_whole
from adjudge.stats.measure import Measure, Prf, Ratio, Total
from adjudge.stats.result import Note
from adjudge.tasks.catalogue.family import Published
from adjudge.tasks.catalogue.muc4_align import align
from adjudge.tasks.catalogue.muc4_report import report as render
from adjudge.tasks.catalogue.muc4_rows import (
    BASES,
    FILLS,
    Message,
    add,
    filtering,
    is_relevant,
    slot_rows,
    summary_rows,
    template_tally,
)
from adjudge.tasks.catalogue.muc4_slot import Tally

NAME = "template.muc4"
COUNTS = ("correct", "partial", "incorrect", "missing", "spurious")
SHOWN = 5


class Layout(NamedTuple):
    """What the report has: more than the summary, another table, a line of text filtering, a row for each slot."""

    report: str | None = None
    table: str | None = None
    text_filtering: bool = False
    per_slot: bool = False


def run(
    gold: Any,
    system: Any,
    *,
    history: Any = None,
    slots: Any = None,
    messages: Any = None,
    message: str | None = None,
    **layout: Any,
) -> Published:
    r"""The report of the scorer for one system.

    `history` is a file of decisions, `slots` one of another kind of template, `messages` a list of all messages, if
    the key does not have them all. `message` asks how one of them was scored; the others say what the report has.

    >>> text = b'0.  MESSAGE: ID  M1\n1.  MESSAGE: TEMPLATE  1\n4.  INCIDENT: TYPE  BOMBING\n'
    >>> print(run(text, text.replace(b"BOMBING", b"ATTACK"), message="M1").text, end="")
    M1: 1 key template, 1 response template
    <BLANKLINE>
    key 1, response 1: matched
      inc-type            partial    BOMBING  |  ATTACK
    """
    shown = Layout(**layout)
    chosen = muc4_slots() if slots is None else read_slots(slots)
    key, response = _both(gold, system, chosen)
    decisions = None if history is None else read_history(history, chosen)
    names = None if messages is None else read_messages(messages)
    compared = compare(key, response, chosen, history=decisions, messages=names)
    if message is not None:
        message = message.upper()  # as everything in the files
        known = [each.id for each in compared]
        if message not in known:
            hint = did_you_mean(message, known) or "messages are called as in the key"
            raise UsageError(f"there is no message {message!r}", hint=hint)
        from adjudge.tasks.catalogue.muc4_explain import explain  # not at the top: it is rarely asked for

        text = explain(message, key, response, chosen, history=decisions)
    else:
        text = render(
            compared,
            chosen,
            full=shown.report == "full",
            table=shown.table or "all-templates",
            text_filtering=shown.text_filtering,
        )
    rows = [(each.id, counts(each, chosen, per_slot=shown.per_slot)) for each in compared]
    return Published(
        rows,
        measures(chosen, per_slot=shown.per_slot),
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
    for name in messages if messages is not None else key.messages:
        keys, responses = key.messages.get(name, []), response.messages.get(name, [])
        decisions = history.decisions.get(name, {}) if history is not None else {}
        compared.append(Message(name, align(keys, responses, slots, decisions), *is_relevant(keys, responses)))
    return compared


def counts(message: Message, slots: Slots, *, per_slot: bool = False) -> dict[str, float]:
    """What one message adds to each row of the report."""
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
    """Precision, recall and F of each row, without rounding; of all templates also the counts."""
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


def _both(gold: Any, system: Any, slots: Slots) -> tuple[TemplateFile, TemplateFile]:
    """Both files, or the problems of both."""
    read: list[TemplateFile] = []
    problems: list[Problem] = []
    for source in (gold, system):
        try:
            read.append(read_templates(source, slots))
        except FormatError as error:
            problems += error.problems
    if problems:
        raise FormatError(problems)
    return read[0], read[1]


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
        ("key-syntax", [str(warning) for warning in key.warnings], "odd lines in the key"),
        ("response-syntax", [str(warning) for warning in response.warnings], "odd lines in the response"),
    ]
    return [
        Note(code, len(cases), f"{message}: {len(cases)}", tuple(cases[:SHOWN]))
        for code, cases, message in found
        if cases
    ]
