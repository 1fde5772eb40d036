"""A campaign goes on from wherever it is: after people, after changes, after a crash; and always to the same scores."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.demo.eal import ANSWERS, ASSESSMENTS, FRAMES, SUBMISSIONS, fill_campaign
from adjudge.errors import FormatError, UsageError
from adjudge.formats.eal_assessments import UNANNOTATED
from adjudge.tasks.eal.campaign import init_campaign, run_campaign
from adjudge.tasks.eal.campaign_settings import TEMPLATE, CampaignSettings, parse_settings
from adjudge.tasks.eal.campaign_state import MEMORY, alone, digest_of
from adjudge.tasks.eal.campaign_steps import find_submissions
from adjudge.tasks.eal.scoring import score

STEPS = [
    *(f"{step} {name}" for name in SUBMISSIONS for step in ("validate", "filter")),
    *("pool", "assessments", "check", "assess", "frames", "link", "reference", "score"),
]


def settle(folder: Path, **changes: object) -> None:
    """Change settings; few draws, because nothing here depends on them."""
    text = (folder / "campaign.toml").read_text()
    for name, value in {"bootstrap": 20, **changes}.items():
        lines = text.split("\n")
        (place,) = [at for at, line in enumerate(lines) if line.startswith(f"{name} =")]
        lines[place] = f"{name} = {json.dumps(value)}"
        text = "\n".join(lines)
    (folder / "campaign.toml").write_text(text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign with texts and three submissions."""
    place = tmp_path / "campaign"
    init_campaign(place)
    fill_campaign(place)
    settle(place)
    return place


def run(folder: Path, **options: object) -> dict[str, str]:
    return {f"{each.step} {each.subject}".strip(): each.status for each in run_campaign(folder, **options)}


def assess(folder: Path) -> None:
    """Do what assessors do: answer every response that waits."""
    for path in (folder / "assessments").iterdir():
        answers = {line.split("\t")[0]: line for line in (ASSESSMENTS / path.name).read_text().splitlines()}
        lines = path.read_text().splitlines()
        path.write_text(
            "".join(answers[each.split("\t")[0]] + "\n" if UNANNOTATED in each else each + "\n" for each in lines)
        )


def link(folder: Path) -> None:
    """Do what annotators do: add a line for each event above the INCOMPLETE line, and leave everything else."""
    for path in (folder / "frames").iterdir():
        known = {line.split("\t")[0] for line in (folder / "assessments" / path.name).read_text().splitlines()}
        frames = [[each for each in line.split("\t") if each in known] for line in _frames(FRAMES / path.name)]
        rest = [line for line in path.read_text().splitlines() if line.startswith(("#", "INCOMPLETE"))]
        path.write_text("".join(f"{line}\n" for line in (*("\t".join(each) for each in frames if each), *rest)))


def _frames(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if not line.startswith(("#", "INCOMPLETE"))]


def finish(folder: Path) -> dict[str, str]:
    run(folder)
    assess(folder)
    run(folder)
    link(folder)
    return run(folder)


def results(folder: Path) -> dict[str, bytes]:
    """What everything comes to."""
    found = {}
    for room in ("filtered", "pool", "reference", "scores"):
        for path in sorted((folder / room).rglob("*")):
            if path.is_file():
                found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Everything that is there, and when it was written."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.stat().st_ino)
        for path in folder.rglob("*")
        if path.name not in ("lock", MEMORY)
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("finished") / "campaign"
    init_campaign(place)
    fill_campaign(place)
    settle(place)
    finish(place)
    return place


@pytest.fixture
def done(finished: Path, tmp_path: Path) -> Path:
    """A copy of a finished campaign."""
    return Path(shutil.copytree(finished, tmp_path / "campaign"))


# ---------------------------------------------------------------------------------------------------------------------
# Beginning


