"""Scores of knowledge bases: the cases, and every engine against Python sets."""

import itertools
import json
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kbp_annotation
import kbp_naive
from adjudge.errors import UsageError
from adjudge.model.kbp import TripleNames, TripleTable
from adjudge.stats.build import compare
from adjudge.stats.result import Result
from adjudge.tasks.kbp import counting
from adjudge.tasks.kbp.digest import digest
from adjudge.tasks.kbp.mapping import map_systems
from adjudge.tasks.kbp.masks_samples import bootstrap_presence
from adjudge.tasks.kbp.options import make_options
from adjudge.tasks.kbp.scoring import score, score_mapped, score_triples

PLAIN = {"profile": "paper", "exclude": ()}


def table(rows, names):
    found = TripleTable(names)
    for row in rows:
        for document in row["docs"]:
            found.add(*row["triple"], document)
    return found


def counts(result, metric, system=None, **where):
    own = result.systems[0] if system is None else result.system(system)
    scores = own[metric].where(**where) if where else own[metric]
    return tuple(int(scores[part]) for part in ("tp", "gold", "system"))


def side_table(side, names):
    found = TripleTable(names)
    for (s, r, o), documents in sorted(side.triples.items()):
        for document in sorted(documents):
            found.add(f"n{s}", f"r{r}", f"n{o}", f"d{document}")
    return found


def all_documents():
    return [f"d{number}" for number in range(kbp_naive.DOCUMENTS)]


# The cases


@pytest.mark.parametrize("case", kbp_naive.cases()["graph_cases"], ids=lambda case: case["name"])
@pytest.mark.parametrize("bootstrap", [0, 20])
def test_graph_cases(case, bootstrap):
    names = TripleNames()
    gold, system = table(case["gold"], names), table(case["system"], names)
    options = {
        **case["options"],
        "symmetric": "close" if case["symmetric"] else "annotated",
        "symmetric_types": tuple(case["symmetric"]),
        "inverse": "close" if case["inverse"] else "none",
        "inverse_table": case["inverse"] or None,
    }
    hops = max(map(int, case["expected"]))
    result = score_triples(gold, {"A": system}, **PLAIN, hops=hops, bootstrap=bootstrap, **options)
    full = ".full" if options.get("identity") == "full" else ""
    for hop, wanted in case["expected"].items():
        metric = f"kbp.hop{hop}" + (full if hop != "1" else "")
        assert counts(result, metric) == (wanted["tp"], wanted["n_gold"], wanted["n_sys"]), hop
        for part in ("precision", "recall", "f1"):
            assert result[metric][part] == pytest.approx(wanted[part])


@pytest.fixture(scope="module")
def example():
    return kbp_annotation.worked_example()


def scored_example(example, **options):
    chosen = make_options("paper", **options)
    mapped = map_systems(example.gold, list(example.systems.values()), chosen, links=example.links)
    return score_mapped(mapped, chosen, profile="paper", bootstrap=30)


