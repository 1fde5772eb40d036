"""The lines of one document: columns, ids, types, realis, confidences; and places, which hold what a mention says."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from adjudge.findings import Findings
from adjudge.formats.tbf_scan import BLANKS, COLUMNS, DIGITS, field_place, parse_pieces, quote
from adjudge.model.nugget import COREFERENCE, NOT_ANNOTATED, REALIS, Nugget, Piece, Relation, Token
from adjudge.tasks.nugget.settings import canonical
from adjudge.tasks.nugget.validation_ground import Ground
from adjudge.tasks.nugget.validation_relations import Line

_KNOWN = 200  # names that are compared, and letters
_PAIR = "write begin,end in characters, with ; between pieces: 4,8;13,16"
MOST = COLUMNS + 3  # columns, with the three confidences

_NAMES = ("system id", "document id", "mention id", "place", "text", "type", "realis")
_REALIS = {canonical(value) for value in REALIS}
_VALUES = f"{', '.join(REALIS[:-1])} or {REALIS[-1]}"


@dataclass(slots=True)
class Rules:
    """What holds for the whole file; `system` is the first system id and its line; `given`: nuggets were given."""

    mode: str
    types: Mapping[str, str] | None = None  # canonical name -> as it is written in the list
    system: tuple[str, int] | None = None
    given: bool = False


@dataclass(slots=True)
class Lines:
    """What the lines of one document say."""

    document: str
    line: int
    nuggets: list[Nugget] = field(default_factory=list)
    relations: list[Line] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)  # line of each mention id
    misfits: int = 0  # mentions that do not fit the tokens or the text
    late: bool = False  # a mention line came after a relation line


def check_lines(text: str, lines: Lines, rules: Rules, ground: Ground, out: Findings) -> None:
    """Go through the lines of a document, the header being the first."""
    for number, raw in enumerate(text.split("\n"), lines.line):
        line = raw.strip(BLANKS)
        if not line or line[0] == "#":
            continue
        if line[0] == "@":
            _check_relation(raw, line, number, lines, out)
        else:
            _check_mention(raw, line, number, lines, rules, ground, out)


def check_duplicates(lines: Lines, keys: Sequence[Hashable], out: Findings) -> None:
    """Mentions of the same place, type and realis: only one of them can be right."""
    first: dict[tuple[Hashable, str, str], Nugget] = {}
    for nugget, key in zip(lines.nuggets, keys, strict=True):
        if key is None:
            continue
        same = first.setdefault((key, canonical(nugget.type), canonical(nugget.realis)), nugget)
        if same is not nugget:
            message = f"{quote(nugget.id)} has the place, type and realis of {quote(same.id)} in line {same.line}"
            out.warn("duplicate", message, nugget.line, 1, "remove one of them")


def _check_mention(raw: str, line: str, number: int, lines: Lines, rules: Rules, ground: Ground, out: Findings) -> None:
    columns = line.split("\t", MOST)  # what follows stays together: there may be millions
    if len(columns) < COLUMNS:
        _check_short(raw, columns, number, lines, out)
        return
    document = lines.document
    starts = [field_place(raw, 0)]
    for column in columns:
        starts.append(starts[-1] + len(column) + 1)
    system, named, id, span, text, type_, realis = columns[:COLUMNS]
    _check_system(system, number, starts[0], rules, out)
    if named != document:
        message = f"the line says document {quote(named)}, the header {quote(document)}"
        out.add("document-column", message, number, starts[1], "correct one of them")
    _check_id(id, number, starts[2], lines, out)
    _check_type(type_, number, starts[5], rules, out)
    _check_realis(realis, number, starts[6], rules, out)
    _check_confidences(columns, number, starts, out)
    if lines.relations and not lines.late:
        lines.late = True
        message, hint = "a mention line after a relation line", "write the relations after all mentions"
        out.warn("order", message, number, starts[0], hint)
    nugget, fits = _check_place(Nugget(id, type_, realis, text, line=number), span, starts, rules, ground, out)
    if nugget is not None:
        lines.misfits += not fits
        lines.nuggets.append(nugget)


def _check_place(
    nugget: Nugget, span: str, starts: Sequence[int], rules: Rules, ground: Ground, out: Findings
) -> tuple[Nugget | None, bool]:
    """The nugget with its place, and whether that fits the ground; None if it cannot be read."""
    number = nugget.line
    spot = Spot(number, starts[3], starts[4])
    if not nugget.text.strip() and ground.table is None and ground.text is None:
        out.warn("text", "the mention has no text", number, starts[4], "write its words")
    if rules.mode == "token":
        nugget = nugget._replace(tokens=tuple(span.split(",")))
        return nugget, check_tokens(nugget, spot, ground, out)
    pieces = parse_pieces(span)
    if pieces is None:
        message, remedy = span_trouble(span)
        out.add("offsets", message, number, starts[3], remedy)
        return None, False
    if any(piece.count(",") > 1 for piece in span.split(";")):
        message, hint = f"more than two numbers in a piece of {quote(span)}", "write begin,end;begin,end"
        out.add("offsets", message, number, starts[3], hint)
    nugget = nugget._replace(pieces=pieces)
    return nugget, check_pieces(nugget, spot, ground, out)


def _check_short(raw: str, columns: Sequence[str], number: int, lines: Lines, out: Findings) -> None:
    """A mention line that lacks columns; its id is remembered if it can be told, for the relations."""
    count = len(columns)
    needed = f"at least {COLUMNS} are needed ({', '.join(_NAMES)})"
    if count == 1:
        message = f"{quote(columns[0])} is no mention: it has one column, {needed}"
        hint = "separate columns by TABs, not by blanks" if "  " in columns[0] else "remove it, or write # before it"
    else:
        message = f"a mention line with {count} columns, {needed}"
        hint = "separate them by TABs"
        if columns[0] == lines.document:
            hint = "the system id is missing"
            lines.ids.setdefault(columns[1], number)
        elif count > 2 and columns[1] == lines.document:
            hint = "columns are missing at the end"
            lines.ids.setdefault(columns[2], number)
    out.add("columns", message, number, field_place(raw, 0), hint)


def _check_system(system: str, number: int, column: int, rules: Rules, out: Findings) -> None:
    if rules.system is None:
        rules.system = system, number
    elif system != rules.system[0]:
        message = f"the system id {quote(system)} is not {quote(rules.system[0])} as in line {rules.system[1]}"
        out.warn("system-id", message, number, column, "use one for the whole file")


def _check_id(id: str, number: int, column: int, lines: Lines, out: Findings) -> None:
    if not id.strip():
        out.add("mention-id", "no mention id", number, column, "write one, such as E1")
        return
    if id in lines.ids:
        message = f"mention id {quote(id)} is in line {lines.ids[id]} already"
        out.add("repeated-id", message, number, column, "write one that is free")
    elif "," in id or id != id.strip():
        message = f"the mention id {quote(id)} has a comma in it or a blank at its ends"
        out.add("mention-id", message, number, column, "no relation can name it")
    lines.ids.setdefault(id, number)


def _check_type(type_: str, number: int, column: int, rules: Rules, out: Findings) -> None:
    name = canonical(type_)
    if not name:
        message = "no event type"
        if type_.strip():
            message = f"the type {quote(type_)} has no ASCII letter, and is nothing to the official scorer"
        out.add("type", message, number, column, "write one, such as Life_Marry")
    elif rules.types is not None and name not in rules.types:
        close = near(name, rules.types)
        message = f"the type {quote(type_)} is not in the list"
        hint = f"did you mean {rules.types[close]}?" if close else "use one of the list"
        out.add("unknown-type", message, number, column, hint)


def _check_realis(realis: str, number: int, column: int, rules: Rules, out: Findings) -> None:
    name = canonical(realis)
    if name == canonical(NOT_ANNOTATED):
        if rules.given:  # gold may say so
            return
        hint = f"a system says {_VALUES}"
        out.warn("no-realis", f"the realis is {quote(realis)}", number, column, hint)
    elif name not in _REALIS:
        message = f"there is no realis {quote(realis)}"
        out.add("realis", message, number, column, f"write {_VALUES}")


def _check_confidences(columns: Sequence[str], number: int, starts: Sequence[int], out: Findings) -> None:
    for place, value in enumerate(columns[COLUMNS:MOST], COLUMNS):
        if not _is_number(value):
            message = f"the confidence {quote(value)} is no number"
            out.warn("confidence", message, number, starts[place], "write one such as 0.5")
    if len(columns) > MOST:
        count = MOST + 1 + columns[MOST].count("\t")
        message = f"{count} columns, of which the last {count - MOST} mean{'s' * (count == MOST + 1)} nothing"
        hint = "three confidences may follow the realis"
        out.warn("extra-columns", message, number, starts[MOST], hint)


def _check_relation(raw: str, line: str, number: int, lines: Lines, out: Findings) -> None:
    first = field_place(raw, 0)
    parts = line[1:].strip(BLANKS).split("\t", 3)
    count = line.count("\t") + 1 if len(parts) > 3 else len(parts)
    if count != 3:
        message = f"a relation line with {count} column{'s' * (count != 1)} instead of 3"
        hint = "write the name, an id and the mention ids, separated by TABs"
        if count > 3 and parts[0] == COREFERENCE:
            hint = "separate the mention ids by commas"
        elif count == 2:
            hint = "a relation id is missing" if "," in parts[1] else "the mention ids are missing"
        out.add("relation-columns", message, number, first, hint)
        return
    column = first + line.index(parts[0], 1) + len(parts[0]) + len(parts[1]) + 2
    relation = Relation(parts[0], parts[1], tuple(parts[2].split(",")), number)
    lines.relations.append(Line(relation, column))


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


# ---------------------------------------------------------------------------------------------------------------------
# Places


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a mention is in its file: the line, and the columns of its place and its text."""

    line: int
    place: int
    text: int


