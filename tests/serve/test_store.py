"""What the store promises: acknowledged is written, repeated is written once, conflicts are seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.serve.store import Conflict, Store, Write, Written, stream_of


def judge(reader: str, item: str, answers: dict[str, str], key: str, expect: int | None = None) -> Write:
    body = {"answers": answers, "complete": True, "ms": 900}
    return Write(stream_of("autumn", "d1", reader), "judge", item, body, reader, key, expect)


def organise(kind: str, body: dict, key: str) -> Write:
    return Write("c/autumn", kind, "autumn", body, "olga", key)


@pytest.fixture
def store(tmp_path: Path, database: str | None):
    with Store.open(tmp_path, database) as store:
        items = [{"id": f"i{n}", "scope": "d1", "ord": n, "body": {"type": "Attack"}} for n in range(3)]
        store.write(
            [
                organise("campaign", {"settings": {"name": "Autumn"}}, "1"),
                organise("scope", {"scopes": [{"id": "d1"}]}, "2"),
                organise("pool", {"items": items}, "3"),
            ]
        )
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
