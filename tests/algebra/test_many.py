"""Very many pairs are arrays: the same answers as from tables, little memory, and the clock is looked at."""

import random
import subprocess
import sys

import pytest

from adjudge.algebra import (
    custom,
    dice,
    edit,
    exact,
    f1,
    graph,
    greedy,
    hierarchy,
    jaccard,
    many_to_many,
    many_to_one,
    mapped,
    number,
    one_to_many,
    overlap,
    record,
    sequence,
    set_of,
    span,
    text,
    threshold,
    unit,
)
from adjudge.algebra.operators import collection
from adjudge.algebra.plan import plan
from adjudge.errors import ValidationError
from adjudge.metrics import find


def word(source):
    return "".join(source.choices("abc", k=source.randrange(5)))


def place(source):
    start = source.randrange(9)
    return {"start": start, "end": start + source.randrange(5)}


def alike(s, g):
    return abs(len(s) - len(g)) / 4


ELEMENTS = {
    "edit": (edit(), word),
    "long": (edit(), lambda source: "x" * source.choice((0, 62, 63, 64, 70)) + word(source)),
    "number": (number(3), lambda source: source.choice((1, 2.5, 2, 4, 10**400 // 10**120))),
    "span": (span(), place),
    "span count": (span(by="count"), place),
    "span partial": (span(by="partial"), place),
    "words": (text("words"), lambda source: " ".join(source.choices("pqrst", k=source.randrange(1, 4)))),
    "bags": (text("words", duplicates="multiset"), lambda source: " ".join(source.choices("pq", k=3))),
    "containment": (mapped(overlap(by="containment"), by="words"), lambda source: " ".join(source.choices("pqr", k=3))),
    "types": (hierarchy(separator="."), lambda source: ".".join(source.choices("ab", k=source.randrange(1, 4)))),
    "function": (custom(alike), word),
    "known": (unit(custom(alike, upper=1.0, self_score=1.0)), word),
    "above": (threshold(edit(), above=0.5), word),
    "at least": (threshold(edit(), at_least=0.5), word),
    "near": (threshold(number(10), at_least=0.7), lambda source: source.choice((0.1, 0.2, 3.1, 3.2, 6))),
    "kept": (threshold(edit(), above=0.5, keep=True), word),
    "record": (
        record(name=edit(), kind=exact, at=span()),
        lambda source: {"name": word(source), "kind": source.choice("ij"), "at": place(source)},
    ),
    "sets": (set_of(edit()), lambda source: [word(source) for _ in range(source.randrange(3))]),
    "ratios": (f1(set_of(exact)), lambda source: [word(source) for _ in range(source.randrange(3))]),
    "jaccard": (jaccard(set_of(exact)), lambda source: [word(source) for _ in range(2)]),
    "shared": (dice(), lambda source: [word(source) for _ in range(2)]),
}
MATCHINGS = {
    "1:1": set_of,
    "all": lambda of: set_of(of, duplicates="multiset"),
    "N:1": many_to_one,
    "1:N": one_to_many,
    "N:N": many_to_many,
    "best": lambda of: set_of(of, match="best"),
    "greedy": greedy,
    "greedy gold": lambda of: greedy(of, ties="gold"),
    "by system": lambda of: greedy(of, order="system"),
    "by gold": lambda of: greedy(of, order="gold", take="first"),
    "sequence": sequence,
    "sequence N:1": lambda of: sequence(of, match="N:1"),
    "sequence 1:N": lambda of: sequence(of, match="1:N"),
    "sequence N:N": lambda of: sequence(of, match="N:N"),
}


def pairs_of(found):
    found = [(each.system_path, each.gold_path) for each in found.matched]
    return sorted(pair for pair in found if pair[0].count("[") == 1)  # inside of them there may be ties


@pytest.mark.parametrize("matching", MATCHINGS)
@pytest.mark.parametrize("element", ELEMENTS)
def test_arrays_give_the_same_answers_as_tables(element, matching, monkeypatch):
    of, make = ELEMENTS[element]
    source = random.Random(f"{element} {matching}")
    for _ in range(3):
        gold, system = ([make(source) for _ in range(source.choice((1, 4, 9)))] for _ in range(2))
        node = MATCHINGS[matching](of)
        small = plan(node).observe(gold, system)
        with monkeypatch.context() as patch:
            patch.setattr(collection, "_MANY", 0)
            large = plan(node)
            found = large.observe(gold, system)
            shown = large.align(gold, system)
        assert found.optimal
        assert found.value == pytest.approx(small.value, abs=1e-12)
        if matching.startswith(("greedy", "by")):
            assert pairs_of(shown) == pairs_of(plan(node).align(gold, system))


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
def test_graphs_from_arrays(match, monkeypatch):
    source = random.Random(match)
    for _ in range(10):
        sides = []
        for _ in range(2):
            size = source.choice((3, 5, 7))
            edges = [[source.randrange(size), source.randrange(size)] for _ in range(size)]
            sides.append({"nodes": [word(source) for _ in range(size)], "edges": edges})
        node = graph(edit(), match=match)
        small = plan(node).observe(*sides)
        with monkeypatch.context() as patch:
            patch.setattr(collection, "_MANY", 0)
            assert plan(node).observe(*sides).value == pytest.approx(small.value, abs=1e-12)


def test_too_many_pairs_for_an_array(monkeypatch):
    """Lines are done some at a time; of what needs all pairs only the first are matched, and that is said."""
    source = random.Random(5)
    gold, system = ([word(source) + str(n) for n in range(40)] for _ in range(2))
    whole = {name: plan(MATCHINGS[name](edit())).observe(gold, system) for name in ("1:1", "N:1", "1:N", "N:N")}
    for name, value in (("_MANY", 0), ("_CELLS", 100), ("_OBJECTS", 0)):
        monkeypatch.setattr(collection, name, value)
    for name, known in whole.items():
        found = plan(MATCHINGS[name](edit())).observe(gold, system)
        assert found.optimal == (name != "1:1")
        assert found.value == pytest.approx(known.value) if found.optimal else found.value < known.value <= found.bound
    with pytest.raises(ValidationError, match="too many pairs"):
        plan(greedy(edit())).observe(gold, system)


def near(count, seed):
    source = random.Random(seed)
    return ["nearly the " + "".join(source.choices("abcd", k=8)) for _ in range(count)]


def test_without_time_many_pairs_have_a_value_and_a_bound_or_are_refused():
    gold, system = near(600, 1), near(600, 2)
    known = plan(set_of(edit())).observe(gold, system)
    found = plan(set_of(edit()), time_limit=1e-6).observe(gold, system)
    assert not found.optimal
    assert found.value <= known.value <= found.bound
    for node in (greedy(edit()), set_of(custom(alike))):
        with pytest.raises(ValidationError, match="time is up"):
            plan(node, time_limit=1e-6).observe(gold, system)


def test_large_numbers_are_alike_if_they_are_equal():
    assert plan(set_of(number(3))).observe([10**280, *range(5)], [10**280, *range(9, 15)]).value == 1.0


LARGE = """
import random
import re
from adjudge.algebra import edit, set_of
from adjudge.algebra.plan import plan
source = random.Random(1)
sides = [["near " + "".join(source.choices("abcdefgh", k=7)) for _ in range(2000)] for _ in range(2)]
print(plan(set_of(edit())).observe(*sides).optimal, re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as on Linux")
def test_many_elements_take_little_memory():
    done = subprocess.run([sys.executable, "-c", LARGE], capture_output=True, text=True, check=True)
    proven, kilobytes = done.stdout.split()
    assert proven == "True"
    assert int(kilobytes) < 200_000


@pytest.mark.parametrize("name", ["record.fields", "record.exact", "record.match"])
def test_records_that_are_nearly_the_same_take_little_memory(name):
    import tracemalloc

    import scipy.optimize  # noqa: F401

    gold, system = ([{"name": f"nearly {n * factor}", "kind": "same"} for n in range(2000)] for factor in (1, 3))
    tracemalloc.start()
    try:
        found = find(name).score(gold, system)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()
    assert found.f1 == pytest.approx(
        {"record.exact": 667, "record.match": 1333.5, "record.fields": 1333.5}[name] / 2000
    )
