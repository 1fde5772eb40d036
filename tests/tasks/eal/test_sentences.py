"""Sentences found in a text, and justifications widened to sentences."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import ValidationError
from adjudge.model.eal import Argument, Arguments, Frame, Linking, Span
from adjudge.tasks.eal.texts import expand_justifications, sentences
from eal_responses import documents, linked, response


def split(text: str) -> list[str]:
    return [text[start : end + 1] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n ", []),
        ("One. Two! Three? Four… Five", ["One.", "Two!", "Three?", "Four…", "Five"]),
        ("One line\nand the next. Two", ["One line\nand the next.", "Two"]),
        ("One\n \r\n\nTwo", ["One", "Two"]),
        ("<HEADLINE>\nNews\n</HEADLINE>\n<P>Text</P>", ["News", "Text"]),
        ("a <b>bold</b> move. <IMG src='x.y'> Yes", ["a <b>bold</b> move.", "<IMG src='x.y'> Yes"]),
        ('<post author="A. B. C">Hi <quote orig="x">No. Never</quote> yes', ["Hi", "No.", "Never", "yes"]),
        ("x <!-- A. B --> y <?p A. B?> z", ["x", "y", "z"]),
        ('He said: "Go! Now." She went.', ['He said: "Go!', 'Now."', "She went."]),
        ("(So it was.) He left.", ["(So it was.)", "He left."]),
        ('"No!" he said. “Why?” She left.', ['"No!" he said.', "“Why?”", "She left."]),
        ("Dr. J. Smith of the U.S. Army e.g. Bo", ["Dr. J. Smith of the U.S. Army e.g. Bo"]),
        ("It was so in Sept. 2004. Then not.", ["It was so in Sept. 2004.", "Then not."]),
        ("Pay 3.50 at www.a.b now. OK", ["Pay 3.50 at www.a.b now.", "OK"]),
        ("Wait ... what? Yes?! Now", ["Wait ... what?", "Yes?!", "Now"]),
        ("他走了。她来了！“真的？”是", ["他走了。", "她来了！", "“真的？”", "是"]),
        ("a < bo. Cy > di. E", ["a < bo.", "Cy > di.", "E"]),
        ("See <a title='One. Two! '>Bo</a>. Yes", ["See <a title='One. Two! '>Bo</a>.", "Yes"]),
    ],
)
def test_splitter(text: str, expected: list[str]) -> None:
    assert split(text) == expected


PIECES = st.sampled_from(("<P>", "</P>", "<a>", "Mr.", "word", "Word", ". ", "! ", '"', "\n", "\n\n", " ", "。", "<"))


@settings(max_examples=25)
@given(st.lists(PIECES, max_size=40))
def test_sentences_cover_what_is_visible_outside_tags(pieces: list[str]) -> None:
    text = "".join(pieces)
    spans = sentences(text)
    assert list(spans) == sorted(spans)
    covered = set()
    for start, end in spans:
        assert start <= end
        assert not text[start].isspace()
        assert not text[end].isspace()
        assert covered.isdisjoint(range(start, end + 1))
        covered |= set(range(start, end + 1))
        inside = text[start : end + 1]
        assert "<P>" not in inside
        assert "\n\n" not in inside
    plain = text.replace("</P>", "    ").replace("<P>", "   ")
    assert all(plain[at].isspace() for at in range(len(text)) if at not in covered)


SENTENCES = [Span(0, 19), Span(21, 40), Span(50, 60)]


@pytest.mark.parametrize(
    ("given_spans", "expected"),
    [
        (((3, 7),), ((0, 19),)),
        (((0, 19),), ((0, 19),)),
        (((3, 25),), ((0, 40),)),
        (((3, 7), (8, 12)), ((0, 19),)),
        (((20, 25),), ((20, 40),)),
        (((3, 45),), ((0, 45),)),
        (((42, 47),), ((42, 47),)),
        (((55, 70),), ((50, 70),)),
    ],
)
def test_widening(given_spans: tuple, expected: tuple) -> None:
    before = Argument(response(justifications=given_spans, additional=((3, 7),)), 0.5, "17")
    outcome = expand_justifications(Arguments("d", [before]), None, SENTENCES[::-1])
    (after,) = outcome.arguments.arguments
    assert after.response.justifications == expected
    assert after.response._replace(justifications=before.response.justifications) == before.response
    assert [each.reason for each in outcome.changed] == ["widened"] * (expected != given_spans)
    assert after.id == ("17" if expected == given_spans else "")


def test_responses_that_become_equal_are_merged() -> None:
    low, high = Argument(response(justifications=((3, 7),)), 0.5), Argument(response(justifications=((0, 19),)), 0.9)
    other = Argument(response("Ann"), 0.1)
    linking = Linking("d", [Frame(frozenset((low.response, other.response))), Frame(frozenset((high.response,)))])
    outcome = expand_justifications(Arguments("d", [low, other, high]), linking, SENTENCES)
    assert [argument.confidence for argument in outcome.arguments.arguments] == [0.1, 0.9]
    assert [(each.argument, each.reason) for each in outcome.removed] == [(low, "merged")]
    ann = outcome.arguments.arguments[0].response
    assert outcome.linking is not None
    assert [frame.responses for frame in outcome.linking.frames] == [{ann, high.response}, {high.response}]


def test_sentences_may_not_overlap() -> None:
    with pytest.raises(ValidationError, match="the sentences 0-9 and 9-12 of d overlap"):
        expand_justifications(Arguments("d"), None, [Span(9, 12), Span(0, 9)])


@settings(max_examples=25)
@given(documents(), st.sets(st.integers(0, 20), max_size=8))
def test_nothing_is_lost_and_twice_is_once(document: tuple, places: set[int]) -> None:
    ends = sorted(places)
    spans = [Span(a, b - 1) for a, b in pairwise(ends)][::2]
    arguments, linking = document
    outcome = expand_justifications(arguments, linking, spans)
    before = [each.before for each in outcome.changed] + [each.argument for each in outcome.removed]
    after = [each.after for each in outcome.changed]
    left = [each for each in outcome.arguments.arguments if each not in after]
    assert sorted(map(repr, (*before, *left))) == sorted(map(repr, arguments.arguments))
    assert linked(outcome.linking) <= {each.response for each in outcome.arguments.arguments}
    for each in outcome.changed:
        for span in each.before.response.justifications:
            assert any(wide.start <= span.start and span.end <= wide.end for wide in each.after.response.justifications)
    again = expand_justifications(outcome.arguments, outcome.linking, spans)
    assert (again.arguments, again.changed, again.removed) == (outcome.arguments, (), ())
