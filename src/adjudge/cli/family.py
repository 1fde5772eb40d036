"""`adjudge ner`, `adjudge amr` and their like: one group for each family of the catalogue, all made in one way.

The table of default metrics needs no module of its own; a family that has more commands than `score` names them in
`entries`, and their modules are found as everywhere (`adjudge.cli.amr_validate`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import click

from adjudge.cli.app import LazyGroup
from adjudge.cli.gates import apply_gates
from adjudge.cli.options import compose, inference_of, named, refuse_with, scoring_options
from adjudge.cli.output import add_summary, check_targets, emit, finish
from adjudge.cli.score import score_files, system_names
from adjudge.cli.streams import say
from adjudge.errors import UsageError, visible
from adjudge.report.files import write_atomic
from adjudge.tasks.catalogue.family import JSONL, Family, Option, find_family, load, published_result, published_runs
from adjudge.tasks.scoring import Adjust

_NOT_COMPAT = (
    "metric",
    "reader",
    "system_reader",
    "by",
    "pool",
    "profile",
    "docs",
    "jobs",
    "cluster",
    "time_limit",
    "hierarchy",
    "save_documents",
)


def family_group(name: str, entries: Mapping[str, str] | None = None) -> click.Group:
    """The group of a family: `score`, and the commands that have modules of their own."""
    family = find_family(name)
    own = {"score": f"Score files: {family.about[:1].lower()}{family.about[1:]}", **(entries or {})}

    class FamilyGroup(LazyGroup):
        entries = own
        prefix = f"{name.replace('-', '_')}_"

        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            return score_command(family) if cmd_name == "score" else super().get_command(ctx, cmd_name)

    return FamilyGroup(name, help=family.about, epilog=f"\b\nExample:\n  {family.example}")


def score_command(family: Family) -> click.Command:
    """`adjudge FAMILY score`."""
    readers = (*family.readers, JSONL) if JSONL not in family.readers else tuple(family.readers)
    listed = "\n".join(f"  {key}: {reader.about}" for key, reader in family.readers.items())
    compats = "\n".join(f"  {key}: {compat.about}" for key, compat in family.compats.items())
    blocks = [
        f"{family.about}",
        "GOLD and SYSTEM are files, plain or gzip; - is standard input. A system is called after its file, or NAME in "
        "NAME=FILE. Several systems are compared with paired tests.",
        f"\b\nReaders:\n{listed}\n  {JSONL}: one JSON object per line, as `adjudge metrics NAME` shows it",
        *([f"\b\nPublished scorers, for --compat:\n{compats}"] if compats else []),
    ]
    extra = {
        name: option for compat in family.compats.values() for name, option in compat.options.items()
    }  # an option of several scorers means the same in all of them

    @click.command("score", help="\n\n".join(blocks), epilog=f"\b\nExample:\n  {family.example}")
    @click.argument("gold")
    @click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True)
    @click.option("--metric", metavar="NAMES", help=f"Which metrics. {_defaults(family)}")
    @click.option("--reader", type=click.Choice(readers), default=family.default, show_default=True, help="The format.")
    @click.option("--system-reader", type=click.Choice(readers), help="The format of the system files, if another.")
    @click.option(
        "--compat",
        type=click.Choice(list(family.compats)),
        help="Count as this published scorer does and print what it prints; with another --format, its numbers.",
    )
    @compose(*(_option(name, option) for name, option in {**family.options, **extra}.items()))
    @scoring_options
    def command(gold: str, systems: tuple[str, ...], **options: Any) -> None:
        adjusting = {name: options.pop(name.replace("-", "_")) for name in family.options}
        own = {name: options.pop(name.replace("-", "_")) for name in extra}
        for name, value in (own if options["compat"] is None else adjusting).items():
            if value not in (None, False):
                if options["compat"] is None:
                    raise UsageError(f"--{name} belongs to a published scorer", hint="give --compat, or leave it out")
                raise UsageError(f"--{name} belongs to our own scores", hint="leave it out, or --compat")
        if options["compat"] is None:
            metric = options.pop("metric") or ",".join(_metrics(family, options["reader"]))
            score_files(metric, gold, systems, adjust=_adjust(family, adjusting), **options)
        else:
            _compat(family, gold, systems, own, **options)

    return command


def _metrics(family: Family, reader: str) -> tuple[str, ...]:
    """The metrics that are shown if none are named: those of the format, or those of the family."""
    own = family.readers[reader].metrics if reader in family.readers else ()
    return own or family.metrics


def _defaults(family: Family) -> str:
    own = [f"{name}: {', '.join(reader.metrics)}" for name, reader in family.readers.items() if reader.metrics]
    return f"[default: {'; '.join([', '.join(family.metrics), *own])}]"


def _adjust(family: Family, options: Mapping[str, Any]) -> Adjust | None:
    """What the options of a family do to documents; None if there is nothing to do."""
    given = {name.replace("-", "_"): value for name, value in options.items() if value not in (None, False)}
    if not given:
        return None
    return Adjust(partial(load(family.adjust), **given), _shown(family.options, options))


def _shown(known: Mapping[str, Option], options: Mapping[str, Any]) -> dict[str, str]:
    """Options that were given, as the signature has them: a file by what is in it, not by its name."""
    from adjudge.formats.source import read_whole

    found = {}
    for name, value in options.items():
        if value not in (None, False):
            is_file = known[name].metavar == "FILE" and value != "-"
            text = read_whole(value).digest[:12] if is_file else "yes" if value is True else str(value)
            found[name.replace("-", "_")] = text
    return found


def _option(name: str, option: Option) -> Any:
    if option.choices:
        return click.option(f"--{name}", type=click.Choice(option.choices), help=option.about)
    if option.metavar:
        return click.option(f"--{name}", metavar=option.metavar, help=option.about)
    return click.option(f"--{name}", is_flag=True, help=option.about)


def _compat(family: Family, gold: str, systems: tuple[str, ...], own: Mapping[str, Any], **options: Any) -> None:
    name = options["compat"]
    compat = family.compats[name]
    refuse_with(f"--compat {name}", _NOT_COMPAT)
    for key, value in own.items():
        if value not in (None, False) and key not in compat.options:
            raise UsageError(f"--{key} does not belong to {name}", hint="leave it out")
        if value is None and key in compat.options and compat.options[key].required:
            raise UsageError(f"--compat {name} needs --{key}", hint=compat.options[key].about)
    chosen = {key.replace("-", "_"): own[key] for key in compat.options}
    if options["explain"] is not None:
        if not compat.explain:
            raise UsageError(f"--compat {name} and --explain do not go together", hint="leave one of them out")
        refuse_with("--explain", ("save", "summary", "fail_under", "format_"))
        chosen[compat.explain] = options["explain"]
    given = [named(system) for system in systems]
    check_targets(options["output"], options["save"], inputs=[gold, *(path for _, path in given)])
    if [gold, *(path for _, path in given)].count("-") > 1:
        raise UsageError("standard input can be read only once", hint="use - for one of the files")
    sources = {called: _kept(path) for called, (_, path) in zip(system_names(given), given, strict=True)}
    source = _kept(gold)
    found = published_runs(compat, source, sources, chosen)
    plain = options["format_"] == "text"
    result = None
    kept = options["save"] is not None or options["summary"] is not None
    if not plain or kept or options["fail_under"]:
        result = published_result(
            family.name,
            name,
            found,
            source,
            sources,
            options=_shown(compat.options, {key: own[key] for key in compat.options}),
            inference=inference_of(options) if not plain or kept else inference_of(options, bootstrap=0),
        )
    if result is not None and not plain:
        finish(result, **options)
    else:
        if result is not None and options["save"] is not None:
            write_atomic(options["save"], result.to_json(with_tables=True) + "\n")
        if result is not None:
            add_summary(result, options["summary"])
        texts = (f"{called}\n{each.text}\n" if len(found) > 1 else each.text for called, each in found.items())
        emit("".join(texts), options["output"])
        if not options["quiet"]:
            for called, each in found.items():
                for note in each.notes:
                    say(visible(f"note: {called}: {note.message}"))
    if result is not None:
        apply_gates(options["fail_under"], result)


def _kept(path: str) -> Any:
    """A path; standard input as its bytes, for it is read twice: to score, and for the signature."""
    if path != "-":
        return path
    from adjudge.formats.source import read_whole

    return read_whole(path).data
