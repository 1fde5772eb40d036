"""Words of two files that are the same words, although the files may cut the text into different tokens.

The rule is that of the shared task on Universal Dependencies of 2018: a word is the range of its characters, without
blanks; around multiword tokens, where words have no characters of their own, the longest common subsequence of forms in
lower case decides.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, TypeAlias

from adjudge.errors import FormatError, Problem
from adjudge.model.document import Corpus, Document

Placed: TypeAlias = "Sequence[Any]"
"""Begins with the start and the end of the token, whether it is part of a multiword token, and its form."""

NONE = -1
SHOWN = 20


def align(gold: Sequence[Placed], system: Sequence[Placed]) -> list[int]:
    """For each system word the place of its gold word, NONE if it has none.

    >>> align([(0, 3, False, "can"), (3, 6, False, "not")], [(0, 6, True, "can"), (0, 6, True, "not")])
    [0, 1]
    """
    found = [NONE] * len(system)
    g = s = 0
    while g < len(gold) and s < len(system):
        left, right = gold[g], system[s]
        if left[2] or right[2]:
            g_start, s_start, g, s = _region(gold, system, g, s)
            for i, j in _common(
                [word[3].lower() for word in gold[g_start:g]], [w[3].lower() for w in system[s_start:s]]
            ):
                found[s_start + j] = g_start + i
        elif left[0] == right[0] and left[1] == right[1]:
            found[s] = g
            g += 1
            s += 1
        elif left[0] <= right[0]:
            g += 1
        else:
            s += 1
    return found


def _region(gold: Sequence[Placed], system: Sequence[Placed], g: int, s: int) -> tuple[int, int, int, int]:
    """Where the words around a multiword token begin and end on both sides: as few as cut no multiword token."""
    left, right = gold[g], system[s]
    if left[2]:
        end = left[1]
        s += not right[2] and right[0] < left[0]
    else:
        end = right[1]
        g += left[0] < right[0]
    starts = g, s

    def over(words: Sequence[Placed], place: int) -> bool:
        if place >= len(words):
            return True
        word = words[place]
        return bool(word[0] >= end if word[2] else word[1] > end)

    while not (over(gold, g) and over(system, s)):
        if g < len(gold) and (s >= len(system) or gold[g][0] <= system[s][0]):
            word = gold[g]
            g += 1
        else:
            word = system[s]
            s += 1
        if word[2] and word[1] > end:
            end = word[1]
    return *starts, g, s


def _common(gold: Sequence[str], system: Sequence[str]) -> list[tuple[int, int]]:
    """A longest common subsequence as pairs of places; where there are several, gold words are skipped first."""
    if gold == system:
        return [(place, place) for place in range(len(gold))]
    best = [[0] * (len(system) + 1) for _ in range(len(gold) + 1)]
    for i in range(len(gold) - 1, -1, -1):
        here, below = best[i], best[i + 1]
        for j in range(len(system) - 1, -1, -1):
            here[j] = max(below[j], here[j + 1], below[j + 1] + 1 if gold[i] == system[j] else 0)
    pairs = []
    i = j = 0
    while i < len(gold) and j < len(system):
        if gold[i] == system[j]:
            pairs.append((i, j))
            i += 1
            j += 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def check_text(gold: str, system: str, gold_path: str | None, path: str | None, line: int | None = None) -> None:
    """Raise unless both files have the same characters."""
    if gold == system:
        return
    place = next((i for i, (a, b) in enumerate(zip(gold, system, strict=False)) if a != b), min(len(gold), len(system)))
    here, there = system[place : place + SHOWN], gold[place : place + SHOWN]
    message = f"the text goes on with {here!r} where {gold_path} has {there!r} (character {place + 1} without blanks)"
    raise FormatError(Problem(message, path=path, line=line, hint="both files must have the same characters"))


def align_documents(gold: Corpus, system: Corpus) -> Corpus:
    """The words of the system in the sentences of gold, with the numbers of the gold words that they are.

    A word that is no gold word gets a number that no gold word has. Where gold has no lemma (`_`), neither has the
    system.
    """
    _check_documents(gold, system)
    ours = [(document, word) for document in gold.documents for word in document.data["dependencies"]]
    theirs = [word for document in system.documents for word in document.data["dependencies"]]
    found = align([_placed(word) for _, word in ours], [_placed(word) for word in theirs])
    place_of = {document.id: place for place, document in enumerate(gold.documents)}
    first = [document.data["dependencies"][0]["token"][0] for document in gold.documents]
    sizes = [len(document.data["dependencies"]) for document in gold.documents]
    words: list[list[dict[str, Any]]] = [[] for _ in gold.documents]
    base = 0
    for document in system.documents:
        own = document.data["dependencies"]
        homes = [
            place_of[ours[found[place]][0].id]
            if found[place] != NONE
            else bisect_right(first, theirs[place]["token"][0]) - 1
            for place in range(base, base + len(own))
        ]
        for word, home in zip(own, homes, strict=True):

            def number(local: int, home: int = home, base: int = base, homes: list[int] = homes) -> int:
                """The number of a word of this sentence among the gold words of `home`."""
                if local == 0:
                    return 0
                place = base + local - 1
                if found[place] == NONE or homes[local - 1] != home:
                    return sizes[home] + 1 + place
                matched: int = ours[found[place]][1]["dependent"]
                return matched

            place = base + word["dependent"] - 1
            bare = found[place] != NONE and ours[found[place]][1]["lemma"] == "_"
            words[home].append(
                {
                    **word,
                    "dependent": number(word["dependent"]),
                    "head": number(word["head"]),
                    "lemma": "_" if bare else word["lemma"],
                    "functional": [[number(child), *rest] for child, *rest in word["functional"]],
                }
            )
        base += len(own)
    documents = [
        Document(id=each.id, data={**each.data, "dependencies": own}, line=None)
        for each, own in zip(gold.documents, words, strict=True)
    ]
    return Corpus(path=system.path, documents=tuple(documents), digest=system.digest)


def _placed(word: dict[str, Any]) -> Placed:
    start, end = word["token"]
    return start, end, word["multiword"], word["form"]


def _check_documents(gold: Corpus, system: Corpus) -> None:
    texts = ["".join(document.data["text"] for document in side.documents) for side in (gold, system)]
    if texts[0] == texts[1]:
        return
    place = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
    line, before = None, 0
    for document in system.documents:  # the sentence in which it happens
        if before <= place:
            line = document.line
        before += len(document.data["text"])
    check_text(texts[0], texts[1], gold.path, system.path, line)
