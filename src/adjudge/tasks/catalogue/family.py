"""What a family of metrics is: its default metrics, its readers, and the published scorers that it can stand in for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

from adjudge.errors import FormatError, Problem, UsageError, ValidationError, did_you_mean
from adjudge.evaluate.sides import Names, check_sides
from adjudge.formats.source import source_name

if TYPE_CHECKING:
    from adjudge.model.document import Corpus
    from adjudge.stats.inference import Inference
    from adjudge.stats.measure import Measure
    from adjudge.stats.result import Note, Result
    from adjudge.tasks.corpus import Counter

Read: TypeAlias = "Callable[..., Corpus]"
"""Called with a source (a path, `-`, bytes or a stream); gives its documents, or raises with every problem."""

Pair: TypeAlias = "Callable[[Corpus, Corpus], Corpus]"
"""Called with the gold and the system documents; gives the system's, brought to the gold ones."""

JSONL = "jsonl"
FAMILIES: tuple[str, ...] = ("ner", "amr", "tree", "relation", "event", "template", "linking", "record")


class Reader(NamedTuple):
    """A format: `module:function` for gold files, and for system files if those look different.

    `pair` is a function of the gold and the system documents (each a `Corpus`) that gives the system's as they stand
    to the gold ones: it aligns them, or raises if they are not about the same text. `metrics` are shown by default for
    this format, if not those of the family.
    """

    about: str
    gold: str
    system: str = ""
    pair: str = ""
    metrics: tuple[str, ...] = ()


class Option(NamedTuple):
    """An option of a published scorer; a flag has neither a metavar nor choices."""

    about: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    required: bool = False


class Compat(NamedTuple):
    """A published scorer: `run` is `module:function`, called as `run(gold, system, **options)`, gives a `Published`.

    `explain` is the name under which it takes the document of `--explain`, if it can show one instead of its report.
    """

    about: str
    run: str
    options: Mapping[str, Option] = {}
    explain: str = ""


class Family(NamedTuple):
    """Metrics that are shown together by `adjudge NAME score`.

    `options` belong to the family itself: those that are given are passed to `adjust` (`module:function`), which is
    called as `adjust(gold, system, **options)` with each pair of documents and gives both as they are to be compared.
    """

    name: str
    about: str
    metrics: tuple[str, ...]
    readers: Mapping[str, Reader] = {}
    default: str = JSONL
    compats: Mapping[str, Compat] = {}
    example: str = ""
    options: Mapping[str, Option] = {}
    adjust: str = ""


class Published(NamedTuple):
    """One system as a published scorer sees it: counts per document, what they become, and the lines it prints.

    `rows` has the counts of every gold document, in one order for all systems; `text` ends with a line feed. A scorer
    that counts clusters of the whole corpus gives a `counter` instead, which turns weights of the documents of `rows`
    into counts; if it knows those of the whole corpus only, they are not `resampled`. `documents` are the ids of gold
    and of the system, for a program that scores whatever they are; others refuse documents that they do not know.
    """

    rows: Sequence[tuple[str, Mapping[str, float]]]
    measures: tuple[Measure, ...]
    text: str
    pool: Literal["micro", "macro"] = "micro"
    notes: Sequence[Note] = ()
    counter: Counter | None = None
    resampled: bool = True
    documents: tuple[Collection[str], Collection[str]] | None = None


def find_family(name: str) -> Family:
    """The family of a name.

    >>> find_family("ner").name
    'ner'
    """
    family: Family = import_module(f"{__package__}.{name.replace('-', '_')}").FAMILY
    return family


def find_reader(name: str, families: Sequence[str] = FAMILIES) -> Reader | None:
    """The reader of a name, from any of the families; None for JSON lines, which need no other one."""
    if name == JSONL:
        return None
    known = {key: reader for family in families for key, reader in find_family(family).readers.items()}
    if name not in known:
        hint = did_you_mean(name, [JSONL, *known]) or f"readers are {', '.join([JSONL, *known])}"
        raise UsageError(f"there is no reader {name!r}", hint=hint)
    return known[name]


def load(where: str) -> Any:
    """A function by `module:function`.

    >>> load("adjudge.errors:did_you_mean").__name__
    'did_you_mean'
    """
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


