"""The score of the CRAC shared tasks: the unweighted mean of the CoNLL scores of a folder of datasets.

A file is a dataset, named by the part of its name before `-corefud-`; the part before the underscore is its language.
Documents are drawn within datasets, so that every resampled corpus contains all datasets.
"""

from __future__ import annotations

import hashlib
import os
import re
from array import array
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from adjudge.bounded import PACKED
from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, ValidationError
from adjudge.evaluate.engine import Evaluation
from adjudge.evaluate.task import Reported, Row, Side
from adjudge.findings import raise_problems, read_files
from adjudge.formats.corefud import read_corefud
from adjudge.model.document import CorpusNote
from adjudge.tasks.coref.corefud import compare_corefud
from adjudge.tasks.coref.counts import UD_COLUMNS
from adjudge.tasks.coref.settings import AVERAGES, Settings, settings
from adjudge.tasks.coref.ud_task import CorefUDTask, fitted, read_text_onto

if TYPE_CHECKING:
    from adjudge.model.coref import CorefCorpus, UdDocument
    from adjudge.stats.measure import Measure
    from adjudge.stats.result import Result
    from adjudge.stats.scores import Drawing

FIELDS = ("dataset", "language")
CONLLU, TEXTS = (".conllu", *(f".conllu{each}" for each in PACKED)), (".txt", ".json")
USUAL = settings("corefud")
OTHERS = {
    "partial": settings("corefud", match="partial"),
    "exact": settings("corefud", match="exact"),
    "singletons": settings("corefud", singletons="keep"),
}
"""The other three columns of the shared task's tables, besides head match without singletons."""
_COUNTED = tuple(name for name in UD_COLUMNS if name.partition(":")[0].removeprefix("coref.") in AVERAGES["conll"])
_PLACES = tuple(map(UD_COLUMNS.index, _COUNTED))


def is_folder(source: Any) -> bool:
    """Whether a source is a folder, which stands for several datasets."""
    return isinstance(source, str | os.PathLike) and os.path.isdir(source)  # noqa: PTH112


def find_datasets(folder: str | os.PathLike[str], *kinds: tuple[str, ...]) -> dict[str, Path]:
    """The files of a folder and of the folders in it, by the names of their datasets.

    >>> find_datasets("no/such/folder")
    Traceback (most recent call last):
    adjudge.errors.UsageError: no/such/folder: there is no file of CorefUD in it, they end in .conllu
    """
    found: dict[str, Path] = {}
    problems = []
    suffixes = tuple(suffix for kind in kinds or (CONLLU,) for suffix in kind)
    for path in sorted(each for each in Path(folder).rglob("*") if each.name.endswith(suffixes) and each.is_file()):
        name = re.sub(r"-corefud-.*|\.(?:conllu.*|txt|json)$", "", path.name)
        if name in found:
            message = f"{found[name]} is of the dataset {name} too"
            problems.append(Problem(message, path=str(path), hint="give a folder with one file of each dataset"))
        found.setdefault(name, path)
    if not found:
        problem = Problem("there is no file of CorefUD in it", path=os.fspath(folder), hint="they end in .conllu")
        raise (FormatError if is_folder(folder) else UsageError)(problem)
    if problems:
        raise UsageError(problems)
    return found


