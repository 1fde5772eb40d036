"""The baseline: one hopper for each event type."""

from hypothesis import given

from adjudge.model.eal import Argument, Arguments, Frame, Linking
from adjudge.tasks.eal.filters import baseline_link
from eal_responses import documents, linked, response


def test_same_type_same_hopper_in_the_order_of_appearance() -> None:
    attack, die = response(type="Conflict.Attack"), response(type="Life.Die", realis="Other")
    more, generic = response("Ann", type="Conflict.Attack"), response(type="Life.Die", realis="Generic")
    arguments = Arguments(
        "d", [Argument(generic), Argument(die), Argument(attack), Argument(more), Argument(more, 0.5)]
    )
    assert baseline_link(arguments) == Linking("d", [Frame(frozenset((die,))), Frame(frozenset((attack, more)))])
    assert baseline_link(Arguments("d")) == Linking("d", [])


@given(documents())
def test_all_but_generic_ones_are_linked_once(document: tuple) -> None:
    arguments, _ = document
    linking = baseline_link(arguments)
    assert linked(linking) == {each.response for each in arguments.arguments if each.response.realis != "Generic"}
    types = [{each.type for each in frame.responses} for frame in linking.frames]
    assert all(len(each) == 1 for each in types)
    assert len({each for group in types for each in group}) == len(types)
    assert not linking.incomplete