def test_init_lays_out_and_refuses_to_overwrite(tmp_path):
    place = tmp_path / "a" / "b"
    init_campaign(place)
    assert sorted(each.name for each in place.iterdir()) == sorted(
        ["campaign.toml", "sources", "submissions", "pool", "assessments", "frames", "scores"]
    )
    (place / "campaign.toml").write_text("# mine")
    with pytest.raises(UsageError, match="there is a campaign already"):
        init_campaign(place)
    assert (place / "campaign.toml").read_text() == "# mine"
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes").touch()
    with pytest.raises(UsageError, match="not empty"):
        init_campaign(other)
    with pytest.raises(UsageError, match="cannot be made"):
        init_campaign(other / "notes")


def test_a_folder_without_campaign(tmp_path):
    with pytest.raises(UsageError, match=r"there is no campaign here.*campaign init"):
        run_campaign(tmp_path)
    assert not list(tmp_path.iterdir())


def test_it_says_what_to_put_where(tmp_path):
    init_campaign(tmp_path / "c")
    (step,) = run_campaign(tmp_path / "c")
    assert (step.step, step.status) == ("sources", "waiting")
    (tmp_path / "c" / "sources" / "D1").write_text("text")
    (step,) = run_campaign(tmp_path / "c")
    assert (step.step, step.status) == ("submissions", "waiting")


def test_the_template_has_every_setting_with_its_default():
    assert parse_settings(TEMPLATE.encode()) == CampaignSettings()
    named = {line.split("=")[0].strip(" #") for line in TEMPLATE.splitlines() if "=" in line}
    assert named == {name.rstrip("_") for name in CampaignSettings.__struct_fields__}


def test_every_mistake_in_the_settings_at_once():
    text = b"""profile = "spek"
top = 4

[filters]
quotes = "yes"
top = true
trimm = true
top_per = "system"

[scoring]
by = ["typ"]
beta = -1
lambda = 1.5
bootstrap = 2.5
seed = -3

[scores]
"""
    with pytest.raises(FormatError) as caught:
        parse_settings(text, "c.toml")
    assert [str(each) for each in caught.value.problems] == [
        "c.toml:1: profile is 'spek', did you mean spec?",
        "c.toml:2: there is no setting top, it belongs into [filters]",
        "c.toml:5: quotes is 'yes', write true or false",
        "c.toml:6: top is true, write a whole number from 0",
        "c.toml:7: there is no setting trimm in [filters], did you mean trim?",
        "c.toml:8: top_per is 'system', choose one of submission, document",
        "c.toml:11: by is ['typ'], choose from type, role, genre",
        "c.toml:12: beta is -1, write a number from 0, such as 0.25",
        "c.toml:13: lambda is 1.5, write a number from 0 to 1, such as 0.5",
        "c.toml:14: bootstrap is 2.5, write a whole number from 0",
        "c.toml:15: seed is -3, write a whole number from 0",
        "c.toml:17: there is no setting scores, did you mean scoring?",
    ]
    with pytest.raises(FormatError, match=r"c.toml:1:11: this is not TOML"):
        parse_settings(b"profile = spec", "c.toml")
    with pytest.raises(FormatError, match="not UTF-8"):
        parse_settings(b"\xff", "c.toml")


def test_submissions_are_found_by_name(tmp_path):
    for name in ("a.zip", "B.TAR.GZ", "c.tgz", "notes.txt", "A.tar.gz", ".hidden", "x.zip.zip"):
        (tmp_path / name).touch()
    (tmp_path / "d").mkdir()
    found, strays = find_submissions(tmp_path)
    assert {name: path.name for name, path in found.items()} == {
        "A": "A.tar.gz",
        "B": "B.TAR.GZ",
        "c": "c.tgz",
        "d": "d",
    }
    assert set(strays) == {"a.zip", "notes.txt", "x.zip.zip"}


# ---------------------------------------------------------------------------------------------------------------------
# From submissions to scores


