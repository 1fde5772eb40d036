"""What every validator promises, whatever it checks: one table of commands, one test for each promise."""

from __future__ import annotations

import ast
import gzip
import inspect
import io
import json
import re
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import click
import jsonschema
import pytest

from adjudge.cli import run
from adjudge.cli.app import app
from adjudge.cli.family import NAMES, score_command
from adjudge.cli.findings import family_validator
from adjudge.metrics import catalogue
from adjudge.tasks.family import families, find_family

MANY = 1000


class Validator(NamedTuple):
    """A validator: a good file, one with an error and one with a warning, and one mistake on many lines.

    A folder is its files by name. `error`, `warning` and `same` are the kinds of the findings, `modules` those that say
    something, and `page` is where the kinds are described.
    """

    words: tuple[str, ...]
    good: str | dict[str, str]
    wrong: str | dict[str, str]
    odd: str | dict[str, str]
    many: str | dict[str, str]
    error: str
    warning: str
    same: str
    modules: tuple[str, ...]
    page: str


def _coref(*lines: str) -> str:
    return "".join(("#begin document (a); part 000\n", *(f"x\t{line}\n" for line in lines), "#end document\n"))


def _family(name: str) -> Validator:
    """A family reads JSON lines like the longest example of its metrics, whose field may be anything but a number."""
    examples = [each.example for each in catalogue() if each.name in find_family(name).metrics]
    first = max(examples, key=lambda each: len(json.dumps(each)))
    field = next(key for key in first if key != "id")

    def file(*values: object) -> str:
        rows = ({**first, "id": f"d{number}", field: value} for number, value in enumerate(values))
        return "".join(f"{json.dumps(row)}\n" for row in rows)

    return Validator(
        (name, "validate", "--reader", "jsonl"),
        good=file(first[field]),
        wrong=file(first[field], 5),
        odd=file([]),
        many=file(*[5] * MANY),
        error="unfit",
        warning="empty",
        same="unfit",
        modules=("evaluate.validation",),
        page="validation.md",
    )


def _eal(*changes: dict[str, str]) -> dict[str, str]:
    rows = [{"id": str(number), **RESPONSE, **changed} for number, changed in enumerate(changes or ({},), 1)]
    lines = "".join("\t".join(row.values()) + "\n" for row in rows)
    return {"arguments/D1": lines, "linking/D1": "\t".join(row["id"] for row in rows) + "\n"}


RESPONSE = {"document": "D1", "type": "Contact.Meet", "role": "Entity", "cas": "Bob", "at": "0-2", "because": "0-19"}
RESPONSE |= {"filler": "0-2", "additional": "NIL", "realis": "Actual", "confidence": "0.9"}


def _tbf(*lines: str) -> str:
    return "".join(("#BeginOfDocument d\n", *(f"{line}\n" for line in lines), "#EndOfDocument\n"))


