"""A track of small files in a store, and what teams do with it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from adjudge.serve import states
from adjudge.serve.intake import Upload, hand_in
from adjudge.serve.jobs import Runner
from adjudge.serve.messages import Receipt
from adjudge.serve.store import Store, now
from adjudge.serve.store.tables import Submission
from adjudge.serve.tracks import add_member, keep_file, parse_settings, set_phase, set_track

LINES = {
    "check": ["ner", "validate", "{system}", "--reader", "jsonl", "--format", "json"],
    "score": [
        "ner",
        "score",
        "{gold}",
        "{name}={system}",
        "--reader",
        "jsonl",
        "--bootstrap",
        "0",
        "--save",
        "{result}",
    ],
    "report": [],
}


def documents(*ends: int) -> bytes:
    """Documents with one entity each, which ends there."""
    made = [
        {"id": f"d{n}", "entities": [{"span": {"start": 0, "end": end}, "type": "P"}]} for n, end in enumerate(ends)
    ]
    return "".join(json.dumps(each) + "\n" for each in made).encode()


def fill(store: Store, folder: Path, limits: dict[str, Any] | None = None, **more: Any) -> None:
    """The track `ner` with teams `fast` and `slow`; gold has three documents."""
    (folder / "gold.jsonl").write_bytes(documents(1, 2, 3))
    table = {"task": "ner", **LINES, "limits": limits or {}, **more}
    set_track(store, "ner", parse_settings("ner", table))
    set_phase(store, "ner", "main", {"gold": keep_file(store, folder / "gold.jsonl")})
    for team in ("fast", "slow"):
        add_member(store, "ner", team, f"of-{team}")


def upload(store: Store, file: str, data: bytes, team: str = "fast", at: str | None = None, flags: Any = ()) -> Receipt:
    """Hand something in."""
    sha256 = store.put_blob(data, "submission")
    return hand_in(
        store, Upload("ner", f"ner/{team}", file, sha256, len(data), at or now(), tuple(flags)), f"of-{team}"
    )


def row(store: Store, name: str) -> Submission:
    """A submission as it is now."""
    with store.read() as snapshot:
        found = snapshot.get(Submission, name)
    assert found is not None
    return found


def until(done: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)


def finished(store: Store, *names: str) -> list[Submission]:
    """Submissions when they have come to an end."""
    until(lambda: all(row(store, name).state not in states.LIVE for name in names))
    return [row(store, name) for name in names]


def working(store: Store, **more: Any) -> Runner:
    """Workers, to be used as a context."""
    return Runner(store, **more)
