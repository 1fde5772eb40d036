"""`adjudge score`, and `adjudge ner`, `adjudge amr` and their like: the metrics of the catalogue.

A family of the catalogue is a group with a command `score` built from data; the table of default metrics needs
no module of its own.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.app import Entry, LazyGroup
from adjudge.cli.options import (
    Made,
    Sides,
    check_metric,
    choice,
    command,
    flag,
    inference_of,
    is_given,
    listed_lines,
    named,
    refuse_alone,
    refuse_with,
    refused,
    section,
    side_arguments,
    sides_of,
    value,
)
from adjudge.cli.output import check_baseline, check_gates, emit, finish, is_file, say, uncollected, working
from adjudge.cli.score import complete_metrics, counted, run_from, scoring_options
from adjudge.errors import UsageError, visible
from adjudge.rooms import Option
from adjudge.tasks.family import JSONL, PROFILES, Family, adjusted, find_family, given_of
from adjudge.tasks.readers import GUESS, chosen, refuse_guess
from adjudge.tasks.task import Adjust

if TYPE_CHECKING:
    from adjudge.scorers import Published, Scorer


ENDS = ("exclusive", "inclusive")


@Made
def pair(text: str) -> tuple[str, str]:
    """A name and what it stands for, from A=B."""
    first, equals, second = (part.strip() for part in text.partition("="))
    if not (first and equals and second):
        raise ValueError(f"{text!r} is not valid, write for example PERSON=PER")
    return first, second


_CONVENTIONS: list[click.Option] = [
    choice("--ends", ENDS, "Whether the end of a bare span is exclusive or inclusive."),
    choice("--gold-ends", ENDS, "The same for gold alone."),
    choice("--system-ends", ENDS, "The same for the systems alone."),
    choice("--unit", ("token", "char"), "Unit of bare offsets."),
    choice("--base", ("0", "1"), "Whether bare offsets, or heads of trees, start at 0 or 1."),
    choice("--offsets", ("utf-16", "bytes"), "Unit of bare offsets, if not characters."),
    value("--scheme", "NAME", "Tagging scheme, read strictly: IO, IOB1, IOB2, IOE2, IOBES or BILOU."),
    value("--labels", "LIST", "The names of tags that are numbers: O,B-PER,... or a file, one per line."),
    value("--annotator", "ID", "Which annotator counts if a text has several."),
    value("--field field_", "NAME", "The field that holds the items, if it has another name."),
    value(
        "--fields",
        "NAME=FIELD",
        "Other names for fields of items: start=from. Repeatable.",
        type=pair,
        multiple=True,
    ),
    value("--id", "NAME", "The field or column that names the document."),
    choice("--locate", ("next", "all", "first"), "Which occurrence a mention without offsets refers to."),
    choice("--fragments", ("join", "keep"), "Join the fragments of a span, or compare each."),
    value("--gold-column", "NAME", "The column of gold, if one table has both sides."),
    value("--system-column", "NAME", "The column of the system, if one table has both sides."),
    value(
        "--map",
        "LABEL=LABEL",
        "Rename a label on both sides: PERSON=PER. Repeatable.",
        type=pair,
        multiple=True,
    ),
    flag("--inline", "Answers are the text with tags around the mentions."),
]
NAMES = tuple(str(each.name) for each in _CONVENTIONS)
"""Options that describe the files, named as in `adjudge.score`; one that does not apply to them is an error."""

CREDITS = ("halving", "linear", "ancestors", "general")
_TABLE = ("by", "docs", "pool", "cluster_by", "rank", "rank_by", "pairs")
"""Options with which the numbers of a published scorer are shown: what it prints cannot reflect them."""
_BOTH = ("bio-both", "inspect", "auto-err")  # readers with gold and system in one file
_MORE = {"template": {"errors": Entry("Count errors by the correction they need, with examples.", "template")}}
"""Commands of families besides `score`."""


@Made
def hierarchy(text: str) -> tuple[str, str]:
    """A field and its hierarchy, from FIELD=FILE."""
    field, equals, file = (part.strip() for part in text.partition("="))
    if not (field and equals and file):
        raise ValueError(f"{text!r} is not a field and a file, write for example events.type=types.tsv")
    return field, file


def convention_options(*, own: Collection[str]) -> list[click.Parameter]:
    """The options, without those of which a task has its `own`."""
    return section(
        "What the files do not say", *(each for each in _CONVENTIONS if str(each.name).rstrip("_") not in own)
    )


_options = [
    choice(
        "--profile",
        PROFILES,
        "Conventions: collections are sets, multisets, or sets whose repeated elements are errors (strict); "
        "0/0 is 0 or has no value (undefined).",
        default="default",
    ),
    value(
        "--hierarchy",
        "FIELD=FILE",
        "Partial credit for types (events.type=types.tsv: lines of child, tab, parent; events.type=. if levels "
        "are in the names). Repeatable.",
        multiple=True,
        type=hierarchy,
    ),
    choice(
        "--hierarchy-credit", CREDITS, "Credit for a type that is correct only on its upper levels.", default="halving"
    ),
    section(
        "Uncertainty",
        value("--runs", "COLUMN", "Column that tells the runs of a system apart."),
    ),
]


@command(
    "score",
    click.Argument(["metric"], shell_complete=complete_metrics),
    side_arguments(),
    value("--reader", "FORMAT", "The format of the files: bio, dygie, ...", default=JSONL),
    value("--gold-reader", "FORMAT", "The format of gold, if it differs."),
    value("--system-reader", "FORMAT", "The format of the system files, if it differs."),
    _options,
    scoring_options(),
    convention_options(own={}),
    examples=["adjudge score relation.strict gold.jsonl a.jsonl b.jsonl --by genre --fail-under f1=0.5"],
)
def score(metric: str, **options: Any) -> None:
    """Score one or more systems against the gold documents.

    METRIC is a name from `adjudge metrics`, a specification file (.yaml or .json), or module:name (a type, or a
    metric of your own); several are separated by commas. GOLD and SYSTEM are JSON lines, one object with an "id"
    per document, or the format given by --reader; plain, gzip, zstd or Parquet; - is standard input. A folder, or a
    pattern in quotes ('runs/mine-*.jsonl'), is all of its files as one. A system is named after its file, or NAME if
    given as NAME=FILE. Several systems are compared with paired tests.
    """
    check_metric(metric, [options["gold"], *options["systems"]])
    options["given"] = conventions_of(options)
    score_metric(metric, sides_of(options, inputs=metric_files(metric, options)), options)


def metric_files(metric: str, options: Mapping[str, Any]) -> list[str]:
    """The files that a metric is read from: specifications, modules in the current folder, hierarchies."""
    from adjudge.tasks.chosen import is_spec_file, split_names

    names = [metric] if is_spec_file(metric) else split_names(metric)
    files = [part for each in names for part in (each, each.partition(":")[0].replace(".", "/") + ".py")]
    return [part for part in (*files, *(file for _, file in options.get("hierarchy", ()))) if is_file(part)]


def score_metric(
    metric: str,
    sides: Sides,
    options: Mapping[str, Any],
    adjust: Adjust | None = None,
    own: Mapping[str, Any] | None = None,
) -> None:
    """Score files and print, save and gate as the options say; `own` are options of the metrics."""
    from adjudge.tasks.readers import Chosen
    from adjudge.tasks.request import Request
    from adjudge.tasks.task import measures_of

    sides = _with_runs(sides, options["runs"])
    usual, ours, theirs = (options[name] for name in ("reader", "gold_reader", "system_reader"))
    request = Request(
        metric,
        None,
        run_from(options),
        readers=Chosen((ours or usual, theirs or (usual if ours else None)), tuple(options.get("said", ()))),
        profile=options["profile"],
        adjust=adjust,
        hierarchy=_hierarchies(options),
        given=options.get("given") or {},
        of_metrics=own or {},
    )
    found = counted(request.evaluated, lambda: measures_of(request.chosen), sides, options, run=request.run)
    if found is not None:
        finish(found.result(), options)


def _with_runs(sides: Sides, column: str | None) -> Sides:
    """Every run of a file with several runs as a system NAME#1, NAME#2, ..., with their mean."""
    if column is None:
        return sides
    from adjudge.formats.runs import split_runs

    named = {
        f"{name}#{run}": rows for name, path in sides.named().items() for run, rows in split_runs(path, column).items()
    }
    return Sides(sides.gold, list(named.values()), list(named))


