"""Explanations: for every missed and every wrong path the first step that broke, counted and with examples.

A waterfall starts with all gold paths and ends with those that were found; every path that is lost on the way is lost
at one step, so that the losses add up to the misses of the score. Another starts with the paths of the system and ends
with those that are right. A path is explained by the first of its facts that the other side does not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.errors import UsageError
from adjudge.tasks.kbp.explain_index import FactIndex, RowIndex
from adjudge.tasks.kbp.explain_paths import MOST, Losses, Lost, find_losses, matched_facts
from adjudge.tasks.kbp.explain_reasons import (
    RANK,
    REASONS,
    AnnotationReasons,
    Reason,
    Sides,
    Triple,
    TripleReasons,
    Why,
)
from adjudge.tasks.kbp.explain_result import (
    FATES,
    Evidence,
    Example,
    Explanation,
    Fate,
    Loss,
    PathFact,
    Waterfall,
    evidence,
)
from adjudge.tasks.kbp.facts import label_walks
from adjudge.tasks.kbp.options import KbOptions
from adjudge.tasks.kbp.relations import prepare
from adjudge.tasks.kbp.scoring import check_triples, map_inputs
from adjudge.tasks.kbp.variants import Variant, variants

__all__ = [
    "FATES",
    "LIMIT",
    "Example",
    "Explanation",
    "Fate",
    "Loss",
    "PathFact",
    "Waterfall",
    "explain",
    "explain_inputs",
]

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.model.kbp import Entity, KbDocument, TripleTable
    from adjudge.tasks.kbp.inputs import KbInputs
    from adjudge.tasks.kbp.mapping import Mapped

    Ints: TypeAlias = npt.NDArray[Any]

LIMIT = 5
_SUPPORT = 3  # documents of a fact that are named, and shown


def explain(gold: Any, systems: Any, *, hops: Sequence[int] = (), **more: Any) -> tuple[Explanation, ...]:
    r"""Explain files or bytes; the arguments are those of `score`, and those of `explain_inputs`.

    >>> gold = b"ana\tworks_for\tcorvex\td1\ncorvex\tbased_in\toslo\td1\n"
    >>> (found,) = explain(gold, b"ana\tworks_for\tcorvex\td1\ncorvex\tbased_in\tlyon\td1\n", hops=[2])
    >>> [(loss.reason, loss.paths, loss.at) for loss in found.waterfalls[0].missed]
    [('unknown-entity', 1, (0, 1, 0))]
    """
    from adjudge.tasks.kbp.inputs import read_inputs
    from adjudge.tasks.kbp.options import DEFAULT_PROFILE
    from adjudge.tasks.kbp.scoring import chosen_run

    several = [systems] if not isinstance(systems, Sequence) or isinstance(systems, str | bytes) else list(systems)
    own = {name: more.pop(name) for name in ("limit", "seed", "most") if name in more}
    inputs = {**more.pop("inputs", {}), **{name: more.pop(name) for name in ("wiki", "names") if name in more}}
    options, profile = more.pop("options", None), more.pop("profile", DEFAULT_PROFILE)
    if hops and options is None:
        more["hops"] = max(hops)
    read = read_inputs(gold, several, **inputs)
    return explain_inputs(read, chosen_run(profile, options, more)[0], hops=hops, **own)


def explain_inputs(
    read: KbInputs,
    options: KbOptions,
    *,
    hops: Sequence[int] = (),
    limit: int | None = LIMIT,
    seed: int = 13,
    most: int = MOST,
) -> tuple[Explanation, ...]:
    """Explain every system at some numbers of hops (all up to `options.hops` unless they are given).

    `limit` examples are given for each reason, None for all. Paths of two hops and more are looked at one by one if
    both sides have `most` walks at most, else only those of some first nodes, drawn by the seed.
    """
    chosen = tuple(dict.fromkeys(hops)) or tuple(range(1, options.hops + 1))
    if any(hop < 1 for hop in chosen):
        raise UsageError("paths have at least one hop", hint="give numbers from 1")
    found = []
    for name, explainer in _explainers(read, options):
        falls = tuple(explainer.waterfall(hop, limit=limit, seed=seed, most=most) for hop in chosen)
        found.append(Explanation(name, falls))
    return tuple(found)


def explained_variant(options: KbOptions) -> Variant:
    """The way to compare paths that is explained: that of the paper, unless options ask for another one only.

    >>> explained_variant(KbOptions(identity="both")).metric(2)
    'kbp.hop2'
    >>> explained_variant(KbOptions(identity_source="system")).metric(2)
    'kbp.hop2.system'
    """
    ways = [way for way in variants(options) if way.own == (options.identity_source == "system")]
    return ways[0]


def _explainers(read: KbInputs, options: KbOptions) -> Any:
    """The sides of each system, made when they are asked for."""
    if read.gold.corpus is not None:
        mapped = map_inputs(read, options)
        for place, system in enumerate(read.systems):
            yield system.name, _of_annotation(read, mapped, place, options)
        return
    check_triples(options)
    gold = read.gold.table
    assert gold is not None
    names = gold.names.documents
    numbers = sorted(set(gold.documents)) if read.documents is None else sorted(map(names.__getitem__, read.documents))
    for system in read.systems:
        assert system.table is not None
        sides = _sides(gold, system.table, numbers, options, named=False)
        yield system.name, _Explainer(sides, options, TripleReasons(sides), partial(_plain_support, sides))


def _of_annotation(read: KbInputs, mapped: Mapped, place: int, options: KbOptions) -> _Explainer:
    system, kb = mapped.systems[place], read.systems[place].kb
    corpus = read.gold.corpus
    assert kb is not None
    assert corpus is not None
    documents = mapped.gold.names.documents
    numbers = [documents[name] for name in mapped.documents]
    own = explained_variant(options).own
    table = system.own if own and system.own is not None else system.table
    labels = (system.labels or {}) if own else None
    sides = _sides(mapped.gold, table, numbers, options, named=True, labels=labels)
    reasons = AnnotationReasons(sides, mapped, system, kb, own=own)
    texts = {document.id: document for document in corpus.documents}
    support = _Support(reasons, texts, {node.id: node for node in kb.entities})
    return _Explainer(sides, options, reasons, support, support.name)


def _sides(
    gold: TripleTable,
    system: TripleTable,
    numbers: Sequence[int],
    options: KbOptions,
    *,
    named: bool,
    labels: Mapping[int, int] | None = None,
) -> Sides:
    places = {number: number for number in numbers}
    one = prepare(gold, options, "gold", documents=places, named=named).facts
    other = prepare(system, options, "system", documents=places, named=named, labels=labels).facts
    rows = (
        RowIndex(gold, options, "gold", documents=numbers, named=named),
        RowIndex(system, options, "system", documents=numbers, named=named),
    )
    size, relations = label_walks((one, other), 1).shape[1], len(gold.names.relations.listed)
    found, right = matched_facts((one, other))
    indexes = FactIndex(one, size, relations, found), FactIndex(other, size, relations, right)
    return Sides(*indexes, *rows, gold.names)


def _plain_support(sides: Sides, fate: Fate, fact: int) -> tuple[tuple[str, ...], tuple[Evidence, ...]]:
    """The documents of a fact; triples have no text."""
    facts = (sides.gold if fate == "missed" else sides.system).facts
    listed = sides.names.documents.listed
    support = facts.documents[facts.starts[fact] : facts.starts[fact + 1]].tolist()
    return tuple(listed[number] for number in support), ()


class _Support:
    """Documents and texts behind the facts of either side, and names of the system's own nodes."""

    def __init__(
        self, reasons: AnnotationReasons, documents: Mapping[str, KbDocument], nodes: Mapping[str, Entity]
    ) -> None:
        self.reasons, self.documents, self.nodes = reasons, documents, nodes
        self._names: dict[str, str] | None = None

    def __call__(self, fate: Fate, fact: int) -> tuple[tuple[str, ...], tuple[Evidence, ...]]:
        reasons = self.reasons
        index, rows = (
            (reasons.sides.gold, reasons.sides.gold_rows)
            if fate == "missed"
            else (reasons.sides.system, reasons.sides.system_rows)
        )
        facts = index.facts
        numbers = int(facts.subjects[fact]), int(facts.relations[fact]), int(facts.objects[fact])
        said = rows.saying(*numbers)
        if fate == "missed":
            found = [reasons.mapped.gold_facts[reasons.gold_steps[row].fact] for row in said]
        else:
            found = [reasons.kb.facts[reasons.system_steps[row].fact] for row in said]
        shown: dict[str, Evidence] = {}
        for each in found:
            if each.document in shown or len(shown) == _SUPPORT:
                continue
            document = self.documents.get(each.document)
            if fate == "wrong":
                ends = [self.nodes.get(node) for node in (each.subject, each.object)]
            else:
                entities = {} if document is None else {entity.id: entity for entity in document.entities}
                ends = [entities.get(node) for node in (each.subject, each.object)]
            shown[each.document] = evidence(each, ends[0], ends[1], document)
        return tuple(dict.fromkeys(each.document for each in found)), tuple(shown.values())

    def name(self, node: str) -> str:
        """A node with a name that people know, if it is one of the system's own."""
        if not node.startswith("S:"):
            return node
        if self._names is None:
            self._names = self._named()
        called = self._names.get(node)
        return f"{node} ({called})" if called else node

    def _named(self) -> dict[str, str]:
        system = self.reasons.system
        table = system.own or system.table
        listed = self.reasons.sides.names.nodes.listed
        found: dict[str, str] = {}
        for row, step in self.reasons.system_steps.items():
            for end, number in ((step.subject, table.subjects[row]), (step.object, table.objects[row])):
                if end is not None and listed[number].startswith("S:") and listed[number] not in found:
                    found[listed[number]] = self._called(end.node)
        return found

    def _called(self, node: str) -> str:
        entity = self.nodes.get(node)
        if entity is None:
            return ""
        mention = max(entity.mentions, key=lambda each: (each.canonical, each.level == "NAM"), default=None)
        if mention is None:
            return ""
        document = self.documents.get(mention.document)
        text = mention.text or (
            "" if document is None or document.text is None else document.text[slice(*mention.span)]
        )
        return " ".join(text.split())


