"""`adjudge doctor` recognises what goes with gold and systems and what commands write; its next command runs."""

import json
import shlex
import shutil
import zipfile
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.demo import DATA
from adjudge.formats.companions import COMPANIONS
from adjudge.serve.demo import make_demo
from adjudge.tasks.doctor import examine
from fuzz.seeding import SEEDS

SEED_KINDS = {
    "aliases/aliases.tsv": "kb-aliases",
    "corefud-text/offsets.json": "marked-text",
    "corefud-text/tags.txt": "marked-text",
    "eal-campaign/campaign.toml": "eal-settings",
    "eal-campaign/set.toml": "eal-settings",
    "eal-genres/genres.tsv": "genres",
    "eal-lock/lock.tsv": "eal-lock",
    "eal-ontology/o.json": "eal-ontology",
    "eal-ontology/o.tsv": "eal-ontology",
    "eal-ontology-toml/o.toml": "eal-ontology",
    "eal-provenance/provenance.tsv": "eal-provenance",
    "eal-quotes/quotes.txt": "eal-quotes",
    "eal-sources/list.tsv": "text-paths",
    "eal-state/state.json": "eal-state",
    "gen-arg/templates.json": "gen-arg",
    "hierarchy/types.tsv": "hierarchy",
    "hierarchy-json/types.json": "hierarchy",
    "judged/judged.json": "kb-judged",
    "kb-answers/own.tsv": "kb-answers",
    "kg-json/read-09.json": "kg-json",
    "messages/messages.txt": "list",
    "muc4-history/decisions.lisp": "muc4-history",
    "muc4-slots/slots.toml": "muc4-slots",
    "multiplicities/roles.txt": "multiplicities",
    "nugget-sizes/sizes.txt": "sizes",
    "nugget-types/types.txt": "list",
    "ontology/onto.json": "kg-ontology",
    "ontology/onto.tsv": "kg-ontology",
    "pairs/pairs.tsv": "pairs",
    "schema/fields.yaml": "record-schema",
    "similarity/set.json": "similarity",
    "specs/events.yaml": "spec",
}
MADE = {
    "pool.jsonl": ("sample-pool", '{"id": "%s", "document": "d%s", "systems": ["A", "B"], "judge": 0.5}'),
    "labels.jsonl": ("labels", '{"id": "%s", "verdict": 0.%s}'),
    "judge.jsonl": ("judge", '{"id": "%s", "judge": 0.5, "document": "d%s"}'),
    "labels.csv": ("labels", '"%s",1,d%s'),
    "exhaustive.jsonl": ("exhaustive", '{"document": "%s", "in_pool": 1, "all": %s}'),
}
COMMANDS = """
eal pool DATA/eal/submissions/slate DATA/eal/submissions/granite -o pool
eal sample pool --size 4 -o drawn
eal sample pool --by class --size 30 -o classes
eal assessment create pool -o create
eal frames template DATA/eal/assessments -o template
eal frames read DATA/eal/frames DATA/eal/assessments -o frames
eal filter-quotes DATA/eal/submissions/slate --texts DATA/eal/sources --save-quotes quotes.txt -o rest
eal top DATA/eal/submissions/slate --number 20 -o top.zip
eal baseline-link DATA/eal/submissions/slate -o linked.tar.gz
eal validate DATA/eal/submissions/slate --save findings.json
eal neutralize DATA/eal/submissions/slate --realis --key DATA/eal/assessments --save-key nkey -o neutral
eal graphs DATA/eal/assessments DATA/eal/submissions/slate --unassessed false-positive -o graphs
eal proposal-tables --format json -o tables.json
eal campaign init campaign --demo
eal campaign run campaign
kbp query DATA/kbp/delta.tsv --gold DATA/kbp/gold.jsonl --generate 5 --wiki DATA/kbp/links.csv --write-queries q.tsv \
    --write-answers answers.tsv --table counts.tsv
kbp query --gold DATA/kbp/gold.jsonl --generate 5 --wiki DATA/kbp/links.csv --write-queries q.xml
kbp explain DATA/kbp/gold.jsonl DATA/kbp/delta.tsv --wiki DATA/kbp/links.csv --format json -o lost.json
kbp validate DATA/kbp/delta.tsv --repair repaired.tsv
nugget score DATA/nugget/gold.tbf DATA/nugget/heron.tbf -t DATA/nugget/tokens --comparison comparison.txt
nugget convert --to brat DATA/nugget/gold.tbf -t DATA/nugget/tokens -o brat
nugget convert --to ere DATA/nugget/gold.tbf -t DATA/nugget/tokens -o ere
coref score DATA/coref/key.conll DATA/coref/linden.conll DATA/coref/maple.conll --save r.json --save-documents
coref score DATA/coref/key.conll DATA/coref/linden.conll -o scores.txt
coref score DATA/coref/key.conll DATA/coref/linden.conll --format csv -o scores.csv
coref score DATA/coref/key.conll DATA/coref/linden.conll --format md -o scores.md
coref score DATA/coref/key.conll DATA/coref/linden.conll --format latex -o scores.tex
coref score DATA/coref/key.conll DATA/coref/linden.conll --explain garden/01 --format json -o outcome.json
coref convert DATA/coref/key.conll --to jsonl -o key.jsonl
merge r.json -o merged.json
sample r.json --size 6 --by document -o design.jsonl
estimate r.json --design design.jsonl --save estimate.json
sample pool.jsonl --size 6 -o items.jsonl
estimate pool.jsonl labels.jsonl --design items.jsonl --save items.json
plan r.json --difference 1 --format json -o plan.json
agree relation.strict a=DATA/gold.jsonl b=DATA/alder.jsonl --format json -o agree.json
select r.json --format json -o select.json
metrics --format json -o metrics.json
schema result -o schema.json
doctor DATA/gold.jsonl --format json -o doctor.json
report r.json -o page.html
serve init server --campaign campaign
serve export server -o export
serve backup server -o backup
serve init tags --track ner --gold tags.bio
serve program tags ner -o bundle.zip
serve board tags -o board
serve export demo --for ann -o pack
"""
WRITTEN = {
    "pool": "eal",
    "pool.provenance.tsv": "eal-provenance",
    "drawn": "eal-key",
    "drawn.design.jsonl": "design",
    "classes": "eal-key",
    "create": "eal-key",
    "template": "eal-linking",
    "template/MINI_DF_01": "eal-linking",
    "frames": "eal-linking",
    "frames/MINI_DF_01": "eal-linking",
    "DATA/eal/submissions/slate/linking": "eal-linking",
    "DATA/eal/submissions/slate/linking/MINI_DF_01": "eal-linking",
    "DATA/eal/submissions": "folder",
    "DATA/eal/sources": "texts",
    "DATA/eal": "folder",
    "DATA/eal/training.jsonl": "serve-training",
    "quotes.txt": "eal-quotes",
    "top.zip": "eal",
    "linked.tar.gz": "eal",
    "findings.json": "findings",
    "nkey": "eal-key",
    "neutral": "eal",
    "graphs": "graph",
    "graphs/scores-beta.svg": "graph",
    "tables.json": "proposal-tables",
    "campaign": "eal-campaign",
    "campaign/campaign.toml": "eal-settings",
    "campaign/.campaign": "eal-state",
    "campaign/.campaign/lock": "eal-state",
    "campaign/.campaign/state.json": "eal-state",
    "campaign/reports/filter-slate.tsv": "eal-report",
    "q.tsv": "kb-queries",
    "q.xml": "kb-queries",
    "answers.tsv": "kb-answers",
    "counts.tsv": "scores",
    "lost.json": "kb-explanation",
    "repaired.tsv": "coldstart",
    "comparison.txt": "nugget-comparison",
    "brat": "brat",
    "ere": "ere",
    "r.json": "result",
    "merged.json": "result",
    "scores.txt": "scores",
    "scores.csv": "scores",
    "scores.md": "scores",
    "scores.tex": "scores",
    "outcome.json": "explanation",
    "key.jsonl": "clusters",
    "design.jsonl": "design",
    "items.jsonl": "design",
    "estimate.json": "estimate",
    "items.json": "item-estimate",
    "plan.json": "plan",
    "agree.json": "agreement",
    "select.json": "selection",
    "metrics.json": "metric-list",
    "schema.json": "json-schema",
    "doctor.json": "findings",
    "page.html": "page",
    "server": "serve-folder",
    "server/serve.toml": "serve-settings",
    "server/serve.db": "serve-store",
    "export": "serve-export",
    "export/manifest.json": "serve-export",
    "export/events.jsonl": "serve-events",
    "export/schema.toml": "serve-schema",
    "backup": "serve-backup",
    "backup/backup.json": "serve-backup",
    "backup/event.jsonl": "serve-events",
    "bundle.zip": "serve-program",
    "board": "serve-board",
    "pack": "serve-folder",
    "locked/__lock": "eal-lock",
}


