"""What the statistics make of small corpora, as plain data: `python tests/stats_data.py > tests/stats/kept.json`.

Results of made-up counts by every kind of measure, pooled, sliced, resampled, compared, merged and cut short; their
text and their HTML; what hangs on single documents and items; agreement; intervals; and the errors of all of these.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np

import adjudge as aj
from adjudge.errors import AdjudgeError
from adjudge.stats import agreement, influence, intervals, resample, text, unitising
from adjudge.stats.build import build_from_estimators, build_result, compare
from adjudge.stats.elements import ElementSlice, ElementTable, Rows
from adjudge.stats.estimator import Corpus
from adjudge.stats.frames import result_rows
from adjudge.stats.inference import Inference, benjamini_hochberg, holm, resamples_for
from adjudge.stats.item_influence import select_items
from adjudge.stats.leaderboard import Leaderboard, Standing
from adjudge.stats.measure import Blanc, Combined, Prf, Ratio, Total, compute, fractions, measures_of
from adjudge.stats.merge import merge
from adjudge.stats.plain import plain_result
from adjudge.stats.result import Note, Result
from adjudge.stats.sampled import How, pair_comparison, point_scores, sampled_scores
from adjudge.stats.table import StatsTable
from adjudge.stats.uncertainty import SampledCounts

COLUMNS = ("matched", "system", "found", "gold", "c", "cs", "cg", "n", "ns", "ng", "m", "ms", "mg")
F1 = Prf("set.f1", ("matched", "system"), ("matched", "gold"))
MEASURES = (
    F1,
    Prf(
        "wide",
        ("matched", "system"),
        ("matched", "gold"),
        beta=2.0,
        undefined=None,
        parts=("precision", "f2", "jaccard", "matched", "system", "gold"),
    ),
    Prf("two", ("matched", "system"), ("found", "gold"), beta=0.5, undefined=1),
    Prf("mean", ("matched", "system"), ("found", "gold"), undefined=None, harmonic=True),
    Ratio("rate", "score", (("matched", 1.0), ("system", -0.25)), (("gold", 1.0), ("found", 0.5)), clip=0.0),
    Ratio("bare", "score", (("matched", 1.0),), (("system", 1.0),), undefined=None),
    Total("sum", "tp", (("matched", 2.0), ("found", 1.0))),
    Combined("both", "f1", "mean", (("set.f1", "f1"), ("rate", "score"))),
    Combined("all", "score", "product", (("set.f1", "f1"), ("two", "f0.5"), ("bare", "score"))),
    Combined("cost", "score", "sum", (("set.f1", "f1"), ("rate", "score")), (2.0, -1.0)),
    Combined("more", "count", "sum", (("sum", "tp"),)),
    Blanc("old", ("c", "cs", "cg"), ("n", "ns", "ng"), ("m", "ms", "mg")),
    Blanc("new", ("c", "cs", "cg"), ("n", "ns", "ng"), ("m", "ms", "mg"), rule="2014"),
)
FEW = (MEASURES[0], MEASURES[1], MEASURES[4], MEASURES[6])
GENRES = ("nw", "df", "nw", None, "df", "nw", "1", "nw")
YEARS = (2001, 2002, 2001.0, True, 2002, 2001, 2002, 2001)
EMPTY = (0.0,) * len(COLUMNS)


def table(seed: int, documents: int = 6) -> StatsTable:
    """Counts of one system; the last document is empty, the one before has nothing of the system."""
    rng = random.Random(seed)
    rows = []
    for place in range(documents):
        gold, c, n, m = (rng.randint(1, 6) for _ in range(4))
        matched = rng.randint(0, gold)
        system = matched + rng.randint(0, 3)
        row = [matched, system, min(gold, matched + 1), gold, c - 1, c, c + 1, n, n + 1, n, m, m, m + place % 2]
        rows.append([float(each) for each in row])
    if documents > 3:
        rows[-1] = list(EMPTY)
        rows[-2] = [0.0, 0.0, 0.0, 3.0, *EMPTY[4:]]
    ids = tuple(f"d{(5 * place + 3) % documents}" for place in range(documents))
    attributes = {"genre": GENRES[:documents], "year": YEARS[:documents]}
    return StatsTable(ids, COLUMNS, rows, attributes)


def elements(seed: int, documents: int = 6, best: bool = False) -> tuple[ElementTable, ...]:
    """Counts of elements by a field."""
    rng = random.Random(f"elements {seed}")
    columns = ("matched", "system", "gold")
    slices = []
    for value in ("x", 2, True, None, "a"):
        places = tuple(sorted(rng.sample(range(documents), 2)))
        rows = tuple((1.0 * (value != "a"), float(rng.randint(1, 3)), float(rng.randint(1, 3))) for _ in places)
        more = tuple((row[0] + 1, *row[1:]) for row in rows) if best and value == "x" else ()
        slices.append(ElementSlice(value, places, Rows(rows, more)))
    return (ElementTable("items.kind", columns, Rows(((0.0, 0.0, 0.0),) * documents), tuple(slices)),)


def made(**options: Any) -> Result:
    """A result of two systems."""
    systems = options.pop("systems", ("A", "B"))
    documents = options.pop("documents", 6)
    usual: dict[str, Any] = {
        "task": "score",
        "profile": "default",
        "measures": MEASURES,
        "tables": {name: table(ord(name), documents) for name in systems},
    }
    draws = {name: options.pop(name) for name in ("level", "seed", "test", "interval") if name in options}
    inference = Inference(bootstrap=options.pop("bootstrap", 40), **draws)
    return build_result(inference=inference, **(usual | options))


def with_best(seed: int) -> StatsTable:
    """One document of which more could be matched."""
    whole = table(seed)
    row = whole.values[1].copy()
    row[0] += 1
    return StatsTable((whole.ids[1],), COLUMNS, [row])


def cut_short(**options: Any) -> Result:
    """A result of searches that were cut short."""
    notes = {"A": [Note("not-optimal", 1, "1 document was not solved", ("d2",))]}
    usual: dict[str, Any] = {
        "best": {"A": with_best(ord("A"))},
        "by": ["items.kind", "genre"],
        "elements": {"A": elements(1, best=True), "B": elements(2)},
        "notes": notes,
        "measures": FEW,
    }
    return made(**(usual | options))


def results() -> Iterator[tuple[str, Callable[[], Result]]]:
    """Results of all kinds."""
    yield "micro", made
    yield "macro", lambda: made(pool="macro", by=["year"], measures=(*FEW, *MEASURES[7:10]))
    yield "sliced", lambda: made(by=["genre", "year"], bootstrap=120, level=0.9, seed=5, measures=FEW)
    yield "exchanged", lambda: made(test="approximate-randomisation", measures=MEASURES[:5], systems="ABC")
    yield "percentile", lambda: made(interval="percentile", measures=FEW)
    yield "bca", lambda: made(interval="bca", measures=FEW, systems="AB")
    yield "headline", lambda: made(headline={"set.f1": "recall", "wide": "jaccard"}, level=0.5)
    yield (
        "no draws",
        lambda: made(bootstrap=0, by=["genre"], measures=FEW, signature_fields={"gold": "ab", "in": "cd", "x": None}),
    )
    yield "one document", lambda: made(documents=1, systems="A")
    yield "two documents", lambda: made(documents=2)
    yield "no documents", lambda: made(documents=0)
    yield "one system", lambda: made(systems="A", notes={"A": [Note("x", 2, "two things", ("d1",))]})
    yield "elements", lambda: made(by=["items.kind"], elements={"A": elements(1), "B": elements(2)}, measures=FEW)
    yield "cut short", cut_short
    yield "cut short, macro", lambda: cut_short(pool="macro", bootstrap=0)
    yield "corpus", corpus
    yield "compared", lambda: compare(made(systems="A"), [made(systems="B")])
    yield (
        "compared otherwise",
        lambda: compare(cut_short(), by=["genre"], bootstrap=30, level=0.8, seed=2, test="approximate-randomisation"),
    )
    yield (
        "compared without slices",
        lambda: compare(
            made(systems="A", by=["items.kind"], elements={"A": elements(1)}, signature_fields={"in": "1"}),
            made(systems="B", signature_fields={"in": "2"}),
        ),
    )
    yield "merged", lambda: merge(*parts())
    yield "merged in order", lambda: merge(parts(), order=["q1", "p2", "p1", "q2", "x"], bootstrap=0)
    yield "merged by", lambda: merge(parts(), by=["genre"], level=0.8, seed=3, test="approximate-randomisation")
    yield "sampled", sampled_result
    yield "sampled at another level", lambda: compare([sampled_result()], level=0.8)
    yield "sampled by bootstrap", lambda: compare([sampled_result()], test="paired-bootstrap")
    yield "sampled by jackknife", lambda: compare([sampled_result()], test="jackknife", by=[])
    yield "sampled with boxes", lambda: compare([boxed("percentile", 1.0)], level=0.8)
    yield "sampled with other boxes", lambda: compare([boxed("centred", 2)], level=0.7, test="centred")
    yield "sampled with strange boxes", lambda: compare([boxed("jackknife", "x")], level=0.6)
    yield "sampled with points", lambda: compare([pointed()], level=0.8, test="bootstrap")
    yield "sampled and compared", lambda: compare([linked("one", 1), linked("two", 2)])


def corpus() -> Result:
    """A metric that does not add over documents."""

    def function(weights: Any) -> Any:
        return {("types", "score"): (weights > 0).mean(axis=1), ("types", "count"): weights.sum(axis=1)}

    counts = frozenset({("types", "count")})
    both = {name: Corpus(("a", "b", "c"), {"genre": ("x", "y", "x")}, function, counts=counts) for name in ("A", "B")}
    return build_from_estimators(
        task="t", profile="p", estimators=both, by=["genre"], inference=Inference(bootstrap=20)
    )


def parts() -> list[Result]:
    """Two parts of a corpus, searches of which were cut short."""
    found = []
    for name, other in (("p", "q"), ("q", "p")):
        tables, best, own = {}, {}, {}
        for system in "AB":
            whole = table(ord(system) + ord(name), 2)
            ids = (f"{name}1", f"{name}2")
            tables[system] = StatsTable(ids, COLUMNS, whole.values, whole.attributes)
            row = [each + 0.5 for each in whole.values[0]]
            best[system] = StatsTable(ids[:1], COLUMNS, [row])
            own[system] = elements(ord(system) + ord(name), 2, best=name == "p")
        notes = [
            Note("missing-document", 1, "1 gold document has no system output and counts as empty", (f"{name}2",)),
            Note("not-optimal", 1, "...", (f"{name}1",)),
            Note("odd", 1, f"something about {other}"),
            Note("same", 3, "the same of all parts"),
        ]
        result = made(
            measures=FEW, tables=tables, best=best, elements=own, notes={"A": notes, "B": notes[:1]}, by=["items.kind"],
            signature_fields={"metric": "m", "gold": name, "in": f"{name}{name}", "docs": "#1"},
        )  # fmt: skip
        found.append(msgspec.structs.replace(result, ranking=board() if name == "p" else None))
    return found


def mention(place: int, side: int) -> dict[str, Any]:
    """A mention of an entity, a little different for each side."""
    start = 10 * (place % 4)
    entity = f"Q{(place + (side and place % 5 == 0)) % 3}"
    return {
        "span": {"start": start, "end": start + 3 + (side == 2 and place % 3 == 0)},
        "type": "PER",
        "entity": entity,
    }


def mentions(side: int) -> list[dict[str, Any]]:
    """Documents with mentions."""
    return [
        {"id": f"d{k:02}", "genre": "ab"[k % 2], "mentions": [mention(4 * k + n, side) for n in range(1 + k % 4)]}
        for k in range(8)
    ]


def sampled_result() -> Result:
    """A metric of clusters, which do not add over documents."""
    sides = {"one": mentions(1), "two": mentions(2)}
    return aj.score("linking.b3,linking.ceafm", mentions(0), sides, by=["genre"], bootstrap=20)


def boxed(method: Any, notch: Any) -> Result:
    """The same, saved with the numbers of box plots."""
    result = sampled_result()
    assert result.options is not None
    systems = [
        msgspec.structs.replace(
            system,
            scores=tuple(
                score
                for each in system.samples
                for score in sampled_scores(result.measures, each, How(method, box=1.57))
            ),
            notes=(Note("percentile-misses", 1, "outside"), Note("x", 1, "stays")),
        )
        for system in result.systems
    ]
    fields = {**result.options.fields, "notch": notch}
    options = msgspec.structs.replace(result.options, fields=fields, interval=method)
    return msgspec.structs.replace(result, systems=tuple(systems), options=options)


def pointed() -> Result:
    """The same, one system without samples."""
    result = sampled_result()
    first, second = result.systems
    notes = (Note("other-test", 1, "an earlier one"), Note("y", 1, "stays"))
    bare = msgspec.structs.replace(second, samples=())
    return msgspec.structs.replace(result, systems=(first, bare), notes=notes)


def linked(name: str, side: int) -> Result:
    """The same of one system."""
    return aj.score("linking.b3", mentions(0), {name: mentions(side)}, bootstrap=20, documents=True)


def board(ties: bool = True) -> Leaderboard:
    """A ranking of three systems."""
    standings = [
        Standing(
            rank=rank,
            system=name,
            median=0.5 / rank,
            low=0.25 / rank,
            high=0.75 / rank,
            score=0.4,
            ranks=(1, rank),
            rank_shares=(0.5, 0.25, 0.25),
            wins={other: 0.625 for other in "xyz" if other != name},
            ties={other: 0.125 * ties * (other == "x") for other in "xyz" if other != name},
        )
        for rank, name in enumerate("xyz", 1)
    ]
    return Leaderboard(
        metric="m", part="f1", resamples=20, seed=4, draws="documents", level=0.95, standings=tuple(standings)
    )


def everything() -> Iterator[tuple[str, Callable[[], Any]]]:
    """All that is kept, by name."""
    for name, work in results():
        yield name, lambda work=work: told(work())
    yield "ranking", lambda: text.render_leaderboard(board()).splitlines()
    yield "ranking without ties", lambda: text.render_leaderboard(board(ties=False)).splitlines()
    yield from documents_that_matter()
    yield from items_that_matter()
    yield from labels()
    yield from units()
    yield from numbers()
    for name, work in errors():
        yield f"refused: {name}", work


def told(result: Result) -> Any:
    """A result as it is saved, without the counts it was made from, and as it is shown."""
    plain = json.loads(result.to_json(with_tables=True))
    for system in plain["systems"]:
        for kind in ("table", "samples", "outcomes"):
            system.pop(kind, None)
        system["scores"] = [rounded(list(score.values())) for score in system["scores"]]
    plain["comparisons"] = [list(each.values()) for each in plain["comparisons"]]
    for kind in ("adjudge", "signature", "measures", "documents"):
        plain.pop(kind, None)
    lines = str(result).replace(f"v:{result.adjudge}", "v:").splitlines()
    frames = {kind: len(result_rows(result, kind)) for kind in ("scores", "comparisons")}
    return {"saved": plain, "text": lines, "html": result._repr_html_().count("<tr>"), "rows": frames}


def documents_that_matter() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Differences and influence."""
    for pool in ("micro", "macro"):
        for top in (0, 1, 3):
            yield (
                f"differences {pool} {top}",
                lambda pool=pool, top=top: influence.largest_differences(made(pool=pool, by=["genre"]), top),
            )
        for order in ("influence", "disagreement"):
            for metric, part in ((None, None), ("two", None), ("wide", "jaccard"), ("set.f1.recall", None)):
                yield (
                    f"documents by {order} {pool} {metric} {part}",
                    lambda pool=pool, order=order, metric=metric, part=part: influence.select_documents(
                        made(pool=pool, systems="ABC", bootstrap=0), 4, metric=metric, part=part, order=order
                    ),
                )
    yield "differences of a corpus", lambda: influence.largest_differences(sampled_result(), 2)


