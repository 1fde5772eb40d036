"""Published scorers and our modes that stand in for them: the same text, and not slower.

The ratio is that of the CPU time beyond what the same command takes on tiny files (starting, importing).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.house.measure import Cost, Failed, adjudge, run_process
from benchmarks.house.rows import Bench, Found, Row
from benchmarks.house.setting import Setting

ROUNDS = 3


class Case(NamedTuple):
    """The corpus and how its size is called, the arguments of ours, and how the peer is run on a folder.

    `least` is the size of the files that take no time, `bar` how many times less CPU ours has to take, and `said` a
    pattern of what both must print; without one, they print the same.
    """

    name: str
    title: str
    corpus: str
    unit: str
    size: int
    ours: tuple[str, ...]
    peer: Callable[[Setting, Path], Cost]
    least: int = 30
    bar: float = 1
    said: str = ""


_LOAD = """
import warnings; warnings.simplefilter("ignore")
def load(path):
    return [[line.split()[-1] for line in block.split("\\n")] for block in open(path).read().strip().split("\\n\\n")]
gold, system = load("gold"), load("system")
"""
_SEQEVAL = _LOAD + "from seqeval.metrics import classification_report as report\nprint(report(gold, system))"
_STRICT = (
    _LOAD + "from seqeval.metrics import classification_report as report\nfrom seqeval.scheme import IOB2\n"
    'print(report(gold, system, mode="strict", scheme=IOB2))'
)
_NERVALUATE = (
    _LOAD + "from nervaluate import Evaluator\n"
    'print(Evaluator(gold, system, ["PER", "LOC", "ORG", "MISC"], loader="list").summary_report(), end="")'
)


_VALUES = """
import json, sys
sys.setrecursionlimit(100_000)
gold, system = (json.loads(open(name).read())["records"] for name in ("gold", "system"))
"""
_ANLS = _VALUES + 'from anls_star import anls_score\nprint(f"anls-star: {anls_score(gold, system)}")'
_STICKLER = (
    _VALUES
    + """
from stickler import StructuredModel
kinds = {str: "string", int: "integer", float: "number"}
line = {key: {"type": kinds[type(value)]} for key, value in gold["lines"][0].items()}
fields = {"vendor": {"type": "string"}, "lines": {"type": "array", "items": {"type": "object", "properties": line}}}
model = StructuredModel.from_json_schema({"type": "object", "properties": fields})
found = model(**gold).compare_with(model(**system), include_confusion_matrix=True)
print(f"overall_score: {found['overall_score']}")
"""
)
_TREES = (
    _VALUES
    + """
import zss
from nltk import edit_distance
def tree(name, value):
    node = zss.Node(name)
    for key in sorted(value, key=lambda key: (len(key), key)) if isinstance(value, dict) else ():
        inner = value[key]
        node.addkid(tree((key,), inner))
    for each in value if isinstance(value, list) else ():
        node.addkid(tree(("<subtree>",), each))
    if not isinstance(value, dict | list):
        node.addkid(zss.Node(str(value)))
    return node
def cost(node):
    return len(node.label) if isinstance(node.label, str) else 1
def relabel(a, b):
    leaves = [isinstance(each.label, str) for each in (a, b)]
    if all(leaves):
        return edit_distance(a.label, b.label)
    return 1 + cost(a if leaves[0] else b) if any(leaves) else int(a.label != b.label)
def distance(a, b):
    return zss.distance(a, b, zss.Node.get_children, cost, cost, relabel)
