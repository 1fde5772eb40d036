"""One document compared: every way in which the profiles depart from each other, by a small example."""

import pytest

from adjudge.model.nugget import COREFERENCE, Nugget, NuggetDocument, Relation, Token, TokenTable
from adjudge.tasks.nugget.observe import of_types
from adjudge.tasks.nugget.settings import PROFILES, Settings, settings
from adjudge.tasks.nugget.task import score
from nuggets import observed

OFFICIAL = ("evmeval-2015", "evmeval-1.8")


def tokens(id, place, type="Life_Die", realis="Actual"):
    return Nugget(id, type, realis, "x", tuple(place.split(",")))


def chars(id, *pieces, type="Life_Die", realis="Actual"):
    return Nugget(id, type, realis, "x", pieces=pieces)


def document(*nuggets, relations=(), id="d"):
    return NuggetDocument(id, nuggets, relations)


def matched(gold, system, profile):
    return observed(document(*gold), document(*system), Settings(profile=profile)).matched


def values(gold, system, profile, metric="nugget.span", **how):
    """Precision, recall and F1; None where there is none."""
    result = score(gold, system, profile=profile, bootstrap=0, **how).systems[0]
    return [each.value for each in result.scores if each.metric == metric]


def test_invisible_words():
    """Departure 2: the specification has 16 invisible words, the program of 2015 sees "I", v1.8 sees them all."""
    table = TokenTable("d", [Token("t1", "The", 0, 3), Token("t2", "I", 4, 5), Token("t3", "attack", 6, 12)])
    gold, system = [document(tokens("E1", "t1,t2,t3"))], [document(tokens("m1", "t3"))]
    found = {profile: values(gold, system, profile, tokens={"d": table})[0] for profile in PROFILES}
    assert found == {"spec": 1.0, "evmeval-2015": pytest.approx(2 / 3), "evmeval-1.8": 0.5}


def test_only_invisible_words():
    """Such a nugget cannot match, not even itself, and still counts."""
    table = TokenTable("d", [Token("t1", "She", 0, 3)])
    both = [document(tokens("E1", "t1"))]
    result = score(both, both, tokens={"d": table}, bootstrap=0).systems[0]
    assert [each.value for each in result.scores if each.metric == "nugget.span"] == [0.0, 0.0, 0.0]
    assert [note.count for note in result.notes if note.code == "empty-place"] == [1, 1]


@pytest.mark.parametrize(("profile", "found"), [("spec", 0.0), ("evmeval-2015", 1.0), ("evmeval-1.8", 1.0)])
def test_spelling_of_attributes(profile, found):
    """Departure 3: the specification wants equal values, the official program drops case and punctuation."""
    gold, system = [tokens("E1", "t1", "Life_Die")], [tokens("m1", "t1", "life die")]
    assert matched(gold, system, profile)["type"] == found
    notes = score([document(*gold)], [document(*system)], profile=profile, bootstrap=0).systems[0].notes
    assert [note.examples for note in notes if note.code == "spelling"] == [("life die for Life_Die",)] * (not found)


def test_letters_beyond_ascii():
    """v1.8 drops them, so that all types without an ASCII letter are equal; v1.6.2 keeps them."""
    gold, system = [tokens("E1", "t1", "éé")], [tokens("m1", "t1", "çç")]
    assert [matched(gold, system, profile)["type"] for profile in PROFILES] == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(("profile", "found"), [("spec", 0.0), ("evmeval-2015", 0.0), ("evmeval-1.8", 1.0)])
def test_not_annotated(profile, found):
    """Departure 3: in v1.8 a gold value NOT_ANNOTATED matches any value; a system's does not."""
    annotated, open_ = [tokens("E1", "t1", realis="Other")], [tokens("E1", "t1", realis="NOT_ANNOTATED")]
    assert matched(open_, annotated, profile)["realis"] == found
    assert matched(annotated, open_, profile)["realis"] == 0.0
    assert matched(open_, open_, profile)["realis"] == 1.0


def test_ties():
    """Departure 4: the specification takes the best mapping, the official program the first line."""
    gold = [tokens("E1", "t1,t2"), tokens("E2", "t2,t3")]
    system = [tokens("m1", "t2"), tokens("m2", "t1,t9,t8")]
    # m1 fits both gold nuggets equally well; only E1 could have m2.
    assert matched(gold, system, "spec")["span"] == pytest.approx(2 / 3 + 2 / 5)
    assert [matched(gold, system, profile)["span"] for profile in OFFICIAL] == pytest.approx([2 / 3, 2 / 3])
    best, line = (
        score([document(*gold)], [document(*system)], profile=profile, bootstrap=0).systems[0].notes
        for profile in ("spec", "evmeval-1.8")
    )
    for notes, counted in ((best, "the best"), (line, "lines")):
        told = next(note.message for note in notes if note.code == "ties")
        assert "33.33 by the order of lines, 53.33 at best" in told.replace("f1 is ", "")
        assert told.endswith(f"{counted} counted")
    assert any(note.code == "optimal-mapping" for note in line)


