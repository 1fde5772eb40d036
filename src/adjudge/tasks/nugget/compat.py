"""The report of the official program, character for character, from the same mappings as every other output.

Documents are summed in the order of their ids, as in that program. Percentages of nuggets are rounded to two digits,
those of coreference are truncated; where the denominator is 0 it prints nan. The report
of 2015 (v1.6.2) has no table of types, but a coreference score for every document.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from adjudge.errors import Problem, ValidationError
from adjudge.evaluate.engine import Evaluation
from adjudge.model.nugget import Nugget, NuggetDocument
from adjudge.model.prf import precision_recall_f1
from adjudge.tasks.coref.counts import COLUMNS
from adjudge.tasks.nugget.coreference import STARRED, added, count_coreference, document_average, official_figures
from adjudge.tasks.nugget.mapping import Side
from adjudge.tasks.nugget.settings import Settings
from adjudge.tasks.nugget.task import NuggetTask, Seen, scored

COMPAT = ("evmeval-1.8", "evmeval-2015")
NAMES = {
    "span": "plain",
    "type": "mention_type",
    "realis": "realis_status",
    "type+realis": "mention_type+realis_status",
}
LONGEST = 100_000  # maximum characters of a place listed in a comparison

_HEADER = "Prec  \tRec  \tF1   "


class TypeRow(NamedTuple):
    """What the report says of one type; its sum is over the mapping of type and realis, whatever the title says."""

    matched: float = 0.0
    gold: int = 0
    system: int = 0

    def plus(self, matched: float = 0.0, gold: int = 0, system: int = 0) -> TypeRow:
        """The same with more."""
        return TypeRow(self.matched + matched, self.gold + gold, self.system + system)


def _seen(evaluation: Evaluation) -> list[Seen]:
    """The documents of the first system that the program processes; the run has kept them."""
    (counted, *_) = evaluation.systems.values()
    return [each.seen for each in counted.details if each is not None]


def report(evaluation: Evaluation) -> str:
    """The whole report of the first system."""
    task = evaluation.task
    assert isinstance(task, NuggetTask)
    chosen, seen, (coref, sequencing) = task.settings, _seen(evaluation), scored(evaluation)
    (counted,) = list(evaluation.systems.values())[:1]
    width = len(task.columns)
    sums = {name: added(counted.counts[place::width]) for place, name in enumerate(task.columns)}
    lines = list(_documents(seen))
    if chosen.profile == "evmeval-2015":
        if coref:
            lines += ["", "", "========Document Mention Corefrence Results (CoNLL Average)=========="]
            for each in seen:
                counts = count_coreference(each.chains, each.observed.mappings[chosen.mapping], chosen)
                lines.append(f"{each.gold.id}\t{document_average(counts, each.chains):.2f}")
    else:
        lines += ["", "", "========Mention Type Results==========", *_types(seen)]
    lines += ["", "=======Final Mention Detection Results=========", *_final(seen)]
    if coref:
        figures = official_figures([sums[name] for name in COLUMNS])
        lines += ["", "=======Final Mention Coreference Results=========", *_coref(figures, chosen)]
    if sequencing:
        lines += ["", *_sequencing(sums)]
    return "\n".join(lines) + "\n"


def coref_average(figures: Mapping[str, float], settings: Settings) -> float:
    """The last line of coreference: the mean of the metrics, of all five in 2015 and without CEAFm since.

    >>> coref_average({"bcub": 50, "ceafe": 50, "ceafm": 0, "muc": 0, "blanc": 0}, Settings("evmeval-2015"))
    20.0
    """
    used = [value for name, value in figures.items() if settings.profile == "evmeval-2015" or name != STARRED]
    return added(used) / len(used)


def averages(documents: Sequence[Seen], mapping: str) -> tuple[float, ...]:
    """Micro and macro precision, recall and F1 in percent, nan included."""
    total = precisions = recalls = 0.0
    golds = systems = valid = 0
    for observed in (each.observed for each in documents):
        matched = observed.matched[mapping] * 100
        precision, recall, _ = _three(matched, observed.system, observed.gold)
        if observed.gold:
            valid += 1
            golds += observed.gold
            systems += observed.system
            total += matched
            precisions += precision if observed.system else 0.0
            recalls += recall
    return (*_three(total, systems, golds), *_three(precisions, valid, valid, recalls))


def _documents(documents: Sequence[Seen]) -> Iterator[str]:
    width = max((_width(document.gold.id) for document in documents), default=0)
    titles = [name.rjust(len(_HEADER)) for name in NAMES.values()]
    yield "========Document Mention Detection Results=========="
    yield " " * width + "\t" + "\t|\t".join(titles)
    yield "Doc ID".rjust(width) + "\t" + "\t|\t".join([_HEADER] * len(NAMES))
    for document in documents:
        cells = []
        for mapping in NAMES:
            observed = document.observed
            matched = observed.matched[mapping] * 100
            scores = _three(matched, observed.system, observed.gold)
            cells.append("\t".join(f"{value:.2f}" for value in scores))
        yield " " * (width - _width(document.gold.id)) + document.gold.id + "\t" + "\t|\t".join(cells)


def _types(documents: Sequence[Seen]) -> Iterator[str]:
    types: defaultdict[str, TypeRow] = defaultdict(TypeRow)
    for observed in (each.observed for each in documents):
        gold, system = observed.sides
        for ours, _, dice in sorted(observed.mappings["type+realis"]):
            types[gold.types[ours]] = types[gold.types[ours]].plus(matched=dice)
        for value in gold.types:
            types[value] = types[value].plus(gold=1)
        for value in system.types:
            types[value] = types[value].plus(system=1)
    shown = {name: found for name, found in sorted(types.items()) if found.gold}
    if not shown:
        return
    width = max(map(len, shown))
    yield "Type".rjust(width) + "\tPrec\tRec\tF1\t#Gold\t#Sys"
    for name, found in shown.items():
        values = [0 if value != value else value for value in _three(found.matched, found.system, found.gold)]
        numbers = "\t".join(f"{value:.2f}" for value in values)
        yield f"{name.rjust(width)}\t{numbers}\t{found.gold}\t{found.system}"


def _final(documents: Sequence[Seen]) -> Iterator[str]:
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


def _sequencing(sums: Mapping[str, float]) -> Iterator[str]:
    for title, metric in (("Subevent", "nugget.subevent"), ("After", "nugget.after"), ("All", "nugget.sequence")):
        matched, system, found, gold = (sums[f"{metric}:{n}"] for n in ("matched", "system", "found", "gold"))
        precision, recall, f1 = precision_recall_f1(matched, system, gold, found)
        shown = [f"{100 * round(value, 6):.12g}" for value in (f1, precision, recall)]
        shown = [value if "." in value else f"{value}.0" for value in shown]
        yield f"=======Event Sequencing Results for {title} ======="
        yield "=== Temporal Awareness Score ==="
        yield "Evaluated considering implicit relations in recall as well"
        yield "Temporal Score\tF1\tP\tR"
        yield "\t\t" + "\t".join(shown) + "\t"
        yield f"Overall Temporal Awareness Score (F1 score): {shown[0]}"
        yield ""


_three = partial(precision_recall_f1, undefined=float("nan"))


def _width(text: str) -> int:
    """The official program counts bytes."""
    return len(text.encode("utf-8", "surrogatepass"))


# ---------------------------------------------------------------------------------------------------------------------
# The comparison file: every gold nugget with the system nugget that the mapping of places gives it, in the order of its
# file, then the system nuggets that are left, then the clusters of both sides


def write_comparison(target: Path, evaluation: Evaluation, system: str) -> None:
    """Write the comparison of the first system, which is read from this file, atomically."""
    from adjudge.files import write_atomically

    task = evaluation.task
    assert isinstance(task, NuggetTask)
    year, coref = 2015 if task.profile == "evmeval-2015" else 2017, task.settings.coref is not False
    lines = (line for seen in _seen(evaluation) for line in comparison(seen, system, coref=coref, year=year))
    write_atomically(target, "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))


def comparison(seen: Seen, name: str, *, coref: bool, year: int = 2017) -> Iterator[str]:
    """The lines of one document; `name` is the system file. That of 2015 has no texts, and the system id of a line."""
    gold, system = seen.gold, seen.system
    ours, theirs = (
        _fields(document, side, year) for document, side in zip((gold, system), seen.observed.sides, strict=True)
    )
    if year == 2015:
        name = system.nuggets[0].system if system.nuggets else ""
    mates = {one: (other, dice) for one, other, dice in seen.observed.mappings["span"]}
    taken = {other for other, _ in mates.values()}
    yield f"#BeginOfDocument {gold.id}"
    for place, mine in enumerate(ours):
        found = mates.get(place)
        yield f"{name}\t{mine}\t|\t" + ("-\t-" if found is None else f"{theirs[found[0]]}\t{found[1]:.2f}")
    for place, other in enumerate(theirs):
        if place not in taken:
            yield f"{name}\t-\t|\t{other}\t-"
    if coref:
        for label, document in (("gold", gold), ("system", system)):
            texts = {
                nugget.id: nugget.text if year == 2015 else nugget.text.replace(",", "") for nugget in document.nuggets
            }
            for cluster in document.clusters():
                yield f"@coref\t{label}\t" + ",".join(f"{id}:{texts.get(id, '')}" for id in cluster)
    yield "#EndOfDocument "


def _fields(document: NuggetDocument, side: Side, year: int) -> list[str]:
    found = []
    for nugget, type_, realis in zip(document.nuggets, side.types, side.realis, strict=True):
        columns = [nugget.id, _place(nugget), type_, realis, nugget.text]
        found.append("\t".join(columns[:4] if year == 2015 else columns))
    return found


def _place(nugget: Nugget) -> str:
    """Token ids as written, or every single character."""
    if not nugget.pieces:
        return ",".join(nugget.tokens)
    size = sum(end - begin for begin, end in nugget.pieces)
    if size > LONGEST:
        message = f"{nugget.id} has {size} characters, and a comparison file lists every one of them"
        raise ValidationError(Problem(message, line=nugget.line or None, hint="check its place, or leave the file out"))
    return ",".join(str(offset) for begin, end in nugget.pieces for offset in range(begin, end))
