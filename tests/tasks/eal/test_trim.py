"""Redundant responses: the official cases, the definition, and what must always hold."""

from collections import Counter, defaultdict
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import ValidationError
from adjudge.model.eal import Argument, Arguments, Frame, Linking, Response, Span
from adjudge.tasks.eal.responses import best, class_of, grouped, keep_best, trim
from eal_responses import cases, documents, from_case, linked, response


def test_the_case_of_frames() -> None:
    case = cases()["keep_best"]["case_frames"]
    of = {name: from_case(fields) for name, fields in case["responses"].items()}
    frames = [Frame(frozenset(of[name].response for name in names)) for names in case["frames"]]
    outcome = trim(Arguments("doc", list(of.values())), Linking("doc", frames))
    assert set(outcome.arguments.arguments) == {of[name] for name in case["kept"]}
    reasons = {name: each.reason for each in outcome.removed for name in of if of[name] is each.argument}
    assert reasons.pop("same_as_best_lower_conf") == "repeated"
    assert reasons == {name: "redundant" for name in of if name not in case["kept"] and name in reasons}
    assert len(outcome.removed) + len(case["kept"]) == len(of)
    assert outcome.linking is not None
    kept = {of[name].response for name in case["kept"]}
    assert [frame.responses for frame in outcome.linking.frames] == [frame.responses & kept for frame in frames]


def test_the_example_of_the_task_description() -> None:
    case = cases()["keep_best"]["appendix_example"]
    spans = {"s6": (10, 23), "s7": (110, 123), "s8": (210, 218)}
    of = {
        name: Argument(
            response(
                "Jones Chinyama",
                type="Justice.Trial-Hearing",
                role="Adjudicator",
                at=spans[fields["cas_at"]],
                filler=spans[fields["bf"]],
            ),
            fields["conf"],
        )
        for name, fields in case["responses"].items()
    }
    everything = Arguments("d", list(of.values()))
    one_hopper = Linking("d", [Frame(frozenset(argument.response for argument in of.values()))])
    for linking in (None, one_hopper):
        outcome = trim(everything, linking)
        assert list(outcome.arguments.arguments) == [of[name] for name in case["sent_to_assessment"]]
        assert [(each.argument, each.instead) for each in outcome.removed] == [
            (of["R2"], of["R1"]),
            (of["R4"], of["R1"]),
            (of["R5"], of["R3"]),
        ]
        coref = {argument.response.cas: 1 for argument in of.values()}
        scored = keep_best(outcome.arguments, outcome.linking, groups=grouped(partial(class_of, coref=coref)))
        assert list(scored.arguments.arguments) == [of[name] for name in case["scored_after_coref"]]
        assert [each.reason for each in scored.removed] == ["coreferent"]


def test_a_response_in_no_hopper() -> None:
    alone, generic = Argument(response(), id="17"), Argument(response(realis="Generic"))
    in_hopper = Argument(response("Ann"))
    arguments = Arguments("d", [alone, generic, in_hopper])
    linking = Linking("d", [Frame(frozenset((in_hopper.response,)))])
    with pytest.raises(ValidationError, match="the response 17 of d is Actual but in no hopper"):
        trim(arguments, linking)
    dropped = trim(arguments, linking, unlinked="drop")
    assert [(each.argument, each.reason) for each in dropped.removed] == [(alone, "unlinked")]
    assert dropped.linking == linking
    kept = trim(arguments, linking, unlinked="singleton")
    assert kept.arguments == arguments
    assert kept.linking == Linking("d", [*linking.frames, Frame(frozenset((alone.response,)))])
    incomplete = Linking("d", linking.frames, frozenset((alone.response,)))
    assert trim(arguments, incomplete, unlinked="singleton").linking == kept.linking
    assert trim(arguments, incomplete, unlinked="drop").linking == linking


