"""What `nervaluate` 1.2.1 has, with its numbers, reports and messages.

    from adjudge.compat.nervaluate import Evaluator

The system's entities are matched greedily, in their order: with a free gold entity that has the same boundaries (and,
in scenario strict, the same type), else with the first free one that overlaps enough, which is then incorrect, or in
scenario partial half right. In scenario ent_type the free overlapping entity of the same type with the closest
boundaries is right. A gold entity that was taken is gone, even if a later entity would have been right with it. Ends
are inclusive, so that adjacent spans overlap; entities of types outside `tags` are dropped from both sides; the
threshold is a share of the gold span.

Two things differ: an empty first document is no error, and neither is an index in the report of indices for which the
system has no entity; it is then described as what it refers to. nervaluate looks up every index among all entities of
the system, those of types outside `tags` too, even if it is one of gold, or counts those of one type; so does this.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from adjudge.model.prf import precision_recall_f1
from adjudge.model.tags import OUTSIDE, Chunk, Step, Steps, decode_tags

__all__ = ["Evaluator", "collect_named_entities", "conll_to_spans", "list_to_spans", "split_list"]

Scenario: TypeAlias = Literal["strict", "partial", "ent_type", "exact"]
SCENARIOS: tuple[Scenario, ...] = ("strict", "partial", "ent_type", "exact")
OUTCOMES = ("correct", "incorrect", "partial", "missed", "spurious")
_MODES = ("overall", "entities")
_CSV = ("Correct", "Incorrect", "Partial", "Missed", "Spurious", "Precision", "Recall", "F1-Score")
_NOTHING = "No prediction info"  # what is said of all indices if one document is all, and the system has nothing in it
_COLOURS = dict(zip(OUTCOMES, (92, 91, 93, 95, 94), strict=True))


@dataclass
class EvaluationResult:
    """The outcomes of one scenario, and its scores."""

    correct: int = 0
    incorrect: int = 0
    partial: int = 0
    missed: int = 0
    spurious: int = 0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    actual: int = 0
    possible: int = 0

    @property
    def sums(self) -> tuple[float, float, float]:
        """The correct entities, partial ones counted by half, and the numbers of system and of gold entities."""
        both = self.correct + self.incorrect + self.partial
        return self.correct + 0.5 * self.partial, both + self.spurious, both + self.missed

    def scored(self) -> EvaluationResult:
        """The same with its scores."""
        right, actual, possible = self.sums
        self.actual, self.possible = int(actual), int(possible)
        scores = precision_recall_f1(right, self.actual, self.possible, undefined=0)
        self.precision, self.recall, self.f1 = scores
        return self


@dataclass
class EvaluationIndices:
    """The places (document, entity) behind each outcome: entities of the system, and of gold where they are missed."""

    correct_indices: list[tuple[int, int]] = field(default_factory=list)
    incorrect_indices: list[tuple[int, int]] = field(default_factory=list)
    partial_indices: list[tuple[int, int]] = field(default_factory=list)
    missed_indices: list[tuple[int, int]] = field(default_factory=list)
    spurious_indices: list[tuple[int, int]] = field(default_factory=list)

    def of(self, outcome: str) -> list[tuple[int, int]]:
        """Those of one outcome."""
        found: list[tuple[int, int]] = getattr(self, f"{outcome}_indices")
        return found


# ---------------------------------------------------------------------------------------------------------------------
# Matching


def match(
    scenario: Scenario, gold: Sequence[Chunk], system: Sequence[Chunk], least: float
) -> Iterator[tuple[str, int]]:
    """The outcome of every entity of the system, and then those of gold that are missed, each with its place.

    >>> list(match("exact", [("PER", 0, 2)], [("ORG", 0, 2), ("PER", 5, 6)], 1.0))
    [('correct', 0), ('spurious', 1)]
    """
    other = "partial" if scenario == "partial" else "incorrect"
    free = dict(enumerate(gold))
    for number, entity in enumerate(system):
        right, wrong = _counterparts(scenario, entity, free, least)
        taken = wrong if right is None else right
        yield "correct" if right is not None else other if wrong is not None else "spurious", number
        if taken is not None:
            del free[taken]
    for number in free:
        yield "missed", number


def _counterparts(
    scenario: Scenario, entity: Chunk, free: Mapping[int, Chunk], least: float
) -> tuple[int | None, int | None]:
    """The places of the free gold entity that makes the system's right, and of the first other one that overlaps."""
    kind, start, end = entity
    best = other = None
    closest = 0
    for place, (gold_kind, gold_start, gold_end) in free.items():
        if (
            scenario != "ent_type"
            and start == gold_start
            and end == gold_end
            and (scenario != "strict" or kind == gold_kind)
        ):
            return place, None
        shared = min(end, gold_end) - max(start, gold_start)
        if shared <= 0 or (shared / (gold_end - gold_start)) * 100.0 < least:
            continue
        if scenario == "ent_type" and kind == gold_kind:
            distance = abs(start - gold_start) + abs(end - gold_end)
            if best is None or distance < closest:
                best, closest = place, distance
        elif other is None:
            other = place
    return best, other


