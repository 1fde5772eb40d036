"""Documents read a block at a time give the same bytes as documents read all at first."""

from __future__ import annotations

import gzip
import json
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError, UsageError, ValidationError
from adjudge.model.document import Document
from adjudge.tasks import large, streaming
from adjudge.tasks.aligned import Indexed, OutOfOrder, SideBySide
from adjudge.tasks.scoring import score


def document(number, items, **more):
    return {"id": f"d{number}", "items": items, **more}


items = st.lists(st.sampled_from("abc"), max_size=3)
corpora = st.lists(
    st.tuples(items, st.one_of(st.none(), items), st.sampled_from(["nw", "df"])), min_size=1, max_size=12
)


def write(path, documents):
    data = "".join(json.dumps(each) + "\n" for each in documents).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


@settings(max_examples=40, deadline=None)
@given(corpora, st.integers(1, 5), st.integers(0, 3), st.integers(1, 4), st.booleans())
def test_the_same_bytes(corpus, block, seed, ahead, chosen):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        gold = [document(n, one, genre=genre) for n, (one, _, genre) in enumerate(corpus)]
        system = [document(n, two) for n, (_, two, _) in enumerate(corpus) if two is not None] or [gold[0]]
        if seed:
            random.Random(seed).shuffle(system)
        write(folder / "gold.jsonl", gold)
        write(folder / "sys-0.jsonl.gz", system[: len(system) // 2 or 1])
        if len(system) > 1:
            write(folder / "sys-1.jsonl", system[len(system) // 2 or 1 :])
        given_ = {"bootstrap": 20, "by": ["genre"], "docs": ["d0"] if chosen else None}
        sources = (folder / "gold.jsonl", [f"{folder}/sys-*"])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(streaming, "BLOCK", block)
            patch.setattr(streaming, "SideBySide", lambda documents: SideBySide(documents, ahead=ahead))
            streamed = score("record.set", *sources, stream=True, **given_)
        whole = score("record.set", *sources, stream=False, **given_)
        assert streamed.to_json(with_tables=True) == whole.to_json(with_tables=True)
        assert streamed.systems[0].name == "sys"


def test_missing_documents_are_named_in_the_same_order(tmp_path, monkeypatch):
    write(tmp_path / "gold.jsonl", [document(n, []) for n in range(30)])
    write(tmp_path / "run.jsonl", [document(0, [])])
    monkeypatch.setattr(streaming, "BLOCK", 4)
    streamed, whole = (
        score("record.set", tmp_path / "gold.jsonl", tmp_path / "run.jsonl", bootstrap=0, stream=stream)
        for stream in (True, False)
    )
    assert streamed.systems[0].notes == whole.systems[0].notes
    assert streamed.systems[0].notes[0].examples[:3] == ("d1", "d10", "d11")


@pytest.fixture
def files(tmp_path):
    gold = [document(n, ["a"], genre="nw") for n in range(30)]
    write(tmp_path / "gold.jsonl", gold)
    write(tmp_path / "run.jsonl", gold[:20])
    return tmp_path


def test_mistakes_are_told_as_ever(files):
    gold, run = files / "gold.jsonl", files / "run.jsonl"

    def told(error, **options):
        found = []
        for stream in (True, False):
            with pytest.raises(error) as caught:
                score("record.set", gold, run, bootstrap=0, stream=stream, **options)
            found.append([(each.message, each.path, each.line, each.column) for each in caught.value.problems])
        assert found[0] == found[1]
        return found[0]

    write(run, [document(3, "not a list"), document(4, 7)])
    assert [line for _, _, line, _ in told(ValidationError)] == [1, 2]
    write(run, [document(3, []), document(99, [])])
    assert told(ValidationError)[0][0] == "the document 'd99' is not in the gold documents"
    run.write_text('{"id": "d1", "items": []}\n{"id": \n')
    told(FormatError)
    write(run, [document(3, [])])
    told(UsageError, docs=["nothing"])
    told(UsageError, by=["topic"])
    told(UsageError, by=["items"])


def test_what_cannot_be_streamed(files):
    with pytest.raises(UsageError, match="a block at a time"):
        score("record.set", [document(1, [])], [document(1, [])], stream=True)
    with pytest.raises(UsageError, match="a block at a time"):
        score("relation.strict", files / "gold.jsonl", files / "run.jsonl", by=["relations.type"], stream=True)


def test_large_files_are_streamed_by_themselves(files, monkeypatch):
    called = []
    whole = score("record.set", files / "gold.jsonl", files / "run.jsonl", bootstrap=0)
    monkeypatch.setattr(large, "LARGE", 10)
    original = streaming.score_stream
    monkeypatch.setattr(
        streaming, "score_stream", lambda *args, **options: called.append(1) or original(*args, **options)
    )
    assert score("record.set", files / "gold.jsonl", files / "run.jsonl", bootstrap=0) == whole
    assert called


def test_side_by_side_holds_no_more_than_it_may():
    read = []

    def documents():
        for n in range(1000):
            read.append(n)
            yield Document(id=f"d{n}", data={})

    system = SideBySide(documents(), ahead=10)
    assert set(system.take(["d0", "missing", "d1"])) == {"d0", "d1"}
    assert len(read) <= 13
    assert set(system.take([f"d{n}" for n in range(2, 500)])) == {f"d{n}" for n in range(2, 500)}
    assert [each.id for each in system.rest()] == [f"d{n}" for n in range(500, 1000)]


def test_side_by_side_notices_another_order():
    system = SideBySide(iter([Document(id=f"d{n}", data={}) for n in (5, 4, 3, 2, 1)]), ahead=2)
    system.take(["d1"])
    system.take(["d5", "d4"])
    with pytest.raises(OutOfOrder):
        list(system.rest())


def test_the_index_is_gone_afterwards():
    index = Indexed(iter([Document(id=f"d{n}", data={"n": n}, line=n) for n in range(3)]))
    folder = Path(index._folder.name)
    assert folder.exists()
    assert index.take(["d2", "d7"]) == {"d2": Document(id="d2", data={"n": 2}, line=2)}
    assert [each.id for each in index.rest()] == ["d0", "d1"]
    index.close()
    assert not folder.exists()
