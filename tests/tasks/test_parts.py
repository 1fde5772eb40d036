"""Files that other processes read give the same bytes as files that are read here, and the same mistakes."""

import json
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError
from adjudge.tasks import large, parts, scoring, streaming
from adjudge.tasks.adding import columns_of
from adjudge.tasks.part_reader import PartReader
from adjudge.tasks.scoring import Adjust, score

ITEMS = "abcd"


def document(number, items, **more):
    return {"id": f"d{number}", "items": items, **more}


def write(path, documents):
    path.write_text("".join(json.dumps(each) + "\n" for each in documents))
    return path


def corpus(size, seed=0):
    rng = random.Random(seed)

    def items():
        return rng.sample(ITEMS, rng.randrange(4))

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
    gold, one, two = corpus(60)
    return [
        write(tmp_path / f"{name}.jsonl", each) for name, each in zip(("gold", "a", "b"), (gold, one, two), strict=True)
    ]


@pytest.fixture
def in_this_process(monkeypatch):
    """The same code without other processes, which are slow to start; returns whether it was run."""
    called = []

    def mapped(observe, pairs, **_):
        for name, gold, systems in pairs:
            called.append(name)
            yield name, observe(gold, systems)

    monkeypatch.setattr(parts, "map_documents", mapped)
    return called


def both(*given, **options):
    """The results of reading here, and of other processes' reading."""
    return [score(*given, jobs=jobs, **options).to_json(with_tables=True) for jobs in (1, 2)]


def told(*given, **options):
    """What is said of a mistake by either way."""
    found = []
    for jobs in (1, 2):
        with pytest.raises(AdjudgeError) as caught:
            score(*given, jobs=jobs, bootstrap=0, **options)
        problems = [(each.message, each.path, each.line, each.column, each.hint) for each in caught.value.problems]
        found.append((type(caught.value), problems))
    return found


def test_two_processes_give_the_same_bytes(files, monkeypatch):
    monkeypatch.setattr(scoring, "read_sides", lambda *_, **__: pytest.fail("the files are read here"))
    found = score("record.set", files[0], files[1:], jobs=2, bootstrap=50, by=["genre"])
    monkeypatch.undo()
    assert found.to_json(with_tables=True) == score(
        "record.set", files[0], files[1:], jobs=1, bootstrap=50, by=["genre"]
    ).to_json(with_tables=True)


@pytest.mark.parametrize(
    "options",
    [
        {"bootstrap": 30, "by": ["genre"], "test": "approximate-randomisation"},
        {"bootstrap": 0, "docs": ["d3", "d40", "d59"]},
        {"bootstrap": 0, "by": ["text", "genre"]},
        {"bootstrap": 0, "profile": "default", "pool": "macro"},
    ],
    ids=str,
)
def test_options_are_those_of_one_process(files, in_this_process, options):
    one, two = both("record.set", files[0], files[1:], **options)
    assert one == two
    assert len(in_this_process) == 16


def test_pairs_may_be_changed(files, in_this_process):
    adjust = Adjust(first_item_only, {"first": "yes"})
    one, two = both("record.set", files[0], files[1:], bootstrap=0, adjust=adjust)
    assert one == two
    assert in_this_process
    assert one != both("record.set", files[0], files[1:], bootstrap=0)[0]


def first_item_only(gold, system):
    return {**gold, "items": gold["items"][:1]}, system


def test_what_cannot_travel_is_read_here(files, in_this_process):
    adjust = Adjust(lambda gold, system: (gold, system), {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "map_documents", lambda observe, pairs, **_: [(n, observe(g, s)) for n, g, s in pairs])
        assert score("record.set", files[0], files[1], jobs=2, bootstrap=0, adjust=adjust).systems
    assert not in_this_process


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 30), st.integers(0, 5), st.integers(1, 7), st.booleans(), st.booleans())
def test_any_corpus(size, seed, block, streamed, shards):
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        gold, system, _ = corpus(size, seed)
        if seed == 5:
            random.Random(1).shuffle(system)
        system = system or gold[:1]
        write(folder / "gold.jsonl", gold)
        half = len(system) // 2 if shards else 0
        (folder / "run").mkdir()
        for part, some in enumerate((system[:half], system[half:])):
            if some:
                write(folder / "run" / f"{part}.jsonl", some)
        patch.setattr(streaming, "BLOCK", block)
        patch.setattr(parts, "map_documents", lambda observe, pairs, **_: ((n, observe(g, s)) for n, g, s in pairs))
        patch.setattr(scoring, "map_documents", lambda observe, pairs, **_: [(n, observe(g, s)) for n, g, s in pairs])
        patch.setattr(streaming, "map_documents", lambda observe, pairs, **_: ((n, observe(g, s)) for n, g, s in pairs))
        given_ = ("record.set", folder / "gold.jsonl", folder / "run")
        found = score(*given_, bootstrap=10, by=["genre"], jobs=2, stream=streamed or None)
        whole = score(*given_, bootstrap=10, by=["genre"], jobs=1, stream=False)
        assert found.to_json(with_tables=True) == whole.to_json(with_tables=True)


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
def test_mistakes_are_told_as_ever(files, mistake, in_this_process, monkeypatch):
    monkeypatch.setattr(scoring, "map_documents", lambda observe, pairs, **_: [(n, observe(g, s)) for n, g, s in pairs])
    side, change = MISTAKES[mistake]
    path = files[0].with_name(f"{side}.jsonl")
    path.write_text("\n".join(change(path.read_text().splitlines())) + "\n")
    one, two = told("record.set", files[0], files[1])
    assert one == two
    assert one[1][0][2] or mistake == "an id twice in gold"


@pytest.mark.parametrize("options", [{"by": ["topic"]}, {"by": ["items"]}, {"docs": ["nothing"]}], ids=str)
def test_wrong_use_is_told_as_ever(files, options, in_this_process, monkeypatch):
    monkeypatch.setattr(scoring, "map_documents", lambda observe, pairs, **_: [(n, observe(g, s)) for n, g, s in pairs])
    one, two = told("record.set", files[0], files[1], **options)
    assert one == two


def test_progress_reaches_the_end(files, in_this_process):
    seen = []
    score("record.set", files[0], files[1], jobs=2, bootstrap=0, progress=lambda *given: seen.append(given))
    assert seen[-1] == (60, 60)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len(seen) == len(in_this_process)


def test_small_files_are_read_here_if_nobody_says_how_many(files, in_this_process, monkeypatch):
    monkeypatch.setattr(large, "processors", lambda: 2)
    assert score("record.set", files[0], files[1], jobs=0, bootstrap=0).systems
    assert not in_this_process
    monkeypatch.setattr(large, "SHARED", 1000)
    assert score("record.set", files[0], files[1], jobs=0, bootstrap=0).systems
    assert in_this_process


def test_a_part_is_not_larger_than_it_may_be(files, in_this_process, monkeypatch):
    monkeypatch.setattr(parts, "LARGEST", 500)
    one, two = both("record.set", files[0], files[1:], bootstrap=0)
    assert one == two
    assert len(in_this_process) > 15


def test_a_part_that_does_not_fit_has_no_answer(files):
    from adjudge.formats.ranges import cut_lines

    metrics = scoring.as_metrics("record.set")
    reader = PartReader(metrics, columns_of(metrics), (), None, None)
    first, second = cut_lines([[str(path)] for path in files], 2) or ()
    assert reader.read(first[0], first[1:]) is not None
    assert reader.read(first[0], (second[1], first[2])) is None
    (found,) = (reader.read(second[0], ((), second[2])),)
    assert found is not None
    assert found.missing == [found.ids, []]
