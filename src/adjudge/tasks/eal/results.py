"""From the counts of a campaign to a result: scores, intervals, comparisons, slices and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec

from adjudge.stats.inference import Inference
from adjudge.tasks.eal.diagnostics import FIELDS, Slices
from adjudge.tasks.eal.draws import drawing_of
from adjudge.tasks.eal.facts import Facts, gold_notes, system_notes
from adjudge.tasks.eal.measures import measures, table_of
from adjudge.tasks.eal.settings import Settings

if TYPE_CHECKING:
    from adjudge.stats.data import TableData
    from adjudge.stats.measure import Measure
    from adjudge.stats.result import Note, Result
    from adjudge.stats.signature import SignatureValue

Pool: TypeAlias = Literal["micro", "macro"]


class Counted(NamedTuple):
    """What was counted of one system: a row for each document, what happened on the way, and slices of classes."""

    path: str
    digest: str
    rows: list[tuple[float, ...]]
    facts: Facts
    slices: dict[str, Slices]


class Campaign(NamedTuple):
    """All that was counted."""

    settings: Settings
    ids: list[str]
    of: int  # documents of the key
    digest: str
    gold: Facts
    systems: dict[str, Counted]
    genres: dict[str, str]
    quotes: str = ""  # a hash of the quotations, if they were left out

    def tables(self) -> dict[str, TableData]:
        """The counts of each system by document."""
        return {name: table_of(self.ids, each.rows, self.settings) for name, each in self.systems.items()}

    def notes(self, tables: Mapping[str, TableData]) -> dict[str, list[Note]]:
        """What happened to each system; the first one also has what happened to the key."""
        found = {name: system_notes(each.facts, tables[name], self.settings) for name, each in self.systems.items()}
        first = next(iter(found))
        found[first] = [*gold_notes(self.gold, self.settings), *found[first]]
        return found


def result_of(
    campaign: Campaign,
    *,
    by: Sequence[str] = (),
    inference: Inference | None = None,
    pool: Pool = "micro",
) -> Result:
    """Scores, intervals, comparisons, slices and notes; `pool="macro"` averages the scores of documents.

    Without `inference` the seed is that of the profile, as is always the generator of the draws.
    """
    profile = campaign.settings.profile
    inference = inference or Inference(seed=profile.bootstrap_seed)
    tables = campaign.tables()
    if "genre" in by:
        values = tuple(campaign.genres[document] for document in campaign.ids)
        tables = {name: msgspec.structs.replace(each, attributes={"genre": values}) for name, each in tables.items()}
    formulas = measures(campaign.settings, macro=pool == "macro")
    notes = campaign.notes(tables)
    alone = len(campaign.ids) == 1 and len(tables) == 1
    if pool == "micro" and not any(field in FIELDS for field in by) and (inference.resamples == 0 or alone):
        from adjudge.stats.plain import plain_result

        return plain_result(
            task="eal",
            profile=profile.name,
            measures=formulas,
            tables=tables,
            by=by,
            inference=inference,
            notes=notes,
            signature_fields=_fields(campaign, by),
        )
    return _built(campaign, formulas, tables, notes, by, inference, pool)


def _built(
    campaign: Campaign,
    formulas: list[Measure],
    tables: Mapping[str, TableData],
    notes: Mapping[str, Sequence[Note]],
    by: Sequence[str],
    inference: Inference,
    pool: Pool,
) -> Result:
    from adjudge.stats.build import build_result
    from adjudge.stats.table import StatsTable

    stats = {name: StatsTable.from_data(each) for name, each in tables.items()}
    elements = {
        name: [slices.table(len(campaign.ids)) for slices in each.slices.values()]
        for name, each in campaign.systems.items()
    }
    return build_result(
        task="eal",
        profile=campaign.settings.profile.name,
        measures=formulas,
        tables=stats,
        pool=pool,
        by=by,
        inference=inference,
        notes=notes,
        signature_fields=_fields(campaign, by),
        elements=elements,
        drawing=drawing_of(campaign.settings.profile),
    )


def _fields(campaign: Campaign, by: Sequence[str]) -> dict[str, SignatureValue]:
    from adjudge.stats.signature import hash_chunks

    chosen = "\n".join(campaign.ids).encode()
    genres = "\n".join(campaign.genres[document] for document in campaign.ids).encode() if "genre" in by else b""
    digests = [campaign.digest.encode(), *(each.digest.encode() for each in campaign.systems.values())]
    return {
        **campaign.settings.fields(),
        "quotes": f"removed#{campaign.quotes[:4]}" if campaign.quotes else None,
        "genres": "#" + hash_chunks([genres])[:4] if genres else None,
        "gold": hash_chunks(digests[:1]),
        **({"docs": "#" + hash_chunks([chosen])[:4]} if len(campaign.ids) < campaign.of else {}),
        "in": hash_chunks(digests),
    }