whole = tree(("<root>",), gold)
print(f"accuracy score: {1 - distance(tree(('<root>',), system), whole) / distance(zss.Node(('<root>',)), whole)}, ")
"""
)


def _python(code: str, name: str = "ner") -> Callable[[Setting, Path], Cost]:
    """Code for the environment of the packages."""
    return lambda setting, folder: run_process([setting.python_of(name), "-c", code], folder=folder)


def _records(scorer: str, title: str, code: str, said: str) -> Case:
    """A scorer of nested records, on an invoice of 60 lines."""
    ours = ("record", "score", "gold", "system", "--compat", scorer)
    peer = _python(code, "records")
    return Case(scorer, title, "invoices", "lines", 60, ours, peer, least=1, bar=20, said=said)


def _filter(name: str, file: str) -> Callable[[Setting, Path], Cost]:
    """A program that reads standard input."""
    return lambda setting, folder: run_process(setting.program(name), folder=folder, stdin=folder / file)


def _program(name: str, *arguments: str) -> Callable[[Setting, Path], Cost]:
    return lambda setting, folder: run_process([*setting.program(name), *arguments], folder=folder)


def _ner(*mode: str) -> tuple[str, ...]:
    return ("ner", "score", "gold", "system", "--compat", *mode)


def benches(*, quick: bool) -> list[Bench]:
    tokens, words = (21_000, 5_000) if quick else (210_000, 50_000)
    cases = (
        Case("conlleval", "conlleval", "tags", "tokens", tokens, _ner("conlleval"), _filter("conlleval", "both")),
        Case("seqeval", "seqeval", "tags", "tokens", tokens, _ner("seqeval-1.2.2"), _python(_SEQEVAL)),
        Case(
            "seqeval-strict",
            "seqeval, strict",
            "tags",
            "tokens",
            tokens,
            _ner("seqeval-1.2.2", "--scheme", "IOB2"),
            _python(_STRICT),
        ),
        Case("nervaluate", "nervaluate", "tags", "tokens", tokens, _ner("nervaluate-1.2.1"), _python(_NERVALUATE)),
        Case(
            "ud-2018",
            "the program of the CoNLL 2018 shared task",
            "trees",
            "words",
            words,
            ("tree", "score", "gold", "system", "--compat", "ud-2018"),
            _program("ud-2018", "-v", "gold", "system"),
        ),
        _records("anls-star-1.0.1", "ANLS*", _ANLS, r"anls-star: (\S+)"),
        _records("stickler-1.0.0", "stickler", _STICKLER, r"overall_score: (\S+)"),
        _records("donut", "the tree edit distance of Donut", _TREES, r"accuracy score: ([^,]+),"),
    )
    return [*(_bench(case, judged=not quick) for case in cases), _muc4()]


def _beyond(cost: Cost, start: Cost) -> float:
    return max(cost.cpu - start.cpu, 0.01)  # below a hundredth of a second there is nothing to tell


def _said(case: Case, cost: Cost) -> str:
    """What a program printed, or the score in it to nine digits."""
    text = str(cost.found)
    found = re.search(case.said, text) if case.said else None
    return f"{float(found[1]):.9f}" if found else text


def _bench(case: Case, *, judged: bool) -> Bench:
    what = f"{case.size:,} {case.unit}"
    same = "the same score" if case.said else "the same text"
    row = Row("peer", what, f"times less CPU than {case.title}, start-up apart; {same}", case.bar, judged=judged)

    def run(setting: Setting) -> Iterator[Found]:
        folders: dict[str, Any] = {
            "start": setting.corpus(case.corpus, **{case.unit: case.least}),
            "whole": setting.corpus(case.corpus, **{case.unit: case.size}),
        }
        sides = {}
        for kind, folder in folders.items():
            sides[f"ours {kind}"] = lambda folder=folder: run_process(adjudge(*case.ours), folder=folder)
            sides[f"peer {kind}"] = lambda folder=folder: case.peer(setting, folder)
        run_process(adjudge(*case.ours), folder=folders["start"])
        turns = setting.alternate(sides, ROUNDS, fewer={"peer start": ROUNDS, "peer whole": ROUNDS})
        ours, theirs = turns.best("ours whole"), turns.best("peer whole")
        if _said(case, ours) != _said(case, theirs):
            raise Failed(f"{case.title} prints another text than we do")
        value = _beyond(theirs, turns.best("peer start")) / _beyond(ours, turns.best("ours start"))
        yield Found("peer", value, ours=ours, theirs=theirs)

    return Bench(f"published/{case.name}", (row,), run)


def _muc4() -> Bench:
    row = Row("cpu", "MUC-4, one system, 100 messages", "s of CPU beyond start-up", 0.2, at_least=False)

    def run(setting: Setting) -> Iterator[Found]:
        def command(messages: int) -> list[str]:
            folder = setting.corpus("muc4", messages=messages)
            return adjudge("template", "score", folder / "key.txt", folder / "response.txt", "--compat", "muc4-3.3")

        commands = {"start": command(1), "whole": command(100)}
        run_process(commands["whole"])
        turns = setting.alternate({name: lambda c=each: run_process(c) for name, each in commands.items()}, 5)
        whole, start = turns.best("whole"), turns.best("start")
        yield Found("cpu", whole.cpu - start.cpu, ours=whole)

    return Bench("published/muc4", (row,), run)
