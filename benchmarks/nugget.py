"""What nugget scoring with coreference costs, whole processes included: ours, and the official program if pointed at.

    python benchmarks/nugget.py [--corpora 1000x60,200x240] [--evmeval FOLDER --python2 PYTHON] [--json FILE]

A corpus of documents x nuggets is made from a seed: character spans, 8 % of the nuggets annotated twice, 45 % of the
clusters with more than one nugget; the system finds about 70 % of the spans, some only in part, and gets some types,
realis values and clusters wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from coref import Cost, cost

CORPORA = ("200x60", "200x120", "1000x60", "200x240")
TYPES = [f"{kind}_{name}" for kind in ("Life", "Conflict", "Movement", "Justice", "Contact") for name in "ABCDEFG"]
REALIS = ("Actual", "Actual", "Actual", "Generic", "Other")
_SEED = 13

Line = tuple[int, int, str, str]


def write_corpus(shape: str, gold: Path, system: Path) -> None:
    documents, nuggets = map(int, shape.split("x"))
    rng = random.Random(_SEED)
    with gold.open("w") as ours, system.open("w") as theirs:
        for number in range(documents):
            name = f"bench_{number:05d}"
            lines = _nuggets(nuggets, rng)
            clusters = _apart(_clusters(len(lines), rng), lines)
            ours.write(_document(name, lines, clusters, "gold"))
            found, kept = _found(lines, rng)
            theirs.write(_document(name, found, _apart(_disturbed(clusters, kept, len(found), rng), found), "system"))


def _nuggets(number: int, rng: random.Random) -> list[Line]:
    lines: list[Line] = []
    at = 0
    while len(lines) < number:
        at += rng.randrange(15, 90)
        end = at + rng.randrange(3, 12)
        lines.append((at, end, rng.choice(TYPES), rng.choice(REALIS)))
        if rng.random() < 0.08 and len(lines) < number:
            lines.append((at, end, rng.choice(TYPES), rng.choice(REALIS)))
        at = end
    return lines


def _clusters(number: int, rng: random.Random) -> list[list[int]]:
    order = list(range(number))
    rng.shuffle(order)
    clusters = []
    while order:
        size = rng.choice((2, 2, 3, 5)) if rng.random() < 0.45 else 1
        clusters.append([order.pop() for _ in range(min(size, len(order)))])
    return clusters


def _apart(clusters: list[list[int]], lines: list[Line]) -> list[list[int]]:
    """The clusters without a second nugget of the same span in one of them, which is not allowed."""
    done = []
    for cluster in clusters:
        spans = {lines[place][:2]: place for place in cluster}
        done.append(list(spans.values()))
    return done


def _found(lines: list[Line], rng: random.Random) -> tuple[list[Line], dict[int, int]]:
    """What the system has, and which gold line a system line comes from."""
    found: list[Line] = []
    kept: dict[int, int] = {}
    for place, (begin, end, type_, realis) in enumerate(lines):
        if rng.random() < 0.25:
            continue
        if rng.random() < 0.1:
            begin += rng.randrange(-3, 3)
        kept[place] = len(found)
        found.append(
            (
                max(0, begin),
                max(begin + 1, end),
                rng.choice(TYPES) if rng.random() < 0.15 else type_,
                rng.choice(REALIS) if rng.random() < 0.2 else realis,
            )
        )
    for _ in range(len(lines) // 4):
        begin = rng.randrange(lines[-1][1] + 100)
        found.append((begin, begin + rng.randrange(3, 12), rng.choice(TYPES), rng.choice(REALIS)))
    return found, kept


def _disturbed(clusters: list[list[int]], kept: dict[int, int], size: int, rng: random.Random) -> list[list[int]]:
    mapped = [[kept[place] for place in cluster if place in kept] for cluster in clusters]
    moving = [place for cluster in mapped for place in cluster if rng.random() < 0.2]
    moving += range(len(kept), size)
    left = [[place for place in cluster if place not in moving] for cluster in mapped]
    for place in moving:
        if rng.random() < 0.5:
            left.append([place])
        else:
            rng.choice(left).append(place)
    return left


def _document(name: str, lines: list[Line], clusters: list[list[int]], side: str) -> str:
    text = [f"#BeginOfDocument {name}"]
    for place, (begin, end, type_, realis) in enumerate(lines):
        text.append(f"{side}\t{name}\tE{place}\t{begin},{end}\tword{place}\t{type_}\t{realis}")
    for number, cluster in enumerate(clusters):
        if len(cluster) > 1:
            text.append(f"@Coreference\tR{number}\t{','.join(f'E{place}' for place in cluster)}")
    return "\n".join([*text, "#EndOfDocument", ""])


def measure(shape: str, folder: Path, options: argparse.Namespace) -> dict[str, Cost]:
    gold, system = folder / "gold.tbf", folder / "system.tbf"
    # In a process of its own: a process starts with the memory of the one that made it, and would report that.
    subprocess.run([sys.executable, __file__, "--write", shape, str(gold), str(system)], check=True)
    files = ["-g", str(gold), "-s", str(system)]
    ours = [sys.executable, "-c", "from adjudge.cli import main; main()", "nugget", "score", *files, "--coref"]
    cost([*ours, "--bootstrap", "10"])  # compiled files and the disk are warm from here on
    programs = {
        "adjudge": [*ours, "--bootstrap", "0"],
        "adjudge --compat": [*ours, "--compat", "evmeval-1.8", "--quiet"],
        "adjudge with intervals": [*ours, "--bootstrap", "1000"],
    }
    if options.evmeval:
        program = str(Path(options.evmeval) / "scorer_v1.8.py")
        programs["EvmEval 1.8"] = [
            options.python2,
            program,
            *files,
            "-c",
            str(folder / "coref"),
            "-o",
            str(folder / "o"),
        ]
    # In rounds, so that a busy minute of the machine is a busy minute for all of them.
    runs: dict[str, list[Cost]] = {program: [] for program in programs}
    for number in range(options.repeats):
        for program, command in programs.items():
            if number == 0 or program.startswith("adjudge"):
                runs[program].append(cost(command))
    return {
        program: Cost(min(run.cpu for run in each), min(run.megabytes for run in each))
        for program, each in runs.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", default="1000x60,200x240", help="documents x nuggets, such as 200x60")
    parser.add_argument("--evmeval", metavar="FOLDER", help="the official program, with its reference scorer")
    parser.add_argument("--python2", metavar="PYTHON", default="python2", help="what runs it")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="also write the numbers")
    parser.add_argument("--write", nargs=3, metavar=("SHAPE", "GOLD", "SYSTEM"), help="only write a corpus")
    options = parser.parse_args()
    if options.write:
        shape, gold, system = options.write
        write_corpus(shape, Path(gold), Path(system))
        return
    found = {}
    for shape in options.corpora.split(","):
        with tempfile.TemporaryDirectory() as folder:
            costs = measure(shape, Path(folder), options)
        found[shape] = {program: asdict(each) for program, each in costs.items()}
        base = costs["adjudge"]
        print(f"{shape}:")
        for program, each in costs.items():
            ratio = f"{each.cpu / base.cpu:8.1f} x" if program != "adjudge" else ""
            print(f"  {program:24} {each.cpu:8.2f} s CPU {each.megabytes:8.1f} MB {ratio}")
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
