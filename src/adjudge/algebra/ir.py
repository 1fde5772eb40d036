"""The intermediate form: a similarity as a small, frozen, serialisable tree.

Every front end (types, views, data) lowers to these nodes, every back end (planner, reference) reads them, and the
hash of their JSON is part of a result's signature. A node says *what* is computed, never how.

A similarity compares a system value `s` with a gold value `g` and yields phi(s, g) >= 0; it also has a self score on
either side, phi(s, s) and phi(g, g), which normalisers divide by. The self score of every matching is the sum of the
self scores of its elements.

Equations, here and in the rest of the package, are numbered as in Chen et al. 2023, A Unified View of Evaluation
Metrics for Structured Prediction.

Fields left at None inherit the conventions of the metric that contains them (`with_conventions`).
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Sequence_
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import msgspec

from adjudge.algebra.functions import Fn
from adjudge.algebra.shape import Schema
from adjudge.errors import UsageError, did_you_mean

Match: TypeAlias = Literal["1:1", "N:1", "1:N", "N:N", "best"]
Duplicates: TypeAlias = Literal["set", "multiset", "error"]
Kind: TypeAlias = Literal["string", "integer", "number", "boolean", "null", "array", "object"]
OverlapKind: TypeAlias = Literal[
    "count",
    "dice",
    "jaccard",
    "precision",
    "recall",
    "containment",
    "subset",
    "superset",
    "link",
    "pairs",
    "pairs-precision",
    "pairs-recall",
]
SpanKind: TypeAlias = Literal["count", "dice", "jaccard", "precision", "recall", "containment", "any", "partial"]
Credit: TypeAlias = Literal["halving", "linear", "ancestors", "general"]


Complaint: TypeAlias = tuple[str | None, str]
"""The field that is wrong (None: the node as a whole), and why."""


class NodeError(UsageError):
    """An invalid node, with everything that is wrong with it."""

    def __init__(self, name: str, complaints: Sequence_[Complaint]) -> None:
        super().__init__(f"{name}: {complaints[0][1]}")
        self.complaints = complaints


class _Checked(msgspec.Struct, frozen=True):
    """A struct that checks its fields whenever one is made."""

    def __post_init__(self) -> None:
        found: list[Complaint] = []
        for name, allowed in literals(type(self)).items():
            value = getattr(self, name)
            if not is_choice(value, allowed):
                # None in a node leaves the choice to the conventions, which are asked for it.
                null = ["null"] * (None in allowed and isinstance(self, Conventions))
                known = [str(each) for each in allowed if each is not None] + null
                close = did_you_mean(str(value), known)
                listed = known[0] if len(known) == 1 else f"{', '.join(known[:-1])} or {known[-1]}"
                found.append((name, f"{name} must be {listed}, got {value!r}" + (f", {close}" if close else "")))
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, float) and not math.isfinite(value):
                found.append((name, f"{name} must be finite"))
        found += _contradictions(self)
        if found:
            raise NodeError(str(self.__struct_config__.tag or type(self).__name__.lower()), found)


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


def is_choice(value: Any, allowed: tuple[Any, ...]) -> bool:
    """Whether a value is one of those allowed; true is not 1."""
    return any(value is each or (type(value) is type(each) and value == each) for each in allowed)


class Node(_Checked, frozen=True, kw_only=True, tag_field="sim", omit_defaults=True, forbid_unknown_fields=True):
    """Base of all nodes; `sim` names the kind in the serialised form."""

    def __hash__(self) -> int:
        # Some fields are dicts, and typing hashes the metadata of Annotated, so the default will not do.
        values = (getattr(self, name) for name in self.__struct_fields__)
        return hash((type(self), *(frozenset(v.items()) if isinstance(v, dict) else v for v in values)))


class Exact(Node, frozen=True, tag="exact"):
    """phi = [s = g]; lists compare as tuples, true is not 1. (Eq. 1)"""

    type: Kind | None = None
    values: tuple[str | int | bool | None, ...] | None = None


class Record(Node, frozen=True, tag="record"):
    """Product over fields; a field is an attribute, a key, or a position written as a number. (Eq. 2)

    `size` is the length that a list or tuple compared by position must have.
    """

    fields: dict[str, Similarity]
    size: int | None = None


class Sum(Node, frozen=True, tag="sum"):
    """Sum over fields: parts of one record that are counted together."""

    fields: dict[str, Similarity]


class Case(_Checked, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One case of a union: the first case whose conditions all hold is taken; no condition means "anything else"."""

    of: Similarity
    name: str | None = None
    type: Kind | None = None
    prefix: str | None = None
    has: str | None = None
    field: str | None = None
    equals: str | int | bool | None = None
    python: Fn | None = None


