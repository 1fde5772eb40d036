"""Validation and repair of knowledge bases."""

from pathlib import Path

import pytest

from adjudge.errors import UsageError
from adjudge.findings import totals_line
from adjudge.formats.kb_coldstart import read_coldstart
from adjudge.tasks.kbp.detection import detect
from adjudge.tasks.kbp.validation import repair, validate

KB = """:Entity_1\ttype\tPER
:Entity_1\tmention\t"Ana"\tD1:0-2\t1
:Entity_1\tmention\t"Ana Ruiz"\tD1:10-17\t0.5
Entity_2\ttype\tPER
:Entity_2\tcanonical_mention\t"Ben"\tD1:20-22
:Entity_1\tper:spouses\t:Entity_2\tD1:0-30\t0.000
:Entity_1\tper:children\t:Entity_2\tD1:30-0
"""
DOCUMENT = b'{"id": "d", "entities": [{"id": "E1", "mentions": [{"start": 0, "end": 3}]}], "relations": []}\n'


@pytest.mark.parametrize(
    ("data", "format_"),
    [
        (KB.encode(), "coldstart"),
        (b"run\n\n# comment\n" + KB.encode(), "coldstart"),
        (b"run\n", "coldstart"),
        (b"", "coldstart"),
        (b"\xef\xbb\xbf  " + DOCUMENT, "documents"),
        (b"a\tr\tb\td\n", "triples"),
        (b"subject\trelation\tobject\tdocument\n:E1\tr\t:E2\td\n", "triples"),
        (b"<?xml version='1.0'?><source_file/>", "ace"),
        (b"<deft_ere/>", "ere"),
        (b"http://en.wikipedia.org/wiki/Oslo\td.sgm\tE1\t10\n", "links"),
    ],
)
def test_formats_are_told_by_the_content(data, format_, tmp_path: Path):
    assert detect(data) == format_
    (tmp_path / "file").write_bytes(data)
    assert detect(tmp_path / "file") == format_


def test_folders(tmp_path: Path):
    with pytest.raises(UsageError, match="a folder without annotation"):
        detect(tmp_path)
    (tmp_path / "a.rich_ere.xml").write_text("<deft_ere/>")
    assert detect(tmp_path) == "ere"
    (tmp_path / "a.apf.xml").write_text("<source_file/>")
    assert detect(tmp_path) == "ace"
    report = validate(tmp_path)
    assert (report.errors, report.contents) == (1, {})
    assert "no document with a DOCID" in str(report.findings[0].problem)


def test_cold_start():
    report = validate(KB.encode())
    assert report.facts["format"] == "coldstart"
    assert report.unrepaired == 1
    assert report.contents == {"document": 1, "entity": 2, "event": 0, "string": 0, "mention": 3, "fact": 1}
    assert [(each.kind, each.problem.line) for each in report.findings] == [
        ("missing-run-id", 1),
        ("missing-decimal-point", 2),
        ("missing-canonical-of-several", 3),
        ("colon-omitted", 4),
        ("unasserted-mention", 5),
        ("predicate-alias", 6),
        ("missing-inverse", 6),
        ("illegal-confidence", 6),
        ("illegal-offset-pair", 7),
    ]


def test_repair():
    data, before, after = repair(KB.encode())
    assert (before.errors, after.errors, after.warnings) == (4, 0, 0)
    kb, found = read_coldstart(data, mode="strict")
    assert found.total == 0
    assert [fact.triple for fact in kb.facts] == [
        (":Entity_1", "per:spouse", ":Entity_2"),
        (":Entity_2", "per:spouse", ":Entity_1"),
    ]
    assert [fact.inferred for fact in kb.facts] == [False, True]
    assert repair(data)[0] == data


def test_what_cannot_be_repaired_remains():
    text = KB.replace("per:spouses", "Member-Of").replace("D1:0-30", "D2:0-30")
    _, before, after = repair(text.encode())
    assert {each.kind for each in after.findings if each.error} == {"illegal-predicate", "unattested"}
    assert {each.kind for each in before.findings if each.error} == {
        "missing-run-id",
        "missing-canonical-of-several",
        "illegal-predicate",
        "unattested",
        "illegal-confidence",
        "illegal-offset-pair",
    }
    data, before, after = repair(b"")
    assert (data, before.counts, after) == (b"", {"empty": 1}, before)


def test_documents_of_a_cold_start_file(tmp_path: Path):
    (tmp_path / "D1.xml").write_text("Ana ...... Ana Ruiz  ben")
    kinds = [each.kind for each in validate(KB.encode(), docs=tmp_path).findings]
    assert kinds.count("other-text") == 1  # shifted by one; the canonical mention comes later
    assert kinds.count("offset-behind-text") == 1
    with pytest.raises(UsageError, match="no document has a text"):
        validate(b"a\tr\tb\td\n", docs=tmp_path)
    with pytest.raises(UsageError, match="cannot be read"):
        validate(KB.encode(), docs=tmp_path / "none")


def test_other_formats(tmp_path: Path):
    assert validate(b"a\tr\tb\td\na\tr\tb\te\n").contents == {"line": 2, "node": 2, "relation": 1, "document": 2}
    assert validate(b"", format="triples").errors == 1
    assert validate(DOCUMENT).contents == {"document": 1, "entity": 1, "mention": 1, "fact": 0}
    bad = validate(DOCUMENT.replace(b'"end": 3', b'"end": 0'))
    assert (bad.errors, bad.findings[0].kind) == (1, "invalid")
    odd = validate(DOCUMENT.replace(b'"relations"', b'"relation"'))
    assert (odd.errors, odd.warnings) == (0, 1)
    assert validate(b"doc,start,page\nd,3,Oslo\n", format="links").contents == {"link": 1}
    with pytest.raises(UsageError, match="cannot be read from a stream"):
        validate(b"<deft_ere/>")


def test_graphs_are_rated_by_an_ontology_without_gold():
    rows = b"""{"id": "d", "text": "Ana met Bo", "triples": [
        {"subject": {"name": "Ana", "type": "PER"}, "relation": "met", "object": {"name": "Bo", "type": "LOC"}},
        {"subject": {"name": "Cy", "type": "PER"}, "relation": "sold", "object": {"name": "Bo", "type": "LOC"}}]}"""
    found = validate(rows.replace(b"\n", b"") + b"\n", ontology={"met": ("PER", "ORG")})
    assert totals_line(found).endswith(
        "3 warnings (relations in the ontology 1 of 2; subjects of a declared type 1 of 1; "
        "objects of a declared type 0 of 1; subjects in the text 1 of 2; objects in the text 2 of 2)"
    )
    assert found.facts["checked"]["relation"] == {"rate": 0.5, "known": 2}
