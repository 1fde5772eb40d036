"""Realis and coreference taken out of the comparison."""

from collections import Counter

import pytest
from hypothesis import given, settings

from adjudge.errors import UsageError
from adjudge.formats.eal_fields import id_2014
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Frame, Linking, Response
from adjudge.tasks.eal.views import hash_order, neutralize_coref, neutralize_realis, neutralize_realis_key
from eal_responses import documents, linked, response

RIGHT = Assessment("C", "C", "C", "C", "Actual", "NAME")
WRONG_CAS = RIGHT._replace(cas="W")


def actual(one: Response) -> Response:
    return one._replace(realis="Actual")


def test_realis() -> None:
    other, same = Argument(response(realis="Other"), 0.9), Argument(response(), 0.5)
    generic, alone = Argument(response("Ann", realis="Generic"), 0.3), Argument(response("Joe", realis="Other"))
    arguments = Arguments("d", [same, other, generic, alone])
    linking = Linking("d", [Frame(frozenset((same.response,))), Frame(frozenset((other.response,)))])
    outcome = neutralize_realis(arguments, linking)
    assert [each.confidence for each in outcome.arguments.arguments] == [0.9, 0.3, 1.0]
    assert {each.response.realis for each in outcome.arguments.arguments} == {"Actual"}
    assert [(each.argument, each.reason) for each in outcome.removed] == [(same, "merged")]
    assert [each.reason for each in outcome.changed] == ["realis-was-other", "realis-was-generic", "realis-was-other"]
    # The two frames have become one; of those outside, only the generic one could not have been linked.
    frames = [frozenset((same.response,)), frozenset((actual(generic.response),))]
    assert outcome.linking == Linking("d", [Frame(frame) for frame in frames])
    unlinked = neutralize_realis(arguments, linking, generics="unlinked")
    assert unlinked.linking == Linking("d", [Frame(frames[0])])
    assert unlinked.arguments == outcome.arguments


@settings(max_examples=25)
@given(documents())
def test_realis_keeps_every_statement(document: tuple) -> None:
    arguments, linking = document
    outcome = neutralize_realis(arguments, linking)
    after = {each.response for each in outcome.arguments.arguments}
    assert after == {actual(each.response) for each in arguments.arguments}
    before = Counter(each.before for each in outcome.changed) + Counter(each.argument for each in outcome.removed)
    before += Counter(each for each in outcome.arguments.arguments if each in arguments.arguments)
    assert set(before) == set(arguments.arguments)
    assert linked(outcome.linking) == (after if linking is not None else set())
    for each in outcome.arguments.arguments:
        same = [one.confidence for one in arguments.arguments if actual(one.response) == each.response]
        assert max(same) >= each.confidence
    again = neutralize_realis(outcome.arguments, outcome.linking)
    assert (again.arguments, again.linking, again.changed) == (outcome.arguments, outcome.linking, ())


def test_the_last_that_was_not_actual_gives_the_assessment() -> None:
    was_actual, was_other, was_generic = (response(realis=each) for each in ("Actual", "Other", "Generic"))
    key = AnswerKey(
        "d",
        {
            was_other: Assessment("C", "C", "C", "I", "Other"),
            was_actual: RIGHT,
            was_generic: Assessment("C", "W"),
            response("Ann", realis="Other"): RIGHT,
        },
        [response("Ann"), response("Joe", realis="Generic"), response("Joe")],
        {was_actual.cas: 3},
    )
    neutral = neutralize_realis_key(key)
    assert neutral.assessed == {was_actual: Assessment("C", "W"), response("Ann"): RIGHT}
    assert neutral.unassessed == [response("Joe")]
    assert neutral.coref == key.coref
    swapped = dict(reversed(key.assessed.items()))
    last = neutralize_realis_key(AnswerKey("d", swapped)).assessed[was_actual]
    assert last == Assessment("C", "C", "C", "I", "Actual")


