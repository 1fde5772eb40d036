"""Results in data frames and test suites: rows for pandas and polars, and a score as a condition (`assert_score`)."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, TypedDict, Unpack

import msgspec

from adjudge.errors import UsageError, check_keywords, did_you_mean
from adjudge.stats.estimate import Estimate
from adjudge.stats.points import per_document
from adjudge.stats.result import Result
from adjudge.stats.table import AttributeValue

ROWS = ("scores", "comparisons", "documents")


def result_rows(result: Result, rows: str = "scores") -> list[dict[str, Any]]:
    """One flat dict per score, comparison, or document and system, all with the same keys.

    Slices are `slice.FIELD`; documents have their attributes, counts, and scores as `METRIC.PART`.
    """
    if rows == "scores":
        return result.to_dicts()
    if rows == "comparisons":
        return _comparison_rows(result)
    if rows == "documents":
        return _document_rows(result)
    hint = did_you_mean(rows, ROWS) or f"rows are {', '.join(ROWS)}"
    raise UsageError(f"a result has no rows of {rows!r}", hint=hint)


def to_frame(rows: Sequence[Mapping[str, Any]], library: str) -> Any:
    """A data frame of pandas or polars; an error that says what to install if it is not there.

    >>> to_frame([], "no_such_library")
    Traceback (most recent call last):
    adjudge.errors.UsageError: no_such_library is not installed, install it with: pip install no_such_library
    """
    try:
        module = import_module(library)
    except ImportError as error:
        hint = f"install it with: pip install {library}"
        raise UsageError(f"{library} is not installed", hint=hint) from error
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    # All rows decide about the type of a column, not the first few, where a value may be missing.
    return module.DataFrame(columns, infer_schema_length=None) if library == "polars" else module.DataFrame(columns)


def _comparison_rows(result: Result) -> list[dict[str, Any]]:
    fields = dict.fromkeys(name for each in result.comparisons for name in each.slice)
    rows = []
    for each in result.comparisons:
        row = msgspec.structs.asdict(each)
        where = row.pop("slice")
        rows.append({**row, **{f"slice.{name}": where.get(name) for name in fields}})
    return rows


def _document_rows(result: Result) -> list[dict[str, Any]]:
    rows = []
    for system, table in result.tables().items():
        scores = {".".join(key): values.tolist() for key, values in per_document(table, result.measures).items()}
        for place, identifier in enumerate(table.ids):
            own = {name: values[place] for name, values in scores.items()}
            rows.append(
                {
                    "system": system,
                    "document": identifier,
                    **{f"slice.{name}": column[place] for name, column in table.attributes.items()},
                    **{f"count.{name}": table.values[place][at] for at, name in enumerate(table.columns)},
                    **{name: None if math.isnan(value) else value for name, value in own.items()},
                }
            )
    return rows


def flat(result: Result) -> dict[str, float]:
    """Scores of the whole corpus by one name each; two that would get the same name are an error."""
    found: dict[str, float] = {}
    several = len(result.systems) > 1
    for system in result.systems:
        for score in system.scores:
            if score.slice:
                continue
            name = f"{system.name}/" * several + f"{score.metric}.{score.part}"
            key = re.sub(r"[^\w\-./ ]", "_", name, flags=re.ASCII)
            for end, value in (("", score.value), (".low", score.low), (".high", score.high), (".bound", score.bound)):
                if value is None:
                    continue
                if f"{key}{end}" in found:
                    raise UsageError(f"two scores would be called {key}{end}", hint="rename a system or a metric")
                found[f"{key}{end}"] = value
    return found


class Asserted(TypedDict, total=False):
    """Further arguments of `assert_score`: a system, a slice, whether the whole interval counts, and a gate's."""

    system: str | None
    where: Mapping[str, AttributeValue] | None
    interval: bool
    alpha: float
    margin: float | None