class Union(Node, frozen=True, tag="union"):
    """0 between different cases, the case's own similarity within one (and its own self score)."""

    cases: tuple[Case, ...]


class Mapped(Node, frozen=True, tag="map"):
    """phi(f(s), f(g)); `system` and `gold` override `by` on one side."""

    of: Similarity
    by: Fn | None = None
    system: Fn | None = None
    gold: Fn | None = None


class Threshold(Node, frozen=True, tag="threshold"):
    """[phi > above] or [phi >= at_least], decided in integers wherever phi is a ratio of counts. (Eq. 29-31)"""

    of: Similarity
    above: float | None = None
    at_least: float | None = None
    keep: bool = False


class Max(Node, frozen=True, tag="max"):
    """The best of several similarities of the same two values."""

    of: tuple[Similarity, ...]


class Unit(Node, frozen=True, tag="unit"):
    """The similarity of `of`, with a self score of one by definition (fillers that are counted, Eq. 32)."""

    of: Similarity


class Hierarchy(Node, frozen=True, tag="hierarchy"):
    """Partial credit between types of a hierarchy, given by `parents` or by the path in the value itself.

    `halving` 2^(k-d) and `linear` k/d, with k common levels and d levels of the deeper type (Eq. 38, both readings);
    `ancestors` the F1 of the two sets of supertypes (Eq. 39); `general` gives `partial` when the system's type is a
    proper ancestor of the gold one (Eq. 33). `table` rows (system, gold, credit) override all of these.
    """

    parents: dict[str, str] | None = None
    separator: str | None = None
    credit: Credit = "halving"
    partial: float = 0.5
    table: tuple[tuple[str, str, float], ...] = ()


class Overlap(Node, frozen=True, tag="overlap"):
    """A function of |S & G|, |S| and |G| for two collections of exactly compared elements. (Eq. 17, 18, 21, 25)

    `link` is |S & G| - 1, `pairs` the number T of unordered pairs in S & G. `pairs-precision` is |S| T(S & G) / T(S),
    the size of S times the share of its pairs that G has; a single element has its share iff S = G. `pairs-recall` is
    the same of G.
    """

    of: Similarity
    by: OverlapKind = "dice"
    duplicates: Duplicates | None = None


class Span(Node, frozen=True, tag="span"):
    """Overlap of two spans [start, end), given as objects or pairs; `inclusive` ends count as in [start, end].

    `any` is 1 for spans that overlap; `partial` is 1 for equal spans and 1/2 for others that overlap.
    """

    by: SpanKind = "jaccard"
    start: str = "start"
    end: str = "end"
    inclusive: bool = False


class Edit(Node, frozen=True, tag="edit"):
    """1 - (edit distance) / (length of the longer string); two empty strings are equal."""


class Number(Node, frozen=True, tag="number"):
    """max(0, 1 - |s - g| / scale)."""

    scale: float


class Custom(Node, frozen=True, tag="custom"):
    """A Python function of (system, gold), with what the planner may rely on.

    `key`: values with different keys have similarity 0. `upper`: a number no similarity exceeds; `bound`: a cheap
    function of the pair that is never below its similarity. `symmetric`: f(a, b) = f(b, a). `self_score`: the constant
    f(x, x), else f is called.
    """

    function: Fn
    key: Fn | None = None
    upper: float | None = None
    bound: Fn | None = None
    symmetric: bool = False
    self_score: float | None = None


class Set(Node, frozen=True, tag="set"):
    """The value of an optimal matching of elements under a constraint. (Eq. 13)

    `N:1` sends each system element to at most one gold element, `1:N` the reverse; `best` keeps one pair only.
    """

    of: Similarity
    match: Match = "1:1"
    duplicates: Duplicates | None = None
    empty: Literal[0, 1] | None = None


class Greedy(Node, frozen=True, tag="greedy"):
    """A one-to-one matching built step by step instead of optimally.

    `order`: take pairs by falling `score`, or go through the `system` or `gold` elements in their order (`rank`, if
    given, sorts that side first, highest value first; equal values keep their order). Going through one side, each
    element takes the `best` or the `first` free counterpart. Equal scores: the earlier element of side `ties` wins,
    then the earlier element of the other side.
    """

    of: Similarity
    order: Literal["score", "system", "gold"] = "score"
    take: Literal["best", "first"] = "best"
    ties: Literal["system", "gold"] = "system"
    rank: Fn | None = None
    duplicates: Duplicates | None = None
    empty: Literal[0, 1] | None = None