VARIANTS = {
    "paper (endpoints, walks, as annotated)": ("", {}),
    "full identity": (".full", {"identity": "both"}),
    "endpoints, simple paths": ("", {"walks": "simple"}),
    "system identity (join, then map endpoints)": (".system", {"identity_source": "system"}),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_worked_example_from_texts_to_scores(example, variant):
    suffix, options = VARIANTS[variant]
    result = scored_example(example, **options)
    for system, hop in itertools.product("AB", "123"):
        wanted = example.expected["scores"][system][variant][hop]
        metric = f"kbp.hop{hop}" + (suffix if hop != "1" or suffix == ".system" else "")
        assert counts(result, metric, system) == (wanted["tp"], wanted["n_gold"], wanted["n_sys"])
        assert result.system(system)[metric].f1 == pytest.approx(wanted["f1"])


def test_the_paper_stands_beside_system_identity(example):
    result = scored_example(example, identity_source="system")
    names = [name for name in result.systems[0].metrics if name.startswith("kbp.hop3")]
    assert names == ["kbp.hop3", "kbp.hop3.system"]
    assert result.system("B")["kbp.hop3"].f1 == pytest.approx(0.7142857)
    assert result.system("B")["kbp.hop3.system"].f1 == 0
    assert "system-identity" in [note.code for note in result.notes]
    tests = {each.metric: each.test for each in result.comparisons}
    assert tests["kbp.hop2"] == "randomisation"
    assert tests["kbp.hop2.system"] == "jackknife"


def test_counts_of_what_is_left_out(example):
    result = scored_example(example)
    found = {name: int(result[f"kbp.{name}"]["count"]) for name in ("unaligned", "unattested", "out-of-scope")}
    log = example.expected["system_A_log"]
    assert found["out-of-scope"] == sum("scope" in str(row) for row in log) > 0
    assert found["unaligned"] > 0
    assert {note.code for note in result.systems[0].notes} >= {"unaligned", "out-of-scope"}
    gold = next(note for note in result.notes if note.code == "gold")
    assert "1 excluded" in gold.message
    assert "1 out-of-scope" in gold.message


# Engines against Python sets


@settings(max_examples=40)
@given(kbp_naive.sides(), kbp_naive.sides(), st.sampled_from(["endpoints", "full"]), st.sampled_from(["all", "simple"]))
def test_all_hops_agree_with_sets(gold, system, identity, walks):
    names = TripleNames()
    tables = side_table(gold, names), side_table(system, names)
    how = {"identity": identity, "walks": walks, "hops": 3, "documents": all_documents()}
    result = score_triples(tables[0], {"A": tables[1]}, **PLAIN, bootstrap=0, **how)
    again = score_triples(tables[0], {"A": tables[1]}, **PLAIN, bootstrap=3, **how)
    for hop in (1, 2, 3):
        metric = f"kbp.hop{hop}" + (".full" if identity == "full" and hop > 1 else "")
        wanted = kbp_naive.count(gold, system, hop, identity=identity, walks=walks)
        assert counts(result, metric) == wanted
        assert counts(again, metric) == wanted


@pytest.mark.parametrize("engine", ["sparse", "duckdb", "sample"])
@settings(max_examples=15)
@given(gold=kbp_naive.sides(), system=kbp_naive.sides())
def test_all_engines_agree(engine, gold, system):
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    names = TripleNames()
    tables = side_table(gold, names), side_table(system, names)
    how = {**PLAIN, "engine": engine, "bootstrap": 0, "documents": all_documents()}
    said = []
    result = score_triples(tables[0], {"A": tables[1]}, **how, say=said.append)
    for hop in (1, 2, 3):
        # All first nodes fit into the sample, so that the estimate is exact.
        assert counts(result, f"kbp.hop{hop}") == kbp_naive.count(gold, system, hop)
    assert f"engine {engine}: " in said[0]
    # Engines that count exactly agree, so that a result does not say which one it was.
    notes = [note for note in result.systems[0].notes if note.code == "engine"]
    assert len(notes) == (engine == "sample")


@settings(max_examples=25)
@given(kbp_naive.sides(), kbp_naive.sides())
def test_slices_agree_with_sets(gold, system):
    names = TripleNames()
    tables = side_table(gold, names), side_table(system, names)
    by = ("relation", "first", "sequence")
    results = [
        score_triples(*(tables[0], {"A": tables[1]}), **PLAIN, by=by, bootstrap=b, documents=all_documents())
        for b in (0, 2)
    ]
    for result in results:
        for hop in (1, 2, 3):
            firsts = {}
            for sequence, wanted in kbp_naive.by_sequence(gold, system, hop).items():
                title = "/".join(f"r{r}" for r in sequence)
                where = {"relation": title} if hop == 1 else {"sequence": title}
                assert counts(result, f"kbp.hop{hop}", **where) == wanted
                firsts[sequence[0]] = np.add(firsts.get(sequence[0], 0), wanted)
            for relation, wanted in firsts.items():
                assert counts(result, f"kbp.hop{hop}", first=f"r{relation}") == tuple(wanted)


@settings(max_examples=15)
@given(kbp_naive.sides(), kbp_naive.sides(), st.integers(0, 50))
def test_samples_are_those_of_counting_anew(gold, system, seed):
    names = TripleNames()
    tables = side_table(gold, names), side_table(system, names)
    result = score_triples(
        *(tables[0], {"A": tables[1]}), **PLAIN, hops=2, bootstrap=6, seed=seed, documents=all_documents()
    )
    (samples,) = result.systems[0].samples
    present = bootstrap_presence(5, 6, Random(seed))
    drawn = [set(np.flatnonzero(column).tolist()) for column in present.T]
    left = [set(range(5)) - {number} for number in range(5)]
    pairs = [set(range(5)) - set(pair) for pair in samples.pairs]
    assert len(pairs) == 10
    for hop in (1, 2):
        at = samples.columns.index(f"kbp.hop{hop}:tp")
        columns = list(zip(*samples.values[at : at + 3], strict=True))
        assert columns[0] == kbp_naive.count(gold, system, hop)
        assert columns[1:6] == [kbp_naive.count(gold, system, hop, kept) for kept in left]
        assert columns[6:12] == [kbp_naive.count(gold, system, hop, kept) for kept in drawn]
        assert columns[12:] == [kbp_naive.count(gold, system, hop, kept) for kept in pairs]


# Laws


@settings(max_examples=20)
@given(kbp_naive.sides())
def test_gold_against_itself(gold):
    names = TripleNames()
    own = side_table(gold, names)
    result = score_triples(own, {"A": own}, **PLAIN, bootstrap=5, identity="both", documents=all_documents())
    for score_ in result.systems[0].scores:
        if score_.part == "f1" and result[score_.metric]["gold"]:
            assert score_.value == 1
    assert result["kbp.hop1"].f1 == result["kbp.hops"].f1 == (1 if gold.triples else 0)


def test_closing_leaves_one_hop_as_it_is_but_for_loops():
    rows = [{"triple": ["a", "Family", "b"], "docs": ["d1"]}, {"triple": ["b", "Near", "c"], "docs": ["d2"]}]
    names = TripleNames()
    gold, system = table(rows, names), table(rows[:1], names)
    open_, close = (score_triples(gold, {"A": system}, profile="paper", symmetric=s) for s in ("annotated", "close"))
    assert open_["kbp.hop1"].f1 == close["kbp.hop1"].f1
    assert counts(close, "kbp.hop1") == (2, 4, 2)


def test_profiles_differ_where_they_say():
    rows = [{"triple": ["a", "Family", "b"], "docs": ["d1"]}, {"triple": ["b", "Employment", "b"], "docs": ["d2"]}]
    names = TripleNames()
    own = table(rows, names)
    paper, usual = (score_triples(own, {"A": own}, profile=profile) for profile in ("paper", "recommended"))
    assert counts(paper, "kbp.hop1") == counts(usual, "kbp.hop1") == (2, 2, 2)
    assert "kbp.hop2.full" in usual
    assert "kbp.hop2.full" not in paper
    assert {score.level for score in paper.systems[0].scores} == {None, 0.9}
    assert {score.level for score in usual.systems[0].scores} == {None, 0.95}
    (f1,) = (score for score in paper.systems[0].scores if (score.metric, score.part) == ("kbp.hop1", "f1"))
    assert f1.uncertainty.method == "percentile"
    assert f1.uncertainty.box is not None
    assert set(f1.uncertainty.intervals) == {"percentile", "centred", "jackknife"}
    assert usual["kbp.self-loops"]["count"] == 1


def test_inverses():
    names = TripleNames()
    gold = table([{"triple": ["a", "per:children", "b"], "docs": ["d"]}], names)
    system = table([{"triple": ["b", "per:parents", "a"], "docs": ["d"]}], names)
    found = {
        inverse: counts(score_triples(gold, {"A": system}, profile="paper", hops=1, inverse=inverse), "kbp.hop1")
        for inverse in ("none", "close", "canonical")
    }
    assert found == {"none": (0, 1, 1), "close": (2, 2, 2), "canonical": (1, 1, 1)}


def test_relations_are_renamed_before_they_are_excluded():
    names = TripleNames()
    gold = table([{"triple": ["a", "Employment", "b"], "docs": ["d"]}], names)
    rows = [{"triple": ["a", r, "b"], "docs": ["d"]} for r in ("works_for", "PER-SOC.Lasting-Personal", "other")]
    how = {"hops": 1, "system_relations": {"works_for": "Employment"}, "include": ("Employment",)}
    result = score_triples(gold, {"A": table(rows, names)}, **how)
    assert counts(result, "kbp.hop1") == (1, 1, 1)
    assert result["kbp.excluded"]["count"] == 2


def test_documents_outside_gold_are_left_out_and_counted():
    gold, system = TripleTable(), TripleTable()
    gold.add("a", "r", "b", "d1")
    for document in ("d1", "d9"):
        system.add("a", "r", "b", document)
        system.add("b", "r", "c", document)
    result = score_triples(gold, {"A": system}, hops=2)
    assert counts(result, "kbp.hop1") == (1, 1, 2)
    assert result["kbp.outside"]["count"] == 2
    assert "one-document" in [note.code for note in result.notes]


def test_names_that_are_not_shared_are_matched_by_name():
    gold, system = TripleTable(), TripleTable()
    gold.add("a", "r", "b", "d1")
    system.add("x", "q", "y", "d1")
    system.add("a", "r", "b", "d1")
    assert counts(score_triples(gold, {"A": system}, hops=1), "kbp.hop1") == (1, 1, 2)


# Saved results


def graph(rng, documents=30, rows=240, names=None):
    found = TripleTable(names)
    for _ in range(rows):
        s, o = rng.integers(0, 40, 2)
        found.add(f"e{s}", f"r{rng.integers(0, 3)}", f"e{o}", f"d{rng.integers(0, documents)}")
    return found


def noisy(gold, rng, keep=0.6):
    found = TripleTable(gold.names)
    other = graph(rng, names=gold.names)
    for row, spare in zip(gold.rows(), other.rows(), strict=True):
        found.add(*(row if rng.random() < keep else spare))
    return found


@pytest.fixture(scope="module")
def campaign():
    rng = np.random.default_rng(5)
    gold = graph(rng, names=TripleNames())
    return gold, {name: noisy(gold, rng, keep) for name, keep in (("A", 0.7), ("B", 0.4), ("C", 0.65))}


def test_saved_results_come_back_as_they_were(campaign, tmp_path):
    gold, systems = campaign
    result = score_triples(gold, systems, bootstrap=60, by=("relation", "sequence"), box=True)
    result.save(tmp_path / "r.json")
    again = Result.load(tmp_path / "r.json")
    assert again == result
    shown = compare(again)
    assert str(shown) == str(result)
    assert shown == result


def test_results_of_single_systems_are_compared_by_the_jackknife(campaign, tmp_path):
    gold, systems = campaign
    together = score_triples(gold, systems, bootstrap=60, test="jackknife", by=("relation",))
    single = [score_triples(gold, {name: own}, bootstrap=60, by=("relation",)) for name, own in systems.items()]
    found = compare(single)
    assert found.options.test == "jackknife"
    assert "other-test" in [note.code for note in found.notes]
    assert {(c.a, c.b, c.metric, str(c.slice)): c.p for c in found.comparisons} == {
        (c.a, c.b, c.metric, str(c.slice)): c.p for c in together.comparisons
    }
    assert [s.scores for s in found.systems] == [s.scores for s in together.systems]


def test_another_level_needs_no_counting(campaign):
    gold, systems = campaign
    wide = score_triples(gold, systems, bootstrap=60)
    narrow = score_triples(gold, systems, bootstrap=60, ci=0.8)
    assert [s.scores for s in compare(wide, level=0.8).systems] == [s.scores for s in narrow.systems]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 4}, "saved with seed 13"),
        ({"bootstrap": 7}, "saved with bootstrap 60"),
        ({"test": "approximate-randomisation"}, "cannot be exchanged"),
        ({"by": ["relation"]}, "not all saved with slices by relation"),
    ],
)
def test_what_saved_results_cannot_do(campaign, change, message):
    gold, systems = campaign
    result = score_triples(gold, systems, bootstrap=60, hops=1)
    with pytest.raises(UsageError, match=message):
        compare(result, **change)


