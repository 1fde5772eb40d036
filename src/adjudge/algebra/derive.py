"""From a type to a similarity.

Scalars are compared exactly, records by the product of their fields, collections as sets by the best one-to-one
matching, unions case by case. `Annotated` chooses something else for a field: the first similarity among its metadata
replaces what would be derived; failing that, the constructors `one_to_one`, `many_to_one`, ..., `sequence` (`ordered`)
and `count`, `f1`, `precision`, `recall`, `jaccard`, `unit`, `latent` may stand there without arguments. A field marked
`ignore` is not compared.

The outermost collection counts its matches, so that documents can be pooled; a collection inside an element gives the
element a ratio (`nested="f1"`) or a count (`nested="count"`). Such a ratio of two empty collections is 1, because they
are equal. A type that cannot be handled is an error.
"""

from __future__ import annotations

import collections
import collections.abc
import datetime
import decimal
import enum
import fractions
import functools
import operator
import pathlib
import types
import typing
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeVar

from adjudge.algebra import ir, matching, similarity
from adjudge.algebra.access import UNIONS, fields_of, ignore, is_record_class, is_typed_dict, substitute, unwrapped
from adjudge.algebra.functions import Fn
from adjudge.errors import UsageError
from adjudge.model.variable import Variable

ordered = matching.sequence
"""`Annotated[list[T], ordered]`: the order of the elements matters."""


class Item(NamedTuple):
    """One entry of a mapping."""

    key: Any
    value: Any


def items(mapping: Mapping[Any, Any]) -> list[Item]:
    """The entries of a mapping, as records.

    >>> items({"agent": 1})
    [Item(key='agent', value=1)]
    """
    if not isinstance(mapping, Mapping):
        raise TypeError("expected an object")
    return [Item(key, value) for key, value in mapping.items()]


def elements(counter: Mapping[Any, int] | Iterable[Any]) -> list[Any]:
    """The elements of a counter, each as often as it was counted; a plain list is taken as it is.

    >>> elements({"a": 2, "b": 1})
    ['a', 'a', 'b']
    """
    return list(collections.Counter(counter).elements()) if isinstance(counter, Mapping) else list(counter)


def derive_similarity(
    tp: Any, *, nested: Literal["f1", "count"] = "f1", names: Mapping[str, Any] | None = None
) -> ir.Similarity:
    """The similarity of two values of a type.

    `names` helps to resolve forward references to classes that are not at the top of their module.

    >>> derive_similarity(set[str])
    Set(of=Exact(type='string', values=None), match='1:1', duplicates=None, empty=None)
    """
    if nested not in ("f1", "count"):
        raise UsageError(f'nested must be "f1" or "count", got {nested!r}')
    node = _derive(tp, _At(path=_name(tp), nested=nested, names=names or {}))
    return ir.Latent(of=node) if ir.has_variables(node) else node


@dataclass(frozen=True, slots=True)
class _At:
    """The position in a type: its path for messages, and whether a collection or a record has been entered."""

    path: str
    nested: Literal["f1", "count"]
    names: Mapping[str, Any]
    top: bool = True
    rooted: bool = False
    seen: tuple[Any, ...] = ()

    def step(self, text: str, *, top: bool = False) -> _At:
        return replace(self, path=self.path + text, top=top)

    def error(self, message: str, hint: str) -> UsageError:
        return UsageError(f"{self.path}: {message}", hint=hint)


KINDS: dict[type, ir.Kind] = {
    bool: "boolean",
    str: "string",
    int: "integer",
    float: "number",
    type(None): "null",
}

_SCALARS = (
    *(bytes, complex, decimal.Decimal, fractions.Fraction, uuid.UUID, pathlib.PurePath),
    *(datetime.date, datetime.time, datetime.timedelta),
)

_COLLECTIONS = (
    *(list, set, frozenset, collections.deque),
    *(collections.abc.Set, collections.abc.MutableSet, collections.abc.Sequence, collections.abc.MutableSequence),
    *(collections.abc.Collection, collections.abc.Iterable),
)

