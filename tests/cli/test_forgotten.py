"""What people forget or say twice: nothing of it is dropped in silence."""

from __future__ import annotations

import pytest


def test_a_list_that_is_given_twice_is_one_list(adjudge) -> None:
    files = ("relation", "score", "gold.jsonl", "good.jsonl", "--bootstrap", "0", "--quiet")
    once = adjudge(*files, "--metric", "relation.strict,relation.boundary", "--docs", "d1,d2")
    twice = adjudge(
        *files, "--metric", "relation.strict", "--docs=d1", "--metric=relation.boundary", "--docs", "d2", "--quiet"
    )
    assert once.code == twice.code == 0, twice.err
    assert once.out == twice.out
    assert "relation.boundary" in once.out
    valid = ("relation", "validate", "gold.jsonl", "--metric", "relation.strict", "--metric")
    assert adjudge(*valid, "relation.boundary").code == 0
    assert "'nonsense'" in adjudge(*valid, "nonsense").err


def test_one_score_that_is_given_twice_is_an_error(adjudge) -> None:
    ran = adjudge("select", "a.json", "--metric", "relation.strict", "--metric=relation.boundary")
    assert (ran.code, ran.err) == (2, "error: --metric is given twice, give it once\n")


@pytest.mark.parametrize("systems", [("good.jsonl",), ("good.jsonl", "poor.jsonl")])
def test_a_forgotten_metric_is_said(systems: tuple[str, ...], adjudge) -> None:
    files = " ".join(("gold.jsonl", *systems))
    ran = adjudge("score", "gold.jsonl", *systems)
    said = f"the metric comes first, and gold.jsonl is a file, write adjudge score METRIC {files}, or adjudge {files}"
    assert (ran.code, ran.err) == (2, f"error: {said}, which guesses the task\n")


def test_a_forgotten_side_is_said(adjudge) -> None:
    ran = adjudge("score", "relation.strict", "gold.jsonl")
    assert ran.code == 2
    assert "missing argument 'SYSTEM...' ('METRIC' comes first, then 'GOLD'; adjudge GOLD SYSTEM guesses" in ran.err


def test_slices_by_a_field_of_elements_say_how_it_is_called(adjudge) -> None:
    ran = adjudge("relation", "score", "gold.jsonl", "good.jsonl", "--by", "type")
    said = "no gold document has a field 'type' to slice by, elements have it: write relations.type"
    assert (ran.code, ran.err) == (2, f"error: {said}\n")
    assert adjudge("relation", "score", "gold.jsonl", "good.jsonl", "--by", "relations.type").code == 0
