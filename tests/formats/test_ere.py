"""Rich ERE and event-nugget XML: reading, writing, and files that are not to be trusted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import FormatError, UsageError, ValidationError
from adjudge.formats.ere import SUBTYPES, ere_type, read_ere, type_name, write_ere
from adjudge.model.nugget import COREFERENCE, Nugget, NuggetDocument, Relation

TEXT = "They shot\nhim down, he died. The arrest was a death."
XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<deft_ere kit_id="k" doc_id="a" source_type="multi_post">
  <entities>
    <entity id="ent-8" type="PER"><entity_mention id="m-13" source="a" offset="0" length="4"/></entity>
  </entities>
  <fillers><filler id="f-1" source="a" offset="0" length="4" type="time">They</filler></fillers>
  <relations/>
  <hoppers>
    <hopper id="h-201">
      <event_mention id="em-180" type="life" subtype="die" realis="generic" audience="twoway">
        <trigger source="a" offset="23" length="4">died</trigger>
        <em_arg entity_id="ent-8" role="agent" realis="true">They</em_arg>
      </event_mention>
      <event_mention id="em-9" type="life" subtype="die">
        <trigger source="a" offset="46" length="5">death</trigger>
      </event_mention>
    </hopper>
    <hopper id="h-7">
      <event_mention id="em-20" type="justice" subtype="arrestjail" realis="actual">
        <trigger source="a" offset="33" length="6">arrest</trigger>
      </event_mention>
    </hopper>
    <hopper id="h-8">
      <event_mention id="x" type="conflict" subtype="attack" realis="other">
        <trigger source="a" offset="5" length="13">shot
him down</trigger>
      </event_mention>
    </hopper>
  </hoppers>
</deft_ere>
"""


def read(xml: str, **options: str | None) -> tuple[NuggetDocument, list[str]]:
    document, notes = read_ere(xml.encode(), **{"name": "a.xml"} | options)  # type: ignore[arg-type]
    return document, [str(note) for note in notes]


def problems(xml: str | bytes, **options: str | None) -> list[str]:
    with pytest.raises(FormatError) as raised:
        read_ere(xml if isinstance(xml, bytes) else xml.encode(), **{"name": "a.xml"} | options)  # type: ignore[arg-type]
    return [str(problem) for problem in raised.value.problems]


def mention(trigger: str, attributes: str = 'id="em-1" type="life" subtype="die"') -> str:
    return f'<deft_ere doc_id="a"><event_mention {attributes}>{trigger}</event_mention></deft_ere>'


@given(st.text(alphabet="Aa-_ß", max_size=6) | st.sampled_from([f"Justice_{name}" for name in SUBTYPES.values()]))
def test_types_are_read_as_written(name: str) -> None:
    read_back = type_name(*ere_type(name))
    assert type_name(*ere_type(read_back)) == read_back
    if all(part[:1].upper() == part[:1] for part in name.split("_", 1)):
        assert read_back == name


def test_offsets_in_utf_16_units() -> None:
    text = "\U0001f600 he \U0001f600 died then"
    xml = mention('<trigger source="a" offset="9" length="4">died</trigger>')
    assert read(xml, text=text, units="utf-16")[0].nuggets[0].pieces == ((7, 11),)
    assert read(xml, text=text)[1][-1] == "a.xml: the offsets look like UTF-16 units: give --offsets utf-16"
    assert "inside a character" in problems(xml.replace('"9"', '"1"'), text=text, units="utf-16")[0]
    with pytest.raises(UsageError, match="without the text"):
        read(xml, units="utf-16")


def test_writing() -> None:
    document, _ = read(XML, text=TEXT)
    written = write_ere(document)
    assert read(written, text=TEXT)[0].nuggets == [
        nugget._replace(line=line) for nugget, line in zip(document.nuggets, (5, 13, 8, 18), strict=True)
    ]
    assert '<hopper id="h-201">' in written
    assert '<event_mention id="em-20" type="justice" subtype="arrestjail" realis="actual">' in written
    assert '<trigger source="a" offset="5" length="13">shot\nhim down</trigger>' in written


def test_escapes() -> None:
    nugget = Nugget('E"<&', 'A"_B\n\t', "<", "a<b>&c\r", pieces=((0, 7),))
    document, notes = read(write_ere(NuggetDocument('"&<d>', [nugget]), hoppers=False))
    assert (document.id, notes) == ('"&<d>', ["a.xml:3: 1 realis value that are unknown, kept as written"])
    found = document.nuggets[0]
    assert (found.id, found.type, found.realis, found.text) == ('E"<&', 'A"_B\n\t', "<", "a<b>&c")


def test_line_ends_of_two_kinds() -> None:
    document = NuggetDocument(
        "a", [Nugget("E1", "X", "Actual", "a b c", pieces=((0, 1), (3, 4), (5, 6)))], (), "a\r\nb\nc"
    )
    found, notes = read(write_ere(document))
    assert (found.nuggets[0].pieces, found.nuggets[0].text, notes) == (((0, 1), (3, 4), (5, 6)), "a b c", [])


def test_what_cannot_be_written() -> None:
    good = Nugget("E1", "X", "Actual", "x", pieces=((0, 1),))
    nuggets = [
        good,
        good._replace(line=5),
        good._replace(id="em-1"),
        good._replace(id="E2", pieces=(), tokens=("t1",)),
        good._replace(id="E3", type="", text="\x00"),
    ]
    relations = [
        Relation(COREFERENCE, "C0", ("E1", "E9")),
        Relation("After", "x", ("E1", "E2")),
        Relation(COREFERENCE, "C1", ("E1", "E2")),
        Relation(COREFERENCE, "C1", ("E2", "E3")),
    ]
    with pytest.raises(ValidationError) as raised:
        write_ere(NuggetDocument("a", nuggets, relations), path="s.tbf")
    assert len(raised.value.problems) == 8
    assert str(raised.value.problems[0]).startswith("s.tbf:5: the id 'E1' is empty, occurs twice")
    with pytest.raises(ValidationError, match="this format cannot hold the relation 'Coreference'"):
        write_ere(NuggetDocument("a", [good, good._replace(id="E2")], relations[2:3]), hoppers=False)
