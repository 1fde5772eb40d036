"""Lists of tags of both sides: which positions count, whether the sides agree, and the chunks that tags stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from adjudge.errors import FormatError
from adjudge.formats.coerce.corpus import Declared, Notes, plain, wrong
from adjudge.formats.coerce.spans import Part
from adjudge.model.tags import (
    OUTSIDE,
    SCHEMES,
    Chunk,
    Step,
    Steps,
    Turns,
    decode_strict,
    decode_tags,
    lenient,
    outside_of,
    split_tag,
)

IGNORED = -100  # what trainers of transformers give to positions that do not count
PREFIX = re.compile(r"([BIESUL])-.|O$|[BIES]$")
SUFFIX = re.compile(r".+-([BIESUL])$|O$")
_SHOWN = 40  # characters of a text that is not a tag


def chunks_of(parts: Mapping[str, Part], declared: Declared, notes: Notes) -> dict[str, Part]:
    """The parts whose tags have become spans of tokens."""
    tagged = {name: part.tags for name, part in parts.items() if part.tags is not None}
    if not tagged:
        return dict(parts)
    declared.take("scheme")
    named, every = tagged, set().union(*tagged.values())
    if any(isinstance(tag, int) for tag in every):
        named = {name: _names(name, tags, declared) for name, tags in tagged.items()}
        every = set().union(*named.values())
    joined = next((tag for tag in every if is_several(tag)), None)
    if joined is not None:
        raise joined_tags(declared.side, next(name for name, tags in named.items() if joined in tags), joined)
    suffix = not all(PREFIX.match(tag) for tag in every) and all(SUFFIX.match(tag) for tag in every)
    if suffix:
        notes.add("suffix-tags", f"{declared.side}: tags end in their prefix (PER-B)", count=len(named))
        named = {name: [_turned(tag) for tag in tags] for name, tags in named.items()}
        every = set(map(_turned, every))
    decode = _decoder(named, every, declared)
    chunks = {name: decode(tags) for name, tags in named.items()}
    if declared.side == "gold" and declared.scheme in SCHEMES:
        _check_scheme(named, chunks, declared.scheme)
    return {
        name: msgspec.structs.replace(part, chunks=chunks[name]) if name in named else part
        for name, part in parts.items()
    }


def _check_scheme(tags: Mapping[str, Sequence[str]], chunks: Mapping[str, list[Chunk]], scheme: str) -> None:
    """Raise if tags of gold are in no entity, because the scheme does not allow them where they are."""
    broken = [(name, tags[name][place]) for name, own in chunks.items() for place in outside_of(own, tags[name])]
    if broken:
        name, tag = broken[0]
        more = f" ({len(broken)} tags do)" if len(broken) > 1 else ""
        hint = "fix it, or leave scheme out: every run of a type is an entity then"
        raise wrong("gold", f", document {name!r}: the tag {tag!r} breaks {scheme}{more}", hint)


def _names(name: str, tags: list[Any], declared: Declared) -> list[str]:
    numbers = [tag for tag in tags if isinstance(tag, int)]
    if not numbers:
        return tags
    labels: tuple[str, ...] | None = declared.take("labels")
    if labels is None:
        shown = ", ".join(map(str, tags[:3]))
        raise wrong(
            declared.side,
            f", document {name!r}: tags are numbers ({shown}, ...) without names",
            'pass labels=["O", "B-PER", ...], or a Dataset whose features name them',
        )
    for tag in numbers:
        if not 0 <= tag < len(labels):
            raise wrong(declared.side, f", document {name!r}: there is no label {tag}", f"{len(labels)} are given")
    return [labels[tag] if isinstance(tag, int) else tag for tag in tags]


def is_tag(value: Any) -> bool:
    """Whether a value can be a tag; two names with their labels look like two tokens with bare labels."""
    return not isinstance(value, str) or PREFIX.match(value) is not None or SUFFIX.match(value) is not None


def is_several(text: str) -> bool:
    """Whether a text is several tags with blanks between them, and not one.

    >>> is_several("B-PER O"), is_several("B-creative work"), is_several("O")
    (True, False, False)
    """
    parts = text.split()
    return len(parts) > 1 and all(PREFIX.match(part) for part in parts)


def joined_tags(side: str, name: str, text: str) -> FormatError:
    """The error of a text that should be a list of tags."""
    shown = repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
    return wrong(side, f", document {name!r}: {shown} is one text with several tags", "split it into a list of tags")


def _turned(tag: str) -> str:
    kind, _, prefix = tag.rpartition("-")
    return f"{prefix}-{kind}" if kind else tag


def _decoder(
    documents: Mapping[str, Sequence[str]], every: set[str], declared: Declared
) -> Callable[[Sequence[str]], list[Chunk]]:
    """How tags become chunks; those that the scheme cannot read are errors."""
    scheme = declared.scheme
    if scheme == "IO":
        return partial(decode_tags, steps=Steps(_runs))
    bare = {tag for tag in every if split_tag(tag) is None}
    if bare:
        name, tag = next((name, tag) for name, tags in documents.items() for tag in tags if tag in bare)
        raise wrong(
            declared.side,
            f", document {name!r}: {tag!r} has no B- or I- prefix",
            'say scheme="IO" if each run of a label is one entity',
        )
    if scheme is None:
        return partial(decode_tags, steps=Steps(lenient))
    if scheme not in SCHEMES:
        raise wrong(declared.side, f": there is no scheme {scheme!r}", f"use IO, {', '.join(SCHEMES)}")
    return partial(decode_strict, turns=Turns(SCHEMES[scheme]))


def _runs(before: str, tag: str) -> Step:
    """Every run of one label is a chunk; prefixes that are there mean nothing."""
    changed = before != tag
    return Step(ends=before != OUTSIDE and changed, starts=tag != OUTSIDE and changed, before=before)


def without_ignored(gold: Mapping[str, Part], sides: Sequence[dict[str, Part]], notes: Notes) -> dict[str, Part]:
    """Gold without the positions that it marks as those that do not count, which the sides lose, too."""
    mine = dict(gold)
    for name, part in gold.items():
        if part.tags is None or IGNORED not in part.tags:
            continue
        kept = [place for place, tag in enumerate(part.tags) if tag != IGNORED]
        lost = len(part.tags) - len(kept)
        notes.add(
            "ignored-positions", "{n:position|positions} with -100 in gold ignored on both sides", name, count=lost
        )
        for side in (mine, *sides):
            tags = side[name].tags if name in side else None
            if tags is not None and len(tags) == len(part.tags):
                side[name] = msgspec.structs.replace(side[name], tags=[tags[place] for place in kept])
    return mine


def check_lengths(gold: Mapping[str, Part], system: Mapping[str, Part], who: str) -> None:
    """Raise if two lists of tags of one document are of different length."""
    differ = []
    for name, part in gold.items():
        theirs = system[name].tags if name in system else None
        if part.tags is not None and theirs is not None and len(part.tags) != len(theirs):
            differ.append((name, len(part.tags), len(theirs)))
    if differ:
        name, mine, others = differ[0]
        more = f" ({len(differ)} documents differ)" if len(differ) > 1 else ""
        raise wrong(
            f"document {name!r}",
            f": gold has {mine} tags, {who} has {others}; both sides need the same tokens{more}",
        )


def note_tokens(name: str, gold: Sequence[Any], system: Sequence[Any], who: str, notes: Notes) -> None:
    """Say which token of a document is the first that is not the same on both sides."""
    pairs = enumerate(zip(map(plain, gold), map(plain, system), strict=False), 1)
    found = next(((place, *pair) for place, pair in pairs if pair[0] != pair[1]), None)
    if found is not None:
        place, ours, theirs = found
        message = f"{who}{': ' * bool(who)}{{n:document has|documents have}} other tokens than gold"
        notes.add("tokens-differ", message, f"document {name!r}, token {place}: {theirs!r}, and {ours!r} in gold")
