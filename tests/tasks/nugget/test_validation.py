"""What the validator finds, where, and what it suggests."""

import gzip
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.findings import Findings
from adjudge.formats.tbf import open_tbf
from adjudge.tasks.nugget.validation import read_types, validate
from adjudge.tasks.nugget.validation_relations import find_circles
from problems import budget

TABLE = "t1\tShe\t0\t3\nt2\tgot\t4\t7\nt3\tmarried\t8\t15\nt4\tand\t16\t19\nt5\tleft\t20\t24\nt6\t.\t24\t25\n"
TEXT = "She got married and left."
GOOD = [
    "s\td\tE1\tt2,t3\tgot married\tLife_Marry\tActual\t0.5\t1\t0",
    "s\td\tE2\tt5\tleft\tMovement_Transport-Person\tOther",
    "@Coreference\tR1\tE1,E2",
    "@After\tR2\tE1,E2",
]
CHARS = [
    "s\td\tE1\t4,15\tgot married\tLife_Marry\tActual",
    "s\td\tE2\t20,24\tleft\tMovement_Transport-Person\tOther",
]


def made(lines: list[str], document: str = "d") -> bytes:
    return "\n".join([f"#BeginOfDocument {document}", *lines, "#EndOfDocument", ""]).encode()


def changed(number: int, old: str, new: str, lines: list[str] = GOOD) -> bytes:
    """The good file with one change; the line numbers are those of the file."""
    assert old in lines[number - 2]
    return made([line.replace(old, new, 1) if at == number else line for at, line in enumerate(lines, 2)])


def kinds(report: Findings) -> list[tuple[str, bool, int | None, int | None]]:
    return [(each.kind, each.error, each.problem.line, each.problem.column) for each in report.findings]


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    (tmp_path / "d.tab").write_text(TABLE)
    (tmp_path / "d.txt").write_text(TEXT)
    return tmp_path


def test_nothing_is_wrong(tables: Path) -> None:
    lines = [line for line in GOOD if not line.startswith("@After")]
    report = validate(made(lines), tables=tables, texts=tables, types=read_types("2015"), documents=["d"])
    assert (report.findings, report.place, report.facts) == ([], "<bytes>", {"mode": "token", "without_mentions": 0})
    assert report.contents == {"document": 1, "mention": 2, "cluster": 1, "other relation": 0}
    sizes = {"d": len(TEXT)}
    report = validate(made(CHARS), texts=tables, sizes=sizes, types=read_types("2015"), documents=["d"])
    assert (report.findings, report.facts["mode"]) == ([], "char")
    empty = validate(made([]), tables=tables)
    assert (empty.findings, empty.contents["mention"], empty.facts["without_mentions"]) == ([], 0, 1)


