"""The lines of a TBF document column by column: one split for all of them, and no objects before somebody asks.

Only documents whose lines are all alike are read so: mentions of seven columns, then clusters. Any other one, and any
with something wrong in it, is left to `parse_lines`, which also makes the objects of these.

This is for speed: row `nugget/splitting` of the benchmarks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import starmap
from operator import lt
from typing import Annotated, Any

import msgspec

from adjudge.formats.tbf_scan import BLANKS, COLUMNS, DIGITS, Mode, parse_lines, parse_pieces
from adjudge.model.nugget import COREFERENCE, ClusterColumns, Nugget, NuggetColumns, Piece, PlaceKind, Relation

_KNOWN = 10_000
_BREAK = COLUMNS - 1  # fields from one line break to the next
_Offset = Annotated[int, msgspec.Meta(ge=0, lt=10**DIGITS)]
_PAIRS = msgspec.json.Decoder(list[tuple[_Offset, _Offset]])
_CLUSTER = f"\n@{COREFERENCE}"
_OTHER_BLANKS = tuple(set(BLANKS) - {"\t", "\n"})


def parse_columns(text: str, number: int, mode: Mode, place: str) -> tuple[NuggetColumns, Sequence[Relation]] | None:
    r"""The nuggets and relations of a document, of which the first line has this number; None if it is unlike others.

    >>> line = "s\td\tE1\t4,8\tran\tMovement\tActual"
    >>> nuggets, relations = parse_columns(f"#BeginOfDocument d\n{line}\n@Coreference\tR1\tE1,E2\n", 1, "char", "")
    >>> nuggets.ids, nuggets.places, relations.members
    (['E1'], [(4, 8)], [['E1', 'E2']])
    """
    first = text.find("\n")
    if text[:1] != "#" or first < 0:
        return None
    last = text.find("@", first) - 1
    if last >= 0 and text[last] != "\n":  # that is in a mention
        last = text.find("\n@", last)
    end = len(text) - text.endswith("\n")
    body, rest = (text[first:end], "") if last < 0 else (text[first:last], text[last:end])
    fields = body.split("\t")  # the last column of a line and the first one of the next line are one field
    ends = fields[_BREAK::_BREAK]
    size = len(ends)
    if not size or len(fields) != size * _BREAK + 1 or body.count("\n") != size:
        return None
    ends[-1] += fields[0]
    try:
        realis = list(map(_REALIS.__getitem__, ends))
    except ValueError:
        return None
    members, spans = _members(rest), fields[3::_BREAK]
    pieces = _single_pieces(spans) if mode == "char" else None
    places = _places(spans, mode) if pieces is None else pieces
    if members is None or places is None:
        return None
    kind: PlaceKind = "tokens" if mode == "token" else "pieces" if pieces is None else "piece"
    made = text, number, mode, place
    columns = fields[2::_BREAK], fields[5::_BREAK], realis, places
    nuggets = NuggetColumns(columns, kind, fields[0][1:], partial(_nuggets, *made))
    return nuggets, ClusterColumns(members, partial(_relations, *made)) if members else ()


class _Realis(dict[str, str]):
    """The realis at the end of a line, by what stands between two TABs there: that, a line break, and a system id.

    There are few of them, and each is looked at once. A ValueError says that no two mention lines meet like this.
    """

    def __missing__(self, end: str) -> str:
        realis, system = end.split("\n")
        if not realis or not system or realis[-1] in BLANKS or system[0] in _NO_MENTION:
            raise ValueError(end)
        if len(self) > _KNOWN:
            self.clear()
        self[end] = realis
        return realis


_REALIS = _Realis()
_NO_MENTION = frozenset("#@" + BLANKS)


def _single_pieces(spans: Sequence[str]) -> list[Piece] | None:
    """The one piece of every place, which is not empty; None if a place is anything else."""
    try:
        found = _PAIRS.decode(f"[[{'],['.join(spans)}]]")  # nearly all are written as JSON has numbers
    except msgspec.DecodeError:
        return None
    return found if len(found) == len(spans) and all(starmap(lt, found)) else None


def _places(spans: Sequence[str], mode: Mode) -> Sequence[tuple[Any, ...]] | None:
    """The tokens or the pieces of every place; None if one is malformed."""
    if mode == "token":
        return [tuple(span.split(",")) for span in spans]
    found = [parse_pieces(span) for span in spans]
    return None if None in found else list(filter(None, found))


def _members(lines: str) -> list[list[str]] | None:
    """The members of clusters, of which every line begins with a line break; None if there is anything else."""
    if not lines:
        return []
    for blank in _OTHER_BLANKS:
        if blank in lines:
            return None
    fields = lines.replace("\n", "\t\n").split("\t")
    size = len(fields) // 3
    arguments = fields[3::3]
    if len(fields) != 3 * size + 1 or set(fields[1::3]) != {_CLUSTER} or lines.count("\n") != size or "" in arguments:
        return None
    return [each.split(",") for each in arguments]


def _nuggets(text: str, number: int, mode: Mode, place: str) -> list[Nugget]:
    return parse_lines(text, number, mode, place, [])[0]


def _relations(text: str, number: int, mode: Mode, place: str) -> list[Relation]:
    return parse_lines(text, number, mode, place, [])[1]
