"""`adjudge sample`, `estimate`, `judge` and `plan`: scores from samples of assessments, and how many are needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.options import (
    Whole,
    choice,
    command,
    flag,
    format_option,
    level,
    output_option,
    refuse_alone,
    save_option,
    seconds,
    share,
    value,
)
from adjudge.cli.output import check_targets, emit, emit_json
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.estimates.rows import Estimate

_FORMATS = ("text", "json", "csv")
_DESIGN = "The design that `adjudge sample` wrote."
_by = value("--by", "FIELD", "Also by a field of the items. Repeatable.", multiple=True)
_judge = value("--judge", "FILE", "Verdicts of a judge (id, judge); for a result: the result against the judge.")
level_option = value("--ci", "LEVEL", "Confidence of the intervals. [default: 95]", type=level)


@command(
    "sample",
    click.Argument(["pool"], metavar="POOL"),
    value("--size", "N", "How many units to draw: a number, or a share such as 10%.", required=True),
    choice("--by", ("item", "document"), "What is drawn.", default="item"),
    value("--strata", "FIELD", "Draw from every value of a field in proportion, at least two of each."),
    flag("--active", "Draw items more often if they affect the scores and the judge is unsure."),
    value("--for pair", "A,B", "With --active: items that affect the difference of these two systems."),
    value(
        "--uniform", "SHARE", "With --active: this share of the sample is drawn uniformly. [default: 0.2]", type=share
    ),
    choice(
        "--design", ("fixed", "poisson"), "Draw exactly this many units, or each unit independently.", default="fixed"
    ),
    value("--labels", "FILE", "Verdicts that are already known; they do not count towards the size."),
    value("--after", "DESIGN LABELS", "Another round after these.", nargs=2),
    value("--seed", "N", "Seed of the draw.", default=13, type=Whole("give a whole number from 0")),
    output_option,
    examples=[
        "adjudge sample pool.jsonl --size 10% --strata type -o design.jsonl",
        "adjudge sample saved.json --size 20% -o design.jsonl",
    ],
)
def sample(pool: str, **options: Any) -> None:
    """Draw what people will assess, at random and with recorded probabilities.

    POOL has a line for every item that some system returned: id, document, systems, optionally judge (0 to 1) and
    other fields; JSON lines or a table. A result saved with --save-documents is a pool, too, and so is a store of `eal
    pool`. The design records, for every unit, the probability of being drawn and whether it was; keep it, because
    `adjudge estimate` needs it.
    """
    from adjudge.estimates.api import sample as draw_sample
    from adjudge.estimates.files import design_text

    check_targets(options, inputs=[pool, options["labels"], *(options["after"] or ())])
    for name in ("pair", "uniform"):
        if options[name] is not None and not options["active"]:
            raise UsageError(f"--{'for' if name == 'pair' else name} needs --active", hint="add --active")
    pair = options["pair"]
    if pair is not None:
        pair = tuple(name.strip() for name in pair.split(","))
        if len(pair) != 2:
            raise UsageError("--for takes two systems", hint="such as --for A,B")
    given = {
        "by": options["by"],
        "strata": options["strata"],
        "active": options["active"],
        "pair": pair,
        "design": options["design"],
        "labels": options["labels"],
        "after": options["after"] or None,
        "seed": options["seed"],
    }
    if options["uniform"] is not None:
        given["uniform"] = options["uniform"]
    emit(design_text(draw_sample(pool, options["size"], **given)), options["output"])


@command(
    "estimate",
    click.Argument(["source"], metavar="POOL|RESULT", required=False),
    click.Argument(["labels"], metavar="[LABELS]", required=False),
    value("--design", "FILE", _DESIGN),
    _judge,
    choice(
        "--assist",
        ("auto", "none", "constant", "judge"),
        "How unassessed items are predicted, corrected by the sample; auto is judge if there is one, else constant.",
        default="auto",
    ),
    choice(
        "--documents",
        ("fixed", "sample"),
        "Whether the scores describe only these documents, or others like them too.",
        default="fixed",
    ),
    value("--cluster-by", "FIELD", "With --documents sample: documents with the same value vary together."),
    value("--exhaustive", "FILE", "Documents read completely (document, in_pool, all): recall beyond the pool."),
    flag("--impute", "Also the argument score clipped in every document, from a model of the verdicts."),
    flag("--graded", "With several assessors, count the probability that an item is correct, not the verdict."),
    _by,
    flag("--runs-fixed", "Systems NAME#1, NAME#2 ... are runs of NAME: intervals are about these runs only."),
    level_option,
    flag("--assumptions", "Print the assumptions of the intervals, without scoring."),
    value("--time-limit", "SECONDS", "Stop with an error after this many seconds. [default: 60]", type=seconds),
    save_option,
    format_option(*_FORMATS),
    output_option,
    examples=["adjudge estimate pool.jsonl labels.jsonl --design design.jsonl --judge judge.jsonl"],
)
def estimate(source: str | None, labels: str | None, **options: Any) -> None:
    """Score systems from a random sample that people assessed, with intervals that hold however wrong the judge is.

    POOL and LABELS (id, verdict from 0 to 1) give precision, recall and F1 within the pool. A RESULT that was saved
    with --save, of documents assessed whole, gives any score that adds over documents.
    """
    from adjudge.estimates.api import estimate as estimate_scores
    from adjudge.estimates.text import ASSUMPTIONS
    from adjudge.evaluate.corpus import in_time

    if options["assumptions"]:
        emit("\n".join(ASSUMPTIONS) + "\n", options["output"])
        return
    if source is None or options["design"] is None:
        missing = "argument 'POOL|RESULT'" if source is None else "option '--design'"
        raise UsageError(f"missing {missing}", hint="see adjudge estimate --help")
    check_targets(options, inputs=[source, labels, options["design"], options["judge"], options["exhaustive"]])
    with in_time(1, options["time_limit"], "fewer slices (--by)"):
        found = estimate_scores(
            source,
            labels,
            design=options["design"],
            judge=options["judge"],
            assist=options["assist"],
            documents=options["documents"],
            cluster_by=options["cluster_by"],
            exhaustive=options["exhaustive"],
            graded=options["graded"],
            impute=options["impute"],
            runs_fixed=options["runs_fixed"],
            by=options["by"],
            level=options["ci"],
        )
        text = rendered(found, options)
    emit_estimate(found, text, options)


def rendered(found: Estimate, options: Mapping[str, Any]) -> str:
    """An estimate as printed."""
    from adjudge.estimates.text import difference_rows, rank_rows, render_estimate, score_rows

    if options["format_"] == "csv":
        from adjudge.report.tables import csv_rows

        rows = score_rows(found) + rank_rows(found) + difference_rows(found)
        return csv_rows(rows, list(dict.fromkeys(name for row in rows for name in row)))
    return (render_estimate(found) if options["format_"] == "text" else found.to_json().decode()) + "\n"


def emit_estimate(found: Estimate, text: str, options: Mapping[str, Any]) -> None:
    """Print an estimate, and save it if requested."""
    if options["save"] is not None:
        found.save(options["save"])
    emit(text, options["output"])


@command(
    "judge",
    click.Argument(["pool"], metavar="POOL"),
    click.Argument(["labels"], metavar="LABELS"),
    value("--design", "FILE", _DESIGN, required=True),
    value("--judge opinions", "FILE", "Verdicts of the judge (id, judge), if the pool has none."),
    value("--threshold", "P", "Verdicts of the judge from this value on count as correct.", default=0.5, type=float),
    _by,
    level_option,
    format_option("text", "json"),
    output_option,
    examples=["adjudge judge pool.jsonl labels.jsonl --design design.jsonl"],
)
def judge(pool: str, labels: str, **options: Any) -> None:
    """Report how far an automatic judge can be trusted, which systems it favours, and how many labels it saves.

    LABELS are people's verdicts on a random sample of POOL, made without seeing the judge's answer.
    """
    from adjudge.estimates.api import judge as report_judge
    from adjudge.estimates.text import render_judge

    check_targets(options, inputs=[pool, labels, options["design"], options["opinions"]])
    found = report_judge(
        pool,
        labels,
        design=options["design"],
        opinions=options["opinions"],
        threshold=options["threshold"],
        level=options["ci"] or 0.95,
        by=options["by"],
    )
    text = render_judge(found) if options["format_"] == "text" else found.to_json().decode()
    emit(text + "\n", options["output"])


@command(
    "plan",
    click.Argument(["source"], metavar="RESULT|ESTIMATE"),
    value("--difference", "POINTS", "The difference to detect, in points (1.0 is 0.01).", type=float),
    value(
        "--half-width",
        "POINTS",
        "For an estimate: the half-width that its intervals should have, in points.",
        type=float,
    ),
    value("--pair", "A,B", "Only these two systems."),
    value("--alpha", "P", "The level of the test.", default=0.05, type=float),
    value("--power", "P", "The probability of detecting the difference.", default=0.8, type=float),
    value("--comparisons", "N", "Number of tests to correct for, or all.", default="1"),
    value("--cluster-by", "FIELD", "Documents with the same value of a field vary together."),
    format_option("text", "json"),
    output_option,
    examples=["adjudge plan result.json --difference 1.0"],
)
def plan(source: str, **options: Any) -> None:
    """Plan an evaluation: how many documents, or assessments, a difference needs.

    From a result of two or more systems that was saved with --save, or from a saved estimate. Also reports which
    differences the documents at hand can detect.
    """
    from adjudge.estimates.planning import plan as plan_documents
    from adjudge.estimates.planning import plan_labels
    from adjudge.estimates.text import render_labels, render_plan

    check_targets(options, inputs=[source])
    if (options["difference"] is None) == (options["half_width"] is None):
        raise UsageError("give one of --difference and --half-width", hint="such as --difference 1.0")
    if options["difference"] is not None and not 0 < options["difference"] < 100:
        raise UsageError(f"a difference of {options['difference']:g} points", hint="give one between 0 and 100")
    if options["half_width"] is not None:
        for name in ("--pair", "--alpha", "--power", "--comparisons", "--cluster-by"):
            refuse_alone(name, "--difference")
        if not 0 < options["half_width"] < 100:
            raise UsageError(f"a half-width of {options['half_width']:g} points", hint="give one between 0 and 100")
        needed = plan_labels(source, options["half_width"] / 100)
        if options["format_"] == "json":
            emit_json({"half_width": options["half_width"] / 100, "assessments": needed}, options["output"])
        else:
            emit(render_labels(needed, options["half_width"]) + "\n", options["output"])
        return
    wanted = options["comparisons"]
    if wanted != "all" and not str(wanted).isdigit():
        raise UsageError(f"--comparisons {wanted}", hint="give a number, or all")
    found = plan_documents(
        source,
        options["difference"] / 100,
        options["power"],
        pair=options["pair"],
        alpha=options["alpha"],
        comparisons=wanted,
        cluster_by=options["cluster_by"],
    )
    text = render_plan(found) if options["format_"] == "text" else found.to_json().decode()
    emit(text + "\n", options["output"])
