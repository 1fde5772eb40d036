"""Where systems differ, and which documents to look at, in each of the layouts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from adjudge.errors import UsageError
from adjudge.report.render import render, render_grids
from adjudge.report.tables import csv_rows, escape_markdown
from adjudge.stats.text import Cell, Grid, clean, note_line, slice_text

if TYPE_CHECKING:
    from adjudge.stats.influence import Differences, ItemSelection, Selection
    from adjudge.stats.result import Result

DOCUMENTS = "documents on which systems differ most (effect: what the document adds to the difference on all)"
SLICES = "slices in which systems differ most"
_LONGEST = 60
_FIELDS = ("rank", "document", "influence", "disagreement", "a", "b", "effect", "without", "flips")


def render_comparison(
    result: Result, found: Differences, format_: str, *, quiet: bool = False, pairs: bool = False
) -> str:
    """A comparison as text, Markdown or JSON, followed by where the systems differ most."""
    if format_ == "json":
        data = json.loads(result.to_json())
        data["differences"] = msgspec.to_builtins(found)
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    if format_ not in ("text", "md"):
        raise UsageError(f"the largest differences cannot be written as {format_}", hint="use text, md or json")
    grids = difference_grids(found)
    whole = render(result, format_, quiet=quiet, pairs=pairs)
    return whole + ("\n" + render_grids(grids, format_) if grids else "")


def difference_grids(found: Differences) -> dict[str, Grid]:
    """The documents and the slices as tables, by title, without empty ones."""
    grids = {}
    if found.documents:
        groups: dict[tuple[str, str], list[tuple[Cell, ...]]] = {}
        for each in found.documents:
            labels = (f"{each.metric} {each.part}", each.document, f"{each.a} - {each.b}")
            numbers = (_percent(each.score_a), _percent(each.score_b), _points(each.difference), _points(each.effect))
            row = (*(Cell(clean(label)) for label in labels), *map(Cell, numbers))
            groups.setdefault((each.metric, each.part), []).append(row)
        header = ("score", "document", "systems", "first", "second", "difference", "effect")
        grids[DOCUMENTS] = Grid(header, 3, tuple(map(tuple, groups.values())))
    if found.slices:
        groups = {}
        for one in found.slices:
            labels = (f"{one.metric} {one.part}", slice_text(one.slice), f"{one.a} - {one.b}")
            tail = "" if one.low is None or one.high is None else f"[{_percent(one.low)}, {_percent(one.high)}]"
            cells = (*(Cell(clean(label)) for label in labels), Cell(_points(one.difference), tail))
            groups.setdefault((one.metric, one.part), []).append((*cells, Cell(_p(one.p_holm))))
        columns = ("score", "slice", "systems", "difference", "p (Holm)")
        grids[SLICES] = Grid(columns, 3, tuple(map(tuple, groups.values())))
    return grids


def render_selection(found: Selection, format_: str, *, quiet: bool = False) -> str:
    """The selected documents in any of the layouts."""
    if format_ == "json":
        return msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n"
    if format_ == "csv":
        return csv_rows(_rows(found), (*_FIELDS, *(f"score.{name}" for name in found.ranking)))
    return _with_notes(selection_grids(found, quiet=quiet), found, format_)


def selection_grids(found: Selection, *, quiet: bool = False) -> dict[str, Grid]:
    """The ranking, and the documents, as tables by title."""
    rows = []
    for number, each in enumerate(found.documents, 1):
        strongest = each.strongest
        pair = f"{strongest.a} - {strongest.b}" if strongest else ""
        numbers = [
            f"{each.influence:.3f}",
            "" if strongest is None else _points(strongest.effect),
            "" if strongest is None else _points(strongest.without),
            "yes" if any(effect.flips for effect in each.effects) else "no",
            "n/a" if each.disagreement is None else _percent(each.disagreement),
        ]
        rows.append((Cell(f"{number}"), Cell(clean(each.document)), Cell(clean(pair)), *map(Cell, numbers)))
    header = ("rank", "document", "systems", "influence", "effect", "without it", "flips", "disagreement")
    title = f"{len(rows)} of {found.of} documents by their {found.order} on the ranking by {found.metric} {found.part}"
    if found.order == "disagreement":
        title = f"{len(rows)} of {found.of} documents by how much the systems disagree in {found.metric} {found.part}"
    chosen = {title: Grid(header, 3, (tuple(rows),))}
    return chosen if quiet else {**_standing(found), **chosen}


def _with_notes(grids: dict[str, Grid], found: Selection | ItemSelection, format_: str) -> str:
    """Tables, and below them which scores are not proven."""
    lines = [note_line(note) for note in found.notes]
    if format_ == "md":
        lines = [escape_markdown(line) for line in lines]
    start = {"md": "> ", "latex": "% "}.get(format_, "")
    return "\n".join([render_grids(grids, format_), *(f"{start}note: {line}\n" for line in lines)])


def _standing(found: Selection | ItemSelection) -> dict[str, Grid]:
    """The ranking for which documents or items are chosen."""
    standing = tuple((Cell(clean(name)), Cell(_percent(value))) for name, value in found.ranking.items())
    gaps = tuple(
        (Cell(clean(f"{each.a} - {each.b}")), Cell(_points(each.difference)), Cell(_percent(each.error)))
        for each in found.neighbours
    )
    return {
        "ranking": Grid(("system", f"{found.metric} {found.part}"), 1, (standing,)),
        "neighbours (error: jackknife standard error)": Grid(("systems", "difference", "error"), 1, (gaps,)),
    }


def render_items(found: ItemSelection, format_: str, *, quiet: bool = False) -> str:
    """The selected items in any of the layouts."""
    if format_ == "json":
        return msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n"
    if format_ == "csv":
        fields = (*_FIELDS[:2], "item", "gold", *_FIELDS[2:], "value", *(f"credit.{name}" for name in found.ranking))
        return csv_rows(_item_rows(found), fields)
    rows = []
    for number, each in enumerate(found.items, 1):
        strongest = each.strongest
        having = [name for name in found.ranking if each.credits[name] > 0]
        words = (f"{number}", each.document, each.item, _shortened(each.value), "yes" if each.gold else "no")
        numbers = (
            f"{each.influence:.3f}",
            "" if strongest is None else _points(strongest.without),
            "yes" if any(effect.flips for effect in each.effects) else "no",
        )
        pair = f"{strongest.a} - {strongest.b}" if strongest else ""
        rows.append((*(Cell(clean(word)) for word in (*words, ", ".join(having), pair)), *map(Cell, numbers)))
    header = ("rank", "document", "item", "value", "gold", "found by", "systems", "influence", "without it", "flips")
    about = f"by their {found.order} on the ranking by" if found.order == "influence" else "that systems differ on in"
    title = f"{len(rows)} of {found.of} items {about} {found.metric} {found.part}, each judged the other way"
    chosen = {title: Grid(header, 7, (tuple(rows),))}
    return _with_notes(chosen if quiet else {**_standing(found), **chosen}, found, format_)


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of what `adjudge select` prints: documents, or items.

    >>> [each["$ref"] for each in json_schema()["anyOf"]]
    ['#/$defs/Selection', '#/$defs/ItemSelection']
    """
    from adjudge.stats.influence import ItemSelection, Selection

    either, parts = msgspec.json.schema_components([Selection, ItemSelection], ref_template="#/$defs/{name}")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "anyOf": list(either), "$defs": parts}


