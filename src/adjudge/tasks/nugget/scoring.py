"""Score systems against gold nuggets: what was counted is added up and, if asked, resampled."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from zlib import crc32

from adjudge.evaluate.doubts import Compared, with_doubts
from adjudge.stats.inference import OFF, Inference
from adjudge.tasks.nugget.measures import best_columns, measures, table_columns
from adjudge.tasks.nugget.reading import Campaign, Counted, Seen, Visitor, check_documents, observe_all
from adjudge.tasks.nugget.rows import Row, Rows
from adjudge.tasks.nugget.settings import ATTRIBUTES, Mode, settings
from adjudge.tasks.nugget.sides import Documents, places

if TYPE_CHECKING:
    from adjudge.stats.result import Note, Result
    from adjudge.tasks.nugget.double_annotation import Best

_LOOKED_AT = 100  # documents whose places are compared for a note
_SMALL = 20 << 20  # bytes of files that are read again for it

__all__ = ["Campaign", "Counted", "Seen", "Visitor", "observe_all", "result_of", "score"]


def score(
    gold: Documents,
    systems: Any,
    *,
    tokens: Any = None,
    profile: str = "spec",
    attributes: str | Iterable[str] = ATTRIBUTES,
    coref: bool | None = None,
    sequencing: bool | None = None,
    coref_threshold: float = 1.0,
    coref_mapping: str = "type",
    types: Iterable[str] | None = None,
    docs: Iterable[str] | None = None,
    by: str | Sequence[str] = (),
    bootstrap: int | None = None,
    ci: float = 0.95,
    seed: int = 13,
    pool: Literal["micro", "macro"] | None = None,
    mode: Mode | None = None,
    suffix: str = ".tab",
    names: Sequence[str | None] | None = None,
    jobs: int = 1,
    cluster: str | None = None,
    test: str = "auto",
    interval: str = "auto",
) -> Result:
    """The scores of one or several systems: nuggets by span and attributes, coreference, and sequencing.

    `gold` and `systems` are paths of TBF files or lists of `NuggetDocument`; `systems` may be a list of paths or a
    mapping from names. `tokens` is the folder of the token tables, or a mapping from document ids to tables: with it
    places are tokens, without it they are what the gold file has, or `mode` says. Coreference and sequencing are scored
    if there are such lines, or always or never. `types` lists the types that count; `by` also scores by `type` or
    `realis`. `pool` chooses between micro and macro averages; without it there are both.

    >>> from adjudge.model.nugget import Nugget, NuggetDocument
    >>> gold = [NuggetDocument("d", [Nugget("E1", "Life_Die", "Actual", "died", ("t3",))])]
    >>> system = [NuggetDocument("d", [Nugget("m1", "Life_Die", "Other", "has died", ("t2", "t3"))])]
    >>> score(gold, system, bootstrap=0)["nugget.type"].f1
    0.6667
    """
    chosen = settings(
        profile,
        attributes=attributes,
        coref=coref,
        sequencing=sequencing,
        coref_threshold=coref_threshold,
        coref_mapping=coref_mapping,
        types=types,
    )
    by = (by,) if isinstance(by, str) else tuple(by)
    inference = Inference(bootstrap=bootstrap, level=ci, seed=seed, interval=interval, test=test)
    campaign = observe_all(
        gold,
        systems,
        chosen,
        tokens=tokens,
        docs=docs,
        mode=mode,
        suffix=suffix,
        names=names,
        by=by,
        jobs=jobs,
        cluster=cluster,
    )
    return result_of(campaign, by=by, inference=inference, pool=pool)


def result_of(
    campaign: Campaign,
    *,
    by: Sequence[str] = (),
    inference: Inference = OFF,
    pool: Literal["micro", "macro"] | None = None,
) -> Result:
    """Add up and, if asked, resample; numpy is loaded only when there is something to draw."""
    from adjudge.stats.build import Counts, Scoring, build_result
    from adjudge.stats.table import StatsTable

    check_documents(campaign)
    chosen = campaign.settings
    best = _best_choices(campaign)
    parts = {"coref": campaign.coref, "sequencing": campaign.sequencing, "double": bool(best)}
    ids, names = tuple(campaign.ids), table_columns(chosen, **parts)
    scoring = Scoring(
        task="nugget",
        profile=chosen.profile,
        measures=measures(chosen, pool=pool, **parts),
        by=tuple(dict.fromkeys(by)),
        inference=inference,
        fields=_signature(campaign, pool),
    )
    systems = {
        name: Counts(
            StatsTable(ids, names, tuple(_rows(counted, campaign, best.get(name)))),
            [*counted.diagnostics.notes(chosen), *_about_choices(best.get(name))],
            _highest(counted, campaign, names, best.get(name)) if counted.best else None,
            tuple(slices.table(len(ids)) for slices in counted.slices.values()) if by else (),
        )
        for name, counted in campaign.systems.items()
    }
    return with_doubts(build_result(scoring, systems), places_of(campaign))


def places_of(campaign: Campaign) -> Compared:
    """What is looked at again if places do not fit; they count in part, so that the score need not be low for it."""
    paths = [str(each) if isinstance(each, str | os.PathLike) else None for each in campaign.sources]
    chosen = sorted(campaign.ids, key=lambda name: (crc32(name.encode("utf-8", "surrogatepass")), name))[:_LOOKED_AT]
    spans = [partial(places, each, campaign.mode, chosen) for each in campaign.sources]
    size = sum(os.path.getsize(path) for path in paths if path is not None and os.path.isfile(path))  # noqa: PTH113, PTH202
    return Compared(tuple(paths), tuple(spans), "character", "nugget.span", 0.97 if size < _SMALL else 0.2)


def _best_choices(campaign: Campaign) -> dict[str, Best]:
    """The best alignment of nuggets that are annotated twice, for all systems if any of them has a choice."""
    if not campaign.coref or not any(choices for each in campaign.systems.values() for choices in each.choices):
        return {}
    from adjudge.tasks.nugget.double_annotation import best_alignment

    return {name: best_alignment(each.choices, each.coref) for name, each in campaign.systems.items()}


def _about_choices(best: Best | None) -> list[Note]:
    from adjudge.stats.result import Note

    if best is None:
        return []
    changed = len(best.changed)
    where = f"{changed} document{'s' * (changed != 1)}"
    message = (
        f"which of several nuggets with the same place a system nugget stands for is a choice in {where}: coref.kbp is "
        f"{100 * best.greedy:.2f} by the mapping and {100 * best.score:.2f} at best"
    )
    if not best.optimal:
        message += f" (found; no choice exceeds {100 * best.bound:.2f})"
    return [Note("double-annotation", changed, message)] if changed or not best.optimal else []


def _rows(counted: Counted, campaign: Campaign, best: Best | None) -> list[Row]:
    """The rows of the table of documents."""
    known: dict[float, float] = {}  # equal numbers are one object, since most counts are small

    def shared(column: array[float]) -> list[float]:
        return list(map(known.setdefault, column, column))

    return list(zip(*_columns(counted, campaign, best, shared), strict=True))


def _columns(counted: Counted, campaign: Campaign, best: Best | None, made: Callable[[array[float]], Any]) -> list[Any]:
    """What is reported, column by column in the order of `table_columns`; those of links are made of bare numbers."""
    found: list[Any] = [*counted.nuggets.columns()]  # sums of Dice and ratios, hardly any of which are equal
    if campaign.coref:
        found += (coref := [made(column) for column in counted.coref.columns()])
    if campaign.sequencing:
        found += [made(column) for column in counted.sequencing.columns()]
    if best is not None:
        changed = [(place, best_columns(counts)) for place, (counts, *_) in best.changed.items()]
        for number, column in enumerate(best_columns(coref)):
            found.append(own := column.copy())
            for place, counts in changed:
                own[place] = float(counts[number])
    return found


def _highest(counted: Counted, campaign: Campaign, names: tuple[str, ...], best: Best | None) -> Any:
    from adjudge.stats.table import StatsTable

    highest = [counted.best.get(place, own) for place, own in enumerate(counted.nuggets)]
    changed = counted._replace(nuggets=Rows(counted.nuggets.width, highest))
    rows = _rows(changed, campaign, best)
    places = sorted(counted.best)
    values: Any = [rows[place] for place in places]
    return StatsTable(tuple(campaign.ids[place] for place in places), names, values)


def _signature(campaign: Campaign, pool: str | None) -> dict[str, str | float | None]:
    from adjudge.stats.signature import hash_chunks

    digests = [campaign.digest.encode(), *(each.digest.encode() for each in campaign.systems.values())]
    chosen = "\n".join(campaign.ids).encode("utf-8", "surrogatepass")
    return {
        "mode": campaign.mode,
        **campaign.settings.fields(),
        "coref": "yes" if campaign.coref else "no",
        "sequencing": "yes" if campaign.sequencing else "no",
        "pool": pool or "micro+macro",
        "gold": hash_chunks(digests[:1]),
        **({"docs": "#" + hash_chunks([chosen])[:4]} if len(campaign.ids) < campaign.of else {}),
        "in": hash_chunks(digests),
    }
