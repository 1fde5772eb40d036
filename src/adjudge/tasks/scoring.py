"""Score systems against gold: pair the documents, observe each pair, add up, and say how sure the numbers are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import msgspec

from adjudge.algebra import ir
from adjudge.engine.local import map_documents
from adjudge.errors import Problem, UsageError, ValidationError, did_you_mean
from adjudge.formats.jsonl import LIMIT
from adjudge.formats.jsonl import columns as find_columns
from adjudge.model.document import Document
from adjudge.tasks.documents import Documents, Side, choose, read_sides
from adjudge.tasks.observe import GOLD, AnyMetric, Complaint, Observer, Seen, looks_at, prepared, wrapped
from adjudge.tasks.profiles import PROFILES
from adjudge.tasks.slices import Slicing, slicing

if TYPE_CHECKING:
    from adjudge.algebra.align import Alignment
    from adjudge.stats.build import Test
    from adjudge.stats.measure import Measure
    from adjudge.stats.result import Note, Result
    from adjudge.stats.table import StatsTable

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of documents done and the number of all."""

_EXAMPLES = 10


def score(
    metric: Any,
    gold: Documents,
    system: Any,
    *,
    by: Sequence[str] = (),
    bootstrap: int = 1000,
    ci: float = 0.95,
    seed: int = 13,
    pool: str | None = None,
    profile: str = "default",
    docs: Iterable[str] | None = None,
    jobs: int | None = 1,
    progress: Progress | None = None,
    names: Sequence[str] | None = None,
    test: Test = "paired-bootstrap",
    time_limit: float | None = None,
) -> Result:
    """The scores of one or several systems, with intervals and paired comparisons.

    `metric` is a name of the catalogue, a metric, a similarity, a type, or a list of these. `gold` is a path, a list
    of documents, or a mapping from ids to documents; `system` is the same, or several of it (a list of paths, or a
    mapping from names). Documents without ids are paired by position. `by` names fields of the gold documents
    (`genre`) or of elements (`relations.type`). `time_limit` bounds, in seconds, the search for each document where a
    metric needs one; a score that is then not proven says so and carries its bound.

    >>> gold = [{"id": "d1", "items": ["a", "b"]}, {"id": "d2", "items": ["c"]}]
    >>> system = [{"id": "d1", "items": ["a", "x"]}]
    >>> score("record.set", gold, system, bootstrap=0)["record.set"].precision
    0.5000
    """
    by = (by,) if isinstance(by, str) else tuple(by)
    metrics = as_metrics(metric, pool=pool, profile=profile, time_limit=time_limit)
    gold_side, systems = read_sides(gold, system, names)
    chosen = choose(gold_side, docs)
    slices = slicing(by, [document.data for document in chosen.values()], metrics)
    observer = Observer(metrics, slices.paths)
    seen = _observe(observer, chosen, gold_side, systems, jobs=jobs, progress=progress)
    campaign = _Campaign(metrics, tuple(chosen), gold_side, systems, seen)
    return _result(campaign, slices, profile=profile, bootstrap=bootstrap, level=ci, seed=seed, test=test)


def explain_document(
    metric: Any,
    gold: Documents,
    system: Any,
    document: str,
    *,
    profile: str = "default",
    names: Sequence[str] | None = None,
) -> dict[str, dict[str, Alignment]]:
    """What is matched, missed and spurious in one document: system name -> metric name -> alignment.

    >>> gold = [{"id": "d1", "items": ["a", "b"]}]
    >>> found = explain_document("record.set", gold, [{"id": "d1", "items": ["a"]}], "d1")
    >>> [item.value for item in found["system"]["record.set"].missed]
    ['b']
    """
    metrics = as_metrics(metric, profile=profile)
    gold_side, systems = read_sides(gold, system, names)
    chosen = choose(gold_side, [document])
    _observe(Observer(metrics), chosen, gold_side, systems)  # the same checks as for a score
    found: dict[str, dict[str, Alignment]] = {}
    for side in systems:
        own = side.documents.get(document)
        pair = (chosen[document].data, None if own is None else own.data)
        found[side.name] = {
            each.name: each.align(*(prepared(each, wrapped(each, data)) for data in pair))
            for whole in metrics
            for each in whole.members
        }
    return found


def as_metrics(
    metric: Any, *, pool: str | None = None, profile: str = "default", time_limit: float | None = None
) -> tuple[AnyMetric, ...]:
    """One or several metrics, under one pooling and the conventions of a profile.

    >>> [each.name for each in as_metrics("relation.strict(beta=2), relation.spans")]
    ['relation.strict', 'relation.spans']
    """
    if profile not in PROFILES:
        hint = did_you_mean(profile, PROFILES) or f"profiles are {', '.join(PROFILES)}"
        raise UsageError(f"there is no profile {profile!r}", hint=hint)
    if isinstance(metric, str):
        metric = split_names(metric)
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
            raise UsageError(f"the metric {name} is named twice", hint="name each metric once")
    if len({each.pool for each in metrics}) > 1:
        raise UsageError("these metrics are pooled differently", hint="choose one with pool (--pool micro or macro)")
    return metrics


