"""Which systems there are, what they are called, and which documents count. One rule for every task."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from adjudge.errors import Problem, UsageError, did_you_mean, visible
from adjudge.formats.source import find_shards, source_name

Source: TypeAlias = Any  # a path, bytes, a stream, or documents in memory

_ENDINGS = (
    *(".jsonl", ".json", ".jsonlines", ".ndjson", ".parquet", ".bio", ".iob", ".iob2", ".conll", ".conllu"),
    *(".v4_gold_conll", ".v4_auto_conll", ".amr", ".tbf", ".tsv", ".tab", ".csv", ".txt", ".key", ".response", ".muc"),
    *(".tac", ".cs", ".kb", ".zip", ".tgz"),
)


def is_file(source: Any) -> bool:
    """Whether something is read rather than looked at: a path, bytes, or a stream."""
    return isinstance(source, str | os.PathLike | bytes) or hasattr(source, "read")


def is_stdin(source: Any) -> bool:
    """Whether a source is standard input."""
    return isinstance(source, str | os.PathLike) and str(source) == "-"


def size_of(source: Any) -> int:
    """The bytes of a file, or of the files of a folder or a pattern; 0 if there is none."""
    try:
        return sum(map(os.path.getsize, find_shards(source) or [source]))
    except (OSError, UsageError):
        return 0


def name_systems(
    gold: Source,
    system: Any,
    names: Sequence[str | None] | None = None,
    *,
    known: Collection[str] = (),
    is_whole: Callable[[Any], bool] = lambda _: True,
    texts: bool = False,
) -> list[tuple[str, Source]]:
    """The systems by name: of one source, of a list of files, or of a mapping from names.

    A mapping is one system if one of the `known` ids of gold documents is among its keys, or if one of its values is
    only the content of a document. A list of strings is several files, unless the documents themselves are `texts`. A
    name of None is after the file.

    >>> [name for name, _ in name_systems("key.conll", ["a/run.conll", "b/run.conll"])]
    ['run-1', 'run-2']
    """
    several = _several(system, known, is_whole, texts=texts)
    sources = [gold, *(source for _, source in several)]
    if sum(map(is_stdin, sources)) > 1:
        raise UsageError("standard input can be read only once", hint="use - for one of the files")
    if not several:
        raise UsageError("there is no system to score", hint="give the documents of at least one system")
    if names is not None and len(names) != len(several):
        raise UsageError(f"{len(names)} names for {len(several)} systems", hint="give one name for each system")
    given = list(names) if names is not None else [None] * len(several)
    found = iter(distinct([name for (name, _), own in zip(several, given, strict=True) if own is None]))
    chosen = [next(found) if own is None else own for own in given]
    twice = next((name for name in chosen if chosen.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two systems are called {twice!r}", hint="give each system a name of its own")
    return list(zip(chosen, (source for _, source in several), strict=True))


def _several(
    system: Any, known: Collection[str], is_whole: Callable[[Any], bool], *, texts: bool
) -> list[tuple[str, Source]]:
    if isinstance(system, Mapping):
        if not any(str(key) in known for key in system) and all(
            is_file(source) or is_whole(source) for source in system.values()
        ):
            return [(str(name), source) for name, source in system.items()]
    elif isinstance(system, list | tuple) and system and all(map(is_file, system)) and not texts:
        return [(stem(source), source) for source in system]
    return [(stem(system) if is_file(system) else "system", system)]


def stem(source: Any) -> str:
    """What a system is called after its file.

    >>> stem("runs/mine.jsonl.gz")
    'mine'
    >>> stem("runs/mine-*.jsonl"), stem("runs/mine/*.jsonl.zst"), stem("runs/mine/")
    ('mine', 'mine', 'mine')
    >>> stem("runs/mine.bio"), stem("runs/mine-1.5"), stem("runs/mine.tar.gz")
    ('mine', 'mine-1.5', 'mine')
    """
    if isinstance(source, bytes):
        return "system"
    # A name that is not UTF-8 could not be written into a result.
    path = Path(source_name(source))
    path = path.resolve() if str(path) in (".", "..") else path
    parts = [_without_pattern(visible(part)) for part in (path.name, *reversed(path.parent.parts))]
    return next((part for part in parts if part), "system") if "*" in str(path) else parts[0] or "system"


def _without_pattern(name: str) -> str:
    bare = name.removesuffix(".tar.gz") if name.endswith(".tar.gz") else name.removesuffix(".gz").removesuffix(".zst")
    # Only endings of formats: what follows another full stop may be a version.
    bare = next((bare.removesuffix(suffix) for suffix in _ENDINGS if bare.endswith(suffix)), bare)
    name = bare or name
    return name.partition("*")[0].rstrip("-_.") if "*" in name else name


def distinct(names: Sequence[str]) -> list[str]:
    """Names as they are, or numbered where two are the same (a/system.jsonl and b/system.jsonl).

    >>> distinct(["run", "run", "run-1", "other"])
    ['run-2', 'run-3', 'run-1', 'other']
    """
    taken = {name for name in names if names.count(name) == 1}
    result: list[str] = []
    for name in names:
        number, chosen = 1, name
        while name not in taken and (chosen == name or chosen in result or chosen in taken):
            chosen, number = f"{name}-{number}", number + 1
        result.append(chosen)
    return result


def choose(known: Collection[str], wanted: Iterable[str] | None) -> tuple[str, ...]:
    """The gold documents to score, in the order of gold.

    >>> choose(["a", "b "], ["b"])
    ('b ',)
    """
    if wanted is None:
        return tuple(known)
    bare = {name.strip(): name for name in known}  # names may end in blanks, which are hard to see and to type
    chosen, unknown = set(), []
    for name in map(str, wanted):
        found = name if name in known else bare.get(name.strip())
        if found is None:
            unknown.append(name)
        else:
            chosen.add(found)
    if unknown:
        raise UsageError(
            [
                Problem(f"there is no gold document {name!r}", hint=did_you_mean(name, known) or "check the id")
                for name in dict.fromkeys(unknown)
            ]
        )
    return tuple(name for name in known if name in chosen)
