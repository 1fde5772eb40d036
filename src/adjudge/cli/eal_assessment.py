"""`adjudge eal assessment` and `eal frames`: people's assessments of pooled responses, and how they link them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any

import click

from adjudge._version import __version__
from adjudge.cli.eal_options import ids_option, profile_option, report_options, target_options, unlinked_option
from adjudge.cli.eal_stores import EXPLAINED
from adjudge.cli.findings import emit_findings, finding_options, findings_record, kinds_help, severities_of
from adjudge.cli.options import choice, command, document_list, flag, value
from adjudge.cli.output import check_targets, emit_json, emit_lines, uncollected
from adjudge.errors import UsageError
from adjudge.findings import counted, finding_lines
from adjudge.formats.eal_fields import sha1_id
from adjudge.model.eal import Assessment, Response
from adjudge.tasks.eal.assess import Change
from adjudge.tasks.eal.consistency import KINDS
from adjudge.tasks.eal.consistency import check as check_store
from adjudge.tasks.eal.frames import describe
from adjudge.tasks.eal.settings import get_profile
from adjudge.tasks.eal.stores import (
    TRIMS,
    FramesSummary,
    MergeSummary,
    change_store,
    create_store,
    expanding,
    merge_stores,
    project_store,
    read_store,
    repairing,
    template_store,
    trimming,
)

SHOWN = 10  # maximum differing assessments shown without --verbose
REASONS = {**EXPLAINED, "coreferent": "a better response has a CAS in the same cluster"}
REPAIRS = {
    "realis-copy": "copies with the realis of the assessor",
    "cleared": "answers that are not asked for",
    "waits-again": "an answer is missing, the response is unassessed now",
    "wrong-time": "times that are not dates, their CAS is wrong now",
    "new-cluster": "CASes without a cluster, each has one of its own now",
    "new-ids": "documents with ids of another program, now hashes of the content",
    "first-cluster": "CASes with two clusters, the first one counts",
    "joined-clusters": "CASes with two clusters, which are one now",
}

verbose_option = flag("--verbose", "List every response that is counted.")


_store_options = [target_options("Store of assessments to write, atomically."), ids_option(keep=False)]
_frames_target = target_options("Folder of linking files to write, atomically.")


def say_done(operation: str, facts: Mapping[str, Any], lines: Iterable[str], options: Mapping[str, Any]) -> None:
    """Print what was done, as lines or as JSON."""
    if options["quiet"]:
        return
    if options["format_"] == "json":
        emit_json({"adjudge": __version__, "task": "eal", "operation": operation, **facts})
    else:
        emit_lines(lines)


def response_record(response: Response) -> dict[str, Any]:
    """A response in JSON."""
    return {
        "document": response.document,
        "id": sha1_id(response),
        "type": response.type,
        "role": response.role,
        "cas": response.cas.text,
        "cas_span": str(response.cas.span),
        "realis": response.realis,
    }


def response_line(response: Response) -> str:
    """A response in a line."""
    return f"{response.document}: {sha1_id(response)} {describe((response,))}"


@command(
    "create",
    click.Argument(["pool"], metavar="POOL"),
    value(
        "--onto", "EXISTING", "A store of assessments to start from: what it has stays as it is. It may be OUT itself."
    ),
    choice(
        "--trim",
        TRIMS,
        "First keep only the best of the responses that differ in base filler and justifications alone (cas), also "
        "if their CASes are nested (nested), or in one cluster of EXISTING (coref).",
    ),
    unlinked_option("With --trim, responses"),
    _store_options,
    profile_option,
    report_options,
    examples=["adjudge eal assessment create pool --trim cas -o assessments"],
)
def create(pool: str, onto: str | None, trim: Any, unlinked: Any, **options: Any) -> None:
    """Make a store of assessments from a pool: every response, with UNANNOTATED in the columns of the assessor.

    Responses already in EXISTING, assessed or not, stay unchanged. While the store is written it holds a file
    __lock, and nobody else may write to it.
    """
    if trim == "coref" and onto is None:
        raise UsageError("--trim coref needs the clusters of a store", hint="give it with --onto")
    if unlinked is not None and trim is None:
        raise UsageError("--unlinked needs --trim", hint="give both, or neither")
    chosen, output = get_profile(options["profile"]), options["output"]
    prepare = None if trim is None else trimming(trim, unlinked=unlinked or chosen.unlinked)
    how = {"ids": options["ids"], "overwrite": options["overwrite"]}
    with uncollected(), closing(chosen.open_store(pool)) as store:
        done = create_store(store, output, onto=onto, prepare=prepare, **how)
    assert sum(done.removed.values()) + done.added + done.assessed + done.waiting == done.pooled
    lines = [
        f"create: {counted(done.documents, 'document')}, {counted(done.pooled, 'response')} in the pool",
        *(f"  removed {count:7}  {reason}: {REASONS[reason]}" for reason, count in done.removed.items()),
        f"  added   {done.added:7}  new, they wait for assessment",
        f"  known   {done.assessed:7}  assessed already",
        f"  known   {done.waiting:7}  waiting already",
        f"profile: {options['profile']}",
        f"written: {output}",
    ]
    facts = {"profile": options["profile"], "input": pool, "onto": onto, "trim": trim, "output": str(output)}
    say_done("assessment create", {**facts, **done._asdict()}, lines, options)


@command(
    "merge",
    click.Argument(["baseline"], metavar="BASELINE"),
    click.Argument(["additional"], metavar="ADDITIONAL...", nargs=-1, required=True),
    choice(
        "--prefer",
        ("baseline", "additional"),
        "Whose assessments and clusters count where the stores differ: additional takes an assessor's corrections.",
        default="baseline",
    ),
    _store_options,
    report_options,
    verbose_option,
    examples=[
        "adjudge eal assessment merge first/ second/ -o both",
        "adjudge eal assessment merge first/ second/ --prefer additional -o corrected",
    ],
)
def merge(baseline: str, additional: tuple[str, ...], prefer: Any, **options: Any) -> None:
    """Join stores of assessments: BASELINE takes priority, ADDITIONAL fills its gaps.

    A CAS that has a cluster in BASELINE keeps it. Any other CAS joins the BASELINE cluster that holds most of the
    CASes of its ADDITIONAL cluster; if BASELINE has none of them, they form a new cluster. With --prefer additional,
    ADDITIONAL takes priority and BASELINE fills the gaps. Differences are listed in either case.
    """
    output = options["output"]
    how = {"ids": options["ids"], "overwrite": options["overwrite"]}
    with uncollected():
        done = merge_stores((baseline, *additional), output, prefer=prefer, **how)
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
    lines = _merge_lines(done, prefer, shown=None if options["verbose"] else SHOWN)
    say_done("assessment merge", facts, [*lines, f"written: {output}"], options)


def _merge_lines(done: MergeSummary, prefer: str, *, shown: int | None) -> list[str]:
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
    ]


def _answers(assessment: Assessment) -> str:
    return " ".join(each or "NIL" for each in assessment)


@command(
    "check",
    click.Argument(["store"], metavar="STORE"),
    value("--frames", "LINKING", "Reference frames for these assessments: a linking file per document."),
    value(
        "--pool",
        "POOL",
        "The pool being assessed: list lines that are not in it, and its responses that have no line.",
    ),
    value(
        "--docs", "LIST", "Only these documents, each of which must be there: a file with one id per line, or a,b,c."
    ),
    profile_option,
    finding_options(),
    before=kinds_help(KINDS),
    examples=["adjudge eal assessment check assessments --frames frames"],
)
def check(store: str, **options: Any) -> int:
    """Report what is wrong with a store of assessments.

    An error breaks a rule of the file format or of the guidelines, or makes a reference that no system can match:
    lines whose response was changed, so that column 1 is not the hash of columns 2 to 10, answers that are missing or
    not asked for, two assessments of one response, two clusters of one CAS, wrong responses in frames, good ones in no
    frame, pooled responses that have no line. A warning is unfinished work, or something a scorer would silently
    repair:
    unassessed responses, times that are not dates, frames with several event types. The exit code is 1 if there are
    errors.
    """
    check_targets(options)
    how = {name: options[name] for name in ("frames", "pool", "limit")}
    how |= {"profile": get_profile(options["profile"]), "severity": severities_of(options, KINDS)}
    return emit_findings("eal", [check_store(store, documents=document_list(options["docs"]), **how)], options)


@command(
    "expand-realis",
    click.Argument(["store"], metavar="STORE"),
    _store_options,
    report_options,
    verbose_option,
    examples=["adjudge eal assessment expand-realis assessments -o key"],
)
def expand_realis(store: str, **options: Any) -> None:
    """For each response whose realis the assessor has corrected, add one with the corrected realis.

    It has the same assessment, so it is correct if only the realis was wrong. Nothing is added if the store has such a
    response already. The official scores of 2014 and 2015 were computed on keys that were expanded in this way.
    """
    _change("expand-realis", store, expanding, options)


@command(
    "repair",
    click.Argument(["store"], metavar="STORE"),
    _store_options,
    profile_option,
    report_options,
    verbose_option,
    examples=["adjudge eal assessment repair pilot -o repaired"],
)
def repair(store: str, **options: Any) -> None:
    """Fix assessments that break the rules of the guidelines.

    Answers that are not asked for are cleared. A response without an answer that is asked for is unassessed again. A
    time that is not a date has a wrong CAS. Two clusters of one CAS become one (with the profiles of the official
    programs the first counts), and every CAS of an assessed response without a cluster gets one of its own. Ids of an
    older program, which no line matches, are rewritten. Unreadable lines, lines whose response was changed, and
    responses with two different assessments remain errors.
    """
    by = get_profile(options["profile"])
    _change("repair", store, repairing(by), options, repaired=by)


def _change(name: str, store: str, step: Any, options: Mapping[str, Any], **more: Any) -> None:
    """Write the changed store, and print what was done."""
    output, profile = options["output"], options.get("profile")
    with uncollected():
        done = change_store(store, output, step, ids=options["ids"], overwrite=options["overwrite"], **more)
    counts = Counter(change.kind for change in done.changes)
    lines = [_change_line(change) for change in done.changes] if options["verbose"] else []
    lines += [
        f"{name}: {counted(done.documents, 'document')}, {done.assessed} assessed, {done.unassessed} not assessed",
        *(f"  {kind:13} {count:7}  {REPAIRS[kind]}" for kind, count in sorted(counts.items())),
        *([f"profile: {profile}"] if profile else []),
        f"written: {output}",
    ]
    facts: dict[str, Any] = {"profile": profile} if profile else {}
    facts |= {"input": store, "output": str(output), **done._asdict(), "counts": dict(sorted(counts.items()))}
    facts["changes"] = [_change_record(change) for change in done.changes]
    say_done(f"assessment {name}", facts, lines, options)


def _change_line(change: Change) -> str:
    about = f"{change.document}" if change.response is None else response_line(change.response)
    return f"{about}: {change.kind}: {change.what}"


def _change_record(change: Change) -> dict[str, Any]:
    about = {"document": change.document} if change.response is None else response_record(change.response)
    return {"kind": change.kind, **about, "message": change.what}


@command(
    "template",
    click.Argument(["key"], metavar="KEY"),
    flag("--comments/--plain", "Describe what is to be linked in comments.", default=True, show_default=True),
    _frames_target,
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
    target_options("Folder of linking files to write, atomically.", required=False),
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
    _frames_target,
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
