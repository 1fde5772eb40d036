"""A whole run with a tiny fake peer, and the command line."""

import json
import sys

import pytest

from benchmarks.house import run
from benchmarks.house.measure import Failed, alternate, run_process
from benchmarks.house.rows import Bench, Found, Row, compare
from benchmarks.house.setting import Setting
from benchmarks.house.table import load_lines
from benchmarks.parts import PARTS, all_benches

PEER = "import time; s = time.process_time()\nwhile time.process_time() - s < 0.3: pass"


def fake_bench():
    rows = (Row("cpu", "nothing to do", "times less CPU than a busy peer", 2), Row("gone", "it", "times", 1))

    def work(_):
        sides = {
            "ours": lambda: run_process([sys.executable, "-S", "-c", ""]),
            "peer": lambda: run_process([sys.executable, "-S", "-c", PEER]),
        }
        yield compare("cpu", alternate(sides, 2), "peer")
        raise Failed("the other peer is not there")

    return Bench("fake/one", rows, work)


def test_a_run_writes_what_it_has_found(tmp_path, capsys):
    lines, data = run.run_all([fake_bench()], Setting(out=tmp_path), tmp_path / "results.json", date="2026-01-02")
    assert [line.verdict for line in lines] == ["met", "not measured"]
    assert json.loads((tmp_path / "results.json").read_bytes()) == data
    assert data["seconds"].keys() == {"fake/one"}
    assert "fake/one: nothing to do" in capsys.readouterr().out


def test_nothing_is_begun_when_the_time_is_up(tmp_path):
    lines, _ = run.run_all([fake_bench()], Setting(out=tmp_path), tmp_path / "results.json", minutes=-1, date="")
    assert {line.found.why for line in lines} == {"the time that was given is up"}


def test_benches_are_measured_again_as_a_whole_met_or_missed(tmp_path, monkeypatch, capsys):
    values = {"fake/slow": [7.0, 1.0], "fake/fast": [4.0, 9.0], "other/one": [6.0]}

    def bench(name):
        rows = (Row("cpu", "it", "times", 5), Row("more", "it", "MB"))
        return Bench(
            name, rows, lambda _: iter([Found("cpu", own := values[name].pop()), Found("more", own, note="x")])
        )

    benches = [bench(name) for name in values]
    monkeypatch.setattr("benchmarks.parts.all_benches", lambda quick: benches)
    target = tmp_path / "results.json"
    assert run.main(["--json", str(target)]) == 1
    assert run.main(["--again", str(target), "--only", "fake", "--json", str(target)]) == 1
    lines = load_lines(json.loads(target.read_bytes()))
    assert [(line.bench, line.found.value, line.verdict) for line in lines] == [
        ("fake/slow", 7.0, "met"),
        ("fake/slow", 7.0, ""),
        ("fake/fast", 4.0, "missed"),
        ("fake/fast", 4.0, ""),
        ("other/one", 6.0, "met"),
        ("other/one", 6.0, ""),
    ]
    assert [line.found.note for line in lines] == [
        *("1.00 the first time", "x; 1.00 the first time"),
        *("9.00 the first time", "x; 9.00 the first time"),
        *("", "x"),
    ]
    with pytest.raises(SystemExit):
        run.main(["--again", str(target), "--quick"])


@pytest.mark.parametrize("quick", [True, False])
def test_every_bench_has_a_name_of_its_part_and_rows_of_their_own(quick):
    benches = all_benches(quick=quick)
    names = [bench.name for bench in benches]
    assert len(set(names)) == len(names)
    assert {name.split("/")[0] for name in names} == set(PARTS)
    for bench in benches:
        keys = [row.key for row in bench.rows]
        assert len(set(keys)) == len(keys) > 0


def test_the_quick_run_keeps_every_bar():
    """Shapes are smaller and bars not judged, but the same rows are there."""

    def bars(quick):
        return sorted(
            (b.name.split("/")[0], row.key, row.bar) for b in all_benches(quick=quick) for row in b.rows if row.bar
        )

    assert bars(True) == bars(False)


def test_the_list_runs_nothing(capsys):
    assert run.main(["--list", "--only", "coref/tiny"]) == 0
    assert capsys.readouterr().out == (
        "coref/tiny: one document of 200 mentions: times less CPU than the reference scorer  [at least 1]\n"
    )


@pytest.mark.parametrize(
    "arguments", [["--only", "nothing"], ["--write-docs", "--quick"], ["--programs", "/no/such/folder"]]
)
def test_wrong_usage(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        run.main(arguments)
    assert ended.value.code == 2
    assert "error" in capsys.readouterr().err


def test_the_page_is_written_from_saved_results(tmp_path, monkeypatch):
    about = {"date": "2026-01-02", "version": "1.2.3"}
    _, data = run.run_all([], Setting(out=tmp_path), tmp_path / "results.json", **about)
    monkeypatch.setattr(run, "PAGE", tmp_path / "page.md")
    assert run.main(["--from", str(tmp_path / "results.json")]) == 0
    assert (tmp_path / "page.md").read_text(encoding="utf-8").startswith("# Benchmarks\n")
    assert data["lines"] == []
