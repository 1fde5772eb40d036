"""Counts of documents against a slow and obvious implementation, and what the proposal promises of the score."""

from functools import partial
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError, UsageError, ValidationError
from adjudge.formats.eal_fields import is_valid, less_specific
from adjudge.formats.eal_store import FramesWriter, KeyWriter, StoreWriter
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Cas, Frame, Linking, Response, Span
from adjudge.stats.result import Result
from adjudge.tasks.eal.compare import compare, prepare
from adjudge.tasks.eal.measures import document_scores, table_of
from adjudge.tasks.eal.responses import best, class_of, grouped, is_good, is_perfect, keep_best
from adjudge.tasks.eal.settings import BBN_2014_09, BBN_2015, SPEC, Settings
from adjudge.tasks.eal.settings import settings as choose
from adjudge.tasks.eal.task import score
from eal_keys import compare_values, counted

RIGHT = Assessment("C", "C", "C", "C", "Actual", "NAME")
WRONG = Assessment("W")


@st.composite
def campaigns(draw, *, whole=True):
    """A small document of key, reference frames, system and linking, in which classes compete and rules apply."""
    fillers = [Cas("Bob", Span(0, 2)), Cas("he", Span(9, 10)), Cas("Rome", Span(20, 23))]
    times = [
        Cas(text, Span(30 + n, 39 + n)) for n, text in enumerate(("2003-05-04", "2003-05-XX", "XXXX-05-04", "May"))
    ]
    responses = st.one_of(
        st.builds(
            Response,
            st.just("d"),
            st.sampled_from(("Life.Die", "Life.Injure")),
            st.sampled_from(("Victim", "Place")),
            st.sampled_from(fillers),
            st.sampled_from((Span(0, 2), Span(9, 10))),
            st.just((Span(0, 50),)),
            st.just(()),
            st.sampled_from(("Actual", "Actual", "Other", "Generic")),
        ),
        st.builds(
            Response,
            st.just("d"),
            st.sampled_from(("Life.Die", "Life.Injure")),
            st.just("Time"),
            st.sampled_from(times),
            st.just(Span(30, 39)),
            st.just((Span(0, 50),)),
            st.just(()),
            st.sampled_from(("Actual", "Other")),
        ),
    )
    pool = draw(st.lists(responses, unique=True, max_size=12))
    answers = st.sampled_from(
        (RIGHT, RIGHT, RIGHT, RIGHT._replace(cas="I"), RIGHT._replace(base_filler="W"), RIGHT._replace(cas="W"), WRONG)
    )
    assessed = {}
    for each in pool:
        answer = draw(answers)
        realis = draw(st.sampled_from((each.realis, each.realis, each.realis, "Other")))
        assessed[each] = answer if answer.role is None else answer._replace(realis=realis)
    coref = {cas: number for number, cas in enumerate((*fillers, *times))}
    if draw(st.booleans()):
        coref[fillers[1]] = coref[fillers[0]]
    key = AnswerKey("d", assessed, (), coref)
    linkable = [each for each in pool if each.realis != "Generic" and is_good(each, assessed[each])]
    groups = st.frozensets(st.sampled_from(linkable), min_size=1, max_size=4) if linkable else st.nothing()
    frames = draw(st.lists(groups, max_size=4)) if linkable else []
    found = [each for each in pool if draw(st.booleans())]
    arguments = Arguments("d", [Argument(each, draw(st.sampled_from((0.3, 0.5, 0.9)))) for each in found])
    mine = [each for each in found if each.realis != "Generic"]
    own = draw(st.lists(st.frozensets(st.sampled_from(mine), min_size=1, max_size=4), max_size=4)) if mine else []
    if whole:
        inside = frozenset().union(*own)
        own += [frozenset((each,)) for each in mine if each not in inside]
    return arguments, linking_of(own), key, linking_of(frames)


def linking_of(groups):
    return Linking("d", [Frame(frozenset(group)) for group in groups])


