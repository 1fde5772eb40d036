"""What may be wrong in a campaign, and what is added to it later."""

import json
import shutil

from adjudge.demo.eal import SUBMISSIONS
from adjudge.formats.eal_assessments import UNANNOTATED, parse_key, write_key
from adjudge.tasks.eal.campaign import run_campaign
from adjudge.tasks.eal.campaign_state import digest_of
from eal_campaigns import assess, finish, frames_of, link, results, run

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
    # It is repaired.
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
    # The response is another one now, with the id of the other: nobody gave it.
    key, _ = parse_key(path.read_text().replace("\t2031-05-06\t", "\tTuesday\t").encode(), path.name)
    path.write_bytes(write_key(key))
    told = {each.step: each for each in run_campaign(done)}
    # The pooled response has no line any more, and waits.
    assert told["assessments"].status == "done"
    lost = told["assessments"].details.read_text()
    assert "was pooled, had no line in the assessments, and waits there now" in lost
    assert lost.count("\n") == told["assessments"].message.count("1 response added")
    found = told["check"].details.read_text()
    assert "no date" in found
    assert "'Tuesday'" in found.replace('"', "'")
    assert "is not in the pool, it counts in the key; remove the line if no system gave the response" in found
    assert told["assess"].status == "waiting"
    assert told["score"].message == "for the assessments, the existing ones are from an earlier run"


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


# What is added later


def test_a_late_submission_adds_to_the_work_of_people(folder, finished):
    late = folder / "submissions" / "marble.tar.gz"
    late.rename(folder / "late")
    assert finish(folder)["score"] == "done"
    assessments = {path.name: path.read_bytes() for path in (folder / "assessments").iterdir()}
    frames = {path.name: frames_of(path) for path in (folder / "frames").iterdir()}
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
    assert {path.name: frames_of(path) for path in (folder / "frames").iterdir()} == frames
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


def test_teams_are_ranked_by_their_best_runs(done):
    path = done / "campaign.toml"
    path.write_text(path.read_text().replace("\n[teams]", '\n[teams]\nmason = ["slate", "granite", "late"]', 1))
    told = {each.step: each for each in run_campaign(done)}
    assert told["teams"].message == "no submission late, which campaign.toml names"
    text = (done / "scores" / "scores.txt").read_text()
    assert [line.split()[:5] for line in text.split("teams by their best run")[1].splitlines()[2:4]] == [
        ["1", "mason", "granite", "2", "2"],
        ["2", "marble", "marble", "1", "1"],
    ]
    teams = json.loads((done / "scores" / "ranking.json").read_text())["teams"]
    assert [each["runs"] for each in teams] == [["granite", "slate"], ["marble"]]
