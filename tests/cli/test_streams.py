"""The program itself when its streams are full, closed or narrow, and when its files have strange names."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = f"{sys.executable} -c 'from adjudge.cli import main; main()'"
SCORE = "score relation.strict gold.jsonl good.jsonl --bootstrap 0"
posix = pytest.mark.skipif(os.name != "posix", reason="these are shells and devices of POSIX")
pytestmark = posix


def shell(script: str, **environment: str) -> tuple[int, str, str]:
    """Run a script in which `adjudge` is the program."""
    made = f'adjudge() {{ {PROGRAM} "$@"; }}\n{script}'
    ran = subprocess.run(["bash", "-c", made], capture_output=True, env={**os.environ, **environment})
    return ran.returncode, ran.stdout.decode(errors="surrogateescape"), ran.stderr.decode(errors="surrogateescape")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "command", [SCORE, "--help", "metrics", "explain relation.strict", "schema result", "score --help"]
)
def test_a_full_disk(campaign: Path, command: str) -> None:
    code, _, err = shell(f"adjudge {command} > /dev/full")
    assert code == 2
    assert err.startswith("error: ")
    assert "cannot be written: No space left on device" in err
    assert len(err.splitlines()) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_behind_an_option(campaign: Path) -> None:
    for option in ("-o", "--save"):
        code, _, err = shell(f"adjudge {SCORE} {option} /dev/full")
        assert (code, err) == (2, "error: /dev/full: cannot be written: No space left on device, write elsewhere\n")


def test_closed_streams(campaign: Path) -> None:
    assert shell(f"adjudge {SCORE} >&-") == (2, "", "error: standard output is closed, write to a file with -o\n")
    assert shell(f"adjudge {SCORE} -o out >&-")[0] == 0
    assert shell(f"adjudge {SCORE} 2>&-")[0] == 0
    assert shell("adjudge score no.metric gold.jsonl good.jsonl 2>&-") == (2, "", "")
    closed = (2, "", "error: standard input is closed, name a file instead of -\n")
    assert shell("adjudge score relation.strict gold.jsonl - <&-") == closed
    assert shell(f"adjudge {SCORE} <&-")[0] == 0


@pytest.mark.parametrize("command", ["--help", "score --help", "", SCORE])
def test_a_reader_that_has_left(campaign: Path, command: str) -> None:
    # The reader closes its end and only then lets the program start.
    left = 'coproc reader { exec <&-; echo gone; }; read -r line <&"${reader[0]}"'
    code, _, err = shell(f'{left}; adjudge {command} >&"${{reader[1]}}"')
    assert (code, err) == (141, "")


def test_a_terminal_that_knows_ascii_only(campaign: Path) -> None:
    Path("good.jsonl").rename("gööd.jsonl")
    command = "score relation.strict gold.jsonl gööd.jsonl poor.jsonl --bootstrap 0"
    code, out, err = shell(f"adjudge {command}", PYTHONIOENCODING="ascii")
    assert (code, err) == (0, "")
    assert r"g\u00f6\u00f6d" in out
    code, out, _ = shell(f"adjudge {command} --format json", PYTHONIOENCODING="ascii")
    assert [each["name"] for each in json.loads(out)["systems"]] == ["gööd", "poor"]
    code, _, err = shell("adjudge score relation.strict gold.jsonl fünf.jsonl", PYTHONIOENCODING="ascii")
    assert (code, err) == (2, "error: f\\u00fcnf.jsonl: there is no such file, check the path\n")


def test_names_that_are_not_utf8(campaign: Path) -> None:
    Path("good.jsonl").rename(os.fsdecode(b"go\xffd.jsonl"))
    for format_ in ("text", "json", "csv", "md", "latex"):
        code, out, err = shell(
            "adjudge score relation.strict gold.jsonl $'go\\xffd.jsonl' poor.jsonl --bootstrap 0 --save r.json "
            f"--format {format_}"
        )
        assert (code, err) == (0, "")
        assert "go" in out
    saved = json.loads((campaign / "r.json").read_bytes())
    assert [each["name"] for each in saved["systems"]] == [r"go\udcffd", "poor"]
    code, _, err = shell("adjudge score relation.strict gold.jsonl $'n\\xffne.jsonl'")
    assert (code, err) == (2, "error: n\\udcffne.jsonl: there is no such file, check the path\n")
    assert shell(f"adjudge {SCORE.replace('good', 'poor')} -o $'o\\xfft'")[0] == 0
    assert Path(os.fsdecode(b"o\xfft")).exists()


def test_devices_and_pipes_stay_what_they_are(campaign: Path) -> None:
    assert shell(f"adjudge {SCORE} --save a.json -o /dev/null")[0] == 0
    assert shell(f"adjudge {SCORE.replace('good', 'poor')} --save b.json -o /dev/null")[0] == 0
    os.mkfifo("pipe")
    code, out, _ = shell("cat pipe & adjudge compare a.json b.json --format csv --save pipe -o table.csv; wait")
    assert code == 0
    assert json.loads(out)["systems"][0]["name"] == "good"
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)
    assert (campaign / "table.csv").read_text().startswith("a,b,metric")


def test_an_interrupt_while_starting(campaign: Path) -> None:
    code = (
        "import sys, builtins\n"
        "def interrupted(name, *rest, real=builtins.__import__):\n"
        "    if name == 'click':\n"
        "        raise KeyboardInterrupt\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = interrupted\n"
        "from adjudge.cli import main\n"
        "main(['metrics'])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "error: interrupted\n")
