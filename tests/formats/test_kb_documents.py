"""Extractions as JSON lines."""

from hypothesis import given, settings
from hypothesis import strategies as st

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
)

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


@settings(max_examples=40, deadline=None)
@given(documents())
def test_round_trip(document):
    text = write_kb_documents([document])
    assert read_kb_documents(text.encode()).documents == [document]
