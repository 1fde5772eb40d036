"""`python -m fuzz`: feed every reader, or whole commands, with as many inputs, or for as long, as is said."""

from __future__ import annotations

import argparse
import os
import sys
import time
from functools import partial
from pathlib import Path

from fuzz.targets import chosen, targets
from fuzz.workers import DRIVERS, Count, keep, run_all, summary

CORPUS = Path(__file__).parent.parent / "tests" / "fuzz" / "corpus"


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    options = _parser().parse_args(arguments)
    if options.list:
        print("\n".join(each.name for each in targets()))
        return 0
    if options.diff:
        from fuzz.differential import run_differential

        return run_differential(seconds=options.seconds, count=options.count, seed=options.seed, only=options.only)
    if options.commands:
        return _commands(options)
    if options.coverage:
        from fuzz.coverage import run_coverage

        return run_coverage(chosen(options.only), seconds=options.seconds or 60, seed=options.seed, jobs=options.jobs)
    picked = chosen(options.only)
    count = options.count or (100_000 if options.seconds is None else 1 << 60)
    weights = [1 / each.cost for each in picked]
    counts = [max(1, round(count * weight / sum(weights))) for weight in weights]
    drivers = tuple(options.drivers.split(","))
    start = time.monotonic()
    found = run_all(
        picked,
        seed=options.seed,
        counts=counts,
        seconds=options.seconds,
        jobs=options.jobs,
        drivers=drivers,
        tell=_tell,
    )
    text = summary(found, seed=options.seed, seconds=time.monotonic() - start, drivers=drivers)
    if options.summary:
        Path(options.summary).write_text(text, encoding="utf-8")
    broken = [each for each in found if each.findings]
    for each in broken:
        if options.keep:
            for path in keep(each, Path(options.keep)):
                print(f"    kept: {path}")
    inputs = sum(each.inputs for each in found)
    findings = sum(len(each.findings) for each in broken)
    print(f"{inputs} inputs, {len(found)} targets, {findings} findings, seed {options.seed}")
    return 1 if broken else 0


def _commands(options: argparse.Namespace) -> int:
    from fuzz.forks import Budget, run_commands, summary
    from fuzz.lines import made, made_after_known

    count = options.count or (10_000 if options.seconds is None else None)
    budget = Budget(options.first, count, options.seconds)
    make = partial(made_after_known if options.known else made, options.seed)
    tally = run_commands(make, budget, lambda text: print(text, flush=True))
    print(summary(tally))
    for what, numbers in tally.findings.items():
        print(f"{len(numbers)} times: {what}: numbers {', '.join(map(str, numbers[:5]))}")
    print(f"{tally.inputs} inputs of whole commands, {len(tally.findings)} findings, seed {options.seed}")
    return int(bool(tally.findings))


def _tell(count: Count) -> None:
    outcomes = ", ".join(f"{number} {name}" for name, number in sorted(count.outcomes.items()))
    print(f"{count.target:26}{count.inputs:9} inputs {count.seconds:8.1f} s  {outcomes}", flush=True)
    for finding in count.findings.values():
        print(f"{count.target}: {finding['kind']} ({finding['count']}): {finding['where']}")
        print(f"    {finding['detail'].strip()[-600:]}", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--count", type=int, help="how many inputs in all (default 100000)")
    parser.add_argument("--seconds", type=float, help="how long in all, instead of a count")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="targets whose names have one of these words: tbf,eal")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--drivers", default=",".join(DRIVERS), help="mutate, grow, or both")
    parser.add_argument("--coverage", action="store_true", help="guided by coverage (needs atheris)")
    parser.add_argument("--diff", action="store_true", help="compare implementations instead of breaking readers")
    parser.add_argument("--commands", action="store_true", help="whole commands, with options of all kinds")
    parser.add_argument("--known", action="store_true", help="with --commands: first what was broken once")
    parser.add_argument("--first", type=int, default=0, help="with --commands: the number of the first input")
    parser.add_argument("--summary", help="a file for the counts, as JSON")
    parser.add_argument("--keep", nargs="?", const=str(CORPUS), help="keep what broke something (as a test)")
    parser.add_argument("--list", action="store_true", help="only name the targets")
    return parser


if __name__ == "__main__":
    sys.exit(main())
