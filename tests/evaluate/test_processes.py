"""One process or several: the same results in the same order, and nothing left running."""

import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from unittest.mock import Mock

import pytest

from adjudge.errors import UsageError, ValidationError
from adjudge.evaluate import processes as local
from adjudge.evaluate.processes import map_documents

# Workers import what they run, so the functions live in a module that they can find.
MODULE = """
import gc, math, os, time
from adjudge.errors import Problem, ValidationError

def wobble(gold, system):
    return sum(math.sin(gold * k) / (k + system) for k in range(1, 40))

def process(gold, system):
    return os.getpid()

def collects(gold, system):
    return gc.isenabled()

def fail(gold, system):
    if gold == 40:
        raise ValidationError([Problem("first", line=1), Problem("second", line=2)])
    if gold == 41:
        raise ZeroDivisionError("a bug")
    return gold

def die(gold, system):
    os._exit(9)

def die_once(gold, system):
    if gold == 50:
        try:
            open(system, "x").close()
        except FileExistsError:
            pass
        else:
            os._exit(9)
    return gold * gold

def sleep(gold, system):
    time.sleep(60)
"""
PAIRS = [(f"d{i}", i, i / 7 + 1) for i in range(101)]


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    (folder / "engine_work.py").write_text(MODULE)
    sys.path.insert(0, str(folder))
    import engine_work

    yield engine_work
    sys.path.remove(str(folder))


@pytest.fixture(params=["copies", "fresh interpreters"])
def workers(request, monkeypatch) -> str:
    """Both ways in which a worker can begin."""
    if request.param != "copies":
        monkeypatch.setattr(local, "_can_copy", lambda: False)
    elif not local._can_copy():
        pytest.skip("this process has threads, or cannot be copied")
    return request.param


def test_several_processes_give_the_same_numbers(work, workers) -> None:
    expected = [(identifier, work.wobble(gold, system)) for identifier, gold, system in PAIRS]
    assert list(map_documents(work.wobble, iter(PAIRS))) == expected
    assert list(map_documents(work.wobble, iter(PAIRS), jobs=2)) == expected


def test_the_work_runs_where_it_should(work, monkeypatch) -> None:
    def where(jobs: int | None) -> set[int]:
        return {found for _, found in map_documents(work.process, PAIRS, jobs=jobs)}

    assert where(1) == {os.getpid()}
    assert os.getpid() not in where(2)
    assert where(0) == where(None) == {os.getpid()}  # far too little work for several
    monkeypatch.setattr(local, "WORTHWHILE", 0)
    monkeypatch.setattr(local, "processors", lambda: 2)
    assert len(where(0)) > 1


def test_automatic_reads_no_further_than_it_works(work, monkeypatch) -> None:
    monkeypatch.setattr(local, "processors", lambda: 2)
    read = []

    def pairs():
        for pair in PAIRS:
            read.append(pair)
            yield pair

    found = map_documents(work.process, pairs(), jobs=0)
    next(found)
    assert len(read) <= 8
    assert len(list(found)) == len(PAIRS) - 1


def test_automatic_with_something_that_cannot_travel_stays_here(monkeypatch) -> None:
    monkeypatch.setattr(local, "WORTHWHILE", 0)
    assert len(list(map_documents(lambda gold, system: gold, PAIRS, jobs=0))) == len(PAIRS)


@pytest.mark.parametrize("jobs", [0, 1, 2])
def test_nothing_to_do(work, jobs: int) -> None:
    assert list(map_documents(work.wobble, [], jobs=jobs)) == []


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted in /proc")
def test_a_program_without_threads_is_copied(work, tmp_path) -> None:
    """Here there may be threads, and then nothing else sees copies at work."""
    (tmp_path / "engine_work.py").write_text(MODULE)
    (tmp_path / "run.py").write_text(
        textwrap.dedent("""
        import engine_work
        from adjudge.evaluate.processes import _can_copy, map_documents
        from adjudge.errors import ValidationError
        if __name__ == "__main__":
            assert _can_copy()
            pairs = [(f"d{i}", i, i / 7 + 1) for i in range(101)]
            print(list(map_documents(engine_work.wobble, pairs, jobs=2)))
            print(list(map_documents(engine_work.die_once, [(n, i, "died") for n, i, _ in pairs], jobs=2)))
            try:
                list(map_documents(engine_work.fail, pairs, jobs=2))
            except ValidationError as error:
                print([problem.line for problem in error.problems])
        """)
    )
    done = subprocess.run([sys.executable, "run.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    expected = [
        [(identifier, work.wobble(gold, system)) for identifier, gold, system in PAIRS],
        [(identifier, gold * gold) for identifier, gold, _ in PAIRS],
        [1, 2],
    ]
    assert done.stdout.splitlines() == [str(each) for each in expected]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted in /proc")
def test_a_process_with_threads_is_not_copied() -> None:
    before = local._can_copy()
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    assert not local._can_copy()
    done.set()
    thread.join()
    until(lambda: local._can_copy() == before)


def test_workers_collect_garbage_if_their_parent_does(work, workers) -> None:
    assert {found for _, found in map_documents(work.collects, PAIRS, jobs=2)} == {True}
    gc.disable()
    try:
        assert {found for _, found in map_documents(work.collects, PAIRS, jobs=2)} == {False}
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "error", [OSError(32, "no reader"), BrokenProcessPool("lost"), OSError("handle is closed"), OSError(9, "bad")]
)
def test_a_worker_that_dies_before_it_starts_is_one_that_was_lost(error: Exception) -> None:
    class Pool:
        def submit(self, *_: object) -> None:
            raise error

    assert isinstance(local._submitted(Pool(), []).exception(), BrokenProcessPool)


