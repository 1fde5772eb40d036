"""What `compare_with` of stickler-eval 1.0.0 gives for a model made from a JSON Schema: a score, and two tables.

Departures from `record.fields`:

- Recall is TP / (TP + FN): a wrong value (FD) does not lower it. With every price on the wrong line it is 1.
- A text that is half right is TP; its score is the similarity.
- `overall` counts a list of objects by its elements, TP if they are alike enough (.7); `aggregate` counts the fields of
  those elements only: with two of three lines missing its precision, recall and F1 are 1.
- Documents of empty lists have F1 0 beside score 1, for what is null on both sides is TN.
- A value that pydantic cannot read as its type (`"1,250.50"` for a number) is an error, and so is gold without fields.
- Keys that the model does not declare are false alarms, but not in elements of lists.
- Without a schema one is guessed from gold. Lists are put under the key `records`.

Comparators: Levenshtein, Numeric, Exact and Date (days). Others are refused.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec

from adjudge.algebra.edit_distance import distances
from adjudge.algebra.places import Where
from adjudge.algebra.quantities import as_date
from adjudge.algebra.solve.deadline import timed
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import Published, Scorer
from adjudge.scorers.json_schema import SCHEMA, Json, JsonSchema, guessed
from adjudge.scorers.shared import assigned, counted, mean_measure, mean_score, prf, read_records, wrapped
from adjudge.stats.measure import Measure, Total

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Table: TypeAlias = "npt.NDArray[np.float64]"
Counts: TypeAlias = tuple[int, int, int, int, int]

TABLES = ("overall", "aggregate")
OUTCOMES = ("tp", "fa", "fd", "fn", "tn")
TP, FA, FD, FN, TN = ((1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0), (0, 0, 0, 0, 1))
NOTHING = (0, 0, 0, 0, 0)
_TINY = 0.01


def run(gold: Any, system: Any, *, schema: str | None = None) -> Published:
    """The mean score and the sums of both tables; without a schema, of a model that is guessed from gold."""
    pairs = read_records(gold, system)
    documents = [(key, wrapped(ours), wrapped(theirs)) for key, ours, theirs in pairs.documents]
    root = model(JsonSchema.read(schema) if schema else guessed(map(wrapped, pairs.gold()), pairs.sides[0].path))
    wrong: list[tuple[str, int, str]] = []
    rows = []
    for key, *sides in timed(documents):
        fits = []
        for side, value in enumerate(sides):
            problems: list[str] = []
            fits.append(fitted(root, value, "", problems))
            wrong += ((key, side, problem) for problem in problems)
        if not wrong:
            rows.append((key, _row(compare(root, *fits))))
    pairs.refuse(wrong, "stickler stops at a value that does not fit its type")
    tables = {name: tuple(int(sum(row[f"{name}:{each}"] for _, row in rows)) for each in OUTCOMES) for name in TABLES}
    lines = [f"overall_score: {mean_score(rows)}", *(_line(name, counts) for name, counts in tables.items())]
    return Published(rows, _measures(), "".join(f"{line}\n" for line in lines), notes=pairs.notes)


def _row(found: Compared) -> dict[str, float]:
    row = {"score": found.score, "documents": 1.0}
    for name, counts in zip(TABLES, (found.tally.counts, found.tally.leaves()), strict=True):
        tp, fa, fd, fn, _ = counts
        row |= {f"{name}:{each}": float(number) for each, number in zip(OUTCOMES, counts, strict=True)}
        row |= counted({name: (tp, tp + fa + fd, tp + fn)})
    return row


def _measures() -> tuple[Measure, ...]:
    found: list[Measure] = [mean_measure("stickler")]
    for name in TABLES:
        found += [prf(f"stickler.{name}", name)]
        found += [Total(f"stickler.{name}", each, ((f"{name}:{each}", 1.0),)) for each in OUTCOMES]
    return tuple(found)


def _line(name: str, counts: Sequence[int]) -> str:
    tp, fa, fd, fn, _ = counts
    parts = [f"{each} {number}" for each, number in zip(OUTCOMES, counts, strict=True)]
    values = precision_recall_f1(tp, tp + fa + fd, tp + fn, undefined=0)
    scores = zip(("precision", "recall", "f1"), values, strict=True)
    return f"{name}: {', '.join([*parts, *(f'{part} {value}' for part, value in scores)])}"


class Tally(msgspec.Struct):
    """The counts of a field, and those of its parts if it has some; the counts of the pairs of a list are added."""

    counts: Counts = NOTHING
    parts: dict[str, Tally] = msgspec.field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Add the counts of another pair, part by part."""
        self.counts = added(self.counts, other.counts)
        for name, part in other.parts.items():
            self.parts.setdefault(name, Tally()).add(part)

    def leaves(self) -> Counts:
        """The table `aggregate`: the sum of the parts where there are any."""
        return added(*(part.leaves() for part in self.parts.values())) if self.parts else self.counts


