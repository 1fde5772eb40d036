"""Write docs/which-number.md: one example per field, scored in every way that its community uses.

python docs/which_number.py                  write the page
python docs/which_number.py --check          exit with 1 if the page is not what would be written
python docs/which_number.py --files FOLDER   write the files of the examples, to run the commands of the page on

Every number of the page comes from a command of the page. The examples are in which_number_text.py,
which_number_facts.py and which_number_records.py; another field is one more `Field` in the list of
which_number_examples.py, another way to count one more `Row`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import shlex
import tempfile
from pathlib import Path

from which_number_examples import FIELDS, INTRODUCTION
from which_number_parts import Field, Row

from adjudge.cli import run

PAGE = Path(__file__).resolve().with_name("which-number.md")
HEADS = {"precision": "P", "recall": "R", "f1": "F1"}
Values = dict[tuple[str, str, str], float]


def scores(command: str) -> Values:
    """What a command finds in the files of the current folder, by system, metric and part."""
    out = Path("out.json")
    done(command, "--format", "json", "--bootstrap", "0", "--quiet", "-o", str(out))
    return {
        (system["name"], score["metric"], score["part"]): 100 * score["value"]
        for system in json.loads(out.read_text("utf-8"))["systems"]
        for score in system["scores"]
        if score["value"] is not None and not score.get("slice")
    }


def done(command: str, *more: str) -> str:
    """Run a command, and what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = run([*shlex.split(command)[1:], *more])
    if code:
        raise SystemExit(f"{command}: exit code {code}")
    return printed.getvalue()


def cells(row: Row, field: Field, found: Values) -> list[str]:
    """The numbers of a row: those of the result, or those that the command prints."""
    if row.printed:
        match = re.search(row.printed, done(row.command))
        if match is None:
            raise SystemExit(f"{row.command}: nothing printed is like {row.printed}")
        return [match.groupdict().get(part) or "" for part in field.parts]
    if field.systems:
        values = [found.get((name, row.metric, row.part)) for name in field.systems]
    else:
        (name,) = {name for name, _, _ in found}
        values = [found.get((name, row.metric, part)) for part in field.parts]
    if all(value is None for value in values):
        raise SystemExit(
            f"{row.command}: no {row.metric}; there are {', '.join(sorted({name for _, name, _ in found}))}"
        )
    return ["" if value is None else f"{value:.2f}" for value in values]


def write_files(field: Field, folder: Path) -> None:
    """Write the files of a field; a name may have a folder in it."""
    for name, text in field.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def table(field: Field) -> list[str]:
    """The table of a field; its commands run in a folder of their own."""
    heads = list(field.systems.values()) or [HEADS[part] for part in field.parts]
    lines = [f"| | {' | '.join(heads)} |", "|---|" + "---|" * len(heads)]
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        write_files(field, Path(name))
        os.chdir(name)
        try:
            found = {each: scores(each) for each in dict.fromkeys(row.command for row in field.rows if not row.printed)}
            for row in field.rows:
                mark = "**" if row.best else ""
                values = [
                    f"{mark}{each}{mark}" if each else "" for each in cells(row, field, found.get(row.command, {}))
                ]
                lines.append(f"| {mark}{row.label}{mark} | {' | '.join(values)} |")
        finally:
            os.chdir(before)
    return lines


def section(field: Field) -> str:
    """A field as Markdown."""
    lines = [f"## {field.title}", "", field.story.strip(), ""]
    for name in field.shown:
        lines += [f"`{name}`:", "", "```text", field.files[name].strip("\n"), "```", ""]
    commands = dict.fromkeys(row.command for row in field.rows)
    return "\n".join([*lines, *table(field), "", field.why.strip(), "", "```sh", *commands, "```", ""])


def page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *(section(field) for field in FIELDS)])


def main() -> int:
    """Write the page, compare it, or write the files of its examples."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--files", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    if given.files:
        for field in FIELDS:
            write_files(field, given.files / field.name)
        return 0
    text = page()
    if given.check:
        return int(PAGE.read_text("utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
