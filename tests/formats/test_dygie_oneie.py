"""Readers of DyGIE++, OneIE and TextEE files."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError
from adjudge.formats.event_lines import read_dygie, read_dygie_output, read_oneie, read_textee

DYGIE = {
    "doc_key": "d",
    "sentences": [["Acme", "hired", "Ann", "."], ["She", "left", "."]],
    "ner": [[[0, 0, "ORG"], [2, 2, "PER"]], [[4, 4, "PER"]]],
    "relations": [[[2, 2, 0, 0, "WORKS-FOR"]], []],
    "events": [[[[1, "Hire"], [2, 2, "Person"], [0, 0, "Org"]]], [[[5, "Leave"], [4, 4, "Person"]]]],
}
ONEIE = {
    "sent_id": "s",
    "entity_mentions": [
        {"id": "e1", "start": 0, "end": 1, "entity_type": "ORG", "mention_type": "NAM"},
        {"id": "e2", "start": 2, "end": 3, "entity_type": "PER", "mention_type": "NAM"},
    ],
    "relation_mentions": [
        {
            "relation_type": "ORG-AFF",
            "relation_subtype": "ORG-AFF:Employment",
            "arguments": [{"entity_id": "e2", "role": "Arg-1"}, {"entity_id": "e1", "role": "Arg-2"}],
        }
    ],
    "event_mentions": [
        {
            "event_type": "Personnel:Start",
            "trigger": {"text": "hired", "start": 1, "end": 2},
            "arguments": [{"entity_id": "e2", "role": "Person"}],
        }
    ],
}
GRAPH = {
    "sent_id": "s",
    "graph": {
        "entities": [[0, 1, "ORG", "NAM", 1.0], [2, 3, "PER", "NAM", 0.5]],
        "triggers": [[1, 2, "Personnel:Start", 0.9]],
        "relations": [[1, 0, "ORG-AFF:Employment", 0.8]],
        "roles": [[0, 1, "Person", 0.7]],
    },
}


def span(start, end):
    return {"start": start, "end": end}


def read(value, reader):
    (document,) = reader(json.dumps(value).encode()).documents
    return document


def problems(value, reader):
    with pytest.raises(AdjudgeError) as caught:
        reader(json.dumps(value).encode())
    return [str(problem) for problem in caught.value.problems]


def test_dygie():
    document = read(DYGIE, read_dygie)
    assert document.id == "d"
    assert document.data == {
        "id": "d",
        "entities": [
            {"span": span(0, 1), "type": "ORG"},
            {"span": span(2, 3), "type": "PER"},
            {"span": span(4, 5), "type": "PER"},
        ],
        "relations": [{"type": "WORKS-FOR", "subject": span(2, 3), "object": span(0, 1)}],
        "events": [
            {
                "type": "Hire",
                "trigger": span(1, 2),
                "arguments": [{"role": "Person", "span": span(2, 3)}, {"role": "Org", "span": span(0, 1)}],
            },
            {"type": "Leave", "trigger": span(5, 6), "arguments": [{"role": "Person", "span": span(4, 5)}]},
        ],
    }


def test_predictions_have_scores_and_take_the_place_of_gold():
    predicted = {
        **DYGIE,
        "predicted_ner": [[[0, 1, "ORG", 7.5, 0.99]], []],
        "predicted_events": [[[[1, "Hire", 2.0, 0.8], [2, 2, "Person", 1.0, 0.6]]], []],
    }
    data = read(predicted, read_dygie_output).data
    assert data["entities"] == [{"span": span(0, 2), "type": "ORG"}]
    assert data["events"] == [
        {"type": "Hire", "trigger": span(1, 2), "arguments": [{"role": "Person", "span": span(2, 3)}]}
    ]
    assert data["relations"] == read(DYGIE, read_dygie).data["relations"]
    assert read(predicted, read_dygie).data == read(DYGIE, read_dygie).data


def test_oneie_input_and_output_say_the_same():
    mentions, graph = read(ONEIE, read_oneie).data, read(GRAPH, read_oneie).data
    assert mentions == graph
    assert graph["relations"] == [{"type": "ORG-AFF:Employment", "subject": span(2, 3), "object": span(0, 1)}]
    assert graph["events"] == [
        {
            "type": "Personnel:Start",
            "trigger": span(1, 2),
            "arguments": [{"role": "Person", "span": span(2, 3)}],
        }
    ]


def test_textee_windows_have_two_part_ids():
    window = {**ONEIE, "doc_id": "d", "wnd_id": 3}
    assert read(window, read_textee).id == "d/3"


def test_textee_predictions():
    events = [{"trigger": [3, 4, "Attack"], "arguments": [[0, 1, "Attacker"]]}]
    assert read({"doc_id": "d", "wnd_id": "w", "events": events}, read_textee).data["events"] == [
        {"type": "Attack", "trigger": span(3, 4), "arguments": [{"role": "Attacker", "span": span(0, 1)}]}
    ]


@pytest.mark.parametrize(
    ("value", "reader", "says"),
    [
        ({"ner": []}, read_dygie, "<bytes>:1: the document has no doc_key"),
        ({**DYGIE, "ner": [[[0, "ORG"]]]}, read_dygie, "ner[0][0]: expected [first, last, type]"),
        ({**DYGIE, "ner": [[[3, 1, "ORG"]]]}, read_dygie, "ner[0][0]: a span from 3 to 1"),
        ({**DYGIE, "relations": [[[0, 0, 1, "X"]]]}, read_dygie, "relations[0][0]: expected [first, last, first"),
        ({**DYGIE, "events": [[[]]]}, read_dygie, "events[0][0][0]: expected [token, type]"),
        ({**DYGIE, "events": [[[[1, "A"], [2, "R"]]]]}, read_dygie, "events[0][0][1]: expected [first, last, role]"),
        ({**DYGIE, "ner": 5}, read_dygie, "ner: expected `array | null`, got `int`"),
        ({**GRAPH, "graph": {"entities": [[0, 0, "X"]]}}, read_oneie, "a span from 0 up to 0"),
        ({**GRAPH, "graph": {"relations": [[0, 1, "X"]]}}, read_oneie, "graph.relations[0][0]: there is no number 0"),
        ({**ONEIE, "entity_mentions": []}, read_oneie, "there is no entity mention 'e2'"),
        (ONEIE, read_textee, "the document has no doc_id"),
    ],
)
def test_what_does_not_fit_is_said(value, reader, says):
    found = problems(value, reader)
    assert says in found[0]


def test_all_problems_have_lines_and_columns(tmp_path):
    path = tmp_path / "d.jsonl"
    lines = [{**DYGIE, "ner": [[[0, "ORG"]]]}, {**DYGIE, "doc_key": "e", "relations": [[["x"]]]}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(AdjudgeError) as caught:
        read_dygie(path)
    assert [(each.line, each.column) for each in caught.value.problems] == [
        (line, json.dumps(lines[line - 1]).index(what) + 1) for line, what in ((1, '[0, "ORG"]'), (2, '["x"]'))
    ]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.text(max_size=2) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["entities", "roles", "id", "start", "end", "trigger", "arguments"]), inner)
    ),
    max_leaves=8,
)
FIELDS = ("ner", "relations", "events", "predicted_ner", "graph", "entity_mentions", "event_mentions")


@given(st.dictionaries(st.sampled_from(FIELDS), VALUES))
def test_any_json_gives_documents_or_our_error(fields):
    for reader, ids in (
        (read_dygie, {"doc_key": "d"}),
        (read_oneie, {"sent_id": "s"}),
        (read_dygie_output, {"doc_key": 1}),
    ):
        try:
            found = reader(json.dumps({**ids, **fields}).encode()).documents
        except AdjudgeError as error:
            found = error.problems
        assert all(each.line == 1 for each in found)
