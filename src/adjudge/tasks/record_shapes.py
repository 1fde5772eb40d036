"""Documents of records: where their values are, how answers are reshaped like gold, and what violates a schema.

An answer that wraps its records in an object with one key is unwrapped; one that omits the only key of gold gets it.
Both are noted, as are fields and values that the schema does not know; gold that violates the schema is an error.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from adjudge.algebra import ir, shape
from adjudge.algebra.leaf_values import outside
from adjudge.algebra.operators.base import step
from adjudge.algebra.operators.leaf_prepared import SCALARS
from adjudge.algebra.operators.misfit import describe, short
from adjudge.algebra.values import plain
from adjudge.errors import Problem, ValidationError, some_of
from adjudge.evaluate.task import Side
from adjudge.findings import LIMIT
from adjudge.formats.answers import UNREADABLE, AnswerNotes, answer_field, answer_of, document_of, key_of, objections
from adjudge.formats.jsonl import read_documents
from adjudge.formats.source import is_parquet
from adjudge.model.document import CorpusNote, Document
from adjudge.tasks.documents import own_id, placed
from adjudge.tasks.observe import AnyMetric, Complaint

_EXAMPLES = 10
_SAID = {
    "unwrapped": "{answers} with the records under a key of their own ({names}), which is left out",
    "wrapped": "{answers} with a bare list, read as the field {names}",
    "unnamed-field": "{places} of fields that the schema does not name, which are not compared ({names})",
    "outside-enum": "{places} that the schema does not list ({names})",
    "lone-value": "{places} in the place of lists, read as lists of one ({names})",
}


class Finding(NamedTuple):
    """A finding about a value and a schema: a code, the path of the field, and its exact position."""

    code: str
    path: str
    place: tuple[str | int, ...]
    value: Any = None


class Fit:
    """The part of a schema that values have to fit."""

    def __init__(self, schema: shape.Schema) -> None:
        self.schema = schema
        self._outside: dict[int, Any] = {}
        self._fields: dict[int, tuple[frozenset[str], tuple[str, ...]]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Fit, (self.schema,)

    def resolved(self, node: shape.Shape) -> shape.Shape:
        """A shape, with a name resolved to what it stands for."""
        while isinstance(node, shape.Named):
            node = self.schema.named[node.name]
        return node

    @cached_property
    def record(self) -> shape.Shape:
        """The shape of one record."""
        root = self.resolved(self.schema.root)
        return self.resolved(root.of) if isinstance(root, shape.Listing) else root

    @cached_property
    def names(self) -> frozenset[str] | None:
        """The fields of records; None if there is no schema."""
        return frozenset(self.record.fields) if isinstance(self.record, shape.Fields) else None

    @cached_property
    def only(self) -> str | None:
        """The only field of documents, if it is a list."""
        root = self.resolved(self.schema.root)
        fields = root.fields if isinstance(root, shape.Fields) else {}
        kept = [name for name, each in fields.items() if not isinstance(each, shape.Ignore)]
        return kept[0] if len(kept) == 1 and isinstance(self.resolved(fields[kept[0]]), shape.Listing) else None

    def findings(self, value: Any, *, of_gold: bool) -> Iterator[Finding]:
        """What does not fit in the value of a document."""
        if isinstance(self.record, shape.Anything) or self._is_plain(value, of_gold=of_gold):
            return
        whole = isinstance(value, Mapping)
        for number, each in enumerate([value] if whole else value):
            record = each if isinstance(each, Mapping) or "value" not in (self.names or ()) else {"value": each}
            yield from self._walk(record, () if whole else (number,), of_gold=of_gold)

    def _is_plain(self, value: Any, *, of_gold: bool) -> bool:
        """Whether a value is an object of nothing but scalars that fit, as most are."""
        if type(value) is not dict or not isinstance(self.record, shape.Fields):
            return False
        simple, required = self._known(self.record)
        if not simple.issuperset(value) or (of_gold and any(value.get(name) is None for name in required)):
            return False
        return not of_gold or SCALARS.issuperset(map(type, value.values()))

    def _walk(self, record: Any, place: tuple[str | int, ...], *, of_gold: bool) -> Iterator[Finding]:
        todo: list[tuple[shape.Shape, Any, str, tuple[str | int, ...]]] = [(self.record, record, "", place)]
        while todo:
            node, value, path, place = todo.pop()
            if value is None:
                continue
            match self.resolved(node):
                case shape.Leaf(by=by, any=several):
                    yield from self._leaf(by, several, Finding("", path, place, value), of_gold=of_gold)
                case shape.Fields() as fields if isinstance(value, Mapping):
                    prefix = f"{path}." if path else ""
                    simple, required = self._known(fields)
                    for name, each in value.items():
                        if name in simple and not (of_gold and isinstance(each, dict | list)):
                            continue
                        if name in fields.fields:
                            todo.append((fields.fields[name], each, f"{prefix}{name}", (*place, name)))
                        elif not fields.extra:
                            yield Finding("unnamed-field", f"{prefix}{name}", (*place, name))
                    for name in required if of_gold else ():
                        if value.get(name) is None:
                            yield Finding("required", f"{prefix}{name}", place)
                case shape.Fields() if of_gold:
                    yield Finding("object", path, place, value)
                case shape.Listing(of=of):
                    alone = not isinstance(value, list)
                    if alone:
                        yield Finding("lone-value", path, place)
                    elements = [(place, value)] if alone else [((*place, n), each) for n, each in enumerate(value)]
                    if not elements or (not of_gold and _is_simple(of)):
                        continue
                    todo += [(of, each, f"{path}[]", where) for where, each in elements]

    def _known(self, fields: shape.Fields) -> tuple[frozenset[str], tuple[str, ...]]:
        """The fields of an object that any scalar fits, and those that are required."""
        if id(fields) not in self._fields:
            simple = frozenset(name for name, each in fields.fields.items() if _is_simple(each))
            required = tuple(name for name, each in fields.fields.items() if each.required)
            self._fields[id(fields)] = simple, required
        return self._fields[id(fields)]

    def _leaf(self, by: shape.Comparison, several: bool, found: Finding, *, of_gold: bool) -> Iterator[Finding]:
        values = found.value if several and of_gold and isinstance(found.value, list) else [found.value]
        for value in values:
            if isinstance(value, dict | list):
                if of_gold and not isinstance(by, shape.Same | shape.Sim):
                    yield found._replace(code="leaf", value=value)
            elif isinstance(by, shape.Enum) and value is not None:
                if id(by) not in self._outside:
                    self._outside[id(by)] = outside(by)
                if self._outside[id(by)](value):
                    yield found._replace(code="outside-enum", value=value)


def _is_simple(node: shape.Shape) -> bool:
    """Whether anything fits."""
    if isinstance(node, shape.Leaf):
        return not isinstance(node.by, shape.Enum)
    return isinstance(node, shape.Ignore | shape.Anything)


def fit_of(metrics: Iterable[AnyMetric]) -> Fit | None:
    """The schema for records, if a metric compares them leaf by leaf; None if no metric does."""
    found = [
        node.schema
        for each in metrics
        for member in each.members
        if member.within == "records"
        for node in _nodes(member.similarity)
        if isinstance(node, ir.Leaves)
    ]
    named = [each for each in found if not isinstance(each.root, shape.Anything)]
    return Fit((named or found)[0]) if found else None


def _nodes(node: ir.Similarity) -> Iterator[ir.Similarity]:
    yield node
    for inner in ir.children(node):
        yield from _nodes(inner)


# Values of documents


def record_side(side: Side, *, repair: bool = False, strict: bool = False) -> Side:
    """A side whose documents have their value under `records`, as JSON; raw strings are parsed."""
    found: dict[str, Document] = {}
    notes = AnswerNotes()
    problems: list[tuple[str, Complaint]] = []
    changed = False
    field = answer_field(each.data for each in side.documents.values())
    for name, document in side.documents.items():
        data = document.data
        if side.path and type(data) is dict and isinstance(data.get("records"), dict | list):
            found[name] = document
            continue
        whole, key, given = _value(document, field)
        if not side.path:
            given = _present(given)
        answer = answer_of(given, repair=repair)
        if side.path and answer.failed and not isinstance(given, str):
            found[name] = document  # not a model's answer: the metrics report what is wrong with it
            continue
        changed = True
        notes.add(name, answer)
        if strict:
            problems += [(name, Complaint(False, "", why, hint)) for why, hint in objections(answer)]
        found[name] = msgspec.structs.replace(document, data=document_of(whole, key, answer))
    if problems:
        raise ValidationError(list(placed(side, problems, jsonl=False)))
    if not changed:
        return side
    return replace(side, documents=found, notes=(*side.notes, *notes.found(repair=repair)))


def _value(document: Document, field: str | None = None) -> tuple[Mapping[str, Any], str | None, Any]:
    """A document as a mapping, the key of its value (None if it is itself the value), and the value."""
    try:
        data = plain(document.data)
    except TypeError as error:
        raise ValidationError(f"document {document.id!r}: {error}") from None
    if not isinstance(data, dict):
        return {}, "records", data
    key = key_of(data, field)
    if key is not None:
        return data, key, data[key]
    own = own_id(data) == document.id
    return data, None, {name: value for name, value in data.items() if name != "id"} if own else data


def _present(value: Any) -> Any:
    """A value with None for NaN, which pandas uses for missing values."""
    if isinstance(value, dict):
        return {name: _present(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_present(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value


# Gold and answers


def check_gold(gold: Side, fit: Fit, field: str | None = None) -> None:
    """Raise if documents of gold cannot be read or violate the schema; `field` has their values."""
    found: list[tuple[str, Complaint]] = []
    for name, document in gold.documents.items():
        found += [(name, each) for each in unfit(document.data, fit)]
        if len(found) > 10 * LIMIT:
            break
    if found:
        raise ValidationError(list(_placed(gold, found, field)))
    if isinstance(fit.record, shape.Fields) and fit.record.fields and not fit.record.extra:
        _check_named(gold, frozenset(fit.record.fields))


def _check_named(gold: Side, names: frozenset[str]) -> None:
    """Raise if the schema names none of gold's fields: there would be nothing to compare."""
    seen: dict[str, None] = {}
    for document in gold.documents.values():
        keys = _keys(document.data.get("records") or ())
        if not keys.isdisjoint(names):
            return
        seen |= dict.fromkeys(sorted(keys))
    if seen:
        message = f"no field of gold ({some_of(seen)}) is in the schema ({some_of(sorted(names))})"
        hint = "correct the schema, or say which field of the documents holds the records (--field NAME)"
        raise ValidationError([Problem(message, path=gold.path or None, hint=hint)])


