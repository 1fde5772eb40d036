"""`adjudge merge`: the saved results of shards as one result, as if all documents had been scored at once."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.options import (
    compose,
    document_list,
    fail_under_option,
    is_file,
    named,
    resampling_options,
    summary_option,
    target,
    verbose_option,
)
from adjudge.cli.output import Log, check_targets, finish, load_results
from adjudge.errors import UsageError
from adjudge.report.files import write_atomic


@click.command("merge", epilog="\b\nExample:\n  adjudge merge parts/*.json -o result.json --bootstrap 1000")
@click.argument("parts", metavar="PART...", nargs=-1, required=True)
@compose(
    click.option(
        "-o",
        "--output",
        metavar="RESULT.json",
        type=click.Path(),
        callback=target,
        help="Write the merged result with its table of documents, whole or not at all.",
    ),
    click.option(
        "--order",
        metavar="LIST",
        help="The order of the documents in the result: a file with one id per line, or a,b,c (default: one part "
        "after the other). Only the draws of the official EAL programs depend on it.",
    ),
    click.option(
        "--by",
        metavar="FIELD",
        multiple=True,
        help="Also score by a field of the documents, or of elements if all parts were saved with --by. Repeatable.",
    ),
    resampling_options(inherited=True),
    fail_under_option,
    summary_option,
    click.option(
        "--format",
        "format_",
        type=click.Choice(("text", "json", "csv", "md", "latex")),
        default="text",
        show_default=True,
        help="Layout of what is printed.",
    ),
    click.option("--quiet", is_flag=True, help="Print nothing if there is an output file; no signature or notes."),
    verbose_option,
)
def command(parts: tuple[str, ...], **options: Any) -> None:
    """Merge the results of parts of a corpus that were scored by themselves and saved with --save.

    The parts must have been scored in the same way, with the same systems, on different documents; anything else is
    refused. The result is that of scoring all documents at once: counts are added, and intervals, slices and
    comparisons drawn anew. What is not given is as in the parts. NAME=PART calls the only system of a part NAME.
    """
    from adjudge.stats.measure import part_keys
    from adjudge.tasks.merging import merge

    given = [named(text) for text in parts]
    paths = [path for _, path in given]
    if len(set(paths)) < len(paths):
        repeated = next(path for path in paths if paths.count(path) > 1)
        raise UsageError(f"{repeated} is given twice", hint="give every part once")
    inputs = [*paths, *([options["order"]] if is_file(options["order"] or "") else [])]
    check_targets(options["output"], inputs=inputs)
    log = Log(verbose=options["verbose"])
    loaded = load_results(given)
    log(f"read {len(loaded)} part(s)")
    check_gates(options["fail_under"], part_keys(loaded[0].measures))
    result = merge(
        loaded,
        names=paths,
        by=options["by"] or None,
        bootstrap=options["bootstrap"],
        level=options["ci"],
        seed=options["seed"],
        test=options["test"],
        interval=options["interval"],
        order=None if options["order"] is None else document_list(options["order"]),
    )
    log(f"merged {result.systems[0].documents} documents")
    output = options.pop("output")
    if output is not None:
        write_atomic(output, result.to_json(with_tables=True) + "\n")
    silent = output is not None and options["quiet"]
    finish(result, output=None, save=None, text="" if silent else None, **options)
    apply_gates(options["fail_under"], result)
