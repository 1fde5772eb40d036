"""The options of validators and the output of their findings, the same in every command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import click
import msgspec

from adjudge._version import __version__
from adjudge.cli.options import (
    Command,
    Parameters,
    Target,
    Whole,
    choice,
    command,
    flag,
    format_option,
    output_option,
    value,
)
from adjudge.cli.output import as_options, check_targets, emit, emit_json
from adjudge.errors import UsageError
from adjudge.findings import (
    Findings,
    Listed,
    Severity,
    check_severities,
    finding_lines,
    plural,
    totals_line,
)

if TYPE_CHECKING:
    from adjudge.tasks.family import Family

Check: TypeAlias = Callable[..., Findings]
"""Called with a path, the options of the command and, by name, `limit` and `severity`."""


def validator(
    task: str, *parameters: Parameters, kinds: Sequence[str], examples: Sequence[str], **how: Any
) -> Callable[[Check], Command]:
    """Makes `adjudge TASK validate FILE...` of a function that checks one file, whose docstring is the help.

    `kinds` are those of the findings it may have; `how` may say `metavar` (of the files), `inputs` (names of options
    that name further files) and `about` (the help, if not the docstring).
    """

    def made(check: Check) -> Command:
        @command(
            "validate",
            click.Argument(["files"], metavar=how.get("metavar", "FILE..."), nargs=-1, required=True),
            *parameters,
            finding_options(),
            before=kinds_help(kinds),
            examples=examples,
            about=how.get("about") or check.__doc__,
        )
        def validate(files: tuple[str, ...], **options: Any) -> int:
            inputs = [*files, *(options[name] for name in how.get("inputs", ()))]
            check_targets(options, inputs=inputs)
            if inputs.count("-") > 1:
                raise UsageError("standard input can be read only once", hint="use - for one of the files")
            rules = {"limit": options["limit"], "severity": severities_of(options, kinds)}
            return emit_findings(task, [check(name, options, **rules) for name in files], options)

        return validate

    return made


def finding_options() -> list[click.Parameter]:
    """The options of a validator."""
    return [
        flag("--strict", "Warnings count as errors."),
        value(
            "--limit",
            "N",
            "List the first N problems of a kind and count the others; 0 lists all. [default: all if they are few, "
            "else the first]",
            type=Whole("give a whole number, or 0 for all"),
        ),
        value(
            "--severity",
            "KIND=LEVEL",
            "Report a kind of problem as an error or a warning, or turn it off. Repeatable.",
            multiple=True,
        ),
        format_option("text", "json"),
        output_option,
        value("--save", "FILE", "Also write the findings to FILE as JSON.", type=Target("give a file")),
        flag("--quiet", "Print only the problems: no totals."),
    ]


def kinds_help(kinds: Sequence[str]) -> str:
    """The `--help` text on the kinds of problems, before the examples."""
    listed = fill(", ".join(kinds), width=74, break_on_hyphens=False, initial_indent="  ", subsequent_indent="  ")
    return f"\b\nKinds of problems:\n{listed}\n\n"


def severities_of(options: Mapping[str, Any], kinds: Sequence[str]) -> dict[str, Severity]:
    """The parsed `--severity`, if these kinds exist."""
    given: dict[str, str] = {}
    for option in options["severity"]:
        kind, equals, severity = option.partition("=")
        if not equals:
            raise UsageError(f"--severity {option} has no severity", hint=f"write {option}=error, {option}=off, ...")
        given[kind.strip()] = severity.strip()
    return check_severities(given, kinds)


def emit_findings(task: str, files: Sequence[Findings], options: Mapping[str, Any]) -> int:
    """Write the findings of some files as the options say, and return the exit code."""
    if options["save"] is not None:
        emit_json(findings_record(task, files), options["save"])
    if options["format_"] == "json":
        emit_json(findings_record(task, files), options["output"])
    else:
        emit("".join(findings_text(found, quiet=options["quiet"]) for found in files), options["output"])
    return int(any(found.fails(strict=options["strict"]) for found in files))


def findings_text(found: Findings, *, quiet: bool = False) -> str:
    """The findings of a file, and a line of totals."""
    lines = [as_options(line) for line in finding_lines(found)]
    if not quiet:
        more = any(each.more for each in found.listed())
        lines.append(totals_line(found) + (", --limit 0 lists all" if more else ""))
    return "".join(f"{line}\n" for line in lines)


# ---------------------------------------------------------------------------------------------------------------------
# JSON


class ExampleRecord(msgspec.Struct, frozen=True):
    """Another finding like the first."""

    path: str | None
    line: int | None
    column: int | None
    message: str


class FindingRecord(msgspec.Struct, frozen=True):
    """One finding, or the first of `count` that are alike."""

    kind: str
    severity: Literal["error", "warning"]
    path: str | None
    line: int | None
    column: int | None
    message: str
    hint: str | None
    document: str | None
    repair: str | None
    fix: str | None
    count: int
    examples: list[ExampleRecord]


class FileRecord(msgspec.Struct, frozen=True):
    """A file; validators add what is in it."""

    path: str
    errors: int
    warnings: int


class FindingsRecord(msgspec.Struct, frozen=True):
    """The output of a validator with `--format json`."""

    adjudge: str
    task: str
    files: list[FileRecord]
    errors: int
    warnings: int
    findings: list[FindingRecord]


def findings_record(task: str, files: Iterable[Findings]) -> dict[str, Any]:
    """What was found in files, for JSON; each finding stands for `count` like it, some of which are `examples`.

    >>> found = Findings("run.tsv")
    >>> found.add("columns", "a line with 2 fields", 3, 1, "write four")
    >>> report = findings_record("kbp", [found])
    >>> report["errors"], report["files"], report["findings"][0]["kind"]
    (1, [{'path': 'run.tsv', 'errors': 1, 'warnings': 0}], 'columns')
    """
    given = list(files)
    return {
        "adjudge": __version__,
        "task": task,
        "files": [_file_record(each) for each in given],
        "errors": sum(each.errors for each in given),
        "warnings": sum(each.warnings for each in given),
        "findings": [_record(listed) for each in given for listed in each.listed()],
    }


def _file_record(found: Findings) -> dict[str, Any]:
    """The contents of a file and the number of problems, for JSON."""
    contents = {plural(what).replace(" ", "_"): number for what, number in found.contents.items()}
    return {"path": found.place, **found.facts, **contents, "errors": found.errors, "warnings": found.warnings}


def _record(listed: Listed) -> dict[str, Any]:
    finding, problem = listed.finding, listed.finding.problem
    others = [each.problem for each in listed.others]
    record = FindingRecord(
        kind=finding.kind,
        severity=finding.severity,
        path=problem.path,
        line=problem.line,
        column=problem.column,
        message=problem.message,
        hint=problem.hint,
        document=finding.document,
        repair=finding.repair,
        fix=finding.fix,
        count=(problem.more or 1) + listed.more,
        examples=[ExampleRecord(each.path, each.line, each.column, each.message) for each in others],
    )
    return cast("dict[str, Any]", msgspec.to_builtins(record))


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the output of every validator; files may have further fields.

    >>> json_schema()["$ref"]
    '#/$defs/FindingsRecord'
    """
    (whole,), parts = msgspec.json.schema_components([FindingsRecord], ref_template="#/$defs/{name}")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **whole, "$defs": parts}