def measures_of(metrics: Iterable[AnyMetric]) -> tuple[Measure, ...]:
    """The measures of several metrics; one that stands by itself and in an average is there once.

    >>> [each.name for each in measures_of(as_metrics("coref.muc, coref.conll"))]
    ['coref.muc', 'coref.b3', 'coref.ceafe', 'coref.conll']
    """
    return tuple(dict.fromkeys(measure for each in metrics for measure in each.measures))


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
    from adjudge.metrics import Definition, Metric, derive, find

    if isinstance(value, str):
        return cast("AnyMetric", find(value))
    if isinstance(value, Definition):
        return cast("AnyMetric", value())
    if isinstance(value, ir.Node):
        return Metric(similarity=cast("ir.Similarity", value))
    if hasattr(value, "observe"):
        return cast("AnyMetric", value)
    return derive(value)


# ---------------------------------------------------------------------------------------------------------------------
# Observing


@dataclass(frozen=True, slots=True)
class _Campaign:
    """All that was read and counted; `seen` is one list of systems per document."""

    metrics: tuple[AnyMetric, ...]
    ids: tuple[str, ...]
    gold: Side
    systems: list[Side]
    seen: list[list[Seen]]


def _observe(
    observer: Observer,
    chosen: Mapping[str, Document],
    gold: Side,
    systems: Sequence[Side],
    *,
    jobs: int | None = 1,
    progress: Progress | None = None,
) -> list[list[Seen]]:
    """The counts of every document; what does not fit is raised at the end, all of it."""

    def pairs() -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
        for identifier, document in chosen.items():
            found = [side.documents.get(identifier) for side in systems]
            yield identifier, document.data, tuple(None if each is None else each.data for each in found)

    done = 0

    def advance(number: int) -> None:
        nonlocal done
        done += number
        if progress is not None:
            progress(done, len(chosen))

    problems: list[tuple[str, Complaint]] = []
    seen: list[list[Seen]] = []
    for identifier, observed in map_documents(observer, pairs(), jobs=jobs, progress=advance):
        problems += [(identifier, complaint) for complaint in observed.complaints]
        seen.append(observed.systems)
    if problems:
        raise ValidationError(list(_placed(problems, gold, systems)))
    return seen


def _placed(found: Sequence[tuple[str, Complaint]], gold: Side, systems: Sequence[Side]) -> Iterator[Problem]:
    """Complaints with file, line and column, file by file and line by line."""
    for number, side in enumerate((gold, *systems), GOLD):
        own = [(side.documents.get(identifier), each) for identifier, each in found if each.side == number]
        lines = [(document.line, each) for document, each in own if document is not None and document.line is not None]
        places = find_columns(side.path, [(line, each.path) for line, each in lines[:LIMIT]]) if side.path else {}
        for document, each in own:
            where = each.path.removeprefix("$").removeprefix(".")
            line = None if document is None else document.line
            if side.path is None and document is not None:
                where = f"document {document.id!r}" + (f", {where}" if where else "")
            message = f"{where}: {each.message}" if where else each.message
            column = None if line is None else places.get((line, each.path))
            yield Problem(message, path=side.path or side.name, line=line, column=column, hint=each.hint)


# ---------------------------------------------------------------------------------------------------------------------
# Adding up


def _result(
    campaign: _Campaign, slices: Slicing, *, profile: str, bootstrap: int, level: float, seed: int, test: Test
) -> Result:
    from adjudge.stats.build import build_result

    def build(metrics: Sequence[AnyMetric], tables: Mapping[str, StatsTable], **more: Any) -> Result:
        return build_result(
            task="score",
            profile=profile,
            measures=measures_of(metrics),
            tables=tables,
            pool=cast("Any", metrics[0].pool),
            bootstrap=bootstrap,
            level=level,
            seed=seed,
            test=test,
            **more,
        )

    whole = build(
        campaign.metrics,
        _tables(campaign, campaign.metrics, lambda seen: seen.counts, slices.attributes),
        by=tuple(slices.attributes),
        notes={side.name: _notes(campaign, place) for place, side in enumerate(campaign.systems)},
        signature_fields=_signature(campaign),
    )
    whole = _bounded(whole, campaign)
    parts = []
    for path in slices.paths:
        metrics = [each for each in campaign.metrics if looks_at(each, path)]
        for value in _values(campaign, path):
            tables = _tables(campaign, metrics, lambda seen, p=path, v=value: seen.slices[p].get(v, seen.rest[p]))  # type: ignore[misc]
            parts.append(({path: value}, build(metrics, tables)))
    return _joined(whole, parts) if parts else whole