class _Explainer:
    """Both sides of one comparison, ready to be explained at any number of hops."""

    def __init__(
        self,
        sides: Sides,
        options: KbOptions,
        reasons: TripleReasons | AnnotationReasons,
        support: Any,
        name: Any = lambda node: node,
    ) -> None:
        self.sides, self.options, self.reasons = sides, options, reasons
        self.support, self.name = support, name
        self.variant = explained_variant(options)
        self.known: dict[tuple[Fate, int, tuple[bool, bool]], Why] = {}

    def waterfall(self, hop: int, *, limit: int | None, seed: int, most: int) -> Waterfall:
        facts = self.sides.gold.facts, self.sides.system.facts
        found = find_losses(
            facts,
            hop,
            (self.sides.gold.matched, self.sides.system.matched),
            identity=self.variant.identity,
            walks=self.options.walks,
            most=most,
            seed=seed,
        )
        missed, lost = self._losses("missed", found, found.gold, limit)
        wrong, spurious = self._losses("wrong", found, found.system, limit)
        return Waterfall(
            self.variant.metric(hop),
            hop,
            found.gold.paths,
            found.system.paths,
            found.both,
            missed,
            wrong,
            (*lost, *spurious),
            found.sample,
        )

    def _losses(
        self, fate: Fate, found: Losses, lost: Lost, limit: int | None
    ) -> tuple[tuple[Loss, ...], list[Example]]:
        import numpy as np

        hop = found.hop
        rows = np.arange(len(lost.broken))
        # Paths without a broken fact are grouped by their last one.
        fact = lost.facts[rows, np.minimum(lost.broken, hop - 1)] if len(rows) else rows
        key = fact.astype(np.int64) * (hop + 1) + lost.broken
        groups, first, numbers = np.unique(key, return_index=True, return_counts=True)
        counts: dict[Reason, list[int]] = {}
        members: dict[Reason, list[tuple[int, int, Why]]] = {}
        for group, row, number in zip(groups.tolist(), first.tolist(), numbers.tolist(), strict=True):
            broken = group % (hop + 1)
            why = self._why(fate, group // (hop + 1), broken, hop)
            counts.setdefault(why.reason, [0] * (hop + 1))[broken] += number
            if limit is None or limit > 0:
                members.setdefault(why.reason, []).append((number, row, why))
        losses = tuple(
            Loss(reason, sum(counts[reason]), tuple(counts[reason])) for reason in REASONS if reason in counts
        )
        examples = []
        for reason in sorted(members, key=RANK.__getitem__):
            # Those first at which most paths break; of equals, in the order of the facts.
            chosen = sorted(members[reason], key=lambda each: -each[0])[:limit]
            examples += [
                self._example(fate, why, number, int(lost.broken[row]), lost.facts[row].tolist())
                for number, row, why in chosen
            ]
        return losses, examples

    def _why(self, fate: Fate, fact: int, broken: int, hop: int) -> Why:
        if broken == hop:
            return Why("linked-elsewhere", "every fact is right, but one entity is two nodes of the system")
        middle = broken > 0, broken < hop - 1
        key = fate, fact, middle
        if key not in self.known:
            index = self.sides.gold if fate == "missed" else self.sides.system
            triple = Triple(
                int(index.subjects[fact]), int(index.facts.relations[fact]), int(index.objects[fact]), middle
            )
            ask = self.reasons.missed if fate == "missed" else self.reasons.wrong
            self.known[key] = ask(triple, fact)
        return self.known[key]

    def _example(self, fate: Fate, why: Why, number: int, broken: int, facts: Sequence[int]) -> Example:
        index = self.sides.gold if fate == "missed" else self.sides.system
        shown = []
        for fact in facts:
            documents, texts = self.support(fate, fact)
            if fact == facts[min(broken, len(facts) - 1)] and why.document:
                # The document that the reason speaks of comes first.
                texts = tuple(sorted(texts, key=lambda each: each.document != why.document))
            shown.append(
                PathFact(
                    self.name(self.sides.node(int(index.subjects[fact]))),
                    self.sides.relation(int(index.facts.relations[fact])),
                    self.name(self.sides.node(int(index.objects[fact]))),
                    bool(index.matched[fact]),
                    documents,
                    texts,
                )
            )
        where = f" ({why.document})" if why.document else ""
        return Example(fate, why.reason, why.detail + where, number, min(broken, len(facts) - 1) + 1, tuple(shown))
