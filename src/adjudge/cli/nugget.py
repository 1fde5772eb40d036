"""`adjudge nugget score` and `report`: event nuggets against gold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.cli.options import (
    RESAMPLING,
    Sides,
    Target,
    choice,
    command,
    docs_option,
    flag,
    listed_lines,
    output_option,
    refuse_with,
    resampling_options,
    run_from,
    scoring_options,
    side_arguments,
    sides_of,
    value,
    verbose_option,
)
from adjudge.cli.output import check_gates, count_task, emit, emit_explanations, finish, log, say, uncollected
from adjudge.errors import UsageError, visible
from adjudge.tasks.nugget.settings import ATTRIBUTES, MAPPINGS, PROFILES, settings

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.tasks.nugget.settings import Settings
    from adjudge.tasks.nugget.task import NuggetTask

COMPAT = ("evmeval-1.8", "evmeval-2015")
_ONLY_SCORES = (
    "by",
    "save",
    "save_documents",
    "summary",
    "fail_under",
    "pool",
    *RESAMPLING,
    "rank",
    "rank_by",
    "jobs",
    "cluster",
)

side_options = [
    side_arguments(old_gold="-g --gold", old_system="-s --system"),
    value(
        "-t --tokens",
        "FOLDER",
        "Token tables, one per document; places are tokens then. Without it, as the gold file has them.",
    ),
    value("--token-suffix", "TEXT", "What follows the id in table names.", default=".tab"),
    value("--texts", "DIR", "Texts, one file <document><suffix> for each document, for what is shown."),
    value("--text-suffix", "TEXT", "What follows the id in text names.", default=".txt"),
    choice("--mode", ("token", "char"), "What places are, if it is not to be guessed."),
    choice(
        "--profile",
        PROFILES,
        "The specification to the letter, or as the official program counted in 2015 or counts since 1.8.",
        default="spec",
    ),
    value("--types", "FILE", "Score only these types: one per line."),
    flag("--coref/--no-coref", "Score coreference. [default: if a file has any]", default=None),
    value(
        "--coref-threshold",
        "DICE",
        "Nuggets are the same mention for coreference from this overlap on.",
        type=float,
        default=1.0,
    ),
    choice("--coref-mapping", MAPPINGS, "The mapping that coreference and sequencing build on.", default="type"),
    flag("--sequencing/--no-sequencing", "Score After and Subevent links. [default: if any]", default=None),
    flag("--any-links", "Also score links of which the reverse is stated too."),
]
"""Gold, systems, tokens, and how they are compared."""


@command(
    "score",
    side_options,
    value(
        "--attributes",
        "NAMES",
        "Attributes of which all combinations are scored, next to the span alone; none for the span only.",
        default=",".join(ATTRIBUTES),
    ),
    choice("--confusion", ATTRIBUTES, "Print which values the systems take for which instead of the scores."),
    value(
        "--comparison",
        "FILE",
        "Also write gold and system nuggets side by side, in the layout of the official program.",
        type=Target(),
    ),
    choice("--compat", COMPAT, "Print the report of the official program, and only that."),
    scoring_options(
        by="Also score by type or by realis.",
        pool="Only micro or only macro averages of nuggets.",
        explain="Print what became of this document instead of the scores.",
        without={"time_limit": "double annotation is solved exactly, document by document"},
    ),
    examples=[
        "adjudge nugget score gold.tbf a.tbf b.tbf -t tokens/",
        "adjudge nugget score gold.tbf run=out/system.tbf --by type --profile evmeval-1.8",
        "adjudge nugget score gold.tbf system.tbf --compat evmeval-1.8 --coref",
    ],
)
def score(**options: Any) -> None:
    """Score systems against gold nuggets: spans, types, realis, coreference and sequencing.

    Files are TBF, plain or gzip; - is standard input. A system is called after its file, or NAME in NAME=FILE. Several
    are compared with paired tests.
    """
    sides = sides_of(options, "comparison", inputs=[options["types"]])
    profile = options["profile"]
    if options["compat"]:
        refuse_with("--compat", ("profile", "attributes", "explain", "confusion", *_ONLY_SCORES))
        profile = options["compat"]
    chosen = _settings(options, profile=profile, attributes=options["attributes"])
    if options["confusion"] is not None:
        chosen = chosen._replace(coref=False, sequencing=False)
    from adjudge.tasks.nugget.task import NuggetTask

    task = NuggetTask(chosen, **_how(options), by=options["by"])
    if options["compat"]:
        _compat(sides, task, options)
    elif options["explain"] is not None:
        from adjudge.evaluate.engine import explain

        refuse_with("--explain", ("docs", "confusion", "comparison", *_ONLY_SCORES))
        found = explain(task, sides.gold, sides.paths, options["explain"], names=sides.names)
        emit_explanations(found.values(), options)
    elif options["confusion"] is not None:
        _confusion(sides, task, options)
    else:
        if options["fail_under"]:
            from adjudge.tasks.nugget.observe import measures

            scored = {"coref": chosen.coref is not False, "sequencing": chosen.sequencing is not False}
            check_gates(options["fail_under"], measures(chosen, pool=options["pool"], **scored))
        finish(_evaluated(sides, task, options).result(), options)


def _settings(options: Mapping[str, Any], **more: Any) -> Settings:
    """What the options of both sides say of how nuggets are compared."""
    names = ("profile", "coref", "sequencing", "coref_threshold", "coref_mapping", "any_links")
    types = None if options["types"] is None else listed_lines(options["types"], "types")
    return settings(**{**{name: options[name] for name in names}, "types": types, **more})


def _how(options: Mapping[str, Any]) -> dict[str, Any]:
    """How the files are read."""
    return {
        "suffix": options["token_suffix"],
        **{name: options[name] for name in ("tokens", "mode", "texts", "text_suffix")},
    }


def _evaluated(sides: Sides, task: NuggetTask, options: Mapping[str, Any], *, keep: bool = False) -> Evaluation:
    """Read and count, and write the comparison file if it is wanted."""
    target = options["comparison"]
    if target is not None and len(sides.paths) > 1:
        raise UsageError("--comparison writes one system", hint="run it once for each")
    run = run_from(options, keep=keep or target is not None, align=options["save_documents"])
    evaluation = count_task(task, sides, run, options)
    if target is not None:
        from adjudge.tasks.nugget.compat import write_comparison

        write_comparison(target, evaluation, Path(sides.paths[0]).name)
    return evaluation


def _compat(sides: Sides, task: NuggetTask, options: Mapping[str, Any]) -> None:
    """The official report has no room for anything but its own options."""
    from adjudge.evaluate.results import notes_of
    from adjudge.tasks.nugget.compat import report

    if len(sides.paths) > 1:
        raise UsageError("--compat prints one system", hint="run it once for each")
    if options["format_"] != "text":
        raise UsageError("--compat prints text", hint="leave --format out")
    evaluation = _evaluated(sides, task, options, keep=True).checked()
    text = report(evaluation)
    if not options["quiet"]:
        (name,) = evaluation.systems
        for note in (*notes_of(evaluation, name), *task.notes(evaluation, name)):
            examples = f" ({', '.join(note.examples)})" if note.examples else ""
            say(f"warning: {visible(note.message + examples)}")
    emit(text, options["output"])


def _confusion(sides: Sides, task: NuggetTask, options: Mapping[str, Any]) -> None:
    from adjudge.tasks.nugget.confusion import confusions

    refuse_with("--confusion", ("explain", *_ONLY_SCORES))
    if options["format_"] not in ("text", "json", "csv"):
        raise UsageError(f"a confusion matrix cannot be written as {options['format_']}", hint="use text, json or csv")
    found = confusions(_evaluated(sides, task, options, keep=True), options["confusion"])
    if options["format_"] != "csv":
        emit_explanations(found, options)
        return
    import csv
    import io

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for each in found:
        writer.writerows(each.rows())
    emit(stream.getvalue().rstrip("\n") + "\n", options["output"])


@command(
    "report",
    side_options,
    docs_option,
    value("--title", "TEXT", "What stands at the top of the page.", default="Event nuggets"),
    resampling_options(),
    output_option,
    verbose_option,
    examples=["adjudge nugget report gold.tbf mine=run1.tbf run2.tbf -t tokens/ --texts texts/ -o report.html"],
)
def report(**options: Any) -> None:
    """Write an HTML page with gold and system nuggets side by side: one file that needs no network.

    It is the page of `adjudge report`: the ranking, what goes wrong most, and every nugget, hopper and link beside the
    text. Without texts the tokens are shown, without token tables a table of the nuggets.
    """
    from adjudge.report.page import render_result
    from adjudge.tasks.nugget.task import NuggetTask

    sides = sides_of(options, inputs=[options["types"]])
    task = NuggetTask(_settings(options), **_how(options))
    with uncollected():
        evaluation = count_task(task, sides, run_from(options, align=True, pool="micro"), options)
        page = render_result(evaluation.result(), title=options["title"])
    emit(page, options["output"])
    log(options, f"wrote a page of {len(page)} characters")
