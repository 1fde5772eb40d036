"""Every example in every `--help` runs, on real files; a command without an example is refused.

The commands come from the registry, the examples from what `--help` prints, the files from `help_files`.
"""

import contextlib
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from io import StringIO
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp

import click
import pytest

import help_files
from adjudge import temporary
from adjudge.cli import run
from adjudge.cli.app import app
from adjudge.stats.measure import Measure, part_keys
from adjudge.tasks.chosen import as_metrics
from adjudge.tasks.coref.task import CorefTask
from adjudge.tasks.eal.task import EalTask
from adjudge.tasks.family import find_family
from adjudge.tasks.kbp import discovery, graph_scores, judged
from adjudge.tasks.kbp.options import make_options
from adjudge.tasks.kbp.query_measures import query_measures
from adjudge.tasks.nugget.task import NuggetTask
from adjudge.tasks.task import measures_of
from serve.postgres import running, skip_without


def commands() -> Iterator[tuple[str, str]]:
    """The name of every command and group, and its help."""

    def walk(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
        yield context.command_path, command.get_help(context)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                assert not inner.hidden or inner.epilog is None
                yield from walk(inner, click.Context(inner, parent=context, info_name=name))

    return walk(app, click.Context(app, info_name="adjudge"))


def examples(text: str) -> list[str]:
    """The lines below the last heading `Example:` or `Examples:`."""
    *_, last = re.split(r"(?m)^ *Examples?:\n", text) if re.search(r"(?m)^ *Examples?:\n", text) else ("",)
    return [line.strip() for line in last.splitlines() if line.strip()]


WRITES = ("-o", "--save", "--write-queries", "--repair")
HELP = dict(commands())
EXAMPLES = {line: None for text in HELP.values() for line in examples(text)}


@pytest.mark.parametrize("command", HELP)
def test_every_command_has_an_example_of_itself(command: str) -> None:
    found = examples(HELP[command])
    assert found, f"give {command} an epilog with an example"
    assert all(line.startswith("adjudge ") for line in found)
    assert any(line.startswith(command) for line in found)


@cache
def prepared(make: Callable[[], None], parent: Path) -> Path:
    """The files of some examples, made once."""
    folder = Path(mkdtemp(prefix=make.__name__, dir=parent))
    with contextlib.chdir(folder), contextlib.redirect_stdout(StringIO()), contextlib.redirect_stderr(StringIO()):
        make()
    return folder


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("help")


def words(line: str) -> tuple[list[str], str | None]:
    """The words of a line as a shell has them, and the file behind > or >>."""
    lexer = shlex.shlex(line, posix=False, punctuation_chars=">")
    lexer.whitespace_split = True
    lexer.commenters = ""
    found: list[str] = []
    for word in lexer:
        if word[0] in "'\"":
            inner = word[1:-1]
            found.append(inner if word[0] == "'" else os.path.expandvars(inner))
        elif any(mark in word for mark in "*?["):
            found += sorted(map(str, Path().glob(word))) or [word]
        else:
            found.append(os.path.expandvars(word))
    if len(found) > 2 and found[-2] in (">", ">>"):
        return found[:-2], found[-1]
    return found, None


async def ended(_server: object) -> None:
    """What a server does that is interrupted at once."""


@pytest.mark.parametrize("line", EXAMPLES)
def test_the_examples_of_help_run(
    line: str, parent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(prepared(help_files.maker(line), parent), tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "here"))
    monkeypatch.chdir(tmp_path / "here")
    (program, *arguments), target = words(line)
    assert program == "adjudge"
    written = [name for option, name in pairwise(arguments) if option in WRITES]
    for name in written:  # another example reads what this one writes
        temporary.remove(name)
    if arguments[:1] == ["serve"]:  # until it is interrupted: here, as soon as it listens
        monkeypatch.setattr("uvicorn.Server.main_loop", ended)
        arguments += ["--port", "0"] if arguments[1] in ("run", "demo") else []
    with contextlib.ExitStack() as stack:
        if arguments[:2] == ["serve", "worker"]:
            skip_without()
            monkeypatch.setenv("ADJUDGE_DATABASE", stack.enter_context(running()).url())
            monkeypatch.setattr("adjudge.serve.run.wait_for_end", lambda: None)
        capsys.readouterr()
        code = run(arguments)
    out, err = capsys.readouterr()
    assert code == 0, f"{line}\n{out[-1000:]}\n{err}"
    assert out or written or target is None
    assert [name for name in written if not Path(name).exists()] == []


def measures(command: str) -> Sequence[Measure]:
    """The measures of the task of a command that scores."""
    _, task, name = command.split()
    if task == "kbp":
        own = {"discovery": discovery.measures, "query": lambda: query_measures(1), "judged": lambda: judged.MEASURES}
        return own[name]() if name in own else graph_scores.measures_of(make_options())
    own_tasks = {"coref": CorefTask, "nugget": NuggetTask, "eal": EalTask}
    return own_tasks[task]().measures() if task in own_tasks else measures_of(as_metrics(find_family(task).metrics))


@pytest.mark.parametrize("command", [each for each, text in HELP.items() if "--gate" in text and each.count(" ") == 2])
def test_scores_in_the_help_are_those_of_its_task(command: str) -> None:
    text = " ".join(HELP[command].split())
    (ranked,) = re.findall(r"by this score alone, such as (\S+) or (\S+)\. ", text)
    (gated,) = re.findall(r"What --fail-if-worse tests, such as (\S+)\. ", text)
    known = set(part_keys(measures(command)))
    assert {ranked[1], gated} <= {f"{metric}.{part}" for metric, part in known}
    assert ranked[0] in {metric for metric, _ in known}
