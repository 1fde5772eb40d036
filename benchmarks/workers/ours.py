"""python -m benchmarks.workers.ours TASK FILE REPEATS SECONDS [mean]: our side of the algebra, in process."""

from __future__ import annotations

from typing import Any

from adjudge.algebra import (
    case,
    exact,
    latent,
    many_to_many,
    mapped,
    overlap,
    record,
    set_of,
    union,
    variable,
)
from adjudge.algebra.plan import plan
from adjudge.metrics import find
from benchmarks.workers.serving import Run, serve

CEAF = set_of(overlap(exact, by="dice"))
MUC = many_to_many(overlap(exact, by="link"))
NODE = union(case(variable, prefix="?"), exact)
SMATCH = latent(set_of(record({"0": NODE, "1": exact, "2": NODE})))


def _memberships(by: Any) -> Any:
    return mapped(set_of(record(mention=exact, entity=overlap(exact, by=by))), by="memberships")


def _entities(content: Any) -> tuple[Any, Any]:
    gold, system = ([[tuple(m) for m in entity] for entity in content[side]] for side in ("gold", "system"))
    return gold, system


def _three_numbers(node: Any, gold: Any, system: Any) -> Run:
    compiled = plan(node)

    def run() -> dict[str, float]:
        seen = compiled.observe(gold, system)
        return {"matched": seen.value, "system": seen.system, "gold": seen.gold}

    return run


def ceaf(content: Any) -> Run:
    return _three_numbers(CEAF, *_entities(content))


def muc(content: Any) -> Run:
    return _three_numbers(MUC, *_entities(content))


def b3(content: Any) -> Run:
    gold, system = _entities(content)
    precision, recall = plan(_memberships("precision")), plan(_memberships("recall"))

    def run() -> dict[str, float]:
        p, r = precision.observe(gold, system), recall.observe(gold, system)
        return {"precision": p.value / p.system, "recall": r.value / r.gold}

    return run


def arguments(content: Any) -> Run:
    metric = find("event.argument-cls")
    pairs = list(zip(content["gold"], content["system"], strict=True))
    columns = metric.columns

    def run() -> dict[str, float]:
        rows = [metric.observe(gold, system).counts for gold, system in pairs]
        totals = [sum(row[column] for row in rows) for column in columns]
        return dict(zip(("matched", "system", "gold"), totals, strict=True))

    return run


def smatch(content: Any) -> Run:
    compiled = plan(SMATCH)
    gold, system = ([tuple(triple) for triple in content[side]] for side in ("gold", "system"))

    def run() -> dict[str, float]:
        seen = compiled.observe(gold, system)
        return {"f1": 2 * seen.value / (seen.system + seen.gold)}

    return run


def bootstrap(content: Any) -> Run:
    from adjudge.stats.intervals import interval
    from adjudge.stats.measure import Prf
    from adjudge.stats.points import Additive
    from adjudge.stats.resample import bootstrap as resample
    from adjudge.stats.table import StatsTable

    names = [f"c{k}" for k in range(len(content[0]))]
    measures = [
        Prf(f"metric{k // 4}", precision=(names[k], names[k + 1]), recall=(names[k + 2], names[k + 3]))
        for k in range(0, len(names), 4)
    ]
    table = StatsTable(tuple(f"doc{k}" for k in range(len(content))), tuple(names), content)

    def run() -> dict[str, float]:
        drawn = resample({"system": Additive(table, tuple(measures))}, resamples=1000, seed=13)
        intervals = [interval(values) for values in drawn["system"].values()]
        return {"intervals": len(intervals)}

    return run


if __name__ == "__main__":
    tasks = (ceaf, muc, b3, arguments, smatch, bootstrap)
    serve({task.__name__: task for task in tasks})
