"""The commands where the operating system, the locale or the console is another one, as far as Linux can show it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.demo import GOLD, SYSTEMS

# What Windows does not have; modules that import one of these without asking fail here as they would there.
WITHOUT_POSIX = """
import os, signal, sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name in {"fcntl", "resource", "termios", "pwd", "grp", "syslog"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

import subprocess, multiprocessing.process  # the standard library has read the names below by now, as it may
for name in ("fcntl", "resource", "termios", "pwd", "grp", "syslog"):
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Refused())
for module, names in {
    os: "fork forkpty getuid geteuid getgid getegid getpgid killpg setsid statvfs fchmod fchown chown mkfifo nice "
        "sched_getaffinity sched_setaffinity O_NOFOLLOW O_NONBLOCK O_DIRECTORY O_CLOEXEC posix_spawn uname getloadavg",
    signal: "SIGALRM SIGKILL SIGHUP SIGUSR1 SIGUSR2 SIGCHLD SIGPIPE alarm setitimer getitimer ITIMER_REAL "
        "pthread_sigmask SIG_BLOCK SIG_SETMASK SIG_UNBLOCK sigwait",
}.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
sys.platform = "other"

HERE = os.getcwd()

def is_open(path):
    if not os.path.abspath(path).startswith(HERE):  # a file of the standard library's own
        return False
    inside = os.path.realpath(path) + os.sep
    for each in os.listdir("/proc/self/fd"):
        if os.path.realpath(f"/proc/self/fd/{each}").startswith(inside):
            return True
    try:
        there = os.lstat(path)
        handles = [each for each in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{each}")]
        opened = [os.fstat(int(each)) for each in handles]
    except OSError:
        return False
    return any(os.path.samestat(there, each) for each in opened)

def guarded(function):
    def called(*paths, **options):
        for path in paths:
            if isinstance(path, (str, os.PathLike)) and not options and is_open(path):
                raise PermissionError(13, "it is open", os.fspath(path))
        return function(*paths, **options)
    return called

def opened(path, *args, _open=os.open, **options):
    if os.path.isdir(path):
        raise PermissionError(13, "it is a folder", path)
    return _open(path, *args, **options)

for name in ("unlink", "remove", "rename", "replace", "rmdir"):  # of what is open: not on Windows
    setattr(os, name, guarded(getattr(os, name)))
os.open = opened

class msvcrt:
    LK_NBLCK = 2
    locking = staticmethod(lambda handle, mode, size: None)

sys.modules["msvcrt"] = msvcrt
"""
MODULES = """
import importlib, pkgutil, adjudge
for each in pkgutil.walk_packages(adjudge.__path__, "adjudge."):
    if not each.name.startswith(("adjudge.serve", "adjudge.cli.serve", "adjudge.__main__")):
        importlib.import_module(each.name)
        print(each.name)
"""
SCORED = ["score", "relation.strict,event.argument-cls", *map(str, (GOLD, *SYSTEMS.values())), "--bootstrap", "50"]


def run(*args: str, cwd: Path, system: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    site = cwd / "site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(system, "utf-8")
    # The names of the standard library's own modules are decided when it is imported, before `system` runs.
    own = {**os.environ, "PYTHONPATH": str(site), **environment}
    return subprocess.run([sys.executable, *args], cwd=cwd, env=own, capture_output=True, timeout=300, check=False)


def adjudge(*args: str, cwd: Path, system: str = "", **environment: str) -> bytes:
    ended = run("-m", "adjudge", *args, cwd=cwd, system=system, **environment)
    assert ended.returncode == 0, ended.stderr.decode(errors="replace")
    return ended.stdout


def test_nothing_but_the_server_needs_what_only_posix_has(tmp_path):
    ended = run("-c", MODULES, cwd=tmp_path, system=WITHOUT_POSIX)
    assert ended.returncode == 0, ended.stderr.decode(errors="replace")
    assert len(ended.stdout.split()) > 400


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_scores_pages_and_files_are_the_same_without_posix(tmp_path, jobs):
    """Several processes are fresh interpreters then, which are given all they need."""
    told = []
    for system in ("", WITHOUT_POSIX):
        where = tmp_path / str(bool(system))
        where.mkdir()
        out = adjudge(*SCORED, "--jobs", jobs, "--save", "r.json", "--save-documents", "--summary", "s.md",
                      "--format", "json", cwd=where, system=system)  # fmt: skip
        adjudge("report", "r.json", "-o", "page.html", cwd=where, system=system)
        made = {path.name: path.read_bytes() for path in sorted(where.iterdir()) if path.is_file()}
        assert set(made) == {"r.json", "s.md", "page.html"}  # and no lock or temporary file beside them
        told.append((out, made))
    assert told[0] == told[1]


@pytest.mark.parametrize("task", ["extraction", "coref", "nugget", "eal", "kbp"])
def test_demos_run_without_posix(tmp_path, task):
    args = ("demo", task, "--report", ".", "-o", "table.txt")
    adjudge(*args, cwd=tmp_path, system=WITHOUT_POSIX)
    assert {path.name for path in tmp_path.iterdir()} == {"site", "table.txt", f"{task}.html"}


def test_a_campaign_runs_to_its_scores_without_posix(tmp_path):
    adjudge("eal", "campaign", "init", "autumn", "--demo", cwd=tmp_path, system=WITHOUT_POSIX)
    for kind in ("", "assessments", "frames"):
        if kind:
            shutil.copytree(tmp_path / "autumn/answers" / kind, tmp_path / "autumn" / kind, dirs_exist_ok=True)
        adjudge("eal", "campaign", "run", "autumn", cwd=tmp_path, system=WITHOUT_POSIX)
    assert (tmp_path / "autumn/scores/ranking.json").is_file()
    assert {path.name for path in (tmp_path / "autumn").rglob(".*")} == {".campaign"}


def test_stores_are_replaced_without_posix(tmp_path):
    """A folder and an archive, which are new first, and then in the place of the old ones."""
    adjudge("demo", "eal", "--files", "demo", cwd=tmp_path)
    (submission,) = (tmp_path / "demo").rglob("slate*")
    before = {path.name for path in tmp_path.iterdir()}
    for _ in range(2):
        for name in ("out", "out.zip", "out.tgz"):
            args = ("eal", "pool", str(submission), "-o", name, "--overwrite")
            adjudge(*args, cwd=tmp_path, system=WITHOUT_POSIX)
    made = {path.name for path in tmp_path.iterdir()} - before
    assert made >= {"out", "out.zip", "out.tgz"}
    assert not [name for name in made if name.startswith(".") or "lock" in name]
    assert not list((tmp_path / "out").rglob("__lock"))


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "cp437"},
    ],
    ids=["ascii", "windows-console", "old-console"],
)
def test_locales_and_consoles_change_no_file_and_stop_no_command(tmp_path, environment):
    for name, text in {"gold.bio": "Łódź B-LOC\n中 O\n", "system.bio": "Łódź B-ŁOK\n中 O\n"}.items():
        (tmp_path / name).write_text(text, "utf-8")
    args = ("ner", "score", "gold.bio", "system.bio", "--by", "type", "--bootstrap", "0")
    usual = adjudge(*args, "--metric", "ner.strict", "-o", "usual.txt", cwd=tmp_path, PYTHONUTF8="1")
    assert usual == b""
    for form in ("text", "json", "md", "latex", "csv"):
        adjudge(*args, "--format", form, cwd=tmp_path, **environment)
    adjudge(*args, "--metric", "ner.strict", "-o", "other.txt", cwd=tmp_path, **environment)
    assert (tmp_path / "other.txt").read_bytes() == (tmp_path / "usual.txt").read_bytes()
    shown = adjudge("ner", "score", "gold.bio", "system.bio", "--explain", "1", cwd=tmp_path, **environment)
    assert rb"\u4e2d" in shown or rb"\u0141" in shown or "Ł".encode() in shown
    adjudge("doctor", "gold.bio", "system.bio", cwd=tmp_path, **environment)


def test_lines_end_alike_where_text_has_line_ends_of_its_own(tmp_path):
    """What Windows makes of standard output: CR LF, which no result has."""
    windows = "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.detach(), 'cp1252', newline='\\r\\n')\n"
    assert run("-c", "print()", cwd=tmp_path, system=windows).stdout == b"\r\n"
    printed = adjudge(*SCORED, "--format", "json", cwd=tmp_path, system=windows)
    adjudge(*SCORED, "--format", "json", "-o", "r.json", cwd=tmp_path)
    assert printed == (tmp_path / "r.json").read_bytes()
