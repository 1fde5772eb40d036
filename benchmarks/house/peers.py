"""Other programs: packages in environments of their own, and programs that somebody has in a folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
import warnings
from collections.abc import Callable
from pathlib import Path

from benchmarks.house.measure import Failed

# What is installed by name, in the order of the documentation.
PACKAGES = {
    "metametric": ("metametric==0.2.1",),
    "smatch": ("smatch==1.0.4", "smatchpp==1.8.0"),
    "ner": ("seqeval==1.2.2", "nervaluate==1.2.1"),
    "records": ("anls-star==1.0.1", "stickler-eval==1.0.0", "zss==1.2.0", "nltk==3.10.4"),
    "corefud": ("udapi==0.5.2", "scipy==1.17.0", "numpy==2.4.0"),
    "coref": ("scorch==0.2.0",),  # its environment also has what coval needs, which is in no registry
}


def environment_python(name: str, folder: Path, say: Callable[[str], None] = print) -> Path:
    """The interpreter of an environment with the packages of that name, made on first use."""
    packages = PACKAGES[name]
    python, stamp = folder / "bin" / "python", folder / "packages.txt"
    if python.exists() and stamp.exists() and stamp.read_text().split() == list(packages):
        return python
    say(f"installing {', '.join(packages)} into an environment of their own")
    try:
        venv.create(folder, with_pip=True, clear=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Failed(f"no environment for {name}: {error}") from None
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install", *packages]
    done = subprocess.run(pip, capture_output=True, text=True, check=False, timeout=900)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no reason given"]
        raise Failed(f"pip could not install {' '.join(packages)}: {said[-1][:160]}")
    stamp.write_text("\n".join(packages) + "\n")
    return python


# How a program is recognised: the names of its file, and what has to be beside it, "" for nothing.
PROGRAMS: dict[str, tuple[tuple[str, ...], str]] = {
    "reference scorer": (("scorer.pl",), "lib/CorScorer.pm"),
    "coval": (("scorer.py",), "coval"),
    "corefud-scorer": (("corefud-scorer.py",), "ua-scorer.py"),
    "EvmEval": (("scorer_v*.py",), "conll_coref.py"),
    "conlleval": (("conlleval.pl", "conlleval", "conlleval.txt"), ""),
    "ud-2018": (("conll18_ud_eval.py",), ""),
}


def find_program(name: str, folder: Path | None) -> Path:
    """The file of a program somewhere in a folder; of several, the one that is least deep, and the newest version."""
    patterns, beside = PROGRAMS[name]
    if folder is None:
        raise Failed(f"no folder of programs was given (PROGRAMS=FOLDER with {patterns[0]})")
    for pattern in patterns:
        found = [path for path in folder.rglob(pattern) if path.is_file() and (path.parent / beside).exists()]
        if found:
            return min(sorted(found, reverse=True), key=lambda path: len(path.parts)).resolve()
    raise Failed(f"{patterns[0]} is not in the folder of programs")


def find_python2(given: Path | None = None) -> Path:
    """A Python 2 that runs; some programs of the time need it."""
    places = sorted((Path.home() / ".pyenv" / "versions").glob("2.7*/bin/python2"))
    named = [shutil.which(name) for name in ("python2.7", "python2")]
    for path in [given] if given else [*(Path(each) for each in named if each), *places]:
        try:  # a name on the path may be a stand-in that only says how to install it
            if subprocess.run([path, "-c", ""], capture_output=True, check=False, timeout=30).returncode == 0:
                return path
        except (OSError, subprocess.TimeoutExpired):
            continue
    raise Failed("it needs Python 2, which is not there (PYTHON2=FILE)")


def interpreter_of(program: Path, python2: Path | None = None) -> list[str]:
    """What runs a program: perl, this Python, or Python 2 if this one cannot read it."""
    if program.suffix == ".pl" or program.read_bytes()[:80].split(b"\n")[0].find(b"perl") > 0:
        perl = shutil.which("perl")
        if perl is None:
            raise Failed("perl is not there")
        return [perl]
    # What stands beside it is likely to be imported, and may be what this Python cannot read.
    if all(_compiles(path) for path in [program, *program.parent.glob("*.py")]):
        return [sys.executable]
    return [str(find_python2(python2))]


def _compiles(path: Path) -> bool:
    try:
        with warnings.catch_warnings():  # of old programs, which are not ours to mend
            warnings.simplefilter("ignore")
            compile(path.read_bytes(), str(path), "exec")
    except (SyntaxError, ValueError):
        return False
    return True
