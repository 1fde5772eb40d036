"""From what one format says of nuggets to what another has room for.

A document is first *fitted* to the target: what comes out is written and read back without any change. What had to be
changed or left out on the way is a `Loss`; a conversion without losses is lossless.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import count

from adjudge.errors import UsageError, did_you_mean
from adjudge.formats.brat import EVENT_ID, LINK_ID
from adjudge.formats.ere import allowed, ere_cluster_id, ere_realis, ere_type, extent, realis_name, type_name
from adjudge.formats.standoff import covered, natural, plain, split_lines
from adjudge.model.graph import closed
from adjudge.model.nugget import COREFERENCE, NOT_ANNOTATED, Nugget, NuggetDocument, Relation
from adjudge.tasks.nugget.losses import Loss

TARGETS = ("brat", "ere", "nugget-xml", "tbf-token", "tbf-char")

_UNFIT = re.compile(r"[\s:]+")


def fit(document: NuggetDocument, target: str, *, system: str = "adjudge") -> tuple[NuggetDocument, list[Loss]]:
    """A document that the target format keeps as it is, and what had to give way; `system` stands where none is known.

    The nuggets must have tokens for `tbf-token`, and pieces for all others.

    >>> nugget = Nugget("m1", "Life_Die", "Actual", "died", pieces=((3, 7),), confidence=("0.9",))
    >>> fitted, losses = fit(NuggetDocument("a", [nugget]), "brat")
    >>> fitted.nuggets[0].id, [loss.kind for loss in losses]
    ('E1', ['confidence', 'id'])
    """
    if target.startswith("tbf"):
        return _fit_tbf(document, system)
    if target not in TARGETS:
        raise UsageError(f"there is no format {target!r}", hint=did_you_mean(target, TARGETS))
    losses: list[Loss] = []
    placed = [each for nugget in document.nuggets if (each := _placed(document, nugget, target, losses)) is not None]
    if systems := {nugget.system for nugget in document.nuggets} - {""}:
        losses.append(Loss("system", document.id, ", ".join(sorted(systems)), document.line))
    good = EVENT_ID.fullmatch if target == "brat" else _is_ere_id
    nuggets, names = _renamed(document.id, placed, good, losses)
    if target != "brat":
        ordered = sorted(nuggets, key=lambda nugget: natural(nugget.id))
        if ordered != nuggets:
            losses.append(Loss("order", document.id, "", document.line))
        nuggets = ordered
    remaining = NuggetDocument(document.id, nuggets, document.relations, document.text, document.line)
    relations = _relations(remaining, names, target, losses)
    return NuggetDocument(document.id, nuggets, relations, document.text, document.line), losses


def _fit_tbf(document: NuggetDocument, system: str) -> tuple[NuggetDocument, list[Loss]]:
    losses: list[Loss] = []
    nuggets = []
    for nugget in document.nuggets:
        type_, realis = nugget.type or NOT_ANNOTATED, nugget.realis.strip() or NOT_ANNOTATED
        losses += _changes(document.id, nugget, type=type_, realis=realis)
        nuggets.append(
            nugget._replace(type=type_, realis=realis, text=plain(nugget.text), system=nugget.system or system)
        )
    relations = [
        relation._replace(id=relation.id or f"R{number}") for number, relation in enumerate(document.relations, 1)
    ]
    return NuggetDocument(document.id, nuggets, relations, document.text, document.line), losses


def _placed(document: NuggetDocument, nugget: Nugget, target: str, losses: list[Loss]) -> Nugget | None:
    """The nugget with the pieces, text, type and realis that the target has."""

    def lose(kind: str) -> None:
        losses.append(Loss(kind, document.id, nugget.id, nugget.line))

    pieces = tuple((begin, end) for begin, end in nugget.pieces if 0 <= begin < end)
    if target != "brat" and pieces:
        whole = (extent(nugget._replace(pieces=pieces)),)
        if whole != pieces and (document.text is None or split_lines(whole, document.text) != pieces):
            lose("gap")
        pieces = whole
    text = plain(nugget.text)
    if document.text is not None:
        lines = split_lines(pieces, document.text)
        if lines != pieces and (target == "brat" or nugget.pieces == pieces):
            lose("line-break")
        pieces = lines
        if text != covered(document.text, nugget.pieces):
            lose("text")
        text = covered(document.text, pieces)
    if not pieces:
        lose("place")
        return None
    if nugget.confidence:
        lose("confidence")
    type_, realis = nugget.type or NOT_ANNOTATED, nugget.realis or NOT_ANNOTATED
    if target == "brat":
        type_, realis = _UNFIT.sub("_", type_), _UNFIT.sub("_", realis)
    else:
        type_, realis, text = allowed(type_), allowed(realis), allowed(text)
        type_ = type_name(*ere_type(type_))
        realis = realis if realis == NOT_ANNOTATED else realis_name(ere_realis(realis))
    losses += _changes(document.id, nugget, type=type_, realis=realis)
    return nugget._replace(pieces=pieces, text=text, type=type_, realis=realis, confidence=(), system="")


def _changes(document: str, nugget: Nugget, *, type: str, realis: str) -> list[Loss]:
    changed = {"type": type != nugget.type, "realis": realis != nugget.realis}
    return [Loss(kind, document, nugget.id, nugget.line) for kind, is_ in changed.items() if is_]


def _is_ere_id(id: str) -> bool:
    return bool(id) and not id.startswith("em-") and allowed(id) == id


def _renamed(
    document: str, nuggets: Sequence[Nugget], good: Callable[[str], object], losses: list[Loss]
) -> tuple[list[Nugget], dict[str, list[str]]]:
    """The nuggets, each with an id of its own that the target allows, and what became of each id."""
    taken = {nugget.id for nugget in nuggets if good(nugget.id)}
    free = (id for id in map("E{}".format, count(1)) if id not in taken)
    names: dict[str, list[str]] = {}
    kept: set[str] = set()
    found = []
    for nugget in nuggets:
        id = nugget.id
        if not good(id) or id in kept:
            id = next(free)
            losses.append(Loss("id", document, nugget.id, nugget.line))
        kept.add(id)
        names.setdefault(nugget.id, []).append(id)
        found.append(nugget._replace(id=id))
    return found, names


def _relations(
    document: NuggetDocument, names: Mapping[str, Sequence[str]], target: str, losses: list[Loss]
) -> list[Relation]:
    """Clusters closed, everything under the new names, and only what the target has."""
    links: list[Relation] = []
    others: list[Relation] = []

    def lose(kind: str, relation: Relation) -> None:
        losses.append(Loss(kind, document.id, relation.id, relation.line))

    for relation in document.relations:
        known = [argument for argument in relation.arguments if argument in names]
        is_cluster = relation.name == COREFERENCE
        # An id that two nuggets had is both of them in a cluster, as the official scorer has it, else the first.
        arguments = tuple(
            dict.fromkeys(name for argument in known for name in names[argument][: None if is_cluster else 1])
        )
        if is_cluster and target != "nugget-xml":
            if len(arguments) < 2:
                lose("cluster", relation)
                continue
            if len(known) < len(relation.arguments):
                lose("unknown", relation)
            links.append(relation._replace(arguments=arguments))
        elif is_cluster or target != "brat" or len(known) != 2 or len(relation.arguments) != 2 or len(arguments) != 2:
            lose("relation", relation)
        else:
            others.append(relation._replace(arguments=arguments))
    clusters = _clusters(document, links, target, losses)
    return [*clusters, *_links(document, others, losses)]


def _clusters(document: NuggetDocument, links: Sequence[Relation], target: str, losses: list[Loss]) -> list[Relation]:
    """The clusters that the relations amount to, with ids that the target keeps."""
    groups = closed([link.arguments for link in links], [nugget.id for nugget in document.nuggets])
    first: dict[str, Relation] = {}
    owner = {member: number for number, group in enumerate(groups) for member in group}
    makers: dict[int, list[Relation]] = {}
    for link in links:
        makers.setdefault(owner[link.arguments[0]], []).append(link)
    found = []
    for number, group in enumerate(groups):
        maker, *more = makers[number]
        losses += [Loss("merged", document.id, link.id, link.line) for link in more]
        id = f"C{number}"
        if target != "brat" and maker.id and not maker.id.startswith("h-") and allowed(maker.id) == maker.id:
            id = maker.id
        while target != "brat" and ere_cluster_id(id) in first:
            id = f"{id}x"
        first[ere_cluster_id(id)] = maker
        if id != maker.id:
            losses.append(Loss("relation-id", document.id, maker.id, maker.line))
        found.append(Relation(COREFERENCE, id, group, maker.line))
    return found


def _links(document: NuggetDocument, links: Sequence[Relation], losses: list[Loss]) -> list[Relation]:
    """Links between two nuggets, with names and ids that brat keeps."""
    taken = {link.id for link in links if LINK_ID.fullmatch(link.id)}
    free = (id for id in map("R{}".format, count(1)) if id not in taken)
    kept: set[str] = set()
    found = []
    for link in links:
        name = _UNFIT.sub("_", link.name) or NOT_ANNOTATED
        name = f"{name}_" if name == COREFERENCE else name
        id = link.id if LINK_ID.fullmatch(link.id) and link.id not in kept else next(free)
        for kind, changed in (("relation-name", name != link.name), ("relation-id", id != link.id)):
            if changed:
                losses.append(Loss(kind, document.id, link.id, link.line))
        kept.add(id)
        found.append(link._replace(name=name, id=id))
    return found
