"""Published scorers: how they are declared and found, and the task that counts with one of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

from msgspec.structs import replace

from adjudge.algebra.solve.deadline import DEFAULT, NEVER, OutOfTime
from adjudge.errors import FormatError, Problem, UsageError, ValidationError
from adjudge.evaluate.sides import Names, check_sides, is_stdin
from adjudge.evaluate.task import Reported, Row, Run, Side, Task
from adjudge.formats.source import source_name
from adjudge.rooms import Option, declared

if TYPE_CHECKING:
    from adjudge.evaluate.clusterings import Counter
    from adjudge.evaluate.engine import Evaluation
    from adjudge.stats.alignment import Alignment
    from adjudge.stats.measure import Array, Measure
    from adjudge.stats.result import Note, Result, Slice


class Published(NamedTuple):
    """One system as a published scorer sees it: counts per document, what they become, and the lines it prints.

    `rows` has the counts of every gold document, in the same order for all systems; `text` ends with a line feed. A
    scorer that counts clusters of the whole corpus gives a `counter` instead, which turns weights of the documents of
    `rows` into counts; if it only knows those of the whole corpus, they are not `resampled`. `documents` are the ids of
    gold and of the system, for a program that scores any documents; others refuse unknown documents.
    """

    rows: Sequence[tuple[str, Mapping[str, float]]]
    measures: tuple[Measure, ...]
    text: str
    pool: Literal["micro", "macro"] = "micro"
    notes: Sequence[Note] = ()
    counter: Callable[[Array], Mapping[str, Array]] | None = None
    resampled: bool = True
    documents: tuple[Collection[str], Collection[str]] | None = None


class Scorer(NamedTuple):
    """A published scorer of a family, by the name for `--compat`; `run` is called with sources and options.

    `explain` is its option for the document of `--explain`, if it can explain one instead of printing its report.
    """

    name: str
    family: str
    about: str
    run: Callable[..., Published]
    options: Mapping[str, Option] = {}
    explain: str = ""


def find_scorers(family: str) -> dict[str, Scorer]:
    """The published scorers of a family, by name: every `Scorer` that a file of this package declares.

    >>> list(find_scorers("linking"))
    ['neleval-3.1.1']
    """
    modules = dict.fromkeys(module for module, _, own in declared(__package__, "Scorer") if own == family)
    scorers = [
        value for module in modules for value in vars(import_module(module)).values() if isinstance(value, Scorer)
    ]
    return {scorer.name: scorer for scorer in scorers if scorer.family == family}


_WHOLE = "a published scorer counts whole files, one after the other"
_SILENT = "a published scorer does not say what became of every item"
REFUSED = {
    "jobs": _WHOLE,
    "cluster": _WHOLE,
    "stream": _WHOLE,
    "exact": "a published scorer does not say which scores are proven",
    "save_documents": _SILENT,
    "explain": _SILENT,
    **dict.fromkeys(
        ("metric", "profile", "hierarchy", "hierarchy_credit"), "a published scorer has metrics and rules of its own"
    ),
    **dict.fromkeys(("reader", "gold_reader", "system_reader", "runs"), "a published scorer reads files by itself"),
}
"""The options of every scoring that a published scorer cannot have, with the reason."""


class PublishedTask(Task):
    """What a published scorer counts: it reads gold and one system after the other by itself, whole.

    Its counts of each document are the documents of a side. Which documents gold has is known once a system has been
    read; `fields` gives their fields by id, to slice by. `said` is what the program says of each system. `given` are
    the options of the program, `shown` those that the signature names; a document has so many `seconds`.
    """

    gold: Any
    known: Mapping[str, Mapping[str, Any]]
    documents: dict[str, Mapping[str, Any]]
    said: dict[str, Published]

    def __init__(
        self,
        scorer: Scorer,
        given: Mapping[str, Any],
        *,
        shown: Mapping[str, str] | None = None,
        seconds: float | None = None,
        fields: Callable[[Any], Mapping[str, Mapping[str, Any]]] | None = None,
    ) -> None:
        self.scorer, self.given, self._shown = scorer, given, shown or {}
        self.name = scorer.family  # type: ignore[misc]
        self._seconds = DEFAULT if seconds is None else seconds
        self._fields = fields
        self._measures: tuple[Measure, ...] = ()

    @property
    def profile(self) -> str:
        """The program."""
        return self.scorer.name

    def measures(self) -> tuple[Measure, ...]:
        """Those of all systems: a scorer may report a metric for each type that it has seen."""
        return self._measures

    def with_gold(self, gold: Any) -> tuple[PublishedTask, Any]:
        """The task with the gold file, which the program reads again for every system."""
        task = copy(self)
        task.gold, task.said, task.documents = _kept(gold), {}, {}
        task.known = {} if self._fields is None else self._fields(task.gold)
        return task, task.gold

    def read(self, source: Any, name: str, *, digest: bool = True, **_: Any) -> Side:
        """Gold, whose documents are those that the program counts in the systems."""
        return Side(name, source_name(source), self.documents, _digest(source) if digest else "")

    def read_system(self, source: Any, name: str, *, digest: bool = True, **_: Any) -> Side:
        """A system as the program counts it; a document that takes too long is an error, as partial reports are."""
        from adjudge.algebra.solve.deadline import within

        source, place = _kept(source), source_name(source)
        try:
            with within(NEVER, each=self._seconds):
                found = self.scorer.run(self.gold, source, **self.given)
            ids = [identifier for identifier, _ in found.rows]
            ours, theirs = found.documents or (ids, ())
            check_sides(Names(source_name(self.gold), ours), [Names(place, theirs)])
        except (FormatError, ValidationError) as error:
            raise FormatError([each if each.path else replace(each, path=place) for each in error.problems]) from None
        except OutOfTime:
            message = f"{self.scorer.name} did not finish a document in {self._seconds:g} seconds"
            hint = "give more time (--time-limit), or use our own metrics, which say what they can prove"
            raise FormatError(Problem(message, path=place, hint=hint)) from None
        self.said[name] = found
        for each in ids:
            self.documents.setdefault(each, self.known.get(each, {}))
        return Side(name, place, dict(found.rows), _digest(source) if digest else "")

    def meet(self, gold: Side, systems: Sequence[Side]) -> tuple[PublishedTask, Sequence[Side]]:
        """All systems with all columns, measures and documents: a program may count some that gold does not have."""
        task, found = copy(self), self.said.values()
        task.columns = tuple(dict.fromkeys(column for each in found for _, row in each.rows for column in row))
        task._measures = tuple(dict.fromkeys(measure for each in found for measure in each.measures))
        nothing: Mapping[str, float] = {}
        return task, [
            replace(side, documents={each: side.documents.get(each, nothing) for each in gold.documents})
            for side in systems
        ]

    def attributes(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """The fields of a gold document."""
        return document

    def observe(self, gold: Any, system: Any | None, *, keep: bool = False) -> Row:  # noqa: ARG002
        """The counts of the program."""
        counts = system or {}
        return Row(tuple(counts.get(column, 0.0) for column in self.columns))

    def align(self, gold: Any, system: Any | None, row: Row) -> Alignment:  # noqa: ARG002
        """There is none."""
        self._refuse("save_documents", _SILENT)

    def check_run(self, run: Run) -> None:
        """Raise for options of a run that a published scorer cannot have."""
        given = {
            "jobs": (run.jobs or 1) > 1,
            "cluster": run.cluster is not None,
            "stream": bool(run.stream),
            "exact": run.exact,
            "save_documents" if run.document is None else "explain": run.align,
        }
        for name in (name for name, each in given.items() if each):
            self._refuse(name, REFUSED[name])

    def check(self, evaluation: Evaluation) -> None:
        """Raise for a choice of documents if the program only counts whole corpora."""
        run = evaluation.run
        if any(each.counter is not None for each in self.said.values()) and run.pool == "macro":
            self._refuse("pool", "its scores are of the whole corpus, and documents have none to average")
        if not self._resampled and (run.docs is not None or run.by):
            self._refuse("docs" if run.docs is not None else "by", "its counts are known for the whole corpus only")

    def _refuse(self, option: str, reason: str) -> NoReturn:
        raise UsageError(f"{self.profile} has no {option}: {reason}", hint="leave it out, or leave compat out")

    @property
    def _resampled(self) -> bool:
        return all(each.resampled for each in self.said.values())

    def signature(self, evaluation: Evaluation) -> Mapping[str, str]:  # noqa: ARG002
        """The options that were given."""
        return self._shown

    def notes(self, evaluation: Evaluation, name: str) -> list[Note]:  # noqa: ARG002
        """Those of the program's reader and search."""
        return list(self.said[name].notes)

    def reported(self, evaluation: Evaluation) -> Reported:
        """All counts; the program may average documents."""
        first = next(iter(self.said.values()))
        return replace(super().reported(evaluation), pool=evaluation.run.pool or first.pool)

    def result(self, evaluation: Evaluation) -> Result:
        """Sums over documents; or clusters of the whole corpus, resampled if the counts of all systems can be."""
        if all(each.counter is None for each in self.said.values()):
            return super().result(evaluation)
        from adjudge.evaluate.clusterings import clustered_result
        from adjudge.evaluate.results import document_fields
        from adjudge.stats.inference import OFF
        from adjudge.stats.table import group_rows

        evaluation.checked()
        run, fields = evaluation.run, document_fields(evaluation)
        counters = {name: _chosen(each, evaluation.ids) for name, each in self.said.items()}
        parts: list[tuple[Slice, Sequence[int], Mapping[str, Counter]]] = []
        parts.append(({}, range(len(evaluation.ids)), counters))
        for name in run.by:
            parts += [({name: value}, tuple(map(int, rows)), counters) for value, rows in group_rows(fields[name])]
        run = Run(inference=run.inference if self._resampled else OFF, by=run.by, time_limit=run.time_limit)
        return clustered_result(self, evaluation, parts, run=run, ids=evaluation.ids, fields=fields)


