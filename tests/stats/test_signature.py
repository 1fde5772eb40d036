"""Signatures stay on one line and one field apart; files are whole or absent."""

from __future__ import annotations

import hashlib
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.files import write_atomically
from adjudge.stats.inference import hash_bytes, hash_chunks, signature


def test_order_and_values():
    fields = {"metric": "set.f1", "beta": 0.5, "empty": 0, "whole": 2.0, "absent": None, "exact": False, "in": "9f3c"}
    assert signature("score", fields) == "score|metric:set.f1|beta:0.5|empty:0|whole:2|exact:no|in:9f3c"


@settings(deadline=None)
@given(st.dictionaries(st.text(), st.text(), max_size=4))
def test_fields_cannot_run_into_each_other(fields):
    text = signature("score", fields)
    assert text.count("|") == len(fields)
    assert text.isprintable()


@settings(deadline=None)
@given(st.lists(st.binary(max_size=9), max_size=5))
def test_hashes(chunks):
    whole = b"".join(chunks)
    assert hash_chunks(chunks) == hash_bytes(whole) == hashlib.sha256(whole).hexdigest()[:12]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "out.json"
    write_atomically(path, b"old")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match=r"out\.json: cannot be written: No space left on device"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]


def test_writing_follows_links_and_the_umask(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    assert target.stat().st_mode == plain.stat().st_mode


def test_a_folder_that_does_not_exist(tmp_path):
    with pytest.raises(UsageError, match="cannot be written: No such file or directory, choose a file in a folder"):
        write_atomically(tmp_path / "no" / "out.json", b"")
