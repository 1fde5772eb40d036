"""Files in parts, in other processes, or on disk give the same bytes as documents in memory, and the same mistakes."""

import gzip
import json
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError, UsageError
from adjudge.evaluate import engine
from adjudge.tasks import task as tasks
from adjudge.tasks.scoring import score
from adjudge.tasks.task import Adjust


def document(number, items, **more):
    return {"id": f"d{number}", "items": items, **more}


def write(path, documents):
    data = "".join(json.dumps(each) + "\n" for each in documents).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def corpus(size, seed=0):
    rng = random.Random(seed)

    def items():
        return rng.sample("abcd", rng.randrange(4))

    gold = [
        document(
            n, items(), genre=rng.choice(["nw", "df"]), meta={"year": rng.randrange(3), "long": "x" * 99}, text="t"
        )
        for n in range(size)
    ]
    return (
        gold,
        [document(n, items()) for n in range(size) if rng.random() < 0.9],
        [document(n, items()) for n in range(size)],
    )


@pytest.fixture
def files(tmp_path):
    return [write(tmp_path / f"{name}.jsonl", each) for name, each in zip(("gold", "a", "b"), corpus(60), strict=True)]


@pytest.fixture
def here(monkeypatch):
    """The same code without other processes, which are slow to start."""

    def mapped(observe, pairs, **_):
        for name, gold, systems in pairs:
            yield name, observe(gold, systems)

    monkeypatch.setattr(engine, "map_documents", mapped)


WAYS = ({"jobs": 1, "stream": False}, {"jobs": 2}, {"jobs": 1, "stream": True})


def results(*given, **options):
    """The results of all ways of reading, which must be the same."""
    found = [score(*given, **way, **options).to_json(with_tables=True) for way in WAYS]
    assert found[1:] == found[:-1]
    return found[0]


def told(*given, **options):
    """What all ways of reading say of a mistake, which must be the same."""
    found = []
    for way in WAYS:
        with pytest.raises(AdjudgeError) as caught:
            score(*given, bootstrap=0, **way, **options)
        problems = [(each.message, each.path, each.line, each.column, each.hint) for each in caught.value.problems]
        found.append((type(caught.value), problems))
    assert found[1:] == found[:-1]
    return found[0]


@pytest.mark.parametrize(
    "options",
    [
        {"bootstrap": 30, "by": ["genre"], "test": "randomisation"},
        {"bootstrap": 0, "docs": ["d3", "d40", "d59"]},
        {"bootstrap": 0, "by": ["text", "genre"]},
        {"bootstrap": 0, "profile": "default", "pool": "macro"},
    ],
    ids=str,
)
def test_options_are_those_of_one_process(files, here, options):
    results("record.set", files[0], files[1:], **options)


def test_pairs_may_be_changed(files, here):
    adjust = Adjust(lambda gold, system: ({**gold, "items": gold["items"][:1]}, system), {"first": "yes"})
    assert results("record.set", files[0], files[1:], bootstrap=0, adjust=adjust) != results(
        "record.set", files[0], files[1:], bootstrap=0
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 30), st.integers(0, 5), st.booleans(), st.booleans(), st.booleans())
def test_any_corpus(size, seed, shards, packed, chosen):
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "map_documents", lambda observe, pairs, **_: ((n, observe(g, s)) for n, g, s in pairs))
        folder = Path(name)
        gold, system, _ = corpus(size, seed)
        system = system or gold[:1]
        if seed == 5:
            random.Random(1).shuffle(system)
        write(folder / "gold.jsonl", gold)
        half = len(system) // 2 if shards else 0
        (folder / "run").mkdir()
        for part, some in enumerate((system[:half], system[half:])):
            if some:
                write(folder / "run" / f"{part}.jsonl{'.gz' * packed}", some)
        options = {"bootstrap": 10, "by": ["genre"], "docs": ["d0"] if chosen else None}
        results("record.set", folder / "gold.jsonl", folder / "run", **options)


