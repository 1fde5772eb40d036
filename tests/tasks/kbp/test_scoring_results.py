"""Results of knowledge bases: saved, compared, too large to count, and mistaken."""

import json

import numpy as np
import pytest

import adjudge as aj
import kbp_naive
from adjudge.errors import UsageError, ValidationError
from adjudge.model.kbp import TripleNames, TripleTable
from adjudge.stats.compare import compare
from adjudge.stats.result import Result
from adjudge.tasks.kbp import counting
from adjudge.tasks.kbp.options import make_options
from adjudge.tasks.kbp.relations import table_digest
from adjudge.tasks.kbp.scoring import score, score_triples

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
    assert found.options.test == "auto"
    assert "|test:jackknife|" in found.signature
    assert {(c.a, c.b, c.metric, str(c.slice)): c.p for c in found.comparisons} == {
        (c.a, c.b, c.metric, str(c.slice)): c.p for c in together.comparisons
    }
    assert [s.scores for s in found.systems] == [s.scores for s in together.systems]


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
    assert table_digest(gold) == table_digest(turned)
    assert table_digest(gold) != table_digest(systems["A"])
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
    assert result["kbp.hop1"]["A"].f1.low is not None
    assert result["kbp.hop3"]["A"].f1.low is None
    assert result["kbp.hops"]["A"].f1.low is None
    assert "not-resampled" in [note.code for note in result.systems[0].notes]
    (difference,) = {c.p for c in result.comparisons if c.metric == "kbp.hop3"}
    assert difference is None
    asked = score_triples(gold, systems, bootstrap=1000)
    assert asked["kbp.hop3"]["A"].f1.low is not None
    assert float(asked["kbp.hop3"]["A"].f1) == float(result["kbp.hop3"]["A"].f1)


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
    gold, systems = campaign
    exact = score_triples(gold, {"A": systems["A"]}, profile="paper", bootstrap=0)
    real = counting.sample_paths
    monkeypatch.setattr(counting, "sample_paths", lambda *sides, **more: real(*sides, **{**more, "draws": 25}))
    result = score_triples(gold, {"A": systems["A"]}, profile="paper", engine="sample", bootstrap=50)
    assert "estimate" in [note.code for note in result.systems[0].notes]
    (f1,) = (s for s in result.systems[0].scores if (s.metric, s.part) == ("kbp.hop2", "f1"))
    assert f1.uncertainty.estimated
    assert f1.uncertainty.error > 0
    low, high = f1.uncertainty.intervals["bound"]
    assert low <= exact["kbp.hop2"].f1 <= high
    assert "kbp.hops" not in result
    assert result["kbp.hop1"].f1.low is not None
    assert result["kbp.hop2"].f1.level == 0.9
    monkeypatch.setattr(counting, "WALKS", 5000)  # two hops can be counted
    result = score_triples(gold, {"A": systems["A"]}, profile="paper", bootstrap=0)
    (note,) = (note for note in result.systems[0].notes if note.code == "engine")
    assert "walks of 3 hops are more than 5e+03: hops beyond 2 are estimated" in note.message
    assert result["kbp.hop2"].f1 == exact["kbp.hop2"].f1


# Mistakes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": ["relatoin"]}, "did you mean relation"),
        ({"engine": "spark"}, "no engine spark"),
        ({"engine": "spares"}, "did you mean sparse"),
        ({"engine": "sample", "walks": "simple"}, "endpoints of all walks only"),
        ({"engine": "sample", "identity": "full"}, "endpoints of all walks only"),
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


def test_documents_are_chosen_as_in_every_task_and_not_averaged():
    gold = b"a\tr\tb\td1\nb\tr\tc\td2\n"
    result = score(gold, [gold.splitlines()[0]], names=["A"], hops=1, docs=["d1"])
    assert (result.systems[0].documents, result["kbp.hop1"].recall) == (1, 1)
    with pytest.raises(UsageError, match="paths cross documents"):
        score(gold, [gold], names=["A"], pool="macro")


def test_notches_are_shown_for_likeness_only(campaign):
    gold, systems = campaign
    paper = score_triples(gold, systems, profile="paper", bootstrap=200)
    (note,) = [note for note in paper.notes if note.code == "notches-apart"]
    assert "kbp.hop1 A - B" in note.examples
    assert "not a test" in note.message
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


