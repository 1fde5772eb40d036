"""python -m benchmarks.workers.eal scores|validate|trim FOLDER [OUTPUT]: where the time goes, by clocks inside.

`scores` reads a campaign and does everything after it: the rules, the counts, intervals, paired tests, the ranking with
its win fractions, a 21 x 21 grid of beta and lambda, and the exact crossings of all pairs of systems. `validate` and
`trim` run the commands; reading is to list, open, decode and parse the files of the submission (and, to validate, the
source documents).
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.house.worker import peak_memory, reply

RESAMPLES = 1000


def measure_scores(folder: Path) -> dict[str, float]:
    """Seconds of reading, of comparing, and of everything else."""
    from adjudge.evaluate.engine import Counted, Evaluation
    from adjudge.evaluate.task import Run, Side
    from adjudge.formats.eal_store import open_frames, open_key, open_store
    from adjudge.stats.inference import Inference
    from adjudge.tasks.eal.compare import compare, prepare
    from adjudge.tasks.eal.diagnostics import gold_remarks, system_remarks
    from adjudge.tasks.eal.ranking import rank_systems
    from adjudge.tasks.eal.sensitivity import all_crossings, beta_lambda_grid, counts_of
    from adjudge.tasks.eal.settings import Settings
    from adjudge.tasks.eal.task import EalTask, tables_of

    settings = Settings()
    gc.disable()
    keys, frames = open_key(folder / "key"), open_frames(folder / "ref")
    stores = {path.name: open_store(path) for path in sorted((folder / "systems").iterdir())}
    spent = {"read key": 0.0, "read systems": 0.0, "prepare": 0.0, "compare": 0.0}
    known = dict.fromkeys(keys.documents)
    counted = {name: Counted(Side(name, store.path, known)) for name, store in stores.items()}
    lines = 0
    for document in keys.documents:
        start = time.process_time()
        key = keys.key(document)
        linking = frames.linking(key)
        now = time.process_time()
        spent["read key"] += now - start
        start = now
        prepared = prepare(key, linking, settings)
        remarks = gold_remarks(prepared, key)
        now = time.process_time()
        spent["prepare"] += now - start
        for name, store in stores.items():
            start = time.process_time()
            arguments, own = store.arguments(document), store.linking(document)
            now = time.process_time()
            spent["read systems"] += now - start
            start = now
            compared = compare(arguments, own, prepared, settings)
            counted[name].counts.extend(compared.row)
            more = system_remarks(compared, settings, len(arguments.arguments))
            counted[name].remarks += [(document, each) for each in (*remarks, *more)]
            spent["compare"] += time.process_time() - start
            lines += len(arguments.arguments)
    task, run = EalTask(settings), Run(inference=Inference(bootstrap=RESAMPLES))
    gold, ids = Side("gold", keys.path, known), tuple(keys.documents)
    evaluation = Evaluation(task, run, gold, ids, [{}] * len(ids), counted, apart=False, sources=("key", *stores))
    start = time.process_time()
    import numpy  # noqa: F401  # what it takes to load is part of what comes after

    spent["load numpy"] = time.process_time() - start
    start = time.process_time()
    result = evaluation.result()
    spent["result"] = time.process_time() - start
    start = time.process_time()
    tables = tables_of(evaluation)
    rank_systems(tables, list(result.measures), resamples=RESAMPLES)
    spent["ranking"] = time.process_time() - start
    start = time.process_time()
    rows = {name: counts_of(table) for name, table in tables.items()}
    beta_lambda_grid(rows)
    all_crossings(rows)
    spent["grid and crossings"] = time.process_time() - start
    gc.enable()
    reading = spent["read key"] + spent["read systems"]
    return {"responses": lines, **spent, "reading": reading, "total": sum(spent.values())}


class Clocks:
    """CPU seconds by kind of work; what one function spends in another that is watched counts for that one alone."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._inside = [0.0]

    def watch(self, kind: str, owner: Any, name: str) -> None:
        """Let the calls of a function count."""
        function: Callable[..., Any] = getattr(owner, name)
        self.spent.setdefault(kind, 0.0)

        def watched(*arguments: Any, **options: Any) -> Any:
            start = time.process_time()
            self._inside.append(0.0)
            try:
                return function(*arguments, **options)
            finally:
                spent = time.process_time() - start
                self.spent[kind] += spent - self._inside.pop()
                self._inside[-1] += spent

        setattr(owner, name, watched)


def measure_command(command: str, folder: Path, output: Path) -> dict[str, float]:
    """CPU seconds of this process, which runs one command, by kind of work."""
    from adjudge.cli import main as adjudge
    from adjudge.formats import eal_sources, eal_store, eal_write
    from adjudge.tasks.eal import validation

    clocks = Clocks()
    readers: tuple[tuple[Any, str], ...] = (
        (validation, "scan_store"),
        (validation, "Sources"),
        (eal_store, "open_store"),
        (eal_store.Store, "scan_arguments"),
        (eal_store.Store, "scan_linking"),
    )
    for owner, name in readers:
        clocks.watch("reading", owner, name)
    arguments = ["eal", command, str(folder / "run"), "--quiet"]
    if command == "validate":
        clocks.watch("reading", eal_sources.Sources, "text")
        clocks.watch("checks", validation, "check_arguments")
        clocks.watch("checks", validation, "check_linking")
        arguments += ["--docs", str(folder / "docs"), "--ontology", "2015"]
    else:
        from adjudge.cli import eal_stores

        clocks.watch("trim", eal_stores, "trimmed")
        clocks.watch("format", eal_write, "write_named")
        clocks.watch("format", eal_write, "write_linking")
        clocks.watch("files", eal_write.FolderWriter, "put")
        arguments += ["-o", str(output)]
    with suppress(SystemExit):
        adjudge(arguments)
    total = time.process_time()
    return {**clocks.spent, "other": total - sum(clocks.spent.values()), "total": total}


if __name__ == "__main__":
    what, folder = sys.argv[1], Path(sys.argv[2])
    found = measure_scores(folder) if what == "scores" else measure_command(what, folder, Path(sys.argv[-1]))
    reply({"cpu": found["total"], "megabytes": peak_memory() / 1e6, "found": found})
