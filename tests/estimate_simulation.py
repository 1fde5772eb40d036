"""Do intervals hold what they promise, do tests raise false alarms? Pools and corpora, drawn again and again.

Everything goes through the functions that users call. `python tests/estimate_simulation.py` runs all of it, prints the
tables and fails if a share is not what it should be (an hour; a part of it if its name is given); the tests of
every day run the same on smaller sizes.
"""

from __future__ import annotations

import math
import os
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import wraps
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from adjudge.estimates.design import Design, Round
from adjudge.estimates.documents import Counted, estimate_documents
from adjudge.estimates.draw import Plan, draw, item_importance
from adjudge.estimates.estimate import estimate_pool
from adjudge.estimates.impute import impute
from adjudge.estimates.judge import judge_report
from adjudge.estimates.pool import Item, Pool
from adjudge.estimates.rows import How
from adjudge.estimates.runs import finished
from adjudge.stats import intervals
from adjudge.stats.inference import Inference
from adjudge.stats.intervals import Parts, score_interval, student_interval, student_tails
from adjudge.stats.measure import Prf, Ratio
from adjudge.stats.points import Additive
from adjudge.stats.power import documents_needed
from adjudge.stats.ranking import rank_sets
from adjudge.stats.runs import Runs, difference_spread
from adjudge.stats.table import StatsTable
from made import made_result

LEVEL = 0.95


class Share(NamedTuple):
    """How often something happened."""

    hits: int
    times: int

    @property
    def value(self):
        return self.hits / self.times if self.times else math.nan

    def within(self, low=0.93, high=0.97):
        """Whether it lies between two shares, widened by two binomial errors."""
        slack = 2 * math.sqrt(0.05 * 0.95 / self.times)
        return low - slack <= self.value <= high + slack


class Tally:
    """Shares and means by name."""

    def __init__(self):
        self.hits, self.times, self.sums = defaultdict(int), defaultdict(int), defaultdict(float)

    def count(self, name, hit):
        self.hits[name] += bool(hit)
        self.times[name] += 1

    def add(self, name, value):
        self.sums[name] += value
        self.times[name] += 1

    def found(self):
        shares = {name: Share(self.hits[name], self.times[name]) for name in self.times if name not in self.sums}
        return shares | {name: total / self.times[name] for name, total in self.sums.items()}


def quick(function):
    """With degrees of freedom of one digit after the point: to find quantiles for all others takes most of the time."""

    @wraps(function)
    def patched(*args, **options):
        exact = intervals.student_quantile
        with patch.object(intervals, "student_quantile", lambda level, freedom: exact(level, round(freedom, 1))):
            return function(*args, **options)

    return patched


def covers(row, value):
    """Whether the interval of a row holds a value; None if it has none."""
    if row.low is None or getattr(row, "events", None) == 0:
        return None
    return row.low <= value + 1e-12 and value <= row.high + 1e-12


# ---------------------------------------------------------------------------------------------------------------------
# Items of a pool, documents fixed

# How many items, the share of right ones, how often each system returns what is right and what is wrong.
POOLS = {
    "small": (215, 0.42, (0.75, 0.6, 0.5), (0.35, 0.3, 0.5)),
    "rare": (1187, 0.13, (0.7, 0.55, 0.5), (0.35, 0.3, 0.45)),
    "precise": (855, 0.85, (0.8, 0.7, 0.6), (0.6, 0.4, 0.5)),
    "adversarial": (207, 0.42, (0.75, 0.6, 0.5), (0.35, 0.3, 0.5)),
    "tiny": (64, 0.45, (0.75, 0.6, 0.5), (0.35, 0.3, 0.5)),
    "large": (5020, 0.4, (0.75, 0.7, 0.64, 0.58, 0.5, 0.42), (0.3, 0.31, 0.33, 0.36, 0.4, 0.45)),
}


def made_pool(rng, kind, judge="biased"):
    """A pool, and the truth about its items; the judge is kinder to the first system."""
    number, share, right, wrong = POOLS[kind]
    truth = rng.random(number) < share
    member = rng.random((number, len(right))) < np.where(truth[:, None], right, wrong)
    member[~member.any(axis=1), rng.integers(0, len(right))] = True
    opinion = np.clip(0.25 + 0.5 * truth + 0.15 * member[:, 0] + rng.normal(0, 0.2, number), 0, 1)
    opinion = {"biased": opinion, "adversarial": 1 - opinion, "flat": np.full(number, 0.5)}[judge]
    names = [f"s{at}" for at in range(len(right))]
    items = tuple(
        Item(
            id=f"x{at:05}",
            document=f"d{at % 40:02}",
            systems=tuple(name for name, own in zip(names, member[at], strict=True) if own),
            judge=float(opinion[at]),
        )
        for at in range(number)
    )
    return Pool(items), truth.astype(float)


def true_scores(pool, truth):
    member = pool.member
    matched, size, gold = truth @ member, member.sum(axis=0), truth.sum()
    values = {"precision": matched / size, "recall": matched / gold, "f1": 2 * matched / (size + gold)}
    return {(name, part): own[at] for part, own in values.items() for at, name in enumerate(pool.systems)}


def drawn_design(units, plan):
    rows = tuple(draw(units, plan))
    return Design((Round(size=plan.size, sampling=plan.sampling),), rows)


