"""A request: metrics of the catalogue, and the options for reading, comparing and counting."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from adjudge.errors import AdjudgeError, UsageError, check_keywords
from adjudge.evaluate.engine import Evaluation, evaluate
from adjudge.evaluate.sides import is_file
from adjudge.evaluate.task import Run, Side, run_of
from adjudge.model.document import Corpus
from adjudge.tasks.chosen import as_metrics, split_names
from adjudge.tasks.documents import are_files, check_readers
from adjudge.tasks.family import COERCED, JSONL, Family, adjusted, find_family, is_family
from adjudge.tasks.readers import GUESS, Chosen, chosen, files_of
from adjudge.tasks.slices import FIELD, has_schema, known_fields
from adjudge.tasks.task import Adjust, MetricsTask, metric_family

if TYPE_CHECKING:
    from adjudge.stats.explanation import Explanation
    from adjudge.stats.result import Result
    from adjudge.tasks.observe import AnyMetric

OPTIONS = (
    *("ends", "gold_ends", "system_ends", "unit", "base", "scheme", "labels", "locate", "field", "fields", "id"),
    *("gold_column", "system_column", "format", "annotator", "shape", "offsets", "fragments", "map", "document"),
)
"""Options that say what the shapes of inputs in memory do not."""
COMMON = ("profile", "names", "reader", "gold_reader", "system_reader", "hierarchy", "hierarchy_credit", "adjust")
"""Options of all metrics of the catalogue, besides those of the run and of coercion."""
_GUESSED = Chosen((GUESS, None))
IN_MEMORY = ("ner", "linking", "relation", "event", "tree", "amr", "coref", "record")
"""Families whose documents in memory may have other shapes than those of their files."""


class Asking:
    """A task with its options: reads, counts and explains documents."""

    run: Run
    tells_items: ClassVar[bool] = True
    """Whether it knows what became of every item."""

    def evaluated(self, gold: Any, system: Any, run: Run | None = None) -> Evaluation:
        """What was counted of every document."""
        raise NotImplementedError

    def sides(self, gold: Any, system: Any = ()) -> tuple[Side, Side]:
        """Gold and one system as they are read, without counting anything."""
        raise NotImplementedError

    def documents(self, source: Any) -> Side:
        """The documents of one side, as they can be read again."""
        return self.sides(source)[0]

    def result(self, gold: Any, system: Any, run: Run | None = None) -> Result:
        """Scores, intervals and comparisons."""
        return self.evaluated(gold, system, run).result()

    def explanations(self, gold: Any, system: Any, document: str) -> dict[str, Explanation]:
        """The outcomes in one document, by system; an unambiguous part of the document's name suffices."""
        run = msgspec.structs.replace(self.run, align=True, document=document, digest=False)
        return self.evaluated(gold, system, run).checked().explanations()


