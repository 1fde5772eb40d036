"""Columns of tokens and tags: one token per line, an empty line after each sentence, the tag in the last column.

    U.N.       NNP  I-NP  I-ORG
    official   NN   I-NP  O

Columns are separated by blanks or TABs. A line whose first column is `-DOCSTART-` begins a document; without such
lines each sentence is a document. Offsets are tokens of the document, counted from 0.

Lenient decoding takes every run of tags of one type for a chunk, wherever it begins (`O I-PER` begins one, as in IOB1);
strict decoding takes the chunks that the rules of a scheme allow, and leaves out the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from adjudge.errors import FormatError, Problem
from adjudge.findings import raise_problems
from adjudge.formats.source import Source, read_text, reads
from adjudge.model.document import Corpus, Document

Chunk: TypeAlias = tuple[str, int, int]
"""Type, first token, and the token after the last."""

OUTSIDE = "O"
PREFIXES = "BIOESUL"
DOCUMENT = "-DOCSTART-"
BOUNDARY = "-X-"

_BLANKS = re.compile(r"[ \t\r]+")


class Sentence(NamedTuple):
    """The tags of a sentence, its first line, and the number of its document, counted from 1 (0 without documents)."""

    line: int
    tags: list[str]
    document: int


class Columns(NamedTuple):
    """A file of tags; `starts` is the number of lines that begin a document."""

    place: str
    digest: str
    sentences: list[Sentence]
    starts: int


@reads("columns of tokens and tags", "columns", "conll", "conllu", "tsv", reader_option=True)
def read_columns(source: Source, *, column: int = -1, name: str | None = None, prefixes: str = "") -> Columns:
    """The tags of a file, from one of its columns (-1 is the last); every line that has none is a problem.

    >>> read_columns(b"EU B-ORG\\nrejects O\\n").sentences
    [Sentence(line=1, tags=['B-ORG', 'O'], document=0)]
    """
    whole, text = read_text(source, name=name)
    sentences: list[Sentence] = []
    problems: list[Problem] = []
    known: set[str] = set()
    tags: list[str] = []
    width = wide = begun = starts = 0  # the number of columns, and the line that has it first
    for number, line in enumerate([*text.split("\n"), ""], 1):
        parts = line.split() if line.isascii() else _BLANKS.split(line.strip(" \t\r"))
        if not parts or parts[0] in ("", BOUNDARY, DOCUMENT):
            if tags:
                sentences.append(Sentence(begun, tags, starts))
                tags = []
            starts += parts[:1] == [DOCUMENT]
            continue
        begun = begun if tags else number
        tag = OUTSIDE
        if not width and len(parts) >= -column:
            width, wide = len(parts), number
        if len(parts) != width:
            problems.append(_misshapen(whole.place, number, len(parts), width, wide, -column))
        else:
            tag = parts[column]
            if tag not in known:
                found = split_tag(tag)
                if found is None or (prefixes and found[0] not in prefixes):
                    problems.append(_no_tag(whole.place, number, line, parts, column, prefixes))
                else:
                    known.add(tag)
        tags.append(tag)
    if not sentences and not problems:
        problems.append(Problem("the file has no tokens", path=whole.place, hint="write tokens and their tags"))
    raise_problems(problems, whole.place)
    return Columns(whole.place, whole.digest, sentences, starts)


def _misshapen(place: str, number: int, found: int, width: int, first: int, needed: int) -> Problem:
    if not width:
        message, hint = f"{found} column, at least {needed} are needed", "end each line with its tags"
    else:
        message = f"{found} column{'s' * (found != 1)}, but {width} in line {first}"
        hint = "write the same columns in every line, and an empty line between sentences"
    return Problem(message, path=place, line=number, hint=hint)


def _no_tag(place: str, number: int, line: str, parts: Sequence[str], column: int, prefixes: str) -> Problem:
    tag = parts[column]
    rest = line.rstrip(" \t\r")
    for part in reversed(parts[len(parts) + column + 1 :]):
        rest = rest[: len(rest) - len(part)].rstrip(" \t\r")
    hint = f"tags of this scheme begin with {', '.join(prefixes)}" if prefixes else "write O, or B-TYPE and I-TYPE"
    return Problem(f"{tag!r} is not a tag", path=place, line=number, column=len(rest) - len(tag) + 1, hint=hint)


# ---------------------------------------------------------------------------------------------------------------------
# Documents


def grouped(columns: Columns) -> Iterator[tuple[str, list[Sentence]]]:
    """Documents and their sentences: those between `-DOCSTART-` lines, or each sentence by itself.

    >>> [name for name, _ in grouped(read_columns(b"a O\\n\\nb O\\n"))]
    ['sentence-1', 'sentence-2']
    """
    if not columns.starts:
        for number, sentence in enumerate(columns.sentences, 1):
            yield f"sentence-{number}", [sentence]
        return
    found: dict[int, list[Sentence]] = {number: [] for number in range(1, columns.starts + 1)}
    for sentence in columns.sentences:
        found.setdefault(sentence.document, []).append(sentence)
    for number in sorted(found):  # sentences before the first line are document 0
        yield f"document-{number}", found[number]


def read_bio(source: Source, *, name: str | None = None, column: int = -1) -> Corpus:
    """The entities of a file, leniently: every run of tags of a type is one, as conlleval takes it.

    >>> read_bio(b"U.N. I-ORG\\nofficial O\\n").documents[0].data["entities"]
    [{'span': {'start': 0, 'end': 1}, 'type': 'ORG'}]
    """
    columns = read_columns(source, name=name, column=column)
    steps = Steps(lenient)
    return _corpus(columns, [decode_tags(sentence.tags, steps) for sentence in columns.sentences])


def read_words(source: Source, *, name: str | None = None) -> dict[str, list[str]]:
    """The words of every document, which are the first column.

    >>> read_words(b"EU B-ORG\\nrejects O\\n")
    {'sentence-1': ['EU', 'rejects']}
    """
    _, text = read_text(source, name=name)
    lines = text.split("\n")
    return {
        identifier: [
            _BLANKS.split(lines[number - 1].strip(" \t\r"))[0]
            for sentence in sentences
            for number in range(sentence.line, sentence.line + len(sentence.tags))
        ]
        for identifier, sentences in grouped(read_columns(source, name=name))
    }


def read_both_gold(source: Source, *, name: str | None = None) -> Corpus:
    """The entities of the last column but one: the gold side of a file that has both."""
    return read_bio(source, name=name, column=-2)


def read_strict(source: Source, *, name: str | None = None, scheme: str, gold: bool = False) -> Corpus:
    """The entities that a scheme allows; in a gold file all tags must belong to one, a system's others are left out.

    >>> read_strict(b"EU I-ORG\\nto B-LOC\\n", scheme="IOB2").documents[0].data["entities"]
    [{'span': {'start': 1, 'end': 2}, 'type': 'LOC'}]
    """
    columns = read_columns(source, name=name, prefixes=SCHEMES[scheme].prefixes)
    turns = Turns(SCHEMES[scheme])
    chunks = [decode_strict(sentence.tags, turns) for sentence in columns.sentences]
    if gold:
        problems = [
            Problem(
                f"{sentence.tags[place]} is not part of an entity in {scheme}",
                path=columns.place,
                line=sentence.line + place,
                hint="fix the tag, or read the file with another scheme",
            )
            for sentence, own in zip(columns.sentences, chunks, strict=True)
            for place in outside_of(own, sentence.tags)
        ]
        raise_problems(problems, columns.place)
    return _corpus(columns, chunks)


read_iob1 = partial(read_strict, scheme="IOB1")
read_iob2 = partial(read_strict, scheme="IOB2")
read_ioe2 = partial(read_strict, scheme="IOE2")
read_iobes = partial(read_strict, scheme="IOBES")
read_bilou = partial(read_strict, scheme="BILOU")
read_iob1_gold = partial(read_strict, scheme="IOB1", gold=True)
read_iob2_gold = partial(read_strict, scheme="IOB2", gold=True)
read_ioe2_gold = partial(read_strict, scheme="IOE2", gold=True)
read_iobes_gold = partial(read_strict, scheme="IOBES", gold=True)
read_bilou_gold = partial(read_strict, scheme="BILOU", gold=True)


class _Mentions(dict[Chunk, dict[str, Any]]):
    """Entities as documents have them; equal ones are the same object, which saves most of the work."""

    def __missing__(self, chunk: Chunk) -> dict[str, Any]:
        kind, start, end = chunk
        found = self[chunk] = {"span": {"start": start, "end": end}, "type": kind}
        return found


def _corpus(columns: Columns, chunks: Sequence[Sequence[Chunk]]) -> Corpus:
    own = iter(chunks)
    mentions = _Mentions()
    documents: list[Document] = []
    # Sentences stand in file order, and so do their documents.
    for identifier, sentences in grouped(columns):
        entities, offset = [], 0
        for sentence in sentences:
            found = next(own)
            if offset:
                found = [(kind, start + offset, end + offset) for kind, start, end in found]
            entities += [mentions[chunk] for chunk in found]
            offset += len(sentence.tags)
        lengths = [len(sentence.tags) for sentence in sentences]
        data = {"id": identifier, "sentences": lengths, "entities": entities}
        documents.append(Document(id=identifier, data=data, line=sentences[0].line if sentences else None))
    return Corpus(path=columns.place, documents=tuple(documents), digest=columns.digest)


def check_sentences(gold: Corpus, system: Corpus) -> Corpus:
    """The system's documents, if they have the sentences of the gold ones, token for token.

    >>> check_sentences(read_bio(b"EU B-ORG\\n"), read_bio(b"EU O\\n")).documents[0].id
    'sentence-1'
    """
    path = system.path
    if len(gold.documents) != len(system.documents):
        what = gold.documents[0].id.partition("-")[0] if gold.documents else "document"
        message = f"{len(system.documents)} documents, but {gold.path} has {len(gold.documents)} ({what}s)"
        hint = f"write every sentence, the empty line after it and the {DOCUMENT} lines of the gold file"
        raise FormatError(Problem(message, path=path, hint=hint))
    problems = []
    for left, right in zip(gold.documents, system.documents, strict=True):
        if left.data["sentences"] != right.data["sentences"]:
            here, there = right.data["sentences"], left.data["sentences"]
            message = f"{right.id} has {_lengths(here)}, in {gold.path} {_lengths(there)}"
            problems.append(Problem(message, path=path, line=right.line, hint="write a line for every gold token"))
    raise_problems(problems, path or "system")
    return system


def _lengths(sentences: Sequence[int]) -> str:
    tokens = sum(sentences)
    return f"{tokens} token{'s' * (tokens != 1)} in {len(sentences)} sentence{'s' * (len(sentences) != 1)}"


# ---------------------------------------------------------------------------------------------------------------------
# Tags and chunks


def split_tag(tag: str) -> tuple[str, str] | None:
    """Prefix and type of a tag; None if it is no tag. The type of a tag without one is `_`.

    >>> split_tag("B-PER"), split_tag("O"), split_tag("I"), split_tag("PER")
    (('B', 'PER'), ('O', ''), ('I', '_'), None)
    """
    prefix, _, kind = tag.partition("-")
    if prefix == OUTSIDE:
        return (OUTSIDE, "")
    return (prefix, kind or "_") if len(prefix) == 1 and prefix in PREFIXES else None


class Step(NamedTuple):
    """What happens between two tags: the chunk before ends, a chunk starts."""

    ends: bool
    starts: bool
    before: str  # the type of the tag before


class Steps(dict[tuple[str, str], Step]):
    """The steps between tags, each made by a rule when it is first met."""

    def __init__(self, rule: Callable[[str, str], Step]) -> None:
        super().__init__()
        self.rule = rule

    def __missing__(self, tags: tuple[str, str]) -> Step:
        step = self[tags] = self.rule(*tags)
        return step


_SINGLE = frozenset("SU")
_LAST = frozenset("EL")
_WITHIN = frozenset("IEL")


def lenient(before: str, tag: str) -> Step:
    """Chunks as conlleval takes them, and single (S, U) and last (E, L) tags besides.

    >>> lenient("O", "I-PER"), lenient("I-PER", "I-LOC").ends
    (Step(ends=False, starts=True, before=''), True)
    """
    (left, kind), (right, other) = split_tag(before) or ("O", ""), split_tag(tag) or ("O", "")
    inside = left != OUTSIDE
    done = left in _SINGLE or left in _LAST or kind != other
    starts = right in "BSU" or (right in _WITHIN and (not inside or done))
    return Step(inside and (done or starts or right == OUTSIDE), starts, kind)


def decode_tags(tags: Sequence[str], steps: Steps) -> list[Chunk]:
    """The chunks of a sentence.

    >>> decode_tags(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"], Steps(lenient))
    [('PER', 0, 2), ('LOC', 3, 4), ('LOC', 4, 5)]
    """
    chunks: list[Chunk] = []
    if tags.count(OUTSIDE) == len(tags):
        return chunks
    before, start = OUTSIDE, 0
    for place, tag in enumerate(tags):
        if tag == before == OUTSIDE:
            continue
        ends, starts, kind = steps[before, tag]
        if ends:
            chunks.append((kind, start, place))
        if starts:
            start = place
        before = tag
    if before != OUTSIDE:
        ends, _, kind = steps[before, OUTSIDE]
        if ends:
            chunks.append((kind, start, len(tags)))
    return chunks


class Scheme(NamedTuple):
    """Which pairs of neighbouring tags start, continue and end a chunk.

    A pair is two prefixes (`.` is any) and a sign: `=` the same type, `!` another one, `*` either.
    """

    prefixes: str
    start: str
    inside: str
    end: str


SCHEMES = {
    "IOB1": Scheme("IOB", "OI* II! BI* IB= BB=", "BI= II=", "II! IO* IB* BO* BI! BB="),
    "IOB2": Scheme("IOB", ".B*", "BI= II=", "IO* II! IB* BO* BI! BB*"),
    "IOE1": Scheme("IOE", "OI* II! EI* EE=", "II= IE=", "II! IO* IE! EI= EE="),
    "IOE2": Scheme("IOE", "OI* OE* EI* EE* II! IE!", "IE= II=", "E.*"),
    "IOBES": Scheme("IOBES", ".B* .S*", "BI= BE= II= IE=", "S.* E.*"),
    "BILOU": Scheme("BILOU", ".B* .U*", "BI= BL= II= IL=", "U.* L.*"),
}

Parse: TypeAlias = Callable[[str], "tuple[str, str] | None"]


class Turn(NamedTuple):
    """What a strict scheme says of two neighbouring tags."""

    start: bool
    inside: bool
    end: bool


class Turns(dict[tuple[str, str], Turn]):
    """What a scheme says, looked up once for each pair of tags."""

    def __init__(self, scheme: Scheme, parse: Parse = split_tag) -> None:
        super().__init__()
        self.scheme = scheme
        self.parse = parse
        self.rules = [frozenset(rules.split()) for rules in scheme[1:]]

    def __missing__(self, tags: tuple[str, str]) -> Turn:
        (left, kind), (right, other) = (self.parse(tag) or (OUTSIDE, "") for tag in tags)
        pairs = [
            a + b + sign for a in (left, ".") for b in (right, ".") for sign in ("*", "=" if kind == other else "!")
        ]
        turn = self[tags] = Turn(*(any(pair in rules for pair in pairs) for rules in self.rules))
        return turn

    def kind(self, tag: str) -> str:
        """The type of a tag."""
        return (self.parse(tag) or (OUTSIDE, ""))[1]


def decode_strict(tags: Sequence[str], turns: Turns) -> list[Chunk]:
    """The chunks of a sentence that a scheme allows.

    >>> decode_strict(["I-PER", "O", "B-LOC", "I-LOC"], Turns(SCHEMES["IOB2"]))
    [('LOC', 2, 4)]
    """
    chunks: list[Chunk] = []
    padded, size = [*tags, OUTSIDE], len(tags)
    place, before = 0, OUTSIDE
    while place < size:
        tag = padded[place]
        if tag == before == OUTSIDE:
            place += 1
            continue
        if turns[before, tag].start:
            end = place + 1
            while turns[padded[end - 1], padded[end]].inside:
                end += 1
            if turns[padded[end - 1], padded[end]].end:
                chunks.append((turns.kind(tag), place, end))
            place = end
        else:
            place += 1
        before = padded[place - 1]
    return chunks


def outside_of(chunks: Iterable[Chunk], tags: Sequence[str]) -> list[int]:
    """The tokens whose tags are not O although they are in no chunk.

    >>> outside_of([("LOC", 2, 3)], ["I-PER", "O", "B-LOC"])
    [0]
    """
    inside = {place for _, start, end in chunks for place in range(start, end)}
    return [place for place, tag in enumerate(tags) if tag != OUTSIDE and place not in inside]
