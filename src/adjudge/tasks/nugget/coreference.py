"""Event coreference: chains of rows from clusters of nuggets, counted by the table of the coreference metrics.

Every nugget is a row; a gold nugget and the system nugget that is mapped to it with enough Dice share one. Clusters are
the coreference lines, every other nugget is a chain of its own. So nuggets of the same place never collide, and which
of them a system nugget stands for was decided by the mapping (section 4.3 of the specification).
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from adjudge.algebra.solve.deadline import NEVER, Deadline
from adjudge.errors import Problem, some_of
from adjudge.model.nugget import COREFERENCE, NuggetDocument, Relation
from adjudge.model.prf import precision_recall_f1
from adjudge.tasks.coref.counts import COLUMNS, Sizes, count_hits, sizes_of
from adjudge.tasks.nugget.mapping import Pair, Side, attributes
from adjudge.tasks.nugget.settings import Settings
from adjudge.tasks.nugget.spans import Key

if TYPE_CHECKING:
    from adjudge.tasks.nugget.open_choices import Choices

Clusters: TypeAlias = Sequence[Sequence[str]]  # ids of nuggets
Several: TypeAlias = tuple[Mapping[Key, Sequence[int]], Mapping[Key, Sequence[int]]]  # places with several nuggets

NOTHING: tuple[float, ...] = (0,) * len(COLUMNS)
OFFICIAL = {"bcub": "coref.b3", "ceafe": "coref.ceafe", "ceafm": "coref.ceafm", "muc": "coref.muc", "blanc": ""}
"""The metrics in the order of the official report, by their names there."""
STARRED = "ceafm"
"""The metric that has not counted since 2015."""

PASTED = 10_000  # maximum characters of a line suggested in a message

_PLACE = {name: place for place, name in enumerate(COLUMNS)}


class Chained(NamedTuple):
    """The chains of the nuggets of one side: for each the first nugget of its chain, by which chains have their sizes.

    `linked` if the side has any coreference line, `apart` if no two of them name the same nugget, and `known` if they
    name nothing that is not a nugget.
    """

    home: list[int]
    sizes: Sizes
    linked: bool = False
    apart: bool = True
    known: bool = True


def chained(clusters: Clusters, ids: Sequence[str], named: Mapping[str, int]) -> Chained:
    """The chains of the nuggets with these ids; `named` has one place of each.

    >>> found = chained([("E1", "E3")], ["E1", "E2", "E3"], {"E1": 0, "E2": 1, "E3": 2})
    >>> found.home, found.sizes.chains
    ([0, 1, 0], 2)
    """
    number = len(ids)
    home = list(range(number))
    if not clusters:
        return Chained(home, Sizes([1] * number, number, number, 0))
    try:
        members = list(map(named.__getitem__, chain.from_iterable(clusters)))
    except KeyError:
        return _entangled(clusters, ids, named)
    if len(set(members)) < len(members) or len(named) < number:
        return _entangled(clusters, ids, named)
    sizes, links, end = [1] * number, 0, 0
    for size in map(len, clusters):
        own = members[end : end + size]
        first = min(own)
        for place in own:
            home[place] = first
        sizes[first] = size
        links += size * (size - 1)
        end += size
    return Chained(home, Sizes(sizes, number, number - end + len(clusters), links), linked=True)


def _entangled(clusters: Clusters, ids: Sequence[str], named: Mapping[str, int]) -> Chained:
    """The same where an id belongs to several nuggets, to several clusters, of which the first one counts, or none."""
    owner = {each: number for number in reversed(range(len(clusters))) for each in clusters[number]}
    apart = len(owner) == sum(map(len, clusters))
    firsts: dict[int, int] = {}
    home, sizes = list(range(len(ids))), [1] * len(ids)
    for place, id_ in enumerate(ids):
        if id_ in owner and (first := firsts.setdefault(owner[id_], place)) != place:
            home[place], sizes[place] = first, 0
            sizes[first] += 1
    return Chained(home, sizes_of(sizes), linked=True, apart=apart, known=named.keys() >= owner.keys())


def count_coreference(chains: tuple[Chained, Chained], pairs: Iterable[Pair], settings: Settings) -> tuple[float, ...]:
    """The counts of one document in the order of the coreference `COLUMNS`, from the chains of both sides.

    The program of 2015 leaves gold nuggets without a partner out of the key, and documents with a score of 0 out of the
    corpus.

    >>> gold, system = chained((), ["E1", "E2"], {}), chained((), ["m1"], {})
    >>> counts = count_coreference((gold, system), [(0, 0, 1.0)], Settings())
    >>> [counts[COLUMNS.index(f"coref.b3:{name}")] for name in ("found", "gold", "system")]
    [1.0, 2, 1]
    """
    ours, theirs = chains
    threshold = settings.threshold
    mates = sorted([pair for pair in pairs if pair[2] >= threshold])
    if settings.profile == "evmeval-2015":
        ours = _among(ours, [one for one, _, _ in mates])
    met: defaultdict[int, list[int]] = defaultdict(list)  # system chains by rows -> the gold chains of their mentions
    golds, systems = ours.home, theirs.home
    for one, other, _ in mates:
        met[systems[other]].append(golds[one])
    counts = count_hits(ours.sizes, theirs.sizes, met)
    if settings.profile == "evmeval-2015" and not any(_used(counts, chains)):
        return NOTHING
    return counts


def _among(chains: Chained, nuggets: Sequence[int]) -> Chained:
    """The chains of these nuggets alone; the home of others means nothing."""
    sizes = [0] * len(chains.home)
    for each in nuggets:
        sizes[chains.home[each]] += 1
    return chains._replace(sizes=sizes_of(sizes))


def _used(counts: Sequence[float], chains: tuple[Chained, Chained]) -> Iterator[float]:
    """The scores that the program of 2015 averages for one document."""
    without = {STARRED} | (set() if chains[0].linked or chains[1].linked else {"muc"})
    return (figure for name, figure in official_figures(counts).items() if name not in without)


def document_average(counts: Sequence[float], chains: tuple[Chained, Chained]) -> float:
    """The score of a document by itself, which only the program of 2015 prints."""
    used = list(_used(counts, chains))
    return added(used) / len(used)


def added(values: Iterable[float]) -> float:
    """The sum from left to right: `sum` compensates from Python 3.12 on."""
    return reduce(operator.add, values, 0.0)


def open_choices(
    chains: tuple[Chained, Chained],
    sides: tuple[Side, Side],
    several: Several,
    pairs: Iterable[Pair],
    settings: Settings,
    clock: Deadline = NEVER,
) -> Choices | None:
    """What the mapping leaves open where nuggets of one side have the same place and attributes; None if nothing.

    The program of 2015 leaves gold nuggets out of the key by the mapping, so there is no choice under its profile.
    """
    if settings.profile == "evmeval-2015" or not any(several):
        return None
    golds, systems = map(_equals, sides, several, chains, repeat(settings.mapping))
    if not (golds or systems) or not any(one in golds or other in systems for one, other, _ in pairs):
        return None
    from adjudge.tasks.nugget.open_choices import Clusters, choices_of

    chosen = [(one, other) for one, other, dice in pairs if dice >= settings.threshold]
    ours, theirs = map(_classes, sides, several, repeat(settings.mapping))
    clusters = Clusters(chains[0].home, chains[1].home, chains[0].sizes, chains[1].sizes)
    return choices_of(clusters, chosen, ours, theirs, clock)


def _equals(side: Side, places: Mapping[Key, Sequence[int]], chains: Chained, mapping: str) -> set[int]:
    """The nuggets of places at which two have the same attributes and are in different chains of several nuggets."""
    found: set[int] = set()
    for own in places.values():
        values = attributes(side, mapping, own)
        if len(set(values)) < len(values):
            homes = [home if chains.sizes.each[home] > 1 else None for home in map(chains.home.__getitem__, own)]
            if len(set(homes)) > 1:
                found.update(own)
    return found


def _classes(side: Side, places: Mapping[Key, Sequence[int]], mapping: str) -> list[int]:
    """For every nugget, the first one with the same place and attributes."""
    found = list(range(len(side.keys)))
    for own in places.values():
        firsts: dict[Hashable, int] = {}
        for each, value in zip(own, attributes(side, mapping, own), strict=True):
            found[each] = firsts.setdefault(value, each)
    return found


def official_figures(counts: Sequence[float]) -> dict[str, float]:
    """The percentages of the official report: F1 of each metric, truncated to two digits.

    >>> official_figures(NOTHING)["muc"]
    0.0
    """
    figures = {}
    for name, metric in OFFICIAL.items():
        f1 = _f1(counts, metric) if metric else _blanc(counts)
        figures[name] = int(f1 * 10000) / 100
    return figures


def _f1(counts: Sequence[float], metric: str) -> float:
    matched, system, gold = (counts[_PLACE[f"{metric}:{name}"]] for name in ("matched", "system", "gold"))
    found = counts[_PLACE[f"{metric}:found"]] if f"{metric}:found" in _PLACE else matched
    return precision_recall_f1(matched, system, gold, found)[2]


def _blanc(counts: Sequence[float]) -> float:
    """The mean over the kinds of links that gold has."""
    found = [
        _f1(counts, metric)
        for metric in ("coref.blanc.coref", "coref.blanc.noncoref")
        if counts[_PLACE[f"{metric}:gold"]]
    ]
    return (found[0] + found[1]) / 2 if len(found) == 2 else found[0] if found else 0.0


# ---------------------------------------------------------------------------------------------------------------------
# Clusters that the scorer refuses


def are_sound(chains: Chained, several: Mapping[Key, Sequence[int]], settings: Settings) -> bool:
    """Whether the clusters are certainly valid; if not, `cluster_problems` gives details."""
    if settings.profile == "evmeval-2015" or not chains.apart:
        return False
    if settings.profile == "evmeval-1.8" or not chains.linked:
        return True
    home = chains.home
    return chains.known and all(len({home[each] for each in own}) == len(own) for own in several.values())


def cluster_problems(
    document: NuggetDocument,
    keys: Sequence[Key | None],
    settings: Settings,
    *,
    known: Container[str] | None = None,
    aligned: Container[int] | None = None,
) -> Iterator[Problem]:
    """Coreference lines that cannot be scored (section 4.4 of the specification, or as the official program refuses).

    `keys` are the places of the nuggets, `known` the ids of the token table, which only the program of 2015 looks at;
    `aligned` are the nuggets of gold that have a partner, None for a system.
    """
    clusters = [relation for relation in document.relations if relation.name == COREFERENCE]
    if not clusters and settings.profile != "evmeval-2015":
        return
    named = {nugget.id: key for nugget, key in zip(document.nuggets, keys, strict=True)}
    for overlap in overlaps([cluster.arguments for cluster in clusters]):
        yield _overlap_problem(overlap, clusters, named)
    if settings.profile == "evmeval-1.8":
        return
    for cluster in clusters:
        places: dict[Key | None, str] = {}
        unknown = [argument for argument in dict.fromkeys(cluster.arguments) if argument not in named]
        if unknown:
            what = "which is not a mention" if len(unknown) == 1 else "which are not mentions"
            message = f"cluster {cluster.id} has {some_of(unknown)}, {what} of document {document.id}"
            yield Problem(message, line=cluster.line or None, hint="list every mention, or leave it out")
        for argument in dict.fromkeys(cluster.arguments):
            if argument not in named:
                continue
            key = named[argument]
            if settings.profile == "spec" and (aligned is not None or key is None):
                continue  # a check of responses
            if key in places:
                message = f"cluster {cluster.id} has {places[key]} and {argument}, which have the same span"
                hint = "two mentions of one event cannot, leave one of them out"
                if settings.profile == "spec":
                    hint += ", or score with the profile evmeval-1.8"
                yield Problem(message, line=cluster.line or None, hint=hint)
            places.setdefault(key, argument)
    if settings.profile == "evmeval-2015" and known is not None:
        yield from _unknown_tokens(document, keys, known, aligned)


class Overlap(NamedTuple):
    """Lines that are one cluster because they share mentions; `second` is the first that shares one with an earlier."""

    lines: list[int]
    second: int
    earlier: int
    mention: str


def overlaps(clusters: Sequence[Sequence[str]]) -> list[Overlap]:
    """The lines of clusters that must be one, in the order of their first line.

    >>> overlaps([["a", "b"], ["c"], ["b", "d"]])
    [Overlap(lines=[0, 2], second=2, earlier=0, mention='b')]
    """
    owners: dict[str, int] = {}
    group = {number: [number] for number in range(len(clusters))}  # lines that are one share a list
    first: dict[int, tuple[int, str]] = {}  # a line, an earlier one, and what they share
    for number, cluster in enumerate(clusters):
        for argument in cluster:
            owner = owners.setdefault(argument, number)
            if owner != number and group[owner] is not group[number]:
                first.setdefault(number, (owner, argument))
                small, large = sorted((group[owner], group[number]), key=len)
                large += small
                group.update(dict.fromkeys(small, large))
    found = {id(each): sorted(each) for each in group.values() if len(each) > 1}
    seconds = [(lines, next(number for number in lines if number in first)) for lines in found.values()]
    return [Overlap(lines, second, *first[second]) for lines, second in seconds]


def _overlap_problem(overlap: Overlap, clusters: Sequence[Relation], named: Container[str]) -> Problem:
    """A problem for all lines of such a cluster, with the line that fixes it."""
    lines = [clusters[number] for number in overlap.lines]
    last, other = clusters[overlap.second], clusters[overlap.earlier]
    message = f"cluster {last.id} and cluster {other.id} (line {other.line}) have {overlap.mention} in common"
    if len(lines) > 2:
        message += f", and lines {some_of([str(line.line) for line in lines])} are one cluster"
    members = dict.fromkeys(each for line in lines for each in line.arguments if each in named)
    merged = f"@{COREFERENCE} {lines[0].id} {','.join(members)}"
    hint = f"merge them: {merged}" if len(merged) <= PASTED else "merge them into one line"
    return Problem(message, line=last.line or None, hint=hint)


def _unknown_tokens(
    document: NuggetDocument,
    keys: Sequence[Key | None],
    known: Container[str],
    aligned: Container[int] | None,
) -> Iterator[Problem]:
    for place, (nugget, key) in enumerate(zip(document.nuggets, keys, strict=True)):
        if aligned is None or place in aligned:
            missing = sorted(token for token in _tokens(key) if token not in known)
            if missing:
                message = f"{nugget.id} has token {some_of(missing)}, which is not in the token table"
                hint = "the program of 2015 refuses it, fix the line or use another profile"
                yield Problem(message, line=nugget.line or None, hint=hint)


def _tokens(key: Key | None) -> Iterable[str]:
    return () if key is None else (key,) if isinstance(key, str) else key
