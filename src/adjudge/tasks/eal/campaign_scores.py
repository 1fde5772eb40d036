"""The last steps of a campaign: score and rank the filtered submissions, and write the results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.evaluate.task import Run
from adjudge.files import write_atomically
from adjudge.formats.eal_write import FolderWriter
from adjudge.stats.inference import RESAMPLES, Inference
from adjudge.tasks.eal.campaign_settings import CampaignSettings

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.stats.ranking import Ranking
    from adjudge.stats.result import Result
    from adjudge.tasks.eal.settings import Settings

FILES = ("scores.txt", "result.json", "ranking.json", "documents.tsv")


class Inputs(NamedTuple):
    """What is scored: submissions against a key and frames, on these documents."""

    settings: CampaignSettings
    base: Path
    key: Path
    frames: Path | None
    systems: Mapping[str, Path]
    documents: Sequence[str]

    def chosen(self, **view: Any) -> Settings:
        """How documents are compared; `view` is a diagnostic one."""
        from adjudge.tasks.eal.settings import settings

        given = self.settings
        linking = self.frames is not None
        return settings(given.rules(), beta=given.beta, lambda_=given.lambda_, linking=linking, **view)

    def genres(self) -> dict[str, str] | None:
        """The genres of documents, if there is a list of them."""
        from adjudge.tasks.eal.diagnostics import read_genres

        return read_genres(str(self.base / self.settings.genres)) if self.settings.genres else None

    def counted(
        self, chosen: Settings, *, genre: str | None = None, pool: str = "micro", align: bool = False
    ) -> Evaluation:
        """Count everything; with `align` also the outcome of every response, beside the texts."""
        from adjudge.formats.eal_sources import Sources
        from adjudge.tasks.eal.task import EalTask, Gold, count

        docs = tuple(self.documents)
        run = Run(inference=self.inference(chosen), by=self.settings.by, docs=docs, pool=pool, align=align)
        task = EalTask(chosen, listed=self.genres(), texts=Sources(self.base / "sources") if align else None)
        return count(task, Gold(self.key, self.frames), self.systems, run, genre=genre)

    def inference(self, chosen: Settings) -> Inference:
        """How intervals and tests are computed: with the seed of the profile, unless the campaign has its own."""
        given = self.settings
        seed = chosen.profile.bootstrap_seed if given.seed is None else given.seed
        return Inference(bootstrap=None if given.bootstrap == RESAMPLES else given.bootstrap, seed=seed)


class Publisher(NamedTuple):
    """Who draws results: the page as text, and graphs by the names of their files."""

    page: Callable[[Inputs], str]
    graphs: Callable[[Inputs], Mapping[str, bytes]]


def write_scores(folder: Path, inputs: Inputs) -> str:
    """Write the scores of systems into a folder, and return a one-sentence summary.

    scores.txt is for people; result.json is a saved result, which `adjudge compare` reads; ranking.json is the ranking;
    documents.tsv has the scores of each document. Files that are not written this time are removed.
    """
    from adjudge.tasks.eal.measures import document_table
    from adjudge.tasks.eal.task import tables_of

    chosen = inputs.chosen()
    evaluation = inputs.counted(chosen)
    result = evaluation.result()
    made: dict[str, str] = {"result.json": result.to_json(with_tables=True) + "\n"}
    made["scores.txt"], ranking = _texts(result, chosen, inputs.settings)
    best = ""
    if ranking is not None:
        made["ranking.json"] = json.dumps(ranking, indent=2, ensure_ascii=False) + "\n"
        best = f", the best is {ranking['standings'][0]['system']}"
    made["documents.tsv"] = document_table(tables_of(evaluation), chosen)
    for file in FILES:
        if file in made:
            write_atomically(folder / file, made[file].encode("utf-8", "backslashreplace"))
        else:
            (folder / file).unlink(missing_ok=True)
    sizes = ((len(inputs.systems), "system"), (len(evaluation.ids), "document"))
    return " on ".join(f"{size} {what}{'s' * (size != 1)}" for size, what in sizes) + best


def _texts(result: Result, chosen: Settings, given: CampaignSettings) -> tuple[str, dict[str, Any] | None]:
    """The scores for people, and the ranking for programs if there is one."""
    from adjudge.stats.text import render_text
    from adjudge.tasks.eal.ranking import rank_result, render_ranking

    texts = [render_text(result, pairs=True)]
    data = None
    if given.bootstrap and len(result.systems) > 1:
        ranking = rank_result(result, draws=chosen.profile.draws, percentiles=chosen.profile.percentiles)
        texts.insert(0, render_ranking(ranking))
        data = ranking.to_data()
        if given.teams:
            rows = rank_teams(ranking, given.teams)
            texts.insert(1, render_teams(rows))
            data["teams"] = rows
    return "\n\n".join(texts) + "\n", data


def rank_teams(ranking: Ranking, teams: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """Teams by their best run, with its position in the team's declared order; a run without a team counts as one."""
    place = {run: (team, number) for team, runs in teams.items() for number, run in enumerate(runs, 1)}
    rows: dict[str, dict[str, Any]] = {}
    for each in ranking.standings:
        team, number = place.get(each.system, (each.system, 1))
        best = {"rank": len(rows) + 1, "team": team, "best": each.system, "declared": number, "median": each.median}
        rows.setdefault(team, {**best, "runs": []})["runs"].append(each.system)
    return list(rows.values())


