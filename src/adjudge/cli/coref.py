"""`adjudge coref score`, `validate` and `convert`: chains against a key, and files of chains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.findings import validator
from adjudge.cli.options import (
    Sides,
    choice,
    command,
    field_options,
    flag,
    output_option,
    side_arguments,
    sides_of,
    value,
)
from adjudge.cli.output import check_targets, emit, finish, say
from adjudge.cli.score import check_official, counted, emit_official, readers_of, run_from, scoring_options
from adjudge.errors import UsageError, visible
from adjudge.findings import Findings
from adjudge.formats.conll_check import KINDS
from adjudge.formats.coreference import FORMATS, READ, check_coreference, read_coreference, write_coreference
from adjudge.tasks.coref.settings import CHOICES, Settings, settings

if TYPE_CHECKING:
    from adjudge.tasks.coref.task import CorefTask


COMPAT = ("conll-8.01", "corefud")
_OF_CORPORA = ("unpaired", "missing-document", "unknown-document", "empty")  # of --profile corefud


@command(
    "score",
    side_arguments("KEY", "RESPONSE"),
    value(
        "--metric",
        "NAMES",
        "Only these: mentions, muc, b3, ceafm, ceafe, blanc, lea, conll, kbp, and with --profile corefud mor and zero, "
        "separated by commas.",
    ),
    field_options(
        Settings,
        {
            "profile": "As the reference scorer counts; with repeated mentions removed and BLANC as in its paper "
            "(clean); with errors for whatever is doubtful (strict); or as the scorer of the CRAC shared tasks reads, "
            "matches and counts CorefUD. [default: conll-8.01]",
            "singletons": "Whether chains of one mention count, on both sides. [default: keep; with corefud, drop]",
            "match": "When mentions are the same: equal (exact); with the same head, whatever their other words "
            "(head; with corefud, equal mentions must have the same head too); or overlapping (partial; with corefud, "
            "within the mention of the key and with its head). [default: exact; with corefud, head]",
            "overlap": (
                "SHARE",
                "For --match partial: minimum share of words in common (words in both over words in either). "
                "[default: 0.5]",
            ),
            "zeros": (
                "For --profile corefud: match zeros by the parents and relations of their heads, or by their "
                "position. [default: dependent]"
            ),
        },
    ),
    choice("--compat", COMPAT, "Print only the output of the CoNLL reference scorer, or of the CorefUD scorer."),
    flag("--each-document", "With --compat: also print its block for each document."),
    scoring_options(
        "coref.muc.recall",
        by="Also score by a field: genre.",
        explain="Print what went wrong in this document instead of the scores.",
        without={
            "time_limit": "no chain needs a search",
            **readers_of("what a file begins with tells its format"),
        },
    ),
    examples=[
        "adjudge coref score key.conll a.conll b.conll --by genre",
        "adjudge coref score --compat conll-8.01 --metric all key.conll system.conll",
        "adjudge coref score key.conllu system.conllu --profile corefud",
    ],
)
def score(**options: Any) -> None:
    """Score one or more responses against a key.

    KEY and RESPONSE are CoNLL-2011/2012 files, CorefUD, JSON lines of clusters, or tables (CSV, TSV, Parquet) with the
    columns doc, start, end and cluster; plain or compressed; - is standard input.
    With --profile corefud they may be folders of datasets, whose mean is coref.crac, and responses the texts or JSON of
    language models.
    A response is named after its file, or NAME if given as NAME=FILE. Several are compared with paired tests.
    """
    from functools import partial

    from adjudge.evaluate.engine import evaluate
    from adjudge.tasks.coref.task import task_of

    sides = sides_of(options)
    if options["compat"]:
        options["profile"] = options["profile"] or options["compat"]
    chosen = settings(options["profile"] or "conll-8.01", *(options[name] for name in CHOICES))
    if options["compat"]:
        _compat(sides, task_of(chosen), options)
        return
    if options["each_document"]:
        raise UsageError("--each-document is for --compat", hint="see one document with --explain DOC")
    task, _ = task_of(chosen, options["metric"]).with_gold(sides.gold)
    evaluation = counted(partial(evaluate, task), task.measures, sides, options, only=("metric", "pool"))
    if evaluation is not None:
        finish(evaluation.result(), options)


def _compat(sides: Sides, task: CorefTask, options: dict[str, Any]) -> None:
    from adjudge.evaluate.engine import evaluate
    from adjudge.tasks.coref.compat import chosen_compat, corefud_output, reference_output
    from adjudge.tasks.coref.crac import is_folder
    from adjudge.tasks.coref.task import warnings

    if task.profile != options["compat"]:
        raise UsageError(f"--compat {options['compat']} needs its own profile", hint="leave --profile out")
    check_official(sides, options)
    metrics = chosen_compat(options["metric"], options["compat"])
    corefud = options["compat"] == "corefud"
    if corefud and options["each_document"]:
        raise UsageError("the CorefUD scorer prints no documents", hint="leave --each-document out")
    if corefud and is_folder(sides.gold):
        raise UsageError("the CorefUD scorer prints one dataset", hint="give files, or leave --compat out")
    run = run_from(options, keep=not corefud, digest=False)
    evaluation = evaluate(task, sides.gold, sides.paths, run).checked()
    if corefud:
        text = corefud_output(evaluation, metrics, task.settings)
    else:
        text = reference_output(evaluation, metrics, documents=options["each_document"], titles=len(metrics) > 1)
    emit_official(text, warnings(evaluation, *evaluation.systems), options)


# ---------------------------------------------------------------------------------------------------------------------
@command(
    "convert",
    click.Argument(["source"], metavar="IN"),
    choice("--from from_", READ, "Format of IN (default: by its content)."),
    choice("--to", FORMATS, "Format to write.", required=True),
    output_option,
    flag("--quiet", "Do not report what could not be kept."),
    examples=["adjudge coref convert --to jsonl test.conll -o test.jsonl"],
)
def convert(source: str, **options: Any) -> None:
    """Write coreference chains in another format.

    IN is a CoNLL-2011/2012 file (conll), CoNLL-U with entities (conllu), JSON lines of clusters (jsonl) or a table of
    mentions (csv), plain or compressed; - is standard input. Only documents, tokens, chains and mentions are kept, not
    words or other columns; anything else that is lost is reported on standard error.
    """
    check_targets(options, inputs=(source,))
    corpus = read_coreference(source, format=options["from_"])
    text, notes = write_coreference(corpus.documents, options["to"], path=corpus.path)
    emit(text, options["output"])
    if not options["quiet"]:
        for note in (*corpus.notes, *notes):
            say(f"note: {visible(str(note))}")


@validator(
    "coref",
    choice("--from from_", READ, "Format of the files (default: by their content)."),
    choice("--profile", ("corefud",), "Check CorefUD as the scorer of the CRAC shared tasks reads it."),
    value("--gold", "KEY", "With --profile corefud: also check that the words and sentences are those of this key."),
    kinds=(*KINDS, *_OF_CORPORA),
    inputs=("gold",),
    examples=[
        "adjudge coref validate response.conll --strict",
        "adjudge coref validate system.conllu --profile corefud --gold key.conllu",
    ],
)
def validate(path: str, options: Mapping[str, Any], **rules: Any) -> Findings:
    """Report what is wrong with coreference files: brackets, repeated mentions, headers, end markers.

    Errors stop the reference scorer; warnings are accepted silently, but probably not as intended. The exit code is 1
    if there are errors.
    """
    if options["profile"] is None:
        if options["gold"] is not None:
            raise UsageError("--gold is for --profile corefud", hint="add --profile corefud, or leave --gold out")
        return check_coreference(path, format=options["from_"], **rules)
    if options["from_"] not in (None, "conllu"):
        raise UsageError(f"the profile corefud does not read {options['from_']}", hint="leave --from out")
    from adjudge.evaluate.validation import Checks
    from adjudge.tasks.coref.task import task_of

    return task_of(settings("corefud")).validate(path, Checks(**rules, gold=options["gold"]))
