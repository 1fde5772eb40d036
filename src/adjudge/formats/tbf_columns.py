"""The lines of many TBF documents as columns of numbers, several times as fast as one nugget after the other.

Ordinary are mention lines with a place `begin,end`, coreference lines, comments and empty lines, without blanks at the
ends of lines. Whatever else a document has, it is left to the reader of lines, which understands everything and says
what is wrong. This module loads numpy, so it is itself loaded only when there is enough to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from adjudge.formats.tbf_scan import BLANKS, DIGITS
from adjudge.model.nugget import COREFERENCE, NuggetDocument

if TYPE_CHECKING:
    import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[Any]"

LONGEST = 64  # bytes of an id, or of type and realis; a longer one is not ordinary

_TAB, _LINE, _RETURN, _COMMENT, _RELATION, _COMMA, _ZERO = b"\t\n\r#@,0"
_CLUSTER = f"@{COREFERENCE}".encode()
_BLANK = np.zeros(256, bool)
_BLANK[list(BLANKS.encode())] = True


class Table(NamedTuple):
    """The mention lines of documents, and the members of their clusters, all in the order of lines.

    Values are numbered as they come; what belongs to documents that are not ordinary is left out.
    """

    ordinary: Array  # per document
    document: Array  # per mention line, as all that follows
    id: Array
    begin: Array
    end: Array
    value: Array
    values: list[tuple[str, str]]  # type and realis
    member: Array  # the ids that clusters name, as all that follows; -1 for one that no line has
    cluster: Array  # the number of its line
    home: Array  # its document
    begins: list[tuple[str, bool]]  # per document, the first column of its first line, and whether it has an eighth


def read_columns(documents: Sequence[bytes]) -> Table:
    """The columns of documents, given as the bytes of whole lines; one without mention lines is not ordinary.

    >>> line = b"s\\td\\tE1\\t4,8\\traid\\tAttack\\tActual\\n"
    >>> found = read_columns([b"#BeginOfDocument d\\n" + line + b"@Coreference\\tR1\\tE2,E1\\n", line + line[1:]])
    >>> found.ordinary.tolist(), found.begin.tolist(), found.end.tolist(), found.values, found.member.tolist()
    ([True, False], [4], [8], [('Attack', 'Actual')], [-1, 0])
    """
    documents = [each if each.endswith(b"\n") else b"" for each in documents]
    data = b"".join(documents)
    bounds = np.cumsum([0, *map(len, documents)])
    text = np.frombuffer(data + bytes(LONGEST), np.uint8)
    lines = _lines(text[: len(data)])
    document = np.searchsorted(bounds, lines.start, "right") - 1
    first = text[lines.start]
    empty = lines.start == lines.end
    relation = np.flatnonzero((first == _RELATION) & ~empty)
    mention = np.flatnonzero((first != _RELATION) & (first != _COMMENT) & ~empty)
    odd = (_BLANK[first] | _BLANK[text[lines.end - 1]]) & (first != _COMMENT) & ~empty
    odd[relation] = True
    cluster = _are_clusters(text, lines, relation)
    odd[cluster] = _BLANK[text[lines.end[cluster] - 1]]
    odd[mention] |= lines.tabs[mention] < 6
    mention = mention[lines.tabs[mention] >= 6]
    after_id, after_place = lines.after(mention, 2), lines.after(mention, 3)
    begin, comma = _numbers(text, after_id + 1)
    end, last = _numbers(text, comma + 1)
    whole = (comma > after_id + 1) & (text[comma] == _COMMA) & (last > comma + 1) & (last == after_place)
    id, value = lines.after(mention, 1) + 1, lines.after(mention, 4) + 1
    after_value = np.minimum(lines.after(mention, 6), lines.end[mention])
    short = (after_id - id < LONGEST) & (after_value - value < LONGEST)
    odd[mention[~(whole & short)]] = True

    ordinary = _are_text(documents, data)
    ordinary &= np.bincount(document[mention], minlength=len(documents)) > 0
    ordinary[document[odd]] = False
    kept = ordinary[document[mention]]
    mention = mention[kept]
    ids, id_number = _numbered(text, id[kept], after_id[kept])
    values, value_number = _numbered(text, value[kept], after_value[kept])
    members, named = _members(text, lines, cluster[ordinary[document[cluster]]])
    return Table(
        ordinary,
        document[mention],
        id_number,
        begin[kept],
        end[kept],
        value_number,
        [_pair(each) for each in values],
        np.fromiter(map(ids.get, members, repeat(-1)), np.int64, len(members)),
        named,
        document[named],
        _begins(data, lines, mention, document[mention], len(documents)),
    )


class _Lines(NamedTuple):
    """Where lines begin and end, without a CR at the end, and their TABs: so many from separator `first` on."""

    separators: Array  # TABs and line ends
    start: Array
    end: Array
    first: Array
    tabs: Array

    def after(self, lines: Array, column: int) -> Array:
        """Where a column of some lines ends; they must have it."""
        found: Array = self.separators[self.first[lines] + column]
        return found


def _lines(text: Array) -> _Lines:
    separators = np.flatnonzero(text - np.uint8(_TAB) <= _LINE - _TAB)  # below a TAB it wraps around
    last = np.flatnonzero(text[separators] == _LINE)
    end = separators[last]
    start, first = np.zeros_like(end), np.zeros_like(last)
    start[1:], first[1:] = end[:-1] + 1, last[:-1] + 1
    end = end - ((text[end - 1] == _RETURN) & (end > start))
    return _Lines(separators, start, end, first, last - first)


def _numbers(text: Array, at: Array) -> tuple[Array, Array]:
    """The numbers that begin at some places, and where they end; at most so many digits are read.

    >>> [each.tolist() for each in _numbers(np.frombuffer(b"12,x", np.uint8), np.array([0, 3]))]
    [[12, 0], [2, 3]]
    """
    value = np.zeros(len(at), np.int64)
    for _ in range(DIGITS):
        digit = text[at] - np.uint8(_ZERO)
        inside = digit < 10
        if not inside.any():
            break
        value = np.where(inside, 10 * value + digit, value)
        at = at + inside
    return value, at


def _members(text: Array, lines: _Lines, cluster: Array) -> tuple[list[bytes], Array]:
    """The members that coreference lines name, and the line of each."""
    begin, end = lines.after(cluster, 1) + 1, lines.end[cluster]
    size = end + 1 - begin
    last = np.cumsum(size) - 1
    pieces = text[np.arange(size.sum()) + np.repeat(end - last, size)]  # all from the last TABs to the line ends
    pieces[last] = _COMMA
    found = pieces.tobytes().split(b",")[:-1]
    return found, np.repeat(cluster, np.diff(np.cumsum(pieces == _COMMA)[last], prepend=0))


def _are_clusters(text: Array, lines: _Lines, relation: Array) -> Array:
    """Which relation lines have three columns and name coreference."""
    wide = relation[lines.tabs[relation] == 2]
    start = lines.start[wide]
    right = lines.after(wide, 0) == start + len(_CLUSTER)
    right &= (_windows(text, len(_CLUSTER))[start] == np.frombuffer(_CLUSTER, np.uint8)).all(axis=1)
    found: Array = wide[right]
    return found


def _windows(text: Array, width: int) -> Array:
    """For every place the piece of a text that begins there."""
    return np.lib.stride_tricks.sliding_window_view(text, width)


class Numbers(dict[Any, int]):
    """Numbers for values: a new value gets the next one.

    >>> numbers = Numbers()
    >>> numbers["Actual"], numbers["Other"], numbers["Actual"]
    (0, 1, 0)
    """

    def __missing__(self, value: Any) -> int:
        self[value] = number = len(self)
        return number


def _numbered(text: Array, begin: Array, end: Array) -> tuple[Numbers, Array]:
    """The different pieces of a text with their numbers, in the order in which they come, and the number of each piece.

    >>> _numbered(np.frombuffer(b"abxab" + bytes(2), np.uint8), np.array([0, 2, 3]), np.array([2, 3, 5]))
    ({b'ab': 0, b'x': 1}, array([0, 1, 0]))
    """
    size = end - begin
    width = int(size.max(initial=1)) or 1
    pieces = _windows(text, width)[begin]
    pieces *= np.arange(width) < size[:, None]  # the rest is 0: no document with a null character is ordinary
    words = pieces.view(f"S{width}").ravel().tolist()
    numbers = Numbers()
    return numbers, np.fromiter(map(numbers.__getitem__, words), np.int64, len(words))


def _pair(value: bytes) -> tuple[str, str]:
    type_, _, realis = value.decode().partition("\t")
    return type_, realis


def _are_text(documents: Sequence[bytes], data: bytes) -> Array:
    """Which documents are UTF-8 without null characters."""
    if data.isascii() and b"\0" not in data:
        return np.ones(len(documents), bool)
    return np.array([b"\0" not in each and _is_utf8(each) for each in documents], bool)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _begins(data: bytes, lines: _Lines, mention: Array, document: Array, documents: int) -> list[tuple[str, bool]]:
    """What every document begins with."""
    found = [("", False)] * documents
    leads = np.flatnonzero(np.diff(document, prepend=-1))
    first = mention[leads]
    columns = document[leads], lines.start[first], lines.after(first, 0), lines.tabs[first]
    for own, start, end, tabs in zip(*(each.tolist() for each in columns), strict=True):
        found[own] = data[start:end].decode(), tabs > 6
    return found


def as_lines(document: NuggetDocument) -> bytes:
    """A document as lines that say what the columns need of it; nothing if that cannot be said.

    >>> from adjudge.model.nugget import Nugget
    >>> as_lines(NuggetDocument("a", [Nugget("E1", "Attack", "Actual", "raid", pieces=((4, 8),))]))
    b'-\\t\\tE1\\t4,8\\t\\tAttack\\tActual\\t-\\n'
    """
    parts = []
    for id, type_, realis, _, _, pieces, *_ in document.nuggets:
        if len(pieces) != 1:
            return b""
        parts.append(f"-\t\t{id}\t{pieces[0][0]},{pieces[0][1]}\t\t{type_}\t{realis}\t-\n")
    for name, _, arguments, *_ in document.relations:
        if any("," in each for each in arguments):
            return b""
        parts.append(f"@{name}\t\t{','.join(arguments)}\n")
    text = "".join(parts)
    if text.count("\n") != len(parts) or text.count("\t") != 7 * len(document.nuggets) + 2 * len(document.relations):
        return b""
    return text.encode("utf-8", "surrogatepass")
