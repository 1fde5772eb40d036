"""The scores of CorefUD in the plainest way: sets of nodes, whole matrices, loops over all pairs; one document."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment


class Node(NamedTuple):
    """The mention as it was made: its nodes (sentence, number), its head, and the DEPS of the head."""

    nodes: frozenset
    head: tuple
    deps: frozenset

    @property
    def is_zero(self):
        return self.head[1] % 1 != 0


def order(mention):
    return min(mention.nodes), max(mention.nodes), len(mention.nodes)


def made(rng: random.Random, sentences: int = 2, words: int = 7, *, twice: bool = False):
    """Entities of a document as lists of mentions; with `twice` some mentions are in two of them."""
    entities = {f"e{number}": [] for number in range(1, 5)}
    for sentence in range(1, sentences + 1):
        empty = sorted(rng.sample(range(words + 1), 2))
        nodes = sorted([*range(1, words + 1), *(each + 0.5 for each in empty)])
        deps = {each: frozenset({(rng.randint(1, 3), rng.choice(["nsubj", "obj"]))}) for each in nodes if each % 1}
        for mentions in entities.values():
            taken = set()
            for _ in range(rng.randint(0, 3)):
                first = rng.randrange(len(nodes))
                own = nodes[first : first + rng.choice([1, 1, 2, 3, 5])]
                if rng.random() < 0.2 and len(own) > 2:
                    own = [own[0], *own[2:]]
                if taken.isdisjoint(range(nodes.index(own[0]), nodes.index(own[-1]) + 1)):
                    taken.update(range(nodes.index(own[0]), nodes.index(own[-1]) + 1))
                    head = own[0] if len(own) == 1 else rng.choice(own)
                    mentions.append((sentence, own, head, deps.get(head, frozenset())))
            if twice and mentions and rng.random() < 0.3:
                other = rng.choice(sorted(entities))
                if not any(each[0] == sentence for each in entities[other]):
                    entities[other].append(mentions[-1])
    return entities


def text_of(entities, words: int, sentences: int):
    """The document as CoNLL-U, with those empty nodes that are in mentions."""
    lines = ["# newdoc id = d", "# global.Entity = eid-head"]
    for sentence in range(1, sentences + 1):
        lines.append(f"# sent_id = s{sentence}")
        here = [(name, *each[1:]) for name, mentions in entities.items() for each in mentions if each[0] == sentence]
        nodes = sorted({*range(1, words + 1), *(node for _, own, _, _ in here for node in own)})
        marks, deps = {}, {}
        for name, own, head, parents in here:
            _mark(marks, name, own, own.index(head) + 1, nodes)
            deps |= {head: parents} if parents else {}
        for node in nodes:
            closing, opening = marks.get(node, ([], []))
            misc = f"Entity={''.join(closing + opening)}" if closing or opening else "_"
            parents = "|".join(sorted(f"{parent}:{relation}" for parent, relation in deps.get(node, ()))) or "1:dep"
            lines.append("\t".join((f"{node:g}", f"w{node:g}", *"______", parents if node % 1 else "_", misc)))
        lines.append("")
    return "\n".join((*lines, ""))


def _mark(marks, entity, own, head, nodes):
    """The brackets of a mention, closing and opening ones, at its nodes; at a gap there is another part."""
    parts = [[own[0]]]
    for before, node in pairwise(own):
        if nodes.index(node) == nodes.index(before) + 1:
            parts[-1].append(node)
        else:
            parts.append([node])
    for number, part in enumerate(parts, 1):
        name = entity if len(parts) == 1 else f"{entity}[{number}/{len(parts)}]"
        single = len(part) == 1
        marks.setdefault(part[0], ([], []))[1].append(f"({name}-{head}{')' * single}")
        if not single:
            marks.setdefault(part[-1], ([], []))[0].append(f"{name})")


def entities_of(entities, options):
    """Entities in the official order, without copies, and perhaps without singletons."""
    match, singletons, _ = options
    found = []
    for name, mentions in entities.items():
        own = []
        for sentence, nodes, head, deps in mentions:
            own.append(Node(frozenset((sentence, node) for node in nodes), (sentence, head), deps))
        own.sort(key=lambda each: (min(each.nodes), -len(each.nodes), max(each.nodes)))
        kept = {}
        for each in own:
            kept.setdefault((each.nodes, each.head) if match == "head" else each.nodes, each)
        if len(kept) > (singletons == "drop"):
            first = own[0]
            found.append((min(first.nodes), -len(first.nodes), max(first.nodes), name, kept))
    return [each[-1] for each in sorted(found, key=lambda each: each[:4])]


def assigned(rows, columns, weight):
    if not rows or not columns:
        return []
    matrix = np.array([[weight(k, s) for _, s in columns] for _, k in rows])
    return [
        (rows[i][0], columns[j][0]) for i, j in zip(*linear_sum_assignment(-matrix), strict=True) if matrix[i, j] > 0
    ]


def f_score(one, other):
    common = len(one & other)
    p, r = common / len(one), common / len(other)
    return 2 * p * r / (p + r) if common else 0.0


def zero_weight(k, s):
    if k.head[0] != s.head[0]:
        return 0.0
    return 10 * f_score(k.deps, s.deps) + f_score({each for each, _ in k.deps}, {each for each, _ in s.deps})


WEIGHTS = {
    "head": lambda k, s: len(k.nodes & s.nodes) / len(k.nodes) if k.head == s.head else 0.0,
    "partial": lambda k, s: len(s.nodes) / len(k.nodes) if s.nodes <= k.nodes and k.head in s.nodes else 0.0,
    "exact": lambda k, s: 0.0,
}


def scores(key, response, options):
    """[recall, precision, f1] of every metric."""
    match, _, zeros = options
    ours, theirs = entities_of(key, options), entities_of(response, options)
    known, said = ({}, {})
    for side, spots in ((ours, known), (theirs, said)):
        for entity in side:
            for name, mention in entity.items():
                spots.setdefault(name, mention)
    left = sorted(known.items(), key=lambda item: order(item[1]))
    right = sorted(said.items(), key=lambda item: order(item[1]))
    pairs = []
    if zeros == "dependent":
        pairs = assigned([x for x in left if x[1].is_zero], [x for x in right if x[1].is_zero], zero_weight)
    left = [x for x in left if x[0] not in {k for k, _ in pairs}]
    right = [x for x in right if x[0] not in {s for _, s in pairs}]
    equal = {k for k, _ in left} & {s for s, _ in right}
    rest = assigned([x for x in left if x[0] not in equal], [x for x in right if x[0] not in equal], WEIGHTS[match])
    table = {}
    table.update({k: s for k, s in pairs + rest if k != s})
    table.update({s: k for k, s in pairs + rest if k != s})
    key_home = {name: place for place, entity in enumerate(ours) for name in entity}
    home = {name: place for place, entity in enumerate(theirs) for name in entity}

    def found(side, other):
        return [[other[table.get(name, name)] for name in entity if table.get(name, name) in other] for entity in side]

    recall, precision = found(ours, home), found(theirs, key_home)
    sizes, spread = [len(each) for each in ours], [len(each) for each in theirs]
    shared = np.array([[sum(table.get(name, name) in s for name in k) for s in theirs] for k in ours]).reshape(
        len(ours), len(theirs)
    )
    dice = np.array([[2 * shared[i, j] / (sizes[i] + spread[j]) for j in range(len(theirs))] for i in range(len(ours))])
    best = [0.0 if not table_.size else table_[linear_sum_assignment(-table_)].sum() for table_ in (shared, dice)]
    spans = [[mention.nodes for entity in side for mention in entity.values()] for side in (ours, theirs)]
    overlap = np.array([[len(k & s) for s in spans[1]] for k in spans[0]])
    common = 0 if not overlap.size else overlap[linear_sum_assignment(-overlap)].sum()
    both, apart = blanc(recall), links_apart(recall)
    return {
        "muc": prf(muc(recall), sum(sizes) - len(sizes), muc(precision), sum(spread) - len(spread)),
        "b3": prf(b3(recall, sizes), sum(sizes), b3(precision, spread), sum(spread)),
        "ceafm": prf(best[0], sum(sizes), best[0], sum(spread)),
        "ceafe": prf(best[1], len(sizes), best[1], len(spread)),
        "blanc": mean(
            [prf(both, inside(sizes), both, inside(spread)), prf(apart, between(sizes), apart, between(spread))]
        ),
        "lea": prf(lea(recall, sizes, spread), sum(sizes), lea(precision, spread, sizes), sum(spread)),
        "mor": prf(common, sum(map(len, spans[0])), common, sum(map(len, spans[1]))),
        "zero": zero_scores(ours, theirs, home, table),
    }


def prf(found, gold, matched, system):
    r, p = found / gold if found else 0.0, matched / system if matched else 0.0
    return [float(r), float(p), float(2 * p * r / (p + r)) if p + r else 0.0, bool(gold or system)]


def mean(kinds):
    there = [each for each in kinds if each[3]]
    return [sum(each[part] for each in there) / len(there) if there else 0.0 for part in range(3)]


def muc(found):
    return sum(len(each) - len(set(each)) for each in found)


def b3(found, sizes):
    return sum(Fraction(sum(a == b for a in each for b in each), size) for each, size in zip(found, sizes, strict=True))


def lea(found, sizes, others):
    total = Fraction(0)
    for each, size in zip(found, sizes, strict=True):
        if size == 1:
            total += int(bool(each) and others[each[0]] == 1)
        else:
            total += Fraction(2 * sum(a == b for a, b in combinations(each, 2)), size - 1)
    return total


def blanc(found):
    return sum(a == b for each in found for a, b in combinations(each, 2))


def links_apart(found):
    return sum(a != b for one, other in combinations(found, 2) for a in one for b in other)


def inside(sizes):
    return sum(size * (size - 1) // 2 for size in sizes)


def between(sizes):
    return sum(a * b for a, b in combinations(sizes, 2))


def zero_scores(ours, theirs, home, table):
    first = [min(entity, key=lambda name, entity=entity: order(entity[name])) for entity in theirs]
    hit = miss = wrong = 0
    covered = set()
    for entity in ours:
        before = set()
        for place, (name, mention) in enumerate(sorted(entity.items(), key=lambda item: order(item[1]))):
            other = name if name in home else table.get(name)
            where = None if other is None else home.get(other)
            if place and mention.is_zero:
                if where is None or other in first:
                    miss += 1
                elif where in before:
                    hit += 1
                else:
                    wrong += 1
                covered.add(other)
            before.add(where)
        before.discard(None)
    spurious = sum(m.is_zero and n not in first and n not in covered for entity in theirs for n, m in entity.items())
    return prf(hit, hit + miss + wrong, hit, hit + spurious + wrong)
