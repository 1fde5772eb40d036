"""Does a value fit a similarity? Every misfit is reported, with its place in the value."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from adjudge.algebra import ir
from adjudge.algebra.access import MissingField, case_of, get, is_kind, kind, may_be_absent, names
from adjudge.algebra.functions import Fn
from adjudge.errors import ValidationError, did_you_mean

Misfit: TypeAlias = tuple[str, str, str | None]
Side: TypeAlias = Literal["system", "gold"]


def problems(node: ir.Similarity, value: Any, path: str = "$", *, side: Side | None = None) -> Iterator[Misfit]:
    """Everything about `value` that does not fit, as (path, message, hint).

    A similarity may map the two sides differently; without `side`, a value must fit one of them. Where a value has been
    mapped first, the path says so: `items($.roles)[0].key`.

    >>> list(problems(ir.Set(of=ir.Exact(type="integer")), [1, "2"]))
    [('$[1]', 'expected an integer, got a string', None)]
    """
    seen: set[Misfit] = set()
    for misfit in _problems(node, value, path, side):
        if misfit not in seen:
            seen.add(misfit)
            yield misfit


def _problems(node: ir.Similarity, value: Any, path: str, side: Side | None) -> Iterator[Misfit]:
    yield from _CHECKS[type(node)](node, value, path, side)


_ARTICLES = {"string": "a", "integer": "an", "number": "a", "boolean": "a", "array": "an", "object": "an"}


def describe(value: Any) -> str:
    """What a value is, in the words of JSON.

    >>> describe([]), describe(None), describe(float("nan"))
    ('an array', 'null', 'NaN')
    """
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "an infinite number"
    return _kind_name(kind(value))


def _kind_name(name: str) -> str:
    return f"{_ARTICLES[name]} {name}" if name in _ARTICLES else name


def _expected(what: str, value: Any, path: str, hint: str | None = None) -> Misfit:
    return path, f"expected {what}, got {describe(value)}", hint


def _step(path: str, name: str) -> str:
    return f"{path}.{name}" if name.isidentifier() else f"{path}[{name if name.isdecimal() else repr(name)}]"


# Leaves


def _exact(node: ir.Exact, value: Any, path: str, side: Side | None) -> Iterator[Misfit]:  # noqa: ARG001
    raw = value.value if hasattr(type(value), "__members__") else value
    if node.type is not None and not is_kind(raw, node.type):
        yield _expected(_kind_name(node.type), raw, path)
    elif node.values is not None and not any(type(raw) is type(each) and raw == each for each in node.values):
        known = [str(each) for each in node.values]
        hint = did_you_mean(str(raw), known)
        yield path, f"{_short(raw)} is not one of {_list(known)}", hint
    else:
        yield from _comparable(raw, path)


def _comparable(value: Any, path: str) -> Iterator[Misfit]:
    """Whether equality means something for a value and all its parts."""
    if isinstance(value, float):
        if math.isnan(value):
            yield path, "NaN is not equal to anything, itself included", "use null for a missing value"
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _comparable(inner, _step(path, str(key)))
    elif isinstance(value, list | tuple | set | frozenset):
        for position, inner in enumerate(value):
            yield from _comparable(inner, f"{path}[{position}]")
    else:
        yield from _hashable(value, path)


def _hashable(value: Any, path: str) -> Iterator[Misfit]:
    name = type(value).__qualname__
    equality: Any = type(value).__eq__
    if equality is object.__eq__ and not (value is None or isinstance(value, type)):
        yield path, f"{name} objects have no equality of their own", "a frozen dataclass has one"
        return
    try:
        hash(value)
    except TypeError:
        yield path, f"{name} objects are not hashable", "make the class frozen, or compare its fields"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _list(known: list[str]) -> str:
    return ", ".join(known) if len(known) <= 12 else f"{', '.join(known[:12])}, ... ({len(known)} in all)"


def _span(node: ir.Span, value: Any, path: str, side: Side | None) -> Iterator[Misfit]:  # noqa: ARG001
    ends: list[tuple[str, Any]] = []
    if isinstance(value, list | tuple) and not hasattr(value, node.start):
        if len(value) != 2:
            yield path, f"expected a span of two offsets, got {len(value)}", "write [start, end]"
            return
        ends = [(f"{path}[0]", value[0]), (f"{path}[1]", value[1])]
    elif kind(value) != "object":
        yield _expected("a span", value, path, f"write [start, end] or an object with {node.start} and {node.end}")
        return
    else:
        for name in (node.start, node.end):
            try:
                ends.append((_step(path, name), get(value, name)))
            except MissingField:
                yield _missing(value, name, path)
    wrong = [_expected("an integer", end, place) for place, end in ends if not is_kind(end, "integer")]
    yield from wrong
    if len(ends) == 2 and not wrong and ends[1][1] < ends[0][1]:
        yield path, f"the span ends at {ends[1][1]} before it starts at {ends[0][1]}", "swap the two offsets"


def _string(node: Any, value: Any, path: str, side: Side | None) -> Iterator[Misfit]:  # noqa: ARG001
    raw = value.value if hasattr(type(value), "__members__") else value
    if not isinstance(raw, str):
        yield _expected("a string", raw, path)


def _type_name(node: ir.Hierarchy, value: Any, path: str, side: Side | None) -> Iterator[Misfit]:
    """The name of a type, or the path to it from the root."""
    if isinstance(value, list | tuple) and value:
        for position, part in enumerate(value):
            yield from _string(node, part, f"{path}[{position}]", side)
    elif value == "":
        yield path, "expected the name of a type, got an empty string", None
    else:
        yield from _string(node, value, path, side)


def _number(node: ir.Number, value: Any, path: str, side: Side | None) -> Iterator[Misfit]:  # noqa: ARG001
    if not is_kind(value, "number") or not math.isfinite(value):
        yield _expected("a number", value, path)


def _anything(node: ir.Custom, value: Any, path: str, side: Side | None) -> Iterator[Misfit]:  # noqa: ARG001
    yield from ()


def _variable(node: ir.Variable, value: Any, path: str, side: Side | None) -> Iterator[Misfit]:  # noqa: ARG001
    if value is None or kind(value) == "array":
        yield _expected("a variable", value, path)
    elif isinstance(value, Mapping):
        yield _expected("a variable", value, path, "give its name as a string")
    else:
        yield from _comparable(value, path)


# Records, unions, mapped values


def _missing(value: Any, name: str, path: str) -> Misfit:
    known = names(value)
    hint = did_you_mean(name, known)
    if hint is None and known:
        hint = f"the fields there are {_list(known)}"
    return _step(path, name), f"the field {name!r} is missing", hint


def _record(node: ir.Record | ir.Sum, value: Any, path: str, side: Side | None) -> Iterator[Misfit]:
    positions = all(name.isdecimal() for name in node.fields)
    accepted = ("array", "object") if positions else ("object",)
    if kind(value) not in accepted and not (kind(value) not in ("array", "null") and _has_any(value, node.fields)):
        what = "an array" if positions else "an object"
        yield _expected(what, value, path, f"with the fields {_list(list(node.fields))}")
        return
    size = node.size if isinstance(node, ir.Record) else None
    if size is not None and isinstance(value, list | tuple) and len(value) > size:
        yield path, f"expected {size} values, got {len(value)}", None
    for name, inner in node.fields.items():
        try:
            found = get(value, name)
        except MissingField:
            if not may_be_absent(inner):
                yield _missing(value, name, path)
                continue
            found = None
        yield from _problems(inner, found, _step(path, name), side)


def _has_any(value: Any, fields: Mapping[str, Any]) -> bool:
    """Whether a scalar of the user's own class carries fields all the same."""
    if type(value).__module__ == "builtins":
        return False
    return any(hasattr(value, name) for name in fields)


