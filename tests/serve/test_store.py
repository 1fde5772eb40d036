"""What the store promises: acknowledged is written, repeated is written once, conflicts are seen."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from adjudge.serve.store import Conflict, Store, StoreError, Write, Written, stream_of
from adjudge.serve.store.tables import Secret
from serve.campaigns import fill, judge, organise


@pytest.fixture
def store(tmp_path: Path, database: str | None) -> Iterator[Store]:
    with Store.open(tmp_path, database) as store:
        fill(store)
        yield store


def test_a_judgment_is_there_after_it_was_acknowledged(store: Store) -> None:
    (written,) = store.write([judge("ann", "i1", {"aet": "C"}, "t1", 0)])
    assert isinstance(written, Written)
    assert (written.n, written.version, written.repeated) == (1, 1, False)
    with store.read() as snapshot:
        (row,) = snapshot.judgments("autumn", "d1", "ann")
        assert (row.item, row.answers, row.version) == ("i1", {"aet": "C"}, 1)


def test_a_repeated_key_gets_the_first_answer_and_another_use_of_it_is_a_conflict(store: Store) -> None:
    (first,) = store.write([judge("ann", "i1", {"aet": "C"}, "t1", 0)])
    store.write([judge("ann", "i1", {"aet": "W"}, "t2", 1)])
    again, other = store.write([judge("ann", "i1", {"aet": "C"}, "t1", 0), judge("ann", "i2", {"aet": "C"}, "t1", 0)])
    assert (again.n, again.hash, again.version, again.repeated) == (first.n, first.hash, first.version, True)
    assert isinstance(other, Conflict)
    assert other.reason == "key"


def test_a_write_that_saw_an_older_version_gets_the_row_as_it_is(store: Store) -> None:
    store.write([judge("ann", "i1", {"aet": "C"}, "a1", 0)])
    stale, fine = store.write([judge("ann", "i1", {"aet": "W"}, "b1", 0), judge("ann", "i2", {"aet": "W"}, "b2", 0)])
    assert isinstance(stale, Conflict)
    assert (stale.reason, stale.current["answers"], stale.current["version"]) == ("version", {"aet": "C"}, 1)
    assert fine.version == 1


def test_many_at_once_get_their_own_answers(store: Store) -> None:
    def save(number: int) -> Written | Conflict:
        return store.write([judge(f"r{number}", "i1", {"aet": "C"}, "t1", 0)])[0]

    with ThreadPoolExecutor(16) as people:
        results = list(people.map(save, range(100)))
    assert {(type(result), result.version) for result in results} == {(Written, 1)}
    with store.read() as snapshot:
        assert len(snapshot.judgments("autumn", "d1")) == 100
        assert snapshot.last() == 103


def test_of_two_tabs_that_saw_the_same_version_one_wins(store: Store) -> None:
    def save(tab: int) -> Written | Conflict:
        return store.write([judge("ann", "i1", {"aet": "CW"[tab % 2]}, f"tab{tab}", 0)])[0]

    with ThreadPoolExecutor(8) as tabs:
        results = list(tabs.map(save, range(8)))
    assert sum(isinstance(result, Written) for result in results) == 1


def test_a_request_that_cannot_be_done_spoils_nothing_but_itself(store: Store) -> None:
    futures = [store.submit([judge("ann", item, {"aet": "C"}, f"t{item}", 0)]) for item in ("i1", "nowhere", "i2")]
    assert isinstance(futures[0].result()[0], Written)
    with pytest.raises(LookupError, match="nowhere"):
        futures[1].result()
    assert isinstance(futures[2].result()[0], Written)
    with store.read() as snapshot:
        assert [row.item for row in snapshot.judgments("autumn")] == ["i1", "i2"]


def test_a_conflict_where_none_is_expected_is_raised_after_the_rest_is_written(store: Store) -> None:
    (first,) = store.append([judge("ann", "i1", {"aet": "C"}, "t1", 0)])
    assert (first.version, first.repeated) == (1, False)
    with pytest.raises(Conflict):
        store.append([judge("ann", "i1", {"aet": "W"}, "t2", 0), judge("ann", "i2", {"aet": "W"}, "t3", 0)])
    with store.read() as snapshot:
        assert {row.item: row.answers["aet"] for row in snapshot.judgments("autumn")} == {"i1": "C", "i2": "W"}


def test_an_undo_goes_back_step_by_step(store: Store) -> None:
    for number, value in enumerate("CWI"):
        store.write([judge("ann", "i1", {"aet": value}, f"t{number}", number)])
    seen = []
    for number in range(3):
        with store.read() as snapshot:
            before = snapshot.before("autumn", "d1", "ann", "i1")
        body = {"answers": before.body["answers"] if before else {}}
        seen.append(body["answers"].get("aet"))
        store.write([Write(stream_of("autumn", "d1", "ann"), "undo", "i1", body, "ann", f"u{number}", number + 3)])
    assert seen == ["W", "C", None]


def test_what_cannot_be_stored_is_refused_before_it_is_tried(store: Store) -> None:
    with pytest.raises(ValueError, match="no such kind"):
        store.submit([organise("shred", {}, "x")])
    with pytest.raises(ValueError, match="cannot be stored"):
        store.submit([judge("ann", "i1\0", {}, "x")])
    with pytest.raises(ValueError, match="surrogates"):
        store.submit([judge("ann", "i1\ud800", {}, "x")])


def test_a_snapshot_does_not_see_what_comes_after_it(store: Store) -> None:
    with store.read() as snapshot:
        assert snapshot.judgments("autumn") == []
        store.write([judge("ann", "i1", {"aet": "C"}, "t1", 0)])
        assert snapshot.judgments("autumn") == []


def test_a_secret_can_be_used_once(store: Store) -> None:
    for name, expires in (("once", None), ("old", "2020-01-01T00:00:00Z")):
        store.add_secret(Secret(name, "ann", "invite", "autumn", expires, None, None))
    with ThreadPoolExecutor(8) as people:
        got = list(people.map(lambda _: store.use_secret("once"), range(8)))
    assert [secret.person for secret in got if secret] == ["ann"]
    assert store.use_secret("old") is None
    assert store.use_secret("unknown") is None
    assert store.drop_secrets(person="ann", kind="session") == 0
    assert store.drop_secrets(person="ann") == 2
    with store.read() as snapshot:
        assert snapshot.secrets("ann") == []


def test_a_store_for_reading_takes_nothing(store: Store) -> None:
    with Store.open(store.folder, store.url, read_only=True) as reader:
        with reader.read() as snapshot:
            assert len(snapshot.items("autumn", "d1")) == 3
        with pytest.raises(StoreError, match="reading only"):
            reader.write([judge("ann", "i1", {"aet": "C"}, "t1", 0)])


def test_two_processes_may_write_to_one_store(store: Store) -> None:
    """As a command does while a server runs."""
    with Store.open(store.folder, store.url) as other:
        for number in range(5):
            for each in (store, other):
                (result,) = each.write([judge("ann", "i1", {"aet": "C"}, f"{id(each)}-{number}")])
                assert isinstance(result, Written)
    with store.read() as snapshot:
        assert [event.n for event in snapshot.events("c/autumn/d1/ann")] == list(range(1, 11))
