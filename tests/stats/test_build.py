"""Building and comparing results."""

from __future__ import annotations

import msgspec
import pytest

from adjudge.errors import UsageError
from adjudge.stats.build import Counts, Scoring, build_result
from adjudge.stats.compare import compare
from adjudge.stats.inference import OFF, Inference, benjamini_hochberg, holm
from adjudge.stats.intervals import Parts, paired_test, score_interval
from adjudge.stats.measure import Prf, Ratio, Total
from adjudge.stats.points import Additive
from adjudge.stats.ranking import ranked_by
from adjudge.stats.resample import bootstrap, randomisation
from adjudge.stats.result import Note
from adjudge.stats.saved import decode_result
from adjudge.stats.scores import Drawing
from adjudge.stats.table import StatsTable
from made import made_result

COLUMNS = ("s", "p", "g")
F1 = Prf("set.f1", ("s", "p"), ("s", "g"), parts=("precision", "recall", "f1", "gold"))
COUNT = Total("n", "count", (("g", 1.0),))
ROWS = {
    "A": [(1, 2, 2), (3, 4, 3), (0, 1, 1), (2, 2, 5)],
    "B": [(1, 1, 2), (2, 4, 3), (1, 1, 1), (1, 3, 5)],
    "C": [(2, 2, 2), (3, 3, 3), (1, 1, 1), (5, 5, 5)],
}


def table_of(rows, genres=("nw", "df", "nw", "df")):
    return StatsTable(tuple(f"d{i}" for i in range(len(rows))), COLUMNS, rows, {"genre": genres[: len(rows)]})


def build(names="AB", **options):
    tables = options.pop("tables", None) or {name: table_of(ROWS[name]) for name in names}
    settings = {"task": "score", "profile": "default", "measures": (F1, COUNT), "tables": tables}
    draws = {name: options.pop(name) for name in ("level", "seed", "test", "interval") if name in options}
    inference = Inference(bootstrap=options.pop("bootstrap", 60), **draws)
    return made_result(inference=inference, **settings | options)


@pytest.mark.parametrize("pool", ["micro", "macro"])
@pytest.mark.parametrize("method", ["jackknife", "percentile", "bca"])
@pytest.mark.parametrize("test", ["auto", "jackknife", "bootstrap", "randomisation"])
def test_the_numbers_are_those_of_the_parts(pool, method, test):
    result = build("ABC", pool=pool, interval=method, test=test, seed=7, level=0.9)
    estimators = {name: Additive(table_of(ROWS[name]), (F1, COUNT), pool) for name in "ABC"}
    samples = bootstrap(estimators, resamples=60, seed=7)
    points = {name: each.point() for name, each in estimators.items()}
    left = {name: each.left_out() for name, each in estimators.items()}

    def parts(name, key):
        return Parts(points[name][key], left[name][key], samples[name][key])

    for system in result.systems:
        for score in system.scores:
            key = (score.metric, score.part)
            assert score.value == points[system.name][key]
            if score.part in ("gold", "count"):
                assert (score.low, score.high, score.level) == (None, None, None)
                continue
            found = score_interval(parts(system.name, key), method, level=0.9)
            assert (score.low, score.high) == (None, None) if found is None else found[:2]
            assert score.interval == (None if found is None else found.method)
    assert [(c.a, c.b, c.metric, c.part) for c in result.comparisons] == [
        (a, b, "set.f1", "f1") for a, b in ("AB", "AC", "BC")
    ]
    used = {"jackknife": "jackknife", "percentile": "bootstrap", "bca": "bootstrap"}[method] if test == "auto" else test
    for c in result.comparisons:
        key = (c.metric, c.part)
        expected = paired_test(parts(c.a, key), parts(c.b, key), method, used, level=0.9, floor=1 / 61)
        assert (c.difference, c.low, c.high) == (expected.difference, expected.low, expected.high)
        if used == "randomisation":
            assert c.p == randomisation(estimators, [key], trials=60, seed=7)[c.a, c.b][key]
        else:
            assert c.p == expected.p
            if c.low is not None:
                assert (c.p < 0.1 - 1e-9) == (c.low > 0 or c.high < 0) or c.p == pytest.approx(0.1)
        assert c.test == used
        assert c.wins == float((samples[c.a][key] - samples[c.b][key] > 1e-12).mean())
    assert [c.p_holm for c in result.comparisons] == holm([c.p for c in result.comparisons])
    assert [c.q for c in result.comparisons] == benjamini_hochberg([c.p for c in result.comparisons])


