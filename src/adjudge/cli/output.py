"""Output: results to standard output or a file, remarks to standard error, and the exit code of a gate."""

from __future__ import annotations

import codecs
import gc
import os
import re
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli import ReaderGone
from adjudge.errors import GateError, Problem, UsageError, did_you_mean, visible

if TYPE_CHECKING:
    from pathlib import Path

    from adjudge.stats.measure import Measure
    from adjudge.stats.result import Result

Progress = Callable[[int, int], None]
PATIENCE = 1.0  # seconds before progress is shown
SLOW = 5.0  # seconds spent on one document before it is named
_RED, _PLAIN = "\x1b[1;31m", "\x1b[0m"
_ESCAPED = "adjudge-escaped"
_BASELINE = "adjudge.baseline"
_STARTED = time.perf_counter()


# ---------------------------------------------------------------------------------------------------------------------
# Standard output and standard error, in whatever state


def _escape(error: UnicodeError) -> tuple[str, int]:
    r"""Characters that a stream cannot take, as \uXXXX, which JSON understands as well."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    pairs = (units[place : place + 2].hex() for place in range(0, len(units), 2))
    return "".join(f"\\u{pair}" for pair in pairs), error.end


def prepare_streams() -> None:
    """Make sure that no character stops the output, and that lines end alike everywhere.

    An ASCII-only terminal gets escapes; Windows would write CR LF, and a result that is piped has the bytes of `-o`.
    """
    codecs.register_error(_ESCAPED, _escape)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with suppress(ValueError, OSError):  # it is closed
                reconfigure(errors=_ESCAPED, newline="\n")


def say(line: str) -> None:
    """A line on standard error, if there is one."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):  # it is full or closed, and there is nowhere left to report it
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()


