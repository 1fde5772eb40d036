"""What graphs show, against slow and obvious ways to the same numbers."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.tasks.eal.panels import beta_curves, hull, lambda_curves, winner_areas
from adjudge.tasks.eal.sensitivity import Counts, argument_scores, overall

BETAS = np.linspace(0, 1, 23).tolist()


@st.composite
def counts(draw, documents=4):
    tp = draw(st.lists(st.integers(0, 9), min_size=documents, max_size=documents))
    fp = draw(st.lists(st.integers(0, 12), min_size=documents, max_size=documents))
    link, size = draw(st.integers(0, 8)), draw(st.sampled_from((0, 8)))
    return Counts(
        np.array(tp, float), np.array(fp, float), float(max(sum(tp), 12)), float(min(link, size)), float(size)
    )


def campaigns(most=4):
    return st.lists(counts(), min_size=1, max_size=most).map(
        lambda found: {f"s{n}": each for n, each in enumerate(found)}
    )


@given(counts(), st.lists(st.floats(0, 3), max_size=6))
def test_the_curve_is_the_score(system, betas):
    expected = [np.maximum(0.0, system.tp - beta * system.fp).sum() / system.correct for beta in betas]
    assert argument_scores(system, betas).tolist() == pytest.approx(expected, abs=1e-12)


def test_the_curve_at_the_bend_of_a_document():
    system = Counts(np.array([1.0, 3.0]), np.array([4.0, 0.0]), 8.0, 0.0, 0.0)
    assert argument_scores(system, [0.25, 0.250001, 2.0]).tolist() == pytest.approx([0.375, 0.375, 0.375])
    assert argument_scores(system._replace(correct=0.0), [0.1]).tolist() == [0.0]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=5))
def test_the_hull_has_the_best_everywhere(points):
    arguments, links = ([point[at] / 20 for point in points] for at in (0, 1))
    found = hull(arguments, links)
    assert (found[0][1], found[-1][2]) == (0.0, 1.0)
    assert all(one[2] == other[1] for one, other in pairwise(found))
    for system, low, high in found:
        for at in (low, (low + high) / 2, high):
            best = max(at * a + (1 - at) * link for a, link in zip(arguments, links, strict=True))
            assert at * arguments[system] + (1 - at) * links[system] == pytest.approx(best, abs=1e-9)
    assert len({system for system, *_ in found}) == len(found)


def inside(polygon, x, y):
    odd = False
    for (x1, y1), (x2, y2) in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
            odd = not odd
    return odd


@settings(max_examples=25)
@given(campaigns(), st.lists(st.tuples(st.floats(0.003, 0.997), st.floats(0.003, 0.997)), min_size=5, max_size=5))
def test_areas_are_where_a_system_wins(rows, points):
    areas, corners = winner_areas(rows)
    for beta, lambda_ in points:
        values = {name: overall(each, beta, lambda_) for name, each in rows.items()}
        holders = [area.system for area in areas if any(inside(polygon, beta, lambda_) for polygon in area.polygons)]
        assert len(holders) <= 1
        # Borders between drawn points are chords, which are off by less than this.
        for holder in holders:
            assert values[holder] >= max(values.values()) - 2e-3
    for beta, lambda_ in corners:
        values = sorted((overall(each, beta, lambda_) for each in rows.values()), reverse=True)
        assert values[0] == pytest.approx(values[1], abs=1e-9)
        assert lambda_ == 1.0 or values[0] == pytest.approx(values[2], abs=1e-9)
    # Together they are the whole plane.
    size = sum(abs(_size(polygon)) for area in areas for polygon in area.polygons)
    assert size == pytest.approx(1.0, abs=1e-9)
    for area in areas:
        beta, lambda_ = area.middle
        assert overall(rows[area.system], beta, lambda_) == pytest.approx(
            max(overall(each, beta, lambda_) for each in rows.values()), abs=1e-9
        )


def _size(polygon):
    return sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(polygon, [*polygon[1:], polygon[0]], strict=True)) / 2


def test_where_three_systems_meet():
    def system(tp, fp, link):
        return Counts(np.array([tp]), np.array([fp]), 10.0, link, 1.0)

    # Argument scores 0.8 - beta, 0.5 and 0.2; all three are level at lambda 1/2 when their sums with the link are.
    rows = {"A": system(8.0, 10.0, 0.2), "B": system(5.0, 0.0, 0.35), "C": system(2.0, 0.0, 0.6)}
    areas, corners = winner_areas(rows)
    assert [area.system for area in areas] == ["A", "B", "C"]
    # A and B have the same argument score at beta 0.3; B and C meet at lambda 5/11, where A has 0.75 - 0.5 beta ...
    assert (0.3, 1.0) in [(round(beta, 9), round(lambda_, 9)) for beta, lambda_ in corners]
    (inner,) = [corner for corner in corners if corner[1] < 1]
    assert inner[1] == pytest.approx(5 / 11)
    assert inner[0] == pytest.approx(0.8 - (0.35 * 6 / 11 + 0.5 * 5 / 11 - 0.2 * 6 / 11) * 11 / 5)


@settings(max_examples=25)
@given(campaigns(), st.sampled_from((0.0, 0.25, 0.5, 1.0)))
def test_curves_and_ranks(rows, weight):
    by_beta, by_lambda = beta_curves(rows, lambda_=weight), lambda_curves(rows, beta=weight)
    for curves, value in (
        (by_beta, lambda name, at: overall(rows[name], at, weight)),
        (by_lambda, lambda name, at: overall(rows[name], weight, at)),
    ):
        for name, points in curves.scores.items():
            assert points[0][0] == 0.0
            assert points[-1][0] == 1.0
            for at, score in points[::9]:
                assert score == pytest.approx(value(name, at), abs=1e-9)
        for name, points in curves.ranks.items():
            for (low, rank), (high, same) in zip(points[::2], points[1::2], strict=True):
                assert rank == same
                if high - low < 1e-6:
                    continue
                middle = (low + high) / 2
                mine = round(value(name, middle), 12)
                assert rank == 1 + sum(round(value(other, middle), 12) > mine for other in rows)