def test_results_on_other_gold_are_refused(campaign):
    gold, systems = campaign
    one = score_triples(gold, {"A": systems["A"]}, bootstrap=0, hops=1)
    other = score_triples(systems["C"], {"B": systems["B"]}, bootstrap=0, hops=1)
    with pytest.raises(UsageError, match="differ in gold"):
        compare(one, other)


# Comparisons


def test_all_pairs_by_every_test(campaign):
    gold, systems = campaign
    for test in ("randomisation", "jackknife", "bootstrap", "centred"):
        result = score_triples(gold, systems, bootstrap=99, test=test, hops=2, identity="both")
        found = {(c.a, c.b, c.metric): c for c in result.comparisons}
        assert len(found) == 3 * 4
        clear = found["A", "B", "kbp.hop1"]
        assert clear.p < 0.05
        assert clear.p <= clear.p_holm
        assert clear.low < clear.difference < clear.high
        assert clear.difference == pytest.approx(result.system("A")["kbp.hop1"].f1 - result.system("B")["kbp.hop1"].f1)
        assert found["A", "B", "kbp.hop2"].test == test


def test_order_of_rows_changes_nothing(campaign):
    gold, systems = campaign
    turned = TripleTable()
    for row in reversed(list(gold.rows())):
        turned.add(*row)
    one, other = (score_triples(g, {"A": systems["A"]}, bootstrap=40) for g in (gold, turned))
    assert one.systems[0].scores == other.systems[0].scores
    assert digest([gold], ["d"]) == digest([turned], ["d"])
    assert digest([gold], ["d"]) != digest([systems["A"]], ["d"])
    assert one.signature == other.signature


