"""Every command that writes files, each with a short command line; the registry tells if one is forgotten."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from adjudge import demo
from adjudge.cli import run
from adjudge.cli.app import app
from adjudge.cli.options import Target
from adjudge.demo import coref, eal, kbp, nugget

# Options that take a path to read.
READS = {
    ("nugget convert", "--tokens"),
    ("nugget convert", "--texts"),
    ("nugget tokenize", "--texts"),
    ("nugget tokenize", "--annotations"),
}
# Commands that write into a folder which is an argument; they are tested by themselves.
FOLDERS = {"eal campaign init", "eal campaign run"}
# The folder of a store that people work in, which is tested with it (tests/serve).
STORES = "serve "
# Outputs of a store that people work in; they are tested with it (tests/serve).
SERVED = {("serve backup", "--output"), ("serve export", "--output"), ("serve program", "--output")}

FEW = ("MINI_NW_01", "MINI_DF_01", "MINI_DF_02")  # documents of the bundled campaign
BIO = "EU B-ORG\nrejects O\nGerman B-MISC\ncall O\n\nPeter B-PER\nBlackburn I-PER\n\n"
TREE = "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n"
AMR = "# ::id s1\n(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))\n\n# ::id s2\n(c / city)\n"
LINKS = "d1\t0\t4\tE1\t1.0\tPER\nd1\t10\t15\tE2\t1.0\tORG\nd2\t0\t3\tE1\t1.0\tPER\n"
FACTS = "ana\tspouse\tben\td1\nben\temployer\tcorvex\td1\nben\temployer\tnorsk\td2\neva\tspouse\tdan\td2\n"
QUERIES = "Q1\tana\t-\t-\t-\tspouse\temployer\nQ2\teva\t-\t-\t-\tspouse\n"
POOL = "Q1\tC\t1\tben\nQ1\tC\t1:1\tben\tcorvex\nQ1\tW\t0\tben\toslo\nQ2\tC\t1\tdan\n"
RECORDS = [{"id": f"d{number}", "records": [{"name": "a", "age": str(number)}]} for number in range(3)]
TEMPLATES = [
    {
        "docid": f"TST3-MUC4-000{number}",
        "doctext": "Gunmen kidnapped a bishop.",
        "templates": [
            {
                "incident_type": "kidnapping",
                "PerpInd": [[["gunmen", 0]]],
                "PerpOrg": [],
                "Target": [],
                "Victim": [[["bishop", 19]]],
                "Weapon": [],
            }
        ],
    }
    for number in (1, 2)
]


@dataclass(frozen=True)
class Writer:
    """A command line, in which `@` stands before inputs; `outputs` are the files and folders that it writes."""

    command: str
    option: str
    arguments: tuple[str, ...]
    outputs: tuple[str, ...]
    overwrite: bool = False  # whether an output that is there is replaced only with --overwrite
    code: int = 0
    appends: bool = False
    new: bool = False  # whether there must be nothing before
    shared: bool = False  # whether the output is a folder in which other files stay

    @property
    def name(self) -> str:
        """How tests call it."""
        return f"{self.command} {self.option} {self.outputs[-1]}".replace(" ", "_")

    @property
    def again(self) -> tuple[str, ...]:
        """The command line that replaces what is there."""
        return (*self.arguments, "--overwrite") if self.overwrite else self.arguments


def registered() -> Iterator[tuple[str, click.Command]]:
    """All commands by name."""

    def walk(
        command: click.Command, path: tuple[str, ...], context: click.Context
    ) -> Iterator[tuple[str, click.Command]]:
        if not isinstance(command, click.Group):
            yield " ".join(path), command
            return
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from walk(inner, (*path, name), click.Context(inner, parent=context, info_name=name))

    return walk(app, (), click.Context(app))


def writing_options() -> set[tuple[str, str]]:
    """The options that name an output: those with the type of a path, or that say so in their help."""
    found = set()
    for command, made in registered():
        for option in made.params:
            if not isinstance(option, click.Option) or option.is_flag or isinstance(option.type, click.Choice):
                continue
            words = (option.help or "").lower().split()
            if isinstance(option.type, click.Path | Target) or {"write", "written", "save"} & set(words[:3]):
                found.add((command, option.opts[-1]))
    return found - READS - SERVED


def _score(command: str, *arguments: str, code: int = 0) -> list[Writer]:
    line = (*command.split(), *arguments)
    few = ("--bootstrap", "20")
    return [
        Writer(command, "--output", (*line, *few, "-o", "out.txt"), ("out.txt",), code=code),
        Writer(command, "--save", (*line, *few, "--save", "saved.json"), ("saved.json",), code=code),
        Writer(command, "--summary", (*line, *few, "--summary", "sum.md"), ("sum.md",), code=code, appends=True),
    ]


def _store(command: str, *arguments: str, beside: tuple[str, ...] = (), packed: bool = True) -> list[Writer]:
    """A command that writes a store: as a folder, and as archives."""
    line = (*command.split(), *arguments)
    kinds = ("new", "new.zip", "new.tar.gz") if packed else ("new",)
    return [
        Writer(
            command, "--output", (*line, "-o", out), (*(each.format(out=out) for each in beside), out), overwrite=True
        )
        for out in kinds
    ]


def _printed(command: str, *arguments: str, code: int = 0) -> Writer:
    return Writer(command, "--output", (*command.split(), *arguments, "-o", "out.txt"), ("out.txt",), code=code)


def _checked(command: str, *arguments: str) -> list[Writer]:
    line = (*command.split(), *arguments)
    saved = Writer(command, "--save", (*line, "-o", "out.txt", "--save", "found.json"), ("found.json", "out.txt"))
    return [_printed(command, *arguments), saved]


def _family(name: str, *arguments: str) -> list[Writer]:
    reader = arguments[arguments.index("--reader") :] if "--reader" in arguments else ()
    return [*_score(f"{name} score", *arguments), *_checked(f"{name} validate", arguments[0], *reader)]


NUGGET = ("-g", "@gold.tbf", "-s", "@heron.tbf", "-t", "@tokens")
KBP = ("--gold", "@kb/gold.jsonl", "--wiki", "@kb/links.csv", "@kb/delta.tsv")
EAL = ("--key", "@key", "--frames", "@frames", "@granite")
ESTIMATED = ("@key", "@granite", "--frames", "@frames", "--design", "@all.jsonl")

WRITERS: list[Writer] = [
    *_score("score", "relation.strict", "@gold.jsonl", "@alder.jsonl"),
    *_score("coref score", "@key.conll", "@linden.conll"),
    *_checked("coref validate", "@linden.conll"),
    _printed("coref convert", "@linden.conll", "--to", "jsonl"),
    *_score("nugget score", *NUGGET),
    Writer("nugget score", "--comparison", ("nugget", "score", *NUGGET, "--comparison", "out.txt"), ("out.txt",)),
    *_checked("nugget validate", "@heron.tbf", "-t", "@tokens"),
    Writer(
        "nugget convert",
        "--output",
        ("nugget", "convert", "@gold.tbf", "-t", "@tokens", "--texts", "@texts", "--to", "brat", "-o", "new"),
        ("new",),
        shared=True,
    ),
    Writer("nugget tokenize", "--output", ("nugget", "tokenize", "-t", "@texts", "-o", "new"), ("new",), shared=True),
    _printed("nugget report", *NUGGET, "--texts", "@texts", "--bootstrap", "20"),
    *_checked("eal validate", "@granite", "--docs", "@sources"),
    Writer(
        "eal validate",
        "--output",
        ("eal", "validate", "@granite", "--docs", "@sources", "--dump", "-o", "dump.txt"),
        ("dump.txt",),
    ),
    *_store("eal filter-quotes", "@granite", "--docs", "@sources"),
    Writer(
        "eal filter-quotes",
        "--save-quotes",
        ("eal", "filter-quotes", "@granite", "--docs", "@sources", "--save-quotes", "quotes", "-o", "new"),
        ("quotes", "new"),
        overwrite=True,
    ),
    *_store("eal expand-justifications", "@granite", "--docs", "@sources"),
    *_store("eal trim", "@granite"),
    *_store("eal top", "@granite", "-n", "5"),
    *_store("eal pool", "@granite", "@marble", beside=("{out}.provenance.tsv",)),
    *_store("eal baseline-link", "@granite"),
    *_store("eal neutralize", "@granite", "--realis"),
    Writer(
        "eal neutralize",
        "--save-key",
        ("eal", "neutralize", "@granite", "--realis", "--coref", "--key", "@key", "--save-key", "new-key", "-o", "new"),
        ("new-key", "new"),
        overwrite=True,
    ),
    *_store("eal assessment create", "@granite", "--onto", "@key"),
    *_store("eal assessment merge", "@key", "@other-key"),
    *_checked("eal assessment check", "@key", "--frames", "@frames"),
    _printed("eal assessment progress", "@key", "--rate", "100"),
    *_store("eal assessment expand-realis", "@key"),
    *_store("eal assessment repair", "@key"),
    *_store("eal frames template", "@key"),
    *_store("eal frames read", "@frames", "@key"),
    *_store("eal frames project", "@frames", "@key", "@other-key"),
    *_score("eal score", *EAL),
    Writer(
        "eal score",
        "--per-document",
        ("eal", "score", *EAL, "--bootstrap", "20", "--per-document", "out.tsv"),
        ("out.tsv",),
    ),
    Writer("eal graphs", "--output", ("eal", "graphs", *EAL, "--bootstrap", "20", "-o", "new"), ("new",), shared=True),
    _printed("eal report", *EAL, "--bootstrap", "20"),
    _printed("eal proposal-tables"),
    *_score("kbp score", *KBP),
    *_score("kbp discovery", *KBP),
    _printed("kbp explain", *KBP),
    _printed("kbp report", *KBP),
    Writer(
        "kbp query",
        "--write-queries",
        ("kbp", "query", "--gold", "@gold.tsv", "--generate", "5", "--write-queries", "q.xml", "@a.tsv"),
        ("q.xml",),
    ),
    Writer(
        "kbp query",
        "--write-answers",
        ("kbp", "query", "--gold", "@gold.tsv", "--generate", "5", "--write-answers", "answers", "@a.tsv"),
        ("answers",),
    ),
    Writer(
        "kbp query",
        "--table",
        ("kbp", "query", "--gold", "@gold.tsv", "--generate", "5", "--table", "t.tsv", "@a.tsv"),
        ("t.tsv",),
    ),
    *_score("kbp query", "--gold", "@gold.tsv", "--generate", "5", "@a.tsv"),
    *_score("kbp judged", "@judged.json"),
    _printed("kbp pooling-bias", "--queries", "@q.tsv", "--assessments", "@pool.tab", "@a.tsv", "@gold.tsv"),
    Writer("kbp validate", "--repair", ("kbp", "validate", "@kb/delta.tsv", "--repair", "mended.tsv"), ("mended.tsv",)),
    *_checked("kbp validate", "@kb/delta.tsv"),
    *_family("ner", "@gold.bio", "@system.bio"),
    *_family("relation", "@gold.jsonl", "@alder.jsonl"),
    *_family("event", "@gold.jsonl", "@alder.jsonl"),
    *_family("template", "@templates.jsonl", "@templates.json", "--reader", "gtt"),
    _printed("template errors", "@templates.jsonl", "@templates.json", "--reader", "gtt"),
    *_family("amr", "@gold.amr", "@gold.amr"),
    *_family("tree", "@gold.conllu", "@gold.conllu"),
    *_family("linking", "@gold.links", "@gold.links"),
    *_family("record", "@records.jsonl", "@records.jsonl"),
    _printed("metrics"),
    *_score("compare", "@alder.json", "@birch.json"),
    _printed("report", "@alder.json", "@birch.json"),
    Writer("merge", "--output", ("merge", "@part1.json", "@part2.json", "-o", "whole.json"), ("whole.json",)),
    Writer(
        "merge",
        "--summary",
        ("merge", "@part1.json", "@part2.json", "-o", "whole.json", "--summary", "sum.md"),
        ("sum.md", "whole.json"),
        appends=True,
    ),
    _printed("doctor", "@gold.jsonl"),
    _printed("agree", "relation.strict", "@gold.jsonl", "@alder.jsonl"),
    Writer(
        "agree",
        "--save",
        ("agree", "relation.strict", "@gold.jsonl", "@alder.jsonl", "--save", "agree.json"),
        ("agree.json",),
    ),
    Writer(
        "agree",
        "--report",
        ("agree", "relation.strict", "@gold.jsonl", "@alder.jsonl", "--report", "agree.html", "-o", "out.txt"),
        ("agree.html", "out.txt"),
    ),
    Writer(
        "agree",
        "--resolved",
        (
            *("agree", "relation.strict", "@gold.jsonl", "@alder.jsonl", "@birch.jsonl"),
            *("--resolve", "least-distance", "--resolved", "chosen.jsonl"),
        ),
        ("chosen.jsonl",),
    ),
    _printed("sample", "@items.jsonl", "--size", "20"),
    _printed("estimate", "@items.jsonl", "@labels.jsonl", "--design", "@design.jsonl"),
    Writer(
        "estimate",
        "--save",
        ("estimate", "@items.jsonl", "@labels.jsonl", "--design", "@design.jsonl", "--save", "saved.json"),
        ("saved.json",),
    ),
    _printed("judge", "@items.jsonl", "@labels.jsonl", "--design", "@design.jsonl"),
    _printed("plan", "@both.json", "--difference", "1"),
    *_store("eal sample", "@granite", "--size", "2", beside=("{out}.design.jsonl",), packed=False),
    _printed("eal estimate", *ESTIMATED),
    Writer("eal estimate", "--save", ("eal", "estimate", *ESTIMATED, "--save", "saved.json"), ("saved.json",)),
    _printed("select", "@alder.json", "@birch.json", "--disagree", "2"),
    _printed("schema", "result"),
    _printed("demo"),
    Writer("demo", "--report", ("demo", "--report", "pages", "-o", "out.txt"), ("pages", "out.txt"), shared=True),
    Writer("demo", "--files", ("demo", "coref", "--files", "new"), ("new",), new=True),
    _printed("completion", "bash"),
]


def make_inputs(folder: Path) -> None:
    """Everything that the command lines read."""
    for path in (demo.GOLD, *demo.SYSTEMS.values(), coref.KEY, *coref.SYSTEMS.values()):
        shutil.copy(path, folder)
    for path in (nugget.GOLD, *nugget.SYSTEMS.values()):
        shutil.copy(path, folder)
    shutil.copytree(nugget.TOKENS, folder / "tokens")
    shutil.copytree(nugget.TEXTS, folder / "texts")
    shutil.copytree(kbp.FOLDER, folder / "kb")
    (folder / "sources").mkdir()
    for name, source in (("key", eal.ASSESSMENTS), ("other-key", eal.ASSESSMENTS), ("frames", eal.FRAMES)):
        (folder / name).mkdir()
        for document in FEW:
            shutil.copy(source / document, folder / name)
    for document in FEW:
        shutil.copy(eal.SOURCES / f"{document}.txt", folder / "sources")
        for system in ("granite", "marble"):
            for part in ("arguments", "linking"):
                (folder / system / part).mkdir(parents=True, exist_ok=True)
                shutil.copy(eal.SUBMISSIONS[system] / part / document, folder / system / part)
    (folder / "gold.bio").write_text(BIO)
    (folder / "system.bio").write_text(BIO.replace("MISC", "LOC"))
    (folder / "gold.conllu").write_text(TREE)
    (folder / "judged.json").write_text('[{"evaluation": 1}, {"evaluation": 0}]')
    (folder / "gold.amr").write_text(AMR)
    (folder / "gold.links").write_text(LINKS)
    for name, text in (("gold.tsv", FACTS), ("a.tsv", FACTS), ("q.tsv", QUERIES), ("pool.tab", POOL)):
        (folder / name).write_text(text)
    for name, documents in (("records", RECORDS), ("templates", TEMPLATES)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in documents))
    answer = {"incident_type": "kidnapping", "PerpInd": [["gunmen"]], "Victim": [["bishop"]]}
    empty: dict[str, list[str]] = {"PerpOrg": [], "Target": [], "Weapon": []}
    found = {f"3000{number}": {"pred_templates": [{**answer, **empty}]} for number in (1, 2)}
    (folder / "templates.json").write_text(json.dumps(found))
    items = [{"id": f"x{at:02}", "systems": ["A", "B"][: 1 + at % 2], "judge": at % 10 / 10} for at in range(60)]
    (folder / "items.jsonl").write_text("".join(json.dumps(each) + "\n" for each in items))
    certain = [{"id": document, "probability": 1, "drawn": True} for document in FEW]
    head = "# " + json.dumps({"rounds": [{"size": len(FEW), "unit": "document"}]}) + "\n"
    (folder / "all.jsonl").write_text(head + "".join(json.dumps(each) + "\n" for each in certain))
    few = ["--bootstrap", "0", "--quiet", "-o", os.devnull]
    with contextlib.chdir(folder):
        assert run(["sample", "items.jsonl", "--size", "40", "-o", "design.jsonl"]) == 0
        rows = [json.loads(line) for line in Path("design.jsonl").read_text().splitlines()[1:]]
        said = [{"id": row["id"], "verdict": at % 2} for at, row in enumerate(row for row in rows if row["drawn"])]
        Path("labels.jsonl").write_text("".join(json.dumps(each) + "\n" for each in said))
        both = ["score", "relation.strict", "gold.jsonl", "alder.jsonl", "birch.jsonl", "--save", "both.json"]
        assert run([*both, *few]) == 0
        for name in ("alder", "birch"):
            assert run(["score", "relation.strict", "gold.jsonl", f"{name}.jsonl", "--save", f"{name}.json", *few]) == 0
        lines = Path("gold.jsonl").read_text().splitlines(keepends=True)
        ids = [json.loads(line)["id"] for line in lines]
        for part, some in (("part1", ids[:2]), ("part2", ids[2:])):
            command = ["score", "relation.strict", "gold.jsonl", "alder.jsonl", "--docs", ",".join(some)]
            assert run([*command, "--save", f"{part}.json", *few]) == 0
