"""Smatch beside the programs smatch (hill climbing) and smatchpp (ILP), on the same pairs of graphs.

The clock is the CPU time from the text of two graphs to their matched triples. A peer is given some seconds for
each set of graphs, and compared on the pairs that it has done until then.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.house.measure import Cost, Failed, run_worker
from benchmarks.house.rows import Bench, Found, Row
from benchmarks.house.setting import Setting

LARGE, TOO_LARGE = 40.0, 60.0  # variables; the latter for a quick run
PEERS = ("smatch", "smatchpp")
SETS = {"v10": (10, 200), "v20": (20, 100), "v45": (45, 50), "v70": (70, 20), "v100": (100, 20)}
QUICK_SETS = {"v10": (10, 20), "v45": (45, 3)}
EVERY = 10**9


def benches(*, quick: bool) -> list[Bench]:
    return [_bench("generated", "generated graphs", quick=quick), _bench("given", "the graphs of DATA", quick=quick)]


def _bench(name: str, what: str, *, quick: bool) -> Bench:
    full = not quick
    rows = [
        Row("smatchpp", f"{what}, all sets", "times less CPU than smatchpp", 4, judged=full),
        Row("smatch", f"{what}, sets of {LARGE:.0f} variables and more", "times less CPU than smatch", 15, judged=full),
        Row("lower", what, "pairs with fewer matched triples than a peer has", 0, at_least=False),
    ]
    if name == "given":
        rows.append(Row("optimum", f"{what}, every pair", "pairs without the known optimum", 0, at_least=False))

    def run(setting: Setting) -> Iterator[Found]:
        if name == "generated":
            folder = setting.corpus("amr", sets=QUICK_SETS if quick else SETS)
        else:
            folder = _given(setting)
        yield from _measure(setting, folder)

    return Bench(f"amr/{name}", tuple(rows), run)


def _given(setting: Setting) -> Path:
    found = sorted(setting.data.rglob("*.expected.tsv")) if setting.data else []
    found = [path for path in found if path.with_name(path.name.replace(".expected.tsv", ".gold.amr.gz")).exists()]
    if not found:
        raise Failed("no folder with NAME.gold.amr.gz, NAME.pred.amr.gz and NAME.expected.tsv was given (DATA=FOLDER)")
    return found[0].parent


class Tally(NamedTuple):
    """Of one peer: our cost and theirs on the pairs that both have done, set by set, with the size of the graphs."""

    costs: list[tuple[float, Cost, Cost]]
    why: list[str]


def _measure(setting: Setting, folder: Path) -> Iterator[Found]:
    seconds, limit, most = (1, 60, 3) if setting.quick else (5, 120, EVERY)
    tallies = {peer: Tally([], ["no graphs"]) for peer in PEERS}
    lower = wrong = done = 0
    for name in sorted(path.name.removesuffix(".gold.amr.gz") for path in folder.glob("*.gold.amr.gz")):
        if setting.quick and variables(folder / f"{name}.gold.amr.gz") > TOO_LARGE:
            continue
        known = _known(folder, name)[:most]
        for peer, tally in tallies.items():
            try:
                theirs = run_worker(
                    "amr", peer, folder, name, most, seconds, python=setting.python_of("smatch"), limit=limit
                )
            except Failed as failed:
                tally.why.append(str(failed))
                continue
            number = len(theirs.found["times"])
            # All pairs where the optimum is known, else those that the peer has done.
            pairs = most if known and peer == "smatch" else number
            ours = run_worker("amr", f"ours-as-{peer}", folder, name, pairs, EVERY)
            own = ours._replace(cpu=sum(ours.found["times"][:number]))
            tally.costs.append((ours.found["variables"], own, theirs))
            lower += sum(a < b for a, b in zip(ours.found["matched"], theirs.found["matched"], strict=False))
            if known and peer == "smatch":
                done += len(known)
                wrong += sum(a != b for a, b in zip(ours.found["matched"], known, strict=True))
    for peer, tally in reversed(tallies.items()):
        chosen = [each[1:] for each in tally.costs if peer == "smatchpp" or each[0] >= LARGE]
        if chosen:
            own, other = (_summed(costs) for costs in zip(*chosen, strict=True))
            note = f"{tally.why[-1]}, which is left out" if len(tally.why) > 1 else ""
            yield Found(peer, other.cpu / own.cpu, ours=own, theirs=other, note=note)
        else:
            yield Found(peer, why=tally.why[-1])
    if any(tally.costs for tally in tallies.values()):
        yield Found("lower", lower)
    if done:
        yield Found("optimum", wrong, note=f"of {done:,} pairs")


def variables(path: Path) -> float:
    """The mean number of variables of the graphs of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        graphs = [block for block in stream.read().split("\n\n") if block.strip()]
    return sum(block.count(" / ") for block in graphs) / max(1, len(graphs))


def _summed(costs: Iterable[Cost]) -> Cost:
    every = list(costs)
    return Cost(sum(cost.cpu for cost in every), max(cost.megabytes for cost in every))


def _known(folder: Path, name: str) -> list[int]:
    path = folder / f"{name}.expected.tsv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as stream:
        return [int(row["match"]) for row in csv.DictReader(stream, delimiter="\t")]
