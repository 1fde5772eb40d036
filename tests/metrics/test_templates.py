"""Templates: values worked out by hand."""

from __future__ import annotations

import pytest

from adjudge.errors import UsageError
from adjudge.metrics import find


def template(kind, *fillers):
    return {"type": kind, "fillers": [{"role": role, "mentions": list(names)} for role, *names in fillers]}


GOLD = [
    template(
        "attack / bombing", ("Victim", "Juan Perez", "the mayor"), ("Victim", "two guards"), ("Weapon", "dynamite")
    ),
    template("attack", ("Victim", "priest")),
]
SYSTEM = [
    template("bombing", ("Victim", "mayor"), ("Victim", "Juan Perez", "guards"), ("Weapon", "Dynamite.")),
    template("kidnapping", ("Victim", "a priest")),
]
# Fillers: 4 of gold, 4 of the system. Mentions: 5 of gold, 5 of the system.
VALUES = {
    # mayor, dynamite and, from the other template, priest; the second victim has a foreign mention: 3 of 4 and of 4.
    "template.ceaf-ree": (3 / 4, 3 / 4),
    # The entity {mayor, Juan Perez} shares 1 mention with one of the two; guards is not "two guards": 3 of 5 and of 5.
    "template.ceaf-ree(phi=3)": (3 / 5, 3 / 5),
    # {mayor} and the gold entity: 2*1/3; dynamite 1; priest 1. The second victim shares with a taken one: 8/3 of 4.
    "template.ceaf-ree(phi=4)": (2 / 3, 2 / 3),
    # The two templates of one type: mayor and dynamite of 4 and 4.
    "template.fillers": (2 / 4, 2 / 4),
    # Mentions mayor, Juan Perez, dynamite of 5; gold entities: the first victim and dynamite of 4.
    "template.ceaf-rme": (3 / 5, 2 / 4),
    # The same three mentions, of 5 and of 5.
    "template.ceaf-rme(phi=3)": (3 / 5, 3 / 5),
    # 2/3 for mayor and 1 for dynamite, of 4 and of 4.
    "template.ceaf-rme(phi=4)": (5 / 12, 5 / 12),
    # The type of the pair, mayor and dynamite; of 2 types and 4 fillers on either side.
    "template.gtt-like": (3 / 6, 3 / 6),
    # With phi=4 Juan Perez is half of an entity of two, guards aside: 1 type + 2/3 + 1/2 + 1; recall: 1 + 2/3 + 1.
    "template.gtt-like(phi=4)": (19 / 36, 8 / 18),
}


@pytest.mark.parametrize("name", VALUES)
def test_by_hand(name):
    found = find(name).score(GOLD, SYSTEM)
    assert (found.precision, found.recall) == pytest.approx(VALUES[name])


def test_normalising_is_an_option():
    gold, system = [template("A", ("Victim", "mayor"))], [template("A", ("Victim", "The mayor."))]
    assert find("template.fillers").score(gold, system).f1 == 1
    assert find("template.fillers(normalise=none)").score(gold, system).f1 == 0


OWN = '''
def first_word(system, gold):
    """The share of gold mentions that begin like one of the system."""
    begins = {each.split()[0] for each in system}
    return sum(each.split()[0] in begins for each in gold) / len(gold)
'''


def test_better_with_a_similarity_of_ones_own(tmp_path, monkeypatch):
    """Types: 1 of 2 and of 2, or 1/2. Fillers: Juan of {Juan Perez, the mayor} 1/2, dynamite 1; 3/2 of 4: 3/8."""
    (tmp_path / "similarity_of_ones_own.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    fillers = ("Victim", "Juan"), ("Weapon", "dynamite sticks"), ("Target", "x")
    system = [template("bombing", *fillers), template("y", ("z", "z"))]
    metric = find("template.better(filler=similarity_of_ones_own:first_word)")
    assert metric.score(GOLD, system).score == pytest.approx(1 / 2 * 3 / 8)


def test_unknown_similarities():
    with pytest.raises(UsageError, match="no similarity of fillers 'dice'"):
        find("template.better(filler=dice)")
    with pytest.raises(UsageError, match="phi cannot be 5"):
        find("template.fillers(phi=5)")


@pytest.mark.parametrize("kind", [5, None])
def test_a_type_is_a_text(kind):
    assert find("template.fillers").check({"templates": [template(kind)]})
