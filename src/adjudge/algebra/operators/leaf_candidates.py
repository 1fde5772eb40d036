"""Which elements of two very long lists can belong together: those that share a value, rare values first.

All pairs that share a value are candidates if there are not too many; then nothing is lost. Otherwise each element of
gold has a few, and what is found is a lower bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from adjudge.algebra.operators.leaf_prepared import Kind, Lst, Obj, Rec
from adjudge.algebra.operators.leaf_shapes import AnythingKind, FieldsKind, LeafKind

MOST = 200_000  # pairs that share a value and are all compared
FEW = 24  # candidates of an element, if not all pairs are compared
_GRADED = object()


def candidates(kind: Kind, gs: Sequence[Any], ss: Sequence[Any]) -> tuple[list[list[int]], bool]:
    """For every element of gold the places of those of the system that may belong to it, and whether these are all."""
    index: dict[Hashable, list[int]] = {}
    complete = True
    for j, each in enumerate(ss):
        for token in set(_tokens(kind, each, ())):
            if token[1] is _GRADED:
                complete = False
            else:
                index.setdefault(token, []).append(j)
    shared = []
    for each in gs:
        own = set(_tokens(kind, each, ()))
        complete &= all(token[1] is not _GRADED for token in own)
        shared.append(sorted((index[token] for token in own if token in index), key=len))
    pairs = sum(len(places) for lists in shared for places in lists)
    if complete and pairs <= MOST:
        return [sorted({j for places in lists for j in places}) for lists in shared], True
    found = []
    for lists in shared:
        own_: dict[int, None] = {}
        for places in lists:
            if len(own_) >= FEW:
                break
            own_.update(dict.fromkeys(places[: FEW - len(own_)]))
        found.append(sorted(own_))
    return found, False


def most_correct(kind: Kind, gs: Sequence[Any], ss: Sequence[Any]) -> int:
    """What no alignment of two lists exceeds: the values that both have, wherever in their elements these stand."""
    ours, theirs = (Counter(token for each in side for token in _tokens(kind, each, ())) for side in (gs, ss))
    return (ours & theirs).total()


def _tokens(kind: Kind, p: Any, at: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Hashable]]:
    """The fields of an element and their values; one mark for all values that need not be equal to be right."""
    if p is None:
        return
    if isinstance(kind, LeafKind):
        yield at, p if kind.coded else _GRADED
    elif isinstance(kind, FieldsKind):
        if isinstance(p, Rec):
            for name, inner, part in zip(kind.names, kind.kinds, p.parts, strict=True):
                yield from _tokens(inner, part, (*at, name))
            if kind.extra is not None:
                yield from _tokens(kind.extra, p.extra, at)
    elif isinstance(p, Lst):
        element = kind.list.element if isinstance(kind, AnythingKind) else kind.element  # type: ignore[attr-defined]
        for each in p.items:
            yield from _tokens(element, each, (*at, None))
    elif isinstance(p, Obj):
        for name, part in p.parts.items():
            yield from _tokens(kind, part, (*at, name))
    else:
        yield at, p
