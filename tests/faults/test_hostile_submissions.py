"""Every command that takes an archive refuses a hostile one with its reason, and touches nothing."""

import io
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.demo import eal
from faults.harness import tree

COMMANDS = [
    "eal validate ARCHIVE",
    "eal validate ARCHIVE --dump",
    "eal filter-quotes ARCHIVE --docs sources -o out",
    "eal expand-justifications ARCHIVE --docs sources -o out.zip",
    "eal trim ARCHIVE -o out",
    "eal top ARCHIVE -n 3 -o out",
    "eal pool ARCHIVE granite -o out",
    "eal baseline-link ARCHIVE -o out",
    "eal neutralize granite --realis --coref --key ARCHIVE -o out",
    "eal assessment create granite --onto ARCHIVE -o out",
    "eal assessment merge key ARCHIVE -o out",
    "eal assessment check ARCHIVE",
    "eal assessment progress ARCHIVE",
    "eal assessment repair ARCHIVE -o out",
    "eal frames template ARCHIVE -o out",
    "eal frames read ARCHIVE key -o out",
    "eal frames project frames ARCHIVE key -o out",
    "eal score --key key ARCHIVE",
    "eal score --key ARCHIVE granite",
    "eal score --key key --frames ARCHIVE granite",
    "eal graphs --key key ARCHIVE -o out",
    "eal report --key key ARCHIVE -o out.html",
]


def traversal(path: Path) -> str:
    with zipfile.ZipFile(path.with_suffix(".zip"), "w") as packed:
        packed.writestr("../../planted", "x")
    return "leads out of the archive"


def link(path: Path) -> str:
    with tarfile.open(path.with_suffix(".tgz"), "w:gz") as packed:
        member = tarfile.TarInfo("arguments")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc"
        packed.addfile(member)
    return "is a symbolic link"


def bomb(path: Path) -> str:
    with tarfile.open(path.with_suffix(".tgz"), "w:gz") as packed:
        member = tarfile.TarInfo("arguments/D")
        member.size = 20 << 20
        packed.addfile(member, io.BytesIO(bytes(member.size)))
    return "times its size"


def truncated(path: Path) -> str:
    with zipfile.ZipFile(path.with_suffix(".zip"), "w") as packed:
        packed.writestr("arguments/D", "x" * 1000)
    path.with_suffix(".zip").write_bytes(path.with_suffix(".zip").read_bytes()[:-30])
    return "is damaged"


ATTACKS = [traversal, link, bomb, truncated]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "a" / "b"
    folder.mkdir(parents=True)
    for name, source in (("key", eal.ASSESSMENTS), ("frames", eal.FRAMES), ("granite", eal.SUBMISSIONS["granite"])):
        shutil.copytree(source, folder / name)
    shutil.copytree(eal.SOURCES, folder / "sources")
    return folder


@pytest.mark.parametrize("attack", ATTACKS)
def test_commands(
    inputs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], attack: Callable[[Path], str]
) -> None:
    monkeypatch.chdir(inputs)
    says = attack(inputs / "hostile")
    (archive,) = inputs.glob("hostile.*")
    try:
        before = tree(inputs.parents[1])
        for line in COMMANDS[:: 4 if attack is bomb else 1]:
            code = run(line.replace("ARCHIVE", archive.name).split())
            out, err = capsys.readouterr()
            assert code == 1, (line, code, err)
            assert says in out + err, (line, out, err)
            assert archive.name in out + err
            assert tree(inputs.parents[1]) == before, line
    finally:
        archive.unlink()


def test_submissions_to_a_campaign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of others go on."""
    campaign = tmp_path / "a" / "c"
    assert run(["eal", "campaign", "init", str(campaign), "--demo", "--quiet"]) == 0
    says = {}
    for attack in ATTACKS:
        says[attack.__name__] = attack(campaign / "submissions" / attack.__name__)
    assert run(["eal", "campaign", "run", str(campaign)]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    for name, reason in says.items():
        assert f"validate {name}".ljust(21) + "failed" in out
        assert reason in (campaign / "reports" / f"validate-{name}.txt").read_text()
    assert "pool                 done" in out
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert [path.name for path in campaign.parent.iterdir()] == ["c"]
