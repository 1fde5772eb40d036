"""Relations as DyGIE++ counts them for SciERC: directed, by their spans, at most one label for an ordered pair.

Departures from `relation.boundary`: of several labels of one pair of spans, the last one counts and no other, on both
sides. The program has no text report; its three numbers are printed as JSON.
"""

from __future__ import annotations

import json
from typing import Any

from adjudge.errors import Problem, ValidationError, did_you_mean
from adjudge.formats.dygie import read_dygie, read_dygie_output
from adjudge.stats.measure import Prf
from adjudge.tasks.catalogue.family import Published

MEASURE = Prf("relation.dygie", ("matched", "system"), ("matched", "gold"))


def run(gold: Any, system: Any) -> Published:
    """Count one system; a document that it lacks has no relations."""
    gold_side, system_side = read_dygie(gold), read_dygie_output(system)
    known = {document.id for document in gold_side.documents}
    unknown = [each for each in system_side.documents if each.id not in known]
    if unknown:
        raise ValidationError(
            [
                Problem(
                    f"the document {each.id!r} is not in the gold documents",
                    path=system_side.path,
                    line=each.line,
                    hint=did_you_mean(each.id, known) or "remove it, or add it to the gold documents",
                )
                for each in unknown[:100]
            ]
        )
    answers = {document.id: document.data for document in system_side.documents}
    rows = []
    for document in gold_side.documents:
        right, found = _labels(document.data), _labels(answers.get(document.id, {"relations": []}))
        matched = sum(right.get(pair) == label for pair, label in found.items())
        rows.append((document.id, {"matched": float(matched), "system": float(len(found)), "gold": float(len(right))}))
    matched, predicted, total = (int(sum(row[name] for _, row in rows)) for name in ("matched", "system", "gold"))
    precision, recall = _ratio(matched, predicted), _ratio(matched, total)
    f1 = _ratio(2 * precision * recall, precision + recall)
    text = json.dumps({"precision": precision, "recall": recall, "f1": f1}) + "\n"
    return Published(rows, (MEASURE,), text)


def _labels(data: dict[str, Any]) -> dict[tuple[int, ...], str]:
    return {
        (each["subject"]["start"], each["subject"]["end"], each["object"]["start"], each["object"]["end"]): each["type"]
        for each in data["relations"]
    }


def _ratio(above: float, below: float) -> float:
    return above / below if below > 0 else 0
