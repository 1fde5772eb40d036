"""How many small faults the tests notice: a seeded sample of mutants of algebra/, stats/ and metrics/.

    python tools/mutation/run.py --sample 400 --seed 1

A copy of the project is made; the tests run once in it to see which lines each one runs; then every mutant of the
sample is put into the copy, and the tests that run its line are run until one fails: for all mutants the fastest ones,
and then, for those that survive these, slower ones. The sample is drawn from each folder in proportion to its mutants.
A mutant that no test fails for within the limits counts as survived. Needs Python 3.12 or newer (`sys.monitoring`), on
a system with fork.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from mutants import Mutant, folder_mutants, parses

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("algebra", "stats", "metrics")
COPIED = ("src", "tests", "docs", "pyproject.toml", "README.md", "CONTRIBUTING.md")
TESTS = (
    *("tests/algebra", "tests/stats", "tests/metrics", "tests/laws", "tests/golden", "tests/differential"),
    *(f"src/adjudge/{folder}" for folder in FOLDERS),
    *("tests/tasks/test_scoring.py", "tests/tasks/test_merging.py", "tests/tasks/test_agreement.py"),
    *("tests/scorers", "tests/report/test_render.py", "tests/test_public_api.py"),
    *("tests/cli/test_merge.py", "tests/cli/test_compare.py", "tests/cli/test_agree.py"),
)
# What no other test has noticed: it runs in a process of its own, so that nobody knows which lines it runs.
LAST = "tests/determinism/test_same_bytes.py::test_every_command_writes_the_same_bytes[as they are]"
# Loaded once, before the tests of any mutant: everything heavy that is not the project.
LOADED = (
    *("hypothesis", "hypothesis.strategies", "pytest", "attrs", "pydantic", "jsonschema"),
    *("numpy", "scipy.optimize", "scipy.sparse.csgraph", "msgspec", "yaml", "lxml.etree", "click", "rich"),
)
MEMORY = 4 << 30
NOTICED = ("killed", "timeout")
USAGE_ERROR = 4  # of pytest: there is no such test


class Outcome(NamedTuple):
    """The outcome of a mutant: killed, timeout (which is noticed as well), survived, or no test at all."""

    mutant: Mutant
    verdict: str
    seconds: float
    tests: int
    by: str


def main() -> None:
    """Draw, run, report."""
    options = _options()
    here = options.folder.resolve()
    here.mkdir(parents=True, exist_ok=True)
    notes = _notes(here, options)
    mutants = {f: folder_mutants(here / "copy", f"src/adjudge/{f}") for f in FOLDERS}
    drawn = draw(mutants, options.sample, options.seed, here / "copy")
    print(", ".join(f"{len(own)} mutants of {f}" for f, own in mutants.items()), flush=True)
    if options.survivors:
        again = {
            line.split("\t")[3] for line in options.survivors.read_text().splitlines() if line.startswith("survived")
        }
        drawn = [m for m in drawn if m.shown((here / "copy" / m.path).read_bytes()) in again]
    if options.only:
        drawn = [mutant for mutant in drawn if any(text in mutant.path for text in options.only)]
    outcomes = _run(here, drawn, notes, options)
    lines = [told(each, (here / "copy" / each.mutant.path).read_bytes()) for each in outcomes]
    report = here / f"sample-{options.sample}-seed-{options.seed}.txt"
    report.write_text("\n".join([*sorted(lines), *summary(outcomes), ""]), encoding="utf-8")
    print("\n".join(summary(outcomes)))
    print(f"survivors: {report}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sample", type=int, default=400, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--workers", type=int, default=2, help="how many processes")
    parser.add_argument("--budget", type=float, default=5.0, help="seconds of tests, the fastest, for every mutant")
    parser.add_argument(
        "--patience", type=float, default=90.0, help="seconds of tests for those that survive these; 0: no second look"
    )
    parser.add_argument("--survivors", type=Path, help="look again at the survivors of an earlier report")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutation", help="where the copy and the report go")
    parser.add_argument("--only", nargs="*", default=[], help="of the sample, only files with this in their path")
    parser.add_argument("--again", nargs="*", default=[], help="tests that have changed since, to be looked at again")
    parser.add_argument("--fresh", action="store_true", help="copy the project and look at the tests again")
    return parser.parse_args()


def draw(mutants: dict[str, list[Mutant]], size: int, seed: int, root: Path) -> list[Mutant]:
    """A sample without repetition, from each folder in proportion to its mutants; all of them are programs."""
    rng = random.Random(seed)  # noqa: S311  # nothing is secret
    total = sum(map(len, mutants.values()))
    drawn: list[Mutant] = []
    for own in mutants.values():
        valid = (m for m in rng.sample(own, len(own)) if parses(m.applied((root / m.path).read_bytes())))
        drawn += islice(valid, round(size * len(own) / total))
    rng.shuffle(drawn)  # what is done so far is a fair sample as well
    return drawn


def _notes(here: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Which test runs which lines, from a run of the tests in a fresh copy of the project."""
    file = here / "notes.json"
    if options.fresh or not file.exists():
        shutil.rmtree(here / "copy", ignore_errors=True)
        file.unlink(missing_ok=True)
        _copy(here / "copy", COPIED)
        _watch(here, file, TESTS)
    notes: dict[str, Any] = json.loads(file.read_text())
    if options.again:
        _copy(here / "copy", ("tests",))
        _watch(here, here / "again.json", options.again)
        newer = json.loads((here / "again.json").read_text())
        stale = tuple(options.again)
        kept = {name: note for name, note in notes["tests"].items() if not name.startswith(stale)}
        notes = {"tests": kept | newer["tests"], "failed": sorted({*notes["failed"], *newer["failed"]})}
        file.write_text(json.dumps(notes))
    if notes["failed"]:
        print(f"{len(notes['failed'])} tests do not pass without a mutant, or were skipped, and are left out")
    return notes


