"""Event nuggets as a task: nuggets of TBF files are mapped and counted; what is reported depends on the corpus."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from adjudge.algebra.solve.deadline import DEFAULT, Deadline
from adjudge.errors import FormatError, Problem, UsageError, ValidationError, did_you_mean
from adjudge.evaluate.engine import Evaluation, evaluate
from adjudge.evaluate.sides import Source, is_file, is_stdin
from adjudge.evaluate.task import Remark, Reported, Row, Run, Side, Task, run_of
from adjudge.formats.recognise import Expected, recognised
from adjudge.formats.tbf import file_mode, open_tbf
from adjudge.model.nugget import NuggetColumns, NuggetDocument, TokenTable
from adjudge.tasks.nugget.coreference import NOTHING, Chained
from adjudge.tasks.nugget.measures import (
    chosen_columns,
    columns,
    element_table,
    highest_row,
    measures,
    sliced,
    table_columns,
)
from adjudge.tasks.nugget.notes import SHOWN, about_averages, about_choices, about_unproven, notes_of, table_remarks
from adjudge.tasks.nugget.observe import LIMIT, Observed, Ready, Summary, count_documents, is_char, of_types, prepare
from adjudge.tasks.nugget.places import folder_of, read_text
from adjudge.tasks.nugget.settings import Mode, Settings, settings

if TYPE_CHECKING:
    from adjudge.stats.alignment import Alignment
    from adjudge.stats.elements import ElementTable
    from adjudge.stats.explanation import Explanation
    from adjudge.stats.measure import Measure
    from adjudge.stats.result import Note, Result
    from adjudge.tasks.nugget.alignment import Layout
    from adjudge.tasks.nugget.double_annotation import Best
    from adjudge.tasks.nugget.open_choices import Choices

FIELDS = ("type", "realis")
TBF = Expected("TBF", ("tbf",))
_NONE: Mapping[str, Any] = {}
HEADER = "a document begins with a line such as: #BeginOfDocument name, and ends with #EndOfDocument"


_SETTINGS = ("types", "attributes", "coref", "sequencing", "coref_threshold", "coref_mapping")


def score(
    gold: Any,
    systems: Any,
    *,
    tokens: Any = None,
    profile: str = "spec",
    by: str | Iterable[str] = (),
    mode: Mode | None = None,
    suffix: str = ".tab",
    names: Sequence[str | None] | None = None,
    **options: Any,
) -> Result:
    """The scores of one or several systems: nuggets by span and attributes, coreference, and sequencing.

    `gold` and `systems` are paths of TBF files or lists of `NuggetDocument`; `systems` may be a list of paths or a
    mapping from names. `tokens` is the folder of the token tables, or a mapping from document ids to tables: with it
    positions are tokens, without it they are as in the gold file, or as `mode` says. `attributes` are those of which
    all combinations are scored. Coreference and sequencing are scored if there are such lines, or always or never
    (`coref`, `sequencing`), over the `coref_mapping` from a `coref_threshold` of Dice on. `types` lists the types that
    count; `by` also scores by `type` or `realis`. `pool` chooses between micro and macro averages; without it there
    are both. The other `options` are those of every task: `bootstrap`, `ci`, `seed`, `interval`, `test`, `docs`,
    `jobs`, `cluster` and `time_limit` (see `adjudge.evaluate.task`).

    >>> from adjudge.model.nugget import Nugget, NuggetDocument
    >>> gold = [NuggetDocument("d", [Nugget("E1", "Life_Die", "Actual", "died", ("t3",))])]
    >>> system = [NuggetDocument("d", [Nugget("m1", "Life_Die", "Other", "has died", ("t2", "t3"))])]
    >>> score(gold, system, bootstrap=0)["nugget.type"].f1
    0.6667
    """
    chosen = settings(profile, **{name: options.pop(name) for name in _SETTINGS if name in options})
    run = run_of(by=by, **options)
    task = NuggetTask(chosen, tokens=tokens, suffix=suffix, mode=mode, by=run.by, time_limit=run.time_limit)
    return evaluate(task, gold, systems, run, names=names).result()


def explain(
    gold: Any, systems: Any, document: str, task: NuggetTask | None = None, *, names: Sequence[str | None] | None = None
) -> dict[str, Explanation]:
    """The outcome of the nuggets, hoppers and links of one document, for each system by name.

    >>> from adjudge.model.nugget import Nugget, NuggetDocument
    >>> gold = [NuggetDocument("d", [Nugget("E1", "Life_Die", "Actual", "died", ("t3",))])]
    >>> system = [NuggetDocument("d", [Nugget("m1", "Life_Die", "Other", "died", ("t3",))])]
    >>> print(explain(gold, system, "d")["system"])
    d  system  nugget.type+realis: 1 wrong; span 1, type 1, realis 0, type+realis 0
    wrong    Life_Die died Actual (E1) | Life_Die died Other (m1): realis is Other, gold Actual
    """
    from adjudge.evaluate.engine import explain

    return explain(task or NuggetTask(), gold, systems, document, names=names)


class Seen(NamedTuple):
    """One document of gold and of one system, compared, for explanations, pages and official outputs."""

    gold: NuggetDocument
    own: NuggetDocument | None
    observed: Observed
    chains: tuple[Chained, Chained]
    table: TokenTable | None = None

    @property
    def system(self) -> NuggetDocument:
        """That of the system, empty if it has none."""
        return self.own if self.own is not None else NuggetDocument(self.gold.id)


class Prepared(NamedTuple):
    """A prepared gold document, its token table with remarks on it, and the text to show."""

    ready: Ready
    table: TokenTable | None
    remarks: tuple[Remark, ...]
    text: Layout | None


class Detail(NamedTuple):
    """What is kept of a document until all have been counted; `seen` only if the run keeps it.

    `choices` are open where nuggets are annotated twice. `ties` has, for mappings that the order of lines decides or
    an optimal mapping would change, the sums of Dice by line, at best and optimal; `most` is the row that an unfinished
    search leaves possible. `slices` has the counts by field and value.
    """

    gold: Summary
    system: Summary
    choices: Choices | None
    ties: Mapping[str, tuple[float, float, float]]
    most: tuple[float, ...] | None
    slices: Mapping[str, Mapping[str, list[float]]]
    seen: Seen | None


class NuggetTask(Task):
    """Nuggets of gold and of systems, mapped by span and attributes.

    `tokens` is the folder of the token tables, with names that end in `suffix`, or a mapping from ids to tables;
    `texts` the folder of the texts, which alignments show. `mode` says how places are written; `with_gold` finds it
    out. `by` are the fields whose values are counted one by one, `time_limit` the seconds that the search of a document
    may take.
    """

    name = "nugget"
    begins = b"#BeginOfDocument ", b"#EndOfDocument"
    unit, telling, low, looked_at = "character", "nugget.span", 0.97, 100  # places count in part, so F1 need not be low
    remedy = HEADER
    at_once = 20
    keeps = True

    def __init__(
        self,
        chosen: Settings | None = None,
        *,
        tokens: Any = None,
        suffix: str = ".tab",
        texts: str | Path | None = None,
        text_suffix: str = ".txt",
        mode: Mode | None = None,
        by: Iterable[str] = (),
        time_limit: float | None = None,
    ) -> None:
        self.settings = chosen or Settings()
        self.tokens = tokens if isinstance(tokens, Mapping) else folder_of(tokens, "token tables")
        self.suffix = suffix
        self.texts = folder_of(texts, "texts")
        self.text_suffix = text_suffix
        self.words = False
        self.mode = mode or (None if tokens is None else "token")
        self.by = tuple(dict.fromkeys(by))
        self.time_limit = DEFAULT if time_limit is None else time_limit
        if not self.time_limit > 0:
            raise UsageError(f"a time limit of {time_limit:g} seconds leaves no time", hint="give a positive number")
        self.columns = table_columns(
            self.settings, coref=self.settings.coref is not False, sequencing=self.settings.sequencing is not False
        )
        for field in self.by:
            if field not in FIELDS:
                hint = did_you_mean(field, FIELDS) or f"nuggets have a {' and a '.join(FIELDS)}"
                raise UsageError(f"cannot slice by {field!r}", hint=hint)

    @property
    def profile(self) -> str:
        """Whose rules are followed."""
        return self.settings.profile

    def measures(self) -> list[Measure]:
        """All possible measures."""
        chosen = self.settings
        return measures(chosen, coref=chosen.coref is not False, sequencing=chosen.sequencing is not False)

    # Reading

    def with_gold(self, gold: Source) -> tuple[NuggetTask, Source]:
        """The task with the mode of the gold file; a source that can be read only once is read."""
        mode, source = self.mode, gold
        if mode is None and isinstance(gold, str | os.PathLike) and not is_stdin(gold):
            mode = file_mode(os.fspath(gold))
        elif mode is None:
            source = gold if isinstance(gold, Side) else self.read(gold, "gold")
            mode = "char" if is_char(*source.documents.values()) else "token"
        if self.profile == "evmeval-2015" and mode == "char":
            hint = "name the folder of the token tables with -t"
            raise UsageError("the program of 2015 compares tokens only", hint=hint)
        task = copy(self)
        task.mode = mode
        return task, source

    def with_texts(self) -> NuggetTask:
        """The task that also reads the texts."""
        task = copy(self)
        task.words = True
        return task

    def files(self) -> list[str]:
        """The folders of the token tables and the texts."""
        return [str(each) for each in (self.tokens, self.texts) if isinstance(each, Path)]

    def read(self, source: Any, name: str, *, only: Container[str] | None = None, digest: bool = True) -> Side:
        """A TBF file, or a list of `NuggetDocument`; a document of a file is parsed when it is asked for."""
        chosen = self.settings
        if not is_file(source):
            return _listed(source, name, chosen)
        file = open_tbf(source, mode=self.mode, digest=digest)
        if not file.ids:
            # The official program treats any other file as a system that finds nothing.
            is_gold = name == "gold" and only is None
            if is_gold or (any(note.line for note in file.notes) and not chosen.official):
                missing = Problem("gold has no documents", path=file.path, hint=HEADER)
                raise recognised(FormatError(file.notes or missing), source, TBF)
        notes = [*file.notes, *file.remarks.values()]
        if len(notes) > SHOWN:
            notes[SHOWN:] = [Problem(f"{len(notes) - SHOWN} more remarks on the file", path=file.path)]
        return Side(name, file.path, _Documents(file.ids, file.read, chosen), file.digest, tuple(notes))

    def cut(self, sources: Sequence[Any], parts: int, run: Run) -> list[tuple[Any, ...]] | None:
        """Parts of the files, except for the official program, which depends on the order of names."""
        return None if self.settings.official or self.mode is None else super().cut(sources, parts, run)

    def read_part(self, part: Any, *, only: Container[str] | None = None) -> Side:
        """One side of a part, read completely, since every document is used more than once."""
        side = super().read_part(part, only=only)
        return replace(side, documents=dict(side.documents.items()))

    def spans(self, document: NuggetDocument) -> Iterable[tuple[int, int]]:
        """The pieces of text of all nuggets; none if they are tokens."""
        nuggets = document.nuggets
        if isinstance(nuggets, NuggetColumns) and nuggets.kind == "piece":
            return nuggets.places
        return (piece for nugget in nuggets for piece in nugget.pieces)

    def bare(self, document: NuggetDocument) -> NuggetDocument:
        """Its name."""
        return NuggetDocument(document.id)

    # Counting

    def prepare(self, gold: NuggetDocument) -> Prepared:
        """The gold document as it is compared, with its token table and its text."""
        table, remarks = self._table(gold.id) if self.mode == "token" else (None, ())
        text = None
        if self.words:
            from adjudge.formats.token_table import find_table
            from adjudge.tasks.nugget.alignment import layout

            written: str | Problem | None = gold.text
            if self.texts is not None:
                path = find_table(self.texts, gold.id, suffix=self.text_suffix)
                written = None if path is None else read_text(path)
                remarks = remarks if path is not None else (*remarks, Remark("no-text", gold.id))
            if isinstance(written, Problem):
                raise FormatError(written)
            text = layout(written, table)
        return Prepared(prepare(gold, self.settings, self._invisible(table), char=is_char(gold)), table, remarks, text)

    def _table(self, document: str) -> tuple[TokenTable | None, tuple[Remark, ...]]:
        """The table of a document, None if there is none; the official program leaves rows out that it cannot read."""
        if not isinstance(self.tokens, Path):
            return (self.tokens or {}).get(document), ()
        from adjudge.formats.token_table import find_table, scan_table

        path = find_table(self.tokens, document, suffix=self.suffix)
        if path is None:
            return None, ()
        table, findings = scan_table(path, document)
        problems = [finding.problem for finding in findings if finding.error]
        if problems and not self.settings.official:
            raise FormatError(problems)
        told = [finding.problem for finding in findings if finding.error or finding.kind == "table-header"]
        return table, tuple(Remark("input", str(problem)) for problem in told)

    def _invisible(self, table: TokenTable | None) -> frozenset[str]:
        if table is None:
            return frozenset()
        words = self.settings.invisible
        return frozenset([token.id for token in table.tokens if token.text.strip().lower() in words])

    def observe(self, gold: Prepared, system: NuggetDocument | None, *, keep: bool = False) -> Row:
        """Map the nuggets of a document, and count nuggets, coreference and sequencing."""
        own = system if system is not None else NuggetDocument(gold.ready.document.id)
        char = is_char(gold.ready.document, own)  # if gold has no places, it does not matter how they were read
        theirs = prepare(own, self.settings, self._invisible(gold.table), char=char)
        remarks = gold.remarks
        if self.mode == "token":
            remarks += tuple(table_remarks(gold.ready.document, own, gold.table))
        clock = Deadline(self.time_limit)
        found = count_documents(gold.ready, theirs, self.settings, gold.table, char=char, clock=clock)
        choices = found.choices and found.choices._replace(left=max(clock.left, 0.0))
        slices = {field: sliced(found.observed, field, self.settings) for field in self.by} if self.by else _NONE
        seen = None
        if keep:
            seen = Seen(gold.ready.document, system, found.observed, (gold.ready.chains, theirs.chains), gold.table)
        detail = Detail(gold.ready.summary, theirs.summary, choices, *found.open_ends, slices, seen)
        return Row(found.counts, (*remarks, *found.remarks), detail, found.refused)

    def align(self, gold: Prepared, system: NuggetDocument | None, row: Row) -> Alignment:  # noqa: ARG002
        """The outcome of every nugget, hopper and link."""
        from adjudge.tasks.nugget.alignment import align_document

        return align_document(row.detail.seen, self.settings, gold.text)

    # The whole corpus

    def check(self, evaluation: Evaluation) -> None:
        """Raise for what cannot be scored; drop what follows the document at which the program of 2015 stops."""
        if self.profile == "evmeval-2015":
            for counted in evaluation.systems.values():
                _stop(counted, evaluation.ids, len(self.columns))
        coref, _ = scored(evaluation)
        problems = {
            refusal.problem
            if refusal.problem.path or not refusal.side
            else replace(refusal.problem, path=(evaluation.gold if refusal.side == "gold" else counted.side).path): None
            for counted in evaluation.systems.values()
            for _, refusal in counted.problems
            if coref or not refusal.coref
        }
        if problems:
            raise FormatError([*list(problems)[:LIMIT], *([Problem("and more problems")] * (len(problems) > LIMIT))])
        if coref and self.profile == "evmeval-2015":
            start = len(columns(self.settings))
            for counted in evaluation.systems.values():
                if not any(any(each[start : start + len(NOTHING)]) for each in counted.rows(len(self.columns))):
                    message = "no document has a coreference score above 0, and the program of 2015 stops"
                    hint = "leave coreference out (--no-coref), or use the profile evmeval-1.8 or spec"
                    raise ValidationError(Problem(message, path=counted.side.path, hint=hint))

    def reported(self, evaluation: Evaluation) -> Reported:
        """Coreference and sequencing if there is any, and the best choice among double annotations."""
        coref, sequencing = scored(evaluation)
        averaged = evaluation.run.pool == "macro"
        best = _best_choices(self, evaluation) if coref and not averaged else {}
        parts = {"coref": coref, "sequencing": sequencing, "double": bool(best)}
        names = table_columns(self.settings, **parts)
        counts, most, told = {}, {}, {}
        for name, counted in evaluation.systems.items():
            counts[name] = chosen_columns(counted.counts, self.columns, names, best[name].changed if best else {})
            most[name] = self._most(counted, names, counts[name], best[name].unproven if best else ())
            told[name] = [
                *(about_choices(best[name]) if best else ()),
                *about_unproven(evaluation.ids, len(names), counts[name], most[name]),
                *(about_averages(coref=coref, sequencing=sequencing) if averaged else ()),
            ]
        chosen = measures(self.settings, pool=evaluation.run.pool, **parts)
        return Reported(names, chosen, counts, "micro", most, told)

    def _most(
        self, counted: Any, names: Sequence[str], counts: Sequence[float], unproven: Iterable[int]
    ) -> dict[int, tuple[float, ...]]:
        """By place, the rows that unfinished searches leave possible: of mappings that count, and of choices."""
        width, found = len(names), dict[int, tuple[float, ...]]()
        for place, each in enumerate(counted.details):
            if each and each.most is not None and not self.settings.official:
                found[place] = (*each.most, *counts[place * width + len(each.most) : (place + 1) * width])
        for place in unproven:
            found[place] = highest_row(names, found.get(place, counts[place * width : (place + 1) * width]))
        return dict(sorted(found.items()))

    def elements(self, evaluation: Evaluation) -> Mapping[str, Sequence[ElementTable]]:
        """The counts of the nuggets of one type, or of one realis value."""
        return {
            name: [
                element_table(field, [each.slices[field] if each else _NONE for each in counted.details], self.settings)
                for field in self.by
            ]
            for name, counted in evaluation.systems.items()
        }

    def notes(self, evaluation: Evaluation, name: str) -> list[Note]:
        """Ties, doubtful nuggets, clusters, links and token tables."""
        return notes_of(self.settings, self.columns, evaluation.ids, evaluation.systems[name])

    def signature(self, evaluation: Evaluation) -> Mapping[str, str | float | None]:
        """The mode, the settings, and what is scored."""
        coref, sequencing = scored(evaluation)
        return {
            "mode": self.mode,
            **self.settings.fields(),
            "limit": None if self.time_limit == DEFAULT else f"{self.time_limit:g}",
            "coref": "yes" if coref else "no",
            "sequencing": "yes" if sequencing else "no",
            "pool": evaluation.run.pool or "micro+macro",
        }


def scored(evaluation: Evaluation) -> tuple[bool, bool]:
    """Whether coreference and sequencing are scored: as set, or else if a document has such lines."""
    task = evaluation.task
    assert isinstance(task, NuggetTask)
    coref, sequencing = task.settings.coref, task.settings.sequencing
    sides = [
        side
        for counted in evaluation.systems.values()
        for detail in counted.details
        if detail is not None
        for side in (detail.gold, detail.system)
    ]
    return (
        any(side.clusters for side in sides) if coref is None else coref,
        any(side.links for side in sides) if sequencing is None else sequencing,
    )


# ---------------------------------------------------------------------------------------------------------------------
# Sides


class _Documents(Mapping[str, NuggetDocument]):
    """Documents that are read one by one, with the types that count; by the bytes of their ids, if official."""

    def __init__(self, ids: Iterable[str], read: Callable[[str], NuggetDocument], settings: Settings) -> None:
        order = sorted(ids, key=lambda name: name.encode("utf-8", "surrogatepass")) if settings.official else ids
        self.ids = dict.fromkeys(order)
        self.read_one = read
        self.settings = settings

    def __getitem__(self, id: str) -> NuggetDocument:
        return of_types(self.read_one(id), self.settings)

    def __contains__(self, id: object) -> bool:
        return id in self.ids

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)


def _listed(source: Any, name: str, settings: Settings) -> Side:
    if not isinstance(source, Sequence) or not all(isinstance(each, NuggetDocument) for each in source):
        hint = "give the path of a TBF file, or a list of NuggetDocument"
        raise UsageError(f"cannot take nuggets from {type(source).__name__}", hint=hint)
    from hashlib import sha256

    documents = {document.id: document for document in source}
    if len(documents) < len(source):
        ids = [document.id for document in source]
        twice = next(each for each in ids if ids.count(each) > 1)
        raise ValidationError(f"duplicate id {twice!r}", hint="give every document its own id")
    digest = sha256(repr(list(source)).encode("utf-8", "backslashreplace")).hexdigest()
    return Side(name, "<documents>", _Documents(documents, documents.__getitem__, settings), digest)


# ---------------------------------------------------------------------------------------------------------------------
# One document


def _stop(counted: Any, ids: Sequence[str], width: int) -> None:
    """The program of 2015 stops at a document with a mention id twice: neither it nor any later one counts."""
    stopped = {name for name, remark in counted.remarks if remark.code == "stopped"}
    place = next((place for place, name in enumerate(ids) if name in stopped), None)
    if place is None:
        return
    gone = set(ids[place:])
    counted.counts[place * width :] = array("d", bytes(8 * width * (len(ids) - place)))
    counted.details[place:] = [None] * (len(ids) - place)
    if counted.alignments:
        from adjudge.tasks.nugget.alignment import stopped_at

        counted.alignments[place:] = map(stopped_at, counted.alignments[place:])
    tables = ("input", "no-token-table", "foreign-token", "foreign-table")
    counted.remarks = [
        (name, remark)
        for name, remark in counted.remarks
        if name not in gone or remark.code in tables or (name == ids[place] and remark.code == "stopped")
    ]
    counted.problems = [(name, refusal) for name, refusal in counted.problems if name not in gone or not refusal.side]


def _best_choices(task: NuggetTask, evaluation: Evaluation) -> dict[str, Best]:
    """The best alignment of nuggets that are annotated twice, for all systems if any of them has a choice."""
    choices = {
        name: [None if each is None else each.choices for each in counted.details]
        for name, counted in evaluation.systems.items()
    }
    if not any(each is not None for own in choices.values() for each in own):
        return {}
    from adjudge.tasks.nugget.double_annotation import best_of_columns

    width, start = len(task.columns), len(columns(task.settings))
    return {
        name: best_of_columns(choices[name], [counted.counts[start + at :: width] for at in range(len(NOTHING))])
        for name, counted in evaluation.systems.items()
    }
