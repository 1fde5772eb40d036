"""neleval 3.1.1: its `evaluate -m all`, the table of measures to the character.

Departures from the definitions (`linking.*`): mentions without any candidate are one cluster of the whole corpus, and
are neither linked nor nil; in B3 a mention that the other side does not have is compared with that cluster; a mention
of several entities is in all of them for CEAF and pairs, whose denominators then count what the clusters of a side have
in common, and in the last of them for MUC and B3 (CEAF of such a gold side depends on the order of a hash table there;
here it is the order of the file). Documents that gold does not have count. Types in the tab format of TAC are
`PER/NAM`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.algebra.solve.deadline import together
from adjudge.evaluate.clusterings import ClusterCounter, contingency
from adjudge.formats.linking import Table, read_table
from adjudge.metrics.linking import is_nil
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import Published, Scorer
from adjudge.scorers.shared import sum_in_order
from adjudge.stats.measure import Prf
from adjudge.stats.result import Note

if TYPE_CHECKING:
    from adjudge.stats.measure import Array

Number: TypeAlias = "int | float"
Counts: TypeAlias = "tuple[Number, Number, Number, Number]"
"""Numerator and denominator of precision, and of recall."""
Clusters: TypeAlias = "dict[Hashable, dict[Any, None]]"
"""The items of each entity, without repeats, in the order of the file."""

HEADER = "ptp\tfp\trtp\tfn\tprecis\trecall\tfscore\tmeasure\n"


class Rule(NamedTuple):
    """One of its measures: our name, the fields of mentions that are compared, which mentions count, and how clusters
    are scored."""

    metric: str
    key: tuple[str, ...]
    only: str = ""
    by: str = "sets"


MEASURES: dict[str, Rule] = {
    "b_cubed": Rule("linking.b3", ("span",), by="b3"),
    "b_cubed_plus": Rule("linking.b3-plus", ("span", "kb"), by="b3"),
    "entity_ceaf": Rule("linking.ceafe", ("span",), by="ceafe"),
    "entity_match": Rule("linking.entity", ("document", "kb"), "linked"),
    "mention_ceaf": Rule("linking.ceafm", ("span",), by="ceafm"),
    "mention_ceaf_plus": Rule("linking.ceafm-plus", ("span", "kb"), by="ceafm"),
    "muc": Rule("linking.muc", ("span",), by="muc"),
    "pairwise": Rule("linking.pairwise", ("span",), by="pairwise"),
    "strong_all_match": Rule("linking.all", ("span", "kb")),
    "strong_link_match": Rule("linking.link", ("span", "kb"), "linked"),
    "strong_linked_mention_match": Rule("linking.linked-mention", ("span",), "linked"),
    "strong_mention_match": Rule("linking.mention", ("span",)),
    "strong_nil_match": Rule("linking.nil", ("span",), "nil"),
    "strong_typed_all_match": Rule("linking.typed-all", ("span", "type", "kb")),
    "strong_typed_link_match": Rule("linking.typed-link", ("span", "type", "kb"), "linked"),
    "strong_typed_mention_match": Rule("linking.typed", ("span", "type")),
    "strong_typed_nil_match": Rule("linking.typed-nil", ("span", "type"), "nil"),
    "typed_mention_ceaf": Rule("linking.typed-ceafm", ("span", "type"), by="ceafm"),
    "typed_mention_ceaf_plus": Rule("linking.typed-ceafm-plus", ("span", "type", "kb"), by="ceafm"),
}


def run(gold: Any, system: Any) -> Published:
    """Count one system; the format of each file is told by its first line."""
    sides = [_mentions(read_table(source)) for source in (gold, system)]
    ids = tuple(dict.fromkeys(each.document for side in sides for each in side))
    with together(len(ids)):
        counts = {name: _count(rule, *sides) for name, rule in MEASURES.items()}
    text = HEADER + "".join(_line(name, found) for name, found in sorted(counts.items()))
    prfs = tuple(
        Prf(rule.metric, columns[:2], columns[2:]) for rule in MEASURES.values() for columns in [_columns(rule)]
    )
    counter = _counter(sides, ids, _rows(sides, ids))
    printed = {
        column: float(value)
        for name, rule in MEASURES.items()
        for column, value in zip(_columns(rule), counts[name], strict=True)
    }
    again = counter.point(range(len(ids)))
    resampled = all(abs(again[column] - value) < 1e-9 for column, value in printed.items())
    notes = []
    if not resampled:
        message = "mentions of several entities, or of none, are counted in a way that cannot be resampled"
        notes = [Note("not-resampled", 1, f"{message}: there are no intervals"), *_undefined(sides[0])]
    return Published(
        [(each, {}) for each in ids],
        prfs,
        text,
        notes=notes,
        counter=counter.weighted if resampled else partial(_unvaried, printed),
        resampled=resampled,
        documents=({each.document for each in sides[0]}, {each.document for each in sides[1]}),
    )


def _undefined(gold: Sequence[Annotated]) -> list[Note]:
    """A note if the program's CEAF is arbitrary."""
    entities: dict[Any, set[str | None]] = {}
    for each in gold:
        entities.setdefault(each.span, set()).add(each.entity)
    number = sum(1 for own in entities.values() if len(own) > 1)
    if not number:
        return []
    message = (
        f"{number} gold mentions have several entities: the CEAF of neleval then depends on the order of a hash table"
    )
    return [Note("hash-order", number, message)]


