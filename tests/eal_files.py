"""Random responses, assessments and frames that files can hold, for tests of readers and writers."""

from __future__ import annotations

from hypothesis import strategies as st

from adjudge.model.eal import REALIS, AnswerKey, Argument, Arguments, Assessment, Cas, Frame, Linking, Response, Span

DOCUMENT = "DOC1"

# Blanks of every kind inside, but none at the ends, where readers take them away.
_LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r")
TEXTS = st.one_of(
    st.sampled_from(["", "Bob", "three  police officers", "José Ñandú 李", "Face \U0001f600", "NIL", "#x"]),
    st.just("2003-03-XX"),
    st.text(_LETTERS, max_size=8).map(lambda text: f"a{text}b"),
)
OFFSETS = st.one_of(st.integers(0, 60), st.integers(0, 2**31 - 1))
SPANS = st.tuples(OFFSETS, OFFSETS).map(lambda pair: Span(min(pair), max(pair)))


def span_sets(least: int) -> st.SearchStrategy[tuple[Span, ...]]:
    return st.frozensets(SPANS, min_size=least, max_size=3).map(lambda spans: tuple(sorted(spans)))


RESPONSES = st.builds(
    Response,
    st.just(DOCUMENT),
    st.sampled_from(["Conflict.Attack", "Life.Die", "Contact.Correspondance"]),
    st.sampled_from(["Place", "Time", "Victim"]),
    st.builds(Cas, TEXTS, SPANS),
    SPANS,
    span_sets(1),
    span_sets(0),
    st.sampled_from(REALIS),
)
COMMENTS = st.one_of(st.none(), st.text(_LETTERS.filter(lambda letter: letter != "\n"), max_size=5), st.just("a\nb"))
CONFIDENCES = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 1e-3, 1e-4, 5e-324, 0.1 + 0.2]), st.floats(0, 1))


@st.composite
def argument_files(draw: st.DrawFn, largest: int = 6) -> Arguments:
    responses = draw(st.lists(RESPONSES, max_size=largest, unique=True))
    return Arguments(
        DOCUMENT, [Argument(response, draw(CONFIDENCES), comment=draw(COMMENTS)) for response in responses]
    )


@st.composite
def linked_files(draw: st.DrawFn) -> tuple[Arguments, Linking]:
    arguments = draw(argument_files())
    responses = [argument.response for argument in arguments.arguments]
    frames: list[Frame] = []
    incomplete: frozenset[Response] = frozenset()
    if responses:
        some = st.frozensets(st.sampled_from(responses), min_size=1)
        frames = [Frame(each) for each in draw(st.lists(some, max_size=4))]
        linked = frozenset().union(*(frame.responses for frame in frames))
        incomplete = frozenset(each for each in responses if each not in linked and draw(st.booleans()))
    return arguments, Linking(DOCUMENT, frames, incomplete)


JUDGEMENTS = st.sampled_from("CWI")
ACCEPTED = st.sampled_from("CI")
ASSESSMENTS = st.one_of(
    st.sampled_from([Assessment(), Assessment("W"), Assessment("C", "W"), Assessment("I", "W")]),
    st.tuples(
        ACCEPTED, ACCEPTED, JUDGEMENTS, JUDGEMENTS, st.sampled_from(REALIS), st.sampled_from(["NAME", "NOMINAL"])
    ).map(lambda answers: Assessment(*answers)),
)


@st.composite
def keys(draw: st.DrawFn) -> AnswerKey:
    responses = draw(st.lists(RESPONSES, max_size=6, unique=True))
    assessed = {each: draw(ASSESSMENTS) for each in responses if draw(st.booleans())}
    unassessed = [each for each in responses if each not in assessed]
    needed = {each.cas for each, assessment in assessed.items() if assessment.cas in ("C", "I")}
    coref = {
        cas: draw(st.integers(-(2**31), 2**31 - 1))
        for cas in dict.fromkeys(each.cas for each in responses)
        if cas in needed or draw(st.booleans())
    }
    return AnswerKey(DOCUMENT, assessed, unassessed, coref)
