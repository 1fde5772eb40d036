"""The store against a dictionary: whatever is written in whatever order, both say the same, on both databases."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from adjudge.serve.store import ASSESS, DECIDED, Conflict, Store, Write, Written, stream_of
from adjudge.serve.store.care import backup, rebuild, restore, verify
from serve.postgres import memory

ITEMS = [f"i{n}" for n in range(3)]  # even ones are of d0, odd ones of d1
READERS = ["ann", "ben"]
items = st.sampled_from(ITEMS)
readers = st.sampled_from(READERS)
answers = st.fixed_dictionaries({"aet": st.sampled_from("CWI")}, optional={"why": st.text(max_size=3)})
bodies = st.dictionaries(st.sampled_from("abc"), st.dictionaries(st.sampled_from("xy"), st.integers(0, 3)), max_size=3)
seen = st.sampled_from(["right", "right", "right", "stale", "any"])  # what the writer knows of the row


def scope_of(item: str) -> str:
    return f"d{int(item[1:]) % 2}"


def patched(value: Any, patch: Any) -> Any:
    """RFC 7396, as it is written there."""
    if isinstance(patch, dict):
        value = dict(value) if isinstance(value, dict) else {}
        for name, part in patch.items():
            if part is None:
                value.pop(name, None)
            else:
                value[name] = patched(value.get(name), part)
        return value
    return patch


class Machine(RuleBasedStateMachine):
    """Each rule writes, and does the same to a dictionary of rows."""

    new_database: Callable[[], str | None]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(dir=memory())
        self.url = type(self).new_database()
        self.store = Store.open(Path(self.folder.name) / "s", self.url)
        self.rows: dict[tuple[str, ...], Any] = {}  # ("judgment", item, reader) to version, value; and so on
        self.pool: dict[str, bool] = {}  # item to whether it was withdrawn
        self.stage = {"d0": ASSESS, "d1": ASSESS}
        self.ms: dict[tuple[str, str], int] = {}
        self.frozen = False
        self.count = 0
        self.done: list[tuple[Write, Written]] = []

    def teardown(self) -> None:
        """At the end the store is verified, made again from its events, and restored from a backup."""
        try:
            found = verify(self.store)
            assert found.problems == []
            assert found.events == len(self.done)
            assert rebuild(self.store) == []
            place = Path(self.folder.name)
            assert backup(self.store, place / "saved") == len(self.done)
            assert restore(place / "saved", place / "again", type(self).new_database()) == len(self.done)
        finally:
            self.store.close()
            self.folder.cleanup()

    def write(self, stream: str, kind: str, subject: str, body: dict[str, Any], expect: int | None = None) -> bool:
        """Write, and see that it was acknowledged, unless the campaign is frozen."""
        self.count += 1
        write = Write(stream, kind, subject, body, "ann", f"k{self.count}", expect)
        (result,) = self.store.write([write])
        if self.frozen and kind not in ("freeze", "comment", "look"):
            assert isinstance(result, Conflict)
            assert result.reason == "frozen"
            return False
        assert isinstance(result, Written), result
        self.done.append((write, result))
        return True

    def versioned(self, where: tuple[str, ...], how: str, stream: str, kind: str, body: dict[str, Any]) -> bool:
        """Write a row that has a version, having seen the right one or not."""
        version = self.rows.get(where, (0, None))[0]
        subject = where[-2] if kind in ("judge", "undo") else where[-1]
        if how != "stale":
            return self.write(stream, kind, subject, body, None if how == "any" else version)
        self.count += 1
        (result,) = self.store.write([Write(stream, kind, subject, body, "ann", f"k{self.count}", version + 1)])
        assert isinstance(result, Conflict)
        assert result.reason == "version"
        assert result.current.get("version", 0) == version
        return False

    @initialize()
    def begin(self) -> None:
        self.write("c/x", "campaign", "x", {"settings": {"a": 1}})
        self.write("c/x", "scope", "x", {"scopes": [{"id": "d0"}, {"id": "d1", "ord": 1}]})
        self.more(ITEMS[:2])

    @rule(names=st.lists(items, min_size=1, max_size=3))
    def more(self, names: list[str]) -> None:
        added = [{"id": name, "scope": scope_of(name), "body": {"n": name}, "origins": ["s1"]} for name in names]
        if self.write("c/x", "pool", "x", {"items": added}):
            self.pool |= dict.fromkeys(names, False)

    @rule(name=items)
    def withdraw(self, name: str) -> None:
        if name in self.pool and self.write("c/x", "withdraw", "x", {"items": [name]}):
            self.pool[name] = True

    @rule(
        name=items,
        reader=readers,
        given=answers,
        complete=st.booleans(),
        how=seen,
        kind=st.sampled_from(["judge", "undo"]),
    )
    def judge(self, name: str, reader: str, given: dict[str, str], complete: bool, how: str, kind: str) -> None:
        if name not in self.pool:
            return
        where = ("judgment", name, reader)
        body = {"answers": given, "complete": complete, "ms": 10}
        if self.versioned(where, how, stream_of("x", scope_of(name), reader), kind, body):
            self.rows[where] = (self.rows.get(where, (0,))[0] + 1, given, complete)
            self.ms[name, reader] = self.ms.get((name, reader), 0) + 10

    @rule(name=items, reader=readers, flag=st.sampled_from([None, "look"]))
    def flag(self, name: str, reader: str, flag: str | None) -> None:
        if name in self.pool and self.write(stream_of("x", scope_of(name), reader), "flag", name, {"flag": flag}):
            self.rows["flag", name, reader] = flag

    @rule(name=items, reader=readers, text=st.text(max_size=5))
    def comment(self, name: str, reader: str, text: str) -> None:
        if name in self.pool and self.write(stream_of("x", scope_of(name), reader), "comment", name, {"text": text}):
            self.rows.setdefault(("comments", name, reader), []).append(text)

    @rule(
        scope=st.sampled_from(["d0", "d1"]),
        kind=st.sampled_from(["group", "link"]),
        reader=readers,
        body=bodies,
        how=seen,
    )
    def group(self, scope: str, kind: str, reader: str, body: dict[str, Any], how: str) -> None:
        where = ("grouping", scope, reader, kind)
        given = {"body": body, "items": 4, "done": len(body), "ms": 5}
        if self.versioned(where, how, stream_of("x", scope, reader), kind, given):
            version, _, _, ms = self.rows.get(where, (0, {}, 0, 0))
            self.rows[where] = (version + 1, body, len(body), ms + 5)

    @rule(scope=st.sampled_from(["d0", "d1"]), reader=readers, patch=bodies, gone=st.sampled_from("abc"))
    def patch(self, scope: str, reader: str, patch: dict[str, Any], gone: str) -> None:
        where = ("grouping", scope, reader, "group")
        patch = {**patch, gone: None}
        version, body, done, ms = self.rows.get(where, (0, {}, 0, 0))
        if self.write(stream_of("x", scope, reader), "group", "group", {"patch": patch}, version):
            self.rows[where] = (version + 1, patched(body, patch), done, ms)

    @rule(name=items, given=answers, how=seen)
    def decide(self, name: str, given: dict[str, str], how: str) -> None:
        if name not in self.pool:
            return
        where = ("decision", scope_of(name), name)
        body = {"stage": ASSESS, "answers": given, "how": "adjudicated", "why": "so"}
        if self.versioned(where, how, stream_of("x", scope_of(name), DECIDED), "decide", body):
            self.rows[where] = (self.rows.get(where, (0,))[0] + 1, given)

    @rule(scope=st.sampled_from(["d0", "d1"]), given=answers, next_=st.sampled_from(["group", "link", "done"]))
    def decide_all(self, scope: str, given: dict[str, str], next_: str) -> None:
        names = [name for name in self.pool if scope_of(name) == scope]
        body = {"decisions": dict.fromkeys(names, given), "how": "agreed", "next": next_}
        if self.write(stream_of("x", scope, DECIDED), "decide", ASSESS, body):
            self.stage[scope] = next_
            for name in names:
                where = ("decision", scope, name)
                self.rows[where] = (self.rows.get(where, (0,))[0] + 1, given)

    @rule(scope=st.sampled_from(["d0", "d1"]), stage=st.sampled_from([ASSESS, "group"]))
    def reopen(self, scope: str, stage: str) -> None:
        if self.write(stream_of("x", scope, DECIDED), "reopen", stage, {"why": "late"}):
            self.stage[scope] = stage

    @rule(name=items)
    def freeze(self, name: str) -> None:
        self.write("c/x", "freeze", "x", {})
        self.frozen = True
        self.more([name])
        self.frozen = False
        self.write("c/x", "freeze", "x", {"frozen": False})

    @rule(scope=st.sampled_from(["d0", "d1"]), reader=readers, finish=st.booleans())
    def work(self, scope: str, reader: str, finish: bool) -> None:
        where = ("assignment", scope, reader)
        version = self.rows.get(where, (0, ""))[0]
        if finish:
            if self.write(stream_of("x", scope, reader), "finish", ASSESS, {}, version):
                self.rows[where] = (version + 1, "finished")
        elif self.write("c/x", "assign", "x", {"add": [{"scope": scope, "stage": ASSESS, "reader": reader}]}):
            self.rows[where] = (version + 1, self.rows.get(where, (0, "open"))[1])

    @rule(data=st.data())
    def repeat(self, data: st.DataObject) -> None:
        """What was acknowledged is sent again, some of it, in any order and in one request: nothing happens."""
        some = data.draw(st.lists(st.sampled_from(self.done), min_size=1, max_size=4))
        for (_, first), again in zip(some, self.store.write([write for write, _ in some]), strict=True):
            assert isinstance(again, Written)
            assert again.repeated
            assert (again.n, again.hash, again.version, again.seq) == (first.n, first.hash, first.version, first.seq)

    @invariant()
    def same(self) -> None:
        with self.store.read() as snapshot:
            found: dict[tuple[str, ...], Any] = {}
            ms = {}
            for row in snapshot.judgments("x"):
                found["judgment", row.item, row.reader] = (row.version, row.answers, row.complete)
                ms[row.item, row.reader] = row.ms
            for note in snapshot.notes("x"):
                if ("flag", note.item, note.reader) in self.rows:
                    found["flag", note.item, note.reader] = note.flag
                if note.comments:
                    found["comments", note.item, note.reader] = [comment["text"] for comment in note.comments]
            for group in snapshot.groupings("x"):
                found["grouping", group.scope, group.reader, group.stage] = (
                    *(group.version, group.body, group.done),
                    group.ms,
                )
            for decision in snapshot.decisions("x"):
                found["decision", decision.scope, decision.subject] = (decision.version, decision.answers)
            for work in snapshot.assignments("x"):
                found["assignment", work.scope, work.reader] = (work.version, work.state)
            assert found == self.rows
            assert ms == self.ms
            assert {item.id: item.withdrawn is not None for item in snapshot.items("x", withdrawn=True)} == self.pool
            assert {scope.id: scope.stage for scope in snapshot.scopes("x")} == self.stage
            for tally in snapshot.tally("x"):
                if tally.stage == ASSESS:
                    assert (tally.items, tally.done, tally.flags, tally.ms) == self.counted(tally.scope, tally.reader)
            assert snapshot.last() == len(self.done)

    def counted(self, scope: str, reader: str) -> tuple[int, int, int, int]:
        names = [name for name, withdrawn in self.pool.items() if scope_of(name) == scope and not withdrawn]
        if reader == DECIDED:
            return len(names), sum(("decision", scope, name) in self.rows for name in names), 0, 0
        done = sum(self.rows.get(("judgment", name, reader), (0, {}, False))[2] for name in names)
        flags = sum(self.rows.get(("flag", name, reader)) is not None for name in names)
        return len(names), done, flags, sum(self.ms.get((name, reader), 0) for name in names)


def test_the_store_does_what_a_dictionary_does(new_database: Callable[[], str | None]) -> None:
    machine = type("Here", (Machine,), {"new_database": staticmethod(new_database)})
    number = 20 if new_database() is None else 4
    run_state_machine_as_test(machine, settings=settings(max_examples=number, stateful_step_count=40, deadline=None))
