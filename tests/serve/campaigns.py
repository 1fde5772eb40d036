"""A small campaign in a store, and how it is written to."""

from __future__ import annotations

from typing import Any

from adjudge.serve.store import Store, Write, stream_of


def judge(reader: str, item: str, answers: dict[str, str], key: str, expect: int | None = None) -> Write:
    """A reader's answers to an item of `d1`."""
    body = {"answers": answers, "complete": True, "ms": 900}
    return Write(stream_of("autumn", "d1", reader), "judge", item, body, reader, key, expect)


def organise(kind: str, body: dict[str, Any], key: str) -> Write:
    """Something that the organiser does to the whole campaign."""
    return Write("c/autumn", kind, "autumn", body, "olga", key)


def fill(store: Store, number: int = 3) -> None:
    """The campaign `autumn` with one document, `d1`, and items `i0`, `i1` ..."""
    items = [{"id": f"i{n}", "scope": "d1", "ord": n, "body": {"type": "Attack"}} for n in range(number)]
    store.write(
        [
            organise("campaign", {"settings": {"name": "Autumn"}}, "1"),
            organise("scope", {"scopes": [{"id": "d1"}]}, "2"),
            organise("pool", {"items": items}, "3"),
        ]
    )
