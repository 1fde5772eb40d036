"""What the commands that score event arguments share: their options, and what these mean."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from adjudge.cli.options import compose, document_list, inference_of, named, run_from
from adjudge.errors import Problem, UsageError
from adjudge.tasks.eal.profiles import PROFILES

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.stats.inference import Inference
    from adjudge.tasks.eal.settings import Settings
    from adjudge.tasks.eal.task import Gold, Regions

_EXTRAS = ("ceaf", "b3", "blanc", "f")

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
only_option = click.option(
    "--only", metavar="LIST", help="Only these documents: a file with one id per line, or a,b,c."
)


def named_systems(submissions: Sequence[str]) -> dict[str, str]:
    """Paths by name; a path that exists is not taken for NAME=PATH."""
    from adjudge.evaluate.inputs import name_systems

    # Unlike Path.exists, os.path.exists never raises.
    given = [(None, text) if os.path.exists(text) else named(text) for text in submissions]  # noqa: PTH110
    return dict(name_systems("", [path for _, path in given], [name for name, _ in given]))


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
        return regions_in(folder, settings.profile)
    return read_regions(str(quotes))


def count_systems(
    gold: Gold, systems: dict[str, str], chosen: Settings, options: Mapping[str, Any], **run: Any
) -> Evaluation:
    """Read and count everything as the options say; `run` changes what they say of the run, or keeps the `whole`."""
    from adjudge.tasks.eal.diagnostics import read_genres
    from adjudge.tasks.eal.task import EalTask, count

    listed = None if options["genre_list"] is None else read_genres(options["genre_list"])
    regions = chosen_regions(chosen, options["quotes"], options["docs_text"])
    task = EalTask(chosen, regions=regions, listed=listed, whole=run.pop("whole", False))
    return count(task, gold, systems, run_from(options, **run), genre=options["genre"])


def only(options: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The documents of `only_option`."""
    return None if options["only"] is None else tuple(document_list(options["only"]))


def given_inference(options: Mapping[str, Any], settings: Settings, **changed: Any) -> Inference:
    """How intervals and tests are made: with the seed of the command line; without one, with that of the profile."""
    source = click.get_current_context().get_parameter_source("seed")
    seed = options["seed"] if source is ParameterSource.COMMANDLINE else settings.profile.bootstrap_seed
    return inference_of(options, seed=seed, **changed)


def refuse_inside(output: Path, folders: Iterable[str | None]) -> None:
    """Raise if the output would lie in a folder that is read: there every file is taken for a document."""
    target = Path(os.path.realpath(output))
    for folder in folders:
        if folder and os.path.isdir(folder):  # noqa: PTH112  # unlike Path.is_dir it never raises
            place = Path(os.path.realpath(folder))
            if place == target or place in target.parents:
                hint = "write it elsewhere"
                raise UsageError(Problem(f"this is in {folder}, which is read", path=str(output), hint=hint))
