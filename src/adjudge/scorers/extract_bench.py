"""The report of extract-bench 0.1.0, for the fields of a JSON Schema that need no language model.

Departures from `record.fields`:

- Precision is TP / (TP + FP), and only a field that gold does not have can be FP: with all values wrong it is 1.
- Fields that are absent on both sides pass with score 1 (TN), and keys that the schema does not declare are not seen.
- A value of another type (`"1,250.50"`, or 1.0 for an integer), null without `nullable`, or a required key that is
  missing is a ValueError of the program for the whole document, and an error here.
- A field whose schema has no single type (`anyOf`, or a list of types without `evaluation_config`) is not looked at. A
  list that is skipped passes once for each field of its items.
- Texts are compared by a language model unless `evaluation_config` says otherwise, and lists always are: a schema that
  needs one is refused. Without a schema one is guessed from gold, with texts that ignore case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from adjudge.algebra.places import Where
from adjudge.algebra.solve.deadline import timed
from adjudge.scorers import Published, Scorer
from adjudge.scorers.json_schema import SCHEMA, Json, JsonSchema, guessed
from adjudge.scorers.shared import read_records, sum_in_order
from adjudge.stats.measure import Measure, Prf, Ratio, Total

NAME = "extract-bench"
OUTCOMES = ("tp", "fp", "fn", "tn")
MEASURES: tuple[Measure, ...] = (
    Ratio(NAME, "pass_rate", (("passed", 1.0),), (("fields", 1.0),)),
    Ratio(NAME, "score", (("score", 1.0),), (("fields", 1.0),)),
    Prf(NAME, ("tp", "found"), ("tp", "wanted"), undefined=1),
    *(Total(NAME, each, ((each, 1.0),)) for each in OUTCOMES),
)
_TYPES: Mapping[str, Any] = {
    "string": str,
    "number": int | float,
    "integer": int,
    "boolean": bool,
    "object": dict,
    "array": list,
}
_USUAL = {"number": "number_tolerance", "integer": "integer_exact", "boolean": "boolean_exact"}
_ABSENT = object()


class Field(NamedTuple):
    """A field of a schema: an object has fields, anything else has a comparison of two values."""

    kind: str
    nullable: bool
    required: bool
    compare: Callable[[Any, Any], float]
    passing: float
    fields: Mapping[str, Field]


class Compared(NamedTuple):
    """One field of a document: what it is counted as, and its score."""

    outcome: str
    score: float


def run(gold: Any, system: Any, *, schema: str | None = None) -> Published:
    """The fields of all documents."""
    pairs = read_records(gold, system)
    given = JsonSchema.read(schema) if schema else guessed(pairs.gold(), pairs.sides[0].path)
    root = declared(given, text="" if schema else "string_case_insensitive")
    rows, wrong = [], []
    for key, ours, theirs in timed(pairs.documents):
        problems: list[tuple[int, str]] = []
        rows.append((key, _row(compared(root, (ours, theirs), "", problems))))
        wrong += [(key, side, message) for side, message in problems]
    pairs.refuse(wrong, "extract-bench stops there with a ValueError")
    return Published(rows, MEASURES, _text([row for _, row in rows]), notes=pairs.notes)


def _row(found: list[Compared]) -> dict[str, float]:
    counts = Counter(each.outcome for each in found)
    tp, fp, fn, tn = (counts[each] for each in OUTCOMES)
    sums = {"fields": len(found), "passed": tp + tn, "found": tp + fp, "wanted": tp + fn}
    score = sum_in_order(each.score for each in found)
    return {
        **{each: float(counts[each]) for each in OUTCOMES},
        **{k: float(n) for k, n in sums.items()},
        "score": score,
    }


def _text(rows: list[dict[str, float]]) -> str:
    """The head of the program's summary, and its counts."""
    fields, passed, score = (sum_in_order(row[column] for row in rows) for column in ("fields", "passed", "score"))
    counts = ", ".join(f"{each} {int(sum(row[each] for row in rows))}" for each in OUTCOMES)
    rate, mean = (part / fields if fields else 0.0 for part in (passed, score))
    return f"Pass Rate: {rate:.1%} ({passed:.0f}/{fields:.0f} fields)\nAverage Score: {mean:.3f}\n{counts}\n"


# ---------------------------------------------------------------------------------------------------------------------
# The schema


def declared(schema: JsonSchema, *, text: str = "") -> Field:
    """The fields of a schema; texts are compared by the preset `text` where it says nothing.

    >>> list(declared(guessed([{"name": "Ada", "born": 1815}]), text="string_exact").fields)
    ['name', 'born']
    """
    if schema.referred(schema.root, ()).get("type", "object") != "object":
        raise schema.wrong((), "the root must be an object", "extract-bench compares objects")
    root = _field(schema, {"type": "object", **schema.root}, (), text=text, required=True)
    assert root is not None
    return root


