"""The columns of a TBF document of nothing but ordinary lines, several times as fast as one nugget after the other.

Ordinary are mention lines of seven columns with a place `begin,end`, and after them coreference lines of three columns,
without comments, empty lines, or blanks at the ends of lines. Whatever else a document has, it is left to the reader of
lines, which understands everything and says what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from adjudge.model.nugget import COREFERENCE

BLANKS = " \t\n\r\x0b\x0c"  # what the official reader strips: not every blank of Unicode
DIGITS = 15  # of an offset; more are no place in any text

_MENTIONS, _RELATIONS = 7, 3  # columns of their lines
_CLUSTER = f"@{COREFERENCE}"
_NUMERALS = b"0123456789"
_ALL_ZERO = bytes.maketrans(_NUMERALS, b"0" * len(_NUMERALS))
_NOT_BETWEEN = bytes(each for each in range(256) if each not in b"\t\n")


class Table(NamedTuple):
    """The nuggets of one document by columns, and the arguments of its coreference relations."""

    ids: Sequence[str]
    types: Sequence[str]
    realis: Sequence[str]
    places: str  # as `4,8;13,16`, one piece for each nugget
    clusters: Sequence[Sequence[str]]
    system: str  # the first column of the first line
    confident: bool  # whether the first line has more columns


def read_columns(data: bytes) -> Table | None:
    """The columns of a document, from its header up to its footer; None if it is not all ordinary.

    >>> line = b"s\\td\\tE1\\t4,8\\traid\\tAttack\\tActual\\n"
    >>> read_columns(b"#BeginOfDocument d\\n" + line + b"@Coreference\\tR1\\tE1,E2\\n")
    Table(ids=['E1'], types=['Attack'], realis=['Actual'], places='4,8', clusters=[['E1', 'E2']], system='s', ...)
    >>> read_columns(b"#BeginOfDocument d\\n# a remark\\n" + line) is None
    True
    """
    first, relations = data.find(b"\n") + 1, data.find(b"\n@") + 1
    if not data.startswith(b"#BeginOfDocument"):
        return None
    fields = _fields(data[first : relations or len(data)], _MENTIONS)
    related = _fields(data[relations:], _RELATIONS) if relations else []
    if not fields or related is None or not {_CLUSTER}.issuperset(related[::_RELATIONS]):
        return None
    systems, realis, members = fields[::_MENTIONS], fields[6::_MENTIONS], related[2::_RELATIONS]
    if any(each[:1] in BLANKS or each[0] in "#@" for each in set(systems)):  # nothing is among the blanks
        return None
    if any(each[-1:] in BLANKS for each in (*set(realis), *members)):
        return None
    places = ";".join(fields[3::_MENTIONS])
    if not _are_pieces(places, len(systems)):
        return None
    clusters = [each.split(",") for each in members]
    return Table(fields[2::_MENTIONS], fields[5::_MENTIONS], realis, places, clusters, systems[0], False)


def _fields(lines: bytes, columns: int) -> list[str] | None:
    """The fields of lines that have so many each, None if some have not."""
    between = lines.translate(None, _NOT_BETWEEN)
    whole = b"\t" * (columns - 1) + b"\n"
    if not between or between != whole * (len(between) // columns) or not lines.endswith(b"\n"):
        return None
    return lines[:-1].replace(b"\n", b"\t").decode("utf-8", "backslashreplace").split("\t")


def _are_pieces(places: str, number: int) -> bool:
    """Whether there are so many places, of two numbers each, which are short enough.

    >>> [_are_pieces(places, 2) for places in ("4,8;13,16", "4,8", "4,8;13", "4,;13,16", "4, 8;13,16")]
    [True, False, False, False, False]
    """
    if not places.isascii():
        return False
    data = places.encode()
    shape = data.translate(_ALL_ZERO)
    if data.translate(None, _NUMERALS) != (b",;" * number)[:-1] or b"0" * (DIGITS + 1) in shape:
        return False
    return b",;" not in shape and b";," not in shape and shape[:1] == shape[-1:] == b"0"
