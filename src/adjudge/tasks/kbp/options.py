"""How knowledge bases are compared with annotation: all choices in one place, and two profiles.

`paper` has the choices of Min et al., "When ACE met KBP", and the plainest reading where the paper is silent.
`recommended` differs where that does not measure what users want to know: symmetric relations count in both directions,
self-loops are dropped, paths are compared with and without their middle, intervals are jackknife intervals.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from adjudge.errors import UsageError, did_you_mean
from adjudge.model.kbp import LEVELS, NAMED
from adjudge.stats.inference import CENTRED, INTERVALS, TESTS
from adjudge.tasks.kbp.naming import EXACT, Naming, fold_relation
from adjudge.tasks.kbp.ontology import Ontology

MentionMatch: TypeAlias = Literal["head", "extent", "head-or-extent", "overlap"]
NilKey: TypeAlias = Literal["longest", "most_frequent", "first"]
Side: TypeAlias = Literal["gold", "system"]
Engine: TypeAlias = Literal["auto", "sparse", "sample"]
LONGEST = 64  # hops
ENGINES: tuple[Engine, ...] = ("auto", "sparse", "sample")

EXCLUDED = (
    "User-Owner-Inventor-Manufacturer",
    "Citizen-Resident-Religion-Ethnicity",
    "Lasting-Personal",
    "METONYMY",
)
"""Subtypes of ACE 2005 that the paper leaves out, and metonymy, which has no subtype."""

SYMMETRIC = (
    *("Business", "Family", "Lasting-Personal", "Near", "METONYMY"),  # ACE 2005: PER-SOC, PHYS.Near
    *("personalsocial.business", "personalsocial.family", "personalsocial.unspecified"),  # Rich ERE
    *("per:spouse", "per:siblings", "per:other_family"),  # Cold Start
)
"""Relations that hold in both directions if they hold in one."""


def _check(value: object, name: str, known: tuple[str, ...]) -> None:
    if value not in known:
        close = did_you_mean(value, known) if isinstance(value, str) else None
        raise UsageError(f"{name} cannot be {value!r}", hint=close or f"choose from {', '.join(known)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class KbOptions:
    """All choices; an invalid one raises a `UsageError` that lists the valid ones.

    >>> KbOptions(unnamed="keep")
    Traceback (most recent call last):
    adjudge.errors.UsageError: unnamed cannot be 'keep', choose from drop, document
    """

    # Mentions and entities within a document
    mention_match: MentionMatch = "head"
    """Which span of a gold mention the system's must equal; `overlap`: the largest overlap wins."""
    threshold: float = 50.0
    """P: a node is aligned with a gold entity that has more than this percentage of its spans."""
    levels: tuple[str, ...] = (NAMED,)
    """The system's mentions that count."""
    gold_levels: tuple[str, ...] = LEVELS
    """The gold mentions that may be hit."""
    require_type: bool = False
    """Whether nodes can be aligned only with entities of their own type."""
    one_to_one: bool = False
    """Whether at most one node is aligned with each gold entity of a document, by the best assignment."""

    # Gold entities across documents
    nil_key: NilKey = "longest"
    """How an entity without a page is named."""
    nil_merge: Literal["canonical", "any-shared-name", "as-given"] = "canonical"
    """When entities without a page are merged: equal names by `nil_key`, any name in common, or as the table says."""
    nil_by_type: bool = False
    """Whether entities without a page must also have the same type to be one."""

    # Facts
    unattested: Literal["unaligned", "corpus-majority"] = "unaligned"
    """A node without a mention in the document of the fact is unaligned, or what it is in most other documents."""
    unaligned: Literal["private", "ignore"] = "private"
    """Facts about unaligned nodes are wrong, or left out (to see what alignment costs)."""
    unnamed: Literal["drop", "document"] = "drop"
    """Gold entities without a name: out of scope on both sides, or entities of their document."""
    min_confidence: float = 0.0
    """Facts of the system with a lower confidence are left out."""

    # Relations
    include: tuple[str, ...] | None = None
    """If given, the only relations that count."""
    exclude: tuple[str, ...] = EXCLUDED
    """Relations that do not count, on both sides."""
    gold_relations: Mapping[str, str] = field(default_factory=dict)
    """Other names for gold relations, applied before `include` and `exclude`."""
    system_relations: Mapping[str, str] = field(default_factory=dict)
    """Other names for the system's relations, applied before `include` and `exclude`."""
    symmetric: Literal["annotated", "close"] = "annotated"
    symmetric_types: tuple[str, ...] = SYMMETRIC
    inverse: Literal["none", "close", "canonical"] = "none"
    inverse_table: Mapping[str, str] | None = None
    """Relation and inverse; None is the table of Cold Start."""
    self_loops: Literal["keep", "drop"] = "keep"

    # Names of triples
    naming: Naming = EXACT
    """When two names are the same: see `adjudge.tasks.kbp.naming`."""
    typed: bool = False
    """Whether entities are the same only if their types are, too."""

    # Paths
    hops: int = 3
    identity: Literal["endpoints", "full", "both"] = "endpoints"
    walks: Literal["all", "simple"] = "all"
    identity_source: Literal["gold", "system"] = "gold"
    """Whose nodes are joined: gold ids, after mapping, or the system's own, mapped only for comparison."""

    # Graphs
    graph: bool = False
    """Whether triples, pairs, entities and relations are scored item by item as well."""
    ontology: Ontology | None = None
    """The relations and types that systems should use."""

    # Uncertainty
    interval: str = "percentile"
    test: str = "jackknife"
    notch: float = 1.15
    """The constant of the notches of the box plot."""

    def __post_init__(self) -> None:
        for name, known in choices().items():
            _check(getattr(self, name), name, known)
        for name in ("levels", "gold_levels"):
            given = getattr(self, name)
            if isinstance(given, str) or not given:
                raise UsageError(f"{name} must be levels of mentions", hint=f"choose from {', '.join(LEVELS)}")
            for level in given:
                _check(level, f"a level in {name}", LEVELS)
        for name in ("include", "exclude", "symmetric_types"):
            if isinstance(getattr(self, name), str):
                raise UsageError(f"{name} must be several names, not one string", hint=f"write ({name!r},)")
        if not (math.isfinite(self.threshold) and 0 <= self.threshold < 100):
            raise UsageError(f"a threshold of {self.threshold:g} % is out of range", hint="give a number below 100")
        if not 0 <= self.min_confidence <= 1:
            message = f"a confidence of {self.min_confidence:g} is out of range"
            raise UsageError(message, hint="give a number from 0 to 1")
        if type(self.hops) is not int or not 1 <= self.hops <= LONGEST:
            raise UsageError(f"{self.hops} hops are out of range", hint=f"give a whole number from 1 to {LONGEST}")
        if not 0 < self.notch <= 1000:
            hint = "give a number above 0, up to 1000"
            raise UsageError(f"a notch constant of {self.notch:g} is out of range", hint=hint)


