"""A campaign after a crash, and with others at work."""

import os
import subprocess
import sys

import pytest

from adjudge.errors import UsageError
from adjudge.tasks.eal.campaign import run_campaign
from adjudge.tasks.eal.campaign_state import MEMORY, alone, digest_of
from eal_campaigns import assess, link, results, run, snapshot


class Crash(Exception):
    """Stands for anything."""


def test_a_crash_between_steps_loses_nothing(folder, finished):
    expected = results(finished)
    seen: list[str] = []
    for stage in ("submit", "assess", "link"):
        if stage == "assess":
            assess(folder)
        elif stage == "link":
            link(folder)
        for at in range(20):

            def fall(step, at=at, counter=[]):  # noqa: B006
                counter.append(step)
                if len(counter) > at:
                    seen.append(step.step)
                    raise Crash

            try:
                run_campaign(folder, each=fall)
            except Crash:
                continue
            break
    assert {"validate", "filter", "pool", "assessments", "check", "frames", "reference", "score"} <= set(seen)
    assert results(folder) == expected


KILLED = """
import os, signal, sys
from adjudge.formats import eal_write
from adjudge.tasks.eal.campaign import run_campaign

folder, which, left = sys.argv[1], sys.argv[2], int(sys.argv[3])

def deadly(real):
    def call(source, *args, **kwargs):
        global left
        if which in os.fspath(source):
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return real(source, *args, **kwargs)
    return call

if which == "exchange":
    exchange = eal_write.exchange
    eal_write.exchange = lambda one, other: exchange(one, other) and os.kill(os.getpid(), signal.SIGKILL)
else:
    eal_write.exchange = lambda one, other: False  # as where the system has no such thing
    for name in ("replace", "rename"):  # which pathlib calls, too
        setattr(os, name, deadly(getattr(os, name)))
run_campaign(folder)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")
def test_a_killed_run_loses_nothing(folder, finished):
    """Killed when it is about to rename something, which is when a step becomes visible; then started again."""

    def kill(which: str, at: int = 0) -> None:
        ran = subprocess.run([sys.executable, "-c", KILLED, str(folder), which, str(at)], check=False)
        assert ran.returncode == -9

    def locks() -> list[str]:
        return [path.parent.name for path in folder.rglob("__lock")]

    for which, at in (("/.validate-", 1), ("/filtered/.slate", 0), ("/.state.json", 0), ("/.pool.", 0), ("/.pool.", 1)):
        kill(which, at)
    kill("/assessments/.", 5)
    assert locks() == ["assessments"]
    assert run(folder)["assess"] == "waiting"
    assert not [path for path in folder.rglob(".*") if path.name != MEMORY]
    assess(folder)
    kept = digest_of(folder / "assessments")
    kill("/frames/.", 5)
    assert locks() == ["frames"]
    assert run(folder)["link"] == "waiting"
    link(folder)
    linked = digest_of(folder / "frames")
    kill("/.reference.")  # the old one is aside, the new one not yet in its place
    assert not (folder / "reference").exists()
    kill("/scores/.", 2)
    kill("/.state.json")
    assert run(folder)["score"] in ("done", "up to date")
    assert (digest_of(folder / "assessments"), digest_of(folder / "frames")) == (kept, linked)
    assert results(folder) == results(finished)
    assert locks() == []
    assert not [path for path in folder.rglob(".*") if path.name != MEMORY]


@pytest.mark.skipif(sys.platform != "linux", reason="needs names that change places")
def test_killed_when_the_old_store_is_not_yet_removed(done):
    expected = results(done)
    (done / "reference" / "stray").touch()
    ran = subprocess.run([sys.executable, "-c", KILLED, str(done), "exchange", "0"], check=False)
    assert ran.returncode == -9
    assert [path.name for path in done.glob(".reference.*/stray")] == ["stray"]
    assert results(done).items() <= expected.items()
    assert run(done)["score"] in ("done", "up to date")
    assert results(done) == expected
    assert not [path for path in done.rglob(".*") if path.name != MEMORY]


def test_a_second_run_is_refused(done):
    with alone(done), pytest.raises(UsageError, match=rf"another run is at work.*process {os.getpid()}.*wait"):
        run_campaign(done)
    assert run(done)["score"] == "up to date"


def test_a_dry_run_writes_nothing(folder):
    before = snapshot(folder)
    statuses = run(folder, dry_run=True)
    assert set(statuses.values()) == {"due"}
    assert snapshot(folder) == before
    assert not (folder / MEMORY).exists()
    run(folder)
    assess(folder)
    before = snapshot(folder)
    statuses = run(folder, dry_run=True)
    assert statuses["pool"] == "up to date"
    assert statuses["assessments"] == statuses["score"] == "due"
    assert snapshot(folder) == before
    (folder / "sources").rename(folder / "away")
    assert run(folder, dry_run=True) == {"sources": "waiting"}
