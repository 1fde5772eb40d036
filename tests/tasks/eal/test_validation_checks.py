"""Each check of the validator: what it finds, where, and what it says to do."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError
from adjudge.findings import Finding, Findings
from adjudge.model.eal import Argument, Arguments, Cas, Frame, Linking, Response, Span
from adjudge.tasks.eal.texts import Text, dump_document
from adjudge.tasks.eal.validation import validate
from adjudge.tasks.eal.validation_arguments import agree

TEXT = "Bob met Ann in Rome. <quote>Eve met Tim</quote> AT&amp;T met\n IBM."


def line(
    id: str = "1",
    role: str = "Entity",
    cas: str = "Bob",
    at: str = "0-2",
    because: str = "0-19",
    filler: str | None = None,
    *,
    type: str = "Contact.Meet",
    additional: str = "NIL",
    realis: str = "Actual",
    document: str = "D1",
) -> str:
    filler = at if filler is None else filler
    return "\t".join((id, document, type, role, cas, at, because, filler, additional, realis, "0.5")) + "\n"


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def check(folder: Path, *lines: str, linking: str | None = None, text: str | bytes = TEXT, **options: Any) -> Findings:
    """Check responses of one document; without `linking` each is a frame of its own."""
    if linking is None:
        rows = [each.split("\t") for each in lines if not each.startswith("#")]
        linking = "".join(f"{row[0]}\n" for row in rows if row[9] != "Generic")
    write(folder, {"docs/D1.txt": text, "sub/arguments/D1": "".join(lines), "sub/linking/D1": linking})
    return validate(folder / "sub", docs=folder / "docs", **options)


def told(report: Findings) -> list[tuple[str, bool, str]]:
    """Each finding: its kind, whether it is an error, and its file, line and column (of arguments: number of field)."""
    return [(each.kind, each.error, _place(each)) for each in report.findings]


def _place(finding: Finding) -> str:
    problem = finding.problem
    path = Path(problem.path or "")
    column = problem.column
    if problem.line and column and path.parent.name in ("arguments", "sub"):
        before = path.read_text(encoding="utf-8").split("\n")[problem.line - 1][: column - 1]
        assert not before or before.endswith("\t")
        column = before.count("\t") + 1
    parts = ("/".join(path.parts[-2:]), problem.line, column)
    return ":".join(str(part) for part in parts if part is not None)


def test_all_problems_at_once(tmp_path: Path) -> None:
    report = check(
        tmp_path,
        line("1", type="Contact.Meat"),
        "#why\n",
        line("2", "Entitty", "Ann", "8-10"),
        line("3", "Place", "Rome", "14-17"),
        line("99999999999", "Time", "yesterday", "0-2"),
        line("4", "Entity", "Ann", "8-10", "0-999"),
        linking="1\t2\n3\t4\t7\n",
    )
    assert told(report) == [
        ("type", True, "arguments/D1:1:3"),
        ("role", True, "arguments/D1:3:4"),
        ("cas-text", False, "arguments/D1:4:5"),
        ("id-range", True, "arguments/D1:5:1"),
        ("unlinked", True, "arguments/D1:5:1"),
        ("time", True, "arguments/D1:5:5"),
        ("outside", True, "arguments/D1:6:7"),
        ("unknown-id", True, "linking/D1:2:5"),
    ]
    hints = {each.kind: each.problem.hint for each in report.findings}
    assert hints["type"] == "did you mean Contact.Meet?"
    assert hints["role"] == "did you mean Entity?"
    assert hints["cas-text"] == "it is at 15-18"
    assert hints["outside"] == f"its last character is {len(TEXT) - 1}"
    assert (report.errors, report.warnings) == (7, 1)
    assert report.contents == {"document": 1, "response": 5, "frame": 2}


@pytest.mark.parametrize(
    ("cas", "found", "expected"),
    [
        ("Bob", "Bob", "same"),
        ("Bob Smith", "Bob\n  Smith", "same"),
        ("AT&T", "AT&amp;T", "same"),
        ("Bob Smith", "Bob <a>Smith</a>", "same"),
        ("bob", "Bob", "part"),
        ("Bob", "Bob Smith", "part"),
        ("Bob Smith", "Smith", "part"),
        ("Bob", "", "other"),
        ("Bob", " Bo", "other"),
        ("Bob", "Bobby Bob", "part"),
        ("\u5317\u4eac", "\u5317\u4eac\u5e02", "part"),
        ("Bob", "Ann", "other"),
    ],
)
def test_agreement(cas: str, found: str, expected: str) -> None:
    assert agree(cas, found) == expected


def test_texts_of_cases(tmp_path: Path) -> None:
    at = TEXT.index("AT&amp;T")
    spans = f"{at}-{at + 7}"
    report = check(tmp_path, line(cas="AT&T", at=spans, because="0-60"), line("2", cas="Bob met", because="0-19"))
    assert told(report) == [("cas-extent", False, "arguments/D1:2:5")]


def test_times(tmp_path: Path) -> None:
    times = ["1985-XX-XX", "XXXX-05-04", "2003-05-xx", "2003-13-01", "20X3-01-01", "1985"]
    lines = [line(str(n), "Time", each) for n, each in enumerate(times, 1)]
    found = [(finding.kind, finding.problem.line) for finding in check(tmp_path, *lines).findings]
    assert found == [("time-small-x", 3), ("time-calendar", 4), ("time", 5), ("time", 6)]
    assert check(tmp_path, *lines, profile="bbn-2015").findings == []


def test_justifications(tmp_path: Path) -> None:
    report = check(
        tmp_path,
        line("1", filler="8-10", because="4-19"),
        line("2", filler="8-10", because="0-3,5-12"),
        line("3", filler="15-18", because="0-3,5-12"),
        line("4", because="0-10,3-5,8-19"),
        line("5", additional="4-6"),
        line("6", additional="4-999", filler="8-10"),
    )
    assert told(report) == [
        ("filler-outside", False, "arguments/D1:3:8"),
        ("overlapping-justifications", False, "arguments/D1:4:7"),
        ("overlapping-justifications", False, "arguments/D1:4:7"),
        ("additional", False, "arguments/D1:5:9"),
        ("outside", True, "arguments/D1:6:9"),
    ]


def test_ids(tmp_path: Path) -> None:
    lines = [line(id, because=f"0-{number}") for number, id in enumerate(("-7", "2147483648", "x y", "a" * 40, ""), 15)]
    report = check(tmp_path, *lines, linking=f"-7\n2147483648\n{'a' * 40}\n")
    found = [(each.kind, each.error, each.problem.line) for each in report.findings]
    assert found == [
        ("id-range", True, 2),
        ("id-form", False, 3),
        ("unlinked", True, 3),
        ("no-id", True, 5),
        ("unlinked", True, 5),
    ]


def test_an_id_on_a_line_that_cannot_be_read_is_not_unknown(tmp_path: Path) -> None:
    report = check(tmp_path, line("1"), line("2", at="x"), line("1"), linking="1\t2\n3\n")
    assert [each.kind for each in report.findings] == ["span", "span", "repeated-response", "unknown-id"]
    assert report.findings[-1].problem.message == "there is no response with the id '3'"


def test_quotations(tmp_path: Path) -> None:
    eve, end = TEXT.index("Eve"), TEXT.index(" AT")
    spans = [f"{eve}-{eve + 2}", f"15-{end}"]
    report = check(
        tmp_path, line(cas="Eve", at=spans[0], because="0-60"), line("2", at="0-2", filler=spans[1], because="0-60")
    )
    assert told(report) == [("quoted", False, "arguments/D1:1:8"), ("around-quotation", False, "arguments/D1:2:8")]
    report = check(tmp_path, line(because="0-2"), text="Bob <quote>")
    assert told(report) == [("quote", False, "docs/D1.txt:1:5")]


def test_frames(tmp_path: Path) -> None:
    three = [line(), line("2", cas="Ann", at="8-10"), line("3", cas="Ann", at="8-10", realis="Generic")]
    report = check(tmp_path, *three, linking="#a\n\n1 2\n2\t3\n 1 2\nINCOMPLETE\t3\n")
    assert told(report) == [
        ("generic-linked", True, "linking/D1:4:3"),
        ("repeated-frame", False, "linking/D1:5:2"),
        ("generic-incomplete", False, "linking/D1:6:12"),
        ("linked-incomplete", True, "linking/D1:6:12"),
    ]
    report = check(tmp_path, *three, linking="h1\t1\nh2\t2\n")
    assert told(report) == [("hopper-names", False, "linking/D1:1:1")]


def test_types_that_may_be_together(tmp_path: Path) -> None:
    lines = [line(), line("2", type="Contact.Correspondence", cas="Ann", at="8-10"), line("3", type="Life.Die")]
    lines[2] = lines[2].replace("Entity", "Victim")
    both = "h1\t1 2\nh2\t3\n"
    assert told(check(tmp_path, *lines, linking=both)) == [
        ("hopper-names", False, "linking/D1:1:1"),
        ("mixed-types", True, "linking/D1:1:1"),
    ]
    lines[1] = lines[1].replace("Correspondence", "Contact")
    assert told(check(tmp_path, *lines, linking=both, ontology="2016")) == [("layout", True, f"{tmp_path.name}/sub")]
    (tmp_path / "sub" / "corpusLinking").mkdir()
    assert told(check(tmp_path, *lines, linking=both, ontology="2016")) == []
    assert told(check(tmp_path, *lines, linking="h1\t1 2 3\n", ontology="2016")) == [
        ("mixed-types", True, "linking/D1:1:1")
    ]
    assert told(check(tmp_path, *lines, linking="1\t2\n3\n", ontology="2016")) == [
        ("no-hopper-names", True, "linking/D1:1:1")
    ]


def test_arguments_alone(tmp_path: Path) -> None:
    rows = line(type="Contact.Phone-Write") + line("1", cas="Ann", at="8-10")
    write(tmp_path, {"sub/D1": rows, "docs/D1": TEXT})
    report = validate(tmp_path / "sub", docs=tmp_path / "docs", profile="bbn-2014")
    assert told(report) == [("repeated-id", False, "sub/D1:2:1")]
    assert (report.facts["layout"], report.facts["ontology"], report.contents["frame"]) == ("2014", "2014", 0)


WIDE = "\U0001f600\U0001f600 Bob met Ann."


def test_characters_that_count_twice(tmp_path: Path) -> None:
    points = [line(at="3-5", because="0-14"), line("2", cas="Ann", at="11-13", because="0-14")]
    units = [line(at="5-7", because="0-16"), line("2", cas="Ann", at="13-15", because="0-16")]
    (warning,) = check(tmp_path, *points, text=WIDE).findings
    assert (warning.kind, warning.error, warning.problem.line) == ("astral", False, None)
    assert warning.problem.hint == "check that your offsets are counted in this way"
    (warning,) = check(tmp_path, *units, text=WIDE, offsets="utf-16").findings
    assert warning.kind == "astral"
    assert check(tmp_path, *units, text=WIDE, profile="bbn-2015").errors == 0
    report = check(tmp_path, *units, text=WIDE)
    hints = {each.kind: each.problem.hint for each in report.findings}
    assert set(hints) == {"cas-text", "outside", "astral"}
    assert hints["astral"] == "2 more CAS match the text with --offsets utf16"
    report = check(tmp_path, *points, text=WIDE, offsets="utf-16")
    hints = {each.kind: each.problem.hint for each in report.findings}
    assert hints["astral"] == "2 more CAS match the text with --offsets codepoints"
    report = check(tmp_path, line(at="5-7", because="1-16"), text=WIDE, offsets="utf-16")
    assert told(report)[1] == ("split-character", True, "arguments/D1:1:7")
    assert check(tmp_path, line(), text=f"{TEXT}\U0001f600").findings == []  # no offset is behind it


def test_documents(tmp_path: Path) -> None:
    write(tmp_path, {f"docs/{name}.txt": TEXT for name in ("D1", "D2")} | {"sub/arguments/D1.xml": ""})
    write(tmp_path, {"sub/linking/D1.xml": "", "sub/linking/D3": "", "docs/.DS_Store": ""})
    check(tmp_path, line())
    report = validate(tmp_path / "sub", docs=tmp_path / "docs")
    assert told(report) == [
        ("missing-document", False, f"{tmp_path.name}/sub"),
        ("unexpected-document", True, "arguments/D1.xml"),
        ("linking-alone", True, "linking/D3"),
    ]
    assert report.findings[1].problem.hint == "name the file D1, with no extension"
    assert report.findings[0].document == "D2"
    report = validate(tmp_path / "sub", documents=["D4", "D1"])
    assert [(each.kind, each.error, each.document) for each in report.findings] == [
        ("missing-document", True, "D4"),
        ("unexpected-document", True, "D1.xml"),
        ("linking-alone", True, "D3"),
    ]
    report = validate(tmp_path / "sub", documents=["D4", "D1", "D1.xml"], profile="bbn-2015")
    assert told(report) == [("missing-document", False, f"{tmp_path.name}/sub")]


def test_ids_of_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    write(tmp_path, {"docs/D1.txt": TEXT, "sub/arguments/D1": line().encode("utf-16"), "sub/linking/D1": "1\n"})
    report = validate(tmp_path / "sub", docs=tmp_path / "docs")
    assert [(each.kind, each.error) for each in report.findings] == [("encoding", True)]
    for nothing in ("", "\ufeff", "\n"):
        write(tmp_path, {"sub/arguments/D1": nothing})
        report = validate(tmp_path / "sub", docs=tmp_path / "docs")
        assert [(each.kind, each.error) for each in report.findings] == [("unknown-id", True)]


@pytest.mark.parametrize("ending", ["", ".txt", ".mpdf.xml"])
def test_documents_that_are_all_missing(tmp_path: Path, ending: str) -> None:
    write(tmp_path, {f"docs/{name}{ending}": TEXT for name in ("D1", "D2", "D.3")} | {"docs/README.md": ""})
    write(tmp_path, {"sub/arguments/D9": "", "sub/linking/D9": ""})
    report = validate(tmp_path / "sub", docs=tmp_path / "docs")
    missing = [each.document for each in report.findings if each.kind == "missing-document"]
    assert missing == ["D.3", "D1", "D2", *["README.md"] * (not ending)]


def test_a_submission_with_another_layout_misses_no_documents(tmp_path: Path) -> None:
    write(tmp_path, {"docs/D1.txt": TEXT, "sub/mine/arguments/D1": "", "sub/mine/linking/D1": ""})
    assert {each.kind for each in validate(tmp_path / "sub", docs=tmp_path / "docs").findings} == {"layout"}
    (tmp_path / "empty" / "arguments").mkdir(parents=True)
    (tmp_path / "empty" / "linking").mkdir()
    found = validate(tmp_path / "empty", docs=tmp_path / "docs").findings
    assert [(each.kind, each.error, each.document) for each in found] == [("missing-document", False, "D1")]


def test_source_documents_that_cannot_be_used(tmp_path: Path) -> None:
    report = check(tmp_path, line(), text=b"caf\xe9")
    assert told(report) == [("text", True, "docs/D1.txt:1:4")]
    write(tmp_path, {"docs/more/D1.txt": TEXT})
    report = check(tmp_path, line())
    assert told(report) == [("text", True, f"{tmp_path.name}/docs")]


def test_a_map_of_source_documents(tmp_path: Path) -> None:
    files = {"map": "# id path\n\nD1\ttexts/one.xml\nD2\ttexts/two.xml\n", "texts/one.xml": TEXT}
    files |= {f"run/{room}/{name}": "" for room in ("arguments", "linking") for name in ("D1", "D2", "D3")}
    write(tmp_path, files)
    found = validate(tmp_path / "run", docs=tmp_path / "map").findings
    assert [(each.kind, each.document) for each in found] == [("text", "D2"), ("unexpected-document", "D3")]
    write(tmp_path, {"map": "D1 texts/one.xml\n"})
    with pytest.raises(FormatError, match="not a line of a list of documents"):
        validate(tmp_path / "run", docs=tmp_path / "map")


def test_a_file_beside_the_text_is_not_read(tmp_path: Path) -> None:
    """`DOC.ann` beside `DOC.txt` is neither the text of DOC nor a document that is missing."""
    texts = {"D1.txt": TEXT, "D1.ann": "T1\tPerson 0 3\tBob\n", "README": "x", "D1.txt~": "old", "D2.txt": "x"}
    write(tmp_path, {f"docs/{name}": text for name, text in texts.items()})
    write(tmp_path, {"run/arguments/D1": line(), "run/linking/D1": "1\n"})
    found = validate(tmp_path / "run", docs=tmp_path / "docs").findings
    assert [(each.kind, each.document) for each in found] == [("missing-document", "D2")]


def test_line_ends_and_marks_of_source_documents_count(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf<DOC>\r\nBob met.\r\n"
    assert check(tmp_path, line(at="8-10", because="8-16"), text=text).findings == []
    assert check(tmp_path, line(at="8-10", because="8-17"), text=text).findings == []
    assert [each.kind for each in check(tmp_path, line(at="8-10", because="8-18"), text=text).findings] == ["outside"]


def test_the_first_of_each_misspelt_type_is_listed(tmp_path: Path) -> None:
    lines = [line(str(n), type="Life.Dies", because=f"0-{n}") for n in range(3, 9)]
    report = check(tmp_path, *lines, line("9", type="Life.Mary", because="0-9"), limit=2)
    assert [each.problem.line for each in report.findings] == [1, 2, 7]
    assert report.counts == {"type": 7}


def test_problems_of_the_reader_are_counted_beyond_its_own_limit(tmp_path: Path) -> None:
    lines = [line(str(n), at="x") for n in range(150)]
    report = check(tmp_path, *lines, linking="", limit=5)
    assert report.errors == 300  # the CAS and the base filler of each
    assert len(report.findings) == 5
    assert check(tmp_path, *lines, linking="", limit=0).errors == 300


@settings(max_examples=100)
@given(st.text(st.sampled_from("ab\n\xe9\U0001f600"), min_size=1, max_size=12), st.data())
def test_offsets_in_units_are_those_of_the_encoding(text: str, data: st.DataObject) -> None:
    """Compared with slices of the text in UTF-16."""
    units = text.encode("utf-16-le")
    ours = Text(text, "utf-16")
    assert ours.size == len(units) // 2
    start = data.draw(st.integers(0, ours.size - 1))
    end = data.draw(st.integers(start, ours.size - 1))
    part = units[2 * start : 2 * end + 2]
    try:
        expected = part.decode("utf-16-le")
    except UnicodeDecodeError:
        assert ours.cuts(Span(start, end))
    else:
        assert not ours.cuts(Span(start, end))
        assert ours.at(Span(start, end)) == expected
    first = data.draw(st.integers(0, len(text) - 1))
    last = data.draw(st.integers(first, len(text) - 1))
    assert ours.at(ours.span(first, last)) == text[first : last + 1] == Text(text).at(Span(first, last))


@pytest.mark.parametrize("offsets", ["code-points", "utf-16"])
def test_where_a_text_stands(offsets: Any) -> None:
    text = Text("Bob \U0001f600 Bob Ann", offsets)
    shift = offsets == "utf-16"
    assert text.find("Bob", Span(5, 7)) == Span(6 + shift, 8 + shift)
    assert text.find("Bob", Span(1, 3)) == Span(0, 2)
    assert text.find("Eve", Span(0, 2)) is None
    assert text.find("", Span(0, 2)) is None
    assert text.find("Ann", Span(999, 1000)) == Span(10 + shift, 12 + shift)


def test_dump() -> None:
    at = Span(0, 2)
    bob = Response("D1", "Contact.Meet", "Entity", Cas("Bob", at), at, (Span(0, 19),), (Span(8, 10),), "Actual")
    ann = bob._replace(cas=Cas("Ann", Span(8, 10)), additional=())
    eve = bob._replace(cas=Cas("Eve\x1b", Span(28, 999)), base_filler=Span(999, 999), additional=())
    tim, ivy = eve._replace(realis="Generic"), eve._replace(type="Life.Die")
    arguments = Arguments("D1", [Argument(each, 0.5, str(n)) for n, each in enumerate((bob, ann, eve, tim, ivy), 1)])
    frames = [Frame(frozenset((bob, ann))), Frame(frozenset((bob,)), "h2")]
    shown = dump_document(arguments, Linking("D1", frames, frozenset((ivy,))), Text(TEXT))
    assert "      and because  8-10  Ann" in shown
    assert "frame h2: Contact.Meet\n  1  Contact.Meet  Entity  'Bob'  Actual  0.5  (see above)" in shown
    heads = [each for each in shown.splitlines() if each.endswith(":")]
    assert heads == ["incomplete:", "in no frame:", "generic:"]
    assert "(outside the document)" in shown
    assert "IBM. (continues beyond the end of the document)" in shown
    assert "\x1b" not in shown
    bare = dump_document(arguments, None)
    assert "frame" not in bare
    assert "Rome" not in bare


WORDS = ["1", "2", "-", "0-2", "NIL", "Time", "INCOMPLETE", "#", "\ufeff", "\U0001f600", "h1\t1", ","]
PIECES = st.sampled_from([*WORDS, "\t", "\n", "\r", " ", "\x1c"])
CHANGES = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 3), PIECES), max_size=4)


@settings(max_examples=75)
@given(CHANGES, CHANGES, st.sampled_from(["spec", "bbn-2015"]), st.binary(max_size=2))
def test_no_file_is_too_broken(
    tmp_path_factory: pytest.TempPathFactory,
    arguments: list[tuple[int, int, str]],
    linking: list[tuple[int, int, str]],
    profile: str,
    tail: bytes,
) -> None:
    """Whatever happens to the files: an answer, with a line that exists and a remedy for each problem."""
    folder = tmp_path_factory.mktemp("any")
    rows = line() + line("2", cas="Ann", at="8-10") + line("3", "Time", "2003-XX-XX", realis="Generic")
    texts = []
    for text, changes in ((rows, arguments), ("1\t2\n2\nINCOMPLETE\t\n", linking)):
        for at, gone, piece in changes:
            text = text[:at] + piece + text[at + gone :]
        texts.append(text.encode() + tail)
    write(folder, {"docs/D1": f"{TEXT}\U0001f600", "sub/arguments/D1": texts[0], "sub/linking/D1": texts[1]})
    shown: list[str] = []
    report = validate(
        folder / "sub",
        docs=folder / "docs",
        profile=profile,
        watch=lambda *document: shown.append(dump_document(*document)),
    )
    assert len(shown) == 1
    assert report.total >= len(report.findings)
    for finding in report.findings:
        problem = finding.problem
        assert problem.hint
        content = Path(problem.path or "").read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        assert (problem.line or 1) <= content.count(b"\n") + 1


def test_entities_that_cannot_fill_both_roles(tmp_path: Path) -> None:
    """Table 2 of the task description: who is a Victim is a person, and a Crime is none."""
    lines = (
        line("1", "Victim", type="Life.Die"),
        line("2", "Defendant", type="Justice.Convict"),
        line("3", "Crime", type="Justice.Convict"),
        line("4", "Place", "Rome", "15-18", type="Justice.Convict"),
        line("5", "Defendant", "Rome", "15-18", type="Justice.Convict"),
        line("6", "Victim", "Rome", "15-18", type="Life.Die"),
    )
    frames = "1\n6\n2 3 4 5\n"
    report = check(tmp_path, *lines, linking=frames)
    assert told(report) == [
        ("entity-type", False, "arguments/D1:3:4"),
        ("entity-type", False, "arguments/D1:6:4"),
    ]
    first, second = (each.problem.message for each in report.findings)
    assert first == (
        "'Bob' is Crime of Justice.Convict (CRIME) and Victim of Life.Die (PER) on line 1: no entity is all of this"
    )
    assert "Victim of Life.Die (PER) and Place of Justice.Convict (GPE, FAC, LOC, VEH) on line 4" in second
    assert not check(tmp_path, *lines, linking=frames.replace(" ", "\t"), profile="bbn-2015").findings
