"""Servers that are killed while people write: what was acknowledged is there, once.

A child opens the store and writes with many threads; each prints a line when a write was acknowledged. The parent
kills it at a random moment and looks. Whoever got no answer sends the same again to the next child, as a browser does.

    PYTHONPATH=tests python tests/serve/kills.py --count 200 --writers 20 [--seed 1] [--postgres]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from adjudge.serve.store import Store, Write, Written, stream_of
from adjudge.serve.store.care import rebuild, verify
from adjudge.serve.store.tables import Judgment

SCOPES = 4


def prepare(folder: Path, url: str | None, writers: int) -> None:
    """A campaign with an item for each writer."""
    items = [{"id": f"i{n}", "scope": f"d{n % SCOPES}"} for n in range(writers)]
    with Store.open(folder, url) as store:
        bodies = {
            "campaign": {"settings": {}},
            "scope": {"scopes": [{"id": f"d{n}"} for n in range(SCOPES)]},
            "pool": {"items": items},
        }
        store.write([Write("c/x", kind, "x", body, "olga", kind) for kind, body in bodies.items()])


def save(store: Store, writer: int, number: int) -> Written:
    """The writer's save with this number, which makes the version of its item that number."""
    body = {"answers": {"aet": "C" if number % 2 else "W"}, "complete": True, "ms": 7}
    stream = stream_of("x", f"d{writer % SCOPES}", f"r{writer}")
    (result,) = store.write([Write(stream, "judge", f"i{writer}", body, f"r{writer}", f"t-{number}", number - 1)])
    assert isinstance(result, Written), (writer, number, result)
    return result


def content(writer: int, number: int) -> bytes:
    """What a writer uploads."""
    return f"upload {writer} {number}\n".encode() * 50


def child(folder: Path, url: str | None, start: list[int]) -> None:
    """Write until killed: every writer goes on behind the last number that was acknowledged."""
    store = Store.open(folder, url, server=True)
    say = threading.Lock()

    def work(writer: int, number: int) -> None:
        while True:
            number += 1
            written = save(store, writer, number)
            blob = store.put_blob(content(writer, number), "upload") if writer % 5 == 0 and number % 3 == 0 else None
            with say:
                sys.stdout.write(json.dumps([writer, number, written.n, written.version, written.hash, blob]) + "\n")
                sys.stdout.flush()

    for writer, number in enumerate(start):
        threading.Thread(target=work, args=(writer, number), daemon=True).start()
    time.sleep(60)


def kill_often(folder: Path, url: str | None, kills: int, writers: int, seed: int) -> tuple[int, int]:
    """Kill so many servers, and check after each; gives how much was acknowledged and what was sent again."""
    draw = random.Random(seed)
    prepare(folder, url, writers)
    acknowledged = [0] * writers
    uploads: set[str] = set()
    again = 0
    for number_of_kill in range(1, kills + 1):
        lines = _run_and_kill(folder, url, acknowledged, draw.uniform(0.005, 0.4))
        told: dict[tuple[int, int], tuple[int, int, str]] = {}
        for writer, number, n, version, hash_, blob in lines:
            assert number == acknowledged[writer] + 1
            acknowledged[writer] = number
            told[writer, number] = (n, version, hash_)
            uploads |= {blob} if blob else set()
        again += _check(folder, url, acknowledged, told, uploads)
        if number_of_kill % 50 == 0 or number_of_kill == kills:
            with Store.open(folder, url) as store:
                assert verify(store).problems == []
                assert rebuild(store) == []
    return sum(acknowledged), again


def _run_and_kill(folder: Path, url: str | None, start: list[int], after: float) -> list[list]:
    arguments = [sys.executable, __file__, "--child", str(folder), json.dumps(start), *([url] if url else [])]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first, "the server did not start"
        timer = threading.Timer(after, process.kill)
        timer.start()
        lines = [first, *process.stdout]
        timer.cancel()
    assert process.returncode == -9
    return [json.loads(line) for line in lines if line.endswith(b"\n")]


def _check(folder: Path, url: str | None, acknowledged: list[int], told: dict, uploads: set[str]) -> int:
    """Everything acknowledged is there; of each writer at most one more was written, which nobody was told of."""
    more = 0
    with Store.open(folder, url) as store:
        with store.read() as snapshot:
            for writer, number in enumerate(acknowledged):
                events = snapshot.events(stream_of("x", f"d{writer % SCOPES}", f"r{writer}"))
                assert [event.key for event in events] == [f"t-{n}" for n in range(1, len(events) + 1)], writer
                assert len(events) - number in (0, 1), (writer, len(events), number)
                more += len(events) - number
                row = snapshot.get(Judgment, "x", f"i{writer}", f"r{writer}")
                assert (row.version if row else 0) == len(events)
                for event in events:
                    if (writer, event.n) in told:
                        assert (event.n, event.version, event.hash) == told[writer, event.n]
        for digest in uploads:
            assert hashlib.sha256(store.get_blob(digest)).hexdigest() == digest
    return more


def main() -> None:
    """Kill many times, from the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--writers", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--postgres", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.postgres:
            from serve.postgres import running

            with running(fsync=True) as server:
                told = kill_often(Path(folder) / "s", server.url(), options.count, options.writers, options.seed)
        else:
            told = kill_often(Path(folder) / "s", None, options.count, options.writers, options.seed)
    database = "PostgreSQL" if options.postgres else "SQLite"
    print(
        f"{database}: {options.count} kills, {told[0]} acknowledged saves, none lost, none twice; {told[1]} sent again"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(Path(sys.argv[2]), (sys.argv[4:] or [None])[0], json.loads(sys.argv[3]))
        os._exit(1)
    main()
