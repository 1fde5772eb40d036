"""Several processes at once in one folder: they take turns, or all but one say who is at work."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from faults.campaigns import Stages
from faults.harness import Ground, tree

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs locks of POSIX")
ADJUDGE = (sys.executable, "-c", "from adjudge.cli import main; main()")
# Begins when its standard input is closed, so that all begin at once.
TOGETHER = (sys.executable, "-c", "import sys\nfrom adjudge.cli import main, app\nsys.stdin.read()\nmain()")


def at_once(lines: list[list[str]], cwd: Path) -> list[tuple[int, str]]:
    """Run command lines at the same time: exit codes and messages."""
    reading, writing = os.pipe()
    running = [
        subprocess.Popen([*TOGETHER, *line], cwd=cwd, stdin=reading, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        for line in lines
    ]
    os.close(reading)
    os.close(writing)  # an end of file for all of them
    ended = [process.communicate(timeout=120)[1].decode() for process in running]
    return [(process.returncode, error) for process, error in zip(running, ended, strict=True)]


@pytest.mark.parametrize(("writers", "rounds"), [(12, 8), pytest.param(50, 100, marks=pytest.mark.slow)])
def test_writers_of_one_file(tmp_path: Path, writers: int, rounds: int) -> None:
    """The last one wins, none fails, nobody ever sees half a file, and nothing is left beside it."""
    (tmp_path / "out").mkdir()
    crowd = [sys.executable, str(Path(__file__).with_name("crowd.py")), str(tmp_path / "out" / "scores.txt")]
    ran = subprocess.run([*crowd, str(writers), str(rounds)], check=False, capture_output=True, text=True, timeout=900)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_commands_with_one_output(ground: Ground) -> None:
    line = ["schema", "result", "-o", "out.json"]
    work = ground.fresh()
    assert subprocess.run([*ADJUDGE, *line], cwd=work, check=False, capture_output=True).returncode == 0
    alone = tree(work)
    for _ in range(2):
        assert at_once([line] * 6, work) == [(0, "")] * 6
        assert tree(work) == alone


def test_runs_of_a_campaign(stages: Stages) -> None:
    work = stages.begin("pool")
    ended = at_once([["eal", "campaign", "run", "c"]] * 3, work)
    assert 0 in [code for code, _ in ended]
    for code, error in ended:
        assert code == 0 or (code == 2 and "another run is working on this campaign" in error), (code, error)
    assert tree(work) == tree(stages.after["pool"])


def test_beginnings_of_a_campaign(stages: Stages) -> None:
    work = stages.begin("init")
    (work / "c").mkdir()
    ended = at_once([["eal", "campaign", "init", "c", "--demo"]] * 3, work)
    assert sorted(code for code, _ in ended) == [0, 2, 2]
    assert all("there is a campaign already" in error for code, error in ended if code)
    assert tree(work) == tree(stages.after["init"])


def test_pools(ground: Ground) -> None:
    """The store and its provenance are of one and the same pool."""
    pools = (("granite", "marble"), ("granite",), ("marble",))
    lines = [["eal", "pool", *(f"../in/{name}" for name in names), "-o", "new", "--overwrite"] for names in pools]
    results = []
    for line in lines:
        work = ground.fresh()
        assert subprocess.run([*ADJUDGE, *line], cwd=work, check=False, capture_output=True).returncode == 0
        results.append(tree(work))
    work = ground.fresh()
    ended = at_once(lines, work)
    assert 0 in [code for code, _ in ended]
    for code, error in ended:
        assert code == 0 or (code == 2 and "another program is writing to it at this moment" in error), (code, error)
    assert tree(work) in results


def test_merges(ground: Ground) -> None:
    work = ground.fresh()
    shutil.copytree(ground.root / "in" / "key", work / "key")
    before = tree(work)
    line = ["eal", "assessment", "merge", "key", "../in/other-key", "-o", "key", "--overwrite"]
    assert subprocess.run([*ADJUDGE, *line], cwd=work, check=False, capture_output=True).returncode == 0
    merged = tree(work)
    assert merged.keys() == before.keys()
    ended = at_once([line] * 3, work)
    assert 0 in [code for code, _ in ended]
    said = ("locked", "replaced", "is writing", "cannot be read")
    for code, error in ended:
        assert code == 0 or (code == 2 and any(each in error for each in said)), (code, error)
    assert tree(work) == merged


def test_files_of_one_folder(ground: Ground) -> None:
    """They take turns: a folder of many files may be written by many."""
    line = ["nugget", "convert", "../in/gold.tbf", "-t", "../in/tokens", "--texts", "../in/texts", "--to", "brat"]
    work = ground.fresh()
    ended = at_once([[*line, "-o", "new"], ["demo", "--report", "new", "-o", "out"], [*line, "-o", "new"]], work)
    assert [code for code, _ in ended] == [0, 0, 0], ended
    assert "new/extraction.html" in tree(work)
    assert not [name for name in tree(work) if name.split("/")[-1].startswith(".")]