def check_tokens(nugget: Nugget, spot: Spot, ground: Ground, out: Findings) -> bool:
    """Token ids: they are in the table and ascend, and the text is theirs; the answer is whether they fit the table."""
    column = spot.place
    rows: list[int] = []
    fits = True
    for token in nugget.tokens:
        if not token.strip():
            out.add("token-id", "an empty token id", spot.line, column, "write ids as t3,t4")
            fits = False
        elif ";" in token:
            message = f"{quote(token)} is no token id"
            hint = "if these are characters, say --mode char"
            out.add("token-id", message, spot.line, column, hint)
            fits = False
        elif ground.rows is not None and ground.table is not None:
            row = ground.rows.get(token)
            if row is None:
                hint = _other_id(token, ground.rows)
                message = f"token {quote(token)} is not in {ground.table.path}"
                out.add("unknown-token", message, spot.line, column, hint)
                fits = False
            else:
                rows.append(row)
        column += len(token) + 1
    order = rows if ground.rows is not None else _numbers(nugget.tokens)
    if len(set(nugget.tokens)) < len(nugget.tokens):
        message, hint = f"a token occurs twice in {quote(','.join(nugget.tokens))}", "write it once"
        out.warn("token-repeated", message, spot.line, spot.place, hint)
    elif any(first >= second for first, second in pairwise(order)):
        ordered = [token for _, token in sorted(zip(order, nugget.tokens, strict=False))]
        hint = f"write {','.join(ordered)}" if len(order) == len(nugget.tokens) and len(order) < 20 else "sort them"
        message = f"the tokens {quote(','.join(nugget.tokens))} do not ascend"
        out.warn("token-order", message, spot.line, spot.place, hint)
    if fits and ground.table is not None and not _same_text(nugget.text, ground.table.tokens, rows):
        found = " ".join(ground.table.tokens[row].text for row in sorted(rows))
        _other_text(nugget, spot, found, "the tokens are", out)
        return sorted(nugget.text.split()) == sorted(found.split())  # another order is no sign of another table
    return fits


