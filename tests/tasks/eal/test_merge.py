"""Two stores of assessments as one."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as examples

from adjudge.errors import ValidationError
from adjudge.formats.eal_assessments import parse_key, write_key
from adjudge.formats.eal_store import open_key
from adjudge.model.eal import AnswerKey, Assessment, Cas
from adjudge.tasks.eal.assess import merge, merge_clusters
from adjudge.tasks.eal.stores import merge_stores
from eal_keys import CORPUS, GOOD, contents, keys, named, put, same
from eal_responses import cases, response

BOB, ANN = response("Bob"), response("Ann", at=(5, 7))


def key_of(side: dict) -> AnswerKey:
    right = {named(letter): GOOD for letter in side["assessed_correct"]}
    wrong = {named(letter): Assessment("W") for letter in side.get("assessed_wrong_no_coref", ())}
    coref = {named(letter).cas: cluster for letter, cluster in side["assessed_correct"].items()}
    return AnswerKey("d", {**right, **wrong}, [named(letter) for letter in side["unassessed"]], coref)


def test_the_official_case():
    case = cases()["merge_assessment_stores"]
    merged = merge(key_of(case["baseline"]), key_of(case["additional"]))
    wanted = case["merged"]
    assert {cas.text: cluster for cas, cluster in merged.key.coref.items()} == wanted["coref"]
    assert sorted(each.cas.text for each in merged.key.assessed) == wanted["assessed"]
    assert sorted(each.cas.text for each in merged.key.unassessed) == wanted["unassessed"]
    assert {named(letter).cas for letter in wanted["no_coref"]}.isdisjoint(merged.key.coref)
    assert sorted(each.cas.text for each in merged.newly_assessed) == list("acdegk")
    assert merged.disagreements == []
    assert merged.split == [5]  # h i j k: 198, 197, 197


def test_the_case_through_files(tmp_path: Path):
    case = cases()["merge_assessment_stores"]
    sides = [put(tmp_path / side, key_of(case[side])) for side in ("baseline", "additional")]
    done = merge_stores(sides, tmp_path / "out")
    assert (done.documents, done.assessed, done.newly_assessed, done.unassessed) == (1, 11, 6, 2)
    key = open_key(tmp_path / "out").key("d")
    found = {cas.text: cluster for cas, cluster in key.coref.items()}
    wanted = case["merged"]["coref"]
    # Files are sorted by hash, so that new clusters may come in another order.
    assert {name: cluster for name, cluster in found.items() if cluster <= 200} == {
        name: cluster for name, cluster in wanted.items() if cluster <= 200
    }
    assert {found["c"], found["d"]} == {201, 202}
    assert found["d"] == found["e"]


def test_the_baseline_has_priority():
    one = AnswerKey("d", {BOB: GOOD}, (), {BOB.cas: 1})
    other = AnswerKey("d", {BOB: Assessment("W"), ANN: Assessment("C", "W")}, (), {BOB.cas: 5, ANN.cas: 5})
    merged = merge(one, other)
    assert merged.key.assessed == {BOB: GOOD, ANN: Assessment("C", "W")}
    assert merged.key.coref == {BOB.cas: 1, ANN.cas: 1}
    assert [(each.baseline, each.additional) for each in merged.disagreements] == [(GOOD, Assessment("W"))]


def test_ties_go_to_the_first():
    a, b, c = (Cas(letter, (0, 0)) for letter in "abc")
    assert merge_clusters({a: 8, b: 9}, {a: 1, b: 1, c: 1})[c] == 8
    assert merge_clusters({a: 8, b: 9}, {b: 1, a: 1, c: 1})[c] == 9


@given(keys())
@examples(max_examples=60)
def test_a_store_merged_with_itself_or_nothing_is_itself(key: AnswerKey):
    for merged in (merge(key, key), merge(key, AnswerKey("d")), merge(AnswerKey("d"), key)):
        assert same(merged.key, key)
        assert not merged.disagreements
        assert not merged.split
        assert not merged.joined


@given(keys(), keys())
@examples(max_examples=100)
def test_merging_by_its_definition(one: AnswerKey, other: AnswerKey):
    merged = merge(one, other).key
    assert merged.assessed == {**other.assessed, **one.assessed}
    told = {*one.assessed, *one.unassessed, *other.assessed, *other.unassessed}
    assert set(merged.unassessed) == told - merged.assessed.keys()
    assert merged.coref.keys() == {**one.coref, **other.coref}.keys()
    for cas, cluster in merged.coref.items():
        if cas in one.coref:
            assert cluster == one.coref[cas]
            continue
        mates = [mate for mate, number in other.coref.items() if number == other.coref[cas]]
        votes = Counter(one.coref[mate] for mate in mates if mate in one.coref)
        if votes:
            assert votes[cluster] == max(votes.values())
        elif one.coref:
            assert cluster > max(one.coref.values())
        # New CASes of one cluster stay together, and apart from those that the baseline does not know either.
        for mate, number in other.coref.items():
            if mate not in one.coref and number == other.coref[cas]:
                assert merged.coref[mate] == cluster
    assert not parse_key(write_key(merged), "d")[1]
    assert same(merge(merged, other).key, merged)


def test_the_corpus_with_itself(tmp_path: Path):
    done = merge_stores([CORPUS / "key", CORPUS / "key"], tmp_path / "out")
    assert (done.documents, done.assessed, done.newly_assessed, done.disagreements) == (12, 205, 0, [])
    assert contents(tmp_path / "out") == {
        name: write_key(open_key(CORPUS / "key").key(name)) for name in contents(CORPUS / "key")
    }


def test_halves_make_the_whole(tmp_path: Path):
    """What two assessors have done of one store, each a part, is the store again."""
    halves: tuple[list[AnswerKey], list[AnswerKey]] = [], []
    for key in open_key(CORPUS / "key"):
        for half, found in enumerate(halves):
            mine = {each: a for number, (each, a) in enumerate(key.assessed.items()) if number % 2 == half}
            rest = [each for each in key.assessed if each not in mine]
            cases = {each.cas for each in mine}
            found.append(AnswerKey(key.document, mine, rest, {c: n for c, n in key.coref.items() if c in cases}))
    put(tmp_path / "one", *halves[0])
    put(tmp_path / "two", *halves[1])
    done = merge_stores([tmp_path / "one", tmp_path / "two"], tmp_path / "out")
    assert (done.assessed, done.unassessed, done.disagreements) == (205, 0, [])
    for key in open_key(CORPUS / "key"):
        assert open_key(tmp_path / "out").key(key.document).assessed == key.assessed


def test_three_stores_and_documents_of_only_some(tmp_path: Path):
    paths = [
        put(tmp_path / "a", AnswerKey("d", {BOB: GOOD}, (), {BOB.cas: 3})),
        put(tmp_path / "b", AnswerKey("e", {response(document="e"): Assessment("W")})),
        put(tmp_path / "c", AnswerKey("d", {ANN: GOOD}, (), {ANN.cas: 9})),
    ]
    merge_stores(paths, tmp_path / "out")
    out = open_key(tmp_path / "out")
    assert out.documents == ["d", "e"]
    assert out.key("d").coref == {BOB.cas: 3, ANN.cas: 4}


def test_all_problems_of_all_stores(tmp_path: Path):
    one, two = put(tmp_path / "one"), put(tmp_path / "two")
    (one / "d").write_text("x\n")
    (two / "e").write_text("y\n")
    with pytest.raises(ValidationError) as caught:
        merge_stores([one, two], tmp_path / "out")
    assert len(caught.value.problems) == 2
    assert not (tmp_path / "out").exists()
