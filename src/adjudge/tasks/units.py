"""What annotators label and mark: labels of units given to all of them, and spans of a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.errors import Problem, UsageError, ValidationError, did_you_mean
from adjudge.tasks.elements import NOTHING, field_of, is_scalar

if TYPE_CHECKING:
    from adjudge.stats.agreement import Counted
    from adjudge.stats.unitising import Unit

NO_UNIT = "(none)"
_SPANS = ("", "span", "trigger", "extent", "mention")
_CATEGORIES = ("type", "label", "category")

Documents = Mapping[str, Any]


class Continua(NamedTuple):
    """The units of all annotators on every document, what its positions are, and what had to be assumed."""

    on: str
    documents: list[tuple[int, list[list[Unit]]]]
    merged: int
    guessed: int


def labels_of(
    annotators: Mapping[str, Documents], path: str, unit: Sequence[str] = ()
) -> tuple[list[str], list[Counted]]:
    """The labels of every document: one row per unit, None where an annotator has not labelled it.

    `path` is a field of the document (`genre`: the document is the unit; a list: its positions are the units) or of its
    elements (`tokens.tag`), which are paired by position, or by the values of their fields `unit`.

    >>> a = {"d1": {"tokens": [{"tag": "N"}, {"tag": "V"}]}, "d2": {"tokens": [{"tag": "N"}]}}
    >>> b = {"d1": {"tokens": [{"tag": "N"}, {"tag": "N"}]}}
    >>> labels_of({"A": a, "B": b}, "tokens.tag")
    (['d1', 'd2'], [[(['N', 'N'], 1), (['V', 'N'], 1)], [(['N', None], 1)]])
    """
    ids = list(dict.fromkeys(identifier for documents in annotators.values() for identifier in documents))
    problems: list[Problem] = []
    found: list[Counted] = []
    seen = False
    for identifier in ids:
        own: list[dict[Any, Any] | None] = []
        for name, documents in annotators.items():
            if identifier not in documents:
                own.append(None)
                continue
            labels = _labels(documents[identifier], path, unit, f"{name}: document {identifier!r}", problems)
            seen = seen or labels is not None
            own.append(labels or {})
        sizes = {len(labels) for labels in own if labels is not None}
        if not unit and len(sizes) > 1:
            counts = ", ".join(
                f"{name} {len(each)}" for name, each in zip(annotators, own, strict=True) if each is not None
            )
            hint = "annotators must label the same units; pair them by a field with --unit"
            problems.append(Problem(f"document {identifier!r}: different numbers of {path} ({counts})", hint=hint))
            continue
        keys = dict.fromkeys(key for labels in own if labels is not None for key in labels)
        found.append([([None if labels is None else labels.get(key) for labels in own], 1) for key in keys])
    if problems:
        raise ValidationError(problems)
    if not seen:
        known = dict.fromkeys(key for each in annotators.values() for data in each.values() for key in _keys(data))
        hint = did_you_mean(path, known) or (f"fields are {', '.join(known)}" if known else "check the name")
        raise UsageError(f"no document has a field {path!r} to label by", hint=hint)
    return ids, found


def _keys(data: Any) -> list[str]:
    return [str(key) for key in data if key != "id"] if isinstance(data, Mapping) else []


def _labels(data: Any, path: str, unit: Sequence[str], where: str, problems: list[Problem]) -> dict[Any, Any] | None:
    """The labels of one document by unit; None if it does not have the field."""
    value = field_of(data, path)
    outer, dot, inner = path.partition(".")
    items = field_of(data, outer) if dot else NOTHING
    if value is NOTHING and not isinstance(items, list | tuple):
        return None
    if value is not NOTHING:
        if unit:
            hint = "leave unit out, or name a field of elements, such as tokens.tag"
            raise UsageError(f"{path} is not a field of elements that could be paired by {'+'.join(unit)}", hint=hint)
        pairs: list[tuple[Any, Any]] = list(enumerate(value)) if isinstance(value, list | tuple) else [(0, value)]
    else:
        elements: list[Any] = list(items) if isinstance(items, list | tuple) else []
        keys = [_unit_key(item, unit) if unit else place for place, item in enumerate(elements)]
        pairs = [(key, field_of(item, inner)) for key, item in zip(keys, elements, strict=True)]
    found: dict[Any, Any] = {}
    for key, label in pairs:
        if label is not NOTHING and not is_scalar(label):
            hint = "name a field with a single value"
            problems.append(Problem(f"{where}: {path} is not a label but {type(label).__name__}", hint=hint))
        elif key in found:
            shown = ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)
            problems.append(Problem(f"{where}: two units have {'+'.join(unit)} {shown}", hint="name more fields"))
        else:
            found[key] = None if label is NOTHING else label
    return found


def _unit_key(item: Any, unit: Sequence[str]) -> tuple[str, ...]:
    values = (field_of(item, name) for name in unit)
    return tuple("" if value is NOTHING else repr(value) for value in values)


def continua_of(annotators: Mapping[str, Documents], field: str) -> Continua | None:
    """The units that annotators marked, on the documents common to all; None if elements have no spans.

    The length of a document is that of its text, its tokens or its sentences, if all spans end within it; else the end
    of the last span of any annotator.

    >>> a = {"d": {"text": "Ada met Alan", "entities": [{"span": {"start": 0, "end": 3}, "type": "PER"}]}}
    >>> continua_of({"A": a, "B": a}, "entities").documents[0][0]
    12
    """
    from adjudge.stats.unitising import Unit

    sides = list(annotators.values())
    shared = [identifier for identifier in sides[0] if all(identifier in side for side in sides)]
    kinds: dict[str, int] = {}
    found, merged, any_span = [], 0, False
    for identifier in shared:
        own: list[list[Unit]] = []
        for side in sides:
            items = mentions_of(field_of(side[identifier], field))
            spans = [span_of(item) for item in items] if isinstance(items, list | tuple) else []
            if any(span is None for span in spans):
                return None
            any_span = any_span or bool(spans)
            units = [
                Unit(*span, category_of(item)) for item, span in zip(items if spans else (), spans, strict=True) if span
            ]
            kept = _disjoint(units)
            merged += len(set(units)) - len(kept)
            own.append(kept)
        end = max((unit.end for units in own for unit in units), default=0)
        kind, length = _extent([side[identifier] for side in sides], end)
        kinds[kind] = kinds.get(kind, 0) + (end > 0 or length > 0)
        found.append((length, own))
    if not any_span:
        return None
    named = [kind for kind in ("characters", "tokens") if kinds.get(kind)]
    return Continua(" or ".join(named) or "places", found, merged, kinds.get("places", 0))


def span_of(item: Any) -> tuple[int, int] | None:
    """The span of an element, in whichever field; None if it has none.

    >>> span_of({"trigger": {"start": 3, "end": 5}}), span_of({"span": [3, 5]}), span_of({"role": "x"})
    ((3, 5), (3, 5), None)
    """
    for name in _SPANS:
        value = field_of(item, name) if name else item
        if value is NOTHING or value is None:
            continue
        ends = field_of(value, "start"), field_of(value, "end")
        if name and isinstance(value, list | tuple) and len(value) == 2:
            ends = value[0], value[1]
        start, end = ends
        if type(start) is int and type(end) is int and 0 <= start < end:
            return start, end
    return None


def category_of(item: Any) -> str:
    """The type of an element; elements without one form one category."""
    for name in _CATEGORIES:
        value = field_of(item, name)
        if value is not NOTHING and value is not None and is_scalar(value):
            return str(value)
    return "unit"


def place_labels(documents: Sequence[tuple[int, Sequence[Sequence[Unit]]]]) -> list[Counted]:
    """The label that each annotator gives to each position: the category of the unit that covers it, or none.

    A position in units of several categories has all of them as its label. A stretch with the same labels is one row.

    >>> from adjudge.stats.unitising import Unit
    >>> place_labels([(5, [[Unit(0, 2, "x")], [Unit(1, 2, "x")]])])
    [[(('x', '(none)'), 1), (('x', 'x'), 1), (('(none)', '(none)'), 3)]]
    """
    found: list[Counted] = []
    for length, sides in documents:
        opening: dict[int, list[tuple[int, str]]] = {}
        closing: dict[int, list[tuple[int, str]]] = {}
        for side, units in enumerate(sides):
            for unit in units:
                opening.setdefault(unit.start, []).append((side, unit.category))
                closing.setdefault(unit.end, []).append((side, unit.category))
        covering: list[set[str]] = [set() for _ in sides]
        rows = []
        for start, end in pairwise(sorted({0, length, *opening, *closing})):
            for side, category in closing.get(start, ()):
                covering[side].discard(category)
            for side, category in opening.get(start, ()):
                covering[side].add(category)
            rows.append((tuple("+".join(sorted(each)) or NO_UNIT for each in covering), end - start))
        found.append(rows)
    return found


def _disjoint(units: Sequence[Unit]) -> list[Unit]:
    """The units, with overlapping ones of a category merged."""
    found: list[Unit] = []
    for unit in sorted(set(units), key=lambda each: (each.category, each.start, each.end)):
        last = found[-1] if found else None
        if last is not None and last.category == unit.category and unit.start < last.end:
            found[-1] = last._replace(end=max(last.end, unit.end))
        else:
            found.append(unit)
    return sorted(found)


def _extent(documents: Sequence[Any], end: int) -> tuple[str, int]:
    """What the positions of a document are, and how many it has."""
    for data in documents:
        text, tokens, sentences = (field_of(data, name) for name in ("text", "tokens", "sentences"))
        if isinstance(sentences, list | tuple) and sentences and all(type(each) is int for each in sentences):
            return ("tokens", sum(sentences)) if end <= sum(sentences) else ("places", end)
        if type(tokens) is int and end <= tokens:
            return "tokens", tokens
        if isinstance(tokens, list | tuple) and end <= len(tokens):
            return "tokens", len(tokens)
        if isinstance(text, str) and end <= len(text):
            return "characters", len(text)
    return "places", end


# ---------------------------------------------------------------------------------------------------------------------
# Chains as annotators' decisions: where mentions are, and which pairs of them corefer

CLUSTERS = "clusters"  # the field of the coreference metrics
SAME, DIFFERENT = "one chain", "two chains"


def mentions_of(items: Any) -> Any:
    """Chains of mentions `[first, last]` as their mentions with spans; anything else as it is.

    >>> mentions_of([[[0, 1], [4, 4]]])
    [{'start': 0, 'end': 2}, {'start': 4, 'end': 5}]
    """
    clusters = _listed(items)
    if not clusters or not all(isinstance(cluster, list | tuple) and cluster for cluster in clusters):
        return items
    mentions = [mention for cluster in clusters for mention in cluster]
    if not all(
        isinstance(mention, list | tuple) and len(mention) > 1 and all(type(place) is int for place in mention)
        for mention in mentions
    ):
        return items
    return [{"start": mention[0], "end": mention[-1] + 1} for mention in mentions]


def link_labels(annotators: Mapping[str, Mapping[str, Any]]) -> list[Counted]:
    """For every pair of mentions of a document, whether each annotator links them; None without both of them.

    Mentions that are in the same chains for every annotator are counted together, since documents may have many.

    >>> a, b = [["x", "y"], ["z"]], [["x"], ["y", "z"]]
    >>> link_labels({"A": {"d": {"clusters": a}}, "B": {"d": {"clusters": b}}})
    [[(('one chain', 'two chains'), 1), (('two chains', 'two chains'), 1), (('two chains', 'one chain'), 1)]]
    """
    found: list[Counted] = []
    for identifier in dict.fromkeys(each for documents in annotators.values() for each in documents):
        chains = [_chain_of(documents.get(identifier)) for documents in annotators.values()]
        mentions = dict.fromkeys(mention for own in chains for mention in own)
        groups = Counter(tuple(own.get(mention) for own in chains) for mention in mentions)
        rows: Counter[tuple[str | None, ...]] = Counter()
        for one, number in groups.items():
            rows[_row(one, one)] += number * (number - 1) // 2
        for (one, number), (other, times) in combinations(groups.items(), 2):
            rows[_row(one, other)] += number * times
        found.append([(row, number) for row, number in rows.items() if number])
    return found


def _row(one: Sequence[int | None], other: Sequence[int | None]) -> tuple[str | None, ...]:
    return tuple(
        None if first is None or second is None else SAME if first == second else DIFFERENT
        for first, second in zip(one, other, strict=True)
    )


def _chain_of(data: Any) -> dict[str, int]:
    """The index of each mention's chain; a repeated mention belongs to the first."""
    found: dict[str, int] = {}
    for number, cluster in enumerate(_listed(field_of(data, CLUSTERS)) if data is not None else ()):
        for mention in cluster:
            found.setdefault(repr(mention), number)
    return found


def _listed(items: Any) -> Sequence[Any]:
    return items if isinstance(items, list | tuple) else ()
