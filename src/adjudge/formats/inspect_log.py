"""Logs of Inspect (`.eval`, a zip archive, or `.json`): what a model answered to every sample, and the target.

As gold a log has its targets, as a system the completions, so that two logs are two systems on the same samples. A
sample of several epochs is several documents.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from adjudge.errors import FormatError, Problem
from adjudge.formats.answers import answered
from adjudge.formats.json_file import read_json
from adjudge.formats.source import Source, Whole, read_bytes, read_whole
from adjudge.model.document import Corpus, Document

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
        raise FormatError(Problem("this is no log of Inspect", path=whole.place, line=1, hint=hint))
    yield from values


def _zipped(whole: Whole) -> Iterator[Mapping[str, Any]]:
    try:
        with zipfile.ZipFile(io.BytesIO(whole.data)) as archive:
            entries = [each for each in archive.infolist() if each.filename.startswith("samples/")][:_MANY]
            for each in entries:
                value = _json(_member(archive, each, whole), f"{whole.place}/{each.filename}")
                if not isinstance(value, Mapping):
                    raise FormatError(Problem("a sample is no object", path=f"{whole.place}/{each.filename}", line=1))
                yield value
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
        message = f"the archive cannot be read ({error})"
        raise FormatError(Problem(message, path=whole.place, hint="copy or create the file again")) from None


def _member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, whole: Whole) -> bytes:
    """The bytes of a file in the archive; what is compressed with zstd, the standard library cannot unpack."""
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
