"""What stands for tables of triples in signatures: the same for the same triples, in whatever order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.model.kbp import TripleTable

    Ints: TypeAlias = npt.NDArray[Any]


def digest(tables: Sequence[TripleTable], documents: Sequence[str]) -> str:
    r"""Twelve hexadecimal digits for triples and documents, whatever the order of rows and the numbers of names.

    >>> from adjudge.formats.kb_triples import read_triples
    >>> one, other = read_triples(b"a\tr\tb\td\nb\tr\tc\td\n"), read_triples(b"b\tr\tc\td\na\tr\tb\td\n")
    >>> digest([one], ["d"]) == digest([other], ["d"])
    True
    """
    return joined([table_digest(table) for table in tables], documents)


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
    >>> len(table_digest(read_triples(b"a\tr\tb\td\n")))
    16
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
    return _written(_sums(sides))


def _sums(sides: Sequence[Ints]) -> tuple[int, int]:
    import numpy as np

    row = np.zeros(len(sides[0]), dtype=np.uint64)
    for hashes in sides:
        row = (row ^ hashes) * np.uint64(0x9E3779B97F4A7C15)
        row ^= row >> np.uint64(29)
    return int(row.sum(dtype=np.uint64)), int((row * (row | np.uint64(1))).sum(dtype=np.uint64))


def _written(sums: tuple[int, int]) -> bytes:
    return b"".join(number.to_bytes(8, "little") for number in sums)


def name_hashes(names: Sequence[str]) -> Ints:
    """The hashes of names.

    >>> len(name_hashes(["a", "b"]))
    2
    """
    import hashlib

    import numpy as np

    encoded = (name.encode("utf-8", "surrogatepass") for name in names)
    return np.frombuffer(b"".join(hashlib.blake2b(name, digest_size=8).digest() for name in encoded), dtype="<u8")


def _hashes(listed: Sequence[str], numbers: Ints) -> Ints:
    """The hash of each name that is used, by number."""
    import numpy as np

    used = np.unique(numbers)
    found = np.zeros(len(listed), dtype="<u8")
    found[used] = name_hashes([listed[number] for number in used.tolist()])
    return found
