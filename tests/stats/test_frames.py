"""Results in notebooks, data frames and test suites."""

import copy
import pickle
import sys
from types import SimpleNamespace

import pytest

import adjudge as aj
from adjudge.errors import UsageError
from adjudge.stats.frames import result_rows

GOLD = [{"id": f"d{i}", "genre": "nw" if i % 2 else "df", "items": ["a", "b"]} for i in range(6)]
GOOD = [{"id": each["id"], "items": ["a", "b"] if i else ["a", "<b>"]} for i, each in enumerate(GOLD)]
POOR = [{"id": each["id"], "items": ["a"]} for each in GOLD]


@pytest.fixture(scope="module")
def result():
    return aj.score("record.set", GOLD, {"<good>": GOOD, "poor": POOR}, by=["genre"], bootstrap=100)


def test_rows_have_the_same_keys(result):
    for rows, number in (("scores", 2 * 3 * 3), ("comparisons", 3), ("documents", 12)):
        found = result_rows(result, rows)
        assert len(found) == number
        assert len({tuple(row) for row in found}) == 1
    documents = result_rows(result, "documents")
    assert documents[0]["slice.genre"] == "df"
    assert documents[0]["record.set.f1"] == 0.5
    assert documents[6]["record.set.recall"] == 0.5
    with pytest.raises(UsageError, match="did you mean scores"):
        result_rows(result, "score")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_are_made_by_the_library(result, library, monkeypatch):
    made = []
    frame = SimpleNamespace(DataFrame=lambda columns, **options: made.append((columns, options)) or "frame")
    monkeypatch.setitem(sys.modules, library, frame)
    assert getattr(result, f"to_{library}")("comparisons") == "frame"
    ((columns, options),) = made
    assert columns["a"] == ["<good>"] * 3
    assert columns["slice.genre"] == [None, "df", "nw"]
    assert options == ({"infer_schema_length": None} if library == "polars" else {})


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_missing_library_is_named(result, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UsageError, match=f"{library} is not installed, install it with: pip install {library}"):
        getattr(result, f"to_{library}")()


def test_everything_can_be_copied_and_pickled(result):
    system = result.systems[0]
    for value in (result, system, result["record.set"], system.table, result["record.set"]["poor"].f1):
        for other in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
            assert repr(other) == repr(value)
    table = copy.deepcopy(system.table)
    assert table.values == system.table.values
    assert pickle.loads(pickle.dumps(result)) == result


def test_html_is_escaped(result):
    agreement = aj.agree("record.set", {"<good>": GOOD, "poor": POOR}, bootstrap=0)
    scores = result["record.set"]
    for value in (result, result.systems[0], scores, scores["<good>"], result.systems[0].table, agreement):
        html = value._repr_html_()
        assert html.startswith('<div class="adjudge"><table>')
        assert "<good>" not in html
        assert html.count("<tr>") == html.count("</tr>") > 1


def test_assert_score(result, tmp_path):
    path = tmp_path / "r.json"
    result.save(path)
    for source in (result, path, str(path)):
        assert aj.assert_score(source, "record.set.f1", at_least=0.6, system="poor") == pytest.approx(2 / 3)
    with pytest.raises(AssertionError, match=r"record\.set\.f1 of <good> is 0\.\d+ \[.*\] \(95 % interval\), .* 0\.99"):
        aj.assert_score(result, "record.set.f1", at_least=0.99, system="<good>")
    with pytest.raises(AssertionError, match=r"above 0\.5"):
        aj.assert_score(result, "record.set.f1", at_most=0.5, system="poor")
    with pytest.raises(AssertionError, match=r"\(genre=df\)"):
        aj.assert_score(result, "record.set.f1", at_least=0.99, system="<good>", where={"genre": "df"})
    # The value is above, but not the whole interval.
    value = result.systems[0]["record.set"].f1
    assert aj.assert_score(result, "record.set.f1", at_least=float(value) - 0.01, system="<good>") == value
    with pytest.raises(AssertionError, match="its interval goes below"):
        aj.assert_score(result, "record.set.f1", at_least=float(value) - 0.01, system="<good>", interval=True)


def test_assert_score_asks_for_what_it_needs(result):
    with pytest.raises(UsageError, match="has no bound"):
        aj.assert_score(result, "record.set.f1", system="poor")
    with pytest.raises(UsageError, match="several systems"):
        aj.assert_score(result, "record.set.f1", at_least=0.5)
    with pytest.raises(UsageError, match=r"did you mean record\.set\.f1"):
        aj.assert_score(result, "record.set.f2", at_least=0.5, system="poor")


def test_an_undefined_score_is_within_no_bounds():
    empty = [{"id": "d", "items": []}]
    found = aj.score("record.set", empty, empty, bootstrap=0, profile="undefined")
    with pytest.raises(AssertionError, match="is undefined"):
        aj.assert_score(found, "record.set.f1", at_least=0.0)
