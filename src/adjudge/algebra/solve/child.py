"""Functions that cannot be interrupted, run in a process of their own, which can be ended at any time."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from adjudge.algebra.solve.deadline import Deadline

_LONGEST = 1e6  # seconds that the system can wait for
_GRACE = 0.3


def call(function: str, given: tuple[Any, ...], deadline: Deadline) -> Any:
    """What a function of ours (module:name) returns for some values, or None if it is not done in time."""
    import pickle
    import subprocess
    from tempfile import TemporaryFile

    code = f"import sys; sys.path[:] = {sys.path!r}; from adjudge.algebra.solve.child import serve; serve()"
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