class Compared(NamedTuple):
    """The score of a pair of values, and its counts."""

    score: float
    tally: Tally


def added(*counts: Counts) -> Counts:
    """The sum of some counts."""
    tp, fa, fd, fn, tn = (sum(column) for column in zip(NOTHING, *counts, strict=True))
    return tp, fa, fd, fn, tn


def compare(field: Field, gold: Any, system: Any) -> Compared:
    """A pair of objects: the weighted mean of the scores of their fields, the sum of their counts, and the counts."""
    found = {name: _compare(own, gold.get(name), system.get(name)) for name, own in field.fields.items()}
    weight = math.fsum(own.weight for own in field.fields.values())
    score = math.fsum(found[name].score * own.weight for name, own in field.fields.items())
    overall = added(*(each.tally.counts for each in found.values()), (0, _undeclared(field, system), 0, 0, 0))
    return Compared(score / weight if weight else 0.0, Tally(overall, {name: found[name].tally for name in found}))


def _undeclared(field: Field, system: Any) -> int:
    """The keys of the system that the model does not declare, in nested objects too."""
    nested = (_undeclared(own, system.get(name) or {}) for name, own in field.fields.items() if own.kind == "object")
    return sum(nested) + sum(name not in field.fields for name in system)


def _null(field: Field, value: Any) -> bool:
    """Whether there is no value; an object without fields is one."""
    return value is None or (field.kind in ("string", "array") and not value)


def _compare(field: Field, gold: Any, system: Any) -> Compared:
    ours, theirs = _null(field, gold), _null(field, system)
    if ours and theirs:
        return Compared(1.0, Tally(TN))
    if ours or theirs:
        number = len(system if ours else gold) if field.kind == "array" else 1
        return Compared(0.0, Tally((0, number, 0, 0, 0) if ours else (0, 0, 0, number, 0)))
    if field.kind == "array":
        return _lists(field, gold, system)
    raw = float(raws(field, [gold], [system])[0, 0])
    right = raw >= field.threshold
    parts = compare(field, gold, system).tally.parts if field.kind == "object" else {}
    return Compared(raw if right or not field.clipped else 0.0, Tally(TP if right else FD, parts))


def _lists(field: Field, gold: Sequence[Any], system: Sequence[Any]) -> Compared:
    """Two lists that are not empty: by the best matching of their elements."""
    assert field.of is not None
    table = raws(field.of, gold, system)
    pairs = assigned(table)
    objects = field.of.kind == "object"
    least = field.of.match if objects else field.threshold
    right = [pair for pair in pairs if table[pair] >= least]
    shorter, longer = len(pairs), max(len(gold), len(system))
    tally = Tally((len(right), len(system) - shorter, shorter - len(right), len(gold) - shorter, 0))
    if not objects:
        kept = right if field.clipped else pairs
        return Compared(math.fsum(float(table[pair]) for pair in kept) / longer, tally)
    inner = {(row, column): compare(field.of, gold[row], system[column]) for row, column in pairs}
    for pair in right:
        tally.add(Tally(parts=inner[pair].tally.parts))
    mean = math.fsum(each.score for each in inner.values()) / shorter
    return Compared(mean * shorter / longer if mean >= _TINY else 0.0, tally)


def raws(field: Field, golds: Sequence[Any], systems: Sequence[Any], *, inner: bool = False) -> Table:
    """The raw similarity of every pair of two lists of values of one field; where one is null, it means nothing.

    Of objects it is the weighted mean over their fields. Those that are null on both sides are left out, but in the
    objects inside of these objects they count as equal.
    """
    import numpy as np

    found = np.zeros((len(golds), len(systems)))
    if not found.size:
        return found
    if field.kind == "object":
        total, weights = np.zeros_like(found), np.zeros_like(found)
        sides = [[each or {} for each in side] for side in (golds, systems)]
        for name, own in field.fields.items():
            columns = [[each.get(name) for each in side] for side in sides]
            empty = [np.array([_null(own, each) for each in column], dtype=bool) for column in columns]
            both = ~empty[0][:, None] & ~empty[1]
            neither = empty[0][:, None] & empty[1]
            values = raws(own, *columns, inner=True)
            if inner and own.clipped and own.kind != "array":
                values[values < own.threshold] = 0.0
            total += own.weight * np.where(both, values, neither if inner else 0.0)
            weights += own.weight * (1.0 if inner else ~neither)
        found = np.divide(total, weights, out=np.ones_like(found), where=weights > 0)
    elif field.kind == "array" and not field.comparator:
        assert field.of is not None
        starts = [np.cumsum([0, *(len(each or ()) for each in side)]) for side in (golds, systems)]
        elements = [[part for each in side for part in each or ()] for side in (golds, systems)]
        table = raws(field.of, *elements, inner=inner)
        for row, column in np.ndindex(found.shape):
            block = table[starts[0][row] : starts[0][row + 1], starts[1][column] : starts[1][column + 1]]
            if block.size:
                found[row, column] = sum(block[pair] for pair in assigned(block)) / max(block.shape)
    else:
        found = similarities(field.comparator, golds, systems)
    return found


