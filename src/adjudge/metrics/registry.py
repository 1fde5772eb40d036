"""Finding metrics: by catalogue name with options, by specification file, or by type.

A definition is a decorated function in a module of this package; `catalogue` imports the modules and collects them.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec.structs import replace

from adjudge.algebra import ir
from adjudge.errors import AdjudgeError, UsageError, did_you_mean
from adjudge.metrics.base import DEFAULTS, Clustered, Metric, Scores
from adjudge.rooms import files_of

if TYPE_CHECKING:
    from pathlib import Path

    from adjudge.metrics.derived import Combined

LAWS = ("self", "perfect", "order", "swap", "bounded", "pooled", "rename")
_RESERVED = ("duplicates", "empty", "undefined", "pool")


class Definition(msgspec.Struct, frozen=True):
    """A named, documented way to make a metric; calling it with options gives the metric."""

    name: str
    build: Callable[..., ir.Similarity | Combined]
    within: str | None
    laws: tuple[str, ...]
    example: Mapping[str, Any] | None
    embedded: tuple[str, ...] = ()
    clustered: Clustered | None = None
    usual: ir.Conventions = DEFAULTS
    per: Literal["field"] | None = None

    def __call__(self, **options: Any) -> Any:
        """The metric, with the function's own options and the conventions (duplicates, empty, undefined, pool)."""
        known = inspect.signature(self.build).parameters
        for option in options:
            if option not in known and option not in _RESERVED:
                choices = [*known, *_RESERVED]
                hint = did_you_mean(option, choices) or f"it takes {', '.join(choices)}"
                raise UsageError(f"{self.name} has no option {option!r}", hint=hint)
        own = {key: value for key, value in options.items() if key in known}
        common = {key: value for key, value in options.items() if key in _RESERVED}
        pool = common.pop("pool", "micro")
        built = self.build(**{key: _option(self, key, value) for key, value in own.items()})
        conventions = _conventions({**msgspec.structs.asdict(self.usual), **common})
        changed = {key: value for key, value in own.items() if value != known[key].default}
        # A file may change, so what was read from one is written in full.
        origin = None if any(key in self.embedded for key in changed) else _written(self.name, changed)
        if not isinstance(built, ir.Node):
            from adjudge.metrics.derived import Combined

            if isinstance(built, Combined):
                return _renamed(built, self, origin).with_options(pool=pool, conventions=conventions)
        return Metric(
            similarity=built,
            name=self.name,
            pool=pool,
            conventions=conventions,
            about=self.about,
            laws=self.laws,
            origin=origin,
            within=self.within,
            clustered=self.clustered,
            per=self.per,
            usual=self.usual,
        )

    def score(self, gold: Any, system: Any, **options: Any) -> Scores:
        """The scores of one pair of values."""
        scores: Scores = self(**options).score(gold, system)
        return scores

    def _repr_html_(self) -> str:
        html: str = self()._repr_html_()
        return html

    @property
    def about(self) -> str:
        """The first line of the documentation."""
        return (inspect.getdoc(self.build) or "").partition("\n")[0]

    @property
    def documentation(self) -> str:
        """The whole documentation."""
        return inspect.getdoc(self.build) or ""

    @property
    def family(self) -> str:
        """The part of the name before the dot."""
        return self.name.partition(".")[0]

    @property
    def options(self) -> dict[str, Any]:
        """The options of its own and their defaults."""
        return {name: p.default for name, p in inspect.signature(self.build).parameters.items()}


def _option(definition: Definition, name: str, value: Any) -> Any:
    """The value of an option, converted to the type that the function of the metric declares."""
    kind = typing.get_type_hints(definition.build).get(name, Any)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        message = str(error).partition(" - at ")[0]
        raise UsageError(
            f"{definition.name}: {name} cannot be {value!r} ({message[:1].lower()}{message[1:]})",
            hint=f"see `adjudge metrics {definition.name}`",
        ) from None


def _renamed(built: Combined, definition: Definition, origin: str | None) -> Combined:
    """A combined metric under its catalogue name."""
    return replace(built, name=definition.name, about=definition.about, laws=definition.laws, origin=origin)


