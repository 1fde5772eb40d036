"""Random draws that are part of published numbers: the same on every machine and for every release of numpy.

numpy guarantees the raw words of PCG64 for a seed, and nothing of what its generators make of them; so that is done
here. The draws do not depend on how many are asked for at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


class Stream:
    """A stream of draws; further numbers after the seed give other streams of the same seed.

    >>> Stream(13).indices(10, 5).tolist()
    [8, 8, 8, 8, 0]
    """

    def __init__(self, seed: int, *stream: int) -> None:
        self._bits = np.random.PCG64([seed, *stream] if stream else seed)
        self._rest = np.empty(0, dtype="<u4")

    def words(self, number: int) -> npt.NDArray[np.uint32]:
        """Random words of 32 bits, the lower half of each raw word first."""
        halves = self._bits.random_raw((number - len(self._rest) + 1) // 2).astype("<u8", copy=False).view("<u4")
        if len(self._rest):
            halves = np.concatenate((self._rest, halves))
        self._rest = halves[number:].copy()
        return halves[:number]

    def indices(self, size: int, number: int) -> npt.NDArray[np.int64]:
        """Numbers below `size`: floor(w size / 2^32), so that P(i) is off from 1/size by less than 2^-32."""
        found = np.empty(number, dtype=np.int64)
        np.multiply(self.words(number), size, out=found, dtype=np.int64, casting="unsafe")
        found >>= 32
        return found

    def coins(self, rows: int, number: int) -> npt.NDArray[np.float64]:
        """Rows of fair coins, 0 or 1; a coin is one bit, and every row starts with a new word.

        >>> Stream(13).coins(2, 6).tolist()
        [[0.0, 0.0, 1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]]
        """
        words = self.words(rows * -(-number // 32)).reshape(rows, -1)
        bits = np.unpackbits(words.view(np.uint8), axis=1, count=number, bitorder="little")
        return bits.astype(np.float64)

    def shares(self, number: int) -> npt.NDArray[np.float64]:
        """Numbers from 0 to below 1, of 53 bits.

        >>> Stream(13).shares(2).round(3).tolist()
        [0.865, 0.855]
        """
        return (self.words(2 * number).view("<u8") >> 11).astype(np.float64) * 2.0**-53

    def permutation(self, size: int) -> npt.NDArray[np.int64]:
        """The numbers below `size` in random order.

        >>> sorted(Stream(13).permutation(4).tolist())
        [0, 1, 2, 3]
        """
        keys = self.words(2 * size).view("<u8")
        return np.argsort(keys, kind="stable").astype(np.int64)


def leave_out_groups(documents: int, seed: int, groups: int) -> npt.NDArray[np.int64]:
    """The group of each document: its own, or a random one of `groups` where there are more documents.

    >>> leave_out_groups(3, 13, 10).tolist()
    [0, 1, 2]
    """
    return np.arange(documents) if documents <= groups else Stream(seed, 1).permutation(documents) % groups
