"""The options that have the same name and meaning everywhere, and the types of their values."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from adjudge.errors import Problem, UsageError
from adjudge.stats.inference import INTERVALS, OLD_TESTS, TESTS
from adjudge.tasks.profiles import PROFILES

if TYPE_CHECKING:  # slow to load, and most results are only printed
    from pathlib import Path

    from adjudge.evaluate.run import Run
    from adjudge.stats.inference import Inference

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("text", "json", "csv", "md", "latex")
POOLS = ("micro", "macro")
DIGITS = 18  # of whole numbers, which then fit everywhere
CREDITS = ("halving", "linear", "ancestors", "general")


def level(_: click.Context, __: click.Parameter, text: str | None) -> float | None:
    """A confidence level (95, 95% or 0.95) as a fraction of one."""
    if text is None:
        return None
    number, percent = _number(text)
    fraction = number / 100 if percent or number >= 1 else number
    if not 0.5 <= fraction < 1:
        raise click.BadParameter(f"{text!r} is not a confidence level, write 95, 95% or 0.95")
    return fraction


def gates(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """Thresholds (metric.part=value, or part=value for every metric), the value as a fraction of one."""
    found = []
    for text in texts:
        name, _equals, value = text.rpartition("=")
        number, percent = _number(value)
        threshold = number / 100 if percent else number
        if not (name.strip() and 0 <= threshold <= 1):
            raise click.BadParameter(f"{text!r} is not a threshold, write for example f1=0.57 or f1=57%")
        found.append((name.strip(), threshold))
    return tuple(found)


def hierarchies(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> dict[str, str]:
    """Fields and their hierarchies, from FIELD=FILE."""
    found: dict[str, str] = {}
    for text in texts:
        field, equals, file = (part.strip() for part in text.partition("="))
        if not (field and equals and file):
            raise click.BadParameter(f"{text!r} is not a field and a file, write for example events.type=types.tsv")
        if field in found:
            raise click.BadParameter(f"{field} has two hierarchies, give one")
        found[field] = file
    return found


def whole(remedy: str) -> Callable[[click.Context, click.Parameter, str | None], int | None]:
    """A check that a value is a whole number from 0, with the remedy in the message."""

    def check(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
        if text is None:
            return None
        if not (text.isascii() and text.isdigit()):
            raise click.BadParameter(f"{text!r} is not possible, {remedy}")
        if len(text) > DIGITS:
            raise click.BadParameter(f"a number of {len(text)} digits is too large, {remedy}")
        return int(text)

    return check


def _number(text: str) -> tuple[float, bool]:
    """A number and whether it was written as a percentage; nan if it is no number."""
    text = text.strip()
    try:
        return float(text.removesuffix("%")), text.endswith("%")
    except ValueError:
        return float("nan"), False


def compose(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator; they appear in `--help` in this order."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def target(_: click.Context, __: click.Parameter, path: str | Path | None) -> Path | None:
    """Where to write; None, as for -, is standard output."""
    return None if path is None or str(path) == "-" else _path(path)


def saved(_: click.Context, __: click.Parameter, path: str | Path | None) -> Path | None:
    """Where to save a result, which is a file."""
    if path is not None and str(path) == "-":
        raise click.BadParameter("a result is saved to a file, to print it use --format json")
    return None if path is None else _path(path)


def appended(_: click.Context, __: click.Parameter, path: str | Path | None) -> Path | None:
    """A file to add to, which may not be there yet."""
    if path is None:
        return None
    if str(path) == "-":
        raise click.BadParameter("a summary is added to a file, to print it use --format md")
    from adjudge.report.files import check_writable

    check_writable(path)
    return _path(path)


def _path(path: str | Path) -> Path:
    from pathlib import Path

    return Path(path)


output_option = click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(),
    callback=target,
    help="Write to FILE, whole or not at all; - is standard output.",
)
verbose_option = click.option("--verbose", is_flag=True, help="Say what is done on the way; show where a bug is.")
output_options = compose(
    click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True, help="Layout."),
    output_option,
    click.option("--quiet", is_flag=True, help="Only what was asked for: no progress, signature or notes."),
    verbose_option,
)
save_option = click.option(
    "--save",
    metavar="RESULT.json",
    type=click.Path(),
    callback=saved,
    help="Save the result with its table of documents, for compare and report.",
)
save_documents_option = click.option(
    "--save-documents",
    is_flag=True,
    help="With --save: also the texts and what became of every item, for report.",
)
summary_option = click.option(
    "--summary",
    metavar="FILE",
    type=click.Path(),
    callback=appended,
    help="Also add the result to the end of FILE, in Markdown, as for the summary of a step in CI.",
)
by_option = click.option(
    "--by",
    metavar="FIELD",
    multiple=True,
    help="Also score by a field of the gold documents (genre) or of elements (relations.type). Repeatable.",
)
saved_by_option = click.option(
    "--by",
    metavar="FIELD",
    multiple=True,
    help="Also score by a field of the documents, or of elements if all were saved with --by. Repeatable.",
)


class Method(click.Choice[str]):
    """A choice that also knows the names that methods had before."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name that a method has now."""
        return super().convert(OLD_TESTS.get(value, value), param, ctx)


