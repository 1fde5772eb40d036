"""`adjudge template errors`: what is wrong with a system's templates, and what would fix it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from adjudge.cli.options import output_option
from adjudge.cli.output import check_targets, emit
from adjudge.errors import visible
from adjudge.tasks.catalogue.template_errors import KINDS, Error, Errors, find_errors

READERS = ("gtt", "grit", "iterx", "auto-err", "jsonl")


@click.command("errors", epilog="\b\nExample:\n  adjudge template errors test.json preds.json --reader gtt")
@click.argument("gold")
@click.argument("system")
@click.option("--reader", type=click.Choice(READERS), default="gtt", show_default=True, help="The format.")
@click.option("--examples", type=click.IntRange(0), default=3, show_default=True, help="How many of each kind.")
@click.option("--format", "format_", type=click.Choice(("text", "json")), default="text", show_default=True)
@output_option
def command(gold: str, system: str, reader: str, examples: int, format_: str, output: Path | None) -> None:
    """Count the mistakes of a system by what would fix them, and show examples.

    Templates of one type are aligned so that as many fillers as possible are right. For the classes and numbers of the
    program of Das et al. (2022), see `adjudge template score --compat auto-err`.
    """
    from adjudge.tasks.catalogue.family import reads

    check_targets(output, inputs=(gold, system))
    found = find_errors(gold, system, read=reads(reader))
    text = _json(found, examples) if format_ == "json" else _text(found, examples)
    emit(text, output)


def _text(errors: Errors, number: int) -> str:
    right = "1 filler is" if errors.right == 1 else f"{errors.right} fillers are"
    lines = [f"{right} right, of {errors.system} of the system and {errors.gold} of gold", ""]
    for kind, count in errors.counts.items():
        lines.append(f"{kind:<24} {count:>6}  {KINDS[kind]}")
        lines += (f"    {_line(each)}" for each in _first(errors, kind, number))
    return "".join(f"{visible(line)}\n" for line in lines)


def _first(errors: Errors, kind: str, number: int) -> list[Error]:
    return [each for each in errors.found if each.kind == kind][:number]


def _line(error: Error) -> str:
    where = f"{error.document}, {error.role}" if error.role else error.document
    sides = [f"{name} {value!r}" for name, value in (("system", error.system), ("gold", error.gold)) if value]
    return f"{where}: {', '.join(sides)}" if sides else where


def _json(errors: Errors, number: int) -> str:
    kinds: dict[str, Any] = {
        kind: {
            "count": count,
            "examples": [
                {name: value for name, value in each._asdict().items() if name != "kind" and value}
                for each in _first(errors, kind, number)
            ],
        }
        for kind, count in errors.counts.items()
    }
    whole = {"right": errors.right, "system": errors.system, "gold": errors.gold, "errors": kinds}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
