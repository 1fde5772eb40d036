"""What must hold of a node beyond the types of its fields; one list for constructors and for files.

A constructor raises the first complaint as a `UsageError`; a specification file reports all of them with their place.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal, TypeVar

from adjudge.algebra import ir
from adjudge.errors import UsageError, did_you_mean

Complaint = tuple[str | None, str]
"""The field it is about (None: the node as a whole), and what is wrong."""

NodeT = TypeVar("NodeT", bound=ir.Node | ir.Case)


def complaints(node: ir.Node | ir.Case) -> Iterator[Complaint]:
    """Everything wrong with one node, not looking at the nodes below it.

    >>> list(complaints(ir.Number(scale=0.0)))
    [('scale', 'scale must be above 0')]
    """
    yield from _choices(node)
    for name in node.__struct_fields__:
        value = getattr(node, name)
        if isinstance(value, float) and not math.isfinite(value):
            yield name, f"{name} must be finite"
    rule = _RULES.get(type(node))
    if rule is not None:
        yield from rule(node)


def checked(node: NodeT) -> NodeT:
    """`node`, or a `UsageError` that says what is wrong with it."""
    for _, message in complaints(node):
        raise UsageError(f"{type(node).__struct_config__.tag or 'case'}: {message}")
    return node


def need_similarity(value: Any, *, what: str = "of") -> ir.Similarity:
    """`value` if it is a node, else an error that says how to get one."""
    if isinstance(value, ir.Node):
        return value  # type: ignore[return-value]
    if isinstance(value, type):
        hint = f"use derive_similarity({value.__name__})"
    elif callable(value):
        name = getattr(value, "__name__", "exact")
        hint = f"call it, as in {name}(...), or wrap a function of two values in custom(...)"
    else:
        hint = "use exact, record(...), span(...), custom(...) or another similarity"
    raise UsageError(f"{what} must be a similarity, got {value!r}", hint=hint)


@lru_cache(maxsize=64)
def literals(kind: type) -> dict[str, tuple[Any, ...]]:
    """The allowed values of the fields that have a fixed list of them."""
    found = {}
    for name, hint in typing.get_type_hints(kind).items():
        parts = typing.get_args(hint) if typing.get_origin(hint) in (types.UnionType, typing.Union) else (hint,)
        values: list[Any] = []
        for part in parts:
            if typing.get_origin(part) is Literal:
                values.extend(typing.get_args(part))
            elif part is type(None):
                values.append(None)
            else:
                break
        else:
            found[name] = tuple(values)
    return found


def _choices(node: ir.Node | ir.Case) -> Iterator[Complaint]:
    for name, allowed in literals(type(node)).items():
        value = getattr(node, name)
        if not is_choice(value, allowed):
            known = [str(each) for each in allowed if each is not None]
            close = did_you_mean(str(value), known)
            yield name, f"{name} must be {_or(known)}, got {value!r}" + (f", {close}" if close else "")


def is_choice(value: Any, allowed: tuple[Any, ...]) -> bool:
    """Whether a value is one of those allowed; true is not 1."""
    return any(value is each or (type(value) is type(each) and value == each) for each in allowed)


def _or(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _fields(node: ir.Record | ir.Sum) -> Iterator[Complaint]:
    if not node.fields:
        yield "fields", "there must be at least one field"


def _union(node: ir.Union) -> Iterator[Complaint]:
    if not node.cases:
        yield "cases", "there must be at least one case"
    for position, case in enumerate(node.cases[:-1]):
        if not any((case.type, case.prefix is not None, case.has, case.field, case.python)):
            yield "cases", f"case {position} takes every value, so the cases after it are never reached"


def _case(node: ir.Case) -> Iterator[Complaint]:
    if node.equals is not None and node.field is None:
        yield "equals", "equals needs field, the name of the field that decides"


def _mapped(node: ir.Mapped) -> Iterator[Complaint]:
    if node.by is None and node.system is None and node.gold is None:
        yield None, "a function is needed: by, system or gold"


def _threshold(node: ir.Threshold) -> Iterator[Complaint]:
    if (node.above is None) == (node.at_least is None):
        yield None, "give exactly one of above (strict) and at_least"
    elif node.above is not None and node.above < 0:
        yield "above", "above must not be negative"
    elif node.at_least is not None and node.at_least <= 0:
        yield "at_least", "at_least must be above 0, or everything would match"


def _max(node: ir.Max) -> Iterator[Complaint]:
    if not node.of:
        yield "of", "there must be at least one similarity"


def _number(node: ir.Number) -> Iterator[Complaint]:
    if node.scale <= 0:
        yield "scale", "scale must be above 0"


def _hierarchy(node: ir.Hierarchy) -> Iterator[Complaint]:
    if node.parents is None and node.separator is None and not node.table:
        yield None, "give parents, a separator, or a table of credits"
    if node.parents is not None and node.separator is not None:
        yield "separator", "give either parents or a separator"
    if node.separator == "":
        yield "separator", "the separator must not be empty"
    if not 0 <= node.partial <= 1:
        yield "partial", "partial must lie between 0 and 1"
    for system, gold, credit in node.table:
        if not 0 <= credit <= 1:
            yield "table", f"the credit of {system} for {gold} must lie between 0 and 1, got {credit}"
    cycle = _cycle(node.parents or {})
    if cycle:
        yield "parents", f"the hierarchy has a cycle: {' < '.join(cycle)}"


def _cycle(parents: Mapping[str, str]) -> list[str] | None:
    """One cycle of the parent relation, if there is one."""
    done: set[str] = set()
    for start in parents:
        path: dict[str, None] = {}
        here = start
        while here in parents and here not in done:
            if here in path:
                names = list(path)
                return [*names[names.index(here) :], here]
            path[here] = None
            here = parents[here]
        done.update(path)
    return None


def _overlap(node: ir.Overlap) -> Iterator[Complaint]:
    if not _discrete(node.of):
        yield "of", "overlap counts equal elements; for graded elements match them: f1(one_to_one(...))"


def _discrete(node: ir.Similarity) -> bool:
    if isinstance(node, ir.Record | ir.Union | ir.Mapped | ir.Unit):
        return all(_discrete(inner) for inner in ir.children(node))
    return isinstance(node, ir.Exact)


def _custom(node: ir.Custom) -> Iterator[Complaint]:
    if node.upper is not None and node.upper <= 0:
        yield "upper", "upper must be above 0"
    if node.self_score is not None and node.self_score < 0:
        yield "self_score", "self_score must not be negative"


def _normalise(node: ir.Normalise) -> Iterator[Complaint]:
    if node.beta < 0:
        yield "beta", "beta must not be negative"
    if node.beta != 1 and node.by != "f":
        yield "beta", f"beta has no meaning for {node.by}"


_RULES: dict[type, Callable[[Any], Iterator[Complaint]]] = {
    ir.Record: _fields,
    ir.Sum: _fields,
    ir.Union: _union,
    ir.Case: _case,
    ir.Mapped: _mapped,
    ir.Threshold: _threshold,
    ir.Max: _max,
    ir.Number: _number,
    ir.Hierarchy: _hierarchy,
    ir.Overlap: _overlap,
    ir.Custom: _custom,
    ir.Normalise: _normalise,
}


def checked_tree(node: ir.Similarity) -> ir.Similarity:
    """`node`, if neither it nor anything below it is wrong."""
    checked(node)
    for case in node.cases if isinstance(node, ir.Union) else ():
        checked(case)
    for inner in ir.children(node):
        checked_tree(inner)
    return node
