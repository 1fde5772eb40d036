"""Inputs that are valid and nasty, against whole commands: symmetric, dense, deep, tied, huge counts, hubs.

What breaks here lies behind the readers: searches that do not end, tables that do not fit, numbers that overflow. A
case is a command with its files; `forks.py` runs it with a clock and a memory limit, and it may end with a score or
with an error of ours, in time.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LIMIT = 0.2
"""Seconds of `--time-limit` that cases give, where the command has it: little, so that there are many of them."""
SIZES = (1, 2, 3, 6, 12, 40, 120)
SHAPES = ("symmetric", "dense", "tied", "deep", "huge", "hub", "plain")


@dataclass(frozen=True)
class Case:
    """A command and the files that it reads."""

    words: tuple[str, ...]
    files: dict[str, str | bytes]
    documents: int = 1


# ---------------------------------------------------------------------------------------------------------------------
# Structures


class Nasty:
    """Draws the parts of documents; `side` 1 is a system, which differs a little from gold."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.shape = source.choice(SHAPES)
        self.size = source.choice(SIZES)

    def name(self, number: int) -> str:
        """One of many names, or always the same."""
        if self.shape in ("symmetric", "tied"):
            return "same"
        if self.shape == "hub":
            return "hub" if number % 2 else f"n{number}"
        return f"n{number % 7}" if self.shape == "dense" else f"n{number}"

    def number(self, number: int) -> Any:
        """A number, perhaps one that is hard to count with."""
        if self.shape == "huge":
            return self.source.choice((10**15, 2**62, -(2**62), 1e308, 5e-324, 0.1, 10**400))
        return number

    def text(self, number: int) -> str:
        """Words, perhaps very many."""
        return "word " * (10_000 // self.size if self.shape == "huge" else 1) + self.name(number)

    def changed(self, items: list[Any], side: int) -> list[Any]:
        """The items of a side: a system lacks some, has some twice, and in another order."""
        if not side or not items:
            return items
        kept = [each for each in items if self.source.random() < 0.9]
        kept += self.source.sample(items, min(2, len(items)))
        self.source.shuffle(kept)
        return kept


def entities(nasty: Nasty, side: int) -> dict[str, Any]:
    """Named entities, perhaps all at one place."""

    def span(number: int) -> dict[str, int]:
        start = 0 if nasty.shape == "tied" else number
        return {"start": start, "end": start + 1 + (number if nasty.shape == "dense" else 0)}

    items = [{"span": span(n), "type": nasty.name(n)} for n in range(nasty.size)]
    return {"entities": nasty.changed(items, side)}


def mentions(nasty: Nasty, side: int) -> dict[str, Any]:
    """Mentions that are linked."""
    found = entities(nasty, side)["entities"]
    return {"mentions": [{**each, "entity": nasty.name(n + side)} for n, each in enumerate(found)]}


def relations(nasty: Nasty, side: int) -> dict[str, Any]:
    """Relations between spans."""
    spans = [{"start": 0 if nasty.shape == "tied" else n, "end": n + 1} for n in range(max(2, nasty.size // 2))]
    pick = nasty.source.choice
    items = [{"type": nasty.name(n), "subject": pick(spans), "object": pick(spans)} for n in range(nasty.size)]
    return {"relations": nasty.changed(items, side)}


def events(nasty: Nasty, side: int) -> dict[str, Any]:
    """Events with arguments."""

    def argument(number: int) -> dict[str, Any]:
        return {"role": nasty.name(number), "span": {"start": number % 5, "end": number % 5 + 1}}

    items = [
        {
            "type": nasty.name(n),
            "trigger": {"start": n % 3, "end": n % 3 + 1},
            "arguments": [argument(k) for k in range(nasty.source.choice((0, 1, 3, min(nasty.size, 12))))],
        }
        for n in range(min(nasty.size, 40))
    ]
    return {"events": nasty.changed(items, side)}


def templates(nasty: Nasty, side: int) -> dict[str, Any]:
    """Templates whose fillers have several mentions."""

    def filler(number: int) -> dict[str, Any]:
        return {"role": nasty.name(number), "mentions": [nasty.name(number), nasty.name(number + 1)]}

    items = [
        {"type": nasty.name(n), "fillers": [filler(k) for k in range(nasty.source.choice((0, 2, 6)))]}
        for n in range(min(nasty.size, 40))
    ]
    return {"templates": nasty.changed(items, side)}


def graph(nasty: Nasty, side: int) -> dict[str, Any]:
    """A meaning graph: a star, a clique, a chain, or nodes that cannot be told apart."""
    size = nasty.size
    found: list[list[str]] = [[f"v{n}", "instance", nasty.name(n)] for n in range(size)]
    if nasty.shape == "hub":
        found += [["v0", "ARG0", f"v{n}"] for n in range(1, size)]
    elif nasty.shape == "deep":
        found += [[f"v{n - 1}", "ARG0", f"v{n}"] for n in range(1, size)]
    else:
        many = 3 * size if nasty.shape in ("dense", "tied") else size
        for _ in range(many):
            one, other = nasty.source.randrange(size), nasty.source.randrange(size)
            found.append([f"v{one}", nasty.source.choice(("ARG0", "ARG1")), f"v{other}"])
    return {"amr": nasty.changed(found, side)}


def dependencies(nasty: Nasty, side: int) -> dict[str, Any]:
    """A dependency tree: a chain, a star, or anything."""
    words = []
    for number in range(1, nasty.size + 1):
        head = {"deep": number - 1, "hub": 1 if number > 1 else 0}.get(nasty.shape, nasty.source.randrange(number))
        word = nasty.name(number + side)
        words.append(
            {
                "head": head,
                "dependent": number,
                "label": nasty.name(number),
                "form": word,
                "lemma": word,
                "upos": "NOUN",
                "feats": "",
                "functional": [],
            }
        )
    return {"dependencies": words}


def records(nasty: Nasty, side: int) -> dict[str, Any]:
    """Records that are nearly the same."""
    items = [
        {"name": nasty.text(n), "amount": nasty.number(n), "kind": nasty.name(n), "rest": [nasty.name(n)] * 3}
        for n in range(nasty.size)
    ]
    return {"records": nasty.changed(items, side)}


FAMILIES: dict[str, Callable[[Nasty, int], dict[str, Any]]] = {
    "ner": entities,
    "linking": mentions,
    "relation": relations,
    "event": events,
    "template": templates,
    "amr": graph,
    "tree": dependencies,
    "record": records,
}


METRICS = {"template": "template.fillers,template.ceaf-ree,template.better"}


def family(name: str, source: random.Random) -> Case:
    """A family of the catalogue."""
    nasty = Nasty(source)
    documents = source.choice((1, 1, 2, 5))

    def side(number: int) -> str:
        made = [{"id": f"d{n}", **FAMILIES[name](nasty, number)} for n in range(documents)]
        return "".join(json.dumps(each) + "\n" for each in made)

    metric = ("--metric", METRICS[name]) if name in METRICS else ()
    words = (name, "score", "gold.jsonl", "system.jsonl", "--reader", "jsonl", "--time-limit", f"{LIMIT:g}")
    return Case((*words, *metric, *options(source)), {"gold.jsonl": side(0), "system.jsonl": side(1)}, documents)


def own_metric(source: random.Random) -> Case:
    """A metric of one's own over a graph, an order or a set, with a similarity that may be dear."""
    nasty = Nasty(source)
    inner = source.choice(("edit", "exact", "number"))
    value = {"exact": nasty.name, "edit": nasty.text, "number": nasty.number}[inner]
    kind = source.choice(("graph", "set", "sequence", "greedy", "latent"))
    size = min(nasty.size, 40 if nasty.shape == "huge" else 120)

    def side(number: int) -> str:
        items = nasty.changed([value(n) for n in range(size)], number)
        pick = source.randrange
        if kind == "graph":
            edges = [[pick(len(items)), pick(len(items))] for _ in range(3 * len(items))] if items else []
            made: dict[str, Any] = {"graph": {"nodes": items, "edges": edges}}
        elif kind == "latent":
            made = {"items": [[f"v{pick(size)}", nasty.name(n), f"v{pick(size)}"] for n in range(size)]}
        else:
            made = {"items": items}
        return json.dumps({"id": "d0", **made}) + "\n"

    of = "{sim: number, scale: 10}" if inner == "number" else f"{{sim: {inner}}}"
    fields = {
        "graph": f"graph: {{sim: graph, of: {of}}}",
        "latent": "items: {sim: set, of: {sim: record, size: 3, fields: {0: variable, 1: exact, 2: variable}}}",
    }.get(kind, f"items: {{sim: {kind}, of: {of}}}")
    whole = f"{{sim: record, fields: {{{fields}}}}}"
    if kind == "latent":
        whole = f"{{sim: latent, of: {whole}}}"
    files = {
        "metric.yaml": f"name: own.metric\nmetric: {whole}\n",
        "gold.jsonl": side(0),
        "system.jsonl": side(1),
    }
    words = ("score", "metric.yaml", "gold.jsonl", "system.jsonl", "--time-limit", f"{LIMIT:g}")
    return Case((*words, *options(source)), files)


SIMILAR = {
    "edit": "{sim: edit}",
    "number": "{sim: number, scale: 500}",
    "span": "{sim: span}",
    "words": "{sim: map, by: words, of: {sim: overlap, by: dice, of: {sim: exact}}}",
    "threshold": "{sim: threshold, at_least: 0.5, of: {sim: edit}}",
    "record": "{sim: record, fields: {name: {sim: edit}, kind: {sim: exact}}}",
    "set": "{sim: set, of: {sim: edit}}",
}


def many(source: random.Random) -> Case:
    """Very many elements that are nearly the same, under every matching."""
    inner = source.choice(list(SIMILAR))
    size = source.choice((300, 800, 2000))
    pick = source.choices

    def item() -> Any:
        text = "nearly " + "".join(pick("abcd", k=source.choice((2, 8))))
        start = source.randrange(50)
        return {
            "number": source.randrange(1000),
            "span": {"start": start, "end": start + source.randrange(200)},
            "words": " ".join(pick("abcdefgh", k=6)),
            "record": {"name": text, "kind": "same"},
            "set": pick(("near", "nearly", "nearer"), k=3),
        }.get(inner, text)

    def side() -> str:
        items = [item() for _ in range(size)]
        if kind == "graph":
            edges = [sorted(source.sample(range(size), 2)) for _ in range(size // 2)]
            return json.dumps({"id": "d0", "items": {"nodes": items, "edges": edges}}) + "\n"
        return json.dumps({"id": "d0", "items": items}) + "\n"

    kind = source.choice(("set", "set", "greedy", "sequence", "graph"))
    more = source.choice(("", ", duplicates: multiset")) if kind in ("set", "greedy") else ""
    more += f", match: '{source.choice(('1:1', 'N:1', '1:N', 'N:N'))}'" if kind != "greedy" else ""
    whole = f"{{sim: record, fields: {{items: {{sim: {kind}{more}, of: {SIMILAR[inner]}}}}}}}"
    files = {"metric.yaml": f"name: own.metric\nmetric: {whole}\n", "gold.jsonl": side(), "system.jsonl": side()}
    words = ("score", "metric.yaml", "gold.jsonl", "system.jsonl", "--time-limit", f"{LIMIT:g}")
    exact = ("--exact",) if source.random() < 0.2 else ()
    return Case((*words, "--bootstrap", "0", *exact), files)


def inner(source: random.Random, depth: int = 2) -> Any:
    """What is inside of a record: a value, some that are alike, or more records."""
    kind = source.choice(("word", "number", "words", "list", "record") if depth else ("word", "number"))
    if kind in ("list", "record"):
        items = [inner(source, depth - 1) for _ in range(source.choice((1, 2, 3, 6)))]
        return items if kind == "list" else {f"k{n}": each for n, each in enumerate(items)}
    return {"word": source.choice("xyz"), "number": source.randrange(50)}.get(kind, source.choices("xyz", k=4))


def listed(source: random.Random) -> Case:
    """Very many records with lists and records inside of them."""
    size = source.choice((200, 600, 1500))
    drawn = [inner(source) for _ in range(source.choice((3, 30, 400)))]
    files = {}
    for name in ("gold.jsonl", "system.jsonl"):
        items = [{"a": source.choice(drawn), "n": source.randrange(size)} for _ in range(size)]
        files[name] = json.dumps({"id": "d0", "records": items}) + "\n"
    exact = ("--exact",) * (source.random() < 0.2)
    return Case(("record", "score", *files, "--time-limit", f"{LIMIT:g}", "--bootstrap", "0", *exact), dict(files))


def coref(source: random.Random) -> Case:
    """Chains: one long one, many short ones, repeated mentions."""
    nasty = Nasty(source)

    def side(number: int) -> str:
        places = [[n, n + (3 if nasty.shape == "dense" else 0)] for n in range(nasty.size * 3)]
        source.shuffle(places)
        cut = {"symmetric": 2, "tied": 1, "hub": len(places), "huge": len(places)}.get(nasty.shape, 5)
        chains = [places[at : at + cut] for at in range(0, len(places), cut)]
        if number and nasty.shape == "tied":
            chains += chains[:3]
        return json.dumps({"id": "d0", "clusters": chains}) + "\n"

    more = source.choice(((), ("--match", "partial"), ("--profile", "clean"), ("--singletons", "drop")))
    files = {"gold.jsonl": side(0), "system.jsonl": side(1)}
    return Case(("coref", "score", "gold.jsonl", "system.jsonl", *more, *options(source)), files)


def nugget(source: random.Random) -> Case:
    """Nuggets: many of one type at one place, on both sides."""
    nasty = Nasty(source)
    places = source.choice((1, 2, 5, 10))
    each = source.choice((1, 2, 3, 6))

    def side(number: int) -> str:
        rows, links = [], []
        for place in range(places):
            for twin in range(each):
                name = f"E{place * each + twin}"
                kind = "Attack" if nasty.shape in ("symmetric", "tied") else source.choice(("Attack", "Die", "Meet"))
                rows.append(f"run\td0\t{name}\t{place * 10},{place * 10 + 4}\tword\t{kind}\tActual")
        if number:
            source.shuffle(rows)
        for twin in range(each):  # one of every place, for two at one place are not mentions of one event
            ids = [f"E{place * each + twin}" for place in range(places)]
            cut = source.choice((2, 3, len(ids)))
            groups = [ids[at : at + cut] for at in range(0, len(ids), cut)]
            links += [f"@Coreference\tR{twin}-{at}\t{','.join(own)}" for at, own in enumerate(groups) if len(own) > 1]
        return "\n".join(["#BeginOfDocument d0", *rows, *links, "#EndOfDocument", ""])

    files = {"gold.tbf": side(0), "system.tbf": side(1)}
    more = source.choice(((), ("--profile", "evmeval-1.8"), ("--coref-threshold", "0.5"), ("--no-coref",)))
    words = ("nugget", "score", "gold.tbf", "system.tbf", "--mode", "char", "--time-limit", f"{LIMIT:g}")
    return Case((*words, *more, *options(source)), files)


def triples(source: random.Random) -> Case:
    """Knowledge bases: hubs, cycles, chains."""
    nasty = Nasty(source)
    size = nasty.size * 5

    def side(_: int) -> str:
        def node() -> str:
            return (
                "hub" if nasty.shape == "hub" and source.random() < 0.5 else f"n{source.randrange(max(size // 3, 1))}"
            )

        return "".join(f"{node()}\t{source.choice('pqr')}\t{node()}\td{source.randrange(4)}\n" for _ in range(size))

    words = ("kbp", "score", "gold.tsv", "system.tsv", "--hops", source.choice(("1", "2", "3", "6", "12")))
    words += ("--time-limit", f"{LIMIT:g}")
    return Case((*words, *options(source)), {"gold.tsv": side(0), "system.tsv": side(1)}, 4)


def entities_of_trees(source: random.Random) -> Case:
    """CorefUD: entities that are nested, discontinuous, zero, or all of them one."""
    nasty = Nasty(source)
    size = 5 * nasty.size

    def side(number: int) -> str:
        marks: dict[str, list[str]] = {}
        places = [f"{n}" for n in range(1, size + 1)]
        zeros = source.sample(places, size // 4) if nasty.shape in ("plain", "tied") else []
        for n in range(size):
            name, (first, last) = nasty.name(n + number), sorted((n, min(size - 1, n + source.choice((0, 0, 1, size)))))
            if nasty.shape == "dense" and last > first:
                marks.setdefault(places[first], []).append(f"({name}x{n}[1/2]--1)")
                marks.setdefault(places[last], []).append(f"({name}x{n}[2/2]--1)")
            elif nasty.shape == "deep":
                marks.setdefault("1", []).append(f"({name}x{n}--1")
                marks.setdefault(places[-1], []).insert(0, f"{name}x{n})")
            else:
                marks.setdefault(places[first], []).append(f"({name}--1)")
        rows = ["# newdoc id = d0", "# global.Entity = eid-etype-head-other", "# sent_id = 1"]
        for n, place in enumerate(places):
            misc = f"Entity={''.join(marks[place])}" if place in marks else "_"
            rows.append("\t".join((place, "w", "w", *"___", f"{n}", "root" if not n else "dep", "_", misc)))
            if place in zeros:
                rows.append(
                    "\t".join((f"{place}.1", *"______"[:6], "_", f"{place}:dep", f"Entity=({nasty.name(n)}--1)"))
                )
        return "\n".join(rows) + "\n\n"

    match = ("--match", source.choice(("exact", "partial", "head")))
    words = ("coref", "score", "gold.conllu", "system.conllu", "--profile", "corefud", *match)
    return Case((*words, *options(source)), {"gold.conllu": side(0), "system.conllu": side(1)})


def names(source: random.Random) -> Case:
    """Knowledge graphs whose nodes are called nearly the same, or are one hub."""
    nasty = Nasty(source)
    size = nasty.size * 3

    def side(number: int) -> str:
        def node() -> str:
            text = (
                "".join(source.choices("ab", k=12))
                if nasty.shape in ("dense", "tied")
                else nasty.text(source.randrange(9))
            )
            return f"{text} {source.choice(('AG', 'ag', 'Inc.'))}"[: 2000 // nasty.size + 20]

        return "subject,relation,object\n" + "".join(f"{node()},r{n % 3},{node()}\n" for n in range(size))

    how = source.choice(("folded", "fuzzy=0.5", "fuzzy=0.99", "exact"))
    words = ("kbp", "score", "gold.csv", "system.csv", "--reader", "triples", "--graph", "--names", how)
    return Case((*words, "--time-limit", f"{LIMIT:g}", *options(source)), {"gold.csv": side(0), "system.csv": side(1)})


def options(source: random.Random) -> tuple[str, ...]:
    """Options that every scoring has, some of them at their ends."""
    choices = (
        (),
        ("--bootstrap", source.choice(("0", "1", "50"))),
        ("--pool", source.choice(("micro", "macro"))),
        ("--ci", source.choice(("50", "99.9"))),
        ("--interval", source.choice(("jackknife", "percentile", "bca"))),
        ("--format", source.choice(("json", "csv", "md", "latex"))),
        ("--explain", "d0"),
        ("--save", "saved.json", "--save-documents"),
        ("--seed", source.choice(("0", "999999999999999999"))),
        ("--jobs", "1"),
    )
    return source.choice(choices)


KINDS: dict[str, Callable[[random.Random], Case]] = {
    **{name: (lambda source, name=name: family(name, source)) for name in FAMILIES},  # type: ignore[misc]
    "own-metric": own_metric,
    "many": many,
    "listed": listed,
    "coref": coref,
    "nugget": nugget,
    "kbp": triples,
    "corefud": entities_of_trees,
    "names": names,
}
