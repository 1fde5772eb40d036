"""Cutting tokens at separators and annotations, against a slow way that asks for every character."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from adjudge.tasks.nugget.tokenizer import tokenize
from adjudge.tasks.nugget.tokenizer_files import Mismatch, split_at_separators, split_at_spans, utf16_offsets

TEXTS = st.text(alphabet="ab -/.\n😀'", max_size=30)


@st.composite
def annotated(draw):
    text = draw(TEXTS)
    place = st.integers(0, len(text))
    pairs = draw(st.lists(st.tuples(place, place), max_size=6))
    return text, [(min(pair), max(pair)) for pair in pairs]


def slow_split(text, places, cuts):
    """Walk over every token character by character."""
    found = []
    for begin, end in places:
        part = []
        for place in [*range(begin, end), None]:
            if part and (place is None or place in cuts):
                while part and text[part[0]].isspace():
                    part.pop(0)
                while part and text[part[-1]].isspace():
                    part.pop()
                if part:
                    found.append((part[0], part[-1] + 1))
                part = []
            if place is not None:
                part.append(place)
    return found


@given(annotated(), st.sampled_from(["", "-", "/-\\", "a."]))
@examples(max_examples=160)
def test_every_boundary_of_an_annotation_is_one_of_tokens(case, separators):
    text, spans = case
    places = split_at_separators(text, tokenize(text), separators)
    split, mismatches = split_at_spans(text, places, spans)
    spans = [span for span in spans if span[0] < span[1]]
    for begin, end in split:
        assert not any(begin < cut < end for span in spans for cut in span)
    assert all(left[1] <= right[0] for left, right in pairwise(split))
    # No annotation is without tokens, unless it is blank.
    for begin, end in spans:
        assert not text[begin:end].strip() or any(left < end and begin < right for left, right in split)
    # Nothing is lost: what was in a token still is.
    before = {place for begin, end in places for place in range(begin, end) if not text[place].isspace()}
    after = {place for begin, end in split for place in range(begin, end)}
    assert before <= after
    if all(any(left < end and begin < right for left, right in places) for begin, end in spans):
        assert split == slow_split(text, places, {cut for span in spans for cut in span})
        assert mismatches == sorted(
            {
                Mismatch(token, span)
                for token in places
                for span in spans
                if any(token[0] < cut < token[1] for cut in span)
            }
        )


@given(TEXTS, st.sampled_from(["", "-", "/-\\", "a."]))
@examples(max_examples=100)
def test_separators_are_in_no_token_and_all_else_is(text, separators):
    places = tokenize(text)
    split = split_at_separators(text, places, separators)
    kept = {p for b, e in places for p in range(b, e) if text[p] not in separators and not text[p].isspace()}
    inside = {p for b, e in split for p in range(b, e)}
    assert kept <= inside
    assert not any(text[p] in separators for p in inside)


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(2, 4), (6, 8)], ["ab", "cd", "ef", "gh", "ij"]),  # both, not only the first
        ([(0, 4)], ["abcd", "efghij"]),  # it ends inside
        ([(4, 10)], ["abcd", "efghij"]),
        ([(2, 8), (4, 6)], ["ab", "cd", "ef", "gh", "ij"]),  # one in the other
        ([(3, 3)], ["abcdefghij"]),  # empty
        ([], ["abcdefghij"]),
        ([(0, 10)], ["abcdefghij"]),
    ],
)
def test_a_token_is_cut_at_all_boundaries(spans, expected):
    text = "abcdefghij"
    split, _ = split_at_spans(text, [(0, 10)], spans)
    assert [text[b:e] for b, e in split] == expected


def test_a_nugget_of_separators_only_keeps_its_characters():
    text = "he -- left"
    split, mismatches = split_at_spans(text, split_at_separators(text, tokenize(text)), [(3, 5), (3, 4)])
    assert [text[b:e] for b, e in split] == ["he", "-", "-", "left"]
    assert mismatches == [Mismatch((3, 5), (3, 4))]


@given(TEXTS)
@examples(max_examples=50)
def test_utf16_units_are_those_of_the_encoding(text):
    units, data = utf16_offsets(text), text.encode("utf-16-le")
    for begin, end in [*tokenize(text), (0, len(text))]:
        assert data[2 * units[begin] : 2 * units[end]].decode("utf-16-le") == text[begin:end]
