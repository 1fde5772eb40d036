"""Assessment files: all rules of consistency, and that what is written comes back."""

import pytest
from hypothesis import given

from adjudge.errors import UsageError, ValidationError
from adjudge.formats.eal_arguments import parse_arguments
from adjudge.formats.eal_assessments import parse_key, scan_key, write_key
from adjudge.model.eal import AnswerKey, Assessment, Cas, Response, Span
from eal_files import DOCUMENT, keys

START = ["1", "D", "Life.Die", "Place", "Rome", "20-23", "5-50", "20-23", "NIL", "Actual", "1.0"]
ROME = Response("D", "Life.Die", "Place", Cas("Rome", Span(20, 23)), Span(20, 23), (Span(5, 50),), (), "Actual")
GOOD = "C C C C 7 Actual NAME"


def line(answers=GOOD, cas="Rome", at="20-23"):
    fields = list(START)
    fields[4:6] = cas, at
    return "\t".join((*fields, *answers.split(" ")))


def scan(*lines):
    return scan_key("\n".join(lines).encode(), "D", "key/D")


class TestRead:
    @pytest.mark.parametrize(
        ("answers", "expected"),
        [
            ("C C C C 7 Actual NAME", Assessment("C", "C", "C", "C", "Actual", "NAME")),
            ("I I W I NIL GENERIC NOMINAL", Assessment("I", "I", "W", "I", "Generic", "NOMINAL")),
            ("C W NIL NIL NIL NIL NIL", Assessment("C", "W")),
            ("W NIL NIL NIL 3 NIL NIL", Assessment("W")),
            ("NIL NIL NIL NIL  nil NIL", Assessment()),
        ],
    )
    def test_answers(self, answers, expected):
        key, findings = scan(line(answers))
        assert key.assessed == {ROME: expected}
        assert not findings

    @pytest.mark.parametrize("at", [0, 1, 2, 3, 5, 6])
    def test_one_open_answer_is_enough(self, at):
        answers = GOOD.split()
        answers[at] = "UNANNOTATED"
        key, findings = scan(line(" ".join(answers)))
        assert key == AnswerKey("D", {}, (ROME,), {ROME.cas: 7})
        assert not findings

    def test_the_assessed_wins(self):
        key, findings = scan(line(" ".join(["UNANNOTATED"] * 7)), line())
        assert key == AnswerKey("D", {ROME: Assessment("C", "C", "C", "C", "Actual", "NAME")}, (), {ROME.cas: 7})
        assert not findings

    def test_a_cluster_on_one_line_is_enough(self):
        other = line("C C I C NIL Actual NAME").replace("Place", "Victim")
        key, findings = scan(other, line())
        assert len(key.assessed) == 2
        assert not findings

    def test_confidence_does_not_matter(self):
        key, findings = scan(line().replace("1.0", "high"))
        assert len(key.assessed) == 1
        assert not findings

    @pytest.mark.parametrize(
        ("lines", "kinds", "places"),
        [
            ([line("C NIL NIL NIL NIL NIL NIL")], ["assessment-missing"] * 5, [13, 14, 15, 17, 18]),
            ([line("C C NIL C NIL Actual NAME")], ["assessment-missing"], [14]),
            ([line("C C W C NIL NIL NAME")], ["assessment-missing"], [17]),
            ([line("W NIL C NIL 7 NIL NIL")], ["assessment-superfluous"], [14]),
            ([line("NIL NIL NIL C 7 Actual NAME")], ["assessment-superfluous"] * 3, [15, 17, 18]),
            ([line("C W NIL NIL 7 NIL NAME")], ["assessment-superfluous"], [18]),
            ([line("C C C C NIL Actual NAME")], ["coref-missing"], [16]),
            ([line(), line("C C C C 8 Actual NAME")], ["coref-conflict"], [16]),
            ([line(), line("C C C I 7 Actual NAME")], ["assessment-conflict"], [12]),
            ([line("X c C C 7 Actual NAME")], ["assessment-value"] * 2, [12, 13]),
            ([line("C C C C seven Maybe VERB")], ["assessment-value"] * 3, [16, 17, 18]),
            ([line("C C C C 2147483648 Actual NAME")], ["assessment-value", "coref-missing"], [16, 16]),
            ([line("C C C C 7 Actual")], ["columns"], [1]),
            ([line("C C C C 7 Actual NAME more")], ["columns"], [1]),
            ([line(at="x")], ["span"], [6]),
        ],
    )
    def test_mistakes(self, lines, kinds, places):
        _, findings = scan(*lines)
        assert [finding.kind for finding in findings] == kinds
        fields = lines[-1].split("\t")
        columns = [1 + sum(len(field) + 1 for field in fields[: place - 1]) for place in places]
        assert [finding.problem.column for finding in findings] == columns
        assert {finding.problem.line for finding in findings} == {len(lines)}
        assert all(finding.problem.hint and finding.problem.path == "key/D" for finding in findings)

    def test_what_contradicts_the_guidelines_is_still_read(self):
        key, findings = scan(line("W NIL C NIL NIL NIL NIL"))
        assert key.assessed == {ROME: Assessment("W", None, "C")}
        assert [finding.kind for finding in findings] == ["assessment-superfluous", "coref-missing"]

    def test_it_can_be_read_as_arguments(self):
        arguments, problems = parse_arguments(line().encode(), "D")
        assert [each.response for each in arguments.arguments] == [ROME]
        assert not problems


class TestWrite:
    @given(keys())
    def test_what_is_written_comes_back(self, key):
        data = write_key(key)
        again, problems = parse_key(data, DOCUMENT)
        assert not problems
        assert (again.assessed, set(again.unassessed), again.coref) == (key.assessed, set(key.unassessed), key.coref)
        assert write_key(again) == data
        assert parse_key(write_key(again), DOCUMENT)[0] == again

    def test_there_are_no_ids_to_keep(self):
        with pytest.raises(UsageError):
            write_key(AnswerKey("D"), ids="keep")

    def test_assessed_first(self):
        later = ROME._replace(role="Victim", cas=Cas("Oslo", Span(1, 4)))
        key = AnswerKey("D", {later: Assessment("W")}, (ROME, later), {})
        lines = write_key(key).decode().splitlines()
        assert [each.split("\t")[4] for each in lines] == ["Oslo", "Rome"]
        assert lines[0].split("\t")[11:] == ["W", "NIL", "NIL", "NIL", "NIL", "NIL", "NIL"]
        assert lines[1].split("\t")[10:] == ["1.0", *["UNANNOTATED"] * 7]

    def test_clusters_that_would_not_come_back_are_not_written(self):
        for number in (-(2**31), 2**31 - 1):
            key = AnswerKey("D", {ROME: Assessment("W")}, (), {ROME.cas: number})
            assert parse_key(write_key(key), "D") == (key, [])
        for number in (-(2**31) - 1, 2**31):
            with pytest.raises(ValidationError, match=f"the cluster {number} of 'Rome' is not a 32-bit number"):
                write_key(AnswerKey("D", {ROME: Assessment("W")}, (), {ROME.cas: number}))
