"""Nested records: long lists of lines in one document, and many documents of flat fields; whole processes."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.house.measure import adjudge, run_process
from benchmarks.house.rows import Bench, Found, Row
from benchmarks.house.setting import Setting

_PARSE = "import json, sys\nfor path in sys.argv[1:]:\n    for line in open(path): json.loads(line)\n"


def benches(*, quick: bool) -> list[Bench]:
    lines = 300 if quick else 2_000
    return [
        _lines("nested", lines, _nested, (2.0, 500), judged=not quick),
        _lines("flat", lines, _flat, (1.0, 200), judged=not quick),
        _documents(500 if quick else 10_000, judged=not quick),
    ]


def _nested(rng: random.Random, number: int) -> dict[str, Any]:
    fields = {f"field{place}": rng.randrange(50) if place else number for place in range(20)}
    return {**fields, "parts": [{"code": rng.randrange(100), "count": rng.randrange(10)} for _ in range(3)]}


def _flat(rng: random.Random, number: int) -> dict[str, Any]:
    return {f"field{place}": rng.randrange(5) if place else number for place in range(8)}


def _noisy(value: Any, rng: random.Random) -> Any:
    if isinstance(value, dict):
        return {name: _noisy(each, rng) for name, each in value.items()}
    if isinstance(value, list):
        return [_noisy(each, rng) for each in rng.sample(value, len(value))]
    return value if rng.random() > 0.1 else rng.randrange(50)


def _write(folder: Path, documents: list[Any], rng: random.Random) -> tuple[Path, Path]:
    paths = folder / "gold.jsonl", folder / "system.jsonl"
    for path, change in zip(paths, (lambda value, _: value, _noisy), strict=True):
        lines = (json.dumps({"id": f"d{n}", "records": change(each, rng)}) for n, each in enumerate(documents))
        path.write_text("".join(f"{line}\n" for line in lines))
    return paths


def _ours(paths: tuple[Path, Path], *more: str) -> list[str]:
    return adjudge("record", "score", *paths, "--metric", "record.fields", "--bootstrap", "0", "--quiet", *more)


def _lines(name: str, lines: int, make: Callable[..., Any], bars: tuple[float, float], *, judged: bool) -> Bench:
    what = f"`record score`, one document, {lines:,} x {lines:,} lines, {name}"
    rows = (
        Row("cpu", what, "seconds of CPU", bars[0], at_least=False, judged=judged),
        Row("memory", what, "MB", bars[1], at_least=False, judged=judged),
    )

    def run(setting: Setting) -> Iterator[Found]:
        rng = random.Random(3)
        made = [make(rng, number) for number in range(lines)]
        paths = _write(setting.scratch(f"records-{name}"), [made], rng)
        cost = min((run_process(_ours(paths)) for _ in range(3)), key=lambda each: each.cpu)
        yield Found("cpu", cost.cpu, ours=cost)
        yield Found("memory", cost.megabytes, ours=cost)

    return Bench(f"records/{name}", rows, run)


def _documents(number: int, *, judged: bool) -> Bench:
    what = f"`record score --by field`, {number:,} documents of 20 fields, without start-up"
    row = Row("parsing", what, "times the CPU of parsing both files", 6, at_least=False, judged=judged)

    def run(setting: Setting) -> Iterator[Found]:
        rng = random.Random(4)
        made = [{f"field{n}": f"value {rng.randrange(99)}" for n in range(20)} for _ in range(number)]
        folder = setting.scratch("records-documents")
        small = _write(folder, made[:1], rng)
        start = min(run_process(_ours(small, "--by", "field")).cpu for _ in range(3))
        bare = min(run_process([sys.executable, "-c", _PARSE, *map(str, small)]).cpu for _ in range(3))
        paths = _write(folder, made, rng)
        ours = min((run_process(_ours(paths, "--by", "field")) for _ in range(3)), key=lambda each: each.cpu)
        parsing = min(run_process([sys.executable, "-c", _PARSE, *map(str, paths)]).cpu for _ in range(3))
        yield Found("parsing", (ours.cpu - start) / max(parsing - bare, 1e-3), ours=ours)

    return Bench("records/documents", (row,), run)
