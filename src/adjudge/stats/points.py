"""From sums of counts to scores, and the scores of one system as a function of the weights of its documents.

The same formulas serve the numbers of a corpus, in plain Python, and columns of numbers of many resampled corpora.
`model.prf` divides, and has what 0/0 is by the policy of each measure.

Counts add up over documents, so that a thousand resampled corpora are one product, weights x table. Counts are pooled
(micro), or the scores of documents averaged (macro), which is the same with other columns: a mean is the sum of the
document scores over the number of documents in which the score is defined.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from adjudge.errors import UsageError, did_you_mean
from adjudge.model.prf import either, f_measure, harmonic, precision_recall_f1, ratio
from adjudge.stats.measure import (
    Array,
    Blanc,
    Combined,
    Fields,
    Key,
    MeanF1,
    Measure,
    Prf,
    Ratio,
    Total,
    Undefined,
    Weighted,
    count_keys,
    needed_columns,
    needed_measures,
)
from adjudge.stats.table import StatsTable

if TYPE_CHECKING:
    import numpy.typing as npt

Pool: TypeAlias = Literal["micro", "macro"]


class Additive(msgspec.Struct, frozen=True, dict=True):
    """The counts of a system and the measures that are made of them.

    `best` has the highest counts that are still possible, if the search of a document was cut short. `clusters` names
    the documents that are drawn together with each document, `strata` those among which it is drawn.

    >>> table = StatsTable(("a", "b"), ("s", "g"), [[10, 10], [1, 2]])
    >>> recall = Ratio("x", "recall", (("s", 1.0),), (("g", 1.0),))
    >>> Additive(table, (recall,), "macro").point()
    {('x', 'recall'): 0.75}
    """

    table: StatsTable
    measures: Sequence[Measure]
    pool: Pool = "micro"
    best: StatsTable | None = None
    clusters: tuple[str, ...] | None = None
    strata: tuple[str, ...] | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of what is drawn, in the order of the weights: documents, or clusters of them."""
        return self.table.ids if self.clusters is None else self.units.ids

    @cached_property
    def units(self) -> StatsTable:
        """The rows that are drawn: the counts of every document, or the sums of every cluster."""
        table = self.summed[0]
        return table if self.clusters is None else table.grouped(self.clusters)

    @cached_property
    def summed(self) -> tuple[StatsTable, Sequence[Measure]]:
        """The table that is summed over the documents, and the parts as formulas of the sums."""
        if self.pool == "micro":
            return self.table, self.measures
        if self.pool != "macro":
            raise UsageError(f"no pooling {self.pool}", hint="micro pools counts, macro averages documents")
        return document_scores(self.table, self.measures)

    def finish(self, totals: Array) -> dict[Key, Array]:
        """Every part for every row of sums (k x columns)."""
        table, formulas = self.summed
        return scores_of(formulas, dict(zip(table.columns, totals.T, strict=True)))

    @cached_property
    def _slices(self) -> tuple[list[str], list[Array]]:
        """The columns that the measures need, and their numbers as slices whose weighted sums are exact."""
        from adjudge.stats.resample import exact_slices

        table, formulas = self.summed
        needed = set[str]().union(*map(needed_columns, formulas))
        places = [place for place, name in enumerate(table.columns) if name in needed]
        return [table.columns[place] for place in places], exact_slices(self.units.array[:, places])

    def evaluate(self, weights: npt.ArrayLike) -> dict[Key, Array]:
        """Every part for every row of weights (k x documents).

        With whole weights, as of a bootstrap, neither the order of the documents nor the release of numpy changes a bit
        of the sums.
        """
        import numpy as np

        from adjudge.stats.resample import exact_product

        matrix: Array = np.asarray(weights, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[1] != len(self.ids):
            message = f"weights of shape {matrix.shape} for {len(self.ids)} documents"
            raise UsageError(message, hint="give k x documents")
        columns, slices = self._slices
        return scores_of(self.summed[1], dict(zip(columns, exact_product(matrix, slices).T, strict=True)))

    def point(self) -> dict[Key, float]:
        """Every part on the corpus as it is; nan where it is undefined."""
        table, formulas = self.summed
        return scores_of(formulas, table.totals)

    def left_out(self) -> dict[Key, Array]:
        """Every part on the corpus without each of the documents."""
        import numpy as np

        totals = self.summed[0].totals
        return self.finish(np.array(list(totals.values())) - self.units.array)

    def select(self, ids: Iterable[str]) -> Additive:
        """The same metric on these documents."""
        ids = tuple(ids)
        best = None if self.best is None else self.best.select(ids)
        own = None if self.clusters is None else dict(zip(self.table.ids, self.clusters, strict=True))
        clusters = None if own is None else tuple(own[each] for each in ids)
        home = None if self.strata is None else dict(zip(self.table.ids, self.strata, strict=True))
        strata = None if home is None else tuple(home[each] for each in ids)
        return Additive(self.table.select(ids), self.measures, self.pool, best, clusters, strata)

    def only(self, keys: Collection[Key]) -> Additive:
        """The same with these parts only, and the parts that they are made of."""
        measures = needed_measures(self.measures, keys)
        return Additive(self.table, measures, self.pool, clusters=self.clusters, strata=self.strata)


def per_document(table: StatsTable, measures: Sequence[Measure]) -> dict[Key, Array]:
    """Every part of every document by itself; nan where it is undefined.

    >>> table = StatsTable(("a", "b"), ("s", "g"), [[10, 10], [1, 2]])
    >>> per_document(table, [Ratio("x", "recall", (("s", 1.0),), (("g", 1.0),))])["x", "recall"].tolist()
    [1.0, 0.5]
    """
    return compute(measures, table.columns, table.array)


def document_scores(table: StatsTable, measures: Sequence[Measure]) -> tuple[StatsTable, list[Measure]]:
    """The scores of documents as a table, and their means as measures of it; counts are still summed.

    F is the mean of the documents' F, not the F of mean precision and mean recall.
    """
    import numpy as np

    counts, columns, means = count_keys(measures), [], list[Measure]()
    found = per_document(table, measures)
    for place, ((metric, part), scores) in enumerate(found.items()):
        value, number = f"{place}", f"{place} defined"
        defined = ~np.isnan(scores)
        columns += [(value, np.where(defined, scores, 0.0)), (number, defined)]
        if (metric, part) in counts:
            means.append(Total(metric, part, ((value, 1.0),)))
        else:
            means.append(Ratio(metric, part, ((value, 1.0),), ((number, 1.0),), None))
    rows = np.stack([column for _, column in columns], axis=1) if columns else np.zeros((len(table), 0))
    return StatsTable(table.ids, tuple(name for name, _ in columns), rows), means  # type: ignore[arg-type]


def undefined_documents(table: StatsTable, measures: Sequence[Measure]) -> dict[Key, tuple[str, ...]]:
    """The documents in which a part is undefined, and which its mean therefore leaves out.

    >>> table = StatsTable(("a", "b"), ("s", "g"), [[0, 0], [1, 2]])
    >>> undefined_documents(table, [Ratio("x", "recall", (("s", 1.0),), (("g", 1.0),), None)])
    {('x', 'recall'): ('a',)}
    """
    import numpy as np

    found = {key: np.flatnonzero(np.isnan(values)).tolist() for key, values in per_document(table, measures).items()}
    return {key: tuple(table.ids[place] for place in places) for key, places in found.items() if places}


# ---------------------------------------------------------------------------------------------------------------------
# From sums to scores: the same formulas for the numbers of a corpus and for columns of numbers of resampled corpora


def points(measures: Sequence[Measure], totals: Mapping[str, float]) -> dict[Key, float | None]:
    """Every part of the measures on summed columns; None where it is undefined.

    >>> points([Total("x", "tp", (("tp", 2.0),))], {"tp": 3.0})
    {('x', 'tp'): 6.0}
    """
    return {key: None if math.isnan(value) else value for key, value in scores_of(measures, totals).items()}


def compute(measures: Sequence[Measure], columns: Sequence[str], totals: npt.ArrayLike) -> dict[Key, Array]:
    """Every part for every row of totals (k x columns); nan where a part is undefined.

    >>> f1 = Prf("set.f1", ("matched", "system"), ("matched", "gold"))
    >>> {part: v.tolist() for (_, part), v in compute([f1], ["matched", "system", "gold"], [[1, 2, 4]]).items()}
    {'precision': [0.5], 'recall': [0.25], 'f1': [0.333...]}
    """
    import numpy as np

    matrix: Array = np.asarray(totals, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != len(columns):
        raise UsageError(f"totals of shape {matrix.shape} do not have {len(columns)} columns")
    return scores_of(measures, dict(zip(columns, matrix.T, strict=True)))


def fractions(measures: Sequence[Measure], totals: Mapping[str, float]) -> dict[Key, tuple[float, float]]:
    """Numerator and denominator of every part that is one ratio of sums.

    >>> f1 = Prf("set.f1", ("matched", "system"), ("matched", "gold"), parts=("f1",))
    >>> fractions([f1], {"matched": 1.0, "system": 2.0, "gold": 4.0})
    {('set.f1', 'f1'): (2.0, 6.0)}
    """
    found: dict[Key, tuple[float, float]] = {}
    for m in measures:
        if isinstance(m, Prf):
            found |= {(m.name, part): pair for part, pair in _prf_fractions(m, totals).items() if part in m.parts}
        elif isinstance(m, Ratio):
            found[m.name, m.part] = _weighted(m.numerator, totals, 0.0), _weighted(m.denominator, totals, 0.0)
    return found


def scores_of(measures: Sequence[Measure], totals: Mapping[str, Any]) -> dict[Key, Any]:
    """Every part of summed columns, which are numbers or columns of numbers; nan where a part is undefined.

    Counts near the end of the range of numbers may overflow; then a score is undefined.
    """
    first = next(iter(totals.values()), 0.0)
    quiet: AbstractContextManager[Any] = nullcontext()
    zero: Any = 0.0
    if not isinstance(first, int | float):
        import numpy as np

        quiet, zero = np.errstate(all="ignore"), np.zeros(len(first))
    done: dict[Key, Any] = {}
    with quiet:
        for m in measures:
            try:
                if isinstance(m, Prf):
                    done |= _prf(m, totals)
                elif isinstance(m, Blanc):
                    done |= _blanc(m, totals)
                elif isinstance(m, Fields):
                    done[m.name, m.part] = _fields(m, totals, zero)
                elif isinstance(m, MeanF1):
                    done[m.name, m.part] = _mean_f1(m, totals, zero)
                elif isinstance(m, Total):
                    done[m.name, m.part] = _weighted(m.columns, totals, zero)
                elif isinstance(m, Ratio):
                    top, bottom = _weighted(m.numerator, totals, zero), _weighted(m.denominator, totals, zero)
                    value = ratio(top, bottom, _policy(m.undefined)[1])
                    done[m.name, m.part] = value if m.clip is None else either(value < m.clip, m.clip, value)
                elif m.op == "harmonic":
                    done[m.name, m.part] = _harmonic([done[key] for key in m.of])
                else:
                    value = zero + 1.0 if m.op == "product" else zero
                    for key, weight in zip(m.of, m.weights or (1.0,) * len(m.of), strict=True):
                        value = value * done[key] if m.op == "product" else value + weight * done[key]
                    done[m.name, m.part] = value / len(m.of) if m.op == "mean" else value
            except KeyError as error:
                raise _lacking(m, error.args[0], done if isinstance(m, Combined) else totals) from None
    if isinstance(first, int | float):
        return {key: value if math.isfinite(value) else math.nan for key, value in done.items()}
    return {k: np.where(np.isinf(v), np.nan, v) if np.isinf(v).any() else v for k, v in done.items()}


def _harmonic(parts: Sequence[Any]) -> Any:
    """The harmonic mean of parts that are not negative."""
    product, inverses = parts[0] * 0 + 1.0, parts[0] * 0
    for place, part in enumerate(parts):
        product = product * part
        others = parts[0] * 0 + 1.0
        for each in (*parts[:place], *parts[place + 1 :]):
            others = others * each
        inverses = inverses + others
    return ratio(len(parts) * product, inverses)


def _lacking(m: Measure, wanted: Any, known: Iterable[Any]) -> UsageError:
    if isinstance(m, Combined):
        hint = did_you_mean(" ".join(wanted), [" ".join(key) for key in known])
        hint = hint or "list that measure before the one that combines it"
        return UsageError(f"{m.name} combines {' '.join(wanted)}, which is not defined", hint=hint)
    hint = did_you_mean(wanted, known := list(known)) or f"columns: {', '.join(known)}"
    return UsageError(f"a measure needs the column {wanted}", hint=hint)


def _weighted(terms: Weighted, totals: Mapping[str, Any], zero: Any) -> Any:
    total = zero
    for name, weight in terms:
        total = total + weight * totals[name]
    return total


def _fields(m: Fields, totals: Mapping[str, Any], zero: Any) -> Any:
    total = number = zero
    for names in m.of:
        matched, system, gold = (totals[name] for name in names)
        total = total + ratio(2 * matched, system + gold)
        number = number + either(system + gold > 0, 1.0, 0.0)
    return ratio(total, number, _policy(m.undefined)[1])


def _mean_f1(m: MeanF1, totals: Mapping[str, Any], zero: Any) -> Any:
    total = number = zero
    for group in m.of:
        value = size = zero
        for names in group:
            matched, system, found, gold = (totals[name] for name in names)
            value, size = value + precision_recall_f1(matched, system, gold, found)[2], size + system + gold
        total = total + value / len(group)  # which is 0 if there is nothing
        number = number + either(size > 0, 1.0, 0.0)
    return ratio(total, number)


def _policy(undefined: Undefined) -> tuple[float, float]:
    """What 0/0 is beside something on the other side, and with nothing on both."""
    if undefined == "both":
        return 0.0, 1.0
    value = math.nan if undefined is None else float(undefined)
    return value, value


def _prf_fractions(m: Prf, totals: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Numerator and denominator of every part that is one ratio."""
    matched, system = (totals[name] for name in m.precision)
    found, gold = (totals[name] for name in m.recall)
    pairs = {"precision": (matched, system), "recall": (found, gold)}
    if m.shared:
        square = m.beta * m.beta
        if not m.harmonic:
            pairs[m.f_name] = (1 + square) * matched, square * gold + system
        pairs["jaccard"] = matched, system + gold - matched
    return pairs


def _prf(m: Prf, totals: Mapping[str, Any]) -> dict[Key, Any]:
    """F from two ratios agrees with F from counts at the edges.

    With nothing on both sides it is undefined; with something on one side it is 0 as soon as P or R is 0, even if the
    other has no value.
    """
    pairs = _prf_fractions(m, totals)
    one, neither = _policy(m.undefined)
    values = {part: ratio(*pair, one) for part, pair in pairs.items()}
    if m.undefined == "both":
        nothing = (pairs["precision"][1] == 0) & (pairs["recall"][1] == 0)
        values = {part: either(nothing, neither, value) for part, value in values.items()}
    if m.f_name not in values and m.harmonic:
        values[m.f_name] = harmonic(values["precision"], values["recall"], m.beta * m.beta, math.nan)
    elif m.f_name not in values:
        own = pairs["precision"], pairs["recall"]
        values[m.f_name] = f_measure(*own, undefined=one, nothing=neither, same=False, beta=m.beta)
    values |= {"system": totals[m.precision[1]], "gold": totals[m.recall[1]], "matched": totals[m.precision[0]]}
    return {(m.name, part): values[part] for part in m.parts}


def _blanc(m: Blanc, totals: Mapping[str, Any]) -> dict[Key, Any]:
    there, kinds = [], []
    for names in (m.coref, m.noncoref):
        matched, system, gold = (totals[name] for name in names)
        p, r, f1 = precision_recall_f1(matched, system, gold)
        there.append(gold > 0 if m.rule == "8.01" else (gold > 0) | (system > 0))
        kinds.append({"recall": r, "precision": p, "f1": f1})
    matched, system, gold = (totals[name] for name in m.mentions)
    neither = either((matched == system) & (matched == gold), float(m.rule == "2014"), 0.0)
    values = {}
    for part in m.parts:
        coref, noncoref = (kind[part] for kind in kinds)
        one = either(there[0], coref, either(there[1], noncoref, neither))
        values[m.name, part] = either(there[0] & there[1], (coref + noncoref) / 2, one)
    return values
