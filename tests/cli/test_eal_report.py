"""`adjudge eal report` and `adjudge eal graphs` from the command line."""

import json
import re
import shutil
from pathlib import Path

import pytest
from lxml import etree

from adjudge.demo.eal import ASSESSMENTS, FRAMES, SOURCES, SUBMISSIONS
from calling import caller
from eal_keys import CORPUS, GRAPHS
from pages import about, data_of, documents_of, tree_of

KEY, REF = CORPUS / "key", CORPUS / "ref"
SYSTEMS = [CORPUS / "systems" / name for name in ("S0", "S1", "S2")]
OFFICIAL = ("--profile", "bbn-2015")
DEMO = ["--key", ASSESSMENTS, "--frames", FRAMES, *SUBMISSIONS.values(), "--unassessed", "false-positive"]
FILES = {f"{name}.svg" for name in GRAPHS}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


call = caller("eal")


# ---------------------------------------------------------------------------------------------------------------------
# The page


def test_a_page(call):
    arguments = [*DEMO, "--docs", SOURCES, "--docs-text", SOURCES, "--bootstrap", "30", "--title", "A <b> title"]
    assert call("report", *arguments, "-o", "page.html") == (0, "", "")
    page = Path("page.html").read_text(encoding="utf-8")
    assert tree_of(page).xpath("//h1")[0].text == "A <b> title"
    assert data_of(page)["systems"] == ["granite", "marble", "slate"]
    assert all(each.text for each in documents_of(page).values())
    assert "boot:30" in about(page)
    assert "quotes:" in about(page)
    # The same files give the same page, on standard output as well.
    assert call("report", *arguments, "-o", "-") == (0, page, "")
    assert not Path("-").exists()


def test_texts_that_are_shown_remove_nothing(call):
    code, page, _ = call("report", *DEMO, "--docs", SOURCES, "--bootstrap", "0")
    assert code == 0
    assert "quotes:" not in about(page)
    assert "quotation" not in page


def test_options_of_scoring(call):
    systems = [f"first={SYSTEMS[0]}", SYSTEMS[1]]
    arguments = ["--key", KEY, "--frames", REF, *systems, *OFFICIAL, "--bootstrap", "20"]
    code, page, _ = call(
        "report", *arguments, "--only", "DOC03,DOC01", "--by", "type", "--beta", "0.5", "--lambda", "0.3"
    )
    assert code == 0
    data, tree = data_of(page), tree_of(page)
    assert data["systems"] == ["first", "S1"]
    assert data["ids"] == ["DOC01", "DOC03"]
    for piece in ("bbn-2015", "beta:0.5", "lambda:0.3", "seed:0", "draws:java"):
        assert piece in about(page)
    titles = [each.text for each in tree.xpath("//figcaption/b")]
    # In this profile lambda is the weight of the link score, so the argument score has 0.7.
    assert "Overall score over beta for 1 - lambda 0.7" in titles
    assert "Overall score over 1 - lambda for beta 0.5" in titles
    assert any(each.endswith("by type") for each in tree.xpath("//*[@id='slices']//@data-name"))


def test_without_frames(call):
    code, page, _ = call("report", "--key", KEY, SYSTEMS[0], *OFFICIAL, "--bootstrap", "0")
    assert code == 0
    assert {each.groups for each in documents_of(page).values()} == {""}


@pytest.mark.parametrize("command", ["report", "graphs"])
def test_wrong_usage(call, command):
    output = ["-o", "out"]
    code, _, err = call(command, "--key", "nowhere", "--frames", REF, SYSTEMS[0], *output)
    assert code in (1, 2)
    assert "nowhere" in err
    code, _, err = call(command, "--key", KEY, "--frames", REF, SYSTEMS[0], "--lambda", "2", *output)
    assert (code, "give a number from 0 to 1" in err) == (2, True)
    code, _, err = call(command, "--key", KEY, "--frames", REF, SYSTEMS[0], "--only", "DOC99", *output)
    assert (code, "there is no gold document 'DOC99'" in err) == (2, True)
    assert not Path("out").exists()


@pytest.mark.parametrize("command", ["report", "graphs"])
@pytest.mark.parametrize("place", ["key", "frames", "system"])
def test_what_is_read_is_not_written(call, tmp_path, command, place):
    for name, source in (("key", KEY), ("frames", REF), ("system", SYSTEMS[0])):
        shutil.copytree(source, tmp_path / name)
    before = sorted(path for path in tmp_path.rglob("*"))
    inside = f"{place}/page.html" if command == "report" else place
    code, out, err = call(command, "--key", "key", "--frames", "frames", "system", *OFFICIAL, "-o", inside)
    assert (code, out) == (2, "")
    assert f"this is in {place}, which is read, write it elsewhere" in err
    assert sorted(path for path in tmp_path.rglob("*")) == before


