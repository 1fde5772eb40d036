"""`adjudge kbp score`, `discovery`, `explain` and `report`: knowledge bases against annotation or triples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.options import (
    UNCLUSTERED,
    Sides,
    Whole,
    choice,
    command,
    docs_option,
    document_list,
    field_options,
    flag,
    format_option,
    inference_of,
    is_given,
    memory,
    output_option,
    refuse_with,
    resampling_options,
    seconds,
    section,
    side_arguments,
    sides_of,
    value,
    verbose_option,
)
from adjudge.cli.output import (
    check_baseline,
    check_gates,
    emit,
    emit_explanations,
    emit_page,
    finish,
    is_file,
    log,
    say,
    uncollected,
    working,
)
from adjudge.cli.score import run_from, scoring_options
from adjudge.errors import UsageError, visible
from adjudge.formats.kg_rdf import Rdf
from adjudge.stats.inference import CENTRED, TESTS
from adjudge.tasks.kbp.detection import FORMATS
from adjudge.tasks.kbp.options import DEFAULT_PROFILE, ENGINES, PROFILES, KbOptions, check_engine, make_options

if TYPE_CHECKING:
    from adjudge.tasks.kbp.counting import KbRun
    from adjudge.tasks.kbp.inputs import KbInputs

WHOLE = "How intervals are computed: auto is jackknife, because paths and clusters do not add up over documents."

_nil_options = field_options(
    KbOptions,
    {
        "nil_key": "The name of a gold entity without a page.",
        "nil_merge": "When two entities without a page are the same.",
    },
)
_OLD = {"--gold-format": "--gold-reader", "--system-format": "--system-reader"}
_input_options = [
    side_arguments(old_gold="--gold"),
    section(
        "Inputs",
        value("--wiki", "TABLE", "The pages of gold mentions: an ACEtoWiki table, an EDL tab, or CSV."),
        value("--redirects", "FILE", "Pages that redirect to others: page, TAB, page."),
        value("--stop", "FILE", "Pages that do not count as links, one per line."),
        value(
            "--texts",
            "FOLDER",
            "The source texts of Rich ERE annotation; for graphs, texts in which names should occur, as files "
            "DOC.txt or JSON lines with id and text.",
        ),
        choice(
            "--units",
            ("text", "raw"),
            "What ACE offsets are turned into: characters of the text without tags, or of the raw file. "
            "[default: raw if a system is a Cold Start file]",
        ),
        choice("--reader", FORMATS, "The format of all files. [default: by their content]"),
        choice("--gold-reader", FORMATS, "The format of gold, if it differs."),
        choice("--system-reader", FORMATS, "The format of the systems, if it differs."),
        flag("--strict", "Cold Start files must follow all rules; see adjudge kbp validate."),
    ),
]
_NAMED: dict[str, Any] = {"typed": "Entities are the same only if their types match too."}
_graph_options = [
    section(
        "Knowledge graphs",
        value(
            "--names",
            "HOW",
            "When names are the same: exact, folded (case, blanks, underscores), alias=FILE (name, TAB, alias ...), "
            "map=FILE (name of systems, TAB, name), or fuzzy=0.9, one to one. [default: exact]",
        ),
        field_options(KbOptions, _NAMED),
        flag("--ignore-documents", "Compare all triples as one graph."),
        choice(
            "--iri",
            ("full", "local"),
            "Names of RDF nodes: whole IRIs, or the part after the last # or /.",
            default="full",
        ),
        choice(
            "--literals", ("plain", "full"), "RDF literals: without or with language tag and datatype.", default="plain"
        ),
        choice("--rdf-type", ("type", "fact"), "rdf:type is the type of an entity, or a fact.", default="type"),
    ),
]
_score_graph_options = section(
    "Knowledge graphs",
    flag("--graph", "Also score triples, pairs, entities, relations and distances, item by item."),
    value(
        "--ontology",
        "FILE",
        "Allowed relations and types: Text2KGBench JSON, a table of relation, domain and range, or Turtle.",
    ),
)
_COMPAT = ("webnlg-2020", "webnlg-2020-nervaluate-0.1.8", "text2kgbench")
_compat_options = section(
    "Knowledge graphs",
    choice(
        "--compat",
        _COMPAT,
        "Count as this published scorer does and print its numbers: the script of WebNLG 2020, by nervaluate 0.1.7 or "
        "0.1.8, on XML of WebNLG; or that of Text2KGBench, with --ontology.",
    ),
    choice(
        "--malformed",
        ("error", "wrong"),
        "With --compat webnlg-2020: how to treat a system triple that does not have three parts. [default: error]",
    ),
)
_READ = ("wiki", "redirects", "stop", "texts", "units", "strict", "iri", "literals", "rdf_type", "graph")
_COUNTED = ("names", "ignore_documents", "engine", "memory", "box", "by", "hops")
_GRAPH_ONLY = ("names", "typed", "ignore_documents", "iri", "literals", "rdf_type", "graph", "ontology")
_ALIGNED: dict[str, Any] = {
    "mention_match": "Which span of a gold mention the system must match.",
    "threshold": ("P", "Align a node with the entity that has more than P % of its names. [50]"),
    "levels": ("LEVELS", "System mentions that count: NAM, NOM, PRO. [NAM]"),
    "gold_levels": ("LEVELS", "Gold mentions that can be matched. [all]"),
    "require_type": "Align nodes with entities of their own type only.",
    "one_to_one": "Align at most one node with a gold entity.",
}
_FACTS: dict[str, Any] = {
    "unattested": "A node without a mention in the document of the fact.",
    "unaligned": "Facts about unaligned nodes: wrong, or left out.",
    "unnamed": "Gold entities without a name.",
    "min_confidence": ("C", "Leave out facts with a lower confidence. [0]"),
}
_RELATIONS: dict[str, Any] = {
    "include": ("NAMES", "The only relations that count: A,B or a file with one per line."),
    "exclude": ("NAMES", "Relations to leave out on both sides; none keeps all."),
    "gold_relations": ("FILE", "Other names for gold relations: name, TAB, new name."),
    "system_relations": ("FILE", "The same for the relations of systems."),
    "symmetric": "Symmetric relations as they are, or in both directions.",
    "symmetric_types": ("NAMES", "Which relations are symmetric: A,B or a file."),
    "inverse": "Add the inverse of each fact, or write inverses as their forward relation.",
    "inverse_table": ("FILE", "Relations and inverses. [default: those of Cold Start]"),
    "self_loops": "Facts from an entity to itself.",
}
_PATHS: dict[str, Any] = {
    "identity": "Whether the middle of paths is compared: no, yes (kbp.hop2.full), or both ways.",
    "walks": "All walks, or those that visit no node twice.",
    "identity_source": "system: also join the system's own nodes (kbp.hop2.system), which shows what wrong links cost.",
}
_TABLES = ("gold_relations", "system_relations", "inverse_table")
_NAMES = ("levels", "gold_levels", "include", "exclude", "symmetric_types")
_choice_options = [
    choice(
        "--profile",
        PROFILES,
        "The choices of the paper, or those we recommend for practice; each can be changed.",
        default=DEFAULT_PROFILE,
    ),
    section("Alignment within documents", field_options(KbOptions, _ALIGNED)),
    section(
        "Gold entities",
        _nil_options,
        field_options(KbOptions, {"nil_by_type": "Only entities of the same type can be the same."}),
    ),
    section("Facts", field_options(KbOptions, _FACTS)),
    section("Relations", field_options(KbOptions, _RELATIONS)),
    section(
        "Paths",
        value("--hops", "N", "The longest paths. [3]", type=Whole("give the number of hops")),
        field_options(KbOptions, _PATHS),
        value(
            "--engine",
            f"[{'|'.join(ENGINES)}]",
            "How paths are counted; sample estimates from a sample of start nodes.",
            default="auto",
        ),
    ),
]
_limit_option = value(
    "--limit",
    "N",
    "Examples for each reason, the costliest first; 0 for all.",
    default=5,
    type=Whole("give the number of examples, or 0 for all"),
)
_cluster_option = section(
    "Uncertainty",
    value(
        "--cluster-by",
        "LIST",
        "A file of document, TAB, cluster (a story, an author): documents of one cluster are drawn together.",
    ),
)
_resampling_options = [
    _cluster_option,
    resampling_options(
        ", or as the profile says",
        names=UNCLUSTERED,
        more=(CENTRED,),
        bootstrap="Resamples for intervals and tests, 0 for none. [default: 1000 if that takes no more than minutes]",
        interval=f"{WHOLE} JSON has all.",
    ),
    section(
        "Uncertainty",
        flag("--box", "Add the numbers of notched box plots to the JSON."),
        value(
            "--notch-constant notch", "C", "Constant of the notches: 1.57, or 1.15 as printed in the paper.", type=float
        ),
    ),
]

_ONLY_SCORES = ("by", "save", "summary", "fail_under", "fail_if_worse", "alpha", "margin", "gate", "rank", "rank_by")


def _chosen(options: Mapping[str, Any]) -> KbOptions:
    """The profile with what the command line says otherwise."""
    check_engine(options["engine"])
    if options["inverse_table"] is not None and options["inverse"] in (None, "none"):
        raise UsageError("--inverse-table is not used", hint="add --inverse close or --inverse canonical")
    changes = _given(options, tuple(each.name for each in fields(KbOptions)))
    if options.get("names") is not None:
        from adjudge.tasks.kbp.naming import naming_of

        changes["naming"] = naming_of(options["names"])
    if options.get("ontology") is not None:
        from adjudge.tasks.kbp.ontology import read_ontology

        changes["ontology"] = read_ontology(options["ontology"], _rdf(options))
    for name in changes.keys() & set(_NAMES):
        changes[name] = _names(changes[name], upper=name.endswith("levels"))
    for name in changes.keys() & set(_TABLES):
        from adjudge.formats.kb_links import read_pairs

        changes[name] = read_pairs(changes[name])
    return make_options(options["profile"], **changes)


def _rdf(options: Mapping[str, Any]) -> Rdf:
    return Rdf(options["iri"], options["literals"], options["rdf_type"])


def _names(text: str, *, upper: bool = False) -> tuple[str, ...]:
    """Names between commas, or the lines of a file of that name."""
    if text.strip().lower() == "none":
        return ()
    if is_file(text):
        from adjudge.formats.kb_links import read_names

        return tuple(read_names(text))
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    return tuple(name.upper() for name in names) if upper else names


def _given(options: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: options[name] for name in names if options.get(name) is not None}


def _sides(options: dict[str, Any]) -> Sides:
    """Gold and systems; no input file is overwritten."""
    files = ("wiki", "redirects", "stop", "gold_relations", "system_relations", "inverse_table", "ontology")
    names = (*files, "cluster_by", "include", "exclude", "symmetric_types")
    return sides_of(options, inputs=[options.get(name) for name in names if is_file(options.get(name))])


def _reading(sides: Sides, options: Mapping[str, Any]) -> dict[str, Any]:
    """What `read_inputs` needs beside gold and systems."""
    found = _given(options, ("wiki", "redirects", "stop", "texts", "units"))
    for side in ("gold", "system"):
        found[f"{side}_format"] = options[f"{side}_reader"] or options["reader"]
    found |= {"names": list(sides.named()), "strict": options["strict"]}
    if "iri" in options:
        found |= {"rdf": _rdf(options), "ignore_documents": options["ignore_documents"]}
    docs = options["docs"]
    if docs is not None and not is_file(docs):
        from adjudge.tasks.kbp.inputs import DocumentList

        docs = DocumentList("--docs", dict.fromkeys(document_list(docs) or (), 0))
    return found if docs is None else {**found, "documents": docs}


def _read(sides: Sides, options: Mapping[str, Any]) -> KbInputs:
    """Both sides of the comparison, read."""
    from adjudge.tasks.kbp.inputs import read_inputs

    log(options, f"reading {sides.gold} and {len(sides.paths)} system(s)")
    read = read_inputs(sides.gold, sides.paths, **_reading(sides, options))
    # Options that do not apply if both sides are plain triples.
    graph = read.gold.table is not None
    for name in (*_ALIGNED, *_FACTS, "nil_key", "nil_merge", "nil_by_type") if graph else _GRAPH_ONLY:
        if is_given(name) and name != "min_confidence":
            flag = "--" + name.replace("_", "-")
            one, other = ("annotated documents", "plain triples") if graph else ("triples", "annotated documents")
            raise UsageError(f"{flag} is about {one}, and gold is {other}", hint="leave it out")
    return read


_time_option = value(
    "--time-limit",
    "SECONDS",
    "Seconds for each document (60); it is an error if the total is not enough.",
    type=seconds,
)


def _scoring_options(example: str, **more: Any) -> list[click.Parameter]:
    """Those of every task; paths and clusters of the corpus are counted in time, or there is no score."""
    return [_time_option if each.name == "time_limit" else each for each in scoring_options(example, **more)]


def _clusters(options: Mapping[str, Any]) -> dict[str, str] | None:
    """The clusters of documents, by id."""
    if options["cluster_by"] is None:
        return None
    from adjudge.formats.eal_sources import read_pairs

    return read_pairs(options["cluster_by"], "cluster")


def _run(options: Mapping[str, Any], chosen: KbOptions, **more: Any) -> KbRun:
    """How it is scored; warnings are printed, unless they are turned off."""
    from adjudge.tasks.kbp.scoring import chosen_run

    warn = None if options["quiet"] else lambda text: say(f"warning: {visible(text)}")
    given = _given(options, ("bootstrap", "ci", "seed", "engine", "box", "cluster", "time_limit"))
    return chosen_run(options["profile"], chosen, {**given, "clusters": _clusters(options), "warn": warn, **more})[1]


@command(
    "score",
    _input_options,
    _graph_options,
    _score_graph_options,
    _compat_options,
    _choice_options,
    section("Paths", value("--memory", "SIZE", "Memory limit of each process, such as 4GB.", type=memory)),
    _scoring_options(
        "kbp.hop1.recall",
        by=("relation", "first", "sequence", "confidence"),
        resampling=_resampling_options,
        without={
            "pool": "paths span documents, so there is no mean over documents",
            "exact": "what is not counted in time is not a score, and what is estimated says so",
        },
    ),
    examples=[
        "adjudge kbp score gold.tsv system.tsv --hops 3",
        "adjudge kbp score ace/ run1.tac run2.tac --wiki ACEtoWIKI_resource.txt --by relation",
        "adjudge kbp score ace/ mine=run.tac --wiki links.csv --profile paper --identity-source system",
        "adjudge kbp score 'gold/*.tsv.gz' mine=runs/mine/ --hops 2 --jobs 2",
        "adjudge kbp score gold.tsv kg.jsonl --names folded --graph",
        "adjudge kbp score refs.xml cands.xml --compat webnlg-2020",
    ],
    old=_OLD,
)
def score(**options: Any) -> None:
    """Score whole knowledge bases against annotation, hop by hop: precision, recall and F1 of paths of 1 to N facts.

    GOLD is annotated documents (ACE, Rich ERE, JSON lines) or plain triples, a file or a folder. SYSTEM is a Cold Start
    file or extractions as JSON lines if gold is annotated; else triples: a table (subject, relation, object, perhaps
    document and confidence, as TSV, CSV or Parquet), JSON, N-Triples, N-Quads, Turtle, TriG, a GraphRAG folder, or the
    output of LangChain, Neo4j, LlamaIndex or KGGen; a file, a folder, or a pattern in quotes. A system is named after
    its file, or NAME if given as NAME=FILE. --by scores each relation (one hop), the first relation of paths, their
    sequence of relations, or only the facts above each confidence (a precision-recall curve).
    """
    if options["compat"] is not None:
        from adjudge.cli.family import run_compat
        from adjudge.scorers.published import REFUSED, find_scorers

        without = {**dict.fromkeys(_READ, REFUSED["reader"]), **REFUSED}
        without |= dict.fromkeys((*_COUNTED, *(each.name for each in fields(KbOptions))), REFUSED["profile"])
        own = {name: options[name] for name in ("malformed", "ontology")}
        run_compat(find_scorers("kbp")[options["compat"]], own, options, without)
        return
    if options["malformed"] is not None:
        raise UsageError(
            "--malformed is an option of a published scorer", hint="add --compat webnlg-2020, or leave it out"
        )
    sides, chosen = _sides(options), _chosen(options)
    from adjudge.memory import limited
    from adjudge.tasks.kbp.graph_scores import TALLIES, measures_of
    from adjudge.tasks.kbp.scoring import explain_document, score_inputs

    check_baseline(options, sides.named())
    tallies = {f"kbp.{name}" for name in TALLIES}
    check_gates(options["fail_under"], [each for each in measures_of(chosen) if each.name not in tallies])
    asked = {"by": options["by"] or (), "jobs": options["jobs"] or 0, "align": options["save_documents"]}
    run = _run(options, chosen, **asked, say=partial(log, options))
    with limited(options["memory"]), uncollected(), working("scoring", shown=not options["quiet"]):
        read = _read(sides, options)
        if options["explain"] is not None:
            refuse_with("--explain", (*_ONLY_SCORES, "jobs", "cluster"))
            found = explain_document(read, chosen, run, options["explain"])
            emit_explanations(found.values(), options)
            return
        log(options, "read; counting")
        result = score_inputs(read, chosen, run, profile=options["profile"])
    log(options, f"scored {result.systems[0].documents} documents")
    finish(result, options)


@command(
    "discovery",
    _input_options,
    section("Alignment within documents", value("--levels", "LEVELS", "Mentions: NAM, NOM, PRO.", default="NAM")),
    section(
        "Alignment within documents",
        choice(
            "--spans",
            ("head", "extent"),
            "The span of a mention: its head where there is one, or its extent.",
            default="head",
        ),
    ),
    section("Gold entities", _nil_options),
    _scoring_options(
        "kbp.mention.recall",
        by=("type",),
        resampling=[
            *_cluster_option,
            *resampling_options(names=UNCLUSTERED, more=(CENTRED,), tests=TESTS[:-1], interval=WHOLE),
        ],
        without={
            "pool": "clusters span documents, so there is no mean over documents",
            "jobs": "clusters are compared in one process",
            "cluster": "clusters are compared in one process",
            "exact": "what is not counted in time is not a score",
        },
    ),
    examples=[
        "adjudge kbp discovery ace/ run1.tac run2.tac --wiki ACEtoWIKI_resource.txt",
        "adjudge kbp discovery gold.jsonl system.jsonl --levels NAM,NOM --by type",
    ],
    old=_OLD,
)
def discovery(**options: Any) -> None:
    """Score entity discovery and linking: mentions, their types and links, and clusters over the whole corpus.

    SYSTEM is a Cold Start file or extractions as JSON lines; gold is annotated documents. A system is named after its
    file, or NAME if given as NAME=FILE.
    """
    from adjudge.evaluate.corpus import corpus_explanations
    from adjudge.tasks.kbp.discovery import DiscoveryTask, measures
    from adjudge.tasks.kbp.inputs import read_inputs
    from adjudge.tasks.kbp.task import listed_clusters

    sides = _sides(options)
    check_gates(options["fail_under"], measures())
    check_baseline(options, sides.named())
    with uncollected():
        read = read_inputs(sides.gold, sides.paths, **_reading(sides, options))
        for note in read.notes if not options["quiet"] else ():
            say(f"warning: {visible(str(note))}")
        log(options, "read; comparing mentions")
        task = DiscoveryTask(
            read,
            KbOptions(**_given(options, ("nil_key", "nil_merge"))),
            levels=_names(options["levels"], upper=True),
            spans=options["spans"],
            by_type=bool(options["by"]),
        )
        if options["explain"] is not None:
            refuse_with("--explain", _ONLY_SCORES)
            found = corpus_explanations(task, options["explain"], run_from(options, docs=None))
            emit_explanations(found.values(), options)
            return
        clusters = _clusters(options)
        task.clusters = listed_clusters(task.ids, clusters)
        inference = inference_of(options, cluster_by=None if clusters is None else "list")
        result = task.result(run_from(options, docs=None, align=options["save_documents"], inference=inference))
    log(options, f"scored {result.systems[0].documents} documents")
    finish(result, options)


@command(
    "explain",
    _input_options,
    _graph_options,
    _choice_options,
    docs_option,
    value(
        "--hop chosen",
        "N",
        "Explain paths of N facts. Repeatable. [default: all lengths up to --hops]",
        multiple=True,
        type=click.IntRange(min=1),
    ),
    _limit_option,
    value(
        "--most",
        "N",
        "For two or more hops, examine all paths if there are at most N ways along them, else a sample.",
        default=1_000_000,
        type=Whole("give the number of paths"),
    ),
    value("--seed", "N", "Seed of the sample.", default=13, type=Whole("give a whole number from 0")),
    format_option("text", "json", "csv", "md"),
    _time_option,
    output_option,
    flag("--quiet", "Only the tables: no examples."),
    verbose_option,
    examples=[
        "adjudge kbp explain gold.tsv system.tsv --hop 2",
        "adjudge kbp explain ace/ run.tac --wiki ACEtoWIKI_resource.txt --hop 1 --limit 0 --format json",
    ],
    old=_OLD,
)
def explain(**options: Any) -> None:
    """Explain for every missed and every wrong path which step failed first, as a waterfall with examples.

    The steps are: mentions found, entities aligned, linked to the right entity, related, by the right relation, through
    the right entity in the middle. The losses at the steps add up to what the score lacks.
    """
    sides, chosen, hops = _sides(options), _chosen(options), options["chosen"]
    if hops and options["hops"] is None:
        chosen = replace(chosen, hops=max(hops))
    elif hops and max(hops) > chosen.hops:
        raise UsageError(f"--hop {max(hops)} is beyond --hops {chosen.hops}", hint="leave --hops out")
    if options["engine"] != "auto":
        raise UsageError("explanations look at paths one by one and use no engine", hint="leave --engine out")
    from adjudge.evaluate.corpus import in_time
    from adjudge.report.kb_explanations import render_explanations
    from adjudge.tasks.kbp.explain import explain_inputs

    with uncollected():
        read = _read(sides, options)
        log(options, "read; explaining")
        limit, seed, most = options["limit"] or None, options["seed"], options["most"]
        with in_time(read.size, options["time_limit"], "fewer hops (--hops)"):
            found = explain_inputs(read, chosen, hops=hops, limit=limit, seed=seed, most=most)
    emit(render_explanations(found, options["format_"], quiet=options["quiet"]), options["output"])


@command(
    "report",
    _input_options,
    _graph_options,
    _score_graph_options,
    _choice_options,
    docs_option,
    _limit_option,
    value("--title", "TEXT", "Title of the page.", default="Knowledge bases"),
    _time_option,
    _resampling_options,
    output_option,
    flag("--quiet", "No warnings."),
    verbose_option,
    examples=["adjudge kbp report ace/ old=run1.tac new=run2.tac --wiki links.csv -o report.html"],
    old=_OLD,
)
def report(**options: Any) -> None:
    """Write an HTML page with scores, intervals and explanations: one file that needs no network.

    This is the page of `adjudge report`: the ranking, the scores of each relation, the outcome of every fact and path,
    the steps at which paths are lost, with examples and the text that supports them, and the box plots of the paper.
    """
    sides, chosen = _sides(options), _chosen(options)
    from adjudge.tasks.kbp.scoring import score_inputs

    run = _run(options, chosen, by="relation", align=True, examples=options["limit"] or None)
    with uncollected():
        read = _read(sides, options)
        log(options, "read; counting and explaining")
        result = score_inputs(read, chosen, run, profile=options["profile"])
    emit_page(result, options)
