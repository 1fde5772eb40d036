"""Event arguments and linking as a task: assessed responses and reference frames against submissions.

Stores are opened by names alone; each document is read when it is counted, by whoever counts it.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from adjudge.errors import FormatError, Problem, UsageError, ValidationError, did_you_mean
from adjudge.evaluate.engine import Evaluation, evaluate
from adjudge.evaluate.task import Remark, Row, Rows, Run, Side, Task, run_of
from adjudge.formats.eal_arguments import ArgumentLines
from adjudge.formats.eal_assessments import KeyLines
from adjudge.formats.eal_linking import LinkedLines
from adjudge.formats.eal_store import FramesStore, KeyStore, Store, open_frames
from adjudge.model.eal import Span
from adjudge.tasks.eal.compare import Compared, Prepared, compare, prepare
from adjudge.tasks.eal.diagnostics import (
    FIELDS,
    count_by,
    element_table,
    genre_of,
    genres,
    gold_notes,
    gold_remarks,
    system_notes,
    system_remarks,
    without_text,
)
from adjudge.tasks.eal.measures import columns, measures, table_of
from adjudge.tasks.eal.settings import Settings, settings

if TYPE_CHECKING:
    from adjudge.formats.eal_sources import Sources
    from adjudge.stats.alignment import Alignment
    from adjudge.stats.elements import ElementTable
    from adjudge.stats.explanation import Explanation
    from adjudge.stats.measure import Measure
    from adjudge.stats.panel import Panel
    from adjudge.stats.result import Note, Result
    from adjudge.stats.scores import Drawing
    from adjudge.stats.table import StatsTable

Regions: TypeAlias = "Callable[[str], Sequence[Span] | None]"
"""Gives the quotations of a document, whose responses are left out; None if it has none."""
AnyStore: TypeAlias = Store | KeyStore | FramesStore

LIMIT = 1000  # problems that are told
_TOGETHER = 1000  # responses that are counted together
_SETTINGS = ("beta", "lambda_", "taxonomy", "neutralize", "covers", "extras")


class Gold(NamedTuple):
    """Where the gold side is: assessments, and reference frames if the linking is scored."""

    key: str | Path
    frames: str | Path | None = None


@dataclass(frozen=True, slots=True)
class Detail:
    """What is kept of a document: counts by type and by role, and the comparison, which does not travel."""

    counts: Mapping[str, Mapping[str, list[float]]]
    prepared: Prepared | None = None
    compared: Compared | None = None

    def __reduce__(self) -> tuple[type[Detail], tuple[Any]]:
        return Detail, (self.counts,)


class _Opened(dict[str, Any]):
    """The documents of a side: their names, and with them the stores from which they will be read."""

    def __init__(self, documents: Iterable[str], *stores: Any) -> None:
        super().__init__((document, None) for document in documents)
        self.stores = stores


class _Document(NamedTuple):
    """The gold side of a document, what there is to remark on, and what is wrong with it.

    `known` are the responses as they are written there, which need not be read again.
    """

    id: str
    prepared: Prepared | None
    remarks: tuple[Remark, ...]
    problems: tuple[Problem, ...]
    known: Mapping[str, object] | None = None


class EalTask(Task):
    """Submissions against a key, compared under some settings.

    `regions` gives the quotations of a document, `listed` the genres of documents if there is a list, `by` the fields
    by which classes are counted, `texts` the source documents that alignments show.
    """

    name = "eal"
    remedy = "the key is a folder with one file of assessments for each document"
    at_once = 32

    def __init__(
        self,
        chosen: Settings | None = None,
        *,
        regions: Regions | None = None,
        listed: Mapping[str, str] | None = None,
        texts: Sources | None = None,
    ) -> None:
        self.settings = chosen or settings()
        self.columns = columns(self.settings)
        self.regions = regions
        self.listed = listed
        self.texts: Sources | None = texts or getattr(regions, "sources", None)
        self.aligns = False  # whether comparisons are kept for alignments
        self.by: tuple[str, ...] = ()
        self.macro = self.chosen = False
        self.strays: tuple[str, ...] = ()
        self.stores: tuple[Any, ...] = ()

    @property
    def profile(self) -> str:
        """Whose rules are followed."""
        return self.settings.profile.name

    def measures(self) -> list[Measure]:
        """Arguments, linking, both together, and the measures of 2014."""
        return measures(self.settings, macro=self.macro)

    def drawing(self) -> Drawing | None:
        """As the profile says."""
        from adjudge.tasks.eal.ranking import drawing_of

        return drawing_of(self.settings.profile)

    # ------------------------------------------------------------------------------------------------------------------
    # Stores

    def files(self) -> list[str]:
        """The stores, and the texts."""
        return [each.path for each in (*self.stores, self.texts) if each is not None]

    def read(self, source: Any, name: str, *, only: Container[str] | None = None, digest: bool = True) -> Side:
        """A store: the names of its documents, and a hash of what is in those that count."""
        if isinstance(source, Gold):
            return self._read_gold(source, name, digest=digest)
        profile = self.settings.profile
        store = profile.open_store(source)
        if self.settings.linking and not store.has_linking and profile.missing_document == "error":
            store.close()
            hint = "give one with linking/, or leave --frames out"
            raise ValidationError(Problem("the submission has no linking", path=store.path, hint=hint))
        documents = {*store.documents, *(store.linking_documents if self.settings.linking else ())}
        if digest:
            store.take_digest(sorted(only) if isinstance(only, frozenset) else store.documents)
        return Side(name, store.path, _Opened(sorted(documents), store))

    def _read_gold(self, source: Gold, name: str, *, digest: bool) -> Side:
        if (Path(source.key) / "arguments").is_dir():
            hint = "give the assessments as the key, and submissions without an option"
            raise UsageError(Problem("this is a submission, not a key", path=str(source.key), hint=hint))
        keys = self.settings.profile.open_key(source.key)
        linked = source.frames is not None and self.settings.linking
        frames = open_frames(source.frames) if linked and source.frames is not None else None
        stores: list[KeyStore | FramesStore] = [keys, *([] if frames is None else [frames])]
        notes = [note.problem for store in stores for note in store.notes if note.kind == "backup"]
        for store in stores if digest else ():
            store.take_digest(keys.documents)
        return Side(name, keys.path, _Opened(keys.documents, keys, frames), notes=tuple(notes))

    def meet(self, gold: Side, systems: Sequence[Side]) -> tuple[Task, Sequence[Side]]:
        """Files of the key that are not documents go: they have no response, and no other side has one of that name.

        A note that somebody put there would be drawn like a document, and move medians and intervals.
        """
        keys, frames = gold.documents.stores  # type: ignore[attr-defined]
        others: list[Any] = [*(side.documents for side in systems), *([] if frames is None else [frames])]
        unknown = [document for document in keys.documents if not any(document in other for other in others)]
        met = copy(self)
        if not self.chosen:
            met.strays = tuple(document for document in unknown if _is_empty(keys.bytes_of(document) or b""))
        for document in met.strays:
            del gold.documents[document]  # type: ignore[attr-defined]
        met.stores = keys, frames, *(side.documents.stores[0] for side in systems)  # type: ignore[attr-defined]
        for document in gold.documents:
            gold.documents[document] = document  # type: ignore[index]
        for place, side in enumerate(systems, 2):
            for document in side.documents:
                side.documents[document] = place, document  # type: ignore[index]
        return met, systems

    # ------------------------------------------------------------------------------------------------------------------
    # Documents

    def prepare(self, gold: str) -> _Document:
        """Read a document of the key, apply the rules, and number what is left."""
        try:
            return self._prepare([gold])[0]
        except (FormatError, ValidationError) as error:
            return _Document(gold, None, (), tuple(error.problems))

    def observe(self, gold: _Document, system: tuple[int, str] | None, *, keep: bool = False) -> Row:
        """The counts of one document; problems of all files are collected."""
        problems = list(gold.problems)
        try:
            if gold.prepared is not None:
                return self._observe([gold], [system], keep=keep)[0]
            self._read_document(gold, system)
        except (FormatError, ValidationError) as error:
            problems += (error if system is None else error.at(self.stores[system[0]].place(gold.id))).problems
        return Row((0.0,) * len(self.columns), problems=tuple(problems))

    def count_all(self, gold: Sequence[str], systems: Sequence[Sequence[tuple[int, str] | None]]) -> list[Rows] | None:
        """The same of many documents; None if there is a problem, which is looked for in one after the other.

        Large documents are counted one by one, small ones together, because of the time (row `eal/splitting`).
        """
        found = [Rows(array("d"), [], []) for _ in systems]
        at, several = 0, 1
        try:
            while at < len(gold):
                prepared = self._prepare(gold[at : at + several])
                for rows, own in zip(found, systems, strict=True):
                    observed = self._observe(prepared, own[at : at + several])
                    for document, row in zip(prepared, observed, strict=True):
                        rows.counts.extend(row.counts)
                        rows.remarks.extend([(document.id, remark) for remark in row.remarks])
                at += several
                several = 1 + _TOGETHER // (1 + len(prepared[-1].known or ()))
        except (FormatError, ValidationError):
            return None
        return found

    def _prepare(self, names: Sequence[str]) -> list[_Document]:
        """The gold side of some documents, step by step: small documents take less time so than one by one."""
        keys, frames = self.stores[:2]
        lines = [keys.lines(name) for name in names]
        linked = [None if frames is None else frames.linked_lines(key) for key in lines]
        regions = [None if self.regions is None else self.regions(name) for name in names]
        made = [
            prepare(
                key,
                frame,
                self.settings,
                regions=quoted,
                key_place=keys.place(key.document),
                frames_place=None if frames is None else frames.place(key.document),
            )
            for key, frame, quoted in zip(lines, linked, regions, strict=True)
        ]
        return [self._document(*each) for each in zip(lines, made, regions, strict=True)]

    def _document(self, key: KeyLines, prepared: Prepared, regions: Sequence[Span] | None) -> _Document:
        unclosed = getattr(self.regions, "unclosed", None) if regions else None
        remarks = gold_remarks(prepared, key, unclosed=0 if unclosed is None else len(unclosed(key.document)))
        if self.regions is not None:
            remarks = *remarks, Remark("quotations", ",".join(f"{start}-{end}" for start, end in regions or ()))
        known = prepared.reference.written or dict.fromkeys(key.written)
        return _Document(key.document, prepared, remarks, (), known)

    def _observe(
        self, gold: Sequence[_Document], systems: Sequence[tuple[int, str] | None], *, keep: bool = False
    ) -> list[Row]:
        """Some documents of one system, step by step."""
        read = [self._read_document(document, system) for document, system in zip(gold, systems, strict=True)]
        made = [
            compare(lines, linked, _sound(document), self.settings, place=place)
            for document, (lines, linked, place, _) in zip(gold, read, strict=True)
        ]
        rows = []
        for document, (lines, _, _, remarks), compared in zip(gold, read, made, strict=True):
            told = (*document.remarks, *remarks, *system_remarks(compared, self.settings, len(lines)))
            detail = self._detail(_sound(document), compared) if keep else None
            rows.append(Row(compared.row, told, detail))
        return rows

    def _read_document(
        self, gold: _Document, system: tuple[int, str] | None
    ) -> tuple[ArgumentLines, LinkedLines | None, str | None, list[Remark]]:
        document, scored = gold.id, self.settings.linking
        if system is None:
            lines = ArgumentLines(document, [])
            return lines, LinkedLines(lines, []) if scored else None, None, []
        store: Store = self.stores[system[0]]
        lines = store.lines(document, gold.known)
        if not scored or not store.has_linking:
            told = [Remark("no-linking", store.path)] if scored else []
            return lines, None, store.place(document), told
        linked = store.linked_lines(document)
        if linked is not None:
            return lines, linked, store.place(document), []
        if self.settings.profile.missing_document == "error":
            raise ValidationError(_no_linking(document, store.path))
        told = [Remark("unlinked-document")] if len(lines) else []
        return lines, LinkedLines(lines, []), store.place(document), told

    def _detail(self, prepared: Prepared, compared: Compared) -> Detail:
        counts = {field: count_by(field, compared.observed, prepared.reference, self.settings) for field in self.by}
        return Detail(counts, prepared, compared) if self.aligns else Detail(counts)

    def with_texts(self) -> EalTask:
        """The same, which keeps comparisons for alignments."""
        found = copy(self)
        found.aligns = True
        return found

    def align(self, gold: _Document, system: tuple[int, str] | None, row: Row) -> Alignment:
        """The correct classes of the key and all responses, with their places and frames, and their outcomes."""
        from adjudge.tasks.eal.align import align_responses

        text = self.texts.text(gold.id) if self.texts is not None and gold.id in self.texts else None
        kept: Detail = row.detail
        assert kept.prepared is not None
        assert kept.compared is not None
        return align_responses(kept.prepared, kept.compared, self.settings, text=text, missing=system is None)

    def check(self, evaluation: Evaluation) -> None:
        """Raise for the problems of any file, and for missing documents if the profile forbids these."""
        for store in self.stores:
            if store is not None:
                store.close()
        found: dict[str, dict[Problem, None]] = {document: {} for document in evaluation.ids}
        strict = self.settings.linking and self.settings.profile.missing_document == "error"
        for counted in evaluation.systems.values():
            for document, problem in counted.problems:
                found[document][problem] = None
            for document in evaluation.ids if strict and evaluation.checked() else ():
                if document not in counted.side.documents:
                    found[document][_no_linking(document, counted.side.path)] = None
        problems = [problem for each in found.values() for problem in each]
        if problems:
            raise ValidationError(problems[:LIMIT])

    # ------------------------------------------------------------------------------------------------------------------
    # Results

    def attributes(self, document: str) -> Mapping[str, Any]:
        """The genre, by a list or by the prefix of the id."""
        return {"genre": genre_of(document) if self.listed is None else self.listed.get(document, "unknown")}

    def elements(self, evaluation: Evaluation) -> dict[str, list[ElementTable]]:
        """Arguments by event type or by role, if they are asked for."""
        if not self.by:
            return {}
        return {
            name: [element_table(field, [each.counts[field] for each in counted.details]) for field in self.by]
            for name, counted in evaluation.systems.items()
        }

    def signature(self, evaluation: Evaluation) -> dict[str, str | float | None]:
        """The settings, and hashes of quotations and genres if they matter."""
        from adjudge.stats.inference import hash_chunks

        quotes = None
        if self.regions is not None:
            remarks = (remark for _, remark in next(iter(evaluation.systems.values())).remarks)
            lines = [f"{each.example}\n" for each in remarks if each.code == "quotations"]
            quotes = hashlib.sha256("".join(lines).encode()).hexdigest()
        by_genre = "genre" in evaluation.run.by
        genre = "\n".join(each["genre"] for each in evaluation.attributes).encode() if by_genre else b""
        return {
            **self.settings.fields(),
            "quotes": f"removed#{quotes[:4]}" if quotes else None,
            "genres": "#" + hash_chunks([genre])[:4] if genre else None,
        }

    def notes(self, evaluation: Evaluation, name: str) -> list[Note]:
        """What happened to the responses of a system; the first one also has what happened to the key."""
        remarks = evaluation.systems[name].remarks
        rows = evaluation.systems[name].rows(len(self.columns))
        notes = system_notes(remarks, table_of(evaluation.ids, rows, self.settings), self.settings)
        if self.texts is not None and evaluation.run.align:
            notes += without_text([each for each in evaluation.ids if each not in self.texts])
        if name != next(iter(evaluation.systems)):
            return notes
        return [*gold_notes(remarks, self.settings, self.strays), *notes]

    def result(self, evaluation: Evaluation) -> Result:
        """The same as of every task; what was not read on the way is read for the hashes now."""
        gold, *systems = (
            self._hashed(each) for each in (evaluation.gold, *(o.side for o in evaluation.systems.values()))
        )
        for counted, side in zip(evaluation.systems.values(), systems, strict=True):
            counted.side = side
        return super().result(msgspec.structs.replace(evaluation, gold=gold))

    def _hashed(self, side: Side) -> Side:
        stores: tuple[AnyStore | None, ...] = side.documents.stores  # type: ignore[attr-defined]
        return replace(side, digest="".join(each.digest() for each in stores if each is not None))

    def panels(self, evaluation: Evaluation, result: Result) -> tuple[Panel, ...]:
        """The effect of beta and lambda, and the spread of the bootstrap."""
        from adjudge.tasks.eal.panels import rankings_of, weight_panels

        if self.macro or not evaluation.ids:
            return ()
        return weight_panels(tables_of(evaluation), self.settings, rankings_of(result, self.settings))


def _sound(document: _Document) -> Prepared:
    assert document.prepared is not None
    return document.prepared


def _no_linking(document: str, path: str) -> Problem:
    hint = "add the linking file, which may be empty, or use the profile spec"
    return Problem(f"{document} has no linking", path=path, hint=hint)


def _is_empty(data: bytes) -> bool:
    return all(line.startswith(b"#") or not line.strip() for line in data.splitlines())


# ---------------------------------------------------------------------------------------------------------------------
# Scoring


def score(key: str | Path, frames: str | Path | None, systems: Any, *, profile: str = "spec", **options: Any) -> Result:
    """The scores of one or several submissions against assessments and reference frames.

    Without frames only arguments are scored. `beta`, `lambda_`, `taxonomy`, `neutralize`, `covers` and `extras` are the
    settings of `adjudge eal score`; `regions` gives the quotations of a document, whose responses are left out. The
    other `options` are those of every task: `by`, `docs`, `pool`, `bootstrap`, `ci`, `seed`, `interval`, `test`, `jobs`
    and `cluster` (see `adjudge.evaluate.task`); without a seed it is that of the profile.
    """
    words = {name: options.pop(name) for name in _SETTINGS if name in options}
    chosen = settings(profile, **words, linking=frames is not None)
    task = EalTask(chosen, regions=options.pop("regions", None))
    seed = options.pop("seed", None)
    run = run_of(**options, seed=chosen.profile.bootstrap_seed if seed is None else seed)
    return count(task, Gold(key, frames), systems, run).result()


def explain(
    key: str | Path,
    frames: str | Path | None,
    systems: Mapping[str, str | Path],
    document: str,
    settings: Settings,
    *,
    regions: Regions | None = None,
    texts: Sources | None = None,
) -> dict[str, Explanation]:
    """The outcomes in one document, for each system by name; a part of its name suffices if no other one has it."""
    task = EalTask(settings, regions=regions, texts=texts)
    run = Run(align=True, document=document, digest=False)
    return count(task, Gold(key, frames), systems, run).checked().explanations()


def count(
    task: EalTask,
    gold: Gold,
    systems: Any,
    run: Run,
    *,
    genre: str | None = None,
    names: Sequence[str | None] | None = None,
) -> Evaluation:
    """Read and count everything; `genre` chooses the documents of one genre."""
    for field in run.by:
        if field not in (*FIELDS, "genre"):
            hint = did_you_mean(field, (*FIELDS, "genre")) or "scores can be sliced by type, role and genre"
            raise UsageError(f"cannot slice by {field!r}", hint=hint)
    task.by = tuple(field for field in run.by if field in FIELDS)
    task.macro, task.chosen = run.pool == "macro", run.docs is not None or genre is not None
    if isinstance(systems, Mapping):  # always from names of systems
        names, systems = list(systems), list(systems.values())
    if not systems:
        raise UsageError("no submission to score", hint="name at least one")
    run = msgspec.structs.replace(run, keep=bool(task.by))
    if genre is None:
        return evaluate(task, gold, systems, run, names=names)
    side = task.read(gold, "gold", digest=run.digest)
    chosen = [document for document in side.documents if run.docs is None or document in run.docs]
    known = genres(chosen, task.listed)
    docs = tuple(document for document in chosen if known[document] == genre)
    evaluation = evaluate(task, side, systems, msgspec.structs.replace(run, docs=docs), names=names)
    if not docs:  # problems of submissions come first
        there = sorted(set(known.values()))
        hint = did_you_mean(genre, there) or f"there are {', '.join(there)}; give others with --genre-list"
        raise UsageError(f"no document is {genre}", hint=hint)
    return evaluation


def tables_of(evaluation: Evaluation) -> dict[str, StatsTable]:
    """The counts of each system by document."""
    task, width = evaluation.task, len(evaluation.task.columns)
    assert isinstance(task, EalTask)
    return {
        name: table_of(evaluation.ids, counted.rows(width), task.settings)
        for name, counted in evaluation.systems.items()
    }
