"""A result in each of the layouts: text, json, csv, md, latex."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import msgspec

from adjudge.errors import UsageError, did_you_mean
from adjudge.report.tables import Table, csv_rows, escape_latex, escape_markdown, latex_table, markdown_table
from adjudge.stats.inference import ALPHA, is_significant

if TYPE_CHECKING:
    from adjudge.stats.result import Leaderboard, Result
    from adjudge.stats.text import Grid

Format: TypeAlias = Literal["text", "json", "csv", "md", "latex"]
LINES = "\n"

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
)


def render(result: Result, format_: str = "text", *, quiet: bool = False, rows: str = "scores") -> str:
    """A result as text that ends with a newline.

    `quiet` leaves out everything but the numbers (text, md, latex). `rows` is what CSV has a row for: `scores` or
    `comparisons`.
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
            return _markdown(result, quiet=quiet)
        case "latex":
            return _latex(result, quiet=quiet)
        case _:
            return _text(result, quiet=quiet)


def _text(result: Result, *, quiet: bool) -> str:
    from adjudge.stats.text import comparison_grid, format_grid, render_leaderboard, score_grid

    if not quiet:
        return str(result) + "\n"
    grids = [score_grid(result)] + ([comparison_grid(result)] if result.comparisons else [])
    blocks = [] if result.ranking is None else [render_leaderboard(result.ranking)]
    return "\n\n".join([*blocks, *map(format_grid, grids)]) + "\n"


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
    if result.ranking is not None:
        rows += _ranking_rows(result, result.ranking)
    return csv_rows(rows, _SCORE_FIELDS)


def _ranking_rows(result: Result, board: Leaderboard) -> list[dict[str, Any]]:
    """The ranking in the form of scores: `median` and `rank` with their ranges, `wins` and `ties` for each other."""
    usual = {
        "metric": board.metric,
        "pool": next((s.pool for system in result.systems for s in system.scores if s.metric == board.metric), None),
        "profile": result.profile,
    }
    rows: list[dict[str, Any]] = []
    for each in board.standings:
        own = {**usual, "system": each.system}
        rows.append({**own, "part": "median", "value": each.median, "low": each.low, "high": each.high})
        rows.append({**own, "part": "rank", "value": each.rank, "low": each.ranks[0], "high": each.ranks[1]})
        for row in rows[-2:]:
            row["level"] = board.level
        for part, shares in (("wins", each.wins), ("ties", each.ties)):
            rows += [{**own, "part": part, "slice": _slice({"over": o}), "value": share} for o, share in shares.items()]
    return rows


def _comparisons_csv(result: Result) -> str:
    rows = [
        {**msgspec.structs.asdict(each), "slice": _slice(each.slice), "profile": result.profile}
        for each in result.comparisons
    ]
    return csv_rows(rows, _COMPARISON_FIELDS)


