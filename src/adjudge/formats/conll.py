"""The files of the CoNLL-2011 and CoNLL-2012 shared tasks, read exactly as the reference scorer 8.01 reads them.

Its rules may surprise: columns are split on TAB only (a space-separated line is one column and is searched as a whole),
every line that is not blank is a token, comments included, and on one token all mentions open before any closes. Files
are read in one pass over blocks of lines, in bounded memory; lines whose last column is `-`, which are most, cost
almost nothing. `conll_check` checks every line and reports what is accepted silently but probably not meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from math import floor
from operator import itemgetter
from typing import IO, Any

from adjudge.errors import FormatError, Problem, UsageError, ValidationError, did_you_mean
from adjudge.formats.source import BOM, COPY, Source, line_blocks, opened, source_name
from adjudge.model.coref import Chain, CorefCorpus, CorefDocument, Mention

PROFILES = ("conll-8.01", "clean", "strict")
HEADER = re.compile(rb"#\s*begin document (.*)", re.DOTALL)
MANY = 100
"""Most documents in a row without an end marker that the reader accepts."""

_BLOCK = 1 << 16  # larger ones get new memory from the system each time, which takes as long as reading them
_END = re.compile(rb"#\s*end document")
_WORDS = re.compile(rb"#\s*(?:begin|end) document")
_PATTERNS = tuple(
    re.compile(text) for text in (rb"\(([0-9]+\+[0-9])\)", rb"\(([0-9]+)\)", rb"\(([0-9]+)", rb"(?<![0-9])([0-9]+)\)")
)
_CACHED, _SHORT = 50_000, 32  # columns that are cached, and their longest length
_ENDING = itemgetter(slice(-6, None))  # of a line: a TAB and the last column, unless that is long
_TAB_END = re.compile(rb"\n(?<!\t-\n)")  # the end of a line whose last column is not a hyphen
_SPACE_END = re.compile(rb"\n(?<!-\n)")  # the end of a line that does not end in a hyphen
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_HINT = re.compile(rb"\([0-9]|[0-9]\)")  # one of these is in every match of the four patterns

Items = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]  # chains of one-token mentions, openings, closings
Shape = tuple[int, Any]  # what a line holds: one of the numbers below, and the chain, the `Items` or None
_SINGLE, _OPENS, _CLOSES, _SEVERAL, _NOTHING, _BLANK = range(1, 7)
Places = tuple[list[tuple[str, int]], ...]  # discarded pairs, one-token mentions, openings, closings, with offsets
Place = tuple[int, bytes]  # for messages: the number of a line and the line

# The contents of lines are the same in all files, so that those of a corpus, or of its parts, are parsed once.
_seen: dict[bytes, Shape] = {}  # by last column, with the line break if the line after it has no TAB
_endings: dict[bytes, Shape] = {}  # by the ends of lines, if they have a TAB


def read_conll(
    source: Source,
    *,
    profile: str = "conll-8.01",
    name: str | None = None,
    only: Container[str] | None = None,
    digest: bool = True,
) -> CorefCorpus:
    """The documents of a file in file order; of documents with the same name the last one.

    What stops the reference scorer is a `FormatError` that lists all such places; with `only`, in the documents of
    these names (it reads no other document of a response). What it accepts silently but probably misreads is in the
    `notes`, and an error with the profile `strict`.

    >>> text = b"#begin document (a); part 000\\na\\t(1\\nb\\t-\\nc\\t(2)|1)\\n#end document\\n"
    >>> read_conll(text).documents
    [CorefDocument('(a); part 000', [Chain('1', [(0, 2)]), Chain('2', [(2, 2)])], tokens=3)]
    """
    if profile not in PROFILES:
        hint = did_you_mean(profile, PROFILES) or f"profiles are {', '.join(PROFILES)}"
        raise UsageError(f"there is no profile {profile!r}", hint=hint)
    place = name or source_name(source)
    reading = Reading(place)
    if profile == "strict":
        from adjudge.formats.conll_check import Checker

        reading = Checker(place)
    hasher = None
    if digest:
        from hashlib import sha256

        hasher = sha256()
    with opened(source, place) as stream:
        reading.read(stream, hasher)
    documents = reading.done(only)
    return CorefCorpus(place, documents, hasher.hexdigest() if hasher is not None else "", reading.notes)


def _markers(block: bytes) -> Iterator[tuple[int, int, str | None, bool]]:
    """The lines that begin or end documents: their start and end, the name, and whether there is an end marker."""
    at = block.find(b"#")  # every marker has one, and searching for a single byte is fastest
    while at >= 0:
        if _WORDS.match(block, at):
            first = block.rfind(b"\n", 0, at) + 1
            last = block.find(b"\n", at)
            last = len(block) if last < 0 else last
            line = block[first:last]
            header = HEADER.match(line)
            is_end = _END.search(line) is not None
            if header or is_end:
                name = header[1].removesuffix(b"\r").decode(errors="backslashreplace") if header else None
                yield first, last, name, is_end
                at = last
        at = block.find(b"#", at + 1)


class Open:
    """A document that is being read."""

    __slots__ = ("chains", "halves", "name", "number", "places", "problems", "tokens")

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        self.tokens = 0
        self.chains: dict[str, list[Mention]] = {}
        self.halves: dict[str, list[int]] = {}  # first tokens of open mentions, by chain
        self.places: dict[int, Place] = {}  # of those that are open at the end of a block
        self.problems: list[Problem] = []


class Reading:
    """Collects the documents of a file."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.notes: list[Problem] = []
        self.damage: list[Problem] = []
        self.open: list[Open] = []
        self.documents: dict[str, tuple[CorefDocument, list[Problem]]] = {}
        self.comments = 0
        self.first_comment = 0
        self.has_bom = False

    def read(self, stream: IO[bytes], hasher: Any = None) -> None:
        """Split a file into documents; lines belong to all documents that are open."""
        number = 1
        for block in line_blocks(stream, _BLOCK, hasher):
            if isinstance(block, str):
                self.damage.append(Problem(block, path=self.place, hint=COPY))
                return
            self.has_bom = self.has_bom or (number == 1 and block.startswith(BOM))
            start = 0
            for first, last, header, is_end in (*_markers(block), (len(block) + 1, 0, None, False)):
                if first > start:  # lines that are not markers
                    number = (self.lines if self.open else self.outside)(block, start, first - 1, number)
                if is_end and self.open:
                    self.end()
                if header is not None:
                    if self.open:
                        self.lines(block, first, last, number)
                    self.begin(header, number)
                if is_end or header is not None:
                    number, start = number + 1, last + 1
        self.finish()

    def outside(self, block: bytes, start: int, end: int, number: int) -> int:
        """Lines between documents, which are not read; the number of the line after them."""
        return number + block.count(b"\n", start, end) + 1

    def begin(self, name: str, number: int) -> None:
        """A header; a document without an end marker stays open."""
        if self.open:
            self.notes.append(self.endless(self.open[-1]))
        if len(self.open) == MANY:
            message = f"{MANY} documents in a row have no end marker, so each would go on to the end of the file"
            raise FormatError(Problem(message, self.place, number, hint="write #end document after each"))
        self.open.append(Open(name, number))

    def end(self) -> None:
        """An end marker, which ends all open documents; mentions still open in them never close."""
        for document in self.open:
            if any(document.halves.values()):
                document.problems += self.unclosed(document)
            self.keep(document)
        self.open.clear()

    def unclosed(self, document: Open) -> Iterator[Problem]:
        """The mentions of a document that have opened and not closed."""
        for chain, half in document.halves.items():
            same, before = 0, 0
            for token in half:
                opening, line = document.places[token]
                same, before = (same + 1 if opening == before else 0), opening
                column = bracket_place(line, 2, chain, same)
                yield never_closed(document.name, chain, self.place, opening, column)

    def finish(self) -> None:
        """The end of the file."""
        if self.open:
            self.notes.append(self.endless(self.open[-1]))
        for document in self.open:  # mentions still open are dropped silently, as in the reference scorer
            self.keep(document)
        if self.comments:
            message = f"{self.comments} comment line{'s' * (self.comments > 1)} inside documents count as tokens"
            hint = "remove them, or every later mention may be off by one"
            self.notes.append(Problem(message, path=self.place, line=self.first_comment, hint=hint))
        if self.has_bom and all(document.line > 1 for document, _ in self.documents.values()):
            message = "a byte-order mark hides the first line, and with it a document that begins there"
            self.notes.append(Problem(message, path=self.place, line=1, column=1, hint="save the file without it"))
        if not self.documents:
            hint = "a document begins with a line such as: #begin document (name); part 000"
            self.notes.append(Problem("the file has no documents", path=self.place, hint=hint))

    def lines(self, block: bytes, start: int, end: int, number: int) -> int:
        """Lines of a block that belong to all open documents; `number` is that of the first, then of the one after."""
        if block.find(b"#", start, end) >= 0 and (  # searching for one byte is much faster than for two
            block.startswith(b"#", start, end) or block.find(b"\n#", start, end) >= 0
        ):
            every = enumerate(block[start:end].split(b"\n"))
            comments = [index for index, line in every if line.startswith(b"#") and not HEADER.match(line)]
            if comments:
                self.first_comment = self.first_comment or number + comments[0]
                self.comments += len(comments)
        pieces = _pieces(block[start:end])
        after = number
        for document in self.open:
            after = self._feed(document, pieces, number)
        return after

    def _feed(self, document: Open, pieces: Sequence[bytes], number: int) -> int:
        """Add the brackets of the lines that need parsing; `number` is that of the first line, then of the one after.

        Nobody else counts the lines, which takes a tenth of the time of reading them (row `coref/splitting`).
        """
        token, chains, halves = document.tokens, document.chains, document.halves
        mentions_of, half_of = chains.get, halves.get
        shift = number - token  # from the number of a token to that of its line
        skipped = map(bytes.count, pieces, repeat(b"\n"))
        for lines, shape, piece in zip(skipped, map(_endings.get, map(_ENDING, pieces)), pieces, strict=True):
            token += lines
            kind, chain = shape or _look(piece)
            if kind == _BLANK:
                shift += 1
                continue
            if kind == _SINGLE:
                mentions = mentions_of(chain)
                if mentions is None:
                    chains[chain] = [(token, token)]
                else:
                    mentions.append((token, token))
            elif kind == _OPENS:
                half = half_of(chain)
                if half is None:
                    halves[chain] = [token]
                    if chain not in chains:
                        chains[chain] = []
                else:
                    half.append(token)
            elif kind == _CLOSES and (half := half_of(chain)):
                chains[chain].append((half.pop(), token))
            elif kind != _NOTHING:
                items = ((), (), (chain,)) if kind == _CLOSES else chain
                self._several(document, items, token, (token + shift, piece))
            token += 1
        document.tokens = token
        if any(halves.values()):
            _keep_places(document, pieces, token + shift)
        return token + shift

    def _several(self, document: Open, items: Items, token: int, place: Place) -> None:
        """A token with several items: all one-token mentions, then all that open, then all that close."""
        chains, halves = document.chains, document.halves
        singles, opens, closes = items
        for chain in singles:
            chains.setdefault(chain, []).append((token, token))
        for chain in opens:
            chains.setdefault(chain, [])
            halves.setdefault(chain, []).append(token)
        for order, chain in enumerate(closes):
            if halves.get(chain):
                chains[chain].append((halves[chain].pop(), token))
            else:
                number, piece = place
                column = bracket_place(_last_line(piece), 3, chain, closes[:order].count(chain))
                document.problems.append(never_opened(document.name, chain, self.place, number, column))

    def keep(self, document: Open) -> None:
        """A document that has ended."""
        chains = [Chain(chain, mentions) for chain, mentions in document.chains.items() if mentions]
        known = self.documents.pop(document.name, None)
        if known is not None:
            message = f"document {document.name!r} occurs again in line {document.number}, and only that one counts"
            self.notes.append(
                Problem(message, path=self.place, line=known[0].line, hint="give every document its own name")
            )
            self.notes.extend(known[1])
        found = CorefDocument(document.name, chains, document.tokens, document.number)
        self.documents[document.name] = found, document.problems

    def endless(self, document: Open) -> Problem:
        """A document without an end marker."""
        message = f"document {document.name!r} has no end marker, so it goes on to the next one or the end of the file"
        return Problem(message, path=self.place, line=document.number, hint="write #end document after it")

    def done(self, only: Container[str] | None) -> list[CorefDocument]:
        """The documents, unless the file or one of those that count has errors."""
        fatal = [*self.damage]
        for document, problems in self.documents.values():
            (fatal if only is None or document.id in only else self.notes).extend(problems)
        if fatal:
            from adjudge.findings import raise_problems

            raise_problems(sorted(fatal, key=lambda each: (each.line or 0, each.column or 0)), self.place)
        return [document for document, _ in self.documents.values()]


