"""Which documents a source in memory has, and their ids: mappings, lists, tables, datasets, single documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import msgspec

from adjudge.formats.coerce.corpus import (
    IDS,
    STARTS,
    TAG_COLUMNS,
    TOKEN_COLUMNS,
    WHOLE,
    Declared,
    Notes,
    Table,
    are_cells,
    fields_of,
    first_of,
    is_list,
    origin,
    plain,
    with_lists,
    wrong,
)
from adjudge.formats.coerce.relations import OBJECTS, SUBJECTS


class Raw(msgspec.Struct, frozen=True):
    """A document as it was given; the id is that of a mapping, a field or a column, if there is one."""

    id: str | None
    value: Any


class Loaded(msgspec.Struct, frozen=True):
    """The documents of a source; `one` if the source was itself one document."""

    documents: list[Raw]
    one: bool = False


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
    made = [{str(name): plain(row.get(name)) for name in columns} for row in rows]
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
        own = found.setdefault(str(row[column]), [])
        if rest:  # a row without anything else says that nothing is in the document
            own.append(rest)
    return found


def table_documents(table: Table, declared: Declared, kind: str) -> list[Raw]:
    """The documents of a table: rows of tags, of items, of whole documents or of records, as its columns say."""
    if kind != "record":  # whose cells are compared as they are written
        table = with_lists(table, declared)
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
    if kind in ("ner", "relation", "linking", "coref") and (
        _are_rows(documents, kind) or are_cells(documents, declared)
    ):
        columns = dict.fromkeys(name for each in documents for name in each)
        return Loaded(table_documents(_table(list(columns), documents), declared, kind))
    if declared.column is not None:
        check_column((name for each in documents for name in fields_of(each) or ()), declared)
    return Loaded([Raw(own_id(each, declared), each) for each in documents])


def _are_rows(documents: Sequence[Any], kind: str) -> bool:
    """Whether these are rows of items, and no documents."""
    if not documents or not all(isinstance(each, Mapping) for each in documents):
        return False
    if any(isinstance(value, list | tuple | dict) for each in documents for value in each.values()):
        return False
    if kind == "ner" and any(all(_is_row_of_tag(each, name) for each in documents) for name in TAG_COLUMNS):
        return True
    if kind == "relation":
        return all(isinstance(first_of(each, names), str) for each in documents for names in (SUBJECTS, OBJECTS))
    starts = [name for name in STARTS if name in documents[0]]
    return any(isinstance(plain(each.get(name)), int | float) for each in documents for name in starts) and all(
        any(name in each for name in starts) for each in documents
    )


def _is_row_of_tag(row: Mapping[str, Any], name: str) -> bool:
    from adjudge.formats.coerce.tags import is_tag

    tag = row.get(name)
    return isinstance(tag, str) and is_tag(tag) and any(token in row for token in TOKEN_COLUMNS)


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
