"""Plain triples that are larger than memory: read into a database, prepared there, scored piece by piece.

Which way triples go depends on their size and on the memory; the result is the same to the byte.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from adjudge.errors import FormatError, UsageError
from adjudge.formats.kb_triples import triple_shards
from adjudge.formats.parquet import is_parquet
from adjudge.model.kbp import TripleNames, TripleTable
from adjudge.tasks.kbp.counting import Run, SystemFacts
from adjudge.tasks.kbp.detection import detected, has_nothing, is_blank, system_kinds
from adjudge.tasks.kbp.engine import machine_memory
from adjudge.tasks.kbp.fitting import check_stored
from adjudge.tasks.kbp.inputs import (
    DocumentList,
    GoldInput,
    KbInputs,
    SystemInput,
    check_listed,
    check_plain,
    document_names,
    empty_note,
    system_name,
)
from adjudge.tasks.kbp.store import Store, Stored, fill, node_name, open_store, prepare_stored
from adjudge.tasks.kbp.store_facts import fact_number, lowest_node, relation_counts

if TYPE_CHECKING:
    from adjudge.errors import Problem
    from adjudge.formats.source import Source
    from adjudge.stats.result import Note, Result
    from adjudge.tasks.kbp.options import KbOptions

# Bytes in memory for a byte of triples: names, numbers, and what counting needs beside them.
_GROWTH = 5
_PACKED = {".gz": 5, ".zst": 6}
_PARQUET = 6


def stored_memory(gold: Source, systems: Sequence[Source], run: Run, **inputs: Any) -> int | None:
    """The memory that may be taken if triples go through a database, None if everything is read into memory.

    >>> stored_memory(b"a\\tr\\tb\\td\\n", [b"a\\tr\\tb\\td\\n"], Run()) is None
    True
    """
    if run.engine not in ("auto", "duckdb"):
        return None
    sources = (gold, *systems)
    if not all(isinstance(source, str | os.PathLike) and str(source) != "-" for source in sources):
        return None
    kind = inputs.get("gold_format") or detected(gold)
    if kind != "triples" or set(system_kinds(systems, kind, inputs.get("system_format"))) != {"triples"}:
        return None
    if any(has_nothing(each) and not is_blank(each) for each in systems):
        return None  # an id alone is no triple
    limit = run.memory or machine_memory()
    if run.engine == "auto" and (limit is None or _GROWTH * sum(map(triple_bytes, sources)) <= limit):
        return None
    return limit or 1 << 30


def triple_bytes(source: Any) -> int:
    """About how many bytes the lines of a file, a folder or a pattern have.

    >>> triple_bytes("no such file")
    0
    """
    total = 0
    for path in triple_shards(source) or [os.fspath(source)]:
        try:
            size = os.path.getsize(path)  # noqa: PTH202
        except OSError:
            continue  # whoever reads it says so
        ending = os.path.splitext(path)[1]  # noqa: PTH122
        total += size * (_PARQUET if is_parquet(path) else _PACKED.get(ending, 1))
    return total


def score_stored(
    gold: Source,
    systems: Sequence[Source],
    options: KbOptions,
    run: Run,
    *,
    memory: int,
    profile: str,
    names: Sequence[str] | None = None,
    seen: Callable[[KbInputs], None] | None = None,
    documents: DocumentList | Source | None = None,
    wiki: Source | None = None,
    redirects: Source | None = None,
    stop: Source | None = None,
    units: str | None = None,
    **_: Any,
) -> Result:
    """Score triples through a database; the arguments are those of `scoring.score_files`."""
    from adjudge.stats.result import unique_names
    from adjudge.tasks.kbp.scoring import check_run, check_triples

    if names is not None and len(names) != len(systems):
        raise UsageError(f"{len(names)} names for {len(systems)} systems", hint="give one name for each system")
    if units is not None:
        raise UsageError("units are chosen for ACE annotation only", hint="leave them out")
    check_plain(gold, wiki, redirects, stop)
    check_triples(options)
    check_run(run)
    called = list(names) if names is not None else [system_name(os.fspath(each)) for each in systems]  # type: ignore[arg-type]
    unique_names(called)
    listed = document_names(documents)
    shared = TripleNames()
    with open_store(shared, memory, [gold, *systems]) as store:
        problems: list[Problem] = []
        wanted = None if listed is None else frozenset(listed.names)
        kept = fill(store, ["gold", *called], wanted, problems)
        if problems:
            raise FormatError(problems)
        if listed is not None:
            check_listed(kept[0].rows, listed)
        table = TripleTable(shared)
        read = KbInputs(
            GoldInput(kept[0].path, "triples", table=table),
            tuple(
                SystemInput(
                    each.name,
                    each.path,
                    "triples",
                    table=table,
                    notes=() if each.rows or each.outside else (empty_note(each.path),),
                )
                for each in kept[1:]
            ),
            wanted,
        )
        check_stored(store, kept)
        if seen is not None:
            seen(read)
        return _score(store, kept, read, options, run, profile)


def _score(store: Store, kept: Sequence[Any], read: KbInputs, options: KbOptions, run: Run, profile: str) -> Result:
    from adjudge.tasks.kbp.digest import joined
    from adjudge.tasks.kbp.notes import GoldNotes
    from adjudge.tasks.kbp.notes_inputs import input_notes
    from adjudge.tasks.kbp.results import Corpus, Scored, build
    from adjudge.tasks.kbp.scoring import interval_level, tallied

    documents = store.names.documents
    if read.documents is None:
        (numbers,) = store.columns("SELECT DISTINCT d FROM numbered0")
        listed = sorted(documents.listed[number] for number in numbers.tolist())
    else:
        listed = sorted(read.documents)
    places = {documents[name]: place for place, name in enumerate(listed)}
    notes = input_notes(read, options, profile)
    ready = prepare_stored(store, 0, options, "gold", places)
    scored = []
    for number, each in enumerate(kept[1:], start=1):
        side = prepare_stored(store, number, options, "system", places)
        before = {"outside": each.outside, "facts": each.outside + each.rows}
        tally = tallied(before, side)
        if options.self_loops != "drop":
            del tally["self-loops"]
        scored.append(Scored(SystemFacts(each.name, side.facts), tally, _strangers(ready.facts, side.facts)))
    known = kept[0].digest
    corpus = Corpus(
        ready.facts,
        tuple(listed),
        store.names.relations.listed,
        joined([known], listed),
        GoldNotes(fact_number(ready.facts), tallied({}, ready), notes),
    )
    return build(
        corpus,
        scored,
        options,
        run,
        profile=profile,
        level=interval_level(run, profile),
        inputs=joined([each.digest for each in kept], listed),
    )


def _strangers(gold: Stored, system: Stored) -> list[Note]:
    """What makes every score 0; see `notes.strangers`."""
    from adjudge.tasks.kbp.notes import no_node_shared, no_relation_shared, some_names

    names = gold.store.names.relations.listed
    mine, theirs = (relation_counts(side, len(names)) for side in (system, gold))
    if not mine.any() or not theirs.any():
        return []
    found = []
    if not (mine.astype(bool) & theirs.astype(bool)).any():
        used = [some_names([names[number] for number in own.nonzero()[0]]) for own in (mine, theirs)]
        found.append(no_relation_shared(*used))
    shared, first = lowest_node(system, gold)
    if not shared:
        other = lowest_node(gold, system)[1]
        found.append(no_node_shared(node_name(gold.store, first), node_name(gold.store, other)))
    return found