def _look(piece: bytes) -> Shape:
    """The content of the last line of a piece, whose end is not cached."""
    if not piece:
        return _BLANK, None
    column = piece[piece.rfind(b"\t") + 1 :]
    shape = _seen.get(column)
    if shape is None:
        if b"\n" in column:  # the last line has but one column
            line = _last_line(column)
            shape = _whole_line(line)
            remember = not line  # a blank line
        elif column and b" " not in column and not column.isspace():
            shape, remember = _shape(column), True
        else:
            return _whole_line(_last_line(piece))
        if not remember or len(column) > _SHORT:
            return shape
        _remember(_seen, column, shape)
    ending = _ENDING(piece)
    if b"\t" in ending:
        _remember(_endings, ending, shape)
    return shape


def _remember(seen: dict[bytes, Shape], text: bytes, shape: Shape) -> None:
    if len(seen) >= _CACHED:
        seen.clear()
    seen[text] = shape


def _pieces(block: bytes) -> list[bytes]:
    """Cut lines into pieces that end in a line that needs parsing: any but tokens whose last column is a hyphen.

    Blank lines may be among these, and the last line always is.

    >>> _pieces(b"a\\t-\\nb\\t(1)\\nc\\t-\\n\\nd\\t-")
    [b'a\\t-\\nb\\t(1)', b'c\\t-\\n', b'd\\t-']
    """
    return _TAB_END.split(block) if b"\t" in block else _spaced(block)


