"""One document of the key and of the response, compared: what was counted, and which mentions were repeated."""

from __future__ import annotations

from adjudge.errors import UsageError
from adjudge.model.coref import Chain, CorefDocument, Mention
from adjudge.tasks.coref.counts import count, count_unrepeated
from adjudge.tasks.coref.matching import by_head, by_overlap
from adjudge.tasks.coref.repeats import Repeat, copies, without_copies, without_matched_copies
from adjudge.tasks.coref.settings import Settings


class Compared:
    """The chains of both sides as they are scored, with the copies that were found, and the counts.

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
