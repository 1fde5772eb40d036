"""Errors in templates, classified by the changes that would fix them (after Das et al., 2022).

Templates of one type are aligned 1:1 so that as many fillers as possible are correct (as `template.fillers` counts
them), then so that as many as possible are partially correct. Unaligned templates that share fillers have a wrong
type. Within two aligned templates, fillers of a role are matched in the same way; the rest are classified by where
else they would have been correct.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from adjudge.errors import Problem, ValidationError
from adjudge.evaluate.task import Side
from adjudge.findings import raise_problems
from adjudge.metrics import find
from adjudge.scorers.grit import plain
from adjudge.scorers.shared import assigned
from adjudge.tasks.documents import Read, check_known, read_side

KINDS = {
    "span": "right role, and words of the mention are right: change the span",
    "role": "right in another role of the template: change the role",
    "duplicate": "the entity is there already: remove it",
    "other-template": "right in another template of the document: move it",
    "other-template-and-role": "right in another template and another role: move it and change the role",
    "spurious": "right nowhere: remove it",
    "missing": "not found: add it",
    "type": "a template of the wrong type: change the type",
    "type-filler": "right then",
    "spurious-template": "remove the template",
    "spurious-template-filler": "removed with it",
    "missing-template": "add the template",
    "missing-template-filler": "added with it",
}
_STEP = 1000.0  # one correct filler is worth more than all that are partially correct


class Filler(NamedTuple):
    """A filler: its role, the mentions as they are compared, and how it is shown."""

    role: str
    mentions: frozenset[str]
    shown: str


class Template(NamedTuple):
    """A template: its types, its fillers, and how its type is shown."""

    types: frozenset[str]
    fillers: tuple[Filler, ...]
    shown: str


class Error(NamedTuple):
    """One error: its kind, the document, and the two sides, one of which may be missing."""

    kind: str
    document: str
    role: str
    system: str | None = None
    gold: str | None = None


class Errors(NamedTuple):
    """All errors of a system, and how many fillers there are and how many are correct."""

    right: int
    system: int
    gold: int
    found: tuple[Error, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many of each kind, all kinds in their order."""
        numbers = Counter(error.kind for error in self.found)
        return {kind: numbers[kind] for kind in KINDS}


def find_errors(gold: Any, system: Any, *, read: tuple[Read | None, Read | None] = (None, None)) -> Errors:
    """The errors of one system.

    >>> def said(role, *names):
    ...     return [{"id": "d", "templates": [{"type": "A", "fillers": [{"role": role, "mentions": list(names)}]}]}]
    >>> [error.kind for error in find_errors(said("Victim", "the mayor"), said("Target", "mayor")).found]
    ['role']
    """
    gold_side, system_side = (
        read_side(each, name, own) for each, name, own in zip((gold, system), ("gold", "system"), read, strict=True)
    )
    check_known(gold_side, [system_side])
    _check(gold_side, system_side)
    found: list[Error] = []
    right = 0
    sizes = Counter[str]()
    for identifier, document in gold_side.documents.items():
        answer = system_side.documents.get(identifier)
        wanted = _templates(document.data)
        said = [] if answer is None else _templates(answer.data)
        sizes["gold"] += sum(len(each.fillers) for each in wanted)
        sizes["system"] += sum(len(each.fillers) for each in said)
        number, errors = _document(identifier, wanted, said)
        right += number
        found += errors
    return Errors(right, sizes["system"], sizes["gold"], tuple(found))


def _check(*sides: Side) -> None:
    metric = find("template.fillers")
    problems = [
        Problem(f"{path.removeprefix('$.')}: {message}", path=side.path or side.name, line=document.line, hint=hint)
        for side in sides
        for document in side.documents.values()
        for path, message, hint in metric.check(document.data)
    ]
    raise_problems(problems, kind=ValidationError)


def _templates(document: Mapping[str, Any]) -> list[Template]:
    """The templates of a document, without duplicates."""
    found: dict[Any, Template] = {}
    for template in document["templates"]:
        fillers = tuple(
            Filler(str(each["role"]), frozenset(map(plain, each["mentions"])), " | ".join(each["mentions"]))
            for each in template["fillers"]
        )
        distinct = {(each.role, each.mentions): each for each in reversed(fillers)}
        made = Template(frozenset(template["type"].split(" / ")), tuple(reversed(distinct.values())), template["type"])
        found.setdefault((made.types, frozenset(distinct)), made)
    return list(found.values())


# One document


