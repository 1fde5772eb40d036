"""The tree of commands, as data: a command's module is imported when it runs, so that `--help` is fast."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from keyword import iskeyword
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem, shell_complete

from adjudge._version import __version__
from adjudge.errors import did_you_mean


class Entry(NamedTuple):
    """A command: its help in one line, and the module that has a function of its name; or a group with `commands`.

    Families of metrics have neither: they are discovered, and their commands are built from data.
    """

    about: str
    module: str = ""
    commands: Mapping[str, Entry] = {}
    example: str = ""


_COREF = {
    "score": Entry("Score responses against a key: MUC, B3, CEAF, BLANC, LEA and their averages.", "coref"),
    "validate": Entry("Check files of chains; report the line and column of every problem.", "coref"),
    "convert": Entry("Write chains in another format.", "coref"),
}
_NUGGET = {
    "score": Entry("Score systems against the gold nuggets: span, type, realis, coreference, sequencing.", "nugget"),
    "validate": Entry("Check a submission, with the line of every problem.", "nugget"),
    "convert": Entry("Write nuggets in another format: TBF, brat, Rich ERE.", "nugget"),
    "tokenize": Entry("Make token tables from texts and annotations.", "nugget"),
    "report": Entry("Write a page that shows gold and system nuggets side by side.", "nugget"),
}
_ASSESSMENT = {
    "create": Entry("Make a store of assessments from a pool of responses.", "eal_assessment"),
    "merge": Entry("Join stores of assessments, the first with priority.", "eal_assessment"),
    "check": Entry("Check assessments, coreference and reference frames.", "eal_assessment"),
    "progress": Entry("Report how much is assessed, and how long the rest may take.", "eal_campaign"),
    "expand-realis": Entry("Add responses with the realis of the assessor.", "eal_assessment"),
    "repair": Entry("Fix assessments that break the rules of the guidelines.", "eal_assessment"),
}
_FRAMES = {
    "template": Entry("Write what is left to link, for people to fill in.", "eal_assessment"),
    "read": Entry("Read the frames people made, and report what is not linked.", "eal_assessment"),
    "project": Entry("Move frames to changed assessments.", "eal_assessment"),
}
_CAMPAIGN = {
    "init": Entry("Set up a new campaign in a folder.", "eal_campaign"),
    "run": Entry("Run every step that is due, and report what it is waiting for.", "eal_campaign"),
}
_EAL = {
    "validate": Entry("Check a submission: archive, columns, offsets, types, roles, linking.", "eal"),
    "filter-quotes": Entry("Remove responses inside quotations.", "eal_stores"),
    "expand-justifications": Entry("Widen justifications to whole sentences.", "eal_stores"),
    "trim": Entry("Keep the best of redundant responses.", "eal_stores"),
    "top": Entry("Keep the N most confident responses, as the hoppers allow.", "eal_stores"),
    "pool": Entry("Join submissions into one store.", "eal_stores"),
    "sample": Entry("Draw the documents to assess completely.", "eal_estimates"),
    "baseline-link": Entry("Link all responses with the same event type.", "eal_stores"),
    "neutralize": Entry("Take realis or coreference out of the comparison.", "eal_stores"),
    "assessment": Entry(
        "Make, merge and check stores of assessments.",
        commands=_ASSESSMENT,
        example="adjudge eal assessment create pool -o assessments",
    ),
    "frames": Entry(
        "Prepare the linking of assessed responses, and read it back.",
        commands=_FRAMES,
        example="adjudge eal frames template assessments -o frames",
    ),
    "score": Entry("Score submissions: arguments, linking, ranking, diagnostics.", "eal"),
    "estimate": Entry("Estimate the scores of all documents from those that were drawn.", "eal_estimates"),
    "graphs": Entry("Draw how scores depend on beta and lambda, and the bootstrap, as SVG.", "eal"),
    "report": Entry("Write a page with the ranking, the graphs and every response.", "eal"),
    "proposal-tables": Entry("Recompute and print the tables of the scoring proposal.", "eal"),
    "campaign": Entry(
        "Set up a campaign and run every step that is due.",
        commands=_CAMPAIGN,
        example="adjudge eal campaign init autumn",
    ),
}
_KBP = {
    "score": Entry("Score whole knowledge bases against annotation or triples, hop by hop.", "kbp"),
    "discovery": Entry("Score mentions, types, links and clusters of entities, before any fact.", "kbp"),
    "explain": Entry("For every missed and wrong path, the first step that failed, with counts and examples.", "kbp"),
    "report": Entry("Write an HTML page: scores, where paths are lost, and examples with their text.", "kbp"),
    "query": Entry(
        "Ask knowledge bases queries of one or more hops and score the answers; make sets of queries.", "kbp_query"
    ),
    "pooling-bias": Entry(
        "Show what systems lose if their own unique answers are not in the pool of assessments.", "kbp_query"
    ),
    "judged": Entry("Score judgement files: a model's verdicts on facts that a graph should support.", "kbp_validate"),
    "validate": Entry("Check knowledge bases and annotated corpora, and repair Cold Start files.", "kbp_validate"),
}
_SERVE = {
    "demo": Entry("Serve the bundled campaign from a temporary folder, and print a link.", "serve"),
    "init": Entry("Make a folder for a server, with a campaign from files.", "serve_files"),
    "run": Entry("Serve a folder until it is interrupted.", "serve"),
    "track": Entry("List the tracks that teams submit to, or create or change one.", "serve_tracks"),
    "worker": Entry("Check and score submissions, beside a server on PostgreSQL.", "serve_tracks"),
    "board": Entry("Write the published boards for any web server.", "serve_tracks"),
    "scoring": Entry("Rescore the runs of a phase, see what changed, freeze the scores.", "serve_tracks"),
    "program": Entry("Pack the scoring of a track for other platforms.", "serve_tracks"),
    "invite": Entry("Give somebody a role, and print a link to send.", "serve"),
    "people": Entry("List people and their roles.", "serve"),
    "revoke": Entry("End every session, token and invitation of a person.", "serve"),
    "schema": Entry("Check an assessment schema.", "serve_files"),
    "import": Entry("Import what is new in files, a reader's answers, or an offline pack.", "serve_files"),
    "export": Entry("Export the decisions as files, or make an offline pack.", "serve_files"),
    "verify": Entry("Check that nothing was changed or lost.", "serve"),
    "rebuild": Entry("Rebuild all tables from the events.", "serve"),
    "backup": Entry("Back up everything into a new folder, while people work.", "serve"),
    "restore": Entry("Restore a folder from a backup, into either database.", "serve"),
    "rotate": Entry("Replace the server's secret key.", "serve"),
    "upgrade": Entry("Upgrade the database to this release, after a backup.", "serve"),
}
COMMANDS = {
    "score": Entry("Score by any metric.", "family"),
    "coref": Entry(
        "Coreference: score, validate and convert files of chains.",
        commands=_COREF,
        example="adjudge coref score key.conll system.conll",
    ),
    "nugget": Entry(
        "Event nuggets: score, validate, convert and tokenize them.",
        commands=_NUGGET,
        example="adjudge nugget score gold.tbf system.tbf -t tokens/",
    ),
    "eal": Entry(
        "Event arguments and linking: submissions, assessment, scores.",
        commands=_EAL,
        example="adjudge eal validate system.zip --texts sources/ --ontology 2015",
    ),
    "kbp": Entry(
        "Knowledge bases: score, explain, query, validate and repair.",
        commands=_KBP,
        example="adjudge kbp score gold.tsv system.tsv --hops 3",
    ),
    "serve": Entry(
        "Serve assessors and teams.",
        commands=_SERVE,
        example="adjudge serve demo",
    ),
    "report": Entry("Write an HTML page.", "results"),
    "compare": Entry("Compare saved results.", "results"),
    "agree": Entry("Measure annotator agreement.", "agree"),
    "select": Entry("Select what to annotate.", "results"),
    "sample": Entry("Draw what people assess.", "estimates"),
    "estimate": Entry("Score from such a sample.", "estimates"),
    "judge": Entry("Report on automatic judges.", "estimates"),
    "plan": Entry("Plan how many documents.", "estimates"),
    "merge": Entry("Merge results of shards.", "results"),
    "doctor": Entry("Report what a file is.", "doctor"),
    "metrics": Entry("List metrics, or show one.", "metrics"),
    "schema": Entry("Print a JSON Schema.", "metrics"),
    "demo": Entry("Score a small campaign.", "demo"),
    "completion": Entry("Print it for your shell.", "metrics"),
}
HIDDEN = {"explain": Entry("", "metrics")}  # former names of commands
PURPOSES: tuple[tuple[tuple[str, tuple[str, ...]], tuple[str, tuple[str, ...]]], ...] = (
    # The tools, under two headings side by side; all other commands are those of tasks.
    (
        ("Compare and report", ("report", "compare", "agree", "select", "merge")),
        ("Assess and plan", ("serve", "sample", "estimate", "judge", "plan")),
    ),
    (("More", ("score", "doctor", "metrics")), ("", ("demo", "schema", "completion"))),
)
_HALF = 39  # width of the left column


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports the module of the one being called.

    `find` discovers further commands: that of a name, or all of them.
    """

    def __init__(
        self,
        name: str,
        known: Mapping[str, Entry],
        find: Callable[[str], Mapping[str, Entry]] = lambda _: {},
        **more: Any,
    ) -> None:
        super().__init__(name, **more)
        self.known, self.find = known, find

    @property
    def entries(self) -> Mapping[str, Entry]:
        """All commands."""
        return {**self.known, **self.find("")}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Names in the order of the help page."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of this name."""
        hidden = HIDDEN.get(cmd_name) if self is app else None
        entry = self.known.get(cmd_name) or hidden or self.find(cmd_name).get(cmd_name)
        if entry is None:
            return None
        if entry.commands:
            epilog = f"\b\nExample:\n  {entry.example}"
            return LazyGroup(cmd_name, entry.commands, help=entry.about, epilog=epilog)
        module = import_module(f"adjudge.cli.{entry.module or 'family'}")
        name = cmd_name.replace("-", "_") + "_" * iskeyword(cmd_name)
        made: click.Command = getattr(module, name) if entry.module else module.group(cmd_name)
        return made

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command and its arguments; for files without a command it is guessed, an unknown name gets a hint."""
        if not args or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        command = self.get_command(ctx, args[0])
        if command is None:
            if self is app and os.path.exists(args[0]):  # noqa: PTH110  # unlike Path.exists it never raises
                from adjudge.cli.doctor import guessed

                return self.resolve_command(ctx, guessed(args))
            if self is app and not did_you_mean(args[0], self.entries) and any(each in args[0] for each in "./\\"):
                raise click.UsageError(f"there is no file {args[0]!r}, check the name", ctx)
            hint = did_you_mean(args[0], self.entries) or f"commands are {', '.join(self.entries)}"
            raise click.UsageError(f"there is no command {args[0]!r}, {hint}", ctx)
        return args[0], command, args[1:]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list for `--help`, without importing any command."""
        entries = self.entries
        if self is not app:
            with formatter.section("Commands"):
                formatter.write_dl([(name, each.about) for name, each in entries.items()])
            return
        tools = [name for both in PURPOSES for _, names in both for name in names]
        tasks = [name for name in entries if name not in tools]
        wide = max(map(len, tasks)) + 2
        across = (formatter.width - 2) // wide
        rows = (tasks[at : at + across] for at in range(0, len(tasks), across))
        lines = ["", "Score, validate, explain (adjudge TASK --help):"]
        lines += ["  " + "".join(name.ljust(wide) for name in row).rstrip() for row in rows]
        for both in PURPOSES:
            left, right = (_block(title, {name: entries[name].about for name in names}) for title, names in both)
            lines += ["", *(f"{one:{_HALF}}{other}" for one, other in zip(left, right, strict=True))]
        formatter.write("".join(f"{line.rstrip()}\n" for line in lines))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands that start with the word, without importing any of them."""
        found = [
            CompletionItem(name, help=each.about) for name, each in self.entries.items() if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]


def _block(title: str, entries: Mapping[str, str]) -> list[str]:
    """Commands under a heading."""
    wide = max(map(len, entries)) + 2
    return [f"{title}:" if title else "", *(f"  {name:{wide}}{about}" for name, about in entries.items())]


def find_families(only: str) -> dict[str, Entry]:
    """A group for each discovered family of metrics, or for one."""
    from adjudge.rooms import declared

    return {name: Entry(about) for _, name, about in declared("adjudge.tasks", "Family", only.replace("-", "_"))}


app = LazyGroup(
    "adjudge",
    COMMANDS,
    find_families,
    help="Compare system output with gold: scores, intervals, tests, error analysis. Given files instead of a "
    "COMMAND, it guesses the task and scores them.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nExamples:"
    "\n  adjudge demo"
    "\n  adjudge gold.bio system.bio"
    "\n  adjudge ner score gold.bio system.bio --save system.json",
)
click.version_option(__version__, prog_name="adjudge", message="%(prog)s %(version)s")(app)


def complete(variable: str) -> int:
    """Answer a shell's completion script: the possible next words."""
    try:
        return shell_complete(app, {}, "adjudge", variable, os.environ[variable])
    except Exception:  # a half-typed line may be wrong in any way, and the shell expects no message
        return 1