def metric(
    name: str,
    *,
    within: str | None = None,
    laws: tuple[str, ...] = (),
    example: Mapping[str, Any] | None = None,
    embedded: tuple[str, ...] = (),
    **more: Any,
) -> Callable[[Callable[..., ir.Similarity | Combined]], Definition]:
    """Put a function that builds a similarity into the catalogue.

    `within` is the field of a document that the similarity compares; `laws` are the properties it promises, which one
    property-based suite tests for every member; `example` is a document. `embedded` names options that are files, whose
    content becomes part of the metric. Rarely needed: `clustered`, how the whole corpus is counted if that is not the
    sum over documents; `usual`, the conventions of the metric if they differ from the usual ones; `per`, what it is
    the mean of.
    """
    unknown = [law for law in laws if law not in LAWS]
    if unknown:
        raise UsageError(f"{name} claims an unknown law {unknown[0]!r}", hint=f"known are {', '.join(LAWS)}")
    return lambda build: Definition(name, build, within, laws, example, embedded, **more)


@cache
def catalogue(prefix: str = "") -> tuple[Definition, ...]:
    """The definitions in the modules of this package, by name; only in those whose names begin with `prefix`."""
    found: dict[str, Definition] = {}
    for module, _ in files_of(__package__):
        if module.startswith(f"{__package__}.{prefix}") and not module.endswith("__init__"):
            for value in vars(importlib.import_module(module)).values():
                if isinstance(value, Definition) and found.setdefault(value.name, value) is not value:
                    raise RuntimeError(f"two metrics are called {value.name}")
    return tuple(found[name] for name in sorted(found))


_NAME = r"(?s)([\w.+-]+)(?:\((.*)\))?"
_TYPE = r"(?s)([\w.]+:[\w.]+)(?:\((.*)\))?"


def find(text: str | os.PathLike[str] | None = None, **options: Any) -> Any:
    """The metric that a text stands for, without a text all of the catalogue; `options` are for metrics in it.

    A catalogue name with options, `relation.strict(beta=2)`; a specification file, `events.yaml`; a type or a metric of
    your own, `package.module:name`; or a specification as JSON text. `str(metric)` is such a text.

    >>> find("relation.strict(beta=2)").parts
    ('precision', 'recall', 'f2')
    """
    if text is None:
        return catalogue()
    text = os.fspath(text)
    for option in options if re.fullmatch(_NAME, text) is None or _is_spec_name(text) else ():
        raise UsageError(f"{text} has no option {option!r}", hint="name a metric of the catalogue, or leave it out")
    if text.lstrip().startswith("{"):
        from adjudge.algebra.spec import load_spec

        return from_spec(load_spec(text))
    if _is_spec_name(text):
        from pathlib import Path

        return _from_file(Path(text))
    by_name = re.fullmatch(_NAME, text)
    known: dict[str, Definition] = {}
    # A family is mostly in modules of its name; then the others need not be loaded.
    for prefix in (by_name[1].partition(".")[0], "") if by_name else ("",):
        known = {definition.name: definition for definition in catalogue(prefix)}
        if by_name and by_name[1] in known:
            own = _options(by_name[2] or "", text)
            for option in options:
                if option in own:
                    raise UsageError(f"{option} is given twice", hint=f"leave it out of {text}")
            return known[by_name[1]](**own, **options)
    by_type = re.fullmatch(_TYPE, text)
    if by_type:
        return _from_type(by_type[1], _options(by_type[2] or "", text))
    name = by_name[1] if by_name else text
    tasks = {each.partition(".")[0] for each in known if "." not in name}
    hint = did_you_mean(name, [*known, *sorted(tasks)]) or "see `adjudge metrics`, or give a .yaml file or module:Type"
    raise UsageError(f"there is no metric {text!r}", hint=hint)


def _is_spec_name(text: str) -> bool:
    return os.path.splitext(text)[1].lower() in (".json", ".yaml", ".yml")  # noqa: PTH122


def from_spec(spec: Any) -> Metric:
    """A metric from a specification."""
    similarity = spec.metric
    if spec.recall is not None:
        ratio = similarity if isinstance(similarity, ir.Normalise) else ir.Normalise(of=similarity)
        similarity = msgspec.structs.replace(ratio, recall=spec.recall)
    return Metric(
        similarity=similarity,
        name=spec.name or "metric",
        report=tuple(spec.report),
        pool=spec.pool,
        conventions=spec.conventions,
        about=spec.about or "",
        per=spec.per,
    )


