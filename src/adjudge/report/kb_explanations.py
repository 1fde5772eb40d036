"""Explanations of knowledge-base scores as text, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from adjudge.report.tables import Table, csv_rows, escape_markdown, markdown_table, text_table
from adjudge.stats.text import clean
from adjudge.tasks.kbp.explain import Example, Explanation, Waterfall
from adjudge.tasks.kbp.reasons import FATES, REASONS, Fate

if TYPE_CHECKING:
    from adjudge.tasks.kbp.explain import Sample

COLUMNS = ("system", "metric", "hop", "side", "step", "paths", "share", "sampled")
SIDES: dict[Fate, tuple[str, str]] = {"missed": ("gold paths", "found"), "wrong": ("system paths", "right")}
"""How each waterfall begins and ends."""


def render_explanations(found: Sequence[Explanation], format_: str = "text", *, quiet: bool = False) -> str:
    """Waterfalls and examples; CSV has the waterfalls only, one row for each step.

    >>> fall = Waterfall("kbp.hop1", 1, 2, 1, 1, (), (), ())
    >>> print(render_explanations([Explanation("A", (fall,))], "csv"), end="")
    system,metric,hop,side,step,paths,share,sampled
    A,kbp.hop1,1,gold,gold paths,2,1.0,false
    A,kbp.hop1,1,gold,found,1,0.5,false
    A,kbp.hop1,1,system,system paths,1,1.0,false
    A,kbp.hop1,1,system,right,1,1.0,false
    """
    if format_ == "json":
        import json

        return json.dumps({"systems": [as_record(each) for each in found]}, indent=2, ensure_ascii=False) + "\n"
    if format_ == "csv":
        return csv_rows([row for each in found for row in _rows(each)], COLUMNS)
    lines: list[str] = []
    for each in found:
        lines += _written(each, md=format_ == "md", quiet=quiet)
    return "\n".join(lines).rstrip("\n") + "\n"


def steps(fall: Waterfall, fate: Fate) -> list[tuple[str, int]]:
    """The steps of a waterfall with their numbers of paths: all, those lost at each step, and those that are left.

    >>> steps(Waterfall("kbp.hop1", 1, 2, 1, 1, (), (), ()), "missed")
    [('gold paths', 2), ('found', 1)]
    """
    first, last = SIDES[fate]
    return [
        (first, fall.gold if fate == "missed" else fall.system),
        *((REASONS[loss.reason].label, loss.paths) for loss in fall.losses(fate)),
        (last, fall.both),
    ]


def sample_text(sample: Sample) -> str:
    """What was looked at, if not everything.

    >>> from adjudge.tasks.kbp.explain import Sample
    >>> sample_text(Sample(20, 3000, 1, 13))
    'a sample: the paths from 20 of 3,000 first entities, drawn with seed 13; 1 with too many paths left aside'
    """
    aside = f"; {sample.too_large:,} with too many paths left aside" if sample.too_large else ""
    return (
        f"a sample: the paths from {sample.drawn:,} of {sample.all:,} first entities, "
        f"drawn with seed {sample.seed}{aside}"
    )


def path_text(example: Example) -> str:
    """A path on one line, with a cross before the fact that broke."""
    parts = [example.facts[0].subject]
    for place, fact in enumerate(example.facts, 1):
        cross = "✗ " if place == example.broken and not fact.matched else ""
        parts.append(f"—{cross}{fact.relation}→ {fact.object}")
    return " ".join(parts)


def as_record(found: Explanation) -> dict[str, Any]:
    """An explanation as plain data."""
    return {"system": found.system, "hops": [_fall_record(fall) for fall in found.waterfalls]}


def _fall_record(fall: Waterfall) -> dict[str, Any]:
    return {
        "metric": fall.metric,
        "hop": fall.hop,
        "gold": fall.gold,
        "system": fall.system,
        "both": fall.both,
        **{
            fate: [{"reason": loss.reason, "paths": loss.paths, "at": list(loss.at)} for loss in fall.losses(fate)]
            for fate in FATES
        },
        "sample": None if fall.sample is None else fall.sample._asdict(),
        "examples": [_example_record(example) for example in fall.examples],
    }


def _example_record(example: Example) -> dict[str, Any]:
    facts = [
        {
            "subject": fact.subject,
            "relation": fact.relation,
            "object": fact.object,
            "matched": fact.matched,
            "documents": list(fact.documents),
            "evidence": [{"document": document, "text": text} for document, text in fact.evidence],
        }
        for fact in example.facts
    ]
    return {**example._asdict(), "facts": facts}


def _rows(found: Explanation) -> Iterator[dict[str, Any]]:
    for fall in found.waterfalls:
        for fate in FATES:
            listed = steps(fall, fate)
            for step, paths in listed:
                yield {
                    "system": found.system,
                    "metric": fall.metric,
                    "hop": fall.hop,
                    "side": "gold" if fate == "missed" else "system",
                    "step": step,
                    "paths": paths,
                    "share": paths / listed[0][1] if listed[0][1] else None,
                    "sampled": fall.sample is not None,
                }


def _written(found: Explanation, *, md: bool, quiet: bool) -> list[str]:
    layout = markdown_table if md else text_table
    lines = [f"## {escape_markdown(found.system)}" if md else clean(found.system), ""]
    for fate in FATES:
        lines += [layout(_table(found, fate)), ""]
    for fall in found.waterfalls:
        if fall.sample is not None:
            text = f"{fall.metric} is counted in {sample_text(fall.sample)}"
            lines += [text, ""]
    if quiet:
        return lines
    for fall in found.waterfalls:
        for fate in FATES:
            for reason, meaning in REASONS.items():
                examples = [each for each in fall.examples if (each.fate, each.reason) == (fate, reason)]
                if examples:
                    text = f"{fall.metric}, {fate}: {meaning.label} ({getattr(meaning, fate)})"
                    lines += [f"### {escape_markdown(text)}" if md else text, ""]
                    lines += [line for each in examples for line in _example_lines(each, md=md)]
                    lines.append("")
    return lines


def _table(found: Explanation, fate: Fate) -> Table:
    """One waterfall per column; a step that no column has is no row."""
    first, last = SIDES[fate]
    columns = [dict(steps(fall, fate)) for fall in found.waterfalls]
    labels = [meaning.label for meaning in REASONS.values() if any(meaning.label in column for column in columns)]
    rows = []
    for label in (first, *labels, last):
        sign = "" if label == first else "= " if label == last else "- "
        cells = []
        for column in columns:
            number, whole = column.get(label, 0), column[first]
            share = f"{100 * number / whole:.1f} %" if whole else ""
            cells += [f"{number:,}", "" if label == first else share]
        rows.append((f"{sign}{label}", *cells))
    heads = [head for fall in found.waterfalls for head in (fall.metric, "")]
    return Table(("", *heads), tuple(rows), frozenset(range(1, 1 + len(heads))))


def _example_lines(example: Example, *, md: bool) -> Iterator[str]:
    def shown(text: str) -> str:
        return escape_markdown(text) if md else clean(text)

    many = f", {example.paths:,} paths break here" if example.paths > 1 else ""
    yield f"{'- ' if md else '  '}{shown(path_text(example))}"
    yield f"    {shown(example.detail)}{many}"
    for fact in example.facts:
        for document, text in fact.evidence[:1]:
            if text:
                yield f"    {shown(document)}: {shown(' '.join(text.split()))}"
        if not fact.evidence and fact.documents:
            yield f"    {shown(fact.relation)} in {shown(', '.join(fact.documents[:3]))}"
