"""Mistakes of the user's: each gets one clear line and the right exit code, and no file is lost."""

import json
from pathlib import Path

import pytest

from adjudge.stats.result import Result

SCORE = ("score", "relation.strict", "gold.jsonl", "good.jsonl")
PLAIN = ("--bootstrap", "0", "--quiet")
SPEC = "metric: {{sim: record, fields: {{relations: {{sim: set, of: %s}}}}}}\n"  # filled in twice


def write(path: str, text: str) -> str:
    Path(path).write_text(text)
    return path


# Files that would be lost


def test_no_output_destroys_what_was_read(adjudge, campaign: Path) -> None:
    spec = "metric: {sim: record, fields: {relations: {sim: set, of: {sim: record, fields: [type]}}}}\n"
    write("mine.yaml", spec)
    write("list.txt", "d1\nd2\n")
    write("own.py", "from dataclasses import dataclass\n@dataclass\nclass Page:\n    relations: list[dict[str, str]]\n")
    for arguments in (
        ("score", "mine.yaml", "gold.jsonl", "good.jsonl", "-o", "mine.yaml"),
        ("score", "record.set,mine.yaml", "gold.jsonl", "good.jsonl", "--save", "./mine.yaml"),
        ("explain", "mine.yaml", "-o", "mine.yaml"),
        ("score", "own:Page", "gold.jsonl", "good.jsonl", "-o", "own.py"),
        (*SCORE, "--docs", "list.txt", "-o", "list.txt"),
        ("score", "relation.strict", "gold.jsonl", "x=good.jsonl", "-o", "good.jsonl"),
    ):
        before = {path.name: path.read_bytes() for path in campaign.glob("*.*")}
        ran = adjudge(*arguments)
        assert ran.code == 2
        assert "this file is also an input, choose another name for the output" in ran.err
        assert {path.name: path.read_bytes() for path in campaign.glob("*.*")} == before
    assert adjudge(*SCORE, "--save", "r.json").code == 0
    assert "also an input" in adjudge("compare", "x=r.json", "--save", "r.json").err


def test_a_dash_is_standard_output(adjudge, campaign: Path) -> None:
    for command in (SCORE, ("metrics",), ("schema", "metric"), ("explain", "relation.strict"), ("demo",)):
        assert adjudge(*command, "-o", "-").out == adjudge(*command).out
    assert not (campaign / "-").exists()
    assert adjudge(*SCORE, "--save", "-").err == (
        "error: invalid value for '--save': a result is saved to a file, to print it use --format json "
        "(see adjudge score --help)\n"
    )


# Names of systems


def test_systems_can_be_named(adjudge, campaign: Path) -> None:
    def names(*systems: str) -> list[str]:
        ran = adjudge("score", "relation.strict", "gold.jsonl", *systems, "--format", "json", "--bootstrap", "0")
        assert ran.code == 0, ran.err
        return [each["name"] for each in json.loads(ran.out)["systems"]]

    assert names("ours=good.jsonl", "poor.jsonl") == ["ours", "poor"]
    assert names("good.jsonl", "good.jsonl", "x=good.jsonl") == ["good-1", "good-2", "x"]
    (campaign / "a=b.jsonl").write_bytes((campaign / "good.jsonl").read_bytes())
    assert names("a=b.jsonl") == ["a=b"]
    ran = adjudge("score", "relation.strict", "gold.jsonl", "good=poor.jsonl", "good.jsonl")
    assert (ran.code, ran.err) == (2, "error: two systems are called 'good', give each system a name of its own\n")
    assert "d0  ours  " in adjudge("score", "relation.strict", "gold.jsonl", "ours=good.jsonl", "--explain", "d0").out
    assert adjudge(*SCORE, *PLAIN, "--save", "r.json").code == 0
    ran = adjudge("compare", "r.json", "r.json")
    assert (ran.code, ran.err.count("NAME=FILE")) == (2, 1)
    assert "old - new" in adjudge("compare", "old=r.json", "new=r.json").out


# Saved results


def test_what_compare_says_of_other_files(adjudge, campaign: Path) -> None:
    adjudge(*SCORE, *PLAIN, "--save", "r.json")
    good = json.loads(Path("r.json").read_text())
    assert adjudge("compare", "missing.json").code == 2
    assert adjudge("compare", "gold.jsonl").err.endswith("give a file written by --save or by Result.save\n")
    write("printed.json", adjudge(*SCORE, "--format", "json").out)
    assert adjudge("compare", "printed.json").err.endswith("write it with --save or Result.save\n")
    write("seed.json", json.dumps(good | {"options": good["options"] | {"seed": -1}}))
    ran = adjudge("compare", "seed.json")
    assert (ran.code, ": not a saved result: Expected `int` >= 0" in ran.err) == (1, True)
    write("deep.json", '{"adjudge": ' + "[" * 5000 + "]" * 5000 + "}")
    assert adjudge("compare", "deep.json").code == 1