def check_pieces(nugget: Nugget, spot: Spot, ground: Ground, out: Findings) -> bool:
    """Pieces of the text: they are in it, in order and apart, and hold what the mention says."""
    right = True
    size = ground.size
    for begin, end in nugget.pieces:
        trouble = _piece_trouble(begin, end, size)
        if trouble:
            message, hint = trouble
            kind = "outside-text" if size is not None and end > size else "offsets"
            out.add(kind, message, spot.line, spot.place, hint)
            right = False
    ordered = sorted(nugget.pieces)
    if right and any(first[1] > second[0] for first, second in pairwise(ordered)):
        message = "pieces overlap, and what they share counts twice"
        out.add("overlapping-pieces", message, spot.line, spot.place, "merge them")
        right = False
    elif right and list(nugget.pieces) != ordered:
        hint = "write " + quote(";".join(f"{begin},{end}" for begin, end in ordered)).strip("'")
        message = "the pieces do not ascend"
        out.warn("piece-order", message, spot.line, spot.place, hint)
    if right and ground.text is not None:
        return _check_text(nugget, spot, ground.text, ordered, out)
    return right


def span_trouble(span: str) -> tuple[str, str]:
    """What is wrong with a place that cannot be read as characters, and the remedy.

    >>> span_trouble("t3,t4")
    ("'t3,t4' is no place in a text", 'if these are token ids, say --mode token')
    """
    message = f"{quote(span)} is no place in a text"
    if not span:
        return "the place is empty", _PAIR
    if any(len(number.strip()) > DIGITS for piece in span.split(";") for number in piece.split(",")):
        return f"{quote(span)} is beyond any text", "write the offsets of characters"
    if span[0] == "t" or all(each.isdigit() for each in span.split(",")):
        return message, "if these are token ids, say --mode token"
    return message, _PAIR


