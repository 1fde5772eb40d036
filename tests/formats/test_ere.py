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


@pytest.mark.parametrize("text", [TEXT, None])
def test_hoppers(text: str | None) -> None:
    document, notes = read(XML, text=text)
    assert (document.id, document.text) == ("a", text)
    assert document.nuggets == [
        Nugget("E9", "Life_Die", "NOT_ANNOTATED", "death", pieces=((46, 51),), line=14),
        Nugget("E20", "Justice_Arrest-Jail", "Actual", "arrest", pieces=((33, 39),), line=19),
        Nugget("E180", "Life_Die", "Generic", "died", pieces=((23, 27),), line=10),
        Nugget("x", "Conflict_Attack", "Other", "shot him down", pieces=((5, 9), (10, 18)), line=24),
    ]
    assert document.relations == [Relation(COREFERENCE, "C201", ("E9", "E180"), 9)]
    assert notes == ["a.xml: not kept: 1 entity; 1 filler; 1 argument; the attributes audience"]


def test_order_of_the_file() -> None:
    document, _ = read(XML, order="file")
    assert [nugget.id for nugget in document.nuggets] == ["E180", "E9", "E20", "x"]
    assert document.clusters() == [("E180", "E9")]


def test_event_nuggets_stand_alone() -> None:
    document, notes = read(mention('<trigger source="a" offset="3" length="4">died</trigger>'))
    assert (document.nuggets, document.relations, notes) == (
        [Nugget("E1", "Life_Die", "NOT_ANNOTATED", "died", pieces=((3, 7),), line=1)],
        [],
        [],
    )


def test_crlf_sources() -> None:
    """A parser makes one character of each line end, the offsets count two."""
    xml = mention('<trigger source="a" offset="0" length="10">shot\r\ndown</trigger>')
    for text in ("shot\r\ndown", None):
        document, notes = read(xml, text=text)
        assert (document.nuggets[0].pieces, document.nuggets[0].text, notes) == (((0, 4), (6, 10)), "shot down", [])


def test_names() -> None:
    assert type_name("movement", "transportartifact") == "Movement_Transport-Artifact"
    assert type_name("justice", "arrestJail") == "Justice_ArrestJail"
    assert type_name("contact", "correspondence") == "Contact_Correspondence"
    assert len(SUBTYPES) == 14
    assert type_name(*ere_type("Justice_Arrestjail")) == "Justice_Arrestjail"


@given(st.text(alphabet="Aa-_ß", max_size=6) | st.sampled_from([f"Justice_{name}" for name in SUBTYPES.values()]))
def test_types_are_read_as_written(name: str) -> None:
    read_back = type_name(*ere_type(name))
    assert type_name(*ere_type(read_back)) == read_back
    if all(part[:1].upper() == part[:1] for part in name.split("_", 1)):
        assert read_back == name


def test_what_looks_odd() -> None:
    xml = mention('<trigger source="b" offset="0" length="4">kill</trigger>', 'id="em-1" type="life" realis="maybe"')
    document, notes = read(xml, document="c", text="they died")
    assert (document.id, document.nuggets[0].realis, document.nuggets[0].text) == ("c", "Maybe", "kill")
    assert notes == [
        "a.xml: the file is named 'c' but says doc_id='a', its name is taken",
        "a.xml:1: triggers are in the source 'b', taken for those of 'c'",
        "a.xml:1: 1 trigger whose text is not the text at that place, the offsets are taken",
        "a.xml:1: 1 realis value that nobody knows, kept as written",
    ]


def test_offsets_in_utf_16_units() -> None:
    text = "\U0001f600 he \U0001f600 died then"
    xml = mention('<trigger source="a" offset="9" length="4">died</trigger>')
    assert read(xml, text=text, units="utf-16")[0].nuggets[0].pieces == ((7, 11),)
    assert read(xml, text=text)[1][-1] == "a.xml: the offsets look like UTF-16 units: say so with --offsets utf-16"
    assert "inside a character" in problems(xml.replace('"9"', '"1"'), text=text, units="utf-16")[0]
    with pytest.raises(UsageError, match="without the text"):
        read(xml, units="utf-16")