def _document(identifier: str, gold: list[Template], system: list[Template]) -> tuple[int, list[Error]]:
    pairs = _aligned(gold, system, lambda one, other: bool(one.types & other.types))
    left_gold = [j for j in range(len(gold)) if j not in pairs.values()]
    left_system = [i for i in range(len(system)) if i not in pairs]
    again = _aligned(
        [gold[j] for j in left_gold], [system[i] for i in left_system], lambda one, other: _right(one, other) > 0
    )
    mistyped = {left_system[i]: left_gold[j] for i, j in again.items()}
    errors: list[Error] = []
    right = 0
    for i, template in enumerate(system):
        j = pairs.get(i, mistyped.get(i))
        if j is None:
            errors.append(Error("spurious-template", identifier, "", template.shown))
            errors += (
                Error("spurious-template-filler", identifier, each.role, each.shown) for each in template.fillers
            )
            continue
        fitting, inside = _inside(identifier, gold[j], template, [each for k, each in enumerate(gold) if k != j])
        if i in mistyped:
            errors.append(Error("type", identifier, "", template.shown, gold[j].shown))
            errors += (Error("type-filler", identifier, each.role, each.shown) for each in fitting)
        else:
            right += len(fitting)
        errors += inside
    for j, template in enumerate(gold):
        if j in pairs.values() or j in mistyped.values():
            continue
        errors.append(Error("missing-template", identifier, "", None, template.shown))
        errors += (
            Error("missing-template-filler", identifier, each.role, None, each.shown) for each in template.fillers
        )
    return right, errors


def _aligned(gold: Sequence[Template], system: Sequence[Template], allowed: Any) -> dict[int, int]:
    weights = [
        [1.0 + _STEP * _right(one, other) + _partly(one, other) if allowed(one, other) else 0.0 for one in gold]
        for other in system
    ]
    return _best(weights)


def _inside(
    identifier: str, gold: Template, system: Template, others: list[Template]
) -> tuple[list[Filler], list[Error]]:
    """The correct fillers and the errors of two aligned templates."""
    pairs = _fillers(gold, system)
    errors: list[Error] = []
    right: list[Filler] = []
    missing = [j for j in range(len(gold.fillers)) if j not in pairs.values()]
    for i, filler in enumerate(system.fillers):
        if i in pairs:
            wanted = gold.fillers[pairs[i]]
            if _fits(wanted, filler):
                right.append(filler)
            else:
                errors.append(Error("span", identifier, filler.role, filler.shown, wanted.shown))
            continue
        kind, place, shown = _elsewhere(filler, gold, missing, others)
        if place in missing:
            missing.remove(place)
        errors.append(Error(kind, identifier, filler.role, filler.shown, shown))
    errors += (Error("missing", identifier, gold.fillers[j].role, None, gold.fillers[j].shown) for j in missing)
    return right, errors


def _elsewhere(
    filler: Filler, gold: Template, missing: list[int], others: list[Template]
) -> tuple[str, int | None, str | None]:
    """Where an unmatched filler would have been correct; the place is that of the template's filler."""
    same = [j for j, each in enumerate(gold.fillers) if each.mentions & filler.mentions]
    for j in same:
        if gold.fillers[j].role == filler.role and j not in missing:
            return "duplicate", j, gold.fillers[j].shown
    for j in sorted(same, key=lambda each: each not in missing):
        if gold.fillers[j].role != filler.role:
            return "role", j, f"{gold.fillers[j].role}: {gold.fillers[j].shown}"
    there = [each for other in others for each in other.fillers if each.mentions & filler.mentions]
    for each in sorted(there, key=lambda each: each.role != filler.role):
        kind = "other-template" if each.role == filler.role else "other-template-and-role"
        return kind, None, each.shown if each.role == filler.role else f"{each.role}: {each.shown}"
    return "spurious", None, None


# Fillers


def _fits(gold: Filler, system: Filler) -> bool:
    """phi-subset: the same role, and every mention is one of the gold entity."""
    return gold.role == system.role and bool(system.mentions) and system.mentions <= gold.mentions


def _shared(gold: Filler, system: Filler) -> float:
    """The overlap of two fillers of a role: the share of common words of their two most similar mentions."""
    if gold.role != system.role:
        return 0.0
    sets = [(set(one.split()), set(other.split())) for one in gold.mentions for other in system.mentions]
    return max((2 * len(a & b) / (len(a) + len(b)) for a, b in sets if a & b), default=0.0)


def _fillers(gold: Template, system: Template) -> dict[int, int]:
    return _best(
        [[_STEP * _fits(one, other) + _shared(one, other) for one in gold.fillers] for other in system.fillers]
    )


def _right(gold: Template, system: Template) -> int:
    return sum(_fits(gold.fillers[j], system.fillers[i]) for i, j in _fillers(gold, system).items())


def _partly(gold: Template, system: Template) -> float:
    pairs = [(gold.fillers[j], system.fillers[i]) for i, j in _fillers(gold, system).items()]
    return sum(_shared(one, other) for one, other in pairs if not _fits(one, other))


def _best(weights: list[list[float]]) -> dict[int, int]:
    """The pairs of the best 1:1 matching with a positive weight."""
    return {i: j for i, j in assigned(weights) if weights[i][j] > 0}
