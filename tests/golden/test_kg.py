"""Knowledge graphs: readers, names, scores and ontologies, by commands and from memory."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import adjudge as aj
from adjudge.errors import AdjudgeError
from adjudge.formats.kg_rdf import Rdf
from adjudge.tasks.kbp.graphs import read_graph
from adjudge.tasks.kbp.naming import fuzzy_pairs
from calling import caller

CASES = json.loads((Path(__file__).parent / "kg.json").read_text("utf-8"))["cases"]

call = caller("kbp", "score", "--bootstrap", "0", "--format", "json")


def of(kind):
    return pytest.mark.parametrize("case", [c for c in CASES if c["kind"] == kind], ids=lambda case: case["id"])


@of("reader")
def test_readers(case, tmp_path):
    for name, content in case["files"].items():
        if name.endswith(".parquet"):
            pyarrow = pytest.importorskip("pyarrow")
            pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table(content), tmp_path / name)
        else:
            (tmp_path / name).write_text(content)
    if case["format"] in ("ttl", "trig"):
        pytest.importorskip("pyoxigraph")
    source = str(tmp_path if case["format"] == "graphrag" else tmp_path / next(iter(case["files"])))
    rdf = Rdf(iri="local") if case.get("options") == ["--iri", "local"] else Rdf()
    if "error_has" in case:
        with pytest.raises(AdjudgeError) as error:
            read_graph(source, rdf=rdf)
        assert all(part in str(error.value) for part in case["error_has"])
        return
    graph = read_graph(source, rdf=rdf)
    assert [list(row) for row in graph.table.rows()] == case["triples"]
    assert case.get("types", graph.types) == graph.types
    assert case.get("isolated", [name for name, _ in graph.isolated]) == [name for name, _ in graph.isolated]
    assert case.get("documents", list(graph.documents)) == list(graph.documents)
    assert case.get("left_out", graph.left_out) == graph.left_out


def naming(case, folder):
    if case["names"] == "fuzzy":
        pytest.importorskip("rapidfuzz")
        return f"fuzzy={case['threshold']}"
    if "table" not in case:
        return case["names"]
    rows = [[name, *([other] if isinstance(other, str) else other)] for name, other in case["table"].items()]
    (folder / "names.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    return f"{case['names']}={folder / 'names.tsv'}"


def check(case, scores):
    found = {(each["metric"], each["part"]): each["value"] for each in scores if not each["slice"]}
    for key, parts in case["expected"].items():
        metric, _, pool = key.partition("|")
        metric = metric if pool in ("", "corpus") else f"{metric}.{pool}"
        for part, value in parts.items():
            assert found[metric, part] == pytest.approx(value, abs=1e-9), (key, part)


@of("graph")
def test_graphs(case, tmp_path, call):
    for side in ("gold", "system"):
        (tmp_path / f"{side}.tsv").write_text("".join("\t".join(row) + "\n" for row in case[side]))
    names = naming(case, tmp_path)
    options = ["--docs", ",".join(case["docs"])] if case.get("docs") else []
    code, out, err = call(tmp_path / "gold.tsv", tmp_path / "system.tsv", "--graph", "--names", names, *options)
    assert code == 0, err
    check(case, json.loads(out)["systems"][0]["scores"])
    memory = {"docs": case["docs"]} if case.get("docs") else {}
    system = {"A": [tuple(row) for row in case["system"]]}
    result = aj.score("kbp", case["gold"], system, names=names, graph=True, bootstrap=0, **memory)
    check(case, json.loads(result.to_json())["systems"][0]["scores"])
    if "expected_pairs" in case:
        notes = {note.code: note for note in result.systems[0].notes}
        pairs = [each.rpartition(" (")[0].split(" = ") for each in getattr(notes.get("names.pairs"), "examples", ())]
        assert pairs == case["expected_pairs"]


@of("ontology")
def test_ontologies(case, tmp_path, call):
    kinds = case["types"]
    rows = [
        {"s": {"name": s, "type": kinds.get(s)}, "p": r, "o": {"name": o, "type": kinds.get(o)}, "doc": d}
        for s, r, o, d in case["system"]
    ]
    (tmp_path / "kg.json").write_text(json.dumps(rows))
    (tmp_path / "onto.tsv").write_text("".join(f"{r}\t{d}\t{o}\n" for r, (d, o) in case["ontology"].items()))
    for name, text in case["texts"].items():
        (tmp_path / f"{name}.txt").write_text(text)
    files = (tmp_path / "kg.json", tmp_path / "kg.json")
    code, out, err = call(*files, "--ontology", tmp_path / "onto.tsv", "--texts", tmp_path)
    assert code == 0, err
    check(case, json.loads(out)["systems"][0]["scores"])


def test_the_same_graph_however_it_is_given(tmp_path):
    networkx = pytest.importorskip("networkx")
    rows = [("Ana", "founded", "Corvex"), ("Corvex", "based in", "Lyon"), ("Ana", "lives in", "Lyon")]
    graph = networkx.MultiDiGraph()
    for s, r, o in rows:
        graph.add_edge(s, o, relation=r)
    (tmp_path / "kg.csv").write_text("head,tail,relation\n" + "".join(f"{s},{o},{r}\n" for s, r, o in rows))
    systems = {
        "tuples": rows,
        "dicts": [{"s": s, "p": r, "o": o} for s, r, o in rows],
        "document": {"triples": rows},
        "graph": graph,
        "file": tmp_path / "kg.csv",
    }
    result = aj.score("kbp", rows, systems, graph=True, bootstrap=0)
    for name in systems:
        assert result["kbp.triples", name].f1 == result["kbp.connected", name].f1 == 1
    with pytest.raises(AdjudgeError, match="undirected"):
        aj.score("kbp", rows, {"A": networkx.Graph(graph)}, bootstrap=0)


def test_equal_sums_take_the_first_names():
    pytest.importorskip("rapidfuzz")
    found = fuzzy_pairs(["aaab", "aaac"], ["aaad", "aaae"], Fraction(1, 2))
    assert [pair[:2] for pair in found] == [("aaad", "aaab"), ("aaae", "aaac")]
