"""Scores, intervals, tests, slices and means of documents against an obvious implementation: loops and definitions."""

import math
import random
from fractions import Fraction

import pytest
from scipy import stats

from adjudge.stats.compare import compare
from adjudge.stats.inference import Inference, benjamini_hochberg, holm
from adjudge.stats.measure import Blanc, Combined, Prf, Ratio, Total
from adjudge.stats.table import StatsTable
from made import made_result

COLUMNS = ("matched", "system", "found", "gold", "c", "cs", "cg", "n", "ns", "ng", "m", "ms", "mg")
PAIR = (("matched", "system"), ("matched", "gold"))
LINKS = (("c", "cs", "cg"), ("n", "ns", "ng"), ("m", "ms", "mg"))
MEASURES = (
    Prf("set.f1", *PAIR),
    Prf("wide", *PAIR, beta=2.0, undefined=None, parts=("precision", "f2", "jaccard", "matched", "system", "gold")),
    Prf("two", ("matched", "system"), ("found", "gold"), beta=0.5, undefined=1),
    Prf("mean", ("matched", "system"), ("found", "gold"), undefined=None, harmonic=True),
    Ratio("rate", "score", (("matched", 1.0), ("system", -0.25)), (("gold", 1.0), ("found", 0.5)), clip=0.0),
    Ratio("bare", "score", (("matched", 1.0),), (("system", 1.0),), undefined=None),
    Total("sum", "tp", (("matched", 2.0), ("found", 1.0))),
    Combined("both", "f1", "mean", (("set.f1", "f1"), ("rate", "score"))),
    Combined("all", "score", "product", (("set.f1", "f1"), ("two", "f0.5"), ("bare", "score"))),
    Combined("cost", "score", "sum", (("set.f1", "f1"), ("rate", "score")), (2.0, -1.0)),
    Blanc("old", *LINKS),
    Blanc("new", *LINKS, rule="2014"),
)
GENRES = ("nw", "df", "nw", None, "df", "nw", "bc", "nw")


def table(seed, documents=8):
    """Counts of one system; the last document is empty, in the one before the system has nothing."""
    rng = random.Random(seed)
    rows = []
    for place in range(documents):
        gold, c, n, m = (rng.randint(1, 6) for _ in range(4))
        matched = rng.randint(0, gold)
        system = matched + rng.randint(0, 3)
        rows.append(
            [matched, system, min(gold, matched + 1), gold, c - 1, c, c + 1, n, n + 1, n + 1, m, m, m + place % 2]
        )
    rows[-1] = [0] * len(COLUMNS)
    rows[-2] = [0, 0, 0, 3, *([0] * 9)]
    ids = tuple(f"d{place}" for place in range(documents))
    return StatsTable(ids, COLUMNS, [[float(each) for each in row] for row in rows], {"genre": GENRES[:documents]})


# ---------------------------------------------------------------------------------------------------------------------
# The obvious implementation


def ratio(top, bottom, undefined):
    return top / bottom if bottom else undefined


def f_of(p, r, beta):
    weight = Fraction(beta) ** 2
    if p is None or r is None:
        return None
    return (1 + weight) * p * r / (weight * p + r) if p and r else Fraction(0)


def prf(measure, total):
    (p_top, p_bottom), (r_top, r_bottom) = (
        [total[name] for name in pair] for pair in (measure.precision, measure.recall)
    )
    undefined = None if measure.undefined is None else Fraction(measure.undefined)
    p, r = ratio(p_top, p_bottom, undefined), ratio(r_top, r_bottom, undefined)
    weight = Fraction(measure.beta) ** 2
    if measure.harmonic:
        f = None if p is None or r is None or not p + r else f_of(p, r, measure.beta)
    elif measure.shared:
        f = ratio((1 + weight) * p_top, weight * r_bottom + p_bottom, undefined)
    else:
        f = f_of(p, r, measure.beta)
    found = {"precision": p, "recall": r, measure.f_name: f, "matched": p_top, "system": p_bottom, "gold": r_bottom}
    found["jaccard"] = ratio(p_top, p_bottom + r_bottom - p_top, undefined)
    return {part: found[part] for part in measure.parts}


