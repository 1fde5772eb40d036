"""After and Subevent links, against a slow obvious implementation and the laws of the score; golden has the rest."""

from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.model.nugget import Nugget, NuggetDocument, Relation
from adjudge.tasks.nugget.sequencing import (
    METRICS,
    count_sequence,
    reversed_links,
)


def nuggets(names):
    return [
        Nugget(name, "Conflict_Attack", "Actual", name, pieces=((10 * i, 10 * i + 3),)) for i, name in enumerate(names)
    ]


def document(names, clusters=(), after=(), subevent=()):
    relations = [Relation("Coreference", f"R{i}", tuple(each), 100 + i) for i, each in enumerate(clusters)]
    relations += [Relation("After", f"A{i}", tuple(each), 200 + i) for i, each in enumerate(after)]
    relations += [Relation("Subevent", f"S{i}", tuple(each), 300 + i) for i, each in enumerate(subevent)]
    return NuggetDocument("d", nuggets(names), relations)


def same_place(gold, system):
    """Pairs of nuggets with the same place and type, the first ones first."""
    used, pairs = set(), []
    for theirs, nugget in enumerate(system.nuggets):
        for ours, other in enumerate(gold.nuggets):
            if ours not in used and other.pieces == nugget.pieces and other.type == nugget.type:
                used.add(ours)
                pairs.append((ours, theirs, 1.0))
                break
    return pairs


def scored(gold, system):
    return count_sequence(gold, system, same_place(gold, system))


# ---------------------------------------------------------------------------------------------------------------------
# A slow obvious implementation


def closure(edges):
    found = set(edges)
    while True:
        more = {(a, d) for a, b in found for c, d in found if b == c} - found
        if not more:
            return found
        found |= more


def points(link):
    name, a, b = link
    if name == "After":
        return {((a, "end"), (b, "start"))}
    return {((a, "start"), (b, "start")), ((b, "end"), (a, "end"))}


def follows(link, links):
    events = {event for _, a, b in links for event in (a, b)}
    edges = {((event, "start"), (event, "end")) for event in events}
    for each in links:
        edges |= points(each)
    return points(link) <= closure(edges)


def slow_links(document, node):
    """The expanded links of a side: (name, node, node)."""
    clusters = [set(each) for each in document.clusters()]
    ids = [nugget.id for nugget in document.nuggets]
    clusters += [{id_} for id_ in ids if not any(id_ in each for each in clusters)]
    found = set()
    for name in ("Subevent", "After"):
        links = set()
        for relation in document.relations:
            if relation.name == name and len(relation.arguments) == 2 and set(relation.arguments) <= set(ids):
                a, b = (next(i for i, each in enumerate(clusters) if id_ in each) for id_ in relation.arguments)
                if a != b:
                    links.add((a, b))
        paths = closure(links) | {(i, i) for i in range(len(clusters))}
        for a, b in links:
            if not any((a, c) in paths and (c, b) in paths for c in range(len(clusters)) if c not in (a, b)):
                found |= {(name, node[x], node[y]) for x in clusters[a] for y in clusters[b] if {x, y} <= set(ids)}
    return found


def slow_side(stated, names):
    """The links that count, and those from which others follow."""
    used = set()
    for name in names:
        mine = {link for link in stated if link[0] == name}
        mine = {link for link in mine if not contradicts({link}, used)}
        cyclic = {link for link in mine if on_cycle(link, mine | used)}
        used |= mine - cyclic
    listed = set(stated)
    if len(names) > 1:
        listed = {link for link in stated if link[0] != "After" or link not in used or not follows(link, used - {link})}
    return listed, used


def contradicts(new, old):
    events = {event for _, a, b in old | new for event in (a, b)}
    edges = {((event, "start"), (event, "end")) for event in events}
    for each in old:
        edges |= points(each)
    paths = closure(edges)
    return any((y, x) in paths for link in new for x, y in points(link))


def on_cycle(link, links):
    return contradicts({link}, set(links))