def test_the_order_of_a_hash_table() -> None:
    many = [response(filler=(number, number + 2)) for number in range(12)]
    ordered = hash_order(many, 12)  # 12 / 0.75 + 1 = 17 needs 32 buckets

    def bucket(one: Response) -> int:
        number = id_2014(one) % 2**32
        return (number ^ number // 2**16) % 32

    assert ordered == sorted(many, key=bucket)
    assert hash_order([], 0) == []
    key = AnswerKey("d", {each._replace(realis="Other"): RIGHT for each in many})
    assert list(neutralize_realis_key(key, order="hash").assessed) == ordered


def test_coref_takes_the_correct_string() -> None:
    wrong = Argument(response("he", at=(30, 31), filler=(30, 31)), 0.9, "5")
    same_filler = [response(name, at=at, filler=(30, 31)) for name, at in (("Bob", (4, 6)), ("Robert", (0, 5)))]
    same_role = response("Ann", at=(1, 3), filler=(1, 3))
    key = AnswerKey("d", {wrong.response: WRONG_CAS, same_role: RIGHT, **dict.fromkeys(same_filler, RIGHT)})
    arguments, linking = Arguments("d", [wrong]), Linking("d", [Frame(frozenset((wrong.response,)), "x")])
    outcome = neutralize_coref(arguments, linking, key)
    assert outcome.arguments.arguments == [Argument(same_filler[1], 0.9)]
    assert outcome.linking == Linking("d", [Frame(frozenset((same_filler[1],)), "x")])
    assert [(each.before, each.reason) for each in outcome.changed] == [(wrong, "correct-cas-for-base-filler")]
    (first,) = neutralize_coref(arguments, linking, key, first="key").arguments.arguments
    assert first.response == same_filler[0]
    fewer = AnswerKey("d", {wrong.response: WRONG_CAS, same_role: RIGHT})
    outcome = neutralize_coref(arguments, linking, fewer)
    assert [(each.after.response, each.reason) for each in outcome.changed] == [(same_role, "correct-cas-for-role")]
    none = neutralize_coref(arguments, linking, AnswerKey("d", {wrong.response: WRONG_CAS}))
    assert [(each.argument, each.reason) for each in none.removed] == [(wrong, "no-correct-cas")]
    assert none.linking == Linking("d", [])


def test_coref_leaves_other_mistakes_alone_and_merges() -> None:
    right, wrong = Argument(response(), 0.2), Argument(response("he", at=(30, 31)), 0.9)
    bad_filler = Argument(response("she", at=(40, 42), filler=(40, 42)))
    unknown = Argument(response("it", at=(50, 51)))
    key = AnswerKey(
        "d",
        {right.response: RIGHT, wrong.response: WRONG_CAS, bad_filler.response: WRONG_CAS._replace(base_filler="W")},
    )
    linking = Linking("d", [Frame(frozenset((wrong.response, bad_filler.response)))])
    outcome = neutralize_coref(Arguments("d", [right, wrong, bad_filler, unknown]), linking, key)
    assert outcome.arguments.arguments == [right._replace(confidence=0.9), bad_filler, unknown]
    assert [(each.argument, each.reason) for each in outcome.removed] == [(right, "merged")]
    assert [(each.argument, each.reason) for each in outcome.remarks] == [(unknown, "unassessed")]
    assert outcome.linking == Linking("d", [Frame(frozenset((right.response, bad_filler.response)))])


def test_coref_needs_neutral_realis() -> None:
    neutral, other = Arguments("d", [Argument(response())]), Arguments("d", [Argument(response(realis="Other"))])
    keys = [
        AnswerKey("d", {response(): RIGHT._replace(realis="Other")}),
        AnswerKey("d", {other.arguments[0][0]: RIGHT}),
    ]
    for arguments, key in ((other, AnswerKey("d")), *((neutral, key) for key in keys)):
        with pytest.raises(UsageError, match="neutralise realis as well"):
            neutralize_coref(arguments, None, key)
