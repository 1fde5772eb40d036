"""`adjudge eal score`: read document by document, apply the rules, count, resample, rank, render."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.eal_scoring import (
    chosen_documents,
    chosen_regions,
    chosen_settings,
    given_seed,
    named_systems,
    rule_options,
    view_options,
)
from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.memory import uncollected
from adjudge.cli.options import (
    compose,
    docs_option,
    engine_options,
    fail_under_option,
    inference_of,
    is_file,
    output_options,
    refuse_with,
    resampling_options,
    save_option,
    summary_option,
    target,
)
from adjudge.cli.output import Log, add_summary, check_explained, check_targets, emit, emit_explanations, working

if TYPE_CHECKING:
    from adjudge.stats.result import Result
    from adjudge.tasks.eal.scoring import Campaign, Regions
    from adjudge.tasks.eal.settings import Settings

_ONLY_SCORES = (
    "by",
    "save",
    "summary",
    "fail_under",
    "pool",
    "bootstrap",
    "ci",
    "seed",
    "interval",
    "test",
    "rank",
    "per_document",
    "jobs",
    "cluster",
)


@click.command(
    "score",
    epilog="\b\nExamples:\n  adjudge eal score --key assessments/ --frames frames/ acme1.zip acme2.zip"
    "\n  adjudge eal score --key key/ --frames ref/ mine=runs/7 --by type --genre newswire"
    "\n  adjudge eal score --key key/ --frames ref/ runs/7 --profile bbn-2015 --bootstrap 1000",
)
@click.argument("submissions", metavar="[NAME=]SUBMISSION...", nargs=-1, required=True)
@click.option("--key", metavar="ASSESSMENTS", required=True, help="The assessments, a folder or an archive.")
@click.option("--frames", metavar="LINKING", help="The reference frames. Without them only arguments are scored.")
@compose(
    rule_options,
    view_options,
    resampling_options(),
    click.option(
        "--pool", type=click.Choice(("micro", "macro")), default="micro", help="Sum counts, or average documents."
    ),
    docs_option,
    click.option("--rank/--no-rank", default=None, help="Print the ranking. [default: if there are several systems]"),
    click.option(
        "--per-document",
        metavar="FILE",
        type=click.Path(path_type=Path),
        callback=target,
        help="Also write the scores of each document, as a table with TABs.",
    ),
    click.option("--explain", metavar="DOC", help="Print what became of this document instead of the scores."),
    fail_under_option,
    engine_options,
    save_option,
    summary_option,
    output_options,
)
def command(submissions: tuple[str, ...], key: str, frames: str | None, **options: Any) -> None:
    """Score submissions against assessments and reference frames: arguments, linking, and both together.

    A submission is a folder or an archive, called after its file, or NAME in NAME=SUBMISSION.
    """
    systems = named_systems(submissions)
    listed = [options[name] for name in ("docs", "quotes", "genre_list") if is_file(options[name] or "")]
    inputs = [name for name in (key, frames or "", *systems.values(), *listed) if is_file(name)]
    check_targets(options["output"], options["save"], options["per_document"], inputs=inputs)
    chosen = chosen_settings(frames, **options)
    regions = chosen_regions(chosen, options["quotes"], options["docs_text"])
    log = Log(verbose=options["verbose"])
    with uncollected():
        if options["explain"] is not None:
            refuse_with("--explain", _ONLY_SCORES)
            _explain(key, frames, systems, chosen, regions, **options)
        else:
            _score(key, frames, systems, chosen, regions, log, **options)


def _score(
    key: str,
    frames: str | None,
    systems: dict[str, str],
    chosen: Settings,
    regions: Regions | None,
    log: Log,
    **options: Any,
) -> None:
    from adjudge.tasks.eal.measures import measures
    from adjudge.tasks.eal.scoring import observe_all, result_of

    formulas = measures(chosen, macro=options["pool"] == "macro")
    if options["fail_under"]:
        from adjudge.stats.measure import part_keys

        check_gates(options["fail_under"], part_keys(formulas))
    log(f"reading {key} and {len(systems)} submission(s)")
    with working("scoring", shown=not options["quiet"]):
        campaign = observe_all(
            key,
            frames,
            systems,
            chosen,
            regions=regions,
            by=options["by"],
            **chosen_documents(options["docs"], **options),
            jobs=options["jobs"],
            cluster=options["cluster"],
        )
    log(f"counted {len(campaign.ids)} documents")
    result = result_of(
        campaign,
        by=options["by"],
        inference=inference_of(options, seed=given_seed(options["seed"], chosen)),
        pool=options["pool"],
    )
    wanted = options["rank"] if options["rank"] is not None else len(systems) > 1 and options["bootstrap"] != 0
    # A ranking is not saved: it would be wrong as soon as a result is compared with others.
    _finish(result, _ranked(result, chosen) if wanted else result, campaign, **options)
    apply_gates(options["fail_under"], result)


def _ranked(result: Result, settings: Settings) -> Result:
    import msgspec

    from adjudge.tasks.eal.ranking import rank_result

    ranking = rank_result(result, draws=settings.profile.draws, percentiles=settings.profile.percentiles)
    return msgspec.structs.replace(result, ranking=ranking.leaderboard())


def _finish(result: Result, shown: Result, campaign: Campaign, **options: Any) -> None:
    """Render everything, then write; nothing is written if rendering fails."""
    from adjudge.report.files import write_atomic
    from adjudge.report.render import render

    text = render(shown, options["format_"], quiet=options["quiet"])
    documents = _per_document(campaign) if options["per_document"] is not None else ""
    saved = result.to_json(with_tables=True) + "\n" if options["save"] is not None else ""
    if options["save"] is not None:
        write_atomic(options["save"], saved)
    if options["per_document"] is not None:
        write_atomic(options["per_document"], documents)
    add_summary(shown, options["summary"])
    emit(text, options["output"])


def _per_document(campaign: Campaign) -> str:
    from adjudge.tasks.eal.measures import document_scores

    lines: list[str] = []
    for name, table in campaign.tables().items():
        for row in document_scores(table, campaign.settings):
            if not lines:
                lines.append("\t".join(("system", *row)))
            lines.append("\t".join((name, *map(_cell, row.values()))))
    return "".join(f"{line}\n" for line in lines)


def _cell(value: float | str | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if value != value or value in (float("inf"), float("-inf")):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return f"{value:.6g}"


def _explain(
    key: str,
    frames: str | None,
    systems: dict[str, str],
    chosen: Settings,
    regions: Regions | None,
    **options: Any,
) -> None:
    from adjudge.tasks.eal.explanation import explain

    check_explained(options["format_"])
    found = explain(key, frames, systems, options["explain"], chosen, regions=regions)
    emit_explanations(found.values(), options["format_"], options["output"])
