"""Templates: types, roles, and entities that fill them.

A filler is an entity: the strings of its mentions, which are compared in lower case, without ASCII punctuation,
articles and superfluous spaces unless `normalise=none`. A type may have alternatives, "attack / bombing". The formats
and the published scorers of these are in the family `template`: `adjudge template score`. What the scorer
of MUC-4 does is `--compat muc4-3.3`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from adjudge.algebra import (
    best_of,
    best_pair,
    custom,
    exact,
    f,
    hierarchy,
    ir,
    many_to_one,
    mapped,
    one_to_many,
    overlap,
    record,
    set_of,
    text,
    threshold,
    total,
)
from adjudge.metrics.base import Metric, part
from adjudge.metrics.derived import Combined
from adjudge.metrics.registry import metric

Phi = Literal["subset", 3, 4]
Normalise = Literal["squad", "none"]
LAWS = ("self", "order", "bounded", "pooled")  # not swap: phi-subset asks whether the system's mentions are gold's
_KINDS: dict[Any, ir.OverlapKind] = {"subset": "subset", 3: "count", 4: "dice"}
_VICTIM = {"role": "Victim", "mentions": ["Juan Perez", "the mayor"]}
_GUARDS = {"role": "Victim", "mentions": ["two guards"]}
_WEAPON = {"role": "Weapon", "mentions": ["dynamite", "a bomb"]}
EXAMPLE = {
    "id": "d1",
    "templates": [
        {"type": "attack / bombing", "fillers": [_VICTIM, _WEAPON]},
        {"type": "attack", "fillers": [_VICTIM, _GUARDS]},
        {"type": "bombing", "fillers": [{"role": "Victim", "mentions": ["mayor"]}, _GUARDS, _WEAPON]},
        {"type": "kidnapping", "fillers": [_GUARDS, {"role": "PerpInd", "mentions": ["two guards"]}]},
    ],
}
MUC4_LAWS = ("self", "order", "rename", "bounded", "pooled")  # not swap: an answer that is too general is worth half
INCIDENT = {
    "id": "m1",
    "incidents": [
        {
            "types": ["ATTACK > BOMBING"],
            "fillers": [
                {"slot": "inc-type", "values": ["ATTACK > BOMBING"], "refers": []},
                {"slot": "perp-org-id", "values": ["SHINING PATH", "SENDERO LUMINOSO"], "refers": []},
                {"slot": "inc-instr-type", "values": ["EXPLOSIVE > BOMB"], "refers": ["CAR BOMB"]},
            ],
        }
    ],
}


@metric("template.ceaf-ree", within="templates", laws=LAWS, example=EXAMPLE)
def ceaf_ree(*, phi: Phi = "subset", normalise: Normalise = "squad", beta: float = 1.0) -> ir.Similarity:
    """F1 of role-filling entities of a document, matched 1:1, whichever template they are in (CEAF-REE).

    CEAF-REE = F[role = * phi] over the 1:1 matching of the fillers of all templates (Eq. 26). phi=subset: every mention
    of the system's entity is one of the gold entity (Eq. 25); phi=3: the number of mentions that they share; phi=4:
    2 |S & G| / (|S| + |G|).

    >>> def of(*entities):
    ...     return [{"type": "", "fillers": [{"role": "Target", "mentions": list(each)} for each in entities]}]
    >>> ceaf_ree.score(of(["pipes", "water pipes"], ["booth"]), of(["The booth"], ["pipes"], ["water pipes"]))
    precision=0.666... recall=1.0 f1=0.8
    """
    fillers = set_of(_filler(phi, normalise))
    return f(mapped(fillers, by="adjudge.metrics.templates:all_fillers"), beta=beta)


@metric("template.ceaf-rme", within="templates", laws=LAWS, example=EXAMPLE)
def ceaf_rme(*, phi: Phi = "subset", normalise: Normalise = "squad", beta: float = 1.0) -> ir.Similarity:
    """F1 of role-filling mentions against entities, in the best 1:1 alignment of templates (CEAF-RME).

    Every mention of the system is an entity of its own. phi=subset (Eq. 27): precision is the share of system mentions
    that are in a gold entity (N:1), recall that of gold entities of which a mention was found (1:N); literally read,
    the equation gives recalls above 1. phi=3 (Eq. 28): mentions found, over mentions of either side. phi=4: entities
    as they are, matched 1:1 by 2 |S & G| / (|S| + |G|), for systems that give entities.

    >>> def of(*entities):
    ...     return [{"type": "attack", "fillers": [{"role": "Target", "mentions": list(each)} for each in entities]}]
    >>> ceaf_rme.score(of(["pipes", "water pipes"], ["booth"]), of(["pipes"], ["water pipes"], ["car"]))
    precision=0.666... recall=0.5 f1=0.571...
    """
    filler = _filler(phi, normalise)
    if phi == 4:
        return f(_templates(set_of(filler)), beta=beta)
    there = _templates(_singles(many_to_one(filler)))
    return f(there, beta=beta) if phi == 3 else f(there, _templates(_singles(one_to_many(filler))), beta=beta)


@metric("template.fillers", within="templates", laws=LAWS, example=EXAMPLE)
def fillers_f1(*, phi: Phi = "subset", normalise: Normalise = "squad", beta: float = 1.0) -> ir.Similarity:
    """F1 of fillers in the best 1:1 alignment of templates of one type, fillers matched 1:1.

    F[type = * sum of (role = * phi) over the 1:1 matching of fillers] over the 1:1 matching of templates (Eq. 32 with
    Eq. 25: how MUC-4 data are scored in recent work).

    >>> def of(*roles):
    ...     return [{"type": "ATTACK", "fillers": [{"role": role, "mentions": list(names)} for role, *names in roles]}]
    >>> gold = of(("PerpInd", "g", "h"), ("Target", "b1", "b9"))
    >>> fillers_f1.score(gold, of(("PerpInd", "g"), ("Target", "b1"), ("Target", "b2")))
    precision=0.666... recall=1.0 f1=0.8
    """
    return f(_templates(set_of(_filler(phi, normalise))), beta=beta)


@metric("template.gtt-like", within="templates", laws=LAWS, example=EXAMPLE)
def gtt_like(*, phi: Phi = "subset", normalise: Normalise = "squad", beta: float = 1.0) -> ir.Similarity:
    """F1 of types and fillers in the best 1:1 alignment of templates; several fillers may fit one (like GTT).

    As `template.fillers`, but the type of a template counts as a filler, and inside a pair of templates precision lets
    each system filler take its best gold filler (N:1), recall the reverse (1:N). Precision and recall are each the best
    over all alignments; the program looks for one alignment with the best F1 (`--compat gtt`).

    >>> gold = [{"type": "attack", "fillers": [{"role": "Victim", "mentions": ["m1", "m2"]}]}]
    >>> parts = [{"role": "Victim", "mentions": [name]} for name in ("m1", "m2", "x")]
    >>> gtt_like.score(gold, [{"type": "attack", "fillers": parts}])
    precision=0.75 recall=1.0 f1=0.857...
    """
    if phi == 3:  # several fillers that share mentions with one would count these more than once
        matched = {"N:1": set_of(_filler(phi, normalise)), "1:N": set_of(_filler(phi, normalise))}
    else:
        matched = {"N:1": many_to_one(_filler(phi, normalise)), "1:N": one_to_many(_filler(phi, normalise))}
    there, back = (_counted(matched[way]) for way in ("N:1", "1:N"))
    return f(there, back, beta=beta)


@metric("template.muc4", within="incidents", laws=MUC4_LAWS, example=INCIDENT)
def muc4(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of fillers in the best 1:1 alignment of templates of one type; alternatives, and half credit in sets.

    A filler is right if slot, value and reference are: any of the alternatives, without articles. A value of a set is
    written with those above it, and one of these is worth half (MUC-4: 1/2 of partial in P = (COR + PAR/2) / ACT and R
    = (COR + PAR/2) / POS). Templates may be aligned if their types are the same or the answer is more general.

    >>> def incident(type):
    ...     return [{"types": [type], "fillers": [{"slot": "inc-type", "values": [type], "refers": []}]}]
    >>> gold, system = incident("ATTACK > BOMBING"), incident("ATTACK")
    >>> muc4.score(gold, system).f1, muc4.score(system, gold).f1
    (0.5, 0.0)
    """
    kind = hierarchy(separator=" > ", credit="general")
    alike = best_of(exact, best_pair(text(normalise=["casefold", "articles", "spaces"])))
    filler = record(slot=exact, values=best_of(alike, best_pair(kind)), refers=alike)
    kinds = threshold(best_of(exact, best_pair(kind)), above=0.0)
    return f(set_of(record(types=kinds, fillers=set_of(filler))), beta=beta)


