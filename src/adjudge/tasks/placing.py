"""Where in a file something is wrong with a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.errors import Problem
from adjudge.formats.jsonl import LIMIT
from adjudge.formats.jsonl import columns as find_columns
from adjudge.formats.parquet import is_parquet
from adjudge.tasks.documents import Side
from adjudge.tasks.observe import GOLD, Complaint


def placed(found: Sequence[tuple[str, Complaint]], gold: Side, systems: Sequence[Side]) -> Iterator[Problem]:
    """Complaints with file, line and column, file by file and line by line."""
    for number, side in enumerate((gold, *systems), GOLD):
        own = [(name, side.documents.get(name), each) for name, each in found if each.side == number]
        sought: dict[str | None, list[tuple[int, str]]] = {}
        for _, document, each in [one for one in own if one[1] is not None and one[1].line][:LIMIT]:
            assert document is not None
            assert document.line is not None
            sought.setdefault(document.path or side.path, []).append((document.line, each.path))
        places = {
            path: find_columns(path, some) if side.jsonl and path and not is_parquet(path) else {}
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
