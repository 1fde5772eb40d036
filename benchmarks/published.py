"""Published scorers and our modes that stand in for them, on the same files, in one run.

python benchmarks/published.py [--only ner,tree] [--rounds 3] [--peer PYTHON] [--program NAME=FILE ...] [--json FILE]

A case makes two files from a seed, runs both programs on them and compares what they print. The clock is the CPU time
of the processes; what the same command takes on tiny files (starting, importing) is given apart, and the ratio is that
of what is beyond it. Packages are taken from an environment of their own, made on first use; programs that are no
packages are named, for example `--program conlleval=conlleval.pl --program ud-2018=conll18_ud_eval.py`. A case whose
program is not there is timed on our side alone.

Another family adds its cases with `register`.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ENVIRONMENT = HERE / "out" / "published-env"
PACKAGES = ("seqeval==1.2.2", "nervaluate==1.2.1")
SEED = 13


class Case(NamedTuple):
    """`make` writes the files of a size into a folder; `ours` and `peer` are arguments of the two programs.

    `program` is the name under which the peer's file is given, "" if it is Python code for the peers' environment.
    """

    name: str
    make: Callable[[Path, int], None]
    size: int
    ours: tuple[str, ...]
    peer: tuple[str, ...]
    program: str = ""
    same: bool = True  # whether the printed text is compared


CASES: dict[str, Case] = {}


def register(case: Case) -> Case:
    """Add a case to the run."""
    CASES[case.name] = case
    return case


# ---------------------------------------------------------------------------------------------------------------------
# Named entities


def make_tags(folder: Path, tokens: int) -> None:
    """Sentences of 15 tokens, a fifth of them in entities of four types; the system gets 5 % of the tags wrong."""
    rng = random.Random(SEED)
    kinds = ("PER", "LOC", "ORG", "MISC")
    tags = ["O", *(f"{prefix}-{kind}" for prefix in "BI" for kind in kinds)]
    with (
        (folder / "gold").open("w") as gold,
        (folder / "system").open("w") as system,
        (folder / "both").open("w") as both,
    ):
        for _ in range(max(1, tokens // 15)):
            sentence: list[str] = []
            while len(sentence) < 15:
                kind, length = rng.choice(kinds), rng.randint(1, 3)
                sentence += [f"B-{kind}", *[f"I-{kind}"] * (length - 1)] if rng.random() < 0.2 else ["O"]
            for place, tag in enumerate(sentence[:15]):
                guess = rng.choice(tags) if rng.random() < 0.05 else tag
                gold.write(f"word{place} {tag}\n")
                system.write(f"word{place} {guess}\n")
                both.write(f"word{place} {tag} {guess}\n")
            for file in (gold, system, both):
                file.write("\n")


_LOAD = """
import warnings; warnings.simplefilter("ignore")
def load(path):
    return [[line.split()[-1] for line in block.split("\\n")] for block in open(path).read().strip().split("\\n\\n")]
