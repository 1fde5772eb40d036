"""The commands of a campaign: one line for each step, and exit codes that scripts can trust."""

import json
import shutil
import subprocess
import sys

import pytest

from adjudge.tasks.eal.campaign_state import alone


@pytest.fixture
def demo(adjudge, tmp_path):
    assert adjudge("eal", "campaign", "init", "c", "--demo", "--quiet").out == ""
    path = tmp_path / "c" / "campaign.toml"
    path.write_text(path.read_text().replace("bootstrap = 1000", "bootstrap = 20"))
    return tmp_path / "c"


def test_init_says_what_was_made(adjudge):
    ran = adjudge("eal", "campaign", "init", "new one")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("made ")
    assert lines[-1] == "continue with: adjudge eal campaign run 'new one'"
    ran = adjudge("eal", "campaign", "init", "new one")
    assert (ran.code, ran.out) == (2, "")
    assert "there is a campaign already, continue it with: adjudge eal campaign run new one" in ran.err


def test_init_demo_refuses_as_well(adjudge, demo):
    before = (demo / "submissions" / "granite.zip").read_bytes()
    assert adjudge("eal", "campaign", "init", "c", "--demo").code == 2
    assert (demo / "submissions" / "granite.zip").read_bytes() == before


def test_a_line_for_each_step(adjudge, demo, monkeypatch):
    monkeypatch.chdir(demo)
    ran = adjudge("eal", "campaign", "run")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("validate granite     done        12 documents, 168 responses")
    assert lines[-2].startswith(
        "assess               waiting     0 of 348 responses assessed; fill columns 12 to 18 in"
    )
    assert lines[-1] == "score                waiting     for the assessments"
    shutil.copytree("answers/assessments", "assessments", dirs_exist_ok=True)
    ran = adjudge("eal", "campaign", "run", "--quiet")
    assert ran.out.splitlines() == [
        "link                 waiting     193 of 193 TRFRs are not linked; make frames in frames",
        "score                waiting     for the frames",
    ]
    shutil.copytree("answers/frames", "frames", dirs_exist_ok=True)
    ran = adjudge("eal", "campaign", "run", "--format", "json")
    record = json.loads(ran.out)
    assert (record["task"], record["operation"], record["dry_run"]) == ("eal", "campaign run", False)
    assert record["steps"][-1] == {
        "step": "score",
        "subject": "",
        "status": "done",
        "message": "3 systems on 12 documents, the best is granite",
        "details": "scores/scores.txt",
    }
    ran = adjudge("eal", "campaign", "run", "--quiet")
    assert (ran.code, ran.out) == (0, "")


def test_a_dry_run(adjudge, demo):
    ran = adjudge("eal", "campaign", "run", "c", "--dry-run")
    assert ran.code == 0
    assert all(" due " in line for line in ran.out.splitlines())
    assert not (demo / ".campaign").exists()


def test_an_invalid_submission_is_an_exit_code(adjudge, demo):
    (demo / "submissions" / "granite.zip").write_bytes(b"no archive")
    ran = adjudge("eal", "campaign", "run", "c")
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert lines[0].startswith("validate granite     failed      1 error, 0 warnings: left out (c/reports/validate-gr")
    assert "pool                 done" in ran.out


def test_wrong_settings(adjudge, demo):
    (demo / "campaign.toml").write_text("profile = 2015\n[filters]\ntopp = 3\n")
    ran = adjudge("eal", "campaign", "run", "c")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.splitlines() == [
        "error: c/campaign.toml:1: profile is 2015, write the name of a profile in quotes",
        "error: c/campaign.toml:3: there is no setting topp in [filters], did you mean top or top_per?",
    ]


def test_severities_are_settings(adjudge, demo):
    settings = demo / "campaign.toml"
    before = settings.read_text()
    assert adjudge("eal", "campaign", "run", "c").code == 0
    settings.write_text(before.replace('# cas-text = "error"', 'entity-type = "error"\nadditional = "off"'))
    ran = adjudge("eal", "campaign", "run", "c")
    assert ran.code == 1
    assert ran.out.splitlines()[0].startswith("validate granite     failed      1 error, 0 warnings: left out")
    report = (demo / "reports" / "validate-granite.txt").read_text().splitlines()
    assert [line.split(": ")[1] for line in report[:-1]] == ["error"]
    assert "(profile spec, ontology 2015, entity-type error, additional off, offsets" in report[-1]
    settings.write_text(before.replace('# cas-text = "error"', 'cas-txt = "off"\ntime = "bad"'))
    ran = adjudge("eal", "campaign", "run", "c")
    assert ran.code == 1
    assert (
        "there is no setting cas-txt in [severity], did you mean cas-text or cas-extent? Kinds are archive," in ran.err
    )
    assert "time is 'bad', choose one of error, warning, off" in ran.err


def test_no_campaign(adjudge):
    ran = adjudge("eal", "campaign", "run", "nowhere")
    assert ran.code == 2
    assert "there is no campaign here" in ran.err
    ran = adjudge("eal", "campaign", "runn")
    assert ran.code == 2
    assert "did you mean run?" in ran.err


def test_one_run_at_a_time(demo):
    command = [sys.executable, "-c", "from adjudge.cli import main; main()", "eal", "campaign", "run", str(demo)]
    with alone(demo):
        ran = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "another run is working on this campaign: process" in ran.stderr
    assert ran.stderr.rstrip().endswith("wait until it is finished")
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    assert ran.returncode == 0
