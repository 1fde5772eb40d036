"""Templates, decisions and slots of MUC-4 are read, and what is wrong in them is said with its place."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError
from adjudge.formats.muc4 import Decision, read_history, read_muc4, read_templates
from adjudge.formats.muc4_slots import ERROR, TYPES, Compound, Malformed, muc4_slots, parse_filler, read_slots, show
from muc4_templates import file, template


def either(*parts):
    return Compound("or", parts)


def xref(value, tag):
    return Compound("xref", (value, tag))


LIMA = Compound("location", ("PERU", Compound("qualified", ("LIMA", "CITY"))))


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("-", "string", None),
        ("*", "set", None),
        ("", "date", None),
        ("?  -", "string", None),
        ("BOMBING", "set", "BOMBING"),
        ('"X"', "string", '"X"'),
        (r'"A \"B\" C"', "string", r'"A \"B\" C"'),
        ('"A / B: C"', "string", '"A / B: C"'),
        ('? "X"', "string", Compound("optional", ('"X"',))),
        ('"A" / "B"', "string", either('"A"', '"B"')),
        ('DEATH: "A" / "B"', "set", xref("DEATH", either('"A"', '"B"'))),
        ('MINE / BOMB: "A"', "set", xref(either("MINE", "BOMB"), '"A"')),
        ("GUN: -", "set", xref("GUN", "-")),
        ("25 AUG 89", "date", "25 AUG 89"),
        ("24 AUG 89 - 25 AUG 89", "date", Compound("range", ("24 AUG 89", "25 AUG 89"))),
        ("- 25 AUG 89", "date", Compound("range", (None, "25 AUG 89"))),
        ("25 AUG 89 -", "date", Compound("range", ("25 AUG 89", None))),
        ("(- 25 AUG 89) / (24 AUG 89)", "date", either(Compound("range", (None, "25 AUG 89")), "24 AUG 89")),
        ("3 - 5", "number", Compound("range", ("3", "5"))),
        # With a reference, a number is no range.
        ('3 - 5: "MEN"', "number", xref("3 - 5", '"MEN"')),
        ('- 5 / PLURAL: "MEN"', "number", xref(either("- 5", "PLURAL"), '"MEN"')),
        ("A / B: (C", "text", "A / B: (C"),
        ("PERU", "location", "PERU"),
        ("PERU: LIMA (CITY)", "location", LIMA),
        ("(PERU: LIMA (CITY)) / (PERU)", "location", either(LIMA, "PERU")),
        ("PERU: LIMA (CITY) / PERU", "location", either(LIMA, "PERU")),
        ("CHILE: A (TOWN) - B-C (TOWN)", "location", Compound("location", (
            "CHILE", Compound("between", (Compound("qualified", ("A", "TOWN")), Compound("qualified", ("B-C", "TOWN"))))
        ))),
    ],
)  # fmt: skip
def test_a_filler_is_taken_apart(text, slot, value):
    assert parse_filler(text, slot) == value


@pytest.mark.parametrize(
    ("text", "slot", "at"),
    [
        ('"A', "string", 0),
        ('"A" "B"', "string", 4),
        ('"A" /', "string", 5),
        ("DEATH:", "set", 6),
        ('A: "B": "C"', "set", 6),
        ("(A", "set", 2),
        ("PERU: LIMA (CITY", "location", 16),
        ("? PERU:", "location", 7),
        ("(" * 60 + "A" + ")" * 60, "string", 50),
    ],
)
def test_a_filler_that_is_not_one_says_where(text, slot, at):
    with pytest.raises(Malformed) as caught:
        parse_filler(text, slot)
    assert caught.value.at == at


texts = st.text('ABC XYZ0129"/:()?-*\\ ', max_size=25)


@given(texts, st.sampled_from([name for name in TYPES if name not in ("message", "template")]))
def test_any_text_is_a_value_or_malformed(text, slot):
    at = 0
    try:
        value = parse_filler(text, slot)
    except Malformed as error:
        value, at = None, error.at
    assert 0 <= at <= len(text)
    assert value is None or isinstance(show(value), str)


words = st.from_regex(r"[A-Z]{1,4}( [A-Z]{1,3})?", fullmatch=True)
strings = words.map('"{}"'.format)
alternatives = st.lists(strings, min_size=2, max_size=3).map(lambda parts: either(*parts))
simple = st.one_of(strings, alternatives)
values = st.one_of(simple, st.builds(xref, simple, simple))
optional = values.map(lambda value: Compound("optional", (value,)))


@given(st.one_of(values, optional))
def test_a_value_is_read_back_from_what_is_shown(value):
    assert parse_filler(show(value), "string") == value


def test_templates_of_a_file():
    key = file(
        template("M1", "1", inc_type="BOMBING", perp_ind_id=['"A"', '? "B"']),
        template("M1", "2 (OPTIONAL)", inc_date="- 3 MAY 90"),
        template("M2", "*"),
    )
    read = read_templates(key)
    assert read.warnings == []
    one, two = read.messages["M1"]
    assert one.values == {"inc-type": ("BOMBING",), "perp-ind-id": ('"A"', Compound("optional", ('"B"',)))}
    assert (one.id, one.optional, one.line) == ("1", False, 1)
    assert (two.id, two.optional, two.irrelevant) == ("2", True, False)
    (three,) = read.messages["M2"]
    assert three.irrelevant
    assert three.values == {}


def test_lower_case_comments_line_ends_and_compression():
    text = template("m1 (of 3)", "1", inc_type="bombing").replace("\n", "\r\n")
    read = read_templates(gzip.compress(b'\n; event "M1".3\n' + text.encode()))
    assert read.messages["M1"][0].values == {"inc-type": ("BOMBING",)}
    assert read.warnings == []


def test_templates_need_no_blank_line_between_them():
    text = (template("M1").rstrip("\n") + "\n" + template("M2")).encode()
    assert list(read_templates(text).messages) == ["M1", "M2"]


def test_a_malformed_filler_counts_as_wrong_and_is_reported():
    read = read_templates(file(template("M1", hum_tgt_effect=["DEATH:", 'INJURY: "A"', "DEATH:"])))
    assert read.messages["M1"][0].values["hum-tgt-effect"] == (ERROR, xref("INJURY", '"A"'), ERROR)
    assert [(w.line, w.column) for w in read.warnings] == [(24, 42), (26, 42)]
    assert str(read.warnings[0]).endswith("got the end of the line, the filler counts as wrong")


def test_lines_that_belong_nowhere_are_reported():
    text = "    early\nnonsense\n" + template("M1") + '   "late"\n' + "0.  MESSAGE: ID   M2\n"
    warnings = read_templates(text.encode()).warnings
    assert [warning.line for warning in warnings] == [1, 2, 29, 30]
    assert "no number" in warnings[-1].message


@pytest.mark.parametrize("data", [b"", b"nothing\n", b"\x00\xff\xfe", b"1.  MESSAGE: TEMPLATE  1\n"])
def test_a_file_without_templates_is_an_error(data):
    with pytest.raises(FormatError, match="there are no templates"):
        read_templates(data)


def test_a_message_needs_an_id():
    with pytest.raises(FormatError, match="<bytes>:1:16: there is no message id"):
        read_templates(b"0.  MESSAGE: ID\n")


def test_documents_for_the_default_metric():
    key = file(
        template("M1", "1", inc_type="BOMBING / ATTACK", inc_loc="(PERU: LIMA (CITY)) / (PERU)"),
        template("M1", "2", hum_tgt_type='? FORMER GOVERNMENT OFFICIAL: "A" / "B"'),
        template("M2", "*"),
    )
    first, second = read_muc4(key).documents
    one, two = first.data["incidents"]
    assert one["types"] == ["ATTACK > BOMBING", "ATTACK"]
    assert one["fillers"][0] == {"slot": "inc-loc", "values": ["PERU > LIMA (CITY)", "PERU"], "refers": []}
    official = "POLITICAL FIGURE > GOVERNMENT OFFICIAL > FORMER GOVERNMENT OFFICIAL"
    assert two == {"types": [], "fillers": [{"slot": "hum-tgt-type", "values": [official], "refers": ["A", "B"]}]}
    assert second.data == {"id": "M2", "incidents": []}


HISTORY = rb"""
; decisions
(("M1"
  ("1"
   (perp-ind-id
    ("\"THE MEN\"" match (or "\"MEN\"" "\"GUNMEN\""))
    ("\"ALL\"" partial (all-of "\"A\"" (optional "\"B\"")))
    ("\"NOBODY\"" FAIL))
   (inc-date ((range nil "3 may 90") partial "3 MAY 90")))))