def test_files_and_triples_give_the_same(campaign, tmp_path):
    from adjudge.formats.kb_triples import write_triples

    gold, systems = campaign
    for name, own in {"gold": gold, **systems}.items():
        (tmp_path / f"{name}.tsv").write_bytes(b"".join(write_triples(own)))
    paths = [str(tmp_path / f"{name}.tsv") for name in systems]
    read = score(str(tmp_path / "gold.tsv"), paths, bootstrap=30)
    assert read == score_triples(gold, systems, bootstrap=30)


# What is too large


def test_hops_that_are_not_affordable_have_no_interval(campaign, monkeypatch):
    gold, systems = campaign
    monkeypatch.setattr(counting, "WORDS", 300_000)
    result = score_triples(gold, systems)
    assert result["kbp.hop1"].f1.low is not None
    assert result["kbp.hop3"].f1.low is None
    assert result["kbp.hops"].f1.low is None
    assert "not-resampled" in [note.code for note in result.systems[0].notes]
    (difference,) = {c.p for c in result.comparisons if c.metric == "kbp.hop3"}
    assert difference is None
    asked = score_triples(gold, systems, bootstrap=1000)
    assert asked["kbp.hop3"].f1.low is not None
    assert float(asked["kbp.hop3"].f1) == float(result["kbp.hop3"].f1)


