"""The deadline of a document, which everything that searches or generates candidates checks.

`running` is the deadline of code to which none is passed: published scorers, and counts of whole corpora. Code that
does not check it is interrupted by an alarm where the system has one (in the main thread, not on Windows), which raises
`OutOfTime` at the next step of Python. Long computations in compiled code, such as assignments, are run by
`adjudge.algebra.solve.matrix`, which can abandon them, or in a process of their own (`call`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from types import FrameType

DEFAULT = 60.0
"""Seconds for a document, unless told otherwise."""


class OutOfTime(Exception):
    """Time is up before there is anything to go on with."""


class Deadline:
    """A moment after which nothing new is begun; `exact`: until then nothing is left out, however long it takes.

    >>> Deadline(0.0).passed, Deadline(math.inf).passed, Deadline(math.inf).part(3).left
    (True, False, inf)
    """

    __slots__ = ("end", "exact")

    def __init__(self, seconds: float | None = None, *, exact: bool = False) -> None:
        self.end = monotonic() + (DEFAULT if seconds is None else seconds)
        self.exact = exact

    def __reduce__(self) -> tuple[type[Deadline], tuple[float]]:
        """As the seconds that are left: another machine has another clock."""
        return type(self), (self.left,)

    @property
    def left(self) -> float:
        """The seconds until then; below 0 when it is over."""
        return self.end - monotonic()

    @property
    def passed(self) -> bool:
        """Whether time is up."""
        return monotonic() >= self.end

    def check(self) -> None:
        """Raise `OutOfTime` if time is up."""
        if monotonic() >= self.end:
            raise OutOfTime

    def part(self, of: float) -> Deadline:
        """An earlier deadline, which leaves equal time to each of `of` parts; unused time goes to the others."""
        return self if of == 1 else Deadline(max(self.left, 0.0) / of, exact=self.exact)


NEVER = Deadline(math.inf)


T = TypeVar("T")
_RUNNING: ContextVar[Deadline] = ContextVar("running", default=NEVER)
_SECONDS: ContextVar[float] = ContextVar("seconds", default=math.inf)
_MORE = 0.4  # seconds more for code that checks the deadline, and can stop in a better way
_AGAIN = 0.02  # seconds until the alarm rings again
_LONGEST = 1e6  # seconds that the system can wait for
_rung = [0]  # how often the alarm has rung
_imports_outside = [0]  # of what has set the deadline


def running() -> Deadline:
    """The deadline of the code that is running.

    >>> running().left
    inf
    """
    return _RUNNING.get()


@contextmanager
def within(deadline: Deadline, *, each: float = math.inf) -> Iterator[None]:
    """Set the running deadline; `each` is how many seconds every item of `timed` has instead.

    >>> with within(Deadline(0.0)):
    ...     running().passed
    True
    """
    now, seconds = _RUNNING.set(deadline), _SECONDS.set(each)
    import signal

    alarmed = _has_alarm()
    before = signal.signal(signal.SIGALRM, _ring) if alarmed else None
    if before is not _ring:
        _imports_outside[:] = [_imports(sys._getframe())]
    waiting = _set(deadline) if alarmed else (0.0, 0.0)
    rung = _rung.copy()
    try:
        yield
    except (TypeError, ValueError, RuntimeError, SystemError):
        if _rung != rung:  # compiled code may put an error of its own in the place of that of the alarm
            raise OutOfTime from None
        raise
    finally:
        if alarmed:
            signal.setitimer(signal.ITIMER_REAL, *waiting)
            signal.signal(signal.SIGALRM, before)
        _SECONDS.reset(seconds)
        _RUNNING.reset(now)


def timed(items: Iterable[T]) -> Iterator[T]:
    """The items, each of which may take as many seconds as `within` says.

    >>> with within(NEVER, each=5.0):
    ...     [running().left < 6 for _ in timed("ab")], running().left
    ([True, True], inf)
    """
    for item in items:
        with together(1):
            yield item


@contextmanager
def together(items: int) -> Iterator[None]:
    """Give so many items of `timed` all their time at once."""
    before, seconds = _RUNNING.get(), _SECONDS.get()
    if math.isinf(seconds):
        yield
        return
    _begin(Deadline(seconds * max(items, 1)))
    try:
        yield
    finally:
        _begin(before)


def allowed() -> Deadline:
    """The running deadline, or else the default one of a document."""
    clock = running()
    return Deadline() if clock is NEVER else clock


def _begin(deadline: Deadline) -> None:
    _RUNNING.set(deadline)
    import signal

    if _has_alarm() and signal.getsignal(signal.SIGALRM) is _ring:
        _set(deadline)


def _has_alarm() -> bool:
    """Whether the system can interrupt the code that is running."""
    import signal
    from threading import current_thread, main_thread

    return hasattr(signal, "SIGALRM") and current_thread() is main_thread()


def _set(deadline: Deadline) -> tuple[float, float]:
    """Let the alarm ring then; what it was set to before."""
    import signal

    left = deadline.left
    return signal.setitimer(signal.ITIMER_REAL, 0.0 if math.isinf(left) else min(max(left, 0.0) + _MORE, _LONGEST))


def _ring(_signal: int, frame: FrameType | None) -> None:
    """Stop what is running; but a module is loaded to its end first: nothing could use half of it later."""
    if _imports(frame) > _imports_outside[0]:
        import signal

        signal.setitimer(signal.ITIMER_REAL, _AGAIN)
        return
    _rung[:] = [_rung[0] + 1]
    raise OutOfTime


def _imports(frame: FrameType | None) -> int:
    """How many frames of the import system a frame was called by."""
    found = 0
    while frame is not None:
        found += frame.f_code.co_filename.startswith("<frozen importlib")
        frame = frame.f_back
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Functions that cannot be interrupted, run in a process of their own, which can be ended at any time

_GRACE = 0.3


def call(function: str, given: tuple[Any, ...], deadline: Deadline) -> Any:
    """What a function of ours (module:name) returns for some values, or None if it is not done in time."""
    import pickle
    import subprocess
    from tempfile import TemporaryFile

    code = f"import sys; sys.path[:] = {sys.path!r}; from adjudge.algebra.solve.deadline import serve; serve()"
    with TemporaryFile() as stream:  # a pipe would take small pieces
        pickle.dump((function, given), stream, protocol=5)
        stream.seek(0)
        child = subprocess.Popen(  # noqa: S603  # our own code
            [sys.executable, "-c", code], stdin=stream, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    try:
        said, _ = child.communicate(timeout=max(min(deadline.left, _LONGEST), 0.0) + _GRACE)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if child.poll() is None:
            child.kill()
            child.communicate()
    return pickle.loads(said) if child.returncode == 0 else None  # noqa: S301  # it is our own


def serve() -> None:
    """Answer one call: the other process."""
    import pickle

    function, given = pickle.load(sys.stdin.buffer)  # noqa: S301  # it is our own
    module, _, name = function.partition(":")
    answer = getattr(import_module(module), name)(*given)
    sys.stdout.buffer.write(pickle.dumps(answer, protocol=5))
    sys.stdout.buffer.flush()
