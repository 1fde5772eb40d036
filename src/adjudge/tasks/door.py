"""The inputs of `score` as sides: files as they are, and data in memory as documents."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.evaluate.sides import is_file, name_systems
from adjudge.evaluate.task import Side
from adjudge.formats.coerce.answers import chat_answer
from adjudge.formats.coerce.corpus import UNITS, Declared, Table, origin
from adjudge.formats.coerce.native import NATIVE, is_native
from adjudge.formats.coerce.side import Reading
from adjudge.formats.coerce.sides import FAMILIES, Said, both_sides, called
from adjudge.formats.coerce.spans import UnevenPlace, items_of
from adjudge.formats.coerce.tables import as_listed, as_table, id_column, own_id, table_documents
from adjudge.formats.exported import Values, understood
from adjudge.formats.source import source_name
from adjudge.model.document import Corpus, CorpusNote
from adjudge.tasks.conventions import loaded, mapped, refuse_unused
from adjudge.tasks.documents import are_files, digest_of, is_read, looks_like_answer, looks_like_data, read_side
from adjudge.tasks.family import COERCED, JSONL, find_family, reads

if TYPE_CHECKING:
    from adjudge.tasks.observe import AnyMetric

# The fields of documents that are built from other shapes.
_WITHIN = {
    "ner": ("entities", "mentions"),
    "linking": ("mentions",),
    "relation": ("relations", "triples"),
    "event": ("events",),
    "tree": ("dependencies",),
    "amr": ("amr",),
    "coref": ("clusters",),
    "record": ("records",),
}

_LISTS = ("tokens", "words", "tags", "labels")  # fields that are lists
_ANSWERED = ("ner", "linking", "relation", "event", "tree", "amr", "coref")  # whose documents are not strings


def family_of(metrics: Sequence[AnyMetric]) -> str | None:
    """The family of the metrics, if they are from the catalogue and the family's inputs are coerced.

    >>> from adjudge.tasks.chosen import as_metrics
    >>> family_of(as_metrics("ner.strict, ner.exact")), family_of(as_metrics("template.ceaf-rme"))
    ('ner', None)
    """
    members = [member for each in metrics for member in each.members]
    kinds = {member.name.partition(".")[0] for member in members if member.origin is not None}
    kind = kinds.pop() if len(kinds) == 1 else ""
    own = all(member.document is None and member.within in _WITHIN.get(kind, ()) for member in members)
    return kind if own and members else None


def formatted(metrics: Sequence[AnyMetric], gold: Any, system: Any) -> tuple[Any, Any]:
    """Both sides; for relation metrics, documents in memory in a known format are read as its files are."""
    members = [member for each in metrics for member in each.members]
    if not members or any(each.origin is None or not each.name.startswith("relation.") for each in members):
        return gold, system
    return _read_lines("relation", gold, "gold"), _read_lines("relation", system, "system")


def opened(
    kind: str | None,
    gold: Any,
    system: Any,
    options: Mapping[str, Any],
    readers: tuple[str, str | None] = (JSONL, None),
) -> tuple[Any, Any]:
    """Gold and systems for the engine; `options` state what shapes do not show, `readers` say how files are read."""
    if kind is None:
        if options:
            raise UsageError(f"{next(iter(options))} does not apply to these metrics")
        return gold, system
    said = Said({name: value for name, value in options.items() if value is not None})
    if kind == "coref" and said.get("shape") == "mapping" and isinstance(system, Mapping):
        from adjudge.formats.coerce.structures import is_chain_map

        system = {"system": system} if is_chain_map(gold) and is_chain_map(system) else system
    alone = isinstance(system, tuple) and not system  # one side is read, and the options may be for the other
    if kind in FAMILIES and (said or not {*COERCED, JSONL}.isdisjoint(readers)):
        gold, system = loaded(kind, gold, system, readers, said)
    if not are_files(gold, system):
        gold, system = _entered(kind, gold, system, said, readers)
    if said.get("map"):
        gold, system = mapped(kind, gold, system, readers, said)
    if said and not alone:
        refuse_unused(said, _shapes(gold, system, readers))
    return gold, system


def _shapes(gold: Any, system: Any, readers: tuple[str, str | None]) -> str:
    """The inputs in words: the formats of files, or documents in memory."""
    several = system.values() if isinstance(system, Mapping) else [system]
    sources = (gold, *several)
    files = [is_read(each) and not (isinstance(each, Side) and not each.path) for each in sources]
    names = dict.fromkeys(name or readers[0] for name in readers)
    return f"files that are read as {' and '.join(names)}" if any(files) else "documents of this shape"


def _entered(kind: str, gold: Any, system: Any, options: Said, readers: tuple[str, str | None]) -> tuple[Any, Any]:
    """The sides of a task; the values of files and data in memory become documents."""
    gold, system = _listed(gold), _listed(system)
    gold, system = _read_lines(kind, gold, "gold"), _read_lines(kind, system, "system")
    if system is None:
        options.used.update(("gold_column", "system_column"))
        found = _columns(gold, options, readers[0]) if kind == "record" else both_sides(kind, _values(gold), options)
        if found is None:
            raise UsageError("there is no system", hint="give it after gold, or a source that has both")
        gold, system = found if not isinstance(gold, Values) else (gold, found[1])
    if kind == "record":
        gold, system = _one_record(gold, system)
        tables = isinstance(system, dict) and any(as_table(each, name) for name, each in system.items())
        records = {name: _records(each) for name, each in system.items()} if tables else _records(system)
        return _records(gold), records
    if kind in _ANSWERED and not (isinstance(system, Mapping) and _is_one(kind, system)):
        system = _answers(system)
    if isinstance(system, Mapping) and is_file(gold) and not any(map(_is_loaded, system.values())):
        gold = read_side(gold, "gold", reads(*readers, kind)[0])  # its ids tell documents from systems
    several = _named(kind, gold, system)
    open_sides = {name: source for name, source in several.items() if not is_read(source)}
    if is_read(gold) and not open_sides:
        return gold, system
    exported = any(isinstance(source, Values) for source in (gold, *several.values()))
    if not exported:
        unread = [source for source in (gold, *several.values()) if not is_read(source)]
        if not all(map(_has_documents, unread)) or (not options and all(is_native(kind, each) for each in unread)):
            return gold, system
    side = read_side(gold, "gold", reads(*readers, kind)[0]) if is_read(gold) else None
    given = gold if side is None else {name: each.data for name, each in side.documents.items()}
    mine, theirs = understood(kind, given, open_sides, options)
    found_systems = {
        name: _side(name, theirs[name], source) if name in theirs else source for name, source in several.items()
    }
    files = len(open_sides) < len(several)
    if side is not None or files:
        ours = FILE if side is not None else mine.unit
        units = {name: theirs[name].unit if name in theirs else FILE for name in several}
        _check_units(ours, units, readers, several)
    if side is not None:
        return side, found_systems
    # Documents in the order of a file are paired with its documents once it is read.
    numbered = mine.ids == "position" and files
    for name in theirs:
        found_systems[name] = replace(found_systems[name], paired_by_place=numbered)
    return replace(_side("gold", mine, gold), paired_by_place=numbered), found_systems


FILE = "file"
"""Stands for the unit of a file's reader."""


