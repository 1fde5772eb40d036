"""`adjudge kbp discovery`: the mentions, links and clusters of knowledge bases, before any fact."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.kbp_options import NIL, WHOLE, input_arguments, input_options, seed_option, systems_of
from adjudge.cli.memory import uncollected
from adjudge.cli.options import (
    BOOTSTRAP,
    TEST,
    Method,
    compose,
    fail_under_option,
    level,
    output_options,
    save_option,
    summary_option,
    whole,
)
from adjudge.cli.output import Log, finish
from adjudge.cli.sections import SectionedCommand, section
from adjudge.cli.streams import say
from adjudge.errors import visible
from adjudge.stats.inference import CENTRED, INTERVALS, TESTS

_compared, _uncertainty = section("What is compared"), section("Uncertainty")


@click.command(
    "discovery",
    cls=SectionedCommand,
    epilog="\b\nExamples:\n  adjudge kbp discovery --gold ace/ --wiki ACEtoWIKI_resource.txt run1.tac run2.tac"
    "\n  adjudge kbp discovery --gold gold.jsonl system.jsonl --levels NAM,NOM --by type",
)
@click.argument("systems", metavar="[NAME=]SYSTEM...", nargs=-1, required=True)
@compose(
    input_options,
    _compared("--levels", metavar="LEVELS", default="NAM", show_default=True, help="Mentions: NAM, NOM, PRO."),
    _compared(
        "--spans",
        type=click.Choice(("head", "extent")),
        default="head",
        show_default=True,
        help="The span of a mention: its head where there is one, or its extent.",
    ),
    *(_compared(name, default=NIL[name]["type"].choices[0], show_default=True, **NIL[name]) for name in NIL),
    click.option("--by", type=click.Choice(("type",)), help="Also score each type of entities by itself."),
    _uncertainty(
        "--bootstrap",
        metavar="N",
        callback=whole("give the number of resamples, or 0 for no intervals"),
        help=BOOTSTRAP,
    ),
    _uncertainty(
        "--ci", metavar="LEVEL", default="95", show_default=True, callback=level, help="Confidence of the intervals."
    ),
    seed_option,
    _uncertainty("--interval", type=Method((*INTERVALS, CENTRED)), default="auto", show_default=True, help=WHOLE),
    _uncertainty(
        "--test",
        type=Method((*(name for name in TESTS if name != "randomisation"), CENTRED)),
        default="auto",
        show_default=True,
        help=TEST,
    ),
    fail_under_option,
    save_option,
    summary_option,
    output_options,
)
def command(systems: tuple[str, ...], **options: Any) -> None:
    """Score entity discovery and linking: mentions, their types and links, and clusters over the whole corpus.

    SYSTEM is a Cold Start file or extractions as JSON lines; gold is annotated documents. A system is called after its
    file, or NAME in NAME=FILE.
    """
    from adjudge.stats.measure import part_keys
    from adjudge.tasks.kbp.discovery import measures, score_discovery
    from adjudge.tasks.kbp.inputs import read_inputs
    from adjudge.tasks.kbp.options import KbOptions

    given = systems_of(systems, options, options["output"], options["save"])
    if options["fail_under"]:
        check_gates(options["fail_under"], part_keys(measures()))
    levels = tuple(name.strip().upper() for name in options["levels"].split(",") if name.strip())
    log = Log(verbose=options["verbose"])
    with uncollected():
        read = read_inputs(options["gold"], given.paths, names=given.names, **input_arguments(options))
        for note in read.notes if not options["quiet"] else ():
            say(f"warning: {visible(str(note))}")
        log("read; comparing mentions")
        result = score_discovery(
            read,
            KbOptions(nil_key=options["nil_key"], nil_merge=options["nil_merge"]),
            levels=levels,
            spans=options["spans"],
            by_type=options["by"] == "type",
            bootstrap=options["bootstrap"],
            ci=options["ci"],
            seed=options["seed"],
            test=options["test"],
            interval=options["interval"],
        )
    log(f"scored {result.systems[0].documents} documents")
    finish(result, **options)
    apply_gates(options["fail_under"], result)
