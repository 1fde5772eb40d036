"""The report of the official program, character for character, from the same mappings as every other output.

Sums are made document by document in the order of the ids, as that program makes them. Percentages of nuggets are
rounded to two digits, those of coreference are cut off; where there is nothing to divide by it prints nan. The report
of 2015 (v1.6.2) has no table of types, but a coreference score for every document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from adjudge.model.nugget import NuggetDocument
from adjudge.tasks.coref.counts import COLUMNS
from adjudge.tasks.nugget.coreference import count_coreference, linked, official_figures
from adjudge.tasks.nugget.observe import Observed
from adjudge.tasks.nugget.reading import Campaign, Seen
from adjudge.tasks.nugget.sequencing import COLUMNS as LINKS
from adjudge.tasks.nugget.settings import Settings

COMPAT = ("evmeval-1.8", "evmeval-2015")
NAMES = {
    "span": "plain",
    "type": "mention_type",
    "realis": "realis_status",
    "type+realis": "mention_type+realis_status",
}
STARRED = "ceafm"

_NAN = float("nan")
_HEADER = "Prec  \tRec  \tF1   "


class DocumentRow(NamedTuple):
    """What the report says of one document: sums of Dice by mapping, and numbers of nuggets."""

    id: str
    matched: Mapping[str, float]
    gold: int
    system: int


class TypeRow(NamedTuple):
    """What the report says of one type; its sum is over the mapping of type and realis, whatever the title says."""

    matched: float = 0.0
    gold: int = 0
    system: int = 0


class Collector:
    """Takes the documents in as they are compared, for the report."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.documents: list[DocumentRow] = []
        self.types: dict[str, TypeRow] = {}
        self.coref: list[tuple[str, float]] = []

    def __call__(self, seen: Seen) -> None:
        """Take in one document."""
        observed = seen.observed
        self.documents.append(DocumentRow(seen.gold.id, observed.matched, observed.gold, observed.system))
        self._count_types(observed)
        self._score_coref(seen)

    def _count_types(self, observed: Observed) -> None:
        gold, system = observed.sides
        for ours, _, dice in sorted(observed.mappings["type+realis"]):
            self._add(gold.types[ours], matched=dice)
        for value in gold.types:
            self._add(value, gold=1)
        for value in system.types:
            self._add(value, system=1)

    def _add(self, value: str, *, matched: float = 0.0, gold: int = 0, system: int = 0) -> None:
        old = self.types.get(value, TypeRow())
        self.types[value] = TypeRow(old.matched + matched, old.gold + gold, old.system + system)

    def _score_coref(self, seen: Seen) -> None:
        """The score of a document by itself, which only the program of 2015 prints."""
        chosen = self.settings
        if chosen.profile != "evmeval-2015" or chosen.coref is False:
            return
        own = seen.own if seen.own is not None else NuggetDocument(seen.gold.id)
        links, pairs = (linked(seen.gold), linked(own)), seen.observed.mappings[chosen.mapping]
        figures = official_figures(count_coreference(links, seen.observed.sides, pairs, chosen))
        without = {STARRED} | (set() if links[0].clusters or links[1].clusters else {"muc"})
        used = [figure for name, figure in figures.items() if name not in without]
        self.coref.append((seen.gold.id, _added(used) / len(used)))


def report(campaign: Campaign, found: Collector) -> str:
    """The whole report of the first system."""
    (counted,) = list(campaign.systems.values())[:1]
    lines = list(_documents(found.documents))
    if campaign.settings.profile == "evmeval-2015":
        if campaign.coref:
            lines += ["", "", "========Document Mention Corefrence Results (CoNLL Average)=========="]
            lines += [f"{id}\t{value:.2f}" for id, value in found.coref]
    else:
        lines += ["", "", "========Mention Type Results==========", *_types(found.types)]
    lines += ["", "=======Final Mention Detection Results=========", *_final(found.documents)]
    if campaign.coref:
        figures = official_figures(_sums(counted.coref, len(COLUMNS)))
        lines += ["", "=======Final Mention Coreference Results=========", *_coref(figures, campaign.settings)]
    if campaign.sequencing:
        lines += ["", *_sequencing(_sums(counted.sequencing, len(LINKS)))]
    return "\n".join(lines) + "\n"


def coref_average(figures: Mapping[str, float], settings: Settings) -> float:
    """The last line of coreference: the mean of the figures, of all five in 2015 and without CEAFm since.

    >>> coref_average({"bcub": 50, "ceafe": 50, "ceafm": 0, "muc": 0, "blanc": 0}, Settings("evmeval-2015"))
    20.0
    """
    used = [value for name, value in figures.items() if settings.profile == "evmeval-2015" or name != STARRED]
    return _added(used) / len(used)


