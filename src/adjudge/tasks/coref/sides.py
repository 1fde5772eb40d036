"""The key and the responses, from files or from memory."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, ValidationError, did_you_mean
from adjudge.evaluate.sides import Names, check_sides
from adjudge.model.coref import CorefCorpus, CorefDocument
from adjudge.tasks.coref.settings import Settings

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
    several = _several(response)
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
    if isinstance(source, Mapping):
        source = [{"id": str(name), "clusters": clusters} for name, clusters in source.items()]
    if not isinstance(source, Sequence):
        raise UsageError(
            f"cannot take documents from {type(source).__name__}",
            hint='give a path, or a list of {"id": ..., "clusters": [[[first, last], ...], ...]}',
        )
    if source and all(isinstance(each, CorefDocument) for each in source):
        ids = [each.id for each in source]
        if len(set(ids)) < len(ids):
            twice = next(each for each in ids if ids.count(each) > 1)
            raise ValidationError(f"duplicate id {twice!r}", hint="give every document its own id")
        import hashlib

        text = repr([(each.id, each.chains) for each in source])
        return CorefCorpus("<documents>", list(source), hashlib.sha256(text.encode()).hexdigest())
    import json

    try:
        text = "\n".join(json.dumps(each) for each in source)
    except TypeError as error:
        raise UsageError(f"documents in memory must be JSON data: {error}", hint="use lists and tuples") from None
    return read_coreference(text.encode(), format="jsonl", profile=settings.profile, name="<documents>")


def _several(response: Any) -> list[tuple[str, Documents]]:
    """A mapping to files or to lists of documents is several responses; one to clusters is a single one."""
    if isinstance(response, Mapping) and response:
        if all(_is_whole(source) for source in response.values()):
            return [(str(name), source) for name, source in response.items()]
        return [("response", response)]
    if isinstance(response, list | tuple) and response and all(map(_is_file, response)):
        return [(_stem(source), source) for source in response]
    return [(_stem(response) if _is_file(response) else "response", response)]


def _is_whole(source: Any) -> bool:
    several = isinstance(source, list | tuple) and bool(source) and isinstance(source[0], Mapping | CorefDocument)
    return several or _is_file(source) or isinstance(source, CorefCorpus)


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