def slow_count(gold, system, mapping):
    ours = {nugget.id: ("g", i) for i, nugget in enumerate(gold.nuggets)}
    partner = {theirs: ("g", i) for i, theirs, _ in mapping}
    theirs = {nugget.id: partner.get(i, ("s", i)) for i, nugget in enumerate(system.nuggets)}
    gold_links, system_links = slow_links(gold, ours), slow_links(system, theirs)
    counts = []
    for names in METRICS.values():
        stated, said = ({link for link in side if link[0] in names} for side in (gold_links, system_links))
        (g, from_gold), (s, from_system) = slow_side(stated, names), slow_side(said, names)
        pm = sum(link in stated or follows(link, from_gold) for link in s)
        rm = sum(link in said or follows(link, from_system) for link in g)
        im = sum(link not in g and follows(link, from_gold) for link in s)
        n = len({e for _, a, b in g for e in (a, b)} & {e for _, a, b in s for e in (a, b)})
        counts += [pm, len(s), rm + 0.99 / max(1, 1 + n * (n - 1) / 2 - rm) * im, len(g)]
    return counts


@st.composite
def sides(draw, events=6):
    """Gold and system over the same places, with clusters and links in all directions."""
    number = draw(st.integers(2, events))
    pair = st.tuples(st.integers(0, number - 1), st.integers(0, number - 1))
    found = []
    for letter in "gs":
        names = [f"{letter}{i}" for i in range(number)]
        members = draw(st.lists(st.integers(0, 2), min_size=number, max_size=number))
        clusters = [[names[i] for i in range(number) if members[i] == k] for k in (1, 2)]
        after, subevent = (draw(st.lists(pair, max_size=number)) for _ in range(2))
        if draw(st.booleans()):  # mostly forward
            after, subevent = ([(min(p), max(p)) for p in links] for links in (after, subevent))
        named = [[(names[a], names[b]) for a, b in links] for links in (after, subevent)]
        found.append(document(names, [each for each in clusters if len(each) > 1], *named))
    gold, system = found
    kept = draw(st.sets(st.integers(0, number - 1)))
    mapping = [(i, i, 1.0) for i in range(number) if i not in kept]
    return gold, system, mapping


@settings(max_examples=125)
@given(sides())
def test_equals_the_slow_implementation(case):
    assert count_sequence(*case).counts == pytest.approx(slow_count(*case), abs=1e-12)


@settings(max_examples=50)
@given(sides(), st.randoms(use_true_random=False))
def test_names_and_order_do_not_matter(case, rng):
    gold, system, mapping = case

    def renamed(side, letter):
        ids = [nugget.id for nugget in side.nuggets]
        new = dict(zip(ids, rng.sample([f"{letter}{i}" for i in range(3 * len(ids))], len(ids)), strict=True))
        relations = [
            relation._replace(id=f"X{i}", arguments=tuple(new[each] for each in relation.arguments))
            for i, relation in enumerate(side.relations)
        ]
        rng.shuffle(relations)
        order = list(range(len(ids)))
        rng.shuffle(order)
        shuffled = [side.nuggets[i]._replace(id=new[ids[i]]) for i in order]
        return NuggetDocument("d", shuffled, relations), {old: place for place, old in enumerate(order)}

    (ours, first), (theirs, second) = renamed(gold, "E"), renamed(system, "E")
    moved = [(first[i], second[j], dice) for i, j, dice in mapping]
    assert count_sequence(ours, theirs, moved).counts == pytest.approx(count_sequence(*case).counts, abs=1e-12)


@settings(max_examples=30)
@given(sides())
def test_gold_against_itself(case):
    gold, _, _ = case
    counts = count_sequence(gold, gold, [(i, i, 1.0) for i in range(len(gold.nuggets))]).counts
    for place in range(0, len(counts), 4):
        matched, system, found, whole = counts[place : place + 4]
        assert (matched, found) == (system, whole)


# ---------------------------------------------------------------------------------------------------------------------
# What is written down in the documentation