TWO_COLUMNS = [
    ("NYT_ENG_20130910.0002\tnewswire\n3288ddfcb46d1934\tforum\n", "genres", "--genre-list of adjudge eal score"),
    ("D1\ttexts/D1.txt\nD2\ttexts/D2.sgm.gz\n", "text-paths", "--texts of adjudge eal validate"),
    ("per:title\tper:job\norg:top_members\torg:head\n", "relation-names", "--gold-relations of adjudge kbp score"),
    ("born_in\tbirthPlace\nworksFor\temployer\n", "relation-names", "--system-relations of adjudge kbp score"),
    ("USA\tUnited States\n2Pac\tTupac Shakur\n", "redirects", "--redirects of adjudge kbp score"),
    ("a\tb\nc\td\n", "pairs", "--genre-list of adjudge eal score, --redirects of adjudge kbp score"),
]


@pytest.mark.parametrize(("text", "kind", "use"), TWO_COLUMNS)
def test_tables_of_two_columns_are_told_apart(tmp_path, capsys, text, kind, use):
    path = tmp_path / "table.tsv"
    path.write_text(text)
    found = examine(str(path))
    assert found.format.kind == kind
    assert run(["doctor", str(path)]) == 0
    out = capsys.readouterr().out
    assert use in out
    assert ("--genre-list" in out) == (kind in ("genres", "pairs"))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with what the commands above write, and DATA, the files of the demo."""
    room = tmp_path_factory.mktemp("written")
    shutil.copytree(DATA, room / "DATA")
    shutil.copytree(SEEDS, room / "seeds")
    for name, (_, line) in MADE.items():
        head = "id,verdict,document\n" if name.endswith(".csv") else ""
        (room / name).write_text(head + "".join(f"{line % (at, at)}\n" for at in range(9)))
    (room / "tags.bio").write_text("EU B-ORG\nsaid O\n")
    make_demo(room / "demo", "ann")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(room)
        for line in COMMANDS.replace("\\\n", " ").strip().splitlines():
            assert run(shlex.split(line)) in (0, 1), line
        shutil.copytree("create", "locked")
        shutil.copy(SEEDS / "eal-lock/lock.tsv", "locked/__lock")
    return room


ALL = {**{f"seeds/{name}": kind for name, kind in SEED_KINDS.items()}, **WRITTEN}
ALL |= {name: kind for name, (kind, _) in MADE.items()}


@pytest.mark.parametrize("name", ALL)
def test_the_kind_is_recognised_and_the_next_command_runs(name, written, monkeypatch, capsys):
    monkeypatch.chdir(written)
    assert run(["doctor", name, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (file,) = found["files"]
    assert (file["recognised"], file["format"]) == (True, ALL[name])
    words = shlex.split(found["next"])
    assert words[0] == "adjudge"
    code = run(words[1:])
    out, err = capsys.readouterr()
    # Validators report problems with 1; nothing but what is said of the files may be wrong with the command.
    assert code == 0 or (code == 1 and words[2] in ("validate", "run", "assessment")), err
    assert out
    assert run(["doctor", name]) == 0
    page = capsys.readouterr().out
    assert file["name"] in page
    assert "error" not in page or code == 1


TOGETHER = {
    "labels.jsonl items.jsonl pool.jsonl": "estimate pool.jsonl labels.jsonl --design items.jsonl",
    "pool.jsonl labels.jsonl judge.jsonl items.jsonl": (
        "estimate pool.jsonl labels.jsonl --design items.jsonl --judge judge.jsonl"
    ),
    "r.json design.jsonl": "estimate r.json --design design.jsonl",
    "DATA/gold.jsonl DATA/alder.jsonl names": "score event.trigger-id",
    "DATA/eal/assessments DATA/eal/submissions/slate names quotes.txt": (
        "eal score DATA/eal/assessments DATA/eal/submissions/slate --docs names --quotes quotes.txt"
    ),
}


@pytest.mark.parametrize("names", TOGETHER)
def test_files_that_go_together_are_in_one_command(names, written, monkeypatch, capsys):
    monkeypatch.chdir(written)
    Path("names").write_text("MINI_NW_01\nMINI_NW_02\n")
    assert run(["doctor", *names.split(), "--format", "json"]) == 0
    line = json.loads(capsys.readouterr().out)["next"].removeprefix("adjudge ")
    assert line.startswith(TOGETHER[names])
    assert "--labels" not in line
    assert run(["doctor", *names.split()]) == 0
    assert f"adjudge {line}\n" in capsys.readouterr().out
    assert run(shlex.split(line)) in (0, 1)


def test_every_kind_is_tried():
    assert COMPANIONS.keys() <= {*ALL.values(), *(kind for _, kind, _ in TWO_COLUMNS)}


@pytest.mark.parametrize(
    "text",
    [
        "Ada\tB-PER\nleft\tO\n",
        "The title\nof a text\n",
        "word\n",
        "{",
        "key = ",
        "[section]\nkey = 1\n",
        "[server]\nport = " + "9" * 5000,
        '{"id": "a", "verdict": 1, "entities": []}\n',
        '{"id": "a", "text": "b"}\n',
        '{"id": "a", "evaluation": 1}\n',
        "a: b\nc: d\n",
        "<!doctype html>\n<title>Other</title>\n",
        "\0\t\0\n" * 9,
    ],
)
def test_what_only_looks_similar_is_none_of_them(text):
    found = examine(text.encode())
    assert found.format is None or found.format.kind not in COMPANIONS


def test_long_lines_take_no_time():
    for text in (
        "a." * 20_000,
        "\n" * 60_000 + "x y z",
        "@prefix e: <a> .\n" + "\n" * 60_000,
        "0" * 60_000,
        "- " * 30_000 + "!",
        "#a\tb\n" * 12_000 + "a b c",
    ):
        examine(text.encode())


def test_files_of_an_archive_are_named(written):
    path = written / "mixed.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("labels.jsonl", "campaign/campaign.toml", "tags.bio"):
            archive.write(written / name, name)
    assert set(examine(Path(path)).contents.notes) == {
        "labels.jsonl: verdicts of assessors",
        "campaign/campaign.toml: the settings of a campaign of event arguments",
        "tags.bio: columns of tokens, the tag in the last one",
    }