_MAPPINGS = (
    *(dict, collections.OrderedDict, collections.defaultdict),
    *(collections.abc.Mapping, collections.abc.MutableMapping),
)

_MATCHERS: tuple[Callable[..., Any], ...] = (
    *(matching.one_to_one, matching.many_to_one, matching.one_to_many, matching.many_to_many),
    *(matching.best_pair, matching.greedy, matching.sequence, matching.set_of),
)

_NORMALISERS: tuple[Callable[..., Any], ...] = (
    *(matching.count, matching.f1, matching.f, matching.precision, matching.recall, matching.jaccard),
)

_WRAPPERS: tuple[Callable[..., Any], ...] = (similarity.unit, matching.latent)


def _derive(tp: Any, at: _At) -> ir.Similarity:
    tp = _resolved(tp, at)
    origin, args = typing.get_origin(tp), typing.get_args(tp)
    if origin is typing.Annotated:
        return _annotated(args[0], tp.__metadata__, at)
    if _is_alias(tp):
        if any((origin or tp) is each for each in at.seen):
            raise at.error(f"the type {_name(tp)} contains itself", _REMEDY)
        return _derive(_expanded(tp), replace(at, seen=(*at.seen, origin or tp)))
    if origin in UNIONS:
        return _union(tp, at)
    if origin is Literal:
        return ir.Exact(values=literal_values(args))
    collection = _collection(tp, at)
    if collection is not None:
        return _matched(collection, at)
    if tp is tuple or origin is tuple:
        return _positions(args, at)
    return _class(tp, origin or tp, args, at)


_REMEDY = (
    "choose a similarity: Annotated[..., adjudge.algebra.exact] or Annotated[..., adjudge.algebra.custom(function)]"
)


def _resolved(tp: Any, at: _At) -> Any:
    """A type without the things that say nothing about how to compare its values."""
    while True:
        if isinstance(tp, str | typing.ForwardRef):
            name = tp if isinstance(tp, str) else tp.__forward_arg__
            if name not in at.names:
                raise at.error(f"cannot resolve {name!r}", "give the class itself, or pass names={...}")
            tp = at.names[name]
        elif isinstance(tp, typing.NewType):
            tp = tp.__supertype__
        elif isinstance(tp, TypeVar):
            tp = _variable_type(tp, at)
        elif unwrapped(tp) is not tp:
            tp = unwrapped(tp)
        elif tp is None:
            return type(None)
        else:
            return tp


def _variable_type(tp: TypeVar, at: _At) -> Any:
    if tp.__bound__ is not None:
        return tp.__bound__
    if tp.__constraints__:
        return functools.reduce(operator.or_, tp.__constraints__)
    if getattr(tp, "has_default", bool)():
        return tp.__default__  # type: ignore[attr-defined]
    raise at.error(
        f"the type variable {tp.__name__} is open",
        f"declare what it stands for, as in {_owner(at)}[str], or give it a bound",
    )


def _owner(at: _At) -> str:
    return _name(at.seen[-1][0]) if at.seen and isinstance(at.seen[-1], tuple) else "Box"


def _is_alias(tp: Any) -> bool:
    return type(typing.get_origin(tp) or tp).__name__ == "TypeAliasType"


def _expanded(tp: Any) -> Any:
    alias = typing.get_origin(tp) or tp
    return substitute(alias.__value__, dict(zip(alias.__type_params__, typing.get_args(tp), strict=False)))


# Annotated