def _hierarchies(options: Mapping[str, Any]) -> dict[str, Any]:
    """The hierarchies of fields; the credit belongs to all of them."""
    if not options["hierarchy"]:
        refuse_alone("--hierarchy-credit", "--hierarchy")
        return {}
    from adjudge.metrics.derived import as_hierarchy

    return {field: as_hierarchy(file, credit=options["hierarchy_credit"]) for field, file in options["hierarchy"]}


def conventions_of(options: dict[str, Any]) -> dict[str, Any]:
    """What was said, by the names of `adjudge.score`; the options are taken out."""
    given = {name: options.pop(name, None) for name in NAMES}
    found = {name: each for name, each in given.items() if each not in (None, (), False)}
    for name in ("fields", "map"):
        if name in found:
            found[name] = dict(found[name])
    if "field_" in found:
        found["field"] = found.pop("field_")
    if "base" in found:
        found["base"] = int(found["base"])
    if "labels" in found:
        text = found["labels"]
        names = listed_lines(text, "labels") if is_file(text) else text.split(",")
        found["labels"] = [name.strip() for name in names if name.strip()]
    if found.pop("inline", False):
        found["format"] = "inline"
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Families


def group(name: str) -> click.Group:
    """The group of a family."""
    family = find_family(name)
    entries = {
        "score": Entry("Score system files against gold."),
        "validate": Entry("Check files; report the place of every problem."),
        **_MORE.get(name, {}),
    }

    class FamilyGroup(LazyGroup):
        def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
            """Published scorers are loaded only for an option that the task itself does not have."""
            if args[:1] == ["score"] and not ctx.resilient_parsing:
                plain = score_command(family, {})
                own = {name for each in plain.params for name in (*each.opts, *each.secondary_opts)} - {"--compat"}
                given = {each.partition("=")[0] for each in args[1:] if each.startswith("-") and each != "-"}
                if given <= own:
                    return "score", plain, args[1:]
            return super().resolve_command(ctx, args)

        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            if cmd_name == "validate":
                from adjudge.cli.findings import family_validator

                return family_validator(family)
            if cmd_name != "score":
                return super().get_command(ctx, cmd_name)
            from adjudge.scorers.published import find_scorers

            return score_command(family, find_scorers(name))

    return FamilyGroup(name, entries, help=family.about, epilog=f"\b\nExample:\n  {family.example}")


