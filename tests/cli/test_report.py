"""`adjudge report` and `--save-documents` from the command line."""

from pathlib import Path

import pytest

import adjudge as aj
from adjudge.demo import GOLD, SYSTEMS
from adjudge.report.page import render_result
from adjudge.stats.result import Result
from calling import caller
from pages import about, data_of, kept, tree_of


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


call = caller()


@pytest.fixture
def saved(call):
    """Two saved results, one with its documents and one without."""
    options = ["--bootstrap", "50", "--quiet", "--jobs", "1"]
    assert (
        call("score", "relation.strict", GOLD, SYSTEMS["alder"], *options, "--save", "a.json", "--save-documents")[0]
        == 0
    )
    assert call("score", "relation.strict", GOLD, SYSTEMS["birch"], *options, "--save", "b.json")[0] == 0
    return "a.json", "b.json"


def test_a_page(call, saved):
    assert call("report", "a.json", "-o", "page.html", "--title", "A <b> title") == (0, "", "")
    page = Path("page.html").read_text(encoding="utf-8")
    assert tree_of(page).xpath("//h1")[0].text == "A <b> title"
    assert data_of(page)["systems"] == ["alder"]
    assert data_of(page)["metrics"] == ["relation.strict"]
    code, out, err = call("report", "a.json", "--title", "A <b> title")
    assert (code, out, err) == (0, page, "")
    code, _, err = call("report", "a.json", "-o", "page.html", "--verbose")
    assert code == 0
    assert "read 1 result(s)" in err


@pytest.mark.parametrize(
    ("command", "title"),
    [
        (("relation", "score"), "relation: strict, boundary, relaxed"),
        (("score", "relation.strict"), "relation: strict"),
        (("score", "relation.strict,event.trigger-cls"), "relation.strict, event.trigger-cls"),
    ],
)
def test_a_page_is_named_after_the_task_and_its_metrics(call, command, title):
    options = ["--bootstrap", "0", "--quiet", "--jobs", "1"]
    assert call(*command, GOLD, SYSTEMS["alder"], *options, "--save", "own.json")[0] == 0
    assert call("report", "own.json", "-o", "page.html")[0] == 0
    page = tree_of(Path("page.html").read_text(encoding="utf-8"))
    assert [each.text for each in page.xpath("//h1 | /html/head/title")] == [title, title]
    Result.load("own.json").report("written.html")
    assert tree_of(Path("written.html").read_text(encoding="utf-8")).xpath("//h1")[0].text == title


def test_a_page_of_scores_that_no_document_has_is_named_too():
    mentions = [{"span": {"start": 0, "end": 4}, "type": "PER", "entity": "Q1"}]
    result = aj.score("linking", [{"id": "d", "mentions": mentions}], [{"id": "d", "mentions": mentions}], bootstrap=0)
    page = tree_of(render_result(result))
    assert page.xpath("//h1")[0].text.startswith("linking: ")
    assert page.xpath("/html/head/title")[0].text == page.xpath("//h1")[0].text


def test_the_numbers_are_those_of_compare(call, saved):
    _, text, _ = call("compare", *saved)
    code, page, _ = call("report", *saved)
    assert code == 0
    line = next(line for line in text.splitlines() if "alder - birch" in line)
    assert "".join(kept(page, "pairs")[0]).replace(" ", "") == "".join(line.split())
    assert data_of(page)["systems"] == ["alder", "birch"]
    assert data_of(page)["metrics"] == ["relation.strict"]


def test_names_slices_and_intervals(call, saved):
    code, page, _ = call("report", "old=a.json", "new=b.json", "--by", "genre", "--ci", "90", "--bootstrap", "20")
    assert code == 0
    assert data_of(page)["systems"] == ["old", "new"]
    foot = about(page)
    assert "boot:20" in foot
    assert "ci:90" in foot
    assert "by:genre" in foot
    code, page, _ = call("report", "a.json", "--by", "genre")
    assert code == 0
    assert tree_of(page).get_element_by_id("slices") is not None


def test_what_is_wrong_is_said(call, saved):
    Path("x.json").write_text("{}")
    code, _, err = call("report", "x.json", "-o", "page.html")
    assert (code, "not a saved result" in err) == (1, True)
    code, _, err = call("report", "none.json")
    assert (code, "cannot be read" in err) == (2, True)
    code, _, err = call("report", "a.json", "-o", "a.json")
    assert code == 2
    code, _, err = call("report", "a.json", "a.json")
    assert (code, "two systems are called alder" in err) == (2, True)
    assert call("report")[0] == 2
    assert not Path("page.html").exists()
    assert Result.load("a.json").documents


def test_one_document_is_shown_or_all_are_saved(call):
    code, _, err = call("score", "relation.strict", GOLD, SYSTEMS["alder"], "--explain", "nw-01", "--save-documents")
    assert code == 2
    assert "cannot be combined" in err
