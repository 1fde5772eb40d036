"""Small responses, and random documents of them, for the tests of event arguments and linking."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from adjudge.model.eal import Argument, Arguments, Cas, Frame, Linking, Realis, Response, Span


@cache
def cases() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(__file__).parent / "golden" / "eal.json").read_text(encoding="utf-8"))
    return found


def response(
    text: str = "Bob",
    *,
    document: str = "d",
    type: str = "Life.Die",
    role: str = "Victim",
    at: tuple[int, int] = (0, 2),
    filler: tuple[int, int] = (0, 2),
    justifications: tuple[tuple[int, int], ...] = ((0, 50),),
    additional: tuple[tuple[int, int], ...] = (),
    realis: Realis = "Actual",
) -> Response:
    spans = tuple(Span(*each) for each in sorted(justifications))
    more = tuple(Span(*each) for each in sorted(additional))
    return Response(document, type, role, Cas(text, Span(*at)), Span(*filler), spans, more, realis)


def from_case(fields: dict[str, Any]) -> Argument:
    made = response(
        fields["cas"],
        document=fields["doc"],
        type=fields["type"],
        role=fields["role"],
        at=fields["cas_offsets"],
        filler=fields["base_filler"],
        justifications=fields["pj"],
        additional=fields["aj"],
        realis=fields["realis"],
    )
    return Argument(made, fields["confidence"])


SPANS = st.tuples(st.integers(0, 12), st.integers(0, 6)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))


def responses(document: str = "d") -> st.SearchStrategy[Response]:
    """Few values for each field, so that responses compete, nest and collide."""
    return st.builds(
        Response,
        st.just(document),
        st.sampled_from(("Life.Die", "Life.Marry")),
        st.sampled_from(("Victim", "Time")),
        st.builds(Cas, st.sampled_from(("Bob", "Ann")), SPANS),
        SPANS,
        st.sets(SPANS, min_size=1, max_size=2).map(lambda spans: tuple(sorted(spans))),
        st.just(()),
        st.sampled_from(("Actual", "Other", "Generic")),
    )


@st.composite
def documents(draw: st.DrawFn, *, document: str = "d", whole: bool = True) -> tuple[Arguments, Linking | None]:
    """A document with or without a linking; if `whole`, all responses that are not generic are linked."""
    confidences = st.sampled_from((0.1, 0.5, 0.9, 1.0))
    comments = st.sampled_from((None, "", "why"))
    arguments = draw(
        st.lists(
            st.builds(Argument, responses(document), confidences, st.just(""), comments, st.integers(0, 3)), max_size=8
        )
    )
    linkable = sorted({each.response for each in arguments if each.response.realis != "Generic"})
    if not draw(st.booleans()):
        return Arguments(document, arguments), None
    frames = draw(st.lists(st.frozensets(st.sampled_from(linkable), min_size=1), max_size=4)) if linkable else []
    if whole:
        linked = frozenset[Response]().union(*frames)
        frames += [frozenset((each,)) for each in linkable if each not in linked]
    named = draw(st.booleans())
    return Arguments(document, arguments), Linking(
        document, [Frame(each, f"h{number}" if named else None) for number, each in enumerate(frames)]
    )


def linked(linking: Linking | None) -> frozenset[Response]:
    return frozenset[Response]().union(*(frame.responses for frame in linking.frames)) if linking else frozenset()
