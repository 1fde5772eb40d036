"""A Dask cluster: the same results in the same order, whatever happens to its workers."""

import importlib.util
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from adjudge.errors import UsageError
from adjudge.evaluate.processes import map_documents

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="needs Dask: pip install 'adjudge[cluster]'"
)
MODULE = """
import math, os, time
from adjudge.errors import Problem, ValidationError

def wobble(gold, system):
    return sum(math.sin(gold * k) / (k + system) for k in range(1, 40))

def die_once(gold, system):
    if gold == 50:
        try:
            open(system, "x").close()
        except FileExistsError:
            pass
        else:
            os._exit(9)
    return wobble(gold, 1)

def fail(gold, system):
    if gold == 40:
        raise ValidationError([Problem("first", line=1), Problem("second", line=2)])
    return gold

def sleep(gold, system):
    if gold:
        time.sleep(60)

def always_die(gold, system):
    os._exit(9)

def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value

def levels(gold, system):
    depth = 0
    while gold:
        gold, depth = gold[0], depth + 1
    return depth
"""


@pytest.fixture
def run(tmp_path):
    """Runs a program that may use workers, in a process of its own: Dask leaves threads and warnings behind."""
    (tmp_path / "engine_work.py").write_text(MODULE)

    def run_program(program: str) -> str:
        (tmp_path / "program.py").write_text(
            "import engine_work as work\n"
            "from adjudge.evaluate.processes import map_documents\n"
            "from adjudge.errors import AdjudgeError\n"
            "def main():\n"
            + textwrap.indent(textwrap.dedent(program), "    ")
            + "\nif __name__ == '__main__':\n    main()\n"
        )
        environment = {"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300, env=environment
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run_program


@needs_dask
def test_the_same_numbers_in_the_same_order(run):
    out = run(
        """
        pairs = [(f"d{i}", i, i / 7 + 1) for i in range(301)]
        found = list(map_documents(work.wobble, iter(pairs), cluster="local", jobs=2))
        print(found == list(map_documents(work.wobble, pairs)))
        """
    )
    assert out.split() == ["True"]


@needs_dask
def test_a_lost_worker_costs_a_retry(run, tmp_path):
    out = run(
        f"""
        pairs = [(f"d{{i}}", i, {str(tmp_path / "died")!r}) for i in range(101)]
        found = list(map_documents(work.die_once, pairs, cluster="local", jobs=2))
        print(found == [(f"d{{i}}", work.wobble(i, 1)) for i in range(101)])
        """
    )
    assert out.split() == ["True"]
    assert (tmp_path / "died").exists()


@needs_dask
def test_errors_come_home(run):
    out = run(
        """
        for function in (work.fail, work.always_die):
            try:
                list(map_documents(function, ((f"d{i}", i, 0) for i in range(60)), cluster="local", jobs=1))
            except AdjudgeError as error:
                print(type(error).__name__, [problem.message for problem in error.problems])
        """
    )
    first, second = out.splitlines()
    assert first == "ValidationError ['first', 'second']"
    assert "killed several workers" in second


@needs_dask
def test_what_cannot_be_sent_is_done_here(run):
    out = run(
        """
        pairs = [("flat", [], 0), ("deep", work.nested(5000), 0), ("again", [[]], 0)]
        print(list(map_documents(work.levels, pairs, cluster="local", jobs=1)))
        """
    )
    assert out.strip() == "[('flat', 0), ('deep', 5000), ('again', 1)]"


@needs_dask
def test_mistakes():
    with pytest.raises(UsageError, match="'nowhere' is not a cluster"):
        list(map_documents(divmod, [("a", 1, 1)], cluster="nowhere"))
    with pytest.raises(UsageError, match="cannot be sent to another process"):
        list(map_documents(lambda gold, system: 1, [("a", 1, 1)], cluster="local"))


@needs_dask
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
def test_an_interrupt_leaves_nothing_behind(tmp_path):
    (tmp_path / "engine_work.py").write_text(MODULE)
    (tmp_path / "program.py").write_text(
        "import engine_work as work\nfrom adjudge.evaluate.processes import map_documents\n"
        "if __name__ == '__main__':\n"
        "    pairs = [(f'd{i}', i, 0) for i in range(9)]\n"
        "    for _ in map_documents(work.sleep, pairs, cluster='local', jobs=2):\n"
        "        print('working', flush=True)\n"
    )
    environment = {"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    program = subprocess.Popen(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert program.stdout is not None
    assert program.stdout.readline() == b"working\n"
    os.killpg(program.pid, signal.SIGINT)
    assert program.wait(timeout=40) != 0
    program.stdout.close()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.killpg(program.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.2)
    os.killpg(program.pid, signal.SIGKILL)
    pytest.fail("workers are still there")


def test_without_dask_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match="adjudge\\[cluster\\]"):
        list(map_documents(divmod, [("a", 1, 1)], cluster="local"))
