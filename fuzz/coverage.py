"""Inputs that are kept if they reach code that none before has reached: atheris on every target, one after the other.

Each target is a process of its own (libFuzzer does not come back). Half of the changes are libFuzzer's, half ours.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fuzz.targets import Target, targets

ROOT = Path(__file__).parent.parent
LONGEST = 1 << 14


def run_coverage(chosen: Sequence[Target], *, seconds: float, seed: int, jobs: int, keep: Path | None = None) -> int:
    """All targets for the same time; 1 if one of them breaks."""
    try:
        import atheris  # noqa: F401
    except ImportError:
        print(
            "atheris is not installed here (make fuzz installs it where it can): the other drivers do without",
            file=sys.stderr,
        )
        return 0
    share = max(1, round(seconds * jobs / len(chosen)))
    with ThreadPoolExecutor(jobs) as pool:
        ran = list(pool.map(lambda target: _run(target, share, seed, keep), chosen))
    inputs, broken = sum(number for number, _ in ran), [name for _, name in ran if name]
    print(f"{inputs} inputs guided by coverage, {len(chosen)} targets, {len(broken)} findings, seed {seed}")
    return 1 if broken else 0


def _run(target: Target, seconds: int, seed: int, keep: Path | None) -> tuple[int, str | None]:
    with tempfile.TemporaryDirectory() as place:
        corpus = Path(place, "corpus")
        corpus.mkdir()
        for data in target.corpus():
            (corpus / hashlib.sha256(data).hexdigest()).write_bytes(data)
        limits = [
            f"-max_total_time={seconds}",
            f"-seed={seed}",
            f"-max_len={LONGEST}",
            "-print_final_stats=1",
            "-rss_limit_mb=3000",
        ]
        code = "import sys; from fuzz.coverage import inside; inside(sys.argv)"
        command = [sys.executable, "-c", code, target.name, str(corpus), f"-artifact_prefix={place}/", *limits]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
        said = ran.stderr.decode("utf-8", "replace")
        counted = re.search(r"stat::number_of_executed_units: *(\d+)", said)
        reached = re.findall(r"cov: (\d+)", said)
        number = int(counted[1]) if counted else 0
        print(f"{target.name:26}{number:9} inputs, {reached[-1] if reached else 0} edges", flush=True)
        if ran.returncode == 0:
            return number, None
        print(f"{target.name}: broken\n{ran.stdout.decode('utf-8', 'replace')[-2000:]}{said[-2000:]}")
        for path in Path(place).glob("*-*"):
            data = path.read_bytes()
            folder = (keep or ROOT / "build" / "fuzz") / target.name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
            print(f"    kept: {folder / hashlib.sha256(data).hexdigest()[:16]}")
        return number, target.name


def inside(arguments: list[str]) -> None:
    """One target, in the process that libFuzzer takes over."""
    import random

    import atheris

    from fuzz.judge import judge
    from fuzz.mutate import mutant

    (target,) = (each for each in targets() if each.name == arguments[1])
    room = Path(tempfile.mkdtemp(prefix="fuzz-"))
    tempfile.tempdir = str(room)
    seeds = target.corpus()
    with atheris.instrument_imports(include=["adjudge"]):
        for data in seeds:  # loads what the target needs
            judge(target, data, room)

    def one(data: bytes) -> None:
        finding = judge(target, data, room).finding
        if finding is not None:
            print(finding, flush=True)
            raise RuntimeError(finding.where)

    def change(data: bytes, size: int, seed: int) -> bytes:
        source = random.Random(seed)
        return mutant((bytes(data), *seeds), source)[:size] if seed % 2 else atheris.Mutate(data, size)

    atheris.Setup([arguments[0], *arguments[2:]], one, custom_mutator=change)
    atheris.Fuzz()