def complain(*problems: object) -> None:
    """Print the problems, one per line, in colour on a terminal unless NO_COLOR is set."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not is_terminal()
    start = "error:" if plain else f"{_RED}error:{_PLAIN}"
    for problem in problems:
        say(f"{start} {visible(as_options(str(problem)))}")


_KEYWORDS = re.compile(
    r'(\A|\b(?:say|set|with|or|pass) )(ends|scheme|field|base|annotator|id|locate|fragments)=(?:"([^"]*)"|(\d+))'
)


def as_options(text: str) -> str:
    """A message whose remedy is a keyword of Python, with the option of the command line instead.

    >>> as_options('x.bio:1:5: no prefix, say scheme="IO" if each run of a label is one entity')
    'x.bio:1:5: no prefix, say --scheme IO if each run of a label is one entity'
    """
    text = _KEYWORDS.sub(lambda found: f"{found[1]}--{found[2]} {found[3] or found[4]}", text)
    text = re.sub(r'\bset fields=\{"(\w+)": "([^"]*)"\}', r"set --fields \1=\2", text)
    return text.replace('pass labels=["O", "B-PER", ...]', "give --labels O,B-PER,...")


def is_terminal() -> bool:
    """Whether standard error is a terminal."""
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # it is closed
        return False


def abandon_output() -> None:
    """Discard what could not be written; else the interpreter would try again at exit, and complain."""
    with suppress(AttributeError, ValueError, OSError):  # there is no standard output, or it is not a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def emit(text: str, output: Path | None = None) -> None:
    """Print, or write the file atomically; on a terminal, control sequences in the text are escaped."""
    if output is not None:
        from adjudge.files import write_whole

        write_whole(output, text)
        return
    if sys.stdout is None:
        raise UsageError("standard output is closed", hint="write to a file with -o")
    try:
        sys.stdout.write(visible(text, keep="\n\t") if sys.stdout.isatty() else text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        abandon_output()
        reason = error.strerror or str(error)
        raise UsageError(f"standard output cannot be written: {reason}", hint="write elsewhere with -o") from None


def emit_lines(lines: Iterable[str], output: Path | None = None) -> None:
    """Print lines, or write them to a file, with control sequences escaped."""
    emit("".join(f"{visible(line)}\n" for line in lines), output)


def emit_json(data: Any, output: Path | None = None) -> None:
    """Print JSON, or write it to a file."""
    import json

    emit(json.dumps(data, indent=2, ensure_ascii=False) + "\n", output)


def log(options: Mapping[str, Any], message: str) -> None:
    """Log a step with the seconds since the start, if `--verbose` is given."""
    if options["verbose"]:
        say(f"{time.perf_counter() - _STARTED:6.2f} s  {visible(message)}")


@contextmanager
def working(what: str, *, shown: bool) -> Iterator[Progress | None]:
    """A progress bar on a terminal, once the work has taken a second; it moves if progress is reported.

    A document that takes long is named.
    """
    if not (shown and is_terminal()):
        yield None
        return
    from threading import Event, Thread

    ended = Event()
    state: dict[str, int | None] = {"completed": 0, "total": None}

    def show() -> None:
        if PATIENCE and ended.wait(PATIENCE):
            return
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        from adjudge.evaluate.processes import slow_document

        times = (TimeElapsedColumn(), TextColumn("{task.fields[left]}"), TimeRemainingColumn())
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), *times)
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=None, left="")
            while not ended.wait(0.1):
                name = visible(slow_document(SLOW))[:40]
                said = {"description": f"{what} {escape(name)}".rstrip(), "left": "left:" if state["total"] else ""}
                bar.update(task, **said, **state)  # type: ignore[arg-type]
            bar.update(task, **state)  # type: ignore[arg-type]

    def report(done: int, total: int) -> None:
        first = state["total"] or total  # an estimate that changes would forget how fast it went
        state.update(completed=round(done * first / max(total, 1)), total=first)

    thread = Thread(target=show, daemon=True)
    thread.start()
    try:
        yield report
    finally:
        ended.set()
        thread.join()


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the cycle collector: mentions are many small objects without cycles, which it would visit in vain.

    Nor does it visit later what was made here.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if before:
            gc.enable()


def emit_page(result: Result, options: Mapping[str, Any]) -> None:
    """Write the page of a result."""
    from adjudge.report.page import render_result

    with uncollected():
        page = render_result(result, title=options["title"])
    emit(page, options["output"])
    log(options, f"wrote a page of {len(page)} characters")


def emit_explanations(found: Iterable[Any], options: Mapping[str, Any]) -> None:
    """Write the outcome of one document, system by system: values that are text, and have `to_data` for JSON."""
    if options["format_"] == "json":
        emit_json([each.to_data() for each in found], options["output"])
    elif options["format_"] == "text":
        emit("\n\n".join(visible(str(each), keep="\n") for each in found) + "\n", options["output"])
    else:
        raise UsageError(f"an explanation cannot be written as {options['format_']}", hint="use text or json")


# ---------------------------------------------------------------------------------------------------------------------
# Output files


def is_file(text: str | None) -> bool:
    """Whether a string names an existing file; one that is too long for a name does not."""
    return os.path.isfile(text or "")  # noqa: PTH113  # unlike Path.is_file it never raises


def check_targets(options: Mapping[str, Any], *names: str, inputs: Iterable[str | None] = ()) -> None:
    """Raise before the work starts if an output cannot be written, or is an input or another output.

    Outputs are those of the usual options, and those of the options with these names.
    """
    named = {name: options[name] for name in ("output", "save", "summary", *names) if options.get(name) is not None}
    if not named:
        return
    from adjudge.files import check_writable

    files = [name for name in inputs if name is not None and os.path.exists(name)]  # noqa: PTH110  # never raises
    places: dict[Path, str] = {}
    for name, target in named.items():
        check_writable(target, inputs=files)
        flag = f"--{name.replace('_', '-')}"
        other = places.setdefault(target.resolve(), flag)
        if other != flag:
            raise UsageError(f"{other} and {flag} name the same file", hint="choose two names")


def finish(
    result: Result,
    options: Mapping[str, Any],
    *,
    shown: Result | None = None,
    rows: str = "scores",
    text: str | None = None,
    also: Mapping[Path, str | bytes] | None = None,
) -> None:
    """Render, then save and print, and raise if a gate is not passed; nothing is written if rendering fails.

    `shown` is printed if it is not what is saved (if not given, the ranking that was asked for, and the means of runs),
    `rows` is what CSV has a row for, `text` what to print if it is already rendered, `also` other files to write.
    """
    from adjudge.report.render import render

    shown = of_runs(with_ranking(result, options), options) if shown is None else shown
    pairs = bool(options.get("pairs"))
    text = render(shown, options["format_"], quiet=options["quiet"], rows=rows, pairs=pairs) if text is None else text
    files = dict(also or {})
    if options.get("save") is not None:
        files[options["save"]] = result.to_json(with_tables=True) + "\n"
    if files or options.get("summary") is not None:
        from adjudge.files import append_whole, write_whole
    for path, content in files.items():
        write_whole(path, content)
    if options.get("summary") is not None:  # besides what is already in the file
        block = render(shown, "md", pairs=pairs).encode("utf-8", "backslashreplace")
        try:
            append_whole(options["summary"], block)
        except OSError as error:
            reason = error.strerror or str(error)
            raise UsageError(f"{options['summary']}: cannot be written: {reason}", hint="write elsewhere") from None
    emit(text, options["output"])
    apply_gates(result if options.get("fail_if_worse") else shown, options)


def of_runs(result: Result, options: Mapping[str, Any]) -> Result:
    """The result with one system for all of its runs, if there are any."""
    if result.options is not None and len(result.systems) > 1:
        from adjudge.stats.runs import has_runs, mean_of_runs

        if has_runs(result):
            return mean_of_runs(result, fixed=bool(options.get("runs_fixed")))
    if options.get("runs_fixed"):
        raise UsageError("--runs-fixed: no system has several runs", hint="name them NAME#1, NAME#2, or leave it out")
    return result


def check_rank(options: Mapping[str, Any]) -> None:
    """Raise if a ranking is both requested and declined."""
    if options.get("rank") is False and options.get("rank_by"):
        raise UsageError("--no-rank and --rank-by contradict each other", hint="leave one of them out")


def with_ranking(result: Result, options: Mapping[str, Any]) -> Result:
    """The result with the requested ranking: by all headline scores, by one score, or none."""
    check_rank(options)
    if options.get("rank") is False or options.get("rank_by"):
        import msgspec

        from adjudge.stats.ranking import ranked_by, ranking_key

        by = options.get("rank_by")
        ranking = ranked_by(result, ranking_key(result, by)) if by and len(result.systems) > 1 else ()
        return msgspec.structs.replace(result.signed(), ranking=ranking)
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Gates: thresholds that make a command fail, checked against what will be scored before anything is


def check_gates(gates: Sequence[tuple[str, float]], measures: Sequence[Measure]) -> None:
    """Raise if a gate names a score that will not be computed."""
    if not gates:
        return
    from adjudge.stats.measure import part_keys

    known = {name for metric, part in part_keys(measures) for name in (part, f"{metric}.{part}")}
    for name, _ in gates:
        if name not in known:
            hint = did_you_mean(name, sorted(known)) or f"scores are {', '.join(sorted(known))}"
            raise UsageError(f"--fail-under {name}: there is no such score", hint=hint)


def check_baseline(
    options: Mapping[str, Any], names: Collection[str] = (), measures: Callable[[], Sequence[Measure]] | None = None
) -> None:
    """Raise before the work if there is no baseline, neither a file nor a system of the run, or a part without one."""
    name = options.get("fail_if_worse")
    if name is None:
        for part in ("alpha", "margin", "gate"):
            if options.get(part) is not None:
                raise UsageError(f"--{part} needs --fail-if-worse", hint="give the baseline, or leave it out")
        return
    if name not in names or is_file(name):
        _load_baseline(name)
    elif len(names) == 1:
        raise UsageError(
            f"{name} is the only system and cannot be its own baseline", hint="give another system as well"
        )
    if options.get("gate") and measures is not None:
        from adjudge.stats.gate import chosen_keys

        chosen_keys(_gate_scores(options), measures())


def _gate_scores(options: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(each.strip() for each in (options.get("gate") or "").split(",") if each.strip())


def _load_baseline(path: str) -> Result:
    """The baseline, read once in a command."""
    from adjudge.stats.result import Result

    kept = click.get_current_context().meta
    if _BASELINE not in kept:
        kept[_BASELINE] = Result.load(path)
    found: Result = kept[_BASELINE]
    return found


def apply_gates(result: Result, options: Mapping[str, Any]) -> None:
    """Raise if a system fails: a score is below its gate, or worse than the baseline's."""
    problems = [*_below(options.get("fail_under") or (), result)]
    name = options.get("fail_if_worse")
    if name is not None:
        from adjudge.stats.gate import LEVEL, Gate, against, gated

        gate = Gate(options.get("alpha") or LEVEL, options.get("margin"), _gate_scores(options))
        own = any(each.name == name for each in result.systems)
        within = own and (not is_file(name) or bool(options.get("baseline_within")))
        verdict = against(result, name, gate) if within else gated(result, _load_baseline(name), gate)
        for line in verdict.seen():
            say(visible(line))
        problems += verdict.problems()
    if problems:
        raise GateError(problems)


def _below(gates: Sequence[tuple[str, float]], result: Result) -> Iterator[Problem]:
    """Scores of any system on the whole corpus that are below their gates; an undefined score counts as below."""
    for name, threshold in gates:
        for system in result.systems:
            for score in system.scores:
                named = name in (score.part, f"{score.metric}.{score.part}") and not score.slice
                if named and (score.value is None or score.value < threshold):
                    bound = "" if score.bound is None else f" (at most {score.bound:.6g})"
                    value = f"{_shown(score.value)}{bound}"
                    text = f"{system.name}: {score.metric}.{score.part} is {value}, below {threshold:g}"
                    yield Problem(text)


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.6g}"
