"""Every scoring command once, on small data, as `python runs.py FOLDER [--shuffle SEED] [--jobs N]`.

The files of the commands and what they write are put into FOLDER; printed is a digest of every JSON that was written,
without what tells releases and input files apart (see `plain`). To see what changed where a digest differs, run it
with two interpreters or two states of the project and compare the folders.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

from adjudge.cli import run
from adjudge.demo import DATA

Order = Callable[[list[Any]], list[Any]]
DOCUMENTS = 12
# A step that has no common divisor with the number of documents, so that the files are not in the order of the ids.
STEP = 5


def write_files(folder: Path, order: Order) -> None:
    """The files of all commands; the documents of each file stand in the given order."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("gold", "alder", "birch", "cedar"):
        lines(folder / f"{name}.jsonl", (DATA / f"{name}.jsonl").read_text().splitlines(), order)
    for name in ("gold", "alder", "birch"):
        own = (folder / f"{name}.jsonl").read_text().splitlines()
        for half in range(2):
            part = [each for each in own if sum(json.loads(each)["id"].encode()) % 2 == half]
            (folder / f"{name}-{half}.jsonl").write_text("".join(f"{each}\n" for each in part))
    for name in ("key", "linden", "maple"):
        parts(folder / f"{name}.conll", (DATA / "coref" / f"{name}.conll").read_text(), "#begin document", order)
    for name in ("gold", "heron", "kestrel"):
        parts(folder / f"{name}.tbf", (DATA / "nugget" / f"{name}.tbf").read_text(), "#BeginOfDocument", order)
    for name in ("gold", "geyser"):
        lines(folder / f"kb-{name}.jsonl", (DATA / "kbp" / f"{name}.jsonl").read_text().splitlines(), order)
    for name in ("delta.tsv", "links.csv"):
        (folder / name).write_bytes((DATA / "kbp" / name).read_bytes())
    copied = [each for each in sorted((DATA / "eal").rglob("*")) if each.is_file()]
    for each in order(copied):
        target = folder / "eal" / each.relative_to(DATA / "eal")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(each.read_bytes())
    for family, make in FAMILIES.items():
        for side in range(3):
            documents = [
                {"id": f"{family}-{place:02}", "genre": "ab"[place % 2], **make(place, side)}
                for place in ((STEP * each) % DOCUMENTS for each in range(DOCUMENTS))
            ]
            name = ("gold", "one", "two")[side]
            lines(folder / f"{family}-{name}.jsonl", [json.dumps(each) for each in documents], order)


def lines(path: Path, texts: list[str], order: Order) -> None:
    """One document per line."""
    path.write_text("".join(f"{text}\n" for text in order(texts)))


def parts(path: Path, text: str, begin: str, order: Order) -> None:
    """Documents that begin with a line of their own."""
    found = re.split(f"(?m)^(?={re.escape(begin)})", text)
    path.write_text(found[0] + "".join(order(found[1:])))


def spans(place: int, side: int) -> list[tuple[int, int, str]]:
    """Typed spans, of which a system has most, some of them changed."""
    found = []
    for number in range(1 + (place * 7) % 5):
        start, kind = 10 * number + place % 3, "ABC"[(place + number) % 3]
        error = (place * 5 + number * 3 + side) % 7 if side else 6
        if error != 0:
            found.append((start + (error == 1), start + 3 + (error == 2), "C" if error == 3 else kind))
    return found


def entities(place: int, side: int) -> dict[str, Any]:
    """For named entities."""
    return {"entities": [{"span": {"start": a, "end": b}, "type": kind} for a, b, kind in spans(place, side)]}


def mentions(place: int, side: int) -> dict[str, Any]:
    """For linking: entities that recur in several documents."""
    found = []
    for a, b, kind in spans(place, side):
        own = (a + place) % 3
        name = f"NIL{(place + a) % 4}" if own == 0 else f"Q{(a * (1 + (place + side) % 4 // 3)) % 7}"
        found.append({"span": {"start": a, "end": b}, "type": kind, "entity": name})
    return {"mentions": found}


def templates(place: int, side: int) -> dict[str, Any]:
    """For templates: entities with several mentions, of which any will do or all count."""
    fillers = [
        {"role": f"role-{kind}", "mentions": [f"name {a}", f"the {b}", *(["other"] if b % 2 else [])]}
        for a, b, kind in spans(place, side)
    ]
    middle = len(fillers) // 2
    return {
        "templates": [
            {"type": "attack", "fillers": fillers[:middle]},
            {"type": "bombing", "fillers": fillers[middle:]},
        ]
    }


def graph(place: int, side: int) -> dict[str, Any]:
    """For meaning graphs: a chain of concepts with a reentrancy."""
    found = [["z", "instance", "and"], ["z", "top", "top"]]
    for number, (a, b, kind) in enumerate(spans(place, side)):
        found += [[f"v{number}", "instance", f"concept-{kind}-{b - a}"], ["z", f"op{number + 1}", f"v{number}"]]
        if number:
            found.append([f"v{number - 1}", "ARG0" if a % 2 else "ARG1", f"v{number}"])
    return {"amr": found}


def dependencies(place: int, side: int) -> dict[str, Any]:
    """For dependency trees."""
    words = []
    for number in range(1, 4 + place % 5):
        changed = side and (place * 3 + number * 5 + side) % 6 == 0
        words.append(
            {
                "head": number - 1 if not changed else max(0, number - 2),
                "dependent": number,
                "label": ("root", "nsubj", "obj", "det")[min(number - 1, 3)],
                "form": f"word{number}",
                "lemma": f"word{number}",
                "upos": ("VERB", "NOUN", "DET")[(number + (side and place % 3)) % 3],
                "feats": "",
                "functional": [],
            }
        )
    return {"dependencies": words}


