"""Counting in pieces: the sum of the pieces is the whole, however it is cut."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kbp_naive as naive
from adjudge.tasks.kbp import pieces
from adjudge.tasks.kbp.masks import Paths
from adjudge.tasks.kbp.masks_samples import draw_samples, exchanging, resampling
from adjudge.tasks.kbp.paths_facts import make_facts
from adjudge.tasks.kbp.pieces import (
    HERE,
    Piece,
    PieceCounter,
    Place,
    add_up,
    count_all,
    count_paths,
    count_pieces,
    pieces_of,
)

SIDES = naive.sides() | naive.sides(labelled=True)
SWAPS = np.random.default_rng(2).random((20, 9)) < 0.5
WAYS = st.sampled_from([("endpoints", "all"), ("full", "all"), ("endpoints", "simple"), ("full", "simple")])


def runs(size, cuts):
    places = sorted({0, size, *(cut % (size + 1) for cut in cuts)})
    return list(itertools.pairwise(places))


@settings(max_examples=60)
@given(SIDES, SIDES, WAYS, st.lists(st.integers(0, 20), max_size=4))
def test_paths_in_pieces_are_all_paths(gold, system, way, cuts):
    work = Paths((gold.facts, system.facts), 3, *way)
    labels = pieces.label_walks(work.sides, 3).shape[1]
    parts = [Piece(0, sources=run) for run in runs(labels, cuts)]
    (found,), _ = add_up([work], [], count_pieces([work], parts, HERE))
    assert found == count_paths(gold.facts, system.facts, hops=3, identity=way[0], walks=way[1])


@settings(max_examples=30)
@given(naive.sides(), naive.sides(), WAYS, st.lists(st.integers(0, 60), max_size=4))
def test_samples_in_pieces_are_all_samples(gold, system, way, cuts):
    drawn = draw_samples(5, resamples=70, seed=3)
    work = resampling(gold.facts, [system.facts, gold.facts], drawn, hops=3, identity=way[0], walks=way[1])
    _, (whole,) = count_all([], [work])
    labels = pieces.label_walks(work.sides, 3).shape[1]
    by_source = [Piece(0, sources=run) for run in runs(labels, cuts)]
    by_words = [Piece(0, words=run) for run in runs(work.words, cuts)]
    for parts in (by_source, by_words):
        _, (found,) = add_up([], [work], count_pieces([work], parts, HERE))
        for one, other in zip(found, whole, strict=True):
            assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def random_sides(number=400, nodes=40):
    rng = np.random.default_rng(7)
    return [
        make_facts(*(rng.integers(0, size, number) for size in (nodes, 3, nodes)), rng.integers(0, 9, number))
        for _ in range(3)
    ]


def test_pieces_cover_all_work_and_are_about_equal():
    gold, one, other = random_sides()
    works = [Paths((gold, one)), exchanging(gold, one, other, SWAPS, np.arange(9) // 4)]
    works.append(resampling(gold, [one], draw_samples(9, resamples=500), identity="full"))
    found = pieces_of(works, Place(jobs=3))
    assert len(found) > 9
    for number, size in ((0, 40), (1, 40), (2, works[2].words)):
        mine = [piece.words or piece.sources for piece in found if piece.work == number]
        if mine != [None]:
            assert (mine[0][0], mine[-1][1]) == (0, size)
            assert all(a[1] == b[0] for a, b in itertools.pairwise(mine))


def test_small_work_stays_here_unless_it_is_asked_for(monkeypatch):
    gold, one, _ = random_sides()
    assert pieces_of([Paths((gold, one))], Place(jobs=0)) == [Piece(0)]
    assert len(pieces_of([Paths((gold, one))], Place(jobs=2))) > 1
    monkeypatch.setattr(pieces, "_WALKS", 1.0)  # a slow machine
    assert len(pieces_of([Paths((gold, one))], Place(jobs=0))) > 1


def test_a_counter_travels_without_what_it_has_prepared():
    gold, one, _ = random_sides()
    counter = PieceCounter([Paths((gold, one))])
    fresh = len(pickle.dumps(counter))
    whole = counter(Piece(0), None)
    assert len(pickle.dumps(counter)) == fresh
    assert pickle.loads(pickle.dumps(counter))(Piece(0), None) == whole == count_paths(gold, one)


def test_processes_give_the_same_counts():
    gold, one, other = random_sides()
    works = [Paths((gold, one)), Paths((gold, other), 2, "full")]
    samples = [resampling(gold, [one, other], draw_samples(9, resamples=30))]
    here = count_all(works, samples)
    there = count_all(works, samples, place=Place(jobs=2))
    assert here[0] == there[0]
    for a, b in zip(here[1][0], there[1][0], strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def test_a_cluster_gives_the_same_counts():
    pytest.importorskip("distributed", reason="Dask is not installed")
    gold, one, other = random_sides(20_000, 3000)  # large enough to be sent once to every worker
    works, samples = [Paths((gold, one), 2)], [exchanging(gold, one, other, SWAPS, np.arange(9) // 4, hops=1)]
    here = count_all(works, samples)
    there = count_all(works, samples, place=Place(jobs=2, cluster="local"))
    assert here[0] == there[0]
    assert all(np.array_equal(a, b) for a, b in zip(here[1][0][0], there[1][0][0], strict=True))