def test_each_step_in_its_turn(folder):
    first = run(folder)
    assert list(first) == [*STEPS[: STEPS.index("assess") + 1], "score"]
    assert first["assess"] == first["score"] == "waiting"
    assert {status for name, status in first.items() if name not in ("assess", "score")} == {"done"}
    assess(folder)
    second = run(folder)
    assert second["check"] == second["assess"] == second["frames"] == "done"
    assert second["link"] == second["score"] == "waiting"
    assert second["assessments"] == second["pool"] == "up to date"
    link(folder)
    third = run(folder)
    assert list(third) == STEPS
    assert third["link"] == third["reference"] == third["score"] == "done"
    assert "failed" not in third.values()
    # What is scored is what the filters left, against what people said.
    systems = {name: folder / "filtered" / name for name in SUBMISSIONS}
    expected = score(ASSESSMENTS, FRAMES, systems, bootstrap=20)
    saved = json.loads((folder / "scores" / "result.json").read_text())
    assert [each["scores"] for each in saved["systems"]] == [
        each["scores"] for each in json.loads(expected.to_json())["systems"]
    ]
    assert (folder / "scores" / "scores.txt").read_text().startswith("ranking by the median over 20 corpora")
    table = (folder / "scores" / "documents.tsv").read_text().splitlines()
    assert table[0].startswith("system\tdocument\ttp\t")
    assert len(table) == 1 + 3 * 12


def test_it_counts_what_is_left_for_people(folder):
    run(folder)
    assess(folder)
    path = folder / "assessments" / "MINI_NW_01"
    lines = path.read_text().splitlines(keepends=True)
    columns = lines[0].split("\t")
    path.write_text("\t".join([*columns[:11], UNANNOTATED, *columns[12:]]) + "".join(lines[1:]))
    (step,) = (each for each in run_campaign(folder) if each.step == "assess")
    assert step.message.startswith("347 of 348 responses assessed")
    path.write_text("".join(lines))
    run(folder)
    link(folder)
    path = folder / "frames" / "MINI_NW_04"
    text = path.read_text()
    path.write_text(text[text.index("\n") + 1 :])  # one event is missing
    (step,) = (each for each in run_campaign(folder) if each.step == "link")
    assert step.status == "waiting"
    assert step.message.endswith(f"of 193 TRFRs are not linked; make frames in {folder / 'frames'}")


def test_nothing_is_done_twice(done):
    before = snapshot(done)
    statuses = run(done)
    assert list(statuses) == STEPS
    assert {status for name, status in statuses.items() if name not in ("assess", "link")} == {"up to date"}
    assert snapshot(done) == before


def test_times_do_not_matter(done):
    for path in done.rglob("*"):
        os.utime(path, (1, 1))
    assert set(run(done).values()) == {"up to date", "done"}
    assert run(done)["score"] == "up to date"


def test_a_changed_setting_changes_what_depends_on_it(done):
    settle(done, beta=1.0)
    assert [name for name, status in run(done).items() if status == "done"] == ["assess", "link", "score"]
    settle(done, beta=1.0, quotes=False)
    statuses = run(done)
    assert statuses["validate marble"] == "up to date"
    assert statuses["filter marble"] == statuses["pool"] == statuses["assessments"] == "done"
    assert statuses["assess"] == "waiting"


def test_a_changed_text_is_noticed(done):
    path = done / "sources" / "MINI_NW_07.txt"
    path.write_text(path.read_text() + "\n")
    statuses = run(done)
    assert statuses["validate slate"] == statuses["filter slate"] == "done"
    assert statuses["pool"] == statuses["score"] == "up to date"  # it came to the same


@pytest.mark.parametrize("what", ["pool", "filtered/granite", "reference", "scores/result.json", "reports/check.txt"])
def test_what_is_lost_is_made_again(done, what):
    expected = results(done)
    path = done / what
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert "done" in {status for name, status in run(done).items() if name not in ("assess", "link")}
    assert results(done) == expected


@pytest.mark.parametrize("data", [b"{", b'{"form": 99, "steps": {}}', b'{"form": 1, "steps": {"pool": 3}}'])
def test_the_memory_may_be_lost(done, data):
    expected = results(done)
    (done / MEMORY / "state.json").write_bytes(data)
    assert run(done)["score"] == "done"
    assert results(done) == expected


