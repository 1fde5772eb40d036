"""The task of comparing documents by metrics, from the catalogue or custom."""

from __future__ import annotations

import os
from array import array
from collections.abc import Container, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property, partial
from inspect import signature
from itertools import chain
from math import fsum
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from adjudge.algebra import ir
from adjudge.bounded import PACKED
from adjudge.errors import FormatError, UsageError, ValidationError
from adjudge.evaluate.results import Span, result_of, spans_in, with_doubts
from adjudge.evaluate.sides import check_places, size_of
from adjudge.evaluate.task import Reported, Row, Rows, Side, Task
from adjudge.formats.source import find_shards, is_blank, source_name
from adjudge.model.document import Document
from adjudge.rooms import load
from adjudge.tasks.chosen import as_metrics
from adjudge.tasks.documents import Stored, check_known, check_level, is_plain, paired, placed, read_side
from adjudge.tasks.family import JSONL, Family, Read, find_reader, pairing, reads
from adjudge.tasks.observe import AnyMetric, Change, Complaint, Observer, Ready, wrapped
from adjudge.tasks.slices import (
    FIELD,
    columns_of,
    element_paths,
    element_table,
    in_full,
    inside_fields,
    known_fields,
    leaf_metrics,
    sliced_fields,
    slicing,
    unwanted_fields,
)

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.evaluate.task import Run
    from adjudge.evaluate.validation import Checks
    from adjudge.findings import Findings
    from adjudge.formats.ranges import Ranges
    from adjudge.stats.alignment import Alignment
    from adjudge.stats.elements import ElementTable
    from adjudge.stats.measure import Measure
    from adjudge.stats.result import Note, Result
    from adjudge.tasks.leaf_fields import LeafRows
    from adjudge.tasks.record_shapes import Fit

HELD = 64 << 20  # minimum bytes of a JSON file whose documents, ten times as large, are not held in memory
_PACKED = 8  # assumed compression ratio
_EXAMPLES = 10
_TOGETHER = 128  # documents whose elements are read together; more would not fit in the cache


class Adjust(msgspec.Struct, frozen=True):
    """Changes to documents before they are compared, and the options that the signature names.

    `change(gold, system)` gives a pair as it is to be compared; None if nothing changes. `gold` and `system` are
    options of the readers of the two sides.
    """

    change: Change | None
    options: Mapping[str, str]
    gold: Mapping[str, Any] = {}
    system: Mapping[str, Any] = {}


_CHARACTERS = (JSONL, "brat", "pubtator", "bioc", "xmi", "prodigy", "doccano", "label-studio", "llm")


def metric_family(metrics: Sequence[AnyMetric]) -> str:
    """The family of all metrics, by their names; empty if there is none."""
    kinds = {member.name.partition(".")[0] for each in metrics for member in each.members}
    return kinds.pop() if len(kinds) == 1 else ""


