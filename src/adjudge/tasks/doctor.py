"""What a file or folder is, what looks wrong with it, which commands accept it, and the next one to type."""

from __future__ import annotations

import io
import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple

from msgspec.structs import replace

from adjudge.bounded import packing
from adjudge.errors import AdjudgeError, Problem, UsageError
from adjudge.findings import Findings, Severities, counted
from adjudge.formats.coerce.corpus import IDS, ITEMS
from adjudge.formats.companions import COMPANIONS, MEMORY, certain, files_kind, folder_kind, is_program, likely, told
from adjudge.formats.recognise import (
    DOCBIN,
    FORMATS,
    Format,
    file_formats,
    folder_formats,
    formats_of,
    head_of,
    header_of,
    json_values,
    looks_like,
)
from adjudge.formats.source import BOM, HEAD, Source, opened, read_block, source_name
from adjudge.tasks.contents import Contents, check_contents, ends_of, read_contents, tasks_of
from adjudge.tasks.family import JSONL, families, find_family, find_reader, is_for, readers_of

LOOKED = 1 << 20  # bytes of a file that are examined
CHECKED = 1 << 17  # bytes whose documents are compared with themselves, which may take long
WHOLE = 1 << 25  # maximum size in bytes of a file that can only be read whole
_GRAPHS = ("kg-json", "turtle", "trig", "graphrag", "langchain", "neo4j", "llamaindex", "kggen", "webnlg")
_WHOLE = ("ace", "parquet", "spacy", "inspect", "dataset", *_GRAPHS)  # formats that cannot be read in part
FILES_ONLY = ("parquet", "dataset", "spacy", "inspect")
"""What is not read from a stream."""
_SHOWN = 6  # fields listed
_FILES = 12  # files listed of a folder of several formats
_READINGS = {"bio-both": "gold and system", "bio": "last column"}
_ATTEMPTS = ("jsonl", "conll", "bio", "triples", "conllu", "penman", "tbf")


class Use(NamedTuple):
    """A task that a file can be used for: its reader, and the metrics if not the usual ones."""

    task: str
    reader: str = ""
    metrics: tuple[str, ...] = ()

    @property
    def scored(self) -> tuple[str, ...]:
        """The metrics that are scored: these, those of the reader, or the usual ones of the task."""
        if self.metrics or self.task not in families():
            return self.metrics
        family = find_family(self.task)
        reader = family.readers.get(self.reader)
        return (reader.metrics if reader else ()) or family.metrics


_OWN = {
    **dict.fromkeys(("conll", "corefud", "clusters", "cluster-table"), "coref"),
    **dict.fromkeys(("kb-documents", "coldstart", "triples", "ace", "ere", "ntriples", *_GRAPHS), "kbp"),
    **dict.fromkeys(("eal", "eal-key"), "eal"),
    "tbf": "nugget",
}
"""Kinds of files of tasks that detect their own formats; those of families have the names of their readers."""


def uses_of(kind: str) -> list[Use]:
    """What files of a kind can be used for.

    >>> [(each.task, each.reader) for each in uses_of("dygie-output")]
    [('event', 'dygie'), ('ner', 'dygie'), ('relation', 'dygie')]
    """
    own = [Use(_OWN[kind])] if kind in _OWN else []
    if own and kind != "triples":
        return own
    return own + [
        Use(name, each)
        for each in readers_of(kind)
        for name in families()
        if each in find_family(name).readers and is_for(kind, name)
    ]


