"""Families: readers, published scorers, and the command that they share."""

from __future__ import annotations

import json
import pkgutil
from importlib import import_module

import pytest
from click.testing import CliRunner

import adjudge.scorers
import adjudge.tasks
from adjudge.cli.family import score_command
from adjudge.errors import FormatError, Problem, UsageError
from adjudge.formats.source import read_text
from adjudge.model.document import Corpus, Document
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.published import find_scorers
from adjudge.stats.measure import Prf
from adjudge.tasks.family import Family, Reader, families, find_family, find_reader, reads

HERE = "tests.scorers.test_family"


def read_words(source, *, name=None):
    """One document per line, its items are words; a question mark is a mistake."""
    whole, text = read_text(source, name=name)
    documents, problems = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if "?" in line:
            problems.append(Problem("a question mark", path=whole.place, line=number, column=line.index("?") + 1))
        documents.append(Document(id=str(number), data={"id": str(number), "items": line.split()}, line=number))
    if problems:
        raise FormatError(problems)
    return Corpus(path=whole.place, documents=tuple(documents), digest=whole.digest)


def run_words(gold, system, *, upper=False):
    """A scorer that counts positions and forgets the system's words after the gold ones."""
    pairs = zip(read_words(gold).documents, read_words(system).documents, strict=True)
    rows = []
    for left, right in pairs:
        items = [word.upper() if upper else word for word in right.data["items"]]
        matched = sum(a == b for a, b in zip(left.data["items"], items, strict=False))
        rows.append((left.id, {"matched": matched, "system": len(items), "gold": len(left.data["items"])}))
    total = sum(row["matched"] for _, row in rows)
    measure = Prf("record.words", ("matched", "system"), ("matched", "gold"))
    return Published(rows, (measure,), f"matched: {total}\n")


FAMILY = Family(
    name="words",
    about="Words of lines.",
    metrics=("record.set",),
    readers={"words": Reader("one document per line", f"{HERE}:read_words")},
    default="jsonl",
    example="adjudge words score gold.txt system.txt",
)

SCORERS = {
    "wordscore": Scorer("wordscore", "words", "counts by position", run_words, {"upper": Option("Upper case.")}),
    "other": Scorer("other", "words", "needs a file", run_words, {"table": Option("A table.", "FILE", required=True)}),
}


@pytest.fixture
def files(tmp_path):
    gold, system = tmp_path / "gold.txt", tmp_path / "system.txt"
    gold.write_text("a b c\nd\n")
    system.write_text("a x c\nD\n")
    return str(gold), str(system)


def run(*arguments):
    return CliRunner().invoke(score_command(FAMILY, SCORERS), arguments, catch_exceptions=False, standalone_mode=False)


class TestCompat:
    def test_prints_what_the_program_prints(self, files):
        assert run(*files, "--compat", "wordscore").output == "matched: 2\n"
        assert run(*files, "--compat", "wordscore", "--upper").output == "matched: 0\n"

    def test_several_systems_have_their_names(self, files):
        gold, system = files
        found = run(gold, f"one={system}", f"two={gold}", "--compat", "wordscore").output
        assert found == "one\nmatched: 2\n\ntwo\nmatched: 4\n\n"

    def test_numbers_in_other_formats(self, files):
        found = json.loads(run(*files, "--compat", "wordscore", "--format", "json").output)
        assert (found["task"], found["profile"]) == ("words", "wordscore")
        (precision,) = [score for score in found["systems"][0]["scores"] if score["part"] == "precision"]
        assert (precision["numerator"], precision["denominator"], precision["value"]) == (2, 4, 0.5)
        assert precision["low"] <= 0.5 <= precision["high"]

    def test_saved_results_have_intervals(self, files, tmp_path):
        run(*files, "--compat", "wordscore", "--save", str(tmp_path / "r.json"))
        assert json.loads((tmp_path / "r.json").read_text())["systems"][0]["scores"][0]["low"] is not None

    def test_some_documents_and_means_of_documents(self, files):
        def part(*arguments):
            found = json.loads(run(*files, "--compat", "wordscore", "--format", "json", *arguments).output)
            (system,) = found["systems"]
            (score,) = [each for each in system["scores"] if each["part"] == "recall"]
            return system["documents"], score["value"]

        assert part() == (2, 0.5)
        assert part("--docs", "1") == (1, pytest.approx(2 / 3))
        assert part("--pool", "macro") == (2, pytest.approx(1 / 3))
        assert "recall" in run(*files, "--compat", "wordscore", "--docs", "1").output  # not what the program prints

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (["--compat", "wordscore", "--jobs", "2"], "leave one of them out: a published scorer counts whole files"),
            (["--compat", "wordscore", "--reader", "words"], "a published scorer reads files by itself"),
            (
                ["--compat", "wordscore", "--metric", "record.set"],
                "a published scorer has metrics and rules of its own",
            ),
            (["--compat", "wordscore", "--table", "x"], "--table is not an option of wordscore"),
            (["--compat", "other"], "--compat other needs --table"),
            (["--upper"], "--upper is an option of a published scorer"),
        ],
    )
    def test_options_that_would_do_nothing_are_refused(self, files, arguments, says):
        with pytest.raises(UsageError, match=says):
            run(*files, *arguments)

    def test_problems_of_all_files_come_together_and_once(self, files, tmp_path):
        gold, _ = files
        for name in ("a", "b"):
            (tmp_path / name).write_text("x\ny ?\n")
        with pytest.raises(FormatError) as caught:
            run(gold, str(tmp_path / "a"), str(tmp_path / "b"), "--compat", "wordscore")
        assert [(each.path, each.line, each.column) for each in caught.value.problems] == [
            (str(tmp_path / "a"), 2, 3),
            (str(tmp_path / "b"), 2, 3),
        ]


def test_help_lists_readers_and_scorers():
    text = run("--help").output
    assert "words: one document per line" in text
    assert "wordscore: counts by position" in text


def test_an_unknown_reader_is_named():
    with pytest.raises(UsageError, match=r"there is no reader .josnl., did you mean jsonl"):
        find_reader("josnl")
    assert reads("jsonl") == (None, None)


def test_what_a_file_declares_is_found():
    """A declaration in another shape than the one that is looked for would be passed over in silence."""
    for package, kind, found in (
        (adjudge.scorers, Scorer, [each for name in (*families(), "kbp") for each in find_scorers(name).values()]),
        (adjudge.tasks, Family, [find_family(name) for name in families()]),
    ):
        modules = [import_module(f"{package.__name__}.{each.name}") for each in pkgutil.iter_modules(package.__path__)]
        declared = {id(value) for module in modules for value in vars(module).values() if isinstance(value, kind)}
        assert declared == {id(each) for each in found}
        assert declared
