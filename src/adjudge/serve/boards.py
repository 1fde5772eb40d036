"""Boards: runs in order and what can be told apart, a pure function of what `adjudge compare` says and who ran what.

All numbers are those of `adjudge compare --format json` on saved results; nothing is computed here but places. Ranked
runs are compared with each other, the best ones of all teams once more among themselves, unranked ones for themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from adjudge.stats.inference import ALPHA

Compared = Mapping[str, Any]
"""What `adjudge compare --format json` prints; `views` are further ones of the same runs, by name."""
Headline = tuple[str, str]
"""A metric and its part."""
Compare = Callable[[Sequence["Run"]], Compared]
_HEADS = ("f1", "score")  # of the parts of a metric, those that it is ordered by


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A scored run; `unranked` says why it has no rank."""

    team: str
    number: int
    name: str
    received: str = ""
    sha256: str = ""
    result: str = ""  # of its saved result
    unranked: str = ""

    @property
    def key(self) -> str:
        """What it is called in comparisons, where some marks mean something.

        >>> Run(team="a=b#1", number=2, name="x").key
        'a%3Db%231.2'
        """
        marks = {"%": "%25", "=": "%3D", "#": "%23"}
        return f"{''.join(marks.get(mark, mark) for mark in self.team)}.{self.number}"


class Behind(msgspec.Struct, frozen=True):
    """The difference to the best run, negative for whoever is worse, with p after Holm's correction, and q."""

    difference: float
    low: float | None
    high: float | None
    p: float | None
    q: float | None = None


NUMBERS = ("value", "low", "high", "bound")
"""What is kept of a score: a bound if it is not proven."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A run on a board; who may not know a value gets None."""

    team: str
    run: str
    number: int
    unranked: str = ""
    rank: int | None = None
    ranks: tuple[int, int] | None = None
    band: int | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    bound: float | None = None
    parts: dict[str, float | None] = {}
    behind: Behind | None = None
    beats_next: float | None = None


class Tab(msgspec.Struct, frozen=True, kw_only=True):
    """The order by one score, on all documents or on a slice of them."""

    metric: str
    part: str
    slice: dict[str, Any] = {}
    of: str = ""  # which view, if it is not the main one
    level: float | None = None
    detects: float | None = None  # the smallest difference that would be found between any two runs
    lines: tuple[Line, ...] = ()

    @property
    def title(self) -> str:
        """What it is called.

        >>> Tab(metric="ner.strict", part="f1", slice={"genre": "nw"}).title
        'ner.strict f1, genre nw'
        """
        where = "".join(f", {name} {value}" for name, value in self.slice.items())
        return f"{self.of}: {self.metric} {self.part}{where}".removeprefix(": ")


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """The best run of every team, and all runs; the first tab is the one that counts."""

    track: str
    phase: str
    best: tuple[Tab, ...] = ()
    all: tuple[Tab, ...] = ()
    runs: tuple[Run, ...] = ()
    commands: tuple[str, ...] = ()  # what gives the same numbers elsewhere
    documents: int | None = None
    adjudge: str = ""
    signature: str = ""
    note: str = ""
    show: str = "public"
    basis: str = ""  # of an assessed track: a hash of what people have decided

    @property
    def inputs(self) -> str:
        """The hash of what it was made from: a board with another one is out of date."""
        return inputs_of(self.runs, self.basis)


def inputs_of(runs: Iterable[Run], basis: str = "") -> str:
    """The hash of runs and their results."""
    return hashlib.sha256(msgspec.json.encode([basis, sorted(runs, key=lambda run: run.key)])).hexdigest()


def make_board(track: str, phase: str, runs: Sequence[Run], compare: Compare, by: Headline | None = None) -> Board:
    """The board of runs, ordered by one score that counts; `compare` is asked up to three times."""
    ranked = [run for run in runs if not run.unranked]
    others = [run for run in runs if run.unranked]
    whole = compare(ranked) if ranked else None
    apart = compare(others) if others else None
    chosen = _best(ranked, whole, by) if whole else []
    among = whole if len(chosen) == len(ranked) else compare(chosen) if chosen else None
    said = whole or apart or {}
    return Board(
        track=track,
        phase=phase,
        best=_tabs((chosen, others), among, apart, by),
        all=_tabs((ranked, others), whole, apart, by),
        runs=tuple(runs),
        documents=max((system["documents"] for system in said.get("systems", ())), default=None),
        adjudge=said.get("adjudge", ""),
        signature=said.get("signature", ""),
    )


def _best(ranked: Sequence[Run], compared: Compared, by: Headline | None) -> list[Run]:
    """The best run of every team by the score that counts; of equal ones the earlier."""
    metric, part = _headlines(compared, by)[0]
    values = {}
    for system in compared["systems"]:
        found = _score(system["scores"], metric, part, {})
        values[system["name"]] = None if found is None else found["value"]
    best: dict[str, Run] = {}
    for run in sorted(ranked, key=lambda run: run.number):
        old = best.get(run.team)
        if old is None or _order(values.get(run.key)) > _order(values.get(old.key)):
            best[run.team] = run
    return [run for run in ranked if best[run.team] is run]


