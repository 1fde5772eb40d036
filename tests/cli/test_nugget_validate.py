"""`adjudge nugget validate`."""

import json
from pathlib import Path

import pytest

from adjudge.cli import run

GOOD = """#BeginOfDocument d
s\td\tE1\tt2,t3\tgot married\tLife_Marry\tActual\t1\t1\t1
s\td\tE2\tt5\tleft\tMovement_Transport-Person\tOther
@Coreference\tR1\tE1,E2
#EndOfDocument
"""
TABLE = "t1\tShe\t0\t3\nt2\tgot\t4\t7\nt3\tmarried\t8\t15\nt4\tand\t16\t19\nt5\tleft\t20\t24\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.tbf").write_text(GOOD)
    Path("tokens").mkdir()
    Path("tokens/d.tab").write_text(TABLE)
    return tmp_path


def test_a_good_file(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["-t", "tokens", "--types", "2015", "--gold", "a.tbf", "--strict"]
    assert run(["nugget", "validate", "a.tbf", *options]) == 0
    total = "a.tbf: 1 document, 2 mentions{}, 1 cluster, 0 other relations, 0 errors, 0 warnings\n"
    assert capsys.readouterr() == (total.format(" (of 2 in gold 2 copied)"), "")
    assert run(["nugget", "validate", "a.tbf"]) == 0
    assert capsys.readouterr() == (total.format(""), "")
    assert run(["nugget", "validate", "a.tbf", "--docs", "d", "--mode", "token", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


GIVEN = """#BeginOfDocument d
gold\td\tE1\tt2,t3\tgot married\tLife_Marry\tActual
gold\td\tE2\tt5\tleft\tMovement_Transport-Person\tOther
gold\td\tE3\tt7\tdied\tLife_Die\tNOT_ANNOTATED
gold\td\tE4\tt9\tfought\tConflict_Attack\tActual
gold\td\tE5\tt9\tfought\tConflict_Attack\tGeneric
gold\td\tE6\tt12\tsued\tJustice_Sue\tActual
#EndOfDocument
#BeginOfDocument e
gold\te\tE1\tt2\tran\tMovement_Transport-Person\tActual
#EndOfDocument
"""


def test_nuggets_that_were_given_must_have_been_copied(capsys: pytest.CaptureFixture[str]) -> None:
    Path("gold.tbf").write_text(GIVEN)
    # The system id and confidences are its own; blanks in the text, and how a type is written, change nothing.
    copied = GIVEN.replace("gold\t", "mine\t").replace("Generic\n", "Generic\t1\t1\t1\n@Coreference\tR1\tE1,E2\n")
    Path("good.tbf").write_text(copied.replace("got married\tLife_Marry", "got  married\tlife.marry"))
    assert run(["nugget", "validate", "good.tbf", "--gold", "gold.tbf"]) == 0
    total = "2 documents, 7 mentions (of 7 in gold 7 copied), 1 cluster, 0 other relations, 0 errors, 1 warning"
    assert capsys.readouterr().out.splitlines() == [
        "good.tbf:8:1: warning: a mention line after a relation line, write the relations after all mentions",
        f"good.tbf: {total}",
    ]


def test_nuggets_that_were_left_out_changed_or_invented(capsys: pytest.CaptureFixture[str]) -> None:
    Path("gold.tbf").write_text(GIVEN)
    Path("bad.tbf").write_text("""#BeginOfDocument d
mine\td\tE1\tt2\tgot\tLife_Divorce\tActual
mine\td\tX2\tt5\tleft\tMovement_Transport-Person\tOther
mine\td\tE3\tt7\tdies\tLife_Die\tNOT_ANNOTATED
mine\td\tE4\tt9\tfought\tConflict_Attack\tActual
mine\td\tE9\tt9\tfought\tConflict_Attack\tOther
mine\td\tE6\tt40\tsang\tLife_Die\tOther
mine\td\tE7\tt9\tfought\tConflict_Attack\tActual
#EndOfDocument
#BeginOfDocument f
mine\tf\tE1\tt1\tran\tMovement_Transport-Person\tActual
#EndOfDocument
""")
    assert run(["nugget", "validate", "bad.tbf", "--gold", "gold.tbf"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "bad.tbf: error: document 'e' is missing, write its header and footer, even if it has no mentions",
        "bad.tbf:1:1: error: the gold nugget 'E6' ('sued', gold.tbf:7) was not copied, copy its line",
        "    mine\td\tE6\tt12\tsued\tJustice_Sue\tActual",
        "bad.tbf:2:11: error: the gold nugget 'E1' was changed: the place is 't2', in gold 't2,t3'; the type is "
        "'Life_Divorce', in gold 'Life_Marry' (gold.tbf:2), copy the line of gold",
        "    mine\td\tE1\tt2,t3\tgot married\tLife_Marry\tActual",
        "bad.tbf:3:8: warning: 'X2' is the gold nugget 'E2' under another id, call it E2",
        "bad.tbf:4:14: warning: the text is 'dies', in gold 'died', copy the line of gold",
        "bad.tbf:6:37: error: the gold nugget 'E5' (here 'E9') was changed: the realis is 'Other', in gold 'Generic' "
        "(gold.tbf:6), copy the line of gold",
        "    mine\td\tE5\tt9\tfought\tConflict_Attack\tGeneric",
        "bad.tbf:7:8: error: 'E6' is not a gold nugget, remove it, and name gold nuggets only in relations",
        "bad.tbf:8:8: error: 'E7' is another copy of the gold nugget 'E4', remove it, and name gold nuggets only in "
        "relations",
        "bad.tbf:10:1: error: document 'f' is not one of those that are scored, remove it, or check the id",
        "bad.tbf: 2 documents, 8 mentions (of 7 in gold 2 copied, 1 renamed, 2 changed, 2 missing; 3 invented), "
        "0 clusters, 0 other relations, 7 errors, 2 warnings",
    ]
    assert run(["nugget", "validate", "bad.tbf", "--gold", "gold.tbf", "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["files"][0]["gold"] == {
        "gold": 7,
        "copied": 2,
        "renamed": 1,
        "changed": 2,
        "missing": 2,
        "invented": 3,
    }
    places = {(each["kind"], each["line"]) for each in report["findings"]}
    assert {("changed-nugget", 2), ("changed-nugget", 6), ("missing-nugget", 1), ("invented-nugget", 7)} <= places
    assert {("renamed-nugget", 3), ("changed-text", 4)} <= places


def test_given_nuggets_in_characters(capsys: pytest.CaptureFixture[str]) -> None:
    """Gold says how places are written, also for a system with nothing in it."""
    gold = "#BeginOfDocument d\ng\td\tE1\t4,8;13,16\tgot on\tLife_Marry\tActual\n#EndOfDocument\n"
    Path("gold.tbf").write_text(gold)
    Path("swapped.tbf").write_text(gold.replace("4,8;13,16", "13,16;4,8"))
    Path("none.tbf").write_text("#BeginOfDocument d\n#EndOfDocument\n")
    assert run(["nugget", "validate", "swapped.tbf", "--gold", "gold.tbf"]) == 0
    assert "(of 1 in gold 1 copied)" in capsys.readouterr().out
    assert run(["nugget", "validate", "none.tbf", "--gold", "gold.tbf"]) == 1
    assert "    g\td\tE1\t4,8;13,16\tgot on\tLife_Marry\tActual\n" in capsys.readouterr().out
    Path("broken.tbf").write_text(gold.replace("\tActual", ""))
    assert run(["nugget", "validate", "none.tbf", "--gold", "broken.tbf"]) == 1
    assert "broken.tbf:2:1: a mention line" in capsys.readouterr().err


def test_documents_of_a_tbf_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("gold.tbf").write_text(GIVEN)
    assert run(["nugget", "validate", "a.tbf", "--docs", "gold.tbf"]) == 1
    assert capsys.readouterr().out.splitlines()[0].startswith("a.tbf: error: document 'e' is missing")
    Path("docs.txt").write_text("d\n")
    assert run(["nugget", "validate", "a.tbf", "--docs", "docs.txt"]) == 0


def test_the_merged_line_can_be_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    third = "s\td\tE3\tt1\tShe\tLife_Die\tActual\n"
    broken = GOOD.replace("@Coreference", f"{third}@Coreference").replace("#End", "@Coreference\tR2\tE2,E3\n#End")
    Path("b.tbf").write_text(broken)
    assert run(["nugget", "validate", "b.tbf", "--quiet"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "b.tbf:6:17: error: mention 'E2' is in two clusters, so lines 5, 6 are one cluster, "
        "write one line instead of these 2",
        "    @Coreference\tR1\tE1,E2,E3",
    ]
    kept = [line for line in broken.splitlines() if not line.startswith("@")]
    Path("c.tbf").write_text("\n".join([*kept[:-1], lines[1], kept[-1]]))
    assert run(["nugget", "validate", "c.tbf", "--quiet", "--strict"]) == 0


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.tbf").write_text(GOOD.replace("#End", "@Coreference\tR2\tE2,E1\n#End"))
    assert run(["nugget", "validate", "b.tbf", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["files"] == [
        {
            "path": "b.tbf",
            "mode": "token",
            "documents": 1,
            "without_mentions": 0,
            "mentions": 2,
            "clusters": 2,
            "other_relations": 0,
            "errors": 1,
            "warnings": 0,
        }
    ]
    (finding,) = found["findings"]
    assert (finding["kind"], finding["document"], finding["fix"]) == ("closure", "d", "@Coreference\tR1\tE1,E2")


@pytest.mark.parametrize(
    "arguments",
    [
        ["tokens"],
        ["a.tbf", "-t", "none"],
        ["a.tbf", "--texts", "none"],
        ["a.tbf", "-t", "tokens", "--mode", "char"],
        ["a.tbf", "--texts", "tokens", "--mode", "token"],
        ["a.tbf", "--types", "2014"],
        ["a.tbf", "--sizes", "tokens/d.tab"],
        ["a.tbf", "--gold", "none"],
        ["a.tbf", "--gold", "tokens/d.tab"],
        ["a.tbf", "--gold", "a.tbf", "--docs", "d"],
        ["a.tbf", "--docs", ","],
        ["-", "--gold", "-"],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["nugget", "validate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err
    assert "Traceback" not in err
