"""`adjudge eal frames project`: frames that were made for one store of assessments, on another."""

from __future__ import annotations

from pathlib import Path

import click

from adjudge.cli.eal_assessment_shared import (
    report_options,
    response_line,
    response_record,
    say_done,
    target_options,
    verbose_option,
)
from adjudge.cli.findings import counted
from adjudge.cli.memory import uncollected
from adjudge.tasks.eal.frames_files import FramesSummary, project_store


@click.command("project", epilog="\b\nExample:\n  adjudge eal frames project frames assessments merged -o new-frames")
@click.argument("linking", metavar="LINKING")
@click.argument("source", metavar="KEY")
@click.argument("target", metavar="NEWKEY")
@click.option("--comments/--plain", default=True, show_default=True, help="Describe what is to be linked in comments.")
@target_options("Folder of linking files")
@report_options
@verbose_option
def command(
    linking: str,
    source: str,
    target: str,
    comments: bool,
    output: Path,
    overwrite: bool,
    format_: str,
    quiet: bool,
    verbose: bool,
) -> None:
    """Write the frames in LINKING, made for the assessments in KEY, as they are on those in NEWKEY.

    Each response becomes all good responses of its TRFR in NEWKEY; one whose TRFR is not there is lost. What no frame
    has is on the INCOMPLETE line. Look at the clusters that NEWKEY has split: both halves are in all their frames.
    """
    with uncollected():
        done = project_store(linking, source, target, output, comments=comments, overwrite=overwrite)
    facts = {
        "input": linking,
        "key": source,
        "new_key": target,
        "output": str(output),
        "documents": [each._asdict() for each in done.documents],
        "lost": [response_record(response) for response in done.lost],
        "split": done.split,
        "without_frames": done.absent,
    }
    say_done("frames project", facts, _lines(done, output, verbose), format_=format_, quiet=quiet)


def _lines(done: FramesSummary, output: Path, verbose: bool) -> list[str]:
    lines = []
    if verbose:
        lines += [f"{response_line(response)}: lost" for response in done.lost]
        lines += [f"{each.document}: not linked: {what}" for each in done.documents for what in each.unlinked]
        lines += [f"{each}: split" for each in done.split]
        lines += [f"{each}: has no frames" for each in done.absent]
    frames = sum(each.frames for each in done.documents)
    classes, linked = sum(each.classes for each in done.documents), sum(each.linked for each in done.documents)
    return [
        *lines,
        f"project: {counted(len(done.documents), 'document')}, {counted(frames, 'frame')}, "
        f"{linked} of {classes} TRFRs linked",
        f"  lost    {len(done.lost):7}  responses in frames whose TRFR the new key does not have",
        f"  split   {len(done.split):7}  TRFRs that are part of one of the old key, look at their frames",
        f"  without {len(done.absent):7}  documents that have no frames",
        f"written: {output}",
    ]
