"""What is wrong with assessments and reference frames, each thing once, at its line."""

from collections import Counter
from pathlib import Path

import pytest

from adjudge.errors import AdjudgeError, UsageError
from adjudge.findings import Findings
from adjudge.formats.eal_fields import sha1_id
from adjudge.formats.eal_lock import LOCK
from adjudge.formats.eal_store import FramesWriter
from adjudge.model.eal import AnswerKey, Assessment, Frame, Linking, Response
from adjudge.tasks.eal.consistency import check, check_frames, check_key
from adjudge.tasks.eal.settings import BBN_2014_09, BBN_2015, SPEC
from eal_keys import CORPUS, GOOD, named, put, simple
from eal_responses import cases, response

LINE = "x\td\tLife.Die\tVictim\tBob\t0-2\t0-50\t{at}-{at}\tNIL\tActual\t1.0\t{answers}\n"
TIME = response("2003-W10", role="Time", at=(60, 67))


def store(folder: Path, *answers: str) -> Path:
    """A store whose lines differ in their base fillers and in what assessors answered."""
    folder.mkdir()
    rows = [LINE.format(at=number, answers="\t".join(each.split())) for number, each in enumerate(answers)]
    (folder / "d").write_text("".join(rows))
    return folder


def kinds(report: Findings) -> list[tuple[str, int | None, int | None]]:
    return [(each.kind, each.problem.line, each.problem.column) for each in report.findings]


def contents(report: Findings, *names: str) -> tuple[int, ...]:
    return tuple(report.contents[name] for name in names)


# The rules of the file

RULES = {
    "a good response": ("C C C C 1 Actual NAME", []),
    "inexact is not a problem": ("I I I I 1 Actual NOMINAL", []),
    "nothing more after a wrong type": ("W NIL NIL NIL NIL NIL NIL", []),
    "an unknown type": ("NIL NIL NIL NIL NIL NIL NIL", []),
    "a wrong type with a role": ("W C NIL NIL NIL NIL NIL", []),
    "nothing more after a wrong role": ("C W NIL NIL NIL NIL NIL", []),
    "a role is needed": ("C NIL NIL NIL 1 NIL NIL", ["assessment-missing"] * 5),
    "all four are needed": ("C C NIL NIL 1 NIL NIL", ["assessment-missing"] * 4),
    "the realis is needed": ("C C C C 1 NIL NAME", ["assessment-missing"]),
    "the mention type is needed": ("C C C C 1 Actual NIL", ["assessment-missing"]),
    "no CAS after a wrong role": ("C W C NIL 1 NIL NIL", ["assessment-superfluous"]),
    "no realis after a wrong type": ("W NIL NIL NIL 1 Actual NIL", ["assessment-superfluous"]),
    "a right CAS has a cluster": ("C C C C NIL Actual NAME", ["coref-missing"]),
    "an inexact CAS has a cluster": ("C C I C NIL Actual NAME", ["coref-missing"]),
    "a wrong CAS needs none": ("C C W C NIL Actual NAME", []),
    "an answer that is none": ("C C X C 1 Actual NAME", ["assessment-value"]),
}


@pytest.mark.parametrize(("answers", "wanted"), RULES.values(), ids=RULES)
def test_rules_of_the_file(tmp_path: Path, answers: str, wanted: list[str]):
    report = check(store(tmp_path / "store", answers))
    assert [each.kind for each in report.findings] == wanted
    assert report.errors == len(wanted)
    assert all(each.problem.line == 1 and each.problem.hint for each in report.findings)


def test_one_cas_two_clusters(tmp_path: Path):
    """Coreference is transitive, so the clusters are one; the official programs refuse it."""
    path = store(tmp_path / "store", "C C C C 1 Actual NAME", "C C C C 2 Actual NAME")
    for profile, error in ((SPEC, False), (BBN_2015, True)):
        report = check(path, profile=profile)
        found = [(each.kind, each.error, each.problem.line) for each in report.findings]
        assert found == [("coref-conflict", error, 2)]
    assert check(path).contents["cluster"] == 1


