"""Smatch side by side with the programs smatch and smatchpp, on the same pairs of graphs, in one run.

python benchmarks/smatch.py FOLDER               every pair of every set of FOLDER; the peers take an hour or more
python benchmarks/smatch.py FOLDER --pairs 10    the first ten pairs of every set

FOLDER has NAME.gold.amr.gz, NAME.pred.amr.gz and NAME.expected.tsv (pair, matched triples, triples of both sides). The
peers are installed by name into an environment of their own (benchmarks/out/smatch-env, made once). CPU time is that of
reading the graphs from text and matching them, in a process of its own for each set and side. The run prints a table
and exits with 1 if a bar is missed: the known optimum on every pair, never a lower score than a peer, at least 4 times
less CPU time than smatchpp on all sets together, and at least 15 times less than smatch on those of 40 variables and
more.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import subprocess
import sys
import time
import venv
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PEERS = ("smatch==1.0.4", "smatchpp==1.8.0")
SIDES = ("ours-as-smatch", "smatch", "ours-as-smatchpp", "smatchpp")
LARGE = 40.0
BARS = {"smatchpp": 4.0, "smatch": 15.0}
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


def graphs(path: Path) -> list[str]:
    """The graphs of a file, each as one line."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        blocks = stream.read().split("\n\n")
    lines = (" ".join(line.strip() for line in block.split("\n") if not line.startswith("#")) for block in blocks)
    return [line for line in lines if line.strip()]


def scorer(side: str) -> Any:
    """The function from two texts (system, gold) to the number of matched triples."""
    sys.path = [path for path in sys.path if Path(path).resolve() != HERE]  # this file has the name of a peer
    if side == "smatch":
        climber: Any = import_module("smatch")

        def by_smatch(system: str, gold: str) -> int:
            matched = climber.get_amr_match(system, gold)[0]
            climber.match_triple_dict.clear()
            return int(matched)

        return by_smatch
    if side == "smatchpp":
        solver = import_module("smatchpp.solvers").get_solver("ilp")
        standard = import_module("smatchpp.formalism.amr.tools").AMRStandardizer()
        peer: Any = import_module("smatchpp").Smatchpp(alignmentsolver=solver, graph_standardizer=standard)
        return lambda system, gold: int(peer.process_pair(system, gold)[0]["main"][0])
    from adjudge.model.penman import parse
    from adjudge.tasks.catalogue import amr_smatch, amr_smatchpp
    from adjudge.tasks.catalogue.amr_counts import best_match

    if side == "ours-as-smatch":
        return lambda system, gold: best_match(*(amr_smatch.triples(parse(text)) for text in (system, gold))).value
    return lambda system, gold: amr_smatchpp.observe(*(amr_smatchpp.triples(parse(t), "amr") for t in (system, gold)))[
        0
    ]


def work(side: str, folder: Path, name: str, pairs: int) -> None:
    """Score one set and print the CPU time and the matched triples of every pair."""
    system, gold = (graphs(folder / f"{name}.{kind}.amr.gz")[:pairs] for kind in ("pred", "gold"))
    score = scorer(side)
    sys.stdout.flush()
    start = time.process_time()
    matched = [score(*pair) for pair in zip(system, gold, strict=True)]
    print("\n" + json.dumps({"cpu": time.process_time() - start, "matched": matched}))


def peer_python(folder: Path) -> Path:
    """The Python of an environment with both peers, made if it is not there."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
    return python


def measured(python: Path | str, side: str, folder: Path, name: str, pairs: int) -> dict[str, Any]:
    """What a worker found."""
    command = [str(python), str(Path(__file__).resolve()), str(folder), "--pairs", str(pairs), "--work", side, name]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **ONE_THREAD})
    found: dict[str, Any] = json.loads(done.stdout.strip().split("\n")[-1])
    return found


def variables(folder: Path, name: str) -> float:
    """The mean number of variables of a system graph."""
    texts = graphs(folder / f"{name}.pred.amr.gz")
    return sum(text.count(" / ") for text in texts) / len(texts)


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=10**9, help="how many pairs of each set")
    parser.add_argument("--peers", type=Path, default=HERE / "out" / "smatch-env", help="the environment of the peers")
    parser.add_argument("--work", nargs=2, metavar=("SIDE", "SET"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work[0], given.folder, given.work[1], given.pairs)
        return 0
    python = peer_python(given.peers)
    names = sorted(path.name.removesuffix(".expected.tsv") for path in given.folder.glob("*.expected.tsv"))
    totals = dict.fromkeys(SIDES, 0.0)
    large = dict.fromkeys(SIDES, 0.0)
    wrong = lower = 0
    print(f"{'set':12} {'pairs':>6} {'nodes':>6}" + "".join(f" {side:>17}" for side in SIDES))
    for name in names:
        size = variables(given.folder, name)
        found = {
            side: measured(sys.executable if side.startswith("ours") else python, side, given.folder, name, given.pairs)
            for side in SIDES
        }
        for side in SIDES:
            totals[side] += found[side]["cpu"]
            large[side] += found[side]["cpu"] * (size >= LARGE)
        with (given.folder / f"{name}.expected.tsv").open(encoding="utf-8") as stream:
            known = [int(row["match"]) for row in csv.DictReader(stream, delimiter="\t")]
        ours = found["ours-as-smatch"]["matched"]
        wrong += sum(a != b for a, b in zip(ours, known, strict=False))
        for mine, peer in (("ours-as-smatch", "smatch"), ("ours-as-smatchpp", "smatchpp")):
            lower += sum(a < b for a, b in zip(found[mine]["matched"], found[peer]["matched"], strict=True))
        print(
            f"{name:12} {len(ours):6} {size:6.1f}" + "".join(f" {found[side]['cpu']:16.2f}s" for side in SIDES),
            flush=True,
        )
    ratios = {
        "smatchpp": totals["smatchpp"] / totals["ours-as-smatchpp"],
        "smatch": large["smatch"] / large["ours-as-smatch"] if large["ours-as-smatch"] else float("nan"),
    }
    print(f"\npairs without the known optimum: {wrong}; pairs below a peer: {lower}")
    for peer, bar in BARS.items():
        where = "all sets" if peer == "smatchpp" else f"sets of {LARGE:.0f} variables and more"
        print(f"{peer}, {where}: {ratios[peer]:.1f} times the CPU time (bar {bar:.0f})")
    return int(wrong > 0 or lower > 0 or any(ratios[peer] < bar for peer, bar in BARS.items()))


if __name__ == "__main__":
    sys.exit(main())
