"""CEAF-REE as the scorer of GRIT counts it: entities of a role, matched 1:1, over five roles.

Departures from the definition (`template.ceaf-ree`): roles that gold does not list are ignored, so that what a system
says there costs nothing; the program fails if a gold document has no answer; a system entity without mentions fits
every gold entity. With the similarity `prop`, which the program computes but does not print, a gold mention that is
repeated counts each time, so that a score may be above 1, and a system entity without mentions is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge.algebra.functions import PLAIN
from adjudge.algebra.solve.deadline import timed
from adjudge.errors import Problem, ValidationError
from adjudge.findings import raise_problems
from adjudge.formats.templates import Page, Sheet, read_lines, read_object
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.shared import assigned, percentages, prf, sum_in_order

ROLES = ("PerpInd", "PerpOrg", "Target", "Victim", "Weapon")
MICRO = "micro_avg"
COLUMNS = ("matched", "system", "gold")
MEASURES = (prf("template.ceaf-ree"),)


def run(gold: Any, system: Any, *, similarity: str | None = None) -> Published:
    """Count one system; `similarity` is strict (all mentions are the gold entity's) or prop (the share that is)."""
    key, answers = read_lines(gold, "extracts"), read_object(system, "pred_extracts")
    check(key, answers, roles=ROLES)
    rows = []
    for identifier, page in timed(key.pages.items()):
        row = dict.fromkeys((*COLUMNS, *(f"{role}:{column}" for role in ROLES for column in COLUMNS)), 0.0)
        said = _roles(answers.pages[identifier])
        for role, wanted in _roles(page).items():
            found = said.get(role, [])
            if similarity == "prop" and wanted and not all(found):
                message = f"{identifier}: an entity of {role} has no mentions, and the published scorer divides by zero"
                raise ValidationError(
                    Problem(message, path=answers.whole.place, hint="remove it, or leave out --similarity prop")
                )
            values = (_matched(wanted, found, similarity or "strict"), len(found), len(wanted))
            for column, value in zip(COLUMNS, values, strict=True):
                row[f"{role}:{column}"] += value
                row[column] += value
        rows.append((identifier, row))
    sums = {column: sum_in_order(row[column] for _, row in rows) for column in (rows[0][1] if rows else ())}
    counts = {role: [sums.get(f"{role}:{column}", 0.0) for column in COLUMNS] for role in ROLES}
    counts[MICRO] = [sum_in_order(each[place] for each in counts.values()) for place in range(3)]
    printed = {name: percentages(*values) for name, values in counts.items()}
    return Published(rows, MEASURES, report(printed, gap="\n", end="\n"))


def check(gold: Sheet, system: Sheet, *, roles: Sequence[str]) -> None:
    """Raise where the published scorers fail: documents without an answer, unknown roles."""
    problems = [
        Problem(
            f"the gold document {identifier!r} has no answer, and the published scorer fails",
            path=system.whole.place,
            hint="add it, without templates if there are none",
        )
        for identifier in gold.pages
        if identifier not in system.pages
    ]
    for sheet in (gold, system):
        for identifier, page in sheet.pages.items():
            unknown = dict.fromkeys(role for each in page.templates for role in each.roles if role not in roles)
            problems += (
                Problem(
                    f"{identifier}: the published scorer knows no role {role!r}",
                    path=sheet.whole.place,
                    line=page.line,
                    hint=f"roles are {', '.join(roles)}",
                )
                for role in unknown
                if identifier in gold.pages
            )
    raise_problems(problems, kind=ValidationError)


def plain(text: str) -> str:
    """Lower case, no ASCII punctuation, no a, an, the, single spaces.

    >>> plain("The U.S. Embassy")
    'us embassy'
    """
    for name in ("lower", "punctuation", "articles", "spaces"):
        text = PLAIN[name](text)
    return text


def report(rows: dict[str, tuple[float, float, float]], *, gap: str, end: str) -> str:
    """The lines of the scorers of GRIT and GTT."""
    lines = []
    for name, (p, r, f1) in rows.items():
        bar = "*" * 17 if name == MICRO else "=" * 17
        lines.append(f"{bar} {name} {bar}\nP: {p:.2f}%,  R: {r:.2f}%, F1: {f1:.2f}%\n{gap}")
    return "".join(lines) + "print: " + " ".join(f"{value:.2f}" for row in rows.values() for value in row) + end


def _roles(page: Page) -> dict[str, list[list[str]]]:
    (template,) = page.templates
    return {
        role: [[plain(mention) for mention in entity] for entity in entities]
        for role, entities in template.roles.items()
    }


def _matched(gold: list[list[str]], system: list[list[str]], similarity: str) -> float:
    if not gold or not system:
        return 0.0
    scores = [[_similarity(wanted, found, similarity) for found in system] for wanted in gold]
    # Row by row, as the scorer sums: the last digit depends on it.
    return sum_in_order(scores[i][j] for i, j in assigned(scores))


def _similarity(gold: list[str], system: list[str], similarity: str) -> float:
    if similarity == "strict":
        return float(all(mention in gold for mention in system))
    return sum(mention in system for mention in gold) / len(system)


SCORER = Scorer(
    name="grit",
    family="template",
    about="the scorer of GRIT: CEAF-REE over five roles",
    run=run,
    options={
        "similarity": Option(
            "GRIT: all mentions of an entity must be correct (default), or the share that is counts.",
            choices=("strict", "prop"),
        )
    },
)
