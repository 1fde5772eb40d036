"""What was left behind is told from what is at work, removed, and put back."""

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge import temporary
from adjudge.files import write_atomically

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs locks of POSIX")

HOLDER = """
import sys, time
from adjudge import temporary
if sys.argv[1] == "guard":
    with temporary.guarded(sys.argv[2]) as mine:
        print(mine, flush=True)
        time.sleep(60)
else:
    name, handle = (temporary.make_file if sys.argv[1] == "file" else temporary.make_folder)(sys.argv[2])
    print(name, flush=True)
    time.sleep(60)
"""


def holder(kind: str, path: Path) -> tuple["subprocess.Popen[str]", str]:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, kind, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def kill(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_at_work_stays_and_what_was_left_goes(tmp_path: Path, kind: str) -> None:
    process, name = holder(kind, tmp_path / "a")
    try:
        assert temporary.is_held(name)
        temporary.sweep(tmp_path / "a")
        assert Path(name).exists()
    finally:
        kill(process)
    assert temporary.is_held(name) is False
    temporary.sweep(tmp_path / "b")  # another name
    assert Path(name).exists()
    temporary.sweep(tmp_path / "a")
    assert names(tmp_path) == []


def test_the_next_writer_clears_up(tmp_path: Path) -> None:
    process, _ = holder("file", tmp_path / "a")
    kill(process)
    assert len(names(tmp_path)) == 1
    write_atomically(tmp_path / "a", b"new")
    assert names(tmp_path) == ["a"]


def test_names_that_only_look_alike_stay(tmp_path: Path) -> None:
    kept = [
        ".a.0123456789a",
        ".a.0123456789abc",
        ".a.0123456789aB",
        "a.0123456789ab",
        ".a.0123456789ab.new",
        ".ab.lock",
    ]
    for name in kept:
        (tmp_path / name).touch()
    (tmp_path / ".a.0123456789ab").symlink_to(tmp_path / "a.0123456789ab")
    temporary.sweep(tmp_path / "a")
    temporary.sweep_folder(tmp_path)
    assert names(tmp_path) == sorted([*kept, ".a.0123456789ab"])  # a link is nobody's unfinished file


def test_what_was_put_aside_is_put_back(tmp_path: Path) -> None:
    old, new = tmp_path / ".a.0123456789ab.old", tmp_path / ".a.0123456789ab"
    for folder, text in ((old, "old"), (new, "new")):
        folder.mkdir()
        (folder / "x").write_text(text)
    temporary.sweep(tmp_path / "a")
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a" / "x").read_text() == "old"
    # If the name is taken, it was replaced.
    old.mkdir()
    temporary.sweep_folder(tmp_path)
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a" / "x").read_text() == "old"


def test_one_at_a_time(tmp_path: Path) -> None:
    process, mine = holder("guard", tmp_path / "a")
    try:
        assert mine == "True"
        with temporary.guarded(tmp_path / "a") as second:
            assert second is False
        with temporary.guarded(tmp_path / "b") as other:
            assert other is True
    finally:
        kill(process)
    assert names(tmp_path) == [".a.adjudge-lock"]
    with temporary.guarded(tmp_path / "a") as second:  # the lock of somebody who was killed holds nobody up
        assert second is True
    assert names(tmp_path) == []


def test_or_one_after_the_other(tmp_path: Path) -> None:
    program = (
        "import sys, time\nfrom adjudge import temporary\n"
        "with temporary.guarded(sys.argv[1], wait=True):\n"
        "    began = time.time(); time.sleep(0.2); print(began, time.time())\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "a")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    times = sorted(tuple(map(float, process.communicate(timeout=60)[0].split())) for process in running)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(times))
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", ["x" * 255, "\u674e" * 85])
def test_the_longest_name(tmp_path: Path, name: str) -> None:
    write_atomically(tmp_path / name, b"data")
    assert names(tmp_path) == [name]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    temporary.sweep(tmp_path / "no" / "a")
    temporary.sweep_folder(tmp_path / "no")
