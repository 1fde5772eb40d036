"""Explanations: every response has an outcome and a reason, and they agree with the counts."""

import json
from pathlib import Path

import pytest

from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Cas, Frame, Linking, Response, Span
from adjudge.tasks.eal.compare import compare, prepare
from adjudge.tasks.eal.explanation import OUTCOMES, explain, explained
from adjudge.tasks.eal.settings import Settings, decide
from adjudge.tasks.eal.settings import settings as choose
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
    found = explained("S", "d", prepared, compare(Arguments("d", system), own, prepared, chosen), chosen)
    fates = {fate.id: fate for fate in found.responses}
    assert {fate.outcome for fate in found.responses} <= set(OUTCOMES)
    assert len(found.responses) == len(system)
    assert fates["id-right"].outcome == "correct"
    for name in ("type", "role", "filler", "realis", "base filler"):
        assert (fates[f"id-{name}"].outcome, fates[f"id-{name}"].reasons) == ("wrong", (name,))
    assert fates["id-two"].reasons == ("filler", "realis")
    assert fates["id-realis"].said == "the realis is Other"
    assert fates["id-new"].outcome == "unassessed"
    assert (fates["id-again"].outcome, fates["id-again"].instead) == ("redundant", 0)
    rules = {name: fate.rule for name, fate in fates.items() if fate.outcome == "removed"}
    assert rules == {
        "id-2003-05-XX": "less-specific-time",
        "id-lost": "unlinked",
        "id-quoted": "quoted-base-filler-and-cas",
        "id-hurt": "covered",
    }
    assert fates["id-hurt"].said == "a correct Life.Die covers it"
    assert fates["id-2003-05-XX"].said == "2003-05-04 says more and is correct"
    assert {each.why for each in found.missed} == {"no response"}
    assert {fillers for each in found.missed for fillers in each.fillers} == {"missed", "lost"}
    (link,) = found.common
    assert set(link) == {"Life.Die Victim 'right' Actual", "Life.Die Time '2003-05-04' Actual"}
    assert found.beside == ((0, 0), (1, None))
    json.dumps(found.to_data())


@pytest.mark.parametrize("options", [{}, {"neutralize": "realis"}, {"neutralize": "coref"}, {"taxonomy": "collapsed"}])
def test_explanations_agree_with_the_counts(options):
    chosen = choose("bbn-2015", **options)
    seen = []
    systems = {name: CORPUS / "systems" / name for name in ("S0", "S1")}
    evaluation = counted(CORPUS / "key", CORPUS / "ref", systems, chosen, whole=True)
    for system, document, (_, prepared, compared) in (
        (name, *each)
        for name, own in evaluation.systems.items()
        for each in zip(evaluation.ids, own.details, strict=True)
    ):
        found = explained(system, document, prepared, compared, chosen)
        outcomes = [fate.outcome for fate in found.responses]
        assert outcomes.count("correct") == found.scores["tp"]
        assert outcomes.count("wrong") == found.scores["fp"]
        assert len(found.missed) == found.scores["fn"]
        links = compared.observed.links
        assert (len(found.common), len(found.gained), len(found.lost)) == (
            links.common,
            links.system - links.common,
            links.gold - links.common,
        )
        seen.append(str(found))
    assert len(seen) == 24
    assert seen[0].startswith("DOC00  S0  tp ")


def test_one_document_of_several_systems():
    systems = {name: CORPUS / "systems" / name for name in ("S0", "S1")}
    found = explain(CORPUS / "key", CORPUS / "ref", systems, "DOC02", choose("bbn-2015"))
    assert list(found) == ["S0", "S1"]
    assert found["S0"].document == "DOC02"
    assert "less-specific-time" in str(found["S0"])
    assert "link lost" in str(found["S0"])
