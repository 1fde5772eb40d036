"""Every command that writes is killed on the way, or its disk is full: nothing is damaged, and a rerun completes."""

import random

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


def test_every_moment_of_a_store(ground: Ground) -> None:
    """Nothing is left to luck where the work of people is replaced."""
    (writer,) = [each for each in WRITERS if each.name == "eal_assessment_merge_--output_new"]
    _, events, _ = ground.undisturbed(writer)
    killed = 0
    for at in range(1, events + 1):

        class Here(random.Random):
            def randint(self, *_: int) -> int:
                return at  # noqa: B023

        killed += ground.disturb(writer, "kill", Here(at)) == -9
    assert killed >= events - 2
