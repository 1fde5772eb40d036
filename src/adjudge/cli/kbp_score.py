"""`adjudge kbp score`: read, align, link, map, count paths, resample, render."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.kbp_options import (
    check_seen,
    choice_options,
    input_arguments,
    input_options,
    kb_options,
    memory_option,
    systems_of,
    uncertainty_options,
    warning,
)
from adjudge.cli.memory import uncollected
from adjudge.cli.options import compose, engine_options, fail_under_option, output_options, save_option, summary_option
from adjudge.cli.output import Log, finish, working
from adjudge.cli.sections import SectionedCommand

if TYPE_CHECKING:
    from adjudge.tasks.kbp.inputs import KbInputs


@click.command(
    "score",
    cls=SectionedCommand,
    epilog="\b\nExamples:\n  adjudge kbp score --gold gold.tsv system.tsv --hops 3"
    "\n  adjudge kbp score --gold ace/ --wiki ACEtoWIKI_resource.txt run1.tac run2.tac --by relation"
    "\n  adjudge kbp score --gold ace/ --wiki links.csv mine=run.tac --profile paper --identity-source system"
    "\n  adjudge kbp score --gold 'gold/*.tsv.gz' mine=runs/mine/ --hops 2 --jobs 2",
)
@click.argument("systems", metavar="[NAME=]SYSTEM...", nargs=-1, required=True)
@compose(
    input_options,
    choice_options,
    memory_option,
    uncertainty_options,
    click.option(
        "--by",
        type=click.Choice(("relation", "first", "sequence", "confidence")),
        multiple=True,
        help="Also score by relation (one hop), by the first relation, by the sequence of relations, or with those "
        "facts alone that are at least so confident (a curve of precision and recall). Repeatable.",
    ),
    fail_under_option,
    engine_options,
    save_option,
    summary_option,
    output_options,
)
def command(systems: tuple[str, ...], **options: Any) -> None:
    """Score whole knowledge bases against annotation, hop by hop: precision, recall and F1 of paths of 1 to N facts.

    SYSTEM is a Cold Start file, extractions as JSON lines, or plain triples (subject, relation, object and document
    with a TAB between them, or Parquet) if gold is plain triples; a file, a folder, or a pattern in quotes. A system
    is called after its file, or NAME in NAME=FILE.
    """
    given = systems_of(systems, options, options["output"], options["save"])
    chosen = kb_options(options)
    if options["fail_under"]:
        from adjudge.stats.measure import part_keys
        from adjudge.tasks.kbp.results import metrics, prf

        check_gates(options["fail_under"], part_keys([m for metric in metrics(chosen) for m in prf(metric)]))
    from adjudge.tasks.kbp.counting import Run
    from adjudge.tasks.kbp.pieces import Place
    from adjudge.tasks.kbp.scoring import score_files

    log = Log(verbose=options["verbose"])
    warn = warning(options)
    if options["memory"] and warn is not None:
        warn("--memory has no effect any more: triples are counted in memory, ten million in about 3 GB")
    run = Run(
        by=options["by"],
        bootstrap=options["bootstrap"],
        ci=options["ci"],
        seed=options["seed"],
        engine=options["engine"],
        box=options["box"],
        place=Place(options["jobs"], options["cluster"]),
        warn=warn,
        say=log,
    )

    def seen(read: KbInputs) -> None:
        check_seen(read)
        log("read; counting")

    with uncollected(), working("scoring", shown=not options["quiet"]):
        log(f"reading {options['gold']} and {len(given.paths)} system(s)")
        result = score_files(
            options["gold"],
            given.paths,
            chosen,
            run,
            profile=options["profile"],
            names=given.names,
            seen=seen,
            **input_arguments(options),
        )
    log(f"scored {result.systems[0].documents} documents")
    finish(result, **options)
    apply_gates(options["fail_under"], result)
