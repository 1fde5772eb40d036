"""Run one function over many documents, in order and with the same numbers wherever the work is done.

There are three places: this process, several processes of this machine, and a Dask cluster (`cluster.py`). Documents
leave and rows come back a few at a time, so that memory does not grow with the corpus; many small ones go as one.
"""

from __future__ import annotations

import errno
import gc
import os
import struct
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from time import monotonic
from typing import Any, TypeAlias, TypeVar

import msgspec

from adjudge.errors import AdjudgeError, EnvironmentFault, Problem, UsageError

R = TypeVar("R")
Pair: TypeAlias = tuple[str, Any, Any]

WORTHWHILE = 2.0  # seconds of work below which starting processes costs more than it saves
_SHORT = 0.05  # seconds
_LONG = 0.25  # seconds for the first documents, from which on they tell how long the others take
_ALLOCATIONS = 100_000  # new objects before a worker looks for cycles; it makes many objects and few cycles
# What writing to a pool says whose worker has just died: its pipe has no reader, or is closed (which has no number).
_POOL_IS_GONE = (errno.EPIPE, errno.EBADF, None)
RETRIES = 2  # times that a lost worker is replaced before a document gets the blame


def map_documents(
    observe: Callable[[Any, Any], R],
    pairs: Iterable[Pair],
    *,
    jobs: int | None = 1,
    cluster: str | None = None,
    total: int | None = None,
    folder: str | None = None,
) -> Iterator[tuple[str, R]]:
    """(id, observe(gold, system)) for each (id, gold, system), in order.

    `jobs` is the number of processes; 0 or None starts several only if the first documents show that it pays, for which
    it helps to know how many there are (`total`). `cluster` is the address of a Dask scheduler, its file, or `local`;
    then the work is done there, and in this `folder` if it reads files by relative paths.

    >>> list(map_documents(lambda gold, system: gold - system, [("a", 3, 1), ("b", 5, 5)]))
    [('a', 2), ('b', 0)]
    """
    if jobs is not None and jobs < 0:
        raise UsageError(f"jobs is {jobs}", hint="give the number of processes, or 0 to let the program choose")
    todo = iter(pairs)
    if cluster is not None:
        from adjudge.evaluate.cluster import map_on_cluster

        packed = _packed(observe, required=True)
        assert packed is not None
        yield from map_on_cluster(observe, packed, todo, address=cluster, jobs=jobs, folder=folder)
        return
    start, done, counted = time.perf_counter(), 0, 0
    for identifier, gold, system in todo if not jobs or jobs == 1 else ():
        yield identifier, observe(gold, system)
        if jobs == 1:
            continue
        done, counted = done + 1, counted + 1
        spent, left = time.perf_counter() - start, None if total is None else max(total - done, 0)
        if done == 1 and spent < _LONG:  # most of which went into making ready
            start, counted = time.perf_counter(), 0
            continue
        # If nobody knows how much is left, it is as much again as so far.
        if (spent if left is None else spent / counted * left) >= WORTHWHILE:
            jobs = processors() if left is None else min(processors(), left)
            if jobs > 1 and can_travel(observe):
                break
            jobs = 1
    else:
        if not jobs or jobs == 1:
            return
    packed = _packed(observe, required=True) if _can_start(required=True) else None
    assert packed is not None
    yield from _elsewhere(observe, packed, todo, jobs)


def work_folder(paths: Iterable[Any]) -> str | None:
    """The folder in which remote workers must run to find the same files; None if all paths are absolute.

    >>> work_folder(["/data/key.conll"]) is None
    True
    """
    return None if all(map(os.path.isabs, paths)) else os.getcwd()  # noqa: PTH109