def items(kind, size, way, populations=4, times=500, judge="biased", sampling="fixed"):
    """How often intervals of precision, recall, F1 and its differences hold the values of the whole pool."""
    tally = Tally()
    for number in range(populations):
        pool, truth = made_pool(np.random.default_rng([11, number]), kind, judge)
        wanted = true_scores(pool, truth)
        order = sorted(pool.systems, key=lambda name: -wanted[name, "f1"])
        ids = [item.id for item in pool.items]
        verdicts = dict(zip(ids, truth.tolist(), strict=True))
        importance = item_importance(pool) if way == "active" else None
        how = How(assist="judge" if way == "active" else way)
        for seed in range(times):
            design = drawn_design(ids, Plan(size, sampling, importance=importance, seed=1000 * number + seed))
            heard = {row.id: verdicts[row.id] for row in design.rows if row.drawn}
            found = estimate_pool(pool, design, heard, how)
            for row in found.scores:
                hit = covers(row, wanted[row.system, row.part])
                if hit is not None:
                    tally.count(row.part, hit)
                if row.part == "f1" and row.low is not None:
                    tally.add("half-width", 50 * (row.high - row.low))
            for row in found.differences:
                if row.part == "f1" and row.low is not None:
                    tally.count("difference", covers(row, wanted[row.a, "f1"] - wanted[row.b, "f1"]))
            values = {row.system: row.value for row in found.scores if row.part == "f1"}
            tally.count("order", sorted(values, key=lambda name: -values[name]) == order)
    return tally.found()


@quick
def rounds(times=600, kind="rare", size=120):
    """Two rounds, the second aimed at the documents in which the first found most errors."""
    tally = Tally()
    pool, truth = made_pool(np.random.default_rng(12), kind)
    wanted = true_scores(pool, truth)
    ids = [item.id for item in pool.items]
    place = {unit: at for at, unit in enumerate(ids)}
    for seed in range(times):
        first = drawn_design(ids, Plan(size, seed=seed))
        known = {row.id for row in first.rows if row.drawn}
        right = defaultdict(float)
        for unit in known:
            right[pool.items[place[unit]].document] += truth[place[unit]]
        free = [unit for unit in ids if unit not in known]
        importance = {unit: 0.5 + right[pool.items[place[unit]].document] for unit in free}
        plan = Plan(size, importance=importance, seed=seed, round=2)
        second = Design((Round(number=2, size=size),), tuple(draw(free, plan)))
        design = first.joined(second)
        heard = {unit: float(truth[place[unit]]) for unit in design.drawn}
        for row in estimate_pool(pool, design, heard, How(assist="judge")).scores:
            hit = covers(row, wanted[row.system, row.part])
            if hit is not None:
                tally.count(row.part, hit)
    return tally.found()


# ---------------------------------------------------------------------------------------------------------------------
# Documents assessed whole

BETA = 0.25
ARGUMENT = Ratio("argument", "score", (("x", 1.0),), (("c", 1.0),))
LINK = Ratio("link", "score", (("l", 1.0),), (("c", 1.0),))
# Documents, how unequal their sizes are, how unequal their quality, and wrong answers where nothing is right.
# "unequal" has 40 to 65 % of the documents clipped; of "giants" one document in 80 has a tenth of all right answers.
CORPORA = {
    "mixed": (100, 0.6, 0.6, 1.5),
    "unequal": (80, 0.7, 2.2, 10.0),
    "giants": (80, 1.1, 1.2, 6.0),
    "small": (30, 0.6, 0.6, 1.0),
}
SYSTEMS = ("A", "B", "C")


class Corpus(NamedTuple):
    """Counts of every system on all documents, against people and against a judge."""

    measures: tuple
    people: dict
    judge: dict

    @property
    def ids(self):
        return next(iter(self.people.values())).ids

    def true(self):
        from adjudge.stats.points import scores_of

        return {name: scores_of(self.measures, table.totals) for name, table in self.people.items()}


def made_corpus(rng, kind, systems=SYSTEMS, number=None):
    """Argument scores that are clipped in every document, and link scores; the judge misses and adds some."""
    documents, unequal, quality, noise = CORPORA[kind]
    documents = number or documents
    size = np.exp(rng.normal(1.6, unequal, documents))
    correct = rng.poisson(size) + 1.0
    effect = rng.normal(0, quality, documents)
    ids = tuple(f"d{at:03}" for at in range(documents))
    columns = ("x", "c", "l")
    people, judge = {}, {}
    guessed = np.maximum(1, correct + rng.normal(0, 0.3 * np.sqrt(correct), documents))
    for name, skill in zip(systems, (0.4, 0.1, -0.3), strict=False):
        chance = 1 / (1 + np.exp(-skill - effect))
        tp = rng.binomial(correct.astype(int), chance).astype(float)
        fp = rng.poisson(0.5 * correct + rng.gamma(0.5, 2 * noise, documents)).astype(float)
        link = tp * rng.beta(4, 2, documents)
        wrong = rng.binomial((tp + fp).astype(int), 0.15) * rng.choice([-1, 1], documents)
        guess = np.clip(tp + wrong, 0, tp + fp)
        people[name] = StatsTable(ids, columns, np.stack([np.maximum(0, tp - BETA * fp), correct, link], 1).tolist())
        x = np.maximum(0, guess - BETA * (tp + fp - guess))
        again = guess * np.clip(link / np.maximum(tp, 1) + rng.normal(0, 0.1, documents), 0, 1)
        judge[name] = StatsTable(ids, columns, np.stack([x, guessed, again], 1).tolist())
    return Corpus((ARGUMENT, LINK), people, judge)


