"""Agreement between annotators in each of the layouts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from adjudge.errors import visible
from adjudge.report.render import render_grids
from adjudge.report.tables import csv_rows, escape_latex, escape_markdown
from adjudge.stats.text import Cell, Grid, clean, note_line

if TYPE_CHECKING:
    from adjudge.stats.result import Score
    from adjudge.tasks.agreement import Agreement, Disagreement, Mean

_FIELDS = ("kind", "name", "part", "annotators", "on", "number", "value", "low", "high", "level", "bound")
_LONGEST = 160  # characters of an item in a list for people


def render_agreement(found: Agreement, format_: str = "text", *, quiet: bool = False) -> str:
    """Agreement as text that ends with a newline; `quiet` leaves out signature and notes (text, md, latex)."""
    if format_ == "json":
        return json.dumps(agreement_data(found), indent=2, ensure_ascii=False) + "\n"
    if format_ == "csv":
        return csv_rows(_rows(found), _FIELDS)
    text = render_grids(agreement_grids(found), format_)
    if not quiet:
        text += "\n" + "\n".join(_foot(found, format_)) + "\n"
    if found.disagreements is not None and format_ in ("text", "md"):
        text += "\n" + "\n".join(_listed(found.disagreements, format_)) + "\n"
    return text


def agreement_data(found: Agreement) -> dict[str, Any]:
    """Agreement as JSON data, with the values of items that JSON can represent."""
    bare = msgspec.structs.replace(found, disagreements=None)
    data: dict[str, Any] = msgspec.to_builtins(bare)
    data["disagreements"] = None
    if found.disagreements is not None:
        data["disagreements"] = [each._asdict() for each in found.disagreements]
    return data


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of what `adjudge agree` prints.

    >>> json_schema()["$ref"]
    '#/$defs/Agreement'
    """
    from adjudge.tasks.agreement import Agreement, Disagreement

    (whole,), parts = msgspec.json.schema_components([Agreement], ref_template="#/$defs/{name}")
    listed: dict[str, Any] = {name: {"type": "string"} for name in Disagreement._fields}
    parts["Disagreement"] = {
        "type": "object",
        "properties": {
            **listed,
            "only": {"type": ["string", "null"]},
            "credit": {"type": "number"},
            "item_a": {},
            "item_b": {},
        },
        "required": list(Disagreement._fields),
    }
    some = {"type": "array", "items": {"$ref": "#/$defs/Disagreement"}}
    parts["Agreement"]["properties"]["disagreements"] = {"anyOf": [some, {"type": "null"}]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **whole, "$defs": parts}


def agreement_grids(found: Agreement) -> dict[str, Grid]:
    """Pairs with their mean, the matrix if there are more than two annotators, and coefficients, by title."""
    from adjudge.tasks.agreement import matrix

    groups = []
    for mean in found.means:
        rows = []
        for pair in found.pairs:
            score = pair.headline(mean.metric)
            labels = (f"{mean.metric} {mean.part}", f"{pair.a}, {pair.b}", f"{pair.documents}")
            rows.append((*(Cell(clean(label)) for label in labels), _cell(score)))
        if len(rows) > 1:
            labels = (f"{mean.metric} {mean.part}", f"mean of {mean.pairs} pairs", "")
            rows.append((*(Cell(clean(label)) for label in labels), _cell(mean)))
        groups.append(tuple(rows))
    grids = {"agreement of pairs": Grid(("score", "annotators", "documents", "agreement"), 3, tuple(groups))}
    names = list(found.annotators)
    for mean in found.means if len(names) > 2 else ():
        cells = matrix(found, mean.metric)
        body = tuple(
            (Cell(clean(one)), *(Cell("-" if one == other else _points(cells[one, other])) for other in names))
            for one in names
        )
        title = f"{mean.metric} {mean.part}, the row on the gold side"
        grids[title] = Grid(("annotator", *map(clean, names)), 1, (body,))
    if found.coefficients:
        lines = []
        for each in found.coefficients:
            words = (each.name, each.on, ", ".join(each.annotators), f"{each.units}")
            value = "n/a" if each.value is None else f"{each.value:z.3f}"
            tail = "" if each.low is None or each.high is None else f"[{each.low:z.3f}, {each.high:z.3f}]"
            lines.append((*(Cell(clean(word)) for word in words), Cell(value, tail)))
        header = ("coefficient", "of", "annotators", "units", "value")
        grids["agreement beyond chance"] = Grid(header, 4, (tuple(lines),))
    return grids


def _foot(found: Agreement, format_: str) -> list[str]:
    notes = [note_line(note) for note in found.notes]
    if format_ == "md":
        return [f"- signature: `{found.signature}`", *(f"- note: {escape_markdown(note)}" for note in notes)]
    if format_ == "latex":
        lines = [f"Signature: {found.signature}", *(f"Note: {note}" for note in notes)]
        return [rf"{{\footnotesize {escape_latex(line)}.\par}}" for line in lines]
    return [f"signature  {found.signature}", *(f"note: {note}" for note in notes)]


def _listed(disagreements: tuple[Disagreement, ...], format_: str) -> list[str]:
    """One line for each disagreement, under the names of documents."""
    escape = escape_markdown if format_ == "md" else visible
    lines, last = [], None
    if not disagreements:
        return ["no disagreements"]
    for each in disagreements:
        about = each.document, each.a, each.b, each.metric
        if about != last:
            title = f"{each.document}: {each.a} and {each.b}, {each.metric}"
            lines += [*([""] if last else []), escape(title) if format_ == "text" else f"**{escape(title)}**"]
            lines += [""] if format_ == "md" else []
            last = about
        if each.only is None:
            item = f"{_short(each.item_a)} / {_short(each.item_b)} (credit {each.credit:.3g})"
            line = f"both      {each.path}: {item}"
        else:
            item = _short(each.item_a if each.only == each.a else each.item_b)
            line = f"only {each.only}  {each.path}: {item}"
        lines.append(f"- {escape(line)}" if format_ == "md" else f"  {escape(line)}")
    return lines


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _rows(found: Agreement) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for pair in found.pairs:
        for score in pair.scores:
            own = {"kind": "pair", "name": score.metric, "annotators": f"{pair.a}, {pair.b}", "number": pair.documents}
            rows.append({**msgspec.structs.asdict(score), **own})
    for mean in found.means:
        names = ", ".join(found.annotators)
        rows.append(
            {
                **msgspec.structs.asdict(mean),
                "kind": "mean",
                "name": mean.metric,
                "annotators": names,
                "number": mean.pairs,
            }
        )
    for each in found.coefficients:
        own = {"kind": "coefficient", "annotators": ", ".join(each.annotators), "number": each.units}
        rows.append({**msgspec.structs.asdict(each), **own})
    return rows


def _cell(each: Score | Mean) -> Cell:
    tail = [] if each.low is None or each.high is None else [f"[{_points(each.low)}, {_points(each.high)}]"]
    tail += [] if each.bound is None else [f"(at most {_points(each.bound)})"]
    return Cell(_points(each.value), " ".join(tail))


def _points(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:z.1f}"
