"""The first view of a page: a headline in words, systems as rows, differences as a matrix, and slices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from adjudge.report.plane import around, nice_ticks
from adjudge.stats.measure import count_keys
from adjudge.stats.text import Cell, Grid, clean, is_count, note_lines, score_cell, slice_text, units, unread_lines

if TYPE_CHECKING:
    from adjudge.stats.measure import Key
    from adjudge.stats.result import Comparison, Result, Score

MATRICES = 6000
"""Cells of matrices of differences on a page; those of the first metric are always there."""
CAREFUL = 4
"""Notes below the headline; all of them are at the end of the page."""
_STEPS = (0.5, 2, 5)  # points of difference from which on a cell is stronger


Sentence: TypeAlias = "tuple[tuple[str, bool], ...]"  # words, and whether they are strong


class Headline(NamedTuple):
    """Who is first, in words, and the first notes; `more` counts the others."""

    sentences: tuple[Sentence, ...]
    careful: tuple[str, ...]
    more: int


class Ranked(NamedTuple):
    """A system in a ranking; `drawn` has its value and interval as places between 0 and 100, `level` says whether it
    cannot be distinguished from the first."""

    rank: str
    system: str
    number: int
    value: str
    interval: str
    drawn: tuple[float, float | None, float | None] | None
    level: bool


class Ranking(NamedTuple):
    """All systems by one score, the best first; `band` is the interval of the first, `ticks` are places and labels.

    `shares` say how often each system has each rank over the resampled corpora.
    """

    title: str
    rows: tuple[Ranked, ...]
    ticks: tuple[tuple[float, str], ...]
    band: tuple[float, float] | None
    ranks: str
    shares: Grid | None


class Difference(NamedTuple):
    """A cell of a matrix: points, how strong (from -3 to 3), whether it is beyond chance, and all that is known."""

    text: str
    strength: int
    beyond: bool
    said: str


class Matrix(NamedTuple):
    """The row minus the column, by one score; systems are in the order of the ranking."""

    title: str
    systems: tuple[tuple[str, int], ...]
    rows: tuple[tuple[Difference | None, ...], ...]
    tested: bool


class SliceTable(NamedTuple):
    """The scores of one metric on the slices by one field; `rows` begin with a system or a slice."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str, int], ...]], ...]


def headline_keys(result: Result) -> list[Key]:
    """The score of each metric by which systems are compared, beginning with the one that ranks them."""
    counts = count_keys(result.measures)
    whole = [score for system in result.systems for score in system.scores if not score.slice]
    last = {score.metric: score.part for score in whole if not is_count(score, counts)}
    keys = list(last.items())
    first: Key | None = None
    if official := next((each for each in result.ranking if each.median is not None), None):
        first = official.metric, official.part
    elif result.measures and keys:
        from adjudge.stats.ranking import ranking_key

        first = ranking_key(result)
    return [first, *(key for key in keys if key[0] != first[0])] if first and first[0] in last else keys


# ---------------------------------------------------------------------------------------------------------------------
# Ranking


def scores_by(result: Result, key: Key) -> dict[int, Score]:
    """The score of every system that has it, by the number of the system."""
    return {
        place: score
        for place, system in enumerate(result.systems)
        for score in system.scores
        if (score.metric, score.part) == key and not score.slice
    }


def order_by(result: Result, key: Key) -> list[int]:
    """The numbers of the systems, the best first: as the ranking says, or by the value if there is none."""
    places = {each.system: place for place, each in enumerate(result.ranking) if (each.metric, each.part) == key}
    found = scores_by(result, key)

    def height(at: int) -> tuple[int, float]:
        value = found[at].value if at in found else None
        return places.get(result.systems[at].name, len(result.ranking)), 1e9 if value is None else -value

    return sorted(range(len(result.systems)), key=height)


def rankings(result: Result) -> Iterator[Ranking]:
    """The systems by every metric, with intervals on a common scale and the range of their ranks."""
    for key in headline_keys(result):
        found = scores_by(result, key)
        order = order_by(result, key)
        ends = [end for each in found.values() for end in (each.value, each.low, each.high) if end is not None]
        bounded = all(0 <= end <= 1 for end in ends)
        low, high = around(ends, floor=0.0 if bounded else None, ceiling=1.0 if bounded else None)
        scale = _Scale(low, high)
        ranges = {each.system: each.ranks for each in result.ranking if (each.metric, each.part) == key and each.ranks}
        level_with = set(_level_with_first(result, key, order))
        rows = []
        for place, at in enumerate(order):
            score = found.get(at)
            cell = score_cell(score)
            first, last = ranges.get(result.systems[at].name, (0, 0))
            rank = f"{place + 1}" if not first else f"{first}" if first == last else f"{first}–{last}"
            drawn = None
            if score is not None and score.value is not None:
                drawn = scale(score.value), scale.maybe(score.low), scale.maybe(score.high)
            name = clean(result.systems[at].name)
            rows.append(Ranked(rank, name, at, cell.head or "–", cell.tail, drawn, at in level_with))
        ticks = tuple((scale(tick / 100), f"{tick:g}") for tick in nice_ticks(100 * low, 100 * high, about=4))
        best = found.get(order[0]) if order else None
        band = None
        if len(order) > 1 and best is not None and best.low is not None and best.high is not None:
            band = scale(best.low), scale(best.high)
        level = 0.95 if result.options is None else result.options.level
        ranks = f"All true ranks are in these ranges at once, with {100 * level:g} % confidence." if ranges else ""
        yield Ranking(clean(" ".join(key)), tuple(rows), ticks, band, ranks, _rank_shares(result, key))