def test_a_warning_comes_before_something_huge(campaign, monkeypatch):
    gold, systems = campaign
    said = []
    score_triples(gold, systems, bootstrap=0, warn=said.append)
    assert not said
    monkeypatch.setattr(counting, "_MANY_WALKS", 1000)
    monkeypatch.setattr(counting, "_MANY_WORDS", 1000)
    score_triples(gold, systems, bootstrap=20, warn=said.append, identity="endpoints")
    assert "walks of up to 3 hops" in said[0]
    assert "--bootstrap 0" in said[1]


def test_an_estimate_says_so(campaign, monkeypatch):
    from adjudge.tasks.kbp import engine

    gold, systems = campaign
    exact = score_triples(gold, {"A": systems["A"]}, profile="paper", bootstrap=0)
    real = engine.sample_paths
    monkeypatch.setattr(engine, "sample_paths", lambda *sides, **more: real(*sides, **{**more, "draws": 25}))
    result = score_triples(gold, {"A": systems["A"]}, profile="paper", engine="sample", bootstrap=50)
    assert "estimate" in [note.code for note in result.systems[0].notes]
    (f1,) = (s for s in result.systems[0].scores if (s.metric, s.part) == ("kbp.hop2", "f1"))
    assert f1.uncertainty.estimated
    assert f1.uncertainty.error > 0
    low, high = f1.uncertainty.intervals["bound"]
    assert low <= exact["kbp.hop2"].f1 <= high
    assert "kbp.hops" not in result
    assert result["kbp.hop1"].f1.low is not None
    assert result["kbp.hop2"].f1.level == 0.95


