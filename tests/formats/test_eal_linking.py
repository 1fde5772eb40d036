"""Linking files: every way to write them, every mistake in them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import ValidationError
from adjudge.formats.eal_arguments import parse_arguments, write_arguments
from adjudge.formats.eal_fields import id_2014, sha1_id
from adjudge.formats.eal_linking import parse_linking, scan_linking, write_linking
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Cas, Frame, Linking, Response, Span
from eal_files import DOCUMENT, linked_files


def response(text):
    at = Span(0, 1)
    return Response("D", "Life.Die", "Victim", Cas(text, at), at, (at,), (), "Actual")


A, B, C, E = map(response, "abce")
ARGUMENTS = Arguments("D", [Argument(each, id=str(number)) for number, each in enumerate((A, B, C), 1)])
NAMED = Arguments("D", [Argument(each, id=sha1_id(each)) for each in (A, B, C)])


def read(text, known=ARGUMENTS, **options):
    return parse_linking(text.encode(), known, "linking/D", **options)


def frames(text, known=ARGUMENTS, **options):
    linking, problems = read(text, known, **options)
    assert not problems
    return ["".join(sorted(each.cas.text for each in frame.responses)) for frame in linking.frames]


class TestRead:
    @pytest.mark.parametrize(
        "text",
        [
            "1\t2\n3\n",
            "1 2\n3\n",
            " 1  2 \n\n   \n# no\n3",
            "1 2\r\n3\r\n",
            "\ufeff1\t2 \n3\t\nINCOMPLETE\t\n",
            "1 2 1\n3\n",
            "1 2\n3\nINCOMPLETE\n",
        ],
    )
    def test_separators(self, text):
        assert frames(text) == ["ab", "c"]

    def test_the_official_program_knows_tabs_only(self):
        assert frames("1\t2\n3\n", separator="tab") == ["ab", "c"]
        linking, problems = read("1 2\n3\n", separator="tab")
        assert str(problems[0]).startswith("linking/D:1:1: there is no response with the id '1 2'")
        assert [len(frame.responses) for frame in linking.frames] == [1]

    def test_ids_by_content(self):
        assert frames(f"{sha1_id(A)}\t2\n{id_2014(C)}\n") == ["ab", "c"]

    def test_ids_of_assessments(self):
        key = AnswerKey("D", {A: Assessment("W")}, (B,), {})
        assert frames(f"{sha1_id(A)} {sha1_id(B)}", key) == ["ab"]

    def test_a_response_may_be_in_several_frames_and_a_frame_there_twice(self):
        assert frames("1 2\n1 3\n1 2\n") == ["ab", "ac", "ab"]

    def test_incomplete(self):
        linking, problems = read("1\nINCOMPLETE\t2 3\n")
        assert linking == Linking("D", [Frame(frozenset([A]))], frozenset([B, C]))
        assert not problems

    @pytest.mark.parametrize(
        ("text", "line", "column", "kind"),
        [
            ("1 2\n3 9\n", 2, 3, "unknown-id"),
            ("1\t\t9\t3\n", 1, 4, "unknown-id"),
            (f"{sha1_id(E)}\n", 1, 1, "unknown-id"),
            ("1\nINCOMPLETE\t9\n", 2, 12, "unknown-id"),
            ("1\nINCOMPLETE\t2 1\n", 2, 14, "linked-incomplete"),
            ("1\nINCOMPLETE\t2\nINCOMPLETE\t3\n", 3, 1, "repeated-incomplete"),
            ("1 incomplete\n", 1, 3, "unknown-id"),
        ],
    )
    def test_mistakes(self, text, line, column, kind):
        _, (finding,) = scan_linking(text.encode(), ARGUMENTS, "linking/D")
        assert (finding.kind, finding.problem.line, finding.problem.column) == (kind, line, column)
        assert finding.problem.path == "linking/D"
        assert finding.problem.hint

    def test_everything_at_once(self):
        linking, problems = read("7 1 8\n2 9\n")
        assert [(each.line, each.column) for each in problems] == [(1, 1), (1, 5), (2, 3)]
        assert [len(frame.responses) for frame in linking.frames] == [1, 1]

    def test_several_incomplete_lines_as_in_2015(self):
        linking, problems = read("1\nINCOMPLETE\t2\nINCOMPLETE\t3\n", repeated_incomplete="last")
        assert linking.incomplete == {C}
        assert not problems

    def test_an_id_of_two_responses(self):
        known = Arguments("D", [Argument(A, id="1", line=4), Argument(B, id="1", line=7), Argument(C, id="3", line=9)])
        linking, problems = read("1 3\n3\n", known)
        assert [problem.message for problem in problems] == ["the id '1' stands in lines 4 and 7 of the arguments"]
        assert [frame.responses for frame in linking.frames] == [{C}, {C}]

    def test_a_close_id(self):
        known = Arguments("D", [Argument(A, id="response-1")])
        _, problems = read("reponse-1", known)
        assert problems[0].hint == "did you mean response-1?"

    def test_an_empty_id_names_nothing(self):
        known = Arguments("D", [Argument(A), Argument(B)])
        assert frames(sha1_id(A), known) == ["a"]


class TestHoppers:
    TEXT = f"h1\t{sha1_id(A)} {sha1_id(B)}\nh2\t{sha1_id(C)}\nINCOMPLETE\t\n"

    def test_the_file_decides(self):
        linking, problems = read(self.TEXT, NAMED)
        assert not problems
        assert [(frame.id, len(frame.responses)) for frame in linking.frames] == [("h1", 2), ("h2", 1)]

    def test_names_that_are_numbers(self):
        linking, _ = read(self.TEXT.replace("h", ""), NAMED)
        assert [frame.id for frame in linking.frames] == ["1", "2"]

    def test_tabs_between_ids(self):
        linking, problems = read(self.TEXT.replace(" ", "\t"), NAMED, layout="2016")
        assert [(frame.id, len(frame.responses)) for frame in linking.frames] == [("h1", 2), ("h2", 1)]
        assert not problems

    @pytest.mark.parametrize("text", ["7\t1\n8\t2\n", f"{sha1_id(E)}\t1\n{sha1_id(E)}\t2\n", "7\t1\n1\t2\n"])
    def test_an_unknown_id_is_no_name(self, text):
        known = NAMED if sha1_id(E) in text else ARGUMENTS
        text = text.replace("\t1", f"\t{sha1_id(A)}").replace("\t2", f"\t{sha1_id(B)}") if known is NAMED else text
        _, findings = scan_linking(text.encode(), known)
        assert {finding.kind for finding in findings} == {"unknown-id"}

    @pytest.mark.parametrize(
        ("text", "kind"),
        [
            ("h1\t1\nh1\t2\n", "repeated-hopper"),
            ("h-1\t1\n", "hopper-name"),
            ("h1\t\nh2\t1", "empty-hopper"),
            ("h1\nh2\t1", "empty-hopper"),
        ],
    )
    def test_mistakes(self, text, kind):
        _, findings = scan_linking(text.encode(), ARGUMENTS, layout="2016")
        assert [finding.kind for finding in findings] == [kind]


class TestWrite:
    @given(linked_files(), st.sampled_from(["\t", " "]))
    def test_what_is_written_comes_back(self, files, separator):
        arguments, linking = files
        known, _ = parse_arguments(write_arguments(arguments), DOCUMENT)
        data = write_linking(linking, separator=separator)
        again, problems = parse_linking(data, known)
        assert (again, problems) == (linking, [])
        assert write_linking(again, separator=separator) == data

    @given(linked_files())
    @settings(max_examples=25)
    def test_other_ids(self, files):
        arguments, linking = files
        listed = {each.response: str(number) for number, each in enumerate(arguments.arguments)}
        known = Arguments(DOCUMENT, [each._replace(id=listed[each.response]) for each in arguments.arguments])
        assert parse_linking(write_linking(linking, ids=listed), known) == (linking, [])

    @given(linked_files())
    @settings(max_examples=25)
    def test_hoppers(self, files):
        arguments, linking = files
        named = [frame._replace(id=f"e{at}") for at, frame in enumerate(linking.frames)]
        linking = Linking(DOCUMENT, named, linking.incomplete)
        data = write_linking(linking, layout="2016")
        assert parse_linking(data, arguments, layout="2016") == (linking, [])
        assert parse_linking(data, arguments) == (linking, [])

    def test_order(self):
        linking = Linking("D", [Frame(frozenset([A, B, C])), Frame(frozenset([A]))], frozenset([E]))
        ids = {A: "10", B: "9", C: "-3", E: "1"}
        assert write_linking(linking, ids=ids) == b"-3\t9\t10\n10\nINCOMPLETE\t1\n"

    def test_frames_without_names_get_new_ones(self):
        linking = Linking("D", [Frame(frozenset([A])), Frame(frozenset([B]), "h1")])
        assert write_linking(linking, ids={A: "1", B: "2"}, layout="2016") == b"hh1\t1\nh1\t2\nINCOMPLETE\t\n"

    @pytest.mark.parametrize(
        ("linking", "options"),
        [
            (Linking("D", [Frame(frozenset([A]))]), {"ids": {}}),
            (Linking("D", [Frame(frozenset([A]))]), {"ids": {A: "a b"}}),
            (Linking("D", [Frame(frozenset([A]))]), {"ids": {A: "INCOMPLETE"}}),
            (Linking("D", [Frame(frozenset([A]))]), {"ids": {A: "#1"}}),
            (Linking("D", [Frame(frozenset([A]), "a-b")]), {"layout": "2016"}),
            (Linking("D", [Frame(frozenset([A]), "h"), Frame(frozenset([B]), "h")]), {"layout": "2016"}),
            (Linking("D", [Frame(frozenset())]), {}),
        ],
    )
    def test_what_would_not_come_back_is_not_written(self, linking, options):
        with pytest.raises(ValidationError):
            write_linking(linking, **options)
