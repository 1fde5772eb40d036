"""Pools, verdicts and designs: JSON lines, tables, or rows in memory."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from adjudge.errors import FormatError, Problem, ValidationError
from adjudge.estimates.beyond import Exhaustive
from adjudge.estimates.design import Design, Round
from adjudge.estimates.pool import Drawn, Item, Pool
from adjudge.estimates.sources import is_store, pool_of_result, pool_of_store, saved_result
from adjudge.findings import raise_problems
from adjudge.formats.coerce.corpus import plain
from adjudge.formats.coerce.tables import as_table
from adjudge.formats.exports import read_values

_MARK = "# "
_COUNT = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,9})?")
_ROUND = re.compile(r"[0-9]{1,9}")
_TRUE, _FALSE = ("1", "true", "yes"), ("0", "false", "no", "")


class Rows(NamedTuple):
    """Rows of a file or in memory, their lines, and the comment above them."""

    place: str
    rows: list[Mapping[str, Any]]
    lines: list[int | None]
    head: dict[str, Any]

    def problem(self, at: int, message: str, hint: str | None = None) -> Problem:
        """A problem of one of the rows."""
        line = self.lines[at]
        where = message if line is not None else f"row {at + 1}: {message}"
        return Problem(where, path=self.place, line=line, hint=hint)


class Verdict(NamedTuple):
    """The verdict of one assessor on one unit."""

    unit: str
    value: float
    assessor: str | None = None
    seen_judge: bool = False


def read_rows(source: Any, what: str) -> Rows:
    """The rows of a file (JSON lines, JSON, CSV, TSV), of a table, or of a list."""
    if isinstance(source, str | os.PathLike):
        return _file_rows(Path(source))
    table = as_table(source, what)
    values = table.rows if table is not None else list(source)
    rows = [plain(each) for each in values]
    wrong = [at for at, each in enumerate(rows) if not isinstance(each, Mapping)]
    if wrong:
        raise FormatError([Problem(f"row {wrong[0] + 1} of the {what} has no named fields", hint="give dicts")])
    return Rows(what, rows, [None] * len(rows), {})


def _file_rows(path: Path) -> Rows:
    from adjudge.formats.source import read_text

    whole, text = read_text(os.fspath(path))
    head: dict[str, Any] = {}
    if text.startswith(_MARK):
        first, _, _ = text.partition("\n")
        try:
            found = msgspec.json.decode(first[len(_MARK) :])
        except msgspec.DecodeError:
            found = None
        except RecursionError:
            raise FormatError([Problem("the heading is nested too deeply", path=whole.place, line=1)]) from None
        head = found if isinstance(found, dict) else {}
        text = text.replace(first, "", 1)  # the line break stays, so that places are right
    body = text.lstrip()
    if not body:
        raise FormatError([Problem("the file is empty", path=whole.place)])
    if body[0] in "[{":
        values = read_values(text.encode(), name=whole.place)
        lines: list[int | None] = list(values.lines)
    else:
        skipped = len(text) - len(body)
        values = read_values(body.encode(), name=whole.place, reader="csv")
        lines = [line + text.count("\n", 0, skipped) for line in values.lines]
    rows = list(values.values.rows) if hasattr(values.values, "rows") else list(values.values)
    found_rows = Rows(whole.place, rows, lines, head)
    wrong = [found_rows.problem(at, "expected an object") for at, each in enumerate(rows) if not isinstance(each, dict)]
    if wrong:
        raise FormatError(wrong)
    return found_rows


# ---------------------------------------------------------------------------------------------------------------------
# Pools

_ITEM = ("id", "document", "systems", "judge")


def read_pool(source: Any) -> Pool:
    """The items of a pool, sorted by their ids, so that the order of its rows does not matter.

    A result that was saved with its documents, and a store written by `adjudge eal pool`, are pools, too.
    """
    if isinstance(source, Pool):
        return source
    result = saved_result(source)
    if result is not None:
        return pool_of_result(result)
    if is_store(source):
        return pool_of_store(source)
    found = read_rows(source, "pool")
    problems: list[Problem] = []
    items: dict[str, Item] = {}
    for at, row in enumerate(found.rows):
        name = _text(row, "id", "unit", "item")
        systems = _systems(row.get("systems", row.get("system")))
        judge, fault = _share(row.get("judge"), "judge")
        if name is None:
            problems.append(found.problem(at, "the item has no id", "give it an id of its own"))
        elif name in items:
            problems.append(found.problem(at, f"the item {name!r} occurs twice", "give each item an id of its own"))
        elif systems is None:
            problems.append(found.problem(at, f"systems of {name!r}: expected a list of names", 'such as ["A", "B"]'))
        elif fault:
            problems.append(found.problem(at, f"{name!r}: {fault}", "give the judge's probability, from 0 to 1"))
        else:
            document = _text(row, "document", "doc", "doc_id") or ""
            attributes = {key: value for key, value in row.items() if key not in _ITEM}
            items[name] = Item(id=name, document=document, systems=systems, judge=judge, attributes=attributes)
    if problems:
        raise FormatError(problems)
    if not items:
        raise FormatError([Problem("the pool has no items", path=found.place)])
    return Pool(tuple(items[name] for name in sorted(items)))


def _systems(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return ()
    if isinstance(value, str):
        for sign in ";|,":
            value = value.replace(sign, "\n")
        return tuple(sorted({name.strip() for name in value.split("\n") if name.strip()}))
    if isinstance(value, Sequence) and all(isinstance(name, str) for name in value):
        return tuple(sorted(set(value)))
    return None


def with_judge(pool: Pool, source: Any) -> Pool:
    """The pool with the opinions of a judge from another source (id, judge)."""
    found = read_rows(source, "judge")
    opinions: dict[str, float] = {}
    problems: list[Problem] = []
    for at, row in enumerate(found.rows):
        name = _text(row, "id", "unit", "item")
        value, fault = _share(row.get("judge", row.get("verdict", row.get("score"))), "judge")
        if name is None or value is None:
            problems.append(found.problem(at, fault or "expected an id and a judge", "such as {id, judge: 0.8}"))
        else:
            opinions[name] = value
    lacking = [item.id for item in pool.items if item.id not in opinions]
    if lacking and not problems:
        problems.append(Problem(f"no opinion on {lacking[0]!r} and {len(lacking) - 1} more items", path=found.place))
    if problems:
        raise FormatError(problems)
    return Pool(tuple(msgspec.structs.replace(item, judge=opinions[item.id]) for item in pool.items))


# ---------------------------------------------------------------------------------------------------------------------
# Verdicts


def read_verdicts(source: Any) -> list[Verdict]:
    """The verdicts of assessors, in the order of the rows."""
    if isinstance(source, Mapping):
        source = [{"id": unit, "verdict": value} for unit, value in source.items()]
    found = read_rows(source, "labels")
    problems: list[Problem] = []
    verdicts: list[Verdict] = []
    seen: dict[tuple[str, str | None], int] = {}
    for at, row in enumerate(found.rows):
        unit = _text(row, "id", "unit", "item")
        value, fault = _share(row.get("verdict"), "verdict")
        assessor = _text(row, "assessor")
        if unit is None:
            problems.append(found.problem(at, "the verdict has no id", "name the unit that it is about"))
        elif fault or value is None:
            message = fault or "there is no verdict"
            problems.append(found.problem(at, f"{unit!r}: {message}", "give a number from 0 (wrong) to 1 (correct)"))
        elif (unit, assessor) in seen:
            message = f"a second verdict on {unit!r}" + (f" by {assessor}" if assessor else "")
            problems.append(found.problem(at, message, "keep one, or name the assessors"))
        else:
            seen[unit, assessor] = at
            verdicts.append(Verdict(unit, value, assessor, _truth(row.get("seen_judge")) is True))
    if problems:
        raise FormatError(problems)
    return verdicts


def _share(value: Any, what: str) -> tuple[float | None, str | None]:
    if value is None or value == "":
        return None, None
    if isinstance(value, bool):
        return float(value), None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None, f"the {what} is {value!r}, which is not a number"
    except OverflowError:
        return None, f"the {what} is a number that is too large, and not between 0 and 1"
    if not 0 <= number <= 1:
        return None, f"the {what} is {value}, which is not between 0 and 1"
    return number, None


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    text = str("" if value is None else value).strip().lower()
    return True if text in _TRUE else False if text in _FALSE else None


def _text(row: Mapping[str, Any], *names: str) -> str | None:
    for name in names:
        value = row.get(name)
        if value is not None and value != "":
            return str(value)
    return None


_COUNTED = ("in_pool", "all")


def read_exhaustive(source: Any) -> list[Exhaustive]:
    """Documents that were read to the end: how many of their correct items are in the pool, and how many there are.

    >>> read_exhaustive([{"document": "a", "in_pool": 3, "all": "4"}])
    [Exhaustive(in_pool=3.0, all=4.0, document='a')]
    """
    rows = read_rows(source, "exhaustive")
    found: list[Exhaustive] = []
    problems: list[Problem] = []
    for at, row in enumerate(rows.rows):
        counts = [str("" if row.get(name) is None else row[name]).strip() for name in _COUNTED]
        if not all(_COUNT.fullmatch(each) for each in counts):
            shown = ", ".join(f"{name} is {each or 'missing'}" for name, each in zip(_COUNTED, counts, strict=True))
            problems.append(
                rows.problem(at, shown, "give the correct items in the pool (in_pool) and all of them (all)")
            )
        elif float(counts[0]) > float(counts[1]):
            message = f"{counts[0]} correct items are in the pool, and {counts[1]} in the document"
            problems.append(rows.problem(at, message, "count those of the pool among all"))
        else:
            found.append(Exhaustive(float(counts[0]), float(counts[1]), _text(row, "document", "id") or ""))
    raise_problems(problems, rows.place)
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Designs


def read_design(source: Any) -> Design:
    """A design written by `adjudge sample`, or rows with id, probability and drawn."""
    if isinstance(source, Design):
        return source.checked()
    found = read_rows(source, "design")
    problems: list[Problem] = []
    rows: list[Drawn] = []
    for at, row in enumerate(found.rows):
        unit, drawn = _text(row, "id", "unit", "item", "document"), _truth(row.get("drawn"))
        chance, fault = _share(row.get("probability"), "probability")
        number, stratum = row.get("round"), _text(row, "stratum")
        if unit is None:
            problems.append(found.problem(at, "the row has no id", "name the unit that it is about"))
        elif fault or not chance:
            message = fault or f"the probability is {'missing' if chance is None else 0}"
            problems.append(found.problem(at, f"{unit!r}: {message}", "give a number above 0, at most 1"))
        elif drawn is None:
            problems.append(found.problem(at, f"{unit!r}: drawn is {row.get('drawn')!r}", "write true or false"))
        elif number is not None and not _ROUND.fullmatch(str(number)):
            problems.append(found.problem(at, f"{unit!r}: the round is {number!r}", "give a number"))
        else:
            rows.append(Drawn(id=unit, probability=chance, drawn=drawn, stratum=stratum, round=int(number or 1)))
    if problems:
        raise FormatError(problems)
    if not rows:
        raise FormatError(Problem("the design has no row", path=found.place, hint="draw one: adjudge sample"))
    try:
        rounds = tuple(msgspec.convert(each, Round) for each in found.head.get("rounds", ()))
    except msgspec.ValidationError as error:
        raise FormatError([Problem(f"the heading of the design: {error}", path=found.place, line=1)]) from None
    if not rounds:
        numbers = sorted({row.round for row in rows})
        planned = {number: sum(row.probability for row in rows if row.round == number) for number in numbers}
        rounds = tuple(Round(number=number, size=round(planned[number])) for number in numbers)
    try:
        return Design(rounds, tuple(rows)).merged().checked()
    except ValidationError as error:
        raise ValidationError([replace(each, path=found.place) for each in error.problems]) from None


def design_text(design: Design) -> str:
    """The design as JSON lines below a comment that says how it was drawn."""
    head = json.dumps({"rounds": msgspec.to_builtins(design.rounds)}, ensure_ascii=False)
    rows = [msgspec.json.encode(msgspec.structs.asdict(row)).decode() for row in design.rows]
    return "\n".join([_MARK + head, *rows]) + "\n"