def tally(scenario: Scenario, gold: Sequence[Chunk], system: Sequence[Chunk], least: float) -> EvaluationResult:
    """The outcomes of one document.

    >>> tally("exact", [("PER", 0, 2)], [("ORG", 0, 2), ("PER", 5, 6)], 1.0).spurious
    1
    """
    if gold == system:
        return EvaluationResult(correct=len(gold))
    found = dict.fromkeys(OUTCOMES, 0)
    for outcome, _ in match(scenario, gold, system, least):
        found[outcome] += 1
    return EvaluationResult(**found)


def step(before: str, tag: str) -> Step:
    """An entity ends at O, at B- and where the type changes; anything but O starts one if none is open."""
    kind, other = before[2:], tag[2:]
    if before == OUTSIDE:
        return Step(ends=False, starts=tag != OUTSIDE, before="")
    done = tag == OUTSIDE or kind != other or tag[0] == "B"
    return Step(ends=done, starts=done and tag != OUTSIDE, before=kind)


# ---------------------------------------------------------------------------------------------------------------------
# Documents


class _Loaded(NamedTuple):
    documents: list[list[Chunk]]
    lengths: list[int] | None = None


def _from_tags(sentences: Any) -> _Loaded:
    steps = Steps(step)
    documents = []
    for tags in sentences:
        for tag in tags:
            if not isinstance(tag, str):
                raise ValueError(f"Invalid tag type: {type(tag)}")
        chunks = decode_tags(tags, steps)
        for _, start, _ in chunks:
            if tags[start][:2] not in ("B-", "I-"):
                raise ValueError(f"Invalid tag format: {tags[start]}")
        documents.append(chunks)
    return _Loaded(documents, list(map(len, sentences)))


def _from_conll(text: str) -> _Loaded:
    sentences: list[list[str]] = [[]]
    for line in text.strip().split("\n") if text.strip() else []:
        if not line.strip():
            sentences.append([])
        elif "\t" not in line:
            raise ValueError(f"Invalid CoNLL format: line '{line}' does not contain a tab separator")
        else:
            sentences[-1].append(line.split("\t")[1])
    return _Loaded(_from_tags([tags for tags in sentences if tags]).documents)


def _from_dicts(documents: Any) -> _Loaded:
    return _Loaded([_chunks_of(document) for document in documents])


def _chunks_of(document: Any) -> list[Chunk]:
    if not isinstance(document, list):
        raise ValueError("Each document must be a list of entity dictionaries")
    chunks = []
    for each in document:
        if not isinstance(each, dict):
            raise ValueError(f"Invalid entity type: {type(each)}")
        if not {"label", "start", "end"} <= each.keys():
            raise ValueError(f"Entity missing required keys: { {'label', 'start', 'end'} }")
        if not isinstance(each["start"], int) or not isinstance(each["end"], int):
            raise ValueError("Entity start and end must be integers")
        chunks.append((each["label"], each["start"], each["end"] + 1))
    return chunks


_LOADERS: dict[str, Callable[[Any], _Loaded]] = {"conll": _from_conll, "list": _from_tags, "dict": _from_dicts}


def _inferred(source: Any) -> str:
    if isinstance(source, str):
        return "conll"
    if isinstance(source, list) and source and all(isinstance(each, list) for each in source):
        first = next((each[0] for each in source if each), None)
        return "dict" if isinstance(first, dict) else "list"
    raise ValueError("Could not infer loader from input type")


# ---------------------------------------------------------------------------------------------------------------------
# The evaluator


