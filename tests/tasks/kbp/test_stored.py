"""Triples through a database of DuckDB: the same results to the byte, in little memory."""

import gzip
import json
import random
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError, FormatError, UsageError, ValidationError
from adjudge.tasks.kbp import store
from adjudge.tasks.kbp.counting import Run
from adjudge.tasks.kbp.duck import installed
from adjudge.tasks.kbp.engine import choose_engine
from adjudge.tasks.kbp.scoring import score
from adjudge.tasks.kbp.stored import stored_memory, triple_bytes

needs_duckdb = pytest.mark.skipif(not installed(), reason="duckdb is not installed")

RELATIONS = ("Employment", "Family", "per:children", "per:parents", "Lasting-Personal")
ROWS = st.lists(
    st.tuples(
        st.sampled_from("abcdefg"), st.sampled_from(RELATIONS), st.sampled_from("abcdefg"), st.sampled_from("1234")
    ),
    min_size=1,
    max_size=25,
)


def write(path, rows):
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    return str(path)


def random_rows(seed, number, nodes, documents=8):
    rng = random.Random(seed)
    return [
        (
            f"n{int(nodes * rng.random() ** 2)}",
            rng.choice(RELATIONS),
            f"n{int(nodes * rng.random() ** 2)}",
            f"d{rng.randrange(documents)}",
        )
        for _ in range(number)
    ]


def both(gold, systems, **how):
    """The result in memory, and through the database."""
    found = [score(gold, systems, engine=engine, **how) for engine in ("auto", "duckdb")]
    return [each.to_json(with_tables=True) for each in found]


@needs_duckdb
@settings(max_examples=6)  # a database takes long to set up
@given(
    ROWS,
    ROWS,
    ROWS,
    st.sampled_from(
        [
            {},
            {"profile": "paper", "by": ("relation", "sequence")},
            {"inverse": "close", "identity": "full"},
            {"inverse": "canonical", "walks": "simple"},
            {"system_relations": {"Employment": "Family"}, "exclude": (), "self_loops": "keep"},
            {"inputs": {"documents": b"1\n3\n4\n"}},
        ]
    ),
)
def test_results_are_the_same_to_the_byte(tmp_path_factory, gold, one, other, how):
    folder = tmp_path_factory.mktemp("stored")
    paths = [write(folder / f"{name}.tsv", rows) for name, rows in (("gold", gold), ("one", one), ("other", other))]
    try:
        here = score(paths[0], paths[1:], bootstrap=7, hops=3, **how).to_json(with_tables=True)
    except ValidationError as error:  # no gold triple in the documents of the list
        with pytest.raises(ValidationError, match=error.problems[0].message):
            score(paths[0], paths[1:], bootstrap=7, hops=3, engine="duckdb", **how)
        return
    assert score(paths[0], paths[1:], bootstrap=7, hops=3, engine="duckdb", **how).to_json(with_tables=True) == here


@needs_duckdb
def test_many_small_pieces_and_several_processes_change_nothing(tmp_path, monkeypatch):
    gold, one, other = (write(tmp_path / f"{seed}.tsv", random_rows(seed, 600, 500)) for seed in (1, 2, 3))
    how = {"bootstrap": 20, "hops": 2, "identity": "endpoints"}
    here = score(gold, [one, other], **how).to_json(with_tables=True)
    monkeypatch.setattr("adjudge.tasks.kbp.store_facts._ROW", 1 << 30)  # bytes: there is hardly any room
    monkeypatch.setattr("adjudge.tasks.kbp.store_facts._FEWEST", 400)
    monkeypatch.setattr("adjudge.tasks.kbp.store.rows_at_once", lambda _: 100)
    for jobs in (1, 2):
        found = score(gold, [one, other], engine="duckdb", memory=200_000_000, jobs=jobs, **how)
        assert found.to_json(with_tables=True) == here


@needs_duckdb
def test_how_many_rows_are_inserted_at_once_changes_nothing(tmp_path, monkeypatch):
    (tmp_path / "gold").mkdir()
    for number in range(6):  # a file is a block at least
        write(tmp_path / "gold" / f"{number}.tsv", random_rows(number, 40, 30))
    gold, one = str(tmp_path / "gold"), write(tmp_path / "one.tsv", random_rows(7, 150, 30))
    expected = score(gold, [one], hops=2, bootstrap=5).to_json(with_tables=True)
    inserted = []
    original = store._insert
    monkeypatch.setattr(store, "_insert", lambda *given: inserted.append(len(given[2][0])) or original(*given))
    for rows in (1, 100, 1000):
        monkeypatch.setattr(store, "rows_at_once", lambda _, rows=rows: rows)
        assert score(gold, [one], hops=2, bootstrap=5, engine="duckdb").to_json(with_tables=True) == expected
    assert inserted == [40] * 6 + [150] + [120, 120, 150] + [240, 150]