class MetricsTask(Task):
    """Metrics over the fields of documents, whose files are JSON lines or what a reader of the catalogue reads."""

    name = "score"
    large = 16 << 20
    at_once = 32
    keeps = refuses_unknown = hashes_content = True

    def __init__(
        self,
        metrics: tuple[AnyMetric, ...],
        *,
        profile: str = "default",
        by: tuple[str, ...] = (),
        readers: tuple[str, str | None] = (JSONL, None),
        adjust: Adjust | None = None,
        run: Run | None = None,
    ) -> None:
        self.metrics, self.by, self.readers, self._profile = metrics, by, readers, profile
        self.said: tuple[str, ...] = ()
        self.family = metric_family(metrics)
        self.columns = columns_of(metrics)
        self._names = frozenset(self.columns)
        self.unit = "character" if readers[0] in _CHARACTERS else "token"
        self.shape = "documents" if readers[0] == JSONL else readers[0]
        self.options = {} if adjust is None else dict(adjust.options)
        self.clustered = any(member.clustered is not None for each in metrics for member in each.members)
        align, self._stream = (False, None) if run is None else (run.align, run.stream)
        self._leaves = FIELD in by and bool(leaf_metrics(metrics))
        self._means = any(one.per is not None for each in metrics for one in each.members)
        change = None if adjust is None else adjust.change
        exact = run is not None and run.exact
        outcomes = self._leaves or self._means
        self.observer = Observer(metrics, change=change, outcomes=outcomes, exact=exact, aligned=align)
        self._reading = ({}, {}) if adjust is None else (adjust.gold, adjust.system)
        self.fit = _fit(metrics)
        jsonl = {readers[0], readers[1] or JSONL} == {JSONL}
        # Slices of elements, whole-corpus metrics and the outcome of every item need all documents.
        self._in_elements = any("." in name or inside_fields(name, metrics) for name in by)
        inside = self.observer.outcomes or self._in_elements
        self.by_blocks = jsonl and not (align or self.clustered or inside or self.fit)
        self._unwanted = unwanted_fields(metrics)
        self._words = False

    @property
    def profile(self) -> str:
        """How repeated elements and empty documents count."""
        return self._profile

    def measures(self) -> tuple[Measure, ...]:
        """Those of the metrics."""
        return measures_of(self.metrics)

    # -----------------------------------------------------------------------------------------------------------------
    # Reading

    def read(self, source: Any, name: str, **_: Any) -> Side:
        """The gold side; hashes are computed while reading."""
        side = self._stored(source, name) or read_side(source, name, self._reads(0))
        if self.fit is not None:
            from adjudge.tasks.record_shapes import record_side

            side = record_side(side)
        return self._with_words(side, source) if self._words else side

    def _reads(self, side: int) -> Read | None:
        """How the files of a side are read, with its options."""
        read, options = reads(*self.readers, self.family)[side], self._reading[side]
        if read is None or not options:
            return read
        known = signature(read).parameters
        for name in options:
            if name not in known:
                raise UsageError(f"--{name} does not apply to files in this format", hint="leave it out, or --reader")
        return partial(read, **options)

    @property
    def _strict(self) -> bool:
        """Whether answers must be in the shape of gold."""
        return (self.readers[1] or self.readers[0]) == "answers-strict"

    def are_texts(self, gold: Any, system: Any) -> bool:
        """Whether strings are documents: those in gold are, or answers accompany gold in memory."""
        if not isinstance(gold, list | tuple) or not isinstance(system, list | tuple):
            return False
        if all(isinstance(each, str) for each in gold):
            return True
        return self.fit is not None and len(gold) == len(system) and not any(map(_is_path, system))

    def with_texts(self) -> MetricsTask:
        """The task that also reads the words of files whose documents do not have them."""
        task = copy(self)
        task._words = True
        return task

    def _with_words(self, side: Side, source: Any) -> Side:
        reader = find_reader(self.readers[0], self.family)
        if reader is None or not reader.words or not (isinstance(source, bytes) or size_of(source)):
            return side
        words: Mapping[str, list[str]] = load(reader.words)(source)
        documents = {
            name: msgspec.structs.replace(each, data={**each.data, "tokens": words[name]}) if name in words else each
            for name, each in side.documents.items()
        }
        return replace(side, documents=documents)

    def read_system(self, source: Any, name: str, **_: Any) -> Side:
        """A system; its file may be empty if it found nothing, unless its words are to be aligned."""
        if pairing(*self.readers, self.family) is None and is_blank(source):
            return Side(name, source_name(source), {}, read_side((), name).hashed())
        side = self._stored(source, name) or read_side(source, name, self._reads(1))
        if self.fit is None:
            return side
        from adjudge.tasks.record_shapes import record_side

        return record_side(side, repair=bool(self._reading[1].get("repair")), strict=self._strict)

    def _stored(self, source: Any, name: str) -> Side | None:
        """The documents on disk, if there are too many to hold in memory."""
        if not (self.by_blocks and isinstance(source, str | os.PathLike)) or self._stream is False:
            return None
        paths = find_shards(source) or [os.fspath(source)]
        packed = any(path.endswith((*PACKED, ".parquet")) for path in paths)
        small = size_of(source) * (_PACKED if packed else 1) <= HELD
        if not all(map(os.path.isfile, paths)) or (small and not self._stream):
            return None
        import hashlib

        from adjudge.formats.jsonl import stream_documents

        digest = hashlib.sha256()
        documents = Stored(stream_documents(paths, digest=digest), several=len(paths) > 1)
        return Side(name, os.fspath(source), documents, digest.hexdigest())

    def validate(self, source: Any, checks: Checks) -> Findings:
        """The problems in a file, including documents that the metrics cannot compare, spans, repeats and fields."""

        from adjudge.evaluate.validation import Content, check_source

        def misfits(data: Any) -> Iterable[tuple[str, str, str | None]]:
            found = self.observer.misfits(data, of_gold=False)
            if self.fit is not None and checks.side == "gold":
                from adjudge.tasks.record_shapes import unfit

                found += unfit(data, self.fit)
            return [(each.path, each.message, each.hint) for each in found]

        jsonl = (self.readers[1] or self.readers[0]) == JSONL
        members = [member for each in self.metrics for member in each.members]
        sets = frozenset(each.within for each in members if each.within and _is_set(each.similarity))
        return check_source(self, source, checks, Content(misfits, known_fields(self.metrics), sets, jsonl))

    def is_whole(self, value: Any, gold: Mapping[str, Any]) -> bool:
        """Whether data in memory can be all the documents of a system: it does not look like one gold document."""
        keys = {key for each in gold.values() if isinstance(each.data, Mapping) for key in each.data}
        return not (isinstance(value, Mapping) and not keys.isdisjoint(value))

    def cut(self, sources: Sequence[Any], parts: int, run: Run) -> list[tuple[Any, ...]] | None:
        """Files of JSON lines between lines, wherever all sides have the same document."""
        if not self.by_blocks or run.stream is False or run.cluster is not None:
            return None
        files = [find_shards(source) or [os.fspath(source)] for source in sources]
        if not all(os.path.isfile(path) for paths in files for path in paths):  # noqa: PTH113
            return None
        if any(all(map(is_blank, paths)) for paths in files[1:]):
            return None  # a system that found nothing
        from adjudge.formats.ranges import cut_lines

        return cut_lines(files, parts)

    def read_part(self, part: Ranges, *, only: Container[str] | None = None) -> Side:  # noqa: ARG002
        """The documents of some ranges of files, and the data for the hash of the corpus."""
        from adjudge.formats.jsonl import read_documents

        documents: dict[str, Document] = {}
        written = _Written()
        for each in part:
            data = each.read()
            if each.start and data.startswith(b"\xef\xbb\xbf"):
                raise FormatError("a byte order mark inside the file")
            if not data.strip():
                continue  # blank lines between documents; the file has others
            for document in read_documents(data, digest=written):
                if document.id in documents:
                    raise FormatError("an id is given twice")
                documents[document.id] = document
        return Side("", "", documents, written=bytes(written))

    def meet(self, gold: Side, systems: Sequence[Side]) -> tuple[MetricsTask, Sequence[Side]]:
        """Pair the documents, and check the requested slices."""
        pair = pairing(*self.readers, self.family)
        systems = systems if pair is None else paired(gold, systems, pair)
        for side in systems:
            check_level(gold, side)
            check_places(gold, side)
        check_known(gold, systems)
        if self.fit is not None:
            from adjudge.tasks.record_shapes import brought_to, check_gold

            check_gold(gold, self.fit, self._reading[0].get("field"))
            systems = [brought_to(gold, side, self.fit, strict=self._strict) for side in systems]
        check_repeats(self.metrics, (gold, *systems))
        plain = all(map(is_plain, (gold, *systems)))
        task, paths = copy(self), tuple[str, ...]()
        if self._in_elements:
            data = [wrapped(self.metrics[0], each.data, plain=plain) for each in gold.documents.values()]
            task.by = in_full(self.by, data, self.metrics)
            paths = element_paths(task.by, data, self.metrics)
        task.observer = replace(self.observer, plain=plain, paths=paths)
        return task, systems

    # -----------------------------------------------------------------------------------------------------------------
    # Counting

    @cached_property
    def _leaf_rows(self) -> LeafRows | None:
        """How flat records are counted, if only records are compared, and unchanged."""
        if self.fit is None or self.observer.change is not None or self.observer.paths:
            return None
        from adjudge.tasks.leaf_fields import LeafRows

        return LeafRows.of(self.metrics, self.columns, keep=self.observer.outcomes)

    def prepare(self, gold: Document) -> Ready:
        """A gold document, prepared once for all systems."""
        return Ready(gold.id, gold.data)

    def observe(self, gold: Ready, system: Document | None, *, keep: bool = False) -> Row:  # noqa: ARG002
        """The counts of all metrics, and of the requested slices."""
        seen, complaints = self.observer(gold, None if system is None else system.data)
        if complaints:
            return Row((), problems=tuple(complaints))
        counts: Mapping[str, float] = seen.whole.counts
        if counts.keys() != self._names:
            counts = self._complete(gold.id, counts)
        plain = seen.whole.optimal and not seen.slices and not seen.outcomes
        return Row(tuple(map(counts.__getitem__, self.columns)), (), None if plain else seen)

    def count_all(self, gold: Sequence[Document], systems: Sequence[Sequence[Document | None]]) -> list[Rows] | None:
        """The counts of flat records, and of flat sets, whose elements are read for all documents together."""
        if self._leaf_rows is not None:
            return self._count_records(gold, systems)
        rows = [array("d") for _ in systems]
        for start in range(0, len(gold), _TOGETHER):
            sides = ([each and each.data for each in side[start : start + _TOGETHER]] for side in (gold, *systems))
            found = self.observer.count_all(*sides)
            if found is None or any(each.keys() != self._names for each in found):
                return None
            for own, each in zip(rows, found, strict=True):
                own.extend(chain.from_iterable(zip(*map(each.__getitem__, self.columns), strict=True)))
        return [Rows(each, [None] * len(gold)) for each in rows]

    def _count_records(
        self, gold: Sequence[Document], systems: Sequence[Sequence[Document | None]]
    ) -> list[Rows] | None:
        """The counts of records: flat ones from their leaves, others one by one; None if any does not fit."""
        assert self._leaf_rows is not None
        rows, row_of = [Rows(array("d"), []) for _ in systems], self._leaf_rows.row
        for place, ours in enumerate(gold):
            ready = None
            for own, side in zip(rows, systems, strict=True):
                theirs = side[place]
                found = None if theirs is None else row_of(ours.data, theirs.data)
                if found is None:
                    ready = ready or self.prepare(ours)
                    row = self.observe(ready, theirs)
                    if row.problems:
                        return None
                    found = row.counts, row.detail
                own.counts.extend(found[0])
                own.details.append(found[1])
        return rows

    def align(self, gold: Ready, system: Document | None, row: Row) -> Alignment:  # noqa: ARG002
        """The outcome of every item, from the same plans as the scores."""
        from adjudge.formats.answers import UNREADABLE
        from adjudge.tasks.alignment import align

        theirs = None if system is None else system.data
        unread = theirs.get(UNREADABLE, "") if isinstance(theirs, Mapping) else ""
        found = self.observer.align(gold.data, theirs)
        return align(gold.data, found, missing=system is None, unread=str(unread))

    def _complete(self, document: str, counts: Mapping[str, float]) -> Mapping[str, float]:
        """Whole-corpus counts may be left out; a misspelt column must not become a zero."""
        if self.clustered:
            return {column: counts.get(column, 0.0) for column in self.columns}
        missing, unknown = sorted(set(self.columns) - counts.keys()), sorted(counts.keys() - set(self.columns))
        wrong = [f"lacks {', '.join(missing)}"] * bool(missing) + [f"has {', '.join(unknown)}"] * bool(unknown)
        raise UsageError(f"the row of document {document} {' and '.join(wrong)}; columns: {', '.join(self.columns)}")

    def attributes(self, document: Document) -> Mapping[str, Any]:
        """All fields by which documents can be sliced, now or later."""
        data = wrapped(self.metrics[0], document.data, plain=self.observer.plain)
        return sliced_fields(data, self.by, self._unwanted)

    def spans(self, document: Document) -> Iterable[Span]:
        """Everything with a start and an end in the compared fields."""
        fields, data = self._within, document.data
        if isinstance(data, Mapping):
            chosen = [data[name] for name in fields if name in data]
        else:
            chosen = [getattr(data, name) for name in fields if hasattr(data, name)]
        return spans_in(chosen or data)

    @cached_property
    def _within(self) -> tuple[str, ...]:
        """The compared fields; empty if only the metrics know."""
        names = {member.within for each in self.metrics for member in each.members}
        return () if None in names else tuple(sorted(map(str, names)))

    def bare(self, document: Document) -> None:
        """Nothing."""

    def check(self, evaluation: Evaluation) -> None:
        """Raise an error with everything that does not fit, by file."""
        systems = evaluation.systems.values()
        if not any(each.problems for each in systems):
            return
        of_gold = dict.fromkeys(each for own in systems for each in own.problems if each[1].of_gold)
        sides: list[tuple[Side, list[tuple[str, Complaint]]]] = [(evaluation.gold, list(of_gold))]
        sides += [(own.side, [each for each in own.problems if not each[1].of_gold]) for own in systems]
        jsonl = [self.readers[0] == JSONL, *[(self.readers[1] or self.readers[0]) == JSONL] * len(systems)]
        raise ValidationError(
            [
                problem
                for (side, found), lines in zip(sides, jsonl, strict=True)
                for problem in placed(side, found, jsonl=lines)
            ]
        )

    # -----------------------------------------------------------------------------------------------------------------
    # Results

    def signature(self, evaluation: Evaluation) -> Mapping[str, str | float | None]:  # noqa: ARG002
        """The metrics, the changes made to the documents, and the conventions."""
        limits = {m.time_limit for each in self.metrics for m in each.members if m.time_limit is not None}
        conventions = dict.fromkeys(each.conventions for each in self.metrics)
        return {
            "metric": "+".join(identity(each) for each in self.metrics),
            **self.options,
            "dup": "+".join(dict.fromkeys(each.duplicates for each in conventions)),
            "empty": "+".join(dict.fromkeys(str(each.empty) for each in conventions)),
            "undef": "+".join(
                dict.fromkeys("null" if each.undefined is None else str(each.undefined) for each in conventions)
            ),
            **({"limit": "+".join(f"{limit:g}" for limit in sorted(limits))} if limits else {}),
        }

    def notes(self, evaluation: Evaluation, name: str) -> list[Note]:
        """Readers that were guessed, and searches that were cut short."""
        from adjudge.stats.notes import unproven_message
        from adjudge.stats.result import Note

        pairs = zip(evaluation.ids, evaluation.systems[name].details, strict=True)
        cut = [(name, seen.whole) for name, seen in pairs if seen is not None and not seen.whole.optimal]
        first = name == next(iter(evaluation.systems))  # said once, of all files
        guessed = [Note("guessed-reader", len(self.said), "; ".join(self.said))] if self.said and first else []
        if not cut:
            return guessed
        slack = fsum(seen.bound[name] - seen.counts[name] for _, seen in cut for name in seen.bound)
        examples = tuple(sorted(name for name, _ in cut)[:_EXAMPLES])
        code = "not-optimal" if self.fit is None else "not-exact"
        return [*guessed, Note(code, len(cut), unproven_message(len(cut), slack, code), examples)]

    def elements(self, evaluation: Evaluation) -> Mapping[str, Sequence[ElementTable]]:
        """The counts by fields of elements."""
        details = {name: own.details for name, own in evaluation.systems.items()}
        found = {
            name: [element_table(self.metrics, own, path) for path in self.observer.paths]
            for name, own in details.items()
        }
        if self._leaves:
            from adjudge.tasks.leaf_fields import field_table

            for name, own in details.items():
                found[name].append(field_table(self.metrics, own))
        return found

    @property
    def _inside(self) -> tuple[str, ...]:
        """The slices by fields of elements."""
        return (*self.observer.paths, *([FIELD] if self._leaves else ()))

    def reported(self, evaluation: Evaluation) -> Reported:
        """All counts, with the highest possible ones where a search was cut short."""
        slices = slicing(self.by, evaluation.attributes, self.metrics, self._inside)
        measures, columns, counts = self.measures(), self.columns, {}
        if self._means:
            from adjudge.tasks.leaf_fields import widened, with_fields

            details = {name: own.details for name, own in evaluation.systems.items()}
            measures, more = with_fields(self.metrics, details.values())
            columns = (*columns, *more)
        for name, own in evaluation.systems.items():
            width = len(self.columns)
            counts[name] = widened(own.counts, width, own.details, more) if self._means else own.counts
        best = {
            name: {
                place: (
                    *(seen.whole.best[column] for column in self.columns),
                    *counts[name][place * len(columns) + len(self.columns) : (place + 1) * len(columns)],
                )
                for place, seen in enumerate(own.details)
                if seen is not None and not seen.whole.optimal
            }
            for name, own in evaluation.systems.items()
        }
        return Reported(
            columns,
            measures,
            counts,
            pool=self.metrics[0].pool,
            best=best,
            attributes=slices.attributes,
            by=slices.by,
            unsaved=slices.unsaved,
        )

    def result(self, evaluation: Evaluation) -> Result:
        """Scores, with notes on likely mistakes in the files or the type."""
        if self.clustered:
            from adjudge.tasks.corpus import add_up_corpus

            slices = slicing(self.by, evaluation.attributes, self.metrics, self._inside)
            result = with_doubts(add_up_corpus(self, evaluation.checked(), slices), evaluation)
        else:
            result = result_of(evaluation)
        members = [member for metric in self.metrics for member in metric.members]
        own = [
            each for each in members if each.clustered is None and (each.origin is None or each.document is not None)
        ]
        if not own:
            return result
        from adjudge.tasks.field_notes import with_field_notes

        return with_field_notes(result, own, partial(self._compared, evaluation), plain=self.observer.plain)

    def _compared(self, evaluation: Evaluation, ids: Sequence[str]) -> list[dict[str, Any]]:
        """Some documents of gold and of the systems, as they are compared."""
        sides = [evaluation.gold, *(each.side for each in evaluation.systems.values())]
        if evaluation.apart:
            sides = [each if isinstance(each, Side) else self.read(each, "") for each in evaluation.sources]
        gold, *systems = ({name: side.documents[name].data for name in ids if name in side.documents} for side in sides)
        change = self.observer.change
        if change is None:
            return [gold, *systems]
        found = [{name: change(gold[name], own[name]) for name in own} for own in systems]
        changed = {name: pair[0] for own in found for name, pair in own.items()}
        return [changed, *({name: pair[1] for name, pair in own.items()} for own in found)]


