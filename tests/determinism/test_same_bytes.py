"""The same inputs give the same JSON, to the byte.

Whatever the seed of hashes, the order of the documents in their files, and the number of processes; and, because the
digests are kept here, whatever the Python and the releases of numpy and scipy.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXPECTED = HERE / "expected.json"
HOW = "if the numbers were meant to change: python tests/determinism/runs.py FOLDER > tests/determinism/expected.json"


def started(folder: Path, *options: str, hashes: str) -> dict[str, str]:
    command = [sys.executable, str(HERE / "runs.py"), str(folder), *options]
    environment = {**os.environ, "PYTHONHASHSEED": hashes}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("hashes", "options"),
    [
        pytest.param("0", (), id="as they are"),
        pytest.param("1", ("--shuffle", "1", "--jobs", "2"), id="another order, two processes"),
        pytest.param("2718", ("--shuffle", "2"), id="yet another order"),
    ],
)
def test_every_command_writes_the_same_bytes(tmp_path: Path, hashes: str, options: tuple[str, ...]) -> None:
    found, expected = started(tmp_path / "runs", *options, hashes=hashes), json.loads(EXPECTED.read_text())
    assert found.keys() == expected.keys()
    changed = sorted(name for name in expected if found[name] != expected[name])
    assert not changed, f"other bytes than before from: {', '.join(changed)}; {HOW}"


def test_the_digest_sees_a_changed_number(tmp_path: Path) -> None:
    sys.path.insert(0, str(HERE))
    try:
        from runs import plain
    finally:
        sys.path.remove(str(HERE))
    text = '{"adjudge": "1.0", "signature": "score|gold:12ab|v:1.0|in:34cd", "value": 0.25}'
    assert plain(text) == plain(text.replace("12ab", "99").replace("1.0", "2.0"))
    assert plain(text) != plain(text.replace("0.25", "0.2500000001"))
