"""Where a run happens: its folders, its peers, its size."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.house.measure import OUT, ROOT, Cost, Turns, alternate, run_process
from benchmarks.house.peers import environment_python, find_program, find_python2, interpreter_of


@dataclass(frozen=True)
class Setting:
    """What benches are given: whether to be quick, and folders of other people's programs and data, if any."""

    quick: bool = False
    programs: Path | None = None
    data: Path | None = None
    python2: Path | None = None
    out: Path = OUT

    def say(self, text: str) -> None:
        """Progress, apart from the result."""
        sys.stderr.write(f"... {text}\n")
        sys.stderr.flush()

    def alternate(
        self, sides: Mapping[str, Callable[[], Cost]], rounds: int = 3, *, fewer: Mapping[str, int] | None = None
    ) -> Turns:
        """The sides in turns; in a quick run two rounds, and one of those that take long (`fewer`)."""
        if not self.quick:
            return alternate(sides, rounds, fewer=fewer)
        return alternate(sides, min(rounds, 2), fewer=dict.fromkeys(fewer or (), 1))

    def python_of(self, name: str) -> Path:
        """The interpreter of an environment with the packages of that name."""
        return environment_python(name, self.out / "env" / name, self.say)

    def program(self, name: str) -> list[str]:
        """The command of a program that the user has."""
        file = find_program(name, self.programs)
        return [*interpreter_of(file, self.python2), str(file)]

    def python2_path(self) -> Path:
        """A Python 2."""
        return find_python2(self.python2)

    def corpus(self, module: str, **shape: Any) -> Path:
        """The folder of a seeded corpus: made once, in a process of its own, so that this one stays small.

        A corpus has another name if the code that makes it changes.
        """
        source = (ROOT / "benchmarks" / "corpora" / f"{module}.py").read_bytes()
        text = json.dumps(shape, sort_keys=True)
        digest = hashlib.sha256(source + text.encode()).hexdigest()[:10]
        folder = self.out / "data" / f"{module}-{digest}"
        if not folder.is_dir():
            self.say(f"making a corpus: {module} {text}")
            fresh = folder.with_suffix(".new")
            shutil.rmtree(fresh, ignore_errors=True)
            fresh.mkdir(parents=True)
            command = [sys.executable, "-m", "benchmarks.corpora", module, str(fresh), text]
            run_process(command, limit=900, PYTHONPATH=str(ROOT))
            fresh.rename(folder)
        return folder

    def scratch(self, name: str) -> Path:
        """An empty folder for what programs write."""
        folder = self.out / "scratch" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder
