"""What users state about files because the files do not: which options apply to a file, and the mapping of labels."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from adjudge.errors import UsageError
from adjudge.evaluate.sides import is_file, is_stdin, name_systems
from adjudge.evaluate.task import Side
from adjudge.formats.coerce.corpus import IDS, ITEMS, TAGS
from adjudge.formats.coerce.native import NATIVE, is_native
from adjudge.formats.coerce.sides import Said
from adjudge.formats.source import head_of, is_parquet, peeked, stdin_head
from adjudge.tasks.documents import digest_of, is_memory, read_side
from adjudge.tasks.family import COERCED, JSONL, reads

LINES = {  # the format of JSON lines with documents of a task in any shape
    "ner": (*ITEMS, *TAGS),
    "linking": ("mentions", "entities", "spans"),
    "relation": ("relations", "triples", "edges"),
    "event": ("events",),
    "tree": ("dependencies", "heads", "arcs"),
}
_LABELS = frozenset(("type", "subject_type", "object_type", "label", "role", "relation"))


def loaded(kind: str, gold: Any, system: Any, readers: tuple[str, str | None], said: Said) -> tuple[Any, Any]:
    """Gold and systems: files to be coerced as their values, files with options read accordingly."""
    ours, theirs = readers[0], readers[1] or readers[0]
    if system is not None and not is_memory(system):
        named = name_systems(gold, system)
        found = {name: _entered(kind, source, theirs, said, gold=False) for name, source in named}
        if any(found[name] is not source for name, source in named):
            system = found
    return _entered(kind, gold, ours, said, gold=True), system


def _entered(kind: str, source: Any, reader: str, said: Said, *, gold: bool) -> Any:
    if not is_file(source):
        return source
    if reader in COERCED or (reader == JSONL and _is_coerced(kind, source, said)):
        from adjudge.formats.exports import read_values

        return read_values(source, reader=reader if reader in COERCED else "", gold=gold)
    if reader == "bio" and said.get("scheme") is not None:
        from adjudge.model.tags import SCHEMES

        scheme = str(said["scheme"])
        if scheme == "IO":
            from adjudge.formats.exports import read_values

            return read_values(source, reader="labels")
        if scheme not in SCHEMES:
            raise UsageError(f"there is no scheme {scheme!r}", hint=f"use IO, {', '.join(SCHEMES)}")
        said.used.add("scheme")
        return read_side(source, "gold" if gold else "system", reads(scheme.lower(), None, kind)[0 if gold else 1])
    read = reads(reader, None, kind)[0 if gold else 1]
    if read is None or not said:
        return source
    from inspect import signature

    known = signature(read).parameters.keys() - getattr(read, "keywords", {}).keys()  # a reader may fix the scheme
    own = {name: said[name] for name in said if name in known and said[name] is not None}
    if not own:
        return source
    said.used.update(own)
    return read_side(source, "gold" if gold else "system", partial(read, **own))


def _is_coerced(kind: str, source: Any, said: Said) -> bool:
    """Whether JSON lines differ in shape from what metrics expect, or options describe them."""
    if kind not in LINES or is_parquet(source):
        return False
    if isinstance(source, str | os.PathLike) and not is_stdin(source) and not os.path.isfile(source):  # noqa: PTH113
        return False
    if any(name != "map" for name in said):
        return True
    from adjudge.formats.json_file import json_values

    if isinstance(source, str | os.PathLike):
        head = stdin_head() if is_stdin(source) else head_of(source)
    else:
        head = source if isinstance(source, bytes) else peeked(source) or b""
    values = [each for each in json_values(head.decode("utf-8", "replace")) if isinstance(each, Mapping)]
    other = not all("id" in each for each in values) or not is_native(kind, values)
    seen = {name for each in values for name in each}
    unknown = not seen <= set(IDS) and seen.isdisjoint((*LINES[kind], NATIVE[kind]))
    return other and (unknown or any(each.get(name) for each in values for name in LINES[kind]))


def refuse_unused(said: Said, shapes: str) -> None:
    """Raise if an option does not apply to the input."""
    for name, value in said.items():
        if value is not None and name not in said.used:
            shown = f'"{value}"' if isinstance(value, str) else repr(value)
            raise UsageError(f"{name}={shown} does not apply to {shapes}", hint=f"leave {name} out")


def mapped(kind: str, gold: Any, system: Any, readers: tuple[str, str | None], said: Said) -> tuple[Any, Any]:
    """Both sides with labels renamed as `map` says; a label that neither side has is an error."""
    labels: Mapping[str, str] = said["map"]
    said.used.add("map")
    ours, theirs = reads(*readers, kind)
    seen: set[str] = set()
    sides = {
        name: _relabelled(read_side(source, name, theirs), labels, seen) for name, source in name_systems(gold, system)
    }
    first = _relabelled(read_side(gold, "gold", ours), labels, seen)
    for label in labels:
        if label not in seen:
            raise UsageError(f"map: no item is called {label!r}", hint="check the label, or leave it out")
    return first, sides


def _relabelled(side: Side, labels: Mapping[str, str], seen: set[str]) -> Side:
    from msgspec.structs import replace

    def changed(value: Any, key: str = "") -> Any:
        if isinstance(value, str):
            if key in _LABELS and value in labels:
                seen.add(value)
                return labels[value]
            return value
        if isinstance(value, Mapping):
            return {name: changed(each, name) for name, each in value.items()}
        return [changed(each, key) for each in value] if isinstance(value, list | tuple) else value

    documents = {name: msgspec.structs.replace(each, data=changed(each.data)) for name, each in side.documents.items()}
    return replace(side, documents=documents, digest=partial(digest_of, documents))
