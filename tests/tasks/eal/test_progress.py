"""How far an assessment is, and how long the rest may take."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as examples

from adjudge.errors import UsageError
from adjudge.formats.eal_store import FramesWriter
from adjudge.model.eal import AnswerKey, Assessment, Frame, Linking
from adjudge.tasks.eal.frames import linkable
from adjudge.tasks.eal.progress import Counts, DocumentProgress, estimate, observe, progress
from adjudge.tasks.eal.responses import is_good
from eal_keys import CORPUS, GOOD, keys, named, put, simple
from eal_responses import response


@given(keys())
@examples(max_examples=50)
def test_counts_of_a_document(key: AnswerKey):
    found = observe(key)
    total = sum(found.values(), Counts())
    assert total.responses == len(key.assessed) + len(key.unassessed)
    assert (total.assessed, total.unassessed) == (len(key.assessed), len(key.unassessed))
    assert total.good == sum(is_good(*each) for each in key.assessed.items())
    assert total.classes == len(linkable(key))
    for type_, counts in found.items():
        assert counts.responses == sum(each.type == type_ for each in (*key.assessed, *key.unassessed))


def test_the_corpus():
    found = progress(CORPUS / "key", frames=CORPUS / "ref")
    assert found.total == Counts(205, 205, 105, 82, 82)
    assert [each.document for each in found.documents] == [f"DOC{number:02}" for number in range(12)]
    assert {name: counts.responses for name, counts in found.types.items()} == {
        "Conflict.Attack": 63,
        "Contact.Meet": 52,
        "Life.Die": 42,
        "Life.Injure": 48,
    }
    assert progress(CORPUS / "key", documents=["DOC03"]).total.responses == 20
    with pytest.raises(UsageError, match="DOC99"):
        progress(CORPUS / "key", documents=["DOC03", "DOC99"])


def test_unfinished_work(tmp_path: Path):
    waits = response("Ann", at=(5, 7))
    put(tmp_path / "key", AnswerKey("d", {response(): GOOD}, [waits], {}), AnswerKey("e", {}, [response(document="e")]))
    (tmp_path / "key" / "f").write_text("not a line\n")
    found = progress(tmp_path / "key")
    assert (found.total.responses, found.total.assessed, found.total.unassessed) == (3, 1, 2)
    assert [(each.document, each.counts.unassessed, each.problems) for each in found.documents] == [
        ("d", 1, 1),  # a right CAS without a cluster
        ("e", 1, 0),
        ("f", 0, 1),
    ]
    assert found.total.linked is None


def test_linked_classes(tmp_path: Path):
    put(tmp_path / "key", simple(c1="ab", c2="c", c3="d"))
    with FramesWriter(tmp_path / "frames") as writer:
        writer.write(Linking("d", [Frame(frozenset([named("a"), named("c")]))], frozenset([named("d")])))
    found = progress(tmp_path / "key", frames=tmp_path / "frames")
    assert (found.total.classes, found.total.linked) == (3, 2)


def at(*times: float, assessed: int = 10) -> list[DocumentProgress]:
    return [DocumentProgress(str(time), Counts(assessed, assessed), time) for time in times]


def test_the_pace_is_that_of_the_files():
    pace = estimate(at(1000, 1600, 2200, 2800), 60)
    assert pace is not None
    assert (pace.per_hour, pace.hours, pace.hours_left) == (60.0, 0.5, 1.0)


def test_nights_are_breaks_and_programs_are_fast():
    pace = estimate(at(1000, 1600, 90000, 90600), 60)
    assert pace is not None
    assert pace.per_hour == 60.0
    pace = estimate(at(1000, 1000.25, 1000.5, 1600.5, 2200.5), 60)
    assert pace is not None
    assert pace.per_hour == 60.0


def test_order_does_not_matter():
    assert estimate(at(2200, 1000, 1600), 5) == estimate(at(1000, 1600, 2200), 5)


@pytest.mark.parametrize("documents", [[], at(1000), at(1000, 1030), at(1000, 1000.5, 1000.7), at(1000, 90000)])
def test_no_pace(documents: list[DocumentProgress]):
    assert estimate(documents, 10) is None
    known = estimate(documents, 10, rate=20)
    assert known is not None
    assert known.hours_left == 0.5


def test_unassessed_documents_say_nothing():
    waiting = [DocumentProgress("x", Counts(5, 0), 1300.0)]
    assert estimate([*at(1000, 1600, 2200), *waiting], 60) == estimate(at(1000, 1600, 2200), 60)


def test_times_of_real_files(tmp_path: Path):
    made = [
        AnswerKey(name, {response(document=name, filler=(n, n)): Assessment("W") for n in range(10)}) for name in "abc"
    ]
    put(tmp_path / "key", *made, AnswerKey("d", {}, [response(filler=(n, n)) for n in range(30)]))
    for number, name in enumerate("abc"):
        os.utime(tmp_path / "key" / name, (1000 + 600 * number,) * 2)
    found = progress(tmp_path / "key")
    assert found.pace is not None
    assert (found.pace.per_hour, found.pace.hours_left) == (60.0, 0.5)
    assert [each.changed for each in found.documents][:3] == [1000, 1600, 2200]
