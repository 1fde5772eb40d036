"""What stands for tables of triples in signatures: the same for the same triples, in whatever order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.model.kbp import TripleTable

    Ints: TypeAlias = npt.NDArray[Any]


def joined(tables: Sequence[bytes], documents: Sequence[str]) -> str:
    """One digest for those of some tables, and for documents.

    >>> len(joined([b"empty"], ["d"]))
    12
    """
    from adjudge.stats.signature import hash_chunks

    return hash_chunks(("\n".join(documents).encode("utf-8", "surrogatepass"), *tables))


def table_digest(table: TripleTable) -> bytes:
    r"""A sum over the rows, each mixed from the hashes of its names.

    >>> from adjudge.formats.kb_triples import read_triples
    >>> one, other = read_triples(b"a\tr\tb\td\nb\tr\tc\td\n"), read_triples(b"b\tr\tc\td\na\tr\tb\td\n")
    >>> table_digest(one) == table_digest(other)
    True
    """
    import numpy as np

    if not len(table):
        return b"empty"
    subjects, relations, objects, documents = (
        np.frombuffer(column, dtype=f"i{column.itemsize}")
        for column in (table.subjects, table.relations, table.objects, table.documents)
    )
    nodes = _hashes(table.names.nodes.listed, np.concatenate((subjects, objects)))
    sides = (
        nodes[subjects],
        _hashes(table.names.relations.listed, relations)[relations],
        nodes[objects],
        _hashes(table.names.documents.listed, documents)[documents],
    )
    row = np.zeros(len(table), dtype=np.uint64)
    for hashes in sides:
        row = (row ^ hashes) * np.uint64(0x9E3779B97F4A7C15)
        row ^= row >> np.uint64(29)
    sums = int(row.sum(dtype=np.uint64)), int((row * (row | np.uint64(1))).sum(dtype=np.uint64))
    return b"".join(number.to_bytes(8, "little") for number in sums)


def _hashes(listed: Sequence[str], numbers: Ints) -> Ints:
    """The hash of each name that is used, by number."""
    import hashlib

    import numpy as np

    used = np.unique(numbers)
    found = np.zeros(len(listed), dtype="<u8")
    names = (listed[number].encode("utf-8", "surrogatepass") for number in used.tolist())
    found[used] = np.frombuffer(b"".join(hashlib.blake2b(name, digest_size=8).digest() for name in names), dtype="<u8")
    return found
