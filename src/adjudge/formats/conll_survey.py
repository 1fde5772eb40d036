"""Finding the lines that need a look with numpy: all bytes of a block at once, then document by document."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Any

from adjudge.formats.conll_odd import Odd, odd_lines

_NEWLINE, _HYPHEN, _TAB = b"\n-\t"


class Survey:
    """What was found in the last block, of which several documents may have a part."""

    def __init__(self) -> None:
        self.block = b""
        self.ends: Any = None  # of all lines
        self.before: Any = None  # tokens of the block before a line, of all lines
        # Of the lines that need a look: number in the block, tokens before it, tokens and blank lines since the one
        # before it, last column, text.
        self.numbers: list[int] = []
        self.tokens: list[int] = []
        self.skipped: list[int] = []
        self.blanks: list[int] = []
        self.columns: list[bytes] = []
        self.lines: list[bytes] = []

    def odd_lines(self, block: bytes, start: int, end: int) -> Iterable[Odd]:
        """The same as `conll_odd.odd_lines(block[start:end])`, except that blank lines are skipped if not the last.

        >>> list(Survey().odd_lines(b"a\\t-\\nb\\t(1)\\nc\\t-\\n\\nd\\t-", 0, 18))
        [(1, 0, b'(1)', b'b\\t(1)'), (1, 1, b'-', b'd\\t-')]
        """
        if block.find(b"\t", start, end) < 0:
            return odd_lines(block[start:end])
        if block is not self.block:
            self._look_at(block)
        first, last = self.ends.searchsorted((start, end)).tolist()  # numbers of lines
        low, high = bisect_left(self.numbers, first), bisect_right(self.numbers, last)
        skipped, blanks = self.skipped[low:high], self.blanks[low:high]
        number, tokens = first, int(self.before[first])  # of the next line, and before it
        if skipped:
            skipped[0] = self.tokens[low] - tokens
            blanks[0] = self.numbers[low] - number - skipped[0]
            number, tokens = self.numbers[high - 1] + 1, self.tokens[high - 1] + 1
        odd = zip(skipped, blanks, self.columns[low:high], self.lines[low:high], strict=True)
        if number > last:
            return odd
        line = block[max(start, block.rfind(b"\n", start, end) + 1) : end]
        passed = int(self.before[last]) - tokens
        return (*odd, (passed, last - number - passed, line.rpartition(b"\t")[2], line))

    def _look_at(self, block: bytes) -> None:
        import numpy as np

        data = np.frombuffer(block + b"\n", dtype=np.uint8)
        ends = (data == _NEWLINE).nonzero()[0]
        lengths = ends.copy()
        lengths[1:] -= ends[:-1] + 1
        text = lengths > 0
        before = text.cumsum() - text
        # All but those that end in a TAB and a hyphen; of a short line, the bytes before it are not its own.
        odd = text & ((data[ends - 1] != _HYPHEN) | (data[ends - 2] != _TAB) | (lengths < 2))
        numbers = odd.nonzero()[0]
        tokens = before[numbers]
        skipped, blanks = tokens.copy(), numbers - tokens
        skipped[1:] -= tokens[:-1] + 1
        blanks[1:] -= blanks[:-1].copy()
        stops = ends[numbers]
        places = zip((stops - lengths[numbers]).tolist(), stops.tolist(), strict=True)
        self.block, self.ends, self.before = block, ends, before
        self.numbers, self.tokens = numbers.tolist(), tokens.tolist()
        self.skipped, self.blanks = skipped.tolist(), blanks.tolist()
        self.lines = [block[start:end] for start, end in places]
        self.columns = [line.rpartition(b"\t")[2] for line in self.lines]
