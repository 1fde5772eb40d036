"""What has no end is refused, or read up to a limit: devices, pipes."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from adjudge import bounded
from adjudge.bounded import file_bytes, file_text
from adjudge.errors import FormatError
from adjudge.findings import Findings
from adjudge.formats.source import read_bytes, read_lines
from adjudge.memory import held_to

needs_devices = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
READERS = [
    file_bytes,
    file_text,
    lambda path: read_bytes(path, path),
    lambda path: list(read_lines(path, Findings(path))),
]


@needs_devices
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/urandom"])
@pytest.mark.parametrize("read", READERS)
def test_a_device_without_an_end_is_refused(read: Callable[[str], object], device: str) -> None:
    with held_to(1 << 28), pytest.raises(FormatError) as caught:
        read(device)
    assert str(caught.value) == f"{device}: this is a device, which may have no end, name a file"


@pytest.mark.parametrize("read", READERS)
def test_the_empty_device_is_an_empty_file(read: Callable[[str], object]) -> None:
    assert not read(os.devnull)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize("read", READERS)
def test_a_pipe_has_a_limit(read: Callable[[str], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "PIPED", 1 << 20)
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)

    def write(size: int) -> None:
        with contextlib.suppress(BrokenPipeError):
            Path(pipe).write_bytes(b"x O\n" * (size // 4))

    for size in (1 << 20, (1 << 20) + 4):
        writer = Thread(target=write, args=(size,))
        writer.start()
        if size <= 1 << 20:
            assert len(read(pipe)) in (size, size // 4)  # type: ignore[arg-type]
        else:
            with pytest.raises(FormatError, match=r"pipe: more than 1 MiB came through a pipe, .*, write it to a file"):
                read(pipe)
        writer.join()


@needs_devices
@pytest.mark.parametrize(
    "line",
    [
        "ner score gold.bio -",
        "ner score gold.bio /dev/stdin",
        "doctor -",
        "compare /dev/zero",
        "record score gold.bio gold.bio --schema /dev/zero",
        "eal validate gold.bio --ontology /dev/zero",
        "nugget validate gold.bio --types /dev/zero",
        "estimate /dev/zero gold.bio --design /dev/zero",
    ],
)
def test_commands_refuse_what_has_no_end(line: str, tmp_path: Path) -> None:
    (tmp_path / "gold.bio").write_text("He O\ndied B-X\n")
    code = (
        "import sys\nfrom adjudge.cli import run\nfrom adjudge.memory import held_to\n"
        "with held_to(1 << 28):\n    sys.exit(run(sys.argv[1:]))\n"
    )
    with Path("/dev/zero").open("rb") as endless:
        command = [sys.executable, "-c", code, *line.split()]
        ran = subprocess.run(command, cwd=tmp_path, stdin=endless, capture_output=True, text=True, check=False)
    assert ran.returncode in (1, 2), ran.stderr
    assert "this is a device, which may have no end, name a file" in ran.stderr
