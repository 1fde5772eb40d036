"""The rules before scoring: who goes, from which side, and that it is counted."""

import msgspec
import pytest

from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Cas, Frame, Linking, Response, Span
from adjudge.tasks.eal.diagnostics import gold_notes, gold_remarks, system_notes, system_remarks
from adjudge.tasks.eal.measures import table_of
from adjudge.tasks.eal.reference import repaired_key, vague_dates
from adjudge.tasks.eal.settings import BBN_2015, COVERS, SPEC, Settings, decide
from adjudge.tasks.eal.settings import settings as choose
from eal_keys import compare_values

RIGHT = Assessment("C", "C", "C", "C", "Actual", "NAME")
WRONG = Assessment("W")


def filler(text, type_="Life.Die", role="Victim", realis="Actual", at=0, document="d"):
    span = Span(at, at + len(text) - 1)
    return Response(document, type_, role, Cas(text, span), span, (Span(0, 99),), (), realis)


def date(text, at=0, **more):
    return filler(text, role="Time", at=at, **more)


def linked(*groups):
    return Linking("d", [Frame(frozenset(group)) for group in groups])


def scored(system, assessed, *, frames=(), own=None, coref=None, chosen=None, regions=None):
    numbers = coref or {response.cas: n for n, response in enumerate(assessed)}
    key = AnswerKey("d", assessed, (), numbers)
    arguments = Arguments("d", [Argument(each) for each in system])
    mine = linked(*own) if own is not None else linked(*([each] for each in system if each.realis != "Generic"))
    return compare_values(arguments, mine, key, linked(*frames), chosen or Settings(), regions=regions)


def counts(found):
    tp, system, gold, _ = found.row[:4]
    return tp, system - tp, gold - tp


@pytest.mark.parametrize("pair", [("Life.Die", "Life.Injure"), *COVERS.values()])
def test_a_correct_response_covers_those_of_another_type(pair):
    one, other = pair
    big, small, wrong = filler("Bob", one), filler("Bobby", other, at=9), filler("Ann", other, at=20)
    coref = {big.cas: 1, small.cas: 1, wrong.cas: 2}
    chosen = choose(covers=[f"{one}={other}"])
    found = scored(
        [small, wrong], {big: RIGHT, small: RIGHT, wrong: WRONG}, frames=[[big, small]], coref=coref, chosen=chosen
    )
    assert counts(found) == (0, 1, 1)
    assert found.removed == {"covered": 1}
    assert found.observed.links.size == 1
    # Not if it is wrong, nor with another role or realis.
    kept = scored([small], {big: WRONG, small: RIGHT}, frames=[[small]], coref=coref, chosen=chosen)
    assert counts(kept) == (1, 0, 0)
    for change in ({"role": "Agent"}, {"realis": "Other"}):
        differs = small._replace(**change)
        answer = RIGHT._replace(realis=differs.realis)
        kept = scored([differs], {big: RIGHT, differs: answer}, frames=[[big, differs]], coref=coref, chosen=chosen)
        assert counts(kept) == (1, 0, 1)


def test_only_life_is_covered_unless_it_is_asked_for():
    one, other = COVERS["movement"]
    big, small = filler("Bob", one, "Agent"), filler("Bob", other, "Agent")
    both = {big: RIGHT, small: RIGHT}
    assert counts(scored([small], both, coref={big.cas: 1})) == (1, 0, 1)
    assert counts(scored([small], both, coref={big.cas: 1}, chosen=choose(covers=["movement"]))) == (0, 0, 1)


def test_times_that_say_less_go_from_all_sides():
    day, month = date("2003-05-04"), date("2003-05-XX", at=30)
    found = scored([month, day], {day: RIGHT, month: RIGHT}, frames=[[day, month]])
    assert counts(found) == (1, 0, 0)
    assert found.removed == {"less-specific-time": 1}
    assert found.observed.links == (1.0, 1.0, 1.0, 1, 1, 0, 0, 0)
    # An unassessed one goes as well.
    chosen = Settings(msgspec.structs.replace(SPEC, unassessed="false-positive"))
    assert counts(scored([month, day], {day: RIGHT}, coref={day.cas: 1, month.cas: 2}, chosen=chosen)) == (1, 0, 0)


def test_what_makes_times_go_is_a_decision():
    day, month = date("2003-05-04"), date("2003-05-XX", at=30)
    other = month._replace(realis="Other")
    half = RIGHT._replace(base_filler="W")
    assert counts(scored([month], {day: half, month: RIGHT})) == (0, 0, 0)
    good = Settings(decide("spec", {"time_rule_requires": "good"}))
    assert counts(scored([month], {day: half, month: RIGHT}, chosen=good)) == (1, 0, 0)
    answers = {day: RIGHT, other: RIGHT._replace(realis="Other")}
    # The task description names document, type and role only; the official programs ask for the same realis as well.
    assert counts(scored([other], answers)) == (0, 0, 1)
    alike = Settings(decide("spec", {"time_rule_same_realis": "yes"}))
    assert counts(scored([other], answers, chosen=alike)) == (1, 0, 1)
    assert counts(scored([other], answers, chosen=choose("bbn-2015"))) == (1, 0, 1)


@pytest.mark.parametrize("text", ["2003-XX-04", "200X-05-04"])
def test_a_date_says_less_with_fewer_digits_anywhere(text):
    day, less = date("2003-05-04"), date(text, at=30)
    assert counts(scored([less], {day: RIGHT, less: RIGHT})) == (0, 0, 1)
    assert counts(scored([less], {day: RIGHT, less: RIGHT}, chosen=choose("bbn-2015"))) == (1, 0, 1)