def _check_units(
    gold: str | None, systems: Mapping[str, str | None], readers: tuple[str, str | None], sources: Mapping[str, Any]
) -> None:
    """Raise if one side counts tokens and another characters, where file formats say so."""
    from adjudge.tasks.readers import unit_of

    own = unit_of(readers[0]) if gold == FILE else gold
    for name, unit in systems.items():
        found = unit_of(readers[1] or readers[0]) if unit == FILE else unit
        if own and found and found != own:
            path = _path_of(sources[name])
            who = "system" if path else called(name, len(systems))
            message = f"{who} counts {UNITS[found]}, and gold counts {UNITS[own]}"
            raise FormatError(Problem(message, path=path, hint="give both in one unit"))


def _path_of(source: Any) -> str | None:
    """The file that a side was read from, or will be."""
    if isinstance(source, Values):
        return source.place
    return source.path or None if isinstance(source, Side) else source_name(source) if is_file(source) else None


def _values(source: Any) -> Any:
    return source.values if isinstance(source, Values) else source


def _columns(source: Any, options: Said, reader: str) -> tuple[Any, Any] | None:
    """The records or answers of two columns of one table."""
    from adjudge.formats.answers import answer_of
    from adjudge.formats.exports import read_values

    names = [str(options[name]) for name in ("gold_column", "system_column") if options.get(name) is not None]
    table = read_values(source, reader=reader).values if is_file(source) and reader in COERCED else source
    rows = isinstance(table, list) and all(isinstance(each, Mapping) for each in table)
    table = (
        Table(tuple(dict.fromkeys(name for each in table for name in each)), table) if rows else as_table(table, "gold")
    )
    if table is None or len(names) < 2:
        return None
    missing = next((name for name in names if name not in table.columns), None)
    if missing is not None:
        raise UsageError(f"there is no column {missing!r}", hint=f"the columns are {', '.join(table.columns)}")
    options.used.add("id")
    column = id_column(table.columns, Declared(id=options.get("id")))
    ids = [str(place if column is None else row[column]) for place, row in enumerate(table.rows, 1)]
    gold, system = (
        {key: answer_of(row[name]).value for key, row in zip(ids, table.rows, strict=True)}
        if name == names[0]
        else {key: row[name] or "" for key, row in zip(ids, table.rows, strict=True)}
        for name in names
    )
    return gold, {"system": system}


