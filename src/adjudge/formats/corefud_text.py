"""Texts and JSON of the CRAC track for language models, aligned with the words of a key in CorefUD.

A line is a document of the key, in its order: words with a blank between them, blanks inside a form as `_`. An empty
node is `##` and its form, or only `##`, behind the parent of its first DEPS entry. `Los|[e1 jugadores|e1]` marks the
mentions: `[e1` opens, `e1]` closes the one opened last, `[e1]` is both. JSON is a list of objects with `doc_id`,
`tokens` and `clusters_token_offsets`, both ends included.

Words that differ from the key are repaired by the shortest sequence of replaced, deleted and inserted words, and lose
their tags; unbalanced tags in a sentence become mentions of one word, unreadable tags are dropped. The published
converter drops mentions that never close, though its documentation says that it keeps one word of them. Heads come from
the trees of the key, and empty nodes are where that converter puts them: after their parents.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from adjudge.errors import FormatError, Problem
from adjudge.findings import raise_problems
from adjudge.formats.corefud import Placed, fill_documents
from adjudge.formats.source import BOM, Source, Whole, decode, is_file, read_whole
from adjudge.model.coref import CorefCorpus, TreeNode, UdDocument
from adjudge.model.document import CorpusNote

_TAG = re.compile(r"(\[?)e(\d+)(\]?)")
_MARKED = re.compile(rb"\|\[?e\d+\]?(?:,|\s|$)")
_JSON = re.compile(rb"\s*\[\s*\{")
_LARGEST = 25_000_000  # cells of a table of two texts
_LEAST = 0.5  # of the shorter of two texts that both must have
_HEAD = 1 << 16
NOTES = {
    "words": "words that are not those of the key, which were repaired and lost their tags: {n}",
    "missing": "words of the key that the text does not have: {n}",
    "unbalanced": "tags that open or close nothing, which became mentions of one word: {n}",
    "unread": "tags that cannot be read, which were left out: {n}",
    "lost": "mentions that repairs cost: {n}",
}


def is_marked_text(source: Any) -> bool:
    """Whether a file is of that track, by its name or its content.

    >>> is_marked_text(b"Ada|[e1] came"), is_marked_text(b"# newdoc id = d")
    (True, False)
    """
    if isinstance(source, bytes):
        start = source[:_HEAD].removeprefix(BOM)
    elif is_file(source):
        with open(source, "rb") as stream:  # noqa: PTH123
            start = stream.read(_HEAD).removeprefix(BOM)
        if str(source).endswith(".txt") and b"\t" not in start:
            return True
    else:
        return False
    return bool(_JSON.match(start)) or (b"\t" not in start and bool(_MARKED.search(start)))


def read_marked(source: Source, key: Sequence[UdDocument], *, name: str | None = None) -> CorefCorpus:
    r"""The documents of a text or of JSON, on the sentences of a key that was read with its trees.

    >>> from adjudge.formats.corefud import read_corefud
    >>> lines = ["1\tAda\t_\t_\t_\t_\t2\tnsubj\t_\t_", "2\tcame\t_\t_\t_\t_\t0\troot\t_\t_"]
    >>> key = read_corefud("\n".join(["# newdoc id = d", *lines, "", ""]).encode(), trees=True)
    >>> read_marked(b"Ada|[e1] came", key.documents).documents[0].chains
    [Chain('e1', [(1048577, 1048577)])]
    """
    whole = read_whole(source, name=name)
    data = whole.data.removeprefix(BOM)
    text = decode(data, whole.place)
    given = list(_json(text, key, whole) if _JSON.match(data) else _lines(text, key, whole))
    found: Counter[str] = Counter()
    problems: list[Problem] = []
    documents = []
    for own, told in zip(key, given, strict=True):
        skeleton = _Skeleton(own, zeros=any(word.startswith("##") for word in told.words))
        places = skeleton.aligned(told.words)
        if places is None:
            hint = "write the words of the key, in its order, with one blank between them"
            problems.append(
                Problem(f"this is not the text of document {own.id!r}", whole.place, told.line or 1, hint=hint)
            )
            continue
        found["words"] += places.count(None)
        found["missing"] += skeleton.words - sum(place is not None and skeleton.is_word(place) for place in places)
        mentions = (
            _offsets(told, places, found) if told.clusters is not None else _tagged(told, places, skeleton, found)
        )
        document = UdDocument(own.id, told.line or 1)
        document.sentences, document.tokens = own.sentences, own.tokens
        entities: dict[str, list[Placed]] = {}
        for entity, first, last in mentions:
            if skeleton.sentence[first] != skeleton.sentence[last]:
                found["lost"] += 1
                continue
            nodes = skeleton.nodes[first : last + 1]
            head = skeleton.head(nodes)
            entities.setdefault(entity, []).append(([each.number for each in nodes], head, document))
        fill_documents(entities.items(), skeleton.deps)
        documents.append(document)
    raise_problems(problems, whole.place)
    notes = [
        CorpusNote(f"text-{code}", found[code], text.format(n=found[code]))
        for code, text in NOTES.items()
        if found[code]
    ]
    return CorefCorpus(whole.place, documents, whole.digest, counted=notes)  # type: ignore[arg-type]


class _Told(NamedTuple):
    """A document as written: its words, the tags of each, or clusters of offsets, and its line."""

    words: list[str]
    tags: list[list[str]]
    clusters: list[list[tuple[int, int]]] | None = None
    line: int | None = None


def _lines(text: str, key: Sequence[UdDocument], whole: Whole) -> Iterator[_Told]:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) != len(key):
        message = f"expected as many lines as the key has documents ({len(key)}), got {len(lines)}"
        hint = "write one line for each document of the key"
        raise FormatError(Problem(message, whole.place, max(len(lines), 1), hint=hint))
    for number, line in enumerate(lines, 1):
        parts = [word.split("|") for word in line.split()]
        tags = [part[1].split(",") if len(part) == 2 else ["?"] if len(part) > 2 else [] for part in parts]
        yield _Told([part[0] for part in parts], tags, None, number)


def _json(text: str, key: Sequence[UdDocument], whole: Whole) -> Iterator[_Told]:
    import json

    hint = 'write [{"doc_id": ..., "tokens": [...], "clusters_token_offsets": [[[first, last], ...], ...]}, ...]'
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(Problem(f"this is not JSON: {error}", whole.place, 1, hint=hint)) from None
    if not isinstance(data, list) or not all(isinstance(each, dict) for each in data):
        raise FormatError(Problem("expected a list of documents", whole.place, 1, hint=hint))
    names = [each.get("doc_id") for each in data]
    known = {name: each for name, each in zip(names, data, strict=True) if isinstance(name, str)}
    by_name = len(known) == len(data) and {own.id for own in key} == known.keys()
    if not by_name and len(data) != len(key):
        message = f"there are {len(data)} documents, but {len(key)} in the key"
        raise FormatError(Problem(message, whole.place, 1, hint="write one object for each document of the key"))
    for own, value in zip(key, data, strict=True):
        each = known[own.id] if by_name else value
        tokens, clusters = each.get("tokens"), each.get("clusters_token_offsets")
        good = isinstance(tokens, list) and all(isinstance(word, str) for word in tokens) and isinstance(clusters, list)
        if not good or not all(_is_cluster(cluster, len(tokens)) for cluster in clusters):
            message = f"document {own.id!r} has no tokens, or offsets that are not those of its tokens"
            raise FormatError(Problem(message, whole.place, 1, hint=hint))
        yield _Told(tokens, [[]] * len(tokens), [[(first, last) for first, last in cluster] for cluster in clusters])


def _is_cluster(value: Any, size: int) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, list)
        and len(each) == 2
        and all(type(number) is int for number in each)
        and 0 <= each[0] <= each[1] < size
        for each in value
    )


# ---------------------------------------------------------------------------------------------------------------------
# The key


class _Skeleton:
    """The nodes of a document of the key in the order of texts, with or without its empty nodes."""

    def __init__(self, document: UdDocument, *, zeros: bool) -> None:
        self.nodes: list[TreeNode] = []
        self.sentence: list[int] = []  # of every node
        self.known: dict[float, TreeNode] = {}
        for number, tree in enumerate(document.trees):
            moved = _moved(tree) if zeros else [node for node in tree if node.parent is not None]
            self.nodes += moved
            self.sentence += [number] * len(moved)
        self.known = {node.number: node for node in self.nodes}
        self.words = document.tokens

    def is_word(self, place: int) -> bool:
        """Whether a node is a word; texts may leave out empty nodes."""
        return self.nodes[place].parent is not None

    def deps(self, head: float) -> frozenset[tuple[float, str]]:
        """The dependencies of an empty node."""
        return frozenset(self.known[head].deps)

    def aligned(self, words: Sequence[str]) -> list[int | None] | None:
        """The node of every word, None for repaired words; None if this is another text."""
        own = ["##" if node.parent is None else node.form.replace(" ", "_") for node in self.nodes]
        places = _align(["##" if word.startswith("##") else word for word in words], own)
        if places is None or len(places) - places.count(None) < _LEAST * min(len(places), len(own)):
            return None
        return places

    def head(self, nodes: Sequence[TreeNode]) -> float:
        """The head of a mention by the trees."""
        if len(nodes) == 1:
            return nodes[0].number
        own = {node.number for node in nodes}
        heads = [node for node in nodes if node.parent is None or node.parent not in own]
        if len(heads) == 1:
            return heads[0].number
        inner = [(node, [parent in own for parent in _parents(node)]) for node in heads]
        free = [node for node, inside in inner if not any(inside)] or [
            node for node, inside in inner if not all(inside)
        ]
        if len(free) < 2:
            return (free or nodes)[0].number
        climbing = list(dict.fromkeys(self._words(node) for node in free if self._words(node) is not None))
        highest = self._governor([each for each in climbing if each is not None])
        numbers = [node.number for node in free]
        return highest if highest in numbers else numbers[0]

    def _words(self, node: TreeNode) -> float | None:
        """A word, or the first word that an empty node depends on."""
        if node.parent is not None:
            return node.number
        return next((parent for parent, _ in node.deps if not parent % 1), None)

    def _governor(self, words: Sequence[float]) -> float | None:
        """The lowest node that is above all of some words, or one of them."""
        common: list[float] | None = None
        for word in words:
            way, at = [], word
            while at in self.known and at not in way:
                way.append(at)
                at = self.known[at].parent or 0
            common = way if common is None else [each for each in common if each in way]
        return common[0] if common else None


def _parents(node: TreeNode) -> list[float]:
    return [parent for parent, _ in node.deps] or ([] if node.parent is None else [node.parent])


def _moved(tree: Sequence[TreeNode]) -> list[TreeNode]:
    """The nodes of a sentence with every empty one after the parent of its first DEPS entry, and numbered there."""
    behind: dict[int, list[TreeNode]] = {}
    for stays in (True, False):
        for node in tree:
            if node.parent is None:
                home = int(node.deps[0][0]) if node.deps else int(node.number)
                if (home == int(node.number)) == stays:
                    behind.setdefault(home, []).append(node)
    numbered = [node for node in tree if node.parent is not None]
    for home, nodes in behind.items():
        numbered += [node._replace(number=home + float(f"0.{place}")) for place, node in enumerate(nodes, 1)]
    return sorted(numbered, key=lambda node: node.number)


# ---------------------------------------------------------------------------------------------------------------------
# The words


def _align(said: Sequence[str], own: Sequence[str]) -> list[int | None] | None:
    """The place in `own` of every word that is kept, by the shortest sequence of edits; None if the texts are too
    long."""
    start = 0
    while start < min(len(said), len(own)) and said[start] == own[start]:
        start += 1
    end = 0
    while end < min(len(said), len(own)) - start and said[-1 - end] == own[-1 - end]:
        end += 1
    middle = _edits(said[start : len(said) - end], own[start : len(own) - end])
    if middle is None:
        return None
    inner = [None if place is None else start + place for place in middle]
    return [*range(start), *inner, *range(len(own) - end, len(own))]


def _edits(said: Sequence[str], own: Sequence[str]) -> list[int | None] | None:
    if len(said) * len(own) > _LARGEST:
        return None
    if not said or not own:
        return [None] * len(said)
    import numpy as np

    ids: dict[str, int] = {}
    left, right = (np.array([ids.setdefault(word, len(ids)) for word in words]) for words in (said, own))
    steps = np.arange(len(own) + 1)
    table = np.empty((len(said) + 1, len(own) + 1), dtype=np.int32)
    table[0] = steps
    for row in range(1, len(said) + 1):
        above = table[row - 1]
        best = np.minimum(above[1:] + 1, above[:-1] + (right != left[row - 1]))
        table[row] = np.minimum.accumulate(np.concatenate(([row], best)) - steps) + steps
    places: list[int | None] = [None] * len(said)
    i, j = len(said), len(own)
    while i and j:
        if said[i - 1] == own[j - 1]:
            i, j = i - 1, j - 1
            places[i] = j
        elif table[i, j] == table[i - 1, j - 1] + 1:
            i, j = i - 1, j - 1
        elif table[i, j] == table[i - 1, j] + 1:
            i -= 1
        else:
            j -= 1
    return places


# ---------------------------------------------------------------------------------------------------------------------
# The mentions


def _tagged(
    told: _Told, places: Sequence[int | None], skeleton: _Skeleton, found: Counter[str]
) -> Iterator[tuple[str, int, int]]:
    """Mentions as (entity, first node, last node); brackets are balanced within each sentence."""
    opened: dict[str, list[int]] = {}
    sentence = -1
    for place, tags in zip(places, told.tags, strict=True):
        if place is None:
            found["lost"] += sum(tag.endswith("]") for tag in tags)
            continue
        if skeleton.sentence[place] != sentence:
            yield from _unclosed(opened, found)
            sentence = skeleton.sentence[place]
        for tag in tags:
            read = _TAG.match(tag)
            if read is None or not (read[1] or read[3]):
                found["unread"] += 1
                continue
            entity = f"e{read[2]}"
            if read[1] and read[3]:
                yield entity, place, place
            elif read[1]:
                opened.setdefault(entity, []).append(place)
            elif opened.get(entity):
                yield entity, opened[entity].pop(), place
            else:
                found["unbalanced"] += 1
                yield entity, place, place
    yield from _unclosed(opened, found)


def _unclosed(opened: dict[str, list[int]], found: Counter[str]) -> Iterator[tuple[str, int, int]]:
    for entity, stack in opened.items():
        for place in stack:
            found["unbalanced"] += 1
            yield entity, place, place
    opened.clear()


def _offsets(told: _Told, places: Sequence[int | None], found: Counter[str]) -> Iterator[tuple[str, int, int]]:
    """Mentions whose ends are words of the key."""
    assert told.clusters is not None
    for number, cluster in enumerate(told.clusters, 1):
        for first, last in cluster:
            start, end = places[first], places[last]
            if start is None or end is None:
                found["lost"] += 1
            else:
                yield f"e{number}", start, end
