"""The same work on a Dask cluster: documents go out as bytes, rows come back as bytes, in order.

Dask moves the documents of a lost worker to another; a document that loses several workers is an error, never a gap.
Workers must have the same release of adjudge, for the same numbers.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from adjudge._version import __version__
from adjudge.errors import AdjudgeError, UsageError
from adjudge.evaluate.processes import Pair, failed, observed, processors, row_of, stop

LOCAL = "local"
_SECONDS = 10  # to find a scheduler
_LARGE = 1 << 17  # bytes of a function with its data
_AHEAD = 2  # documents for each thread of the workers, so that none of them waits


def map_on_cluster(
    observe: Callable[[Any, Any], Any],
    packed: bytes,
    pairs: Iterator[Pair],
    *,
    address: str,
    jobs: int | None,
    folder: str | None,
) -> Iterator[tuple[str, Any]]:
    """(id, row) for each (id, gold, system), in order, from the workers of a cluster.

    `address` is that of a scheduler (tcp://host:8786), the path of its scheduler file, or `local` for a cluster on this
    machine with `jobs` workers, which ends with the work. If there is a `folder`, workers must run in it.
    """
    distributed = _distributed()
    with _client(distributed, address, jobs) as client:
        # What is large goes to every worker once, not with every document.
        sent = client.scatter(packed, broadcast=True) if len(packed) > _LARGE else packed
        yield from _mapped(distributed, client, observe, (sent, __version__, folder), pairs)


def _mapped(
    distributed: Any,
    client: Any,
    observe: Callable[[Any, Any], Any],
    work: tuple[Any, str, str | None],
    pairs: Iterator[Pair],
) -> Iterator[tuple[str, Any]]:
    window = max(4, _AHEAD * sum(client.nthreads().values()))
    waiting: deque[tuple[Pair, Any]] = deque()
    try:
        while True:
            while len(waiting) < window and (pair := next(pairs, None)) is not None:
                try:
                    sent = pickle.dumps(pair)
                except RecursionError:  # nested too deeply to be sent; done here, in its turn
                    waiting.append((pair, None))
                else:
                    waiting.append((pair, client.submit(work_on, sent, *work, pure=False)))
            if not waiting:
                return
            pair, future = waiting.popleft()
            if future is None:
                yield pair[0], observe(*pair[1:])
                continue
            try:
                done = pickle.loads(_result(distributed, future))  # noqa: S301  # from workers that run our code
            finally:
                future.cancel()  # frees the bytes on the worker, or the document if it is not wanted any more
            yield row_of(done)
    finally:
        rest = [future for _, future in waiting if future is not None]
        if rest:
            client.cancel(rest, force=True)


def _result(distributed: Any, future: Any) -> bytes:
    from concurrent.futures import CancelledError

    try:
        found: bytes = future.result()
        return found
    except distributed.KilledWorker:
        raise AdjudgeError(
            "a chunk of documents killed several workers, perhaps because they ran out of memory",
            hint="give the workers more memory, or look into the documents with --jobs 1",
        ) from None
    except (CancelledError, distributed.comm.CommClosedError, TimeoutError, OSError) as error:
        raise AdjudgeError(
            f"the cluster was lost ({type(error).__name__})", hint="start it again, then score again"
        ) from None
    except (ImportError, AttributeError, pickle.UnpicklingError) as error:
        raise UsageError(
            f"the workers cannot run the metric ({error})",
            hint=f"install adjudge {__version__}, and the module of the metric if it is your own, on all workers",
        ) from None


# ---------------------------------------------------------------------------------------------------------------------
# On the workers


def work_on(sent: bytes, packed: bytes, version: str, folder: str | None) -> bytes:
    """The row of one document, pickled, or what is wrong with it."""
    if version != __version__:
        raise ImportError(f"a worker has adjudge {__version__}, the scoring program has {version}")
    if folder is not None and Path.cwd() != Path(folder):
        hint = "give absolute paths, which must be those of the workers, too, or start the workers in this folder"
        failure = UsageError(f"a worker runs in {Path.cwd()}, and not in {folder}", hint=hint)
        return pickle.dumps(failed(failure))
    return pickle.dumps(observed(_unpacked(packed), pickle.loads(sent)))  # noqa: S301


@lru_cache(maxsize=4)
def _unpacked(packed: bytes) -> Callable[[Any, Any], Any]:
    """The function to run, unpacked once by each worker."""
    function: Callable[[Any, Any], Any] = pickle.loads(packed)  # noqa: S301
    return function


# ---------------------------------------------------------------------------------------------------------------------
# The cluster


def _distributed() -> Any:
    try:
        import distributed
        import distributed.comm
    except ImportError:
        raise UsageError(
            "--cluster needs Dask, which is not installed", hint="install it with: pip install 'adjudge[cluster]'"
        ) from None
    return distributed


@contextmanager
def _client(distributed: Any, address: str, jobs: int | None) -> Iterator[Any]:
    """A connection to the cluster; a local one is started here, and ended with everything in it."""
    import logging

    # What happens to workers is told by our own errors; their protocol is for those who run the cluster.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if address == LOCAL:
        cluster = distributed.LocalCluster(
            n_workers=jobs or processors(),
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        )
        try:
            with distributed.Client(cluster) as client, _ending(cluster):
                yield client
        finally:
            cluster.close()
        return
    with _connected(distributed, address) as client:
        if not client.nthreads():
            try:
                client.wait_for_workers(1, timeout=_SECONDS)
            except TimeoutError:
                raise UsageError(f"the cluster at {address} has no workers", hint="start some (dask worker)") from None
        yield client


@contextmanager
def _ending(cluster: Any) -> Iterator[None]:
    """End the workers of our own cluster at once if the work is interrupted; else they would finish first."""
    try:
        yield
    except BaseException:
        for nanny in cluster.workers.values():
            nanny.auto_restart = False
        stop(set())
        raise


def _connected(distributed: Any, address: str) -> Any:
    file = "://" not in address
    if file and not Path(address).is_file():
        raise UsageError(
            f"{address!r} is not a cluster",
            hint="give the address of a scheduler (tcp://host:8786), its scheduler file, or local",
        )
    try:
        if file:
            return distributed.Client(scheduler_file=address, timeout=_SECONDS)
        return distributed.Client(address, timeout=_SECONDS)
    except (OSError, TimeoutError, ValueError) as error:
        raise UsageError(
            f"there is no cluster at {address} ({type(error).__name__})", hint="check the address of the scheduler"
        ) from None
