"""How far an assessment is, and how long the rest may take."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as examples

from adjudge.errors import UsageError
from adjudge.model.eal import AnswerKey, Assessment
from adjudge.tasks.eal.frames import linkable
from adjudge.tasks.eal.progress import Counts, DocumentProgress, estimate, observe, progress
from adjudge.tasks.eal.responses import is_good
from eal_keys import CORPUS, GOOD, keys, put
from eal_responses import response


@given(keys())
@examples(max_examples=25)
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
    assert progress(CORPUS / "key", frames=CORPUS / "ref").total == Counts(205, 205, 105, 82, 82)
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


def at(*times: float, assessed: int = 10) -> list[DocumentProgress]:
    return [DocumentProgress(str(time), Counts(assessed, assessed), time) for time in times]


PACES = {
    "the files tell": at(1000, 1600, 2200, 2800),
    "in any order": at(2800, 1000, 2200, 1600),
    "nights are breaks": at(1000, 1600, 90000, 90600),
    "programs are fast": at(1000, 1000.25, 1000.5, 1600.5, 2200.5),
    "nothing was assessed in one": [*at(1000, 1600, 2200), *at(1300, assessed=0)],
}


@pytest.mark.parametrize("documents", PACES.values(), ids=PACES)
def test_the_pace_is_that_of_the_files(documents: list[DocumentProgress]):
    pace = estimate(documents, 60)
    assert pace is not None
    assert (pace.per_hour, pace.hours_left) == (60.0, 1.0)


@pytest.mark.parametrize("documents", [[], at(1000), at(1000, 1030), at(1000, 1000.5, 1000.7), at(1000, 90000)])
def test_no_pace(documents: list[DocumentProgress]):
    assert estimate(documents, 10) is None
    known = estimate(documents, 10, rate=20)
    assert known is not None
    assert known.hours_left == 0.5


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
