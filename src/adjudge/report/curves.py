"""Panels that need no saved documents: spreads, hops and confidence of knowledge bases, weights of event arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.report.overview import headline_keys, order_by, scores_by
from adjudge.report.plane import around
from adjudge.stats.panel import BOX, Cell, Panel, PanelAxis, PanelMark, PanelSeries
from adjudge.stats.text import clean, units

if TYPE_CHECKING:
    from adjudge.stats.measure import Key
    from adjudge.stats.points import Additive
    from adjudge.stats.result import Result
    from adjudge.tasks.eal.settings import Settings

DRAWN = 8
"""Metrics whose distributions are drawn."""
_HOP = re.compile(r"kbp\.hop(\d+)")
_SLACK = 1e-9


def curves(result: Result) -> list[Panel]:
    """The panels that the scores allow, and what the counts allow if they were not saved with the documents."""
    return [*_hops(result), *_confidence(result), *(_weights(result) if result.task == "eal" else ())]


def _hops(result: Result) -> Iterator[Panel]:
    """F1 by the length of paths."""
    found: dict[str, list[tuple[float, float]]] = {}
    for system in result.systems:
        for score in system.scores:
            hop = _HOP.fullmatch(score.metric)
            if hop is not None and not score.slice and score.part == "f1" and score.value is not None:
                found.setdefault(clean(system.name), []).append((float(hop[1]), score.value))
    hops = sorted({at for points in found.values() for at, _ in points})
    if len(hops) < 2:
        return
    rows = tuple((name, *(dict(points).get(at) for at in hops)) for name, points in found.items())
    yield Panel(
        kind="lines",
        name="hops",
        title="F1 by the number of hops",
        caption="A path of several facts is found if all of them are. In percent.",
        header=("system", *(f"{at:g} hop{'s' * (at > 1)}" for at in hops)),
        rows=rows,
        percent=True,
        axes=(
            PanelAxis(title="hops", low=hops[0], high=hops[-1]),
            PanelAxis(title="F1 in percent", low=0.0, high=1.0, factor=100.0),
        ),
        series=tuple(PanelSeries(name=name, pieces=(tuple(sorted(points)),)) for name, points in found.items()),
    )


def _confidence(result: Result) -> Iterator[Panel]:
    """Precision over recall as the minimum confidence of facts rises, for every metric with such slices."""
    found: dict[str, dict[str, dict[float, dict[str, float]]]] = {}
    for system in result.systems:
        for score in system.scores:
            least = _least(score.slice["confidence"]) if list(score.slice) == ["confidence"] else None
            if least is not None and score.value is not None:
                own = found.setdefault(score.metric, {}).setdefault(clean(system.name), {})
                own.setdefault(least, {})[score.part] = score.value
    for metric, systems in found.items():
        series, marks, rows = [], [], list[tuple[Cell, ...]]()
        for name, points in systems.items():
            # Where nothing is kept there is no precision.
            kept = [
                (least, at)
                for least, at in sorted(points.items())
                if "precision" in at and "recall" in at and at.get("system") != 0
            ]
            if not kept:
                continue
            places = tuple((at["recall"], at["precision"]) for _, at in reversed(kept))
            series.append(PanelSeries(name=name, pieces=(places,)))
            for least, at in kept:
                rows.append((name, f"{least:g}", at["precision"], at["recall"], at.get("f1")))
                told = f"{name}, from {least:g}: {100 * at['precision']:z.1f} and {100 * at['recall']:z.1f}"
                marks.append(PanelMark(at=(at["recall"], at["precision"]), text=told))
        if len(rows) <= len(series):
            continue  # one confidence only: there is no curve
        low, high = around((point[1] for each in series for point in each.pieces[0]), floor=0.0, ceiling=1.0)
        right = max(point[0] for each in series for point in each.pieces[0])
        yield Panel(
            kind="lines",
            name=f"confidence-{metric.removeprefix('kbp.')}",
            title=f"{clean(metric)}: precision over recall by confidence",
            caption="Each ring keeps the facts with at least that confidence; the right end keeps all of them.",
            header=("system", "confidence from", "precision", "recall", "F1"),
            rows=tuple(rows),
            percent=True,
            axes=(
                PanelAxis(title="recall in percent", low=0.0, high=max(right, 0.01), factor=100.0),
                PanelAxis(title="precision in percent", low=low, high=high, factor=100.0),
            ),
            series=tuple(series),
            marks=tuple(marks),
        )


def _least(value: object) -> float | None:
    """The confidence of a slice such as 0.71+."""
    try:
        return float(str(value).removesuffix("+"))
    except ValueError:
        return None


# ---------------------------------------------------------------------------------------------------------------------
# Event arguments


def _weights(result: Result) -> tuple[Panel, ...]:
    settings = None if result.panels else _settings(result)
    if settings is None:
        return ()
    from adjudge.tasks.eal.panels import weight_panels

    return weight_panels({each.name: each.table for each in result.systems if each.table is not None}, settings, {})


def _settings(result: Result) -> Settings | None:
    """The weights of a result; nothing if its counts do not give its own scores with them."""
    from adjudge.errors import UsageError
    from adjudge.tasks.eal.sensitivity import argument_scores, counts_of, overall
    from adjudge.tasks.eal.settings import decide, settings

    options = result.options
    if options is None or options.pool != "micro" or any(system.table is None for system in result.systems):
        return None
    beta, lambda_, decided = (options.fields.get(name) for name in ("beta", "lambda", "decided"))
    if not isinstance(beta, int | float):
        return None
    linked = isinstance(lambda_, int | float)
    # The decisions that matter here have no commas in them.
    parts = (part.partition("=") for part in str(decided or "").split(","))
    try:
        profile = decide(result.profile, {name: value for name, _, value in parts if name == "lambda_on"})
        found = settings(profile, beta=beta, lambda_=float(lambda_ or 0.0) if linked else 0.5, linking=linked)
        for system in result.systems:
            assert system.table is not None
            counts = counts_of(system.table)
            again = float(argument_scores(counts, [found.beta])[0])
            again = overall(counts, found.beta, found.argument_weight) if found.linking else again
            metric = "eal.overall" if found.linking else "eal.argument"
            scores = [s.value for s in system.scores if (s.metric, s.part) == (metric, "score") and not s.slice]
            if len(scores) != 1 or scores[0] is None or abs(scores[0] - again) > _SLACK:
                return None
    except UsageError:
        return None
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Spreads: what is computed again from the tables


class Numbers(NamedTuple):
    """Everything recomputed: `values[key][system]` has the score of every document, or nan."""

    ids: tuple[str, ...]
    keys: tuple[Key, ...]
    values: dict[Key, tuple[Any, ...]]
    samples: dict[str, dict[Key, Any]] | None


def numbers_of(result: Result) -> Numbers:
    """The scores of every document and of the resampled corpora, if the result was saved with its tables."""
    import numpy as np

    estimators = _estimators(result)
    if not estimators:
        return Numbers((), (), {}, None)
    from adjudge.stats.points import per_document
    from adjudge.stats.scores import headlines

    first = next(iter(estimators.values()))
    keys = tuple(headlines(first.measures))
    with np.errstate(all="ignore"):
        found = [per_document(each.table, each.measures) for each in estimators.values()]
    values = {key: tuple(own[key] for own in found) for key in keys}
    return Numbers(first.ids, keys, values, _samples(result, estimators, keys))


def _estimators(result: Result) -> dict[str, Additive]:
    """The systems from their tables; nothing if the result has none, or their documents differ."""
    from adjudge.stats.points import Additive

    options = result.options
    if options is None or options.pool not in ("micro", "macro") or not result.measures or not result.systems:
        return {}
    tables = {system.name: system.table for system in result.systems}
    if any(table is None or table.ids != result.systems[0].table.ids for table in tables.values()):  # type: ignore[union-attr]
        return {}
    return {name: Additive(table, result.measures, options.pool) for name, table in tables.items()}  # type: ignore[arg-type]


def _samples(result: Result, estimators: dict[str, Additive], keys: Sequence[Key]) -> Any:
    """The bootstrap corpora, drawn again; nothing if the task draws its corpora in another way."""
    import numpy as np

    from adjudge.stats.resample import bootstrap

    options = result.options
    assert options is not None
    if options.bootstrap == 0 or "|draws:" in result.signature or len(next(iter(estimators.values())).ids) < 2:
        return None
    own = {name: each.only(keys) for name, each in estimators.items()}
    with np.errstate(all="ignore"):
        return bootstrap(own, resamples=options.bootstrap, seed=options.seed)


def spreads(result: Result, numbers: Numbers) -> list[Panel]:
    """How far scores spread, over documents and over resampled corpora: a panel of boxes for each."""
    found = []
    if len(numbers.ids) < 2:
        return []
    for key in [key for key in headline_keys(result) if key in numbers.keys][:DRAWN]:
        for documents in (False, True):
            rows = list(_spread_rows(result, numbers, key, documents=documents))
            if not rows:
                continue
            level = 95 if result.options is None else 100 * result.options.level
            what = units(result, len(numbers.ids)) if documents else f"{_resamples(result)} resampled corpora"
            ends = "the lowest and the highest document" if documents else f"{level:g} % of the corpora"
            notch = "" if documents else " The notch is about the number of corpora and is not a test."
            caption = f"Box: quartiles; line: median, with its notch; whiskers: {ends}; diamond: the score.{notch}"
            found.append(
                Panel(
                    kind="boxes",
                    name=f"spread-{'documents' if documents else 'corpora'}-{key[0]}",
                    title=f"{clean(' '.join(key))} on {what}",
                    caption=caption,
                    header=("system", *BOX),
                    rows=tuple(rows),
                    percent=True,
                )
            )
    return found


def _resamples(result: Result) -> int:
    return 0 if result.options is None else result.options.bootstrap


def _spread_rows(result: Result, numbers: Numbers, key: Key, *, documents: bool) -> Iterator[tuple[Any, ...]]:
    import numpy as np

    from adjudge.stats.intervals import interval, notches

    level = result.options.level if result.options else 0.95
    found = scores_by(result, key)
    for place in order_by(result, key):
        name = result.systems[place].name
        if documents:
            drawn = np.asarray(numbers.values[key][place])
        elif numbers.samples is not None:
            drawn = numbers.samples[name][key]
        else:
            continue
        drawn = drawn[np.isfinite(drawn)]
        notch = notches(drawn)
        if notch is None:
            continue
        first, median, third = (float(np.quantile(drawn, share)) for share in (0.25, 0.5, 0.75))
        ends = (float(drawn.min()), float(drawn.max())) if documents else interval(drawn, level)
        low, high = ends or (first, third)
        score = found[place].value if place in found else None
        yield clean(name), score, low, first, median, third, high, max(first, notch[0]), min(third, notch[1])
