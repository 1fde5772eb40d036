"""Submissions whose children fail in every way, on servers that are killed: each ends, and none that failed counts.

What a run says is what its child does: hang, fill the disk or the memory, print nonsense, be killed. Servers are killed
at random moments and started again, until everything has ended or should have.

    PYTHONPATH=tests python tests/serve/faults.py --count 10000 [--seed 1] [--postgres]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from adjudge.serve import child, intake, states
from adjudge.serve.jobs import SWEEP, Runner
from adjudge.serve.store import Store, now
from adjudge.serve.store.care import rebuild, verify
from adjudge.serve.store.tables import Submission
from adjudge.serve.tracks import add_member, parse_settings, set_phase, set_track
from serve.postgres import memory, running

WALL, SLACK = 3, 20.0  # seconds that a child has, and that a busy machine may be late
RUNS = 5
FINE = """{"errors": 0, "warnings": 0, "findings": []}"""
SCRIPT = """
what=$(cat "$2")
fine() { if [ "$1" = check ]; then echo '%s' > .out/findings.json
  else cp "$HOME/../../result.json" .out/result.json; fi; }
case "$1.$what" in
  score.slow) sleep 0.7; fine $1 ;;
  *.fine|*.slow|score.check-*|check.score-*) fine $1 ;;
  check.check-invalid) echo '{"errors": 3, "warnings": 0, "findings": []}' > .out/findings.json; exit 1 ;;
  *-nothing) exit 0 ;;
  *-nonsense) echo nonsense; echo nonsense > .out/result.json; echo nonsense > .out/findings.json ;;
  *-link) ln -s /etc/passwd .out/result.json; ln -s /etc/passwd .out/findings.json ;;
  *-hangs) sleep 1000 ;;
  *-killed) kill -9 $$ ;;
  *-stops) kill -STOP $$ ;;
  *-wrong) echo "no such thing" >&2; exit 2 ;;
  *-disk) while true; do head -c 1000000 /dev/zero >> .out/full || exit 1; done ;;
  *-many) n=0; while true; do n=$((n+1)); head -c 100000 /dev/zero > .out/full$n; done ;;
  *-memory) exec %s -I -S -c "x = [b'x' * 10**8 for _ in range(100)]" ;;
  *-prints) yes ;;
  *-leaves) sleep 1000 & exit 4 ;;
esac
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
ENDS = {"fine": "scored", "check-invalid": "invalid"}
HOW = ("nothing", "nonsense", "link", "hangs", "killed", "stops", "wrong", "disk", "many", "memory", "prints", "leaves")
KINDS = [*ENDS, *(f"{when}-{how}" for when in ("check", "score") for how in HOW)]
RARE = ("hangs", "stops", "many", "prints")  # as long as their time lasts


def prepare(folder: Path, url: str | None, count: int, seed: int) -> dict[str, str]:
    """A track, and so many runs of many teams: from each id to what it does."""
    draw = random.Random(seed)
    weights = [20 if kind == "fine" else 1 if kind.endswith(RARE) else 4 for kind in KINDS]
    limits = {"wall": f"{WALL} s", "check_wall": f"{WALL} s", "disk": "20 MB", "memory": "400 MB"}
    limits["check_memory"] = limits["memory"]
    lines = {"check": ["check", "{system}", "--format", "json"], "score": ["score", "{system}"], "report": []}
    made = {}
    with Store.open(folder, url) as store:
        settings = {"task": "x", **lines, "limits": {**limits, "runs": RUNS}}
        set_track(store, "x", parse_settings("x", settings))
        set_phase(store, "x", "main", {})
        blobs = {kind: store.put_blob(kind.encode(), "submission") for kind in KINDS}
        for number in range(count):
            if number % RUNS == 0:
                team = add_member(store, "x", f"team{number // RUNS}", "somebody")
            (kind,) = draw.choices(KINDS, weights)
            sent = intake.Upload("x", team, f"run{number}", blobs[kind], len(kind), now())
            made[intake.hand_in(store, sent, "somebody").submission] = kind
    return made


def pretend(folder: Path) -> None:
    """From now on children do what a run says."""
    from adjudge.cli import run

    script, result = folder / "child.sh", folder / "result.json"
    if not result.exists():
        gold = folder / "gold.jsonl"
        gold.write_text(json.dumps({"id": "d1", "entities": [{"span": {"start": 0, "end": 1}, "type": "P"}]}) + "\n")
        line = ["ner", "score", str(gold), f"x={gold}", "--reader", "jsonl", "--save", str(result), "--quiet"]
        assert run([*line, "--output", str(folder / "out")]) == 0
    script.write_text(SCRIPT.replace("$HOME/../../", f"{folder}/") % (FINE, sys.executable))
    child.PROGRAM = ("/bin/sh", str(script))


