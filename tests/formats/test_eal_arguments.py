"""Argument files: what is read, what is wrong and where, and that what is written comes back."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import ValidationError
from adjudge.formats.eal_arguments import (
    format_confidence,
    parse_arguments,
    scan_arguments,
    write_arguments,
)
from adjudge.formats.eal_fields import sha1_id
from adjudge.model.eal import Argument, Arguments, Cas, Response, Span
from eal_files import DOCUMENT, argument_files

FIELDS = ["1", "D", "Conflict.Attack", "Place", "Rome", "20-23", "5-50", "20-23", "NIL", "Actual", "0.8"]
ROME = Response("D", "Conflict.Attack", "Place", Cas("Rome", Span(20, 23)), Span(20, 23), (Span(5, 50),), (), "Actual")


def line(**changes):
    fields = list(FIELDS)
    for at, value in changes.items():
        fields[int(at[1:]) - 1] = value
    return "\t".join(fields)


def comes_back(argument):
    """Whether a line with the fields of a response, written without any thought, is read as that response."""
    response = argument.response
    spans = [",".join(f"{a}-{b}" for a, b in each) or "NIL" for each in (response.justifications, response.additional)]
    cas, filler = response.cas, response.base_filler
    fields = [argument.id, response.document, response.type, response.role, cas.text, f"{cas.span[0]}-{cas.span[1]}"]
    fields += [spans[0], f"{filler[0]}-{filler[1]}", spans[1], response.realis, repr(float(argument.confidence))]
    above = "" if argument.comment is None else "".join(f"#{each}\n" for each in argument.comment.split("\n"))
    try:
        data = (above + "\t".join(fields) + "\n").encode()
    except UnicodeEncodeError:
        return False
    arguments, problems = parse_arguments(data, "D")
    return not problems and [each._replace(line=0) for each in arguments.arguments] == [argument]


def check(argument):
    """Exactly those are refused of which a reader finds something else in the line that says what they are."""
    if comes_back(argument):
        (again,) = parse_arguments(write_arguments(Arguments("D", [argument]), ids="keep"), "D")[0].arguments
        assert again._replace(line=0) == argument
    else:
        with pytest.raises(ValidationError, match="a response cannot be written"):
            write_arguments(Arguments("D", [argument]), ids="keep")


def either(good, bad):
    """Mostly something good, because with two faults nothing is learnt about the second."""
    return st.one_of(good, good, good, good, good, st.sampled_from(bad))


STRANGE = ["", " x", "x ", "x\u3000", "x\x85", "\x1fx", "a\tb", "a\nb", "a\r", "\ud800", "#x", "\ufeffx", "NIL", "\x00"]
ODD_SPANS = [Span(3, 2), Span(-1, 4), Span(0, 2**31), Span(2**31 - 1, 2**31 - 1), Span(True, 4), Span(1.0, 2), (5, 9)]
PLAIN = st.sampled_from(["x", "Life.Die", "a  b", "\u674e", "\U0001f600", "7", "-"])
SPANS_OF = either(st.builds(lambda a, b: Span(a, a + b), st.integers(0, 99), st.integers(0, 9)), ODD_SPANS)
SETS = either(
    st.frozensets(SPANS_OF.filter(lambda each: each[0] <= 99), min_size=1, max_size=3).map(lambda s: tuple(sorted(s))),
    [(), (Span(5, 6), Span(1, 2)), (Span(1, 2), Span(1, 2)), frozenset([Span(1, 2)])],
)
HOSTILE = st.builds(
    Argument,
    st.builds(
        Response,
        either(st.just("D"), ["E", "", " D"]),
        either(PLAIN, STRANGE),
        either(PLAIN, STRANGE),
        st.builds(Cas, either(PLAIN, STRANGE), SPANS_OF),
        SPANS_OF,
        SETS,
        either(st.just(()), [(Span(1, 2),), (Span(5, 6), Span(1, 2)), (Span(0, 2**31),)]),
        either(st.sampled_from(["Actual", "Generic", "Other"]), ["actual", "ACTUAL", "", "Maybe"]),
    ),
    either(st.floats(0, 1), [0, 1, True, -0.0, 1.5, -0.5, float("nan"), float("inf"), Fraction(1, 3), Fraction(1, 2)]),
    either(PLAIN, STRANGE),
    either(st.none(), ["", "why", "a\nb", "a\rb", "\ud800", "\n", "#\ttab"]),
    st.just(0),
)


def read(*lines, **options):
    return parse_arguments("\n".join(lines).encode(), "D", "store/D", **options)


class TestRead:
    def test_a_line(self):
        arguments, problems = read(line())
        assert arguments == Arguments("D", [Argument(ROME, 0.8, "1", None, 1)])
        assert not problems

    @pytest.mark.parametrize("text", ["", "\n", "\n\n# nothing\n", "\ufeff", "#only\n"])
    def test_files_without_responses(self, text):
        assert parse_arguments(text.encode(), "D") == (Arguments("D", []), [])

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            ({"c2": " D "}, ROME),
            ({"c3": "Conflict.Attack\u00a0"}, ROME),
            ({"c5": "\u3000Rome "}, ROME),
            ({"c5": ""}, ROME._replace(cas=Cas("", Span(20, 23)))),
            ({"c5": "a  b"}, ROME._replace(cas=Cas("a  b", Span(20, 23)))),
            ({"c5": "\x1fRome"}, ROME._replace(cas=Cas("\x1fRome", Span(20, 23)))),  # no blank, though Python strips it
            ({"c6": " 20-23"}, ROME),
            ({"c7": "60-70 , 5-50,,5-50"}, ROME._replace(justifications=(Span(5, 50), Span(60, 70)))),
            ({"c7": "5-50,"}, ROME),
            ({"c8": "020-23"}, ROME),
            ({"c9": " NIL "}, ROME),
            ({"c9": "1-2,0-0"}, ROME._replace(additional=(Span(0, 0), Span(1, 2)))),
            ({"c9": "0-2147483647"}, ROME._replace(additional=(Span(0, 2147483647),))),
            ({"c10": "ACTUAL"}, ROME),
            ({"c10": "gEneric"}, ROME._replace(realis="Generic")),
            ({"c11": "8e-1 "}, ROME),
            ({"c11": "0.8\tmore\tcolumns"}, ROME),
        ],
    )
    def test_values(self, changes, expected):
        arguments, problems = read(line(**changes))
        assert not problems
        assert [each.response for each in arguments.arguments] == [expected]
        assert arguments.arguments[0].confidence == 0.8

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_line_ends(self, end):
        text = end.join((line(), "#why", line(c5="Oslo"), ""))
        arguments, problems = parse_arguments(text.encode(), "D")
        assert not problems
        found = [(each.response.cas.text, each.line, each.comment) for each in arguments.arguments]
        assert found == [("Rome", 1, None), ("Oslo", 3, "why")]

    def test_comments_directly_above(self):
        arguments, _ = read("# one", "", "#two", "#three\t1\t2\t3\t4\t5\t6\t7\t8\t9\t10", line(), line(c5="Oslo"))
        assert [each.comment for each in arguments.arguments] == ["two\nthree\t1\t2\t3\t4\t5\t6\t7\t8\t9\t10", None]

    @pytest.mark.parametrize(
        ("changes", "column", "kind", "says"),
        [
            ({"c3": " "}, 5, "empty", "nothing stands in column 3 (type)"),
            ({"c4": ""}, 21, "empty", "nothing stands in column 4 (role)"),
            ({"c6": "23-20"}, 32, "span", "the span 23-20 ends before it starts in column 6 (CAS span)"),
            ({"c6": "20:23"}, 32, "span", "'20:23' is not a span in column 6"),
            ({"c6": "20-23,30-33"}, 32, "span", "'20-23,30-33' is not a span in column 6"),
            ({"c6": "-1-3"}, 32, "span", "the span -1-3 has a negative offset"),
            ({"c6": "2147483648-2147483649"}, 32, "span", "has an offset above 2147483647"),
            ({"c6": "1-99999999999999999999"}, 32, "span", "has an offset above 2147483647"),
            ({"c6": "\uff11-\uff12"}, 32, "span", "is not a span"),
            ({"c6": "1_0-20"}, 32, "span", "is not a span"),
            ({"c6": ""}, 32, "span", "no span stands in column 6"),
            ({"c7": "NIL"}, 38, "justification", "there is no predicate justification"),
            ({"c7": ","}, 38, "justification", "there is no predicate justification"),
            ({"c7": ""}, 38, "justification", "the list of spans is empty"),
            ({"c7": "5-50,x"}, 38, "justification", "'x' is not a span"),
            ({"c8": "NIL"}, 43, "span", "'NIL' is not a span in column 8"),
            ({"c9": ""}, 49, "span", "the list of spans is empty in column 9"),
            ({"c10": "Actually"}, 53, "realis", "there is no realis 'Actually'"),
            ({"c11": "high"}, 60, "confidence", "'high' is not a number"),
            ({"c11": "1.01"}, 60, "confidence", "the confidence 1.01 is not from 0 to 1"),
            ({"c11": "-0.1"}, 60, "confidence", "is not from 0 to 1"),
            ({"c11": "nan"}, 60, "confidence", "is not from 0 to 1"),
            ({"c11": "inf"}, 60, "confidence", "is not from 0 to 1"),
            ({"c11": "0.1_0"}, 60, "confidence", "is not a number"),
            ({"c11": "\uff10.5"}, 60, "confidence", "is not a number"),
            ({"c11": ""}, 60, "confidence", "is not a number"),
        ],
    )
    def test_what_is_wrong(self, changes, column, kind, says):
        arguments, findings = scan_arguments(
            "\n".join((line(c5="Oslo"), line(**changes), line(c5="Bonn"))).encode(), "D", "store/D"
        )
        assert [each.response.cas.text for each in arguments.arguments] == ["Oslo", "Bonn"]
        (finding,) = findings
        assert (finding.kind, finding.error, finding.document) == (kind, True, "D")
        assert (finding.problem.path, finding.problem.line, finding.problem.column) == ("store/D", 2, column)
        assert says in finding.problem.message
        assert finding.problem.hint

    def test_everything_at_once(self):
        _, problems = read(line(c6="x", c10="y", c11="z"), "too\tfew", "  ", line(c2="E"), line(c7="NIL"))
        assert [(each.line, each.column) for each in problems] == [
            (1, 32), (1, 49), (1, 51), (2, 1), (3, 1), (4, 3), (5, 38)
        ]  # fmt: skip
        assert "2 of 11 columns" in problems[3].message
        assert "nothing but blanks" in problems[4].message

    def test_another_document_is_said_once(self):
        _, problems = read(*(line(c1=str(each), c2="E", c5=str(each)) for each in range(300)), line(c2="F"))
        assert [each.message for each in problems] == [
            "300 lines have the document id 'E' in the file of 'D'",
            "the line has the document id 'F' in the file of 'D'",
        ]

    def test_a_file_name_with_an_extension(self):
        _, problems = parse_arguments(line().encode(), "D.tab")
        assert problems[0].hint == "name the file D, with no extension"

    def test_many_problems_are_counted(self):
        _, problems = read(*(line(c10="x") for _ in range(1000)))
        assert len(problems) == 101
        assert problems[-1].message == "and 900 more of the kind realis"

    def test_repeated_responses(self):
        lines = (line(), line(c5="Oslo"), line(c1="7", c9="NIL ", c10="ACTUAL", c11="0.9"))
        arguments, problems = read(*lines)
        assert [each.line for each in arguments.arguments] == [1, 2]
        assert str(problems[0]).startswith("store/D:3:1: this is the response of line 1 again")
        arguments, problems = read(*lines, repeats="best")
        assert [(each.line, each.confidence) for each in arguments.arguments] == [(3, 0.9), (2, 0.8)]
        assert not problems

    def test_additional_justifications_make_another_response(self):
        arguments, problems = read(line(), line(c9="1-2"))
        assert len(arguments.arguments) == 2
        assert not problems

    def test_bytes_that_are_not_utf8(self):
        data = b"\n".join((line().encode(), line(c5="Jos\xe9").encode("latin-1"), line(c5="\u674e").encode()))
        arguments, problems = parse_arguments(data, "D")
        assert [each.line for each in arguments.arguments] == [1, 3]
        assert str(problems[0]) == "D:2:30: the byte 0xe9 is not UTF-8, save the file in UTF-8"

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
    def test_utf16(self, encoding):
        data = line().encode(encoding) if encoding == "utf-16" else b"\xfe\xff" + line().encode(encoding)
        _, problems = parse_arguments(data, "D")
        assert [each.message for each in problems] == ["the file is in UTF-16"]

    @given(st.binary(max_size=200))
    def test_any_bytes(self, data):
        arguments, problems = parse_arguments(data, "D")
        lines = data.replace(b"\r", b"\n").removeprefix(b"\xef\xbb\xbf").split(b"\n")
        if any(each and not each.startswith(b"#") for each in lines):
            assert problems or arguments.arguments

    @given(st.lists(st.sampled_from(["\t", "1", "D", "a.b", "5-6", "NIL", "Actual", "-", ",", " ", "#", "0.5", "\n"])))
    def test_a_line_is_read_or_reported(self, parts):
        text = "".join(parts)
        arguments, findings = scan_arguments(text.encode(), "D")
        said = [number for number, each in enumerate(text.split("\n"), 1) if each and each[0] != "#"]
        strange = {finding.problem.line for finding in findings if finding.kind == "document-id"}
        seen = {each.line for each in arguments.arguments} | {finding.problem.line for finding in findings}
        assert seen <= set(said)
        if not strange:
            assert seen == set(said)


class TestWrite:
    @given(argument_files())
    def test_what_is_written_comes_back(self, arguments):
        data = write_arguments(arguments)
        again, problems = parse_arguments(data, DOCUMENT)
        assert not problems
        assert {each.response: (each.confidence, each.comment) for each in again.arguments} == {
            each.response: (each.confidence, each.comment) for each in arguments.arguments
        }
        assert [each.id for each in again.arguments] == sorted(sha1_id(each.response) for each in again.arguments)
        assert write_arguments(again) == data
        assert write_arguments(again, ids="keep") == data
        assert parse_arguments(write_arguments(again), DOCUMENT)[0] == again

    @given(argument_files())
    def test_numbers_in_order(self, arguments):
        again, problems = parse_arguments(write_arguments(arguments, ids="2014"), DOCUMENT)
        assert not problems
        assert [int(each.id) for each in again.arguments] == sorted(int(each.id) for each in again.arguments)

    @pytest.mark.parametrize(
        ("argument", "says"),
        [
            (Argument(ROME._replace(type="a\tb")), "its type 'a\\tb' has TABs"),
            (Argument(ROME._replace(role=" x")), "its role ' x' has"),
            (Argument(ROME._replace(role="")), "its role is empty"),
            (Argument(ROME._replace(document="E")), "it is of the document 'E'"),
            (Argument(ROME._replace(cas=Cas("a\rb", Span(0, 1)))), "its CAS 'a\\rb' has"),
            (Argument(ROME._replace(cas=Cas("\ud800", Span(0, 1)))), "is not Unicode text"),
            (Argument(ROME._replace(base_filler=Span(5, 4))), "5-4 is not a span"),
            (Argument(ROME._replace(base_filler=Span(-5, 4))), "-5-4 is not a span"),
            (Argument(ROME._replace(justifications=())), "it has no predicate justification"),
            (Argument(ROME._replace(justifications=(Span(5, 6), Span(1, 2)))), "are not in order"),
            (Argument(ROME._replace(realis="Maybe")), "there is no realis 'Maybe'"),
            (Argument(ROME, float("nan")), "its confidence nan is not"),
            (Argument(ROME, comment="a\rb"), "its comment has a carriage return"),
            (Argument(ROME, id="#1"), "its id '#1' would be a comment"),
            (Argument(ROME, comment="\ud800"), "its comment '\\ud800' is not Unicode text"),
            (Argument(ROME._replace(base_filler=Span(0, 2**31))), "0-2147483648 is not a span"),
            (Argument(ROME, Fraction(1, 3)), "it would not come back as it is"),
        ],
    )
    def test_what_would_not_come_back_is_not_written(self, argument, says):
        with pytest.raises(ValidationError) as caught:
            write_arguments(Arguments("D", [argument]), ids="keep")
        assert says in str(caught.value)

    @pytest.mark.parametrize("ids", ["sha1", "2014"])
    @pytest.mark.parametrize("change", [{"realis": "Maybe"}, {"additional": (Span(0, 2**40),)}])
    def test_nor_is_it_hashed(self, ids, change):
        with pytest.raises(ValidationError, match="a response cannot be written"):
            write_arguments(Arguments("D", [Argument(ROME._replace(**change))]), ids=ids)

    @pytest.mark.parametrize("text", STRANGE)
    def test_strange_texts(self, text):
        check(Argument(ROME._replace(document=text)))
        check(Argument(ROME._replace(type=text)))
        check(Argument(ROME._replace(role=text)))
        check(Argument(ROME._replace(cas=Cas(text, Span(20, 23)))))
        check(Argument(ROME._replace(realis=text)))
        check(Argument(ROME, id=text))
        check(Argument(ROME, comment=text))

    @pytest.mark.parametrize("span", ODD_SPANS)
    def test_odd_spans(self, span):
        check(Argument(ROME._replace(cas=Cas("Rome", span))))
        check(Argument(ROME._replace(base_filler=span)))
        for spans in ((span,), (Span(0, 0), span), (span, Span(2**31 - 1, 2**31 - 1))):
            check(Argument(ROME._replace(justifications=spans)))
            check(Argument(ROME._replace(additional=spans)))

    @given(st.lists(HOSTILE, min_size=1, max_size=4))
    def test_whatever_is_written_comes_back(self, hostile):
        for argument in hostile:
            check(argument)
        fine = list({each.response: each for each in hostile if comes_back(each)}.values())
        again, problems = parse_arguments(write_arguments(Arguments("D", fine), ids="keep"), "D")
        assert not problems
        assert {each.response: each._replace(line=0) for each in again.arguments} == {
            each.response: each for each in fine
        }

    def test_repeated_responses_are_not_written(self):
        with pytest.raises(ValidationError, match="there twice"):
            write_arguments(Arguments("D", [Argument(ROME), Argument(ROME, 0.5)]))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (1, "1.0"),
        (0.8, "0.8"),
        (0.25, "0.25"),
        (0.001, "0.001"),
        (0.00099, "9.9E-4"),
        (0.0001, "1.0E-4"),
        (1e-5, "1.0E-5"),
        (1.5e-7, "1.5E-7"),
        (1234e-9, "1.234E-6"),
        (0.30000000000000004, "0.30000000000000004"),
    ],
)
def test_numbers_of_java(value, text):
    assert format_confidence(value) == text


@given(st.floats(0, 1))
def test_numbers_come_back(value):
    assert float(format_confidence(value)) == value
