"""What the shapes of all families share: what is said of a side, notes, values as plain ones, names of fields."""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Set
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec

from adjudge.errors import FormatError, Problem, numbered
from adjudge.model.document import CorpusNote

IDS = (
    *("id", "doc_id", "doc", "doc_key", "document_id", "sent_id", "sentence_id", "title"),
    *("_input_hash", "task_id", "pmid"),
)
STARTS = ("start", "begin", "start_offset", "start_char", "start_pos")
ENDS = ("end", "stop", "end_offset", "end_char", "end_pos")
LABELS = ("label", "type", "entity_group", "entity_type", "category", "tag")
LINKS = ("entity", "kb_id", "wikidata_id", "identifier", "kb", "link")
TAG_COLUMNS = ("tag", "ner_tag", "ner_tags", "tags", "label", "labels", "ner")
ITEMS = ("entities", "spans", "label", "labels", "annotations", "ents", "mentions", "predictions")
TAGS = ("tags", "ner_tags", "labels", "ner")
TOKEN_COLUMNS = ("token", "word", "tokens", "words", "text", "form")
UNITS = {"token": "tokens", "char": "characters"}
"""What offsets count, as options and messages call it."""
WHOLE = "whole corpus"
"""What `document` says if a source is all documents as one."""
_EXAMPLES = 10
_PLAIN = frozenset((str, int, bool, type(None), list, tuple, dict))


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """What the caller says of a side, by the words of the options."""

    side: str = "gold"
    kind: str = "ner"
    ends: str | None = None
    unit: str | None = None
    base: int | None = None
    scheme: str | None = None
    labels: tuple[str, ...] | None = None
    locate: str = "next"
    field: str | None = None
    fields: Mapping[str, str] = {}
    id: str | None = None
    column: str | None = None
    format: str | None = None
    annotator: Any = None
    shape: str | None = None
    offsets: str | None = None
    fragments: str = "join"
    documents: tuple[str, ...] | None = None
    document: str | None = None
    used: set[str] = msgspec.field(default_factory=set)

    def take(self, name: str) -> Any:
        """What was said, which is then known to mean something here."""
        self.used.add(name)
        return getattr(self, name)

    def predicted(self, name: str) -> tuple[str, str]:
        """The fields that may have something, the one of this side first: the output of systems often keeps gold."""
        own = f"predicted_{name}"
        return (name, own) if self.side == "gold" else (own, name)

    def chosen(self, fields: Mapping[str, Any], usual: str) -> str:
        """The field or column that was named, if it is there, else the usual one."""
        for name in ("field", "column"):
            if getattr(self, name) is not None and getattr(self, name) in fields:
                return str(self.take(name))
        return usual


