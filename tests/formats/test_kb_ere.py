"""Entities and relations of Rich ERE."""

from pathlib import Path

import pytest

from adjudge.errors import FormatError
from adjudge.formats.kb_annotation import read_ere_corpus
from adjudge.model.kbp import Fact, Link, Mention, Span

TEXT = '<doc id="d">\n<post author="x">Ana &amp; Ben run\nCorvex, a firm \U0001f600 in Oslo.</post></doc>'


def at(text: str) -> str:
    return f'source="d" offset="{TEXT.index(text)}" length="{len(text)}"'


XML = f"""<?xml version="1.0"?>
<deft_ere kit_id="k" doc_id="d" source_type="multi_post">
<entities>
<entity id="ent-1" type="PER" specificity="specific">
<entity_mention id="m-1" noun_type="NAM" {at("Ana &amp; Ben")}>
<mention_text>Ana &amp; Ben</mention_text></entity_mention>
</entity>
<entity id="ent-m.09c7w0" type="ORG" specificity="specific">
<entity_mention id="m-2" noun_type="NAM" {at("Corvex")}><mention_text>Corvex</mention_text></entity_mention>
<entity_mention id="m-3" noun_type="NOM" {at("a firm")}><mention_text>a firm</mention_text>
<nom_head {at("firm")}>firm</nom_head></entity_mention>
</entity>
</entities>
<fillers><filler id="f-1" type="title" {at("run")}>run</filler></fillers>
<relations>
<relation id="r-1" type="orgaffiliation" subtype="leadership">
<relation_mention id="rm-1" realis="false"><rel_arg1 entity_id="ent-1" entity_mention_id="m-1" role="person"/>
<rel_arg2 entity_id="ent-m.09c7w0" entity_mention_id="m-2" role="org"/></relation_mention>
<relation_mention id="rm-2" realis="true"><rel_arg1 entity_id="ent-1" entity_mention_id="m-1" role="person"/>
<rel_arg2 entity_id="ent-m.09c7w0" entity_mention_id="m-3" role="org"/></relation_mention>
</relation>
<relation id="r-2" type="personalsocial" subtype="role">
<relation_mention id="rm-3" realis="true"><rel_arg1 entity_id="ent-1" entity_mention_id="m-1" role="person"/>
<rel_arg2 filler_id="f-1" role="title"/></relation_mention>
</relation>
</relations>
<hoppers><hopper id="h-1"/></hoppers>
</deft_ere>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ere").mkdir()
    (tmp_path / "source").mkdir()
    (tmp_path / "ere" / "d.rich_ere.xml").write_text(XML, encoding="utf-8")
    (tmp_path / "source" / "d.xml").write_text(TEXT, encoding="utf-8")
    return tmp_path


def test_reading(folder):
    corpus = read_ere_corpus(folder / "ere", docs=folder / "source")
    (document,) = corpus.documents
    assert document.text == TEXT
    person, firm = document.entities
    start = TEXT.index("a firm")
    assert firm.mentions[1] == Mention("d", start, start + 6, "NOM", "a firm", Span(start + 2, start + 6), "m-3")
    assert firm.links == (Link("m.09c7w0"),)
    assert (person.group, person.links) == ("specific", ())
    assert document.facts == [
        Fact(
            "ent-1",
            "orgaffiliation.leadership",
            "ent-m.09c7w0",
            "d",
            id="r-1",
            category="orgaffiliation",
            realis="true",
        )
    ]
    assert [str(note).rpartition(": ")[2] for note in corpus.notes] == [
        "1 fact with a filler as argument, 1 event hopper"
    ]


def test_fillers_as_nodes(folder):
    (document,) = read_ere_corpus(folder / "ere", fillers="string", names="subtype").documents
    assert document.entities[-1].kind == "string"
    assert document.facts[1].triple == ("ent-1", "role", "f-1")


def test_texts_that_do_not_fit(folder):
    (folder / "source" / "d.xml").write_text("12345" + TEXT, encoding="utf-8")
    corpus = read_ere_corpus(folder / "ere", docs=folder / "source")
    assert any("5 spans whose text differs" in str(note) for note in corpus.notes)
    fixed = read_ere_corpus(folder / "ere", docs=folder / "source", offsets="fix")
    assert fixed.documents[0].entities[0].mentions[0].start == TEXT.index("Ana") + 5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("deft_ere", "deft_ere_event_nuggets", "not of <deft_ere>, event nuggets have no entities"),
        ("hoppers>", "events>", "this is Light ERE"),
        ('doc_id="d"', "", "the document is not named"),
        ('<entity id="ent-1"', '<entity id="f-1"', "the id 'f-1' occurs twice"),
        ('noun_type="NOM"', 'noun_type="X"', "a mention of the type 'X'"),
        ('length="6"', 'length="0"', "ends before it starts"),
        ('offset="', 'offset="-', "the offset is '-"),
        ('<rel_arg2 filler_id="f-1" role="title"/>', "", "a relation mention without rel_arg2"),
        ('filler_id="f-1"', 'filler_id="f-2"', "there is no entity or filler 'f-2'"),
        ("</relations>", "", "the file is not XML"),
        ('<?xml version="1.0"?>', '<!DOCTYPE a [<!ENTITY x SYSTEM "/etc/passwd">]>', "declares or uses entities"),
    ],
)
def test_mistakes(folder, old, new, message):
    assert old in XML
    path = folder / "ere" / "d.rich_ere.xml"
    path.write_text(XML.replace(old, new), encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read_ere_corpus(folder / "ere")
    found = [str(problem) for problem in caught.value.problems]
    assert any(message in each for each in found), found
    assert all(each.startswith(f"{path}:") for each in found)
