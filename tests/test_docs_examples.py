"""The pages promise nothing that is not there: commands in running text parse, every page is in the index."""

import re
import shlex
from pathlib import Path

import click
import pytest

from adjudge.cli.app import app
from adjudge.errors import AdjudgeError
from adjudge.metrics import find

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
OTHERS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md"]
HOOKS = ROOT / "docs" / "recipes" / "pre-commit-config.yaml"
TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in [*PAGES, *OTHERS]}
TEXTS[HOOKS.name] = re.sub(r"entry: (.*)", r"`\1`", HOOKS.read_text(encoding="utf-8"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BREAK = re.compile(r"[|;<>&]+")


def commands(text):
    """Every call in running text; what stands in blocks is run by test_docs_pages.py."""
    return dict.fromkeys(re.findall(r"`(adjudge [^`\n]+)`", BLOCK.sub("", text)))


def words(line):
    """The arguments of the first command of a line."""
    parser = shlex.shlex(line, posix=True, punctuation_chars="|;<>&")
    parser.whitespace_split, parser.commenters = True, "#"
    given = list(parser)[1:]
    ends = [place for place, word in enumerate(given) if BREAK.fullmatch(word)]
    return given[: ends[0]] if ends else given


def parse(arguments):
    """Let click read arguments, command by command; an error is raised, and nothing is run."""
    command, name, above = app, "adjudge", None
    while isinstance(command, click.Group) and arguments:
        above = click.Context(command, info_name=name, parent=above)
        name, command, arguments = command.resolve_command(above, arguments)
    if not isinstance(command, click.Group):
        command.make_context(name, list(arguments), parent=above)


@pytest.mark.parametrize("page", TEXTS)
def test_commands_parse(page, monkeypatch):
    for kind in (click.Path, click.File):  # files need not exist
        monkeypatch.setattr(kind, "convert", lambda self, value, param, ctx: value)
    wrong = []
    for line in commands(TEXTS[page]):
        given = words(line)
        if given and given[0].isupper():  # adjudge FILE, adjudge GOLD SYSTEM
            continue
        if "--help" in given or "--version" in given:
            given = given[: given.index("--help" if "--help" in given else "--version")]
        try:
            parse(given)
            for name in metrics_of(given):
                find(name)
        except (click.ClickException, AdjudgeError) as error:
            if not isinstance(error, click.MissingParameter):  # running text may leave out the files
                wrong.append(f"{line}: {error}")
    assert not wrong, "\n".join(wrong)


def test_a_command_that_is_not_there_is_found():
    for line in (
        "adjudge scare gold system",
        "adjudge ner score gold.bio system.bio --stern",
        "adjudge coref score a.conll",
    ):
        with pytest.raises(click.ClickException):
            parse(words(line))


def metrics_of(given):
    """The metrics that a command names; those of the reference scorer have names of their own."""
    named = given[given.index("--metric") + 1] if "--metric" in given and given[0] != "coref" else ""
    if "schema=" in named or not named or named.isupper():
        return []
    return re.split(r",(?![^(]*\))", named)


# ---------------------------------------------------------------------------------------------------------------------
# The index


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", index))
    assert linked == {page.name for page in PAGES} - {"README.md"}


def test_every_page_is_in_the_navigation_of_the_site():
    shown = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert not [page.name for page in PAGES if f"docs/{page.name}" not in shown]
