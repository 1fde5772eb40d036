"""The page of numbers is what its commands print."""

from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture
def generator(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import which_number

    return which_number


def test_the_page_is_what_would_be_written(generator):
    assert generator.PAGE == DOCS / "which-number.md"
    assert generator.page() == generator.PAGE.read_text(encoding="utf-8"), "run make docs-numbers"


def test_every_field_recommends_something_and_says_why(generator):
    for field in generator.FIELDS:
        assert any(row.best for row in field.rows), field.name
        assert field.why.count(".") >= 2, field.name
        assert set(field.shown) <= set(field.files)


def test_every_published_scorer_of_the_shared_examples_is_run(generator):
    from adjudge.scorers.published import find_scorers

    # They score given triggers, generated sentences, mistakes, documents without lists.
    elsewhere = {"rams", "gen-arg", "auto-err", "extract-bench-0.1.0"}
    commands = [row.command for field in generator.FIELDS for row in field.rows]
    for name in ("ner", "amr", "tree", "event", "template", "relation", "linking", "record"):
        ran = " ".join(command for command in commands if command.startswith(f"adjudge {name} score"))
        missing = [each for each in find_scorers(name) if f"--compat {each}" not in ran and each not in elsewhere]
        assert not missing, name


def test_a_row_that_is_not_there_stops_the_page(generator):
    field = generator.FIELDS[1]
    with pytest.raises(SystemExit, match=r"no ner\.nothing"):
        generator.table(field._replace(rows=(field.rows[0]._replace(metric="ner.nothing"),)))
