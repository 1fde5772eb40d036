"""Score knowledge bases against annotation or triples: read, map, prepare, count, resample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.errors import UsageError, did_you_mean
from adjudge.tasks.kbp.counting import Run, SystemFacts, Warn
from adjudge.tasks.kbp.engine import Engine, check_engine
from adjudge.tasks.kbp.notes import GoldNotes, input_notes, problem_notes, strangers
from adjudge.tasks.kbp.options import DEFAULT_PROFILE, PROFILES, KbOptions, Side, make_options
from adjudge.tasks.kbp.pieces import Place
from adjudge.tasks.kbp.relations import Prepared, prepare

if TYPE_CHECKING:
    from adjudge.formats.source import Source
    from adjudge.model.kbp import TripleTable
    from adjudge.stats.result import Note, Result
    from adjudge.tasks.kbp.inputs import KbInputs
    from adjudge.tasks.kbp.mapping import Mapped


PAPER_LEVEL, LEVEL = 0.9, 0.95


def score(
    gold: Source,
    systems: Source | Sequence[Source],
    *,
    wiki: Source | None = None,
    profile: str = DEFAULT_PROFILE,
    options: KbOptions | None = None,
    names: Sequence[str] | None = None,
    by: Sequence[str] = (),
    bootstrap: int | None = None,
    ci: float | None = None,
    seed: int = 13,
    engine: Engine = "auto",
    box: bool = False,
    jobs: int | None = 1,
    cluster: str | None = None,
    warn: Warn | None = None,
    inputs: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Result:
    r"""Score systems, files or bytes, against gold: annotated documents, or triples on both sides.

    `changes` are options that differ from the profile (`hops=2`, `threshold=40`), see `KbOptions`; `inputs` are other
    arguments of `adjudge.tasks.kbp.inputs.read_inputs`, such as a list of `documents`. With `bootstrap=None` there are
    1000 resamples wherever that takes no more than some minutes. `jobs` is the number of processes, 0 starts several
    if that pays; `cluster` is a Dask cluster.

    >>> gold = b"ana\tworks_for\tcorvex\td1\ncorvex\tbased_in\toslo\td2\n"
    >>> score(gold, gold.splitlines()[:1], names=["A"], hops=2, bootstrap=0)["kbp.hop1"].recall
    0.5000
    """
    several = [systems] if not isinstance(systems, Sequence) or isinstance(systems, str | bytes) else list(systems)
    chosen = chosen_options(profile, options, changes)
    run = Run(
        by=by,
        bootstrap=bootstrap,
        ci=ci,
        seed=seed,
        engine=engine,
        box=box,
        place=Place(jobs, cluster),
        warn=warn,
    )
    return score_files(gold, several, chosen, run, profile=profile, names=names, wiki=wiki, **(inputs or {}))


def score_files(
    gold: Source,
    systems: Sequence[Source],
    options: KbOptions,
    run: Run,
    *,
    profile: str = DEFAULT_PROFILE,
    names: Sequence[str] | None = None,
    seen: Callable[[KbInputs], None] | None = None,
    **inputs: Any,
) -> Result:
    """Read and score; `inputs` are other arguments of `read_inputs`, and `seen` is called with what was read."""
    from adjudge.tasks.kbp.inputs import read_inputs

    read = read_inputs(gold, systems, names=names, **inputs)
    if seen is not None:
        seen(read)
    return score_inputs(read, options, run, profile=profile)


def score_inputs(
    read: KbInputs, options: KbOptions, run: Run | None = None, *, profile: str = DEFAULT_PROFILE, **more: Any
) -> Result:
    """Score what was read: map annotation to triples, then score these; `more` as in `score_mapped`."""
    from adjudge.stats.result import unique_names

    unique_names(system.name for system in read.systems)
    run = run or Run(**more)
    if read.gold.corpus is None:
        return _score_tables(read, options, run, profile=profile)
    mapped = map_inputs(read, options)
    sure = {
        system.name: [given.kb.facts[step.fact].confidence for step in system.trace if step.row >= 0]
        for system, given in zip(mapped.systems, read.systems, strict=True)
        if given.kb is not None and "confidence" in run.by
    }
    notes = input_notes(read, options, profile)
    return score_mapped(mapped, options, run=run, profile=profile, input_notes=notes, confidences=sure)


def map_inputs(read: KbInputs, options: KbOptions) -> Mapped:
    """Gold and systems as triples that share their names."""
    from adjudge.tasks.kbp.mapping import map_systems

    if read.gold.corpus is None:
        raise UsageError("triples need no mapping", hint="score them as they are")
    bases = [system.kb for system in read.systems if system.kb is not None]
    return map_systems(
        read.gold.corpus.documents,
        bases,
        options,
        links=read.gold.links,
        redirects=read.gold.redirects,
        stop=read.gold.stop,
        names=[system.name for system in read.systems],
    )


def score_mapped(
    mapped: Mapped,
    options: KbOptions,
    *,
    run: Run | None = None,
    profile: str = DEFAULT_PROFILE,
    input_notes: Sequence[Note] = (),
    confidences: Mapping[str, Sequence[float]] | None = None,
    **more: Any,
) -> Result:
    """Score systems that were mapped to gold entities; slices by confidence need that of each triple.

    `more` is what `Run` has, unless there is a `run` already: `bootstrap=0`, `by=("relation",)`.
    """
    systems = [
        _System(
            system.name,
            system.table,
            system.tally,
            system.own,
            system.labels or {},
            problem_notes(system.notes),
            (confidences or {}).get(system.name, ()),
        )
        for system in mapped.systems
    ]
    gold = _Gold(mapped.gold, mapped.documents, mapped.gold_tally, input_notes, mapped=True)
    return _build(gold, systems, options, run or Run(**more), profile=profile)


def score_triples(
    gold: TripleTable,
    systems: Mapping[str, TripleTable],
    *,
    documents: Sequence[str] | None = None,
    profile: str = DEFAULT_PROFILE,
    options: KbOptions | None = None,
    **more: Any,
) -> Result:
    r"""Score tables of triples; the documents are those of gold unless they are given.

    `more` are options that differ from the profile, and what `Run` has: `bootstrap=0`, `by=("relation",)`.

    >>> from adjudge.formats.kb_triples import read_triples
    >>> gold = read_triples(b"ana\tworks_for\tcorvex\td1\ncorvex\tbased_in\toslo\td2\n")
    >>> score_triples(gold, {"A": gold}, hops=2, bootstrap=0)["kbp.hop2"].f1
    1.0000
    """
    known = {each.name for each in fields(Run)}
    chosen = chosen_options(profile, options, {name: more[name] for name in more if name not in known})
    run = Run(**{name: more[name] for name in more if name in known})
    shared = [_System(name, _sharing(gold, table), {"facts": len(table)}) for name, table in systems.items()]
    return _build(_Gold(gold, documents), shared, chosen, run, profile=profile)


def chosen_options(profile: str, options: KbOptions | None, changes: Mapping[str, Any]) -> KbOptions:
    """The options of a profile with changes, or the given ones, which then have none.

    >>> chosen_options("paper", None, {"hops": 2}).hops
    2
    """
    if options is None:
        return make_options(profile, **changes)
    if changes:
        raise UsageError(
            f"options and {', '.join(changes)} are both given", hint="change the options, or leave them out"
        )
    if profile not in PROFILES:
        make_options(profile)
    return options


def _score_tables(read: KbInputs, options: KbOptions, run: Run, *, profile: str) -> Result:
    """Triples on both sides."""
    check_triples(options)
    gold = read.gold.table
    if gold is None:
        raise UsageError("gold has neither documents nor triples")
    systems = [
        _System(each.name, each.table, {"outside": each.outside, "facts": each.outside + len(each.table)})
        for each in read.systems
        if each.table is not None
    ]
    documents = None if read.documents is None else sorted(read.documents)
    given = _Gold(gold, documents, notes=input_notes(read, options, profile))
    return _build(given, systems, options, run, profile=profile)


def check_triples(options: KbOptions) -> None:
    """Raise if triples cannot be compared so."""
    if options.identity_source == "system":
        hint = "give annotated documents and a knowledge base, or leave --identity-source out"
        raise UsageError("triples have no nodes of the system's own", hint=hint)


class _Gold(NamedTuple):
    """Gold triples, their documents, and what became of the facts that are none; `mapped` if they were annotation."""

    table: TripleTable
    documents: Sequence[str] | None = None
    tally: Mapping[str, int] = {}
    notes: Sequence[Note] = ()
    mapped: bool = False


class _System(NamedTuple):
    """The triples of a system, in terms of gold nodes and of its own, and what else is known of its facts."""

    name: str
    table: TripleTable
    tally: Mapping[str, int]
    own: TripleTable | None = None
    labels: Mapping[int, int] = {}
    notes: Sequence[Note] = ()
    confidences: Sequence[float] = ()


def _build(gold: _Gold, systems: Sequence[_System], options: KbOptions, run: Run, *, profile: str) -> Result:
    from adjudge.tasks.kbp.curve import Sure, surer, thresholds
    from adjudge.tasks.kbp.digest import joined, table_digest
    from adjudge.tasks.kbp.results import Corpus, Scored, build

    check_run(run, confidences=any(each.confidences for each in systems))
    if not systems:
        raise UsageError("no system to score")
    names, listed = gold.table.names, _documents(gold.table, gold.documents)
    places = {names.documents[name]: place for place, name in enumerate(listed)}

    def ready(table: TripleTable, side: Side, labels: Mapping[int, int] | None = None) -> Prepared:
        return prepare(table, options, side, documents=places, labels=labels, named=gold.mapped)

    right = ready(gold.table, "gold")
    scored = []
    for each in systems:
        side = ready(each.table, "system")
        tally = tallied(each.tally, side)
        if options.self_loops != "drop":
            del tally["self-loops"]
        nodes = None if each.own is None else ready(each.own, "system", each.labels).facts
        remarks = [*each.notes, *strangers(right.facts, side.facts, names, mapped=gold.mapped)]
        curve = [
            Sure(least, ready(surer(each.table, each.confidences, least), "system").facts)
            for least in thresholds(each.confidences)
        ]
        scored.append(Scored(SystemFacts(each.name, side.facts, nodes), tally, remarks, curve))
    known = table_digest(gold.table)
    corpus = Corpus(
        right.facts,
        tuple(listed),
        names.relations.listed,
        joined([known], listed),
        GoldNotes(len(right.facts.subjects), tallied(gold.tally, right), gold.notes),
    )
    return build(
        corpus,
        scored,
        options,
        run,
        profile=profile,
        level=interval_level(run, profile),
        inputs=joined([known, *(table_digest(each.table) for each in systems)], listed),
    )


def check_run(run: Run, *, confidences: bool = False) -> None:
    """Raise if something is asked for that there is not.

    >>> check_run(Run(by=("typ",)))
    Traceback (most recent call last):
    adjudge.errors.UsageError: knowledge bases have no slices by 'typ', choose from relation, first, sequence, ...
    """
    from adjudge.tasks.kbp.results import SLICES

    for field in run.by:
        if field not in SLICES:
            hint = did_you_mean(field, SLICES) or f"choose from {', '.join(SLICES)}"
            raise UsageError(f"knowledge bases have no slices by {field!r}", hint=hint)
    if "confidence" in run.by and not confidences:
        raise UsageError("triples have no confidence", hint="give annotated documents and knowledge bases")
    check_engine(run.engine)
    if run.resamples < 0:
        raise UsageError(f"bootstrap is {run.bootstrap}", hint="give 0 to turn intervals off")


def interval_level(run: Run, profile: str) -> float:
    """The level of the intervals: as asked for, or that of the profile.

    >>> interval_level(Run(), "paper"), interval_level(Run(ci=0.8), "paper")
    (0.9, 0.8)
    """
    return (PAPER_LEVEL if profile == "paper" else LEVEL) if run.ci is None else run.ci


def tallied(before: Mapping[str, int], ready: Prepared) -> dict[str, int]:
    """What became of the facts that are no triples, with those that preparation has left out.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> tallied({"outside": 1}, Prepared(make_facts([], [], []), excluded=2, outside=3, loops=0))
    {'outside': 4, 'excluded': 2, 'self-loops': 0}
    """
    return {
        **before,
        "excluded": before.get("excluded", 0) + ready.excluded,
        "outside": before.get("outside", 0) + ready.outside,
        "self-loops": ready.loops,
    }


def _documents(gold: TripleTable, documents: Sequence[str] | None) -> list[str]:
    """The documents of the samples, sorted: those given, or those of gold."""
    if documents is not None:
        return sorted(set(documents))
    listed = gold.names.documents.listed
    return sorted(listed[number] for number in set(gold.documents))


def _sharing(gold: TripleTable, table: TripleTable) -> TripleTable:
    """The same table with the names of gold."""
    from array import array

    from adjudge.model.kbp import TripleTable

    if table.names is gold.names:
        return table
    nodes, relations, documents = (
        [target[name] for name in source.listed]
        for target, source in (
            (gold.names.nodes, table.names.nodes),
            (gold.names.relations, table.names.relations),
            (gold.names.documents, table.names.documents),
        )
    )
    columns = (
        (nodes, table.subjects),
        (relations, table.relations),
        (nodes, table.objects),
        (documents, table.documents),
    )
    return TripleTable(gold.names, *(array("i", map(new.__getitem__, column)) for new, column in columns))
