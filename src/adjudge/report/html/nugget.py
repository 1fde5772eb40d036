"""The page of event nuggets: gold and system side by side, what became of every nugget, and the clusters."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.evaluate.engine import Evaluation
from adjudge.model.nugget import COREFERENCE, Nugget, NuggetDocument, TokenTable
from adjudge.report.html.charts_plot import short
from adjudge.report.html.layout import layout, places
from adjudge.report.html.marks import Segment, in_utf16, segments
from adjudge.report.html.page import Entry, render_page, score_table
from adjudge.stats.result import Result
from adjudge.tasks.nugget.explanation import (
    KINDS,
    Outcomes,
    Pair,
    agreement,
    classify,
    cluster_members,
    compare_clusters,
)
from adjudge.tasks.nugget.settings import Settings
from adjudge.tasks.nugget.task import NuggetTask

LEGEND = (
    Entry("correct", "correct", "✓", "same place, type and realis"),
    Entry("partial", "partial span", "½", "type and realis are right, the places only overlap"),
    Entry("wrong-realis", "wrong realis", "R", "the type is right, the realis is not"),
    Entry("wrong-type", "wrong type", "T", "the realis is right, the type is not"),
    Entry("wrong-both", "wrong type and realis", "TR", "found, with neither the type nor the realis"),
    Entry("missed", "missed", "−", "a gold nugget that the system does not have"),
    Entry("spurious", "spurious", "+", "a system nugget that gold does not have"),
)
CHANGES = {
    "same": "the same",
    "changed": "members lost or gained",
    "split": "split",
    "merged": "merged",
    "mixed": "split and merged",
    "missed": "not found",
    "spurious": "not in gold",
}
STATIC = 20
"""Documents that can be read without a script."""
LONG = 400
"""Letters of a nugget that a table shows."""
EXAMPLES = 5
DEFAULT = Settings()


class Compared(NamedTuple):
    """A document: gold, what each system has (None if nothing), its mappings by name, and the text or tokens."""

    gold: NuggetDocument
    systems: Sequence[NuggetDocument | None]
    mappings: Sequence[Mapping[str, Sequence[Pair]]]
    text: str | None = None
    table: TokenTable | None = None


class _Values:
    """Numbers for texts that occur again and again."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, value: str) -> int:
        return self.numbers.setdefault(value, len(self.numbers))


def nugget_page(
    evaluation: Evaluation,
    *,
    texts: str | Path | None = None,
    text_suffix: str = ".txt",
    title: str = "Event nuggets",
) -> str:
    """What the scores of an evaluation that kept everything are made of: a whole HTML file.

    `texts` is the folder of the texts, `<document><text_suffix>`. Without a text a document is shown by its tokens,
    without tokens as a table of its nuggets.
    """
    folder = _folder(texts)
    task = evaluation.task
    assert isinstance(task, NuggetTask)
    nothing: dict[str, list[Pair]] = {name: [] for name in task.settings.mapped}
    documents, untold = [], []
    for details in zip(*(counted.details for counted in evaluation.systems.values()), strict=True):
        seen = [None if each is None else each.seen for each in details]
        first = next((each for each in seen if each is not None), None)
        if first is None:
            continue  # the program of 2015 has stopped
        ours = first.gold
        text = None if folder is None else _read_text(folder, ours.id, text_suffix)
        if folder is not None and text is None:
            untold.append(ours.id)
        documents.append(
            Compared(
                ours,
                [None if each is None else each.own for each in seen],
                [nothing if each is None else each.observed.mappings for each in seen],
                text,
                first.table,
            )
        )
    more = ", ..." if len(untold) > EXAMPLES else ""
    remarks = [f"no text for {len(untold)} of the documents ({', '.join(untold[:EXAMPLES])}{more})"] if untold else []
    return render_nuggets(evaluation.result(), documents, task.settings, title=title, remarks=remarks)


def _folder(path: str | Path | None) -> Path | None:
    if path is None:
        return None
    if not os.path.isdir(path):  # noqa: PTH112  # unlike Path.is_dir it never raises
        raise UsageError(Problem("there is no such folder", path=str(path), hint="name the folder with the texts"))
    return Path(path)


def _read_text(folder: Path, document: str, suffix: str) -> str | None:
    """The text of a document, None if there is none; as it stands, because places are counted in it."""
    from adjudge.formats.token_table import find_table

    path = find_table(folder, document, suffix=suffix)
    if path is None:
        return None
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        problem = Problem(f"not UTF-8, at byte {error.start}", path=str(path), hint="convert the text to UTF-8")
    except OSError as error:
        reason = error.strerror or str(error)
        problem = Problem(f"the text cannot be read: {reason}", path=str(path), hint="check its permissions")
    raise FormatError(problem)