@needs_duckdb
def test_the_database_writes_nothing_to_standard_output():
    program = (
        "from adjudge.model.kbp import TripleNames\n"
        "from adjudge.tasks.kbp.store import open_store\n"
        "with open_store(TripleNames(), 200_000_000, []) as store:\n"
        "    print(store.one(\"SELECT current_setting('enable_progress_bar')\")[0])\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"  # a program that is no file would have a bar


def test_rows_that_are_inserted_at_once_fit_into_the_memory():
    numbers = [store.rows_at_once(memory) for memory in (0, 10**8, 3 * 10**8, 4 * 10**8, 10**9, 10**11)]
    assert numbers == sorted(numbers)
    assert numbers[0] > 0
    assert numbers[-1] == numbers[-2]


@needs_duckdb
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peaks of memory are read from /proc")
def test_the_whole_process_keeps_to_the_memory_that_it_is_allowed(tmp_path):
    gold = write(tmp_path / "gold.tsv", random_rows(1, 250_000, 200_000, 500))
    one = write(tmp_path / "one.tsv", random_rows(2, 1000, 200_000, 500))
    program = (
        "import sys\n"
        "from adjudge.tasks.kbp.scoring import score\n"
        f"score({gold!r}, [{one!r}], hops=1, bootstrap=0, engine='duckdb', memory=170_000_000)\n"
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(ran.stdout) * 1024 < 1.1 * 170_000_000


@needs_duckdb
def test_estimates_are_the_same(tmp_path, monkeypatch):
    gold, one = (write(tmp_path / f"{seed}.tsv", random_rows(seed, 9000, 6000)) for seed in (1, 2))
    monkeypatch.setattr("adjudge.tasks.kbp.counting.choose_engine", partial(choose_engine, limit=20_000))
    here, there = both(gold, [one], bootstrap=0, hops=2, identity="endpoints")
    assert here == there
    assert "estimate" in {note["code"] for note in json.loads(there)["systems"][0]["notes"]}


@needs_duckdb
def test_names_that_never_meet_are_told(tmp_path):
    gold = write(tmp_path / "gold.tsv", [("a", "Family", "b", "d1"), ("b", "Family", "c", "d2")])
    other = write(tmp_path / "other.tsv", [("A", "family", "B", "d1")])
    here, there = both(gold, [other], bootstrap=0)
    assert here == there
    assert {"no-relation-shared", "no-node-shared"} <= {n["code"] for n in json.loads(there)["systems"][0]["notes"]}


@needs_duckdb
def test_everything_that_is_wrong_is_told_at_once(tmp_path):
    gold = write(tmp_path / "gold.tsv", [("a", "Family", "b")])
    other = write(tmp_path / "other.tsv", [("a", "Family", "b", "d1"), ("", "Family", "c", "d1")])
    for engine in ("auto", "duckdb"):
        with pytest.raises(FormatError) as failure:
            score(gold, [other], engine=engine)
        assert "gold.tsv:1:1: a line with 3 fields" in str(failure.value)
    assert "other.tsv:2:1: the subject is empty" in str(failure.value)


@needs_duckdb
def test_a_database_that_cannot_go_on_says_so(tmp_path, monkeypatch):
    path = write(tmp_path / "gold.tsv", random_rows(1, 20, 10))
    monkeypatch.setattr("adjudge.tasks.kbp.store._NODES", "CREATE TABLE nodes AS SELECT * FROM nowhere")
    with pytest.raises(AdjudgeError, match="DuckDB cannot go on") as failure:
        score(path, [path], engine="duckdb")
    assert "--memory" in str(failure.value)


def test_shards_are_one_table(tmp_path):
    rows = random_rows(1, 60, 20)
    whole = write(tmp_path / "whole.tsv", rows)
    folder = tmp_path / "gold"
    folder.mkdir()
    write(folder / "0.tsv", rows[:20])
    (folder / "1.tsv.gz").write_bytes(gzip.compress("".join("\t".join(row) + "\n" for row in rows[20:]).encode()))
    (folder / "README.md").write_text("not triples")
    expected = score(whole, [whole], bootstrap=0, names=["A"]).to_json()
    for source in (folder, f"{folder}/*.tsv*"):
        assert score(str(source), [str(source)], bootstrap=0, names=["A"]).to_json() == expected
        if installed():
            found = score(str(source), [str(source)], bootstrap=0, names=["A"], engine="duckdb")
            assert found.to_json() == expected


def test_parquet_is_a_table(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = random_rows(1, 60, 20)
    whole = write(tmp_path / "whole.tsv", rows)
    columns = dict(zip(("subject", "relation", "object", "document"), zip(*rows, strict=True), strict=True))
    parquet.write_table(pyarrow.table(columns), tmp_path / "whole.parquet")
    packed = str(tmp_path / "whole.parquet")
    assert score(packed, [packed], bootstrap=0).to_json() == score(whole, [whole], bootstrap=0).to_json()
    columns["object"] = (None, *columns["object"][1:])
    parquet.write_table(pyarrow.table(columns), packed)
    with pytest.raises(FormatError, match="row 1: the object is empty"):
        score(packed, [packed], bootstrap=0)
    del columns["document"]
    parquet.write_table(pyarrow.table(columns), packed)
    with pytest.raises(FormatError, match="no column document"):
        score(packed, [packed], bootstrap=0)


def test_the_way_depends_on_size_and_memory(tmp_path):
    path = write(tmp_path / "gold.tsv", random_rows(1, 1000, 50))
    size = Path(path).stat().st_size
    assert triple_bytes(path) == size
    assert triple_bytes(str(tmp_path)) == size
    assert stored_memory(path, [path], Run()) is None
    assert stored_memory(path, [path], Run(memory=size)) == size
    assert stored_memory(path, [path], Run(memory=size, engine="sparse")) is None
    assert stored_memory(path, [path], Run(memory=1 << 30, engine="duckdb")) == 1 << 30
    assert stored_memory(path, [b"a\tr\tb\td\n"], Run(memory=size)) is None
    documents = tmp_path / "gold.jsonl"
    documents.write_text('{"id": "d", "entities": []}\n')
    assert stored_memory(str(documents), [str(documents)], Run(memory=1)) is None


def test_without_duckdb_the_way_to_get_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("adjudge.tasks.kbp.store.installed", lambda: False)
    path = write(tmp_path / "gold.tsv", random_rows(1, 100, 50))
    with pytest.raises(UsageError, match="not installed") as failure:
        score(path, [path], memory=10)
    assert "adjudge[duckdb]" in str(failure.value)
