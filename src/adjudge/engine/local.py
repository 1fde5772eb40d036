"""Run one function over many documents, in this process or in several, always in order and with the same numbers."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from adjudge.errors import AdjudgeError, Problem, UsageError

R = TypeVar("R")
Pair: TypeAlias = tuple[str, Any, Any]
Progress: TypeAlias = Callable[[int], None]

WORTHWHILE = 2.0  # seconds of work below which starting processes costs more than it saves


def map_documents(
    observe: Callable[[Any, Any], R],
    pairs: Iterable[Pair],
    *,
    jobs: int | None = 1,
    chunk: int = 32,
    progress: Progress | None = None,
) -> Iterator[tuple[str, R]]:
    """(id, observe(gold, system)) for each (id, gold, system), in order.

    `jobs` is the number of processes; 0 or None starts several only if the first documents show that it pays.
    `progress` is called with the number of documents just done.

    >>> list(map_documents(lambda gold, system: gold - system, [("a", 3, 1), ("b", 5, 5)]))
    [('a', 2), ('b', 0)]
    """
    if jobs is not None and jobs < 0:
        raise UsageError(f"jobs is {jobs}", hint="give the number of processes, or 0 to let the program choose")
    report = progress or _ignore
    todo = iter(pairs)
    if jobs == 1:
        yield from _here(observe, todo, report)
        return
    packed = _packed(observe, required=bool(jobs)) if _can_start(required=bool(jobs)) else None
    if not jobs:
        start = time.perf_counter()
        done = list(_here(observe, islice(todo, chunk), report))
        yield from done
        spent = time.perf_counter() - start
        rest = list(todo)
        jobs = min(_processors(), -(-len(rest) // chunk))
        if packed is None or jobs <= 1 or not done or spent / len(done) * len(rest) < WORTHWHILE:
            yield from _here(observe, rest, report)
            return
        todo = iter(rest)
    assert packed is not None
    first = list(islice(todo, chunk))
    if first:
        yield from _elsewhere(observe, packed, chain(first, todo), jobs, chunk, report)


def _processors() -> int:
    """The processors this process may use, which on a shared machine are fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _ignore(_: int) -> None:
    """Progress that nobody watches."""


def _here(observe: Callable[[Any, Any], R], pairs: Iterable[Pair], report: Progress) -> Iterator[tuple[str, R]]:
    for identifier, gold, system in pairs:
        yield identifier, observe(gold, system)
        report(1)


def _packed(observe: Callable[[Any, Any], Any], *, required: bool) -> bytes | None:
    try:
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
    """Whether a new process can read the program again, as it has to: one from standard input is gone."""
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


def _elsewhere(
    observe: Callable[[Any, Any], Any],
    packed: bytes,
    pairs: Iterator[Pair],
    jobs: int,
    chunk: int,
    report: Progress,
) -> Iterator[tuple[str, Any]]:
    """Chunks in a window of twice the number of processes, so that neither side waits and memory stays bounded."""
    import multiprocessing
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # A fresh interpreter: forking one that has threads (the progress bar, BLAS) can deadlock.
    context = multiprocessing.get_context("spawn")
    started = context.Event()
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(packed, started))
    waiting: deque[tuple[list[Pair], Future[list[tuple[str, Any]] | _Failure]]] = deque()
    finished = False
    try:
        while True:
            while len(waiting) < 2 * jobs and (part := list(islice(pairs, chunk))):
                waiting.append((part, pool.submit(_work, part)))
            if not waiting:
                break
            part, future = waiting.popleft()
            try:
                done = future.result()
            except RecursionError:  # nested too deeply to be sent; here it is, and says so, as with one process
                yield from _here(observe, part, report)
                continue
            if isinstance(done, _Failure):
                raise done.kind(done.problems)
            yield from done
            report(len(done))
        finished = True
    except BrokenProcessPool:
        if started.is_set():
            raise AdjudgeError(
                "a worker process died, perhaps because memory ran out", hint="use fewer processes (--jobs)"
            ) from None
        raise UsageError(
            "the worker processes did not start",
            hint="put the call under `if __name__ == '__main__':`, or use one process (jobs=1)",
        ) from None
    finally:
        if not finished:
            _stop(pool)
        pool.shutdown(wait=True, cancel_futures=True)


def _stop(pool: Any) -> None:
    """End the workers now: a document that takes minutes must not keep an interrupted program alive."""
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.terminate()


_observe: Callable[[Any, Any], Any] | None = None  # set once in each worker, before its first document


def _start(packed: bytes, started: Any) -> None:
    """Prepare a worker: the parent alone answers to Ctrl-C, and a worker never outlives its parent."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    global _observe
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    _observe = pickle.loads(packed)  # noqa: S301
    started.set()


@dataclass(frozen=True, slots=True)
class _Failure:
    """One of our errors on its way home: exceptions with several problems do not survive pickling."""

    kind: type[AdjudgeError]
    problems: tuple[Problem, ...]


def _work(part: list[Pair]) -> list[tuple[str, Any]] | _Failure:
    assert _observe is not None
    try:
        return [(identifier, _observe(gold, system)) for identifier, gold, system in part]
    except AdjudgeError as error:
        return _Failure(type(error), tuple(error.problems))
