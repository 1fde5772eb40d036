"""After and Subevent links, against printed results, a slow obvious implementation, and the laws of the score."""

import json
import random
import time
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.formats.tbf import read_tbf
from adjudge.model.nugget import Nugget, NuggetDocument, Relation
from adjudge.stats.points import compute
from adjudge.tasks.nugget.sequencing import (
    COLUMNS,
    METRICS,
    count_sequence,
    reversed_links,
    sequence_measures,
)

OFFICIAL = {"nugget.after": "After", "nugget.subevent": "Subevent", "nugget.sequence": "All"}


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


def printed(totals):
    """As the official program prints them."""
    values = compute(sequence_measures(), COLUMNS, [totals])
    parts = {"F1": "f1", "P": "precision", "R": "recall"}
    return {
        official: {name: 100 * round(float(values[metric, part][0]), 6) for name, part in parts.items()}
        for metric, official in OFFICIAL.items()
    }


def scored(gold, system):
    return count_sequence(gold, system, same_place(gold, system))


# ---------------------------------------------------------------------------------------------------------------------
# Printed results


def files_scored(gold, system):
    ours = {each.id: each for each in read_tbf(gold)}
    theirs = {each.id: each for each in read_tbf(system)}
    rows = []
    for name, own in ours.items():
        other = theirs.get(name)
        rows.append(count_sequence(own, other, same_place(own, other) if other else []))
    return [sum(column) for column in zip(*(row.counts for row in rows), strict=True)], rows


@pytest.mark.parametrize(
    ("name", "expected", "remarks"),
    [
        (
            "seq_basic",
            {"Subevent": (100, 100, 100), "After": (39.6794, 100, 24.75), "All": (61.4319, 100, 44.3333)},
            (),
        ),
        ("seq_no_links", {"Subevent": (0, 0, 0), "After": (0, 0, 0), "All": (0, 0, 0)}, ()),
        ("seq_three_cycle", {"Subevent": (0, 0, 0), "After": (0, 0, 0), "All": (0, 0, 0)}, ("sequence-cycle",)),
        (
            "seq_two_cycle",
            {"Subevent": (0, 0, 0), "After": (66.6667, 50, 100), "All": (66.6667, 50, 100)},
            ("sequence-contradiction",),
        ),
        # The official program divides by zero here.
        (
            "seq_zero_division",
            {"Subevent": (100, 100, 100), "After": (100, 100, 100), "All": (100, 100, 100)},
            ("sequence-contradiction", "sequence-zero-division"),
        ),
    ],
)
def test_edge_files(name, expected, remarks):
    folder = Path(__file__).parents[2] / "golden" / "nugget_edge"
    totals, rows = files_scored(folder / f"{name}.gold.tbf", folder / f"{name}.sys.tbf")
    found = printed(totals)
    assert {key: tuple(value.values()) for key, value in found.items()} == {
        key: pytest.approx(values, abs=5e-5) for key, values in expected.items()
    }
    assert {code for row in rows for code in row.remarks} == set(remarks)


def test_official_runs(conformance):
    entries = json.loads((conformance / "cases" / "nugget.json").read_text())["entries"]
    found = [each for each in entries if "sequencing" in each]
    assert len(found) == 12
    for each in found:
        folder = conformance / "conformance" / "nugget"
        totals, _ = files_scored(folder / each["gold"], folder / each["system"])
        for name, values in each["sequencing"].items():
            assert printed(totals)[name] == pytest.approx(values, abs=5e-5), (each["gold"], each["system"], name)


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


@settings(max_examples=250)
@given(sides())
def test_equals_the_slow_implementation(case):
    assert count_sequence(*case).counts == pytest.approx(slow_count(*case), abs=1e-12)


@settings(max_examples=100)
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


@settings(max_examples=60)
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


def test_hundreds_of_events_in_milliseconds():
    rng = random.Random(1)
    names = [f"e{i}" for i in range(600)]
    links = [(names[i], names[j]) for i in range(600) for j in rng.sample(range(i, min(600, i + 30)), 1)]
    parts = [(names[i], names[i + 31]) for i in range(0, 560, 3)]
    gold = document(names, clusters=[names[i : i + 2] for i in range(0, 300, 10)], after=links, subevent=parts)
    system = document(names, after=links[::2] + [(b, a) for a, b in links[1:200:4]], subevent=parts[::2])
    mapping = [(i, i, 1.0) for i in range(600)]
    count_sequence(gold, system, mapping)
    start = time.process_time()
    count_sequence(gold, system, mapping)
    assert time.process_time() - start < 3


def test_a_long_chain_needs_no_recursion():
    names = [f"e{i}" for i in range(5000)]
    chain = document(names, after=list(pairwise(names)))
    found = count_sequence(chain, chain, [(i, i, 1.0) for i in range(5000)])
    assert after(found) == (4999, 4999, 4999, 4999)