def items_that_matter() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Items, flat and within others."""
    flat = [[*"abc"], [*"de"], [], [*"af"]]
    sides = {"A": [[*"ab"], [*"d"], [*"g"], [*"af"]], "B": [[*"ax"], [*"de"], [*"g"], []], "C": [[], [], [], [*"f"]]}

    def lists(each: Any) -> Any:
        return [{"id": f"d{place}", "items": items} for place, items in enumerate(each)]

    for pool in ("micro", "macro"):
        for order in ("influence", "disagreement"):
            yield (
                f"items by {order} {pool}",
                lambda pool=pool, order=order: select_items(
                    aj.score(
                        f"record.set(pool={pool})", lists(flat), {name: lists(own) for name, own in sides.items()},
                        bootstrap=0, documents=True,
                    ),
                    7, order=order,
                ),
            )  # fmt: skip

    def event(kind: str, start: int, *roles: str) -> dict[str, Any]:
        arguments = [{"role": role, "span": {"start": place, "end": place + 1}} for place, role in enumerate(roles)]
        return {"type": kind, "trigger": {"start": start, "end": start + 1}, "arguments": arguments}

    gold = [{"id": "d", "events": [event("x", 0, "a", "b"), event("y", 5, "a")]}]
    own = {
        "A": [{"id": "d", "events": [event("x", 0, "a", "c"), event("y", 5)]}],
        "B": [{"id": "d", "events": [event("x", 0, "a"), event("z", 9, "b")]}],
    }
    for metric in ("event.trigger-cls", "event.argument-cls"):
        yield (
            f"items of {metric}",
            lambda metric=metric: select_items(aj.score(metric, gold, own, bootstrap=0, documents=True), 20),
        )


def labels() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Agreement on labels."""
    rows: list[Any] = [
        [(("x", "x", "x"), 3), (("x", "y", None), 2)],
        [(("y", "y", "x"), 4), ((None, "y", "y"), 1)],
        [(("z", "z", "z"), 1), (("x", None, None), 5)],
        [],
    ]
    ranks: list[Any] = [[((1, 2, 2), 2), ((3, 3, 3), 1)], [((1, 1, None), 2), ((5, 4.5, True), 1)]]
    for resamples, level in ((0, 0.95), (30, 0.9)):
        draws = Inference(bootstrap=resamples, level=level, seed=7)
        for names in (("a", "b", "c"), ("a", "b")):
            cut = [[(row[: len(names)], count) for row, count in each] for each in rows]
            yield (
                f"labels of {len(names)} {resamples}",
                lambda cut=cut, names=names, draws=draws: agreement.label_coefficients(cut, names, "tokens", draws),
            )
        for distance in agreement.DISTANCES:
            yield (
                f"ranks {distance} {resamples}",
                lambda distance=distance, draws=draws: agreement.label_coefficients(
                    ranks, ("a", "b", "c"), "units", draws, distance=distance
                ),
            )
    draws = Inference(bootstrap=10, level=0.9, seed=7)
    yield "no labels", lambda: agreement.label_coefficients([], ("a", "b", "c"), "tokens", draws)
    same: list[Any] = [[(("x", "x"), 3)], [(("x", "x"), 1)]]
    yield "one label", lambda: agreement.label_coefficients(same, ("a", "b"), "tokens", draws)