def _copy(there: Path, names: Sequence[str]) -> None:
    there.mkdir(parents=True, exist_ok=True)
    for name in names:
        own, ignored = ROOT / name, shutil.ignore_patterns("__pycache__", ".hypothesis")
        if own.is_dir():
            shutil.copytree(own, there / name, ignore=ignored, dirs_exist_ok=True)
        else:
            shutil.copy2(own, there / name)


def _watch(here: Path, file: Path, tests: Sequence[str]) -> None:
    copy = here / "copy"
    there = {"MUTATION_WATCH": str(copy), "MUTATION_NOTES": str(file), "ADJUDGE_CONFORMANCE": str(here / "none")}
    path = os.pathsep.join((str(copy / "src"), str(Path(__file__).parent)))
    command = [sys.executable, "-m", "pytest", "-p", "watch", "-p", "no:xdist", *tests]
    subprocess.run(command, cwd=copy, env={**os.environ, **there, "PYTHONPATH": path}, check=False)  # noqa: S603


def chosen_tests(mutant: Mutant, notes: dict[str, Any], budget: float) -> list[str]:
    """The tests that run the lines of a mutant, fastest first, and then others of its file, while there is time.

    What runs when a module is loaded, or once and is kept, is seen by tests that do not run the line themselves.
    """
    lines = range(mutant.line, mutant.end_line + 1)
    near, far = [], []
    for name, note in notes["tests"].items():
        own = note["lines"].get(mutant.path)
        if own:
            (near if any(line in lines for line in own) else far).append((note["seconds"], name))
    module = Path(mutant.path).stem
    far.sort(key=lambda each: (f"/test_{module}" not in each[1] and f"/{module}.py" not in each[1], each))
    chosen: list[str] = []
    spent = 0.0
    for seconds, name in [*sorted(near), *far]:
        if spent + seconds <= budget or not chosen:
            spent += seconds
            chosen.append(name)
    return chosen


