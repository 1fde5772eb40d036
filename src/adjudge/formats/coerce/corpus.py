"""Which documents a source in memory has, and their ids: mappings, lists, tables, datasets, single documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from importlib import import_module
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec

from adjudge.errors import FormatError, Problem
from adjudge.model.document import CorpusNote

IDS = (
    *("id", "doc_id", "doc", "doc_key", "document_id", "sent_id", "sentence_id", "title"),
    *("_input_hash", "task_id", "pmid"),
)
STARTS = ("start", "begin", "start_offset", "start_char")
ENDS = ("end", "stop", "end_offset", "end_char")
LABELS = ("label", "type", "entity_group", "entity_type", "category", "tag")
LINKS = ("entity", "kb_id", "wikidata_id", "identifier", "kb", "link")
TAG_COLUMNS = ("tag", "ner_tag", "ner_tags", "tags", "label", "labels", "ner")
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
        """Count something; `{n}` in the message of the first is the number of all."""
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
            CorpusNote(code, number, text.replace("{n}", str(number)), tuple(places))
            for code, (number, text, places) in self._found.items()
        )


class Raw(NamedTuple):
    """A document as it was given; the id is that of a mapping, a field or a column, if there is one."""

    id: str | None
    value: Any


class Loaded(NamedTuple):
    """The documents of a source; `one` if the source was itself one document."""

    documents: list[Raw]
    one: bool = False


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

    >>> fields_of(Raw("a", 1))
    {'id': 'a', 'value': 1}
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
# Tables


def as_table(source: Any, side: str) -> Table | None:
    """The rows of a frame, a relation or a dataset of another library; None if it is something else."""
    if isinstance(source, Table):
        return source
    package = origin(source)
    if package == "datasets" and (isinstance(source, Mapping) or hasattr(source.features, "items")):
        return _dataset(source, side)
    if package == "pandas" and hasattr(source, "to_dict") and hasattr(source, "columns"):
        return _table(list(source.columns), source.to_dict("records"))
    if package == "polars":
        frame = source.collect() if hasattr(source, "collect") else source
        return _table(frame.columns, frame.to_dicts()) if hasattr(frame, "columns") else None
    if package == "pyarrow" and hasattr(source, "to_pylist") and hasattr(source, "column_names"):
        return _table(source.column_names, source.to_pylist())
    if package in ("duckdb", "_duckdb") and hasattr(source, "fetchall"):
        columns = list(source.columns)
        return _table(columns, [dict(zip(columns, row, strict=True)) for row in source.fetchall()])
    return None


def _table(columns: Sequence[Any], rows: list[dict[Any, Any]]) -> Table:
    names = [str(column) for column in columns]
    made = [{str(name): plain(value) for name, value in row.items()} for row in rows]
    for name in names:
        values = [row[name] for row in made]
        # A column with gaps becomes one of floats; 36.0 was 36.
        gaps = any(value is None for value in values)
        if gaps and all(value is None or (isinstance(value, float) and value.is_integer()) for value in values):
            for row in made:
                row[name] = None if row[name] is None else int(row[name])
    return Table(tuple(names), made)


def _dataset(source: Any, side: str) -> Table:
    if isinstance(source, Mapping):
        splits = ", ".join(repr(name) for name in source)
        last = list(source)[-1]
        raise wrong(
            side,
            f" is a {type(source).__name__} with the splits {splits}",
            f'pass one of them, for example {side.split()[0]}["{last}"]',
        )
    names = {column: _label_names(feature) for column, feature in source.features.items()}
    rows = [{column: _with_names(value, names[column]) for column, value in row.items()} for row in source]
    return _table(list(source.features), rows)


def _label_names(feature: Any) -> Sequence[str]:
    """The names of the numbers of a column of a dataset; none if it has none."""
    inner = getattr(feature, "feature", feature)
    inner = inner[0] if isinstance(inner, list) else inner
    return getattr(inner, "names", None) or ()


def _with_names(value: Any, names: Sequence[str]) -> Any:
    if is_list(value):
        return [_with_names(each, names) for each in value]
    return names[value] if names and isinstance(value, int) and 0 <= value < len(names) else value


def as_listed(source: Any) -> Any:
    """What can be read once, or is a column or a container of another library, as a list; the rest as it is."""
    if origin(source) == "datasets" and not isinstance(source, Mapping) and not hasattr(source.features, "items"):
        return [_with_names(each, _label_names(source.features)) for each in source]
    if origin(source) == "polars" and hasattr(source, "to_list"):
        return source.to_list()
    if origin(source) == "spacy" and hasattr(source, "get_docs"):
        return list(source.get_docs(import_module("spacy").blank("xx").vocab))
    return list(source) if isinstance(source, Iterator) else source


def id_column(columns: Iterable[str], declared: Declared) -> str | None:
    """The column or field that names the document."""
    names = set(columns)
    if declared.take("id") is not None:
        if declared.id not in names:
            raise wrong(declared.side, f" has no {declared.id!r}", f"it has {', '.join(map(str, columns))}")
        return declared.id
    return next((name for name in IDS if name in names), None)


def check_column(columns: Iterable[str], declared: Declared) -> None:
    """Raise if the column that was named for a side is not there."""
    names = list(dict.fromkeys(map(str, columns)))
    if declared.take("column") is not None and names and declared.column not in names:
        raise wrong(declared.side, f" has no column {declared.column!r}", f"it has {', '.join(names)}")


def _by_document(table: Table, column: str, declared: Declared) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in declared.take("documents") or ()}
    nameless = [number for number, row in enumerate(table.rows, 1) if row[column] is None]
    if nameless:
        some = f"{len(nameless)} of {len(table.rows)} rows have no {column!r} (first: row {nameless[0]})"
        raise wrong(declared.side, f": {some}", "fill them in, or name another column with id=")
    for row in table.rows:
        rest = {name: value for name, value in row.items() if name != column and value is not None}
        found.setdefault(str(row[column]), []).append(rest)
    return found


def table_documents(table: Table, declared: Declared, kind: str) -> list[Raw]:
    """The documents of a table: rows of tags, of items, of whole documents or of records, as its columns say."""
    column = id_column(table.columns, declared)
    check_column(table.columns, declared)
    lists = [name for name in table.columns if any(is_list(row[name]) for row in table.rows)]
    if lists:
        return [Raw(None if column is None else str(row[column]), row) for row in table.rows]
    tags = declared.take("column") or next((name for name in TAG_COLUMNS if name in table.columns), None)
    tokens = next((name for name in TOKEN_COLUMNS if name in table.columns), None)
    spans = any(name in table.columns for name in STARTS)
    if column is None and kind != "record":
        columns = ", ".join(table.columns)
        what = "entity" if spans else "item"
        raise wrong(
            declared.side,
            f": a table with one row per {what} needs a column for the document; its columns are {columns}",
            'name it with id="COLUMN"',
        )
    if column is None:
        return [Raw(None, row) for row in table.rows]
    groups = _by_document(table, column, declared)
    if all(isinstance(row.get("token_id"), int) for row in table.rows):
        groups = {name: sorted(rows, key=lambda row: row["token_id"]) for name, rows in groups.items()}
    if kind == "ner" and not spans and tags is not None:
        return [
            Raw(name, {"tags": [row.get(tags) for row in rows], "tokens": [row.get(tokens or "") for row in rows]})
            for name, rows in groups.items()
        ]
    return [Raw(name, rows) for name, rows in groups.items()]


# ---------------------------------------------------------------------------------------------------------------------
# Corpora


def load(source: Any, declared: Declared, kind: str, is_document: Callable[[Any], bool]) -> Loaded:
    """The documents of a source, with the ids that they have."""
    table = as_table(source, declared.side)
    if declared.document is not None:
        name = "corpus" if declared.take("document") == WHOLE else declared.document
        return Loaded([Raw(name, source if table is None else table.rows)], one=True)
    if table is not None:
        return Loaded(table_documents(table, declared, kind))
    if isinstance(source, str):
        raise wrong(
            declared.side,
            ": a text is always the path of a file",
            "give data as a list of texts, or as io.StringIO(text)",
        )
    if is_document(source):
        return Loaded([Raw(own_id(source, declared), source)], one=True)
    if isinstance(source, Mapping):
        return Loaded([Raw(str(name), value) for name, value in source.items()])
    documents = list(source)
    if kind in ("ner", "relation", "linking", "coref") and _are_rows(documents):
        return Loaded(table_documents(_table(list(documents[0]), documents), declared, kind))
    if declared.column is not None:
        check_column((name for each in documents for name in fields_of(each) or ()), declared)
    return Loaded([Raw(own_id(each, declared), each) for each in documents])


def _are_rows(documents: Sequence[Any]) -> bool:
    """Whether these are rows of items, and no documents."""
    return bool(documents) and all(
        isinstance(each, Mapping)
        and any(isinstance(each.get(name), int) for name in STARTS)
        and not any(isinstance(value, list | tuple | dict) for value in each.values())
        for each in documents
    )


def own_id(value: Any, declared: Declared) -> str | None:
    """The id that a document has itself."""
    fields = fields_of(value)
    if fields is None or origin(value) == "spacy":
        return None
    name = declared.take("id") if declared.id is not None else next((each for each in IDS if each in fields), None)
    found = None if name is None else plain(fields.get(name))
    return None if found is None or isinstance(found, bool | list | dict) else str(found)


def named(loaded: Loaded, notes: Notes, side: str) -> tuple[dict[str, Any], bool]:
    """The documents by id, and whether these were given; without ids, places count from 1."""
    if loaded.one:
        notes.add("one-document", f"{side} was read as one document")
    raws = loaded.documents
    given = bool(raws) and all(each.id is not None for each in raws)
    if given:
        found: dict[str, Any] = {}
        for each in raws:
            if str(each.id) in found:
                raise wrong(side, f": the document {each.id!r} is given twice", "give each document once")
            found[str(each.id)] = each.value
        return found, True
    nameless = sum(each.id is None for each in raws)
    if nameless < len(raws):
        message = f"{side}: {{n}} of {len(raws)} documents have no id, and all are known by position"
        notes.add("ids-missing", message, count=nameless)
    return {str(place): each.value for place, each in enumerate(raws, 1)}, False