class Annotated(NamedTuple):
    """A mention as the program sees it; `entity` is None if it has no candidate."""

    document: str
    span: tuple[str, int, int]
    entity: str | None
    type: str | None

    @property
    def kb(self) -> str | None:
        """The entity, if the knowledge base has it."""
        return None if is_nil(self.entity) else self.entity

    def kept(self, only: str) -> bool:
        """Whether a mention counts; one without a candidate is neither linked nor nil."""
        if not only:
            return True
        return self.entity is not None and is_nil(self.entity) == (only == "nil")


def _mentions(table: Table) -> list[Annotated]:
    by_document: dict[str, list[Any]] = {}
    rows = sorted(table.rows, key=lambda row: f"{row.document}:{row.start}-{row.end - 1}") if table.tac else table.rows
    for row in rows:
        by_document.setdefault(row.document, []).append(row)
    found = []
    for document, own in by_document.items():
        for row in sorted(own, key=lambda row: (row.start, -row.end)):
            kind = f"{row.type or ''}/{row.level}" if table.tac else row.type
            found.append(Annotated(document, (document, row.start, row.end), row.entity, kind))
    return found


def _items(rule: Rule, side: Sequence[Annotated]) -> dict[Any, Annotated]:
    return {tuple(getattr(each, field) for field in rule.key): each for each in side if each.kept(rule.only)}


def _clusters(rule: Rule, side: Sequence[Annotated]) -> Clusters:
    found: Clusters = {}
    for each in side:
        found.setdefault(each.entity, {})[tuple(getattr(each, field) for field in rule.key)] = None
    return found


def _count(rule: Rule, gold: Sequence[Annotated], system: Sequence[Annotated]) -> Counts:
    if rule.by == "sets":
        mine, yours = _items(rule, gold), _items(rule, system)
        both = len(mine.keys() & yours.keys())
        return both, len(yours), both, len(mine)
    return _COUNTED[rule.by](_clusters(rule, gold), _clusters(rule, system))


# ---------------------------------------------------------------------------------------------------------------------
# Clusters as the program counts them


def _owners(clusters: Clusters) -> dict[Any, Hashable]:
    """The cluster of each item, the last of several."""
    return {item: name for name, items in clusters.items() for item in items}


def _muc(gold: Clusters, system: Clusters) -> Counts:
    def links(of: Clusters, other: Mapping[Any, Hashable]) -> tuple[int, int]:
        kept = [[other[item] for item in items if item in other] for items in of.values()]
        return sum(len(each) - len(set(each)) for each in kept), sum(len(items) - 1 for items in of.values())

    return (*links(system, _owners(gold)), *links(gold, _owners(system)))


def _b3(gold: Clusters, system: Clusters) -> Counts:
    def shares(of: Clusters, other: Clusters) -> tuple[float, int]:
        mine, theirs = _owners(of), _owners(other)
        common: dict[tuple[Hashable, Hashable], float] = {}
        total = 0.0
        for item, name in mine.items():
            # An item that the other side does not have is looked for in its cluster without a name.
            pair = name, theirs.get(item)
            if pair not in common:
                common[pair] = len(of[name].keys() & other.get(pair[1], {}).keys()) / len(of[name])
            total += common[pair]
        return total, len(mine)

    return (*shares(system, gold), *shares(gold, system))


def _pairwise(gold: Clusters, system: Clusters) -> Counts:
    def pairs(number: int) -> int:
        return number * (number - 1) // 2

    both = sum(pairs(len(mine.keys() & yours.keys())) for mine, yours in _meeting(gold, system))
    mine, yours = (sum(pairs(len(items)) for items in side.values()) for side in (gold, system))
    return both, yours, both, mine


def _meeting(gold: Clusters, system: Clusters) -> list[tuple[dict[Any, None], dict[Any, None]]]:
    """The pairs of clusters that have an item in common."""
    where: dict[Any, list[Hashable]] = {}
    for name, items in system.items():
        for item in items:
            where.setdefault(item, []).append(name)
    return [
        (items, system[other])
        for items in gold.values()
        for other in dict.fromkeys(name for item in items for name in where.get(item, ()))
    ]


def _ceafm(gold: Clusters, system: Clusters) -> Counts:
    best, mine, yours = _ceaf(gold, system, dice=False)
    return int(best), int(yours), int(best), int(mine)


