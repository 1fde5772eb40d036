"""A form with a file, as it comes: fields first, then the bytes of the file, of which few are in memory."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from adjudge.serve.messages import Fault

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

_FIELDS = 20
_LONGEST = 4000  # bytes of a field or a header
_SLOWEST = 30  # seconds for what comes before the file
logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # whoever sends nonsense is told, not the log


class Form:
    """The fields of a form before its file, and the file."""

    def __init__(self, content_type: str, stream: AsyncIterator[bytes]) -> None:
        from python_multipart.multipart import MultipartParser, parse_options_header

        kind, options = parse_options_header(content_type)
        boundary = options.get(b"boundary", b"")
        if kind != b"multipart/form-data" or not 0 < len(boundary) <= 200:
            raise Fault(400, "this is no form with a file", "send multipart/form-data, or PUT the bytes")
        self.fields: dict[str, str] = {}
        self.file: str | None = None
        self._stream = stream
        self._ready: list[bytes] = []
        self._name, self._value = bytearray(), bytearray()
        self._header, self._text = bytearray(), bytearray()
        self._part: dict[bytes, bytes] = {}
        self._parts = 0
        self._inside = self._ended = False
        callbacks: MultipartCallbacks = {
            "on_part_begin": self._begin,
            "on_header_field": self._header_field,
            "on_header_value": self._header_value,
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers,
            "on_part_data": self._data,
            "on_part_end": self._end,
            "on_end": self._finish,
        }
        self._parser = MultipartParser(boundary, callbacks)

    async def start(self) -> None:
        """Read up to the file."""
        try:
            async with asyncio.timeout(_SLOWEST):
                while self.file is None:
                    if not await self._more():
                        raise Fault(400, "there is no file in the form", "call the field `file`, behind the others")
        except TimeoutError:
            raise Fault(400, "the form is too slow", "send it again") from None

    async def content(self) -> AsyncIterator[bytes]:
        """The bytes of the file, then whatever follows, which is ignored."""
        while True:
            while self._ready:
                yield self._ready.pop(0)
            if not await self._more():
                break
        if not self._ended:
            raise Fault(400, "the form is cut off", "send it again")

    async def _more(self) -> bool:
        from python_multipart.exceptions import MultipartParseError

        part = await anext(self._stream, None)
        if part is None:
            return False
        try:
            self._parser.write(part)
        except MultipartParseError as error:
            raise Fault(400, f"this is no form: {error}", "send multipart/form-data, or PUT the bytes") from None
        return True

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > _FIELDS:
            raise Fault(400, f"more than {_FIELDS} fields", "use the page")
        self._part.clear()
        self._value.clear()

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += _short(data, start, end, len(self._header))

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._text += _short(data, start, end, len(self._text))

    def _header_end(self) -> None:
        self._part[bytes(self._header).lower()] = bytes(self._text)
        self._header.clear()
        self._text.clear()

    def _headers(self) -> None:
        from python_multipart.multipart import parse_options_header

        _, options = parse_options_header(self._part.get(b"content-disposition", b""))
        self._name = bytearray(options.get(b"name", b""))
        self._inside = b"filename" in options and self.file is None
        if self._inside:
            self.file = options[b"filename"].decode("utf-8", "replace").replace("\\", "/").rpartition("/")[2]

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._inside:
            self._ready.append(data[start:end])
        elif self.file is None:
            self._value += _short(data, start, end, len(self._value))

    def _end(self) -> None:
        if not self._inside and self.file is None:
            self.fields[self._name.decode("utf-8", "replace")] = self._value.decode("utf-8", "replace")
        self._inside = False

    def _finish(self) -> None:
        self._ended = True


def _short(data: bytes, start: int, end: int, known: int) -> bytes:
    if known + end - start > _LONGEST:
        raise Fault(400, f"a field or a header is longer than {_LONGEST} bytes", "use the page")
    return data[start:end]