def _annotated(tp: Any, metadata: tuple[Any, ...], at: _At) -> ir.Similarity:
    if ignore in metadata:
        raise at.error(
            "ignore marks a whole field", "write, for example, text: Annotated[str | None, adjudge.algebra.ignore]"
        )
    for each in metadata:
        node = each if isinstance(each, ir.Node) else getattr(each, "node", getattr(each, "similarity", None))
        if isinstance(node, ir.Node):
            return node  # type: ignore[return-value]
        if isinstance(each, types.FunctionType | types.BuiltinFunctionType) and not _is_constructor(each):
            name = getattr(each, "__name__", "function")
            raise at.error(f"{name} is a function, not a similarity", f"wrap it: Annotated[..., custom({name})]")
    chosen = [each for each in metadata if _is_constructor(each)]
    for each in chosen:
        if each not in (*_MATCHERS, *_NORMALISERS, *_WRAPPERS):
            raise at.error(f"{each.__name__} is a function", f"call it: Annotated[..., {each.__name__}(...)]")
    matcher = next((each for each in chosen if each in _MATCHERS), None)
    normaliser = next((each for each in chosen if each in _NORMALISERS), None)
    if matcher or normaliser:
        collection = _collection(_resolved(tp, at), at)
        if collection is None:
            name = (matcher or normaliser).__name__  # type: ignore[union-attr]
            raise at.error(
                f"{name} needs a collection, not {_name(tp)}", "write, for example, Annotated[list[str], ...]"
            )
        node = _matched(collection, at, matcher, normaliser)
    else:
        node = _derive(tp, at)
    for each in chosen:
        if each in _WRAPPERS:
            node = each(node)
    return node


def _is_constructor(value: Any) -> bool:
    """Whether a piece of metadata is one of our own functions, perhaps one that should have been called."""
    modules = (matching.__name__, similarity.__name__)
    return callable(value) and getattr(value, "__module__", None) in modules and not isinstance(value, type)


# Collections, mappings, tuples


@dataclass(frozen=True, slots=True)
class _Collection:
    of: ir.Similarity
    by: Fn | None = None
    duplicates: ir.Duplicates | None = None


def _collection(tp: Any, at: _At) -> _Collection | None:
    origin, args = typing.get_origin(tp), typing.get_args(tp)
    if origin is not None and not args:  # typing.List
        tp, origin = origin, None
    inside = at.step("[*]")
    if origin in _COLLECTIONS or (origin is tuple and len(args) == 2 and args[1] is Ellipsis):
        return _Collection(_derive(args[0], inside))
    if origin in _MAPPINGS:
        key, value = _derive(args[0], inside.step(".key")), _derive(args[1], inside.step(".value"))
        return _Collection(ir.Record(fields={"key": key, "value": value}), by=Fn.of(items))
    if origin is collections.Counter:
        return _Collection(_derive(args[0], inside), by=Fn.of(elements), duplicates="multiset")
    if tp is range:
        return _Collection(ir.Exact(type="integer"))
    if tp in (*_COLLECTIONS, *_MAPPINGS, collections.Counter) or origin in (
        collections.abc.Iterator,
        collections.abc.Generator,
    ):
        raise _bare(tp, at)
    return None


def _bare(tp: Any, at: _At) -> UsageError:
    name = _name(tp)
    if typing.get_origin(tp) is not None:
        return at.error(f"a {name} can be read only once", "use list, set or frozenset")
    example = f"{name}[str, int]" if tp in _MAPPINGS else f"{name}[str]"
    return at.error(f"{name} does not say what it holds", f"write, for example, {example}")


def _matched(
    collection: _Collection,
    at: _At,
    matcher: Callable[..., Any] | None = None,
    normaliser: Callable[..., Any] | None = None,
) -> ir.Similarity:
    """The matching of a collection, normalised if it stands inside an element or if that was asked for."""
    settings: dict[str, Any] = {}
    if collection.duplicates is not None and matcher is not matching.sequence:
        settings["duplicates"] = collection.duplicates
    node: ir.Similarity = (matcher or matching.one_to_one)(collection.of, **settings)
    # Two empty collections inside of two elements are equal; 0/0 of whole documents is up to the metric.
    equal: dict[str, Any] = {} if at.top or normaliser is matching.count else {"undefined": 1}
    if normaliser is not None:
        node = normaliser(node, **equal)
    elif not at.top and at.nested == "f1":
        node = matching.f1(node, **equal)
    return node if collection.by is None else ir.Mapped(of=node, by=collection.by)


