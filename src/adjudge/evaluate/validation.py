"""What is wrong with a file of any task: what its reader refuses, what its documents look like, how they fit gold.

An error cannot be scored as intended; a warning can be scored, but is probably not intended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, did_you_mean, shape
from adjudge.evaluate.results import offset_notes
from adjudge.evaluate.sides import is_stdin
from adjudge.evaluate.task import Side
from adjudge.findings import Findings, Severities, check_severities
from adjudge.formats.jsonl import columns
from adjudge.formats.source import is_file, is_parquet, read_bytes, source_name

if TYPE_CHECKING:
    from adjudge.evaluate.task import Task

KINDS = (
    *("unreadable", "unfit", "reversed-span", "outside-text", "empty-span", "other-text", "repeated"),
    *("unknown-field", "empty", "note", "unknown-document", "missing-document", "unpaired", "unknown-label"),
    "shifted",
)
"""Every kind of problem that a file of a family can have, in the order of `docs/validation.md`."""

LABELS = frozenset(("type", "subtype", "label", "role", "relation", "slot", "realis", "category", "upos", "tag"))
"""Fields whose values are names from a list, as are those that end in `_type`."""

_MANY = 200  # different values beyond which a field of gold is not a list of labels
_NAMED = 5
_ROUNDS = 5
_DEEP = 100
_PACKED: Callable[[Any], bytes] = msgspec.json.Encoder(order="deterministic").encode

Misfits: TypeAlias = Callable[[Any], Iterable[tuple[str, str, str | None]]]
"""Why the content of a document cannot be compared, as (path, message, remedy)."""


@dataclass(frozen=True, slots=True)
class Checks:
    """How a file is checked: how much is listed, how severe findings of each kind are, and the gold that it must fit.

    `side` is what the file is, `gold` or `system`, if the task reads them differently; None is whatever can be read.
    """

    limit: int | None = None
    severity: Severities = field(default_factory=dict)
    gold: Any = None
    side: str | None = None


class Content(NamedTuple):
    """How the content of documents is checked: why it does not fit, and the known fields at every path.

    `sets` are the fields of documents in which a value should stand once, and `jsonl` are files of one document a line.
    """

    misfits: Misfits
    fields: Mapping[str, frozenset[str]]
    sets: frozenset[str]
    jsonl: bool


def check_source(task: Task, source: Any, checks: Checks, content: Content | None = None) -> Findings:
    """Read a file as the task does, and check every document; with gold, also how the two fit."""
    place = source.place if isinstance(source, Side) else source_name(source)
    found = Findings(place, limit=checks.limit, severities=check_severities(checks.severity, KINDS))
    side = _read(task, source, checks, found, by_line=content is not None)
    gold = None if checks.gold is None else task.read(checks.gold, "gold")
    if side is None:
        return found
    whole = not found.counts["unreadable"]  # else what seems to be missing may be on a line that cannot be read
    for note in side.notes:
        problem = note if isinstance(note, Problem) else Problem(note.message.removeprefix("gold: "), path=side.place)
        found.add_problem("note", problem, error=False, value=shape(problem.message))
    found.contents["document"] = len(side.documents)
    if not side.documents:
        found.warn("empty", "the file has no documents", hint="an empty system scores 0")
    elif content is not None:
        _Looking(side, content, {} if gold is None else _labels_of(gold), found, whole).look()
    if gold is not None and (whole or content is None or content.jsonl):  # else documents may have other numbers
        _fit(task, gold, side, found, whole)
    return found


def unread(source: Any, checks: Checks, error: AdjudgeError) -> Findings:
    """The findings of a file that cannot be read at all, or not beside gold."""
    place = source_name(source)
    found = Findings(place, limit=checks.limit, severities=check_severities(checks.severity, KINDS))
    own = checks.gold is None or any(each.path == place for each in error.problems)
    found.add_problems("unreadable" if own else "unpaired", error.problems)
    return found


def _read(task: Task, source: Any, checks: Checks, found: Findings, *, by_line: bool) -> Side | None:
    """The documents, without lines that nothing can read; None if nothing can be read."""
    readers = {"system": task.read_system, "gold": task.read}
    errors: dict[str, AdjudgeError] = {}
    for name in ("system", "gold") if checks.side is None else (checks.side,):
        if errors and (is_stdin(source) or checks.gold is not None):
            break
        try:
            return readers[name](source, "system")
        except AdjudgeError as error:
            errors[name] = error
    unreadable = {name: error for name, error in errors.items() if not isinstance(error, UsageError)}
    if not unreadable:
        raise next(iter(errors.values()))
    name, first = next(iter(unreadable.items()))
    rest, problems = None, list(first.problems)
    if by_line and is_file(source) and not is_parquet(source):
        rest, problems = _rest(source, lambda data: readers[name](data, "system"), problems)
    found.add_problems("unreadable", problems)
    if rest is None and not found.fails():
        found.warn("note", "the rest of the file was not checked", hint="first fix what cannot be read")
    return rest


def _rest(source: Any, read: Callable[[bytes], Side], problems: list[Problem]) -> tuple[Side | None, list[Problem]]:
    """The documents of the lines that can be read, None if there are none; and what is wrong with the others."""
    place = source_name(source)
    try:
        lines = read_bytes(source, place).split(b"\n")
    except FormatError:  # it is damaged, which the reader has said
        return None, problems
    new = problems
    for _ in range(_ROUNDS):  # a reader says so much at once
        bad = {each.line for each in new if each.line is not None and each.path == place}
        if not bad or max(bad) > len(lines) or any(each.line is None and not each.more for each in new):
            break  # what is wrong is the whole file, or its end
        for number in bad:
            lines[number - 1] = b""
        try:
            side = read(b"\n".join(lines))
        except UsageError:
            raise
        except AdjudgeError as error:
            new = [replace(each, path=place) for each in error.problems]
            if any(each.line is None and not each.more for each in new):
                break  # this is about what is left of the file, perhaps nothing
            problems = [*(each for each in problems if not each.more), *new]
            continue
        documents = {name: msgspec.structs.replace(each, path=place) for name, each in side.documents.items()}
        kept = [each for each in problems if not each.more]
        return (replace(side, path=place, documents=documents) if documents else None), kept
    return None, problems


# ---------------------------------------------------------------------------------------------------------------------
# Documents by themselves


class _Looking:
    """The documents of a side, as they go through all checks of their content."""

    def __init__(
        self, side: Side, content: Content, labels: Mapping[str, Counter[str]], found: Findings, whole: bool
    ) -> None:
        self.side, self.content, self.labels, self.found, self.whole = side, content, labels, found, whole
        self.unfit: set[str] = set()  # paths of the document of which it is said already
        self.document: Any = None
        self.places: dict[int, tuple[str, int, str]] = {}  # by the number of a finding: file, line, path
        self.items = 0
        self._close: dict[tuple[str, str], bool] = {}

    def look(self) -> None:
        """Check all documents, then find the columns of the findings."""
        empty = 0
        for document in self.side.documents.values():
            self.document, before = document, self.items
            self.unfit = set()
            for path, message, hint in self.content.misfits(document.data):
                if path not in self.unfit:  # metrics may say the same in other words
                    self.say("unfit", path, message, hint, value=f"{_bare(path)} {shape(message)}")
                self.unfit.add(path)
            self._content(document.data)
            empty += self.items == before and not self.unfit
        self.found.contents["item"] = self.items
        if empty:
            self.found.remarks["document"] = f"{empty} empty"
        self.found.facts["empty"] = empty
        if empty and empty == len(self.side.documents) and self.whole:
            self.found.warn("empty", "no document contains anything", hint="check the file and its reader")
        self._find_columns()

    def say(
        self, kind: str, path: str, message: str, hint: str | None, *, error: bool = True, value: Any = None
    ) -> None:
        """Something at a path of the document."""
        document = self.document
        where = path.removeprefix("$").removeprefix(".")
        if document.line is None:
            where = f"document {document.id!r}" + (f", {where}" if where else "")
        problem = Problem(
            f"{where}: {message}" if where else message, document.path or self.side.place, document.line, hint=hint
        )
        self.found.add_problem(kind, problem, error=error, value=value, document=document.id)
        if document.line is not None and self.found.found and self.found.found[-1].problem is problem:
            self.places[len(self.found.found) - 1] = problem.path or "", document.line, path

    def _find_columns(self) -> None:
        sought: dict[str, list[tuple[int, str]]] = {}
        for file, line, path in self.places.values():
            if self.content.jsonl and not is_parquet(file):
                sought.setdefault(file, []).append((line, path))
        known = {file: columns(file, places) for file, places in sought.items()}
        for number, (file, line, path) in self.places.items():
            finding = self.found.found[number]
            column = known.get(file, {}).get((line, path))
            self.found.found[number] = replace(finding, problem=replace(finding.problem, column=column))

    def _content(self, data: Any) -> None:
        """Everything in a document, without recursion."""
        if not isinstance(data, Mapping):
            return
        text = data.get("text")
        text = text if isinstance(text, str) else None
        tokens = next((data[name] for name in ("tokens", "words") if isinstance(data.get(name), list)), None)
        size = None if text is None and tokens is None else len(tokens or ()) if text is None else len(text)
        compared = self.content.fields.get("", frozenset())
        self._fields(data, "$", "")
        stack = [(data[name], f"$.{name}", name, 0) for name in data if name in compared or not compared]
        self.items += sum(len(value) if isinstance(value, list) else 1 for value, *_ in stack if value)
        while stack:
            value, path, bare, depth = stack.pop()
            if isinstance(value, Mapping):
                start, end = value.get("start"), value.get("end")
                if type(start) is int and type(end) is int:
                    self._span(value, path, text, size)
                self._fields(value, path, bare)
                self._labels(value, path, bare)
                inner = [(value[k], f"{path}.{k}", f"{bare}.{k}", depth + 1) for k in value]
                stack += inner[::-1] if depth < _DEEP else []
            elif (
                isinstance(value, list)
                and value
                and (isinstance(value[0], Mapping | list) or bare in self.content.sets)
            ):
                self._repeats(value, path)
                inner = [(each, f"{path}[{k}]", bare, depth + 1) for k, each in enumerate(value)]
                stack += inner[::-1] if depth < _DEEP else []

    def _span(self, span: Mapping[str, Any], path: str, text: str | None, size: int | None) -> None:
        start, end = span["start"], span["end"]
        if end < start and path not in self.unfit:
            self.say("reversed-span", path, f"the span {start}-{end} ends before it starts", "swap the two")
        elif end < start:
            return
        elif start < 0 or (size is not None and end > size):
            long = "" if size is None else f" of {size} {'tokens' if text is None else 'characters'}"
            self.say("outside-text", path, f"the span {start}-{end} is outside the text{long}", "correct its offsets")
        elif start == end:
            hint = f"the end is that of the next character or token: write {start}-{end + 1} for one"
            self.say("empty-span", path, f"the span {start}-{end} is empty", hint, error=False)
        elif text is not None and isinstance(said := span.get("text"), str) and said != text[start:end]:
            message = f"the text at {start}-{end} is {_short(text[start:end])}, not {_short(said)}"
            self.say("other-text", path, message, "correct the offsets or the text", error=False)

    def _fields(self, record: Mapping[str, Any], path: str, bare: str) -> None:
        """Fields that look misspelt."""
        known = self.content.fields.get(bare, frozenset())
        for name in record.keys() - known:
            close = self._close.get((bare, name))
            if close is None:  # most are not, and looking takes time
                close = self._close[bare, name] = did_you_mean(name, known) is not None
            absent = [each for each in known - record.keys() if f"{path}.{each}" not in self.unfit] if close else ()
            if hint := did_you_mean(name, absent):
                self.say("unknown-field", path, f"there is no field {name!r}", hint, error=False, value=name)

    def _labels(self, record: Mapping[str, Any], path: str, bare: str) -> None:
        """Labels that gold never has."""
        for name, label in record.items() if self.labels else ():
            known: Mapping[str, int] = self.labels.get(f"{bare}.{name}", {})
            if isinstance(label, str) and known and label not in known and len(known) <= _MANY:
                listed = ", ".join(sorted(known, key=lambda each: -known[each])[:_NAMED])
                hint = did_you_mean(label, known) or f"gold has {listed}{', ...' * (len(known) > _NAMED)}"
                message = f"gold never has {_short(label)}"
                self.say("unknown-label", f"{path}.{name}", message, hint, error=False, value=label)

    def _repeats(self, values: list[Any], path: str) -> None:
        if len(values) < 2:
            return
        first: dict[bytes, int] = {}
        for number, value in enumerate(values):
            before = first.setdefault(_PACKED(value), number)
            if before != number:
                inside = path.removeprefix("$.")
                message = f"the same as {inside}[{before}]"
                self.say("repeated", f"{path}[{number}]", message, "keep one of them", error=False)


def _bare(path: str) -> str:
    """A path without the indices of elements.

    >>> _bare("$.events[12].type")
    '$.events.type'
    """
    return ".".join(part.partition("[")[0] for part in path.split("."))


def _short(text: str, most: int = 60) -> str:
    return repr(text if len(text) <= most else f"{text[:most]}...")


# ---------------------------------------------------------------------------------------------------------------------
# With gold


def _fit(task: Task, gold: Side, side: Side, found: Findings, whole: bool) -> None:
    """Documents that are missing, unknown or different, and offsets that are shifted throughout."""
    for name, document in side.documents.items():
        if name not in gold.documents:
            close = did_you_mean(name, gold.documents) if found.has_room("unknown-document") else None
            hint = close or "remove it, or check its id"
            problem = _problem(f"the document {name!r} is not in gold", side, document, hint)
            found.add_problem("unknown-document", problem, error=task.refuses_unknown, document=name)
    for name in gold.documents if whole else ():
        if name not in side.documents:
            hint = "write it, even if there is nothing in it"
            found.warn("missing-document", f"the document {name!r} of gold is missing", hint=hint, document=name)
    shared = {name: each for name, each in side.documents.items() if name in gold.documents}
    try:
        if shared:
            task.meet(gold, [replace(side, documents=shared)])
    except UsageError:
        raise
    except AdjudgeError as error:
        found.add_problems("unpaired", error.problems)
    pairs = [(task.spans(gold.documents[name]), task.spans(shared[name])) for name in sorted(shared)]
    for note in offset_notes(pairs, unit=task.unit):
        message, _, hint = note.message.partition("; ")
        found.warn("shifted", message, hint=hint)


def _labels_of(gold: Side) -> dict[str, Counter[str]]:
    """How often gold has each label, by the path of the field."""
    known: dict[str, Counter[str]] = {}

    def look(value: Any, path: str, depth: int) -> None:
        if isinstance(value, Mapping) and depth < _DEEP:
            for name, inner in value.items():
                if not isinstance(inner, str):
                    look(inner, f"{path}.{name}" if path else name, depth + 1)
                elif name in LABELS or str(name).endswith("_type"):
                    known.setdefault(f"{path}.{name}", Counter())[inner] += 1
        elif isinstance(value, list) and depth < _DEEP:
            for inner in value:
                look(inner, path, depth + 1)

    for document in gold.documents.values():
        look(document.data, "", 0)
    return known


def _problem(message: str, side: Side, document: Any, hint: str) -> Problem:
    path = getattr(document, "path", None) or side.place
    return Problem(message, path=path, line=getattr(document, "line", None), hint=hint)