def test_slices_follow_the_first_system():
    """Attributes belong to documents; a table that lacks them is sliced like the others."""
    bare = StatsTable(("d0", "d1", "d2", "d3"), COLUMNS, ROWS["B"])
    result = build(tables={"A": table_of(ROWS["A"]), "B": bare}, by=("genre",))
    assert result.system("B")["set.f1"].where(genre="nw").gold == 3
    with pytest.raises(UsageError, match="no attribute lang"):
        build(by=("lang",))


def test_without_bootstrap_there_are_differences_but_no_claims():
    result = build(bootstrap=0)
    assert all(s.low is None and s.level is None for system in result.systems for s in system.scores)
    (c,) = result.comparisons
    assert c.difference == result["set.f1"]["A"].f1 - result["set.f1"]["B"].f1
    assert (c.p, c.p_holm, c.low, c.test, c.wins) == (None,) * 5
    assert result.signature == f"score|profile:default|pool:micro|docs:4|boot:0|v:{result.adjudge}"


def test_the_signature():
    fields = {"dup": "set", "in": "9f3c", "metric": "relation.strict", "undef": 0}
    result = build("A", fields=fields)
    assert result.signature == (
        "score|metric:relation.strict|profile:default|dup:set|undef:0|pool:micro|docs:4|interval:jackknife|"
        f"scale:logit|v:{result.adjudge}|in:9f3c"
    )
    other = build(by=("genre",), level=0.9, test="approximate-randomisation").signature
    drawn = "seed:13|boot:60|ci:90|test:randomisation|resamples:60|"
    assert f"|by:genre|docs:4|interval:jackknife|scale:logit|{drawn}" in other


def test_headlines():
    assert [c.part for c in build(headline={"set.f1": "recall"}).comparisons] == ["recall"]
    assert [(c.metric, c.part) for c in build(headline={"n": "count"}).comparisons] == [
        ("set.f1", "f1"),
        ("n", "count"),
    ]
    with pytest.raises(UsageError, match=r"no part set\.f1 f2 to compare, did you mean set\.f1 f1"):
        build(headline={"set.f1": "f2"})


def test_no_documents():
    result = build(tables={"A": table_of([]), "B": table_of([])})
    assert result["set.f1"]["A"].f1 == 0
    assert result["set.f1"]["A"].f1.low is None
    assert [note.code for note in result.systems[0].notes] == ["no-documents"]
    assert result.comparisons[0].p is None
    macro = build(tables={"A": table_of([])}, pool="macro")
    assert macro.systems[0].scores[0].value is None


def test_one_document_is_said_to_be_one():
    result = build(tables={"A": table_of([(1, 2, 2)])})
    assert (result["set.f1"].f1.low, result["set.f1"].f1.high) == (None, None)
    assert [note.message for note in result.notes] == ["with one document there is no interval and no test"]


