"""The outcome of every item of a document, from which explanations, saved documents and pages are made.

Items of both sides have words and places in the text; a matching is what one metric made of them: pairs with their
outcome and credit, missed, spurious and ignored items, and why. Items that belong together (the
mentions of a chain, the nuggets of a hopper, the arguments of a frame or an event, the fields of a record) name their
group.

Where leaves of nested records are counted (`record.fields`), each leaf is an item: its `id` is its path on its own side
with positions (`records[0].lines[2].price`; one object is `records[0]`), its `value` the value. Pairs are `correct`,
`partial` or `wrong`, `missed` are omitted and `spurious` hallucinated leaves; what is absent on both sides is not an
item. `group` names the elements of lists that a leaf stands in, outermost first: (`records[0]`, `records[0].lines[2]`).
These are places in gold, on the system's side too, so that leaves of both sides in one group are in the same row of the
same table; an element that only the system has is named by its own place after a plus sign (`+records[0].lines[3]`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from adjudge.errors import FormatError

Place: TypeAlias = tuple[int, int]
Change: TypeAlias = Literal["same", "changed", "split", "merged", "mixed", "missed", "spurious"]


class Item(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A gold or system item.

    `id` is its name on its side, such as the id in the file or `events[2].arguments[0]`; `level` says what kind of item
    it is (`mentions`, `events[*].arguments[*]`). `place` has the pieces of its text, with their `roles` if it is a
    relation of several. `label` is its type; `group` has the ids of what it belongs to: an item, or only
    a name. `value` is all that is known of it, without the items inside it.
    """

    id: str
    level: str = ""
    text: str = ""
    place: tuple[Place, ...] = ()
    roles: tuple[str, ...] = ()
    label: str = ""
    group: tuple[str, ...] = ()
    value: Any = None


class Pair(msgspec.Struct, frozen=True, omit_defaults=True):
    """Two items that are matched, by number: `correct`, `partial` (credit below 1) or `wrong` (no credit), and why."""

    gold: int
    system: int
    outcome: str = "correct"
    credit: float = 1.0
    why: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave out defaults: a copy of a default is not recognised as one, and would be written."""
        usual = Pair(self.gold, self.system)
        names = [name for name in ("outcome", "credit", "why") if getattr(self, name) != getattr(usual, name)]
        return _copied, (self.gold, self.system, {name: getattr(self, name) for name in names})


def _copied(gold: int, system: int, more: dict[str, Any]) -> Pair:
    return Pair(gold, system, **more)


class Single(msgspec.Struct, frozen=True, omit_defaults=True):
    """An item without a partner, by number, why it has none, and the `near` item of the other side, if there is one."""

    item: int
    why: str = ""
    near: int | None = None


class Matching(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one metric made of the items of a document; `numbers` are what it counted, for people to read.

    Items that are `ignored` do not count at all. An item may be in several pairs, if the metric allows it. Groups are
    compared by its pairs, unless it is not `grouped`: then it is another matching that does. `variables` are those of
    the system, with the ones of gold that they were matched to.
    """

    metric: str
    pairs: tuple[Pair, ...] = ()
    missed: tuple[Single, ...] = ()
    spurious: tuple[Single, ...] = ()
    ignored: tuple[Single, ...] = ()
    numbers: dict[str, float | None] = {}
    variables: dict[str, str] = {}
    grouped: bool = True


class Alignment(msgspec.Struct, frozen=True, kw_only=True):
    """One document of one system: its text, the items of both sides, and what each metric made of them.

    `groups` says what the groups are, such as `chain`; without it they are not compared. `unread` says why the system's
    answer could not be read, if it could not: it counts as empty.
    """

    gold: tuple[Item, ...] = ()
    system: tuple[Item, ...] = ()
    matchings: tuple[Matching, ...] = ()
    text: str | None = None
    groups: str = ""
    missing: bool = False
    unread: str = ""


# ---------------------------------------------------------------------------------------------------------------------
# Groups: chains, hoppers, frames


class Group(NamedTuple):
    """Groups of both sides that share items, and what happened to them.

    `same` if all members agree, `changed` if one corresponds to one but has lost or gained members, `split` or
    `merged` if one corresponds to several, `mixed` for several on both sides, `missed` and `spurious` if the other side
    has none.
    """

    change: Change
    gold: tuple[str, ...]
    system: tuple[str, ...]


