"""Whole commands by the hundred thousand: a process that has everything imported, and copies of it that do the work.

A copy runs some command lines one after the other, each in a folder of its own, under a limit of memory; it tells the
parent of each how it ended, how much of the processor and of memory it took, and what is wrong with that. A copy that
says nothing for too long is ended, and the next begins behind the input that it was at. The inputs depend on the seed
and their number alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import select
import shutil
import signal
import stat
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from fuzz import lines
from fuzz.nasty import Case

GRACE = 1.0
"""Seconds beyond the limit that a command may take."""
SAID = 0.5
"""Seconds of a document more, if the outcome of each of its items is written down."""
UNLIMITED = 10.0
"""Seconds of a command that has no such limit."""
MEMORY = 1 << 30
"""Bytes beyond those that the process has at first."""
SILENCE = 45.0
"""Seconds of the processor without a word: longer than any limit."""
PATIENCE = 600.0
"""Seconds of the clock without a word: the machine may be busy, and what waits for itself takes no processor."""
ONE_COPY = 200
"""Inputs of one copy: a leak would show, and does not become everyone's."""
CODES = (0, 1, 2, 3)
SLOW = "too slow"
_STRAY = re.compile(r"\..+\.[0-9a-f]{12}(?:\.old|\.packed)?")


Make = Callable[[int], tuple[str, Case]]
"""What input a number is, and what it is called."""


class Budget(NamedTuple):
    """Which inputs: from a number on, so many, or for so many seconds."""

    first: int
    count: int | None
    seconds: float | None


@dataclass
class Count:
    """The outcome of the inputs of one kind."""

    inputs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    largest: int = 0
    exits: Counter[int] = field(default_factory=Counter)


@dataclass
class Tally:
    """The outcome of all of them."""

    kinds: dict[str, Count] = field(default_factory=dict)
    findings: dict[str, list[int]] = field(default_factory=dict)

    @property
    def inputs(self) -> int:
        """How many there were."""
        return sum(each.inputs for each in self.kinds.values())

    def add(self, told: dict[str, Any]) -> bool:
        """Count one; whether it shows something new."""
        own = self.kinds.setdefault(told["kind"], Count())
        own.inputs += 1
        own.seconds += told["seconds"]
        own.slowest = max(own.slowest, told["seconds"])
        own.largest = max(own.largest, told["memory"])
        own.exits[told["code"]] += 1
        if told["wrong"] is None:
            return False
        numbers = self.findings.setdefault(told["wrong"], [])
        numbers.append(told["number"])
        return len(numbers) == 1