def _bounded(whole: Result, campaign: _Campaign) -> Result:
    """The result with the proven bound of every score that a search cut short may have left too low."""
    from adjudge.stats.estimator import Additive

    if all(each.optimal for seen in campaign.seen for each in seen):
        return whole
    measures = measures_of(campaign.metrics)
    tables = _tables(campaign, campaign.metrics, lambda seen: {**seen.counts, **seen.bound})
    replace = msgspec.structs.replace
    systems = []
    for system in whole.systems:
        best = Additive(tables[system.name], measures, pool=cast("Any", campaign.metrics[0].pool)).point()
        scores = []
        for each in system.scores:
            bound = best.get((each.metric, each.part))
            open_ = not each.slice and bound is not None and each.value is not None and bound > each.value
            scores.append(replace(each, optimal=False, bound=bound) if open_ else each)
        systems.append(replace(system, scores=tuple(scores)))
    return replace(whole, systems=tuple(systems))


def _tables(
    campaign: _Campaign,
    metrics: Sequence[AnyMetric],
    counts: Callable[[Seen], Mapping[str, float]],
    attributes: Mapping[str, tuple[Any, ...]] | None = None,
) -> dict[str, StatsTable]:
    from adjudge.stats.table import StatsTable

    columns = tuple(dict.fromkeys(column for each in metrics for column in each.columns))
    return {
        side.name: StatsTable.from_rows(
            ((identifier, counts(seen[place])) for identifier, seen in zip(campaign.ids, campaign.seen, strict=True)),
            columns,
            attributes=attributes,
        )
        for place, side in enumerate(campaign.systems)
    }


def _values(campaign: _Campaign, path: str) -> list[Any]:
    """The values of an element's field anywhere, in a fixed order."""
    found = {value for seen in campaign.seen for each in seen for value in each.slices.get(path, ())}
    return sorted(found, key=lambda value: (value is None, str(type(value)), value if value is not None else 0))


def _joined(whole: Result, parts: Sequence[tuple[dict[str, Any], Result]]) -> Result:
    """One result of the whole and of the slices by elements, with one correction over all comparisons."""
    from adjudge.stats.scores import corrected
    from adjudge.stats.text import slice_text

    replace = msgspec.structs.replace
    systems = []
    for place, system in enumerate(whole.systems):
        scores, notes = list(system.scores), list(system.notes)
        for where, part in parts:
            scores += [replace(each, slice=where) for each in part.systems[place].scores]
            notes += [
                replace(note, message=f"in {slice_text(where)}: {note.message}")
                for note in part.systems[place].notes
                if note.code == "undefined"
            ]
        systems.append(replace(system, scores=tuple(scores), notes=tuple(notes)))
    comparisons = [*whole.comparisons]
    for where, part in parts:
        comparisons += [replace(each, slice=where) for each in part.comparisons]
    return replace(whole, systems=tuple(systems), comparisons=corrected(comparisons))


def _notes(campaign: _Campaign, place: int) -> list[Note]:
    from adjudge.stats.result import Note

    side, notes = campaign.systems[place], []
    missing = [identifier for identifier in campaign.ids if identifier not in side.documents]
    if missing:
        verb = "gold document has" if len(missing) == 1 else "gold documents have"
        count = "counts" if len(missing) == 1 else "count"
        message = f"{len(missing)} {verb} no system output and {count} as empty"
        notes.append(Note("missing-document", len(missing), message, tuple(missing[:_EXAMPLES])))
    pairs = [(identifier, seen[place]) for identifier, seen in zip(campaign.ids, campaign.seen, strict=True)]
    cut = [identifier for identifier, seen in pairs if not seen.optimal]
    if cut:
        slack = sum(seen.bound[name] - seen.counts[name] for _, seen in pairs for name in seen.bound)
        plural = "s were" if len(cut) > 1 else " was"
        message = (
            f"{len(cut)} document{plural} not solved to the end in the time allowed; "
            f"the matched counts are proven to be at most {slack:g} too low"
        )
        notes.append(Note("not-optimal", len(cut), message, tuple(cut[:_EXAMPLES])))
    return notes


def _signature(campaign: _Campaign) -> dict[str, str]:
    from adjudge.stats.signature import hash_chunks

    def identity(metric: AnyMetric) -> str:
        try:
            written = str(metric)
        except UsageError:  # it contains a function without a name
            return f"{metric.name}#unnamed"
        # A metric from a file or a similarity has no short name; the hash of what it computes stands for it.
        return f"{metric.name}#{hash_chunks([written.encode()])}" if written.startswith("{") else written

    digests = [side.digest.encode() for side in (campaign.gold, *campaign.systems)]
    conventions = dict.fromkeys(each.conventions for each in campaign.metrics)
    return {
        "metric": "+".join(identity(each) for each in campaign.metrics),
        "dup": "+".join(dict.fromkeys(each.duplicates for each in conventions)),
        "empty": "+".join(dict.fromkeys(str(each.empty) for each in conventions)),
        "undef": "+".join(
            dict.fromkeys("null" if each.undefined is None else str(each.undefined) for each in conventions)
        ),
        "in": hash_chunks(digests),
    }
