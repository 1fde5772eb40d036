"""Notes of parts become notes of the whole."""

from adjudge.stats.merge import merge_notes
from adjudge.stats.result import Note


def test_numbers_add_and_examples_join_in_the_order_of_documents():
    one = Note("unequal-tokens", 1, "1 document differs in the number of tokens, so mentions may be shifted", ("c",))
    two = Note("unequal-tokens", 1, "1 document differs in the number of tokens, so mentions may be shifted", ("a",))
    (note,) = merge_notes([[one], [two]], order=["a", "b", "c"])
    assert note.message == "2 documents differ in the number of tokens, so mentions may be shifted"
    assert (note.count, note.examples) == (2, ("a", "c"))


def test_as_many_examples_as_one_part_shows():
    full = Note("missing-document", 12, "12 key documents have no response and count as empty", tuple("abcdefghij"))
    more = Note("missing-document", 2, "2 key documents have no response and count as empty", ("y", "z"))
    (note,) = merge_notes([[full], [more]])
    assert note.examples == tuple("abcdefghij")
    assert note.message.startswith("14 key documents")


def test_several_numbers_in_a_sentence_are_not_added():
    notes = [Note("free", 2, "2 of 9 false alarms cost nothing"), Note("free", 3, "3 of 9 false alarms cost nothing")]
    found = merge_notes([[note] for note in notes])
    assert [note.message for note in found] == [f"in one part: {note.message}" for note in notes]
    assert merge_notes([notes[:1]]) == notes[:1]


def test_what_is_true_of_one_part_only():
    nothing = Note("no-document-in-common", 0, "no document of the key is in the response: are the names the same?")
    assert merge_notes([[nothing], []]) == []
    assert merge_notes([[nothing], [nothing]]) == [nothing]
    assert merge_notes([[Note("one-document", 1, "with one document the interval cannot show any uncertainty")]]) == []


def test_missing_documents_come_before_unproven_ones():
    cut = Note("not-optimal", 1, "...", ("b",))
    missing = Note("missing-document", 1, "1 gold document has no system output and counts as empty", ("a",))
    found = merge_notes([[cut], [missing, cut]], slack=1.5)
    assert [note.code for note in found] == ["missing-document", "not-optimal"]
    assert found[1].message.startswith("2 documents were not solved")
    assert "at most 1.5 too low" in found[1].message
