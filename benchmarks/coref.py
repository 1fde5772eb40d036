"""What coreference scoring costs, whole processes included: ours, and whichever peers the options point at.

    python benchmarks/coref.py [--corpora C1,C2,C3,H] [--perl scorer.pl] [--coval scorer.py] [--json FILE]

The corpora look like CoNLL-2012 files: 12 TAB columns, sentences of 20 tokens, 11.5 tokens per mention; the response is
the key with 14 % of the mentions dropped, 6 % moved to another chain, some chains split or merged, and 15 % spurious
mentions. They are made from a seed, so that two runs measure the same files.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

Span = tuple[int, int]
Chains = list[list[Span]]

_UNIT = 1 if sys.platform == "darwin" else 1024  # ru_maxrss counts bytes there, kilobytes elsewhere
_METRICS = ("muc", "bcub", "ceafm", "ceafe", "blanc")
_SEED = 13


@dataclass(frozen=True)
class Shape:
    """Documents, mentions of each, mentions per chain, share of moved mentions, whether chains are heavy-tailed."""

    documents: int
    mentions: int
    per_chain: float = 4.3
    moved: float = 0.06
    heavy: bool = False


CORPORA = {
    "C1": Shape(1, 200),
    "C2": Shape(348, 58),
    "C3": Shape(1, 20_000, 5.0, heavy=True),
    "C4": Shape(5_000, 60),
    "H": Shape(1, 20_000, 5.0, moved=0.5, heavy=True),
    "S1000": Shape(1, 1_000, 5.0),
}


@dataclass(frozen=True)
class Cost:
    """User and system time of a process and its children, and the most memory it held."""

    cpu: float
    megabytes: float


# ---------------------------------------------------------------------------------------------------------------------
# Corpora


def write_corpus(shape: Shape, key: Path, response: Path) -> None:
    rng = random.Random(_SEED)
    with key.open("w") as ours, response.open("w") as theirs:
        for number in range(shape.documents):
            name = f"bench/{number:05d}"
            mentions = max(4, round(shape.mentions * rng.uniform(0.6, 1.4))) if shape.documents > 1 else shape.mentions
            tokens = round(11.5 * mentions)
            spans = _spans(mentions + mentions // 5, tokens, rng)
            spare = spans[mentions:]
            chains = _chains(spans[:mentions], shape, rng)
            ours.write(_document(name, tokens, chains))
            theirs.write(_document(name, tokens, _disturbed(chains, spare, shape, rng)))


def _spans(number: int, tokens: int, rng: random.Random) -> list[Span]:
    found: dict[Span, None] = {}
    while len(found) < number:
        first = rng.randrange(tokens)
        length = rng.choices((1, 2, 3, 4, 6, 9), (45, 25, 12, 8, 6, 4))[0]
        found[first, min(tokens - 1, first + length - 1)] = None
    return list(found)


def _chains(spans: list[Span], shape: Shape, rng: random.Random) -> Chains:
    number = max(1, round(len(spans) / shape.per_chain))
    if shape.heavy:
        weights = [1 / (rank + 1) for rank in range(number)]
        places = [*range(number), *rng.choices(range(number), weights, k=len(spans) - number)]
    else:
        places = [*range(number), *(rng.randrange(number) for _ in range(len(spans) - number))]
    chains: Chains = [[] for _ in range(number)]
    for span, place in zip(spans, places, strict=True):
        chains[place].append(span)
    return chains


def _disturbed(chains: Chains, spare: list[Span], shape: Shape, rng: random.Random) -> Chains:
    kept: Chains = [[span for span in chain if rng.random() >= 0.14] for chain in chains]
    moving: list[Span] = []
    for chain in kept:
        leaving = [span for span in chain if rng.random() < shape.moved]
        moving += leaving
        chain[:] = [span for span in chain if span not in leaving] if leaving else chain
    spurious = spare[: round(0.15 * sum(map(len, chains)))]
    for span in (*moving, *spurious):
        rng.choice(kept).append(span)
    done: Chains = []
    for chain in kept:
        if len(chain) > 3 and rng.random() < 0.1:
            cut = rng.randrange(1, len(chain))
            done += [chain[:cut], chain[cut:]]
        elif done and rng.random() < 0.05:
            done[-1] = [*done[-1], *chain]
        else:
            done.append(chain)
    return [chain for chain in done if chain]


def _document(name: str, tokens: int, chains: Chains) -> str:
    items: dict[int, list[str]] = {}
    for number, chain in enumerate(chains):
        taken: set[int] = set()
        for first, last in chain:
            if first == last:
                items.setdefault(first, []).append(f"({number})")
            elif taken.isdisjoint(range(first, last + 1)):  # brackets of one chain that cross would be read as others
                taken.update(range(first, last + 1))
                items.setdefault(first, []).append(f"({number}")
                items.setdefault(last, []).append(f"{number})")
    lines = [f"#begin document ({name}); part 000"]
    for token in range(tokens):
        if token and token % 20 == 0:
            lines.append("")
        column = "|".join(items.get(token, ["-"]))
        lines.append(f"{name}\t0\t{token % 20}\tword\tNN\t(NP*)\t-\t-\t-\tspeaker\t*\t{column}")
    return "\n".join([*lines, "", "#end document", ""])


# ---------------------------------------------------------------------------------------------------------------------
# Processes


def cost(command: list[str]) -> Cost:
    """What a command needs, its children included."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, env=_environment())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise SystemExit(f"{' '.join(command)} failed:\n{errors.read().decode(errors='replace')}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _UNIT / 1e6)


