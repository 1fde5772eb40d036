"""Real files under the names that the examples of `--help` use, from the bundled campaigns and from a few lines.

The first words of an example say which files it gets: `adjudge kbp ...` reads what `_kbp` makes; where no function is
made for a command, there are the documents of the demo. An example that names another file fails: add it here.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from xml.sax.saxutils import escape

import msgspec

from adjudge.cli import run
from adjudge.demo import DATA
from muc4_templates import file, template

BIO = "EU B-ORG\nrejects O\nGerman B-MISC\ncall O\n\nPeter B-PER\nBlackburn I-PER\n\n"
COREFUD = (
    "# newdoc id = d\n# global.Entity = eid-etype-head-other\n1\tAda\t_\t_\t_\t_\t2\tnsubj\t_\tEntity=(e1--1-)\n"
    "2\tsaid\t_\t_\t_\t_\t0\troot\t_\t_\n3\tshe\t_\t_\t_\t_\t2\tobj\t_\tEntity=(e1--1-)\n\n"
)
TREE = "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n"
AMR = "# ::id s1\n(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))\n\n# ::id s2\n(c / city)\n"
LINKS = "d1\t0\t4\tE1\t1.0\tPER\nd1\t10\t15\tE2\t1.0\tORG\nd2\t0\t3\tE1\t1.0\tPER\n"
FACTS = "ana\tspouse\tben\td1\nben\temployer\tcorvex\td1\nben\temployer\tnorsk\td2\neva\tspouse\tdan\td2\n"
SENTENCE = {
    "doc_key": "d1",
    "sentences": [["BERT", "solves", "NER"]],
    "ner": [[[0, 0, "Method"], [2, 2, "Task"]]],
    "relations": [[[0, 0, 2, 2, "USED-FOR"]]],
}
WINDOW = {
    "doc_id": "d1",
    "sent_id": "d1-1",
    "tokens": ["Gunmen", "killed", "Ana"],
    "entity_mentions": [
        {"id": "e1", "text": "Ana", "start": 2, "end": 3, "entity_type": "PER", "mention_type": "NAM"},
    ],
    "relation_mentions": [],
    "event_mentions": [
        {
            "id": "v1",
            "event_type": "Life:Die",
            "trigger": {"text": "killed", "start": 1, "end": 2},
            "arguments": [{"entity_id": "e1", "role": "Victim", "text": "Ana"}],
        }
    ],
}
FILLERS = {"PerpInd": [[["gunmen", 0]]], "PerpOrg": [], "Target": [], "Victim": [[["bishop", 19]]], "Weapon": []}


def maker(line: str) -> Callable[[], None]:
    """The function that makes the files of an example into the current folder."""
    words = line.split()[1:]
    known = [" ".join(words[:number]) for number in range(len(words), 0, -1)]
    return next((_MAKERS[name] for name in known if name in _MAKERS), _extraction)


def call(*arguments: str) -> None:
    """Run a command that makes files."""
    assert run([*arguments, *(() if "-o" in arguments else ("-o", os.devnull))]) == 0, arguments


def write(content: str | bytes, *names: str) -> None:
    """The same content under some names."""
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


def as_lines(documents: Iterable[object]) -> str:
    """JSON lines."""
    return "".join(json.dumps(each) + "\n" for each in documents)


def copy(source: Path, *names: str) -> None:
    """A file or folder under some names."""
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, name)


def _extraction() -> None:
    for name, copies in (("gold", ("gold",)), ("alder", ("alder", "a", "system")), ("birch", ("birch", "b", "other"))):
        copy(DATA / f"{name}.jsonl", *(f"{each}.jsonl" for each in copies))


def _saved() -> None:
    """Results of three systems, and of the halves of one."""
    _extraction()
    copy(DATA / "cedar.jsonl", "cedar.jsonl")
    few = ("--bootstrap", "0", "--quiet")
    for name, copies in (("alder", ("system", "may")), ("birch", ("other", "june")), ("cedar", ())):
        call(
            "score",
            "relation.strict",
            "gold.jsonl",
            f"{name}.jsonl",
            "--save",
            f"{name}.json",
            "--save-documents",
            *few,
        )
        copy(Path(f"{name}.json"), *(f"{each}.json" for each in copies))
    ids = [json.loads(line)["id"] for line in Path("gold.jsonl").read_text().splitlines()]
    Path("parts").mkdir()
    for number, some in enumerate((ids[:12], ids[12:])):
        docs = ("--docs", ",".join(some))
        call("score", "relation.strict", "gold.jsonl", "a.jsonl", *docs, "--save", f"parts/{number}.json", *few)


def _agree() -> None:
    write(BIO, "anna.bio", "ben.bio")
    write(BIO.replace("MISC", "LOC"), "clara.bio")
    entity = {"span": {"start": 0, "end": 3}, "type": "PER"}
    for name, number in (("anna", 3), ("ben", 2)):
        write(as_lines({"id": f"d{n}", "entities": [entity] * (n < number)} for n in range(4)), f"{name}.jsonl")


def _coref() -> None:
    source = DATA / "coref"
    copy(source / "key.conll", "key.conll", "test.conll")
    copy(source / "linden.conll", "a.conll", "system.conll", "response.conll")
    copy(source / "maple.conll", "b.conll")
    write(COREFUD, "key.conllu", "system.conllu")


def _nugget() -> None:
    source = DATA / "nugget"
    copy(source / "gold.tbf", "gold.tbf", "clusters.tbf")
    copy(source / "heron.tbf", "a.tbf", "system.tbf", "run1.tbf", "out/system.tbf")
    copy(source / "kestrel.tbf", "b.tbf", "run2.tbf")
    copy(source / "tokens", "tokens")
    copy(source / "texts", "texts")
    arguments = ("-t", "tokens", "--texts", "texts", "--from", "tbf", "--to", "brat")
    call("nugget", "convert", "gold.tbf", *arguments, "-o", "annotations")


def _eal() -> None:
    source = DATA / "eal"
    copy(source / "sources", "sources", "texts")
    Path("runs").mkdir()
    for name, first, later in (("granite", "run1", "runs/6"), ("marble", "run2", "runs/7")):
        copy(source / "submissions" / name, first)
        call("eal", "filter-quotes", first, "--docs", "sources", "-o", "unquoted")
        call("eal", "trim", "unquoted", "-o", later)
        shutil.rmtree("unquoted")
    copy(Path("run1"), "clean")
    for part in ("arguments", "linking"):
        write("", f"clean/{part}/MINI_NW_05")  # in which something is odd
    for archive, folder in (("system", "clean"), ("acme1", "runs/6"), ("acme2", "runs/7"), ("run2", "runs/7")):
        shutil.make_archive(archive, "zip", folder)
    copy(source / "assessments", "assessments", "key", "first", "second", "merged", "pilot")
    copy(source / "frames", "frames", "ref")
    call("eal", "trim", "run1", "-o", "run1.trimmed")
    call("eal", "pool", "run1", "run2", "-o", "pool")
    call("eal", "sample", "pool", "--size", "6", "-o", "drawn")
    names = [path.name for path in Path("drawn").iterdir()]
    shutil.rmtree("drawn")  # and people assess what was drawn
    for name in names:
        Path("drawn").mkdir(exist_ok=True)
        shutil.copy(source / "assessments" / name, Path("drawn", name))


def _campaign() -> None:
    assert run(["eal", "campaign", "init", "autumn", "--demo"]) == 0


def _serve() -> None:
    from adjudge.serve.demo import make_demo
    from adjudge.serve.store import Store
    from adjudge.serve.store.care import backup

    _ner()
    make_demo(Path("autumn"), "ann")
    assert run(["serve", "track", "autumn", "names", "--task", "ner", "--gold", "gold.bio"]) == 0
    with Store.open(Path("autumn"), read_only=True) as store:
        backup(store, Path("saved"))


def _serve_scoring() -> None:
    from adjudge.serve.boards import Board, Tab
    from adjudge.serve.store import Store
    from adjudge.serve.tracks import write as note

    _serve()
    with Store.open(Path("autumn")) as store:
        board = store.put_blob(
            msgspec.json.encode(Board(track="names", phase="main", all=(Tab(metric="ner.strict", part="f1"),))), "board"
        )
        note(store, "names", "scoring", "names/main/1", {"board_sha": board})


def _serve_track() -> None:
    _serve_files()
    assert run(["serve", "track", "autumn", "names", "--task", "ner", "--gold", "gold.bio"]) == 0


def _serve_init() -> None:
    _ner()
    write('{"document": "d1", "record": "r1", "path": "city", "value": "Oslo", "evidence": []}\n', "facts.jsonl")
    write("Oslo.", "texts/d1.txt")
    assert run(["eal", "campaign", "init", "old", "--demo"]) == 0
    assert run(["eal", "campaign", "run", "old"]) == 0
    from adjudge.serve.schema import FOLDER

    write((FOLDER / "records.toml").read_text(), "mine.toml")


def _serve_files() -> None:
    from adjudge.serve.campaigns import assign
    from adjudge.serve.store import Store

    _serve_init()
    assert run(["serve", "init", "autumn", "--campaign", "old"]) == 0
    with Store.open(Path("autumn")) as store:
        assign(store, "autumn", "ann")
    call("serve", "export", "autumn", "--for", "ann", "-o", "ann-pack")
    copy(Path("old/answers"), "ben", "model")


def _kbp() -> None:
    source = DATA / "kbp"
    copy(source / "gold.jsonl", "gold.jsonl")
    copy(source / "geyser.jsonl", "system.jsonl")
    copy(source / "links.csv", "links.csv")
    rows = [row.split(",") for row in Path("links.csv").read_text().splitlines()]
    write("".join("\t".join(row) + "\n" for row in rows), "links.tsv")
    copy(source / "delta.tsv", "run.tac", "run1.tac", "a.tac", "run.tsv")
    copy(source / "fjord.tsv", "run2.tac", "b.tac")
    write(FACTS, "gold.tsv", "a.tsv")
    facts = [row.split("\t") for row in FACTS.splitlines()]
    write(as_lines({"id": document, "triples": [fact]} for *fact, document in facts[:1]), "kg.jsonl")
    entry = "<entry eid='1'><{0}set><{1}>Ana | child | Ben</{1}></{0}set></entry>"
    for target, names in (("refs.xml", ("modifiedtriple", "mtriple")), ("cands.xml", ("generatedtriple", "gtriple"))):
        write(f"<benchmark><entries>{entry.format(*names)}</entries></benchmark>", target)
    write('[{"correct_answer": "x", "evaluation": 1}, {"accuracy": "100%"}]', "results_1.json", "results_2.json")
    relations = [{"label": relation} for relation in sorted({fact[1] for fact in facts})]
    write(json.dumps({"concepts": [], "relations": relations}), "ontology.json")
    write(FACTS.replace("norsk", "oslo"), "system.tsv", "runs/mine/part-1.tsv")
    write(gzip.compress(FACTS.encode()), "gold/part-1.tsv.gz")
    pages = {(document, int(start)): page for document, start, _, page in rows[1:]}
    links = []
    for line in Path("gold.jsonl").read_text().splitlines():
        document = json.loads(line)
        write(document["text"], f"sources/{document['id']}.txt", f"ace/{document['id']}.sgm")
        write(_apf(document), f"ace/{document['id']}.apf.xml")
        for entity in document["entities"]:
            for mention in entity["mentions"]:
                page = pages.get((document["id"], mention["start"]))
                if page:
                    where = f"{document['id']}.sgm\t{entity['id']}\t{mention['start']}"
                    links.append(f"http://en.wikipedia.org/wiki/{page}\t{where}\n")
    write("".join(links), "ACEtoWIKI_resource.txt")
    gold = ("--gold", "gold.jsonl", "--wiki", "links.csv")
    made = ("--generate", "6", "--write-queries", "queries.xml", "--write-answers", "a")
    call("kbp", "query", *gold, *made, "a.tac", "--bootstrap", "0")
    copy(Path("queries.xml"), "q.xml")
    copy(Path("a"), "answers.tsv")
    for name in ("b", "c"):
        call("kbp", "query", *gold, "--queries", "q.xml", "--write-answers", name, "b.tac", "--bootstrap", "0")
    judged = []
    for number, answer in enumerate(dict.fromkeys(Path("a").read_text().splitlines())):
        query, slot, _, relation, value, _, place, *_ = answer.split("\t")
        if query.count("_") == 1:
            judged.append(f"{number}\t{query}:{slot}\t{relation}\t{value}\t{place}\tC\tC\t{query}:{number + 1}\n")
    write("".join(judged), "pool.tab")


def _apf(document: dict) -> str:  # type: ignore[type-arg]
    """A document of the demo as ACE annotation."""
    id, text = document["id"], document["text"]

    def place(tag: str, mention: dict) -> str:  # type: ignore[type-arg]
        start, end = mention["start"], mention["end"]
        return f'<{tag}><charseq START="{start}" END="{end - 1}">{escape(text[start:end])}</charseq></{tag}>'

    found = []
    for entity in document["entities"]:
        own = f"{id}-{entity['id']}"
        mentions = "".join(
            f'<entity_mention ID="{own}-{n}" TYPE="{each.get("level", "NAM")}">'
            f"{place('extent', each)}{place('head', each)}</entity_mention>"
            for n, each in enumerate(entity["mentions"])
        )
        found.append(f'<entity ID="{own}" TYPE="{entity["type"]}">{mentions}</entity>')
    for n, relation in enumerate(document["relations"]):
        arguments = "".join(
            f'<relation_argument REFID="{id}-{relation[end]}" ROLE="Arg-{m}"/>'
            for m, end in enumerate(("subject", "object"), start=1)
        )
        found.append(f'<relation ID="{id}-R{n}" TYPE="X" SUBTYPE="{relation["type"]}">{arguments}</relation>')
    return f'<source_file><document DOCID="{id}">{"".join(found)}</document></source_file>'


def _ner() -> None:
    write(BIO, "gold.bio")
    write(BIO.replace("MISC", "LOC"), "system.bio")


def _relation() -> None:
    write(as_lines([SENTENCE]), "gold.jsonl", "system.jsonl")


def _event() -> None:
    write(as_lines([WINDOW]), "gold.jsonl", "system.jsonl")


def _template() -> None:
    write(file(template("M1", inc_type="BOMBING", hum_tgt_name=['"A"', '"B"'])), "key.txt")
    write(file(template("M1", inc_type="ATTACK", hum_tgt_name='"A"')), "response.txt")
    head = {"docid": "TST3-MUC4-0001", "doctext": "Gunmen kidnapped a bishop."}
    write(as_lines([{**head, "templates": [{"incident_type": "kidnapping", **FILLERS}]}]), "test.json")
    found = {role: [[name for name, _ in entity] for entity in entities] for role, entities in FILLERS.items()}
    write(json.dumps({"30001": {"pred_templates": [{"incident_type": "kidnapping", **found}]}}), "preds.json")


def _amr() -> None:
    write(AMR, "gold.amr", "system.amr")


def _tree() -> None:
    write(TREE, "gold.conllu", "system.conllu")


def _linking() -> None:
    write(LINKS, "gold.tsv", "system.tsv")


def _record() -> None:
    write(as_lines({"id": f"d{n}", "records": [{"name": "a", "age": n}]} for n in range(3)), "gold.jsonl")
    write(as_lines({"id": f"d{n}", "records": [{"name": "a", "age": f"{n}.0"}]} for n in range(3)), "answers.jsonl")
    write("name: text\nage: number\n", "invoice.yaml")


def _pool() -> None:
    """A pool of which a part was drawn and assessed, opinions of a judge, and a result of two systems."""
    _extraction()
    items = [
        {"id": f"x{at:02}", "document": f"d{at % 12}", "systems": ["A", "B"][: 1 + at % 2], "type": "ab"[at % 2]}
        for at in range(80)
    ]
    opinions = [{"id": item["id"], "judge": at % 10 / 10} for at, item in enumerate(items)]
    write(as_lines(item | opinion for item, opinion in zip(items, opinions, strict=True)), "pool.jsonl")
    write(as_lines(opinions), "judge.jsonl")
    call("sample", "pool.jsonl", "--size", "40", "-o", "design.jsonl")
    rows = [json.loads(line) for line in Path("design.jsonl").read_text().splitlines()[1:]]
    said = [{"id": row["id"], "verdict": at % 2} for at, row in enumerate(row for row in rows if row["drawn"])]
    write(as_lines(said), "labels.jsonl")
    few = ("--bootstrap", "0", "--quiet")
    call("score", "relation.strict", "gold.jsonl", "a.jsonl", "b.jsonl", "--save", "result.json", *few)
    call("score", "relation.strict", "gold.jsonl", "a.jsonl", "--save", "saved.json", "--save-documents", *few)


_MAKERS = {
    "sample": _pool,
    "estimate": _pool,
    "judge": _pool,
    "plan": _pool,
    "compare": _saved,
    "report": _saved,
    "merge": _saved,
    "select": _saved,
    "agree": _agree,
    "coref": _coref,
    "nugget": _nugget,
    "eal": _eal,
    "eal campaign run": _campaign,
    "kbp": _kbp,
    "serve": _serve,
    "serve init": _serve_init,
    "serve scoring": _serve_scoring,
    "serve track": _serve_track,
    "serve schema": _serve_init,
    "serve import": _serve_files,
    "serve export": _serve_files,
    "ner": _ner,
    "gold.bio": _ner,
    "relation": _relation,
    "event": _event,
    "template": _template,
    "amr": _amr,
    "tree": _tree,
    "linking": _linking,
    "record": _record,
}
"""By the first words of a command, of which the longest match counts."""