def compare_groups(alignment: Alignment, matching: Matching) -> list[Group]:
    """Groups that share items as one, in the order of gold; the spurious ones last.

    Pairs join their groups if they are not wrong.

    >>> gold = tuple(Item(id=name, group=(chain,)) for name, chain in ("a1", "b1", "c2"))
    >>> system = tuple(Item(id=name, group=(chain,)) for name, chain in ("a1", "b2", "c2"))
    >>> found = Matching(metric="coref", pairs=tuple(Pair(n, n) for n in range(3)))
    >>> compare_groups(Alignment(gold=gold, system=system), found)
    [Group(change='mixed', gold=('1', '2'), system=('1', '2'))]
    """
    if not matching.grouped:
        return []
    ignored = {each.item for each in matching.ignored}
    ours = members_of_groups(alignment.gold)
    theirs = members_of_groups(alignment.system, ignored)
    shared: dict[str, dict[str, int]] = {name: {} for name in ours}
    visitors: dict[str, list[str]] = {}
    for pair in matching.pairs:
        if pair.outcome == "wrong":
            continue
        for one in alignment.gold[pair.gold].group:
            for other in alignment.system[pair.system].group:
                if other not in shared[one]:
                    visitors.setdefault(other, []).append(one)
                shared[one][other] = shared[one].get(other, 0) + 1
    groups: list[Group] = []
    done: set[str] = set()
    for first in ours:
        if first in done:
            continue
        golds, systems, todo = {first: None}, dict[str, None](), [first]
        while todo:
            for other in shared[todo.pop()]:
                if other not in systems:
                    systems[other] = None
                    todo += [each for each in visitors[other] if each not in golds]
                    golds.update(dict.fromkeys(visitors[other]))
        done.update(golds)
        both = tuple(name for name in ours if name in golds), tuple(name for name in theirs if name in systems)
        groups.append(Group(_change(*both, shared, (ours, theirs)), *both))
    return groups + [Group("spurious", (), (name,)) for name in theirs if name not in visitors]


def members_of_groups(items: Sequence[Item], ignored: Iterable[int] = ()) -> dict[str, list[int]]:
    """The groups of items and the numbers of their members, but for those that are ignored.

    >>> members_of_groups([Item(id="a", group=("g",)), Item(id="b"), Item(id="c", group=("g", "h"))])
    {'g': [0, 2], 'h': [2]}
    """
    groups: dict[str, list[int]] = {}
    left_out = frozenset(ignored)
    for number, item in enumerate(items):
        for name in item.group if number not in left_out else ():
            groups.setdefault(name, []).append(number)
    return groups


def _change(
    gold: Sequence[str],
    system: Sequence[str],
    shared: Mapping[str, Mapping[str, int]],
    members: tuple[Mapping[str, Sequence[int]], Mapping[str, Sequence[int]]],
) -> Change:
    if not system:
        return "missed"
    if len(gold) > 1:
        return "merged" if len(system) == 1 else "mixed"
    if len(system) > 1:
        return "split"
    same = shared[gold[0]][system[0]] == len(members[0][gold[0]]) == len(members[1][system[0]])
    return "same" if same else "changed"


# ---------------------------------------------------------------------------------------------------------------------
# Saved with a result: the gold items of a document once, whatever the number of systems


class GoldDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A document with its gold items, and its text."""

    id: str
    text: str | None = None
    items: tuple[Item, ...] = ()
    groups: str = ""


class SystemDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The items that a system has in a document, and their outcomes.

    `missing` if it has no such document, `unread` why its answer could not be read.
    """

    items: tuple[Item, ...] = ()
    matchings: tuple[Matching, ...] = ()
    missing: bool = False
    unread: str = ""

    def aligned(self, gold: GoldDocument) -> Alignment:
        """The alignment of this document."""
        return Alignment(
            gold=gold.items,
            system=self.items,
            matchings=self.matchings,
            text=gold.text,
            groups=gold.groups,
            missing=self.missing,
            unread=self.unread,
        )


def saved_document(name: str, alignments: Sequence[Alignment]) -> tuple[GoldDocument, list[SystemDocument]]:
    """One document with its outcome in every system; gold items are merged by their ids."""
    numbers: dict[str, int] = {}
    items: list[Item] = []
    systems = []
    for each in alignments:
        own = []
        for item in each.gold:
            if item.id not in numbers:
                numbers[item.id] = len(items)
                items.append(item)
            own.append(numbers[item.id])
        moved = own != list(range(len(own)))
        matchings = tuple(_renumbered(one, own) for one in each.matchings) if moved else each.matchings
        own_side = SystemDocument(items=each.system, matchings=matchings, missing=each.missing, unread=each.unread)
        systems.append(own_side)
    text = next((each.text for each in alignments if each.text is not None), None)
    groups = next((each.groups for each in alignments if each.groups), "")
    return GoldDocument(id=name, text=text, items=tuple(items), groups=groups), systems