def unfit(data: Mapping[str, Any], fit: Fit) -> list[Complaint]:
    """Why a document cannot be gold: its records cannot be read, or violate the schema."""
    if UNREADABLE in data:
        return [Complaint(True, "$", f"the records cannot be read ({data[UNREADABLE]})", "gold must be JSON")]
    value = data.get("records")
    found = fit.findings(value, of_gold=True) if isinstance(value, dict | list) else ()
    return [Complaint(True, _path(each.place), *told) for each in found if (told := _told(each)) is not None]


def _told(found: Finding) -> tuple[str, str] | None:
    if found.code == "required":
        return f"the field {found.path!r} is required, and missing", "add it, or leave required out of the schema"
    if found.code == "object":
        return f"expected an object, got {describe(found.value)}", "correct it, or the schema"
    if found.code == "leaf":
        hint = "write [text] in the schema for a list, the fields of an object, or exact"
        return f"expected one value, got {describe(found.value)}", hint
    return None


def _path(place: tuple[str | int, ...]) -> str:
    return "$.records" + "".join(step(str(each)) if isinstance(each, str) else f"[{each}]" for each in place)


def _placed(gold: Side, found: Sequence[tuple[str, Complaint]], field: str | None) -> Iterator[Problem]:
    """Complaints with file, line and column; in the file, the value may be under another key, or at the top level."""
    keys: dict[str, str | None] = {}
    paths = {gold.documents[name].path or gold.path for name, _ in found if gold.documents[name].line}
    for path in paths:
        if path and not is_parquet(path) and Path(path).is_file():
            keys |= {each.id: key_of(each.data, field) for each in read_documents(path)}
    moved = [(name, _moved(each, keys.get(name, "records"))) for name, each in found]
    return placed(gold, moved, jsonl=bool(keys))