class Sequence(Node, frozen=True, tag="sequence"):
    """The best order-preserving matching of two sequences: weighted LCS for 1:1. (Eq. 37)"""

    of: Similarity
    match: Literal["1:1", "N:1", "1:N", "N:N"] = "1:1"
    empty: Literal[0, 1] | None = None


class Graph(Node, frozen=True, tag="graph"):
    """The best matching of nodes under which reachability agrees on both sides. (Eq. 37, DAGs and digraphs)

    Edges are pairs of node ids; `ids` says what an id is: the `index` of the node, its `value`, or a field's name.
    """

    of: Similarity
    nodes: str = "nodes"
    edges: str = "edges"
    ids: str = "index"
    match: Literal["1:1", "N:1", "1:N", "N:N"] = "1:1"
    empty: Literal[0, 1] | None = None


class Variable(Node, frozen=True, tag="variable"):
    """A variable: two variables are similar iff the enclosing `latent` matches them. (Eq. 34)"""


class Latent(Node, frozen=True, tag="latent"):
    """The best value of `of` over all one-to-one matchings of the variables inside it. (Eq. 35, 36)"""

    of: Similarity


class Leaves(Node, frozen=True, tag="leaves"):
    """The correct leaves of two documents of nested records, with lists under their best alignment.

    The self score is the number of leaves. `schema` says how values are compared; by default as they are.
    """

    schema: Schema = Schema()

    def __hash__(self) -> int:
        return hash(msgspec.json.encode(self.schema))


class Normalise(Node, frozen=True, tag="normalise"):
    """A ratio of a matching value and its self scores. (Eq. 4-7)

    With `recall`, precision comes from `of` and recall from `recall`, and F is their harmonic mean (B3, one-sided
    metrics).
    """

    of: Similarity
    by: Literal["precision", "recall", "f", "jaccard"] = "f"
    beta: float = 1.0
    recall: Similarity | None = None
    undefined: Literal[0, 1] | None = None


Similarity: TypeAlias = (
    Exact
    | Record
    | Sum
    | Union
    | Mapped
    | Threshold
    | Max
    | Unit
    | Hierarchy
    | Overlap
    | Span
    | Edit
    | Number
    | Custom
    | Set
    | Greedy
    | Sequence
    | Graph
    | Variable
    | Latent
    | Leaves
    | Normalise
)


def _contradictions(node: _Checked) -> Iterator[Complaint]:
    """What is wrong with the fields of a struct taken together."""
    match node:
        case Record() | Sum():
            if not node.fields:
                yield "fields", "there must be at least one field"
        case Case():
            if node.equals is not None and node.field is None:
                yield "equals", "equals needs field, the name of the field that decides"
        case Union():
            if not node.cases:
                yield "cases", "there must be at least one case"
            for position, case in enumerate(node.cases[:-1]):
                if not any((case.type, case.prefix is not None, case.has, case.field, case.python)):
                    yield "cases", f"case {position} takes every value, so the cases after it are never reached"
        case Mapped():
            if node.by is None and node.system is None and node.gold is None:
                yield None, "a function is needed: by, system or gold"
        case Threshold():
            if (node.above is None) == (node.at_least is None):
                yield None, "give exactly one of above (strict) and at_least"
            elif node.above is not None and node.above < 0:
                yield "above", "above must not be negative"
            elif node.at_least is not None and node.at_least <= 0:
                yield "at_least", "at_least must be above 0, or everything would match"
        case Max():
            if not node.of:
                yield "of", "there must be at least one similarity"
        case Hierarchy():
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
        case Overlap():
            if not _discrete(node.of):
                yield "of", "overlap counts equal elements; for graded elements match them: f1(one_to_one(...))"
        case Number():
            if node.scale <= 0:
                yield "scale", "scale must be above 0"
        case Custom():
            if node.upper is not None and node.upper <= 0:
                yield "upper", "upper must be above 0"
            if node.self_score is not None and node.self_score < 0:
                yield "self_score", "self_score must not be negative"
        case Normalise():
            if node.beta < 0:
                yield "beta", "beta must not be negative"
            if node.beta != 1 and node.by != "f":
                yield "beta", f"beta has no meaning for {node.by}"


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