def blanc(measure, total):
    kinds = [[total[name] for name in columns] for columns in (measure.coref, measure.noncoref)]
    there = [kind for kind in kinds if (kind[2] if measure.rule == "8.01" else kind[1] or kind[2])]
    if not there:
        matched, system, gold = (total[name] for name in measure.mentions)
        return dict.fromkeys(measure.parts, Fraction(measure.rule == "2014" and matched == system == gold))
    p, r = ([ratio(kind[0], kind[place], Fraction(0)) for kind in there] for place in (1, 2))
    f = [f_of(one, other, 1) for one, other in zip(p, r, strict=True)]
    means = {"precision": p, "recall": r, "f1": f}
    return {part: sum(means[part]) / len(there) for part in measure.parts}


def points(rows):
    """Every part of every measure of some rows of counts, as fractions; None has no value."""
    total = {name: sum(Fraction(row[place]) for row in rows) for place, name in enumerate(COLUMNS)}
    weigh = lambda weighted: sum(Fraction(weight) * total[name] for name, weight in weighted)  # noqa: E731
    found = {}
    for measure in MEASURES:
        if isinstance(measure, Prf):
            parts = prf(measure, total)
        elif isinstance(measure, Blanc):
            parts = blanc(measure, total)
        elif isinstance(measure, Total):
            parts = {measure.part: weigh(measure.columns)}
        elif isinstance(measure, Ratio):
            undefined = None if measure.undefined is None else Fraction(measure.undefined)
            value = ratio(weigh(measure.numerator), weigh(measure.denominator), undefined)
            parts = {
                measure.part: value if value is None or measure.clip is None else max(value, Fraction(measure.clip))
            }
        else:
            terms = [found[key] for key in measure.of]
            weights = measure.weights or (1,) * len(terms)
            if None in terms:
                value = None
            elif measure.op == "product":
                value = math.prod(terms)
            else:
                value = sum(Fraction(weight) * term for weight, term in zip(weights, terms, strict=True))
                value = value / len(terms) if measure.op == "mean" else value
            parts = {measure.part: value}
        found |= {(measure.name, part): value for part, value in parts.items()}
    return found


def near(found, expected):
    if expected is None:
        return found is None
    return found == pytest.approx(float(expected), abs=1e-9)


def jackknife(rows, key, level):
    """Score -/+ t s from the scores without each document, on the logit scale inside of (0, 1)."""
    point = points(rows)[key]
    left = [points(rows[:place] + rows[place + 1 :])[key] for place in range(len(rows))]
    left = [float(each) for each in left if each is not None]
    n, point = len(left), float(point)
    mean = math.fsum(left) / n
    error = math.sqrt((n - 1) / n * math.fsum((each - mean) ** 2 for each in left))
    if error < 1e-12:
        return None
    reach = float(stats.t.ppf((1 + level) / 2, n - 1))
    if 0 < point < 1:
        middle, error = math.log(point / (1 - point)), error / (point * (1 - point))
        ends = [middle - reach * error, middle + reach * error]
        return [1 / (1 + math.exp(-end)) for end in ends]
    return [max(0.0, point - reach * error), min(1.0, point + reach * error)]


# ---------------------------------------------------------------------------------------------------------------------


def built(tables, **options):
    how = options.pop("inference", Inference(bootstrap=0))
    return made_result(task="t", profile="p", measures=MEASURES, tables=tables, inference=how, **options)


def values(result, where=None):
    return {
        (score.metric, score.part): score for score in result.systems[0].scores if dict(score.slice) == (where or {})
    }


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("documents", [4, 8])
def test_scores_are_made_of_summed_counts(seed, documents):
    own = table(seed, documents)
    found = values(built({"A": own}))
    assert all(near(found[key].value, value) for key, value in points(own.values).items())


@pytest.mark.parametrize("seed", range(6))
def test_a_slice_is_the_corpus_of_its_documents(seed):
    own = table(seed)
    result = built({"A": own}, by=["genre"])
    for genre in set(GENRES):
        rows = [row for row, value in zip(own.values, GENRES, strict=True) if value == genre]
        found = values(result, {"genre": genre})
        assert all(near(found[key].value, value) for key, value in points(rows).items()), genre


