"""The commands, and every way to end.

A command's module is imported when the command runs, so that `adjudge --help` costs nothing.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar

import click
from click.shell_completion import CompletionItem

from adjudge._version import __version__
from adjudge.cli import BROKEN_PIPE, BUG, INTERRUPTED, LISTED, ReaderGone
from adjudge.cli.streams import RED, abandon_output, painted, prepare_streams, say
from adjudge.errors import AdjudgeError, did_you_mean, grouped, more_problems, visible

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
COMPLETE = "_ADJUDGE_COMPLETE"  # set by the completion scripts, never by people
COMMANDS = {
    "score": "Score one or more systems against the gold documents.",
    "coref": "Coreference: score, validate and convert files of chains.",
    "nugget": "Event nuggets: score, validate, convert, tokenize and look at them.",
    "eal": "Event arguments and linking: validate, filter, pool, assess, link, score.",
    "kbp": "Knowledge bases: score them hop by hop, explain, query, validate and repair them.",
    "ner": "Named entities: score files of tags or spans.",
    "relation": "Relations: between spans, between entities, and among several entities.",
    "event": "Events: triggers and arguments.",
    "template": "Templates: incidents with slots and their fillers.",
    "amr": "Meaning graphs: Smatch, proven, and its fine-grained relatives.",
    "tree": "Dependency trees: score files of CoNLL-U.",
    "linking": "Entity linking: mentions, links to a knowledge base, and clusters across documents.",
    "record": "Records: lists of JSON objects, such as language models give them.",
    "metrics": "List the metrics, or show one of them.",
    "explain": "Print the definition of a metric and how it will be computed.",
    "compare": "Compare systems from saved results, without scoring again.",
    "report": "Write a page to look at: scores, comparisons, charts, every document.",
    "merge": "Merge the results of shards that were scored by themselves.",
    "agree": "Measure how far annotators agree, with intervals, kappa and alpha, and list where they do not.",
    "select": "Select the documents or items that the ranking of systems hangs on, from saved results.",
    "schema": "Print the JSON Schema of a result, an agreement, a selection or a metric specification.",
    "demo": "Score a small campaign that comes with the package.",
    "completion": "Print a script that completes commands, options and metrics in your shell.",
}
PURPOSES = {
    "Score systems": ("score",),
    "Score files of one task": (),  # all commands that are not in another group
    "Compare and look": ("report", "compare", "agree", "select", "merge"),
    "Metrics": ("metrics", "explain", "schema"),
    "Help yourself": ("demo", "completion"),
}


class LazyGroup(click.Group):
    """A group that knows its commands by name (`entries`: name -> help) and imports the one that is called.

    The module of a command is `adjudge.cli.` and `prefix` and its name.
    """

    entries: ClassVar[Mapping[str, str]] = COMMANDS
    prefix: ClassVar[str] = ""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Names in the order in which people meet them."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name."""
        if cmd_name not in self.entries:
            return None
        command: click.Command = import_module(f"adjudge.cli.{self.prefix}{cmd_name.replace('-', '_')}").command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command and its arguments; an unknown name gets a suggestion."""
        if args and args[0] not in self.entries and not args[0].startswith("-"):
            hint = did_you_mean(args[0], self.entries) or f"commands are {', '.join(self.entries)}"
            raise click.UsageError(f"there is no command {args[0]!r}, {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list for `--help`, without importing any command."""
        wide = max(map(len, self.entries), default=0)
        for title, names in self.purposes().items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(wide), self.entries[name]) for name in names])

    def purposes(self) -> dict[str, list[str]]:
        """The commands under the headings of `--help`."""
        return {"Commands": list(self.entries)}

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands that start as the word does, without importing any of them."""
        found = [CompletionItem(name, help=text) for name, text in self.entries.items() if name.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]


class Commands(LazyGroup):
    """All commands, listed by what they are for."""

    def purposes(self) -> dict[str, list[str]]:
        """The commands under the headings of `--help`; a command that no heading names is one of a task."""
        named = {name for names in PURPOSES.values() for name in names}
        tasks = [name for name in self.entries if name not in named]
        return {title: [name for name in names if name in self.entries] or tasks for title, names in PURPOSES.items()}


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nExamples:"
    "\n  adjudge demo"
    "\n  adjudge score relation.strict gold.jsonl system.jsonl --save system.json"
    "\n  adjudge ner score gold.bio system.bio"
    "\n  adjudge compare system.json other.json --format latex"
    "\n  adjudge agree ner.strict anna.jsonl ben.jsonl",
)
@click.version_option(__version__, prog_name="adjudge", message="%(prog)s %(version)s")
def app() -> None:
    """Evaluate information extraction: how well do system documents match the gold ones, and how sure is that?"""


def run_command(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    prepare_streams()
    if COMPLETE in os.environ:
        return _complete(os.environ[COMPLETE])
    try:
        result = app.main(args=list(arguments) or ["--help"], prog_name="adjudge", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except AdjudgeError as error:
        problems = grouped(error.problems)
        more = sum(1 + problem.more for problem in problems[LISTED:])
        shown = [*problems[:LISTED], *([more_problems(more)] if more else [])]
        _complain(*(str(problem) for problem in shown))
        return error.exit_code
    except click.ClickException as error:
        command = f"{error.ctx.command_path} --help" if isinstance(error, click.UsageError) and error.ctx else None
        _complain(_sentence(error.format_message()) + (f" (see {command})" if command else ""))
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _complain("interrupted")
        return INTERRUPTED
    except (ReaderGone, SystemExit):  # click ends the program in this way if nobody reads its help
        abandon_output()
        return BROKEN_PIPE
    except RecursionError:
        _complain("something in the input is nested too deeply, flatten it")
        return 1
    except MemoryError:
        _complain("memory ran out, score fewer documents at once (--docs) or draw fewer resamples (--bootstrap)")
        return 1
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _FULL:
            abandon_output()
            what = error.filename if isinstance(error.filename, str) else "a temporary file or the output"
            _complain(f"{what}: cannot be written: {error.strerror}, make room, or write elsewhere")
            return 2
        verbose = "--verbose" in arguments
        if verbose:
            import traceback

            say(traceback.format_exc().rstrip())
        _complain(f"this is a bug of adjudge, not of your input: {type(error).__name__}: {error}")
        how = "with the command and the lines above" if verbose else "with the output of the same command and --verbose"
        _complain(f"please report it to the maintainers, {how}")
        return BUG


def _complete(instruction: str) -> int:
    """Answer the completion script of a shell: what could come next."""
    from click.shell_completion import shell_complete

    try:
        return shell_complete(app, {}, "adjudge", COMPLETE, instruction)
    except Exception:  # a line half typed may be wrong in any way, and a shell that asks wants no message
        return 1


def _complain(*lines: str) -> None:
    start = painted("error:", RED)
    for line in lines:
        say(f"{start} {visible(line)}")


def _sentence(message: str) -> str:
    """A message of click in our manner: lower case, one line, no full stop."""
    line = " ".join(message.split()).removesuffix(".")
    return line[:1].lower() + line[1:]
