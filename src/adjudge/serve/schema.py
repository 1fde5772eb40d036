"""Assessment schemas: which questions are asked about an item, with which keys, and when, as TOML without code.

A condition is a list of tables, of which any must hold, and of a table all entries. An entry names a question, one of
the item above (`parent.judgment`), or a field (`item.type`), and the values that it may have; `realis==` compares with
other entries. Fields are looked up in the item; the scope itself (`document`, `query`) is one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args, get_origin

import msgspec

from adjudge.errors import FormatError, Problem, did_you_mean
from adjudge.formats.json_file import parse_toml
from adjudge.formats.source import Source, read_text

FOLDER = Path(__file__).with_name("schemas")

Condition: TypeAlias = tuple[dict[str, tuple[str, ...]], ...]
Names: TypeAlias = tuple[str, ...]


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One column of an answer; `nil` is when it is not asked, `implied` what it is unless somebody says otherwise."""

    id: str
    label: str = ""
    ask: str = ""
    kind: Literal["choice", "class", "text", "number", "span"] = "choice"
    keys: dict[str, str] = {}
    implied: str | None = None
    nil: str | Condition = ()
    nil_value: str | None = None
    finishes: bool = False
    carry: Names = ()
    same: Names = ()
    show: str | None = None
    within: Names = ()
    new_key: str | None = None

    @property
    def values(self) -> Names:
        """The values of a choice."""
        rest = (self.implied, self.nil_value)
        return tuple(dict.fromkeys((*self.keys.values(), *(each for each in rest if each is not None))))

    @property
    def pressed(self) -> Names:
        """Every key that it takes."""
        new = self.kind == "class" and self.new_key
        return (*self.keys, *((new, *"123456789") if new else ()))


class Stage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"class_": "class"}):
    """A step of the work on a scope: judge items, group what they name, or link them."""

    kind: Literal["assess", "group", "link"]
    of: Names = ()
    when: str | Condition = ()
    propose: tuple[Literal["equal-string", "overlap", "head"], ...] = ()
    class_: Names = ()
    table: str | None = None
    check: str | None = None