def _renumbered(matching: Matching, gold: Sequence[int]) -> Matching:
    return msgspec.structs.replace(
        matching,
        pairs=tuple(msgspec.structs.replace(each, gold=gold[each.gold]) for each in matching.pairs),
        missed=tuple(msgspec.structs.replace(each, item=gold[each.item]) for each in matching.missed),
        spurious=tuple(
            each if each.near is None else msgspec.structs.replace(each, near=gold[each.near])
            for each in matching.spurious
        ),
    )


def check_documents(documents: Sequence[GoldDocument], systems: Sequence[SystemDocument]) -> None:
    """Raise unless what is saved of a system is of these documents, and all numbers name an item.

    >>> check_documents([], [SystemDocument()])
    Traceback (most recent call last):
    adjudge.errors.FormatError: 1 document of the system, but there are 0 documents
    """
    if systems and len(systems) != len(documents):
        number = f"{len(systems)} document{'s' * (len(systems) > 1)}"
        raise FormatError(f"{number} of the system, but there are {len(documents)} documents")
    if len({each.id for each in documents}) < len(documents):
        raise FormatError("two of the documents have the same id")
    for gold, own in zip(documents, systems, strict=False):
        for each in own.matchings:
            ours = [
                *(pair.gold for pair in each.pairs),
                *(one.item for one in each.missed),
                *(one.near for one in (*each.spurious, *each.ignored) if one.near is not None),
            ]
            theirs = [
                *(pair.system for pair in each.pairs),
                *(one.item for one in (*each.spurious, *each.ignored)),
                *(one.near for one in each.missed if one.near is not None),
            ]
            if not (_within(ours, len(gold.items)) and _within(theirs, len(own.items))):
                raise FormatError(f"the alignment of the document {gold.id!r} names an item that does not exist")


def _within(numbers: Sequence[int], length: int) -> bool:
    return all(0 <= number < length for number in numbers)


def merge_documents(
    saved: Sequence[tuple[Sequence[GoldDocument], Mapping[str, Sequence[SystemDocument]]]],
) -> tuple[tuple[GoldDocument, ...], dict[str, tuple[SystemDocument, ...]]]:
    """The documents of several results as one, and those of all their systems in the same order.

    Results without documents add nothing. A document that one of them does not have is missing there.
    """
    names = list(dict.fromkeys(document.id for documents, _ in saved for document in documents))
    found: dict[str, dict[str, Alignment]] = {}
    alone: dict[str, GoldDocument] = {}
    for documents, systems in saved:
        for place, document in enumerate(documents):
            alone.setdefault(document.id, document)
            for name, own in systems.items():
                if own:
                    found.setdefault(name, {})[document.id] = own[place].aligned(document)
    gold: list[GoldDocument] = []
    merged: dict[str, list[SystemDocument]] = {name: [] for name in found}
    nothing = Alignment(missing=True)
    for identifier in names:
        document, own = saved_document(identifier, [each.get(identifier, nothing) for each in found.values()])
        gold.append(document if document.items or document.text is not None else alone[identifier])
        for name, one in zip(found, own, strict=True):
            merged[name].append(one)
    return tuple(gold), {name: tuple(each) for name, each in merged.items()}


# ---------------------------------------------------------------------------------------------------------------------
# Text


def in_text(tokens: Sequence[str]) -> tuple[str, Callable[[int, int], Place]]:
    """Tokens as a text, and the place in it of a span of tokens (first, end).

    >>> text, place = in_text(["Ann", "left", "Rome"])
    >>> text, place(1, 3)
    ('Ann left Rome', (4, 13))
    """
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token) + 1)

    def place(first: int, end: int) -> Place:
        first, end = max(first, 0), min(end, len(tokens))
        return (starts[first], starts[end] - 1) if first < end else (0, 0)

    return " ".join(tokens), place


def words(text: str | None, place: Sequence[Place], *, most: int = 80) -> str:
    """The words at some places of a text, cut if they are long.

    >>> words("Ann left Rome", [(0, 3), (9, 13)])
    'Ann … Rome'
    """
    if text is None:
        return ""
    said = " … ".join(text[begin:end] for begin, end in place)
    return said if len(said) <= most else said[: most - 1] + "…"
