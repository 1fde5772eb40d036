"""Children and their limits: each that is said to hold here holds."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from adjudge.serve import child
from adjudge.serve.child import Child, bwrap_works, describe, holding, run
from serve.tracks import documents, until

MB = 10**6


@pytest.fixture
def sh(tmp_path, monkeypatch):
    """Runs a line of shell as a child with some limits."""

    def made(line, **limits):
        monkeypatch.setattr(child, "PROGRAM", ("/bin/sh", "-c", line))
        given = {"wall": 20.0, "cpu": 10, "memory": 500 * MB, "disk": 5 * MB, **limits}
        return run(Child((), tmp_path, **given))

    return made


def python(code):
    return f'exec {sys.executable} -I -S -c "{code}"'


@pytest.mark.parametrize(
    ("name", "line", "limits", "said"),
    [
        ("wall clock", "sleep 100", {"wall": 0.3}, "longer than 0 s"),
        ("processor time", python("while True: pass"), {"cpu": 1}, "computed longer than 1 s"),
        ("memory", python("b'x' * 10**9"), {}, "MemoryError"),
        ("size of files", "head -c 6000000 /dev/zero > big", {}, "too large"),
        ("disk", "for n in 1 2 3 4 5 6; do head -c 1000000 /dev/zero > f$n; done; sleep 100", {}, "wrote more than"),
        ("output", "yes", {}, "printed more than 1000000 bytes"),
        ("output", "head -c 1000001 /dev/zero", {}, "printed more than 1000000 bytes"),
        ("open files", python("[open('/dev/null') for _ in range(2000)]"), {}, "Too many open files"),
        ("", "kill -9 $$", {}, "ended by SIGKILL"),
        ("", "exit 3", {}, ""),
    ],
)
def test_limits(sh, name, line, limits, said):
    if name and not holding()[name]:
        pytest.skip(f"{name} does not hold here")
    ended = sh(line, **limits)
    assert ended.code != 0
    assert said.lower() in (ended.reason or ended.last).lower()
    assert len(ended.output) <= child.OUTPUT


def has_ended(pid):
    """Whether a process is no more, or waits to be noticed."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_what_a_child_has_started_ends_with_it(sh, tmp_path):
    ended = sh("sleep 300 & echo $! > pid; echo done")
    assert (ended.code, ended.output) == (0, b"done\n")
    pid = int((tmp_path / "pid").read_text())
    until(lambda: has_ended(pid), 5)


def test_a_child_has_nothing_of_ours(sh, monkeypatch, tmp_path):
    monkeypatch.setenv("ADJUDGE_DATABASE", "postgresql://secret")
    ended = sh("env; pwd; cat")
    said = ended.output.decode()
    assert "secret" not in said
    known = {"HOME", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "LC_CTYPE", "_", str(tmp_path)}
    assert {line.partition("=")[0] for line in said.splitlines()} <= known


def test_nobody_waits_for_what_nobody_needs(tmp_path, monkeypatch):
    monkeypatch.setattr(child, "PROGRAM", ("/bin/sh", "-c", "sleep 100"))
    begun = time.monotonic()
    one = Child((), tmp_path, 50.0, 10, 500 * MB, MB)
    assert run(one, lambda: False).reason == "nobody needs it any longer"
    assert time.monotonic() - begun < 10


def test_what_the_start_says():
    said = describe()
    assert all(name in said for name in holding())
    assert ("that do not hold here" in said) == (not all(holding().values()))


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone ends children with their parent")
def test_children_end_with_a_server_that_is_killed(tmp_path):
    code = (
        "import sys; from pathlib import Path; from adjudge.serve import child\n"
        "child.PROGRAM = ('/bin/sh', '-c', 'echo $$ > pid; exec sleep 300')\n"
        "child.run(child.Child((), Path(sys.argv[1]), 300.0, 10, 10**9, 10**9))\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) as parent:
        until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
        parent.kill()
    pid = int((tmp_path / "pid").read_text())
    until(lambda: has_ended(pid), 10)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone says when a parent ends")
def test_a_child_whose_server_has_ended_before_it_began_does_not_begin(tmp_path):
    line = [sys.executable, "-I", "-S", child.launcher.__file__, '{"parent": 1}', "/bin/sh", "-c", "echo begun"]
    ran = subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "has ended" in ran.stderr


@pytest.mark.skipif(not bwrap_works(), reason="needs bubblewrap, and the right to use it")
def test_isolation(sh, tmp_path, monkeypatch):
    other = tmp_path.parent / "other"
    other.write_text("secret")
    ended = sh(
        f"cat {other}; ls /etc/passwd; ls /sys/class/net /proc/net/dev; echo x > {other}; echo fine", isolate="bwrap"
    )
    assert (ended.code, ended.output.splitlines()[-1]) == (0, b"fine")
    assert b"secret" not in ended.output
    assert other.read_text() == "secret"
    monkeypatch.undo()
    (tmp_path / "a.jsonl").write_bytes(documents(1, 2))
    line = ("ner", "score", "a.jsonl", "x=a.jsonl", "--reader", "jsonl", "--save", "r.json", "--bootstrap", "0")
    ended = run(Child(line, tmp_path, 60.0, 60, 4000 * MB, 100 * MB, isolate="bwrap"))
    assert ended.code == 0, ended
    assert (tmp_path / "r.json").exists()
