"""Chains from files, or from what people have in memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Mapping, Sequence, Set
from typing import Any

from adjudge.errors import UsageError, ValidationError
from adjudge.evaluate.sides import is_file
from adjudge.formats.coreference import read_coreference
from adjudge.model.coref import CorefCorpus, CorefDocument


def read_corpus(
    source: Any, name: str, *, profile: str, only: Container[str] | None = None, digest: bool = True
) -> tuple[CorefCorpus, bool]:
    """A file (CoNLL, CorefUD, JSON lines), documents that were read already, or plain data; and if they were numbered.

    Plain data are objects with clusters, or the clusters alone: by id in a mapping, or in a list, paired by their ids
    or, if they have none, by position.
    """
    if isinstance(source, CorefCorpus):
        return source, False
    if is_file(source):
        return read_coreference(source, profile=profile, only=only, digest=digest), False
    if isinstance(source, list | tuple) and source and all(isinstance(each, CorefDocument) for each in source):
        return _read_already(source), False
    from adjudge.tasks.documents import read_side

    side = read_side(source, name)
    text = "\n".join(_line(each.id, each.data) for each in side.documents.values())
    corpus = read_coreference(text.encode(), format="jsonl", profile=profile, name="<documents>")
    return corpus, side.paired_by_place


def is_whole(value: Any) -> bool:
    """Whether something in memory is all documents of a response, and not the clusters of one.

    >>> is_whole([{"id": "d", "clusters": []}]), is_whole([[[0, 0], [2, 2]]]), is_whole([[[[0, 0], [2, 2]]]])
    (True, False, True)
    """
    if isinstance(value, CorefCorpus):
        return True
    if isinstance(value, Mapping):
        return bool(value) and "clusters" not in value
    if not isinstance(value, list | tuple) or not value:
        return False
    return isinstance(value[0], Mapping | CorefDocument) or hasattr(value[0], "clusters") or _depth(value) > _CLUSTERS


_CLUSTERS = 3  # levels: clusters, mentions, the two ends of a mention


def _depth(value: Any) -> int:
    """The levels of lists in lists, the deepest of the elements counting."""
    if isinstance(value, list | tuple | Set):
        return 1 + max((_depth(inner) for inner in value), default=0)
    return 0


def _read_already(source: Sequence[CorefDocument]) -> CorefCorpus:
    ids = [each.id for each in source]
    if len(set(ids)) < len(ids):
        twice = next(each for each in ids if ids.count(each) > 1)
        raise ValidationError(f"duplicate id {twice!r}", hint="give every document its own id")
    text = repr([(each.id, each.chains) for each in source])
    return CorefCorpus("<documents>", list(source), hashlib.sha256(text.encode()).hexdigest())


def _line(identifier: str, data: Any) -> str:
    """A document as a line of a file: an object with clusters, or the clusters themselves."""
    if isinstance(data, Mapping):
        found = dict(data) if "id" in data else {"id": identifier, **data}
    else:
        found = {"id": identifier, "clusters": getattr(data, "clusters", data)}
    try:
        return json.dumps(found, default=_listed)
    except TypeError as error:
        hint = 'give {"id": ..., "clusters": [[[first, last], ...], ...]}, or the clusters alone'
        raise UsageError(f"document {identifier!r} cannot be read: {error}", hint=hint) from None


def _listed(value: Any) -> list[Any]:
    if isinstance(value, Set):
        return sorted(value, key=repr)
    raise TypeError(f"{type(value).__name__} is neither a list nor a set")