def units() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Agreement on units."""
    unit = unitising.Unit
    continua = [
        (20, [[unit(0, 4, "x"), unit(6, 8, "y"), unit(10, 15, "x")], [unit(1, 4, "x"), unit(6, 9, "y")], []]),
        (9, [[unit(2, 5, "x")], [unit(2, 5, "x"), unit(5, 9, "x")], [unit(0, 9, "z")]]),
        (7, [[], [], []]),
    ]
    yield "units", lambda: unitising.unit_alpha(continua)
    yield "weighted units", lambda: unitising.unit_alpha(continua, [[2.0, 0.0, 1.0]])
    for resamples in (0, 25):
        draws = Inference(bootstrap=resamples, level=0.9, seed=3, interval="percentile")
        yield (
            f"units of three {resamples}",
            lambda draws=draws: unitising.unit_coefficients(continua, ("a", "b", "c"), "characters", draws),
        )
    draws = Inference(bootstrap=5, level=0.9, seed=3)
    yield "no continua", lambda: unitising.unit_alpha([])
    yield "one annotator", lambda: unitising.unit_alpha([(5, [[]])])
    yield "different annotators", lambda: unitising.unit_alpha([(5, [[], []]), (5, [[], [], []])])
    yield "no units", lambda: unitising.unit_coefficients([(5, [[], []])], ("a", "b"), "characters", draws)


def samples(seed: int, drawn: int = 12, left_out: int = 5, pairs: int = 4) -> SampledCounts:
    """Counts in samples."""
    rng = random.Random(seed)
    number = 1 + left_out + drawn + pairs
    gold = [10.0 + rng.randint(0, 3) for _ in range(number)]
    system = [float(rng.randint(0, 9)) if place % 7 else 0.0 for place in range(1, number + 1)]
    matched = [min(g, s) - (s > 2) for g, s in zip(gold, system, strict=True)]
    two = tuple((rng.randrange(left_out), rng.randrange(left_out)) for _ in range(pairs)) if left_out else ()
    return SampledCounts(("matched", "system", "gold"), left_out, tuple(map(tuple, (matched, system, gold))), {}, two)


TESTS = (("jackknife", "jackknife"), ("percentile", "bootstrap"), ("bca", "bootstrap"), ("centred", "centred"))


def whole(values: list[float], point: float) -> intervals.Parts:
    """A score with these values as leave-outs and as samples."""
    return intervals.Parts(point, np.array(values), np.array(values))


def numbers() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Intervals, tests, quantiles and measures by themselves."""
    a = [0.31, 0.5, 0.44, 0.9, 0.72, 0.5, 0.61, 0.12, 0.55, 0.5, 0.47]
    b = [0.3, 0.55, 0.4, 0.8, 0.72, 0.5, 0.6, 0.2, 0.5, 0.45, 0.46]
    places = np.array([[0, 1], [2, 5], [9, 10]])
    one, other = (intervals.Pairs(places, np.array(values)) for values in ([0.5, 0.4, 0.6], [0.45, 0.4, 0.7]))
    for level in (0.5, 0.9, 0.99):
        for rule in ("drop", "interpolate"):
            yield (
                f"intervals {level} {rule}",
                lambda level=level, rule=rule: [
                    intervals.percentile_interval(a, level=level, rule=rule),
                    intervals.centred_interval(0.9, a, level=level, rule=rule),
                    intervals.centred_interval(0.1, a, level=level, rule=rule),
                    intervals.box_numbers(a, level=level, rule=rule),
                    intervals.box_numbers(a, level=level, rule=rule, notch_constant=3.0),
                ],
            )
        yield (
            f"tests {level}",
            lambda level=level: [
                *(
                    vars_of(intervals.paired_test(whole(a, d), whole(b, 0.0), interval, test, level=level, floor=0.01))
                    for interval, test in TESTS
                    for d in (0.05, -0.2, 0.0)
                ),
                vars_of(
                    intervals.paired_test(
                        whole(a, 0.05)._replace(pairs=one), whole(b, 0.0)._replace(pairs=other), *TESTS[0], level=level
                    )
                ),
                *(
                    vars_of(intervals.paired_test(whole(a, d), whole(a, 0.0), *TESTS[0], floor=0.01))
                    for d in (0.0, 0.5)
                ),
                vars_of(intervals.paired_test(whole(a[:1], 0.05), whole(b[:1], 0.0), *TESTS[0], level=level)),
                *(intervals.score_interval(whole(a, d), "jackknife", level=level) for d in (0.5, 0.0, 1.0, 1.5)),
                intervals.score_interval(whole(a, 0.5)._replace(pairs=one), "jackknife", level=level),
                intervals.score_interval(whole(a, -0.5)._replace(signed=True), "jackknife", level=level),
                intervals.score_interval(whole(a[:1], 0.5), "jackknife", level=level),
                intervals.score_interval(whole(a, 0.5), "bca", level=level),
                intervals.normal_reach(level),
                [intervals.student_reach(level, freedom) for freedom in (1, 2, 3, 7, 30, 200)],
            ],
        )
        yield (
            f"ranks {level}",
            lambda level=level: vars_of(
                resample.rank_distribution({"A": a, "B": b, "C": [*a[:5], math.nan, *b[6:]]}, level=level)
            ),
        )
    yield "exchange", lambda: [intervals.exchange_p(a), intervals.exchange_p(b)]
    yield (
        "summaries",
        lambda: [
            resample.interval(a, 0.9), resample.interval([math.nan], 0.9), resample.median([*a, math.nan]),
            resample.median([]), resample.notches(a), resample.notches(a, constant=2.0), resample.notches([]),
            holm([0.01, None, 0.04, 0.03, 0.5]), holm([0.9, 0.9]), holm([None]),
            benjamini_hochberg([0.01, None, 0.04, 0.03, 0.5]), [resamples_for(number) for number in (1, 20, 78, 9999)],
            [resample.quantiles(np.array(values), [0.0, 0.1, 0.5, 0.75, 1.0]) for values in (a, a[:2], a[:1])],
        ],
    )  # fmt: skip
    for documents, total, block in ((3, 10, 12), (5, 7, 1), (4, 3, 100)):
        yield (
            f"draws {documents} {total} {block}",
            lambda documents=documents, total=total, block=block: [
                weights.tolist()
                for weights in resample.bootstrap_weights(documents, total, random.Random(1), block=block)
            ],
        )
    for method in ("jackknife", "centred", "percentile"):
        for box in (False, True):
            yield (
                f"samples {method} {box}",
                lambda method=method, box=box: sampled_scores(
                    (F1, MEASURES[6], Ratio("r", "score", (("matched", 1.0),), (("gold", 1.0),)), MEASURES[1]),
                    samples(3), How(method, level=0.8, box=1.0 if box else None),
                ),
            )  # fmt: skip
    yield "samples without leave-outs", lambda: sampled_scores((F1,), samples(4, left_out=0, pairs=0), How(level=0.8))
    yield "samples without draws", lambda: sampled_scores((F1,), samples(5, drawn=0), How("centred"))
    yield "a point", lambda: point_scores(MEASURES, {"matched": 1, "system": 2, "gold": 4}, where={"k": 1})
    for test in ("jackknife", "bootstrap", "centred"):
        yield (
            f"pair {test}",
            lambda test=test: pair_comparison(("A", "B"), (F1,), (samples(6), samples(7)), How(test=test, level=0.7)),
        )
        yield (
            f"pair {test} without draws",
            lambda test=test: pair_comparison(
                ("A", "B"), (F1,), (samples(6, 0, 2, 0), samples(7, 0, 2, 0)), How(test=test)
            ),
        )
    yield "measures", measured