def _spaced(block: bytes) -> list[bytes]:
    """Pieces of lines without TABs, which are given one before the last field if the items of all lines are there.

    Such a line is one column, so a word in it can be an item. That is checked for all lines at once: if the last fields
    of the lines that do not end in a hyphen have as many brackets next to digits as the block, there are none
    elsewhere.
    """
    parts = [piece.rpartition(b" ") for piece in _SPACE_END.split(block)]
    fields = b" ".join([field for _, _, field in parts]).translate(_ZEROS)
    zeros = block.translate(_ZEROS)
    if all(zeros.count(hint) == fields.count(hint) for hint in (b"(0", b"0)")):
        return [before + b"\t" + field if blank else field for before, blank, field in parts]
    return block.split(b"\n")


def _keep_places(document: Open, pieces: Sequence[bytes], number: int) -> None:
    """Note where mentions begin that are open after these lines; `number` is that of the line after them."""
    wanted = {token for half in document.halves.values() for token in half} - document.places.keys()
    token = document.tokens
    for line in (line for piece in reversed(pieces) for line in reversed(piece.split(b"\n"))):
        if not wanted:
            break
        number -= 1
        if line.strip():
            token -= 1
            if token in wanted:
                wanted.remove(token)
                document.places[token] = number, line


def _last_line(piece: bytes) -> bytes:
    return piece[piece.rfind(b"\n") + 1 :]


