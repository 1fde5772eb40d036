"""Published scorers: how they are declared, found and run, and their counts as a result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec.structs import replace

from adjudge.algebra.solve.deadline import DEFAULT, NEVER, OutOfTime
from adjudge.errors import FormatError, Problem, ValidationError
from adjudge.evaluate.sides import Names, check_sides
from adjudge.formats.source import source_name
from adjudge.rooms import Option, declared

if TYPE_CHECKING:
    from adjudge.evaluate.clusterings import Counter
    from adjudge.evaluate.task import Run
    from adjudge.stats.inference import Inference
    from adjudge.stats.measure import Measure
    from adjudge.stats.result import Note, Result


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
    counter: Counter | None = None
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


def published_runs(
    scorer: Scorer, gold: Any, systems: Mapping[str, Any], options: Mapping[str, Any], seconds: float | None = None
) -> dict[str, Published]:
    """Every system as a published scorer sees it; the problems of all files are raised together.

    A document that takes more than so many seconds is an error, since a partial report is none.
    """
    from adjudge.algebra.solve.deadline import within

    found: dict[str, Published] = {}
    problems: list[Problem] = []
    limit = DEFAULT if seconds is None else seconds
    for system, source in systems.items():
        try:
            with within(NEVER, each=limit):
                found[system] = scorer.run(gold, source, **options)
            given = found[system].documents or ([each for each, _ in found[system].rows], ())
            check_sides(Names(source_name(gold), given[0]), [Names(source_name(source), given[1])])
        except (FormatError, ValidationError) as error:
            named = [each if each.path else replace(each, path=source_name(source)) for each in error.problems]
            problems += (problem for problem in named if problem not in problems)
        except OutOfTime:
            message = f"{scorer.name} did not finish a document in {limit:g} seconds"
            hint = "give more time (--time-limit), or use our own metrics, which say what they can prove"
            problems.append(Problem(message, path=source_name(source), hint=hint))
    if problems:
        raise FormatError(problems)
    return found


def published_result(
    scorer: Scorer,
    found: Mapping[str, Published],
    fields: Mapping[str, str],
    inference: Inference,
    seconds: float | None = None,
) -> Result:
    """What a published scorer counted as a result, with intervals; `fields` are those of its signature."""
    from adjudge.evaluate.task import Run
    from adjudge.stats.build import Counts, Scoring, build_result
    from adjudge.stats.table import StatsTable

    first = next(iter(found.values()))
    ids = tuple(dict.fromkeys(identifier for each in found.values() for identifier, _ in each.rows))
    if any(each.counter is not None for each in found.values()):
        return _corpus_result(scorer, found, ids, fields, Run(inference=inference, time_limit=seconds))
    # A scorer may report a metric for each type that it has seen; all systems get all of them.
    measures = tuple(dict.fromkeys(measure for each in found.values() for measure in each.measures))
    columns = tuple(dict.fromkeys(key for each in found.values() for _, row in each.rows for key in row))
    scoring = Scoring(
        task=scorer.family, profile=scorer.name, measures=measures, pool=first.pool, inference=inference, fields=fields
    )
    tables = {
        system: StatsTable.from_rows(_filled(dict(each.rows), ids, columns), columns) for system, each in found.items()
    }
    return build_result(scoring, {system: Counts(tables[system], each.notes) for system, each in found.items()})


def _corpus_result(
    scorer: Scorer, found: Mapping[str, Published], ids: Sequence[str], fields: Mapping[str, str], run: Run
) -> Result:
    """The result of scorers of whole corpora, resampled if the counts of all systems can be."""
    from adjudge.evaluate.clusterings import ClusterTask
    from adjudge.stats.inference import OFF

    measures = next(iter(found.values())).measures
    counters = {system: _spread(each, ids) for system, each in found.items()}
    task = ClusterTask(scorer.family, scorer.name, measures, [({}, range(len(ids)), counters)], len(ids))
    run = run if all(each.resampled for each in found.values()) else replace(run, inference=OFF)
    task.said, task.signature = {system: each.notes for system, each in found.items()}, fields
    return task.result(run)


def _spread(published: Published, ids: Sequence[str]) -> Counter:
    """A counter over the documents of all systems, of which a scorer may know only some."""
    counter = published.counter
    assert counter is not None
    number = {identifier: place for place, identifier in enumerate(ids)}
    places = [number[identifier] for identifier, _ in published.rows]
    return lambda weights: counter(weights[:, places])


def _filled(
    rows: Mapping[str, Mapping[str, float]], ids: Sequence[str], columns: Sequence[str]
) -> list[tuple[str, dict[str, float]]]:
    """Counts of all documents that any system has; a scorer may count documents that gold does not have."""
    return [(each, {column: rows.get(each, {}).get(column, 0.0) for column in columns}) for each in ids]


def published_signature(gold: Any, systems: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, str]:
    """The fields of the signature: options that were given, and what is in the files."""
    from adjudge.formats.json_file import read_folder_digest
    from adjudge.stats.inference import hash_chunks

    digests = [read_folder_digest(source).encode() for source in (gold, *systems.values())]
    given = {key: str(value) for key, value in options.items() if value not in (None, False, ())}
    return {**given, "gold": hash_chunks(digests[:1]), "in": hash_chunks(digests)}
