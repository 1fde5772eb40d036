"""Documents are counted some at a time: how many changes nothing, and everything that is read is hashed."""

import hashlib
import shutil
from pathlib import Path

import pytest

from adjudge.errors import ValidationError
from adjudge.formats.eal_store import FramesWriter, KeyWriter, StoreWriter
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Cas, Frame, Linking, Response, Span
from adjudge.stats.inference import hash_chunks
from adjudge.tasks.eal.settings import settings
from adjudge.tasks.eal.task import EalTask, Gold, score

RIGHT = Assessment("C", "C", "C", "C", "Actual", "NAME")
WRONG = Assessment("W")
DOCUMENTS = [f"D{number}" for number in range(7)]


def person(document: str, name: str, role: str = "Victim", type_: str = "Life.Die") -> Response:
    at = Span(ord(name), ord(name))
    return Response(document, type_, role, Cas(name, at), at, (Span(0, 500),), (), "Actual")


@pytest.fixture
def stores(tmp_path: Path) -> Path:
    with KeyWriter(tmp_path / "key") as key, FramesWriter(tmp_path / "ref") as ref:
        for number, document in enumerate(DOCUMENTS):
            right = [person(document, name) for name in "abc"[: 1 + number % 3]]
            wrong = [person(document, "w"), person(document, "v", "Agent", "Life.Injure")]
            all_ = {**dict.fromkeys(right, RIGHT), **dict.fromkeys(wrong, WRONG)}
            key.write(AnswerKey(document, all_, (), {each.cas: n for n, each in enumerate(all_)}))
            ref.write(Linking(document, [Frame(frozenset(right))]))
    for name, letters in (("good", "ab"), ("poor", "aw")):
        with StoreWriter(tmp_path / name) as writer:
            for document in DOCUMENTS[1:] if name == "poor" else DOCUMENTS:
                mine = [person(document, each) for each in letters if each != "b" or document not in ("D0", "D3", "D6")]
                writer.write(
                    Arguments(document, [Argument(each, 0.5) for each in mine]),
                    Linking(document, [Frame(frozenset(mine))]),
                )
    return tmp_path


def scored(stores: Path, *, frames: bool = True, **options) -> str:
    systems = [stores / "good", stores / "poor"]
    result = score(stores / "key", stores / "ref" if frames else None, systems, bootstrap=0, **options)
    return result.to_json(with_tables=True)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("frames", [True, False])
def test_all_that_is_read_is_hashed(stores, frames, jobs) -> None:
    def digest(*files: tuple[str, str, Path]) -> bytes:
        found = b""
        for document, kind, file in files:
            data = file.read_bytes() if file.exists() else None
            found += f"{document}\t{kind}\t{-1 if data is None else len(data)}\n".encode() + (data or b"")
        return hashlib.sha256(found).hexdigest().encode()

    own = b"".join(
        digest(*((name, "", stores / side / name) for name in DOCUMENTS)) for side in ("key", "ref")[: 1 + frames]
    )
    kinds = ("arguments", "linking")  # and the linking also if nobody scores it
    good = digest(*((name, kind, stores / "good" / kind / name) for name in DOCUMENTS for kind in kinds))
    archive = Path(shutil.make_archive(str(stores / "packed"), "zip", stores / "good"))
    packed = hashlib.sha256(archive.read_bytes()).hexdigest().encode()
    systems = {"folder": stores / "good", "archive": archive}
    result = score(stores / "key", stores / "ref" if frames else None, systems, bootstrap=0, jobs=jobs)
    assert result.options.fields["gold"] == hash_chunks([own])
    assert result.options.fields["in"] == hash_chunks([own, good, packed])


@pytest.mark.parametrize("jobs", [1, 2])
def test_problems_of_all_files_are_told_together(stores, jobs) -> None:
    for document in DOCUMENTS[2:]:
        (stores / "good" / "linking" / document).write_text("nobody\n")
        (stores / "key" / document).write_text("one column\nand another\n")
    with pytest.raises(ValidationError) as caught:
        scored(stores, jobs=jobs)
    assert [(*Path(each.path or "").parts[-2:], each.line) for each in caught.value.problems] == [
        each
        for document in DOCUMENTS[2:]
        for each in (("key", document, 1), ("key", document, 2), ("linking", document, 1))
    ]


@pytest.mark.parametrize("together", [0, 1000])
def test_many_documents_count_as_each_by_itself(stores, together, monkeypatch) -> None:
    """Counts and remarks, also where a submission has no document; with a problem each is counted by itself."""
    monkeypatch.setattr("adjudge.tasks.eal.task._TOGETHER", together)

    def opened():
        task = EalTask(settings(linking=True))
        gold = task.read(Gold(stores / "key", stores / "ref"), "gold")
        task, sides = task.meet(gold, [task.read(stores / name, name) for name in ("good", "poor")])
        return task, [[side.documents.get(document) for document in DOCUMENTS] for side in sides]

    task, systems = opened()
    found = task.count_all(DOCUMENTS, systems)
    alone, _ = opened()
    for rows, own in zip(found, systems, strict=True):
        each = [alone.observe(alone.prepare(name), side) for name, side in zip(DOCUMENTS, own, strict=True)]
        assert rows.counts.tolist() == [count for row in each for count in row.counts]
        assert rows.remarks == [(name, told) for name, row in zip(DOCUMENTS, each, strict=True) for told in row.remarks]
    assert {told.code for _, told in found[0].remarks} >= {"responses"}
    (stores / "poor" / "arguments" / "D4").write_text("no response\n")
    task, systems = opened()
    assert task.count_all(DOCUMENTS, systems) is None
    assert task.observe(task.prepare("D4"), systems[1][4]).problems
