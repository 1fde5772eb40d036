"""Where the work runs: two processes beside one, Dask beside one, a million documents in bounded memory."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.house.fit import fit_exponent
from benchmarks.house.measure import ROOT, Cost, Failed, adjudge, environment, run_process, run_worker
from benchmarks.house.rows import Bench, Found, Row
from benchmarks.house.setting import Setting

POOL = 1.4  # of large corpora, which take some seconds
BUSY = 0.1  # share of the processors that other work may take
PLAIN = ("--bootstrap", "0", "--quiet", "--format", "json")


Words = Callable[[Setting], list[Any]]


KINDS = ("dicts", "dataclasses", "structs", "pydantic")  # of `benchmarks.workers.memory`


def benches(*, quick: bool) -> list[Bench]:
    full = not quick
    documents, small, messages = (5_000, 50_000, 1_000) if full else (500, 5_000, 100)
    events = f"`score event.argument-cls`, {documents:,} documents of 20 events", _events(documents)
    arguments = f"`eal score`, {documents:,} documents of 20 responses", _eal(documents)
    systems, campaign = (10, 500) if full else (5, 20)
    return [
        _pool("documents", *events, judged=full),
        _pool(
            "relations",
            f"`score relation.strict`, {small:,} documents of one to four relations",
            _relations(small),
            judged=full,
        ),
        _pool(
            "coref",
            f"`coref score`, {documents:,} documents of 60 mentions, five systems",
            _coref(documents),
            judged=full,
        ),
        _pool(
            "nugget",
            f"`nugget score`, {documents:,} documents of 60 nuggets, five systems, with coreference",
            _nuggets(documents),
            judged=full,
            rounds=4,
        ),
        _pool(
            "eal",
            f"`eal score`, {campaign} documents of 400 responses, {systems} systems",
            _eal(campaign, 400, systems),
            judged=full,
        ),
        _dask("documents", *events),
        _dask("eal", *arguments),
        _dask("template", f"`template score`, {messages:,} messages", _templates(messages)),
        _million(quick=quick),
        _decoding(small, judged=full),
        *(_memory(kind, 10_000 if full else 1_000, judged=full) for kind in KINDS),
        _start(),
    ]


def _decoding(documents: int, *, judged: bool) -> Bench:
    """Files of the catalogue beside decoding them, whole processes on both sides."""
    row = Row(
        "decoding",
        f"`score relation.strict`, {documents:,} documents: whole processes, ours with one job, start-up to printed "
        "scores without resampling, the other one decodes every line with msgspec and drops it",
        "times the CPU of decoding the same files",
        8.0,
        at_least=False,
        judged=judged,
    )

    def run(setting: Setting) -> Iterator[Found]:
        folder = setting.corpus("relations", documents=documents)
        files = [str(path) for side in ("gold", "system") for path in sorted((folder / side).glob("*.jsonl"))]
        decode = [sys.executable, "-m", "benchmarks.workers.decoding", *files]
        score = adjudge(
            "score", "relation.strict", folder / "gold", f"system={folder / 'system'}", *PLAIN, "--jobs", "1"
        )
        sides: dict[str, Callable[[], Cost]] = {
            "ours": lambda: run_process(score),
            "decoding": lambda: run_process(decode, PYTHONPATH=str(ROOT)),
        }
        turns = setting.alternate(sides, 5)
        ours, other = turns.best("ours"), turns.best("decoding")
        yield Found("decoding", ours.cpu / other.cpu, ours=ours, theirs=other)

    return Bench("engine/decoding", (row,), run)


def _memory(kind: str, documents: int, *, judged: bool) -> Bench:
    """Documents in memory beside a loop written by hand over the same objects."""
    row = Row(
        "memory",
        f"`aj.score` on {documents:,} documents of 20 relations in memory ({kind}), counting and scores without "
        "resampling; the other side is a loop that makes two sets of tuples of each document",
        "times the CPU of a loop written by hand",
        5.0,
        at_least=False,
        judged=judged,
    )

    def run(setting: Setting) -> Iterator[Found]:
        sides: dict[str, Callable[[], Cost]] = {
            what: lambda what=what: run_worker("memory", kind, what, documents) for what in ("score", "loop")
        }
        turns = setting.alternate(sides, 5)
        ours, other = turns.best("score"), turns.best("loop")
        yield Found("memory", ours.cpu / other.cpu, ours=ours, theirs=other)

    return Bench(f"engine/memory-{kind}", (row,), run)


def _start() -> Bench:
    """What has to be paid before anything is counted: a tiny score as a command, and in memory."""
    rows = (
        Row(
            "command",
            "`score relation.strict --bootstrap 0` on two documents: the whole process, less `python -c pass`",
            "s of CPU",
            0.12,
            at_least=False,
        ),
        Row(
            "memory",
            "`aj.score` on ten documents of 20 relations (dicts), the first call after `import adjudge as aj`",
            "ms of CPU",
            20,
            at_least=False,
        ),
    )

    def run(setting: Setting) -> Iterator[Found]:
        folder = setting.corpus("relations", documents=2)
        score = adjudge("score", "relation.strict", folder / "gold", f"system={folder / 'system'}", *PLAIN)
        run_process(score)  # compiled files are there from here on
        sides: dict[str, Callable[[], Cost]] = {
            "ours": lambda: run_process(score),
            "python": lambda: run_process([sys.executable, "-c", "pass"]),
            "memory": lambda: run_worker("memory", "dicts", "first", 10),
        }
        turns = setting.alternate(sides, 7)
        ours, other, memory = (turns.best(name) for name in sides)
        yield Found("command", ours.cpu - other.cpu, ours=ours, theirs=other)
        yield Found("memory", 1_000 * memory.cpu, ours=memory)

    return Bench("engine/start", rows, run)


def _events(documents: int) -> Words:
    def words(setting: Setting) -> list[Any]:
        folder = setting.corpus("structures", kind="lines", documents=documents)
        return ["score", "event.argument-cls", folder / "gold.jsonl", folder / "system.jsonl"]

    return words


def _relations(documents: int) -> Words:
    def words(setting: Setting) -> list[Any]:
        folder = setting.corpus("relations", documents=documents)
        return ["score", "relation.strict", folder / "gold", f"system={folder / 'system'}"]

    return words


def _coref(documents: int) -> Words:
    def words(setting: Setting) -> list[Any]:
        folder = setting.corpus("conll", documents=documents, mentions=60, systems=5)
        return ["coref", "score", folder / "key.conll", *(folder / f"response{number}.conll" for number in range(1, 6))]

    return words


def _nuggets(documents: int) -> Words:
    def words(setting: Setting) -> list[Any]:
        folder = setting.corpus("tbf", documents=documents, nuggets=60, systems=5)
        systems = [word for number in range(1, 6) for word in ("-s", folder / f"system{number}.tbf")]
        return ["nugget", "score", "-g", folder / "gold.tbf", *systems, "--coref"]

    return words


def _eal(documents: int, responses: int = 20, systems: int = 1) -> Words:
    def words(setting: Setting) -> list[Any]:
        folder = setting.corpus("eal", documents=documents, responses=responses, systems=systems)
        return ["eal", "score", "--key", folder / "key", *sorted((folder / "systems").iterdir())]

    return words


def _templates(messages: int) -> Words:
    def words(setting: Setting) -> list[Any]:
        folder = setting.corpus("muc4", messages=messages)
        return ["template", "score", folder / "key.txt", folder / "response.txt"]

    return words


def _pool(name: str, what: str, words: Words, *, judged: bool, rounds: int = 3) -> Bench:
    row = Row("wall", what, "times less time on the clock with two processes", POOL, judged=judged)

    def run(setting: Setting) -> Iterator[Found]:
        given = [*words(setting), *PLAIN]
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if processors < 2:
            raise Failed("this machine has one processor")
        others: list[float] = []

        def side(jobs: int) -> Cost:
            start = _worked()
            cost = run_process(adjudge(*given, "--jobs", jobs))
            others.append((_worked() - start - cost.cpu) / (cost.wall * processors))
            return cost

        turns = setting.alternate({"1": lambda: side(1), "2": lambda: side(2)}, rounds)
        one, two = turns.best("1"), turns.best("2")
        if one.found != two.found:
            raise Failed("one process and two give different results")
        value, busy = one.wall / two.wall, median(others)
        # With other work running there are no two processors to be had: what is found is the least that it can be.
        disturbed = busy > BUSY and value < POOL
        why = f"other work took {100 * busy:.0f} % of the processors" if disturbed else ""
        note = f"{one.wall:.1f} s and {two.wall:.1f} s on the clock"
        yield Found("wall", value, why, ours=two, theirs=one, note=note, least=disturbed)

    return Bench(f"engine/pool-{name}", (row,), run)


def _worked() -> float:
    """The seconds that all processors together have worked since the machine began; 0 where that is not known."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return 0.0
    user, nice, system, _, _, interrupts, soft, stolen = map(int, stat.read_text().split(None, 9)[1:9])
    return (user + nice + system + interrupts + soft + stolen) / os.sysconf("SC_CLK_TCK")


