"""Something else in the place of every file of every command: said with its name, and nothing is written."""

import shutil
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.demo import DATA
from fuzz.seeding import SEEDS

# Files, marked by @, are replaced one after the other; they are those of the demo and of the seeds of fuzzing.
COMMANDS = [
    "score relation.strict @gold.jsonl @alder.jsonl",
    "score relation.strict gold.jsonl alder.jsonl --docs @seeds/lists/names.txt",
    "score event.trigger-cls gold.jsonl alder.jsonl --hierarchy events.type=@seeds/hierarchy/types.tsv",
    "score @seeds/specs/events.yaml gold.jsonl alder.jsonl",
    "coref score @coref/key.conll @coref/maple.conll --profile strict",
    "coref score coref/key.conll coref/maple.conll --docs @seeds/lists/names.txt",
    "nugget score -g @nugget/gold.tbf -s @nugget/heron.tbf -t nugget/tokens --bootstrap 0",
    "nugget score -g nugget/gold.tbf -s nugget/heron.tbf --types @seeds/nugget-types/types.txt",
    "nugget validate @nugget/heron.tbf --types @seeds/nugget-types/types.txt",
    "nugget convert --from tbf-token --to tbf-char @nugget/heron.tbf -t @nugget/tokens -o OUT",
    "eal validate @eal/submissions/slate --docs @eal/sources --ontology @seeds/eal-ontology/o.tsv",
    "eal validate eal/submissions/slate --doc-list @seeds/lists/names.txt",
    "eal filter-quotes @eal/submissions/slate --quotes @seeds/eal-quotes/quotes.txt -o OUT",
    "eal trim @eal/submissions/slate -o OUT",
    "eal pool @eal/submissions/slate @eal/submissions/marble -o OUT",
    "eal assessment check @eal/assessments --frames @eal/frames",
    "eal frames read @eal/frames @eal/assessments -o OUT",
    "eal score --key @eal/assessments --frames @eal/frames @eal/submissions/slate --unassessed ignore --bootstrap 0",
    "eal score --key eal/assessments @eal/submissions/slate --genre forum --genre-list @seeds/eal-genres/genres.tsv",
    "eal report --key @eal/assessments @eal/submissions/slate --docs @eal/sources --unassessed ignore -o OUT",
    "eal campaign run @campaign",
    "kbp score --gold @kbp/gold.jsonl --wiki @kbp/links.csv kbp/delta.tsv --bootstrap 0",
    "kbp score --gold kbp/gold.jsonl @kbp/delta.tsv --bootstrap 0",
    "kbp score --gold kbp/gold.jsonl kbp/delta.tsv --gold-relations @seeds/pairs/pairs.tsv --bootstrap 0",
    "kbp explain --gold @seeds/triples/small.tsv seeds/triples/small.tsv",
    "kbp explain --gold seeds/triples/small.tsv @seeds/triples/small.tsv",
    "kbp query --gold @seeds/triples/small.tsv --queries @seeds/kb-queries/table.tsv seeds/triples/small.tsv",
    "kbp query --gold seeds/triples/small.tsv --generate 3 @seeds/triples/small.tsv",
    "kbp validate @kbp/delta.tsv --repair OUT",
    "ner score @seeds/bio/tags.txt @seeds/bio/tags.txt",
    "linking score --reader edl @seeds/edl/table.tsv @seeds/edl/table.tsv",
    "relation score --reader docred @seeds/docred/gold.json @seeds/docred/result.json",
    "relation score --reader dygie @seeds/dygie/gold.jsonl @seeds/dygie/output.jsonl",
    "event score --reader oneie @seeds/oneie/graph.jsonl @seeds/oneie/graph.jsonl",
    "event score --reader oneie seeds/oneie/graph.jsonl seeds/oneie/graph.jsonl --clusters @seeds/lists/names.txt",
    "template score --compat muc4-3.3 @seeds/muc4/key.txt @seeds/muc4/key.txt",
    "template errors @seeds/templates/gold.jsonl @seeds/templates-output/gtt.json",
    "amr score @seeds/penman/graphs.txt @seeds/penman/graphs.txt",
    "tree score @seeds/trees/two.conllu @seeds/trees/two.conllu",
    "record score @seeds/answers/gold.jsonl @seeds/answers/answers.jsonl",
    "compare @seeds/results/saved.json",
    "report @seeds/results/saved.json -o OUT",
    "merge @seeds/results/saved.json -o OUT",
    "select @seeds/results/saved.json",
    "agree relation.strict @alder.jsonl @birch.jsonl",
]
WRONG = {"binary": bytes(range(256)) * 4, "prose": b"Some words.\nAnd some more.\n", "empty": b""}
# Nothing, and lists of strange names, are taken for what they say; a note tells what follows from it.
TAKEN = {
    "empty": (
        *("nugget score", "--hierarchy", "--gold-relations", "--genre-list", "--types", "report", "template errors"),
        *("gold.jsonl @kbp", "small.tsv @seeds/triples", "--generate 3 @seeds"),  # systems with nothing
    ),
    "prose": ("--types", "--hierarchy"),
}
# A system that found nothing may have written nothing: it scores 0, with a note.
NOTHING_FOUND = ("score relation", "linking score", "relation score", "event score", "amr score", "record score")


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the commands, and those that are wrong."""
    folder = tmp_path_factory.mktemp("files")
    shutil.copytree(DATA, folder, dirs_exist_ok=True)
    shutil.copytree(SEEDS, folder / "seeds")
    (folder / "seeds" / "results").mkdir(exist_ok=True)
    for name, data in WRONG.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_every_file_of_a_command(
    room: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(room)
    words = command.split()
    for place, word in enumerate(words):
        if "@" not in word:
            continue
        for wrong in (*WRONG, "nowhere"):
            given = [each.replace("@", "") for each in words]
            given[place] = word.partition("@")[0] + wrong
            code = run(given)
            out, err = capsys.readouterr()
            if any(each in command for each in TAKEN.get(wrong, ())):
                assert code in (0, 1, 2), (given, err)
                Path("OUT").unlink(missing_ok=True)
                continue
            is_system = place == len(words) - 1 and not words[place - 1].startswith("--")
            if wrong == "empty" and command.startswith(NOTHING_FOUND) and is_system:
                assert (code, "note: the system has no documents at all" in out) == (0, True), (given, err)
                continue
            said = [
                line for line in (err + out).splitlines() if wrong in line or wrong == "prose"
            ]  # a list of ids, say
            assert (code in (1, 2), bool(said)) == (True, True), (given, code, err, out[-500:])
            assert any(", " in line or "(see " in line for line in said), (given, said)  # what is wrong, how to fix it
            assert not Path("OUT").exists()
