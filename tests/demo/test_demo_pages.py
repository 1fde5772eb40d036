"""The page of every demo: asked for, written whole, with the numbers of the terminal."""

import re
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.cli.demo import TASKS
from pages import texts, tree_of


def printed_rows(text):
    """The cells of the lines of the tables that are printed. A page has no word for the whole corpus."""
    metric = re.compile(r"(relation|event|coref|nugget|eal|eal2014|kbp)\.[.\w+-]+ ")
    rows = [re.split(r" {2,}", line.rstrip()) for line in text.splitlines() if metric.match(line)]
    return {tuple(cell for cell in row if cell != "all") for row in rows}


def page_rows(page):
    """The cells of the rows of all tables, without drawings."""
    rows = (row for table in tree_of(page).iter("table") for row in texts(table))
    return {tuple(text for text in row if text not in ("", "all")) for row in rows}


@pytest.mark.parametrize("task", TASKS)
def test_the_page_has_the_numbers_of_the_terminal(task, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["demo", task, "--report", "pages"]) == 0
    printed = capsys.readouterr()
    assert printed.err == f"wrote {Path('pages', task)}.html; open it in a browser\n"
    assert [path.name for path in (tmp_path / "pages").iterdir()] == [f"{task}.html"]
    page = (tmp_path / "pages" / f"{task}.html").read_text(encoding="utf-8")
    rows = printed_rows(printed.out)
    assert len(rows) > 8
    assert not rows - page_rows(page)


def test_nothing_is_written_unless_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["demo", "coref"]) == 0
    alone = capsys.readouterr()
    assert alone.err == ""
    assert not list(tmp_path.iterdir())
    assert run(["demo", "coref", "--report", "pages"]) == 0
    assert capsys.readouterr().out == alone.out


def test_quiet_and_other_formats(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["demo", "coref", "--report", "pages", "--quiet", "--format", "csv"]) == 0
    assert capsys.readouterr().err == ""
    assert (tmp_path / "pages" / "coref.html").exists()


def test_what_cannot_be_written_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    (tmp_path / "pages").mkdir()
    for arguments in (
        ["--report", "file"],
        ["--report", "no/such"],
        ["--report", "pages", "-o", "pages/coref.html"],
    ):
        assert run(["demo", "coref", *arguments]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert "Traceback" not in said.err
    assert (tmp_path / "file").read_text() == "x"
    assert not list((tmp_path / "pages").iterdir())
