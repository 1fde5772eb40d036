"""Many processes that write one file at the same moment, in rounds: `python crowd.py FILE WRITERS ROUNDS`.

Each reads the file after its own writing, when others still write: it must be the whole text of somebody of this round.
What goes wrong is printed; the exit code says whether anything did.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import traceback
from pathlib import Path

from adjudge.files import write_whole

LINES = 2000  # more than one block of the disk


def text_of(writer: int, number: int) -> bytes:
    """What a writer writes in a round; the length differs, so that a mixture of two texts is known as such."""
    return f"writer {writer} of round {number}\n".encode() * (LINES + writer)


def write(path: Path, writer: int, writers: int, rounds: int, gate: multiprocessing.synchronize.Barrier) -> None:
    """All rounds of one writer."""
    for number in range(rounds):
        gate.wait(60)
        write_whole(path, text_of(writer, number))
        found = path.read_bytes()
        whose = int(found.split(b" ", 2)[1])
        assert 0 <= whose < writers, f"{whose} is nobody"
        assert found == text_of(whose, number), f"what {writer} finds in round {number} is nobody's"
        gate.wait(60)  # nobody is in the next round before all have looked


def main() -> int:
    """Begin, wait, and look at what is left."""
    path, writers, rounds = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    context = multiprocessing.get_context("fork")
    gate = context.Barrier(writers)
    children = []
    for writer in range(writers):
        child = os.fork()
        if child == 0:
            try:
                write(path, writer, writers, rounds, gate)
            except BaseException:
                traceback.print_exc()
                gate.abort()
                os._exit(1)
            os._exit(0)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    left = sorted(each.name for each in path.parent.iterdir())
    if any(codes) or left != [path.name]:
        sys.stderr.write(f"codes {codes}, left {left}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
