"""Results: scores with intervals, comparisons, notes, and the counts to recompute all of it.

The JSON of a `Result` is the output contract of every command; `saved.json_schema` describes it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, overload

import msgspec

from adjudge._version import __version__
from adjudge.bounded import file_bytes
from adjudge.errors import Problem, UsageError, did_you_mean
from adjudge.model.document import Reading
from adjudge.rooms import load
from adjudge.stats.alignment import GoldDocument, SystemDocument, merge_documents
from adjudge.stats.elements import ElementTable
from adjudge.stats.estimate import Estimate, MetricScores, SystemScores
from adjudge.stats.inference import SignatureValue, chosen_interval, chosen_test, signature
from adjudge.stats.measure import Measure
from adjudge.stats.panel import Panel
from adjudge.stats.table import AttributeValue, StatsTable

if TYPE_CHECKING:
    from adjudge.stats.explanation import Explanation

Slice: TypeAlias = dict[str, AttributeValue]

_NESTED = ("slice", "uncertainty")
_UNSIGNED = "_unsigned"
_AGAIN = "_again"  # scores the same documents again


class BoxNumbers(msgspec.Struct, frozen=True):
    """A notched box plot: the box is the percentile interval, not the quartiles; `outside` are the dots beyond it."""

    median: float
    low: float
    high: float
    first_quartile: float
    third_quartile: float
    notch_low: float
    notch_high: float
    mean: float
    outside: tuple[float, ...] = ()


class Uncertainty(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All intervals of a score by name, and more about its samples.

    `error` is the jackknife standard error, `bias` how far the mean of the resampled scores is from the score,
    `empty` in how many resamples the system has nothing. An `estimated` score was sampled instead of counted: its
    interval is for the exact score on these documents.
    """

    intervals: dict[str, tuple[float, float]] = {}
    error: float | None = None
    bias: float | None = None
    empty: int = 0
    box: BoxNumbers | None = None
    estimated: bool = False


class SampledCounts(msgspec.Struct, frozen=True, omit_defaults=True):
    """Counts in samples of the documents, column by column: all documents, leave-outs, bootstrap samples, pairs.

    In the sample of a pair two of the leave-outs, by place, are left out together.
    """

    columns: tuple[str, ...]
    left_out: int
    values: tuple[tuple[float, ...], ...]
    slice: dict[str, AttributeValue] = {}
    pairs: tuple[tuple[int, int], ...] = ()


class Standing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One system in the ranking by one score, with the interval of that score, and its bound if it is not proven.

    `ranks` are the ranks that it may have: with the level, the true ranks of all systems are in their ranges at once.
    `rank_shares` is the share of resampled corpora in which it has each rank; systems that tie share the better rank.
    An official ranking is by the `median` over the corpora, whose interval it has, and `wins` and `ties` are the shares
    of corpora in which the system is strictly above, or level with, each other one.
    """

    metric: str
    part: str
    system: str
    rank: int
    value: float | None
    low: float | None = None
    high: float | None = None
    bound: float | None = None
    ranks: tuple[int, int] | None = None
    rank_shares: dict[int, float] = {}
    median: float | None = None
    wins: dict[str, float] = {}
    ties: dict[str, float] = {}


class Score(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One part of one metric on one slice, as a fraction of one; a value of None is undefined.

    `interval` says how `low` and `high` were found (`jackknife`, `percentile`, `bca`), and `scale` on which scale
    (`logit`) if that is not the score's own. If a search was cut short, `optimal` is false and the true value is proven
    to lie between `value` and `bound`. `uncertainty` has more of the intervals of metrics that do not add over
    documents.
    """

    metric: str
    pool: str
    part: str
    value: float | None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    interval: str | None = None
    scale: str | None = None
    numerator: float | None = None
    denominator: float | None = None
    optimal: bool = True
    bound: float | None = None
    slice: Slice
    uncertainty: Uncertainty | None = None

    def estimate(self) -> Estimate:
        """The value as a number with its interval."""
        return Estimate(self.value, low=self.low, high=self.high, level=self.level, bound=self.bound)


class Note(msgspec.Struct, frozen=True):
    """Something readers should know: a code for programs, a sentence for people, and where it occurred."""

    code: str
    count: int
    message: str
    examples: tuple[str, ...] = ()


class SystemResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All scores of one system, and in a saved result its counts per document.

    `best` has the rows of the documents whose search was cut short, with the highest counts that are still possible;
    `elements` has the counts of elements by fields of theirs; `samples` the counts of metrics that do not add over
    documents, in samples of them, beside which `table` has those that do; `aligned` the outcome of every item, in the
    order of the result's documents.
    """

    name: str
    documents: int
    scores: tuple[Score, ...]
    notes: tuple[Note, ...]
    table: StatsTable | None = None
    best: StatsTable | None = None
    elements: tuple[ElementTable, ...] = ()
    samples: tuple[SampledCounts, ...] = ()
    aligned: tuple[SystemDocument, ...] = ()

    def __getitem__(self, metric: str) -> MetricScores:
        scores = [score for score in self.scores if score.metric == metric]
        if not scores:
            hint = did_you_mean(metric, self.metrics) or f"metrics: {', '.join(self.metrics)}"
            raise UsageError(f"the result of {self.name} has no metric {metric}", hint=hint)
        return MetricScores(
            metric,
            tuple((score.part, score.slice, score.estimate()) for score in scores),
            system=self.name,
        )

    def __contains__(self, metric: object) -> bool:
        return metric in self.metrics

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics, in order."""
        return tuple(dict.fromkeys(score.metric for score in self.scores))

    def _repr_html_(self) -> str:
        from adjudge.stats.notebook import scores_html

        return scores_html(self.name, self.scores)