def processors() -> int:
    """The number of processors this process may use, which on a shared machine can be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def can_travel(observe: Callable[[Any, Any], Any]) -> bool:
    """Whether a function can be run in other processes.

    >>> can_travel(lambda gold, system: gold)
    False
    """
    return _can_start(required=False) and _packed(observe, required=False) is not None


def _packed(observe: Callable[[Any, Any], Any], *, required: bool) -> bytes | None:
    try:
        import pickle

        return pickle.dumps(observe)
    except Exception as error:  # pickle raises whatever the object's own hooks raise
        if not required:
            return None
        raise UsageError(
            f"the metric cannot be sent to another process ({error})",
            hint="use one process (jobs=1), or define its functions and types at the top level of a module",
        ) from None


# ---------------------------------------------------------------------------------------------------------------------
# Several processes


def _can_start(*, required: bool) -> bool:
    """Whether a new process can read the program again, as it must: one from standard input is gone."""
    from pathlib import Path

    main = sys.modules.get("__main__")
    file = getattr(main, "__file__", None)
    if getattr(main, "__spec__", None) is not None or file is None or Path(file).exists():
        return True
    if required:
        raise UsageError(
            "a program that is read from standard input cannot use several processes",
            hint="save it as a file, or use one process (jobs=1)",
        )
    return False


def _can_copy() -> bool:
    """Whether a worker can begin as a copy of this process, which has all modules and needs next to no time.

    Otherwise it is a fresh interpreter: copying a process that has threads (the progress bar, BLAS) can deadlock, and
    other systems than Linux do not say how many there are.
    """
    if sys.platform != "linux":
        return False
    import threading

    until = time.perf_counter() + _SHORT
    try:
        while len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208
            if threading.active_count() > 1 or time.perf_counter() > until:
                return False
            time.sleep(0.001)  # a thread that has ended is still there for a moment
    except OSError:
        return False
    return True


def _elsewhere(
    observe: Callable[[Any, Any], Any], packed: bytes, pairs: Iterator[Pair], jobs: int
) -> Iterator[tuple[str, Any]]:
    """Documents in a window of twice the number of processes, so that neither side waits and memory stays bounded."""
    first = list(islice(pairs, jobs))  # copies are all made at once, so that there must be something for each to do
    if not first:
        return
    import multiprocessing
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    others = set(multiprocessing.active_children())
    pairs, jobs = chain(first, pairs), len(first)

    def new_pool() -> tuple[ProcessPoolExecutor, Any]:
        context = multiprocessing.get_context("fork" if _can_copy() else "spawn")
        started = context.Event()
        work = observe if context.get_start_method() == "fork" else packed
        given = (work, started, gc.isenabled(), share_memory(context, jobs))
        return ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=given), started

    pool, started = _again_if_gone(new_pool)
    waiting: deque[tuple[Pair, Future[tuple[str, Any] | _Failure]]] = deque()
    finished, refused, losses = False, False, 0
    try:
        while True:
            try:
                while len(waiting) < 2 * jobs and (new := next(pairs, None)) is not None:
                    waiting.append((new, _submitted(pool, new)))
                if not waiting:
                    break
                pair, future = waiting[0]
                done = future.result()
            except RecursionError:  # nested too deeply to be sent; here it is, and says so, as with one process
                waiting.popleft()
                yield pair[0], observe(*pair[1:])
                continue
            except BrokenProcessPool:
                # Nothing of what was under way has been given out yet, so that all of it can be done again.
                losses += 1
                refused = not started.is_set() and _has_given_up(pool)
                if losses > RETRIES or refused:
                    raise
                stop(others)
                pool.shutdown(wait=True, cancel_futures=True)
                pool, started = _again_if_gone(new_pool)
                waiting = deque((again, _submitted(pool, again)) for again, _ in waiting)
                continue
            waiting.popleft()
            losses = 0
            yield row_of(done)
        finished = True
    except BrokenProcessPool:
        if not refused:
            raise EnvironmentFault(
                "worker processes died again and again, perhaps because they ran out of memory",
                hint="use fewer processes (--jobs)",
            ) from None
        raise UsageError(
            "the worker processes did not start",
            hint="put the call under `if __name__ == '__main__':`, or use one process (jobs=1)",
        ) from None
    finally:
        if not finished:
            stop(others)
        pool.shutdown(wait=True, cancel_futures=True)


def _again_if_gone(new_pool: Callable[[], R]) -> R:
    """A pool; once more if the process that keeps track of semaphores has just died, which Python starts again."""
    try:
        return new_pool()
    except OSError as error:
        if error.errno not in _POOL_IS_GONE:
            raise
        return new_pool()


def _submitted(pool: Any, pair: Pair) -> Any:
    """A document that was submitted; if the pool has just broken, a future that says so, so that it is not lost."""
    from concurrent.futures import Future
    from concurrent.futures.process import BrokenProcessPool

    try:
        with _uninterrupted():
            return pool.submit(_work, pair)
    except (BrokenProcessPool, OSError) as error:
        if isinstance(error, OSError) and error.errno not in _POOL_IS_GONE:
            raise UsageError(
                f"the worker processes did not start ({error.strerror or error})", hint="use fewer processes (--jobs)"
            ) from None
        broken: Future[Any] = Future()
        broken.set_exception(BrokenProcessPool(str(error)))
        return broken


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back while processes are started: it would be lost, or reach a worker."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _has_given_up(pool: Any) -> bool:
    """Whether a worker exited with an error, rather than being killed."""
    return any((process.exitcode or 0) > 0 for process in list((getattr(pool, "_processes", None) or {}).values()))


def stop(others: set[Any]) -> None:
    """End the workers now: a document that takes minutes must not keep an interrupted program alive.

    The pool does not know a worker that was being started when the interruption came, so all children are looked at.
    """
    import multiprocessing

    for process in set(multiprocessing.active_children()) - others:
        process.terminate()


_observe: Callable[[Any, Any], Any] | None = None  # set once in each worker, before its first document


def _start(work: Callable[[Any, Any], Any] | bytes, started: Any, collecting: bool, memory: tuple[Any, Any]) -> None:
    """Prepare a worker: the parent alone answers to Ctrl-C, and a worker never outlives its parent.

    A copy of the parent has what is to be run; a fresh interpreter gets it pickled.
    """
    import signal
    import threading
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    global _observe
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a copy would do what the parent does
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    gc.freeze()  # what is there already stays, and need not be looked at
    gc.set_threshold(_ALLOCATIONS)
    if not collecting:
        gc.disable()
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    import pickle

    _observe = pickle.loads(work) if isinstance(work, bytes) else work  # noqa: S301  # it is our own
    join_memory(*memory)
    started.set()


class _Failure(msgspec.Struct, frozen=True):
    """One of our errors on its way back: exceptions with several problems do not survive pickling."""

    kind: type[AdjudgeError]
    problems: tuple[Problem, ...]


def _work(pair: Pair) -> tuple[str, Any] | _Failure:
    assert _observe is not None
    return observed(_observe, pair)


def observed(observe: Callable[[Any, Any], Any], pair: Pair) -> tuple[str, Any] | _Failure:
    """The row of a document, or what is wrong with it."""
    try:
        return pair[0], observe(*pair[1:])
    except AdjudgeError as error:
        return failed(error)


def failed(error: AdjudgeError) -> _Failure:
    """An error as it travels."""
    return _Failure(type(error), tuple(error.problems))


def row_of(done: tuple[str, Any] | _Failure) -> tuple[str, Any]:
    """The row of a document that came back, or its error, which is raised."""
    if isinstance(done, _Failure):
        raise done.kind(done.problems)
    return done


# ---------------------------------------------------------------------------------------------------------------------
# Which documents are being counted: a progress line names one that takes long. Every process has a place in memory that
# all of them share, with the moment and the name of its document.

_ENTRY = struct.Struct("d120s")
_own_entry: Any = bytearray(_ENTRY.size)
_own_place = 0
_worker_entries: Any = b""  # of the workers that were started last


def begin_document(name: str) -> None:
    """Record which document this process is counting."""
    _ENTRY.pack_into(_own_entry, _own_place, monotonic(), name.encode(errors="replace")[: _ENTRY.size - 8])


def end_document() -> None:
    """Record that this process is counting none."""
    _ENTRY.pack_into(_own_entry, _own_place, 0.0, b"")


def share_memory(context: Any, workers: int) -> tuple[Any, Any]:
    """Shared memory for some workers, with the number of the next free place."""
    global _worker_entries
    _worker_entries = context.RawArray("b", _ENTRY.size * workers)
    return _worker_entries, context.Value("i", 0)


def join_memory(memory: Any, number: Any) -> None:
    """Take a place in the shared memory, if there is one."""
    global _own_entry, _own_place
    with number.get_lock():
        place = number.value * _ENTRY.size
        number.value += 1
    if place < len(memory):
        _own_entry, _own_place = memory, place


def slow_document(seconds: float) -> str:
    """The document that has been running longest, if for more than this many seconds."""
    entries = [
        _ENTRY.unpack_from(memory, place)
        for memory in (_own_entry, _worker_entries)
        for place in range(0, len(memory), _ENTRY.size)
    ]
    began, name = min(((began, name) for began, name in entries if began), default=(0.0, b""))
    if not began or monotonic() - began <= seconds:
        return ""
    told: str = name.rstrip(b"\0").decode(errors="ignore")
    return told