def test_the_example_of_nested_strings() -> None:
    smith = Argument(response("Smith", type="Life.Marry", role="Person", at=(4, 8)), 0.9)
    sue = Argument(response("Sue", type="Life.Marry", role="Person", at=(0, 2)), 0.5)
    both = Argument(response("Sue Smith", type="Life.Marry", role="Person", at=(0, 8)), 0.7)
    arguments = Arguments("d", [smith, sue, both])
    assert trim(arguments, None).removed == ()
    outcome = trim(arguments, None, nested=True)
    assert list(outcome.arguments.arguments) == [smith]
    assert [(each.argument, each.reason, each.instead) for each in outcome.removed] == [
        (sue, "nested", smith),
        (both, "nested", smith),
    ]
    elsewhere = Argument(sue.response._replace(role="Place"), 0.1)
    assert elsewhere in trim(Arguments("d", [smith, elsewhere]), None, nested=True).arguments.arguments
    apart = Linking("d", [Frame(frozenset((smith.response,))), Frame(frozenset((sue.response, both.response)))])
    assert list(trim(arguments, apart, nested=True).arguments.arguments) == [smith, both]


def naive_groups(members: list[Argument], *, nested: bool) -> list[list[Argument]]:
    """Pairs that compete, closed step by step."""

    def compete(one: Response, other: Response) -> bool:
        if not nested:
            return class_of(one, {}) == class_of(other, {})
        a, b = one.cas.span, other.cas.span
        inside = (a.start <= b.start and b.end <= a.end) or (b.start <= a.start and a.end <= b.end)
        return (one.type, one.role, one.realis) == (other.type, other.role, other.realis) and inside

    label = list(range(len(members)))
    for i, one in enumerate(members):
        for j, other in enumerate(members):
            if compete(one.response, other.response):
                label = [label[i] if each == label[j] else each for each in label]
    groups = defaultdict(list)
    for name, member in zip(label, members, strict=True):
        groups[name].append(member)
    return list(groups.values())


@settings(max_examples=25)
@given(documents(), st.booleans())
def test_against_the_definition(document: tuple, nested: bool) -> None:
    arguments, linking = document
    lines: dict[Response, Argument] = {}
    for each in arguments.arguments:
        lines[each.response] = best([each, lines.get(each.response, each)])
    hoppers = [lines] if linking is None else [frame.responses for frame in linking.frames]
    hoppers.append({r: None for r in lines if r.realis == "Generic"})
    expected = set()
    for hopper in hoppers:
        for group in naive_groups([lines[each] for each in hopper], nested=nested):
            expected.add(best(group))
    outcome = trim(arguments, linking, nested=nested)
    assert set(outcome.arguments.arguments) == expected
    assert len(outcome.arguments.arguments) == len(expected)


@settings(max_examples=25)
@given(documents(whole=False), st.booleans(), st.sampled_from(["drop", "singleton"]))
def test_what_always_holds(document: tuple, nested: bool, unlinked: str) -> None:
    arguments, linking = document
    outcome = trim(arguments, linking, nested=nested, unlinked=unlinked)
    kept = outcome.arguments.arguments
    removed = [each.argument for each in outcome.removed]
    assert Counter(kept) + Counter(removed) == Counter(arguments.arguments)
    assert linked(outcome.linking) <= {each.response for each in kept}
    assert linked(outcome.linking) >= linked(linking) & {each.response for each in kept}
    for each in outcome.removed:
        assert each.instead is None or each.instead.confidence >= each.argument.confidence
    again = trim(outcome.arguments, outcome.linking, nested=nested)
    assert (again.arguments, again.linking, again.removed) == (outcome.arguments, outcome.linking, ())


def test_many_nested_spans_take_no_quadratic_time() -> None:
    many = [Argument(response(at=(i, 40_000 - i)), 0.5) for i in range(10_000)]
    many.append(Argument(response(at=(50_000, 50_001)), 0.1))
    outcome = trim(Arguments("d", many), None, nested=True)
    assert len(outcome.arguments.arguments) == 2
    assert outcome.arguments.arguments[1].response.cas.span == Span(50_000, 50_001)
