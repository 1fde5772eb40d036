"""Functions by name, so that metrics that map values can be saved, compared and sent to other processes.

A function is one of the built-ins below (`casefold`, `ngrams(3)`, ...) or a path into a module (`package.module:name`).
A function object defined at the top of a module is named by its path; a lambda works but cannot be saved.
"""

from __future__ import annotations

import importlib
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import Any

from adjudge.algebra import values
from adjudge.errors import UsageError, ValidationError, did_you_mean


def _memberships(entities: Iterable[Iterable[Any]]) -> list[dict[str, Any]]:
    members = [list(entity) for entity in entities]
    return [{"mention": mention, "entity": entity} for entity in members for mention in entity]


def _pairs(items: Iterable[Any]) -> list[tuple[Any, Any]]:
    return list(combinations(sorted(items, key=repr), 2))


def _links(entities: Iterable[Iterable[Any]]) -> list[tuple[Any, Any]]:
    return [pair for entity in entities for pair in _pairs(entity)]


def _separations(entities: Iterable[Iterable[Any]]) -> list[tuple[Any, Any]]:
    """The pairs of elements of two different entities."""
    members = [list(entity) for entity in entities]
    return [pair for a, b in combinations(members, 2) for x in a for y in b for pair in _pairs([x, y])]


def _tree(root: Mapping[str, Any]) -> dict[str, Any]:
    """A nested tree ({label, children}) as nodes and parent-to-child edges by index, in preorder."""
    nodes: list[Any] = []
    edges: list[tuple[int, int]] = []
    todo: list[tuple[Mapping[str, Any], int | None]] = [(root, None)] if root else []
    while todo:
        tree, parent = todo.pop()
        nodes.append({key: value for key, value in tree.items() if key != "children"})
        if parent is not None:
            edges.append((parent, len(nodes) - 1))
        here = len(nodes) - 1
        todo.extend((child, here) for child in reversed(tree.get("children") or ()))
    return {"nodes": nodes, "edges": edges}


def _records(value: Any) -> list[Any]:
    """The records of a document, which may be one object; a scalar becomes the field `value` of one."""
    value = values.as_json(value)
    if not isinstance(value, dict | list) and value is not None:
        raise ValidationError(f"expected an array or an object, got {value!r}", hint="give a record, or a list of them")
    given = value if isinstance(value, list) else [] if value is None else [value]
    return [each if isinstance(each, Mapping) else {"value": each} for each in given]


PLAIN: dict[str, Callable[[Any], Any]] = {
    "casefold": str.casefold,
    "lower": str.lower,
    "strip": str.strip,
    "spaces": values.spaces,
    "punctuation": values.punctuation,
    "articles": values.articles,
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "squad": values.squad,
    "words": lambda text: text.split(),
    "characters": list,
    "text": str,
    "singleton": lambda value: [value],
    "singletons": lambda values: [[value] for value in values],
    "flatten": lambda values: [inner for value in values for inner in value],
    "pairs": _pairs,
    "links": _links,
    "separations": _separations,
    "memberships": _memberships,
    "tree": _tree,
    "fold": values.fold,
    "records": _records,
}


def _get(name: str) -> Callable[[Any], Any]:
    def get(value: Any) -> Any:
        if isinstance(value, Mapping):
            return value[name]
        if isinstance(value, tuple | list) and not hasattr(value, name):
            return value[int(name)]
        return getattr(value, name)

    return get


def _ngrams(n: str) -> Callable[[str], list[str]]:
    size = int(n)
    if size < 1:
        raise ValueError("an n-gram has at least one character")
    return lambda text: [text[i : i + size] for i in range(len(text) - size + 1)] or ([text] if text else [])


def _without(*words: str) -> Callable[[Iterable[str]], list[str]]:
    unwanted = frozenset(words)
    return lambda values: [value for value in values if value not in unwanted]


def _only(name: str, *wanted: str) -> Callable[[Iterable[Any]], list[Any]]:
    """Records whose field has one of the values."""
    return _keeping(name, frozenset(wanted).__contains__)


def _unpunctuated(name: str) -> Callable[[Iterable[Any]], list[Any]]:
    """Records whose field has a character that is not punctuation."""
    return _keeping(name, lambda text: not all(unicodedata.category(each).startswith("P") for each in text))


def _keeping(name: str, wanted: Callable[[Any], bool]) -> Callable[[Iterable[Any]], list[Any]]:
    """Records whose field is wanted; anything without the field is kept, so that it is reported as invalid."""
    get = _get(name)

    def keeps(value: Any) -> bool:
        try:
            return wanted(get(value))
        except (KeyError, AttributeError, TypeError, ValueError, IndexError):
            return True

    return lambda values: [value for value in values if keeps(value)]


def _split(separator: str) -> Callable[[str], list[str]]:
    return lambda text: text.split(separator)


