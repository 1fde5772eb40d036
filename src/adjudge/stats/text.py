"""A result as plain text, and the grids of cells that all renderings share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias, cast

import msgspec

from adjudge.stats.measure import COUNT_PARTS, Key, Prf, count_keys
from adjudge.stats.result import Comparison, Note, Result, Score, Slice, Standing
from adjudge.stats.table import AttributeValue, value_key

if TYPE_CHECKING:
    from adjudge.stats.ranking import OfficialStanding, Ranking

SliceKey: TypeAlias = tuple[tuple[str, tuple[bool, AttributeValue]], ...]
RowKey: TypeAlias = tuple[str, SliceKey, str]  # metric, slice, system

_UNITS = {("kbp", "query"): "question"}  # by task and profile; documents otherwise
# A result printed without its measures does not say which parts are counts; these names always are.
_COUNTS = frozenset((*COUNT_PARTS, "count", "tp", "fp", "fn"))
_COMPARISONS_SHOWN = 50
_SCORES_SHOWN = 3
_POOLS = {
    "micro": "counts are added over documents, then divided",
    "macro": "scores of documents are averaged",
    "corpus": "the corpus is scored as a whole",
}


class Cell(msgspec.Struct, frozen=True):
    """A value and what follows it (an interval); values are aligned on their right, what follows on its left."""

    head: str
    tail: str = ""

    def __str__(self) -> str:
        return f"{self.head} {self.tail}".rstrip()


UNREAD, _MISSING = ("malformed-answer", "no-json"), "missing-document"
"""Codes of notes: answers that could not be read, and documents that a system does not have."""


class Grid(msgspec.Struct, frozen=True):
    """A table of cells; the first `labels` columns are words, the others numbers; groups are set apart.

    `keys` identifies each row by metric, slice and system.
    """

    header: tuple[str, ...]
    labels: int
    groups: tuple[tuple[tuple[Cell, ...], ...], ...]
    keys: tuple[tuple[RowKey, ...], ...] = ()


def render_text(result: Result, *, quiet: bool = False, pairs: bool = False) -> str:
    """The scores as a table of percentages, then profile and signature, comparisons, and notes; `quiet`: the tables.

    Several systems are ranked, the best first. Two are compared; more only with `pairs`.
    """
    blocks = [f"{title}\n{format_grid(grid)}" for title, grid in official_grids(result, pairs=pairs).items()]
    blocks.append(format_grid(score_grid(result, ranked=True, leave_out=elsewhere(result))))
    blocks += map(format_grid, field_grids(result))
    if not quiet:
        fields = footer_fields(result)
        width = max(len(name) for name, _ in fields)
        blocks.append("\n".join(f"{name:<{width}}  {value}" for name, value in fields))
    if shows_pairs(result, pairs=pairs):
        limit = None if pairs else _COMPARISONS_SHOWN
        left = 0 if limit is None else max(0, len(result.comparisons) - limit)
        more = f"\n... and {left} more comparisons, --pairs shows all" if left else ""
        blocks.append(format_grid(comparison_grid(result, limit=limit)) + more)
    if quiet:
        return "\n\n".join(blocks)
    notes = "\n".join(f"note: {line}" for line in note_lines(result))
    return "\n\n".join(block for block in ("\n".join(unread_lines(result)), *blocks, notes) if block)


def unread_lines(result: Result) -> list[str]:
    """How many answers of a system could not be read, shown above its scores."""
    found = []
    for system in result.systems:
        own = [note for note in system.notes if not note.message.startswith("gold: ")]
        unread = sum(note.count for note in own if note.code in UNREAD)
        if unread:
            of = f"{unread} of {system.documents - sum(note.count for note in system.notes if note.code == _MISSING)}"
            name = f"{clean(system.name)}: " if len(result.systems) > 1 else ""
            found.append(f"{name}{of} answers could not be read")
    return found


def shows_pairs(result: Result, *, pairs: bool) -> bool:
    """Whether comparisons are shown: all with `pairs`, else the only pair of systems."""
    return bool(result.comparisons) and (pairs or len(result.systems) <= 2)


def official_grids(result: Result, *, pairs: bool = False) -> dict[str, Grid]:
    """The tables of the official ranking of a result that has one; with `pairs`, or of two systems, who beats whom."""
    standings = tuple(each for each in result.ranking if each.median is not None)
    if not standings or (options := result.options) is None:
        return {}
    from adjudge.stats.ranking import Ranking

    how = (options.bootstrap, options.seed, options.draws, options.level)
    board = Ranking(standings[0].metric, standings[0].part, *how, cast("tuple[OfficialStanding, ...]", standings), {})
    return leaderboard_grids(board, pairs=pairs or len(standings) == 2)


def score_grid(result: Result, *, ranked: bool = False, leave_out: Callable[[Score], bool] | None = None) -> Grid:
    """One row per metric, slice and system; one column per part; some scores may be left out.

    If systems are to be `ranked`, those of each metric stand in the order of its ranking, with the range of their
    ranks; a ranking by one score is that of all metrics.
    """
    scores = [(system.name, score) for system in result.systems for score in system.scores]
    if leave_out is not None:
        scores = [each for each in scores if not leave_out(each[1])]
    metrics, parts = (list(dict.fromkeys(getattr(s, name) for _, s in scores)) for name in ("metric", "part"))
    places = list({slice_key(score.slice): score.slice for _, score in scores}.items())
    places.sort(key=lambda place: len(place[1]) > 0)  # the whole corpus first, then slices in their own order
    sliced, several = any(where for _, where in places), len(result.systems) > 1
    counts = count_keys(result.measures)
    found = {(name, s.metric, slice_key(s.slice), s.part): s for name, s in scores}
    standings = {(each.metric, each.system): each for each in result.ranking} if ranked else {}
    ranges = any(each.ranks for each in standings.values())
    groups, about = [], []
    for metric in metrics:
        rows, keys = [], []
        for key, where in places:
            for name in _in_order(result, metric) if ranked else [system.name for system in result.systems]:
                cells = [found.get((name, metric, key, part)) for part in parts]
                if not any(cells):
                    continue
                labels = [metric] + [slice_text(where)] * sliced + [name] * several
                numbers = [score_cell(cell, counts) for cell in cells]
                if ranges:
                    numbers.append(Cell("" if where else _ranks(standings.get((metric, name)))))
                rows.append((*(Cell(clean(label)) for label in labels), *numbers))
                keys.append((metric, key, name))
        own = [score for _, score in scores if score.metric == metric]
        # A metric that only counts mistakes is left out beside others if there are none.
        if len(metrics) == 1 or any(score.part != "count" or score.value != 0 for score in own):
            groups.append(tuple(rows))
            about.append(tuple(keys))
    header = ("metric", *["slice"] * sliced, *["system"] * several, *(clean(part) for part in parts))
    return Grid((*header, *["ranks"] * ranges), 1 + sliced + several, tuple(groups), tuple(about))


def _in_order(result: Result, metric: str) -> list[str]:
    """The systems in the order of the ranking by a metric, or of the only ranking, or as given."""
    given = [system.name for system in result.systems]
    of = {each.metric for each in result.ranking}
    wanted = metric if metric in of else next(iter(of)) if len(of) == 1 else ""
    order = [each.system for each in result.ranking if each.metric == wanted]
    return order if sorted(order) == sorted(given) else given


def _ranks(standing: Standing | None) -> str:
    """A range of ranks.

    >>> _ranks(Standing(metric="x", part="f1", system="A", rank=1, value=0.5, ranks=(1, 2)))
    '1-2'
    """
    if standing is None or standing.ranks is None:
        return ""
    first, last = standing.ranks
    return f"{first}" if first == last else f"{first}-{last}"


def score_cell(score: Score | None, counts: frozenset[Key] = frozenset()) -> Cell:
    """A score as a percentage with one decimal and its interval, a count as it is; an unproven one with its bound.

    >>> str(score_cell(Score(metric="x", pool="micro", part="f1", value=0.571, low=0.55, high=0.592, slice={})))
    '57.1 [55.0, 59.2]'
    >>> str(score_cell(Score(metric="x", pool="micro", part="f1", value=0.5, optimal=False, bound=0.6, slice={})))
    '50.0 (at most 60.0)'
    """
    if score is None:
        return Cell("")
    if score.value is None:
        return Cell("n/a")
    if is_count(score, counts):
        return Cell(f"{score.value:.0f}" if score.value == int(score.value) else f"{score.value:.2f}")
    tail = [] if score.low is None or score.high is None else [f"[{_percent(score.low)}, {_percent(score.high)}]"]
    if not score.optimal:
        tail.append("(not proven)" if score.bound is None else f"(at most {_percent(score.bound)})")
    return Cell(_percent(score.value), " ".join(tail))


def is_count(score: Score, counts: frozenset[Key]) -> bool:
    """Whether a score is a count and not a percentage."""
    return score.part in _COUNTS or (score.metric, score.part) in counts


def comparison_grid(result: Result, *, limit: int | None = None) -> Grid:
    """One row per comparison, the difference in percentage points."""
    shown = result.comparisons[:limit]
    sliced = any(c.slice for c in shown)
    tested = any(c.p is not None for c in shown)
    groups: dict[tuple[str, str], list[tuple[Cell, ...]]] = {}
    for c in shown:
        labels = [f"{c.metric} {c.part}"] + [slice_text(c.slice)] * sliced + [f"{c.a} - {c.b}"]
        numbers = [_difference(c)] + [
            _probability(c.p),
            _probability(c.p_holm),
            _probability(c.q),
            _share(c.wins),
        ] * tested
        groups.setdefault((c.metric, c.part), []).append((*(Cell(clean(label)) for label in labels), *numbers))
    test = ", ".join(dict.fromkeys(c.test for c in shown if c.test))
    header = ("comparison", *["slice"] * sliced, "systems", "difference", *["p", "p (Holm)", "q", "wins"] * tested)
    if tested and test:
        header = (f"comparison ({test})", *header[1:])
    return Grid(header, 2 + sliced, tuple(tuple(rows) for rows in groups.values()))


def leaderboard_grids(board: Ranking, *, pairs: bool = False) -> dict[str, Grid]:
    """An official ranking, and who beats whom: the share of corpora in which the row is above the column; by title.

    Ties, if there are any, follow after a plus sign.
    """
    places, beats = [], []
    several = any(share for each in board.standings for share in each.ties.values())
    for each in board.standings:
        labels = Cell(f"{each.rank}"), Cell(clean(each.system))
        median = Cell(_percent(each.median), f"[{_percent(each.low)}, {_percent(each.high)}]")
        places.append((*labels, median, Cell(_percent(each.value)), Cell(_ranks(each))))
        cells = []
        for other in board.standings:
            if other.system == each.system:
                cells.append(Cell("-"))
                continue
            tie = each.ties[other.system]
            cells.append(Cell(_percent(each.wins[other.system]), f"+{_percent(tie)}" if several and tie else ""))
        beats.append((*labels, *cells))
    median_of = f"median of {board.metric} {board.part}"
    header = ("rank", "system", median_of, "all documents", f"ranks ({100 * board.level:g} %)")
    names = tuple(clean(each.system) for each in board.standings)
    title = f"ranking by the median over {board.resamples} corpora (seed {board.seed}, {board.draws})"
    share = "share of corpora (%) in which the row is above the column" + (", + level with it" if several else "")
    found = {title: Grid(header, 2, (tuple(places),))}
    return found | ({share: Grid(("rank", "system", *names), 2, (tuple(beats),))} if pairs else {})


def render_leaderboard(board: Ranking) -> str:
    """An official ranking as text, with who beats whom."""
    grids = leaderboard_grids(board, pairs=True)
    return "\n\n".join(f"{title}\n{format_grid(grid)}" for title, grid in grids.items())


def note_lines(result: Result) -> list[str]:
    """The notes as sentences, with the name of the system if there are several.

    Those on inconsistent offsets, with which scores are meaningless, come first.
    """
    notes = [(note, "") for note in result.notes]
    for system in result.systems:
        name = f"{system.name}: " if len(result.systems) > 1 else ""
        notes += [(note, name) for note in system.notes]
    return [note_line(*each) for each in sorted(notes, key=lambda each: each[0].code != "off-by-one")]


def note_line(note: Note, name: str = "") -> str:
    """A note as a sentence, with some of the places where it happened."""
    more = ", ..." if 0 < len(note.examples) < note.count else ""
    examples = f" ({', '.join(note.examples)}{more})" if note.examples else ""
    return clean(f"{name}{note.message}{examples}")


def footer_fields(result: Result) -> list[tuple[str, str]]:
    """The lines below the scores: systems, profile, pooling, interval, signature."""
    scores = [score for system in result.systems for score in system.scores]
    ways: dict[float, dict[str, None]] = {}
    for each in scores:
        if each.level:
            how = ", ".join(way for way in (each.interval, each.scale) if way)
            ways.setdefault(each.level, {}).update({how: None} if how else {})
    levels = [f"{100 * level:g} %" + f" ({'; '.join(how)})" * bool(how) for level, how in ways.items()]
    pools = dict.fromkeys(score.pool for score in scores)
    systems = [f"{s.name} ({units(result, s.documents)})" for s in result.systems]
    fields = [("systems" if len(systems) != 1 else "system", ", ".join(systems)), ("profile", result.profile)]
    fields += [("pool", f"{pool}: {_POOLS[pool]}" if pool in _POOLS else pool) for pool in pools]
    fields += [("interval", level) for level in levels]
    if (options := result.options) is not None and any(each.ranks for each in result.ranking):
        held = f"all true ranks are in their ranges at once with {100 * options.level:g} % confidence"
        fields.append(("ranks", held + "; --pairs compares all pairs" * (len(systems) > 2)))
    if (shown := detectable_text(result)) is not None:
        fields.append(("detects", shown))
    fields.append(("signature", result.signature))
    return [(name, clean(value)) for name, value in fields]


def detectable_text(result: Result) -> str | None:
    """Which differences these documents cannot tell from chance, by score."""
    largest: dict[tuple[str, str], float] = {}
    for each in result.comparisons:
        if each.detectable is not None and not each.slice:
            key = each.metric, each.part
            largest[key] = max(largest.get(key, 0.0), each.detectable)
    if not largest:
        return None
    shown = [f"{100 * value:.1f} points of {metric} {part}" for (metric, part), value in largest.items()][
        :_SCORES_SHOWN
    ]
    more = ", ..." if len(largest) > len(shown) else ""
    number = result.options.clusters if result.options is not None else None
    what = f"{number} clusters" if number else units(result, result.comparisons[0].documents or 0)
    return f"with {what}, differences below {', '.join(shown)}{more} cannot be distinguished from chance (power 80 %)"


def units(result: Result, number: int) -> str:
    """A number of documents, or of whatever the rows of the tables are."""
    unit = _UNITS.get((result.task, result.profile), "document")
    return f"{number} {unit}{'s' * (number != 1)}"


def format_grid(grid: Grid) -> str:
    """The grid as lines of aligned text.

    >>> print(format_grid(Grid(("metric", "f1"), 1, (((Cell("set.f1"), Cell("7.1", "[5.0, 9.2]")),),))))
    metric  f1
    set.f1  7.1 [5.0, 9.2]
    """
    rows = [row for group in grid.groups for row in group]
    columns = range(len(grid.header))
    heads = [max((_width(row[c].head) for row in rows), default=0) if c >= grid.labels else 0 for c in columns]
    texts = [[" " * (heads[c] - _width(row[c].head)) + str(row[c]) for c in columns] for row in rows]
    widths = [max([_width(grid.header[c]), *(_width(text[c]) for text in texts)]) for c in columns]
    lines = [
        "  ".join(text + " " * (width - _width(text)) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in (grid.header, *texts)
    ]
    # Groups of several rows are set apart by an empty line, single rows are not.
    if any(len(group) > 1 for group in grid.groups):
        ends = list(accumulate(len(group) for group in grid.groups))
        for end in reversed(ends[:-1]):
            lines.insert(1 + end, "")
    return "\n".join(lines)


def slice_text(where: Slice) -> str:
    """A slice in words; texts that look like other values are quoted.

    >>> slice_text({}), slice_text({"genre": "nw"}), slice_text({"k": 1}), slice_text({"k": "1"})
    ('all', 'genre=nw', 'k=1', 'k="1"')
    """
    return ", ".join(f"{name}={_value_text(value)}" for name, value in where.items()) or "all"


_LOOKS_LIKE = r"|true|false|null|none|nan|all|[-+]?(inf|infinity|[\d.][\d._]*(e[-+]?\d*)?)"  # compiled when needed


def _value_text(value: AttributeValue) -> str:
    if isinstance(value, str) and not re.fullmatch(_LOOKS_LIKE, value.strip(), re.IGNORECASE) and value[0] != '"':
        return value
    import json

    return json.dumps(value, ensure_ascii=False)


def slice_key(where: Slice) -> SliceKey:
    """A key that distinguishes slices."""
    return tuple((name, value_key(value)) for name, value in where.items())


def clean(text: str) -> str:
    """Text on one line, with characters that a terminal would not print replaced by question marks.

    >>> clean("A" + chr(27) + "[31m")
    'A?[31m'
    """
    return "".join(c if c.isprintable() else "?" for c in text)


def _percent(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:z.1f}"


def _difference(c: Comparison) -> Cell:
    if c.difference is None:
        return Cell("n/a")
    tail = "" if c.low is None or c.high is None else f"[{_percent(c.low)}, {_percent(c.high)}]"
    return Cell(f"{100 * c.difference:+z.1f}", tail)


def _probability(p: float | None) -> Cell:
    return Cell("") if p is None else Cell(f"{p:.4f}" if p >= 0.00005 else "<0.0001")


def _share(share: float | None) -> Cell:
    return Cell("") if share is None else Cell(f"{100 * share:.1f} %")


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


FIELD = "field"
COUNTS = ("correct", "wrong", "omitted", "hallucinated")
_HIDDEN = (*COUNTS, "absent")


def counted_leaves(result: Result) -> frozenset[str]:
    """The metrics that count leaves: they have precision, recall, and a number for each outcome."""
    found = {(score.metric, score.part) for system in result.systems for score in system.scores}
    ratios = {measure.name for measure in result.measures if isinstance(measure, Prf)}
    return frozenset(name for name in ratios if all((name, part) in found for part in _HIDDEN))


def elsewhere(result: Result) -> Callable[[Score], bool]:
    """Whether a score stands in the table of fields and not in that of scores."""
    counted = counted_leaves(result)
    return lambda score: score.metric in counted and (score.part in _HIDDEN or tuple(score.slice) == (FIELD,))


def field_grids(result: Result) -> list[Grid]:
    """For each metric that counts leaves, a row per field and system; none unless it was sliced by field."""
    return [grid for name in sorted(counted_leaves(result)) if (grid := _grid(result, name)) is not None]


def _grid(result: Result, metric: str) -> Grid | None:
    rows: dict[str, dict[str, dict[str, Score]]] = {}
    for system in result.systems:
        for score in system.scores:
            if score.metric == metric and tuple(score.slice) == (FIELD,):
                own = rows.setdefault(str(score.slice[FIELD]), {}).setdefault(system.name, {})
                own[score.part] = score
    if not rows:
        return None
    several = len(result.systems) > 1
    ratios = [part for part in next(iter(next(iter(rows.values())).values())) if part not in _HIDDEN]

    def worst(field: str) -> tuple[float, str]:
        return min(each[ratios[-1]].value or 0.0 for each in rows[field].values()), field

    cells = []
    for field in sorted(rows, key=worst):
        for name, own in rows[field].items():
            gold = sum(own[part].value or 0.0 for part in COUNTS[:3])
            labels = [field, *([name] if several else [])]
            counts = [f"{round(gold)}", *(f"{own[part].value or 0.0:.6g}" for part in COUNTS)]
            numbers = [*map(Cell, counts), *(score_cell(own[part]) for part in ratios)]
            cells.append((*(Cell(clean(label)) for label in labels), *numbers))
    header = ("field", *["system"] * several, "gold", *COUNTS, *ratios)
    return Grid(header, 1 + several, (tuple(cells),))
