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
    def test_another_document_is_said_once(self):
        _, problems = read(*(line(c1=str(each), c2="E", c5=str(each)) for each in range(300)), line(c2="F"))
        assert [each.message for each in problems] == [
            "300 lines have the document id 'E' in the file of 'D'",
            "the line has the document id 'F' in the file of 'D'",
        ]

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
        with pytest.raises(ValidationError, match="occurs twice"):
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


@pytest.mark.parametrize("at", range(12))
@pytest.mark.parametrize("value", ["", " ", " Rome ", "5-50 ", "NIL", "ACTUAL", "1e-3", "7", "D2", "5-50,1-2"])
def test_an_empty_line_changes_nothing(at, value):
    """Files without anything unusual are read in another way, column by column; it must say the same."""
    fields = [*FIELDS, "more"]
    fields[at] = value
    odd = "\t".join(fields[: 12 if at == 11 else 11])
    data = f"{odd}\n{line(c1='2', c5='Oslo')}\n".encode()
    plain, empty = scan_arguments(data, "D"), scan_arguments(data + b"\n", "D")
    assert plain[0] == empty[0]
    assert [each.problem for each in plain[1]] == [each.problem for each in empty[1]]
