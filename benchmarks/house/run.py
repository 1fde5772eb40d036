"""Run the benches one after the other, write results as they come, judge."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from adjudge._version import __version__
from benchmarks.house.measure import OUT, ROOT, Failed
from benchmarks.house.rows import Bench, Found, Line, lines_of, select
from benchmarks.house.setting import Setting
from benchmarks.house.table import load_lines, machine, missed, page, results, save, show_value, summary, text_line

PAGE = ROOT / "docs" / "benchmarks.md"


def run_all(
    benches: list[Bench], setting: Setting, target: Path, *, minutes: float = math.inf, **about: Any
) -> tuple[list[Line], dict[str, Any]]:
    """Lines of all benches; `target` has at every moment what is known so far. After `minutes` no more are begun."""
    lines: list[Line] = []
    took: dict[str, float] = {}
    facts = {**about, "machine": machine(), "load": os.getloadavg()[0], "quick": setting.quick, "seconds": took}
    begun = time.perf_counter()
    for number, bench in enumerate(benches, 1):
        start = time.perf_counter()
        if start - begun > 60 * minutes:
            bench = bench._replace(run=_too_late)
        setting.say(f"{number} of {len(benches)}, {start - begun:,.0f} s so far: {bench.name}")
        for line in lines_of(bench, setting):
            lines.append(line)
            print(text_line(line), flush=True)
            save(results(lines, **facts), target)
        took[bench.name] = round(time.perf_counter() - start, 1)
    data = results(lines, **facts)
    save(data, target)
    return lines, data


def measure_again(lines: Sequence[Line], benches: Iterable[Bench], setting: Setting) -> list[Line]:
    """The lines, with these benches measured a second time as a whole, whether they met their bars or missed them.

    The second time stands, whatever it says, and the note has what was found at first: a shared machine has bad
    minutes, and good ones.
    """
    first = {(line.bench, line.row.key): line for line in lines}
    found = dict(first)
    for bench in benches:
        setting.say(f"again: {bench.name}")
        for line in lines_of(bench, setting):
            print(text_line(line), flush=True)
            key = line.bench, line.row.key
            known = key in first and first[key].found.value is not None
            before = f"{show_value(first[key])} the first time" if known else ""
            notes = "; ".join(filter(None, (line.found.note, before)))
            found[key] = line._replace(found=line.found._replace(note=notes))
    return list(found.values())


def _too_late(_: Setting) -> list[Found]:
    raise Failed("the time that was given is up")


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, write; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="What adjudge costs, side by side with other programs, in one run.",
    )
    parser.add_argument("--quick", action="store_true", help="smaller shapes, whose bars are not judged; five minutes")
    parser.add_argument("--only", default="", metavar="NAMES", help="such as coref,eal/scores; see --list")
    parser.add_argument("--programs", type=Path, metavar="FOLDER", help="official programs, found by name")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="data sets, found by name")
    parser.add_argument("--python2", type=Path, metavar="FILE", help="for programs that need it")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin nothing more after this time")
    parser.add_argument("--list", action="store_true", help="print names and bars, and run nothing")
    parser.add_argument("--json", type=Path, default=OUT / "results.json", metavar="FILE", help="where results go")
    parser.add_argument("--write-docs", action="store_true", help="also write docs/benchmarks.md, after a full run")
    parser.add_argument(
        "--again",
        type=Path,
        metavar="FILE",
        help="measure all benches of saved results, or those of --only, a second time, met or missed",
    )
    parser.add_argument("--from", dest="saved", type=Path, metavar="FILE", help="write the page from saved results")
    given = parser.parse_args(arguments)
    if given.saved:
        PAGE.write_text(page(json.loads(given.saved.read_bytes())), encoding="utf-8")
        return 0
    from benchmarks.parts import all_benches

    only = [name for name in given.only.split(",") if name]
    benches = select(all_benches(quick=given.quick), only)
    if not benches:
        parser.error(f"there is no bench {given.only}; see --list")
    if given.write_docs and ((only and not given.again) or given.quick):
        parser.error("--write-docs is for a full run: leave --only and --quick out")
    if given.again and given.quick:
        parser.error("--again is for a full run: leave --quick out")
    for folder in (given.programs, given.data):
        if folder is not None and not folder.is_dir():
            parser.error(f"{folder} is not a folder")
    if given.list:
        for bench in benches:
            for row in bench.rows:
                limit = "" if row.bar is None else f"  [{'at least' if row.at_least else 'at most'} {row.bar:,g}]"
                print(f"{bench.name}: {row.what}: {row.unit}{limit}")
        return 0
    setting = Setting(given.quick, given.programs, given.data, given.python2)
    today = datetime.now(UTC).date().isoformat()
    if given.again:
        data = json.loads(given.again.read_bytes())
        lines = measure_again(load_lines(data), benches, setting)
        data = {**data, **results(lines)}
        save(data, given.json)
    else:
        lines, data = run_all(benches, setting, given.json, minutes=given.minutes, date=today, version=__version__)
    if given.write_docs:
        PAGE.write_text(page(data), encoding="utf-8")
    print(f"\n{summary(lines)} Written: {given.json}")
    below = missed(lines)
    for line in below:
        print(f"MISSED {text_line(line)}", file=sys.stderr)
    return 1 if below else 0