def _run(here: Path, drawn: list[Mutant], notes: dict[str, Any], options: argparse.Namespace) -> list[Outcome]:
    """The outcome of the mutants, by workers that each have a copy of their own."""
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "ADJUDGE_CONFORMANCE": str(here / "none")}  # threads do not fork
    for name in LOADED:
        importlib.import_module(name)
    workers = []
    for number in range(options.workers):
        child = os.fork()
        if child == 0:
            _guarded(lambda own=number: _work(here, own, drawn, notes, options))  # type: ignore[misc]
        workers.append(child)
    failed = [child for child in workers if os.waitpid(child, 0)[1]]
    if failed:
        raise SystemExit("a worker failed, see above")
    outcomes: dict[Mutant, Outcome] = {}
    for number in range(len(workers)):
        for line in (here / f"work-{number}.jsonl").read_text().splitlines():
            place, *rest = json.loads(line)
            outcomes[Mutant(*place)] = Outcome(Mutant(*place), *rest)  # a second look has the last word
    return list(outcomes.values())


def _work(here: Path, number: int, drawn: list[Mutant], notes: dict[str, Any], options: argparse.Namespace) -> None:
    """One share of the mutants."""
    work = here / f"work-{number}"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(here / "copy", work)
    os.chdir(work)
    sys.path.insert(0, str(work / "src"))
    os.environ["PYTHONPATH"] = str(work / "src")
    # Everything is compiled once, and nothing after that: a mutant must not be found in a cache.
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:xdist", *TESTS]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    mine = drawn[number :: options.workers]
    for mutant in mine[:3]:
        source = (work / mutant.path).read_bytes()
        nothing = mutant._replace(start=0, end=0, text="")
        control = _outcome(work, nothing, source, [chosen_tests(mutant, notes, 2.0)], options.patience)
        if control.verdict not in ("survived", "no test"):
            raise SystemExit(f"{mutant.path}: its tests do not pass without a mutant: {control.by or control.verdict}")
    looks = [("", _quick_stages), *([("again ", _slow_stages)] if options.patience else [])]
    noticed = 0
    with (here / f"work-{number}.jsonl").open("w", encoding="utf-8") as out:
        todo = mine
        for look, stages in looks:
            left: list[Mutant] = []
            for done, mutant in enumerate(todo, 1):
                source = (work / mutant.path).read_bytes()
                outcome = _outcome(work, mutant, source, stages(mutant, notes, options), options.patience)
                if outcome.verdict == "survived":
                    left.append(mutant)
                noticed += outcome.verdict in NOTICED
                print(json.dumps(outcome), file=out, flush=True)
                print(f"{look}{done}/{len(todo)}, {noticed} noticed\t{told(outcome, source)}", flush=True)
            todo = left


def _quick_stages(mutant: Mutant, notes: dict[str, Any], options: argparse.Namespace) -> list[list[str]]:
    """The fastest tests: few files first, then more."""
    return staged(chosen_tests(mutant, notes, options.budget), Path(mutant.path).stem)


def _slow_stages(mutant: Mutant, notes: dict[str, Any], options: argparse.Namespace) -> list[list[str]]:
    """Slower tests, and at last the one that sees everything."""
    first = set(chosen_tests(mutant, notes, options.budget))
    slower = [test for test in chosen_tests(mutant, notes, options.patience) if test not in first]
    return [each for each in (slower, [LAST]) if each]