# ---------------------------------------------------------------------------------------------------------------------
# What may be wrong


def test_an_invalid_submission_is_left_out(folder):
    shutil.copytree(SUBMISSIONS["slate"], folder / "submissions" / "rubble")
    path = folder / "submissions" / "rubble" / "arguments" / "MINI_NW_01"
    path.write_text(path.read_text().replace("Life.", "Live."))
    (folder / "submissions" / "broken.zip").write_bytes(b"PK nothing")
    (folder / "submissions" / "readme.txt").touch()
    told = {f"{each.step} {each.subject}": each for each in run_campaign(folder)}
    wrong = {name for name, step in told.items() if step.status == "failed"}
    assert wrong == {"validate rubble", "validate broken", "validate readme.txt"}
    assert "error: there is no event type" in told["validate rubble"].details.read_text()
    assert told["pool "].message == "348 responses of 3 systems, 12 documents"
    assert sorted(each.name for each in (folder / "filtered").iterdir()) == ["granite", "marble", "slate"]
    # It is mended.
    shutil.copy(SUBMISSIONS["slate"] / "arguments" / "MINI_NW_01", path)
    statuses = run(folder)
    assert statuses["validate rubble"] == statuses["filter rubble"] == statuses["pool"] == "done"
    assert statuses["validate granite"] == "up to date"


def test_a_submission_that_becomes_invalid_leaves_the_scores(done):
    path = done / "submissions" / "slate" / "linking" / "MINI_NW_01"
    path.write_text("999\n" + path.read_text())
    statuses = run(done)
    assert statuses["validate slate"] == "failed"
    assert "filter slate" not in statuses
    assert statuses["pool"] == statuses["score"] == "done"
    assert not (done / "filtered" / "slate").exists()
    systems = [each["name"] for each in json.loads((done / "scores" / "result.json").read_text())["systems"]]
    assert systems == ["granite", "marble"]


def test_a_submission_that_is_withdrawn(done):
    assessed = digest_of(done / "assessments")
    (done / "submissions" / "marble.tar.gz").unlink()
    statuses = run(done)
    assert statuses["pool"] == statuses["score"] == "done"
    assert not (done / "filtered" / "marble").exists()
    assert not (done / "reports" / "filter-marble.tsv").exists()
    assert digest_of(done / "assessments") == assessed
    shutil.copy(done / "submissions" / "granite.zip", done / "spare.zip")
    for path in (done / "submissions").iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert run(done) == {"submissions": "waiting"}


def test_wrong_assessments_are_reported_and_corrected(folder):
    run(folder)
    assess(folder)
    path = folder / "assessments" / "MINI_NW_03"
    text = path.read_text()
    path.write_text(text.replace("\tNAME\n", "\tnickname\n", 1))
    told = {each.step: each for each in run_campaign(folder)}
    assert told["assessments"].status == "failed"
    assert "MINI_NW_03:" in told["assessments"].details.read_text()
    assert told["score"].message == "for the assessments to be corrected"
    path.write_text(text)
    assert run(folder)["frames"] == "done"
    assert not (folder / "reports" / "assessments.failed.txt").exists()


def test_times_that_are_no_dates_are_warned_about(done):
    path = done / "assessments" / "MINI_NW_01"
    path.write_text(path.read_text().replace("\t2031-05-06\t", "\tTuesday\t"))
    told = {each.step: each for each in run_campaign(done)}
    # The pooled response is another one now, and waits.
    assert told["assessments"].status == "done"
    assert "no date" in told["check"].details.read_text()
    assert told["assess"].status == "waiting"
    assert told["score"].message == "for the assessments, those that are there are from before"


