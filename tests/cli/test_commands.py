"""The other commands, help, and what it costs to start."""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from adjudge.cli.app import app
from adjudge.cli.demo import TASKS
from adjudge.demo import GOLD, SYSTEMS
from adjudge.metrics import catalogue
from adjudge.stats.saved import json_schema
from adjudge.tasks.own_metrics import OWN_METRICS


def test_help(adjudge) -> None:
    ran = adjudge("--help")
    assert ran.code == 0
    for name in app.entries:
        assert name in ran.out
        text = adjudge(name, "--help")
        assert text.code == 0
        assert re.search(rf"\n *Examples?:\n *adjudge {name}", text.out)
        # The list of `adjudge --help` is written by hand and says the same as the command itself.
        assert app.entries[name].about.split()[0] in text.out
    assert adjudge().code == 0
    assert adjudge("--version").out.startswith("adjudge ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("scor",), "there is no command 'scor', did you mean score or coref or record? (see adjudge --help)"),
        (("score",), "missing argument 'METRIC' (see adjudge score --help)"),
        (("metrics", "relations"), "there is no metric 'relations', did you mean relation"),
    ],
)
def test_wrong_calls(adjudge, arguments: tuple[str, ...], said: str) -> None:
    ran = adjudge(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {said}")
    assert ran.err.count("\n") == 1


def test_metrics_in_every_layout(adjudge) -> None:
    names = sorted(each.name for each in (*catalogue(), *OWN_METRICS))
    assert adjudge("metrics", "--quiet").out.split() == names
    assert [line.split()[0] for line in adjudge("metrics").out.splitlines()[1:]] == names
    assert [each["name"] for each in json.loads(adjudge("metrics", "--format", "json").out)] == names
    assert [row["name"] for row in csv.DictReader(io.StringIO(adjudge("metrics", "--format", "csv").out))] == names
    assert adjudge("metrics", "--format", "md").out.count("\n") == len(names) + 2
    assert r"\bottomrule" in adjudge("metrics", "--format", "latex").out
    one = adjudge("metrics", "relation.strict").out
    assert "A document:" in one
    assert ">>>" not in one
    family = adjudge("metrics", "relation", "--quiet").out.split()
    assert family == [name for name in names if name.startswith("relation.")]


COUNTS = ("correct", "wrong", "omitted", "hallucinated", "absent")


@pytest.mark.parametrize("name", [each.name for each in catalogue()])
def test_every_metric_can_be_explained_and_scores_its_own_example(adjudge, campaign: Path, name: str) -> None:
    assert "\nplan\n" in adjudge("metrics", name).out
    (data,) = json.loads(adjudge("metrics", name, "--format", "json").out)
    assert data["name"] == name
    assert data["plan"]
    (campaign / "example.jsonl").write_text(json.dumps(data["example"]))
    result = json.loads(adjudge("score", name, "example.jsonl", "example.jsonl", "--format", "json").out)
    scores = result["systems"][0]["scores"]
    counts = {each["part"]: each["value"] for each in scores if each["part"] in COUNTS}
    assert {each["value"] for each in scores if each["part"] not in COUNTS} == {1.0}
    assert not any(value for part, value in counts.items() if part != "correct")


def test_schemas(adjudge, campaign: Path) -> None:
    for what in ("result", "metric"):
        schema = json.loads(adjudge("schema", what).out)
        jsonschema.Draft202012Validator.check_schema(schema)
        adjudge("schema", what, "-o", "schema.json")
        assert json.loads((campaign / "schema.json").read_text()) == schema
    assert adjudge("schema", "document").code == 2


def test_demo(adjudge) -> None:
    ran = adjudge("demo")
    assert (ran.code, ran.err) == (0, "")
    for expected in ("alder", "birch", "cedar", "relation.strict", "event.argument-cls", "ranks", "missed"):
        assert expected in ran.out
    commands = [line.split()[1:] for line in ran.out.splitlines() if line.startswith("  adjudge ")]
    assert len(commands) == 4
    for command in commands:
        assert adjudge(*command).code == 0
    jsonschema.validate(json.loads(adjudge("demo", "--format", "json").out), json_schema())


@pytest.mark.parametrize("task", [task for task in TASKS if task != "extraction"])
def test_the_other_demos(adjudge, task, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)  # one of the commands writes a page
    ran = adjudge("demo", task)
    assert (ran.code, ran.err) == (0, "")
    assert f"signature  {task}|" in ran.out
    commands = [shlex.split(line)[1:] for line in ran.out.splitlines() if line.startswith("  adjudge ")]
    assert len(commands) >= 3
    for command in commands:
        assert adjudge(*command).code == 0, command
    jsonschema.validate(json.loads(adjudge("demo", task, "--format", "json").out), json_schema())


def test_the_documents_of_the_demo_are_sound() -> None:
    gold = [json.loads(line) for line in GOLD.read_text(encoding="utf-8").splitlines()]
    assert len(gold) == 24
    assert {each["genre"] for each in gold} == {"nw", "forum"}
    texts = {each["id"]: each["text"] for each in gold}
    for path in (GOLD, *SYSTEMS.values()):
        for line in path.read_text(encoding="utf-8").splitlines():
            document = json.loads(line)
            spans = [relation[side] for relation in document["relations"] for side in ("subject", "object")]
            spans += [event["trigger"] for event in document["events"]]
            spans += [each["span"] for event in document["events"] for each in event["arguments"]]
            text = texts[document["id"]]
            for span in spans:
                found = text[span["start"] : span["end"]]
                assert found
                assert found == found.strip()


def measured(*arguments: str) -> tuple[str, float]:
    """The modules loaded by a command, and the processor seconds it took."""
    code = (
        "import sys; from adjudge.cli import run; "
        f"code = run({list(arguments)!r}); assert code == 0; "
        "import os; times = os.times(); sys.stderr.write(f'{times.user + times.system} ' + ' '.join(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, *modules = ran.stderr.split()
    return " ".join({name.partition(".")[0] for name in modules}), float(seconds)


@pytest.mark.parametrize("arguments", [("--help",), ("metrics",), ("score", "--help"), ("--version",)])
def test_a_light_start(arguments: tuple[str, ...]) -> None:
    modules, seconds = measured(*arguments)
    assert not {"numpy", "scipy", "yaml", "jinja2", "rich", "lxml"} & set(modules.split())
    assert seconds < 1.0  # a third of this on an idle machine


def test_the_program_itself(campaign: Path) -> None:
    program = [sys.executable, "-c", "from adjudge.cli import main; main()"]
    ran = subprocess.run([*program, "score", "relation.strict", "gold.jsonl", "no"], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "error: no: there is no such file, check the path\n"
    piped = subprocess.run(
        [*program, "score", "relation.strict", "gold.jsonl", "good.jsonl"], capture_output=True, text=True
    )
    assert piped.returncode == 0
    assert piped.stderr == ""  # no progress bar in a pipe
    assert "\x1b" not in piped.stdout


@pytest.mark.skipif(os.name != "posix", reason="pipes break differently elsewhere")
def test_a_reader_that_leaves_is_no_error() -> None:
    script = f"{sys.executable} -c 'from adjudge.cli import main; main()' metrics; echo $? >&2"
    process = subprocess.Popen(["bash", "-c", f"({script}) | true"], stderr=subprocess.PIPE, text=True)
    _, err = process.communicate(timeout=60)
    assert err.strip() in ("141", "0")  # the reader may leave before or after the writing
