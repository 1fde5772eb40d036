"""A short run of every driver, always with the same seeds; `make fuzz` goes on as long as it is told."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.grow import SHAPES, grown
from fuzz.judge import judge
from fuzz.minimise import minimised
from fuzz.mutate import mutant
from fuzz.targets import Target, targets
from fuzz.workers import Count, keep, made

ROOT = Path(__file__).parents[2]


def fuzz(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fuzz", *arguments],
        cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "0"}, text=True, capture_output=True, timeout=600,
    )  # fmt: skip


def test_many_inputs(tmp_path: Path) -> None:
    ran = fuzz("--count", "800", "--seed", "1", "--jobs", "2", "--summary", str(tmp_path / "summary.json"))
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["inputs"] >= 740
    assert {each["target"] for each in summary["targets"]} == {each.name for each in targets()}
    assert set(summary["outcomes"]) == {"value", "refused"}
    # A run in which nothing is read, or nothing refused, has tested nothing.
    assert all(summary["outcomes"][name] > 120 for name in ("value", "refused"))


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_structures_that_hypothesis_chooses(shape: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    chosen = [each for each in targets() if each.shape == shape]
    if not chosen:
        pytest.skip("its targets need a package that is not installed")
    room = tmp_path_factory.mktemp("room")

    @settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(chosen), st.randoms(use_true_random=False))
    def run(target: Target, source: random.Random) -> None:
        data = grown(target.shape, target.corpus(), source)
        finding = judge(target, data, room).finding
        assert finding is None, (finding, data)

    run()


def test_the_same_seed_gives_the_same_inputs() -> None:
    target = targets()[0]
    assert made(target, 3, 5, ("mutate", "grow")) == made(target, 3, 5, ("mutate", "grow"))
    assert len({made(target, seed, 5, ("mutate",)) for seed in range(20)}) > 5


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=3), st.integers(0, 10**6))
def test_the_mutator_takes_anything(seeds: list[bytes], seed: int) -> None:
    assert isinstance(mutant(seeds, random.Random(seed)), bytes)


def test_a_finding_is_made_small_and_kept(tmp_path: Path) -> None:
    small = minimised(b"some\nlines\nwith a bad word\n" * 20, lambda data: b"bad" in data)
    assert small == b"bad"
    finding = {"kind": "exception", "where": "x", "count": 1, "detail": "", "input": small.hex()}
    (path,) = keep(Count("tbf", findings={"x": finding}), tmp_path)
    assert path.parent.name == "tbf"
    assert path.read_bytes() == small


def test_an_unknown_target_is_named() -> None:
    ran = fuzz("--only", "nothing-like-this")
    assert ran.returncode == 1
    assert "there are: ace" in ran.stderr
