"""What can happen to a store: its server is killed, its disk is full or read-only, its clock goes back."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudge.errors import UsageError
from adjudge.serve.store import Store, StoreError, Written, sql, writer
from adjudge.serve.store.care import rebuild, verify
from adjudge.serve.store.tables import Judgment
from serve.campaigns import fill, judge
from serve.kills import kill_often


def test_what_was_acknowledged_survives_servers_that_are_killed(tmp_path: Path, database: str | None) -> None:
    """A short form of `make test-serve`."""
    acknowledged, _ = kill_often(tmp_path, database, kills=3, writers=20, seed=5)
    assert acknowledged >= 3


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(tmp_path)]
    done = subprocess.run(mount, check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"a disk cannot be mounted here: {done.stderr.strip()}")
    try:
        yield tmp_path
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_full_disk_refuses_and_loses_nothing(disk: Path) -> None:
    with Store.open(disk) as store:
        fill(store)
        (disk / "filler").write_bytes(bytes(1 << 20))
        acknowledged, refused = 0, 0
        for number in range(400):
            try:
                (result,) = store.write([judge("ann", "i1", {"why": "x" * 5000}, f"t{number}")])
                assert isinstance(result, Written)
                acknowledged += 1
            except StoreError:
                refused += 1
                if refused == 3:
                    break
        assert acknowledged
        assert refused == 3
        (disk / "filler").unlink()
        (result,) = store.write([judge("ann", "i1", {"why": "room"}, "after")])
        assert isinstance(result, Written)
        assert result.version == acknowledged + 1
        assert verify(store).problems == []


def test_a_disk_that_is_read_only_can_be_read_but_not_served(disk: Path) -> None:
    with Store.open(disk) as store:
        fill(store)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    with pytest.raises(UsageError, match="not read-only"):
        Store.open(disk)
    with Store.open(disk, read_only=True) as store, store.read() as snapshot:
        assert len(snapshot.items("autumn")) == 3


def test_a_clock_that_goes_back_changes_no_order(
    tmp_path: Path, database: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([f"2026-11-{day:02}T00:00:00.000000Z" for day in range(28, 0, -1)])
    monkeypatch.setattr(writer, "now", lambda: next(times))
    with Store.open(tmp_path, database) as store:
        fill(store)
        for number in range(3):
            store.write([judge("ann", "i1", {"n": str(number)}, f"t{number}", number)])
        with store.read() as snapshot:
            events = snapshot.events("c/autumn/d1/ann")
            assert [event.body["answers"]["n"] for event in events] == ["0", "1", "2"]
            assert snapshot.get(Judgment, "autumn", "i1", "ann").answers == {"n": "2"}
        found = verify(store)
        assert (found.problems, found.clock) == ([], 5)
        assert rebuild(store) == []


def test_a_second_server_on_sqlite_is_refused_and_a_command_is_not(tmp_path: Path) -> None:
    with Store.open(tmp_path, server=True):
        with pytest.raises(UsageError, match=rf"running on it already \(process {os.getpid()}\)"):
            Store.open(tmp_path, server=True)
        Store.open(tmp_path).close()
    Store.open(tmp_path, server=True).close()


def test_two_servers_share_a_postgresql_database(tmp_path: Path, postgres) -> None:
    url = postgres.url()
    with Store.open(tmp_path / "a", url, server=True) as one, Store.open(tmp_path / "a", url, server=True) as other:
        fill(one)
        assert isinstance(other.write([judge("ann", "i1", {}, "t1", 0)])[0], Written)


def test_a_connection_that_was_lost_is_made_again(tmp_path: Path, postgres) -> None:
    import psycopg

    with Store.open(tmp_path, postgres.url()) as store:
        fill(store)
        with store.read() as snapshot:
            assert snapshot.last() == 3
        with psycopg.connect(store.url, autocommit=True) as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        assert isinstance(store.write([judge("ann", "i1", {}, "t1", 0)])[0], Written)
        with store.read() as snapshot:
            assert snapshot.last() == 4


def test_a_disk_of_the_network_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda / ext4 rw 0 0\nserver:/home {tmp_path}/home nfs4 rw 0 0\n")
    monkeypatch.setattr(sql, "MOUNTS", mounts)
    with pytest.raises(UsageError, match=r"a network disk \(nfs4\).*PostgreSQL"):
        Store.open(tmp_path / "home" / "autumn")
    Store.open(tmp_path / "homely").close()


def test_events_cannot_be_changed_or_removed(tmp_path: Path, database: str | None) -> None:
    statements = [
        "UPDATE event SET actor = 'eve'",
        "DELETE FROM event WHERE seq = 3",
        "REPLACE INTO event SELECT * FROM event WHERE seq = 3",
    ]
    with Store.open(tmp_path, database) as store:
        fill(store)
    connection = sql.connect(tmp_path, database)
    for statement in statements[: 2 if database else 3] + ["TRUNCATE event"] * bool(database):
        with pytest.raises(Exception, match=r"append-only|permission denied"):
            connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE event SET actor = 'eve' WHERE seq = 4", r"event 4 .*was changed"),
        ("UPDATE event SET body = '{\"answers\": {}}' WHERE seq = 5", r"event 5 .*was changed"),
        ("DELETE FROM event WHERE seq = 4", r"1 events before it are missing"),
        ("DELETE FROM event WHERE seq = 6", r"stream c/autumn/d1/ann: there is no event 3 with the hash"),
        (
            "UPDATE judgment SET answers = '{}'",
            r"table judgment: 1 row not as the events say, the first is autumn/i1/ann",
        ),
        ("DELETE FROM judgment", r"table judgment: 1 row not as the events say, the first is autumn/i1/ann"),
        (
            "UPDATE tally SET done = done + 1",
            r"table tally: 2 rows not as the events say, the first is autumn/d1/assess/=decided",
        ),
    ],
)
def test_verify_finds_any_change(tmp_path: Path, database: str | None, change: str, says: str) -> None:
    with Store.open(tmp_path, database) as store:
        fill(store)
        for number in range(3):
            store.write([judge("ann", "i1", {"n": str(number)}, f"t{number}", number)])
        with store.read() as snapshot:
            heads = snapshot.heads()
        assert verify(store, heads).problems == []
        unlock(store)
        connection = sql.connect(tmp_path, database)
        connection.execute(change)
        connection.close()
        problems = "\n".join(map(str, verify(store, heads).problems))
        assert problems
        assert re.search(says, problems), problems
        if "event" not in change:
            assert rebuild(store) == [change.split()[1] if change[0] == "U" else "judgment"]
            assert verify(store, heads).problems == []


def unlock(store: Store) -> None:
    """What somebody would do who wants to change events and has the rights."""
    connection = sql.connect(store.folder, store.url)
    if store.url:
        connection.execute("ALTER TABLE event DISABLE TRIGGER ALL")
        connection.execute("GRANT ALL ON event TO CURRENT_USER")
    else:
        for name in ("update", "delete", "replace"):
            connection.execute(f"DROP TRIGGER event_{name}")
    connection.close()


def test_blobs_are_whole_or_missed(tmp_path: Path, database: str | None) -> None:
    with Store.open(tmp_path, database) as store:
        sha = store.put_blob(iter([b"Officers ", b"arrested"]), "text")
        assert store.put_blob(b"Officers arrested", "text") == sha
        assert store.get_blob(sha) == b"Officers arrested"
        assert verify(store).problems == []
        store.blob_file(sha).write_bytes(b"Officers arrestee")
        assert "is not what its name says" in str(verify(store).problems[0])
        with pytest.raises(ValueError, match="not a SHA-256"):
            store.get_blob("../../secret.key")


def test_the_log_of_sqlite_is_emptied_while_people_work(tmp_path):
    """Whoever commits does not wait for it; so the database file alone soon has everything."""
    with Store.open(tmp_path / "s") as store:
        fill(store)
        with store.read() as snapshot:
            wanted = snapshot.last()
        for _ in range(100):
            (tmp_path / "copy").mkdir(exist_ok=True)
            (tmp_path / "copy" / "serve.db").write_bytes((tmp_path / "s" / "serve.db").read_bytes())
            with Store.open(tmp_path / "copy", read_only=True) as copy, copy.read() as snapshot:
                if (found := snapshot.last()) == wanted:
                    break
            time.sleep(0.05)
    assert found == wanted
