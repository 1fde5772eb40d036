"""Answers of language models."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError
from adjudge.formats.answers import find_records, read_answers, read_answers_strictly

ADA = {"name": "Ada"}


@pytest.mark.parametrize(
    "output",
    [
        '[{"name": "Ada"}]',
        '{"name": "Ada"}',
        '{"people": [{"name": "Ada"}]}',
        'Sure! Here it is:\n```json\n[{"name": "Ada"}]\n```\nAnything else?',
        '```\n{"name": "Ada"}\n```',
        '```json\n[{"name": "Ada"}]',  # the fence was cut off
        'As said in [1], the answer is {"name": "Ada"} (I think).',
        [ADA],
        {"people": [ADA]},
    ],
)
def test_the_json_is_found(output):
    assert find_records(output) == ([ADA], None)


@pytest.mark.parametrize(
    ("output", "records"),
    [
        ("[]", []),
        ('["x", {"a": 1}]', [{"value": "x"}, {"a": 1}]),
        ('{"a": [1, 2]}', [{"a": [1, 2]}]),
        ('{"a": [{"b": 1}], "c": 2}', [{"a": [{"b": 1}], "c": 2}]),
    ],
)
def test_what_is_a_record(output, records):
    assert find_records(output) == (records, None)


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("", "it is empty"),
        ("I do not know.", "there is no well-formed JSON in it"),
        ('[{"name": "Ada",}]', "there is no well-formed JSON in it"),
        ('[{"name": "Ad', "there is no well-formed JSON in it"),
        (None, "it is null"),
        (5, "it is neither a list nor an object"),
        ("5", "it is neither a list nor an object"),
        ("[" * 5000, "there is no well-formed JSON in it"),
    ],
)
def test_what_is_none(output, why):
    assert find_records(output) == ([], why)


def lines(*outputs):
    return "".join(json.dumps({"id": f"d{n}", "output": o}) + "\n" for n, o in enumerate(outputs, 1)).encode()


def test_notes_count_what_cannot_be_used():
    corpus = read_answers(lines('[{"name": "Ada"}]', "no", "", "never"))
    assert [document.data["records"] for document in corpus.documents] == [[ADA], [], [], []]
    assert [(note.count, note.examples) for note in corpus.notes] == [(2, ("d2", "d4")), (1, ("d3",))]
    assert corpus.notes[1].message == "1 answer cannot be used (it is empty) and counts as empty"


def test_strictly_each_is_an_error():
    with pytest.raises(AdjudgeError) as caught:
        read_answers_strictly(lines("[]", "no", ""))
    assert [problem.line for problem in caught.value.problems] == [2, 3]


def test_a_document_without_an_answer_is_an_error():
    with pytest.raises(AdjudgeError, match="<bytes>:1: the document has no output"):
        read_answers(b'{"id": "d"}')


@given(st.text())
def test_any_text_is_taken_or_counted(text):
    found = find_records(text)
    assert isinstance(found.records, list)
    assert (found.wrong is None) or not found.records
