"""Many faults: `make test-faults COUNT=300 SEED=1`. Every writer is killed, and its disk is full, at random moments.

COUNT is the number of faults of each kind: killed at an operation on files, killed at a time, no room from an operation
on, one operation without room or with an error of the disk, interrupted; and of stages of a campaign that are killed,
interrupted, without room or refused something, up to three times each. What is not as it should be is printed; the same
seed does the same again, but for the times.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from faults.campaigns import STAGES, Stages
from faults.harness import Ground, Nursery
from faults.writers import WRITERS, Writer

KINDS = ("kill", "time", "full", "ENOSPC", "EIO", "interrupt")
MISHAPS = ("kill", "full", "ENOSPC", "interrupt", "EIO", "EACCES", "EMFILE")  # of campaigns


def main() -> int:
    """Do it, and say its outcome."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="writers with this in their name, and no campaigns")
    given = parser.parse_args()
    run = Run(given.count, given.seed)
    nursery = Nursery()
    try:
        with tempfile.TemporaryDirectory() as place:
            run.writers(Ground(Path(place), nursery), [each for each in WRITERS if given.only in each.name])
        if not given.only:
            with tempfile.TemporaryDirectory() as place:
                run.campaigns(Stages(Path(place), nursery))
    finally:
        nursery.close()
    for (kind, what), number in sorted(run.found.items()):
        sys.stdout.write(f"  {kind:9} {what:16} {number:6}\n")
    sys.stdout.write(f"seed {given.seed}: {sum(run.found.values())} faults, {run.failed} failures\n")
    return int(run.failed > 0)


class Run:
    """The numbers of one run."""

    def __init__(self, count: int, seed: int) -> None:
        self.count, self.seed = count, seed
        self.found: Counter[tuple[str, str]] = Counter()
        self.failed = 0

    def writers(self, ground: Ground, writers: list[Writer]) -> None:
        """Take the writers in turn."""
        for kind in KINDS:
            for number in range(self.count):
                writer = writers[number % len(writers)]
                with self.each(f"{kind} {number} {writer.name}"):
                    code = ground.disturb(writer, kind, self.draw(kind, number))
                    what = {-9: "killed", 2: "refused", 130: "interrupted"}.get(code, "came to its end")
                    self.found[kind, what] += 1
            self.say(f"{kind}: {self.count} faults at {len(writers)} writers")
        printing = [each for each in writers if each.option == "--output" and each.outputs == ("out.txt",)]
        for writer in printing:
            with self.each(f"printing {writer.name}"):
                ground.check_printing(writer)
                self.found["printing", "refused"] += 2
        self.say(f"printing: 2 faults at {len(printing)} writers")

    def campaigns(self, stages: Stages) -> None:
        """Take the stages of a campaign in turn."""
        for number in range(self.count):
            kind, stage = MISHAPS[number % len(MISHAPS)], STAGES[number // len(MISHAPS) % len(STAGES)]
            with self.each(f"campaign {kind} {number} {stage}"):
                times = stages.disturb(stage, kind, self.draw(kind, number))
                what = {"kill": "killed", "interrupt": "interrupted"}.get(kind, "refused")
                self.found["campaign", what] += times
        self.say(f"campaign: {self.count} stages")

    def draw(self, kind: str, number: int) -> random.Random:
        """The same for the same seed."""
        return random.Random(f"{self.seed} {kind} {number}")

    @contextmanager
    def each(self, what: str) -> Iterator[None]:
        """Go on if something is not as it should be."""
        try:
            yield
        except AssertionError as error:
            self.failed += 1
            self.say(f"FAILED {what}: {error}")

    def say(self, line: str) -> None:
        """Print at once."""
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