def _environment() -> dict[str, str]:
    """Ours, but Python may keep compiled files, as it does for an installed program."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "adjudge-bench-pycache")}


def summed(costs: list[Cost]) -> Cost:
    return Cost(sum(each.cpu for each in costs), max(each.megabytes for each in costs))


def measure(name: str, folder: Path, options: argparse.Namespace) -> dict[str, Cost]:
    shape, key, response = CORPORA[name], folder / "key.conll", folder / "response.conll"
    # In a process of its own: a process starts with the memory of the one that made it, and would report that.
    subprocess.run([sys.executable, __file__, "--write", name, str(key), str(response)], check=True)
    files = [str(key), str(response)]
    ours = [sys.executable, "-c", "from adjudge.cli import main; main()", "coref", "score", *files]
    loaded = [sys.executable, "-c", "import numpy.random; from adjudge.cli import main; main()", *ours[3:]]
    cost([*ours, "--bootstrap", "10"])  # compiled files and the disk are warm from here on
    programs = {
        "adjudge": [[*ours, "--bootstrap", "0"]],
        "adjudge --compat": [[*ours, "--compat", "conll-8.01", "--quiet"]],
        "adjudge with intervals": [[*ours, "--bootstrap", "1000"]],
        "adjudge, numpy loaded": [[*loaded, "--bootstrap", "0"]],
    }
    if options.perl and shape.mentions <= options.perl_limit:
        programs["reference scorer"] = [["perl", options.perl, metric, *files, "none"] for metric in _METRICS]
    if options.coval and shape.mentions <= options.coval_limit:
        programs["coval"] = [[options.coval_python, options.coval, *files]]
    # In rounds, so that a busy minute of the machine is a busy minute for all of them.
    runs: dict[str, list[Cost]] = {program: [] for program in programs}
    for number in range(options.repeats):
        for program, commands in programs.items():
            if number < options.peer_repeats or program.startswith("adjudge"):
                runs[program].append(summed([cost(command) for command in commands]))
    return {
        program: Cost(min(run.cpu for run in each), min(run.megabytes for run in each))
        for program, each in runs.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", default="C1,C2,C3,H", help=f"from {', '.join(CORPORA)}")
    parser.add_argument("--perl", metavar="SCORER.PL", help="the reference scorer 8.01")
    parser.add_argument("--coval", metavar="SCORER.PY", help="coval's scorer.py")
    parser.add_argument("--coval-python", default=sys.executable, help="the interpreter that has what coval needs")
    parser.add_argument("--perl-limit", type=int, default=1_000, help="mentions of one document it is given at most")
    parser.add_argument("--coval-limit", type=int, default=4_000, help="mentions of one document it is given at most")
    parser.add_argument("--repeats", type=int, default=3, help="rounds; of each program the cheapest run counts")
    parser.add_argument("--peer-repeats", type=int, default=3, help="rounds in which the peers run too")
    parser.add_argument("--write", nargs=3, metavar=("CORPUS", "KEY", "RESPONSE"), help="only write a corpus")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures here too")
    options = parser.parse_args()
    if options.write:
        write_corpus(CORPORA[options.write[0]], Path(options.write[1]), Path(options.write[2]))
        return
    figures = {}
    print(f"{'corpus':8}{'program':24}{'CPU s':>9}{'ratio':>8}{'MB':>8}")
    for name in options.corpora.split(","):
        with tempfile.TemporaryDirectory() as folder:
            found = measure(name, Path(folder), options)
        base = found["adjudge"].cpu
        for program, each in found.items():
            print(f"{name:8}{program:24}{each.cpu:9.3f}{each.cpu / base:8.1f}{each.megabytes:8.0f}", flush=True)
        figures[name] = {program: asdict(each) for program, each in found.items()}
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
