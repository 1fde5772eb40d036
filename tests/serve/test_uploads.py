"""Uploads through HTTP, by people and by enemies: nothing is written elsewhere, and the server goes on."""

import asyncio
import gc
import gzip
import io
import queue
import socket
import tarfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from html import unescape
from pathlib import Path
from urllib.parse import quote, urlsplit

import httpx
import pytest
import uvicorn

from adjudge.cli import run
from adjudge.serve import intake, listen
from adjudge.serve.access import Access
from adjudge.serve.folder import Folder
from adjudge.serve.messages import Fault
from adjudge.serve.states import later
from adjudge.serve.store import Store, now
from adjudge.serve.tracks import add_member, keep_file, parse_settings, set_phase, set_track
from archives import make
from serve.readers import server_of
from serve.tracks import documents, finished

MB = 1_000_000


class Served:
    """A server with a track for archives, a token of a team, and what it has on the disk."""

    def __init__(self, root):
        self.root, self.folder = root, root / "server"
        folder = Folder.create(self.folder, "[limits]\nwrites_per_second = 10000\n")
        with Store.open(self.folder) as store:
            for name, more in (
                ("eal", {"score": ["eal", "score", "{gold}", "{system}"]}),
                ("any", {"score": ["doctor", "{system}"], "check": []}),
            ):
                (root / "gold").write_bytes(documents(1))
                check = {"check": ["eal", "validate", "{system}", "--format", "json"]}
                limits = {"upload": "80 MB", "check_wall": "20 s", "runs": 0}
                set_track(store, name, parse_settings(name, {"task": "eal", **check, **more, "limits": limits}))
                set_phase(store, name, "main", {"gold": keep_file(store, root / "gold")})
                add_member(store, name, "fast", "tess")
            access = Access(store, folder.secrets, folder.settings)
            for name in ("eal", "any"):
                access.add_person("tess", "team", name)
            self.token, _ = access.issue_token("tess")

    def start(self, url, pid):
        self.url, self.pid = url, pid
        self.headers = {"Authorization": f"Bearer {self.token}"}
        self.client = httpx.Client(base_url=url, headers=self.headers, timeout=30)

    def put(self, name, data, track="any", **more):
        return self.client.put(f"/api/v1/tracks/{track}/submissions/{quote(name, safe='')}", content=data, **more)

    def runs(self, track="any"):
        return self.client.get(f"/api/v1/tracks/{track}/submissions").json()

    def parts(self):
        return list((self.folder / "blobs").glob(".part-*"))

    def peak(self):
        """Kilobytes that the server has had in memory at most."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))

    @contextmanager
    def half(self, name, length=1000, sent=10):
        """A connection on which a part of an upload was sent."""
        where = urlsplit(self.url)
        head = f"PUT /api/v1/tracks/any/submissions/{name} HTTP/1.1\r\nHost: {where.netloc}\r\n"
        head += f"Authorization: Bearer {self.token}\r\nContent-Length: {length}\r\n\r\n"
        with socket.create_connection((where.hostname, where.port)) as opened:
            opened.sendall(head.encode() + b"x" * sent)
            time.sleep(0.3)
            yield opened


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    made = Served(tmp_path_factory.mktemp("uploads"))
    with server_of(made.folder) as (url, pid):
        made.start(url, pid)
        with made.client:
            yield made


def hostile(root):
    """Archives that want to write elsewhere, or everything."""
    files = {"up": "../../up", "root": "/tmp/adjudge-up", "back": "a\\..\\..\\up", "null": "arguments/a\0b"}
    for kind in (".zip", ".tar.gz"):
        for name, inside in files.items():
            if (name, kind) != ("null", ".tar.gz"):
                yield make(root / f"{name}{kind}", [(inside, b"x")])
        yield make(root / f"bomb{kind}", [("arguments/D1", bytes(40 << 20))])
        yield make(root / f"many{kind}", [(f"arguments/D{n}", b"") for n in range(3000)])
    link = tarfile.TarInfo("arguments/D1")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    (root / "link.tar.gz").write_bytes(gzip.compress(link.tobuf() + bytes(1024)))
    (root / "cut.zip").write_bytes((root / "up.zip").read_bytes()[:-9])
    (root / "none.zip").write_bytes(b"PK\5\6" + bytes(18))
    yield from (root / name for name in ("link.tar.gz", "cut.zip", "none.zip"))


def test_hostile_archives(served, tmp_path, capsys, monkeypatch):
    before = {path for path in served.root.rglob("*") if "blobs" not in path.parts}
    paths = list(hostile(tmp_path))
    made = [served.put(path.name, path.read_bytes(), "eal").json()["submission"] for path in paths]
    with Store.open(served.folder) as store:
        rows = finished(store, *made)
        texts = [store.get_blob(row.files["text"]).decode() for row in rows]
    monkeypatch.chdir(tmp_path)
    for path, row, text in zip(paths, rows, texts, strict=True):
        assert row.state == "invalid", (path.name, row.reason)
        assert run(["eal", "validate", path.name]) == 1
        assert capsys.readouterr().out == text
    after = {path for path in served.root.rglob("*") if "blobs" not in path.parts}
    assert {path.name for path in after - before} <= {"serve.db-wal", "serve.db-shm", "lock"}
    assert not Path("/tmp/adjudge-up").exists()


def test_wrong_lengths_and_sizes(served):
    count = len(served.runs())
    with served.half("short", 1000, 10):
        pass  # and hangs up
    with served.half("large", 90 * MB, 0) as opened:  # refused before it comes
        assert b" 413 " in opened.recv(1000)
    answer = served.put("endless", (bytes(MB) for _ in range(90)))
    assert (answer.status_code, answer.json()["error"]) == (413, "size")
    assert served.put("empty", b"").status_code == 422
    with served.half("no-number", "ten", 0) as opened:
        assert b" 400 " in opened.recv(1000)
    time.sleep(0.3)
    assert len(served.runs()) == count
    assert served.parts() == []


def test_names(served):
    for name in ("../up", "..", ".hidden", "a/b", "</script>", "a b", "x" * 101, "\u00e4", "-rf", "a\nb"):
        assert served.put(name, b"x").status_code in (404, 405, 422), name
    where = urlsplit(served.url)
    with socket.create_connection((where.hostname, where.port)) as opened:
        opened.sendall(f"PUT /api/v1/tracks/any/submissions/{'x' * MB} HTTP/1.1\r\n".encode())
        assert opened.recv(100).startswith((b"HTTP/1.1 400", b"HTTP/1.1 414", b"HTTP/1.1 431", b""))
    form = {"file": ("x" * MB, b"x")}
    answer = served.client.post("/api/v1/tracks/any/submissions", files=form)
    assert answer.status_code in (400, 422)
    assert served.parts() == []


def test_forms(served):
    path = "/api/v1/tracks/any/submissions"
    answer = served.client.post(path, files={"file": ("form.txt", b"one")}, data={"human": "1"})
    assert (answer.status_code, answer.json()["name"], answer.json()["ranked"]) == (201, "form", False)
    whole = b'--b\r\nContent-Disposition: form-data; name="file"; filename="cut.txt"\r\n\r\nabc\r\n--b--\r\n'
    kind = {"Content-Type": "multipart/form-data; boundary=b"}
    for content, headers in (
        (whole[:-12], kind),
        (whole, {"Content-Type": "text/plain"}),
        (whole, {"Content-Type": "multipart/form-data"}),
        (whole.replace(b'; filename="cut.txt"', b""), kind),
        (whole.replace(b"--b", b"--c"), kind),
        (b'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n' * 30 + whole, kind),
        (b'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n' + b"y" * MB + b"\r\n" + whole, kind),
        (b"", kind),
    ):
        answer = served.client.post(path, content=content, headers=headers)
        assert answer.status_code == 400, (content[:100], answer.text)
    assert served.client.post(path, content=whole, headers=kind).status_code == 201
    assert served.parts() == []


def test_a_form_counts_from_its_first_byte(served):
    where = urlsplit(served.url)
    field = b'--b\r\nContent-Disposition: form-data; name="web"\r\n\r\n1\r\n'
    rest = b'--b\r\nContent-Disposition: form-data; name="file"; filename="s.txt"\r\n\r\nabc\r\n--b--\r\n'
    head = f"POST /api/v1/tracks/any/submissions HTTP/1.1\r\nHost: {where.netloc}\r\n"
    head += f"Authorization: Bearer {served.token}\r\nContent-Type: multipart/form-data; boundary=b\r\n"
    with socket.create_connection((where.hostname, where.port)) as opened:
        opened.sendall(f"{head}Content-Length: {len(field + rest)}\r\n\r\n".encode() + field)
        time.sleep(2)
        sent = now()
        opened.sendall(rest)
        assert b" 201 " in opened.recv(4000)
    (made,) = [run for run in served.runs() if run["name"] == "s"]
    assert made["received"] < later(sent, -1)


def test_two_uploads_at_once_and_judging_goes_on(served):
    with served.half("one") as one, served.half("two"):
        begun = time.monotonic()
        answer = served.put("three", b"x")
        assert (answer.status_code, answer.json()["error"]) == (429, "limit")
        assert served.client.get("/healthz").json()["state"] == "ok"
        assert time.monotonic() - begun < 5
        one.sendall(b"y" * 990)
        assert b" 201 " in one.recv(100)
    count = len(served.runs())
    with ThreadPoolExecutor(2) as both:
        answers = list(both.map(lambda n: served.put(f"at-once-{n}", str(n).encode()), range(12)))
    assert {answer.status_code for answer in answers} <= {201, 429}
    numbers = [run["number"] for run in served.runs()]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    assert len(numbers) == count + sum(answer.status_code == 201 for answer in answers)


@contextmanager
def listening():
    """Connects to a server that says 204 to everything."""
    ports: queue.Queue[int] = queue.Queue()

    async def app(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    config = uvicorn.Config(app, port=0, http=listen.Patient, lifespan="off", log_level="warning")
    server = listen.Server(config, ports.put, lambda: None)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        port = ports.get(timeout=60)
        yield lambda: socket.create_connection(("127.0.0.1", port), 60)
    finally:
        server.should_exit = True
        thread.join()
        gc.unfreeze()


def test_clients_that_say_nothing_keep_nobody_out(monkeypatch):
    monkeypatch.setattr(listen, "WAITING", 20)
    monkeypatch.setattr(listen, "SLOWEST", 600)
    with listening() as connect, ExitStack() as stack:
        opened = [stack.enter_context(connect()) for _ in range(30)]
        assert [each.recv(100) for each in opened[:10]] == [b""] * 10  # those that had waited longest
        for each in opened[10:]:
            each.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert each.recv(1000).startswith(b"HTTP/1.1 204")


def test_the_head_of_a_request_has_its_time(monkeypatch):
    monkeypatch.setattr(listen, "SLOWEST", 1)
    with listening() as connect, connect() as opened:
        opened.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert opened.recv(1000).startswith(b"HTTP/1.1 204")
        opened.sendall(b"GET / HTTP/1.1\r\nHo")
        assert opened.recv(1000) == b""


def test_memory_does_not_grow_with_an_upload(served):
    served.put("small", bytes(MB))
    before = served.peak()
    answer = served.put("big", (bytes(MB) for _ in range(75)))
    assert (answer.status_code, answer.json()["size"]) == (201, 75 * MB)
    assert served.peak() - before < 20_000


@pytest.mark.parametrize("broken", ["slow", "stops", "full"])
def test_what_does_not_come_is_given_up(tmp_path, monkeypatch, broken):
    async def parts():
        yield b"x"
        await asyncio.sleep(0.2 if broken == "slow" else 5)
        yield b"x"

    monkeypatch.setattr(intake, "IDLE", 0.05 if broken == "slow" else 0.1)
    if broken == "full":
        monkeypatch.setattr(intake, "FREE", 1.0)
    with Store.open(tmp_path / "s") as store:
        with pytest.raises(Fault) as caught:
            asyncio.run(intake.receive(store, parts(), 100, None))
        assert caught.value.status == (503 if broken == "full" else 400)
        assert not list((tmp_path / "s" / "blobs").glob(".part-*"))


def test_the_form_of_the_page_needs_its_token(tmp_path):
    from serve_small import small_server

    with small_server(tmp_path / "folder") as made:
        client = made.client("tess")
        client.headers.pop("X-CSRF-Token")
        for token, status in (("", 403), ("0" * 64, 403), (made.csrf("ann"), 403), (made.csrf("tess"), 303)):
            sent = {"file": ("page.jsonl", io.BytesIO(b"{}"))}
            answer = client.post("/t/one", data={"csrf": token}, files=sent)
            assert answer.status_code == status
        page = client.get("/t/one").text
        assert page.count("page</a>") == 1


def test_the_page_makes_a_token_for_the_shell(tmp_path):
    from serve_small import small_server

    with small_server(tmp_path / "folder") as made:
        client = made.client("tess")
        assert client.post("/t/one/token", data={"csrf": "0" * 64}, headers={"X-CSRF-Token": ""}).status_code == 403
        page = client.post("/t/one/token", data={"csrf": made.csrf("tess")}).text
        token = page.partition("<code>")[2].partition("</code>")[0]
        assert f"Bearer {token}" in unescape(page)
        sent = {"Authorization": f"Bearer {token}"}
        made.client(None).put("/api/v1/tracks/one/submissions/shell.jsonl", content=b"{}", headers=sent)
        assert "shell</a>" in made.client("tess").get("/t/one").text
