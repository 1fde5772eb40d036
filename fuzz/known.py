"""What once did not end, filled the memory or overflowed: small inputs, always the same, among those of every run."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache

from fuzz.nasty import Case, Nasty, graph

CLOCK = ("--time-limit", "1", "--bootstrap", "0")


@cache
def known() -> dict[str, Case]:
    """All of them, by name."""
    return dict(_known())


def _known() -> Iterator[tuple[str, Case]]:
    for nodes, edges in ((40, 120), (120, 360)):
        yield f"graph of {nodes} words", _words(nodes, edges)
    for size in (40, 500):
        yield f"amr of {size} nodes that are alike", _alike(size)
    for profile in ("spec", "evmeval-1.8"):
        yield f"nuggets that are alike, {profile}", _nuggets(profile)
    yield "records that are nearly the same", _records(400)
    yield "records with short lists that are nearly the same", _listed()
    yield "sets of sets of words that are alike", _sets(300, 30)
    yield "ways of twelve hops around a hub", _hub()
    yield "queries without end around a cycle", _cycle()
    yield "clusters in a chain", _chain()
    yield "a graph of many with many", _many_with_many()
    yield "names that are nearly the same", _names()
    yield "a graph around a hub, about which nothing is said", _hub_unsaid()
    for items, systems in ((700, 12), (12, 300), (12, 5000)):
        yield f"an estimate of {items} slices for {systems} systems", _estimate(items, systems)
    for device in ("../zero", "../full"):
        yield f"a device as an input, {device[3:]}", Case(("doctor", device, "gold.bio"), {"gold.bio": "He O\n"})
        words = ("linking", "validate", "system", device, "--reader", "edl")
        yield f"a device without an end, {device[3:]}", Case(words, {"system": "x\n"})
    for value in ("9" * 400, "1e400", "-" + "9" * 5000):
        yield f"a number of {len(value)} characters", _number(value)


def _sides(documents: tuple[object, object]) -> dict[str, str | bytes]:
    return {name: json.dumps(each) + "\n" for name, each in zip(("gold.jsonl", "system.jsonl"), documents, strict=True)}


def _words(nodes: int, edges: int) -> Case:
    """A metric of one's own that compares graphs of words by their edit distance."""
    source = random.Random(nodes)

    def side() -> dict[str, object]:
        pairs = [[source.randrange(nodes), source.randrange(nodes)] for _ in range(edges)]
        return {"id": "d0", "graph": {"nodes": [f"node {n % 7} {n}" for n in range(nodes)], "edges": pairs}}

    metric = "name: own\nmetric: {sim: record, fields: {graph: {sim: graph, of: {sim: edit}}}}\n"
    words = ("score", "metric.yaml", "gold.jsonl", "system.jsonl", *CLOCK)
    return Case(words, {"metric.yaml": metric, **_sides((side(), side()))})


def _alike(size: int) -> Case:
    nasty = Nasty(random.Random(size))
    nasty.shape, nasty.size = "symmetric", size
    documents = ({"id": "d0", **graph(nasty, 0)}, {"id": "d0", **graph(nasty, 1)})
    return Case(("amr", "score", "gold.jsonl", "system.jsonl", "--reader", "jsonl", *CLOCK), _sides(documents))


def _hub_unsaid() -> Case:
    """What it is has to be guessed, for which a document is compared with itself."""
    nasty = Nasty(random.Random(3))
    nasty.shape, nasty.size = "hub", 160
    documents = ({"id": "d0", **graph(nasty, 0)}, {"id": "d0", **graph(nasty, 1)})
    words = ("gold.jsonl", "system.jsonl", "--bootstrap", "0", "--time-limit", "0.1")
    return Case(words, _sides(documents))


def _nuggets(profile: str) -> Case:
    """Ten places with six nuggets of one type each, in six hoppers."""

    def side(name: str) -> str:
        rows = [f"{name}\td0\tE{n}\t{n // 6 * 10},{n // 6 * 10 + 4}\tword\tAttack\tActual" for n in range(60)]
        links = [f"@Coreference\tR{k}\t{','.join(f'E{6 * place + k}' for place in range(10))}" for k in range(6)]
        return "\n".join(["#BeginOfDocument d0", *rows, *links, "#EndOfDocument", ""])

    words = ("nugget", "score", "gold.tbf", "system.tbf", "--mode", "char", "--profile", profile, *CLOCK)
    return Case(words, {"gold.tbf": side("gold"), "system.tbf": side("system")})


def _records(size: int) -> Case:
    def side(other: int) -> dict[str, object]:
        return {"id": "d0", "records": [{"name": "the same name", "n": (n + other) % 9} for n in range(size)]}

    return Case(("record", "score", "gold.jsonl", "system.jsonl", *CLOCK), _sides((side(0), side(1))))


def _listed() -> Case:
    """Records with lists of three, of which every two have to be aligned."""
    source = random.Random(6)

    def side() -> dict[str, object]:
        rows = [{"tags": source.choices("xyz", k=3), "more": source.choices("xyz", k=3)} for _ in range(1_800)]
        return {"id": "d0", "records": rows}

    words = ("record", "score", "gold.jsonl", "system.jsonl", "--time-limit", "0.2", "--bootstrap", "0")
    return Case(words, _sides((side(), side())))