def chains(rng, documents):
    """Coreference that two systems and a judge annotate with errors, scored by B3 and CEAF."""
    from adjudge import coref

    def corrupted(corpus, share):
        found = []
        for document in corpus:
            clusters = [list(own) for own in document["clusters"]]
            for own in clusters[:]:
                for mention in own[:]:
                    if len(own) > 1 and rng.random() < share:
                        own.remove(mention)
                        target = rng.integers(0, len(clusters) + 1)
                        (clusters[target] if target < len(clusters) else clusters.append([]) or clusters[-1]).append(
                            mention
                        )
            found.append({"id": document["id"], "clusters": [own for own in clusters if own]})
        return found

    gold = []
    for at in range(documents):
        sizes = rng.integers(1, 6, rng.integers(3, 9))
        places = iter(range(int(sizes.sum())))
        gold.append({"id": f"d{at:03}", "clusters": [[[(p := next(places)), p] for _ in range(n)] for n in sizes]})
    systems = {"A": corrupted(gold, 0.25), "B": corrupted(gold, 0.4)}
    options = {"metrics": ["b3", "ceafe"], "bootstrap": 0}
    one, other = (coref.score(key, systems, **options) for key in (gold, corrupted(gold, 0.1)))
    return Corpus(one.measures, one.tables(), other.tables())


@quick
def whole(kind, size, judged, populations=8, times=200, rounds=1):
    """How often intervals of scores of documents assessed whole hold the scores of all documents."""
    tally = Tally()
    for number in range(populations):
        rng = np.random.default_rng([21, number])
        corpus = chains(rng, 60) if kind == "chains" else made_corpus(rng, kind)
        wanted = corpus.true()
        for seed in range(times):
            design = drawn_design(corpus.ids, Plan(size, seed=1000 * number + seed))
            for later in range(2, rounds + 1):
                free = [unit for unit in corpus.ids if unit not in design.drawn]
                plan = Plan(size, seed=1000 * number + seed, round=later)
                design = design.joined(Design((Round(number=later, size=size),), tuple(draw(free, plan))))
            _count_whole(tally, corpus, design, wanted, judged, How())
    return tally.found()


def _count_whole(tally, corpus, design, wanted, judged, how):
    rounds = tuple(Round(number=each.number, size=each.size, unit="document") for each in design.rounds)
    design = Design(rounds, design.rows)
    drawn = sorted(design.drawn)
    people = {name: table.select(drawn) for name, table in corpus.people.items()}
    found = estimate_documents(Counted(corpus.measures, people, corpus.judge if judged else {}), design, how)
    for row in found.scores:
        if row.part in ("score", "f1") and row.low is not None:
            tally.count(row.metric, covers(row, wanted[row.system][row.metric, row.part]))
            tally.add(f"{row.metric} half-width", 50 * (row.high - row.low))
    for row in found.differences:
        if row.part in ("score", "f1") and row.low is not None:
            key = row.metric, row.part
            tally.count(f"{row.metric} difference", covers(row, wanted[row.a][key] - wanted[row.b][key]))


def by_size(kind, size, populations=4, times=400):
    """The same with documents drawn by importance, with a judge."""
    tally = Tally()
    for number in range(populations):
        corpus = made_corpus(np.random.default_rng([21, number]), kind, SYSTEMS[:1])
        importance = {unit: 0.5 + row[1] for unit, row in zip(corpus.ids, corpus.judge["A"].values, strict=True)}
        wanted = corpus.true()
        for seed in range(times):
            design = drawn_design(corpus.ids, Plan(size, importance=importance, seed=1000 * number + seed))
            _count_whole(tally, corpus, design, wanted, True, How())
    return tally.found()


def imputed(kind, share=0.4, times=200):
    """A sample of items, the clipped argument score by a model of the verdicts; a new population each time."""
    tally = Tally()
    documents, unequal_, quality, _ = CORPORA[kind]
    for seed in range(times):
        rng = np.random.default_rng([22, seed])
        size = np.maximum(2, np.exp(rng.normal(2.2, unequal_, documents)).astype(int))
        document = np.repeat(np.arange(documents), np.minimum(size, 60))
        chance = 1 / (1 + np.exp(0.9 - rng.normal(0, quality, documents)[document]))
        truth = rng.random(len(document)) < chance
        pool = _pool_of(rng, truth, document)
        ids = [item.id for item in pool.items]
        design = drawn_design(ids, Plan(math.ceil(share * len(ids)), seed=seed))
        heard = {row.id: float(truth[int(row.id[1:])]) for row in design.rows if row.drawn}
        for row in impute(pool, design, heard, How())[0]:
            own = pool.member[:, pool.systems.index(row.system)]
            tp = np.bincount(document, weights=own & truth)
            fp = np.bincount(document, weights=own & ~truth)
            wanted = np.maximum(0, tp - BETA * fp).sum() / truth.sum()
            tally.count("model", covers(row, wanted))
            tally.count("bounds", row.bounds[0] <= wanted <= row.bounds[1])
    return tally.found()


