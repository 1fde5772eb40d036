"""A program that runs commands in children of its own, and lets them be killed or their disk be full at a given moment.

Everything is imported once, so a child costs no more than its work. Each line of standard input is a request in JSON,
each line of standard output the answer. A child counts its operations on files: what it opens to write, renames, links,
removes, flushes and locks; if it is asked to, also what it opens and lists to read in the folder where it works. At the
one it was given it dies by SIGKILL or is interrupted, or this one fails with a given error, or from there on everything
that takes room fails.
"""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import sys
import tempfile
import time
from typing import Any, NoReturn

GROWING = {"open", "os.rename", "os.mkdir", "os.link", "os.symlink", "write", "fsync"}
OTHER = {"os.remove", "os.rmdir", "os.truncate", "fcntl.flock", "ftruncate"}
LISTING = {"os.scandir", "os.listdir"}


class Faults:
    """Counts operations, and makes one of them the last."""

    def __init__(self, kind: str, at: int, tell: int, *, reading: bool = False) -> None:
        self.kind, self.at, self.tell, self.reading = kind, at, tell, reading
        self.error = getattr(errno, kind, 0)  # a kind such as "EIO" is one operation that fails so
        self.place = os.getcwd() + os.sep  # noqa: PTH109
        self.count = 0
        self.process = os.getpid()

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        """The audit hook of the child."""
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, int):
                return
            if not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                if self.is_read_here(path):
                    self.tick("read")
                return
        if event in LISTING and self.is_read_here(arguments[0]):
            self.tick("read")
        if event in GROWING or event in OTHER:
            self.tick(event)

    def is_read_here(self, path: Any) -> bool:
        """Whether something in the folder is read, and that counts."""
        if not self.reading or not isinstance(path, str | bytes | os.PathLike):
            return False
        return os.path.join(self.place, os.fsdecode(path)).startswith(self.place)  # noqa: PTH118

    def tick(self, event: str) -> None:
        """An operation is about to begin."""
        if os.getpid() != self.process:
            return
        self.count += 1
        if self.kind == "kill" and self.count == self.at:
            self.leave()
            os.kill(self.process, signal.SIGKILL)
        if self.kind == "interrupt" and self.count == self.at:
            os.kill(self.process, signal.SIGINT)
        if self.error and self.count == self.at:
            raise OSError(self.error, os.strerror(self.error))
        if self.kind == "full" and self.count >= self.at and event in GROWING:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def leave(self) -> None:
        """Tell how many there were; the handle was opened before anything was counted."""
        _write(self.tell, str(self.count).encode())

    def install(self) -> None:
        """Begin to count."""
        for name in ("write", "fsync", "ftruncate"):
            setattr(os, name, self.wrapped(name, getattr(os, name)))
        sys.addaudithook(self.hook)

    def wrapped(self, name: str, real: Any) -> Any:
        def call(*arguments: Any) -> Any:
            self.tick(name)
            return real(*arguments)

        return call


_write = os.write


def child(request: dict[str, Any], tell: int) -> NoReturn:
    """Run the command, and end with its code."""
    from adjudge.cli import run

    code = 99
    try:
        os.chdir(request["cwd"])
        if "size" in request:
            resource.setrlimit(resource.RLIMIT_FSIZE, (request["size"], request["size"]))
        if "uid" in request:
            os.setgroups([])
            os.setgid(request["uid"])
            os.setuid(request["uid"])
        faults = Faults(request.get("kind", "none"), request.get("at", 0), tell, reading=request.get("reading", False))
        faults.install()
        code = run(request["argv"])
        faults.leave()
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = 98
    finally:
        os._exit(code)


def standard_output(name: str) -> int:
    """A file, or a pipe that nobody reads."""
    if name != "nobody":
        return os.open(name, os.O_WRONLY)
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def serve(request: dict[str, Any]) -> dict[str, Any]:
    """Have a child do it."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as told:
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            os.dup2(standard_output(request["stdout"]) if "stdout" in request else out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            child(request, told.fileno())
        if request.get("kind") == "time":
            time.sleep(request["seconds"])
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        seconds = time.monotonic() - began
        for file in (out, err, told):
            file.seek(0)
        return {
            "code": os.waitstatus_to_exitcode(status),
            "out": out.read().decode("utf-8", "replace"),
            "err": err.read().decode("utf-8", "replace"),
            "events": int(told.read() or 0),
            "seconds": seconds,
        }


def prepare() -> None:
    """Import what commands import, so that children need not."""
    import importlib
    import pkgutil

    import adjudge

    for name in ("scipy.optimize", "scipy.sparse", "scipy.stats", "numpy.random", "jinja2", "yaml"):
        importlib.import_module(name)
    for module in pkgutil.walk_packages(adjudge.__path__, "adjudge."):
        importlib.import_module(module.name)


if __name__ == "__main__":
    prepare()
    for line in sys.stdin:
        answer = serve(json.loads(line))
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
