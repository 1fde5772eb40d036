"""Who competes with whom, who wins, and what follows for the linking."""

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.formats.eal_fields import id_2014
from adjudge.model.eal import Argument, Assessment, Frame, Linking
from adjudge.tasks.eal.responses import best, change_linking, distinct, is_good, is_perfect
from eal_responses import cases, documents, linked, response


def test_best_of_one_response_on_several_lines_does_not_depend_on_their_order() -> None:
    lines = [Argument(response(), 0.5, "7", "why", 3), Argument(response(), 0.5, "7", None, 9)]
    assert best(lines) == best(lines[::-1]) == lines[1]
    assert best([lines[0], lines[1]._replace(comment="")]).comment == ""


@settings(max_examples=25)
@given(documents())
def test_best_is_the_maximum_and_distinct_has_all(given_document: tuple) -> None:
    arguments = given_document[0].arguments
    found = distinct(arguments)
    assert list(found) == list(dict.fromkeys(each.response for each in arguments))
    for key, winner in found.items():
        assert winner.confidence == max(each.confidence for each in arguments if each.response == key)
    if arguments:
        winner = best(arguments)
        ranking = sorted(arguments, key=lambda each: (each.confidence, id_2014(each.response)))
        assert winner.response == ranking[-1].response


def test_good_and_perfect() -> None:
    right = Assessment("C", "C", "C", "C", "Actual", "NAME")
    assert is_good(response(), right)
    assert is_perfect(response(), right)
    for field in ("event_type", "role", "cas", "base_filler"):
        inexact, wrong, none = (right._replace(**{field: value}) for value in ("I", "W", None))
        assert is_good(response(), inexact)
        assert not is_perfect(response(), inexact)
        assert not is_good(response(), wrong)
        assert not is_good(response(), none)
    assert not is_good(response(realis="Other"), right)
    assert not is_perfect(response(), right._replace(realis=None))


def test_the_case_of_responses_mapped_on_a_linking() -> None:
    case = cases()["response_mapping_on_linking"]
    of = {name: response(name) for name in "abcdefg"}

    def members(names: list[str]) -> frozenset:
        return frozenset(of[name] for name in names)

    linking = Linking("d", [Frame(members(names)) for names in case["frames"]], members(case["incomplete"]))
    replace = {of[old]: of[new] for old, new in case["replace"].items()}
    after = change_linking(linking, replace=replace, delete=members(case["delete"]))
    assert [frame.responses for frame in after.frames] == [members(names) for names in case["frames_after"]]
    assert after.incomplete == members(case["incomplete_after"])


def test_names_of_hoppers_that_become_equal_or_new() -> None:
    a, b, c = (response(name) for name in "abc")
    linking = Linking("d", [Frame(frozenset((a, b)), "z"), Frame(frozenset((a,)), "m"), Frame(frozenset((c,)), None)])
    after = change_linking(linking, delete=[b], add=[b])
    assert after.frames == [Frame(frozenset((a,)), "m"), Frame(frozenset((c,))), Frame(frozenset((b,)))]
    assert change_linking(after, add=[b, a]) == after


@settings(max_examples=25)
@given(documents(whole=False), st.data())
def test_who_is_deleted_is_nowhere_and_nobody_else_is_lost(document: tuple, data: st.DataObject) -> None:
    linking = document[1] or Linking("d")
    members = sorted(linked(linking))
    delete = data.draw(st.sets(st.sampled_from(members))) if members else set()
    after = change_linking(linking, delete=delete)
    assert linked(after) == set(members) - delete
    assert all(frame.responses for frame in after.frames)
    assert len({frame.responses for frame in after.frames}) == len(after.frames)
