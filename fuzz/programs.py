"""Inputs that are valid and nasty for the published scorers (`--compat`), in the formats that they read."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from fuzz.nasty import LIMIT, Case, Nasty, graph, records

ROLES = ("PerpInd", "PerpOrg", "Target", "Victim", "Weapon")


def _tags(nasty: Nasty, side: int) -> str:
    """One sentence, or one for each tag."""
    apart = "\n\n" if nasty.shape == "deep" else "\n"
    tags = [f"{'BI'[(n + side) % (n % 5 + 1) > 0]}-{nasty.name(n)}" for n in range(10 * nasty.size)]
    return apart.join(f"w{n} {tag}" for n, tag in enumerate(tags)) + "\n\n"


def _graphs(nasty: Nasty, side: int) -> str:
    """A graph in brackets: all nodes below the first, then the other edges."""
    triples = graph(nasty, side)["amr"]
    edges: dict[str, list[str]] = {}
    for source, role, target in triples:
        if role != "instance":
            edges.setdefault(source, []).append(f":{role} {target}")
    nodes = [f"(v{n} / {nasty.name(n)} {' '.join(edges.get(f'v{n}', ()))})" for n in range(nasty.size)]
    return f"# ::id d0\n(r / root {' '.join(f':op{n} {node}' for n, node in enumerate(nodes, 1))})\n"


def _mentions(nasty: Nasty, side: int) -> str:
    """Mentions of clusters that overlap with those of the other side in a chain, or all in one."""
    size = 20 * nasty.size
    width = {"symmetric": size, "tied": 1}.get(nasty.shape, 2)
    return "".join(f"d{n % 2}\t{n}\t{n}\tE{(n + side) // width}\t1.0\t{nasty.name(n % 3)}\n" for n in range(size))


def _answers(nasty: Nasty, side: int) -> str:
    """Objects with lists of objects that are nearly the same, or nested deeply."""
    value: object = records(nasty, side)["records"]
    if nasty.shape == "deep":
        for n in range(nasty.size):
            value = {"inner": value, "n": n}
    return json.dumps({"id": "d0", "records": {"list": value}}) + "\n"


def _object(nasty: Nasty, side: int) -> str:
    """An object of objects, without lists."""
    found = records(nasty, side)["records"]
    values = {f"f{n}": {key: value for key, value in each.items() if key != "rest"} for n, each in enumerate(found)}
    return json.dumps({"id": "d0", "records": values}) + "\n"


def _trees(nasty: Nasty, side: int) -> str:
    """A sentence whose words the other side splits differently."""
    text = "ab" * (10 * nasty.size)
    cut = 2 if side or nasty.shape != "tied" else 1
    words = [text[at : at + cut] for at in range(side, len(text), cut)]
    words = [text[:side], *words] if side else words
    rows = [f"{n}\t{word}\t_\tX\t_\t_\t{n - 1}\tdep\t_\tSpaceAfter=No" for n, word in enumerate(words, 1)]
    return "\n".join(rows).replace("\t0\tdep", "\t0\troot", 1) + "\n\n"


def _template(nasty: Nasty, number: int) -> dict[str, object]:
    return {
        "incident_type": "attack" if nasty.shape in ("symmetric", "tied") else ("attack", "arson")[number % 2],
        **{
            role: [[nasty.name(number + k), f"alias {k}"] for k in range(nasty.source.choice((0, 1, 3)))]
            for role in ROLES
        },
    }


def _templates(nasty: Nasty, side: int) -> str:
    """Templates of one type whose entities are shared; gold has offsets."""
    made = [_template(nasty, n) for n in range(min(nasty.size, 40))]
    if side:
        return json.dumps({"10001": {"pred_templates": nasty.changed(made, side), "gold_templates": []}})
    for each in made:
        for role in ROLES:
            entities = each[role]
            assert isinstance(entities, list)
            each[role] = [[[name, 0] for name in entity] for entity in entities]
    return json.dumps({"docid": "TST1-MUC3-0001", "doctext": "x", "templates": made}) + "\n"


PROGRAMS: dict[tuple[str, str], Callable[[Nasty, int], str]] = {
    **{("ner", name): _tags for name in ("conlleval", "nervaluate-1.2.1", "seqeval-1.2.2")},
    **{("amr", name): _graphs for name in ("amr-evaluation", "smatch-1.0.4", "smatchpp-1.8")},
    ("linking", "neleval-3.1.1"): _mentions,
    **{("record", name): _answers for name in ("anls-star-1.0.1", "donut", "jsondiff-0.4.1", "stickler-1.0.0")},
    ("record", "extract-bench-0.1.0"): _object,
    ("tree", "ud-2018"): _trees,
    ("template", "gtt"): _templates,
}


def program(source: random.Random) -> Case:
    """A published scorer, and a document that it has to search."""
    (family, name), make = source.choice(list(PROGRAMS.items()))
    nasty = Nasty(source)
    words = (family, "score", "gold", "system", "--compat", name, "--time-limit", f"{LIMIT:g}")
    more = source.choice(((), ("--format", "json", "--bootstrap", "10")))
    return Case((*words, *more), {"gold": make(nasty, 0), "system": make(nasty, 1)}, 2 if family == "linking" else 1)
