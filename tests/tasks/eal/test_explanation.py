"""Alignments: every response has an outcome and a reason, and they agree with the counts."""

from pathlib import Path

import pytest

from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Cas, Frame, Linking, Response, Span
from adjudge.stats.alignment import Pair, Single, compare_groups
from adjudge.tasks.eal.align import align_responses
from adjudge.tasks.eal.compare import compare, prepare
from adjudge.tasks.eal.settings import Settings, decide
from adjudge.tasks.eal.settings import settings as choose
from adjudge.tasks.eal.task import explain
from eal_keys import counted

CORPUS = Path(__file__).parents[2] / "golden" / "eal" / "corpusA"
RIGHT = Assessment("C", "C", "C", "C", "Actual", "NAME")


def filler(text, role="Victim", at=0, realis="Actual", type_="Life.Die"):
    span = Span(at, at + len(text) - 1)
    return Response("d", type_, role, Cas(text, span), span, (Span(0, 99),), (), realis)


def linked(*groups):
    return Linking("d", [Frame(frozenset(group)) for group in groups])


def test_every_reason_has_its_place():
    answers = {
        "right": RIGHT,
        "type": Assessment("W"),
        "role": Assessment("C", "W"),
        "filler": RIGHT._replace(cas="W"),
        "realis": RIGHT._replace(realis="Other"),
        "base filler": RIGHT._replace(base_filler="W"),
        "two": RIGHT._replace(cas="W", realis="Generic"),
    }
    made = {name: filler(name, at=20 * n) for n, name in enumerate(answers)}
    again = made["right"]._replace(base_filler=Span(500, 501))
    hurt = filler("right", type_="Life.Injure")
    day, month = filler("2003-05-04", "Time", at=300), filler("2003-05-XX", "Time", at=320)
    new, lost, missed = filler("new", at=400), filler("lost", at=420), filler("missed", at=440)
    assessed = {made[name]: answer for name, answer in answers.items()}
    assessed |= dict.fromkeys((again, hurt, day, month, lost, missed), RIGHT)
    coref = {response.cas: n for n, response in enumerate((*assessed, new))}
    coref[hurt.cas] = coref[made["right"].cas]
    key = AnswerKey("d", assessed, (), coref)
    profile = decide("spec", {"unassessed": "false-positive", "unlinked": "drop"})
    chosen = Settings(profile)
    prepared = prepare(key, linked([made["right"], day], [missed]), chosen, regions=[Span(460, 480)])
    quoted = filler("quoted", at=461)
    system = [Argument(each, 0.5, f"id-{each.cas.text}") for each in (*made.values(), day, month, new, lost, quoted)]
    system += [Argument(again, 0.4, "id-again"), Argument(hurt, 0.5, "id-hurt")]
    own = linked([each.response for each in system if each.response not in (lost,)])
    found = align_responses(prepared, compare(Arguments("d", system), own, prepared, chosen), chosen)
    names = [item.value.get("id", item.id) for item in found.system]
    assert sorted(names) == sorted(each.id for each in system)
    (matching,) = found.matchings
    classes = [item.text for item in found.gold]
    assert [(classes[pair.gold], names[pair.system], pair.outcome) for pair in matching.pairs] == [
        ("right", "id-right", "correct"),
        ("2003-05-04", "id-2003-05-04", "correct"),
    ]
    assert {names[each.item]: each.why for each in matching.spurious} == {
        "id-type": "the event type is wrong",
        "id-role": "the role is wrong",
        "id-filler": "the filler is wrong",
        "id-realis": "the realis is Other, not Actual",
        "id-base filler": "the base filler is wrong",
        "id-two": "the filler is wrong; the realis is Generic, not Actual",
        "id-new": "nobody has assessed it, so it counts as wrong",
    }
    assert {names[each.item]: each.why for each in matching.ignored} == {
        "id-2003-05-XX": "a time that says less: 2003-05-04 is correct",
        "id-lost": "it is not generic and in no frame",
        "id-again": "redundant, id-right stands for its class",
        "id-quoted": "the base filler and the CAS are in a quotation",
        "id-hurt": "covered by a correct Life.Die",
    }
    assert {classes[each.item]: (each.why, each.near and names[each.near]) for each in matching.missed} == {
        "missed": ("no response", None),
        "lost": ("its only responses do not count", "id-lost"),
    }
    assert [group.change for group in compare_groups(found, matching)] == ["changed", "missed"]
    first = found.system[0]
    assert (first.label, first.text, first.place[0], first.roles[:2]) == (
        *("Life.Die Victim", "right", (0, 5)),
        ("filler", "base filler"),
    )


def test_a_wrong_representative_is_paired_with_the_class_it_loses():
    good, bad = filler("Bob"), filler("Bob")._replace(base_filler=Span(50, 51))
    key = AnswerKey("d", {good: RIGHT, bad: RIGHT._replace(base_filler="W")}, (), {good.cas: 1})
    chosen = Settings(linking=False)
    prepared = prepare(key, None, chosen)
    system = Arguments("d", [Argument(good, 0.1, "good"), Argument(bad, 0.9, "bad")])
    (matching,) = align_responses(prepared, compare(system, None, prepared, chosen), chosen).matchings
    assert matching.pairs == (Pair(0, 1, "wrong", 0.0, "the base filler is wrong"),)
    assert matching.ignored == (Single(0, "redundant, bad stands for its class"),)
    assert not matching.missed


@pytest.mark.parametrize("options", [{}, {"neutralize": "realis"}, {"neutralize": "coref"}, {"taxonomy": "collapsed"}])
def test_alignments_agree_with_the_counts(options):
    systems = {name: CORPUS / "systems" / name for name in ("S0", "S1")}
    evaluation = counted(CORPUS / "key", CORPUS / "ref", systems, choose("bbn-2015", **options), align=True)
    assert len(evaluation.ids) == 12
    for own in evaluation.systems.values():
        for found in own.alignments:
            (matching,) = found.matchings
            outcomes = [pair.outcome for pair in matching.pairs]
            assert outcomes.count("correct") == matching.numbers["tp"]
            assert outcomes.count("wrong") + len(matching.spurious) == matching.numbers["fp"]
            assert outcomes.count("wrong") + len(matching.missed) == matching.numbers["fn"]
            told = (
                *(pair.system for pair in matching.pairs),
                *(s.item for s in (*matching.spurious, *matching.ignored)),
            )
            assert sorted(told) == list(range(len(found.system)))


def test_one_document_of_several_systems():
    systems = {name: CORPUS / "systems" / name for name in ("S0", "S1")}
    found = explain(CORPUS / "key", CORPUS / "ref", systems, "C02", choose("bbn-2015"))
    assert list(found) == ["S0", "S1"]
    assert found["S0"].document == "DOC02"
    assert "a time that says less" in str(found["S0"])
    assert "links    13 lost" in str(found["S0"])
