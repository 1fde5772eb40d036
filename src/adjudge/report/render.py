"""A result in each of the layouts: text, json, csv, md, latex."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import msgspec

from adjudge.errors import UsageError, did_you_mean
from adjudge.report.tables import Table, csv_rows, escape_latex, escape_markdown, latex_table, markdown_table
from adjudge.stats.inference import ALPHA, is_significant

if TYPE_CHECKING:
    from adjudge.stats.result import Result
    from adjudge.stats.text import Cell, Grid

Format: TypeAlias = Literal["text", "json", "csv", "md", "latex"]
LINES = "\n"
Place: TypeAlias = tuple[object, ...]  # metric, slice, system, part
RANKED_BY = {"coref": "coref.conll", "nugget": "nugget.type+realis"}  # where it is not the first metric

_SCORE_FIELDS = (
    "system",
    "metric",
    "pool",
    "part",
    "slice",
    "value",
    "low",
    "high",
    "level",
    "interval",
    "scale",
    "numerator",
    "denominator",
    "optimal",
    "bound",
    "profile",
)
_COMPARISON_FIELDS = (
    "a",
    "b",
    "metric",
    "part",
    "slice",
    "difference",
    "low",
    "high",
    "p",
    "p_holm",
    "q",
    "test",
    "wins",
    "documents",
    "resamples",
    "profile",
    "family",
    "optimal",
)


def render(
    result: Result, format_: str = "text", *, quiet: bool = False, rows: str = "scores", pairs: bool = False
) -> str:
    """A result as text that ends with a newline.

    `quiet` leaves out everything but the numbers (text, md, latex). `rows` is what CSV has a row for: `scores` or
    `comparisons`. More than two systems are ranked rather than compared, unless `pairs` is set.
    """
    if format_ not in get_args(Format):
        hint = did_you_mean(format_, get_args(Format)) or f"formats are {', '.join(get_args(Format))}"
        raise UsageError(f"there is no format {format_!r}", hint=hint)
    match format_:
        case "json":
            return result.to_json() + "\n"
        case "csv":
            return _comparisons_csv(result) if rows == "comparisons" else _scores_csv(result)
        case "md":
            return _markdown(result, quiet=quiet, pairs=pairs)
        case "latex":
            return _latex(result, quiet=quiet, pairs=pairs)
        case _:
            from adjudge.stats.text import render_text

            return render_text(result, quiet=quiet, pairs=pairs) + "\n"


def _scores_csv(result: Result) -> str:
    rows = [
        {
            **msgspec.structs.asdict(score),
            "system": system.name,
            "slice": _slice(score.slice),
            "profile": result.profile,
        }
        for system in result.systems
        for score in system.scores
    ]
    return csv_rows([*rows, *_ranking_rows(result)], _SCORE_FIELDS)


def _ranking_rows(result: Result) -> list[dict[str, Any]]:
    """An official ranking in the form of scores: `median` and `rank` with ranges, `wins` and `ties` for each other."""
    pools = {score.metric: score.pool for system in result.systems for score in system.scores}
    level = result.options.level if result.options is not None else None
    rows: list[dict[str, Any]] = []
    for each in result.ranking:
        if each.median is None:
            continue
        own = {"metric": each.metric, "pool": pools.get(each.metric), "system": each.system, "profile": result.profile}
        low, high = each.ranks or (None, None)
        rows.append({**own, "part": "median", "value": each.median, "low": each.low, "high": each.high, "level": level})
        rows.append({**own, "part": "rank", "value": each.rank, "low": low, "high": high, "level": level})
        for part, shares in (("wins", each.wins), ("ties", each.ties)):
            rows += [{**own, "part": part, "slice": _slice({"over": o}), "value": share} for o, share in shares.items()]
    return rows


def _comparisons_csv(result: Result) -> str:
    unproven = {
        (system.name, score.metric, score.part, _slice(score.slice))
        for system in result.systems
        for score in system.scores
        if not score.optimal
    }
    rows = []
    for each in result.comparisons:
        where = _slice(each.slice)
        optimal = not any((name, each.metric, each.part, where) in unproven for name in (each.a, each.b))
        own = {"slice": where, "profile": result.profile, "optimal": optimal}
        rows.append({**msgspec.structs.asdict(each), **own})
    return csv_rows(rows, _COMPARISON_FIELDS)


def _markdown(result: Result, *, quiet: bool, pairs: bool) -> str:
    from adjudge.stats.text import (
        comparison_grid,
        elsewhere,
        field_grids,
        footer_fields,
        note_lines,
        official_grids,
        score_grid,
        shows_pairs,
        unread_lines,
    )

    blocks = _markdown_grids(official_grids(result, pairs=pairs))
    blocks.append(markdown_table(_table(score_grid(result, ranked=True, leave_out=elsewhere(result)))))
    blocks += (markdown_table(_table(grid)) for grid in field_grids(result))
    if shows_pairs(result, pairs=pairs):
        blocks.append(markdown_table(_table(comparison_grid(result))))
    if not quiet:
        blocks = ["\n".join(f"{escape_markdown(line)}." for line in unread_lines(result)), *blocks]
        blocks.append("\n".join(f"- {name}: {_code(value)}" for name, value in footer_fields(result)))
        blocks += ["\n".join(f"> note: {escape_markdown(line)}" for line in note_lines(result))]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _latex(result: Result, *, quiet: bool, pairs: bool) -> str:
    from adjudge.stats.text import note_lines, official_grids

    best, marks = _best(result), _marks(result) if pairs else {}
    table = _system_rows(result, best, marks) if len(result.systems) > 1 else _metric_rows(result)
    metrics = dict.fromkeys(score.metric for system in result.systems for score in system.scores)
    lines = [r"% needs \usepackage{booktabs}", f"% {escape_latex(', '.join(metrics))}"]
    lines += [r"\begin{table}", r"\centering", latex_table(table)]
    if not quiet:
        lines[4:4] = [rf"\caption{{{escape_latex(_caption(result))}}}"]
    tests = escape_latex(", ".join(dict.fromkeys(each.test for each in result.comparisons if each.test)))
    foot = []
    if best:
        foot.append(rf"Bold: better than every other system ({tests}, Holm-corrected $p < {ALPHA}$).")
    if marks:
        foot.append(
            rf"Superscripts name the systems that are significantly worse ({tests}, Holm-corrected $p < {ALPHA}$)."
        )
    if not quiet:
        breakable = escape_latex(result.signature).replace(r"\textbar{}", r"\textbar{}\allowbreak{}")
        foot.append(rf"Signature: \texttt{{{breakable}}}.")
        foot += [f"Note: {escape_latex(line)}." for line in note_lines(result)]
    if foot:
        lines += ["", r"\smallskip", r"{\footnotesize\raggedright", *(rf"{line}\par" for line in foot), "}"]
    lines.append(r"\end{table}")
    if official := official_grids(result, pairs=pairs):
        lines[2:2] = [_latex_grids(official), ""]
    return "\n".join(lines) + "\n"


def _metric_rows(result: Result) -> Table:
    """One system: a row per metric and slice, a column per part."""
    from adjudge.stats.text import score_grid

    grid = score_grid(result)
    rows = tuple(
        (*(escape_latex(str(cell)) for cell in row[: grid.labels]), *map(_number, row[grid.labels :]))
        for group in grid.groups
        for row in group
    )
    right = frozenset(range(grid.labels, len(grid.header)))
    return Table(tuple(map(escape_latex, grid.header)), rows, right)


def _system_rows(result: Result, best: Collection[Place], marks: Mapping[Place, str]) -> Table:
    """A row per system, the best first, for each slice: all parts of a single metric, else the headline of each."""
    from adjudge.stats.measure import count_keys
    from adjudge.stats.text import score_cell, slice_key, slice_text

    scores = {
        (score.metric, slice_key(score.slice), system.name, score.part): score
        for system in result.systems
        for score in system.scores
    }
    metrics = list(dict.fromkeys(metric for metric, *_ in scores))
    headlines = dict.fromkeys((each.metric, each.part) for each in result.ranking)
    every = list(dict.fromkeys((metric, part) for metric, _, _, part in scores))
    columns = every if len(metrics) == 1 else list(headlines) or every
    usual = next((key for key in headlines if key[0] == RANKED_BY.get(result.task)), next(iter(headlines), None))
    order = [each.system for each in result.ranking if (each.metric, each.part) == usual]
    names = order or [system.name for system in result.systems]
    places = {slice_key(s.slice): slice_text(s.slice) for system in result.systems for s in system.scores}
    places = dict(sorted(places.items(), key=lambda place: len(place[0]) > 0))
    counts, letters = count_keys(result.measures), _letters(result)
    rows = []
    for where, said in places.items():
        for name in names:
            cells = [escape_latex(said)] * (len(places) > 1) + [escape_latex(name)]
            cells[-1] += f"$^{{{letters[name]}}}$" if marks else ""
            for metric, part in columns:
                place = (metric, where, name, part)
                text = _number(score_cell(scores.get(place), counts), marks.get(place, ""), bold=place in best)
                cells.append(text)
            if any(cells[1 + (len(places) > 1) :]):
                rows.append(tuple(cells))
    families = {metric.partition(".")[0] for metric in metrics}
    shared = f"{families.pop()}." if len(families) == 1 else ""
    heads = [part if len(metrics) == 1 else metric.removeprefix(shared) for metric, part in columns]
    header = (*["slice"] * (len(places) > 1), "system", *heads)
    right = frozenset(range(1 + (len(places) > 1), len(header)))
    return Table(tuple(map(escape_latex, header)), tuple(rows), right)


def _number(cell: Cell, beaten: str = "", *, bold: bool = False) -> str:
    text = escape_latex(cell.head) + (f"$^{{{beaten}}}$" if beaten else "")
    text = rf"\textbf{{{text}}}" if bold else text
    return text + (rf" {{\scriptsize {escape_latex(cell.tail)}}}" if cell.tail else "")


def _best(result: Result) -> set[Place]:
    """The scores (metric, slice, system, part) that are significantly better than those of every other system."""
    from adjudge.stats.text import slice_key

    beaten: dict[Place, int] = {}
    for each in result.comparisons:
        if is_significant(each) and each.difference:
            better = each.a if each.difference > 0 else each.b
            place = (each.metric, slice_key(each.slice), better, each.part)
            beaten[place] = beaten.get(place, 0) + 1
    return {place for place, number in beaten.items() if number == len(result.systems) - 1}


def _caption(result: Result) -> str:
    """What the numbers are, for readers who have not read the text yet."""
    from adjudge.stats.text import units

    documents = max((system.documents for system in result.systems), default=0)
    levels = dict.fromkeys(s.level for system in result.systems for s in system.scores if s.level is not None)
    intervals = ", ".join(f"{100 * level:g} %" for level in levels)
    metrics = list(dict.fromkeys(score.metric for system in result.systems for score in system.scores))
    what = f"Scores of {metrics[0]}" if len(metrics) == 1 and len(result.systems) > 1 else "Scores"
    text = f"{what} in percent on {units(result, documents)}"
    return f"{text}, with {intervals} intervals in brackets." if intervals else f"{text}."


def _latex_grids(grids: Mapping[str, Grid]) -> str:
    blocks = []
    for title, grid in grids.items():
        table = _table(grid)
        rows = tuple(tuple(map(escape_latex, row)) for row in table.rows)
        tabular = latex_table(Table(tuple(map(escape_latex, table.columns)), rows, table.right))
        caption = rf"\caption{{{escape_latex(title)}}}"
        blocks.append("\n".join([r"\begin{table}", r"\centering", caption, tabular, r"\end{table}"]))
    return "\n\n".join(blocks)


def render_grids(grids: Mapping[str, Grid], format_: str = "text") -> str:
    """Tables by title as text, Markdown or LaTeX that ends with a newline."""
    from adjudge.stats.text import format_grid

    if format_ == "latex":
        return "\n\n".join([r"% needs \usepackage{booktabs}", _latex_grids(grids)]) + "\n"
    if format_ == "md":
        return "\n\n".join(_markdown_grids(grids)) + "\n"
    return "\n\n".join(f"{title}\n{format_grid(grid)}" for title, grid in grids.items()) + "\n"


def _markdown_grids(grids: Mapping[str, Grid]) -> list[str]:
    return [markdown_table(msgspec.structs.replace(_table(grid), title=title)) for title, grid in grids.items()]


def _letters(result: Result) -> dict[str, str]:
    """A letter for each system: a, b, ..., z, aa, ab, ..."""
    names = {}
    for number, system in enumerate(result.systems):
        letters, rest = "", number + 1
        while rest:
            rest, last = divmod(rest - 1, 26)
            letters = chr(ord("a") + last) + letters
        names[system.name] = letters
    return names


def _marks(result: Result) -> dict[Place, str]:
    """For each score (metric, slice, system, part) the letters of the systems that are significantly worse."""
    from adjudge.stats.text import slice_key

    letters = _letters(result)
    marks: dict[Place, list[str]] = {}
    for each in result.comparisons:
        if not is_significant(each) or each.difference is None:
            continue
        better, worse = (each.a, each.b) if each.difference > 0 else (each.b, each.a)
        key = (each.metric, slice_key(each.slice), better, each.part)
        marks.setdefault(key, []).append(letters[worse])
    return {key: ",".join(sorted(found)) for key, found in marks.items()}


def _table(grid: Grid) -> Table:
    rows = tuple(tuple(str(cell) for cell in row) for group in grid.groups for row in group)
    return Table(grid.header, rows, frozenset(range(grid.labels, len(grid.header))))


def _code(text: str) -> str:
    """Markdown code, fenced by more backticks than the text has."""
    fence = "`"
    while fence in text:
        fence += "`"
    return f"{fence}{text}{fence}" if fence == "`" else f"{fence} {text} {fence}"


def _slice(where: Mapping[str, Any]) -> str:
    """A slice in one cell: empty for the whole corpus, else JSON, which keeps a number apart from its text."""
    import json

    return json.dumps(where, ensure_ascii=False) if where else ""