"""


def test_decisions():
    read = read_history(HISTORY).decisions["M1"]["1"]
    assert read["perp-ind-id"] == (
        Decision('"THE MEN"', "match", (either('"MEN"', '"GUNMEN"'),)),
        Decision('"ALL"', "partial", ('"A"', Compound("optional", ('"B"',)))),
        Decision('"NOBODY"', "fail"),
    )
    assert read["inc-date"][0].answer == Compound("range", (None, "3 MAY 90"))
    assert read_history(b"nil").decisions == {}


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (b'(("M1" ("1" (inc-typ ("A" fail)))))', "1:13", "there is no slot 'inc-typ', did you mean inc-type"),
        (b'(("M1" ("1" (inc-type ("A" maybe)))))', "1:23", "expected (answer status [key])"),
        (b'(("M1"\n ("1" (inc-type ("A" match)))))', "2:17", "a match without the key"),
        (b'(("M1" ("1" (inc-type ((any "A") fail)))))', "1:24", "expected a value"),
        (b'((M1 ("1")))', "1:2", "a list that starts with a message id"),
        (b'(("M1")', "1:1", "a parenthesis is not closed"),
        (b'(("M1")))', "1:9", "a closing parenthesis too many"),
        (b'(("M1 ))', "1:3", "a quotation mark is not closed"),
        (b'"M1"', "1:1", "the file is not one list"),
        (b"(" * 60 + b")" * 60, "1:51", "nested more than 50 deep"),
    ],
)
def test_what_is_wrong_with_decisions(text, place, message):
    with pytest.raises(FormatError) as caught:
        read_history(text)
    assert str(caught.value).startswith(f"<bytes>:{place}: ")
    assert message in str(caught.value)


def test_all_problems_of_decisions_at_once():
    with pytest.raises(FormatError) as caught:
        read_history(b'(("M1" ("1" (inc-type ("A" no) ("B")) (nothing))))')
    assert len(caught.value.problems) == 3


@settings(max_examples=100)
@given(st.text('()" \\amtchfil1', max_size=40))
def test_hostile_decisions(text):
    problems = ()
    try:
        read_history(text.encode())
    except FormatError as error:
        problems = error.problems
    assert all(problem.line and problem.column for problem in problems)


def test_the_slots_of_muc4():
    slots = muc4_slots()
    assert len(slots.scored) == 23
    sizes = {slot.id: len(slot.above) for slot in slots.scored if slot.type == "set"}
    assert sizes["inc-type"] == 7
    assert sizes["inc-instr-type"] == 20
    assert sizes["hum-tgt-nation"] == sizes["phys-tgt-nation"] == 76
    by_id = {slot.id: slot for slot in slots.scored}
    assert by_id["inc-type"].above["ARSON"] == ("ATTACK",)
    assert by_id["hum-tgt-effect"].above["NO INJURY OR DEATH"] == ("NO DEATH", "NO INJURY")
    assert by_id["hum-tgt-num"].refers == ("hum-tgt-name", "hum-tgt-desc")
    assert [len(slots.totals[name]) for name in ("inc-total", "perp-total", "phys-tgt-total", "hum-tgt-total")] == [
        6,
        4,
        6,
        7,
    ]
    assert slots.kind is by_id["inc-type"]


SLOTS = {
    "name": "deal",
    "slots": [
        {"id": "doc", "label": "DOC", "type": "message"},
        {"id": "n", "label": "N", "type": "template"},
        {"id": "kind", "label": "KIND", "type": "set", "values": ["DEAL", "DEAL > MERGER"]},
        {"id": "buyer", "label": "BUYER", "type": "string"},
    ],
    "alignment": {"type": "kind", "content": ["buyer"]},
    "totals": {"all": ["kind", "buyer"]},
}


def test_slots_of_another_template():
    slots = read_slots(json.dumps(SLOTS).encode())
    assert slots.totals == {"all": ("kind", "buyer")}
    read = read_templates(b'DOC d1\nN 1\nKIND merger\nBUYER "X"\n', slots)
    assert read.messages["D1"][0].values == {"kind": ("MERGER",), "buyer": ('"X"',)}


def change(**fields):
    changed = json.loads(json.dumps(SLOTS))
    changed["slots"][2] |= fields
    return changed


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "there are no slots"),
        ([], "there are no slots"),
        ({"slots": [{"id": "x"}]}, "slots[0]: object missing required field `label`"),
        (change(type="sett"), "slots[2].type: invalid enum value 'sett'"),
        (change(valuse=[]), "slots[2]: object contains unknown field `valuse`"),
        (change(values="nations"), "there is no set 'nations'"),
        (change(values=[1]), "slots[2].values[0]: expected `str`, got `int`"),
        (change(refers=["byer"]), "there is no slot 'byer', did you mean buyer"),
        (change(label="BUYER"), "two slots have the label 'BUYER'"),
        (change(type="message"), "2 slots have the type message"),
        (SLOTS | {"alignment": {"type": "king"}}, "alignment: there is no slot 'king'"),
        (SLOTS | {"totals": {"all": "x-"}}, "no slot starts with 'x-'"),
        (SLOTS | {"alignment": 3}, "alignment"),
        (SLOTS | {"sets": 3}, "sets"),
        (SLOTS | {"totals": {"all": 3}}, "totals[...]: expected `str | array`, got `int`"),
    ],
)
def test_what_is_wrong_with_slots(data, message):
    with pytest.raises(FormatError) as caught:
        read_slots(json.dumps(data).encode())
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"slots": ', "1:10: malformed JSON"),
        (b"name = ", "this is not TOML"),
        (b"\xff", "the byte 0xff is not UTF-8"),
        (b"{\xff", "1:2: the byte 0xff is not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_slots_that_cannot_be_read(data, message):
    with pytest.raises(FormatError) as caught:
        read_slots(data)
    assert message in str(caught.value)


def test_places_of_problems_in_decisions():
    """Line and column of the list that is wrong, on one line or on several."""
    text = b'(("M1" ("1" (inc-type ("A" maybe)\n  ("B" match) ("C" fail)))\n ("2" (no-slot)))\n(x))'
    with pytest.raises(FormatError) as caught:
        read_history(text)
    lines = text.split(b"\n")
    expected = [(1, lines[0].index(b'("A"') + 1), (2, 3), (3, lines[2].index(b"(no-slot") + 1), (4, 1)]
    assert [(problem.line, problem.column) for problem in caught.value.problems] == expected


def test_escapes_in_decisions():
    r"""In a string, \" is a quotation mark and \\ a backslash."""
    text = rb'(("M1" ("1" (perp-ind-id ("\"A\"" fail) ("B\\C" fail) ("\\\"" fail)))))'
    decisions = read_history(text).decisions["M1"]["1"]["perp-ind-id"]
    assert [decision.answer for decision in decisions] == ['"A"', "B\\C", '\\"']
