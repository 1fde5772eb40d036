"""Documents are counted some at a time: how many changes nothing, and everything that is read is hashed."""

import hashlib
import shutil
from pathlib import Path

import pytest

from adjudge.errors import ValidationError
from adjudge.formats.eal_store import FramesWriter, KeyWriter, StoreWriter
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Cas, Frame, Linking, Response, Span
from adjudge.stats.inference import hash_chunks
from adjudge.tasks.eal.task import score

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
