"""What is reported: each metric of coreference as a formula over the counts of `COLUMNS`."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.measure import Blanc, Combined, Measure, Prf
from adjudge.tasks.coref.counts import NAMES
from adjudge.tasks.coref.settings import Rule

METRICS = ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll", "kbp")
PARTS = ("recall", "precision", "f1")
AVERAGES = {"conll": ("muc", "b3", "ceafe"), "kbp": ("muc", "b3", "ceafe", "blanc")}
_ALIASES = {"bcub": "b3", "b-cubed": "b3", "mention": "mentions"}


def chosen_metrics(names: str | Iterable[str] | None) -> tuple[str, ...]:
    """Names of metrics, with or without their family, as they stand in `METRICS`; all of them for None or `all`.

    >>> chosen_metrics("coref.muc, bcub")
    ('muc', 'b3')
    """
    if names is None:
        return METRICS
    texts = names.split(",") if isinstance(names, str) else list(names)
    found = []
    for text in texts:
        name = text.strip().lower().removeprefix("coref.")
        name = _ALIASES.get(name, name)
        if name == "all":
            return METRICS
        if name not in METRICS:
            hint = did_you_mean(name, METRICS) or f"metrics are {', '.join(METRICS)}"
            raise UsageError(f"there is no coreference metric {text.strip()!r}", hint=hint)
        found.append(name)
    if not found:
        raise UsageError("there is no metric", hint=f"choose from {', '.join(METRICS)}")
    return tuple(dict.fromkeys(found))


def measures_of(metrics: Iterable[str], rule: Rule) -> list[Measure]:
    """The measures of some metrics; an average brings what it averages.

    >>> [measure.name for measure in measures_of(["conll"], "8.01")]
    ['coref.muc', 'coref.b3', 'coref.ceafe', 'coref.conll']
    """
    made: dict[str, Measure] = {}
    for metric in metrics:
        for name in (*AVERAGES.get(metric, ()), metric):
            for measure in _measures(name, rule):
                made.setdefault(measure.name, measure)
    order = [f"coref.{name}" for metric in METRICS for name in (metric, f"{metric}.coref", f"{metric}.noncoref")]
    return sorted(made.values(), key=lambda measure: order.index(measure.name))


def _measures(metric: str, rule: Rule) -> list[Measure]:
    name = f"coref.{metric}"
    if metric in AVERAGES:
        return [Combined(name, "f1", "mean", tuple((f"coref.{each}", "f1") for each in AVERAGES[metric]))]
    if metric == "blanc":
        columns = [_columns(each) for each in (f"{name}.coref", f"{name}.noncoref", "coref.mentions")]
        whole = Blanc(name, columns[0], columns[1], columns[2], rule)
        return [whole, _prf(f"{name}.coref"), _prf(f"{name}.noncoref")]
    return [_prf(name)]


def _prf(name: str) -> Prf:
    matched, system, gold = _columns(name)
    found = f"{name}:found" if "found" in NAMES[name] else matched
    return Prf(name, (matched, system), (found, gold), parts=PARTS)


def _columns(name: str) -> tuple[str, str, str]:
    return f"{name}:matched", f"{name}:system", f"{name}:gold"