def serve(folder: Path, url: str | None, workers: int) -> None:
    """Work until killed."""
    pretend(folder)
    with Store.open(folder, url, server=True) as store, Runner(store, workers, checks=workers) as runner:
        sys.stdout.write(f"{runner.name}\n")
        sys.stdout.flush()
        while True:
            time.sleep(60)


def live(folder: Path, url: str | None) -> int:
    """How many have not ended."""
    places = ", ".join("?" * len(states.LIVE))
    with Store.open(folder, url) as store, store.leases() as connection:
        found = connection.select(f"SELECT count(*) FROM submission WHERE state IN ({places})", states.LIVE)
    return int(found[0][0])


def work_and_kill(folder: Path, url: str | None, seed: int, workers: int, most: float) -> int:
    """Servers that are killed, until nothing is left to do; how many there were."""
    draw, end, kills = random.Random(seed), time.monotonic() + most, 0
    arguments = [sys.executable, __file__, "--serve", str(folder), str(workers), *([url] if url else [])]
    temporary = folder / "tmp"  # what the last one leaves there goes with the folder
    temporary.mkdir(exist_ok=True)
    environment = {**ENVIRONMENT, "TMPDIR": str(temporary)}
    while live(folder, url):
        assert time.monotonic() < end, f"{live(folder, url)} have not ended"
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            assert process.stdout.readline()
            until = time.monotonic() + draw.uniform(2, 20)
            while time.monotonic() < until and live(folder, url):
                time.sleep(0.3)
            process.kill()
        kills += 1
    return kills


def check(folder: Path, url: str | None, made: dict[str, str], started: str) -> Counter:
    """Everything has ended as it should, in time; nothing that failed has a score or costs a run."""
    with Store.open(folder, url) as store:
        with store.read() as snapshot:
            rows = snapshot.find(Submission)
            events = [each for each in snapshot.events("t/x") if each.kind in ("submit", "state")]
        assert {row.id for row in rows} == set(made)
        for row in rows:
            lost = row.state == "failed" and "lost" in (row.reason or "")
            assert row.state == ENDS.get(made[row.id], "failed") or lost, (made[row.id], row)
            assert bool(row.score) == (row.state == "scored")
            assert row.reason or row.state == "scored"
        due: dict[str, str] = {}
        late = SWEEP + SLACK + len(rows) / 50  # all of them are due at once
        for event in events:
            if event.subject in due:
                # Nothing ends while no server has started.
                assert event.at <= states.later(max(due[event.subject], started), late), event
            due.pop(event.subject, None)
            if event.body.get("deadline"):
                due[event.subject] = event.body["deadline"]
        assert not due
        scored = [each.subject for each in events if each.body.get("state") == "scored"]
        assert len(scored) == len(set(scored)), "scored twice"
        for team in {row.team for row in rows}:
            own = [row for row in rows if row.team == team]
            assert states.counted(own) == sum(row.state == "scored" for row in own)
        assert verify(store).problems == []
        assert rebuild(store) == []
    return Counter(f"{row.state}: {(row.reason or '')[:60]}" for row in rows)


def main(count: int, seed: int, postgres: bool, workers: int) -> None:
    """All of it, on one database."""
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(running()).url() if postgres else None
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="adjudge-faults-", dir=memory())))
        begun = time.monotonic()
        made = prepare(folder, url, count, seed)
        started = now()
        kills = work_and_kill(folder, url, seed, workers, 600 + count)
        found = check(folder, url, made, started)
        took = time.monotonic() - begun
    for what, number in sorted(found.items()):
        sys.stdout.write(f"{number:6} {what}\n")
    kind = "PostgreSQL" if postgres else "SQLite"
    sys.stdout.write(f"{kind}: {count} submissions, {kills} servers killed, all ended, {took:.0f} s\n")


def command(folder: Path, arguments: list[str]) -> None:
    """A command of adjudge, with such children, and leases that end soon."""
    from adjudge.cli import main as adjudge
    from adjudge.serve import jobs

    pretend(folder)
    states.LEASE, jobs.RENEW, jobs.SWEEP = 4, 1.0, 0.5
    adjudge(arguments)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--command"]:
        command(Path(sys.argv[2]), sys.argv[3:])
    if sys.argv[1:2] == ["--serve"]:
        serve(Path(sys.argv[2]), sys.argv[4] if len(sys.argv) > 4 else None, int(sys.argv[3]))
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--postgres", action="store_true")
    given = parser.parse_args()
    main(given.count, given.seed, given.postgres, given.workers)