TWIN = GOOD[1].replace("E2", "E3").replace("Other", "Actual")
E, W = True, False
TOKEN_CASES: list[tuple[bytes, list[tuple[str, bool, int, int]]]] = [
    # Columns.
    (changed(2, "\tActual\t0.5\t1\t0", ""), [("columns", E, 2, 1)]),
    (changed(2, "s\td\t", "d\t").replace(b"\t0.5\t1\t0", b""), [("columns", E, 2, 1)]),
    (
        changed(3, "s\td\tE2\t", "  \ts   d   E2"),
        [("columns", E, 3, 4), ("unknown-mention", E, 4, 20), ("unknown-mention", E, 5, 14)],
    ),
    (
        changed(2, "\t0.5", "\thigh\tnan"),
        [("confidence", W, 2, 44), ("confidence", W, 2, 49), ("extra-columns", W, 2, 55)],
    ),
    (changed(3, "s\t", "other\t"), [("system-id", W, 3, 1)]),
    (changed(3, "\td\t", "\te\t"), [("document-column", E, 3, 3)]),
    # Ids.
    (changed(3, "E2", "E1"), [("repeated-id", E, 3, 5), ("unknown-mention", E, 4, 20), ("unknown-mention", E, 5, 14)]),
    (changed(3, "E2", " "), [("mention-id", E, 3, 5), ("unknown-mention", E, 4, 20), ("unknown-mention", E, 5, 14)]),
    (changed(3, "E2", "E,2"), [("mention-id", E, 3, 5), ("unknown-mention", E, 4, 20), ("unknown-mention", E, 5, 14)]),
    # Tokens.
    (changed(2, "t2,t3", "t2,t30"), [("unknown-token", E, 2, 11)]),
    (changed(2, "t2,t3", "2,t3"), [("unknown-token", E, 2, 8)]),
    (changed(2, "t2,t3", "t2, t3"), [("unknown-token", E, 2, 11)]),
    (changed(2, "t2,t3", "t2,,t3"), [("token-id", E, 2, 11)]),
    (changed(2, "t2,t3", ""), [("token-id", E, 2, 8)]),
    (
        changed(2, "t2,t3", "4,8;13,16"),
        [("unknown-token", E, 2, 8), ("token-id", E, 2, 10), ("unknown-token", E, 2, 15)],
    ),
    (changed(2, "t2,t3\tgot married", "t3,t2\tmarried got"), [("token-order", W, 2, 8)]),
    (changed(2, "t2,t3\tgot married", "t3,t2\tgot married"), [("token-order", W, 2, 8)]),
    (changed(2, "t2,t3\tgot married", "t2,t3\tmarried got"), [("text", W, 2, 14)]),
    (changed(2, "t2,t3\tgot married", "t2,t2\tgot got"), [("token-repeated", W, 2, 8)]),
    (changed(2, "t2,t3\tgot married", "t2,t4\tgot married and"), []),
    (changed(2, "got married", "was married"), [("text", W, 2, 14)]),
    (changed(2, "got married", ""), [("text", W, 2, 14)]),
    # Types and realis.
    (changed(2, "Life_Marry", "Life_Mary"), [("unknown-type", E, 2, 26)]),
    (changed(2, "Life_Marry", "life marry"), []),
    (changed(2, "Life_Marry", ""), [("type", E, 2, 26)]),
    (changed(2, "Life_Marry", "结婚"), [("type", E, 2, 26)]),
    (changed(2, "Actual", "Past"), [("realis", E, 2, 37)]),
    (changed(2, "Actual", "GENERIC"), []),
    (changed(2, "Actual", "NOT_ANNOTATED"), [("no-realis", W, 2, 37)]),
    # Relations.
    (changed(4, "R1", ""), [("relation-id", E, 4, 14)]),
    (changed(4, "R1", "R 1"), [("relation-id", E, 4, 14)]),
    (changed(4, "R1\t", ""), [("relation-columns", E, 4, 1)]),
    (changed(4, "E1,E2", "E1\tE2"), [("relation-columns", E, 4, 1)]),
    (changed(4, "E1,E2", "E1,E3"), [("unknown-mention", E, 4, 20)]),
    (changed(4, "E1,E2", "E1, E2"), [("unknown-mention", E, 4, 20)]),
    (changed(4, "E1,E2", "E1,,E2"), [("argument", E, 4, 20)]),
    (changed(4, "E1,E2", "E1"), [("one-member", W, 4, 17)]),
    (changed(4, "E1,E2", "E1,E2,E1"), [("repeated-argument", W, 4, 23)]),
    (changed(4, "Coreference", "Coref"), [("relation-name", W, 4, 1)]),
    (changed(5, "E1,E2", "E1"), [("link-arguments", E, 5, 11)]),
    (changed(5, "E1,E2", "E1,E2,E2"), [("repeated-argument", W, 5, 17), ("link-arguments", E, 5, 11)]),
    (changed(5, "E1,E2", "E1,E1"), [("repeated-argument", W, 5, 14), ("self-link", E, 5, 11)]),
    (made([*GOOD[:2], GOOD[3], GOOD[3]]), [("repeated-link", W, 5, 11)]),
    (made([*GOOD[:2], GOOD[3], "@After\tR3\tE2,E1"]), [("both-ways", E, 5, 11)]),
    (made([*GOOD[:2], GOOD[3], "@Subevent\tR3\tE2,E1"]), []),
    (made([GOOD[0], "@Else\tR1\tE1", GOOD[1]]), [("relation-name", W, 3, 1), ("order", W, 4, 1)]),
    # Mentions together.
    (made([*GOOD[:2], GOOD[1].replace("E2", "E3")]), [("duplicate", W, 4, 1)]),
    (made([*GOOD[:2], TWIN]), []),
    (made([*GOOD[:2], TWIN, "@Coreference\tR\tE2,E3"]), [("same-place", E, 5, 19)]),
]


