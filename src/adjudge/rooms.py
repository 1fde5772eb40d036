"""What the files of a package declare, read from their text: nothing is imported that nobody asks for."""

from __future__ import annotations

import os
import re
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple


class Option(NamedTuple):
    """An option that a file declares; a flag has neither a metavar nor choices."""

    about: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    required: bool = False


@cache
def declared(package: str, kind: str, only: str = "") -> list[tuple[str, str, str]]:
    """(module, first, second) of every `NAME = Kind(first="...", second="...", ...)` in the files of a package.

    With `only` in the file of that name. The declaration stands at the beginning of a line, and its first two arguments
    are texts with names.

    >>> [first for module, first, _ in declared("adjudge.tasks", "Family") if module == "adjudge.tasks.ner"]
    ['ner']
    """
    mark = f" = {kind}("
    declaration = re.compile(rf'^\w+{re.escape(mark)}\s*\w+="([^"\n]*)",\s*\w+="([^"\n]*)"', re.MULTILINE)
    found = []
    for module, path in files_of(package):
        if not only or module == f"{package}.{only}":
            with open(path, encoding="utf-8") as file:  # noqa: PTH123  # Path would have to be loaded
                text = file.read()
            if mark in text:
                found += [(module, first, second) for first, second in declaration.findall(text)]
    return found


def files_of(package: str) -> list[tuple[str, str]]:
    """(module, path) of the files of a package, by name.

    >>> [module for module, _ in files_of("adjudge.model")][:3]
    ['adjudge.model.__init__', 'adjudge.model.coref', 'adjudge.model.document']
    """
    return [
        (f"{package}.{name.removesuffix('.py')}", os.path.join(folder, name))  # noqa: PTH118
        for folder in import_module(package).__path__
        for name in sorted(os.listdir(folder))  # noqa: PTH208
        if name.endswith(".py")
    ]


def load(where: str) -> Any:
    """A function by `module:function`.

    >>> load("adjudge.errors:did_you_mean").__name__
    'did_you_mean'
    """
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)
