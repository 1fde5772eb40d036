"""Which documents matter: checked by scoring without each of them."""

import math

import pytest

from adjudge import compare, score
from adjudge.errors import UsageError
from adjudge.stats.influence import largest_differences, select_documents

GOLD = [{"id": f"d{i}", "genre": "ab"[i % 2], "items": [f"{i}-{j}" for j in range(1 + i % 4)]} for i in range(9)]


def spoiled(step: int) -> list[dict]:
    return [
        {"id": each["id"], "items": [item if (i + j) % step else "wrong" for j, item in enumerate(each["items"])]}
        for i, each in enumerate(GOLD)
    ]


SYSTEMS = {"good": spoiled(5), "fair": spoiled(3), "poor": spoiled(2)}


@pytest.fixture(params=["micro", "macro"])
def result(request):
    return score("record.set", GOLD, SYSTEMS, bootstrap=0, by=["genre"], pool=request.param)


def without(document: str, pool: str) -> dict[str, float]:
    rest = [each["id"] for each in GOLD if each["id"] != document]
    found = score("record.set", GOLD, SYSTEMS, bootstrap=0, docs=rest, pool=pool)
    return {system.name: system["record.set"].f1 for system in found.systems}


def test_effects_are_what_scoring_without_the_document_says(result):
    pool = result.options.pool
    found = select_documents(result, len(GOLD))
    assert list(found.ranking) == sorted(found.ranking, key=lambda name: -found.ranking[name])
    for each in found.documents:
        left = without(each.document, pool)
        for effect in each.effects:
            assert effect.without == pytest.approx(left[effect.a] - left[effect.b], abs=1e-12)
            whole = found.ranking[effect.a] - found.ranking[effect.b]
            assert effect.effect == pytest.approx(whole - effect.without, abs=1e-12)
            assert effect.flips == (effect.without < -1e-12 or (whole > 1e-12 and abs(effect.without) < 1e-12))
    order = [each.influence for each in found.documents]
    assert order == sorted(order, reverse=True)


def test_influence_is_the_sum_of_effects_in_units_of_the_gap(result):
    found = select_documents(result, 3)
    scale = {(each.a, each.b): max(abs(each.difference), each.error) for each in found.neighbours}
    for each in found.documents:
        expected = math.fsum(abs(one.effect) / scale[one.a, one.b] for one in each.effects)
        assert each.influence == pytest.approx(expected)


def test_disagreement_orders_too(result):
    found = select_documents(result, 4, order="disagreement")
    order = [each.disagreement for each in found.documents]
    assert order == sorted(order, reverse=True)
    first = found.documents[0]
    values = list(first.scores.values())
    pairs = [abs(values[0] - values[1]), abs(values[0] - values[2]), abs(values[1] - values[2])]
    assert first.disagreement == pytest.approx(sum(pairs) / 3)


def test_largest_differences(result):
    found = largest_differences(result, 4)
    assert len(found.documents) == 4
    sizes = [abs(each.difference) for each in found.documents]
    assert sizes == sorted(sizes, reverse=True)
    for each in found.documents:
        left = without(each.document, result.options.pool)
        whole = result.system(each.a)["record.set"].f1 - result.system(each.b)["record.set"].f1
        assert each.effect == pytest.approx(whole - (left[each.a] - left[each.b]), abs=1e-12)
        assert each.difference == pytest.approx(each.score_a - each.score_b)
    assert {each.slice["genre"] for each in found.slices} <= {"a", "b"}
    assert len(found.slices) == 4


def test_what_cannot_be_selected():
    one = score("record.set", GOLD, {"good": SYSTEMS["good"]}, bootstrap=0)
    with pytest.raises(UsageError, match="at least two systems"):
        select_documents(one, 3)
    two = score("record.set", GOLD, SYSTEMS, bootstrap=0)
    with pytest.raises(UsageError, match=r"did you mean record\.set"):
        select_documents(two, 3, metric="record.sett")
    assert select_documents(two, 3, metric="record.set.recall").part == "recall"
    assert select_documents(compare([two], by=()), 3).part == "f1"