def _order(value: float | None) -> float:
    return float("-inf") if value is None else value


def _headlines(compared: Compared, by: Headline | None) -> list[Headline]:
    """The scores that runs are ordered by; the first one counts."""
    rows = (*compared.get("ranking", ()), *compared.get("comparisons", ()))
    found = list(dict.fromkeys((each["metric"], each["part"]) for each in rows))
    if not found:  # of one run
        parts: dict[str, list[str]] = {}
        for score in compared["systems"][0]["scores"]:
            parts.setdefault(score["metric"], []).append(score["part"])
        found = [(metric, next((name for name in _HEADS if name in own), own[-1])) for metric, own in parts.items()]
    return list(dict.fromkeys([by, *found])) if by is not None else found


def _score(scores: Iterable[Mapping[str, Any]], metric: str, part: str, slice_: Mapping[str, Any]) -> Any:
    wanted = (metric, part, dict(slice_))
    return next((each for each in scores if (each["metric"], each["part"], each["slice"]) == wanted), None)


# ---------------------------------------------------------------------------------------------------------------------
# Tabs

_Key = tuple[str, str, tuple[tuple[str, Any], ...]]


def _key(row: Mapping[str, Any]) -> _Key:
    return row["metric"], row["part"], tuple(sorted(row["slice"].items()))


def _tabs(
    runs: tuple[Sequence[Run], Sequence[Run]], compared: Compared | None, apart: Compared | None, by: Headline | None
) -> tuple[Tab, ...]:
    """One tab for each score that counts, then one for each slice of it, then those of other views."""
    ranked, others = runs
    said = compared or apart
    if said is None:
        return ()
    scores: dict[_Key, dict[str, Mapping[str, Any]]] = {}
    for system in (system for each in (compared, apart) if each for system in each["systems"]):
        for score in system["scores"]:
            scores.setdefault(_key(score), {})[system["name"]] = score
    pairs: dict[_Key, dict[tuple[str, str], Mapping[str, Any]]] = {}
    for pair in (compared or {}).get("comparisons", ()):
        pairs.setdefault(_key(pair), {})[pair["a"], pair["b"]] = pair
    ranks = {(each["metric"], each["part"], each["system"]): each for each in (compared or {}).get("ranking", ())}
    found = []
    heads = _headlines(said, by)
    shown = [key for key in scores if key[:2] in heads]
    for key in sorted(shown, key=lambda key: (len(key[2]) > 0, heads.index(key[:2]))):
        metric, part, slice_ = key
        standing = {run.key: ranks.get((metric, part, run.key)) for run in ranked} if not slice_ else {}
        own = _Values(key, scores[key], pairs.get(key, {}), standing)
        more = {part_: values for (name, part_, where), values in scores.items() if (name, where) == (metric, slice_)}
        lines = _lines(ranked, others, own, {name: each for name, each in more.items() if name != part})
        level = next((each.get("level") for each in own.scores.values() if each.get("level")), None)
        detects = max((each["detectable"] for each in own.pairs.values() if each.get("detectable")), default=None)
        named = Tab(metric=metric, part=part, slice=dict(slice_), lines=lines)
        found.append(msgspec.structs.replace(named, level=level, detects=detects))
    for name in said.get("views", ()):
        view, apart_view = (each["views"].get(name) if each else None for each in (compared, apart))
        found += [msgspec.structs.replace(tab, of=name) for tab in _tabs(runs, view, apart_view, by) if not tab.slice]
    return tuple(found)


class _Values(msgspec.Struct, frozen=True):
    """All that is known of one score of all runs."""

    key: _Key
    scores: Mapping[str, Mapping[str, Any]]
    pairs: Mapping[tuple[str, str], Mapping[str, Any]]
    standing: Mapping[str, Mapping[str, Any] | None]

    def score(self, run: Run) -> Mapping[str, Any]:
        """A run's score with its interval: of an official ranking the median over corpora."""
        standing = self.standing.get(run.key)
        return standing if standing and standing.get("median") is not None else self.scores.get(run.key, {})

    def value(self, run: Run) -> float:
        """A run's score, or the least possible if it has none."""
        return _order(self.score(run).get("value"))

    def beats(self, run: Run, other: Run) -> float | None:
        """The chance that a run is better than another: the share of corpora in which it was."""
        wins = (self.standing.get(run.key) or {}).get("wins") or {}
        if other.key in wins:
            return float(wins[other.key])
        pair = self.against(run, other)
        return pair[1] if pair else None

    def against(self, run: Run, other: Run) -> tuple[Behind, float | None] | None:
        """The difference of a run and another, and the chance that the run is better."""
        sign = 1 if (run.key, other.key) in self.pairs else -1
        pair = self.pairs.get((run.key, other.key) if sign > 0 else (other.key, run.key))
        if pair is None:
            return None
        low, high = (None if end is None else sign * end for end in (pair.get("low"), pair.get("high"))[::sign])
        wins = pair.get("wins")
        made = Behind(sign * pair["difference"], low, high, pair.get("p_holm"), pair.get("q"))
        return made, wins if wins is None or sign > 0 else 1 - wins


