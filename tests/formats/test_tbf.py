"""TBF files: documents as the official reader finds them, lines as it splits them."""

import gzip
import hashlib
import io
import threading
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError, UsageError, ValidationError
from adjudge.formats import tbf_scan
from adjudge.formats.tbf import file_mode, guess_mode, open_tbf, parse_columns, read_tbf, write_tbf
from adjudge.formats.tbf_scan import parse_lines, parse_pieces
from adjudge.model.nugget import Nugget, NuggetDocument, Relation
from problems import budget

MENTION = "s\td\tE1\tt1\tran\tMovement\tActual"
ONE = f"#BeginOfDocument d\n{MENTION}\n#EndOfDocument\n".encode()


def documents(data: bytes, mode: str = "token") -> dict[str, tuple[list[str], list[tuple[str, ...]]]]:
    file = open_tbf(data, mode=mode)  # type: ignore[arg-type]
    read = {id: file.read(id) for id in file.ids}
    return {id: ([n.id for n in each.nuggets], [r.arguments for r in each.relations]) for id, each in read.items()}


def slow_documents(data: bytes) -> dict[str, tuple[list[str], list[tuple[str, ...]]]]:
    """The rules line by line: nothing is emptied but at a footer, and the id is never forgotten."""
    found: dict[str, tuple[list[str], list[tuple[str, ...]]]] = {}
    name, mentions, relations = "", [], []
    for raw in data.split(b"\n"):
        line = raw.strip()
        if line.startswith(b"#BeginOfDocument"):
            name = line[len(b"#BeginOfDocument") :].strip().decode()
        elif line.startswith(b"#EndOfDocument"):
            found.pop(name, None)
            found[name] = mentions, relations
            mentions, relations = [], []
        elif line.startswith(b"#") or not line:
            continue
        elif line.startswith(b"@"):
            relations.append(tuple(line[1:].strip().decode().split("\t")[2].split(",")))
        else:
            mentions.append(line.decode().split("\t")[2])
    return found


LINES = st.sampled_from(
    [
        *(
            "#BeginOfDocument a",
            "#BeginOfDocument\tb",
            " #BeginOfDocumentc ",
            "#BeginOfDocument",
            "#BeginOfDocument x y",
        ),
        *("#EndOfDocument", "#EndOfDocument", "  #EndOfDocument trailing", "\t#EndOfDocument\r"),
        *("", "  ", "# a comment", "#EndOf", "\r", "x #EndOfDocument\t.\tE9\tt1\tx\tT\tActual"),
        *("s\td\tE1\tt1\tx\tT\tActual", "  s\td\tE2\tt1,t2\tx\tT\tActual\t0.5\r", "s\t\tE3\t\t\t\t#EndOfDocument"),
        *("@Coreference\tR1\tE1,E2", "@ After\tR2\tE1,E2 ", "@Other\t\tE1"),
    ]
)


@given(st.lists(LINES, max_size=14), st.booleans())
@example(["#EndOfDocument"], True)
@example(["#BeginOfDocument a", "s\td\tE1\tt1\tx\tT\tActual", "#BeginOfDocument\tb", "#EndOfDocument"], False)
def test_documents_are_those_of_the_rules(lines: list[str], end: bool) -> None:
    data = ("\n".join(lines) + "\n" * end).encode()
    found = documents(data)
    assert found == slow_documents(data)
    assert list(found) == list(slow_documents(data))


@given(st.lists(LINES, max_size=14), st.integers(1, 40))
def test_blocks_do_not_matter(lines: list[str], size: int) -> None:
    data = "\n".join(lines).encode()
    whole = open_tbf(data, mode="token")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tbf_scan, "_BLOCK", size)
        pieces = open_tbf(data, mode="token")
    assert list(pieces.sections) == list(whole.sections)
    assert pieces.notes == whole.notes
    assert [pieces.read(id) for id in pieces.ids] == [whole.read(id) for id in whole.ids]


