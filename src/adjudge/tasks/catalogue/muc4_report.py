"""The report of the MUC-4 scorer 3.3, character for character."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adjudge.formats.muc4 import Template
from adjudge.formats.muc4_slots import Slots
from adjudge.tasks.catalogue.muc4_align import Pair, percent
from adjudge.tasks.catalogue.muc4_rows import (
    BASES,
    FILTERING,
    Message,
    add,
    filtering,
    slot_rows,
    summary_rows,
    template_tally,
)
from adjudge.tasks.catalogue.muc4_slot import Tally

_RULE = "-----------------------------+-----------+-------+-----------+---------------"
_HEAD = f"SLOT\t\t      POS ACT|COR PAR INC|ICR IPA|SPU MIS NON|REC PRE OVG FAL\n{_RULE}"
WEIGHTS = {"P&R": (1, 2), "2P&R": (4, 5), "P&2R": (1, 5)}  # the share of precision, as a fraction


TABLES = {name.replace("/", "-").replace(" ", "-").lower(): name for name in BASES}


def report(
    messages: Sequence[Message],
    slots: Slots,
    *,
    full: bool = False,
    table: str = "all-templates",
    text_filtering: bool = False,
) -> str:
    """The lines of the report: the totals, before them every pair of templates if `full`.

    `table` says which pairs the totals of slots are of.
    """
    lines: list[str] = []
    if full:
        lines += [f"Report of {table} scores", ""]
        for message in messages:
            for pair in message.pairs or [Pair(None, None, "irrelevant", {})]:
                lines += [*_pair(message.id, pair, slots), "\f"]
    lines += _totals(messages, slots, table=table, text_filtering=text_filtering)
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
        # The program stops here: an unanswered optional template has no slots to show.
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


def _totals(messages: Sequence[Message], slots: Slots, *, table: str, text_filtering: bool) -> Iterator[str]:
    pairs = [pair for message in messages for pair in message.pairs or [Pair(None, None, "irrelevant", {})]]
    rows, summary = slot_rows(pairs, slots, TABLES[table]), summary_rows(pairs, slots)
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
    if text_filtering:
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
    rates = [precision_or_recall(t, t.possible), precision_or_recall(t, t.actual), percent(t.spurious, t.actual)]
    if fallout:
        rates.append(percent(t.incorrect + t.spurious, t.chances))
    return indent(name, 21) + counts + "".join(_rate(rate) for rate in rates)


def _filtering(tally: Tally) -> str:
    t = tally
    counts = (
        f"{t.possible:4d} {t.actual:3d}|{t.correct:3d}   *   *|  *   *|{t.spurious:3d} {t.missing:3d} {t.blank:3d}|"
    )
    rates = [precision_or_recall(t, t.possible), precision_or_recall(t, t.actual), percent(t.spurious, t.actual)]
    rates.append(percent(t.spurious, t.chances))
    return indent(FILTERING, 21) + counts + "".join(_rate(rate) for rate in rates)


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
    return round(below * precision * recall / denominator, 2) if denominator else 0.0


def indent(text: str, column: int) -> str:
    """A text filled up to a column with tabs, then blanks.

    >>> indent("inc-type", 21)
    'inc-type\\t     '
    """
    at = len(text.expandtabs(8))
    if at >= column:
        return text
    tabs = column // 8 - at // 8
    return text + ("\t" * tabs + " " * (column % 8) if tabs else " " * (column - at))


def _rate(rate: int | None) -> str:
    return "  * " if rate is None else f"{rate:3d} "


def _name(template: Template | None) -> str:
    return "<NONE>" if template is None else template.id
