"""The outcome of one document, for people and for programs: the alignment of any task, as text and as JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby, islice
from typing import Any, NamedTuple, TypeAlias

import msgspec

from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.alignment import Alignment, Group, Item, Matching, Pair, Single, compare_groups, members_of_groups

_SIMILAR = 5
LISTED = 50  # links listed by name; their number is always exact
_MOST = 60  # characters shown of an item


class Explanation(NamedTuple):
    """The outcomes of the items and groups of one document of one system; `unproven` says how far they are not."""

    document: str
    system: str
    alignment: Alignment
    unproven: str = ""

    def to_data(self) -> dict[str, Any]:
        """As plain data, ready for JSON: the items of both sides, and their outcomes by metric."""
        found = self.alignment
        items = [
            {"side": side, **msgspec.to_builtins(item)}
            for side, own in (("gold", found.gold), ("system", found.system))
            for item in own
        ]
        return {
            "document": self.document,
            "system": self.system,
            "missing": found.missing,
            **({"unread": found.unread} if found.unread else {}),
            **({"unproven": self.unproven} if self.unproven else {}),
            "items": items,
            "metrics": [self._matching(each) for each in found.matchings],
        }

    def _matching(self, matching: Matching) -> dict[str, Any]:
        gold, system = self.alignment.gold, self.alignment.system

        def single(each: Single, own: Sequence[Item], other: Sequence[Item]) -> dict[str, Any]:
            near = None if each.near is None else other[each.near].id
            return {"id": own[each.item].id, "why": each.why, "near": near}

        return {
            "metric": matching.metric,
            "numbers": matching.numbers,
            "variables": matching.variables,
            "pairs": [
                {
                    "gold": gold[each.gold].id,
                    "system": system[each.system].id,
                    "outcome": each.outcome,
                    "credit": each.credit,
                    "why": each.why,
                }
                for each in matching.pairs
            ],
            "missed": [single(each, gold, system) for each in matching.missed],
            "spurious": [single(each, system, gold) for each in matching.spurious],
            "ignored": [single(each, system, gold) for each in matching.ignored],
            "groups": [
                {"change": change, "gold": list(ours), "system": list(theirs)}
                for change, ours, theirs in self.changes(matching)
            ],
        }

    def _repr_html_(self) -> str:
        from adjudge.stats.notebook import text_html

        return text_html(str(self))

    def changes(self, matching: Matching) -> list[Group]:
        """Groups and what happened to them, if the task compares groups."""
        return compare_groups(self.alignment, matching) if self.alignment.groups else []

    def __str__(self) -> str:
        lines = [line for each in self._shown() for line in self._lines(each)]
        return "\n".join([*lines, f"note: {self.unproven}"] if self.unproven else lines)

    def __repr__(self) -> str:  # the explanations of several systems are a dict, which is often printed
        return str(self)

    def _shown(self) -> Iterator[Matching]:
        """The matchings; equal ones of leaves are merged under all their names."""
        found: list[tuple[Matching, list[str]]] = []
        for each in self.alignment.matchings:
            same = msgspec.structs.replace(each, metric="")
            known = [names for other, names in found if other == same and is_of_leaves(self.alignment, other)]
            if known:
                known[0].append(each.metric)
            else:
                found.append((same, [each.metric]))
        for matching, names in found:
            yield msgspec.structs.replace(matching, metric=", ".join(names))

    def _lines(self, matching: Matching) -> Iterator[str]:
        found = self.alignment
        outcomes = [each.outcome for each in matching.pairs]
        levels = self._counts(matching)
        several = len(levels) > 1
        told = "; ".join(f"{_own(level)} {said}" if several else said for level, said in levels.items())
        told = told or "nothing on either side"
        numbers = ", ".join(f"{name} {value:.4g}" for name, value in matching.numbers.items() if value is not None)
        missing = "; the system does not have this document" if found.missing else ""
        if found.unread:
            missing = f"; the answer could not be read ({found.unread})"
        yield f"{self.document}  {self.system}  {matching.metric}: {told}{f'; {numbers}' if numbers else ''}{missing}"
        if is_of_leaves(found, matching):
            yield from leaf_lines(found, matching, short)
            return
        wide = max(map(len, (*outcomes, "spurious")))
        for level in dict.fromkeys(item.level for item in (*found.gold, *found.system)):
            if several and level in levels:
                yield _own(level) or "whole"
            yield from self._level(matching, level, wide)
        if matching.variables:
            told = ", ".join(f"{own} is {gold}" for own, gold in matching.variables.items())
            yield f"{'variables':<{wide}} {told}"
        members = [members_of_groups(found.gold), members_of_groups(found.system)] if found.groups else []
        for group in self.changes(matching):
            sizes = [len(own[name]) for own, names in zip(members, group[1:], strict=True) for name in names]
            if group.change != "same" and sizes != [1]:  # a single item has been shown already
                yield f"{found.groups:<{wide}} {self._group(group, members)}"
        if found.groups and matching.grouped:
            yield from self._links(matching, wide)

    def _counts(self, matching: Matching) -> dict[str, str]:
        """Outcomes of the items of each level, in numbers."""
        gold, system = self.alignment.gold, self.alignment.system
        found: dict[str, Counter[str]] = {}
        for pair in matching.pairs:
            found.setdefault(gold[pair.gold].level, Counter())[pair.outcome] += 1
        for name, singles, own in (
            ("missed", matching.missed, gold),
            ("spurious", matching.spurious, system),
            ("ignored", matching.ignored, system),
        ):
            for each in singles:
                found.setdefault(own[each.item].level, Counter())[name] += 1
        order = ("correct", "partial", "wrong", "missed", "spurious", "ignored")
        return {
            level: ", ".join(f"{counts[name]} {name}" for name in dict.fromkeys((*order, *counts)) if counts[name])
            for level, counts in found.items()
        }

    def _level(self, matching: Matching, level: str, wide: int) -> Iterator[str]:
        gold, system = self.alignment.gold, self.alignment.system
        pairs = [each for each in matching.pairs if gold[each.gold].level == level]
        singles = [
            (name, each, own, other)
            for name, found, own, other in (
                ("missed", matching.missed, gold, system),
                ("spurious", matching.spurious, system, gold),
                ("ignored", matching.ignored, system, gold),
            )
            for each in found
            if own[each.item].level == level
        ]
        order = {name: place for place, name in enumerate(("correct", "partial", "wrong"))}
        for pair in sorted(pairs, key=lambda each: order.get(each.outcome, len(order))):
            yield f"{pair.outcome:<{wide}} {self._pair(pair)}"
        for name, each, own, other in singles:
            near = "" if each.near is None else f"; near {said(other[each.near])}"
            why = f": {each.why}" if each.why else ""
            yield f"{name:<{wide}} {said(own[each.item])}{why}{near}"

    def _pair(self, pair: Pair) -> str:
        ours, theirs = (
            said(side[number])
            for side, number in ((self.alignment.gold, pair.gold), (self.alignment.system, pair.system))
        )
        both = ours if ours == theirs else f"{ours} | {theirs}"
        credit = f" ({pair.credit:.2g})" if 0 < pair.credit < 1 else ""
        return both + credit + (f": {pair.why}" if pair.why else "")

    def _group(self, group: Group, members: Sequence[Mapping[str, Sequence[int]]]) -> str:
        sides = []
        for title, names, items, home in (
            ("gold", group.gold, self.alignment.gold, members[0]),
            ("system", group.system, self.alignment.system, members[1]),
        ):
            told = [f"{name} [{', '.join(short(items[number]) for number in home[name])}]" for name in names]
            sides += [f"{title} {' '.join(told)}"] if told else []
        return f"{group.change}: {'; '.join(sides)}"

    def _links(self, matching: Matching, wide: int) -> Iterator[str]:
        """Pairs of items in one group that the other side does not have together."""
        partner = {pair.gold: pair.system for pair in matching.pairs if pair.outcome != "wrong"}
        back = {system: gold for gold, system in partner.items()}
        for title, own, other, mates in (
            ("lost", self.alignment.gold, self.alignment.system, partner),
            ("gained", self.alignment.system, self.alignment.gold, back),
        ):
            ignored = {each.item for each in matching.ignored} if title == "gained" else set()
            number = _links(own, other, mates, ignored)
            if number:
                listed = list(islice(_listed_links(own, other, mates, ignored), LISTED))
                more = ", ..." if number > len(listed) else ""
                yield f"{'links':<{wide}} {number} {title}: {', '.join(listed)}{more}"


def said(item: Item) -> str:
    """An item in a line: its type, its words, its realis if it has one, its id."""
    text = short(item)
    realis = item.value.get("realis", "") if isinstance(item.value, Mapping) else ""
    name = item.id if item.id.startswith("(") else f"({_own(item.id)})"
    label, name = item.label if item.label not in text else "", name if item.id not in (text, item.label) else ""
    return " ".join(part for part in (label, text, realis, name) if part)


def _own(path: str) -> str:
    """A path without the steps by which a metric derived its items, and what it chose them by.

    >>> _own("amr|read|domains[2]"), _own("dependencies|only(label,nsubj,obj)[0]")
    ('domains[2]', 'only(…)[0]')
    """
    return re.sub(r"\([^()]*\)", "(…)", path.rpartition("|")[2])


def short(item: Item) -> str:
    """The words of an item, or else its value or id."""
    text = item.text or (item.value if isinstance(item.value, str) else "") or item.id
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"


def _links(own: Sequence[Item], other: Sequence[Item], mates: Mapping[int, int], ignored: Iterable[int]) -> int:
    """How many links of one side the other one does not have: counted by what groups share, not link by link."""
    lost = 0
    for members in members_of_groups(own, ignored).values():
        shared: dict[str, int] = {}
        for number in members:
            for name in other[mates[number]].group if number in mates else ():
                shared[name] = shared.get(name, 0) + 1
        kept = sum(count * (count - 1) // 2 for count in shared.values())
        lost += max(len(members) * (len(members) - 1) // 2 - kept, 0)
    return lost


def _listed_links(
    own: Sequence[Item], other: Sequence[Item], mates: Mapping[int, int], ignored: Iterable[int]
) -> Iterator[str]:
    for members in members_of_groups(own, ignored).values():
        for left, right in combinations(members, 2):
            homes = [frozenset(other[mates[each]].group) if each in mates else frozenset() for each in (left, right)]
            if not homes[0] & homes[1]:
                yield f"{short(own[left])} - {short(own[right])}"


def find_document(names: Iterable[str], part: str) -> str:
    """The document of a name, or the only one whose name has this part.

    >>> find_document(["nw/cnn_01", "nw/cnn_02"], "_02")
    'nw/cnn_02'
    """
    known = list(names)
    if part in known:
        return part
    having = [name for name in known if part and part in name]
    if len(having) == 1:
        return having[0]
    if having:
        listed = ", ".join(having[:_SIMILAR]) + (", ..." if len(having) > _SIMILAR else "")
        raise UsageError(f"{len(having)} documents have {part!r} in their names", hint=f"say more of it: {listed}")
    hint = (
        did_you_mean(part, known) or f"documents are {', '.join(known[:_SIMILAR])}{', ...' * (len(known) > _SIMILAR)}"
    )
    raise UsageError(f"there is no document {part!r} in gold", hint=hint)


# ---------------------------------------------------------------------------------------------------------------------
# The leaves of nested records as tables: one for each record, with a table inside for each element of its lists

Groups: TypeAlias = tuple[str, ...]

HEAD = ("field", "gold", "system", "outcome")
OMITTED, HALLUCINATED = "omitted", "hallucinated"
_NUMBER = re.compile(r"[0-9]+")
_INDEX = re.compile(r"\[[0-9]+\]")
_ROOT = "records["


class Leaf(NamedTuple):
    """A row: the field, the values of both sides, the outcome, and its credit if that is partial."""

    field: str
    gold: str
    system: str
    outcome: str
    credit: str = ""


class LeafTable(NamedTuple):
    """The leaves of a record or of an element of a list, and the elements inside; `extra` if only the system has it."""

    name: str
    extra: bool
    rows: tuple[Leaf, ...]
    inner: tuple[LeafTable, ...]


def is_of_leaves(alignment: Alignment, matching: Matching) -> bool:
    """Whether a metric counted the leaves of records, each of which stands in elements of lists."""
    gold, system = alignment.gold, alignment.system
    items = [gold[each.gold] for each in matching.pairs] + [gold[each.item] for each in matching.missed]
    items += [system[each.item] for each in matching.spurious]
    return bool(items) and all(each.level.startswith(_ROOT) and each.group for each in items)


def field_name(level: str) -> str:
    """The field of a leaf as tables of fields have it; nothing if the level is not that of leaves.

    >>> field_name("records[*].lines[*].price")
    'lines[].price'
    """
    return level.partition(".")[2].replace("[*]", "[]") if level.startswith(_ROOT) else ""


def leaf_tables(alignment: Alignment, matching: Matching, said: Callable[[Item], str]) -> tuple[LeafTable, ...]:
    """The tables of the records of a document, in the order of gold; `said` gives the words of an item."""
    gold, system = alignment.gold, alignment.system
    found: list[tuple[Item, Leaf]] = []
    for pair in matching.pairs:
        ours, theirs = gold[pair.gold], system[pair.system]
        credit = f"{pair.credit:.2g}" if pair.outcome == "partial" else ""
        found.append((ours, Leaf(_inside(ours), said(ours), said(theirs), pair.outcome, credit)))
    found += [
        (gold[one.item], Leaf(_inside(gold[one.item]), said(gold[one.item]), "", OMITTED)) for one in matching.missed
    ]
    for one in matching.spurious:
        theirs = system[one.item]
        found.append((theirs, Leaf(_inside(theirs), "", said(theirs), HALLUCINATED)))
    found.sort(key=lambda each: ([_natural(name) for name in each[0].group], each[1]))
    return _nested([(tuple(item.group), leaf) for item, leaf in found], 0)


def leaf_lines(alignment: Alignment, matching: Matching, said: Callable[[Item], str]) -> Iterator[str]:
    """The tables as lines, indented by their depth."""
    tables = leaf_tables(alignment, matching, said)
    widths = [max(map(len, column)) for column in zip(HEAD[:3], *(row[:3] for row in _rows(tables)), strict=True)]

    def lines(table: LeafTable, depth: int) -> Iterator[str]:
        yield f"{'  ' * depth}{'+' * table.extra}{table.name}"
        for row in (Leaf(*HEAD), *table.rows) if table.rows else ():
            cells = [f"{cell:<{width}}" for cell, width in zip(row[:3], widths, strict=True)]
            outcome = f"{row.outcome} ({row.credit})" if row.credit else row.outcome
            yield f"{'  ' * (depth + 1)}{'  '.join([*cells, outcome])}"
        for each in table.inner:
            yield from lines(each, depth + 1)

    for table in tables:
        yield from lines(table, 0)


def _rows(tables: tuple[LeafTable, ...]) -> Iterator[Leaf]:
    for table in tables:
        yield from table.rows
        yield from _rows(table.inner)


def _nested(found: list[tuple[Groups, Leaf]], depth: int) -> tuple[LeafTable, ...]:
    """The tables of leaves that share what they stand in down to a depth."""
    tables = []
    for name, each in groupby(found, lambda leaf: leaf[0][depth]):
        own = list(each)
        rows = tuple(leaf for groups, leaf in own if len(groups) == depth + 1)
        inner = _nested([leaf for leaf in own if len(leaf[0]) > depth + 1], depth + 1)
        above = own[0][0][depth - 1].removeprefix("+") if depth else ""
        tables.append(
            LeafTable(name.removeprefix("+").removeprefix(above).removeprefix("."), name.startswith("+"), rows, inner)
        )
    return tuple(tables)


def _inside(item: Item) -> str:
    """The field of a leaf in the element that it stands in."""
    element = _INDEX.sub("[*]", item.group[-1].removeprefix("+"))
    return item.level.removeprefix(element).lstrip(".") or "value"


def _natural(name: str) -> tuple[bool, list[tuple[str, int]]]:
    """A place in the order of its numbers; what only the system has comes last."""
    plain = name.removeprefix("+")
    numbers = [int(found[0]) for found in _NUMBER.finditer(plain)]
    return name.startswith("+"), list(zip(_NUMBER.split(plain), [*numbers, 0], strict=True))