class Evaluator:
    """Compares entities of gold and system in four scenarios, overall and by type.

    >>> tags = ["PER"]
    >>> Evaluator([["B-PER", "I-PER"]], [["B-PER", "O"]], tags=tags).evaluate()["overall"]["partial"].f1
    0.5
    """

    def __init__(
        self, true: Any, pred: Any, tags: Sequence[str], loader: str = "default", min_overlap_percentage: float = 1.0
    ) -> None:
        if not 1.0 <= min_overlap_percentage <= 100.0:
            raise ValueError("min_overlap_percentage must be between 1.0 and 100.0")
        if loader == "default":
            loader = _inferred(true)
        if loader not in _LOADERS:
            raise ValueError(f"Unknown loader: {loader}")
        self.tags, self._least = tags, min_overlap_percentage
        mine, theirs = _LOADERS[loader](true), _LOADERS[loader](pred)
        if len(mine.documents) != len(theirs.documents):
            raise ValueError("Number of predicted documents does not equal true")
        for number, (a, b) in enumerate(zip(mine.lengths or (), theirs.lengths or (), strict=True)):
            if a != b:
                raise ValueError(f"Document {number} has different lengths: true={a}, pred={b}")
        self._looked_up = theirs.documents
        kept = frozenset(tags)
        self._sides = [
            [[chunk for chunk in document if chunk[0] in kept] for document in side.documents]
            for side in (mine, theirs)
        ]

    def evaluate(self) -> dict[str, Any]:
        """Results and indices, overall and by type."""
        types = sorted({kind for side in self._sides for document in side for kind, _, _ in document})
        overall, indices = self._evaluated(None)
        by_type = {kind: self._evaluated(kind) for kind in types}
        return {
            "overall": overall,
            "entities": {kind: results for kind, (results, _) in by_type.items()},
            "overall_indices": indices,
            "entity_indices": {kind: found for kind, (_, found) in by_type.items()},
        }

    def _documents(self, kind: str | None) -> list[list[list[Chunk]]]:
        """Both sides, with the entities of one type alone if one is given."""
        if kind is None:
            return self._sides
        return [[[chunk for chunk in document if chunk[0] == kind] for document in side] for side in self._sides]

    def _evaluated(self, kind: str | None) -> tuple[dict[str, EvaluationResult], dict[str, EvaluationIndices]]:
        gold, system = self._documents(kind)
        results: dict[str, EvaluationResult] = {}
        indices: dict[str, EvaluationIndices] = {}
        for scenario in SCENARIOS if gold else ():
            places = indices[scenario] = EvaluationIndices()
            for number, (mine, theirs) in enumerate(zip(gold, system, strict=True)):
                if mine == theirs:
                    places.correct_indices += [(number, place) for place in range(len(mine))]
                    continue
                for outcome, place in match(scenario, mine, theirs, self._least):
                    places.of(outcome).append((number, place))
            results[scenario] = EvaluationResult(**{each: len(places.of(each)) for each in OUTCOMES}).scored()
        return results, indices

    def _rows(self, mode: str, scenario: str) -> dict[str, EvaluationResult]:
        _check("mode", mode, _MODES)
        found = self.evaluate()
        if mode == "overall":
            overall: dict[str, EvaluationResult] = found["overall"]
            return overall
        _check("scenario", scenario, SCENARIOS)
        return {kind: results[scenario] for kind, results in found["entities"].items()}

    def results_to_csv(
        self, mode: str = "overall", scenario: str = "strict", file_path: str | None = None
    ) -> str | None:
        """The results as a table, written to a file if one is given."""
        import csv

        text = io.StringIO()
        writer = csv.writer(text)
        rows = self._rows(mode, scenario)
        writer.writerow(("Strategy" if mode == "overall" else "Entity", *_CSV))
        for name, each in rows.items():
            writer.writerow(
                (name, *(getattr(each, outcome) for outcome in OUTCOMES), each.precision, each.recall, each.f1)
            )
        if file_path is None:
            return text.getvalue()
        with Path(file_path).open("w", newline="", encoding="utf-8") as file:
            file.write(text.getvalue())
        return None

    def summary_report(self, mode: str = "overall", scenario: str = "strict", digits: int = 2) -> str:
        """The results as nervaluate prints them."""
        rows = self._rows(mode, scenario)
        return report("all" if mode == "overall" else scenario, rows, digits)

    def summary_report_indices(self, mode: str = "overall", scenario: str = "strict", colors: bool = False) -> str:
        """Which entities are behind each outcome of a scenario."""
        _check("mode", mode, _MODES)
        _check("scenario", scenario, SCENARIOS)
        found = self.evaluate()
        if mode == "overall":
            head = f"\n{_bold('Indices for error schema', colors)} '{_painted(scenario, 96, colors)}':\n"
            return head + self._listed(found["overall_indices"].get(scenario), None, colors)
        return "".join(
            f"\n{_bold('Entity Type', colors)}: {_painted(kind, 96, colors)}\n"
            f"{_bold('Error Schema', colors)}: '{_painted(scenario, 96, colors)}'\n"
            + self._listed(each[scenario], kind, colors)
            for kind, each in found["entity_indices"].items()
        )

    def _listed(self, indices: EvaluationIndices | None, kind: str | None, colors: bool) -> str:
        lines = ["", _bold(f"{'Category':<20} {'Instance':<10} {'Entity':<8} {'Details':<25}", colors)]
        lines.append(_painted("-" * 78, 97, colors))
        gold, system = self._documents(kind)
        for outcome in OUTCOMES:
            name = f"{_painted(outcome.capitalize(), _COLOURS[outcome], colors):<20}"
            side = gold if outcome == "missed" else system
            places = [] if indices is None else indices.of(outcome)
            for document, place in places:
                looked_up = self._looked_up[document]  # as nervaluate does, whatever the index refers to
                label, start, end = (looked_up if place < len(looked_up) else side[document])[place]
                told = f"Label={label}, Start={start}, End={end - 1}"
                lines.append(f"{name} {document:<10} {place:<8} {told if self._looked_up != [[]] else _NOTHING}")
            if not places:
                lines.append(f"{name} {'-':<10} {'-':<8} {'None':<10}")
        return "\n".join(lines) + "\n"


