"""Fitting the nuggets of one format to what another can represent.

A document is first *fitted* to the target, so that it is written and read back unchanged. Whatever had to be changed or
left out is a `Loss`; a conversion without any is lossless.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, count
from typing import NamedTuple

from adjudge.errors import Problem, UsageError, ValidationError, did_you_mean
from adjudge.formats.brat import EVENT_ID, LINK_ID
from adjudge.formats.ere import allowed, ere_cluster_id, ere_realis, ere_type, extent, realis_name, type_name
from adjudge.formats.standoff import covered, natural, plain, split_lines
from adjudge.model.graph import closed
from adjudge.model.nugget import (
    COREFERENCE,
    NOT_ANNOTATED,
    Nugget,
    NuggetDocument,
    Piece,
    Relation,
    Token,
    TokenTable,
)
from adjudge.tasks.nugget.spans import merged_pieces

TARGETS = ("brat", "ere", "nugget-xml", "tbf-token", "tbf-char")

_UNFIT = re.compile(r"[\s:]+")


def fit(document: NuggetDocument, target: str, *, system: str = "adjudge") -> tuple[NuggetDocument, list[Loss]]:
    """A document that the target format represents exactly, and the losses; `system` is the id where none is known.

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
    """The nugget with the pieces, text, type and realis that the target can represent."""

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
    """The nuggets, each with a unique id that the target allows, and what each old id became."""
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
    """Closed clusters and links under the new ids, restricted to what the target can represent."""
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
    """The clusters that the relations define, with ids that the target keeps."""
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


# ---------------------------------------------------------------------------------------------------------------------
# From pieces of the text to tokens, and back


def to_tokens(document: NuggetDocument, table: TokenTable) -> tuple[NuggetDocument, list[Loss]]:
    """Nuggets by tokens: a token belongs to a piece if one of the two covers the other.

    >>> table = TokenTable("a", [Token("1", "shot", 0, 4), Token("2", "down", 5, 9)])
    >>> nugget = Nugget("E1", "Conflict_Attack", "Actual", "shot down", pieces=((0, 9),))
    >>> to_tokens(NuggetDocument("a", [nugget]), table)[0].nuggets[0].tokens
    ('1', '2')
    """
    tokens = sorted(enumerate(table.tokens), key=lambda each: each[1].begin)
    begins = [token.begin for _, token in tokens]
    reach = list(accumulate((token.end for _, token in tokens), max))  # the furthest end of any token so far
    losses: list[Loss] = []
    kept = []
    for nugget in document.nuggets:
        if nugget.tokens:
            kept.append(nugget)
            continue
        inside: dict[int, Token] = {}
        kinds: set[str] = set()
        pieces = [piece for piece in nugget.pieces if piece[0] < piece[1]]
        for begin, end in pieces:
            for place, token in tokens[bisect_right(reach, begin) : bisect_left(begins, end)]:
                if not token.begin < token.end or token.end <= begin:
                    continue
                if begin <= token.begin and token.end <= end:
                    inside[place] = token
                elif token.begin <= begin and end <= token.end:
                    inside[place] = token
                    kinds.add("grown")
                else:
                    kinds.add("cut")
        if not inside:
            losses.append(Loss("no-token", document.id, nugget.id, nugget.line))
            continue
        found = [inside[place] for place in sorted(inside)]
        if not kinds and merged_pieces(pieces) != merged_pieces(_pieces(inside, document.text)):
            kinds.add("shape")
        losses += [Loss(kind, document.id, nugget.id, nugget.line) for kind in sorted(kinds)]
        kept.append(nugget._replace(tokens=tuple(token.id for token in found), pieces=()))
    return _remaining(document, kept, losses), losses


def to_pieces(document: NuggetDocument, table: TokenTable, *, path: str | None = None) -> NuggetDocument:
    """Nuggets by characters: consecutive tokens of the table on one line of the text are one piece.

    >>> table = TokenTable("a", [Token(str(number), "x", 2 * number, 2 * number + 1) for number in range(5)])
    >>> nugget = Nugget("E1", "Conflict_Attack", "Actual", "x x x", tokens=("0", "2", "3"))
    >>> to_pieces(NuggetDocument("a", [nugget]), table).nuggets[0].pieces
    ((0, 1), (4, 7))
    """
    known = {token.id: place for place, token in enumerate(table.tokens)}
    problems: list[Problem] = []
    kept = []
    for nugget in document.nuggets:
        strange = [token for token in nugget.tokens if token not in known]
        if strange:
            problems.append(_strange(nugget, strange, table, path))
        elif nugget.tokens:
            inside = {known[token]: table.tokens[known[token]] for token in nugget.tokens}
            nugget = nugget._replace(tokens=(), pieces=_pieces(inside, document.text))
        kept.append(nugget)
    if problems:
        raise ValidationError(problems)
    return NuggetDocument(document.id, kept, document.relations, document.text, document.line)


