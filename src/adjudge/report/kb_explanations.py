"""Explanations of knowledge-base scores as text, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from adjudge.report.tables import Table, csv_rows, escape_markdown, markdown_table, text_table
from adjudge.stats.text import clean
from adjudge.tasks.kbp.reasons import FATES, REASONS, Fate
from adjudge.tasks.kbp.waterfalls import SIDES, Explanation, Waterfall

COLUMNS = ("system", "metric", "hop", "side", "step", "paths", "share", "sampled")


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

        systems = [{"system": each.system, "hops": [_record(fall) for fall in each.waterfalls]} for each in found]
        return json.dumps({"systems": systems}, indent=2, ensure_ascii=False) + "\n"
    if format_ == "csv":
        return csv_rows([row for each in found for row in _rows(each)], COLUMNS)
    lines = [line for each in found for line in _written(each, md=format_ == "md", quiet=quiet)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _record(fall: Waterfall) -> dict[str, Any]:
    losses: dict[str, Any] = {
        fate: [{**loss._asdict(), "at": list(loss.at)} for loss in fall.losses(fate)] for fate in FATES
    }
    examples = [{**each._asdict(), "facts": [_fact_record(fact) for fact in each.facts]} for each in fall.examples]
    sample = None if fall.sample is None else fall.sample._asdict()
    return {**fall._asdict(), **losses, "sample": sample, "examples": examples}


def _fact_record(fact: Any) -> dict[str, Any]:
    evidence = [{"document": document, "text": text} for document, text in fact.evidence]
    return {**fact._asdict(), "documents": list(fact.documents), "evidence": evidence}


def _rows(found: Explanation) -> Iterator[dict[str, Any]]:
    for fall in found.waterfalls:
        for fate in FATES:
            listed = fall.steps(fate)
            for step, paths in listed:
                share = paths / listed[0][1] if listed[0][1] else None
                side = "gold" if fate == "missed" else "system"
                values = (found.system, fall.metric, fall.hop, side, step, paths, share, fall.sample is not None)
                yield dict(zip(COLUMNS, values, strict=True))


def _written(found: Explanation, *, md: bool, quiet: bool) -> Iterator[str]:
    def shown(text: str) -> str:
        return escape_markdown(text) if md else clean(text)

    yield from (f"{'## ' * md}{shown(found.system)}", "")
    for fate in FATES:
        yield from ((markdown_table if md else text_table)(_table(found, fate)), "")
    for fall in found.waterfalls:
        if fall.sample is not None:
            yield from (f"{fall.metric} is counted in {fall.sample}", "")
    for fall in found.waterfalls if not quiet else ():
        for fate in FATES:
            for reason, meaning in REASONS.items():
                examples = [each for each in fall.examples if (each.fate, each.reason) == (fate, reason)]
                if examples:
                    text = f"{fall.metric}, {fate}: {meaning.label} ({getattr(meaning, fate)})"
                    yield from (f"{'### ' * md}{shown(text)}", "")
                    for each in examples:
                        yield f"{'- ' if md else '  '}{shown(each.path)}"
                        yield f"    {shown(each.detail)}{each.many}"
                        yield from (f"    {shown(line)}" for line in each.texts)
                    yield ""


def _table(found: Explanation, fate: Fate) -> Table:
    """One waterfall per column; a step that no column has is not a row."""
    first, last = SIDES[fate]
    columns = [dict(fall.steps(fate)) for fall in found.waterfalls]
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
