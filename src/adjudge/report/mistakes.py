"""The most frequent errors, as panels: outcomes, boundaries and labels, missed words, what two systems find.

All are counted from the alignments saved with a result, metric by metric.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from adjudge.report.overview import headline_keys, order_by
from adjudge.stats.alignment import Alignment, Item, Matching, Pair, Place, Single, compare_groups
from adjudge.stats.explanation import short
from adjudge.stats.panel import Cell, Panel
from adjudge.stats.result import Result
from adjudge.stats.text import clean

OUTCOMES = ("correct", "partial", "wrong", "missed", "spurious", "ignored")
"""What may become of an item, in this order everywhere on a page."""
KINDS = ("correct", "boundary", "label", "boundary and label", "another value", "missed", "spurious")
CHANGES = ("same", "changed", "split", "merged", "mixed", "missed", "spurious")
STRINGS = 25
LABELS = 24
_BY_TWO = ((True, True), (True, False), (False, True), (False, False))
_LENGTHS = ((1, "1 word"), (2, "2 words"), (3, "3 words"), (5, "4 or 5 words"), (10, "6 to 10 words"), (None, "longer"))
_TIMES = ((1, "once"), (2, "twice"), (5, "3 to 5 times"), (20, "6 to 20 times"), (None, "more often"))


class Tally(NamedTuple):
    """Outcomes of the items of one system by one metric, counted."""

    outcomes: Counter[str]
    kinds: Counter[str]
    confused: Counter[tuple[str, str]]
    missed: Counter[tuple[str, str]]
    spurious: Counter[tuple[str, str]]
    lengths: Counter[tuple[str, bool]]
    times: Counter[tuple[str, bool]]
    why: Counter[tuple[str, str]]
    changes: Counter[str]


def mistakes(result: Result) -> dict[str, list[Panel]]:
    """The panels of every metric; nothing if the result was saved without its documents."""
    found: dict[str, list[Panel]] = {}
    groups = next((each.groups for each in result.documents if each.groups), "")
    keys = headline_keys(result)
    order = order_by(result, keys[0]) if keys else range(len(result.systems))
    for metric in _metrics(result):
        often = _frequencies(result, metric)
        tallies = {result.systems[place].name: _tally(result, place, metric, often) for place in order}
        tallies = {name: each for name, each in tallies.items() if each.outcomes}
        if tallies:
            found[metric] = [*_found_by_two(result, order, metric), *_panels(tallies, often, groups)]
    return found


def _metrics(result: Result) -> list[str]:
    matchings = (one for system in result.systems for own in system.aligned for one in own.matchings)
    return list(dict.fromkeys(each.metric for each in matchings))


def alignments(result: Result, place: int) -> Iterator[Alignment]:
    """The outcome of every document of a system."""
    for gold, own in zip(result.documents, result.systems[place].aligned, strict=False):
        yield own.aligned(gold)


# ---------------------------------------------------------------------------------------------------------------------
# Counting


def _frequencies(result: Result, metric: str) -> Counter[tuple[str, str]]:
    """How often gold has an item with these words and this label, where any system was scored on it."""
    found: Counter[tuple[str, str]] = Counter()
    for at, document in enumerate(result.documents):
        asked: set[int] = set()
        for system in result.systems:
            for each in system.aligned[at].matchings if system.aligned else ():
                if each.metric == metric:
                    asked.update([pair.gold for pair in each.pairs])
                    asked.update([one.item for one in each.missed])
        found.update(_words(document.items[number]) for number in asked)
    return found


def _words(item: Item) -> tuple[str, str]:
    return " ".join(short(item).split()), item.label


def _tally(result: Result, place: int, metric: str, often: Counter[tuple[str, str]]) -> Tally:
    tally = Tally(*(Counter() for _ in Tally._fields))
    for alignment in alignments(result, place):
        for matching in alignment.matchings:
            if matching.metric == metric:
                _count(tally, alignment, matching, often)
    return tally


def _count(tally: Tally, found: Alignment, matching: Matching, often: Counter[tuple[str, str]]) -> None:
    gold, system = found.gold, found.system
    for pair in matching.pairs:
        one, other = gold[pair.gold], system[pair.system]
        tally.outcomes[pair.outcome] += 1
        right = pair.outcome == "correct"
        tally.kinds["correct" if right else _kind(one, other)] += 1
        if one.label or other.label:
            tally.confused[one.label, other.label] += 1
        _reach(tally, one, often, right or pair.outcome == "partial")
        if not right and _says(pair.why):
            tally.why[pair.outcome, pair.why] += 1
    used = set()
    for single in matching.missed:
        item = gold[single.item]
        tally.outcomes["missed"] += 1
        near = near_item(item, single, system)
        used |= {single.near} if near is not None else set()
        tally.kinds["missed" if near is None else _kind(item, near)] += 1
        if item.label:
            tally.confused[item.label, "" if near is None else near.label] += 1
        tally.missed[_words(item)] += 1
        _reach(tally, item, often, False)
        if _says(single.why):
            tally.why["missed", single.why] += 1
    for single in matching.spurious:
        item = system[single.item]
        tally.outcomes["spurious"] += 1
        tally.spurious[_words(item)] += 1
        if near_item(item, single, gold) is None and single.item not in used:
            tally.kinds["spurious"] += 1
            if item.label:
                tally.confused["", item.label] += 1
    for single in matching.ignored:
        tally.outcomes["ignored"] += 1
        if _says(single.why):
            tally.why["ignored", single.why] += 1
    if found.groups:
        tally.changes.update(each.change for each in compare_groups(found, matching))


def _says(why: str) -> bool:
    """Whether a reason can apply to many items: one with numbers in it applies to one."""
    return bool(why) and not any(letter.isdigit() for letter in why)


def near_item(item: Item, single: Single, others: Sequence[Item]) -> Item | None:
    """The nearest item of the other side, if it overlaps or one of them has no position."""
    if single.near is None:
        return None
    other = others[single.near]
    return other if not (item.place and other.place) or overlap(item.place, other.place) else None


def overlap(one: Sequence[Place], other: Sequence[Place]) -> bool:
    """Whether two places share a character.

    >>> overlap([(0, 3)], [(2, 5)]), overlap([(0, 3)], [(3, 5)])
    (True, False)
    """
    return any(begin < last and first < end for begin, end in one for first, last in other)


def _kind(gold: Item, system: Item) -> str:
    moved, named = gold.place != system.place, gold.label != system.label
    if not gold.place and not system.place:
        moved = False
    return "boundary and label" if moved and named else "boundary" if moved else "label" if named else "another value"


def _reach(tally: Tally, item: Item, often: Counter[tuple[str, str]], found: bool) -> None:
    """Whether an item was found, by how long it is, and how often gold has it."""
    words = _words(item)
    length = sum(word not in ("…", "←") for word in (item.text or short(item)).split())
    tally.lengths[_bucket(length or 1, _LENGTHS), found] += 1
    tally.times[_bucket(often[words], _TIMES), found] += 1


def _found(result: Result, place: int, metric: str) -> dict[tuple[int, int], bool]:
    """The gold items (document, item) that a system was scored on, and whether it found them, at least partly."""
    found: dict[tuple[int, int], bool] = {}
    for at, own in enumerate(result.systems[place].aligned):
        for matching in own.matchings:
            if matching.metric == metric:
                found.update({(at, one.item): False for one in matching.missed})
                for pair in matching.pairs:
                    found[at, pair.gold] = found.get((at, pair.gold), False) or pair.outcome != "wrong"
    return found


def _types_and_roles(items: Sequence[Item]) -> list[str]:
    """The labels of items; behind the type of its event, or of what else it is a part of, if an item has a role in it.

    >>> event = Item(id="e1", level="events", label="Meet")
    >>> _types_and_roles([event, Item(id="e1.0", level="arguments", label="Place", group=("e1",))])
    ['Meet', 'Meet Place']
    """
    known = {each.id: each for each in items}
    found = []
    for each in items:
        outer = [known[name].label for name in each.group if name in known and known[name].level != each.level]
        found.append(" ".join(label for label in (*outer, each.label) if label))
    return found


def _bucket(number: int, buckets: Sequence[tuple[int | None, str]]) -> str:
    return next(name for most, name in buckets if most is None or number <= most)


# ---------------------------------------------------------------------------------------------------------------------
# Panels


def _panels(tallies: dict[str, Tally], often: Counter[tuple[str, str]], groups: str) -> Iterator[Panel]:
    yield _table(
        "outcomes",
        "Outcomes of the items",
        "Correct, partly right and wrong items have a counterpart on the other side; ignored ones do not count.",
        OUTCOMES,
        {name: each.outcomes for name, each in tallies.items()},
    )
    kinds = {name: each.kinds for name, each in tallies.items()}
    if any(each[kind] for each in kinds.values() for kind in KINDS[1:5]):
        yield _table(
            "kinds",
            "Kinds of error",
            "Missed and spurious are items with nothing in their place. Where the words of both sides overlap, "
            "a boundary or a label is wrong, or both.",
            KINDS,
            kinds,
        )
    if groups and any(each.changes for each in tallies.values()):
        yield _table(
            "groups",
            f"Outcomes of the {groups}s",
            "Split and merged ones stand for several of the other side, mixed ones for several on both; changed ones "
            "have lost or gained members.",
            CHANGES,
            {name: each.changes for name, each in tallies.items()},
        )
    for buckets, name, title, caption in (
        (_LENGTHS, "lengths", "Gold items found, by length", "Share of the gold items that were found, in percent."),
        (_TIMES, "times", "Gold items found, by frequency in gold", "Words and label together; in percent."),
    ):
        counted = {system: getattr(each, name) for system, each in tallies.items()}
        used = [label for _, label in buckets if any(each[label, is_] for each in counted.values() for is_ in (0, 1))]
        if len(used) > 1:
            yield Panel(
                kind="matrix",
                name=name,
                title=title,
                caption=caption,
                header=("system", *used),
                rows=tuple(_shares(each, own, used) for each, own in counted.items()),
                percent=True,
            )
    for name, title in (("missed", "Missed most often"), ("spurious", "Spurious most often")):
        yield from _strings(name, title, {system: getattr(each, name) for system, each in tallies.items()}, often)
    for system, tally in tallies.items():
        yield from _confusions(system, tally.confused)
        if tally.why:
            given = tally.why.most_common(STRINGS)
            more = f"the first {STRINGS} of {len(tally.why)} reasons" if len(tally.why) > STRINGS else ""
            yield Panel(
                kind="table",
                name=f"why-{system}",
                title="Most frequent reasons",
                header=("outcome", "reason", "times"),
                rows=tuple((outcome, clean(why), count) for (outcome, why), count in given),
                system=system,
                most=more,
            )


def _found_by_two(result: Result, order: Sequence[int], metric: str) -> Iterator[Panel]:
    """What each system found beside the first, and the first beside the second."""
    first, *others = [at for at in order if result.systems[at].aligned] or [0]
    types = [_types_and_roles(document.items) for document in result.documents] if others else []
    known = _found(result, first, metric)
    for at in others:
        own = _found(result, at, metric)
        counted: dict[str, Counter[tuple[bool, bool]]] = {}
        for item in known.keys() & own.keys():
            document, number = item
            counted.setdefault(types[document][number], Counter())[own[item], known[item]] += 1
        if at == others[0] and counted:
            swapped = {label: Counter({(b, a): n for (a, b), n in each.items()}) for label, each in counted.items()}
            yield _beside(result, (first, at), swapped)
        if counted:
            yield _beside(result, (at, first), counted)


def _beside(result: Result, pair: tuple[int, int], counted: dict[str, Counter[tuple[bool, bool]]]) -> Panel:
    """The gold items that both systems, one of them or none found, by type and role; the most frequent first."""
    frequent = sorted(counted, key=lambda label: (-counted[label].total(), label))
    rest = frequent[LABELS:]
    rows = [(clean(label) or "no label", counted[label]) for label in frequent[:LABELS] if len(frequent) > 1]
    if rest:
        rows.append(("others", sum((counted[label] for label in rest), Counter())))
    rows.append(("all", sum(counted.values(), Counter())))
    own, other = (result.systems[at].name for at in pair)
    return Panel(
        kind="table",
        name=f"found-{own}",
        title=f"Gold items found by {clean(own)} and by {clean(other)}",
        caption="Found: with a counterpart that is correct or partly right. Only items that both were scored on.",
        header=("label", "both", f"only {clean(own)}", f"only {clean(other)}", "neither"),
        rows=tuple((label, *(each[outcome] for outcome in _BY_TWO)) for label, each in rows),
        system=own,
        most=f"{LABELS} of {len(frequent)} labels, the others together" if rest else "",
    )


def _table(name: str, title: str, caption: str, columns: Sequence[str], counted: dict[str, Counter[str]]) -> Panel:
    used = [each for each in columns if any(own[each] for own in counted.values())]
    rows = list[tuple[Cell, ...]]((clean(system), *(own[each] for each in used)) for system, own in counted.items())
    return Panel(kind="table", name=name, title=title, caption=caption, header=("system", *used), rows=tuple(rows))


def _shares(system: str, own: Counter[tuple[str, bool]], labels: Sequence[str]) -> tuple[Cell, ...]:
    """The share of items that were found, for each label: a row for a system."""
    whole = [own[label, True] + own[label, False] for label in labels]
    return (
        clean(system),
        *(own[label, True] / all_ if all_ else None for label, all_ in zip(labels, whole, strict=True)),
    )


def _strings(
    name: str, title: str, counted: dict[str, Counter[tuple[str, str]]], often: Counter[tuple[str, str]]
) -> Iterator[Panel]:
    """Words and labels that most systems miss, or invent, most often; a single case is not a pattern."""
    total: Counter[tuple[str, str]] = Counter()
    for own in counted.values():
        total.update(own)
    least = 2 if len(counted) == 1 else len(counted)
    found = [(words, count) for words, count in total.most_common(STRINGS) if count >= min(least, 3)]
    if not found:
        found = total.most_common(5)
    if not found:
        return
    labelled = any(label for (_, label), _ in found)
    each_ = list(counted) if 1 < len(counted) <= 6 else []
    header = (
        "words",
        *(["label"] * labelled),
        "times",
        *(["in gold"] * (name == "missed")),
        *(["systems"] if len(counted) > 1 else []),
        *(clean(system) for system in each_),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            clean(words[0]),
            *([clean(words[1])] * labelled),
            count,
            *([often[words]] * (name == "missed")),
            *([sum(words in own for own in counted.values())] if len(counted) > 1 else []),
            *(counted[system][words] for system in each_),
        )
        for words, count in found
    )
    caption = "Over all systems; click to search for the words in the documents." if len(counted) > 1 else ""
    yield Panel(
        kind="table",
        name=f"strings-{name}",
        title=title,
        caption=caption or "Click to search for the words in the documents.",
        header=header,
        rows=rows,
    )


def _confusions(system: str, confused: Counter[tuple[str, str]]) -> Iterator[Panel]:
    """Gold labels against system labels; only the most frequent if there are many."""
    if not any(one and other and one != other for one, other in confused):
        return
    sizes: Counter[str] = Counter()
    for (one, other), count in confused.items():
        for label in {one, other} - {""}:
            # What is confused comes first, then what is frequent.
            sizes[label] += count * (1000 if one and other and one != other else 1)
    labels = [label for label, _ in sizes.most_common(LABELS)]
    most = f"{LABELS} of {len(sizes)} labels, the others together" if len(sizes) > LABELS else ""
    names = sorted(labels) + ([""] if any("" in pair for pair in confused) else [])
    known = set(labels)
    cells: Counter[tuple[str, str]] = Counter()
    rest = "others"
    for (one, other), count in confused.items():
        cells[one if one in known or not one else rest, other if other in known or not other else rest] += count
    names = names[: len(labels)] + ([rest] if most else []) + names[len(labels) :]
    shown = {each: clean(each) or "nothing" for each in names}
    rows = tuple((shown[one], *(cells[one, other] or None for other in names)) for one in names)
    yield Panel(
        kind="matrix",
        name=f"labels-{system}",
        title="Labels: gold in rows, the system in columns",
        caption="The stronger the colour, the larger the share of the row; cells with a frame agree. "
        "Items without a counterpart are in the row and column of nothing.",
        header=("gold", *shown.values()),
        rows=rows,
        system=system,
        most=most,
    )


def outcome_counts(matching: Matching) -> list[int]:
    """The number of items with each of the `OUTCOMES`."""
    pairs = Counter(_outcome(pair) for pair in matching.pairs)
    return [
        *(pairs[outcome] for outcome in OUTCOMES[:3]),
        len(matching.missed),
        len(matching.spurious),
        len(matching.ignored),
    ]


def _outcome(pair: Pair) -> str:
    return pair.outcome if pair.outcome in OUTCOMES else "wrong"
