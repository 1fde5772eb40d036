"""SciREX as its end-to-end script counts it: salient clusters, and relations of two and of four entities.

Departures from the definitions (`relation.scirex-*`): every system mention is first replaced by the first gold mention
that shares more than half of it; a system entity is assigned to the gold entity with which it shares most, more than
half, several may share one, and roles are not compared; the means are over documents (and combinations of roles), with
1e-7 added to every denominator, so that no score is ever exactly 1.

If two gold entities share equally much with a system entity, the script takes the first of a Python set, which varies
from run to run. Here it is the first in alphabetical order; a note gives the number of such ties.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

from adjudge.algebra.solve.deadline import timed
from adjudge.errors import Problem, ValidationError
from adjudge.findings import raise_problems
from adjudge.formats.relation_documents import ROLES, SciRex, Span, read_scirex_gold, read_scirex_system
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import Published, Scorer
from adjudge.scorers.shared import sum_in_order
from adjudge.stats.measure import Ratio
from adjudge.stats.result import Note

TINY = 1e-7
PARTS = {"p": "precision", "r": "recall", "f1": "f1"}
TABLES = {"clusters": "Salient Clustering Metrics", "n2": "Relation Metrics n=2", "n4": "Relation Metrics n=4"}
NAMES = {"clusters": "relation.scirex-clusters", "n2": "relation.scirex-binary", "n4": "relation.scirex-4ary"}
MEASURES = tuple(
    Ratio(name, PARTS[part], ((f"{table}:{part}", 1.0),), ((f"{table}:n", 1.0),))
    for table, name in NAMES.items()
    for part in PARTS
)
Scores = tuple[float, float, float]
_scores = partial(precision_recall_f1, tiny=TINY)


def run(gold: Any, system: Any) -> Published:
    """Count one system: per document, the sums of what the script averages, and their number."""
    gold_side, system_side = read_scirex_gold(gold), read_scirex_system(system)
    missing = [identifier for identifier in gold_side.documents if identifier not in system_side.documents]
    message = "the published scorer fails here, because there is no document"
    problems = [Problem(f"{message} {each!r}", path=system_side.place, hint="add it") for each in missing]
    raise_problems(problems, kind=ValidationError)
    rows: list[tuple[str, dict[str, float]]] = []
    ties = 0
    for identifier, document in timed(gold_side.documents.items()):
        answer = system_side.documents[identifier]
        chosen, tied = _entities(document, answer)
        ties += tied
        row: dict[str, float] = {}
        found = {
            "clusters": [_scores(len(chosen), len(answer.entities), len(document.entities), len(set(chosen.values())))],
            "n2": list(_relations(document, answer, chosen, 2)),
            "n4": list(_relations(document, answer, chosen, 4)),
        }
        for table, scores in found.items():
            row[f"{table}:n"] = float(len(scores))
            for at, part in enumerate(PARTS):
                row[f"{table}:{part}"] = sum_in_order(each[at] for each in scores)
        rows.append((identifier, row))
    notes = []
    if ties:
        message = f"{ties} system entities have two best gold entities; the published scorer takes one at random"
        notes.append(Note("tie", ties, message))
    empty = [title for table, title in TABLES.items() if not any(row[f"{table}:n"] for _, row in rows)]
    if empty:
        message = f"gold has nothing for {' and '.join(empty)}, where the published scorer fails"
        notes.append(Note("undefined", len(empty), message))
    return Published(rows, MEASURES, _text(rows), notes=notes)


def _text(rows: list[tuple[str, dict[str, float]]]) -> str:
    lines = []
    for table, title in TABLES.items():
        lines.append(title)
        number = sum(row[f"{table}:n"] for _, row in rows)
        sums = [sum_in_order(row[f"{table}:{part}"] for _, row in rows) for part in PARTS]
        shown = _decimals([each / number if number else float("nan") for each in sums])
        lines += [f"{part:<6}{value}" for part, value in zip(PARTS, shown, strict=True)]
        lines.append("Name: mean, dtype: float64")
    return "\n".join(lines) + "\n"


def _decimals(values: list[float]) -> list[str]:
    """Six decimals, without zeros at the end that all values have, as the script's tables show them.

    >>> _decimals([0.5, 0.25, 0.0])
    ['0.50', '0.25', '0.00']
    """
    shown = [f"{value:.6f}" for value in values]
    while all(each.endswith("0") and not each.endswith(".0") for each in shown):
        shown = [each[:-1] for each in shown]
    return shown


def _entities(gold: SciRex, system: SciRex) -> tuple[dict[str, str], int]:
    """The gold entity of each system entity, and how many of them had a tie."""
    place = _first_gold(system.mentions, gold.mentions)
    right = {name: set(spans) for name, spans in sorted(gold.entities.items())}
    chosen: dict[str, str] = {}
    ties = 0
    for name, spans in system.entities.items():
        own = {place.get(span, span) for span in spans}
        shared = {each: len(own & others) for each, others in right.items()}
        best = max(shared.values(), default=0)
        if 2 * best > len(own):
            winners = [each for each, number in shared.items() if number == best]
            chosen[name] = winners[0]
            ties += len(winners) > 1
    return chosen, ties


def _first_gold(system: Iterable[Span], gold: list[Span]) -> dict[Span, Span]:
    """System mentions and the first gold mention of the file that shares more than half of the tokens of both.

    Such a mention starts within one length of the other, so few need to be checked.
    """
    by_start: dict[int, list[tuple[int, Span]]] = {}
    longest = max((end - start for start, end in gold), default=0)
    for number, span in enumerate(gold):
        by_start.setdefault(span[0], []).append((number, span))
    found = {}
    for start, end in set(system):
        near = (each for at in range(start - longest, end) for each in by_start.get(at, ()))
        matches = [each for each in near if _shares(start, end, *each[1])]
        if matches:
            found[start, end] = min(matches)[1]
    return found


def _shares(start: int, end: int, other_start: int, other_end: int) -> bool:
    """Whether the intersection is more than half of the union, in whole numbers."""
    return 2 * (min(end, other_end) - max(start, other_start)) > max(end, other_end) - min(start, other_start)


def _relations(gold: SciRex, system: SciRex, chosen: dict[str, str], size: int) -> Iterator[Scores]:
    """The scores of each combination of roles for which gold has a relation with mentions."""
    answers = {tuple(chosen.get(name, name) for name in names) for names in system.relations}
    for places in combinations(range(len(ROLES)), size):
        right = {
            tuple(names[place] for place in places)
            for names in gold.relations
            if all(gold.entities[names[place]] for place in places)
        }
        found = {tuple(names[place] for place in places) for names in answers}
        if right:
            matched = len(right & found)
            yield _scores(matched, len(found), len(right))


SCORER = Scorer(
    name="scirex",
    family="relation",
    about="the end-to-end script of SciREX, with a fixed order of ties",
    run=run,
)
