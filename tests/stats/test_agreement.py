"""Kappa and alpha: worked examples of the literature, slow definitions, and what resampling does."""

import math
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.stats.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha, label_coefficients
from adjudge.stats.inference import Inference
from adjudge.stats.unitising import Unit, unit_alpha, unit_coefficients

# Krippendorff (2011), Computing Krippendorff's alpha-reliability, section E: four observers, twelve units.
OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
# The common textbook example of Fleiss' kappa: ten subjects, five categories, 14 raters.
FLEISS = (
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
)


def test_alpha_of_krippendorffs_example():
    ratings = list(zip(*OBSERVERS, strict=True))
    assert round(krippendorff_alpha(ratings), 3) == 0.743
    assert round(krippendorff_alpha(ratings, "ordinal"), 3) == 0.815
    assert round(krippendorff_alpha(ratings, "interval"), 3) == 0.849


def test_alpha_of_two_observers():
    # Krippendorff (2011), section A: ten binary units, two observers.
    a = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    b = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert round(krippendorff_alpha(list(zip(a, b, strict=True))), 3) == 0.095
    # Section C: twelve nominal units, two observers.
    c = "aabbdcccedda"
    d = "babbbcccedd" + "d"
    assert round(krippendorff_alpha(list(zip(c, d, strict=True))), 3) == 0.692


def test_fleiss_kappa_of_the_textbook():
    ratings = [[label for label, number in enumerate(row) for _ in range(number)] for row in FLEISS]
    assert round(fleiss_kappa(ratings), 3) == 0.210


def test_labels_on_places_of_krippendorff_1995():
    bertha = [int(c) for c in "001111111100001111110000"]
    bill = [int(c) for c in "000011110000000110000000"]
    assert cohen_kappa(bertha, bill) == pytest.approx(0.385, abs=0.001)
    assert fleiss_kappa(list(zip(bertha, bill, strict=True))) == pytest.approx(0.314, abs=0.001)  # Scott's pi
    assert krippendorff_alpha(list(zip(bertha, bill, strict=True))) == pytest.approx(0.329, abs=0.001)


def shifted(start: int, length: int, category: str) -> Unit:
    return Unit(start - 150, start - 150 + length, category)


I_UNITS = [shifted(225, 70, "c"), shifted(370, 30, "c"), shifted(180, 60, "k"), shifted(300, 50, "k")]
J_UNITS = [
    shifted(220, 80, "c"),
    shifted(355, 20, "c"),
    shifted(400, 20, "c"),
    shifted(180, 60, "k"),
    shifted(300, 50, "k"),
]


def test_unit_alpha_of_krippendorff_2004():
    # Content Analysis, second edition, p. 254: a continuum from 150 to 450, two observers, categories c and k.
    whole, each = unit_alpha([(300, [I_UNITS, J_UNITS])])
    assert each == {"c": pytest.approx(0.7286, abs=0.0001), "k": pytest.approx(1.0)}
    assert whole == pytest.approx(0.8591, abs=0.0005)


def test_undefined_without_variation():
    assert math.isnan(cohen_kappa(["a", "a"], ["a", "a"]))
    assert math.isnan(fleiss_kappa([["a", "a"], ["a", "a"]]))
    assert math.isnan(krippendorff_alpha([["a", "a"], ["a", None]]))
    assert math.isnan(krippendorff_alpha([]))
    assert math.isnan(unit_alpha([(10, [[], []])])[0])


def test_true_is_not_one():
    assert krippendorff_alpha([[True, True], [1, 1], [True, 1]]) < 1
    assert krippendorff_alpha([[True, True], [1, 1]]) == 1


def test_texts_have_no_order():
    with pytest.raises(UsageError, match="have no order"):
        krippendorff_alpha([["a", "b"]], "interval")


def test_units_may_not_overlap():
    with pytest.raises(UsageError, match="overlaps another"):
        unit_alpha([(10, [[Unit(0, 4, "x"), Unit(3, 5, "x")], []])])
    with pytest.raises(UsageError, match="ends after 10"):
        unit_alpha([(10, [[Unit(0, 11, "x")], []])])


LABELS = st.sampled_from(["x", "y", "z", None])
RATINGS = st.lists(st.tuples(LABELS, LABELS, LABELS), min_size=1, max_size=12)


def slow_alpha(ratings):
    """Disagreement of all pairs within units over that of all pairs of pairable labels."""
    rows = [[label for label in row if label is not None] for row in ratings]
    rows = [row for row in rows if len(row) > 1]
    number = sum(map(len, rows))
    observed = sum(sum(a != b for a, b in permutations(row, 2)) / (len(row) - 1) for row in rows) / max(number, 1)
    everything = [label for row in rows for label in row]
    expected = sum(a != b for a, b in permutations(everything, 2)) / max(number * (number - 1), 1)
    return 1 - observed / expected if expected else math.nan


@settings(max_examples=30, deadline=None)
@given(RATINGS)
def test_alpha_is_what_it_says(ratings):
    assert krippendorff_alpha(ratings) == pytest.approx(slow_alpha(ratings), nan_ok=True)


