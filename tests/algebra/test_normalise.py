import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.model.prf import f_measure, ratio
from adjudge.stats.measure import Prf
from adjudge.stats.points import compute

counts = st.integers(0, 50)
undefineds = st.sampled_from([0, 1, None])


def obvious_f(p_num, p_den, r_num, r_den, beta, undefined):
    """The textbook definition in fractions; None where a ratio that has no value could change it."""
    p = Fraction(p_num, p_den) if p_den else undefined
    r = Fraction(r_num, r_den) if r_den else undefined
    if p == 0 or r == 0:
        return 0
    if p is None or r is None:
        return None
    square = Fraction(beta) ** 2
    return (1 + square) * p * r / (square * p + r)


@given(counts, counts, counts, counts, st.sampled_from([0.5, 1.0, 2.0]), undefineds)
def test_f_measure_of_two_matchings(p_num, p_den, r_num, r_den, beta, undefined):
    p_num, r_num = min(p_num, p_den), min(r_num, r_den)
    policy = math.nan if undefined is None else undefined
    got = f_measure((p_num, p_den), (r_num, r_den), beta=beta, undefined=policy, same=False)
    expected = obvious_f(p_num, p_den, r_num, r_den, beta, undefined)
    assert got == pytest.approx(math.nan if expected is None else float(expected), nan_ok=True)


@given(
    st.lists(st.tuples(counts, counts, counts, counts), min_size=1, max_size=8),
    undefineds,
    st.booleans(),
    st.sampled_from([0.5, 1.0]),
)
def test_columns_do_what_scalars_do(rows, undefined, same, beta):
    """Summed counts, of many documents or resamples at once."""
    rows = [(min(a, b), b, min(a if same else c, d), d) for a, b, c, d in rows]
    rows = [(min(a, c), b, min(a, c), d) if same else (a, b, c, d) for a, b, c, d in rows]
    names = ("s", "p", "s", "g") if same else ("s", "p", "r", "g")
    columns = tuple(dict.fromkeys(names))
    parts = ("precision", "recall", f"f{beta:g}", *(("jaccard",) if same else ()))
    measure = Prf("x", names[:2], names[2:], beta=beta, undefined=undefined, parts=parts)
    table = [[row[names.index(name)] for name in columns] for row in rows]
    found = compute([measure], columns, table)
    policy = math.nan if undefined is None else undefined
    for place, (a, b, c, d) in enumerate(rows):
        got = [found["x", part][place] for part in parts]
        expected = [ratio(a, b, policy), ratio(c, d, policy)]
        expected.append(f_measure((a, b), (c, d), beta=beta, undefined=policy, same=same))
        expected += [ratio(a, b + d - a, policy)] if same else []
        assert got == pytest.approx(expected, rel=1e-15, nan_ok=True)


def test_numpy_scalars():
    assert ratio(np.float64(1), np.int64(2), 0) == 0.5
    assert ratio(np.float64(0), np.float64(0), None) is None
