"""ACE annotation and its text."""

from pathlib import Path

import pytest

from adjudge.errors import FormatError, UsageError
from adjudge.formats.kb_annotation import ace_text, raw_places, read_ace
from adjudge.model.kbp import Fact, Mention, Provenance, Span

SGM = """<DOC>
<DOCID> X1 </DOCID>
<TEXT
 kind="a">
Ana &amp; Ben \U0001f600 of AT&amp;T,
the owner, met Médecins in <B>Os</B>lo.
</TEXT></DOC>
"""


def charseq(text: str, near: str | None = None) -> str:
    """The place of a text, as ACE counts it."""
    plain = ace_text(SGM)
    start = plain.index((near or text).replace("&", "&amp;"))
    raw = text.replace("&", "&amp;")
    return f'<charseq START="{start}" END="{start + len(raw) - 1}">{raw}</charseq>'


def mention(id: str, level: str, extent: str, head: str, *, first: str = "extent") -> str:
    parts = [f"<extent>{charseq(extent)}</extent>", f"<head>{charseq(head)}</head>"]
    if first == "head":
        parts.reverse()
    return f'<entity_mention ID="{id}" TYPE="{level}" LDCTYPE="{level}">{"".join(parts)}</entity_mention>'


APF = f"""<?xml version="1.0"?>
<!DOCTYPE source_file SYSTEM "apf.v5.1.1.dtd">
<source_file URI="X1.sgm" SOURCE="newswire"><document DOCID="X1">
<entity ID="X1-E1" TYPE="PER" SUBTYPE="Individual" CLASS="SPC">
{mention("X1-E1-1", "NAM", "Ana & Ben", "Ben")}
{mention("X1-E1-2", "NOM", "the owner", "owner", first="head")}
<entity_attributes><name NAME="Ana">{charseq("Ana")}</name></entity_attributes>
</entity>
<entity ID="X1-E2" TYPE="ORG" CLASS="SPC">{mention("X1-E2-1", "NAM", "AT&T", "AT&T")}</entity>
<entity ID="X1-E3" TYPE="GPE" CLASS="SPC">{mention("X1-E3-1", "NAM", "Oslo", "Oslo")}</entity>
<value ID="X1-V1" TYPE="Job-Title"/>
<timex2 ID="X1-T1" VAL="2003"/>
<relation ID="X1-R1" TYPE="ORG-AFF" SUBTYPE="Employment">
<relation_argument REFID="X1-E1" ROLE="Arg-1"/><relation_argument REFID="X1-E2" ROLE="Arg-2"/>
<relation_argument REFID="X1-T1" ROLE="Time-Within"/>
<relation_mention ID="X1-R1-1"><extent>{charseq("Ben")}</extent></relation_mention>
<relation_mention ID="X1-R1-2"><extent>{charseq("owner")}</extent></relation_mention>
</relation>
<relation ID="X1-R2" TYPE="METONYMY">
<relation_argument REFID="X1-E3" ROLE="Arg-1"/><relation_argument REFID="X1-E2" ROLE="Arg-2"/></relation>
</document></source_file>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "X1.sgm").write_text(SGM, encoding="utf-8")
    (tmp_path / "X1.apf.xml").write_text(APF, encoding="utf-8")
    return tmp_path


def problems(folder: Path, old: str, new: str, **options: str) -> list[str]:
    assert old in APF
    (folder / "X1.apf.xml").write_text(APF.replace(old, new), encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read_ace(folder, **options)
    return [str(problem).removeprefix(f"{folder}/") for problem in caught.value.problems]


def test_offsets(folder):
    corpus = read_ace(folder)
    (document,) = corpus.documents
    plain = ace_text(SGM)
    assert document.text == plain
    assert "AT&amp;T,\nthe" in plain
    for entity in document.entities:
        for each in entity.mentions:
            assert plain[slice(*each.head_span)].replace("&amp;", "&") == each.text
    person = document.entities[0]
    assert plain[slice(*person.mentions[0].span)] == "Ana &amp; Ben"
    assert (person.mentions[0].level, person.mentions[1].level) == ("NAM", "NOM")
    start = plain.index("the owner")
    assert person.mentions[1] == Mention("X1", start, start + 9, "NOM", "owner", Span(start + 4, start + 9), "X1-E1-2")
    assert (person.subtype, person.group) == ("Individual", "SPC")
    assert plain[slice(*document.entities[2].mentions[0].span)] == "Oslo"


def test_relations(folder):
    (document,) = read_ace(folder).documents
    plain = ace_text(SGM)
    spans = tuple(Span(plain.index(text), plain.index(text) + len(text)) for text in ("Ben", "owner"))
    assert document.facts == [
        Fact("X1-E1", "Employment", "X1-E2", "X1", Provenance(spans), id="X1-R1", category="ORG-AFF"),
        Fact("X1-E3", "METONYMY", "X1-E2", "X1", id="X1-R2", category="METONYMY"),
    ]
    assert list(document.fact_lines) == [APF[: APF.index(f'<relation ID="X1-R{n}')].count("\n") + 1 for n in (1, 2)]
    (document,) = read_ace(folder, names="type.subtype").documents
    assert [fact.relation for fact in document.facts] == ["ORG-AFF.Employment", "METONYMY"]


def test_notes(folder):
    (note,) = read_ace(folder).notes
    assert str(note).endswith("X1.apf.xml: not kept: 1 time, 1 value")


def test_raw_places(folder):
    (document,) = read_ace(folder, units="raw").documents
    assert document.text == SGM
    texts = [SGM[slice(*entity.mentions[0].span)] for entity in document.entities]
    assert texts == ["Ana &amp; Ben", "AT&amp;T", "Os</B>lo"]
    plain = ace_text(SGM)
    assert "".join(SGM[place] for place in raw_places(SGM)) == plain


def test_line_ends(folder):
    (folder / "X1.sgm").write_bytes(SGM.replace("\n", "\r\n").encode())
    corpus = read_ace(folder)
    assert corpus.documents[0].text == ace_text(SGM)
    assert any("CR LF" in str(note) for note in corpus.notes)


def test_without_the_text(folder):
    (folder / "X1.sgm").unlink()
    corpus = read_ace(folder / "X1.apf.xml")
    assert corpus.documents[0].text is None
    assert "there is no text X1.sgm" in str(corpus.notes[0])
    with pytest.raises(FormatError, match="need the text"):
        read_ace(folder, units="raw")


def shifted(by: int) -> str:
    import re

    return re.sub(r'(START|END)="(\d+)"', lambda m: f'{m[1]}="{int(m[2]) + by}"', APF)


def test_offsets_that_are_wrong(folder):
    (folder / "X1.apf.xml").write_text(shifted(-3), encoding="utf-8")
    notes = [str(note) for note in read_ace(folder).notes]
    assert any("10 spans whose text differs from that at the offsets" in note for note in notes)
    right = folder / "right"
    right.mkdir()
    (right / "X1.sgm").write_text(SGM, encoding="utf-8")
    (right / "X1.apf.xml").write_text(APF, encoding="utf-8")
    fixed = read_ace(folder / "X1.apf.xml", offsets="fix")
    assert fixed.documents == read_ace(right).documents
    assert any("10 spans moved" in str(note) for note in fixed.notes)
    trusted = read_ace(folder / "X1.apf.xml", offsets="trust")
    assert trusted.documents[0].entities[1].mentions[0].start == fixed.documents[0].entities[1].mentions[0].start - 3


def test_spans_behind_the_text(folder):
    (folder / "X1.apf.xml").write_text(shifted(5000), encoding="utf-8")
    with pytest.raises(FormatError, match="ends beyond the text"):
        read_ace(folder)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('DOCID="X1"', "", "no document with a DOCID"),
        ('<entity ID="X1-E2"', '<entity ID="X1-E1"', "the id 'X1-E1' occurs twice (line 4)"),
        ('<entity ID="X1-E2"', "<entity", "an element entity without an id"),
        ('TYPE="NOM"', 'TYPE="NOUN"', "a mention of the type 'NOUN'"),
        ('REFID="X1-E3"', 'REFID="X1-E9"', "there is no entity 'X1-E9' in the document"),
        ('ROLE="Arg-2"/>\n<relation_argument REFID="X1-T1"', 'ROLE="Arg-1"/>\n<relation_argument REFID="X1-T1"',
         "the relation has two arguments 1"),
        ('<relation_argument REFID="X1-E3" ROLE="Arg-1"/>', "", "the relation has no Arg-1"),
        (f"<extent>{charseq('Oslo')}</extent>", "", "a mention without an extent"),
        (f"<head>{charseq('Oslo')}</head>", "<head><timespan/></head>", "a timespan is not a position in a text"),
        ('END="', 'END="x', "the offsets are"),
        ("</document>", "", "the file is not XML: mismatched tag"),
        ('"apf.v5.1.1.dtd"', '"x" [<!ENTITY a "b">]', "declares or uses entities"),
        ('"apf.v5.1.1.dtd"', '"x" [<!ENTITY a SYSTEM "file:///etc/passwd">]', "declares or uses entities"),
        ("Ana</charseq>", "&xxe;</charseq>", "declares or uses entities"),
        ("<value", "<v>" * 100 + "</v>" * 100 + "<value", "nested more than"),
    ],
)  # fmt: skip
def test_mistakes(folder, old, new, message):
    found = problems(folder, old, new)
    assert any(message in each for each in found), found
    assert all(each.startswith("X1.apf.xml:") for each in found)


def test_an_argument_that_is_no_entity_is_counted(folder):
    (folder / "X1.apf.xml").write_text(APF.replace('REFID="X1-E3"', 'REFID="X1-V1"'), encoding="utf-8")
    corpus = read_ace(folder)
    assert len(corpus.documents[0].facts) == 1
    assert "1 relation with an argument that is not an entity" in str(corpus.notes[0])


def test_the_final_stage_is_taken(tmp_path):
    for stage in ("fp1", "fp2", "adj", "timex2norm"):
        (tmp_path / "nw" / stage).mkdir(parents=True)
        (tmp_path / "nw" / stage / "X1.sgm").write_text(SGM, encoding="utf-8")
        text = APF.replace('TYPE="GPE"', f'TYPE="{stage}"')
        (tmp_path / "nw" / stage / "X1.apf.xml").write_text(text, encoding="utf-8")
    (document,) = read_ace(tmp_path).documents
    assert document.entities[2].type == "timex2norm"
    (tmp_path / "bn").mkdir()
    (tmp_path / "bn" / "X1.apf.xml").write_text(APF, encoding="utf-8")
    with pytest.raises(FormatError, match="the document 'X1' is also in"):
        read_ace(tmp_path)


def test_ace_2004(folder):
    old = (
        APF.replace("relation_argument", "rel_entity_arg")
        .replace('ROLE="Arg-', 'ARGNUM="')
        .replace("REFID", "ENTITYID")
    )
    old = old.replace('TYPE="NOM" LDCTYPE="NOM"', 'TYPE="PRE" LDCTYPE="NAMPRE"')
    (folder / "X1.apf.xml").write_text(old, encoding="utf-8")
    (document,) = read_ace(folder).documents
    assert [fact.triple for fact in document.facts] == [
        ("X1-E1", "Employment", "X1-E2"),
        ("X1-E3", "METONYMY", "X1-E2"),
    ]
    assert document.entities[0].mentions[1].level == "NAM"


def test_nothing_there(tmp_path):
    with pytest.raises(UsageError, match=r"no \.apf\.xml file"):
        read_ace(tmp_path)
    with pytest.raises(UsageError, match="no such file"):
        read_ace(tmp_path / "none")
