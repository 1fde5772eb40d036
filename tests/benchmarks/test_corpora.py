"""Corpora are the same every time, are what the readers of adjudge expect, and are made once."""

from importlib import import_module

import pytest

from adjudge.cli import run
from benchmarks.house.setting import Setting

SHAPES = {
    "structures": {"kind": "lines", "documents": 4},
    "conll": {"documents": 4, "mentions": 12, "systems": 2, "clusters": True},
    "tbf": {"documents": 4, "nuggets": 8, "systems": 2},
    "eal": {"documents": 2, "responses": 12, "systems": 2},
    "tags": {"tokens": 90},
    "trees": {"words": 60},
    "amr": {"sets": {"v5": (5, 3)}},
    "muc4": {"messages": 6},
    "relations": {"documents": 5},
}


def made(module, folder, **shape):
    folder.mkdir()
    import_module(f"benchmarks.corpora.{module}").write(folder, **shape)
    return folder


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("module", [name for name in SHAPES if name != "amr"])  # gzip has the time in it
def test_a_seed_gives_the_same_files(module, tmp_path):
    one, two = (content(made(module, tmp_path / name, **SHAPES[module])) for name in "ab")
    assert one == two
    assert one


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("structures", ("score", "event.argument-cls", "gold.jsonl", "system.jsonl")),
        ("conll", ("coref", "score", "key.conll", "response1.conll", "response2.conll")),
        ("conll", ("coref", "score", "key.jsonl", "response1.jsonl")),
        ("tbf", ("nugget", "score", "-g", "gold.tbf", "-s", "system1.tbf", "-s", "system2.tbf", "--coref")),
        ("eal", ("eal", "score", "--key", "key", "--frames", "ref", "systems/s0", "systems/s1")),
        ("tags", ("ner", "score", "gold", "system", "--compat", "conlleval")),
        ("trees", ("tree", "score", "gold", "system", "--compat", "ud-2018")),
        ("muc4", ("template", "score", "key.txt", "response.txt", "--compat", "muc4-3.3")),
        ("relations", ("score", "relation.strict", "gold", "system=system")),
    ],
)
def test_our_own_commands_take_them(module, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(made(module, tmp_path / "corpus", **SHAPES[module]))
    more = [] if "--compat" in words else ["--bootstrap", "0"]
    assert run([*words, *more]) == 0, capsys.readouterr().err


def test_a_submission_is_valid(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(made("eal", tmp_path / "corpus", documents=2, responses=30))
    assert run(["eal", "validate", "run", "--docs", "docs", "--ontology", "2015"]) == 0, capsys.readouterr().err


def test_graphs_are_penman(tmp_path):
    from adjudge.model.penman import parse
    from benchmarks.workers.amr import read_graphs

    folder = made("amr", tmp_path / "corpus", sets={"v5": (5, 3), "v40": (40, 2)})
    for kind in ("gold", "pred"):
        assert [len(read_graphs(folder / f"{name}.{kind}.amr.gz")) for name in ("v5", "v40")] == [3, 2]
        for text in read_graphs(folder / f"v40.{kind}.amr.gz"):
            parse(text)


def test_a_corpus_is_made_once(tmp_path, capsys):
    setting = Setting(out=tmp_path)
    first = setting.corpus("tags", tokens=30)
    stamp = (first / "gold").stat().st_mtime_ns
    assert setting.corpus("tags", tokens=30) == first
    assert (first / "gold").stat().st_mtime_ns == stamp
    assert setting.corpus("tags", tokens=45) != first
    assert capsys.readouterr().err.count("making a corpus") == 2