class Item(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is judged: its fields, which of them make it what it is, and which nobody may see who judges."""

    identity: Names
    fields: dict[str, Literal["string", "number", "span", "spans", "place", "places"]]
    hidden: Names = ()
    parent: str | None = None


class Warn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A warning beside items whose fields have these values; `!date` is anything but a date, `A.*` a prefix."""

    when: dict[str, Names]
    say: str


class Show(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an item is shown."""

    claim: str
    detail: Names = ()
    marks: dict[Literal["tint", "dotted", "fill", "line"], str] = {}
    group: str | None = None
    label: Names = ()
    order: Names = ()
    differs: dict[str, str] = {}
    words: dict[str, str] = {}
    warn: tuple[Warn, ...] = ()


class Files(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is read and written."""

    format: Literal["eal-assessments", "kb-assessments", "jsonl"]
    nil_value: str = ""
    check: str | None = None


class Schema(msgspec.Struct, frozen=True, kw_only=True, rename={"name": "schema"}, forbid_unknown_fields=True):
    """A whole schema; `text` is the file."""

    name: str
    scope: str
    item: Item
    show: Show
    files: Files
    validity_unit: str = ""
    when: dict[str, Condition] = {}
    question: tuple[Question, ...] = ()
    stage: tuple[Stage, ...] = ()
    text: str = ""

    @property
    def fields(self) -> Mapping[str, str]:
        """The kinds of all fields, that of the scope among them."""
        return {self.scope: "string", **self.item.fields}

    @property
    def visible(self) -> Names:
        """The fields of the identity that a reader may see."""
        return tuple(each for each in self.item.identity if each not in self.item.hidden)

    def condition(self, given: str | Condition) -> Condition:
        """A condition, which may be given by its name."""
        return self.when.get(given, ()) if isinstance(given, str) else given

    def stage_of(self, kind: str) -> Stage | None:
        """The stage of a kind, if there is one."""
        return next((each for each in self.stage if each.kind == kind), None)

    def own_stage(self, kind: str) -> Stage:
        """The stage of a kind, which has to be there."""
        return next(each for each in self.stage if each.kind == kind)

    def questions(self) -> dict[str, Question]:
        """The questions by their ids."""
        return {each.id: each for each in self.question}


class Places:
    """On which line of a TOML file tables and keys stand, which its parser does not tell."""

    _PART = r"""(?:[\w\-]+|"[^"]*"|'[^']*')"""
    _HEADER = re.compile(rf"\s*(\[\[?)\s*({_PART}(?:\.{_PART})*)\s*\]")
    _KEY = re.compile(r"""\s*["']?([\w.=\-]+)["']?\s*=""")

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._at: dict[tuple[str | int, ...], int] = {}
        counts: dict[str, int] = {}
        table: tuple[str | int, ...] = ()
        for number, line in enumerate(self._lines, 1):
            if header := self._HEADER.match(line):
                name = header[2]
                table = tuple(part.strip("\"'") for part in re.findall(self._PART, name))
                if header[1] == "[[":
                    table = (*table, counts.setdefault(name, 0))
                    counts[name] += 1
                self._at.setdefault(table, number)
            elif key := self._KEY.match(line):
                self._at.setdefault((*table, key[1]), number)

    def of(self, *path: str | int) -> tuple[int, int]:
        """Line and column of what a path leads to, or of the nearest table around it."""
        for length in range(len(path), -1, -1):
            if (number := self._at.get(path[:length])) is not None:
                line = self._lines[number - 1]
                column = 0
                for name in path[max(length - 1, 0) :]:
                    found = re.compile(rf"(?<![\w.]){re.escape(str(name))}(?![\w])").search(line, column)
                    column = found.start() if found else column
                return number, column + 1
        return 1, 1


class Complaints:
    """Takes every mistake of a schema, or of other settings, with its line."""

    def __init__(self, text: str, place: str, hint: str = "see the schemas of adjudge") -> None:
        self.places = Places(text)
        self.place, self.hint = place, hint
        self.problems: list[Problem] = []

    def add(self, path: tuple[str | int, ...], message: str, hint: str) -> None:
        """A mistake at a path of keys, and its remedy."""
        self.problems.append(Problem(message, self.place, *self.places.of(*path), hint))

    def end(self) -> None:
        """Raise if there are any."""
        if self.problems:
            raise FormatError(sorted(self.problems, key=lambda each: (each.line or 0, each.column or 0)))


def read_schema(source: Source, *, name: str | None = None) -> Schema:
    """The schema of a file; every mistake is raised at once.

    >>> [question.id for question in named_schema("records").question]
    ['judgment', 'class']
    """
    from adjudge.serve.schema_check import check_schema

    whole, text = read_text(source, name=name)
    complaints = Complaints(text, whole.place)
    schema: Schema | None = built(Schema, parse_toml(text, whole.place), (), complaints)
    if schema is not None:
        schema = msgspec.structs.replace(schema, text=text)
        check_schema(schema, complaints)
    complaints.end()
    assert schema is not None
    return schema


def named_schema(name: str) -> Schema:
    """One of the schemas that come with adjudge, or the one of a file.

    >>> named_schema("eal-2015").validity_unit
    'document'
    """
    path = FOLDER / f"{name}.toml"
    return read_schema(path if path.exists() else name)


def known_schemas() -> list[str]:
    """The names of the schemas that come with adjudge."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def built(kind: Any, table: Mapping[str, Any], path: tuple[str | int, ...], complaints: Complaints) -> Any:
    """A struct of a table, or None with every reason why it cannot be made."""
    before = len(complaints.problems)
    fields = {each.encode_name: each for each in msgspec.structs.fields(kind) if each.name != "text"}
    values: dict[str, Any] = {}
    for key in table:
        if key not in fields:
            where = f" in {_shown(path)}" if path else ""
            hint = did_you_mean(key, list(fields)) or f"choose from {', '.join(fields)}"
            complaints.add((*path, key), f"there is no {key!r}{where}", hint)
    for key, field in fields.items():
        if key in table:
            values[field.name] = _value(field.type, table[key], (*path, key), complaints)
        elif field.required:
            complaints.add(path, f"{key!r} is missing{f' in {_shown(path)}' if path else ''}", "add it")
    return kind(**values) if len(complaints.problems) == before else None


def _value(kind: Any, given: Any, path: tuple[str | int, ...], complaints: Complaints) -> Any:
    """What a key says, as its type has it: a struct, several of them, several by name, or anything else."""
    inner = get_args(kind)
    if _is_struct(kind) and isinstance(given, dict):
        return built(kind, given, path, complaints)
    if inner and _is_struct(inner[0]) and isinstance(given, list):
        tables = [(at, each) for at, each in enumerate(given) if isinstance(each, dict)]
        return tuple(built(inner[0], each, (*path, at), complaints) for at, each in tables)
    if get_origin(kind) is dict and inner[0] is str and isinstance(given, dict):
        return {name: _value(inner[1], each, (*path, name), complaints) for name, each in given.items()}
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        said = f"{_shown(path)}: {str(error)[:1].lower()}{str(error)[1:]}"
        complaints.add(
            path, said, f"choose from {', '.join(inner)}" if get_origin(kind) is Literal else complaints.hint
        )
        return None


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _shown(path: tuple[str | int, ...]) -> str:
    return ".".join(str(each + 1) if isinstance(each, int) else each for each in path)


PLACEHOLDER = re.compile(r"\{(?:(\w+):)?([\w,]+)\}")


def placeholders(template: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The functions and fields that a template names.

    >>> list(placeholders("may be {ontology:type,role}, {cas}"))
    [('ontology', ('type', 'role')), ('', ('cas',))]
    """
    for function, names in PLACEHOLDER.findall(template):
        yield function, tuple(names.split(","))
