"""What is counted of a document, and the formulas over the sums.

Micro scores are ratios of sums. A macro score averages the precision and the recall of documents, and its F1 is made of
the two averages (section 3.2.1 of the specification): so the columns are the values of each document, and a count of
documents. Where the denominator is 0, `spec` counts 0; the official program prints nan, which is not a value.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from adjudge.model.prf import ratio
from adjudge.tasks.coref.counts import COLUMNS as COREF_COLUMNS
from adjudge.tasks.nugget.settings import Settings

if TYPE_CHECKING:
    from adjudge.stats.elements import ElementTable
    from adjudge.stats.measure import Measure
    from adjudge.tasks.nugget.observe import Observed

COREF = ("muc", "b3", "ceafm", "ceafe", "blanc", "kbp")
BEST = ("muc", "b3", "ceafe", "blanc", "kbp")
_BEST_PLACES = [
    place for place, column in enumerate(COREF_COLUMNS) if not column.startswith(("coref.ceafm:", "coref.lea:"))
]
OFFICIAL_2015 = "coref.kbp2015"
"""The average that the program of 2015 prints: over five metrics, although it says four."""


def columns(settings: Settings) -> tuple[str, ...]:
    """The names of what `row` counts.

    >>> columns(Settings(attributes=()))[:3]
    ('nugget.span:matched', 'nugget:system', 'nugget:gold')
    """
    return (
        *(f"nugget.{name}:matched" for name in settings.scored),
        "nugget:system",
        "nugget:gold",
        *(f"nugget.{name}.macro:{part}" for name in settings.scored for part in ("precision", "recall")),
        "nugget:documents",
    )


def row(matched: Mapping[str, float], system: int, gold: int, settings: Settings) -> tuple[float, ...]:
    """The counts of one document.

    The official program leaves a document without gold nuggets out, false alarms included.

    >>> row({"span": 1.0}, 2, 4, Settings(attributes=()))
    (1.0, 2, 4, 0.5, 0.25, 1)
    >>> row({"span": 0.0}, 2, 0, Settings(profile="evmeval-1.8", attributes=()))
    (0, 0, 0, 0, 0, 0)
    """
    names = settings.scored
    if settings.official and not gold:
        return (0,) * (3 * len(names) + 3)
    found = [matched[name] for name in names]
    ratios = [ratio(tp, whole) for tp in found for whole in (system, gold)]
    return (*found, system, gold, *ratios, 1)


def measures(
    settings: Settings, *, coref: bool, sequencing: bool, double: bool = False, pool: str | None = None
) -> list[Measure]:
    """The measures of a result; `pool` chooses micro or macro scores, None both.

    With `double`, also coreference under the best choice among double annotations.

    >>> [each.name for each in measures(Settings(attributes=("type",)), coref=False, sequencing=False)]
    ['nugget.span', 'nugget.type', 'nugget.span.macro', 'nugget.type.macro']
    """
    from adjudge.stats.measure import Combined, Prf
    from adjudge.tasks.coref.settings import measures_of
    from adjudge.tasks.nugget.sequencing import sequence_measures

    official = settings.official
    found: list[Measure] = []
    if pool != "macro":
        for name in settings.scored:
            matched = f"nugget.{name}:matched"
            ratios = (matched, "nugget:system"), (matched, "nugget:gold")
            found.append(Prf(f"nugget.{name}", *ratios, undefined=None if official else 0, harmonic=official))
    if pool != "micro":
        for name in settings.scored:
            own = f"nugget.{name}.macro"
            ratios = (f"{own}:precision", "nugget:documents"), (f"{own}:recall", "nugget:documents")
            found.append(Prf(own, *ratios, undefined=None if official else 0, harmonic=official))
    if coref and pool != "macro":
        found += measures_of(COREF, "8.01")
        if settings.profile == "evmeval-2015":
            five = tuple((f"coref.{name}", "f1") for name in ("b3", "ceafe", "ceafm", "muc", "blanc"))
            found.append(Combined(OFFICIAL_2015, "f1", "mean", five))
    if double and pool != "macro":
        found += [_renamed(measure) for measure in measures_of(BEST, "8.01") if "coref.blanc." not in measure.name]
    if sequencing and pool != "macro":
        found += sequence_measures()
    return found


def table_columns(settings: Settings, *, coref: bool, sequencing: bool, double: bool = False) -> tuple[str, ...]:
    """The columns of the table of documents."""
    from adjudge.tasks.nugget.sequencing import COLUMNS

    return (
        *columns(settings),
        *(COREF_COLUMNS if coref else ()),
        *(COLUMNS if sequencing else ()),
        *(_best(COREF_COLUMNS[place]) for place in _BEST_PLACES if double),
    )


def chosen_columns(
    counts: array[float],
    columns: Sequence[str],
    chosen: Sequence[str],
    changed: Mapping[int, tuple[tuple[float, ...], Any, Any]],
) -> array[float]:
    """Rows of the chosen columns; those of the best choice are those of coreference, changed in some documents."""
    places = {name: place for place, name in enumerate(columns)}
    best = {_best(COREF_COLUMNS[place]): place for place in _BEST_PLACES}
    found = array("d", bytes(len(counts) // len(columns) * len(chosen) * counts.itemsize))
    for at, name in enumerate(chosen):
        own = counts[places[COREF_COLUMNS[best[name]] if name in best else name] :: len(columns)]
        for document, (better, *_) in changed.items() if name in best else ():
            own[document] = better[best[name]]
        found[at :: len(chosen)] = own
    return found


def highest_row(names: Sequence[str], row: Sequence[float]) -> tuple[float, ...]:
    """The counts of a document if its best choice reached the upper bound.

    >>> names = [f"coref.muc.best:{name}" for name in ("matched", "system", "gold")]
    >>> highest_row(names, (1.0, 3.0, 4.0))
    (3.0, 3.0, 4.0)
    """
    from adjudge.tasks.nugget.double_annotation import highest_counts

    places = {name: place for place, name in enumerate(names)}
    own = [row[places[_best(name)]] if _best(name) in places else 0.0 for name in COREF_COLUMNS]
    found = list(row)
    for name, value in zip(COREF_COLUMNS, highest_counts(own), strict=True):
        if _best(name) in places:
            found[places[_best(name)]] = value
    return tuple(found)


def _best(column: str) -> str:
    """The name of a column, or of a metric, for the best choice.

    >>> _best("coref.muc:matched"), _best("coref.muc")
    ('coref.muc.best:matched', 'coref.muc.best')
    """
    metric, colon, name = column.partition(":")
    return f"{metric}.best{colon}{name}"


def _renamed(measure: Measure) -> Measure:
    """The same measure over the columns of the best choice."""
    from adjudge.stats.measure import Blanc, Combined, Prf

    name = _best(measure.name)
    if isinstance(measure, Prf):
        precision, recall = ((_best(top), _best(bottom)) for top, bottom in (measure.precision, measure.recall))
        return Prf(name, precision, recall, parts=measure.parts)
    if isinstance(measure, Blanc):
        kinds = [(_best(m), _best(s), _best(g)) for m, s, g in (measure.coref, measure.noncoref, measure.mentions)]
        return Blanc(name, kinds[0], kinds[1], kinds[2], measure.rule)
    assert isinstance(measure, Combined)  # coreference has no other kinds
    return Combined(name, measure.part, measure.op, tuple((_best(metric), part) for metric, part in measure.of))


# ---------------------------------------------------------------------------------------------------------------------
# Scores of the nuggets of one type, or of one realis value: the pairs of a mapping by the value of their gold nugget
#
# A mapping that asks for equal values pairs nuggets of one value only with each other, so this is what scoring these
# nuggets alone would give. Of the mappings, those that ask for the value count.


def _names(field: str, settings: Settings) -> list[str]:
    return [name for name in settings.scored if field in name.split("+")]


def sliced(observed: Observed, field: str, settings: Settings) -> dict[str, list[float]]:
    """The counts of every value of a field that a document has on either side: matched by mapping, system, gold."""
    gold, system = (side.types if field == "type" else side.realis for side in observed.sides)
    names = _names(field, settings)
    found: dict[str, list[float]] = {}
    for column, values in ((-1, gold), (-2, system)):
        for value in values:
            if value not in found:
                found[value] = [0.0] * (len(names) + 2)
            found[value][column] += 1
    for number, name in enumerate(names):
        for one, _, share in observed.mappings[name]:
            found[gold[one]][number] += share
    return found


def element_table(field: str, documents: Sequence[Mapping[str, Sequence[float]]], settings: Settings) -> ElementTable:
    """The slices of all documents, each with the counts of its values, in the form of results."""
    from adjudge.stats.elements import ElementSlice, ElementTable, Rows

    values: dict[str, dict[int, tuple[float, ...]]] = {}
    for place, found in enumerate(documents):
        for value, counts in found.items():
            values.setdefault(value, {})[place] = tuple(counts)
    names = (*(f"nugget.{name}:matched" for name in _names(field, settings)), "nugget:system", "nugget:gold")
    slices = tuple(ElementSlice(value, tuple(own), Rows(tuple(own.values()))) for value, own in values.items())
    return ElementTable(field, names, Rows(((0.0,) * len(names),) * len(documents)), slices)
