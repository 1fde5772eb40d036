"""The two sides of an evaluation, from files or from memory, and how their documents are paired."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, ValidationError, did_you_mean
from adjudge.evaluate.inputs import distinct, is_file, is_stdin, stem
from adjudge.evaluate.sides import NO_DOCUMENTS, Names, check_places, check_sides
from adjudge.formats.jsonl import canonical, read_all
from adjudge.formats.parquet import is_parquet
from adjudge.formats.shards import read_shards
from adjudge.formats.source import Source, find_shards, is_blank, source_name
from adjudge.model.document import Corpus, CorpusNote, Document

Documents: TypeAlias = Any  # a path, a stream, a mapping id -> document, or a sequence of documents
Read: TypeAlias = Callable[..., Corpus]
"""How a file is read, if it is not JSON lines."""
Pair: TypeAlias = Callable[[Corpus, Corpus], Corpus]
"""How the documents of a system are brought to the gold ones, if that needs both."""

LISTED = 10
SIMILAR = 3


@dataclass(frozen=True, slots=True)
class Side:
    """Gold or one system: its documents by id. `paired_by_place` if they had no ids and were numbered.

    `jsonl` if it comes from a file of JSON lines, where columns can be found again.
    """

    name: str
    path: str | None
    documents: dict[str, Document]
    digest: str
    paired_by_place: bool = False
    jsonl: bool = False
    notes: tuple[CorpusNote, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether these may be values rather than documents: they come from memory, and none has an id of its own."""
        return self.path is None and all(_own_id(each.data) is None for each in self.documents.values())


def read_sides(
    gold: Documents,
    system: Any,
    names: Sequence[str] | None = None,
    *,
    read: tuple[Read | None, Read | None] = (None, None),
    pair: Pair | None = None,
) -> tuple[Side, list[Side]]:
    """Gold and the systems; everything that is wrong with any of the files is raised together.

    `read` has the readers of gold and system files that are not JSON lines, `pair` what brings system documents to the
    gold ones.

    `system` is the documents of one system, a list of paths, or a mapping from names to documents. A mapping that has
    the id of a gold document among its keys is one system (id -> document), any other mapping is several.
    """
    several_at_once = (
        system.values() if isinstance(system, Mapping) else system if isinstance(system, list) else [system]
    )
    if is_stdin(gold) + sum(map(is_stdin, several_at_once)) > 1:
        raise UsageError("standard input can be read only once", hint="use - for one of the files")
    problems: list[Problem] = []
    read_gold = _attempt(gold, "gold", problems, read[0])
    several = list(_several(gold, system, read_gold))
    chosen = chosen_names([name for name, _ in several], names)
    # A system that found nothing may have written nothing; but where documents are aligned, their words must be there.
    blank = [pair is None and is_blank(source) for _, source in several]
    sides = [
        _attempt(() if nothing else source, name, problems, read[1], path=source if nothing else None)
        for name, (_, source), nothing in zip(chosen, several, blank, strict=True)
    ]
    if problems:
        raise FormatError(problems)
    assert read_gold is not None
    found = [_remarked(side) for side in sides if side is not None]
    if pair is not None:
        found = [_paired(read_gold, side, pair, problems) for side in found]
        if problems:
            raise FormatError(problems)
    for side in found:
        _check_level(read_gold, side)
    _check_ids(read_gold, found)
    return read_gold, found


def read_each(sources: Mapping[str, Documents], read: Read | None = None) -> list[Side]:
    """Several sources of equal standing, by name; everything that is wrong with any of them is raised together."""
    if sum(map(is_stdin, sources.values())) > 1:
        raise UsageError("standard input can be read only once", hint="use - for one of the files")
    problems: list[Problem] = []
    sides = [_attempt(source, name, problems, read) for name, source in sources.items()]
    if problems:
        raise FormatError(problems)
    return [side for side in sides if side is not None]


def chosen_names(own: Sequence[str], names: Sequence[str] | None) -> list[str]:
    """What the systems are called: as they are by themselves, or as somebody says.

    >>> chosen_names(["run", "run"], None), chosen_names(["run", "run"], ["a", "b"])
    (['run-1', 'run-2'], ['a', 'b'])
    """
    if not own:
        raise UsageError("there is no system to score", hint="give the documents of at least one system")
    if names is not None and len(names) != len(own):
        raise UsageError(f"{len(names)} names for {len(own)} systems", hint="give one name for each system")
    chosen = list(names) if names is not None else distinct(own)
    repeated = [name for name in dict.fromkeys(chosen) if chosen.count(name) > 1]
    if repeated:
        raise UsageError(f"two systems are called {repeated[0]!r}", hint="give each system a name of its own")
    return chosen


