"""`adjudge eal score`: read document by document, apply the rules, count, resample, rank, render."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.memory import uncollected
from adjudge.cli.options import (
    compose,
    docs_option,
    document_list,
    engine_options,
    fail_under_option,
    is_file,
    output_options,
    refuse_with,
    resampling_options,
    save_option,
    target,
)
from adjudge.cli.output import Log, check_targets, emit, working
from adjudge.errors import UsageError
from adjudge.tasks.eal.profiles import PROFILES

if TYPE_CHECKING:
    from adjudge.stats.result import Result
    from adjudge.tasks.eal.scoring import Campaign, Regions
    from adjudge.tasks.eal.settings import Settings

_EXTRAS = ("ceaf", "b3", "blanc", "f")
_ONLY_SCORES = (
    "by",
    "save",
    "fail_under",
    "pool",
    "bootstrap",
    "ci",
    "seed",
    "test",
    "rank",
    "per_document",
    "jobs",
    "cluster",
)

rule_options = compose(
    click.option(
        "--profile",
        type=click.Choice(list(PROFILES)),
        default="spec",
        show_default=True,
        help="The task description, or as the official programs count.",
    ),
    click.option("--beta", type=float, default=0.25, show_default=True, help="What a false positive costs."),
    click.option(
        "--lambda", "lambda_", type=float, default=0.5, show_default=True, help="The weight of the argument score."
    ),
    click.option(
        "--unassessed",
        type=click.Choice(("error", "false-positive", "ignore")),
        help="What responses are that nobody has assessed. [default: as the profile says]",
    ),
    click.option(
        "--unlinked",
        type=click.Choice(("error", "drop", "singleton")),
        help="What responses are that are not generic and in no frame. [default: as the profile says]",
    ),
    click.option(
        "--decide",
        "decisions",
        metavar="NAME=VALUE",
        multiple=True,
        help="Change any decision of the profile. Repeatable.",
    ),
    click.option(
        "--cover",
        "covers",
        metavar="PAIR",
        multiple=True,
        help="Treat more types as Life.Die and Life.Injure: transaction, movement, or COVERING=COVERED. Repeatable.",
    ),
    click.option("--quotes", metavar="FILE", help="A quote filter: responses in quotations are left out."),
    click.option("--docs-text", metavar="FOLDER", help="Source documents, to find the quotations in them."),
)
view_options = compose(
    click.option(
        "--taxonomy",
        type=click.Choice(("full", "collapsed", "type-lax")),
        default="full",
        show_default=True,
        help="Diagnostic: Contact, Movement, Transaction merged and no Manufacture; or the subtype of Contact and "
        "Transaction does not matter.",
    ),
    click.option(
        "--neutralize",
        type=click.Choice(("realis", "coref")),
        help="Diagnostic: realis does not matter; or neither realis nor which string of the filler.",
    ),
    click.option(
        "--also",
        "extras",
        type=click.Choice(_EXTRAS),
        multiple=True,
        help="More measures: CEAF, plain B3 or BLANC of the frames; the overall score with F1. Repeatable.",
    ),
    click.option("--by", metavar="FIELD", multiple=True, help="Also score by type, role or genre. Repeatable."),
    click.option("--genre", metavar="NAME", help="Score only documents of this genre, such as newswire or forum."),
    click.option(
        "--genre-list",
        metavar="FILE",
        help="Genres of documents: id, TAB, genre. Without it, ids tell by their prefix.",
    ),
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


def named_systems(submissions: Sequence[str]) -> dict[str, str]:
    """Paths by name; a path that exists is not taken for NAME=PATH."""
    from adjudge.stats.result import unique_names
    from adjudge.tasks.eal.scoring import system_name

    pairs = []
    for text in submissions:
        name, equals, path = text.partition("=")
        if equals and name and path and not os.path.exists(text):  # noqa: PTH110  # unlike Path.exists it never raises
            pairs.append((name, path))
        else:
            pairs.append((system_name(text), text))
    names = unique_names(name for name, _ in pairs)
    return dict(zip(names, (path for _, path in pairs), strict=True))


def chosen_settings(frames: str | None, **options: Any) -> Settings:
    """What the options say of how documents are compared."""
    from adjudge.tasks.eal.settings import decide, settings

    decisions = {}
    for text in options["decisions"]:
        name, equals, value = text.partition("=")
        if not (equals and name and value):
            raise UsageError(
                f"--decide {text!r} says nothing", hint="write NAME=VALUE, such as time_rule_requires=good"
            )
        decisions[name.strip().replace("-", "_")] = value.strip()
    for name in ("unassessed", "unlinked"):
        if options[name] is not None:
            decisions[name] = options[name]
    return settings(
        decide(options["profile"], decisions),
        beta=options["beta"],
        lambda_=options["lambda_"],
        taxonomy=options["taxonomy"],
        neutralize=options["neutralize"],
        covers=options["covers"],
        extras=options["extras"],
        linking=frames is not None,
    )


def chosen_regions(settings: Settings, quotes: str | None, folder: str | None) -> Regions | None:
    """Where the quotations of a document are, if they are to be left out."""
    if quotes is None and folder is None:
        return None
    if quotes is not None and folder is not None:
        raise UsageError("--quotes and --docs-text both say where quotations are", hint="leave one of them out")
    from adjudge.tasks.eal.quotes import read_regions, regions_in

    if folder is not None:
        return regions_in(folder, settings.profile.offsets)
    return read_regions(str(quotes))


def _score(
    key: str,
    frames: str | None,
    systems: dict[str, str],
    chosen: Settings,
    regions: Regions | None,
    log: Log,
    **options: Any,
) -> None:
    from adjudge.tasks.eal.diagnostics import read_genres
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
            docs=None if options["docs"] is None else document_list(options["docs"]),
            by=options["by"],
            genre=options["genre"],
            genre_list=None if options["genre_list"] is None else read_genres(options["genre_list"]),
            jobs=options["jobs"],
            cluster=options["cluster"],
        )
    log(f"counted {len(campaign.ids)} documents")
    source = click.get_current_context().get_parameter_source("seed")
    seed = options["seed"] if source is ParameterSource.COMMANDLINE else None
    result = result_of(
        campaign,
        by=options["by"],
        bootstrap=options["bootstrap"],
        level=options["ci"],
        seed=seed,
        pool=options["pool"],
        test=options["test"],
    )
    wanted = options["rank"] if options["rank"] is not None else len(systems) > 1 and options["bootstrap"] > 0
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
    from adjudge.errors import visible
    from adjudge.tasks.eal.explanation import explain

    if options["format_"] not in ("text", "json"):
        raise UsageError(f"an explanation cannot be written as {options['format_']}", hint="use text or json")
    found = explain(key, frames, systems, options["explain"], chosen, regions=regions)
    if options["format_"] == "json":
        import json

        emit(
            json.dumps([each.to_data() for each in found.values()], indent=2, ensure_ascii=False) + "\n",
            options["output"],
        )
    else:
        emit("\n\n".join(visible(str(each), keep="\n") for each in found.values()) + "\n", options["output"])
