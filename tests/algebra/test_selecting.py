"""Records that are left out before they are compared, and spans that are half right."""

import pytest

from adjudge.algebra import exact, f, mapped, record, set_of, span
from adjudge.algebra.functions import Fn
from adjudge.algebra.plan import plan
from adjudge.errors import UsageError
from definition import Reference


def test_only_keeps_records_with_one_of_the_values():
    rows = [{"label": "a"}, {"label": "b"}, {"label": "c"}]
    assert Fn("only(label,a,c)")(rows) == [rows[0], rows[2]]


def test_what_cannot_be_judged_stays_to_be_complained_about():
    assert Fn("only(label,a)")([{"other": 1}, 5]) == [{"other": 1}, 5]
    assert Fn("unpunctuated(form)")([{"form": 5}, None]) == [{"form": 5}, None]


def test_unpunctuated_keeps_whatever_has_another_character():
    rows = [{"form": form} for form in ("don't", "...", "«", "a.", "$", "x")]
    assert [row["form"] for row in Fn("unpunctuated(form)")(rows)] == ["don't", "a.", "$", "x"]


def test_it_is_counted_on_each_side():
    metric = mapped(set_of(record(label=exact, place=exact)), by="only(label,a)")
    found = plan(metric).observe(
        [{"label": "a", "place": 1}, {"label": "b", "place": 2}],
        [{"label": "a", "place": 1}, {"label": "a", "place": 3}],
    )
    assert (found.value, found.gold, found.system) == (1, 1, 2)


def test_arguments_are_checked():
    with pytest.raises(UsageError, match="wrong arguments"):
        Fn("unpunctuated(a,b)")([])


@pytest.mark.parametrize("way", [plan, Reference])
@pytest.mark.parametrize(
    ("gold", "system", "value"),
    [([0, 4], [0, 4], 1), ([0, 4], [1, 3], 0.5), ([0, 4], [3, 9], 0.5), ([0, 4], [4, 9], 0), ([0, 4], [2, 6], 0.5)],
)
def test_partial_spans(gold, system, value, way):
    found = way(set_of(span(by="partial"))).observe([gold], [system])
    assert (found.value, found.gold, found.system) == (value, 1, 1)
    assert f(span(by="partial")).of.by == "partial"
