"""Remarks on what was read, before anything is compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from adjudge.tasks.kbp.options import PROFILES, KbOptions

if TYPE_CHECKING:
    from adjudge.errors import Problem
    from adjudge.stats.result import Note
    from adjudge.tasks.kbp.inputs import KbInputs

_SHOWN = 5


def input_notes(read: KbInputs, options: KbOptions, profile: str) -> list[Note]:
    """What the readers remarked, and which of the relations that were named nobody has."""
    from adjudge.stats.result import Note

    found = problem_notes(read.notes)
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


def problem_notes(problems: Sequence[Problem]) -> list[Note]:
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
