"""Results: access, the JSON contract and its schema, saving, loading, and what is not a result."""

from __future__ import annotations

import copy
import json
import math
import pickle
import re
from functools import cache

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError, UsageError
from adjudge.stats.estimate import Estimate
from adjudge.stats.inference import Inference
from adjudge.stats.measure import Combined, Prf, Ratio, Total
from adjudge.stats.result import Note, Result, unique_names
from adjudge.stats.saved import decode_result, json_schema
from adjudge.stats.table import StatsTable
from made import made_result

COLUMNS = ("s", "p", "g")
MEASURES = (
    Prf("set.f1", ("s", "p"), ("s", "g"), undefined=None, parts=("precision", "recall", "f1", "gold")),
    Ratio("eal.overall", "score", (("s", 1.0), ("p", -0.25)), (("g", 1.0),), clip=0.0),
    Total("eal.overall", "tp", (("s", 1.0),)),
    Combined("mean", "score", "mean", (("set.f1", "f1"), ("eal.overall", "score"))),
)


def table_of(rows, genres=None):
    attributes = {"genre": tuple(genres)} if genres else {}
    return StatsTable(tuple(f"d{i}" for i in range(len(rows))), COLUMNS, rows, attributes)


def result_of(**options):
    tables = options.pop("tables", None) or {
        "A": table_of([(1, 2, 2), (3, 4, 3), (0, 1, 1)], ["nw", "df", "nw"]),
        "B": table_of([(1, 1, 2), (2, 4, 3), (1, 1, 1)], ["nw", "df", "nw"]),
    }
    draws = {name: options.pop(name) for name in ("level", "seed", "test", "interval") if name in options}
    inference = Inference(bootstrap=options.pop("bootstrap", 50), **draws)
    usual = {"task": "score", "profile": "default", "measures": MEASURES, "tables": tables}
    return made_result(inference=inference, **usual | options)


@cache  # checking the schema itself takes longer than all else
def validator():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_access_by_name():
    result = result_of(by=["genre"])
    scores = result["set.f1"]["A"]
    f1 = scores.f1
    assert f1 == 8 / 13
    assert f1.low <= f1 <= f1.high
    assert f1.level == 0.95
    assert re.fullmatch(r"0\.6154 \[0\.\d{4}, 0\.\d{4}\]", str(f1))
    assert scores["gold"] == 6
    assert scores["gold"].low is None
    assert result.system("B")["set.f1"].f1 == result["set.f1"]["B"].f1 == 8 / 12
    assert scores.where(genre="df").f1 == 6 / 7
    assert "set.f1" in result
    assert "set.f2" not in result
    assert list(scores) == ["precision", "recall", "f1", "gold"]
    assert "f1" in scores
    assert "f1" in dir(scores)
    assert repr(scores).startswith("set.f1: precision 0.5714 [")
    assert list(result["set.f1"]) == ["A", "B"]
    assert repr(result["set.f1"]).startswith("A: set.f1: precision 0.5714 [")
    assert repr(result) == f"<Result {result.signature}, systems: A, B>"


def test_no_number_stands_for_several_systems():
    result = result_of(by=["genre"])
    remedy = r'the result has 2 systems \(A, B\); say result\["set.f1"\]\["A"\]'
    for call in (
        lambda: result["set.f1"].f1,
        lambda: result["set.f1"]["f1"],
        lambda: result["set.f1"].where(genre="nw"),
    ):
        with pytest.raises(UsageError, match=remedy):
            call()
    with pytest.raises(TypeError):
        float(result["set.f1"])
    one = result_of(tables={"A": table_of([(1, 2, 2), (3, 4, 3), (0, 1, 1)])})
    assert one["set.f1"]["A"].f1 == one["set.f1"].f1 == 8 / 13


def test_wrong_names_are_explained():
    result = result_of(by=["genre"])
    for call, message in (
        (lambda: result["set.f"], "has no metric set.f, did you mean set.f1"),
        (lambda: result.system("C"), "no system C, systems: A, B"),
        (lambda: result["set.f1"]["C"], "no system C, systems: A, B"),
        (lambda: result["set.f1"]["A"]["f2"], "set.f1 has no part f2"),
        (lambda: result["set.f1"]["A"].where(genre="nv"), "no slice genre=nv, slices: genre=nw, genre=df"),
        (lambda: result_of()["set.f1"]["A"].where(genre="nw"), "score with by=FIELD"),
        (lambda: unique_names("ABA"), "two systems are called A, rename one"),
    ):
        with pytest.raises(UsageError, match=message):
            call()
    with pytest.raises(AttributeError, match=r"set\.f1 has no part recal, did you mean recall"):
        _ = result["set.f1"]["A"].recal
    assert not hasattr(result["set.f1"], "f2")
    empty = msgspec.structs.replace(result, systems=())
    assert "set.f1" not in empty
    with pytest.raises(UsageError, match="no system"):
        empty["set.f1"]