class Request(Asking, msgspec.Struct, frozen=True, dict=True):
    """Metrics with their options: reads, counts and explains documents.

    `metrics` are as the user named them; None stands for those of the `family` that fit the documents. `given` states
    what the shapes of inputs in memory do not show, `of_metrics` are options of every metric.
    """

    metrics: Any
    family: Family | None
    run: Run
    readers: Chosen = _GUESSED
    profile: str = "default"
    names: Sequence[str] | None = None
    adjust: Adjust | None = None
    hierarchy: Mapping[str, Any] | None = None
    given: Mapping[str, Any] = {}
    of_metrics: Mapping[str, Any] = {}

    @cached_property
    def chosen(self) -> tuple[AnyMetric, ...]:
        """The metrics that were named, under the conventions of the run."""
        return () if self.metrics is None else self._under_conventions(self.metrics)

    def _under_conventions(self, metrics: Any) -> tuple[AnyMetric, ...]:
        """Metrics with the pooling, the hierarchies and the schema that belong to them."""
        return as_metrics(
            metrics,
            pool=self.run.pool,
            profile=self.profile,
            time_limit=self.run.time_limit,
            hierarchy=self.hierarchy,
            options=self.of_metrics or None,
        )

    def _opened(self, gold: Any, system: Any) -> tuple[tuple[AnyMetric, ...], Any, Any, Chosen]:
        """The metrics, both sides as files or documents, and the readers, with `guess` resolved by content."""
        readers, metrics, family = self.readers, self.chosen, self.family
        ours, theirs = readers.readers
        check_readers(gold, system, None if ours in (JSONL, GUESS) else ours, None if theirs == GUESS else theirs)
        if GUESS in readers.readers:
            files = files_of(gold, system)
            if files or is_file(gold):
                readers = chosen(family.name if family else metric_family(metrics), gold, files, readers.readers)
            else:  # nothing for a reader to read
                readers = Chosen((JSONL, None))
        fitting = family if self.metrics is None else None
        gold, system = self.coerced(metrics, gold, system, readers.readers)
        if fitting is not None:
            metrics = self._under_conventions(list(fitting_metrics(fitting, gold, system, readers.readers[0])))
        return metrics, gold, system, readers

    def coerced(
        self, metrics: tuple[AnyMetric, ...], gold: Any, system: Any, readers: tuple[str, str | None]
    ) -> tuple[Any, Any]:
        """Both sides, what is in memory and the values of files as documents; other files as they are."""
        if not self.given and are_files(gold, system) and {*COERCED, JSONL}.isdisjoint(readers):
            return gold, system
        from adjudge.tasks.door import family_of, formatted, opened

        named = self.family.name if self.metrics is None and self.family else None
        kind = "record" if has_schema(metrics) and not self.given else named or family_of(metrics)
        if kind is None:
            gold, system = formatted(metrics, gold, system)
        return opened(kind if kind in IN_MEMORY else None, gold, system, self.given, readers)

    def evaluated(
        self, gold: Any, system: Any, run: Run | None = None, *, names: Sequence[str | None] | None = None
    ) -> Evaluation:
        """What was counted of every document."""
        run = run or self.run
        metrics, gold, system, readers = self._opened(gold, system)
        adjust = self.adjust
        if any(one.clustered is not None for each in metrics for one in each.members):
            from adjudge.tasks.corpus import check_clustered

            check_clustered(metrics, adjusted=adjust is not None)
        if has_schema(metrics) and FIELD not in run.by:
            run = msgspec.structs.replace(run, by=(*run.by, FIELD))
        task = MetricsTask(metrics, profile=self.profile, by=run.by, readers=readers.readers, adjust=adjust, run=run)
        task.said = readers.said
        if (
            adjust is not None
            and "repair" in adjust.system
            and task.fit is None
            and "answers" not in readers.readers[0]
        ):
            raise UsageError("repair is for the answers of records", hint="leave it out, or score record.fields")
        several = system if isinstance(system, list | tuple) else [system]
        if run.stream and not (
            task.by_blocks and all(isinstance(each, str | os.PathLike) for each in (gold, *several))
        ):
            hint = "give files of JSON lines, metrics that add over documents, and slices by fields of the documents"
            raise UsageError("these documents cannot be read a block at a time", hint=hint)
        return evaluate(task, gold, system, run, names=names or self.names)

    def sides(self, gold: Any, system: Any = ()) -> tuple[Side, Side]:
        """Gold and one system as they are read, without counting anything."""
        metrics, gold, system, readers = self._opened(gold, system)
        task = MetricsTask(metrics, readers=readers.readers, adjust=self.adjust, run=self.run)
        one = next(iter(system.values())) if isinstance(system, dict) and len(system) == 1 else system
        return task.read(gold, "gold"), task.read_system(one, "system")


