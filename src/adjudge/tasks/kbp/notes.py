"""Notes on knowledge-base scores: what the numbers alone do not show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.model.kg import NOWHERE
from adjudge.stats.inference import CENTRED, chosen_interval, chosen_test
from adjudge.stats.result import Note
from adjudge.tasks.kbp.options import PROFILES, KbOptions

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.errors import Problem
    from adjudge.model.kbp import TripleNames
    from adjudge.stats.result import Score
    from adjudge.tasks.kbp.counting import VariantCounts
    from adjudge.tasks.kbp.facts import Facts
    from adjudge.tasks.kbp.inputs import KbInputs
    from adjudge.tasks.kbp.naming import NamePair
    from adjudge.tasks.kbp.task import PathsTask

    Ints: TypeAlias = npt.NDArray[Any]

NOTCH_CAUTION = (
    "Notches do not test anything here: their width falls with the number of resamples, not of documents, so that two "
    "equally good systems nearly always look different; use the paired tests"
)
PERCENTILE_CAUTION = (
    "A bootstrap sample holds only about 63 % of the documents, and a path of several hops needs all of its documents: "
    "from two hops on the resampled scores are too low, and the percentile interval can miss the score itself"
)
EAGER_CAUTION = (
    "The tests bootstrap and centred are too liberal: a sample holds only about 63 % of the documents, and at one "
    "hop they find a difference between two equally good systems in one corpus out of seven; jackknife and "
    "randomisation stay at one in twenty"
)
_SHOWN = 5
TALLY_TEXT = {
    "unaligned": "{n} of {all} facts are about a node that is not aligned with any gold entity: {unaligned}",
    "unattested": "{n} of {all} facts are about a node that has no mention in the document of the fact",
    "out-of-scope": "{n} of {all} facts are about entities without a name and count neither as right nor as wrong",
    "excluded": "{n} of {all} facts have a relation that does not count",
    "outside": "{n} of {all} facts are in documents that gold does not have and were left out",
    "low-confidence": "{n} of {all} facts have too low a confidence and were left out",
    "literal": "{n} of {all} facts have a string as their object and were left out",
    "self-loops": "{n} of {all} facts lead from an entity to itself and were left out",
}
_BARE_SLICES = {"first": "first relation", "sequence": "sequence", "confidence": "confidence"}
_UNALIGNED = {"private": "they are wrong, and so are paths that begin or end there", "ignore": "they were left out"}


def notes_of_corpus(task: PathsTask, scores: Mapping[str, Sequence[Score]], usual: Sequence[Note]) -> list[Note]:
    """Notes on the whole: gold, cautions about intervals, what is approximate, and those of every result."""
    options, run, gold, counted = task.options, task.run, task.corpus, task.counted
    triples = len(gold.facts)
    left = [
        f"{gold.tally[name]:,} {name}"
        for name in ("excluded", "out-of-scope", "literal", "outside", "self-loops")
        if gold.tally.get(name)
    ]
    message = f"gold has {triples:,} triples in {task.documents:,} document{'s' * (task.documents != 1)}" + (
        f", not counting facts that were left out: {', '.join(left)}" if left else ""
    )
    found = [*gold.notes, Note("gold", triples, message)]
    sampled = max(way.sampled for way in counted)
    if sampled > 1:
        found.append(Note("percentile", 1, PERCENTILE_CAUTION))
        if options.interval == "percentile" or len(task.systems) > 1:
            found.append(Note("notch", 1, NOTCH_CAUTION))
        interval = chosen_interval(options.interval, task.documents, additive=False)
        if len(task.systems) > 1 and chosen_test(options.test, interval) in ("bootstrap", CENTRED):
            found.append(Note("eager-test", 1, EAGER_CAUTION))
    if options.hops > 1:
        message = (
            "kbp.hops adds up the paths of all lengths and is not in the paper; "
            "from two hops on, scores depend on the size of the corpus: compare only scores on the same documents"
        )
        found.append(Note("hops", 1, message))
    if any(way.variant.own for way in counted):
        message = (
            "kbp.hopN.system joins the system's own nodes, as its users do, so that wrong links between documents cost "
            "something; kbp.hopN is the paper's figure. Resampling keeps the alignment of all documents"
        )
        found.append(Note("system-identity", 1, message))
        if len(task.systems) > 1 and sampled and options.test == "randomisation":
            message = "systems that keep their own nodes cannot exchange documents: kbp.hopN.system uses the jackknife"
            found.append(Note("system-test", 1, message))
    if options.graph:
        message = "recall of kbp.hopN is the share of gold paths that the graph supports"
        bare = [
            name
            for name, metric in (("kbp.connected", "kbp.connected"), ("kbp.distanceN", "kbp.distance1"))
            if any(s.metric == metric and s.part == "recall" and s.low is None for own in scores.values() for s in own)
        ]
        if bare and sampled:
            message += f"; {' and '.join(bare)} took too long to be resampled and have no intervals"
        found.append(Note("graph", 1, message))
    if list(task.ids) == [NOWHERE]:
        message = "triples belong to no documents, so there is nothing to resample: scores have no intervals"
        found.append(Note("one-document", 1, message))
    if bare := [text for name, text in _BARE_SLICES.items() if name in run.by]:
        found.append(Note("slices", 1, f"slices by {' or '.join(bare)} have no intervals"))
    return [*found, *usual, *(_notch_notes(scores) if options.interval == "percentile" else ())]


def notes_of_names(pairs: Sequence[NamePair], lacking: Sequence[str]) -> list[Note]:
    """Which names of a system count as nearly equal gold names, and which scores were not counted.

    >>> from adjudge.tasks.kbp.naming import NamePair
    >>> notes_of_names([NamePair("ana ruis", "ana ruiz", 0.875)], [])[0].examples
    ('ana ruis = ana ruiz (0.875)',)
    """
    found = []
    if pairs:
        message = "names of the system count as names of gold that are nearly equal"
        shown = tuple(f"{each.system} = {each.gold} ({each.similarity:.3g})" for each in pairs)
        found.append(Note("names.pairs", len(pairs), message, shown))
    if lacking:
        message = f"{' and '.join(lacking)} would take too long on a graph of this size and were not counted"
        found.append(Note("not-counted", len(lacking), message))
    return found


def strangers(gold: Facts, system: Facts, names: TripleNames, *, mapped: bool = False) -> list[Note]:
    r"""Causes of a score of 0 that lie in how names are written rather than in a bad system.

    Mapped nodes have gold names if they are aligned, which is counted elsewhere.

    >>> from adjudge.model.kbp import TripleNames
    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> names = TripleNames()
    >>> works, employed = names.relations["works_for"], names.relations["per:employee_of"]
    >>> strangers(make_facts([0], [works], [1]), make_facts([0], [employed], [1]), names)[0].message
    "none of the system's relations (per:employee_of) is one of gold (works_for): rename with --system-relations"
    """
    if not len(gold) or not len(system):
        return []
    found = []
    own, theirs = (
        [names.relations.listed[number] for number in _used(side, relations=True)] for side in (system, gold)
    )
    if set(own).isdisjoint(theirs):
        some = [", ".join(each[:_SHOWN]) + (", ..." if len(each) > _SHOWN else "") for each in (own, theirs)]
        message = f"none of the system's relations ({some[0]}) is one of gold ({some[1]})"
        found.append(Note("no-relation-shared", 1, f"{message}: rename with --system-relations"))
    if mapped:
        return found
    used = [_used(side) for side in (system, gold)]
    if set(used[0]).isdisjoint(used[1]):
        mine, yours = (names.nodes.listed[each[0]] for each in used)
        message = f"no fact of the system is about a gold entity: names differ, as {mine} and {yours} do"
        found.append(Note("no-node-shared", 1, message))
    return found


def _used(side: Facts, *, relations: bool = False) -> list[int]:
    """The numbers of the relations of one side, or of its nodes, in ascending order."""
    if side.few is not None:
        rows = side.few.rows
        return sorted({row[1] for row in rows} if relations else {row[place] for row in rows for place in (0, 2)})
    import numpy as np

    columns = (side.relations,) if relations else (side.subjects, side.objects)
    flags = np.zeros(max(int(column.max(initial=0)) for column in columns) + 1, dtype=bool)
    for column in columns:
        flags[column] = True
    numbers: list[int] = np.flatnonzero(flags).tolist()
    return numbers


def _notch_notes(scores: Mapping[str, Sequence[Score]]) -> list[Note]:
    """Which notches do not overlap, for comparison with the paper."""
    from adjudge.stats.intervals import notches_apart

    boxes = {
        name: {s.metric: s.uncertainty.box for s in own if s.part == "f1" and not s.slice and s.uncertainty is not None}
        for name, own in scores.items()
    }
    apart = []
    for a, b in combinations(boxes, 2):
        for metric, one in boxes[a].items():
            other = boxes[b].get(metric)
            if one is not None and other is not None and notches_apart(one, other):
                apart.append(f"{metric} {a} - {b}")
    if not apart:
        return []
    message = "notches that do not overlap, the paper's sign of a difference, which is not a test"
    return [Note("notches-apart", len(apart), message, tuple(apart[:_SHOWN]))]


def notes_of_system(
    name: str, tally: Mapping[str, int], counted: Sequence[VariantCounts], scores: Sequence[Score], options: KbOptions
) -> list[Note]:
    """Notes on one system: its facts, the engine, scores outside their intervals, empty sides."""
    found = []
    total = tally.get("facts", 0)
    for kind, text in TALLY_TEXT.items():
        if number := tally.get(kind, 0):
            message = text.format(n=f"{number:,}", all=f"{total:,}", unaligned=_UNALIGNED[options.unaligned])
            found.append(Note(kind, number, message))
    # Engines that count exactly agree, and results do not name them.
    choices = [way.choices[name] for way in counted]
    reasons = dict.fromkeys(choice.reason for choice in choices if choice.engine == "sample")
    found += [Note("engine", 1, f"engine sample: {reason}") for reason in reasons]
    for way in counted:
        own = way.exact[name]
        if way.sampled < len(own) and way.sampled:
            message = (
                f"{way.variant.metric(way.sampled + 1)} has too many walks to be resampled without being asked: "
                f"it has no interval, and neither have longer paths; give --bootstrap to resample them all the same"
            )
            found.append(Note("not-resampled", len(own) - way.sampled, message))
        for estimate in way.estimates[name]:
            if not estimate.complete:
                message = (
                    f"{way.variant.metric(estimate.hop)} is an estimate from {estimate.draws:,} draws of first nodes; "
                    f"its interval says where the exact score is, nothing of other documents"
                )
                found.append(Note("estimate", estimate.draws, message))
    whole = [score for score in scores if not score.slice and score.uncertainty is not None]
    missed = []
    for s in whole:
        interval = s.uncertainty.intervals.get("percentile") if s.uncertainty is not None else None
        if interval is not None and s.value is not None and not interval[0] <= s.value <= interval[1]:
            missed.append(f"{s.metric} {s.part}")
    if missed:
        message = "scores outside their own percentile interval, because every resample is a smaller corpus"
        found.append(Note("percentile-misses", len(missed), message, tuple(missed[:_SHOWN])))
    # Systems without any paths are reported below.
    empty = {s.metric: s.uncertainty.empty for s in whole if s.uncertainty and s.uncertainty.empty and s.value}
    if empty:
        message = "resamples in which the system has no paths"
        examples = tuple(f"{metric}: {number:,}" for metric, number in empty.items())
        found.append(Note("empty-resamples", max(empty.values()), f"{message}: {', '.join(examples)}"))
    for way in counted:
        for hop in way.exact[name]:
            if hop.hop >= way.variant.first and 0 in (hop.total.gold, hop.total.system):
                sides = [side for side, count in (("gold", hop.total.gold), (name, hop.total.system)) if not count]
                message = f"{way.variant.metric(hop.hop)}: {' and '.join(sides)} have no paths, what is 0/0 is 0"
                found.append(Note("empty", 1, message.replace("have", "has") if len(sides) == 1 else message))
    return found


def input_notes(read: KbInputs, options: KbOptions, profile: str) -> list[Note]:
    """Remarks of the readers, and relations named in options that no side has."""
    found = problem_notes(read.notes)
    known: set[str] | None = None
    for field in ("include", "exclude", "symmetric_types"):
        named = getattr(options, field)
        if not named or named == getattr(PROFILES[profile], field):
            continue  # a profile names relations of many corpora
        if known is None:
            known = _relation_names(read, options)
        if missing := [name for name in named if name not in known]:
            option = field.replace("_", "-")
            message = f"--{option} names what is not a relation of gold or of a system: {', '.join(missing[:_SHOWN])}"
            found.append(Note("unknown-relation", len(missing), message))
    return found


def _relation_names(read: KbInputs, options: KbOptions) -> set[str]:
    """The relations of all sides, under their own names and the new ones, with their category and without."""
    sides: list[tuple[Mapping[str, str], Iterable[str]]] = []
    if read.gold.corpus is not None:
        facts = (fact.relation for document in read.gold.corpus.documents for fact in document.facts)
        sides.append((options.gold_relations, facts))
        for system in read.systems:
            if system.kb is not None:
                sides.append((options.system_relations, (fact.relation for fact in system.kb.facts)))
    elif read.gold.table is not None:
        listed = read.gold.table.names.relations.listed  # all sides share them
        sides += [(options.gold_relations, listed), (options.system_relations, listed)]
    full = {table.get(name, name) for table, names in sides for name in set(names)}
    return full | {name.rpartition(".")[2] for name in full}


def problem_notes(problems: Sequence[Problem]) -> list[Note]:
    """Remarks as notes, one for each kind."""
    groups: dict[str, list[str]] = {}
    for problem in problems:
        where = ":".join(str(part) for part in (problem.path, problem.line) if part)
        text = f"{problem.message}: {problem.hint}" if problem.hint else problem.message
        groups.setdefault(text, []).append(where)
    return [
        Note("input", len(places), message, tuple(dict.fromkeys(filter(None, places)))[:_SHOWN])
        for message, places in groups.items()
    ]