def test_a_cluster_on_one_line_is_enough(tmp_path: Path):
    report = check(store(tmp_path / "store", "C C C C NIL Actual NAME", "C C C C 2 Actual NAME"))
    assert report.findings == []


def test_the_same_response_twice(tmp_path: Path):
    """`answer_key_consistency`: the same assessment twice is accepted, two different ones are an error."""
    case = cases()["answer_key_consistency"]
    folder = store(tmp_path / "store", "C C C C 1 Actual NAME")
    line = (folder / "d").read_text()
    (folder / "d").write_text(line * 2)
    assert case["same_response_same_assessment_twice"] == "accepted"
    assert check(folder).findings == []
    (folder / "d").write_text(line + line.replace("NAME", "NOMINAL"))
    assert case["same_response_different_assessments"] == "error"
    report = check(folder)
    assert [(each.kind, each.error, each.problem.line) for each in report.findings] == [
        ("assessment-conflict", True, 2)
    ]


def test_assessed_wins_over_unassessed(tmp_path: Path):
    folder = store(tmp_path / "store", "C C C C 1 Actual NAME")
    line = (folder / "d").read_text()
    (folder / "d").write_text(line.replace("NAME", "UNANNOTATED") + line)
    report = check(folder)
    assert (report.findings, contents(report, "assessed response", "unassessed response")) == ([], (1, 0))


def test_all_problems_at_once(tmp_path: Path):
    folder = store(tmp_path / "store", "C NIL NIL NIL NIL NIL NIL", "W NIL C NIL NIL NIL NIL", "C C C C 1 Actual NIL")
    (folder / "e").write_text("too short\n")
    report = check(folder)
    assert report.counts == {"assessment-missing": 6, "assessment-superfluous": 1, "columns": 1}
    assert {each.document for each in report.findings} == {"d", "e"}


# What comes beyond


def test_unassessed_rest(tmp_path: Path):
    waits = " ".join(["UNANNOTATED"] * 7)
    report = check(store(tmp_path / "store", "W NIL NIL NIL 1 NIL NIL", waits, waits))
    (found,) = report.findings
    assert (found.kind, found.error, found.problem.line) == ("unassessed", False, 2)
    assert found.problem.message == "2 of 3 responses are not assessed"
    assert contents(report, "assessed response", "unassessed response") == (1, 2)


@pytest.mark.parametrize(("profile", "wanted"), [(SPEC, []), (BBN_2015, [("coref-absent", True)]), (BBN_2014_09, [])])
def test_a_wrong_cas_without_a_cluster(profile, wanted):
    key = AnswerKey("d", {response(): Assessment("W")}, (), {})
    assert [(each.kind, each.error) for each in check_key(key, "d", profile=profile)] == wanted


@pytest.mark.parametrize("cas", ["C", "I", "W"])
@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("2003-W10", {"spec", "bbn-2015", "bbn-2014-09"}),
        ("XXXX-05-04", {"bbn-2015", "bbn-2014-09"}),
        ("2003-xx-xx", {"bbn-2014-09"}),
        ("2003-05-04", set()),
    ],
)
def test_broken_times(cas, text: str, broken: set[str]):
    time = response(text, role="Time", at=(60, 69))
    other = response(text)  # not a time: may be what it likes
    key = AnswerKey("d", {time: GOOD._replace(cas=cas), other: GOOD}, (), {time.cas: 1, other.cas: 2})
    for profile in (SPEC, BBN_2015, BBN_2014_09):
        found = check_key(key, "d", profile=profile)
        wanted = ["broken-time"] if profile.name in broken and cas != "W" else []
        assert [each.kind for each in found] == wanted
        assert all(each.error == (profile.name == "bbn-2014-09") for each in found)


