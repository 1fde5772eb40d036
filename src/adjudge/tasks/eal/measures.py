"""What is counted of a document, and the formulas over the sums.

The argument score of a document is max(0, TP - beta FP), so this is a column of its own; then everything adds up over
documents, and is divided last (scoring proposal, "Aggregating Scores across the Evaluation Corpus"). The link score is
a variant of B-cubed over frames: sets of classes (TRFRs), written as numbers whose bits are the classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, isfinite
from typing import TYPE_CHECKING, NamedTuple

from adjudge.model.prf import ratio
from adjudge.tasks.eal.reference import Frames, spread
from adjudge.tasks.eal.settings import Settings

if TYPE_CHECKING:
    from adjudge.stats.measure import Measure, Undefined
    from adjudge.stats.table import StatsTable


class Classes(NamedTuple):
    """Classes of a system by the assessment of their representatives.

    `good` and `perfect` ones are correct themselves, `semantic` ones because the key has a good response; `excused` are
    correct classes whose representative is unassessed.
    """

    total: int
    good: int
    perfect: int
    semantic: int
    excused: int = 0


class Links(NamedTuple):
    """The link score of a document as sums over classes, and its links: pairs of classes that share a frame.

    `f` and `recall` are sums over the `size` classes of the reference, `precision` over the `found` of them that the
    system has.
    """

    f: float
    precision: float
    recall: float
    found: int
    size: int
    common: int
    system: int
    gold: int


def score_links(reference: Frames, masks: Iterable[int]) -> Links:
    """The official link score: for each reference class x the F1 of its neighbours, summed.

    The neighbours of x are the classes that share a frame with x, without x itself. If x has none on both sides, F is
    1; if the system does not have x, 0. `masks` are frames with reference classes only: others cost nothing (scoring
    proposal, "Linking Sub-score").

    >>> frames = Frames([0b011, 0b100], [0b010, 0b001, 0], [0, 1, 2], {})
    >>> score_links(frames, [0b001, 0b100])
    Links(f=1.0, precision=1.0, recall=1.0, found=2, size=3, common=0, system=0, gold=1)
    """
    theirs = reference.neighbours
    size = len(theirs)
    distinct = list({mask for mask in masks if mask})
    ours = [0] * size
    spread(distinct, ours)
    present = 0
    for mask in distinct:
        present |= mask
    # Sums of fractions are rounded once, so they do not depend on the order of the classes.
    f: list[float] = []
    precision: list[float] = []
    recall: list[float] = []
    alone = common = system = 0
    found = present.bit_count()
    while present:
        low = present & -present
        present ^= low
        place = low.bit_length() - 1
        own, other = ours[place], theirs[place]
        if not own and not other:
            alone += 1
            continue
        mine = own.bit_count()
        system += mine
        shared = (own & other).bit_count()
        if shared:
            common += shared
            right = other.bit_count()
            f.append(2.0 * shared / (mine + right))
            precision.append(shared / mine)
            recall.append(shared / right)
    gold = sum(map(int.bit_count, theirs))
    return Links(
        f=fsum((alone, *f)),
        precision=fsum((alone, *precision)),
        recall=fsum((alone, *recall)),
        found=found,
        size=size,
        common=common // 2,
        system=system // 2,
        gold=gold // 2,
    )


class Alternatives(NamedTuple):
    """Counts for other metrics of the same frames, with all that the system has put into them.

    `b3` are the sums of precision and recall, and the classes on both sides. `ceafm` and `ceafe` are the weight of the
    best one-to-one alignment of frames, and what it could be at most on both sides. `blanc` are the links within
    frames, the pairs without a link, and the classes: common, of the system, of the reference.
    """

    b3: tuple[float, float, int, int]
    ceafm: tuple[float, float, float]
    ceafe: tuple[float, float, float]
    blanc: tuple[int, int, int, int, int, int, int, int, int]


def score_alternatives(gold: Sequence[int], system: Sequence[int]) -> Alternatives:
    """CEAF, plain B-cubed and BLANC of two sets of frames, given as sets of bits; equal frames of one side are one.

    A class may be in several frames. B-cubed compares for each class all classes that share a frame with it, and
    itself. CEAF aligns frames one to one, by the classes in common (`ceafm`), or by Dice (`ceafe`); a class counts once
    for each of its frames. BLANC asks of each pair of classes whether some frame has both.

    >>> key = [0b11, 0b1100]
    >>> score_alternatives(key, [0b11, 0b10000]).ceafm, score_alternatives(key, [0b11]).b3
    ((2.0, 3.0, 4.0), (2.0, 2.0, 2, 4))
    """
    theirs, ours = _distinct(gold), _distinct(system)
    width = max((mask.bit_length() for mask in (*theirs, *ours)), default=0)
    near = [0] * width, [0] * width
    spread(theirs, near[0])
    spread(ours, near[1])
    present = _union(theirs), _union(ours)
    return Alternatives(
        _b3(near, present),
        _ceaf(theirs, ours, dice=False),
        _ceaf(theirs, ours, dice=True),
        _blanc(near, present),
    )


def _distinct(masks: Iterable[int]) -> list[int]:
    return sorted({mask for mask in masks if mask})


def _union(masks: Iterable[int]) -> int:
    whole = 0
    for mask in masks:
        whole |= mask
    return whole


def _b3(near: tuple[list[int], list[int]], present: tuple[int, int]) -> tuple[float, float, int, int]:
    gold, system = near
    precision: list[float] = []
    recall: list[float] = []
    both = present[0] & present[1]
    while both:
        low = both & -both
        both ^= low
        place = low.bit_length() - 1
        shared = (gold[place] & system[place]).bit_count() + 1
        precision.append(shared / (system[place].bit_count() + 1))
        recall.append(shared / (gold[place].bit_count() + 1))
    return fsum(precision), fsum(recall), present[1].bit_count(), present[0].bit_count()


def _ceaf(gold: Sequence[int], system: Sequence[int], *, dice: bool) -> tuple[float, float, float]:
    from adjudge.algebra.solve.assignment import max_weight_matching

    edges = []
    for row, one in enumerate(gold):
        for column, other in enumerate(system):
            shared = (one & other).bit_count()
            if shared:
                weight = 2 * shared / (one.bit_count() + other.bit_count()) if dice else float(shared)
                edges.append((row, column, weight))
    total, _ = max_weight_matching(edges)
    if dice:
        return total, float(len(system)), float(len(gold))
    return total, float(sum(mask.bit_count() for mask in system)), float(sum(mask.bit_count() for mask in gold))


def _blanc(
    near: tuple[list[int], list[int]], present: tuple[int, int]
) -> tuple[int, int, int, int, int, int, int, int, int]:
    gold, system = near
    both = present[0] & present[1]
    shared = linked = 0  # of the common classes: links on both sides, links on either
    rest = both
    while rest:
        low = rest & -rest
        rest ^= low
        place = low.bit_length() - 1
        one, other = gold[place] & both, system[place] & both
        shared += (one & other).bit_count()
        linked += (one | other).bit_count()
    links = sum(each.bit_count() for each in system) // 2, sum(each.bit_count() for each in gold) // 2
    classes = present[1].bit_count(), present[0].bit_count()
    apart = _pairs(classes[0]) - links[0], _pairs(classes[1]) - links[1]
    common = both.bit_count()
    return shared // 2, *links, _pairs(common) - linked // 2, *apart, common, *classes


def _pairs(number: int) -> int:
    return number * (number - 1) // 2


ARGUMENT = tuple(f"eal.argument:{name}" for name in ("tp", "system", "gold", "raw"))
LINKING = tuple(
    f"eal.linking:{name}"
    for name in (
        "f",
        "recall",
        "precision",
        "found",
        "size",
        "links",
        "system-links",
        "gold-links",
        "spurious",
        "fillers",
    )
)
YEAR_2014 = (
    "eal2014:system",
    *(f"eal2014.{name}:{part}" for name in ("standard", "strict", "lax") for part in ("tp", "gold")),
)
B3 = tuple(f"eal.linking.b3:{name}" for name in ("precision", "recall", "system", "gold"))
CEAF = tuple(f"eal.linking.{kind}:{name}" for kind in ("ceafm", "ceafe") for name in ("common", "system", "gold"))
BLANC = tuple(
    f"eal.linking.blanc:{kind}-{name}"
    for kind in ("links", "apart", "classes")
    for name in ("common", "system", "gold")
)


def columns(settings: Settings) -> tuple[str, ...]:
    """The names of what is counted of a document, in the order of its row.

    >>> columns(Settings(linking=False))[:4]
    ('eal.argument:tp', 'eal.argument:system', 'eal.argument:gold', 'eal.argument:raw')
    """
    found = (*ARGUMENT, *YEAR_2014)
    if settings.linking:
        found += LINKING
        found += B3 * ("b3" in settings.extras) + CEAF * ("ceaf" in settings.extras)
        found += BLANC * ("blanc" in settings.extras)
    return found


def measures(settings: Settings, *, macro: bool = False) -> list[Measure]:
    """The measures of a result, in the order in which they are printed; a mean of documents leaves out 0/0.

    >>> sorted({each.name for each in measures(Settings())})
    ['eal.argument', 'eal.linking', 'eal.overall', 'eal2014.lax', 'eal2014.standard', 'eal2014.strict']
    """
    from adjudge.stats.measure import Blanc, Combined, Prf, Ratio, Total

    undefined: Undefined = None if macro else 0

    def ratio(name: str, part: str, top: str, below: str) -> Measure:
        return Ratio(name, part, ((top, 1.0),), ((below, 1.0),), undefined)

    def totals(name: str, tp: str, system: str, gold: str) -> list[Measure]:
        rest = [Total(name, part, ((whole, 1.0), (tp, -1.0))) for part, whole in (("fp", system), ("fn", gold))]
        return [Total(name, "tp", ((tp, 1.0),)), *rest]

    def counted(name: str, tp: str, system: str, gold: str) -> list[Measure]:
        return [Prf(name, (tp, system), (tp, gold), undefined=undefined), *totals(name, tp, system, gold)]

    def overall(name: str, part: str) -> Measure:
        of = ("eal.argument", part), ("eal.linking", "score")
        weight = settings.argument_weight
        if weight == 0.5:
            return Combined(name, "score", "mean", of)
        return Combined(name, "score", "sum", of, (weight, 1 - weight))

    tp, system, gold, raw = ARGUMENT
    found = [*counted("eal.argument", tp, system, gold), ratio("eal.argument", "score", raw, gold)]
    if settings.linking:
        f, recall, precision, there, size, links, system, gold, *_ = LINKING
        parts = (("precision", precision, there), ("recall", recall, size), ("f1", f, size))
        found += [ratio("eal.linking", *part) for part in parts]
        found += [*totals("eal.linking", links, system, gold), ratio("eal.linking", "score", f, size)]
        found.append(overall("eal.overall", "score"))
        if "f" in settings.extras:
            found.append(overall("eal.overall.f", "f1"))
        if "b3" in settings.extras:
            found.append(Prf("eal.linking.b3", (B3[0], B3[2]), (B3[1], B3[3]), undefined=undefined))
        if "ceaf" in settings.extras:
            for name, (common, system, gold) in (("ceafm", CEAF[:3]), ("ceafe", CEAF[3:])):
                found.append(Prf(f"eal.linking.{name}", (common, system), (common, gold), undefined=undefined))
        if "blanc" in settings.extras:
            kinds = [(BLANC[at], BLANC[at + 1], BLANC[at + 2]) for at in (0, 3, 6)]
            found.append(Blanc("eal.linking.blanc", kinds[0], kinds[1], kinds[2], rule="2014"))
    for name in ("standard", "strict", "lax"):
        if name in settings.profile.measures:
            found += counted(f"eal2014.{name}", f"eal2014.{name}:tp", "eal2014:system", f"eal2014.{name}:gold")
    return found


def document_scores(table: StatsTable, settings: Settings) -> list[dict[str, float | str | None]]:
    """The scores of each document by itself, clipped or not as the profile says; None is 0/0, or x/0.

    >>> from adjudge.stats.table import StatsTable
    >>> from adjudge.tasks.eal.settings import BBN_2015
    >>> table = StatsTable(("d",), (*ARGUMENT, *LINKING), ((0, 2, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0),), {})
    >>> document_scores(table, Settings(BBN_2015))[0]["argument"], document_scores(table, Settings())[0]["argument"]
    (-0.5, 0.0)
    """
    places = {name: at for at, name in enumerate(table.columns)}
    found: list[dict[str, float | str | None]] = []
    for document, values in zip(table.ids, table.values, strict=True):
        get = {name: values[at] for name, at in places.items()}
        tp, system, gold, raw = (get[name] for name in ARGUMENT)
        if not settings.profile.clip_documents:
            raw = tp - settings.beta * (system - tp)
        scores: dict[str, float | str | None] = {
            "document": document,
            "tp": tp,
            "fp": system - tp,
            "fn": gold - tp,
            "raw": raw,
            "argument": _ratio(raw, gold, settings),
        }
        if settings.linking:
            scores |= _document_links(get, scores["argument"], settings)
        found.append(scores)
    return found


def _document_links(
    get: Mapping[str, float], argument: float | str | None, settings: Settings
) -> dict[str, float | str | None]:
    f, recall, precision, found, size = (get[name] for name in LINKING[:5])
    nothing = 1.0 if settings.profile.empty_reference == "one" else None
    link = ratio(f, size, nothing)
    weight = settings.argument_weight
    both = isinstance(argument, float) and link is not None
    return {
        "link-precision": ratio(precision, found, nothing if not size else 0.0),
        "link-recall": ratio(recall, size, nothing),
        "linking": link,
        "overall": weight * argument + (1 - weight) * link if both else None,  # type: ignore[operator]
    }


def _ratio(numerator: float, denominator: float, settings: Settings) -> float | None:
    undefined = None
    if settings.profile.undefined_document != "null":
        undefined = float("nan") if numerator == 0 else float("inf") * numerator
    score: float | None = ratio(numerator, denominator, undefined)
    return score


def table_of(ids: Sequence[str], rows: Sequence[Sequence[float]], settings: Settings) -> StatsTable:
    """The rows of a system as a table."""
    from adjudge.stats.table import StatsTable

    values = tuple(tuple(map(float, each)) for each in rows)
    return StatsTable(tuple(ids), columns(settings), values, {})


def document_table(tables: Mapping[str, StatsTable], settings: Settings) -> str:
    """The scores of each document of each system, as a table with TABs."""
    lines: list[str] = []
    for name, table in tables.items():
        for row in document_scores(table, settings):
            if not lines:
                lines.append("\t".join(("system", *row)))
            lines.append("\t".join((name, *map(_cell, row.values()))))
    return "".join(f"{line}\n" for line in lines)


def _cell(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if not isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return f"{value:.6g}"
