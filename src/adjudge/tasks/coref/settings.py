"""What can be chosen: the profile, singletons, when two mentions are the same, and the metrics that are reported.

Each metric is a formula over the counts of `COLUMNS`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias, cast

from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.measure import Blanc, Combined, Measure, Prf
from adjudge.tasks.coref.counts import NAMES

Profile: TypeAlias = Literal["conll-8.01", "clean", "strict"]
Singletons: TypeAlias = Literal["keep", "drop"]
Match: TypeAlias = Literal["exact", "head", "partial"]
Rule: TypeAlias = Literal["8.01", "2014"]

PROFILES = {
    "conll-8.01": "the reader, repeated-mention rules and BLANC rule of the reference scorer 8.01",
    "clean": "repeated mentions are removed on both sides, BLANC as in the paper of 2014",
    "strict": "as conll-8.01, but repeats, unmatched documents and unequal numbers of tokens are errors",
}
SINGLETONS = ("keep", "drop")
MATCHES = ("exact", "head", "partial")
OVERLAP = 0.5


class Settings(NamedTuple):
    """Checked choices; `overlap` is the least |A & B| / |A | B| at which two mentions match in part."""

    profile: Profile = "conll-8.01"
    singletons: Singletons = "keep"
    match: Match = "exact"
    overlap: float | None = None

    @property
    def rule(self) -> Rule:
        """What BLANC is when one kind of links is missing."""
        return "2014" if self.profile == "clean" else "8.01"

    def fields(self) -> dict[str, str | float]:
        """What the signature says of it."""
        declared: dict[str, str | float] = {"blanc": self.rule, "singletons": self.singletons, "match": self.match}
        if self.overlap is not None:
            declared["overlap"] = self.overlap
        return declared


def settings(
    profile: str = "conll-8.01", singletons: str = "keep", match: str = "exact", overlap: float | None = None
) -> Settings:
    """The choices, or an error that names the possible ones.

    >>> settings(match="partial").overlap
    0.5
    """
    _check(profile, "profile", PROFILES)
    _check(singletons, "way to treat singletons", SINGLETONS)
    _check(match, "way to match mentions", MATCHES)
    if match != "partial" and overlap is not None:
        raise UsageError("an overlap is used only when mentions match in part", hint="add match=partial")
    if match == "partial":
        overlap = OVERLAP if overlap is None else overlap
        if not 0 < overlap <= 1:
            raise UsageError(f"an overlap of {overlap:g} is not possible", hint="give a number above 0 and up to 1")
    return Settings(cast("Profile", profile), cast("Singletons", singletons), cast("Match", match), overlap)


def _check(name: str, what: str, known: Iterable[str]) -> None:
    if name not in known:
        hint = did_you_mean(name, known) or f"choose from {', '.join(known)}"
        raise UsageError(f"there is no {what} {name!r}", hint=hint)


# ---------------------------------------------------------------------------------------------------------------------
# Metrics

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
