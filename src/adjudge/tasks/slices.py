"""Slices: by a field of the documents, such as genre, or by a field of their elements, such as relations.type."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from adjudge.algebra import ir
from adjudge.errors import UsageError, did_you_mean
from adjudge.tasks.elements import NOTHING, field_of, is_nested, is_scalar, same
from adjudge.tasks.observe import AnyMetric, Counted, Seen, compared_fields, looks_at

if TYPE_CHECKING:
    from adjudge.metrics import Metric
    from adjudge.stats.elements import ElementTable, Rows

FIELD = "field"
"""The field that leaves are sliced by."""
LONGEST = 64  # maximum length of a string that is an attribute rather than content
LARGEST = 1 << 63
MOST = 50  # attributes saved without being requested


class Slicing(msgspec.Struct, frozen=True):
    """`by`: what was asked for; `attributes`: one value per gold document; `paths`: fields of elements.

    More attributes than requested are kept, so that a saved result can be sliced by them, except fields (`unsaved`)
    with a long value in some document.
    """

    by: tuple[str, ...]
    attributes: dict[str, tuple[Any, ...]]
    paths: tuple[str, ...]
    unsaved: tuple[str, ...] = ()


def element_paths(by: Sequence[str], documents: Sequence[Any], metrics: Sequence[AnyMetric]) -> tuple[str, ...]:
    """The fields of elements among these; raises for fields that no metric compares and those without a single value.

    >>> from adjudge.metrics import find
    >>> element_paths(["genre", "relations.type"], [{"relations": [{"type": "x"}]}], [find("relation.strict")])
    ('relations.type',)
    """
    paths = []
    for name in dict.fromkeys(by):
        outer, dot, inner = name.partition(".")
        elements = [field_of(document, outer) for document in documents] if dot else []
        if any(isinstance(each, list | tuple) for each in elements):
            _check_path(name, inner, elements, metrics)
            paths.append(name)
    return tuple(paths)


def slicing(
    by: Sequence[str], documents: Sequence[Mapping[str, Any]], metrics: Sequence[AnyMetric], paths: Sequence[str] = ()
) -> Slicing:
    """The attributes of documents whose `sliced_fields` are known; raises for fields that no document has.

    Documents with the same fields may share one object, which is then examined once.

    >>> slicing(["genre"], [{"genre": "nw"}, {"genre": "df"}, {}], []).attributes
    {'genre': ('nw', 'df', None)}
    """
    kinds = list({id(each): each for each in documents}.values())
    numbers = {id(each): number for number, each in enumerate(kinds)}
    kind = [numbers[id(each)] for each in documents]
    attributes: dict[str, tuple[Any, ...]] = {}
    for name in dict.fromkeys(by):
        if name in paths:
            continue
        values = [field_of(document, name) for document in kinds]
        if all(value is NOTHING for value in values):
            known = dict.fromkeys(field for document in kinds for field in _names(document))
            refuse_unknown(name, known, inside_fields(name, metrics))
        attributes[name] = _attribute(name, values)
    saved, unsaved = _saved(kinds, metrics)
    if len(saved) + len(unsaved) >= MOST:  # then the number of documents with a field matters
        every, unsaved = _saved(documents, metrics)
    else:
        every = {name: tuple(map(values.__getitem__, kind)) for name, values in saved.items()}
    own = {name: tuple(map(values.__getitem__, kind)) for name, values in attributes.items()}
    return Slicing(tuple(dict.fromkeys(by)), {**own, **every}, tuple(paths), unsaved)


def sliced_fields(document: Any, by: Sequence[str], unwanted: Set[str]) -> dict[str, Any]:
    """The fields of a document used for slicing; values too long to be saved become empty lists.

    >>> sliced_fields({"id": "a", "genre": "nw", "tokens": ["a", "b"], "meta": {"year": 1999}}, [], {"id"})
    {'genre': 'nw', 'tokens': [], 'meta': {'year': 1999}}
    """
    if not isinstance(document, Mapping):
        found = {name: field_of(document, name) for name in by}
        return {name: value for name, value in found.items() if value is not NOTHING}
    return {
        key: value if key in by else _shortened(value)
        for key, value in document.items()
        if key in by or key not in unwanted
    }


def _shortened(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: each if _is_short(each) else [] for key, each in value.items()}
    return value if _is_short(value) else []


def inside_fields(name: str, metrics: Sequence[AnyMetric]) -> list[str]:
    """The names, in slices, of a field of the compared elements: one for each kind of element that has it.

    >>> from adjudge.metrics import find
    >>> inside_fields("type", [find("ner.strict")]), inside_fields("genre", [find("ner.strict")])
    (['entities.type'], [])
    """
    fields = known_fields(metrics)
    return [f"{outer}.{name}" for outer, inner in fields.items() if outer and name in inner]


def in_full(by: Sequence[str], documents: Sequence[Any], metrics: Sequence[AnyMetric]) -> tuple[str, ...]:
    """The fields to slice by; one that only one kind of element has gets its full name.

    >>> from adjudge.metrics import find
    >>> in_full(["genre", "type"], [{"genre": "nw"}], [find("ner.strict")])
    ('genre', 'entities.type')
    """
    inside = {name: inside_fields(name, metrics) for name in by if "." not in name}
    return tuple(
        inside[name][0]
        if len(inside.get(name, ())) == 1 and all(field_of(each, name) is NOTHING for each in documents)
        else name
        for name in by
    )


def refuse_unknown(name: str, known: Iterable[str], inside: Sequence[str] = ()) -> NoReturn:
    """Raise because no document has a field; if elements have it, the error suggests the names in `inside`."""
    known = list(known)
    hint = did_you_mean(name, known) or (f"fields are {', '.join(known)}" if known else "check the name")
    if inside:
        hint = f"elements have it: write {' or '.join(inside)}"
    raise UsageError(f"no gold document has a field {name!r} to slice by", hint=hint)


def _attribute(name: str, values: Sequence[Any]) -> tuple[Any, ...]:
    wrong = next((v for v in values if v is not NOTHING and not is_scalar(v)), NOTHING)
    if wrong is not NOTHING:
        kind = "an array" if isinstance(wrong, list | tuple) else "an object"
        hint = f"name a field of its elements, such as {name}.type"
        raise UsageError(f"cannot slice by {name!r}: its value is {kind}", hint=hint)
    return tuple(None if value is NOTHING else value for value in values)


def _check_path(name: str, inner: str, elements: Sequence[Any], metrics: Sequence[AnyMetric]) -> None:
    if not any(looks_at(metric, name) for metric in metrics):
        compared = [compared_fields(member) for metric in metrics for member in metric.members]
        fields = dict.fromkeys(field for each in compared for field in sorted(each or ()))
        raise UsageError(f"no metric uses {name!r}", hint=f"name a field of {' or '.join(fields)}")
    items = [item for each in elements if isinstance(each, list | tuple) for item in each]
    while any(is_nested(item, inner) for item in items):
        outer, _, inner = inner.partition(".")
        items = [below for item in items if isinstance(each := field_of(item, outer), list | tuple) for below in each]
    if items and all(field_of(item, inner) is NOTHING for item in items):
        known = dict.fromkeys(field for item in items for field in _names(item))
        hint = did_you_mean(inner, known) or (f"fields are {', '.join(known)}" if known else "check the name")
        raise UsageError(f"no element has a field {inner!r} to slice by ({name})", hint=hint)
    for value in (field_of(item, inner) for item in items):
        if value is not NOTHING and not is_scalar(value):
            kind = "an array" if isinstance(value, list | tuple) else "an object"
            below = next(iter(_names(value)), None)
            hint = f"name one of its fields, such as {name}.{below}" if below else "name a field with a single value"
            raise UsageError(f"cannot slice by {name!r}: its value is {kind}", hint=hint)


def _names(value: Any) -> list[str]:
    """The names of the scalar fields of a document or element."""
    if isinstance(value, Mapping):
        return [str(key) for key, each in value.items() if is_scalar(each) and key not in ("id", "text")]
    return [name for name in getattr(value, "__dict__", {}) if is_scalar(getattr(value, name))]


def _saved(
    documents: Sequence[Any], metrics: Sequence[AnyMetric]
) -> tuple[dict[str, tuple[Any, ...]], tuple[str, ...]]:
    """Every field that documents could be sliced by later, also nested ones (meta.genre), and the others.

    They are sorted by name, as are those of the parts of a corpus.
    """
    unwanted = unwanted_fields(metrics)
    names: Counter[str] = Counter()
    for document in documents:
        if isinstance(document, Mapping):
            for key, value in document.items():
                if isinstance(key, str) and key not in unwanted:
                    inner = [name for name in value if isinstance(name, str)] if isinstance(value, Mapping) else None
                    names.update([key] if inner is None else [f"{key}.{name}" for name in inner])
    found: dict[str, tuple[Any, ...]] = {}
    unsaved = []
    # The most frequent ones: an object may have different keys in every document.
    for name in sorted(name for name, _ in names.most_common()[:MOST]):  # without heapq, which is not loaded
        values = [field_of(document, name) for document in documents]
        if all(value is NOTHING or _is_short(value) for value in values):
            found[name] = tuple(None if value is NOTHING else value for value in values)
        else:
            unsaved.append(name)
    return found, tuple(unsaved)


def unwanted_fields(metrics: Sequence[AnyMetric]) -> set[str]:
    """Fields not to slice by: those that identify a document, and those that are compared."""
    fields = [compared_fields(member) for metric in metrics for member in metric.members]
    return {"id", "text"}.union(*(each for each in fields if each is not None))


def _is_short(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST and value.isprintable()
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, bool) or (isinstance(value, int) and -LARGEST <= value < LARGEST)


def columns_of(metrics: Sequence[AnyMetric]) -> tuple[str, ...]:
    """The names of all counts, each once."""
    return tuple(dict.fromkeys(column for each in metrics for column in each.columns))


def element_table(metrics: Sequence[AnyMetric], details: Sequence[Seen], path: str) -> ElementTable:
    """The counts of one system by a field of elements."""
    from adjudge.stats.elements import ElementSlice, ElementTable

    columns = columns_of([each for each in metrics if looks_at(each, path)])
    sliced = [seen.slices[path] for seen in details]
    found: list[tuple[Any, list[int], list[Counted]]] = []
    known: dict[Any, list[int]] = {}
    for number, each in enumerate(sliced):
        for value, counted in each.values:
            at = next((i for i in known.get(value, ()) if same(found[i][0], value)), None)
            if at is None:
                at = len(found)
                found.append((value, [], []))
                known.setdefault(value, []).append(at)
            found[at][1].append(number)
            found[at][2].append(counted)
    slices = tuple(ElementSlice(value, tuple(numbers), _rows(counted, columns)) for value, numbers, counted in found)
    return ElementTable(path, columns, _rows([each.rest for each in sliced], columns), slices)


def _rows(counted: Sequence[Counted], columns: Sequence[str]) -> Rows:
    from adjudge.stats.elements import Rows

    values = tuple(tuple(float(each.counts[column]) for column in columns) for each in counted)
    if all(each.optimal for each in counted):
        return Rows(values)
    return Rows(values, tuple(tuple(float(each.best[column]) for column in columns) for each in counted))


def leaf_metrics(metrics: Iterable[AnyMetric]) -> list[Metric]:
    """Those that count leaves and can be sliced by their fields."""
    return [one for each in metrics for one in each.members if one.leaves is not None and one.per is None]


def has_schema(metrics: Iterable[AnyMetric]) -> bool:
    """Whether the fields of leaves are named beforehand."""
    from adjudge.algebra import shape

    found = [one.leaves for one in leaf_metrics(metrics)]
    return any(each is not None and not isinstance(each.schema.root, shape.Anything) for each in found)


def known_fields(metrics: Iterable[AnyMetric]) -> dict[str, frozenset[str]]:
    """The fields that metrics compare, by the path of the record that has them; "" is the document.

    >>> from adjudge.metrics import find
    >>> known_fields([find("ner.strict")])["entities"] == {"span", "type"}
    True
    """
    found: dict[str, frozenset[str]] = {}
    for member in (member for each in metrics for member in each.members):
        nodes = [member.precision] if member.recall is None else [member.precision, member.recall]
        for path in (path for node in nodes for path in field_paths(node)):
            outer, _, name = path.rpartition(".")
            found[outer] = found.get(outer, frozenset()) | {name}
    return found


def field_paths(node: ir.Similarity, before: str = "") -> Iterator[str]:
    """The fields of records that a similarity compares, wherever they are."""
    if isinstance(node, ir.Record | ir.Sum):
        for name, inner in node.fields.items():
            yield f"{before}{name}"
            yield from field_paths(inner, f"{before}{name}.")
    else:
        for inner in ir.children(node):
            yield from field_paths(inner, before)
