"""The table: as text while it is made, as JSON for programs, as a page for the documentation."""

from __future__ import annotations

import json
import math
import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.house.measure import Cost
from benchmarks.house.peers import PACKAGES
from benchmarks.house.rows import MISSED, Line, Row, line_from_data

TITLES = {
    "algebra": "The algebra",
    "coref": "Coreference",
    "nugget": "Event nuggets",
    "eal": "Event arguments and linking",
    "kbp": "Knowledge bases",
    "amr": "Graphs of meaning (Smatch)",
    "published": "Published scorers, in their own modes",
    "records": "Records",
    "engine": "Processes, clusters, and a million documents",
}

# Lines are as long as those of the other pages.
_INTRODUCTION = (
    "# Benchmarks\n\n"
    "Written by `make bench-docs` ([how it is measured](../benchmarks/README.md)); do not edit.\n\n"
    "adjudge {version}, {date}, {machine}. Load of the machine when it began: {load}.\n\n"
    "Both sides of a row ran in turns on the same files. Ratios are of CPU time (user and system) of whole processes, "
    "start-up and reading included, unless the row says otherwise;\nthey carry over to other machines better than "
    "seconds do. Memory is the peak of a process. Growth is the exponent of a power of the size, fitted by least "
    "squares to logarithms,\nwith its standard error. Packages: {packages}. Programs that no registry has come from "
    "the folder that was given. A bench may have been measured twice, whether its bars were met or missed; the second "
    "measurement counts, and the row also shows the first.\n\n"
    "{summary}\n"
)


def machine() -> dict[str, Any]:
    """The kind of machine: nothing that would tell which one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "cores": cores,
        "system": platform.system(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
    }


def show_number(value: float) -> str:
    """Three digits that matter.

    >>> [show_number(each) for each in (7219.4, 45.68, 1.104, 0.0349, 0.0)]
    ['7,219', '45.7', '1.10', '0.035', '0']
    """
    if not value or not math.isfinite(value):
        return f"{value:g}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.3f}"


def show_value(line: Line) -> str:
    """The value, with what is known of its error."""
    if line.found.value is None:
        return "-"
    text = show_number(line.found.value)
    if line.found.least:
        text = f"> {text}"
    if line.found.fit is not None and math.isfinite(line.found.fit.error):
        text += f" ± {show_number(line.found.fit.error)}"
    return text


def show_bar(row: Row) -> str:
    """At least, or at most, so much.

    >>> show_bar(Row("cpu", "", "times", 1000)), show_bar(Row("growth", "", "", 1.3, at_least=False))
    ('≥ 1,000', '≤ 1.3')
    """
    return "" if row.bar is None else f"{'≥' if row.at_least else '≤'} {row.bar:,g}"


def show_verdict(line: Line) -> str:
    """The verdict, and why if there is none."""
    return f"{line.verdict}: {line.found.why}" if line.found.why else line.verdict


def show_cost(cost: Cost | None) -> str:
    """Seconds of CPU and megabytes.

    >>> show_cost(Cost(0.2512, 38.2))
    '0.25 s, 38 MB'
    """
    if cost is None:
        return ""
    return f"{show_number(cost.cpu)} s, {cost.megabytes:,.{0 if cost.megabytes >= 10 else 1}f} MB"


def text_line(line: Line) -> str:
    """One line for a terminal."""
    bar = f"  [{show_bar(line.row)}]" if line.row.bar is not None else ""
    return f"{line.bench}: {line.row.what}: {show_value(line)} {line.row.unit}{bar}  {show_verdict(line)}".rstrip()


def results(lines: Sequence[Line], **about: Any) -> dict[str, Any]:
    """Everything as JSON."""
    return {**about, "lines": [line.to_data() for line in lines]}


def save(data: dict[str, Any], path: Path) -> None:
    """Write JSON, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    fresh.replace(path)


def load_lines(data: dict[str, Any]) -> list[Line]:
    """The lines of saved results."""
    return [line_from_data(each) for each in data["lines"]]


def summary(lines: Iterable[Line]) -> str:
    """How many bars hold."""
    barred = [line for line in lines if line.row.bar is not None]
    counts: dict[str, int] = {}
    for line in barred:
        counts[line.verdict] = counts.get(line.verdict, 0) + 1
    said = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
    return f"{len(barred)} bars: {said}."


def missed(lines: Iterable[Line]) -> list[Line]:
    """Rows below their bars."""
    return [line for line in lines if line.verdict == MISSED]


def page(data: dict[str, Any]) -> str:
    """The page of the documentation."""
    lines, kind = load_lines(data), data["machine"]
    packages = ", ".join(each.replace("==", " ") for own in PACKAGES.values() for each in own if "==" in each)
    text = _INTRODUCTION.format(
        version=data["version"],
        date=data["date"],
        machine=f"{kind['cores']} cores, {kind['architecture']}, {kind['system']}, Python {kind['python']}",
        load=show_number(data["load"]),
        packages=packages,
        summary=summary(lines) + (" A quick run: smaller shapes." if data["quick"] else ""),
    )
    for part, title in TITLES.items():
        own = [line for line in lines if line.bench.split("/")[0] == part]
        if own:
            text += f"\n## {title}\n\n" + markdown(own)
    return text


def markdown(lines: Iterable[Line]) -> str:
    """Rows as a Markdown table."""
    rows = [("shape", "measured", "bar", "verdict", "adjudge", "other")]
    for line in lines:
        measured = f"{show_value(line)} {line.row.unit}" if line.found.value is not None else line.row.unit
        rows.append(
            (
                line.row.what,
                measured,
                show_bar(line.row),
                show_verdict(line),
                show_cost(line.found.ours),
                show_cost(line.found.theirs) + (f" ({line.found.note})" if line.found.note else ""),
            )
        )
    body = ["| " + " | ".join(cell.replace("|", "\\|").strip() for cell in row) + " |" for row in rows]
    return "\n".join([body[0], "|---" * len(rows[0]) + "|", *body[1:]]) + "\n"
