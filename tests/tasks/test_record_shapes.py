"""Documents of records: where values stand, how answers are brought to gold, what does not fit, objects of classes."""

from __future__ import annotations

import dataclasses
import datetime
import json

import attrs
import msgspec
import pydantic
import pytest

import adjudge as aj
from adjudge.cli import run
from adjudge.errors import AdjudgeError

COUNTS = ("correct", "wrong", "omitted", "hallucinated")


def counts(result, system=0):
    found = {(each.metric, each.part): each.value for each in result.systems[system].scores if not each.slice}
    return [found["record.fields", part] for part in COUNTS]


def notes(result, system=0):
    return {each.code: each.message for each in result.systems[system].notes if each.code != "few-documents"}


def scored(gold, system, **options):
    return aj.score("record.fields", {"d": gold}, {"d": system}, bootstrap=0, **options)


PEOPLE = [{"name": "Ada", "born": 1815}, {"name": "Alan", "born": 1912}]
SCHEMA = {"vendor": "text", "total": "number"}


@pytest.mark.parametrize(
    ("gold", "system", "schema", "expected", "note"),
    [
        # The cases of the specification.
        (PEOPLE, {"people": [{"name": "Alan", "born": 1912}, {"name": "Ada", "born": 1816}]}, None, [3, 1, 0, 0],
         "unwrapped"),
        ({"vendor": "Acme", "total": 5}, {"invoice": {"vendor": "Acme", "total": 6}}, None, [1, 1, 0, 0], "unwrapped"),
        ({"lines": [{"sku": "A"}, {"sku": "B"}]}, {"lines": [{"sku": "B"}, {"sku": "A"}]}, None, [2, 0, 0, 0], None),
        ({"people": [{"name": "Ada"}, {"name": "Alan"}]}, [{"name": "alan"}], None, [1, 0, 1, 0], "wrapped"),
        ({"vendor": "Acme"}, {"result": {"vendor": "acme", "x": 1}}, SCHEMA, [1, 0, 0, 0], "unwrapped"),
        # What is left as it is: nothing named inside, several keys, an object for a list that has the key.
        (PEOPLE, {"people": [{"nom": "Alan"}]}, None, [0, 0, 4, 1], None),
        (PEOPLE, {"people": PEOPLE, "count": 2}, None, [0, 0, 4, 5], None),
        ({"people": [{"name": "Ada"}]}, [{"people": "Ada"}], None, [0, 0, 1, 1], None),
        ([{"tags": ["a"]}], [{"tags": ["a"]}], {"list": {"tags": ["text"]}}, [1, 0, 0, 0], None),
        ({"tags": ["a"]}, ["a", "b"], {"tags": ["text"]}, [1, 0, 0, 1], "wrapped"),
        ({"tags": ["a"]}, ["a", "b"], None, [1, 0, 0, 1], "wrapped"),
        (PEOPLE, {"people": []}, None, [0, 0, 4, 0], "unwrapped"),
        # A text is an answer.
        (PEOPLE, f"Here: {json.dumps(PEOPLE)}", None, [4, 0, 0, 0], None),
        ({"a": 1}, "no idea", None, [0, 0, 1, 0], "no-json"),
        ({"a": 1}, "{'a': 1}", None, [0, 0, 1, 0], "malformed-answer"),
        # An id inside of a value is a field like others.
        ({"records": {"id": 7, "a": 1}}, {"records": {"id": 8, "a": 1}}, None, [1, 1, 0, 0], None),
        ({"id": 7, "a": 1}, {"id": 8, "a": 1}, None, [1, 1, 0, 0], None),
        (["a", "b"], ["b", "c"], None, [1, 0, 1, 1], None),
        ([1, 1250.5], ["1", "1,250.50"], ["number"], [2, 0, 0, 0], None),
    ],
)  # fmt: skip
def test_a_shape(gold, system, schema, expected, note):
    found = scored(gold, system, schema=schema)
    assert counts(found) == expected
    assert [code for code in notes(found) if code in ("unwrapped", "wrapped", "malformed-answer", "no-json")] == [
        note
    ] * bool(note)


