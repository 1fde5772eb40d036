"""One clock for a document: what is not finished says so, whatever it was that took the time."""

import importlib
import random
import signal
import subprocess
import sys
import time

import pytest

from adjudge.algebra import (
    custom,
    edit,
    exact,
    f1,
    graph,
    greedy,
    latent,
    many_to_one,
    number,
    one_to_many,
    record,
    set_of,
    total,
    variable,
)
from adjudge.algebra.plan import plan
from adjudge.algebra.solve import ilp
from adjudge.algebra.solve.deadline import DEFAULT, NEVER, Deadline, OutOfTime, within
from adjudge.errors import ValidationError
from adjudge.metrics import Combined, Metric, find


def words(count, seed):
    rng = random.Random(seed)
    return ["".join(rng.choices("ab", k=8)) for _ in range(count)]


def nodes(count, edges, seed, make=lambda rng: f"n{rng.randrange(9)}"):
    rng = random.Random(seed)
    links = [[rng.randrange(count), rng.randrange(count)] for _ in range(edges)]
    return {"nodes": [make(rng) for _ in range(count)], "edges": links}


def meanings(count, seed):
    rng = random.Random(seed)
    found = [[f"v{k}", "instance", "same"] for k in range(count)]
    return found + [[f"v{rng.randrange(count)}", "ARG0", f"v{rng.randrange(count)}"] for _ in range(count)]


def test_parts_of_a_deadline():
    assert DEFAULT - 1 < Deadline().left <= DEFAULT
    whole = Deadline(9.0)
    assert whole.part(3).left == pytest.approx(3.0, abs=0.5)
    assert not NEVER.part(3).passed
    assert Deadline(-5.0).part(2).passed


TRIPLE = record({"0": variable, "1": exact, "2": variable})
CASES = {
    "set": (set_of(edit()), words(200, 1), words(200, 2)),
    "graph": (graph(edit()), nodes(60, 90, 1), nodes(60, 90, 2)),
    "latent": (
        latent(set_of(TRIPLE)),
        [[f"?{a}", "r", f"?{b}"] for a in range(40) for b in range(a)],
        [[f"?{b}", "r", f"?{a}"] for a in range(40) for b in range(a) if (a + b) % 3],
    ),
    "precision": (many_to_one(edit()), words(200, 1), words(200, 2)),
    "recall": (one_to_many(edit()), words(200, 1), words(200, 2)),
    "sum": (total(a=set_of(edit()), b=set_of(exact)), *({"a": words(200, k), "b": words(5, k)} for k in (1, 2))),
}


@pytest.mark.parametrize("name", CASES)
def test_without_time_there_is_a_value_and_a_bound(name):
    node, gold, system = CASES[name]
    found = plan(node, time_limit=1e-6).observe(gold, system)
    assert not found.optimal
    assert found.value < found.bound <= max(found.system, found.gold)
    if name not in ("graph", "latent"):
        best = plan(node).observe(gold, system)
        assert best.optimal
        assert found.value <= best.value <= found.bound


def test_what_is_small_is_finished_all_the_same():
    assert plan(set_of(edit()), time_limit=1e-9).observe(["ab", "cd"], ["ac", "cd"]).optimal
    assert plan(graph(exact), time_limit=1e-9).observe(nodes(4, 3, 1), nodes(4, 3, 2)).optimal


def test_where_nothing_bounds_the_value_candidates_are_not_left_out():
    """Fewer candidates may make a greedy matching better, and nobody knows how high a function goes."""
    gold, system = words(100, 1), words(100, 2)
    for node in (greedy(edit()), set_of(custom(lambda s, g: float(s[0] == g[0])))):
        assert plan(node, time_limit=1e-9).observe(gold, system).optimal


def test_metrics_of_a_document_share_its_time():
    from adjudge import score

    metrics = ["amr.smatch", "amr.unlabelled", "amr.no-wsd", "amr.reentrancy", "amr.srl"]
    gold, system = ([{"id": "d", "amr": meanings(60, seed)}] for seed in (1, 2))
    began = time.monotonic()
    found = score(metrics, gold, system, time_limit=1.0, bootstrap=0)
    assert time.monotonic() - began < 5
    assert [note.code for note in found.systems[0].notes if note.code == "not-optimal"]
    assert "limit:1" in found.signature
    assert "limit:" not in score(metrics, [{"id": "d", "amr": []}], [{"id": "d", "amr": []}], bootstrap=0).signature


def test_combined_metrics_have_the_limit_of_their_members():
    found = find("ner.strict").with_options(time_limit=3.0)
    assert Combined("two", ((found, "f1"),), "product").time_limit == 3.0
    assert Metric(f1(set_of(exact)), within="a").time_limit is None


HARD = """
from adjudge.algebra import edit, graph
from adjudge.algebra.plan import plan
import importlib
import random
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # which nobody has whose shell runs it in the background
rng = random.Random(1)
sides = [{"nodes": ["".join(rng.choices("abcd", k=6)) for _ in range(40)],
          "edges": [sorted(rng.sample(range(40), 2)) for _ in range(50)]} for _ in range(2)]
print("go", flush=True)
print(plan(graph(edit())).observe(*sides))
"""


def test_the_integer_programme_can_be_interrupted():
    child = subprocess.Popen([sys.executable, "-c", HARD], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout.readline() == b"go\n"
    time.sleep(4)
    child.send_signal(signal.SIGINT)
    began = time.monotonic()
    _, said = child.communicate(timeout=30)
    assert time.monotonic() - began < 5
    assert b"KeyboardInterrupt" in said


def test_the_solver_in_another_process_gives_the_same_answer(monkeypatch):
    rows = [([(0, 1.0), (1, 1.0)], 1.0), ([(1, 1.0), (2, 1.0)], 1.0)]
    here = ilp.maximise([2.0, 3.0, 2.0], rows, integers=3)
    monkeypatch.setattr(ilp, "_SMALL", 0)
    assert ilp.maximise([2.0, 3.0, 2.0], rows, integers=3) == here
    assert ilp.maximise([2.0, 3.0, 2.0], rows, integers=3, deadline=Deadline(0.0)) == ilp.Answer(None, 7.0, False)


def test_numbers_that_are_too_large_are_refused():
    node = set_of(number(10))
    with pytest.raises(ValidationError, match="too large"):
        plan(node).observe([10**400], [1])
    assert plan(node).observe([10**308], [-(10**308)]).value == 0.0


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there is no alarm")
def test_an_alarm_that_compiled_code_hides_is_still_one():
    def compare():
        try:
            signal.raise_signal(signal.SIGALRM)
        except OutOfTime:
            raise TypeError("arrays cannot be compared") from None

    with pytest.raises(OutOfTime), within(Deadline(60)):
        compare()
    with pytest.raises(TypeError), within(Deadline(60)):
        raise TypeError("something else")


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there is no alarm")
def test_a_module_is_loaded_to_its_end_when_the_alarm_rings(tmp_path, monkeypatch):
    (tmp_path / "slow_to_load.py").write_text("import time\ntime.sleep(0.8)\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)

    def load():
        importlib.import_module("slow_to_load")
        time.sleep(5)

    with pytest.raises(OutOfTime), within(Deadline(0.1)):
        load()
    assert importlib.import_module("slow_to_load").whole