@given(st.lists(LINES, max_size=14))
def test_lines_have_their_numbers(lines: list[str]) -> None:
    text = "\n".join(lines)
    for document in open_tbf(text.encode(), mode="token"):
        for nugget in document.nuggets:
            assert lines[nugget.line - 1].strip().split("\t")[2] == nugget.id
        for relation in document.relations:
            assert lines[relation.line - 1].lstrip("@ ").startswith(relation.name)
    sections = open_tbf(text.encode(), mode="token").sections
    for section in sections:
        assert text.encode()[: section.offset].count(b"\n") == section.line - 1
    assert all(a.offset + a.size <= b.offset for a, b in pairwise(sections))


def test_character_places() -> None:
    def place(span: str) -> object:
        data = ONE.replace(b"t1", span.encode())
        file = open_tbf(data, mode="char")
        found = [nugget.pieces for nugget in file.read("d").nuggets]
        return found[0] if found else str(file.read("d").problems[0])

    assert place("4,8;13,16") == ((4, 8), (13, 16))
    assert place(" 4, 8") == ((4, 8),)
    assert place("4,8,9") == ((4, 8),)
    assert place("8,4;-1,2") == ((8, 4), (-1, 2))
    for wrong in ("4", "4,", "4,8;", "t1,t2", "4,8_0", "٤,٨", "4,1e3", "4,9" + "0" * 5000, "1" * 16 + ",3"):
        assert str(place(wrong)).startswith("<bytes>:2:8: ")
    assert "4,8;13,16" in str(place("4"))


def test_modes_are_guessed_from_most_places() -> None:
    assert guess_mode(["4,8"] * 9 + ["4"]) == "char"
    assert guess_mode(["4,8"] * 8 + ["4"]) == "token"
    assert guess_mode(["t4,t8"]) == "token"
    assert guess_mode(["1,2,3"]) == "token"
    assert open_tbf(ONE).mode == "token"
    assert open_tbf(ONE.replace(b"t1", b"4,8")).mode == "char"
    assert open_tbf(ONE.replace(b"t1", b"4,8"), mode="token").read("d").nuggets[0].tokens == ("4", "8")
    assert open_tbf(b"").mode == "token"
    with pytest.raises(UsageError, match="there is no mode 'words'"):
        open_tbf(ONE, mode="words")  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.integers(-3, 10**6), st.integers(-3, 10**6)), min_size=1, max_size=4))
def test_pieces(pieces: list[tuple[int, int]]) -> None:
    assert parse_pieces(";".join(f"{begin},{end}" for begin, end in pieces)) == tuple(pieces)


def test_lines_that_cannot_be_read_are_collected() -> None:
    lines = ["#BeginOfDocument d", "s\td\tE1\tt1\tran", MENTION, "@Coreference\tR1", "  @After\tR1\tE1,E2,E3", "words"]
    file = open_tbf("\n".join([*lines, "#EndOfDocument"]).encode())
    assert [nugget.id for nugget in file.read("d").nuggets] == ["E1"]
    assert file.read("d").relations == []
    found = [(problem.line, problem.column) for problem in file.read("d").problems]
    assert found == [(2, 1), (4, 1), (5, 3), (6, 1)]
    with pytest.raises(FormatError) as raised:
        read_tbf("\n".join([*lines, "#EndOfDocument"]).encode(), name="a.tbf")
    assert [str(problem)[:8] for problem in raised.value.problems] == ["a.tbf:2:", "a.tbf:4:", "a.tbf:5:", "a.tbf:6:"]
    assert "a mention line with 5 columns, at least 7" in str(raised.value)
    assert "After relates two mentions, not 3" in str(raised.value)


def test_problems_are_bounded() -> None:
    with pytest.raises(FormatError) as raised:
        read_tbf(b"#BeginOfDocument d\n" + b"x\n" * 1000 + b"#EndOfDocument\n")
    assert len(raised.value.problems) == 101
    assert str(raised.value.problems[-1]) == "<bytes>: and 900 more problems"
    endless = open_tbf(b"#BeginOfDocument d\n" + b"x\n" * 5000 + b"#EndOfDocument\n").read("d").problems
    assert len(endless) == 1001
    assert str(endless[-1]) == "<bytes>:1002: and more problems in the rest of the document"
    many = open_tbf(b"#BeginOfDocument d\n" * 1000)
    assert len(many.notes) == 100
    assert many.index.found.counts == {"missing-footer": 1000}


