"""Command lines to break: every command that works, with files that are changed and options of all kinds.

What works is what the tests of faults run (`tests/faults/writers.py`), every reader of a family with its seeds, every
metric with its example, and the nasty documents of `nasty.py`. The options come from click's own declarations, so that
none is forgotten; their values are right, at an end of what is right, or nonsense.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import click

import adjudge
from adjudge.tasks.family import families, find_family
from fuzz.calls import KEY, brat_folder
from fuzz.known import known
from fuzz.mutate import mutant
from fuzz.nasty import KINDS, LIMIT, Case
from fuzz.people import PEOPLE
from fuzz.programs import program
from fuzz.seeding import SEEDS, parts
from fuzz.targets import targets

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from faults.writers import WRITERS, registered

LARGEST = 100_000
"""Bytes of an input."""
INPUTS = "../in"
"""Where the inputs of the tests are, seen from the folder in which a command runs."""
CAMPAIGN = "../campaign"
SERVED = "../served"
UNFED = {"demo", "schema", "completion", "metrics", "eal proposal-tables"}
"""Commands that read nothing, and what is always the same: less of them."""

DEVICES = {"../null": 3, "../zero": 5, "../full": 7}
"""Devices of our own, by their numbers: those of the machine are nothing to try out."""

WHOLES = ("0", "1", "2", "3", "20", "-1", "1.5", "", " 7", "1e3", "９", "0x10", "9" * 18, "9" * 19, "9" * 5000)
NUMBERS = ("0", "1", "0.5", "-1", "2", "100", "nan", "inf", "-inf", "1e308", "1e-320", "1e400", "", "x", "9" * 400)
TEXTS = (
    *("", " ", ",", ".", "-", "--", "x", "a,b", "a=b", "=", "d0", "d1", "d0,d1", "type", "records", "*", "[", "(", "é"),
    *("\x1b[31m", "\udcff", "a\nb", "../in", "no/such/file", "0", "1", "all", "none", "true", "A" * 5000, "f1", "id"),
    *("records.type", "strict", "re:(", "{", "{}", "null", "%s", "{0}", "1,2", "1:2", "type=x", "100MB", "0.5"),
)
FILES = ("out.txt", "out.html", "out.json", "-", "", ".", "no/such/out.txt", *DEVICES, "o" * 300, "é")
GATES = ("f1=0.5", "f1=0", "f1=100%", "precision=1", "f1=2", "f1=nan", "=1", "x", "nothing=0.5", "f1=-1", "f1=1e-320")
LEVELS = ("50", "95", "99.9", "95%", "0.95", "0", "100", "1", "49", "-5", "nan", "inf", "", "99.9999999999999999")


def made(seed: int, number: int) -> tuple[str, Case]:
    """The input of a number, and what it is called."""
    source = random.Random(f"{seed}:{number}")
    kinds = _kinds()
    name = source.choice(sorted(kinds))
    while (name in UNFED or name.startswith("nasty: ")) and source.random() < 0.9:
        name = source.choice(sorted(kinds))
    case = kinds[name](source)
    if name.startswith("nasty") and source.random() < 0.85:  # what is broken never comes to what is nasty
        files, words = case.files, case.words
    else:
        files, words = _broken(case.files, source), _options(case.words, source)
    return name, Case(words, files, case.documents)


def made_after_known(seed: int, number: int) -> tuple[str, Case]:
    """The same, but first what was broken once."""
    return list(known().items())[number] if number < len(known()) else made(seed, number)


@cache
def _kinds() -> dict[str, Callable[[random.Random], Case]]:
    """How inputs are made, by name."""
    found: dict[str, Callable[[random.Random], Case]] = {
        f"nasty {name}": make for name, make in (KINDS | PEOPLE).items()
    }
    for name, cases in _families():
        found[name] = lambda source, cases=cases: source.choice(cases)  # type: ignore[misc]
    by_command: dict[str, list[tuple[str, ...]]] = {}
    for writer in WRITERS:
        by_command.setdefault(writer.command, []).append(writer.arguments)
    for command, lines in by_command.items():
        found[command] = lambda source, lines=lines: _of_tests(source.choice(lines), source)  # type: ignore[misc]
    found["metrics of the catalogue"] = _metric
    found["nasty programs"] = program
    found["files alone"] = lambda source: _alone(source.choice(_families())[1], source)
    found["eal campaign"] = lambda source: Case(
        ("eal", "campaign", source.choice(("run", "run", "status")), "c"), _all_below(CAMPAIGN)
    )
    found["serve"] = lambda source: Case(tuple(source.choice(_SERVE).split()), _all_below(SERVED) | _HANDED_IN)
    found["eal campaign init"] = lambda _: Case(("eal", "campaign", "init", "new"), {})
    for name, case in _others():
        found[name] = lambda _, case=case: case  # type: ignore[misc]
    found |= {f"nasty: {name}": (lambda _, case=case: case) for name, case in known().items()}  # type: ignore[misc]
    return found


_GRAPHS = {
    "csv": "subject,relation,object,confidence\nAna,founded,Corvex,0.9\nAna,born,1970,0.5\nCorvex,in,Oslo,0.1\n",
    "langchain": (
        '{"nodes": [{"id": "Ana", "type": "PER"}, {"id": "Corvex", "type": "ORG"}], "relationships": '
        '[{"source": {"id": "Ana", "type": "PER"}, "target": {"id": "Corvex", "type": "ORG"}, "type": "FOUNDED"}]}\n'
    ),
    "neo4j": (
        '{"type": "relationship", "label": "FOUNDED", "start": {"id": "1", "properties": {"name": "Ana"}}, '
        '"end": {"id": "2", "properties": {"name": "Corvex"}}}\n'
    ),
    "llamaindex": (
        '{"nodes": {"Ana": {"label": "PER", "properties": {}, "name": "Ana"}}, "relations": '
        '{"r": {"label": "FOUNDED", "source_id": "Ana", "target_id": "Corvex", "properties": {}}}, '
        '"triplets": [["Ana", "r", "Corvex"]]}\n'
    ),
    "json": '[["Ana", "founded", "Corvex"], {"subject": "Ana", "relation": "born", "object": "1970"}]\n',
    "ntriples": '<http://e/Ana> <http://e/founded> <http://e/Corvex> .\n<http://e/Ana> <http://e/born> "1970" .\n',
    "turtle": '@prefix e: <http://e/> .\ne:Ana e:founded e:Corvex ; e:born "1970" .\n',
    "trig": "@prefix e: <http://e/> .\ne:g { e:Ana e:founded e:Corvex . }\n",
    "kggen": '{"entities": ["Ana", "Corvex"], "edges": ["founded"], "relations": [["Ana", "founded", "Corvex"]]}\n',
}


def _others() -> Iterator[tuple[str, Case]]:
    """Commands that neither the tests of faults nor the families have."""
    for reader, text in _GRAPHS.items():
        words = ("kbp", "score", "gold", "system", "--reader", "triples" if reader == "csv" else reader)
        yield f"kbp {reader}", Case(words, {"gold": text, "system": text})
    sides: dict[str, str | bytes] = {"gold": _GRAPHS["csv"], "system": _GRAPHS["csv"].replace("Corvex", "corvex ag")}
    names = {"alias": "Corvex\tcorvex ag\n", "map": "corvex ag\tCorvex\n", "relations": "born\t-born\n"}
    ontology = "relation\tdomain\trange\nfounded\tPER\tORG\n"
    for how in ("folded", "fuzzy=0.5", "alias=alias", "map=map"):
        words = ("kbp", "score", "gold", "system", "--graph", "--names", how, "--system-relations", "relations")
        words += ("--ontology", "ontology.tsv", "--hops", "3")
        yield f"kbp names {how}", Case(words, sides | names | {"ontology.tsv": ontology})
    words = ("kbp", "validate", "system", "--ontology", "ontology.tsv")
    yield "kbp ontology", Case(words, {"system": _GRAPHS["json"], "ontology.tsv": ontology})
    entries = min((SEEDS / "webnlg").iterdir()).read_bytes()
    for compat in ("webnlg-2020", "webnlg-2020-nervaluate-0.1.8"):
        words = ("kbp", "score", "gold.xml", "system.xml", "--compat", compat)
        yield f"kbp {compat}", Case(words, {"gold.xml": entries, "system.xml": entries})
    entities = min((SEEDS / "corefud").iterdir()).read_bytes()
    words = ("coref", "score", "gold.conllu", "system.conllu", "--profile", "corefud")
    yield "coref corefud", Case(words, {"gold.conllu": entities, "system.conllu": entities})
    marked = min((SEEDS / "corefud-text").iterdir()).read_bytes()
    words = ("coref", "score", "gold.conllu", "system.txt", "--profile", "corefud")
    yield "coref corefud text", Case(words, {"gold.conllu": KEY, "system.txt": marked})
    words = ("coref", "score", "gold", "system", "--profile", "corefud", "--match", "head", "--compat", "corefud")
    yield "coref crac", Case(words[:-2], {f"{side}/{n}.conllu": entities for side in ("gold", "system") for n in "ab"})
    yield "coref corefud compat", Case(words, {"gold": entities, "system": entities})
    facts = '[{"correct_answer": "x", "evaluation": 1}, {"correct_answer": "y", "evaluation": 0}, {"accuracy": "50%"}]'
    yield "kbp judged", Case(("kbp", "judged", "a.json", "b.json"), {"a.json": facts, "b.json": facts})
    ends = "document,in_pool,all\n" + "".join(f"d{n},1,2\n" for n in range(6))
    pool = "".join(f'{{"id": "x{n}", "document": "d{n}", "systems": ["A", "B"]}}\n' for n in range(6))
    design = "".join(f'{{"id": "x{n}", "probability": 1.0, "drawn": true}}\n' for n in range(6))
    labels = "id,verdict\n" + "".join(f"x{n},{n % 2}\n" for n in range(6))
    words = ("estimate", "pool.jsonl", "labels.csv", "--design", "design.jsonl", "--exhaustive", "ends.csv")
    files = {"pool.jsonl": pool, "labels.csv": labels, "design.jsonl": design, "ends.csv": ends}
    yield "estimate beyond", Case(words, files)
    schemas = Path(adjudge.__file__).parent / "serve" / "schemas"
    for path in sorted(schemas.glob("*.toml")):
        yield f"serve schema {path.stem}", Case(("serve", "schema", "mine.toml"), {"mine.toml": path.read_bytes()})


@cache
def inputs() -> dict[str, bytes]:
    """The inputs of the tests of faults: what is below the folder in which they are, by name."""
    place = Path(INPUTS)
    return {
        each.relative_to(place).as_posix(): each.read_bytes() for each in sorted(place.rglob("*")) if each.is_file()
    }


def _of_tests(line: tuple[str, ...], source: random.Random) -> Case:
    """A command line of the tests; one of its inputs is a copy, to be changed, the others stay where they are."""
    given = [word for word in line if word.startswith("@")]
    copied = source.choice(given) if given else None
    files: dict[str, str | bytes] = {}
    words = []
    for word in line:
        if word.startswith("@"):
            own = word == copied
            if own:
                name = word[1:]
                files = {path: data for path, data in inputs().items() if path == name or path.startswith(f"{name}/")}
            words.append(word[1:] if own else f"{INPUTS}/{word[1:]}")
        else:
            words.append(word)
    return Case(tuple(words), files)


@cache
def _families() -> list[tuple[str, list[Case]]]:
    """Every reader of every family, to score and to validate."""
    seeds = {each.run.args[0]: each for each in targets() if getattr(each.run, "args", ())}
    seeds["formats.brat_documents:read_brat_documents"] = next(each for each in targets() if each.run is brat_folder)
    found = []
    for family in map(find_family, families()):
        for name, reader in family.readers.items():
            own = seeds.get(reader.gold.removeprefix("adjudge."))
            if own is None:
                continue
            other = seeds.get((reader.system or reader.gold).removeprefix("adjudge."), own)
            score = (family.name, "score", "gold", "system", "--reader", name, "--bootstrap", "0")
            validate = (family.name, "validate", "system", "--gold", "gold", "--reader", name)
            pairs = [
                {**_side("gold", gold, reader.gold), **_side("system", system, reader.gold)}
                for gold in own.corpus()
                for system in other.corpus()
            ]
            found.append((f"{family.name} {name}", [Case(line, pair) for line in (score, validate) for pair in pairs]))
    return found


def _side(name: str, data: bytes, reader: str) -> dict[str, str | bytes]:
    """The file of one side, or the files of a folder."""
    if "brat" not in reader:
        return {name: data}
    annotation, text = parts(data, 2)
    return {f"{name}/d.ann": annotation, f"{name}/d.txt": text}


def _metric(source: random.Random) -> Case:
    """Any metric with its example."""
    from adjudge.metrics import catalogue

    metric = source.choice(catalogue())
    name, example = metric.name, json.dumps(metric.example) + "\n"
    line = source.choice((("score", name, "gold.jsonl", "system.jsonl"), ("agree", name, "gold.jsonl", "system.jsonl")))
    return Case(line, {"gold.jsonl": example, "system.jsonl": example})


def _alone(cases: list[Case], source: random.Random) -> Case:
    """Files without a command, or to look at only."""
    words = source.choice(
        (("gold", "system"), ("doctor", "gold", "system"), ("doctor", "."), ("coref", "score", "gold"))
    )
    return Case((*words, "--bootstrap", "0") if words[0] == "gold" else words, source.choice(cases).files)


def _all_below(folder: str) -> dict[str, str | bytes]:
    """Files to be changed: a small campaign, or a server without people at work."""
    place = Path(folder)
    return {
        each.relative_to(place).as_posix(): each.read_bytes() for each in sorted(place.rglob("*")) if each.is_file()
    }


# Everything but what goes on until it is interrupted.
_SERVE = (
    *("serve people f", "serve verify f", "serve rebuild f", "serve upgrade f", "serve rotate f", "serve import f"),
    *("serve track f", "serve track f ner --runs 3", "serve track f new --task coref --gold gold.conll"),
    *("serve scoring f ner", "serve scoring f ner --again", "serve scoring f ner --freeze", "serve board f -o out"),
    *("serve program f ner -o out.zip", "serve export f -o out", "serve backup f -o out", "serve restore f new"),
    *("serve invite f ben --role team", "serve revoke f ann", "serve import f --answers facts.jsonl --as ann"),
    *("serve init new --schema records --answers facts.jsonl", "serve init new --track coref --gold gold.conll"),
    "serve init new --schema mine.toml --answers facts.jsonl",
)
_HANDED_IN: dict[str, str | bytes] = {
    "facts.jsonl": '{"id": "x1", "document": "d1", "record": {"name": "Ada"}}\n',
    "gold.conll": "#begin document (d); part 000\nd 0 0 Ada (0)\n#end document\n",
    "mine.toml": (Path(adjudge.__file__).parent / "serve" / "schemas" / "records.toml").read_bytes(),
}


# ---------------------------------------------------------------------------------------------------------------------
# Changes


def _broken(files: dict[str, str | bytes], source: random.Random) -> dict[str, str | bytes]:
    """The files, of which one or two are changed; seldom none."""
    changed = dict(files)
    names = sorted(files)
    for _ in range(source.choice((0, 0, 1, 1, 1, 2)) if names else 0):
        name = source.choice(names)
        data = changed[name]
        changed[name] = mutant((data.encode() if isinstance(data, str) else data,), source)[:LARGEST]
    return changed


def _options(words: tuple[str, ...], source: random.Random) -> tuple[str, ...]:
    """The command line with options of all kinds, and seldom with arguments that are not right."""
    line = list(words)
    known = _parameters(words)
    has_limit = any("--time-limit" in each.opts and hasattr(each.type, "make") for each in known)
    if has_limit and "--time-limit" not in line:
        line += ["--time-limit", f"{LIMIT:g}"]
    alone = words[:2] == ("coref", "score") and "--compat" in line
    if any("--bootstrap" in each.opts for each in known) and "--bootstrap" not in line and not alone:
        line += ["--bootstrap", "10"]
    for _ in range(source.choice((0, 0, 0, 1, 1, 2, 3))):
        if known:
            line += _option(source.choice(known), words, source)
    if source.random() < 0.03:
        at = source.randrange(len(line))
        line[at : at + 1] = source.choice(
            ([], [line[at]] * 2, [source.choice(TEXTS)], [".."], ["-"], [source.choice((*DEVICES,))])
        )
    return tuple(line)


@cache
def _commands() -> dict[str, click.Command]:
    return dict(registered())


def _parameters(words: tuple[str, ...]) -> list[click.Option]:
    """The options of the command that a line calls."""
    for length in (3, 2, 1):
        command = _commands().get(" ".join(words[:length]))
        if command is not None:
            return [each for each in command.params if isinstance(each, click.Option)]
    return []


# What takes long if it is much; and processes of a copy would begin with the program of its parent.
_DEAR = {
    "--bootstrap": ("0", "1", "2", "20", "200", "-1", "x", "9" * 18),
    "--jobs": ("0", "1", "-1", "x", "9" * 19),
    "--hops": ("0", "1", "2", "3", "5", "12", "-1", "x", "9" * 18),
}
_LIMITS = ("0.001", "0.1", "1", "2", "0", "-1", "nan", "inf", "x", "9" * 400)


def _option(option: click.Option, words: tuple[str, ...], source: random.Random) -> list[str]:
    """An option and a value."""
    flag = source.choice((*option.opts, *option.secondary_opts))
    if not flag.startswith("-"):
        flag = f"--{flag}"
    if option.is_flag or flag == "--cluster":
        return [flag] if option.is_flag else []
    kind = getattr(option.type, "make", type(option.type)).__name__
    inner = [word for word in words if word and not word.startswith("-")]
    values: tuple[str, ...]
    if flag in _DEAR:
        values = _DEAR[flag]
    elif kind == "seconds":
        values = _LIMITS
    elif isinstance(option.type, click.Choice):
        values = (*map(str, option.type.choices), *map(str, option.type.choices), "nonsense")
    elif kind in ("Whole", "IntRange", "IntParamType"):
        values = WHOLES
    elif kind in ("FloatRange", "FloatParamType", "share"):
        values = NUMBERS
    elif kind == "level":
        values = LEVELS
    elif kind == "gate":
        values = GATES
    elif kind == "Target":
        values = FILES
    elif kind in ("Path", "FuncParamType"):
        values = (*FILES, *inner[-2:])
    else:
        values = (*TEXTS, *DEVICES, *inner, *_names())
    return [flag, source.choice(values)]


@cache
def _names() -> tuple[str, ...]:
    """Names that some options take: some metrics, all readers."""
    from adjudge.metrics import catalogue

    readers = [name for family in map(find_family, families()) for name in family.readers]
    return (*(each.name for each in catalogue()[::6]), *sorted(readers)[::2])


def kinds() -> Iterator[str]:
    """What inputs are called."""
    yield from sorted(_kinds())