def measured() -> Any:
    """Every measure on counts with nothing, on one side, and on both."""
    rows = [
        list(EMPTY),
        [0, 0, 0, 3, *EMPTY[4:]],
        [0, 2, 0, 0, 0, 1, 0, 0, 2, 0, 1, 1, 1],
        [1, 2, 2, 4, 1, 2, 3, 0, 0, 0, 2, 2, 2],
        [4, 4, 4, 4, 0, 0, 0, 3, 4, 5, 2, 3, 2],
        [1e308, 1e308, 1e308, 1e308, *EMPTY[4:]],
        [1, 2, 2, 4, 1, 2, 3, 3, 4, 6, 2, 2, 2],
    ]
    values = {" ".join(key): column.tolist() for key, column in compute(MEASURES, COLUMNS, rows).items()}
    parts = {
        " ".join(key): [each.tolist() for each in pair] for key, pair in fractions(MEASURES, COLUMNS, rows).items()
    }
    fitting = [[m.name for m in measures_of(MEASURES, columns)] for columns in (COLUMNS[:4], COLUMNS[4:], COLUMNS[:2])]
    plain = [
        json.loads(
            plain_result(
                task="t", profile="p", measures=MEASURES, by=["genre"], inference=Inference(bootstrap=bootstrap),
                tables={name: table(ord(name), number).to_struct() for name in names},
            ).to_json()
        )
        for names, number, bootstrap in (("AB", 6, 0), ("A", 1, 10), ("A", 0, 10))
    ]  # fmt: skip
    for result in plain:
        for kind in ("adjudge", "signature"):
            result.pop(kind)
    return values, parts, fitting, plain