def test_what_a_schema_ignores_is_noted():
    schema = {"vendor": "text", "currency": {"enum": ["EUR", "USD"]}, "tags": ["text"], "lines": [{"sku": "text"}]}
    gold = {"vendor": "A", "currency": "EUR", "tags": ["x", "y"], "lines": [{"sku": "1"}]}
    system = {"vendor": "A", "currency": "GBP", "tags": "x", "lines": [{"sku": "1", "qty": 2}], "note": "n"}
    found = scored(gold, system, schema=schema)
    assert counts(found) == [3, 1, 1, 0]
    assert notes(found) == {
        "lone-value": "1 value in the place of lists, read as lists of one (tags)",
        "outside-enum": "1 value that the schema does not list (currency: 'GBP')",
        "unnamed-field": "2 values of fields that the schema does not name, which are not compared (lines[].qty, note)",
    }


class TestCommand:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        self.folder = tmp_path

    def write(self, name, *documents):
        (self.folder / name).write_text("".join(json.dumps(each) + "\n" for each in documents))

    def run(self, capsys, *options, code=0):
        command = ["record", "score", "gold.jsonl", "answers.jsonl", "--bootstrap", "0", *options]
        assert run(command) == code
        return capsys.readouterr()

    def numbers(self, capsys, *options):
        (system,) = json.loads(self.run(capsys, *options, "--format", "json").out)["systems"]
        found = {(s["metric"], s["part"]): s["value"] for s in system["scores"] if not s["slice"]}
        return [found["record.fields", part] for part in COUNTS], {each["code"] for each in system["notes"]}

    def test_where_values_stand(self, capsys):
        self.write("gold.jsonl", {"id": 1, "records": {"a": 1}}, {"id": 2, "a": 2}, {"id": 3, "output": [{"a": 3}]})
        self.write("answers.jsonl", {"id": 1, "a": 1}, {"id": 2, "output": '{"a": 2}'}, {"id": 3, "records": {"a": 3}})
        assert self.numbers(capsys)[0] == [3, 0, 0, 0]

    def test_fields_of_ones_own(self, capsys):
        self.write("gold.jsonl", {"id": 1, "label": {"a": 1}, "output": "x"})
        self.write("answers.jsonl", {"id": 1, "label": {"a": 2}, "reply": '{"a": 1}'})
        assert self.numbers(capsys, "--field", "label")[0] == [0, 1, 0, 0]
        assert self.numbers(capsys, "--field", "label", "--system-field", "reply")[0] == [1, 0, 0, 0]
        assert (
            "answers.jsonl:1: the document has no field 'replay', did you mean reply?"
            in self.run(capsys, "--field", "label", "--system-field", "replay", code=1).err
        )

    def test_repair(self, capsys):
        self.write("gold.jsonl", *({"id": n, "records": {"a": 1}} for n in range(4)))
        texts = ('{"a": 1,}', "{'a': 1}", '{"a": $5}', '{"a": 1}')
        self.write("answers.jsonl", *({"id": n, "output": text} for n, text in enumerate(texts)))
        printed = self.run(capsys).out
        assert printed.startswith("3 of 4 answers could not be read\n\n")
        assert "3 answers cannot be read (malformed JSON); the option repair would read 2 of them" in printed
        assert self.numbers(capsys)[0] == [1, 0, 3, 0]
        found, codes = self.numbers(capsys, "--repair")
        assert found == [3, 0, 1, 0]
        assert {"repair:trailing-comma", "repair:quotes", "malformed-answer"} <= codes
        assert "1 of 4 answers could not be read" in self.run(capsys, "--repair", "--format", "md").out

    def test_strictly(self, capsys):
        self.write("gold.jsonl", {"id": 1, "a": 1}, {"id": 2, "a": 1})
        self.write("answers.jsonl", {"id": 1, "output": '{"r": {"a": 1}}'}, {"id": 2, "output": '{"a": 1}'})
        assert self.numbers(capsys)[0] == [2, 0, 0, 0]
        assert (
            "answers.jsonl:1: the answer is unwrapped"
            in self.run(capsys, "--system-reader", "answers-strict", code=1).err
        )
        self.write("answers.jsonl", {"id": 1, "output": '{"a": 1} {"a": 2'}, {"id": 2, "output": "{} so {}"})
        said = self.run(capsys, "--system-reader", "answers-strict", code=1).err
        assert "answers.jsonl:1: output: truncated JSON" in said
        assert "answers.jsonl:2: output: 1 answer with several values" in said

    def test_schemas(self, capsys):
        self.write("gold.jsonl", {"id": 1, "a": 1.5, "b": "x"})
        self.write("answers.jsonl", {"id": 1, "a": "1,50", "b": "y"})
        (self.folder / "s.yaml").write_text("a: number\nb: ignore\n")
        (self.folder / "own_schema.py").write_text(
            "import dataclasses\n\n\n@dataclasses.dataclass\nclass A:\n    a: float\n"
        )
        (self.folder / "s.json").write_text('{"type": "object", "properties": {"a": {"type": "number"}}}')
        assert self.numbers(capsys)[0] == [0, 2, 0, 0]
        for schema in ("s.yaml", "own_schema:A", "s.json"):
            assert self.numbers(capsys, "--schema", schema)[0] == [1, 0, 0, 0]
        (self.folder / "s.yaml").write_text("a: nmber\nb: ignore\n")
        assert "s.yaml:1:4: a: there is no comparison 'nmber'" in self.run(capsys, "--schema", "s.yaml", code=1).err

    def test_gold_that_does_not_fit(self, capsys):
        (self.folder / "s.yaml").write_text("name: {compare: text, required: true}\naddress: {city: text}\ntag: text\n")
        self.write("answers.jsonl", {"id": 1, "name": "x"})
        self.write(
            "gold.jsonl",
            {"id": 1, "records": [{"name": "x", "address": "Rome"}, {"name": None}]},
            {"id": 2, "name": "x", "tag": ["a"]},
            {"id": 3, "output": "nothing"},
        )
        said = self.run(capsys, "--schema", "s.yaml", code=1).err
        assert "gold.jsonl:1:48: records[0].address: expected an object, got a string" in said
        assert "gold.jsonl:1:57: records[1]: the field 'name' is required, and missing" in said
        assert "gold.jsonl:2:31: tag: expected one value, got an array, write [text] in the schema" in said
        assert "gold.jsonl:3:1: the records cannot be read (there is no JSON in it)" in said

    def test_validation(self, capsys):
        (self.folder / "s.yaml").write_text("name: {compare: text, required: true}\nn: number\n")
        self.write("gold.jsonl", {"id": 1, "name": "x"}, {"id": 2, "n": 5}, {"id": 3, "label": "{"})
        assert run(["record", "validate", "gold.jsonl", "--schema", "s.yaml"]) == 0
        capsys.readouterr()
        assert run(["record", "validate", "gold.jsonl", "--schema", "s.yaml", "--side", "gold"]) == 1
        assert "gold.jsonl:2: error: records: the field 'name' is required, and missing" in capsys.readouterr().out
        self.write("answers.jsonl", {"id": 1, "text": "{'name': 'x'}"})
        assert run(["record", "validate", "answers.jsonl", "--field", "text"]) == 0
        assert "cannot be read (malformed JSON); the option repair would read 1 of them" in capsys.readouterr().out
        assert run(["record", "validate", "answers.jsonl", "--system-field", "text", "--repair"]) == 0
        assert "repaired: other quotation marks" in capsys.readouterr().out
        assert run(["record", "validate", "answers.jsonl", "--schema", "none.yaml"]) == 2
        assert "none.yaml: cannot be read" in capsys.readouterr().err

    def test_deep_values(self, capsys):
        deep = "x"
        for _ in range(240):
            deep = {"a": [deep]}
        self.write("gold.jsonl", {"id": 1, "records": deep})
        self.write("answers.jsonl", {"id": 1, "output": json.dumps(deep)})
        assert self.numbers(capsys)[0] == [1, 0, 0, 0]


