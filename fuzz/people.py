"""Inputs that are valid and nasty for what stands before and after a score: pools and verdicts, annotators,
submissions of event arguments, saved results, and files about which nothing is said."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache

from adjudge.formats.eal_fields import sha1_id
from adjudge.model.eal import Cas, Response, Span
from fuzz.nasty import FAMILIES, KINDS, LIMIT, Case, Nasty, family, options

ROUNDS = (("sample",), ("estimate", "labels.jsonl"), ("judge", "labels.jsonl"))
VERDICTS = (0, 1, 1, 0.5)


def pool(source: random.Random) -> Case:
    """Items that systems have found, with a design and verdicts: few or many, in strata, of one document or of many."""
    nasty = Nasty(source)
    size = source.choice((3, 12, 120, 700))
    systems = [f"s{n}" for n in range(source.choice((1, 2, 5, 12, 12, 200)))]
    many = {"hub": 1, "tied": 1, "deep": size}.get(nasty.shape, 7)  # documents
    share = source.choice((1.0, 0.5, 1e-6, 0.999999))
    items, design, labels = [], [], []
    for n in range(size):
        found = systems if nasty.shape == "symmetric" else source.sample(systems, source.randint(1, len(systems)))
        trusted = source.choice((0, 1)) if nasty.shape == "tied" else source.random()
        items.append(
            {"id": f"x{n}", "systems": found, "document": f"d{n % many}", "judge": trusted, "k": nasty.name(n)}
        )
        drawn = n == 0 or source.random() < 0.5
        design.append({"id": f"x{n}", "probability": share if share < 1 or drawn else 0.5, "drawn": drawn})
        if drawn:
            labels.append({"id": f"x{n}", "verdict": source.choice(VERDICTS[: 2 + 2 * (nasty.shape == "huge")])})
    head = "# " + json.dumps({"rounds": [{"size": len(labels), "unit": "item"}]}) + "\n"
    (command, *more) = source.choice(ROUNDS)
    if command == "sample":
        size_ = source.choice(("1", str(size), "50%", str(size // 2 + 1)))
        more += ["--size", size_, *source.choice(((), ("--active",), ("--strata", "k"), ("--by", "document")))]
    else:
        more += [
            "--design",
            "design.jsonl",
            *source.choice(((), ("--by", "k"), ("--by", "document"), ("--ci", "99.9"), ("--format", "json"))),
        ]
        if command == "estimate":
            more += source.choice(
                (
                    (),
                    ("--assist", "judge"),
                    ("--documents", "sample"),
                    ("--graded",),
                    ("--impute",),
                    ("--cluster-by", "k"),
                )
            )
            more += ["--time-limit", f"{LIMIT:g}"]
    files = {"pool.jsonl": _lines(items), "design.jsonl": head + _lines(design), "labels.jsonl": _lines(labels)}
    return Case((command, "pool.jsonl", *more), dict(files))


def annotators(source: random.Random) -> Case:
    """Two or three who agree about nothing, or about everything, in two directions each."""
    name = source.choice(list(FAMILIES))
    case = family(name, source)
    metric = {
        "ner": "ner.strict",
        "linking": "linking.link",
        "relation": "relation.strict",
        "event": "event.argument-id",
    }
    metric |= {"template": "template.fillers", "amr": "amr.smatch", "tree": "tree.las", "record": "record.fields"}
    files = {"ann.jsonl": case.files["gold.jsonl"], "ben.jsonl": case.files["system.jsonl"]}
    if source.random() < 0.4:
        files["cid.jsonl"] = case.files["gold.jsonl"]
    resolved = ("--resolve", "least-distance") if "cid.jsonl" in files else ("--quiet",)
    more = source.choice(((), ("--disagreements",), ("--save", "saved.json"), resolved, ("--report", "page.html")))
    words = ("agree", metric[name], *files, "--time-limit", f"{LIMIT:g}", "--bootstrap", source.choice(("0", "20")))
    runs = len(files) * (len(files) - 1) + 2  # both directions, and those of a page
    return Case((*words, *more), files, case.documents * runs)


def submissions(source: random.Random) -> Case:
    """Responses of event arguments: one frame or many, all at one place, the same argument hundreds of times."""
    nasty = Nasty(source)
    size = source.choice((1, 6, 40, 250, 700))
    cut = source.choice((1, 2, 30, size))

    def side(name: str) -> dict[str, str]:
        rows, judged = [], {}
        for n in range(size):
            start = 0 if nasty.shape in ("tied", "symmetric") else 10 * (n % 90)
            kind = source.choice(("Conflict.Attack", "Life.Die", "Life.Injure"))
            role = source.choice(("Place", "Time", "Instrument")) if kind == "Conflict.Attack" else "Place"
            realis = source.choice(("Actual", "Generic", "Other"))
            at, said = Span(start, start + 4), "2031-XX-XX" if role == "Time" else f"{nasty.name(n)} {n}"
            response = Response("d0", kind, role, Cas(said, at), at, (Span(n, n + 4),), (), realis)
            place = f"{start}-{start + 4}"
            row = "\t".join(("d0", kind, role, said, place, f"{n}-{n + 4}", place, "NIL", realis))
            rows.append(f"{n}\t{row}\t{source.random():.2f}\n")
            verdicts = source.choice(("C\tC\tC\tC", "C\tC\tI\tC", "C\tC\tC\tW"))
            judged[sha1_id(response)] = f"{row}\t1.0\t{verdicts}\t{n % 9}\t{realis}\tNAME\n"
        ids, key = list(map(str, range(size))), sorted(judged)
        frames = [(ids[at : at + cut], key[at : at + cut]) for at in range(0, size, cut)]
        return {
            f"{name}/arguments/d0": "".join(rows),
            f"{name}/linking/d0": "".join(" ".join(own) + "\n" for own, _ in frames),
            f"{name}-key/d0": "".join(f"{each}\t{judged[each]}" for each in key),
            f"{name}-frames/d0": "".join("\t".join(own) + "\n" for _, own in frames),
        }

    words = source.choice(
        (
            *(("validate", "a"), ("pool", "a", "b", "-o", "new"), ("top", "a", "-n", "5", "-o", "new")),
            *(
                ("trim", "a", "-o", "new"),
                ("baseline-link", "a", "-o", "new"),
                ("assessment", "create", "a", "-o", "new"),
            ),
            ("neutralize", "a", "--realis", "-o", "new"),
            ("score", "a-key", "--frames", "a-frames", "a", *options(source)),
            ("score", "a-key", "--frames", "a-frames", "a", "--by", "type", "--bootstrap", "10"),
            ("frames", "read", "a-frames", "a-key", "-o", "new"),
            ("assessment", "merge", "a-key", "b-key", "-o", "new"),
        )
    )
    return Case(("eal", *words), {**side("a"), **side("b")})


@cache
def _saved(documents: int, systems: int, shape: str) -> bytes:
    """A result with many documents, in which nothing, or everything, differs."""
    from adjudge import score

    source = random.Random(f"{documents} {systems} {shape}")

    def tags() -> list[str]:
        return ["B-A"] * 6 if shape == "tied" else source.choices(("B-A", "B-B", "O"), k=6)

    gold = [tags() for _ in range(documents)]
    named = {f"s{n}": [tags() for _ in gold] for n in range(systems)}
    return score("ner.strict", gold, named, bootstrap=0, documents=shape == "deep").to_json(with_tables=True).encode()


def saved(source: random.Random) -> Case:
    """Results that are compared, shown, and planned with."""
    shape = source.choice(("tied", "deep", "plain"))
    documents, systems = source.choice(((1, 2), (2, 2), (30, 6), (150, 3)))
    words: tuple[str, ...] = source.choice(
        (
            *(
                ("compare", "saved.json"),
                ("compare", "saved.json", "--pairs"),
                ("report", "saved.json", "-o", "page.html"),
            ),
            *(("select", "saved.json", "--disagree", "5"), ("select", "saved.json", "--items")),
            *(("plan", "saved.json", "--difference", "0.000001"), ("plan", "saved.json", "--difference", "99")),
            *(("plan", "saved.json", "--alpha", "1e-9"), ("merge", "saved.json", "-o", "whole.json")),
        )
    )
    return Case(words, {"saved.json": _saved(documents, systems, shape)})


STATISTICS = (
    *(("--pairs",), ("--by", "k"), ("--cluster-by", "k"), ("--runs-fixed",), ("--pool", "macro"), ("--no-rank",)),
    *(("--interval", how) for how in ("jackknife", "percentile", "bca")),
    *(("--test", how) for how in ("jackknife", "bootstrap", "randomisation")),
    *(("--rank-by", "ner.strict.f1"), ("--fail-if-worse", "s0"), ("--save", "saved.json"), ("--format", "latex")),
)


def systems(source: random.Random) -> Case:
    """Many systems, or runs of some, on few documents that are alike or belong together."""
    nasty = Nasty(source)
    documents, number = source.choice((1, 2, 5, 12)), source.choice((2, 3, 12, 40))

    def side(name: int) -> str:
        ends = [1 if nasty.shape == "tied" or not name else source.choice((1, 2)) for _ in range(documents)]
        spans = [[{"span": {"start": 0, "end": end}, "type": nasty.name(name)}] for end in ends]
        rows = ({"id": f"d{n}", "k": n % 5, "entities": own} for n, own in enumerate(spans))
        return "".join(json.dumps(row) + "\n" for row in rows)

    runs = nasty.shape in ("hub", "symmetric")
    given = [f"s{n // 3}#{n % 3}=s{n}.jsonl" if runs else f"s{n}=s{n}.jsonl" for n in range(number)]
    more = [word for words in source.sample(STATISTICS, 3) for word in words]
    words = ("ner", "score", "gold.jsonl", *given, "--reader", "jsonl", "--time-limit", f"{LIMIT:g}")
    files = {"gold.jsonl": side(0), **{f"s{n}.jsonl": side(n + 1) for n in range(number)}}
    return Case((*words, *more, "--bootstrap", source.choice(("0", "10", "100"))), dict(files), documents)


def unsaid(source: random.Random) -> Case:
    """Nasty files without a command, or to look at only."""
    case = source.choice(list(KINDS.values()))(source)
    gold, system = (name for name in case.files if name.startswith(("gold", "system")))
    limit = () if "coref" in case.words else ("--time-limit", f"{LIMIT:g}")
    words = (gold, system, "--bootstrap", "0", *limit)
    return Case(source.choice((words, words, ("doctor", gold, system), ("doctor", system))), case.files, case.documents)


def _lines(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


PEOPLE: dict[str, Callable[[random.Random], Case]] = {
    "pool": pool,
    "annotators": annotators,
    "submissions": submissions,
    "saved": saved,
    "systems": systems,
    "unsaid": unsaid,
}