def test_all_problems_at_once() -> None:
    xml = """<deft_ere>
  <hopper>
    <event_mention id="em-1" type="life"/>
    <event_mention id="em-2" type="life"><trigger offset="x"/></event_mention>
    <event_mention type="life"><trigger offset="0" length="0"/></event_mention>
    <event_mention id="em-3"><trigger offset="0" length="9">x</trigger></event_mention>
    <event_mention id="em-4" type="a"><trigger offset="0" length="1">x</trigger><trigger/></event_mention>
  </hopper>
  <event_mention id="em-5" type="a"><trigger offset="0" length="1">x</trigger></event_mention>
  <event_mention id="E5" type="a"><trigger offset="0" length="1">x</trigger></event_mention>
</deft_ere>"""
    found = problems(xml, text="xxx")
    for expected in (
        "a.xml:2:3: a hopper without an id",
        "a.xml:3:5: an event mention without a trigger",
        "a.xml:4:42: the offset of a trigger is 'x'",
        "a.xml:4:42: a trigger without length",
        "a.xml:5:5: an event mention without the attribute id",
        "a.xml:5:32: a trigger of length 0",
        "a.xml:6:5: an event mention without the attribute type",
        "a.xml:6:30: the trigger at 0 ends behind the text of 3 characters",
        "a.xml:7:81: an event mention with two triggers",
        "a.xml:10:3: the id 'E5' is there twice (line 9)",
        "a.xml:1:1: nothing says which document this is",
    ):
        assert any(problem.startswith(expected) for problem in found), expected


def test_a_file_that_is_no_annotation() -> None:
    (problem,) = problems('<doc id="a"><post>text</post></doc>', document="a")
    assert problem.startswith(
        "a.xml:1:1: the file has no event mentions, it is an XML file of <doc>, name the annotation"
    )
    assert problems("") == ["a.xml:1:1: the file is not XML: no element found, check that it is whole"]
    assert problems(XML[:-20])[0].startswith("a.xml:")
    assert problems(b"<a>\xff</a>")[0].startswith("a.xml:1:4: the file is not XML: not well-formed")
    assert "cannot be decoded" in problems(b'<?xml version="1.0" encoding="klingon"?><a/>')[0]
    assert read('<deft_ere doc_id="a"/>')[0].nuggets == []


LAUGHS = """<!DOCTYPE deft_ere [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><deft_ere doc_id="&c;"/>"""


@pytest.mark.parametrize(
    "xml",
    [
        LAUGHS,
        '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><deft_ere doc_id="a">&f;</deft_ere>',
        '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://localhost/x.dtd"> %p;]><deft_ere doc_id="a"/>',
        '<!DOCTYPE x SYSTEM "x.dtd"><deft_ere doc_id="a">&f;</deft_ere>',
    ],
)
def test_entities_are_refused(xml: str) -> None:
    for data in (xml.encode(), xml.encode("utf-16")):
        (problem,) = problems(data, document="a")
        assert "the file declares or uses entities, which are not read" in problem


def test_a_document_type_is_not_fetched() -> None:
    document, _ = read('<!DOCTYPE deft_ere SYSTEM "http://localhost:1/ere.dtd"><deft_ere doc_id="a &amp; b"/>')
    assert document.id == "a & b"


def test_nesting_is_no_trouble() -> None:
    assert problems("<a>" * 100_000)[0].startswith("a.xml:1:")


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
    assert (document.id, notes) == ('"&<d>', ["a.xml:3: 1 realis value that nobody knows, kept as written"])
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
    assert str(raised.value.problems[0]).startswith("s.tbf:5: the id 'E1' is empty, there twice")
    with pytest.raises(ValidationError, match="no room for the relation 'Coreference'"):
        write_ere(NuggetDocument("a", [good, good._replace(id="E2")], relations[2:3]), hoppers=False)
