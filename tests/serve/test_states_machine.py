"""Submissions against a dictionary: whatever teams, workers and the clock do in whatever order, both say the same."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from adjudge.serve import intake, jobs, states
from adjudge.serve.child import Ended
from adjudge.serve.messages import Fault
from adjudge.serve.store import Store, writer
from adjudge.serve.store.care import rebuild, verify
from adjudge.serve.store.tables import Outcome, Submission
from serve.postgres import memory
from serve.tracks import fill, upload

START = "2026-12-01T00:00:00.000000Z"
FINDINGS = b'{"errors": %d, "warnings": 0, "findings": []}'
SECONDS = {"received": 30, "checking": 120 + states.GRACE, "queued": 3600, "scoring": 1800 + states.GRACE}
ENDS = {  # of a child, and what a check and a score make of it
    "good": (Ended(0, "", FINDINGS % 0, b"", 0.1), "queued", "scored"),
    "bad": (Ended(1, "", FINDINGS % 2, b"wrong\n", 0.1), "invalid", "failed"),
    "gone": (Ended(None, "it took too long", b"", b"", 0.1), "failed", "failed"),
    "nonsense": (Ended(2, "", b"?", b"", 0.1), "failed", "failed"),
}
LIMITS = {"runs": 2, "queue": "1 h"}


class Machine(RuleBasedStateMachine):
    """Each rule does something to the store, and to a dictionary of what should be there."""

    new_database: Callable[[], str | None]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(dir=memory())
        place = Path(self.folder.name)
        self.store = Store.open(place / "s", type(self).new_database())
        fill(self.store, place, LIMITS)
        self.at = START
        self.rows: dict[str, dict[str, Any]] = {}
        self.count = 0

    def put(self, key: str, state: str, *, again: bool = False, **more: Any) -> None:
        self.count += 1
        seconds = 3600 if again else SECONDS.get(state)
        deadline = None if seconds is None else states.later(self.at, seconds)
        row = self.rows.setdefault(key, {})
        since = row["since"] if again else self.count
        row.update(state=state, deadline=deadline, since=since, again=again, **more)
        if state == "scored":
            own = self.rows[key]
            same = [each for each in self.rows.values() if (each["team"], each["name"]) == (own["team"], own["name"])]
            scored = [each for each in same if each["state"] == "scored"]
            for each in scored:
                if each["number"] < max(other["number"] for other in scored):
                    each["state"] = "superseded"

    def sweep(self, *, lost: bool) -> None:
        """What the sweep should do; `lost`: nobody holds anything."""
        for name, row in self.rows.items():
            if lost and row["state"] in ("checking", "scoring"):
                back = "received" if row["state"] == "checking" else "queued"
                self.put(name, back if row["attempts"] < 3 else "failed")
            elif row["deadline"] is not None and row["deadline"] < self.at:
                again = row["state"] == "received" and not row["again"]
                self.put(name, "received" if again else "failed", again=again)
        states.sweep(self.store, self.at)

    @rule(team=st.sampled_from(["fast", "slow"]), name=st.sampled_from("abc"), data=st.sampled_from([b"1", b"2"]))
    def hand_in(self, team: str, name: str, data: bytes) -> None:
        own = [row for row in self.rows.values() if row["team"] == team]
        held = [row for row in own if row["state"] in states.COUNTED]
        wanted = (team, name, data)
        same = [
            key
            for key, row in self.rows.items()
            if row["state"] in states.COUNTED and (row["team"], row["name"], row["data"]) == wanted
        ]
        if same:
            assert upload(self.store, name, data, team, self.at).submission == same[0]
        elif len({row["name"] for row in held} - {name}) >= 2:
            with pytest.raises(Fault, match="2 runs"):
                upload(self.store, name, data, team, self.at)
        else:
            made = upload(self.store, name, data, team, self.at).submission
            self.put(made, "received", team=team, name=name, data=data, number=len(own) + 1, attempts=0)

    @rule(
        kind=st.sampled_from(["received", "queued"]),
        how=st.sampled_from(["good", "good", "good", *ENDS]),
        during=st.sampled_from(["", "", "", "withdrawn", "lost", "late", "stopped"]),
    )
    def work(self, kind: str, how: str, during: str) -> None:
        """A worker does what is first in the queue; meanwhile something else may happen to it."""
        waiting = sorted((row["since"], key) for key, row in self.rows.items() if row["state"] == kind)
        runner = jobs.Runner(self.store, 0, checks=0)
        ended, checked, scored = ENDS[how]
        state, becomes = ("checking", checked) if kind == "received" else ("scoring", scored)

        def run(one: Any, _needed: Any) -> Ended:
            if one.module:
                return Ended(0, "", b'{"value": 0.5}', b"", 0.1)
            (one.folder / ".out" / ("findings.json" if kind == "received" else "result.json")).write_bytes(ended.output)
            name = waiting[0][1]
            self.put(name, state, attempts=self.rows[name]["attempts"] + 1)
            if during == "withdrawn":
                intake.withdraw(self.store, name, self.at, "of")
                self.put(name, "withdrawn")
            elif during == "lost":
                self.at = states.later(self.at, states.LEASE + 1)
                self.sweep(lost=True)
            elif during == "late":
                self.at = states.later(self.at, SECONDS[state] + 1)
                with self.store.leases() as connection:
                    assert connection.renew(name, "worker", states.later(self.at, states.LEASE))
                self.sweep(lost=False)
            elif during == "stopped":
                runner._ended.set()
                self.put(name, kind, attempts=self.rows[name]["attempts"] - 1)
            else:
                again = {"attempts": 0} if becomes == "queued" else {}
                self.put(name, becomes, **again)
            return ended

        with patch.object(jobs.child, "run", run), patch.object(jobs, "now", lambda: self.at):
            assert runner.work([kind], "worker") == bool(waiting)
        runner.stop()

    @rule(seconds=st.sampled_from([1, 100, 2000, 4000]))
    def wait(self, seconds: int) -> None:
        self.at = states.later(self.at, seconds)
        self.sweep(lost=True)  # nobody is at work between two rules

    @rule(draw=st.data())
    def withdraw(self, draw: st.DataObject) -> None:
        if self.rows:
            name = draw.draw(st.sampled_from(list(self.rows)))  # as they came: names are random
            if self.rows[name]["state"] in states.COUNTED:
                intake.withdraw(self.store, name, self.at, "of")
                self.put(name, "withdrawn")
            else:
                with pytest.raises(Fault, match="this run is"):
                    intake.withdraw(self.store, name, self.at, "of")

    @invariant()
    def same(self) -> None:
        names = ("state", "deadline", "number", "attempts")
        with self.store.read() as snapshot:
            found = {row.id: {name: getattr(row, name) for name in names} for row in snapshot.find(Submission)}
            scored = [each.submission for each in snapshot.find(Outcome) if each.state == "scored"]
        assert found == {key: {name: row[name] for name in names} for key, row in self.rows.items()}
        for key in scored:
            assert self.rows[key]["state"] in ("scored", "superseded", "withdrawn")

    def teardown(self) -> None:
        for _ in range(2):
            self.at = states.later(self.at, 100_000)
            self.sweep(lost=True)
        with self.store.read() as snapshot:
            assert states.live(snapshot) == []
        assert verify(self.store).problems == []
        assert rebuild(self.store) == []
        self.store.close()
        self.folder.cleanup()


def test_submissions_against_a_dictionary(
    new_database: Callable[[], str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = count()
    monkeypatch.setattr(writer, "now", lambda: states.later(START, next(ticks)))  # a clock that never goes back
    made = type("On", (Machine,), {"new_database": staticmethod(new_database)})
    examples = 15 if new_database() is None else 2
    run_state_machine_as_test(made, settings=settings(max_examples=examples, stateful_step_count=25, deadline=None))
