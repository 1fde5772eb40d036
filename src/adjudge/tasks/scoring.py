"""Score systems against gold: pair the documents, observe each pair, add up, and say how sure the numbers are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import msgspec

from adjudge.algebra import ir
from adjudge.engine.local import map_documents
from adjudge.errors import UsageError, ValidationError, did_you_mean
from adjudge.evaluate.doubts import Compared, with_doubts
from adjudge.evaluate.offsets import Span, spans_in
from adjudge.formats.source import is_blank
from adjudge.model.document import Document
from adjudge.stats.inference import Inference
from adjudge.tasks.adding import Campaign, add_up
from adjudge.tasks.catalogue.family import JSONL, pairing, reads
from adjudge.tasks.corpus import add_up_corpus, check_clustered, is_clustered
from adjudge.tasks.documents import Documents, Side, check_readers, choose, read_sides
from adjudge.tasks.field_notes import Pick, with_field_notes
from adjudge.tasks.large import Inputs, find_inputs, is_large, pays
from adjudge.tasks.observe import AnyMetric, Complaint, Observer, Seen, prepared, wrapped
from adjudge.tasks.placing import placed
from adjudge.tasks.profiles import PROFILES
from adjudge.tasks.slices import slicing

if TYPE_CHECKING:
    from adjudge.algebra.align import Alignment
    from adjudge.stats.result import Result

Progress: TypeAlias = "Callable[[int, int | None], None]"
"""Called with the number of documents done and the number of all, None if that is not known."""


class Adjust(NamedTuple):
    """What is done to a pair of documents before they are compared, and the options that the signature names.

    `change(gold, system)` gives both as they are to be compared.
    """

    change: Callable[[Any, Any], tuple[Any, Any]]
    options: Mapping[str, str]


def score(
    metric: Any,
    gold: Documents,
    system: Any,
    *,
    by: Sequence[str] = (),
    bootstrap: int | None = None,
    ci: float = 0.95,
    seed: int = 13,
    pool: str | None = None,
    profile: str = "default",
    docs: Iterable[str] | None = None,
    jobs: int | None = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
    names: Sequence[str] | None = None,
    test: str = "auto",
    interval: str = "auto",
    time_limit: float | None = None,
    reader: str = JSONL,
    system_reader: str | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    adjust: Adjust | None = None,
    documents: bool = False,
    stream: bool | None = None,
) -> Result:
    """The scores of one or several systems, with intervals and paired comparisons.

    `metric` is a name of the catalogue, a metric, a similarity, a type, or a list of these. `gold` is a path, a list
    of documents, or a mapping from ids to documents; `system` is the same, or several of it (a list of paths, or a
    mapping from names). Documents without ids are paired by position. A document is a mapping or an object; a value
    that is neither (a list of relations), or a mapping in memory that has neither an id nor the field that the metric
    compares, is the value of that field.

    `by` names fields of the gold documents (`genre`) or of elements (`relations.type`; such a slice has the documents
    in which gold or a system has its value). `time_limit` bounds, in seconds, the search for each document where a
    metric needs one; a score that is then not proven says so and carries its bound. `reader` names the format of the
    files (`bio`, `penman`, ...), `system_reader` that of the system files if it is another one. `hierarchy` maps fields
    (`events.type`) to a hierarchy of their values, for partial credit: a file, a mapping of types to their parents, a
    separator of levels, or `aj.hierarchy(...)`. `adjust` changes pairs of documents before they are compared. With
    `documents` the result has the texts and what became of every item, for a report. `jobs` is the number of processes
    (0: as many as pay), `cluster` the address of a Dask scheduler, or `local`. Files of JSON lines are read all at
    first or, to the same result, a block of documents at a time (`stream`; by default if they are large).

    >>> gold = [{"id": "d1", "items": ["a", "b"]}, {"id": "d2", "items": ["c"]}]
    >>> system = [{"id": "d1", "items": ["a", "x"]}]
    >>> score("record.set", gold, system, bootstrap=0)["record.set"].precision
    0.5000
    """
    by = (by,) if isinstance(by, str) else tuple(by)
    check_readers(gold, system, None if reader == JSONL else reader, system_reader)
    inference = Inference(bootstrap=bootstrap, level=ci, seed=seed, interval=interval, test=test)
    metrics = as_metrics(metric, pool=pool, profile=profile, time_limit=time_limit, hierarchy=hierarchy)
    check_clustered(metrics, adjusted=adjust is not None)
    whole = documents or is_clustered(metrics) or any("." in name for name in by)
    inputs = None
    if stream is not False and not whole and reader == (system_reader or reader) == JSONL:
        inputs = find_inputs(gold, system, names)
        if inputs is not None and any(all(map(is_blank, paths)) for paths in inputs.files[1:]):
            inputs = None  # a system that found nothing has nothing to be read a block at a time
    if stream and inputs is None:
        hint = "give files of JSON lines, metrics that add over documents, and slices by fields of the documents"
        raise UsageError("these documents cannot be read a block at a time", hint=hint)
    docs = None if docs is None else list(docs)
    if inputs is not None:
        found = _from_files(
            metrics,
            inputs,
            streamed=bool(stream) or is_large(inputs),
            by=by,
            docs=docs,
            profile=profile,
            jobs=jobs,
            cluster=cluster,
            progress=progress,
            adjust=adjust,
            inference=inference,
        )
        if found is not None:
            found = with_doubts(found, _compared_files(metrics, inputs))
            return with_field_notes(found, metrics, _picked(adjust, partial(_read_some, inputs)))
    gold_side, systems = read_sides(
        gold, system, names, read=reads(reader, system_reader), pair=pairing(reader, system_reader)
    )
    _check_repeats(metrics, (gold_side, *systems))
    chosen = choose(gold_side, docs)
    plain = all(side.plain for side in (gold_side, *systems))
    data = [document.data for document in chosen.values()]
    slices = slicing(by, [wrapped(metrics[0], each, plain=plain) for each in data], metrics)
    observer = Observer(metrics, slices.paths, plain, outcomes=documents)
    seen = _observe(observer, chosen, gold_side, systems, jobs=jobs, cluster=cluster, progress=progress, adjust=adjust)
    options = {} if adjust is None else dict(adjust.options)
    campaign = Campaign(
        metrics, tuple(chosen), gold_side, systems, seen, whole=docs is None, options=options, plain=plain
    )
    add = add_up_corpus if is_clustered(metrics) else add_up
    result = add(campaign, slices, profile=profile, inference=inference)
    result = with_doubts(result, _compared(metrics, (gold_side, *systems), reader))
    result = with_field_notes(result, metrics, _picked(adjust, partial(_held_some, (gold_side, *systems))), plain=plain)
    return _with_documents(result, campaign, chosen) if documents else result


def _held_some(sides: Sequence[Side], ids: Sequence[str]) -> list[dict[str, Any]]:
    return [{name: side.documents[name].data for name in ids if name in side.documents} for side in sides]


def _read_some(inputs: Inputs, ids: Sequence[str]) -> list[dict[str, Any]]:
    from adjudge.formats.shards import stream_documents

    wanted = frozenset(ids)
    return [{each.id: each.data for each in stream_documents(own) if each.id in wanted} for own in inputs.files]


def _picked(adjust: Adjust | None, some: Pick) -> Pick:
    """Some documents as they are compared."""
    if adjust is None:
        return some

    def pick(ids: Sequence[str]) -> list[dict[str, Any]]:
        gold, *systems = some(ids)
        found = [{name: adjust.change(gold[name], own[name]) for name in own} for own in systems]
        changed = {name: pair[0] for own in found for name, pair in own.items()}
        return [changed, *({name: pair[1] for name, pair in own.items()} for own in found)]

    return pick


def _from_files(
    metrics: tuple[AnyMetric, ...],
    inputs: Inputs,
    *,
    streamed: bool,
    by: tuple[str, ...],
    docs: Sequence[str] | None,
    profile: str,
    jobs: int | None,
    cluster: str | None,
    progress: Progress | None,
    adjust: Adjust | None,
    inference: Inference,
) -> Result | None:
    """The scores of documents that are not all held at once; None if they may as well be."""
    apart = cluster is None and pays(inputs, jobs)
    if not (streamed or apart):
        return None
    from adjudge.tasks.parts import score_parts
    from adjudge.tasks.streaming import BLOCK, Plan, score_stream

    try:
        _check_repeats(metrics, (Side("gold", inputs.gold, {"": Document(id="", data={})}, ""),))
    except UsageError:
        if streamed:
            raise
        return None  # what is wrong with the files comes first
    plan = Plan(
        metrics,
        inputs,
        by,
        None if docs is None else frozenset(map(str, docs)),
        profile,
        None if adjust is None else adjust.change,
        {} if adjust is None else adjust.options,
        BLOCK if streamed else None,
    )
    found = score_parts(plan, jobs=jobs, progress=progress, inference=inference) if apart else None
    if found is not None or not streamed:
        return found
    return score_stream(plan, jobs=jobs, cluster=cluster, progress=progress, inference=inference)


def _compared(metrics: Sequence[AnyMetric], sides: Sequence[Side], reader: str) -> Compared:
    """What was compared, for notes."""
    unit = "character" if reader in (JSONL, "brat") else "token"
    spans = tuple(partial(_spans, side.documents.values, _fields(metrics)) for side in sides)
    return Compared(tuple(side.path for side in sides), spans, unit)


def _compared_files(metrics: Sequence[AnyMetric], inputs: Inputs) -> Compared:
    """The same of files that are not held in memory."""
    from adjudge.formats.shards import stream_documents

    spans = tuple(partial(_spans, partial(stream_documents, paths), _fields(metrics)) for paths in inputs.files)
    return Compared((inputs.gold, *inputs.systems), spans, "character")


def _fields(metrics: Sequence[AnyMetric]) -> tuple[str, ...]:
    """The fields of documents that are compared; none if a metric compares whole documents."""
    names = {member.within for each in metrics for member in each.members}
    return () if None in names else tuple(sorted(str(name) for name in names))


def _spans(
    documents: Callable[[], Iterable[Document]], fields: tuple[str, ...]
) -> Iterator[tuple[str, Iterator[Span]]]:
    for each in documents():
        data = each.data
        if isinstance(data, Mapping):
            chosen = [data[name] for name in fields if name in data]
        else:
            chosen = [getattr(data, name) for name in fields if hasattr(data, name)]
        yield each.id, spans_in(chosen or data)


def _with_documents(result: Result, campaign: Campaign, chosen: Mapping[str, Document]) -> Result:
    from adjudge.tasks.outcomes import with_documents

    found = [side.documents for side in campaign.systems]
    names = [side.name for side in campaign.systems]
    return with_documents(
        result,
        chosen,
        {name: [seen[place].aligned for seen in campaign.seen] for place, name in enumerate(names)},
        {
            name: [own[each].data if each in own else None for each in chosen]
            for name, own in zip(names, found, strict=True)
        },
    )


def explain_document(
    metric: Any,
    gold: Documents,
    system: Any,
    document: str,
    *,
    profile: str = "default",
    names: Sequence[str] | None = None,
    time_limit: float | None = None,
    reader: str = JSONL,
    system_reader: str | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    adjust: Adjust | None = None,
) -> dict[str, dict[str, Alignment]]:
    """What is matched, missed and spurious in one document: system name -> metric name -> alignment.

    >>> gold = [{"id": "d1", "items": ["a", "b"]}]
    >>> found = explain_document("record.set", gold, [{"id": "d1", "items": ["a"]}], "d1")
    >>> [item.value for item in found["system"]["record.set"].missed]
    ['b']
    """
    check_readers(gold, system, None if reader == JSONL else reader, system_reader)
    metrics = as_metrics(metric, profile=profile, time_limit=time_limit, hierarchy=hierarchy)
    gold_side, systems = read_sides(
        gold, system, names, read=reads(reader, system_reader), pair=pairing(reader, system_reader)
    )
    _check_repeats(metrics, (gold_side, *systems))
    chosen = choose(gold_side, [document])
    plain = all(side.plain for side in (gold_side, *systems))
    _observe(
        Observer(metrics, plain=plain), chosen, gold_side, systems, adjust=adjust
    )  # the same checks as for a score
    found: dict[str, dict[str, Alignment]] = {}
    for side in systems:
        own = side.documents.get(document)
        pair = _adjusted(adjust, chosen[document].data, None if own is None else own.data)
        found[side.name] = {
            each.name: each.align(*(prepared(each, wrapped(each, data, plain=plain)) for data in pair))
            for whole in metrics
            for each in whole.members
        }
    return found


def as_metrics(
    metric: Any,
    *,
    pool: str | None = None,
    profile: str = "default",
    time_limit: float | None = None,
    hierarchy: Mapping[str, Any] | None = None,
) -> tuple[AnyMetric, ...]:
    """One or several metrics, under one pooling and the conventions of a profile, with the hierarchies of fields.

    >>> [each.name for each in as_metrics("relation.strict(beta=2), relation.spans")]
    ['relation.strict', 'relation.spans']
    """
    if profile not in PROFILES:
        hint = did_you_mean(profile, PROFILES) or f"profiles are {', '.join(PROFILES)}"
        raise UsageError(f"there is no profile {profile!r}", hint=hint)
    if isinstance(metric, str):
        metric = [metric] if is_spec_file(metric) else split_names(metric)
    found = [_as_metric(each) for each in (metric if isinstance(metric, list | tuple) else [metric])]
    if not found:
        raise UsageError("there is no metric", hint="name one, see `adjudge metrics`")
    changes = PROFILES[profile]
    metrics = tuple(
        each.with_options(
            pool=cast("Any", pool),
            conventions=msgspec.structs.replace(each.conventions, **changes) if changes else None,
            time_limit=time_limit,
        )
        for each in found
    )
    names = [each.name for each in metrics]
    for name in names:
        if names.count(name) > 1:
            hint = "name each metric once, and score other options in a run of their own"
            raise UsageError(f"the metric {name} is named twice", hint=hint)
    if len({each.pool for each in metrics}) > 1:
        raise UsageError("these metrics are pooled differently", hint="choose one with pool (--pool micro or macro)")
    if not hierarchy:
        return metrics
    from adjudge.metrics.hierarchies import as_hierarchy, with_hierarchies

    return with_hierarchies(metrics, {path: as_hierarchy(each) for path, each in hierarchy.items()})


def is_spec_file(text: str) -> bool:
    """Whether a text names a specification file that is there."""
    try:
        return Path(text).suffix.lower() in (".json", ".yaml", ".yml") and Path(text).is_file()
    except (OSError, ValueError):  # too long, or with a null character: not the name of a file
        return False


def split_names(text: str) -> list[str]:
    """The parts of a list between commas, but not inside brackets.

    >>> split_names("relation.strict(beta=2,pool=macro), record.set")
    ['relation.strict(beta=2,pool=macro)', 'record.set']
    """
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _as_metric(value: Any) -> AnyMetric:
    from adjudge.algebra.view import View
    from adjudge.metrics import Definition, Metric, derive, find
    from adjudge.metrics.derived import of_view

    if isinstance(value, str):
        return cast("AnyMetric", find(value))
    if isinstance(value, Definition):
        return cast("AnyMetric", value())
    if isinstance(value, View):
        return of_view(value)
    if isinstance(value, ir.Node):
        return Metric(similarity=cast("ir.Similarity", value))
    if hasattr(value, "observe"):
        return cast("AnyMetric", value)
    return derive(value)


def _check_repeats(metrics: Sequence[AnyMetric], sides: Sequence[Side]) -> None:
    """Raise if repeated elements should count or be errors, but reading the documents drops them."""
    from adjudge.metrics.documents import without_repeats

    raw = any(isinstance(each.data, Mapping) for side in sides for each in side.documents.values())
    for metric in (member for each in metrics for member in each.members):
        if raw and metric.document is not None and metric.conventions.duplicates != "set":
            place = without_repeats(metric.document)
            if place is not None:
                raise UsageError(
                    f"{metric.name} cannot see repeated elements: {place} is a set, and reading a document drops them",
                    hint="write list[...] in the type: it is compared without regard to order as well",
                )


# ---------------------------------------------------------------------------------------------------------------------
# Observing


def _observe(
    observer: Observer,
    chosen: Mapping[str, Document],
    gold: Side,
    systems: Sequence[Side],
    *,
    jobs: int | None = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
    adjust: Adjust | None = None,
) -> list[list[Seen]]:
    """The counts of every document; what does not fit is raised at the end, all of it."""

    def pairs() -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
        for identifier, document in chosen.items():
            found = [side.documents.get(identifier) for side in systems]
            answers = tuple(None if each is None else each.data for each in found)
            if adjust is None:
                yield identifier, document.data, answers
            else:
                both = [_adjusted(adjust, document.data, each) for each in answers]
                yield identifier, both[0][0], tuple(answer for _, answer in both)

    done = 0

    def advance(number: int) -> None:
        nonlocal done
        done += number
        if progress is not None:
            progress(done, len(chosen))

    problems: list[tuple[str, Complaint]] = []
    seen: list[list[Seen]] = []
    for identifier, observed in map_documents(
        observer, pairs(), jobs=jobs, cluster=cluster, total=len(chosen), progress=advance
    ):
        problems += [(identifier, complaint) for complaint in observed.complaints]
        seen.append(observed.systems)
    if problems:
        raise ValidationError(list(placed(problems, gold, systems)))
    return seen


def _adjusted(adjust: Adjust | None, gold: Any, system: Any) -> tuple[Any, Any]:
    """A pair as it is compared; gold must become the same for every system."""
    return (gold, system) if adjust is None else adjust.change(gold, system)
