"""Saved results whose counts do not add over documents, compared again: other levels, tests and slices."""

import msgspec
import pytest

import adjudge as aj
from adjudge.errors import UsageError
from adjudge.stats.compare import compare


def mention(place, side):
    start = 10 * (place % 4)
    entity = f"Q{(place + (side and place % 5 == 0)) % 3}"
    return {
        "span": {"start": start, "end": start + 3 + (side == 2 and place % 3 == 0)},
        "type": "PER",
        "entity": entity,
    }


def documents(side):
    return [
        {"id": f"d{k:02}", "genre": "ab"[k % 2], "mentions": [mention(4 * k + n, side) for n in range(1 + k % 4)]}
        for k in range(10)
    ]


@pytest.fixture(scope="module")
def both():
    return aj.score(
        "linking.b3,linking.ceafm", documents(0), {"one": documents(1), "two": documents(2)}, by=["genre"], bootstrap=40
    )


@pytest.fixture(scope="module")
def alone():
    return [
        aj.score("linking.b3", documents(0), {name: documents(side)}, bootstrap=40)
        for name, side in (("one", 1), ("two", 2))
    ]


def scores(result, **where):
    return {
        (system.name, score.metric, score.part): (score.value, score.low, score.high)
        for system in result.systems
        for score in system.scores
        if score.slice == where
    }


def test_nothing_changed_is_the_same_result(both):
    again = compare([both])
    assert scores(again) == scores(both)
    assert again.comparisons == both.comparisons
    assert again.options.test == both.options.test == "auto"
    assert again.signature.split("|v:")[0] == both.signature.split("|v:")[0]
    assert again.notes == both.notes


def test_another_level_moves_the_ends_and_nothing_else(both):
    wide, narrow = compare([both], level=0.99), compare([both], level=0.5)
    for key, (value, low, high) in scores(both).items():
        if low is None:
            continue
        assert scores(wide)[key][0] == scores(narrow)[key][0] == value
        assert scores(wide)[key][1] <= low <= scores(narrow)[key][1] <= value
        assert value <= scores(narrow)[key][2] <= high <= scores(wide)[key][2]
    assert any(scores(wide)[key][1] < low for key, (_, low, _) in scores(both).items() if low)
    assert wide.options.level == 0.99
    for one, other in zip(wide.comparisons, narrow.comparisons, strict=True):
        assert one.difference == other.difference
        assert one.low <= other.low <= other.high <= one.high
    assert any(one.low < other.low for one, other in zip(wide.comparisons, narrow.comparisons, strict=True))


@pytest.mark.parametrize(
    ("test", "name"),
    [("auto", "jackknife"), ("jackknife", "jackknife"), ("bootstrap", "bootstrap"), ("centred", "centred")],
)
def test_the_test_that_was_asked_for(both, test, name):
    found = compare([both], test=test)
    assert found.options.test == test
    assert {each.test for each in found.comparisons if each.p is not None} <= {name}
    assert f"test:{name}" in found.signature
    drawn = ["few-resamples"] if test in ("bootstrap", "centred") else []
    assert [note.code for note in found.notes] == [*drawn, "few-documents"]


def test_results_of_their_own_are_put_together(alone):
    found = compare(alone)
    assert [system.name for system in found.systems] == ["one", "two"]
    assert {(each.a, each.b) for each in found.comparisons} == {("one", "two")}
    assert all(each.part == "f1" for each in found.comparisons)
    merged, first = found.options.fields["in"], alone[0].options.fields["in"]
    assert merged != first
    assert len(merged) == len(first)
    together = aj.score("linking.b3", documents(0), {"one": documents(1), "two": documents(2)}, bootstrap=40)
    assert scores(found) == scores(together)
    assert [each.difference for each in found.comparisons] == [each.difference for each in together.comparisons]


def test_slices_can_be_left_out_but_not_made(both):
    assert scores(both, genre="a")
    without = compare([both], by=[])
    assert not scores(without, genre="a")
    assert not any(each.slice for each in without.comparisons)
    with pytest.raises(UsageError, match="not all saved with slices by type"):
        compare([both], by=["type"])


def test_what_saved_samples_cannot_give(both):
    for wrong in ({"test": "approximate-randomisation"}, {"bootstrap": 41}, {"seed": 14}):
        with pytest.raises(UsageError):
            compare([both], **wrong)
    with pytest.raises(UsageError, match="no counts per document"):
        compare([msgspec.structs.replace(both, options=None)])
    assert compare([both], bootstrap=40, seed=13).comparisons == both.comparisons