def records(place: int, side: int) -> dict[str, Any]:
    """For records."""
    return {"records": [{"name": f"name {a}", "from": b, "kind": kind} for a, b, kind in spans(place, side)]}


FAMILIES = {
    "ner": entities,
    "linking": mentions,
    "template": templates,
    "amr": graph,
    "tree": dependencies,
    "record": records,
}
OF_FAMILY = {"template": ("--metric", "template.fillers,template.ceaf-ree,template.better")}
DRAWS = ("--bootstrap", "60", "--seed", "7")


def commands(jobs: int) -> dict[str, tuple[str, ...]]:
    """The commands, each with the name of what it writes; later ones read what earlier ones have saved."""
    several = ("--jobs", str(jobs))
    found: dict[str, tuple[str, ...]] = {}
    for family in FAMILIES:
        files = (f"{family}-gold.jsonl", f"{family}-one.jsonl", f"{family}-two.jsonl")
        found[family] = (family, "score", *files, "--reader", "jsonl", *OF_FAMILY.get(family, ()), *DRAWS, *several)
    three = ("gold.jsonl", "alder.jsonl", "birch.jsonl")
    metrics = "relation.strict,relation.boundary,event.argument-cls"
    macro = ("--pool", "macro", "--by", "genre", "--test", "approximate-randomisation")
    found |= {
        "relation": ("relation", "score", *three, *DRAWS, *several),
        "event": ("event", "score", *three, *DRAWS, *several),
        "score": ("score", metrics, *three, "--by", "relations.type", *DRAWS, *several),
        "score-percentile": ("score", metrics, *three, "--interval", "percentile", "--by", "genre", *DRAWS, *several),
        "score-bca": ("score", metrics, *three, "--interval", "bca", *DRAWS, *several),
        "score-macro": ("score", metrics, *three, "cedar.jsonl", *macro, *DRAWS, *several),
        "score-clusters": (
            *("score", "linking.b3,linking.ceafm", "linking-gold.jsonl", "linking-one.jsonl"),
            *(*DRAWS, *several),
        ),
        "coref": ("coref", "score", "key.conll", "linden.conll", "maple.conll", *DRAWS, *several),
        "nugget": ("nugget", "score", "-g", "gold.tbf", "-s", "heron.tbf", "-s", "kestrel.tbf", *DRAWS, *several),
        "eal": (
            *("eal", "score", "--key", "eal/assessments", "--frames", "eal/frames"),
            *("eal/submissions/granite", "eal/submissions/marble", "--unassessed", "ignore", *DRAWS, *several),
        ),
        "kbp": (
            *("kbp", "score", "--gold", "kb-gold.jsonl", "--wiki", "links.csv"),
            *("delta.tsv", "kb-geyser.jsonl", *DRAWS),
        ),
        "kbp-exchanged": (
            *("kbp", "score", "--gold", "kb-gold.jsonl", "--wiki", "links.csv", "delta.tsv", "kb-geyser.jsonl"),
            *("--test", "randomisation", "--hops", "2", "--by", "relation", *DRAWS),
        ),
        "agree": ("agree", "ner.strict", "ner-gold.jsonl", "ner-one.jsonl", "ner-two.jsonl", "--disagreements", *DRAWS),
    }
    for name in ("alder", "birch"):
        for half in "01":
            files = (f"gold-{half}.jsonl", f"{name}={name}-{half}.jsonl")
            saved = ("--save", f"{name}-{half}.saved", *DRAWS, *several)
            found[f"saved-{name}-{half}"] = ("score", metrics, *files, *saved)
    saved = ("--save", "alder.saved", "--save-documents", *DRAWS)
    found["saved-alder"] = ("score", metrics, "gold.jsonl", "alder.jsonl", *saved)
    found["saved-birch"] = ("score", metrics, "gold.jsonl", "birch.jsonl", "--save", "birch.saved", *saved[2:])
    found["merge"] = ("merge", "alder-0.saved", "alder-1.saved", *DRAWS)
    found["compare"] = ("compare", "alder.saved", "birch.saved")
    found["select"] = ("select", "alder.saved", "birch.saved", "--metric", "relation.strict", "--disagree", "5")
    return found


def plain(text: str) -> str:
    """A JSON without the version and the digests of the input files, which other releases and orders change."""
    text = re.sub(r'\b(gold|in|v):[0-9a-z.+]+(?=[|"])', r"\1:", text)
    return re.sub(r'"adjudge": *"[^"]*"', '"adjudge": ""', text)


def digests(folder: Path, *, order: Order, jobs: int) -> dict[str, str]:
    """Run everything in a folder and give a digest of each JSON."""
    write_files(folder, order)
    os.chdir(folder)
    found = {}
    for name, arguments in commands(jobs).items():
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            code = run([*arguments, "--format", "json", "--quiet"])
        if code:
            raise SystemExit(f"{name} ended with {code}: adjudge {' '.join(arguments)}")
        Path(f"{name}.json").write_text(printed.getvalue(), encoding="utf-8")
        text = plain(printed.getvalue())
        found[name] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return found


def main(arguments: Iterable[str] | None = None) -> None:
    """Write the files, run the commands, print the digests."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shuffle", type=int, help="put the documents of every file in another order")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments if arguments is None else list(arguments))

    def order(documents: list[Any]) -> list[Any]:
        if options.shuffle is None:
            return documents
        return Random(options.shuffle).sample(documents, len(documents))

    json.dump(digests(options.folder, order=order, jobs=options.jobs), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