def test_an_archive_is_not_overwritten(call, tmp_path):
    from adjudge.formats.archive import pack

    archive = tmp_path / "mine.zip"
    pack(SYSTEMS[0], archive, zipped=True)
    data = archive.read_bytes()
    code, _, err = call("report", "--key", KEY, "--frames", REF, "mine.zip", *OFFICIAL, "-o", "mine.zip")
    assert (code, "this file is also an input" in err) == (2, True)
    assert archive.read_bytes() == data
    code, _, _ = call(
        "report", "--key", KEY, "--frames", REF, "mine.zip", *OFFICIAL, "--bootstrap", "0", "-o", "p.html"
    )
    assert code == 0
    assert data_of(Path("p.html").read_text(encoding="utf-8"))["systems"] == ["mine"]


# ---------------------------------------------------------------------------------------------------------------------
# The graphs


def test_graphs(call):
    arguments = ["--key", KEY, "--frames", REF, *SYSTEMS, *OFFICIAL, "--bootstrap", "20"]
    code, out, err = call("graphs", *arguments, "-o", "graphs")
    assert (code, err) == (0, "")
    assert {path.name for path in Path("graphs").iterdir()} == FILES
    for path in Path("graphs").iterdir():
        assert str(path) in out.splitlines()
        tree = etree.fromstring(path.read_bytes())
        assert tree.tag == "{http://www.w3.org/2000/svg}svg"
    before = {path.name: path.read_bytes() for path in Path("graphs").iterdir()}
    assert call("graphs", *arguments, "-o", "graphs", "--quiet") == (0, "", "")
    assert {path.name: path.read_bytes() for path in Path("graphs").iterdir()} == before


def test_places_change_where_the_counts_say(call):
    arguments = ["--key", KEY, "--frames", REF, *SYSTEMS, *OFFICIAL, "--bootstrap", "0"]
    code, out, _ = call("graphs", *arguments, "-o", "graphs")
    assert code == 0
    changes = re.findall(r"(beta|1 - lambda) ([\d.e-]+): (\S+) ahead below, (\S+) above \(score ([\d.]+)\)", out)
    assert changes
    for weight, value, before, after, score in changes:
        for offset, ahead in ((-1e-4, before), (1e-4, after)):
            at = float(value) + offset
            name = ("--beta", f"{at:.12f}") if weight == "beta" else ("--lambda", f"{1 - at:.12f}")
            if not 0 <= at <= 1:
                continue
            systems = [each for each in SYSTEMS if each.name in (before, after)]
            options = [
                "--key",
                KEY,
                "--frames",
                REF,
                *systems,
                *OFFICIAL,
                *name,
                "--bootstrap",
                "0",
                "--format",
                "json",
            ]
            _, out, _ = call("score", *options)
            found = {
                system["name"]: next(
                    s["value"] for s in system["scores"] if s["metric"] == "eal.overall" and s["part"] == "score"
                )
                for system in json.loads(out)["systems"]
            }
            assert max(found, key=found.get) == ahead
            assert found[ahead] == pytest.approx(float(score) / 100, abs=2e-4)


def test_graphs_of_one_system_and_of_arguments(call):
    code, _, _ = call("graphs", "--key", KEY, SYSTEMS[0], *OFFICIAL, "--bootstrap", "20", "-o", "one")
    assert code == 0
    assert {path.name for path in Path("one").iterdir()} == {"scores-beta.svg", "bootstrap-argument.svg"}


def test_graphs_are_written_whole_or_not_at_all(call):
    Path("file").write_text("")
    arguments = ["--key", KEY, "--frames", REF, *SYSTEMS, *OFFICIAL, "--bootstrap", "0"]
    code, out, err = call("graphs", *arguments, "-o", "file")
    assert (code, out, "this is a file, a folder is needed" in err) == (2, "", True)
    assert Path("file").read_text() == ""
    Path("graphs").mkdir()
    (Path("graphs") / "winners.svg").mkdir()
    code, _, err = call("graphs", *arguments, "-o", "graphs")
    assert (code, "this is a folder" in err) == (2, True)
    assert [path.name for path in Path("graphs").iterdir()] == ["winners.svg"]


def test_responses_that_nobody_has_assessed_are_named(call):
    """Those of one system: what was seen of the document by then is not a page."""
    code, out, err = call("report", *DEMO[:-2], "-o", "page.html")
    assert (code, out) == (1, "")
    assert re.search(r"^error: \S+/arguments/\S+:\d+: nobody has assessed the response", err)
    assert not Path("page.html").exists()
