"""Several assessors of one unit: their joint verdict, by majority or by their estimated reliability."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from adjudge.errors import UsageError
from adjudge.stats.result import Note

_SMOOTHING, _CONVERGED, _STEPS = 0.01, 1e-12, 10_000
_FEW_VERDICTS, _FEW_ASSESSORS, _RARE = 20, 2.5, 10

A = TypeVar("A")


class Resolved(NamedTuple):
    """The probability of every class for each unit, the prior, and the confusion matrix of each assessor."""

    classes: tuple[str, ...]
    posterior: tuple[tuple[float, ...], ...]
    prior: tuple[float, ...]
    confusion: Mapping[str, tuple[tuple[float, ...], ...]]
    notes: tuple[Note, ...] = ()

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The most probable class of each unit; of several the first."""
        return tuple(self.classes[max(range(len(own)), key=lambda at: (own[at], -at))] for own in self.posterior)


def majority(labels: Sequence[Mapping[str, str]], classes: Sequence[str]) -> Resolved:
    """The class that most assessors chose; of several the first.

    >>> majority([{"a": "C", "b": "W", "c": "C"}], ["C", "W"]).verdicts
    ('C',)
    """
    _refuse_single(labels)
    posterior = tuple(_shares(own, classes) for own in labels)
    prior = tuple(math.fsum(own[at] for own in posterior) / len(posterior) for at in range(len(classes)))
    return Resolved(tuple(classes), posterior, prior, {}, _doubts(labels, classes, {}))


def dawid_skene(labels: Sequence[Mapping[str, str]], classes: Sequence[str]) -> Resolved:
    """The model of Dawid and Skene (1979): every assessor has a confusion matrix, estimated together with the classes.

    >>> found = dawid_skene([{"a": "C", "b": "C", "c": "W"}, {"a": "W", "b": "W", "c": "W"}], ["C", "W"])
    >>> found.verdicts
    ('C', 'W')
    """
    _refuse_single(labels)
    place = {name: at for at, name in enumerate(classes)}
    number, kinds = len(labels), range(len(classes))
    assessors = sorted({name for own in labels for name in own})
    given = [[(name, place[verdict]) for name, verdict in sorted(own.items())] for own in labels]
    posterior = [list(_shares(own, classes)) for own in labels]
    prior: list[float] = []
    confusion: dict[str, list[list[float]]] = {}
    for _ in range(_STEPS):
        prior = [
            (math.fsum(own[k] for own in posterior) + _SMOOTHING) / (number + len(classes) * _SMOOTHING) for k in kinds
        ]
        confusion = {name: [[_SMOOTHING] * len(classes) for _ in kinds] for name in assessors}
        for own, said in zip(posterior, given, strict=True):
            for name, verdict in said:
                for k in kinds:
                    confusion[name][k][verdict] += own[k]
        for rows in confusion.values():
            for row in rows:
                total = math.fsum(row)
                row[:] = [value / total for value in row]
        changed = 0.0
        for at, said in enumerate(given):
            logs = [math.log(prior[k]) + math.fsum(math.log(confusion[name][k][v]) for name, v in said) for k in kinds]
            top = max(logs)
            weights = [math.exp(each - top) for each in logs]
            total = math.fsum(weights)
            fresh = [weight / total for weight in weights]
            changed = max(changed, *(abs(new - old) for new, old in zip(fresh, posterior[at], strict=True)))
            posterior[at] = fresh
        if changed < _CONVERGED:
            break
    final = {name: tuple(tuple(row) for row in rows) for name, rows in confusion.items()}
    return Resolved(tuple(classes), tuple(map(tuple, posterior)), tuple(prior), final, _doubts(labels, classes, final))


def _shares(own: Mapping[str, str], classes: Sequence[str]) -> tuple[float, ...]:
    votes = Counter(own.values())
    return tuple(votes[name] / len(own) for name in classes)


def _refuse_single(labels: Sequence[Mapping[str, str]]) -> None:
    if len({name for own in labels for name in own}) < 2:
        raise UsageError("there is only one assessor, so there is nothing to resolve", hint="leave out --resolve")


def _doubts(
    labels: Sequence[Mapping[str, str]],
    classes: Sequence[str],
    confusion: Mapping[str, Sequence[Sequence[float]]],
) -> tuple[Note, ...]:
    """Notes on what makes the resolution unreliable."""
    notes: list[Note] = []
    counts = Counter(name for own in labels for name in own)
    few = sorted(name for name, number in counts.items() if number < _FEW_VERDICTS)
    if few:
        notes.append(Note("few-verdicts", len(few), f"assessors with fewer than {_FEW_VERDICTS} verdicts", tuple(few)))
    chance = 1 / len(classes)
    poor = sorted(name for name, rows in confusion.items() if any(row[k] < chance for k, row in enumerate(rows)))
    if poor:
        message = "assessors who are below chance on a class: do they know the guideline?"
        notes.append(Note("below-chance", len(poor), message, tuple(poor)))
    mean = sum(counts.values()) / len(labels)
    if mean < _FEW_ASSESSORS:
        message = f"{mean:.1f} assessors per unit on average: too few to tell who is right"
        notes.append(Note("few-assessors", 1, message))
    seen = Counter(verdict for own in labels for verdict in own.values())
    rare = [name for name in classes if seen[name] < _RARE]
    if rare:
        notes.append(Note("rare-class", len(rare), f"classes seen fewer than {_RARE} times", tuple(rare)))
    return tuple(notes)


def least_distance(annotations: Mapping[str, A], score: Callable[[A, A], float]) -> tuple[str, dict[str, float]]:
    """The annotation of one document with the least mean distance to all others, and these means; ties by name.

    >>> least_distance({"ann": 1.0, "ben": 2.0, "cas": 1.25}, lambda a, b: 1 - abs(a - b))
    ('cas', {'ann': 0.625, 'ben': 0.875, 'cas': 0.5})
    """
    if len(annotations) < 3:
        raise UsageError(f"{len(annotations)} annotators cannot outvote each other", hint="adjudicate by hand")
    means = {}
    for name, own in annotations.items():
        distances = [1 - score(own, other) for each, other in annotations.items() if each != name]
        means[name] = math.fsum(distances) / len(distances)
    return min(sorted(means), key=lambda name: means[name]), means
