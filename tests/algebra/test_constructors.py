"""Whatever is given to a constructor stands in the node that it makes; what is not given is the default."""

import pytest

from adjudge.algebra import exact, ir, matching, similarity
from adjudge.algebra.functions import Fn
from adjudge.errors import UsageError

SET = ir.Set(of=exact)
COMMON = {"duplicates": "multiset", "empty": 1}
MADE = [
    (similarity.overlap, (exact,), {"by": "link", "duplicates": "error"}, {}),
    (similarity.dice, (), {"duplicates": "multiset"}, {"of": exact, "by": "dice"}),
    (similarity.span, (), {"by": "any", "start": "a", "end": "b", "inclusive": True}, {}),
    (similarity.iou, (), {"start": "a", "end": "b", "inclusive": True}, {"by": "jaccard"}),
    (similarity.threshold, (similarity.edit(),), {"above": 0.5, "keep": True}, {"at_least": None}),
    (similarity.threshold, (similarity.edit(),), {"at_least": 0.5}, {"above": None, "keep": False}),
    (similarity.number, (3,), {}, {"scale": 3.0}),
    (similarity.unit, (SET,), {}, {"of": SET}),
    (similarity.best_of, (exact, similarity.edit()), {}, {"of": (exact, similarity.edit())}),
    (similarity.one_of, (exact,), {}, {"system": Fn("singleton"), "gold": None, "by": None}),
    (similarity.hierarchy, ({"a": "b"},), {"credit": "general", "partial": 0.25, "table": (("a", "b", 0.5),)}, {}),
    (similarity.hierarchy, (), {"separator": "."}, {"credit": "halving", "partial": 0.5, "table": (), "parents": None}),
    (similarity.custom, (max,), {"symmetric": True, "self_score": 2.0}, {"upper": None, "bound": None, "key": None}),
    (similarity.custom, ("math:floor",), {"upper": 3.0, "key": Fn("casefold")}, {"self_score": None}),
    (similarity.custom, (max,), {"upper": "math:fsum"}, {"upper": None, "bound": Fn("math:fsum"), "symmetric": False}),
    (matching.set_of, (exact,), {"match": "N:1", **COMMON}, {}),
    (matching.set_of, (exact,), {}, {"match": "1:1", "duplicates": None, "empty": None}),
    (matching.one_to_one, (exact,), COMMON, {"match": "1:1"}),
    (matching.many_to_one, (exact,), COMMON, {"match": "N:1"}),
    (matching.one_to_many, (exact,), COMMON, {"match": "1:N"}),
    (matching.many_to_many, (exact,), COMMON, {"match": "N:N"}),
    (matching.best_pair, (exact,), COMMON, {"match": "best"}),
    (matching.greedy, (exact,), {"order": "gold", "take": "first", "ties": "gold", "rank": Fn("get(a)"), **COMMON}, {}),
    (matching.greedy, (exact,), {}, {"order": "score", "take": "best", "ties": "system", "rank": None}),
    (matching.sequence, (exact,), {"match": "1:N", "empty": 1}, {}),
    (matching.graph, (exact,), {"nodes": "n", "edges": "e", "ids": "id", "match": "N:N", "empty": 1}, {}),
    (matching.latent, (SET,), {}, {"of": SET}),
    (matching.f1, (SET,), {"undefined": 1}, {"by": "f", "beta": 1.0, "recall": None}),
    (matching.f, (SET,), {"beta": 2.0, "undefined": 1}, {"by": "f"}),
    (matching.precision, (SET,), {"undefined": 1}, {"by": "precision"}),
    (matching.recall, (SET,), {"undefined": 1}, {"by": "recall"}),
    (matching.jaccard, (SET,), {"undefined": 1}, {"by": "jaccard"}),
    (matching.prf, (SET, matching.best_pair(exact)), {"undefined": 1}, {"recall": matching.best_pair(exact)}),
    (matching.one_sided, (exact,), {"beta": 2.0, "undefined": 1},
     {"of": matching.many_to_one(exact), "recall": matching.one_to_many(exact)}),
    (matching.one_sided, (exact,), COMMON,
     {"of": matching.many_to_one(exact, **COMMON), "recall": matching.one_to_many(exact, **COMMON)}),
]  # fmt: skip


@pytest.mark.parametrize(("constructor", "given", "options", "expected"), MADE)
def test_what_is_given_stands_in_the_node(constructor, given, options, expected):
    node = constructor(*given, **options)
    for name, value in (options | expected).items():
        if name in node.__struct_fields__:
            assert getattr(node, name) == value, name


def test_thresholds_of_spans():
    for name in ("above", "at_least"):
        node = similarity.iou(**{name: 0.25}, start="a", end="b", inclusive=True)
        assert getattr(node, name) == 0.25
        assert node.of == similarity.span(start="a", end="b", inclusive=True)


def test_names_of_matchings():
    for name, match in matching.ALIASES.items():
        assert matching.set_of(exact, match=name).match == match
    assert matching.ALIASES["<->"] == "1:1"
    for constructor in (matching.sequence, matching.graph):
        with pytest.raises(UsageError):
            constructor(exact, match="best")
    with pytest.raises(UsageError, match="there is no matching '1:2', did you mean"):
        matching.set_of(exact, match="1:2")


def test_what_greedy_refuses():
    with pytest.raises(UsageError, match="rank sorts one side"):
        matching.greedy(exact, rank="get(a)")
    with pytest.raises(UsageError, match="needs a side to go through"):
        matching.greedy(exact, take="first")
