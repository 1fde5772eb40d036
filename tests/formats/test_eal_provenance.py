"""Who gave what: written and read back, document by document."""

from pathlib import Path

import pytest

from adjudge.errors import FormatError, UsageError
from adjudge.formats.eal_fields import sha1_id
from adjudge.formats.eal_sources import HEADER, format_provenance, read_provenance
from eal_responses import response


def test_to_and_fro(tmp_path: Path) -> None:
    bob, ann = response("Bob"), response("Ann")
    given = {"a": {bob: {"y": 0.1, "x": 1e-05}, ann: {"x": 1.0}}, "c": {bob: {"x": 0.30000000000000004}}}
    path = tmp_path / "p.tsv"
    path.write_text(HEADER + "".join(format_provenance(document, each) for document, each in given.items()))
    read = dict(zip("abcd", read_provenance(path, "abcd"), strict=True))
    assert read == {
        **{doc: {sha1_id(r): systems for r, systems in each.items()} for doc, each in given.items()},
        "b": {},
        "d": {},
    }
    assert list(read_provenance(path, "c")) == [read["c"]]


def test_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "p.tsv"
    with pytest.raises(UsageError, match="cannot be read"):
        list(read_provenance(path, "a"))
    for data, said in (
        (b"a\tid\tx\tsure\n", "p.tsv:1: this is not a line"),
        (b"\xff", "not UTF-8"),
        (b"\n", "1: this"),
    ):
        path.write_bytes(data)
        with pytest.raises(FormatError, match=said):
            list(read_provenance(path, "a"))
    path.write_text(f"b\t{'0' * 40}\tx\t1.0\na\t{'0' * 40}\tx\t1.0\n")
    with pytest.raises(FormatError, match="2: the documents are not in order"):
        list(read_provenance(path, "bc"))
