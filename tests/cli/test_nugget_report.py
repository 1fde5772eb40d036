"""`adjudge nugget report` from the command line."""

from pathlib import Path

import pytest

from adjudge.demo.nugget import GOLD, SYSTEMS, TEXTS, TOKENS
from calling import caller
from pages import about, data_of, documents_of, lines_of, tree_of

CHARS = "#BeginOfDocument d\ns\td\tE1\t5,8\tran\tMovement_Transport-Person\tActual\n#EndOfDocument\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


call = caller("nugget", "report")


def test_a_page(call):
    systems = ["-s", f"mine={SYSTEMS['heron']}", "-s", SYSTEMS["wren"]]
    arguments = ["-g", GOLD, *systems, "-t", TOKENS, "--texts", TEXTS, "--bootstrap", "50", "--title", "A <b> title"]
    assert call(*arguments, "-o", "page.html") == (0, "", "")
    page = Path("page.html").read_text(encoding="utf-8")
    assert tree_of(page).xpath("//h1")[0].text == "A <b> title"
    assert data_of(page)["systems"] == ["mine", "wren"]
    assert "boot:50" in about(page)
    assert tree_of(page).get_element_by_id("differences") is not None
    # The same files give the same page, on standard output as well.
    code, out, err = call(*arguments, "-o", "-")
    assert (code, out, err) == (0, page, "")
    assert not Path("-").exists()


def test_choices_of_scoring(call):
    Path("types").write_text("Life_Die\nLife Injure\n")
    arguments = ["-g", GOLD, "-s", SYSTEMS["kestrel"], "-t", TOKENS, "--bootstrap", "0"]
    code, out, _ = call(*arguments, "--types", "types", "--no-coref", "--no-sequencing")
    text = tree_of(out).get_element_by_id("ranking").text_content()
    assert (code, sorted(data_of(out)["labels"])) == (0, ["Life_Die", "Life_Injure"])
    assert "coref.kbp" not in text
    assert "nugget.after" not in text
    # Clusters are compared by the mapping that coreference is scored by.
    loose = call(*arguments, "--coref-mapping", "span", "--coref-threshold", "0.3")[1]
    assert lines_of(loose) != lines_of(call(*arguments)[1])


def test_characters(call):
    Path("gold.tbf").write_text(CHARS)
    Path("texts").mkdir()
    Path("texts/d.src").write_text("They ran.")
    code, out, _ = call("-g", "gold.tbf", "-s", "gold.tbf", "--texts", "texts", "--text-suffix", ".src", "--verbose")
    (document,) = documents_of(out).values()
    assert (code, document.text, document.gold[0].place) == (0, "They ran.", ((5, 8),))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-g", "gold.tbf"], 2, "missing argument 'system...'"),
        (["-g", "none.tbf", "-s", "gold.tbf"], 2, "none.tbf: there is no such file"),
        (["-g", "gold.tbf", "-s", "gold.tbf", "-t", "none"], 2, "none: there is no such folder"),
        (["-g", "gold.tbf", "-s", "gold.tbf", "--texts", "none"], 2, "none: there is no such folder"),
        (["-g", "gold.tbf", "-s", "gold.tbf", "-o", "gold.tbf"], 2, "gold.tbf: this file is also an input"),
        (["-g", "gold.tbf", "-s", "gold.tbf", "-o", "no/page.html"], 2, "the folder of this file does not exist"),
        (["-g", "gold.tbf", "-s", "gold.tbf", "--docs", "x"], 2, "there is no gold document 'x'"),
        (["-g", "gold.tbf", "-s", "a=gold.tbf", "-s", "a=gold.tbf"], 2, "two systems are called 'a'"),
        (["-g", "gold.tbf", "-s", "gold.tbf", "--types", "none"], 2, "none: the list of types cannot be read"),
        (
            ["-g", "gold.tbf", "-s", "gold.tbf", "--coref-threshold", "2"],
            2,
            "a coreference threshold of 2 is out of range",
        ),
        (["-g", "gold.tbf", "-s", "bad.tbf", "-o", "page.html"], 1, "bad.tbf:2:1: a line that is not a mention"),
    ],
)
def test_mistakes(call, arguments, code, message):
    Path("gold.tbf").write_text(CHARS)
    Path("bad.tbf").write_text("#BeginOfDocument d\nthis is not a mention\n#EndOfDocument\n")
    found, out, err = call(*arguments)
    assert (found, out) == (code, "")
    assert message in err.lower()
    assert not Path("page.html").exists()