BOOTSTRAP = "Resamples for intervals and tests, 0 for neither. [default: 1000, and more for the tests of many systems]"
INTERVAL = "How intervals are found: auto is jackknife below 100 documents, else percentile."
TEST = "How two systems are compared: auto is the test that agrees with the interval."


def inference_of(options: Mapping[str, Any], **changed: Any) -> Inference:
    """What the options of intervals and tests say."""
    from adjudge.stats.inference import Inference

    names = {"bootstrap": "bootstrap", "ci": "level", "seed": "seed", "interval": "interval", "test": "test"}
    found = {field: options[name] for name, field in names.items() if field not in changed}
    return Inference(**found, **changed)


def run_from(options: Mapping[str, Any], **changed: Any) -> Run:
    """What the options that every scoring shares say."""
    from adjudge.evaluate.run import Run

    docs = options.get("docs")
    found: dict[str, Any] = {
        "inference": changed.get("inference") or inference_of(options),
        "docs": None if docs is None else tuple(document_list(docs)),
        "by": tuple(dict.fromkeys(options.get("by") or ())),
        **{name: options[name] for name in ("pool", "jobs", "cluster") if name in options},
    }
    return Run(**{**found, **changed})


def resampling_options(*, inherited: bool = False) -> Callable[[F], F]:
    """The options of intervals and tests; if `inherited`, what is not given is None."""

    def option(name: str, default: str, text: str, **more: Any) -> Callable[[F], F]:
        standard: dict[str, Any] = {} if inherited else {"default": default, "show_default": True}
        return click.option(name, help=text, **standard, **more)

    resamples = whole("give the number of resamples, or 0 for no intervals")
    return compose(
        click.option("--bootstrap", metavar="N", callback=resamples, help=BOOTSTRAP),
        option("--ci", "95", "Confidence of the intervals.", metavar="LEVEL", callback=level),
        option("--seed", "13", "Seed of the resampling.", metavar="N", callback=whole("give a whole number from 0")),
        option("--interval", "auto", INTERVAL, type=Method(INTERVALS)),
        option("--test", "auto", TEST, type=Method(TESTS)),
    )


