"""The printed table, line by line."""

from __future__ import annotations

import msgspec

from adjudge.stats.result import Comparison, Note, Result, Score, SystemResult
from adjudge.stats.text import render_text

SIGNATURE = "score|metric:x|v:0.1.0"


def score(metric, part, value, low=None, high=None, where=None):
    level = None if low is None else 0.95
    return Score(
        metric=metric, pool="micro", part=part, value=value, low=low, high=high, level=level, slice=where or {}
    )


def result_of(*systems, comparisons=()):
    return Result(
        adjudge="0.1.0",
        task="score",
        profile="default",
        signature=SIGNATURE,
        systems=systems,
        comparisons=tuple(comparisons),
    )


def system(name, *scores, notes=(), documents=348):
    return SystemResult(name=name, documents=documents, scores=scores, notes=tuple(notes))


def lines(result):
    return render_text(result).split("\n")


def test_one_system():
    note = Note("missing-document", 3, "3 gold documents have no output", ("d7", "d9"))
    result = result_of(
        system(
            "A",
            score("relation.strict", "precision", 1.0, 1.0, 1.0),
            score("relation.strict", "f1", 0.5712, 0.5501, 0.592),
            score("relation.strict", "gold", 5210.0),
            score("tree", "f1", 0.05, 0.0, 0.1),
            score("eal", "score", None),
            notes=[note],
        )
    )
    assert lines(result) == [
        "metric           precision             f1                 gold  score",
        "relation.strict  100.0 [100.0, 100.0]  57.1 [55.0, 59.2]  5210",
        "tree                                    5.0 [0.0, 10.0]",
        "eal                                                             n/a",
        "",
        "system     A (348 documents)",
        "profile    default",
        "pool       micro: counts are added over documents, then divided",
        "interval   95 %",
        f"signature  {SIGNATURE}",
        "",
        "note: 3 gold documents have no output (d7, d9, ...)",
    ]


def test_several_systems_and_slices_side_by_side():
    def scores(value):
        return (
            score("x", "f1", value, where={"genre": "nw"}),
            score("x", "f1", value),
            score("y", "f1", value),
        )

    comparison = Comparison(
        a="A", b="B", metric="x", part="f1", difference=-0.021, low=-0.039, high=0.004, p=0.012, p_holm=0.024,
        test="bootstrap", q=0.018, wins=0.1, slice={},
    )  # fmt: skip
    notes = [Note("x", 1, "look", ())]
    result = result_of(
        system("A", *scores(0.5)),
        system("system B", *scores(0.25), documents=1, notes=notes),
        comparisons=[comparison, msgspec.structs.replace(comparison, metric="y", difference=0.0, wins=None, p=None)],
    )
    assert lines(result) == [
        "metric  slice     system    f1",
        "x       all       A         50.0",
        "x       all       system B  25.0",
        "x       genre=nw  A         50.0",
        "x       genre=nw  system B  25.0",
        "",
        "y       all       A         50.0",
        "y       all       system B  25.0",
        "",
        "systems    A (348 documents), system B (1 document)",
        "profile    default",
        "pool       micro: counts are added over documents, then divided",
        f"signature  {SIGNATURE}",
        "",
        "comparison (bootstrap)  systems  difference        p       p (Holm)  q       wins",
        "x f1                    A - B    -2.1 [-3.9, 0.4]  0.0120  0.0240    0.0180  10.0 %",
        "y f1                    A - B    +0.0 [-3.9, 0.4]          0.0240    0.0180",
        "",
        "note: system B: look",
    ]


def test_without_tests_only_differences():
    comparisons = [
        Comparison(a="A", b="B", metric="x", part="f1", difference=d, slice=where)
        for d, where in ((0.5, {}), (None, {"genre": "nw"}))
    ]
    result = result_of(system("A", score("x", "f1", 0.5)), system("B"), comparisons=comparisons)
    assert lines(result)[-3:] == [
        "comparison  slice     systems  difference",
        "x f1        all       A - B    +50.0",
        "x f1        genre=nw  A - B      n/a",
    ]


def test_many_comparisons_are_cut_short():
    comparison = Comparison(a="A", b="B", metric="x", part="f1", difference=0.5, slice={})
    result = result_of(system("A"), system("B"), comparisons=[comparison] * 60)
    assert lines(result)[-1] == "... and 10 more comparisons, --pairs shows all"
    assert result._repr_html_().count("<tr>") == 62


def test_wide_and_hostile_names():
    result = result_of(system("系统", score("x", "f1", 0.5)), system("a\n\x1b[2J", score("x", "f1", -0.0)))
    text = lines(result)
    assert text[1] == "x       系统    50.0"
    assert text[2] == "x       a??[2J   0.0"


def test_html_is_escaped():
    html = result_of(
        system("<script>", score("<i>", "f1", 0.5, 0.4, 0.6), notes=[Note("x", 1, "a < b", ("<u>",))])
    )._repr_html_()
    for wrong in ("<script>", "<i>", "<u>", "a < b"):
        assert wrong not in html
    assert "<td>50.0 [40.0, 60.0]</td>" in html
    assert "<li>a &lt; b (&lt;u&gt;)</li>" in html


def test_print_and_str_are_the_text():
    result = result_of(system("A", score("x", "f1", 0.5)))
    assert str(result) == render_text(result)
