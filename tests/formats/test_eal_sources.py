"""Source documents found by their ids, and offsets in units."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import FormatError, UsageError
from adjudge.formats.eal_sources import Sources, in_units
from adjudge.model.eal import Span


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "nw").mkdir()
    (tmp_path / "nw" / "a.sgm").write_bytes(b"\xef\xbb\xbfone\r\n")
    (tmp_path / "b").write_text("plain")
    (tmp_path / "b.txt").write_text("with an ending")
    (tmp_path / "c.1.cmp.txt").write_text("c")
    (tmp_path / ".hidden").write_text("")
    sources = Sources(tmp_path)
    assert sources.text("a") == sources.text("a.sgm") == "\ufeffone\r\n"
    assert (sources.text("b"), sources.text("b.txt"), sources.text("c.1")) == ("plain", "with an ending", "c")
    assert "c" not in sources
    assert ".hidden" not in sources
    assert sources.place("a") == str(tmp_path / "nw" / "a.sgm")
    with pytest.raises(UsageError, match="there is no source document 'd'"):
        sources.text("d")


def test_two_files_for_one_document(tmp_path: Path) -> None:
    for name in ("a.txt", "a.xml"):
        (tmp_path / name).write_text(name)
    with pytest.raises(UsageError, match="leave one of them"):
        Sources(tmp_path).text("a")


def test_the_rule_is_in_the_error(tmp_path: Path) -> None:
    for name in ("a.ann", "b.story", "c.TXT", "c.txt~", "#c#"):
        (tmp_path / name).write_text(name)
    sources = Sources(tmp_path)
    assert (sources.text("b"), sources.text("c")) == ("b.story", "c.TXT")
    with pytest.raises(
        UsageError, match=r"a.ann is not read: its file is called a, or a with one of .txt, .text, .xml"
    ):
        sources.text("a")
    with pytest.raises(UsageError, match=r"no source document 'x', its file is called x, or x with one of .txt, "):
        sources.text("x")
    (tmp_path / "map").write_text("b\tb.story\n")
    with pytest.raises(UsageError, match="add a line with longer, a TAB and the path of its text"):
        Sources(tmp_path / "map").text("longer")


def test_an_id_for_each_text(tmp_path: Path) -> None:
    for name in ("a.txt", "a.ann", "b.mpdf.xml", "c.nw", "README"):
        (tmp_path / name).write_text(name)
    assert Sources(tmp_path).one_each() == ["a", "b", "c"]
    assert Sources(tmp_path).one_each({"c.nw", "b.mpdf"}) == ["a", "b.mpdf", "c.nw"]
    other = tmp_path / "other"
    other.mkdir()
    for name in ("A.1", "A.2", "B", "B.ann"):
        (other / name).write_text(name)
    assert Sources(other).one_each() == ["A.1", "A.2", "B"]


def test_a_list(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("text")
    (tmp_path / "map").write_text("# comment\n\na\tx.txt\na\tx.txt\n")
    assert Sources(tmp_path / "map").text("a") == "text"
    assert Sources(str(tmp_path / "map")).documents == ["a"]
    (tmp_path / "map").write_text("a x.txt\n\tx\n")
    with pytest.raises(FormatError) as caught:
        Sources(tmp_path / "map")
    assert [problem.line for problem in caught.value.problems] == [1, 2]


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for name in ("none", "nu\0ll"):
        with pytest.raises(UsageError, match="cannot be read"):
            Sources(tmp_path / name)
    (tmp_path / "a").write_bytes(b"x\ny\xff")
    with pytest.raises(FormatError, match="a:2:2: the byte 0xff is not UTF-8"):
        Sources(tmp_path).text("a")


@given(st.text(alphabet="aé\U0001f600", min_size=1, max_size=12), st.data())
def test_units_against_encoding(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start, len(text) - 1))
    (span,) = in_units(text, [Span(start, end)], "utf-16")
    assert text.encode("utf-16-le")[2 * span.start : 2 * span.end + 2].decode("utf-16-le") == text[start : end + 1]
    assert in_units(text, [Span(start, end)], "code-points") == (Span(start, end),)
