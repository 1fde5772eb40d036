"""What is counted over a whole corpus, or as a published scorer counts, comes to its end in time, and says how to."""

from __future__ import annotations

import json
import time

import pytest

from adjudge.algebra import ir
from adjudge.algebra.plan import plan
from adjudge.cli import run
from fuzz.known import known


@pytest.fixture
def case(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = known()[request.param]
    for name, data in found.files.items():
        (tmp_path / name).write_text(data)
    return list(found.words)


def instead(words, *more):
    """A line with other options, instead of those of the same names."""
    places = {at + step for at, word in enumerate(words) if word in more and word.startswith("--") for step in (0, 1)}
    return [*(word for at, word in enumerate(words) if at not in places), *more]


@pytest.mark.parametrize("case", ["ways of twelve hops around a hub"], indirect=True)
@pytest.mark.parametrize("more", [[], ["--explain", "d0"], ["--bootstrap", "100", "--jobs", "2"]], ids=str)
def test_paths_of_many_hops_end_in_time(case, more, capsys):
    start = time.monotonic()
    assert run(instead(case, *more, "--time-limit", "0.1")) == 2
    assert time.monotonic() - start < 20
    said = capsys.readouterr().err
    assert "error: the corpus could not be counted in 0.4 seconds, ask for fewer hops (--hops)" in said


@pytest.mark.parametrize("case", ["clusters in a chain"], indirect=True)
def test_alignments_in_resamples_end_in_time(case, capsys):
    start = time.monotonic()
    assert run(instead(case, "--time-limit", "0.2")) == 2
    assert time.monotonic() - start < 20
    assert "ask for fewer resamples (--bootstrap 0: none)" in capsys.readouterr().err


def test_published_scorers_have_the_time_of_a_document(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("gold", "system"):
        texts = [f"{name} {'word ' * 40}{number}" for number in range(20)]
        (tmp_path / name).write_text(json.dumps({"id": "d", "records": {"list": texts}}) + "\n")
    line = ["record", "score", "gold", "system", "--compat", "anls-star-1.0.1"]
    assert run([*line, "--time-limit", "1e-5"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: system: anls-star-1.0.1 did not finish a document in 1e-05 seconds")
    assert run(line) == 0


def test_no_bound_is_above_what_a_measure_can_be():
    """Orders without cycles leave each node one partner, whatever the matching."""
    nodes = [f"n{number % 5}" for number in range(60)]
    gold = {"nodes": nodes, "edges": [[number, (number * 7 + 3) % 30 + 30] for number in range(30)]}
    system = {"nodes": nodes, "edges": [[number, (number * 11 + 5) % 30 + 30] for number in range(30)]}
    for match in ("1:1", "N:1", "1:N", "N:N"):
        found = plan(ir.Graph(of=ir.Edit(), match=match), time_limit=0.2).observe(gold, system)
        assert found.value <= (found.bound if found.bound is not None else found.value) <= 60


def test_comparisons_of_many_systems_end_in_time(tmp_path, capsys):
    def write(name, wrong):
        lines = []
        for document in range(20):
            spans = [({"start": 9 * at, "end": 9 * at + 5}, (document * at + wrong) % 7 < wrong) for at in range(3)]
            entities = [{"span": span, "type": "LOC" if other else "PER"} for span, other in spans]
            lines.append(json.dumps({"id": f"d{document}", "entities": entities}))
        (tmp_path / name).write_text("\n".join(lines))
        return str(tmp_path / name)

    gold, systems = write("gold.jsonl", 0), [write(f"s{number}.jsonl", number % 7 + 1) for number in range(30)]
    line = ["ner", "score", gold, *systems, "--metric", "ner.strict", "--test", "randomisation"]
    start = time.monotonic()
    assert run([*line, "--time-limit", "0.05"]) == 2
    assert time.monotonic() - start < 20
    assert "the systems could not be compared in 1 seconds, ask for fewer resamples" in capsys.readouterr().err
    assert run([*line, "--bootstrap", "100"]) == 0
