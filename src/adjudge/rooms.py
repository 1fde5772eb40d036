"""What the files of a package declare, read from their text: nothing is imported that nobody asks for."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple


class Option(NamedTuple):
    """An option that a file declares; a flag has neither a metavar nor choices."""

    about: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    required: bool = False


@cache
def declared(package: str, kind: str) -> list[tuple[str, str, str]]:
    """(module, first, second) of every `NAME = Kind(first="...", second="...", ...)` in the files of a package.

    The declaration stands at the beginning of a line, and its first two arguments are texts with names.

    >>> [first for module, first, _ in declared("adjudge.tasks", "Family") if module == "adjudge.tasks.ner"]
    ['ner']
    """
    mark = f" = {kind}("
    declaration = re.compile(rf'^\w+{re.escape(mark)}\s*\w+="([^"\n]*)",\s*\w+="([^"\n]*)"', re.MULTILINE)
    return [
        (f"{package}.{file.stem}", first, second)
        for folder in import_module(package).__path__
        for file in sorted(Path(folder).glob("*.py"))
        if mark in (text := file.read_text(encoding="utf-8"))
        for first, second in declaration.findall(text)
    ]


def load(where: str) -> Any:
    """A function by `module:function`.

    >>> load("adjudge.errors:did_you_mean").__name__
    'did_you_mean'
    """
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)