def _union(node: ir.Union, value: Any, path: str, side: Side | None) -> Iterator[Misfit]:
    position = case_of(node, value)
    if position is not None:
        yield from _problems(node.cases[position].of, value, path, side)
        return
    known = [_case_name(case) for case in node.cases]
    hint = None
    tags = {case.field: None for case in node.cases if case.field is not None}
    for tag in tags:
        try:
            found = get(value, tag)
        except MissingField:
            hint = f"is the field {tag!r} missing?"
        else:
            wanted = [str(case.equals) for case in node.cases if case.field == tag]
            hint = did_you_mean(str(found), wanted) or f"{tag} is {_short(found)}"
    yield path, f"no case takes {describe(value)}; there are {_list(known)}", hint


def _case_name(case: ir.Case) -> str:
    if case.field is not None:
        return f"{case.field} = {case.equals}"
    if case.has is not None:
        return f"objects with {case.has}"
    if case.prefix is not None:
        return f"strings that start with {case.prefix}"
    return case.name or case.type or (case.python.name.rpartition(":")[2] if case.python else "anything else")


def _mapped(node: ir.Mapped, value: Any, path: str, side: Side | None) -> Iterator[Misfit]:
    sides: tuple[Side, ...] = ("gold", "system") if side is None else (side,)
    first: list[Misfit] | None = None
    for each in sides:
        function = getattr(node, each) or node.by
        found = list(_after(function, node.of, value, path, each if side is not None or _two_sided(node) else None))
        if not found:
            return
        first = found if first is None else first
    yield from first or ()


def _two_sided(node: ir.Mapped) -> bool:
    return (node.system or node.by) != (node.gold or node.by)


