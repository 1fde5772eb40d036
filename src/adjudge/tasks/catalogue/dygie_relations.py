"""Relations as DyGIE++ counts them for SciERC: directed, by their spans, at most one label for an ordered pair.

Departures from `relation.boundary`: of several labels of one pair of spans, the last one counts and no other, on both
sides. The program has no text report; its three numbers are printed as JSON.
"""

from __future__ import annotations

import json
from typing import Any

from adjudge.formats.dygie import read_dygie, read_dygie_output
from adjudge.stats.measure import Prf
from adjudge.tasks.catalogue.family import Published
from adjudge.tasks.catalogue.paired import paired, summed, three

MEASURE = Prf("relation.dygie", ("matched", "system"), ("matched", "gold"))


def run(gold: Any, system: Any) -> Published:
    """Count one system; a document that it lacks has no relations."""
    rows = []
    for identifier, gold_data, system_data in paired(read_dygie(gold), read_dygie_output(system), {"relations": []}):
        right, found = _labels(gold_data), _labels(system_data)
        matched = sum(right.get(pair) == label for pair, label in found.items())
        rows.append((identifier, {"matched": float(matched), "system": float(len(found)), "gold": float(len(right))}))
    precision, recall, f1 = three(*summed(rows, ("matched", "system", "gold")).values())
    text = json.dumps({"precision": precision, "recall": recall, "f1": f1}) + "\n"
    return Published(rows, (MEASURE,), text)


def _labels(data: dict[str, Any]) -> dict[tuple[int, ...], str]:
    return {
        (each["subject"]["start"], each["subject"]["end"], each["object"]["start"], each["object"]["end"]): each["type"]
        for each in data["relations"]
    }
