"""Quotations in source documents, and responses in quotations."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError
from adjudge.model.eal import Argument, Arguments, Response, Span
from adjudge.tasks.eal.texts import filter_quotes, find_quotes, quote_regions
from eal_responses import SPANS, cases, documents, linked, response


def test_the_cases_of_the_official_program() -> None:
    for row in cases()["quote_regions"]["rows"]:
        if row.get("error"):
            with pytest.raises(FormatError):
                quote_regions(row["text"], exact=True)
        else:
            assert [list(region) for region in quote_regions(row["text"], exact=True)] == row["regions"], row["text"]


def test_capitals_and_what_is_never_closed() -> None:
    assert quote_regions("a <QUOTE>b</Quote> c") == (Span(2, 17),)
    assert quote_regions('a <quote\torig="x">b</quote >') == (Span(2, 27),)
    assert quote_regions("a <quote>b</quote> <quote>c <quote>d</quote> e") == (Span(2, 17), Span(19, 45))
    assert quote_regions("<quoted>a</quoted> <quote/>b</quote>") == ()


def test_an_unclosed_quotation_is_shown_with_its_place() -> None:
    regions, problems = find_quotes("a\nb <quote>c <quote>d</quote>\n <quote x>", path="d.txt")
    assert regions == (Span(4, 39),)
    assert [str(problem) for problem in problems] == [
        f"d.txt:{place}: the quotation that begins here is never closed and reaches to the end of the document, "
        "add </quote> where the quotation ends"
        for place in ("2:3", "3:2")
    ]


PIECES = st.sampled_from(("<quote>", "<quote a=1>", "</quote>", "<quoted>", "<", "x", "\n"))


@settings(max_examples=25)
@given(st.lists(PIECES, max_size=30))
def test_regions_against_counting(pieces: list[str]) -> None:
    depth, at, start, expected = 0, 0, 0, []
    for piece in pieces:
        if piece in ("<quote>", "<quote a=1>"):
            start = at if depth == 0 else start
            depth += 1
        elif piece == "</quote>" and depth:
            depth -= 1
            if depth == 0:
                expected.append(Span(start, at + len(piece) - 1))
        at += len(piece)
    text = "".join(pieces)
    if depth:
        expected.append(Span(start, at - 1))
        with pytest.raises(FormatError):
            quote_regions(text, exact=True)
    assert list(quote_regions(text)) == expected


def test_ends_in_a_quotation_decide() -> None:
    region = Span(10, 20)
    reasons = {
        ((0, 2), (0, 2)): None,
        ((0, 10), (0, 2)): "quoted-base-filler",
        ((20, 30), (0, 2)): "quoted-base-filler",
        ((0, 2), (12, 14)): "quoted-cas",
        ((12, 13), (9, 10)): "quoted-base-filler-and-cas",
        ((0, 9), (21, 22)): None,
    }
    arguments = [Argument(response(filler=filler, at=at)) for filler, at in reasons]
    outcome = filter_quotes(Arguments("d", arguments), None, [region])
    assert [each.reason for each in outcome.removed] == [reason for reason in reasons.values() if reason]
    assert outcome.arguments.arguments == [arguments[0], arguments[-1]]
    assert outcome.remarks == []


def test_a_span_around_a_quotation_stays_and_is_remarked_upon() -> None:
    around = Argument(response(at=(5, 30)))
    outcome = filter_quotes(Arguments("d", [around]), None, [Span(40, 50), Span(10, 20)])
    assert outcome.arguments.arguments == [around]
    (remark,) = outcome.remarks
    assert (remark.argument, remark.reason) == (around, "encloses-quotation-cas")
    assert remark.message == "the cas 5-30 encloses the quotation 10-20"


def naive(one: Response, regions: list[Span]) -> bool:
    spans = (one.base_filler, one.cas.span)
    ends = [end for span in spans for end in span]
    return any(region.start <= end <= region.end for end in ends for region in regions)


@settings(max_examples=25)
@given(documents(whole=False), st.lists(SPANS, max_size=4))
def test_filter_against_the_definition(document: tuple, regions: list[Span]) -> None:
    arguments, linking = document
    outcome = filter_quotes(arguments, linking, regions)
    expected = [each for each in arguments.arguments if not naive(each.response, regions)]
    assert list(outcome.arguments.arguments) == expected
    assert [each.argument for each in outcome.removed] == [e for e in arguments.arguments if e not in expected]
    assert linked(outcome.linking) == {r for r in linked(linking) if not naive(r, regions)}
    again = filter_quotes(outcome.arguments, outcome.linking, regions)
    assert (again.arguments, again.linking, again.removed) == (outcome.arguments, outcome.linking, ())