def averages(documents: Sequence[DocumentRow], mapping: str) -> tuple[float, ...]:
    """Micro and macro precision, recall and F1 in percent, nan included."""
    total = precisions = recalls = 0.0
    golds = systems = valid = 0
    for document in documents:
        matched = document.matched[mapping] * 100
        precision, recall = _ratio(matched, document.system), _ratio(matched, document.gold)
        if document.gold:
            valid += 1
            golds += document.gold
            systems += document.system
            total += matched
            precisions += precision if document.system else 0.0
            recalls += recall
    micro = _ratio(total, systems), _ratio(total, golds)
    macro = _ratio(precisions, valid), _ratio(recalls, valid)
    return (*micro, _f1(*micro), *macro, _f1(*macro))


def _documents(documents: Sequence[DocumentRow]) -> Iterator[str]:
    width = max((_width(document.id) for document in documents), default=0)
    titles = [name.rjust(len(_HEADER)) for name in NAMES.values()]
    yield "========Document Mention Detection Results=========="
    yield " " * width + "\t" + "\t|\t".join(titles)
    yield "Doc ID".rjust(width) + "\t" + "\t|\t".join([_HEADER] * len(NAMES))
    for document in documents:
        cells = []
        for mapping in NAMES:
            matched = document.matched[mapping] * 100
            ratios = _ratio(matched, document.system), _ratio(matched, document.gold)
            cells.append("\t".join(f"{value:.2f}" for value in (*ratios, _f1(*ratios))))
        yield " " * (width - _width(document.id)) + document.id + "\t" + "\t|\t".join(cells)


def _types(types: Mapping[str, TypeRow]) -> Iterator[str]:
    shown = {name: found for name, found in sorted(types.items()) if found.gold}
    if not shown:
        return
    width = max(map(len, shown))
    yield "Type".rjust(width) + "\tPrec\tRec\tF1\t#Gold\t#Sys"
    for name, found in shown.items():
        ratios = _ratio(found.matched, found.system), _ratio(found.matched, found.gold)
        values = [0 if value != value else value for value in (*ratios, _f1(*ratios))]
        numbers = "\t".join(f"{value:.2f}" for value in values)
        yield f"{name.rjust(width)}\t{numbers}\t{found.gold}\t{found.system}"


def _final(documents: Sequence[DocumentRow]) -> Iterator[str]:
    width = max(len(_HEADER), *map(len, NAMES.values()))
    yield " " * width + "\t" + "\t".join(title.rjust(len(_HEADER)) for title in ("Micro Average", "Macro Average"))
    yield "Attributes".rjust(width) + "\t" + "\t".join([_HEADER] * 2)
    for mapping, name in NAMES.items():
        yield name.rjust(width) + "\t" + "\t".join(f"{value:.2f}" for value in averages(documents, mapping))


def _coref(figures: Mapping[str, float], settings: Settings) -> Iterator[str]:
    for name, value in figures.items():
        yield f"Metric : {name}\tScore\t{value:.2f}{' *' if name == STARRED else ''}"
    yield f"Overall Average CoNLL score\t{coref_average(figures, settings):.2f}"
    yield ""
    yield "* Score not included for final CoNLL score."


def _sequencing(sums: Sequence[float]) -> Iterator[str]:
    places = {name: place for place, name in enumerate(LINKS)}
    for title, metric in (("Subevent", "nugget.subevent"), ("After", "nugget.after"), ("All", "nugget.sequence")):
        matched, system, found, gold = (sums[places[f"{metric}:{n}"]] for n in ("matched", "system", "found", "gold"))
        precision, recall = matched / system if system else 0, found / gold if gold else 0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
        shown = [f"{100 * round(value, 6):.12g}" for value in (f1, precision, recall)]
        shown = [value if "." in value else f"{value}.0" for value in shown]
        yield f"=======Event Sequencing Results for {title} ======="
        yield "=== Temporal Awareness Score ==="
        yield "Evaluated considering implicit relations in recall as well"
        yield "Temporal Score\tF1\tP\tR"
        yield "\t\t" + "\t".join(shown) + "\t"
        yield f"Overall Temporal Awareness Score (F1 score): {shown[0]}"
        yield ""


def _sums(rows: Iterable[Sequence[float]], size: int) -> list[float]:
    totals: list[float] = [0] * size
    for row in rows:
        totals = [total + value for total, value in zip(totals, row, strict=True)]
    return totals


def _added(values: Sequence[float]) -> float:
    """From left to right: `sum` compensates from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator > 0 else _NAN


def _f1(precision: float, recall: float) -> float:
    return _ratio(2 * precision * recall, precision + recall)


def _width(text: str) -> int:
    """The official program counts bytes."""
    return len(text.encode("utf-8", "surrogatepass"))