def _lines(
    ranked: Sequence[Run], others: Sequence[Run], own: _Values, more: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> tuple[Line, ...]:
    order = sorted(ranked, key=lambda run: (-own.value(run), run.team, run.number))
    bands = _bands(order, own)
    found: list[tuple[float, Line]] = []
    for place, run in enumerate(order):
        standing = own.standing.get(run.key) or {}
        behind = own.against(run, order[0]) if place else None
        ranks = standing.get("ranks")
        line = msgspec.structs.replace(
            _line(run, own, more),
            rank=1 + sum(own.value(other) > own.value(run) for other in order),
            ranks=tuple(ranks) if ranks else None,
            band=bands.get(run.key),
            behind=behind[0] if behind else None,
            beats_next=own.beats(run, order[place + 1]) if place + 1 < len(order) else None,
        )
        found.append((own.value(run), line))
    found += [(own.value(run), _line(run, own, more)) for run in others]
    return tuple(line for _, line in sorted(found, key=lambda each: (-each[0], each[1].rank is None)))


def _line(run: Run, own: _Values, more: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Line:
    score = own.score(run)
    return Line(
        team=run.team,
        run=run.name,
        number=run.number,
        unranked=run.unranked,
        **{name: score.get(name) for name in NUMBERS},
        parts={name: values[run.key]["value"] for name, values in more.items() if run.key in values},
    )


def _bands(order: Sequence[Run], own: _Values) -> dict[str, int]:
    """Groups in which nobody can be told from everybody else, and all of a group are surely above all of the next.

    With ranges of ranks a group ends where no range goes beyond; without, where every pair across is significant.
    """
    found: dict[str, int] = {}
    band = 1
    ranges = [(own.standing.get(run.key) or {}).get("ranks") for run in order]
    for place, run in enumerate(order):
        if place and _is_border(order, own, ranges, place):
            band += 1
        found[run.key] = band
    return found


def _is_border(order: Sequence[Run], own: _Values, ranges: Sequence[Sequence[int] | None], place: int) -> bool:
    if all(each is not None for each in ranges):
        above = max(each[1] for each in ranges[:place] if each)
        return above <= place < min(each[0] for each in ranges[place:] if each)
    pairs = (own.against(one, other) for one in order[:place] for other in order[place:])
    return all(pair is not None and pair[0].p is not None and pair[0].p < ALPHA for pair in pairs)


# ---------------------------------------------------------------------------------------------------------------------
# Visibility


def view(board: Board, show: str, team: str | None = None) -> Board:
    """What a phase shows of its board to a team, or to anybody else.

    `hidden`: nothing. `own`: the runs of the team, and their ranks. `bands`: who cannot be told apart, in alphabetical
    order and without scores but one's own. `public`: everything.
    """
    if show == "public":
        return board
    if show == "hidden" or (show == "own" and team is None):
        return Board(track=board.track, phase=board.phase, show=show)
    chosen = board.all[:1] if show == "bands" else board.all
    best = board.best[:1] if show == "bands" else ()
    runs = tuple(run for run in board.runs if run.team == team)
    return msgspec.structs.replace(
        board,
        show=show,
        runs=runs,
        commands=(),
        best=tuple(_shown(tab, show, team) for tab in best),
        all=tuple(_shown(tab, show, team) for tab in chosen),
    )


def _shown(tab: Tab, show: str, team: str | None) -> Tab:
    own = [line for line in tab.lines if line.team == team]
    if show == "own":
        lines = [msgspec.structs.replace(line, behind=None, beats_next=None) for line in own]
        return msgspec.structs.replace(tab, detects=None, lines=tuple(lines))
    ranges: dict[int | None, list[int]] = {}
    for place, line in enumerate((line for line in tab.lines if line.band is not None), 1):
        ranges.setdefault(line.band, []).append(place)
    lines = []
    for line in sorted(tab.lines, key=lambda line: (line.band is None, line.band, line.team, line.number)):
        places = ranges.get(line.band)
        bare = Line(
            team=line.team,
            run=line.run,
            number=line.number,
            unranked=line.unranked,
            band=line.band,
            ranks=None if places is None else (places[0], places[-1]),
        )
        if line in own:
            own_numbers = {name: getattr(line, name) for name in (*NUMBERS, "parts")}
            bare = msgspec.structs.replace(bare, **own_numbers)
        lines.append(bare)
    return msgspec.structs.replace(tab, detects=None, lines=tuple(lines))