@pytest.mark.parametrize(("data", "expected"), TOKEN_CASES)
def test_lines_with_tokens(tables: Path, data: bytes, expected: list[Any]) -> None:
    report = validate(data, tables=tables, types=read_types("2015"), documents=["d"])
    cluster = ("link-in-cluster", W, 5, 11)  # of the good file itself
    assert sorted(each for each in kinds(report) if each != cluster) == sorted(expected)
    assert report.errors == sum(each.error for each in report.findings)
    assert report.warnings == sum(not each.error for each in report.findings)
    assert all(each.problem.hint and each.document == "d" for each in report.findings)


CHAR_CASES: list[tuple[bytes, list[tuple[str, bool, int, int]]]] = [
    (changed(2, "4,15", "4,7;8,15", CHARS), []),
    (changed(2, "4,15\tgot married", "4,7;20,24\tgot left", CHARS), []),
    (changed(2, "4,15\tgot married", "4,7;20,24\tgot married and left", CHARS), []),
    (changed(2, "4,15", "8,15;4,7", CHARS), [("piece-order", W, 2, 8)]),
    (changed(2, "4,15", "4,10;8,15", CHARS), [("overlapping-pieces", E, 2, 8)]),
    (changed(2, "4,15", "15,4", CHARS), [("offsets", E, 2, 8)]),
    (changed(2, "4,15", "4,4", CHARS), [("offsets", E, 2, 8)]),
    (changed(2, "4,15", "-4,15", CHARS), [("offsets", E, 2, 8)]),
    (changed(2, "4,15", "4", CHARS), [("offsets", E, 2, 8)]),
    (changed(2, "4,15", "t4,t5", CHARS), [("offsets", E, 2, 8)]),
    (changed(2, "4,15", "4,15,16", CHARS), [("offsets", E, 2, 8)]),
    (changed(2, "4,15", "4," + "9" * 30, CHARS), [("offsets", E, 2, 8)]),
    (changed(2, "4,15", "4,26", CHARS), [("outside-text", E, 2, 8)]),
    (changed(2, "4,15", "4,25", CHARS), [("text", W, 2, 13)]),
    (changed(2, "4,15", "5,16", CHARS), [("text", W, 2, 13)]),
]


@pytest.mark.parametrize(("data", "expected"), CHAR_CASES)
def test_lines_with_characters(tables: Path, data: bytes, expected: list[Any]) -> None:
    assert kinds(validate(data, texts=tables, mode="char")) == expected


def test_sizes_instead_of_texts() -> None:
    data = changed(3, "20,24", "20,26", CHARS)
    assert kinds(validate(data, sizes={"d": 25})) == [("outside-text", E, 3, 8)]
    assert kinds(validate(data, sizes={"d": 26})) == []
    assert kinds(validate(data, sizes={"e": 26})) == [("no-size", E, 1, 1)]


def test_offsets_in_other_units(tmp_path: Path) -> None:
    text = "𝄞 é he left"
    (tmp_path / "d.txt").write_text(text)
    for width, begin in (("utf-16-le", 8), ("utf-8", 11)):
        end = begin + 4
        size = 2 if width == "utf-16-le" else 1
        assert text.encode(width)[begin * size : end * size].decode(width) == "left"
        line = f"s\td\tE1\t{begin},{end}\tleft\tMovement\tActual"
        report = validate(made([line]), texts=tmp_path)
        if end <= len(text):
            assert kinds(report) == [("offset-unit", E, 2, 8)]
        else:
            assert kinds(report) == [("outside-text", E, 2, 8)]
    (tmp_path / "d.txt").write_text(text + " long after that")
    report = validate(made(["s\td\tE1\t11,15\tleft\tMovement\tActual"]), texts=tmp_path)
    assert "fits if offsets count bytes" in report.findings[0].problem.message


