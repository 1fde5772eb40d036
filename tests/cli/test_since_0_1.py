"""Every command, option and choice of 0.1.0 still means something, and what moved is in the notes on migration.

`commands_of_0.1.json` is what 0.1.0 had, in both states of that version: its commands, each with its options, and what
can be chosen behind them.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from adjudge.cli.app import app
from adjudge.stats.inference import OLD_TESTS

OLD = json.loads(Path(__file__).with_name("commands_of_0.1.json").read_text("utf-8"))
NOTES = (Path(__file__).parents[2] / "docs/migration.md").read_text("utf-8")


def found(path: str) -> tuple[click.Command, click.Context]:
    command, context = app, click.Context(app, info_name="adjudge")
    for name in path.split()[1:]:
        command = command.get_command(context, name)
        assert command is not None, path
        context = click.Context(command, parent=context, info_name=name)
    return command, context


def options(told: str) -> Iterator[tuple[str, set[str]]]:
    for each in told.split():
        name, _, choices = each.partition("=")
        yield name, set(choices.split("|")) - {""}


@pytest.mark.parametrize("path", OLD)
def test_commands_options_and_choices_are_still_there(path):
    command, context = found(path)
    now = {name: each for each in command.get_params(context) for name in (*each.opts, *each.secondary_opts)}
    moved = getattr(command, "old", {})
    for name, choices in options(OLD[path]):
        own = now.get(moved.get(name, name))
        assert own is not None, f"{path} {name}"
        if choices and isinstance(own.type, click.Choice):
            assert {OLD_TESTS.get(each, each) for each in choices} <= set(own.type.choices), f"{path} {name}"


@pytest.mark.parametrize("path", OLD)
def test_what_moved_is_in_the_notes_on_migration(path):
    command, context = found(path)
    hidden = {name for each in command.get_params(context) for name in each.opts if getattr(each, "hidden", False)}
    told = set(re.findall(r"-[-a-z]+", NOTES))
    for name, choices in options(OLD[path]):
        if name in hidden or name in getattr(command, "old", {}):
            assert name in told, f"{path} {name}"
        for each in choices & OLD_TESTS.keys():
            assert each in NOTES
    above = found(path.rpartition(" ")[0])[0] if " " in path else None
    if above is not None and path.split()[-1] not in above.list_commands(context):
        assert f"`{path} " in NOTES, path


@pytest.mark.parametrize("path", [each for each in OLD if not any(other.startswith(f"{each} ") for other in OLD)])
def test_every_command_is_in_the_checklist(path):
    rows = re.findall(r"(?m)^\| (`adjudge .*?) \|", NOTES)
    assert any(f"`{path}`" in row for row in rows), path
