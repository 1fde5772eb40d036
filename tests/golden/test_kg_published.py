"""Knowledge graphs: what the scripts of WebNLG 2020 and Text2KGBench say, and orders of triples against enumeration."""

import json
import random
import time
from itertools import permutations
from pathlib import Path

import pytest

import adjudge as aj
from adjudge.algebra.solve.assignment import first_heaviest
from adjudge.errors import AdjudgeError
from calling import caller

pytest.importorskip("nltk")
CASES = json.loads((Path(__file__).parent / "kg.json").read_text("utf-8"))["cases"]
PLACES = {"SUB": ".subject", "PRED": ".predicate", "OBJ": ".object", "total": ""}
VERSIONS = {"0.1.7": "webnlg-2020", "0.1.8": "webnlg-2020-nervaluate-0.1.8"}

call = caller("kbp", "score", "--bootstrap", "0", "--format", "json")


def of(kind):
    return pytest.mark.parametrize("case", [c for c in CASES if c["kind"] == kind], ids=lambda case: case["id"])


def xml(entries, outer, inner):
    rows = ["".join(f"<{inner}>{triple}</{inner}>" for triple in entry) for entry in entries]
    made = (f'<entry eid="Id{at}"><{outer}>{row}</{outer}></entry>' for at, row in enumerate(rows, 1))
    return f"<benchmark><entries>{''.join(made)}</entries></benchmark>"


def values(scores):
    return {(each["metric"], each["part"]): each["value"] for each in scores}


@of("webnlg")
@pytest.mark.parametrize("version", VERSIONS)
def test_webnlg(case, version, call, tmp_path):
    expected = case.get(f"official_nervaluate_{version}")
    if expected is None:
        pytest.skip("both versions count the same")
    expected = case["adjudge"] if "raises" in expected else expected
    (tmp_path / "gold.xml").write_text(xml(case["gold"], "modifiedtripleset", "mtriple"))
    (tmp_path / "system.xml").write_text(xml(case["system"], "generatedtripleset", "gtriple"))
    code, out, err = call(tmp_path / "gold.xml", tmp_path / "system.xml", "--compat", VERSIONS[version])
    if "exit" in expected:
        assert code == expected["exit"]
        assert all(part in err for part in expected["stderr_has"])
        return
    assert code == 0, err
    found = values(json.loads(out)["systems"][0]["scores"])
    for place, kinds in expected.items():
        for kind, parts in kinds.items() if place != "full" else [("full", kinds)]:
            for part, value in parts.items():
                name = f"kbp.webnlg.{kind}{PLACES.get(place, '')}"
                assert found[name, part] == pytest.approx(value, abs=1e-9), (place, kind, part)


@pytest.mark.parametrize(
    ("data", "said"), [(b"[[5]]", "5 is not a triple"), (b"a\tr\tb\n", "neither WebNLG XML nor JSON")]
)
def test_webnlg_refuses_what_is_no_triple(data, said, tmp_path):
    (tmp_path / "gold").write_bytes(data)
    with pytest.raises(AdjudgeError, match=said):
        aj.score("kbp", tmp_path / "gold", tmp_path / "gold", compat="webnlg-2020", bootstrap=0)


def test_malformed_triples_of_systems_may_be_wrong():
    with pytest.raises(AdjudgeError, match="entry 1, triple 1: 2 parts instead of 3"):
        aj.score("kbp", [["Ana | child | Ben"]], [["Ana | child"]], compat="webnlg-2020", bootstrap=0)
    options = {"compat": "webnlg-2020", "bootstrap": 0, "malformed": "wrong"}
    result = aj.score("kbp", [["Ana | child | Ben"]], [["Ana | child"]], **options)
    assert result["kbp.webnlg.strict"].recall == pytest.approx(2 / 3)


@of("text2kgbench")
def test_text2kgbench(case, call, tmp_path):
    for side in ("gold", "system"):
        (tmp_path / f"{side}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in case[side]))
    (tmp_path / "onto.json").write_text(json.dumps(case["ontology"]))
    files = (tmp_path / "gold.jsonl", tmp_path / "system.jsonl", "--ontology", tmp_path / "onto.json")
    code, out, err = call(*files, "--compat", "text2kgbench")
    assert code == 0, err
    found = values(json.loads(out)["systems"][0]["scores"])
    for part, value in case["official"].items():
        assert found["kbp.text2kgbench", part] == pytest.approx(value, abs=1e-9), part


def test_the_first_of_the_best_orders():
    draw = random.Random(7)
    for _ in range(200):
        size = draw.randint(1, 5)
        table = [[draw.randint(0, 2) for _ in range(size)] for _ in range(size)]
        orders = list(permutations(range(size)))
        sums = [sum(row[place] for row, place in zip(table, order, strict=True)) for order in orders]
        best = list(orders[sums.index(max(sums))])
        more = {row: {at: value + 100 for at, value in enumerate(own)} for row, own in enumerate(table)}
        assert list(first_heaviest(more).values()) == best


def test_two_hundred_triples_on_both_sides_take_less_than_a_second():
    draw = random.Random(3)
    names = [f"Person_{place} Name{place % 17}" for place in range(80)]
    rows = [f"{draw.choice(names)} | {draw.choice('abcde')}Of | {draw.choice(names)}" for _ in range(300)]
    aj.score("kbp", [rows[:1]], [rows[:1]], compat="webnlg-2020", bootstrap=0)
    start = time.process_time()
    aj.score("kbp", [rows[:200]], [rows[100:]], compat="webnlg-2020", bootstrap=0)
    assert time.process_time() - start < 2  # 0.6 on a machine that is not busy


def test_judged(capsys, tmp_path):
    from adjudge.cli import run

    for name, said, stated in (("a", [1, 0, 1], "66.67%"), ("b", [0, 1], "70%")):
        rows = [*({"correct_answer": "x", "evaluation": each} for each in said), {"accuracy": stated}]
        (tmp_path / f"{name}.json").write_text(json.dumps(rows))
    assert run(["kbp", "judged", str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--format", "json"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert values(system["scores"])["kbp.judged", "accuracy"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert [note["count"] for note in system["notes"] if note["code"] == "stated-accuracy"] == [1]
    files = [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    assert run(["kbp", "judged", *files, "--explain", "2"]) == 0
    assert capsys.readouterr().out.startswith("2  judged  kbp.judged: 1 correct, 1 missed\n")
    outputs = []
    for jobs in ("1", "2"):
        assert run(["kbp", "judged", f"x={files[0]}", f"y={files[1]}", "--jobs", jobs, "--format", "json"]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert json.loads(outputs[0])["comparisons"][0]["difference"] == pytest.approx(1 / 6)
    assert run(["kbp", "judged", f"x={files[0]}", *(f"y={each}" for each in files)]) == 2
    assert "x and y are not on the same documents" in capsys.readouterr().err
    for option in ("--by", "--docs", "--pool", "--time-limit"):
        assert run(["kbp", "judged", *files, option, "1"]) == 2
        assert f"{option} has no meaning here: " in capsys.readouterr().err
    (tmp_path / "b.json").write_text('[{"evaluation": 2}]')
    assert run(["kbp", "judged", str(tmp_path / "b.json")]) == 1
    assert "entry 1" in capsys.readouterr().err