# Reference frames


def findings(key: AnswerKey, linking: Linking, profile=SPEC) -> list[tuple[str, bool]]:
    return [(each.kind, each.error) for each in check_frames(linking, key, "frames/d", profile=profile)]


def linked(*groups: list[Response], rest: tuple[Response, ...] = ()) -> Linking:
    return Linking("d", [Frame(frozenset(group)) for group in groups], frozenset(rest))


def changed(key: AnswerKey, letter: str, **answers) -> AnswerKey:
    each = named(letter)
    return AnswerKey("d", {**key.assessed, each: GOOD._replace(**answers)}, key.unassessed, key.coref)


def test_all_is_well():
    key = simple(c1="ab", c2="c")
    assert findings(key, linked([named("a"), named("c")])) == []
    assert findings(key, linked([named("a"), named("b"), named("c")], [named("c")])) == []


@pytest.mark.parametrize(
    "answers",
    [{"event_type": "W"}, {"role": "W"}, {"cas": "W"}, {"base_filler": "W"}, {"realis": "Other"}, {"role": None}],
)
def test_wrong_responses_in_frames(answers: dict):
    alone = changed(simple(c1="a", c2="b"), "a", **answers)
    assert findings(alone, linked([named("a"), named("b")])) == [("frame-wrong", True)]
    # With another response of its class that is right, the class is right, and only this listing is not.
    beside = changed(simple(c1="ac", c2="b"), "a", **answers)
    assert findings(beside, linked([named("a"), named("b")])) == [("frame-wrong-response", False)]


def test_the_reason_is_said():
    key = changed(simple(c1="a"), "a", realis="Other")
    (found,) = check_frames(linked([named("a")]), key, "frames/d")
    assert "its realis is Actual, and should be Other" in found.problem.message


def test_unassessed_and_generic_responses_in_frames():
    key = simple(c1="a")
    waits = named("b")
    key = AnswerKey("d", key.assessed, [waits], key.coref)
    assert findings(key, linked([named("a"), waits])) == [("frame-unassessed", True)]
    generic = response("g", realis="Generic")
    key = AnswerKey("d", {**key.assessed, generic: GOOD._replace(realis="Generic")}, (), {**key.coref, generic.cas: 9})
    assert findings(key, linked([named("a"), generic])) == [("frame-generic", False)]


def test_missing_and_waiting_classes():
    key = simple(c1="ab", c2="c")
    assert findings(key, linked([named("a")])) == [("frame-missing", True)]
    assert findings(key, linked([named("a")], rest=(named("c"),))) == [("unlinked", False)]
    assert findings(key, linked([named("a"), named("c")], rest=(named("b"),))) == [("half-linked", False)]


def test_what_should_not_wait_to_be_linked():
    key = changed(simple(c1="a", c2="b"), "b", cas="W")
    assert findings(key, linked([named("a")], rest=(named("b"),))) == [("incomplete-wrong", False)]


def test_mixed_types_and_repeated_frames():
    injured = named("b")._replace(type="Life.Injure")
    key = simple(c1="a", c2="b")
    key = AnswerKey("d", {**key.assessed, injured: GOOD}, (), key.coref)
    found = findings(key, linked([named("a"), injured], [named("b")], [named("b")]))
    assert found == [("frame-types", False), ("frame-repeated", False)]


@pytest.mark.parametrize("profile", [SPEC, BBN_2015])
def test_broken_times_in_frames(profile):
    key = AnswerKey("d", {TIME: GOOD}, (), {TIME.cas: 1})
    (found,) = check_frames(linked([TIME], [TIME]), key, "frames/d", profile=profile)[:1]
    assert (found.kind, found.error) == ("frame-broken-time", False)
    assert ("leave it out" in str(found.problem)) == (profile is SPEC)
    # It need not be linked.
    assert findings(key, linked(), profile) == []


