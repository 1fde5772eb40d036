"""Whether what is released works elsewhere: `python tools/release/check_dist.py dist`.

The wheel is installed into empty environments, for every supported Python that there is, once with the oldest and once
with the newest dependencies that pyproject.toml allows. In each one the demo of every task runs, every command prints
its help, and every scoring command gives the bytes that are kept in tests/determinism. Then it is checked that the
wheel has all data and no tests, and that the tests of the source distribution can be collected where it was unpacked.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from pythons import found  # noqa: E402

LIMIT = 900  # seconds for any one step
LARGEST = 2_000_000  # bytes of the wheel
TASKS = ("extraction", "coref", "nugget", "eal", "kbp")
IN_SDIST = (
    *("pyproject.toml", "Makefile", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "CITATION.cff"),
    *("mkdocs.yml", "action.yml", "tests/conftest.py", "tests/determinism/expected.json", "tests/golden/coref.json"),
    *("docs/README.md", "docs/reference.py", "benchmarks/README.md", "tools/pythons.py", "src/adjudge/__init__.py"),
)
DEMO = "adjudge/demo/data"  # packed by hatch_build.py
EVERY_HELP = """
import click
from adjudge.cli.app import app as program
def walk(command, names):
    with click.Context(command, info_name=" ".join(names)) as context:
        text = command.get_help(context)
        assert text.startswith("Usage: " + " ".join(names)), names
        number = 1
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                number += walk(command.get_command(context, name), [*names, name])
    return number
