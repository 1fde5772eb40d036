"""A PostgreSQL server for tests: Debian's, in a folder of its own, on a socket that only it has."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

_numbers = count(1)


def programs() -> Path | None:
    """The folder with initdb and postgres, of the newest release that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    named = shutil.which("initdb")
    if found:
        return found[-1].parent
    return Path(named).resolve().parent if named else None


def missing() -> str | None:
    """Why there can be no server here, if so."""
    if programs() is None:
        return "needs PostgreSQL: install Debian's package postgresql"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "needs the extra postgres"
    return None


def skip_without() -> None:
    """Skip a test where there is no PostgreSQL, unless there has to be one."""
    reason = missing()
    if reason is not None:
        if os.environ.get("ADJUDGE_NEED_POSTGRES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)


class Server:
    """A server that runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def url(self) -> str:
        """The URL of an empty database: a schema that was made for it."""
        import psycopg

        name = f"test_{os.getpid()}_{next(_numbers)}"
        base = f"postgresql:///postgres?host={self.folder}&user=adjudge"
        with psycopg.connect(base, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"{base}&options=-csearch_path%3D{name}"


def memory() -> str | None:
    """A folder that is not a disk, if there is one: for tests that write often and do not ask what a disk does."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@contextmanager
def running(*, fsync: bool = False) -> Iterator[Server]:
    """A server; `fsync`: as careful with the disk as it is in earnest."""
    folder = Path(tempfile.mkdtemp(prefix="adjudge-pg-", dir=None if fsync else memory()))
    process = None
    try:
        who: dict = {}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            import pwd

            other = next(entry for name in ("postgres", "nobody") for entry in pwd.getpwall() if entry.pw_name == name)
            os.chown(folder, other.pw_uid, other.pw_gid)
            who = {"user": other.pw_uid, "group": other.pw_gid, "extra_groups": []}
        bin = programs()
        assert bin is not None
        data = folder / "data"
        make = [bin / "initdb", "--no-sync", "-A", "trust", "-U", "adjudge", "--locale=C", "-E", "UTF8", "-D", data]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL, cwd=folder, **who)
        settings = ["listen_addresses=", f"unix_socket_directories={folder}", f"fsync={'on' if fsync else 'off'}"]
        options = [part for setting in (*settings, "max_connections=60") for part in ("-c", setting)]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [bin / "postgres", "-D", data, *options],
                stderr=log,
                stdout=log,
                cwd=folder,
                preexec_fn=_die_with_us,
                **who,
            )
        _wait(folder, process)
        yield Server(folder)
    finally:
        if process is not None:
            process.send_signal(signal.SIGQUIT)  # at once: nobody will need its data
            process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(folder: Path, process: subprocess.Popen) -> None:
    import psycopg

    for _ in range(600):
        try:
            psycopg.connect(f"postgresql:///postgres?host={folder}&user=adjudge").close()
            return
        except psycopg.OperationalError:
            assert process.poll() is None, (folder / "log").read_text()
            time.sleep(0.05)
    raise TimeoutError((folder / "log").read_text())


def _die_with_us() -> None:
    """Nothing runs on if the tests are killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT)
