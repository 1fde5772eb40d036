"""Documents with more choices than anybody can look at: answers in time, proven or with a bound that holds."""

import random
import time

import pytest

from adjudge.algebra.solve.deadline import Deadline
from adjudge.errors import UsageError
from adjudge.tasks.nugget import choice_search
from adjudge.tasks.nugget.double_annotation import best_alignment, count_pairs, find_choices
from adjudge.tasks.nugget.task import score


def twins(places, each, cuts=(), seed=1):
    """Gold and system with so many nuggets of one type at every place; chains go through the places."""
    source = random.Random(seed)

    def side():
        rows, links = [], []
        for place in range(places):
            rows += [
                f"run\td\tE{place}-{twin}\t{place * 10},{place * 10 + 4}\tword\tAttack\tActual" for twin in range(each)
            ]
        source.shuffle(rows)
        for twin in range(each):
            ids = [f"E{place}-{twin}" for place in range(places)]
            cut = source.choice(cuts) if cuts else places
            pieces = [ids[at : at + cut] for at in range(0, places, cut)]
            links += [f"@Coreference\tR{twin}-{n}\t{','.join(own)}" for n, own in enumerate(pieces) if len(own) > 1]
        return "\n".join(["#BeginOfDocument d", *rows, *links, "#EndOfDocument", ""]).encode()

    return side(), side()


def best_of(result):
    (found,) = (each for each in result.systems[0].scores if each.metric == "coref.kbp.best")
    return found


@pytest.mark.parametrize("profile", ["spec", "evmeval-1.8"])
@pytest.mark.parametrize("places", [5, 10])
def test_what_is_easy_is_proven_at_once(places, profile):
    start = time.monotonic()
    result = score(*twins(places, 6), mode="char", profile=profile, bootstrap=0)
    found = best_of(result)
    assert (found.value, found.optimal, found.bound) == (pytest.approx(1.0), True, None)
    assert result["coref.kbp"].f1 < 0.5  # the mapping goes by the lines
    assert "not-optimal" not in [note.code for note in result.systems[0].notes]
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("profile", ["spec", "evmeval-1.8"])
def test_what_is_not_proven_says_so_and_has_a_bound(profile):
    start = time.monotonic()
    result = score(*twins(10, 6, (2, 3, 10)), mode="char", profile=profile, bootstrap=0, time_limit=0.5)
    assert time.monotonic() - start < 10
    found = best_of(result)
    assert not found.optimal
    (given,) = (each for each in result.systems[0].scores if each.metric == "coref.kbp")
    assert given.value <= found.value < found.bound <= 1
    (note,) = (note for note in result.systems[0].notes if note.code == "not-optimal")
    assert note.message.startswith("1 document was not solved to the end in the time allowed; the matched counts are")
    assert note.examples == ("d",)
    assert all(each.optimal for each in result.systems[0].scores if not each.metric.endswith(".best"))
    assert "|limit:0.5|" in result.signature


def test_no_time_at_all():
    gold, system = twins(3, 3, (2, 3))
    exact = best_of(score(gold, system, mode="char", bootstrap=0))
    result = score(gold, system, mode="char", bootstrap=0, time_limit=1e-9)
    found = best_of(result)
    assert exact.optimal
    assert not found.optimal
    assert found.value <= exact.value <= found.bound
    assert "limit" not in score(gold, system, mode="char", bootstrap=0, time_limit=60).signature
    with pytest.raises(UsageError, match="leaves no time"):
        score(gold, system, mode="char", time_limit=0)


def crowd(places, each, seed):
    """The same as clusters, pairs and classes; chains are cut at random."""
    source = random.Random(seed)
    classes = [place for place in range(places) for _ in range(each)]

    def chains():
        homes = {}
        for twin in range(each):
            cut = source.choice((1, 2, places))
            for place in range(places):
                homes.setdefault((twin, place // cut), []).append(place * each + twin)
        return list(homes.values())

    return chains(), chains(), [(number, number) for number in range(places * each)], classes, classes


class Stopped(Deadline):
    """A clock whose time is up after so many looks."""

    def __init__(self, looks):
        super().__init__()
        self.looks = looks

    @property
    def passed(self):
        self.looks -= 1
        return self.looks < 0


@pytest.mark.parametrize("seed", range(12))
def test_bounds_hold_whenever_time_is_up(monkeypatch, seed):
    document = crowd(3, 3, seed)
    counts = count_pairs(*document[:3])
    exact = best_alignment([find_choices(*document)], [counts])
    assert exact.optimal
    solve = choice_search.solve
    for looks in (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 200):

        def stopped(choices, rates, slack=0.0, clock=None, looks=looks):
            return solve(choices, rates, slack, Stopped(looks))

        monkeypatch.setattr("adjudge.tasks.nugget.double_annotation.solve", stopped)
        found = best_alignment([find_choices(*document)], [counts])
        assert exact.greedy - 1e-12 <= found.score <= exact.score + 1e-12
        assert found.bound >= exact.score - 1e-12
        assert found.optimal == (found.unproven == ())
        if found.optimal:
            assert found.score == pytest.approx(exact.score, abs=1e-12)


def test_many_nuggets_at_one_place_are_not_written_down_pair_by_pair():
    chains = [[2 * n, 2 * n + 1] for n in range(600)]
    classes = ["a"] * 1200
    document = chains, [[n, 1199 - n] for n in range(600)], [(n, n) for n in range(1200)], classes, classes
    choices = find_choices(*document)
    assert choices.cut
    found = best_alignment([choices], [count_pairs(*document[:3])])
    assert not found.optimal
    assert found.score == found.greedy < found.bound


def test_places_that_overlap_without_time_are_mapped_by_line_with_a_bound():
    rows = [[f"run\td\tE{n}\t{at},{at + 4 + n % 3}\tword\tAttack\tActual" for n in range(60)] for at in (0, 1)]
    gold, system = ("\n".join(["#BeginOfDocument d", *own, "#EndOfDocument", ""]).encode() for own in rows)
    found, exact = (
        {
            each.metric: each
            for each in score(gold, system, mode="char", bootstrap=0, time_limit=limit).systems[0].scores
        }
        for limit in (1e-9, None)
    )
    for name in ("nugget.span", "nugget.type", "nugget.type+realis"):
        assert exact[name].optimal
        assert found[name].value <= exact[name].value + 1e-12
        assert found[name].optimal or found[name].bound >= exact[name].value - 1e-12
    codes = [note.code for note in score(gold, system, mode="char", bootstrap=0, time_limit=1e-9).systems[0].notes]
    assert "optimal-mapping" not in codes
    official = score(gold, system, mode="char", bootstrap=0, time_limit=1e-9, profile="evmeval-1.8")
    assert all(each.optimal for each in official.systems[0].scores)
