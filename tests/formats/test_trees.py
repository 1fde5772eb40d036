"""Trees and graphs: heads that do not form a tree are refused, and depth is not a problem."""

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError
from adjudge.formats.conllu_trees import CONTENT, FUNCTIONAL, read_treebank
from adjudge.metrics import trees
from adjudge.model.penman import parse


def row(number, form, head, label="dep", *, lemma="_", upos="X", feats="_"):
    return f"{number}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{label}\t_\t_\n"


@settings(max_examples=50, deadline=None)
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


def test_deep_graphs_need_no_deep_stack():
    depth = 50_000
    graph = parse("".join(f"(v{k} / c :r " for k in range(depth)) + "-" + ")" * depth)
    assert len(graph.concepts) == len(graph.edges) == depth