@pytest.mark.parametrize("jobs", [1, 2])
def test_errors_come_home_as_themselves(work, workers, jobs: int) -> None:
    with pytest.raises(ValidationError) as caught:
        list(map_documents(work.fail, PAIRS, jobs=jobs))
    assert [problem.line for problem in caught.value.problems] == [1, 2]
    with pytest.raises(ZeroDivisionError, match="a bug"):
        list(map_documents(work.fail, [("x", 41, 0)], jobs=jobs))


def test_a_lost_worker_costs_a_retry(work, workers, tmp_path) -> None:
    flag = tmp_path / "died"
    pairs = [(f"d{i}", i, str(flag)) for i in range(101)]
    found = list(map_documents(work.die_once, pairs, jobs=2))
    assert found == [(f"d{i}", i * i) for i in range(101)]
    assert flag.exists()


def test_a_worker_that_dies_is_an_error_not_a_hang(work, workers) -> None:
    with pytest.raises(Exception, match="worker processes died again and again"):
        list(map_documents(work.die, PAIRS, jobs=2))


def test_what_cannot_travel_is_said() -> None:
    function = lambda gold, system: gold  # noqa: E731
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(function)
    with pytest.raises(UsageError, match="cannot be sent to another process"):
        list(map_documents(function, PAIRS, jobs=2))
    with pytest.raises(UsageError, match="jobs is -1"):
        list(map_documents(function, PAIRS, jobs=-1))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for children in /proc")
@pytest.mark.parametrize("copies", [True, False])
@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_an_interrupted_program_leaves_no_child(tmp_path, how: str, copies: bool) -> None:
    (tmp_path / "engine_work.py").write_text(MODULE)
    (tmp_path / "run.py").write_text(
        textwrap.dedent(f"""
        import signal
        import engine_work
        from adjudge.evaluate import processes as local
        from adjudge.evaluate.processes import map_documents
        if __name__ == "__main__":
            assert local._can_copy()
            local._can_copy = lambda: {copies}
            # A program that was started in the background ignores interruptions, and hands that on.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            list(map_documents(engine_work.sleep, [(str(i), 0, 0) for i in range(8)], jobs=2))
        """)
    )
    program = subprocess.Popen([sys.executable, "run.py"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        until(lambda: len(children(program.pid)) >= 2)
        time.sleep(0.5)  # let the workers begin
        workers = children(program.pid)
        program.send_signal(signal.Signals[how])
        program.wait(50)  # the workers sleep for a minute
        until(lambda: not any(alive(worker) for worker in workers))
    finally:
        program.kill()
        program.wait()


def until(condition) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def children(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_there_are_no_more_workers_than_chunks(work, workers) -> None:
    found = map_documents(work.process, [(str(n), n, n) for n in range(3)], jobs=40)
    next(found)
    assert len(multiprocessing.active_children()) <= 3
    found.close()


def test_processes_that_cannot_be_started_are_said() -> None:
    pool = Mock(submit=Mock(side_effect=OSError(24, "Too many open files")))
    with pytest.raises(UsageError, match=r"did not start \(Too many open files\).*--jobs"):
        local._submitted(pool, [])


INTERRUPTED = """
import os, signal, sys
from adjudge.evaluate import processes as local

own = local._can_copy
armed = []

def hit():
    if armed:
        armed.clear()
        signal.raise_signal(signal.SIGINT)  # as if the key was pressed in the middle of making a copy

def can_copy():
    armed.append(True)
    os.register_at_fork(before=hit)
    return own()

local._can_copy = can_copy
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    list(local.map_documents(max, [("a", 1, 2), ("b", 2, 3)], jobs=2))
except KeyboardInterrupt:
    sys.exit(7)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="workers are copies on Linux only")
def test_an_interruption_while_a_copy_is_made_is_not_lost(tmp_path) -> None:
    program = tmp_path / "program.py"
    program.write_text(INTERRUPTED)
    ended = subprocess.run([sys.executable, str(program)], capture_output=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (7, b"")


def test_the_process_that_tracks_semaphores_may_die(work, monkeypatch):
    """It is killed after Python has looked whether it is alive, and before a message is written to it."""
    from multiprocessing.resource_tracker import _resource_tracker as tracker

    ensure, killed = tracker.ensure_running, []

    def ensure_and_kill():
        ensure()
        if not killed:
            killed.append(tracker._pid)
            os.kill(tracker._pid, signal.SIGKILL)
            os.waitid(os.P_PID, tracker._pid, os.WEXITED | os.WNOWAIT)

    monkeypatch.setattr(tracker, "ensure_running", ensure_and_kill)
    monkeypatch.setattr(local, "_can_copy", lambda: False)
    expected = [(name, work.wobble(gold, system)) for name, gold, system in PAIRS]
    with pytest.warns(UserWarning, match="resource_tracker"):
        assert list(map_documents(work.wobble, PAIRS, jobs=2)) == expected
    assert killed
