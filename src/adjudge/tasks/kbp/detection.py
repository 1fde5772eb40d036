"""Detects the format of a file or folder of a knowledge base and whether it is empty, and reads it."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from adjudge.bounded import unpacked_name
from adjudge.errors import FormatError, Problem, UsageError, ValidationError
from adjudge.evaluate.sides import is_file
from adjudge.formats.kg_graphrag import is_graphrag
from adjudge.formats.kg_json import LISTS
from adjudge.formats.kg_keys import kind_of_values, roles_of
from adjudge.formats.kg_rdf import SUFFIXES as RDF
from adjudge.formats.kinds import rdf_kind
from adjudge.formats.source import (
    Source,
    find_shards,
    is_parquet,
    is_shard,
    opened,
    read_block,
    source_name,
    stdin_head,
)

if TYPE_CHECKING:
    from adjudge.formats.kb_annotation import Offsets
    from adjudge.model.kbp import KbCorpus

Units: TypeAlias = Literal["text", "raw"]
Graph: TypeAlias = Literal[
    "triples",
    "json",
    "ntriples",
    "turtle",
    "trig",
    "graphrag",
    "langchain",
    "neo4j",
    "llamaindex",
    "kggen",
    "webnlg",
]
Format: TypeAlias = Graph | Literal["coldstart", "documents", "ace", "ere", "links"]
GRAPHS: tuple[Graph, ...] = get_args(Graph)
"""Formats of triples, in which names are compared rather than mentions."""
FORMATS: tuple[Format, ...] = ("coldstart", *GRAPHS, "documents", "ace", "ere", "links")
ANNOTATION: tuple[Format, ...] = ("ace", "ere", "documents")
KINDS: dict[Format, str] = {
    "ace": "ACE annotation",
    "ere": "Rich ERE annotation",
    "documents": "documents in JSON lines",
    "coldstart": "a Cold Start knowledge base",
    "triples": "plain triples",
    "links": "a table of links",
    "json": "triples in JSON",
    "ntriples": "N-Triples or N-Quads",
    "turtle": "Turtle",
    "trig": "TriG",
    "graphrag": "a folder of GraphRAG",
    "langchain": "graph documents of LangChain",
    "neo4j": "an export of Neo4j",
    "llamaindex": "a property graph of LlamaIndex",
    "kggen": "a graph of KGGen",
    "webnlg": "WebNLG XML",
}

_EXTRACTED = ("coldstart", *ANNOTATION)  # what can be compared with annotation
_TREES: dict[str, Format] = {".apf.xml": "ace", ".rich_ere.xml": "ere"}
_PROGRAM = re.compile(r'"(rels|relationships|triplets|entity_clusters|triples|facts)"\s*:')
_PROGRAMS: dict[str, Graph] = {
    "rels": "neo4j",
    "relationships": "langchain",
    "triplets": "llamaindex",
    "entity_clusters": "kggen",
    "triples": "json",
}
_HEAD = 1 << 16  # bytes that tell the format


def detect(source: Source) -> Format:
    r"""The format of a file or folder, by its first lines.

    >>> detect(b'{"id": "a"}'), detect(b"run1\n:E1\ttype\tPER\n"), detect(b"a\tr\tb\td1\n"), detect(b"<deft_ere>")
    ('documents', 'coldstart', 'triples', 'ere')
    """
    if not is_file(source):
        return "triples"
    if isinstance(source, str | os.PathLike) and str(source) != "-":
        if is_graphrag(source):
            return "graphrag"
        files = _files(source)
        if files is not None:
            return _common(source, files)
        if is_parquet(source):
            return "triples"
        ending = _ending(source)
        if ending in RDF:
            return RDF[ending]
        if ending == ".csv":
            return "triples"
    if not isinstance(source, bytes | str | os.PathLike):
        return "coldstart"  # a stream can be read only once
    data = stdin_head(_HEAD) if str(source) == "-" else _head(source)
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    start = text.lstrip()[:1]
    if start in ("{", "["):
        return _json_kind(text, whole=len(data) < _HEAD)
    rdf = rdf_kind(text)
    if rdf is not None:
        return rdf
    if start == "<":
        return "ere" if "<deft_ere" in text else "webnlg" if "<benchmark" in text else "ace"
    lines = [line for line in text.split("\n")[:50] if "\t" in line]
    if any("wikipedia.org/wiki/" in line for line in lines[:10]):
        return "links"
    nodes = [line for line in lines if line.lstrip().startswith(":")]
    if not lines and next((line for line in text.split("\n") if line.strip()), "").count(",") >= 2:
        return "triples"
    if len(nodes) * 2 > len(lines) or not lines or text.split("\n")[0].count("\t") == 0:
        return "coldstart"
    return "triples"


def _ending(source: str | os.PathLike[str]) -> str:
    return Path(unpacked_name(str(source).lower())).suffix


def _json_kind(text: str, *, whole: bool) -> Format:
    """Triples of some program, or documents with mentions, by the keys of the first value."""
    import msgspec

    start = text.lstrip()
    values: list[Any] = []
    with contextlib.suppress(ValueError, RecursionError, msgspec.DecodeError):
        value = msgspec.json.decode(text) if whole else None
        values = value if isinstance(value, list) else [] if value is None else [value]
    if not values:
        lines = [line for line in start.split("\n") if line.strip()]
        with contextlib.suppress(ValueError, RecursionError, msgspec.DecodeError):
            values = [msgspec.json.decode(line) for line in (lines if whole else lines[:-1])[:50]]
    if not values and start[0] == "[":
        with contextlib.suppress(ValueError, RecursionError):
            values = [json.JSONDecoder().raw_decode(start, len(start) - len(start[1:].lstrip()))[0]]
    if values:
        kind, first = kind_of_values(values), values[0]
        if kind != "json" or not isinstance(first, dict):
            return kind
        if "entities" not in first and (roles_of(first) or any(key in first for key in LISTS)):
            return "json"
        return "documents" if start[0] == "{" else "json"
    found = _PROGRAM.search(text)
    if found is not None and '"mentions"' not in text:
        return _PROGRAMS.get(found[1], "json")
    return "documents" if start[0] == "{" else "json"


def detected(source: Source) -> Format:
    """The format by the content; an empty file is an error."""
    if is_file(source) and is_blank(source):
        message = "the folder has nothing but empty files" if _is_folder(source) else "the file is empty"
        raise ValidationError(Problem(message, path=source_name(source), hint="check how it was written"))
    return detect(source)


def system_kinds(systems: Sequence[Source], gold: Format, format: Format | None = None) -> list[Format]:
    r"""The formats of systems: as given, or by their content; an empty file has the format that fits gold.

    A stream, whose beginning cannot be inspected, is plain triples if gold is; what is in memory is.

    >>> system_kinds([b"", b"run1\n:E1\ttype\tPER\n"], "ace"), system_kinds([b""], "triples")
    (['coldstart', 'coldstart'], ['triples'])
    """
    if format is not None:
        return [format] * len(systems)
    if gold in GRAPHS:
        return ["triples" if _is_other_stream(each) or has_nothing(each) else detect(each) for each in systems]
    found = [None if is_file(each) and is_blank(each) else detect(each) for each in systems]
    usual: Format = next((kind for kind in found if kind is not None and kind in _EXTRACTED), "documents")
    return [kind or usual for kind in found]


def is_blank(source: Source) -> bool:
    r"""Whether a file, or each file of a folder or pattern, has nothing but empty lines and comments.

    >>> is_blank(b""), is_blank(b"# nothing found\n\n"), is_blank(b"run1\n")
    (True, True, False)
    """
    return _said(source) == []


def has_nothing(source: Source) -> bool:
    r"""Whether a file is blank, or has nothing but a Cold Start run id.

    >>> has_nothing(b""), has_nothing(b"run1\n"), has_nothing(b"ana\n"b"ben\n"), has_nothing(b"{}")
    (True, True, False, False)
    """
    said = _said(source)
    return said is not None and (not said or (len(said) == 1 and re.fullmatch(rb"[\w.-]+", said[0]) is not None))


def _said(source: Source) -> list[bytes] | None:
    """The lines with content of a short file; None if it is not short, or cannot be inspected."""
    if _is_stream(source):
        return None
    if isinstance(source, str | os.PathLike):
        files = _files(source)
        if files is not None:
            return [] if all(map(is_blank, files)) else None
        if not Path(source).is_file() or is_parquet(source):  # a pipe can be read only once
            return None
    with opened(source, source_name(source)) as stream:
        head, broken = read_block(stream, _HEAD)
    if broken:  # what was cut off is not empty
        raise FormatError(Problem(broken, path=source_name(source), hint="copy or create the file again"))
    if len(head) == _HEAD:
        return None
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return [line.strip() for line in lines if line.strip() and (b"\t" in line or not line.startswith(b"#"))]


def _is_stream(source: Source) -> bool:
    return not isinstance(source, bytes | str | os.PathLike) or str(source) == "-"


def _is_other_stream(source: Source) -> bool:
    """Whether this is a stream that cannot be inspected, or standard input whose beginning shows no format."""
    if isinstance(source, str | os.PathLike) and str(source) == "-":
        return detect(source) == "coldstart" and not stdin_head(_HEAD).lstrip().startswith(b":")
    return _is_stream(source)


def _is_folder(source: Source) -> bool:
    return isinstance(source, str | os.PathLike) and Path(source).is_dir()


def _head(source: Source) -> bytes:
    with opened(source, source_name(source)) as stream:
        return read_block(stream, _HEAD)[0]


def _files(source: str | os.PathLike[str]) -> list[str] | None:
    """The files of a folder or pattern that show its format; None if the source is one file, or none."""
    if not Path(source).is_dir():
        return find_shards(source)
    for ending in _TREES:
        found = next(Path(source).rglob(f"*{ending}"), None)
        if found is not None:
            return [str(found)]
    from adjudge.formats.kb_coldstart import SUFFIXES as COLDSTART
    from adjudge.formats.kb_documents import SUFFIXES as DOCUMENTS
    from adjudge.formats.kb_triples import SUFFIXES as TRIPLES

    known = (*DOCUMENTS, *TRIPLES, *COLDSTART, *RDF, ".json", ".xml")
    files = [str(path) for path in sorted(Path(source).iterdir()) if is_shard(path.name, known) and path.is_file()]
    if not files:
        hint = (
            "name a file, or a folder with .apf.xml or .rich_ere.xml files, with documents in .jsonl, "
            "or with triples in .tsv or .parquet"
        )
        raise UsageError(Problem("a folder without annotation", path=os.fspath(source), hint=hint))
    # Texts may lie beside files of any format.
    return [path for path in files if not is_shard(Path(path).name, (".txt",))] or files


def _common(source: str | os.PathLike[str], files: Sequence[str]) -> Format:
    """The common format of some files, of which one of each ending is inspected."""
    for ending, kind in _TREES.items():
        if files[0].endswith(ending):
            return kind
    examples: dict[Format, str] = {}
    endings: set[str] = set()
    for path in files:
        ending = "".join(Path(path).suffixes)
        if ending not in endings and not is_blank(path):
            endings.add(ending)
            examples.setdefault(detect(path), Path(path).name)
    if len(examples) > 1:
        told = ", ".join(f"{name} is {KINDS[kind]}" for kind, name in examples.items())
        hint = "name one of the files, or keep each format in a folder of its own"
        raise UsageError(Problem(f"files of several formats: {told}", path=os.fspath(source), hint=hint))
    return next(iter(examples), "coldstart")


def read_corpus(
    source: Source,
    kind: Format,
    *,
    units: Units = "text",
    offsets: Offsets = "check",
    texts: str | Path | None = None,
    name: str | None = None,
) -> KbCorpus:
    """The annotated documents in a file or folder of that kind."""
    if kind == "documents":
        from adjudge.formats.kb_documents import read_kb_documents

        return read_kb_documents(source, name=name)
    if not isinstance(source, str | os.PathLike) or str(source) == "-":
        message = f"{KINDS[kind]} cannot be read from a stream"
        raise UsageError(Problem(message, path=name or source_name(source), hint="name the file or its folder"))
    if kind == "ace":
        from adjudge.formats.kb_annotation import read_ace

        return read_ace(source, units=units, offsets=offsets)
    from adjudge.formats.kb_annotation import read_ere_corpus

    return read_ere_corpus(source, docs=texts, offsets=offsets)
