"""Two servers and three workers on one PostgreSQL, of which some are killed: nothing is lost, or scored twice."""

import contextlib
import subprocess
import sys
from collections import Counter
from pathlib import Path

import httpx
import pytest

from adjudge.serve import child, states
from adjudge.serve.access import Access
from adjudge.serve.folder import Folder
from adjudge.serve.store import Store, care
from adjudge.serve.store.tables import Lease, Submission
from adjudge.serve.tracks import add_member, parse_settings, set_phase, set_track
from serve import faults
from serve.tracks import until

LINES = {"check": ["check", "{system}", "--format", "json"], "score": ["score", "{system}"], "report": []}

pytestmark = pytest.mark.slow


@contextlib.contextmanager
def started(folder, *arguments):
    """A command of adjudge that lasts, and the first line that it says."""
    line = [sys.executable, faults.__file__, "--command", str(folder), "serve", *arguments]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, process.stdout.readline()
        finally:
            process.terminate()


def test_servers_and_workers_share_a_database(tmp_path, postgres, monkeypatch):
    url = postgres.url()
    monkeypatch.setenv("ADJUDGE_DATABASE", url)
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where the killed ones leave something
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    made = Folder.create(tmp_path / "folder", "[limits]\nwrites_per_second = 10000\n")
    monkeypatch.setattr(child, "PROGRAM", child.PROGRAM)  # and back again
    faults.pretend(made.path)
    with Store.open(made.path, url) as store, contextlib.ExitStack() as stack:
        set_track(store, "x", parse_settings("x", {"task": "x", **LINES, "limits": {"runs": 0}}))
        set_phase(store, "x", "main", {})
        add_member(store, "x", "fast", "tess")
        access = Access(store, made.secrets, made.settings)
        access.add_person("tess", "team", "x")
        token, _ = access.issue_token("tess")
        servers = [started(made.path, "run", str(made.path), "--port", "0", "--workers", "1") for _ in range(2)]
        workers = [started(made.path, "worker", str(made.path), "--workers", "1") for _ in range(3)]
        running = [stack.enter_context(each) for each in (*servers, *workers)]
        addresses = [line.split()[-1] for _, line in running[:2]]
        sent = []
        for number in range(14):
            where = f"{addresses[number % 2]}/api/v1/tracks/x/submissions/r{number}"
            said = httpx.put(where, content=b"slow", headers={"Authorization": f"Bearer {token}"}, timeout=30)
            assert said.status_code == 201, said.text
            sent.append(said.json()["submission"])
        for victim in (running[2][0], running[1][0]):  # a worker and a server, while they score
            name = f"-{victim.pid}-"
            until(lambda name=name: any(name in each.holder and each.name in sent for each in _leases(store)))
            victim.kill()
        until(lambda: not _live(store), 60)
        with store.read() as snapshot:
            rows = snapshot.find(Submission)
            scored = Counter(e.subject for e in snapshot.events("t/x") if e.body.get("state") == "scored")
        assert {row.state for row in rows} == {"scored"}
        assert scored == Counter(sent)
        assert max(row.attempts for row in rows) >= 2
        assert not care.verify(store).problems


def _leases(store):
    with store.read() as snapshot:
        return snapshot.find(Lease)


def _live(store):
    with store.read() as snapshot:
        return states.live(snapshot)
