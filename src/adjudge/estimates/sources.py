"""Pools from the output of other commands: results with their documents, and stores of event arguments."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from pathlib import Path
from typing import Any

import msgspec

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.estimates.pool import Item, Pool
from adjudge.stats.alignment import Item as Found
from adjudge.stats.result import Result

_HEAD = 4096
_DIGITS = 10
_PACKED = (".zip", ".tar.gz", ".tgz")
_OWN = ("id", "confidence", "score")  # what a system says of an item, and is not part of it


def saved_result(source: Any) -> Result | None:
    """A result that was given, or saved."""
    if isinstance(source, Result):
        return source
    if isinstance(source, str | os.PathLike) and not is_store(source):
        with open(source, "rb") as file:  # noqa: PTH123
            head = file.read(_HEAD)
        if head.lstrip()[:1] == b"{" and b'"signature"' in head:
            return Result.load(os.fspath(source))
    return None


def pool_of_result(result: Result) -> Pool:
    """The items that the systems of a result returned, merged if they differ in nothing but their names.

    An item is identified by its level, label, words, place and value, so that its id is the same whichever system
    returned it. Items that no metric counts are left out.
    """
    if not result.documents:
        hint = "score again with --save and --save-documents"
        raise UsageError("the result was saved without its documents, so the items are unknown", hint=hint)
    found: dict[str, tuple[str, Found, set[str]]] = {}
    for system in result.systems:
        for document, own in zip(result.documents, system.aligned, strict=True):
            ignored = [{each.item for each in matching.ignored} for matching in own.matchings]
            nowhere = set.intersection(*ignored) if ignored else set()
            for at, item in enumerate(own.items):
                if at not in nowhere:
                    name = _identity(document.id, item)
                    found.setdefault(name, (document.id, item, set()))[2].add(system.name)
    return _pool(
        Item(
            id=name,
            document=document,
            systems=tuple(sorted(systems)),
            attributes={"level": item.level, "type": item.label, "text": item.text},
        )
        for name, (document, item, systems) in found.items()
    )


def _identity(document: str, item: Found) -> str:
    """A readable id with a hash of the whole item; of items without a place in the text also of their groups.

    >>> _identity("d1", Found(id="entities[7]", level="entities", place=((0, 3),), label="PER"))
    'd1/PER/0-3/e2ee0afd00'
    """
    value = item.value
    if isinstance(value, Mapping):
        value = {key: each for key, each in value.items() if key not in _OWN}
    belongs = () if item.place else item.group
    what = (document, item.level, item.label, item.text, item.place, item.roles, value, belongs)
    digest = hashlib.sha1(msgspec.json.encode(what, order="sorted"), usedforsecurity=False).hexdigest()
    places = "+".join(f"{start}-{end}" for start, end in item.place)
    return "/".join(each for each in (document, item.label or item.level, places, digest[:_DIGITS]) if each)


# ---------------------------------------------------------------------------------------------------------------------
# Stores of event arguments


def is_store(source: Any) -> bool:
    """Whether this is the path of a folder or an archive."""
    return isinstance(source, str | os.PathLike) and (
        Path(source).is_dir() or os.fspath(source).lower().endswith(_PACKED)
    )


def pool_of_store(path: str | os.PathLike[str]) -> Pool:
    """The responses of a store as `adjudge eal pool` writes it; without provenance they are those of one system."""
    from adjudge.formats.eal_fields import sha1_id
    from adjudge.formats.eal_sources import provenance_path, read_provenance
    from adjudge.formats.eal_store import open_store

    items: list[Item] = []
    problems: list[Problem] = []
    with open_store(Path(path)) as store:
        beside = provenance_path(store.path)
        alone = (Path(store.path).name,)
        known = beside.is_file()
        givers: Iterator[Mapping[str, Any]] = read_provenance(beside, store.documents) if known else repeat({})
        for document, given in zip(store.documents, givers, strict=False):
            for argument in store.arguments(document).arguments:
                response = argument.response
                name = sha1_id(response)
                if known and name not in given:
                    hint = "pool the submissions again"
                    place = store.place(document)
                    problems.append(Problem(f"{name} is not in {beside}", place, argument.line, hint=hint))
                    continue
                attributes = {"type": response.type, "role": response.role, "realis": response.realis}
                attributes["text"] = response.cas.text
                systems = tuple(sorted(given[name])) if known else alone
                items.append(Item(id=name, document=document, systems=systems, attributes=dict(attributes)))
    if problems:
        raise FormatError(problems)
    return _pool(items)


def _pool(items: Iterable[Item]) -> Pool:
    found = tuple(sorted(items, key=lambda item: item.id))
    if not found:
        raise UsageError("no system returned anything, so the pool is empty", hint="is it the right file?")
    return Pool(found)
