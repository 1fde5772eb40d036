"""The counts of many documents in little room, as other processes bring them, and the result that they give.

What is the same for many documents is kept once: their short fields. All that is kept of a document by itself is its id
and its numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from adjudge.model.document import Document
from adjudge.tasks.adding import Campaign, built, columns_of, notes_of
from adjudge.tasks.observe import AnyMetric, Counted, Seen
from adjudge.tasks.part_reader import Part
from adjudge.tasks.slices import MOST, Slicing, partial_slicing, slicing

if TYPE_CHECKING:
    from adjudge.stats.inference import Inference
    from adjudge.stats.result import Note, Result
    from adjudge.stats.table import StatsTable

T = TypeVar("T")


class Packed:
    """What was counted of some documents, part by part; see `part_reader.Part`."""

    def __init__(self, systems: int) -> None:
        self.ids: list[str] = []
        self.missing: list[list[str]] = [[] for _ in range(systems)]
        self.counts = [array("d") for _ in range(systems)]
        self.unproven: list[dict[str, Counted]] = [{} for _ in range(systems)]
        self._kinds: dict[bytes, dict[str, Any]] = {}
        self._numbers: dict[bytes, int] = {}
        self._kind: list[int] = []

    def add(self, part: Part) -> None:
        """Take in a part."""
        self.ids += part.ids
        for key, fields in part.kinds.items():
            self._numbers.setdefault(key, len(self._numbers))
            self._kinds.setdefault(key, fields)
        here = [self._numbers[key] for key in part.kinds]
        self._kind += map(here.__getitem__, part.kind)
        for place in range(len(self.counts)):
            self.missing[place] += part.missing[place]
            self.counts[place].frombytes(part.counts[place])
            self.unproven[place].update(part.unproven[place])

    def slicing(self, by: Sequence[str], metrics: Sequence[AnyMetric]) -> Slicing:
        """See `slices.slicing`."""
        return self._sliced(lambda documents: (slicing(by, documents, metrics), None))[0]

    def partial_slicing(self, by: Sequence[str], metrics: Sequence[AnyMetric]) -> tuple[Slicing, set[str]]:
        """See `slices.partial_slicing`."""
        return self._sliced(lambda documents: partial_slicing(by, documents, metrics))

    def _sliced(self, slice_: Callable[[Sequence[Any]], tuple[Slicing, T]]) -> tuple[Slicing, T]:
        """Slice one document of each kind, which stands for the others."""
        kinds = list(self._kinds.values())
        found, rest = slice_(kinds)
        if len(found.attributes) + len(found.unsaved) >= MOST:  # then it matters how many documents have a field
            return slice_([kinds[each] for each in self._kind])
        return replace(
            found,
            attributes={name: tuple(map(values.__getitem__, self._kind)) for name, values in found.attributes.items()},
        ), rest


def add_up_packed(
    campaign: Campaign,
    packed: Packed,
    slices: Slicing,
    *,
    profile: str,
    inference: Inference,
) -> Result:
    """The same as `adding.add_up`; the campaign needs neither what was seen nor the documents of its sides."""
    names = [side.name for side in campaign.systems]
    return built(
        campaign,
        slices,
        tables=_tables(campaign, packed, slices.attributes),
        best=_best(campaign, packed),
        elements={name: [] for name in names},
        notes={name: _notes(campaign, packed, place) for place, name in enumerate(names)},
        profile=profile,
        inference=inference,
    )


def _tables(campaign: Campaign, packed: Packed, attributes: Mapping[str, tuple[Any, ...]]) -> dict[str, StatsTable]:
    from adjudge.stats.table import StatsTable

    columns = columns_of(campaign.metrics)
    return {
        side.name: StatsTable(
            campaign.ids, columns, tuple(zip(*[iter(counts)] * len(columns), strict=True)), dict(attributes)
        )
        for side, counts in zip(campaign.systems, packed.counts, strict=True)
    }


def _best(campaign: Campaign, packed: Packed) -> dict[str, StatsTable]:
    """The highest counts that are possible, of the documents whose search was cut short."""
    from adjudge.stats.table import StatsTable

    columns = columns_of(campaign.metrics)
    return {
        side.name: StatsTable.from_rows(((name, each.best) for name, each in found.items()), columns)
        for side, found in zip(campaign.systems, packed.unproven, strict=True)
        if found
    }


def _notes(campaign: Campaign, packed: Packed, place: int) -> list[Note]:
    """Notes are about documents that a system does not have, or whose search was cut short."""
    missing, unproven = packed.missing[place], packed.unproven[place]
    absent = set(missing)
    there = {name: Document(id=name, data=None) for name in unproven if name not in absent}
    ids = (*missing, *there)
    seen = [[Seen(unproven.get(name, Counted()))] for name in ids]
    side = replace(campaign.systems[place], documents=there)
    return notes_of(replace(campaign, ids=ids, systems=[side], seen=seen), 0)