def _rank_shares(result: Result, key: Key) -> Grid | None:
    """How often each system has each rank, in percent; None if nothing was resampled."""
    found = [each for each in result.ranking if (each.metric, each.part) == key and each.rank_shares]
    rows = tuple(
        (Cell(clean(each.system)), Cell(", ".join(f"{rank}: {100 * share:.1f}" for rank, share in shares if share)))
        for each in found
        for shares in [sorted(each.rank_shares.items())]
    )
    return Grid(("system", "rank: share of the resampled corpora in percent"), 2, (rows,)) if rows else None


class _Scale(NamedTuple):
    low: float
    high: float

    def __call__(self, value: float) -> float:
        return round(min(max(100 * (value - self.low) / ((self.high - self.low) or 1), 0.0), 100.0), 2)

    def maybe(self, value: float | None) -> float | None:
        return None if value is None else self(value)


def _compared(result: Result, key: Key) -> dict[tuple[str, str], Comparison]:
    whole = (each for each in result.comparisons if (each.metric, each.part) == key and not each.slice)
    return {(each.a, each.b): each for each in whole}


def _beyond(result: Result, comparison: Comparison | None) -> bool | None:
    """Whether a difference is beyond chance; None if it was not tested."""
    if comparison is None:
        return None
    p = comparison.p if comparison.p_holm is None else comparison.p_holm
    level = 0.95 if result.options is None else result.options.level
    return None if p is None else p < 1 - level + 1e-12


def _between(found: dict[tuple[str, str], Comparison], one: str, other: str) -> Comparison | None:
    return found.get((one, other)) or found.get((other, one))


def _level_with_first(result: Result, key: Key, order: Sequence[int]) -> Iterator[int]:
    found = _compared(result, key)
    for at in order[1:]:
        names = result.systems[order[0]].name, result.systems[at].name
        if _beyond(result, _between(found, *names)) is False:
            yield at


def headline(result: Result) -> Headline:
    """Who is first, by how much, whether that is beyond chance, how many documents, and what to be careful about."""
    notes = note_lines(result)
    keys = headline_keys(result)
    if keys and len(result.systems) > 1:
        sentences = _first(result, keys[0])
    elif keys:
        documents = units(result, result.systems[0].documents)
        told = [(clean(" ".join(key)), str(score_cell(scores_by(result, key).get(0)))) for key in keys[:4]]
        name, value = told[0]
        said = f" has {_one(name)} of ", f" on {documents}."
        sentences = [((clean(result.systems[0].name), True), (said[0], False), (value, True), (said[1], False))]
        if len(told) > 1:
            others = ", ".join(f"{name} {value}" for name, value in told[1:])
            sentences.append(((f"Other scores: {others}.", False),))
    else:
        sentences = [((f"{len(result.systems)} systems without a score.", False),)]
    sentences += [((f"{line}.", False),) for line in unread_lines(result)]
    return Headline(tuple(sentences), tuple(notes[:CAREFUL]), len(notes[CAREFUL:]))


def _one(name: str) -> str:
    """A score with its article.

    >>> _one("amr.smatch f1"), _one("ner.strict f1")
    ('an amr.smatch f1', 'a ner.strict f1')
    """
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _first(result: Result, key: Key) -> list[Sentence]:
    """The first of several systems, how far it is from the second, and how many cannot be distinguished from it."""
    found, order = scores_by(result, key), order_by(result, key)
    names = [result.systems[at].name for at in order]
    best, second, last = (found.get(order[at]) for at in (0, 1, -1))
    name, value = clean(" ".join(key)), str(score_cell(best))
    who, next_ = (clean(each) for each in names[:2])
    comparison = _between(_compared(result, key), names[0], names[1])
    chance = f": {_chance(result, comparison)}." if comparison else "."
    ahead = None
    if best is not None and second is not None and best.value is not None and second.value is not None:
        ahead = 100 * (best.value - second.value)
    if ahead is not None and abs(ahead) < 0.05:
        both = ((who, True), (" and ", False), (next_, True))
        first: Sentence = (*both, (f" are first, both with {_one(name)} of ", False), (value, True), (chance, False))
    else:
        above = () if ahead is None else ((f", {ahead:.1f} points above ", False), (next_, True))
        first = ((who, True), (f" is first with {_one(name)} of ", False), (value, True), *above, (chance, False))
    sentences = [first]
    level = len(list(_level_with_first(result, key, order)))
    if level > 1:
        sentences.append(((f"{level} of the {len(order) - 1} other systems cannot be distinguished from it.", False),))
    span = f" from {score_cell(last).head} to {score_cell(best).head}" if last is not None else ""
    documents = units(result, max(system.documents for system in result.systems))
    return [*sentences, ((f"{len(order)} systems{span}, on {documents}.", False),)]