def _of_leaves(name: str) -> Callable[..., Callable[..., Any]]:
    """A comparison of leaves; its module is loaded on first use."""

    def made(*arguments: str) -> Callable[..., Any]:
        from adjudge.algebra import leaf_values

        function: Callable[..., Any] = getattr(leaf_values, name)(*arguments)
        return function

    return made


WITH_ARGUMENTS: dict[str, Callable[..., Callable[..., Any]]] = {
    "get": _get,
    "ngrams": _ngrams,
    "without": _without,
    "only": _only,
    "unpunctuated": _unpunctuated,
    "split": _split,
    "near": _of_leaves("near"),
    "within": _of_leaves("within"),
    "days": _of_leaves("days"),
}


class Fn:
    """A function with a name; equal names are equal functions.

    >>> Fn("casefold")("Straße")
    'strasse'
    >>> Fn("ngrams(2)")("abc")
    ['ab', 'bc']
    >>> Fn.of(len).name
    'builtins:len'
    """

    __slots__ = ("_function", "_unnamed", "name")

    def __init__(self, name: str, function: Callable[..., Any] | None = None) -> None:
        self.name = name
        self._function = function
        self._unnamed = function is not None and "<" in name

    @classmethod
    def of(cls, function: str | Callable[..., Any] | Fn) -> Fn:
        """A function object, a name, or a `Fn` as a `Fn`."""
        if isinstance(function, Fn):
            return function
        if isinstance(function, str):
            return cls(function)
        module = getattr(function, "__module__", None) or "builtins"
        name = getattr(function, "__qualname__", type(function).__qualname__)
        # The name of a partial, a bound method or a callable object resolves to something else: mark it as unnamed.
        try:
            named = "<" in name or resolve(f"{module}:{name}") == function
        except UsageError:
            named = False
        return cls(f"{module}:{name}" if named else f"{module}:<{name}>", function)

    @property
    def function(self) -> Callable[..., Any]:
        """The function itself, looked up once."""
        if self._function is None:
            self._function = resolve(self.name)
        return self._function

    def __call__(self, *values: Any) -> Any:
        """Apply the function."""
        return self.function(*values)

    def check_saved(self) -> None:
        """Raise unless the name alone leads back to this function."""
        if self._unnamed:
            raise UsageError(
                f"the function {self.name} cannot be serialised",
                hint="define it at the top level of a module, or use a named function such as casefold",
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return (Fn, (self.name, self._function if self._unnamed else None))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fn):
            return NotImplemented
        if self._unnamed or other._unnamed:
            return self._unnamed and other._unnamed and self._function == other._function
        return self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"Fn({self.name!r})"


def resolve(name: str, *, what: str = "function") -> Callable[..., Any]:
    """The function (or type, as `what` says) that a name stands for."""
    if name in PLAIN:
        return PLAIN[name]
    call = re.fullmatch(r"(?s)(\w+)\((.*)\)", name)
    if call and call[1] in WITH_ARGUMENTS:
        arguments = [argument.strip() for argument in call[2].split(",")] if call[1] != "split" else [call[2]]
        try:
            return WITH_ARGUMENTS[call[1]](*arguments)
        except (TypeError, ValueError) as error:
            raise UsageError(f"{name}: wrong arguments ({error})") from None
    module, colon, path = name.partition(":")
    if not colon:
        known = [*PLAIN, *(f"{each}(...)" for each in WITH_ARGUMENTS)]
        hint = did_you_mean(name, known) or f"known are {', '.join(known)}, or package.module:name"
        raise UsageError(f"there is no {what} {name!r}", hint=hint)
    found = _imported(module, name, what)
    try:
        for part in path.split("."):
            found = getattr(found, part)
    except AttributeError as error:
        hint = did_you_mean(path, dir(found)) or f"define it at the top level of {module}"
        raise UsageError(f"cannot find the {what} {name!r} ({error})", hint=hint) from None
    if what == "function" and not callable(found):
        raise UsageError(f"{name!r} is not a function")
    function: Callable[..., Any] = found
    return function


def _imported(module: str, name: str, what: str) -> Any:
    """Import a module by name, also from the current folder, where users keep it next to their data."""
    if not all(part.isidentifier() for part in module.split(".")):
        raise UsageError(f"cannot find the {what} {name!r}", hint="write package.module:name")
    from pathlib import Path

    here = str(Path.cwd())
    if module not in sys.modules and here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        hint = "run from the folder of the module, or install it"
        raise UsageError(f"cannot find the {what} {name!r} ({error})", hint=hint) from None
    except (Exception, SystemExit) as error:  # the module is the user's: running it may fail in any way
        place = f"{error.filename}:{error.lineno}: " if isinstance(error, SyntaxError) and error.filename else ""
        reason = f"{place}{type(error).__name__}: {getattr(error, 'msg', None) or error}"
        raise UsageError(f"cannot import the module of the {what} {name!r} ({reason})", hint=f"fix {module}") from error