def _piece_trouble(begin: int, end: int, size: int | None) -> tuple[str, str] | None:
    if begin < 0 or end < 0:
        return f"{begin},{end} has a negative offset", "count from 0"
    if end <= begin:
        return f"{begin},{end} holds no character", "the end is the character after the last one"
    if size is not None and end > size:
        return (
            f"{begin},{end} ends outside the text, which has {size} characters",
            "is it the text of another document?",
        )
    return None


def _check_text(nugget: Nugget, spot: Spot, text: str, ordered: list[Piece], out: Findings) -> bool:
    pieces = [text[begin:end] for begin, end in nugget.pieces]
    wanted = _squeezed(nugget.text)
    whole = text[ordered[0][0] : ordered[-1][1]]
    if wanted in (_squeezed("".join(pieces)), _squeezed(whole)):
        return True
    units = _in_units(text, nugget.pieces, wanted)
    found = " ".join(pieces)
    if units:
        message = f"the text {quote(nugget.text)} fits if offsets count {units}"
        out.add("offset-unit", message, spot.line, spot.place, "count characters")
        return True
    _other_text(nugget, spot, found, "the characters are", out)
    return False


def _in_units(text: str, pieces: tuple[Piece, ...], wanted: str) -> str | None:
    """The units in which the offsets would fit, if they are not characters."""
    if text.isascii():
        return None
    for encoding, width, name in (("utf-16-le", 2, "UTF-16 units"), ("utf-8", 1, "bytes")):
        data = text.encode(encoding, "surrogatepass")
        found = b"".join(data[begin * width : end * width] for begin, end in pieces).decode(encoding, "replace")
        if wanted and _squeezed(found) == wanted:
            return name
    return None


def _other_text(nugget: Nugget, spot: Spot, found: str, what: str, out: Findings) -> None:
    if not nugget.text.strip():
        message, hint = "the mention has no text", f"write {quote(found)}"
    else:
        message, hint = f"the text is {quote(nugget.text)}, but {what} {quote(found)}", "correct one of them"
    out.warn("text", message, spot.line, spot.text, hint)


def _same_text(text: str, tokens: Sequence[Token], rows: Sequence[int]) -> bool:
    """Whether a text is that of the tokens, or of everything from the first to the last of them."""
    wanted = _squeezed(text)
    if wanted == _squeezed("".join([tokens[row].text for row in rows])):
        return True
    first, last = min(rows), max(rows)
    if last - first > len(text):
        return False
    return wanted == _squeezed("".join([token.text for token in tokens[first : last + 1]]))


def _squeezed(text: str) -> str:
    """A text without its blanks: how many there are between tokens is not known."""
    return "".join(text.split())


def _numbers(tokens: tuple[str, ...]) -> list[int]:
    """The numbers of ids such as t3 or 3; empty if some are of another kind."""
    digits = [token.removeprefix("t") for token in tokens]
    if all(each.isascii() and each.isdigit() and len(each) <= DIGITS for each in digits):
        return [int(each) for each in digits]
    return []


def _other_id(token: str, rows: dict[str, int]) -> str:
    """A remedy for an id that is not in the table."""
    bare = token.strip()
    for other in (bare, bare.removeprefix("t"), f"t{bare}"):
        if other in rows:
            return f"write {other}"
    if not rows:
        return "the table has no tokens"
    first, last = next(iter(rows)), next(reversed(rows))
    return f"its ids go from {quote(first)[1:-1]} to {quote(last)[1:-1]}"


def near(name: str, known: Collection[str]) -> str | None:
    """The name that may be meant, if there are not too many."""
    if len(known) > _KNOWN or len(name) > _KNOWN:
        return None
    import difflib

    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=0.75)), None)
