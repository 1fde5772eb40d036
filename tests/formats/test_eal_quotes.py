"""Quote filter files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import ValidationError
from adjudge.formats.eal_sources import parse_quotes, write_quotes
from adjudge.model.eal import Span
from eal_files import SPANS

NAMES = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=5).filter(lambda name: name.split())


@given(st.dictionaries(NAMES, st.lists(SPANS, max_size=3).map(tuple), max_size=4))
def test_what_is_written_comes_back(quotes):
    data = write_quotes(quotes)
    assert parse_quotes(data, "q") == (quotes, [])
    assert write_quotes(parse_quotes(data, "q")[0]) == data


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "q:"),
        ("x\nD\n\n", "q:1:1:"),
        ("2\nD\n4-60\n", "q:1:1:"),
        ("1\nD\n4-60 7\n", "q:3:6:"),
        ("1\nD\n60-4\n", "q:3:1:"),
        ("1\nD E\n4-60\n", "q:2:1:"),
        ("1\n\n4-60\n", "q:2:1:"),
        ("2\nD\n1-2\nD\n3-4\n", "q:4:1:"),
    ],
)
def test_mistakes(text, place):
    _, problems = parse_quotes(text.encode(), "q")
    assert [str(problem)[: len(place)] for problem in problems] == [place]


def test_what_can_be_read_is_read():
    quotes, problems = parse_quotes(b"3\r\nA\r\n\r\nB\r\n1-2 x 5-6\r\nC\r\n7-8", "q")
    assert quotes == {"A": (), "B": (Span(1, 2), Span(5, 6)), "C": (Span(7, 8),)}
    assert len(problems) == 1


def test_a_last_document_without_quotations():
    assert parse_quotes(b"1\nA\n\n", "q") == parse_quotes(b"1\nA\n", "q") == parse_quotes(b"1\nA", "q")


def test_blanks_in_ids():
    with pytest.raises(ValidationError):
        write_quotes({"a b": ()})
