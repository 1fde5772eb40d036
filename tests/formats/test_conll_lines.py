"""Two ways to find the lines that need a look."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.formats import conll
from adjudge.formats.conll import _tab_lines, _tab_lines_at_once, read_conll

LINES = st.lists(
    st.sampled_from([b"", b"-", b"\t-", b"a\t-", b"a\t(1)", b"a\t-\r", b"a-", b" ", b"a\t(1)-", b"\t", b"x\t1)"]),
    min_size=1,
)


@settings(max_examples=500)
@given(LINES)
def test_all_at_once_is_line_by_line(lines):
    block = b"\n".join(lines)
    if b"\t" in block:
        assert list(_tab_lines_at_once(block, np)) == list(_tab_lines(block))


def test_a_large_file_is_read_alike(tmp_path, monkeypatch):
    path = tmp_path / "a.conll"
    path.write_bytes(b"#begin document (a)\n\nx\t(1\n\ny\t-\nz\t(2)|1)\t\n\n#end document\n" * 3)
    read = []
    for large in (10**9, 10):
        for module in (None, np):
            monkeypatch.setattr(conll, "_LARGE", large)
            monkeypatch.setattr(conll, "sys", type("Sys", (), {"modules": {"numpy": np} if module else {}}))
            assert (conll._numpy(path) is np) is (module is not None or large == 10)
            read.append(read_conll(path))
    assert all(
        each.documents[0].chains == read[0].documents[0].chains and each.documents[0].tokens == 3 for each in read
    )
