"""Targets one after the other, each in a process of its own with hard limits; the summary and the findings of all."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import random
import resource
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from fuzz.grow import grown
from fuzz.judge import Finding, judge, no_writing
from fuzz.minimise import minimised
from fuzz.mutate import mutant
from fuzz.targets import Target

ADDRESSES = 3 << 30
"""Bytes of address space of a worker: what asks for more gets a MemoryError, which is a finding."""
SILENCE = 120.0
"""Seconds of the clock without a word from a worker, until it is ended: no signal reaches a loop in C."""
MEASURED = 61
"""Of so many inputs the memory of one is measured."""
DRIVERS: dict[str, Callable[[Target, random.Random], bytes]] = {
    "mutate": lambda target, source: mutant(target.corpus(), source),
    "grow": lambda target, source: grown(target.shape, target.corpus(), source),
}


@dataclass
class Count:
    """The outcome of the inputs of one target."""

    target: str
    inputs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: dict[str, dict[str, Any]] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "target": self.target,
            "inputs": self.inputs,
            "seconds": round(self.seconds, 2),
            "slowest": round(self.slowest, 3),
            **{name: self.outcomes[name] for name in sorted(self.outcomes)},
            "findings": list(self.findings.values()),
        }


def run_target(
    target: Target,
    *,
    seed: int,
    count: int,
    end: float | None = None,
    drivers: Sequence[str] = ("mutate", "grow"),
    say: Callable[[bytes], None] = lambda _: None,
) -> Count:
    """Feed a target; the inputs depend on the seed and their number alone."""
    done = Count(target.name)
    room = Path(tempfile.mkdtemp(prefix="fuzz-", dir=_memory_disk()))
    work, kept = room / "work", tempfile.tempdir
    work.mkdir()
    tempfile.tempdir = str(work)
    try:
        with no_writing(work) as written:
            for data in target.corpus():  # modules are loaded and caches filled before anything is measured
                judge(target, data, work)
            written.clear()
            for number in range(count):
                if end is not None and time.monotonic() > end:
                    break
                data = made(target, seed, number, drivers)
                say(data)
                outcome = judge(target, data, work, memory=number % MEASURED == 0)
                finding = outcome.finding
                if written:
                    finding = Finding("wrote", target.name, "; ".join(written))
                    written.clear()
                done.inputs += 1
                done.seconds += outcome.seconds
                done.slowest = max(done.slowest, outcome.seconds)
                done.outcomes["finding" if finding else outcome.name] += 1
                if finding is not None:
                    _remember(done, target, data, finding, work)
    finally:
        tempfile.tempdir = kept
        shutil.rmtree(room, ignore_errors=True)
    return done


def made(target: Target, seed: int, number: int, drivers: Sequence[str]) -> bytes:
    """The input of a number."""
    source = random.Random(f"{seed}:{target.name}:{number}")
    return DRIVERS[drivers[number % len(drivers)]](target, source)


def _remember(done: Count, target: Target, data: bytes, finding: Finding, work: Path) -> None:
    key = f"{finding.kind}: {finding.where}"
    if key in done.findings:
        done.findings[key]["count"] += 1
        return

    def same(shorter: bytes) -> bool:
        found = judge(target, shorter, work, memory=finding.kind == "memory").finding
        return found is not None and (found.kind, found.where) == (finding.kind, finding.where)

    small = (
        minimised(data, same, seconds=5.0)
        if finding.kind in ("exception", "unplaced", "misplaced", "unprintable")
        else data
    )
    done.findings[key] = {
        "kind": finding.kind,
        "where": finding.where,
        "count": 1,
        "detail": finding.detail,
        "input": small.hex(),
    }


def _memory_disk() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


# Processes


def run_all(
    targets: Sequence[Target],
    *,
    seed: int,
    counts: Sequence[int],
    seconds: float | None,
    jobs: int,
    drivers: Sequence[str],
    tell: Callable[[Count], None],
) -> list[Count]:
    """All targets, `jobs` at a time; each gets its count, or its share of the seconds."""
    waiting = list(zip(targets, counts, strict=True))
    running: dict[Any, tuple[Target, Connection, Any]] = {}
    done: list[Count] = []
    context = multiprocessing.get_context("fork")
    share = None if seconds is None else seconds * jobs / max(1, len(waiting))
    while waiting or running:
        while waiting and len(running) < jobs:
            target, count = waiting.pop(0)
            ours, theirs = context.Pipe(duplex=False)
            last = context.RawArray("c", 1 << 20)
            process = context.Process(
                target=_work, args=(target, theirs, last, seed, count, share, drivers), daemon=True
            )
            process.start()
            theirs.close()
            running[process] = (target, ours, last)
        for process, (target, ours, last) in list(running.items()):
            if ours.poll(0.05):
                found = _received(ours, target, last)
            elif not process.is_alive() and not ours.poll():
                found = _broken(target, last, f"the worker ended with {process.exitcode}")
            elif _silent(last):
                process.kill()
                found = _broken(target, last, f"no word for {SILENCE:.0f} s")
            else:
                continue
            process.join()
            del running[process]
            done.append(found)
            tell(found)
    return sorted(done, key=lambda each: each.target)


def _work(
    target: Target, pipe: Connection, last: Any, seed: int, count: int, share: float | None, drivers: Sequence[str]
) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def say(data: bytes) -> None:
        # The input and the time stand where the parent sees them, should this process not come back.
        head = int(time.monotonic()).to_bytes(8, "big") + min(len(data), 1 << 19).to_bytes(8, "big")
        last[: 16 + min(len(data), 1 << 19)] = head + data[: 1 << 19]

    end = None if share is None else time.monotonic() + share
    done = run_target(target, seed=seed, count=count, end=end, drivers=drivers, say=say)
    pipe.send(done)
    pipe.close()


def _received(pipe: Connection, target: Target, last: Any) -> Count:
    try:
        found = pipe.recv()
        assert isinstance(found, Count)
        return found
    except EOFError:
        return _broken(target, last, "the worker ended without a word")


def _silent(last: Any) -> bool:
    since = int.from_bytes(last.raw[:8], "big")
    return since > 0 and time.monotonic() - since > SILENCE


def _broken(target: Target, last: Any, detail: str) -> Count:
    raw = last.raw
    data = raw[16 : 16 + int.from_bytes(raw[8:16], "big")]
    finding = {"kind": "crash", "where": target.name, "count": 1, "detail": detail, "input": data.hex()}
    return Count(target.name, 1, outcomes=Counter(finding=1), findings={"crash": finding})


def keep(count: Count, folder: Path) -> list[Path]:
    """Put what broke something into files, called after the hash of their content."""
    kept = []
    for finding in count.findings.values():
        data = bytes.fromhex(finding["input"])
        path = folder / count.target / hashlib.sha256(data).hexdigest()[:16]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        kept.append(path)
    return kept


def summary(counts: Sequence[Count], *, seed: int, seconds: float, drivers: Sequence[str]) -> str:
    """What was done, as JSON."""
    total = sum(each.inputs for each in counts)
    outcomes: Counter[str] = Counter()
    for each in counts:
        outcomes.update(each.outcomes)
    head = {
        "seed": seed,
        "drivers": list(drivers),
        "inputs": total,
        "seconds": round(seconds, 1),
        "outcomes": dict(sorted(outcomes.items())),
    }
    return json.dumps({**head, "targets": [each.record() for each in counts]}, indent=1) + "\n"