def slow(arguments, linking, key, frames, profile, beta=0.25):
    """The counts as the task description and the proposal put them, set by set."""
    assessed = dict(key.assessed)
    broken = set()
    for response, answer in key.assessed.items():
        fine = is_valid(response.cas.text, x_year=profile.x_year, lower_x=profile.lower_x)
        if response.role == "Time" and answer.cas in ("C", "I") and not fine:
            broken.add(response)
            assessed[response] = answer._replace(cas="W")
    trfr = partial(class_of, coref=key.coref)

    def good(response):
        return response in assessed and is_good(response, assessed[response])

    died = {trfr(r)._replace(type="Life.Injure") for r in assessed if r.type == "Life.Die" and good(r)}
    hurt = {r for r in assessed if trfr(r) in died}
    left = {r: a for r, a in assessed.items() if r not in hurt}
    vague = set()
    for response, answer in left.items():
        if response.role == "Time" and answer.cas in ("C", "I"):
            vague |= {
                (response.type, response.realis if profile.time_rule_same_realis else None, text)
                for text in less_specific(response.cas.text, x_year=profile.x_year)
            }
    realis = (lambda r: r.realis) if profile.time_rule_same_realis else (lambda _: None)
    gone = hurt | {r for r in left if r.role == "Time" and (r.type, realis(r), r.cas.text) in vague}
    left = {r: a for r, a in left.items() if r not in gone}
    kept_frames = [frozenset(r for r in frame.responses if r not in gone) for frame in linking.frames]
    system = Arguments("d", [a for a in arguments.arguments if a.response not in gone])
    everything = system
    outcome = keep_best(system, linking_of(kept_frames), groups=grouped(trfr), unlinked=profile.unlinked)
    system = outcome.arguments
    correct = {trfr(r) for r in left if good(r)}
    classes = {}
    for argument in system.arguments:
        classes.setdefault(trfr(argument.response), []).append(argument)
    tp = sum(good(best(each).response) for each in classes.values())
    dropped = broken if profile.broken_time_in_reference == "drop" else set()
    reference = [{trfr(r) for r in frame.responses if r not in gone | dropped} for frame in frames.frames]
    known = set().union(*reference)
    own = [{trfr(r) for r in frame.responses if good(r)} & known for frame in outcome.linking.frames]

    def near(x, groups):
        return set().union(*(group for group in groups if x in group)) - {x}

    f = 0.0
    for x in known:
        if not any(x in group for group in own):
            continue
        mine, theirs = near(x, own), near(x, reference)
        if not mine and not theirs:
            f += 1
        elif mine & theirs:
            p, r = len(mine & theirs) / len(mine), len(mine & theirs) / len(theirs)
            f += 2 * p * r / (p + r)
    all_classes = {}
    for argument in everything.arguments:
        all_classes.setdefault(trfr(argument.response), []).append(argument)
    leaders = {each: best(members).response for each, members in all_classes.items()}
    return {
        "tp": tp,
        "system": len(classes),
        "gold": len(correct),
        "raw": max(0.0, tp - beta * (len(classes) - tp)),
        "f": f,
        "size": len(known),
        "2014": (
            len(leaders),
            sum(map(good, leaders.values())),
            len(correct),
            sum(is_perfect(r, assessed[r]) for r in leaders.values()),
            len({trfr(r) for r in left if is_perfect(r, assessed[r])}),
            sum(each in correct for each in leaders),
            len(correct),
        ),
    }


def fast(arguments, linking, key, frames, chosen):
    return compare_values(arguments, linking, key, frames, chosen)


@given(campaigns(whole=False), st.sampled_from((SPEC, BBN_2015)), st.sampled_from(("drop", "singleton")))
@settings(max_examples=125)
def test_differential(campaign, profile, unlinked):
    profile = msgspec.structs.replace(profile, unlinked=unlinked)
    found = fast(*campaign, Settings(profile))
    expected = slow(*campaign, profile)
    tp, system, gold, raw, *rest = found.row
    assert (tp, system, gold, raw) == (expected["tp"], expected["system"], expected["gold"], expected["raw"])
    assert found.observed.links.f == pytest.approx(expected["f"])
    assert found.observed.links.size == expected["size"]
    assert tuple(rest[:7]) == expected["2014"]