def _dask(name: str, what: str, words: Words) -> Bench:
    what = f"{what}, two Dask workers of this machine"
    unit = "results that differ from those of one process"
    rows = (
        Row("same", what, unit, 0, at_least=False),
        Row("killed", f"{what}, one of them killed", unit, 0, at_least=False),
    )

    def run(setting: Setting) -> Iterator[Found]:
        if find_spec("distributed") is None:
            raise Failed('distributed is not installed (pip install "adjudge[cluster]")')
        given = [*words(setting), *PLAIN]
        here = run_process(adjudge(*given, "--jobs", 1, extras=True))
        cluster = adjudge(*given, "--jobs", 2, "--cluster", "local", extras=True)
        there = run_process(cluster)
        yield Found("same", float(here.found != there.found), ours=here, theirs=there)
        target = setting.scratch(f"dask-{name}") / "result.json"
        # A run that ends earlier than the one before is tried again.
        tries = (_run_and_kill(cluster, target, expected=share * there.wall) for share in (1.0, 0.5, 0.25))
        killed = next((found for found in tries if found is not None), None)
        if killed is None:
            raise Failed("the command ended before a worker could be killed")
        yield Found("killed", float(here.found != killed))

    return Bench(f"engine/dask-{name}", rows, run)


def _run_and_kill(command: list[str], target: Path, *, expected: float) -> str | None:
    """What the command prints if one of its workers is killed when half of the time that is left has passed.

    None if it had ended by then.
    """
    start = time.perf_counter()
    with (
        target.open("w") as out,
        subprocess.Popen(
            command, stdout=out, stderr=subprocess.DEVNULL, env=environment(), start_new_session=True
        ) as process,
    ):
        try:
            while len(_workers(process.pid)) < 2 and process.poll() is None:
                time.sleep(0.05)
            time.sleep(max(0.0, expected - (time.perf_counter() - start)) / 2)
            workers = _workers(process.pid)
            if process.poll() is not None or not workers:
                return None
            os.kill(workers[-1], signal.SIGKILL)
            if process.wait(timeout=300):
                raise Failed(f"the command ended with {process.returncode} after a worker was killed")
        except subprocess.TimeoutExpired:
            raise Failed("the command did not end after a worker was killed") from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    return target.read_text()


