"""Templates as the scorer of GTT counts them: the pairing of templates with the best F1 of the document.

Departures from the definition (`template.gtt-like`): one pairing serves precision and recall, and of several that are
equally good the first counts; the type of a system template has to be a part of the gold type as a text ("bombing" of
"attack / bombing"), and one that is not text is "attack"; gold templates that are the same are one; a system entity
without mentions fits every gold entity; the program fails if a gold document has no answer.

The program tries all (g + 1)^p pairings; here those that cannot beat the best one are skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from adjudge.algebra.solve.deadline import timed
from adjudge.errors import FormatError, Problem, UsageError
from adjudge.formats.json_file import read_json
from adjudge.formats.templates import Sheet, Template, distinct, read_lines, read_object
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.grit import MICRO, ROLES, check, plain, report
from adjudge.scorers.shared import assigned, percentages
from adjudge.stats.measure import Prf

TYPE = "incident_type"
NAMES = (TYPE, *ROLES)
COLUMNS = ("matched", "system", "found", "gold")
MEASURES = (Prf("template.gtt", ("matched", "system"), ("found", "gold")),)
NEAR = 1e-12  # of different values of F1, none are that near to each other


class Counts(NamedTuple):
    """The counts of a pair of templates, by name: right answers, and gold entities that were found."""

    matched: tuple[int, ...]
    found: tuple[int, ...]


def run(gold: Any, system: Any, *, event_n: str | None = None, docids: Any = None) -> Published:
    """Count one system: all documents, or those listed in a file by their number of templates."""
    key, answers = read_lines(gold, "templates"), read_object(system, "pred_templates")
    check(key, answers, roles=ROLES)
    if (event_n is None) != (docids is None):
        raise UsageError("--event-n and --docids go together", hint="give both, or none")
    groups = {"all": list(key.pages)} if docids is None else _groups(docids, str(event_n), key)
    rows = {
        identifier: _row(key.pages[identifier].templates, answers.pages[identifier].templates)
        for group in groups.values()
        for identifier in timed(group)
    }
    printed = [_printed([rows[each] for each in group]) for group in groups.values()]
    if event_n == "1,2,3,4":
        text = "print: " + " ".join(f"{each[MICRO][2]:.2f}" for each in printed) + "\n"
    else:
        shown = printed[0] if event_n is None else {MICRO: printed[0][MICRO]}
        text = report(shown, gap="", end="\n\n")
    return Published(list(rows.items()), MEASURES, text)


def _groups(source: Any, wanted: str, gold: Sheet) -> dict[str, list[str]]:
    """Lists of documents by their number of templates."""
    whole, value = read_json(source)
    names = wanted.split(",")
    found = {}
    for name in names:
        listed = value.get(name) if isinstance(value, dict) else None
        if not isinstance(listed, list) or not all(isinstance(each, str) and each in gold.pages for each in listed):
            message = f"expected a list of gold documents as {name!r}"
            raise FormatError(Problem(message, path=whole.place, hint='write {"1": ["30002", ...], ">=2": [...]}'))
        found[name] = listed
    return found


def _printed(rows: list[dict[str, float]]) -> dict[str, tuple[float, float, float]]:
    def sums(prefix: str) -> tuple[float, float, float]:
        p_num, p_den, r_num, r_den = (sum(row[f"{prefix}{column}"] for row in rows) for column in COLUMNS)
        return percentages(p_num, p_den, r_den, r_num)

    return {**{name: sums(f"{name}:") for name in NAMES}, MICRO: sums("")}


def _row(gold: list[Template], system: list[Template]) -> dict[str, float]:
    wanted = [_normal(each) for each in distinct(gold)]
    said = [_normal(each, usual="attack") for each in system]
    pairs = [[_pair(one, other) for one in wanted] for other in said]
    system_sizes, gold_sizes = ([_sizes(each) for each in side] for side in (said, wanted))
    p_den, r_den = (sum(map(sum, sizes)) for sizes in (system_sizes, gold_sizes))
    chosen = [pairs[i][j] for i, j in best_pairing(pairs, p_den, r_den)]
    row = dict.fromkeys((*COLUMNS, *(f"{name}:{column}" for name in NAMES for column in COLUMNS)), 0.0)
    for place, name in enumerate(NAMES):
        values = (
            sum(pair.matched[place] for pair in chosen if pair),
            sum(sizes[place] for sizes in system_sizes),
            sum(pair.found[place] for pair in chosen if pair),
            sum(sizes[place] for sizes in gold_sizes),
        )
        for column, value in zip(COLUMNS, values, strict=True):
            row[f"{name}:{column}"] += value
            row[column] += value
    return row


def _normal(template: Template, usual: str = "") -> Template:
    roles = {role: [[plain(one) for one in entity] for entity in template.roles.get(role, [])] for role in ROLES}
    return Template(template.type if template.type is not None else usual, roles)


def _sizes(template: Template) -> tuple[int, ...]:
    return (1, *(len(template.roles[role]) for role in ROLES))


def _pair(gold: Template, system: Template) -> Counts | None:
    """The counts of a pair, None if its types do not fit."""
    if str(system.type) not in str(gold.type):
        return None
    matched, found = [1], [1]
    for role in ROLES:
        fits = [[set(other) <= set(one) for one in gold.roles[role]] for other in system.roles[role]]
        matched.append(sum(map(any, fits)))
        found.append(sum(any(row[place] for row in fits) for place in range(len(gold.roles[role]))))
    return Counts(tuple(matched), tuple(found))


def best_pairing(pairs: list[list[Counts | None]], p_den: int, r_den: int) -> list[tuple[int, int]]:
    """The pairs of the first pairing, in the order of the program, that has the highest F1.

    The order: for each system template the gold ones in turn, then none. Denominators are the same for all pairings,
    and F1 grows with both numerators and is concave in them. So two bounds hold for all pairings with the same
    beginning: the F1 of the greatest numerators, each by itself; and the greatest value of a tangent, which is one
    assignment.
    """
    weights = [[(sum(pair.matched), sum(pair.found)) if pair else (0, 0) for pair in row] for row in pairs]
    number = len(pairs[0]) if pairs else 0
    # The numerators of a good pairing: its F1 must be reached, and there the tangent touches.
    good = _greatest(weights, range(len(pairs)), range(number), (1.0, 1.0))
    while True:
        limit, slope = _value(*good, p_den, r_den), _slope(*good, p_den, r_den)
        better = _greatest(weights, range(len(pairs)), range(number), slope)
        if _value(*better, p_den, r_den) <= limit:
            break
        good = better
    best: list[tuple[int, int]] = []
    best_value, wobbles = -1.0, False
    # A beginning: the pairs so far, the gold templates that are taken, and the two numerators.
    stack: list[tuple[list[tuple[int, int]], frozenset[int], int, int]] = [([], frozenset(), 0, 0)]
    while stack:
        chosen, taken, p, r = stack.pop()
        at = len(chosen)
        if at == len(pairs):
            value = _value(p, r, p_den, r_den)
            if value > best_value:
                best, best_value, wobbles = chosen, value, _wobbles(value, p_den, r_den)
            continue
        rows, free = range(at, len(pairs)), [j for j in range(number) if j not in taken]
        bound = _value(
            p + _greatest(weights, rows, free, (1, 0))[0], r + _greatest(weights, rows, free, (0, 1))[1], p_den, r_den
        )
        if bound < limit or bound <= best_value:
            continue
        most_p, most_r = _greatest(weights, rows, free, slope)
        tangent = slope[0] * (p + most_p) + slope[1] * (r + most_r) if any(slope) else bound
        if tangent < limit - NEAR or (tangent <= best_value + NEAR and not wobbles):
            continue
        options = [([*chosen, (at, j)], taken | {j}, p + weights[at][j][0], r + weights[at][j][1]) for j in free]
        stack += [([*chosen, (at, -1)], taken, p, r), *reversed(options)]
    return [(i, j) for i, j in best if j >= 0]


def _slope(p_num: int, r_num: int, p_den: int, r_den: int) -> tuple[float, float]:
    """The derivatives of F1 by the numerators; it is homogeneous, so that no constant is needed."""
    if not p_num or not r_num:
        return 0.0, 0.0
    p, r = p_num / p_den, r_num / r_den
    return 2 * r * r / (p + r) ** 2 / p_den, 2 * p * p / (p + r) ** 2 / r_den


def _wobbles(value: float, p_den: int, r_den: int) -> bool:
    """Whether other numerators give the same F1 but, in the program's arithmetic, a greater last digit."""
    for p in range(1, p_den + 1):
        rest = 2 * p - value * p_den
        r = round(value * p * r_den / rest) if rest > 0 else 0
        if 0 < r <= r_den and value < _value(p, r, p_den, r_den) < value + NEAR:
            return True
    return False


def _value(p_num: int, r_num: int, p_den: int, r_den: int) -> float:
    """F1 in the program's order of operations, because it also compares the last digits."""
    return precision_recall_f1(p_num, p_den, r_den, r_num)[2]


def _greatest(
    weights: list[list[tuple[int, int]]], rows: Sequence[int], free: Sequence[int], slope: tuple[float, float]
) -> tuple[int, int]:
    """The numerators of the pairing of these rows that is best by their weighted sum."""
    if not rows or not free:
        return 0, 0
    pairs = [[weights[i][j] for j in free] for i in rows]
    chosen = assigned([[slope[0] * p + slope[1] * r for p, r in row] for row in pairs])
    return sum(pairs[i][j][0] for i, j in chosen), sum(pairs[i][j][1] for i, j in chosen)


SCORER = Scorer(
    name="gtt",
    family="template",
    about="the scorer of GTT: the pairing of templates with the best F1 of the document",
    run=run,
    options={
        "event-n": Option("GTT: only documents with these numbers of templates.", choices=(">=2", "1,2,3,4")),
        "docids": Option("GTT: the documents by their number of templates, for --event-n.", "FILE"),
    },
)
