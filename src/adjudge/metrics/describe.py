"""The definition of a metric in words and indented lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from adjudge.algebra import ir

if TYPE_CHECKING:
    from adjudge.metrics.base import Metric
    from adjudge.metrics.derived import Combined


_UNDEFINED = {"None": "undefined", "both": "1 if both sides are empty, else 0"}


def definition(metric: Metric) -> str:
    """Name, formula, what is reported, conventions and laws.

    >>> from adjudge.metrics import find
    >>> print(find("relation.boundary").definition())
    relation.boundary: F1 of relations whose type, subject and object are right, whatever the types of the arguments.
    reports precision, recall, f1; documents pooled (micro)
    document
      relations: set, matched 1:1 (duplicates: set, empty: 0)
        each
          type: equal
          subject
            start: equal
            end: equal
          object
            start: equal
            end: equal
    0/0 is 0
    promises self, order, rename, swap, bounded, pooled
    """
    lines = [f"{metric.name}: {metric.about}" if metric.about else metric.name]
    how = "pooled (micro)" if metric.pool == "micro" else "averaged (macro)"
    how = "taken together as one" if metric.clustered is not None else how
    lines.append(f"reports {', '.join(metric.parts)}; documents {how}")
    if metric.recall is None:
        lines += _lines(metric.precision, "document", 0)
    else:
        lines += _lines(metric.precision, "precision, of documents", 0)
        lines += _lines(metric.recall, "recall, of documents", 0)
    value = metric.conventions.undefined
    lines.append(f"0/0 is {_UNDEFINED.get(str(value), value)}")
    if metric.laws:
        lines.append(f"promises {', '.join(metric.laws)}")
    return "\n".join(lines)


def metric_html(metric: Metric | Combined) -> str:
    """The definition and, of a metric of the catalogue, an example, for notebooks."""
    from adjudge.metrics.registry import catalogue
    from adjudge.stats.notebook import text_html

    known = {each.name: each for each in catalogue(metric.name.partition(".")[0])}
    example = known[metric.name].example if metric.origin is not None and metric.name in known else None
    shown = [] if example is None else [f"example\n{msgspec.json.encode(example).decode()}"]
    return text_html(metric.definition(), *shown)


def combined_definition(metric: Combined) -> str:
    """The combination, then its members."""
    parts = ", ".join(f"{member.name}.{part}" for member, part in metric.of)
    head = f"{metric.name}: {metric.about}" if metric.about else metric.name
    how = "a row for each field" if metric.op is None else f"{metric.op} of {parts}"
    return "\n\n".join([f"{head}\n{how}", *(definition(member) for member in metric.members)])


def _lines(node: ir.Similarity, label: str, depth: int) -> list[str]:
    pad = "  " * depth
    said = _said(node)
    lines = [f"{pad}{label}: {said}" if said else f"{pad}{label}"]
    if isinstance(node, ir.Record | ir.Sum):
        for name, inner in node.fields.items():
            lines += _lines(inner, name, depth + 1)
    elif isinstance(node, ir.Union):
        for number, case in enumerate(node.cases, 1):
            lines += _lines(case.of, f"case {case.name or case.type or number}", depth + 1)
    elif isinstance(node, ir.Max):
        for number, inner in enumerate(node.of, 1):
            lines += _lines(inner, f"alternative {number}", depth + 1)
    elif isinstance(node, ir.Normalise) and node.recall is not None:
        lines += _lines(node.of, "precision from", depth + 1) + _lines(node.recall, "recall from", depth + 1)
    elif hasattr(node, "of"):
        each = isinstance(node, ir.Set | ir.Greedy | ir.Sequence | ir.Graph | ir.Overlap)
        lines += _lines(node.of, "each" if each else "of", depth + 1)
    return lines


def _said(node: ir.Similarity) -> str:
    match node:
        case ir.Exact():
            return "equal"
        case ir.Record():
            return ""
        case ir.Sum():
            return "sum of"
        case ir.Union():
            return "one of several cases"
        case ir.Mapped():
            names = [node.system or node.by, node.gold or node.by]
            shown = [name.name if name else "as is" for name in names]
            return f"after {shown[0]}" if shown[0] == shown[1] else f"after {shown[0]} (system), {shown[1]} (gold)"
        case ir.Threshold():
            sign = f"> {node.above:g}" if node.above is not None else f">= {node.at_least:g}"
            return f"{'kept' if node.keep else '1'} if {sign}"
        case ir.Max():
            return "the best of"
        case ir.Unit():
            return "counted as one"
        case ir.Hierarchy():
            return f"partial credit in a hierarchy of types ({node.credit})"
        case ir.Overlap():
            return f"overlap of two sets ({node.by})"
        case ir.Span():
            return f"overlap of two spans ({node.by})"
        case ir.Edit():
            return "closeness by edit distance"
        case ir.Number():
            return f"closeness of numbers, 0 from a difference of {node.scale:g}"
        case ir.Custom():
            return f"function {node.function.name}"
        case ir.Set():
            how = "one best pair" if node.match == "best" else f"matched {node.match}"
            return f"set, {how} (duplicates: {node.duplicates}, empty: {node.empty})"
        case ir.Greedy():
            return f"matched greedily by {node.order}, ties to the earlier {node.ties}"
        case ir.Sequence():
            return f"sequence, matched {node.match} in order"
        case ir.Graph():
            return f"graph, nodes matched {node.match} so that reachability agrees"
        case ir.Variable():
            return "variable"
        case ir.Latent():
            return "under the best matching of variables"
        case ir.Leaves():
            return "correct leaves, lists under their best alignment"
        case ir.Normalise():
            return f"F{node.beta:g}" if node.by == "f" else node.by
