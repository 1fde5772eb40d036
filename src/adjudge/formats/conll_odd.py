"""The lines of a CoNLL coreference file that need a look: all but tokens whose last column is a hyphen, which are most.

To find them must cost next to nothing, because it is done for every byte; `conll_survey` does the same with numpy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import repeat

# A line that needs a look: tokens and blank lines skipped before it, its last column, and some lines up to its end.
Odd = tuple[int, int, bytes, bytes]

_TAB_END = re.compile(rb"\n(?<!\t-\n)")  # the end of a line whose last column is not a hyphen
_SPACE_END = re.compile(rb"\n(?<!-\n)")  # the end of a line that does not end in a hyphen
_ZEROS = bytes.maketrans(b"123456789", b"000000000")


def odd_lines(block: bytes) -> Iterable[Odd]:
    """The lines that need a look; blank lines may be among them, and the last line always is.

    For a line of one column the last column is what follows the last one before it, with the line break.

    >>> list(odd_lines(b"a\\t-\\nb\\t(1)\\nc\\t-\\n\\nd\\t-"))
    [(1, 0, b'(1)', b'a\\t-\\nb\\t(1)'), (1, 0, b'-\\n', b'c\\t-\\n'), (0, 0, b'-', b'd\\t-')]
    """
    if b"\t" not in block:
        return _spaced_lines(block)
    pieces = _TAB_END.split(block)
    return _last_lines(pieces, [piece.rpartition(b"\t")[2] for piece in pieces])


def _spaced_lines(block: bytes) -> Iterable[Odd]:
    """The same for lines without TABs; the column is the last field if the items of all lines are there.

    Such a line is one column, so a word in it can be an item. Whether one is, is found out for all lines at once: if
    the last fields of the lines that do not end in a hyphen have as many brackets next to digits as the block, there
    are none elsewhere.
    """
    pieces = _SPACE_END.split(block)
    columns = [piece.rpartition(b" ")[2] for piece in pieces]
    fields = b" ".join(columns).translate(_ZEROS)
    zeros = block.translate(_ZEROS)
    if all(zeros.count(hint) == fields.count(hint) for hint in (b"(0", b"0)")):
        return _last_lines(pieces, columns)
    lines = block.split(b"\n")
    return _last_lines(lines, lines)


def _last_lines(pieces: list[bytes], columns: list[bytes]) -> Iterable[Odd]:
    """The last line of each piece, before which all are tokens."""
    return zip(map(bytes.count, pieces, repeat(b"\n")), repeat(0), columns, pieces)  # not strict: one has no end


def last_line(piece: bytes) -> bytes:
    """What follows the last line break.

    >>> last_line(b"a\\nb")
    b'b'
    """
    return piece[piece.rfind(b"\n") + 1 :]