class CracTask(CorefUDTask):
    """Datasets of a key and of responses; the score of each is the mean F1 of MUC, B3 and CEAFe."""

    def __init__(self, chosen: Settings, folder: str) -> None:
        super().__init__(chosen)
        self.metrics = ("crac",)
        self.folder = folder
        self.ways = {**(OTHERS if chosen == USUAL else {}), "f1": chosen}
        self.columns = tuple(f"{way}:{name}" for way in self.ways for name in _COUNTED)

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Those of the key."""
        return tuple(find_datasets(self.folder))

    def with_gold(self, gold: Any) -> tuple[CorefUDTask, Any]:
        """It is a folder."""
        return self, gold

    def measures(self) -> list[Measure]:
        """The mean over the datasets; for a slice, over those in it."""
        from adjudge.stats.measure import MeanF1

        return [
            MeanF1(
                "coref.crac",
                way,
                tuple(tuple(_columns(dataset, way, name) for name in AVERAGES["conll"]) for dataset in self.datasets),
            )
            for way in self.ways
        ]

    def read(self, source: Any, name: str, *, only: Container[str] | None = None, digest: bool = True) -> Side:  # noqa: ARG002
        """All datasets of a folder; documents are named after their datasets."""
        return source if isinstance(source, Side) else self._read(source, name, (CONLLU,))

    def read_system(self, source: Any, name: str, *, only: Container[str] | None = None, digest: bool = True) -> Side:  # noqa: ARG002
        """The same; files may also be texts or JSON of the track for language models."""
        return source if isinstance(source, Side) else self._read(source, name, (CONLLU, TEXTS))

    def _read(self, source: Any, name: str, kinds: Sequence[tuple[str, ...]]) -> Side:
        if not is_folder(source):
            hint = "give folders for the key and for all responses"
            raise UsageError(Problem("the key is a folder, but this is not", path=str(source), hint=hint))
        keys = find_datasets(self.folder)

        def one(item: tuple[str, Path]) -> CorefCorpus:
            dataset, path = item
            if dataset in keys and path.name.endswith(TEXTS):
                return read_text_onto(str(keys[dataset]), str(path))
            return read_corefud(str(path))

        read, problems = read_files(find_datasets(source, *kinds).items(), one)
        raise_problems(problems, str(source))
        documents: dict[str, UdDocument] = {}
        notes: list[CorpusNote] = []
        hashed = hashlib.sha256()
        for (dataset, _), corpus in read:
            for document in corpus.documents:
                document.id = f"{dataset}/{document.id}"
                documents[document.id] = document  # type: ignore[assignment]
            notes += corpus.counted
            hashed.update(f"{dataset} {corpus.digest}\n".encode())
        return Side(name, os.fspath(source), documents, hashed.hexdigest(), tuple(_added(notes)))

    def meet(self, gold: Side, systems: Sequence[Side]) -> tuple[CorefUDTask, Sequence[Side]]:
        """Every dataset of a response must fit that of the key; those that are missing count 0."""
        return self, [self._fitted(gold, side) for side in systems]

    def _fitted(self, gold: Side, side: Side) -> Side:
        ours, theirs = _by_dataset(gold), _by_dataset(side)
        files = find_datasets(side.path, CONLLU, TEXTS)
        problems: list[Problem] = []
        notes: list[CorpusNote] = []
        for dataset, path in files.items():
            if dataset not in ours:
                hint = "remove the file, or add the dataset to the key"
                problems.append(Problem(f"the key has no dataset {dataset}", path=str(path), hint=hint))
                continue
            own = Side(side.name, str(path), theirs.get(dataset, {}))
            try:
                notes += fitted(replace(gold, documents=ours[dataset]), own).notes  # type: ignore[arg-type]
            except AdjudgeError as error:
                problems += error.problems
        raise_problems(problems, side.place, ValidationError)
        missing = [each for each in self.datasets if each not in files]
        if missing:
            message = f"datasets without response, which count 0: {len(missing)}"
            notes.append(CorpusNote("missing-dataset", len(missing), message, tuple(missing[:10])))
        return replace(side, notes=(*side.notes, *_added(notes)))

    def observe(self, gold: UdDocument, system: UdDocument | None, *, keep: bool = False) -> Row:  # type: ignore[override]
        """The counts of MUC, B3 and CEAFe under every matching and treatment of singletons."""
        found = {way: compare_corefud(gold, system, chosen) for way, chosen in self.ways.items()}
        counts = tuple(each.counts[place] for each in found.values() for place in _PLACES)
        return Row(counts, found["f1"].remarks, found["f1"] if keep else None)

    def attributes(self, document: UdDocument) -> Mapping[str, Any]:  # type: ignore[override]
        """The dataset and its language."""
        dataset = document.id.partition("/")[0]
        return {"dataset": dataset, "language": dataset.partition("_")[0]}

    def drawing(self) -> Drawing:
        """Documents are drawn within their datasets."""
        from adjudge.stats.scores import Drawing

        return Drawing("within dataset", within="dataset")

    def reported(self, evaluation: Evaluation) -> Reported:
        """A column of each count for each dataset; a document has values only in those of its own."""
        places = {dataset: place for place, dataset in enumerate(self.datasets)}
        width = len(self.columns)
        columns = tuple(f"{dataset}:{name}" for dataset in self.datasets for name in self.columns)
        counts = {}
        for name, counted in evaluation.systems.items():
            spread = array("d")
            for row, own in zip(counted.rows(width), evaluation.attributes, strict=True):
                empty = [0.0] * len(columns)
                start = places[own["dataset"]] * width
                empty[start : start + width] = row
                spread.extend(empty)
            counts[name] = spread
        attributes = {field: tuple(each[field] for each in evaluation.attributes) for field in FIELDS}
        return Reported(columns, self.measures(), counts, attributes=attributes)

    def result(self, evaluation: Evaluation) -> Result:
        """Overall scores, and by dataset and language unless other slices are requested."""
        run = evaluation.run
        if other := [each for each in run.by if each not in FIELDS]:
            raise UsageError(f"datasets have no field {other[0]!r} to slice by", hint="fields are dataset, language")
        if run.pool == "macro":
            raise UsageError("documents of several datasets are not averaged", hint="leave out --pool macro")
        if run.inference.cluster_by is not None:
            raise UsageError("documents are drawn within their datasets", hint="leave out --cluster-by")
        changed = msgspec.structs.replace(evaluation, run=msgspec.structs.replace(run, by=run.by or FIELDS))
        return super().result(changed)


def _columns(dataset: str, way: str, metric: str) -> tuple[str, str, str, str]:
    """Numerator and denominator of precision and of recall."""
    start = f"{dataset}:{way}:coref.{metric}:"
    found = "matched" if metric == "ceafe" else "found"
    return f"{start}matched", f"{start}system", f"{start}{found}", f"{start}gold"


def _by_dataset(side: Side) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name, document in side.documents.items():
        found.setdefault(name.partition("/")[0], {})[name] = document
    return found


def _added(notes: Sequence[CorpusNote]) -> Iterator[CorpusNote]:
    """Notes on several files as one, if they end in a number."""
    codes: dict[str, list[CorpusNote]] = {}
    for note in notes:
        codes.setdefault(note.code, []).append(note)
    for code, own in codes.items():
        number = sum(each.count for each in own)
        examples = tuple(example for each in own for example in each.examples)
        yield CorpusNote(code, number, re.sub(r"\d+$", str(number), own[0].message), examples[:10])
