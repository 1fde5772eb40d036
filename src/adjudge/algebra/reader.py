"""A metric file, taken apart: shorthands become nodes, mistakes become problems with a line and a column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from adjudge.algebra import ir
from adjudge.algebra.functions import Fn
from adjudge.algebra.matching import ALIASES
from adjudge.algebra.places import Source, Where
from adjudge.algebra.rules import complaints, literals, parts
from adjudge.errors import FormatError, Problem, UsageError, did_you_mean


class MetricSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A metric, complete with its conventions.

    With `recall`, precision comes from `metric` and recall from `recall`. `report` lists the parts to show (empty: the
    usual ones). `pool`: counts are summed over documents (`micro`), or scores averaged (`macro`).
    """

    metric: ir.Similarity
    name: str = ""
    about: str = ""
    recall: ir.Similarity | None = None
    report: tuple[str, ...] = ()
    pool: Literal["micro", "macro"] = "micro"
    conventions: ir.Conventions = ir.Conventions()


CLASSES: dict[str, type[ir.Node]] = {str(each.__struct_config__.tag): each for each in ir.Node.__subclasses__()}
BARE = ("exact", "edit", "span", "variable")


def read_function(kind: type, value: Any) -> Any:
    """Decodes what msgspec does not know: a function, by its name."""
    if kind is Fn:
        if isinstance(value, str):
            return Fn(value)
        raise TypeError(f"Expected `str`, got `{type(value).__name__}`")
    raise NotImplementedError(kind)


def read_spec(source: Source) -> MetricSpec:
    """The metric that a file describes; raises one error with all its mistakes."""
    return _Reader(source).spec(source.value)