@settings(max_examples=30, deadline=None)
@given(RATINGS)
def test_kappa_is_symmetric_and_at_most_one(ratings):
    a, b = [row[0] for row in ratings], [row[1] for row in ratings]
    one = cohen_kappa(a, b)
    assert cohen_kappa(b, a) == pytest.approx(one, nan_ok=True)
    assert math.isnan(one) or one <= 1 + 1e-12


def units(draw):
    cuts = draw(st.lists(st.integers(0, 12), max_size=6, unique=True).map(sorted))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    return [Unit(start, end, draw(st.sampled_from("xy"))) for start, end in pairs]


@st.composite
def continua(draw):
    return [(12, [units(draw), units(draw), units(draw)]) for _ in range(draw(st.integers(1, 3)))]


def slow_unit_alpha(documents):
    """The formulas, term by term."""
    m, length = 3, sum(size for size, _ in documents)
    observed = expected = 0.0
    for category in {unit.category for _, sides in documents for side in sides for unit in side}:
        all_units, all_gaps = [], []
        for size, sides in documents:
            sections = []
            for side in sides:
                own = sorted((unit.start, unit.end) for unit in side if unit.category == category)
                edges = [0, *(place for span in own for place in span), size]
                gaps = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b > a]
                sections.append([(a, b - a, 1) for a, b in own] + [(a, b - a, 0) for a, b in gaps])
                all_units += [b - a for a, b in own]
                all_gaps += [b - a for a, b in gaps]
            for one, other in permutations(sections, 2):
                for b, size_, v in one:
                    for c, k, w in other:
                        if v and w and -size_ < b - c < k:
                            observed += ((b - c) ** 2 + (b + size_ - c - k) ** 2) / (m * (m - 1) * length**2)
                        elif v and not w and k - size_ >= b - c >= 0:
                            observed += size_**2 / (m * (m - 1) * length**2)
                        elif w and not v and size_ - k >= c - b >= 0:
                            observed += k**2 / (m * (m - 1) * length**2)
        n = len(all_units)
        top = sum(
            (n - 1) / 3 * (2 * size_**3 - 3 * size_**2 + size_)
            + size_**2 * sum(g - size_ + 1 for g in all_gaps if g >= size_)
            for size_ in all_units
        )
        expected += 2 / length * top / (m * length * (m * length - 1) - sum(size_ * (size_ - 1) for size_ in all_units))
    return 1 - observed / expected if expected else math.nan


@settings(max_examples=30, deadline=None)
@given(continua())
def test_unit_alpha_is_what_it_says(documents):
    assert unit_alpha(documents)[0] == pytest.approx(slow_unit_alpha(documents), nan_ok=True)


@settings(max_examples=25, deadline=None)
@given(continua(), st.lists(st.integers(0, 3), min_size=3, max_size=3))
def test_weights_repeat_documents(documents, weights):
    weights = weights[: len(documents)]
    repeated = [each for each, weight in zip(documents, weights, strict=True) for _ in range(weight)]
    found = unit_alpha(documents, [weights])[0]
    assert found == pytest.approx(unit_alpha(repeated)[0] if repeated else math.nan, nan_ok=True)


def test_coefficients_have_intervals_that_hold_them():
    random = Random(5)
    documents = []
    for _ in range(30):
        truth = [random.choice("abc") for _ in range(5)]
        rows = [[t, t if random.random() < 0.8 else "a", t if random.random() < 0.7 else "b"] for t in truth]
        documents.append([(row, 1) for row in rows])
    draws = Inference(bootstrap=300, level=0.9, seed=1)
    found = label_coefficients(documents, ["A", "B", "C"], "x", draws)
    assert [each.name for each in found] == ["kappa (Cohen)"] * 3 + ["kappa (Fleiss)", "alpha (Krippendorff)"]
    for each in found:
        assert each.units == 150
        assert each.level == 0.9
        assert each.low < each.value < each.high
    assert found == label_coefficients(documents, ["A", "B", "C"], "x", draws)
    assert all(each.low is None for each in label_coefficients(documents, ["A", "B", "C"], "x", Inference(bootstrap=0)))


def test_counted_rows_are_repeated_rows():
    draws = Inference(bootstrap=0)
    counted = label_coefficients([[(("a", "b"), 3), (("a", "a"), 2), (("b", "b"), 4)]], ["A", "B"], "x", draws)
    rows = [("a", "b")] * 3 + [("a", "a")] * 2 + [("b", "b")] * 4
    assert counted[0].value == pytest.approx(cohen_kappa([a for a, _ in rows], [b for _, b in rows]))
    assert counted[1].value == pytest.approx(krippendorff_alpha(rows))


def test_unit_coefficients_by_category():
    draws = Inference(bootstrap=50)
    found = unit_coefficients([(300, [I_UNITS, J_UNITS])] * 4, ["i", "j"], "entities", draws)
    assert [each.on for each in found] == ["entities", "entities: c", "entities: k"]
    assert [each.units for each in found] == [36, 20, 16]
    assert found[2].value == 1
    assert found[2].low is None