def _whole_line(line: bytes) -> Shape:
    """The content of a line of which more than the last field must be parsed."""
    if not line.strip():
        return _BLANK, None
    column = coreference_column(line)
    hint = _HINT.search(column)
    if hint is None:
        return _NOTHING, None
    # Nothing matches across a blank, so if all items are in the last field, that field can stand for the line.
    field = column[column.rfind(b" ") + 1 :]
    return _shape(column if hint.start() < len(column) - len(field) else field)


def _shape(column: bytes) -> Shape:
    """The content of a column; the usual single item has a short form.

    >>> _shape(b"(12)"), _shape(b"7)|(1"), _shape(b"word")
    ((1, '12'), (4, ((), ('1',), ('7',))), (5, None))
    """
    singles, opens, closes = [], [], []
    for item in column.split(b"|"):  # nothing matches across a bar
        if item[:1] == b"(" and item[-1:] == b")" and item[1:-1].isdigit():
            singles.append(item[1:-1].decode())
        elif item[:1] == b"(" and item[1:].isdigit():
            opens.append(item[1:].decode())
        elif item[-1:] == b")" and item[:-1].isdigit():
            closes.append(item[:-1].decode())
        else:  # no plain item: by the rules
            _, singles, opens, closes = ([chain for chain, _ in items] for items in parse_brackets(column))
            break
    found = singles + opens + closes
    if len(found) == 1:
        return (_SINGLE if singles else _OPENS if opens else _CLOSES), found[0]
    return (_SEVERAL, (tuple(singles), tuple(opens), tuple(closes))) if found else (_NOTHING, None)