def _pool_of(rng, truth, document):
    """Two systems and a judge."""
    member = rng.random((len(document), 2)) < np.where(truth[:, None], (0.75, 0.6), (0.5, 0.45))
    judge = np.clip(0.3 + 0.4 * truth + 0.1 * member[:, 0] + rng.normal(0, 0.2, len(document)), 0, 1)
    names = [tuple(name for name, own in zip("AB", row, strict=True) if own) for row in member]
    return Pool(
        tuple(
            Item(id=f"x{at:05}", document=f"d{document[at]:03}", systems=names[at], judge=float(judge[at]))
            for at in range(len(truth))
        )
    )


# ---------------------------------------------------------------------------------------------------------------------
# Documents as a sample


def drawn_documents(rng, kind, documents):
    """Pools of documents of one population: of even and of skewed size, or with few right items."""
    size = {
        "even": rng.integers(8, 16, documents),
        "skewed": 3 + np.minimum(40, rng.pareto(2.0, documents) * 5).astype(int),
        "rare": rng.poisson(8, documents) + 2,
    }[kind]
    document = np.repeat(np.arange(documents), size)
    effect = rng.normal(0, 0.5, documents)[document]
    right = 1 / (1 + np.exp(-effect - (-2.0 if kind == "rare" else -0.2)))
    truth = rng.random(len(document)) < right
    member = rng.random((len(document), 2)) < np.where(truth[:, None], (0.75, 0.6), (0.4, 0.35))
    judge = np.clip(0.3 + 0.4 * truth + 0.1 * member[:, 0] + rng.normal(0, 0.2, len(document)), 0, 1)
    return document, truth.astype(float), member, judge


def sampled_items(kind, documents, times=600, share=0.2):
    """A fifth of the items is read, the documents are a sample: is the score of the population in the interval?"""
    tally = Tally()
    _, truth, member, _ = drawn_documents(np.random.default_rng(0), kind, 60_000)
    wanted = 2 * (truth @ member) / (member.sum(axis=0) + truth.sum())
    for seed in range(times):
        document, truth, member, judge = drawn_documents(np.random.default_rng([31, seed]), kind, documents)
        names = [tuple(name for name, own in zip("AB", row, strict=True) if own) for row in member]
        pool = Pool(
            tuple(
                Item(id=f"x{at:05}", document=f"d{document[at]:03}", systems=names[at], judge=float(judge[at]))
                for at in range(len(truth))
            )
        )
        ids = [item.id for item in pool.items]
        design = drawn_design(ids, Plan(math.ceil(share * len(ids)), seed=seed))
        heard = {row.id: float(truth[int(row.id[1:])]) for row in design.rows if row.drawn}
        found = estimate_pool(pool, design, heard, How(assist="judge", documents="sample"))
        for row in found.scores:
            if row.part == "f1":
                tally.count("f1", covers(row, wanted["AB".index(row.system)]))
        for row in found.differences:
            if row.part == "f1":
                tally.count("difference", covers(row, wanted[0] - wanted[1]))
    return tally.found()


def sampled_whole(kind, size, judged, times=800):
    """Of documents that are a sample themselves, some were assessed whole."""
    tally = Tally()
    wanted = made_corpus(np.random.default_rng(0), kind, number=100_000).true()
    for seed in range(times):
        corpus = made_corpus(np.random.default_rng([32, seed]), kind)
        design = drawn_design(corpus.ids, Plan(size, seed=seed))
        _count_whole(tally, corpus, design, wanted, judged, How(documents="sample"))
    return tally.found()


# ---------------------------------------------------------------------------------------------------------------------
# Everything assessed: intervals of small corpora, and tests

F1 = (Prf("set.f1", ("s", "p"), ("s", "g")),)


def sizes(documents, rng, kind):
    """Gold items of every document: much the same everywhere, a few long documents, or few items of any kind."""
    if kind == "even":
        return rng.integers(8, 16, documents)
    if kind == "skewed":
        return 3 + np.minimum(40, rng.pareto(2.0, documents) * 5).astype(int)
    return rng.poisson(2.5, documents) + 1


def like(gold, rng):
    """A system of precision and recall about 0.65, better on some documents than on others."""
    share = rng.beta(6.5, 3.5, len(gold))
    matched = rng.binomial(gold, share)
    return np.stack((matched, matched + rng.poisson(0.35 * gold), gold), axis=1)


def unlike(gold, rng):
    """Two systems of F1 2/3: one has half of gold and nothing else, the other all of it and as much noise."""
    half = rng.binomial(gold, 0.5)
    return np.stack((half, half, gold), axis=1), np.stack((gold, gold + rng.poisson(gold), gold), axis=1)


def result_of(rows, **how):
    tables = {name: StatsTable(tuple(f"d{k:04}" for k in range(len(own))), "spg", own) for name, own in rows.items()}
    return made_result(task="t", profile="p", measures=F1, tables=tables, inference=Inference(**how))