def names_of(side: Side) -> Names:
    """The documents of a side by name, as `check_sides` wants them."""
    return Names(side.path or side.name, side.documents.keys())


def unknown_document(side: Side, document: Document, similar: str | None = None) -> Problem:
    """What is said of a system document that gold does not have."""
    hint = similar or "remove it, or add it to the gold documents"
    message = f"the document {document.id!r} is not in the gold documents"
    return Problem(message, path=document.path or side.path or side.name, line=document.line, hint=hint)


def choose(gold: Side, ids: Iterable[str] | None) -> dict[str, Document]:
    """The gold documents to score, in the order of the gold file."""
    if ids is None:
        return gold.documents
    wanted = {str(identifier) for identifier in ids}
    unknown = sorted(wanted - gold.documents.keys())
    if unknown:
        raise UsageError(
            [
                Problem(
                    f"there is no gold document {name!r}", hint=did_you_mean(name, gold.documents) or "check the id"
                )
                for name in unknown
            ]
        )
    return {identifier: document for identifier, document in gold.documents.items() if identifier in wanted}


# ---------------------------------------------------------------------------------------------------------------------


def _attempt(
    source: Documents, name: str, problems: list[Problem], read: Read | None, *, path: Source | None = None
) -> Side | None:
    try:
        side = _side(source, name, read)
        return side if path is None else replace(side, path=source_name(path))
    except UsageError:
        raise
    except AdjudgeError as error:
        problems.extend(error.problems)
        return None


def _remarked(side: Side) -> Side:
    return side if side.documents else replace(side, notes=(*side.notes, CorpusNote("empty-system", 1, NO_DOCUMENTS)))


def _paired(gold: Side, side: Side, pair: Pair, problems: list[Problem]) -> Side:
    if gold.path is None or side.path is None:  # documents in memory are as the metrics want them
        return side
    sides = [
        Corpus(path=each.path, documents=tuple(each.documents.values()), digest=each.digest) for each in (gold, side)
    ]
    try:
        return replace(side, documents={document.id: document for document in pair(*sides).documents})
    except FormatError as error:
        problems.extend(error.problems)
        return side


def _side(source: Documents, name: str, read: Read | None) -> Side:
    if isinstance(source, Side):
        return source
    if isinstance(source, Corpus) or is_file(source):
        corpus = source if isinstance(source, Corpus) else _read(source, read)
        documents = {document.id: document for document in corpus.documents}
        return Side(name, corpus.path, documents, corpus.digest, jsonl=read is None, notes=corpus.notes)
    if isinstance(source, Mapping):
        found = {str(key): Document(id=str(key), data=value) for key, value in source.items()}
        return Side(name, None, found, _digest(found))
    if isinstance(source, Sequence) or (isinstance(source, Iterable) and not isinstance(source, Set)):
        return _sequence(list(source), name)
    raise UsageError(
        f"{name}: cannot take documents from {type(source).__name__}",
        hint="give a path, a list of documents, or a mapping from ids to documents",
    )


def _read(source: Any, read: Read | None) -> Corpus:
    """One file, or all of a pattern or a folder; a reader of its own may want the folder itself."""
    if read is None and is_parquet(source):
        return read_shards(source_name(source), [str(source)])
    if read is not None and isinstance(source, str | Path) and Path(source).is_dir():
        return read(source)
    shards = find_shards(source)
    if shards is None:
        return (read or read_all)(source)
    return read_shards(source_name(source), shards, read=read)


def _sequence(values: list[Any], name: str) -> Side:
    ids = [_own_id(value) for value in values]
    if any(identifier is not None for identifier in ids):
        without = [place for place, identifier in enumerate(ids) if identifier is None]
        if without:
            raise ValidationError(
                f"{name}: document {without[0] + 1} has no id", hint="give all documents an id, or none"
            )
        repeated = sorted({str(one) for one in ids if ids.count(one) > 1}) if len(set(ids)) < len(ids) else []
        if repeated:
            raise ValidationError(f"{name}: duplicate id {_listed(repeated)}", hint="give every document its own id")
    documents = {
        (identifier or str(place)): Document(id=identifier or str(place), data=value)
        for place, (identifier, value) in enumerate(zip(ids, values, strict=True), 1)
    }
    return Side(name, None, documents, _digest(documents), paired_by_place=bool(values) and ids[0] is None)


def _several(gold: Documents, system: Any, read_gold: Side | None) -> list[tuple[str, Documents]]:
    if isinstance(system, Mapping) and system:
        known = read_gold.documents if read_gold else {}
        if not any(str(key) in known for key in system) and not _are_documents(system.values(), known.values()):
            return [(str(name), source) for name, source in system.items()]
    gold_is_texts = isinstance(gold, list | tuple) and all(isinstance(value, str) for value in gold)
    if isinstance(system, list | tuple) and system and all(map(is_file, system)) and not gold_is_texts:
        return [(stem(source), source) for source in system]
    return [(stem(system) if is_file(system) else "system", system)]