@dataclass
class Diagnosis:
    """What is known about a file or folder.

    `fits` are the formats it could be read in, best first, with their uses; `failed` are those it could not, and
    where. `seen` is how much was examined, None for all of it; `told` describes the format and its fields.
    """

    path: str
    findings: Findings
    compression: str = ""
    encoding: str = ""
    folder: bool = False
    files: int = 0
    seen: int | None = None
    fits: list[tuple[Format, list[Use], Contents]] = field(default_factory=list)
    failed: list[tuple[Format, Problem]] = field(default_factory=list)
    looks: str = ""
    told: str = ""

    @property
    def format(self) -> Format | None:
        """The format, if it could be read."""
        return self.fits[0][0] if self.fits else None

    @property
    def contents(self) -> Contents | None:
        """What is in it."""
        return self.fits[0][2] if self.fits else None

    @property
    def uses(self) -> list[Use]:
        """What it is good for."""
        return list(dict.fromkeys(use for _, uses, _ in self.fits for use in uses))

    @property
    def readings(self) -> list[str]:
        """The options to choose from, if a task can read it in several ways."""
        own = {each.kind: each for each, uses, _ in self.fits if uses}
        return [f"--reader {kind} ({_READINGS[kind]})" for kind in _READINGS if kind in own] if len(own) > 1 else []

    @property
    def unit(self) -> str:
        """What offsets count, tokens or characters, if the format or the file says so."""
        own = "" if self.contents is None else self.contents.unit
        return own or ("" if self.format is None else self.format.unit)

    @property
    def ends(self) -> str:
        """Whether ends are inclusive, by the format or as the texts show."""
        if self.format is None or self.contents is None:
            return ""
        return self.format.ends or (ends_of(self.contents) if self.format.kind in ("jsonl", "parquet") else "")


def examine(path: Source, *, full: bool = False) -> Diagnosis:
    r"""Look at a file or folder; only the beginning of a large file, unless `full`.

    >>> found = examine(b"EU B-ORG\nsaid O\n")
    >>> found.format.kind, found.uses, found.contents.items
    ('bio', [Use(task='ner', reader='bio', metrics=())], {'entities': Counter({'ORG': 1})})
    """
    place = source_name(path)
    found = Diagnosis(place, Findings(place, limit=None))
    if isinstance(path, str | os.PathLike) and str(path) != "-":
        mode = _mode(path)
        if stat.S_ISDIR(mode):
            _examine_folder(Path(path), found)
            return found
        if not stat.S_ISREG(mode):
            raise UsageError(Problem("neither a file nor a folder", path=place, hint="name a file"))
    limit = WHOLE * 16 if full else LOOKED
    with opened(path, place) as stream:
        start, broken = read_block(stream, limit)
        more = b"" if broken else read_block(stream, 1)[0]
        if _is_stream(path) and _is_file_only(start):
            with NamedTemporaryFile(prefix="adjudge-") as copied:
                copied.writelines((start, more))
                shutil.copyfileobj(stream, copied)
                copied.flush()
                return _renamed(examine(copied.name, full=full), copied.name, place)
        found.compression = _compression(path)
        if more and not full and not _can_be_cut(start):
            start += more + read_block(stream, WHOLE)[0]
            more = read_block(stream, 1)[0]
    found.seen = len(start) if more else None
    if broken:
        found.findings.add("damaged", broken, None, None, "copy or create the file again")
    _check_bytes(start, found)
    remembered = COMPANIONS["eal-state"] if Path(found.path).parent.name == MEMORY else None
    if _fit_companion(found, start, certain(_decoded(start)) or remembered):
        return found
    log = bool(formats_of(start[:HEAD])) and formats_of(start[:HEAD])[0].kind == "inspect"
    archive = (start[:4] == b"PK\x03\x04" and not log) or start[257:262] == b"ustar"
    file = Path(found.path) if isinstance(path, str | os.PathLike) else Path()
    formats = [FORMATS["eal"]] if archive else file_formats(file, start, cut=bool(more))
    look = looks_like(start)
    found.looks = "" if look is None else look.name
    if not start.strip() and not broken:
        found.findings.add("empty", "there is nothing in the file", hint="check that it is complete")
    for format in formats:
        own = path if archive or _is_whole(format, start) else start if not more else _cut(start, format.kind)
        _fit(found, format, Path(own) if isinstance(own, str) else own)
    if archive and not found.fits:
        _examine_archive(found)
    if not found.fits and not archive:
        _fit_others(found, start)
    if not (archive or more) and (not found.fits or _is_bare(found, start)):
        _fit_companion(found, start, likely(_decoded(start)))
    if not found.fits and not formats and start.strip() and not archive:
        for kind in _ATTEMPTS[:1] if look is not None and look.kind.startswith("json") else _ATTEMPTS:
            _attempt(found, FORMATS[kind], start, next(iter(uses_of(kind)), Use("")))
        found.failed = [each for each in found.failed if not each[1].message.startswith("this looks like")]
        found.failed.sort(key=lambda each: -(each[1].line or 0))
    if found.contents is not None:
        small = full or len(start) <= CHECKED or archive or _is_whole(found.fits[0][0], start)
        whole = start if _is_stream(path) and not more else path
        _validate(found, whole if small else _cut(start[:CHECKED], found.fits[0][0].kind))
        check_contents(found.contents, found.findings)
        found.told = _told(found, start)
    others = [f"{each.name} ({each.kind})" for each, uses, _ in found.fits[1:] if any(use.reader for use in uses)]
    if others:
        found.findings.warn("several-formats", f"this may also be {', or '.join(others)}", hint="choose with --reader")
    return found


