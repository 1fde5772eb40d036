"""Many people who judge at once, through HTTP: how long a save takes, and that nothing is lost or in anybody's way.

Each judges a document of the bundled campaign; the first has two tabs on one document, which are in each other's way.

    PYTHONPATH=tests python tests/serve/readers.py --readers 50 --seconds 60 [--pause 2] [--postgres] [--bars]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from adjudge.serve.access import COOKIE, Access
from adjudge.serve.campaigns import Batch
from adjudge.serve.demo import CAMPAIGN, make_demo
from adjudge.serve.store import ASSESS, Store, stream_of

P95, P99, MEMORY = 50.0, 150.0, 250.0
"""Milliseconds, and megabytes."""
SAID = ({"aet": "W"}, {"aet": "NIL"})


class Load(NamedTuple):
    """How much is done."""

    readers: int
    seconds: float
    pause: float
    seed: int = 1
    warm: float = 0  # seconds at the beginning whose saves are not timed


class Seen(NamedTuple):
    """What came of it: milliseconds of saves, and the statuses of the answers by reader."""

    times: list[float]
    statuses: dict[int, Counter[int]]
    wrong: list[str]
    memory: float  # megabytes of the server

    def quantile(self, share: float) -> float:
        """Milliseconds that so many saves take at most."""
        return sorted(self.times)[int(share * (len(self.times) - 1))]


def prepare(folder: Path, database: str | None, readers: int) -> tuple[list[str], list[str]]:
    """A server of the bundled campaign with so many readers: their cookies, and its documents."""
    if database:
        os.environ["ADJUDGE_DATABASE"] = database
    made, _ = make_demo(folder, "r0")
    with Store.open(folder, made.database) as store:
        access = Access(store, made.secrets, made.settings)
        with store.read() as snapshot:
            scopes = [each.id for each in snapshot.scopes(CAMPAIGN)]
        batch = Batch(store)
        for number in range(1, readers):
            access.add_person(f"r{number}", "assessor", CAMPAIGN)
            given = {"scope": scopes[number % len(scopes)], "stage": ASSESS, "reader": f"r{number}", "slot": number}
            batch.add(stream_of(CAMPAIGN), "assign", f"r{number}", {"add": [given]})
        batch.flush()
        return [access.start_session(f"r{number}") for number in range(readers)], scopes


@contextmanager
def server_of(folder: Path, *more: str) -> Iterator[tuple[str, int]]:
    """The address of a server, and its process."""
    command = [sys.executable, "-m", "adjudge", "serve", "run", str(folder), "--port", "0", *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().split()[-1], server.pid
        finally:
            server.terminate()


class Tab:
    """A tab of somebody's browser."""

    def __init__(self, client: httpx.AsyncClient, number: int, scope: str, seen: Seen) -> None:
        self.client, self.number, self.seen = client, number, seen
        self.path = f"/api/v1/campaigns/{CAMPAIGN}/scopes/{scope}"
        self.key = os.urandom(4).hex()
        self.versions: dict[str, int] = {}
        self.answers: dict[str, dict[str, str]] = {}

    async def work(self, load: Load, until: float, draw: random.Random) -> None:
        """Judge one response after the other."""
        headers = {"X-CSRF-Token": (await self.client.get("/api/v1/me")).json()["csrf"]}
        self.versions = {each["id"]: 0 for each in (await self.client.get(self.path)).json()["items"]}
        count = 0
        while time.monotonic() < until:
            await asyncio.sleep(draw.uniform(0.5, 1.5) * load.pause)
            item = draw.choice(list(self.versions))
            count += 1
            said = SAID[count % 2]
            body = [{"item": item, "version": self.versions[item], "answers": said, "key": f"{self.key}-{count}"}]
            begun = time.perf_counter()
            answer = await self.client.post(f"{self.path}/judgments", json=body, headers=headers)
            if until - time.monotonic() <= load.seconds - load.warm:
                self.seen.times.append(1000 * (time.perf_counter() - begun))
            self.take(item, said, answer)

    def take(self, item: str, said: dict[str, str], answer: httpx.Response) -> None:
        """Note the outcome of a save."""
        result = answer.json()[0] if answer.status_code == 200 else {"status": answer.status_code}
        self.seen.statuses.setdefault(self.number, Counter())[result["status"]] += 1
        if result["status"] == 200:
            self.versions[item], self.answers[item] = result["saved"]["version"], said
        elif result["status"] == 409:
            self.versions[item] = result["fault"]["current"]["version"]
            self.answers.pop(item, None)

    async def check(self) -> None:
        """Whether the server has what it has acknowledged."""
        for each in (await self.client.get(self.path)).json()["items"]:
            if each["id"] in self.answers and (each["version"], each["answers"]) != (
                self.versions[each["id"]],
                self.answers[each["id"]],
            ):
                self.seen.wrong.append(f"reader {self.number}, {each['id']}: {each['version']} {each['answers']}")


async def read_all(base: str, cookies: list[str], scopes: list[str], load: Load) -> Seen:
    """Everybody at once."""
    seen = Seen([], {}, [], 0)
    numbers = [0, *range(len(cookies))]  # the first has two tabs
    clients = [httpx.AsyncClient(base_url=base, cookies={COOKIE: cookies[number]}, timeout=60) for number in numbers]
    tabs = [Tab(client, n, scopes[n % len(scopes)], seen) for client, n in zip(clients, numbers, strict=True)]
    until = time.monotonic() + load.seconds
    draws = [random.Random(load.seed + place) for place in range(len(tabs))]
    await asyncio.gather(*(tab.work(load, until, draw) for tab, draw in zip(tabs, draws, strict=True)))
    for tab in tabs[2:]:
        await tab.check()
    for client in clients:
        await client.aclose()
    return seen


def run(folder: Path, database: str | None, load: Load) -> Seen:
    """Serve, read, and see."""
    cookies, scopes = prepare(folder, database, load.readers)
    with server_of(folder) as (base, process):
        seen = asyncio.run(read_all(base, cookies, scopes, load))
        return seen._replace(memory=memory_of(process))


def memory_of(process: int) -> float:
    """Megabytes that a process has had at most."""
    status = Path(f"/proc/{process}/status")
    lines: list[Any] = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--bars", action="store_true", help="fail if it takes longer than promised")
    given = parser.parse_args()
    from serve.postgres import running

    with tempfile.TemporaryDirectory() as folder, running() if given.postgres else nullcontext() as postgres:
        load = Load(given.readers, given.seconds, given.pause, given.seed)
        seen = run(Path(folder) / "folder", postgres.url() if postgres else None, load)
    p50, p95, p99 = (seen.quantile(share) for share in (0.5, 0.95, 0.99))
    statuses = sum(seen.statuses.values(), Counter())
    print(
        f"{'PostgreSQL' if given.postgres else 'SQLite'}, {given.readers} readers, {len(seen.times)} saves in"
        f" {given.seconds:.0f} s: p50 {p50:.1f} ms, p95 {p95:.1f} ms, p99 {p99:.1f} ms, {seen.memory:.0f} MB;"
        f" answers {dict(statuses)}, conflicts of two tabs {seen.statuses[0][409]}"
    )
    good = not seen.wrong and all(set(each) == {200} for number, each in seen.statuses.items() if number)
    slow = given.bars and (p95 > P95 or p99 > P99 or seen.memory > MEMORY)
    print(*seen.wrong, *(["slower or larger than promised"] * slow), sep="\n", end="\n" * bool(seen.wrong or slow))
    return int(not good or slow)


if __name__ == "__main__":
    sys.exit(main())
