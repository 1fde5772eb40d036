"""Options: the profile, singletons, when two mentions match, and the metrics that are reported.

Each metric is a formula over the counts of `COLUMNS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, TypeAlias, cast

from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.measure import Blanc, Combined, Measure, Prf
from adjudge.tasks.coref.counts import NAMES, UD_NAMES

Profile: TypeAlias = Literal["conll-8.01", "clean", "strict", "corefud"]
Singletons: TypeAlias = Literal["keep", "drop"]
Match: TypeAlias = Literal["exact", "head", "partial"]
Zeros: TypeAlias = Literal["dependent", "linear"]
Rule: TypeAlias = Literal["8.01", "2014", "corefud"]

PROFILES = {
    "conll-8.01": "the reader, repeated-mention rules and BLANC rule of the reference scorer 8.01",
    "clean": "repeated mentions are removed on both sides, BLANC as in the paper of 2014",
    "strict": "repeats, unmatched documents and unequal numbers of tokens are errors, BLANC as in the paper of 2014",
    "corefud": "CorefUD as version 1.2 of the scorer of the CRAC shared tasks reads, matches and counts it",
}
SINGLETONS = ("keep", "drop")
MATCHES = ("exact", "head", "partial")
ZEROS = ("dependent", "linear")
OVERLAP = 0.5
CHOICES = ("singletons", "match", "overlap", "zeros")
"""The options beside the profile."""

MEANING = {
    ("usual", "head"): "mentions match if they are equal or, of the others, if their heads are the same word",
    ("corefud", "head"): "mentions match if their nodes and heads are equal or, of the others, if their heads are the "
    "same node",
    ("usual", "partial"): "mentions match if they are equal or, of the others, if they overlap enough",
    ("corefud", "partial"): "mentions match if their nodes are equal or, of the others, if that of the system lies "
    "within that of gold and has its head",
}
"""When mentions match; of several candidates, the one-to-one choice with the largest overlap is taken."""


class Settings(NamedTuple):
    """Valid options; `overlap` is the least |A & B| / |A | B| at which two mentions match in part.

    `zeros` says whether empty nodes of CorefUD are matched by what they depend on, or by their place.
    """

    profile: Profile = "conll-8.01"
    singletons: Singletons = "keep"
    match: Match = "exact"
    overlap: float | None = None
    zeros: Zeros | None = None

    @property
    def rule(self) -> Rule:
        """The rule of BLANC if one kind of links is missing."""
        return {"conll-8.01": "8.01", "corefud": "corefud"}.get(self.profile, "2014")  # type: ignore[return-value]

    @property
    def meaning(self) -> str | None:
        """When mentions match, unless they must be equal."""
        return MEANING.get(("corefud" if self.profile == "corefud" else "usual", self.match))

    def fields(self) -> dict[str, str | float]:
        """The fields of the signature."""
        declared: dict[str, str | float] = {"blanc": self.rule, "singletons": self.singletons, "match": self.match}
        if self.overlap is not None:
            declared["overlap"] = self.overlap
        if self.zeros is not None:
            declared["zeros"] = self.zeros
        return declared


def settings(
    profile: str = "conll-8.01",
    singletons: str | None = None,
    match: str | None = None,
    overlap: float | None = None,
    zeros: str | None = None,
) -> Settings:
    """The options, or an error that lists the valid ones; the profile gives the defaults.

    >>> settings(match="partial").overlap
    0.5
    >>> settings("corefud").match
    'head'
    """
    _check(profile, "profile", PROFILES)
    corefud = profile == "corefud"
    singletons = singletons or ("drop" if corefud else "keep")
    match = match or ("head" if corefud else "exact")
    _check(singletons, "way to treat singletons", SINGLETONS)
    _check(match, "way to match mentions", MATCHES)
    if zeros is not None:
        _check(zeros, "way to match zeros", ZEROS)
        if not corefud:
            raise UsageError("zeros are matched in a way of their own in CorefUD only", hint="add profile=corefud")
    if corefud and overlap is not None:
        hint = "leave the overlap out: a mention matches if it lies within that of gold and has its head"
        raise UsageError("the profile corefud has no least overlap", hint=hint)
    if match != "partial" and overlap is not None:
        raise UsageError("an overlap is used only when mentions match in part", hint="add match=partial")
    if match == "partial" and not corefud:
        overlap = OVERLAP if overlap is None else overlap
        if not 0 < overlap <= 1:
            raise UsageError(f"an overlap of {overlap:g} is out of range", hint="give a number above 0 and up to 1")
    return Settings(
        cast("Profile", profile),
        cast("Singletons", singletons),
        cast("Match", match),
        overlap,
        cast("Zeros", zeros or "dependent") if corefud else None,
    )


def _check(name: str, what: str, known: Iterable[str]) -> None:
    if name not in known:
        hint = did_you_mean(name, known) or f"choose from {', '.join(known)}"
        raise UsageError(f"there is no {what} {name!r}", hint=hint)


# ---------------------------------------------------------------------------------------------------------------------
# Metrics

METRICS = ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll", "kbp")
UD_METRICS = ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "mor", "zero", "conll")
PARTS = ("recall", "precision", "f1")
AVERAGES = {"conll": ("muc", "b3", "ceafe"), "kbp": ("muc", "b3", "ceafe", "blanc")}
_ALIASES = {"bcub": "b3", "b-cubed": "b3", "mention": "mentions"}


def metrics_of(profile: str) -> tuple[str, ...]:
    """The metrics that a profile has."""
    return UD_METRICS if profile == "corefud" else METRICS


def chosen_metrics(names: str | Iterable[str] | None, profile: str = "conll-8.01") -> tuple[str, ...]:
    """Names of metrics, with or without the family, as the profile calls them; all for None or `all`.

    >>> chosen_metrics("coref.muc, bcub")
    ('muc', 'b3')
    """
    known = metrics_of(profile)
    if names is None:
        return known
    texts = names.split(",") if isinstance(names, str) else list(names)
    found = []
    for text in texts:
        name = text.strip().lower().removeprefix("coref.")
        name = _ALIASES.get(name, name)
        if name == "all":
            return known
        if name not in known:
            message, hint = f"there is no coreference metric {text.strip()!r}", did_you_mean(name, known)
            if name in (*METRICS, *UD_METRICS):
                message = f"the profile {profile} has no metric {text.strip()!r}"
                hint = f"use the profile {'conll-8.01, clean or strict' if profile == 'corefud' else 'corefud'}"
            raise UsageError(message, hint=hint or f"metrics are {', '.join(known)}")
        found.append(name)
    if not found:
        raise UsageError("there is no metric", hint=f"choose from {', '.join(known)}")
    return tuple(dict.fromkeys(found))


def measures_of(metrics: Iterable[str], rule: Rule) -> list[Measure]:
    """The measures of some metrics, with those that averages are made of.

    >>> [measure.name for measure in measures_of(["conll"], "8.01")]
    ['coref.muc', 'coref.b3', 'coref.ceafe', 'coref.conll']
    """
    made: dict[str, Measure] = {}
    for metric in metrics:
        for name in (*AVERAGES.get(metric, ()), metric):
            for measure in _measures(name, rule):
                made.setdefault(measure.name, measure)
    known = UD_METRICS if rule == "corefud" else METRICS
    order = [f"coref.{name}" for metric in known for name in (metric, f"{metric}.coref", f"{metric}.noncoref")]
    return sorted(made.values(), key=lambda measure: order.index(measure.name))


def _measures(metric: str, rule: Rule) -> list[Measure]:
    name = f"coref.{metric}"
    if metric in AVERAGES:
        return [Combined(name, "f1", "mean", tuple((f"coref.{each}", "f1") for each in AVERAGES[metric]))]
    if metric == "blanc":
        columns = [_columns(each) for each in (f"{name}.coref", f"{name}.noncoref", "coref.mentions")]
        whole = Blanc(name, columns[0], columns[1], columns[2], rule)
        return [whole, _prf(f"{name}.coref"), _prf(f"{name}.noncoref")]
    return [_prf(name, UD_NAMES if rule == "corefud" else NAMES)]


def _prf(name: str, known: Mapping[str, tuple[str, ...]] = NAMES) -> Prf:
    matched, system, gold = _columns(name)
    found = f"{name}:found" if "found" in known[name] else matched
    return Prf(name, (matched, system), (found, gold), parts=PARTS)


def _columns(name: str) -> tuple[str, str, str]:
    return f"{name}:matched", f"{name}:system", f"{name}:gold"