_BRACKET = re.compile(rb"[()]")


@lru_cache(maxsize=2)  # every problem of a line asks again
def parse_brackets(column: bytes) -> Places:
    """The bracketed items of a column with their offsets: discarded pairs, one-token mentions, openings, closings.

    Matches of each of the four patterns are removed from the left until there are none, before the next pattern; the
    text around a removed item may form another. Only items with both brackets can enclose another, and they end before
    those that follow them begin, so one pass per pattern suffices.

    >>> parse_brackets(b"(1|(2)|3)")
    ([], [('2', 3)], [('1', 0)], [('3', 7)])
    """
    found: Places = ([], [], [], [])
    where = list(range(len(column)))
    rest = column
    for number, (pattern, items) in enumerate(zip(_PATTERNS, found, strict=True)):
        gone = _closed(rest, pattern) if number < 2 else [(match, *match.span()) for match in pattern.finditer(rest)]
        if not gone:
            continue
        kept: list[int] = []
        end = 0
        for match, start, _ in gone:
            items.append((match[1].decode(), where[start]))
        for _, start, after in sorted(gone, key=lambda each: each[1]):
            if start >= end:  # else it is in one that closed around it
                kept += where[end:start]
                end = after
        where = kept + where[end:]
        rest = bytes([column[each] for each in where])
    return found


def _closed(text: bytes, pattern: re.Pattern[bytes]) -> list[tuple[re.Match[bytes], int, int]]:
    """The items with both brackets, in the order of their closing brackets, each with its place."""
    found: list[tuple[re.Match[bytes], int, int]] = []
    open_: list[tuple[int, list[bytes]]] = []  # brackets that may still close, with what is between them so far
    last = 0
    for bracket in _BRACKET.finditer(text):
        here = bracket.start()
        if open_:
            open_[-1][1].append(text[last:here])
        last = here + 1
        if bracket[0] == b"(":
            open_.append((here, [b"("]))
        elif open_:
            start, parts = open_.pop()
            match = pattern.fullmatch(b"".join((*parts, b")")))
            if match:
                found.append((match, start, last))
            else:
                open_.clear()  # nothing can enclose a bracket that remains
    return found


def coreference_column(line: bytes) -> bytes:
    """The last column that is not empty; the whole line if there is no TAB."""
    line = line.rstrip(b"\t")
    return line[line.rfind(b"\t") + 1 :]


def bracket_place(line: bytes, kind: int, chain: str, occurrence: int) -> int:
    """The column (from 1, in characters) of a bracket; `kind` is 1 for one-token mentions, 2 opening, 3 closing."""
    column = coreference_column(line)
    offsets = [offset for name, offset in parse_brackets(column)[kind] if name == chain]
    start = len(line.rstrip(b"\t")) - len(column)
    return len(line[: start + offsets[occurrence]].decode(errors="replace")) + 1


def never_opened(document: str, chain: str, place: str, number: int, column: int) -> Problem:
    """A closing bracket without an opening one."""
    message = f"a mention of chain {chain} closes here but none is open, in document {document!r}"
    return Problem(message, path=place, line=number, column=column, hint="open it at its first token")


def never_closed(document: str, chain: str, place: str, number: int, column: int) -> Problem:
    """An opening bracket without a closing one."""
    message = f"a mention of chain {chain} opens here and never closes, in document {document!r}"
    return Problem(message, path=place, line=number, column=column, hint="close it at its last token")


