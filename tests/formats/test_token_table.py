"""Token tables in their three dialects."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import FormatError, ValidationError
from adjudge.formats.token_table import find_table, read_table, scan_table, write_table
from adjudge.model.nugget import Token, TokenTable


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, list[tuple[str, int, int]]]:
    """A text and its words."""
    words = draw(st.lists(st.text("abcé.𝄞", min_size=1, max_size=5), min_size=1, max_size=8))
    rows, at = [], 0
    for word in words:
        at += draw(st.integers(0, 3))
        rows.append((word, at, at + len(word)))
        at += len(word)
    return " ".join(words), rows


@given(texts(), st.sampled_from(["", "t"]), st.integers(0, 1), st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_dialects(
    text: tuple[str, list[tuple[str, int, int]]], letter: str, first: int, inclusive: bool, end: str
) -> None:
    rows = text[1]
    lines = [f"{letter}{n}\t{word}\t{a}\t{b - inclusive}" for n, (word, a, b) in enumerate(rows, first)]
    table = read_table((end.join(lines) + end).encode(), "d")
    assert [(token.text, token.begin, token.end) for token in table.tokens] == rows
    assert [token.id for token in table.tokens] == [f"{letter}{n}" for n in range(first, first + len(rows))]
    assert [token.line for token in table.tokens] == list(range(1, len(rows) + 1))
    assert read_table(write_table(table).encode(), "d").tokens == table.tokens
    assert table.document == "d"


def test_most_tokens_decide_where_ends_are() -> None:
    rows = "t1\tIt\t0\t1\nt2\tan emoji\t3\t11\nt3\tran\t12\t14\n"
    assert [token.end for token in read_table(rows.encode(), "d").tokens] == [2, 12, 15]
    assert [token.end for token in read_table(b"t1\tIt\t0\t2\nt2\tx\t3\t3\nt3\tran\t4\t7\n", "d").tokens] == [2, 3, 7]


def test_a_header_is_tolerated_and_noted() -> None:
    data = b"\xef\xbb\xbftoken_id\ttoken_str\ttkn_begin\ttkn_end\n1\tIt\t386\t388\n"
    table, findings = scan_table(data, "d", name="d.tab")
    assert [token.id for token in table.tokens] == ["1"]
    assert [(finding.kind, finding.error, str(finding.problem)) for finding in findings] == [
        ("table-header", False, "d.tab:1:1: the first line is read as a header, remove it")
    ]
    assert read_table(data, "d") == TokenTable("d", [Token("1", "It", 386, 388, 2)], "<bytes>")


@pytest.mark.parametrize(
    ("data", "kind", "line", "column", "error"),
    [
        (b"1\ta\t0\t1\n2\tb\t2\n", "table-row", 2, 1, True),
        (b"1\ta\t0\t1\n2\tb\tx\t3\n", "table-row", 2, 5, True),
        (b"1\ta\t0\t1\n2\tb\t2\t-3\n", "table-row", 2, 7, True),
        (b"1\ta\t0\t1\n1\tb\t2\t3\n", "table-repeated", 2, 1, True),
        (b"1\ta\t5\t6\n2\tb\t2\t3\n", "table-order", 2, 1, False),
        (b"1\ta\t5\t4\n2\tb\t6\t7\n", "table-order", 1, 1, False),
        (b"1\t\xe4\t0\t1\n", "table-encoding", 1, 1, False),
        (b"", "table-empty", None, None, False),
        (b"\x1f\x8b\x08", "damaged", None, None, True),
    ],
)
def test_what_is_wrong(data: bytes, kind: str, line: int | None, column: int | None, error: bool) -> None:
    findings = scan_table(data, "d", name="d.tab")[1]
    assert (findings[0].kind, findings[0].error) == (kind, error)
    assert (findings[0].problem.line, findings[0].problem.column) == (line, column)
    if error:
        with pytest.raises(FormatError, match=r"d\.tab"):
            read_table(data, "d", name="d.tab")
    else:
        read_table(data, "d")


def test_writing() -> None:
    table = TokenTable("d", [Token("t1", "a\tb\nc", 0, 5), Token("t2", "", 5, 5)])
    assert write_table(table) == "t1\ta b c\t0\t5\nt2\t\t5\t5\n"
    for id in ("", "a,b", "a\tb"):
        with pytest.raises(ValidationError, match="token id"):
            write_table(TokenTable("d", [Token(id, "x", 0, 1)]))
    with pytest.raises(ValidationError, match="occurs twice"):
        write_table(TokenTable("d", [Token("1", "x", 0, 1), Token("1", "x", 2, 3)]))


def test_finding(tmp_path: Path) -> None:
    inside = tmp_path / "tables"
    inside.mkdir()
    (inside / "d.tab").touch()
    (inside / "d.txt.tab").touch()
    (tmp_path / "d.tab").touch()
    assert find_table(inside, "d") == inside / "d.tab"
    assert find_table(inside, "d", suffix=".txt.tab") == inside / "d.txt.tab"
    for name in ("e", "../d", "", "/d", "a\0b", "x" * 5000, str(tmp_path / "d")):
        assert find_table(inside, name) is None


def test_shared_examples(conformance: Path) -> None:
    folder = conformance / "conformance" / "nugget"
    inclusive = read_table(folder / "data" / "scoring_demo" / "token_based" / "tkn" / "example2.tab", "example2")
    assert len(inclusive.tokens) == 1269
    assert inclusive.tokens[0] == Token("t0", "<post", 0, 5, 1)
    exclusive = read_table(folder / "data" / "test_cases" / "conll_tests" / "tkn" / "doc1.tab", "doc1")
    assert exclusive.tokens[2] == Token("t3", "another", 8, 15, 3)
