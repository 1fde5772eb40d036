"""Files of answers and of assessments."""

import pytest

from adjudge.errors import AdjudgeError
from adjudge.formats.kb_answers import read_answers, read_assessments, write_answers
from adjudge.model.kbp_queries import Answer, Assessment, follow_up

ANSWER = Answer("Q1", "Ben", "per:spouse", "d1:4-6", "d1:0-9,d1:20-29", ":E2", "PER", 0.5)
NINE = "Q1\tper:spouse\tr1\td1:20-29,d1:0-9\tBen\tPER\td1:4-6\t0.5\t:E2\n"


def problems(read, text):
    with pytest.raises(AdjudgeError) as raised:
        read(text.encode(), name="f")
    return [str(each) for each in raised.value.problems]


def test_runs_of_all_years():
    nine = NINE.rstrip().split("\t")
    for columns, node, type_ in ((nine, ":E2", "PER"), (nine[:8], "", "PER"), (nine[:5] + nine[6:8], "", "")):
        found = read_answers("\t".join(columns).encode())
        assert found.answers == [ANSWER._replace(node=node, type=type_)]
        assert found.name == "r1"
    assert read_answers(b"Q1\tper:spouse\tr1\tNIL\n" + NINE.encode()).lines == [2]


def test_answers_of_our_own():
    found = read_answers(b"Q1\tBen\tCorvex\nQ1\tBen\nQ1\tBen\tOslo\n# remark\n\nQ2\tBen\n")
    below = follow_up("Q1", "Ben", "")
    asked = [(each.asked, each.value) for each in found.answers]
    # The first value of several rows is one answer.
    assert asked == [("Q1", "Ben"), (below, "Corvex"), (below, "Oslo"), ("Q2", "Ben")]
    assert found.lines == [1, 1, 3, 6]


def test_what_is_wrong_with_a_run():
    bad = [
        NINE.replace("0.5", "2"),
        NINE.replace("0.5", "sure"),
        NINE.replace("d1:4-6", "d1"),
        NINE.replace("d1:0-9", "9-0"),
        NINE.replace("Ben", ""),
        "Q1\n",
        "Q1\t\n",
    ]
    assert [each.split(", ")[0] for each in problems(read_answers, "".join(bad))] == [
        f"f:1:{NINE.index('0.5') + 1}: the confidence '2' is not between 0 and 1",
        f"f:2:{NINE.index('0.5') + 1}: the confidence 'sure' is not between 0 and 1",
        f"f:3:{NINE.index('d1:4-6') + 1}: 'd1' is no place",
        f"f:4:{NINE.index('d1:20') + 1}: '9-0' is no place",
        f"f:5:{NINE.index('Ben') + 1}: an empty field",
        "f:6:1: a line with 1 field",
        "f:7:4: an empty field",
    ]
    (said,) = problems(read_answers, NINE + NINE.replace("r1", "r2"))
    assert said == "f:2: answers of several runs: r1, r2, give each run a file of its own"


def test_assessments():
    ten = "A1\tQ1:per:spouse\td1:20-29,d1:0-9\tBen\td1:4-6\tC\tNAM\tC\tQ1:3:1\tNOM\n"
    eight = "A1\tQ1:per:spouse\td1:0-9,d1:20-29\tBen\td1:4-6\tX\tC\tQ1:3\n"
    wrong = "A2\tQ1:per:spouse\td1:0-9\tEva\td1:4-6\tW\t0\tW\t0\t0\n"
    found, lines = read_assessments((ten + eight + wrong).encode())
    common = {"slot": "per:spouse", "place": "d1:4-6"}
    assert found == [
        Assessment("Q1", "Ben", "correct", ("3", "1"), **common, provenance="d1:0-9,d1:20-29", level="NAM")._replace(
            group_level="NOM", id="A1"
        ),
        Assessment("Q1", "Ben", "inexact", ("3",), **common, provenance="d1:0-9,d1:20-29", id="A1"),
        Assessment("Q1", "Eva", "wrong", (), **common, provenance="d1:0-9", id="A2"),
    ]
    assert lines == [1, 2, 3]


def test_assessments_of_our_own():
    found, _ = read_assessments(b"Q1\tC\t1\tBen\nQ1\tC\t1:2\tBen\tCorvex\nQ1\tw\t-\tEva\nQ1\tI\t0\tx\n")
    assert found == [
        Assessment("Q1", "Ben", "correct", ("1",)),
        Assessment(follow_up("Q1", "Ben", ""), "Corvex", "correct", ("1", "2")),
        Assessment("Q1", "Eva", "wrong"),
        Assessment("Q1", "x", "ignored"),
    ]


def test_what_is_wrong_with_assessments():
    lines = ["Q1\tC\t0\tBen", "Q1\tW\t1\tBen", "Q1\tZ\t1\tBen", "Q1\tC\t1:2\tBen", "Q1\tC", "Q1\tC\t1\t"]
    lines.append("A1\tQ1:s\td1:0-9\tBen\td1:4-6\tC\tC\t3")
    lines.append("A1\tQ1:s\td1:0\tBen\td1:4-6\tC\tC\tQ1:3")
    assert [each.split(", ")[0] for each in problems(read_assessments, "\n".join(lines))] == [
        "f:1:4: a correct answer without a class",
        "f:2:4: an answer that is not right has a class",
        "f:3:4: there is no judgment 'Z'",
        "f:4:6: the class 1:2 has 2 parts for 1 hops",
        "f:5:1: a line with 2 fields",
        "f:6:8: an empty field",
        f"f:7:{len(lines[6])}: '3' is no class",
        f"f:8:{lines[7].index('d1:0') + 1}: 'd1:0' is no place",
    ]
    assert problems(read_assessments, "") == ["f: the file has no assessments, check that it is the right file"]


def test_round_trip_of_a_run():
    answers = [ANSWER, ANSWER._replace(asked=ANSWER.target, value="Corvex", place="d2:0-5", confidence=0.25)]
    data = write_answers(answers, run="r1")
    assert read_answers(data).answers == answers


def test_round_trip_of_values():
    first = Answer("Q1", "Ben")
    answers = [first, Answer("Q1", "Eva"), Answer(first.target, "Corvex")]
    data = write_answers(answers, run="r1")
    assert data == b"Q1\tBen\nQ1\tEva\nQ1\tBen\tCorvex\n"
    assert read_answers(data).answers == answers