def _positions(args: tuple[Any, ...], at: _At) -> ir.Record:
    if not args or args == ((),):
        raise at.error("tuple does not say what it holds", "write, for example, tuple[int, str] or tuple[str, ...]")
    if any(each is Ellipsis or typing.get_origin(each) is typing.Unpack or _is_unpacked(each) for each in args):
        raise at.error("a tuple with an open part cannot be compared by position", _REMEDY)
    fields = {str(i): _derive(each, at.step(f"[{i}]")) for i, each in enumerate(args)}
    return ir.Record(fields=fields, size=len(fields))


def _is_unpacked(tp: Any) -> bool:
    return bool(getattr(tp, "__unpacked__", False))


# Classes


def _class(tp: Any, cls: Any, args: tuple[Any, ...], at: _At) -> ir.Similarity:
    if not isinstance(cls, type) or cls in (object, type, Any):
        raise at.error(f"{_name(tp)} does not define how to compare", _REMEDY)
    if issubclass(cls, Variable):
        return ir.Variable()
    if issubclass(cls, enum.Enum):
        return _enumeration(cls)
    if is_record_class(cls):
        return _record(cls, args, at)
    scalar = _scalar(cls)
    if scalar is not None:
        return scalar
    raise at.error(f"{_name(tp)} is not a type with parts that can be compared", f"make it a dataclass, or {_REMEDY}")


def _scalar(cls: type) -> ir.Exact | None:
    for base, kind in KINDS.items():
        if issubclass(cls, base):
            return ir.Exact(type=kind)
    return ir.Exact() if issubclass(cls, _SCALARS) else None


def _enumeration(cls: type[enum.Enum]) -> ir.Exact:
    """Members equal their plain values, so that JSON can be compared as well."""
    if issubclass(cls, enum.Flag):
        return ir.Exact()
    return ir.Exact(values=literal_values(tuple(cls)))


def _record(cls: type, args: tuple[Any, ...], at: _At) -> ir.Record:
    document = at.top and not at.rooted
    if not at.rooted:
        at = replace(at, path=_name(cls), rooted=True)
    if any(each == (cls, args) for each in at.seen):
        raise at.error(f"{_name(cls)} contains itself", f"compare the inner one in another way: {_REMEDY}")
    fields = fields_of(cls, args, names=at.names)
    if not fields:
        raise at.error(f"{_name(cls)} has no fields to compare", _REMEDY)
    inside = replace(at, seen=(*at.seen, (cls, args)))
    # A record of one field is only a wrapper: what is outermost inside it stays outermost. The id of a document is its
    # name, and no field beside others.
    own = [field.name for field in fields if not (document and field.name == "id")] or ["id"]
    found: dict[str, ir.Similarity] = {}
    for field in fields:
        node = _derive(field.type, inside.step(f".{field.name}", top=at.top and own == [field.name]))
        if field.optional and not ir.takes_null(node):
            node = ir.Union(cases=(ir.Case(type="null", of=ir.Exact(type="null")), ir.Case(of=node)))
        found[field.name] = node
    return ir.Record(fields=found)


# Unions


def _union(tp: Any, at: _At) -> ir.Similarity:
    options = [option for member in _members(tp, at) for option in _options(member, at)]
    try:
        return union_of(options)
    except UsageError as error:
        problem = error.problems[0]
        raise at.error(problem.message, problem.hint or _REMEDY) from None


def _members(tp: Any, at: _At) -> list[Any]:
    plain = _resolved(tp, at)
    if _is_alias(plain):
        return _members(_expanded(plain), at)
    if typing.get_origin(plain) in UNIONS:
        return [inner for member in typing.get_args(plain) for inner in _members(member, at)]
    return [tp]


