"""`adjudge nugget score` from the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.cli import run
from calling import caller

TYPES = ("Life_Die", "Conflict_Attack", "Movement_Transport")


def tbf(side, *, shift=0, kinds=TYPES, documents=6):
    lines = []
    for number in range(documents):
        lines.append(f"#BeginOfDocument d{number}")
        for k, kind in enumerate(kinds):
            lines.append(
                f"{side}\td{number}\tE{k}\t{10 * k + shift * (k < number % 3)},{10 * k + 6}\tw{k}\t{kind}\tActual"
            )
        lines += ["@Coreference\tR1\tE0,E1", "#EndOfDocument"]
    return "\n".join([*lines, ""])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gold.tbf").write_text(tbf("gold"))
    Path("good.tbf").write_text(tbf("good", shift=1))
    Path("poor.tbf").write_text(tbf("poor", shift=3, kinds=(TYPES[1], TYPES[1], TYPES[2])))
    return tmp_path


call = caller("nugget", "score", "-g", "gold.tbf")


def test_one_table(call):
    code, out, err = call("-s", "good.tbf", "--bootstrap", "50")
    assert (code, err) == (0, "")
    metrics = [row.split()[0] for row in out.splitlines()[1:17]]
    assert metrics[:4] == ["nugget.span", "nugget.type", "nugget.realis", "nugget.type+realis"]
    assert metrics[-1] == "coref.kbp"
    assert "profile    spec" in out
    assert "signature  nugget|profile:spec|mode:char|" in out


def test_official_report(call):
    code, out, err = call("-s", "poor.tbf", "--compat", "evmeval-1.8", "--coref")
    assert (code, err) == (0, "")
    assert out.startswith("========Document Mention Detection Results==========\n")
    assert "Metric : ceafm\tScore\t" in out
    assert out.endswith("* Score not included for final CoNLL score.\n")
    assert "Coreference" not in call("-s", "poor.tbf", "--compat", "evmeval-1.8", "--no-coref")[1]
    for more in (
        ["--profile", "spec"],
        ["--by", "type"],
        ["--save", "x.json"],
        ["--bootstrap", "5"],
        ["-s", "good.tbf"],
    ):
        assert call("-s", "poor.tbf", "--compat", "evmeval-1.8", *more)[0] == 2
    assert call("-s", "poor.tbf", "--compat", "evmeval-2015")[0] == 2  # it needs tokens


def test_notes_of_the_official_report_are_warnings(call):
    Path("few.tbf").write_text(tbf("few", documents=2))
    _, out, err = call("-s", "few.tbf", "--compat", "evmeval-1.8")
    assert "warning: 4 gold documents have no system output and count as empty (d2, d3, d4, d5)" in err
    assert "warning" not in out
    assert call("-s", "few.tbf", "--compat", "evmeval-1.8", "--quiet")[2] == ""


def test_comparison(call):
    code, out, _ = call("-s", "good.tbf", "--comparison", "c.txt", "--bootstrap", "0")
    assert code == 0
    assert "nugget.span" in out
    assert (
        Path("c.txt")
        .read_text()
        .startswith("#BeginOfDocument d0\ngood.tbf\tE0\t0,1,2,3,4,5\tLife_Die\tActual\tw0\t|\tE0\t")
    )
    assert call("-s", "good.tbf", "-s", "poor.tbf", "--comparison", "c.txt")[0] == 2
    assert call("-s", "good.tbf", "--comparison", "good.tbf")[0] == 2  # not over an input


def test_explain_and_confusion(call):
    code, out, _ = call("-s", "poor.tbf", "--explain", "d2")
    assert code == 0
    assert out.splitlines()[1] == "correct  Movement_Transport w2 Actual (E2)"
    assert (
        "wrong    Life_Die w0 Actual (E0) | Conflict_Attack w0 Actual (E0): type is Conflict_Attack, gold Life_Die; "
        in out
    )
    assert "hopper   missed: gold R1 [w0, w1]" in out
    data = json.loads(call("-s", "poor.tbf", "--explain", "d2", "--format", "json")[1])
    assert (data[0]["document"], data[0]["metrics"][0]["metric"]) == ("d2", "nugget.type+realis")
    assert call("-s", "poor.tbf", "--save-documents", "--save", "saved.json")[0] == 0
    saved = json.loads(Path("saved.json").read_text())
    assert [len(each["items"]) for each in saved["documents"]] == [3] * 6
    assert call("-s", "poor.tbf", "--explain", "nothing")[0] == 2
    assert call("-s", "poor.tbf", "--explain", "d2", "--format", "csv")[0] == 2
    _, out, _ = call("-s", "poor.tbf", "--confusion", "type")
    assert [row.split() for row in out.splitlines()[1:]] == [
        ["Conflict_Attack", "6", "."],
        ["Life_Die", "6", "."],
        ["Movement_Transport", ".", "6"],
    ]
    assert call("-s", "poor.tbf", "--confusion", "type", "--format", "csv")[1].splitlines()[1] == "Conflict_Attack,6,0"
    assert json.loads(call("-s", "poor.tbf", "--confusion", "realis", "--format", "json")[1])[0]["field"] == "realis"


@pytest.mark.parametrize("profile", ["spec", "evmeval-1.8"])
@pytest.mark.parametrize("more", [("--format", name) for name in ("text", "json", "csv", "md", "latex")])
def test_every_layout_names_the_profile(call, profile, more):
    systems = ("-s", "good.tbf", "-s", "poor.tbf", "--profile", profile)
    code, out, _ = call(*systems, *more, "--bootstrap", "0")
    assert code == 0
    assert profile in out
    if more[1] in ("text", "json", "csv"):
        assert profile in call(*systems, "--confusion", "type", *more)[1]


def test_types_and_documents(call):
    Path("types.txt").write_text("life die\n")
    _, out, _ = call(
        "-s", "poor.tbf", "--types", "types.txt", "--docs", "d0,d1", "--format", "json", "--bootstrap", "0"
    )
    scores = {(each["metric"], each["part"]): each["value"] for each in json.loads(out)["systems"][0]["scores"]}
    assert scores["nugget.span", "recall"] == 0.0
    assert call("-s", "poor.tbf", "--types", "nothing.txt")[0] == 2
    assert call("-s", "poor.tbf", "--docs", "d9")[0] == 2


def test_tokens(call, tmp_path):
    for name in ("gold", "good"):
        Path(f"{name}.tbf").write_text(
            f"#BeginOfDocument d\n{name}\td\tE1\tt1,t2\tthe raid\tX\tActual\n#EndOfDocument\n"
        )
    (tmp_path / "tkn").mkdir()
    (tmp_path / "tkn" / "d.txt.tab").write_text("t1\tthe\t0\t3\nt2\traid\t4\t8\n")
    code, out, _ = call("-s", "good.tbf", "-t", "tkn", "--token-suffix", ".txt.tab", "--bootstrap", "0")
    assert code == 0
    assert "|mode:token|" in out
    assert "note" not in out
    _, out, _ = call("-s", "good.tbf", "-t", "tkn", "--bootstrap", "0")
    assert "note: 1 document has no token table" in out
    assert call("-s", "good.tbf", "-t", "nowhere")[0] == 2
    assert call("-s", "good.tbf", "-t", "tkn", "--compat", "evmeval-2015", "--no-coref")[0] == 0


def test_wrong_usage(call):
    for arguments in (
        ["--attributes", "tense"],
        ["--coref-threshold", "0"],
        ["--coref-threshold", "1.5"],
        ["--coref-mapping", "tense"],
        ["--by", "genre"],
        ["--profile", "2015"],
        ["--pool", "nano"],
        ["--explain", "d0", "--confusion", "type"],
        ["--confusion", "type", "--bootstrap", "10"],
    ):
        assert call("-s", "good.tbf", *arguments)[0] == 2
    assert run(["nugget", "score", "-g", "gold.tbf"]) == 2


def test_no_numpy_without_resampling():
    code = "import sys; from adjudge.cli import run; run(sys.argv[1:]); print({'numpy', 'rich'} & set(sys.modules))"
    words = ["nugget", "score", "gold.tbf", "good.tbf", "--bootstrap", "0"]
    found = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "set()"
