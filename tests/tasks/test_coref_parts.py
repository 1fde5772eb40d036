"""Large files that are read in parts give what is read in one piece."""

import random
from pathlib import Path

import pytest

import adjudge as aj
from adjudge.errors import FormatError
from adjudge.evaluate.engine import Counter
from adjudge.formats.ranges import Range, cut_documents
from adjudge.tasks.coref.task import CorefTask


def cut(paths, parts):
    return cut_documents(paths, CorefTask.begins, parts)


def document(name, rng, *, column=None):
    lines = [f"#begin document ({name}); part 000"]
    for token in range(12):
        chain = rng.randrange(4)
        lines.append(f"{name}\t0\t{token}\tw\t{column or (f'({chain})' if rng.random() < 0.5 else '-')}")
    return "\n".join([*lines, "", "#end document", ""])


def write(path, names, seed):
    rng = random.Random(seed)
    path.write_text("".join(document(name, rng) for name in names))
    return str(path)


@pytest.fixture
def files(tmp_path):
    names = [f"bc/x/{number:02d}" for number in range(30)]
    return [write(tmp_path / f"{name}.conll", names, seed) for seed, name in enumerate(("key", "a", "b"))]


def test_parts_are_of_whole_documents_and_of_the_same_ones(files):
    parts = cut(files, 4)
    assert parts is not None
    assert len(parts) == 4
    for place, path in enumerate(files):
        assert b"".join(part[place].read() for part in parts) == Path(path).read_bytes()
    for part in parts:
        headers = [[line for line in each.read().split(b"\n") if line.startswith(b"#begin")] for each in part]
        assert headers[0]
        assert headers[0] == headers[1] == headers[2]


def test_several_processes_give_the_same_result(files):
    for options in ({"bootstrap": 100, "by": "genre"}, {"bootstrap": 0, "docs": ["(bc/x/07); part 000"]}):
        one, two = (aj.coref.score(files[0], files[1:], jobs=jobs, **options) for jobs in (1, 2))
        assert one.to_json(with_tables=True) == two.to_json(with_tables=True)


def test_what_cannot_be_cut(files, tmp_path):
    names = [f"bc/x/{number:02d}" for number in range(30)]
    other_order = write(tmp_path / "order.conll", names[::-1], 1)
    assert cut([files[0], other_order], 4) is None or len(cut([files[0], other_order], 4) or ()) < 4
    clusters = tmp_path / "run.jsonl"
    clusters.write_text('{"id": "(bc/x/00); part 000", "clusters": []}\n')
    assert cut([files[0], str(clusters)], 4) is None
    empty = tmp_path / "empty.conll"
    empty.write_text("")
    assert cut([files[0], str(empty)], 4) is None
    assert cut([files[0], files[1]], 1) is None


@pytest.mark.parametrize("kind", ["order", "missing", "extra", "twice", "moved", "comment"])
def test_odd_files_give_the_same_result_too(files, tmp_path, kind):
    names = [f"bc/x/{number:02d}" for number in range(30)]
    changed = {
        "order": names[::-1],
        "missing": names[:20],
        "extra": [*names, "bc/x/other"],
        "twice": [*names, names[3]],
        "moved": [*names[1:], names[0]],
        "comment": names,
    }[kind]
    path = write(tmp_path / f"{kind}.conll", changed, 7)
    if kind == "comment":
        text = Path(path).read_text().replace("bc/x/11\t0\t3\t", "# a comment\nbc/x/11\t0\t3\t")
        Path(path).write_text(text)
    one, two = (aj.coref.score(files[0], [files[1], path], bootstrap=0, jobs=jobs) for jobs in (1, 2))
    assert one.to_json(with_tables=True) == two.to_json(with_tables=True)


def test_what_is_wrong_is_said_as_with_one_process(files):
    with Path(files[2]).open("a") as stream:
        stream.write("#begin document (bc/x/29); part 000\nx\t0\t0\tw\t(7\n#end document\n")
    said = []
    for jobs in (1, 2):
        with pytest.raises(FormatError) as failed:
            aj.coref.score(files[0], files[1:], bootstrap=0, jobs=jobs)
        said.append(str(failed.value))
    assert said[0] == said[1]
    assert "b.conll:452:9: a mention of chain 7 opens here and never closes" in said[0]


def test_a_part_with_a_remark_has_no_answer(tmp_path):
    path = tmp_path / "x.conll"
    path.write_text("#begin document (a); part 000\n# odd\nx\t0\t0\tw\t-\n#end document\n")
    whole = Range(str(path), 0, path.stat().st_size)
    assert Counter(CorefTask(), None, keep=False).files(whole, (whole,)) is None
