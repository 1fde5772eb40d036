"""Run as a program: set limits on this process, then become another one. It imports nothing of adjudge.

    python -I -S limits.py '{"CPU": 60, "AS": 2000000000, "parent": 4711}' PROGRAM ARGUMENT...

A limit that cannot be set here is left out; what is left out is said by `adjudge.serve.child.holding`.
"""

import json
import os
import sys

_DEATH = 1  # PR_SET_PDEATHSIG
_KILL = 9
_MORE = 5  # seconds


def set_limits(limits: dict[str, int]) -> list[str]:
    """Set what can be set, and give its names."""
    try:
        import resource
    except ImportError:  # Windows
        return []
    held = []
    for name, value in limits.items():
        number = getattr(resource, f"RLIMIT_{name}", None)
        if number is None:
            continue
        hard = resource.getrlimit(number)[1]
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            more = _MORE if name == "CPU" and hard == resource.RLIM_INFINITY else 0  # to say why, before it is killed
            resource.setrlimit(number, (most, most + more))
        except (OSError, ValueError):
            continue
        held.append(name)
    return held


def die_with_parent(parent: int) -> None:
    """End when whoever started us ends, also if that was killed, or has been already; Linux alone can."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(_DEATH, _KILL)
    if os.getppid() != parent:
        sys.exit("the process that started this has ended")


def main() -> None:
    """Become the program that is named, with limits."""
    given = json.loads(sys.argv[1])
    if hasattr(os, "nice"):
        os.nice(10)
    if parent := given.pop("parent", 0):
        die_with_parent(parent)
    held = set_limits(given)
    if len(sys.argv) == 2:
        sys.stdout.write(json.dumps(held))
        return
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606


if __name__ == "__main__":
    main()
