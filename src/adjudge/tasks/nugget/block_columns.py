"""A block of documents of one side as columns of numbers, so that many documents are compared at once.

Only plain documents are in the columns: every nugget is one piece of the text, no id occurs twice, and clusters and
links leave nothing to be said. The others are empty here, and are compared one by one. This module loads numpy, so it
is itself loaded only when there is enough to do.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from adjudge.formats.tbf_columns import Table
from adjudge.model.nugget import COREFERENCE, NuggetDocument
from adjudge.tasks.nugget.block_arrays import Array, numbered

WIDTH = 1 << 50  # every document has so many places of its own; larger offsets are not plain
DOCUMENTS = 1 << 12  # that a block can have, so that all places are below 2^62


class Codes(dict[str, int]):
    """Numbers for the values of an attribute, the same in all blocks and on both sides; a new value gets the next one.

    >>> codes = Codes()
    >>> codes["Actual"], codes["Other"], codes["Actual"], codes.named(np.array([1, 1]))
    (0, 1, 0, frozenset({'Other'}))
    """

    def __missing__(self, value: str) -> int:
        self[value] = number = len(self)
        return number

    def named(self, numbers: Array) -> frozenset[str]:
        """The values with some numbers."""
        names = list(self)
        return frozenset(names[number] for number in np.flatnonzero(np.bincount(numbers)).tolist())


class Columns(NamedTuple):
    """The plain documents of a block, nugget by nugget in the order of documents and lines.

    Chains of coreference are numbered as their first nuggets come.
    """

    plain: Array  # per document
    start: Array  # per document, its first nugget; at the end the number of all nuggets
    document: Array  # per nugget, as all that follows
    begin: Array  # document * WIDTH + offset
    end: Array
    types: Array
    realis: Array
    chain: Array
    sizes: Array  # per chain
    home: Array  # per chain, its document
    in_order: Array  # nuggets by begin and end, those of one place by line
    second: Array  # per nugget, the second nugget of its place; -1 if it is there alone
    values: tuple[frozenset[str], frozenset[str]]  # the types and the realis values that occur
    begins: list[tuple[str, bool]]  # per document, the first column of its first line, and whether it has a confidence
    clustered: bool  # whether some plain document has a cluster

    def number(self) -> Array:
        """How many nuggets every document has."""
        return np.diff(self.start)

    def mapped(self, name: str) -> Array:
        """What a mapping sees of the attributes, as numbers."""
        if name == "type+realis":
            return self.types * (int(self.realis.max(initial=0)) + 1) + self.realis
        return {"span": np.zeros_like(self.types), "type": self.types, "realis": self.realis}[name]

    def with_twins(self, name: str) -> Array:
        """Per document, whether a mapping cannot tell two of its nuggets apart."""
        return self._meeting(self.mapped(name))

    def _meeting(self, values: Array) -> Array:
        """Per document, whether two nuggets of one place have the same value."""
        several = np.flatnonzero(self.second >= 0)
        place, value = self.second[several], values[several]
        order = np.lexsort((value, place))
        place, value = place[order], value[order]
        same = (place[1:] == place[:-1]) & (value[1:] == value[:-1])
        found = np.zeros(len(self.plain), bool)
        found[self.document[several[order[1:][same]]]] = True
        return found


def table_of(document: NuggetDocument) -> Table | None:
    """The columns of a document; None if they do not say everything.

    >>> from adjudge.model.nugget import Nugget
    >>> table_of(NuggetDocument("a", [Nugget("E1", "Attack", "Actual", "raid", pieces=((4, 8),))])).places
    '4,8'
    """
    if not document.nuggets or any(relation.name != COREFERENCE for relation in document.relations):
        return None
    ids, types, realis, _, _, pieces, *_ = zip(*document.nuggets, strict=True)
    if set(map(len, pieces)) != {1}:
        return None
    first = document.nuggets[0]
    places = ";".join(f"{begin},{end}" for ((begin, end),) in pieces)
    return Table(ids, types, realis, places, document.clusters(), first.system, bool(first.confidence))


class Gathering:
    """The columns of a block in the making. A document is taken in at once, so that nothing of it need be kept.

    >>> gathering = Gathering(Codes(), Codes())
    >>> gathering.add(Table(["E1"], ["Attack"], ["Actual"], "4,8", [], "", False))
    >>> gathering.add(None)
    >>> found = gathering.columns()
    >>> found.plain.tolist(), (found.end - found.begin).tolist()
    ([True, False], [4])
    """

    def __init__(self, types: Codes, realis: Codes) -> None:
        self.codes = types, realis
        self.start = [0]
        self.types, self.realis, self.homes = array("q"), array("q"), array("q")
        self.places: list[str] = []
        self.clusters = 0
        self.plain: list[bool] = []
        self.begins: list[tuple[str, bool]] = []  # the first column of every document, and whether it has a confidence

    def add(self, table: Table | None) -> None:
        """Take in a document; None is one that is missing, or not plain."""
        home = None if table is None else _homes(table, self.clusters)
        if table is not None and home is not None:
            first = self.start[-1]
            self.types.extend(map(self.codes[0].__getitem__, table.types))
            self.realis.extend(map(self.codes[1].__getitem__, table.realis))
            self.homes.extend(map(home.get, table.ids, range(first, first + len(table.ids))))
            self.clusters += len(table.clusters)
            self.places.append(table.places)
        self.plain.append(home is not None)
        self.start.append(len(self.types))
        self.begins.append(("", False) if table is None else (table.system, table.confident))

    def columns(self) -> Columns:
        """All of it."""
        plain, start = np.array(self.plain, bool), np.array(self.start)
        document = np.repeat(np.arange(len(plain)), np.diff(start))
        begin, end = _places(self.places, document, plain)
        leaders, chain = numbered(np.array(self.homes) + self.clusters, self.clusters + len(document))
        types, realis = np.array(self.types), np.array(self.realis)
        in_order = np.lexsort((end, begin))
        found = Columns(
            plain,
            start,
            document,
            begin,
            end,
            types,
            realis,
            chain,
            np.bincount(chain),
            document[leaders],
            in_order,
            _seconds(begin, end, in_order),
            (self.codes[0].named(types), self.codes[1].named(realis)),
            self.begins,
            self.clusters > 0,
        )
        plain &= ~found._meeting(chain)  # two mentions of one cluster with one place are refused, or remarked on
        return found


def _homes(table: Table, clusters: int) -> dict[str, int] | None:
    """The cluster of every nugget that is in one, as a negative number; None if the document is not plain.

    So many clusters have numbers already.
    """
    numbered_clusters = enumerate(table.clusters, -clusters - len(table.clusters))
    home = {argument: number for number, arguments in numbered_clusters for argument in arguments}
    known = set(table.ids)
    once = len(known) == len(table.ids) and len(home) == sum(map(len, table.clusters))
    return home if once and known.issuperset(home) else None


def _places(places: Sequence[str], numbers: Array, plain: Array) -> tuple[Array, Array]:
    """Where nuggets begin and end; documents with offsets that are too large, or with empty places, are not plain."""
    flat: Array = np.fromstring(";".join(places).replace(";", ","), np.int64, sep=",")  # too large is the largest one
    begin, end = flat.reshape(-1, 2).T
    plain[numbers[(begin < 0) | (begin >= end) | (end >= WIDTH)]] = False
    seen = plain[numbers]
    shift = numbers * WIDTH
    return np.where(seen, begin, 0) + shift, np.where(seen, end, 0) + shift  # an empty place meets no other


def _seconds(begin: Array, end: Array, in_order: Array) -> Array:
    """For every nugget the second one of its place, -1 if there is none."""
    found = np.full(len(begin), -1)
    if not len(begin):
        return found
    begin, end = begin[in_order], end[in_order]
    same = (begin[1:] == begin[:-1]) & (end[1:] == end[:-1]) & (begin[1:] < end[1:])
    leads = np.concatenate(([True], ~same))
    places = np.flatnonzero(leads)
    several = np.diff(places, append=len(begin)) > 1
    seconds = np.where(several, in_order[np.minimum(places + 1, len(begin) - 1)], -1)
    found[in_order] = seconds[np.cumsum(leads) - 1]
    return found