# Objects of classes

DAY = datetime.date(2026, 1, 2)


@dataclasses.dataclass
class DataLine:
    sku: str
    price: float


@dataclasses.dataclass
class DataInvoice:
    vendor: str
    date: datetime.date
    lines: list[DataLine]


@attrs.define
class AttrsLine:
    sku: str
    price: float


@attrs.define
class AttrsInvoice:
    vendor: str
    date: datetime.date
    lines: list[AttrsLine]


class StructLine(msgspec.Struct):
    sku: str
    price: float


class StructInvoice(msgspec.Struct):
    vendor: str
    date: datetime.date
    lines: list[StructLine]


class ModelLine(pydantic.BaseModel):
    sku: str
    price: float


class ModelInvoice(pydantic.BaseModel):
    vendor: str
    date: datetime.date
    lines: list[ModelLine]


CLASSES = [(DataInvoice, DataLine), (AttrsInvoice, AttrsLine), (StructInvoice, StructLine), (ModelInvoice, ModelLine)]
GOLD = [("Acme", DAY, [("A", 10.0), ("B", 2.5)]), ("Bolt", DAY, [])]
ANSWERS = [("ACME", DAY, [("B", 2.5), ("A", 9.0)]), ("Volt", DAY, [("C", 1.0)])]


def made(content, invoice, line):
    return [
        invoice(vendor=vendor, date=date, lines=[line(sku=sku, price=price) for sku, price in lines])
        for vendor, date, lines in content
    ]


