"""What a reader should know about a system's scores: remarks on documents, summarised as notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any

from adjudge.errors import numbered
from adjudge.evaluate.task import Remark
from adjudge.model.nugget import NuggetDocument, TokenTable
from adjudge.model.prf import ratio
from adjudge.stats.notes import unproven_message
from adjudge.stats.result import Note
from adjudge.tasks.nugget.mapping import SAME
from adjudge.tasks.nugget.places import other_words
from adjudge.tasks.nugget.settings import Settings, canonical

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Counted
    from adjudge.tasks.nugget.double_annotation import Best

SHOWN = 5
SIDES = ("gold", "system")
GOLD_NAMES = frozenset(("gold", "goldstandard", "gold_standard", "brat_conversion", "rich_ere", "ldc", "key"))
"""Names that converters and annotators write into the first column of gold files."""

NUGGETS = {
    "free-false-alarms": "{n:false alarm|false alarms} in {d:document|documents} without gold nuggets cost nothing, as "
    "in the official program",
    "gold-empty-place": "{n:gold nugget has|gold nuggets have} {why}, and cannot be matched",
    "system-empty-place": "{n:system nugget has|system nuggets have} {why}, and cannot be matched",
    "gold-repeated-id": "a gold mention id occurs twice in {d:document|documents}",
    "system-repeated-id": "a system mention id occurs twice in {d:document|documents}",
    "gold-unknown-mention": "{d:gold cluster names|gold clusters name} mentions that do not exist, which are ignored",
    "system-unknown-mention": "{d:system cluster names|system clusters name} mentions that do not exist, which are "
    "ignored",
}
"""Notes for remarks on nuggets: `n` nuggets in `d` documents."""
DOCUMENTS = {
    "no-token-table": "{d:document has|documents have} no token table, so all words there are visible",
    "no-text": "{d:document has|documents have} no text in the folder of the texts",
    "foreign-token": "{d:document has|documents have} tokens that are not in the token table: is it the table of "
    "another document?",
    "foreign-table": "{d:document has|documents have} nuggets most of whose words are not those of the token table: is "
    "it of another document?",
    "coref-left-out": "{d:document has|documents have} a coreference score of 0 and no part in coreference, as in the "
    "program of 2015",
    "sequence-zero-division": "in {d:document|documents}, more links match than pairs of events could carry, since "
    "After and Subevent join the same pair; the official program divides by zero or by less here",
    "sequence-contradiction": "in {d:document|documents}, links contradict each other; they are counted, but nothing "
    "follows from them (in the official program this depends on their order)",
    "sequence-cycle": "in {d:document|documents}, links form a longer cycle and are left out, as in the official "
    "program",
    "sequence-redundant": "in {d:document|documents}, After links follow from other links of both kinds and are not "
    "counted twice (in the official program this depends on the names of the events)",
}
"""And on documents."""


def table_remarks(gold: NuggetDocument, system: NuggetDocument, table: TokenTable | None) -> Iterator[Remark]:
    """Remarks on how the nuggets of a document fit its token table."""
    if table is None:
        if gold.nuggets or system.nuggets:
            yield Remark("no-token-table", gold.id)
        return
    nuggets, known = (*gold.nuggets, *system.nuggets), {token.id for token in table.tokens}
    foreign = {token for nugget in nuggets for token in nugget.tokens if token not in known}
    if foreign:
        yield Remark("foreign-token", f"{gold.id}: {', '.join(sorted(foreign)[:SHOWN])}")
    if other_words(nuggets, table):
        yield Remark("foreign-table", gold.id)


def notes_of(settings: Settings, columns: Sequence[str], ids: Sequence[str], counted: Counted) -> list[Note]:
    """All remarks as notes on one system."""
    remarks: dict[str, list[Remark]] = {}
    for _, remark in counted.remarks:
        remarks.setdefault(remark.code, []).append(remark)
    told = ("nugget:system", "nugget:gold", *(f"nugget.{name}:matched" for name in settings.scored))
    sums = {name: fsum(counted.counts[columns.index(name) :: len(columns)]) for name in told}
    details = [each for each in counted.details if each is not None]
    return [
        *_about_files(remarks, details),
        *_about_ties(ids, counted, settings, sums),
        *_told(NUGGETS, remarks, settings),
        *_about_values(details, settings),
        *_told(DOCUMENTS, remarks, settings),
    ]


def about_choices(best: Best) -> list[Note]:
    """How much the choice between double annotations affects coreference."""
    changed = len(best.changed)
    where = f"{changed} document{'s' * (changed != 1)}"
    message = (
        f"which of several nuggets with the same place a system nugget stands for is a choice in {where}: coref.kbp is "
        f"{100 * best.greedy:.2f} by the mapping and {100 * best.score:.2f} at best"
    )
    if not best.optimal:
        message += f" (found; no choice exceeds {100 * best.bound:.2f})"
    return [Note("double-annotation", changed, message)] if changed or not best.optimal else []


def about_averages(*, coref: bool, sequencing: bool) -> list[Note]:
    """What has no average over documents and is left out with it.

    >>> about_averages(coref=True, sequencing=False)[0].message
    'coreference has no average over documents and is left out: choose micro averages, or both, to see it'
    """
    left_out = [what for what, there in (("coreference", coref), ("sequencing", sequencing)) if there]
    if not left_out:
        return []
    has, is_left, it = ("has", "is left", "it") if len(left_out) == 1 else ("have", "are left", "them")
    message = f"{' and '.join(left_out)} {has} no average over documents and {is_left} out"
    return [Note("micro-only", len(left_out), f"{message}: choose micro averages, or both, to see {it}")]


def about_unproven(
    ids: Sequence[str], width: int, counts: Sequence[float], most: Mapping[int, Sequence[float]]
) -> list[Note]:
    """That searches were cut short; `most` are the rows that they leave possible, by place, `width` is that of rows."""
    if not most:
        return []
    rows = [(row, counts[place * width : (place + 1) * width]) for place, row in most.items()]
    slack = fsum(high - low for one, other in rows for high, low in zip(one, other, strict=True))
    examples = tuple(sorted(ids[place] for place in most)[:SHOWN])
    return [Note("not-optimal", len(most), unproven_message(len(most), slack), examples)]


def _note(code: str, message: str, examples: Sequence[str] = (), count: int | None = None) -> Note:
    return Note(code, len(examples) if count is None else count, message, tuple(sorted(examples)[:SHOWN]))


def _number(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def _about_files(remarks: dict[str, list[Remark]], details: Sequence[Any]) -> Iterator[Note]:
    told = list(dict.fromkeys(each.example for each in remarks.get("input", ())))
    yield from (Note("input", 1, each) for each in told[:SHOWN])
    if len(told) > SHOWN:
        yield Note("input", len(told) - SHOWN, f"{len(told) - SHOWN} more remarks on the token tables")
    ours, theirs = ([own for pair in details if (own := pair[side]).name is not None] for side in (0, 1))
    names = {own.name for own in theirs}
    like_gold = {name.lower() for name in names} <= GOLD_NAMES
    unsure = any(own.confident for own in ours) and not any(own.confident for own in theirs)
    if ours and theirs and (like_gold or unsure) and GOLD_NAMES.isdisjoint(own.name.lower() for own in ours):
        message = "the system file looks like a gold file, and the gold file does not: are the two swapped?"
        yield _note("swapped", message, sorted(names), 1)
    for stopped in remarks.get("stopped", ()):
        message = (
            f"document {stopped.example} has a mention id twice, and as in the program of 2015 neither it nor any "
            "later document counts"
        )
        yield Note("stopped", 1, message)


def _about_ties(ids: Sequence[str], counted: Counted, settings: Settings, sums: dict[str, float]) -> Iterator[Note]:
    open_ends = [(id, each) for id, each in zip(ids, counted.details, strict=True) if each is not None]
    found: dict[str, dict[str, tuple[float, float, float]]] = {}
    for id, detail in open_ends:
        for name, sums_of_dice in detail.ties.items():
            found.setdefault(name, {})[id] = sums_of_dice
    total = sums["nugget:system"] + sums["nugget:gold"]

    def f1(matched: float) -> str:
        return f"{ratio(200 * matched, total):.2f}"

    better = []
    for name in settings.scored:
        ties = found.get(name, {})
        line, best, optimal = (fsum(each[place] for each in ties.values()) for place in range(3))
        counts = line if settings.official else best
        rest = sums[f"nugget.{name}:matched"] - counts
        documents = [id for id, (own, highest, _) in ties.items() if highest > own + SAME]
        if documents:
            where = _number(len(documents), "document", "documents")
            values = f"{f1(rest + line)} by the order of lines, {f1(rest + best)} at best"
            taken = "lines" if settings.official else "the best"
            yield _note("ties", f"ties decide nugget.{name} in {where}: f1 is {values}; {taken} counted", documents)
        if optimal > counts + SAME:
            message = f"an optimal instead of a greedy mapping would give nugget.{name} f1 {f1(rest + optimal)}"
            better.append(Note("optimal-mapping", 1, f"{message} instead of {f1(rest + counts)}"))
    yield from better
    unproven = [id for id, detail in open_ends if detail.most is not None]
    if unproven and settings.official:  # else the scores themselves are not proven, and say so
        where = _number(len(unproven), "document", "documents")
        message = f"in {where} there are too many ties to prove that the best mapping was found"
        yield _note("unproven", message, unproven)


def _told(templates: Mapping[str, str], remarks: dict[str, list[Remark]], settings: Settings) -> Iterator[Note]:
    why = "no visible token or character" if settings.invisible else "an empty place"
    for code, template in templates.items():
        found = remarks.get(code)
        if not found or (code == "no-token-table" and not settings.invisible):  # else a table changes nothing
            continue
        numbers = {"d": len(found), "n": sum(each.number for each in found)}
        message = numbered(template.replace("{why}", why), **numbers)
        name = code.removeprefix("gold-").removeprefix("system-")
        examples = [each.example for each in found if each.example]
        yield _note(name, message, examples, numbers["n" if "{n:" in template else "d"])


def _about_values(details: Sequence[Any], settings: Settings) -> Iterator[Note]:
    """Values that are not UTF-8, or are spelled in two ways."""
    values = {
        (side, attribute): set[str]().union(*[getattr(pair[place], field) for pair in details])
        for place, side in enumerate(SIDES)
        for attribute, field in (("type", "types"), ("realis", "realis"))
    }
    for (side, attribute), own in values.items():
        broken = [value for value in own if "\\x" in value]
        if broken:
            what = _number(len(broken), "value", "values")
            yield _note("encoding", f"{what} of the {side} {attribute} have bytes that are not UTF-8", broken)
    for attribute in settings.attributes:
        ours = values["gold", attribute]
        written = {canonical(value): value for value in sorted(ours)}
        other = [
            f"{value} for {written[canonical(value)]}"
            for value in sorted(values["system", attribute] - ours)
            if canonical(value) in written
        ]
        if other:
            what = _number(len(other), f"{attribute} value", f"{attribute} values")
            message = f"{what} of the system differ from gold in capitals or punctuation only, and do not match"
            yield _note("spelling", message, other)