# ---------------------------------------------------------------------------------------------------------------------
# Families


def family_validator(family: Family) -> Command:
    """`adjudge FAMILY validate`."""
    from adjudge.cli.family import convention_options, conventions_of, family_option
    from adjudge.evaluate.validation import KINDS
    from adjudge.tasks.family import JSONL
    from adjudge.tasks.readers import GUESS

    own = [name for name in family.options if name in {**family.gold, **family.system, **family.of_metrics}]
    readers = tuple(dict.fromkeys((*family.readers, JSONL)))
    listed = "\n".join(f"  {key}: {reader.about}" for key, reader in family.readers.items())
    blocks = [
        f"Report what is wrong with files. {family.about}",
        "Reported are lines that cannot be read, documents that cannot be compared, spans outside the text, repeated "
        "items and misspelled fields; with --gold also missing or unknown documents, labels that gold never has, and "
        "shifted offsets. The exit code is 1 if there are errors, that is, anything that cannot be scored as intended.",
        f"\b\nReaders:\n{listed}\n  {JSONL}: one JSON object per line, as `adjudge metrics NAME` shows it",
    ]

    @validator(
        family.name,
        choice("--reader", (GUESS, *readers), "The format of the files.", default=GUESS),
        value("--gold", "FILE", "The gold documents that the files must fit."),
        choice("--gold-reader", readers, "The format of the gold documents, if it differs."),
        choice(
            "--side",
            ("gold", "system"),
            "Whether the files are gold or system output, if that matters (default: whichever fits).",
        ),
        value("--metric", "NAMES", "The metrics whose fields are checked (default: those of the reader)."),
        [family_option(name, family.options[name]) for name in own],
        convention_options(own={*family.options, "gold_column", "system_column"}),
        kinds=KINDS,
        inputs=("gold",),
        examples=[_example(family)],
        about="\n\n".join(blocks),
    )
    def validate(path: str, options: Mapping[str, Any], **rules: Any) -> Findings:
        from adjudge.tasks.named import check_named

        spelt = {name: name.replace("-", "_") for name in own}
        rules |= {name: options[name] for name in spelt.values() if options[name] is not None}
        rules |= conventions_of({name: each for name, each in options.items() if name not in rules})
        rules |= {
            "metrics": options["metric"] or (),
            **{name: options[name] for name in ("gold", "gold_reader", "side")},
        }
        return check_named(family.name, path, reader=options["reader"], **rules)

    return validate


def _example(family: Family) -> str:
    """The example of scoring as one of validation: the same files, and their reader."""
    program, name, _, gold, system, *options = family.example.split()
    reader = options[options.index("--reader") :][:2] if "--reader" in options else []
    return " ".join((program, name, "validate", system, "--gold", gold, *reader))
