"""Similarities of single values, and ways to combine them.

`exact` and `variable` are ready to use; the others are functions that return a node. `Annotated[str, exact]` chooses
the similarity of a field, `record(name=exact, span=iou(above=0.5))` builds one by hand.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from adjudge.algebra import ir
from adjudge.algebra.functions import Fn
from adjudge.algebra.ir import need_similarity
from adjudge.algebra.matching import function, set_of
from adjudge.errors import FormatError, Problem, UsageError

if TYPE_CHECKING:
    from pathlib import Path

Function = str | Callable[..., Any] | Fn

exact = ir.Exact()
"""Equality. (Eq. 1)"""

variable = ir.Variable()
"""Two variables are similar iff the enclosing `latent` matches them. (Eq. 34)"""


def record(fields: Mapping[str, ir.Similarity] | None = None, /, **named: ir.Similarity) -> ir.Record:
    """The product of the similarities of the fields. (Eq. 2)

    >>> list(record(start=exact, end=exact).fields)
    ['start', 'end']
    """
    return ir.Record(fields=_fields(fields, named))


def total(fields: Mapping[str, ir.Similarity] | None = None, /, **named: ir.Similarity) -> ir.Sum:
    """The sum of the similarities of the fields: parts that are counted together.

    >>> list(total(entities=set_of(exact), relations=set_of(exact)).fields)
    ['entities', 'relations']
    """
    return ir.Sum(fields=_fields(fields, named))


def _fields(fields: Mapping[str, ir.Similarity] | None, named: Mapping[str, ir.Similarity]) -> dict[str, ir.Similarity]:
    return {name: need_similarity(of, what=f"the field {name}") for name, of in {**(fields or {}), **named}.items()}


def case(
    of: ir.Similarity,
    *,
    name: str | None = None,
    type: ir.Kind | None = None,
    prefix: str | None = None,
    has: str | None = None,
    field: str | None = None,
    equals: str | int | bool | None = None,
    python: Function | None = None,
) -> ir.Case:
    """One case of a union and the conditions for taking it: the kind of the value, a field it has, its class, ...

    >>> case(exact, prefix="Q").prefix
    'Q'
    """
    return ir.Case(
        of=need_similarity(of),
        name=name,
        type=type,
        prefix=prefix,
        has=has,
        field=field,
        equals=equals,
        python=None if python is None else function(python),
    )


def union(*cases: ir.Case | ir.Similarity) -> ir.Union:
    """0 between different cases, the case's own similarity within one; a bare similarity takes everything else.

    >>> len(union(case(variable, prefix="?"), exact).cases)
    2
    """
    made = tuple(each if isinstance(each, ir.Case) else ir.Case(of=need_similarity(each)) for each in cases)
    return ir.Union(cases=made)


def mapped(
    of: ir.Similarity, *, by: Function | None = None, system: Function | None = None, gold: Function | None = None
) -> ir.Mapped:
    """phi(f(s), f(g)) with f = `by`; `system` and `gold` are used on one side only.

    >>> mapped(exact, by="casefold").by
    Fn('casefold')
    """
    functions = {
        side: None if given is None else function(given)
        for side, given in {"by": by, "system": system, "gold": gold}.items()
    }
    return ir.Mapped(of=need_similarity(of), **functions)


def one_of(of: ir.Similarity) -> ir.Mapped:
    """The system's one value against the best of several gold alternatives.

    >>> one_of(exact).system
    Fn('singleton')
    """
    return mapped(set_of(of, match="best"), system="singleton")


def threshold(
    of: ir.Similarity, *, above: float | None = None, at_least: float | None = None, keep: bool = False
) -> ir.Threshold:
    """[phi > above] or [phi >= at_least]; `keep` lets what passes keep its value. (Eq. 29)

    >>> threshold(iou(), above=0.5).above
    0.5
    """
    return ir.Threshold(
        of=need_similarity(of), above=_float(above, "above"), at_least=_float(at_least, "at_least"), keep=keep
    )


def best_of(*similarities: ir.Similarity) -> ir.Max:
    """The best of several similarities of the same two values.

    >>> len(best_of(exact, edit()).of)
    2
    """
    return ir.Max(of=tuple(need_similarity(of, what="each argument") for of in similarities))


def unit(of: ir.Similarity) -> ir.Unit:
    """The same similarity with a self score of one by definition. (Eq. 32)

    >>> unit(exact).of == exact
    True
    """
    return ir.Unit(of=need_similarity(of))


def overlap(
    of: ir.Similarity = exact, *, by: ir.OverlapKind = "dice", duplicates: ir.Duplicates | None = None
) -> ir.Overlap:
    """A function of the sizes of two collections and of what they share. (Eq. 17, 18, 21, 25)

    >>> overlap(by="link").by
    'link'
    """
    return ir.Overlap(of=need_similarity(of), by=by, duplicates=duplicates)


def dice(of: ir.Similarity = exact, *, duplicates: ir.Duplicates | None = None) -> ir.Overlap:
    """2 |S & G| / (|S| + |G|). (Eq. 18)

    >>> dice().by
    'dice'
    """
    return overlap(of, by="dice", duplicates=duplicates)


def span(*, by: ir.SpanKind = "jaccard", start: str = "start", end: str = "end", inclusive: bool = False) -> ir.Span:
    """The overlap of two spans [start, end), or [start, end] if `inclusive`.

    >>> span(by="dice").start
    'start'
    """
    return ir.Span(by=by, start=start, end=end, inclusive=inclusive)


def iou(
    *,
    above: float | None = None,
    at_least: float | None = None,
    start: str = "start",
    end: str = "end",
    inclusive: bool = False,
) -> ir.Span | ir.Threshold:
    """Intersection over union of two spans; with `above` or `at_least`, whether it reaches that. (Eq. 29)

    >>> iou(above=0.5).of.by
    'jaccard'
    """
    whole = span(by="jaccard", start=start, end=end, inclusive=inclusive)
    if above is None and at_least is None:
        return whole
    return threshold(whole, above=above, at_least=at_least)


def edit() -> ir.Edit:
    """1 - (edit distance) / (length of the longer string).

    >>> edit()
    Edit()
    """
    return ir.Edit()


def text(
    by: Literal["exact", "edit", "words", "ngrams"] = "exact",
    *,
    normalise: Function | Sequence[Function] = (),
    n: int = 3,
    measure: ir.OverlapKind = "dice",
    duplicates: ir.Duplicates | None = None,
) -> ir.Similarity:
    """Two texts after normalising them: equality, edit distance, or the overlap of their words or character n-grams.

    The normalisers are applied in the order given.

    >>> text("words", normalise=["casefold", "punctuation"]).of.of.of.by
    'dice'
    """
    of: ir.Similarity
    if by == "exact":
        of = ir.Exact(type="string")
    elif by == "edit":
        of = edit()
    elif by == "words":
        of = mapped(overlap(by=measure, duplicates=duplicates), by="words")
    elif by == "ngrams":
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise UsageError(f"text: n must be a whole number of at least 1, got {n!r}")
        of = mapped(overlap(by=measure, duplicates=duplicates), by=f"ngrams({n})")
    else:
        raise UsageError(f"text: by must be exact, edit, words or ngrams, got {by!r}")
    steps = [normalise] if isinstance(normalise, str | Fn) or callable(normalise) else list(normalise)
    for step in reversed(steps):
        of = mapped(of, by=step)
    return of


def number(scale: float) -> ir.Number:
    """max(0, 1 - |s - g| / scale).

    >>> number(10).scale
    10.0
    """
    return ir.Number(scale=_float(scale, "scale") or 0.0)


def custom(
    function_: Function,
    /,
    *,
    key: Function | None = None,
    upper: float | Function | None = None,
    symmetric: bool = False,
    self_score: float | None = None,
) -> ir.Custom:
    """A Python function of (system, gold), with declarations that make it fast.

    `key`: values with different keys have similarity 0. `upper`: a number that no similarity exceeds, or a cheap
    function of the pair that is never below it. `symmetric`: f(a, b) = f(b, a). `self_score`: the constant f(x, x).

    >>> custom(max, upper=10).upper
    10.0
    """
    numeric = isinstance(upper, int | float) and not isinstance(upper, bool)
    return ir.Custom(
        function=function(function_),
        key=None if key is None else function(key),
        upper=_float(upper, "upper") if numeric else None,
        bound=None if numeric or upper is None else function(upper),  # type: ignore[arg-type]
        symmetric=symmetric,
        self_score=_float(self_score, "self_score"),
    )


def hierarchy(
    parents: Mapping[str, str] | str | Path | None = None,
    *,
    separator: str | None = None,
    credit: ir.Credit = "halving",
    partial: float = 0.5,
    table: Mapping[tuple[str, str], float] | Iterable[tuple[str, str, float]] = (),
) -> ir.Hierarchy:
    """Partial credit between types of a hierarchy. (Eq. 33, 38, 39)

    `parents` maps each type to the next more general one, or is a file that does: `.json` (an object) or lines of
    child, tab, parent. With `separator` the path is in the name itself, as in `conflict.attack`. `table` gives
    credits for pairs (system, gold) directly.

    >>> hierarchy({"attack": "conflict"}).credit
    'halving'
    """
    if isinstance(parents, str | os.PathLike):
        from pathlib import Path

        parents = read_parents(Path(parents))
    rows = [(*pair, worth) for pair, worth in table.items()] if isinstance(table, Mapping) else table
    return ir.Hierarchy(
        parents=None if parents is None else dict(parents),
        separator=separator,
        credit=credit,
        partial=_float(partial, "partial") or 0.0,
        table=tuple((system, gold, _float(worth, "credit") or 0.0) for system, gold, worth in rows),
    )


def read_parents(path: Path) -> dict[str, str]:
    """The hierarchy in a file; all mistakes of the file are reported at once."""
    from adjudge.algebra.places import read_file

    content = read_file(path)
    if path.suffix == ".json":
        return _parents_from_json(content, str(path))
    found: dict[str, str] = {}
    problems = []
    for line, row in enumerate(content.splitlines(), 1):
        if not row.strip() or row.startswith("#"):
            continue
        parts = [part.strip() for part in row.split("\t")]
        if len(parts) != 2 or not all(parts):
            hint = "write one pair on each line"
            problems.append(Problem("expected a child, a tab and its parent", path=str(path), line=line, hint=hint))
        elif found.setdefault(*parts) != parts[1]:
            message = f"{parts[0]} already has the parent {found[parts[0]]}"
            problems.append(Problem(message, path=str(path), line=line, hint="a type has one parent"))
    if problems:
        raise FormatError(problems)
    return found


def _parents_from_json(content: str, path: str) -> dict[str, str]:
    import json

    from adjudge.model.whereabouts import json_place

    try:
        found = json.loads(content)
    except json.JSONDecodeError as error:
        raise FormatError(Problem(error.msg, path=path, line=error.lineno, column=error.colno)) from None
    except (RecursionError, ValueError):  # a ValueError is an integer that is too long for Python to convert
        raise FormatError(Problem("expected an object of child and parent names", path=path, line=1)) from None
    if not isinstance(found, dict):
        raise FormatError(Problem("expected an object of child and parent names", path=path, line=1, column=1))
    wrong = [
        Problem(f"the parent of {child} must be a string or null, got {parent!r}", path, *json_place(content, (child,)))
        for child, parent in found.items()
        if not (parent is None or isinstance(parent, str))
    ]
    if wrong:
        raise FormatError(wrong)
    return {child: parent for child, parent in found.items() if parent is not None}


def _float(value: Any, name: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{name} must be a number, got {value!r}")
    return float(value)
