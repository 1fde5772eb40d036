"""Many documents at once: every count, note and error is that of comparing document by document, to the last bit."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError
from adjudge.formats.tbf_columns import as_lines, read_columns
from adjudge.model.nugget import Nugget, NuggetDocument, Relation
from adjudge.stats.inference import Inference
from adjudge.tasks.coref.counts import COLUMNS
from adjudge.tasks.nugget import ahead, block_mapping, block_twins, reading
from adjudge.tasks.nugget.best import greedy as greedy_one_by_one
from adjudge.tasks.nugget.block_mapping import ROUNDS, greedy
from adjudge.tasks.nugget.blocks import Block, Codes, columns_of
from adjudge.tasks.nugget.reading import observe_all
from adjudge.tasks.nugget.scoring import result_of, score
from adjudge.tasks.nugget.settings import Settings, settings
from adjudge.tasks.nugget.sides import open_side
from adjudge.tasks.nugget.twins import best_alignment
from adjudge.tasks.nugget.twins_front import GIVEN, OTHER, Choices, Either, Front

NEVER = 1 << 60


def observed(gold: Any, systems: Any, chosen: Settings, *, blocks: bool, **how: Any) -> Any:
    """All that is counted, or what is refused; with blocks of a few documents, or without any."""
    with patch.object(reading, "LARGE", 0 if blocks else NEVER), patch.object(ahead, "BLOCK", 12):
        try:
            campaign = observe_all(gold, systems, chosen, **how)
        except AdjudgeError as error:
            return [str(problem) for problem in error.problems]
    for each in campaign.systems.values():  # sums of documents, of which the order does not matter
        for totals in (each.facts.line, each.facts.best, each.facts.optimal, each.facts.matched):
            for name, values in totals.items():
                totals[name] = sorted(values)
        each.twins[:] = [in_full(front) for front in each.twins]
    return campaign


def in_full(front: Front | None) -> Choices | None:
    """A choice between two ways as a group with two options, of which the other one has been counted rightly."""
    if not isinstance(front, Either):
        return front
    full = front.choices()
    (group,) = full.groups
    other = ((0, 1 - group.given),)
    assert len(group.options) == 2
    assert front.pairs(GIVEN) == full.pairs(((0, group.given),))
    assert front.pairs(OTHER) == full.pairs(other)
    assert front.counts(OTHER) == full.counts(other)
    return full


def assert_same(gold: Any, systems: Any, chosen: Settings | None = None, **how: Any) -> Any:
    chosen = chosen or settings()
    found = observed(gold, systems, chosen, blocks=True, **how)
    assert found == observed(gold, systems, chosen, blocks=False, **how)
    return found


def nugget(id: str, begin: int, end: int, type_: str = "A", realis: str = "X", **more: Any) -> Nugget:
    return Nugget(id, type_, realis, "word", pieces=((begin, end),), **more)


def document(name: str, *nuggets: Nugget, clusters: list[str] | None = None) -> NuggetDocument:
    related = [Relation("Coreference", f"R{n}", tuple(each.split(","))) for n, each in enumerate(clusters or [])]
    return NuggetDocument(name, list(nuggets), related)


# ---------------------------------------------------------------------------------------------------------------------
# Random corpora

places = st.tuples(st.integers(0, 14), st.integers(1, 5)).map(lambda each: ((each[0], each[0] + each[1]),))
odd_places = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 4)), min_size=1, max_size=3).map(
    lambda pieces: tuple((begin, begin + size) for begin, size in pieces)
)


@st.composite
def some_document(draw: Any, name: str, *, odd: bool) -> NuggetDocument:
    size = draw(st.integers(0 if odd else 1, 9))
    where = st.one_of(places, odd_places) if odd and draw(st.booleans()) else places
    nuggets = []
    for number in range(size):
        id = draw(st.sampled_from(["E0", f"E{number}"])) if odd and draw(st.integers(0, 9)) == 0 else f"E{number}"
        nuggets.append(
            Nugget(id, draw(st.sampled_from("AB")), draw(st.sampled_from("XY")), "word", pieces=draw(where), system="s")
        )
    ids = [each.id for each in nuggets]
    left = draw(st.permutations(ids))
    clusters = []
    while len(left) > 1 and draw(st.integers(0, 3)):
        cut = draw(st.integers(1, min(4, len(left))))
        clusters.append(tuple(left[:cut]))
        left = left[cut:]
    if not draw(st.booleans()):  # most clusters of nuggets with one place are refused: keep some documents sound
        place = {each.id: each.pieces for each in nuggets}
        clusters = [tuple({place[id]: id for id in cluster}.values()) for cluster in clusters]
    related = [Relation("Coreference", f"R{number}", each) for number, each in enumerate(clusters)]
    if odd and ids and draw(st.integers(0, 9)) == 0:
        related.append(Relation("Coreference", "R9", (ids[0], draw(st.sampled_from([*ids, "E99"])))))
    if odd and len(ids) > 1 and draw(st.integers(0, 9)) == 0:
        related.append(Relation(draw(st.sampled_from(["After", "Subevent", "Else"])), "L1", (ids[0], ids[1])))
    return NuggetDocument(name, nuggets, related)


@st.composite
def corpora(draw: Any) -> tuple[list[NuggetDocument], dict[str, list[NuggetDocument]]]:
    names = [f"d{number}" for number in range(draw(st.integers(1, 5)))]
    odd = draw(st.booleans())
    gold = [draw(some_document(name, odd=odd)) for name in names]
    systems = {}
    for system in ("one", "two"):
        kept = [name for name in names if not odd or draw(st.integers(0, 5))]
        systems[system] = [draw(some_document(name, odd=odd)) for name in (*kept, *(["more"] if odd else []))]
    return gold, systems


choices = st.builds(
    settings,
    coref=st.sampled_from([None, True, False]),
    sequencing=st.sampled_from([None, True, False]),
    coref_threshold=st.sampled_from([1.0, 0.5]),
    coref_mapping=st.sampled_from(["type", "span", "realis", "type+realis"]),
    attributes=st.sampled_from(["type,realis", "type", "realis", "none"]),
    types=st.sampled_from([None, None, None, ["A"]]),
)


@given(corpora(), choices)
@examples(max_examples=80, deadline=None)
def test_random_corpora_are_counted_as_one_by_one(corpus: Any, chosen: Settings) -> None:
    gold, systems = corpus
    assert_same(gold, systems, chosen, mode="char")


def as_tbf(documents: list[NuggetDocument]) -> bytes:
    lines = []
    for each in documents:
        lines.append(f"#BeginOfDocument {each.id}")
        for own in each.nuggets:
            where = ";".join(f"{begin},{end}" for begin, end in own.pieces)
            lines.append(f"sys\t{each.id}\t{own.id}\t{where}\tword\t{own.type}\t{own.realis}")
        lines += [f"@{own.name}\t{own.id}\t{','.join(own.arguments)}" for own in each.relations]
        lines.append("#EndOfDocument")
    return "\n".join([*lines, ""]).encode()


@given(corpora(), choices)
@examples(max_examples=40, deadline=None)
def test_random_files_are_counted_as_one_by_one(corpus: Any, chosen: Settings) -> None:
    gold, systems = corpus
    files = {name: as_tbf(documents) for name, documents in systems.items()}
    assert_same(as_tbf(gold), files, chosen, mode="char")


def many(rng: random.Random, name: str, number: int) -> NuggetDocument:
    """A document with twins, overlaps and clusters without two nuggets of one place."""
    nuggets, at = [], 0
    while len(nuggets) < number:
        at += rng.randrange(1, 6)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            size = rng.choice((2, 2, 3, 5, 7))
            nuggets.append(nugget(f"E{len(nuggets)}", at, at + size, rng.choice("ABC"), rng.choice("XYZ")))
    order = list(nuggets)
    rng.shuffle(order)
    clusters = []
    while order:
        own = {each.pieces: each.id for each in [order.pop() for _ in range(min(len(order), rng.choice((1, 2, 3, 5))))]}
        if len(own) > 1:
            clusters.append(",".join(own.values()))
    return document(name, *nuggets, clusters=clusters)


@pytest.mark.parametrize("mapping", ["type", "span"])
def test_larger_documents_are_scored_the_same(mapping: str) -> None:
    rng = random.Random(7)
    names = [f"d{number}" for number in range(30)]
    gold, *systems = [[many(rng, name, 25) for name in names] for _ in range(4)]
    named = {f"s{number}": each for number, each in enumerate(systems)}
    campaign = assert_same(gold, named, settings(coref_mapping=mapping))
    assert any(front is not None for each in campaign.systems.values() for front in each.twins)
    assert all(each.facts.decided for each in campaign.systems.values())
    results = []
    for large in (0, NEVER):
        with patch.object(reading, "LARGE", large):
            found = score(gold, named, coref_mapping=mapping, bootstrap=50)
            plain = score(gold, named, coref_mapping=mapping, bootstrap=0)
            results.append((found.to_json(with_tables=True), plain.to_json(with_tables=True)))
    assert results[0] == results[1]


def with_twins(rng: random.Random, name: str, ends: tuple[int, ...] = (5,)) -> NuggetDocument:
    """A document of a few places, each with one to three nuggets of one type, in chains and alone."""
    places = [place for place in range(12) for _ in range(rng.choice((*(1,) * 16, 2, 2, 3)))]
    rng.shuffle(places)
    ids = {f"E{number}": place for number, place in enumerate(places) if rng.random() < 0.9}
    chains: list[dict[int, str]] = [{} for _ in range(8)]
    for id, place in ids.items():
        if rng.random() < 0.8:
            rng.choice(chains).setdefault(place, id)
    nuggets = [nugget(id, 10 * place, 10 * place + rng.choice(ends)) for id, place in ids.items()]
    return document(name, *nuggets, clusters=[",".join(each.values()) for each in chains if len(each) > 1])


@pytest.mark.parametrize(("seed", "ends", "threshold"), [(0, (5,), 1.0), (1, (5,), 1.0), (2, (5, 5, 4), 0.5)])
def test_twins_leave_the_same_open(seed: int, ends: tuple[int, ...], threshold: float) -> None:
    rng, names = random.Random(seed), [f"d{number}" for number in range(150)]
    gold, system = ([with_twins(rng, name, ends) for name in names] for _ in range(2))
    chosen = settings(coref_threshold=threshold)
    campaign = assert_same(gold, {"s": system}, chosen)
    with patch.object(reading, "LARGE", 0):
        found = observe_all(gold, {"s": system}, chosen)
    counted = found.systems["s"]
    kinds = Counter(type(front) for front in counted.twins)
    assert min(kinds[each] for each in (Either, Choices)) > 5
    one, other = (best_alignment(fronts, counted.coref) for fronts in (counted.twins, campaign.systems["s"].twins))
    assert one[:4] == other[:4]
    assert (one.counts, one.pairs) == (other.counts, other.pairs)
    assert len(one.changed) > 5
    # The tables of documents have both, and are the same with numpy and without.
    tables = [result_of(found, inference=Inference(bootstrap=number)).systems[0].table for number in (0, 100)]
    assert tables[0] == tables[1]
    for column, rows in (("coref.b3:matched", counted.coref), ("coref.b3.best:matched", one.counts)):
        place, own = tables[0].columns.index(column), COLUMNS.index("coref.b3:matched")
        assert [row[place] for row in tables[0].values] == [row[own] for row in rows]


@pytest.mark.parametrize("seed", range(3))
def test_any_pairs_leave_open_what_they_do_one_by_one(seed: int) -> None:
    """A mapping pairs all that it can; here some of its pairs are missing."""
    rng, names, codes = random.Random(seed), [f"d{number}" for number in range(150)], (Codes(), Codes())
    gold, system = (
        columns_of(read_columns([as_lines(with_twins(rng, name)) for name in names]), *codes) for _ in range(2)
    )
    candidates, _ = block_mapping.candidates(gold, system)
    pairs = block_mapping.map_block(candidates, gold, system, ["type"])["type"].pairs
    pairs = pairs.only(np.array([rng.random() < 0.8 for _ in pairs.gold]))
    ours, theirs = (block_twins.Twins.of(side, "type") for side in (gold, system))
    found = block_twins.block_fronts(ours, theirs, pairs, gold.plain & system.plain)
    mapped = block_twins._as_mapped(pairs, gold, system)
    for document in range(len(names)):
        assert in_full(found.get(document)) == block_twins._choices(document, mapped, ours, theirs)
    assert Counter(type(front) for front in found.values())[Choices] > 5


@pytest.mark.parametrize("seed", range(3))
def test_places_that_overlap_are_mapped_the_same(seed: int) -> None:
    """Several nuggets of gold at a place, and several of the system that have more or less of it, type by type."""
    rng = random.Random(seed)

    def some(name: str, ends: tuple[int, ...]) -> NuggetDocument:
        nuggets = [
            nugget(f"E{place}x{number}", 20 * place, 20 * place + rng.choice(ends), rng.choice("AB"), rng.choice("XY"))
            for place in range(6)
            for number in range(rng.choice((1, 2, 2, 3)))
        ]
        rng.shuffle(nuggets)
        return document(name, *nuggets)

    names = [f"d{number}" for number in range(60)]
    gold = [some(name, (10,)) for name in names]
    system = [some(name, (6, 8, 10, 12)) for name in names]
    campaign = assert_same(gold, {"s": system})
    facts = campaign.systems["s"].facts
    assert facts.line["span"] != facts.optimal["span"] or facts.line["type"]


def test_places_at_which_nothing_is_lost_need_no_search() -> None:
    """Of two nuggets with one place each goes without its first pair, but the sum is as high as it can be."""
    gold = document("d", nugget("E1", 0, 10), nugget("E2", 0, 10), nugget("E3", 100, 110), nugget("E4", 120, 130))
    system = document("d", nugget("m1", 0, 8), nugget("m2", 0, 12), nugget("m3", 105, 125), nugget("m4", 90, 104))
    with patch.object(block_mapping, "best_of_ties", wraps=block_mapping.best_of_ties) as search:
        found = observed([gold], {"s": [system]}, settings(), blocks=True)
    assert {tuple(edge[1:] for edge in call.args[0]) for call in search.call_args_list} == {((2, 2), (2, 3), (3, 2))}
    assert found == observed([gold], {"s": [system]}, settings(), blocks=False)
    assert found.systems["s"].facts.decided == {name: ["d"] for name in ("span", "type", "realis", "type+realis")}
    assert sum(found.systems["s"].facts.best["type"]) == pytest.approx(16 / 18 + 20 / 22 + 2 / 3)


# ---------------------------------------------------------------------------------------------------------------------
# Corners


def plain_documents(gold: list[NuggetDocument], system: list[NuggetDocument]) -> list[list[bool]]:
    """Which documents are compared along with others, block by block."""
    seen = []
    compare = Block.compare

    def spy(block: Block, columns: Any) -> Any:
        found = compare(block, columns)
        seen.append(found.plain)
        return found

    with patch.object(Block, "compare", spy):
        assert_same(gold, {"s": system}, settings(coref=False))
    return seen


def test_ordinary_documents_are_plain_and_odd_ones_are_not() -> None:
    ordinary = document("a", nugget("E1", 0, 4), nugget("E2", 6, 8), clusters=["E1,E2"])
    odd = {
        "no nugget": document("b"),
        "an empty place": document("b", nugget("E1", 3, 3)),
        "two pieces": document("b", Nugget("E1", "A", "X", "w", pieces=((0, 1), (3, 4)))),
        "an id twice": document("b", nugget("E1", 0, 4), nugget("E1", 6, 8)),
        "a cluster of strangers": document("b", nugget("E1", 0, 4), clusters=["E1,E2"]),
        "clusters that overlap": document("b", nugget("E1", 0, 4), nugget("E2", 6, 8), clusters=["E1,E2", "E2,E1"]),
        "one place in one cluster": document("b", nugget("E1", 0, 4), nugget("E2", 0, 4), clusters=["E1,E2"]),
        "a link": NuggetDocument("b", [nugget("E1", 0, 4)], [Relation("After", "L1", ("E1", "E1"))]),
        "an offset beyond all texts": document("b", nugget("E1", 0, 1 << 55)),
        "an offset beyond all numbers": document("b", nugget("E1", 0, 1 << 80)),
        "a negative offset": document("b", nugget("E1", -4, 4)),
    }
    whole = document("b", nugget("E1", 0, 4))
    assert plain_documents([ordinary, whole], [ordinary, whole]) == [[True, True]]
    for name, each in odd.items():
        assert plain_documents([ordinary, each], [ordinary, whole]) == [[True, False]], name
        assert plain_documents([ordinary, whole], [ordinary, each]) == [[True, False]], name
    assert plain_documents([ordinary, whole], [ordinary]) == [[True, False]]


def test_a_crowd_at_one_place_is_left_to_the_algorithm_for_single_documents() -> None:
    crowd = document("a", *(nugget(f"E{number}", 0, 4) for number in range(60)))
    few = document("b", nugget("E1", 0, 4), nugget("E2", 0, 4))
    assert plain_documents([few, crowd], [few, crowd]) == [[True], [False]]


def test_blocks_have_as_many_documents_as_make_enough_lines() -> None:
    documents = [document(f"d{n}", *(nugget(f"E{m}", 9 * m, 9 * m + 4) for m in range(5))) for n in range(7)]
    assert [len(each) for each in plain_documents(documents, documents)] == [3, 3, 1]


def test_blocks_are_small_where_any_side_is_large() -> None:
    few = document("a", nugget("E1", 0, 4))
    many_lines = document("a", *(nugget(f"E{n}", 9 * n, 9 * n + 4) for n in range(6)))
    sides = [open_side([few]), open_side([many_lines])]
    with patch.object(ahead, "BLOCK", 12):
        assert [ahead._documents(each) for each in sides] == [12, 2]
        long = open_side(b"#BeginOfDocument a\n#" + b"x" * 64 * 5 + b"\n#EndOfDocument\n")
        assert ahead._documents(long) == 3
        assert ahead._documents(open_side(b"#BeginOfDocument a\n#" + b"x" * 9999 + b"\n#EndOfDocument\n")) == 1


def test_few_lines_are_compared_one_by_one() -> None:
    with patch.object(reading, "in_blocks", side_effect=AssertionError):
        score([document("a", nugget("E1", 0, 4))], [document("a", nugget("E1", 0, 4))], bootstrap=0)


@pytest.mark.parametrize("how", [{"profile": "evmeval-1.8"}, {"by": "type"}, {"mode": "token"}])
def test_other_ways_of_scoring_are_one_by_one(how: dict[str, Any]) -> None:
    gold = [document("a", nugget("E1", 0, 4))]
    with patch.object(reading, "in_blocks", side_effect=AssertionError), patch.object(reading, "LARGE", 0):
        score(gold, gold, bootstrap=0, **how)


def test_problems_come_in_the_order_of_documents_and_systems() -> None:
    lines = [f"s\td{n}\tE1\t{n},9\tw\tA\tX\ns\td{n}\tE2\tnowhere\tw\tA\tX" for n in range(8)]
    file = "\n".join(f"#BeginOfDocument d{n}\n{line}\n#EndOfDocument" for n, line in enumerate(lines)).encode()
    problems = assert_same(file, {"a": file, "b": file}, mode="char")
    assert len(problems) == 8
    nuggets = [nugget("E1", 0, 4), nugget("E2", 5, 9)]
    looped = [
        NuggetDocument(
            f"d{n}", nuggets, [Relation("After", f"{n}-{id}", tuple(id)) for id in (("E1", "E2"), ("E2", "E1"))]
        )
        for n in range(8)
    ]
    assert len(assert_same(looped, {"a": looped, "b": looped}, mode="char")) == 8


# ---------------------------------------------------------------------------------------------------------------------
# The greedy algorithm in rounds


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 7), st.integers(0, 7)), max_size=40, unique=True))
def test_rounds_take_what_one_pair_after_the_other_takes(edges: list[tuple[int, int, int]]) -> None:
    ordered = sorted((-float(value), system, gold) for value, system, gold in edges)
    columns = np.array([each[2] for each in ordered], int), np.array([each[1] for each in ordered], int)
    taken = greedy(*columns, 8, 8).tolist()
    pairs = [(gold, system, -value) for (value, system, gold), own in zip(ordered, taken, strict=True) if own]
    assert pairs == greedy_one_by_one(ordered)


def test_a_long_staircase_needs_more_than_the_rounds() -> None:
    steps = 2 * ROUNDS + 5
    ours, theirs = np.arange(1, steps + 1) // 2, np.arange(steps) // 2
    edges = [(-1.0, int(system), int(gold)) for gold, system in zip(ours, theirs, strict=True)]
    taken = greedy(ours, theirs, steps, steps)
    assert [(int(gold), int(system), 1.0) for gold, system in zip(ours[taken], theirs[taken], strict=True)] == (
        greedy_one_by_one(edges)
    )
