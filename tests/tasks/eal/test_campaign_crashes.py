"""A campaign after a crash, and with others at work."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.cli import run as adjudge
from adjudge.errors import EnvironmentFault, UsageError, ValidationError
from adjudge.formats.eal_store import Store
from adjudge.tasks.eal import campaign_steps
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


def remembered(folder: Path) -> set[str]:
    path = folder / MEMORY / "state.json"
    return {line.strip() for line in path.read_text().splitlines() if '": {' in line} if path.exists() else set()


def fails(real, which: str, error: BaseException):
    """A function, or a method of a path, that fails for what has this in its name."""

    def call(path, *args, **kwargs):
        if which in os.fspath(path):
            raise error
        return real(path, *args, **kwargs)

    return call


@pytest.mark.parametrize(
    ("which", "step", "file", "number"),
    [
        ("/.validate-slate.txt.", "validate slate", "validate-slate.txt", errno.EACCES),
        ("/.validate-slate.txt.", "validate slate", "validate-slate.txt", errno.ENOSPC),
        ("/.slate.", "filter slate", "filtered/slate", errno.ENOSPC),
        ("/.slate.", "filter slate", "filtered/slate", errno.EROFS),
        ("/.filter-slate.tsv.", "filter slate", "filter-slate.tsv", errno.EDQUOT),
        ("/.filter-slate.tsv.", "filter slate", "filter-slate.tsv", errno.EIO),
        ("/.pool.", "pool", "pool", errno.EMFILE),
    ],
)
def test_a_fault_of_the_machine_is_not_one_of_a_submission(folder, finished, monkeypatch, which, step, file, number):
    with monkeypatch.context() as patched:
        for name in ("rename", "replace"):
            patched.setattr(os, name, fails(getattr(os, name), which, OSError(number, os.strerror(number))))
        with pytest.raises(EnvironmentFault) as raised:
            run_campaign(folder)
    assert raised.value.exit_code == 2
    told = str(raised.value)
    assert os.strerror(number) in told
    assert f"the campaign has stopped at the step {step!r}, run it again then" in told
    assert file in told.split(": ")[0]
    assert not any((folder / "assessments").iterdir())
    assert not (folder / "pool").exists() or not any((folder / "pool").iterdir())
    assert not (folder / "pool.provenance.tsv").exists() or step == "pool"
    assert f'"{step}": {{' not in remembered(folder)
    assert '"filter granite": {' in remembered(folder)
    assert not list((folder / "reports").glob("*.failed.txt"))
    run(folder)
    assess(folder)
    run(folder)
    link(folder)
    run(folder)
    assert results(folder) == results(finished)


def test_a_fault_leaves_what_is_remembered_as_it_was(done, monkeypatch, capsys):
    expected, before = results(done), (done / MEMORY / "state.json").read_bytes()
    (done / "filtered" / "slate" / "arguments" / "MINI_NW_01").unlink()
    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", fails(Path.open, "/.slate.", OSError(errno.ENOSPC, "No space left on device")))
        assert adjudge(["eal", "campaign", "run", str(done)]) == 2
    out, err = capsys.readouterr()
    assert "failed" not in out
    assert err.startswith(f"error: {done}/filtered/slate: cannot be written: No space left on device, make room")
    assert "'filter slate'" in err
    assert (done / MEMORY / "state.json").read_bytes() == before
    assert run(done)["score"] == "up to date"
    assert results(done) == expected


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError(errno.ENOMEM, "Cannot allocate memory"), UsageError("another program is at work")]
)
def test_other_faults_in_a_step_of_a_submission(folder, monkeypatch, error):
    def fail(*_: object, **__: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(campaign_steps, "apply", fail)
        with pytest.raises(EnvironmentFault, match=r"stopped at the step 'filter granite'"):
            run_campaign(folder)
    assert not any((folder / "pool").iterdir())
    statuses = run(folder)
    assert statuses["pool"] == "done"
    assert "failed" not in statuses.values()


def test_a_file_of_a_submission_that_cannot_be_read(folder, monkeypatch):
    real = Store.bytes_of

    def broken(self, document, kind="", *, again=False):
        if self.path.endswith("slate") and document == "MINI_NW_02":
            self._files["arguments"][document] = "/proc/self/mem"  # opens, and is an I/O error when it is read
        return real(self, document, kind, again=again)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "bytes_of", broken)
        if sys.platform == "linux":
            with pytest.raises(EnvironmentFault, match=r"slate.*MINI_NW_02.*'validate slate'"):
                run_campaign(folder)
    statuses = run(folder)
    assert statuses["pool"] == "done"
    assert "failed" not in statuses.values()


def test_what_is_wrong_with_a_submission_still_leaves_it_out(folder, monkeypatch):
    (folder / "submissions" / "slate" / "arguments" / "MINI_NW_02").write_text("nonsense\n")
    statuses = run(folder)
    assert statuses["validate slate"] == "failed"
    assert statuses["pool"] == "done"
    (folder / "submissions" / "gone.zip").symlink_to("nowhere")
    assert run(folder)["validate gone"] == "failed"

    def fail(*_: object, **__: object) -> None:
        raise ValidationError("this is not allowed")

    monkeypatch.setattr(campaign_steps, "apply", fail)
    (folder / "filtered" / "granite" / "stray").touch()
    assert run(folder)["filter granite"] == "failed"


def test_texts_that_cannot_be_listed(folder, monkeypatch):
    (folder / "sources" / "more").mkdir()
    real = os.scandir

    def listing(path="."):
        if os.fspath(path).endswith("more"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", listing)
    with pytest.raises(EnvironmentFault, match=r"sources.*Permission denied.*'sources'"):
        run_campaign(folder)


def test_a_second_run_is_refused(done):
    with alone(done), pytest.raises(UsageError, match=rf"another run is working.*process {os.getpid()}.*wait"):
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
