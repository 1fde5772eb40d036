"""What the shapes of all families share: what is said of a side, notes, values as plain ones, names of fields."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Set
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec

from adjudge.errors import FormatError, Problem
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
_NUMBER = re.compile(r"\{n(?:\|([^|}]+)\|([^|}]+))?\}")
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
        """Count something; in the message of the first, `{n}` or `{n|span|spans}` is the number of all."""
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
            CorpusNote(code, number, _counted(text, number), tuple(places))
            for code, (number, text, places) in self._found.items()
        )


def _counted(text: str, number: int) -> str:
    """A message with its number.

    >>> _counted("{n|span is|spans are} left out", 1), _counted("{n} of 4 spans", 2)
    ('1 span is left out', '2 of 4 spans')
    """
    return _NUMBER.sub(lambda found: f"{number} {found[1 if number == 1 else 2]}" if found[1] else str(number), text)


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