def after(counts):
    return counts.counts[:4]


def test_missing_system_counts_as_empty():
    gold = document("abc", after=["ab", "bc"])
    assert count_sequence(gold, None, []).counts[:4] == (0, 0, 0, 2)
    assert count_sequence(gold, None, []).remarks == ()


def test_links_go_between_clusters():
    gold = document("abcd", clusters=["ab"], after=["ac"])
    system = document("abcd", clusters=["ab"], after=["bc"])
    assert after(scored(gold, system)) == (2, 2, 2, 2)
    assert after(scored(gold, document("abcd", after=["bc"]))) == (1, 1, 1, 2)


def test_overlapping_clusters_are_one_event():
    gold = document("abcd", clusters=["ab", "bc"], after=["ad"])
    assert after(scored(gold, gold)) == (3, 3, 3, 3)


def test_unknown_ids_links_inside_a_cluster_and_wrong_numbers_of_arguments_are_left_out():
    gold = document("abc", clusters=["ab"], after=["ab", "ax", "abc", "a", "ac"])
    assert after(scored(gold, gold)) == (2, 2, 2, 2)


def test_an_after_link_that_follows_through_a_part_counts_once():
    gold = document("abc", after=["ab", "ac"], subevent=["bc"])
    found = scored(gold, gold)
    assert found.counts[8:] == (2, 2, 2.0, 2)  # a is before b and c is a part of b
    assert found.remarks == ("sequence-redundant",)


def test_a_reversed_link_at_the_start_of_a_chain_is_wrong():
    """After three events put before a chain, the official program may judge a reversed link right."""
    gold = document("abcdef", after=["ab", "bc", "cd", "de", "ef"])
    for first, second in product("abcdef", repeat=2):
        system = document("abcdef", after=[first + second])
        matched, total, _, _ = after(scored(gold, system))
        assert (matched, total) == (int(first < second), int(first != second))


def test_a_longer_cycle_is_left_out():
    found = scored(document("abc", after=["ab"]), document("abc", after=["ab", "bc", "ca"]))
    assert (after(found), found.remarks) == ((0, 0, 0, 1), ("sequence-cycle",))


def test_subevents_come_before_after_links():
    """The whole is not before its part: the After link is counted, but nothing follows from it."""
    gold = document("abc", after=["ac"])
    system = document("abc", after=["ab", "bc"], subevent=["ab"])
    found = scored(gold, system)
    assert found.counts[:4] == (0, 2, 1, 1)  # After alone: a before b before c
    assert found.counts[8:] == (0, 3, 0, 1)
    assert "sequence-contradiction" in found.remarks


def test_links_both_ways():
    broken = document("abcde", clusters=["ab"], after=["ab", "ax", "cd", "dc", "cd", "dc", "aa"], subevent=["cd", "dc"])
    assert [(each.line, str(each)) for each in reversed_links(broken)] == [
        (203, "203: After A3 says d,c, and A2 (line 202) the reverse, remove one of them"),
        (301, "301: Subevent S1 says d,c, and S0 (line 300) the reverse, remove one of them"),
    ]
    assert list(reversed_links(document("abc", after=["ab", "bc"], subevent=["ac"]))) == []


def test_the_same_id_twice():
    """A link means the last mention with its id, on the system side the last one that is not mapped."""
    gold = document("aab", after=["ab"])
    system = document("ab", after=["ab"])
    assert after(count_sequence(gold, system, [(1, 0, 1.0), (2, 1, 1.0)])) == (1, 1, 1, 1)
    assert after(count_sequence(gold, system, [(0, 0, 1.0), (2, 1, 1.0)])) == (0, 1, 0, 1)


def test_a_long_chain_needs_no_recursion():
    names = [f"e{i}" for i in range(5000)]
    chain = document(names, after=list(pairwise(names)))
    found = count_sequence(chain, chain, [(i, i, 1.0) for i in range(5000)])
    assert after(found) == (4999, 4999, 4999, 4999)