def test_what_is_left_out_is_noted():
    lenient = Prf("set.f1", ("s", "p"), ("s", "g"), undefined=None)
    rows = [(0, 0, 0), (1, 1, 1), (0, 0, 2)]
    result = build(tables={"A": table_of(rows)}, measures=[lenient], pool="macro", bootstrap=200, interval="percentile")
    notes = {note.code: note for note in result.systems[0].notes}
    left_out = [(n.count, n.examples) for n in result.systems[0].notes if n.code == "undefined-document"]
    assert left_out == [(2, ("d0", "d2")), (1, ("d0",))]
    assert notes["undefined-resample"].count > 0
    given = Note("missing-document", 1, "1 gold document has no output", ("d2",))
    assert build("A", notes={"A": [given]}, bootstrap=100).systems[0].notes == (given,)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bootstrap": -1}, "bootstrap is -1, give 0"),
        ({"bootstrap": 10**18}, "1000000000000000000 resamples are too many, give at most 1000000"),
        ({"level": 95}, "level of 95 is not between 0 and 1"),
        ({"pool": "mikro"}, "no pooling mikro"),
        ({"test": "paired-bootstrp"}, "no test paired-bootstrp, did you mean bootstrap"),
        ({"test": "t"}, "no test t, tests: auto, jackknife, bootstrap, randomisation"),
        ({"tables": {"A": table_of(ROWS["A"]), "B": table_of(ROWS["B"][:3])}, "bootstrap": 0}, "d3 in one only"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(UsageError, match=message):
        build(**options)


def test_a_result_needs_a_system():
    with pytest.raises(UsageError, match="no system to score"):
        build_result(Scoring(task="t", profile="p", measures=[F1]), {})


def saved(result):
    return decode_result(result.to_json(with_tables=True).encode())


def test_comparing_saved_results_is_scoring_them_together():
    fields = {"metric": "set.f1"}
    parts = [saved(build(name, fields=fields | {"in": f"hash{name}"})) for name in "ABC"]
    together = build("ABC", fields=fields)
    compared = compare(parts)
    assert compared.systems == together.systems
    assert compared.comparisons == together.comparisons
    assert compared.signature.startswith(together.signature + "|in:")
    assert compare([saved(build("AB")), saved(build("C"))]).comparisons == together.comparisons
    assert compare([saved(together)]).comparisons == together.comparisons
    assert compare(parts[:1]).signature == parts[0].signature
    changed = compare(parts, bootstrap=30, level=0.5, seed=1, by=("genre",), test="approximate-randomisation")
    assert changed.options == msgspec.structs.replace(
        compared.options, bootstrap=30, level=0.5, seed=1, by=("genre",), test="randomisation", resamples=(30,)
    )


def test_the_order_of_documents_does_not_matter():
    a, b = table_of(ROWS["A"]), table_of(ROWS["B"])
    shuffled = build(tables={"B": b.select(["d2", "d0", "d3", "d1"])})
    assert compare([build(tables={"A": a}), shuffled]).comparisons == build("AB").comparisons


def test_comparing_keeps_notes_once():
    given = Note("missing-document", 1, "1 gold document has no output", ("d2",))
    one = build(tables={"A": table_of([(1, 2, 2)])}, notes={"A": [given]})
    assert [n.code for n in compare([one]).systems[0].notes] == ["missing-document"]
    assert [n.code for n in compare([one]).notes] == ["one-document"]


def test_what_cannot_be_compared():
    a = build("A")
    for other, message in (
        (build("A"), "two systems are called A, rename one"),
        (build("B", task="coref"), r"they differ in task \(score and coref\), score the systems in the same way"),
        (build("B", profile="strict", pool="macro"), r"profile \(default and strict\), pool \(micro and macro\)"),
        (build("B", fields={"dup": "set"}), r"dup \(nothing and set\)"),
        (build("B", measures=[F1]), r"measures \(n\)"),
        (build("B", measures=[COUNT, F1]), r"measures \(their order\)"),
        (build(tables={"B": table_of(ROWS["B"][:3])}), "A was scored on 1 document that B was not: d3"),
        (decode_result(build("B").to_json().encode()), "result of B has no counts per document, write it with --save"),
    ):
        with pytest.raises(UsageError, match=message):
            compare([a, other])
    more = StatsTable(tuple(f"d{i}" for i in range(12)), COLUMNS, [(1, 1, 1)] * 12)
    with pytest.raises(UsageError, match="B was scored on 8 documents that A was not: d4, d5, d6, d7, d8 and 3 more"):
        compare([a, build(tables={"B": more})])
    with pytest.raises(UsageError, match="nothing to compare"):
        compare([])
    stripped = msgspec.structs.replace(a, systems=tuple(msgspec.structs.replace(s, table=None) for s in a.systems))
    with pytest.raises(UsageError, match="result of A has no counts per document"):
        compare([stripped])


# ---------------------------------------------------------------------------------------------------------------------
# Bounds and fractions


RECALL = Ratio("x", "recall", (("s", 1.0),), (("g", 1.0),))


def recall(*rows, **options):
    table = StatsTable(tuple("ab"), ("s", "g"), rows, {"genre": ("nw", "df")})
    return made_result({"A": table}, measures=[RECALL], inference=OFF, **options).systems[0].scores


def test_bounds_are_of_parts_that_can_still_rise():
    better = StatsTable(("a", "b"), ("s", "g"), [[1, 2], [2, 2]])
    assert recall([1, 2], [1, 2])[0].optimal
    for pool in ("micro", "macro"):
        (score,) = recall([1, 2], [1, 2], best={"A": better}, pool=pool)
        assert (score.value, score.bound, score.optimal) == (0.5, 0.75, False)
    sliced = recall([1, 2], [1, 2], best={"A": better}, by=("genre",))
    assert [score.bound for score in sliced] == [0.75, None, 1.0]


def test_fractions_are_of_sums_only():
    found = [recall([1, 2], [1, 4], pool=pool)[0] for pool in ("micro", "macro")]
    assert [(score.numerator, score.denominator) for score in found] == [(2.0, 6.0), (None, None)]


@pytest.mark.parametrize("more", [(), ("--bootstrap", "0"), ("--interval", "percentile"), ("--runs-fixed",)])
def test_runs_on_one_document_have_a_mean_and_no_interval(tmp_path, capsys, more):
    from adjudge.cli import run

    for name, end in (("gold", 1), ("right", 1), ("wrong", 2)):
        entity = f'{{"span": {{"start": 0, "end": {end}}}, "type": "A"}}'
        (tmp_path / name).write_text(f'{{"id": "d", "entities": [{entity}]}}')
    runs = [f"A#1={tmp_path / 'right'}", f"A#2={tmp_path / 'wrong'}", f"B={tmp_path / 'right'}"]
    words = ["ner", "score", str(tmp_path / "gold"), *runs, "--reader", "jsonl", "--metric", "ner.strict", *more]
    assert run(words) == 0
    said = capsys.readouterr().out
    assert ["ner.strict", "A", "50.0", "50.0", "50.0"] in [line.split() for line in said.splitlines()]
    assert ("A: the mean of 2 runs, taken as fixed" if "--runs-fixed" in more else "A: the mean of 2 runs\n") in said


@pytest.mark.parametrize("how", ["documents", "clusters", "strata"])
def test_a_ranking_by_a_chosen_score_draws_what_the_other_rankings_draw(how):
    tables = {}
    for name, rows in ROWS.items():
        several = [(min(s + (place // 4 + len(name)) % 2, p, g), p, g) for place in range(6) for s, p, g in rows]
        ids = tuple(f"d{place:02}" for place in range(len(several)))
        homes = tuple(f"h{place % 8 if how == 'clusters' else place // 3}" for place in range(len(ids)))
        tables[name] = StatsTable(ids, COLUMNS, several, {"home": homes})
    inference = Inference(bootstrap=80, cluster_by="home" if how == "clusters" else None)
    drawing = Drawing("within home", within="home") if how == "strata" else Drawing()
    scoring = Scoring(task="score", profile="default", measures=(F1,), inference=inference, drawing=drawing)
    result = build_result(scoring, {name: Counts(table) for name, table in tables.items()})
    assert any(len(each.rank_shares) > 1 for each in result.ranking)
    assert ranked_by(result, ("set.f1", "f1")) == result.ranking