# Mistakes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": ["relatoin"]}, "did you mean relation"),
        ({"engine": "spark"}, "no engine spark"),
        ({"engine": "spares"}, "did you mean sparse"),
        ({"bootstrap": -1}, "bootstrap is -1"),
        ({"ci": 2.0}, "not between 0 and 1"),
        ({"profile": "papr"}, "did you mean paper"),
        ({"hops": 0}, "0 hops"),
        ({"options": make_options(), "hops": 2}, "both given"),
    ],
)
def test_mistakes(campaign, options, message):
    gold, systems = campaign
    with pytest.raises(UsageError, match=message):
        score_triples(gold, systems, **options)


def test_no_system(campaign):
    with pytest.raises(UsageError, match="no system"):
        score_triples(campaign[0], {})


def test_notches_are_shown_for_likeness_only(campaign):
    gold, systems = campaign
    paper = score_triples(gold, systems, profile="paper", bootstrap=200)
    (note,) = [note for note in paper.notes if note.code == "notches-apart"]
    assert "kbp.hop1 A - B" in note.examples
    assert "no test" in note.message
    usual = score_triples(gold, systems, bootstrap=20)
    assert "notches-apart" not in [note.code for note in usual.notes]


def test_zero_because_of_names_is_not_silent():
    gold = b"ana\tEmployment\tcorvex\td1\ncorvex\tOrg-Location\toslo\td2\n"
    other = gold.replace(b"Employment", b"works_for").replace(b"Org-Location", b"based_in")
    upper = b"Ana\tEmployment\tCorvex\td1\n"
    result = score(gold, [gold, other, upper], names=["same", "relations", "nodes"], bootstrap=0)
    codes = {system.name: {note.code for note in system.notes} for system in result.systems}
    assert not codes["same"] & {"no-relation-shared", "no-node-shared"}
    assert codes["relations"] & {"no-relation-shared", "no-node-shared"} == {"no-relation-shared"}
    assert codes["nodes"] & {"no-relation-shared", "no-node-shared"} == {"no-node-shared"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": 100}, "none of the 2 spans in the gold documents is a gold mention"),
        ({"id": "elsewhere"}, "no fact is about a gold document"),
    ],
)
def test_zero_because_of_offsets_or_ids_is_not_silent(change, message):
    def document(id="d", start=0):
        spans = [[{"start": at, "end": at + 3, "text": text}] for at, text in ((start, "Ana"), (start + 10, "Ben"))]
        entities = [{"id": f"E{place}", "mentions": own} for place, own in enumerate(spans)]
        relations = [{"type": "Founder", "subject": "E0", "object": "E1"}]
        return json.dumps({"id": id, "entities": entities, "relations": relations}).encode() + b"\n"

    result = score(document(), [document(), document(**change)], names=["good", "bad"], bootstrap=0, hops=1)
    notes = {system.name: " ".join(note.message for note in system.notes) for system in result.systems}
    assert message in notes["bad"]
    assert message not in notes["good"]


