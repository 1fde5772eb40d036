"""`adjudge eal score`, `validate`, `report`, `graphs` and `proposal-tables`: submissions checked and scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from adjudge.cli.eal_options import UNITS, offsets_option, profile_option
from adjudge.cli.findings import emit_findings, finding_options, findings_text, kinds_help, severities_of
from adjudge.cli.options import (
    FORMATS,
    Sides,
    Target,
    choice,
    command,
    docs_option,
    flag,
    format_option,
    inference_of,
    listed_lines,
    old_texts,
    output_option,
    resampling_options,
    side_arguments,
    sides_of,
    value,
    verbose_option,
)
from adjudge.cli.output import (
    check_rank,
    check_targets,
    emit,
    emit_json,
    emit_lines,
    emit_page,
    finish,
    is_file,
    of_runs,
    uncollected,
    with_ranking,
)
from adjudge.cli.score import counted, readers_of, run_from, scoring_options
from adjudge.errors import Problem, UsageError
from adjudge.files import replacing
from adjudge.findings import Findings
from adjudge.tasks.eal.settings import PROFILES
from adjudge.tasks.eal.validation import KINDS
from adjudge.tasks.eal.validation import validate as check

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.formats.eal_sources import Sources
    from adjudge.stats.panel import Panel
    from adjudge.tasks.eal.settings import Settings
    from adjudge.tasks.eal.task import Regions

_EXTRAS = ("ceaf", "b3", "blanc", "f")
_BY = "Also score by type, role or genre."
_also_option = choice(
    "--also extras",
    _EXTRAS,
    "More measures: CEAF, plain B3 or BLANC of the frames; the overall score with F1. Repeatable.",
    multiple=True,
)
_OLD = {"--docs-text": "--quotes-in", "--only": "--docs"}

side_options = [
    side_arguments("ASSESSMENTS", "SUBMISSION", old_gold="--key"),
    value("--frames", "LINKING", "The reference frames. Without them only arguments are scored."),
    choice("--profile", PROFILES, "Follow the task description, or count as an official program does.", default="spec"),
    value("--beta", "BETA", "Cost of a false positive.", type=float, default=0.25),
    value("--lambda lambda_", "LAMBDA", "Weight of the argument score.", type=float, default=0.5),
    choice(
        "--unassessed",
        ("error", "false-positive", "ignore"),
        "How unassessed responses count. [default: as the profile says]",
    ),
    choice(
        "--unlinked",
        ("error", "drop", "singleton"),
        "How non-generic responses in no frame count. [default: as the profile says]",
    ),
    value("--decide decisions", "NAME=VALUE", "Change any decision of the profile. Repeatable.", multiple=True),
    value(
        "--cover covers",
        "PAIR",
        "Treat further pairs of types like Life.Die and Life.Injure: transaction, movement, or COVERING=COVERED. "
        "Repeatable.",
        multiple=True,
    ),
    value("--quotes", "FILE", "A quote filter: responses in quotations are left out."),
    value("--quotes-in", "SOURCES", "Source documents: responses in their quotations are left out."),
    choice(
        "--taxonomy",
        ("full", "collapsed", "type-lax"),
        "Diagnostic: Contact, Movement, Transaction merged and no Manufacture; or the subtype of Contact and "
        "Transaction does not matter.",
        default="full",
    ),
    choice(
        "--neutralize",
        ("realis", "coref"),
        "Diagnostic: ignore realis; or ignore both realis and which string of the filler is given.",
    ),
    value("--genre", "NAME", "Score only documents of this genre, such as newswire or forum."),
    value("--genre-list", "FILE", "Genres of documents: id, TAB, genre. Without it, the prefix of an id is its genre."),
]


def _sides(options: dict[str, Any], *targets: str) -> Sides:
    """The key and the submissions, after checking the output targets."""
    listed = [options[name] for name in ("frames", "quotes", "genre_list")]
    return sides_of(options, *targets, inputs=listed)


def _counted(sides: Sides, chosen: Settings, options: Mapping[str, Any]) -> Evaluation | None:
    """Read and count everything as the options say, without a seed with that of the profile."""
    from adjudge.tasks.eal.diagnostics import read_genres
    from adjudge.tasks.eal.task import EalTask, Gold, count

    seed = chosen.profile.bootstrap_seed if options["seed"] is None else options["seed"]
    run = run_from(options, inference=inference_of(options, seed=seed))
    listed = None if options["genre_list"] is None else read_genres(options["genre_list"])
    task = EalTask(chosen, regions=regions_of(options, chosen), listed=listed, texts=_texts(options))
    task.macro = run.pool == "macro"
    both = sides._replace(gold=Gold(sides.gold, options["frames"]))
    how = partial(count, task, genre=options["genre"])
    return counted(how, task.measures, both, options, run=run, only=("per_document", "pool"))


def settings_of(options: Mapping[str, Any]) -> Settings:
    """The settings of the comparison, from the options."""
    from adjudge.tasks.eal.settings import decide, settings

    decisions = {}
    for text in options["decisions"]:
        name, equals, value = text.partition("=")
        if not (equals and name and value):
            raise UsageError(
                f"--decide {text!r} sets nothing", hint="write NAME=VALUE, such as time_rule_requires=good"
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
        extras=options.get("extras", ()),
        linking=options["frames"] is not None,
    )


def regions_of(options: Mapping[str, Any], settings: Settings) -> Regions | None:
    """The quotations of a document, if they are to be left out."""
    quotes, folder = options["quotes"], options["quotes_in"]
    if quotes is None and folder is None:
        return None
    if quotes is not None and folder is not None:
        raise UsageError("--quotes and --quotes-in both say where quotations are", hint="leave one of them out")
    from adjudge.tasks.eal.texts import read_regions, regions_in

    return read_regions(str(quotes)) if folder is None else regions_in(folder, settings.profile)


def _texts(options: Mapping[str, Any]) -> Sources | None:
    """The source documents, if they are to be shown."""
    if options.get("texts") is None:
        return None
    from adjudge.formats.eal_sources import Sources

    return Sources(options["texts"])


def _refuse_inside(output: Path, folders: Iterable[str | None]) -> None:
    """Raise if the output would be in an input folder, where every file is taken for a document."""
    target = Path(os.path.realpath(output))
    for folder in folders:
        if folder and os.path.isdir(folder):  # noqa: PTH112  # unlike Path.is_dir it never raises
            place = Path(os.path.realpath(folder))
            if place == target or place in target.parents:
                hint = "write it elsewhere"
                raise UsageError(Problem(f"this is in {folder}, which is read", path=str(output), hint=hint))


@command(
    "score",
    side_options,
    _also_option,
    value(
        "--texts", "SOURCES", "Source documents for --explain and --save-documents to show; they remove no responses."
    ),
    value("--per-document", "FILE", "Also write the scores of each document, as a tab-separated table.", type=Target()),
    scoring_options(
        "eal.argument.recall",
        by=_BY,
        pool="Sum counts, or average documents. [default: micro]",
        explain="Print the outcome of every item in this document instead of the scores.",
        resampling=resampling_options(", or as the profile says"),
        without={
            "time_limit": "no response needs a search",
            **readers_of("the layout of a store tells its format"),
        },
    ),
    examples=[
        "adjudge eal score assessments/ acme1.zip acme2.zip --frames frames/",
        "adjudge eal score key/ mine=runs/7 --frames ref/ --by type --genre newswire",
        "adjudge eal score key/ runs/7 --frames ref/ --profile bbn-2015 --bootstrap 1000",
    ],
    old=_OLD,
)
def score(**options: Any) -> None:
    """Score submissions against assessments and reference frames: arguments, linking, and both together.

    ASSESSMENTS is the key, a folder or an archive. A submission is a folder or an archive, named after its file, or
    NAME if given as NAME=SUBMISSION.
    """
    sides, chosen = _sides(options, "per_document"), settings_of(options)
    evaluation = _counted(sides, chosen, options)
    if evaluation is None:
        return
    result = evaluation.result()
    check_rank(options)
    from adjudge.tasks.eal.ranking import ranked

    several = len(sides.paths) > 1 and options["bootstrap"] != 0
    wanted = options["rank"] if options["rank"] is not None else several or options["rank_by"] is not None
    # An official ranking is not saved: it would be wrong as soon as a result is compared with others.
    shown, also = ranked(result, chosen, options["rank_by"]) if wanted else with_ranking(result, options), {}
    if options["per_document"] is not None:
        from adjudge.tasks.eal.measures import document_table
        from adjudge.tasks.eal.task import tables_of

        also[options["per_document"]] = document_table(tables_of(evaluation), chosen)
    finish(result, options, shown=of_runs(shown, options), also=also)


@command(
    "report",
    side_options,
    _also_option,
    value("--by", "FIELD", f"{_BY} Repeatable.", multiple=True),
    value(
        "--texts",
        "SOURCES",
        "Show the texts: a folder of source documents, or a list of ids and paths; they remove no responses.",
    ),
    docs_option,
    value("--only", "LIST", "", hidden=True),
    value("--title", "TEXT", "Title of the page.", default="Event arguments and linking"),
    resampling_options(", or as the profile says"),
    output_option,
    verbose_option,
    examples=[
        "adjudge eal report assessments/ *.zip --frames frames/ --texts texts/ -o report.html",
        "adjudge eal report key/ old=runs/6 new=runs/7 --frames ref/ --by type -o report.html",
    ],
    old={"--docs-text": "--quotes-in"},
)
def report(**options: Any) -> None:
    """Write an HTML page that shows how the scores come about: one file that needs no network.

    This is the page of `adjudge report`: the ranking, the most frequent errors, the effect of beta and lambda, and for
    every document its text, its responses with outcomes and reasons, and the reference frames beside the system's.
    """
    old_texts(options, "only")
    sides, chosen = _sides(options), settings_of(options)
    texts, output = options["texts"], options["output"]
    if output is not None:
        _refuse_inside(output, [sides.gold, *sides.paths, texts, options["frames"], options["quotes_in"]])
    from adjudge.tasks.eal.ranking import can_be_ranked, ranked

    with uncollected():
        evaluation = _counted(sides, chosen, {**options, "save_documents": True})
        assert evaluation is not None
        result = evaluation.result()
    emit_page(ranked(result, chosen) if can_be_ranked(result) else result, options)


@command(
    "graphs",
    side_options,
    docs_option,
    resampling_options(", or as the profile says", names=("bootstrap", "ci", "seed")),
    value(
        "-o --output folder",
        "FOLDER",
        "Folder for the SVG files, created if missing; either all are written or none.",
        required=True,
        type=click.Path(path_type=Path),
    ),
    flag("--quiet", "Do not list the files and the values at which systems change places."),
    verbose_option,
    examples=["adjudge eal graphs assessments/ acme1.zip acme2.zip --frames frames/ -o graphs/"],
    old=_OLD,
)
def graphs(folder: Path, **options: Any) -> None:
    """Draw how scores and ranks vary with beta and lambda, and the distributions of the bootstrap, as SVG files.

    The exact values at which two systems change places are marked, and printed.
    """
    sides, chosen = _sides(options), settings_of(options)
    _refuse_inside(folder, [sides.gold, *sides.paths, options["frames"], options["quotes_in"]])
    from adjudge.files import write_folder
    from adjudge.report.charts import drawn
    from adjudge.tasks.eal.panels import rankings_of, weight_panels
    from adjudge.tasks.eal.task import tables_of

    with uncollected():
        evaluation = _counted(sides, chosen, options)
        assert evaluation is not None
        result = evaluation.result()
        panels = weight_panels(tables_of(evaluation), chosen, rankings_of(result, chosen))
    files = drawn(panels, list(evaluation.systems))
    listed = [options[name] for name in ("frames", "docs", "quotes", "genre_list")]
    write_folder(folder, files, inputs=[name for name in (sides.gold, *sides.paths, *listed) if is_file(name)])
    if not options["quiet"]:
        emit_lines([*(f"{folder / name}" for name in files), *_lines(panels), f"signature {result.signature}"])


def _lines(panels: Iterable[Panel]) -> list[str]:
    rows: list[Any] = [row for each in panels if each.name == "changes" for row in each.rows]
    return [
        f"{weight} {at:.6g}: {before} ahead below, {after} above (score {100 * score:.2f})"
        for weight, at, score, before, after in rows
    ]


@command(
    "proposal-tables",
    value("--beta", "BETA", "Cost of a false positive.", type=click.FloatRange(min=0), default=0.25),
    value("--lambda lambda_", "LAMBDA", "Weight of the argument score.", type=click.FloatRange(0, 1), default=0.5),
    format_option(*FORMATS),
    output_option,
    examples=["adjudge eal proposal-tables", "adjudge eal proposal-tables --beta 0.5 --format json"],
)
def proposal_tables(beta: float, lambda_: float, **options: Any) -> None:
    """Print Table 1 and the CEAF examples of the scoring proposal.

    Table 1 compares the linear argument score with F1 in its place; the examples compare link scores. With --format csv
    there is a row for each cell.
    """
    from adjudge.report.render import render_grids
    from adjudge.report.tables import csv_rows
    from adjudge.tasks.eal.proposal import grids, to_data, to_rows

    check_targets(options)
    format_, output = options["format_"], options["output"]
    if format_ == "json":
        emit_json(to_data(beta=beta, lambda_=lambda_), output)
    elif format_ == "csv":
        emit(csv_rows(to_rows(beta=beta, lambda_=lambda_), ("table", "row", "column", "value")), output)
    else:
        emit(render_grids(grids(beta=beta, lambda_=lambda_), format_), output)


@command(
    "validate",
    click.Argument(["submissions"], metavar="SUBMISSION...", nargs=-1, required=True),
    value("--texts", "FOLDER", "Source documents, or a file with lines of document id, TAB and path."),
    value("--ontology", "NAME", "2014, 2015, 2016, or a file (default: 2015, with the profile bbn-2014 2014)."),
    profile_option,
    choice(
        "--layout",
        ("2014", "2015", "2016"),
        "Which folders a submission has (default: as in the year of the ontology).",
    ),
    offsets_option,
    value("--docs", "LIST", "The documents that must be there: a file with one id per line, or a,b."),
    value("--doc-list", "LIST", "", hidden=True),
    flag("--dump", "Show each response with the text at its offsets, frame by frame."),
    finding_options(),
    before=kinds_help(KINDS),
    examples=[
        "adjudge eal validate system.zip --texts sources/ --severity cas-text=error --severity entity-type=off --strict"
    ],
)
def validate(submissions: tuple[str, ...], **options: Any) -> int:
    """Report what is wrong with event arguments and linking: archive, columns, ids, types, offsets, dates, frames.

    A submission is a folder, a .zip or a .tar.gz with arguments/ and linking/. Errors are what the official programs
    refuse or what cannot be scored as intended; warnings do not affect the score, but are unusual or violate the
    format. --severity changes the severity of a kind of problem. The exit code is 1 if there are errors.
    """
    if options["dump"] and (options["format_"] == "json" or options["save"]):
        raise UsageError(
            "--dump is for people, JSON for programs", hint="leave out --dump, or --format json and --save"
        )
    old_texts(options, "doc_list")
    check_targets(options, inputs=[*submissions, options["docs"]])
    rules: dict[str, Any] = {
        "offsets": UNITS[options["offsets"]] if options["offsets"] else None,
        "documents": None if options["docs"] is None else _documents(options["docs"]),
        "docs": options["texts"],
        "severity": severities_of(options, KINDS),
        **{name: options[name] for name in ("ontology", "profile", "layout", "limit")},
    }
    if not options["dump"]:
        return emit_findings("eal", [check(name, **rules) for name in submissions], options)
    return int(any(found.fails(strict=options["strict"]) for found in _dump(submissions, rules, options)))


def _dump(submissions: tuple[str, ...], rules: dict[str, Any], options: Mapping[str, Any]) -> list[Findings]:
    """Write each document as soon as it has been checked: a submission may be larger than memory."""
    from adjudge.tasks.eal.texts import dump_document

    reports = []
    output = options["output"]
    opened: AbstractContextManager[IO[bytes] | None] = nullcontext() if output is None else replacing(output)
    with opened as file:

        def write(text: str) -> None:
            if file is None:
                emit(text)
            else:
                file.write(text.encode("utf-8", "backslashreplace"))

        for name in submissions:
            report = check(name, **rules, watch=lambda *document: write(dump_document(*document)))
            write(findings_text(report, quiet=options["quiet"]))
            reports.append(report)
    return reports


def _documents(text: str) -> list[str]:
    lines = listed_lines(text, "documents") if is_file(text) else text.split(",")
    ids = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not ids:
        raise UsageError(f"--docs {text!r} names no documents", hint="give ids, or a file with one id per line")
    return ids
