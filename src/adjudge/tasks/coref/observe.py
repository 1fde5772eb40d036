"""Compares a document of the key and of the response: counts, and repeated mentions.

Mentions may match without being equal: by their heads, or by how much they overlap. A mention of the response that
matches one of the key is replaced by it, so that all metrics compare by equality. A mention matches at most one of the
other side. Equal mentions match first; the rest are paired so that the sum of their overlaps |A & B| / |A | B| is
largest (by head: among the mentions that share it).

Repeated mentions: `conll-8.01` does what the reference scorer does. Copies in the key stay. In the response the first
copy of a mention that the key has stays and the others go; copies of a mention that the key does not have stay. `clean`
keeps the first copy of every mention on both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, floor
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.errors import UsageError
from adjudge.model.coref import Chain, CorefDocument, Mention, mention_words
from adjudge.tasks.coref.ceaf import align
from adjudge.tasks.coref.counts import count, count_unrepeated
from adjudge.tasks.coref.settings import Settings

if TYPE_CHECKING:
    from adjudge.stats.alignment import Alignment, Item

_EPSILON = 1e-9  # mentions with the same head match even if they share no other word


class Repeat(NamedTuple):
    """A copy of a mention: the chain it is in, the chain of the first one, and whether it was removed."""

    mention: Mention
    first: str
    again: str
    removed: bool


class Compared:
    """The chains of both sides as scored, the repeated mentions, and the counts.

    `read` is the response before copies were removed from it.
    """

    __slots__ = ("counts", "key", "key_repeats", "read", "response", "response_repeats")

    def __init__(
        self,
        key: list[Chain],
        response: list[Chain],
        read: list[Chain],
        key_repeats: list[Repeat],
        response_repeats: list[Repeat],
        counts: tuple[float, ...],
    ) -> None:
        self.key = key
        self.response = response
        self.read = read
        self.key_repeats = key_repeats
        self.response_repeats = response_repeats
        self.counts = counts

    def bare(self) -> Compared:
        """The counts and copies without the chains."""
        return Compared([], [], [], self.key_repeats, self.response_repeats, self.counts)


def compare(key: CorefDocument, response: CorefDocument | None, settings: Settings) -> Compared:
    """Match the mentions, drop singletons, treat repeated mentions as the profile says, and count.

    >>> key = CorefDocument("d", [Chain("1", [(0, 0), (2, 2)])])
    >>> compare(key, None, Settings()).counts[:3]
    (0, 0, 2)
    """
    ours, theirs = key.chains, [] if response is None else response.chains
    if settings.match != "exact" and theirs and ours:
        theirs = _matched(key, response, settings)
    key_repeats: list[Repeat] = []
    response_repeats: list[Repeat] = []
    if settings.profile == "clean":
        ours, key_repeats = without_copies(ours)
        theirs, response_repeats = without_copies(theirs)
    if settings.singletons == "drop":
        ours = [chain for chain in ours if len(chain.mentions) > 1]
        theirs = [chain for chain in theirs if len(chain.mentions) > 1]
    read = theirs
    counts = count_unrepeated(_mentions(ours), _mentions(theirs))
    if counts is None:
        key_repeats = copies(ours)
        theirs, response_repeats = without_matched_copies(ours, theirs)
        counts = count(_mentions(ours), _mentions(theirs))
    return Compared(ours, theirs, read, key_repeats, response_repeats, counts)


def _matched(key: CorefDocument, response: CorefDocument | None, settings: Settings) -> list[Chain]:
    assert response is not None
    if settings.match == "partial":
        return by_overlap(key.chains, response.chains, settings.overlap or 0.0)
    for side, document in (("key", key), ("response", response)):
        if document.heads is None:
            raise UsageError(
                f"the {side} says nothing of the heads of mentions (document {document.id!r})",
                hint="use files that do, such as CorefUD, or match=partial",
            )
    assert key.heads is not None
    assert response.heads is not None
    return by_head(key.chains, response.chains, key.heads, response.heads)


def _mentions(chains: list[Chain]) -> list[list[Mention]]:
    return [chain.mentions for chain in chains]


# ---------------------------------------------------------------------------------------------------------------------
# Mentions that are not equal


def by_overlap(key: Sequence[Chain], response: Sequence[Chain], least: float) -> list[Chain]:
    """The response with mentions replaced by those of the key that they overlap enough.

    >>> by_overlap([Chain("1", [(0, 3)])], [Chain("a", [(0, 2), (7, 7)])], 0.5)
    [Chain('a', [(0, 3), (7, 7)])]
    """
    known, own = _unmatched(key, response)
    words = {mention: frozenset(mention_words(mention)) for mention in (*known, *own)}
    at: dict[float, list[int]] = {}  # word -> mentions of the response that have it
    for place, mention in enumerate(own):
        for word in words[mention]:
            at.setdefault(word, []).append(place)
    cells: dict[int, dict[int, float]] = {}
    for row, mention in enumerate(known):
        shared: dict[int, int] = {}
        for word in words[mention]:
            for place in at.get(word, ()):
                shared[place] = shared.get(place, 0) + 1
        size = len(words[mention])
        mine = {
            place: both / (size + len(words[own[place]]) - both)
            for place, both in sorted(shared.items())
            if both >= least * (size + len(words[own[place]]) - both)
        }
        if mine:
            cells[row] = mine
    return _renamed(response, {own[place]: known[row] for row, place in align(cells).items()})


def by_head(
    key: Sequence[Chain],
    response: Sequence[Chain],
    key_heads: Mapping[Mention, float],
    response_heads: Mapping[Mention, float],
) -> list[Chain]:
    """The response with mentions replaced by those of the key that have the same head.

    >>> by_head([Chain("1", [(0, 3)])], [Chain("a", [(2, 3)])], {(0, 3): 3}, {(2, 3): 3})
    [Chain('a', [(0, 3)])]
    """
    known, own = _unmatched(key, response)
    headed: dict[float, list[int]] = {}
    for place, mention in enumerate(own):
        if mention in response_heads:
            headed.setdefault(response_heads[mention], []).append(place)
    cells: dict[int, dict[int, float]] = {}
    for row, mention in enumerate(known):
        rivals = headed.get(key_heads[mention], ()) if mention in key_heads else ()
        if rivals:
            cells[row] = {place: _EPSILON + _jaccard(mention, own[place]) for place in rivals}
    return _renamed(response, {own[place]: known[row] for row, place in align(cells).items()})


def _unmatched(key: Iterable[Chain], response: Iterable[Chain]) -> tuple[list[Mention], list[Mention]]:
    """The mentions that only one side has, each once, in text order."""
    here = {mention for chain in key for mention in chain.mentions}
    there = {mention for chain in response for mention in chain.mentions}
    return sorted(here - there), sorted(there - here)


def _jaccard(a: Mention, b: Mention) -> float:
    left, right = set(mention_words(a)), set(mention_words(b))
    return len(left & right) / len(left | right)


def _renamed(chains: Sequence[Chain], names: Mapping[Mention, Mention]) -> list[Chain]:
    return [Chain(chain.id, [names.get(mention, mention) for mention in chain.mentions]) for chain in chains]


# ---------------------------------------------------------------------------------------------------------------------
# Mentions that occur more than once


def copies(chains: Sequence[Chain], *, removed: bool = False) -> list[Repeat]:
    """Every copy in chain order.

    >>> copies([Chain("1", [(0, 1), (4, 4)]), Chain("2", [(0, 1)])])
    [Repeat(mention=(0, 1), first='1', again='2', removed=False)]
    """
    first: dict[Mention, str] = {}
    found = []
    for chain in chains:
        for mention in chain.mentions:
            if mention in first:
                found.append(Repeat(mention, first[mention], chain.id, removed))
            else:
                first[mention] = chain.id
    return found


def without_copies(chains: Sequence[Chain]) -> tuple[list[Chain], list[Repeat]]:
    """The chains with the first copy of every mention only, and what was removed; empty chains go too.

    >>> without_copies([Chain("1", [(0, 1), (4, 4)]), Chain("2", [(0, 1)])])[0]
    [Chain('1', [(0, 1), (4, 4)])]
    """
    seen: set[Mention] = set()
    kept = []
    for chain in chains:
        mine = [mention for mention in chain.mentions if not (mention in seen or seen.add(mention))]  # type: ignore[func-returns-value]
        if mine:
            kept.append(Chain(chain.id, mine))
    return kept, copies(chains, removed=True)


def without_matched_copies(key: Sequence[Chain], response: Sequence[Chain]) -> tuple[list[Chain], list[Repeat]]:
    """The response as the reference scorer reads it against a key, and its copies, removed or not.

    >>> key, response = [Chain("1", [(0, 1)])], [Chain("a", [(0, 1), (2, 2)]), Chain("b", [(2, 2), (0, 1)])]
    >>> without_matched_copies(key, response)[0]
    [Chain('a', [(0, 1), (2, 2)]), Chain('b', [(2, 2)])]
    """
    known = {mention for chain in key for mention in chain.mentions}
    first: dict[Mention, str] = {}
    kept, found = [], []
    for chain in response:
        mine = []
        for mention in chain.mentions:
            if mention in first:
                found.append(Repeat(mention, first[mention], chain.id, mention in known))
                if mention in known:
                    continue
            else:
                first[mention] = chain.id
            mine.append(mention)
        if mine:
            kept.append(Chain(chain.id, mine))
    return kept, found


# ---------------------------------------------------------------------------------------------------------------------
# The outcome of every mention


class View(NamedTuple):
    """How mentions are shown: their names, and their runs of words in the text.

    `mates` maps mentions of the response to those of the key that they match.
    """

    written: Callable[[Any], str]
    runs: Callable[[Any], list[tuple[int, int]]]
    mates: Mapping[Any, Any] = {}


def align_mentions(found: Compared, text: Sequence[str], *, missing: bool, view: View | None = None) -> Alignment:
    """The mentions of both sides with their chains, as scored; the credit is the overlap of the two chains."""
    from adjudge.stats.alignment import Alignment, Matching, Pair, Single, in_text

    view = view or View(written, _word_runs)
    mates = view.mates
    joined, place = in_text(text)
    ours = [(chain, mention) for chain in found.key for mention in chain.mentions]
    theirs = [(chain, mention) for chain in found.read for mention in chain.mentions]
    left = Counter((chain.id, mention) for chain in found.response for mention in chain.mentions)
    home: dict[Mention, int] = {}
    ignored = []
    for number, (chain, mention) in enumerate(theirs):
        if not left[chain.id, mention]:
            ignored.append(Single(number, "repeated"))
            continue
        left[chain.id, mention] -= 1
        home.setdefault(mates.get(mention, mention), number)
    members = {id(chain): set(chain.mentions) for chain in found.key}
    members |= {id(chain): {mates.get(mention, mention) for mention in chain.mentions} for chain in found.read}
    pairs, missed, taken = [], [], set[int]()
    for number, (chain, mention) in enumerate(ours):
        other = home.get(mention)
        if other is None or other in taken:
            missed.append(Single(number, "repeated" if other is not None else ""))
            continue
        taken.add(other)
        own, theirs_ = members[id(chain)], members[id(theirs[other][0])]
        both = len(own & theirs_)
        credit = 2 * both / (len(own) + len(theirs_))
        if credit == 1:
            pairs.append(Pair(number, other))
            continue
        mentions = f"{len(own)} mention{'s' * (len(own) > 1)}"
        why = f"chain {chain.id} of {mentions}, {both} of them in chain {theirs[other][0].id} of {len(theirs_)}"
        pairs.append(Pair(number, other, "partial", round(credit, 6), why))
    used = {*taken, *(each.item for each in ignored)}
    spurious = [Single(number) for number in range(len(theirs)) if number not in used]
    matching = Matching(
        metric="coref", pairs=tuple(pairs), missed=tuple(missed), spurious=tuple(spurious), ignored=tuple(ignored)
    )

    def items(mentions: Sequence[tuple[Chain, Mention]]) -> Iterable[Item]:
        from adjudge.stats.alignment import Item, words

        known: dict[str, int] = {}
        for chain, mention in mentions:
            name = view.written(mention)
            known[name] = known.get(name, 0) + 1
            pieces = tuple(place(*run) for run in view.runs(mention) if run[0] < run[1] <= len(text))
            again = f" {known[name]}" if known[name] > 1 else ""
            yield Item(id=name + again, level="mentions", text=words(joined, pieces), place=pieces, group=(chain.id,))

    return Alignment(
        gold=tuple(items(ours)),
        system=tuple(items(theirs)),
        matchings=(matching,),
        text=joined if text else None,
        groups="chain",
        missing=missing,
    )


def _word_runs(mention: Mention) -> list[tuple[int, int]]:
    return [(ceil(first), floor(last) + 1) for first, last in zip(mention[::2], mention[1::2], strict=True)]


def written(mention: Mention) -> str:
    """A mention as the reference scorer writes it: (first,last).

    >>> written((3, 5))
    '(3,5)'
    """
    return f"({','.join(f'{number:g}' for number in mention)})"