MISTAKES = {
    "an id twice in gold": ("gold", lambda lines: [*lines, lines[0]]),
    "an id twice in the system": ("a", lambda lines: [*lines[:3], lines[1], *lines[3:]]),
    "an unknown document": ("a", lambda lines: [*lines, '{"id": "d99", "items": []}']),
    "no JSON": ("a", lambda lines: [*lines[:40], '{"id": ', *lines[40:]]),
    "a mark in the middle": ("a", lambda lines: [*lines[:30], "\ufeff" + lines[30], *lines[31:]]),
    "no list": ("a", lambda lines: [*lines[:40], '{"id": "d59", "items": 7}']),
    "no id": ("gold", lambda lines: [*lines[:40], '{"items": []}', *lines[40:]]),
    "a key twice": ("gold", lambda lines: [*lines[:40], '{"id": "x", "items": [], "items": []}', *lines[40:]]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told_as_ever(files, mistake, here):
    side, change = MISTAKES[mistake]
    path = files[0].with_name(f"{side}.jsonl")
    path.write_text("\n".join(change(path.read_text().splitlines())) + "\n")
    found = told("record.set", files[0], files[1])
    assert found[1][0][2] or mistake == "an id twice in gold"


@pytest.mark.parametrize("options", [{"by": ["topic"]}, {"by": ["items"]}, {"docs": ["nothing"]}], ids=str)
def test_wrong_use_is_told_as_ever(files, options, here):
    assert told("record.set", files[0], files[1], **options)[0] is UsageError


def test_what_cannot_be_read_a_block_at_a_time(tmp_path):
    path = write(tmp_path / "related.jsonl", [{"id": "d", "relations": [], "mentions": []}])
    with pytest.raises(UsageError, match="a block at a time"):
        score("relation.strict", path, path, by=["relations.type"], stream=True)
    with pytest.raises(UsageError, match="a block at a time"):
        score("linking.b3", path, path, stream=True)


def test_missing_documents_are_named_in_the_same_order(tmp_path, here):
    write(tmp_path / "gold.jsonl", [document(n, []) for n in range(30)])
    write(tmp_path / "run.jsonl", [document(0, [])])
    results("record.set", tmp_path / "gold.jsonl", tmp_path / "run.jsonl", bootstrap=0)
    notes = score("record.set", tmp_path / "gold.jsonl", tmp_path / "run.jsonl", bootstrap=0).systems[0].notes
    assert notes[0].examples[:3] == ("d1", "d10", "d11")


def test_progress_reaches_the_end(files, here):
    seen = []
    score("record.set", files[0], files[1], jobs=2, bootstrap=0, progress=lambda *given: seen.append(given))
    assert seen[-1][0] == 60
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_large_files_that_cannot_be_cut_are_kept_on_disk(files, tmp_path, monkeypatch):
    lines = files[1].read_text().splitlines()
    other = write(tmp_path / "other.jsonl.gz", [json.loads(line) for line in reversed(lines)])
    whole = score("record.set", files[0], other, bootstrap=0)
    monkeypatch.setattr(tasks, "HELD", 100)
    monkeypatch.setattr(tasks, "read_side", lambda *_: pytest.fail("the documents are held in memory"))
    assert score("record.set", files[0], other, bootstrap=0) == whole


def test_a_part_is_not_larger_than_it_may_be(files, here, monkeypatch):
    monkeypatch.setattr(engine, "LARGEST", 500)
    monkeypatch.setattr(engine, "CACHED", 300)
    results("record.set", files[0], files[1:], bootstrap=0)


@pytest.mark.parametrize("stream", [True, False])
def test_progress_says_how_many_documents_there_are(tmp_path, stream):
    line = '{{"id": "d{:04}", "relations": []}}\n'
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(map(line.format, range(5000))))
    seen = []
    score("relation.strict", path, path, bootstrap=0, stream=stream, progress=lambda *given: seen.append(given))
    assert seen[-1] == (5000, 5000)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert all(4500 <= total <= 5500 for _, total in seen)