def test_estimates_are_numbers():
    e = Estimate(0.25, low=0.125, high=0.5, level=0.9)
    assert e * 2 == 0.5
    assert f"{e:.1%}" == "25.0%"
    assert f"{e}" == "0.2500 [0.1250, 0.5000]"
    for again in (pickle.loads(pickle.dumps(e)), copy.deepcopy(e)):
        assert (again, again.low, again.high, again.level) == (0.25, 0.125, 0.5, 0.9)
    assert math.isnan(Estimate(None))
    assert str(Estimate(None)) == "undefined"
    assert str(Estimate(0.0, low=0.0, high=0.0)) == "0.0000 [0.0000, 0.0000]"
    scores = result_of()["set.f1"]["A"]
    assert pickle.loads(pickle.dumps(scores)).f1 == scores.f1


def test_the_json_contract():
    result = result_of(by=["genre"], notes={"A": [Note("missing-document", 2, "2 are missing", ("d7", "d9"))]})
    data = json.loads(result.to_json())
    assert list(data) == ["adjudge", "task", "profile", "signature", "systems", "comparisons", "notes", "ranking"]
    system = data["systems"][0]
    assert list(system) == ["name", "documents", "scores", "notes"]
    assert system["notes"][0] == {
        "code": "missing-document",
        "count": 2,
        "message": "2 are missing",
        "examples": ["d7", "d9"],
    }
    first = system["scores"][0]
    assert first["metric"] == "set.f1"
    assert first["part"] == "precision"
    assert (first["value"], first["numerator"], first["denominator"]) == (4 / 7, 4, 7)
    assert set(first) == {
        "metric",
        "pool",
        "part",
        "value",
        "low",
        "high",
        "level",
        "interval",
        "scale",
        "numerator",
        "denominator",
        "slice",
    }
    assert first["slice"] == {}
    assert {"genre": "df"} in [score["slice"] for score in system["scores"]]
    comparison = data["comparisons"][0]
    assert set(comparison) == {
        *("a", "b", "metric", "part", "family", "difference", "low", "high", "p", "p_holm", "q", "test", "wins"),
        *("documents", "slice"),
    }
    plain = json.loads(result_of(bootstrap=0).to_json())
    assert set(plain["systems"][0]["scores"][0]) == {
        *("metric", "pool", "part", "value", "numerator", "denominator", "slice")
    }
    assert set(plain["comparisons"][0]) == {"a", "b", "metric", "part", "family", "difference", "documents", "slice"}


def test_undefined_is_null_with_a_note():
    result = result_of(tables={"A": table_of([(0, 0, 0), (0, 0, 0)])}, bootstrap=100)
    assert "NaN" not in result.to_json(with_tables=True)
    scores = {(s.metric, s.part): s for s in result.systems[0].scores}
    assert scores["set.f1", "f1"].value is None
    assert scores["set.f1", "f1"].low is None
    assert '"value": null' in result.to_json()
    codes = [("nothing-in-gold", 1), ("undefined", 4), ("no-spread", 1)]
    assert [(n.code, n.count) for n in result.systems[0].notes] == codes
    assert str(result["set.f1"].f1) == "undefined"


counts = st.integers(0, 3)
rows_of_counts = st.tuples(counts, counts, counts).map(lambda t: (t[0], t[0] + t[1], t[0] + t[2]))
genres = st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["nw", "<b>", "\x1b[31m", 0.5])


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(st.tuples(rows_of_counts, rows_of_counts, genres), max_size=5),
    pool=st.sampled_from(["micro", "macro"]),
    bootstrap=st.sampled_from([0, 9]),
    test=st.sampled_from(["paired-bootstrap", "approximate-randomisation"]),
    name=st.text(min_size=1).filter(lambda n: n != "B"),
)
def test_every_output_fits_the_schema_and_comes_back(tmp_path_factory, rows, pool, bootstrap, test, name):
    attributes = {"genre": tuple(row[2] for row in rows)}
    ids = tuple(f"d{i}" for i in range(len(rows)))
    tables = {
        name: StatsTable(ids, COLUMNS, [row[0] for row in rows], attributes),
        "B": StatsTable(ids, COLUMNS, [row[1] for row in rows], attributes),
    }
    result = result_of(tables=tables, pool=pool, bootstrap=bootstrap, test=test, by=["genre"])
    check = validator()
    for with_tables in (False, True):
        text = result.to_json(with_tables=with_tables)
        check.validate(json.loads(text))
        assert decode_result(text.encode()).to_json(with_tables=with_tables) == text
    path = tmp_path_factory.mktemp("result") / "result.json"
    result.save(path)
    again = Result.load(path)
    assert again == result
    assert again.systems[0].table == tables[name]
    assert again.measures == MEASURES
    assert str(again) == str(result)
    assert all(line.isprintable() for line in str(result).split("\n"))
    html = result._repr_html_()
    assert "<b>" not in html
    assert "\x1b" not in html


