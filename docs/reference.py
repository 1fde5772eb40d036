"""Write docs/reference-commands.md and docs/reference-python.md, from `--help` and from docstrings.

python docs/reference.py           write the pages
python docs/reference.py --check   exit with 1 if the pages are not what would be written
"""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click

import adjudge
from adjudge.cli.app import app
from adjudge.tasks.named import OWN, NamedTask

DOCS = Path(__file__).resolve().parent
WIDTH = 110
COMMANDS = """# Commands

What `--help` prints, for every command. Written by `make docs-reference`.
"""
PYTHON = """# Python

The public names, with their docstrings. Written by `make docs-reference`. Everything else may change without notice.
"""


def commands_page() -> str:
    """The help of every command, groups before their commands."""
    parts = [f"## {name}\n\n```text\n{text}\n```\n" for name, text in helps(app, "adjudge", None)]
    return "\n".join([COMMANDS, *parts])


def helps(command: click.Command, name: str, above: click.Context | None) -> Iterator[tuple[str, str]]:
    """A command by its whole name, and those below it."""
    settings = {**command.context_settings, "terminal_width": WIDTH, "max_content_width": WIDTH}
    context = click.Context(command, info_name=name, parent=above, **settings)
    lines = command.get_help(context).splitlines()
    yield context.command_path, "\n".join(line.rstrip() for line in lines)
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            below = command.get_command(context, each)
            if below is not None and not below.hidden:
                yield from helps(below, each, context)


def python_page() -> str:
    """Every public name of the package, and those of its modules."""
    parts = [PYTHON]
    modules: list[tuple[str, ModuleType]] = []
    tasks: list[NamedTask] = []
    for name in adjudge.__all__:
        value = getattr(adjudge, name)
        if isinstance(value, NamedTask):
            tasks.append(value)
        elif isinstance(value, ModuleType):
            modules.append((name, value))
        elif callable(value):
            parts.append(entry(name, value, level=2))
        elif name != "__version__":
            parts.append(f"## {name}\n\n```text\n{value!r}\n```\n\n{described(type(value))}\n")
    parts.append(entry("Tasks", NamedTask, level=2))
    parts += [f"## {each.name}\n\n{each.about}\n" for each in tasks if each.name not in OWN]
    modules += [(each.name, import_module(f"adjudge.tasks.{each.name}")) for each in tasks if each.name in OWN]
    for name, module in modules:
        parts.append(f"## {name}\n\n{described(module)}\n")
        parts += [
            entry(f"{name}.{each}", getattr(module, each), level=3)
            for each in module.__all__
            if callable(getattr(module, each))
        ]
    return "\n".join(parts)


def entry(name: str, value: Any, *, level: int) -> str:
    """A function, or a class with its public methods."""
    text = f"{'#' * level} {name}\n\n```text\n{signature(name, value)}\n```\n\n{described(value)}\n"
    if inspect.isclass(value) and not issubclass(value, BaseException):
        rows = [
            f"- **{each}**: {first_line(member)}"
            for each, member in sorted(vars(value).items())
            if not each.startswith("_") and first_line(member)
        ]
        text += "\n" + "\n".join(rows) + "\n" if rows else ""
    return text


def signature(name: str, value: Any) -> str:
    """How it is called, an argument a line if it is long."""
    try:
        found = inspect.signature(value)
    except (NameError, TypeError, ValueError):  # a struct whose types are known to type checkers alone
        return name
    given, star = [], False
    for each in found.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not star:
            given.append("*")
        star = star or each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        given.append(argument(each))
    returned = found.return_annotation
    end = "" if returned in (inspect.Signature.empty, None) else f" -> {annotation(returned)}"
    whole = f"{name}({', '.join(given)}){end}"
    return whole if len(whole) <= WIDTH else "\n".join([f"{name}(", *(f"    {each}," for each in given), f"){end}"])


def argument(each: inspect.Parameter) -> str:
    """An argument with its type and default."""
    stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
    kind = "" if each.annotation is each.empty else f": {annotation(each.annotation)}"
    default = "" if each.default is each.empty else f" = {each.default!r}" if kind else f"={each.default!r}"
    return f"{stars}{each.name}{kind}{default}"


def annotation(given: Any) -> str:
    """A type as it is written in the source."""
    return given if isinstance(given, str) else inspect.formatannotation(given)


def described(value: Any) -> str:
    """The docstring as Markdown: examples and indented code become blocks."""
    lines, found, block = (inspect.getdoc(value) or "").splitlines(), list[str | None](), ""
    for line in lines:
        example = line.startswith(">>>")
        if block == "pycon" and not line.strip():
            found += ["```", ""]
            block = ""
            continue
        if block == "text" and line and not line.startswith("    "):
            while not found[-1]:
                found.pop()
            found += ["```", ""]
            block = ""
        if not block and example:
            block = "pycon"
            found += ["" if found and found[-1] else None, "```pycon"]
        elif not block and line.startswith("    "):
            block = "text"
            found += ["" if found and found[-1] else None, "```text"]
        found.append(line)
    found += ["```"] if block else []
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line for line in found if line is not None)).strip()


def first_line(member: Any) -> str:
    """What a method or property is for."""
    inner = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
    if not (inspect.isfunction(inner) or isinstance(member, property)):
        return ""
    return (inspect.getdoc(inner) or "").partition("\n")[0]


PAGES = {"reference-commands.md": commands_page, "reference-python.md": python_page}


def main() -> None:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    for name, write in PAGES.items():
        path, text = DOCS / name, write()
        if not check:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{path.name} is not what would be written: run make docs-reference")


if __name__ == "__main__":
    main()
