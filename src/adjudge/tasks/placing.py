"""Where in a file something is wrong with a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.errors import Problem
from adjudge.evaluate.task import Side
from adjudge.formats.findings import LIMIT
from adjudge.formats.jsonl import columns as find_columns
from adjudge.formats.source import is_parquet
from adjudge.tasks.observe import Complaint


def placed(side: Side, found: Sequence[tuple[str, Complaint]], *, jsonl: bool) -> Iterator[Problem]:
    """Complaints about the documents of one side with file, line and, in JSON lines, column."""
    own = [(name, side.documents.get(name), each) for name, each in found]
    sought: dict[str, list[tuple[int, str]]] = {}
    there = [(document, each) for _, document, each in own if document is not None and document.line]
    for document, each in there[:LIMIT]:
        sought.setdefault(document.path or side.path, []).append((document.line, each.path))
    places = {
        path: find_columns(path, some) if jsonl and path and not is_parquet(path) else {}
        for path, some in sought.items()
    }
    for identifier, document, each in own:
        where = each.path.removeprefix("$").removeprefix(".")
        line = None if document is None else document.line
        if line is None:
            where = f"document {identifier!r}" + (f", {where}" if where else "")
        message = f"{where}: {each.message}" if where else each.message
        path = side.path if document is None else document.path or side.path
        column = None if line is None else places.get(path, {}).get((line, each.path))
        yield Problem(message, path=path or side.name, line=line, column=column, hint=each.hint)