@cache
def choices() -> dict[str, tuple[str, ...]]:
    """The possible values of each option that has a fixed set.

    >>> choices()["unnamed"]
    ('drop', 'document')
    """
    found = {name: get_args(kind) for name, kind in get_type_hints(KbOptions).items() if get_origin(kind) is Literal}
    return {**found, "interval": (*INTERVALS, CENTRED), "test": (*TESTS, CENTRED)}


PROFILES: dict[str, KbOptions] = {
    "paper": KbOptions(),
    "recommended": KbOptions(
        symmetric="close", self_loops="drop", identity="both", interval="auto", test="auto", notch=1.57
    ),
}
DEFAULT_PROFILE = "recommended"


def make_options(profile: str = DEFAULT_PROFILE, **changes: Any) -> KbOptions:
    """The choices of a profile, with changes.

    >>> make_options("paper", threshold=40).threshold, make_options().self_loops
    (40, 'drop')
    >>> make_options(treshold=40)
    Traceback (most recent call last):
    adjudge.errors.UsageError: there is no option 'treshold', did you mean threshold?
    """
    if profile not in PROFILES:
        hint = did_you_mean(profile, PROFILES) or f"choose from {', '.join(PROFILES)}"
        raise UsageError(f"there is no profile {profile!r}", hint=hint)
    known = {each.name for each in fields(KbOptions)}
    for name in changes:
        if name not in known:
            raise UsageError(f"there is no option {name!r}", hint=did_you_mean(name, sorted(known)))
    return replace(PROFILES[profile], **changes)


def check_engine(engine: str) -> None:
    """Raise if there is no such engine.

    >>> check_engine("duckdb")
    Traceback (most recent call last):
    adjudge.errors.UsageError: the engine duckdb was removed, leave it out: ten million triples take about 3 GB of
    memory
    """
    if engine == "duckdb":
        hint = "leave it out: ten million triples take about 3 GB of memory"
        raise UsageError("the engine duckdb was removed", hint=hint)
    if engine not in ENGINES:
        hint = did_you_mean(engine, ENGINES) or f"engines: {', '.join(ENGINES)}"
        raise UsageError(f"there is no engine {engine}", hint=hint)


def relation_name(relation: str, options: KbOptions, side: Side) -> str | None:
    """What a relation counts as, None if it does not count.

    A new name that begins with `^` exchanges subject and object (`is_turned`). A listed name also stands for
    `TYPE.name`, so that `Family` leaves out `PER-SOC.Family`.

    >>> relation_name("PER-SOC.Lasting-Personal", KbOptions(), "gold")
    >>> relation_name("works_for", KbOptions(system_relations={"works_for": "Employment"}), "system")
    'Employment'
    """
    table = options.gold_relations if side == "gold" else options.system_relations
    name = table.get(relation, relation)
    if is_turned(relation, options, side):
        name = name[1:]
    if is_listed(name, options.exclude) or (options.include is not None and not is_listed(name, options.include)):
        return None
    return name


def is_turned(relation: str, options: KbOptions, side: Side) -> bool:
    """Whether the table of names turns a relation round.

    >>> is_turned("child_of", KbOptions(system_relations={"child_of": "^parent_of"}), "system")
    True
    """
    table = options.gold_relations if side == "gold" else options.system_relations
    return len(table.get(relation, "")) > 1 and table[relation].startswith("^")


def folded_options(options: KbOptions) -> KbOptions:
    """The options for relations whose names are folded.

    >>> folded_options(KbOptions(naming=Naming("folded"), include=("basedIn",))).include
    ('based in',)
    """
    if not options.naming.folds:
        return options

    def new_name(name: str) -> str:
        return f"^{fold_relation(name[1:])}" if name.startswith("^") and len(name) > 1 else fold_relation(name)

    changes: dict[str, Any] = {}
    for field_ in ("gold_relations", "system_relations", "inverse_table"):
        table = getattr(options, field_)
        if table is not None:
            changes[field_] = {fold_relation(one): new_name(other) for one, other in table.items()}
    for field_ in ("include", "exclude", "symmetric_types"):
        names = getattr(options, field_)
        if names is not None:
            changes[field_] = tuple(map(fold_relation, names))
    return replace(options, **changes)


def is_listed(name: str, listed: Collection[str]) -> bool:
    """Whether a relation is in a list that may leave out its category."""
    return name in listed or name.rpartition(".")[2] in listed