def labelled(kind, documents, times, **how):
    """How often the interval of F1 holds the score of the population."""
    gold = sizes(400_000, np.random.default_rng(0), kind)
    matched, system, _ = like(gold, np.random.default_rng(1)).T
    wanted, tally = 2 * matched.sum() / (gold.sum() + system.sum()), Tally()
    for number in range(times):
        rng = np.random.default_rng([documents, number])
        f1 = result_of({"A": like(sizes(documents, rng, kind), rng)}, seed=number, **how)["set.f1"].f1
        tally.count("f1", f1.low is not None and f1.low <= wanted <= f1.high)
    return tally.found()


def alarms(kind, documents, times, **how):
    """How often two systems of the same score are told apart."""
    tally = Tally()
    for number in range(times):
        rng = np.random.default_rng([documents, number, 2])
        gold = sizes(documents, rng, "skewed" if kind == "unlike" else kind)
        a, b = unlike(gold, rng) if kind == "unlike" else (like(gold, rng), like(gold, rng))
        (comparison,) = result_of({"A": a, "B": b}, seed=number, **how).comparisons
        tally.count("alarms", comparison.p < 0.05)
    return tally.found()


# ---------------------------------------------------------------------------------------------------------------------
# False alarms of estimates: systems that are equally good, and a judge that favours nobody

EQUAL = ("even", "rare", "unlike")
ALARMS = 16_000  # repetitions: two errors of a share of 0.05 are 0.0034, so that chance does not decide about 0.06