def test_a_greedy_mapping_is_not_the_best():
    gold = [chars("E1", (0, 10)), chars("E2", (12, 20))]
    system = [chars("m1", (3, 14)), chars("m2", (0, 4))]
    found = observed(document(*gold), document(*system), Settings())
    assert found.matched["span"] == found.entangled["span"].best == pytest.approx(2 / 3)
    assert found.entangled["span"].optimal == pytest.approx(8 / 14 + 4 / 19)
    notes = score([document(*gold)], [document(*system)], bootstrap=0).systems[0].notes
    assert any("optimal instead of a greedy mapping would give nugget.span f1 39.1" in note.message for note in notes)


def test_false_alarms_without_gold():
    """Departures 5 and 6: a document without gold nuggets does not count in the official program."""
    gold = [document(tokens("E1", "t1"), id="a"), document(id="b")]
    system = [document(tokens("m1", "t1"), id="a"), document(tokens("m2", "t1"), id="b")]
    assert values(gold, system, "spec") == [0.5, 1.0, pytest.approx(2 / 3)]
    assert values(gold, system, "spec", "nugget.span.macro") == [0.5, 0.5, 0.5]
    for profile in OFFICIAL:
        assert values(gold, system, profile) == [1.0, 1.0, 1.0]
        assert values(gold, system, profile, "nugget.span.macro") == [1.0, 1.0, 1.0]
        notes = score(gold, system, profile=profile, bootstrap=0).systems[0].notes
        assert [(note.count, note.examples) for note in notes if note.code == "free-false-alarms"] == [(1, ("b",))]


def test_nothing_to_divide_by():
    """Departure 6: 0/0 is 0 in the specification's profile, and nan, which is not a value, in the official program."""
    gold, wrong, nothing = [document(tokens("E1", "t1"))], [document(tokens("m1", "t2"))], [document()]
    assert values(gold, wrong, "spec") == values(gold, nothing, "spec") == values(nothing, nothing, "spec") == [0] * 3
    for profile in OFFICIAL:
        assert values(gold, wrong, profile) == [0.0, 0.0, None]
        assert values(gold, nothing, profile) == [None, 0.0, None]
        assert values(gold, nothing, profile, "nugget.span.macro") == [0.0, 0.0, None]
        assert values(nothing, wrong, profile) == [None, None, None]


def test_macro_f1_is_made_of_the_averages():
    gold = [document(tokens("E1", "t1"), tokens("E2", "t2"), id=id) for id in "ab"]
    system = [document(tokens("m1", "t1"), id="a"), document(tokens("m1", "t1"), tokens("m2", "t2"), id="b")]
    assert values(gold, system, "spec", "nugget.span.macro") == [1.0, 0.75, pytest.approx(2 * 0.75 / 1.75)]


def test_characters_named_twice_count_twice_in_the_official_program():
    both = [chars("E1", (0, 4), (2, 6))]
    assert matched(both, both, "spec")["span"] == 1.0
    assert matched(both, both, "evmeval-1.8")["span"] == 0.75


def test_the_last_bit_of_dice_in_2015():
    """v1.6.2 computes Dice from precision and recall, so that equal ratios may come in another order."""
    gold = [tokens("E1", "t1,t2,t3,t4,t5")]
    system = [tokens("m1", "t1")]
    found = {profile: matched(gold, system, profile)["span"] for profile in PROFILES}
    assert found["evmeval-2015"] != found["spec"] == found["evmeval-1.8"]
    assert found["evmeval-2015"] == pytest.approx(found["spec"], rel=1e-15)


def test_order_and_repeats_of_tokens_are_nothing():
    assert matched([tokens("E1", "t1,t2,t1")], [tokens("m1", "t2,t1")], "spec")["span"] == 1.0
    assert matched([tokens("E1", "t3")], [tokens("m1", "3")], "spec")["span"] == 0.0


def test_types_that_count():
    chosen = settings(types=["life die", "", "Conflict_Attack"])
    relations = [Relation(COREFERENCE, "R1", ("E1", "E2", "E3")), Relation(COREFERENCE, "R2", ("E1", "E2"))]
    nuggets = [tokens("E1", "t1"), tokens("E2", "t2", "Life_Born"), tokens("E3", "t3", "conflictattack")]
    kept = of_types(document(*nuggets, relations=relations), chosen)
    assert [nugget.id for nugget in kept.nuggets] == ["E1", "E3"]
    assert [relation.arguments for relation in kept.relations] == [("E1", "E3")]
    assert settings(types=["", "  "]).types is None  # an empty list means that all types count