def test_zero_because_of_offsets_or_ids_is_not_silent():
    def document(id="d", start=0):
        spans = [[{"start": at, "end": at + 3, "text": text}] for at, text in ((start, "Ana"), (start + 10, "Ben"))]
        entities = [{"id": f"E{place}", "mentions": own} for place, own in enumerate(spans)]
        relations = [{"type": "Founder", "subject": "E0", "object": "E1"}]
        return json.dumps({"id": id, "entities": entities, "relations": relations}).encode() + b"\n"

    how = {"names": ["good", "bad"], "bootstrap": 0, "hops": 1}
    result = score(document(), [document(), document(start=100)], **how)
    notes = {system.name: " ".join(note.message for note in system.notes) for system in result.systems}
    message = "none of the 2 spans in the gold documents is a gold mention"
    assert message in notes["bad"]
    assert message not in notes["good"]
    with pytest.raises(ValidationError, match="no document is in common"):
        score(document(), [document(), document(id="elsewhere")], **how)


def test_every_comparison_is_by_the_default_test(campaign):
    gold, systems = campaign[0], campaign[1]
    result = score_triples(gold, systems, bootstrap=20, hops=2)
    assert {(each.metric, each.test) for each in result.comparisons} == {
        (metric, "jackknife") for metric in ("kbp.hop1", "kbp.hop2", "kbp.hop2.full", "kbp.hops")
    }
    assert not any(note.code == "difference" for note in result.notes)
    exchanged = score_triples(gold, systems, bootstrap=20, hops=2, test="randomisation")
    assert any(note.code == "difference" for note in exchanged.notes)
    again = compare([exchanged], level=0.9)
    assert {each.test for each in again.comparisons} == {"jackknife"}
    assert any(note.code == "other-test" for note in again.notes)


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
            assert kbp_naive.scored_counts(result, metric, confidence=f"{least:g}+") == kbp_naive.scored_counts(
                alone, metric
            )
    assert {s.slice["confidence"] for s in result.systems[0].scores if s.slice} == {"0.4+", "0.6+", "0.9+"}
    plain = b"a\tr\tb\td\n"
    for asked in ({"by": ["confidence"]}, {"min_confidence": 0.5}):
        with pytest.raises(UsageError, match="no system says how confident it is"):
            score(plain, [plain], names=["A"], **asked)


def test_the_confidences_of_a_graph_are_used():
    gold = b"subject,relation,object\nana,founded,corvex\ncorvex,in,oslo\n"
    system = b"subject,relation,object,score\nana,founded,corvex,0.9\ncorvex,in,oslo,0.2\nana,in,oslo,0.4\n"
    read = {"hops": 2, "bootstrap": 0, "names": ["A"]}
    result = score(gold, [system], by=["confidence"], **read)
    for least, counts in ((0.2, (2, 2, 3)), (0.4, (1, 2, 2)), (0.9, (1, 2, 1))):
        alone = score(gold, [system], min_confidence=least, **read)
        assert kbp_naive.scored_counts(alone, "kbp.hop1") == counts
        assert kbp_naive.scored_counts(result, "kbp.hop1", confidence=f"{least:g}+") == counts


def test_what_is_not_confident_enough_is_not_checked(tmp_path):
    ontology = tmp_path / "ontology.tsv"
    ontology.write_text("relation\tdomain\trange\nfounded\tPER\tORG\n")
    system = b"subject,relation,object,score\nana,founded,corvex,0.9\nana,in,oslo,0.4\ncorvex,in,oslo,0.2\n"
    found = {}
    for least in (0.3, 0.5):
        result = aj.score("kbp", system, system, ontology=str(ontology), min_confidence=least, bootstrap=0)
        found[least] = result["kbp.conformance.relation"].rate
    assert found == {0.3: 0.5, 0.5: 1.0}


def test_relations_that_nobody_has_are_named():
    gold = b"ana\tORG-AFF.Employment\tcorvex\td1\nana\tworks\toslo\td1\n"
    how = {"names": ["A"], "bootstrap": 0, "hops": 1, "system_relations": {"works": "Located"}}

    def unknown(**options):
        return [note.message for note in score(gold, [gold], **how, **options).notes if note.code == "unknown-relation"]

    assert not unknown()
    assert not unknown(exclude=("Employment", "Located"), include=("works",))
    assert unknown(exclude=("Emplyment", "works")) == [
        "--exclude names what is not a relation of gold or of a system: Emplyment"
    ]
    assert unknown(profile="paper", symmetric_types=("Famly",))[0].startswith("--symmetric-types")


def test_intervals_of_differences_stay_within_what_is_possible():
    gold = b"a\tr\tb\td1\nb\tr\tc\td2\nc\tr\te\td3\n"
    for test in ("randomisation", "jackknife", "bootstrap", "centred"):
        systems = [gold, gold.splitlines(keepends=True)[1]]
        result = score(gold, systems, names=["A", "B"], test=test, bootstrap=50, ci=0.99)
        ends = [end for each in result.comparisons for end in (each.low, each.high) if end is not None]
        assert ends
        assert all(-1 <= end <= 1 for end in ends)
        # This one is wider than what is possible, and cut.
        assert test in ("bootstrap", "centred") or max(ends) == 1
