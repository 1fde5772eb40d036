"""Counting in pieces: the sum of the pieces is the whole, however it is cut."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kbp_naive as naive
from adjudge.evaluate.corpus import draw
from adjudge.evaluate.task import Run
from adjudge.tasks.kbp import counting
from adjudge.tasks.kbp.counting import Piece, count_all, count_paths, pieces_of
from adjudge.tasks.kbp.facts import label_walks, make_facts, pack
from adjudge.tasks.kbp.walks import Work

SIDES = naive.sides() | naive.sides(labelled=True)
WAYS = st.sampled_from([("endpoints", "all"), ("full", "all"), ("endpoints", "simple"), ("full", "simple")])


def in_pieces(work, parts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "pieces_of", lambda *_: [Piece(0, part) for part in parts or [None]])
        return count_all([work])[0]


def resampling(sides, documents, resamples, hops=3, identity="endpoints", walks="all"):
    draws = draw(documents, resamples=resamples, seed=3)
    words = pack(naive.drawn_presence(draws))
    return Work(tuple(sides), hops, identity, walks, (words,) * len(sides), draws.samples)


def runs(size, cuts):
    places = sorted({0, size, *(cut % (size + 1) for cut in cuts)})
    return list(itertools.pairwise(places))


@settings(max_examples=30)
@given(SIDES, SIDES, WAYS, st.lists(st.integers(0, 20), max_size=4))
def test_paths_in_pieces_are_all_paths(gold, system, way, cuts):
    work = Work((gold.facts, system.facts), 3, *way)
    parts = runs(1 if work.by_vectors else label_walks(work.sides, 3).shape[1], cuts)
    assert in_pieces(work, parts) == count_paths(gold.facts, system.facts, hops=3, identity=way[0], walks=way[1])


@settings(max_examples=25)
@given(naive.sides(), naive.sides(), WAYS, st.lists(st.integers(0, 60), max_size=4))
def test_samples_in_pieces_are_all_samples(gold, system, way, cuts):
    work = resampling([gold.facts, system.facts, gold.facts], 5, 70, 3, *way)
    (whole,) = count_all([work])
    parts = runs(work.words if work.by_vectors else label_walks(work.sides, 3).shape[1], cuts)
    for one, other in zip(in_pieces(work, parts), whole, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def random_sides(number=400, nodes=40):
    rng = np.random.default_rng(7)
    return [
        make_facts(*(rng.integers(0, size, number) for size in (nodes, 3, nodes)), rng.integers(0, 9, number))
        for _ in range(3)
    ]


def test_small_work_stays_here_unless_it_is_asked_for(monkeypatch):
    gold, one, _ = random_sides()
    assert pieces_of([Work((gold, one))], Run(jobs=0)) == [Piece(0)]
    assert len(pieces_of([Work((gold, one))], Run(jobs=2))) > 1
    monkeypatch.setattr(counting, "_WALKS", 1.0)  # a slow machine
    assert len(pieces_of([Work((gold, one))], Run(jobs=0))) > 1