def _discrete(node: Similarity) -> bool:
    if isinstance(node, Record | Union | Mapped | Unit):
        return all(_discrete(inner) for inner in children(node))
    return isinstance(node, Exact)


class Conventions(_Checked, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The conventions on which packages disagree, made explicit; part of every metric and signature.

    `duplicates`: a collection is a set, a multiset, or repeating an element is an error. `empty`: the self score of an
    empty collection, 0 or 1. `undefined`: the value of 0/0; null leaves a reported ratio undefined (a ratio nested
    inside a metric must have a value, and takes 0 then); `both` is 1 if there is nothing on both sides, and else 0.
    """

    duplicates: Duplicates = "set"
    empty: Literal[0, 1] = 0
    undefined: Literal[0, 1, "both"] | None = 0


def children(node: Similarity) -> Iterator[Similarity]:
    """The nodes directly below `node`, in a fixed order."""
    if isinstance(node, Record | Sum):
        yield from node.fields.values()
    elif isinstance(node, Union):
        for case in node.cases:
            yield case.of
    elif isinstance(node, Max):
        yield from node.of
    elif isinstance(node, Normalise):
        yield node.of
        if node.recall is not None:
            yield node.recall
    elif hasattr(node, "of"):
        yield node.of


def rebuild(node: Similarity, change: Callable[[Similarity], Similarity]) -> Similarity:
    """`node` with `change` applied to each node directly below it."""
    replace = msgspec.structs.replace
    if isinstance(node, Record | Sum):
        return replace(node, fields={name: change(inner) for name, inner in node.fields.items()})
    if isinstance(node, Union):
        return replace(node, cases=tuple(replace(case, of=change(case.of)) for case in node.cases))
    if isinstance(node, Max):
        return replace(node, of=tuple(change(inner) for inner in node.of))
    if isinstance(node, Normalise):
        recall = None if node.recall is None else change(node.recall)
        return replace(node, of=change(node.of), recall=recall)
    if hasattr(node, "of"):
        return replace(node, of=change(node.of))
    return node


def with_conventions(node: Similarity, conventions: Conventions) -> Similarity:
    """`node` with all open conventions filled in, at every level."""
    return settled(rebuild(node, lambda inner: with_conventions(inner, conventions)), conventions)


def settled(node: Similarity, conventions: Conventions) -> Similarity:
    """`node` with its own open conventions filled in."""
    changes: dict[str, Any] = {}
    if getattr(node, "duplicates", "set") is None:
        changes["duplicates"] = conventions.duplicates
    if getattr(node, "empty", 0) is None:
        changes["empty"] = conventions.empty
    if isinstance(node, Normalise) and node.undefined is None:
        # An F score and a Jaccard index are 0/0 only if there is nothing on both sides.
        both = conventions.undefined == "both"
        changes["undefined"] = int(node.by in ("f", "jaccard")) if both else conventions.undefined or 0
    return msgspec.structs.replace(node, **changes) if changes else node


def has_variables(node: Similarity) -> bool:
    """Whether `node` contains a variable that no `latent` binds."""
    if isinstance(node, Variable):
        return True
    return not isinstance(node, Latent) and any(has_variables(inner) for inner in children(node))


def tells_sides(node: Similarity) -> bool:
    """Whether system values are mapped differently from gold values."""
    if isinstance(node, Mapped) and not node.system is node.gold is None:
        return True
    return any(tells_sides(inner) for inner in children(node))


def takes_null(node: Similarity) -> bool:
    """Whether a missing field of this similarity counts as null: one case of the union takes null."""
    if isinstance(node, Union):
        return any(
            case.type in (None, "null")
            and case.prefix is case.has is case.field is None
            and (case.python is None or isinstance(None, case.python.function))  # type: ignore[arg-type]
            for case in node.cases
        )
    if isinstance(node, Exact):
        return node.type == "null" or (node.values is not None and None in node.values)
    return isinstance(node, Threshold | Unit | Latent | Normalise) and takes_null(node.of)


def need_similarity(value: Any, *, what: str = "of") -> Similarity:
    """`value` if it is a node, else an error that says how to get one."""
    if isinstance(value, Node):
        return value  # type: ignore[return-value]
    if isinstance(value, type):
        hint = f"use derive_similarity({value.__name__})"
    elif callable(value):
        name = getattr(value, "__name__", "exact")
        hint = f"call it, as in {name}(...), or wrap a function of two values in custom(...)"
    else:
        hint = "use exact, record(...), span(...), custom(...) or another similarity"
    raise UsageError(f"{what} must be a similarity, got {value!r}", hint=hint)
