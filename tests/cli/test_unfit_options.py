"""Options that a format has no use for are refused, and damaged logs are: inputs that once were a bug (exit 70)."""

from __future__ import annotations

import io
import zipfile

import pytest

from adjudge.cli import run


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("record", "score", "r.csv", "r.csv", "--reader", "csv", "--field", "x"), "--field does not apply"),
        (("ner", "score", "b.bio", "s=b.bio", "--reader", "iobes", "--scheme", "."), "does not apply to files"),
        (("merge", "r.json", "--cluster-by", "x"), "no such option"),
    ],
)
def test_options_without_a_use(line, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.csv").write_text("id,name\nd,Bo\n")
    (tmp_path / "b.bio").write_text("EU B-ORG\n\n")
    assert run([*line]) == 2
    assert said in capsys.readouterr().err


def test_a_log_whose_compressed_data_are_damaged(tmp_path, capsys):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", '{"eval": {"task": "x"}}' * 50)
        archive.writestr("samples/1_epoch_1.json", '{"id": 1, "target": "[]"}' * 50)
    data = bytearray(stream.getvalue())
    for name in (b"header.json", b"1_epoch_1.json"):
        at = data.index(name) + len(name)
        data[at : at + 12] = b"\xff" * 12
    path = tmp_path / "log.eval"
    path.write_bytes(bytes(data))
    assert run(["record", "validate", str(path), "--reader", "inspect"]) == 1
    out, err = capsys.readouterr()
    assert str(path) in out + err
