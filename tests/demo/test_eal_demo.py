"""The bundled campaign of event arguments and linking is sound, has something of everything, and runs to its scores."""

import json
import shutil

import pytest

from adjudge.demo.eal import ANSWERS, ASSESSMENTS, FRAMES, SOURCES, SUBMISSIONS, fill_campaign
from adjudge.formats.eal_fields import less_specific
from adjudge.formats.eal_sources import Sources
from adjudge.formats.eal_store import open_frames, open_key, open_store
from adjudge.tasks.eal.campaign import init_campaign, run_campaign
from adjudge.tasks.eal.consistency import check
from adjudge.tasks.eal.frames import classes
from adjudge.tasks.eal.responses import class_of, is_good
from adjudge.tasks.eal.texts import filter_quotes, quote_regions
from adjudge.tasks.eal.validation import validate

DOCUMENTS = [*(f"MINI_DF_0{n}" for n in range(1, 6)), *(f"MINI_NW_0{n}" for n in range(1, 8))]


@pytest.fixture(scope="module")
def sources():
    return Sources(SOURCES)


@pytest.fixture(scope="module")
def keys():
    store = open_key(ASSESSMENTS)
    return {document: store.key(document) for document in store.documents}


@pytest.fixture(scope="module")
def responses():
    """Of each system, with its confidence."""
    return {
        name: [each for arguments, _ in open_store(path) for each in arguments.arguments]
        for name, path in SUBMISSIONS.items()
    }


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_the_submissions_are_valid(name):
    report = validate(SUBMISSIONS[name], docs=SOURCES, ontology="2015")
    assert report.errors == 0
    assert report.contents["document"] == 12
    # Realistic mistakes: fillers in quotations or in roles they cannot have, justifications that are not needed.
    assert {finding.kind for finding in report.findings} <= {"quoted", "additional", "entity-type"}


def test_the_texts_stand_where_the_offsets_say(responses, sources, keys):
    everything = [each.response for given in responses.values() for each in given]
    everything += [response for key in keys.values() for response in key.assessed]
    for response in everything:
        text = sources.text(response.document)
        start, end = response.cas.span
        if not response.is_time:
            assert text[start : end + 1] == response.cas.text
        for start, end in (response.base_filler, *response.justifications, *response.additional):
            assert 0 <= start <= end < len(text)
            assert not text[start].isspace()
            assert not text[end].isspace()


def test_the_assessments_are_complete_and_consistent():
    report = check(ASSESSMENTS, frames=FRAMES)
    assert (report.total, report.contents["unassessed response"]) == (0, 0)
    assert report.contents["document"] == len(DOCUMENTS)
    assert report.contents["linked TRFR"] == report.contents["TRFR"] > 150
    assert open_key(ASSESSMENTS).documents == open_frames(FRAMES).documents == DOCUMENTS


def test_there_is_something_of_everything(keys, responses, sources):
    assessed = {response: each for key in keys.values() for response, each in key.assessed.items()}
    for column in ("event_type", "role", "cas", "base_filler"):
        assert {getattr(each, column) for each in assessed.values()} >= {"C", "W"}
    assert {each.cas for each in assessed.values()} >= {"C", "W", "I"}
    assert {each.realis for each in assessed.values()} == {"Actual", "Generic", "Other", None}
    assert {each.mention_type for each in assessed.values()} == {"NAME", "NOMINAL", None}
    assert sum(each.realis not in (None, response.realis) for response, each in assessed.items()) > 10
    assert any(response.additional for response in assessed)
    assert any(len(response.justifications) > 1 for response in assessed)
    # A CAS that several strings in the text stand for.
    assert any(len(set(key.coref.values())) < len(key.coref) for key in keys.values())
    # One document about which there is nothing to say, and two systems know it.
    assert [
        document for document, key in keys.items() if not any(map(is_good, key.assessed, key.assessed.values()))
    ] == ["MINI_NW_07"]
    nested = [
        document
        for document in DOCUMENTS
        if sources.text(document).count("<quote") > len(quote_regions(sources.text(document)))
    ]
    assert nested == ["MINI_DF_01", "MINI_DF_02"]
    assert {len(given) for given in responses.values()} == {168, 230, 132}


def test_times_are_more_and_less_specific(keys):
    found = 0
    for key in keys.values():
        times = {(r.type, r.role, r.cas.text) for r, each in key.assessed.items() if r.is_time and is_good(r, each)}
        found += sum((type_, role, vague) in times for type_, role, date in times for vague in less_specific(date))
    assert found >= 5


def test_who_dies_was_injured_before(keys):
    found = 0
    for key in keys.values():
        good = [response for response, each in key.assessed.items() if is_good(response, each)]
        dead, hurt = (
            {(r.role, r.realis, key.coref[r.cas]) for r in good if r.type == type_}
            for type_ in ("Life.Die", "Life.Injure")
        )
        found += len(dead & hurt)
    assert found >= 3


def test_some_classes_are_in_two_frames(keys):
    store = open_frames(FRAMES)
    twice = []
    for document, key in keys.items():
        frames = [classes(frame.responses, key.coref) for frame in store.linking(key).frames]
        everything = frozenset().union(*frames)
        twice += [(document, each.role) for each in everything if sum(each in frame for frame in frames) > 1]
    assert ("MINI_NW_05", "Place") in twice


def test_systems_repeat_themselves_and_quote(responses, sources):
    redundant = quoted = 0
    for path in SUBMISSIONS.values():
        for arguments, linking in open_store(path):
            regions = quote_regions(sources.text(arguments.document))
            outcome = filter_quotes(arguments, linking, regions)
            quoted += len(outcome.removed)
            left = [class_of(each.response, {}) for each in outcome.arguments.arguments]
            redundant += len(left) - len(set(left))
    assert quoted > 10
    assert redundant > 20


def test_from_init_to_scores(tmp_path):
    folder = tmp_path / "campaign"
    init_campaign(folder)
    fill_campaign(folder)
    assert sorted(each.name for each in (folder / "submissions").iterdir()) == ["granite.zip", "marble.tar.gz", "slate"]
    assert [step.step for step in run_campaign(folder) if step.status == "waiting"] == ["assess", "score"]
    shutil.copytree(folder / ANSWERS / "assessments", folder / "assessments", dirs_exist_ok=True)
    assert [step.step for step in run_campaign(folder) if step.status == "waiting"] == ["link", "score"]
    shutil.copytree(folder / ANSWERS / "frames", folder / "frames", dirs_exist_ok=True)
    assert not [step for step in run_campaign(folder) if step.status in ("waiting", "failed")]
    # The answers are those of this pool: nothing was added to them, and nothing in them is superfluous.
    for document in DOCUMENTS:
        assert (folder / "assessments" / document).read_bytes() == (ASSESSMENTS / document).read_bytes()
    pooled = sum(len(arguments.arguments) for arguments, _ in open_store(folder / "pool"))
    assert pooled == sum(len(key.assessed) for key in map(open_key(ASSESSMENTS).key, DOCUMENTS))
    ranking = json.loads((folder / "scores" / "ranking.json").read_text())
    standings = {each["system"]: each["score"] for each in ranking["standings"]}
    assert list(standings) == ["granite", "marble", "slate"]
    assert standings["granite"] - standings["marble"] > 0.03
    assert standings["marble"] - standings["slate"] > 0.2