fail_under_option = click.option(
    "--fail-under",
    metavar="NAME=VALUE",
    callback=gates,
    multiple=True,
    help="Exit with 3 if a score is lower: f1=0.57, or relation.strict.f1=57%. Repeatable.",
)
pool_option = click.option(
    "--pool",
    type=click.Choice(POOLS),
    help="Sum the counts first, or average the documents (default: as the metric says).",
)
docs_option = click.option("--docs", metavar="LIST", help="Score only these: a file with one id per line, or a,b,c.")
explain_option = click.option(
    "--explain", metavar="DOC", help="Print what matched in this document instead of the scores."
)
jobs_option = click.option(
    "--jobs",
    metavar="N",
    callback=whole("give the number of processes, or 0 to let the program choose"),
    default="0",
    show_default=True,
    help="Processes to use; 0 lets the program choose.",
)
engine_options = compose(
    jobs_option,
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Do the work on a Dask cluster: tcp://host:8786, a scheduler file, or local for one that is started here.",
    ),
)
scoring_options = compose(
    by_option,
    resampling_options(),
    pool_option,
    click.option(
        "--profile",
        type=click.Choice(list(PROFILES)),
        default="default",
        show_default=True,
        help="Conventions: collections are sets, multisets, or sets whose repeated elements are errors (strict); "
        "0/0 is 0 or has no value (undefined).",
    ),
    docs_option,
    explain_option,
    fail_under_option,
    engine_options,
    click.option(
        "--hierarchy",
        metavar="FIELD=FILE",
        multiple=True,
        callback=hierarchies,
        help="Partial credit for types (events.type=types.tsv: lines of child, tab, parent; events.type=. if levels "
        "are in the names). Repeatable.",
    ),
    click.option(
        "--hierarchy-credit",
        type=click.Choice(CREDITS),
        default="halving",
        show_default=True,
        help="What a type earns that is right on its upper levels only.",
    ),
    click.option(
        "--time-limit",
        metavar="SECONDS",
        type=click.FloatRange(min=0, min_open=True),
        help="Stop searching a document after this time; unproven scores say so and carry their bound.",
    ),
    save_option,
    save_documents_option,
    summary_option,
    output_options,
)


reader_options = compose(
    click.option(
        "--reader",
        metavar="FORMAT",
        default="jsonl",
        show_default=True,
        help="The format of the files: bio, dygie, ...",
    ),
    click.option(
        "--system-reader", metavar="FORMAT", help="The format of the system files, if it is another one than of gold."
    ),
)


def is_file(text: str) -> bool:
    """Whether a text names a file that is there; one that is too long for a name does not."""
    return os.path.isfile(text)  # noqa: PTH113  # unlike Path.is_file it never raises


def named(text: str) -> tuple[str | None, str]:
    """A name and a path from NAME=PATH; a path alone, even with an equals sign if there is such a file, has no name.

    >>> named("mine=runs/a.jsonl"), named("runs/a.jsonl")
    (('mine', 'runs/a.jsonl'), (None, 'runs/a.jsonl'))
    """
    name, equals, path = text.partition("=")
    return (name, path) if equals and name and path and not is_file(text) else (None, text)


def refuse_with(option: str, others: Iterable[str]) -> None:
    """Raise if one of the other options stands on the command line, for `option` would take no notice of it."""
    context = click.get_current_context()
    for name in others:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            flag = "--" + name.replace("_", "-")
            raise UsageError(f"{option} and {flag} do not go together", hint="leave one of them out")


def refuse_alone(option: str, needed: str) -> None:
    """Raise if an option stands on the command line without the one that it belongs to."""
    name = option.removeprefix("--").replace("-", "_")
    if click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE:
        raise UsageError(f"{option} does nothing without {needed}", hint="give both, or neither")


def listed_lines(path: str, what: str) -> list[str]:
    """The lines of a file that lists something."""
    from adjudge.model.whereabouts import not_utf8

    try:
        return _path(path).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(not_utf8(error, path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problem = Problem(f"the list of {what} cannot be read ({reason})", path=path, hint="check the file")
        raise UsageError(problem) from None


def document_list(text: str) -> list[str]:
    """The ids of `--docs`: the lines of a file if there is one of that name, else the parts between commas."""
    lines = listed_lines(text, "documents") if is_file(text) else text.split(",")
    ids = [line.strip() for line in lines if line.strip()]
    if not ids:
        raise UsageError(f"--docs {text!r} names no documents", hint="give ids, or a file with one id per line")
    return ids
