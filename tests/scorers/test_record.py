"""Records: rows worked out by hand, files of fields, and the command."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
from typing import Annotated, Any, NamedTuple

import attrs
import msgspec
import pydantic
import pytest

import adjudge as aj
from adjudge.algebra.operators import leaf_lists
from adjudge.cli import run
from adjudge.metrics import find

GOLD = [
    {"name": "Ada Lovelace", "born": 1815, "tags": ["maths", "computing"]},
    {"name": "Alan Turing", "born": 1912, "tags": ["logic"]},
]
SYSTEM = [
    {"name": "alan turing", "born": "1912", "tags": ["logic"]},
    {"name": "Ada Lovelace", "born": 1816, "tags": ["maths"], "died": 1852},
]


@pytest.mark.parametrize(
    ("name", "precision", "recall"),
    [
        # Gold has 4 + 3 values, the system 3 + 4. Right: Turing's name and tag; Lovelace's name and one tag.
        ("record.fields", 4 / 7, 4 / 7),
        # With numbers, Turing's birth as well.
        ("record.fields(numbers=true)", 5 / 7, 5 / 7),
        # Dice: Turing 2*2/(3+3) = 2/3, Lovelace 2*2/(4+4) = 1/2; with numbers 1 and 1/2.
        ("record.match", (2 / 3 + 1 / 2) / 2, (2 / 3 + 1 / 2) / 2),
        ("record.match(numbers=true)", 3 / 4, 3 / 4),
        ("record.exact", 0, 0),
        ("record.exact(numbers=true)", 1 / 2, 1 / 2),
        # As it is written, "alan turing" is another name.
        ('record.fields(text="exact")', 3 / 7, 3 / 7),
    ],
)
def test_by_hand(name, precision, recall):
    found = find(name).score(GOLD, SYSTEM)
    assert (found.precision, found.recall) == pytest.approx((precision, recall))


class TestSchema:
    @pytest.fixture
    def schema(self, tmp_path):
        path = tmp_path / "fields.yaml"
        path.write_text("name: words\nborn: {number: 1}\ntags: [text]\ndied: ignore\n")
        return str(path)

    def test_by_hand(self, schema):
        # Names are right, births within one year, tags 1 of 1 and 1 of 2. Gold 4 + 3 values, the system 3 + 3.
        found = find(f'record.fields(schema="{schema}")').score(GOLD, SYSTEM)
        assert (found.precision, found.recall) == (6 / 6, 6 / 7)

    def test_the_metric_holds_the_fields_and_not_the_file(self, schema, tmp_path):
        metric = find(f'record.match(schema="{schema}")')
        (tmp_path / "fields.yaml").unlink()
        again = find(str(metric))
        sides = {"records": GOLD}, {"records": SYSTEM}
        assert list(again.observe(*sides).counts.values()) == list(metric.observe(*sides).counts.values())

    def test_words_are_worth_what_they_share(self, tmp_path):
        path = tmp_path / "fields.yaml"
        path.write_text("name: words")
        # "Ada Lovelace" and "Ada King Lovelace" share two words: 2*2/(2+3).
        found = find(f'record.match(schema="{path}")').score(GOLD[:1], [{"name": "Ada King Lovelace"}])
        assert found.f1 == pytest.approx(0.8)

    def test_a_relative_tolerance_and_a_date(self, tmp_path):
        path = tmp_path / "fields.json"
        path.write_text('{"price": {"number": 0.05, "relative": true}, "when": {"date": 1}, "note": {"sim": "edit"}}')
        metric = find(f'record.exact(schema="{path}")')
        gold = [{"price": 100, "when": "2015-03-14"}]
        assert metric.score(gold, [{"price": "$104", "when": "March 15, 2015"}]).f1 == 1
        assert metric.score(gold, [{"price": "$106", "when": "March 15, 2015"}]).f1 == 0
        assert metric.score(gold, [{"price": "$104", "when": "March 16, 2015"}]).f1 == 0


class TestCommand:
    @pytest.fixture
    def files(self, tmp_path):
        (tmp_path / "gold.jsonl").write_text(
            json.dumps({"id": "d", "records": GOLD}) + '\n{"id": "e", "records": []}\n'
        )
        answer = {"id": "d", "output": f"Here:\n```json\n{json.dumps(SYSTEM)}\n```"}
        (tmp_path / "answers.jsonl").write_text(json.dumps(answer) + '\n{"id": "e", "output": "None found."}\n')
        return [str(tmp_path / name) for name in ("gold.jsonl", "answers.jsonl")]

    def test_a_note_says_what_could_not_be_used(self, files, capsys):
        assert run(["record", "score", *files, "--bootstrap", "0", "--format", "json"]) == 0
        (system,) = json.loads(capsys.readouterr().out)["systems"]
        (note,) = system["notes"]
        assert (note["code"], note["count"], note["examples"]) == ("no-json", 1, ["e"])
        scores = {(s["metric"], s["part"]): s["value"] for s in system["scores"]}
        assert scores["record.fields", "f1"] == pytest.approx(4 / 7)

    def test_strictly_it_is_an_error(self, files, capsys):
        assert run(["record", "score", *files, "--system-reader", "answers-strict"]) == 1
        assert "answers.jsonl:2: output: there is no JSON in it" in capsys.readouterr().err


# Records of every kind


class TuplePerson(NamedTuple):
    name: str
    born: Any = None
    at: Any = None


class StructPerson(msgspec.Struct):
    name: str
    born: Any = None
    at: Any = None


class ModelPerson(pydantic.BaseModel):
    name: str
    born: Any = None
    at: Any = None


@attrs.define
class AttrsPerson:
    name: str
    born: Any = None
    at: Any = None


@dataclasses.dataclass
class DataPerson:
    name: str
    born: Any = None
    at: Any = None
    note: str = dataclasses.field(default="", compare=False)
    text: Annotated[str, aj.algebra.ignore] = "described"


class Place(enum.Enum):
    LONDON = "London"


KINDS = [dict, DataPerson, AttrsPerson, StructPerson, TuplePerson, ModelPerson]


def people(kind, day, place, *, right):
    inner = kind(name="Byron", born=1788, at=None)
    ada = kind(name="Ada", born=day, at=[place, inner])
    return [ada, kind(name="Alan", born=1912)] if right else [kind(name="Alan", born=1913), ada]


@pytest.mark.parametrize("metric", ["record.fields", "record.match", "record.exact"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", [dict, ModelPerson])
def test_objects_give_the_numbers_of_dicts(metric, kind, other, tmp_path):
    day = datetime.date(1815, 12, 10)

    def found(gold, system):
        result = aj.score(metric, [{"id": "d", "records": gold}], [{"id": "d", "records": system}], bootstrap=0)
        return {each.part: each.value for each in result.systems[0].scores if each.part != "absent"}

    plain = [people(dict, "1815-12-10", "London", right=right) for right in (True, False)]
    expected = found(*plain)
    assert expected["f1"] == pytest.approx(
        {"record.fields": 6 / 7, "record.match": 3 / 4, "record.exact": 1 / 2}[metric]
    )
    gold, system = people(kind, day, Place.LONDON, right=True), people(other, "1815-12-10", "London", right=False)
    assert found(gold, system) == expected
    assert found(system, gold) == expected
    (tmp_path / "schema.yaml").write_text("name: text\nborn: date\nat: exact\n")
    with_schema = find(f"{metric}(schema={tmp_path / 'schema.yaml'})")
    assert dict(with_schema.score(gold, system)) == dict(with_schema.score(*plain))


def test_objects_whose_fields_nobody_knows_are_refused():
    class Odd:
        name = "Ada"

    with pytest.raises(aj.AdjudgeError, match="the fields of Odd are not known: give dicts, or make Odd a dataclass"):
        aj.score("record.fields", [[Odd()]], [[Odd()]], bootstrap=0)


def test_of_too_many_pairs_candidates_are_compared_and_a_note_says_so(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(leaf_lists, "_MOST", 1_000)
    monkeypatch.setattr(leaf_lists, "MOST", 2)
    monkeypatch.setattr(leaf_lists, "FEW", 1)
    gold = [{"a": n % 7, "b": n % 5, "c": n % 3} for n in range(60)]
    system = [{"a": n % 5, "b": n % 7, "c": n % 4} for n in range(60)]
    for name, records in (("gold", gold), ("system", system)):
        (tmp_path / name).write_text(json.dumps({"id": "d", "records": records}))
    words = ["record", "score", str(tmp_path / "gold"), str(tmp_path / "system"), "--metric", "record.fields"]
    words += ["--bootstrap", "0", "--format", "json"]
    assert run(words) == 0
    (found,) = json.loads(capsys.readouterr().out)["systems"]
    assert [note["examples"] for note in found["notes"] if note["code"] == "not-exact"] == [["d"]]
    assert run([*words, "--exact"]) == 0  # which compares all pairs
    (exact,) = json.loads(capsys.readouterr().out)["systems"]
    assert not [note for note in exact["notes"] if note["code"] == "not-exact"]
    lower, value, upper = found["scores"][2]["value"], exact["scores"][2]["value"], found["scores"][2]["bound"]
    assert lower <= value <= upper
    monkeypatch.setattr(leaf_lists, "_ALL", 1_000)
    assert run([*words, "--exact"]) == 1
    assert "the scores of d are not proven" in capsys.readouterr().err


def test_metrics_with_one_alignment_are_explained_once(tmp_path, capsys):
    (tmp_path / "gold").write_text('{"id": "d", "records": {"a": 1, "b": 2}}')
    assert run(["record", "score", str(tmp_path / "gold"), str(tmp_path / "gold"), "--explain", "d"]) == 0
    shown = capsys.readouterr().out
    assert "record.fields, record.field-mean: " in shown
    assert shown.count("outcome") == 1


def test_the_interval_has_one_line(tmp_path, capsys):
    """Also if few documents have a field, for which intervals are made in another way."""
    for name, wrong in (("gold", 0), ("system", 1)):
        values = ({"a": n + wrong * (n % 3 > 1), **({"b": n + wrong * (n % 2)} if n < 30 else {})} for n in range(120))
        records = ({"id": f"d{n}", "records": each} for n, each in enumerate(values))
        (tmp_path / name).write_text("".join(json.dumps(each) + "\n" for each in records))
    words = ["record", "score", str(tmp_path / "gold"), str(tmp_path / "system"), "--by", "field", "--bootstrap", "50"]
    assert run(words) == 0
    (shown,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("interval")]
    assert shown.count(";") == 1