def _records(source: Any) -> Any:
    """Rows of a table as the records of documents, chat clients' answers as their texts, anything else unchanged."""
    table = as_table(source, "the side")
    if table is not None:
        rows = table_documents(table, Declared(), "record")
        ids = bool(rows) and rows[0].id is not None
        return {each.id: each.value for each in rows} if ids else [each.value for each in rows]
    if isinstance(source, list | tuple):
        return [chat_answer(each) for each in source]
    return source


def _one_record(gold: Any, system: Any) -> tuple[Any, Any]:
    """Gold and systems that are one record each, as documents; anything else unchanged."""
    if not _is_record(gold):
        return gold, system

    def entered(name: str, source: Any) -> Any:
        note = CorpusNote("one-document", 1, f"{name} was read as one document", ())
        return replace(read_side([source], name), notes=(note,)) if _is_record(source) else source

    if not isinstance(system, Mapping) or _is_record(system):
        return entered("gold", gold), entered("system", system)
    return entered("gold", gold), {name: entered(name, each) for name, each in system.items()}


def _is_record(source: Any) -> bool:
    """Whether a mapping is a record rather than documents by id: some value cannot be a document.

    Lists of values may be documents, unless their keys are names of fields.

    >>> _is_record({"name": "Ada", "born": 1815}), _is_record({"tags": ["x"]}), _is_record({"d1": ["x"]})
    (True, True, False)
    """
    if not isinstance(source, Mapping) or any(name in source for name in ("records", "output")):
        return False
    return any(
        each is None
        or isinstance(each, int | float)
        or (isinstance(each, str) and not looks_like_data(each))
        or (isinstance(each, list | tuple) and name in _LISTS)
        for name, each in source.items()
    )


def _answers(source: Any) -> Any:
    """Lists of strings, one of which looks like data rather than a file name, as raw answers; also by name."""
    if isinstance(source, Mapping) and origin(source) != "datasets":
        return {name: _answers(each) if isinstance(each, list) else each for name, each in source.items()}
    if not isinstance(source, list | tuple) or not all(isinstance(each, str) for each in source):
        return source
    data = any(map(looks_like_answer, source)) and not any(map(os.path.isfile, source))
    return [{"output": each} for each in source] if data else source


# How documents in these formats, read as their files are, are recognised: reader, whether of a system, fields.
_FORMATS = (
    ("dygie", None, ("doc_key", "sentences")),
    ("oneie", None, ("graph", "tokens")),
    ("docred", False, ("title", "vertexSet")),
    ("docred", True, ("title", "h_idx")),
)
_DYGIE = {"ner": "ner", "relation": "relations", "event": "events"}


def _read_lines(kind: str, source: Any, name: str) -> Any:
    """Documents of DyGIE++, OneIE or DocRED as their readers read them; anything else unchanged."""
    if isinstance(source, dict) and origin(source) != "datasets":
        return {own: _read_lines(kind, each, name) if isinstance(each, list) else each for own, each in source.items()}
    if kind not in _DYGIE or not isinstance(source, list) or not source:
        return source
    for reader, result, fields in _FORMATS:
        known = reader in find_family(kind).readers and all(
            isinstance(each, dict) and all(field in each for field in fields) for each in source
        )
        own = _DYGIE[kind]
        if not known or (reader == "dygie" and not any(own in each or f"predicted_{own}" in each for each in source)):
            continue
        lines = [msgspec.json.encode(each) for each in source]
        data = b"[" + b",".join(lines) + b"]" if reader == "docred" else b"\n".join(lines)
        return read_side(data, name, reads(reader, None, kind)[name == "system" if result is None else result])
    return source


