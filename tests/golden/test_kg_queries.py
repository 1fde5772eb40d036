"""Average precision of Cold Start 2017, as its scorer printed it for made-up runs."""

import json
from pathlib import Path

import pytest

from calling import caller

CASES = json.loads((Path(__file__).parent / "kg.json").read_text("utf-8"))["cases"]
HOPS = {"0": "kbp.query.hop0.ap", "1": "kbp.query.hop1.ap", "ALL": "kbp.query.ap"}

call = caller("kbp", "query", "--format", "json", "--bootstrap", "0")


@pytest.mark.parametrize("case", [c for c in CASES if c["kind"] == "coldstart-ap"], ids=lambda case: case["id"])
def test_average_precision(call, case, tmp_path):
    texts = {"q.xml": f"<query_set>\n{case['queries']}</query_set>\n", "pool.tab": case["assessments"]}
    for name, text in {**texts, "run.tab": case["run"]}.items():
        (tmp_path / name).write_text(text)
    given = ("--queries", tmp_path / "q.xml", "--assessments", tmp_path / "pool.tab", tmp_path / "run.tab")
    for view, key in (("each", "sf"), ("mean", "ldc-mean")):
        wanted = case["official"][key]
        code, out, err = call(*given, "--justifications", case["justifications"], "--entry-points", view, "--by=query")
        assert code == 0, err
        scores = json.loads(out)["systems"][0]["scores"]
        found = {(each["metric"], each["slice"].get("query")): each["value"] for each in scores}
        for hop, metric in HOPS.items():
            assert found[metric, None] == pytest.approx(wanted["ALL-Macro"][hop], abs=6e-5), (view, hop)
            for query in set(wanted) & {"CS17_0001", "CS17_0002"}:
                expected = wanted[query].get(hop, 0)
                assert found[metric, query] == pytest.approx(expected, abs=6e-5), (view, hop, query)


def test_gold_has_no_average_precision(call, tmp_path):
    (tmp_path / "gold.tsv").write_text("ana\tchild\tben\td1\n")
    code, out, _ = call("--gold", tmp_path / "gold.tsv", "--generate", "1", "--hops", "1", tmp_path / "gold.tsv")
    assert code == 0
    assert not any(each["metric"].endswith(".ap") for each in json.loads(out)["systems"][0]["scores"])