class Notes:
    """What should be said of a side: how often, and where first."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str, list[str]]] = {}

    def add(self, code: str, message: str, where: str | None = None, *, count: int = 1) -> None:
        """Count something; in the message of the first, `{n}` or `{n:span|spans}` is the number of all."""
        number, text, places = self._found.get(code, (0, message, []))
        if where is not None and len(places) < _EXAMPLES and where not in places:
            places.append(where)
        self._found[code] = (number + count, text, places)

    def count(self, code: str) -> int:
        """How often something was counted."""
        return self._found[code][0] if code in self._found else 0

    def made(self) -> tuple[CorpusNote, ...]:
        """The notes."""
        return tuple(
            CorpusNote(code, number, numbered(text, n=number), tuple(places))
            for code, (number, text, places) in self._found.items()
        )


class Facts(msgspec.Struct, frozen=True):
    """What a document says: relations between spans, triples of texts, or events; each as plain values."""

    relations: list[dict[str, Any]] | None = None
    triples: list[dict[str, Any]] | None = None
    events: list[dict[str, Any]] | None = None
    fixed: bool = False
    text: str | None = None
    joined: int = 0  # mentions of several fragments


class Table(NamedTuple):
    """Rows by the names of their columns."""

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]


def wrong(side: str, message: str, hint: str | None = None) -> FormatError:
    """An error that names the side, and says what helps."""
    return FormatError([Problem(f"{side}{message}{f'; {hint}' if hint else ''}")])


# ---------------------------------------------------------------------------------------------------------------------
# Values


def origin(value: Any) -> str:
    """The package that the type of a value comes from.

    >>> origin(math.pi), origin(Notes())
    ('builtins', 'adjudge')
    """
    return type(value).__module__.partition(".")[0]


def plain(value: Any) -> Any:
    """Scalars and arrays of numpy as those of Python; what is not a number, as nothing.

    >>> plain(float("nan")) is None, plain(3)
    (True, 3)
    """
    if type(value) in _PLAIN or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if origin(value) in ("numpy", "pandas"):
        if type(value).__name__ in ("NAType", "NaTType"):
            return None
        return plain(value.tolist()) if hasattr(value, "tolist") else value
    return value


def fields_of(value: Any) -> Mapping[str, Any] | None:
    """The fields of a mapping or of an object of a class; None if it has none.

    >>> fields_of(Table(("a",), []))
    {'columns': ('a',), 'rows': []}
    """
    if type(value) is list:
        return None
    if isinstance(value, Mapping):
        return value
    if hasattr(value, "model_dump"):
        return dict(value.model_dump())
    if isinstance(value, SimpleNamespace):
        return vars(value)
    for names in ("__dataclass_fields__", "__struct_fields__", "_fields"):
        found = getattr(type(value), names, None)
        if found is not None:
            return {name: getattr(value, name) for name in found}
    attributes = getattr(type(value), "__attrs_attrs__", None)
    if attributes is not None:
        return {each.name: getattr(value, each.name) for each in attributes}
    return None


def first_of(fields: Mapping[str, Any], names: Iterable[str]) -> Any:
    """The value of the first of these names that there is; None if there is none."""
    return next((fields[name] for name in names if name in fields and fields[name] is not None), None)


def is_list(value: Any) -> bool:
    """Whether a value is a list of something, and no text, mapping or object with fields."""
    if type(value) is list:
        return True
    if isinstance(value, list | tuple):
        return not hasattr(value, "_fields")
    return isinstance(value, Set) or (origin(value) == "numpy" and getattr(value, "ndim", 0) > 0)


# ---------------------------------------------------------------------------------------------------------------------
# Texts: where one has a mention, and where its words begin and end


_WORD = re.compile(r"\w")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "`": "'"})


def cuts_word(text: str, start: int, end: int) -> bool:
    """Whether a span begins or ends inside a word.

    >>> cuts_word("Ada Lovelace", 0, 3), cuts_word("Ada Lovelace", 0, 2)
    (False, True)
    """
    return any(0 < at < len(text) and _WORD.match(text[at - 1]) and _WORD.match(text[at]) for at in (start, end))


def occurrences(text: str, mention: str) -> list[tuple[int, int]]:
    """Where a text has a mention, on the boundaries of words."""
    found = []
    at = text.find(mention) if mention else -1
    while at >= 0:
        end = at + len(mention)
        if not cuts_word(text, at, end):
            found.append((at, end))
        at = text.find(mention, at + 1)
    return found


def folded_occurrences(text: str, mention: str) -> list[tuple[int, int]]:
    """The same without differences of case, spacing, Unicode form and quotation marks."""
    characters, places = _folded(text)
    spots = occurrences(characters, " ".join(fold(mention).split()))
    return [(places[start], places[end - 1] + 1) for start, end in spots]


def same_span(text: str, start: int, end: int, other: str) -> tuple[int, int] | None:
    """Where a span of one text is in another, if they differ in nothing else.

    >>> same_span("Bo met \u201cbo\u201d", 8, 10, 'Bo  met "Bo"'), same_span("Bo met Bo", 7, 9, "Bo left Bo")
    ((9, 11), None)
    """
    own, places = _folded(text)
    theirs, found = _folded(other)
    first, last = bisect_left(places, start), bisect_left(places, end) - 1
    if own.rstrip() != theirs.rstrip() or not first <= last < len(theirs):
        return None
    return found[first], found[last] + 1


def _folded(text: str) -> tuple[str, list[int]]:
    """A text without such differences, and the place of each of its characters."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for each in fold(character) if not character.isspace() else " ":
            if each == " " and (not characters or characters[-1] == " "):
                continue
            characters.append(each)
            places.append(place)
    return "".join(characters), places


