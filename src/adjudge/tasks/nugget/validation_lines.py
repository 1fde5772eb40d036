"""The lines of one document: columns, ids, types, realis, confidences; then what its mentions have in common."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from adjudge.formats.tbf_scan import BLANKS, COLUMNS, field_place, parse_pieces, quote
from adjudge.model.nugget import COREFERENCE, NOT_ANNOTATED, REALIS, Nugget, Relation
from adjudge.tasks.nugget.settings import canonical
from adjudge.tasks.nugget.validation_findings import Collector
from adjudge.tasks.nugget.validation_places import Ground, Spot, check_pieces, check_tokens, near, span_trouble
from adjudge.tasks.nugget.validation_relations import Line

MOST = COLUMNS + 3  # columns, with the three confidences

_NAMES = ("system id", "document id", "mention id", "place", "text", "type", "realis")
_REALIS = {canonical(value) for value in REALIS}
_VALUES = f"{', '.join(REALIS[:-1])} or {REALIS[-1]}"


@dataclass(slots=True)
class Rules:
    """What holds for the whole file; `system` is the first system id and its line; `given`: nuggets were given."""

    mode: str
    types: Mapping[str, str] | None = None  # canonical name -> as it is written in the list
    system: tuple[str, int] | None = None
    given: bool = False


@dataclass(slots=True)
class Lines:
    """What the lines of one document say."""

    document: str
    line: int
    nuggets: list[Nugget] = field(default_factory=list)
    relations: list[Line] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)  # line of each mention id
    misfits: int = 0  # mentions that do not fit the tokens or the text
    late: bool = False  # a mention line came after a relation line


def check_lines(text: str, lines: Lines, rules: Rules, ground: Ground, out: Collector) -> None:
    """Go through the lines of a document, the header being the first."""
    for number, raw in enumerate(text.split("\n"), lines.line):
        line = raw.strip(BLANKS)
        if not line or line[0] == "#":
            continue
        if line[0] == "@":
            _check_relation(raw, line, number, lines, out)
        else:
            _check_mention(raw, line, number, lines, rules, ground, out)


def check_duplicates(lines: Lines, keys: Sequence[Hashable], out: Collector) -> None:
    """Mentions of the same place, type and realis: only one of them can be right."""
    first: dict[tuple[Hashable, str, str], Nugget] = {}
    for nugget, key in zip(lines.nuggets, keys, strict=True):
        if key is None:
            continue
        same = first.setdefault((key, canonical(nugget.type), canonical(nugget.realis)), nugget)
        if same is not nugget:
            message = f"{quote(nugget.id)} has the place, type and realis of {quote(same.id)} in line {same.line}"
            out.warn("duplicate", message, nugget.line, 1, hint="remove one of them", document=lines.document)


def _check_mention(
    raw: str, line: str, number: int, lines: Lines, rules: Rules, ground: Ground, out: Collector
) -> None:
    columns = line.split("\t", MOST)  # what follows stays together: there may be millions
    if len(columns) < COLUMNS:
        _check_short(raw, columns, number, lines, out)
        return
    document = lines.document
    starts = [field_place(raw, 0)]
    for column in columns:
        starts.append(starts[-1] + len(column) + 1)
    system, named, id, span, text, type_, realis = columns[:COLUMNS]
    _check_system(system, number, starts[0], document, rules, out)
    if named != document:
        message = f"the line says document {quote(named)}, the header {quote(document)}"
        out.error("document-column", message, number, starts[1], hint="correct one of them", document=document)
    _check_id(id, number, starts[2], lines, out)
    _check_type(type_, number, starts[5], document, rules, out)
    _check_realis(realis, number, starts[6], document, rules, out)
    _check_confidences(columns, number, starts, document, out)
    if lines.relations and not lines.late:
        lines.late = True
        message, hint = "a mention line after a relation line", "write the relations after all mentions"
        out.warn("order", message, number, starts[0], hint=hint, document=document)
    nugget, fits = _check_place(
        Nugget(id, type_, realis, text, line=number), span, starts, document, rules, ground, out
    )
    if nugget is not None:
        lines.misfits += not fits
        lines.nuggets.append(nugget)


def _check_place(
    nugget: Nugget, span: str, starts: Sequence[int], document: str, rules: Rules, ground: Ground, out: Collector
) -> tuple[Nugget | None, bool]:
    """The nugget with its place, and whether that fits the ground; None if it cannot be read."""
    number = nugget.line
    spot = Spot(document, number, starts[3], starts[4])
    if not nugget.text.strip() and ground.table is None and ground.text is None:
        out.warn("text", "the mention has no text", number, starts[4], hint="write its words", document=document)
    if rules.mode == "token":
        nugget = nugget._replace(tokens=tuple(span.split(",")))
        return nugget, check_tokens(nugget, spot, ground, out)
    pieces = parse_pieces(span)
    if pieces is None:
        message, remedy = span_trouble(span)
        out.error("offsets", message, number, starts[3], hint=remedy, document=document)
        return None, False
    if any(piece.count(",") > 1 for piece in span.split(";")):
        message, hint = f"more than two numbers in a piece of {quote(span)}", "write begin,end;begin,end"
        out.error("offsets", message, number, starts[3], hint=hint, document=document)
    nugget = nugget._replace(pieces=pieces)
    return nugget, check_pieces(nugget, spot, ground, out)


def _check_short(raw: str, columns: Sequence[str], number: int, lines: Lines, out: Collector) -> None:
    """A mention line that lacks columns; its id is remembered if it can be told, for the relations."""
    count = len(columns)
    needed = f"at least {COLUMNS} are needed ({', '.join(_NAMES)})"
    if count == 1:
        message = f"{quote(columns[0])} is no mention: it has one column, {needed}"
        hint = "separate columns by TABs, not by blanks" if "  " in columns[0] else "remove it, or write # before it"
    else:
        message = f"a mention line with {count} columns, {needed}"
        hint = "separate them by TABs"
        if columns[0] == lines.document:
            hint = "the system id is missing"
            lines.ids.setdefault(columns[1], number)
        elif count > 2 and columns[1] == lines.document:
            hint = "columns are missing at the end"
            lines.ids.setdefault(columns[2], number)
    out.error("columns", message, number, field_place(raw, 0), hint=hint, document=lines.document)


def _check_system(system: str, number: int, column: int, document: str, rules: Rules, out: Collector) -> None:
    if rules.system is None:
        rules.system = system, number
    elif system != rules.system[0]:
        message = f"the system id {quote(system)} is not {quote(rules.system[0])} as in line {rules.system[1]}"
        out.warn("system-id", message, number, column, hint="use one for the whole file", document=document)


def _check_id(id: str, number: int, column: int, lines: Lines, out: Collector) -> None:
    document = lines.document
    if not id.strip():
        out.error("mention-id", "no mention id", number, column, hint="write one, such as E1", document=document)
        return
    if id in lines.ids:
        message = f"mention id {quote(id)} is in line {lines.ids[id]} already"
        out.error("repeated-id", message, number, column, hint="write one that is free", document=document)
    elif "," in id or id != id.strip():
        message = f"the mention id {quote(id)} has a comma in it or a blank at its ends"
        out.error("mention-id", message, number, column, hint="no relation can name it", document=document)
    lines.ids.setdefault(id, number)


def _check_type(type_: str, number: int, column: int, document: str, rules: Rules, out: Collector) -> None:
    name = canonical(type_)
    if not name:
        message = "no event type"
        if type_.strip():
            message = f"the type {quote(type_)} has no ASCII letter, and is nothing to the official scorer"
        out.error("type", message, number, column, hint="write one, such as Life_Marry", document=document)
    elif rules.types is not None and name not in rules.types:
        close = near(name, rules.types)
        message = f"the type {quote(type_)} is not in the list"
        hint = f"did you mean {rules.types[close]}?" if close else "use one of the list"
        out.error("unknown-type", message, number, column, hint=hint, document=document)


def _check_realis(realis: str, number: int, column: int, document: str, rules: Rules, out: Collector) -> None:
    name = canonical(realis)
    if name == canonical(NOT_ANNOTATED):
        if rules.given:  # gold may say so
            return
        hint = f"a system says {_VALUES}"
        out.warn("no-realis", f"the realis is {quote(realis)}", number, column, hint=hint, document=document)
    elif name not in _REALIS:
        message = f"there is no realis {quote(realis)}"
        out.error("realis", message, number, column, hint=f"write {_VALUES}", document=document)


def _check_confidences(
    columns: Sequence[str], number: int, starts: Sequence[int], document: str, out: Collector
) -> None:
    for place, value in enumerate(columns[COLUMNS:MOST], COLUMNS):
        if not _is_number(value):
            message = f"the confidence {quote(value)} is no number"
            out.warn("confidence", message, number, starts[place], hint="write one such as 0.5", document=document)
    if len(columns) > MOST:
        count = MOST + 1 + columns[MOST].count("\t")
        message = f"{count} columns, of which the last {count - MOST} mean{'s' * (count == MOST + 1)} nothing"
        hint = "three confidences may follow the realis"
        out.warn("extra-columns", message, number, starts[MOST], hint=hint, document=document)


def _check_relation(raw: str, line: str, number: int, lines: Lines, out: Collector) -> None:
    first = field_place(raw, 0)
    parts = line[1:].strip(BLANKS).split("\t", 3)
    count = line.count("\t") + 1 if len(parts) > 3 else len(parts)
    if count != 3:
        message = f"a relation line with {count} column{'s' * (count != 1)} instead of 3"
        hint = "write the name, an id and the mention ids, separated by TABs"
        if count > 3 and parts[0] == COREFERENCE:
            hint = "separate the mention ids by commas"
        elif count == 2:
            hint = "a relation id is missing" if "," in parts[1] else "the mention ids are missing"
        out.error("relation-columns", message, number, first, hint=hint, document=lines.document)
        return
    column = first + line.index(parts[0], 1) + len(parts[0]) + len(parts[1]) + 2
    relation = Relation(parts[0], parts[1], tuple(parts[2].split(",")), number)
    lines.relations.append(Line(relation, column))


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
