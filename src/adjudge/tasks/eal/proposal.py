"""The numbers of the scoring proposal: Table 1, and the examples of why CEAF was not chosen for the linking.

Table 1 shows what happens if F1 takes the place of TP - beta FP: a system with a precision of 10 and a recall of 75
would win. The examples show that CEAF ignores correct links of a frame that was split, and spurious members of frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.model.prf import f_measure, harmonic, ratio
from adjudge.tasks.eal.measures import score_alternatives, score_links
from adjudge.tasks.eal.reference import Frames, spread

if TYPE_CHECKING:
    from adjudge.stats.text import Grid

SYSTEMS: tuple[tuple[str, int, int], ...] = (
    ("2014_Rank1", 43, 24),
    ("2014_Rank5", 19, 17),
    ("Improved", 53, 34),
    ("Ignore_Rec", 75, 10),
    ("Ignore_Prec", 10, 75),
)
ACCURACIES = (0.6, 0.7, 0.8)

KEY = ("ab", "cd", "efg", "hij", "klmn", "o")
EXAMPLES: dict[str, tuple[str, ...]] = {
    "example 1": ("kl", "mn"),
    "example 2": ("ab", "cd", "x", "y", "z"),
    "example 3": ("abx", "cdy", "z"),
}


class Cells(NamedTuple):
    """A row of Table 1 as fractions of one: three scores as proposed, and three with F1, by link accuracy."""

    system: str
    precision: float
    recall: float
    f1: float
    proposed: tuple[float, ...]
    using_f: tuple[float, ...]


class Example(NamedTuple):
    """A clustering against the key: the proposed link score, and F1 of other metrics."""

    name: str
    frames: tuple[str, ...]
    proposed: float
    ceafm: tuple[float, float, float]  # precision, recall, F1
    ceafe: tuple[float, float, float]
    b3: tuple[float, float, float]
    blanc: float


def table_1(*, beta: float = 0.25, lambda_: float = 0.5) -> list[Cells]:
    """Table 1: scores of five operating points for three link accuracies, without clipping.

    With the number of correct classes as the unit, TP is R and FP is R (1 - P) / P, and the link score is the accuracy
    times R, because only what is found can be linked.

    >>> first = table_1()[0]
    >>> [f"{100 * value:.1f}" for value in (first.f1, *first.proposed)]
    ['30.8', '15.2', '16.4', '17.6']
    """
    rows = []
    for name, p, r in SYSTEMS:
        precision, recall = p / 100, r / 100
        f1 = harmonic(precision, recall)
        linear = recall - beta * recall * (1 - precision) / precision
        rows.append(
            Cells(
                name,
                precision,
                recall,
                f1,
                tuple(lambda_ * linear + (1 - lambda_) * accuracy * recall for accuracy in ACCURACIES),
                tuple(lambda_ * f1 + (1 - lambda_) * accuracy * recall for accuracy in ACCURACIES),
            )
        )
    return rows


def ceaf_examples() -> list[Example]:
    """The three clusterings of the proposal under the proposed link score, CEAF, plain B-cubed and BLANC.

    >>> [f"{each.proposed:.4f} {each.ceafm[2]:.4f}" for each in ceaf_examples()]
    ['0.1333 0.2105', '0.2667 0.3636', '0.2667 0.3636']
    """
    return [_example(name, frames) for name, frames in EXAMPLES.items()]


def _example(name: str, frames: Sequence[str]) -> Example:
    letters = {letter: 1 << place for place, letter in enumerate("".join(KEY) + "xyz")}
    size = len("".join(KEY))
    gold, system = ([sum(letters[each] for each in frame) for frame in side] for side in (KEY, frames))
    neighbours = [0] * size
    spread(gold, neighbours)
    known = (1 << size) - 1
    links = score_links(Frames(gold, neighbours, list(range(size)), {}), [mask & known for mask in system])
    other = score_alternatives(gold, system)
    p_sum, r_sum, systems, golds = other.b3
    return Example(
        name,
        tuple(frames),
        links.f / links.size,
        _prf((other.ceafm[0], other.ceafm[1]), (other.ceafm[0], other.ceafm[2])),
        _prf((other.ceafe[0], other.ceafe[1]), (other.ceafe[0], other.ceafe[2])),
        _prf((p_sum, systems), (r_sum, golds)),
        (_f1(*other.blanc[:3]) + _f1(*other.blanc[3:6])) / 2,
    )


def _prf(p: tuple[float, float], r: tuple[float, float]) -> tuple[float, float, float]:
    return ratio(*p), ratio(*r), f_measure(p, r, same=False)


def _f1(common: float, system: float, gold: float) -> float:
    return float(f_measure((common, system), (common, gold), same=True))


def to_data(*, beta: float = 0.25, lambda_: float = 0.5) -> dict[str, Any]:
    """Both tables as plain data."""
    return {
        "beta": beta,
        "lambda": lambda_,
        "accuracies": list(ACCURACIES),
        "table_1": [
            {**row._asdict(), "proposed": list(row.proposed), "using_f": list(row.using_f)}
            for row in table_1(beta=beta, lambda_=lambda_)
        ],
        "key": list(KEY),
        "examples": [
            {name: list(value) if isinstance(value, tuple) else value for name, value in each._asdict().items()}
            for each in ceaf_examples()
        ],
    }


def grids(*, beta: float = 0.25, lambda_: float = 0.5) -> dict[str, Grid]:
    """Both tables as percentages by title, with one decimal as in the proposal."""
    from adjudge.stats.text import Cell, Grid

    def percent(value: float) -> Cell:
        return Cell(f"{100 * value:.1f}")

    links = tuple(f"link {accuracy:g}" for accuracy in ACCURACIES)
    rows = tuple(
        (
            Cell(row.system),
            Cell(f"{100 * row.precision:.0f}"),
            Cell(f"{100 * row.recall:.0f}"),
            percent(row.f1),
            *map(percent, row.proposed),
            *map(percent, row.using_f),
        )
        for row in table_1(beta=beta, lambda_=lambda_)
    )
    header = ("system", "P", "R", "F1", *(f"proposed, {each}" for each in links), *(f"F1, {each}" for each in links))
    examples = tuple(
        (
            Cell(each.name),
            Cell(" ".join("{" + ", ".join(frame) + "}" for frame in each.frames)),
            Cell(f"{100 * each.proposed:.2f}"),
            *(Cell(f"{100 * value:.2f}") for value in (each.ceafm[2], each.ceafe[2], each.b3[2], each.blanc)),
        )
        for each in ceaf_examples()
    )
    key = " ".join("{" + ", ".join(frame) + "}" for frame in KEY)
    title = f"Table 1: systems and their scores, beta {beta:g}, lambda {lambda_:g}, without clipping"
    return {
        title: Grid(header, 1, (rows,)),
        f"Linking against the key {key}": Grid(
            ("example", "frames", "proposed", "ceafm", "ceafe", "b3", "blanc"), 2, (examples,)
        ),
    }


def to_rows(*, beta: float = 0.25, lambda_: float = 0.5) -> list[dict[str, Any]]:
    """Every cell of both tables as a row with its number: the table, the system or example, and the column.

    >>> to_rows()[3]
    {'table': 'table 1', 'row': '2014_Rank1', 'column': 'proposed, link 0.6', 'value': 0.1522...}
    """
    found: list[tuple[str, str, str, float]] = []
    for row in table_1(beta=beta, lambda_=lambda_):
        for name, value in (("precision", row.precision), ("recall", row.recall), ("f1", row.f1)):
            found.append(("table 1", row.system, name, value))
        for name, values in (("proposed", row.proposed), ("f1", row.using_f)):
            for accuracy, value in zip(ACCURACIES, values, strict=True):
                found.append(("table 1", row.system, f"{name}, link {accuracy:g}", value))
    for each in ceaf_examples():
        others = (("ceafm", each.ceafm[2]), ("ceafe", each.ceafe[2]), ("b3", each.b3[2]), ("blanc", each.blanc))
        found += [("examples", each.name, name, value) for name, value in (("proposed", each.proposed), *others)]
    return [dict(zip(("table", "row", "column", "value"), cell, strict=True)) for cell in found]