def as_dict(**fields):
    return {name: value.isoformat() if isinstance(value, datetime.date) else value for name, value in fields.items()}


def shown(result):
    return [(s.metric, s.part, s.slice, s.value) for s in result.systems[0].scores]


@pytest.mark.parametrize(("invoice", "line"), CLASSES)
def test_objects_score_as_dicts_and_texts(invoice, line):
    plain = [made(each, as_dict, as_dict) for each in (GOLD, ANSWERS)]
    objects = [made(each, invoice, line) for each in (GOLD, ANSWERS)]
    texts = [f"```json\n{json.dumps(each)}\n```" for each in plain[1]]
    expected = shown(aj.score("record", *plain, schema=invoice, bootstrap=0))
    by_id = [dict(zip("ab", side, strict=True)) for side in (objects[0], texts)]
    for gold, system in (objects, (plain[0], texts), (objects[0], texts), (plain[0], objects[1]), by_id):
        assert shown(aj.score("record", gold, system, schema=invoice, bootstrap=0)) == expected
    found = {(metric, part): value for metric, part, slice_, value in expected if not slice_}
    assert [found["record.fields", part] for part in COUNTS] == [6, 2, 0, 2]
    assert {metric for metric, *_ in expected} >= {"record.exact", "record.match", "record.fields"}


def test_what_a_schema_cannot_be_given_to():
    for metric in ("record.set", "ner.strict"):
        with pytest.raises(AdjudgeError, match="has no option 'schema'"):
            aj.score(metric, [{"id": "d"}], [{"id": "d"}], schema=DataInvoice)
    with pytest.raises(AdjudgeError, match="schema is given twice"):
        aj.score("record.fields(schema=x.yaml)", [{}], [{}], schema=DataInvoice)
    with pytest.raises(AdjudgeError, match="document '1': the fields of object are not known"):
        aj.score("record.fields", [object()], [{}], bootstrap=0)