def family_task(
    family: Family,
    reader: str,
    *,
    gold_reader: str | None = None,
    metrics: str | Sequence[str] = (),
    adjust: Adjust | None = None,
    options: Mapping[str, Any] | None = None,
) -> MetricsTask:
    """The metrics of a family, or the requested ones, over files of a format; gold may be in another format.

    `options` are given to every metric.
    """
    own = family.readers.get(reader)
    names = metrics or (own.metrics if own else ()) or family.metrics
    chosen = as_metrics(names if isinstance(names, str) else list(names), options=options)
    return MetricsTask(chosen, readers=(reader, None) if gold_reader is None else (gold_reader, reader), adjust=adjust)


def _fit(metrics: Sequence[AnyMetric]) -> Fit | None:
    """The schema that records have to fit, if any are compared."""
    if all(one.within != "records" for each in metrics for one in each.members):
        return None
    from adjudge.tasks.record_shapes import fit_of

    return fit_of(metrics)


def _is_path(value: Any) -> bool:
    from pathlib import Path

    try:
        return isinstance(value, Path) or (isinstance(value, str) and Path(value).is_file())
    except (OSError, ValueError):  # too long or with a null character: not a file name
        return False


class _Written(bytearray):
    """Stands in for a hash object and collects the bytes."""

    def update(self, data: bytes) -> None:
        self.extend(data)


