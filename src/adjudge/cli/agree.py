"""`adjudge agree`: annotators instead of gold and system."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.family import metric_files
from adjudge.cli.options import (
    Target,
    choice,
    command,
    docs_option,
    document_list,
    flag,
    inference_of,
    named,
    output_options,
    pool_option,
    refuse_alone,
    resampling_options,
    save_option,
    time_limit_option,
    value,
)
from adjudge.cli.output import check_targets, emit, is_file, log, say, working
from adjudge.cli.score import complete_metrics
from adjudge.errors import UsageError
from adjudge.tasks.family import PROFILES

DISTANCES = ("nominal", "ordinal", "interval")
HOW = ("reader", "pool", "profile", "time_limit")
RESOLVE = ("majority", "dawid-skene", "least-distance")


@command(
    "agree",
    click.Argument(["metric"], shell_complete=complete_metrics),
    click.Argument(["annotators"], metavar="ANNOTATOR...", nargs=-1, required=True),
    value("--reader", "FORMAT", "The format, see below.", default="jsonl"),
    value(
        "--key", "FOLDER", "With --reader eal-frames: the assessments that the frames were made for, to compare TRFRs."
    ),
    value(
        "--label",
        "FIELD",
        "Also kappa and alpha of labels: a field of documents (genre) or of elements (tokens.tag). Repeatable.",
        multiple=True,
    ),
    value("--unit", "FIELDS", "Pair elements by these fields, separated by commas, instead of by position."),
    choice(
        "--distance",
        DISTANCES,
        "Distance between two labels; for numbers, of ranks (ordinal) or of values (interval).",
        default=DISTANCES[0],
    ),
    flag("--disagreements", "List what only one annotator has, document by document."),
    choice(
        "--resolve",
        RESOLVE,
        "Print one answer instead: labels by vote or by trust (with --label), documents by least distance.",
    ),
    value(
        "--resolved",
        "FILE.jsonl",
        "With --resolve least-distance: also write the chosen documents, as JSON lines to be scored.",
        type=Target(),
    ),
    resampling_options(
        names=("bootstrap", "ci", "seed", "interval"),
        bootstrap="Resamples for intervals; 0 turns them off. [default: 1000]",
    ),
    pool_option,
    choice("--profile", PROFILES, "Conventions.", default="default"),
    docs_option,
    time_limit_option,
    save_option,
    value(
        "--report",
        "PAGE.html",
        "Also write a page of the first annotator against the others, with every disagreement in its text.",
        type=Target(),
    ),
    output_options,
    examples=["adjudge agree ner.strict anna.bio ben.bio clara.bio --reader bio --disagreements"],
)
def agree(metric: str, annotators: tuple[str, ...], **options: Any) -> None:
    """Measure how well annotators agree, and list where they do not.

    METRIC is a name from `adjudge metrics`, a specification file, or module:name; several are separated by commas.
    Every pair of annotators is scored as if one were gold and the other a system, on the documents that both have.
    Where elements have spans, kappa and alpha are of their labels on characters or tokens, and alpha_u of the spans as
    units. An annotator is named after the file, or NAME if given as NAME=FILE. --save keeps the first annotator against
    the others, with every item, for adjudge report; --report writes that page at once.

    Readers are those of the families (adjudge ner score --help: bio, ...), and those of the tasks: coref (chains in
    CoNLL, CoNLL-U or JSON lines), tbf (event nuggets), eal-arguments, eal-assessments and eal-frames (folders of event
    arguments; frames are a store with linking/, or a folder of reference frames), triples (knowledge bases).
    """
    from adjudge.evaluate.sides import distinct, stem
    from adjudge.report.agreement import render_agreement
    from adjudge.tasks.agreement import agree as measure_agreement
    from adjudge.tasks.agreement import browsable, reading
    from adjudge.tasks.documents import read_each

    if len(annotators) < 2:
        raise UsageError("agreement needs at least two annotators", hint="give the files of each of them")
    if not options["label"]:
        for option in ("--unit", "--distance"):
            refuse_alone(option, "--label")
    if options["disagreements"] and options["format_"] not in ("text", "md", "json"):
        hint = "use text, md or json"
        raise UsageError(f"--disagreements and --format {options['format_']} cannot be combined", hint=hint)
    if options["resolve"] in RESOLVE[:2] and len(options["label"]) != 1:
        raise UsageError(f"--resolve {options['resolve']} is of one kind of labels", hint="name it with --label FIELD")
    if options["resolve"] and (options["save"] is not None or options["report"] is not None):
        raise UsageError(
            "--resolve prints answers, and has no page and no scores", hint="leave out --save and --report"
        )
    if options["resolved"] is not None and options["resolve"] != RESOLVE[2]:
        raise UsageError("--resolved writes documents", hint="give --resolve least-distance, or leave it out")
    given = [named(each) for each in annotators]
    listed = [options["docs"]] if is_file(options["docs"]) else []
    check_targets(
        options, "report", "resolved", inputs=[*(path for _, path in given), *metric_files(metric, options), *listed]
    )
    files = iter(distinct([stem(path) for name, path in given if name is None]))
    names = [next(files) if name is None else name for name, _ in given]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise UsageError(f"two annotators are called {repeated!r}", hint="give each a name of its own, NAME=FILE")
    inference = inference_of(options)
    sources = {name: path for name, (_, path) in zip(names, given, strict=True)}
    sides = {side.name: side for side in read_each(sources, reading(options["reader"], options["key"]))}
    log(options, f"read {len(sides)} annotators")
    usual = {
        **{name: options[name] for name in HOW},
        **{name: getattr(inference, name) for name in ("bootstrap", "seed", "interval")},
        "ci": inference.level,
        "docs": document_list(options["docs"]),
    }
    if options["resolve"]:
        _resolve(metric, list(sides.values()), options, {name: usual[name] for name in HOW})
        return
    with working("comparing", shown=not options["quiet"]):
        found = measure_agreement(
            metric,
            sides,
            label=options["label"],
            unit=[each.strip() for each in (options["unit"] or "").split(",") if each.strip()],
            distance=options["distance"],
            disagreements=options["disagreements"],
            **usual,
        )
    log(options, f"compared {len(found.pairs)} pairs")
    text = render_agreement(found, options["format_"], quiet=options["quiet"])
    if options["save"] is not None or options["report"] is not None:
        kept = browsable(metric, sides, **usual)
        if options["report"] is not None:
            from adjudge.report.page import render_result

            emit(render_result(kept, title=f"{names[0]} and {', '.join(names[1:])}"), options["report"])
        if options["save"] is not None:
            emit(kept.to_json(with_tables=True) + "\n", options["save"])
    emit(text, options["output"])


def _resolve(metric: str, sides: list[Any], options: dict[str, Any], usual: dict[str, Any]) -> None:
    """Print one answer for every unit or document."""
    from adjudge.report.tables import render_listing
    from adjudge.stats.text import note_line
    from adjudge.tasks.annotations import resolve_documents, resolve_labels

    if options["resolve"] == RESOLVE[2]:
        found = resolve_documents(metric, sides, **usual)
    else:
        unit = [each.strip() for each in (options["unit"] or "").split(",") if each.strip()]
        found = resolve_labels(sides, options["label"][0], unit, options["resolve"])
    if options["resolved"] is not None:
        emit(found.to_jsonl().decode(), options["resolved"])
    emit(render_listing(found.rows, list(found.rows[0]), options["format_"]), options["output"])
    for note in found.notes:
        say(f"note: {note_line(note)}")
