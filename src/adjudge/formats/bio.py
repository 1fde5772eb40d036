"""Columns of tokens and tags: one token per line, an empty line after each sentence, the tag in the last column.

    U.N.       NNP  I-NP  I-ORG
    official   NN   I-NP  O

Columns are separated by blanks or TABs. A line whose first column is `-DOCSTART-` begins a document; without such
lines each sentence is a document. Offsets are tokens of the document, counted from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from adjudge.errors import FormatError, Problem
from adjudge.findings import raise_problems
from adjudge.formats.coerce.corpus import Notes
from adjudge.formats.coerce.tags import note_tokens
from adjudge.formats.source import Source, read_text, reads
from adjudge.model.document import Corpus, Document
from adjudge.model.tags import (
    OUTSIDE,
    SCHEMES,
    Chunk,
    Steps,
    Turns,
    decode_strict,
    decode_tags,
    lenient,
    outside_of,
    split_tag,
)

DOCUMENT = "-DOCSTART-"
BOUNDARY = "-X-"

_LABEL = re.compile(r"('[^\W_][\w.]+') is not a tag")
_BLANKS = re.compile(r"[ \t\r]+")


class Sentence(NamedTuple):
    """The tags of a sentence, its first line, and the number of its document, counted from 1 (0 without documents).

    `words` has its tokens, one per line.
    """

    line: int
    tags: list[str]
    document: int
    words: str


class Columns(NamedTuple):
    """A file of tags; `starts` is the number of lines that begin a document."""

    place: str
    digest: str
    sentences: list[Sentence]
    starts: int


@reads("columns of tokens and tags", "columns", "conll", "conllu", "tsv", reader_option=True)
def read_columns(source: Source, *, column: int = -1, name: str | None = None, prefixes: str = "") -> Columns:
    """The tags of a file, from one of its columns (-1 is the last); a line without one is a problem.

    >>> read_columns(b"EU B-ORG\\nrejects O\\n").sentences
    [Sentence(line=1, tags=['B-ORG', 'O'], document=0, words='EU\\nrejects')]
    """
    whole, text = read_text(source, name=name)
    sentences: list[Sentence] = []
    problems: list[Problem] = []
    known: set[str] = set()
    tags: list[str] = []
    words: list[str] = []
    width = wide = begun = starts = 0  # the number of columns, and the line that has it first
    for number, line in enumerate([*text.split("\n"), ""], 1):
        parts = line.split() if line.isascii() else _BLANKS.split(line.strip(" \t\r"))
        if not parts or parts[0] in ("", BOUNDARY, DOCUMENT):
            if tags:
                sentences.append(Sentence(begun, tags, starts, "\n".join(words)))
                tags, words = [], []
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
        words.append(parts[0])
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
    """The entities of a file, leniently: every run of tags of one type is an entity, as in conlleval.

    >>> read_bio(b"U.N. I-ORG\\nofficial O\\n").documents[0].data["entities"]
    [{'span': {'start': 0, 'end': 1}, 'type': 'ORG'}]
    """
    try:
        columns = read_columns(source, name=name, column=column)
    except FormatError as error:
        raise FormatError([_bare(each) for each in error.problems]) from None
    steps = Steps(lenient)
    return _corpus(columns, [decode_tags(sentence.tags, steps) for sentence in columns.sentences])


def _bare(problem: Problem) -> Problem:
    """The problem of a label without a prefix, with the option that reads it as its remedy."""
    found = _LABEL.fullmatch(problem.message)
    if found is None:
        return problem
    hint = 'say scheme="IO" if each run of a label is one entity'
    return replace(problem, message=f"{found[1]} has no B- or I- prefix", hint=hint)


def read_words(source: Source, *, name: str | None = None) -> dict[str, list[str]]:
    """The words of every document, which are the first column.

    >>> read_words(b"EU B-ORG\\nrejects O\\n")
    {'sentence-1': ['EU', 'rejects']}
    """
    return {
        identifier: [word for sentence in sentences for word in sentence.words.split("\n")]
        for identifier, sentences in grouped(read_columns(source, name=name))
    }


def read_both_gold(source: Source, *, name: str | None = None) -> Corpus:
    """The entities of the last column but one: the gold side of a file that has both."""
    return read_bio(source, name=name, column=-2)


def read_strict(source: Source, *, name: str | None = None, scheme: str, gold: bool = False) -> Corpus:
    """The entities that a scheme allows; in gold all tags must belong to one, a system's other tags are ignored.

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
    """Entities as in documents; equal ones are one object, which saves most of the work."""

    def __missing__(self, chunk: Chunk) -> dict[str, Any]:
        kind, start, end = chunk
        found = self[chunk] = {"span": {"start": start, "end": end}, "type": kind}
        return found


def _corpus(columns: Columns, chunks: Sequence[Sequence[Chunk]]) -> Corpus:
    own = iter(chunks)
    mentions = _Mentions()
    documents: list[Document] = []
    # Sentences are in file order, and so are their documents.
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
        line = sentences[0].line if sentences else None
        words = "\n".join([sentence.words for sentence in sentences])
        documents.append(Document(id=identifier, data=data, line=line, words=words))
    return Corpus(path=columns.place, documents=tuple(documents), digest=columns.digest)


def check_sentences(gold: Corpus, system: Corpus) -> Corpus:
    """The system's documents, if they have sentences of the same lengths as gold; a note says where tokens differ.

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
        if "sentences" in left.data and left.data["sentences"] != right.data["sentences"]:
            here, there = right.data["sentences"], left.data["sentences"]
            message = f"{right.id} has {_lengths(here)}, in {gold.path} {_lengths(there)}"
            problems.append(Problem(message, path=path, line=right.line, hint="write a line for every gold token"))
    raise_problems(problems, path or "system")
    notes = Notes()
    for left, right in zip(gold.documents, system.documents, strict=True):
        if left.words != right.words and left.words is not None and right.words is not None:
            note_tokens(left.id, left.words.split("\n"), right.words.split("\n"), "", notes)
    return msgspec.structs.replace(system, notes=(*system.notes, *notes.made()))


def _lengths(sentences: Sequence[int]) -> str:
    tokens = sum(sentences)
    return f"{tokens} token{'s' * (tokens != 1)} in {len(sentences)} sentence{'s' * (len(sentences) != 1)}"
