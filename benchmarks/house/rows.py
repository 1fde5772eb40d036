"""A benchmark, its rows, and what is said of them.

A part (coref, nugget, ...) is a module of `benchmarks.parts` with a function `benches(quick)`. A bench declares its
rows with their bars before anything runs, so that a peer that fails, or a program that is not there, leaves a row that
says why, and then yields what it has found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.house.measure import Cost, Failed, Turns

if TYPE_CHECKING:
    from benchmarks.house.fit import Fit
    from benchmarks.house.setting import Setting

MET, MISSED, NOT_JUDGED, NOT_MEASURED, NO_BAR = "met", "missed", "not judged", "not measured", ""


class Row(NamedTuple):
    """What is measured, and the bar that the value has to keep: at least, or at most, so much."""

    key: str  # within its bench
    what: str  # the shape, for readers
    unit: str  # what the value is: "times less CPU than coval"
    bar: float | None = None
    at_least: bool = True
    judged: bool = True  # False where the shape is smaller than the one that the bar is for


class Found(NamedTuple):
    """The value of a row, or why there is none; `least` says that it is at least so much (a peer was cut short)."""

    key: str
    value: float | None = None
    why: str = ""
    ours: Cost | None = None
    theirs: Cost | None = None
    least: bool = False
    fit: Fit | None = None
    note: str = ""


class Bench(NamedTuple):
    """Rows that are measured together; `name` begins with the name of the part."""

    name: str
    rows: tuple[Row, ...]
    run: Callable[[Setting], Iterable[Found]]


class Line(NamedTuple):
    """A row of the table with its verdict."""

    bench: str
    row: Row
    found: Found
    verdict: str

    def to_data(self) -> dict[str, Any]:
        """The line as JSON."""
        ours, theirs = ({} if cost is None else cost.to_data() for cost in (self.found.ours, self.found.theirs))
        return {
            "bench": self.bench,
            **self.row._asdict(),
            "value": self.found.value,
            "least": self.found.least,
            "verdict": self.verdict,
            "why": self.found.why,
            "note": self.found.note,
            "ours": ours,
            "theirs": theirs,
            "fit": None if self.found.fit is None else self.found.fit._asdict(),
        }


def line_from_data(data: dict[str, Any]) -> Line:
    """The line that `to_data` wrote."""
    from benchmarks.house.fit import Fit

    row = Row(*(data[name] for name in Row._fields))
    ours, theirs = (Cost(**data[side]) if data[side] else None for side in ("ours", "theirs"))
    fit = None if data["fit"] is None else Fit(**data["fit"])
    found = Found(data["key"], data["value"], data["why"], ours, theirs, data["least"], fit, data["note"])
    return Line(data["bench"], row, found, data["verdict"])


def judge(row: Row, found: Found) -> str:
    """What is said of a value.

    >>> judge(Row("cpu", "", "times", 10), Found("cpu", 12.0)), judge(Row("cpu", "", "times", 10), Found("cpu", 9.0))
    ('met', 'missed')
    >>> judge(Row("cpu", "", "times", 10), Found("cpu", 9.0, least=True))
    'not measured'
    """
    if found.value is None:
        return NOT_MEASURED
    if row.bar is None:
        return NO_BAR
    if not row.judged:
        return NOT_JUDGED
    if found.value >= row.bar if row.at_least else found.value <= row.bar:
        return MET
    return NOT_MEASURED if found.least else MISSED


def compare(key: str, turns: Turns, theirs: str, ours: str = "ours", *, of: str = "cpu", floor: float = 0.0) -> Found:
    """How many times less we cost than a peer, if both ran; what is below `floor` counts as that.

    >>> turns = Turns({"ours": [Cost(1, 10)], "peer": [Cost(8, 30)]}, {})
    >>> compare("cpu", turns, "peer").value, compare("memory", turns, "peer", of="megabytes").value
    (8.0, 3.0)
    """
    try:
        own, other = turns.best(ours), turns.best(theirs)
    except Failed as failed:
        return Found(key, why=str(failed))
    value = max(getattr(other, of), floor) / max(getattr(own, of), floor)
    return Found(key, value, ours=own, theirs=other, least=other.cut)


def lines_of(bench: Bench, setting: Setting) -> Iterator[Line]:
    """Run a bench: a line for each of its rows, as they are found; a failure ends this bench and nothing else."""
    rows = {row.key: row for row in bench.rows}
    left = dict(rows)
    why = "the benchmark says nothing of it"
    try:
        for found in bench.run(setting):
            row = left.pop(found.key)
            if found.least and judge(row, found) == NOT_MEASURED:
                found = found._replace(why=found.why or "the peer was stopped before it could tell")
            yield Line(bench.name, row, found, judge(row, found))
    except Failed as failed:
        why = str(failed)
    except Exception as error:  # a mistake of one bench must not cost the others
        why = f"the benchmark itself failed: {type(error).__name__}: {error}"
    for key, row in left.items():
        yield Line(bench.name, row, Found(key, why=why), NOT_MEASURED)


def select(benches: Iterable[Bench], only: Iterable[str]) -> list[Bench]:
    """The benches whose name is one of these, or begins with it and a slash; all of them if none is named.

    >>> benches = [Bench("coref/C1", (), iter), Bench("coref/C2", (), iter), Bench("eal/scores", (), iter)]
    >>> [bench.name for bench in select(benches, ["coref", "eal/scores"])]
    ['coref/C1', 'coref/C2', 'eal/scores']
    """
    wanted = tuple(only)
    return [
        bench
        for bench in benches
        if not wanted or any(bench.name == each or bench.name.startswith(f"{each}/") for each in wanted)
    ]