def _moved(complaint: Complaint, key: str | None) -> Complaint:
    return msgspec.structs.replace(
        complaint, path=complaint.path.replace("$.records", "$" if key is None else f"${step(key)}", 1)
    )


def brought_to(gold: Side, system: Side, fit: Fit, *, strict: bool = False) -> Side:
    """A system's answers in the shape of gold, with notes on the changes and on what the schema ignores."""
    seen, apart = _Seen(), _Apart()
    found: dict[str, Document] = {}
    for name, document in system.documents.items():
        found[name] = document
        value = document.data.get("records")
        ours = gold.documents[name].data.get("records") if name in gold.documents else None
        if not isinstance(value, dict | list) or not isinstance(ours, dict | list):
            continue
        code, key, changed = _reshaped(value, ours, fit)
        if code:
            seen.add(code, key, name)
            found[name] = msgspec.structs.replace(document, data={**document.data, "records": changed})
        apart.add(ours, changed)
        for each in fit.findings(changed, of_gold=False):
            shown = f"{each.path}: {short(each.value, 30)}" if each.code == "outside-enum" else each.path
            seen.add(each.code, shown, name)
    if strict and seen.changed:
        complaints = [
            (name, Complaint(False, "", f"the answer is {code}", "ask again, or use the reader answers"))
            for code, name in seen.changed
        ]
        raise ValidationError(list(placed(system, complaints, jsonl=False)))
    return replace(system, documents=found, notes=(*system.notes, *seen.notes(), *apart.notes()))


