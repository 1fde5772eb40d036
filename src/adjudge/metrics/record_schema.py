"""How the fields of records are compared, from a small file.

```yaml
name: words              # words in common (Dice)
price: {number: 0.05, relative: true}
date: {date: 1}          # no more than a day apart
country: text            # equal but for case, spacing and Unicode form
comment: ignore
size: {sim: edit}        # any similarity of `docs/metrics-as-data.md`
```

A field that is missing or null has no value; a list has several, which are matched one-to-one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adjudge.algebra import custom, decode, exact, ir, mapped, set_of, text
from adjudge.algebra.places import read_file, read_source
from adjudge.errors import FormatError, Problem, UsageError, did_you_mean

LARGEST = 10**15  # of a tolerance

HOW: dict[str, Any] = {
    "exact": lambda: exact,
    "text": lambda: mapped(exact, by="adjudge.metrics.record_schema:folded"),
    "squad": lambda: mapped(exact, by="adjudge.metrics.record_schema:squad"),
    "words": lambda: mapped(text("words"), by="adjudge.metrics.record_schema:folded_text"),
    "edit": lambda: mapped(text("edit"), by="adjudge.metrics.record_schema:folded_text"),
    "number": lambda: _custom("near(0)"),
    "date": lambda: _custom("days(0)"),
}


def read_schema(path: str | Path) -> dict[str, ir.Similarity]:
    """The fields of a file and how they are compared; all mistakes are reported at once.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "fields.yaml"
    >>> _ = file.write_text("name: words\\ncomment: ignore\\n")
    >>> list(read_schema(file))
    ['name']
    """
    place, text = str(path), read_file(path)
    if not text.strip():
        raise FormatError(Problem("the file is empty", path=place, hint="name: text"))
    source = read_source(text, path=place)
    if not isinstance(source.value, dict) or not source.value:
        raise FormatError(source.problem((), "expected fields and how they are compared", "name: text"))
    fields: dict[str, ir.Similarity] = {}
    problems: list[Problem] = []
    for name, how in source.value.items():
        try:
            found = _similarity(how)
        except (UsageError, FormatError) as error:
            problems += (source.problem((name,), f"{name}: {p.message}", p.hint) for p in error.problems)
        else:
            if found is not None:
                fields[name] = found
    if not problems and not fields:
        problems.append(source.problem((), "all fields are ignored", "compare at least one"))
    if problems:
        raise FormatError(problems)
    return fields


def _similarity(how: Any) -> ir.Similarity | None:
    """What a field is compared by; None if it is ignored."""
    if how == "ignore":
        return None
    if isinstance(how, str):
        if how not in HOW:
            known = (*HOW, "ignore")
            raise UsageError(
                f"there is no comparison {how!r}", hint=did_you_mean(how, known) or f"use {', '.join(known)}"
            )
        made: ir.Similarity = HOW[how]()
        return made
    if isinstance(how, dict) and "sim" in how:
        import msgspec

        return decode(msgspec.json.encode(how))
    match how:
        case {"number": int() | float() as much, **rest} if set(rest) <= {"relative"} and 0 <= much <= LARGEST:
            return _custom(f"{'within' if rest.get('relative') else 'near'}({much:g})")
        case {"date": int() as number} if len(how) == 1 and 0 <= number <= LARGEST:
            return _custom(f"days({number})")
    raise UsageError(
        f"{how!r} says no comparison", hint="write text, {number: 0.5}, {number: 0.05, relative: true}, {date: 1}"
    )


def _custom(name: str) -> ir.Similarity:
    return custom(name, upper=1.0, symmetric=True, self_score=1.0)


def of_fields(fields: dict[str, ir.Similarity]) -> ir.Sum:
    """The number of values that two records have in common, field by field."""
    # What is not there is a case of its own, so that a field may be missing; it has nothing, and shares nothing.
    empty = mapped(set_of(exact), by="present")
    found: dict[str, ir.Similarity] = {}
    for name, of in fields.items():
        some = mapped(set_of(of), by="present")
        found[name] = ir.Union(cases=(ir.Case(type="null", of=empty), ir.Case(of=some)))
    return ir.Sum(fields=found)


def folded(value: Any) -> Any:
    """A text without differences that nobody means; other values as they are."""
    from adjudge.algebra.values import fold

    return fold(value) if isinstance(value, str) else value


def folded_text(value: Any) -> str:
    """The same, and other values as they are written."""
    return str(folded(value))


def squad(value: Any) -> Any:
    """A text without case, punctuation and articles; other values as they are."""
    from adjudge.algebra.functions import resolve

    return resolve("squad")(value) if isinstance(value, str) else value
