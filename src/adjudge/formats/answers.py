"""What a language model answered: one line per document with the raw text, out of which the JSON is taken.

    {"id": "d1", "output": "Here it is:\\n```json\\n[{\\"name\\": \\"Ada\\"}]\\n```"}

The JSON may stand alone, in a code fence, or in the middle of prose; it is a list of records, one record, or an object
with one list of records. An output that is JSON already (not a string) is taken as it is. An answer without JSON counts
as an empty list, and a note says how many there were and which: nothing is repaired in silence.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from adjudge.errors import Problem, ValidationError
from adjudge.findings import raise_problems
from adjudge.formats.jsonl import read_documents
from adjudge.formats.source import Source, source_name
from adjudge.model.document import Corpus, CorpusNote, Document

FIELDS = ("output", "records")
_FENCE = re.compile(r"```[ \t]*\w*[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_OPEN = re.compile(r"[\[{]")
_EXAMPLES = 10
_STARTS = 1000  # places at which JSON is looked for in one answer


class Found(NamedTuple):
    """The records of an answer, and what is wrong with it if there are none to be had."""

    records: list[Any]
    wrong: str | None = None


def read_answers(source: Source, *, name: str | None = None) -> Corpus:
    """Answers as documents with `records`; what cannot be read counts as none, with a note.

    >>> corpus = read_answers(b'{"id": "a", "output": "[{\\\\"x\\\\": 1}]"}\\n{"id": "b", "output": "I do not know."}')
    >>> [document.data["records"] for document in corpus.documents], corpus.notes[0].count
    ([[{'x': 1}], []], 1)
    """
    return _read(source, name, strict=False)


def read_answers_strictly(source: Source, *, name: str | None = None) -> Corpus:
    """The same; an answer that cannot be read is an error."""
    return _read(source, name, strict=True)


def _read(source: Source, name: str | None, *, strict: bool) -> Corpus:
    place = name or source_name(source)
    digest = hashlib.sha256()
    documents: list[Document] = []
    problems: list[Problem] = []
    wrong: dict[str, str] = {}
    for raw in read_documents(source, name=place, digest=digest):
        field = next((each for each in FIELDS if each in raw.data), None)
        if field is None:
            hint = "put the answer under output, or its records under records"
            problems.append(Problem("the document has no output", path=place, line=raw.line, hint=hint))
            continue
        found = find_records(raw.data[field])
        if found.wrong is not None:
            wrong[raw.id] = found.wrong
            if strict:
                hint = "ask again, or use the reader answers, which counts it as empty"
                problems.append(Problem(f"{field}: {found.wrong}", path=place, line=raw.line, hint=hint))
        documents.append(Document(id=raw.id, data={"id": raw.id, "records": found.records}, line=raw.line))
    raise_problems(problems, place, ValidationError)
    return Corpus(path=place, documents=tuple(documents), digest=digest.hexdigest(), notes=tuple(_notes(wrong)))


def _notes(wrong: dict[str, str]) -> Iterator[CorpusNote]:
    for reason in dict.fromkeys(wrong.values()):
        ids = [identifier for identifier, why in wrong.items() if why == reason]
        answers = "1 answer" if len(ids) == 1 else f"{len(ids)} answers"
        message = f"{answers} cannot be used ({reason}) and count{'s' if len(ids) == 1 else ''} as empty"
        yield CorpusNote("malformed-answer", len(ids), message, tuple(ids[:_EXAMPLES]))


def find_records(output: Any) -> Found:
    """The records of an output.

    >>> find_records('The answer is {"people": [{"name": "Ada"}]}.')
    Found(records=[{'name': 'Ada'}], wrong=None)
    >>> find_records('[{"name": "Ada",}]').wrong
    'there is no well-formed JSON in it'
    """
    if not isinstance(output, str):
        return _records(output)
    if not output.strip():
        return Found([], "it is empty")
    for text in (output, *_FENCE.findall(output)):
        try:
            return _records(json.loads(text))
        except (ValueError, RecursionError):
            continue
    decoder = json.JSONDecoder()
    at, tried = 0, 0
    while (opened := _OPEN.search(output, at)) and tried < _STARTS:
        try:
            value, _ = decoder.raw_decode(output, opened.start())
        except (ValueError, RecursionError):
            at, tried = opened.end(), tried + 1
            continue
        # A word in brackets, as in "see [1]", is no answer.
        if isinstance(value, dict) or any(isinstance(each, dict) for each in value):
            return _records(value)
        at = opened.end()
    return Found([], "there is no well-formed JSON in it")


def _records(value: Any) -> Found:
    if value is None:
        return Found([], "it is null")
    if isinstance(value, dict):
        lists = [inner for inner in value.values() if isinstance(inner, list)]
        if len(value) == 1 and lists and all(isinstance(each, dict) for each in lists[0]):
            return Found(lists[0])
        return Found([value])
    if isinstance(value, list):
        return Found([each if isinstance(each, dict) else {"value": each} for each in value])
    return Found([], "it is neither a list nor an object")