def _after(function: Fn | None, of: ir.Similarity, value: Any, path: str, side: Side | None) -> Iterator[Misfit]:
    if function is None:
        yield from _problems(of, value, path, side)
        return
    name = function.name.rpartition(":")[2] if "(" not in function.name else function.name
    try:
        result = function(value)
    except ValidationError as error:  # the function says itself what is wrong with the value
        yield from ((path, problem.message, problem.hint) for problem in error.problems)
        return
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        yield path, f"{name} cannot be applied to {describe(value)} ({reason})", None
        return
    yield from _problems(of, result, path if result is value else f"{name}({path})", side)


# Collections


def _elements(value: Any, path: str, *, ordered: bool = False) -> tuple[list[Any], Misfit | None]:
    if kind(value) == "array":
        if ordered and isinstance(value, set | frozenset):
            return [], (path, "expected an array with an order, got a set", "use a list")
        return list(value), None
    hint = None
    if isinstance(value, str):
        hint = "put it in an array; a text is not taken as a collection of characters"
    elif isinstance(value, Iterator):
        return [], (path, f"a {type(value).__name__} can be read only once", "make it a list first")
    return [], _expected("an array", value, path, hint)


def _collection(
    node: ir.Set | ir.Greedy | ir.Overlap | ir.Sequence, value: Any, path: str, side: Side | None
) -> Iterator[Misfit]:
    items, misfit = _elements(value, path, ordered=isinstance(node, ir.Sequence))
    if misfit is not None:
        yield misfit
    for position, item in enumerate(items):
        here = f"{path}[{position}]"
        yield from _problems(node.of, item, here, side)
        if isinstance(node, ir.Greedy) and node.rank is not None:
            rank = ir.Number(scale=1.0)
            yield from _after(node.rank, rank, item, here, side)


def _graph(node: ir.Graph, value: Any, path: str, side: Side | None) -> Iterator[Misfit]:
    parts: dict[str, list[Any]] = {}
    for name in (node.nodes, node.edges):
        here = _step(path, name)
        try:
            items, misfit = _elements(get(value, name), here)
        except MissingField:
            misfit = _missing(value, name, path) if kind(value) == "object" else _expected("an object", value, path)
        if misfit is not None:
            yield misfit
        else:
            parts[name] = items
    for position, item in enumerate(parts.get(node.nodes, ())):
        yield from _problems(node.of, item, f"{_step(path, node.nodes)}[{position}]", side)
    if len(parts) == 2:
        yield from _edges(node, parts[node.nodes], parts[node.edges], path)


def _edges(node: ir.Graph, nodes: list[Any], edges: list[Any], path: str) -> Iterator[Misfit]:
    known: set[Hashable] = set()
    for position, item in enumerate(nodes):
        here = f"{_step(path, node.nodes)}[{position}]"
        try:
            name = position if node.ids == "index" else item if node.ids == "value" else get(item, node.ids)
        except MissingField:
            yield _missing(item, node.ids, here)
            continue
        key = _id(name)
        if key in known:
            yield here, f"two nodes have the id {_short(name)}", "give each node an id of its own"
        known.add(key)
    for position, edge in enumerate(edges):
        here = f"{_step(path, node.edges)}[{position}]"
        if not isinstance(edge, list | tuple) or len(edge) != 2:
            yield here, f"expected an edge, a pair of node ids, got {_short(edge)}", None
            continue
        for end, name in enumerate(edge):
            if _id(name) not in known:
                hint = f"ids run from 0 to {len(nodes) - 1}" if node.ids == "index" and nodes else None
                yield f"{here}[{end}]", f"there is no node {_short(name)}", hint


def _id(value: Any) -> Hashable:
    """A node id as a key: true is not 1, and a list is a tuple."""
    if isinstance(value, list | tuple):
        return tuple(_id(item) for item in value)
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return (type(value).__name__, value) if isinstance(value, bool) else value


# Wrappers


def _inside(node: Any, value: Any, path: str, side: Side | None) -> Iterator[Misfit]:
    for inner in ir.children(node):
        yield from _problems(inner, value, path, side)


_CHECKS: dict[type, Callable[[Any, Any, str, Side | None], Iterator[Misfit]]] = {
    ir.Exact: _exact,
    ir.Span: _span,
    ir.Edit: _string,
    ir.Hierarchy: _type_name,
    ir.Number: _number,
    ir.Custom: _anything,
    ir.Variable: _variable,
    ir.Record: _record,
    ir.Sum: _record,
    ir.Union: _union,
    ir.Mapped: _mapped,
    ir.Set: _collection,
    ir.Greedy: _collection,
    ir.Overlap: _collection,
    ir.Sequence: _collection,
    ir.Graph: _graph,
    ir.Threshold: _inside,
    ir.Max: _inside,
    ir.Unit: _inside,
    ir.Latent: _inside,
    ir.Normalise: _inside,
}