def assert_score(
    result: Result | str | os.PathLike[str],
    name: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    not_worse_than: Result | str | os.PathLike[str] | None = None,
    **more: Unpack[Asserted],
) -> Estimate:
    """Raise an AssertionError unless a score is within bounds, or no worse than a baseline; return it.

    `result` is a result or the path of a saved one, `name` a metric and its part (`relation.strict.f1`). `system` names
    one of several systems, `where` a slice. With `interval` the whole interval must be within the bounds. An undefined
    score is never within bounds. `not_worse_than` is a result, the path of a saved one, or the name of another system
    of the result: the score must not be significantly worse at the level `alpha` (0.05), or with a `margin`, the
    interval of the difference must lie above it.

    >>> from adjudge.tasks.scoring import score
    >>> found = score("record.set", [{"id": "d", "items": ["a", "b"]}], [{"id": "d", "items": ["a"]}], bootstrap=0)
    >>> assert_score(found, "record.set.precision", at_least=0.9)
    1.0000
    >>> assert_score(found, "record.set.recall", at_least=0.9)
    Traceback (most recent call last):
    AssertionError: record.set.recall of system is 0.5000, which is below 0.9 (score|metric:record.set|...)
    """
    check_keywords(more, Asserted.__annotations__, "assert_score")
    if at_least is None and at_most is None and not_worse_than is None:
        raise UsageError("assert_score has no bound", hint="give at_least, at_most or not_worse_than")
    found = result if isinstance(result, Result) else Result.load(result)
    system, where, interval = more.get("system"), more.get("where"), more.get("interval", False)
    if system is None and isinstance(not_worse_than, str) and len(found.systems) == 2:
        system = next((each.name for each in found.systems if each.name != not_worse_than), None)
    own = found.systems[0] if system is None and found.systems else found.system(system or "")
    if system is None and len(found.systems) > 1:
        names = ", ".join(each.name for each in found.systems)
        raise UsageError("the result has several systems", hint=f"name one of them with system=: {names}")
    metric, _, part = name.rpartition(".")
    # A part such as f0.5 has a dot of its own.
    keys = {f"{each.metric}.{each.part}": (each.metric, each.part) for each in own.scores}
    metric, part = keys.get(name, (metric, part))
    if name not in keys:
        raise UsageError(
            f"the result has no score {name!r}", hint=did_you_mean(name, keys) or f"it has {', '.join(keys)}"
        )
    scores: Any = own[metric]
    value: Estimate = (scores.where(**where) if where else scores)[part]
    low = value.low if interval and value.low is not None else float(value)
    high = value.high if interval and value.high is not None else float(value)
    wrong = []
    if at_least is not None and not low >= at_least:
        wrong.append(f"below {at_least:g}")
    if at_most is not None and not high <= at_most:
        wrong.append(f"above {at_most:g}")
    if wrong:
        slice_ = f" ({', '.join(f'{key}={each}' for key, each in where.items())})" if where else ""
        which = "its interval goes" if interval and value.low is not None else "which is"
        level = f" ({100 * value.level:g} % interval)" if value.level is not None else ""
        reason = "undefined" if value != value else f"{value!r}{level}, {which} {' and '.join(wrong)}"
        message = f"{name} of {own.name}{slice_} is {reason} ({found.signature})"
        raise AssertionError(message)
    if not_worse_than is not None:
        _assert_not_worse(found, own.name, name, not_worse_than, more)
    return value


def _assert_not_worse(
    found: Result, system: str, name: str, baseline: Result | str | os.PathLike[str], more: Asserted
) -> None:
    """Raise an AssertionError if a gate fails, with the drops that it can detect."""
    from adjudge.stats.gate import LEVEL, Gate, alone, gated

    level, margin = more.get("alpha"), more.get("margin")
    gate = Gate(LEVEL if level is None else level, margin, (name,))
    names = [each.name for each in found.systems]
    if isinstance(baseline, str) and baseline in names and baseline != system:
        other = alone(found, baseline)
    else:
        other = baseline if isinstance(baseline, Result) else Result.load(baseline)
    verdict = gated(alone(found, system), other, gate)
    where = more.get("where") or {}
    problems = [
        each
        for each, failed in zip(verdict.problems(), verdict.failed, strict=True)
        if dict(failed.slice) == dict(where)
    ]
    if problems:
        raise AssertionError("; ".join([*map(str, problems), *verdict.seen()]))