def vars_of(value: Any) -> Any:
    """The fields of a dataclass."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def errors() -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is refused."""
    one, two = made(systems="A", bootstrap=0), made(systems="B", bootstrap=0)
    shifted = StatsTable(tuple(f"x{place}" for place in range(6)), COLUMNS, table(1).values)
    bare = aj.Result.from_json(one.to_json()) if hasattr(aj.Result, "from_json") else None
    yield "nothing to compare", lambda: compare()
    yield "nothing to merge", lambda: merge([])
    yield "same name", lambda: compare(one, one)
    yield "other measures", lambda: compare(one, made(systems="B", bootstrap=0, measures=MEASURES[:3]))
    yield (
        "other order of measures",
        lambda: compare(one, made(systems="B", bootstrap=0, measures=MEASURES[1::-1] + MEASURES[2:])),
    )
    yield "other task", lambda: compare(one, made(systems="B", bootstrap=0, task="x", profile="y", pool="macro"))
    yield (
        "other fields",
        lambda: compare(one, made(systems="B", bootstrap=0, signature_fields={"gold": "x", "in": "y"})),
    )
    yield "other documents", lambda: compare(one, made(bootstrap=0, tables={"B": shifted}))
    yield "merged twice", lambda: merge(one, made(systems="A", bootstrap=0))
    yield "merged with another system", lambda: merge(one, two)
    yield "merged with other measures", lambda: merge(one, made(systems="A", bootstrap=0, measures=MEASURES[:7]))
    yield (
        "merged in another way",
        lambda: merge(one, made(systems="A", bootstrap=0, seed=2, level=0.5, by=["genre"]), names=["p", "q"]),
    )
    yield "merged in an order", lambda: merge(one, order=["d1"])
    yield "merged by something", lambda: merge(one, by=["gene"])
    yield "merged corpus", lambda: merge(sampled_result(), sampled_result())
    yield "merged without counts", lambda: merge(corpus())
    yield "by something", lambda: compare(one, by=["gene"])
    yield "by an element", lambda: compare(one, by=["items.kind"])
    yield "no system", lambda: made(tables={})
    yield "negative", lambda: made(bootstrap=-1)
    yield "level", lambda: made(level=1.0)
    yield "test", lambda: made(test="paired-bootstap")
    yield "another test", lambda: made(test="x")
    yield "headline", lambda: made(headline={"set.f1": "x"})
    yield "another headline", lambda: made(headline={"set": "f1"})
    yield "sampled again", lambda: compare([sampled_result()], bootstrap=30)
    yield "sampled with a seed", lambda: compare([sampled_result()], seed=30)
    yield "sampled and exchanged", lambda: compare([sampled_result()], test="approximate-randomisation")
    yield "sampled by something", lambda: compare([sampled_result()], by=["gene"])
    yield "sampled, other test", lambda: compare([sampled_result()], test="x")
    yield "documents of one system", lambda: influence.select_documents(one, 3)
    yield "documents by something", lambda: influence.select_documents(made(), 3, metric="set.f2")
    yield "documents by no part", lambda: influence.select_documents(made(), 3, metric="set.f1", part="x")
    yield "documents of a corpus", lambda: influence.select_documents(sampled_result(), 3)
    yield "documents of nothing", lambda: influence.select_documents(made(documents=0, bootstrap=0), 3)
    yield (
        "documents without a score",
        lambda: influence.select_documents(made(documents=0, bootstrap=0), 3, metric="mean"),
    )
    yield "items without outcomes", lambda: select_items(made(), 3)
    if bare is not None:
        yield "documents without counts", lambda: influence.select_documents(bare, 3)
        yield "compared without counts", lambda: compare(bare)


def described(work: Callable[[], Any]) -> Any:
    """What some work gives, or what it says is wrong."""
    try:
        return rounded(json.loads(json.dumps(msgspec.to_builtins(work(), enc_hook=str, str_keys=True))))
    except AdjudgeError as error:
        return f"{type(error).__name__}: {error}"


def rounded(value: Any) -> Any:
    """With numbers of ten digits, which is more than any two machines differ by."""
    if isinstance(value, float):
        return None if math.isnan(value) else float(f"{value:.10g}")
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return {name: rounded(each) for name, each in value.items()} if isinstance(value, dict) else value


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(described(work), ensure_ascii=False)}" for name, work in everything()]
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")
