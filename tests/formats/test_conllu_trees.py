"""Trees of CoNLL-U: ranges of the text, multiword tokens, and everything that can be wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError
from adjudge.formats.conllu_trees import CONTENT, FUNCTIONAL, ROOT, read_conllu_full, read_conllu_trees, read_treebank
from adjudge.metrics import trees


def row(number, form, head, label="dep", *, lemma="_", upos="X", feats="_"):
    return f"{number}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{label}\t_\t_\n"


def problems(text):
    with pytest.raises(FormatError) as caught:
        read_treebank(text.encode())
    return [(each.line, each.message) for each in caught.value.problems]


FRENCH = (
    "# sent_id = fr-1\n"
    + row(1, "Va", 0, "root")
    + "2-3\tau\t_\t_\t_\t_\t_\t_\t_\t_\n"
    + row(2, "à", 4, "case")
    + row(3, "le", 4, "det")
    + row("3.1", "?", "_", "_")
    + row(4, "bois", 1, "obl:arg", feats="Typo=Yes|Number=Sing")
    + "\n"
)


def test_ranges_and_words():
    bank = read_treebank(FRENCH.encode())
    assert bank.text == "Vaaubois"
    assert bank.tokens == [(0, 2), (2, 4), (4, 8)]
    assert [(word.start, word.end, word.multiword, word.form) for word in bank.words] == [
        (0, 2, False, "Va"),
        (2, 4, True, "à"),
        (2, 4, True, "le"),
        (4, 8, False, "bois"),
    ]
    assert [word.head for word in bank.words] == [ROOT, 3, 3, 0]
    assert bank.sentences[0].id == "fr-1"


def test_documents_and_what_is_left_out():
    last = read_conllu_trees(FRENCH.encode()).documents[0].data["dependencies"][3]
    assert (last["label"], last["feats"], last["head"]) == ("obl", "Number=Sing", 1)
    assert last["functional"] == [[2, "case", "X", ""], [3, "det", "X", ""]]
    full = read_conllu_full(FRENCH.encode()).documents[0].data["dependencies"][3]
    assert (full["label"], full["feats"]) == ("obl:arg", "Number=Sing|Typo=Yes")


def test_blanks_in_forms_are_no_characters():
    assert read_treebank((row(1, "10 000\u00a0000", 0) + "\n").encode()).text == "10000000"


def test_ids_that_occur_twice_are_replaced():
    names = [document.id for document in read_conllu_trees((FRENCH + FRENCH).encode()).documents]
    assert names == ["sentence-1", "sentence-2"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", [(None, "the file has no words")]),
        (row(1, "a", 0), [(2, "the file does not end with an empty line")]),
        (row(1, "a", 0) + row(3, "b", 1) + "\n", [(2, "the id is '3' instead of 2")]),
        (row(1, "a", 2) + row(2, "b", 1) + "\n", [(1, "the sentence has 0 roots")]),
        (row(1, "a", 0) + row(2, "b", 0) + "\n", [(1, "the sentence has 2 roots")]),
        (row(1, "a", 0) + row(2, "b", 3) + row(3, "c", 2) + "\n", [(2, "the word is its own ancestor")]),
        (row(1, "a", 7) + row(2, "b", "x") + "\n", [(1, "the head is '7'"), (2, "the head is 'x'")]),
        (row(1, " ", 0) + "\n", [(1, "the form is empty")]),
        ("1\ta\n\n", [(1, "2 columns instead of 10")]),
        (row("1-3", "ab", "_") + row(1, "a", 0) + "\n", [(3, "the last multiword token needs 3 words, here are 1")]),
        (row("2-3", "ab", "_") + row(1, "a", 0) + "\n", [(1, "the id is '2-3' instead of 1")]),
        (row("1-2", "ab", "_") + row("1-2", "ab", "_") + row(1, "a", 0) + row(2, "b", 1) + "\n",
         [(2, "the range 1-2 cannot stand here")]),
    ],
)  # fmt: skip
def test_mistakes(text, found):
    assert problems(text) == found


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (row(7, "a", 0) + "\n", 1),
        (row(1, " ", 0) + "\n", 3),
        ("1\tä\ta\tX\t_\t_\t9\troot\t_\t_\n\n", 13),  # after six columns of one character each
    ],
)
def test_mistakes_in_a_column_say_where_it_is(text, column):
    with pytest.raises(FormatError) as caught:
        read_treebank(text.encode())
    assert [each.column for each in caught.value.problems] == [column]


def test_problems_of_several_sentences_come_together():
    assert [line for line, _ in problems(row(1, "a", 5) + "\n" + row(1, "b", 0) + "\n" + row(2, "c", 0) + "\n")] == [
        1,
        5,
    ]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=6))
def test_heads_are_a_tree_or_refused(heads):
    text = "".join(row(number, "a", head) for number, head in enumerate(heads, 1)) + "\n"

    def rooted(place, steps=0):
        return place == 0 or (place <= len(heads) and steps <= len(heads) and rooted(heads[place - 1], steps + 1))

    good = heads.count(0) == 1 and all(rooted(place) for place in range(1, len(heads) + 1))
    try:
        read_treebank(text.encode())
    except FormatError:
        assert not good
    else:
        assert good


def test_content_words_are_the_same_everywhere():
    assert set(trees.CONTENT) == CONTENT
    assert not CONTENT & FUNCTIONAL
