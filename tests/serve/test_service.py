"""Runs that teams hand in: checked, scored, counted, replaced, withdrawn; every state ends."""

import json
import subprocess
import sys

import pytest

from adjudge.errors import AdjudgeError
from adjudge.serve import intake, states
from adjudge.serve.messages import Fault
from adjudge.serve.runs import Queue
from adjudge.serve.store import Store, care, now
from adjudge.serve.store.tables import Lease
from adjudge.serve.tracks import add_member, parse_settings, set_phase, set_track
from dask_here import dask_here, needs_dask
from serve.tracks import LINES, documents, fill, finished, row, upload, working

GOOD, BAD = documents(1, 2, 4), b'{"id": "d0", "entities": [{"span": {"start": 3, "end": 1}, "type": "P"}]}\n'


@pytest.fixture
def store(tmp_path, database):
    with Store.open(tmp_path / "folder", database) as made:
        fill(made, tmp_path)
        yield made


def adjudge(folder, *args):
    return subprocess.run([sys.executable, "-m", "adjudge", *args], cwd=folder, capture_output=True, check=False)


def test_scores_and_findings_are_those_of_the_command_line(store, tmp_path):
    good, bad = upload(store, "one.jsonl", GOOD), upload(store, "two.jsonl", BAD, "slow")
    with working(store):
        scored, invalid = finished(store, good.submission, bad.submission)
    (tmp_path / "one.jsonl").write_bytes(GOOD)
    (tmp_path / "two.jsonl").write_bytes(BAD)
    line = ["ner", "score", "gold.jsonl", "one=one.jsonl", "--reader", "jsonl", "--bootstrap", "0", "--save", "r.json"]
    assert adjudge(tmp_path, *line).returncode == 0
    assert (scored.state, scored.score["metric"], scored.attempts) == ("scored", "ner.strict", 1)
    assert scored.score["value"] == pytest.approx(2 / 3)
    assert store.get_blob(scored.files["result"]) == (tmp_path / "r.json").read_bytes()
    assert (invalid.state, invalid.reason) == ("invalid", "1 error")
    for file, how in (("findings", "json"), ("text", "text")):
        home = adjudge(tmp_path, "ner", "validate", "two.jsonl", "--reader", "jsonl", "--format", how)
        assert (home.returncode, home.stdout) == (1, store.get_blob(invalid.files[file]))
    log = store.get_blob(scored.files["log"]).decode()
    assert "$ adjudge ner score gold.jsonl one=one.jsonl" in log
    assert not care.verify(store).problems
    assert care.rebuild(store) == []


@needs_dask
def test_scoring_is_handed_to_a_cluster(tmp_path):
    with dask_here(tmp_path) as file, Store.open(tmp_path / "folder") as store:
        fill(store, tmp_path, cluster=json.loads(file.read_bytes())["address"])
        with working(store):
            (scored,) = finished(store, upload(store, "one.jsonl", GOOD).submission)
        log = store.get_blob(scored.files["log"]).decode()
        assert (scored.state, scored.score["value"]) == ("scored", pytest.approx(2 / 3)), log
        assert "--cluster tcp://127.0.0.1:" in log


def test_what_costs_a_run(store):
    set_phase(store, "ner", "main", {"limits": {"runs": 2, "per_day": 3}})
    first, bad = upload(store, "a.jsonl", GOOD), upload(store, "b.jsonl", BAD)
    with pytest.raises(Fault, match="2 runs"):
        upload(store, "c.jsonl", GOOD)
    upload(store, "c.jsonl", GOOD, "slow")
    assert upload(store, "a.jsonl", GOOD).submission == first.submission  # the same bytes are the same run
    with working(store):
        finished(store, first.submission, bad.submission)
        other = upload(store, "a.jsonl", documents(1, 2, 3))
        third = upload(store, "c.jsonl", GOOD)  # the invalid one was free
        with pytest.raises(Fault, match="3 runs were submitted today"):
            upload(store, "c.jsonl", documents(1))
        finished(store, other.submission, third.submission)
    assert [row(store, each.submission).state for each in (first, other, third)] == ["superseded", "scored", "scored"]
    intake.withdraw(store, third.submission, now(), "of-fast")
    assert upload(store, "d.jsonl", GOOD).number == 5