def measures_of(metrics: Iterable[AnyMetric]) -> tuple[Measure, ...]:
    """The measures of several metrics; one that is also part of an average occurs once.

    >>> from adjudge.metrics import find
    >>> [each.name for each in measures_of([find("coref.muc"), find("coref.conll")])]
    ['coref.muc', 'coref.b3', 'coref.ceafe', 'coref.conll']
    """
    return tuple(dict.fromkeys(measure for each in metrics for measure in each.measures))


def _is_set(node: ir.Similarity) -> bool:
    while isinstance(node, ir.Normalise | ir.Threshold | ir.Unit | ir.Latent):
        node = node.of
    return isinstance(node, ir.Set | ir.Greedy | ir.Overlap)


def identity(metric: AnyMetric) -> str:
    """How the signature describes a metric."""
    from adjudge.metrics.base import Metric
    from adjudge.stats.inference import hash_chunks

    if not isinstance(metric, Metric):
        from adjudge.metrics.derived import Combined

        if isinstance(metric, Combined) and metric.origin is None:  # its members define what it computes
            inner = "+".join(identity(member) for member in metric.members)
            return inner if metric.op is None else f"{metric.name}({metric.op}({inner}))"
    try:
        written = str(metric)
    except UsageError:  # it contains a function without a name
        return f"{metric.name}#unnamed"
    # A metric from a file or a similarity has no short name; a hash of its definition stands for it.
    return f"{metric.name}#{hash_chunks([written.encode()])}" if written.startswith("{") else written


def check_repeats(metrics: Sequence[AnyMetric], sides: Sequence[Side]) -> None:
    """Raise if repeated elements should count or be errors, but the reader drops them."""
    for metric in (member for each in metrics for member in each.members):
        if metric.document is not None and metric.conventions.duplicates != "set":
            from adjudge.metrics.documents import without_repeats

            place = without_repeats(metric.document)
            if place is not None and any(
                isinstance(each.data, Mapping) for side in sides for each in side.documents.values()
            ):
                raise UsageError(
                    f"{metric.name} cannot see repeated elements: {place} is a set, and reading a document drops them",
                    hint="write list[...] in the type: it is compared without regard to order as well",
                )