class _Reader:
    """Takes the shorthands out of one file and collects what is wrong with it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Problem] = []

    def note(self, where: Where, message: str, hint: str | None = None, *, key: bool = False) -> None:
        self.problems.append(self.source.problem(where, message, hint, key=key))

    def spec(self, raw: Any) -> MetricSpec:
        if not isinstance(raw, dict):
            self.note((), f"expected an object with metric: ..., got {_kind(raw)}")
            raise FormatError(self.problems)
        if "sim" in raw and "metric" not in raw:
            self.note((), "the similarity stands at the top", "put it under metric:")
            raise FormatError(self.problems)
        known = self.keys(raw, (), MetricSpec, "a metric")
        for name in ("metric", "recall"):
            if known.get(name) is not None:
                known[name] = self.similarity(known[name], (name,))
        if isinstance(known.get("conventions"), dict):
            self.keys(known["conventions"], ("conventions",), ir.Conventions, "conventions")
        self.stop()
        spec: MetricSpec = self.convert(known, MetricSpec, ())
        self.stop()
        for name in ("metric", "recall"):
            if getattr(spec, name) is not None:
                self.rules(getattr(spec, name), (name,))
        self.report(spec)
        self.stop()
        return spec

    def report(self, spec: MetricSpec) -> None:
        """The parts to show, which depend on the metric."""
        ratio = spec.metric if isinstance(spec.metric, ir.Normalise) else ir.Normalise(of=spec.metric)
        both = spec.recall is not None or ratio.recall is not None
        known = ["precision", "recall", f"f{ratio.beta:g}", *(() if both else ("jaccard", "matched")), "system", "gold"]
        for position, part in enumerate(spec.report):
            where = ("report", position)
            if part in spec.report[:position]:
                self.note(where, f"{part} is reported twice")
            elif part in ("jaccard", "matched") and both:
                self.note(where, f"{part} needs one matching value, and this metric has two")
            elif part not in known:
                self.note(where, f"{part!r} cannot be reported", did_you_mean(part, known) or f"use {', '.join(known)}")

    def stop(self) -> None:
        if self.problems:
            raise FormatError(sorted(self.problems, key=lambda each: (each.line or 0, each.column or 0)))

    def keys(self, raw: dict[str, Any], where: Where, kind: type, what: str) -> dict[str, Any]:
        """The known keys of an object; complains about the others, missing ones and impossible choices."""
        fields = msgspec.structs.fields(kind)
        names = [field.name for field in fields] + (["sim"] if issubclass(kind, ir.Node) else [])
        for key in raw:
            if key not in names:
                hint = did_you_mean(key, names) or f"known are {', '.join(names)}"
                self.note((*where, key), f"{what} has no key {key!r}", hint, key=True)
        for field in fields:
            if field.required and field.name not in raw:
                self.note(where, f"{what} needs {field.name}")
        for name, allowed in literals(kind).items():
            value = raw.get(name)
            if name in raw and not any(
                value is each or (type(value) is type(each) and value == each) for each in allowed
            ):
                known = [_plain(each) for each in allowed]
                hint = did_you_mean(str(value), known) or f"use {', '.join(known)}"
                self.note((*where, name), f"{name} cannot be {_plain(value)}", hint)
        return {key: value for key, value in raw.items() if key in names}

    def convert(self, raw: Any, kind: Any, where: Where) -> Any:
        try:
            return msgspec.convert(raw, type=kind, dec_hook=read_function)
        except msgspec.ValidationError as error:
            message, _, place = str(error).partition(" - at `$")
            self.note((*where, *_steps(place.removesuffix("`"), raw)), _friendly(message))
            return None

    def similarity(self, raw: Any, where: Where) -> Any:
        """A similarity without shorthands; whatever is wrong with its own keys has been noted."""
        if isinstance(raw, str):
            if raw in BARE:
                return {"sim": raw}
            if raw in CLASSES:
                needed = [f.name for f in msgspec.structs.fields(CLASSES[raw]) if f.required] or ["its settings"]
                self.note(where, f"{raw} needs {', '.join(needed)}", f"write {{sim: {raw}, {needed[0]}: ...}}")
            else:
                self.unknown(raw, where)
            return raw
        if not isinstance(raw, dict):
            self.note(where, f"expected a similarity, got {_kind(raw)}", "write exact, or {sim: ...}")
            return raw
        name = raw.get("sim")
        if name is None:
            guess = "record" if "fields" in raw else "union" if "cases" in raw else "set"
            self.note(where, "a similarity needs sim, its name", f"add, for example, sim: {guess}")
            return raw
        if not isinstance(name, str) or name not in CLASSES:
            self.unknown(name, (*where, "sim"))
            return raw
        raw = dict(raw)
        if isinstance(raw.get("match"), str):
            raw["match"] = ALIASES.get(raw["match"], raw["match"])
        inner = self.children(raw, where)
        before = len(self.problems)
        own = self.keys(raw, where, CLASSES[name], name)
        if len(self.problems) == before:
            self.convert({**own, **_placeholders(own)}, CLASSES[name], where)
        return {**own, **inner}

    def unknown(self, name: Any, where: Where) -> None:
        hint = did_you_mean(str(name), CLASSES) or f"known are {', '.join(CLASSES)}"
        self.note(where, f"there is no similarity {name!r}", hint)

    def children(self, raw: dict[str, Any], where: Where) -> dict[str, Any]:
        """The parts of a similarity that are similarities themselves; `raw` loses its shorthands."""
        found: dict[str, Any] = {}
        fields = raw.get("fields")
        if isinstance(fields, list) and all(isinstance(name, str) for name in fields):
            for position, name in enumerate(fields):
                if name in fields[:position]:
                    self.note((*where, "fields", position), f"the field {name!r} is listed twice")
            raw["fields"] = found["fields"] = {name: {"sim": "exact"} for name in fields}
        elif isinstance(fields, dict):
            found["fields"] = {name: self.similarity(inner, (*where, "fields", name)) for name, inner in fields.items()}
        if isinstance(raw.get("cases"), list):
            found["cases"] = [self.case(case, (*where, "cases", i)) for i, case in enumerate(raw["cases"])]
        of = raw.get("of")
        if raw["sim"] == "max":
            if isinstance(of, list):
                found["of"] = [self.similarity(inner, (*where, "of", i)) for i, inner in enumerate(of)]
        elif "of" in raw:
            found["of"] = self.similarity(of, (*where, "of"))
        if raw.get("recall") is not None:
            found["recall"] = self.similarity(raw["recall"], (*where, "recall"))
        return {key: value for key, value in found.items() if key in CLASSES[raw["sim"]].__struct_fields__}

    def case(self, raw: Any, where: Where) -> Any:
        if not isinstance(raw, dict):
            self.note(where, f"expected a case, got {_kind(raw)}", "write {type: string, of: exact}")
            return raw
        before = len(self.problems)
        own = self.keys(raw, where, ir.Case, "a case")
        inner = {"of": self.similarity(raw["of"], (*where, "of"))} if "of" in raw else {}
        if len(self.problems) == before:
            self.convert({**own, "of": {"sim": "exact"}}, ir.Case, where)
        return {**own, **inner}

    def rules(self, node: ir.Similarity, where: Where) -> None:
        """What the types of the fields cannot say, and functions that do not exist."""
        for place, inner in _nodes(node, where):
            for field, message in complaints(inner):
                self.note(place if field is None else (*place, field), message)
            for name in inner.__struct_fields__:
                function = getattr(inner, name)
                # A function of the user's own is looked up when it is used, not when a file is read.
                if isinstance(function, Fn) and ":" not in function.name:
                    try:
                        _ = function.function
                    except UsageError as error:
                        self.note((*place, name), error.problems[0].message, error.problems[0].hint)


def _nodes(node: ir.Similarity, where: Where) -> Iterator[tuple[Where, ir.Node | ir.Case]]:
    yield where, node
    if isinstance(node, ir.Union):
        for position, case in enumerate(node.cases):
            yield (*where, "cases", position), case
    for step, inner in parts(node):
        yield from _nodes(inner, (*where, *step))


def _placeholders(raw: dict[str, Any]) -> dict[str, Any]:
    """Stand-ins for the parts that are checked on their own, so that a complaint is about this level."""
    simple: dict[str, Any] = {"sim": "exact"}
    found: dict[str, Any] = {}
    if isinstance(raw.get("fields"), dict):
        found["fields"] = dict.fromkeys(raw["fields"], simple)
    if isinstance(raw.get("cases"), list):
        found["cases"] = [{"of": simple} for _ in raw["cases"]]
    if "of" in raw:
        if raw["sim"] != "max":
            found["of"] = simple
        elif isinstance(raw["of"], list):
            found["of"] = [simple for _ in raw["of"]]
    if raw.get("recall") is not None:
        found["recall"] = simple
    return found


def _steps(path: str, raw: Any) -> Where:
    """The path in a message of msgspec, which does not say which key of a mapping it means."""
    steps: list[str | int] = []
    for name, index in re.findall(r"\.(\w+)|\[(\d+|\.\.\.)\]", path):
        if index == "...":
            wrong = [key for key, value in raw.items() if not isinstance(value, str)] if isinstance(raw, dict) else []
            step: str | int = wrong[0] if wrong else ""
        else:
            step = name or int(index)
        steps.append(step)
        try:
            raw = raw[step]
        except (KeyError, IndexError, TypeError):
            break
    return tuple(steps)


_WORDS = {
    "str": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}


def _friendly(message: str) -> str:
    """A message of msgspec in the words of JSON."""

    def names(found: re.Match[str]) -> str:
        return " or ".join(_WORDS.get(name.strip(), name.strip()) for name in found[1].split("|"))

    text = re.sub(r"`([^`]*)`", names, message)
    return text[:1].lower() + text[1:]


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    name = {dict: "object", list: "array", type(None): "null"}.get(type(value), type(value).__name__)
    return _WORDS.get(name, name)


def _plain(value: Any) -> str:
    return msgspec.json.encode(value).decode() if value is None or isinstance(value, bool) else str(value)