def reads(gold: str, system: str | None = None) -> tuple[Read | None, Read | None]:
    """How gold and system files are read: by the reader called `gold`, system files by their own if one is given."""
    own, other = find_reader(gold), find_reader(system or gold)
    return (
        None if own is None else cast("Read", load(own.gold)),
        None if other is None else cast("Read", load(other.gold if system else other.system or other.gold)),
    )


def pairing(gold: str, system: str | None = None) -> Pair | None:
    """How system documents are brought to the gold ones, if the readers of both sides say the same.

    >>> pairing("jsonl") is None
    True
    """
    own, other = find_reader(gold), find_reader(system or gold)
    if own is None or other is None or not own.pair or own.pair != other.pair:
        return None
    return cast("Pair", load(own.pair))


def published_runs(
    compat: Compat, gold: Any, systems: Mapping[str, Any], options: Mapping[str, Any]
) -> dict[str, Published]:
    """Every system as a published scorer sees it; the problems of all files are raised together."""
    run = load(compat.run)
    found: dict[str, Published] = {}
    problems: list[Problem] = []
    for system, source in systems.items():
        try:
            found[system] = run(gold, source, **options)
            given = found[system].documents or ([each for each, _ in found[system].rows], ())
            check_sides(Names(source_name(gold), given[0]), [Names(source_name(source), given[1])])
        except (FormatError, ValidationError) as error:
            problems += (problem for problem in error.problems if problem not in problems)
    if problems:
        raise FormatError(problems)
    return found


def published_result(
    family: str,
    name: str,
    found: Mapping[str, Published],
    gold: Any,
    systems: Mapping[str, Any],
    *,
    options: Mapping[str, Any],
    inference: Inference | None = None,
) -> Result:
    """What a published scorer counted as a result, with intervals."""
    from adjudge.stats.build import Counts, Scoring, build_result
    from adjudge.stats.inference import Inference
    from adjudge.stats.table import StatsTable

    first = next(iter(found.values()))
    # A scorer may report a row for each type that it has seen; all systems have all of them.
    measures = tuple(dict.fromkeys(measure for each in found.values() for measure in each.measures))
    columns = tuple(dict.fromkeys(key for each in found.values() for _, row in each.rows for key in row))
    ids = tuple(dict.fromkeys(identifier for each in found.values() for identifier, _ in each.rows))
    fields = _signature(gold, systems, options)
    if any(each.counter is not None for each in found.values()):
        return _corpus_result(family, name, found, ids, fields=fields, inference=inference)
    tables = {
        system: StatsTable.from_rows(_filled(dict(each.rows), ids, columns), columns) for system, each in found.items()
    }
    scoring = Scoring(
        task=family,
        profile=name,
        measures=measures,
        pool=first.pool,
        inference=inference or Inference(),
        fields=fields,
    )
    return build_result(scoring, {system: Counts(tables[system], each.notes) for system, each in found.items()})


def _corpus_result(
    family: str,
    profile: str,
    found: Mapping[str, Published],
    ids: Sequence[str],
    *,
    inference: Inference | None,
    fields: Mapping[str, str],
) -> Result:
    """The result of scorers of whole corpora, resampled if the counts of all systems can be."""
    from adjudge.stats.inference import OFF
    from adjudge.tasks.corpus import build_sampled

    return build_sampled(
        task=family,
        profile=profile,
        measures=next(iter(found.values())).measures,
        parts=[({}, range(len(ids)), {system: _spread(each, ids) for system, each in found.items()})],
        documents=len(ids),
        inference=inference if all(each.resampled for each in found.values()) else OFF,
        notes={system: list(each.notes) for system, each in found.items()},
        fields=fields,
    )


def _spread(published: Published, ids: Sequence[str]) -> Counter:
    """A counter over the documents of all systems, of which a scorer may know some only."""
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


def _signature(gold: Any, systems: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, str]:
    from adjudge.formats.json_file import read_folder_digest
    from adjudge.stats.signature import hash_chunks

    digests = [read_folder_digest(source).encode() for source in (gold, *systems.values())]
    given = {key: str(value) for key, value in options.items() if value not in (None, False, ())}
    return {**given, "gold": hash_chunks(digests[:1]), "in": hash_chunks(digests)}
