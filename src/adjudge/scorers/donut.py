"""The two scores that Donut's `JSONParseEvaluator` gives for nested JSON: F1 of fields, and tree edit distance.

Falsy values (empty texts, 0, false, null, empty lists and objects) are dropped first, every scalar is a stripped text,
and keys are sorted by length. Departures from `record.fields`:

- `cal_f1` compares pairs of a path and a text, without places in lists: prices on the wrong lines, or years on the
  wrong people, score 1. Values 0 and false are never seen, and 10 is not 10.0.
- The tree edit distance keeps the order of lists and prefers swapped prices to reordered lines. It adds up letters,
  so that two wrong one-letter values earn one half, and two equal empty documents score 0.
- No field in all documents of both sides is a division by zero in the program, and an error here.
- Objects only: a list is put under the key `records`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from adjudge.algebra.edit_distance import distances
from adjudge.algebra.solve.deadline import timed
from adjudge.errors import FormatError, Problem, ValidationError
from adjudge.formats.source import source_name
from adjudge.scorers import Published, Scorer
from adjudge.scorers.shared import counted, mean_measure, mean_score, prf, read_records, totals, wrapped

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


F1 = "donut.cal_f1"
TED = "donut.nTED"


def run(gold: Any, system: Any) -> Published:
    """Both scores, as `test.py` of Donut prints them."""
    pairs = read_records(gold, system)
    rows = []
    for key, ours, theirs in timed(pairs.documents):
        sides = normalised(ours), normalised(theirs)
        left, right = (Counter(_flat(side)) for side in sides)
        counts = counted({"": ((left & right).total(), right.total(), left.total())})
        try:
            accuracy = tree_accuracy(*sides)
        except ValidationError as error:
            (problem,) = error.problems
            raise ValidationError(
                msgspec.structs.replace(problem, message=f"document {key!r}: {problem.message}")
            ) from None
        rows.append((key, {**counts, "score": accuracy, "documents": 1.0}))
    matched, found, wanted = totals(rows)
    if not found + wanted:
        message = "there is no field in gold or system: donut divides by zero (0, false and empty values are dropped)"
        raise FormatError(Problem(message, path=source_name(gold), hint="give documents with values"))
    f1 = matched / (matched + (found + wanted - 2 * matched) / 2)
    text = (
        f"Total number of samples: {len(rows)}, Tree Edit Distance (TED) based accuracy score: {mean_score(rows)}, "
        f"F1 accuracy score: {f1}\n"
    )
    return Published(rows, (mean_measure(TED), prf(F1)), text, notes=pairs.notes)


def normalised(value: Any) -> dict[str, Any]:
    """An object whose values are lists of texts or of such objects.

    >>> normalised({"total": 0, "lines": [{"qty": 2}, {}], "to": {"city": " Riga "}})
    {'to': [{'city': ['Riga']}], 'lines': [{'qty': ['2']}]}
    """
    found = _listed(wrapped(value))
    return found[0] if found else {}


def _listed(value: Any) -> list[Any]:
    """A value as a list of texts or of objects; empty if it is dropped."""
    if not value:
        return []
    if isinstance(value, dict):
        parts = {key: _listed(value[key]) for key in sorted(value, key=lambda key: (len(key), key))}
        kept = {key: own for key, own in parts.items() if own}
        return [kept] if kept else []
    if not isinstance(value, list):
        return [str(value).strip()]
    if all(isinstance(each, dict) for each in value):
        return [own for each in value for own in _listed(each)]
    texts = [str(each).strip() for each in value if isinstance(each, str | int | float) and not isinstance(each, bool)]
    return [text for text in texts if text]


def _flat(value: dict[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for key, listed in value.items():
        path = f"{above}.{key}" if above else key
        for each in listed:
            if isinstance(each, dict):
                yield from _flat(each, path)
            else:
                yield path, each


def tree_accuracy(gold: dict[str, Any], system: dict[str, Any]) -> float:
    """1 - the edit distance of the trees of two normalised objects, over that of gold to nothing; never below 0.

    >>> tree_accuracy({"a": ["kitten"]}, {"a": ["sitting"]})
    0.571...
    """
    ours, theirs = _tree("<root>", [gold]), _tree("<root>", [system])
    whole = ours.weight - 1
    return max(0.0, 1 - tree_distance(theirs, ours) / whole) if whole else 0.0


def _tree(name: str, listed: list[Any]) -> Node:
    """A key with the parts of its value; each object of a list has a node of its own, except at the root."""
    if name == "<root>":
        return Node(name, tuple(_tree(f".{key}", own) for key, own in listed[0].items()))
    return Node(
        name,
        tuple(
            Node("<subtree>", tuple(_tree(f".{key}", own) for key, own in each.items()))
            if isinstance(each, dict)
            else Node(each, leaf=True)
            for each in listed
        ),
    )


SCORER = Scorer(name="donut", family="record", about="cal_f1 and the tree edit distance of Donut", run=run)


# ---------------------------------------------------------------------------------------------------------------------
# The edit distance of ordered trees (Zhang and Shasha 1989), one row of many subtrees at a time.

Array: TypeAlias = "npt.NDArray[np.integer[Any]]"
MOST = 1 << 24  # pairs of nodes


class Node(msgspec.Struct, frozen=True):
    """A node of an ordered tree; a leaf has a text instead of a name."""

    name: str
    parts: tuple[Node, ...] = ()
    leaf: bool = False

    @property
    def weight(self) -> int:
        """What it costs to insert the whole tree."""
        return (len(self.name) if self.leaf else 1) + sum(part.weight for part in self.parts)


class _Tree:
    """The nodes of a tree from left to right, each after its parts, and the first node of the subtree of each."""

    def __init__(self, root: Node) -> None:
        self.nodes: list[Node] = []
        self.first: list[int] = []
        self.add(root)
        self.cost = [len(node.name) if node.leaf else 1 for node in self.nodes]

    def add(self, node: Node) -> int:
        """Append a subtree; the first of its nodes."""
        starts = [self.add(part) for part in node.parts]
        start = starts[0] if starts else len(self.nodes)
        self.nodes.append(node)
        self.first.append(start)
        return start

    def roots(self) -> list[int]:
        """The last of the nodes with the same first node: their subtrees are compared one by one."""
        return sorted({start: place for place, start in enumerate(self.first)}.values())

    def levels(self) -> list[list[int]]:
        """These nodes in groups: none is part of another in its group, and its parts are in earlier groups."""
        open_: list[tuple[int, int]] = []
        found: list[list[int]] = []
        for root in self.roots():
            level = 0
            while open_ and open_[-1][0] >= self.first[root]:
                level = max(level, open_.pop()[1] + 1)
            open_.append((root, level))
            if level == len(found):
                found.append([])
            found[level].append(root)
        return found


def tree_distance(one: Node, other: Node) -> int:
    """The least cost of turning one tree into another.

    >>> tree_distance(Node("r", (Node("a", (Node("cat", leaf=True),)),)), Node("r", (Node("hat", leaf=True),)))
    2
    """
    import numpy as np

    left, right = _Tree(one), _Tree(other)
    if len(left.nodes) * len(right.nodes) > MOST:
        message = f"trees of {len(left.nodes):,} and {len(right.nodes):,} nodes are too large for an edit distance"
        raise ValidationError(Problem(message, hint="leave the document out, or score it by record.fields"))
    relabel = _relabelling(left.nodes, right.nodes)
    trees = np.zeros(relabel.shape, dtype=np.int32)
    levels = [_Forests(right, roots) for roots in right.levels()]
    for root in left.roots():
        for forests in levels:
            forests.compare(left, root, relabel, trees)
    return int(trees[-1, -1])


class _Forests:
    """Disjoint subtrees of a tree side by side: the places of all prefixes of their node sequences."""

    def __init__(self, tree: _Tree, roots: Sequence[int]) -> None:
        import numpy as np

        nodes: list[int] = []
        back: list[int] = []
        insert: list[int] = []
        shift: list[int] = []
        trees: list[bool] = []
        large = 2 * (sum(tree.cost) + 1)
        for number, root in enumerate(roots):
            start, first = len(nodes), tree.first[root]
            insert += accumulate(tree.cost[first : root + 1], initial=0)
            nodes += [first, *range(first, root + 1)]
            back += [start, *(start + tree.first[node] - first for node in range(first, root + 1))]
            trees += [False, *(tree.first[node] == first for node in range(first, root + 1))]
            shift += [number * large] * (len(nodes) - start)
        self.nodes, self.back, self.insert = np.array(nodes), np.array(back), np.array(insert, dtype=np.int64)
        self.empty = np.flatnonzero(np.diff(np.array([-1, *shift])))
        self.shift = self.insert + np.array(shift, dtype=np.int64)
        self.trees = np.flatnonzero(np.array(trees))

    def compare(self, left: _Tree, root: int, relabel: Array, trees: Array) -> None:
        """Fill in the distances of the trees at the left edge of a subtree to those at the left edges of these."""
        import numpy as np

        first = left.first[root]
        rows = np.empty((root - first + 2, len(self.nodes)), dtype=np.int64)
        rows[0] = self.insert
        for number, node in enumerate(range(first, root + 1)):
            before = rows[number] + left.cost[node]
            match = rows[left.first[node] - first, self.back] + trees[node, self.nodes]
            whole = left.first[node] == first
            if whole:
                match[self.trees] = rows[number, self.trees - 1] + relabel[node, self.nodes[self.trees]]
            match[self.empty] = before[self.empty]
            row = np.minimum(before, match)
            row -= self.shift
            np.minimum.accumulate(row, out=row)  # inserting one node after the other
            row += self.shift
            rows[number + 1] = row
            if whole:
                trees[node, self.nodes[self.trees]] = row[self.trees]


def _relabelling(left: Sequence[Node], right: Sequence[Node]) -> Array:
    """The cost of turning every node of one tree into every node of the other."""
    import numpy as np

    names = [sorted({node.name for node in side if node.leaf}) for side in (left, right)]
    edits = np.pad(distances(*names), ((0, 1), (0, 1)))
    places = [{name: place for place, name in enumerate(side)} for side in names]
    rows = np.array([places[0][node.name] if node.leaf else -1 for node in left])
    columns = np.array([places[1][node.name] if node.leaf else -1 for node in right])
    found: Array = edits[rows[:, None], columns]
    codes: dict[str, int] = {}
    inner = [np.array([codes.setdefault(node.name, len(codes)) for node in side]) for side in (left, right)]
    lengths = [np.array([len(node.name) if node.leaf else 0 for node in side]) for side in (left, right)]
    mixed = (rows < 0)[:, None] != (columns < 0)
    both = (rows < 0)[:, None] & (columns < 0)
    found[mixed] = (1 + lengths[0][:, None] + lengths[1])[mixed]
    found[both] = (inner[0][:, None] != inner[1])[both]
    return found
