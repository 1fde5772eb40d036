"""The lines of a TBF document column by column: one split for all of them, and no objects before somebody asks.

Only documents whose lines are all alike are read so: mentions of seven columns, then clusters. Any other one, and any
with something wrong in it, is left to `parse_lines`, which also makes the objects of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import starmap
from operator import lt
from typing import Any

import msgspec

from adjudge.formats.tbf_scan import BLANKS, COLUMNS, DIGITS, Mode, parse_lines, parse_pieces
from adjudge.model.nugget import COREFERENCE, ClusterColumns, Nugget, NuggetColumns, Piece, PlaceKind, Relation

_KNOWN = 10_000
_VALUES: dict[str, str] = {}  # types and realis, of which there are few: equal ones are the same object
_PAIRS = msgspec.json.Decoder(list[tuple[int, int]])
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
    fields = body.replace("\n", "\t\n").split("\t")
    size = len(fields) // COLUMNS
    systems, realis = fields[1::COLUMNS], fields[COLUMNS::COLUMNS]
    if not size or len(fields) != size * COLUMNS + 1 or body.count("\n") != size or not _are_ends(systems, realis):
        return None
    members, spans = _members(rest), fields[4::COLUMNS]
    pieces = _single_pieces(spans) if mode == "char" else None
    places = _places(spans, mode) if pieces is None else pieces
    if members is None or places is None:
        return None
    if len(_VALUES) > _KNOWN:
        _VALUES.clear()
    ids, types, realis = fields[3::COLUMNS], _known(fields[6::COLUMNS]), _known(realis)
    kind: PlaceKind = "tokens" if mode == "token" else "pieces" if pieces is None else "piece"
    made = text, number, mode, place
    nuggets = NuggetColumns((ids, types, realis, places), kind, systems[0][1:], partial(_nuggets, *made))
    return nuggets, ClusterColumns(members, partial(_relations, *made)) if members else ()


def _known(values: Sequence[str]) -> list[str]:
    """The same values as objects that all documents share."""
    return list(map(_VALUES.setdefault, values, values))


def _are_ends(systems: Iterable[str], realis: Iterable[str]) -> bool:
    """Whether these are the first and last columns of lines, with nothing that is taken off at their ends."""
    for each in set(systems):
        if each[:1] != "\n" or len(each) == 1 or each[1] in _NO_MENTION:
            return False
    return all(each and each[-1] not in BLANKS for each in set(realis))


_NO_MENTION = frozenset("#@" + BLANKS)


def _single_pieces(spans: Sequence[str]) -> list[Piece] | None:
    """The one piece of every place, which is not empty; None if a place is anything else."""
    if max(map(len, spans)) > DIGITS:
        return None
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
