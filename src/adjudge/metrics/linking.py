"""Entity linking: mentions with an entity of a knowledge base, or with a cluster of mentions that it does not know.

Documents are {"id", "mentions": [{"span", "type", "entity"}, ...]}. An entity whose name begins with NIL is not in the
knowledge base; mentions with the same such name are one cluster, also across documents. A mention without an entity is
not in the knowledge base, and a cluster of its own. The first metrics count within documents; for the clusterings at
the end the mentions of each entity are compared over the whole corpus, as if it were one document. `adjudge linking
score` prints all of them together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from adjudge.algebra import dice, exact, f, ir, many_to_many, mapped, overlap, record, set_of, span
from adjudge.errors import Problem, ValidationError
from adjudge.metrics import linking
from adjudge.metrics.base import OPTIONAL, SPAN, Clustered
from adjudge.metrics.registry import metric

LAWS = ("self", "order", "swap", "bounded", "pooled")
SOME_LAWS = ("perfect", *LAWS[1:])  # of metrics that count the mentions with, or those without, an entity only
NIL = "NIL"
EXAMPLE = {
    "id": "d1",
    "mentions": [
        {"span": {"start": 0, "end": 5}, "type": "PER", "entity": "Q7259"},
        {"span": {"start": 9, "end": 16}, "type": "ORG", "entity": "NIL12"},
        {"span": {"start": 30, "end": 32}, "type": "ORG", "entity": "NIL12"},
        {"span": {"start": 30, "end": 34}, "type": "GPE", "entity": "Q84"},
    ],
}
_HINT = 'write {"span": {"start": 0, "end": 5}, "type": "PER", "entity": "Q7259"}'
_LISTED = 20
_HERE = "adjudge.metrics.linking"


# ---------------------------------------------------------------------------------------------------------------------
# Mentions


@metric("linking.mention", within="mentions", laws=(*LAWS, "rename"), example=EXAMPLE)
def mention(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions whose boundaries are right, whatever they are linked to (strong mention match).

    >>> mention.score([{"span": {"start": 0, "end": 5}}], [{"span": {"start": 0, "end": 5}, "entity": "Q1"}]).f1
    1.0
    """
    return f(_mentions("span"), beta=beta)