def test_a_broken_closure_comes_with_the_line_to_write() -> None:
    mentions = [f"s\td\tE{n}\tt{n}\tx\tLife_Die\tActual" for n in range(1, 8)]
    clusters = ["R1\tE1,E2", "R2\tE5,E6", "R3\tE2,E3", "R4\tE4,E3", "R5\tE6,E7"]
    report = validate(made([*mentions, *[f"@Coreference\t{each}" for each in clusters]]))
    assert [(each.kind, each.problem.line, each.problem.column) for each in report.findings] == [
        ("closure", 11, 17),
        ("closure", 13, 17),
    ]
    fixes = [each.fix for each in report.findings]
    assert fixes == ["@Coreference\tR1\tE1,E2,E3,E4", "@Coreference\tR2\tE5,E6,E7"]
    assert "lines 9, 11, 12 are one cluster" in report.findings[0].problem.message
    assert validate(made([*mentions, *[str(fix) for fix in fixes]])).findings == []


@settings(max_examples=budget(30))
@given(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=3), max_size=6))
def test_suggested_lines_mend_any_closure(clusters: list[list[int]]) -> None:
    mentions = [f"s\td\tE{n}\tt{n}\tx\tLife_Die\tActual" for n in range(10)]
    lines = [f"@Coreference\tR\t{','.join(f'E{n}' for n in each)}" for each in clusters]
    report = validate(made([*mentions, *lines]), limit=0)
    parts: list[set[int]] = []  # the obvious way
    for each in clusters:
        touched = [part for part in parts if part & set(each)]
        parts = [part for part in parts if part not in touched] + [set(each).union(*touched)]
    found = [each.fix for each in report.findings if each.kind == "closure"]
    sizes = [sum(set(each) <= part for each in clusters) for part in parts]
    assert len(found) == sum(size > 1 for size in sizes)
    for fix in found:
        members = {int(name[1:]) for name in str(fix).split("\t")[2].split(",")} if fix else set()
        assert not fix or members in parts
    for part in parts:
        if len(part) > 1:
            mended = ",".join(f"E{n}" for n in sorted(part))
            assert validate(made([*mentions, f"@Coreference\tR\t{mended}"])).errors == 0


def test_circles() -> None:
    mentions = [f"s\td\tE{n}\tt{n}\tx\tLife_Die\tActual" for n in range(1, 7)]
    links = ["@After\tA1\tE1,E2", "@After\tA2\tE2,E3", "@After\tA3\tE3,E1", "@After\tA4\tE4,E5"]
    report = validate(made([*mentions, *links]))
    assert kinds(report) == [("circle", E, 10, 11)]
    assert report.findings[0].problem.message == "After forms a cycle: E1 -> E2 -> E3 -> E1"
    assert report.findings[0].problem.hint == "remove one of lines 8, 9, 10"
    # A cluster is one event, so a circle may go through it.
    report = validate(made([*mentions, "@Coreference\tR\tE3,E4", *links[:2], "@After\tA3\tE4,E1"]))
    assert kinds(report) == [("circle", E, 11, 11)]
    report = validate(made([*mentions, "@Coreference\tR\tE3,E4", "@After\tA\tE1,E3", "@After\tA\tE4,E1"]))
    assert kinds(report) == [("both-ways", E, 10, 10)]
    # One that goes both ways, and a circle of its own.
    report = validate(made([*mentions, *links, "@After\tA5\tE5,E4"]))
    assert sorted(each.kind for each in report.findings) == ["both-ways", "circle"]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: pair[0] != pair[1]), max_size=14))