def _sets(size: int, words: int) -> Case:
    """Greedy alignments of alignments of alignments: 90,000 pairs of 900 pairs of words."""
    draw, stems = random.Random(size), ("ne", "nea", "near", "nearly", "nearer")

    def side() -> dict[str, object]:
        items = [[draw.choice(stems) + str(draw.randrange(30)) for _ in range(words)] for _ in range(size)]
        return {"id": "d0", "items": items}

    alike = "{sim: greedy, of: {sim: greedy, of: {sim: edit}}}"
    metric = f"name: own\nmetric: {{sim: record, fields: {{items: {alike}}}}}\n"
    files = {"metric.yaml": metric, **_sides((side(), side()))}
    return Case(("score", "metric.yaml", "gold.jsonl", "system.jsonl", *CLOCK), files)


def _estimate(items: int, systems: int) -> Case:
    """Slices of one item each, and as many differences as there are pairs of systems in each of them."""
    source = random.Random(items)
    names = [f"s{n}" for n in range(systems)]
    pool, design, labels = [], [], []
    for n in range(items):
        found = source.sample(names, source.randint(1, systems)) if systems < 100 or n < 2 else names[:1]
        drawn = n == 0 or source.random() < 0.5
        pool.append({"id": f"x{n}", "systems": found, "document": f"d{n % 7}", "judge": source.random(), "k": n})
        design.append({"id": f"x{n}", "probability": 0.5, "drawn": drawn})
        if drawn:
            labels.append({"id": f"x{n}", "verdict": source.choice((0, 1))})
    head = "# " + json.dumps({"rounds": [{"size": len(labels), "unit": "item"}]}) + "\n"
    parts = {"pool": pool, "labels": labels, "design": design}
    files = {f"{name}.jsonl": "".join(json.dumps(row) + "\n" for row in rows) for name, rows in parts.items()}
    words = ("estimate", "pool.jsonl", "labels.jsonl", "--design", "design.jsonl", "--by", "k", *CLOCK[:2])
    return Case(words, {**files, "design.jsonl": head + files["design.jsonl"]})


def _number(text: str) -> Case:
    metric = "name: own\nmetric: {sim: record, fields: {n: {sim: number, scale: 10}}}\n"
    files: dict[str, str | bytes] = {
        "metric.yaml": metric,
        **dict.fromkeys(("gold.jsonl", "system.jsonl"), f'{{"id": "d0", "n": {text}}}\n'),
    }
    return Case(("score", "metric.yaml", "gold.jsonl", "system.jsonl", *CLOCK), files)


def _hub() -> Case:
    """Facts about one node: more ways than anybody can count."""
    source = random.Random(5)

    def node() -> str:
        return "hub" if source.random() < 0.5 else f"n{source.randrange(200)}"

    def side() -> str:
        return "".join(f"{node()}\t{source.choice('pqr')}\t{node()}\td{n % 4}\n" for n in range(600))

    words = ("kbp", "score", "gold.tsv", "system.tsv", "--hops", "12", "--time-limit", "0.2", "--bootstrap", "0")
    return Case(words, {"gold.tsv": side(), "system.tsv": side()}, 4)


def _cycle() -> Case:
    """Queries of any number of hops, for which a relation leads back to where it began."""
    words = ("kbp", "query", "--gold", "gold.tsv", "--generate", "5", "gold.tsv", "--hops", "9" * 18)
    return Case(words, {"gold.tsv": "a\tp\ta\td0\nb\tq\ta\td0\n"})


def _chain() -> Case:
    """Clusters of two, each with one mention in the next cluster of the other side, aligned in every resample."""

    def side(other: int) -> str:
        return "".join(f"d{n % 2}\t{n}\t{n}\tE{(n + other) // 2}\t1\tP\n" for n in range(3000))

    words = ("linking", "score", "gold", "system", "--reader", "neleval", "--time-limit", "0.5")
    return Case(words, {"gold": side(0), "system": side(1)}, 2)


def _many_with_many() -> Case:
    """Nodes that may all be matched with all, as far as their order allows."""
    source = random.Random(7)

    def side() -> dict[str, object]:
        nodes = [source.choices(("near", "nearly", "nearer"), k=3) for _ in range(200)]
        edges = [sorted(source.sample(range(200), 2)) for _ in range(100)]
        return {"id": "d0", "items": {"nodes": nodes, "edges": edges}}

    inner = "{sim: graph, match: 'N:N', of: {sim: set, of: {sim: edit}}}"
    metric = f"name: own\nmetric: {{sim: record, fields: {{items: {inner}}}}}\n"
    words = ("score", "metric.yaml", "gold.jsonl", "system.jsonl", *CLOCK)
    return Case(words, {"metric.yaml": metric, **_sides((side(), side()))})


def _names() -> Case:
    """Names of knowledge graphs of which each is near enough to each, of which the best pairs are looked for."""
    source = random.Random(8)

    def side() -> str:
        rows = [("".join(source.choices("ab", k=12)), "r", "".join(source.choices("ab", k=12))) for _ in range(480)]
        return "subject,relation,object\n" + "".join(",".join(row) + "\n" for row in rows)

    words = ("kbp", "score", "gold.csv", "system.csv", "--reader", "triples", "--names", "fuzzy=0.5")
    return Case((*words, "--time-limit", "0.2", "--bootstrap", "0"), {"gold.csv": side(), "system.csv": side()})
