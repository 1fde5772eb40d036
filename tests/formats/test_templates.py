"""Readers of files of templates."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError
from adjudge.formats import templates
from adjudge.formats.templates import Template, distinct, output_id
from adjudge.model.document import Corpus

READERS = [
    getattr(templates, f"read_{name}")
    for name in ("grit", "grit_output", "gtt", "gtt_output", "iterx", "iterx_output", "both")
]
TEMPLATE = {"incident_type": "attack", "Victim": [[["the mayor", 17], ["he", 80]]], "Weapon": []}
MADE = [{"type": "attack", "fillers": [{"role": "Victim", "mentions": ["the mayor", "he"]}]}]


def encoded(value):
    return json.dumps(value).encode()


def test_all_formats_have_one_form():
    gold = {"docid": "TST4-MUC4-0012", "templates": [TEMPLATE], "extracts": {"Victim": TEMPLATE["Victim"]}}
    said = {"incident_type": "attack", "Victim": [["the mayor", "he"]]}
    (found,) = templates.read_gtt(encoded(gold)).documents
    assert (found.id, found.line, found.data) == ("40012", 1, {"id": "40012", "templates": MADE})
    assert templates.read_gtt_output(encoded({"40012": {"pred_templates": [said]}})).documents[0].data == found.data
    both = templates.read_both(encoded({"40012": {"gold_templates": [said], "pred_templates": []}}))
    assert both.documents[0].data == found.data
    (kept,) = templates.read_iterx(encoded(gold)).documents
    assert kept.data == {"id": "TST4-MUC4-0012", "templates": MADE}
    parts = [encoded({"d": [said]}), b"", encoded({"e": []}), encoded({"d": [said]})]
    d, e = templates.read_iterx_output(b"\n".join(parts)).documents
    assert (d.id, d.line, d.data["templates"], e.data["templates"]) == ("d", 1, MADE * 2, [])
    without_type = [{**MADE[0], "type": ""}]
    assert templates.read_grit(encoded(gold)).documents[0].data["templates"] == without_type
    output = templates.read_grit_output(encoded({"40012": {"pred_extracts": {"Victim": [["the mayor", "he"]]}}}))
    assert output.documents[0].data["templates"] == without_type


def test_gold_entities_without_mentions_are_left_out():
    gold = {"docid": "d", "templates": [{"incident_type": None, "Victim": [[], [["x", 1]]], "template-spans": 5}]}
    assert templates.read_gtt(encoded(gold)).documents[0].data["templates"] == [
        {"type": "", "fillers": [{"role": "Victim", "mentions": ["x"]}]}
    ]
    kept = templates.read_gtt_output(encoded({"d": {"pred_templates": [{"Victim": [[]]}]}}))
    assert kept.documents[0].data["templates"][0]["fillers"] == [{"role": "Victim", "mentions": []}]


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [("TST3-MUC4-0001", "30001"), ("DEV-MUC3-0001", "DEV-MUC3-0001"), ("7", "7"), ("a1-2", "10002"), ("", "")],
)
def test_ids_of_the_output(identifier, expected):
    assert output_id(identifier) == expected


def test_equal_templates_are_one():
    one = Template("A", {"Victim": [["x-y"]]})
    other = Template("A", {"Victim": [["xy"]]})
    assert distinct([one, one, other]) == [one, other]
    assert distinct([one, other], clean=lambda text: text.replace("-", "")) == [other]


@pytest.mark.parametrize(
    ("read", "data", "messages"),
    [
        (templates.read_gtt, {"docid": "d"}, ["gold:1: expected a list of templates as templates"]),
        (
            templates.read_gtt,
            {"docid": "d", "templates": [5, {"Victim": {}, "Target": ["x"], "Weapon": [[7]]}]},
            [
                "gold:1: templates[0]: expected a template, an object",
                "gold:1: templates[1].Victim: expected a list of entities",
                "gold:1: templates[1].Target[0]: expected an entity, a list of mentions",
                "gold:1: templates[1].Weapon[0]: expected a mention, a string or a list that begins with one",
            ],
        ),
        (templates.read_grit, {"docid": "d", "extracts": []}, ["gold:1: expected an object of roles as extracts"]),
        (templates.read_gtt_output, [], ["gold:1:1: expected one object of documents by id"]),
        (templates.read_gtt_output, {"d": 5}, ["gold:1:7: d: expected a list of templates as pred_templates"]),
        (templates.read_iterx_output, {"d": [], "e": []}, ["gold:1: expected an object with one document"]),
    ],
)
def test_every_problem_is_told(read, data, messages):
    with pytest.raises(AdjudgeError) as caught:
        read(encoded(data), name="gold")
    for problem, message in zip(caught.value.problems, messages, strict=True):
        assert str(problem) == f"{message}, {problem.hint}"


def test_two_documents_of_one_name():
    lines = b'{"docid": "TST3-X-1", "templates": []}\n{"docid": "TST3-Y-1", "templates": []}\n'
    with pytest.raises(AdjudgeError, match="is called 30001 like another one"):
        templates.read_gtt(lines)
    assert len(templates.read_iterx(lines).documents) == 2


def test_problems_are_capped():
    with pytest.raises(AdjudgeError) as caught:
        templates.read_iterx_output(b"x\n" * 150)
    assert len(caught.value.problems) == 101
    assert "and 50 more problems" in str(caught.value.problems[-1])


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["docid", "d", "templates", "extracts", "pred_templates", "Victim"]), inner)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("read", READERS)
@settings(deadline=None, max_examples=60)
@given(data=st.binary(max_size=40) | values.map(encoded))
def test_documents_or_problems(read, data):
    with suppress(AdjudgeError):
        assert isinstance(read(data), Corpus)
