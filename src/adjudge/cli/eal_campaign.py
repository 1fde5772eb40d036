"""`adjudge eal campaign`: lay out a campaign and run every step that is due."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import click

from adjudge._version import __version__
from adjudge.cli.options import command, flag, format_option
from adjudge.cli.output import emit_json, emit_lines, uncollected
from adjudge.tasks.eal.campaign import Step, init_campaign, run_campaign
from adjudge.tasks.eal.campaign_scores import Inputs, Publisher


@command(
    "init",
    click.Argument(["folder"], metavar="FOLDER"),
    flag("--demo", "Put the bundled campaign into it: texts, three submissions, and the answers."),
    flag("--quiet", "Do not say what was made."),
    examples=["adjudge eal campaign init autumn", "adjudge eal campaign init try --demo"],
)
def init(folder: str, demo: bool, quiet: bool) -> None:
    """Lay out a campaign in FOLDER, which must be new or empty: its settings, and folders to be filled.

    Put source documents into sources/ and submissions into submissions/, look through campaign.toml, and go on with
    `adjudge eal campaign run FOLDER`.
    """
    if demo:
        from adjudge.demo.eal import fill_campaign

        made = init_campaign(folder, fill=fill_campaign)
    else:
        made = init_campaign(folder)
    if not quiet:
        next_ = f"adjudge eal campaign run {shlex.quote(folder)}"
        emit_lines([*(f"made {path}" for path in made), f"go on with: {next_}"])


@command(
    "run",
    click.Argument(["folder"], metavar="[FOLDER]", default="."),
    flag("--dry-run", "Only show what would be done; write nothing."),
    format_option("text", "json"),
    flag("--quiet", "Show only what is waiting or failed."),
    examples=["adjudge eal campaign run autumn"],
)
def run(folder: str, dry_run: bool, format_: str, quiet: bool) -> int:
    """Do every automatic step of the campaign in FOLDER that is due, and say what it waits for.

    Each step has a line: done, up to date, waiting or failed. A submission that is not valid is left out and the others
    go on; the exit code is then 1. Whether a step is due depends on the content of files and settings alone. It is safe
    to interrupt a run, and to start it again at any time.
    """

    def show(step: Step) -> None:
        if format_ == "text" and not (quiet and step.status not in ("waiting", "failed")):
            emit_lines([_line(step)])

    with uncollected():
        told = run_campaign(folder, dry_run=dry_run, each=show, publisher=_publisher())
    if format_ == "json":
        head = {"adjudge": __version__, "task": "eal", "operation": "campaign run", "dry_run": dry_run}
        emit_json({**head, "steps": [_record(step) for step in told]})
    return int(any(step.status == "failed" for step in told))


def _publisher() -> Publisher:
    """Whoever draws, loaded only if there is something to draw."""

    def page(inputs: Inputs) -> str:
        from adjudge.report.campaign import campaign_page

        return campaign_page(inputs)

    def graphs(inputs: Inputs) -> Mapping[str, bytes]:
        from adjudge.report.campaign import campaign_graphs

        return campaign_graphs(inputs)

    return Publisher(page, graphs)


def _line(step: Step) -> str:
    what = f"{step.step} {step.subject}".strip()
    more = f" ({step.details})" if step.details is not None else ""
    return f"{what:<20} {step.status:<11} {step.message}{more}"


def _record(step: Step) -> dict[str, Any]:
    return {**step._asdict(), "details": None if step.details is None else str(step.details)}