print(walk(program, ["adjudge"]))
"""


def oldest(pyproject: Mapping[str, object], version: str) -> list[str]:
    """Constraints to the lower bounds of the dependencies for a version of Python.

    >>> project = {"project": {"dependencies": ["a>=1.2", "b>=2; python_version < '3.13'"]}}
    >>> oldest(project, "3.11"), oldest(project, "3.13")
    (['a==1.2', 'b==2'], ['a==1.2'])
    """
    from packaging.requirements import Requirement

    found = []
    for text in pyproject["project"]["dependencies"]:  # type: ignore[index]
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"python_version": version}):
            lower = [each.version for each in requirement.specifier if each.operator == ">="]
            assert len(lower) == 1, f"{text} needs one lower bound"
            found.append(f"{requirement.name}=={lower[0]}")
    return found


def main() -> None:
    """Check everything, and say what was checked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("dist", type=Path)
    parser.add_argument("--python-folder", nargs="*", default=[], help="where else to look for interpreters")
    options = parser.parse_args()
    (wheel,), (sdist,) = (sorted(options.dist.resolve().glob(each)) for each in ("*.whl", "*.tar.gz"))
    check_wheel(wheel)
    check_sdist(sdist)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    pythons = found(options.python_folder)
    if not pythons:
        raise SystemExit("no supported Python was found")
    for version, python in pythons.items():
        for which in ("oldest", "newest"):
            start = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                constraints = oldest(project, version) if which == "oldest" else []
                told = check_installed(wheel, Path(folder), python, constraints)
            print(f"Python {version}, {which}: {told} ({time.monotonic() - start:.0f} s)", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        print(f"source distribution: {check_collects(sdist, Path(folder), next(iter(pythons.values())))}")


def check_wheel(wheel: Path) -> None:
    """All files of the package are in the wheel, and nothing else but its metadata; it is not too large."""
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if not name.endswith("/")}
        with zipfile.ZipFile(io.BytesIO(archive.read(f"{DEMO}.zip"))) as packed:
            inside |= {f"{DEMO}/{name}" for name in packed.namelist()}
    inside.remove(f"{DEMO}.zip")
    source = ROOT / "src"
    ours = {
        path.relative_to(source).as_posix()
        for path in (source / "adjudge").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    foreign = {name for name in inside - ours if not re.match(r"adjudge-[^/]+\.dist-info/", name)}
    if ours - inside or foreign:
        raise SystemExit(f"{wheel.name} lacks {sorted(ours - inside)[:9]} and has besides {sorted(foreign)[:9]}")
    if wheel.stat().st_size > LARGEST:
        raise SystemExit(f"{wheel.name} has {wheel.stat().st_size:,} bytes, more than {LARGEST:,}")
    kinds = sorted({Path(name).suffix or Path(name).name for name in ours} - {".py"})
    print(f"{wheel.name}: {len(ours)} files, {wheel.stat().st_size >> 10} KiB; data: {' '.join(kinds)}"[:400])


def check_sdist(sdist: Path) -> None:
    """What the tests of a source distribution need is in it."""
    with tarfile.open(sdist) as archive:
        inside = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    missing = [name for name in IN_SDIST if name not in inside]
    left = [name for name in inside if re.search(r"__pycache__|\.venv|\.pyc$|^build/|^dist/|^\.ci/|/out/", name)]
    if missing or left:
        raise SystemExit(f"{sdist.name} lacks {missing} and has {left[:9]} that do not belong there")
    print(f"{sdist.name}: {len(inside)} files, {sdist.stat().st_size >> 10} KiB")


def check_installed(wheel: Path, folder: Path, python: str, constraints: Sequence[str]) -> str:
    """Install the wheel where there is nothing else, and use it."""
    run([python, "-m", "venv", str(folder / "env")], folder)
    there = str(folder / "env/bin/python")
    (folder / "constraints.txt").write_text("".join(f"{each}\n" for each in constraints))
    pip = [there, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--only-binary", ":all:"]
    run([*pip, "--constraint", "constraints.txt", str(wheel)], folder)
    versions = run([there, "-c", "import numpy, scipy; print(numpy.__version__, scipy.__version__)"], folder).split()
    work = folder / "work"
    work.mkdir()
    command = str(folder / "env/bin/adjudge")
    assert wheel.name.split("-")[1] in run([command, "--version"], work)
    for task in TASKS:
        printed = run([command, "demo", task, "--report", "reports"], work)
        assert printed.strip(), f"adjudge demo {task} printed nothing"
        assert (work / f"reports/{task}.html").stat().st_size > 1000
    helps = run([there, "-c", EVERY_HELP], work).strip()
    digests = run([there, str(ROOT / "tests/determinism/runs.py"), str(work / "runs")], work)
    if digests.split() != (ROOT / "tests/determinism/expected.json").read_text().split():
        raise SystemExit(f"with numpy {versions[0]} the scores differ from those in tests/determinism:\n{digests}")
    return f"numpy {versions[0]}, scipy {versions[1]}; {len(TASKS)} demos, {helps} helps, the expected bytes"


def check_collects(sdist: Path, folder: Path, python: str) -> str:
    """Unpack, install, and collect the tests: no module of theirs needs a file that is missing."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (project,) = (path for path in folder.iterdir() if path.is_dir())
    run([python, "-m", "venv", str(folder / "env")], folder)
    there = str(folder / "env/bin/python")
    pip = [there, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    run([*pip, "--upgrade", "pip>=25.1"], folder)
    run([*pip, "--group", "test", ".[serve,postgres]"], project)
    told = run([there, "-m", "pytest", "--collect-only", "-p", "no:xdist"], project)
    own = ["tests/release", "tests/test_readme.py", "tests/test_public_api.py", "tests/golden/test_coref.py"]
    run([there, "-m", "pytest", "-q", "-p", "no:xdist", *own], project)
    return told.strip().splitlines()[-1]


def run(command: Sequence[str], folder: Path) -> str:
    """What a command prints; anything but success ends the check."""
    clean = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PIP_REQUIRE", "VIRTUAL_ENV"))
    }
    done = subprocess.run(  # noqa: S603
        list(command), cwd=folder, capture_output=True, text=True, check=False, timeout=LIMIT, env=clean
    )
    if done.returncode:
        raise SystemExit(
            f"{' '.join(command)[:300]}\nended with {done.returncode}:\n{done.stdout}{done.stderr}"[-5000:]
        )
    return done.stdout


if __name__ == "__main__":
    main()