def _check(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise ValueError(f"Invalid {what}: must be one of {set(known)}")


def _painted(text: str, colour: int, colors: bool) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if colors else text


def _bold(text: str, colors: bool) -> str:
    return _painted(text, 1, colors)


def report(name: str, rows: Mapping[str, EvaluationResult], digits: int = 2) -> str:
    """Outcomes and scores of each row, in the order of their names."""
    width = max(map(len, ["correct", *rows]))
    heads = (*OUTCOMES, "precision", "recall", "f1-score")
    lines = [f"Scenario: {name}", "", f"{'':>{width}} " + "".join(f" {head:>11}" for head in heads), ""]
    for row, each in sorted(rows.items()):
        numbers = "".join(f" {getattr(each, outcome):>11}" for outcome in OUTCOMES)
        scores = "".join(f" {score:>11.{digits}f}" for score in (each.precision, each.recall, each.f1))
        lines.append(f"{row:>{width}} {numbers}{scores}")
    return "".join(f"{line}\n" for line in lines)


# ---------------------------------------------------------------------------------------------------------------------
# The other functions of the package


def collect_named_entities(tokens: Sequence[str]) -> list[dict[str, Any]]:
    """The entities of a list of tags, with inclusive ends.

    >>> collect_named_entities(["B-PER", "I-PER", "O"])
    [{'label': 'PER', 'start': 0, 'end': 1}]
    """
    return [
        {"label": kind, "start": start, "end": end - 1} for kind, start, end in decode_tags(list(tokens), Steps(step))
    ]


def list_to_spans(doc: Sequence[Sequence[str]]) -> list[list[dict[str, Any]]]:
    """The entities of each list of tags."""
    return [collect_named_entities(tokens) for tokens in doc]


def conll_to_spans(doc: str) -> list[list[dict[str, Any]]]:
    """The entities of each sentence of a text with a token and a tag on each line."""
    sentences = split_list(doc.split("\n"))
    return list_to_spans([[line.split("\t")[1] for line in sentence] for sentence in sentences])


def split_list(token: Sequence[str], split_chars: Sequence[str] | None = None) -> list[list[str]]:
    """The parts of a list between separators, which are empty texts unless told otherwise.

    >>> split_list(["a", "b", "", "c"])
    [['a', 'b'], ['c']]
    """
    parts: list[list[str]] = [[]]
    for each in token:
        if each in (split_chars or ("",)):
            parts.append([])
        else:
            parts[-1].append(each)
    return [part for part in parts if part]