def test_a_date_without_its_year_is_one_by_the_task_description_only():
    day, may = date("2003-05-04"), date("XXXX-05-XX", at=30)
    assert ("Life.Die", "Time", None, "XXXX-05-XX") in vague_dates({day: RIGHT}.items(), SPEC)
    assert ("Life.Die", "Time", "Actual", "XXXX-05-XX") not in vague_dates({day: RIGHT}.items(), BBN_2015)
    assert counts(scored([may], {may: RIGHT})) == (1, 0, 0)
    official = scored([may], {may: RIGHT}, chosen=choose("bbn-2015"))
    assert counts(official) == (0, 1, 0)


def test_broken_times_are_wrong_and_leave_the_reference_or_not():
    bad, ann = date("in May"), filler("Ann", at=40)
    answers, frames = {bad: RIGHT, ann: RIGHT}, [[bad, ann]]
    found = scored([bad, ann], answers, frames=frames)
    assert counts(found) == (1, 1, 0)
    assert (found.observed.links.f, found.observed.links.size) == (1.0, 1)
    official = scored([bad, ann], answers, frames=frames, chosen=choose("bbn-2015"))
    assert (official.observed.links.f, official.observed.links.size) == (0.0, 2)


def test_small_x():
    small = date("2003-xx-xx")
    key = AnswerKey("d", {small: RIGHT}, (), {small.cas: 4})
    repaired = repaired_key(key)
    assert [response.cas.text for response in repaired.assessed] == ["2003-XX-XX"]
    assert repaired.coref[next(iter(repaired.assessed)).cas] == 5
    assert repaired_key(repaired) is repaired
    late = compare_values(Arguments("d", [Argument(small)]), None, key, None, choose("bbn-2014"))
    assert late.row[:3] == (1, 1, 1)


def test_quotations_go_from_all_sides():
    quoted, ann = filler("Bob", at=10), filler("Ann", at=40)
    answers, frames = {quoted: RIGHT, ann: RIGHT}, [[quoted, ann]]
    found = scored([quoted, ann], answers, frames=frames, own=[[quoted, ann]], regions=[Span(8, 20)])
    assert counts(found) == (1, 0, 0)
    assert found.removed == {"quoted": 1}
    assert (found.observed.links.f, found.observed.links.size) == (1.0, 1)


def test_every_rule_that_changed_something_is_told():
    day, month = date("2003-05-04"), date("2003-05-XX", at=30)
    die, hurt = filler("Bob", at=50), filler("Bob", "Life.Injure", at=50)
    again = die._replace(base_filler=Span(1, 2))
    answers = dict.fromkeys((day, month, die, hurt, again), RIGHT)
    system = [day, month, die, hurt, again]
    found = scored(system, answers, frames=[[day, die, hurt, month]], own=[system])
    remarks = [("d", each) for each in system_remarks(found, Settings(), len(system))]
    notes = system_notes(remarks, table_of(["d"], [found.row], Settings()), Settings())
    told = {note.code: note.count for note in notes}
    assert told == {"removed-covered": 1, "removed-less-specific-time": 1, "removed-redundant": 1}
    (message,) = [note.message for note in notes if note.code == "removed-covered"]
    assert (
        message == "1 of 5 responses removed as covered by a correct response of another type (Life.Injure by Life.Die)"
    )


def test_what_a_view_changes_in_the_key_is_told():
    from adjudge.tasks.eal.compare import prepare

    meet, made = filler("Bob", "Contact.Meet"), filler("car", "Manufacture.Artifact", at=9)
    said = filler("Ann", at=20)._replace(realis="Other")
    key = AnswerKey(
        "d",
        {meet: RIGHT, made: RIGHT, said: RIGHT._replace(realis="Other")},
        (),
        {each.cas: n for n, each in enumerate((meet, made, said))},
    )
    chosen = choose(taxonomy="collapsed", neutralize="realis")
    prepared = prepare(key, linked([meet], [made], [said]), chosen)
    remarks = [("d", each) for each in gold_remarks(prepared, key)]
    assert [note.message for note in gold_notes(remarks, chosen)] == [
        "the key: 1 response removed because the collapsed taxonomy does not have its type",
        "the reference frames: 1 response removed because the collapsed taxonomy does not have its type",
        "the key: 1 response got the merged event type",
        "the key: 1 response became Actual",
    ]


def test_what_is_odd_about_the_reference_is_told():
    from adjudge.tasks.eal.compare import prepare

    good, wrong, lost = filler("Bob"), filler("Ann", at=9), filler("Joe", at=20)
    key = AnswerKey(
        "d", {good: RIGHT, wrong: WRONG, lost: RIGHT}, (), {r.cas: n for n, r in enumerate((good, wrong, lost))}
    )
    prepared = prepare(key, linked([good, wrong]), Settings())
    remarks = [("d", each) for each in gold_remarks(prepared, key)]
    assert {note.code for note in gold_notes(remarks, Settings())} == {"reference-wrong", "reference-missing"}


def test_the_two_weaknesses_are_told():
    good = filler("Bob")
    wrong = [filler(name, at=20 + 9 * n) for n, name in enumerate("abcdefg")]
    answers = {good: RIGHT, **dict.fromkeys(wrong, WRONG)}
    found = scored([good, *wrong], answers, frames=[[good]], own=[[good, *wrong[:2]], wrong[2:]])
    notes = {note.code: note for note in system_notes([], table_of(["d"], [found.row], Settings()), Settings())}
    assert found.row[3] == 0.0
    assert notes["free-false-positives"].count == 3  # with 4 the score is 0 already
    assert notes["free-fillers"].count == 2  # those beside the right one
    assert "2 of 8 fillers in frames (25.0 %)" in notes["free-fillers"].message
    assert found.observed.links.f == 1.0
