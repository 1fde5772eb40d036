"""Loading saved results: whether their parts fit together, and their counts are possible.

A file that was cut short, edited or assembled by hand must not silently become a score. Messages end in the path of the
value, as those of msgspec do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from adjudge._version import __version__
from adjudge.errors import AdjudgeError, FormatError, Problem
from adjudge.model.whereabouts import json_place
from adjudge.stats.alignment import check_documents
from adjudge.stats.elements import check_elements
from adjudge.stats.measure import Blanc, Measure, Prf, measures_of, needed_columns
from adjudge.stats.panel import check_panel
from adjudge.stats.result import Result, SampledCounts, SystemResult

if TYPE_CHECKING:
    from adjudge.stats.elements import ElementSlice, ElementTable
    from adjudge.stats.table import StatsTable

_ROUNDED = 1e-9  # how much sums of fractions may be off, as a share
_OWN = "score"  # the task of the user's own metrics, in which a pair may be worth more than either self score


def decode_result(data: bytes, path: str = "<result>") -> Result:
    """A result from its JSON; `path` names it in errors. Impossible counts are an error.

    >>> decode_result(b'{"task": "nugget"}', "a.json")
    Traceback (most recent call last):
    adjudge.errors.FormatError: a.json:1:1: not a saved result: Object missing required field `adjudge`, give a ...
    """
    hint = "give a file written by --save or by Result.save"
    try:
        version = msgspec.json.decode(data, type=_Stamp).adjudge
        _refuse_newer(version, path)
        result = msgspec.json.decode(_without_old_documents(data, version), type=Result)
        names = [system.name for system in result.systems]
        if len(set(names)) < len(names):
            raise FormatError("two systems have the same name - at `$.systems`")
        _check_counts(result)
    except RecursionError:
        raise FormatError(Problem("not a saved result: nested too deeply", path, 1, hint=hint)) from None
    except msgspec.ValidationError as error:
        raise FormatError(_misplaced(data, str(error), path, hint)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        line, column = _position(data, str(error))
        message = f"not JSON: {_reason(str(error))}"
        raise FormatError(Problem(message, path=path, line=line, column=column, hint=hint)) from error
    except AdjudgeError as error:
        problems = [p if p.path else _misplaced(data, str(p), path, hint) for p in error.problems]
        raise FormatError(problems) from error
    return result


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) that every JSON output of a result satisfies.

    >>> json_schema()["$ref"]
    '#/$defs/Result'
    """
    from adjudge.stats.influence import Differences  # what `compare` adds

    (whole, more), parts = msgspec.json.schema_components([Result, Differences], ref_template="#/$defs/{name}")
    parts["Result"]["properties"]["differences"] = more
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **whole, "$defs": parts}


def _without_old_documents(data: bytes, version: str) -> bytes:
    """A result of 0.1 without the outcomes of items, which had another form; a note says so."""
    if _release(version) > (0, 2) or b'"documents":{' not in data:
        return data
    found = msgspec.json.decode(data)
    if not isinstance(found.get("documents"), dict):
        return data
    count = len(found.pop("documents").get("gold", ()))
    for system in found["systems"]:
        system.pop("outcomes", None)
    message = f"the outcome of the items was saved by adjudge {version} in another form, score again to see it"
    found.setdefault("notes", []).append({"code": "old-documents", "count": count, "message": message})
    return msgspec.json.encode(found)


class _Stamp(msgspec.Struct):
    adjudge: str


def _release(version: str) -> tuple[int, int]:
    found = re.match(r"(\d{1,9})\.(\d{1,9})(?!\d)", version)
    if not found:
        raise FormatError(f"`{version}` is not a version - at `$.adjudge`")
    return int(found[1]), int(found[2])


def _refuse_newer(version: str, path: str) -> None:
    """Before 1.0 every minor release may change the form of a result, after that only a major one."""
    theirs, ours = _release(version), _release(__version__)
    if theirs[0] > ours[0] or (theirs[0] == ours[0] == 0 and theirs[1] > ours[1]):
        hint = "upgrade with: pip install --upgrade adjudge"
        raise FormatError(Problem(f"written by adjudge {version}, this is {__version__}", path=path, hint=hint))


def _check_counts(result: Result) -> None:
    """Raise unless the counts of all systems are those of its documents and measures, and are possible."""
    bounded = result.task != _OWN
    for number, panel in enumerate(result.panels):
        _attempt(f"$.panels[{number}]", partial(check_panel, panel))
    for number, system in enumerate(result.systems):
        where = f"$.systems[{number}]"
        _check_parts(system, where)
        _attempt(f"{where}.aligned", partial(check_documents, result.documents, system.aligned))
        if system.table is not None:
            corpus = result.options is not None and result.options.pool == "corpus"
            measures = measures_of(result.measures, system.table.columns) if corpus else result.measures
            _attempt(f"{where}.table", partial(_check_table, system.table, measures, bounded))
        for place, each in enumerate(system.elements):
            _attempt(f"{where}.elements[{place}]", partial(_check_slices, each, result.measures, bounded))


def _attempt(where: str, check: Callable[[], Any]) -> Any:
    try:
        return check()
    except AdjudgeError as error:
        raise FormatError(f"{error} - at `{where}`") from error


