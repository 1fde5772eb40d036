"""Trees: values worked out by hand."""

import pytest

from adjudge.metrics import find


def word(dependent, form, head, label, *, lemma="", upos="X", feats="", functional=()):
    return {
        "dependent": dependent,
        "form": form,
        "head": head,
        "label": label,
        "lemma": lemma or form,
        "upos": upos,
        "feats": feats,
        "functional": [list(each) for each in functional],
    }


GOLD = [
    word(1, "the", 2, "det"),
    word(2, "dog", 3, "nsubj", functional=[(1, "det", "X", "")]),
    word(3, "barked", 0, "root", lemma="bark"),
    word(4, "!", 3, "punct"),
]
SYSTEM = [
    word(1, "the", 2, "det", upos="Y"),
    word(2, "dog", 3, "obj", functional=[(1, "det", "Y", "")]),
    word(3, "barked", 0, "root", lemma="barked"),
    word(4, "!", 2, "punct"),
]


@pytest.mark.parametrize(
    ("name", "f1"),
    [
        ("tree.uas", 3 / 4),  # the head of "!" is wrong
        ("tree.las", 2 / 4),  # and the label of "dog"
        ("tree.uas(punctuation=false)", 1),
        ("tree.las(punctuation=false)", 2 / 3),
        ("tree.clas", 1 / 2),  # of dog and barked, the second
        ("tree.mlas", 1 / 2),
        ("tree.blex", 0),  # whose lemma is wrong
    ],
)
def test_by_hand(name, f1):
    assert find(name).score(GOLD, SYSTEM).f1 == pytest.approx(f1)


def test_function_words_count_in_mlas_alone():
    system = [*GOLD[:1], {**GOLD[1], "functional": []}, *GOLD[2:]]
    assert [find(f"tree.{name}").score(GOLD, system).f1 for name in ("clas", "mlas", "blex")] == [1, 0.5, 1]


def test_content_words_of_each_side_are_counted_by_themselves():
    # Gold has two content words, the system one: P = 1/1, R = 1/2.
    system = [GOLD[0], {**GOLD[1], "label": "case"}, *GOLD[2:]]
    found = find("tree.clas").score(GOLD, system)
    assert (found.precision, found.recall) == (1, 0.5)


def test_a_field_that_is_missing_is_named():
    (problem,) = find("tree.mlas").check(
        {"dependencies": [{"head": 0, "dependent": 1, "label": "root", "upos": "X", "feats": ""}]}
    )
    assert "functional" in problem[0] + problem[1]


def test_a_dag_is_matched_by_what_reaches_what():
    diamond = {"nodes": [{"label": label} for label in "abcd"], "edges": [[0, 1], [0, 2], [1, 3], [2, 3]]}
    chain = {"nodes": [{"label": label} for label in "abcd"], "edges": [[0, 1], [1, 2], [2, 3]]}
    # b and c are side by side in one and one above the other in the other: three of four nodes.
    assert find("tree.dag").score(diamond, chain).f1 == 0.75
    assert find("tree.dag").score(diamond, {**diamond, "edges": [[0, 1], [0, 2], [1, 3], [2, 3], [0, 3]]}).f1 == 1


def test_a_tree_is_matched_by_what_is_above_what():
    gold = {"label": "S", "children": [{"label": "NP", "children": [{"label": "N"}]}, {"label": "VP"}]}
    # VP is above NP here, and beside it in gold: S, N and one of the two can be matched, 3 of 4 and of 5 nodes.
    system = {"label": "S", "children": [{"label": "VP", "children": [{"label": "NP", "children": [{"label": "N"}]}]}]}
    system["children"].append({"label": "X"})
    found = find("tree.match").score(gold, system)
    assert (found.precision, found.recall) == (3 / 5, 3 / 4)


def test_the_longest_common_subsequence():
    # b c d is common to both, in order; a is before them in gold and after them in the other.
    found = find("record.sequence").score(list("abcd"), list("bxcda"))
    assert (found.precision, found.recall) == (3 / 5, 3 / 4)