def _item_rows(found: ItemSelection) -> list[dict[str, Any]]:
    rows = []
    for number, each in enumerate(found.items, 1):
        strongest = each.strongest
        own = {} if strongest is None else msgspec.structs.asdict(strongest)
        own["flips"] = any(effect.flips for effect in each.effects)
        usual = {name: getattr(each, name) for name in ("document", "item", "gold", "influence", "disagreement")}
        value = json.dumps(each.value, ensure_ascii=False)
        credits = {f"credit.{name}": credit for name, credit in each.credits.items()}
        rows.append({"rank": number, **usual, "value": value, **own, **credits})
    return rows


def _shortened(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _rows(found: Selection) -> list[dict[str, Any]]:
    rows = []
    for number, each in enumerate(found.documents, 1):
        strongest = each.strongest
        own = {} if strongest is None else msgspec.structs.asdict(strongest)
        own["flips"] = any(effect.flips for effect in each.effects)
        scores = {f"score.{name}": value for name, value in each.scores.items()}
        usual = {"document": each.document, "influence": each.influence, "disagreement": each.disagreement}
        rows.append({"rank": number, **usual, **own, **scores})
    return rows


def _percent(value: float) -> str:
    return f"{100 * value:z.1f}"


def _points(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:+z.2f}"


def _p(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}" if value >= 0.00005 else "<0.0001"
