"""Every command that writes is killed on the way, or its disk is full: nothing is damaged, and a rerun completes."""

import random

import pytest

from faults.harness import Ground
from faults.writers import FOLDERS, STORES, WRITERS, Writer, registered, writing_options


def test_no_writer_is_forgotten() -> None:
    known = {(writer.command, writer.option) for writer in WRITERS}
    assert writing_options() - known == set(), "add a command line for it to tests/faults/writers.py"
    assert known <= writing_options()
    folders = {name for name, made in registered() if any(each.name == "folder" for each in made.params[:1])}
    assert {each for each in folders if not each.startswith(STORES)} == FOLDERS
    assert len({writer.name for writer in WRITERS}) > 100


def _some() -> list[Writer]:
    """One writer of each kind, and some of the many that write one file; `make test-faults` takes all of them."""
    draw = random.Random(11)
    files = [each for each in WRITERS if not (each.overwrite or each.shared or each.new or each.appends)]
    others = [each for each in WRITERS if each not in files]
    return [*draw.sample(others, 8), *draw.sample(files, 2)]


def test_killed_or_without_room(ground: Ground) -> None:
    for writer in _some():
        draw = random.Random(writer.name)
        for kind in ("kill", "full"):
            ground.disturb(writer, kind, draw)


class _At(random.Random):
    """Chooses one moment, and whether something old is there."""

    def __init__(self, at: int, old: float) -> None:
        super().__init__(at)
        self.at, self.old = at, old

    def randint(self, *_: int) -> int:
        return self.at

    def random(self) -> float:
        return self.old


def _every_moment(ground: Ground, name: str, kind: str, old: float) -> int:
    """Nothing is left to luck; the number of moments."""
    (writer,) = [each for each in WRITERS if each.name == name]
    _, events, _ = ground.undisturbed(writer)
    for at in range(1, events + 1):
        ground.disturb(writer, kind, _At(at, old))
    return events


def test_every_moment_of_a_store(ground: Ground) -> None:
    """Where the work of people is replaced, and where it is written for the first time."""
    for old in (0.0, 1.0):
        assert _every_moment(ground, "eal_assessment_merge_--output_new", "kill", old) > 20


@pytest.mark.parametrize(
    "name", ["eal_sample_--output_new", "eal_pool_--output_new.zip", "eal_neutralize_--save-key_new"]
)
def test_two_outputs_are_replaced_together(ground: Ground, name: str) -> None:
    """A store and what belongs to it: a design, a provenance, another store. Without room both stay as they were."""
    assert _every_moment(ground, name, "full", 0.0) > 10


def test_all_was_done_but_the_clearing_up(ground: Ground) -> None:
    """A rerun removes what was left, and refuses to write again."""
    assert _every_moment(ground, "demo_--files_new", "interrupt", 1.0) > 10