TBF = "s\td\tE{}\tt{}\tran\tLife_Die\tActual"
KB = 'run1\n:Entity_1\ttype\tPER\n:Entity_1\tmention\t"Ana"\tD1:0-2\n'
CANONICAL = ':Entity_1\tcanonical_mention\t"Ana"\tD1:0-2\n'
VALIDATORS = {
    "coref": Validator(
        ("coref", "validate"),
        good=_coref("(1", "-", "(2)|1)"),
        wrong=_coref("(1", "-"),
        odd=_coref("(1)|(2)"),
        many=_coref(*["1)"] * MANY),
        error="never-closed",
        warning="two-chains",
        same="never-opened",
        modules=("formats.conll_check", "formats.coreference"),
        page="coreference-formats.md",
    ),
    "kbp": Validator(
        ("kbp", "validate"),
        good=KB + CANONICAL,
        wrong=KB + CANONICAL + ":Entity_1\tper:spouse\n",
        odd=KB,
        many=KB + CANONICAL + ":Entity_1\tper:spouse\n" * MANY,
        error="columns",
        warning="missing-canonical",
        same="columns",
        modules=("tasks.kbp.validation", "formats.kb_coldstart", "formats.kb_coldstart_check", "formats.kb_triples"),
        page="kb-formats.md",
    ),
    "eal": Validator(
        ("eal", "validate"),
        good=_eal(),
        wrong=_eal({"confidence": "1.9"}),
        odd=_eal({"additional": "5-7"}),
        many=_eal(*({"type": "Contact.Meat", "because": f"0-{number}"} for number in range(10, 10 + MANY))),
        error="confidence",
        warning="additional",
        same="type",
        modules=("tasks.eal.validation", "tasks.eal.validation_arguments", "formats.eal_arguments"),
        page="eal-validation.md",
    ),
    "nugget": Validator(
        ("nugget", "validate"),
        good=_tbf(TBF.format(1, 1)),
        wrong=_tbf(TBF.format(1, 1).replace("Actual", "Past")),
        odd=_tbf(TBF.format(1, 1) + "\thigh"),
        many=_tbf(*(TBF.format(n, n).replace("Actual", "Past") for n in range(MANY))),
        error="realis",
        warning="confidence",
        same="realis",
        modules=(
            *("tasks.nugget.validation", "tasks.nugget.validation_lines", "tasks.nugget.validation_relations"),
            "formats.tbf_scan",
        ),
        page="nugget-formats.md",
    ),
    **{name: _family(name) for name in families()},
}
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(params=sorted(VALIDATORS))
def validator(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Validator:
    monkeypatch.chdir(tmp_path)
    chosen = VALIDATORS[request.param]
    for name in ("good", "wrong", "odd", "many"):
        write(name, getattr(chosen, name))
    return chosen


def write(name: str, content: str | dict[str, str]) -> None:
    for path, text in (content if isinstance(content, dict) else {"": content}).items():
        Path(name, path).parent.mkdir(parents=True, exist_ok=True)
        Path(name, path).write_text(text)


@pytest.fixture
def call(validator: Validator, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def done(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run([*validator.words, *arguments])
        return code, *capsys.readouterr()

    return done


def find_validators(group: click.Group, *words: str) -> list[tuple[str, ...]]:
    """Every command of the tree that is called validate."""
    found: list[tuple[str, ...]] = []
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            found += find_validators(command, *words, name)
        elif name == "validate":
            found.append(words)
    return found


def test_every_task_and_family_has_one():
    commands = find_validators(app)
    assert {words[0] for words in commands} == {"coref", "nugget", "eal", "kbp", *families()}
    shared = ("--strict", "--limit", "--severity", "--format", "--output", "--quiet")
    for words in commands:
        group: click.Command | None = app
        for word in (*words, "validate"):
            assert isinstance(group, click.Group)
            group = group.get_command(click.Context(group), word)
        assert group is not None
        names = {each for parameter in group.params for each in parameter.opts}
        assert names.issuperset(shared), words


def test_a_good_file(call):
    code, out, err = call("good", "--strict")
    assert (code, err) == (0, "")
    assert re.fullmatch(r"good: 1 document[^\n]*, 0 errors, 0 warnings[^\n]*\n", out)
    assert call("good", "--quiet") == (0, "", "")


@pytest.mark.parametrize("name", ["wrong", "odd"])
def test_a_finding_has_a_place_a_severity_and_a_remedy(name, validator, call):
    code, out, err = call(name)
    severity, kind = ("error", validator.error) if name == "wrong" else ("warning", validator.warning)
    assert (code, err) == (int(name == "wrong"), "")
    finding, totals = out.splitlines()
    assert re.match(rf"{name}[/\w]*(:\d+)?(:\d+)?: {severity}: .+, .+", finding)
    assert totals.partition(" (profile")[0].endswith(
        f"{int(name == 'wrong')} error{'s' * (name != 'wrong')}, {int(name == 'odd')} warning" + "s" * (name != "odd")
    )
    assert call(name, "--quiet")[1] == f"{finding}\n"
    assert call(name, "--strict")[0] == 1
    assert call(name, "--severity", f"{kind}=warning")[0] == 0
    assert call(name, "--severity", f"{kind}=error")[0] == 1
    code, out, _ = call(name, "--severity", f"{kind}=off", "--strict")
    assert (code, out.count("\n")) == (0, 1)
    assert call(name, "--severity", f"{kind}=error", "--severity", f"{kind}=off")[0] == 2


def test_the_json_form(validator, call, capsys):
    assert run(["schema", "findings"]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    code, out, err = call("good", "wrong", "odd", "many", "--format", "json")
    assert (code, err) == (1, "")
    report = json.loads(out)
    jsonschema.validate(report, schema)
    assert report["task"] == validator.words[0]
    assert [file["path"] for file in report["files"]] == ["good", "wrong", "odd", "many"]
    assert [file["errors"] for file in report["files"][:3]] == [0, 1, 0]
    assert [file["warnings"] for file in report["files"][:3]] == [0, 0, 1]
    assert [each["kind"] for each in report["findings"] if each["path"].startswith(("wrong", "odd"))] == [
        validator.error,
        validator.warning,
    ]
    for severity in ("error", "warning"):
        total = sum(each["count"] for each in report["findings"] if each["severity"] == severity)
        assert total == report[f"{severity}s"] == sum(file[f"{severity}s"] for file in report["files"])
    assert call("good", "--format", "json", "-o", "out.json") == (0, "", "")
    assert json.loads(Path("out.json").read_text())["findings"] == []


def test_one_mistake_on_many_lines_is_one_line(validator, call):
    start = time.perf_counter()
    code, out, _ = call("many", "--quiet")
    assert time.perf_counter() - start < 5
    lines = [line for line in out.splitlines() if f"(and {MANY - 1} more like it, on lines " in line]
    assert (code, len(lines)) == (1, 1)
    others = len(out.splitlines()) - 1
    assert others <= 1
    assert len(call("many", "--quiet", "--limit", "3")[1].splitlines()) == 3 + others
    assert f"(and {MANY - 1} more like it)" in call("many", "--limit", "1")[1]
    assert len(call("many", "--quiet", "--limit", "0")[1].splitlines()) == MANY + others
    report = json.loads(call("many", "--format", "json")[1])
    (finding,) = (each for each in report["findings"] if each["kind"] == validator.same)
    assert finding["count"] == MANY
    assert finding["examples"][0]["line"] > finding["line"]
    every = json.loads(call("many", "--format", "json", "--limit", "0")[1])["findings"]
    assert [each["count"] for each in every if each["kind"] == validator.same] == [1] * MANY


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "missing argument"),
        (("none",), "none"),
        (("good", "--limit", "-1"), "is not valid"),
        (("good", "--severity", "x=error"), "there is no kind of problem 'x'"),
        (("good", "--severity", "KIND"), "--severity KIND has no severity"),
        (("good", "--severity", "KIND=bad"), "'bad' is not a severity of KIND"),
        (("good", "-o", "good"), "good"),
        (("good", "-o", "none/out"), "none"),
        (("-", "-"), "standard input can be read only once"),
    ],
)
def test_wrong_usage(arguments, said, validator, call):
    code, out, err = call(*(each.replace("KIND", validator.error) for each in arguments))
    assert (code, out) == (2, "")
    assert said.replace("KIND", validator.error) in err or (
        arguments == ("-", "-") and isinstance(validator.good, dict)
    )
    assert isinstance(validator.good, dict) or Path("good").read_text() == validator.good


def test_a_misspelt_kind_is_named(validator, call):
    assert f"did you mean {validator.error}" in call("good", "--severity", f"{validator.error}s=off")[2]


def test_standard_input(validator, call, monkeypatch):
    if isinstance(validator.wrong, dict):
        pytest.skip("a folder")
    data = gzip.compress(validator.wrong.encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    code, out, _ = call("-")
    assert (code, out.count("<stdin>")) == (1, 2)


def test_hostile_names(validator, call):
    name = "\x1b[31mred\n\u202e.txt"
    write(name, validator.wrong)
    code, out, err = call(name)
    assert (code, err, out.count("\n")) == (1, "", 2)
    assert not {"\x1b", "\u202e"} & set(out)
    assert json.loads(call(name, "--format", "json")[1])["files"][0]["path"] == name


def test_the_help_and_the_docs_know_every_kind(validator, call):
    out = call("--help")[1]
    listed = re.findall(r"[a-z0-9-]+", out.partition("Kinds of problems:")[2].partition("Example")[0])
    page = (DOCS / validator.page).read_text(encoding="utf-8")
    assert [kind for kind in listed if f"`{kind}`" not in page] == []
    said = {kind for module in validator.modules for kind in kinds_in(module)}
    assert said <= set(listed)
    assert said


def kinds_in(module: str) -> set[str]:
    """The kinds that a module names when it adds findings."""
    tree = ast.parse(inspect.getsource(import_module(f"adjudge.{module}")))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    names = ("add", "warn", "error", "say", "add_problem", "add_problems")
    first = [node.args[0] for node in calls if node.func.attr in names and len(node.args) > 1]  # type: ignore[attr-defined]
    return {each.value for each in first if isinstance(each, ast.Constant) and isinstance(each.value, str)}


@pytest.mark.parametrize("name", families())
def test_files_are_described_by_the_options_of_scoring(name):
    described, validated = (
        {option for parameter in make(find_family(name)).params for option in parameter.opts}
        for make in (partial(score_command, scorers={}), family_validator)
    )
    wanted = {f"--{each.rstrip('_').replace('_', '-')}" for each in NAMES} & described
    assert wanted - validated == {"--gold-column", "--system-column"} & described  # of one file with both sides
    assert len(wanted) > 15


@pytest.mark.parametrize("name", families())
def test_what_scoring_reads_without_ids_is_valid_without_them(name, tmp_path, capsys):
    examples = [each.example for each in catalogue() if each.name in find_family(name).metrics]
    first = {key: value for key, value in max(examples, key=lambda each: len(json.dumps(each))).items() if key != "id"}
    gold, system = (tmp_path / each for each in ("gold.jsonl", "system.jsonl"))
    for path in (gold, system):
        path.write_text(f"{json.dumps(first)}\n" * 2)
    scored = run([name, "score", str(gold), str(system), "--reader", "jsonl", "--bootstrap", "0"])
    checked = run([name, "validate", str(system), "--reader", "jsonl", "--gold", str(gold)])
    assert (checked == 0) == (scored == 0), capsys.readouterr()
