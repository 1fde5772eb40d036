"""python -m benchmarks.workers.memory KIND loop|score|first DOCUMENTS: relations in memory, by a loop or by ours.

All count the same objects, which are made before: documents of 20 relations with head, tail and type. `first` is the
first `aj.score("relation", ...)` after `import adjudge as aj`, with whatever that has to load.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import adjudge as aj
from benchmarks.house.worker import reply, timed


@dataclass
class Relation:
    head: str
    tail: str
    type: str


@dataclass
class Page:
    id: str
    relations: list[Any]


def made(kind: str, number: int, seed: int) -> list[Any]:
    """Documents whose relations are mostly those of any other seed."""
    shared, own = random.Random(0), random.Random(seed)
    element = _ELEMENTS[kind]()
    documents: list[Any] = []
    for place in range(number):
        relations = []
        for _ in range(20):
            head, tail, type_ = (f"e{shared.randrange(40)}" for _ in range(3))
            relations.append(element(head=head + "x" * (own.random() < 0.3), tail=tail, type=type_))
        page = Page(f"d{place}", relations)
        documents.append({"id": page.id, "relations": relations} if kind == "dicts" else page)
    return documents


def _model() -> Any:
    from pydantic import create_model

    return create_model("ModelRelation", head=(str, ...), tail=(str, ...), type=(str, ...))


def _struct() -> Any:
    import msgspec

    return msgspec.defstruct("StructRelation", [("head", str), ("tail", str), ("type", str)])


_ELEMENTS: dict[str, Callable[[], Any]] = {
    "dicts": lambda: dict,
    "dataclasses": lambda: Relation,
    "structs": _struct,
    "pydantic": _model,
}


def loop(kind: str, gold: list[Any], system: list[Any]) -> tuple[int, int, int]:
    """What a person would write: two sets of tuples for each document."""
    matched = found = there = 0
    if kind == "dicts":
        given = {each["id"]: each for each in system}
        for each in gold:
            right = {(r["head"], r["tail"], r["type"]) for r in each["relations"]}
            said = {(r["head"], r["tail"], r["type"]) for r in given[each["id"]]["relations"]}
            matched, found, there = matched + len(right & said), found + len(said), there + len(right)
    else:
        given = {each.id: each for each in system}
        for each in gold:
            right = {(r.head, r.tail, r.type) for r in each.relations}
            said = {(r.head, r.tail, r.type) for r in given[each.id].relations}
            matched, found, there = matched + len(right & said), found + len(said), there + len(right)
    return matched, found, there


def work(kind: str, what: str, number: int) -> Callable[[], object]:
    """The work of one side on documents that are there."""
    gold, system = made(kind, number, 1), made(kind, number, 2)
    if what == "loop":
        return lambda: loop(kind, gold, system)
    if what == "first":
        return lambda: len(aj.score("relation", gold, system, bootstrap=0).systems)
    fields = aj.algebra.record(head=aj.algebra.exact, tail=aj.algebra.exact, type=aj.algebra.exact)
    metric = aj.algebra.f1(aj.algebra.record(relations=aj.algebra.set_of(fields)))
    aj.score(metric, gold[:1], system[:1], bootstrap=0)  # everything is loaded
    return lambda: len(aj.score(metric, gold, system, bootstrap=0).systems)


if __name__ == "__main__":
    reply(timed(work(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
