"""How the browser tests find, or install, a browser: tests/browser/chromium.sh with commands that only pretend."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "browser" / "chromium.sh"
SHELL = shutil.which("sh")
pytestmark = pytest.mark.skipif(SHELL is None or os.name == "nt", reason="needs a shell")


def command(folder, name, body="exit 0"):
    path = folder / name
    path.write_text(f"#!{SHELL}\n{body}\n")
    path.chmod(0o755)
    return path


def run(folder, *arguments, **environment):
    done = subprocess.run(
        [SHELL, str(SCRIPT), *arguments], env={"PATH": str(folder), **environment}, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


def test_a_browser_that_is_there_is_found(tmp_path):
    path = command(tmp_path, "chromium-browser")
    assert run(tmp_path) == (0, f"{path}\n", "")
    other = command(tmp_path, "my browser")
    assert run(tmp_path, CHROMIUM="chromium-browser")[1] == f"{path}\n"
    assert run(tmp_path, CHROMIUM=str(other))[1] == f"{other}\n"
    code, out, err = run(tmp_path, "install", CHROMIUM="/nowhere/chromium")
    assert (code, out) == (1, "")
    assert "there is no /nowhere/chromium" in err


@pytest.mark.parametrize(
    ("arguments", "user", "said"),
    [
        ((), "0", "there is no Chromium: install it"),
        (("install",), "1000", "only root can install it"),
        (("install",), "0", "no apt-get to install it"),
    ],
)
def test_why_there_is_none(tmp_path, arguments, user, said):
    command(tmp_path, "id", f"echo {user}")
    code, out, err = run(tmp_path, *arguments)
    assert (code, out) == (1, "")
    assert said in err
    assert "CHROMIUM=/path/to/chromium" in err


@pytest.mark.parametrize("works", [True, False])
def test_root_installs_it(tmp_path, works):
    command(tmp_path, "id", "echo 0")
    made = tmp_path / "chromium"
    # Built-in commands only: there is nothing else on the path.
    install = f'echo "#!{SHELL}" > {made}; {shutil.which("chmod")} 755 {made}' if works else "exit 100"
    command(tmp_path, "apt-get", f'echo "$@"; case "$*" in *install*) {install};; esac')
    code, out, err = run(tmp_path, "install")
    assert code == (0 if works else 1)
    assert out == (f"{made}\n" if works else "")
    assert "installing Debian's package" in err
    assert "install --no-install-recommends chromium" in err
    assert ("could not be installed" in err) is not works