@metric("template.better", laws=LAWS, example=EXAMPLE)
def better(*, filler: str | int = 4, normalise: Normalise = "squad") -> Combined:
    """F1 of template types times F1 of fillers (BETTER Granular); not verified against the official scorer.

    BETTER = F[type =] over templates * `template.fillers`, whose alignment is the best for fillers (Eq. 50). `filler`
    is how two fillers are compared: subset, 3, 4, or a function of their lists of mentions, `package.module:name`,
    whose value is at most 1.

    >>> def template(type, *fillers):
    ...     return {"type": type, "fillers": [{"role": role, "mentions": [name]} for role, name in fillers]}
    >>> gold = [template("A", ("s", "x"), ("t", "y")), template("A", ("t", "w")), template("B", ("s", "z"))]
    >>> round(better.score(gold, [template("A", ("s", "x"), ("s", "q")), template("C", ("s", "z"))]).score, 6)
    0.114286
    """
    if isinstance(filler, str) and ":" in filler:
        compared: ir.Similarity = record(role=exact, mentions=custom(filler, upper=1.0, self_score=1.0))
    else:
        compared = _filler(filler, normalise)
    types = Metric(
        similarity=f(set_of(record(type=_type()), duplicates="multiset")),
        name="template.better-types",
        within="templates",
        about="F1 of the types of templates.",
    )
    fillers = Metric(
        similarity=f(_templates(set_of(compared))),
        name="template.better-fillers",
        within="templates",
        about="F1 of fillers in the best 1:1 alignment of templates.",
    )
    return Combined(name="template.better", of=((fillers, "f1"), (types, "f1")), op="product")


