"""Files of values that may also be in memory: exports of annotation tools, answers of models, CSV.

JSON lines, a JSON array or a table become plain values, which are coerced like values in memory. Logs of Inspect
(`.eval`, a zip archive, or `.json`) have the completion and the target of every sample: as gold, a log stands for its
targets, as a system for its completions, so that two logs are two systems on the same samples. A sample of several
epochs is several documents.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import msgspec

from adjudge.errors import FormatError, Problem
from adjudge.findings import raise_problems
from adjudge.formats.answers import answered
from adjudge.formats.bio import BOUNDARY, DOCUMENT
from adjudge.formats.coerce.corpus import ENDS, LINKS, STARTS, Declared, Table
from adjudge.formats.coerce.relations import OBJECTS, SUBJECTS
from adjudge.formats.coerce.side import Reading
from adjudge.formats.coerce.tables import id_column
from adjudge.formats.exported import Values, understood
from adjudge.formats.json_file import json_fault, parse_json, read_folder_digest, read_json
from adjudge.formats.source import Source, Whole, read_bytes, read_text, read_whole, source_name
from adjudge.model.document import Corpus, Document

_NUMBERS = frozenset((*STARTS, *ENDS))
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?")  # as JSON has them; 007 is not a number
_OFFSET = re.compile(r"(-?\d{1,15})(?:\.0*)?")  # pandas writes 36.0 in a column with gaps
_HEAD = ["subject", "relation", "object"]


def read_values(source: Source, *, name: str | None = None, reader: str = "", gold: bool = False) -> Values:
    r"""The values of JSON lines or an array, or of the reader's own kind of file.

    A log has other values as `gold` than as a system.

    >>> read_values(b'[{"text": "Ada"},\n {"text": "Bo"}]').lines
    [1, 2]
    """
    if reader == "dataset":
        from adjudge.formats.binary_values import dataset_table

        table, place = dataset_table(source), name or source_name(source)
        return Values(place, read_folder_digest(source), table, list(range(1, len(table.rows) + 1)))
    if reader in ("spacy", "inspect"):
        whole = read_whole(source, name=name)
        listed = _binary(whole, reader, gold=gold)
        return Values(whole.place, whole.digest, listed, list(range(1, len(listed) + 1)))
    whole, text = read_text(source, name=name)
    if reader == "labels":
        rows = [line.split() for line in text.split("\n")]
        return Values(whole.place, whole.digest, *_labels(rows))
    if reader in ("csv", "triples"):
        return Values(whole.place, whole.digest, *(_table if reader == "csv" else _triples)(text, whole.place))
    found = _array(text, whole.place) if text.lstrip()[:1] == "[" else _lines(text, whole.place)
    return Values(whole.place, whole.digest, [value for value, _ in found], [line for _, line in found])


def _binary(whole: Whole, reader: str, *, gold: bool) -> list[Any]:
    if reader == "spacy":
        from adjudge.formats.binary_values import docbin_documents

        return docbin_documents(whole)
    return [each.data for each in samples(whole, "target" if gold else "output")]


def _labels(rows: list[list[str]]) -> tuple[list[list[str]], list[int]]:
    """The last columns of sentences, whatever they contain, and the lines where they begin."""
    found: list[list[str]] = []
    lines: list[int] = []
    inside = False
    for number, row in enumerate(rows, 1):
        if len(row) < 2 or row[0] in (DOCUMENT, BOUNDARY):
            inside = False
            continue
        if not inside:
            found.append([])
            lines.append(number)
        inside = True
        found[-1].append(row[-1])
    return found, lines


def _triples(text: str, place: str) -> tuple[list[dict[str, Any]], list[int]]:
    """Documents of triples: subject, relation and object separated by TABs, then the document if there are several."""
    found: dict[str, dict[str, Any]] = {}
    lines: list[int] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not line.strip() or (line.startswith("#") and len(cells) == 1) or (number == 1 and cells[:3] == _HEAD):
            continue
        if len(cells) not in (3, 4) or not all(cells[:3]):
            hint = "write subject, relation and object separated by TABs, and the document if there are several"
            problems.append(Problem("no triple", path=place, line=number, hint=hint))
            continue
        key = cells[3] if len(cells) == 4 else "1"
        if key not in found:
            found[key] = {"id": key, "triples": []}
            lines.append(number)
        found[key]["triples"].append({"subject": cells[0], "relation": cells[1], "object": cells[2]})
    raise_problems(problems, place)
    return list(found.values()), lines


def _array(text: str, place: str) -> list[tuple[Any, int]]:
    values = parse_json(text, place)
    decoder, found, line, done = json.JSONDecoder(), [], 1, 0
    at = text.index("[") + 1
    for value in values:
        while text[at].isspace() or text[at] == ",":
            at += 1
        line += text.count("\n", done, at)
        done = at
        found.append((value, line))
        at = decoder.raw_decode(text, at)[1]
    return found


def _lines(text: str, place: str) -> list[tuple[Any, int]]:
    found: list[tuple[Any, int]] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found.append((msgspec.json.decode(line), number))
        except (msgspec.DecodeError, RecursionError):
            if number == 1 and text.lstrip()[:1] == "{" and "\n" in text.strip():
                try:  # one object over several lines
                    return [(json.loads(text), 1)]
                except (ValueError, RecursionError):
                    pass
            message, column, hint = json_fault(line, "line")
            problems.append(
                Problem(message, path=place, line=number, column=None if column is None else column + 1, hint=hint)
            )
    raise_problems(problems, place)
    return found


def _table(text: str, place: str) -> tuple[Table, list[int]]:
    """The rows of a table whose first line names the columns, separated by the most frequent separator in it."""
    first = text.partition("\n")[0]
    separator = max((",", "\t", ";"), key=first.count)
    rows = csv.reader(io.StringIO(text), delimiter=separator)
    columns: list[str] = []
    made: list[dict[str, Any]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    while True:
        try:
            cells = next(rows)
        except StopIteration:
            break
        except csv.Error as error:
            problems.append(
                Problem(f"not a row of a table ({error})", path=place, line=rows.line_num, hint="is it CSV?")
            )
            break
        if not cells:
            continue
        if not columns:
            columns = [name.strip() for name in cells]
            continue
        if len(cells) != len(columns):
            message = f"{len(cells)} cells, and the first line names {len(columns)} columns"
            problems.append(Problem(message, path=place, line=rows.line_num, hint="quote cells with separators"))
            continue
        made.append({name: _cell(name, cell) for name, cell in zip(columns, cells, strict=True)})
        lines.append(rows.line_num)
    raise_problems(problems, place)
    return Table(tuple(columns), made), lines


def _cell(name: str, text: str) -> Any:
    if not text:
        return None
    if name not in _NUMBERS:
        return text
    found = _OFFSET.fullmatch(text.strip())
    return int(found[1]) if found else _number(text)


def read_export(source: Source, *, name: str | None = None, reader: str = "") -> Corpus:
    r"""The documents of one file without the other side: its entities, and its relations or links if it has any.

    >>> read_export(b'{"id": 1, "text": "Ada", "label": [[0, 3, "PER"]]}').documents[0].data["entities"]
    [{'span': {'start': 0, 'end': 3}, 'type': 'PER'}]
    """
    values = read_values(source, name=name, reader=reader)
    columns = values.values.columns if isinstance(values.values, Table) else ()
    kinds = ("ner", "linking") if not set(LINKS).isdisjoint(columns) else ("ner",)
    if reader == "triples" or not any(set(names).isdisjoint(columns) for names in (SUBJECTS, OBJECTS)):
        kinds = ("relation",)
    elif reader not in ("csv", "spacy", "dataset"):
        kinds = ("ner", "relation")
    found: list[Reading] = []
    errors: list[FormatError] = []
    if not values.lines:
        raise FormatError(Problem("there is no document in the file", path=values.place, hint="is it the right file?"))
    for kind in kinds:
        try:
            found.append(understood(kind, values, {}, {})[0])
        except FormatError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    first, *others = found
    for other in others:
        for key, each in other.documents.items():
            mine = first.documents.get(key)
            if mine is not None:  # else it was left out
                first.documents[key] = msgspec.structs.replace(mine, data={**each.data, **mine.data})
    notes = {(each.code, each.message): each for reading in found for each in reading.notes}
    return values.corpus(msgspec.structs.replace(first, notes=tuple(notes.values())))


read_csv = partial(read_export, reader="csv")
read_triple_lines = partial(read_export, reader="triples")
read_docbin = partial(read_export, reader="spacy")
read_dataset = partial(read_export, reader="dataset")
read_log = partial(read_export, reader="inspect")


def read_record_table(source: Source, *, name: str | None = None) -> Corpus:
    r"""The records of a table whose first line names the columns, one per row; numeric cells become numbers.

    >>> read_record_table(b"id,vendor,total\na,Acme,10\n").documents[0].data
    {'id': 'a', 'records': [{'vendor': 'Acme', 'total': 10}]}
    """
    values = read_values(source, name=name, reader="csv")
    table: Table = values.values
    column = id_column(table.columns, Declared())
    found: dict[str, Document] = {}
    for place, (row, line) in enumerate(zip(table.rows, values.lines, strict=True), 1):
        key = str(place) if column is None or row[column] is None else str(row[column])
        record = {each: _number(cell) for each, cell in row.items() if each != column and cell is not None}
        own = found.setdefault(key, Document(id=key, data={"id": key, "records": []}, line=line))
        own.data["records"].append(record)
    if not found:
        raise FormatError(Problem("there is no row in the table", path=values.place, line=1, hint="name another file"))
    return Corpus(path=values.place, documents=tuple(found.values()), digest=values.digest)


def _number(cell: Any) -> Any:
    if not isinstance(cell, str) or not _DECIMAL.fullmatch(cell.strip()):
        return cell
    return float(cell) if "." in cell else int(cell)


# ---------------------------------------------------------------------------------------------------------------------
# Logs of Inspect

ZIP = b"PK\x03\x04"
_STORED, _ZSTD = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED), 93
_LARGEST = 256 << 20  # bytes of a sample
_MANY = 100_000


def read_inspect(source: Source, *, name: str | None = None, repair: bool = False) -> Corpus:
    """The answers of a log as documents with `records`.

    >>> log = b'{"version": 2, "samples": [{"id": 1, "target": "[1]", "output": {"completion": "[2]"}}]}'
    >>> read_inspect(log).documents[0].data["records"], read_inspect_gold(log).documents[0].data["records"]
    ([2], [1])
    """
    whole = read_whole(source, name=name)
    return answered(samples(whole, "output"), whole.place, whole.digest, repair=repair)


def read_inspect_gold(source: Source, *, name: str | None = None) -> Corpus:
    """The targets of a log as documents with `records`."""
    whole = read_whole(source, name=name)
    return answered(samples(whole, "target"), whole.place, whole.digest)


def samples(whole: Whole, side: str) -> Iterator[Document]:
    """A document with `output` for each sample: the completion, or the target."""
    found = list(_zipped(whole) if whole.data[:4] == ZIP else _listed(whole))
    if not found:
        raise FormatError(Problem("the log has no samples", path=whole.place, hint="was the evaluation finished?"))
    several = len({str(each.get("epoch", 1)) for each in found}) > 1
    known: set[str] = set()
    for number, each in enumerate(found, 1):
        identifier = str(each.get("id", number)) + (f"-{each.get('epoch')}" if several else "")
        if identifier in known:
            hint = "give every sample its own id"
            raise FormatError(Problem(f"two samples are called {identifier!r}", path=whole.place, hint=hint))
        known.add(identifier)
        text = _completion(each.get("output")) if side == "output" else _target(each.get("target"))
        yield Document(id=identifier, data={"id": identifier, "output": text}, line=number)


def _completion(output: Any) -> str:
    if not isinstance(output, Mapping):
        return ""
    if isinstance(output.get("completion"), str):
        return str(output["completion"])
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, Mapping) else None
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, list):  # parts of several kinds
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _target(target: Any) -> str:
    return "\n".join(map(str, target)) if isinstance(target, list) else str(target or "")


def _listed(whole: Whole) -> Iterator[Mapping[str, Any]]:
    log = read_json(whole.data, name=whole.place)[1]
    values = log.get("samples") if isinstance(log, Mapping) else None
    if not isinstance(values, list) or not all(isinstance(each, Mapping) for each in values):
        hint = "a log is one object with samples"
        raise FormatError(Problem("this is not an Inspect log", path=whole.place, line=1, hint=hint))
    yield from values


def _zipped(whole: Whole) -> Iterator[Mapping[str, Any]]:
    try:
        with zipfile.ZipFile(io.BytesIO(whole.data)) as archive:
            entries = [each for each in archive.infolist() if each.filename.startswith("samples/")][:_MANY]
            for each in entries:
                value = _json(_member(archive, each, whole), f"{whole.place}/{each.filename}")
                if not isinstance(value, Mapping):
                    raise FormatError(
                        Problem("a sample is not an object", path=f"{whole.place}/{each.filename}", line=1)
                    )
                yield value
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
        message = f"the archive cannot be read ({error})"
        raise FormatError(Problem(message, path=whole.place, hint="copy or create the file again")) from None


def _member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, whole: Whole) -> bytes:
    """The bytes of a file in the archive; the standard library cannot unpack zstd."""
    if entry.file_size > _LARGEST:
        raise FormatError(Problem(f"{entry.filename} is larger than {_LARGEST} bytes", path=whole.place))
    if entry.compress_type in _STORED:
        with archive.open(entry) as stream:
            return stream.read(_LARGEST)
    if entry.compress_type != _ZSTD:
        raise NotImplementedError(f"compression {entry.compress_type} of {entry.filename}")
    at = entry.header_offset
    names = sum(int.from_bytes(whole.data[at + place : at + place + 2], "little") for place in (26, 28))
    start = at + 30 + names
    return read_bytes(whole.data[start : start + entry.compress_size], f"{whole.place}/{entry.filename}")


def _json(data: bytes, place: str) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(Problem(f"no JSON ({error})", path=place, line=1, hint="is it a log of Inspect?")) from None