def _decoded(start: bytes) -> str:
    return start.decode("utf-8-sig", "replace")


def _fit_companion(found: Diagnosis, start: bytes, format: Format | None) -> bool:
    """Record that a file goes with others, or was written for people, if it is of such a format."""
    if format is None:
        return False
    contents = Contents(found.path)
    if number := told(format.kind, _decoded(start)):
        contents.count("entries", [""] * number)
    found.fits, found.failed = [(format, [], contents)], []
    return True


def _is_bare(found: Diagnosis, start: bytes) -> bool:
    """Whether a table of records is lines of two columns, the first of which names no fields."""
    names = header_of(start)
    return (
        [each.kind for each, _, _ in found.fits] == ["record-table"] and len(names) == 2 and set(names).isdisjoint(IDS)
    )


def _is_whole(format: Format, start: bytes) -> bool:
    """Whether a file of a format cannot be read in part; a table may be Parquet."""
    return format.kind in _WHOLE or start.startswith(b"PAR1")


def _is_stream(source: Source) -> bool:
    """Whether a source can be read only once, or is bytes."""
    return not isinstance(source, str | os.PathLike) or str(source) == "-"


def _is_file_only(start: bytes) -> bool:
    """Whether content that begins like this needs a reader that wants a file, or reads it more than once."""
    formats = formats_of(start[:HEAD], cut=True)
    archive = start[:4] == b"PK\x03\x04" or start[257:262] == b"ustar"
    return archive or any(each.kind in FILES_ONLY for each in formats)


def _renamed(found: Diagnosis, before: str, place: str) -> Diagnosis:
    """Findings in a copy, reworded for the original."""

    def said(problem: Problem) -> Problem:
        path = None if problem.path is None else problem.path.replace(before, place)
        return replace(problem, message=problem.message.replace(before, place), path=path)

    found.path = found.findings.place = place
    found.findings.found[:] = [replace(each, problem=said(each.problem)) for each in found.findings.found]
    for _, _, contents in found.fits:
        contents.place = place
    found.failed = [(format, said(problem)) for format, problem in found.failed]
    return found


def _told(found: Diagnosis, start: bytes) -> str:
    """The format and the columns of a table or the fields of JSON."""
    assert found.format is not None
    assert found.contents is not None
    kind = found.format.kind
    if found.readings:
        return "columns, the last two are tags"
    if kind == "record-table":
        rows = [each for data in found.contents.data for each in data["records"]]
        columns = dict.fromkeys(name for row in rows for name in row)
        answers = {name: sum(_is_json(row.get(name)) for row in rows) for name in columns}
        told = [f"{name} is JSON in {count}" for name, count in answers.items() if 0 < count < len(rows)]
        return "; ".join([f"CSV with {', '.join(columns)}: {counted(len(rows), 'row')}", *told])
    if kind in ("prodigy", "doccano", "label-studio", "answers", "records"):
        values = [each for each in json_values(start.decode("utf-8", "replace")) if isinstance(each, Mapping)]
        return f"{found.format.name} ({', '.join(list(values[0])[:_SHOWN])})" if values else ""
    return ""


