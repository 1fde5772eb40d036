"""One document of gold and system: prepared (gold once for all systems), compared by every mapping, and counted."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from adjudge.algebra.solve.deadline import NEVER, Deadline
from adjudge.errors import Problem, some_of
from adjudge.evaluate.task import Remark
from adjudge.model.nugget import (
    AFTER,
    COREFERENCE,
    NOT_ANNOTATED,
    SUBEVENT,
    ClusterColumns,
    NuggetColumns,
    NuggetDocument,
    Relation,
    TokenTable,
)
from adjudge.tasks.nugget.coreference import (
    NOTHING,
    Chained,
    are_sound,
    chained,
    cluster_problems,
    count_coreference,
    open_choices,
)
from adjudge.tasks.nugget.mapping import SAME, Mapped, Pair, Side, map_nuggets, places_of, true_positives
from adjudge.tasks.nugget.measures import row
from adjudge.tasks.nugget.sequencing import NO_LINKS, count_sequence, reversed_links
from adjudge.tasks.nugget.settings import Settings, canonical
from adjudge.tasks.nugget.spans import Key, dice, dice_of_ratios, keys_of_pieces, keys_of_tokens

if TYPE_CHECKING:
    from adjudge.tasks.nugget.open_choices import Choices

LIMIT = 100  # maximum problems listed per document
OpenEnds = tuple[Mapping[str, tuple[float, float, float]], "tuple[float, ...] | None"]
_NONE: OpenEnds = ({}, None)


class Observed(NamedTuple):
    """A pair of documents: numbers of nuggets, and for every mapping its pairs and their sum of Dice.

    A pair is (gold index, system index, Dice). `entangled` has the mappings of nuggets whose places overlap with other
    places, where the order of lines may decide; `sides` is what was compared, and `several` are the places of each side
    with several nuggets.
    """

    gold: int
    system: int
    mappings: dict[str, list[Pair]]
    matched: dict[str, float]
    entangled: dict[str, Mapped]
    sides: tuple[Side, Side]
    several: tuple[dict[Key, list[int]], dict[Key, list[int]]]


def compare(gold: Side, system: Side, settings: Settings, *, char: bool, clock: Deadline = NEVER) -> Observed:
    """Compare two documents."""
    found = map_nuggets(
        gold,
        system,
        settings.mapped,
        char=char,
        measure=dice_of_ratios if settings.profile == "evmeval-2015" else dice,
        wildcard=canonical(NOT_ANNOTATED) if settings.profile == "evmeval-1.8" else None,
        best=not settings.official,
        clock=clock,
    )
    return Observed(
        len(gold.ids),
        len(system.ids),
        found.pairs,
        {name: true_positives(pairs, found.exact[name]) for name, pairs in found.pairs.items()},
        found.entangled,
        (gold, system),
        found.several,
    )


def is_char(*documents: NuggetDocument) -> bool:
    """Whether places are characters: as the first nugget with a place has it, since a file has one kind only.

    >>> from adjudge.model.nugget import Nugget
    >>> is_char(NuggetDocument("d"), NuggetDocument("d", [Nugget("E1", "Attack", "Actual", "x", pieces=((0, 1),))]))
    True
    """
    for document in documents:
        if isinstance(document.nuggets, NuggetColumns):
            return document.nuggets.kind != "tokens"
        for nugget in document.nuggets:
            if nugget.pieces or nugget.tokens:
                return bool(nugget.pieces)
    return False


def side(document: NuggetDocument, settings: Settings, invisible: Container[str], *, char: bool) -> Side:
    """What is compared of one document."""
    if not document.nuggets:
        return Side((), (), (), ())
    nuggets = document.nuggets
    ids: Sequence[str]
    keys: Sequence[Key | None]
    if isinstance(nuggets, NuggetColumns) and (nuggets.kind != "tokens") == char:
        ids, types, realis, kind, places = nuggets.ids, nuggets.types, nuggets.realis, nuggets.kind, nuggets.places
    else:
        ids, types, realis, _, tokens, pieces, *_ = zip(*nuggets, strict=True)
        kind, places = ("pieces", pieces) if char else ("tokens", tokens)
    if kind == "piece":
        keys = places
    elif kind == "pieces":
        keys = keys_of_pieces(places, repeated=settings.official)
    else:
        keys = keys_of_tokens(places, invisible)
    spelled = settings.spelling
    if spelled is not None:
        types, realis = tuple(map(spelled, types)), tuple(map(spelled, realis))
    found = places_of(keys, plain=kind == "piece")
    return Side(keys, types, realis, ids, found, dict(zip(ids, range(len(ids)), strict=True)))


def of_types(document: NuggetDocument, settings: Settings) -> NuggetDocument:
    """The document with the types that count only; a relation keeps its other arguments if there are at least two.

    >>> from adjudge.model.nugget import Nugget
    >>> nuggets = [Nugget("E1", "Life_Die", "Actual", "x"), Nugget("E2", "Life_Born", "Actual", "y")]
    >>> [each.id for each in of_types(NuggetDocument("d", nuggets), Settings(types=frozenset({"lifedie"}))).nuggets]
    ['E1']
    """
    wanted = settings.types
    if wanted is None:
        return document
    nuggets = [nugget for nugget in document.nuggets if canonical(nugget.type) in wanted]
    known = {nugget.id for nugget in nuggets}
    relations = []
    for relation in document.relations:
        arguments = tuple(argument for argument in relation.arguments if argument in known)
        if len(arguments) > 1:
            relations.append(Relation(relation.name, relation.id, arguments, relation.line))
    return NuggetDocument(document.id, nuggets, relations, document.text, document.line)


# ---------------------------------------------------------------------------------------------------------------------
# One side of a document


class Summary(NamedTuple):
    """What is kept of one side of a document once it is counted: values as written, its author, its relations.

    `name` is the first column of the first nugget, None if there is none; `confident` if it has confidences.
    """

    types: tuple[str, ...] = ()
    realis: tuple[str, ...] = ()
    name: str | None = None
    confident: bool = False
    clusters: bool = False
    links: bool = False


class Ready(NamedTuple):
    """A document prepared for comparison.

    `sound` unless something is wrong with its clusters, `unknown` are clusters that name unknown mentions.
    """

    document: NuggetDocument
    side: Side
    chains: Chained
    sound: bool
    unknown: list[str]
    summary: Summary


def prepare(document: NuggetDocument, settings: Settings, invisible: Container[str], *, char: bool) -> Ready:
    """Prepare a document; `invisible` are ids of tokens that do not count.

    >>> from adjudge.model.nugget import Nugget
    >>> nuggets = [Nugget(id, "Attack", "Actual", "x", (id,)) for id in ("a", "b")]
    >>> document = NuggetDocument("d", nuggets, [Relation("Coreference", "R1", ("a", "c"))])
    >>> ready = prepare(document, Settings(), (), char=False)
    >>> ready.side.keys, ready.chains.home, ready.chains.known, ready.sound, ready.unknown
    (['a', 'b'], [0, 1], False, False, ['d: c in R1'])
    """
    own = side(document, settings, invisible, char=char)
    chains = chained(document.clusters(), own.ids, own.named)
    several = own.places.several if own.places is not None else {}
    sound = settings.coref is not False and are_sound(chains, several, settings)
    return Ready(
        document,
        own,
        chains,
        sound,
        [] if sound and not settings.official else list(_unknown(document, own.named.keys())),
        _summary(document, own, settings),
    )


def _summary(document: NuggetDocument, own: Side, settings: Settings) -> Summary:
    relations = bool(document.relations), False
    if not isinstance(document.relations, ClusterColumns):
        names = {relation.name for relation in document.relations}
        relations = COREFERENCE in names, AFTER in names or SUBEVENT in names
    nuggets = document.nuggets
    if not nuggets:
        return Summary((), (), None, False, *relations)
    types, realis = ((), ()) if settings.spelling else (own.types, own.realis)
    kept = tuple(map(intern, set(types))), _shared(frozenset(realis))  # the same objects in all documents
    if isinstance(nuggets, NuggetColumns):
        return Summary(*kept, intern(nuggets.system), False, *relations)
    first = nuggets[0]
    return Summary(*kept, intern(first.system), bool(first.confidence), *relations)


@lru_cache
def _shared(values: frozenset[str]) -> tuple[str, ...]:
    return tuple(map(intern, values))


def _unknown(document: NuggetDocument, ids: Set[str]) -> Iterator[str]:
    for relation in document.relations:
        if relation.name == COREFERENCE and not ids >= set(relation.arguments):
            yield f"{document.id}: {some_of(sorted(set(relation.arguments) - ids))} in {relation.id}"


# ---------------------------------------------------------------------------------------------------------------------
# Counting


class Refusal(NamedTuple):
    """Something that cannot be scored: on which side, whether in coreference only, and what."""

    side: str
    coref: bool
    problem: Problem


class Counted(NamedTuple):
    """The counts of a document, and what is needed of it when all have been counted.

    `choices` are open where nuggets are annotated twice. `open_ends` has, for mappings that the order of lines decides
    or an optimal mapping would change, the sums of Dice by line, at best and optimal; and the row that an unfinished
    search leaves possible.
    """

    observed: Observed
    counts: tuple[float, ...]
    remarks: tuple[Remark, ...]
    refused: tuple[Refusal, ...]
    choices: Choices | None
    open_ends: OpenEnds


def count_documents(
    gold: Ready, system: Ready, settings: Settings, table: TokenTable | None, *, char: bool, clock: Deadline = NEVER
) -> Counted:
    """Map the nuggets of a document, and count nuggets, coreference and sequencing."""
    documents = gold.document, system.document
    observed = compare(gold.side, system.side, settings, char=char, clock=clock)
    pairs = observed.mappings[settings.mapping]
    refused = [Refusal("", False, each) for document in documents for each in document.problems[:LIMIT]]
    counts = row(observed.matched, observed.system, observed.gold, settings)
    remarks = list(_remarks(gold, system, settings))
    choices = None
    if settings.coref is not False:
        chains = gold.chains, system.chains
        coref = count_coreference(chains, pairs, settings)
        counts += coref
        if coref is NOTHING:
            remarks.append(Remark("coref-left-out", system.document.id))
        choices = open_choices(chains, observed.sides, observed.several, pairs, settings, clock)
        if not refused and not (gold.sound and system.sound):  # mentions are missing because of unreadable lines
            refused += _cluster_problems(gold, system, pairs, settings, table)
    if settings.sequencing is not False:
        sequenced = count_sequence(*documents, pairs) if gold.summary.links or system.summary.links else NO_LINKS
        counts += sequenced.counts
        remarks += [Remark(code, system.document.id) for code in sequenced.remarks]
        if not settings.any_links and sequenced is not NO_LINKS:
            for side, document in zip(("gold", "system"), documents, strict=True):
                refused += [Refusal(side, False, problem) for problem in reversed_links(document)]
    return Counted(observed, counts, tuple(remarks), tuple(refused), choices, _open_ends(observed, settings))


def _cluster_problems(
    gold: Ready, system: Ready, pairs: Iterable[Pair], settings: Settings, table: TokenTable | None
) -> Iterator[Refusal]:
    """The problems in the clusters of both sides."""
    known = None
    if settings.profile == "evmeval-2015":
        known = {token.id for token in table.tokens} if table else frozenset[str]()
    aligned = {pair[0] for pair in pairs if pair[2] >= settings.threshold}
    for side, each in (("gold", gold), ("system", system)):
        if not each.sound:
            looked_at = aligned if each is gold else None
            found = cluster_problems(each.document, each.side.keys, settings, known=known, aligned=looked_at)
            yield from (Refusal(side, True, problem) for problem in found)


def _remarks(gold: Ready, system: Ready, settings: Settings) -> Iterator[Remark]:
    """Remarks on the nuggets of a document."""
    if settings.official and not gold.document.nuggets and system.document.nuggets:
        yield Remark("free-false-alarms", gold.document.id, len(system.document.nuggets))
    for side, own in (("gold", gold), ("system", system)):
        ids, named = own.side.ids, own.side.named
        if None in own.side.keys:
            yield Remark(f"{side}-empty-place", "", list(own.side.keys).count(None))
        if len(named) < len(ids):
            yield Remark(f"{side}-repeated-id", own.document.id)
            if side == "system" and settings.profile == "evmeval-2015":
                yield Remark("stopped", own.document.id)
        yield from (Remark(f"{side}-unknown-mention", each) for each in own.unknown)


def _open_ends(observed: Observed, settings: Settings) -> OpenEnds:
    """Mappings that the order of lines decides, and the most that an unfinished search leaves possible."""
    if not observed.entangled:
        return _NONE
    ties: dict[str, tuple[float, float, float]] = {}
    most = dict(observed.matched)
    for name, mapped in observed.entangled.items():
        counted = mapped.line if settings.official else mapped.best
        optimal = mapped.optimal if mapped.solved else mapped.best  # a bound is not a mapping that could be reported
        if mapped.best > mapped.line + SAME or optimal > counted + SAME:
            ties[name] = mapped.line, mapped.best, optimal
        most[name] += mapped.optimal - mapped.best
    if all(mapped.proven for mapped in observed.entangled.values()):
        return (ties, None) if ties else _NONE
    return ties, row(most, observed.system, observed.gold, settings)
