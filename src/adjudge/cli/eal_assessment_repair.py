"""`adjudge eal assessment repair`: assessments that follow the guidelines, made of those that do not."""

from __future__ import annotations

from collections import Counter
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
from adjudge.cli.eal_common import profile_option
from adjudge.cli.findings import counted
from adjudge.cli.memory import uncollected
from adjudge.tasks.eal.assess_files import Change, ChangeSummary, change_store, repairing
from adjudge.tasks.eal.profiles import get_profile

EXPLAINED = {
    "realis-copy": "copies with the realis of the assessor",
    "cleared": "answers that are not asked for",
    "waits-again": "an answer is missing, the response is unassessed now",
    "wrong-time": "times that are no dates, their CAS is wrong now",
    "new-cluster": "CASes without a cluster, each has one of its own now",
    "new-ids": "documents with ids of another program, now hashes of the content",
    "first-cluster": "CASes with two clusters, the first one counts",
}


@click.command("repair", epilog="\b\nExample:\n  adjudge eal assessment repair pilot -o repaired")
@click.argument("store", metavar="STORE")
@target_options("Store of assessments")
@ids_option
@profile_option
@report_options
@verbose_option
def command(
    store: str,
    output: Path,
    overwrite: bool,
    ids: Any,
    profile: str,
    format_: str,
    quiet: bool,
    verbose: bool,
) -> None:
    """Fix assessments that break the rules of the guidelines.

    Answers that are not asked for are cleared. A response without an answer that is asked for is unassessed again. A
    time that is no date has a wrong CAS. Two clusters of one CAS become one (with the profiles of the official programs
    the first counts), and every CAS of an assessed response without a cluster gets one of its own. Ids of an older
    program, which no line matches, are written anew. What cannot be read, a line whose response was changed, and a
    response with two different assessments stay errors.
    """
    with uncollected():
        by = get_profile(profile)
        done = change_store(store, output, repairing(by), mended=by, ids=ids, overwrite=overwrite)
    report_changes("repair", store, output, done, format_=format_, quiet=quiet, verbose=verbose, profile=profile)


def report_changes(
    name: str,
    store: str,
    output: Path,
    done: ChangeSummary,
    *,
    format_: str,
    quiet: bool,
    verbose: bool,
    profile: str | None = None,
) -> None:
    """Print what was done to a store."""
    counts = Counter(change.kind for change in done.changes)
    lines = [_line(change) for change in done.changes] if verbose else []
    lines += [
        f"{name}: {counted(done.documents, 'document')}, {done.assessed} assessed, {done.unassessed} not assessed",
        *(f"  {kind:13} {count:7}  {EXPLAINED[kind]}" for kind, count in sorted(counts.items())),
        *([f"profile: {profile}"] if profile else []),
        f"written: {output}",
    ]
    facts: dict[str, Any] = {"profile": profile} if profile else {}
    facts |= {"input": store, "output": str(output), **done._asdict(), "counts": dict(sorted(counts.items()))}
    facts["changes"] = [_record(change) for change in done.changes]
    say_done(f"assessment {name}", facts, lines, format_=format_, quiet=quiet)


def _line(change: Change) -> str:
    about = f"{change.document}" if change.response is None else response_line(change.response)
    return f"{about}: {change.kind}: {change.what}"


def _record(change: Change) -> dict[str, Any]:
    about = {"document": change.document} if change.response is None else response_record(change.response)
    return {"kind": change.kind, **about, "message": change.what}