def score_command(family: Family, scorers: Mapping[str, Scorer]) -> click.Command:
    """`adjudge FAMILY score`."""
    readers = tuple(dict.fromkeys((*family.readers, JSONL)))
    listed = "\n".join(f"  {key}: {reader.about}" for key, reader in family.readers.items())
    compats = "\n".join(f"  {key}: {scorer.about}" for key, scorer in scorers.items())
    own = [f"{name}: {', '.join(reader.metrics)}" for name, reader in family.readers.items() if reader.metrics]
    blocks = [
        f"{family.about}",
        "GOLD and SYSTEM are files, plain or gzip; - is standard input. A system is named after its file, or "
        "NAME if given as NAME=FILE. Several systems are compared with paired tests.",
        f"\b\nReaders:\n{listed}\n  {JSONL}: one JSON object per line, as `adjudge metrics NAME` shows it",
        *([f"\b\nPublished scorers, for --compat:\n{compats}"] if compats else []),
    ]
    extra = {
        name: option for scorer in scorers.values() for name, option in scorer.options.items()
    }  # an option of several scorers means the same in all of them

    shared = [name for name in extra if name in NAMES and name not in family.options]  # they apply to files as well

    @command(
        "score",
        side_arguments(),
        value(
            "--metric", "NAMES", f"Which metrics; repeatable. [default: {'; '.join([', '.join(family.metrics), *own])}]"
        ),
        choice(
            "--reader",
            (GUESS, *readers),
            f"The format. [default: detected; if in doubt, {family.default}]",
            default=GUESS,
        ),
        choice("--gold-reader", readers, "The format of gold, if it differs."),
        choice("--system-reader", readers, "The format of the system files, if it differs."),
        flag("--no-guess", "Never detect the format of files: a reader must be given."),
        choice(
            "--compat",
            list(scorers),
            "Count as this published scorer does and print its output; with another --format, --by, --docs or --pool, "
            "its numbers.",
        )
        if scorers
        else refused("compat", "there is no published scorer of this task"),
        *(family_option(name, option) for name, option in {**extra, **family.options}.items() if name not in shared),
        _options,
        scoring_options(f"{family.metrics[0]}.recall"),
        convention_options(own=family.options),
        examples=[family.example],
        about="\n\n".join(blocks),
        alone=True,
    )
    def score(**options: Any) -> None:
        alike = {name: options[name] for name in shared}
        given = {name: options.pop(name.replace("-", "_")) for name in {**family.options, **extra}}
        adjusting, chosen = ({name: given[name] for name in own} for own in (family.options, extra))
        for name in given_of(given):
            if name in shared and options["compat"] is None:
                continue
            if options["compat"] is None and name not in family.options:
                raise UsageError(f"--{name} is an option of a published scorer", hint="give --compat, or leave it out")
            if options["compat"] is not None and name not in extra:
                raise UsageError(f"--{name} is not an option of published scorers", hint="leave it out, or --compat")
        if options["compat"] is not None:
            options.pop("no_guess")
            if not options["systems"]:
                raise UsageError("there is no system", hint="give it after gold")
            from adjudge.scorers.published import REFUSED

            without = {**REFUSED, **dict.fromkeys(NAMES, REFUSED["reader"])}
            run_compat(scorers[options["compat"]], chosen, options, without)
            return
        options["given"] = conventions_of({**options, **alike})
        for name in NAMES:
            options.pop(name, None)
        _choose(family, options)
        reader = family.readers.get(options["gold_reader"] or options["reader"])
        metric = _metric_names(family, options["metric"], reader.metrics if reader else ())
        own = {to: adjusting[name] for name, to in family.of_metrics.items() if adjusting[name] is not None}
        files = [given for given in own.values() if is_file(given)]
        sides = sides_of(options, inputs=[*metric_files(metric, options), *files])
        score_metric(metric, sides, options, adjusted(family, adjusting), own)

    return score