def _chance(result: Result, comparison: Comparison) -> str:
    beyond = _beyond(result, comparison)
    if beyond is None:
        return "whether that is more than chance was not tested"
    p = comparison.p if comparison.p_holm is None else comparison.p_holm
    said = "p < 0.0001" if p is not None and p < 0.00005 else f"p = {p:.2g}"
    corrected = ", corrected for all pairs" if comparison.p_holm is not None and len(result.systems) > 2 else ""
    if beyond:
        return f"beyond chance ({said}{corrected})"
    return f"that may be chance ({said}{corrected})"


# ---------------------------------------------------------------------------------------------------------------------
# Differences


def matrices(result: Result) -> Iterator[Matrix]:
    """For every metric the row minus the column; of many systems only those of the first metrics."""
    number = len(result.systems)
    if number < 2:
        return
    for at, key in enumerate(headline_keys(result)):
        found = _compared(result, key)
        if at and (at + 1) * number * number > MATRICES:
            return
        scores = scores_by(result, key)
        order = order_by(result, key)
        rows = []
        for one in order:
            row: list[Difference | None] = []
            for other in order:
                row.append(None if one == other else _difference(result, found, scores, (one, other)))
            rows.append(tuple(row))
        systems = tuple((clean(result.systems[one].name), one) for one in order)
        yield Matrix(clean(" ".join(key)), systems, tuple(rows), any(each.p is not None for each in found.values()))


def _difference(
    result: Result, found: dict[tuple[str, str], Comparison], scores: dict[int, Score], both: tuple[int, int]
) -> Difference | None:
    one, other = both
    a, b = result.systems[one].name, result.systems[other].name
    comparison = _between(found, a, b)
    sign = 1 if comparison is None or comparison.a == a else -1
    if comparison is not None:
        difference = comparison.difference
    elif one in scores and other in scores and None not in (scores[one].value, scores[other].value):
        difference = scores[one].value - scores[other].value  # type: ignore[operator]
    else:
        difference = None
    if difference is None:
        return None
    points = 100 * sign * difference
    said = f"{clean(a)} - {clean(b)}: {points:+z.1f}"
    if comparison is not None and comparison.low is not None and comparison.high is not None:
        low, high = sorted(100 * sign * end for end in (comparison.low, comparison.high))
        said += f" [{low:z.1f}, {high:z.1f}]"
    if comparison is not None and comparison.p is not None:
        said += f", p {comparison.p:.2g}" + (f", Holm {comparison.p_holm:.2g}" if comparison.p_holm is not None else "")
    strength = sum(abs(points) >= step for step in _STEPS)
    return Difference(f"{points:+z.1f}", strength if points > 0 else -strength, bool(_beyond(result, comparison)), said)


# ---------------------------------------------------------------------------------------------------------------------
# Slices


def slices(result: Result) -> Iterator[SliceTable]:
    """For every field and metric the scores of all systems; rows are systems or slices, whichever are more."""
    counts = count_keys(result.measures)
    keys = dict(headline_keys(result))
    tables: dict[tuple[tuple[str, ...], str], dict[str, dict[int, Score]]] = {}
    for place, system in enumerate(result.systems):
        for score in system.scores:
            if score.slice and keys.get(score.metric) == score.part:
                own = tables.setdefault((tuple(score.slice), score.metric), {})
                value = ", ".join(str(each) for each in score.slice.values()) or slice_text(score.slice)
                own.setdefault(value, {})[place] = score
    first = list(keys)
    for (fields, metric), found in sorted(tables.items(), key=lambda each: (each[0][0], first.index(each[0][1]))):
        order = order_by(result, (metric, keys[metric]))
        names = [clean(result.systems[at].name) for at in order]
        cells = {value: [_slice_cell(own.get(at), counts) for at in order] for value, own in found.items()}
        title = clean(f"{metric} {keys[metric]} by {', '.join(fields)}")
        if len(order) > len(found) and len(order) > 6:
            rows = tuple((name, tuple(own[place] for own in cells.values())) for place, name in enumerate(names))
            yield SliceTable(title, ("system", *map(clean, cells)), rows)
        else:
            yield SliceTable(
                title,
                (clean(", ".join(fields)), *names),
                tuple((clean(value), tuple(own)) for value, own in cells.items()),
            )


def _slice_cell(score: Score | None, counts: frozenset[Key]) -> tuple[str, str, int]:
    cell = score_cell(score, counts)
    value = None if score is None else score.value
    return cell.head or "–", cell.tail, 0 if value is None else min(max(int(10 * value), 0), 9)