@pytest.mark.filterwarnings("error")
def test_counts_that_make_no_sense(adjudge, campaign: Path) -> None:
    adjudge(*SCORE, "--save", "r.json", "--quiet")
    good = json.loads(Path("r.json").read_text())
    for row in ([1e308, 1.0, 1.0], [5.0, 1.0, 1.0], [1e308, 1e308, 1e308], [1.0, -1.0, 1.0]):
        impossible = min(row) < 0
        table = good["systems"][0]["table"]
        changed = {**table, "values": [row, *[[0.0] * 3] * (len(table["values"]) - 1)]}
        write("t.json", json.dumps(good | {"systems": [good["systems"][0] | {"table": changed}]}))
        ran = adjudge("compare", "t.json", "u=t.json", "--format", "json", "--test", "approximate-randomisation")
        assert ran.code == (1 if impossible else 0)
        assert ("negative" in ran.err) is impossible
        assert "NaN" not in ran.out
        assert "Infinity" not in ran.out
        assert impossible or json.loads(ran.out)["systems"]


# Metrics


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("relation.strict(beta=abc)", "relation.strict: beta cannot be 'abc' (expected `float`, got `str`)"),
        ("ner.hierarchical(separator=5)", "ner.hierarchical: separator cannot be 5 (expected `str`, got `int`)"),
        ("ner.hierarchical(credit=half)", "ner.hierarchical: credit cannot be 'half' (invalid enum value 'half')"),
        ("broken_syntax:T", "cannot import the module of the type 'broken_syntax:T' ("),
        ("broken_import:T", "cannot import the module of the type 'broken_import:T' (ZeroDivisionError: "),
        ("broken_exit:T", "cannot import the module of the type 'broken_exit:T' (SystemExit: 7)"),
        (".mod:T", "cannot find the type '.mod:T', write package.module:name"),
        ("no_such_module:T", "cannot find the type 'no_such_module:T' (No module named 'no_such_module')"),
        (
            "json:Decoder",
            "cannot find the type 'json:Decoder' (module 'json' has no attribute 'Decoder'), did you mean",
        ),
        ("missing.yaml", "missing.yaml: cannot be read (No such file or directory), check the path"),
    ],
)
def test_metrics_that_cannot_be(adjudge, campaign: Path, metric: str, said: str) -> None:
    write("broken_syntax.py", "def f(:\n")
    write("broken_import.py", "1 / 0\n")
    write("broken_exit.py", "import sys\nsys.exit(7)\n")
    for command in (("explain", metric), ("score", metric, "gold.jsonl", "good.jsonl")):
        ran = adjudge(*command)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"error: {said}")
        assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "metric: {sim: set, of: exact}\nreport: [f1, foo]\n",
            "m.yaml:2:14: 'foo' cannot be reported, use precision, recall, f1, jaccard, matched, system, gold",
        ),
        ("metric: {sim: set, of: exact}\nreport: [f1, f1]\n", "m.yaml:2:14: f1 is reported twice"),
        (
            "metric: {sim: set, of: exact}\nrecall: {sim: set, of: exact}\nreport: [jaccard]\n",
            "m.yaml:3:10: jaccard needs one matching value, and this metric has two",
        ),
        (
            "metric: {sim: normalise, beta: 2, of: {sim: set, of: exact}}\nreport: [f1]\n",
            "m.yaml:2:10: 'f1' cannot be reported, use precision, recall, f2, jaccard, matched, system, gold",
        ),
        (
            "metric: " + "{sim: set, of: " * 400 + "exact" + "}" * 400,
            "m.yaml:1:1500: more than 100 levels are nested here, flatten the metric",
        ),
        ("metric: " + "[" * 5000, "m.yaml: it is nested too deeply, flatten the metric"),
        (
            "about: &a [x, x, x, x, x, x, x, x, x, x]\n"
            + "".join(
                f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdef", "bcdefg", strict=True)
            ),
            "with its aliases the file has more parts than characters, use fewer",
        ),
        (
            "metric: {sim: map, by: ngrams(0), of: exact}",
            "m.yaml:1:24: ngrams(0): wrong arguments (an n-gram has at least",
        ),
    ],
)
def test_specifications_that_cannot_be(adjudge, campaign: Path, text: str, said: str) -> None:
    write("m.yaml", text)
    ran = adjudge("explain", "m.yaml")
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1


def test_functions_next_to_the_data(adjudge, campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [path for path in __import__("sys").path if path not in ("", str(campaign))])
    write(
        "functions_of_mine.py",
        "def kind(relation):\n    return relation['type']\n",
    )
    form = SPEC % "{{sim: map, by: 'functions_of_mine:{}', of: exact}}"
    write("m.yaml", form.format("kind"))
    ran = adjudge("score", "m.yaml", "gold.jsonl", "good.jsonl", *PLAIN)
    assert (ran.code, ran.err) == (0, "")
    write("n.yaml", form.format("nothing"))
    ran = adjudge("score", "n.yaml", "gold.jsonl", "good.jsonl", *PLAIN)
    assert ran.code == 2
    assert ran.err.splitlines() == [
        "error: cannot find the function 'functions_of_mine:nothing' (module 'functions_of_mine' has no attribute "
        "'nothing'), define it at the top level of functions_of_mine"
    ]