@given(campaigns())
@settings(max_examples=30)
def test_kept_responses_are_those_of_trimming_with_clusters(campaign):
    arguments, linking, key, frames = campaign
    found = fast(arguments, linking, key, frames, Settings())
    left = [each for each, code in zip(found.observed.arguments, found.observed.codes, strict=True) if code >= 0]
    inside = {each.response for each in left}
    frames_left = linking_of([[r for r in frame.responses if r in inside] for frame in linking.frames])
    outcome = keep_best(Arguments("d", left), frames_left, groups=grouped(partial(class_of, coref=key.coref)))
    kept = [each for each, keep in zip(found.observed.arguments, found.observed.kept, strict=True) if keep]
    assert kept == list(outcome.arguments.arguments)
    assert found.removed.get("redundant", 0) == len(outcome.removed)


# What the proposal promises: improvements never cost anything


def scores_of(arguments, linking, key, frames, chosen):
    found = fast(arguments, linking, key, frames, chosen)
    (scores,) = document_scores(table_of(["d"], [found.row], chosen), chosen)
    return scores


def not_lower(before, after):
    for part in ("argument", "linking", "overall"):
        if before[part] is not None:
            assert after[part] >= before[part] - 1e-12


@given(campaigns(), st.randoms(use_true_random=False), st.booleans(), st.sampled_from((0.0, 0.25, 1.0)))
@settings(max_examples=100)
def test_adding_a_correct_class_never_lowers_the_score(campaign, rng, alone, beta):
    """Whether by itself, or with right links only: into a frame all of whose counted members are its neighbours."""
    arguments, linking, key, frames = campaign
    chosen = Settings(beta=beta)
    reference = prepare(key, frames, chosen).reference
    right = {r: code >> 2 for r, code in reference.codes.items() if code >= 0 and code & 1}
    trfr = partial(class_of, coref=key.coref)
    there = {trfr(each.response) for each in arguments.arguments}
    missing = [r for r in right if trfr(r) not in there]
    if not missing:
        return
    new = rng.choice(missing)
    more = Arguments("d", [*arguments.arguments, Argument(new, 0.5)])
    groups = [set(frame.responses) for frame in linking.frames]
    if new.realis != "Generic":
        bits, near = reference.frames.bits, 0
        for mask in reference.frames.masks:
            near |= mask if mask & bits.get(right[new], 0) else 0
        fitting = []
        for place, group in enumerate(groups):
            counted = [bits.get(right[r], 0) for r in group if r in right]
            if any(counted) and all(bit & near == bit for bit in counted):
                fitting.append(place)
        if alone or not fitting:
            groups.append({new})
        else:
            groups[rng.choice(fitting)].add(new)
    not_lower(scores_of(*campaign, chosen), scores_of(more, linking_of(groups), key, frames, chosen))


@given(campaigns(), st.randoms(use_true_random=False), st.sampled_from((0.0, 0.25, 1.0)))
@settings(max_examples=100)
def test_removing_a_false_class_never_lowers_the_score(campaign, rng, beta):
    arguments, linking, key, frames = campaign
    chosen = Settings(beta=beta)
    trfr = partial(class_of, coref=key.coref)
    codes = prepare(key, frames, chosen).reference.codes
    correct = {trfr(r) for r, code in codes.items() if code >= 0 and code & 1}
    false = sorted({trfr(each.response) for each in arguments.arguments} - correct, key=str)
    if not false:
        return
    one = rng.choice(false)
    fewer = Arguments("d", [each for each in arguments.arguments if trfr(each.response) != one])
    groups = [[r for r in frame.responses if trfr(r) != one] for frame in linking.frames]
    not_lower(scores_of(*campaign, chosen), scores_of(fewer, linking_of([g for g in groups if g]), key, frames, chosen))


def person(name, **more):
    at = Span(ord(name[0]), ord(name[0]))
    return Response("d", "Life.Die", "Victim", Cas(name, at), at, (Span(0, 9),), (), "Actual")._replace(**more)


