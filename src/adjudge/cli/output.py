"""Where results and remarks go: standard output or a file, and standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from adjudge.cli import ReaderGone
from adjudge.cli.options import is_file
from adjudge.cli.streams import abandon_output, say
from adjudge.errors import UsageError, visible
from adjudge.report.files import append_whole, check_writable, write_atomic

if TYPE_CHECKING:
    from pathlib import Path

    from adjudge.stats.result import Result

Progress = Callable[[int, "int | None"], None]
_PATIENCE = 1.0  # seconds before there is a sign of life


def check_targets(*targets: Path | None, inputs: Sequence[str] = ()) -> None:
    """Raise before the work if an output cannot be written, or is an input or another output."""
    given = [target for target in targets if target is not None]
    for target in given:
        check_writable(target, inputs=[name for name in inputs if name != "-"])
    if len({target.resolve() for target in given}) < len(given):
        raise UsageError("--output and --save name the same file", hint="choose two names")


def load_results(given: Sequence[tuple[str | None, str]]) -> list[Result]:
    """Saved results from names and paths; a name is that of the only system of its result."""
    from adjudge.stats.result import Result

    return [Result.load(path) if name is None else Result.load(path).renamed(name) for name, path in given]


def metric_files(metric: str) -> list[str]:
    """The files that a metric is read from: specifications, and modules in the current folder."""
    from adjudge.tasks.scoring import is_spec_file, split_names

    parts = [metric] if is_spec_file(metric) else split_names(metric)
    return [
        part for each in parts for part in (each, each.partition(":")[0].replace(".", "/") + ".py") if is_file(part)
    ]


def emit(text: str, output: Path | None) -> None:
    """Print, or write the file whole."""
    if output is None:
        if sys.stdout is None:
            raise UsageError("standard output is closed", hint="write to a file with -o")
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            raise ReaderGone from None
        except OSError as error:
            abandon_output()
            reason = error.strerror or str(error)
            raise UsageError(f"standard output cannot be written: {reason}", hint="write elsewhere with -o") from None
    else:
        write_atomic(output, text)


def check_explained(format_: str) -> None:
    """Raise if what became of one document cannot be written in this layout."""
    if format_ not in ("text", "json"):
        raise UsageError(f"an explanation cannot be written as {format_}", hint="use text or json")


def emit_explanations(found: Iterable[Any], format_: str, output: Path | None) -> None:
    """Write what became of one document, system by system: values that are text, and have `to_data` for JSON."""
    if format_ == "json":
        import json

        text = json.dumps([each.to_data() for each in found], indent=2, ensure_ascii=False)
    else:
        text = "\n\n".join(visible(str(each), keep="\n") for each in found)
    emit(text + "\n", output)


def finish(
    result: Any,
    *,
    format_: str,
    output: Path | None,
    save: Path | None,
    quiet: bool,
    rows: str = "scores",
    text: str | None = None,
    summary: Path | None = None,
    **_: Any,
) -> None:
    """Render, then save and print; nothing is written if rendering fails.

    `rows` is what CSV has a row for, `text` what to print if it is already rendered.
    """
    from adjudge.report.render import render

    text = render(result, format_, quiet=quiet, rows=rows) if text is None else text
    saved = result.to_json(with_tables=True) + "\n" if save is not None else ""
    if save is not None:
        write_atomic(save, saved)
    add_summary(result, summary)
    emit(text, output)


def add_summary(result: Any, summary: Path | None) -> None:
    """Add a result to the end of a file of Markdown, apart from what is there already."""
    if summary is None:
        return
    from adjudge.report.render import render

    block = render(result, "md").encode("utf-8", "backslashreplace")
    try:
        append_whole(summary, block)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{summary}: cannot be written: {reason}", hint="write elsewhere") from None


@contextmanager
def progress_bar(what: str = "scoring", *, shown: bool) -> Iterator[Progress | None]:
    """A bar on a terminal, nothing in a pipe."""
    if not (shown and sys.stderr is not None and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def working(what: str, *, shown: bool) -> Iterator[None]:
    """A sign of life on a terminal for work whose end cannot be foreseen, once it has taken a second."""
    if not (shown and sys.stderr is not None and sys.stderr.isatty()):
        yield
        return
    from threading import Event, Thread

    ended = Event()

    def show() -> None:
        if ended.wait(_PATIENCE):
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn(what), BarColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            bar.add_task(what, total=None)
            ended.wait()

    thread = Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


class Log:
    """Remarks on standard error for `--verbose`, each with the seconds since the start."""

    def __init__(self, *, verbose: bool) -> None:
        self.verbose = verbose
        self.start = time.perf_counter()

    def __call__(self, message: str) -> None:
        """Say something."""
        if self.verbose:
            say(f"{time.perf_counter() - self.start:6.2f} s  {visible(message)}")
