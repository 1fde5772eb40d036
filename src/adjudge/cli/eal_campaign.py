"""`adjudge eal campaign` and `eal assessment progress`: run every step that is due, and report how much is left."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from typing import Any

import click

from adjudge._version import __version__
from adjudge.cli.options import FORMATS, choice, command, document_list, flag, format_option, output_option, value
from adjudge.cli.output import check_targets, emit, emit_json, emit_lines, uncollected
from adjudge.findings import counted
from adjudge.report.campaign import PUBLISHER
from adjudge.report.tables import Table, csv_rows, escape_latex, latex_table, markdown_table, text_table
from adjudge.tasks.eal.campaign import Step, init_campaign, run_campaign
from adjudge.tasks.eal.progress import Counts, DocumentProgress, Progress
from adjudge.tasks.eal.progress import progress as measure_progress


@command(
    "init",
    click.Argument(["folder"], metavar="FOLDER"),
    flag("--demo", "Fill it with the bundled campaign: texts, three submissions, and the answers."),
    flag("--quiet", "Do not report what was created."),
    examples=["adjudge eal campaign init autumn", "adjudge eal campaign init try --demo"],
)
def init(folder: str, demo: bool, quiet: bool) -> None:
    """Set up a campaign in FOLDER, which must be new or empty: settings, and folders to fill.

    Put source documents into sources/ and submissions into submissions/, check campaign.toml, and continue with
    `adjudge eal campaign run FOLDER`.
    """
    if demo:
        from adjudge.demo.eal import fill_campaign

        made = init_campaign(folder, fill=fill_campaign)
    else:
        made = init_campaign(folder)
    if not quiet:
        next_ = f"adjudge eal campaign run {shlex.quote(folder)}"
        emit_lines([*(f"made {path}" for path in made), f"continue with: {next_}"])


@command(
    "run",
    click.Argument(["folder"], metavar="[FOLDER]", default="."),
    flag("--dry-run", "Only show what would be done; write nothing."),
    format_option("text", "json"),
    flag("--quiet", "Show only what is waiting or failed."),
    examples=["adjudge eal campaign run autumn"],
)
def run(folder: str, dry_run: bool, format_: str, quiet: bool) -> int:
    """Run every automatic step of the campaign in FOLDER that is due, and report what it is waiting for.

    Each step has a line: done, up to date, waiting or failed. An invalid submission is left out and the others
    continue; the exit code is then 1. Whether a step is due depends on the content of files and settings alone. It is
    safe to interrupt a run, and to start it again at any time.
    """

    def show(step: Step) -> None:
        if format_ == "text" and not (quiet and step.status not in ("waiting", "failed")):
            emit_lines([_line(step)])

    with uncollected():
        told = run_campaign(folder, dry_run=dry_run, each=show, publisher=PUBLISHER)
    if format_ == "json":
        head = {"adjudge": __version__, "task": "eal", "operation": "campaign run", "dry_run": dry_run}
        emit_json({**head, "steps": [_record(step) for step in told]})
    return int(any(step.status == "failed" for step in told))


def _line(step: Step) -> str:
    what = f"{step.step} {step.subject}".strip()
    more = f" ({step.details})" if step.details is not None else ""
    return f"{what:<20} {step.status:<11} {step.message}{more}"


def _record(step: Step) -> dict[str, Any]:
    return {**step._asdict(), "details": None if step.details is None else str(step.details)}


# ---------------------------------------------------------------------------------------------------------------------
ORDERS = ("id", "time", "left")
VIEWS = ("document", "type")


@command(
    "progress",
    click.Argument(["store"], metavar="STORE"),
    value("--frames", "LINKING", "Reference frames: also count how many TRFRs are linked."),
    value("--docs", "LIST", "Only these documents: a file with one id per line, or a,b,c."),
    choice("--by views", VIEWS, "Only this table. Repeatable (default: both).", multiple=True),
    choice(
        "--sort", ORDERS, "Documents by id, by the time of their last change, or by how much is left.", default="id"
    ),
    value(
        "--rate",
        "N",
        "Responses assessed per hour (default: from the times of the files).",
        type=click.FloatRange(min=0, min_open=True),
    ),
    format_option(*FORMATS),
    output_option,
    examples=["adjudge eal assessment progress assessments --by type"],
)
def progress(store: str, frames: str | None, views: tuple[str, ...], sort: str, **options: Any) -> None:
    """Report how many responses are assessed and how many are left, by document and by event type.

    The hours left are estimated from the modification times of the files: gaps over an hour count as breaks, gaps
    under a second as the work of programs. A store that a program wrote in one go has no estimate.
    """
    check_targets(options)
    format_, output = options["format_"], options["output"]
    found = measure_progress(store, frames=frames, documents=document_list(options["docs"]), rate=options["rate"])
    documents = sorted(found.documents, key=_order(sort))
    views = views or VIEWS
    if format_ == "json":
        record = {
            "adjudge": __version__,
            "task": "eal",
            "operation": "assessment progress",
            "path": store,
            "frames_path": frames,
            "total": _progress_record("total", "", found.total),
            "documents": [_progress_record(*row) for row in _rows("document", found, documents)],
            "types": [_progress_record(*row) for row in _rows("type", found, documents)],
            "pace": None if found.pace is None else found.pace._asdict(),
        }
        emit_json(record, output)
        return
    if format_ == "csv":
        rows = [_progress_record(*row) for view in views for row in _rows(view, found, documents)]
        text = csv_rows(
            [*rows, _progress_record("total", "", found.total)], list(_progress_record("", "", found.total))
        )
    else:
        parts = [_table(view, found, documents, format_) for view in views]
        if format_ == "text":
            parts += [_total(found)]
        text = "\n\n".join(parts) + "\n"
    emit(text, output)


def _order(sort: str) -> Any:
    if sort == "time":
        return lambda each: (each.changed or 0.0, each.document)
    if sort == "left":
        return lambda each: (-each.counts.unassessed, each.document)
    return lambda each: each.document


def _rows(view: str, found: Progress, documents: list[DocumentProgress]) -> list[tuple[Any, ...]]:
    if view == "type":
        return [("type", name, counts) for name, counts in found.types.items()]
    return [("document", each.document, each.counts, each.changed, each.problems) for each in documents]


def _table(view: str, found: Progress, documents: list[DocumentProgress], format_: str) -> str:
    linked = found.total.linked is not None
    names = [view, "responses", "assessed", "left", "%", "good", "TRFRs", *(["linked"] if linked else [])]
    right = frozenset(range(1, len(names)))
    if view == "document":
        names += ["last change (UTC)", "problems"]
        right |= {len(names) - 1}
    rows = []
    for _, name, counts, *more in [*_rows(view, found, documents), ("", "total", found.total)]:
        cells = [name, *map(str, (counts.responses, counts.assessed, counts.unassessed)), _percent(counts)]
        cells += [str(counts.good), str(counts.classes), *([str(counts.linked)] if linked else [])]
        if view == "document":
            changed, problems = more or (None, None)
            cells += [_time(changed) or "", str(problems or "")]
        rows.append(tuple(cells))
    if format_ == "latex":
        escaped = tuple(tuple(escape_latex(cell) for cell in row) for row in rows)
        return latex_table(Table(tuple(map(escape_latex, names)), escaped, right))
    table = Table(tuple(names), tuple(rows), right)
    return markdown_table(table) if format_ == "md" else text_table(table)


def _total(found: Progress) -> str:
    total = found.total
    text = f"{total.assessed} of {counted(total.responses, 'response')} assessed, {total.unassessed} left"
    if found.pace is not None:
        text += f"; about {found.pace.hours_left:.1f} hours at {found.pace.per_hour:.0f} responses an hour"
    elif total.unassessed:
        text += "; the times of the files give no pace, --rate sets one"
    problems = sum(each.problems for each in found.documents)
    if problems:
        text += f"\n{counted(problems, 'problem')}, see adjudge eal assessment check"
    return text


def _percent(counts: Counts) -> str:
    return f"{100 * counts.assessed / counts.responses:.1f}" if counts.responses else ""


def _time(changed: float | None) -> str | None:
    return None if changed is None else datetime.fromtimestamp(changed, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _progress_record(
    kind: str, name: str, counts: Counts, changed: float | None = None, problems: int | None = None
) -> dict[str, Any]:
    return {
        "kind": kind,
        "name": name,
        "responses": counts.responses,
        "assessed": counts.assessed,
        "unassessed": counts.unassessed,
        "good": counts.good,
        "classes": counts.classes,
        "linked": counts.linked,
        "changed": _time(changed),
        "problems": problems,
    }