def test_where_more_is_not_better():
    """Link precision may fall with a correct class, and so may the link score if it is linked to the wrong ones."""
    a, b, c = map(person, "abc")
    key = AnswerKey("d", dict.fromkeys((a, b, c), RIGHT), (), {each.cas: n for n, each in enumerate((a, b, c))})
    frames = linking_of([[a, b], [c]])

    def of(*groups):
        system = Arguments("d", [Argument(each) for each in {r for g in groups for r in g}])
        return scores_of(system, linking_of(groups), key, frames, Settings())

    before, alone, wrong = of([a, b]), of([a, b], [c]), of([a, b, c])
    assert before["link-precision"] == alone["link-precision"] == 1.0
    assert of([c])["link-precision"] > of([c], [a])["link-precision"]
    assert of([c])["overall"] < of([c], [a])["overall"]
    assert wrong["linking"] < before["linking"] < alone["linking"]


# Stores


@pytest.fixture
def stores(tmp_path: Path):
    a, b = person("a"), person("b")
    wrong = person("w")
    coref = {each.cas: n for n, each in enumerate((a, b, wrong))}

    def of(document, response):
        return response._replace(document=document)

    with KeyWriter(tmp_path / "key") as key, FramesWriter(tmp_path / "ref") as ref:
        for document in ("NYT_1", "bolt_2"):
            mine = {of(document, a): RIGHT, of(document, b): RIGHT, of(document, wrong): WRONG}
            key.write(AnswerKey(document, mine, (), coref))
            ref.write(Linking(document, [Frame(frozenset((of(document, a), of(document, b))))]))
    for name, responses in (("good", (a, b)), ("poor", (a, wrong))):
        with StoreWriter(tmp_path / name) as writer:
            for document in ("NYT_1", "bolt_2")[: 1 + (name == "good")]:
                mine = [of(document, each) for each in responses]
                writer.write(
                    Arguments(document, [Argument(each, 0.5) for each in mine]),
                    Linking(document, [Frame(frozenset(mine))]),
                )
    return tmp_path


def test_a_result(stores, tmp_path):
    result = score(stores / "key", stores / "ref", [stores / "good", stores / "poor"], bootstrap=100)
    good, poor = result.systems
    assert good["eal.overall"].score == 1.0
    # One document: 1 of 2 found, 1 wrong, a is alone; the other document is missing.
    assert poor["eal.argument"].score == pytest.approx((1 - 0.25) / 4)
    assert (poor["eal.argument"].tp, poor["eal.argument"].fp, poor["eal.argument"].fn) == (1, 1, 3)
    assert poor["eal.linking"].score == 0.0
    assert {note.code: note.count for note in poor.notes}["missing-document"] == 1
    assert result.signature.startswith("eal|profile:spec|beta:0.25|lambda:0.5|")
    result.save(tmp_path / "saved.json")
    assert Result.load(tmp_path / "saved.json").to_json() == result.to_json()


@pytest.mark.parametrize("bootstrap", [0, 10])
def test_lambda_weighs_the_argument_score_and_in_the_official_program_the_linking(stores, bootstrap):
    for profile, weight in (("spec", 0.25), ("bbn-2015", 0.75)):
        result = score(
            stores / "key",
            stores / "ref",
            {"poor": stores / "poor", "good": stores / "good"},
            profile=profile,
            lambda_=0.25,
            docs=["NYT_1"],
            bootstrap=bootstrap,
            extras=["f"],
        )
        # 1 of 2 found, 1 wrong, nothing linked: the argument score is 3/8, F1 is 1/2.
        assert result["eal.overall"]["poor"].score == pytest.approx(weight * 3 / 8)
        assert result["eal.overall.f"]["poor"].score == pytest.approx(weight / 2)
        assert result.system("good")["eal.overall"].score == pytest.approx(1.0)
        assert [each.part for each in result.systems[0].scores if each.metric == "eal.overall"] == ["score"]