def test_places(tmp_path: Path):
    wrong = changed(simple(c1="a", c2="b", c3="c"), "b", cas="W")
    put(tmp_path / "key", wrong)
    (tmp_path / "frames").mkdir()
    a, b, c = (sha1_id(named(letter)) for letter in "abc")
    (tmp_path / "frames" / "d").write_text(f"# a comment\n\n{a}\n{a}\t{b}\nINCOMPLETE\t{c}\n")
    report = check(tmp_path / "key", frames=tmp_path / "frames")
    assert kinds(report) == [("frame-wrong", 4, 42), ("unlinked", 5, 12)]
    assert report.findings[0].problem.path == f"{tmp_path}/frames/d"
    assert contents(report, "frame", "TRFR", "linked TRFR") == (2, 2, 1)
    # The layout of 2016 has names in front.
    (tmp_path / "frames" / "d").write_text(f"h1\t{a}\nh2\t{a} {b}\nINCOMPLETE\t{c}\n")
    assert kinds(check(tmp_path / "key", frames=tmp_path / "frames")) == [("frame-wrong", 2, 45), ("unlinked", 3, 12)]


def test_files_of_frames_that_are_missing_or_too_many(tmp_path: Path):
    put(tmp_path / "key", simple(c1="a"), AnswerKey("e"))
    with FramesWriter(tmp_path / "frames") as writer:
        writer.write(Linking("z"))
    report = check(tmp_path / "key", frames=tmp_path / "frames")
    assert [(each.kind, each.error, each.document) for each in report.findings] == [
        ("frames-absent", True, "d"),
        ("frames-absent", False, "e"),
        ("frames-stray", True, "z"),
    ]
    assert [each.kind for each in check(tmp_path / "key", frames=tmp_path / "frames", documents=["e"]).findings] == [
        "frames-absent"
    ]


def test_documents_that_must_be_there(tmp_path: Path):
    put(tmp_path / "key", simple(c1="a"), AnswerKey("e"))
    report = check(tmp_path / "key", documents=["d", "D", "f"])
    assert [(each.kind, each.document) for each in report.findings] == [
        ("missing-document", "D"),
        ("missing-document", "f"),
    ]
    assert report.contents["document"] == 1


def test_what_is_said_of_the_corpus():
    """Random frames: 22 of 27 mix types. Times: 2003-W10 is not a date; by the official program XXXX-03-04 is none."""
    report = check(CORPUS / "key", frames=CORPUS / "ref", limit=0)
    assert (report.errors, Counter(each.kind for each in report.findings)) == (
        0,
        {"frame-types": 22, "broken-time": 1},
    )
    assert contents(report, "document", "assessed response", "unassessed response") == (12, 205, 0)
    assert contents(report, "frame", "TRFR", "linked TRFR") == (27, 82, 82)
    official = check(CORPUS / "key", frames=CORPUS / "ref", limit=0, profile=BBN_2015)
    assert (official.errors, Counter(each.kind for each in official.findings)) == (
        0,
        {"frame-types": 22, "broken-time": 3, "frame-broken-time": 1},
    )
    texts = sorted(each.problem.message.split("'")[1] for each in official.findings if each.kind == "broken-time")
    assert texts == ["2003-W10", "XXXX-03-04", "XXXX-03-04"]


def test_the_limit_counts_the_rest():
    report = check(CORPUS / "key", frames=CORPUS / "ref", limit=5)
    assert (len(report.findings), report.counts, report.warnings) == (6, {"frame-types": 22, "broken-time": 1}, 23)


def test_a_locked_store_is_not_checked(tmp_path: Path):
    put(tmp_path / "key", simple(c1="a"))
    (tmp_path / "key" / LOCK).touch()
    with pytest.raises(UsageError, match="locked"):
        check(tmp_path / "key")


def test_no_store(tmp_path: Path):
    with pytest.raises(AdjudgeError):
        check(tmp_path / "nothing")