def _is_json(cell: object) -> bool:
    """Whether a cell is an object or a list."""
    import json

    try:
        return isinstance(cell, str) and cell.lstrip()[:1] in ("{", "[") and json.loads(cell) is not None
    except (ValueError, RecursionError):
        return False


def _can_be_cut(start: bytes) -> bool:
    """Whether the beginning of a file can be read without the rest: not XML, and not an object that continues."""
    start = start.removeprefix(BOM).lstrip()
    return not start.startswith((b"<", b"{")) or bool(
        json_values(start[: start.find(b"\n") + 1].decode("utf-8", "replace"))
    )


def _validate(found: Diagnosis, source: Source) -> None:
    """The findings of the task's validator; validators that need more information are left to their commands."""
    if found.format is None or not found.uses or found.folder:
        return
    if found.format.kind == JSONL and found.format != FORMATS[JSONL]:
        return  # lines of another shape that was understood
    use, named = found.uses[0], _Named(source, found.path) if isinstance(source, bytes) else source
    if use.task == "coref":
        from adjudge.formats.coreference import check_coreference

        report = check_coreference(source, name=found.path, severity=_SAID)
    elif use.task in families():
        from adjudge.evaluate.validation import Checks
        from adjudge.tasks.task import family_task

        task = family_task(find_family(use.task), use.reader, metrics=use.metrics)
        # Lines of records may be model answers, which need not be parsable.
        side = "system" if found.format.side == "system" or use.task == "record" else "gold"
        report = task.validate(named, Checks(severity=_SAID, side=side))
    else:
        return
    found.findings.take(report)


_SAID: Severities = {"note": "off"}  # notes are shown with the contents


