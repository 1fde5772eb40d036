"""One document of gold and system: made ready (gold once for all systems), and compared by every mapping."""

from __future__ import annotations

from collections.abc import Container, Iterator
from sys import intern
from typing import NamedTuple

from adjudge.model.nugget import AFTER, COREFERENCE, NOT_ANNOTATED, SUBEVENT, NuggetDocument, Relation
from adjudge.tasks.nugget.coreference import Chained, are_sound, chained, linked, some_of
from adjudge.tasks.nugget.mapping import Mapped, Pair, Side, map_nuggets, places_of, true_positives
from adjudge.tasks.nugget.settings import Settings, canonical
from adjudge.tasks.nugget.spans import Key, dice, dice_of_ratios, keys_of_pieces, keys_of_tokens

SPEC = Settings()


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


def observe(
    gold: NuggetDocument,
    system: NuggetDocument | None,
    settings: Settings = SPEC,
    invisible: Container[str] = frozenset(),
) -> Observed:
    """Compare two documents; `invisible` are ids of tokens that do not count. Types that do not count are gone before.

    >>> from adjudge.model.nugget import Nugget
    >>> gold = NuggetDocument("d", [Nugget("E1", "Attack", "Actual", "the attack", ("t1", "t2"))])
    >>> system = NuggetDocument("d", [Nugget("m1", "Attack", "Other", "attack", ("t2",))])
    >>> observe(gold, system).matched["span"], observe(gold, system, invisible={"t1"}).matched
    (0.666..., {'span': 1.0, 'type': 1.0, 'realis': 0.0, 'type+realis': 0.0})
    """
    other = system if system is not None else NuggetDocument(gold.id)
    char = is_char(gold, other)
    return compare(
        side(gold, settings, invisible, char=char), side(other, settings, invisible, char=char), settings, char=char
    )


def compare(gold: Side, system: Side, settings: Settings, *, char: bool) -> Observed:
    """Compare what two documents have."""
    found = map_nuggets(
        gold,
        system,
        settings.mapped,
        char=char,
        measure=dice_of_ratios if settings.profile == "evmeval-2015" else dice,
        wildcard=canonical(NOT_ANNOTATED) if settings.profile == "evmeval-1.8" else None,
        best=not settings.official,
    )
    return Observed(
        len(gold.ids),
        len(system.ids),
        found.pairs,
        {name: true_positives(pairs) for name, pairs in found.pairs.items()},
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
    placed = (nugget for document in documents for nugget in document.nuggets if nugget.pieces or nugget.tokens)
    return next((bool(nugget.pieces) for nugget in placed), False)


def side(document: NuggetDocument, settings: Settings, invisible: Container[str], *, char: bool) -> Side:
    """What is compared of one document."""
    if not document.nuggets:
        return Side((), (), (), ())
    ids, types, realis, _, tokens, pieces, *_ = zip(*document.nuggets, strict=True)
    keys = keys_of_pieces(pieces, repeated=settings.official) if char else keys_of_tokens(tokens, invisible)
    spelled = settings.spelling
    if spelled is not None:
        types, realis = tuple(map(spelled, types)), tuple(map(spelled, realis))
    return Side(keys, types, realis, ids, places_of(keys))


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
    """What is known of one side of a document once it is counted: values as written, who wrote it, its relations.

    `name` is the first column of the first nugget, None if there is none; `confident` if it has confidences.
    """

    types: tuple[str, ...] = ()
    realis: tuple[str, ...] = ()
    name: str | None = None
    confident: bool = False
    clusters: bool = False
    links: bool = False


class Ready(NamedTuple):
    """A document and what is compared of it.

    `sound` unless something is wrong with its clusters, `unknown` are clusters that name unknown mentions.
    """

    document: NuggetDocument
    side: Side
    chains: Chained
    sound: bool
    unknown: list[str]
    summary: Summary


def prepare(document: NuggetDocument, settings: Settings, invisible: Container[str], *, char: bool) -> Ready:
    """Make a document ready; `invisible` are ids of tokens that do not count.

    >>> from adjudge.model.nugget import Nugget
    >>> nuggets = [Nugget(id, "Attack", "Actual", "x", (id,)) for id in ("a", "b")]
    >>> document = NuggetDocument("d", nuggets, [Relation("Coreference", "R1", ("a", "c"))])
    >>> ready = prepare(document, Settings(), (), char=False)
    >>> ready.side.keys, ready.chains, ready.sound, ready.unknown
    (['a', 'b'], Chained(home=[0, 1], sizes=[1, 1], linked=True), False, ['d: c in R1'])
    """
    own, links = side(document, settings, invisible, char=char), linked(document)
    known = links.home.keys() <= set(own.ids)
    several = own.places.several if own.places is not None else {}
    return Ready(
        document,
        own,
        chained(links, own.ids),
        settings.coref is not False and are_sound(links, own, several, settings),
        [] if known else list(_unknown(document, set(own.ids))),
        _summary(document, own, settings),
    )


def _summary(document: NuggetDocument, own: Side, settings: Settings) -> Summary:
    names = {relation.name for relation in document.relations}
    relations = COREFERENCE in names, AFTER in names or SUBEVENT in names
    if not document.nuggets:
        return Summary((), (), None, False, *relations)
    first = document.nuggets[0]
    values = [set[str](), set[str]()] if settings.spelling else [set(own.types), set(own.realis)]
    types, realis = (tuple(map(intern, each)) for each in values)
    return Summary(types, realis, intern(first.system), bool(first.confidence), *relations)


def _unknown(document: NuggetDocument, ids: set[str]) -> Iterator[str]:
    for relation in document.relations:
        if relation.name == COREFERENCE and not ids.issuperset(relation.arguments):
            yield f"{document.id}: {some_of(sorted(set(relation.arguments) - ids))} in {relation.id}"
