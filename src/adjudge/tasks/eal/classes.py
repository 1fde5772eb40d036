"""Classes of responses as units of a sample: responses with the same document, type, role, realis and filler.

Which fillers are the same is fixed before the draw: by clusters of a store, or by equal strings. All responses of a
drawn class are assessed, which shows whether the class is correct, and whether each system's answer to it is good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from adjudge.errors import Problem, ValidationError
from adjudge.estimates.design import Design
from adjudge.estimates.pool import Item, Pool
from adjudge.formats.eal_store import KeyStore, Store, open_key
from adjudge.model.eal import AnswerKey, Argument, Arguments, Cas, Linking, Response
from adjudge.stats.measure import Prf, Ratio
from adjudge.tasks.eal.responses import Outcome, best, is_good, remove

Clusters: TypeAlias = Mapping[str, Mapping[Cas, int]]
"""By document, the cluster of every CAS that has one."""

_GAP = " "  # no document, type, role or realis has one


def read_clusters(path: str | Path | None) -> Clusters:
    """The clusters of a store of assessments, whether or not its responses are assessed; none without a store."""
    if path is None:
        return {}
    with open_key(path) as keys:
        return {document: keys.key(document).coref for document in keys.documents}


def class_name(response: Response, clusters: Clusters) -> str:
    """The unit that a response belongs to.

    >>> from adjudge.model.eal import Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> class_name(bob, {}), class_name(bob, {"d": {bob.cas: 7}})
    ('d Life.Die Victim Actual Bob', 'd Life.Die Victim Actual #7')
    """
    number = clusters.get(response.document, {}).get(response.cas)
    filler = response.cas.text if number is None else f"#{number}"
    return _GAP.join((response.document, response.type, response.role, response.realis, filler))


def document_of(name: str) -> str:
    """The document of a class."""
    return name.partition(_GAP)[0]


def pooled_classes(store: Store, clusters: Clusters) -> list[dict[str, str]]:
    """The classes of a pool, as units to draw from."""
    found: dict[str, dict[str, str]] = {}
    for document in store.documents:
        for argument in store.arguments(document).arguments:
            name = class_name(argument.response, clusters)
            found[name] = {"id": name, "document": document}
    return list(found.values())


def keeping(drawn: Iterable[str], clusters: Clusters) -> Callable[[Arguments, Linking | None, AnswerKey], Outcome]:
    """What leaves out the responses of all classes that were not drawn."""
    kept = set(drawn)

    def prepare(arguments: Arguments, linking: Linking | None, _: AnswerKey) -> Outcome:
        places = enumerate(arguments.arguments)
        gone = {at: ("not drawn", None) for at, each in places if class_name(each.response, clusters) not in kept}
        return remove(arguments, linking, gone)

    return prepare


class Assessed(NamedTuple):
    """The pool of all classes, which of the drawn ones are correct, and which systems' answers to them are good."""

    pool: Pool
    right: dict[str, float]
    good: dict[str, dict[str, float]]


def assessed_classes(
    systems: Mapping[str, Store], keys: KeyStore, design: Design, clusters: Clusters, judge: KeyStore | None = None
) -> Assessed:
    """The assessments of the drawn classes; all problems are raised at once."""
    known = {row.id for row in design.rows}
    answers = {name: _answers(store, known, clusters) for name, store in systems.items()}
    problems = [problem for _, own in answers.values() for problem in own]
    right: dict[str, float] = {}
    good: dict[str, dict[str, float]] = {}
    drawn: dict[str, list[str]] = {}
    for name in sorted(design.drawn):
        drawn.setdefault(document_of(name), []).append(name)
    for document, names in drawn.items():
        key = keys.key(document) if document in keys else AnswerKey(document)
        members = _members(key, clusters)
        place = keys.place(document) if document in keys else str(keys.path)
        waiting = {class_name(response, clusters) for response in key.unassessed}
        for name in names:
            if name not in members and name not in waiting:
                problems.append(Problem(f"{name!r} was drawn and has no assessments", place, hint="assess it"))
            elif name in waiting:
                problems.append(Problem(f"{name!r} was drawn, and responses of it wait", place, hint="assess them all"))
            right[name] = float(any(is_good(each, key.assessed[each]) for each in members.get(name, ())))
            good[name] = {}
            for system, (own, _) in answers.items():
                answer = own.get(name)
                if answer is None or name in waiting:
                    continue
                if answer.response not in key.assessed:
                    message = f"the answer of {system} to {name!r} is not among the assessed responses"
                    problems.append(Problem(message, place, hint="pool the submission and assess what is new"))
                    continue
                good[name][system] = float(is_good(answer.response, key.assessed[answer.response]))
        problems += _joined(names, members, key, place)
    if problems:
        raise ValidationError(problems)
    opinions = None if judge is None else _opinions(judge, clusters)
    items = [
        Item(
            id=name,
            document=document_of(name),
            systems=tuple(sorted(system for system, (own, _) in answers.items() if name in own)),
            judge=None if opinions is None else float(name in opinions),
        )
        for name in sorted(known)
    ]
    return Assessed(Pool(tuple(items)), right, good)


def measures(beta: float) -> tuple[Prf, Ratio]:
    """Precision, recall and F1 of classes, and (TP - beta FP) / correct, which is not clipped at 0."""
    columns = ("matched", "system"), ("matched", "gold")
    top = ("matched", 1 + beta), ("system", -beta)
    return Prf("eal.class", *columns), Ratio("eal.unclipped", "score", top, (("gold", 1.0),))


def _answers(store: Store, known: set[str], clusters: Clusters) -> tuple[dict[str, Argument], list[Problem]]:
    """The response by which a system answers each class, and classes that could not have been drawn."""
    found: dict[str, list[Argument]] = {}
    problems = []
    for document in store.documents:
        for argument in store.arguments(document).arguments:
            name = class_name(argument.response, clusters)
            if name not in known and name not in found:
                hint = "draw from them: adjudge eal sample POOL --by class --after DESIGN ASSESSMENTS"
                message = f"{name!r} could not have been drawn"
                problems.append(Problem(message, store.place(document), argument.line or None, hint=hint))
            found.setdefault(name, []).append(argument)
    return {name: best(own) for name, own in found.items()}, problems


def _members(key: AnswerKey, clusters: Clusters) -> dict[str, list[Response]]:
    found: dict[str, list[Response]] = {}
    for response in key.assessed:
        found.setdefault(class_name(response, clusters), []).append(response)
    return found


def _opinions(judge: KeyStore, clusters: Clusters) -> set[str]:
    """The classes that a judge considers correct."""
    found: set[str] = set()
    for document in judge.documents:
        key = judge.key(document)
        found |= {class_name(each, clusters) for each, said in key.assessed.items() if is_good(each, said)}
    return found


def _joined(
    names: Sequence[str], members: Mapping[str, Sequence[Response]], key: AnswerKey, place: str
) -> list[Problem]:
    """Right classes that differ in their fillers only, and whose fillers assessors put into one cluster."""
    seen: dict[tuple[str, str, str, int], str] = {}
    problems = []
    for name in names:
        for response in members.get(name, ()):
            cluster = key.coref.get(response.cas)
            if cluster is None or not is_good(response, key.assessed[response]):
                continue
            other = seen.setdefault((response.type, response.role, response.realis, cluster), name)
            if other != name:
                message = f"assessors joined {other!r} and {name!r}, which were drawn as two"
                hint = "classes are fixed before the draw: draw again with --clusters, or draw whole documents"
                problems.append(Problem(message, place, hint=hint))
                break
    return problems