def test_circles_are_those_of_the_graph(pairs: list[tuple[int, int]]) -> None:
    links = {(str(a), str(b)) for a, b in pairs}
    reach = set(links)
    for _ in range(7):
        reach |= {(a, d) for a, b in reach for c, d in links if b == c}
    looping = {a for a, b in reach if a == b}
    parts = {frozenset(b for b in looping if b == a or {(a, b), (b, a)} <= reach) for a in looping}
    circles = find_circles(sorted(links))
    assert len(circles) == len(parts)
    for circle in circles:
        assert set(circle) <= links
        assert [b for _, b in circle] == [a for a, _ in [*circle[1:], circle[0]]]
        assert len({a for a, _ in circle}) == len(circle)


def test_a_long_circle_and_a_long_chain() -> None:
    mentions = [f"s\td\tE{n}\tt{n}\tx\tLife_Die\tActual" for n in range(5000)]
    links = [f"@After\tA\tE{n},E{(n + 1) % 5000}" for n in range(5000)]
    report = validate(made([*mentions, *links]))
    assert [each.kind for each in report.findings] == ["circle"]
    assert len(str(report.findings[0].problem)) < 300
    chain = [f"@Coreference\tR\tE{n},E{n + 1}" for n in range(4999)]
    report = validate(made([*mentions, *chain]))
    assert [each.kind for each in report.findings] == ["closure"]
    assert str(report.findings[0].fix).count(",") == 4999


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", {"no-documents"}),
        (b"words\n", {"no-documents", "outside"}),
        (made(GOOD[:1])[:-15], {"missing-footer"}),
        (made(GOOD[:1])[:-15] + made([], "e"), {"missing-footer"}),
        (made(GOOD[:1]) * 2, {"repeated-document"}),
        (made(GOOD[:1]) + GOOD[1].encode(), {"outside"}),
        (made(GOOD[:1]) + b"#EndOfDocument\n", {"missing-header"}),
        (made(["s\t\tE1\tt1\tx\tT\tActual"], ""), {"no-id"}),
        (b"\xef\xbb\xbf" + made(GOOD[:1]), {"byte-order-mark"}),
        (made(GOOD[:1]).decode().encode("utf-16"), {"utf-16", "outside", "no-documents"}),
        (made(GOOD[:1]).replace(b"\n", b"\r\n"), {"line-ends"}),
        (made(GOOD[:1]).replace(b"\n", b"\r"), {"line-ends", "missing-footer"}),
        (made(GOOD[:1]).replace(b"got", b"g\xf6t"), {"encoding"}),
        (made(GOOD[:1]).replace(b"got", b"g\0t"), {"null"}),
        (gzip.compress(made(GOOD[:1]), mtime=0), set()),
        (gzip.compress(made(GOOD[:1]), mtime=0)[:-9], {"damaged"}),
        (random.Random(1).randbytes(5000), {"outside", "no-documents"}),
    ],
)
def test_structure_and_bytes(data: bytes, expected: set[str]) -> None:
    report = validate(data)
    assert {each.kind for each in report.findings} == expected
    assert all(each.problem.hint for each in report.findings)


def test_lines_of_documents_that_do_not_count_are_checked() -> None:
    wrong = made(["words"])
    assert [each.kind for each in validate(wrong + made(GOOD[:1])).findings] == ["columns", "repeated-document"]
    assert [each.kind for each in validate(wrong[:-15]).findings] == ["missing-footer", "columns"]


def test_documents() -> None:
    data = made(GOOD[:1]) + made([], "NYT_001")
    report = validate(data, documents=["d", "NYT_002", "e"])
    assert [(each.kind, each.problem.line, each.document) for each in report.findings] == [
        ("missing-document", None, "NYT_002"),
        ("missing-document", None, "e"),
        ("unknown-document", 4, "NYT_001"),
    ]
    assert report.findings[2].problem.hint == "did you mean NYT_002?"
    open_ended = validate(data[:-15], documents=["d", "NYT_001"])
    assert [each.problem.hint for each in open_ended.findings if each.kind == "missing-document"] == [
        "write its footer"
    ]


