"""A campaign of 142,000 responses: how long it takes to import it, to look at it, to read and to judge in it.

Prints what was measured beside the bars of the design; fails at five times a bar, since the machine may be busy with
others, and at once if something is lost or answered with an error.

    PYTHONPATH=tests python tests/serve/large.py [--postgres] [--readers 50] [--seconds 30] [--scopes 300]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from adjudge.serve.access import COOKIE, Access
from adjudge.serve.demo import CAMPAIGN
from adjudge.serve.folder import Folder
from adjudge.serve.schema import FOLDER as SCHEMAS
from adjudge.serve.store import Store, Write, Written, stream_of
from adjudge.serve.store.care import verify
from serve.readers import Load, memory_of, read_all, server_of

ITEMS = 474  # of a document
SLACK = 5
WARM = 10  # seconds in which everybody opens a document
TYPES = ("Life.Die", "Conflict.Attack", "Justice.Arrest-Jail", "Movement.Transport-Person")
SENTENCE = "Officers of the Kalder Bay constabulary arrested Oskan Draywell number {} on Tuesday.\n"


class Bars:
    """What was measured, and whether it is good enough."""

    def __init__(self) -> None:
        self.failed = False

    def tell(self, what: str, value: float, bar: float, unit: str) -> None:
        """One line; a value far above its bar fails."""
        state = "ok" if value <= bar else "above the bar" if value <= SLACK * bar else "FAILED"
        self.failed |= state == "FAILED"
        print(f"{what:<44} {value:>9.1f} {unit:<4} (bar {bar:g} {unit}) {state}", flush=True)

    def must(self, what: str, found: object, wanted: object) -> None:
        """Something that has to be so."""
        if found != wanted:
            self.failed = True
            print(f"FAILED: {what}: {found}, not {wanted}", flush=True)


def texts() -> str:
    """The text of every document."""
    return "".join(SENTENCE.format(n) for n in range(ITEMS // 4 + 1))


def item(scope: int, number: int, text: str) -> dict[str, Any]:
    """A response; four speak of each sentence."""
    start = text.index(SENTENCE.format(number // 4))
    name = f"i{scope}-{number}"
    body = {
        "type": TYPES[number % len(TYPES)],
        "role": "Agent",
        "cas": f"Oskan Draywell number {number // 4}",
        "cas_span": [start + 49, start + 63],
        "base_filler": [start + 49, start + 63],
        "justifications": [[start, start + 80]],
        "additional": [],
        "realis": "Actual",
        "confidence": 0.5,
        "provenance": "system",
    }
    return {"id": name, "identity": name, "scope": f"d{scope}", "ord": number, "body": body, "origins": ["s1", "s2"]}


def fill(folder: Folder, url: str | None, scopes: int, readers: int) -> tuple[float, list[str]]:
    """The campaign; gives the seconds it took, and the cookies of readers and of the organiser."""
    text = texts()
    with Store.open(folder.path, url) as store:
        begun = time.perf_counter()
        schema = store.put_blob((SCHEMAS / "eal-2015.toml").read_bytes(), "schema")
        sha = store.put_blob(text.encode(), "text")
        places = [{"id": f"d{n}", "ord": n, "text_sha": sha, "meta": {}} for n in range(scopes)]
        given = [{"scope": f"d{n}", "stage": "assess", "reader": f"r{n % readers}"} for n in range(scopes)]
        made = [
            ("campaign", {"schema_sha": schema, "settings": {"title": "Large"}}),
            ("scope", {"scopes": places}),
            *(("pool", {"items": [item(scope, n, text) for n in range(ITEMS)]}) for scope in range(scopes)),
            ("assign", {"add": given}),
        ]
        for number, (kind, body) in enumerate(made):
            (written,) = store.write([Write(stream_of(CAMPAIGN), kind, CAMPAIGN, body, "olga", f"k{number}")])
            assert isinstance(written, Written)
        seconds = time.perf_counter() - begun
        access = Access(store, folder.secrets, folder.settings)
        for person in [*(f"r{n}" for n in range(readers)), "olga"]:
            access.add_person(person, "organiser" if person == "olga" else "assessor", CAMPAIGN)
        return seconds, [access.start_session(person) for person in [*(f"r{n}" for n in range(readers)), "olga"]]


def measure(bars: Bars, folder: Folder, url: str | None, options: argparse.Namespace) -> None:
    """Fill, serve, look, read."""
    seconds, cookies = fill(folder, url, options.scopes, options.readers)
    bars.tell(f"import of {options.scopes * ITEMS:,} responses", seconds, 60, "s")
    scopes = [f"d{n}" for n in range(options.readers)]
    with server_of(folder.path) as (base, process):
        bars.tell("memory: idle", memory_of(process), 80, "MB")
        bars.tell("overview of the campaign", asked(base, cookies[-1], ""), 1000, "ms")
        bars.tell(f"a document of {ITEMS} responses", asked(base, cookies[0], "/scopes/d0"), 200, "ms")
        load = Load(options.readers, WARM + options.seconds, 2, warm=WARM)
        seen = asyncio.run(read_all(base, cookies[:-1], scopes, load))
        bars.tell(f"{len(seen.times)} saves of {options.readers} readers: p95", seen.quantile(0.95), 50, "ms")
        bars.tell("the same: p99", seen.quantile(0.99), 150, "ms")
        bars.tell("memory: at most", memory_of(process), 250, "MB")
    bars.must("lost or changed", seen.wrong, [])
    bars.must("answers", {status for number, each in seen.statuses.items() if number for status in each}, {200})
    with Store.open(folder.path, url) as store:
        bars.must("problems", verify(store).problems, [])
        flood(store, options.readers)


def asked(base: str, cookie: str, path: str) -> float:
    """Milliseconds of an answer, the best of three."""
    times = []
    with httpx.Client(base_url=base, cookies={COOKIE: cookie}, timeout=60) as client:
        for _ in range(3):
            begun = time.perf_counter()
            client.get(f"/api/v1/campaigns/{CAMPAIGN}{path}").raise_for_status()
            times.append(1000 * (time.perf_counter() - begun))
    return min(times)


def flood(store: Store, writers: int) -> None:
    """As fast as the store takes it: what commits that are shared are good for."""

    def work(writer: int) -> None:
        for number in range(40):
            body = {"answers": {"aet": "C"}, "complete": True, "ms": 1}
            stream = stream_of(CAMPAIGN, f"d{writer}", f"f{writer}")
            store.write([Write(stream, "judge", f"i{writer}-{number}", body, f"f{writer}", f"{number}", 0)])

    begun = time.perf_counter()
    with ThreadPoolExecutor(writers) as people:
        list(people.map(work, range(writers)))
    print(f"{writers} writers who do not wait: {40 * writers / (time.perf_counter() - begun):.0f} saves a second")


def main() -> int:
    """Measure, and say whether it is good enough."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--scopes", type=int, default=300)
    options = parser.parse_args()
    bars = Bars()
    with tempfile.TemporaryDirectory() as place:
        if options.postgres:
            from serve.postgres import running

            with running(fsync=True) as server:
                url = server.url()
                settings = f"[server]\nname = 'large'\ndatabase = {json.dumps(url)}\n"
                measure(bars, Folder.create(Path(place) / "large", settings), url, options)
        else:
            measure(bars, Folder.create(Path(place) / "large", "[server]\nname = 'large'\n"), None, options)
    return int(bars.failed)


if __name__ == "__main__":
    sys.exit(main())
