"""The most confident responses, with a place for every hopper."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.formats.eal_fields import id_2014
from adjudge.model.eal import Argument, Arguments, Frame, Linking
from adjudge.tasks.eal.apply import cutoff, keep_until, top
from adjudge.tasks.eal.responses import best, distinct
from eal_responses import documents, linked, response

A, B, C, D = (response(name) for name in ("a", "b", "c", "d"))
GENERIC = response(realis="Generic")


def names(arguments: Arguments) -> list[str]:
    return [argument.response.cas.text for argument in arguments.arguments]


def test_reasons_and_linking() -> None:
    arguments = Arguments("d", [Argument(A, 0.9), Argument(A, 0.5), Argument(B, 0.8)])
    outcome = top(arguments, Linking("d", [Frame(frozenset((A, B)), "x"), Frame(frozenset((A,)), "y")]), 1)
    assert [each.reason for each in outcome.removed] == ["repeated", "not-among-the-top"]
    assert outcome.linking == Linking("d", [Frame(frozenset((A,)), "x")])


@settings(max_examples=25)
@given(documents(whole=False), st.integers(1, 8))
def test_against_the_definition(document: tuple, count: int) -> None:
    arguments, linking = document
    lines = distinct(arguments.arguments)
    heads = {best([lines[r] for r in frame.responses]).response for frame in linking.frames} if linking else set()
    order = sorted(lines, key=lambda r: (r not in heads, -lines[r].confidence, -id_2014(r)))
    outcome = top(arguments, linking, count)
    assert {each.response for each in outcome.arguments.arguments} == set(order[:count])
    removed = [each.argument for each in outcome.removed]
    assert Counter(outcome.arguments.arguments) + Counter(removed) == Counter(arguments.arguments)
    assert linked(outcome.linking) == linked(linking) & set(order[:count])
    again = top(outcome.arguments, outcome.linking, count)
    assert (again.arguments, again.removed) == (outcome.arguments, ())


@settings(max_examples=25)
@given(documents(document="d"), documents(document="e"), st.integers(1, 12))
def test_over_a_whole_submission(one: tuple, other: tuple, count: int) -> None:
    last = cutoff([one, other], count)
    kept = [keep_until(*document, last).arguments.arguments for document in (one, other)]
    distinct_count = len({each.response for document in (one, other) for each in document[0].arguments})
    assert sum(map(len, kept)) == min(count, distinct_count)
    assert cutoff([other, one], count) == last
