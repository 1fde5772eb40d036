"""A disk that is small, closed or full, and a standard output that takes nothing: one line, and nothing is left."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.harness import Ground, Ran, tree
from faults.writers import WRITERS, Writer

BY_NAME = {writer.name: writer for writer in WRITERS}
FILE = BY_NAME["report_--output_out.txt"]
STORE = BY_NAME["eal_pool_--output_new"]
ARCHIVE = BY_NAME["eal_trim_--output_new.tar.gz"]
FOLDER = BY_NAME["nugget_convert_--output_new"]
KINDS = [FILE, STORE, ARCHIVE, FOLDER]
NOBODY = 65534


def refused(ran: Ran, *says: str) -> None:
    assert ran.code == 2, ran
    assert ran.out == ""
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1, ran.err
    for each in says:
        assert each in ran.err


@pytest.fixture
def mounted(ground: Ground) -> Iterator[Path]:
    """A disk of 40 KiB beside the inputs."""
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    place = ground.root / "disk"
    place.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", str(place)], check=False, capture_output=True, text=True
    )
    if mount.returncode:
        place.rmdir()
        pytest.skip(f"a disk cannot be mounted here: {mount.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)
        place.rmdir()


@pytest.mark.parametrize("writer", KINDS, ids=lambda writer: writer.name)
def test_a_small_disk(ground: Ground, mounted: Path, writer: Writer) -> None:
    (mounted / "old").write_bytes(bytes(24 << 10))
    before = tree(mounted)
    refused(ground.nursery.run(writer.arguments, mounted), writer.outputs[-1], "No space left on device", "make room")
    assert tree(mounted) == before


def test_a_campaign_on_a_small_disk(ground: Ground, mounted: Path) -> None:
    refused(ground.nursery.run(("eal", "campaign", "init", "c", "--demo"), mounted), "c: cannot be made: No space left")
    assert tree(mounted) == {}


@pytest.mark.parametrize("writer", KINDS, ids=lambda writer: writer.name)
def test_a_disk_that_is_read_only(ground: Ground, mounted: Path, writer: Writer) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(mounted)], check=True)
    refused(ground.nursery.run(writer.arguments, mounted), writer.outputs[-1])
    assert tree(mounted) == {}


@pytest.mark.parametrize("writer", KINDS, ids=lambda writer: writer.name)
def test_files_that_may_not_grow(ground: Ground, writer: Writer) -> None:
    work = ground.fresh()
    old = ground.fill(writer, work)
    ran = ground.nursery.run(writer.again, work, size=100)
    refused(ran, "File too large")
    assert tree(work) == old


@pytest.mark.parametrize("writer", KINDS, ids=lambda writer: writer.name)
def test_a_folder_of_somebody_else(ground: Ground, writer: Writer) -> None:
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root can become somebody else; tests of each writer cover the rest")
    # The folders of pytest are closed to others.
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        root.chmod(0o755)
        shutil.copytree(ground.root / "in", root / "in")
        (root / "work").mkdir()
        ran = ground.nursery.run(writer.arguments, root / "work", uid=NOBODY)
        refused(ran, writer.outputs[-1])
        assert "permission" in ran.err.lower() or "may not be written" in ran.err
        assert tree(root / "work") == {}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_the_full_device(ground: Ground) -> None:
    line = (*FILE.arguments[:-1], "/dev/full")
    refused(ground.nursery.run(line, ground.fresh()), "/dev/full: cannot be written: No space left on device")
    dump = ("eal", "validate", "@granite", "--docs", "@sources", "--dump", "-o", "/dev/full")
    refused(ground.nursery.run(dump, ground.fresh()), "/dev/full: cannot be written: No space left on device")
    for name in ("schema", "eal_proposal-tables", "kbp_validate", "compare"):
        ground.check_printing(BY_NAME[f"{name}_--output_out.txt"])
