"""The key and the responses, from files or from memory."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, ValidationError, did_you_mean
from adjudge.evaluate.sides import Names, check_sides
from adjudge.model.coref import CorefCorpus, CorefDocument
from adjudge.tasks.coref.settings import Settings

if TYPE_CHECKING:
    from adjudge.tasks.documents import Side

Documents: TypeAlias = Any  # a path, bytes, a stream, a corpus, or documents in memory
SUFFIXES = (".gz", ".conll", ".v4_gold_conll", ".v4_auto_conll", ".conllu", ".jsonl", ".json", ".key", ".response")


class Sides(NamedTuple):
    """The key with the documents to score, in the order of the key, and the responses by name."""

    key: CorefCorpus
    documents: tuple[CorefDocument, ...]
    responses: dict[str, CorefCorpus]
    found: dict[str, dict[str, CorefDocument]]  # name of the response -> id -> document


def name_responses(
    key: Documents, response: Any, names: Sequence[str | None] | None = None
) -> list[tuple[str, Documents]]:
    """The responses by name: of one response, of a list of paths, or of a mapping from names; None is after its file.

    >>> [name for name, _ in name_responses("key.conll", ["a/run.conll", "b/run.conll"])]
    ['run-1', 'run-2']
    """
    several = _several(key, response)
    sources = [key, *(source for _, source in several)]
    if sum(isinstance(source, str | os.PathLike) and str(source) == "-" for source in sources) > 1:
        raise UsageError("standard input can be read only once", hint="use - for one of the files")
    if names is not None and len(names) != len(several):
        raise UsageError(f"{len(names)} names for {len(several)} responses", hint="give one name for each response")
    given = list(names) if names is not None else [None] * len(several)
    found = iter(_distinct([name for (name, _), own in zip(several, given, strict=True) if own is None]))
    chosen = [next(found) if own is None else own for own in given]
    twice = next((name for name in chosen if chosen.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two responses have the name {twice!r}", hint="give each its own name")
    return list(zip(chosen, (source for _, source in several), strict=True))


def raise_together(errors: Sequence[AdjudgeError]) -> None:
    """What is wrong with any of the files as one error."""
    if errors:
        kind = FormatError if any(isinstance(error, FormatError) for error in errors) else ValidationError
        raise kind([problem for error in errors for problem in error.problems])


def read_side(
    source: Documents, settings: Settings, *, only: Container[str] | None = None, digest: bool = True
) -> CorefCorpus:
    """A key or a response; with `only`, what is broken in documents of other names does no harm."""
    from adjudge.formats.coreference import read_coreference

    if isinstance(source, CorefCorpus):
        return source
    if _is_file(source):
        return read_coreference(source, profile=settings.profile, only=only, digest=digest)
    if not is_held(source):
        return _read_already(source)
    text = "\n".join(_line(each.id, each.data) for each in held(source, "documents").documents.values())
    return read_coreference(text.encode(), format="jsonl", profile=settings.profile, name="<documents>")


def is_held(source: Documents) -> bool:
    """Whether documents are plain data in memory: neither in a file, nor read already."""
    if isinstance(source, CorefCorpus) or _is_file(source):
        return False
    return not (isinstance(source, list | tuple) and source and all(isinstance(each, CorefDocument) for each in source))


def held(source: Documents, name: str) -> Side:
    """Documents in memory as for any other metric: by their own ids, by those of a mapping, or by their place."""
    from adjudge.tasks.documents import Side, read_each

    return source if isinstance(source, Side) else read_each({name: source})[0]


def _read_already(source: Sequence[CorefDocument]) -> CorefCorpus:
    ids = [each.id for each in source]
    if len(set(ids)) < len(ids):
        twice = next(each for each in ids if ids.count(each) > 1)
        raise ValidationError(f"duplicate id {twice!r}", hint="give every document its own id")
    import hashlib

    text = repr([(each.id, each.chains) for each in source])
    return CorefCorpus("<documents>", list(source), hashlib.sha256(text.encode()).hexdigest())


def _line(identifier: str, data: Any) -> str:
    """A document as a line of a file: an object with clusters, or the clusters themselves."""
    import json

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


def _several(key: Documents, response: Any) -> list[tuple[str, Documents]]:
    """A mapping to files or to lists of documents is several responses; one to clusters is a single one."""
    if isinstance(response, Mapping) and response:
        if _names_systems(key, response):
            return [(str(name), source) for name, source in response.items()]
        return [("response", response)]
    if isinstance(response, list | tuple) and response and all(map(_is_file, response)):
        return [(_stem(source), source) for source in response]
    return [(_stem(response) if _is_file(response) else "response", response)]


def _names_systems(key: Documents, response: Mapping[Any, Any]) -> bool:
    """Whether the names of a mapping are those of systems: no document of a key in memory has one of them."""
    from adjudge.tasks.documents import Side

    if isinstance(key, Side) and any(str(name) in key.documents for name in response):
        return False
    return all(map(_is_whole, response.values()))


def _is_whole(source: Any) -> bool:
    """Whether something is all documents of a system, and not the clusters of one."""
    if _is_file(source) or isinstance(source, CorefCorpus):
        return True
    if isinstance(source, Mapping):
        return bool(source) and "clusters" not in source
    if not isinstance(source, list | tuple) or not source:
        return False
    return isinstance(source[0], Mapping) or hasattr(source[0], "clusters") or _depth(source) > _CLUSTERS


_CLUSTERS = 3  # levels: clusters, mentions, the two ends of a mention


def _depth(value: Any) -> int:
    """The levels of lists in lists, the deepest of the elements counting."""
    if isinstance(value, list | tuple | Set):
        return 1 + max((_depth(inner) for inner in value), default=0)
    return 0


def _is_file(source: Any) -> bool:
    return isinstance(source, str | os.PathLike | bytes) or hasattr(source, "read")


def _stem(source: Any) -> str:
    from adjudge.formats.source import source_name

    name = os.path.basename(source_name(source))  # noqa: PTH119  # see `formats.source.opened`
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name or "response"


def _distinct(names: list[str]) -> list[str]:
    """Names as they are, or numbered where two are the same (a/system.conll and b/system.conll)."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if names.count(name) == 1 else f"{name}-{seen[name]}")
    return result


def check_documents(sides: Sides) -> None:
    """Raise if the key has no documents, or none in common with a response."""
    hint = "a document begins with a line such as: #begin document (name); part 000"
    check_sides(
        Names(sides.key.path, {document.id for document in sides.key.documents}),
        [Names(corpus.path, sides.found[name].keys()) for name, corpus in sides.responses.items()],
        remedy=hint,
    )


def choose(key: CorefCorpus, docs: Iterable[str] | None) -> tuple[CorefDocument, ...]:
    """The documents of the key to score, in its order."""
    if docs is None:
        return tuple(key.documents)
    known = {document.id for document in key.documents}
    bare = {name.strip(): name for name in known}  # names may end in blanks, which are hard to see and to type
    wanted, unknown = set(), []
    for name in map(str, docs):
        found = name if name in known else bare.get(name.strip())
        if found is None:
            unknown.append(name)
        else:
            wanted.add(found)
    if unknown:
        hint = "write the name as in its header"
        raise UsageError(
            [
                Problem(f"there is no key document {name!r}", hint=did_you_mean(name, known) or hint)
                for name in dict.fromkeys(unknown)
            ]
        )
    return tuple(document for document in key.documents if document.id in wanted)