@pytest.mark.parametrize(
    ("data", "kinds", "lines"),
    [
        (b"", ["no-documents"], [None]),
        (b"\n# nothing\n", ["no-documents"], [None]),
        (b"words\n", ["outside", "no-documents"], [1, None]),
        (ONE + b"\nwords\n" + ONE, ["outside", "repeated-document"], [5, 6]),
        (ONE + b"words\n", ["outside"], [4]),
        (ONE + MENTION.encode() + b"\n#EndOfDocument", ["missing-header"], [5]),
        (MENTION.encode() + b"\n#EndOfDocument", ["missing-header"], [2]),
        (ONE[:-15], ["missing-footer"], [1]),
        (ONE[:-15] + ONE, ["missing-footer"], [1]),
        (ONE.replace(b" d", b""), ["no-id"], [1]),
        (b"\xef\xbb\xbf" + ONE, ["byte-order-mark"], [1]),
        (ONE.decode().encode("utf-16"), ["utf-16", "outside", "no-documents"], [1, 1, None]),
    ],
)
def test_what_is_taken_in_silence_is_noted(data: bytes, kinds: list[str], lines: list[int | None]) -> None:
    file = open_tbf(data, name="a.tbf")
    assert [finding.kind for finding in file.findings] == kinds
    assert [note.line for note in file.notes] == lines
    assert all(str(note).startswith("a.tbf:") and note.hint for note in file.notes)


def test_remarks_on_what_is_read_without_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_tbf(ONE).remarks == {}
    data = ONE.replace(b"ran", "dél".encode()).replace(b"Actual\n", b"Actual\r\n") + b"\n# \xe9 \0\n# \xff\n"
    monkeypatch.setattr(tbf_scan, "_BLOCK", 8)
    found = {kind: (each.line, each.column) for kind, each in open_tbf(data).remarks.items()}
    assert found == {"line-ends": (2, 30), "encoding": (5, 3), "null": (5, 8)}
    monkeypatch.setattr(tbf_scan, "LONG", 40)
    (long,) = open_tbf(ONE.replace(b"ran", b"ran" * 9)).remarks.values()
    assert (long.line, long.message) == (2, f"a line of {len(MENTION) + 24} bytes")