def _options(tp: Any, at: _At) -> list[Option]:
    """One member of a union, with what distinguishes its values."""
    plain = _resolved(tp, at)
    while typing.get_origin(plain) is typing.Annotated:
        plain = _resolved(plain.__origin__, at)
    cls, args = typing.get_origin(plain) or plain, typing.get_args(plain)
    of = _derive(tp, at)
    if cls is Literal:
        return literal_options(args, of)
    if isinstance(cls, type) and cls in KINDS:
        return [Option(of, KINDS[cls], kind=KINDS[cls])]
    if cls in _MAPPINGS or cls is collections.Counter:
        return [Option(of, "object", kind="object")]
    if cls in _COLLECTIONS or cls is tuple or cls is range:
        return [Option(of, "array", kind="array")]
    if not isinstance(cls, type):
        raise at.error(f"{_name(plain)} cannot be distinguished from the other cases of the union", _REMEDY)
    fields = None
    if is_record_class(cls):
        fields = {field.name: field.type for field in fields_of(cls, args, names=at.names) if not field.optional}
    if is_typed_dict(cls):
        return [Option(of, _name(cls), kind="object", fields=fields)]
    return [Option(of, _name(cls), cls=cls, fields=fields)]


# Telling the members of a union apart. Kinds of JSON values come first, then a field with a `Literal` of its own, then
# the class itself. Where a single class stands beside kinds that look different, it takes "anything else", so that the
# same metric works on JSON.


@dataclass(frozen=True, slots=True)
class Option:
    """One member of a union: a JSON kind or a class; `fields` are the types of a record's fields."""

    of: ir.Similarity
    name: str
    kind: ir.Kind | None = None
    cls: type | None = None
    fields: Mapping[str, Any] | None = None


def literal_values(values: Sequence[Any]) -> tuple[str | int | bool | None, ...] | None:
    """The plain values of literals or enum members, if all of them can be written down.

    >>> literal_values(["a", 1, None])
    ('a', 1, None)
    """
    plain = [value.value if isinstance(value, enum.Enum) else value for value in values]
    return tuple(plain) if all(value is None or isinstance(value, str | int) for value in plain) else None


def literal_options(values: Sequence[Any], of: ir.Similarity) -> list[Option]:
    """The values of a `Literal` inside a union, one option per kind."""
    groups: dict[ir.Kind, list[Any]] = {}
    for value in literal_values(values) or values:
        kind = next((kind for base, kind in KINDS.items() if isinstance(value, base)), None)
        if kind is None:
            raise UsageError(
                f"{value!r} cannot be combined with other types", hint="use an Enum instead of the Literal"
            )
        groups.setdefault(kind, []).append(value)
    whole = isinstance(of, ir.Exact)
    return [Option(ir.Exact(values=tuple(group)) if whole else of, kind, kind=kind) for kind, group in groups.items()]


def union_of(options: Sequence[Option]) -> ir.Similarity:
    """The union of the options, or the only one that is left after merging."""
    options = _merged(options)
    if len(options) == 1:
        return options[0].of
    records = [option for option in options if option.fields is not None]
    tag = _tag(records)
    last = None if tag else _otherwise(options)
    # Classes before kinds (a text of a special class is still a text), subclasses before their bases.
    order = sorted(options, key=lambda each: (each is last, each.cls is None, -len(getattr(each.cls, "__mro__", ()))))
    return ir.Union(cases=tuple(_case(option, records, tag, last) for option in order))


def _case(option: Option, records: Sequence[Option], tag: str | None, last: Option | None) -> ir.Case:
    if option is last:
        return ir.Case(name=option.name, of=option.of)
    if tag is not None and option.fields is not None:
        return ir.Case(name=option.name, field=tag, equals=_only_value(option.fields[tag]), of=option.of)
    if option.cls is not None:
        return ir.Case(name=option.name, python=Fn.of(option.cls), of=option.of)
    if option.fields is not None and len(records) > 1:
        return ir.Case(name=option.name, has=_own_key(option, records), of=option.of)
    return ir.Case(type=option.kind, of=option.of)


