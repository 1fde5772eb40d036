"""Merge the results of shards of any task, with what a task has beyond adding up: its own draws and its own limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from adjudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from adjudge.stats.result import Result
    from adjudge.stats.scores import Drawing

_WHOLE: Mapping[str, str] = {
    "double-annotation": "nuggets that are annotated twice are aligned at best for the whole corpus at once",
    "stopped": "a repeated id stops the count of the whole corpus, as in the program of 2015",
}
"""Notes of parts whose counts are not those of the same documents in the whole corpus, and why."""


def merge(
    parts: Sequence[Result],
    *,
    names: Sequence[str] | None = None,
    by: Sequence[str] | None = None,
    bootstrap: int | None = None,
    level: float | None = None,
    seed: int | None = None,
    test: str | None = None,
    interval: str | None = None,
    order: Iterable[str] | None = None,
) -> Result:
    """The result of scoring the documents of all parts at once; see `adjudge.stats.merge`.

    >>> from adjudge.tasks.scoring import score
    >>> one = score("record.set", [{"id": "a", "items": [1]}], {"s": [{"id": "a", "items": [1]}]})
    >>> two = score("record.set", [{"id": "b", "items": [2, 3]}], {"s": [{"id": "b", "items": [2]}]})
    >>> merge([one, two])["record.set"].recall
    0.6667 [0.0000, 1.0000]
    """
    from adjudge.stats.merge import merge as merge_tables

    called = list(names) if names is not None else [f"part {number}" for number in range(1, len(parts) + 1)]
    if len(parts) > 1:
        _refuse_whole(parts, called)
    draws: dict[str, Any] = {"bootstrap": bootstrap, "level": level, "seed": seed, "test": test, "interval": interval}
    drawing = _drawing(parts[0]) if parts else None
    draws |= {} if drawing is None else {"drawing": drawing}
    result = merge_tables(parts, names=called, by=by, order=order, **draws)
    return _with_genres(result) if result.task == "eal" else result


def _refuse_whole(parts: Sequence[Result], called: Sequence[str]) -> None:
    problems = [
        Problem(f"cannot be merged: {_WHOLE[note.code]}", path=name, hint="score all documents at once")
        for result, name in zip(parts, called, strict=True)
        for note in dict.fromkeys(note for system in result.systems for note in system.notes)
        if note.code in _WHOLE
    ]
    if problems:
        raise UsageError(list(dict.fromkeys(problems)))


def _drawing(first: Result) -> Drawing | None:
    """How corpora are drawn, if the profile has that done by the generator of the official programs."""
    if first.task != "eal":
        return None
    from adjudge.tasks.eal.ranking import drawing_of
    from adjudge.tasks.eal.settings import PROFILES

    profile = PROFILES.get(first.profile)
    return None if profile is None else drawing_of(profile)


def _with_genres(result: Result) -> Result:
    """The signature of a result by genre names the genres of all documents."""
    from adjudge.stats.result import result_fields
    from adjudge.stats.signature import hash_chunks, signature

    options, table = result.options, result.systems[0].table
    assert options is not None
    assert table is not None
    if "genre" not in table.attributes or "genres" not in options.fields:
        return result
    genres = "\n".join(str(each) for each in table.attributes["genre"]).encode()
    fields = {**options.fields, "genres": "#" + hash_chunks([genres])[:4]}
    options = msgspec.structs.replace(options, fields=fields)
    line = result_fields(result.profile, result.systems[0].documents, len(result.systems), options)
    return msgspec.structs.replace(result, options=options, signature=signature(result.task, line))
