"""Answers judged, counted and scored."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError, ValidationError
from adjudge.model.kbp import Entity, Fact, KnowledgeBase, Mention, TripleTable
from adjudge.model.kbp_queries import Answer, AnswerSet, Assessment, EntryPoint, Question, follow_up, questions
from adjudge.tasks.kbp.answers import OFFICIAL, GoldJudge, Policy, PoolJudge, count_answers
from adjudge.tasks.kbp.queries import KbIndex, TripleIndex, answer_questions, generate_queries
from adjudge.tasks.kbp.query_measures import row_ratios, row_table
from adjudge.tasks.kbp.query_scoring import score_answers

GOLDEN = Path(__file__).parents[2] / "golden" / "kbp.json"
TWO = Question("Q1", "Q1", ("per:children", "per:schools_attended"))
ONE = Question("Q2", "Q2", ("per:date_of_birth",))


def below(*values, query="Q1"):
    for value in values:
        query = follow_up(query, value, "")
    return query


# The pool for Q1: children Bart (called Bart or El Barto) and Lisa; both went to the school, Bart was at camp as well.
# Q2: two different dates of birth were found right, but a person has one.
POOL = [
    Assessment("Q1", "Bart", "correct", ("1",)),
    Assessment("Q1", "El Barto", "correct", ("1",)),
    Assessment("Q1", "Lisa", "correct", ("2",)),
    Assessment("Q1", "Mag", "inexact", ("3",)),
    Assessment("Q1", "Ned", "wrong"),
    Assessment(below("Bart"), "School", "correct", ("1", "1")),
    Assessment(below("El Barto"), "School", "correct", ("1", "1")),
    Assessment(below("Bart"), "Camp", "correct", ("1", "2")),
    Assessment(below("Bart"), "Bar", "wrong"),
    Assessment(below("Lisa"), "School", "correct", ("2", "1")),
    Assessment(below("Ned"), "School", "wrong"),
    Assessment("Q2", "1980", "correct", ("1",)),
    Assessment("Q2", "1981", "correct", ("2",)),
]
ASKED = [TWO, ONE]


def counted(answers, *, policy=OFFICIAL, pool=POOL, match="assessed", asked=ASKED, **more):
    judge = PoolJudge(pool, [question.id for question in asked], match=match)
    return count_answers(asked, answers, judge, policy=policy, **more)


def rows(found):
    """The counts that are not 0, by the name of the row."""
    return {row.name: {name: count for name, count in row.counts.items() if count} for row in found.rows}


def answers(*pairs):
    return [Answer(asked, value) for asked, value in pairs]


def test_a_row_for_each_class_above():
    found = rows(
        counted(
            answers(
                ("Q1", "Bart"),
                ("Q1", "El Barto"),
                ("Q1", "Ned"),
                ("Q1", "Mag"),
                ("Q1", "Abe"),
                (below("Bart"), "School"),
                (below("El Barto"), "School"),
                (below("Bart"), "Bar"),
                (below("Ned"), "School"),
                ("Q2", "1980"),
                ("Q2", "1981"),
            )
        )
    )
    # By hand. First hop: classes 1, 2, 3 are gold; Bart is right, El Barto says it again, Ned is wrong, Mag inexact and
    # so wrong, Abe was not assessed and is ignored. Second hop below 1: School and Camp are gold; School is right, once
    # more redundant, Bar is wrong. Below 2 nothing was answered. Below 3 there is no gold, so no row. What is below Ned
    # follows a wrong answer. Q2 has one value, the second right one is redundant.
    assert found == {
        "Q1": {
            "gold": 3,
            "submitted": 5,
            "correct": 2,
            "incorrect": 1,
            "inexact": 1,
            "unassessed": 1,
            "redundant": 1,
            "right": 1,
            "wrong": 2,
            "ignored": 2,
        },
        "Q1:0": {"submitted": 1, "parent": 1, "wrong": 1},
        "Q1:1": {
            "gold": 2,
            "submitted": 3,
            "correct": 2,
            "incorrect": 1,
            "redundant": 1,
            "right": 1,
            "wrong": 1,
            "ignored": 1,
        },
        "Q1:2": {"gold": 1},
        "Q2": {"gold": 1, "submitted": 2, "correct": 2, "redundant": 1, "right": 1, "ignored": 1},
    }


def test_a_right_answer_below_one_that_was_not_given():
    # Camp hangs under Bart, but this system never said Bart.
    found = rows(counted(answers((below("Bart"), "Camp"))))
    assert found["Q1:1"] == {"gold": 2, "submitted": 1, "parent": 1, "wrong": 1}
    found = rows(counted(answers((below("Bart"), "Camp")), policy=Policy(wrong_parent="ignore")))
    assert found["Q1:1"] == {"gold": 2, "submitted": 1, "parent": 1, "ignored": 1}


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Policy(), (1, 1, 2)),
        (Policy(inexact="right"), (2, 0, 2)),
        (Policy(inexact="ignore"), (1, 0, 3)),
        (Policy(unassessed="wrong"), (1, 2, 1)),
        (Policy(duplicates="wrong"), (1, 2, 1)),
    ],
)
def test_policies(policy, expected):
    given = answers(("Q1", "Bart"), ("Q1", "El Barto"), ("Q1", "Mag"), ("Q1", "Abe"))
    counts = counted(given, policy=policy).rows[0].counts
    assert tuple(counts[name] for name in ("right", "wrong", "ignored")) == expected


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from([(each.asked, each.value) for each in POOL] + [("Q1", "Abe"), (below("Ned"), "Camp")])),
    st.sampled_from(["right", "wrong", "ignore"]),
    st.sampled_from(["wrong", "ignore"]),
    st.sampled_from(["wrong", "ignore"]),
)
def test_what_became_of_answers_adds_up(given, inexact, unassessed, duplicates):
    policy = Policy(inexact=inexact, unassessed=unassessed, duplicates=duplicates)
    judge = PoolJudge(POOL, ["Q1", "Q2"])
    scores = score_answers(ASKED, [AnswerSet("A", answers(*given))], judge, policy=policy, bootstrap=0, align=True)
    assert [each.id for each in scores.result.documents] == ["Q1", "Q2"]
    for query, own in zip(("Q1", "Q2"), scores.result.systems[0].aligned, strict=True):
        (found,) = own.matchings
        rows = [row.counts for row in scores.counted["A"].rows if row.question == query]
        sums = {name: sum(row[name] for row in rows) for name in ("right", "wrong", "ignored", "gold")}
        assert len(found.pairs) == sums["right"]
        assert len(found.pairs) + len(found.missed) == sums["gold"]
        assert (len(found.spurious), len(found.ignored)) == (sums["wrong"], sums["ignored"])


def test_matching_by_value():
    place = {"place": "d1:0-3", "provenance": "d1:0-9"}
    pool = [each._replace(**place) if each.asked == "Q1" else each for each in POOL]
    pool = [
        each._replace(asked=follow_up("Q1", "Bart", "d1:0-3")) if each.asked == below("Bart") else each for each in pool
    ]
    given = answers(("Q1", "bart"), (below("bart"), "camp"))
    assert [
        sum(row.counts["right"] for row in counted(given, pool=pool, match=m).rows)
        for m in ("assessed", "exact", "case")
    ] == [0, 0, 2]
    given = answers(("Q1", "Bart"), (below("Bart"), "Camp"))
    assert [
        sum(row.counts["right"] for row in counted(given, pool=pool, match=m).rows)
        for m in ("assessed", "exact", "case")
    ] == [0, 2, 2]
    with pytest.raises(UsageError, match="no way"):
        PoolJudge([], [], match="fuzzy")


def test_several_judgments_of_one_answer():
    # A correct one counts, wherever it stands.
    pool = [Assessment("Q2", "1980", "wrong"), Assessment("Q2", "1980", "correct", ("1",))]
    for listed in (pool, pool[::-1]):
        assert rows(counted(answers(("Q2", "1980")), pool=listed))["Q2"]["right"] == 1


def test_nouns_count_neither_way_if_there_is_a_name():
    # The class has a name (NAM): a node that is given by a noun alone is ignored; one with a name somewhere is right.
    noun = Assessment("Q1", "the boy", "correct", ("1",), level="NOM", group_level="NAM")
    name = Assessment("Q1", "Bart", "correct", ("1",), level="NAM", group_level="NAM")
    only = Assessment("Q1", "the baby", "correct", ("2",), level="NOM", group_level="NOM")
    boy, bart = Answer("Q1", "the boy", node=":E1"), Answer("Q1", "Bart", node=":E1")
    asked = [TWO._replace(slots=("per:children",))]

    def effect(*given):
        counts = counted(given, pool=[noun, name, only], asked=asked).rows[0].counts
        return counts["right"], counts["wrong"], counts["ignored"]

    assert effect(boy) == (0, 0, 1)
    assert effect(boy, bart) == (1, 0, 1)
    assert effect(boy, bart._replace(node=":E2")) == (1, 0, 1)
    assert effect(Answer("Q1", "the baby")) == (1, 0, 0)
    # Without levels (before 2016) there is no such rule.
    assert counted([boy], pool=[noun._replace(level="", group_level="")], asked=asked).rows[0].counts["right"] == 1


def test_limits_of_justifications():
    def answer(value, document, confidence, node=":E1", asked="Q1"):
        return Answer(asked, value, "s", f"{document}:0-1", f"{document}:0-9", node, "", confidence)

    given = [answer("a", "d1", 0.1), answer("b", "d1", 0.9), answer("c", "d2", 0.5), answer("d", "d3", 0.7)]
    given += [answer("e", "d1", 0.1, node=":E2"), answer("f", "d1", 0.1, node=""), answer("g", "d1", 0.1, node="")]
    follow = [answer("x", "d1", 1.0, ":E9", given[0].target), answer("y", "d1", 0.5, ":E9", given[1].target)]

    def kept(each, total):
        found = counted(given + follow, justifications=(each, total))
        assert len(found.outcomes) + found.dropped == len(given + follow)
        return "".join(sorted(outcome.answer.value for outcome in found.outcomes))

    assert kept(0, 0) == "abcdefgxy"
    # a is dropped for b, and what follows from a goes with it; answers without a node are not limited.
    assert kept(1, 0) == "bcdefgy"
    assert kept(1, 2) == "bdefgy"
    assert kept(0, 1) == "befgy"


def test_answers_to_other_questions():
    found = counted(answers(("Q1", "Bart"), ("Q9", "x"), (below("1980", query="Q2"), "x")))
    assert found.strangers == 2
    with pytest.raises(ValidationError, match="no answer is to one of the queries"):
        score_answers(ASKED, [AnswerSet("A", answers(("Q9", "x")))], PoolJudge(POOL, ["Q1", "Q2"]), bootstrap=0)


def test_scores_by_hand():
    # Rows (right, right + wrong, gold): Q1 (1, 2, 3), Q1:1 (1, 1, 2), Q1:2 (0, 0, 1), Q2 (1, 1, 1).
    given = answers(("Q1", "Bart"), ("Q1", "Ned"), (below("Bart"), "School"), ("Q2", "1980"))
    judge = PoolJudge(POOL, ["Q1", "Q2"])
    scores = score_answers(ASKED, [AnswerSet("A", given)], judge, by=("query", "hops"), bootstrap=0)

    def parts(metric, slice_=None):
        found = [
            score
            for score in scores.result.systems[0].scores
            if score.metric == metric and score.slice == (slice_ or {})
        ]
        return tuple(score.value for score in found if score.part in ("precision", "recall", "f1"))

    assert parts("kbp.query.hop0") == pytest.approx((2 / 3, 2 / 4, 4 / 7))
    assert parts("kbp.query.hop1") == pytest.approx((1, 1 / 3, 1 / 2))
    assert parts("kbp.query") == pytest.approx((3 / 4, 3 / 7, 6 / 11))
    assert parts("kbp.query.hop0.macro") == pytest.approx((3 / 4, (1 / 3 + 1) / 2, (2 / 5 + 1) / 2))
    assert parts("kbp.query.hop1.macro") == pytest.approx((1 / 2, 1 / 4, (2 / 3) / 2))
    assert parts("kbp.query.macro") == pytest.approx((2.5 / 4, (1 / 3 + 1 / 2 + 1) / 4, (2 / 5 + 2 / 3 + 1) / 4))
    assert parts("kbp.query", {"query": "Q2"}) == (1.0, 1.0, 1.0)
    assert parts("kbp.query", {"hops": 2}) == pytest.approx((2 / 3, 2 / 6, 4 / 9))
    whole = [each for each in scores.result.systems[0].scores if each.metric == "kbp.query" and not each.slice]
    assert {each.part: each.value for each in whole if each.part in ("tp", "system", "gold")} == {
        "tp": 3,
        "system": 4,
        "gold": 7,
    }
    table = row_table(scores.counted).splitlines()
    assert table[0].startswith("system\trow\thop\tgold\tsubmitted")
    assert table[1] == "A\tQ1\t0\t3\t2\t1\t1\t0\t0\t0\t0\t1\t1\t0\t0.5000\t0.3333\t0.4000"
    assert [line.split("\t")[1] for line in table[1:]] == ["Q1", "Q1:1", "Q1:2", "Q2"]


def test_means_are_over_rows_with_gold():
    # Below Ned, who is wrong, there is no gold: what is answered there counts for P of the hop, but is not a row.
    given = answers(("Q1", "Bart"), ("Q1", "Ned"), (below("Bart"), "School"), (below("Ned"), "School"))
    judge = PoolJudge(POOL, ["Q1", "Q2"])
    result = score_answers(ASKED, [AnswerSet("A", given)], judge, bootstrap=0).result
    assert float(result["kbp.query.hop1"].precision) == 1 / 2
    assert float(result["kbp.query.hop1.macro"].precision) == 1 / 2  # 1 below Bart, 0 below Lisa


def test_views_of_entry_points():
    # One query, two entry points. The first finds 1 of 2 and nothing wrong (F1 2/3), the second 1 of 1 and one wrong
    # thing (F1 2/3 as well): equal, so the first is the best; with one more right answer the second is.
    asked = [Question(f"Q_{n}", "Q", ("r",)) for n in "ab"]
    pool = [Assessment("Q_a", v, "correct", (v,)) for v in "xy"] + [Assessment("Q_b", "x", "correct", ("x",))]
    pool += [Assessment("Q_b", "n", "wrong")]
    given = answers(("Q_a", "x"), ("Q_b", "x"), ("Q_b", "n"))
    judge = PoolJudge(pool, ["Q_a", "Q_b"])

    def values(view, given=given):
        table = score_answers(asked, [AnswerSet("A", given)], judge, view=view, bootstrap=0).result.systems[0].table
        assert table.ids == ("Q",)
        row = dict(zip(table.columns, table.values[0], strict=True))
        return [row[f"all:{name}"] for name in ("right", "system", "gold", "precision", "recall", "rows")]

    assert values("each") == [2, 3, 3, 1.5, 1.5, 2]
    assert values("best") == [1, 1, 2, 1, 0.5, 1]
    assert values("best", given[:2]) == [1, 1, 1, 1, 1, 1]
    # Rows of the same path are one; P is the mean of 1 and 1/2, R that of 1/2 and 1.
    assert values("mean") == [0, 0, 0, 0.75, 0.75, 1]
    with pytest.raises(UsageError, match="did you mean mean"):
        values("meen")


def test_names_and_questions_are_checked():
    judge = PoolJudge(POOL, ["Q1", "Q2"])
    twice = [AnswerSet("A"), AnswerSet("A")]
    with pytest.raises(UsageError, match="same name"):
        score_answers(ASKED, twice, judge)
    with pytest.raises(UsageError, match="did you mean query"):
        score_answers(ASKED, twice[:1], judge, by=["quary"])
    for asked in ([], [TWO, TWO], [TWO, TWO._replace(query="Q9")]):
        with pytest.raises(ValidationError):
            score_answers(asked, twice[:1], judge)


# ---------------------------------------------------------------------------------------------------------------------
# Gold

triples = st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from("rs"), st.sampled_from("abcde")), min_size=1, max_size=14
)


def table_of(rows):
    table = TripleTable()
    for row in rows:
        table.add(*row, "d")
    return table


def kb_of(rows):
    """A node for each letter, with a mention at a place of its own."""
    nodes = sorted({each for s, _, o in rows for each in (s, o)})
    entities = [
        Entity(f":{node}", "PER", (Mention("d", 10 * ord(node), 10 * ord(node) + 3, text=node, canonical=True),))
        for node in nodes
    ]
    return KnowledgeBase("kb", entities, [Fact(f":{s}", r, f":{o}", "d") for s, r, o in rows])


@settings(max_examples=30, deadline=None)
@given(triples, st.booleans())
def test_gold_against_itself(rows, with_mentions):
    make = (lambda: KbIndex(kb_of(rows))) if with_mentions else (lambda: TripleIndex(table_of(rows)))
    asked = questions(generate_queries(make(), 6))
    given = answer_questions(make(), asked)
    found = count_answers(asked, given.answers, GoldJudge(make()), justifications=(1, 1))
    for row in found.rows:
        assert row.counts["wrong"] == 0
        assert row.counts["right"] == row.counts["gold"]
        assert row_ratios(row).f1 == (1.0 if row.counts["gold"] else 0.0)


@settings(max_examples=30, deadline=None)
@given(triples, triples)
def test_counts_of_triples(gold, system):
    """Against sets: an answer of the second hop is right if the whole path is in gold."""
    asked = questions(generate_queries(TripleIndex(table_of(gold)), 4))
    found = count_answers(
        asked, answer_questions(TripleIndex(table_of(system)), asked).answers, GoldJudge(TripleIndex(table_of(gold)))
    )
    for question in asked:
        for hop, _ in enumerate(question.slots):
            sides = []
            for rows_ in (gold, system):
                walks = {(question.node,)}
                for slot in question.slots[: hop + 1]:
                    walks = {(*walk, o) for walk in walks for s, r, o in rows_ if (s, r) == (walk[-1], slot)}
                sides.append(walks)
            here = [row.counts for row in found.rows if row.question == question.id and row.hop == hop]
            assert sum(row["gold"] for row in here) == len(sides[0])
            assert sum(row["right"] for row in here) == len(sides[0] & sides[1])
            assert sum(row["right"] + row["wrong"] for row in here) == len(sides[1])


def test_gold_with_mentions():
    gold = kb_of([("a", "r", "b"), ("a", "r", "c")])
    judge = GoldJudge(KbIndex(gold))
    question = Question("Q", "Q", ("r",), EntryPoint("a", "d", 971, 972))

    def judgment(place, value="?"):
        return judge.judge(question, (), Answer("Q", value, place=place)).judgment

    assert judgment("d:980-981") == "correct"  # overlaps the mention of b
    assert judgment("d:975-989") == "correct"
    assert judgment("d:970-972") == "wrong"  # the mention of a
    assert judgment("d:500-501") == "wrong"  # no mention
    assert judgment("e:0-1") == "unassessed"  # gold says nothing of that document
    assert judge.judge(question, None, Answer("x", "b", place="d:980-981")).judgment == "wrong"


def test_gold_strings():
    ana = Entity("a", "PER", (Mention("d", 0, 3, text="Ana"),))
    strings = [
        Entity(
            "s1", "STRING", (Mention("d", 5, 9, text="Boss"), Mention("d", 5, 9, "NORM", text="chief")), kind="string"
        ),
        Entity("s2", "STRING", (Mention("d", 15, 19, text="boss"),), kind="string"),
        Entity("s3", "STRING", (Mention("d", 25, 29, text="cook"),), kind="string"),
    ]
    facts = [Fact("a", "per:title", each.id, "d") for each in strings]
    index = KbIndex(KnowledgeBase("g", [ana, *strings], facts))
    judge = GoldJudge(index)
    question = Question("Q", "Q", ("per:title",), EntryPoint("Ana", "d", 0, 3))
    # Two strings with the same text are one answer.
    assert judge.classes(question) == {(): ["s1", "s3"]}
    given = [Answer("Q", text) for text in ("CHIEF", "boss", "Cook", "driver")]
    counts = count_answers([question], given, judge).rows[0].counts
    assert [counts[name] for name in ("gold", "right", "redundant", "wrong")] == [2, 2, 1, 1]
    assert count_answers([question], answer_questions(index, [question]).answers, judge).rows[0].counts["right"] == 2


@pytest.mark.parametrize("system", ["A", "B"])
def test_all_queries_at_once_are_the_score_by_hops(system):
    """The worked example: over all queries that gold can answer, the last hop finds the paths of full identity."""
    expected = json.loads(GOLDEN.read_text(encoding="utf-8"))["worked_example"]["expected"]
    scores = next(each for name, each in expected["scores"][system].items() if name.startswith("full identity"))
    gold, found = (
        TripleIndex(table_of(tuple(each["triple"]) for each in expected[name]))
        for name in ("gold_triples", f"system_{system}_triples")
    )
    for hops in (1, 2, 3):
        asked = questions(generate_queries(gold, 99, hops=(hops,)))
        rows = count_answers(asked, answer_questions(found, asked).answers, GoldJudge(gold)).rows
        last = [row.counts for row in rows if row.hop == hops - 1]
        assert sum(row["gold"] for row in last) == scores[str(hops)]["n_gold"]
        assert sum(row["right"] for row in last) == scores[str(hops)]["tp"]


def test_intervals_and_comparisons():
    rng = random.Random(5)
    gold = [(f"n{rng.randrange(40)}", rng.choice("rs"), f"n{rng.randrange(40)}") for _ in range(150)]
    some = [row for row in gold if rng.random() < 0.7]
    few = [row for row in some if rng.random() < 0.5]
    index = TripleIndex(table_of(gold))
    asked = questions(generate_queries(index, 40))
    systems = [
        answer_questions(TripleIndex(table_of(rows), name=name), asked) for name, rows in (("A", some), ("B", few))
    ]
    result = score_answers(asked, systems, GoldJudge(index), bootstrap=200).result
    for name in ("A", "B"):
        f1 = next(s for s in result.system(name).scores if (s.metric, s.part) == ("kbp.query", "f1"))
        assert f1.low < f1.value < f1.high
    compared = next(each for each in result.comparisons if each.metric == "kbp.query")
    assert compared.difference > 0
    assert compared.p < 0.05
