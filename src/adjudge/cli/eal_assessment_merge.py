"""`adjudge eal assessment merge`: several stores of assessments as one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.eal_assessment_shared import (
    ids_option,
    report_options,
    response_line,
    response_record,
    say_done,
    target_options,
    verbose_option,
)
from adjudge.cli.findings import counted
from adjudge.cli.memory import uncollected
from adjudge.model.eal import Assessment
from adjudge.tasks.eal.assess_files import MergeSummary, merge_stores
from adjudge.tasks.eal.merge import Prefer

SHOWN = 10  # assessments that differ, without --verbose


@click.command(
    "merge",
    epilog="\b\nExamples:\n  adjudge eal assessment merge first/ second/ -o both"
    "\n  adjudge eal assessment merge first/ second/ --prefer additional -o corrected",
)
@click.argument("baseline", metavar="BASELINE")
@click.argument("additional", metavar="ADDITIONAL...", nargs=-1, required=True)
@click.option(
    "--prefer",
    type=click.Choice(("baseline", "additional")),
    default="baseline",
    show_default=True,
    help="Whose assessments and clusters count where the stores differ: additional takes an assessor's corrections.",
)
@target_options("Store of assessments")
@ids_option
@report_options
@verbose_option
def command(
    baseline: str,
    additional: tuple[str, ...],
    prefer: Prefer,
    output: Path,
    overwrite: bool,
    ids: Any,
    **options: Any,
) -> None:
    """Join stores of assessments: those of BASELINE count, what it has not assessed is taken from ADDITIONAL.

    A CAS that has a cluster in BASELINE keeps it. Another CAS goes to the cluster in which most of those are that share
    its cluster in ADDITIONAL; if BASELINE knows none of them, they get a new cluster together. With --prefer additional
    it is the other way round: what ADDITIONAL has assessed counts, and BASELINE fills the gaps. What the stores say
    differently is listed in either case.
    """
    with uncollected():
        done = merge_stores((baseline, *additional), output, prefer=prefer, ids=ids, overwrite=overwrite)
    facts = {
        "input": [baseline, *additional],
        "output": str(output),
        "prefer": prefer,
        **done._asdict(),
        "disagreements": [
            {
                **response_record(each.response),
                "baseline": each.baseline._asdict(),
                "additional": each.additional._asdict(),
            }
            for each in done.disagreements
        ],
    }
    lines = _lines(done, output, prefer, shown=None if options["verbose"] else SHOWN)
    say_done("assessment merge", facts, lines, format_=options["format_"], quiet=options["quiet"])


def _lines(done: MergeSummary, output: Path, prefer: Prefer, *, shown: int | None) -> list[str]:
    lines = []
    for each in done.disagreements[:shown]:
        old, new = _answers(each.baseline), _answers(each.additional)
        what = f"{old} stays, not {new}" if prefer == "baseline" else f"{old} becomes {new}"
        lines.append(f"{response_line(each.response)}: {what}")
    if len(done.disagreements) > len(lines):
        lines.append(f"and {len(done.disagreements) - len(lines)} more, --verbose lists all")
    split, joined = (sum(map(len, each.values())) for each in (done.split_clusters, done.joined_clusters))
    taken = "ignored  " if prefer == "baseline" else "corrected"
    counts = "the baseline counts" if prefer == "baseline" else "the additional store counts"
    return [
        *lines,
        f"merge: {counted(done.documents, 'document')}, {done.assessed} assessed, {done.unassessed} not assessed",
        f"  new       {done.newly_assessed:7}  assessed in an additional store only",
        f"  {taken} {len(done.disagreements):7}  assessed otherwise in an additional store",
        f"  clusters  {split:7}  of an additional store that the baseline splits: {counts}",
        f"  clusters  {joined:7}  of the baseline that an additional store splits: {counts}",
        f"written: {output}",
    ]


def _answers(assessment: Assessment) -> str:
    return " ".join(each or "NIL" for each in assessment)
