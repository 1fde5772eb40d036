"""The lines of one document: columns, ids, types, realis, confidences; and places, whose text must match."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from adjudge.findings import Findings
from adjudge.formats.tbf_scan import BLANKS, COLUMNS, DIGITS, field_place, parse_pieces, quote, short_line
from adjudge.model.nugget import COREFERENCE, NOT_ANNOTATED, REALIS, Nugget, Piece, Relation, Token, TokenTable
from adjudge.tasks.nugget.settings import canonical
from adjudge.tasks.nugget.validation_relations import Line

_KNOWN = 200  # names that are compared, and letters
_PAIR = "write begin,end in characters, with ; between pieces: 4,8;13,16"
MOST = COLUMNS + 3  # columns, with the three confidences

_REALIS = {canonical(value) for value in REALIS}
_VALUES = f"{', '.join(REALIS[:-1])} or {REALIS[-1]}"


@dataclass(slots=True)
class Rules:
    """What holds for the whole file; `system` is the first system id and its line; `given`: nuggets were given."""

    mode: str
    types: Mapping[str, str] | None = None  # canonical name -> as it is written in the list
    system: tuple[str, int] | None = None
    given: bool = False


class Ground(NamedTuple):
    """What the places of a document refer to: its tokens with their rows, its text and its size, as far as known."""

    table: TokenTable | None = None
    rows: Mapping[str, int] = {}
    text: str | None = None
    size: int | None = None


class Lines:
    """The lines of one document, whose header has the number `line`: checked, and what they say."""

    def __init__(self, document: str, line: int, rules: Rules, ground: Ground, out: Findings) -> None:
        self.document, self.line = document, line
        self.rules, self.ground, self.out = rules, ground, out
        self.nuggets: list[Nugget] = []
        self.relations: list[Line] = []
        self.ids: dict[str, int] = {}  # line of each mention id
        self.late = False  # a mention line came after a relation line
        self.starts: list[int] = []  # of the columns of the current line

    def check(self, text: str) -> None:
        """Check the lines; the first is the header."""
        misfits = 0
        for number, raw in enumerate(text.split("\n"), self.line):
            line = raw.strip(BLANKS)
            if line[:1] == "@":
                self._check_relation(raw, line, number)
            elif line and line[0] != "#":
                misfits += not self._check_mention(raw, line, number)
        ground = self.ground
        if misfits > 1 and 2 * misfits > len(self.nuggets) and (ground.table or ground.text is not None):
            what = "token table" if ground.table else "text"
            message = f"{misfits} of {len(self.nuggets)} mentions do not fit the {what} of document "
            self.out.warn("misfit", message + quote(self.document), self.line, 1, "is it that of another document?")

    def check_duplicates(self, keys: Sequence[Hashable]) -> None:
        """Mentions of the same place, type and realis: only one of them can be correct."""
        first: dict[tuple[Hashable, str, str], Nugget] = {}
        for nugget, key in zip(self.nuggets, keys, strict=True):
            if key is None:
                continue
            same = first.setdefault((key, canonical(nugget.type), canonical(nugget.realis)), nugget)
            if same is not nugget:
                message = f"{quote(nugget.id)} has the place, type and realis of {quote(same.id)} in line {same.line}"
                self.out.warn("duplicate", message, nugget.line, 1, "remove one of them")

    def _check_mention(self, raw: str, line: str, number: int) -> bool:
        """Whether the mention fits the tokens or the text, or cannot be read."""
        columns = line.split("\t", MOST)  # what follows stays together: there may be millions
        if len(columns) < COLUMNS:
            self._check_short(raw, line, columns, number)
            return True
        starts = self.starts = [field_place(raw, 0)]
        for column in columns:
            starts.append(starts[-1] + len(column) + 1)
        system, named, id, span, text, type_, realis = columns[:COLUMNS]
        rules, out = self.rules, self.out
        if rules.system is None:
            rules.system = system, number
        elif system != rules.system[0]:
            message = f"the system id {quote(system)} is not {quote(rules.system[0])} as in line {rules.system[1]}"
            out.warn("system-id", message, number, starts[0], "use one for the whole file")
        if named != self.document:
            message = f"the line says document {quote(named)}, the header {quote(self.document)}"
            out.add("document-column", message, number, starts[1], "correct one of them")
        self._check_id(id, number)
        self._check_values(type_, realis, number)
        self._check_confidences(columns, number)
        if self.relations and not self.late:
            self.late = True
            message, hint = "a mention line after a relation line", "write the relations after all mentions"
            out.warn("order", message, number, starts[0], hint)
        return self._check_place(Nugget(id, type_, realis, text, line=number), span)

    def _check_place(self, nugget: Nugget, span: str) -> bool:
        """Keep a nugget whose place can be read, and say whether it fits."""
        out, number, ground = self.out, nugget.line, self.ground
        if not nugget.text.strip() and ground.table is None and ground.text is None:
            out.warn("text", "the mention has no text", number, self.starts[4], "write its words")
        if self.rules.mode == "token":
            self.nuggets.append(nugget._replace(tokens=tuple(span.split(","))))
            return self._check_tokens(self.nuggets[-1])
        pieces = parse_pieces(span)
        if pieces is None:
            out.add("offsets", span_trouble(span)[0], number, self.starts[3], span_trouble(span)[1])
            return True
        if any(piece.count(",") > 1 for piece in span.split(";")):
            message, hint = f"more than two numbers in a piece of {quote(span)}", "write begin,end;begin,end"
            out.add("offsets", message, number, self.starts[3], hint)
        self.nuggets.append(nugget._replace(pieces=pieces))
        return self._check_pieces(self.nuggets[-1])

    def _check_short(self, raw: str, line: str, columns: Sequence[str], number: int) -> None:
        """A mention line that lacks columns; its id is remembered if it can be told, for the relations."""
        problem = short_line(raw, line, len(columns), self.out.place, number)
        hint = problem.hint
        if len(columns) > 1 and columns[0] == self.document:
            hint = "the system id is missing"
            self.ids.setdefault(columns[1], number)
        elif len(columns) > 2 and columns[1] == self.document:
            hint = "columns are missing at the end"
            self.ids.setdefault(columns[2], number)
        self.out.add("columns", problem.message, number, problem.column, hint)

    def _check_id(self, id: str, number: int) -> None:
        column, out = self.starts[2], self.out
        if not id.strip():
            out.add("mention-id", "no mention id", number, column, "write one, such as E1")
            return
        if id in self.ids:
            message = f"mention id {quote(id)} is in line {self.ids[id]} already"
            out.add("repeated-id", message, number, column, "write one that is free")
        elif "," in id or id != id.strip():
            message = f"the mention id {quote(id)} has a comma in it or a blank at its ends"
            out.add("mention-id", message, number, column, "no relation can name it")
        self.ids.setdefault(id, number)

    def _check_values(self, type_: str, realis: str, number: int) -> None:
        """The type and the realis; a misspelt one is told apart from others."""
        out, rules, name = self.out, self.rules, canonical(type_)
        if not name:
            message = "no event type"
            if type_.strip():
                message = f"the type {quote(type_)} has no ASCII letter, and the official scorer takes it as empty"
            out.add("type", message, number, self.starts[5], "write one, such as Life_Marry")
        elif rules.types is not None and name not in rules.types:
            close = near(name, rules.types)
            hint = f"did you mean {rules.types[close]}?" if close else "use one of the list"
            message = f"the type {quote(type_)} is not in the list"
            out.add("unknown-type", message, number, self.starts[5], hint, value=quote(type_))
        name = canonical(realis)
        if name == canonical(NOT_ANNOTATED):
            if not rules.given:  # gold may say so
                message = f"the realis is {quote(realis)}"
                out.warn("no-realis", message, number, self.starts[6], f"a system says {_VALUES}")
        elif name not in _REALIS:
            message, value = f"there is no realis {quote(realis)}", quote(realis)
            out.add("realis", message, number, self.starts[6], f"write {_VALUES}", value=value)

    def _check_confidences(self, columns: Sequence[str], number: int) -> None:
        for place, text in enumerate(columns[COLUMNS:MOST], COLUMNS):
            if not _is_number(text):
                message = f"the confidence {quote(text)} is not a number"
                self.out.warn("confidence", message, number, self.starts[place], "write one such as 0.5")
        if len(columns) > MOST:
            count = MOST + 1 + columns[MOST].count("\t")
            message = f"{count} columns, of which the last {count - MOST} mean{'s' * (count == MOST + 1)} nothing"
            hint = "three confidences may follow the realis"
            self.out.warn("extra-columns", message, number, self.starts[MOST], hint)

    def _check_relation(self, raw: str, line: str, number: int) -> None:
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
            self.out.add("relation-columns", message, number, first, hint)
            return
        column = first + line.index(parts[0], 1) + len(parts[0]) + len(parts[1]) + 2
        self.relations.append(Line(Relation(parts[0], parts[1], tuple(parts[2].split(",")), number), column))

    # Places

    def _check_tokens(self, nugget: Nugget) -> bool:
        """Token ids: they are in the table and ascend, and the text is theirs; whether they fit the table."""
        out, number, column = self.out, nugget.line, self.starts[3]
        table, known = self.ground.table, self.ground.rows
        rows: list[int] = []
        fits = True
        for token in nugget.tokens:
            if not token.strip():
                out.add("token-id", "an empty token id", number, column, "write ids as t3,t4")
                fits = False
            elif ";" in token:
                hint = "if these are characters, use --mode char"
                out.add("token-id", f"{quote(token)} is not a token id", number, column, hint)
                fits = False
            elif table is not None and token not in known:
                message = f"token {quote(token)} is not in {table.path}"
                out.add("unknown-token", message, number, column, _other_id(token, known))
                fits = False
            elif table is not None:
                rows.append(known[token])
            column += len(token) + 1
        order = rows if table is not None else _numbers(nugget.tokens)
        if len(set(nugget.tokens)) < len(nugget.tokens):
            message, hint = f"a token occurs twice in {quote(','.join(nugget.tokens))}", "write it once"
            out.warn("token-repeated", message, number, self.starts[3], hint)
        elif any(first >= second for first, second in pairwise(order)):
            ordered = [token for _, token in sorted(zip(order, nugget.tokens, strict=False))]
            hint = f"write {','.join(ordered)}" if len(order) == len(nugget.tokens) and len(order) < 20 else "sort them"
            message = f"the tokens {quote(','.join(nugget.tokens))} do not ascend"
            out.warn("token-order", message, number, self.starts[3], hint)
        if fits and table is not None and not _same_text(nugget.text, table.tokens, rows):
            found = " ".join(table.tokens[row].text for row in sorted(rows))
            self._other_text(nugget, found, "the tokens are")
            return sorted(nugget.text.split()) == sorted(found.split())  # another order is not a sign of another table
        return fits

    def _check_pieces(self, nugget: Nugget) -> bool:
        """Pieces of the text: they are in it, in order and apart, and hold what the mention says."""
        out, number, column, size = self.out, nugget.line, self.starts[3], self.ground.size
        right = True
        for begin, end in nugget.pieces:
            if trouble := _piece_trouble(begin, end, size):
                kind = "outside-text" if size is not None and end > size else "offsets"
                out.add(kind, trouble[0], number, column, trouble[1])
                right = False
        if not right:
            return False
        ordered = sorted(nugget.pieces)
        if any(first[1] > second[0] for first, second in pairwise(ordered)):
            message = "pieces overlap, and what they share counts twice"
            out.add("overlapping-pieces", message, number, column, "merge them")
            return False
        if list(nugget.pieces) != ordered:
            hint = "write " + quote(";".join(f"{begin},{end}" for begin, end in ordered)).strip("'")
            out.warn("piece-order", "the pieces do not ascend", number, column, hint)
        text = self.ground.text
        if text is None:
            return True
        wanted, pieces = squeezed(nugget.text), [text[begin:end] for begin, end in nugget.pieces]
        if wanted in (squeezed("".join(pieces)), squeezed(text[ordered[0][0] : ordered[-1][1]])):
            return True
        if units := _in_units(text, nugget.pieces, wanted):
            message = f"the text {quote(nugget.text)} fits if offsets count {units}"
            out.add("offset-unit", message, number, column, "count characters")
            return True
        self._other_text(nugget, " ".join(pieces), "the characters are")
        return False

    def _other_text(self, nugget: Nugget, found: str, what: str) -> None:
        if not nugget.text.strip():
            message, hint = "the mention has no text", f"write {quote(found)}"
        else:
            message, hint = f"the text is {quote(nugget.text)}, but {what} {quote(found)}", "correct one of them"
        self.out.warn("text", message, nugget.line, self.starts[4], hint)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def span_trouble(span: str) -> tuple[str, str]:
    """Why a place cannot be read as characters, and the remedy.

    >>> span_trouble("t3,t4")
    ("'t3,t4' is not a position in a text", 'if these are token ids, use --mode token')
    """
    message = f"{quote(span)} is not a position in a text"
    if not span:
        return "the place is empty", _PAIR
    if any(len(number.strip()) > DIGITS for piece in span.split(";") for number in piece.split(",")):
        return f"{quote(span)} is beyond any text", "write the offsets of characters"
    if span[0] == "t" or all(each.isdigit() for each in span.split(",")):
        return message, "if these are token ids, use --mode token"
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


def _in_units(text: str, pieces: tuple[Piece, ...], wanted: str) -> str | None:
    """The units in which the offsets would fit, if they are not characters."""
    if text.isascii():
        return None
    for encoding, width, name in (("utf-16-le", 2, "UTF-16 units"), ("utf-8", 1, "bytes")):
        data = text.encode(encoding, "surrogatepass")
        found = b"".join(data[begin * width : end * width] for begin, end in pieces).decode(encoding, "replace")
        if wanted and squeezed(found) == wanted:
            return name
    return None


def _same_text(text: str, tokens: Sequence[Token], rows: Sequence[int]) -> bool:
    """Whether a text is that of the tokens, or of everything from the first to the last of them."""
    wanted = squeezed(text)
    if wanted == squeezed("".join([tokens[row].text for row in rows])):
        return True
    first, last = min(rows), max(rows)
    if last - first > len(text):
        return False
    return wanted == squeezed("".join([token.text for token in tokens[first : last + 1]]))


def squeezed(text: str) -> str:
    """A text without whitespace: how much there is between tokens is not known.

    >>> squeezed("ran  off")
    'ranoff'
    """
    return "".join(text.split())


def _numbers(tokens: tuple[str, ...]) -> list[int]:
    """The numbers of ids such as t3 or 3; empty if some are of another kind."""
    digits = [token.removeprefix("t") for token in tokens]
    if all(each.isascii() and each.isdigit() and len(each) <= DIGITS for each in digits):
        return [int(each) for each in digits]
    return []


def _other_id(token: str, rows: Mapping[str, int]) -> str:
    """A remedy for an id that is not in the table."""
    bare = token.strip()
    for other in (bare, bare.removeprefix("t"), f"t{bare}"):
        if other in rows:
            return f"write {other}"
    if not rows:
        return "the table has no tokens"
    first, last = next(iter(rows)), list(rows)[-1]
    return f"its ids go from {quote(first)[1:-1]} to {quote(last)[1:-1]}"


def near(name: str, known: Collection[str]) -> str | None:
    """The name probably meant, unless there are too many names."""
    if len(known) > _KNOWN or len(name) > _KNOWN:
        return None
    import difflib

    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=0.75)), None)
