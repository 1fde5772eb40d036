"""Every input that ever broke something: it must not again. `corpus/TARGET/HASH` is one input."""

from pathlib import Path

import pytest

from fuzz.judge import judge
from fuzz.targets import targets

CORPUS = Path(__file__).parent / "corpus"
INPUTS = sorted(path for path in CORPUS.glob("*/*") if path.is_file())


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_broke_something_does_not_again(path: Path, tmp_path: Path) -> None:
    known = {each.name: each for each in targets()}
    if path.parent.name not in known:
        pytest.skip(f"the target {path.parent.name} needs a package that is not installed")
    outcome = judge(known[path.parent.name], path.read_bytes(), tmp_path, memory=True)
    assert outcome.finding is None, outcome.finding


def test_names_are_hashes() -> None:
    import hashlib

    for path in INPUTS:
        assert path.name == hashlib.sha256(path.read_bytes()).hexdigest()[:16]
