"""One document of one side, made ready to be compared: gold once for all systems."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

from adjudge.model.nugget import AFTER, COREFERENCE, SUBEVENT, NuggetDocument
from adjudge.tasks.nugget.coreference import Chained, Linked, are_sound, chained, linked, some_of
from adjudge.tasks.nugget.mapping import Side
from adjudge.tasks.nugget.observe import side
from adjudge.tasks.nugget.settings import Settings


class Ready(NamedTuple):
    """A document and what is compared of it.

    `chains` and `sound` are those of coreference, if that may be scored; `directed` says whether there are After or
    Subevent links. The rest is what notes are made of: the values of attributes, how many
    nuggets have no visible place, whether an id occurs twice, the
    clusters that name unknown mentions.
    """

    document: NuggetDocument
    side: Side
    links: Linked
    chains: Chained | None
    sound: bool
    directed: bool
    types: frozenset[str]
    realis: frozenset[str]
    without_place: int
    repeated: bool
    unknown: list[str]


def prepare(document: NuggetDocument, settings: Settings, invisible: Container[str], *, char: bool) -> Ready:
    """Make a document ready; `invisible` are ids of tokens that do not count.

    >>> from adjudge.model.nugget import Nugget, Relation
    >>> nuggets = [Nugget(id, "Attack", "Actual", "x", (id,)) for id in ("a", "b")]
    >>> document = NuggetDocument("d", nuggets, [Relation("Coreference", "R1", ("a", "c"))])
    >>> ready = prepare(document, Settings(), (), char=False)
    >>> ready.side.keys, ready.chains, ready.sound, ready.unknown
    (['a', 'b'], Chained(home=[0, 1], sizes=[1, 1]), False, ['d: c in R1'])
    """
    own, links = side(document, settings, invisible, char=char), linked(document)
    ids = set(own.ids)
    coref = settings.coref is not False
    several = own.places.several if own.places is not None else {}
    names = {relation.name for relation in document.relations}
    return Ready(
        document,
        own,
        links,
        chained(links, own.ids) if coref else None,
        coref and are_sound(links, own, several, settings),
        AFTER in names or SUBEVENT in names,
        frozenset(own.types),
        frozenset(own.realis),
        list(own.keys).count(None),
        len(ids) < len(own.ids),
        [] if ids.issuperset(links.home) else list(_unknown(document, ids)),
    )


def _unknown(document: NuggetDocument, ids: set[str]) -> Iterator[str]:
    for relation in document.relations:
        if relation.name == COREFERENCE and not ids.issuperset(relation.arguments):
            yield f"{document.id}: {some_of(sorted(set(relation.arguments) - ids))} in {relation.id}"
