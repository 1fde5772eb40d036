"""The page of event arguments and linking: the ranking, what the scores are made of, and every response."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from adjudge.formats.eal_sources import Utf16
from adjudge.model.eal import Span
from adjudge.report.html.charts_plot import short
from adjudge.report.html.eal_data import KINDS, LEGEND, PAIRS, STATUS, Document, Tables, kind_of
from adjudge.report.html.eal_graphs import Change, figures_of, graphs_of, rankings_of
from adjudge.report.html.marks import Segment, segments
from adjudge.report.html.page import render_page, score_table
from adjudge.tasks.eal.task import EalTask, tables_of

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.formats.eal_sources import Sources
    from adjudge.stats.ranking import Ranking
    from adjudge.stats.result import Note, Result
    from adjudge.tasks.eal.explanation import Explanation, Member
    from adjudge.tasks.eal.settings import Settings
    from adjudge.tasks.eal.task import Detail

STATIC = 1500
"""Responses that can be read without a script; a document is shown whole or not at all."""
LONG = 160
"""Letters of a filler that a table shows."""
EXAMPLES = 5
TITLE = "Event arguments and linking"


class Standing(NamedTuple):
    """A line of the leaderboard, as text."""

    rank: str
    system: str
    link: str
    median: str
    interval: str
    score: str
    ranks: str
    shares: tuple[tuple[int, float], ...]
    wins: tuple[tuple[str, str] | None, ...]


class Notes(NamedTuple):
    """What happened to the input of a system, or to the key."""

    name: str
    lines: tuple[str, ...]


class StaticSystem(NamedTuple):
    """A system in a document, for readers without a script."""

    name: str
    scores: str
    rows: list[tuple[str, str, str, str, str, str, str]]
    frames: list[tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]]


class StaticDocument(NamedTuple):
    """A document for readers without a script: its text with the fillers of the first system, and all systems."""

    id: str
    stretches: list[tuple[str, list[tuple[str, str]]]]
    systems: list[StaticSystem]


def eal_page(evaluation: Evaluation, *, sources: Sources | None = None, title: str = TITLE) -> str:
    """What the scores of submissions are made of: a whole HTML file, from an evaluation that kept all comparisons.

    `sources` are the texts, without which documents are shown as tables only.
    """
    task = evaluation.task
    assert isinstance(task, EalTask)
    result = evaluation.result()
    collected = _Collected(task.settings, list(evaluation.systems), sources)
    for at, document in enumerate(evaluation.ids):
        for name, counted in evaluation.systems.items():
            collected.visit(name, document, counted.details[at])
    collected.finish()
    return _render(result, evaluation, collected, title)


class _Collected:
    """Documents of the page as a campaign is read."""

    def __init__(self, settings: Settings, names: Sequence[str], sources: Sources | None) -> None:
        self.settings, self.names, self.sources = settings, names, sources
        self.tables = Tables.new()
        self.documents: list[dict[str, Any]] = []
        self.static: list[StaticDocument] = []
        self.counts = [dict.fromkeys(KINDS, 0) for _ in names]
        self.untold: list[str] = []
        self.responses = 0
        self._open: Document | None = None
        self._found: list[Explanation] = []
        self._left = STATIC

    def visit(self, system: str, document: str, detail: Detail) -> None:
        """Take in one document of one system; the systems of a document come one after the other."""
        assert detail.prepared is not None
        assert detail.compared is not None
        if self._open is None or self._open.name != document:
            self.finish()
            self._open = Document(document, detail.prepared, self.tables, self.settings)
        found = self._open.add(system, detail.compared)
        self._found.append(found)
        counts = self.counts[self.names.index(system)]
        for fate in found.responses:
            counts[kind_of(fate)] += 1
        counts["missed"] += len(found.missed)
        self.responses += len(found.responses)

    def finish(self) -> None:
        """Put the document away that is open."""
        if self._open is None:
            return
        text = self._text(self._open.name)
        self.documents.append(self._open.to_data(self.names, text))
        size = sum(len(each.responses) + len(each.missed) for each in self._found)
        if size <= self._left:
            self._left -= max(size, 1)
            self.static.append(_static(self._open.name, self._found, text, self.settings))
        else:
            self._left = 0  # so that what is shown are the first documents
        self._open, self._found = None, []

    def _text(self, document: str) -> str | None:
        if self.sources is None:
            return None
        if document not in self.sources:
            self.untold.append(document)
            return None
        return self.sources.text(document)


def _render(result: Result, evaluation: Evaluation, collected: _Collected, title: str) -> str:
    from adjudge.stats.text import comparison_grid, footer_fields

    settings, names = collected.settings, collected.names
    rankings = rankings_of(result, settings)
    graphs, changes = graphs_of(tables_of(evaluation), settings, rankings)
    ranking = next(iter(rankings.values()), None)
    notes = _notes(result, evaluation, collected)
    tables = collected.tables
    data = {
        "systems": names,
        "linking": settings.linking,
        "types": list(tables.types),
        "roles": list(tables.roles),
        "realis": list(tables.realis),
        "reasons": list(tables.reasons),
        "said": list(tables.said),
        "kinds": [{"key": each.key, "label": each.label, "sign": each.sign} for each in LEGEND],
        "pairs": [{"key": each.key, "label": each.label, "sign": each.sign} for each in PAIRS],
        "status": list(STATUS),
        "totals": [_totals(result, name) for name in names],
        "wins": {} if ranking is None else {each.system: dict(each.wins) for each in ranking.standings},
        "notes": {each.name: list(each.lines) for each in notes if each.name in names},
        "documents": collected.documents,
    }
    return render_page(
        "eal.html.j2",
        title=title,
        data=data,
        styles=("charts.css", "browse.css", "eal.css"),
        scripts=("browse.js", "eal.js"),
        systems=names,
        documents=len(collected.documents),
        responses=collected.responses,
        standings=_standings(ranking),
        ranking=ranking,
        table=score_table(result),
        comparisons=comparison_grid(result) if result.comparisons else None,
        slices=_slices(result),
        legend=LEGEND,
        pairs=PAIRS,
        counts=[
            (name, [(entry, counts[entry.key]) for entry in LEGEND])
            for name, counts in zip(names, collected.counts, strict=True)
        ],
        graphs=figures_of(graphs),
        changes=[_change(each) for each in changes],
        notes=notes,
        static=collected.static,
        marks={"common": "correct", "missing": "missed", "spurious": "wrong-filler"},
        fields=footer_fields(result),
    )


def _standings(ranking: Ranking | None) -> list[Standing]:
    if ranking is None:
        return []
    found = []
    for each in ranking.standings:
        first, last = each.ranks
        wins: list[tuple[str, str] | None] = []
        for other in ranking.standings:
            if other.system == each.system:
                wins.append(None)
                continue
            tie = each.ties[other.system]
            share = f"{100 * each.wins[other.system]:.1f}" + (f" +{100 * tie:.1f}" if tie else "")
            wins.append((share, f"#compare={_quoted(each.system)},{_quoted(other.system)}"))
        found.append(
            Standing(
                str(each.rank),
                each.system,
                f"#system={_quoted(each.system)}",
                _percent(each.median),
                f"[{_percent(each.low)}, {_percent(each.high)}]",
                _percent(each.value),
                f"{first}" if first == last else f"{first}–{last}",
                tuple(each.rank_shares.items()),
                tuple(wins),
            )
        )
    return found


def _quoted(name: str) -> str:
    """A name as it may stand in an address, also one that came from bytes that are no text."""
    return quote(name, safe="", errors="replace")


def _percent(value: float) -> str:
    return "n/a" if value != value else f"{100 * value:z.1f}"


def _totals(result: Result, name: str) -> dict[str, str]:
    """The scores of a system as text, for its own page."""
    from adjudge.stats.text import score_cell

    wanted = ("eal.overall", "eal.argument", "eal.linking")
    return {
        score.metric: str(score_cell(score))
        for score in result.system(name).scores
        if score.metric in wanted and score.part == "score" and not score.slice
    }


def _slices(result: Result) -> Any:
    """Scores by type, role or genre, if they were asked for."""
    from dataclasses import replace

    from adjudge.stats.text import score_grid

    if not any(score.slice for system in result.systems for score in system.scores):
        return None
    grid = score_grid(result)
    groups = []
    for rows, keys in zip(grid.groups, grid.keys, strict=True):
        groups.append(tuple(row for row, (_, where, _) in zip(rows, keys, strict=True) if where))
    return replace(grid, groups=tuple(group for group in groups if group), keys=())


def _change(each: Change) -> tuple[str, ...]:
    return each.weight, f"{each.value:.6g}", f"{100 * each.score:.2f}", each.before, each.after


def _notes(result: Result, evaluation: Evaluation, collected: _Collected) -> list[Notes]:
    """What changed the input: the key, then each system; the first system also has what happened to the key."""
    from adjudge.tasks.eal.diagnostics import gold_notes

    task = evaluation.task
    assert isinstance(task, EalTask)
    of_key = gold_notes(evaluation.systems[collected.names[0]].remarks, task.settings, task.strays)
    codes = {(note.code, note.message) for note in of_key}
    lines = [_line(note) for note in of_key]
    if collected.untold:
        more = ", ..." if len(collected.untold) > EXAMPLES else ""
        shown = ", ".join(collected.untold[:EXAMPLES])
        lines.append(f"no text for {len(collected.untold)} of the documents ({shown}{more})")
    found = [Notes("key and frames" if task.settings.linking else "key", tuple(lines))]
    for system in result.systems:
        own = [note for note in system.notes if (note.code, note.message) not in codes]
        found.append(Notes(system.name, tuple(_line(note) for note in own)))
    return [each for each in found if each.lines]


def _line(note: Note) -> str:
    more = ", ..." if 0 < len(note.examples) < note.count else ""
    return note.message + (f" ({', '.join(note.examples)}{more})" if note.examples else "")


# ---------------------------------------------------------------------------------------------------------------------
# Without a script


def _static(document: str, found: Sequence[Explanation], text: str | None, settings: Settings) -> StaticDocument:
    labels = {entry.key: entry.label for entry in LEGEND}
    systems = []
    for each in found:
        rows = [
            (
                kind := kind_of(fate),
                labels[kind],
                fate.said,
                fate.type,
                fate.role,
                short(fate.filler, LONG),
                fate.realis,
            )
            for fate in each.responses
        ]
        rows += [
            (
                "missed",
                labels["missed"],
                m.why,
                m.type,
                m.role,
                short(m.fillers[0], LONG) if m.fillers else "?",
                m.realis,
            )
            for m in each.missed
        ]
        rows.sort(key=lambda row: KINDS.index(row[0]))
        scores = [
            f"{name} {100 * value:.1f}"
            for name in ("overall", "argument", "linking")
            if (value := each.scores.get(name)) is not None
        ]
        frames = [
            (
                [] if gold is None else [_member(member) for member in each.reference_frames[gold]],
                [] if own is None else [_member(member) for member in each.system_frames[own]],
            )
            for gold, own in each.beside
        ]
        systems.append(StaticSystem(each.system, ", ".join(scores), rows, frames))
    marked: list[tuple[str, list[tuple[str, str]]]] = []
    if text is not None and found:
        units = Utf16(text) if settings.profile.offsets == "utf-16" else None
        said, places = [], []
        for fate in found[0].responses:
            kind = kind_of(fate)
            said.append((kind, f"{fate.type} {fate.role}, {fate.realis}: {labels[kind]}"))
            span: Span = fate.cas if units is None else units.to_characters(fate.cas)
            places.append([(span.start, span.end + 1)])
        marked = [
            (stretch, [said[mark] for mark in _distinct(marks, said)])
            for stretch, marks in _stretches(text, segments(places, len(text)))
        ]
    return StaticDocument(document, marked, systems)


def _stretches(text: str, marked: Sequence[Segment]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The whole text in stretches, with the marks of each."""
    place = 0
    for begin, end, marks in marked:
        yield text[place:begin], ()
        yield text[begin:end], marks
        place = end
    yield text[place:], ()


def _distinct(marks: Sequence[int], said: Sequence[tuple[str, str]]) -> list[int]:
    """One mark of each kind at a place is enough."""
    return list({said[mark][0]: mark for mark in reversed(marks)}.values())[::-1]


def _member(member: Member) -> tuple[str, str, str]:
    return member.status, f"{member.type} {member.role}", short(member.filler, LONG)
