"""Extractions as JSON lines."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError
from adjudge.formats.kb_documents import read_kb_documents, write_kb_documents
from adjudge.model.kbp import (
    LEVELS,
    Entity,
    Fact,
    KbDocument,
    Link,
    Mention,
    Provenance,
    Span,
    as_knowledge_base,
)

RECORD = {
    "id": "d1",
    "text": "Ana Ruiz founded Corvex .",
    "entities": [
        {"id": "E1", "type": "PER", "mentions": [{"start": 0, "end": 8, "text": "Ana  Ruiz", "head": [4, 8]}]},
        {"id": "E2", "type": "ORG", "links": ["W:Corvex"], "mentions": [{"start": 17, "end": 23, "level": "NOM"}]},
    ],
    "relations": [{"type": "Founder", "subject": "E1", "object": "E2", "confidence": 0.9, "spans": [[0, 23]]}],
}


def problems(record: object, tmp_path: Path) -> list[str]:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(record) + "\n")
    with pytest.raises(AdjudgeError) as caught:
        read_kb_documents(path, name="x.jsonl")
    return [str(problem) for problem in caught.value.problems]


def test_all_fields():
    corpus = read_kb_documents(json.dumps(RECORD).encode())
    assert not corpus.notes
    (document,) = corpus.documents
    assert document == KbDocument(
        "d1",
        [
            Entity("E1", "PER", (Mention("d1", 0, 8, "NAM", "Ana  Ruiz", Span(4, 8)),)),
            Entity("E2", "ORG", (Mention("d1", 17, 23, "NOM"),), (Link("W:Corvex"),)),
        ],
        [Fact("E1", "Founder", "E2", "d1", Provenance((Span(0, 23),)), 0.9)],
        "Ana Ruiz founded Corvex .",
    )
    kb = as_knowledge_base(corpus.documents, id="run")
    assert kb.facts[0].triple == ("d1#E1", "Founder", "d1#E2")
    assert list(kb.fact_lines) == [1]
    assert kb.by_id()["d1#E2"].links == (Link("W:Corvex"),)


def changed(path: str, value: object) -> object:
    record = json.loads(json.dumps(RECORD))
    here = record
    *steps, last = path.split("/")
    for step in steps:
        here = here[int(step)] if step.isdigit() else here[step]
    if value is None:
        del here[last]
    else:
        here[int(last) if last.isdigit() else last] = value
    return record


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("entities", None, "$: there is no entities"),
        ("entities", {}, "$.entities: expected a list, got {}"),
        ("entities/0", 7, "$.entities[0]: expected an object, got 7"),
        ("entities/0/id", None, "$.entities[0]: there is no id"),
        ("entities/0/id", "", '$.entities[0].id: expected a string, got ""'),
        ("entities/1/id", "E1", "$.entities[1].id: the id 'E1' is also that of entity 0"),
        ("entities/0/mentions", None, "$.entities[0]: there is no mentions"),
        ("entities/0/mentions/0/start", None, "$.entities[0].mentions[0]: there is no start"),
        ("entities/0/mentions/0/start", True, "$.entities[0].mentions[0].start: expected a whole number, got true"),
        ("entities/0/mentions/0/start", -1, "$.entities[0].mentions[0]: the span -1 to 8 starts before the text"),
        ("entities/0/mentions/0/start", 8, "$.entities[0].mentions[0]: the span 8 to 8 ends before it starts"),
        ("entities/0/mentions/0/end", 26, "$.entities[0].mentions[0]: the span 0 to 26 ends behind the text of 25"),
        (
            "entities/0/mentions/0/level",
            "NAME",
            '$.entities[0].mentions[0].level: expected one of NAM, NOM, PRO, NORM, got "NAME"',
        ),
        ("entities/0/mentions/0/head", [1], "$.entities[0].mentions[0].head: expected a span, got [1]"),
        ("entities/0/mentions/0/confidence", 2, "$.entities[0].mentions[0].confidence: expected a number from 0 to 1"),
        ("entities/1/links/0", 5, "$.entities[1].links[0]: expected a string, got 5"),
        ("text", 5, "$.text: expected a string, got 5"),
        ("relations/0/type", None, "$.relations[0]: there is no type"),
        ("relations/0/object", "E9", "$.relations[0].object: there is no entity 'E9' in document 'd1'"),
        ("relations/0/spans", [[1, 2, 3]], "$.relations[0].spans[0]: expected a span, got [1, 2, 3]"),
        ("relations/0/literal", "no", "$.relations[0].literal: expected true or false"),
    ],
)
def test_mistakes(path, value, message, tmp_path):
    found = problems(changed(path, value), tmp_path)
    assert any(message in each for each in found), found
    assert all(each.startswith("x.jsonl:1:") for each in found)


def test_all_mistakes_of_all_lines(tmp_path):
    path = tmp_path / "x.jsonl"
    bad = changed("relations/0/object", "E9")
    path.write_text("{oops\n" + json.dumps({**bad, "id": "a"}) + "\n" + json.dumps({**bad, "id": "b"}) + "\n")
    with pytest.raises(AdjudgeError) as caught:
        read_kb_documents(path)
    assert [problem.line for problem in caught.value.problems] == [1, 2, 3]
    assert caught.value.problems[1].column == path.read_text().split("\n")[1].index('"E9"') + 1


def test_many_mistakes_are_counted(tmp_path):
    found = problems({"id": "a", "entities": [5] * 300}, tmp_path)
    assert len(found) == 101
    assert found[-1] == "x.jsonl: and 200 more problems"


def test_notes():
    record = changed("entities/0/mentions/0/text", "Anna")
    record["language"] = "en"
    notes = [str(note) for note in read_kb_documents(json.dumps(record).encode()).notes]
    assert notes == [
        "<bytes>: not read: language of a document",
        "<bytes>:1: 1 mention whose text is not the text at that place, first $.entities[0].mentions[0], "
        "the offsets are taken",
    ]


spans = st.tuples(st.integers(0, 40), st.integers(1, 9)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))
sets = st.lists(spans, max_size=2).map(tuple)
words = st.text(max_size=3)
sure = st.sampled_from([1.0, 0.25, 0.0])


@st.composite
def documents(draw):
    ids = draw(st.lists(st.text(min_size=1, max_size=3), unique=True, max_size=3))
    entities = []
    for each in ids:
        mentions = [
            Mention(
                "d",
                *draw(spans),
                draw(st.sampled_from(LEVELS)),
                draw(words),
                draw(st.none() | spans),
                draw(words),
                draw(sure),
                draw(st.booleans()),
                draw(words),
            )
            for _ in range(draw(st.integers(0, 2)))
        ]
        links = draw(st.lists(st.builds(Link, st.text(min_size=1, max_size=3), sure), max_size=2))
        kind = draw(st.sampled_from(["entity", "event", "string"]))
        entities.append(
            Entity(each, draw(words), tuple(mentions), tuple(links), draw(words), draw(words), kind, draw(sure))
        )
    facts = []
    for _ in range(draw(st.integers(0, 2)) if ids else 0):
        literal = draw(st.booleans())
        facts.append(
            Fact(
                draw(st.sampled_from(ids)),
                draw(st.text(min_size=1, max_size=3)),
                draw(st.text(min_size=1, max_size=3)) if literal else draw(st.sampled_from(ids)),
                "d",
                Provenance(*(draw(sets) for _ in range(4))),
                draw(sure),
                draw(words),
                draw(words),
                draw(words),
                literal,
                draw(st.booleans()),
            )
        )
    return KbDocument("d", entities, facts, draw(st.none() | st.text(min_size=50, max_size=60)))


@settings(max_examples=80, deadline=None)
@given(documents())
def test_round_trip(document):
    text = write_kb_documents([document])
    assert read_kb_documents(text.encode()).documents == [document]
