"""What a file or folder is, what looks wrong with it, which commands accept it, and the next one to type."""

from __future__ import annotations

import io
import os
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile

from msgspec.structs import replace

from adjudge.bounded import packing
from adjudge.errors import AdjudgeError, Problem, UsageError
from adjudge.findings import Findings, Severities, counted
from adjudge.formats import companions
from adjudge.formats.coerce.corpus import IDS
from adjudge.formats.json_file import json_values
from adjudge.formats.kinds import FORMATS, Format, file_formats, formats_of
from adjudge.formats.recognise import DOCBIN, header_of, looks_like
from adjudge.formats.source import BOM, HEAD, Source, head_of, opened, read_block, source_name
from adjudge.tasks.contents import Contents, check_contents
from adjudge.tasks.family import JSONL, families, find_family
from adjudge.tasks.fitting import GRAPHS, SHOWN, Diagnosis, Use, attempt, fit, fit_others, uses_of

LOOKED = 1 << 20  # bytes of a file that are examined
CHECKED = 1 << 17  # bytes whose documents are compared with themselves, which may take long
WHOLE = 1 << 25  # maximum size in bytes of a file that can only be read whole
_WHOLE = ("ace", "parquet", "spacy", "inspect", "dataset", *GRAPHS)  # formats that cannot be read in part
FILES_ONLY = ("parquet", "dataset", "spacy", "inspect")
"""What is not read from a stream."""
_FILES = 12  # files listed of a folder of several formats
_ATTEMPTS = ("jsonl", "conll", "bio", "triples", "conllu", "penman", "tbf")


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
    remembered = companions.COMPANIONS["eal-state"] if Path(found.path).parent.name == companions.MEMORY else None
    if _fit_companion(found, start, companions.certain(_decoded(start)) or remembered):
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
        fit(found, format, Path(own) if isinstance(own, str) else own)
    if archive and not found.fits:
        _examine_archive(found)
    if not found.fits and not archive:
        fit_others(found, start)
    if not (archive or more) and (not found.fits or _is_bare(found, start)):
        _fit_companion(found, start, companions.likely(_decoded(start)))
    if not found.fits and not formats and start.strip() and not archive:
        for kind in _ATTEMPTS[:1] if look is not None and look.kind.startswith("json") else _ATTEMPTS:
            attempt(found, FORMATS[kind], start, next(iter(uses_of(kind)), Use("")))
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
    if number := companions.told(format.kind, _decoded(start)):
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
        return f"{found.format.name} ({', '.join(list(values[0])[:SHOWN])})" if values else ""
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
    if (own := companions.folder_kind(folder)) is not None:
        found.fits = [(own, [], Contents(found.path))]
        return
    formats, files = companions.folder_formats(folder)
    found.files = len(files)
    whole = [
        each for each in formats if each.kind in ("eal", "eal-key", "brat", "ace", "ere", "scirex-output", "dataset")
    ]
    for format in whole:
        fit(found, format, folder)
    if whole:
        return
    from adjudge.formats.source import is_shard

    shards = [path for path in files if is_shard(path.name)]
    if shards and formats and formats[0].kind in ("jsonl", "kb-documents", "parquet"):
        part = examine(str(shards[0]))
        found.fits, found.failed, found.seen = part.fits, part.failed, part.seen or shards[0].stat().st_size
        return
    names = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    own = formats[0] if formats else None if names else companions.files_kind(files, map(head_of, files))
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
        if companions.is_program(files):
            found.fits = [(companions.COMPANIONS["serve-program"], [], Contents(found.path))]
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
        formats, files = companions.folder_formats(path)
        return (
            companions.folder_kind(path)
            or next(iter(formats), None)
            or companions.files_kind(files, map(head_of, files))
        )
    head = head_of(path)
    text = _decoded(head)
    return companions.certain(text) or next(iter(formats_of(head, cut=True)), None) or companions.likely(text)