def test_every_kind_of_source(tmp_path: Path, make_pipe) -> None:
    data = ONE * 3 + ONE.replace(b" d\n", b" e\n")
    plain, packed, pipe = tmp_path / "a.tbf", tmp_path / "a.tbf.gz", tmp_path / "pipe"
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data))
    make_pipe(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    sources = [data, gzip.compress(data), plain, str(plain), packed, io.BytesIO(data), pipe]
    read = [open_tbf(source) for source in sources]
    writer.join()
    for file in read:
        assert file.digest == hashlib.sha256(data).hexdigest()
        assert (file.ids, len(file), "d" in file, "x" in file) == (["d", "e"], 2, True, False)
        assert [document.nuggets[0].line for document in file] == [8, 11]
        file.close()


def test_damage(tmp_path: Path) -> None:
    packed = gzip.compress(ONE * 1000)
    for broken, words in ((packed[:-20], "ends too early"), (packed[:40] + b"xxxx" + packed[44:], "damaged|CRC|ends")):
        with pytest.raises(FormatError, match=words):
            open_tbf(broken, name="a.tbf.gz")
    with pytest.raises(UsageError, match="no such file"):
        open_tbf(tmp_path / "none")
    with pytest.raises(UsageError, match="folder"):
        open_tbf(tmp_path)


def test_very_long_lines() -> None:
    for line in (
        b"x" * 4_000_000,
        b"#EndOfDocument" * 300_000,
        b" " * 4_000_000,
        b"\t" * 4_000_000,
        b"x\t" * 2_000_000,
    ):
        data = b"#BeginOfDocument d\n." + line + b"\n#EndOfDocument\n"
        file = open_tbf(data)
        assert file.ids == ["d"]
        assert sum(len(str(problem)) for problem in file.read("d").problems) < 400
    assert len(str(open_tbf(b"#BeginOfDocument" + b"d" * 4_000_000).notes[0])) < 400


# Writing.

NAMES = st.text("abE19_-é", min_size=1, max_size=4)
TEXTS = st.text("ab é'\"#@,", max_size=8)
TYPES = st.text("Ab_-é ", max_size=5)


@st.composite
def written(draw: st.DrawFn, mode: str) -> list[NuggetDocument]:
    found = []
    for id in draw(st.lists(NAMES, max_size=3, unique=True)):
        nuggets = []
        for _ in range(draw(st.integers(0, 4))):
            tokens, pieces = (), ()
            if mode == "token":
                tokens = tuple(draw(st.lists(st.sampled_from(["t1", "t2", "7"]), min_size=1, max_size=3)))
            else:
                numbers = st.tuples(st.integers(0, 99), st.integers(0, 99))
                pieces = tuple(draw(st.lists(numbers, min_size=1, max_size=3)))
            confidence = tuple(draw(st.lists(st.sampled_from(["1", "0.5"]), max_size=3)))
            realis = draw(st.sampled_from(["Actual", "Other"]))
            names = draw(NAMES), draw(TYPES), realis, draw(TEXTS)
            nuggets.append(Nugget(*names, tokens, pieces, confidence, draw(NAMES)))
        members = st.lists(NAMES, min_size=2, max_size=2).map(tuple)
        kinds = st.sampled_from(["Coreference", "After", "Else"])
        relations = draw(st.lists(st.builds(Relation, kinds, NAMES, members, st.just(0)), max_size=3))
        found.append(NuggetDocument(id, nuggets, relations))
    return found


def bare(documents: list[NuggetDocument]) -> list[NuggetDocument]:
    return [
        NuggetDocument(
            each.id, [n._replace(line=0) for n in each.nuggets], [r._replace(line=0) for r in each.relations]
        )
        for each in documents
    ]


@pytest.mark.parametrize("mode", ["token", "char"])
def test_what_is_written_is_read_back(mode: str) -> None:
    @settings(max_examples=budget(25))
    @given(written(mode))
    def check(given_documents: list[NuggetDocument]) -> None:
        text = write_tbf(given_documents)
        assert bare(read_tbf(text.encode(), mode)) == given_documents  # type: ignore[arg-type]
        assert write_tbf(read_tbf(text.encode(), mode)) == text  # type: ignore[arg-type]

    check()


def test_line_breaks_in_a_mention_become_blanks() -> None:
    nugget = Nugget("E1", "T", "Actual", "a\tb\r\nc", pieces=((0, 5),))
    assert "\ta b  c\t" in write_tbf([NuggetDocument("d", [nugget])])
    assert write_tbf([NuggetDocument("d", [nugget])]).startswith("#BeginOfDocument d\nsystem\td\tE1\t0,5\t")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": "E\t1"}, "mention id 'E\\\\t1'"),
        ({"type": "a\nb"}, "type"),
        ({"tokens": ("a,b",)}, "token id 'a,b'"),
        ({"tokens": ()}, "neither tokens nor characters"),
        ({"pieces": ((1, 2),)}, "tokens and characters"),
        ({"realis": ""}, "realis ''"),
        ({"confidence": ("",)}, "empty column"),
        ({"system": "#s"}, "comment"),
        ({"system": " s"}, "system id ' s'"),
    ],
)
def test_what_would_not_be_read_back_is_refused(changes: dict[str, object], words: str) -> None:
    nugget = Nugget("E1", "T", "Actual", "x", ("t1",), system="s", line=7)._replace(**changes)  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match=words) as raised:
        write_tbf([NuggetDocument("d", [nugget])], path="a.ann")
    assert str(raised.value).startswith("a.ann:7: ")