def test_the_schema_refuses_what_is_not_a_result():
    check = validator()
    data = json.loads(result_of().to_json())
    assert check.is_valid(data)
    for broken in ({}, [], data | {"systems": {}}, data | {"systems": [{"name": "A"}]}, data | {"adjudge": 1}):
        assert not check.is_valid(broken)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"r\.json:1:1: not JSON: Input data was truncated, give a file written by --save"),
        (b'{\n  "adjudge": oops\n}', r"r\.json:2:14: not JSON: invalid character"),
        (b"\xff\xfe", r"r\.json:1:1: not JSON"),
        (b'{"adjudge": "\xff"}', "r.json: not JSON: .*UTF-8|r.json:.*utf-8"),
        (b"[]", r"not a saved result: Expected `object`, got `array`"),
        (b'{"task": "x"}', "missing required field `adjudge`"),
        (b'{"adjudge": 1}', r"Expected `str`, got `int` - at `\$\.adjudge`"),
        (b'{"adjudge": "old"}', r"`old` is not a version - at `\$\.adjudge`"),
        (b'{"adjudge": "' + b"9" * 5000 + b'.1"}', "is not a version"),
        (b'{"adjudge": "0.99.0", "other": "shape"}', r"r\.json: written by adjudge 0\.99\.0, this is .*, upgrade with"),
        (b'{"adjudge": "7.0.0"}', "written by adjudge 7.0.0"),
    ],
)
def test_other_files_are_not_results(tmp_path, content, message):
    path = tmp_path / "r.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=message):
        Result.load(path)


def test_broken_results_are_placed(tmp_path):
    path = tmp_path / "r.json"
    good = json.loads(result_of().to_json(with_tables=True))

    def broken(change):
        data = copy.deepcopy(good)
        change(data)
        path.write_text(json.dumps(data))
        with pytest.raises(FormatError) as caught:
            Result.load(path)
        text = str(caught.value)
        assert text.startswith(str(path))
        return text

    assert "at `$.systems[1].scores[0].value`" in broken(lambda d: d["systems"][1]["scores"][0].update(value="x"))
    assert "repeated document id: d0" in broken(lambda d: d["systems"][1]["table"].update(ids=["d0", "d0", "d1"]))
    assert "at `$.systems[1].table`" in broken(lambda d: d["systems"][1]["table"].update(values=[]))
    assert "3 documents in the table, 4 in the result" in broken(lambda d: d["systems"][0].update(documents=4))
    assert "two systems have the same name" in broken(lambda d: d["systems"][0].update(name="B"))
    assert "beta is -1" in broken(lambda d: d["measures"][0].update(beta=-1.0))
    assert "Invalid value 'sum'" in broken(lambda d: d["measures"][0].update(kind="sum"))
    assert "Expected `int` >= 0 - at `$.options.seed`" in broken(lambda d: d["options"].update(seed=-1))
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        Result.load(tmp_path / "none.json")
    with pytest.raises(UsageError, match="cannot be read"):
        Result.load("a\0b")


def test_counts_that_no_scoring_can_give_are_refused():
    good = json.loads(result_of().to_json(with_tables=True))
    columns = good["systems"][0]["table"]["columns"]

    def broken(change, task="coref"):
        data = copy.deepcopy(good) | {"task": task}
        change(data)
        with pytest.raises(FormatError) as caught:
            decode_result(json.dumps(data, indent=1).encode(), "r.json")
        (problem,) = caught.value.problems
        assert problem.path == "r.json"
        assert problem.line > 1
        return problem.message

    def count(column, value):
        def change(data):
            data["systems"][0]["table"]["values"][1][columns.index(column)] = value

        return change

    for task in ("coref", "score"):
        message = broken(count("p", -1), task)
        assert "p of document d1 is -1, a count cannot be negative - at `$.systems[0].table`" in message
    assert "s of document d1 is 99, more than p, which is 4 - at `$.systems[0].table`" in broken(count("s", 99))
    own = copy.deepcopy(good) | {"task": "score"}  # where a similarity of one's own need not be bounded
    count("s", 99)(own)
    assert decode_result(json.dumps(own).encode()).systems[0].table.values[1][columns.index("s")] == 99

    def other_column(data):
        data["measures"][0]["precision"][1] = "answers"

    assert "the measure set.f1 lacks answers - at `$.systems[0].table`" in broken(other_column)

    def no_documents(data):
        data["systems"][1] |= {"documents": -1, "table": None}

    assert "-1 documents - at `$.systems[1].documents`" in broken(no_documents)

    def elements(data):
        rows = {"values": [[0, 0, 0]] * 3}
        one = {"value": "x", "documents": [2], "rows": {"values": [[5, 4, 9]]}}
        data["systems"][0]["elements"] = [{"field": "tags.kind", "columns": columns, "rest": rows, "slices": [one]}]

    message = "s of row 1 of the value 'x' is 5, more than p, which is 4 - at `$.systems[0].elements[0]`"
    assert message in broken(elements)


def test_unknown_fields_of_a_later_patch_are_ignored():
    data = json.loads(result_of().to_json()) | {"adjudge": "0.1.99", "colour": "blue"}
    assert decode_result(json.dumps(data).encode()).adjudge == "0.1.99"
