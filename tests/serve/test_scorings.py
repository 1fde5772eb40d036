"""Boards that are kept up to date, scoring again, the freeze, what everybody sees, and bundles for other platforms."""

import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import zipfile

import msgspec
import pytest

from adjudge.errors import AdjudgeError
from adjudge.serve import intake, scorings, states
from adjudge.serve.app import Service, make_app
from adjudge.serve.board_desk import export_boards, shown_ranks
from adjudge.serve.boards import Board
from adjudge.serve.folder import Folder
from adjudge.serve.jobs import Keeper
from adjudge.serve.program import make_bundle
from adjudge.serve.store import Store, care, now
from adjudge.serve.tracks import keep_file, set_phase
from serve.tracks import documents, fill, finished, row, upload, working
from serve_small import TestClient

RUNS = {  # team: run: where its entities end
    ("fast", "good"): (1, 2, 3, 4, 5, 6),
    ("fast", "poor"): (9, 9, 9, 4, 5, 6),
    ("slow", "only"): (1, 9, 3, 4, 9, 6),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder in which the runs are scored, to be copied."""
    place = tmp_path_factory.mktemp("made")
    folder = Folder.create(place / "folder")
    with Store.open(folder.path) as store:
        fill(store, place)
        (place / "gold.jsonl").write_bytes(documents(*range(1, 7)))
        set_phase(store, "ner", "main", {"gold": keep_file(store, place / "gold.jsonl")})
        names = [upload(store, f"{run}.jsonl", documents(*ends), team).submission for (team, run), ends in RUNS.items()]
        names.append(upload(store, "by-hand.jsonl", documents(*range(1, 7)), "slow", flags=["human"]).submission)
        with working(store, workers=2):
            finished(store, *names)
        Keeper(folder, store).look()
    return folder.path, names


@pytest.fixture
def folder(made, tmp_path):
    shutil.copytree(made[0], tmp_path / "folder")
    return Folder(tmp_path / "folder")


@pytest.fixture
def scored(made):
    return made[1]


@pytest.fixture
def store(folder):
    with Store.open(folder.path) as made:
        yield made


def board(store):
    with store.read() as snapshot:
        return scorings.board_of(store, scorings.shown(snapshot, "ner", "main"))


def lines(tab):
    return [(line.team, line.run, line.rank, line.unranked) for line in tab.lines]


def last(store):
    with store.read() as snapshot:
        return snapshot.last()


def test_a_board_has_the_numbers_of_compare_and_is_made_once(store, folder, scored, tmp_path):
    found = board(store)
    assert lines(found.best[0]) == [
        ("fast", "good", 1, ""),
        ("slow", "by-hand", None, "human"),
        ("slow", "only", 2, ""),
    ]
    for run in found.runs:
        (tmp_path / f"{run.key}.json").write_bytes(store.get_blob(run.result))
    command = [sys.executable, "-m", *found.commands[0].split()]
    subprocess.run(command, cwd=tmp_path, check=True)
    said = json.loads((tmp_path / "board.json").read_bytes())
    values = {each["name"]: each["scores"] for each in said["systems"]}
    for run in found.runs[:3]:
        line = next(line for line in found.all[0].lines if line.run == run.name)
        (own,) = [each for each in values[run.key] if (each["metric"], each["part"]) == ("ner.strict", "f1")]
        assert (line.value, line.low, line.high) == (own["value"], own.get("low"), own.get("high"))
    before = last(store)
    Keeper(folder, store).look()
    assert last(store) == before
    intake.withdraw(store, scored[0], now(), "of-fast")
    Keeper(folder, store).look()
    assert ("fast", "poor", 2, "") in lines(board(store).best[0])


def test_scored_again_with_other_gold_both_stay_and_what_moved_is_said(store, folder, scored, tmp_path):
    old = board(store)
    (tmp_path / "gold.jsonl").write_bytes(documents(1, 2, 3, 4, 5, 9))
    scorings.rescore(store, "ner", "main", "olga", keep_file(store, tmp_path / "gold.jsonl"))
    Keeper(folder, store).look()
    assert board(store) == old  # until all are through
    with working(store, workers=2):
        finished(store, *scored)
    Keeper(folder, store).look()
    with store.read() as snapshot:
        found = scorings.scorings_of(snapshot, "ner", "main")
    assert scorings.board_of(store, found[-2]) == old
    moved = {(each.team, each.run): each for each in scorings.last_moved(store, found)}
    assert moved["fast", "good"].before.value == 1
    assert moved["fast", "good"].change == pytest.approx(-1 / 6)
    assert not care.verify(store).problems
    assert care.rebuild(store) == []


def test_a_board_that_is_out_of_date_or_could_not_be_made_is_not_frozen(store, folder, scored):
    intake.withdraw(store, scored[0], now(), "of-fast")
    with pytest.raises(AdjudgeError, match="the board is not up to date yet"):
        scorings.freeze(store, "ner", "main", "olga")
    Keeper(folder, store).look()
    assert scorings.freeze(store, "ner", "main", "olga")
    scorings.freeze(store, "ner", "main", "olga", frozen=False)
    intake.withdraw(store, scored[1], now(), "of-fast")
    with store.read() as snapshot:
        shown = scorings.shown(snapshot, "ner", "main")
        runs = scorings.runs_of(snapshot, shown)

    def refused(_):
        raise AdjudgeError("out of memory")

    assert not scorings.make_anew(store, shown, scorings.Basis(runs, refused)).all
    with pytest.raises(AdjudgeError, match="the board could not be made"):
        scorings.freeze(store, "ner", "main", "olga")


def test_what_failed_is_queued_again_where_it_failed_if_its_team_has_room(store, folder, scored):
    names, checked = [], {"findings": store.put_blob(b"{}", "findings")}
    for name, files in (("a", {}), ("b", checked), ("c", checked), ("d", checked)):
        names.append(upload(store, f"{name}.jsonl", documents(1), "slow").submission)
        body = {"state": states.FAILED, "reason": "it was ended by SIGKILL", "files": files}
        states.move(store, row(store, names[-1]), body, "test")
    newer = upload(store, "c.jsonl", documents(2), "slow").submission  # in the place of the one that failed
    assert scorings.queue_failed(store, "ner", "main", "olga") == 2  # only, by-hand, c, and two of five are left
    assert [row(store, name).state for name in (*names, newer)] == [
        states.RECEIVED,
        states.QUEUED,
        states.FAILED,
        states.FAILED,
        states.RECEIVED,
    ]


def test_frozen_with_a_manifest_of_all_hashes(store, folder, scored, tmp_path):
    late = upload(store, "late.jsonl", documents(1), "fast").submission
    with pytest.raises(AdjudgeError, match="1 run not scored yet, the first is late"):
        scorings.freeze(store, "ner", "main", "olga")
    intake.withdraw(store, late, now(), "of-fast")
    Keeper(folder, store).look()
    digest = scorings.freeze(store, "ner", "main", "olga")
    made = json.loads(store.get_blob(digest))
    assert {each["sha256"] for each in made["runs"]} == {run.sha256 for run in board(store).runs}
    assert (made["adjudge"], made["gold"], made["settings"]["task"]) == (
        board(store).adjudge,
        made["phase"]["gold"]["sha256"],
        "ner",
    )
    with pytest.raises(AdjudgeError, match="frozen"):
        scorings.extend(store, "ner", "main", None, "olga")
    before = board(store)
    scorings.rescore(store, "ner", "main", "olga")
    with working(store, workers=2):
        finished(store, *scored)
    Keeper(folder, store).look()
    assert board(store) == before  # the frozen one is shown until the new one is frozen, too
    care.backup(store, tmp_path / "saved")
    care.restore(tmp_path / "saved", tmp_path / "again")
    with Store.open(tmp_path / "again") as again:
        assert not care.verify(again).problems
        assert board(again) == before


def test_a_board_that_cannot_be_made_says_why_and_is_not_tried_again(store, folder, scored):
    intake.withdraw(store, scored[0], now(), "of-fast")
    with store.read() as snapshot:
        found = scorings.scorings_of(snapshot, "ner", "main")[-1]
        runs = scorings.runs_of(snapshot, found)

    def refuse(_):
        raise AdjudgeError("no room")

    made = scorings.make_anew(store, found, scorings.Basis(runs, refuse))
    assert "could not be made: no room" in made.note
    before = last(store)
    Keeper(folder, store).look()
    assert last(store) == before


def test_a_bundle_scores_as_the_server_does(store, scored, tmp_path):
    make_bundle(store, "ner", None, tmp_path / "bundle.zip")
    first = (tmp_path / "bundle.zip").read_bytes()
    make_bundle(store, "ner", "main", tmp_path / "bundle.zip")
    assert first == (tmp_path / "bundle.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "bundle.zip") as archive:
        archive.extractall(tmp_path / "platform")
    given = tmp_path / "platform" / "input"
    (given / "res").mkdir(parents=True)
    (tmp_path / "platform" / "reference_data").rename(given / "ref")
    program = [sys.executable, "scoring_program/score.py", "input", "output"]
    for data, code in ((documents(1, 9, 3, 4, 9, 6), 0), (b'{"id": 1}\n', 1)):
        (given / "res" / "only.jsonl").write_bytes(data)
        done = subprocess.run(program, cwd=tmp_path / "platform", capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
    assert "only.jsonl:1" in done.stderr
    scores = json.loads((tmp_path / "platform" / "output" / "scores.json").read_bytes())
    line = next(line for line in board(store).all[0].lines if line.run == "only")
    assert scores["ner.strict.f1"] == line.value
    with pytest.raises(AdjudgeError, match="no track 'nre'"):
        make_bundle(store, "nre", None, tmp_path / "other.zip")


def test_the_export_has_what_everybody_may_see(store, scored, tmp_path):
    export_boards(store, "Autumn", tmp_path / "site")
    assert not (tmp_path / "site" / "ner").exists()
    set_phase(store, "ner", "main", {"show": "public"})
    scorings.freeze(store, "ner", "main", "olga")
    export_boards(store, "Autumn", tmp_path / "site")
    own = tmp_path / "site" / "ner" / "main"
    assert msgspec.json.decode((own / "board.json").read_bytes(), type=Board) == board(store)
    assert json.loads((own / "manifest.json").read_bytes())["track"] == "ner"
    assert 'href="ner/main/index.html"' in (tmp_path / "site" / "index.html").read_text("utf-8")


def test_everything_of_a_track_as_an_archive(folder, store, scored):
    service = Service(folder, store)
    service.access.add_person("olga", "organiser", "ner")
    client = TestClient(make_app(service))
    token, _ = service.access.issue_token("olga")
    answer = client.get("/api/v1/tracks/ner/export", headers={"authorization": f"Bearer {token}"})
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    hashes = json.loads(found.pop("manifest.json"))["files"]
    assert hashes == {name: hashlib.sha256(data).hexdigest() for name, data in found.items()}
    assert found["runs/main/fast/1/good.jsonl"] == documents(1, 2, 3, 4, 5, 6)
    assert json.loads(found["runs/main/slow/1/findings.json"])["errors"] == 0
    assert found["gold/main/gold.jsonl"] == documents(*range(1, 7))
    assert json.loads(found["boards/main/board.json"]) == json.loads(found["scorings/main/2/board.json"])
    assert b"only" in found["boards/main/all.html"]
    kinds = [json.loads(line)["kind"] for line in found["events.jsonl"].splitlines()]
    assert kinds.count("submit") == len(scored) == len(json.loads(found["track.json"])["runs"])


def test_a_hidden_phase_hides_scores_from_its_teams_too(folder, store, scored):
    service = Service(folder, store)
    asked = TestClient(make_app(service))
    service.access.add_person("of-fast", "team", "ner")
    token, _ = service.access.issue_token("of-fast")
    mine = {"Authorization": f"Bearer {token}"}
    for show, sees in (("hidden", False), ("own", True)):
        set_phase(store, "ner", "main", {"show": show})
        run = asked.get(f"/api/v1/submissions/{scored[0]}", headers=mine).json()
        assert (bool(run["score"]), "result" in run["files"], run["state"]) == (sees, sees, "scored")
        page = asked.get("/boards/ner/main/", headers=mine)
        assert ("100.0" in page.text) is sees
        assert "only" not in page.text.partition("<main>")[2].partition('<p class="about">')[0]
        assert asked.get("/boards/ner/main/").status_code == 404
        (tab, *_), found = board(store).all, asked.get("/t/ner", headers=mine).text
        ranks = {line.run: shown_ranks(line) for line in tab.lines if line.team == "fast"}
        shown = dict(re.findall(r"<a [^>]*>(\w+)</a></td><td>scored</td><td>.*?</td><td>(.*?)</td>", found))
        assert shown == (ranks if sees else dict.fromkeys(ranks, ""))
