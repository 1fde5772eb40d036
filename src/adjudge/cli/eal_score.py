"""`adjudge eal score`: read document by document, apply the rules, count, resample, rank, render."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.eal_scoring import (
    chosen_regions,
    chosen_settings,
    count_systems,
    given_inference,
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
    from adjudge.evaluate.engine import Evaluation
    from adjudge.stats.result import Result
    from adjudge.tasks.eal.settings import Settings
    from adjudge.tasks.eal.task import Gold

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
    from adjudge.tasks.eal.task import Gold

    with uncollected():
        if options["explain"] is not None:
            refuse_with("--explain", _ONLY_SCORES)
            _explain(Gold(key, frames), systems, chosen, **options)
        else:
            _score(Gold(key, frames), systems, chosen, **options)


def _score(gold: Gold, systems: dict[str, str], chosen: Settings, **options: Any) -> None:
    from adjudge.tasks.eal.measures import measures

    log = Log(verbose=options["verbose"])
    if options["fail_under"]:
        from adjudge.stats.measure import part_keys

        check_gates(options["fail_under"], part_keys(measures(chosen, macro=options["pool"] == "macro")))
    log(f"reading {gold.key} and {len(systems)} submission(s)")
    with working("scoring", shown=not options["quiet"]):
        evaluation = count_systems(gold, systems, chosen, options, inference=given_inference(options, chosen))
    log(f"counted {len(evaluation.ids)} documents")
    result = evaluation.result()
    wanted = options["rank"] if options["rank"] is not None else len(systems) > 1 and options["bootstrap"] != 0
    # A ranking is not saved: it would be wrong as soon as a result is compared with others.
    _finish(result, _ranked(result, chosen) if wanted else result, evaluation, chosen, **options)
    apply_gates(options["fail_under"], result)


def _ranked(result: Result, settings: Settings) -> Result:
    import msgspec

    from adjudge.tasks.eal.ranking import rank_result

    ranking = rank_result(result, draws=settings.profile.draws, percentiles=settings.profile.percentiles)
    return msgspec.structs.replace(result, ranking=ranking.leaderboard())


def _finish(result: Result, shown: Result, evaluation: Evaluation, chosen: Settings, **options: Any) -> None:
    """Render everything, then write; nothing is written if rendering fails."""
    from adjudge.report.files import write_atomic
    from adjudge.report.render import render
    from adjudge.tasks.eal.measures import document_table
    from adjudge.tasks.eal.task import tables_of

    text = render(shown, options["format_"], quiet=options["quiet"])
    documents = document_table(tables_of(evaluation), chosen) if options["per_document"] is not None else ""
    saved = result.to_json(with_tables=True) + "\n" if options["save"] is not None else ""
    if options["save"] is not None:
        write_atomic(options["save"], saved)
    if options["per_document"] is not None:
        write_atomic(options["per_document"], documents)
    add_summary(shown, options["summary"])
    emit(text, options["output"])


def _explain(gold: Gold, systems: dict[str, str], chosen: Settings, **options: Any) -> None:
    from adjudge.tasks.eal.explanation import explain

    check_explained(options["format_"])
    regions = chosen_regions(chosen, options["quotes"], options["docs_text"])
    found = explain(gold.key, gold.frames, systems, options["explain"], chosen, regions=regions)
    emit_explanations(found.values(), options["format_"], options["output"])
