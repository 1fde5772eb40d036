"""Entities in CoNLL-U: spans, parts, empty nodes, heads, and what is wrong with them."""

import pytest

from adjudge.errors import FormatError, ValidationError
from adjudge.formats.conllu import read_conllu, write_conllu
from adjudge.model.coref import Chain, CorefDocument

GLOBAL = "# global.Entity = eid-etype-head-other\n"


def row(number: str, misc: str = "_") -> str:
    return f"{number}\tw" + "\t_" * 7 + f"\t{misc}\n"


def text(*rows: str, head: str = "# newdoc id = d\n" + GLOBAL) -> bytes:
    return (head + "".join(rows)).encode()


def one(*rows: str, head: str = "# newdoc id = d\n" + GLOBAL) -> CorefDocument:
    (document,) = read_conllu(text(*rows, head=head)).documents
    return document


def chains(document: CorefDocument) -> dict[str, list[tuple[float, ...]]]:
    return {chain.id: chain.mentions for chain in document.chains}


def test_nested_and_crossing_spans_over_sentences() -> None:
    document = one(
        row("1", "Gloss=x|Entity=(e1-person-2-x:y(e2--1|SpaceAfter=No"),
        row("2", "Entity=e1)(e1--1)"),
        "\n# sent_id = 2\n",
        row("1-2", "Entity=(e9)"),
        row("1", "Entity=e2)"),
        row("2"),
    )
    assert chains(document) == {"e1": [(0, 1), (1, 1)], "e2": [(0, 2)]}
    assert document.heads == {(0, 1): 1, (1, 1): 1, (0, 2): 0}
    assert document.tokens == 4


def test_close_before_open_on_one_word() -> None:
    document = one(row("1", "Entity=(e1--1"), row("2", "Entity=e1)(e1--1"), row("3", "Entity=e1)"))
    assert chains(document) == {"e1": [(0, 1), (1, 2)]}


def test_mention_with_gaps() -> None:
    document = one(
        row("1", "Entity=(e1[1/3]--4"),
        row("2", "Entity=e1[1/3])"),
        row("3", "Entity=(e2--1)"),
        row("4", "Entity=(e1[2/3]--4)"),
        row("5", "Entity=(e1--1)"),
        row("6", "Entity=(e1[3/3]--4)"),
    )
    assert chains(document) == {"e1": [(4, 4), (0, 1, 3, 3, 5, 5)], "e2": [(2, 2)]}
    assert document.heads is not None
    assert document.heads[0, 1, 3, 3, 5, 5] == 5


def test_parts_that_touch_are_one_run() -> None:
    assert chains(one(row("1", "Entity=(e1[1/2]--1)"), row("2", "Entity=(e1[2/2]--1)"))) == {"e1": [(0, 1)]}


def test_two_mentions_with_gaps_of_one_entity() -> None:
    document = one(
        row("1", "Entity=(e1[1/2]--1)"),
        row("2", "Entity=(e1[1/2]--1)"),
        row("3"),
        row("4", "Entity=(e1[2/2]--1)"),
        row("5"),
        row("6", "Entity=(e1[2/2]--1)"),
    )
    assert chains(document) == {"e1": [(1, 1, 3, 3), (0, 0, 5, 5)]}


def test_empty_nodes_do_not_shift_words() -> None:
    full = one(
        row("0.1", "Entity=(e1--1)"),
        row("1", "Entity=(e2--1"),
        row("1.1", "Entity=(e1--1)"),
        row("2", "Entity=e2)"),
        row("2.1", "Entity=(e3--1)"),
        "\n",
        row("0.1", "Entity=(e4--1"),
        row("1", "Entity=e4)"),
    )
    without = one(row("1", "Entity=(e2--1"), row("2", "Entity=e2)"), "\n", row("1"))
    assert chains(full)["e2"] == chains(without)["e2"] == [(0, 1)]
    assert chains(full)["e1"] == [(-0.499, -0.499), (0.001, 0.001)]
    assert chains(full)["e3"] == [(1.001, 1.001)]
    assert chains(full)["e4"] == [(1.501, 2)]
    assert full.empty == [-0.499, 0.001, 1.001, 1.501]
    assert full.tokens == 3


