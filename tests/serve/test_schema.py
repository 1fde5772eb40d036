"""Schemas as data: those that come with adjudge are right, and every mistake of another is found, with its line."""

import pytest

from adjudge.errors import FormatError
from adjudge.serve.schema import FOLDER, known_schemas, named_schema, read_schema

EAL, KB, RECORDS = "eal-2015", "kb-answers-2017", "records"
NO_TYPE = 'no_type = [{ aet=["W","NIL"] }]'

# A schema, what is changed in it, and the line and the words of each complaint.
BROKEN = {
    "two questions take a key": (
        EAL,
        'keys = { w="W"',
        'keys = { q="W"',
        ["38: the key 'q' answers 'aet' and 'aer' at"],
    ),
    "reserved": (EAL, 'keys = { w="W"', 'keys = { j="W"', ["38: the key 'j' of 'aer' is reserved"]),
    "no key": (EAL, 'keys = { w="W"', 'keys = { ww="W"', ["38: 'ww' is not a key"]),
    "a class and a choice": (KB, 'm="NOM"', '"1"="NOM"', ["41: the key '1' answers 'class' and 'level' at"]),
    "no answer": (
        KB,
        'keys = { n="NAM", m="NOM" }',
        "",
        ["16: no question has the value 'NAM'", "16: no question has the value 'NOM'", "38: nobody can answer 'level'"],
    ),
    "an id twice": (
        EAL,
        'id = "bf"',
        'id = "cas"',
        ["26: there is no question 'bf'", "50: a second question 'cas'"],
    ),
    "hidden": (EAL, 'label = ["role","cas"]', 'label = ["role","realis"]', ["13: the field 'realis' is hidden"]),
    "hidden in words": (RECORDS, "is {value}?", "is {value} ({run})?", ["23: the field 'run' is hidden"]),
    "field": (EAL, '"provenance"]', '"provenence"]', ["7: there is no field 'provenence', did you mean provenance"]),
    "field of a claim": (EAL, "is {cas}", "is {filler}", ["9: there is no field 'filler', did you mean base_filler"]),
    "field of a carry": (EAL, 'carry = ["cas"', 'carry = ["cs"', ["66: there is no field 'cs', did you mean cas"]),
    "function": (EAL, "{ontology:", "{onto:", ["10: there is no function 'onto'"]),
    "mark": (EAL, 'line="cas_span"', 'line="cas"', ["11: 'cas' is not a position in a text"]),
    "word": (EAL, 'words = { C="', 'words = { K="', ["16: no question has the value 'K'"]),
    "condition": (
        EAL,
        'nil = "no_type"',
        'nil = "no_types"',
        ["24: nothing uses the condition 'no_type'", "40: there is no condition 'no_types', did you mean no_type?"],
    ),
    "value": (EAL, NO_TYPE, NO_TYPE.replace("W", "WRONG"), ["24: 'aet' is never 'WRONG'"]),
    "question": (EAL, NO_TYPE, NO_TYPE.replace("aet", "type"), ["24: there is no question 'type'"]),
    "cycle": (
        EAL,
        NO_TYPE,
        'no_type = [{ bf=["W"] }]',
        ["40: whether 'aer' is asked depends on itself: aer > bf > aer"],
    ),
    "never asked": (RECORDS, 'nil = "not_right"', "nil = [{}]", ["19: nothing uses", "27: 'class' is never asked"]),
    "nothing above": (
        KB,
        'parent = "parent"  # the answer one hop above',
        "",
        ["18: 'parent.judgment': items have nothing above them", "19: 'parent.judgment': items have nothing"],
    ),
    "stage": (EAL, 'kind = "group"', 'kind = "groups"', ["71: stage.2.kind: invalid enum value 'groups'"]),
    "unknown table": (
        EAL,
        "[[stage]]  # column 16",
        "[stages]\n[[stage]]  # column 16",
        ["70: there is no 'stages', did you mean stage?"],
    ),
    "link without groups": (
        EAL,
        'kind = "group"\nof = ["cas","cas_span"]',
        'kind = "assess"',
        ["71: a second stage to assess", "77: there is nothing called 'group'"],
    ),
    "check": (EAL, '"eal.frames"', '"eal.frame"', ["80: there is no check 'eal.frame'"]),
    "no assessment": (EAL, '[[stage]]\nkind = "assess"\n', "", ["1: the first stage is not to assess"]),
    "setting": (EAL, "finishes = true", "finish = true", ["60: there is no 'finish' in question.5, did you mean"]),
    "type": (EAL, 'implied = "C"\nsame', "implied = 5\nsame", ["32: question.1.implied: expected `str | null`"]),
    "class": (KB, 'new_key = "0"', "", ["29: the class 'class' has no new_key"]),
    "missing": (RECORDS, '[files]\nformat = "jsonl"', "", ["1: 'files' is missing"]),
    "no TOML": (RECORDS, '"records"', "records", ["2: this is not TOML"]),
}


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.toml").read_text()


def complaints_about(text: str) -> list[str]:
    with pytest.raises(FormatError) as caught:
        read_schema(text.encode(), name="s.toml")
    assert all(problem.hint for problem in caught.value.problems)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name):
    schema, old, new, expected = BROKEN[name]
    text = text_of(schema)
    assert old in text
    found = complaints_about(text.replace(old, new, 1))
    assert len(found) == len(expected)
    for said, wanted in zip(found, expected, strict=True):
        line, message = wanted.split(": ", 1)
        assert said.startswith(f"s.toml:{line}:")
        assert message in said


def test_all_mistakes_at_once():
    text = text_of(EAL)
    for old, new in (
        ('keys = { w="W"', 'keys = { j="W"'),
        ('label = ["role"', 'label = ["rule"'),
        ("{ontology:", "{o:"),
    ):
        text = text.replace(old, new, 1)
    assert [said.split(":")[1] for said in complaints_about(text)] == ["10", "13", "38"]


def test_those_of_adjudge_are_right():
    assert known_schemas() == [EAL, KB, RECORDS]
    assert [[stage.kind for stage in named_schema(name).stage] for name in known_schemas()] == [
        ["assess", "group", "link"],
        ["assess"],
        ["assess"],
    ]
    assert "realis" not in named_schema(EAL).visible