def request_of(
    task: str | None, metrics: Any, run: Any, options: Mapping[str, Any], *, function: str = "score"
) -> Request:
    """The request: a task of the catalogue or metrics, the run, and all options."""
    options = dict(options)
    family = find_family(task) if task is not None else _family_of(metrics)
    own = {name.replace("-", "_"): name for name in (family.options if family else {})}
    known = (*own, *COMMON, *OPTIONS, "documents", "schema", "repair")
    taken = {name: options.pop(name) for name in dict.fromkeys(known) if name in options}
    align = taken.pop("documents", False)
    given = {name: taken.pop(name) for name in OPTIONS if name in taken and name not in own}
    if not isinstance(align, bool):
        given["documents"], align = tuple(map(str, align)), False
    asked = run_with(run, options, known, align=align, function=function)
    words = {name: taken.pop(spelt) for spelt, name in own.items() if spelt in taken}
    if family is not None and family.name == "record":
        given |= {name.replace("-", "_"): words[name] for name in ("field", "system-field") if name in words}
    of_metrics = {to: words[name] for name, to in (family.of_metrics if family else {}).items() if name in words}
    if taken.get("schema") is not None:  # of custom metrics
        of_metrics["schema"] = taken["schema"]
    if taken.get("repair"):
        words["repair"] = True
    usual, ours = taken.get("reader", GUESS), taken.get("gold_reader")
    return Request(
        metrics,
        family,
        asked,
        readers=Chosen((ours or usual, taken.get("system_reader") or (usual if ours else None))),
        profile=taken.get("profile") or "default",
        names=taken.get("names"),
        adjust=_adjusted(family, words, taken.get("adjust")),
        hierarchy=_hierarchies(taken.get("hierarchy"), taken.get("hierarchy_credit")),
        given=given,
        of_metrics=of_metrics,
    )


def run_with(
    run: Any, options: Mapping[str, Any], known: Sequence[str] = (), *, align: bool = False, function: str = "score"
) -> Run:
    """A run from options, or the given one; both together are an error."""
    from adjudge.evaluate.task import OPTIONS as RUN

    check_keywords(options, (*RUN, *known, "metrics", "compat"), function)
    if isinstance(run, Mapping):
        run = run_of(**run)
    assert run is None or isinstance(run, Run)
    if run is None:
        return run_of(**{**options, "align": align or options.get("align", False)})
    if options:
        raise UsageError(f"run and {next(iter(options))} are both given", hint="change the run, or leave it out")
    return msgspec.structs.replace(run, align=align or run.align)


def _family_of(metrics: Any) -> Family | None:
    """The family of all metrics, if their names share one."""
    names = split_names(metrics) if isinstance(metrics, str) else metrics if isinstance(metrics, list | tuple) else ()
    kinds = {each.partition(".")[0] if isinstance(each, str) else "" for each in names}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return find_family(kind) if is_family(kind) else None


def _adjusted(family: Family | None, words: Mapping[str, Any], own: Adjust | None) -> Adjust | None:
    if family is not None and family.name == "record":
        known = {name: value for name, value in words.items() if name in family.options}
        found = adjusted(family, known)
    elif words.get("repair"):
        found = Adjust(None, {"repair": "yes"}, {}, {"repair": True})
    else:
        found = None if family is None else adjusted(family, words)
    if own is None or found is None:
        return found or own
    return msgspec.structs.replace(own, options={**own.options, **found.options}, gold=found.gold, system=found.system)


def _hierarchies(given: Mapping[str, Any] | None, credit: str | None) -> Mapping[str, Any] | None:
    if credit is None or not given:
        if credit is not None:
            raise UsageError("hierarchy_credit does nothing without hierarchy", hint="give both, or neither")
        return given
    from adjudge.metrics.derived import as_hierarchy

    return {name: as_hierarchy(each, credit=credit) for name, each in given.items()}


# ---------------------------------------------------------------------------------------------------------------------
# Repeating an evaluation


def repeatable(request: Asking, gold: Any, system: Any) -> Result:
    """A result that can read its documents again: to explain one, to slice all, for a page."""
    result = request.result(gold, system)
    result.__dict__["_again"] = partial(_again, request, gold, system)
    return result