def equal_pool(rng, kind, number=400, systems=2):
    """A pool in which all systems have one F1: as many right and wrong items each, or 2/3 by other ways (`unlike`)."""
    truth = np.zeros(number, dtype=bool)
    right = {"even": 160, "rare": 60, "unlike": 200}[kind]
    truth[:right] = True
    member = np.zeros((number, systems), dtype=bool)
    if kind == "unlike":  # half of what is right and nothing else; all of it and as much that is wrong
        member[: right // 2, 0] = member[: 2 * right, 1] = True
    else:
        for own in member.T:
            own[rng.choice(right, int(0.65 * right), replace=False)] = True
            own[right + rng.choice(number - right, right // 2, replace=False)] = True
        own = ~member.any(axis=1)
        truth, member = truth[~own], member[~own]
    judge = np.clip(0.3 + 0.4 * truth + rng.normal(0, 0.2, len(truth)), 0, 1)
    return truth.astype(float), member, judge


def _as_pool(document, member, judge):
    names = [tuple(name for name, own in zip("ABCDE", row, strict=False) if own) for row in member]
    rows = zip(document, names, judge, strict=True)
    return Pool(
        tuple(Item(id=f"x{at:05}", document=f"d{d:03}", systems=s, judge=float(g)) for at, (d, s, g) in enumerate(rows))
    )


def _tell_apart(tally, differences):
    for row in differences:
        if row.part == "f1" and row.p is not None:
            tally.count("alarms", row.p < 0.05)


def equal_items(kind, size, way, populations=4, times=1000, sampling="fixed"):
    """How often items that were read tell two systems of one F1 apart, the documents fixed."""
    tally = Tally()
    for number in range(populations):
        truth, member, judge = equal_pool(np.random.default_rng([51, number]), kind)
        pool = _as_pool(np.arange(len(truth)) % 40, member, judge)
        ids = [item.id for item in pool.items]
        importance = item_importance(pool) if way == "active" else None
        for seed in range(times):
            plan = Plan(size, sampling, importance=importance, seed=10_000 * number + seed)
            design = drawn_design(ids, plan)
            heard = {row.id: float(truth[int(row.id[1:])]) for row in design.rows if row.drawn}
            how = How(assist="judge" if way == "active" else way)
            _tell_apart(tally, estimate_pool(pool, design, heard, how).differences)
    return tally.found()


@quick
def estimated_ranks(size, documents="fixed", populations=4, times=500):
    """How often the sets of ranks of an estimate hold all true ranks at once: of five equal systems, that is all."""
    tally = Tally()
    for number in range(populations):
        truth, member, judge = equal_pool(np.random.default_rng([55, number]), "even", systems=5)
        pool = _as_pool(np.arange(len(truth)) % 40, member, judge)
        ids = [item.id for item in pool.items]
        for seed in range(times):
            design = drawn_design(ids, Plan(size, seed=10_000 * number + seed))
            heard = {row.id: float(truth[int(row.id[1:])]) for row in design.rows if row.drawn}
            found = finished(estimate_pool(pool, design, heard, How(documents=documents)), ("pool", "f1"))
            tally.count("all ranks", all((row.best, row.worst) == (1, 5) for row in found.ranking))
    return tally.found()


def equal_sampled(kind, documents, times=3000, share=0.3):
    """The same, the documents a sample of many."""
    tally = Tally()
    for seed in range(times):
        rng = np.random.default_rng([52, documents, seed])
        size = rng.integers(8, 16, documents)
        document = np.repeat(np.arange(documents), size)
        effect = 1 / (1 + np.exp(-rng.normal(0, 0.5, documents)[document] - (-1.7 if kind == "rare" else -0.2)))
        truth = rng.random(len(document)) < effect
        if kind == "unlike":  # as much noise as there is gold, which the second system has, too
            where = np.append(document, document[truth])
            half = rng.random(len(document)) < 0.5
            member = np.concatenate(
                [np.stack([truth & half, truth], 1), np.tile([False, True], (len(where) - len(document), 1))]
            )
            truth, document = np.append(truth, np.zeros(len(where) - len(document), dtype=bool)), where
        else:
            member = rng.random((len(document), 2)) < np.where(truth[:, None], 0.7, 0.35)
        some = member.any(axis=1)
        member, truth, document = member[some], truth[some], document[some]
        judge = np.clip(0.3 + 0.4 * truth + rng.normal(0, 0.2, len(truth)), 0, 1)
        pool = _as_pool(document, member, judge)
        ids = [item.id for item in pool.items]
        design = drawn_design(ids, Plan(math.ceil(share * len(ids)), seed=seed))
        heard = {row.id: float(truth[int(row.id[1:])]) for row in design.rows if row.drawn}
        found = estimate_pool(pool, design, heard, How(assist="judge", documents="sample"))
        _tell_apart(tally, found.differences)
    return tally.found()


@quick
def equal_whole(kind, size, judged, populations=4, times=1000):
    """Documents assessed whole, in pairs in which both systems have changed places."""
    tally = Tally()
    for number in range(populations):
        rng = np.random.default_rng([53, number])
        gold = np.repeat(rng.poisson(3 if kind == "rare" else 8, 40) + 1, 2).astype(float)
        if kind == "unlike":
            half, noise = (rng.integers(0, top + 1) for top in (gold[::2], 2 * gold[::2]))
            a = np.stack([half, gold[::2] - half], 1).ravel()
            noise = np.stack([noise, 2 * gold[::2] - noise], 1).ravel()
            rows = {"A": np.stack([a, a, gold], 1), "B": np.stack([gold, gold + noise, gold], 1)}
        else:
            share = np.clip(rng.beta(2, 4 if kind == "rare" else 2, 80), 0.02, 0.98)
            matched = rng.binomial(gold.astype(int), share).astype(float)
            own = np.stack([matched, matched + rng.poisson(0.5 * gold), gold], 1)
            rows = {"A": own, "B": own.reshape(40, 2, 3)[:, ::-1].reshape(80, 3)}
        ids = tuple(f"d{at:03}" for at in range(80))
        people = {name: StatsTable(ids, "spg", own) for name, own in rows.items()}
        guess = {name: np.maximum(0, own + rng.normal(0, 1, own.shape).round()) for name, own in rows.items()}
        judge = {name: StatsTable(ids, "spg", own) for name, own in guess.items()} if judged else {}
        for seed in range(times):
            design = drawn_design(ids, Plan(size, seed=10_000 * number + seed))
            design = Design((Round(size=size, unit="document"),), design.rows)
            drawn = sorted(design.drawn)
            some = {name: table.select(drawn) for name, table in people.items()}
            _tell_apart(tally, estimate_documents(Counted(F1, some, judge), design, How()).differences)
    return tally.found()


def fair_judge(kind, size, way="fixed", times=3000):
    """How often a judge that errs alike on the items of all systems is said to favour one (`unlike`: not as widely)."""
    tally = Tally()
    for seed in range(times):
        rng = np.random.default_rng([54, seed])
        number = 400
        truth = rng.random(number) < (0.12 if kind == "rare" else 0.45)
        member = rng.random((number, 2)) < (0.6, 0.4)
        member[~member.any(axis=1), 1] = True
        spread = np.where(member[:, 0], 0.03, 0.1) if kind == "unlike" else 0.1
        judge = np.clip(0.3 + 0.4 * truth + rng.normal(0, 1, number) * spread, 0, 1)
        pool = _as_pool(np.arange(number) % 40, member, judge)
        importance = item_importance(pool) if way == "active" else None
        design = drawn_design([item.id for item in pool.items], Plan(size, importance=importance, seed=seed))
        heard = {row.id: float(truth[int(row.id[1:])]) for row in design.rows if row.drawn}
        for row in judge_report(pool, design, heard).bias:
            if row.p is not None:
                tally.count("alarms", row.p < 0.05)
    return tally.found()


# ---------------------------------------------------------------------------------------------------------------------
# Clusters, runs, ranks, plans


def clusters(stories, each, times=2000):
    """Documents that come in stories, as clusters and as if they were independent."""
    tally = Tally()
    long = np.random.default_rng(0)
    true = 1 / (1 + np.exp(-0.5 - long.normal(0, 0.8, 400_000)))
    wanted = true.mean()
    measure = (Ratio("x", "score", (("matched", 1.0),), (("of", 1.0),)),)
    for seed in range(times):
        rng = np.random.default_rng([41, seed])
        story = np.repeat(np.arange(stories), rng.integers(each - 1, each + 2, stories))
        chance = 1 / (1 + np.exp(-0.5 - rng.normal(0, 0.8, stories)[story]))
        of = rng.integers(3, 9, len(story))
        rows = np.stack([rng.binomial(of, chance), of], axis=1)
        table = StatsTable(tuple(f"d{at:03}" for at in range(len(story))), ("matched", "of"), rows.tolist())
        for name, own in (("ignored", None), ("clusters", tuple(map(str, story)))):
            counts = Additive(table, measure, clusters=own)
            parts = Parts(counts.point()["x", "score"], counts.left_out()["x", "score"], np.empty(0))
            low, high, *_ = score_interval(parts, "jackknife", level=LEVEL)
            tally.count(name, low <= wanted <= high)
    return tally.found()


def _runs(rng, number, documents, own=0.02):
    scores = (
        0.6 + rng.normal(0, 0.1, (documents, 1)) + rng.normal(0, own, number) + rng.normal(0, 0.05, (documents, number))
    )
    return Runs.of(scores.mean(axis=0), (scores.sum(axis=0) - scores) / (documents - 1))


@quick
def runs(number, documents, times=600):
    """The mean of runs with both margins, with the documents only, and one run alone; and tests of equal systems."""
    tally = Tally()
    for seed in range(times):
        rng = np.random.default_rng([42, seed])
        found = _runs(rng, number, documents)
        one = Runs(found.values[:1], found.pseudo[:, :1])
        for name, own, fixed in (("one run", one, True), ("documents", found, True), ("both", found, False)):
            spread = own.spread(fixed=fixed)
            ends = student_interval(own.value, math.sqrt(spread.variance), spread.df, level=LEVEL, signed=True)
            tally.count(name, ends[0] <= 0.6 <= ends[1])
        other = _runs(rng, number, documents)
        apart = difference_spread(found, other)
        t = (found.value - other.value) / math.sqrt(apart.variance)
        tally.count("alarms", student_tails(t, apart.df) < 0.05)
    return tally.found()


def ranks(systems, documents, gap, times=1000, resamples=1000):
    """How often the sets of ranks hold all true ranks at once (of equal systems: all that they share)."""
    tally = Tally()
    true = np.array([gap * at for at in range(systems)])
    for seed in range(times):
        rng = np.random.default_rng([43, seed])
        scores = 0.5 - true + rng.normal(0, 0.1, (documents, 1)) + rng.normal(0, 0.08, (documents, systems))
        weights = rng.multinomial(documents, np.full(documents, 1 / documents), resamples)
        means, drawn = scores.mean(axis=0), weights @ scores / documents
        left = (scores.sum(axis=0) - scores) / (documents - 1)
        found = rank_sets({at: Parts(means[at], left[:, at], drawn[:, at]) for at in range(systems)}, LEVEL)
        wanted = [(1, systems)] * systems if gap == 0 else [(at + 1, at + 1) for at in range(systems)]
        inside = [low <= one and two <= high for (low, high), (one, two) in zip(found.values(), wanted, strict=True)]
        tally.count("all ranks", all(inside))
    return tally.found()


def power(spread, difference, times=2000):
    """How often a plan's number of documents finds the difference that was planned for (0.8 of the time)."""
    tally, documents = Tally(), documents_needed(spread, difference)
    for seed in range(times):
        rng = np.random.default_rng([44, seed])
        apart = rng.normal(difference, spread, documents)
        t = apart.mean() / (apart.std(ddof=1) / math.sqrt(documents))
        tally.count("power", t > 0 and student_tails(t, documents - 1) < 0.05)
    return tally.found()


# ---------------------------------------------------------------------------------------------------------------------
# All of it


def _jobs():
    for kind, *numbers in (("small", 32, 64), ("rare", 178, 356), ("precise", 128)):
        for size in numbers:
            for way in ("constant", "judge", "active"):
                yield "items", f"{kind} n={size} {way}", items, (kind, size, way), {}
    for kind, size in (("adversarial", 72), ("tiny", 25)):
        judge = "adversarial" if kind == "adversarial" else "biased"
        yield "items", f"{kind} n={size} judge", items, (kind, size, "judge"), {"judge": judge}
    yield "items", "small n=64 judge, Poisson", items, ("small", 64, "judge"), {"sampling": "poisson"}
    for way in ("none", "constant", "judge", "active"):
        yield "items", f"large n=502 {way}", items, ("large", 502, way), {"populations": 2, "times": 150}
    yield "items", "rounds, the second aimed", rounds, (), {}
    sizes_of = dict.fromkeys(("mixed", "unequal", "giants"), (10, 20, 40)) | {"small": (8, 12, 18), "chains": (20,)}
    for kind, numbers in sizes_of.items():
        for size in numbers:
            for judged in (False, True):
                yield "whole", f"{kind} n={size} {'judge' if judged else 'alone'}", whole, (kind, size, judged), {}
    for kind in ("unequal", "giants"):
        for size in (10, 20, 40):
            yield "whole", f"{kind} n={size} judge, drawn by size", by_size, (kind, size), {}
    yield "whole", "mixed n=12+12 judge, two rounds", whole, ("mixed", 12, True), {"rounds": 2}
    for kind in ("even", "skewed", "rare"):
        for documents in (20, 50, 150):
            yield "sampled", f"items, {kind}, {documents} documents", sampled_items, (kind, documents), {}
    for kind, size in (("mixed", 20), ("small", 12)):
        for judged in (False, True):
            name = f"whole, {kind} n={size} {'judge' if judged else 'alone'}"
            yield "sampled", name, sampled_whole, (kind, size, judged), {}
    for kind in ("even", "skewed", "rare"):
        for documents in (6, 10, 20, 40):
            for interval in ("jackknife", "percentile", "bca"):
                options = {"interval": interval, "bootstrap": 500}
                yield (
                    "labelled",
                    f"{kind}, {documents} documents, {interval}",
                    labelled,
                    (kind, documents, 1000),
                    options,
                )
    for kind in EQUAL:
        for way in ("constant", "judge", "active"):
            options = {"times": ALARMS // 4}
            yield "alarms", f"estimate, {kind}, 80 items, {way}", equal_items, (kind, 80, way), options
        for documents in (20, 50):
            yield (
                "alarms",
                f"estimate, {kind}, {documents} documents sampled",
                equal_sampled,
                (kind, documents, ALARMS),
                {},
            )
        for judged in (False, True):
            name = f"estimate, {kind}, 20 whole documents, {'judge' if judged else 'alone'}"
            yield "alarms", name, equal_whole, (kind, 20, judged), {"times": ALARMS // 4}
        for way in ("fixed", "active"):
            yield "alarms", f"judge, {kind}, 80 items, {way}", fair_judge, (kind, 80, way, ALARMS), {}
    for kind in ("even", "rare", "unlike", "skewed"):
        for documents, test in (
            (10, "jackknife"),
            (10, "randomisation"),
            (40, "jackknife"),
            (40, "randomisation"),
            (120, "bootstrap"),
        ):
            options = {"test": test, "bootstrap": 500}
            yield "alarms", f"{kind}, {documents} documents, {test}", alarms, (kind, documents, ALARMS), options
    for kind in ("mixed", "unequal", "small"):
        yield "others", f"imputed, {kind}", imputed, (kind,), {"share": 0.55 if kind == "small" else 0.4}
    for stories, each in ((12, 5), (30, 4), (60, 3)):
        yield "others", f"{stories} stories of {each} documents", clusters, (stories, each), {}
    for number, documents in ((3, 50), (5, 50), (10, 100)):
        yield "others", f"{number} runs, {documents} documents", runs, (number, documents), {"times": 2000}
    for name, *own in (("five equal", 5, 25, 0.0), ("twelve close", 12, 25, 0.01), ("six apart", 6, 40, 0.05)):
        yield "others", f"ranks, {name} systems", ranks, own, {}
    for size in (80, 200):
        yield "others", f"ranks of an estimate, five equal systems, {size} items", estimated_ranks, (size,), {}
    for spread, difference in ((0.2, 0.05), (0.1, 0.04), (0.3, 0.1)):
        yield "others", f"plan for {difference} at {spread}", power, (spread, difference), {}


# Between which shares something should be, if not between 0.93 and 0.97.
EXPECTED = {
    "order": (0.0, 1.0), "half-width": (0.0, 100.0), "ignored": (0.5, 0.93), "one run": (0.5, 0.94),
    "documents": (0.8, 0.96), "alarms": (0.03, 0.06), "all ranks": (0.93, 1.0), "power": (0.78, 0.82),
    "model": (0.88, 0.98), "bounds": (1.0, 1.0),
}  # fmt: skip


def expected(section, row, name):
    """Between which shares this should be."""
    if section == "labelled" and "jackknife" not in row:
        return 0.78, 0.97
    # Where a few documents carry the score, intervals hold less often, and estimates say so in a note; drawing
    # documents by their size helps where these are the largest ones.
    if row.startswith("giants") and "size" not in row:
        return 0.89, 0.97
    if row == "small n=32 constant" and name != "order":  # some ten events: too wide rather than too narrow
        return 0.93, 0.98
    # Documents differ by more than a model of a few verdicts of each can see, as the page on mathematics says.
    if row == "imputed, unequal" and name == "model":
        return 0.7, 0.98
    if row.startswith("unequal n=10 "):
        return 0.9, 0.97
    if section == "labelled":
        return 0.92, 0.97
    return EXPECTED.get(name.rpartition(" ")[2] if "half-width" in name else name, (0.93, 0.97))


def _run(job):
    section, row, function, args, options = job
    return section, row, function(*args, **options)


def _shown(own):
    return f"{own.value:.3f}" if isinstance(own, Share) else f"{own:.1f}"


def main(wanted):
    """Run everything, print it as it comes, then as tables."""
    os.nice(10)
    jobs = [job for job in _jobs() if not wanted or job[0] in wanted]
    tables, wrong = defaultdict(dict), []
    with ProcessPoolExecutor(2) as pool:
        for done in as_completed([pool.submit(_run, job) for job in jobs]):
            section, row, found = done.result()
            tables[section][row] = found
            shown = {name: round(own.value if isinstance(own, Share) else own, 3) for name, own in found.items()}
            print(f"{section}: {row}: {shown}", file=sys.stderr, flush=True)
            for name, own in found.items():
                if isinstance(own, Share) and not own.within(*expected(section, row, name)):
                    wrong.append(f"{section}: {row}: {name} {own.value:.3f} of {own.times}")
    order = [job[1] for job in jobs]
    for section, rows in tables.items():
        names = list(dict.fromkeys(name for row in rows.values() for name in row))
        print(f"\n| {section} | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")
        for row in sorted(rows, key=order.index):
            cells = [rows[row].get(name) for name in names]
            texts = ["" if own is None else _shown(own) for own in cells]
            print(f"| {row} | {' | '.join(texts)} |")
    for each in wrong:
        print(f"outside: {each}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
