"""`adjudge serve`: a demo that can be used at once, people who come and go, addresses that are refused."""

import json
import os
import re
import signal
import subprocess
import sys

import httpx
import pytest

from adjudge.cli import run
from adjudge.serve.demo import make_demo


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("serve") / "autumn"
    make_demo(path, "you")
    return str(path)


def said(capsys, *arguments, code=0):
    capsys.readouterr()
    assert run(["serve", *arguments]) == code
    out, err = capsys.readouterr()
    return err if code else out


def test_people_come_and_go(folder, capsys):
    link = said(capsys, "invite", folder, "ann", "--role", "assessor").splitlines()[0]
    assert re.fullmatch(r"http://127\.0\.0\.1:8765/join/[\w-]{43}", link)
    said(capsys, "invite", folder, "boss", "--role", "admin", "--url", "https://assess.example/")
    people = {each["person"]: each for each in json.loads(said(capsys, "people", folder, "--format", "json"))["people"]}
    assert people["ann"]["roles"] == [{"scope": "demo", "role": "assessor"}]
    assert people["boss"]["roles"] == [{"scope": "*", "role": "admin"}]
    assert said(capsys, "revoke", folder, "ann") == "ann can no longer sign in; ended: 1\n"
    assert "ann  revoked  assessor in demo  never seen\n" in said(capsys, "people", folder)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["invite", "FOLDER", "ann", "--role", "assessor", "--scope", "dem"],
            "there is no campaign 'dem', did you mean",
        ),
        (["invite", "FOLDER", "a/b", "--role", "assessor"], "'a/b' cannot be the name of a person"),
        (["revoke", "FOLDER", "ana"], "nobody is called 'ana'"),
        (["people", "/nowhere"], "there is no serve.toml in it"),
        (["run", "FOLDER", "--host", "0.0.0.0"], "0.0.0.0 can be reached from outside, and nothing would be encrypted"),
        (["run", "FOLDER", "--tls-cert", "x.pem"], "a certificate and its key go together"),
        (["run", "FOLDER", "--host", "0.0.0.0", "--behind-proxy", "me"], "'me' is not an address"),
        (["demo", "--keep", "FOLDER"], "it already exists"),
    ],
)
def test_what_is_refused(folder, capsys, arguments, message):
    given = [folder if each == "FOLDER" else each for each in arguments]
    assert message in said(capsys, *given, code=2)


def test_packages_that_are_missing(folder, capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "pip install 'adjudge[serve]'" in said(capsys, "run", folder, code=2)


def test_nothing_else_needs_the_packages():
    script = (
        "import sys, adjudge, adjudge.cli.app, adjudge.cli.serve, adjudge.serve.routes;"
        "print(sorted({'starlette', 'uvicorn', 'itsdangerous', 'argon2', 'psycopg'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_the_demo_from_the_link_to_the_first_judgment(tmp_path):
    """What somebody does who has just installed it, as a browser does it; then Ctrl-C."""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "adjudge", "serve", "demo", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as server:
        try:
            link = next(line.strip() for line in server.stdout if "/join/" in line)
            base = link.partition("/join/")[0]
            with httpx.Client(base_url=base, follow_redirects=True) as client:
                page = client.get(link)
                assert page.url.path == "/c/demo/MINI_DF_01/assess"
                csrf = re.search(r'data-csrf="(\w+)"', page.text)[1]
                scope = "/api/v1/campaigns/demo/scopes/MINI_DF_01"
                first = client.get(scope).json()["items"][0]
                with client.stream("GET", "/api/v1/stream") as stream:
                    lines = stream.iter_lines()
                    assert next(lines).startswith("retry:")
                    body = {"version": 0, "answers": {"aet": "W"}, "key": "tab-1", "ms": 1500}
                    headers = {"X-CSRF-Token": csrf, "Origin": base}
                    saved = client.put(f"{scope}/items/{first['id']}/judgment", json=body, headers=headers)
                    assert saved.json().items() >= {"version": 1, "n": 1, "complete": True}.items()
                    change = json.loads(next(line for line in lines if line.startswith("data:"))[5:])
                    assert (change["campaign"], change["scope"], change["reader"]) == ("demo", "MINI_DF_01", "you")
                assert client.get("/healthz").json()["state"] == "ok"
            assert any(tmp_path.iterdir())
        finally:
            server.send_signal(signal.SIGINT)
            _, errors = server.communicate(timeout=60)
    assert (server.returncode, errors) == (0, "")
    assert not any(tmp_path.iterdir())