def test_deadlines_and_marks(store):
    set_phase(store, "ner", "main", {"opens": "2026-01-01T00:00:00.000000Z", "closes": "2026-02-01T00:00:00.000000Z"})
    with pytest.raises(AdjudgeError, match="not open before 2026-01-01 00:00 UTC"):
        upload(store, "a.jsonl", GOOD, at="2025-12-31T23:59:59.999999Z")
    early = upload(store, "a.jsonl", GOOD, at="2026-02-01T00:00:00.000000Z")
    late = upload(store, "b.jsonl", GOOD, at="2026-02-01T00:00:00.000001Z")
    human = upload(store, "c.jsonl", GOOD, at="2026-01-02T00:00:00.000000Z", flags=["human"])
    web = upload(store, "d.jsonl", GOOD, at="2026-01-02T00:00:00.000000Z", flags=["web"])
    assert [each.ranked for each in (early, late, human, web)] == [True, False, False, False]
    with pytest.raises(Fault, match="the phase is closed"):
        upload(store, "a.jsonl", documents(1), at="2026-02-01T00:00:01.000000Z")
    with pytest.raises(Fault, match="the phase is closed"):
        intake.withdraw(store, early.submission, now(), "of-fast")
    intake.withdraw(store, early.submission, now(), "olga", always=True)
    intake.declare_order(store, "ner/fast", [web.submission, human.submission], "of-fast")
    assert [row(store, each.submission).priority for each in (web, human, late)] == [1, 2, 3]
    again = upload(store, "d.jsonl", documents(1), at="2026-01-03T00:00:00.000000Z", flags=["web"])
    assert row(store, again.submission).priority == 1  # what replaces a run takes its place
    set_phase(store, "ner", "other", {})
    other = upload(store, "a.jsonl", GOOD)  # main is closed
    with pytest.raises(Fault, match="runs of 2 phases"):
        intake.declare_order(store, "ner/fast", [web.submission, other.submission], "of-fast")


def test_how_long_a_run_waits_at_most(store):
    """What is before it may be of a track that gives more time, and may be at work for a shorter time than it waits."""
    table = {"task": "ner", **LINES, "check": [], "limits": {"wall": "2 h"}}
    set_track(store, "long", parse_settings("long", table))
    set_phase(store, "long", "main", {})
    team = add_member(store, "long", "fast", "of-fast")
    first, short = (upload(store, f"{name}.jsonl", GOOD).submission for name in ("first", "short"))
    data = documents(1)
    given = intake.Upload("long", team, "long.jsonl", store.put_blob(data, "submission"), len(data), now())
    long = intake.hand_in(store, given, "of-fast").submission
    until = states.later(now(), 6 * 3600)
    for name in (first, long, short):  # in this order, with the first at work only now
        states.move(store, row(store, name), {"state": "queued", "deadline": until}, "x")
    states.move(store, row(store, first), {"state": "scoring", "deadline": states.later(now(), 1870)}, "x")
    most = []
    for workers in (0, 1, 2):
        for number in range(workers):
            lease = Lease(f"{states.WORKER}{number}/queued", f"{number}", until)
            store.writer.run(lambda rows, lease=lease: rows.put(lease)).result()
        with store.read() as snapshot:
            found = [Queue(snapshot).view(row(store, name)) for name in (long, short)]
        assert [each.ahead for each in found] == [1, 2]
        most.append([each.wait for each in found])
    minutes, hours = 30 * 60 + states.GRACE, 2 * 3600 + states.GRACE
    assert most[0] == pytest.approx([6 * 3600] * 2, abs=60)  # nobody works
    assert most[1:] == [[minutes + hours, 2 * minutes + hours], [hours, 2 * minutes]]


