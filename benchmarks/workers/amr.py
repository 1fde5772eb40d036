"""python -m benchmarks.workers.amr SIDE FOLDER SET PAIRS SECONDS: match pairs of graphs, from text to matched triples.

Stops after so many seconds of CPU; `found` has the time and the matched triples of every pair that was done.
"""

from __future__ import annotations

import gzip
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.house.worker import peak_memory, reply


def read_graphs(path: Path) -> list[str]:
    """The graphs of a file, each as one line."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        blocks = stream.read().split("\n\n")
    lines = (" ".join(line.strip() for line in block.split("\n") if not line.startswith("#")) for block in blocks)
    return [line for line in lines if line.strip()]


def scorer(side: str) -> Callable[[str, str], int]:
    """The function from two texts (system, gold) to the number of matched triples."""
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
    from adjudge.scorers import smatch, smatchpp
    from adjudge.scorers.smatch import best_match

    if side == "ours-as-smatch":
        return lambda system, gold: best_match(*(smatch.triples(parse(text)) for text in (system, gold))).value
    return lambda system, gold: smatchpp.observe(*(smatchpp.triples(parse(t), "amr") for t in (system, gold)))[0][0]


if __name__ == "__main__":
    side, folder, name, pairs, seconds = sys.argv[1:]
    systems, golds = (read_graphs(Path(folder) / f"{name}.{kind}.amr.gz")[: int(pairs)] for kind in ("pred", "gold"))
    score = scorer(side)
    times: list[float] = []
    matched: list[int] = []
    for system, gold in zip(systems, golds, strict=True):
        start = time.process_time()
        matched.append(score(system, gold))
        times.append(time.process_time() - start)
        if sum(times) > float(seconds):
            break
    variables = sum(text.count(" / ") for text in systems) / len(systems)
    found = {"times": times, "matched": matched, "variables": variables}
    reply({"cpu": sum(times), "megabytes": peak_memory() / 1e6, "found": found})
