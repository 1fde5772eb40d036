"""Views: several metrics on one type without touching it.

A path names fields, joined by dots, and looks through everything that is not a record: collections, sequences,
normalisers, unions, mapped values. `events.arguments.span` is the span of the arguments of the events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import msgspec

from adjudge.algebra import ir
from adjudge.algebra.ir import need_similarity
from adjudge.algebra.matching import MATCHINGS
from adjudge.errors import UsageError, did_you_mean

Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class View:
    """A similarity that can be narrowed and changed by path; every step gives a new view.

    >>> from adjudge.algebra.similarity import exact, iou, record
    >>> events = view(ir.Set(of=record(type=exact, span=exact, comment=exact)))
    >>> list(events.ignore("comment").set("span", iou(above=0.5)).node.of.fields)
    ['type', 'span']
    """

    node: ir.Similarity
    derived: bool = field(default=False, compare=False)
    """Whether it is a view of a type: then a document reduced to one collection counts its elements."""

    def only(self, *paths: str) -> View:
        """Keep these fields, with all that is below them, and drop the others."""
        if not paths:
            raise UsageError("only needs at least one path", hint=_here([self.node]))
        return self._narrowed(_keep(self.node, [_found(self.node, path) for path in paths], ""))

    def ignore(self, *paths: str) -> View:
        """Drop these fields."""
        node = self.node
        for path in paths:
            node = _change(node, _found(node, path), lambda _: None)
        return self._narrowed(node)

    def set(self, path: str, of: ir.Similarity | View) -> View:
        """Compare the field at `path` in another way."""
        new = of.node if isinstance(of, View) else need_similarity(of)
        return replace(self, node=_change(self.node, _found(self.node, path), lambda _: new))

    def count(self, path: str) -> View:
        """Let the collection at `path` give a number of matches instead of a ratio."""

        def change(node: ir.Similarity) -> ir.Similarity:
            counted = _counted(node)
            if counted is None:
                raise UsageError(f"{path} is not a collection, so there is nothing to count")
            return counted

        return replace(self, node=_change(self.node, _found(self.node, path), change))

    def _narrowed(self, node: ir.Similarity) -> View:
        return replace(self, node=counting_elements(node) if self.derived else node)


def counting_elements(node: ir.Similarity) -> ir.Similarity:
    """The similarity of a document; if one field is left besides the id, the elements of that field are counted.

    An explicit ratio of that field becomes the ratio over all documents; the one that `derive` adds is dropped.

    >>> from adjudge.algebra.matching import f1, jaccard
    >>> tags = ir.Set(of=ir.Exact())
    >>> counting_elements(ir.Record(fields={"tags": f1(tags, undefined=1)})) == ir.Record(fields={"tags": tags})
    True
    >>> counting_elements(ir.Record(fields={"tags": jaccard(tags)})) == jaccard(ir.Record(fields={"tags": tags}))
    True
    """
    return _ratio_outside(node, lambda inner: inner, document=True)


_Wrap: TypeAlias = Callable[[ir.Similarity], ir.Similarity]


def _ratio_outside(node: ir.Similarity, wrap: _Wrap, *, document: bool = False) -> ir.Similarity:
    """`wrap(node)`, with the ratio inside `node` moved to the outside, or dropped if `derive` added it."""
    of = msgspec.structs.replace
    if isinstance(node, ir.Normalise):
        recall = None if node.recall is None else wrap(node.recall)
        return wrap(node.of) if _is_derived(node) else of(node, of=wrap(node.of), recall=recall)
    if isinstance(node, ir.Latent):
        return _ratio_outside(node.of, lambda inner: wrap(of(node, of=inner)), document=document)
    if isinstance(node, ir.Mapped):
        return _ratio_outside(node.of, lambda inner: wrap(of(node, of=inner)))
    if isinstance(node, ir.Union):
        return wrap(ir.rebuild(node, _without_derived))
    if isinstance(node, ir.Record):
        own = [name for name in node.fields if not (document and name == "id")]
        if len(own) == 1:
            fields = node.fields
            return _ratio_outside(fields[own[0]], lambda inner: wrap(of(node, fields={**fields, own[0]: inner})))
    return wrap(node)


def _without_derived(node: ir.Similarity) -> ir.Similarity:
    return node.of if isinstance(node, ir.Normalise) and _is_derived(node) else node


def _is_derived(node: ir.Normalise) -> bool:
    return (node.by, node.beta, node.recall, node.undefined) == ("f", 1.0, None, 1)


def view(of: Any, *, nested: Literal["f1", "count"] = "f1", names: Mapping[str, Any] | None = None) -> View:
    """A view on a type (derived first, with `nested` and `names` as in `derive_similarity`) or on a similarity.

    >>> view(list[str]).node.match
    '1:1'
    """
    if isinstance(of, View):
        return of
    if isinstance(of, ir.Node):
        return View(of)  # type: ignore[arg-type]
    from adjudge.algebra.derive import derive_similarity

    return View(derive_similarity(of, nested=nested, names=names), derived=True)


def _records(node: ir.Similarity) -> list[ir.Record | ir.Sum]:
    """The nearest records in and below a node."""
    if isinstance(node, ir.Record | ir.Sum):
        return [node]
    return [found for inner in ir.children(node) for found in _records(inner)]


def _below(nodes: Iterable[ir.Similarity], name: str) -> list[ir.Similarity]:
    return [record.fields[name] for node in nodes for record in _records(node) if name in record.fields]


def _here(nodes: Iterable[ir.Similarity]) -> str:
    names = list(dict.fromkeys(name for node in nodes for record in _records(node) for name in record.fields))
    return f"the fields there are {', '.join(names)}" if names else "there are no fields there"


def _found(node: ir.Similarity, path: str) -> Path:
    """The parts of a path, all of which exist."""
    parts = tuple(path.split("."))
    nodes = [node]
    for depth, name in enumerate(parts):
        below = _below(nodes, name)
        if not below:
            known = [known for each in nodes for record in _records(each) for known in record.fields]
            close = did_you_mean(name, dict.fromkeys(known))
            hint = f"{close} {_here(nodes)}" if close else _here(nodes)
            raise UsageError(f"there is no field {'.'.join(parts[: depth + 1])!r}", hint=hint)
        nodes = below
    return parts


def _change(
    node: ir.Similarity, path: Path, change: Callable[[ir.Similarity], ir.Similarity | None], done: str = ""
) -> ir.Similarity:
    """`node` with the field at `path` changed, or dropped where `change` gives None."""
    if not isinstance(node, ir.Record | ir.Sum):
        return ir.rebuild(node, lambda inner: _change(inner, path, change, done))
    name, rest = path[0], path[1:]
    if name not in node.fields:
        return node
    fields = dict(node.fields)
    new = _change(fields[name], rest, change, f"{done}{name}.") if rest else change(fields[name])
    if new is None:
        del fields[name]
    else:
        fields[name] = new
    return _with_fields(node, fields, done)


def _keep(node: ir.Similarity, paths: list[Path], done: str) -> ir.Similarity:
    if not isinstance(node, ir.Record | ir.Sum):
        return ir.rebuild(node, lambda inner: _keep(inner, paths, done))
    fields: dict[str, ir.Similarity] = {}
    for name, inner in node.fields.items():
        rest = [path[1:] for path in paths if path[0] == name]
        if () in rest:
            fields[name] = inner
        elif rest:
            fields[name] = _keep(inner, rest, f"{done}{name}.")
    return _with_fields(node, fields, done)


def _with_fields(node: ir.Record | ir.Sum, fields: dict[str, ir.Similarity], done: str) -> ir.Similarity:
    if not fields:
        where = f"the record {done[:-1]}" if done else "the record"
        hint = f"keep at least one of {', '.join(node.fields)}"
        raise UsageError(f"nothing would be left of {where}", hint=hint)
    return type(node)(fields=fields)


def is_collection(node: ir.Similarity) -> bool:
    """Whether a field is a collection, whose matched elements can be counted.

    >>> is_collection(ir.Set(of=ir.Exact())), is_collection(ir.Exact())
    (True, False)
    """
    return _counted(node) is not None


def _counted(node: ir.Similarity) -> ir.Similarity | None:
    """A collection's similarity without its normaliser; None if there is no collection."""
    if isinstance(node, ir.Normalise):
        return node.of
    if isinstance(node, MATCHINGS):
        return node
    if isinstance(node, ir.Record | ir.Sum):
        return None
    new = {id(inner): _counted(inner) for inner in ir.children(node)}
    if all(each is None for each in new.values()):
        return None
    return ir.rebuild(node, lambda inner: new[id(inner)] or inner)
