"""`adjudge kbp query` and `pooling-bias`: query knowledge bases, score answers, measure the pool's bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from adjudge.cli.options import (
    Made,
    Sides,
    Target,
    Whole,
    choice,
    command,
    flag,
    format_option,
    inference_of,
    named,
    output_option,
    refuse_alone,
    refuse_with,
    resampling_options,
    value,
)
from adjudge.cli.output import check_targets, emit, emit_json, finish, log
from adjudge.cli.score import counted, readers_of, run_from, scoring_options
from adjudge.errors import FormatError, UsageError, visible

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.evaluate.task import Run
    from adjudge.model.kbp_queries import KbQuery
    from adjudge.stats.text import Grid
    from adjudge.tasks.kbp.answers import Policy
    from adjudge.tasks.kbp.pooling import PartBias, PoolingBias
    from adjudge.tasks.kbp.queries import Answers, KbIndex, TripleIndex

VIEWS = ("each", "best", "mean")
MATCHES = ("assessed", "exact", "case")


@Made
def limits(text: str) -> tuple[int, int]:
    """Justifications in one document and in all, as 1:3; M is any number, which is 0 here."""
    parts = text.split(":")
    if len(parts) != 2 or not all(
        part == "M" or (part.isdigit() and part.isascii() and 0 < len(part) < 5) for part in parts
    ):
        raise ValueError(f"{text!r} is not valid, write for example 1:3, with M for any number")
    each, all_ = (0 if part == "M" else int(part) for part in parts)
    return each, all_


def _policy_options(*, unassessed: str) -> Any:
    """The options of the policy; what is not assessed differs in its default."""
    both = ("wrong", "ignore")
    made = {
        "inexact": (("right", *both), "wrong", "assessed as inexact"),
        "unassessed": (both, unassessed, "that nobody has assessed"),
        "duplicates": (both, "ignore", "that repeat a right one"),
        "wrong-parent": (both, "wrong", "that follow a wrong one"),
    }
    return [
        *(
            choice(f"--{name}", choices, f"How answers {which} count.", default=default)
            for name, (choices, default, which) in made.items()
        )
    ]


_query_options = [
    choice(
        "--match",
        MATCHES,
        "With assessments: an answer counts as assessed if it was itself assessed, if one with the same value was, "
        "or one that differs only in case.",
        default="assessed",
    ),
    choice(
        "--entry-points",
        VIEWS,
        "For a query with several entry points: count each, the best one, or their mean.",
        default="each",
    ),
    value(
        "--justifications",
        "A:B",
        "How many answers with the same node to keep, in one document and overall, M for any number; B is also how "
        "many count in average precision, else 3. "
        "[default: M:M for files of answers; for knowledge bases 1:3 with assessments, 1:1 with gold]",
        type=limits,
    ),
    flag("--same-type", "A query starts only at nodes of its type."),
]


def _policy(options: Mapping[str, Any]) -> Policy:
    """The policy that the options describe."""
    from adjudge.tasks.kbp.answers import Policy

    return Policy(*(options[name] for name in Policy._fields))


def _limits(given: tuple[int, int] | None, systems: Sequence[Answers], *, gold: bool) -> list[tuple[int, int]]:
    """The limits for each system."""
    usual = (1, 1) if gold else (1, 3)
    return [given if given is not None else usual if system.asked else (0, 0) for system in systems]


_FILE = Target("this is written to a file, name one")


@command(
    "query",
    click.Argument(["systems"], metavar="[SYSTEM]...", nargs=-1),
    value("--queries", "FILE", "Queries, as Cold Start XML or as a table."),
    value(
        "--generate",
        "N",
        "Make N queries from gold for each number of hops, instead of reading them.",
        type=Whole("give the number of queries"),
    ),
    value("--hops", "N", "Maximum number of hops of generated queries.", default=2, type=Whole("give 1 or more")),
    value("--gold", "KB", "Judge answers by this gold: triples, Cold Start, annotated documents."),
    value("--wiki", "TABLE", "Links of the mentions of annotated gold documents to pages."),
    choice(
        "--units",
        ("text", "raw"),
        "What the offsets of ACE gold are turned into: characters of the text without tags, or of the raw file. "
        "[default: raw, unless the systems are documents in JSON lines]",
    ),
    value("--assessments", "FILE", "Judge by these assessments."),
    value(
        "--write-queries", "FILE", "Write the queries, as XML if the name ends in .xml, else as a table.", type=_FILE
    ),
    value("--write-answers", "FILE", "Write the answers of one system.", type=_FILE),
    value("--table", "FILE", "Write all counts, by query and class.", type=_FILE),
    _query_options,
    _policy_options(unassessed="ignore"),
    scoring_options(
        "kbp.query.recall",
        by="Also score by query, slots, hops or type.",
        explain="Print the outcome of the answers to this query instead of the scores.",
        without={"exact": "no query needs a search", **readers_of("the content of a file tells its format")},
    ),
    examples=[
        "adjudge kbp query --queries queries.xml --assessments pool.tab a.tac b.tac",
        "adjudge kbp query --gold gold.tsv --generate 200 --write-queries queries.xml a.tsv",
        "adjudge kbp query --gold ace/ --wiki links.tsv --generate 100 --hops 2 run.tac",
    ],
)
def query(systems: tuple[str, ...], **options: Any) -> None:
    """Ask knowledge bases queries of one or more hops, and score their answers.

    SYSTEM is a knowledge base (Cold Start, triples, documents in JSON lines) or a file of answers; it is named after
    its file, or NAME if given as NAME=FILE. A query starts at the node whose named mention has most in common with its
    entry point. Without a SYSTEM, queries are only made and written. Queries take the place of documents: --docs
    chooses some, --pool macro averages over them, and intervals resample them.
    """
    from adjudge.formats.kb_queries import read_assessments, write_answers
    from adjudge.tasks.kbp.answers import GoldJudge, Judge, PoolJudge
    from adjudge.tasks.kbp.queries import ask_all, read_gold_asked
    from adjudge.tasks.kbp.query_measures import JUSTIFICATIONS, row_table
    from adjudge.tasks.kbp.query_scoring import Queries, QueryTask, evaluate_answers, outcomes

    given = [named(system) for system in systems]
    paths, names = [path for _, path in given], [name for name, _ in given]
    _check(systems, options)
    inputs = [options[name] for name in ("queries", "gold", "wiki", "assessments")]
    inputs += [options["docs"], options["fail_if_worse"]]
    check_targets(options, "write_queries", "write_answers", "table", inputs=[*paths, *inputs])
    inference = inference_of(options)
    gold = None
    if options["gold"]:
        gold = read_gold_asked(options["gold"], wiki=options["wiki"], units=options["units"], systems=paths)
    pool = read_assessments(options["assessments"])[0] if options["assessments"] else []
    queries = _queries(gold, options, inference.seed)
    log(options, f"{len(queries)} queries")
    if not systems:
        _write_queries(queries, options)
        return
    asked, found = ask_all(queries, paths, names=names, pool=pool, same_type=options["same_type"])
    judge: Judge
    if gold is not None and not pool:
        judge = GoldJudge(gold)
    else:
        judge = PoolJudge(pool, [question.id for question in asked], match=options["match"])
    log(options, f"{sum(len(each.given.answers) for each in found)} answers to {len(asked)} questions")
    how = Queries(
        asked,
        judge,
        _policy(options),
        options["entry_points"],
        JUSTIFICATIONS if options["justifications"] is None else options["justifications"][1],
        _fields(queries, options),
    )
    kept = _limits(options["justifications"], found, gold=not pool)

    def count(gold: Any, paths: Any, run: Run, names: Any) -> Evaluation:  # noqa: ARG001  # all are read already
        return evaluate_answers(how, [each.given for each in found], run, justifications=kept)

    evaluation = counted(
        count,
        QueryTask(how).measures,
        Sides(options["gold"] or options["assessments"], paths, [each.given.name for each in found]),
        options,
        run=run_from(options, keep=options["table"] is not None),
        only=("write_queries", "write_answers", "table"),
    )
    if evaluation is None:
        return
    _write_queries(queries, options)
    also: dict[Path, bytes] = {}
    if options["write_answers"] is not None:
        answers = found[0].given
        also[options["write_answers"]] = write_answers(answers.answers, run=answers.name)
    if options["table"] is not None:
        also[options["table"]] = row_table(outcomes(evaluation)).encode()
    finish(evaluation.result(), options, also=also)


def _check(systems: tuple[str, ...], options: dict[str, Any]) -> None:
    if bool(options["queries"]) == (options["generate"] is not None):
        raise UsageError("where do the queries come from?", hint="give --queries FILE or --generate N")
    if options["generate"] is not None and not options["gold"]:
        raise UsageError("queries are made from gold", hint="add --gold")
    if options["gold"] and options["assessments"]:
        raise UsageError("answers are judged by gold or by assessments", hint="leave out --gold or --assessments")
    if systems and not options["gold"] and not options["assessments"]:
        raise UsageError("there is nothing to judge the answers by", hint="add --gold KB or --assessments FILE")
    if options["wiki"] and not options["gold"]:
        raise UsageError("--wiki links the mentions of gold", hint="add --gold")
    if not systems and options["write_queries"] is None:
        raise UsageError("no system to ask", hint="name a knowledge base, or write the queries with --write-queries")
    if options["write_answers"] is not None and len(systems) != 1:
        raise UsageError("--write-answers is for one system", hint="run it once for each")
    if options["save"] is None and options["explain"] is None:
        refuse_alone("--save-documents", "--save")
    if options["queries"]:
        refuse_with("--queries", ("hops",))
    if options["gold"]:
        refuse_with("--gold", ("match",))
    if not options["hops"]:
        raise UsageError("queries have one hop or more", hint="give --hops 1")


def _queries(gold: KbIndex | TripleIndex | None, options: Mapping[str, Any], seed: int) -> list[KbQuery]:
    from adjudge.formats.kb_queries import read_queries
    from adjudge.tasks.kbp.queries import generate_queries

    if options["queries"]:
        return read_queries(options["queries"])
    assert gold is not None
    queries = generate_queries(gold, options["generate"], hops=range(1, options["hops"] + 1), seed=seed)
    if not queries:
        raise UsageError("gold does not answer any query", hint="check that it has facts, and entities with names")
    return queries


def _write_queries(queries: list[KbQuery], options: Mapping[str, Any]) -> None:
    from adjudge.files import write_whole
    from adjudge.formats.kb_queries import write_queries

    target = options["write_queries"]
    if target is None:
        return
    try:
        content = write_queries(queries, format="xml" if target.suffix.lower() == ".xml" else "tsv")
    except FormatError as error:
        source = str(options["queries"] or options["gold"])
        raise FormatError([replace(each, path=each.path or source) for each in error.problems]) from None
    write_whole(target, content)


def _fields(queries: list[KbQuery], options: dict[str, Any]) -> dict[str, Any]:
    """What the signature says beside the policy: how answers were judged, and by which queries."""
    from adjudge.stats.inference import hash_bytes

    given = options["justifications"]
    return {
        "judge": "assessments" if options["assessments"] else "gold",
        "match": options["match"] if options["match"] != "assessed" else None,
        "same-type": options["same_type"] or None,
        "justifications": None if given is None else "-".join(str(each or "M") for each in given),
        "queries": hash_bytes(repr(queries).encode()),
    }


@command(
    "pooling-bias",
    click.Argument(["systems"], metavar="SYSTEM...", nargs=-1, required=True),
    value("--queries", "FILE", "Queries, as Cold Start XML or as a table.", required=True),
    value("--assessments", "FILE", "The pooled assessments.", required=True),
    value("--metric", "NAME", "The score to compare.", default="kbp.query"),
    _query_options,
    _policy_options(unassessed="wrong"),
    resampling_options(
        names=("bootstrap", "ci", "seed"),
        bootstrap="Resamples of the queries for intervals of the differences; 0 turns them off. [default: 1000]",
    ),
    format_option("text", "json"),
    output_option,
    flag("--quiet", "Only the table."),
    examples=["adjudge kbp pooling-bias --queries q.xml --assessments pool.tab a b c"],
)
def pooling_bias(systems: tuple[str, ...], **options: Any) -> None:
    """Show how the scores of systems would change if their own unique answers had not been assessed.

    SYSTEM is a file of answers or a knowledge base; name all systems whose answers were pooled. Each is left out in
    turn: assessments that only it contributed are removed, which makes its unique answers wrong.
    """
    from adjudge.formats.kb_queries import read_assessments, read_queries
    from adjudge.tasks.kbp.pooling import pooling_bias as measure_bias
    from adjudge.tasks.kbp.queries import ask_all

    given = [named(system) for system in systems]
    paths, names = [path for _, path in given], [name for name, _ in given]
    check_targets(options, inputs=[*paths, options["queries"], options["assessments"]])
    inference = inference_of(options)
    queries = read_queries(options["queries"])
    pool = read_assessments(options["assessments"])[0]
    asked, found = ask_all(queries, paths, names=names, pool=pool, same_type=options["same_type"])
    bias = measure_bias(
        asked,
        [each.given for each in found],
        pool,
        match=options["match"],
        policy=_policy(options),
        view=options["entry_points"],
        metric=options["metric"],
        justifications=_limits(options["justifications"], found, gold=False),
        bootstrap=inference.resamples,
        ci=inference.level,
        seed=inference.seed,
    )
    if options["format_"] == "json":
        emit_json(_record(bias), options["output"])
    else:
        emit(_text(bias, quiet=options["quiet"]), options["output"])


def _record(bias: PoolingBias) -> dict[str, Any]:
    from adjudge._version import __version__
    from adjudge.tasks.kbp.pooling import PARTS

    record = {"adjudge": __version__, "task": "kbp", **asdict(bias)}
    for system in record["systems"]:
        system["parts"] = {part: value._asdict() for part, value in system["parts"].items()}
    record["mean"] = {part: bias.mean(part) for part in PARTS}
    return record


def _text(bias: PoolingBias, *, quiet: bool) -> str:
    from adjudge.stats.text import format_grid
    from adjudge.tasks.kbp.pooling import PARTS

    text = format_grid(_grid(bias)) + "\n"
    if quiet:
        return text
    means = ", ".join(f"{part} {_signed(bias.mean(part))}" for part in PARTS)
    lines = [
        f"{bias.metric} over {bias.queries} queries; {bias.pool} assessments, {bias.classes} classes of correct "
        f"answers, "
        f"{bias.unclaimed} assessments of no system here",
        f"mean difference: {means}",
    ]
    if any(each.parts["f1"].low is not None for each in bias.systems):
        lines.append(f"intervals: {bias.level:.0%} of {bias.bootstrap} resamples of the queries, seed {bias.seed}")
    return text + "\n" + "".join(f"{visible(line)}\n" for line in lines)


def _grid(bias: PoolingBias) -> Grid:
    from adjudge.stats.text import Cell, Grid

    header = ("system", "unique", "right", "classes lost", "precision", "recall", "f1", "without", "change", "rank")
    rows = []
    for each in bias.systems:
        f1 = each.parts["f1"]
        counts = (each.unique, each.unique_correct, each.lost)
        rank = f"{each.rank}" if each.rank == each.rank_after else f"{each.rank} > {each.rank_after}"
        cells = [Cell(visible(each.name)), *(Cell(str(count)) for count in counts)]
        cells += [Cell(_percent(each.parts[part].before)) for part in ("precision", "recall", "f1")]
        cells += [Cell(_percent(f1.after)), _change(f1), Cell(rank)]
        rows.append(tuple(cells))
    return Grid(header, 1, (tuple(rows),))


def _change(part: PartBias) -> Any:
    from adjudge.stats.text import Cell

    if part.low is None or part.high is None:
        return Cell(_signed(part.difference))
    return Cell(_signed(part.difference), f"[{100 * part.low:+.1f}, {100 * part.high:+.1f}]")


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:+.1f}"