@pytest.mark.parametrize("seed", range(6))
def test_a_macro_average_is_the_mean_of_the_documents_that_have_a_value(seed):
    own = table(seed)
    each = [points([row]) for row in own.values]
    found = values(built({"A": own}, pool="macro"))
    for measure in MEASURES:
        if isinstance(measure, Total | Combined):
            continue  # counts are added, and combinations are made of means
        for key in (key for key in each[0] if key[0] == measure.name and key[1] not in ("matched", "system", "gold")):
            known = [float(one[key]) for one in each if one[key] is not None]
            assert near(found[key].value, math.fsum(known) / len(known) if known else None), key


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_of_the_jackknife_are_made_of_leave_outs(seed, level):
    own = table(seed)
    rows = own.values
    found = values(built({"A": own}, inference=Inference(bootstrap=10, interval="jackknife", level=level)))
    for key in (("set.f1", "f1"), ("set.f1", "recall"), ("two", "precision"), ("both", "f1"), ("new", "f1")):
        expected = jackknife(rows, key, level)
        ends = [found[key].low, found[key].high]
        assert ends == [None, None] if expected is None else ends == pytest.approx(expected, abs=1e-6), key


@pytest.mark.parametrize("seed", range(6))
def test_the_test_of_two_systems_is_the_jackknife_of_their_difference(seed):
    a, b = table(seed), table(seed + 100)
    result = built({"A": a, "B": b}, inference=Inference(bootstrap=10, interval="jackknife"))
    (found,) = (each for each in result.comparisons if (each.metric, each.part) == ("set.f1", "f1"))
    key = "set.f1", "f1"
    sides = [own.values for own in (a, b)]
    difference = [float(points(rows)[key]) for rows in sides]
    left = [
        float(points(sides[0][:k] + sides[0][k + 1 :])[key] - points(sides[1][:k] + sides[1][k + 1 :])[key])
        for k in range(8)
    ]
    error = math.sqrt(7 / 8 * math.fsum((each - math.fsum(left) / 8) ** 2 for each in left))
    reach = float(stats.t.ppf(0.975, 7))
    d = difference[0] - difference[1]
    assert found.difference == pytest.approx(d)
    assert [found.low, found.high] == pytest.approx([max(-1, d - reach * error), min(1, d + reach * error)], abs=1e-6)
    assert found.p == pytest.approx(2 * float(stats.t.sf(abs(d) / error, 7)), abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_significant_means_that_the_interval_leaves_out_zero(seed):
    tables = {name: table(seed * 10 + place, 8) for place, name in enumerate("ABC")}
    for interval in ("jackknife", "percentile"):
        result = built(tables, inference=Inference(bootstrap=400, interval=interval))
        for each in result.comparisons:
            if each.low is not None and each.high is not None and each.p > 1e-6:
                assert (each.p < 0.05) == (each.low > 0 or each.high < 0), (interval, each)


def test_saved_results_are_compared_as_if_they_had_been_made_together():
    tables = {name: table(place) for place, name in enumerate("AB")}
    how = Inference(bootstrap=50)
    together = built(tables, by=["genre"], inference=how)
    apart = compare(*(built({name: own}, by=["genre"], inference=how) for name, own in tables.items()))
    assert [system.scores for system in apart.systems] == [system.scores for system in together.systems]
    assert apart.comparisons == together.comparisons


@pytest.mark.parametrize("seed", range(20))
def test_corrections_by_their_definitions(seed):
    rng = random.Random(seed)
    p = [rng.choice([rng.random() ** 3, 0.04, None]) for _ in range(rng.randint(1, 9))]
    known = [each for each in p if each is not None]
    for found, own in zip(holm(p), p, strict=True):
        steps = [
            (len(known) - sum(other < each for other in known)) * each
            for each in known
            if own is not None and each <= own
        ]
        assert found == (None if own is None else pytest.approx(min(1.0, max(steps))))
    for found, own in zip(benjamini_hochberg(p), p, strict=True):
        steps = [
            each * len(known) / sum(other <= each for other in known)
            for each in known
            if own is not None and each >= own
        ]
        assert found == (None if own is None else pytest.approx(min(1.0, *steps)))
