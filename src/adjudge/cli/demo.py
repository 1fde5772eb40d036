"""`adjudge demo`: a first look without data of your own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.options import command, output_options, value
from adjudge.cli.output import check_targets, emit, say
from adjudge.errors import UsageError, visible

if TYPE_CHECKING:
    pass

TASKS = ("extraction", "coref", "nugget", "eal", "kbp")
DOCUMENT = "nw-06"


@command(
    "demo",
    click.Argument(["task"], metavar="[TASK]", type=click.Choice(TASKS), default="extraction"),
    output_options,
    value("--report folder", "FOLDER", "Also write the report page FOLDER/TASK.html.", type=click.Path(path_type=Path)),
    value(
        "--files",
        "FOLDER",
        "Instead of scoring, copy the files of the campaign to FOLDER, to try commands on them.",
        type=click.Path(path_type=Path),
    ),
    examples=["adjudge demo nugget --report pages"],
)
def demo(task: str, folder: Path | None, files: Path | None, **options: Any) -> None:
    """Score a small campaign that comes with the package.

    TASK is extraction (relations and events, the default), coref, nugget, eal (event arguments and linking) or kbp
    (knowledge bases); each has a few short documents and three systems. The output ends with commands to try next.
    """
    from adjudge.demo.pages import demo_page, demo_result
    from adjudge.report.render import render

    format_, output, quiet = options["format_"], options["output"], options["quiet"]
    if files is not None:
        for name, given in (("--report", folder), ("--output", output), ("--format", format_ != "text")):
            if given:
                raise UsageError(f"--files and {name} cannot be combined", hint="leave one of them out")
        from adjudge.demo.files import copy_campaign

        number = copy_campaign(task, files)
        if not quiet:
            emit(f"{visible(str(files))}: {number} files of the campaign {task}\n", None)
        return
    page = None if folder is None else folder / f"{task}.html"
    check_targets(options)
    if page is not None and output is not None and page.resolve() == output.resolve():
        raise UsageError("--output and --report name the same file", hint="choose two names")
    text = render(demo_result(task), format_, quiet=quiet)
    if format_ == "text" and not quiet:
        others = ", ".join(f"adjudge demo {name}" for name in TASKS if name != task)
        own = "adjudge demo" if task == TASKS[0] else f"adjudge demo {task}"
        copied = f"Its files, to try commands on: {own} --files FOLDER"
        title, after = _DEMOS[task]()
        text = "\n".join([title, "", text, *after, "", copied, f"Other campaigns: {others}", ""])
    if folder is not None and page is not None:
        from adjudge.files import write_folder

        write_folder(folder, {page.name: demo_page(task).encode("utf-8", "backslashreplace")})
    emit(text, output)
    if page is not None and not quiet:
        say(f"wrote {visible(str(page))}; open it in a browser")


Demo = tuple[str, list[str]]


def _extraction() -> Demo:
    from adjudge.demo import GOLD, METRICS, SYSTEMS
    from adjudge.tasks.scoring import explain

    paths = [str(path) for path in SYSTEMS.values()]
    gold, first, second = _short(GOLD), _short(paths[0]), _short(paths[1])
    found = explain(METRICS[0], GOLD, paths[1], DOCUMENT, reader="jsonl")
    return (
        "The bundled campaign: relations and events in 24 short documents, found by three systems.",
        [
            "What is behind a number, for one document:",
            "",
            *(f"{each}\n" for each in found.values()),
            "The same with the commands for your own data:",
            "",
            f"  adjudge score {','.join(METRICS)} {' '.join([gold, *map(_short, paths)])}",
            f"  adjudge score {METRICS[0]} {gold} {second} --explain {DOCUMENT}",
            f"  adjudge score {METRICS[0]} {gold} {first} --by genre --by relations.type",
            f"  adjudge metrics {METRICS[2]}",
        ],
    )


def _coref() -> Demo:
    from adjudge.demo.coref import KEY, SYSTEMS

    paths = [str(path) for path in SYSTEMS.values()]
    key, files = _short(KEY), " ".join(map(_short, paths))
    return (
        "The bundled campaign of coreference: eight short documents, and the chains of three systems.",
        _commands(
            f"coref score {key} {files} --by genre",
            f"coref score {key} {_short(paths[1])} --explain '(df/garden/01); part 000'",
            f"coref score --compat conll-8.01 {key} {_short(paths[0])}",
            f"coref validate {files}",
        ),
    )


def _nugget() -> Demo:
    from adjudge.demo.nugget import GOLD, SYSTEMS, TEXTS, TOKENS

    where = f"{_short(GOLD)} {' '.join(map(_short, SYSTEMS.values()))} -t {_short(TOKENS)}"
    return (
        "The bundled campaign of event nuggets: ten short documents, and the nuggets of three systems.",
        _commands(
            f"nugget score {where} --by type",
            f"nugget report {where} --texts {_short(TEXTS)} -o report.html",
            f"nugget validate {_short(SYSTEMS['wren'])} -t {_short(TOKENS)} --types 2015",
        ),
    )


def _eal() -> Demo:
    from adjudge.demo.eal import ASSESSMENTS, FRAMES, SOURCES, SUBMISSIONS

    systems = [str(path) for path in SUBMISSIONS.values()]
    where = f"{_short(ASSESSMENTS)} {' '.join(map(_short, systems))}"
    where = f"{where} --frames {_short(FRAMES)} --quotes-in {_short(SOURCES)}"
    return (
        "The bundled campaign of event arguments and linking: twelve short documents, the responses of three systems.",
        _commands(
            f"eal score {where} --by type",
            f"eal score {where} --explain MINI_NW_01",
            f"eal validate {_short(SUBMISSIONS['slate'])} --texts {_short(SOURCES)} --ontology 2015",
            "eal campaign init my-campaign --demo",
        ),
    )


def _kbp() -> Demo:
    from adjudge.demo.kbp import GOLD, LINKS, SYSTEMS

    systems = [str(path) for path in SYSTEMS.values()]
    gold, links = _short(GOLD), f"--wiki {_short(LINKS)}"
    where = f"{gold} {' '.join(map(_short, systems))} {links}"
    return (
        "The bundled campaign of knowledge bases: ten short documents, and what three systems made of them.",
        _commands(
            f"kbp score {where} --by relation --identity-source system",
            f"kbp explain {gold} {_short(systems[1])} {links} --hop 2",
            f"kbp report {where} -o report.html",
            f"kbp validate {_short(systems[0])}",
        ),
    )


_DEMOS = {"extraction": _extraction, "coref": _coref, "nugget": _nugget, "eal": _eal, "kbp": _kbp}


def _commands(*commands: str) -> list[str]:
    return ["Commands to try next:", "", *(f"  adjudge {command}" for command in commands)]


def _short(path: str | os.PathLike[str]) -> str:
    """The relative path if it is shorter."""
    found: Iterable[str]
    try:
        found = (str(path), os.path.relpath(path))
    except ValueError:  # another drive
        found = (str(path),)
    return min(found, key=len)