class _Named(io.BytesIO):
    """The beginning of a file under the name of the file."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def _mode(path: str | os.PathLike[str]) -> int:
    try:
        return Path(path).stat().st_mode
    except (OSError, ValueError) as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else str(error)
        raise UsageError(Problem(reason, path=os.fspath(path), hint="check the path")) from None


def _compression(path: Source) -> str:
    if isinstance(path, str | os.PathLike) and str(path) != "-":
        with open(path, "rb") as stream:  # noqa: PTH123
            magic = stream.read(4)
    else:
        magic = path[:4] if isinstance(path, bytes) else b""
    return packing(magic)


def _check_bytes(start: bytes, found: Diagnosis) -> None:
    """The encoding, and what looks wrong with the bytes."""
    odd = found.findings
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        found.encoding = "UTF-16"
        odd.add("encoding", "the file is in UTF-16", 1, 1, "save it as UTF-8")
        return
    if start[:4] in (b"PAR1", b"PK\x03\x04") or start[:2] == DOCBIN or start[257:262] == b"ustar":
        return
    if start.startswith(b"SQLite format 3\0"):
        return
    try:
        text = start.decode()
    except UnicodeDecodeError as error:
        if found.seen is None or error.start < len(start) - 4:
            found.encoding = "not UTF-8"
            line = start.count(b"\n", 0, error.start) + 1
            odd.add("encoding", f"the byte 0x{start[error.start]:02x} is not UTF-8", line, None, "save it as UTF-8")
            return
        text = start[: error.start].decode()
    found.encoding = "ASCII" if text.isascii() else "UTF-8"
    if start.startswith(BOM):
        odd.warn("bom", "the file begins with a byte order mark", 1, 1, "some programs cannot read it")
    lines, pairs, returns = text.count("\n"), text.count("\r\n"), text.count("\r")
    if 0 < pairs < lines:
        odd.warn("line-ends", f"{pairs} of {lines} lines end with CR LF", None, None, "use one kind of line ends")
    elif returns > pairs:
        odd.warn("line-ends", f"{returns - pairs} CR that end no line", None, None, "use one kind of line ends")
    if "\0" in text:
        odd.add("null", "there are null characters", text.count("\n", 0, text.index("\0")) + 1, None, "remove them")


def _cut(start: bytes, kind: str) -> bytes:
    """The beginning of a file up to a place where a document ends."""
    mark = {"conll": b"\n#end document", "tbf": b"\n#EndOfDocument"}.get(kind)
    if kind in ("docred", "docred-result", "docred-facts") or start.lstrip()[:1] == b"[":
        import msgspec

        return msgspec.json.encode(json_values(start.decode("utf-8", "replace")))
    if mark is None:
        mark = b"\n\n" if kind in ("bio", "bio-both", "conllu", "corefud", "penman", "muc4") else b"\n"
    at = start.rfind(mark)
    end = start.find(b"\n", at + 1) if at >= 0 else -1
    return start[: (end if end >= 0 else at if at >= 0 else len(start)) + 1]


def _examine_folder(folder: Path, found: Diagnosis) -> None:
    found.folder = True
    if (own := folder_kind(folder)) is not None:
        found.fits = [(own, [], Contents(found.path))]
        return
    formats, files = folder_formats(folder)
    found.files = len(files)
    whole = [
        each for each in formats if each.kind in ("eal", "eal-key", "brat", "ace", "ere", "scirex-output", "dataset")
    ]
    for format in whole:
        _fit(found, format, folder)
    if whole:
        return
    from adjudge.formats.source import is_shard

    shards = [path for path in files if is_shard(path.name)]
    if shards and formats and formats[0].kind in ("jsonl", "kb-documents", "parquet"):
        part = examine(str(shards[0]))
        found.fits, found.failed, found.seen = part.fits, part.failed, part.seen or shards[0].stat().st_size
        return
    names = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    own = formats[0] if formats else None if names else files_kind(files, map(head_of, files))
    if own is not None:
        found.fits = [(own, [], Contents(found.path, [path.name for path in files]))]
        return
    several = Format("folder", "folders and files of several formats" if names else "files of several formats")
    if not _tell_each(found, several, {path.name: path for path in (*names, *files)}):
        shown = f"{', '.join(path.name for path in names[:3])}{', ...' * (len(names) > 3)}"
        found.looks = f"a folder of {len(names)} folders ({shown})" if names else f"a folder of {len(files)} files"


def _examine_archive(found: Diagnosis) -> None:
    """The files in an archive that no command reads directly; why it cannot be unpacked is already reported."""
    from adjudge.formats.archive import open_archive

    with suppress(AdjudgeError), open_archive(found.path) as archive:
        files = {name: path for name, path in archive.entries.items() if path is not None}
        if is_program(files):
            found.fits = [(COMPANIONS["serve-program"], [], Contents(found.path))]
            return
        name = f"an archive of {counted(len(files), 'file')}; unpack it, and pass them"
        _tell_each(found, Format("archive", name), files)


def _tell_each(found: Diagnosis, whole: Format, files: Mapping[str, Path]) -> bool:
    """What each file is, if any of them is recognised."""
    looked = islice(files.items(), _FILES)
    told = {name: format for name, path in looked if (format := _format_of(path)) is not None}
    notes = [f"{name}: {format.name}" for name, format in told.items()]
    found.fits = [(whole, [], Contents(found.path, [*told], notes=notes))] if told else []
    return bool(told)


def _format_of(path: Path) -> Format | None:
    """The most likely format of a file or folder, by its beginning alone."""
    if path.is_dir():
        formats, files = folder_formats(path)
        return folder_kind(path) or next(iter(formats), None) or files_kind(files, map(head_of, files))
    head = head_of(path)
    text = _decoded(head)
    return certain(text) or next(iter(formats_of(head, cut=True)), None) or likely(text)


def _fit(found: Diagnosis, format: Format, source: Source) -> None:
    """Read a source in a format, and record what it can be used for, or why it cannot be read."""
    if format.kind in ("jsonl", "parquet"):
        contents = _attempt(found, format, source)
        mine = format.kind == "jsonl" and not found.fits
        if contents is None and mine and (other := _other_shape(found, source)) is not None:
            found.failed = []
            found.fits.append(other)
            return
        if contents is None or (found.fits and format.kind == "jsonl"):
            return
        uses = [Use(task, JSONL, metrics) for task, metrics in tasks_of(contents.data).items()]
        if not uses and mine and (other := _other_shape(found, source)) is not None:
            found.fits.append(other)
            return
        found.fits.append((format, uses, contents))
        return
    uses, last, reader = [], None, ""
    for use in uses_of(format.kind) or [Use("")]:
        if last is None or use.reader != reader:
            last, reader = _attempt(found, format, source, use) or last, use.reader
        if last is not None:
            contents = last
            if not use.task or use.task not in families() or _has_items(use, contents):
                uses.append(use)
    if last is not None:
        found.fits.append((format, [use for use in uses if use.task], last))


def _other_shape(found: Diagnosis, source: Source) -> tuple[Format, list[Use], Contents] | None:
    """JSON lines in a shape that is coerced like data in memory: the first task that understands them."""
    from adjudge.formats.exported import understood
    from adjudge.formats.exports import read_values
    from adjudge.tasks.contents import counted_documents
    from adjudge.tasks.conventions import LINES

    try:
        values = read_values(source, name=found.path)
    except AdjudgeError:
        return None
    fields = {key for each in values.values if isinstance(each, Mapping) for key in each}
    for kind, names in LINES.items():
        if kind == "linking" or fields.isdisjoint(names):
            continue
        try:
            reading = understood(kind, values, {}, {})[0]
        except AdjudgeError:
            continue
        contents = counted_documents(found.path, values.corpus(reading))
        unit = {"token": "tokens", "char": "characters"}.get(reading.unit or "", "")
        name = f"JSON lines ({_shape(reading.shape, values.values)})"
        return Format("jsonl", name, unit), [Use(kind, JSONL)], contents
    return None


def _shape(shape: str, values: Sequence[Any]) -> str:
    """A shape, with the fields of the first item if there is one."""
    items = (item for each in values if isinstance(each, Mapping) for name in ITEMS for item in each.get(name) or ())
    first = next((item for item in items if isinstance(item, Mapping)), {})
    return f"{shape.partition(' ')[0]} with {', '.join(map(str, list(first)[:_SHOWN]))}" if first else shape


def _fit_others(found: Diagnosis, start: bytes) -> None:
    """Try the readers of families whose formats are not detected."""
    readers = [(name, key, own) for name in families() for key, own in find_family(name).readers.items()]
    known = {own.gold.partition(":")[0] for _, key, own in readers if key in FORMATS}
    for name, key, own in readers:
        if own.gold.partition(":")[0] not in known:
            format = Format(key, own.about)
            if contents := _attempt(found, format, start, Use(name, key)):
                found.fits.append((format, [Use(name, key)], contents))


def _has_items(use: Use, contents: Contents) -> bool:
    """Whether there is anything that the task compares; a file without any items may be for any task."""
    if sum(each.total() for each in contents.items.values()) == 0:
        return True
    from adjudge.metrics.registry import find

    fields = {member.within for name in use.scored for member in find(name).members}
    return any(isinstance(data, Mapping) and any(data.get(str(each)) for each in fields) for data in contents.data)


def _attempt(found: Diagnosis, format: Format, source: Source, use: Use = Use("")) -> Contents | None:  # noqa: B008
    known = find_reader(use.reader, use.task) if use.reader else None
    where = "" if known is None else (known.system or known.gold) if format.side == "system" else known.gold
    try:
        return read_contents(format, where, source, found.path)
    except AdjudgeError as error:
        if not any(each.kind == format.kind for each, _ in found.failed):
            found.failed.append((format, error.problems[0]))
    except (RecursionError, MemoryError):
        found.failed.append((format, Problem("nested too deeply", path=found.path)))
    return None