def _outcome(copy: Path, mutant: Mutant, source: bytes, stages: list[list[str]], patience: float) -> Outcome:
    tests = [test for some in stages for test in some]
    if not tests:
        return Outcome(mutant, "no test", 0.0, 0, "")
    file, start = copy / mutant.path, time.monotonic()
    for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*"):
        compiled.unlink()
    file.write_bytes(mutant.applied(source))
    log = copy.parent / f"{copy.name}.log"
    try:
        code: int | None = 0
        for some in stages:
            code = _tested(some, log, 30 + 3 * patience)
            # A mutant may change which cases a test has, which in itself fails nothing.
            while code == USAGE_ERROR and (left := _without_missing(some, log, copy)) != some:
                some = left
                code = _tested(some, log, 30 + 3 * patience) if some else 0
            if code != 0:
                break
    finally:
        file.write_bytes(source)
    verdict = {None: "timeout", 0: "survived"}.get(code, "killed")
    text = log.read_text(encoding="utf-8", errors="replace") if verdict == "killed" else ""
    by = next((line for line in text.splitlines() if line.startswith(("FAILED", "ERROR"))), "")[:150]
    if verdict == "killed" and not by and code is not None and code > 2:  # of pytest, not of a test
        raise SystemExit(f"pytest ended with {code}:\n{text[-3000:]}")
    return Outcome(mutant, verdict, time.monotonic() - start, len(tests), by)


def _without_missing(tests: list[str], log: Path, copy: Path) -> list[str]:
    """Without the tests of which pytest could not find a case in a file that it could load; it does not say which."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    missing = {line.removeprefix(f"ERROR: not found: {copy}/").split("[")[0] for line in lines}
    return [test for test in tests if test.split("[")[0] not in missing]


def staged(tests: list[str], module: str) -> list[list[str]]:
    """The same tests, those of few files first: most mutants die there, and the other files need not be loaded.

    Files that are named after the module come first, then those with most of the tests.
    """
    files: dict[str, list[str]] = {}
    for test in tests:
        files.setdefault(test.split("::")[0], []).append(test)
    order = sorted(files, key=lambda name: (module not in name.rsplit("/", 1)[1], -len(files[name])))
    stages = [order[:2], order[2:6], order[6:]]
    found = [[test for name in names for test in files[name]] for names in stages]
    return [each for each in found if each]


def _tested(tests: list[str], log: Path, limit: float) -> int | None:
    child = os.fork()
    if child == 0:
        _child(tests, log, int(limit))
    code = _wait(child, 20 * limit)  # a busy machine is no endless loop
    return None if code == -signal.SIGXCPU else code


def _child(tests: list[str], log: Path, seconds: int) -> None:
    """Run the tests within these seconds of work, and leave with the code of pytest."""
    import pytest

    os.setsid()
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 10))
    given = ["-x", "-p", "no:xdist", "-p", "quick", "--hypothesis-profile=mutation", "--tb=line"]
    given += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of what is loaded already
    _guarded(lambda: int(pytest.main([*given, *tests])))


def _guarded(work: Callable[[], int | None]) -> None:
    """Do something in a forked process, and end it whatever happens."""
    code = 99
    try:
        code = work() or 0
    except SystemExit as error:
        print(error, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _wait(child: int, limit: float) -> int | None:
    """The exit code of a child; None if it had to be ended."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def told(outcome: Outcome, source: bytes) -> str:
    """One line of the report."""
    size = f"{outcome.seconds:.1f} s\t{outcome.tests} tests"
    return f"{outcome.verdict}\t{size}\t{outcome.mutant.shown(source)}\t{outcome.by}"


def summary(outcomes: list[Outcome]) -> list[str]:
    """The figures, in all and by folder."""
    lines = []
    for folder in ("", *FOLDERS):
        own = [each for each in outcomes if each.mutant.path.startswith(f"src/adjudge/{folder}")]
        if own:
            noticed = sum(each.verdict in NOTICED for each in own)
            low, high = wilson(noticed, len(own))
            late = sum(each.verdict == "timeout" for each in own)
            lines.append(
                f"{folder or 'all':8} {noticed} of {len(own)} noticed ({late} by the time limit): "
                f"{100 * noticed / len(own):.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
            )
    return lines


def wilson(right: int, number: int, z: float = 1.96) -> tuple[float, float]:
    """The interval of a share (Wilson 1927)."""
    share, width = right / number, z * z / number
    middle = (share + width / 2) / (1 + width)
    reach = z * math.sqrt(share * (1 - share) / number + width / number / 4) / (1 + width)
    return max(0.0, middle - reach), min(1.0, middle + reach)


if __name__ == "__main__":
    main()
