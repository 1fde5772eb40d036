"""Write the pages that the browser looks at: those of the demos, of all tasks, hostile ones and large ones.

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
from typing import Any

from adjudge.report.html.eal import eal_page
from adjudge.report.html.kbp import kbp_page
from adjudge.report.html.nugget import nugget_page
from adjudge.report.html.page import shown

import adjudge as aj
from adjudge.cli import run
from adjudge.cli.demo import TASKS
from adjudge.demo.coref import KEY
from adjudge.demo.coref import SYSTEMS as COREF
from adjudge.demo.eal import ASSESSMENTS, FRAMES, SOURCES, SUBMISSIONS
from adjudge.demo.kbp import GOLD as BASE
from adjudge.demo.kbp import LINKS
from adjudge.demo.kbp import SYSTEMS as BASES
from adjudge.demo.nugget import GOLD as NUGGETS
from adjudge.demo.nugget import SYSTEMS as HERONS
from adjudge.demo.nugget import TOKENS
from adjudge.evaluate.run import Run
from adjudge.formats.eal_sources import Sources
from adjudge.formats.eal_write import FramesWriter, KeyWriter, StoreWriter
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Cas, Frame, Linking, Response
from adjudge.model.eal import Span as EalSpan
from adjudge.model.kbp import Entity, Fact, KbCorpus, KbDocument, KnowledgeBase, Mention, Provenance, Span
from adjudge.model.nugget import Nugget, NuggetDocument, Relation
from adjudge.report.page import render_result
from adjudge.stats.inference import Inference
from adjudge.tasks.eal.task import EalTask, Gold, count
from adjudge.tasks.kbp.inputs import GoldInput, KbInputs, SystemInput
from adjudge.tasks.kbp.options import make_options
from adjudge.tasks.nugget.task import NuggetTask, evaluate_nuggets

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "</noscript></style></title><script>alert(1)</script>",
    '"><svg onload=alert(1)> <a href="javascript:alert(1)">x</a>',
    "' autofocus onfocus=alert(1) x='",
    "<!--<script> ]]> {{ 7 * 7 }} {% raw %} ${alert(1)} &lt;b&gt;",
    "abc\u202egnp.exe\u2066 \u200f\u05d0\u05d1 \u061c\u202a\u2028\u2029",
    "a\x00b\x07c\x1b[31md\x7f\x9be",
    "half \ud83d and half \ude00 of \U0001f600",
)
TITLE = " ".join(HOSTILE)
LONG = "x" * 2**20
SEEN = 1000  # letters of a text that are compared


def sentence(text: str) -> tuple[str, tuple[int, int], tuple[int, int]]:
    """A text that begins and ends with another one, and where both stand."""
    whole = f"{text} ran {text}"
    return whole, (0, len(text)), (len(text) + 5, len(whole))


def texts() -> list[tuple[str, str]]:
    """A name and a text for every document."""
    return [*((each, each) for each in HOSTILE), ("long", LONG)]


def facts(title: str, documents: list[tuple[str, str]]) -> dict[str, Any]:
    """What must be seen: the title, and the texts of the documents, as they are shown."""
    seen = [(shown(name), shown(text)) for name, text in documents]
    return {"title": shown(title), "documents": [[name, text[:SEEN], units(text)] for name, text in seen]}


def units(text: str) -> int:
    """The length of a text as a browser counts it."""
    return len(text.encode("utf-16-le")) // 2


# ---------------------------------------------------------------------------------------------------------------------
# Hostile pages


def hostile_result() -> tuple[str, dict[str, Any]]:
    """Entities that are hostile in all their strings."""
    gold, system = [], []
    for name, text in texts():
        whole, *spans = sentence(text)
        kind = text if len(text) < 1000 else "T"
        items = [{"span": {"start": start, "end": end}, "type": kind, text[:200]: text} for start, end in spans]
        gold.append({"id": name, "text": whole, "entities": items, "genre": text[:200]})
        system.append({"id": name, "entities": [{**items[0], "type": kind + "2"}, items[1]]})
    systems = {TITLE: system, HOSTILE[1] + " 2": system}
    result = aj.score("ner.strict", gold, systems, by=["genre"], bootstrap=20, documents=True)
    seen = [(document.id, document.text or "") for document in result.documents.gold]
    return render_result(result, title=TITLE), facts(TITLE, seen)


def hostile_nuggets() -> tuple[str, dict[str, Any]]:
    """Nuggets that are hostile in all their strings."""
    gold, system = [], []
    for name, text in texts():
        whole, *spans = sentence(text)
        kind = text if len(text) < 1000 else "T"
        nuggets = [Nugget(f"{text[:200]}{n}", kind, kind, text, pieces=(span,)) for n, span in enumerate(spans)]
        both = tuple(each.id for each in nuggets)
        gold.append(
            NuggetDocument(name, nuggets, [Relation("Coreference", "c", both), Relation("After", name, both)], whole)
        )
        system.append(
            NuggetDocument(name, [Nugget("E1", kind + "2", kind, text, pieces=(spans[0],)), nuggets[1]], [], whole)
        )
    run = Run(inference=Inference(bootstrap=20), keep=True, pool="micro")
    page = nugget_page(
        evaluate_nuggets(NuggetTask(), gold, {TITLE: system, HOSTILE[1] + " 2": system}, run), title=TITLE
    )
    return page, facts(TITLE, [(name, sentence(text)[0]) for name, text in texts()])


def hostile_arguments(folder: Path) -> tuple[str, dict[str, Any]]:
    """Event arguments that are hostile in all their strings; names of files have no slashes and are UTF-8."""
    good = Assessment("C", "C", "C", "C", "Actual", "NAME")
    (folder / "texts").mkdir(parents=True)
    seen = []
    with (
        KeyWriter(folder / "key") as keys,
        FramesWriter(folder / "ref") as frames,
        StoreWriter(folder / "system", ids="keep") as store,
    ):
        for number, (_, text) in enumerate(texts()):
            kept = " ".join("".join(letter for letter in text if not "\ud800" <= letter <= "\udfff").split())
            name = "".join(c for c in kept.replace("/", "\u2215") if c.isprintable()).strip()[:60] + f" {number}"
            whole, (start, end), (later, last) = sentence(kept)
            kind = kept if len(kept) < 1000 else "T"
            filler, why = Cas(kept, EalSpan(start, end - 1)), (EalSpan(0, len(whole) - 1),)
            right = Response(name, kind, kind, filler, filler.span, why, (), "Actual")
            wrong = Response(
                name, kind, kind + "2", Cas(kept, EalSpan(later, last - 1)), filler.span, why, (), "Actual"
            )
            lost = Response(name, kind + "3", kind, filler, filler.span, why, (), "Actual")
            assessed = {right: good, wrong: Assessment("C", "C", "W", "W", "Other", "NOMINAL"), lost: good}
            keys.write(AnswerKey(name, assessed, (), {right.cas: 1, wrong.cas: 2}))
            frames.write(Linking(name, [Frame(frozenset((right, lost)))]))
            mine = Arguments(name, [Argument(right, 0.5, "1"), Argument(wrong, 0.9, "2")])
            store.write(mine, Linking(name, [Frame(frozenset((right, wrong)))]))
            (folder / "texts" / name).write_bytes(whole.encode())
            seen.append((name, whole))
    title = TITLE
    systems = {title: folder / "system", HOSTILE[1] + " 2": folder / "system"}
    sources = Sources(folder / "texts")
    run = Run(inference=Inference(bootstrap=20))
    page = eal_page(
        count(EalTask(whole=True), Gold(folder / "key", folder / "ref"), systems, run), sources=sources, title=title
    )
    return page, facts(title, seen)


def hostile_bases() -> tuple[str, dict[str, Any]]:
    """A knowledge base that is hostile in all its strings, with a name of a megabyte."""
    documents, entities, said = [], [], []
    for number, (name, text) in enumerate(texts()):
        whole, one, other = sentence(text)
        where = Provenance((Span(0, len(whole)),))
        first, second = (Mention(name, *span, text=text + mark) for span, mark in ((one, ""), (other, "2")))
        kind = text[:200]
        pair = [Entity(f"a{number}", kind, (first,)), Entity(f"b{number}", kind, (second,))]
        documents.append(KbDocument(name, pair, [Fact(f"a{number}", kind, f"b{number}", name, where)], whole))
        entities.append(Entity(f"s{number}", kind, (first,)))
        said.append((name, whole))
    kb = KnowledgeBase(TITLE, entities, [Fact("s0", HOSTILE[0], "s1", HOSTILE[0])])
    systems = tuple(SystemInput(name, name, "coldstart", kb) for name in (TITLE, HOSTILE[1] + " 2"))
    read = KbInputs(GoldInput(TITLE, "documents", KbCorpus(TITLE, documents)), systems)
    return kbp_page(read, make_options(hops=1), bootstrap=20, limit=50, title=TITLE), facts(TITLE, said)


# ---------------------------------------------------------------------------------------------------------------------
# Large pages

WORDS = ("council", "town", "river", "letter", "boat", "market", "court", "winter", "ferry", "said", "the", "of", "two")
TYPES = ("PER", "ORG", "LOC", "FAC", "GPE")


def changed(items: list[Any], chance: float, draw: random.Random, other: Any) -> list[Any]:
    """What a system makes of gold items: some are left out, some have another type."""
    return [
        item if draw.random() > chance else other(item) for item in items if draw.random() > chance / 2
    ]  # fmt: skip


def large_result(documents: int = 500, systems: int = 5, mentions: int = 25) -> tuple[str, int]:
    """A page of many documents, and the size of what was scored."""
    draw = random.Random(13)
    gold, own = [], [[] for _ in range(systems)]
    for number in range(documents):
        words = [draw.choice(WORDS) for _ in range(8 * mentions)]
        ends = [0]
        for word in words:
            ends.append(ends[-1] + len(word) + 1)
        items = [
            {"span": {"start": ends[at], "end": ends[at + 1] - 1}, "type": draw.choice(TYPES)}
            for at in sorted(draw.sample(range(len(words)), mentions))
        ]
        name = f"doc-{number:04}"
        gold.append({"id": name, "genre": draw.choice(("nw", "df")), "text": " ".join(words), "entities": items})
        for place, mine in enumerate(own):
            made = changed(items, 0.1 + 0.1 * place, draw, lambda item: {**item, "type": draw.choice(TYPES)})
            mine.append({"id": name, "entities": made})
    size = sum(len(json.dumps(each)) + 1 for side in (gold, *own) for each in side)
    named = {f"system-{place}": mine for place, mine in enumerate(own)}
    result = aj.score("ner.strict", gold, named, by=["genre"], bootstrap=100, documents=True)
    return render_result(result, title="Large"), size


def large_nuggets(documents: int = 500, systems: int = 5, nuggets: int = 12) -> tuple[str, int]:
    """The same for nuggets, with the texts beside the files."""
    draw = random.Random(13)
    gold, own, size = [], {f"system-{place}": [] for place in range(systems)}, 0
    for number in range(documents):
        words = [draw.choice(WORDS) for _ in range(12 * nuggets)]
        text, name = " ".join(words), f"doc-{number:04}"
        places = sorted(draw.sample(range(len(text) - 8), nuggets))
        items = [
            Nugget(f"E{n}", draw.choice(TYPES), "Actual", text[at : at + 6], pieces=((at, at + 6),))
            for n, at in enumerate(places)
        ]
        gold.append(NuggetDocument(name, items, [], text))
        size += len(text)
        for place, mine in enumerate(own.values()):
            made = changed(items, 0.1 + 0.1 * place, draw, lambda item: item._replace(type=draw.choice(TYPES)))
            mine.append(NuggetDocument(name, made, [], text))
    for side in (gold, *own.values()):
        # As lines of a file: document, id, offsets, text, type, realis.
        size += sum(
            len(f"b\t{d.id}\t{n.id}\t{n.pieces[0][0]},{n.pieces[0][1]}\t{n.text}\t{n.type}\t{n.realis}\n")
            for d in side
            for n in d.nuggets
        )
    run = Run(inference=Inference(bootstrap=100), keep=True, pool="micro")
    return nugget_page(evaluate_nuggets(NuggetTask(), gold, own, run), title="Large"), size


# ---------------------------------------------------------------------------------------------------------------------
# Other tasks


FILES = {
    "gold.iob": "Ann B-PER\nLee I-PER\nleft O\nRome B-LOC\n\nOslo B-LOC\nis O\ncold O\n",
    "system.iob": "Ann B-PER\nLee O\nleft O\nRome B-ORG\n\nOslo B-LOC\nis O\ncold B-LOC\n",
    "gold.amr": "# ::id a\n(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))\n\n# ::id b\n(s / sleep-01)\n",
    "system.amr": "# ::id a\n(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-01))\n\n# ::id b\n(s / sleep-02)\n",
    "gold.jsonl": '{"id": "m1", "incidents": [{"types": ["ATTACK > BOMBING"], "fillers": [{"slot": "inc-instr-type", '
    '"values": ["EXPLOSIVE > BOMB"], "refers": ["CAR BOMB"]}]}]}\n{"id": "m2", "incidents": []}\n',
    "system.jsonl": '{"id": "m1", "incidents": [{"types": ["ATTACK"], "fillers": [{"slot": "inc-instr-type", '
    '"values": ["EXPLOSIVE"], "refers": []}]}]}\n{"id": "m2", "incidents": [{"types": ["ARSON"], "fillers": []}]}\n',
}
COMMANDS: dict[str, tuple[object, ...]] = {
    "ner": ("ner", "score", "gold.iob", "system.iob", "--save-documents"),
    "amr": ("amr", "score", "gold.amr", "system.amr", "--save-documents"),
    "template": ("template", "score", "gold.jsonl", "system.jsonl", "--reader", "jsonl", "--save-documents"),
    "coref": ("coref", "score", KEY, *COREF.values(), "--by", "genre"),
    "nugget": ("nugget", "score", "-g", NUGGETS, *sum((("-s", each) for each in HERONS.values()), ()),
               "-t", TOKENS, "--by", "type"),
    "eal": ("eal", "score", "--key", ASSESSMENTS, "--frames", FRAMES, "--docs-text", SOURCES, *SUBMISSIONS.values(),
            "--by", "role"),
    "kbp": ("kbp", "score", "--gold", BASE, "--wiki", LINKS, *BASES.values(), "--by", "confidence", "--by", "relation"),
}  # fmt: skip


def others(folder: Path) -> Iterator[tuple[str, str]]:
    """Pages of `adjudge report`, of results that the commands of the tasks save."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name, command in COMMANDS.items():
        result, page = folder / f"{name}.json", folder / f"{name}.html"
        words = [folder / word if word in FILES else word for word in command]
        adjudge(*words, "--save", result, "--quiet", "-o", folder / f"{name}.txt")
        adjudge("report", result, "-o", page)
        yield name, page.read_text(encoding="utf-8")


