"""Scores of knowledge bases: the cases, and every engine against Python sets."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kbp_annotation
import kbp_naive
from adjudge.model.kbp import TripleNames, TripleTable
from adjudge.stats.resample import Stream, bootstrap_weights
from adjudge.tasks.kbp.mapping import map_systems
from adjudge.tasks.kbp.options import make_options
from adjudge.tasks.kbp.scoring import score_mapped, score_triples

PLAIN = {"profile": "paper", "exclude": ()}


def table(rows, names):
    found = TripleTable(names)
    for row in rows:
        for document in row["docs"]:
            found.add(*row["triple"], document)
    return found


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
        assert kbp_naive.scored_counts(result, metric) == (wanted["tp"], wanted["n_gold"], wanted["n_sys"]), hop
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
        assert kbp_naive.scored_counts(result, metric, system) == (wanted["tp"], wanted["n_gold"], wanted["n_sys"])
        assert result.system(system)[metric].f1 == pytest.approx(wanted["f1"])


def test_the_paper_stands_beside_system_identity(example):
    result = scored_example(example, identity_source="system", test="randomisation")
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
    found = {name: int(result[f"kbp.{name}"]["A"]["count"]) for name in ("unaligned", "unattested", "out-of-scope")}
    log = example.expected["system_A_log"]
    assert found["out-of-scope"] == sum("scope" in str(row) for row in log) > 0
    assert found["unaligned"] > 0
    assert {note.code for note in result.systems[0].notes} >= {"unaligned", "out-of-scope"}
    gold = next(note for note in result.notes if note.code == "gold")
    assert "1 excluded" in gold.message
    assert "1 out-of-scope" in gold.message


# Engines against Python sets


@settings(max_examples=25)
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
        assert kbp_naive.scored_counts(result, metric) == wanted
        assert kbp_naive.scored_counts(again, metric) == wanted


@pytest.mark.parametrize("engine", ["sparse", "sample"])
@settings(max_examples=15)
@given(gold=kbp_naive.sides(), system=kbp_naive.sides())
def test_all_engines_agree(engine, gold, system):
    names = TripleNames()
    tables = side_table(gold, names), side_table(system, names)
    how = {**PLAIN, "engine": engine, "bootstrap": 0, "documents": all_documents()}
    said = []
    result = score_triples(tables[0], {"A": tables[1]}, **how, say=said.append)
    for hop in (1, 2, 3):
        # All first nodes fit into the sample, so that the estimate is exact.
        assert kbp_naive.scored_counts(result, f"kbp.hop{hop}") == kbp_naive.count(gold, system, hop)
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
                assert kbp_naive.scored_counts(result, f"kbp.hop{hop}", **where) == wanted
                firsts[sequence[0]] = np.add(firsts.get(sequence[0], 0), wanted)
            for relation, wanted in firsts.items():
                assert kbp_naive.scored_counts(result, f"kbp.hop{hop}", first=f"r{relation}") == tuple(wanted)


@settings(max_examples=15)
@given(kbp_naive.sides(), kbp_naive.sides(), st.integers(0, 50))
def test_samples_are_those_of_counting_anew(gold, system, seed):
    names = TripleNames()
    tables = side_table(gold, names), side_table(system, names)
    result = score_triples(
        *(tables[0], {"A": tables[1]}), **PLAIN, hops=2, bootstrap=6, seed=seed, documents=all_documents()
    )
    (samples,) = result.systems[0].samples
    (weights,) = bootstrap_weights(5, 6, Stream(seed))
    drawn = [set(np.flatnonzero(row).tolist()) for row in weights]
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


def test_profiles_differ_where_they_say():
    rows = [{"triple": ["a", "Family", "b"], "docs": ["d1"]}, {"triple": ["b", "Employment", "b"], "docs": ["d2"]}]
    names = TripleNames()
    own = table(rows, names)
    paper, usual = (score_triples(own, {"A": own}, profile=profile) for profile in ("paper", "recommended"))
    assert kbp_naive.scored_counts(paper, "kbp.hop1") == kbp_naive.scored_counts(usual, "kbp.hop1") == (2, 2, 2)
    assert "kbp.hop2.full" in usual
    assert "kbp.hop2.full" not in paper
    assert {score.level for score in paper.systems[0].scores} == {None, 0.9}
    assert {score.level for score in usual.systems[0].scores} == {None, 0.95}
    (f1,) = (score for score in paper.systems[0].scores if (score.metric, score.part) == ("kbp.hop1", "f1"))
    assert f1.uncertainty is None  # all documents agree
    assert usual["kbp.self-loops"]["count"] == 1


def test_inverses():
    names = TripleNames()
    gold = table([{"triple": ["a", "per:children", "b"], "docs": ["d"]}], names)
    system = table([{"triple": ["b", "per:parents", "a"], "docs": ["d"]}], names)
    found = {
        inverse: kbp_naive.scored_counts(
            score_triples(gold, {"A": system}, profile="paper", hops=1, inverse=inverse), "kbp.hop1"
        )
        for inverse in ("none", "close", "canonical")
    }
    assert found == {"none": (0, 1, 1), "close": (2, 2, 2), "canonical": (1, 1, 1)}


def test_relations_are_renamed_before_they_are_excluded():
    names = TripleNames()
    gold = table([{"triple": ["a", "Employment", "b"], "docs": ["d"]}], names)
    rows = [{"triple": ["a", r, "b"], "docs": ["d"]} for r in ("works_for", "PER-SOC.Lasting-Personal", "other")]
    how = {"hops": 1, "system_relations": {"works_for": "Employment"}, "include": ("Employment",)}
    result = score_triples(gold, {"A": table(rows, names)}, **how)
    assert kbp_naive.scored_counts(result, "kbp.hop1") == (1, 1, 1)
    assert result["kbp.excluded"]["count"] == 2


def test_documents_outside_gold_are_left_out_and_counted():
    gold, system = TripleTable(), TripleTable()
    gold.add("a", "r", "b", "d1")
    for document in ("d1", "d9"):
        system.add("a", "r", "b", document)
        system.add("b", "r", "c", document)
    result = score_triples(gold, {"A": system}, hops=2)
    assert kbp_naive.scored_counts(result, "kbp.hop1") == (1, 1, 2)
    assert result["kbp.outside"]["count"] == 2
    assert "one-document" in [note.code for note in result.notes]