SCORER = Scorer(
    name="stickler-1.0.0",
    family="record",
    about="compare_with of stickler-eval 1.0.0, by a model made from a JSON Schema",
    run=run,
    options={"schema": SCHEMA},
)


# ---------------------------------------------------------------------------------------------------------------------
# The comparators of stickler-eval 1.0.0, for all pairs of two lists of scalars.


def similarities(comparator: str, golds: Sequence[Any], systems: Sequence[Any]) -> Table:
    """The similarity of every pair.

    >>> similarities("LevenshteinComparator", ["Acme"], ["acme ", "Ace"]).tolist()
    [[1.0, 0.75]]
    """
    import numpy as np

    if comparator == "DateComparator":
        return _days(golds, systems)
    read = {"LevenshteinComparator": _text, "NumericComparator": _decimal, "ExactComparator": _itself}[comparator]
    codes: tuple[dict[Hashable, int], ...] = ({}, {})
    sides = [
        np.array([own.setdefault(read(each), len(own)) for each in side], dtype=np.int64)
        for own, side in zip(codes, (golds, systems), strict=True)
    ]
    if comparator == "LevenshteinComparator":
        texts = [[str(each) for each in own] for own in codes]
        longer = np.maximum(*np.ix_(*([len(each) for each in own] for own in texts)))
        table = 1 - np.divide(distances(*texts), longer, out=np.zeros(longer.shape), where=longer > 0)
    else:
        table = np.array([[float(a == b and a is not None) for b in codes[1]] for a in codes[0]])
    found: Table = table[sides[0][:, None], sides[1]]
    return found


def _days(golds: Sequence[Any], systems: Sequence[Any]) -> Table:
    """Whether two texts can be read as one day, month before day or after it."""
    import numpy as np

    ours, theirs = (
        [{as_date(each, first) for first in (True, False)} - {None} for each in side] for side in (golds, systems)
    )
    return np.array([[float(bool(one & other)) for other in theirs] for one in ours])


def _text(value: Any) -> str:
    return " ".join(str(value).lower().split()) if value is not None else ""


def _itself(value: Any) -> Hashable:
    return type(value), json.dumps(value, sort_keys=True) if isinstance(value, list) else value


def _decimal(value: Any) -> Decimal | None:
    text = str(value).strip()
    kept = re.sub(r"[^0-9.-]", "", text)
    try:
        found = Decimal(kept)
    except InvalidOperation:
        return None
    return -found if text.startswith("(") and text.endswith(")") else found


# ---------------------------------------------------------------------------------------------------------------------
# The model that stickler-eval 1.0.0 makes of a JSON Schema: its fields, how they are compared, what fits into them.

Kind: TypeAlias = Literal["string", "number", "integer", "boolean", "object", "array"]
KINDS: tuple[Kind, ...] = ("string", "number", "integer", "boolean", "object", "array")
COMPARATORS = ("LevenshteinComparator", "NumericComparator", "ExactComparator", "DateComparator")
_USUAL = {"string": COMPARATORS[0], "number": COMPARATORS[1], "integer": COMPARATORS[1], "boolean": COMPARATORS[2]}
_START = "x-aws-stickler-"
_WHOLE = re.compile(r"[+-]?[0-9]+(\.0*)?")
_TRUE = frozenset(("1", "on", "t", "true", "y", "yes"))
_FALSE = frozenset(("0", "off", "f", "false", "n", "no"))


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """A field; those of an object, or of the objects of a list, have `fields`, and a list of scalars has a comparator.

    Scores below `threshold` are 0 unless they are not `clipped`; objects of lists are alike from `match` on.
    """

    kind: Kind
    comparator: str = ""
    threshold: float = 0.5
    weight: float = 1.0
    clipped: bool = True
    match: float = 0.7
    required: bool = False
    fields: Mapping[str, Field] = {}
    of: Field | None = None