def adjudge(*arguments: object) -> None:
    """Run a command."""
    code = run(list(map(str, arguments)))
    if code:
        raise SystemExit(f"adjudge {' '.join(map(str, arguments))} ends with {code}")


def main(target: Path) -> None:
    """Write all of it."""
    target.mkdir(parents=True, exist_ok=True)
    for task in TASKS:
        adjudge("demo", task, "--quiet", "--report", target, "--format", "json", "-o", target / f"{task}.json")
    known: dict[str, Any] = {"hostile": {}, "large": {}, "others": []}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, (page, seen) in (
            ("result", hostile_result()),
            ("nugget", hostile_nuggets()),
            ("eal", hostile_arguments(folder / "eal")),
            ("kbp", hostile_bases()),
        ):
            (target / f"hostile-{name}.html").write_text(page, encoding="utf-8")
            known["hostile"][name] = seen
        for name, page in others(folder):
            (target / f"other-{name}.html").write_text(page, encoding="utf-8")
            known["others"].append(name)
    for name, (page, size) in (("result", large_result()), ("nugget", large_nuggets())):
        (target / f"large-{name}.html").write_text(page, encoding="utf-8")
        known["large"][name] = {"inputs": size, "page": len(page.encode())}
    (target / "pages.json").write_text(json.dumps(known), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
