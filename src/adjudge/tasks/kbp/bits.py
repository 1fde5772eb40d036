"""Sets of samples as bits, 64 to a word: packing, OR over groups, and counting bits column by column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy.typing as npt

    Words: TypeAlias = npt.NDArray[Any]
    Ints: TypeAlias = npt.NDArray[Any]

_ROUNDS = 12  # groups of up to this many rows are merged row by row, for all groups at once
_FEW = 48


def pack(columns: npt.ArrayLike) -> Words:
    """The truth values of every row as 64-bit words, the first column being the lowest bit of the first word.

    >>> pack([[True, False, True]]).tolist()
    [[5]]
    """
    import numpy as np

    bits = np.asarray(columns, dtype=bool)
    rows, width = bits.shape
    packed = np.zeros((rows, (width + 63) // 64 * 8), dtype=np.uint8)
    packed[:, : (width + 7) // 8] = np.packbits(bits, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False)


def pack_blocks(rows: int, columns: int, blocks: Iterable[npt.NDArray[Any]]) -> Words:
    """Truth values that come in blocks of columns, packed as they come.

    >>> import numpy as np
    >>> pack_blocks(1, 3, [np.array([[True, False]]), np.array([[True]])]).tolist()
    [[5]]
    """
    import numpy as np

    words: Words = np.zeros((rows, (columns + 63) // 64), dtype=np.uint64)
    waiting, number, place = np.zeros((rows, 64), dtype=bool), 0, 0
    for block in blocks:
        start = 0
        while start < block.shape[1]:
            part = block[:, start : start + 64 - number]
            waiting[:, number : number + part.shape[1]] = part
            start += part.shape[1]
            number += part.shape[1]
            if number == 64:
                words[:, place] = pack(waiting)[:, 0]
                waiting[:], number, place = False, 0, place + 1
    if number:
        words[:, place] = pack(waiting)[:, 0]
    return words


def unpack(words: Words) -> Ints:
    """One 0 or 1 per bit, lowest first.

    >>> unpack(pack([[True, False, True]]))[0, :3].tolist()
    [1, 0, 1]
    """
    import numpy as np

    return np.unpackbits(np.ascontiguousarray(words, dtype="<u8").view(np.uint8), axis=1, bitorder="little")


def column_counts(words: Words) -> Ints:
    """How many rows have each bit.

    Rows are added three at a time by a full adder on whole words, sum = a^b^c and carry = majority, so that a row costs
    about five operations per 64 columns; only the few rows that are left for each power of two are unpacked.

    >>> column_counts(pack([[True, False], [True, True], [True, False]]))[:2].tolist()
    [3, 1]
    """
    import numpy as np

    totals = np.zeros(words.shape[1] * 64, dtype=np.int64)
    level, weight = words, 1
    while len(level):
        carries = []
        while len(level) > _FEW:
            third = len(level) // 3
            a, b, c = level[:third], level[third : 2 * third], level[2 * third : 3 * third]
            either = a ^ b
            carry = a & b
            carry |= either & c
            either ^= c
            carries.append(carry)
            rest = level[3 * third :]
            level = np.concatenate((either, rest)) if len(rest) else either
        totals += weight * unpack(level).sum(axis=0, dtype=np.int64)
        weight *= 2
        level = np.concatenate(carries) if carries else level[:0]
    return totals


def or_groups(words: Words, starts: Ints) -> Words:
    """The union of every group of neighbouring rows; group i begins at starts[i], and none is empty.

    >>> import numpy as np
    >>> or_groups(pack([[True, False], [False, True], [True, False]]), np.array([0, 2])).tolist()
    [[3], [1]]
    """
    import numpy as np

    if len(starts) == len(words):
        return words
    sizes = np.diff(np.append(starts, len(words)))
    merged: Words = words[starts]
    live = np.flatnonzero(sizes > 1)
    step = 1
    while len(live) and step < _ROUNDS:
        merged[live] |= words[starts[live] + step]
        step += 1
        live = live[sizes[live] > step]
    for group in live.tolist():  # what is left of the few large groups
        begin = int(starts[group])
        join: Any = np.bitwise_or  # the types of its `reduce` differ between releases
        merged[group] |= join.reduce(words[begin + step : begin + int(sizes[group])], axis=0)
    return merged


def fact_masks(starts: Ints, documents: Ints, presence: Words) -> Words:
    """The samples in which each fact is supported: the union over its documents.

    >>> import numpy as np
    >>> fact_masks(np.array([0, 1, 3]), np.array([0, 0, 1]), pack([[True, False], [False, True]])).tolist()
    [[1], [3]]
    """
    return or_groups(presence[documents], starts[:-1])