def render_teams(rows: Sequence[Mapping[str, Any]]) -> str:
    """A line for each team."""
    from adjudge.stats.text import Cell, Grid, format_grid

    head = ("rank", "team", "best run", "declared", "runs", "median")
    shown = [
        (row["rank"], row["team"], row["best"], row["declared"], len(row["runs"]), f"{100 * row['median']:.1f}")
        for row in rows
    ]
    lines = tuple((tuple(Cell(str(value)) for value in row),) for row in shown)
    title = "teams by their best run (declared: which of its runs the team expected to be best)"
    return f"{title}\n{format_grid(Grid(head, 3, lines))}"


def write_diagnostics(folder: Path, inputs: Inputs) -> str:
    """Write the scores of every diagnostic view, as text and as a saved result, and return a one-sentence summary."""
    files: dict[str, bytes] = {}
    given = inputs.settings
    names = []
    for name, chosen, result in _views(inputs):
        names.append(name)
        files[f"{name}.txt"] = _texts(result, chosen, given)[0].encode("utf-8", "backslashreplace")
        files[f"{name}.json"] = (result.to_json(with_tables=True) + "\n").encode("utf-8", "backslashreplace")
    write_files(folder, files)
    return ", ".join(names)


def _views(inputs: Inputs) -> Iterator[tuple[str, Settings, Result]]:
    from adjudge.tasks.eal.diagnostics import genres

    given = inputs.settings
    usual = inputs.chosen()
    if given.macro:
        yield "macro", usual, inputs.counted(usual, pool="macro").result()
    if given.genre:
        for genre in sorted(set(genres(inputs.documents, inputs.genres()).values())):
            name = "".join(each if each.isalnum() or each in "-_." else "_" for each in genre)
            yield f"genre-{name}", usual, inputs.counted(usual, genre=genre).result()
    views: dict[str, dict[str, Any]] = {"collapsed": {"taxonomy": "collapsed"}} if given.collapsed else {}
    views |= {f"neutral-{each}": {"neutralize": each} for each in given.neutral}
    for name, view in views.items():
        chosen = inputs.chosen(**view)
        yield name, chosen, inputs.counted(chosen).result()


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder with these files and no others, atomically."""
    with FolderWriter(folder, overwrite=True) as writer:
        for name, data in files.items():
            writer.put(name, data)
