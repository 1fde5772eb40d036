"""python -m benchmarks.workers.peer TASK FILE REPEATS SECONDS: the ready-made metrics of metametric, in process."""

from __future__ import annotations

from typing import Any

import metametric.dsl as mm
from metametric.core.metric import Variable
from metametric.metrics.coref import b_cubed_precision, b_cubed_recall, ceaf_phi4, muc
from metametric.metrics.event_extraction import argument_classification
from metametric.metrics.semantic_parsing import s_match
from metametric.structures.amr import AMR, Prop
from metametric.structures.ie import Argument, Entity, EntitySet, Event, EventSet, Mention, Trigger

from benchmarks.workers.serving import Run, serve


def _entities(content: Any) -> list[EntitySet]:
    return [
        EntitySet(entities=[Entity(mentions=[Mention(*m) for m in entity]) for entity in content[side]])
        for side in ("system", "gold")
    ]


def _three_numbers(metric: Any, systems: list[Any], golds: list[Any]) -> Run:
    family = mm.family(metric, mm.micro_average(["precision", "recall", "f1"]))

    def run() -> dict[str, float]:
        aggregator = family.new()
        aggregator.update_batch(systems, golds)
        aggregator.compute()
        state = aggregator.state
        return {"matched": sum(state.matches), "system": sum(state.preds), "gold": sum(state.refs)}

    return run


def ceaf_task(content: Any) -> Run:
    system, gold = _entities(content)
    return _three_numbers(ceaf_phi4, [system], [gold])


def muc_task(content: Any) -> Run:
    system, gold = _entities(content)
    return _three_numbers(muc, [system], [gold])


def b3_task(content: Any) -> Run:
    system, gold = _entities(content)
    return lambda: {"precision": b_cubed_precision.score(system, gold), "recall": b_cubed_recall.score(system, gold)}


def _event(event: Any) -> Event:
    def mention(span: Any) -> Mention:
        return Mention(span["start"], span["end"])

    return Event(
        trigger=Trigger(mention=mention(event["trigger"]), type=event["type"]),
        args=[Argument(mention=mention(each["span"]), role=each["role"]) for each in event["arguments"]],
    )


def arguments_task(content: Any) -> Run:
    systems, golds = (
        [EventSet(events=[_event(event) for event in document["events"]]) for document in content[side]]
        for side in ("system", "gold")
    )
    return _three_numbers(argument_classification, systems, golds)


def smatch_task(content: Any) -> Run:
    def node(name: str) -> Any:
        return Variable(name) if name.startswith("?") else name

    system, gold = (AMR([Prop(node(s), p, node(o)) for s, p, o in content[side]]) for side in ("system", "gold"))
    return lambda: {"f1": s_match.score(system, gold)}


if __name__ == "__main__":
    tasks = {
        "ceaf": ceaf_task,
        "muc": muc_task,
        "b3": b3_task,
        "arguments": arguments_task,
        "smatch": smatch_task,
    }
    serve(tasks)