def test_macro_leaves_out_documents_without_anything_to_find(stores):
    micro = score(stores / "key", stores / "ref", {"poor": stores / "poor"}, bootstrap=0)
    macro = score(stores / "key", stores / "ref", {"poor": stores / "poor"}, bootstrap=0, pool="macro")
    assert micro["eal.argument"].score == macro["eal.argument"].score == pytest.approx(0.1875)
    only = score(stores / "key", stores / "ref", stores / "poor", docs=["NYT_1"], bootstrap=0)
    assert only["eal.argument"].score == pytest.approx(0.375)
    assert "docs:1#" in only.signature


def test_without_frames_arguments_are_scored_alone(stores):
    result = score(stores / "key", None, stores / "good", bootstrap=0)
    assert "eal.linking" not in result
    assert result["eal.argument"].score == 1.0


def test_mistakes(stores):
    for more, problem in (
        ({"lambda_": 2}, "lambda is 2"),
        ({"profile": "bbn"}, "no profile 'bbn'"),
        ({"taxonomy": "flat"}, "no taxonomy 'flat'"),
        ({"neutralize": "time"}, "no diagnostic 'time'"),
        ({"covers": ["Life.Die"]}, "which type covers which"),
        ({"extras": ["muc"]}, "no measure 'muc'"),
    ):
        with pytest.raises(UsageError, match=problem):
            score(stores / "key", stores / "ref", stores / "good", bootstrap=0, **more)
    (stores / "ref" / "NYT_1").unlink()
    with pytest.raises((FormatError, ValidationError), match="NYT_1 has no reference frames"):
        score(stores / "key", stores / "ref", stores / "good")


def test_unlinked_and_unassessed(stores):
    (stores / "good" / "linking" / "NYT_1").write_text("")
    with pytest.raises(ValidationError, match="in no frame") as caught:
        score(stores / "key", stores / "ref", stores / "good")
    assert len(caught.value.problems) == 2
    results = {}
    for how in ("drop", "singleton"):
        chosen = choose(msgspec.structs.replace(SPEC, unlinked=how))
        sides = stores / "key", stores / "ref", {"good": stores / "good"}
        results[how] = counted(*sides, chosen, bootstrap=0).result()
    assert results["drop"]["eal.argument"].tp == 2
    assert results["singleton"]["eal.argument"].tp == 4
    assert results["drop"]["eal2014.standard"].tp == 4  # nobody linked anything in 2014
    assert "decided:unlinked=drop" in results["drop"].signature


@pytest.mark.parametrize(("how", "tp", "fp", "fn"), [("false-positive", 1, 1, 1), ("ignore", 1, 0, 1)])
def test_responses_that_nobody_has_assessed(how, tp, fp, fn):
    a, b, new = person("a"), person("b"), person("b", base_filler=Span(3, 4))
    key = AnswerKey("d", {a: RIGHT, b: RIGHT}, (), {a.cas: 1, b.cas: 2})
    system = Arguments("d", [Argument(a), Argument(new)])
    with pytest.raises(ValidationError, match="nobody has assessed"):
        compare_values(system, linking_of([[a, new]]), key, linking_of([[a, b]]), Settings())
    chosen = Settings(msgspec.structs.replace(SPEC, unassessed=how))
    scores = scores_of(system, linking_of([[a, new]]), key, linking_of([[a, b]]), chosen)
    assert (scores["tp"], scores["fp"], scores["fn"]) == (tp, fp, fn)
    assert scores["linking"] == 0.0
    # Later releases of the official program did not count such a class as missed.
    if how == "false-positive":
        excused = Settings(msgspec.structs.replace(SPEC, unassessed=how, unassessed_misses=False))
        assert scores_of(system, linking_of([[a, new]]), key, linking_of([[a, b]]), excused)["fn"] == 0


def test_both_spellings_are_one_type_but_for_the_official_programs():
    key_type, own_type = "Contact.Correspondance", "Contact.Correspondence"
    a = person("a", type=key_type, role="Entity")
    key = AnswerKey("d", {a: RIGHT}, (), {a.cas: 1})
    other = a._replace(type=own_type)
    found = compare_values(Arguments("d", [Argument(other)]), linking_of([[other]]), key, linking_of([[a]]), Settings())
    assert (found.observed.counted.good, found.observed.links.f) == (1, 1.0)
    with pytest.raises(ValidationError, match="nobody has assessed"):
        compare_values(
            Arguments("d", [Argument(other)]), linking_of([[other]]), key, linking_of([[a]]), choose("bbn-2015")
        )


