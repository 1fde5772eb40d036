"""Score knowledge bases against annotation or triples: read, map, prepare, count, resample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.errors import UsageError, did_you_mean
from adjudge.tasks.kbp.counting import SystemFacts, Warn
from adjudge.tasks.kbp.engine import ENGINES, Engine
from adjudge.tasks.kbp.options import DEFAULT_PROFILE, PROFILES, KbOptions, make_options
from adjudge.tasks.kbp.relations import prepare

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.errors import Problem
    from adjudge.formats.source import Source
    from adjudge.model.kbp import TripleTable
    from adjudge.stats.result import Note, Result
    from adjudge.tasks.kbp.inputs import KbInputs
    from adjudge.tasks.kbp.mapping import Mapped

    Ints: TypeAlias = npt.NDArray[Any]

PAPER_LEVEL, LEVEL = 0.9, 0.95
_SHOWN = 5


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
    warn: Warn | None = None,
    inputs: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Result:
    r"""Score systems, files or bytes, against gold: annotated documents, or triples on both sides.

    `changes` are options that differ from the profile (`hops=2`, `threshold=40`), see `KbOptions`; `inputs` are other
    arguments of `adjudge.tasks.kbp.inputs.read_inputs`, such as a list of `documents`. With `bootstrap=None` there are
    1000 resamples wherever that takes no more than some minutes.

    >>> gold = b"ana\tworks_for\tcorvex\td1\ncorvex\tbased_in\toslo\td2\n"
    >>> score(gold, gold.splitlines()[:1], names=["A"], hops=2, bootstrap=0)["kbp.hop1"].recall
    0.5000
    """
    from adjudge.tasks.kbp.inputs import read_inputs

    several = [systems] if not isinstance(systems, Sequence) or isinstance(systems, str | bytes) else list(systems)
    read = read_inputs(gold, several, wiki=wiki, names=names, **(inputs or {}))
    chosen = chosen_options(profile, options, changes)
    return score_inputs(
        read,
        chosen,
        profile=profile,
        by=by,
        bootstrap=bootstrap,
        ci=ci,
        seed=seed,
        engine=engine,
        box=box,
        warn=warn,
    )


def score_inputs(read: KbInputs, options: KbOptions, **more: Any) -> Result:
    """Score what was read: map annotation to triples, then score these."""
    from adjudge.stats.result import unique_names

    unique_names(system.name for system in read.systems)
    if read.gold.corpus is None:
        return _score_tables(read, options, **more)
    mapped = map_inputs(read, options)
    sure = {
        system.name: [given.kb.facts[step.fact].confidence for step in system.trace if step.row >= 0]
        for system, given in zip(mapped.systems, read.systems, strict=True)
        if given.kb is not None and "confidence" in more.get("by", ())
    }
    return score_mapped(
        mapped,
        options,
        input_notes=_input_notes(read, options, more.get("profile", DEFAULT_PROFILE)),
        confidences=sure,
        **more,
    )


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
    profile: str = DEFAULT_PROFILE,
    input_notes: Sequence[Note] = (),
    confidences: Mapping[str, Sequence[float]] | None = None,
    **more: Any,
) -> Result:
    """Score systems that were mapped to gold entities; slices by confidence need that of each triple."""
    owns = {system.name: (system.own, system.labels) for system in mapped.systems}
    return _build(
        mapped.gold,
        {system.name: system.table for system in mapped.systems},
        mapped.documents,
        options,
        profile=profile,
        tallies={system.name: system.tally for system in mapped.systems},
        gold_tally=mapped.gold_tally,
        owns=owns,
        named=True,
        notes=input_notes,
        system_notes={system.name: _problem_notes(system.notes) for system in mapped.systems},
        confidences=confidences,
        **more,
    )


def score_triples(
    gold: TripleTable,
    systems: Mapping[str, TripleTable],
    *,
    documents: Sequence[str] | None = None,
    profile: str = DEFAULT_PROFILE,
    options: KbOptions | None = None,
    by: Sequence[str] = (),
    bootstrap: int | None = None,
    ci: float | None = None,
    seed: int = 13,
    engine: Engine = "auto",
    box: bool = False,
    warn: Warn | None = None,
    **changes: Any,
) -> Result:
    r"""Score tables of triples; the documents are those of gold unless they are given.

    >>> from adjudge.formats.kb_triples import read_triples
    >>> gold = read_triples(b"ana\tworks_for\tcorvex\td1\ncorvex\tbased_in\toslo\td2\n")
    >>> score_triples(gold, {"A": gold}, hops=2, bootstrap=0)["kbp.hop2"].f1
    1.0000
    """
    chosen = chosen_options(profile, options, changes)
    return _build(
        gold,
        {name: _sharing(gold, table) for name, table in systems.items()},
        documents,
        chosen,
        profile=profile,
        by=by,
        bootstrap=bootstrap,
        ci=ci,
        seed=seed,
        engine=engine,
        box=box,
        warn=warn,
    )


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


def _score_tables(read: KbInputs, options: KbOptions, *, profile: str = DEFAULT_PROFILE, **more: Any) -> Result:
    """Triples on both sides."""
    if options.identity_source == "system":
        raise UsageError(
            "triples have no nodes of the system's own", hint="give annotated documents and a knowledge base, or leave "
            "--identity-source out"
        )  # fmt: skip
    gold = read.gold.table
    if gold is None:
        raise UsageError("gold has neither documents nor triples")
    tables = {system.name: system.table for system in read.systems if system.table is not None}
    tallies = {
        system.name: {"outside": system.outside, "facts": system.outside + len(system.table)}
        for system in read.systems
        if system.table is not None
    }
    documents = None if read.documents is None else sorted(read.documents)
    return _build(
        gold,
        tables,
        documents,
        options,
        profile=profile,
        tallies=tallies,
        notes=_input_notes(read, options, profile),
        **more,
    )


def _build(
    gold: TripleTable,
    systems: Mapping[str, TripleTable],
    documents: Sequence[str] | None,
    options: KbOptions,
    *,
    profile: str,
    tallies: Mapping[str, Mapping[str, int]] | None = None,
    gold_tally: Mapping[str, int] | None = None,
    owns: Mapping[str, tuple[TripleTable | None, Mapping[int, int] | None]] | None = None,
    named: bool = False,
    notes: Sequence[Note] = (),
    system_notes: Mapping[str, Sequence[Note]] | None = None,
    confidences: Mapping[str, Sequence[float]] | None = None,
    by: Sequence[str] = (),
    bootstrap: int | None = None,
    ci: float | None = None,
    seed: int = 13,
    engine: Engine = "auto",
    box: bool = False,
    warn: Warn | None = None,
) -> Result:
    from adjudge.tasks.kbp.curve import Sure, surer, thresholds
    from adjudge.tasks.kbp.digest import joined, table_digest
    from adjudge.tasks.kbp.notes import GoldNotes, strangers
    from adjudge.tasks.kbp.results import SLICES, Corpus, Scored, build

    for field in by:
        if field not in SLICES:
            hint = did_you_mean(field, SLICES) or f"choose from {', '.join(SLICES)}"
            raise UsageError(f"knowledge bases have no slices by {field!r}", hint=hint)
    if "confidence" in by and not confidences:
        raise UsageError("triples have no confidence", hint="give annotated documents and knowledge bases")
    if engine not in ENGINES:
        hint = did_you_mean(engine, ENGINES) or f"engines: {', '.join(ENGINES)}"
        raise UsageError(f"there is no engine {engine}", hint=hint)
    if not systems:
        raise UsageError("no system to score")
    if bootstrap is not None and bootstrap < 0:
        raise UsageError(f"bootstrap is {bootstrap}", hint="give 0 to turn intervals off")
    listed = _documents(gold, documents)
    places = {gold.names.documents[name]: place for place, name in enumerate(listed)}
    ready = prepare(gold, options, "gold", documents=places, named=named)
    tally = dict(gold_tally or {})
    tally["excluded"] = tally.get("excluded", 0) + ready.excluded
    tally["outside"] = tally.get("outside", 0) + ready.outside
    tally["self-loops"] = ready.loops
    scored = []
    for name, table in systems.items():
        side = prepare(table, options, "system", documents=places, named=named)
        before = dict((tallies or {}).get(name, {"facts": len(table)}))
        before["excluded"] = before.get("excluded", 0) + side.excluded
        before["outside"] = before.get("outside", 0) + side.outside
        if options.self_loops == "drop":
            before["self-loops"] = side.loops
        own, labels = (owns or {}).get(name, (None, None))
        nodes = None
        if own is not None:
            nodes = prepare(own, options, "system", documents=places, labels=labels or {}, named=named).facts
        remarks = [*(system_notes or {}).get(name, ()), *strangers(ready.facts, side.facts, gold.names, mapped=named)]
        sure = (confidences or {}).get(name, ())
        curve = [
            Sure(least, prepare(surer(table, sure, least), options, "system", documents=places, named=named).facts)
            for least in thresholds(sure)
        ]
        scored.append(Scored(SystemFacts(name, side.facts, nodes), before, remarks, curve))
    known = table_digest(gold)
    corpus = Corpus(
        ready.facts,
        tuple(listed),
        gold.names.relations.listed,
        joined([known], listed),
        GoldNotes(len(ready.facts.subjects), tally, notes),
    )
    return build(
        corpus,
        scored,
        options,
        profile=profile,
        by=by,
        bootstrap=bootstrap,
        level=(PAPER_LEVEL if profile == "paper" else LEVEL) if ci is None else ci,
        seed=seed,
        engine=engine,
        box=box,
        inputs=joined([known, *map(table_digest, systems.values())], listed),
        warn=warn,
    )


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


def _input_notes(read: KbInputs, options: KbOptions, profile: str) -> list[Note]:
    """What the readers remarked, and which of the relations that were named nobody has."""
    from adjudge.stats.result import Note

    found = _problem_notes(read.notes)
    known: set[str] | None = None
    for field in ("include", "exclude", "symmetric_types"):
        named = getattr(options, field)
        if not named or named == getattr(PROFILES[profile], field):
            continue  # a profile names relations of many corpora
        if known is None:
            known = _relation_names(read, options)
        if missing := [name for name in named if name not in known]:
            option = field.replace("_", "-")
            message = f"--{option} names what is no relation of gold or of a system: {', '.join(missing[:_SHOWN])}"
            found.append(Note("unknown-relation", len(missing), message))
    return found


def _relation_names(read: KbInputs, options: KbOptions) -> set[str]:
    """The relations of all sides, under their own names and the new ones, with their category and without."""
    sides: list[tuple[Mapping[str, str], Iterable[str]]] = []
    if read.gold.corpus is not None:
        facts = (fact.relation for document in read.gold.corpus.documents for fact in document.facts)
        sides.append((options.gold_relations, facts))
        for system in read.systems:
            if system.kb is not None:
                sides.append((options.system_relations, (fact.relation for fact in system.kb.facts)))
    elif read.gold.table is not None:
        listed = read.gold.table.names.relations.listed
        sides += [(options.gold_relations, listed), (options.system_relations, listed)]
    full = {table.get(name, name) for table, names in sides for name in set(names)}
    return full | {name.rpartition(".")[2] for name in full}


def _problem_notes(problems: Sequence[Problem]) -> list[Note]:
    """Remarks as notes of the result: one for each kind."""
    from adjudge.stats.result import Note

    groups: dict[str, list[str]] = {}
    for problem in problems:
        where = ":".join(str(part) for part in (problem.path, problem.line) if part)
        text = f"{problem.message}: {problem.hint}" if problem.hint else problem.message
        groups.setdefault(text, []).append(where)
    return [
        Note("input", len(places), message, tuple(dict.fromkeys(filter(None, places)))[:_SHOWN])
        for message, places in groups.items()
    ]