def _check_parts(system: SystemResult, where: str) -> None:
    """Raise unless all parts of a system have the right sizes."""
    if system.documents < 0:
        raise FormatError(f"{system.documents} documents - at `{where}.documents`")
    if (table := system.table) is not None:
        _attempt(f"{where}.table", table.checked)
        if len(table) != system.documents:
            message = f"{len(table)} documents in the table, {system.documents} in the result"
            raise FormatError(f"{message} - at `{where}.table`")
        if system.best is not None:
            _attempt(f"{where}.best", system.best.checked)
            _attempt(f"{where}.best", partial(table.replaced, system.best))
    for place, each in enumerate(system.elements):
        _attempt(f"{where}.elements[{place}]", partial(check_elements, each, system.documents))
    for place, samples in enumerate(system.samples):
        _attempt(f"{where}.samples[{place}]", partial(check_samples, samples))


def _check_table(table: StatsTable, measures: Sequence[Measure], bounded: bool) -> None:
    possible = measures_of(measures, table.columns)
    for measure in measures:
        if measure not in possible:
            missing = sorted(needed_columns(measure).difference(table.columns)) or ["what it combines"]
            raise FormatError(f"the measure {measure.name} lacks {missing[0]}")
    _check_rows(table.columns, table.values, measures, bounded, lambda row: f"document {table.ids[row]}")


def _check_slices(table: ElementTable, measures: Sequence[Measure], bounded: bool) -> None:
    _check_rows(table.columns, table.rest.values, measures, bounded, lambda row: f"row {row + 1} of no value")
    for each in table.slices:
        _check_rows(table.columns, each.rows.values, measures, bounded, partial(_row_of, each))


def _row_of(each: ElementSlice, row: int) -> str:
    return f"row {row + 1} of the value {each.value!r}"


def _check_rows(
    columns: Sequence[str],
    rows: Sequence[Sequence[float]],
    measures: Sequence[Measure],
    bounded: bool,
    name: Callable[[int], str],
) -> None:
    """Raise if a count is negative or, if `bounded`, more is matched than there is."""
    import numpy as np

    values = np.array(rows, dtype=np.float64).reshape(len(rows), len(columns))
    places = {column: place for place, column in enumerate(columns)}
    pairs = dict.fromkeys(pair for measure in measures_of(measures, columns) for pair in _counted(measure))
    for column in dict.fromkeys(column for pair in pairs for column in pair):
        counts = values[:, places[column]]
        for row in np.flatnonzero(counts < 0).tolist():
            raise FormatError(f"{column} of {name(row)} is {counts[row]:g}, a count cannot be negative")
    for part, whole in pairs if bounded else ():
        few, many = values[:, places[part]], values[:, places[whole]]
        for row in np.flatnonzero(few > many * (1 + _ROUNDED) + _ROUNDED).tolist():
            raise FormatError(f"{part} of {name(row)} is {few[row]:g}, more than {whole}, which is {many[row]:g}")


def _counted(measure: Measure) -> Iterator[tuple[str, str]]:
    """The columns that count a part of what another one counts."""
    if isinstance(measure, Prf):
        yield from (measure.precision, measure.recall)
    elif isinstance(measure, Blanc):
        for matched, *sides in (measure.coref, measure.noncoref, measure.mentions):
            yield from ((matched, side) for side in sides)


def check_samples(samples: SampledCounts) -> None:
    """Raise unless every column has a value for every sample.

    >>> check_samples(SampledCounts(("n",), 2, ((1.0, 1.0),)))
    Traceback (most recent call last):
    adjudge.errors.FormatError: a column of samples has 2 values, there must be at least 3
    """
    if len(samples.values) != len(samples.columns):
        raise FormatError(f"{len(samples.values)} columns of samples for {len(samples.columns)} names")
    lengths = {len(column) for column in samples.values}
    if len(lengths) > 1:
        raise FormatError("the columns of samples have different lengths")
    least = 1 + max(0, samples.left_out) + len(samples.pairs)
    if samples.left_out < 0 or any(length < least for length in lengths):
        shortest = min(lengths, default=0)
        raise FormatError(f"a column of samples has {shortest} values, there must be at least {least}")
    if any(not 0 <= place < samples.left_out for pair in samples.pairs for place in pair):
        raise FormatError("a pair of leave-outs names one that is not there")


def _misplaced(data: bytes, message: str, path: str, hint: str) -> Problem:
    """A message that ends in the path of a value, with the place of that value."""
    where = re.search(r"- at `(\$[^`]*)`$", message)
    line, column = json_place(data.decode("utf-8", "replace"), where[1] if where else "$")
    return Problem(f"not a saved result: {message}", path, line, column, hint)


def _position(data: bytes, message: str) -> tuple[int, int]:
    """The line and column of an error in JSON."""
    found = re.search(r"\(byte (\d+)\)|in position (\d+)", message)
    before = data[: int(found[1] or found[2])] if found else data
    return before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1


def _reason(message: str) -> str:
    """The message of an error in JSON, without its place."""
    return re.sub(r"^JSON is malformed: |\s*\(byte \d+\)", "", message)
