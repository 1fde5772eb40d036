"""`adjudge nugget score` and `report`: event nuggets against gold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.cli.options import (
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
    side_arguments,
    sides_of,
    value,
    verbose_option,
)
from adjudge.cli.output import emit, emit_explanations, finish, log, uncollected
from adjudge.cli.score import (
    ONLY_SCORES,
    check_official,
    counted,
    emit_official,
    run_from,
    scoring_options,
    search_options,
)
from adjudge.errors import UsageError
from adjudge.tasks.nugget.settings import ATTRIBUTES, MAPPINGS, PROFILES, settings

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.tasks.nugget.settings import Settings
    from adjudge.tasks.nugget.task import NuggetTask

COMPAT = ("evmeval-1.8", "evmeval-2015")

side_options = [
    side_arguments(old_gold="-g --gold", old_system="-s --system"),
    value(
        "-t --tokens",
        "FOLDER",
        "Token tables, one per document; positions are then tokens. [default: as in the gold file]",
    ),
    value("--token-suffix", "TEXT", "Suffix of the names of token tables.", default=".tab"),
    value("--texts", "DIR", "Texts, one file <document><suffix> per document, to show."),
    value("--text-suffix", "TEXT", "Suffix of the names of texts.", default=".txt"),
    choice("--mode", ("token", "char"), "What positions are, instead of guessing."),
    choice(
        "--profile",
        PROFILES,
        "Follow the specification, or count as the official program did in 2015 or does since 1.8.",
        default="spec",
    ),
    value("--types", "FILE", "Score only these types: one per line."),
    flag("--coref/--no-coref", "Score coreference. [default: if a file has any]", default=None),
    value(
        "--coref-threshold",
        "DICE",
        "Minimum overlap for nuggets to be the same mention in coreference.",
        type=float,
        default=1.0,
    ),
    choice("--coref-mapping", MAPPINGS, "The mapping that coreference and sequencing build on.", default="type"),
    flag("--sequencing/--no-sequencing", "Score After and Subevent links. [default: if any]", default=None),
    flag("--any-links", "Also score links that are stated in both directions."),
]
"""Gold, systems, tokens, and how they are compared."""


@command(
    "score",
    side_options,
    value(
        "--attributes",
        "NAMES",
        "Attributes to score in all combinations, besides the span alone; none scores the span only.",
        default=",".join(ATTRIBUTES),
    ),
    choice("--confusion", ATTRIBUTES, "Print which values the systems confuse instead of the scores."),
    value(
        "--comparison",
        "FILE",
        "Also write gold and system nuggets side by side, in the layout of the official program.",
        type=Target(),
    ),
    choice("--compat", COMPAT, "Print only the report of the official program."),
    scoring_options(
        by="Also score by type or by realis.",
        pool="Only micro or only macro averages of nuggets.",
        explain="Print the outcome of every item in this document instead of the scores.",
    ),
    examples=[
        "adjudge nugget score gold.tbf a.tbf b.tbf -t tokens/",
        "adjudge nugget score gold.tbf run=out/system.tbf --by type --profile evmeval-1.8",
        "adjudge nugget score gold.tbf system.tbf --compat evmeval-1.8 --coref",
    ],
)
def score(**options: Any) -> None:
    """Score systems against gold nuggets: spans, types, realis, coreference and sequencing.

    Files are TBF, plain or gzip; - is standard input. A system is named after its file, or NAME if given as NAME=FILE.
    Several are compared with paired tests.
    """
    sides = sides_of(options, "comparison", inputs=[options["types"]])
    profile = options["profile"]
    if options["compat"]:
        check_official(sides, options, only=("profile", "attributes", "confusion"))
        profile = options["compat"]
    chosen = _settings(options, profile=profile, attributes=options["attributes"])
    if options["confusion"] is not None:
        refuse_with("--confusion", ("explain", "pool", *(name for name in ONLY_SCORES if name != "docs")))
        chosen = chosen._replace(coref=False, sequencing=False)
    if options["comparison"] is not None and len(sides.paths) > 1:
        raise UsageError("--comparison writes one system", hint="run it once for each")
    from adjudge.tasks.nugget.task import NuggetTask

    task = NuggetTask(chosen, **_how(options), by=options["by"], time_limit=options["time_limit"])
    evaluation = _evaluated(sides, task, options)
    if evaluation is None:
        return
    if options["comparison"] is not None:
        from adjudge.tasks.nugget.compat import write_comparison

        write_comparison(options["comparison"], evaluation, Path(sides.paths[0]).name)
    if options["compat"]:
        _compat(evaluation, task, options)
    elif options["confusion"] is not None:
        _confusion(evaluation, options)
    else:
        finish(evaluation.result(), options)


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


def _evaluated(sides: Sides, task: NuggetTask, options: Mapping[str, Any]) -> Evaluation | None:
    from functools import partial

    from adjudge.evaluate.engine import evaluate
    from adjudge.tasks.nugget.measures import measures

    chosen = task.settings
    scored = {"coref": chosen.coref is not False, "sequencing": chosen.sequencing is not False}
    named = partial(measures, chosen, pool=options.get("pool"), **scored)
    keep = any(options.get(name) is not None for name in ("compat", "comparison", "confusion"))
    run = run_from(options, keep=keep, **({} if "pool" in options else {"pool": "micro"}))
    return counted(partial(evaluate, task), named, sides, options, run=run, only=("confusion", "comparison", "pool"))


def _compat(evaluation: Evaluation, task: NuggetTask, options: Mapping[str, Any]) -> None:
    from adjudge.evaluate.results import notes_of
    from adjudge.tasks.nugget.compat import report

    text = report(evaluation.checked())
    (name,) = evaluation.systems
    notes = (*notes_of(evaluation, name), *task.notes(evaluation, name))
    told = (each.message + (f" ({', '.join(each.examples)})" if each.examples else "") for each in notes)
    emit_official(text, told, options)


def _confusion(evaluation: Evaluation, options: Mapping[str, Any]) -> None:
    from adjudge.tasks.nugget.confusion import confusions

    if options["format_"] not in ("text", "json", "csv"):
        raise UsageError(f"a confusion matrix cannot be written as {options['format_']}", hint="use text, json or csv")
    found = confusions(evaluation, options["confusion"])
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
    value("--title", "TEXT", "Title of the page.", default="Event nuggets"),
    search_options,
    resampling_options(),
    output_option,
    verbose_option,
    examples=["adjudge nugget report gold.tbf mine=run1.tbf run2.tbf -t tokens/ --texts texts/ -o report.html"],
)
def report(**options: Any) -> None:
    """Write an HTML page with gold and system nuggets side by side: one file that needs no network.

    This is the page of `adjudge report`: the ranking, the most frequent errors, and every nugget, hopper and link
    beside the text. Without texts it shows the tokens; without token tables, a table of the nuggets.
    """
    from adjudge.report.page import render_result
    from adjudge.tasks.nugget.task import NuggetTask

    sides = sides_of(options, inputs=[options["types"]])
    task = NuggetTask(_settings(options), **_how(options), time_limit=options["time_limit"])
    with uncollected():
        evaluation = _evaluated(sides, task, {**options, "save_documents": True})
        assert evaluation is not None
        page = render_result(evaluation.result(), title=options["title"])
    emit(page, options["output"])
    log(options, f"wrote a page of {len(page)} characters")
