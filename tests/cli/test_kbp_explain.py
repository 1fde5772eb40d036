"""`adjudge kbp explain` and `adjudge kbp report` from the command line."""

import csv
import io
import json
from pathlib import Path

import pytest
from lxml import html

from adjudge.demo.kbp import GOLD, LINKS, SYSTEMS
from calling import caller
from pages import about

SIDES = ["--gold", str(GOLD), "--wiki", str(LINKS)]
FJORD = str(SYSTEMS["fjord"])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gold.tsv").write_text("ana\tworks\tcorvex\td1\ncorvex\tin\toslo\td1\n")
    Path("system.tsv").write_text("ana\tworks\thalden\td1\ncorvex\tin\toslo\td1\nhalden\tin\tlyon\td1\n")
    return tmp_path


call = caller("kbp")


def test_plain_triples(call):
    code, out, err = call("explain", "--gold", "gold.tsv", "system.tsv", "--hop", 2)
    assert (code, err) == (0, "")
    table = [line.split() for line in out.splitlines()[3:6]]
    assert table == [
        ["gold", "paths", "1"],
        ["-", "middle", "entity", "wrong", "1", "100.0", "%"],
        ["=", "found", "0", "0.0", "%"],
    ]
    assert "ana —✗ works→ corvex —in→ oslo" in out
    assert "the system has ana works halden instead" in out
    assert "works in d1" in out
    code, out, _ = call("explain", "--gold", "gold.tsv", "system.tsv", "--hop", 2, "--quiet")
    assert "✗" not in out


def test_the_losses_are_those_of_the_score(call):
    _, scored, _ = call("score", *SIDES, *SYSTEMS.values(), "--bootstrap", 0, "--format", "json")
    scores = {
        (system["name"], score["metric"], score["part"]): score["value"]
        for system in json.loads(scored)["systems"]
        for score in system["scores"]
    }
    code, out, err = call("explain", *SIDES, *SYSTEMS.values(), "--format", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)["systems"]
    assert [each["system"] for each in found] == list(SYSTEMS)
    for each in found:
        for hop in each["hops"]:
            key = each["system"], hop["metric"]
            tp = scores[*key, "tp"]
            assert (hop["both"], hop["gold"], hop["system"]) == (tp, scores[*key, "gold"], scores[*key, "system"])
            assert sum(loss["paths"] for loss in hop["missed"]) == hop["gold"] - tp
            assert sum(loss["paths"] for loss in hop["wrong"]) == hop["system"] - tp
            assert hop["sample"] is None


def test_csv_adds_up(call):
    _, out, _ = call("explain", *SIDES, FJORD, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    for hop in "123":
        for side, first, last in (("gold", "gold paths", "found"), ("system", "system paths", "right")):
            mine = {row["step"]: int(row["paths"]) for row in rows if (row["hop"], row["side"]) == (hop, side)}
            assert mine.pop(first) == sum(mine.values())
            assert last in mine
    assert {row["sampled"] for row in rows} == {"false"}


def test_limit_and_markdown(call):
    code, out, _ = call("explain", *SIDES, FJORD, "--hop", 1, "--limit", 0, "--format", "json")
    (hop,) = json.loads(out)["systems"][0]["hops"]
    assert code == 0
    assert sum(each["paths"] for each in hop["examples"]) == hop["gold"] + hop["system"] - 2 * hop["both"]
    texts = [piece["text"] for each in hop["examples"] for fact in each["facts"] for piece in fact["evidence"]]
    assert any("[Hale Oster]" in text for text in texts)
    code, out, _ = call("explain", f"mine={FJORD}", *SIDES, "--hop", 1, "--limit", 1, "--format", "md")
    assert out.startswith("## mine\n\n|  | kbp.hop1 |  |\n")
    assert "### kbp.hop1, missed: linked elsewhere" in out


def test_a_sample_says_so(call):
    code, out, _ = call("explain", *SIDES, FJORD, "--hop", 2, "--most", 12, "--seed", 3)
    assert code == 0
    assert "kbp.hop2 is counted in a sample: the paths from " in out
    assert "drawn with seed 3" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--hop", "3", "--hops", "2"], "--hop 3 is beyond --hops 2"),
        (["--engine", "sparse"], "leave --engine out"),
        (["--hop", "0"], "0 is not in the range"),
        (["--limit", "x"], "give the number of examples"),
        (["--threshold", "40"], "--threshold is about annotated documents"),
        (["--identity-source", "system"], "triples have no nodes"),
        (["-o", "gold.tsv"], "gold.tsv"),
    ],
)
def test_mistakes(call, arguments, message):
    code, out, err = call("explain", "--gold", "gold.tsv", "system.tsv", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert Path("gold.tsv").read_text().startswith("ana")


def test_a_page(call):
    arguments = [
        "report",
        *SIDES,
        f"mine={FJORD}",
        SYSTEMS["geyser"],
        "--bootstrap",
        40,
        "--hops",
        2,
        "--title",
        "A <b>",
    ]
    assert call(*arguments, "-o", "page.html") == (0, "", "")
    page = Path("page.html").read_text(encoding="utf-8")
    tree = html.document_fromstring(page)
    assert tree.xpath("//h1")[0].text == "A <b>"
    assert tree.xpath("//*[@id='panels']//section/@data-name") == ["mine", "geyser"]
    assert "boot:40" in about(page)
    code, out, err = call(*arguments, "-o", "-")
    assert (code, out, err) == (0, page, "")


def test_a_page_of_triples(call):
    code, out, err = call("report", "--gold", "gold.tsv", "system.tsv", "--bootstrap", 0)
    assert (code, err) == (0, "")
    assert "the system has ana works halden instead" in html.document_fromstring(out).text_content()
    assert "notched boxes" not in out  # nothing was resampled
    code, _, err = call("report", "--gold", "gold.tsv", "system.tsv", "--threshold", 40)
    assert code == 2