def test_the_program_of_september_2014():
    """Clusters count for acceptable strings only, and less specific times stay in the key."""
    day, month = (
        Response("d", "Life.Die", "Time", Cas(text, at := Span(n, n + 9)), at, (at,), (), "Actual")
        for n, text in ((0, "2003-05-04"), (20, "2003-05-XX"))
    )
    key = AnswerKey("d", {day: RIGHT, month: RIGHT}, (), {day.cas: 1, month.cas: 2})
    system = Arguments("d", [Argument(day), Argument(month)])
    found = {
        profile.name: compare_values(system, None, key, None, Settings(profile, linking=False)).row[:3]
        for profile in (SPEC, BBN_2014_09)
    }
    assert found == {"spec": (1, 1, 1), "bbn-2014-09": (1, 1, 2)}
    a, b = person("a"), person("b")
    wrong = {a: WRONG, b: WRONG}
    together = AnswerKey("d", wrong, (), {a.cas: 1, b.cas: 1})
    both = Arguments("d", [Argument(a), Argument(b)])
    numbers = {
        profile.name: compare_values(
            both, None, together, None, Settings(profile, linking=False)
        ).observed.counted.total
        for profile in (SPEC, BBN_2014_09)
    }
    assert numbers == {"spec": 1, "bbn-2014-09": 2}
    broken = day._replace(cas=Cas("May 4th", day.cas.span))
    with pytest.raises(ValidationError, match="not a date"):
        compare_values(
            Arguments("d"), None, AnswerKey("d", {broken: RIGHT}), None, Settings(BBN_2014_09, linking=False)
        )


def test_strict_and_lax():
    """Strict asks for a perfect response, lax for a good one of anybody."""
    a, other = person("a"), person("a", base_filler=Span(7, 8))
    b = person("b")
    inexact = RIGHT._replace(cas="I")
    key = AnswerKey("d", {a: RIGHT, other: WRONG, b: inexact}, (), {a.cas: 1, b.cas: 2})
    system = Arguments("d", [Argument(other), Argument(b)])
    row = compare_values(system, None, key, None, Settings(linking=False)).row
    total, standard, good, strict, perfect, lax, semantic = row[4:11]
    assert (total, standard, good) == (2, 1, 2)
    assert (strict, perfect) == (0, 1)
    assert (lax, semantic) == (2, 2)


def test_redundant_responses_that_were_never_pooled_are_no_matter_of_assessment():
    at = Span(0, 2)
    good = Response("d", "Life.Die", "Victim", Cas("Bob", at), at, (Span(0, 9),), (), "Actual")
    worse = good._replace(base_filler=Span(4, 5))  # the same CAS, so it did not get into the pool
    other = good._replace(role="Agent")
    key = AnswerKey("d", {good: Assessment("C", "C", "C", "C", "Actual", "NAME")}, (), {good.cas: 7})
    frames = Linking("d", [Frame(frozenset([good]))])
    lines, linking = [Argument(good, 0.9), Argument(worse, 0.5)], Linking("d", [Frame(frozenset([good, worse]))])
    chosen = choose()
    prepared = prepare(key, frames, chosen)
    compared = compare(Arguments("d", lines), linking, prepared, chosen)
    assert compared.removed == {"redundant": 1}
    assert compared.row == compare(Arguments("d", lines[:1]), frames, prepared, chosen).row
    with pytest.raises(ValidationError, match="nobody has assessed"):
        compare(Arguments("d", lines), linking, prepare(key, frames, choose("bbn-2015")), choose("bbn-2015"))
    both = Linking("d", [Frame(frozenset([good, other]))])
    with pytest.raises(ValidationError, match="Agent"):  # not redundant: somebody must assess it
        compare(Arguments("d", [Argument(good, 0.9), Argument(other, 0.5)]), both, prepare(key, frames, chosen), chosen)