def _listed(source: Any) -> Any:
    if isinstance(source, dict) and origin(source) != "datasets":
        return {name: each if is_read(each) else as_listed(each) for name, each in source.items()}
    if hasattr(source, "reference") and hasattr(source, "predicted"):  # one spaCy Example
        return [source]
    return source if is_read(source) else as_listed(source)


def _named(kind: str, gold: Any, system: Any) -> dict[str, Any]:
    """Systems by name; a mapping whose keys are ids of gold documents is one system."""
    if isinstance(system, list | tuple) and system and all(map(is_read, system)):
        from adjudge.formats.coerce.entities import is_document

        if not is_document(system):
            named = dict(name_systems(gold, system)) if all(map(is_file, system)) else {}
            if named and not any(name.isdigit() for name in named) and _ids_of(gold).isdisjoint(named):
                return named
            return {str(place): each for place, each in enumerate(system)}  # not what documents may be called
    if not isinstance(system, Mapping) or is_read(system) or not system or origin(system) == "datasets":
        return {"system": system}
    if any(map(_is_loaded, system.values())):
        return dict(system)
    known = _ids_of(gold)
    sources = all(map(_is_source, system.values()))
    if kind == "coref":
        from adjudge.formats.coerce.structures import is_clusters

        if not is_clusters(gold) and any(map(is_clusters, system.values())):
            sources = False  # the clusters of documents, given by id
    # Two or more documents by id where each value is one document: the same documents under other ids.
    others = kind in ("ner", "linking") and isinstance(gold, Mapping) and len(gold) > 1 and not _is_one(kind, gold)
    others = others and all(map(_is_one_document, system.values()))
    whole = known & set(map(str, system)) or not sources or _is_one(kind, system) or others
    return {"system": system} if whole else dict(system)


def _ids_of(gold: Any) -> set[str]:
    """The ids of documents, where a mapping or the fields of a list have them."""
    if isinstance(gold, Side):
        return set(gold.documents)
    gold = _values(gold)
    if isinstance(gold, Mapping):
        return set(map(str, gold))
    documents = gold.rows if isinstance(gold, Table) else gold if isinstance(gold, list | tuple) else ()
    return {name for each in documents if isinstance(each, Mapping) and (name := own_id(each, Declared())) is not None}


def _is_one_document(value: Any) -> bool:
    """Whether a value has the entities of one document: a list of tags, or of spans with positions."""
    from adjudge.formats.coerce.entities import is_document

    if is_document(value):
        return True
    try:
        items = items_of(value, {}) if isinstance(value, list | tuple) and value else None
    except UnevenPlace:
        return True
    return bool(items) and all(each.start is not None for each in items or ())


def _is_loaded(source: Any) -> bool:
    """Whether a source is a file, or was read from one, rather than a document, which may also be a string."""
    return isinstance(source, Side | Corpus | Values | os.PathLike) or (
        isinstance(source, str) and os.path.isfile(source)  # noqa: PTH113  # unlike Path.is_file it never raises
    )


def _is_one(kind: str, system: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one document rather than systems by name."""

    return NATIVE[kind] in system or any(name in system for name in ("tokens", "text", "tags", "heads"))


def _has_documents(source: Any) -> bool:
    """Whether a value can hold documents at all; if not, the reader reports it."""
    return hasattr(source, "__iter__") or as_table(source, "the side") is not None


def _is_source(value: Any) -> bool:
    """Whether a value can be all the documents of a system: a file, a list, a mapping, a table."""
    table = any(hasattr(value, name) for name in ("columns", "features", "column_names"))
    return table or isinstance(value, Mapping | list | tuple) or is_read(value)


def _side(name: str, reading: Reading, source: Any) -> Side:
    if isinstance(source, Values):
        corpus = source.corpus(reading)
        documents = {each.id: each for each in corpus.documents}
        return Side(name, source.place, documents, corpus.digest, notes=corpus.notes, reading=reading.told())
    digest = partial(digest_of, reading.documents)
    return Side(name, "", reading.documents, digest, notes=reading.notes, reading=reading.told())
