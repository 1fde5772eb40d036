"""A campaign goes on from wherever it is: after people, and after other settings; and always to the same scores."""

import json
import os
import shutil

import pytest

from adjudge.demo.eal import ANSWERS, ASSESSMENTS, FRAMES, SUBMISSIONS
from adjudge.errors import FormatError, UsageError
from adjudge.formats.eal_assessments import UNANNOTATED
from adjudge.tasks.eal.campaign import init_campaign, run_campaign
from adjudge.tasks.eal.campaign_settings import TEMPLATE, CampaignSettings, parse_settings
from adjudge.tasks.eal.campaign_state import MEMORY, digest_of
from adjudge.tasks.eal.campaign_steps import find_submissions
from adjudge.tasks.eal.task import score
from eal_campaigns import STEPS, assess, link, results, run, settle, snapshot

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
    examples = {"cas-text": "severity", "acme": "teams"}  # of what is in a table of its own
    assert {examples.get(name, name) for name in named} == {
        name.rstrip("_") for name in CampaignSettings.__struct_fields__
    }


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
        "c.toml:2: there is no setting top, it belongs in [filters]",
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


def test_teams_have_few_runs_of_their_own():
    text = b'runs_per_team = 2\n[teams]\na = ["x", "y", "z"]\nb = ["x"]\nc = "w"\n'
    with pytest.raises(FormatError) as caught:
        parse_settings(text, "c.toml")
    assert [(each.line, each.message) for each in caught.value.problems] == [
        (3, "a has 3 runs, at most 2"),
        (4, "x is a run of a, too"),
        (5, "c is 'w'"),
    ]


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
