"""Files of JSON lines, cut between the same two documents on all sides."""

import json
import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.formats.ranges import cut_lines


def write(path: Path, ids, *, pad: int = 0, ascii: bool = True) -> str:
    documents = [{"note": {"id": "d1"}, "id": each, "text": '"id": "d2"' + "x" * (pad * (n % 3))} for n, each in ids]
    path.write_text(
        "".join(json.dumps(each, ensure_ascii=ascii) + "\n" for each in documents), encoding="utf-8", newline=""
    )
    return str(path)


def ids_of(ranges) -> list:
    return [json.loads(line)["id"] for each in ranges for line in each.read().splitlines() if line.strip()]


def numbered(*numbers):
    return [(n, f"d{n}") for n in numbers]


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 40), st.integers(2, 6), st.sets(st.integers(0, 39)), st.integers(1, 3), st.integers(0, 9))
def test_parts_have_the_same_documents_on_all_sides(tmp_path_factory, documents, parts, gaps, files, pad):
    folder = tmp_path_factory.mktemp("cut")
    gold = write(folder / "gold.jsonl", numbered(*range(documents)), pad=pad)
    kept = [n for n in range(documents) if n not in gaps] or [0]
    ends = [len(kept) * n // files for n in range(files + 1)]
    own = [numbered(*kept[start:end]) for start, end in pairwise(ends)]
    system = [write(folder / f"s{n}.jsonl", some) for n, some in enumerate(own) if some]
    found = cut_lines([[gold], system], parts)
    if found is None:
        return
    assert 2 <= len(found) <= parts
    for side, paths in enumerate(([gold], system)):
        together = b"".join(each.read() for part in found for each in part[side])
        assert together == b"".join(Path(path).read_bytes() for path in paths)
    for ours, theirs in found:
        assert ids_of(ours)
        assert set(ids_of(theirs)) <= set(ids_of(ours))


def test_every_part_is_found_where_all_documents_are_there(tmp_path):
    gold = write(tmp_path / "gold.jsonl", numbered(*range(100)))
    system = write(tmp_path / "system.jsonl", numbered(*range(100)), pad=200)
    found = cut_lines([[gold], [system]], 4)
    assert found is not None
    assert [len(ids_of(ours)) for ours, _ in found] == [len(ids_of(theirs)) for _, theirs in found]
    assert len(found) == 4


@pytest.mark.parametrize("names", ["ä{}", '"{}', "{}", "-{}", "a/b.{}[x]"])
@pytest.mark.parametrize("ascii", [True, False])
def test_ids_however_they_are_written(tmp_path, names, ascii):
    ids = [(n, names.format(n)) for n in range(100, 130)]
    gold = write(tmp_path / "gold.jsonl", ids)
    system = write(tmp_path / "system.jsonl", ids, ascii=ascii)
    assert len(cut_lines([[gold], [system]], 3) or ()) == 3


def test_integers_are_ids(tmp_path):
    gold = write(tmp_path / "gold.jsonl", [(n, n) for n in range(1, 30)])
    system = write(tmp_path / "system.jsonl", [(n, str(n)) for n in range(1, 30)])
    found = cut_lines([[gold], [system]], 3)
    assert [len(ids_of(ours)) for ours, _ in found or ()] == [len(ids_of(theirs)) for _, theirs in found or ()]
    assert len(found or ()) == 3


def test_a_mark_at_the_beginning_and_other_ends_of_lines(tmp_path):
    gold = write(tmp_path / "gold.jsonl", numbered(*range(30)))
    marked = tmp_path / "marked.jsonl"
    marked.write_bytes(b"\xef\xbb\xbf" + Path(gold).read_bytes().replace(b"\n", b"\r\n\r\n").rstrip())
    assert len(cut_lines([[gold], [str(marked)]], 3) or ()) == 3
    assert len(cut_lines([[str(marked)], [gold]], 3) or ()) == 3


def test_what_cannot_be_cut(tmp_path):
    import gzip

    gold = write(tmp_path / "gold.jsonl", numbered(*range(30)))
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "packed").write_bytes(gzip.compress(Path(gold).read_bytes()))
    (tmp_path / "array").write_text(json.dumps([{"id": "d1"}]))
    other = write(tmp_path / "other", [(n, f"e{n}") for n in range(30)])
    one = write(tmp_path / "one", numbered(0))
    for path in (tmp_path / "empty", tmp_path / "packed", tmp_path / "array", tmp_path / "none", other, one):
        assert cut_lines([[gold], [str(path)]], 4) is None
    assert cut_lines([[one], [gold]], 4) is None


def test_another_order_gives_parts_that_do_not_fit_or_none(tmp_path):
    gold = write(tmp_path / "gold.jsonl", numbered(*range(60)))
    order = list(range(60))
    random.Random(3).shuffle(order)
    found = cut_lines([[gold], [write(tmp_path / "system.jsonl", numbered(*order))]], 4)
    assert found is None or any(set(ids_of(ours)) != set(ids_of(theirs)) for ours, theirs in found)