def fold(text: str) -> str:
    """A text without differences that nobody means."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_QUOTES)


# ---------------------------------------------------------------------------------------------------------------------
# Cells: lists that stand in a table as text: as JSON, as Python writes them, or as numpy writes arrays


_FIELDS = frozenset(
    (*TAG_COLUMNS, *ITEMS, "token", "tokens", "words", "relations", "triples", "events", "clusters", "heads", "deprels")
)
_CELL = re.compile(r"\s*(?:\[.*\]|\(.*\))\s*", re.DOTALL)
_VALUE = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\d+)"""
_ARRAY = rf"(?s)\[\s*{_VALUE}(?:\s+{_VALUE})+\s*\]"
_SHOWN = 40  # characters of a cell that is no list


def is_cell(name: str, value: Any) -> bool:
    """Whether a cell has a list in a field that usually is one.

    >>> is_cell("tags", "['O']"), is_cell("text", "[1]"), is_cell("label", "PER")
    (True, False, False)
    """
    return isinstance(value, str) and name in _FIELDS and _CELL.fullmatch(value) is not None


def are_cells(documents: Iterable[Any], declared: Declared) -> bool:
    """Whether documents have lists as texts: the first that has anything where lists usually stand says so."""
    known = _FIELDS | {declared.field, declared.column}
    for each in documents:
        if not isinstance(each, Mapping):
            return False
        found = [value for name, value in each.items() if name in known and plain(value) is not None]
        if found:
            return any(isinstance(value, str) and _CELL.fullmatch(value) for value in found)
    return False


def with_lists(table: Table, declared: Declared) -> Table:
    """The table with lists in place of the texts that stand for them; one that cannot be read is an error."""
    if not set(STARTS).isdisjoint(table.columns):  # rows of items
        return table
    known = _FIELDS | {declared.field, declared.column}
    rows = [dict(row) for row in table.rows]
    for name in (each for each in table.columns if each in known):
        texts = [row for row in rows if row[name] is not None]
        if not texts or not isinstance(texts[0][name], str) or not _CELL.fullmatch(texts[0][name]):
            continue
        for row in texts:
            found = row[name] if not isinstance(row[name], str) else list_in(row[name])
            if found is None:
                key = next((row[each] for each in (declared.id, "id") if each in row), rows.index(row) + 1)
                shown = row[name] if len(row[name]) <= _SHOWN else f"{row[name][:_SHOWN]}..."
                message = f", document {str(key)!r}: {shown!r} in the column {name} is not a list"
                raise wrong(declared.side, message, "write all of them as JSON")
            row[name] = found
    return Table(table.columns, rows)


def list_in(text: str) -> list[Any] | None:
    r"""The list that a text stands for; None if it is none.

    >>> list_in('["B-PER", "O"]'), list_in("['B-PER', 'O']"), list_in("['B-PER' 'O'\n 'O']"), list_in("[1 2]")
    (['B-PER', 'O'], ['B-PER', 'O'], ['B-PER', 'O', 'O'], [1, 2])
    >>> list_in("('O',)"), list_in("[]"), list_in("[O]")
    (['O'], [], None)
    """
    text = text.strip()
    try:
        value = msgspec.json.decode(text)
        return value if isinstance(value, list) else None
    except (msgspec.DecodeError, RecursionError):
        pass
    import ast

    try:
        if re.fullmatch(_ARRAY, text):  # numpy writes no commas, and Python would join what stands side by side
            return [ast.literal_eval(each) for each in re.findall(_VALUE, text)]
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return list(found) if isinstance(found, list | tuple) else None