def _again(request: Asking, gold: Any, system: Any, **changes: Any) -> Result | dict[str, Explanation] | None:
    """The same documents again: one of them explained, or all with other run options; None without what it asks for."""
    if "align" in changes and not request.tells_items:
        return None
    if "document" in changes:
        return request.explanations(gold, system, changes["document"])
    if "by" not in changes:
        return request.result(gold, system, msgspec.structs.replace(request.run, **changes))
    field, before = changes["by"], request.run.by
    try:
        return request.result(gold, system, msgspec.structs.replace(request.run, by=(*before, field)))
    except UsageError:
        inside = _compared_fields(request, gold, system)
        if "." in field or not inside:
            raise
    by = (*before, *(f"{name}.{field}" for name in inside))
    return request.result(gold, system, msgspec.structs.replace(request.run, by=by))


def _compared_fields(request: Asking, gold: Any, system: Any) -> tuple[str, ...]:
    """The fields of documents whose elements are compared."""
    if not isinstance(request, Request):
        return ()
    task = request.evaluated(gold, system, msgspec.structs.replace(request.run, digest=False)).task
    assert isinstance(task, MetricsTask)
    names = [member.within for each in task.metrics for member in each.members]
    return tuple(dict.fromkeys(name for name in names if name is not None))


# ---------------------------------------------------------------------------------------------------------------------
# The metrics that fit the input if none are named: items without positions are compared without them

# Metrics for documents that have this field instead of the one that the usual metrics compare.
_INSTEAD = {
    "ner": ("entities", {"mentions": ("ner.mention",)}),
    "relation": ("relations", {"triples": ("relation.triples",), "facts": ("relation.docred",)}),
}
_LOOKED_AT = 1000  # documents of a side


def fitting_metrics(family: Family, gold: Any, system: Any, reader: str) -> tuple[str, ...]:
    """The usual metrics of a family or of a reader, or those for documents that have other fields.

    >>> from adjudge.tasks.family import find_family
    >>> fitting_metrics(find_family("relation"), [{"triples": []}], [{"triples": []}], "jsonl")
    ('relation.triples',)
    """
    own = family.readers.get(reader)
    usual = (own.metrics if own else ()) or family.metrics
    if usual != family.metrics:
        return usual
    sides = (gold, *(system.values() if _are_systems(system) else (system,)))
    documents = [list(islice(_documents(side, reader), _LOOKED_AT)) for side in sides]
    fields = {name for own in documents for data in own for name in data}
    first, others = _INSTEAD.get(family.name, ("", {}))
    if first not in fields:
        usual = next((names for field, names in others.items() if field in fields), usual)
    return _with_fields(usual, documents) if family.name == "tree" else usual


def _are_systems(system: Any) -> bool:
    return isinstance(system, Mapping) and all(isinstance(each, Side | Corpus | list | str) for each in system.values())


def _documents(source: Any, reader: str) -> Iterator[Mapping[str, Any]]:
    """Documents of a source that are mappings; of a file of JSON lines the first."""
    values: Any = ()
    if isinstance(source, Side):
        values = (each.data for each in source.documents.values())
    elif isinstance(source, Corpus):
        values = (each.data for each in source.documents)
    elif isinstance(source, Mapping | list | tuple):
        values = source.values() if isinstance(source, Mapping) else source
    elif isinstance(source, str | os.PathLike) and reader == JSONL and os.path.isfile(source):  # noqa: PTH113
        values = _first(os.fspath(source))
    return (each for each in values if isinstance(each, Mapping))


def _first(path: str) -> list[Any]:
    from adjudge.formats.jsonl import stream_documents

    try:
        return [each.data for each in islice(stream_documents([path]), 1)]
    except AdjudgeError:
        return []  # problems are reported when it is read


def _with_fields(names: tuple[str, ...], sides: Sequence[Sequence[Mapping[str, Any]]]) -> tuple[str, ...]:
    """The tree metrics all of whose fields both sides have: forms, features and lemmas may be missing."""
    words = [[word for data in own for word in data.get("dependencies") or ()] for own in sides]
    known = [{name for word in own if isinstance(word, Mapping) for name in word} for own in words]
    needed: dict[str, Set[str]] = {name: known_fields(as_metrics(name)).get("dependencies", set()) for name in names}
    return tuple(name for name in names if all(needed[name] <= own for own in known if own)) or names
