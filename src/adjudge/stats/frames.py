"""Results as data frames, without depending on the libraries that have them, and as rows of plain dicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import msgspec

from adjudge.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from adjudge.stats.result import Result

Rows: TypeAlias = Literal["scores", "comparisons", "documents"]


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
    hint = did_you_mean(rows, get_args(Rows)) or f"rows are {', '.join(get_args(Rows))}"
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
    import math

    from adjudge.stats.points import per_document

    rows = []
    for system in result.systems:
        table = system.table
        if table is None or not result.measures:
            hint = "write it with --save or Result.save"
            raise UsageError(f"the result of {system.name} has no counts per document", hint=hint)
        scores = {".".join(key): values.tolist() for key, values in per_document(table, result.measures).items()}
        for place, identifier in enumerate(table.ids):
            own = {name: values[place] for name, values in scores.items()}
            rows.append(
                {
                    "system": system.name,
                    "document": identifier,
                    **{f"slice.{name}": column[place] for name, column in table.attributes.items()},
                    **{f"count.{name}": table.values[place][at] for at, name in enumerate(table.columns)},
                    **{name: None if math.isnan(value) else value for name, value in own.items()},
                }
            )
    return rows