class Comparison(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """System a minus system b on one part, on `documents` documents; `resamples` is how many p is from, if any.

    `p_holm` and `q` are corrected for all comparisons of a family: all pairs on one part, of the whole corpus (`family`
    is `overall`) or of all slices by one field (of that name). Holm's correction is for claims, the share of false
    discoveries (Benjamini and Hochberg's q) for exploration. `detectable` is the smallest difference that so many
    documents would show with a power of 80 %.
    """

    a: str
    b: str
    metric: str
    part: str
    family: str = ""
    difference: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    q: float | None = None
    test: str | None = None
    wins: float | None = None
    documents: int | None = None
    resamples: int | None = None
    detectable: float | None = None
    slice: Slice

    def _repr_html_(self) -> str:
        from adjudge.stats.notebook import comparison_html

        return comparison_html(self)


class Options(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the numbers were obtained, for recomputing them; `fields` are the conventions in the signature.

    `bootstrap` is the number of resamples for intervals, `resamples` those of the tests, and of those in slices.
    `interval` and `test` are as asked for, so that `auto` depends on the number of documents; `draws` names the
    generator. Documents with the same value of `cluster_by` are one unit; `clusters` is their number. `unsaved` are
    fields of the documents that are not attributes of the tables because some of their values are long.
    """

    pool: str
    by: tuple[str, ...]
    bootstrap: Annotated[int, msgspec.Meta(ge=0)]
    level: Annotated[float, msgspec.Meta(gt=0, lt=1)]
    seed: Annotated[int, msgspec.Meta(ge=0)]
    test: str
    fields: dict[str, SignatureValue]
    unsaved: tuple[str, ...] = ()
    interval: str = "auto"
    resamples: tuple[int, ...] = ()
    draws: str = "numpy"
    cluster_by: str | None = None
    clusters: int | None = None


class Result(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, dict=True):
    """The scores of one or several systems, and the ranking of several by the headline part of each metric.

    `print(result)` shows a table, `result["relation.strict"].f1` is a number with its interval, or of several systems
    `result["relation.strict"]["A"].f1` (`result.system("A")` has all of one), and `save` and `load` keep all of it.
    Documents in memory are hashed when the `signature` or the `options` are first read.
    """

    adjudge: str
    task: str
    profile: str
    signature: str
    systems: tuple[SystemResult, ...]
    comparisons: tuple[Comparison, ...]
    notes: tuple[Note, ...] = ()
    ranking: tuple[Standing, ...] = ()
    measures: tuple[Measure, ...] = ()
    options: Options | None = None
    documents: tuple[GoldDocument, ...] = ()
    panels: tuple[Panel, ...] = ()
    reading: dict[str, Reading] = {}

    def signed_by(self, fields: Callable[[], Mapping[str, SignatureValue]]) -> Result:
        """The same, with a signature whose fields are computed when it is first read."""
        assert self.options is not None
        self.__dict__[_UNSIGNED] = (self.options, fields)
        for name in ("signature", "options"):
            getattr(Result, name).__delete__(self)  # reading it calls __getattr__, encoding it is an error
        return self

    if not TYPE_CHECKING:  # type checkers should report other names

        def __getattr__(self, name: str) -> Any:
            """Compute the signature, and the options with its fields, on first use."""
            if _UNSIGNED not in self.__dict__:
                raise AttributeError(f"a result has no {name}")
            options, made = self.__dict__[_UNSIGNED]
            options = msgspec.structs.replace(options, fields=dict(made()))
            fields = result_fields(self.profile, self.systems[0].documents, len(self.systems), options)
            msgspec.structs.force_setattr(self, "signature", signature(self.task, fields))
            msgspec.structs.force_setattr(self, "options", options)
            del self.__dict__[_UNSIGNED]
            return getattr(self, name)

    def signed(self) -> Result:
        """The result itself, with its signature computed."""
        _ = self.signature
        return self

    def __copy__(self) -> Result:
        return msgspec.structs.replace(self.signed())

    def __reduce__(self) -> Any:
        return msgspec.Struct.__reduce__(self.signed())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return msgspec.structs.astuple(self.signed()) == msgspec.structs.astuple(other.signed())

    @overload
    def __getitem__(self, metric: str) -> Any: ...  # MetricScores of one system, SystemScores of several

    @overload
    def __getitem__(self, metric: tuple[str, str]) -> MetricScores: ...

    def __getitem__(self, metric: str | tuple[str, str]) -> MetricScores | SystemScores:
        """The scores of a metric; of several systems by name, or those of one: `result["ner.strict", "A"]`."""
        if isinstance(metric, tuple):
            return self.system(metric[1])[metric[0]]
        if not self.systems:
            raise UsageError("the result has no system")
        if len(self.systems) == 1:
            return self.systems[0][metric]
        having = [system for system in self.systems if metric in system] or self.systems
        return SystemScores(metric, {system.name: system[metric] for system in having})

    def __contains__(self, metric: object) -> bool:
        return bool(self.systems) and metric in self.systems[0]

    def system(self, name: str) -> SystemResult:
        """The result of one system."""
        for system in self.systems:
            if system.name == name:
                return system
        names = [system.name for system in self.systems]
        raise UsageError(f"no system {name}", hint=did_you_mean(name, names) or f"systems: {', '.join(names)}")

    @property
    def ungrounded(self) -> dict[str, dict[str, list[dict[str, Any]]]]:
        """The mentions of each system, by document, that are not in the text: they count as wrong."""
        return {system.name: self.reading[system.name].ungrounded for system in self.systems if self.reading}

    @property
    def saved(self) -> Options:
        """How the numbers were obtained; an error if the result was not saved with its counts."""
        return self._without([])

    def tables(self) -> dict[str, StatsTable]:
        """The counts per document of every system; an error if they are not saved, or not those of all scores."""
        corpus = self.options is not None and self.options.pool == "corpus"
        self._without([each.name for each in self.systems if each.table is None or corpus])
        return {each.name: each.table for each in self.systems if each.table is not None}

    def _without(self, lacking: list[str]) -> Options:
        if self.options is None or not self.measures or lacking:
            names = ", ".join(lacking or (each.name for each in self.systems))
            hint = "write it with --save or Result.save"
            raise UsageError(f"the result of {names} has no counts per document", hint=hint)
        return self.options

    def __str__(self) -> str:
        from adjudge.stats.text import render_text

        return render_text(self)

    def __repr__(self) -> str:
        return f"<Result {self.signature}, systems: {', '.join(system.name for system in self.systems)}>"

    def _repr_html_(self) -> str:
        from adjudge.stats.notebook import result_html

        notebook = "IPython" in sys.modules
        return result_html(self, load("adjudge.report.page:shown_page")(self) if notebook else None)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One flat dict per score, all with the same keys, ready for a data frame; slices are `slice.FIELD`."""
        scores = [(system.name, score) for system in self.systems for score in system.scores]
        fields = dict.fromkeys(name for _, score in scores for name in score.slice)
        return [
            {
                "system": system,
                **{name: getattr(score, name) for name in Score.__struct_fields__ if name not in _NESTED},
                **{f"slice.{name}": score.slice.get(name) for name in fields},
            }
            for system, score in scores
        ]

    def mean_of_runs(self, *, fixed: bool = False) -> Result:
        """One system for all of its runs, which are called NAME#1, NAME#2, ...; `fixed` means these runs alone."""
        from adjudge.stats.runs import mean_of_runs

        return mean_of_runs(self, fixed=fixed)

    def to_flat(self) -> dict[str, float]:
        """Scores and the ends of their intervals by name, for loggers: `ner.strict.f1`, `ner.strict.f1.low`.

        With several systems a name begins with that of its system (`A/ner.strict.f1`). Other characters than letters,
        digits, `_ - . /` and blanks become `_`. Slices and undefined scores are left out.

        >>> from adjudge.tasks.scoring import score
        >>> found = score("record.set", [{"id": "d", "items": ["a", "b"]}], [{"id": "d", "items": ["a"]}], bootstrap=0)
        >>> found.to_flat()["record.set.recall"]
        0.5
        """
        from adjudge.stats.frames import flat

        return flat(self)

    def to_pandas(self, rows: str = "scores") -> Any:
        """A data frame of pandas with a row for each of the `scores`, `comparisons` or `documents`."""
        from adjudge.stats.frames import result_rows, to_frame

        return to_frame(result_rows(self, rows), "pandas")

    def to_polars(self, rows: str = "scores") -> Any:
        """The same as a data frame of polars."""
        from adjudge.stats.frames import result_rows, to_frame

        return to_frame(result_rows(self, rows), "polars")

    def to_markdown(self) -> str:
        """The table of scores in Markdown, with comparisons and notes."""
        return str(load("adjudge.report.render:render")(self, "md"))

    def to_latex(self) -> str:
        """The table of scores in LaTeX."""
        return str(load("adjudge.report.render:render")(self, "latex"))

    def to_json(self, *, with_tables: bool = False) -> str:
        """The output contract as JSON; with tables it is what `save` writes."""
        if with_tables:
            return msgspec.json.encode(self.signed()).decode()
        bare = msgspec.structs.replace(
            self.signed(),
            systems=tuple(
                msgspec.structs.replace(system, table=None, best=None, elements=(), samples=(), aligned=())
                for system in self.systems
            ),
            measures=(),
            options=None,
            documents=(),
            panels=(),
            reading={},
        )
        return msgspec.json.format(msgspec.json.encode(bare), indent=2).decode()

    def explain(self, document: str) -> dict[str, Explanation]:
        """Outcomes of the items of a document that was saved, by system; a unique part of its name suffices.

        >>> from adjudge.tasks.scoring import score
        >>> gold, system = [{"id": "d1", "items": ["a", "b"]}], [{"id": "d1", "items": ["a"]}]
        >>> print(score("record.set", gold, system, bootstrap=0, documents=True).explain("d1")["system"])
        d1  system  record.set: 1 correct, 1 missed
        correct  a (items[0])
        missed   b (items[1])
        """
        from adjudge.stats.explanation import Explanation, find_document
        from adjudge.stats.notes import unproven_of

        names = [each.id for each in self.documents]
        if not names and _AGAIN in self.__dict__:
            explained: dict[str, Explanation] = self.__dict__[_AGAIN](document=document)
            return explained
        if not names:
            hint = "score with documents=True, or --save-documents"
            raise UsageError("the result was saved without the outcome of every item", hint=hint)
        place = names.index(find_document(names, document))
        gold = self.documents[place]
        return {
            each.name: Explanation(gold.id, each.name, each.aligned[place].aligned(gold), unproven_of(each, gold.id))
            for each in self.systems
            if each.aligned
        }

    def by(self, field: str) -> Result:
        """The same result, also by the values of a field of the documents (`genre`) or of what is compared (`type`).

        >>> from adjudge.tasks.scoring import score
        >>> found = score("ner.strict", [["B-PER", "B-LOC"]], [["B-PER", "B-PER"]], bootstrap=0)
        >>> found.by("type")["ner.strict"].where(**{"entities.type": "PER"}).precision
        0.5000
        """
        if any(field in score.slice for system in self.systems for score in system.scores):
            return self
        additive = self.options is not None and self.options.pool != "corpus"
        if additive and all(each.table is not None and field in each.table.attributes for each in self.systems):
            return load("adjudge.stats.compare:compare")(self, by=(*self.saved.by, field))  # type: ignore[no-any-return]
        if _AGAIN not in self.__dict__:
            raise UsageError(f"the result cannot be sliced by {field}", hint=f"score with by={field!r}")
        return self.__dict__[_AGAIN](by=field)  # type: ignore[no-any-return]

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the page of the result, with the outcome of every item if that is known, and give its path.

        Without a path it is a temporary file. Notebooks show the page.
        """
        return load("adjudge.report.page:write_page")(self._aligned(), path)  # type: ignore[no-any-return]

    def _aligned(self) -> Result:
        """The result with the outcome of every item, if the documents can be scored again and the scorer tells."""
        if self.documents or _AGAIN not in self.__dict__:
            return self
        again = self.__dict__[_AGAIN](align=True)
        return self if again is None else self.with_documents_of([again])

    def with_documents_of(self, results: Iterable[Result]) -> Result:
        """This result with the documents and panels of others, for the systems that it has."""
        results = list(results)
        saved = [(each.documents, {system.name: system.aligned for system in each.systems}) for each in results]
        documents, aligned = merge_documents(saved)
        if not documents:
            return self
        systems = tuple(msgspec.structs.replace(each, aligned=aligned.get(each.name, ())) for each in self.systems)
        panels = tuple({(each.name, each.system): each for result in results for each in result.panels}.values())
        return msgspec.structs.replace(self.signed(), systems=systems, documents=documents, panels=panels)

    def worse_than(self, baseline: Result, *, level: float = 0.05) -> tuple[Comparison, ...]:
        """Where systems are significantly worse than in a saved result, after Holm's correction over all tests.

        The F of every metric is tested, for every system, overall and in the slices that both results have.
        """
        from adjudge.stats.gate import worse_than

        return worse_than(self, baseline, level)

    def renamed(self, name: str) -> Result:
        """The result of one system under another name."""
        if len(self.systems) != 1:
            raise UsageError(f"a result of {len(self.systems)} systems cannot be called {name}")
        panels = tuple(msgspec.structs.replace(each, system=each.system and name) for each in self.panels)
        return msgspec.structs.replace(
            self.signed(), systems=(msgspec.structs.replace(self.systems[0], name=name),), panels=panels
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result with its tables and measures, atomically."""
        from adjudge.files import write_atomically

        write_atomically(path, self.to_json(with_tables=True).encode() + b"\n")

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Result:
        """Read what `save` wrote; anything else is an error with its place."""
        name = os.fspath(path)
        try:
            data = file_bytes(path)
        except (OSError, ValueError) as error:  # a ValueError is a path with a null character
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(Problem(f"cannot be read: {reason}", path=name, hint="check the path")) from error
        from adjudge.stats.saved import decode_result

        return decode_result(data, name)


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names of systems, or an error if two are the same.

    >>> unique_names(["A", "B"])
    ('A', 'B')
    """
    names = tuple(names)
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise UsageError(
            f"two systems are called {', '.join(repeated)}",
            hint="rename one of them: NAME=FILE on the command line, Result.renamed in Python",
        )
    return names


def result_fields(profile: str, documents: int, systems: int, options: Options) -> dict[str, SignatureValue]:
    """The fields of a result's signature in their usual order; what does not apply is None."""
    conventions = dict(options.fields)
    on = options.bootstrap > 0
    additive = options.pool != "corpus"
    interval = chosen_interval(options.interval, options.clusters or documents, additive=additive)
    test = chosen_test(options.test, interval)
    drawn = on and (interval != "jackknife" or systems > 1 or not additive)
    mixed = options.interval == "auto" and interval == "percentile" and options.by
    return {
        "metric": conventions.pop("metric", None),
        "profile": profile,
        **{name: value for name, value in conventions.items() if name not in ("docs", "in", "pool")},
        "pool": conventions.get("pool", options.pool),
        "by": "+".join(options.by) or None,
        "docs": f"{documents}{conventions.pop('docs', '')}",
        "clusters": f"{options.cluster_by}+{options.clusters}" if on and options.cluster_by else None,
        "interval": (f"{interval}+jackknife" if mixed else interval) if on else None,
        "scale": "logit" if on and (interval == "jackknife" or mixed) else None,
        "seed": options.seed if drawn else None,
        "boot": options.bootstrap if drawn or not on else None,
        "ci": f"{100 * options.level:g}" if on and options.level != 0.95 else None,
        "test": test if on and systems > 1 else None,
        "resamples": "+".join(map(str, options.resamples)) if on and systems > 1 and test != "jackknife" else None,
        "draws": options.draws if drawn and options.draws != "numpy" else None,
        "v": __version__,
        "in": conventions.get("in"),
    }
