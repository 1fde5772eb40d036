"""The outcome of every nugget, hopper and link: explanations and saved documents agree with the counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import FormatError, UsageError, ValidationError
from adjudge.evaluate.engine import evaluate
from adjudge.evaluate.task import Run
from adjudge.model.nugget import Nugget, NuggetDocument, Relation, Token, TokenTable
from adjudge.stats.alignment import check_documents, words
from adjudge.tasks.nugget import explain
from adjudge.tasks.nugget.settings import PROFILES, settings
from adjudge.tasks.nugget.task import NuggetTask, score


def nugget(id, tokens, type="Attack", realis="Actual", text="word"):
    return Nugget(id, type, realis, text, tuple(tokens.split(",")))


def document(*nuggets, relations=(), id="d"):
    return NuggetDocument(id, nuggets, [Relation(*each) for each in relations])


def alignment(gold, system, chosen=None, **how):
    task = NuggetTask(chosen, **how)
    return explain([gold], [system], gold.id, task)["system"].alignment


def pairs(found, number=0):
    """Outcomes by ids."""
    matching = found.matchings[number]
    listed = [
        (each.outcome, found.gold[each.gold].id, found.system[each.system].id, each.why) for each in matching.pairs
    ]
    listed += [("missed", found.gold[each.item].id, None, each.why) for each in matching.missed]
    listed += [("spurious", None, found.system[each.item].id, each.why) for each in matching.spurious]
    return listed + [("ignored", None, found.system[each.item].id, each.why) for each in matching.ignored]


@pytest.mark.parametrize(
    ("system", "outcome", "credit", "why"),
    [
        (nugget("m", "t1,t2"), "correct", 1.0, ""),
        (nugget("m", "t1"), "partial", 2 / 3, ""),
        (nugget("m", "t1,t2", realis="Other"), "wrong", 0, "realis is Other, gold Actual"),
        (nugget("m", "t1,t2", "Die"), "wrong", 0, "type is Die, gold Attack"),
        (nugget("m", "t1,t2", "Die", "Other"), "wrong", 0, "type is Die, gold Attack; realis is Other, gold Actual"),
        (nugget("m", "t1", "Die"), "wrong", 0, "type is Die, gold Attack; the places overlap by 0.67"),
    ],
)
def test_a_pair(system, outcome, credit, why):
    (found,) = alignment(document(nugget("E", "t1,t2")), document(system)).matchings
    (pair,) = found.pairs
    assert (found.metric, pair.outcome, pair.credit, pair.why) == ("nugget.type+realis", outcome, credit, why)


def test_nuggets_of_one_place_are_told_apart_by_their_attributes():
    gold = document(nugget("A", "t1"), nugget("B", "t1", "Die"), nugget("C", "t1,t2", "Injure"))
    system = document(nugget("m1", "t1", "Die"), nugget("m2", "t1", "Attack", "Other"), nugget("m3", "t9"))
    found = alignment(gold, system)
    assert [each[:3] for each in pairs(found)] == [
        ("wrong", "A", "m2"),
        ("correct", "B", "m1"),
        ("missed", "C", None),
        ("spurious", None, "m3"),
    ]
    (missed,), (spurious,) = found.matchings[0].missed, found.matchings[0].spurious
    assert (missed.near, spurious.near) == (0, None)
    assert [each[:3] for each in pairs(alignment(gold, document(system.nuggets[0])))][:2] == [
        ("correct", "B", "m1"),
        ("missed", "A", None),
    ]


def test_attributes_that_are_not_scored_do_no_harm():
    gold, system = document(nugget("E", "t1")), document(nugget("m", "t1", realis="Other"))
    (found,) = alignment(gold, system, settings(attributes="type")).matchings
    assert (found.metric, [each.outcome for each in found.pairs]) == ("nugget.type", ["correct"])
    assert found.numbers == {"span": 1.0, "type": 1.0}
    (found,) = alignment(gold, document(nugget("m", "t1", "Die")), settings(attributes="")).matchings
    assert (found.metric, [each.outcome for each in found.pairs]) == ("nugget.span", ["correct"])


def test_official_rules():
    gold, system = document(), document(nugget("m", "t1"))
    assert pairs(alignment(gold, system))[0][0] == "spurious"
    assert pairs(alignment(gold, system, settings("evmeval-1.8")))[0][0] == "ignored"
    gold = document(nugget("E", "t1", "life die", "NOT_ANNOTATED"))
    system = document(nugget("m", "t1", "Life_Die", "Other"))
    assert pairs(alignment(gold, system))[0][0] == "wrong"
    assert pairs(alignment(gold, system, settings("evmeval-1.8")))[0][0] == "correct"


def test_the_program_of_2015_stops():
    gold = [document(nugget("E", "t1"), id=name) for name in "ab"]
    system = [document(nugget("m", "t1"), nugget("m", "t2"), id="a"), document(nugget("m", "t1"), id="b")]
    run = Run(align=True)
    task = NuggetTask(settings("evmeval-2015", coref=False), mode="token")
    (counted,) = evaluate(task, gold, {"s": system}, run).systems.values()
    assert [len(each.matchings[0].ignored) for each in counted.alignments] == [2, 1]
    assert not any(each.matchings[0].pairs for each in counted.alignments)


def test_hoppers():
    gold = document(
        nugget("a", "t1"), nugget("b", "t2"), nugget("c", "t3"), relations=[("Coreference", "R1", ("a", "b"))]
    )
    system = document(
        nugget("x", "t1"), nugget("y", "t2,t4"), nugget("z", "t3"), relations=[("Coreference", "R1", ("x", "z"))]
    )
    found = alignment(gold, system)
    assert (found.groups, [each.metric for each in found.matchings]) == ("hopper", ["nugget.type+realis", "coref"])
    assert [each.group for each in found.gold] == [("R1",), ("R1",), ("c",)]
    assert pairs(found, 1) == [
        ("partial", "a", "x", "a hopper of 2 nuggets, 1 of them in one of 2"),
        ("partial", "c", "z", "a hopper of 1 nugget, 1 of them in one of 2"),
        ("missed", "b", None, "a Dice of 0.67 is below the threshold"),
        ("spurious", None, "y", "a Dice of 0.67 is below the threshold"),
    ]
    text = str(explain([gold], [system], "d")["system"])
    assert "hopper   merged: gold R1 [word, word] c [word]; system R1 [word, word]" in text
    loose = alignment(gold, system, settings(coref_threshold=0.5))
    assert [each[0] for each in pairs(loose, 1)] == ["partial"] * 3
    assert [each.metric for each in alignment(gold, system, settings(coref=False)).matchings] == ["nugget.type+realis"]


NUGGETS = [nugget(id, f"t{number}", text=id) for number, id in enumerate("abcd")]


@pytest.mark.parametrize(
    ("gold", "system", "expected"),
    [
        ([("After", "R1", ("a", "b"))], [("After", "R9", ("a", "b"))], [("correct", "R1", "R9", "")]),
        ([("After", "R1", ("a", "b"))], [("Subevent", "R9", ("a", "b"))], [("missed", "R1"), ("spurious", "R9")]),
        (
            [("After", "R1", ("a", "b")), ("After", "R2", ("b", "c"))],
            [("After", "R9", ("a", "c"))],
            [("partial", "R1", "R9", "it follows from gold, where it is not stated"), ("missed", "R2")],
        ),
        (
            [("After", "R1", ("a", "c"))],
            [("After", "R8", ("a", "b")), ("After", "R9", ("b", "c"))],
            [("partial", "R1", "R8", "it follows from other links of the system"), ("spurious", "R9")],
        ),
        (
            [("Coreference", "C", ("a", "d")), ("After", "R1", ("a", "b"))],
            [("After", "R9", ("a", "b"))],
            [("partial", "R1", "R9", "1 of 2 and 1 pairs of nuggets")],
        ),
        (
            [("After", "R1", ("a", "b"))],
            [("After", "R1", ("a", "b")), ("After", "R2", ("a", "b")), ("After", "R3", ("a", "x"))],
            [("correct", "R1", "R1", ""), ("ignored", "R2"), ("ignored", "R3")],
        ),
    ],
)
def test_links(gold, system, expected):
    found = alignment(document(*NUGGETS, relations=gold), document(*NUGGETS, relations=system))
    assert found.matchings[-1].metric == "nugget.sequence"
    said = [each if each[1] and each[2] else (each[0], each[1] or each[2]) for each in pairs(found, -1)]
    assert said == expected


TABLE = TokenTable("d", [Token("t1", "They", 0, 4), Token("t2", "ran", 5, 8), Token("t3", ".", 8, 9)])


@pytest.mark.parametrize(
    ("how", "text", "said"),
    [
        ({"tokens": {"d": TABLE}}, "They ran.", ["They ran"]),
        ({"tokens": {"d": TABLE}, "text": "They  ran."}, "They ran.", ["They ran"]),  # not where the table says
        ({"tokens": {"d": TABLE}, "text": "They ran. Twice"}, "They ran. Twice", ["They ran"]),
        ({}, None, []),
    ],
)
def test_places_in_the_text(tmp_path, how, text, said):
    if "text" in how:
        (tmp_path / "d.txt").write_text(how["text"])
        how = {"tokens": how["tokens"], "texts": tmp_path}
    found = alignment(document(nugget("E", "t2,t1")), document(), **how)
    assert (found.text, [words(found.text, item.place) for item in found.gold if item.place]) == (text, said)
    assert found.gold[0].text == "word"
    assert found.gold[0].value == {"realis": "Actual", "tokens": ["t2", "t1"]}


def test_places_of_characters(tmp_path):
    gold = NuggetDocument("d", [Nugget("E", "Run", "Actual", "ran", pieces=((5, 8), (90, 99)))], text="They ran")
    assert [each.place for each in alignment(gold, document()).gold] == [((5, 8),)]
    result = evaluate(NuggetTask(texts=tmp_path), [gold], [document()], Run(align=True)).result()
    assert "no-text" in [note.code for note in result.systems[0].notes]
    (tmp_path / "d.txt").write_bytes(b"\xff")
    with pytest.raises(FormatError, match="not UTF-8"):
        alignment(gold, document(), texts=tmp_path)
    with pytest.raises(UsageError, match="there is no such folder"):
        NuggetTask(texts=tmp_path / "nowhere")


nuggets = st.lists(
    st.builds(
        nugget,
        st.sampled_from("abcd"),
        st.sampled_from(["t1", "t2", "t1,t2", "t2,t3", "t1,t2,t3"]),
        st.sampled_from("AB"),
        st.sampled_from(["X", "Y", "NOT_ANNOTATED"]),
    ),
    max_size=6,
)
relations = st.lists(
    st.tuples(
        st.sampled_from(["Coreference", "After", "Subevent"]),
        st.sampled_from(["R1", "R2"]),
        st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")),
    ),
    max_size=4,
)


@given(nuggets, relations, nuggets, relations, st.sampled_from(sorted(PROFILES)))
def test_every_item_once_and_the_credits_are_the_score(ours, own, theirs, other, profile):
    gold = document(*ours, relations=own)
    system = document(*theirs, relations=other)
    task = NuggetTask(settings(profile, any_links=True), mode="token")
    try:
        evaluation = evaluate(task, [gold], {"s": [system]}, Run(align=True))
    except (FormatError, ValidationError):
        return  # clusters that the profile refuses, or at which it stops
    (counted,) = evaluation.systems.values()
    found = counted.alignments[0]
    result = evaluation.result()
    check_documents(result.documents, result.systems[0].aligned)
    assert len({item.id for item in found.gold}) == len(found.gold)
    for number, matching in enumerate(found.matchings):
        for side, items in (("gold", found.gold), ("system", found.system)):
            seen = [getattr(each, side) for each in matching.pairs]
            seen += [each.item for each in (matching.missed if side == "gold" else matching.spurious)]
            seen += [each.item for each in matching.ignored] if side == "system" else []
            assert len(seen) == len(set(seen))
            if number == 0 and (side == "system" or matching.numbers):
                assert sorted(seen) == [n for n, item in enumerate(items) if item.level == "nuggets"]
    if found.matchings[0].numbers:
        credit = sum(each.credit for each in found.matchings[0].pairs)
        assert credit == pytest.approx(counted.counts[task.columns.index("nugget.type+realis:matched")])


def test_saved_documents_are_those_that_were_scored():
    gold, system = document(nugget("E", "t1"), id="a"), document(nugget("m", "t1"), id="a")
    result = evaluate(NuggetTask(), [gold], {"s": [system]}, Run(align=True)).result()
    assert [each.id for each in result.documents] == ["a"]
    assert result.systems[0].scores == score([gold], {"s": [system]}).systems[0].scores
