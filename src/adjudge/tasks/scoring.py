"""Score systems against gold by metrics, and explain one document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from adjudge.errors import UsageError, check_keywords
from adjudge.evaluate.engine import Evaluation, evaluate
from adjudge.evaluate.run import OPTIONS as RUN
from adjudge.evaluate.run import Run, run_of
from adjudge.tasks.chosen import as_metrics
from adjudge.tasks.corpus import check_clustered
from adjudge.tasks.documents import Documents, check_readers
from adjudge.tasks.door import OPTIONS, family_of, opened
from adjudge.tasks.family import JSONL
from adjudge.tasks.leaf_fields import FIELD, has_schema
from adjudge.tasks.readers import GUESS, Chosen, chosen, files_of
from adjudge.tasks.task import Adjust, MetricsTask, metric_family

if TYPE_CHECKING:
    from adjudge.algebra.align import Alignment
    from adjudge.stats.explanation import Explanation
    from adjudge.stats.result import Result
    from adjudge.tasks.observe import AnyMetric


def score(
    metric: Any,
    gold: Documents,
    system: Any = None,
    *,
    profile: str = "default",
    names: Sequence[str] | None = None,
    reader: str = GUESS,
    system_reader: str | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    adjust: Adjust | None = None,
    **options: Any,
) -> Result:
    """The scores of one or several systems, with intervals and paired comparisons.

    `metric` is a name of the catalogue, a family, a metric, a similarity, a type, or a list of these. `gold` is a path,
    a list of documents, or a mapping from ids to documents; `system` is the same, or several of it (a list of paths, or
    a mapping from names). Documents without ids are paired by position. A document is a mapping or an object; a value
    that is neither (a list of relations), or a mapping in memory that has neither an id nor the field that the metric
    compares, is the value of that field.

    `by` names fields of the gold documents (`genre`) or of elements (`relations.type`; such a slice has the documents
    in which gold or a system has its value). `time_limit` bounds, in seconds, the search for each document where a
    metric needs one; a score that is then not proven says so and carries its bound. `reader` names the format of the
    files (`bio`, `penman`, ...; by default their content says it, and a note tells), `system_reader` that of the system
    files if it is another one. `hierarchy` maps fields (`events.type`) to a hierarchy of their values, for partial
    credit: a file, a mapping of types to their parents, a separator of levels, or `aj.hierarchy(...)`. `schema` says
    how the fields of records are compared: a file, a class (pydantic, dataclass, msgspec, attrs), `module:Class`, a
    JSON Schema or a mapping; with `repair` answers that are nearly JSON are read, too. `adjust` changes pairs of
    documents before they are compared. With `documents` the result has the texts and what became of every item, for a
    report. `jobs` is the number of processes (0: as many as pay), `cluster` the address of a Dask scheduler, or
    `local`. Files of JSON lines are read all at first or, to the same result, a block of documents at a time (`stream`;
    by default if they are large). The other options are those of every task: `bootstrap`, `ci`, `seed`, `interval`,
    `test`, `pool`, `docs`, and `progress`, which is called with the numbers of documents done and of all.

    >>> gold = [{"id": "d1", "items": ["a", "b"]}, {"id": "d2", "items": ["c"]}]
    >>> system = [{"id": "d1", "items": ["a", "x"]}]
    >>> score("record.set", gold, system, bootstrap=0)["record.set"].precision
    0.5000
    """
    documents = options.pop("documents", False)
    given = {name: options.pop(name) for name in OPTIONS if name in options}
    own = {"schema": options.pop("schema", None), "hierarchy": hierarchy, "profile": profile}
    if options.pop("repair", False):
        adjust = (adjust or Adjust(None, {}))._replace(options={"repair": "yes"}, system={"repair": True})
    check_keywords(options, (*RUN, "documents", "schema", "repair", *OPTIONS), "score")
    run = run_of(**options, align=documents)
    metrics = _chosen(metric, run, own)
    readers = Chosen((reader, system_reader))
    found = evaluated(
        metrics, gold, system, run, readers=readers, profile=profile, names=names, adjust=adjust, given=given
    )
    return found.result()


def _chosen(metric: Any, run: Run, own: Mapping[str, Any]) -> tuple[AnyMetric, ...]:
    """The metrics under the conventions of a run, with the hierarchies and the schema that belong to them."""
    schema = own.get("schema")
    return as_metrics(
        metric,
        pool=run.pool,
        profile=own.get("profile") or "default",
        time_limit=run.time_limit,
        hierarchy=own.get("hierarchy"),
        options=None if schema is None else {"schema": schema},
    )


def explain_document(
    metric: Any,
    gold: Documents,
    system: Any,
    document: str,
    *,
    reader: str = GUESS,
    system_reader: str | None = None,
    time_limit: float | None = None,
    **options: Any,
) -> dict[str, dict[str, Alignment]]:
    """What is matched, missed and spurious in one document: system name -> metric name -> alignment.

    >>> gold = [{"id": "d1", "items": ["a", "b"]}]
    >>> found = explain_document("record.set", gold, [{"id": "d1", "items": ["a"]}], "d1")
    >>> [item.value for item in found["system"]["record.set"].missed]
    ['b']
    """
    check_keywords(options, ("profile", "names", "hierarchy", "adjust", "schema"), "explain_document")
    run = Run(docs=(document,), time_limit=time_limit, stream=False)
    metrics = _chosen(metric, run, options)
    rest = {name: value for name, value in options.items() if name not in ("schema", "hierarchy")}
    found = evaluated(metrics, gold, system, run, readers=Chosen((reader, system_reader)), **rest)
    task = found.task
    assert isinstance(task, MetricsTask)
    ours = found.gold.documents[document].data
    return {
        name: {
            each.name: each.align(*task.observer.pair(each, ours, theirs))
            for whole in task.metrics
            for each in whole.members
        }
        for name, own in found.systems.items()
        for theirs in [own.side.documents[document].data if document in own.side.documents else None]
    }


def explained(
    metric: Any, gold: Documents, system: Any, document: str, *, time_limit: float | None = None, **options: Any
) -> dict[str, Explanation]:
    """What became of every item of one document, by system: what `--explain` prints."""
    run = Run(align=True, document=document, digest=False, time_limit=time_limit)
    rest = {name: value for name, value in options.items() if name not in ("schema", "hierarchy")}
    return evaluated(_chosen(metric, run, options), gold, system, run, **rest).explanations()


def evaluated(
    metrics: tuple[AnyMetric, ...],
    gold: Documents,
    system: Any,
    run: Run,
    *,
    readers: Chosen,
    profile: str = "default",
    names: Sequence[str] | None = None,
    adjust: Adjust | None = None,
    given: Mapping[str, Any] | None = None,
) -> Evaluation:
    """What was counted of every document.

    `given` says of inputs in memory what their shapes do not. A reader that is `guess` is found by the content of the
    files.
    """
    ours, theirs = readers.readers
    check_readers(gold, system, None if ours in (JSONL, GUESS) else ours, None if theirs == GUESS else theirs)
    check_clustered(metrics, adjusted=adjust is not None)
    if GUESS in readers.readers:
        readers = chosen(metric_family(metrics), gold, files_of(gold, system), readers.readers)
    kind = "record" if has_schema(metrics) and not given else family_of(metrics)
    gold, system = opened(kind, gold, system, given or {}, readers.readers)
    if has_schema(metrics) and FIELD not in run.by:
        run = msgspec.structs.replace(run, by=(*run.by, FIELD))
    task = MetricsTask(metrics, profile=profile, by=run.by, readers=readers.readers, adjust=adjust, run=run)
    task.said = readers.said
    if adjust is not None and "repair" in adjust.system and task.fit is None and "answers" not in readers.readers[0]:
        raise UsageError("repair is for the answers of records", hint="leave it out, or score record.fields")
    several = system if isinstance(system, list | tuple) else [system]
    if run.stream and not (task.by_blocks and all(isinstance(each, str | Path) for each in (gold, *several))):
        hint = "give files of JSON lines, metrics that add over documents, and slices by fields of the documents"
        raise UsageError("these documents cannot be read a block at a time", hint=hint)
    return evaluate(task, gold, system, run, names=names)
