"""Two implementations of one thing on random data: a fast one and an obvious one, or one way and another.

They are tests of the project, and run with it; here they run again and again with new seeds, until a number of examples
or a time is reached. `AREAS` says what is compared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent

AREAS: dict[str, tuple[str, ...]] = {
    # The planner against plain loops, on random metrics and data that fits them
    "algebra": (
        "tests/algebra/test_plan.py",
        "tests/laws/test_catalogue_laws.py",
        "tests/algebra/solve/test_latent.py",
        "tests/algebra/solve/test_order.py",
        "tests/algebra/test_normalise.py",
    ),
    # Coreference as the reference scorer 8.01 reads and counts
    "coref": (
        "tests/formats/test_conll.py",
        "tests/tasks/test_coref_counts.py",
        "tests/tasks/test_clusterings.py",
        "tests/metrics/test_coref.py",
    ),
    # Event nuggets: reading, mapping, the best of equal mappings, sequencing, conversion
    "nugget": (
        "tests/formats/test_tbf.py",
        "tests/tasks/nugget/test_mapping.py",
        "tests/tasks/nugget/test_double_annotation.py",
        "tests/tasks/nugget/test_sequencing.py",
        "tests/tasks/nugget/test_boundaries.py",
        "tests/tasks/nugget/test_conversion.py",
        "tests/metrics/test_nugget.py",
    ),
    # Event arguments and linking in the profiles of 2014 and 2015 and after the specification
    "eal": (
        "tests/tasks/eal/test_scoring.py",
        "tests/tasks/eal/test_link.py",
        "tests/tasks/eal/test_trim.py",
        "tests/tasks/eal/test_top.py",
        "tests/tasks/eal/test_quotes.py",
        "tests/tasks/eal/test_frames.py",
        "tests/tasks/eal/test_merge.py",
        "tests/tasks/eal/test_sensitivity.py",
    ),
    # Knowledge bases: paths, resamples, explanations and alignment against sets of paths; all engines
    "kbp": (
        "tests/tasks/kbp/test_paths.py",
        "tests/tasks/kbp/test_masks.py",
        "tests/tasks/kbp/test_sampling.py",
        "tests/tasks/kbp/test_scoring.py",
        "tests/tasks/kbp/test_alignment.py",
        "tests/tasks/kbp/test_relations.py",
        "tests/tasks/kbp/test_explain.py",
    ),
    # Published scorers after a transcription of their rules
    "published": (
        "tests/fuzz/test_slow_profiles.py",
        "tests/scorers/test_muc4.py",
        "tests/metrics/test_amr.py",
        "tests/stats/test_agreement.py",
    ),
    # One process and several, parts that are merged and the whole, files that stream and files that are held
    "engines": (
        "tests/fuzz/test_engines.py",
        "tests/tasks/test_merging.py",
    ),
}


class Counting:
    """A plugin of pytest that draws more examples, and counts them."""

    def __init__(self, factor: int) -> None:
        self.factor = factor
        self.counts: dict[str, int] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Only properties stay, each with more examples, none of them always the same."""
        kept = [item for item in items if getattr(getattr(item, "obj", None), "is_hypothesis_test", False)]
        items[:] = kept
        for function in {getattr(item.obj, "__func__", item.obj) for item in kept}:
            self._widen(function)

    def _widen(self, function: Any) -> None:
        from hypothesis import settings

        old = function._hypothesis_internal_use_settings
        more = settings(
            old, max_examples=old.max_examples * self.factor, derandomize=False, deadline=None, database=None
        )
        function._hypothesis_internal_use_settings = more
        inner, name = function.hypothesis.inner_test, f"{function.__module__}.{function.__name__}"
        counts = self.counts

        def counted(*arguments: Any, **options: Any) -> Any:
            counts[name] = counts.get(name, 0) + 1
            return inner(*arguments, **options)

        counted.__signature__ = __import__("inspect").signature(inner)  # type: ignore[attr-defined]
        counted.__name__, counted.__module__ = inner.__name__, inner.__module__
        function.hypothesis.inner_test = counted


def run_differential(*, seconds: float | None, count: int | None, seed: int, only: str | None) -> int:
    """Round after round with another seed, until there is enough; a failure ends it."""
    areas = [name for name in AREAS if not only or any(word in name for word in only.split(","))]
    if not areas:
        raise SystemExit(f"no area is called {only}; there are: {', '.join(AREAS)}")
    start, total, turn = time.monotonic(), 0, 0
    while turn == 0 or (total < (count or 0) if seconds is None else time.monotonic() - start < seconds):
        for area in areas:
            code, counts = _round(area, seed + turn)
            total += sum(counts.values())
            print(
                f"{area:12}seed {seed + turn:<8}{sum(counts.values()):9} examples of {len(counts)} properties",
                flush=True,
            )
            if code:
                print(f"{area}: the two sides differ; again with: make fuzz DIFF=1 ONLY={area} SEED={seed + turn}")
                return 1
            if turn and seconds is not None and time.monotonic() - start > seconds:
                break
        turn += 1
    print(f"{total} examples, {len(areas)} areas, {turn} rounds, seed {seed}, no difference")
    return 0


def _round(area: str, seed: int) -> tuple[int, dict[str, int]]:
    """One area in a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place) / "counts.json"
        code = "import sys; from fuzz.differential import _inside; sys.exit(_inside(*sys.argv[1:]))"
        command = [sys.executable, "-c", code, area, str(seed), str(report)]
        ran = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
        return ran.returncode, json.loads(report.read_text()) if report.exists() else {}


def _inside(area: str, seed: str, report: str, factor: str = "1") -> int:
    import pytest

    plugin = Counting(int(factor))
    code = pytest.main(
        ["-q", "-p", "no:xdist", "--no-header", f"--hypothesis-seed={seed}", *AREAS[area]], plugins=[plugin]
    )
    Path(report).write_text(json.dumps(plugin.counts))
    return int(code)
