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
from eal_keys import GOOD, keys, named, put, same
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


def test_ties_go_to_the_first():
    a, b, c = (Cas(letter, (0, 0)) for letter in "abc")
    assert merge_clusters({a: 8, b: 9}, {a: 1, b: 1, c: 1})[c] == 8
    assert merge_clusters({a: 8, b: 9}, {b: 1, a: 1, c: 1})[c] == 9


@given(keys())
@examples(max_examples=30)
def test_a_store_merged_with_itself_or_nothing_is_itself(key: AnswerKey):
    for merged in (merge(key, key), merge(key, AnswerKey("d")), merge(AnswerKey("d"), key)):
        assert same(merged.key, key)
        assert not merged.disagreements
        assert not merged.split
        assert not merged.joined


@given(keys(), keys())
@examples(max_examples=50)
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
