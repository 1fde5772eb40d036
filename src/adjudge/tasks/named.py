"""The tasks by name: `aj.ner`, `aj.coref` and the others score, read, validate, and list their metrics and options."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from adjudge.errors import AdjudgeError, UsageError, did_you_mean
from adjudge.evaluate.sides import is_file, is_stdin
from adjudge.evaluate.task import Side
from adjudge.tasks.chosen import is_spec_file, split_names
from adjudge.tasks.family import JSONL, families, find_family, is_family
from adjudge.tasks.readers import GUESS, chosen
from adjudge.tasks.request import COMMON, OPTIONS, Asking, Request, request_of

if TYPE_CHECKING:
    from adjudge.evaluate.validation import Checks
    from adjudge.findings import Findings
    from adjudge.stats.explanation import Explanation
    from adjudge.stats.result import Result
    from adjudge.tasks.agreement import Agreement
    from adjudge.tasks.scoring import Corpus
    from adjudge.tasks.state import State
    from adjudge.tasks.task import MetricsTask

OWN = {
    "coref": "Coreference: chains of mentions.",
    "nugget": "Event nuggets: mentions of events with type and realis, their coreference and order.",
    "eal": "Event arguments and linking: assessed responses and frames.",
    "kbp": "Knowledge bases: triples and paths across documents.",
}
"""The tasks that are not families of the catalogue, each with a description."""


class NamedTask:
    """A task, by its name: `"ner"`, `"coref"`, `"record"` ...

    >>> task_of("ner").score([["B-PER", "O"]], [["B-PER", "O"]], bootstrap=0)["ner.strict"].f1
    1.0000
    >>> task_of("coref").metrics[:3]
    ('coref.mentions', 'coref.muc', 'coref.b3')
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def about(self) -> str:
        """What is compared."""
        return OWN[self.name] if self.name in OWN else families()[self.name]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of its metrics, those scored by default first."""
        if self.name in OWN:
            return _own_metrics(self.name)
        from adjudge.metrics import catalogue

        names = [each.name for each in catalogue(self.name) if each.family == self.name]
        return tuple(dict.fromkeys((*find_family(self.name).metrics, *names)))

    @property
    def options(self) -> tuple[str, ...]:
        """The options of `score`, the task's own first."""
        from adjudge.evaluate.task import OPTIONS as RUN

        if self.name in OWN:
            from adjudge.tasks.own import option_names

            return tuple(dict.fromkeys((*option_names(self.name), *RUN)))
        own = [name.replace("-", "_") for name in find_family(self.name).options]
        return tuple(dict.fromkeys((*own, *COMMON, *OPTIONS, "documents", "compat", *RUN)))

    def score(self, gold: Any, system: Any = None, *more: Any, **options: Any) -> Result:
        """The scores of one or several systems; see `adjudge.score`. Event arguments may have frames before systems."""
        from adjudge.tasks.scoring import score

        if more:
            if self.name != "eal" or len(more) > 1:
                raise TypeError(f"score() takes gold and systems, and {1 + len(more)} more were given")
            options["frames"], system = system, more[0]
        return score(self, gold, system, **options)

    def read(self, source: Any, **options: Any) -> Corpus:
        """The documents of a source as they are compared; see `adjudge.read`."""
        from adjudge.tasks.scoring import read

        return read(self, source, **options)

    def state(self, **options: Any) -> State:
        """Documents as they come; see `adjudge.state`."""
        from adjudge.tasks.state import State

        return State(self, **options)

    def explain(self, gold: Any, system: Any, document: str, **options: Any) -> dict[str, Explanation]:
        """The outcomes in one document, by system; see `adjudge.explain`."""
        from adjudge.tasks.scoring import explain

        return explain(self, gold, system, document, **options)

    def agree(self, annotators: Any, **options: Any) -> Agreement:
        """How well annotators agree; see `adjudge.agree`."""
        from adjudge.tasks.agreement import agree

        return agree(self, annotators, **options)

    def validate(self, source: Any, **options: Any) -> Findings:
        """The problems in a file or in data in memory; with `gold`, also whether the two fit together.

        >>> task_of("ner").validate([["B-PER", "O"]]).errors
        0
        """
        if self.name in ("eal", "kbp", "nugget"):
            found: Findings = import_module(f"adjudge.tasks.{self.name}.validation").validate(source, **options)
            return found
        return check_named(self.name, source, **options)

    def __getattr__(self, name: str) -> Any:
        """The task's further functions, such as `aj.kbp.score_triples`."""
        if self.__dict__.get("name") in OWN and not name.startswith("_"):
            module = import_module(f"adjudge.tasks.{self.name}")
            if name in module.__all__:
                return getattr(module, name)
        raise AttributeError(f"the task {self.__dict__.get('name')} has no {name}")

    def __dir__(self) -> list[str]:
        more = import_module(f"adjudge.tasks.{self.name}").__all__ if self.name in OWN else ()
        return sorted({*super().__dir__(), *more})

    def __reduce__(self) -> tuple[Any, ...]:
        return NamedTask, (self.name,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamedTask) and other.name == self.name

    def __hash__(self) -> int:
        return hash((NamedTask, self.name))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<task {self.name}: {self.about}>"


def _own_metrics(name: str) -> tuple[str, ...]:
    if name == "kbp":
        from adjudge.tasks.kbp.graph_scores import measures_of
        from adjudge.tasks.kbp.options import make_options

        return tuple(dict.fromkeys(each.name for each in measures_of(make_options())))
    where = {"coref": "CorefTask", "nugget": "NuggetTask", "eal": "EalTask"}[name]
    task = getattr(import_module(f"adjudge.tasks.{name}.task"), where)()
    return tuple(dict.fromkeys(each.name for each in task.measures()))


