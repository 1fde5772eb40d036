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
