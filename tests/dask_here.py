"""A scheduler of Dask and a worker, on this machine, as others would run them."""

import contextlib
import importlib.util
import subprocess
import sys
import time

import pytest

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="needs Dask: pip install 'adjudge[cluster]'"
)


@contextlib.contextmanager
def dask_here(folder):
    """The file that says where the scheduler is."""
    file = folder / "scheduler.json"
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    common = {"cwd": folder, "env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    here = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
    lines = (["dask_scheduler", "--port", "0"], ["dask_worker", "--nthreads", "2", "--no-nanny"])
    running = [
        subprocess.Popen([sys.executable, "-m", f"distributed.cli.{name}", *more, *here], **common)
        for name, *more in lines
    ]
    try:
        deadline = time.monotonic() + 60
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        yield file
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait(20)
