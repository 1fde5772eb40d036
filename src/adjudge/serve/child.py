"""A command of adjudge as a child with limits: on time, memory, files, processes and output.

It has a process group and a folder of its own, no environment, and is killed with all that it has started when its time
or its room is over, or nobody needs it any longer. `isolate = "bwrap"` also takes the network and all other files away.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from adjudge.serve import limits as launcher

if TYPE_CHECKING:
    from adjudge.serve.tracks import TrackSettings

PROGRAM = (sys.executable, "-I", "-m", "adjudge")
"""What children run, unless they name another module."""
OUTPUT = 1_000_000
"""Bytes that a child may print."""
_PAUSE = 0.25  # seconds between checks of a running child
_FILES = 1024
_LOOK = 1.0  # seconds between checks of its folder


class Child(msgspec.Struct, frozen=True):
    """What is run, where, and how much it may take."""

    args: tuple[str, ...]
    folder: Path
    wall: float
    cpu: int
    memory: int
    disk: int
    processes: int = 64
    isolate: str = ""
    reads: tuple[Path, ...] = ()  # files outside of the folder that it needs
    module: str = ""  # of adjudge, if it is not a command


class Ended(msgspec.Struct, frozen=True):
    """Its outcome: its exit code, or why there is none; what it has printed, as far as that is kept."""

    code: int | None
    reason: str
    output: bytes
    errors: bytes
    seconds: float

    @property
    def last(self) -> str:
        """The end of what it said, for people."""
        lines = [line for line in self.errors.decode("utf-8", "replace").splitlines() if line.strip()]
        return lines[-1][:500] if lines else ""


def limited(args: Sequence[str], folder: Path, settings: TrackSettings, *reads: Path, check: bool = False) -> Child:
    """A command of adjudge with the limits of a track, on files that it may read."""
    limits = settings.limits
    wall = limits.seconds("check_wall" if check else "wall")
    return Child(
        tuple(args),
        folder,
        wall,
        limits.seconds("check_cpu") if check else wall * (os.cpu_count() or 1),
        limits.bytes("check_memory" if check else "memory"),
        limits.bytes("disk"),
        limits.processes,
        settings.isolate,
        tuple(path for path in reads if path.exists()),
    )


def run(child: Child, needed: Callable[[], bool] = lambda: True) -> Ended:
    """Run a child to its end; `needed` is asked from time to time whether anybody still wants to know."""
    begun = looked = time.monotonic()
    printed = [child.folder / f".{name}" for name in ("output", "errors")]
    process, code, reason = _started(child, printed), None, ""
    try:
        while code is None and not reason:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(_PAUSE)
            now = time.monotonic()
            if code is not None:
                reason = _by_signal(code, child)
            elif not needed():
                reason = "nobody needs it any longer"
            elif now - begun > child.wall:
                reason = f"it took longer than {child.wall:.0f} s"
            elif now - looked > _LOOK:
                looked = now
                if _size(child.folder) > child.disk:
                    reason = f"it wrote more than {child.disk} bytes"
            if not reason and any(path.stat().st_size > OUTPUT for path in printed):
                reason = f"it printed more than {OUTPUT} bytes"
    finally:
        _kill(process)
    output, errors = map(_start, printed)
    return Ended(None if reason else code, reason, output, errors, time.monotonic() - begun)


def _started(child: Child, printed: Sequence[Path]) -> subprocess.Popen[bytes]:
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in printed]
        (child.folder / ".tmp").mkdir(exist_ok=True)
        return subprocess.Popen(  # noqa: S603
            _command(child),
            cwd=child.folder,
            env={"HOME": str(child.folder), "TMPDIR": str(child.folder / ".tmp")},
            stdin=subprocess.DEVNULL,
            stdout=files[0],
            stderr=files[1],
            start_new_session=True,
        )


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a child and everything it has started."""
    if os.name != "posix":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(OUTPUT)


def _size(folder: Path) -> int:
    whole = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                whole += os.lstat(os.path.join(root, name)).st_size  # noqa: PTH118
    return whole


def _by_signal(code: int, child: Child) -> str:
    """What killed a child."""
    if code >= 0:
        return ""
    if -code == getattr(signal, "SIGXCPU", None):
        return f"it computed longer than {child.cpu} s"
    with contextlib.suppress(ValueError):
        return f"it was ended by {signal.Signals(-code).name}"
    return f"it was ended by signal {-code}"


def _command(child: Child) -> list[str]:
    program = (sys.executable, "-I", "-m", child.module) if child.module else PROGRAM
    command = [*program, *child.args]
    if child.isolate:
        command = [*_bwrap(child), *command]
    if os.name != "posix":
        return command
    rules = {
        "CPU": child.cpu,
        "AS": child.memory,
        "FSIZE": child.disk,
        "NOFILE": _FILES,
        "NPROC": _threads() + child.processes,
        "CORE": 0,
        "parent": os.getpid(),
    }
    return [sys.executable, "-I", "-S", launcher.__file__, json.dumps(rules), *command]


def _threads() -> int:
    """How many threads the user of this process has: a limit on processes counts them all."""
    count = 0
    for path in Path("/proc").glob("[0-9]*/task"):
        with contextlib.suppress(OSError):
            if path.stat().st_uid == os.getuid():
                count += len(os.listdir(path))  # noqa: PTH208
    return count


def _bwrap(child: Child) -> list[str]:
    """The program that takes everything away but what is needed to run adjudge on some files."""
    program = shutil.which("bwrap") or "bwrap"
    made = [program, "--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108
    system = [Path(each) for each in ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime")]
    python = [Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parent.parent]
    for path in dict.fromkeys([*system, *python, Path(launcher.__file__).parents[2], *child.reads]):
        if path.exists():
            made += ["--ro-bind", str(path), str(path)]
    return [*made, "--bind", str(child.folder), str(child.folder), "--chdir", str(child.folder)]


@lru_cache(maxsize=1)
def holding() -> dict[str, bool]:
    """The limits that can be enforced on this machine."""
    rules = dict.fromkeys(("CPU", "AS", "FSIZE", "NOFILE", "NPROC", "CORE"), 1 << 40)
    held: set[str] = set()
    if os.name == "posix":
        command = [sys.executable, "-I", "-S", launcher.__file__, json.dumps(rules)]
        found = subprocess.run(command, capture_output=True, timeout=30, check=False)  # noqa: S603
        held = set(json.loads(found.stdout or b"[]"))
    return {
        "wall clock": True,
        "output": True,
        "disk": True,
        "processor time": "CPU" in held,
        "memory": "AS" in held and sys.platform == "linux",
        "size of files": "FSIZE" in held,
        "open files": "NOFILE" in held,
        "processes": "NPROC" in held and Path("/proc").is_dir() and os.getuid() != 0,
        "ends with the server": sys.platform == "linux",
        "isolation (bwrap)": bwrap_works(),
    }


@lru_cache(maxsize=1)
def bwrap_works() -> bool:
    """Whether children can be isolated here."""
    if shutil.which("bwrap") is None:
        return False
    command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run(command, capture_output=True, timeout=10, check=False).returncode == 0  # noqa: S603
    return False


def describe() -> str:
    """What the start of a server says about its children."""
    found = holding()
    missing = [name for name, holds in found.items() if not holds]
    said = f"limits that hold for children: {', '.join(name for name, holds in found.items() if holds)}"
    return f"{said}; that do not hold here: {', '.join(missing)}" if missing else said
