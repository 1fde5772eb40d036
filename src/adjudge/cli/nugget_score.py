"""`adjudge nugget score`: read document by document, map, count, reduce, resample, render."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.memory import uncollected
from adjudge.cli.options import (
    compose,
    docs_option,
    document_list,
    engine_options,
    fail_under_option,
    inference_of,
    is_file,
    listed_lines,
    named,
    output_options,
    refuse_with,
    resampling_options,
    save_option,
    target,
)
from adjudge.cli.output import Log, check_explained, check_targets, emit, emit_explanations, finish, working
from adjudge.cli.streams import say
from adjudge.errors import UsageError, visible
from adjudge.tasks.nugget.settings import ATTRIBUTES, MAPPINGS, PROFILES, settings

if TYPE_CHECKING:
    from adjudge.tasks.nugget.scoring import Campaign
    from adjudge.tasks.nugget.settings import Settings

COMPAT = ("evmeval-1.8", "evmeval-2015")
RESAMPLING = ("bootstrap", "ci", "seed", "interval", "test")
_ONLY_SCORES = ("by", "save", "fail_under", "pool", *RESAMPLING, "jobs", "cluster")

side_options = compose(
    click.option(
        "-g", "--gold", metavar="GOLD", required=True, help="The gold nuggets, a TBF file; - is standard input."
    ),
    click.option(
        "-s",
        "--system",
        "systems",
        metavar="[NAME=]SYSTEM",
        multiple=True,
        required=True,
        help="A system's nuggets. Repeatable; several are compared with paired tests.",
    ),
    click.option(
        "-t",
        "--tokens",
        metavar="FOLDER",
        help="Token tables, one per document; places are tokens then. Without it, as the gold file has them.",
    ),
    click.option(
        "--token-suffix", metavar="TEXT", default=".tab", show_default=True, help="What follows the id in table names."
    ),
    click.option("--mode", type=click.Choice(("token", "char")), help="What places are, if it is not to be guessed."),
    click.option(
        "--profile",
        type=click.Choice(list(PROFILES)),
        default="spec",
        show_default=True,
        help="The specification to the letter, or as the official program counted in 2015 or counts since 1.8.",
    ),
    click.option("--types", metavar="FILE", help="Score only these types: one per line."),
    click.option("--coref/--no-coref", default=None, help="Score coreference. [default: if a file has any]"),
    click.option(
        "--coref-threshold",
        metavar="DICE",
        type=float,
        default=1.0,
        show_default=True,
        help="Nuggets are the same mention for coreference from this overlap on.",
    ),
    click.option(
        "--coref-mapping",
        type=click.Choice(MAPPINGS),
        default="type",
        show_default=True,
        help="The mapping that coreference and sequencing build on.",
    ),
    click.option(
        "--sequencing/--no-sequencing", default=None, help="Score After and Subevent links. [default: if any]"
    ),
    click.option("--any-links", is_flag=True, help="Also score links of which the reverse is stated too."),
)
"""Gold, systems, tokens, and how they are compared; `nugget report` has them too."""

nugget_options = compose(
    side_options,
    click.option(
        "--attributes",
        metavar="NAMES",
        default=",".join(ATTRIBUTES),
        show_default=True,
        help="Attributes of which all combinations are scored, next to the span alone; none for the span only.",
    ),
    click.option("--by", metavar="FIELD", multiple=True, help="Also score by type or by realis. Repeatable."),
    resampling_options(),
    click.option("--pool", type=click.Choice(("micro", "macro")), help="Only micro or only macro averages of nuggets."),
    docs_option,
    click.option("--explain", metavar="DOC", help="Print what became of this document instead of the scores."),
    click.option(
        "--confusion",
        type=click.Choice(ATTRIBUTES),
        help="Print which values the systems take for which instead of the scores.",
    ),
    click.option(
        "--comparison",
        metavar="FILE",
        type=click.Path(path_type=Path),
        callback=target,
        help="Also write gold and system nuggets side by side, in the layout of the official program.",
    ),
    click.option(
        "--compat", type=click.Choice(COMPAT), help="Print the report of the official program, and only that."
    ),
    fail_under_option,
    engine_options,
    save_option,
    output_options,
)


@click.command(
    "score",
    epilog="\b\nExamples:\n  adjudge nugget score -g gold.tbf -s a.tbf -s b.tbf -t tokens/"
    "\n  adjudge nugget score -g gold.tbf -s run=out/system.tbf --by type --profile evmeval-1.8"
    "\n  adjudge nugget score -g gold.tbf -s system.tbf --compat evmeval-1.8 --coref",
)
@nugget_options
def command(gold: str, systems: tuple[str, ...], **options: Any) -> None:
    """Score systems against gold nuggets: spans, types, realis, coreference and sequencing.

    Files are TBF, plain or gzip. A system is called after its file, or NAME in NAME=FILE.
    """
    given = [named(system) for system in systems]
    paths, names = [path for _, path in given], [name for name, _ in given]
    listed = [options[name] for name in ("docs", "types") if is_file(options[name] or "")]
    check_targets(options["output"], options["save"], options["comparison"], inputs=(gold, *paths, *listed))
    profile = options["profile"]
    if options["compat"]:
        refuse_with("--compat", ("profile", "attributes", "explain", "confusion", *_ONLY_SCORES))
        profile = options["compat"]
    chosen = chosen_settings(options, profile=profile, attributes=options["attributes"])
    how = {
        "tokens": options["tokens"],
        "mode": options["mode"],
        "suffix": options["token_suffix"],
        "names": names,
    }
    log = Log(verbose=options["verbose"])
    with uncollected():
        if options["compat"]:
            _compat(gold, paths, chosen, how, **options)
        elif options["explain"] is not None:
            _explain(gold, paths, chosen, how, **options)
        elif options["confusion"] is not None:
            _confusion(gold, paths, chosen, how, **options)
        else:
            _score(gold, paths, chosen, how, log, **options)


def chosen_settings(options: Mapping[str, Any], **more: Any) -> Settings:
    """What the options of both sides say of how nuggets are compared."""
    names = ("profile", "coref", "sequencing", "coref_threshold", "coref_mapping", "any_links")
    types = None if options["types"] is None else listed_lines(options["types"], "types")
    return settings(**{**{name: options[name] for name in names}, "types": types, **more})


def _score(gold: str, paths: list[str], chosen: Settings, how: dict[str, Any], log: Log, **options: Any) -> None:
    from adjudge.tasks.nugget.scoring import result_of

    if options["fail_under"]:
        from adjudge.stats.measure import part_keys
        from adjudge.tasks.nugget.measures import measures

        scored = {"coref": chosen.coref is not False, "sequencing": chosen.sequencing is not False}
        check_gates(options["fail_under"], part_keys(measures(chosen, pool=options["pool"], **scored)))
    log(f"reading {gold} and {len(paths)} system file(s)")
    with working("scoring", shown=not options["quiet"]):
        campaign = _observed(gold, paths, chosen, how, **options)
    log(f"counted {len(campaign.ids)} documents")
    result = result_of(
        campaign,
        by=options["by"],
        inference=inference_of(options),
        pool=options["pool"],
    )
    finish(result, **options)
    apply_gates(options["fail_under"], result)


def _observed(
    gold: str, paths: list[str], chosen: Settings, how: dict[str, Any], *, visit: Any = None, **options: Any
) -> Campaign:
    """Read and count, and write the comparison file on the way if it is wanted."""
    from adjudge.tasks.nugget.scoring import observe_all

    docs = None if options["docs"] is None else document_list(options["docs"])
    more: dict[str, Any] = {**how, "docs": docs, "by": options["by"]}
    if options["comparison"] is None:
        return observe_all(gold, paths, chosen, **more, jobs=options["jobs"], cluster=options["cluster"], visit=visit)
    if len(paths) > 1:
        raise UsageError("--comparison writes one system", hint="run it once for each")
    from adjudge.tasks.nugget.comparison import write_comparison

    return write_comparison(options["comparison"], gold, paths[0], chosen, visit=visit, **more)


def _compat(gold: str, paths: list[str], chosen: Settings, how: dict[str, Any], **options: Any) -> None:
    """The official report has no room for anything but its own options."""
    from adjudge.tasks.nugget.compat import Collector, report
    from adjudge.tasks.nugget.reading import check_documents

    if len(paths) > 1:
        raise UsageError("--compat prints one system", hint="run it once for each")
    if options["format_"] != "text":
        raise UsageError("--compat prints text", hint="leave --format out")
    found = Collector(chosen)
    campaign = _observed(gold, paths, chosen, how, visit=found, **options)
    check_documents(campaign)
    text = report(campaign, found)
    if not options["quiet"]:
        ((_, counted),) = campaign.systems.items()
        for note in counted.diagnostics.notes(chosen):
            examples = f" ({', '.join(note.examples)})" if note.examples else ""
            say(f"warning: {visible(note.message + examples)}")
    emit(text, options["output"])


def _explain(gold: str, paths: list[str], chosen: Settings, how: dict[str, Any], **options: Any) -> None:
    from adjudge.tasks.nugget.explanation import explain

    refuse_with("--explain", ("docs", "confusion", "comparison", *_ONLY_SCORES))
    check_explained(options["format_"])
    found = explain(gold, paths, options["explain"], chosen, **how)
    emit_explanations(found.values(), options["format_"], options["output"])


def _confusion(gold: str, paths: list[str], chosen: Settings, how: dict[str, Any], **options: Any) -> None:
    from adjudge.tasks.nugget.confusion import Confusion

    refuse_with("--confusion", ("explain", *_ONLY_SCORES))
    if options["format_"] not in ("text", "json", "csv"):
        raise UsageError(f"a confusion matrix cannot be written as {options['format_']}", hint="use text, json or csv")
    found: dict[str, Confusion] = {}

    def visit(seen: Any) -> None:
        found.setdefault(seen.system, Confusion(options["confusion"], seen.system, chosen.profile, {})).add(seen)

    _observed(gold, paths, chosen._replace(coref=False, sequencing=False), how, visit=visit, **options)
    if options["format_"] != "csv":
        emit_explanations(found.values(), options["format_"], options["output"])
        return
    import csv
    import io

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for each in found.values():
        writer.writerows(each.rows())
    emit(stream.getvalue().rstrip("\n") + "\n", options["output"])