def test_documents_and_other_fields() -> None:
    head = "# global.Entity = GRP-etype-infstat-minspan-link-identity\n"
    data = text(row("1", "Entity=(3-person-new-1-coref)"), head=head)
    data += text("\n", row("1", "Entity=(3-person"), row("2", "Entity=3)"), head="# newdoc\n")
    corpus = read_conllu(data)
    assert [(each.id, chains(each), each.heads) for each in corpus.documents] == [
        ("1", {"3": [(0, 0)]}, None),
        ("2", {"3": [(0, 1)]}, None),
    ]


def test_old_closings_with_the_type() -> None:
    head = "# newdoc id = d\n# global.Entity = entity-GRP\n"
    rows = (row("1", "Entity=(place-103(place-104"), row("2", "Entity=place-104)place-103)"))
    assert chains(one(*rows, head=head)) == {"103": [(0, 1)], "104": [(0, 1)]}


def test_notes() -> None:
    data = text(row("1", "Entity=(e1--1)|SplitAnte=e3<e1,e4<e1|Bridge=e2<e1:part"))
    assert [note.message for note in read_conllu(data).notes] == [
        "2 split antecedents not read",
        "1 bridging relation not read",
    ]
    note = read_conllu(text(row("1", "Entity=(1)"), head="")).notes[0]
    assert "there is no global.Entity" in note.message


@pytest.mark.parametrize(
    ("misc", "column", "message"),
    [
        ("Entity=e1)", 26, "entity e1 closes here but is not open"),
        ("Entity=(e1--1", 26, "entity e1 opens here and never closes"),
        ("X=y|Entity=(e1[1/2]--1)", 30, "entity e1 opens here and never closes"),
        ("Entity=(e1[2/2]--1)", 26, "part 2 of entity e1 has no part 1"),
        ("Entity=(e1--x)", 26, "expected the number of a word as head, got 'x'"),
        ("Entity=(e1--2)", 26, "entity e1 has head 2 but only 1 words"),
        ("Entity=(-person)", 26, "(-person has no entity id"),
        ("Entity=(e1--1)e2", 33, "'e2' is in no brackets"),
        ("Entity=()", 26, "brackets without an entity"),
    ],
)
def test_mistakes(misc: str, column: int, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_conllu(text(row("1", misc)))
    (problem,) = caught.value.problems
    assert (problem.line, problem.column, problem.message) == (3, column, message)


def test_all_mistakes_at_once() -> None:
    data = text(row("1", "Entity=e1)"), row("3"), "x y\n", "# newdoc id = d\n", row("1", "Entity=(e1--1"))
    with pytest.raises(FormatError) as caught:
        read_conllu(data)
    assert [problem.line for problem in caught.value.problems] == [3, 4, 5, 6, 7]
    with pytest.raises(FormatError, match="no documents"):
        read_conllu(b"")


def test_crlf_byte_order_mark_and_wrong_bytes() -> None:
    data = b"\xef\xbb\xbf" + text(row("1", "Entity=(e1--1)")).replace(b"\n", b"\r\n").replace(b"w", b"\xe9", 2)
    assert len(read_conllu(data).documents[0].chains) == 1


def test_crossing_mentions_of_one_chain_are_refused() -> None:
    with pytest.raises(ValidationError, match="mentions of chain 1 cross"):
        write_conllu([CorefDocument("d", [Chain("1", [(0, 2), (1, 3)])], 4)])


def test_what_cannot_be_kept_is_said() -> None:
    written, notes = write_conllu([CorefDocument("d", [Chain("a-b", [(0, 1)])])])
    assert "chains got new ids" in notes[0].message
    assert "unknown length" in notes[1].message
    assert chains(read_conllu(written.encode()).documents[0]) == {"e1": [(0, 1)]}
