"""Errors of templates as the program of Das et al. (2022) counts them, before its transformations are applied.

A mention is where its letters and digits first stand in the text, without a, an, the. The distance of two spans is 0 if
they are the same, else 1 - overlap^2 / (length * length), the lengths those of inclusive ends. Mentions that are not
found are all at one place, so that they are equal to each other.

Other departures from `adjudge template errors`: system entities are taken apart into mentions; types must be equal as
texts, or do not matter (`mode=Errors`); a spurious filler that stands in a template like another one is counted for
both; changing the role of a filler removes every missing filler that has the same first mention.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from math import fsum
from typing import Any, NamedTuple

from adjudge.algebra.solve.deadline import timed
from adjudge.formats.templates import Template, read_object
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.grit import check
from adjudge.scorers.shared import assigned, prf, sum_in_order
from adjudge.stats.measure import Total

TYPE = "incident_type"
MUC = ("PerpInd", "PerpOrg", "Target", "Weapon", "Victim")
SPAN, SPURIOUS, MISSING = "Span_Error", "General_Spurious_Role_Filler", "Missing_Role_Filler"
KINDS = (
    "Duplicate_Role_Filler",
    "Duplicate_Partially_Matched_Role_Filler",
    "Within_Template_Incorrect_Role",
    "Within_Template_Incorrect_Role + Partially_Matched_Filler",
    "Wrong_Template_For_Role_Filler",
    "Wrong_Template_For_Partially_Matched_Role_Filler",
    "Wrong_Template + Wrong_Role",
    "Wrong_Template + Wrong_Role + Partially_Matched_Filler",
    "Spurious_Role_Filler",
)
WHOLE = ("Spurious_Template", "Spurious_Template_Role_Filler", "Missing_Template", "Missing_Template_Role_Filler")
ERRORS = (SPAN, SPURIOUS, *KINDS, MISSING, *WHOLE)
COLUMNS = ("matched", "system", "gold")
MEASURES = (
    prf("template.auto-err"),
    Total("template.auto-err", "error", (("error", 1.0),)),
)


class Mention(NamedTuple):
    """A mention: where it is in the text, both ends included, and what it says."""

    span: tuple[int, int]
    text: str


class Gold(NamedTuple):
    """A gold template."""

    type: str | None
    roles: tuple[tuple[tuple[Mention, ...], ...], ...]


class System(NamedTuple):
    """A system template: mentions by role."""

    type: str | None
    roles: tuple[tuple[Mention, ...], ...]


class Pair(NamedTuple):
    """The outcome of a pair of templates: right answers, error, and for each mention of each role its gold entity, or
    -1."""

    right: int
    error: float
    chosen: tuple[tuple[int, ...], ...]


def run(gold: Any, system: Any, *, mode: str | None = None, roles: str | None = None) -> Published:
    """Count one system; gold and system are files with both sides, and may be the same file."""
    names = MUC if roles is None else tuple(each.strip() for each in roles.split(",") if each.strip())
    typed = mode != "Errors"
    key, answers = read_object(gold, "gold_templates"), read_object(system, "pred_templates")
    check(key, answers, roles=names)
    shown = (*([TYPE] if typed else []), *names)
    rows: list[tuple[str, dict[str, float]]] = []
    errors: Counter[str] = Counter()
    score: float = 0
    for identifier, page in timed(key.pages.items()):
        text = _letters((page.text or answers.pages[identifier].text).replace(" ##", ""))
        wanted = [_gold(each, names, text) for each in page.templates]
        said = [_system(each, names, text) for each in answers.pages[identifier].templates]
        row, found, error = _document(wanted, said, names, typed=typed)
        rows.append((identifier, {**row, "error": float(error), **{name: float(found[name]) for name in ERRORS}}))
        errors.update(found)
        score += error
    return Published(rows, MEASURES, _report(rows, shown, errors, score))


def _report(
    rows: list[tuple[str, dict[str, float]]], names: tuple[str, ...], errors: Counter[str], score: float
) -> str:
    lines = ["Result:\n"]
    for name in ("total", *names):
        prefix = "" if name == "total" else f"{name}:"
        num, p_den, r_den = (sum_in_order(row[f"{prefix}{column}"] for _, row in rows) for column in COLUMNS)
        p, r, f1 = precision_recall_f1(num, p_den, r_den)
        lines.append(f"{name}: Precision : {p:.4f}, Recall : {r:.4f}, F1 : {f1:.4f}\n")
    lines.append(f"\nError Score: {score}\n")
    lines += (f"{'| |-' if name in KINDS else ''}{name}: {errors[name]}\n" for name in ERRORS)
    return "".join(lines)


# One document


def _document(
    gold: list[Gold], system: list[System], names: tuple[str, ...], *, typed: bool
) -> tuple[dict[str, float], Counter[str], float]:
    pairs = [
        [_pair(one, other, typed) if not typed or one.type == other.type else None for one in gold] for other in system
    ]
    alone = [
        [int(typed) + sum(map(len, each.roles)) for each in side] for side in (system, gold)
    ]  # the error of a template without counterpart
    gains: list[list[Gain]] = [
        [None if pair is None else (pair.right, alone[0][i] + alone[1][j] - pair.error) for j, pair in enumerate(row)]
        for i, row in enumerate(pairs)
    ]

    def error(chosen: list[int]) -> float:
        """The error of a pairing, summed in the order of the program."""
        taken = [None if j < 0 else pairs[i][j] for i, j in enumerate(chosen)]
        parts = [alone[0][i] if pair is None else pair.error for i, pair in enumerate(taken)]
        return sum_in_order([*parts, *(size for j, size in enumerate(alone[1]) if j not in chosen)])

    chosen = first_best(gains, len(gold), error)
    row = dict.fromkeys((*COLUMNS, *(f"{name}:{column}" for name in (TYPE, *names) for column in COLUMNS)), 0.0)
    _sizes(row, system, names, "system", typed)
    _sizes(row, gold, names, "gold", typed)
    errors: Counter[str] = Counter()
    spurious: list[tuple[System, int, Mention]] = []
    missing: list[tuple[int, Mention]] = []
    for i, j in enumerate(chosen):
        if j < 0:
            errors.update({"Spurious_Template": 1, "Spurious_Template_Role_Filler": sum(map(len, system[i].roles))})
            continue
        pair = pairs[i][j]
        assert pair is not None
        _add(row, TYPE, int(typed))
        for role, columns in enumerate(pair.chosen):
            for mention, column in zip(system[i].roles[role], columns, strict=True):
                if column < 0:
                    spurious.append((system[i], role, mention))
                else:
                    far = _distance(mention, gold[j].roles[role][column])
                    _add(row, names[role], int(far == 0))
                    errors[SPAN] += far > 0
            left = [entity for place, entity in enumerate(gold[j].roles[role]) if place not in columns]
            missing += ((role, entity[0]) for entity in left if entity)
            errors[MISSING] += len(left)
    for j, template in enumerate(gold):
        if j not in chosen:
            errors.update({"Missing_Template": 1, "Missing_Template_Role_Filler": sum(map(len, template.roles))})
    errors[SPURIOUS] += len(spurious)
    repaired = _classify(spurious, [(system[i], j) for i, j in enumerate(chosen)], gold, errors)
    errors[MISSING] -= sum(each in repaired for each in missing)
    return row, errors, error(chosen)


def _add(row: dict[str, float], name: str, number: int) -> None:
    row[f"{name}:matched"] += number
    row["matched"] += number


def _sizes(row: dict[str, float], side: Any, names: tuple[str, ...], column: str, typed: bool) -> None:
    for template in side:
        for name, size in zip((TYPE, *names), (int(typed), *map(len, template.roles)), strict=True):
            row[f"{name}:{column}"] += size
            row[column] += size


def _pair(gold: Gold, system: System, typed: bool) -> Pair:
    """The best pairing of mentions and entities, role by role."""
    right, found = int(typed), []
    whole: float = 0
    for wanted, said in zip(gold.roles, system.roles, strict=True):
        far = [[_distance(mention, entity) for entity in wanted] for mention in said]
        gains: list[list[Gain]] = [[(int(d == 0), 2 - d) if d < 1 else None for d in each] for each in far]

        def error(chosen: list[int], far: list[list[float]] = far, number: int = len(wanted)) -> float:
            """The error of a role, summed in the order of the program."""
            parts = [1 if j < 0 else far[i][j] for i, j in enumerate(chosen)]
            return sum_in_order(parts + [1] * (number - sum(j >= 0 for j in chosen)))

        chosen = first_best(gains, len(wanted), error)
        right += sum(j >= 0 and far[i][j] == 0 for i, j in enumerate(chosen))
        whole += error(chosen)
        found.append(tuple(chosen))
    return Pair(right, whole, tuple(found))


def _classify(
    spurious: list[tuple[System, int, Mention]],
    matching: list[tuple[System, int]],
    gold: list[Gold],
    errors: Counter[str],
) -> set[tuple[int, Mention]]:
    """Count the kinds of mistakes of spurious fillers; returns the missing fillers that a change of role repairs."""
    repaired = set()
    for template, role, mention in spurious:
        for other, place in matching:
            if other != template:
                continue
            matched = None if place < 0 else gold[place]
            inside = [] if matched is None else _nearest(mention, [matched])
            if inside:
                far, where, best = inside[0]
                partly = far > 0
                if where != role:
                    errors[KINDS[3 if partly else 2]] += 1
                    repaired.add((where, best if partly else mention))
                else:
                    errors[KINDS[1 if partly else 0]] += 1
                break
            outside = [] if matched is None else _nearest(mention, [each for each in gold if each != matched])
            if outside:
                far, where, _ = outside[0]
                errors[KINDS[4 + 2 * (where != role) + (far > 0)]] += 1
                break
            errors[KINDS[8]] += 1
    return repaired


def _nearest(mention: Mention, templates: list[Gold]) -> list[tuple[float, int, Mention]]:
    """The nearest gold mention, with its distance and role; nothing if none overlaps.

    Of equally near ones the first counts, role by role.
    """
    roles = len(templates[0].roles) if templates else 0
    best: list[tuple[float, int, Mention]] = []
    for role in range(roles):
        for template in templates:
            for entity in template.roles[role]:
                for other in entity:
                    far = _between(mention.span, other.span)
                    if far < (best[0][0] if best else 1):
                        best = [(far, role, other)]
    return best


# Mentions


def _distance(mention: Mention, entity: tuple[Mention, ...]) -> float:
    return min((_between(mention.span, other.span) for other in entity), default=1)


def _between(one: tuple[int, int], other: tuple[int, int]) -> float:
    if one == other:
        return 0
    product = abs(one[1] - one[0]) * abs(other[1] - other[0])
    shared = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    return 1 - (shared**2 / product if product > 0 else 0)


def _letters(text: str) -> str:
    return "".join(c for c in re.sub(r"\b(a|an|the)\b", " ", text.lower()) if c.isalnum())


def _mention(text: str, document: str, *, found: bool = True) -> Mention:
    letters = _letters(text)
    start = document.find(letters) if letters and found else -1
    return Mention((start, start + len(letters) - 1) if start >= 0 else (1, 0), text)


def _gold(template: Template, names: tuple[str, ...], document: str) -> Gold:
    def entities(role: str) -> tuple[tuple[Mention, ...], ...]:
        # A value that is not a list is never looked up by the program.
        plain = role in template.scalars
        return tuple(
            tuple(_mention(one, document, found=not plain) for one in each) for each in template.roles.get(role, [])
        )

    return Gold(template.type, tuple(entities(role) for role in names))


def _system(template: Template, names: tuple[str, ...], document: str) -> System:
    entities = _gold(template, names, document)
    return System(template.type, tuple(tuple(one for each in role for one in each) for role in entities.roles))


# ---------------------------------------------------------------------------------------------------------------------
# Pairing


RIGHT = 1e5  # one right answer outweighs all errors that a document can have
NEAR = 1e-6
TIES = 200
Gain = tuple[int, float] | None
"""The gain of a pair: right answers, and by how much the error falls; None if the pair is impossible."""


def first_best(gains: Sequence[Sequence[Gain]], number: int, error: Callable[[list[int]], float]) -> list[int]:
    """For each row its column, or -1: the first of the best pairings in the order of the program.

    The order: for each row none, then the columns in turn. `error` gives the error of a pairing as the program sums it;
    of pairings that differ only in its last digit, the program prefers the smaller one, and so do we among the first
    ones.

    >>> first_best([[(1, 1.0), (1, 1.0)], [(1, 1.0), None]], 2, lambda pairing: 0.0)
    [1, 0]
    """
    weights = [[0.0 if gain is None else RIGHT * gain[0] + gain[1] for gain in row] for row in gains]
    best = _greatest(weights, range(len(gains)), range(number))
    found: list[int] | None = None
    smallest = 0.0
    seen = 0
    stack: list[tuple[list[int], float]] = [([], 0.0)]
    while stack and seen < TIES:
        chosen, value = stack.pop()
        row = len(chosen)
        free = [column for column in range(number) if column not in chosen]
        if value + _greatest(weights, range(row, len(gains)), free) < best - NEAR:
            continue
        if row == len(gains):
            seen += 1
            whole = error(chosen)
            if found is None or whole < smallest:
                found, smallest = chosen, whole
            continue
        options = [([*chosen, j], value + weights[row][j]) for j in free if gains[row][j] is not None]
        stack += [*reversed(options), ([*chosen, -1], value)]
    assert found is not None
    return found


def _greatest(weights: Sequence[Sequence[float]], rows: Sequence[int], free: Sequence[int]) -> float:
    if not rows or not free:
        return 0.0
    if len(rows) == 1 or len(free) == 1:
        return max(weights[i][j] for i in rows for j in free)
    table = [[weights[i][j] for j in free] for i in rows]
    return fsum(table[i][j] for i, j in assigned(table))


SCORER = Scorer(
    name="auto-err",
    family="template",
    about="the error analysis of Das et al. (2022)",
    run=run,
    options={
        "mode": Option(
            "auto-err: pair templates of the same type only (default), or always.",
            choices=("MUC_Errors", "Errors"),
        ),
        "roles": Option("auto-err: the roles, if they are not those of MUC-4.", "NAMES"),
    },
)
