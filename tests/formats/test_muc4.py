"""Templates, decisions and slots of MUC-4 are read, and what is wrong in them is said with its place."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.formats.muc4 import read_templates
from adjudge.formats.muc4_slots import Compound, Malformed, muc4_slots, parse_filler, read_slots, show


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
        # With a reference, a number is not a range.
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


words = st.from_regex(r"[A-Z]{1,4}( [A-Z]{1,3})?", fullmatch=True)
strings = words.map('"{}"'.format)
alternatives = st.lists(strings, min_size=2, max_size=3).map(lambda parts: either(*parts))
simple = st.one_of(strings, alternatives)
values = st.one_of(simple, st.builds(xref, simple, simple))
optional = values.map(lambda value: Compound("optional", (value,)))


@given(st.one_of(values, optional))
def test_a_value_is_read_back_from_what_is_shown(value):
    assert parse_filler(show(value), "string") == value


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
