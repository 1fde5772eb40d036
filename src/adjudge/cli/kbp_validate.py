"""`adjudge kbp validate`: all problems in a knowledge base, and a repaired file; and `kbp judged`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.findings import (
    emit_findings,
    finding_options,
    findings_record,
    findings_text,
    kinds_help,
    severities_of,
)
from adjudge.cli.options import (
    UNCLUSTERED,
    Sides,
    choice,
    command,
    named,
    refuse_alone,
    resampling_options,
    value,
)
from adjudge.cli.output import check_targets, emit, emit_json, finish
from adjudge.cli.score import counted as count_sides
from adjudge.cli.score import readers_of, scoring_options
from adjudge.errors import Problem, UsageError, visible
from adjudge.files import write_whole
from adjudge.findings import Findings, counted
from adjudge.tasks.kbp.detection import FORMATS, detect
from adjudge.tasks.kbp.validation import KINDS, repair, validate_answers
from adjudge.tasks.kbp.validation import validate as check

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.evaluate.task import Run


@command(
    "validate",
    click.Argument(["files"], metavar="KB...", nargs=-1, required=True),
    choice("--from from_", FORMATS, "Format (default: by the content, - is coldstart)."),
    value(
        "--texts docs",
        "FOLDER",
        "Source documents: the spans of a Cold Start file, or the names of triples, are compared with them.",
    ),
    value(
        "--ontology",
        "FILE",
        "Relations with the types of their ends, to compare triples with: Text2KGBench JSON, a table of relation, "
        "domain and range, or Turtle.",
    ),
    choice(
        "--iri", ("full", "local"), "Names of RDF nodes: whole IRIs, or the part after the last # or /.", default="full"
    ),
    value("--queries", "FILE", "The files are answers to these queries, and are compared with them."),
    value(
        "--repair repaired",
        "OUT",
        "Write a Cold Start file with every unambiguous problem repaired; meaningless lines are left out, and what "
        "only a person can decide is kept.",
        type=click.Path(path_type=Path),
    ),
    finding_options(),
    before=kinds_help(KINDS),
    examples=[
        "adjudge kbp validate run.tsv --texts sources/ --repair repaired.tsv",
        "adjudge kbp validate kg.jsonl --ontology ontology.json",
        "adjudge kbp validate answers.tsv --queries queries.xml",
    ],
    old={"--docs": "--texts"},
)
def validate(files: tuple[str, ...], from_: Any, **options: Any) -> int:
    """Report what is wrong with knowledge bases: lines, names, places, predicates, inverses, mentions.

    KB is a Cold Start file, a knowledge graph (see adjudge kbp score), extractions as JSON lines, a table of links, or
    a file or folder of ACE or Rich ERE annotation; with --queries a file of answers. An error is what the format
    forbids; brackets show how lenient reading treats it. The exit code is 1 if there are errors; with --repair, if any
    remain in the repaired file.
    """
    check_targets(options, "repaired", inputs=files)
    if files.count("-") > 1:
        raise UsageError("standard input can be read only once", hint="use - for one of the files")
    common = {"limit": options["limit"], "severity": severities_of(options, KINDS)}
    if options["queries"] is not None:
        others = {
            "from": from_,
            "texts": options["docs"],
            "repair": options["repaired"],
            "ontology": options["ontology"],
        }
        for other in (name for name, given in others.items() if given is not None):
            raise UsageError(f"--{other} is for knowledge bases, not for answers to queries", hint="leave it out")
        return emit_findings("kbp", [validate_answers(each, options["queries"], **common) for each in files], options)
    rules = {"docs": options["docs"], **common}
    if options["repaired"] is None:
        rules |= {name: options[name] for name in ("ontology", "iri")}
        return emit_findings("kbp", [check(name, format=from_, **rules) for name in files], options)
    if len(files) > 1:
        raise UsageError("--repair writes one file", hint="name one knowledge base")
    kind = from_ or detect(files[0])
    if kind != "coldstart":
        message = f"only Cold Start files can be repaired, this is {kind}"
        raise UsageError(Problem(message, path=files[0], hint="correct it by hand"))
    return _write_repaired(*repair(files[0], **rules), options)


def _write_repaired(data: bytes, before: Findings, after: Findings, options: Mapping[str, Any]) -> int:
    target, quiet = options["repaired"], options["quiet"]
    if data:
        write_whole(target, data)
    if options["format_"] == "json" or options["save"]:
        after.place = str(target)
        rest = findings_record("kbp", [after])
        repaired = {**rest["files"][0], "path": str(target) if data else None, "findings": rest["findings"]}
        record = {**findings_record("kbp", [before]), "repaired": repaired}
        for wanted, place in ((options["save"], options["save"]), (options["format_"] == "json", options["output"])):
            if wanted:
                emit_json(record, place)
    if options["format_"] != "json":
        text = findings_text(before, quiet=quiet)
        if not data:
            text += visible(f"{target}: not written, nothing could be read") + "\n"
        elif not quiet:
            lost = f"{counted(before.unrepaired, 'assertion')} left out, " if before.unrepaired else ""
            remain = f"{counted(after.errors, 'error')} and {counted(after.warnings, 'warning')} remain"
            kinds = [kind for kind in after.counts if kind in {each.kind for each in after.found if each.error}]
            text += visible(f"{target}: written, {lost}{remain}") + "\n"
            text += "".join(f"  {visible(f'{after.counts[kind]} {kind}')}\n" for kind in kinds)
        emit(text, options["output"])
    return int(not data or after.fails(strict=options["strict"]))


@command(
    "judged",
    click.Argument(["files"], metavar="FILE...", nargs=-1, required=True),
    scoring_options(
        "kbp.judged.accuracy",
        explain="Print the facts of this file, given by its number, instead of the scores.",
        resampling=resampling_options(names=UNCLUSTERED),
        without={
            "by": "files of judgements have no fields",
            "docs": "only the files that are named are scored",
            "pool": "the score is the mean over files",
            "time_limit": "judgements need no search",
            "cluster_by": "files of judgements have no fields",
            **readers_of("judgements have one format"),
        },
    ),
    examples=["adjudge kbp judged results_1.json results_2.json"],
)
def judged(files: tuple[str, ...], **options: Any) -> None:
    """Score files of judgements: lists of facts with evaluation 0 or 1, as written by MINE of KGGen.

    FILE is a file, a folder or a pattern; NAME=FILE belongs to the system NAME, all others to one system. The score is
    the mean over files of the share of facts judged correct; files are resampled. A note names files whose stated
    accuracy differs from their judgements. The judge itself is not run.
    """
    from adjudge.tasks.kbp.judged import MEASURES, evaluate_judged

    systems: dict[str, list[str]] = {}
    for file in files:
        name, path = named(file)
        systems.setdefault(name or "judged", []).append(path)
    if options["save"] is None and options["explain"] is None:
        refuse_alone("--save-documents", "--save")
    every = [path for own in systems.values() for path in own]
    check_targets(options, inputs=[*every, options["fail_if_worse"]])

    def count(gold: Any, paths: Any, run: Run, names: Any) -> Evaluation:  # noqa: ARG001  # systems have several files
        return evaluate_judged(systems, run)

    sides = Sides(None, [own[0] for own in systems.values()], list(systems))
    found = count_sides(count, lambda: MEASURES, sides, options)
    if found is not None:
        finish(found.result(), options)
