"""Whether the place of a mention exists, is in order, and holds the text that the mention says."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from adjudge.formats.tbf_scan import DIGITS, quote
from adjudge.model.nugget import Nugget, Piece, Token, TokenTable
from adjudge.tasks.nugget.validation_findings import Collector

_KNOWN = 200  # names that are compared, and letters
_PAIR = "write begin,end in characters, with ; between pieces: 4,8;13,16"


@dataclass(frozen=True, slots=True)
class Ground:
    """What the places of a document refer to: its tokens, its text, or nothing that is known."""

    table: TokenTable | None = None
    rows: dict[str, int] | None = None  # where each token is in the table
    text: str | None = None
    size: int | None = None  # characters of the text


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a mention is in its file: the document, the line, and the columns of its place and its text."""

    document: str
    line: int
    place: int
    text: int


def check_tokens(nugget: Nugget, spot: Spot, ground: Ground, out: Collector) -> bool:
    """Token ids: they are in the table and ascend, and the text is theirs; the answer is whether they fit the table."""
    column = spot.place
    rows: list[int] = []
    fits = True
    for token in nugget.tokens:
        if not token.strip():
            out.error(
                "token-id", "an empty token id", spot.line, column, hint="write ids as t3,t4", document=spot.document
            )
            fits = False
        elif ";" in token:
            message = f"{quote(token)} is no token id"
            hint = "if these are characters, say --mode char"
            out.error("token-id", message, spot.line, column, hint=hint, document=spot.document)
            fits = False
        elif ground.rows is not None and ground.table is not None:
            row = ground.rows.get(token)
            if row is None:
                hint = _other_id(token, ground.rows)
                message = f"token {quote(token)} is not in {ground.table.path}"
                out.error("unknown-token", message, spot.line, column, hint=hint, document=spot.document)
                fits = False
            else:
                rows.append(row)
        column += len(token) + 1
    order = rows if ground.rows is not None else _numbers(nugget.tokens)
    if len(set(nugget.tokens)) < len(nugget.tokens):
        message, hint = f"a token occurs twice in {quote(','.join(nugget.tokens))}", "write it once"
        out.warn("token-repeated", message, spot.line, spot.place, hint=hint, document=spot.document)
    elif any(first >= second for first, second in pairwise(order)):
        ordered = [token for _, token in sorted(zip(order, nugget.tokens, strict=False))]
        hint = f"write {','.join(ordered)}" if len(order) == len(nugget.tokens) and len(order) < 20 else "sort them"
        message = f"the tokens {quote(','.join(nugget.tokens))} do not ascend"
        out.warn("token-order", message, spot.line, spot.place, hint=hint, document=spot.document)
    if fits and ground.table is not None and not _same_text(nugget.text, ground.table.tokens, rows):
        found = " ".join(ground.table.tokens[row].text for row in sorted(rows))
        _other_text(nugget, spot, found, "the tokens are", out)
        return sorted(nugget.text.split()) == sorted(found.split())  # another order is no sign of another table
    return fits


def check_pieces(nugget: Nugget, spot: Spot, ground: Ground, out: Collector) -> bool:
    """Pieces of the text: they are in it, in order and apart, and hold what the mention says."""
    right = True
    size = ground.size
    for begin, end in nugget.pieces:
        trouble = _piece_trouble(begin, end, size)
        if trouble:
            message, hint = trouble
            kind = "outside-text" if size is not None and end > size else "offsets"
            out.error(kind, message, spot.line, spot.place, hint=hint, document=spot.document)
            right = False
    ordered = sorted(nugget.pieces)
    if right and any(first[1] > second[0] for first, second in pairwise(ordered)):
        message = "pieces overlap, and what they share counts twice"
        out.error("overlapping-pieces", message, spot.line, spot.place, hint="merge them", document=spot.document)
        right = False
    elif right and list(nugget.pieces) != ordered:
        hint = "write " + quote(";".join(f"{begin},{end}" for begin, end in ordered)).strip("'")
        message = "the pieces do not ascend"
        out.warn("piece-order", message, spot.line, spot.place, hint=hint, document=spot.document)
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


def _check_text(nugget: Nugget, spot: Spot, text: str, ordered: list[Piece], out: Collector) -> bool:
    pieces = [text[begin:end] for begin, end in nugget.pieces]
    wanted = _squeezed(nugget.text)
    whole = text[ordered[0][0] : ordered[-1][1]]
    if wanted in (_squeezed("".join(pieces)), _squeezed(whole)):
        return True
    units = _in_units(text, nugget.pieces, wanted)
    found = " ".join(pieces)
    if units:
        message = f"the text {quote(nugget.text)} fits if offsets count {units}"
        out.error("offset-unit", message, spot.line, spot.place, hint="count characters", document=spot.document)
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


def _other_text(nugget: Nugget, spot: Spot, found: str, what: str, out: Collector) -> None:
    if not nugget.text.strip():
        message, hint = "the mention has no text", f"write {quote(found)}"
    else:
        message, hint = f"the text is {quote(nugget.text)}, but {what} {quote(found)}", "correct one of them"
    out.warn("text", message, spot.line, spot.text, hint=hint, document=spot.document)


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