def write_conll(documents: Iterable[CorefDocument], *, path: str | None = None) -> tuple[str, list[Problem]]:
    """The text of a file, and what could not be kept; `path` is where the documents came from, for messages.

    Mentions of one chain that cross or touch cannot be written, because brackets of one chain are paired last in,
    first out.

    >>> from adjudge.model.coref import Chain
    >>> document = CorefDocument("(a); part 000", [Chain("1", [(0, 1), (1, 1)])], 3)
    >>> print(write_conll([document])[0], end="")
    #begin document (a); part 000
    _	0	0	_	(1
    _	0	1	_	(1)|1)
    _	0	2	_	-
    #end document
    """
    lost: Counter[str] = Counter()
    problems: list[Problem] = []
    parts: list[str] = []
    for document in documents:
        if "\n" in document.id or document.id.endswith("\r"):
            message = f"the name {document.id!r} cannot be written in one line"
            problems.append(Problem(message, path=path, line=document.line, hint="rename the document"))
        parts.append(f"#begin document {document.id}\n")
        columns, trouble = _columns(document, lost)
        for chain, mention in trouble:
            message = (
                f"the mention {list(mention)} of chain {chain} crosses or touches another one of its chain, "
                f"in document {document.id!r}"
            )
            problems.append(Problem(message, path=path, line=document.line, hint="write another format"))
        parts += [f"_\t0\t{token}\t_\t{'|'.join(column) or '-'}\n" for token, column in enumerate(columns)]
        parts.append("#end document\n")
    if problems:
        raise ValidationError(problems)
    said = [text.format(n=lost[kind], s="s" * (lost[kind] > 1)) for kind, text in _LOST.items() if lost[kind]]
    return "".join(parts), [Problem(text, path=path) for text in said]


_LOST = {
    "gaps": "{n} mention{s} with gaps written from the first to the last token",
    "empty": "{n} empty node{s} written as tokens, so that later tokens have other numbers",
    "ids": "in {n} document{s} chains got new numbers, because their ids are not made of digits only",
    "chains": "{n} chain{s} without mentions left out",
    "tokens": "{n} document{s} of unknown length written up to the last mention",
    "heads": "heads of mentions left out, in {n} document{s}",
}


def _columns(document: CorefDocument, lost: Counter[str]) -> tuple[list[list[str]], list[tuple[str, Mention]]]:
    """The brackets of each token, and mentions that would be read as others."""
    ids = [chain.id for chain in document.chains]
    if not all(each.isascii() and each.isdigit() for each in ids) or len(set(ids)) < len(ids):
        lost["ids"] += 1
        ids = [str(number) for number in range(len(ids))]
    used = [position for chain in document.chains for mention in chain.mentions for position in mention]
    length = max([document.tokens, *(floor(position) + 1 for position in used)])
    lost["tokens"] += document.tokens < 0
    lost["heads"] += bool(document.heads)
    empty = sorted({*document.empty, *(position for position in used if position != floor(position))})
    lost["empty"] += len(empty)
    number = {position: index for index, position in enumerate(sorted([*range(length), *empty]))}
    singles: list[list[str]] = [[] for _ in number]
    opens: list[list[str]] = [[] for _ in number]
    closes: list[list[str]] = [[] for _ in number]
    trouble: list[tuple[str, Mention]] = []
    for name, chain in zip(ids, document.chains, strict=True):
        lost["chains"] += not chain.mentions
        spans = []
        for mention in chain.mentions:
            lost["gaps"] += len(mention) > 2
            first, last = number[mention[0]], number[mention[-1]]
            spans.append((first, last))
            if first == last:
                singles[first].append(f"({name})")
            else:
                opens[first].append(f"({name}")
                closes[last].append(f"{name})")
        misread = Counter(spans) - Counter(_read_back(spans))
        trouble += [(chain.id, mention) for mention, span in zip(chain.mentions, spans, strict=True) if misread[span]]
    return [[*a, *b, *c] for a, b, c in zip(opens, singles, closes, strict=True)], trouble


def _read_back(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans that a reader makes of the brackets of one chain: openings first, then last in, first out."""
    found = [span for span in spans if span[0] == span[1]]
    long = [span for span in spans if span[0] < span[1]]
    events = sorted([(first, 0) for first, _ in long] + [(last, 1) for _, last in long])
    half: list[int] = []
    for token, closing in events:
        if closing:
            found.append((half.pop(), token))
        else:
            half.append(token)
    return found