gold, system = load("gold"), load("system")
"""
_SEQEVAL = _LOAD + "from seqeval.metrics import classification_report as report\nprint(report(gold, system))"
_STRICT = (
    _LOAD + "from seqeval.metrics import classification_report as report\nfrom seqeval.scheme import IOB2\n"
    'print(report(gold, system, mode="strict", scheme=IOB2))'
)
_NERVALUATE = (
    _LOAD + "from nervaluate import Evaluator\n"
    'print(Evaluator(gold, system, ["PER", "LOC", "ORG", "MISC"], loader="list").summary_report(), end="")'
)

for _name, _options, _peer, _program in (
    ("conlleval", ("conlleval",), ("both",), "conlleval"),
    ("seqeval", ("seqeval-1.2.2",), (_SEQEVAL,), ""),
    ("seqeval-strict", ("seqeval-1.2.2", "--scheme", "IOB2"), (_STRICT,), ""),
    ("nervaluate", ("nervaluate-1.2.1",), (_NERVALUATE,), ""),
):
    _ours = ("ner", "score", "gold", "system", "--compat", *_options)
    register(Case(f"ner-{_name}", make_tags, 210_000, _ours, _peer, _program))


# ---------------------------------------------------------------------------------------------------------------------
# Trees


def make_trees(folder: Path, words: int) -> None:
    """Sentences of 20 words with random trees; the system has another label for 10 % and another tag for 5 %."""
    rng = random.Random(SEED)
    labels = ("nsubj", "obj", "det", "case", "punct", "obl:tmod", "aux", "mark", "conj", "advmod", "nmod")
    with (folder / "gold").open("w") as gold, (folder / "system").open("w") as system:
        for _ in range(max(1, words // 20)):
            order = rng.sample(range(1, 21), 20)
            heads = {word: rng.choice(order[:place]) if place else 0 for place, word in enumerate(order)}
            for word in range(1, 21):
                form, head = rng.choice(("dog", "house", "running", "the")), heads[word]
                label = rng.choice(labels) if head else "root"
                other = rng.choice(labels) if head and rng.random() < 0.1 else label
                tag = "VERB" if rng.random() < 0.05 else "NOUN"
                row = f"{word}\t{form}\t{form}\t{{}}\tNN\tCase=Nom|Number=Sing\t{head}\t{{}}\t_\t_\n"
                gold.write(row.format("NOUN", label))
                system.write(row.format(tag, other))
            gold.write("\n")
            system.write("\n")


_TREE = ("tree", "score", "gold", "system", "--compat", "ud-2018")
register(Case("tree-ud-2018", make_trees, 50_000, _TREE, ("-v", "gold", "system"), "ud-2018"))


# ---------------------------------------------------------------------------------------------------------------------
# Running


def timed(command: Sequence[str], folder: Path, stdin: Path | None, rounds: int) -> tuple[float, str]:
    """The least CPU time of some runs, and what they print."""
    best, out = float("inf"), ""
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        given = stdin.open("rb") if stdin else subprocess.DEVNULL
        done = subprocess.run(command, cwd=folder, stdin=given, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        out = done.stdout
    return best, out


def measure(case: Case, peer: Path | None, programs: dict[str, str], rounds: int) -> dict[str, object]:
    """One case: seconds of both sides, on small files and beyond."""
    ours = [str(Path(sys.executable).with_name("adjudge")), *case.ours]
    theirs: list[str] | None = None
    if case.program:
        file = programs.get(case.program)
        if file:
            theirs = ["perl" if file.endswith(".pl") else sys.executable, str(Path(file).resolve()), *case.peer]
    elif peer is not None:
        theirs = [str(peer), "-c", *case.peer]
    found: dict[str, object] = {"case": case.name, "size": case.size}
    texts: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        for kind, size in (("start", 30), ("whole", case.size)):
            folder = Path(name) / kind
            folder.mkdir()
            case.make(folder, size)
            for side, command in (("ours", ours), ("peer", theirs)):
                if command is None:
                    continue
                read = None
                if command[0] == "perl":  # a filter: its argument is its input
                    *command, given = command
                    read = folder / given
                found[f"{side} {kind}"], texts[side] = timed(command, folder, read, rounds)
    if theirs is not None:
        found["same"] = texts["ours"] == texts["peer"] if case.same else None
    return found


def peer_python() -> Path:
    """The interpreter of the packages' environment, made on first use."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        venv.create(ENVIRONMENT, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


def main() -> int:
    """Run the cases and print a table; 1 if two programs print different text or we are slower."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="cases whose names begin with one of these", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer", type=Path, help="a Python that has the packages")
    parser.add_argument("--program", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    wanted = tuple(given.only.split(",")) if given.only else ("",)
    chosen = [case for case in CASES.values() if case.name.startswith(wanted)]
    peer = given.peer or (peer_python() if any(not case.program for case in chosen) else None)
    programs = dict(text.split("=", 1) for text in given.program)
    rows = []
    print(f"{'case':<20} {'ours':>8} {'start':>7} {'peer':>8} {'start':>7} {'ratio':>7}  printed")
    for case in chosen:
        row = measure(case, peer, programs, given.rounds)
        ours, start = float(str(row["ours whole"])), float(str(row["ours start"]))
        line = f"{case.name:<20} {ours:8.2f} {start:7.2f}"
        if "peer whole" in row:
            theirs, begun = float(str(row["peer whole"])), float(str(row["peer start"]))
            row["ratio"] = (theirs - begun) / (ours - start)
            line += f" {theirs:8.2f} {begun:7.2f} {row['ratio']:6.1f}x  {'the same' if row['same'] else 'DIFFERENT'}"
        print(line, flush=True)
        rows.append(row)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=2) + "\n")
    return int(any(row.get("same") is False or float(str(row.get("ratio", 2))) < 1 for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
