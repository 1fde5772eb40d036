"""From the counts of every document to a result: tables, slices, notes and the signature."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING, Any

import msgspec

from adjudge.errors import UsageError
from adjudge.tasks.documents import Side
from adjudge.tasks.elements import same
from adjudge.tasks.observe import AnyMetric, Counted, Seen, looks_at
from adjudge.tasks.slices import Slicing

if TYPE_CHECKING:
    from adjudge.stats.elements import ElementTable, Rows
    from adjudge.stats.inference import Inference
    from adjudge.stats.measure import Measure
    from adjudge.stats.result import Note, Result
    from adjudge.stats.table import StatsTable

_EXAMPLES = 10


@dataclass(frozen=True, slots=True)
class Campaign:
    """All that was read and counted; `seen` is one list of systems per document; `whole` unless some were chosen.

    `options` are further choices that the signature names. `plain`: the documents may be bare values.
    """

    metrics: tuple[AnyMetric, ...]
    ids: tuple[str, ...]
    gold: Side
    systems: list[Side]
    seen: list[list[Seen]]
    whole: bool = True
    options: Mapping[str, str] = field(default_factory=dict)
    plain: bool = False


def add_up(campaign: Campaign, slices: Slicing, *, profile: str, inference: Inference) -> Result:
    """The scores of all systems, on the whole corpus and on its slices."""
    return built(
        campaign,
        slices,
        tables=_tables(campaign, lambda counted: counted.counts, slices.attributes),
        best=_best(campaign),
        elements={
            side.name: [_elements(campaign, place, path) for path in slices.paths]
            for place, side in enumerate(campaign.systems)
        },
        notes={side.name: notes_of(campaign, place) for place, side in enumerate(campaign.systems)},
        profile=profile,
        inference=inference,
    )


def built(campaign: Campaign, slices: Slicing, **parts: Any) -> Result:
    """The result of what `build_result` is given beside that which the campaign and the slices say."""
    from adjudge.stats.build import Counts, Scoring, build_result

    scoring = Scoring(
        task="score",
        profile=parts["profile"],
        measures=measures_of(campaign.metrics),
        pool=campaign.metrics[0].pool,
        by=slices.by,
        inference=parts["inference"],
        fields=fields_of(campaign),
    )
    best, elements, notes = parts.get("best", {}), parts.get("elements", {}), parts.get("notes", {})
    systems = {
        name: Counts(table, notes.get(name, ()), best.get(name), elements.get(name, ()))
        for name, table in parts["tables"].items()
    }
    result = build_result(scoring, systems)
    assert result.options is not None
    return msgspec.structs.replace(result, options=msgspec.structs.replace(result.options, unsaved=slices.unsaved))


def measures_of(metrics: Iterable[AnyMetric]) -> tuple[Measure, ...]:
    """The measures of several metrics; one that stands by itself and in an average is there once.

    >>> from adjudge.metrics import find
    >>> [each.name for each in measures_of([find("coref.muc"), find("coref.conll")])]
    ['coref.muc', 'coref.b3', 'coref.ceafe', 'coref.conll']
    """
    return tuple(dict.fromkeys(measure for each in metrics for measure in each.measures))


def columns_of(metrics: Sequence[AnyMetric]) -> tuple[str, ...]:
    """The names of all counts, each once."""
    return tuple(dict.fromkeys(column for each in metrics for column in each.columns))


def _tables(
    campaign: Campaign,
    counts: Callable[[Counted], Mapping[str, float]],
    attributes: Mapping[str, tuple[Any, ...]] | None = None,
) -> dict[str, StatsTable]:
    from adjudge.stats.table import StatsTable

    return {
        side.name: StatsTable.from_rows(
            ((identifier, counts(seen[place].whole)) for identifier, seen in _pairs(campaign)),
            columns_of(campaign.metrics),
            attributes=attributes,
        )
        for place, side in enumerate(campaign.systems)
    }


def _pairs(campaign: Campaign) -> list[tuple[str, list[Seen]]]:
    return list(zip(campaign.ids, campaign.seen, strict=True))


def _best(campaign: Campaign) -> dict[str, StatsTable]:
    """The highest counts that are possible, for the systems of which a search was cut short."""
    if all(each.whole.optimal for seen in campaign.seen for each in seen):
        return {}
    tables = _tables(campaign, lambda counted: counted.best)
    unfinished = {
        side.name
        for place, side in enumerate(campaign.systems)
        if not all(seen[place].whole.optimal for seen in campaign.seen)
    }
    return {name: table for name, table in tables.items() if name in unfinished}


def _elements(campaign: Campaign, place: int, path: str) -> ElementTable:
    """The counts of one system by a field of elements."""
    from adjudge.stats.elements import ElementSlice, ElementTable

    columns = columns_of([each for each in campaign.metrics if looks_at(each, path)])
    sliced = [seen[place].slices[path] for seen in campaign.seen]
    found: list[tuple[Any, list[int], list[Counted]]] = []
    known: dict[Any, list[int]] = {}
    for number, each in enumerate(sliced):
        for value, counted in each.values:
            at = next((i for i in known.get(value, ()) if same(found[i][0], value)), None)
            if at is None:
                at = len(found)
                found.append((value, [], []))
                known.setdefault(value, []).append(at)
            found[at][1].append(number)
            found[at][2].append(counted)
    slices = tuple(ElementSlice(value, tuple(numbers), _rows(counted, columns)) for value, numbers, counted in found)
    return ElementTable(path, columns, _rows([each.rest for each in sliced], columns), slices)


def _rows(counted: Sequence[Counted], columns: Sequence[str]) -> Rows:
    from adjudge.stats.elements import Rows

    values = tuple(tuple(float(each.counts[column]) for column in columns) for each in counted)
    if all(each.optimal for each in counted):
        return Rows(values)
    return Rows(values, tuple(tuple(float(each.best[column]) for column in columns) for each in counted))


def notes_of(campaign: Campaign, place: int) -> list[Note]:
    """What a reader should know of one system: documents without output, and searches that were cut short."""
    from adjudge.stats.merge_notes import unproven_message
    from adjudge.stats.result import Note

    side = campaign.systems[place]
    notes = [Note(*msgspec.structs.astuple(note)) for note in side.notes]
    missing = [identifier for identifier in campaign.ids if identifier not in side.documents]
    if missing:
        verb = "gold document has" if len(missing) == 1 else "gold documents have"
        count = "counts" if len(missing) == 1 else "count"
        message = f"{len(missing)} {verb} no system output and {count} as empty"
        notes.append(Note("missing-document", len(missing), message, tuple(sorted(missing)[:_EXAMPLES])))
    pairs = [(identifier, seen[place].whole) for identifier, seen in _pairs(campaign)]
    cut = [identifier for identifier, seen in pairs if not seen.optimal]
    if cut:
        slack = fsum(seen.bound[name] - seen.counts[name] for _, seen in pairs for name in seen.bound)
        notes.append(Note("not-optimal", len(cut), unproven_message(len(cut), slack), tuple(sorted(cut)[:_EXAMPLES])))
    return notes


def fields_of(campaign: Campaign) -> dict[str, str]:
    """The fields of the signature."""
    from adjudge.metrics import Combined
    from adjudge.stats.signature import hash_chunks

    def identity(metric: AnyMetric) -> str:
        if isinstance(metric, Combined) and metric.origin is None:  # only its members say what it computes
            inner = "+".join(identity(member) for member in metric.members)
            return inner if metric.op is None else f"{metric.name}({metric.op}({inner}))"
        try:
            written = str(metric)
        except UsageError:  # it contains a function without a name
            return f"{metric.name}#unnamed"
        # A metric from a file or a similarity has no short name; the hash of what it computes stands for it.
        return f"{metric.name}#{hash_chunks([written.encode()])}" if written.startswith("{") else written

    limits = {m.time_limit for each in campaign.metrics for m in each.members if m.time_limit is not None}
    chosen = "" if campaign.whole else "#" + hash_chunks(["\n".join(campaign.ids).encode()])[:4]
    digests = [side.digest.encode() for side in (campaign.gold, *campaign.systems)]
    conventions = dict.fromkeys(each.conventions for each in campaign.metrics)
    return {
        "metric": "+".join(identity(each) for each in campaign.metrics),
        **campaign.options,
        "dup": "+".join(dict.fromkeys(each.duplicates for each in conventions)),
        "empty": "+".join(dict.fromkeys(str(each.empty) for each in conventions)),
        "undef": "+".join(
            dict.fromkeys("null" if each.undefined is None else str(each.undefined) for each in conventions)
        ),
        **({"limit": "+".join(f"{limit:g}" for limit in sorted(limits))} if limits else {}),
        "gold": hash_chunks([campaign.gold.digest.encode()]),
        **({"docs": chosen} if chosen else {}),
        "in": hash_chunks(digests),
    }