def _pieces(inside: Mapping[int, Token], text: str | None) -> tuple[Piece, ...]:
    """The pieces of the tokens at these places of a table."""
    pieces: list[Piece] = []
    before = -2
    for place in sorted(inside):
        token = inside[place]
        gap = text[pieces[-1][1] : token.begin] if text is not None and pieces else ""
        if place == before + 1 and pieces[-1][0] <= token.begin and not {"\n", "\r"} & set(gap):
            pieces[-1] = (pieces[-1][0], max(pieces[-1][1], token.end))
        else:
            pieces.append((token.begin, token.end))
        before = place
    return tuple(pieces)


def _strange(nugget: Nugget, strange: Sequence[str], table: TokenTable, path: str | None) -> Problem:
    """Token ids that the table does not have."""
    ids = [token.id for token in table.tokens]
    range_ = f"{ids[0]} to {ids[-1]}" if ids else "none"
    message = (
        f"{nugget.id} has the token{'s' * (len(strange) > 1)} {', '.join(strange[:SHOWN])}, "
        f"which the table {table.path or table.document} does not have (its tokens: {range_})"
    )
    hint = "give the table that the file was made with, or use --from tbf-char if these are characters"
    return Problem(message, path=path, line=nugget.line or None, hint=hint)


def _remaining(document: NuggetDocument, kept: Sequence[Nugget], losses: list[Loss]) -> NuggetDocument:
    """The document with these nuggets, and what remains of its relations."""
    gone = {nugget.id for nugget in document.nuggets} - {nugget.id for nugget in kept}
    relations = []
    for relation in document.relations:
        if not gone & set(relation.arguments):
            relations.append(relation)
            continue
        arguments = tuple(argument for argument in relation.arguments if argument not in gone)
        if relation.name == COREFERENCE and len(arguments) > 1:
            losses.append(Loss("unknown", document.id, relation.id, relation.line))
            relations.append(relation._replace(arguments=arguments))
        else:
            losses.append(Loss("relation", document.id, relation.id, relation.line))
    return NuggetDocument(document.id, kept, relations, document.text, document.line)


# ---------------------------------------------------------------------------------------------------------------------
# Counts of what could not be kept

SHOWN = 3  # examples in a note, token ids in a message


class Loss(NamedTuple):
    """Something that the target cannot represent."""

    kind: str
    document: str
    item: str
    line: int = 0


KINDS = {
    "place": "{n} nugget{s} without any character left out",
    "no-token": "{n} nugget{s} without a whole token left out",
    "cut": "{n} nugget{s} that cover{v} only a part of some token, without which {is_} written",
    "grown": "{n} nugget{s} inside a token, of which the whole is taken",
    "shape": "{n} nugget{s} whose pieces are not those of the tokens; the tokens are kept, not the pieces",
    "gap": "{n} discontinuous nugget{s} written from the first character to the last",
    "line-break": "{n} nugget{s} cut at a line break, which is not kept",
    "id": "{n} nugget{s} renamed",
    "type": "{n} nugget type{s} written in another way",
    "realis": "{n} realis value{s} written in another way",
    "text": "{n} mention string{s} that differ{v} from the text, which is taken",
    "confidence": "{n} nugget{s} whose confidence is not kept",
    "system": "{n} document{s} whose system id is not kept",
    "no-text": "{n} document{s} whose text is not known, brat needs it beside the annotations: give it with --texts",
    "order": "{n} document{s} whose order of nuggets is not kept",
    "merged": "{n} coreference relation{s} that overlap{v} another, merged with it",
    "cluster": "{n} coreference relation{s} of less than two nuggets left out",
    "unknown": "{n} relation{s} with nuggets that are not there, without which {is_} written",
    "relation": "{n} relation{s} left out",
    "relation-name": "{n} relation{s} renamed",
    "relation-id": "{n} relation id{s} not kept",
}
"""The note for each kind of loss."""


def summary(losses: Iterable[Loss], *, path: str | None = None) -> list[Problem]:
    """A note for each kind of loss: how many, and the first of them.

    >>> print(*summary([Loss("grown", "a", "E1", 7), Loss("grown", "a", "E3", 9)], path="gold.tbf"))
    gold.tbf:7: 2 nuggets inside a token, of which the whole is taken (a E1, a E3)
    """
    found: dict[str, list[Loss]] = {}
    for loss in losses:
        found.setdefault(loss.kind, []).append(loss)
    notes = []
    for kind, form in KINDS.items():
        if members := found.get(kind):
            one = len(members) == 1
            message = form.format(
                n=len(members), s="" if one else "s", v="s" if one else "", is_="it is" if one else "they are"
            )
            examples = [f"{loss.document} {loss.item}".strip() for loss in members[:SHOWN]]
            more = ", ..." if len(members) > SHOWN else ""
            notes.append(Problem(f"{message} ({', '.join(examples)}{more})", path=path, line=members[0].line or None))
    return notes