def test_what_is_not_taken_further_ends(store):
    """Without any worker: every state ends by its deadline, lost workers first put it back."""
    made = upload(store, "a.jsonl", GOOD).submission
    for attempt in (1, 2, 3):
        found = row(store, made)
        assert states.move(store, found, {"state": "checking", "attempts": attempt, "deadline": None}, "lost")
        assert states.sweep(store, now()) == [made]
        assert row(store, made).state == ("received" if attempt < 3 else "failed")
    assert "lost 3 times" in row(store, made).reason
    for state in states.LIVE:
        other = upload(store, f"{state}.jsonl", GOOD).submission
        states.move(store, row(store, other), {"state": state, "deadline": states.later(now(), 60)}, "x")
        with store.leases() as connection:
            connection.claim([state], "somebody", states.later(now(), 600), now())
        assert states.sweep(store, now()) == []
        assert states.sweep(store, states.later(now(), 61)) == [other]
        found = row(store, other)
        if state == "pooled":
            assert (found.state, found.reason[:24]) == (state, "the assessment has not e")  # everybody is told
            assert states.sweep(store, states.later(now(), 86_400)) == []
            assert states.sweep(store, states.later(now(), 86_400 + 62)) == [other]
            assert row(store, other).reason == "never scored"
        if state == "received":
            assert found.state == state  # its bytes are on the disk: it is queued again, once, in its place
            assert found.reason == "not checked in time, queued again"
            with store.leases() as connection:  # whoever held it holds it no longer
                assert connection.claim([state], "another", states.later(now(), 600), now()) == other
                connection.release(other)
            assert states.sweep(store, states.later(now(), 6 * 3600)) == []
            assert states.sweep(store, states.later(now(), 6 * 3600 + 62)) == [other]
        assert row(store, other).state == "failed"


def test_what_was_received_has_half_a_minute(store):
    """The receipt says so; what is queued again keeps its place before what came later."""
    first, second = (upload(store, f"{name}.jsonl", GOOD).submission for name in "ab")
    known = row(store, first)
    assert known.deadline == states.later(known.received, 30)
    assert states.sweep(store, states.later(known.received, 29)) == []
    assert set(states.sweep(store, states.later(row(store, second).received, 31))) == {first, second}
    third = upload(store, "c.jsonl", GOOD).submission
    with store.leases() as connection:
        claimed = [connection.claim(["received"], f"w{n}", states.later(now(), 60), now()) for n in range(3)]
    assert claimed == [first, second, third]
    with store.leases() as connection:
        connection.release()
    with working(store):
        assert {each.state for each in finished(store, first, second, third)} == {"scored"}


def test_a_lease_is_held_by_one(store):
    names = {upload(store, f"{n}.jsonl", GOOD).submission for n in range(3)}
    with store.leases() as connection:
        at, until = now(), states.later(now(), 60)
        claimed = [connection.claim(["received"], f"w{n}", until, at) for n in range(4)]
        assert set(claimed) == {*names, None}
        assert connection.renew(claimed[0], "w0", until)
        assert not connection.renew(claimed[0], "w1", until)
        assert connection.claim(["received"], "w9", until, states.later(until, 1)) == claimed[0]
        connection.release(claimed[0], "w0")
        assert connection.renew(claimed[0], "w9", until)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"score": ["ner", "score", "{gld}"]}, "{gold}"),
        ({"score": ["score", "my.module:metric", "{gold}"]}, "--trust-code"),
        ({"score": ["serve", "run", "x"]}, "not an adjudge command"),
        ({"score": []}, "not an adjudge command"),
        ({"score": ["ner"], "limits": {"wall": "3 weeks"}}, "3 weeks"),
        ({"score": ["ner"], "isolate": "docker"}, "bwrap"),
        ({"score": ["ner"], "scroe": 1}, "scroe"),
    ],
)
def test_settings_that_mean_nothing(table, said):
    with pytest.raises(AdjudgeError, match=said.replace("{", r"\{")):
        parse_settings("x", {"task": "ner", **table})


def test_presets_are_commands_that_exist(capsys):
    """For every task: the lines parse, and only files are missing."""
    from adjudge.cli import main
    from adjudge.cli.serve_tracks import preset, tasks

    for task in tasks():
        lines, _ = preset(task, ["metric=ner.strict"] if task == "score" else [])
        for line in lines.values():
            with pytest.raises(SystemExit) as ended:
                main([part.replace("{name}={system}", "x=none").strip("{}") for part in line])
            said = capsys.readouterr()
            assert ended.value.code in (1, 2), line
            assert "no such file" in said.out.lower() + said.err.lower(), (line, said)