def _are_documents(values: Iterable[Any], known: Iterable[Document]) -> bool:
    """Whether the values of a mapping look like gold documents, and not like systems with documents."""
    keys = {key for each in known if isinstance(each.data, Mapping) for key in each.data}
    found = list(values)
    return bool(keys) and all(isinstance(each, Mapping) and not keys.isdisjoint(each) for each in found)


def _check_level(gold: Side, system: Side) -> None:
    """Raise if what was given as the documents of one system are the systems themselves."""
    if not (system.paired_by_place and system.documents):
        return
    document = _shape(each.data for each in gold.documents.values())
    given = _shape(each.data for each in system.documents.values())
    if document is not None and given == (document,):
        raise UsageError(
            f"the documents of {system.name} look like lists of documents",
            hint="pass several systems as a mapping from names to documents, such as {'a': [...], 'b': [...]}",
        )


def _shape(values: Iterable[Any]) -> Any:
    """What values look like from afar: a scalar or an object by its name, a list by what is in it; None if unknown."""
    for value in values:
        if isinstance(value, list | tuple):
            inner = _shape(value)
            if inner is not None:
                return (inner,)
        elif value is not None:
            return "scalar" if isinstance(value, str | bytes | int | float) else "object"
    return None


def _check_ids(gold: Side, systems: Sequence[Side]) -> None:
    for side in systems:
        check_places(gold, side)
    check_sides(names_of(gold), [names_of(side) for side in systems])
    problems: list[Problem] = []
    for side in systems:
        for identifier, document in side.documents.items():
            if identifier not in gold.documents:
                # Looking for similar names takes time; if many ids are unknown, the files belong to different corpora.
                similar = did_you_mean(identifier, gold.documents) if len(problems) < SIMILAR else None
                problems.append(unknown_document(side, document, similar))
    if problems:
        raise ValidationError(problems)


def check_readers(gold: Documents, system: Any, reader: str | None, system_reader: str | None) -> None:
    """Raise if a reader is named, and what it should read is no file; `reader` is None if nobody named one.

    >>> check_readers([{"id": "d"}], "run.bio", "bio", None)
    >>> check_readers("gold.bio", [{"id": "d"}], "bio", "bio")
    Traceback (most recent call last):
    adjudge.errors.UsageError: system_reader='bio' reads files, and the system's documents are in memory, leave...
    """
    several = system.values() if isinstance(system, Mapping) else system if isinstance(system, list | tuple) else ()
    files = any(map(_from_file, (system, *several)))
    hint = "leave it out, or give the path of a file"
    if system_reader is not None and not files:
        message = f"system_reader={system_reader!r} reads files, and the system's documents are in memory"
        raise UsageError(message, hint=hint)
    if reader is not None and not _from_file(gold) and (system_reader is not None or not files):
        raise UsageError(f"reader={reader!r} reads files, and the documents are in memory", hint=hint)


def _from_file(source: Any) -> bool:
    return isinstance(source, Side | Corpus) or is_file(source)  # those were read already


def _own_id(value: Any) -> str | None:
    found = value.get("id") if isinstance(value, Mapping) else getattr(value, "id", None)
    return str(found) if isinstance(found, str | int) and not isinstance(found, bool) else None


def _digest(documents: Mapping[str, Document]) -> str:
    """A hash of documents in memory; those that could stand in a file have the hash of that file."""
    digest = hashlib.sha256()
    for identifier, document in documents.items():
        if _own_id(document.data) != identifier:
            digest.update(f"{identifier}\t".encode("utf-8", "backslashreplace"))
        try:
            digest.update(canonical(document.data) + b"\n")
        except (TypeError, ValueError, RecursionError):
            digest.update(f"{_stable(document.data)}\n".encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def _stable(value: Any) -> str:
    """A text that is the same in every run: sets are sorted, because their order depends on the hash seed."""
    try:
        return _written(value)
    except RecursionError:
        return f"<{type(value).__name__}>"  # scoring says that it is nested too deeply


def _written(value: Any) -> str:
    if isinstance(value, Set):
        return "{" + ", ".join(sorted(map(_written, value))) + "}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_written(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_written, value)) + "]"
    fields = getattr(value, "__struct_fields__", None) or getattr(value, "__dataclass_fields__", None)
    if fields:
        return type(value).__name__ + _written([getattr(value, name) for name in fields])
    return repr(value)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(repr(name) for name in names[:LISTED]) + more
