"""A table of strings in each of the layouts, with what each layout must escape."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from adjudge.errors import visible

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "…": r"\ldots{}",
}


class Table(msgspec.Struct, frozen=True):
    """A heading, column names, and rows of text; `right` are the columns that hold numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    title: str | None = None


def text_table(table: Table, *, indent: str = "") -> str:
    """Columns padded with spaces.

    >>> print(text_table(Table(("name", "n"), (("set.f1", "12"), ("b", "3")), frozenset({1}))))
    name     n
    set.f1  12
    b        3
    """
    cells = [[_one_line(cell) for cell in row] for row in (table.columns, *table.rows)]
    widths = [max(width(row[place]) for row in cells) for place in range(len(table.columns))]
    lines = []
    for row in cells:
        padded = [
            " " * (size - width(cell)) + cell if place in table.right else cell + " " * (size - width(cell))
            for place, (cell, size) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append((indent + "  ".join(padded)).rstrip())
    return "\n".join(([table.title] if table.title else []) + lines)


def markdown_table(table: Table) -> str:
    r"""A pipe table.

    >>> print(markdown_table(Table(("name", "n"), (("a|b", "12"),), frozenset({1}))))
    | name | n |
    | :--- | ---: |
    | a\|b | 12 |
    """
    rule = ["---:" if place in table.right else ":---" for place in range(len(table.columns))]
    rows = [[escape_markdown(cell) for cell in row] for row in (table.columns, *table.rows)]
    lines = ["| " + " | ".join(row) + " |" for row in (rows[0], rule, *rows[1:])]
    return "\n".join(([f"**{escape_markdown(table.title)}**", ""] if table.title else []) + lines)


def latex_table(table: Table) -> str:
    r"""A booktabs tabular; cells must already be LaTeX (see `escape_latex`).

    >>> print(latex_table(Table(("name", "n"), (("x", "12"),), frozenset({1}))))
    \begin{tabular}{lr}
    \toprule
    name & n \\
    \midrule
    x & 12 \\
    \bottomrule
    \end{tabular}
    """
    layout = "".join("r" if place in table.right else "l" for place in range(len(table.columns)))
    head, *body = [_protected(" & ".join(row)) + r" \\" for row in (table.columns, *table.rows)]
    return "\n".join(
        [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    )


def _protected(row: str) -> str:
    r"""A row that the `\\` before it cannot take for its star or optional argument."""
    return "{}" + row if row.lstrip().startswith(("[", "*")) else row


def csv_rows(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    r"""Comma separated values with a header; None is an empty cell.

    Text is kept on one line, and a text that a spreadsheet would run as a formula gets an apostrophe before it.

    >>> csv_rows([{"a": 1.5, "b": "x,y"}, {"a": None, "b": "z"}], ("a", "b"))
    'a,b\n1.5,"x,y"\n,z\n'
    """
    import csv  # here, not above: most tables are text

    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({key: _csv_cell(value) for key, value in row.items()} for row in rows)
    return stream.getvalue()


def _csv_cell(value: Any) -> Any:
    if isinstance(value, bool):
        import json

        return json.dumps(value)
    if not isinstance(value, str):
        return value
    text = "".join(visible(c) if unicodedata.category(c) != "Cf" else c for c in value)
    return f"'{text}" if text.lstrip().startswith(("=", "+", "-", "@")) else text


def render_listing(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], format_: str) -> str:
    """A simple list of things with the same fields, in any of the layouts.

    >>> print(render_listing([{"name": "set.f1", "about": "F1"}], ("name", "about"), "md"), end="")
    | name | about |
    | :--- | :--- |
    | set.f1 | F1 |
    """
    if format_ == "json":
        kept = [{column: row.get(column) for column in columns} for row in rows]
        import json

        return json.dumps(kept, indent=2, ensure_ascii=False) + "\n"
    if format_ == "csv":
        return csv_rows([{column: _plain(row.get(column)) for column in columns} for row in rows], columns)
    cells = tuple(tuple(_plain(row.get(column)) for column in columns) for row in rows)
    if format_ == "latex":
        escaped = tuple(tuple(escape_latex(cell) for cell in row) for row in cells)
        return latex_table(Table(tuple(escape_latex(column) for column in columns), escaped)) + "\n"
    table = Table(tuple(columns), cells)
    return (markdown_table(table) if format_ == "md" else text_table(table)) + "\n"


def escape_latex(text: str) -> str:
    r"""Text that LaTeX prints as it is.

    >>> print(escape_latex("100% of a_b"))
    100\% of a\_b
    """
    return "".join(_LATEX.get(character, character) for character in _one_line(text))


def escape_markdown(text: str) -> str:
    r"""Text that Markdown prints as it is, also inside a table.

    >>> print(escape_markdown("a|b *c* <d>"))
    a\|b \*c\* \<d>
    >>> print(escape_markdown("57.1 [55.0, 59.2]"), escape_markdown("[a](b)"))
    57.1 [55.0, 59.2] \[a](b)
    """
    special = "\\`*|<" + ("[" if "](" in text else "")
    return "".join("\\" + character if character in special else character for character in _one_line(text))


def width(text: str) -> int:
    """The columns that a text takes on a terminal.

    >>> width("naïve"), width("日本")
    (5, 4)
    """
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) != 0 for character in text)


def _one_line(text: str) -> str:
    """One line without control characters, which could move the cursor of a terminal."""
    return "".join(" " if unicodedata.category(character) in ("Cc", "Zl", "Zp") else character for character in text)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
