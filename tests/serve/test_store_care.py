"""Backups, their restoration, older moments, and databases of other releases."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adjudge.errors import UsageError, ValidationError
from adjudge.serve.store import Store, Written, migrations, sql
from adjudge.serve.store.care import at, backup, restore, upgrade, verify
from adjudge.serve.store.tables import Meta, Secret
from serve.campaigns import fill, judge


@pytest.fixture
def store(tmp_path: Path, database: str | None) -> Iterator[Store]:
    with Store.open(tmp_path / "old", database) as store:
        fill(store)
        for number in range(4):
            store.write([judge("ann", f"i{number % 3}", {"aet": "C"}, f"t{number}")])
        store.add_secret(Secret("abc", "ann", "session", "*", None, None, None))
        store.put_blob(b"Officers arrested", "text")
        (store.folder / "serve.toml").write_text("[server]\n")
        yield store


def content(store: Store) -> dict:
    with store.read() as snapshot:
        events = [event for stream in snapshot.heads() for event in snapshot.events(stream)]
        return {
            "heads": snapshot.heads(),
            "events": events,
            "judgments": snapshot.judgments("autumn"),
            "tally": snapshot.tally("autumn"),
            "secrets": snapshot.secrets("ann"),
        }


def test_a_backup_is_restored_as_it_was_in_either_database(store: Store, tmp_path: Path, new_database) -> None:
    assert backup(store, tmp_path / "saved") == 7
    store.write([judge("ben", "i1", {"aet": "W"}, "later")])
    for number, url in enumerate([None, new_database()]):
        folder = tmp_path / f"new{number}"
        assert restore(tmp_path / "saved", folder, url) == 7
        assert (folder / "serve.toml").read_text() == "[server]\n"
        with Store.open(folder, url) as again:
            assert verify(again).problems == []
            assert verify(again).blobs == 1
            (written,) = again.write([judge("ben", "i1", {"aet": "W"}, "later")])
            assert isinstance(written, Written)
            assert content(again)["judgments"] == content(store)["judgments"]
            assert content(again)["tally"] == content(store)["tally"]
            assert content(again)["secrets"] == content(store)["secrets"]
        with pytest.raises(UsageError, match="it already contains data"):
            restore(tmp_path / "saved", folder, url)


def test_a_backup_that_was_changed_is_not_restored(store: Store, tmp_path: Path, new_database) -> None:
    backup(store, tmp_path / "saved")
    with pytest.raises(UsageError, match="it exists"):
        backup(store, tmp_path / "saved")
    path = tmp_path / "saved" / "event.jsonl"
    path.write_text(path.read_text().replace('"aet":"C"', '"aet":"W"', 1))
    with pytest.raises(ValidationError, match=r"event\.jsonl:4: .*its hash does not fit"):
        restore(tmp_path / "saved", tmp_path / "new", new_database())
    path.write_text("[]\n")
    with pytest.raises(ValidationError, match=r"event\.jsonl:1: "):
        restore(tmp_path / "saved", tmp_path / "other", new_database())
    with pytest.raises(UsageError, match="not a backup"):
        restore(tmp_path, tmp_path / "third", new_database())


def test_a_store_can_be_read_as_it_was(store: Store) -> None:
    with at(store, 5) as snapshot:
        assert [row.item for row in snapshot.judgments("autumn")] == ["i0", "i1"]
        assert snapshot.last() == 5
        assert [tally.done for tally in snapshot.tally("autumn", reader="ann")] == [2]


def test_the_database_of_a_newer_release_is_refused(store: Store, new_database, tmp_path: Path) -> None:
    backup(store, tmp_path / "saved")
    about = json.loads((tmp_path / "saved" / "backup.json").read_text())
    (tmp_path / "saved" / "backup.json").write_text(json.dumps(about | {"backup": 99}))
    with pytest.raises(UsageError, match="version 99"):
        restore(tmp_path / "saved", tmp_path / "new", new_database())
    connection = sql.connect(store.folder, store.url)
    connection.insert([Meta("version", "99")])
    connection.close()
    for does in (Store.open, upgrade):
        with pytest.raises(UsageError, match=r"version 99.*newer release"):
            does(store.folder, store.url)


def test_an_older_database_is_brought_up_to_date_and_kept(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new_database: Callable[[], str | None]
) -> None:
    before = content(store)
    monkeypatch.setattr(migrations, "VERSION", migrations.VERSION + 1)
    monkeypatch.setitem(
        migrations.MIGRATIONS,
        migrations.VERSION,
        lambda connection: connection.execute("ALTER TABLE secret ADD COLUMN place TEXT"),
    )
    with pytest.raises(UsageError, match="adjudge serve upgrade"):
        Store.open(store.folder, store.url)
    old, new, saved = upgrade(store.folder, store.url)
    assert new == old + 1
    assert saved is not None
    with Store.open(store.folder, store.url) as now:
        assert verify(now).problems == []
        assert content(now) == before
        (row,) = now.writer.run(lambda rows: list(rows.connection.dictionaries("secret"))).result()
        assert row["place"] is None
    assert upgrade(store.folder, store.url) == (new, new, None)
    monkeypatch.undo()
    url = new_database()
    restore(saved, tmp_path / "back", url)
    with Store.open(tmp_path / "back", url) as back:
        assert content(back) == before


def test_a_step_of_an_upgrade_that_fails_leaves_the_old_database(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(connection: sql.Connection) -> None:
        connection.execute("ALTER TABLE secret ADD COLUMN place TEXT")
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(migrations, "VERSION", migrations.VERSION + 1)
        patch.setitem(migrations.MIGRATIONS, migrations.VERSION, fail)
        with pytest.raises(ZeroDivisionError):
            upgrade(store.folder, store.url)
    with Store.open(store.folder, store.url) as again:
        assert verify(again).problems == []
