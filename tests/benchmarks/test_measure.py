"""Processes are timed, weighed, stopped, and run in turns."""

import sys

import pytest

from benchmarks.house.measure import ROOT, Cost, Failed, alternate, run_process, summed

PYTHON = sys.executable


def test_a_process_costs_something_and_says_something():
    cost = run_process([PYTHON, "-c", "sum(range(10**6)); print('done')"])
    assert cost.found == "done\n"
    assert cost.cpu > 0
    assert cost.megabytes > 1
    assert not cost.cut


def test_a_filter_reads_a_file(tmp_path):
    (tmp_path / "in").write_text("some words")
    code = "import sys, os; print(sys.stdin.read(), os.path.exists('in'))"
    assert run_process([PYTHON, "-c", code], stdin=tmp_path / "in", folder=tmp_path).found == "some words True\n"
    assert run_process([PYTHON, "-c", code]).found == " False\n"


def test_memory_is_that_of_the_process():
    # From a small process, as the house is: a new process starts with the memory of the one that makes it.
    code = (
        "from benchmarks.house.measure import run_process\nimport sys\n"
        "for n in (1, 200_000_000): print(run_process([sys.executable, '-c', f'x = bytearray({n})']).megabytes)"
    )
    small, large = map(float, run_process([PYTHON, "-c", code], PYTHONPATH=str(ROOT)).found.split())
    assert 150 < large - small < 250  # the system counts pages in batches


def test_a_process_that_fails_says_why_without_folders():
    with pytest.raises(Failed, match=r"^python\S* failed: .*oh no$"):
        run_process([PYTHON, "-c", "raise SystemExit('oh no')"])
    with pytest.raises(Failed, match="cannot be run"):
        run_process(["/nowhere/program"])


def test_a_process_that_takes_too_long_is_stopped():
    command = [PYTHON, "-c", "import time; time.sleep(60)"]
    with pytest.raises(Failed, match="more than"):
        run_process(command, limit=0.3)
    assert run_process(command, limit=0.3, may_cut=True).cut


def test_sides_run_in_turns_and_a_failing_one_is_left_out():
    order = []

    def side(name, *, fail=False):
        def run():
            order.append(name)
            if fail:
                raise Failed("gone")
            return Cost(len(order), len(order))

        return run

    sides = {"a": side("a"), "b": side("b", fail=True), "c": side("c"), "d": side("d")}
    turns = alternate(sides, 3, fewer={"d": 1})
    assert "".join(order) == "abcd" + "ac" + "ac"
    assert turns.failed == {"b": "gone"}
    assert turns.best("a")[:2] == (1, 7)  # the least time, the most memory
    with pytest.raises(Failed, match="gone"):
        turns.best("b")


def test_a_program_of_several_commands():
    assert summed([Cost(1, 5, 1, "x"), Cost(2, 3, 1, "y", cut=True)]) == Cost(3, 5, 2, ["x", "y"], cut=True)