def _metric_names(family: Family, given: str | None, usual: Sequence[str]) -> str:
    """The metrics to score; the name of the task may be left out of theirs."""
    if not given:
        return ",".join(usual or family.metrics)
    from adjudge.tasks.named import NamedTask, with_prefix

    return ",".join(with_prefix(NamedTask(family.name), given))


def _choose(family: Family, options: dict[str, Any]) -> None:
    """Resolve the readers to be guessed, and report on standard error how files are read."""
    usual, ours, theirs = (options[name] for name in ("reader", "gold_reader", "system_reader"))
    readers = ours or usual, theirs or (usual if ours else None)
    if options.pop("no_guess") or os.environ.get("ADJUDGE_GUESS") == "0":
        refuse_guess(readers)
    files = [named(each)[1] for each in options["systems"]]
    alone = not files and not {"gold_column", "system_column"} & options["given"].keys()
    found = chosen(family.name, options["gold"], files or [options["gold"]] * alone, readers, family.default)
    for line in () if options.get("quiet") else found.said:
        say(visible(line))
    if GUESS in readers:
        options |= {"reader": found.readers[0], "gold_reader": None, "system_reader": found.readers[1]}
    options["said"] = found.said
    if alone and found.readers[0] in _BOTH:
        options["systems"] = (options["gold"],)


def family_option(name: str, option: Option) -> click.Option:
    """An option of a family or of a published scorer."""
    if option.choices:
        return choice(f"--{name}", option.choices, option.about)
    if option.metavar:
        return value(f"--{name}", option.metavar, option.about)
    return flag(f"--{name}", option.about)


def run_compat(scorer: Scorer, own: Mapping[str, Any], options: dict[str, Any], without: Mapping[str, str]) -> None:
    """What a published scorer says of the systems; it has its own options, and not those that it is `without`."""
    from adjudge.evaluate.engine import evaluate
    from adjudge.scorers.published import PublishedTask
    from adjudge.tasks.published import published_task

    name = scorer.name
    for key, reason in without.items():
        if key not in own and not (key == "explain" and scorer.explain):
            refuse_with(f"--compat {name}", [key], reason)
    for key in given_of(own).keys() - scorer.options.keys():
        raise UsageError(f"--{key} is not an option of {name}", hint="leave it out")
    for key, option in scorer.options.items():
        if option.choices and own[key] is not None and own[key] not in option.choices:
            hint = f"it has {', '.join(option.choices)}"
            raise UsageError(f"{name} has no --{key} {own[key]}", hint=hint)
        if option.required and own[key] is None:
            raise UsageError(f"--compat {name} needs --{key}", hint=option.about)
    chosen = {key: own[key] for key in scorer.options}
    if options["explain"] is not None:
        refuse_with("--explain", (*_TABLE, "save", "summary", "fail_under", "fail_if_worse", "format_"))
        chosen[scorer.explain] = options["explain"]
    plain = options["format_"] == "text" and not any(map(is_given, _TABLE))
    kept = not plain or any(options[name] is not None for name in ("save", "summary", "fail_if_worse"))
    sides, inference = sides_of(options), inference_of(options) if kept else inference_of(options, bootstrap=0)
    run = run_from(options, inference=inference, jobs=1)
    check_baseline(options, sides.named())
    with uncollected(), working("scoring", shown=not options["quiet"]):
        found = evaluate(published_task(scorer, chosen, run), sides.gold, sides.paths, run, names=sides.names)
    assert isinstance(found.task, PublishedTask)
    check_gates(options["fail_under"], found.task.measures())
    said = found.task.said
    if plain and not options["quiet"]:
        for called, each in said.items():
            for note in each.notes:
                say(visible(f"note: {called}: {note.message}"))
    text = _printed(said) if plain else None
    if kept or options["fail_under"]:
        finish(found.result(), options, text=text)
    else:
        emit(text or "", options["output"])


def _printed(found: Mapping[str, Published]) -> str:
    """What the program prints, with the names of the systems if there are several."""
    return "".join(f"{called}\n{each.text}\n" if len(found) > 1 else each.text for called, each in found.items())