def _from_file(path: Path) -> Metric:
    from adjudge.algebra.spec import load_spec

    spec = load_spec(path)
    return from_spec(spec if spec.name else msgspec.structs.replace(spec, name=path.stem))


def _from_type(text: str, options: Mapping[str, Any]) -> Metric | Combined:
    from adjudge.algebra.functions import resolve
    from adjudge.metrics.derived import Combined, derive

    _, _, name = text.partition(":")
    found: Any = resolve(text, what="type")
    if isinstance(found, Definition):  # a metric in a file of the user's own; it is written with that file
        try:
            made: Metric = found(**options)
        except AdjudgeError:
            raise
        except Exception as error:  # of the user's program, not of ours
            problem = f"{text} cannot be built: {type(error).__name__}: {error}"
            raise UsageError(problem, hint="fix the function") from error
        return made if made.origin is None else replace(made, origin=text + made.origin.removeprefix(found.name))
    common = {key: value for key, value in options.items() if key in _RESERVED}
    for option in options:
        if option not in (*_RESERVED, "nested", "product"):
            hint = f"it takes nested, product, {', '.join(_RESERVED)}"
            raise UsageError(f"{text} has no option {option!r}", hint=hint)
    pool = common.pop("pool", "micro")
    own = {key: options[key] for key in ("nested", "product") if key in options}
    nested = {"nested": own["nested"]} if "nested" in own else {}
    derived = derive(found, name=name, pool=pool, conventions=_conventions(common), **nested)
    if "product" in own:
        if not isinstance(derived, Combined):
            raise UsageError(f"{text} has one row, so there is nothing to multiply", hint="leave the product out")
        derived = derived.product(str(own["product"]))
    return replace(derived, origin=_written(text, own))


def write(metric: Metric) -> str:
    """The text that `find` turns back into a metric."""
    if metric.origin is not None:
        return with_common_options(metric.origin, metric.conventions, metric.pool, metric.usual)
    from adjudge.algebra.spec import MetricSpec, dump_spec

    spec = MetricSpec(
        name=metric.name,
        about=metric.about,
        metric=metric.whole,
        report=metric.report,
        pool=metric.pool,
        conventions=metric.conventions,
        per=metric.per,
    )
    return msgspec.json.encode(dump_spec(spec)).decode()


def _conventions(given: Mapping[str, Any]) -> ir.Conventions:
    try:
        return msgspec.convert(dict(given), ir.Conventions)
    except msgspec.ValidationError as error:
        choices = "duplicates=set|multiset|error, empty=0|1, undefined=0|1|both|null"
        raise UsageError(f"wrong convention: {error}", hint=f"write {choices}") from None


def _written(name: str, options: Mapping[str, Any]) -> str:
    texts = [f"{key}={msgspec.json.encode(value).decode()}" for key, value in options.items()]
    return f"{name}({','.join(texts)})" if texts else name


def with_common_options(origin: str, conventions: ir.Conventions, pool: str, unsaid: ir.Conventions = DEFAULTS) -> str:
    """The text of a metric with those conventions that are not the usual ones.

    >>> with_common_options("record.set(beta=2)", ir.Conventions(empty=1), "macro")
    'record.set(beta=2,empty=1,pool="macro")'
    """
    usual = msgspec.structs.asdict(unsaid)
    changed = {key: value for key, value in msgspec.structs.asdict(conventions).items() if value != usual[key]}
    if pool != "micro":
        changed["pool"] = pool
    if not changed:
        return origin
    extra = _written("", changed)
    return f"{origin[:-1]},{extra[1:]}" if origin.endswith(")") else origin + extra


_OPTION = r'\s*([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^,]*)\s*(?:,|$)'


def _options(text: str, whole: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    at = 0
    while at < len(text):
        found = re.compile(_OPTION).match(text, at)
        if not found or found[1] in options:
            raise UsageError(f"cannot read the options of {whole!r}", hint="write name(option=value,option=value)")
        try:
            options[found[1]] = msgspec.json.decode(found[2].strip())
        except msgspec.DecodeError:
            options[found[1]] = found[2].strip()
        at = found.end()
    return options
