"""`adjudge kbp score`: read, align, link, map, count paths, resample, render."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.kbp_options import (
    choice_options,
    input_arguments,
    input_files,
    input_options,
    kb_options,
    refuse_for_triples,
    uncertainty_options,
)
from adjudge.cli.memory import uncollected
from adjudge.cli.options import compose, fail_under_option, is_file, named, output_options, save_option
from adjudge.cli.output import Log, check_targets, finish
from adjudge.cli.sections import SectionedCommand
from adjudge.cli.streams import say
from adjudge.errors import visible


@click.command(
    "score",
    cls=SectionedCommand,
    epilog="\b\nExamples:\n  adjudge kbp score --gold gold.tsv system.tsv --hops 3"
    "\n  adjudge kbp score --gold ace/ --wiki ACEtoWIKI_resource.txt run1.tac run2.tac --by relation"
    "\n  adjudge kbp score --gold ace/ --wiki links.csv mine=run.tac --profile paper --identity-source system",
)
@click.argument("systems", metavar="[NAME=]SYSTEM...", nargs=-1, required=True)
@compose(
    input_options,
    choice_options,
    uncertainty_options,
    click.option(
        "--by",
        type=click.Choice(("relation", "first", "sequence", "confidence")),
        multiple=True,
        help="Also score by relation (one hop), by the first relation, by the sequence of relations, or with those "
        "facts alone that are at least so confident (a curve of precision and recall). Repeatable.",
    ),
    fail_under_option,
    save_option,
    output_options,
)
def command(systems: tuple[str, ...], **options: Any) -> None:
    """Score whole knowledge bases against annotation, hop by hop: precision, recall and F1 of paths of 1 to N facts.

    SYSTEM is a Cold Start file, extractions as JSON lines, or plain triples (subject, relation, object and document
    with a TAB between them) if gold is plain triples. A system is called after its file, or NAME in NAME=FILE.
    """
    read_from = [named(system) for system in systems]
    paths = [path for _, path in read_from]
    files = [*input_files(options), *(path for path in paths if is_file(path))]
    check_targets(options["output"], options["save"], inputs=files)
    chosen = kb_options(options)
    if options["fail_under"]:
        from adjudge.stats.measure import part_keys
        from adjudge.tasks.kbp.results import metrics, prf

        check_gates(options["fail_under"], part_keys([m for metric in metrics(chosen) for m in prf(metric)]))
    from adjudge.tasks.kbp.inputs import read_inputs, system_name
    from adjudge.tasks.kbp.scoring import score_inputs

    log = Log(verbose=options["verbose"])
    with uncollected():
        log(f"reading {options['gold']} and {len(paths)} system(s)")
        names = [system_name(path) if name is None else name for name, path in read_from]
        read = read_inputs(options["gold"], paths, names=names, **input_arguments(options))
        if read.gold.table is not None:
            refuse_for_triples()
        log("read; counting")
        result = score_inputs(
            read,
            chosen,
            profile=options["profile"],
            by=options["by"],
            bootstrap=options["bootstrap"],
            ci=options["ci"],
            seed=options["seed"],
            engine=options["engine"],
            box=options["box"],
            warn=None if options["quiet"] else lambda text: say(f"warning: {visible(text)}"),
        )
    log(f"scored {result.systems[0].documents} documents")
    finish(result, **options)
    apply_gates(options["fail_under"], result)