def _merged(options: Sequence[Option]) -> list[Option]:
    """One option per kind: plain equality absorbs the literals of its kind, and a float may be an integer."""
    numbers = [option for option in options if option.kind in ("integer", "number")]
    if any(option.of == ir.Exact(type="number") for option in numbers):
        options = [option for option in options if not (option.kind == "integer" and isinstance(option.of, ir.Exact))]
    kept: dict[Any, Option] = {}
    for option in options:
        key = option.cls or (option.name if option.fields is not None else option.kind)
        other = kept.get(key)
        kept[key] = option if other is None else _both(other, option)
    maps = [option for option in kept.values() if option.kind == "object"]
    if len(maps) > 1 and any(option.fields is None for option in maps):
        raise UsageError("a dict and a TypedDict cannot be told apart", hint="use a dataclass for one of them")
    return list(kept.values())


def _both(one: Option, other: Option) -> Option:
    """Merge two options that look alike if both are plain equality, or the same; else it is an error."""
    if one.of == other.of and one.cls is other.cls:
        return one
    if not (isinstance(one.of, ir.Exact) and isinstance(other.of, ir.Exact) and one.kind is not None):
        hint = "make one of them a class of its own, or choose a similarity for the whole union with Annotated"
        raise UsageError(f"two cases of the union are of the same kind: {other.name}", hint=hint)
    if one.of.values is None or other.of.values is None:
        return replace(one, of=ir.Exact(type=one.kind))
    return replace(one, of=ir.Exact(values=(*one.of.values, *other.of.values)))


def _otherwise(options: Sequence[Option]) -> Option | None:
    """The one class whose values need no test, because nothing else of the union looks like them."""
    classes = [option for option in options if option.cls is not None and option.cls is not Variable]
    records = [option for option in classes if option.fields is not None]
    chosen = records if len(records) == 1 else classes
    if len(chosen) != 1 or any(option.kind == "object" for option in options):
        return None
    cls = chosen[0].cls
    looks_like = {kind for base, kind in KINDS.items() if cls is not None and issubclass(cls, base)}
    return None if looks_like & {option.kind for option in options} else chosen[0]


def _tag(records: Sequence[Option]) -> str | None:
    """A field that every record of the union has with a Literal of its own."""
    if len(records) < 2:
        return None
    for name in records[0].fields or ():
        values = [_only_value((option.fields or {}).get(name)) for option in records]
        if None not in values and len(set(values)) == len(values):
            return name
    return None


def _only_value(tp: Any) -> str | int | bool | None:
    while typing.get_origin(tp) is typing.Annotated:
        tp = tp.__origin__
    values = literal_values(typing.get_args(tp)) if typing.get_origin(tp) is Literal else None
    return values[0] if values is not None and len(values) == 1 else None


def _own_key(option: Option, records: Sequence[Option]) -> str:
    """A key that this TypedDict always has and the others never have."""
    others = {name for other in records if other is not option for name in _names(other)}
    for name in option.fields or ():
        if name not in others and isinstance(option.of, ir.Record) and not ir.takes_null(option.of.fields[name]):
            return name
    hint = 'give each of them a field like kind: Literal["..."]'
    raise UsageError(f"nothing distinguishes {option.name} from the other cases", hint=hint)


def _names(option: Option) -> set[str]:
    """All fields of a record, the optional ones included."""
    return set(option.of.fields) if isinstance(option.of, ir.Record) else set(option.fields or ())


def _name(tp: Any) -> str:
    origin = typing.get_origin(tp)
    if origin is typing.Annotated:
        return _name(tp.__origin__)
    if origin in UNIONS or isinstance(tp, str):
        return str(tp)
    return getattr(origin or tp, "__name__", None) or str(tp)
