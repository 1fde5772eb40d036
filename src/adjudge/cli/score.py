"""Common to every `adjudge TASK score`: its options, and the way from a task to scores or to one document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from adjudge.cli.options import (
    RESAMPLING,
    SAVE_DOCUMENTS,
    SCORE_EXAMPLE,
    Parameters,
    Sides,
    Whole,
    baseline_options,
    choice,
    docs_option,
    document_list,
    flag,
    flat,
    inference_of,
    output_options,
    pool_option,
    rank_options,
    refuse_with,
    refused,
    resampling_options,
    result_options,
    section,
    time_limit_option,
    value,
)
from adjudge.cli.output import check_baseline, check_gates, emit, emit_explanations, log, say, uncollected, working
from adjudge.errors import UsageError, visible

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.evaluate.task import Run
    from adjudge.stats.measure import Measure

ONLY_SCORES = (
    *("by", "docs", "jobs", "cluster", *RESAMPLING, "rank", "rank_by", "pairs", "runs", "runs_fixed"),
    *("save", "save_documents", "summary", "fail_under", "fail_if_worse", "alpha", "margin", "gate", "exact"),
)
"""Options that do not apply if something other than scores is printed."""


search_options: list[click.Parameter] = [
    time_limit_option,
    flag("--exact", "Fail with exit code 1 if a score is not proven optimal, and list the documents."),
]
"""The options of every command that searches."""


def complete_metrics(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of the catalogue that complete what is typed, also after a comma."""
    from adjudge.metrics import catalogue

    before, comma, last = incomplete.rpartition(",")
    return [
        CompletionItem(f"{before}{comma}{each.name}", help=each.about)
        for each in catalogue()
        if each.name.startswith(last)
    ]


def readers_of(reason: str) -> dict[str, str]:
    """Why no reader can be named, for each of the options that name one where files may have several formats."""
    return dict.fromkeys(("reader", "gold_reader", "system_reader"), reason)


def scoring_options(
    example: str = SCORE_EXAMPLE,
    *,
    by: str | Sequence[str] = "Also score by a field of the gold documents (genre) or of elements (relations.type).",
    pool: str = "",
    explain: str = "Print what matched in this document instead of the scores.",
    resampling: Parameters | None = None,
    without: Mapping[str, str] | None = None,
) -> list[click.Parameter]:
    """The options of every scoring command; those that it does `without`, with the reasons, are not in `--help`.

    `example` is a score of the task, METRIC.PART; `by` is what slices there are, in words or as a list of fields.
    """
    if isinstance(by, str):
        slices = value("--by", "FIELD", f"{by} Repeatable.", multiple=True)
    else:
        slices = choice(
            "--by",
            by,
            f"Also score by {', '.join(by[:-1])}{' or ' * (len(by) > 1)}{by[-1]}. Repeatable.",
            multiple=True,
        )
    found: list[click.Parameter] = [
        slices,
        docs_option,
        choice("--pool", ("micro", "macro"), pool) if pool else pool_option,
        value("--explain", "DOC", explain),
        value(
            "--jobs",
            "N",
            "Processes to use; 0 lets the program choose. [default: 0]",
            type=Whole("give the number of processes, or 0 to let the program choose"),
        ),
        value(
            "--cluster",
            "ADDRESS",
            "Run on a Dask cluster: tcp://host:8786, a scheduler file, or local to start one here.",
        ),
        *search_options,
        *flat([resampling or resampling_options()]),
        *rank_options(example),
        *result_options,
        *baseline_options(example),
        *section("Output", flag("--save-documents", SAVE_DOCUMENTS)),
        *output_options,
    ]
    without = {**({"exact": without["time_limit"]} if without and "time_limit" in without else {}), **(without or {})}
    hidden = {name: refused(name, reason) for name, reason in without.items()}
    return [*(each for each in found if each.name not in hidden), *hidden.values()]


def run_from(options: Mapping[str, Any], **changed: Any) -> Run:
    """The run, from the options that every scoring shares."""
    from adjudge.evaluate.task import Run

    found: dict[str, Any] = {
        "inference": changed.get("inference") or inference_of(options),
        "docs": document_list(options.get("docs")),
        "by": tuple(dict.fromkeys(options.get("by") or ())),
        "jobs": options.get("jobs") or 0,
        "pool": options.get("pool"),
        "cluster": options.get("cluster"),
        "time_limit": options.get("time_limit"),
        "exact": bool(options.get("exact")),
        "align": bool(options.get("save_documents")),
        "digest": _shows_signature(options),
    }
    return Run(**{**found, **changed})


def _shows_signature(options: Mapping[str, Any]) -> bool:
    """Whether anybody sees or keeps the signature, for which the inputs are hashed (bench coref/splitting)."""
    kept = any(options.get(name) is not None for name in ("save", "summary", "fail_if_worse"))
    return kept or not options.get("quiet") or options.get("format_") not in ("text", "csv", "md", "latex")


def counted(
    count: Callable[..., Evaluation],
    measures: Callable[[], Sequence[Measure]],
    sides: Sides,
    options: Mapping[str, Any],
    *,
    run: Run | None = None,
    only: Iterable[str] = (),
) -> Evaluation | None:
    """Read and count all systems by `count`, or print the outcome of one document (`--explain`), which gives None.

    `measures` are those that a gate may name, `only` options of the task that mean nothing for an explanation.
    """
    from msgspec.structs import replace

    run = run or run_from(options)
    if options.get("explain") is not None:
        refuse_with("--explain", (*ONLY_SCORES, *only))
        run = replace(run, align=True, document=options["explain"], digest=False)
        with uncollected():
            found = count(sides.gold, sides.paths or None, run, names=sides.names or None).checked().explanations()
        emit_explanations(found.values(), options)
        return None
    if options.get("fail_under"):
        check_gates(options["fail_under"], measures())
    check_baseline(options, sides.named() if options.get("fail_if_worse") and sides.paths else (), measures)
    log(options, f"reading gold and {len(sides.paths)} system(s)")
    with uncollected(), working("scoring", shown=not options.get("quiet", True)) as progress:
        names = sides.names or None
        evaluation = count(sides.gold, sides.paths or None, replace(run, progress=progress), names=names)
    log(options, f"counted {len(evaluation.ids)} documents")
    return evaluation


def check_official(sides: Sides, options: Mapping[str, Any], *, only: Iterable[str] = ()) -> None:
    """Raise if `--compat` is combined with options that the official output cannot reflect."""
    refuse_with("--compat", (*(name for name in ONLY_SCORES if name != "docs"), "explain", "pool", *only))
    if len(sides.paths) > 1:
        raise UsageError("--compat prints one system", hint="run it once for each")
    if options["format_"] != "text":
        raise UsageError("--compat prints text", hint="leave --format out")


def emit_official(text: str, warnings: Iterable[object], options: Mapping[str, Any]) -> None:
    """Print the official output, and on standard error what it lacks."""
    if not options["quiet"]:
        for line in warnings:
            say(f"warning: {visible(str(line))}")
    emit(text, options["output"])