def test_wrong_frames_are_reported_and_corrected(done):
    path = done / "frames" / "MINI_NW_02"
    text = path.read_text()
    path.write_text("0123456789\n" + text)
    told = {each.step: each for each in run_campaign(done)}
    assert told["frames"].status == "failed"
    assert "0123456789" in told["frames"].details.read_text()
    assert told["score"].status == "waiting"
    wrong = next(
        line.split("\t")[0]
        for line in (done / "assessments" / "MINI_NW_02").read_text().splitlines()
        if line.split("\t")[11] == "W"
    )
    path.write_text(f"{wrong}\n{text}")
    told = {each.step: each for each in run_campaign(done)}
    assert told["reference"].status == "failed"
    assert "its event type is W" in told["reference"].details.read_text()
    path.write_text(text)
    assert run(done)["score"] == "up to date"


def test_another_writer_is_respected(done):
    (done / "assessments" / "__lock").write_text("somebody")
    (done / "assessments" / "MINI_NW_07").unlink()
    told = {each.step: each for each in run_campaign(done)}
    assert told["assessments"].status == "failed"
    assert "the store is locked" in told["assessments"].message
    assert (done / "assessments" / "__lock").exists()


# ---------------------------------------------------------------------------------------------------------------------
# What is added later


def test_a_late_submission_adds_to_the_work_of_people(folder, finished):
    late = folder / "submissions" / "marble.tar.gz"
    late.rename(folder / "late")
    assert finish(folder)["score"] == "done"
    assessments = {path.name: path.read_bytes() for path in (folder / "assessments").iterdir()}
    frames = {path.name: _frames(path) for path in (folder / "frames").iterdir()}
    (folder / "late").rename(late)
    statuses = run(folder)
    assert statuses["validate granite"] == statuses["filter slate"] == "up to date"
    assert statuses["validate marble"] == statuses["pool"] == statuses["assessments"] == "done"
    assert statuses["assess"] == "waiting"
    for path in (folder / "assessments").iterdir():
        assert path.read_bytes().startswith(assessments[path.name])
    assess(folder)
    told = {each.step: each for each in run_campaign(folder)}
    assert (told["frames"].status, told["link"].status) == ("done", "waiting")
    assert {path.name: _frames(path) for path in (folder / "frames").iterdir()} == frames
    link(folder)
    assert run(folder)["score"] == "done"
    ours, theirs = results(folder), results(finished)
    assert ours.keys() == theirs.keys()
    assert {name for name, data in ours.items() if data != theirs[name]} <= {"scores/result.json", "scores/scores.txt"}
    one, other = (json.loads(each["scores/result.json"])["systems"] for each in (ours, theirs))
    assert [each["scores"] for each in one] == [each["scores"] for each in other]


def test_clusters_are_known_to_late_responses(folder):
    late = folder / "submissions" / "marble.tar.gz"
    late.rename(folder / "late")
    run(folder)
    assess(folder)
    (folder / "late").rename(late)
    run(folder)
    lines = [line.split("\t") for path in (folder / "assessments").iterdir() for line in path.read_text().splitlines()]
    known = {(each[1], each[4], each[5]): each[15] for each in lines if each[11] != UNANNOTATED}
    waiting = [each for each in lines if each[11] == UNANNOTATED]
    assert waiting
    assert all(each[15] == known.get((each[1], each[4], each[5]), UNANNOTATED) for each in waiting)


def test_lines_of_people_stay_as_they_are(done):
    """Comments, order and frames survive when something is added to a file."""
    path = done / "assessments" / "MINI_NW_01"
    lines = path.read_text().splitlines()
    path.write_text("# second thoughts\n" + "\n".join([*lines[5:], *lines[1:5]]))  # one is lost, no newline at the end
    frames = done / "frames" / "MINI_NW_01"
    frames.write_text("# looked at twice\n" + frames.read_text())
    assert run(done)["assessments"] == "done"
    text = path.read_text()
    assert text.startswith("# second thoughts\n" + "\n".join([*lines[5:], *lines[1:5]]) + "\n")
    assert text.count("\n") == len(lines) + 1
    assess(done)
    assert run(done)["score"] in ("done", "up to date")
    assert frames.read_text().startswith("# looked at twice\n")