def model(schema: JsonSchema) -> Field:
    """The model of the root; one without fields is an error.

    >>> from adjudge.scorers.json_schema import guessed
    >>> model(guessed([{"lines": [{"price": 10}]}])).fields["lines"].of.fields["price"].comparator
    'NumericComparator'
    """
    root = _field(schema, schema.root, ())
    if not root.fields:
        raise schema.wrong((), "the model has no field", "stickler needs an object with properties")
    return root


def _field(schema: JsonSchema, written: Json, where: Where, *, required: bool = False) -> Field:
    node = schema.node(written, where)
    kind = schema.kind(node, where)
    if kind not in KINDS or len(where) > 60:
        raise schema.wrong(where, f"a type {kind!r} of a field cannot be compared", f"types: {', '.join(KINDS)}")
    sharp = bool(node.keys() & {"enum", "const"}) or node.get("format") in ("date", "date-time", "uri", "uuid", "time")
    own: dict[str, Any] = {
        "comparator": _comparator(schema, node, where, kind),
        "threshold": 1.0 if sharp else 0.7 if kind == "object" else 0.5,
    }
    for name, key in (("threshold", "threshold"), ("weight", "weight"), ("match", "match-threshold")):
        if f"{_START}{key}" in node:
            own[name] = _number(schema, node[f"{_START}{key}"], (*where, f"{_START}{key}"))
    own["clipped"] = node.get(f"{_START}clip-under-threshold", True) is not False
    if kind == "object":
        names = node.get("required") or ()
        own["fields"] = {
            name: _field(schema, each, (*where, "properties", name), required=name in names)
            for name, each in (node.get("properties") or {}).items()
        }
    elif kind == "array":
        if not isinstance(node.get("items"), dict):
            raise schema.wrong(where, "a list must say what its items are", "items: {type: string}")
        own["of"] = _field(schema, node["items"], (*where, "items"))
        if own["of"].kind == "array":  # lists in lists are equal or not
            own["of"] = msgspec.structs.replace(own["of"], comparator=COMPARATORS[2])
    return Field(kind=kind, required=required, **own)


def _comparator(schema: JsonSchema, node: Json, where: Where, kind: str) -> str:
    given = node.get(f"{_START}comparator")
    if kind in ("object", "array"):
        return given if given in COMPARATORS else ""
    if node.get(f"{_START}comparator-config"):
        raise schema.wrong(where, f"{_START}comparator-config is not supported here", "leave it out")
    if given is None:
        exact = node.keys() & {"enum", "const"} or node.get("format") in ("uri", "uuid", "time")
        date = node.get("format") in ("date", "date-time")
        return COMPARATORS[2] if exact else COMPARATORS[3] if date else _USUAL[kind]
    if given not in COMPARATORS:
        raise schema.wrong(where, f"the comparator {given!r} is not supported here", f"use {', '.join(COMPARATORS)}")
    return str(given)


def _number(schema: JsonSchema, value: Any, where: Where) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return float(value)
    raise schema.wrong(where, f"{value!r} is not a number", "give a number from 0 on")


def fitted(field: Field, value: Any, path: str, problems: list[str]) -> Any:
    """A value as pydantic reads it; what it refuses goes to `problems`.

    >>> from adjudge.scorers.json_schema import guessed
    >>> problems = []
    >>> fitted(model(guessed([{"a": 1.5, "b": True}])), {"a": "1,250", "b": "yes"}, "", problems)["b"], problems
    (True, ["a: '1,250' is not a number"])
    """
    match field.kind:
        case "object" if isinstance(value, dict):
            found = dict(value)
            for name, own in field.fields.items():
                inner = f"{path}.{name}" if path else name
                if value.get(name) is not None:
                    found[name] = fitted(own, value[name], inner, problems)
                elif own.required:
                    problems.append(f"{inner} is required and is not there")
            return found
        case "array" if isinstance(value, list):
            assert field.of is not None
            return [fitted(field.of, each, f"{path}[{place}]", problems) for place, each in enumerate(value)]
        case "string" if isinstance(value, str):
            return value
        case "number" | "integer" | "boolean":
            read = {"number": _float, "integer": _integer, "boolean": _boolean}[field.kind](value)
            if read is not None:
                return read
    names = {"object": "not an object", "array": "not a list", "string": "not a text", "number": "not a number"}
    problems.append(f"{path}: {value!r:.60} is {names.get(field.kind, f'not of the type {field.kind}')}")
    return None


def _float(value: Any) -> float | None:
    try:
        return float(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None


def _integer(value: Any) -> int | None:
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, int) else None


def _boolean(value: Any) -> bool | None:
    if isinstance(value, str):
        return True if value.lower() in _TRUE else False if value.lower() in _FALSE else None
    return bool(value) if isinstance(value, int | float) and value in (0, 1) else None
