"""Forms with files: one whose file is streamed, of which little is in memory, and one that is here as a whole."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from adjudge.serve.messages import Fault

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

_FIELDS, _FILES = 20, 1000
_LONGEST = 4000  # bytes of a field or a header
_SLOWEST = 30  # seconds for what comes before the file
logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # whoever sends nonsense is told, not the log


class _Part:
    """A field, or a file: then it has the name of that."""

    def __init__(self) -> None:
        self.headers: dict[bytes, bytes] = {}
        self.name = ""
        self.file: str | None = None
        self.data: list[bytes] = []
        self.size = 0


class _Parser:
    """The parts of a form, as its bytes come."""

    def __init__(self, content_type: str) -> None:
        from python_multipart.multipart import MultipartParser, parse_options_header

        kind, options = parse_options_header(content_type)
        boundary = options.get(b"boundary", b"")
        if kind != b"multipart/form-data" or not 0 < len(boundary) <= 200:
            raise Fault(400, "this is not a form with a file", "send multipart/form-data, or PUT the bytes")
        self.parts: list[_Part] = []
        self.ended = False
        self._header, self._text = bytearray(), bytearray()
        callbacks: MultipartCallbacks = {
            "on_part_begin": self._begin,
            "on_header_field": self._header_field,
            "on_header_value": self._header_value,
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers,
            "on_part_data": self._data,
            "on_end": self._finish,
        }
        self._parser = MultipartParser(boundary, callbacks)

    def feed(self, data: bytes) -> None:
        """Read what comes next."""
        from python_multipart.exceptions import MultipartParseError

        try:
            self._parser.write(data)
        except MultipartParseError as error:
            raise Fault(400, f"this is not a form: {error}", "send multipart/form-data, or PUT the bytes") from None

    def fields(self) -> dict[str, str]:
        """The fields that are here."""
        return {each.name: b"".join(each.data).decode("utf-8", "replace") for each in self.parts if each.file is None}

    def _begin(self) -> None:
        self.parts.append(_Part())

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += _short(data, start, end, len(self._header))

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._text += _short(data, start, end, len(self._text))

    def _header_end(self) -> None:
        self.parts[-1].headers[bytes(self._header).lower()] = bytes(self._text)
        self._header.clear()
        self._text.clear()

    def _headers(self) -> None:
        from python_multipart.multipart import parse_options_header

        part = self.parts[-1]
        _, options = parse_options_header(part.headers.get(b"content-disposition", b""))
        part.name = options.get(b"name", b"").decode("utf-8", "replace")
        if b"filename" in options:
            part.file = options[b"filename"].decode("utf-8", "replace").replace("\\", "/").rpartition("/")[2]
        files = sum(each.file is not None for each in self.parts)
        if len(self.parts) - files > _FIELDS or files > _FILES:
            raise Fault(400, f"more than {_FIELDS} fields, or {_FILES} files", "use the page")

    def _data(self, data: bytes, start: int, end: int) -> None:
        part = self.parts[-1]
        piece = data[start:end] if part.file is not None else _short(data, start, end, part.size)
        part.data.append(piece)
        part.size += len(piece)

    def _finish(self) -> None:
        self.ended = True


def _short(data: bytes, start: int, end: int, known: int) -> bytes:
    if known + end - start > _LONGEST:
        raise Fault(400, f"a field or a header is longer than {_LONGEST} bytes", "use the page")
    return data[start:end]


def read_form(content_type: str, whole: bytes) -> tuple[dict[str, str], list[tuple[str, str, bytes]]]:
    """The fields of a form, and its files: the field of each, its name, and its bytes."""
    parser = _Parser(content_type)
    parser.feed(whole)
    _check_whole(parser)
    return parser.fields(), [(each.name, each.file, b"".join(each.data)) for each in parser.parts if each.file]


def _check_whole(parser: _Parser) -> None:
    if not parser.ended:
        raise Fault(400, "the form is cut off", "send it again")


class Form:
    """A form that comes with its fields first, then its file; what follows the file is ignored."""

    def __init__(self, content_type: str, stream: AsyncIterator[bytes]) -> None:
        self._parser = _Parser(content_type)
        self._stream = stream
        self._file: _Part | None = None
        self.fields: dict[str, str] = {}

    @property
    def file(self) -> str:
        """What the file is called."""
        return (self._file and self._file.file) or ""

    async def start(self) -> None:
        """Read up to the file."""
        try:
            async with asyncio.timeout(_SLOWEST):
                while self._file is None:
                    if not await self._more():
                        raise Fault(400, "there is no file in the form", "call the field `file`, after the others")
        except TimeoutError:
            raise Fault(400, "the form is too slow", "send it again") from None
        self.fields = self._parser.fields()

    async def content(self) -> AsyncIterator[bytes]:
        """The bytes of the file."""
        assert self._file is not None
        while True:
            while self._file.data:
                yield self._file.data.pop(0)
            if not await self._more():
                break
        _check_whole(self._parser)

    async def _more(self) -> bool:
        data = await anext(self._stream, None)
        if data is None:
            return False
        self._parser.feed(data)
        if self._file is None:
            self._file = next((each for each in self._parser.parts if each.file is not None), None)
        for each in self._parser.parts:
            if self._file is not None and each is not self._file and each.file is not None:
                each.data.clear()
        return True