@metric("linking.typed", within="mentions", laws=(*LAWS, "rename"), example=EXAMPLE)
def typed(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions whose boundaries and type are right (strong typed mention match).

    >>> place = {"start": 0, "end": 5}
    >>> typed.score([{"span": place, "type": "PER"}], [{"span": place, "type": "ORG"}]).f1
    0.0
    """
    return f(_mentions("span", "type"), beta=beta)


@metric("linking.weak-mention", within="mentions", laws=(*LAWS, "rename"), example=EXAMPLE)
def weak_mention(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions that overlap, matched one-to-one (weak mention match).

    >>> weak_mention.score([{"span": {"start": 0, "end": 5}}], [{"span": {"start": 4, "end": 9}}]).f1
    1.0
    """
    return f(_weak("span"), beta=beta)


@metric("linking.weak-typed", within="mentions", laws=(*LAWS, "rename"), example=EXAMPLE)
def weak_typed(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions of the right type that overlap, matched one-to-one.

    >>> here, there = {"start": 0, "end": 5}, {"start": 4, "end": 9}
    >>> weak_typed.score([{"span": here, "type": "PER"}], [{"span": there, "type": "PER"}]).f1
    1.0
    """
    return f(_weak("span", "type"), beta=beta)


@metric("linking.linked-mention", within="mentions", laws=SOME_LAWS, example=EXAMPLE)
def linked_mention(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the mentions that have an entity of the knowledge base, by their boundaries, whichever entity it is.

    >>> place = {"start": 0, "end": 5}
    >>> linked_mention.score([{"span": place, "entity": "Q1"}], [{"span": place, "entity": "Q2"}]).f1
    1.0
    """
    return f(_kept("linked", "span"), beta=beta)


# ---------------------------------------------------------------------------------------------------------------------
# Links


@metric("linking.link", within="mentions", laws=SOME_LAWS, example=EXAMPLE)
def link(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of links to the knowledge base: boundaries and entity are right (strong link match).

    >>> place = {"start": 0, "end": 5}
    >>> link.score([{"span": place, "entity": "Q1"}], [{"span": place, "entity": "Q2"}]).f1
    0.0
    """
    return f(_kept("linked", "span", "entity"), beta=beta)


@metric("linking.nil", within="mentions", laws=SOME_LAWS, example=EXAMPLE)
def nil(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the mentions that the knowledge base does not know, by their boundaries (strong nil match).

    >>> place = {"start": 0, "end": 5}
    >>> nil.score([{"span": place, "entity": "NIL1"}], [{"span": place, "entity": None}]).f1
    1.0
    """
    return f(_kept("unlinked", "span"), beta=beta)


@metric("linking.all", within="mentions", laws=LAWS, example=EXAMPLE)
def everything(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions whose boundaries are right and whose entity is right, or is unknown on both sides.

    >>> place = {"start": 0, "end": 5}
    >>> everything.score([{"span": place, "entity": "NIL1"}], [{"span": place, "entity": "NIL2"}]).f1
    1.0
    """
    return f(_kept("resolved", "span", "entity"), beta=beta)


@metric("linking.typed-link", within="mentions", laws=SOME_LAWS, example=EXAMPLE)
def typed_link(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of links to the knowledge base: boundaries, type and entity are right.

    >>> gold = [{"span": {"start": 0, "end": 5}, "type": "PER", "entity": "Q1"}]
    >>> typed_link.score(gold, [{**gold[0], "type": "ORG"}]).f1
    0.0
    """
    return f(_kept("linked", "span", "type", "entity"), beta=beta)


@metric("linking.typed-nil", within="mentions", laws=SOME_LAWS, example=EXAMPLE)
def typed_nil(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the mentions that the knowledge base does not know, by their boundaries and type.

    >>> gold = [{"span": {"start": 0, "end": 5}, "type": "PER", "entity": "NIL1"}]
    >>> typed_nil.score(gold, [{**gold[0], "entity": "NIL2"}]).f1
    1.0
    """
    return f(_kept("unlinked", "span", "type"), beta=beta)


@metric("linking.typed-all", within="mentions", laws=LAWS, example=EXAMPLE)
def typed_all(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions whose boundaries, type and entity are right, or whose entity is unknown on both sides.

    >>> gold = [{"span": {"start": 0, "end": 5}, "type": "PER", "entity": "NIL1"}]
    >>> typed_all.score(gold, [{**gold[0], "type": "ORG"}]).f1
    0.0
    """
    return f(_kept("resolved", "span", "type", "entity"), beta=beta)


@metric("linking.weak-link", within="mentions", laws=SOME_LAWS, example=EXAMPLE)
def weak_link(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of links to the right entity of the knowledge base from mentions that overlap, matched one-to-one.

    >>> gold = [{"span": {"start": 0, "end": 5}, "entity": "Q1"}]
    >>> weak_link.score(gold, [{"span": {"start": 4, "end": 9}, "entity": "Q1"}]).f1
    1.0
    """
    return f(mapped(_weak("span", "entity"), by=f"{_HERE}:linked"), beta=beta)


@metric("linking.weak-all", within="mentions", laws=LAWS, example=EXAMPLE)
def weak_all(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of overlapping mentions whose entity is right, or is unknown on both sides, matched one-to-one.

    >>> gold = [{"span": {"start": 0, "end": 5}, "entity": "NIL1"}]
    >>> weak_all.score(gold, [{"span": {"start": 4, "end": 9}, "entity": "NIL2"}]).f1
    1.0
    """
    return f(mapped(_weak("span", "entity"), by=f"{_HERE}:resolved"), beta=beta)


@metric("linking.entity", within="mentions", laws=SOME_LAWS, example=EXAMPLE)
def entity(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the entities of the knowledge base that each document names, however often and wherever (entity match).

    >>> gold = [{"span": {"start": 0, "end": 5}, "entity": "Q1"}]
    >>> entity.score(gold, [{"span": {"start": 7, "end": 8}, "entity": "Q1"}]).f1
    1.0
    """
    return f(mapped(set_of(exact), by=f"{_HERE}:named_entities"), beta=beta)


# ---------------------------------------------------------------------------------------------------------------------


def _mentions(*fields: str, place: ir.Similarity = SPAN) -> ir.Similarity:
    return set_of(record({name: place if name == "span" else OPTIONAL for name in fields}))


def _kept(which: str, *fields: str) -> ir.Similarity:
    return mapped(_mentions(*fields), by=f"{_HERE}:{which}")


def _weak(*fields: str) -> ir.Similarity:
    return _mentions(*fields, place=span(by="any"))


def is_nil(entity: str | None) -> bool:
    """Whether the knowledge base does not know an entity.

    >>> is_nil("NIL003"), is_nil(None), is_nil("Q42")
    (True, True, False)
    """
    return entity is None or entity.startswith(NIL)


def linked(mentions: Iterable[Any]) -> list[Any]:
    """The mentions that have an entity of the knowledge base."""
    return [each for each, own in _checked(mentions) if not is_nil(own.entity)]


def unlinked(mentions: Iterable[Any]) -> list[Any]:
    """The mentions that have none."""
    return [each for each, own in _checked(mentions) if is_nil(own.entity)]


def resolved(mentions: Iterable[Any]) -> list[dict[str, Any]]:
    """The mentions, without the names of entities that the knowledge base does not know."""
    return [
        {"span": _part(each, "span"), "type": own.type, "entity": None if is_nil(own.entity) else own.entity}
        for each, own in _checked(mentions)
    ]


def named_entities(mentions: Iterable[Any]) -> list[str | None]:
    """The entities of the knowledge base, each once."""
    return list(dict.fromkeys(own.entity for _, own in _checked(mentions) if not is_nil(own.entity)))


def assigned(mentions: Iterable[Any], *, by_type: bool = False, plus: bool = False) -> dict[Any, str | None]:
    """The entity of every item: its offsets, with its type, and with its entity in the knowledge base if `plus`.

    An item of several entities belongs to the alphabetically first one, so that order does not matter.

    >>> assigned([{"span": {"start": 0, "end": 2}, "entity": name} for name in ("NIL2", "NIL1")])
    {(0, 2): 'NIL1'}
    """
    found: dict[Any, str | None] = {}
    for _, own in _checked(mentions):
        item: tuple[Any, ...] = (own.start, own.end)
        item += (own.type,) if by_type else ()
        item += (None if is_nil(own.entity) else own.entity,) if plus else ()
        known = found.get(item)
        found[item] = own.entity if known is None else known if own.entity is None else min(known, own.entity)
    return found


assigned_typed: Callable[[Iterable[Any]], dict[Any, str | None]] = partial(assigned, by_type=True)
assigned_plus = partial(assigned, plus=True)
assigned_typed_plus = partial(assigned, by_type=True, plus=True)


def clusters(mentions: Iterable[Any], *, by_type: bool = False, plus: bool = False) -> list[list[Any]]:
    """The items of each entity, as places with what else is compared; those without an entity stand alone.

    >>> clusters([{"span": {"start": 0, "end": 2}, "type": "PER", "entity": "Q1"}], by_type=True)
    [[{'start': 0, 'end': 2, 'type': 'PER'}]]
    """
    fields = ("start", "end", *["type"] * by_type, *["entity"] * plus)
    found: dict[Any, list[Any]] = {}
    for item, name in assigned(mentions, by_type=by_type, plus=plus).items():
        found.setdefault((None, item) if name is None else name, []).append(dict(zip(fields, item, strict=True)))
    return list(found.values())


clusters_typed = partial(clusters, by_type=True)
clusters_plus = partial(clusters, plus=True)
clusters_typed_plus = partial(clusters, by_type=True, plus=True)


class _Read(NamedTuple):
    start: int
    end: int
    type: str | None
    entity: str | None


def _checked(mentions: Iterable[Any]) -> list[tuple[Any, _Read]]:
    """The mentions, each with its fields; all malformed ones are raised together."""
    if not isinstance(mentions, Iterable) or isinstance(mentions, str | bytes | Mapping):
        raise ValidationError(Problem("the mentions are not a list", hint=_HINT))
    found: list[tuple[Any, _Read]] = []
    problems: list[Problem] = []
    for place, each in enumerate(mentions):
        span = _part(each, "span")
        own = _Read(_part(span, "start"), _part(span, "end"), _part(each, "type"), _part(each, "entity"))
        if any(isinstance(offset, bool) or not isinstance(offset, int) for offset in own[:2]):
            problems.append(Problem(f"mention {place + 1} has no span of two whole numbers", hint=_HINT))
        elif any(not isinstance(name, str | None) for name in own[2:]):
            problems.append(Problem(f"the type or entity of mention {place + 1} is not text", hint=_HINT))
        found.append((each, own))
    if problems:
        raise ValidationError(problems[:_LISTED])
    return found


def _part(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, list | tuple) and name in ("start", "end"):
        return value[name == "end"]
    return getattr(value, name, None)


CLUSTER_LAWS = ("self", "order", "swap", "bounded")
LINK_LAWS = ("perfect", *CLUSTER_LAWS[1:])  # an entity with one mention has no link
_SPANS, _PLUS = f"{linking.__name__}:assigned", f"{linking.__name__}:assigned_plus"
_TYPED, _TYPED_PLUS = f"{linking.__name__}:assigned_typed", f"{linking.__name__}:assigned_typed_plus"
_corpus_metric = partial(metric, within="mentions", laws=CLUSTER_LAWS, example=EXAMPLE)


@_corpus_metric("linking.muc", laws=LINK_LAWS, clustered=Clustered(_SPANS, "muc"))
def muc(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the links that hold the entities of the corpus together (MUC): each pair of entities adds |X & Y| - 1.

    >>> gold = [{"span": {"start": k, "end": k + 1}, "entity": "NIL1"} for k in range(3)]
    >>> muc.score(gold, gold[:2]).recall
    0.5
    """
    return f(_clusters(many_to_many(overlap(by="link")), _SPANS), beta=beta)


@_corpus_metric("linking.b3", clustered=Clustered(_SPANS, "b3"))
def b3(*, beta: float = 1.0) -> ir.Similarity:
    """B-cubed over the corpus: the mean over mentions of how much of their entity is right.

    A mention of entities X (system) and Y (gold) adds |X & Y| / |X| to precision and |X & Y| / |Y| to recall.

    >>> gold = [{"span": {"start": k, "end": k + 1}, "entity": "NIL1"} for k in range(2)]
    >>> b3.score(gold, [gold[0], {**gold[1], "entity": "NIL2"}]).recall
    0.5
    """
    return _b3(_SPANS, beta)


@_corpus_metric("linking.b3-plus", clustered=Clustered(_PLUS, "b3", ("entity",)))
def b3_plus(*, beta: float = 1.0) -> ir.Similarity:
    """B-cubed over the corpus, of mentions whose entity in the knowledge base is right, or unknown on both sides (B3+).

    >>> gold = [{"span": {"start": 0, "end": 1}, "entity": "Q1"}]
    >>> b3_plus.score(gold, [{**gold[0], "entity": "Q2"}]).f1
    0.0
    """
    return _b3(_PLUS, beta)


@_corpus_metric("linking.ceafm", clustered=Clustered(_SPANS, "ceafm"))
def ceafm(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions in the best 1:1 alignment of the entities of the corpus (CEAFm).

    >>> gold = [{"span": {"start": k, "end": k + 1}, "entity": "Q1"} for k in range(3)]
    >>> ceafm.score(gold, [*gold[:2], {**gold[2], "entity": "NIL1"}]).recall
    0.666...
    """
    return f(_clusters(set_of(overlap(by="count")), _SPANS), beta=beta)


@_corpus_metric("linking.ceafm-plus", clustered=Clustered(_PLUS, "ceafm", ("entity",)))
def ceafm_plus(*, beta: float = 1.0) -> ir.Similarity:
    """CEAFm over the corpus, of mentions whose entity in the knowledge base is right, or unknown on both sides.

    >>> gold = [{"span": {"start": 0, "end": 1}, "entity": "Q1"}]
    >>> ceafm.score(gold, [{**gold[0], "entity": "Q2"}]).f1, ceafm_plus.score(gold, [{**gold[0], "entity": "Q2"}]).f1
    (1.0, 0.0)
    """
    return f(_clusters(set_of(overlap(by="count")), _PLUS), beta=beta)


@_corpus_metric("linking.typed-ceafm", clustered=Clustered(_TYPED, "ceafm", ("type",)))
def typed_ceafm(*, beta: float = 1.0) -> ir.Similarity:
    """CEAFm over the corpus, of mentions whose type is right.

    >>> gold = [{"span": {"start": 0, "end": 1}, "type": "PER", "entity": "Q1"}]
    >>> typed_ceafm.score(gold, [{**gold[0], "type": "ORG"}]).f1
    0.0
    """
    return f(_clusters(set_of(overlap(by="count")), _TYPED), beta=beta)


@_corpus_metric("linking.typed-ceafm-plus", clustered=Clustered(_TYPED_PLUS, "ceafm", ("type", "entity")))
def typed_ceafm_plus(*, beta: float = 1.0) -> ir.Similarity:
    """CEAFm over the corpus, of mentions whose type is right, and their entity, or that is unknown on both sides.

    >>> gold = [{"span": {"start": 0, "end": 1}, "type": "PER", "entity": "Q1"}]
    >>> typed_ceafm_plus.score(gold, [{**gold[0], "entity": "NIL1"}]).f1
    0.0
    """
    return f(_clusters(set_of(overlap(by="count")), _TYPED_PLUS), beta=beta)


@_corpus_metric("linking.ceafe", clustered=Clustered(_SPANS, "ceafe"))
def ceafe(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the best 1:1 alignment of the entities of the corpus by their Dice (CEAFe).

    >>> gold = [{"span": {"start": k, "end": k + 1}, "entity": "Q1"} for k in range(2)]
    >>> ceafe.score(gold, [gold[0], {**gold[1], "entity": "NIL1"}]).precision
    0.333...
    """
    return f(_clusters(set_of(dice()), _SPANS), beta=beta)


@_corpus_metric("linking.pairwise", laws=LINK_LAWS, clustered=Clustered(_SPANS, "pairwise"))
def pairwise(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the pairs of mentions of one entity, over the whole corpus.

    >>> gold = [{"span": {"start": k, "end": k + 1}, "entity": "NIL1"} for k in range(3)]
    >>> pairwise.score(gold, gold[:2]).recall
    0.333...
    """
    return f(_clusters(many_to_many(overlap(by="pairs")), _SPANS), beta=beta)


def _clusters(of: ir.Similarity, assign: str) -> ir.Similarity:
    return mapped(of, by=assign.replace("assigned", "clusters"))


def _b3(assign: str, beta: float) -> ir.Similarity:
    sides = [
        _clusters(mapped(set_of(record(mention=exact, entity=overlap(by=by))), by="memberships"), assign)
        for by in ("precision", "recall")
    ]
    return f(sides[0], sides[1], beta=beta)