# ---------------------------------------------------------------------------------------------------------------------
# Crashes, and others at work


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
from pathlib import Path
from adjudge.formats import eal_write
from adjudge.tasks.eal.campaign import run_campaign

folder, which, left = sys.argv[1], sys.argv[2], int(sys.argv[3])

def deadly(real):
    def call(self, *args, **kwargs):
        global left
        if which in self.as_posix():
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return real(self, *args, **kwargs)
    return call

if which == "exchange":
    exchange = eal_write.exchange
    eal_write.exchange = lambda one, other: exchange(one, other) and os.kill(os.getpid(), signal.SIGKILL)
else:
    eal_write.exchange = lambda one, other: False  # as where the system has no such thing
    for name in ("replace", "rename"):
        setattr(Path, name, deadly(getattr(Path, name)))
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


# ---------------------------------------------------------------------------------------------------------------------
# Settings that change the steps


def test_without_linking(folder):
    settle(folder, profile="bbn-2014", ontology="2015")
    (folder / "submissions" / "granite.zip").unlink()
    (folder / "submissions" / "marble.tar.gz").unlink()
    shutil.rmtree(folder / "submissions" / "slate" / "linking")
    run(folder)
    answers = {line.split("\t")[0]: line for path in ASSESSMENTS.iterdir() for line in path.read_text().splitlines()}
    for path in (folder / "assessments").iterdir():
        lines = [line.split("\t") for line in path.read_text().splitlines()]
        path.write_text("".join(answers[each[0]] + "\n" for each in lines if each[0] in answers))
    told = {each.step: each for each in run_campaign(folder)}
    assert "frames" not in told
    assert told["score"].status == "done", told["score"].message
    assert told["score"].message == "1 system on 12 documents"
    assert "eal.linking" not in (folder / "scores" / "scores.txt").read_text()
    assert not (folder / "scores" / "ranking.json").exists()


def test_copies_for_the_right_realis(folder):
    settle(folder, expand_realis=True)
    run(folder)
    assess(folder)
    told = {each.step: each for each in run_campaign(folder)}
    assert told["key"].message.endswith("copies with the assessed realis added")
    assert int(told["link"].message.split()[0]) > 193
    for path in (folder / "frames").iterdir():  # all in one event is wrong, but complete
        everything = path.read_text().splitlines()[-1].split("\t")[1:]
        path.write_text("\t".join(everything) + "\nINCOMPLETE\t\n")
    told = {each.step: each for each in run_campaign(folder)}
    assert told["score"].status == "done"
    assert digest_of(folder / "key") != digest_of(folder / "assessments")


def test_filters_can_be_chosen(folder):
    settle(folder, top=30, expand_justifications=True, nested=True, bootstrap=0)
    told = {each.subject: each for each in run_campaign(folder) if each.step == "filter"}
    assert all(each.message.startswith("30 of ") for each in told.values())
    assert "not-among-the-top" in told["slate"].message
    assert "1 merged" in told["slate"].message  # two justifications in one sentence
    settle(folder, top=3, top_per="document", trim=False, quotes=False)
    told = {each.subject: each for each in run_campaign(folder) if each.step == "filter"}
    assert "quoted" not in told["marble"].message
    assert told["granite"].message.startswith("33 of ")  # a document is empty


def test_scores_by_genre(done):
    settle(done, by=["genre"], bootstrap=0)
    assert run(done)["score"] == "done"
    assert '"genre": "forum"' in (done / "scores" / "result.json").read_text().replace('":"', '": "')
    (done / "genres.tsv").write_text("MINI_NW_01\tnews\n")
    settle(done, by=["genre"], bootstrap=0, genres="genres.tsv")
    assert run(done)["score"] == "done"
    (done / "genres.tsv").write_text("MINI_NW_01\n")
    told = {each.step: each for each in run_campaign(done)}
    assert told["score"].status == "failed"
    assert "gives no genre" in told["score"].message


def test_answers_are_not_read_from_the_demo_folder(folder):
    assert (folder / ANSWERS).is_dir()
    assert run(folder)["assess"] == "waiting"
