"""Small hand-written files: JSON or YAML text as plain values, with the place of every part.

YAML is read with fewer guesses than usual: `1:1` is not sixty-one, `no` is not false, `~` is not null, and a date is a
string. A repeated key is a mistake.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import msgspec

from adjudge.bounded import file_text
from adjudge.errors import FormatError, Problem, UsageError
from adjudge.model.whereabouts import not_utf8, place_at

Where: TypeAlias = tuple[str | int, ...]
Mark: TypeAlias = tuple[int, int]

DEEPEST = 100  # keys and positions on the way to a part of a metric
FEW = 10_000  # parts that any file may have; a file with more must not have more parts than characters


class Source(msgspec.Struct, frozen=True):
    """A value read from text, and the line and column of its parts and of its keys."""

    value: Any
    path: str | None
    values: dict[Where, Mark] = {}  # each has its own: msgspec copies
    keys: dict[Where, Mark] = {}

    def problem(self, where: Where, message: str, hint: str | None = None, *, key: bool = False) -> Problem:
        """A complaint about the part at `where`, or about its key."""
        place = self.keys.get(where) if key else None
        while place is None:
            place = self.values.get(where)
            if not where:
                break
            where = where[:-1]
        line, column = place or (None, None)
        return Problem(message, path=self.path, line=line, column=column, hint=hint)


def read_file(path: str | Path) -> str:
    """The text of a small file named by the user."""
    try:
        return file_text(path)
    except UnicodeDecodeError as error:
        raise FormatError(not_utf8(error, str(path))) from None
    except (OSError, ValueError) as error:  # a ValueError is a path with a null character
        reason = getattr(error, "strerror", None) or error
        raise UsageError(Problem(f"cannot be read ({reason})", path=str(path), hint="check the path")) from None


def read_source(text: str, *, path: str | None = None) -> Source:
    """Parse text as JSON if it starts like an object or the file name says so, else as YAML.

    >>> source = read_source("metric: {sim: set, match: 1:1}")
    >>> source.value["metric"]["match"], source.values["metric", "match"]
    ('1:1', (1, 27))
    """
    if not text.strip():
        raise FormatError(Problem("the file is empty", path=path, hint="it needs at least metric: ..."))
    text = text.removeprefix("\ufeff")
    is_json = (path or "").endswith(".json")
    # {sim: exact} without quotes is YAML; a file that calls itself JSON must be JSON.
    if is_json or re.match(r'\s*\{\s*["}]', text):
        source = _read_json(text, path)
    else:
        source = _read_yaml(text, path)
    try:
        json.dumps(source.value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        message = f"{error.object[error.start]!r} is half a character"
        found = re.search(r"\\[uU](?:0000)?[dD][89a-fA-F]", text)
        line, column = place_at(text, found.start() if found else 0)
        raise FormatError(Problem(message, path, line, column, "write the character itself")) from None
    return source


# Characters that YAML takes for line breaks, or does not allow.
_SPECIAL = re.compile("[^\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|-?[A-Za-z]+', re.DOTALL)


def _read_json(text: str, path: str | None) -> Source:
    twice: list[str] = []

    def constant(name: str) -> NoReturn:
        at = next(found.start() for found in _TOKENS.finditer(text) if found[0].startswith(name))
        raise FormatError(Problem(f"{name} is not allowed", path, *place_at(text, at), "write a number"))

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            twice.extend(key for key in found if counts[key] > 1)
        return found

    try:
        value = json.loads(text, parse_constant=constant, object_pairs_hook=mapping)
    except json.JSONDecodeError as error:
        raise FormatError(Problem(error.msg, path=path, line=error.lineno, column=error.colno)) from None
    except RecursionError:
        raise FormatError(_too_deep(path)) from None
    except ValueError:  # an integer that is too long for Python to convert
        found = re.search(r"[0-9]{1000}", text)
        line, column = place_at(text, found.start() if found else 0)
        raise FormatError(Problem("a number is too long", path, line, column, "write a smaller one")) from None
    # Only the places are taken from YAML, so what YAML does not accept is replaced, one character by one: a tab (in a
    # JSON string it is written \t, so a raw one is only layout) and special characters.
    marked, problems = _composed(_SPECIAL.sub("?", text.replace("\t", " ")), path)
    if twice:
        raise FormatError(problems or [Problem(f"the key {key!r} is given twice", path=path) for key in twice])
    return Source(value, path, marked.values, marked.keys)


def _read_yaml(text: str, path: str | None) -> Source:
    source, problems = _composed(text, path)
    if problems:
        raise FormatError(problems)
    return source


@cache
def _loader() -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012

    for tag, pattern, first in (
        ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
        ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
        ("float", r"[-+]?[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?", "-+0123456789"),
        ("null", r"null|Null|NULL|", ["n", "N", ""]),
    ):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), list(first))
    return Loader


def _composed(text: str, path: str | None) -> tuple[Source, list[Problem]]:
    import yaml

    try:
        root = yaml.compose(text, Loader=_loader())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
        message = error.problem or error.context or "not valid YAML"
        raise FormatError(Problem(message, path=path, line=line, column=column)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        message = f"the character {error.character!r} is not allowed"
        raise FormatError(Problem(message, path=path, line=line)) from None
    except RecursionError:
        raise FormatError(_too_deep(path)) from None
    if root is None:
        raise FormatError(Problem("the file is empty", path=path, hint="it needs at least metric: ..."))
    source = Source(None, path)
    problems: list[Problem] = []
    value = _value(root, (), source, problems, ())
    return Source(value, path, source.values, source.keys), problems


def _too_deep(path: str | None) -> Problem:
    return Problem("it is nested too deeply", path=path, hint="flatten the metric")


def _value(node: Any, where: Where, source: Source, problems: list[Problem], inside: tuple[Any, ...]) -> Any:
    import yaml

    source.values[where] = (node.start_mark.line + 1, node.start_mark.column + 1)
    if len(where) > DEEPEST:
        raise FormatError(source.problem(where, f"more than {DEEPEST} levels are nested here", "flatten the metric"))
    if len(source.values) > max(FEW, node.end_mark.index):
        # A few lines of aliases of aliases can stand for more than a machine holds.
        message = "with its aliases the file has more parts than characters"
        raise FormatError(source.problem(where, message, "use fewer"))
    if any(node is each for each in inside):
        problems.append(source.problem(where, "an alias refers to what contains it"))
        return None
    inside = (*inside, node)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*where, i), source, problems, inside) for i, item in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key, inner in node.value:
            if not isinstance(key, yaml.ScalarNode):
                problems.append(source.problem(where, "a key must be a name"))
                continue
            here = (*where, key.value)
            if key.value in found:
                mark = key.start_mark
                message = f"the key {key.value!r} is given twice"
                problems.append(Problem(message, path=source.path, line=mark.line + 1, column=mark.column + 1))
            source.keys[here] = (key.start_mark.line + 1, key.start_mark.column + 1)
            found[key.value] = _value(inner, here, source, problems, inside)
        return found
    return _scalar(node, where, source, problems)


def _scalar(node: Any, where: Where, source: Source, problems: list[Problem]) -> Any:
    kind = node.tag.removeprefix("tag:yaml.org,2002:")
    if kind == "str":
        return node.value
    if kind == "bool":
        return node.value.lower() == "true"
    if kind == "null":
        return None
    try:
        if kind in ("int", "float"):
            return int(node.value) if kind == "int" else float(node.value)
    except ValueError:
        if node.value.strip("+-").isdigit():  # Python reads some thousands of digits
            message = f"a number of {len(node.value)} digits is too large"
            problems.append(source.problem(where, message, "write a finite one"))
            return None
    problems.append(source.problem(where, f"the tag {node.tag} is not understood here", "leave the tag out"))
    return None
