"""What `read` gives: documents as they are compared, what their source was taken for, and how they are saved."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, overload

import msgspec

from adjudge.errors import UsageError, did_you_mean
from adjudge.evaluate.task import Side
from adjudge.files import write_atomically
from adjudge.formats.coerce.corpus import is_list
from adjudge.formats.coerce.native import NATIVE
from adjudge.model.document import Document, Reading


class Corpus:
    """Documents of one source, in order; by number or by id. Its `reading` says what the source was taken for."""

    def __init__(self, side: Side, reading: Reading, task: str) -> None:
        self._side, self.reading, self.task = side, reading, task

    @classmethod
    def of(cls, side: Side, task: str) -> Corpus:
        """What was read of a side."""
        ids = "position" if side.paired_by_place else "given"
        usual = Reading(shape="documents", documents=len(side.documents), ids=ids)
        return cls(side, side.reading or usual, task)

    def side(self, name: str) -> Side:
        """The same as a side of an evaluation."""
        return replace(self._side, name=name)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the documents."""
        return tuple(self._side.documents)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self._data(name) for name in self._side.documents)

    def __len__(self) -> int:
        return len(self._side.documents)

    @overload
    def __getitem__(self, which: int | str) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, which: slice) -> list[dict[str, Any]]: ...

    def __getitem__(self, which: int | str | slice) -> Any:
        if isinstance(which, slice):
            return [self[name] for name in self.ids[which]]
        name = self.ids[which] if isinstance(which, int) else which
        if name not in self._side.documents:
            raise UsageError(f"there is no document {name!r}", hint=did_you_mean(name, self.ids) or "see ids")
        return self._data(name)

    def _data(self, name: str) -> dict[str, Any]:
        """A document as plain data, its id first."""
        document = self._side.documents[name]
        data = document.data if isinstance(document, Document) else document
        if hasattr(data, "chains"):  # of coreference
            return {"id": name, "clusters": [[list(each[:2]) for each in chain.mentions] for chain in data.chains]}
        if not isinstance(data, Mapping) and not is_list(data) and not isinstance(data, str):
            data = msgspec.to_builtins(data, enc_hook=vars)
        if not isinstance(data, Mapping):
            return {"id": name, NATIVE.get(self.task, "value"): data}
        found = {"id": name, **{key: value for key, value in data.items() if key != "id"}}
        if self.task in ("coref", "amr"):
            found = msgspec.json.decode(msgspec.json.encode(found))  # whose tuples are lists
        if self.task == "record" and isinstance(found.get("records"), Mapping):
            found["records"] = [found["records"]]
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the documents as JSON lines, atomically."""
        write_atomically(path, b"".join(msgspec.json.encode(each) + b"\n" for each in self))

    def __repr__(self) -> str:
        return f"<{self.task or 'documents'}: {str(self.reading).partition(chr(10))[0]}>"

    def _repr_html_(self) -> str:
        from adjudge.stats.notebook import corpus_html

        return corpus_html(list(self[:3]), len(self), str(self.reading))
