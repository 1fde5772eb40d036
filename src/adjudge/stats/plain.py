"""A result without resampling and without numpy, because starting numpy takes longer than scoring a small corpus.

`plain_result` gives what `build_result` gives with pooled counts when there is nothing to draw: with `bootstrap=0`, or
when one system was scored on one document, of which every resampled corpus is a copy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from adjudge._version import __version__
from adjudge.errors import UsageError
from adjudge.model.prf import f_measure, ratio
from adjudge.stats.data import TableData, group_rows
from adjudge.stats.inference import Inference
from adjudge.stats.measure import (
    Blanc,
    Key,
    Measure,
    Prf,
    Ratio,
    Total,
    Weighted,
    count_keys,
    part_keys,
    pool_of,
    prf_fractions,
)
from adjudge.stats.notes import SHOWN, inference_notes, no_documents, nothing_in_gold, summed_up
from adjudge.stats.result import Comparison, Note, Options, Result, Score, Slice, SystemResult, result_fields
from adjudge.stats.signature import SignatureValue, signature
from adjudge.stats.text import slice_text

OFF = Inference(bootstrap=0)


def plain_result(
    *,
    task: str,
    profile: str,
    measures: Sequence[Measure],
    tables: Mapping[str, TableData],
    by: Sequence[str] = (),
    inference: Inference = OFF,
    notes: Mapping[str, Sequence[Note]] | None = None,
    signature_fields: Mapping[str, SignatureValue] | None = None,
) -> Result:
    """The result of one or several systems from tables over the same documents.

    >>> f1 = Prf("set.f1", ("matched", "system"), ("matched", "gold"))
    >>> table = TableData(("d1", "d2"), ("matched", "system", "gold"), ((1, 2, 2), (3, 4, 3)), {})
    >>> plain_result(task="score", profile="default", measures=[f1], tables={"A": table})["set.f1"].f1
    0.7273
    """
    first = next(iter(tables.values()))
    if inference.resamples and (len(first.ids) > 1 or len(tables) > 1):
        raise UsageError("intervals over several documents need build_result")
    options = Options(
        pool="micro",
        by=tuple(by),
        bootstrap=inference.resamples,
        level=inference.level,
        seed=inference.seed,
        test=inference.test,
        fields=dict(signature_fields or {}),
        interval=inference.interval,
        resamples=inference.of_families({}),
    )
    keys, counts = part_keys(measures), count_keys(measures)
    corpora: list[tuple[Slice, list[int]]] = [({}, list(range(len(first.ids))))]
    for field in by:
        corpora += [({field: value}, places) for value, places in group_rows(first.attributes[field], first.ids)]
    scores: dict[str, list[Score]] = {name: [] for name in tables}
    remarks: dict[str, list[Note]] = {name: list((notes or {}).get(name, ())) for name in tables}
    own: dict[str, list[tuple[Slice, Note]]] = {name: [] for name in tables}
    comparisons: list[Comparison] = []
    headlines = {metric: part for metric, part in keys if (metric, part) not in counts}
    for where, places in corpora:
        found: dict[str, dict[Key, float | None]] = {}
        for name, table in tables.items():
            totals = _totals(table, places)
            found[name] = points(measures, totals)
            scores[name] += _scores(measures, totals, found[name], where)
            if places:
                own[name] += [(where, note) for note in nothing_in_gold(measures, totals, where)]
            own[name] += [(where, note) for note in _remarks(found[name], len(places), where)]
        comparisons += _comparisons(found, headlines, where, len(places))
    systems = tuple(
        SystemResult(
            name=name,
            documents=len(first.ids),
            scores=tuple(scores[name]),
            notes=(*remarks[name], *summed_up(own[name])),
            table=table,
        )
        for name, table in tables.items()
    )
    return Result(
        adjudge=__version__,
        task=task,
        profile=profile,
        signature=signature(task, result_fields(profile, len(first.ids), len(tables), options)),
        systems=systems,
        comparisons=tuple(each for metric in headlines for each in comparisons if each.metric == metric),
        notes=tuple(inference_notes(options, [(where, len(each)) for where, each in corpora], scores, ())),
        measures=tuple(measures),
        options=options,
    )


def points(measures: Sequence[Measure], totals: Mapping[str, float]) -> dict[Key, float | None]:
    """Every part of the measures on summed columns; None where it is undefined.

    >>> points([Total("x", "tp", (("tp", 2.0),))], {"tp": 3.0})
    {('x', 'tp'): 6.0}
    """
    done: dict[Key, float | None] = {}
    for m in measures:
        if isinstance(m, Prf):
            done.update({(m.name, part): value for part, value in _prf(m, totals).items()})
        elif isinstance(m, Blanc):
            done.update({(m.name, part): value for part, value in _blanc(m, totals).items()})
        elif isinstance(m, Total):
            done[m.name, m.part] = _weighted(m.columns, totals)
        elif isinstance(m, Ratio):
            value = ratio(_weighted(m.numerator, totals), _weighted(m.denominator, totals), m.undefined)
            done[m.name, m.part] = value if value is None or m.clip is None else max(value, m.clip)
        else:
            values = [done[key] for key in m.of]
            weights = m.weights or (1.0,) * len(values)
            defined = [weight * value for weight, value in zip(weights, values, strict=True) if value is not None]
            combined = 1.0 if m.op == "product" else 0.0
            for value in defined:
                combined = combined * value if m.op == "product" else combined + value
            combined = combined / len(values) if m.op == "mean" else combined
            done[m.name, m.part] = combined if len(defined) == len(values) else None
    return done


def _totals(table: TableData, places: Sequence[int]) -> dict[str, float]:
    """The correctly rounded sum of every column over some rows."""
    rows = [table.values[place] for place in places]
    columns = zip(*rows, strict=True) if rows else ([] for _ in table.columns)
    return {name: math.fsum(values) for name, values in zip(table.columns, columns, strict=True)}


def _weighted(terms: Weighted, totals: Mapping[str, float]) -> float:
    total = 0.0
    for name, weight in terms:
        total = total + weight * totals[name]
    return total


def _prf(m: Prf, totals: Mapping[str, float]) -> dict[str, float | None]:
    pairs = prf_fractions(m, totals.__getitem__)
    values = {part: ratio(*pair, m.undefined) for part, pair in pairs.items()}
    if m.harmonic:
        p, r, square = values["precision"], values["recall"], m.beta * m.beta
        values[m.f_name] = None if p is None or r is None else ratio((1 + square) * p * r, square * p + r, None)
    elif not m.shared:
        counts = (*pairs["precision"], *pairs["recall"])
        values[m.f_name] = f_measure(*counts, undefined=m.undefined, same=False, beta=m.beta)
    values |= {"system": totals[m.precision[1]], "gold": totals[m.recall[1]], "matched": totals[m.precision[0]]}
    return {part: values[part] for part in m.parts}


def _blanc(m: Blanc, totals: Mapping[str, float]) -> dict[str, float]:
    kinds = []
    for names in (m.coref, m.noncoref):
        matched, system, gold = (totals[name] for name in names)
        p, r = ratio(matched, system, 0), ratio(matched, gold, 0)
        if gold or (system and m.rule == "2014"):
            kinds.append({"recall": r, "precision": p, "f1": ratio(2 * p * r, p + r, 0)})
    if len(kinds) == 2:
        return {part: (kinds[0][part] + kinds[1][part]) / 2 for part in m.parts}
    if kinds:
        return kinds[0]
    matched, system, gold = (totals[name] for name in m.mentions)
    return dict.fromkeys(m.parts, float(m.rule == "2014" and matched == system == gold))


def _scores(
    measures: Sequence[Measure],
    totals: Mapping[str, float],
    values: Mapping[Key, float | None],
    where: Slice,
) -> list[Score]:
    fractions: dict[Key, tuple[float, float]] = {}
    for m in measures:
        if isinstance(m, Prf):
            fractions |= {(m.name, part): pair for part, pair in prf_fractions(m, totals.__getitem__).items()}
        elif isinstance(m, Ratio):
            fractions[m.name, m.part] = _weighted(m.numerator, totals), _weighted(m.denominator, totals)
    scores = []
    for (metric, part), value in values.items():
        top, bottom = fractions.get((metric, part), (None, None))
        scores.append(
            Score(
                metric=metric,
                pool=pool_of(metric, "micro"),
                part=part,
                value=value,
                numerator=top,
                denominator=bottom,
                slice=where,
            )
        )
    return scores


def _remarks(values: Mapping[Key, float | None], documents: int, where: Slice) -> list[Note]:
    place = f" in {slice_text(where)}" if where else ""
    if documents == 0:
        return [no_documents(where)]
    notes = []
    undefined = [" ".join(key) for key, value in values.items() if value is None]
    if undefined:
        message = f"{len(undefined)} of {len(values)} scores{place} are undefined (nothing to divide by)"
        notes.append(Note("undefined", len(undefined), message, tuple(undefined[:SHOWN])))
    return notes


def _comparisons(
    found: Mapping[str, Mapping[Key, float | None]], headlines: Mapping[str, str], where: Slice, documents: int
) -> list[Comparison]:
    return [
        Comparison(
            a=a,
            b=b,
            metric=metric,
            part=part,
            difference=_difference(found, a, b, (metric, part)),
            documents=documents,
            slice=where,
        )
        for a, b in combinations(found, 2)
        for metric, part in headlines.items()
    ]


def _difference(found: Mapping[str, Mapping[Key, float | None]], a: str, b: str, key: Key) -> float | None:
    left, right = found[a][key], found[b][key]
    return None if left is None or right is None else left - right
