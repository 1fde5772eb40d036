"""`adjudge eal frames`: prepare the linking of assessed responses, and read it back."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.eal_assessment import (
    report_options,
    response_line,
    response_record,
    say_done,
    target_options,
    verbose_option,
)
from adjudge.cli.eal_stores import profile_option
from adjudge.cli.findings import findings_record
from adjudge.cli.options import choice, command, flag
from adjudge.cli.output import uncollected
from adjudge.errors import UsageError
from adjudge.findings import counted, finding_lines
from adjudge.tasks.eal.settings import get_profile
from adjudge.tasks.eal.stores import FramesSummary, project_store, read_store, template_store


@command(
    "template",
    click.Argument(["key"], metavar="KEY"),
    flag("--comments/--plain", "Describe what is to be linked in comments.", default=True, show_default=True),
    target_options("Folder of linking files"),
    report_options,
    examples=["adjudge eal frames template assessments -o frames"],
)
def template(key: str, comments: bool, **options: Any) -> None:
    """Write the linking pool of the assessments in KEY: a file per document, everything on its INCOMPLETE line.

    The pool holds the responses that are correct or inexact in event type, role, CAS and base filler, and whose realis
    is Actual or Other and agrees with the assessor's. Comments list them by type, role, realis and cluster of the CAS
    (a TRFR), with their ids: copy ids into one line, without the #, to make an event. `adjudge eal frames read`
    removes what is linked from the INCOMPLETE line.
    """
    output = options["output"]
    with uncollected():
        done = template_store(key, output, comments=comments, overwrite=options["overwrite"])
    classes = sum(each.classes for each in done.documents)
    facts = {
        "input": key,
        "output": str(output),
        "documents": [{"document": each.document, "classes": each.classes} for each in done.documents],
        "classes": classes,
    }
    lines = [
        f"template: {counted(len(done.documents), 'document')}, {counted(classes, 'TRFR')} to be linked",
        f"written: {output}",
    ]
    say_done("frames template", facts, lines, options)


@command(
    "read",
    click.Argument(["linking"], metavar="LINKING"),
    click.Argument(["key"], metavar="KEY"),
    flag("--complete", "Fail if anything is not linked."),
    choice(
        "--as written",
        ("responses", "classes"),
        "With -o, write the ids of responses, or of TRFRs.",
        default="responses",
    ),
    flag("--comments/--plain", "With -o, describe everything in comments.", default=False, show_default=True),
    target_options("Folder of linking files", required=False),
    profile_option,
    report_options,
    examples=["adjudge eal frames read frames assessments -o reference"],
)
def read(linking: str, key: str, **options: Any) -> int:
    """Read the reference frames in LINKING, made for the assessments in KEY, and report what is not linked.

    A frame contains a TRFR if it lists any of its responses. With -o the frames are written in full, each with all
    responses of its TRFRs; what no frame has goes on the INCOMPLETE line. Nothing is written if there is an error,
    such as a wrong response in a frame.
    """
    how = {name: options[name] for name in ("written", "comments", "overwrite", "complete")}
    output, profile = options["output"], options["profile"]
    if output is None and (how["overwrite"] or how["comments"] or how["written"] != "responses"):
        raise UsageError("--overwrite, --comments and --as need -o", hint="give -o OUT")
    if how["comments"] and how["written"] == "classes":
        raise UsageError("--comments describe responses, not classes", hint="leave out --comments or --as")
    with uncollected():
        done = read_store(linking, key, output, profile=get_profile(profile), **how)
    found = done.findings
    output = None if found.errors else output
    wrong = f"{counted(found.errors, 'error')}, {counted(found.warnings, 'warning')}"
    lines = finding_lines(found)
    if not found.counts["unlinked"]:
        lines += [f"{each.document}: not linked: {what}" for each in done.documents for what in each.unlinked]
    lines += [f"read: {_counts(done)}, {wrong}", f"profile: {profile}"]
    lines += [f"written: {output}"] if output is not None else []
    facts = {
        "profile": profile,
        "input": linking,
        "key": key,
        "output": None if output is None else str(output),
        "documents": [each._asdict() for each in done.documents],
        **{name: findings_record("eal", [found])[name] for name in ("errors", "warnings", "findings")},
    }
    say_done("frames read", facts, lines, options)
    return int(found.errors > 0)


def _counts(done: FramesSummary) -> str:
    """How many documents and frames there are, and how much is linked."""
    frames, classes, linked = (
        sum(getattr(each, name) for each in done.documents) for name in ("frames", "classes", "linked")
    )
    return f"{counted(len(done.documents), 'document')}, {counted(frames, 'frame')}, {linked} of {classes} TRFRs linked"


@command(
    "project",
    click.Argument(["linking"], metavar="LINKING"),
    click.Argument(["source"], metavar="KEY"),
    click.Argument(["target"], metavar="NEWKEY"),
    flag("--comments/--plain", "Describe what is to be linked in comments.", default=True, show_default=True),
    target_options("Folder of linking files"),
    report_options,
    verbose_option,
    examples=["adjudge eal frames project frames assessments merged -o new-frames"],
)
def project(linking: str, source: str, target: str, comments: bool, **options: Any) -> None:
    """Transfer the frames in LINKING, made for the assessments in KEY, to those in NEWKEY.

    Each response becomes all good responses of its TRFR in NEWKEY; one whose TRFR is not there is lost. What no frame
    has goes on the INCOMPLETE line. Check the clusters that NEWKEY has split: both halves are in all their frames.
    """
    output = options["output"]
    with uncollected():
        done = project_store(linking, source, target, output, comments=comments, overwrite=options["overwrite"])
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
    lines = []
    if options["verbose"]:
        lines += [f"{response_line(response)}: lost" for response in done.lost]
        lines += [f"{each.document}: not linked: {what}" for each in done.documents for what in each.unlinked]
        lines += [f"{each}: split" for each in done.split]
        lines += [f"{each}: has no frames" for each in done.absent]
    lines += [
        f"project: {_counts(done)}",
        f"  lost    {len(done.lost):7}  responses in frames whose TRFR the new key does not have",
        f"  split   {len(done.split):7}  TRFRs that are part of one of the old key, look at their frames",
        f"  without {len(done.absent):7}  documents that have no frames",
        f"written: {output}",
    ]
    say_done("frames project", facts, lines, options)
