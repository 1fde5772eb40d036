"""Write the pages that the browser looks at: those of the demos, of all families, hostile ones and large ones.

python tests/browser/make_pages.py FOLDER

FOLDER/TASK.json has what a demo prints, `pages.json` what stands in the others.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from adjudge.cli import run
from adjudge.cli.demo import TASKS
from adjudge.demo import GOLD, SYSTEMS
from adjudge.demo.kbp import GOLD as BASE
from adjudge.demo.kbp import LINKS
from adjudge.demo.kbp import SYSTEMS as BASES
from adjudge.report.page import render_result, shown
from adjudge.stats.alignment import Alignment, Item, Matching, Pair, Single, in_text, saved_document
from adjudge.stats.result import Comparison, Result, Score, SystemResult
from hostile import HOSTILE, hostile_result

LONG = "x" * 20_000
TYPES = ("PER", "ORG", "LOC", "MISC")
WORDS = ("the", "of", "Oslo", "Rome", "bank", "river", "mill", "and", "Ann", "Acme", "old", "left")

# ---------------------------------------------------------------------------------------------------------------------
# Large pages: as many systems and documents as there may be, made without scoring


def made_result(documents: int, systems: int, mentions: int = 3) -> Result:
    """A result of entities; systems get worse and worse."""
    draw = random.Random(13)
    saved, names = [], [f"system-{place:02}" for place in range(systems)]
    for number in range(documents):
        text, place = in_text([draw.choice(WORDS) for _ in range(8 * mentions)])
        starts = sorted(draw.sample(range(8 * mentions), mentions))
        gold = tuple(_entity(text, place(at, at + 1), draw.choice(TYPES)) for at in starts)
        found = [_changed(text, gold, 0.1 + 0.6 * each / systems, draw) for each in range(systems)]
        saved.append(saved_document(f"doc-{number:04}", found))
    values = [0.9 - 0.6 * place / systems for place in range(systems)]
    results = tuple(
        SystemResult(
            name=name,
            documents=documents,
            scores=(
                Score(metric="ner.strict", pool="micro", part="f1", value=values[at], low=values[at] - 0.02,
                      high=values[at] + 0.02, level=0.95, slice={}),
            ),
            notes=(),
            aligned=tuple(own[at] for _, own in saved),
        )
        for at, name in enumerate(names)
    )  # fmt: skip
    comparisons = tuple(
        Comparison(a=names[a], b=names[b], metric="ner.strict", part="f1", difference=values[a] - values[b], p=0.01,
                   p_holm=0.03 if b - a > 2 else 0.4, slice={})
        for a in range(systems)
        for b in range(a + 1, systems)
    )  # fmt: skip
    return Result(
        adjudge="0.1.0", task="ner", profile="default", signature=f"ner|docs:{documents}", systems=results,
        comparisons=comparisons, documents=tuple(gold for gold, _ in saved),
    )  # fmt: skip


def _entity(text: str, place: tuple[int, int], label: str) -> Item:
    begin, end = place
    return Item(id=f"({begin},{end})", level="entities[*]", text=text[begin:end], place=(place,), label=label)


def _changed(text: str, gold: tuple[Item, ...], share: float, draw: random.Random) -> Alignment:
    """What a system makes of gold: some items are missed, some have another label, some end elsewhere."""
    own: list[Item] = []
    pairs, missed, spurious = [], [], []
    for number, item in enumerate(gold):
        if draw.random() > share:
            pairs.append(Pair(number, len(own)))
            own.append(item)
        elif draw.random() < 0.4:
            missed.append(Single(number, "nothing stands there"))
        elif draw.random() < 0.5:
            pairs.append(Pair(number, len(own), "wrong", 0.0, "another label"))
            own.append(msgspec.structs.replace(item, label=draw.choice(TYPES)))
        else:
            (begin, end), *_ = item.place
            missed.append(Single(number, "the end differs", len(own)))
            spurious.append(Single(len(own), "the end differs", number))
            own.append(_entity(text, (begin, min(end + 3, len(text))), item.label))
    matching = Matching(metric="ner.strict", pairs=tuple(pairs), missed=tuple(missed), spurious=tuple(spurious))
    return Alignment(gold=gold, system=tuple(own), matchings=(matching,), text=text)


# ---------------------------------------------------------------------------------------------------------------------
# Families, by their commands


FILES = {
    "gold.iob": "Ann B-PER\nLee I-PER\nleft O\nRome B-LOC\n\nOslo B-LOC\nis O\ncold O\n",
    "system.iob": "Ann B-PER\nLee O\nleft O\nRome B-ORG\n\nOslo B-LOC\nis O\ncold B-LOC\n",
    "gold.amr": "# ::id a\n(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))\n\n# ::id b\n(s / sleep-01)\n",
    "system.amr": "# ::id a\n(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-01))\n\n# ::id b\n(s / sleep-02)\n",
    "gold.conllu": "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n",
    "system.conllu": "1\tIt\tit\tPRON\t_\t_\t2\tobj\t_\t_\n2\truns\trun\tNOUN\t_\t_\t0\troot\t_\t_\n\n",
    "gold.links": "d1\t0\t4\tE1\t1.0\tPER\nd1\t10\t15\tE2\t1.0\tORG\nd2\t0\t3\tE1\t1.0\tPER\n",
    "system.links": "d1\t0\t4\tE1\t1.0\tPER\nd1\t10\t15\tE1\t1.0\tPER\nd2\t0\t2\tE1\t1.0\tPER\n",
    "gold.records": '{"id": "r1", "no": "A-1", "seller": {"city": "Oslo"}, "lines": [{"item": "bolt", "price": 2, '
    '"lots": [{"lot": 1}]}, {"item": "nut", "price": 1}]}\n{"id": "r2", "no": "A-2", "lines": [{"item": "saw"}]}\n',
    "system.records": '{"id": "r1", "output": "{\\"no\\": \\"A-1\\", \\"lines\\": [{\\"item\\": \\"oil\\"}, {'
    '\\"item\\": \\"bolt\\", \\"price\\": 3, \\"lots\\": [{\\"lot\\": 1}]}]}"}\n{"id": "r2", "output": "[1"}\n',
    "gold.jsonl": '{"id": "m1", "incidents": [{"types": ["ATTACK > BOMBING"], "fillers": [{"slot": "inc-instr-type", '
    '"values": ["EXPLOSIVE > BOMB"], "refers": ["CAR BOMB"]}]}]}\n{"id": "m2", "incidents": []}\n',
    "system.jsonl": '{"id": "m1", "incidents": [{"types": ["ATTACK"], "fillers": [{"slot": "inc-instr-type", '
    '"values": ["EXPLOSIVE"], "refers": []}]}]}\n{"id": "m2", "incidents": [{"types": ["ARSON"], "fillers": []}]}\n',
}
FAMILIES: dict[str, tuple[object, ...]] = {
    "ner": ("gold.iob", "system.iob"),
    "amr": ("gold.amr", "system.amr"),
    "tree": ("gold.conllu", "system.conllu"),
    "linking": ("gold.links", "system.links"),
    "record": ("gold.records", "system.records", "other=system.records", "--by", "field"),
    "template": ("gold.jsonl", "system.jsonl", "--reader", "jsonl"),
    "relation": (GOLD, *SYSTEMS.values(), "--reader", "jsonl", "--by", "genre"),
    "event": (GOLD, *SYSTEMS.values(), "--reader", "jsonl"),
    "kbp": (BASE, *BASES.values(), "--wiki", LINKS, "--by", "confidence", "--by", "relation"),
}


def families(folder: Path) -> Iterator[tuple[str, str]]:
    """Pages of `adjudge report`, of results that the commands save; no input file is there when they are made."""
    for name, options in FAMILIES.items():
        for file, text in FILES.items():
            (folder / file).write_text(text, encoding="utf-8")
        result, page = folder / f"{name}.json", folder / f"{name}.html"
        words = [_in(folder, word) for word in options]
        adjudge(name, "score", *words, "--save-documents", "--save", result, "--quiet", "-o", folder / f"{name}.txt")
        for file in FILES:
            (folder / file).unlink()
        adjudge("report", result, "-o", page)
        yield name, page.read_text(encoding="utf-8")


def _in(folder: Path, word: object) -> object:
    """A word of a command with the folder of its file, if it names one."""
    name, named, file = str(word).rpartition("=")
    return f"{name}{named}{folder / file}" if file in FILES else word


def adjudge(*arguments: object) -> None:
    """Run a command."""
    code = run(list(map(str, arguments)))
    if code:
        raise SystemExit(f"adjudge {' '.join(map(str, arguments))} ends with {code}")


def main(target: Path) -> None:
    """Write all of it."""
    target.mkdir(parents=True, exist_ok=True)

    def write(name: str, page: str) -> None:
        (target / f"{name}.html").write_text(page, encoding="utf-8")

    for task in TASKS:
        adjudge("demo", task, "--quiet", "--report", target, "--format", "json", "-o", target / f"{task}.json")
    known = {"hostile": [], "families": list(FAMILIES)}
    for number, text in enumerate([*HOSTILE, LONG]):
        write(f"hostile-{number}", render_result(hostile_result(text), title=text[:2000]))
        known["hostile"].append([shown(f"{text} ran {text}")[:1000], shown(text[:2000])])
    with tempfile.TemporaryDirectory() as made:
        for name, page in families(Path(made)):
            write(f"family-{name}", page)
    for name, documents, systems in (("forty", 40, 40), ("one", 1, 3), ("large", 5000, 40)):
        write(name, render_result(made_result(documents, systems), title=f"{systems} systems"))
    (target / "pages.json").write_text(json.dumps(known), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