def task_of(value: Any) -> NamedTask | None:
    """The task of this name; None if the value is anything else.

    >>> task_of("event"), task_of("event.trigger-id")
    (<task event: Events: triggers and arguments.>, None)
    """
    if isinstance(value, NamedTask):
        return value
    return NamedTask(value) if isinstance(value, str) and (value in OWN or is_family(value)) else None


def asking(task: Any, metrics: Any, run: Any, options: dict[str, Any]) -> Asking:
    """The request: a task by name, with its own or other metrics, or metrics alone."""
    named = task_of(task)
    if named is None:
        if metrics is not None:
            raise UsageError("metrics are chosen of a task", hint='write score("ner", ..., metrics="strict, partial")')
        return request_of(None, _each(task), run, options)
    chosen = None if metrics is None else with_prefix(named, metrics)
    if named.name in OWN:
        if chosen is None or all(isinstance(each, str) and each.startswith(f"{named.name}.") for each in chosen):
            from adjudge.tasks.own import own_request

            return own_request(named.name, chosen, run, options)
        return request_of(None, chosen, run, options)
    return request_of(named.name, chosen, run, options)


def _each(task: Any) -> Any:
    """Metrics, where the name of a task stands for its metrics."""
    return [each.name if isinstance(each, NamedTask) else each for each in task] if isinstance(task, list) else task


def with_prefix(task: NamedTask, metrics: Any) -> list[Any]:
    """Metrics of a task, whose names may omit the task's.

    >>> with_prefix(NamedTask("ner"), "strict, ner.type")
    ['ner.strict', 'ner.type']
    """
    if isinstance(metrics, str):
        metrics = [metrics] if is_spec_file(metrics) else split_names(metrics)
    listed = list(metrics) if isinstance(metrics, list | tuple) else [metrics]
    known = task.metrics
    found = []
    for each in listed:
        bare = each.partition("(")[0] if isinstance(each, str) else ""
        own = f"{task.name}.{bare}"
        if bare and bare not in known and own in known:
            each = f"{task.name}.{each}"
        elif bare and "." not in bare and ":" not in bare and not is_family(bare) and not is_spec_file(bare):
            hint = did_you_mean(own, known) or f"there are {', '.join(known)}"
            raise UsageError(f"{task.name} has no metric {bare!r}", hint=hint)
        found.append(each)
    return found


def check_named(
    name: str,
    source: Any,
    *,
    gold: Any = None,
    reader: str = GUESS,
    gold_reader: str | None = None,
    metrics: Any = (),
    side: str | None = None,
    **options: Any,
) -> Findings:
    """The findings of a side of a family, or of coreference; `limit` and `severity` as on the command line."""
    from adjudge.evaluate.validation import Checks

    checks = partial(Checks, limit=options.pop("limit", None), severity=options.pop("severity", {}))
    if name == "coref":
        from adjudge.tasks.own import OwnRequest, own_request

        own = own_request(name, None, None, options)
        assert isinstance(own, OwnRequest)
        return own.task.validate(_opened(own, source), checks(gold=_opened(own, gold)))
    from adjudge.tasks.family import adjusted
    from adjudge.tasks.task import family_task

    family = find_family(name)
    request = request_of(name, None, None, {key: value for key, value in options.items() if key != "compat"})
    words = {key: options[key.replace("-", "_")] for key in family.options if key.replace("-", "_") in options}
    asked = {to: words[key] for key, to in family.of_metrics.items() if key in words}
    theirs = chosen(name, source, (), (reader, None), family.default).readers[0]
    if reader == GUESS and gold_reader is None and gold is not None:
        found_reader = chosen(name, gold, (), (GUESS, None), family.default).readers[0]
        gold_reader = None if found_reader == theirs else found_reader
    metrics = with_prefix(NamedTask(name), metrics) if metrics else ()
    how = {"gold_reader": gold_reader, "metrics": metrics, "options": asked or None}
    found = family_task(family, theirs, adjust=adjusted(family, words), **how)
    try:
        ours, own = _as_scored(request, gold, source, found.readers)
    except UsageError:
        raise
    except AdjudgeError as error:
        if not is_file(source) or is_stdin(gold):
            raise
        alone = None if gold is None else _as_scored(request, None, gold, (found.readers[0], None))[1]
        return _unscored(found, source, checks(gold=alone, side=side), error, plain=not request.given)
    return found.validate(own, checks(gold=ours, side=side))


def _as_scored(request: Request, gold: Any, source: Any, readers: tuple[str, str | None]) -> tuple[Any, Any]:
    """Gold, if there is any, and a side as scoring reads them: documents that have another shape, or else files."""
    if gold is None:
        theirs = readers[1] or readers[0]
        return None, request.coerced((), source, (), (theirs, None))[0]
    ours, own = request.coerced((), gold, source, readers)
    by_name = isinstance(own, Mapping) and (
        not isinstance(source, Mapping) or all(isinstance(each, Side) for each in own.values())
    )
    return ours, next(iter(own.values())) if by_name else own


def _unscored(task: MetricsTask, source: Any, checks: Checks, error: AdjudgeError, *, plain: bool) -> Findings:
    """The findings of a file that scoring cannot read: by line, if only the content of its documents is wrong."""
    if plain and not is_stdin(source):
        found = task.validate(source, checks)
        if task.readers != (JSONL, None) or not found.counts["unreadable"]:
            return found
    from adjudge.evaluate.validation import unread

    return unread(source, checks, error)


def _opened(request: Asking, source: Any) -> Any:
    """Files as they are, data in memory as documents."""
    from adjudge.evaluate.sides import is_file

    return source if source is None or is_file(source) else request.sides(source)[0]
