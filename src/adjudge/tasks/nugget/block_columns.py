"""A block of documents of one side as columns of numbers, so that many documents are compared at once.

Only plain documents are in the columns: every nugget is one piece of the text, no id occurs twice, and clusters and
links leave nothing to be said. The others are empty here, and are compared one by one. This module loads numpy, so it
is itself loaded only when there is enough to do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adjudge.formats.tbf_columns import Numbers, Table
from adjudge.tasks.nugget.block_arrays import Array, numbered

WIDTH = 1 << 50  # every document has so many places of its own; no ordinary offset is larger
DOCUMENTS = 1 << 12  # that a block can have, so that all places are below 2^62


class Codes(Numbers):
    """Numbers for the values of an attribute, the same in all blocks and on both sides.

    >>> codes = Codes()
    >>> codes["Actual"], codes["Other"], codes["Actual"], codes.named(np.array([1, 1]))
    (0, 1, 0, frozenset({'Other'}))
    """

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


def columns_of(table: Table, types: Codes, realis: Codes) -> Columns:
    """The columns of a block, from those of its lines.

    >>> from adjudge.formats.tbf_columns import read_columns
    >>> line = b"s\\td\\tE1\\t4,8\\traid\\tAttack\\tActual\\n"
    >>> found = columns_of(read_columns([line, line + line]), Codes(), Codes())
    >>> found.plain.tolist(), (found.end - found.begin).tolist()
    ([True, False], [4])
    """
    plain, nugget = _members(table)
    plain[table.document[table.begin >= table.end]] = False
    kept, named = plain[table.document], plain[table.home]
    document = table.document[kept]
    cluster = table.cluster[named]
    clusters = int(cluster.max(initial=-1)) + 1
    home = np.arange(clusters, clusters + len(document))
    home[(np.cumsum(kept) - 1)[nugget[named]]] = cluster
    leaders, chain = numbered(home, clusters + len(document))
    shift = document * WIDTH
    begin, end = table.begin[kept] + shift, table.end[kept] + shift
    numbers = np.array([(types[type_], realis[each]) for type_, each in table.values], np.int64).reshape(-1, 2)
    of_type, of_realis = numbers[table.value[kept]].T
    in_order = np.lexsort((end, begin))
    found = Columns(
        plain,
        np.concatenate(([0], np.cumsum(np.bincount(document, minlength=len(plain))))),
        document,
        begin,
        end,
        of_type,
        of_realis,
        chain,
        np.bincount(chain),
        document[leaders],
        in_order,
        _seconds(begin, end, in_order),
        (types.named(of_type), realis.named(of_realis)),
        table.begins,
        clusters > 0,
    )
    plain &= ~found._meeting(chain)  # two mentions of one cluster with one place are refused, or remarked on
    return found


def _members(table: Table) -> tuple[Array, Array]:
    """Which documents are plain as to ids and clusters, and the nugget that every member of a cluster is."""
    plain = table.ordinary.copy()
    ids = int(table.id.max(initial=-1)) + 1
    key = table.document * ids + table.id
    order = np.argsort(key, kind="stable")
    key = key[order]
    plain[table.document[order[1:][key[1:] == key[:-1]]]] = False
    wanted = table.home * ids + table.member
    place = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    plain[table.home[(table.member < 0) | (key[place] != wanted)]] = False
    nugget = order[place]
    plain[table.home[np.bincount(nugget, minlength=len(key))[nugget] > 1]] = False
    return plain, nugget


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
