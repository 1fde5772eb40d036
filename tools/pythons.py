"""The supported interpreters of this machine, one path per line: `python tools/pythons.py [FOLDER...]`.

Supported are the versions that pyproject.toml names. Looked at are the path, the folders given, and what pyenv and uv
have installed; a name that does not run (as those of pyenv for versions that are not chosen) is passed over.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def supported() -> list[str]:
    """The versions in pyproject.toml, such as 3.11."""
    return re.findall(r'"Programming Language :: Python :: (3\.\d+)"', (ROOT / "pyproject.toml").read_text())


def found(folders: Sequence[str] = ()) -> dict[str, str]:
    """A working interpreter of each supported version that there is."""
    chosen = {}
    for version in supported():
        for candidate in _candidates(version, folders):
            if _runs(candidate, version):
                chosen[version] = candidate
                break
    return chosen


def _candidates(version: str, folders: Sequence[str]) -> Iterator[str]:
    name = f"python{version}"
    for folder in folders:
        yield str(Path(folder) / name)
    on_path = shutil.which(name)
    if on_path:
        yield on_path
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT", home / ".pyenv"))
    for root in (pyenv / "versions", home / ".local/share/uv/python"):
        yield from (str(path) for path in sorted(root.glob(f"*{version}.*/bin/{name}"), reverse=True))


def _runs(python: str, version: str) -> bool:
    code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:
        return False
    return done.returncode == 0 and done.stdout.strip() == version


if __name__ == "__main__":
    print("\n".join(found(sys.argv[1:]).values()))
