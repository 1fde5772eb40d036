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


@click.command("merge", epilog="\b\nExample:\n  adjudge eal assessment merge first/ second/ -o both")
@click.argument("baseline", metavar="BASELINE")
@click.argument("additional", metavar="ADDITIONAL...", nargs=-1, required=True)
@target_options("Store of assessments")
@ids_option
@report_options
@verbose_option
def command(
    baseline: str,
    additional: tuple[str, ...],
    output: Path,
    overwrite: bool,
    ids: Any,
    format_: str,
    quiet: bool,
    verbose: bool,
) -> None:
    """Join stores of assessments: those of BASELINE count, what it has not assessed is taken from ADDITIONAL.

    A CAS that has a cluster in BASELINE keeps it. Another CAS goes to the cluster in which most of those are that share
    its cluster in ADDITIONAL; if BASELINE knows none of them, they get a new cluster together.
    """
    with uncollected():
        done = merge_stores((baseline, *additional), output, ids=ids, overwrite=overwrite)
    facts = {
        "input": [baseline, *additional],
        "output": str(output),
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
    say_done("assessment merge", facts, _lines(done, output, verbose), format_=format_, quiet=quiet)


def _lines(done: MergeSummary, output: Path, verbose: bool) -> list[str]:
    lines = []
    if verbose:
        lines += [
            f"{response_line(each.response)}: {_answers(each.baseline)} stays, not {_answers(each.additional)}"
            for each in done.disagreements
        ]
    split, joined = (sum(map(len, each.values())) for each in (done.split_clusters, done.joined_clusters))
    return [
        *lines,
        f"merge: {counted(done.documents, 'document')}, {done.assessed} assessed, {done.unassessed} not assessed",
        f"  new      {done.newly_assessed:7}  assessed in an additional store only",
        f"  ignored  {len(done.disagreements):7}  assessed otherwise in an additional store",
        f"  clusters {split:7}  of an additional store that the baseline splits",
        f"  clusters {joined:7}  of the baseline that an additional store splits",
        f"written: {output}",
    ]


def _answers(assessment: Assessment) -> str:
    return " ".join(each or "NIL" for each in assessment)
