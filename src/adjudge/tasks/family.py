"""What a family of metrics is: its default metrics, its readers, its profiles, and what its options do to documents.

A family is one file of this package that declares a `Family`, and is discovered automatically. Its metrics are in
`adjudge.metrics`, its readers in `adjudge.formats`, the programs that it can stand in for in `adjudge.scorers`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import msgspec

from adjudge.errors import UsageError, did_you_mean
from adjudge.rooms import Option, declared, load

if TYPE_CHECKING:
    from adjudge.model.document import Corpus
    from adjudge.tasks.task import Adjust

Read: TypeAlias = "Callable[..., Corpus]"
"""Called with a source (a path, `-`, bytes or a stream); returns its documents, or raises with every problem."""

Pair: TypeAlias = "Callable[[Corpus, Corpus], Corpus]"
"""Called with the gold and the system documents; returns the system's, aligned with gold."""

JSONL = "jsonl"
COERCED = ("prodigy", "doccano", "label-studio", "llm", "csv", "triples", "spacy", "dataset", "inspect")
"""Readers whose files are values to be coerced, gold and systems together."""


class Reader(msgspec.Struct, frozen=True):
    """A format: `module:function` for gold files, and for system files if they differ.

    `pair` is a function of the gold and the system documents (each a `Corpus`) that returns the system's, aligned with
    gold, or raises if the texts differ. `metrics` are the defaults for this format, if not those of the family. `words`
    is a function of a gold file that returns the words of its documents by id, if the documents lack them: explanations
    and pages need them, scores do not.
    """

    about: str
    gold: str
    system: str = ""
    pair: str = ""
    metrics: tuple[str, ...] = ()
    words: str = ""


class Family(msgspec.Struct, frozen=True):
    """Metrics that are shown together by `adjudge NAME score`.

    `options` belong to the family: those given are passed to `adjust(gold, system, **options)`, which is called with
    each pair of documents and returns both as they are to be compared. Options in `gold` and `system` go to the readers
    of the two sides instead, those in `of_metrics` to the metrics, each under the name stated there.
    """

    name: str
    about: str
    metrics: tuple[str, ...]
    readers: Mapping[str, Reader] = {}
    default: str = JSONL
    example: str = ""
    options: Mapping[str, Option] = {}
    adjust: Callable[..., tuple[Any, Any]] | None = None
    gold: Mapping[str, str] = {}
    system: Mapping[str, str] = {}
    of_metrics: Mapping[str, str] = {}


def families() -> dict[str, str]:
    """The families and what each is about.

    >>> families()["event"]
    'Events: triggers and arguments.'
    """
    return {name: about for _, name, about in declared(__package__, "Family")}


def is_family(name: str) -> bool:
    """Whether there is a family of this name, that is, a file; other families are not loaded.

    >>> is_family("ner"), is_family("ner.strict"), is_family("scoring")
    (True, False, False)
    """
    return name.isidentifier() and any(own == name for _, own, _ in declared(__package__, "Family", name))


def find_family(name: str) -> Family:
    """The family of a name.

    >>> find_family("ner").default
    'bio'
    """
    family: Family = import_module(f"{__package__}.{name.replace('-', '_')}").FAMILY
    return family


def find_reader(name: str, family: str = "") -> Reader | None:
    """The reader of this name, from this family or else from any; None for JSON lines, which need none."""
    if name == JSONL:
        return None
    if is_family(family) and name in find_family(family).readers:
        return find_family(family).readers[name]
    known = {key: reader for family in families() for key, reader in find_family(family).readers.items()}
    if name not in known:
        hint = did_you_mean(name, [JSONL, *known]) or f"readers are {', '.join([JSONL, *known])}"
        raise UsageError(f"there is no reader {name!r}", hint=hint)
    return known[name]


_ONLY = {
    "csv": ("ner", "linking"),
    "triple-table": ("relation",),
    "record-table": ("record",),
    "triples": ("relation",),
}
"""Kinds of tables that some families cannot use, although they have a reader of tables."""


def is_for(kind: str, family: str) -> bool:
    """Whether a family that has a reader for files of this kind can use them."""
    return family in _ONLY.get(kind, (family,))


def readers_of(kind: str) -> list[str]:
    """The names of the readers, of any family, for files of this kind.

    >>> readers_of("dygie-output"), readers_of("answers")
    (['dygie'], ['answers', 'llm'])
    """
    if kind in ("record-table", "triple-table", "records"):
        return ["answers" if kind == "records" else "csv"]
    more = {"gtt": ["iterx"], "answers": ["llm"], JSONL: ["answers"], "parquet": [JSONL, "answers"]}
    return [kind.removesuffix("-output").removesuffix("-result"), *more.get(kind, [])]


def reads(gold: str, system: str | None = None, family: str = "") -> tuple[Read | None, Read | None]:
    """How gold and system files are read: by the reader called `gold`, system files by their own if one is given."""
    own, other = find_reader(gold, family), find_reader(system or gold, family)
    return (
        None if own is None else cast("Read", load(own.gold)),
        None if other is None else cast("Read", load(other.gold if system else other.system or other.gold)),
    )


def pairing(gold: str, system: str | None = None, family: str = "") -> Pair | None:
    """How system documents are aligned with gold, if the readers of both sides agree on it.

    >>> pairing("jsonl") is None
    True
    """
    own, other = find_reader(gold, family), find_reader(system or gold, family)
    if own is None or other is None or not own.pair or own.pair != other.pair:
        return None
    return cast("Pair", load(own.pair))


PROFILES: dict[str, dict[str, Any]] = {
    "default": {},
    "multiset": {"duplicates": "multiset"},
    "strict": {"duplicates": "error"},
    "undefined": {"undefined": None},
}
"""What each profile changes in the conventions of a metric."""


def given_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given.

    >>> given_of({"known": None, "repair": True})
    {'repair': True}
    """
    return {name: given for name, given in options.items() if given is not None and given is not False}


def adjusted(family: Family, options: Mapping[str, Any]) -> Adjust | None:
    """What the options of a family do to documents; None if there is nothing to do."""
    given = {name: own for name, own in given_of(options).items() if name not in family.of_metrics}
    if not given:
        return None
    from adjudge.tasks.task import Adjust

    reading = [{to: given[name] for name, to in side.items() if name in given} for side in (family.gold, family.system)]
    rest = {
        name.replace("-", "_"): own
        for name, own in given.items()
        if name not in family.gold and name not in family.system
    }
    change = partial(family.adjust, **rest) if rest and family.adjust is not None else None
    return Adjust(change, shown(family.options, given), *reading)


def shown(known: Mapping[str, Option], options: Mapping[str, Any]) -> dict[str, str]:
    """The given options as the signature has them: a file by its content, not by its name."""
    from adjudge.formats.source import read_whole

    found = {}
    for name, given in given_of(options).items():
        is_read = known[name].metavar == "FILE" and given != "-"
        text = read_whole(given).digest[:12] if is_read else "yes" if given is True else str(given)
        found[name.replace("-", "_")] = text
    return found