def test_a_custom_function_that_fails_names_the_document(adjudge, campaign: Path) -> None:
    write("failing_function.py", "def fails(a, b):\n    raise RuntimeError('no')\n\ndef text(a, b):\n    return 'x'\n")
    for name in ("fails", "text"):
        write("m.yaml", (SPEC % "{{sim: custom, function: 'failing_function:{}'}}").format(name))
        ran = adjudge("score", "m.yaml", "gold.jsonl", "good.jsonl", *PLAIN)
        assert ran.code == 1
        assert ran.err.startswith("error: good.jsonl:1:")
        assert f"failing_function:{name} failed" in ran.err


def test_the_field_of_a_type_that_is_no_record(adjudge, campaign: Path) -> None:
    write("aliases_of_mine.py", "Names = list[str]\n")
    ran = adjudge("score", "aliases_of_mine:Names", "gold.jsonl", "good.jsonl")
    assert ran.code == 1
    remedy = "the metric of a type that is not a record compares the field 'value' of documents"
    said = f"value: the field 'value' is missing, {remedy} (and 7 more like it, on lines 2, 3, 4, ...)"
    assert ran.err.splitlines()[0] == f"error: gold.jsonl:1:1: {said}"


# Options


def test_numbers_that_are_too_long(adjudge) -> None:
    ran = adjudge(*SCORE, "--seed", "9" * 5000)
    assert ran.code == 2
    assert "a number of 5000 digits is too large, give a whole number from 0" in ran.err
    assert adjudge(*SCORE, "--quiet", "--seed", "9" * 18, "--bootstrap", "10", "--save", "r.json").code == 0
    assert adjudge("compare", "r.json").code == 0


def test_a_long_list_of_documents(adjudge) -> None:
    ran = adjudge(*SCORE, *PLAIN, "--docs", ",".join(["d1", "d2"] * 3000))
    assert (ran.code, ran.err) == (0, "")


def test_explain_refuses_what_it_would_not_heed(adjudge) -> None:
    for option in (
        ("--bootstrap", "9"),
        ("--ci", "90"),
        ("--seed", "1"),
        ("--test", "bootstrap"),
        ("--interval", "bca"),
        ("--jobs", "2"),
    ):
        ran = adjudge(*SCORE, "--explain", "d0", *option)
        assert (ran.code, ran.err) == (
            2,
            f"error: --explain and {option[0]} cannot be combined, leave one of them out\n",
        )
    assert adjudge(*SCORE, "--explain", "d0", "--pool", "macro", "--time-limit", "5").code == 0


def test_slices_of_elements_are_saved(adjudge, campaign: Path) -> None:
    for name in ("good", "poor"):
        adjudge(
            "score",
            "relation.strict",
            "gold.jsonl",
            f"{name}.jsonl",
            "--by",
            "relations.type",
            "--save",
            f"{name}.json",
        )
    together = adjudge(*SCORE, "poor.jsonl", "--by", "relations.type", "--by", "genre", "--format", "json")
    compared = adjudge(
        "compare", "good.json", "poor.json", "--by", "relations.type", "--by", "genre", "--format", "json"
    )
    a, b = (json.loads(each.out) for each in (together, compared))
    assert a["systems"] == b["systems"]
    assert a["comparisons"] == b["comparisons"]
    assert Result.load("good.json").options.by == ("relations.type",)


# What a terminal or another program would obey


def test_control_characters_are_escaped(adjudge, campaign: Path) -> None:
    escape = "\x1b[31m"
    name = f"e{escape}.jsonl"
    write(name, Path("gold.jsonl").read_text().replace('"d0"', json.dumps(f"d{escape}\n")))
    outputs = [
        adjudge("score", "relation.strict", name, name, *PLAIN, "--format", format_)
        for format_ in ("text", "csv", "md", "latex")
    ]
    outputs += [
        adjudge("score", "relation.strict", name, name, "--explain", f"d{escape}\n"),
        adjudge("score", "relation.strict", name, f"no{escape}", *PLAIN),
        adjudge("score", f"relation.{escape}", name, name),
        adjudge("score", "relation.strict", name, name, "--docs", f"d{escape}x"),
    ]
    write("m.yaml", json.dumps({"metric": {"sim": "record", "fields": {f"x{escape}": "exact"}}}))
    outputs.append(adjudge("explain", "m.yaml"))
    for ran in outputs:
        assert ran.code != 70
        assert "\x1b" not in ran.out + ran.err
        assert ran.out + ran.err


@pytest.mark.parametrize("group", ["ner", "serve", "eal campaign"])
def test_a_group_without_a_command_shows_its_help(adjudge, group) -> None:
    ran = adjudge(*group.split())
    help_ = adjudge(*group.split(), "--help").out
    assert help_.strip() in (ran.out + ran.err)
    assert "error:" not in ran.err
