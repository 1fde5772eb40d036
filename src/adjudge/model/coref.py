"""Documents with coreference chains, as every coreference format gives them.

A mention is a tuple of runs of tokens, flattened: `(first, last)`, both inclusive and counted from 0 over the whole
document, or `(first, last, first, last, ...)` for one with gaps. Tokens have whole numbers; the empty node after token
7 has the number 7.001, the second one 7.002, one that begins the next sentence 7.501, so that empty nodes do not shift
the words after them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import NamedTuple, TypeAlias

import msgspec

from adjudge.errors import Problem
from adjudge.model.document import CorpusNote

Mention: TypeAlias = "tuple[float, ...]"


class Chain(msgspec.Struct):
    """A chain of mentions, in the order in which they are completed in the file; a mention may occur twice."""

    id: str
    mentions: list[Mention]

    def __repr__(self) -> str:
        return f"Chain({self.id!r}, {self.mentions!r})"


class CorefDocument:
    """One document: its exact name, its chains in order of first appearance, where it starts in the file.

    `tokens` is the number of tokens (-1 if the format does not say), `heads` maps mentions to their head words where
    the format has them, `empty` lists the numbers of the empty nodes, `words` the words, if they were asked for.
    """

    __slots__ = ("chains", "empty", "heads", "id", "line", "tokens", "words")

    def __init__(
        self,
        id: str,
        chains: list[Chain],
        tokens: int = -1,
        line: int = 1,
        heads: dict[Mention, float] | None = None,
        empty: Sequence[float] = (),
    ) -> None:
        self.id = id
        self.chains = chains
        self.tokens = tokens
        self.line = line
        self.heads = heads
        self.empty = empty
        self.words: Sequence[str] = ()

    def __repr__(self) -> str:
        return f"CorefDocument({self.id!r}, {self.chains!r}, tokens={self.tokens})"

    @property
    def genre(self) -> str | None:
        """The genre that names such as `(bc/cctv/00/cctv_0000); part 000` carry.

        >>> CorefDocument("(bc/cctv/00/cctv_0000); part 000", []).genre
        'bc'
        >>> CorefDocument("(report-7); part 000", []).genre is None
        True
        """
        name = self.id.removeprefix("(")
        genre, slash, _ = name.partition("/")
        return genre if slash and genre else None


class CorefCorpus(msgspec.Struct, frozen=True):
    """The documents of one file in file order, the SHA-256 of its uncompressed bytes, and remarks for the user.

    `counted` are remarks on what was found more than once.
    """

    path: str
    documents: list[CorefDocument]
    digest: str
    notes: list[Problem] = []
    counted: list[CorpusNote] = []


def mention_words(mention: Mention) -> list[float]:
    """The numbers of the words of a mention; of empty nodes only those with which a run starts or ends.

    >>> mention_words((3, 5))
    [3, 4, 5]
    >>> mention_words((3, 3, 7.001, 7.001))
    [3, 7.001]
    """
    words: list[float] = []
    for first, last in zip(mention[::2], mention[1::2], strict=True):
        low, high = floor(first), floor(last)
        if first != low:
            words.append(first)
            low += 1
        words.extend(range(low, high + 1))
        if last not in (high, first):
            words.append(last)
    return words


# ---------------------------------------------------------------------------------------------------------------------
# Documents of CorefUD, whose mentions are sets of nodes

SENTENCE = 1 << 20
"""The offset between the numbers of two sentences: node 3.1 of sentence 2 is 2 * SENTENCE + 3.1."""


class Sentence(NamedTuple):
    """A sentence: its number in the file, its id, the document that begins with it, its line, its words with tabs."""

    number: int
    id: str | None
    newdoc: str | None
    line: int
    forms: str

    @property
    def name(self) -> str:
        """Its name in messages."""
        return f"sentence {self.number}" + (f" ({self.id})" if self.id else "")


class TreeNode(NamedTuple):
    """A node of a tree: its number, its form, its parent (0 is the root, None that of an empty node), and its DEPS."""

    number: float
    form: str
    parent: float | None
    deps: tuple[tuple[float, str], ...]


class UdDocument(CorefDocument):
    """A document in which nodes are numbered within sentences, as CorefUD does.

    The runs of a mention are runs of words, or single empty nodes. `marks` has the heads in the shape of the chains,
    `deps` the enhanced parents and relations of heads that are empty nodes, and `trees`, if they were asked for, the
    nodes of every sentence.
    """

    __slots__ = ("deps", "marks", "sentences", "trees")

    def __init__(self, id: str, line: int = 1) -> None:
        super().__init__(id, [], 0, line)
        self.marks: list[list[float]] = []
        self.deps: dict[float, frozenset[tuple[float, str]]] = {}
        self.sentences: list[Sentence] = []
        self.trees: list[list[TreeNode]] = []

    def written(self, mention: Mention) -> str:
        """A mention by the number of its sentence and the numbers of its nodes there.

        >>> UdDocument("d").written((2 * SENTENCE + 3, 2 * SENTENCE + 5, 2 * SENTENCE + 6.1, 2 * SENTENCE + 6.1))
        '2:3-5,6.1'
        """
        texts, last = [], 0
        for first, end in zip(mention[::2], mention[1::2], strict=True):
            sentence = int(first) // SENTENCE
            numbers = [f"{round(each - sentence * SENTENCE, 6):g}" for each in dict.fromkeys((first, end))]
            texts.append((f"{sentence}:" if sentence != last else "") + "-".join(numbers))
            last = sentence
        return ",".join(texts)


def node_runs(nodes: Sequence[float]) -> tuple[Mention, int]:
    """A set of nodes as runs of words and single empty nodes, and how many nodes it has.

    >>> node_runs([7, 5, 6, 9.1, 9]), node_runs([1, 10**15])
    (((5, 7, 9, 9, 9.1, 9.1), 5), ((1, 1, 1000000000000000, 1000000000000000), 2))
    """
    first, last = nodes[0], nodes[-1]
    size = len(nodes)
    if size == 1:
        return (first, first), 1
    if type(first) is type(last) is int and last - first == size - 1 and nodes == [*range(first, last + 1)]:
        return (first, last), size
    runs: list[float] = []
    ordered = sorted(set(nodes))
    for node in ordered:
        if runs and not node % 1 and runs[-1] == node - 1:
            runs[-1] = node
        else:
            runs += (node, node)
    return tuple(runs), len(ordered)
