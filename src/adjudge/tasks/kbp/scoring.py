"""Score knowledge bases against annotation or triples: read, map to triples that share their names, prepare, count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.errors import UsageError
from adjudge.evaluate.corpus import corpus_explanations, corpus_result, in_time
from adjudge.formats.kg_rdf import Rdf
from adjudge.model.kbp import Names, TripleNames, TripleTable
from adjudge.model.kg import Graph
from adjudge.stats.inference import Inference
from adjudge.tasks.kbp.counting import KbRun, Scored
from adjudge.tasks.kbp.graph_scores import GraphSide, checked_columns
from adjudge.tasks.kbp.inputs import KbInputs, documents_of, graph_side, only_rows, read_inputs
from adjudge.tasks.kbp.mapping import Mapped, MappedSystem, map_systems
from adjudge.tasks.kbp.naming import MODES, naming_of, rename_graphs
from adjudge.tasks.kbp.notes import input_notes, problem_notes, strangers
from adjudge.tasks.kbp.ontology import Ontology, check_rows, read_ontology
from adjudge.tasks.kbp.options import DEFAULT_PROFILE, KbOptions, folded_options, make_options, relation_name
from adjudge.tasks.kbp.relations import Prepared, hash_names, prepare, table_digest
from adjudge.tasks.kbp.task import Corpus, PathsTask

if TYPE_CHECKING:
    from adjudge.formats.source import Source
    from adjudge.stats.explanation import Explanation
    from adjudge.stats.result import Result
    from adjudge.tasks.kbp.explain import Explainer

LEVELS = {"paper": 0.9}
POINTS = 10  # of the curve of precision and recall over confidence
_RDF = ("iri", "literals", "rdf_type")
_READING = ("texts", "ignore_documents", "gold_format", "system_format", "wiki")
_RUN = (
    "by",
    "clusters",
    "bootstrap",
    "seed",
    "ci",
    "pool",
    "jobs",
    "cluster",
    "align",
    "engine",
    "box",
    "examples",
    "warn",
    "say",
    "time_limit",
)


def score(
    gold: Source,
    systems: Source | Sequence[Source],
    *,
    wiki: Source | None = None,
    profile: str = DEFAULT_PROFILE,
    options: KbOptions | None = None,
    names: Sequence[str] | None = None,
    inputs: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Result:
    r"""Score systems, files or bytes, against gold: annotated documents, or triples on both sides.

    `changes` are options that differ from the profile (`hops=2`, `threshold=40`), see `KbOptions`, and those of every
    task: `by`, `bootstrap`, `ci`, `seed`, `docs`, `jobs`, `cluster`, `align` (see `adjudge.evaluate.task`); also
    `engine`, `clusters` (by document id, which are drawn together), and `box` for the numbers of box plots. `inputs`
    are other arguments of `adjudge.tasks.kbp.inputs.read_inputs`, such as the folder of `texts`. With `bootstrap=None`
    there are 1000 resamples wherever that takes a few minutes at most.

    >>> gold = b"ana\tworks_for\tcorvex\td1\ncorvex\tbased_in\toslo\td2\n"
    >>> score(gold, gold.splitlines()[:1], names=["A"], hops=2, bootstrap=0)["kbp.hop1"].recall
    0.5000
    """
    given = {"profile": profile, "options": options, "names": names, "inputs": inputs, "wiki": wiki, **changes}
    asked = asked_for(given)
    read = read_inputs(gold, systems, names=asked.names, **asked.reading)
    return score_inputs(read, asked.options, asked.run, profile=profile)


class Asked(NamedTuple):
    """What keywords ask for: the names of systems, how sides are read, the options, and the run."""

    names: Sequence[str] | None
    reading: dict[str, Any]
    options: KbOptions
    run: KbRun
    profile: str


def asked_for(given: Mapping[str, Any]) -> Asked:
    """What the keywords of `score` ask for; `names` are those of systems, or how names of entities are compared.

    >>> asked_for({"names": "A"}).names, asked_for({"names": "folded"}).options.naming.mode
    (['A'], 'folded')
    >>> asked_for({"iri": "local", "docs": ["d1"]}).reading["rdf"].iri
    'local'
    """
    rest = dict(given)
    profile, options = rest.pop("profile", DEFAULT_PROFILE), rest.pop("options", None)
    reading = {**(rest.pop("inputs", None) or {}), **{name: rest.pop(name) for name in _READING if name in rest}}
    rdf = {name: rest.pop(name) for name in _RDF if name in rest}
    if rdf:
        reading["rdf"] = Rdf(**rdf)
    if (docs := rest.pop("docs", None)) is not None:
        reading["documents"] = list(map(str, docs))
    names = rest.pop("names", None)
    mode = names.partition("=")[0] if isinstance(names, str) else ""
    if mode in MODES or (isinstance(names, tuple) and len(names) == 2 and isinstance(names[1], Mapping)):
        rest["naming"], names = naming_of(names), None
    chosen, run = chosen_run(profile, options, rest)
    return Asked([names] if isinstance(names, str) else names, reading, chosen, run, profile)


def chosen_run(profile: str, options: KbOptions | None, changes: Mapping[str, Any]) -> tuple[KbOptions, KbRun]:
    """The options of a profile with changes, or the given ones, and the run made of the other changes.

    >>> options, run = chosen_run("paper", None, {"hops": 2, "seed": 7})
    >>> options.hops, run.inference.seed, run.inference.level
    (2, 7, 0.9)
    """
    own = {name: value for name, value in changes.items() if name not in _RUN}
    if own.get("ontology") is not None and not isinstance(own["ontology"], Ontology):
        own["ontology"] = read_ontology(own["ontology"])
    usual = make_options(profile, **(own if options is None else {}))
    if options is not None and own:
        raise UsageError(f"options and {', '.join(own)} are both given", hint="change the options, or leave them out")
    chosen = options or usual
    given = {name: value for name, value in changes.items() if name in _RUN}
    level, by = given.pop("ci", None), given.pop("by", ())
    inference = Inference(
        bootstrap=given.pop("bootstrap", None),
        level=LEVELS.get(profile, 0.95) if level is None else level,
        seed=given.pop("seed", 13),
        interval=chosen.interval,
        test=chosen.test,
        cluster_by=None if given.get("clusters") is None else "list",
    )
    return chosen, KbRun(inference=inference, by=(by,) if isinstance(by, str) else tuple(dict.fromkeys(by)), **given)


def score_inputs(read: KbInputs, options: KbOptions, run: KbRun, *, profile: str = DEFAULT_PROFILE) -> Result:
    """Score inputs: map annotation to triples, then score these."""
    with _in_time(read, options, run):
        return corpus_result(paths_task(read, options, run, profile=profile), run)


def explain_document(read: KbInputs, options: KbOptions, run: KbRun, document: str) -> dict[str, Explanation]:
    """The facts and paths of one document and their outcomes, for each system; a part of its name suffices."""
    with _in_time(read, options, run):
        return corpus_explanations(paths_task(read, options, run), document, run)


def _in_time(read: KbInputs, options: KbOptions, run: KbRun) -> AbstractContextManager[None]:
    """The time limit of the documents, which includes comparing names."""
    fuzzy = options.naming.mode == "fuzzy"
    return in_time(read.size, run.time_limit, "a higher threshold of --names fuzzy" if fuzzy else PathsTask.sooner)


def paths_task(read: KbInputs, options: KbOptions, run: KbRun, *, profile: str = DEFAULT_PROFILE) -> PathsTask:
    """Inputs as a task of the whole corpus, to be scored and explained."""
    return _task(map_inputs(read, options), options, run, profile, read)


def map_inputs(read: KbInputs, options: KbOptions) -> Mapped:
    """Gold and systems as triples that share their names; plain triples as they are."""
    if read.gold.corpus is not None:
        return map_systems(
            read.gold.corpus.documents,
            [system.kb for system in read.systems if system.kb is not None],
            options,
            links=read.gold.links,
            redirects=read.gold.redirects,
            stop=read.gold.stop,
            names=[system.name for system in read.systems],
        )
    if options.identity_source == "system":
        hint = "give annotated documents and a knowledge base, or leave --identity-source out"
        raise UsageError("triples have no nodes of the system's own", hint=hint)
    gold = read.gold.graph
    assert gold is not None
    known = read.gold.documents if read.documents is None else read.documents
    graphs = [each.graph for each in read.systems if each.graph is not None]
    if options.min_confidence and not any(each.confidences for each in graphs):
        raise UsageError("no system says how confident it is", hint="leave --min-confidence out")
    surer = [_surer(each, options.min_confidence) for each in graphs]
    renamed = rename_graphs(gold, surer, options.naming, typed=options.typed)
    systems = []
    for each, all_of_it, own in zip(read.systems, graphs, renamed.systems, strict=True):
        unsure = len(all_of_it.table) - len(own.table)
        tally = {"outside": each.outside, "low-confidence": unsure, "facts": each.outside + len(all_of_it.table)}
        systems.append(MappedSystem(each.name, own.table, tally))
    return Mapped(renamed.gold.table, {}, {}, {}, (), (), tuple(systems), tuple(known), named=False, renamed=renamed)


def _surer(graph: Graph, least: float) -> Graph:
    """The triples of a graph with at least this confidence."""
    rows = [row for row, confidence in enumerate(graph.confidences) if confidence >= least]
    return graph if len(rows) == len(graph.confidences) else graph.select(rows, set(documents_of(graph)))


def score_mapped(mapped: Mapped, options: KbOptions, *, profile: str = DEFAULT_PROFILE, **more: Any) -> Result:
    """Score systems that were mapped to gold entities; `more` as in `score`: `bootstrap=0`, `by=("relation",)`."""
    run = chosen_run(profile, options, more)[1]
    return corpus_result(_task(mapped, options, run, profile), run)


def score_triples(
    gold: TripleTable,
    systems: Mapping[str, TripleTable],
    *,
    documents: Sequence[str] | None = None,
    profile: str = DEFAULT_PROFILE,
    options: KbOptions | None = None,
    **changes: Any,
) -> Result:
    r"""Score tables of triples; the documents are those of gold unless they are given, `changes` as in `score`.

    >>> from adjudge.formats.kb_triples import read_triples
    >>> gold = read_triples(b"ana\tworks_for\tcorvex\td1\ncorvex\tbased_in\toslo\td2\n")
    >>> score_triples(gold, {"A": gold}, hops=2, bootstrap=0)["kbp.hop2"].f1
    1.0000
    """
    chosen, run = chosen_run(profile, options, changes)
    return score_inputs(triple_inputs(gold, systems, documents), chosen, run, profile=profile)


def triple_inputs(
    gold: TripleTable, systems: Mapping[str, TripleTable], documents: Sequence[str] | None = None
) -> KbInputs:
    """Inputs from tables of triples; all of them share the names of gold."""
    shared = []
    for name, table in systems.items():
        own = table
        if table.names is not gold.names:
            own = TripleTable(gold.names)
            for row in table.rows():
                own.add(*row)
        shared.append(graph_side(name, Graph(own)))
    known = None if documents is None else frozenset(documents)
    return KbInputs(graph_side("gold", Graph(gold)), tuple(shared), known)


def _task(mapped: Mapped, options: KbOptions, run: KbRun, profile: str, read: KbInputs | None = None) -> PathsTask:
    from adjudge.stats.inference import hash_chunks

    names, listed = mapped.gold.names, sorted(set(mapped.documents))
    known = names.documents.numbers()
    documents = {known[name] if name in known else names.documents[name]: at for at, name in enumerate(listed)}
    how: dict[str, Any] = {"documents": documents, "named": mapped.named}
    whole, options = options, folded_options(options)
    right = prepare(mapped.gold, options, "gold", **how)
    scored = []
    for place, each in enumerate(mapped.systems):
        side = prepare(each.table, options, "system", **how)
        tally = _tallied(each.tally, side)
        if options.self_loops != "drop":
            del tally["self-loops"]
        own = None
        if each.own is not None:
            own = prepare(each.own, options, "system", labels=each.labels or {}, **how).facts
        remarks = [*problem_notes(each.notes), *strangers(right.facts, side.facts, names, mapped=mapped.named)]
        curve = []
        sure = _confidences(mapped, read, place) if read is not None and "confidence" in run.by else ()
        for least in thresholds(sure):
            surer = only_rows(each.table, [row for row, confidence in enumerate(sure) if confidence >= least])
            curve.append((least, prepare(surer, options, "system", **how).facts))
        scored.append(Scored(each.name, side.facts, own, tally, remarks, curve))
    hashes = hash_names(names)
    of_gold = ["\n".join(listed).encode("utf-8", "surrogatepass"), table_digest(mapped.gold, hashes)]
    inputs = [*of_gold, *(table_digest(each.table, hashes) for each in mapped.systems)]
    digests = {"gold": hash_chunks(of_gold), "in": hash_chunks(inputs)}
    notes = [] if read is None else input_notes(read, whole, profile)
    tally = _tallied(mapped.gold_tally, right)
    corpus = Corpus(right.facts, names.relations.listed, listed, tally, notes, digests)
    graph = _graph_sides(mapped, options, read, documents) if mapped.renamed is not None else ()
    task = PathsTask(corpus, scored, whole, run, profile, graph=graph)
    if mapped.renamed is not None:
        task.names = {each.name: pairs for each, pairs in zip(mapped.systems, mapped.renamed.pairs, strict=True)}
    if read is not None:
        task.explainers = partial(_explainers, read, options, mapped)
    return task


def _confidences(mapped: Mapped, read: KbInputs, place: int) -> Sequence[float]:
    """The confidences of the rows of a system, none if it has none."""
    if mapped.renamed is not None:
        return mapped.renamed.systems[place].confidences
    kb = read.systems[place].kb
    trace = mapped.systems[place].trace
    return [] if kb is None else [kb.facts[step.fact].confidence for step in trace if step.row >= 0]


def _graph_sides(
    mapped: Mapped, options: KbOptions, read: KbInputs | None, documents: Mapping[int, int]
) -> tuple[GraphSide, ...]:
    """Both sides for scores item by item, with the checks of systems; nothing if neither is wanted."""
    renamed = mapped.renamed
    assert renamed is not None
    texts: dict[str, str] = {}
    if read is not None and (options.graph or options.ontology is not None):
        for graph in (read.gold.graph, *(each.graph for each in read.systems)):
            texts = {**(graph.texts if graph is not None else {}), **texts}
        texts = {**texts, **read.texts}
    if not options.graph and options.ontology is None and not texts:
        return ()
    import numpy as np

    keep = replace(options, self_loops="keep")
    known = {mapped.gold.names.documents.listed[number]: place for number, place in documents.items()}
    sides = []
    for place, (name, graph) in enumerate((("gold", renamed.gold), *(("system", each) for each in renamed.systems))):
        side: Any = name
        facts = prepare(graph.table, keep, side, documents=documents, named=mapped.named).facts
        alone = [(graph.table.names.nodes[name], known[where]) for name, where in graph.isolated if where in known]
        nodes, where = (np.array([each[column] for each in alone], dtype=np.int64) for column in (0, 1))
        checked: dict[str, Any] = {}
        merged = renamed.merged_gold if place == 0 else renamed.merged[place - 1]
        if place and read is not None and (options.ontology is not None or texts):
            own = read.systems[place - 1].graph
            assert own is not None
            checked = _checked(_surer(own, options.min_confidence), graph, options, texts, known)
        sides.append(GraphSide(facts, (nodes, where), checked, merged))
    return tuple(sides)


def _checked(
    given: Graph, graph: Graph, options: KbOptions, texts: Mapping[str, str], known: Mapping[str, int]
) -> dict[str, Any]:
    """The checks of the rows of a system: ends as they are written, relations as they count.

    Rows that differ only in how names are written are one.
    """
    turned = [relation_name(name, options, "system") or name for name in graph.table.names.relations.listed]
    rows: dict[tuple[int, ...], None] = {}
    columns = graph.table

    def found() -> Iterable[tuple[int, tuple[bool | None, ...]]]:
        table = replace(given.table, names=replace_relations(given.table, columns, turned), relations=columns.relations)
        for each in check_rows(replace(given, table=table), options.ontology, texts, folded=options.naming.folds):
            row = each.row
            key = columns.subjects[row], columns.relations[row], columns.objects[row], columns.documents[row]
            if each.names[3] in known and key not in rows:
                rows[key] = None
                yield known[each.names[3]], each.right

    return checked_columns(iter(found()), len(known))


def replace_relations(given: TripleTable, table: TripleTable, relations: Sequence[str]) -> TripleNames:
    """The names of a table, with other names of relations."""
    own = Names()
    own.extend("\n".join(relations), len(relations))
    return TripleNames(given.names.nodes, own if relations else table.names.relations, given.names.documents)


def _explainers(*sides: Any) -> Iterable[tuple[str, Explainer]]:
    from adjudge.tasks.kbp.explain import explainers

    return explainers(*sides)


def thresholds(confidences: Sequence[float], *, points: int = POINTS) -> list[float]:
    """The confidences at which the curve has points, in ascending order: all distinct ones, or quantiles.

    >>> thresholds([0.5, 0.9, 0.5, 0.7])
    [0.5, 0.7, 0.9]
    >>> thresholds([number / 100 for number in range(100)], points=4)
    [0.0, 0.25, 0.5, 0.75]
    """
    different = sorted(set(confidences))
    if len(different) <= points:
        return different
    ordered = sorted(confidences)
    return sorted({ordered[len(ordered) * place // points] for place in range(points)})


def _tallied(before: Mapping[str, int], ready: Prepared) -> dict[str, int]:
    """The outcomes of facts that are not triples, including those left out by `prepare`."""
    return {
        **before,
        "excluded": before.get("excluded", 0) + ready.excluded,
        "outside": before.get("outside", 0) + ready.outside,
        "self-loops": ready.loops,
    }