def _type() -> ir.Similarity:
    """1 if one of the alternatives of a type is the same."""
    return threshold(mapped(best_pair(exact), by="split( / )"), above=0.0)


def _filler(phi: str | int, normalise: str) -> ir.Similarity:
    if phi not in _KINDS:
        from adjudge.errors import UsageError

        raise UsageError(f"there is no similarity of fillers {phi!r}", hint="use subset, 3, 4 or package.module:name")
    mention = text(normalise="squad") if normalise == "squad" else text()
    return record(role=exact, mentions=overlap(mention, by=_KINDS[phi]))


def _templates(fillers: ir.Similarity) -> ir.Similarity:
    return set_of(record(type=_type(), fillers=fillers))


def _singles(fillers: ir.Similarity) -> ir.Similarity:
    return mapped(fillers, system="adjudge.metrics.templates:singles")


def _counted(fillers: ir.Similarity) -> ir.Similarity:
    whole = total(type=_type(), fillers=fillers)
    return set_of(mapped(record(type=_type(), whole=whole), by="adjudge.metrics.templates:with_type"))


def all_fillers(templates: Iterable[Any]) -> list[Any]:
    """The fillers of all templates.

    >>> all_fillers([{"fillers": [1, 2]}, {"fillers": [3]}])
    [1, 2, 3]
    """
    return [filler for template in templates for filler in part(template, "fillers")]


def singles(fillers: Iterable[Any]) -> list[dict[str, Any]]:
    """Every mention as a filler of its own.

    >>> singles([{"role": "Victim", "mentions": ["mayor", "he"]}])
    [{'role': 'Victim', 'mentions': ['mayor']}, {'role': 'Victim', 'mentions': ['he']}]
    """
    return [
        {"role": part(filler, "role"), "mentions": [mention]}
        for filler in fillers
        for mention in part(filler, "mentions")
    ]


def with_type(template: Any) -> dict[str, Any]:
    """A template whose type is compared, and also counted among its parts.

    >>> with_type({"type": "attack", "fillers": []})
    {'type': 'attack', 'whole': {'type': 'attack', 'fillers': []}}
    """
    kind = part(template, "type")
    return {"type": kind, "whole": {"type": kind, "fillers": part(template, "fillers")}}