def _markdown(result: Result, *, quiet: bool) -> str:
    from adjudge.stats.text import comparison_grid, footer_fields, leaderboard_grids, note_lines, score_grid

    blocks = [] if result.ranking is None else _markdown_grids(leaderboard_grids(result.ranking))
    blocks.append(markdown_table(_table(score_grid(result))))
    if result.comparisons:
        blocks.append(markdown_table(_table(comparison_grid(result))))
    if not quiet:
        blocks.append("\n".join(f"- {name}: {_code(value)}" for name, value in footer_fields(result)))
        blocks += ["\n".join(f"> note: {escape_markdown(line)}" for line in note_lines(result))]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _latex(result: Result, *, quiet: bool) -> str:
    from adjudge.stats.text import leaderboard_grids, note_lines, score_grid

    grid = score_grid(result)
    parts = dict.fromkeys(score.part for system in result.systems for score in system.scores)
    marks, letters = _marks(result), _letters(result)
    lettered = bool(marks) and len(letters) > 1
    best = _best_heads(result, grid, tuple(parts))
    rows = []
    for group, keys in zip(grid.groups, grid.keys, strict=True):
        for row, key in zip(group, keys, strict=True):
            cells = [escape_latex(str(cell)) for cell in row[: grid.labels]]
            if lettered:
                cells[-1] += f"$^{{{letters[key[2]]}}}$"
            for cell, part in zip(row[grid.labels :], parts, strict=True):
                beaten = marks.get((*key, part), "")
                text = escape_latex(cell.head) + (f"$^{{{beaten}}}$" if beaten else "")
                if cell.head and best.get((key[0], key[1], part)) == cell.head:
                    text = rf"\textbf{{{text}}}"
                cells.append(text + (rf" {{\scriptsize {escape_latex(cell.tail)}}}" if cell.tail else ""))
            rows.append(tuple(cells))
    right = frozenset(range(grid.labels, len(grid.header)))
    table = latex_table(Table(tuple(escape_latex(name) for name in grid.header), tuple(rows), right))
    lines = [r"% needs \usepackage{booktabs}", r"\begin{table}", r"\centering", table]
    if not quiet:
        lines[3:3] = [rf"\caption{{{escape_latex(_caption(result))}}}"]
    foot = []
    if best:
        foot.append("The best of each score is in bold.")
    if marks:
        tests = ", ".join(dict.fromkeys(each.test for each in result.comparisons if each.test))
        foot.append(
            rf"Superscripts name the systems that are significantly worse ({escape_latex(tests)}, "
            rf"Holm-corrected $p < {ALPHA}$)."
        )
    if not quiet:
        breakable = escape_latex(result.signature).replace(r"\textbar{}", r"\textbar{}\allowbreak{}")
        foot.append(rf"Signature: \texttt{{{breakable}}}.")
        foot += [f"Note: {escape_latex(line)}." for line in note_lines(result)]
    if foot:
        lines += ["", r"\smallskip", r"{\footnotesize\raggedright", *(rf"{line}\par" for line in foot), "}"]
    lines.append(r"\end{table}")
    if result.ranking is not None:
        lines[1:1] = [_latex_grids(leaderboard_grids(result.ranking)), ""]
    return "\n".join(lines) + "\n"


def _best_heads(result: Result, grid: Grid, parts: tuple[str, ...]) -> dict[tuple[object, ...], str]:
    """For each score (metric, slice, part) what the best of several systems shows; counts have no best."""
    from adjudge.stats.measure import count_keys
    from adjudge.stats.text import is_count, slice_key

    if len(result.systems) < 2:
        return {}
    counts = count_keys(result.measures)
    values = {
        (score.metric, slice_key(score.slice), system.name, score.part): score.value
        for system in result.systems
        for score in system.scores
        if score.value is not None and not is_count(score, counts)
    }
    best: dict[tuple[object, ...], tuple[float, str]] = {}
    for row, (metric, where, system) in zip(
        (row for group in grid.groups for row in group), (key for keys in grid.keys for key in keys), strict=True
    ):
        for cell, part in zip(row[grid.labels :], parts, strict=True):
            value = values.get((metric, where, system, part))
            if value is not None and value > best.get((metric, where, part), (float("-inf"), ""))[0]:
                best[metric, where, part] = value, cell.head
    return {key: head for key, (_, head) in best.items()}


def _caption(result: Result) -> str:
    """What the numbers are, for who has not read the text yet."""
    from adjudge.stats.text import units

    documents = max((system.documents for system in result.systems), default=0)
    levels = dict.fromkeys(s.level for system in result.systems for s in system.scores if s.level is not None)
    intervals = ", ".join(f"{100 * level:g} %" for level in levels)
    text = f"Scores in percent on {units(result, documents)}"
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
    return [markdown_table(replace(_table(grid), title=title)) for title, grid in grids.items()]


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


def _marks(result: Result) -> dict[tuple[object, ...], str]:
    """For each score (metric, slice, system, part) the letters of the systems that are significantly worse."""
    from adjudge.stats.text import slice_key

    letters = _letters(result)
    marks: dict[tuple[object, ...], list[str]] = {}
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


def plain_value(value: Any) -> Any:
    """A value as JSON data: sets sorted by what they print as, anything unknown as what it prints as."""
    if isinstance(value, frozenset | set):
        return sorted((plain_value(each) for each in value), key=repr)
    if isinstance(value, Mapping):
        return {str(key): plain_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple) and not hasattr(value, "_asdict"):
        return [plain_value(each) for each in value]
    try:
        return msgspec.to_builtins(value, enc_hook=repr)
    except (TypeError, ValueError):
        return repr(value)
