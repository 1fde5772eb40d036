"""`adjudge template errors`: the corrections that templates would need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.options import choice, command, format_option, output_option, value
from adjudge.cli.output import check_targets, emit_json, emit_lines

if TYPE_CHECKING:
    from adjudge.tasks.template_errors import Error, Errors

READERS = ("gtt", "grit", "iterx", "auto-err", "jsonl")


@command(
    "errors",
    click.Argument(["gold"]),
    click.Argument(["system"]),
    choice("--reader", READERS, "The format.", default="gtt"),
    value("--examples", "N", "How many of each kind.", type=click.IntRange(0), default=3),
    format_option("text", "json"),
    output_option,
    examples=["adjudge template errors test.json preds.json --reader gtt"],
)
def errors(gold: str, system: str, reader: str, examples: int, **options: Any) -> None:
    """Count the errors of a system by the correction they need, and show examples.

    Templates of the same type are aligned to maximise the number of correct fillers. For the classes and numbers of the
    program of Das et al. (2022), see `adjudge template score --compat auto-err`.
    """
    from adjudge.tasks.family import reads
    from adjudge.tasks.template_errors import find_errors

    check_targets(options, inputs=(gold, system))
    found = find_errors(gold, system, read=reads(reader))
    if options["format_"] == "json":
        emit_json(_record(found, examples), options["output"])
    else:
        emit_lines(_lines(found, examples), options["output"])


def _lines(errors: Errors, number: int) -> list[str]:
    from adjudge.tasks.template_errors import KINDS

    right = "1 filler is" if errors.right == 1 else f"{errors.right} fillers are"
    lines = [f"{right} right, of {errors.system} of the system and {errors.gold} of gold", ""]
    for kind, count in errors.counts.items():
        lines.append(f"{kind:<24} {count:>6}  {KINDS[kind]}")
        lines += (f"    {_line(each)}" for each in _first(errors, kind, number))
    return lines


def _first(errors: Errors, kind: str, number: int) -> list[Error]:
    return [each for each in errors.found if each.kind == kind][:number]


def _line(error: Error) -> str:
    where = f"{error.document}, {error.role}" if error.role else error.document
    sides = [f"{name} {value!r}" for name, value in (("system", error.system), ("gold", error.gold)) if value]
    return f"{where}: {', '.join(sides)}" if sides else where


def _record(errors: Errors, number: int) -> dict[str, Any]:
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
    return {"right": errors.right, "system": errors.system, "gold": errors.gold, "errors": kinds}
