"""`adjudge kbp query`: ask knowledge bases and score their answers; make sets of queries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.kbp_queries_shared import limits_of, policy_of, policy_options, query_options
from adjudge.cli.options import (
    fail_under_option,
    is_file,
    named,
    output_options,
    refuse_with,
    resampling_options,
    save_option,
    saved,
    summary_option,
    whole,
)
from adjudge.cli.output import Log, check_targets, finish
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.model.kbp_queries import KbQuery
    from adjudge.tasks.kbp.queries import KbIndex, TripleIndex

_FILE = click.Path(path_type=Path)


@click.command(
    "query",
    epilog="\b\nExamples:\n  adjudge kbp query --queries queries.xml --assessments pool.tab a.tac b.tac"
    "\n  adjudge kbp query --gold gold.tsv --generate 200 --write-queries queries.xml a.tsv"
    "\n  adjudge kbp query --gold ace/ --wiki links.tsv --generate 100 --hops 2 run.tac",
)
@click.argument("systems", metavar="[SYSTEM]...", nargs=-1)
@click.option("--queries", metavar="FILE", help="Queries, as XML of Cold Start or as a table.")
@click.option(
    "--generate",
    metavar="N",
    callback=whole("give the number of queries"),
    help="Make N queries from gold for each number of hops, instead of reading them.",
)
@click.option(
    "--hops",
    metavar="N",
    default="2",
    show_default=True,
    callback=whole("give 1 or more"),
    help="Of queries that are made, at most.",
)
@click.option("--gold", metavar="KB", help="Judge by the answers of this: triples, Cold Start, annotated documents.")
@click.option("--wiki", metavar="TABLE", help="Links of the mentions of annotated gold documents to pages.")
@click.option(
    "--units",
    type=click.Choice(("text", "raw")),
    help="What the offsets of ACE gold are turned into: characters of the text without tags, or of the raw file. "
    "[default: raw, unless the systems are documents in JSON lines]",
)
@click.option("--assessments", metavar="FILE", help="Judge by these assessments.")
@click.option(
    "--write-queries",
    metavar="FILE",
    type=_FILE,
    callback=saved,
    help="Write the queries, as XML if it is called so, else as a table.",
)
@click.option("--write-answers", metavar="FILE", type=_FILE, callback=saved, help="Write the answers of one system.")
@click.option("--table", metavar="FILE", type=_FILE, callback=saved, help="Write all counts, by query and class.")
@query_options
@policy_options(unassessed="ignore")
@click.option("--by", metavar="FIELD", multiple=True, help="Also score by query, slots, hops or type. Repeatable.")
@resampling_options()
@fail_under_option
@save_option
@summary_option
@output_options
def command(systems: tuple[str, ...], **options: Any) -> None:
    """Ask knowledge bases queries of one or more hops, and score their answers.

    SYSTEM is a knowledge base (Cold Start, triples, documents in JSON lines) or a file of answers; it is called after
    its file, or NAME in NAME=FILE. A query starts at the node whose named mention has most in common with its entry
    point. Without a SYSTEM, queries are only made and written.
    """
    from adjudge.formats.kb_answers import read_assessments, write_answers
    from adjudge.tasks.kbp.judging import GoldJudge, Judge, PoolJudge
    from adjudge.tasks.kbp.query_inputs import ask_all, read_gold_asked
    from adjudge.tasks.kbp.query_scoring import metric_hops, query_measures, row_table, score_answers

    given = [named(system) for system in systems]
    _check(systems, options)
    targets = [options[name] for name in ("output", "save", "write_queries", "write_answers", "table")]
    inputs = [path for _, path in given]
    inputs += [options[name] for name in ("queries", "gold", "wiki", "assessments") if options[name]]
    check_targets(*targets, inputs=inputs)
    log = Log(verbose=options["verbose"])
    gold = None
    if options["gold"]:
        gold = read_gold_asked(
            options["gold"], wiki=options["wiki"], units=options["units"], systems=[path for _, path in given]
        )
    pool = read_assessments(options["assessments"])[0] if options["assessments"] else []
    queries = _queries(gold, options)
    log(f"{len(queries)} queries")
    if not systems:
        _write_queries(queries, options)
        return
    asked, found = ask_all(
        queries,
        [path for _, path in given],
        names=[name for name, _ in given],
        pool=pool,
        same_type=options["same_type"],
    )
    judge: Judge
    if gold is not None and not pool:
        judge = GoldJudge(gold)
    else:
        judge = PoolJudge(pool, [question.id for question in asked], match=options["match"])
    if options["fail_under"]:
        from adjudge.stats.measure import part_keys

        check_gates(options["fail_under"], part_keys(query_measures(metric_hops(asked), options["entry_points"])))
    log(f"{sum(len(each.given.answers) for each in found)} answers to {len(asked)} questions")
    scores = score_answers(
        asked,
        [each.given for each in found],
        judge,
        policy=policy_of(options),
        view=options["entry_points"],
        justifications=limits_of(options["justifications"], found, gold=not pool),
        by=options["by"],
        bootstrap=options["bootstrap"],
        ci=options["ci"],
        seed=options["seed"],
        test=options["test"],
        interval=options["interval"],
        fields=_fields(queries, [path for _, path in given], options),
    )
    _write_queries(queries, options)
    if options["write_answers"] is not None:
        answers = found[0].given
        _write(options["write_answers"], write_answers(answers.answers, run=answers.name))
    if options["table"] is not None:
        _write(options["table"], row_table(scores.counted).encode())
    finish(scores.result, **options)
    apply_gates(options["fail_under"], scores.result)


def _check(systems: tuple[str, ...], options: dict[str, Any]) -> None:
    if bool(options["queries"]) == (options["generate"] is not None):
        raise UsageError("where do the queries come from?", hint="give --queries FILE or --generate N")
    if options["generate"] is not None and not options["gold"]:
        raise UsageError("queries are made from gold", hint="add --gold")
    if options["gold"] and options["assessments"]:
        raise UsageError("answers are judged by gold or by assessments", hint="leave out --gold or --assessments")
    if systems and not options["gold"] and not options["assessments"]:
        raise UsageError("nothing to judge the answers by", hint="add --gold KB or --assessments FILE")
    if options["wiki"] and not options["gold"]:
        raise UsageError("--wiki links the mentions of gold", hint="add --gold")
    if not systems and options["write_queries"] is None:
        raise UsageError("no system to ask", hint="name a knowledge base, or write the queries with --write-queries")
    if options["write_answers"] is not None and len(systems) != 1:
        raise UsageError("--write-answers is for one system", hint="run it once for each")
    if options["queries"]:
        refuse_with("--queries", ("hops",))
    if options["gold"]:
        refuse_with("--gold", ("match",))
    if not options["hops"]:
        raise UsageError("queries have one hop or more", hint="give --hops 1")


def _queries(gold: KbIndex | TripleIndex | None, options: dict[str, Any]) -> list[KbQuery]:
    from adjudge.formats.kb_queries import read_queries
    from adjudge.tasks.kbp.queries import generate_queries

    if options["queries"]:
        return read_queries(options["queries"])
    assert gold is not None
    queries = generate_queries(gold, options["generate"], hops=range(1, options["hops"] + 1), seed=options["seed"])
    if not queries:
        raise UsageError("gold answers no query at all", hint="check that it has facts, and entities with names")
    return queries


def _write_queries(queries: list[KbQuery], options: dict[str, Any]) -> None:
    from adjudge.formats.kb_queries import write_queries

    target = options["write_queries"]
    if target is not None:
        _write(target, write_queries(queries, format="xml" if target.suffix.lower() == ".xml" else "tsv"))


def _write(target: Path, data: bytes) -> None:
    from adjudge.report.files import write_atomic

    write_atomic(target, data)


def _fields(queries: list[KbQuery], paths: list[str], options: dict[str, Any]) -> dict[str, Any]:
    """What the signature says beside the policy: how answers were judged, and by which queries and files."""
    from adjudge.stats.signature import hash_bytes, hash_chunks

    limits = options["justifications"]
    judged = options["assessments"] or options["gold"]
    files = [Path(path) for path in (judged, *paths) if is_file(path)]
    return {
        "judge": "assessments" if options["assessments"] else "gold",
        "match": options["match"] if options["match"] != "assessed" else None,
        "same-type": options["same_type"] or None,
        "justifications": None if limits is None else "-".join(str(each or "M") for each in limits),
        "queries": hash_bytes(repr(queries).encode()),
        "in": hash_chunks(path.read_bytes() for path in files),
    }
