"""Offsets in UTF-16 units and in characters."""

from hypothesis import given
from hypothesis import strategies as st

from adjudge.formats.eal_sources import Utf16, from_utf16, to_utf16
from adjudge.model.eal import Span
from eal_files import RESPONSES
from eal_responses import response

TEXTS = st.text(st.sampled_from("ab\u00e9\u674e\U0001f600\U00020000"), min_size=1, max_size=12)


def units(text):
    return len(text.encode("utf-16-le")) // 2


@given(TEXTS, st.data())
def test_units_of_a_text(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start, len(text) - 1))
    converted = Utf16(text).to_units(Span(start, end))
    assert converted == Span(units(text[:start]), units(text[: end + 1]) - 1)
    assert Utf16(text).to_characters(converted) == Span(start, end)
    assert not Utf16(text).cuts(converted)


@given(TEXTS, st.data())
def test_spans_that_cut_characters(text, data):
    start = data.draw(st.integers(0, units(text) - 1))
    end = data.draw(st.integers(start, units(text) - 1))
    starts = {units(text[:at]) for at in range(len(text))}
    ends = {units(text[: at + 1]) - 1 for at in range(len(text))}
    assert Utf16(text).cuts(Span(start, end)) == (start not in starts or end not in ends)


@given(TEXTS, st.integers(0, 5))
def test_places_beyond_the_end_stay_there(text, more):
    beyond = Span(units(text) + more, units(text) + more)
    assert Utf16(text).to_characters(beyond) == Span(len(text) + more, len(text) + more)


@given(RESPONSES, TEXTS)
def test_responses_there_and_back(response, text):
    def text_of(document):
        return text

    assert from_utf16(text_of)(to_utf16(text_of)(response)) == response


def test_the_text_is_asked_for_once_for_a_document():
    asked = []

    def text_of(document):
        asked.append(document)
        return "a\U0001f600"

    convert = from_utf16(text_of)
    for _ in range(3):
        convert(response())
    assert asked == ["d"]
