"""Cold Start knowledge bases: strict, lenient, repaired."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError
from adjudge.findings import Findings
from adjudge.formats.kb_coldstart import read_coldstart, scan_coldstart, write_coldstart
from adjudge.formats.kb_coldstart_check import RELATIONS, event_inverse, find_slot
from adjudge.model.kbp import Entity, Fact, KnowledgeBase, Link, Mention, Provenance, Span

GOOD = """run1  # made for a test

:Entity_1\ttype\tPER
:Entity_1\tlink\tKB7:e100
:Entity_1\tmention\t"Ana \\"A\\" Ruiz"\tD1:0-7\t0.9
:Entity_1\tcanonical_mention\t"Ana \\"A\\" Ruiz"\tD1:0-7\t0.9
:Entity_1\tpronominal_mention\t"she"\tD1:20-22
:Entity_1\tper:siblings\t:Entity_2\tD1:0-40,D1:50-60\t0.25
:Entity_2\ttype\tPER\t
:Entity_2\tnominal_mention\t"the # one"\tD1:30-36 # the second
:Entity_2\tcanonical_mention\t"the # one"\tD1:30-36
:Entity_2\tper:siblings\t:Entity_1\tD1:0-40,D1:50-60\t0.25
:String_1\ttype\tSTRING
:String_1\tmention\t"24"\tD1:70-71
:String_1\tcanonical_mention\t"24"\tD1:70-71
:Entity_1\tper:age\t:String_1\tD1:70-71;D1:60-75
:Event_1\ttype\tCONFLICT.ATTACK
:Event_1\tmention.actual\t"hit"\tD1:80-82
:Event_1\tcanonical_mention.actual\t"hit"\tD1:80-82
:Event_1\tconflict.attack:attacker.actual\t:Entity_1\tD1:80-90;D1:0-7;NIL
:Entity_1\tper:conflict.attack_attacker.actual\t:Event_1\tD1:80-90;D1:0-7;NIL
"""


def findings(text: str, **options: bool) -> Findings:
    found = Findings("kb.tac")
    scan_coldstart(text.encode(), found, **options)
    return found


def kinds(text: str, **options: bool) -> list[tuple[str, bool, int | None, str | None]]:
    found = findings(text, **options).findings
    return [(each.kind, each.error, each.problem.line, each.repair) for each in found]


def test_written_and_read_again():
    kb, _ = read_coldstart(GOOD.encode())
    data = b"".join(write_coldstart(kb))
    assert read_coldstart(data, mode="strict")[0] == kb


# Every way to be wrong: a change of the good file, and what is found.
CASES = {
    "no run id": (("run1  # made for a test\n", ""), ("missing-run-id", True, 1, "called OmittedRunID")),
    "no colon": ((":Entity_2\ttype", "Entity_2\ttype"), ("colon-omitted", False, 9, "the colon is added")),
    "dash": ((":Event_1", ":Event-1"), ("illegal-node-name", True, 17, "called :Event_1")),
    "no quotes": (('"she"', "she"), ("unquoted-string", False, 7, "kept")),
    "one": (("D1:20-22\n", "D1:20-22\t1\n"), ("missing-decimal-point", False, 7, "1.0")),
    "scientific": (("D1:20-22\n", "D1:20-22\t5e-1\n"), ("improper-confidence", False, 7, "read as 0.5")),
    "zero": (("D1:20-22\n", "D1:20-22\t0.000\n"), ("illegal-confidence", True, 7, "read as 1e-06")),
    "above one": (("D1:20-22\n", "D1:20-22\t7.5\n"), ("illegal-confidence", True, 7, "read as 1")),
    "not a number": (("D1:20-22\n", "D1:20-22\tnan\n"), ("illegal-confidence", True, 7, "read as 1")),
    "a word": (("D1:20-22\n", "D1:20-22\thigh\n"), ("illegal-confidence", True, 7, "read as 1")),
    "one field": (('mention\t"she"\tD1:20-22', ""), ("columns", True, 7, None)),
    "no place": (("D1:20-22", ""), ("columns", True, 7, None)),
    "too many fields": (("D1:20-22", "D1:20-22\t1.0\t1.0"), ("columns", True, 7, None)),
    "span backwards": (("D1:20-22", "D1:22-20"), ("illegal-offset-pair", True, 7, None)),
    "huge offset": (("D1:20-22", "D1:20-99999999999"), ("illegal-offset", True, 7, None)),
    "negative offset": (("D1:20-22", "D1:-20-22"), ("illegal-offset", True, 7, None)),
    "half a span": (("D1:20-22", "D1:20"), ("illegal-provenance", True, 7, None)),
    "no document": (("D1:20-22", ":20-22"), ("illegal-provenance", True, 7, None)),
    "nil": (("D1:20-22", "NIL"), ("illegal-provenance", True, 7, None)),
    "long span": (("D1:20-22", "D1:20-900"), ("long-span", False, 7, "cut to 200 characters")),
    "two spans": (("D1:20-22", "D1:20-22,D1:3-4"), ("many-spans", True, 7, "the first one kept")),
    "two documents": (("D1:0-40,D1:50-60", "D1:0-40,D2:50-60"), ("several-documents", True, 8, "only 'D1' is kept")),
    "many spans": (
        ("D1:0-40,D1:50-60", "D1:0-40,D1:50-60,D1:61-62,D1:63-64"),
        ("many-spans", True, 8, "the first 3 kept"),
    ),
    "semicolon": (("D1:0-40,D1:50-60", "D1:0-40;D1:50-60"), ("semicolon", False, 8, "read as one list of spans")),
    "no filler": (
        ("D1:70-71;D1:60-75", "D1:70-71,D1:60-75"),
        ("provenance-parts", True, 16, "the first span is taken as filler, the others as justification"),
    ),
    "nothing justified": (("D1:70-71;D1:60-75", "D1:70-71;NIL"), ("no-justification", True, 16, "kept")),
    "realis": (("mention.actual\t", "mention.past\t"), ("illegal-realis", True, 18, "left out")),
    "no realis": (("attacker.actual\t:Entity", "attacker\t:Entity"), ("missing-realis", True, 20, "kept without")),
    "needless realis": (("per:age", "per:age.other"), ("unexpected-realis", True, 16, "kept")),
    "type twice": (
        (":Entity_2\ttype\tPER\t", ":Entity_1\ttype\tper"),
        ("duplicate-assertion", False, 9, "the more confident one is kept"),
    ),
    "two types": (
        ("type\tSTRING", "type\tSTRING\n:String_1\ttype\tPER"),
        ("several-types", True, 14, "the first is kept"),
    ),
    "strange type": (("type\tPER\t", "type\tRABBIT"), ("illegal-type", True, 9, "kept")),
    "wrong kind": (("type\tPER\t", "type\tSTRING"), ("incompatible-name", True, 9, "kept")),
    "place of a type": (("type\tPER\t", "type\tPER\tD1:3-4"), ("unexpected-provenance", True, 9, "left out")),
    "no type": ((":Entity_2\ttype\tPER\t\n", ""), ("missing-type", True, 9, "taken as PER")),
    "bad link": (("KB7:e100", "e100"), ("illegal-link", False, 4, None)),
    "two links": (("KB7:e100\n", "KB7:e100\n:Entity_1\tlink\tKB7:e200\n"), ("several-links", False, 5, None)),
    "alias": (("per:age", "per:ages"), ("predicate-alias", False, 16, "read as per:age")),
    "misspelt": (("pronominal_mention", "mentions"), ("predicate-alias", False, 7, "read as mention")),
    "no domain": (("per:age", "age"), ("domain-omitted", False, 16, "read as per:age")),
    "other schema": (("per:age", "PartWhole.Subsidiary"), ("illegal-predicate", True, 16, "kept")),
    "address": (("per:age", "http://x/onto#age"), ("hash-in-field", True, 16, "read as a part of it")),
    "subject type": (("per:age", "org:website"), ("subject-type", True, 16, "kept")),
    "object type": (("per:age", "per:spouse"), ("object-type", True, 16, "kept")),
    "string as object": (("per:age\t:String_1", 'per:age\t"24"'), ("string-for-node", True, 16, "kept as a string")),
    "string as node": (("per:siblings\t:Entity_2", 'per:siblings\t"Ben"'), ("string-for-node", True, 8, None)),
    "string as subject": ((":Entity_1\tper:age", '"Ana"\tper:age'), ("string-for-node", True, 16, None)),
    "unknown node": (("per:siblings\t:Entity_2", "per:siblings\t:Entity_9"), ("unknown-node", True, 8, "kept")),
    "unattested": (("D1:70-71;D1:60-75", "D2:70-71;D2:60-75"), ("unattested", True, 16, "kept")),
    "two canonical": (
        ('canonical_mention\t"24"', 'mention\t"7"\tD1:1-1\n:String_1\tcanonical_mention\t"7"\tD1:1-1\n'
         ':String_1\tcanonical_mention\t"24"'),
        ("several-canonical", True, 17, "the first is taken"),
    ),
    "only canonical": (
        (':String_1\tmention\t"24"\tD1:70-71\n', ""),
        ("unasserted-mention", False, 14, "the mention is added"),
    ),
    "no canonical": (
        (':String_1\tcanonical_mention\t"24"\tD1:70-71\n', ""),
        ("missing-canonical", False, 14, "its only mention is taken"),
    ),
    "two texts at one place": (
        (':String_1\tcanonical_mention\t"24"\t', ':String_1\tmention\t"twenty-four"\t'),
        ("several-strings", True, 15, "the first is kept"),
    ),
    "no mentions": (
        (':Event_1\tmention.actual\t"hit"\tD1:80-82\n:Event_1\tcanonical_mention.actual\t"hit"\tD1:80-82\n', ""),
        ("no-mentions", False, 17, None),
    ),
    "null": (('"she"', '"s\0e"'), ("character", True, 7, None)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong(case):
    (old, new), expected = CASES[case]
    assert old in GOOD
    text = GOOD.replace(old, new)
    found = kinds(text)
    assert expected in found
    error, repaired = expected[1], expected[3] is not None
    if error:
        with pytest.raises(FormatError) as caught:
            read_coldstart(text.encode(), mode="strict", name="kb.tac")
        assert any(problem.line == expected[2] for problem in caught.value.problems)
    if all(each[3] is not None or not each[1] for each in found):
        assert repaired or not error
        kb, _ = read_coldstart(text.encode())
        data = b"".join(write_coldstart(kb))
        again, _ = read_coldstart(data)
        assert again == kb
    else:
        with pytest.raises(FormatError, match="cannot be repaired"):
            read_coldstart(text.encode())


def test_several_names_without_a_canonical_one():
    text = GOOD.replace('canonical_mention\t"24"\tD1:70-71', 'nominal_mention\t"the long one"\tD1:1-12')
    assert ("missing-canonical-of-several", True, 14, "its longest name, '24', is taken") in kinds(text)


def test_several_fills():
    text = (
        GOOD
        + ':String_2\ttype\tSTRING\n:String_2\tmention\t"25"\tD1:72-73\n:String_2\tcanonical_mention\t"25"\tD1:72-73\n'
    )
    text += ":Entity_1\tper:age\t:String_2\tD1:72-73;D1:60-75\n"
    assert kinds(text) == [("several-fills", False, 25, None)]


def test_duplicates_keep_the_more_confident():
    line = ":Entity_2\tper:siblings\t:Entity_1\tD1:0-40,D1:50-60"
    kb, found = read_coldstart((GOOD + f"{line}\t0.5\n{line}\t0.1\n").encode(), mode="strict")
    assert [fact.confidence for fact in kb.facts[:2]] == [0.25, 0.5]
    assert found.counts == {"duplicate-assertion": 2}
    # The same under an alias: only after the name is put right it is seen to be the same.
    text = GOOD + ":Entity_1\tper:ages\t:String_1\tD1:70-71;D1:60-75\n"
    assert len(read_coldstart(text.encode())[0].facts) == 5


def test_inverses():
    text = GOOD.replace(":Entity_2\tper:siblings\t:Entity_1\tD1:0-40,D1:50-60\t0.25\n", "")
    text = text.replace(":Entity_1\tper:conflict.attack_attacker.actual\t:Event_1\tD1:80-90;D1:0-7;NIL\n", "")
    assert [each[0] for each in kinds(text)] == ["missing-inverse"] * 2
    kb, found = read_coldstart(text.encode(), add_inverses=True)
    assert found.repairs == {"missing-inverse": 2}
    full, _ = read_coldstart(GOOD.encode())
    added = [fact for fact in kb.facts if fact.inferred]
    assert {fact._replace(inferred=False) for fact in kb.facts} == set(full.facts)
    assert [fact.relation for fact in added] == ["per:siblings", "per:conflict.attack_attacker"]
    data = b"".join(write_coldstart(kb))
    assert data.count(b"\t# inferred\n") == 2
    assert read_coldstart(data, mode="strict")[0] == kb


def test_the_schema():
    assert len(RELATIONS) == 65
    assert sum("string" in slot.ranges for slot in RELATIONS.values()) == 15
    for (domain, _), slot in RELATIONS.items():
        for type_ in slot.ranges - {"string"}:
            back = RELATIONS[type_, slot.inverse]
            assert back.inverse == slot.name
            assert domain in back.ranges
    assert find_slot("gpe", "births_in_nowhere") == (None, False)
    assert event_inverse("life.die:time", "STRING") is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (GOOD.encode("utf-16"), "UTF-16"),
        (gzip.compress(GOOD.encode() * 99)[:-9], "ends too early"),
        (GOOD.replace("she", "sh\xe9").encode("latin-1"), "kb.tac:7:33: the byte 0xe9 is not UTF-8"),
        (b"x" * 20_000_000, "a line has more than"),
        (b"run\n" + b'"' + b'\\"' * 1_000_000 + b"#\n", "a line with 1 field instead of 4"),
        (b"run\n" + b"\t" * 1_000_000 + b"x", "a line with 1 field"),
        (b"\x7fELF\x02\x01\x01\x00\n\x00\x01", "null"),
    ],
)
def test_hostile(data, message):
    with pytest.raises(FormatError) as caught:
        read_coldstart(data, name="kb.tac")
    assert message in str(caught.value)
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize("data", [b"", b"run1\n"], ids=str)
def test_a_file_that_asserts_nothing_breaks_the_rules_but_can_be_read(data):
    kb, found = read_coldstart(data, name="kb.tac")
    assert (kb.entities, kb.facts) == ([], [])
    assert [str(note) for note in found.notes()] == ["kb.tac: 1 empty: read as an empty knowledge base"]
    with pytest.raises(FormatError, match=r"kb\.tac: the file asserts nothing"):
        read_coldstart(data, name="kb.tac", mode="strict")


def test_texts_are_compared():
    texts = {"D1": "Ana &amp;  Ben went to Oslo.", "D2": "x"}
    lines = ["r", ":Entity_1\ttype\tPER"]
    for text, place in (("Ana & Ben", "D1:0-13"), ("Oslo", "D1:24-27"), ("Ana", "D2:0-2"), ("Ana", "D3:0-2")):
        lines += [f':Entity_1\tmention\t"{text}"\t{place}']
    found = Findings("kb.tac")
    scan_coldstart("\n".join(lines).encode(), found, texts=texts.get)
    told = {each.kind: str(each.problem) for each in found.found if "canonical" not in each.kind}
    assert told == {
        "other-text": "kb.tac:4: D1:24-27 is 'slo.', not 'Oslo', correct the offsets or the string",
        "offset-behind-text": "kb.tac:5: the span 0-2 ends beyond document 'D2' of 1 characters, "
        "count characters, not bytes",
        "unknown-document": "kb.tac:6: there is no document 'D3', in which 1 spans are, check the id of the document",
    }


@pytest.mark.parametrize(
    "kb",
    [
        KnowledgeBase("two words"),
        KnowledgeBase("r", [Entity(":Entity\t1", "PER")]),
        KnowledgeBase("r", [Entity(":Entity1", "a #b")]),
        KnowledgeBase("r", [Entity(":Entity1", "PER", (Mention("D:1", 0, 3),))]),
        KnowledgeBase("r", (), [Fact(":Entity1", "", ":Entity2", "D1")]),
    ],
)
def test_what_cannot_be_written(kb):
    with pytest.raises(FormatError):
        list(write_coldstart(kb))


spans = st.tuples(st.integers(0, 50), st.integers(1, 99)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))
some = st.lists(spans, min_size=1, max_size=3).map(tuple)
sure = st.floats(1e-9, 1.0, exclude_min=True) | st.just(1.0)
strings = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), max_size=5)


@st.composite
def knowledge_bases(draw):
    kinds_ = draw(st.lists(st.sampled_from(["entity", "event", "string"]), min_size=1, max_size=4))
    entities = []
    for number, kind in enumerate(kinds_):
        type_ = {"entity": "PER", "event": "life.die", "string": "STRING"}[kind]
        places = draw(st.lists(st.tuples(st.sampled_from(["D1", "D2"]), spans), max_size=3, unique=True))
        canonical = set()
        mentions = []
        for document, span in places:
            level = draw(st.sampled_from(["NAM", "NOM"]))
            realis = draw(st.sampled_from(["", "other"]))
            best = document not in canonical
            canonical.add(document)
            mentions.append(Mention(document, *span, level, draw(strings), None, "", draw(sure), best, realis))
        links = draw(
            st.lists(
                st.builds(Link, st.sampled_from(["A:1", "A:2", "B:1"]), sure), max_size=2, unique_by=lambda x: x[0]
            )
        )
        id = f":{kind.capitalize()}_{number}"
        entities.append(Entity(id, type_, tuple(mentions), tuple(links), kind=kind, confidence=draw(sure)))
    facts = {}
    for _ in range(draw(st.integers(0, 4))):
        subject = draw(st.sampled_from(entities))
        literal = draw(st.booleans())
        object_ = None if literal else draw(st.sampled_from(entities))
        event = subject.kind == "event" or (object_ is not None and object_.kind == "event")
        string = literal or (object_ is not None and object_.kind == "string")
        provenance = Provenance(
            draw(some),
            (draw(spans),) if string else (),
            (draw(spans),) if event else (),
            draw(st.just(()) | some) if event else (),
        )
        # A predicate of no schema, because others may be renamed.
        fact = Fact(
            subject.id, "x:rel", draw(strings) if object_ is None else object_.id, draw(st.sampled_from(["D1", "D2"])),
            provenance, draw(sure), realis=draw(st.sampled_from(["", "actual"])), literal=literal,
            inferred=draw(st.booleans()),
        )  # fmt: skip
        facts[(*fact[:5], fact.realis, literal)] = fact
    return KnowledgeBase("run", entities, list(facts.values()))


@settings(max_examples=75, deadline=None)
@given(knowledge_bases())
def test_round_trip(kb):
    data = b"".join(write_coldstart(kb))
    assert scan_coldstart(data, Findings("x")) == kb