def _kept(source: Any) -> Any:
    """A source; standard input as its bytes, because it is read twice: to count, and for the signature."""
    if not is_stdin(source):
        return source
    from adjudge.formats.source import read_whole

    return read_whole(source).data


def _digest(source: Any) -> str:
    from adjudge.formats.json_file import read_folder_digest

    return read_folder_digest(source)


class _Chosen(NamedTuple):
    """A counter over some documents of all systems, of which a program may know only some: `places` are its own."""

    counts: Callable[[Array], Mapping[str, Array]]
    places: Sequence[int]

    def point(self, places: Collection[int]) -> dict[str, float]:
        """The counts in these documents."""
        import numpy as np

        weights = np.zeros((1, 1 + max((*self.places, *places), default=0)))
        weights[:, list(places)] = 1
        return {column: float(values[0]) for column, values in self.counts(weights[:, self.places]).items()}

    def weighted(self, weights: Array) -> Mapping[str, Array]:
        """The counts with weights for all documents."""
        import numpy as np

        return self.counts(np.pad(weights, ((0, 0), (0, 1)))[:, self.places])


def _chosen(published: Published, ids: Sequence[str]) -> _Chosen:
    counter = published.counter
    assert counter is not None
    number = {identifier: place for place, identifier in enumerate(ids)}
    return _Chosen(counter, [number.get(identifier, len(ids)) for identifier, _ in published.rows])