@given(st.lists(st.tuples(*(st.integers(0, 3) for _ in range(4))), max_size=6), st.randoms(use_true_random=False))
def test_every_given_nugget_and_every_copy_has_one_fate(rows: list[tuple[int, ...]], draw: random.Random) -> None:
    def lines(given: list[tuple[int, ...]]) -> bytes:
        return made([f"s\td\tE{a}\tt{b}\tword\tT{c}\t{('Actual', 'Other')[d % 2]}" for a, b, c, d in given])

    mine = [tuple(draw.choice([value, draw.randrange(4)]) for value in row) for row in rows if draw.random() < 0.8]
    report = validate(lines(mine), gold=open_tbf(lines(rows)), limit=0)
    gold = report.facts["gold"]
    found = gold["copied"] + gold["renamed"] + gold["changed"]
    assert (found + gold["missing"], found + gold["invented"]) == (len(rows), len(mine))
    counts = Counter(each.kind.removesuffix("-nugget") for each in report.findings)
    assert all(counts[fate] == gold[fate] for fate in ("renamed", "changed", "missing", "invented"))
    contents = [Counter((b, c, d % 2) for _, b, c, d in side) for side in (rows, mine)]
    assert gold["copied"] + gold["renamed"] == (contents[0] & contents[1]).total()
    shuffled = validate(lines(draw.sample(rows, len(rows))), gold=open_tbf(lines(rows)))
    assert shuffled.facts["gold"] == {**dict.fromkeys(gold, 0), "gold": len(rows), "copied": len(rows)}


def test_tables_that_are_not_there_or_wrong(tables: Path) -> None:
    other = made(GOOD[:2], "e").replace(b"s\td", b"s\te")
    (tables / "e.txt.tab").write_text(TABLE)
    report = validate(other, tables=tables)
    assert kinds(report) == [("no-table", E, 1, 1)]
    assert report.findings[0].problem.hint == "there is e.txt.tab: use --token-suffix .txt.tab"
    assert kinds(validate(other, tables=tables, suffix=".txt.tab")) == []
    (tables / "e.tab").write_text("".join(f"t{n}\tword\t{9 * n}\t{9 * n + 4}\n" for n in range(1, 9)))
    assert [each[0] for each in kinds(validate(other, tables=tables))] == ["misfit", "text", "text"]
    (tables / "e.tab").write_bytes(b"id\tstring\tbegin\tend\n1\tx\ty\tz\n\xff")
    report = validate(other, tables=tables)
    found = {(each.kind, each.problem.path) for each in report.findings}
    assert ("table-row", str(tables / "e.tab")) in found
    assert ("table-encoding", str(tables / "e.tab")) in found
    assert ("unknown-token", "<bytes>") in found
    outside = validate(made(["s\t../d\tE1\tt1\tShe\tLife_Die\tActual"], "../d"), tables=tables)
    assert [each.kind for each in outside.findings] == ["no-table"]


def test_tables_are_compared_with_texts(tables: Path) -> None:
    (tables / "d.txt").write_text("x" + TEXT)
    report = validate(made(GOOD[:2]), tables=tables, texts=tables)
    assert [(each.kind, each.problem.path) for each in report.findings] == [("table-text", str(tables / "d.tab"))]
    (tables / "d.txt").write_bytes(b"\xff")
    assert [each.kind for each in validate(made(CHARS), texts=tables).findings] == ["text-encoding"]
    (tables / "d.txt").unlink()
    assert [each.kind for each in validate(made(CHARS), texts=tables).findings] == ["no-text"]


def test_more_than_ten_unknown_relations() -> None:
    for count in (10, 11):
        report = validate(made([*GOOD[:2], *["@Coref\tR1\tE1,E2"] * count]))
        assert (report.errors, report.warnings) == (int(count > 10), count)


