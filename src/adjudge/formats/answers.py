"""Records, and answers of language models with records: one JSON object per line and document.

    {"id": "d1", "records": [{"name": "Ada"}]}
    {"id": "d1", "output": "Here it is:\\n```json\\n[{\\"name\\": \\"Ada\\"}]\\n```"}
    {"id": "d1", "name": "Ada"}

The value is in `records` or `output`, as JSON or as the raw text of an answer (see `answer_text`), or is the object
itself without its id. Unreadable answers count as empty lists of records; notes say how many, which and why.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from adjudge.errors import Problem, ValidationError, did_you_mean
from adjudge.findings import raise_problems
from adjudge.formats.answer_text import NO_JSON, NO_VALUE, Answer, read_answer
from adjudge.formats.jsonl import read_documents
from adjudge.formats.source import Source, source_name
from adjudge.model.document import Corpus, CorpusNote, Document

FIELDS = ("records", "output")
_ANSWERS = ("answer", "completion", "response", "prediction")
_BESIDE = frozenset(("id", "prompt", "question", "input", "model"))
UNREADABLE = "unreadable"
"""The field of a document that says why its answer could not be read."""

_EXAMPLES = 10
_STRICT = ("duplicate-key", "several-values")
_SAID = {
    "reasoning": "{answers} with reasoning, which is left out",
    "json-lines": "{answers} made of objects in a row, read as a list",
    "several-values": "{answers} with several values, of which the last counts",
    "duplicate-key": "{answers} with keys that are given twice ({places}), the last counts",
}
_REPAIRS = {
    "trailing-comma": "commas before a closing bracket",
    "comment": "comments",
    "quotes": "other quotation marks",
    "literal": "literals of Python or JavaScript",
    "bare-key": "keys without quotation marks",
    "missing-comma": "missing commas",
    "control-character": "raw line breaks and control characters in texts",
    "escape": "unknown escapes in texts",
    "nan": "NaN and Infinity, read as null",
    "number-form": "forms of numbers such as .5",
    "encoded": "JSON inside of a text",
    "truncated": "missing ends",
}


def read_answers(
    source: Source, *, name: str | None = None, field: str | None = None, repair: bool = False, strict: bool = False
) -> Corpus:
    """Answers as documents with `records`; unreadable ones are empty, with a note, or errors if `strict`.

    `field` has the value, if it is not in the usual place. `repair` also reads what is nearly JSON.

    >>> corpus = read_answers(b'{"id": "a", "output": "[{\\\\"x\\\\": 1}]"}\\n{"id": "b", "output": "I do not know."}')
    >>> [document.data["records"] for document in corpus.documents], corpus.notes[0].message
    ([[{'x': 1}], []], '1 answer cannot be read (there is no JSON in it)')
    """
    place = name or source_name(source)
    digest = hashlib.sha256()
    documents: list[Document] = []
    problems: list[Problem] = []
    notes = AnswerNotes()
    raws = list(read_documents(source, name=place, digest=digest))
    field = field or answer_field(raw.data for raw in raws)
    for raw in raws:
        if field is None and type(raw.data.get("records")) in (dict, list):
            documents.append(raw)
            continue
        key = key_of(raw.data, field)
        if key is not None and key not in raw.data:
            names = [each for each in raw.data if each != "id"]
            hint = did_you_mean(key, names) or f"its fields are {', '.join(names) or 'none'}"
            problems.append(Problem(f"the document has no field {key!r}", path=place, line=raw.line, hint=hint))
            continue
        given = {each: value for each, value in raw.data.items() if each != "id"} if key is None else raw.data[key]
        answer = answer_of(given, repair=repair)
        notes.add(raw.id, answer)
        if strict:
            problems += [
                Problem(f"{key or 'the answer'}: {why}", path=place, line=raw.line, hint=hint)
                for why, hint in objections(answer)
            ]
        documents.append(Document(id=raw.id, data=document_of(raw.data, key, answer), line=raw.line))
    raise_problems(problems, place, ValidationError)
    found = tuple(notes.found(repair=repair))
    return Corpus(path=place, documents=tuple(documents), digest=digest.hexdigest(), notes=found)


def answered(raws: Iterable[Document], place: str, digest: str, *, repair: bool = False) -> Corpus:
    """Documents whose `output` is the text of an answer, as documents with `records`."""
    notes = AnswerNotes()
    documents: list[Document] = []
    for raw in raws:
        answer = answer_of(raw.data["output"], repair=repair)
        notes.add(raw.id, answer)
        documents.append(Document(id=raw.id, data=document_of(raw.data, "output", answer), line=raw.line))
    return Corpus(path=place, documents=tuple(documents), digest=digest, notes=tuple(notes.found(repair=repair)))


def read_answers_strictly(
    source: Source, *, name: str | None = None, field: str | None = None, repair: bool = False
) -> Corpus:
    """The same; an answer that cannot be read, or only by a choice between values, is an error."""
    return read_answers(source, name=name, field=field, repair=repair, strict=True)


def key_of(data: Mapping[str, Any], field: str | None = None) -> str | None:
    """The field with the value of a document; None if the document is the value."""
    return field or next((each for each in FIELDS if each in data), None)


def answer_field(documents: Iterable[Any]) -> str | None:
    """The field in which documents have nothing but raw answers, under another name than `output`; None if none has.

    >>> answer_field([{"id": 1, "response": "[]"}, {"id": 2, "response": "I do not know."}])
    'response'
    >>> answer_field([{"id": 1, "answer": "yes"}]), answer_field([{"answer": "{}", "source": "a"}])
    (None, None)
    """
    found: set[str] = set()
    data = False
    for each in documents:
        names = each.keys() - _BESIDE if isinstance(each, Mapping) else ()
        texts = [name for name in names if name in _ANSWERS and isinstance(each[name], str)]
        if len(names) != 1 or not texts:
            return None
        found.update(texts)
        data |= bool(set("{[") & set(each[texts[0]]))
    return found.pop() if len(found) == 1 and data else None


def document_of(data: Mapping[str, Any], key: str | None, answer: Answer) -> dict[str, Any]:
    """A document with its records and its other fields, which slices may use."""
    found = {each: value for each, value in data.items() if each != key and (key is not None or each == "id")}
    found["records"] = [] if answer.failed else answer.value
    if answer.failed:
        found[UNREADABLE] = answer.failed
    return found


def answer_of(given: Any, *, repair: bool = False) -> Answer:
    """The value of an answer that is a text or already JSON.

    >>> answer_of([1]).value, answer_of(None).failed, answer_of("[1").failed
    ([1], 'it is null', 'truncated JSON')
    """
    if isinstance(given, str):
        return read_answer(given, repair=repair)
    if isinstance(given, dict | list):
        return Answer(given)
    return Answer(failed="it is null" if given is None else NO_VALUE)


def objections(answer: Answer) -> Iterator[tuple[str, str]]:
    """Problems of an answer if nothing may be guessed, with remedies."""
    if answer.failed is not None:
        yield answer.failed, "ask again, or use the reader answers, which counts it as empty"
    for code in _STRICT:
        if answer.notes[code]:
            message = _SAID[code].format(answers="1 answer", places=_places(answer.notes[code]))
            yield message, "ask again, or use the reader answers, which takes the last"


class AnswerNotes:
    """Counts what happened to the answers of a system."""

    def __init__(self) -> None:
        self._failed: dict[str, list[str]] = {}
        self._repairable: Counter[str] = Counter()
        self._ids: dict[str, list[str]] = {}
        self._places: Counter[str] = Counter()

    def add(self, name: str, answer: Answer) -> None:
        """Count the answer of one document."""
        if answer.failed is not None:
            self._failed.setdefault(answer.failed, []).append(name)
            self._repairable[answer.failed] += answer.notes["repairable"] > 0
        for code, count in answer.notes.items():
            if count and code != "repairable":
                self._ids.setdefault(code, []).append(name)
                self._places[code] += count

    def found(self, *, repair: bool) -> Iterator[CorpusNote]:
        """The notes, failed answers first."""
        for reason, ids in self._failed.items():
            message = f"{_answers(len(ids))} cannot be read ({reason})"
            if not repair and self._repairable[reason]:
                message += f"; the option repair would read {self._repairable[reason]} of them"
            code = "no-json" if reason == NO_JSON else "malformed-answer"
            yield CorpusNote(code, len(ids), message, tuple(ids[:_EXAMPLES]))
        for code, ids in self._ids.items():
            answers, places = _answers(len(ids)), _places(self._places[code])
            if code.startswith("repair:"):
                message = f"repaired: {_REPAIRS[code.removeprefix('repair:')]} ({answers}, {places})"
            else:
                message = _SAID[code].format(answers=answers, places=places)
            yield CorpusNote(code, len(ids), message, tuple(ids[:_EXAMPLES]))


def _answers(count: int) -> str:
    return "1 answer" if count == 1 else f"{count} answers"


def _places(count: int) -> str:
    return "1 place" if count == 1 else f"{count} places"
