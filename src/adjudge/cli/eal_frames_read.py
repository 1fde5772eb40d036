"""`adjudge eal frames read`: the frames that people have made, and what they have not linked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.eal_assessment_shared import report_options, say_done, target_options
from adjudge.cli.eal_common import profile_option
from adjudge.cli.findings import counted, finding_line, finding_record
from adjudge.cli.memory import uncollected
from adjudge.errors import UsageError
from adjudge.tasks.eal.frames_files import FramesSummary, read_store
from adjudge.tasks.eal.profiles import get_profile


@click.command("read", epilog="\b\nExample:\n  adjudge eal frames read frames assessments -o reference")
@click.argument("linking", metavar="LINKING")
@click.argument("key", metavar="KEY")
@click.option("--complete", is_flag=True, help="It is an error if anything is not linked.")
@click.option(
    "--as",
    "written",
    type=click.Choice(("responses", "classes")),
    default="responses",
    show_default=True,
    help="With -o, write the ids of responses, or of TRFRs.",
)
@click.option("--comments/--plain", default=False, show_default=True, help="With -o, describe everything in comments.")
@target_options("Folder of linking files", required=False)
@profile_option
@report_options
def command(
    linking: str,
    key: str,
    complete: bool,
    written: Any,
    comments: bool,
    output: Path | None,
    overwrite: bool,
    profile: str,
    format_: str,
    quiet: bool,
) -> int:
    """Read the reference frames in LINKING, made for the assessments in KEY, and say what is not linked.

    A frame has a TRFR if it lists any of its responses. With -o the frames are written in full, each with all responses
    of its TRFRs, and on the INCOMPLETE line what no frame has; nothing is written if there is an error, such as a wrong
    response in a frame.
    """
    if output is None and (overwrite or comments or written != "responses"):
        raise UsageError("--overwrite, --comments and --as say how OUT is written", hint="give -o OUT")
    if comments and written == "classes":
        raise UsageError("--comments describe responses, not classes", hint="leave out --comments or --as")
    with uncollected():
        done = read_store(
            linking,
            key,
            output,
            written=written,
            comments=comments,
            overwrite=overwrite,
            profile=get_profile(profile),
            complete=complete,
        )
    shown = None if done.errors else output
    say_done(
        "frames read",
        _facts(done, linking, key, shown, profile),
        _lines(done, shown, profile),
        format_=format_,
        quiet=quiet,
    )
    return int(done.errors > 0)


def _lines(done: FramesSummary, output: Path | None, profile: str) -> list[str]:
    frames = sum(each.frames for each in done.documents)
    classes, linked = sum(each.classes for each in done.documents), sum(each.linked for each in done.documents)
    lines = [finding_line(finding) for finding in done.findings]
    if not any(finding.kind == "unlinked" for finding in done.findings):
        lines += [f"{each.document}: not linked: {what}" for each in done.documents for what in each.unlinked]
    lines.append(
        f"read: {counted(len(done.documents), 'document')}, {counted(frames, 'frame')}, "
        f"{linked} of {classes} TRFRs linked, {counted(done.errors, 'error')}, "
        f"{counted(len(done.findings) - done.errors, 'warning')}"
    )
    lines.append(f"profile: {profile}")
    return [*lines, f"written: {output}"] if output is not None else lines


def _facts(done: FramesSummary, linking: str, key: str, output: Path | None, profile: str) -> dict[str, Any]:
    return {
        "profile": profile,
        "input": linking,
        "key": key,
        "output": None if output is None else str(output),
        "documents": [each._asdict() for each in done.documents],
        "errors": done.errors,
        "warnings": len(done.findings) - done.errors,
        "findings": [finding_record(finding) for finding in done.findings],
    }
