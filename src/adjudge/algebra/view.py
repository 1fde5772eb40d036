"""Views: several metrics on one type without touching it.

A path names fields, joined by dots, and looks through everything that is not a record: collections, sequences,
normalisers, unions, mapped values. `events.arguments.span` is the span of the arguments of the events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from adjudge.algebra import ir
from adjudge.algebra.derive import derive_similarity
from adjudge.algebra.matching import MATCHINGS
from adjudge.algebra.rules import checked_tree, need_similarity
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

    def only(self, *paths: str) -> View:
        """Keep these fields, with all that is below them, and drop the others."""
        if not paths:
            raise UsageError("only needs at least one path", hint=_here([self.node]))
        return View(checked_tree(_keep(self.node, [_found(self.node, path) for path in paths], "")))

    def ignore(self, *paths: str) -> View:
        """Drop these fields."""
        node = self.node
        for path in paths:
            node = _change(node, _found(node, path), lambda _: None)
        return View(checked_tree(node))

    def set(self, path: str, of: ir.Similarity | View) -> View:
        """Compare the field at `path` in another way."""
        new = of.node if isinstance(of, View) else need_similarity(of)
        return View(checked_tree(_change(self.node, _found(self.node, path), lambda _: new)))

    def count(self, path: str) -> View:
        """Let the collection at `path` give a number of matches instead of a ratio."""

        def change(node: ir.Similarity) -> ir.Similarity:
            counted = _counted(node)
            if counted is None:
                raise UsageError(f"{path} is not a collection, so there is nothing to count")
            return counted

        return View(checked_tree(_change(self.node, _found(self.node, path), change)))


def view(of: Any, *, nested: Literal["f1", "count"] = "f1", names: Mapping[str, Any] | None = None) -> View:
    """A view on a type (derived first, with `nested` and `names` as in `derive_similarity`) or on a similarity.

    >>> view(list[str]).node.match
    '1:1'
    """
    if isinstance(of, View):
        return of
    return View(of if isinstance(of, ir.Node) else derive_similarity(of, nested=nested, names=names))  # type: ignore[arg-type]


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
