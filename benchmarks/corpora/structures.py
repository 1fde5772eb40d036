"""Structures for the algebra: clusters, events, graphs, tables of counts.

Coreference: clusters of mean size 4, the system's being the gold ones with 5 percent of the mentions dropped and 20
percent moved to another cluster. Events: of ten types with 0 to 4 arguments. Graphs: a concept for every variable, a
tree of edges with some re-entrancies and attributes, the system's being a renamed copy with about a tenth of everything
changed.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

SEED = 20231113
DROPPED, MOVED = 0.05, 0.20  # of the mentions, in coreference

Mention = tuple[int, int]
Entities = list[list[Mention]]

TYPES = ("attack", "arrest", "die", "elect", "injure", "meet", "merge", "move", "pay", "sue")
ROLES = ("agent", "beneficiary", "instrument", "patient", "place", "time")
EDGES = ("ARG0", "ARG1", "ARG2", "mod", "time", "location")


def write(folder: Path, *, kind: str, **shape: Any) -> None:
    """`data.json` of a kind: coreference, events, graphs, counts; or two files of JSON `lines`.

    Of events, `bare.json` says how many have no arguments, see `events_without_arguments`.
    """
    if kind == "lines":
        json_lines(folder, **shape)
        return
    made = {"coreference": coreference, "events": events, "graphs": graphs, "counts": counts}[kind](**shape)
    (folder / "data.json").write_text(json.dumps(made), encoding="utf-8")
    if kind == "events":
        (folder / "bare.json").write_text(json.dumps(events_without_arguments(made)), encoding="utf-8")


def coreference(mentions: int, *, largest: int = 0) -> dict[str, Entities]:
    """One document: clusters of mean size 4 (after one of the size `largest`), and the same with errors.

    In the system's clusters 5 percent of the mentions are dropped and 20 percent moved to another cluster.
    """
    rng = random.Random(f"coreference {mentions} {largest} {SEED}")
    spans = [(3 * k, 3 * k + rng.randint(1, 3)) for k in range(mentions)]
    rng.shuffle(spans)
    gold: Entities = [spans[:largest]] if largest else []
    start = largest
    while start < mentions:
        size = 1
        while rng.random() > 1 / 4:
            size += 1
        gold.append(spans[start : start + size])
        start += size
    system: Entities = [[] for _ in gold]
    for number, entity in enumerate(gold):
        for mention in entity:
            chance = rng.random()
            if chance >= DROPPED + MOVED:
                system[number].append(mention)
            elif chance >= DROPPED:
                system[rng.randrange(len(gold))].append(mention)
    return {"gold": gold, "system": [entity for entity in system if entity]}


def _span(rng: random.Random) -> dict[str, int]:
    start = rng.randrange(2000)
    return {"start": start, "end": start + rng.randint(1, 12)}


def _arguments(rng: random.Random, count: int) -> list[dict[str, Any]]:
    chosen = rng.sample(ROLES, count)  # different roles, so that no argument occurs twice
    return [{"role": role, "span": _span(rng)} for role in chosen]


def _event(rng: random.Random, trigger: int) -> dict[str, Any]:
    return {
        "type": rng.choice(TYPES),
        "trigger": {"start": trigger, "end": trigger + 4},
        "arguments": _arguments(rng, rng.randint(0, 4)),
    }


def _with_errors(rng: random.Random, event: dict[str, Any]) -> dict[str, Any]:
    kept = [dict(argument) for argument in event["arguments"] if rng.random() > 0.15]
    for argument in kept:
        if rng.random() < 0.2:
            argument["span"] = _span(rng)
    return {**event, "type": rng.choice(TYPES) if rng.random() < 0.15 else event["type"], "arguments": kept}


def events(documents: int, low: int, high: int, seed: str) -> dict[str, list[dict[str, Any]]]:
    """Documents of `low` to `high` events with 0 to 4 arguments, and the same with errors.

    Triggers are unique within a document, and no document is without events on either side.
    """
    rng = random.Random(f"events {seed} {SEED}")
    gold, system = [], []
    for number in range(documents):
        triggers = rng.sample(range(0, 3000, 5), high + 1)
        true = [_event(rng, trigger) for trigger in triggers[: rng.randint(low, high)]]
        found = [_with_errors(rng, event) for event in true if rng.random() > 0.1]
        if not found or rng.random() < 0.5:
            found.append(_event(rng, triggers[-1]))
        gold.append({"id": f"doc{number:05}", "events": true})
        system.append({"id": f"doc{number:05}", "events": found})
    return {"gold": gold, "system": system}


def events_without_arguments(pairs: dict[str, list[dict[str, Any]]]) -> dict[str, int]:
    """How many events are without arguments on each side, and how many on both with the same trigger and type.

    The peer counts each of them as one correct argument; the comparison of the scores needs to know how many.
    """

    def bare(document: dict[str, Any]) -> set[tuple[str, int]]:
        return {(e["type"], e["trigger"]["start"]) for e in document["events"] if not e["arguments"]}

    both = [(bare(g), bare(s)) for g, s in zip(pairs["gold"], pairs["system"], strict=True)]
    return {
        "matched": sum(len(g & s) for g, s in both),
        "system": sum(len(s) for _, s in both),
        "gold": sum(len(g) for g, _ in both),
    }


def graphs(variables: int) -> dict[str, list[list[str]]]:
    """Two graphs of triples with so many variables (names begin with ?), the second a noisy copy of the first.

    Every variable has a concept (one in four shares it with others) and hangs on an earlier one; one in four has a
    second parent, one in four an attribute.
    """
    rng = random.Random(f"graphs {variables} {SEED}")
    concepts = [f"c{rng.randrange(2 * variables)}" for _ in range(variables)]
    edges = [(rng.randrange(k), rng.choice(EDGES), k) for k in range(1, variables)]
    edges += [(rng.randrange(variables), rng.choice(EDGES), k) for k in range(variables) if rng.random() < 0.25]
    values = {k: str(rng.randrange(10)) for k in range(variables) if rng.random() < 0.25}
    gold = _triples("?g", list(range(variables)), concepts, edges, values)
    names = list(range(variables))
    rng.shuffle(names)
    concepts = [f"c{rng.randrange(2 * variables)}" if rng.random() < 0.15 else each for each in concepts]
    noisy = []
    for source, role, target in edges:
        chance = rng.random()
        if chance < 0.1:
            role = rng.choice(EDGES)
        elif chance < 0.2:
            source = rng.randrange(variables)
        if chance < 0.95:
            noisy.append((source, role, target))
    system = _triples("?s", names, concepts, noisy, values)
    rng.shuffle(system)
    return {"gold": gold, "system": system}


def _triples(
    prefix: str, names: list[int], concepts: list[str], edges: list[tuple[int, str, int]], values: dict[int, str]
) -> list[list[str]]:
    """Triples without duplicates, in order."""
    out = [(f"{prefix}{names[k]}", "instance", concept) for k, concept in enumerate(concepts)]
    out += [(f"{prefix}{names[a]}", role, f"{prefix}{names[b]}") for a, role, b in edges]
    out += [(f"{prefix}{names[k]}", "quant", value) for k, value in values.items()]
    return [list(triple) for triple in dict.fromkeys(out)]


def counts(documents: int, columns: int) -> list[list[int]]:
    """A table of counts: pairs of columns, what was found and what there was to find."""
    rng = random.Random(f"counts {SEED}")
    rows = []
    for _ in range(documents):
        row: list[int] = []
        for _ in range(columns // 2):
            total = rng.randint(0, 40)
            row += [rng.randint(0, total), total]
        rows.append(row)
    return rows


def json_lines(folder: Path, documents: int, events_each: int = 20) -> None:
    """Gold and system documents of so many events each, as they would be handed to the reader."""
    for side, own in events(documents, events_each, events_each, "lines").items():
        lines = [json.dumps(document) for document in own]
        (folder / f"{side}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
