"""The options that have the same name and meaning everywhere, the types of their values, and the `Run` they make."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import click
from click.core import ParameterSource

from adjudge.cli.output import check_targets, is_file
from adjudge.errors import UsageError
from adjudge.stats.inference import INTERVALS, OLD_TESTS, TESTS

if TYPE_CHECKING:  # slow to load, and most results are only printed
    from adjudge.stats.inference import Inference


Parameters: TypeAlias = Any  # a parameter of a command, or a list of such

FORMATS = ("text", "json", "csv", "md", "latex")
MANY = 15  # minimum number of options for headings
DIGITS = 18  # of whole numbers, which then fit everywhere
LONGEST = 10**8  # seconds: three years
_LISTS = ("NAMES", "LIST", "LEVELS", "SCORES")  # metavars of comma-separated values
SAVE_DOCUMENTS = "With --save: also save the texts and the outcome of every item, for report."


# ---------------------------------------------------------------------------------------------------------------------
# Types of values


class Value(click.ParamType):  # type: ignore[type-arg]  # not generic in all releases
    """Converts a value on the command line; an absent value stays as it is."""

    name = "value"


class Made(Value):
    """Converts by a function, whose `ValueError` gives the reason for a refusal."""

    def __init__(self, make: Callable[[str], Any]) -> None:
        self.make = make

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value."""
        try:
            return self.make(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Whole(Value):
    """A whole number from 0; another value is refused with the remedy."""

    def __init__(self, remedy: str) -> None:
        self.remedy = remedy

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number."""
        text = str(value)
        if not (text.isascii() and text.isdigit()):
            self.fail(f"{text!r} is not valid, {self.remedy}", param, ctx)
        if len(text) > DIGITS:
            self.fail(f"a number of {len(text)} digits is too large, {self.remedy}", param, ctx)
        return int(text)


@Made
def seconds(text: str) -> float:
    """A finite time above 0."""
    found = _number(text)[0]
    if not 0 < found <= LONGEST or "%" in text:
        raise ValueError(f"{text[:20]!r} is out of range, give seconds above 0, at most {LONGEST}")
    return found


@Made
def level(text: str) -> float:
    """A confidence level (95, 95% or 0.95) as a fraction of one."""
    number, percent = _number(text)
    fraction = number / 100 if percent or number >= 1 else number
    if not 0.5 <= fraction < 1:
        raise ValueError(f"{text!r} is not a confidence level, write 95, 95% or 0.95")
    return fraction


@Made
def share(text: str) -> float:
    """A share above 0 and below 1 (0.02 or 2%)."""
    number, percent = _number(text)
    found = number / 100 if percent else number
    if not 0 < found < 1:
        raise ValueError(f"{text!r} is not valid, write for example 0.02 or 2%")
    return found


@Made
def gate(text: str) -> tuple[str, float]:
    """A score and its threshold (metric.part=value, or part=value for every metric) as a fraction of one."""
    name, _equals, least = text.rpartition("=")
    number, percent = _number(least)
    threshold = number / 100 if percent else number
    if not (name.strip() and 0 <= threshold <= 1):
        raise ValueError(f"{text!r} is not a threshold, write for example f1=0.57 or f1=57%")
    return name.strip(), threshold


@Made
def memory(text: str) -> int:
    """A size such as 500MB or 4GB, in bytes."""
    from adjudge.memory import parse_size

    size = parse_size(text)
    if not size:
        raise ValueError(f"{text!r} is not valid, write for example 500MB or 4GB")
    return size


class Target(Value):
    """A file to write; - is standard output, or refused with an error."""

    def __init__(self, dash: str = "") -> None:
        self.dash = dash

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; None is standard output."""
        from pathlib import Path

        if str(value) != "-":
            return Path(value)
        if self.dash:
            self.fail(self.dash, param, ctx)
        return None


class Method(click.Choice):  # type: ignore[type-arg]  # not generic in all releases
    """A choice that also accepts the former names of methods."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The current name of a method."""
        return str(super().convert(OLD_TESTS.get(value, value), param, ctx))


class Refused(Value):
    """The value of an option of other commands that does not apply here."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """Never."""
        flag = param.opts[0] if param is not None else "this option"
        raise UsageError(f"{flag} has no meaning here: {self.reason}", hint="leave it out")


def _number(text: str) -> tuple[float, bool]:
    """A number and whether it was written as a percentage; nan if it is not a number."""
    text = text.strip()
    try:
        return float(text.removesuffix("%")), text.endswith("%")
    except ValueError:
        return float("nan"), False


# ---------------------------------------------------------------------------------------------------------------------
# Commands and their options


def command(
    name: str,
    *parameters: Parameters,
    examples: Sequence[str],
    about: str | None = None,
    before: str = "",
    old: Mapping[str, str] | None = None,
    alone: bool = False,
) -> Callable[[Callable[..., Any]], Command]:
    """Makes a command of a function, whose docstring is the help, unless there is another; lists are taken apart.

    `before` is what `--help` shows before the examples; `old` has the spellings that options had before. With
    `alone` one file may have both sides.
    """
    title = "Example" if len(examples) == 1 else "Examples"
    epilog = f"{before}\b\n{title}:" + "".join(f"\n  {each}" for each in examples)

    def make(function: Callable[..., Any]) -> Command:
        text = inspect.cleandoc(about or function.__doc__ or "")
        made = Command(name, params=list(flat(parameters)), callback=function, help=text, epilog=epilog)
        made.old, made.alone = old or {}, alone
        return made

    return make


def flat(parameters: Iterable[Parameters]) -> Iterator[click.Parameter]:
    """Parameters from nested lists of any depth."""
    for each in parameters:
        if isinstance(each, click.Parameter):
            yield each
        else:
            yield from flat(each)


class Command(click.Command):
    """A command whose options, if there are many, are listed under the headings of their sections in order."""

    old: Mapping[str, str] = {}
    alone = False

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take gold and systems from the arguments and from the options formerly used for them."""
        for place, (name, equals, text) in enumerate([each.partition("=") for each in args]):
            args[place] = f"{self.old.get(name, name)}{equals}{text}"
        args = self._joined(args)
        if not ctx.resilient_parsing:
            self._refuse_repeated(ctx, args)
        rest = super().parse_args(ctx, args)
        sides = [each for each in self.params if isinstance(each, click.Argument) and each.name in ("gold", "systems")]
        if len(sides) == 2 and not ctx.resilient_parsing:
            old, systems = ctx.params.pop("old_gold", None), list(ctx.params.pop("old_systems", None) or ())
            first = [] if ctx.params["gold"] is None else [ctx.params["gold"]]
            given = [*([] if old is None else [old]), *first, *ctx.params["systems"]]
            names = [f"'{side.human_readable_name.removeprefix('[NAME=]')}'" for side in sides]
            if not given:
                raise click.MissingParameter(ctx=ctx, param=sides[0], param_hint=names[0])
            given[1:1] = systems
            if len(given) < 2 and not self.alone:
                if any(isinstance(each, click.Argument) and each.name == "metric" for each in self.params):
                    check_metric(ctx.params["metric"], given)
                    hint = f"{names[1]} ('METRIC' comes first, then 'GOLD'; adjudge GOLD SYSTEM guesses the task)"
                    raise click.MissingParameter(ctx=ctx, param=sides[1], param_hint=hint)
                hint = f"{names[1]} (the first one is {names[0]})" if old is None else names[1]
                raise click.MissingParameter(ctx=ctx, param=sides[1], param_hint=hint)
            ctx.params |= {"gold": given[0], "systems": given[1:]}
        return rest

    def _joined(self, args: Sequence[str]) -> list[str]:
        """The arguments, an option whose value is a list given once with all of its values between commas."""
        single = [each for each in self.params if isinstance(each, click.Option) and not each.multiple]
        known = {name: each for each in single for name in each.opts if each.metavar in _LISTS}
        found: list[str] = []
        first: dict[click.Option, int] = {}  # the index of an option's value
        waiting = iter(args)
        for each in waiting:
            name, equals, text = each.partition("=")
            option = known.get(name)
            if each == "--" or option is None:
                found += [each, *waiting] if each == "--" else [each]
                continue
            value = text if equals else next(waiting, None)
            if option in first and value is not None:
                found[first[option]] += f",{value}"
                continue
            first[option] = len(found) + (not equals)
            found += [each] if equals or value is None else [each, value]
        return found

    def _refuse_repeated(self, ctx: click.Context, args: Sequence[str]) -> None:
        """Raise if an option that has one value, or one name of its NAME=VALUE, is given twice: one would be lost."""
        values, _, given = self.make_parser(ctx).parse_args(list(args))
        for each in dict.fromkeys(given):
            if not isinstance(each, click.Option) or (each.is_flag and not each.secondary_opts):
                continue
            twice = given.count(each) > 1 and not each.multiple
            flag = "/".join(each.opts[-1:] + each.secondary_opts)
            if each.multiple and "=" in (each.metavar or ""):
                names = [text.partition("=")[0].strip() for text in dict.fromkeys(values[each.name])]
                twice = len(names) > len(set(names))
                flag += f" {max(names, key=names.count)}"
            if twice:
                raise UsageError(f"{flag} is given twice", hint="give it once")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        shown = [each for each in self.get_params(ctx) if isinstance(each, click.Option) and not each.hidden]
        for option in shown:
            record = option.get_help_record(ctx)
            title = getattr(option, "section", "Options") if len(shown) > MANY else "Options"
            if record is not None:
                sections.setdefault(title, []).append(record)
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def check_metric(metric: str, files: Sequence[str]) -> None:
    """Raise if there is a file where the name of a metric should be."""
    if not is_file(metric) or metric.lower().endswith((".json", ".yaml", ".yml")):  # it may be a specification
        return
    shown = " ".join([metric, *files])
    hint = f"write adjudge score METRIC {shown}, or adjudge {shown}, which guesses the task"
    raise UsageError(f"the metric comes first, and {metric} is a file", hint=hint)


def section(title: str, *parameters: Parameters) -> list[click.Parameter]:
    """Options that stand under a heading."""
    found = list(flat(parameters))
    for each in found:
        each.section = title  # type: ignore[attr-defined]
    return found


def flag(names: str, about: str, **more: Any) -> click.Option:
    """An option without a value; names are separated by spaces."""
    return click.Option(names.split(), is_flag=True, help=about, **more)


def choice(names: str, values: Iterable[str], about: str, **more: Any) -> click.Option:
    """An option whose value is one of a few."""
    more = {"type": click.Choice(list(values)), "show_default": "default" in more, **more}
    return click.Option(names.split(), help=about, **more)


def value(names: str, metavar: str, about: str, **more: Any) -> click.Option:
    """An option with any value, text unless it has another type."""
    more = {"show_default": more.get("default") is not None, **more}
    return click.Option(names.split(), metavar=metavar, help=about, **more)


def field_options(struct: Any, about: Mapping[str, str | tuple[str, str]]) -> list[click.Option]:
    """Options from fields of a struct: what they are called, their type and choices are those of the fields.

    `about` has the help of each, and before it what its value is called, if it is neither a choice nor a flag. What is
    not given is None, for profiles to decide.
    """
    from typing import Literal, get_args, get_origin, get_type_hints

    kinds = get_type_hints(struct)
    made = []
    for name, said in about.items():
        metavar, text = said if isinstance(said, tuple) else ("", said)
        kind = next((each for each in get_args(kinds[name]) if each is not type(None)), kinds[name])
        literal = kinds[name] if get_origin(kinds[name]) is Literal else kind if get_origin(kind) is Literal else None
        names = f"--{name.replace('_', '-')} {name}"
        if literal is not None:
            made.append(choice(names, get_args(literal), text))
        elif kinds[name] is bool:
            made.append(flag(names, text, default=None))
        else:
            made.append(value(names, metavar, text, **({"type": float} if kind is float else {})))
    return made


def format_option(*formats: str) -> click.Option:
    """The layout, text by default."""
    return choice("--format format_", formats, "Layout.", default="text")


output_option = value("-o --output", "FILE", "Write to FILE (atomically); - is standard output.", type=Target())
verbose_option = flag("--verbose", "Log each step; show tracebacks.")
output_options = section(
    "Output",
    choice("--format format_", FORMATS, "Layout.", default="text"),
    output_option,
    flag("--quiet", "Print only the result: no progress, signature or notes."),
    verbose_option,
)
save_option, summary_option, fail_under_option = result_options = section(
    "Output",
    value(
        "--save",
        "RESULT.json",
        "Save the result with its table of documents, for compare and report.",
        type=Target("a result is saved to a file, to print it use --format json"),
    ),
    value(
        "--summary",
        "FILE",
        "Also append the result to FILE as Markdown, for example to the job summary in CI.",
        type=Target("a summary is added to a file, to print it use --format md"),
    ),
    value(
        "--fail-under",
        "NAME=VALUE",
        "Exit with 3 if a score is lower: f1=0.57, or relation.strict.f1=57%. Repeatable.",
        type=gate,
        multiple=True,
    ),
)
SCORE_EXAMPLE = "ner.strict.recall"
"""In the help of commands whose results may be of any task."""


def baseline_options(example: str = SCORE_EXAMPLE) -> list[click.Parameter]:
    """The options of a gate; the `example` is a score of the task, METRIC.PART."""
    return section(
        "Output",
        value(
            "--fail-if-worse",
            "BASELINE",
            "Exit with 3 if a system is significantly worse than this saved result, or this system of the run, "
            "overall or in a slice; prints the drops it can detect to standard error.",
        ),
        value(
            "--alpha",
            "P",
            "Significance level of --fail-if-worse, after Holm's correction. [default: 0.05]",
            type=click.FloatRange(0, 1, min_open=True, max_open=True),
        ),
        value(
            "--margin",
            "D",
            "With --fail-if-worse: exit with 3 unless the interval of the difference lies above -D (0.02 or 2%).",
            type=share,
        ),
        value("--gate", "SCORES", f"What --fail-if-worse tests, such as {example}. [default: the F of every metric]"),
    )


saved_by_option = value(
    "--by",
    "FIELD",
    "Also score by a field of the documents, or of elements if all were saved with --by. Repeatable.",
    multiple=True,
)
docs_option = value(
    "--docs",
    "LIST",
    "Score only these documents: a file with one id per line, a design of `adjudge sample`, or a,b,c.",
)
pool_option = choice(
    "--pool",
    ("micro", "macro"),
    "Sum the counts (micro) or average over documents (macro). [default: as the metric says]",
)
time_limit_option = value(
    "--time-limit",
    "SECONDS",
    "Stop the search in a document after this many seconds (60); scores not proven optimal are marked and show their "
    "bound.",
    type=seconds,
)

INTERVAL = "How intervals are computed: auto is jackknife below 100 documents, else percentile."
UNCLUSTERED = ("bootstrap", "ci", "seed", "interval", "test")
RESAMPLING = (*UNCLUSTERED, "cluster_by")


def resampling_options(
    unless: str = "",
    *,
    names: Sequence[str] = RESAMPLING,
    more: Sequence[str] = (),
    tests: Sequence[str] = TESTS,
    bootstrap: str = "Resamples for intervals and tests, 0 for neither. "
    "[default: 1000, and more for the tests of many systems]",
    interval: str = INTERVAL,
) -> list[click.Parameter]:
    """The options of intervals and tests; what is not given is None.

    `unless` says where else defaults come from, `more` are further methods, the others are helps.
    """
    made = {
        "bootstrap": value(
            "--bootstrap", "N", bootstrap, type=Whole("give the number of resamples, or 0 for no intervals")
        ),
        "ci": value("--ci", "LEVEL", f"Confidence of the intervals. [default: 95{unless}]", type=level),
        "seed": value(
            "--seed", "N", f"Seed of the resampling. [default: 13{unless}]", type=Whole("give a whole number from 0")
        ),
        "interval": choice("--interval", (), f"{interval} [default: auto{unless}]", type=Method((*INTERVALS, *more))),
        "test": choice(
            "--test",
            (),
            f"How two systems are compared: auto is the test that agrees with the interval. [default: auto{unless}]",
            type=Method((*tests, *more)),
        ),
        "cluster_by": value(
            "--cluster-by",
            "FIELD",
            "Resample documents with the same value of this field (a story, an author) together.",
        ),
    }
    return section("Uncertainty", *(made[name] for name in names))


runs_fixed_option = section(
    "Uncertainty",
    flag(
        "--runs-fixed",
        "Systems NAME#1, NAME#2 ... are runs of NAME: intervals are about these runs only, not about further runs.",
    ),
)


def rank_options(example: str = SCORE_EXAMPLE) -> list[click.Parameter]:
    """The options of a ranking; the `example` is a score of the task, METRIC.PART."""
    metric = example.rpartition(".")[0]
    return section(
        "Uncertainty",
        flag(
            "--rank/--no-rank",
            "Rank several systems: the best first, with ranges of ranks. [default: yes]",
            default=None,
        ),
        value("--rank-by", "SCORE", f"Rank them by this score alone, such as {metric} or {example}."),
        flag("--pairs", "Compare all pairs of systems, with differences and tests."),
        runs_fixed_option,
    )


def refused(name: str, reason: str) -> click.Option:
    """An option of other commands that does not apply here; not in `--help`."""
    more: dict[str, Any] = {"is_flag": True, "flag_value": "yes"} if name in ("save_documents", "exact") else {}
    return click.Option([f"--{name.replace('_', '-')}"], hidden=True, type=Refused(reason), **more)


def inference_of(options: Mapping[str, Any], **changed: Any) -> Inference:
    """The settings of intervals and tests, from the options."""
    from adjudge.stats.inference import Inference

    names = {"ci": "level"} | {name: name for name in ("bootstrap", "seed", "interval", "test", "cluster_by")}
    given = {field: options[name] for name, field in names.items() if options.get(name) is not None}
    return Inference(**{**given, **changed})


# ---------------------------------------------------------------------------------------------------------------------
# Gold and systems


class Sides(NamedTuple):
    """The files of gold and of the systems, and the names of those that were named."""

    gold: Any
    paths: list[Any]
    names: list[str | None]

    def named(self) -> dict[str, str]:
        """The files of the systems by name."""
        from adjudge.evaluate.sides import name_systems

        return dict(name_systems(self.gold, self.paths, self.names))


def side_arguments(
    gold: str = "GOLD", system: str = "SYSTEM", *, old_gold: str = "", old_system: str = ""
) -> list[click.Parameter]:
    """Gold and one or more systems; the options formerly used for them are hidden."""
    found: list[click.Parameter] = [
        click.Argument(["gold"], metavar=gold, required=False),
        click.Argument(["systems"], metavar=f"[NAME=]{system}...", nargs=-1),
    ]
    if old_gold:
        found.append(click.Option([*old_gold.split(), "old_gold"], hidden=True))
    if old_system:
        found.append(click.Option([*old_system.split(), "old_systems"], hidden=True, multiple=True))
    return found


def sides_of(options: dict[str, Any], *more_targets: str, inputs: Iterable[str | None] = ()) -> Sides:
    """Gold and systems from the arguments of a command, which are taken out of its options.

    Raises before the work if an output cannot be written, or is one of the files that are read: gold, systems, the
    list of documents, and the `inputs`.
    """
    if options.get("save") is None and options.get("explain") is None:
        refuse_alone("--save-documents", "--save")
    gold, pairs = options.pop("gold"), [named(system) for system in options.pop("systems")]
    paths = [path for _, path in pairs]
    check_targets(
        options, *more_targets, inputs=[gold, *paths, *inputs, options.get("docs"), options.get("fail_if_worse")]
    )
    return Sides(gold, list(map(_file, paths)), [name for name, _ in pairs])


def _file(path: str) -> Any:
    """On a command line, what looks like data is a file, too."""
    if not any(mark in path for mark in "{[\n"):
        return path
    from pathlib import Path

    return Path(path)


def named(text: str) -> tuple[str | None, str]:
    """A name and a path from NAME=PATH; a path alone, even an existing one with an equals sign, has no name.

    >>> named("mine=runs/a.jsonl"), named("runs/a.jsonl")
    (('mine', 'runs/a.jsonl'), (None, 'runs/a.jsonl'))
    """
    name, equals, path = text.partition("=")
    exists = os.path.exists(text)  # noqa: PTH110  # unlike Path.exists it never raises
    return (name, path) if equals and name and path and not exists else (None, text)


def is_given(name: str) -> bool:
    """Whether an option is on the command line."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def refuse_with(option: str, others: Iterable[str], reason: str = "") -> None:
    """Raise if one of the other options is on the command line, because `option` would ignore it."""
    for name in others:
        if is_given(name):
            flag = "--" + name.removesuffix("_").replace("_", "-")
            hint = f"leave one of them out: {reason}" if reason else "leave one of them out"
            raise UsageError(f"{option} and {flag} cannot be combined", hint=hint)


def refuse_alone(option: str, needed: str) -> None:
    """Raise if an option is on the command line without the one it belongs to."""
    if is_given(option.removeprefix("--").replace("-", "_")):
        raise UsageError(f"{option} does nothing without {needed}", hint="give both, or neither")


def listed_lines(path: str, what: str) -> list[str]:
    """The lines of a list file."""
    from adjudge.formats import source

    return source.listed_lines(path, what)


def old_texts(options: dict[str, Any], listed: str) -> None:
    """Where `--docs` named source texts and an option `listed` the documents: what was written so still works."""
    docs, old = options["docs"], options.pop(listed)
    if old is not None:
        options |= {"texts": options["texts"] or docs, "docs": old}
    elif docs is not None and options["texts"] is None and (os.path.isdir(docs) or _is_table(docs)):  # noqa: PTH112
        options |= {"texts": docs, "docs": None}


def _is_table(path: str) -> bool:
    return is_file(path) and any("\t" in line for line in listed_lines(path, "documents"))


def _drawn_documents(path: str) -> tuple[str, ...]:
    from adjudge.estimates.files import read_design

    design = read_design(path)
    if design.unit != "document":
        raise UsageError(
            f"{path}: the design is of {design.units}", hint="draw documents: adjudge sample --by document"
        )
    return tuple(sorted(design.drawn))


def document_list(text: str | None) -> tuple[str, ...] | None:
    """The ids of `--docs`: the lines of a file if there is one of that name, else the parts between commas."""
    if text is None:
        return None
    lines = listed_lines(text, "documents") if is_file(text) else text.split(",")
    if lines[:1] and lines[0].startswith('# {"rounds"'):
        return _drawn_documents(text)
    ids = tuple(line.strip() for line in lines if line.strip())
    if not ids:
        raise UsageError(f"--docs {text!r} names no documents", hint="give ids, or a file with one id per line")
    return ids
