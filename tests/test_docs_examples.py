"""The pages promise nothing that is not there: commands parse, Python runs, every page is in the index."""

import ast
import re
import shlex
import shutil
from pathlib import Path

import click
import pytest

from adjudge.cli import run
from adjudge.cli.app import app
from adjudge.demo import DATA
from adjudge.errors import AdjudgeError
from adjudge.metrics import find

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
OTHERS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md"]
TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in [*PAGES, *OTHERS]}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NOT_RUN = "# not run"
BREAK = re.compile(r"[|;<>&]+")


def commands(text):
    """Every line of a block that calls the program (True), and every call in running text (False)."""
    found = dict.fromkeys(re.findall(r"`(adjudge [^`\n]+)`", BLOCK.sub("", text)), False)
    for language, block in BLOCK.findall(text):
        if language in ("", "sh", "console"):
            lines = block.replace("\\\n", " ").splitlines()
            found.update((line.removeprefix("$ "), True) for line in lines if re.match(r"(\$ )?adjudge ", line))
    return found.items()


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
    for line, whole in commands(TEXTS[page]):
        given = words(line)
        if "--help" in given or "--version" in given:
            given = given[: given.index("--help" if "--help" in given else "--version")]
        try:
            parse(given)
            for name in metrics_of(given):
                find(name)
        except (click.ClickException, AdjudgeError) as error:
            if whole or not isinstance(error, click.MissingParameter):  # running text may leave out the files
                wrong.append(f"{line}: {error}")
    assert not wrong, "\n".join(wrong)


def test_a_command_that_is_not_there_is_found():
    for line in (
        "adjudge scare gold system",
        "adjudge ner score gold.bio system.bio --stern",
        "adjudge ner score a.bio",
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
# Python. A page's blocks run one after the other in a folder with the files that they name.


def stage_coref(folder):
    for name, file in (("key", "key"), ("response", "maple"), ("system", "maple")):
        shutil.copy(DATA / "coref" / f"{file}.conll", folder / f"{name}.conll")


def stage_nugget(folder):
    for name, file in (("gold", "gold"), ("a", "heron"), ("b", "wren")):
        shutil.copy(DATA / "nugget" / f"{file}.tbf", folder / f"{name}.tbf")
    shutil.copytree(DATA / "nugget" / "tokens", folder / "tokens")


def stage_brat(folder):
    (folder / "a.txt").write_text("They won.", encoding="utf-8")
    (folder / "a.ann").write_text("T1\tContact_Meet 5 8\twon\nE1\tContact_Meet:T1\n", encoding="utf-8")


def stage_triples(folder):
    (folder / "gold.tsv").write_text("ana\tchild\tben\td1\nben\tschool\thill\td2\n", encoding="utf-8")
    (folder / "a.tsv").write_text("ana\tchild\tben\td1\nben\tschool\tdale\td2\n", encoding="utf-8")
    shutil.copy(folder / "gold.tsv", folder / "b.tsv")


def stage_kbp(folder):
    for name, file in (("gold.jsonl", "gold.jsonl"), ("links.csv", "links.csv"), ("run.tac", "fjord.tsv")):
        shutil.copy(DATA / "kbp" / file, folder / name)


def stage_eal(folder):
    for name in ("system", "run1"):
        shutil.make_archive(str(folder / name), "zip", DATA / "eal" / "submissions" / "marble")
    shutil.copytree(DATA / "eal" / "assessments", folder / "assessments")
    assessed = (folder / "assessments" / "MINI_NW_01").read_text(encoding="utf-8")
    (folder / "assessments" / "DOC1").write_text(assessed.replace("MINI_NW_01", "DOC1"), encoding="utf-8")


def stage_scores(folder):
    given = ["--key", str(DATA / "eal" / "assessments"), "--frames", str(DATA / "eal" / "frames")]
    systems = [str(DATA / "eal" / "submissions" / name) for name in ("marble", "slate")]
    saved = ["--unassessed", "ignore", "--bootstrap", "0", "--save", str(folder / "scores.json")]
    assert run(["eal", "score", *given, *systems, *saved]) == 0


STAGES = {
    "docs/coreference.md": stage_coref,
    "docs/coreference-formats.md": stage_coref,
    "docs/nuggets.md": stage_nugget,
    "docs/nugget-conversion.md": stage_brat,
    "docs/kb-scoring.md": stage_triples,
    "docs/kb-explanations.md": stage_kbp,
    "docs/eal-formats.md": stage_eal,
    "docs/eal-operations.md": stage_eal,
    "docs/eal-scoring.md": stage_scores,
}
PYTHON = [(name, re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)) for name, text in TEXTS.items()]


@pytest.mark.parametrize(("page", "blocks"), [pair for pair in PYTHON if pair[1] and pair[0].startswith("docs/")])
def test_python_runs(page, blocks, tmp_path, monkeypatch, capsys):
    STAGES.get(page, lambda folder: None)(tmp_path)
    monkeypatch.chdir(tmp_path)
    space = {"__name__": "page"}
    for block in blocks:
        if NOT_RUN in block:  # its names have to be there all the same
            imports = [node for node in ast.parse(block).body if isinstance(node, ast.Import | ast.ImportFrom)]
            assert imports
            exec(compile(ast.Module(imports, []), page, "exec"), space)
        else:
            exec(compile(block, page, "exec"), space)


# ---------------------------------------------------------------------------------------------------------------------
# The index


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", index))
    assert linked == {page.name for page in PAGES} - {"README.md"}