def render_nuggets(
    result: Result,
    documents: Iterable[Compared],
    settings: Settings = DEFAULT,
    *,
    title: str = "Event nuggets",
    remarks: Sequence[str] = (),
) -> str:
    """The page of a result; `documents` have one entry for each system of the result, in its order."""
    from adjudge.stats.text import comparison_grid, footer_fields, note_lines

    names = [system.name for system in result.systems]
    types, realis = _Values(), _Values()
    counts: list[dict[str, int]] = [dict.fromkeys(KINDS, 0) for _ in names]
    shown: list[dict[str, Any]] = []
    static: list[dict[str, Any]] = []
    nuggets = 0
    for compared in documents:
        outcomes = [
            _outcomes(compared.gold, system, mappings, settings)
            for system, mappings in zip(compared.systems, compared.mappings, strict=True)
        ]
        for number, found in zip(counts, outcomes, strict=True):
            for each in found.gold:
                number[each.kind] += 1
            number["spurious"] += sum(each.kind == "spurious" for each in found.system)
        nuggets += len(compared.gold.nuggets)
        shown.append(_document(compared, outcomes, settings, types, realis))
        if len(static) < STATIC and outcomes:
            static.append(_static(compared, outcomes[0]))
    data = {
        "systems": names,
        "types": list(types.numbers),
        "realis": list(realis.numbers),
        "kinds": [{"key": each.key, "label": each.label, "sign": each.sign} for each in LEGEND],
        "changes": [{"key": key, "label": label} for key, label in CHANGES.items()],
        "documents": shown,
    }
    return render_page(
        "nugget.html.j2",
        title=title,
        data=data,
        styles=("charts.css", "browse.css", "nugget.css"),
        scripts=("browse.js", "nugget.js"),
        systems=names,
        documents=len(shown),
        nuggets=nuggets,
        table=score_table(result),
        comparisons=comparison_grid(result) if result.comparisons else None,
        legend=LEGEND,
        counts=[
            (name, [(entry, number[entry.key]) for entry in LEGEND]) for name, number in zip(names, counts, strict=True)
        ],
        static=static,
        fields=footer_fields(result),
        notes=[*remarks, *note_lines(result)],
    )


def _outcomes(
    gold: NuggetDocument, system: NuggetDocument | None, mappings: Mapping[str, Sequence[Pair]], settings: Settings
) -> Outcomes:
    agree = agreement(settings)
    theirs = () if system is None else system.nuggets
    return classify(gold.nuggets, theirs, mappings["span"], same_type=agree, same_realis=agree)


def _document(
    compared: Compared, outcomes: Sequence[Outcomes], settings: Settings, types: _Values, realis: _Values
) -> dict[str, Any]:
    """What the script needs of a document; lists instead of objects, because there are many of them."""
    found = layout(compared.gold, compared.text, compared.table)

    def text(nugget: Nugget) -> str:
        return nugget.text if found is None else short(nugget.text, LONG)  # all of it is in the text of the document

    def side(document: NuggetDocument) -> dict[str, Any]:
        home = {member: number for number, cluster in enumerate(cluster_members(document)) for member in cluster}
        where: dict[str, int] = {}
        for index, nugget in enumerate(document.nuggets):
            where.setdefault(nugget.id, index)
        marked = [] if found is None else segments(places(document.nuggets, found), len(found.text))
        return {
            "nuggets": [
                [nugget.id, types(nugget.type), realis(nugget.realis), text(nugget), home[index]]
                for index, nugget in enumerate(document.nuggets)
            ],
            "marks": [[b, e, *marks] for b, e, marks in in_utf16(found.text if found else "", marked)],
            "links": [
                [relation.name, *(where[argument] for argument in relation.arguments)]
                for relation in document.relations
                if relation.name != COREFERENCE and all(argument in where for argument in relation.arguments)
            ],
        }

    ours = cluster_members(compared.gold)
    systems = []
    for system, mappings, outcome in zip(compared.systems, compared.mappings, outcomes, strict=True):
        theirs = NuggetDocument(compared.gold.id) if system is None else system
        groups = compare_clusters(
            ours, cluster_members(theirs), mappings[settings.mapping], threshold=settings.threshold
        )
        systems.append(
            {
                **side(theirs),
                "absent": system is None,
                "gold": [_row(each.kind, each.partner, each.dice) for each in outcome.gold],
                "own": [_row(each.kind, each.partner, each.dice) for each in outcome.system],
                "groups": [[list(CHANGES).index(each.change), each.gold, each.system] for each in groups],
            }
        )
    return {
        "id": compared.gold.id,
        "text": None if found is None else found.text,
        "gold": side(compared.gold),
        "systems": systems,
    }


def _row(kind: str, partner: int | None, dice: float) -> list[int | float]:
    return [KINDS.index(kind), -1 if partner is None else partner, round(dice, 4)]


class StaticSide(NamedTuple):
    """A text in stretches, each with its marks: the class of the outcome and what is said of the nugget."""

    stretches: Sequence[tuple[str, Sequence[tuple[str, str]]]]
    rows: Sequence[tuple[str, str, str, str, str]]


def _static(compared: Compared, outcomes: Outcomes) -> dict[str, Any]:
    """A document with its first system, for readers without a script."""
    found = layout(compared.gold, compared.text, compared.table)
    sides = []
    for document, mine in ((compared.gold, outcomes.gold), (compared.systems[0], outcomes.system)):
        nuggets = () if document is None else document.nuggets
        labels = {entry.key: entry.label for entry in LEGEND}
        said = [
            (each.kind, f"{n.type}, {n.realis}: {labels[each.kind]}") for n, each in zip(nuggets, mine, strict=True)
        ]
        stretches = [] if found is None else _stretches(found.text, segments(places(nuggets, found), len(found.text)))
        sides.append(
            StaticSide(
                [(text, [said[mark] for mark in marks]) for text, marks in stretches],
                [
                    (n.id, n.text, n.type, n.realis, labels[each.kind])
                    for n, each in zip(nuggets, mine, strict=True)
                    if found is None
                ],
            )
        )
    return {"id": compared.gold.id, "sides": sides}


def _stretches(text: str, marked: Sequence[Segment]) -> list[tuple[str, tuple[int, ...]]]:
    """The whole text in stretches, with the marks of each."""
    found: list[tuple[str, tuple[int, ...]]] = []
    place = 0
    for begin, end, marks in marked:
        if place < begin:
            found.append((text[place:begin], ()))
        found.append((text[begin:end], marks))
        place = end
    return found + ([(text[place:], ())] if place < len(text) else [])