def test_every_comparison_is_by_the_default_test(campaign):
    gold, systems = campaign[0], campaign[1]
    result = score_triples(gold, systems, bootstrap=20, hops=2)
    assert {(each.metric, each.test) for each in result.comparisons} == {
        (metric, "randomisation") for metric in ("kbp.hop1", "kbp.hop2", "kbp.hop2.full", "kbp.hops")
    }
    assert any(note.code == "difference" for note in result.notes)


def test_a_curve_is_what_thresholds_of_the_confidence_give(tmp_path):
    def document(id, *facts):
        entities = [
            {"id": f"E{n}", "mentions": [{"start": 10 * n, "end": 10 * n + 3, "text": f"N{n}{id}"}]} for n in range(4)
        ]
        rows = [{"type": r, "subject": f"E{s}", "object": f"E{o}", "confidence": c} for s, r, o, c in facts]
        return json.dumps({"id": id, "entities": entities, "relations": rows}) + "\n"

    gold = document("a", (0, "Founder", 1, 1.0), (1, "Subsidiary", 2, 1.0), (2, "Subsidiary", 3, 1.0))
    system = document("a", (0, "Founder", 1, 0.9), (1, "Subsidiary", 2, 0.4), (3, "Founder", 0, 0.6))
    read = {"hops": 2, "bootstrap": 0, "names": ["A"]}
    result = score(gold.encode(), [system.encode()], by=["confidence"], **read)
    for least in (0.4, 0.6, 0.9):
        alone = score(gold.encode(), [system.encode()], min_confidence=least, **read)
        for metric in ("kbp.hop1", "kbp.hop2"):
            assert counts(result, metric, confidence=f"{least:g}+") == counts(alone, metric)
    assert {s.slice["confidence"] for s in result.systems[0].scores if s.slice} == {"0.4+", "0.6+", "0.9+"}
    with pytest.raises(UsageError, match="triples have no confidence"):
        score(b"a\tr\tb\td\n", [b"a\tr\tb\td\n"], names=["A"], by=["confidence"])


def test_relations_that_nobody_has_are_named():
    gold = b"ana\tORG-AFF.Employment\tcorvex\td1\nana\tworks\toslo\td1\n"
    how = {"names": ["A"], "bootstrap": 0, "hops": 1, "system_relations": {"works": "Located"}}

    def unknown(**options):
        return [note.message for note in score(gold, [gold], **how, **options).notes if note.code == "unknown-relation"]

    assert not unknown()
    assert not unknown(exclude=("Employment", "Located"), include=("works",))
    assert unknown(exclude=("Emplyment", "works")) == [
        "--exclude names what is no relation of gold or of a system: Emplyment"
    ]
    assert unknown(profile="paper", symmetric_types=("Famly",))[0].startswith("--symmetric-types")


def test_intervals_of_differences_stay_within_what_is_possible():
    gold = b"a\tr\tb\td1\nb\tr\tc\td2\nc\tr\te\td3\n"
    for test in ("randomisation", "jackknife", "bootstrap", "centred"):
        systems = [gold, gold.splitlines(keepends=True)[1]]
        result = score(gold, systems, names=["A", "B"], test=test, bootstrap=50, ci=0.99)
        ends = [end for each in result.comparisons for end in (each.low, each.high)]
        assert len(ends) == 12
        assert all(-1 <= end <= 1 for end in ends)
        # This one is wider than what is possible, and cut.
        assert test in ("bootstrap", "centred") or max(ends) == 1