@pytest.mark.parametrize(
    "line",
    [
        "x" * 1_000_000,
        "s\td\tE1\t" + ",".join(f"t{n}" for n in range(60_000)) + "\tx\tLife_Die\tActual",
        "s\td\tE1\t" + "4,8;" * 100_000 + "\tx\tLife_Die\tActual",
        "s\td\tE1\tt1\tx\t" + "y" * 1_000_000 + "\t" + "z" * 1_000_000,
        "@Coreference\tR1\t" + ",".join(f"E{n}" for n in range(60_000)),
        "@" + "\t" * 1_000_000 + "x",
        "s\t" * 1_000_000 + "x",
    ],
    ids=["words", "tokens", "pieces", "type", "cluster", "relation", "columns"],
)
def test_very_long_lines(line: str, tables: Path) -> None:
    options: list[dict[str, Any]] = [{}, {"mode": "char"}, {"tables": tables, "types": read_types("2016")}]
    for more in options:
        report = validate(made([line]), **more)
        assert sum(len(str(each.problem)) for each in report.findings) < 20_000


def test_shared_examples_of_wrong_files(conformance: Path) -> None:
    folder = conformance / "conformance" / "nugget" / "data" / "test_cases" / "wrong_format_tests"
    expected = {
        "a_lot_wrong_relations.response": {"relation-names", "unknown-mention"},
        "correct_example.key": set(),
        "duplicate_mention_span_in_one_cluster.response": {"same-place"},
        "duplicated_mention_id.response": {"repeated-id"},
        "invented_mention.response": {"unknown-mention"},
        "loripsum": {"no-documents", "outside", "missing-document"},
        "miss_system_id.response": {"columns"},
        "no_docid.response": {"no-id", "document-column", "missing-document"},
        "no_header.response": {"no-documents", "outside", "missing-document"},
        "system_with_invented_token.response": {"unknown-token"},
        "transitive_not_resolved": {"closure"},
    }
    assert {path.stem for path in folder.glob("*.tbf")} == set(expected)
    for name, kinds_of_errors in expected.items():
        report = validate(folder / f"{name}.tbf", tables=folder / "tkn", documents=["example"])
        assert {each.kind for each in report.findings if each.error} == kinds_of_errors, name


def test_shared_examples_of_2016(conformance: Path) -> None:
    folder = conformance / "conformance" / "nugget" / "data" / "TAC_2016_validation_examples"
    listed = read_types(conformance / "conformance" / "nugget" / "TAC_KBP_eval_type_2016.txt")
    sizes = {"CMN_DF_000020_20110201_G00A0E8P9": 1000}
    expected = {
        "example": set(),
        "example_id": {"no-size"},
        "example_out": {"outside-text"},
        "example_type": {"unknown-type"},
    }
    for types in (listed, read_types("2016")):
        for name, kinds_of_errors in expected.items():
            report = validate(folder / f"{name}.tbf", types=types, sizes=sizes)
            assert {each.kind for each in report.findings} == kinds_of_errors


def test_shared_edge_cases(conformance: Path) -> None:
    edge = conformance / "conformance" / "nugget" / "edge"
    expected = {
        "bad_relation_fields.sys": {"relation-columns"},
        "coref_overlapping_clusters.sys": {"closure"},
        "coref_unknown_id.sys": {"unknown-mention"},
        "doc_column_ignored.sys": {"document-column"},
        "double_tag_same_type.gold": {"duplicate"},
        "dup_doc.sys": {"repeated-document"},
        "dup_tokens.sys": {"token-repeated"},
        "missing_eod.sys": {"missing-footer"},
        "missing_last_eod.sys": {"missing-footer"},
        "not_annotated_gold.gold": {"no-realis"},
        "not_annotated_sys.sys": {"no-realis"},
        "seq_three_cycle.sys": {"circle"},
        "seq_two_cycle.sys": {"both-ways"},
        "singleton_cluster_line.gold": {"one-member"},
        "sys_empty.sys": {"no-documents"},
        "too_few_fields.sys": {"columns"},
        "zero_length.gold": {"offsets"},
        "zero_length.sys": {"offsets"},
    }
    for path in sorted(edge.glob("*.tbf")):
        assert {each.kind for each in validate(path).findings} == expected.get(path.stem, set()), path.name
