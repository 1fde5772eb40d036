"""The commands that make one store out of another, from folders and archives to folders and archives."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run
from adjudge.formats.eal_fields import sha1_id
from adjudge.formats.eal_store import KeyWriter, Store, StoreWriter, open_key, open_store
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Frame, Linking, Response
from eal_responses import response

TEXT = 'Bob died. <quote>Ann "met" Joe.</quote>\nHe left. She stayed.\n'
#       0         10                             40       49

BOB = response(document="d1", justifications=((4, 7),))
HE = response(document="d1", filler=(40, 41), justifications=((40, 43),))
ANN = response("Ann", document="d1", type="Contact.Meet", at=(17, 19), filler=(17, 19), justifications=((17, 19),))
AROUND = response("all", document="d1", at=(4, 45), justifications=((0, 58),), realis="Other")
GENERIC = response("She", document="d1", at=(49, 51), filler=(49, 51), realis="Generic")
FIRST = {BOB: 0.9, HE: 0.8, ANN: 0.7, AROUND: 0.6, GENERIC: 0.5}
SECOND = response("Moe", document="d2")


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture
def adjudge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    monkeypatch.chdir(tmp_path)
    make("in", FIRST, [(BOB, HE, AROUND), (ANN,)])
    Path("texts/more").mkdir(parents=True)
    Path("texts/d1.txt").write_text(TEXT)
    Path("texts/more/d2.mpdf.xml").write_text("Moe slept.")

    def call(*arguments: str) -> Ran:
        code = run(["eal", *arguments])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return call


def make(path: str, first: dict[Response, float], frames: list[tuple[Response, ...]], **options: Any) -> None:
    with StoreWriter(path, **options) as writer:
        given = [Argument(each, confidence, str(at)) for at, (each, confidence) in enumerate(first.items())]
        named = [Frame(frozenset(each)) for each in frames]
        writer.write(Arguments("d1", given), Linking("d1", named))
        writer.write(Arguments("d2", [Argument(SECOND, 0.3, "0")]), Linking("d2", [Frame(frozenset((SECOND,)))]))


def contents(path: str, document: str = "d1") -> dict[Response, float]:
    store = open_store(path)
    return {each.response: each.confidence for each in store.arguments(document).arguments}


def frames(store: Store, document: str = "d1") -> list[frozenset[Response]]:
    linking = store.linking(document)
    assert linking is not None
    return [frame.responses for frame in linking.frames]


def test_filter_quotes_from_sources_and_from_a_file(adjudge: Callable[..., Ran]) -> None:
    ran = adjudge("filter-quotes", "in", "--docs", "texts", "-o", "out", "--save-quotes", "quotes.txt")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "filter-quotes: 2 documents, 6 responses, 5 kept, 1 removed, 0 changed\n"
        "  removed       1  quoted-base-filler-and-cas: the base filler and the CAS begin or end in a quotation\n"
        "  note          1  encloses-quotation-cas: the CAS has a whole quotation inside, the response stays\n"
        "profile: spec\n"
        "written: out\n"
    )
    assert contents("out") == {each: FIRST[each] for each in FIRST if each != ANN}
    assert frames(open_store("out")) == [frozenset((BOB, HE, AROUND))]
    assert Path("quotes.txt").read_text() == "2\nd1\n10-38\nd2\n\n"
    assert adjudge("filter-quotes", "in", "--quotes", "quotes.txt", "-o", "again.zip", "--quiet").out == ""
    assert contents("again.zip") == contents("out")
    verbose = adjudge("filter-quotes", "in", "--quotes", "quotes.txt", "-o", "more", "--verbose").out.splitlines()
    assert verbose[0] == (
        f"d1: removed: quoted-base-filler-and-cas: {sha1_id(ANN)} Contact.Meet Victim 'Ann' 17-19 "
        "(filler 17-19, Actual, 0.7)"
    )
    assert verbose[1].endswith("; the cas 4-45 encloses the quotation 10-38")


def test_filter_quotes_in_units_of_utf_16(adjudge: Callable[..., Ran]) -> None:
    Path("texts/d1.txt").write_text("\U0001f600" + TEXT)
    moved = {each._replace(base_filler=each.base_filler._replace(start=40, end=40)): 0.5 for each in (BOB, ANN)}
    make("moved", moved, [tuple(moved)])
    for options, kept in (((), 1), (("--offsets", "utf16"), 0), (("--profile", "bbn-2015"), 0)):
        ran = adjudge("filter-quotes", "moved", "--docs", "texts", "-o", "out", "--overwrite", *options)
        # One emoji moves the end of the quotation to 39 in characters, and to 40 in units of UTF-16.
        assert (ran.code, len(contents("out"))) == (0, kept), ran


def test_filter_quotes_refuses(adjudge: Callable[..., Ran]) -> None:
    assert adjudge("filter-quotes", "in", "-o", "out").code == 2
    assert adjudge("filter-quotes", "in", "-o", "out", "--docs", "texts", "--quotes", "x").code == 2
    assert "cannot be read" in adjudge("filter-quotes", "in", "-o", "out", "--docs", "none").err
    Path("fewer").mkdir()
    Path("fewer/d1").write_text("x")
    assert "there is no source document 'd2'" in adjudge("filter-quotes", "in", "-o", "out", "--docs", "fewer").err
    Path("q").write_text("1\nd2\n\n")
    ran = adjudge("filter-quotes", "in", "-o", "out", "--quotes", "q")
    assert (ran.code, "q: the document 'd1' is not listed here" in ran.err) == (1, True)
    Path("texts/d1.txt").write_text("x <quote>")
    Path("texts/more/d2.mpdf.xml").write_text("<quote>\n<quote a='1'>")
    official = ("--profile", "bbn-2015", "--save-quotes", "quotes.txt")
    ran = adjudge("filter-quotes", "in", "-o", "out", "--docs", "texts", *official)
    assert ran.code == 1
    assert [line.split(": ")[1] for line in ran.err.splitlines()] == [
        "texts/d1.txt:1:3",
        "texts/more/d2.mpdf.xml:1:1",
        "texts/more/d2.mpdf.xml:2:1",
    ]
    assert sorted(path.name for path in Path().iterdir()) == ["fewer", "in", "q", "texts"]


def test_a_quotation_that_is_never_closed_reaches_to_the_end(adjudge: Callable[..., Ran]) -> None:
    Path("texts/d1.txt").write_text(Path("texts/d1.txt").read_text() + " <QUOTE> and so on")
    size = len(Path("texts/d1.txt").read_text())
    ran = adjudge("filter-quotes", "in", "-o", "out", "--docs", "texts", "--save-quotes", "quotes.txt", "--verbose")
    assert (ran.code, ran.err) == (0, "")
    assert "d1: note: unclosed-quotation: texts/d1.txt:" in ran.out
    assert "note          1  unclosed-quotation: a quotation is never closed and reaches to the end" in ran.out
    regions = Path("quotes.txt").read_text().splitlines()[2].split()
    assert regions[-1] == f"{size - 17}-{size - 1}"


def test_expand_justifications(adjudge: Callable[..., Ran]) -> None:
    ran = adjudge("expand-justifications", "in", "--docs", "texts", "-o", "out")
    assert ran.code == 0
    assert "changed       5  widened" in ran.out
    wide = {each.cas.text + str(each.base_filler.start): each.justifications for each in contents("out")}
    assert (wide["Bob0"], wide["Bob40"], wide["Ann17"]) == (((0, 8),), ((40, 47),), ((17, 30),))
    linked = frozenset[Response]().union(*frames(open_store("out")))
    assert linked == {each for each in contents("out") if each.realis != "Generic"}
    Path("spans").write_text("2\nd1\n0-60\nd2\n0-60\n")
    assert adjudge("expand-justifications", "in", "--sentences", "spans", "-o", "all").code == 0
    assert {each.justifications for each in contents("all")} == {((0, 60),)}
    Path("spans").write_text("2\nd1\n0-9 9-60\nd2\n0-60 60-70\n")
    ran = adjudge("expand-justifications", "in", "--sentences", "spans", "-o", "never")
    assert (ran.code, ran.err.count("overlap"), Path("never").exists()) == (1, 2, False)


def test_trim(adjudge: Callable[..., Ran]) -> None:
    ran = adjudge("trim", "in", "-o", "out", "--format", "json")
    report = json.loads(ran.out)
    assert (report["documents"], report["responses"], report["kept"]) == (2, 6, 5)
    assert (report["operation"], report["profile"], report["unlinked"]) == ("trim", "spec", "error")
    assert report["removed"] == {"redundant": 1}
    (detail,) = report["details"]
    assert (detail["id"], detail["instead"]["id"]) == (sha1_id(HE), sha1_id(BOB))
    assert (detail["document"], detail["base_filler"], detail["confidence"]) == ("d1", "40-41", 0.8)
    assert contents("out") == {each: FIRST[each] for each in FIRST if each != HE}
    assert adjudge("trim", "out", "-o", "twice", "--quiet").code == 0
    for path in sorted(Path("out").rglob("*")):
        assert path.is_dir() or path.read_bytes() == Path("twice", path.relative_to("out")).read_bytes()
    nested = json.loads(adjudge("trim", "in", "-o", "nested", "--nested", "--format", "json").out)
    assert nested["removed"] == {"redundant": 1}


def test_trim_of_responses_in_no_hopper(adjudge: Callable[..., Ran]) -> None:
    make("loose", FIRST, [(BOB,)])
    ran = adjudge("trim", "loose", "-o", "out")
    assert (ran.code, len(ran.err.splitlines()), Path("out").exists()) == (1, 3, False)
    assert "is Actual but in no hopper" in ran.err
    assert "removed       3  unlinked" in adjudge("trim", "loose", "-o", "out", "--profile", "bbn-2015").out
    assert adjudge("trim", "loose", "-o", "own", "--unlinked", "singleton").code == 0
    assert len(frames(open_store("own"))) == 4
    flat = adjudge("trim", "loose", "-o", "flat", "--profile", "bbn-2014")
    assert "removed       1  redundant" in flat.out
    assert not open_store("flat").has_linking


def test_trim_keeps_names_of_hoppers_and_ids(adjudge: Callable[..., Ran]) -> None:
    with StoreWriter("named", ids="keep", layout="2016") as writer:
        given = [Argument(each, c, str(at)) for at, (each, c) in enumerate(FIRST.items())]
        linking = Linking("d1", [Frame(frozenset((BOB, HE, AROUND)), "raid"), Frame(frozenset((ANN,)), "talk")])
        writer.write(Arguments("d1", given), linking)
    assert adjudge("trim", "named", "-o", "out", "--ids", "keep").code == 0
    assert Path("out/linking/d1").read_text() == "raid\t0 3\ntalk\t2\nINCOMPLETE\t\n"
    lines = Path("out/arguments/d1").read_text().splitlines()
    assert [line.split("\t")[0] for line in lines] == ["0", "2", "3", "4"]


def test_a_document_without_linking_file_is_not_one_hopper(adjudge: Callable[..., Ran]) -> None:
    Path("in/linking/d2").unlink()
    ran = adjudge("trim", "in", "-o", "out")
    assert (ran.code, "of d2 is Actual but in no hopper" in ran.err) == (1, True)


def test_every_problem_of_a_store_at_once(adjudge: Callable[..., Ran]) -> None:
    Path("in/arguments/d1").write_text("1\td1\tonly three\n")
    Path("in/arguments/d2").write_text("nothing\n")
    for command in (["trim"], ["top", "-n", "1"], ["baseline-link"], ["neutralize", "--realis"], ["pool"]):
        ran = adjudge(*command, "in", "-o", "out")
        assert (ran.code, "d1:1:1" in ran.err, "d2:1:1" in ran.err, ran.out) == (1, True, True, ""), command
        assert sorted(path.name for path in Path().iterdir()) == ["in", "texts"]


def test_what_is_there_is_not_overwritten_unasked(adjudge: Callable[..., Ran]) -> None:
    Path("out").mkdir()
    Path("out/mine").write_text("precious")
    assert adjudge("trim", "in", "-o", "out").code == 2
    assert Path("out/mine").read_text() == "precious"
    assert adjudge("trim", "in", "-o", "out", "--overwrite").code == 0
    assert sorted(path.name for path in Path("out").iterdir()) == ["arguments", "linking"]
    assert adjudge("trim", "in", "-o", "in", "--overwrite").code == 0
    assert HE not in contents("in")
    assert adjudge("trim", "in").code == 2


def test_top(adjudge: Callable[..., Ran]) -> None:
    assert adjudge("top", "in", "-n", "3", "-o", "out").code == 0
    assert (contents("out"), contents("out", "d2")) == ({BOB: 0.9, ANN: 0.7}, {SECOND: 0.3})
    assert adjudge("top", "in", "-n", "4", "-o", "four").code == 0
    assert contents("four") == {BOB: 0.9, HE: 0.8, ANN: 0.7}
    ran = adjudge("top", "in", "-n", "1", "--per", "document", "-o", "each")
    assert "removed       4  not-among-the-top" in ran.out
    assert (contents("each"), contents("each", "d2")) == ({BOB: 0.9}, {SECOND: 0.3})
    assert frames(open_store("each")) == [frozenset((BOB,))]
    assert adjudge("top", "in", "-n", "0", "-o", "none").code == 2


def test_pool(adjudge: Callable[..., Ran]) -> None:
    make("b.zip", {BOB: 0.4, GENERIC: 0.95}, [(BOB,)])
    make("c", {HE: 0.8}, [(HE,)])
    Path("c/arguments/d2").unlink()
    Path("c/linking/d2").unlink()
    ran = adjudge("pool", "A=in", "b.zip", "c", "-o", "all")
    assert ran.code == 0
    assert "pool: 2 documents, 10 responses, 6 kept, 4 removed, 0 changed\n" in ran.out
    assert "note          1  missing-document" in ran.out
    assert contents("all") == {**FIRST, GENERIC: 0.95}
    assert not open_store("all").has_linking
    rows = [line.split("\t") for line in Path("all.provenance.tsv").read_text().splitlines()]
    assert rows[0] == ["#document", "response", "system", "confidence"]
    assert rows[1:] == sorted(rows[1:])
    assert [row[2:] for row in rows if row[1] == sha1_id(GENERIC)] == [["A", "0.5"], ["b", "0.95"]]
    assert [row[2:] for row in rows if row[0] == "d2"] == [["A", "0.3"], ["b", "0.3"]]
    assert adjudge("pool", "c", "b.zip", "-o", "some", "--quiet").code == 0
    assert adjudge("pool", "some", "A=in", "-o", "stepwise", "--quiet").code == 0
    for one, other in (("all", "stepwise"), ("all.provenance.tsv", "stepwise.provenance.tsv")):
        for path in [Path(one)] if Path(one).is_file() else [each for each in Path(one).rglob("*") if each.is_file()]:
            assert path.read_bytes() == Path(other, path.relative_to(one)).read_bytes()


def test_pool_refuses(adjudge: Callable[..., Ran]) -> None:
    Path("other").mkdir()
    make("other/in", {BOB: 0.4}, [(BOB,)])
    ran = adjudge("pool", "in", "other/in", "-o", "out")
    assert (ran.code, "two stores are called 'in'" in ran.err) == (2, True)
    assert adjudge("pool", "in", "B=other/in", "-o", "out", "--quiet").code == 0
    assert adjudge("pool", "in", "-o", "out").code == 2
    make("changed", {BOB: 0.4, HE: 0.1}, [(BOB, HE)])
    Path("changed.provenance.tsv").write_text(f"d1\t{sha1_id(BOB)}\tX\t0.4\nd2\t{sha1_id(SECOND)}\tX\t0.3\n")
    ran = adjudge("pool", "changed", "-o", "never")
    assert (ran.code, "1 responses of d1 are not in changed.provenance.tsv" in ran.err) == (1, True)
    for bad, said in (("d1\tx\n", "not a line"), (f"d2\ta\tX\t1.0\nd1\t{'a' * 40}\tX\t0.5\n", "not in order")):
        Path("changed.provenance.tsv").write_text(bad)
        ran = adjudge("pool", "changed", "-o", "never")
        assert (ran.code, said in ran.err) == (1, True), ran
    assert not list(Path().glob("*never*"))
    assert not list(Path().glob(".*"))


def test_baseline_link(adjudge: Callable[..., Ran]) -> None:
    Path("in/linking/d1").write_text("nonsense\n")
    assert adjudge("baseline-link", "in", "-o", "out").code == 0
    assert set(frames(open_store("out"))) == {frozenset((BOB, HE, AROUND)), frozenset((ANN,))}
    assert adjudge("pool", "in", "-o", "flat", "--quiet").code == 0
    assert adjudge("baseline-link", "flat", "-o", "linked").code == 0
    assert set(frames(open_store("linked"))) == set(frames(open_store("out")))


def test_neutralize(adjudge: Callable[..., Ran]) -> None:
    ran = adjudge("neutralize", "in", "--realis", "-o", "out")
    assert "changed       1  realis-was-generic" in ran.out
    assert {each.realis for each in contents("out")} == {"Actual"}
    alone = frozenset((GENERIC._replace(realis="Actual"),))
    assert alone in frames(open_store("out"))
    assert adjudge("neutralize", "in", "--realis", "-o", "official", "--profile", "bbn-2015").code == 0
    assert alone not in frames(open_store("official"))

    right, wrong = Assessment("C", "C", "C", "C", "Actual", "NAME"), Assessment("C", "C", "W", "C", "Other", "NAME")
    judged = {BOB: wrong, HE: right, AROUND: Assessment("C", "C", "I", "W", "Other", "NAME"), GENERIC: right}
    judged[ANN] = wrong
    with KeyWriter("key") as writer:
        writer.write(AnswerKey("d1", judged, (), {each.cas: at for at, each in enumerate(judged)}))
    ran = adjudge("neutralize", "in", "--realis", "--coref", "--key", "key", "-o", "never")
    assert (ran.code, "there are no assessments of d2" in ran.err) == (1, True)
    with KeyWriter("key", overwrite=True) as writer:
        writer.write(AnswerKey("d1", judged, (), {each.cas: at for at, each in enumerate(judged)}))
        writer.write(AnswerKey("d2"))
    ran = adjudge("neutralize", "in", "--realis", "--coref", "--key", "key", "--save-key", "neutral", "-o", "both")
    assert ran.code == 0
    assert "removed       1  no-correct-cas" in ran.out
    assert "note          1  unassessed" in ran.out
    assert contents("both")[HE] == 0.9
    assert BOB not in contents("both")
    assert {each.realis for each in open_key("neutral").key("d1").assessed} == {"Actual"}


def test_neutralize_refuses(adjudge: Callable[..., Ran]) -> None:
    for options, said in (
        ([], "nothing to neutralise"),
        (["--coref", "--key", "key"], "only together with realis"),
        (["--realis", "--coref"], "--coref needs assessments"),
        (["--realis", "--save-key", "x"], "--save-key needs a key"),
        (["--realis", "--key", "key"], "--key is used by"),
    ):
        ran = adjudge("neutralize", "in", "-o", "out", *options)
        assert (ran.code, said in ran.err) == (2, True), ran


@pytest.mark.parametrize(
    "command",
    [
        ["filter-quotes", "--docs", "texts"],
        ["expand-justifications", "--docs", "texts"],
        ["trim"],
        ["top", "-n", "2", "--per", "document"],
        ["baseline-link"],
        ["neutralize", "--realis"],
        ["pool"],
    ],
    ids=lambda command: command[0],
)
def test_operations_commute_with_choosing_documents(adjudge: Callable[..., Ran], command: list[str]) -> None:
    make("part", FIRST, [(BOB, HE, AROUND), (ANN,)])
    for folder in ("arguments", "linking"):
        Path("part", folder, "d2").unlink()
    name, *options = command
    for source in ("in", "part"):
        assert adjudge(name, source, *options, "-o", f"{source}.out").code == 0
    for path in Path("part.out").rglob("*"):
        assert path.is_dir() or path.read_bytes() == Path("in.out", path.relative_to("part.out")).read_bytes()
    assert not list(Path("part.out").rglob("d2"))