def _field(schema: JsonSchema, written: Json, where: Where, *, text: str, required: bool) -> Field | None:
    """One field; None if the program does not look at it."""
    node = schema.referred(written, where)
    config, several = node.get("evaluation_config"), isinstance(node.get("type"), list)
    if "type" not in node or (several and config is None):
        return None
    kind = schema.kind(node, where)
    if kind not in _TYPES or (several and kind in ("object", "array")):
        raise schema.wrong(
            where, f"the type {node['type']!r} is not compared", "string, number, integer, boolean, object"
        )
    plain = Field(kind, node.get("nullable") is True or several, required, _equal, 1.0, {})
    if kind == "object":
        parts = {
            name: _field(
                schema, own, (*where, "properties", name), text=text, required=name in node.get("required", ())
            )
            for name, own in (node.get("properties") or {}).items()
        }
        return plain._replace(fields={name: own for name, own in parts.items() if own is not None})
    if kind == "array":
        if config != "skip":
            hint = "leave lists out with evaluation_config: skip, or use another scorer"
            raise schema.wrong(where, "extract-bench asks a language model about every list", hint)
        inner = schema.referred(node.get("items") or {}, where)
        names = (inner.get("properties") or {}) if inner.get("type") == "object" else {"items": inner}
        return plain._replace(fields=dict.fromkeys(names, plain._replace(required=False)))
    if config == "skip":
        return None
    preset, options = _config(schema, node, where, {**_USUAL, "string": text}[kind])
    if preset == "string_fuzzy":
        return plain._replace(compare=_fuzzy, passing=0.8)
    if preset == "number_tolerance":
        tolerance = options.get("tolerance", 0.001)
        return plain._replace(compare=lambda ours, theirs: _near(ours, theirs, tolerance))
    return plain._replace(compare=PRESETS[preset])


def _config(schema: JsonSchema, node: Json, where: Where, usual: str) -> tuple[str, Mapping[str, Any]]:
    """The preset of a field and its options."""
    given = node.get("evaluation_config", usual)
    options: Any = {}
    if isinstance(given, dict):
        metrics = given.get("metrics")
        one = metrics[0] if isinstance(metrics, list) and len(metrics) == 1 and isinstance(metrics[0], dict) else {}
        given, options = one.get("metric_id"), one.get("params") or {}
    if given not in (*PRESETS, "string_fuzzy", "number_tolerance"):
        needs = not given or "llm" in str(given) or "semantic" in str(given)
        message = "extract-bench asks a language model about this field" if needs else f"there is no preset {given!r}"
        raise schema.wrong(where, message, 'write "evaluation_config": "string_exact" or another preset without one')
    if not isinstance(options, dict) or options.keys() - {"tolerance"} or (options and given != "number_tolerance"):
        raise schema.wrong(where, f"options of {given} are not supported here", "leave them out; tolerance is known")
    return str(given), options


def _equal(gold: Any, system: Any) -> float:
    return float(gold == system)


def _folded(gold: str, system: str) -> float:
    return float(gold.casefold() == system.casefold())


def _fuzzy(gold: str, system: str) -> float:
    return SequenceMatcher(None, gold.lower(), system.lower()).ratio()


def _near(gold: float, system: float, tolerance: float) -> float:
    """How near two numbers are, as a share of the tolerance; numbers beyond floats are equal or not.

    >>> _near(3, 4, 2), _near(10**400, 1, 0.5), _near(10**400, 10**400, 0.5)
    (1.0, 0.0, 1.0)
    """
    try:
        apart = float(abs(gold - system))
    except OverflowError:  # numbers beyond floats are not near
        return float(gold == system)
    return 1.0 if apart <= tolerance else max(0.0, 1 - apart / tolerance) if tolerance else 0.0


PRESETS: Mapping[str, Callable[[Any, Any], float]] = {
    "string_exact": _equal,
    "string_case_insensitive": _folded,
    "number_exact": _equal,
    "integer_exact": _equal,
    "boolean_exact": _equal,
}


# ---------------------------------------------------------------------------------------------------------------------
# Documents


def compared(field: Field, values: tuple[Any, Any], path: str, problems: list[tuple[int, str]]) -> list[Compared]:
    """The fields of a pair of values; what does not fit goes to `problems`, with its side.

    >>> root = declared(guessed([{"name": "Ada"}]), text="string_exact")
    >>> compared(root, ({"name": "Ada"}, {"name": "Alan"}), "", [])
    [Compared(outcome='fn', score=0.0)]
    """
    there = []
    for side, value in enumerate(values):
        fits = value is _ABSENT or (value is None and field.nullable) or isinstance(value, _TYPES[field.kind])
        if value is _ABSENT and field.required and path:
            problems.append((side, f"{path} is required and is not there"))
        elif not fits:
            problems.append((side, f"{path or 'the value'}: {value!r:.60} does not fit the type {field.kind}"))
        there.append(fits and value is not None and value is not _ABSENT)
    if field.kind == "array":  # the program walks its items, of which it has none
        return [Compared("tn", 1.0)] * len(field.fields)
    if field.kind == "object":
        ours, theirs = (value if present else None for value, present in zip(values, there, strict=True))
        found = []
        for name, own in field.fields.items():
            inner = tuple(_ABSENT if side is None else side.get(name, _ABSENT) for side in (ours, theirs))
            inside = f"{path}.{name}" if path else name
            found += compared(_inside(own, ours, theirs), (inner[0], inner[1]), inside, problems)
        return found
    if not any(there):
        return [Compared("tn", 1.0)]
    if not all(there):
        return [Compared("fn" if there[0] else "fp", 0.0)]
    score = field.compare(*values)
    return [Compared("tp" if score >= field.passing else "fn", score)]


def _inside(field: Field, *objects: Any) -> Field:
    """A field is required only in objects that are there."""
    return field._replace(required=False) if field.required and None in objects else field


SCORER = Scorer(
    name="extract-bench-0.1.0",
    family="record",
    about="the report of extract-bench 0.1.0, for schemas that need no language model",
    run=run,
    options={"schema": SCHEMA},
)