@contextlib.contextmanager
def place() -> Iterator[Path]:
    """A folder in memory with the inputs of the tests, in which commands work, each in `work`."""
    from faults.writers import make_inputs

    here = Path.cwd()
    room = Path(tempfile.mkdtemp(prefix="fuzz-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    try:
        (room / "in").mkdir()
        make_inputs(room / "in")
        (room / "work").mkdir()
        _make_devices(room / "work")
        _make_campaign(room)
        _make_served(room)
        os.chdir(room / "work")
        yield room
    finally:
        os.chdir(here)
        shutil.rmtree(room, ignore_errors=True)


def _make_devices(work: Path) -> None:
    """What takes or refuses everything, if we may make it; else a file of this name is as good."""
    for name, number in lines.DEVICES.items():
        with contextlib.suppress(PermissionError):
            os.mknod(work / name, 0o666 | stat.S_IFCHR, os.makedev(1, number))


def _make_campaign(room: Path) -> None:
    from adjudge.cli import run
    from faults.campaigns import make_small

    (room / "campaign").mkdir()
    assert run(["eal", "campaign", "init", str(room / "campaign" / "c"), "--demo", "--quiet"]) == 0
    make_small(room / "campaign" / "c")


def _make_served(room: Path) -> None:
    """The folder of a server with a track and somebody in it."""
    from adjudge.cli import run

    served = room / "served" / "f"
    served.parent.mkdir()
    with (room / "said").open("w") as said, contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        track = ("--track", "ner", "--gold", str(room / "in" / "gold.bio"))
        assert run(["serve", "init", str(served), *track]) == 0
        assert run(["serve", "invite", str(served), "ann", "--role", "team"]) == 0


def prepare() -> None:
    """Import what commands import, so that the copies need not."""
    from faults.nursery import prepare as load

    load()
    list(lines.kinds())


def run_commands(make: Make, budget: Budget, tell: Callable[[str], None]) -> Tally:
    """Run the inputs that are made of numbers, as many or as long as is said, and tell what is new."""
    prepare()
    tally = Tally()
    end = time.monotonic() + budget.seconds if budget.seconds is not None else None
    number, last = budget.first, budget.first + budget.count if budget.count is not None else 1 << 60
    with place():
        lines.inputs()
        while number < last and (end is None or time.monotonic() < end):
            for told in _copy(make, number, min(last, number + ONE_COPY), end):
                number = told["number"] + 1
                if number % 1000 == 0:
                    tell(f"{tally.inputs} inputs, {len(tally.findings)} findings")
                if tally.add(told):
                    tell(f"{told['kind']}, number {told['number']}: {told['wrong']}\n    {told['line']}")
    return tally


def _copy(make: Make, number: int, stop: int, end: float | None) -> Iterator[dict[str, Any]]:
    """What one copy tells of its inputs."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _work(make, range(number, stop), writing)
    os.close(writing)
    waiting, used, since = b"", 0.0, time.monotonic()
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while True:
            ready, _, _ = select.select([pipe], [], [], SILENCE / 9)
            if not ready and _used(child) < used + SILENCE and time.monotonic() < since + PATIENCE:
                continue
            data = pipe.read(1 << 16) if ready else b""
            waiting += data or b""
            used, since = _used(child), time.monotonic()
            *whole, waiting = waiting.split(b"\n")
            for line in whole:
                told = json.loads(line)
                number = told["number"] + 1
                yield told
            over = end is not None and time.monotonic() > end
            if not data or over:
                break
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if number < stop and not (over and ready and data):  # it did not come to its end, though there was time
        kind, case = make(number)
        wrong = (
            f"did not end in {SILENCE:g} s of the processor"
            if not ready
            else f"the process ended: {os.waitstatus_to_exitcode(status)}"
        )
        yield _told(number, kind, case, -9, SILENCE, 0, f"{kind}: {wrong}")


def _work(make: Make, numbers: range, pipe: int) -> None:
    """The copy: never returns."""
    import adjudge.cli

    try:
        os.setpgid(0, 0)
        err = os.dup(2)
        said = os.open("../said", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        limit = _memory("VmSize") + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        bugs: list[str] = []

        def report(error: Exception, *, verbose: bool) -> int:
            bugs.append(_bug(error))
            return adjudge.cli.BUG

        adjudge.cli._report_bug = report
        for each in numbers:
            bugs.clear()
            told = _one(each, *make(each), said, bugs)
            os.write(pipe, json.dumps(told).encode() + b"\n")
    except BaseException:
        os.write(err, traceback.format_exc().encode())
    finally:
        os._exit(0)


def _one(number: int, kind: str, case: Case, said: int, bugs: list[str], *, again: bool = True) -> dict[str, Any]:
    """Run one input."""
    from adjudge.cli import run

    work = Path.cwd()
    for name, data in case.files.items():
        path = Path(name)
        if path.parent != Path():
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
    os.ftruncate(said, 0)
    os.lseek(said, 0, os.SEEK_SET)
    for stream in (1, 2):  # a command that could not write has let go of them
        os.dup2(said, stream)
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before, memory = _seconds(), _memory("VmRSS")
    try:
        code = run(list(case.words))
    except BaseException as error:
        code = 70
        bugs.append(_bug(error))
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    seconds = _seconds() - before
    peak = _memory("VmHWM") - memory
    text = os.pread(said, 1 << 20, 0).decode("utf-8", "replace")
    what = bugs[0] if bugs else wrong(case, code, seconds, text)
    if what == SLOW and again:  # the machine may have been busy: the better of two counts
        _clear(work)
        return _one(number, kind, case, said, bugs, again=False)
    if not (work.is_dir() and work.samefile(Path())):
        what = "the folder around it is gone"
        work.mkdir(exist_ok=True)
        os.chdir(work)
    left = _clear(work)
    if what is None and left:
        what = f"left behind: {left[0]}"
    if any(Path(name).is_file() and Path(name).stat().st_size for name in lines.DEVICES) and os.geteuid() == 0:
        what = "a device was replaced"
    return _told(number, kind, case, code, seconds, peak, None if what is None else f"{_command(case)}: {what}")


def _told(
    number: int, kind: str, case: Case, code: int, seconds: float, memory: int, wrong: str | None
) -> dict[str, Any]:
    short = (word if len(word) < 80 else f"{word[:20]}...({len(word)})" for word in case.words)
    line = "adjudge " + " ".join(
        word if re.fullmatch(r"[\w./=,:@%+-]+", word, re.ASCII) else repr(word) for word in short
    )
    return {
        "number": number,
        "kind": kind,
        "code": code,
        "seconds": seconds,
        "memory": memory,
        "wrong": wrong,
        "line": line if wrong else "",
    }


def _command(case: Case) -> str:
    return " ".join(word for word in case.words[:2] if word.isalpha())


def wrong(case: Case, code: int, seconds: float, text: str) -> str | None:
    """What is wrong with how a command ended."""
    errors = [line for line in text.splitlines() if line.startswith("error: ")]
    if code not in CODES:
        return f"exit {code}: {text.strip()[-200:]}"
    if "Traceback (most recent call last)" in text:
        return "a traceback is shown"
    if "out of memory" in text:
        return "memory"
    grace = GRACE + (SAID * case.documents if "--save-documents" in case.words else 0)
    if seconds > min(case.documents * _limit(case.words), UNLIMITED) + grace:
        return SLOW
    written = {"-o", "--output"} & set(case.words)  # what is found may be there
    if code in (1, 2) and not errors and not written and not text.strip():
        return f"exit {code} without a word"
    if code == 1 and errors:
        for line in errors:
            if not re.match(r"error: (?:\S+| )(?::\d+){0,2}: ", line) and "more problem" not in line:
                return f"no file is named: {_shape(line)}"
    return None


def _limit(words: tuple[str, ...]) -> float:
    """The seconds that a command line gives to each document: the last word counts."""
    given = [value for flag, value in pairwise(words) if flag == "--time-limit"]
    try:
        return max(float(given[-1]), 0.0)
    except (IndexError, ValueError):
        return UNLIMITED


def _shape(message: str) -> str:
    """A message without what is special to one input."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|[0-9]+|[^ -~]+", "_", message)[:90]


def _bug(error: BaseException) -> str:
    return f"{type(error).__name__} at {_where(error)}: {_shape(str(error))}"


def _where(error: BaseException) -> str:
    frames = [each for each in traceback.extract_tb(error.__traceback__) if "/adjudge/" in each.filename]
    return f"{frames[-1].filename.rpartition('/adjudge/')[2]}:{frames[-1].name}" if frames else "nowhere"


def _seconds() -> float:
    """Of the processor, this process and its children."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def _used(process: int) -> float:
    """The seconds of the processor that a process and those that it has waited for have taken."""
    try:
        times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15]
    except OSError:  # it has ended, and nobody has asked how
        return 0.0
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def _memory(what: str) -> int:
    """Bytes, as the system counts them."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{what}:"):
            return int(line.split()[1]) << 10
    return 0


def _clear(folder: Path) -> list[str]:
    """Empty the folder; what was left of unfinished work."""
    left = [each.name for each in folder.iterdir() if _STRAY.fullmatch(each.name)]
    for each in list(folder.iterdir()):
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        else:
            each.unlink()
    return left


def summary(tally: Tally) -> str:
    """A line for every kind."""
    rows = []
    for name, own in sorted(tally.kinds.items()):
        exits = ", ".join(f"{code}: {number}" for code, number in sorted(own.exits.items()))
        rows.append(
            f"{name:26}{own.inputs:7} inputs, mean {1000 * own.seconds / own.inputs:6.1f} ms, slowest"
            f" {own.slowest:5.2f} s, memory {own.largest / 1e6:5.0f} MB, exits {exits}"
        )
    return "\n".join(rows)