def _reshaped(value: Any, gold: Any, fit: Fit) -> tuple[str, str, Any]:
    """The change made to the value of an answer, its key, and the changed value."""
    if isinstance(value, dict):
        if len(value) == 1:
            ((key, inner),) = value.items()
            names = fit.names if fit.names is not None else _keys(gold)
            if key not in names and _is_wrapped(inner, names):
                return "unwrapped", key, inner
        return "", "", value
    only = None if not isinstance(gold, dict) else fit.only if fit.names is not None else _only(gold)
    if only is not None and value and not any(isinstance(each, dict) and only in each for each in value):
        return "wrapped", only, {only: value}
    return "", "", value


def _keys(gold: Any) -> frozenset[str]:
    records = [gold] if isinstance(gold, dict) else gold
    return frozenset(key for each in records if isinstance(each, dict) for key in each)


def _is_wrapped(inner: Any, names: frozenset[str]) -> bool:
    objects = inner if isinstance(inner, list) else [inner]
    return all(isinstance(each, dict) and not names.isdisjoint(each) for each in objects)


def _only(gold: dict[str, Any]) -> str | None:
    if len(gold) == 1:
        ((key, inner),) = gold.items()
        return key if isinstance(inner, list) else None
    return None


class _Apart:
    """Whether answers have any field of gold; if not, the records may be in another field."""

    def __init__(self) -> None:
        self._found = False
        self._documents = 0
        self._keys: tuple[dict[str, None], dict[str, None]] = {}, {}

    def add(self, gold: Any, answer: Any) -> None:
        """Add a document, unless a common field was already found."""
        if self._found:
            return
        ours, theirs = _keys(gold), _keys(answer)
        self._found = not ours.isdisjoint(theirs)
        self._documents += bool(ours and theirs)
        for own, keys in zip(self._keys, (ours, theirs), strict=True):
            own |= dict.fromkeys(sorted(keys))

    def notes(self) -> Iterator[CorpusNote]:
        """One note, if both sides have fields but none in common."""
        gold, answers = self._keys
        if not self._found and self._documents:
            where = "--field and --system-field say where records stand"
            message = f"answers have no field of gold ({some_of(gold)}), but {some_of(answers)}; {where}"
            yield CorpusNote("no-common-field", self._documents, message)


class _Seen:
    """Changes made to answers and what a schema ignores, by code."""

    def __init__(self) -> None:
        self.changed: list[tuple[str, str]] = []
        self._names: dict[str, Counter[str]] = {}
        self._ids: dict[str, dict[str, None]] = {}

    def add(self, code: str, name: str, document: str) -> None:
        """Take in one place."""
        if code in ("unwrapped", "wrapped"):
            self.changed.append((code, document))
        self._names.setdefault(code, Counter())[name] += 1
        self._ids.setdefault(code, {})[document] = None

    def notes(self) -> Iterator[CorpusNote]:
        """One note per code."""
        for code, names in self._names.items():
            ids = list(self._ids[code])
            count = len(ids) if code in ("unwrapped", "wrapped") else names.total()
            shown = [name for name, _ in sorted(names.items(), key=lambda each: (-each[1], each[0]))]
            message = _SAID[code].format(
                answers=f"{count} answer{'' if count == 1 else 's'}",
                places=f"{count} value{'' if count == 1 else 's'}",
                names=some_of(shown),
            )
            yield CorpusNote(code, count, message, tuple(sorted(ids)[:_EXAMPLES]))
