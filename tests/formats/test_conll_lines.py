"""Several ways to find the lines that need a look."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.formats import conll
from adjudge.formats.conll import read_conll
from adjudge.formats.conll_odd import odd_lines
from adjudge.formats.conll_survey import Survey

LINES = st.lists(
    st.sampled_from([b"", b"-", b"\t-", b"a\t-", b"a\t(1)", b"a\t-\r", b"a-", b" ", b"a\t(1)-", b"\t", b"x\t1)"]),
    min_size=1,
)


def looked_at(odd):
    """Number among all lines, number among the tokens, and text of the lines that are not blank; how many lines."""
    found, line, token = [], 0, 0
    for skipped, blanks, column, piece in odd:
        line, token = line + skipped + blanks, token + skipped
        text = piece.rpartition(b"\n")[2]
        if text:
            found.append((line, token, text))
            token += 1
            assert column == text.rpartition(b"\t")[2] or column.rpartition(b"\n")[2] == text
        line += 1
    return found, line


@settings(max_examples=500)
@given(LINES)
def test_only_tokens_without_items_and_blank_lines_are_skipped(lines):
    block = b"\n".join(lines)
    if b"\t" not in block:
        return
    every = [(number, text) for number, text in enumerate(lines) if text]
    expected = [
        (number, token, text)
        for token, (number, text) in enumerate(every)
        if not text.endswith(b"\t-") or number == len(lines) - 1
    ]
    assert looked_at(odd_lines(block)) == (expected, len(lines))


@settings(max_examples=500)
@given(st.lists(LINES, min_size=1, max_size=5))
def test_all_at_once_is_line_by_line(parts):
    parts = [b"\n".join(lines) for lines in parts]
    block, survey, start = b"\n".join(parts), Survey(), 0
    for part in parts:
        odd = survey.odd_lines(block, start, start + len(part))
        if b"\t" in part:
            assert looked_at(odd) == looked_at(odd_lines(part))
        else:
            assert list(odd) == list(odd_lines(part))
        start += len(part) + 1


def test_a_large_file_is_read_alike(tmp_path, monkeypatch):
    path = tmp_path / "a.conll"
    path.write_bytes(b"#begin document (a)\n\nx\t(1\n\ny\t-\nz\t(2)|1)\t\n\n#end document\n" * 3)
    read = []
    for large in (10**9, 10):
        for module in (None, np):
            monkeypatch.setattr(conll, "_LARGE", large)
            monkeypatch.setattr(conll, "sys", type("Sys", (), {"modules": {"numpy": np} if module else {}}))
            assert (conll._survey(path) is None) is (module is None and large > 10)
            read.append(read_conll(path))
    assert all(
        each.documents[0].chains == read[0].documents[0].chains and each.documents[0].tokens == 3 for each in read
    )
