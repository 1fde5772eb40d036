"""The output of the reference scorer 8.01 and of the CorefUD scorer, character for character, from our counts.

Documents are summed in the order of the key, from left to right (the reference scorer uses the random order of a
hash). Percentages are truncated after two digits, not rounded; numbers have 15 significant digits without trailing
zeros. The first line of the program, with its version and path, is left out.

The scorer of CorefUD (version 1.2, as of the CRAC shared tasks) prints percentages rounded to two digits, and the mean
of MUC, B3 and CEAFe if all three were asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from adjudge.errors import UsageError, did_you_mean
from adjudge.evaluate.engine import Evaluation
from adjudge.model.coref import Chain, Mention
from adjudge.model.prf import precision_recall_f1
from adjudge.tasks.coref.counts import COLUMNS, UD_COLUMNS
from adjudge.tasks.coref.observe import Compared
from adjudge.tasks.coref.settings import Settings

METRICS = {
    "muc": "coref.muc",
    "bcub": "coref.b3",
    "ceafm": "coref.ceafm",
    "ceafe": "coref.ceafe",
    "blanc": "coref.blanc",
}
UD_METRICS = {
    **{name: METRICS[name] for name in ("muc", "bcub", "ceafe", "ceafm", "blanc")},
    "lea": "coref.lea",
    "mor": "coref.mor",
    "zero": "coref.zero",
}
_MEAN = ("muc", "bcub", "ceafe")
_RULE = "-" * 74
_PLACE = {name: place for place, name in enumerate(COLUMNS)}


def chosen_compat(names: str | None, program: str = "conll-8.01") -> tuple[str, ...]:
    """The metrics to print, by the names of the program.

    >>> chosen_compat("muc,b3"), chosen_compat("all") == tuple(METRICS)
    (('muc', 'bcub'), True)
    """
    known, what = (METRICS, "reference scorer") if program == "conll-8.01" else (UD_METRICS, "scorer of CorefUD")
    found = []
    for text in (names or "all").split(","):
        name = text.strip().lower().removeprefix("coref.").replace("b3", "bcub")
        if name == "all":
            return tuple(known)
        if name not in known:
            hint = did_you_mean(name, known) or f"it has {', '.join(known)} and all"
            raise UsageError(f"the {what} has no metric {text.strip()!r}", hint=hint)
        found.append(name)
    return tuple(found)


def corefud_output(evaluation: Evaluation, metrics: Sequence[str], settings: Settings) -> str:
    """What the scorer of CorefUD prints for the first response."""
    counted = next(iter(evaluation.systems.values()))
    totals = dict(zip(UD_COLUMNS, added(counted.rows(len(UD_COLUMNS)), len(UD_COLUMNS)), strict=True))
    singletons = ", singletons" if settings.singletons == "keep" else ""
    match = "partial-corefud" if settings.match == "partial" else settings.match
    lines = [
        f"The scorer is evaluating coreferential mentions{singletons}, zeros (using {settings.zeros} match method) "
        f"using {match} match evaluation setting.",
        f"The following metrics will be evaluated: {', '.join(metrics)}",
        "",
    ]
    means = 0.0
    for metric in metrics:
        recall, precision, f1 = _corefud_scores(totals, metric)
        means += f1 if metric in _MEAN else 0.0
        lines += [metric, f"Recall: {recall * 100:.2f}  Precision: {precision * 100:.2f}  F1: {f1 * 100:.2f}"]
    if sum(metric in _MEAN for metric in metrics) == len(_MEAN):
        lines.append(f"CoNLL score: {means / 3 * 100:.2f}")
    return "\n".join(lines) + "\n"


def _corefud_scores(totals: Mapping[str, float], metric: str) -> tuple[float, float, float]:
    name = UD_METRICS[metric]
    if metric != "blanc":
        matched, system, gold = (totals[f"{name}:{column}"] for column in ("matched", "system", "gold"))
        return _from_ratios(totals.get(f"{name}:found", matched), gold, matched, system)
    kinds = []
    for kind in ("coref", "noncoref"):
        matched, system, gold = (totals[f"{name}.{kind}:{column}"] for column in ("matched", "system", "gold"))
        if system or gold:
            kinds.append(_from_ratios(matched, gold, matched, system))
    if not kinds:
        return 0.0, 0.0, 0.0
    recall, precision, f1 = (sum(each) / len(kinds) for each in zip(*kinds, strict=True))
    return recall, precision, f1


def _from_ratios(found: float, gold: float, matched: float, system: float) -> tuple[float, float, float]:
    p, r, f1 = precision_recall_f1(matched, system, gold, found)
    return r, p, f1


def reference_output(
    evaluation: Evaluation, metrics: Sequence[str], *, documents: bool = False, titles: bool = True
) -> str:
    """What the reference scorer prints for the first response; with `documents`, also the block of each document."""
    counted = next(iter(evaluation.systems.values()))
    compared: list[Compared] = counted.details
    lines: list[str] = []
    for metric in metrics:
        if titles:
            lines += ["", f"METRIC {metric}:"]
        for identifier, each in zip(evaluation.ids, compared, strict=True):
            if documents:
                lines += _chains(identifier, each.key)
                lines += _chains(identifier if identifier in counted.side.documents else "", each.read)
                lines.append(":" if metric == "blanc" else f"{identifier}:")
            lines += _repeats(each)
            if documents:
                lines += _counters(each)
                if metric != "blanc":
                    lines += result_line(*_numbers(each.counts, METRICS[metric]))
        lines += _totals(added([each.counts for each in compared]), metric)
    return "\n".join(lines) + "\n"


def added(rows: Iterable[Sequence[float]], width: int = len(COLUMNS)) -> list[float]:
    """The sum of every column, document by document from left to right."""
    totals: list[float] = [0] * width
    for row in rows:
        totals = [total + value for total, value in zip(totals, row, strict=True)]
    return totals


def result_line(found: float, gold: float, matched: float, system: float, f1: float | None = None) -> list[str]:
    """Recall, precision and F1 as the reference scorer prints them, with the line below them.

    >>> result_line(5, 9, 5, 16)[0].split(chr(9))
    ['Recall: (5 / 9) 55.55%', 'Precision: (5 / 16) 31.25%', 'F1: 39.99%']
    """
    precision, recall, own = precision_recall_f1(matched, system, gold, found)
    parts = (
        f"Recall: ({_written(found)} / {_written(gold)}) {_percent(recall)}",
        f"Precision: ({_written(matched)} / {_written(system)}) {_percent(precision)}",
        f"F1: {_percent(own if f1 is None else f1)}",
    )
    return ["\t".join(parts), _RULE]


def _written(number: float) -> str:
    return f"{number:.15g}"


def _percent(fraction: float) -> str:
    return f"{int(fraction * 10000) / 100:.15g}%"


def _numbers(counts: Sequence[float], metric: str) -> tuple[float, float, float, float]:
    """Recall's and precision's numerators and denominators."""
    matched, system, gold = (counts[_PLACE[f"{metric}:{name}"]] for name in ("matched", "system", "gold"))
    place = _PLACE.get(f"{metric}:found")
    return matched if place is None else counts[place], gold, matched, system


def _totals(counts: Sequence[float], metric: str) -> Iterator[str]:
    yield from ("", "====== TOTALS =======")
    yield from _titled("Identification of Mentions: ", result_line(*_numbers(counts, "coref.mentions")))
    if metric != "blanc":
        yield from _titled("Coreference: ", result_line(*_numbers(counts, METRICS[metric])))
        return
    coref, noncoref = (_numbers(counts, f"coref.blanc.{kind}") for kind in ("coref", "noncoref"))
    yield from ("", "Coreference:")
    yield from _titled("Coreference links: ", result_line(*coref))
    yield from _titled("Non-coreference links: ", result_line(*noncoref))
    recall, precision, f1 = _blanc(coref, noncoref)
    yield from _titled("BLANC: ", result_line(recall, 1, precision, 1, f1))


def _titled(title: str, lines: list[str]) -> list[str]:
    return [title + lines[0], *lines[1:]]


def _blanc(*kinds: tuple[float, float, float, float]) -> tuple[float, float, float]:
    """The means over the kinds of links in the key."""
    present = []
    for found, gold, matched, system in kinds:
        if gold:
            present.append(_from_ratios(found, gold, matched, system))
    if len(present) == 2:
        (r, p, f), (other_r, other_p, other_f) = present
        return (r + other_r) / 2, (p + other_p) / 2, (f + other_f) / 2
    return present[0] if present else (0, 0, 0)


def _chains(name: str, chains: Sequence[Chain]) -> list[str]:
    lines = [f"====> {name}:", f"File {name}:"]
    for number, chain in enumerate(chains):
        lines.append(f"Entity {number}:" + "".join(f" ({first},{last})" for first, last in _spans(chain)))
    return lines


def _spans(chain: Chain) -> Iterator[tuple[float, float]]:
    for mention in chain.mentions:
        yield mention[0], mention[-1]


def _repeats(each: Compared) -> Iterator[str]:
    """A line for every repeated mention, with the reference scorer's numbers of mentions."""
    if not (each.key_repeats or each.response_repeats):
        return
    numbers: dict[Mention, int] = {}
    number = 0
    for chain in each.key:
        for mention in chain.mentions:
            if mention in numbers:
                yield f"Repeated mention in the key: {_bounds(mention)} {numbers[mention]}{number}"
            numbers[mention] = number
            number += 1
    for repeat in each.response_repeats:
        if repeat.removed:
            its = numbers[repeat.mention]
            yield f"Repeated mention in the response: {_bounds(repeat.mention)} {its}{its}"


def _bounds(mention: Mention) -> str:
    return f"{mention[0]}, {mention[-1]}"


def _counters(each: Compared) -> list[str]:
    matched, system, gold = (
        int(each.counts[_PLACE[f"coref.mentions:{name}"]]) for name in ("matched", "system", "gold")
    )
    copies = sum(len(chain.mentions) for chain in each.key) - gold
    return [
        f"Total key mentions: {gold}",
        f"Total response mentions: {system}",
        f"Strictly correct identified mentions: {matched}",
        "Partially correct identified mentions: 0",
        f"No identified: {gold - matched}",
        f"Invented: {copies + system - matched}",
    ]