def _workers(pid: int) -> list[int]:
    """The worker processes that a process has started, or those have."""
    return [each for each in _below(pid) if b"spawn_main" in _command(each)]


def _below(pid: int) -> list[int]:
    """All descendants of a process; each thread of a process has children of its own."""
    own = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            own += [int(each) for each in listed.read_text().split()]
    return own + [each for child in own for each in _below(child)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _million(*, quick: bool) -> Bench:
    sizes = (2_000, 5_000, 20_000) if quick else (50_000, 200_000, 1_000_000)
    what = f"`score relation.strict`, {sizes[-1]:,} documents of one to four relations"
    rows = (
        Row("memory", what, "MB, the largest process", 1_000, at_least=False, judged=not quick),
        Row("cpu", what, "µs of CPU for a document"),
        Row(
            "growth",
            f"the same, {sizes[0]:,} to {sizes[-1]:,} documents",
            "growth exponent of CPU",
            1.3,
            at_least=False,
            judged=not quick,
        ),
    )

    def run(setting: Setting) -> Iterator[Found]:
        costs: dict[int, Cost] = {}
        for size in sizes:
            words = [*_relations(size)(setting), "--bootstrap", "0", "--quiet", "--jobs", 2]
            costs[size] = run_process(adjudge(*words))
        last = costs[sizes[-1]]
        yield Found("memory", last.megabytes, ours=last)
        yield Found("cpu", last.cpu / sizes[-1] * 1e6, ours=last)
        fit = fit_exponent((size, cost.cpu) for size, cost in costs.items())
        yield Found("growth", fit.exponent, fit=fit, ours=last)

    return Bench("engine/million", rows, run)
