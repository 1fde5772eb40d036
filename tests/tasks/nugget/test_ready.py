"""Gold that is made ready once for all systems: the same as made ready for each of them."""

from __future__ import annotations

import random

import pytest

from adjudge.model.nugget import Nugget, NuggetDocument, Relation
from adjudge.tasks.coref.counts import COLUMNS, count
from adjudge.tasks.nugget.coreference import chains, count_coreference, linked, rows
from adjudge.tasks.nugget.observe import observe
from adjudge.tasks.nugget.ready import prepare
from adjudge.tasks.nugget.scoring import observe_all
from adjudge.tasks.nugget.settings import PROFILES, Settings, settings


def some_document(rng: random.Random, name: str, *, char: bool) -> NuggetDocument:
    nuggets = []
    for number in range(rng.randrange(12)):
        begin = rng.randrange(20)
        end = begin + rng.randrange(4)
        place = {"pieces": ((begin, end),)} if char else {"tokens": tuple(f"t{each}" for each in range(begin, end))}
        nuggets.append(Nugget(f"E{number}", rng.choice("AB"), rng.choice("XYZ"), "word", **place))
    left = [nugget.id for nugget in nuggets]
    rng.shuffle(left)
    relations = []
    while len(left) > 2:
        members = tuple(left.pop() for _ in range(rng.choice((1, 2, 3))) if left)
        relations.append(Relation("Coreference", f"R{len(left)}", members))
    return NuggetDocument(name, nuggets, relations)


@pytest.mark.parametrize("char", [True, False])
@pytest.mark.parametrize("profile", [name for name in PROFILES if name != "evmeval-2015"])
def test_several_systems_are_counted_as_each_alone(profile: str, char: bool) -> None:
    rng = random.Random(5)
    sides = [[some_document(rng, f"d{number}", char=char) for number in range(25)] for _ in range(4)]
    gold, systems = sides[0], {f"s{number}": each for number, each in enumerate(sides[1:])}
    chosen = settings(profile, coref=profile != "spec")  # where two mentions of one cluster may have one place
    together = observe_all(gold, systems, chosen, mode="char" if char else "token")
    for name, documents in systems.items():
        alone = observe_all(gold, {name: documents}, chosen, mode="char" if char else "token")
        assert alone.systems[name] == together.systems[name]


@pytest.mark.parametrize("threshold", [0.4, 1.0])
def test_coreference_is_counted_as_by_rows(threshold: float) -> None:
    rng = random.Random(7)
    chosen = Settings(threshold=threshold, mapping="span")
    differing = 0
    for number in range(200):
        gold, system = (some_document(rng, f"d{number}", char=True) for _ in range(2))
        observed = observe(gold, system, chosen)
        pairs = observed.mappings["span"]
        links = linked(gold), linked(system)
        ours, theirs = (side.ids for side in observed.sides)
        place = rows(len(ours), len(theirs), pairs, threshold)
        expected = count(chains(links[0], ours, range(len(ours))), chains(links[1], theirs, place))
        known = [prepare(each, chosen, (), char=True).chains for each in (gold, system)]
        assert known[0] is not None
        assert known[1] is not None
        for each in (None, (known[0], known[1])):
            assert count_coreference(links, observed.sides, pairs, chosen, each) == expected
        differing += expected[COLUMNS.index("coref.b3:found")] != expected[COLUMNS.index("coref.b3:matched")]
    assert differing > 20
