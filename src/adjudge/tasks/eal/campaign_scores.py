"""The last step of a campaign: score and rank what is left of the submissions, and write the results."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

from adjudge.stats.atomic import write_atomically
from adjudge.stats.inference import RESAMPLES, Inference
from adjudge.tasks.eal.campaign_settings import CampaignSettings

FILES = ("scores.txt", "result.json", "ranking.json", "documents.tsv")


def write_scores(
    folder: Path, settings: CampaignSettings, key: Path, frames: Path | None, systems: Mapping[str, Path], *, base: Path
) -> str:
    """Write the scores of systems into a folder, and give a sentence about them.

    scores.txt is for people; result.json is a saved result, which `adjudge compare` reads; ranking.json is the ranking;
    documents.tsv has the scores of each document. Files that are not written this time are removed.
    """
    from adjudge.tasks.eal.diagnostics import read_genres
    from adjudge.tasks.eal.measures import document_scores
    from adjudge.tasks.eal.ranking import rank_result, render_ranking
    from adjudge.tasks.eal.scoring import observe_all, result_of
    from adjudge.tasks.eal.settings import settings as scoring_settings

    chosen = scoring_settings(
        settings.profile, beta=settings.beta, lambda_=settings.lambda_, linking=frames is not None
    )
    genres = read_genres(str(base / settings.genres)) if settings.genres else None
    campaign = observe_all(key, frames, systems, chosen, by=settings.by, genre_list=genres)
    seed = chosen.profile.bootstrap_seed if settings.seed is None else settings.seed
    bootstrap = None if settings.bootstrap == RESAMPLES else settings.bootstrap
    result = result_of(campaign, by=settings.by, inference=Inference(bootstrap=bootstrap, seed=seed))
    texts = [str(result)]
    best = ""
    made: dict[str, str] = {"result.json": result.to_json(with_tables=True) + "\n"}
    if settings.bootstrap and len(systems) > 1:
        profile = chosen.profile
        ranking = rank_result(result, draws=profile.draws, percentiles=profile.percentiles)
        texts.insert(0, render_ranking(ranking))
        made["ranking.json"] = json.dumps(ranking.to_data(), indent=2, ensure_ascii=False) + "\n"
        best = f", the best is {ranking.standings[0].system}"
    made["scores.txt"] = "\n\n".join(texts) + "\n"
    lines: list[str] = []
    for name, table in campaign.tables().items():
        for row in document_scores(table, chosen):
            if not lines:
                lines.append("\t".join(("system", *row)))
            lines.append("\t".join((name, *map(_cell, row.values()))))
    made["documents.tsv"] = "".join(f"{line}\n" for line in lines)
    for file in FILES:
        if file in made:
            write_atomically(folder / file, made[file].encode("utf-8", "backslashreplace"))
        else:
            (folder / file).unlink(missing_ok=True)
    sizes = ((len(systems), "system"), (len(campaign.ids), "document"))
    return " on ".join(f"{size} {what}{'s' * (size != 1)}" for size, what in sizes) + best


def _cell(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return f"{value:.6g}"