def _ceafe(gold: Clusters, system: Clusters) -> Counts:
    best, mine, yours = _ceaf(gold, system, dice=True)
    found = best if gold or system else 0  # without any cluster it sums whole numbers and prints them as such
    return found, yours, found, mine


def _ceaf(gold: Clusters, system: Clusters, *, dice: bool) -> tuple[float, float, float]:
    """The best alignment, and the similarities of the clusters of each side with those of the same side."""
    import numpy as np

    from adjudge.algebra.solve.matrix import solved_or_late

    numbers: dict[Any, int] = {}
    # The program cuts the gold items into clusters by the number of distinct items so far, not of all items.
    listed, cuts = [], [0]
    for items in gold.values():
        listed += [numbers.setdefault(item, len(numbers)) for item in items]
        cuts.append(len(numbers))
    mine = [listed[a:b] for a, b in pairwise(cuts)]
    yours = [[numbers.setdefault(item, len(numbers)) for item in items] for items in system.values()]
    across = _similar(mine, yours, dice=dice)
    table = np.zeros((len(mine), len(yours)))
    for (row, column), value in across.items():
        table[row, column] = value
    chosen = solved_or_late(table)
    own = [sum_in_order(_similar(side, side, dice=dice).values()) for side in (mine, yours)]
    return float(table[chosen].sum()), float(own[0]), float(own[1])


def _similar(first: Sequence[Sequence[int]], second: Sequence[Sequence[int]], *, dice: bool) -> dict[Any, float]:
    where: dict[int, list[int]] = {}
    for column, items in enumerate(second):
        for item in items:
            where.setdefault(item, []).append(column)
    found: dict[tuple[int, int], float] = {}
    for row, items in enumerate(first):
        for item in items:
            for column in where.get(item, ()):
                found[row, column] = found.get((row, column), 0.0) + 1.0
    if not dice:
        return found
    return {(a, b): 2 * both / (len(first[a]) + len(second[b])) for (a, b), both in found.items()}


_COUNTED: dict[str, Callable[[Clusters, Clusters], Counts]] = {
    "muc": _muc,
    "b3": _b3,
    "pairwise": _pairwise,
    "ceafm": _ceafm,
    "ceafe": _ceafe,
}


# ---------------------------------------------------------------------------------------------------------------------
# Printing and resampling


def _line(name: str, counts: Counts) -> str:
    found, system, hit, gold = counts
    values = (found, system - found, hit, gold - hit, *map(float, precision_recall_f1(found, system, gold, hit)))
    return "\t".join(f"{value:.3f}" if isinstance(value, float) else str(value) for value in values) + f"\t{name}\n"


def _columns(rule: Rule) -> tuple[str, str, str, str]:
    return f"{rule.metric}:matched", f"{rule.metric}:system", f"{rule.metric}:found", f"{rule.metric}:gold"


def _rows(sides: Sequence[Sequence[Annotated]], ids: Sequence[str]) -> dict[str, list[float]]:
    """The counts of every document for measures that are sums over documents."""
    places = {name: place for place, name in enumerate(ids)}
    found: dict[str, list[float]] = {}
    for rule in MEASURES.values():
        if rule.by != "sets":
            continue
        gold, system = (_items(rule, side) for side in sides)
        columns = [[0.0] * len(ids) for _ in range(3)]
        for items, column in ((gold, 2), (system, 1)):
            for each in items.values():
                columns[column][places[each.document]] += 1
        for item in gold.keys() & system.keys():
            columns[0][places[gold[item].document]] += 1
        found.update(zip(_columns(rule), (columns[0], columns[1], columns[0], columns[2]), strict=True))
    return found


def _unvaried(printed: Mapping[str, float], weights: Array) -> dict[str, Array]:
    """What is printed, whatever the weights."""
    import numpy as np

    return {key: np.full(len(weights), value) for key, value in printed.items()}


def _counter(
    sides: Sequence[Sequence[Annotated]], ids: Sequence[str], rows: Mapping[str, list[float]]
) -> ClusterCounter:
    places = {name: place for place, name in enumerate(ids)}
    metrics, tables = {}, {}
    for rule in MEASURES.values():
        if rule.by == "sets":
            continue
        metrics[rule.metric] = (rule.key, rule.by, _columns(rule))
        if rule.key not in tables:
            assigned: list[list[dict[Any, Hashable]]] = [[{} for _ in ids] for _ in sides]
            for side, own in zip(sides, assigned, strict=True):
                for each in side:
                    item = tuple(getattr(each, field) for field in rule.key)
                    own[places[each.document]][item] = (each.entity,)
            tables[rule.key] = contingency(*assigned)
    return ClusterCounter(metrics, tables, rows)


SCORER = Scorer(
    name="neleval-3.1.1",
    family="linking",
    about="neleval evaluate -m all, of its own tables or the tab format of TAC",
    run=run,
)
