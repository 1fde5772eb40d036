"""`adjudge eal assessment create`: a pool of responses as a store that assessors fill in."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from adjudge.cli.eal_assessment_shared import ids_option, report_options, say_done, target_options
from adjudge.cli.eal_common import EXPLAINED, profile_option
from adjudge.cli.findings import counted
from adjudge.cli.memory import uncollected
from adjudge.errors import UsageError
from adjudge.tasks.eal.apply import open_for
from adjudge.tasks.eal.assess_files import TRIMS, create_store, trimming
from adjudge.tasks.eal.profiles import get_profile
from adjudge.tasks.eal.trim import UNLINKED

REASONS = {**EXPLAINED, "coreferent": "a better response has a CAS in the same cluster"}


@click.command("create", epilog="\b\nExample:\n  adjudge eal assessment create pool --trim cas -o assessments")
@click.argument("pool", metavar="POOL")
@click.option(
    "--onto",
    metavar="EXISTING",
    help="A store of assessments to start from: what it has stays as it is. It may be OUT itself.",
)
@click.option(
    "--trim",
    type=click.Choice(TRIMS),
    help="First keep only the best of responses that differ in base filler and justifications (cas), or whose CASes "
    "are nested, too (nested), or are in one cluster of EXISTING (coref).",
)
@click.option(
    "--unlinked",
    type=click.Choice(UNLINKED),
    help="With --trim, responses that are not generic and in no hopper: an error, dropped, or hoppers of their own "
    "(default: as the profile says).",
)
@target_options("Store of assessments")
@ids_option
@profile_option
@report_options
def command(
    pool: str,
    onto: str | None,
    trim: str | None,
    unlinked: Any,
    output: Path,
    overwrite: bool,
    ids: Any,
    profile: str,
    format_: str,
    quiet: bool,
) -> None:
    """Make a store of assessments from a pool: every response, with UNANNOTATED in the columns of the assessor.

    Responses that EXISTING has, assessed or not, stay as they are there. While the store is written it holds a file
    __lock, and nobody else may write to it.
    """
    if trim == "coref" and onto is None:
        raise UsageError("--trim coref needs the clusters of a store", hint="give it with --onto")
    if unlinked is not None and trim is None:
        raise UsageError("--unlinked says what --trim does", hint="give both, or neither")
    chosen = get_profile(profile)
    prepare = None if trim is None else trimming(trim, unlinked=unlinked or chosen.unlinked)
    with uncollected(), closing(open_for(chosen, pool)) as store:
        done = create_store(store, output, onto=onto, prepare=prepare, ids=ids, overwrite=overwrite)
    gone = sum(done.removed.values())
    lines = [
        f"create: {counted(done.documents, 'document')}, {counted(done.pooled, 'response')} in the pool",
        *(f"  removed {count:7}  {reason}: {REASONS[reason]}" for reason, count in done.removed.items()),
        f"  added   {done.added:7}  new, they wait for assessment",
        f"  known   {done.assessed:7}  assessed already",
        f"  known   {done.waiting:7}  waiting already",
        f"profile: {profile}",
        f"written: {output}",
    ]
    facts = {"profile": profile, "input": pool, "onto": onto, "trim": trim, "output": str(output), **done._asdict()}
    assert gone + done.added + done.assessed + done.waiting == done.pooled
    say_done("assessment create", facts, lines, format_=format_, quiet=quiet)
