"""Forms with files, as their bytes come: the file of one that is streamed is never in memory or on the disk as a whole.

The parser of Starlette gives a form once all of it is here, its files spooled to a temporary folder: too late to refuse
a token, a deadline or a size before gigabytes have come, and each of them would be written twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import msgspec

from adjudge.serve.messages import Fault

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

_FIELDS, _FILES = 20, 1000
_LONGEST = 4000  # bytes of a field or a header
_SLOWEST = 30  # seconds for what comes before the file
logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # errors go to the sender, not to the log


class Part(msgspec.Struct):
    """A field, or a file: then it has the name of that."""

    name: str
    file: str | None
    data: list[bytes] = []
    size: int = 0


class Form:
    """The parts of a form so far. A streamed one has its fields first, then its file; what follows it is ignored."""

    def __init__(self, content_type: str) -> None:
        from python_multipart.multipart import MultipartParser, parse_options_header

        kind, options = parse_options_header(content_type)
        boundary = options.get(b"boundary", b"")
        if kind != b"multipart/form-data" or not 0 < len(boundary) <= 200:
            raise Fault(400, "this is not a form with a file", "send multipart/form-data, or PUT the bytes")
        self.parts: list[Part] = []
        self._ended = False
        self._header, self._disposition = [b"", b""], b""  # a name and its text
        callbacks: MultipartCallbacks = {
            "on_header_field": lambda data, start, end: self._more_header(0, data[start:end]),
            "on_header_value": lambda data, start, end: self._more_header(1, data[start:end]),
            "on_header_end": self._header_ended,
            "on_headers_finished": self._part_begins,
            "on_part_data": lambda data, start, end: self._more_data(data[start:end]),
            "on_end": lambda: setattr(self, "_ended", True),
        }
        self._parser = MultipartParser(boundary, callbacks)

    def feed(self, data: bytes) -> None:
        """Read what comes next; without any, that is the end."""
        from python_multipart.exceptions import MultipartParseError

        if not data and not self._ended:
            raise Fault(400, "the form is cut off", "send it again")
        try:
            self._parser.write(data)
        except MultipartParseError as error:
            raise Fault(400, f"this is not a form: {error}", "send multipart/form-data, or PUT the bytes") from None

    @property
    def fields(self) -> dict[str, str]:
        """The fields that are here."""
        return {each.name: b"".join(each.data).decode("utf-8", "replace") for each in self.parts if each.file is None}

    @property
    def files(self) -> list[Part]:
        """The files that are here, as far as they are."""
        return [each for each in self.parts if each.file is not None]

    def _more_header(self, which: int, data: bytes) -> None:
        self._header[which] += _short(data, len(self._header[which]))

    def _header_ended(self) -> None:
        if self._header[0].lower() == b"content-disposition":
            self._disposition = self._header[1]
        self._header = [b"", b""]

    def _part_begins(self) -> None:
        from python_multipart.multipart import parse_options_header

        given = {
            key: text.decode("utf-8", "replace") for key, text in parse_options_header(self._disposition)[1].items()
        }
        self._disposition, file = b"", given.get(b"filename")
        named = None if file is None else file.replace("\\", "/").rpartition("/")[2]
        self.parts.append(Part(given.get(b"name", ""), named))
        files = len(self.files)
        if len(self.parts) - files > _FIELDS or files > _FILES:
            raise Fault(400, f"more than {_FIELDS} fields, or {_FILES} files", "use the page")

    def _more_data(self, data: bytes) -> None:
        part = self.parts[-1]
        part.data.append(data if part.file is not None else _short(data, part.size))
        part.size += len(data)

    async def start(self, stream: AsyncIterator[bytes]) -> str:
        """Read up to the file; what that is called."""
        try:
            async with asyncio.timeout(_SLOWEST):
                while not self.files:
                    data = await anext(stream, b"")
                    if not data:
                        raise Fault(400, "there is no file in the form", "call the field `file`, after the others")
                    self.feed(data)
        except TimeoutError:
            raise Fault(400, "the form is too slow", "send it again") from None
        return self.files[0].file or ""

    async def content(self, stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The bytes of the file."""
        while True:
            first, *others = self.files
            for part in others:
                part.data.clear()
            while first.data:
                yield first.data.pop(0)
            data = await anext(stream, b"")
            self.feed(data)
            if not data:
                return


def _short(data: bytes, known: int) -> bytes:
    if known + len(data) > _LONGEST:
        raise Fault(400, f"a field or a header is longer than {_LONGEST} bytes", "use the page")
    return data


def read_form(content_type: str, whole: bytes) -> Form:
    """A form that is here as a whole."""
    form = Form(content_type)
    for data in (whole, b""):
        form.feed(data)
    return form