def test_names_that_would_not_be_read_back_are_refused() -> None:
    for document in (
        NuggetDocument(""),
        NuggetDocument("a\nb"),
        NuggetDocument(" a"),
        NuggetDocument("a", [], [Relation("Coreference", "", ("a", "b"))]),
        NuggetDocument("a", [], [Relation("Coreference", "R1", ("a,c", "b"))]),
    ):
        with pytest.raises(ValidationError):
            write_tbf([document])


def test_shared_examples(conformance: Path) -> None:
    edge = conformance / "conformance" / "nugget" / "edge"
    for path in sorted(edge.glob("*.tbf")):
        data = path.read_bytes()
        if path.name not in ("bad_relation_fields.sys.tbf", "too_few_fields.sys.tbf"):
            assert documents(data) == slow_documents(data)
    assert [len(document.nuggets) for document in read_tbf(edge / "missing_eod.sys.tbf")] == [2]
    assert read_tbf(edge / "missing_last_eod.sys.tbf") == []
    for name in ("bad_relation_fields.sys.tbf", "too_few_fields.sys.tbf"):
        with pytest.raises(FormatError):
            read_tbf(edge / name)


def test_the_mode_by_the_first_lines(tmp_path: Path) -> None:
    line, path = "s\td\tE1\t{}\tw\tA\tX\n", tmp_path / "a.tbf"
    for place in ("4,8", "t1,t2"):
        own, other = line.format(place), line.format("t9")
        for text in (own * 3, own * 1001 + other * 100_000, "", "x" * (1 << 21)):
            path.write_text(f"#BeginOfDocument d\n{text}#EndOfDocument\n")
            assert file_mode(path) == open_tbf(path).mode
    assert file_mode(tmp_path / "none.tbf") is None


PLACES = st.sampled_from(
    ["4,8", "04,8", "4, 8", "8,4", "4,8;13,16", "4,8,9", "4", "x,8", "1_0,20", "٤,8", "7" * 16 + ",8"]
)


@given(
    st.lists(
        st.builds(
            "\t".join,
            st.tuples(st.sampled_from(["s", "#s", " s", ""]), st.just("d"), st.sampled_from(["E1", "E2", "a@b"])),
        ).flatmap(
            lambda head: st.builds(
                lambda place, rest: f"{head}\t{place}\t{rest}",
                PLACES,
                st.sampled_from(
                    ["ran\tA\tActual"] * 6 + ["ran\tA\tActual ", "a\nb\tA\tActual", "ran\tA\tActual\t0.5", "ran\tA"]
                ),
            )
        )
        | st.sampled_from(
            ["@Coreference\tR1\tE1,E2"] * 3 + ["@After\tR2\tE1,E2", "@Coreference\tR1\tE1 ", "@ Coreference\tR1\t"]
        ),
        max_size=5,
    )
)
@settings(max_examples=budget(100))
def test_columns_say_what_the_lines_say(lines):
    text = "\n".join(["#BeginOfDocument d", *lines, ""])
    columns = parse_columns(text, 1, "char", "a.tbf")
    nuggets, relations = parse_lines(text, 1, "char", "a.tbf", problems := [])
    if columns is None:
        return
    found, clusters = columns
    assert not problems
    assert list(zip(found.ids, found.types, found.realis, strict=True)) == [(n.id, n.type, n.realis) for n in nuggets]
    assert [(each,) if found.kind == "piece" else each for each in found.places] == [each.pieces for each in nuggets]
    assert found.system == nuggets[0].system
    assert [tuple(each) for each in getattr(clusters, "members", ())] == [each.arguments for each in relations]


def test_lines_that_are_all_alike_are_read_in_columns():
    lines = "\n".join(f"s\td\tE{n}\t{n},{n + 3}\tran\tA\tActual" for n in range(3))
    text = f"#BeginOfDocument d\n{lines}\n@Coreference\tR1\tE1,E2\n"
    assert parse_columns(text, 1, "char", "a.tbf") is not None
    assert parse_columns(text.replace("E1", "a@b"), 1, "token", "a.tbf") is not None
