"""Tasks whose counts are not sums over documents, and are computed anew for every sample of documents.

The samples are the corpus itself, the corpus without one document (or a random group, if there are more than a
thousand), bootstrap samples, and pairs of leave-outs. In a bootstrap sample a document that is drawn twice occurs
twice, and what it says about an entity agrees with itself: clusters look better than they are; paths, which are sets,
look worse. Hence the percentile interval is not shown unless it is asked for: interval and test are the jackknife's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec

from adjudge.algebra.solve.deadline import DEFAULT, Deadline, OutOfTime, running, within
from adjudge.errors import UsageError
from adjudge.stats.inference import CENTRED

if TYPE_CHECKING:
    from adjudge.evaluate.task import Run
    from adjudge.stats.alignment import Alignment
    from adjudge.stats.explanation import Explanation
    from adjudge.stats.inference import SignatureValue
    from adjudge.stats.measure import Array, Measure
    from adjudge.stats.panel import Panel
    from adjudge.stats.result import Comparison, Note, Result, SampledCounts, Score, Slice
    from adjudge.stats.scores import How, Scope

# Leave-outs beyond which documents are left out in groups: the cost of counting grows with the number of samples.
GROUPS = 1000
# Pairs of leave-outs that are left out together, to see how much documents act jointly.
PAIRS = 1000


class Part(NamedTuple):
    """The whole corpus, or a slice of it, and the places of its documents."""

    slice: Slice
    places: Sequence[int]


class Draws(NamedTuple):
    """Samples of some documents: all, without each group (`left` of them), bootstrap samples, without two groups.

    `unit` is the number of the cluster of each document, if they are drawn in clusters.
    """

    documents: int
    group: Any
    left: int
    resamples: int
    pairs: Any
    seed: int
    unit: Any = None

    @property
    def samples(self) -> int:
        """How many samples there are."""
        return 1 + self.left + self.resamples + len(self.pairs)

    def weights(self, block: int) -> Iterator[Array]:
        """How often each document (columns) is in each sample (rows), some samples at a time."""
        import numpy as np

        from adjudge.stats.resample import Stream, bootstrap_weights

        yield np.ones((1, self.documents))
        for at in range(0, self.left, block):
            yield np.arange(at, min(at + block, self.left))[:, None] != self.group
        if self.resamples:
            # The bootstrap draws are those of every other task with this seed.
            number = self.documents if self.unit is None else int(self.unit.max()) + 1
            for drawn in bootstrap_weights(number, self.resamples, Stream(self.seed)):
                for at in range(0, len(drawn), block):
                    own = drawn[at : at + block]
                    yield own if self.unit is None else own[:, self.unit]
        for at in range(0, len(self.pairs), block):
            one, two = self.pairs[at : at + block].T
            yield (one[:, None] != self.group) & (two[:, None] != self.group)


def draw(
    documents: int,
    *,
    resamples: int,
    seed: int = 13,
    groups: int = GROUPS,
    pairs: int = PAIRS,
    clusters: Sequence[str] | None = None,
) -> Draws:
    """The samples of so many documents; without resamples, or of one document, the corpus itself alone.

    >>> draw(3, resamples=5).samples, draw(3, resamples=0).samples
    (12, 1)
    >>> next(w for w in draw(3, resamples=5, clusters=["a", "b", "a"]).weights(9) if len(w) == 2).tolist()
    [[False, True, False], [True, False, True]]
    """
    if not resamples or documents < 2 or (clusters is not None and len(set(clusters)) < 2):
        return Draws(documents, (), 0, 0, (), seed)
    import numpy as np

    from adjudge.stats.resample import Stream, leave_out_groups

    unit = None if clusters is None else np.unique(clusters, return_inverse=True)[1]
    units = documents if unit is None else int(unit.max(initial=-1)) + 1
    group = leave_out_groups(units, seed, groups)
    group = group if unit is None else group[unit]
    left = min(units, groups)
    stream = Stream(seed, 2)
    if left * (left - 1) // 2 <= pairs:
        chosen = np.stack(np.triu_indices(left, 1), axis=1)
    else:
        first = stream.indices(left, pairs)
        second = (first + 1 + stream.indices(left - 1, pairs)) % left
        chosen = np.stack((np.minimum(first, second), np.maximum(first, second)), axis=1)
    return Draws(documents, group, left, resamples, chosen, seed, unit)


class Outcome(NamedTuple):
    """What is known of every system before the result is assembled.

    `tests` is the number of resamples of the tests of each family of slices, by their fields.
    """

    samples: Mapping[str, Sequence[SampledCounts]]
    scores: Mapping[str, Sequence[Score]]
    how: How
    tests: Mapping[tuple[str, ...], int]


class CorpusTask(ABC):
    """A task that counts a whole corpus at once. New ones define the abstract methods."""

    name: ClassVar[str]
    one_draw: ClassVar[bool] = False
    """Whether slices are counted in the samples of the whole corpus, and not in samples of their own documents."""
    profile: str
    systems: Sequence[str]
    documents: int
    ids: Sequence[str] = ()
    """The names of the documents, if the outcome of each of them can be said."""
    sooner: ClassVar[str] = "fewer resamples (--bootstrap 0: none)"
    """What takes less time."""
    box: float | None = None
    """The constant of the notches, if the numbers of box plots are wanted."""
    boxes_told: bool = True
    """Whether these numbers are part of the scores; else only the page shows them."""
    clusters: Sequence[str] | None = None
    """The cluster of every document, if documents are drawn in clusters."""

    @abstractmethod
    def measures(self) -> Sequence[Measure]:
        """How counts become scores."""

    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """The whole corpus, then its slices."""

    @abstractmethod
    def evaluate(self, part: Part, draws: Draws) -> Mapping[str, Mapping[str, Any]]:
        """Every column of every system, with a value for each sample; empty if it is not counted in samples."""

    def fields(self) -> Mapping[str, SignatureValue]:
        """The task's own part of the signature."""
        return {}

    def scores(self, name: str, sampled: Sequence[Score]) -> Sequence[Score]:
        """All scores of a system: those with samples, and what was counted on all documents only."""
        return sampled

    def compared(self, found: list[Comparison], outcome: Outcome) -> list[Comparison]:
        """All comparisons: from counts in the same samples, and from tests of the task's own."""
        return found

    def system_notes(self, name: str, outcome: Outcome) -> Sequence[Note]:
        """What a reader of the scores of one system should know."""
        return ()

    def corpus_notes(self, outcome: Outcome, usual: Sequence[Note]) -> Sequence[Note]:
        """What a reader of the whole result should know, with what is said of every result."""
        return usual

    def align(self, documents: Sequence[str]) -> Mapping[str, Sequence[Alignment]]:
        """The outcome of every item of some documents, for each system."""
        raise NotImplementedError

    def panels(self, result: Result) -> tuple[Panel, ...]:
        """What the page shows besides scores and documents."""
        return ()


def corpus_explanations(task: CorpusTask, document: str, run: Run) -> dict[str, Explanation]:
    """The outcomes in one document, for each system by name; a part of its name suffices if no other one has it."""
    from adjudge.stats.alignment import saved_document
    from adjudge.stats.explanation import Explanation, find_document

    name = find_document(task.ids, document)
    with in_time(task.documents, run.time_limit, task.sooner):
        found = task.align([name])
    gold, systems = saved_document(name, [own[0] for own in found.values()])
    return {each: Explanation(name, each, own.aligned(gold)) for each, own in zip(found, systems, strict=True)}


def corpus_result(task: CorpusTask, run: Run) -> Result:
    """Count a task in all samples, and assemble scores, intervals, comparisons and notes.

    If the run asks for it, the result has the outcome of every document. All documents have their time together.
    """
    with in_time(task.documents, run.time_limit, task.sooner):
        return _result(task, run)


@contextmanager
def in_time(
    documents: int, time_limit: float | None, sooner: str, what: str = "the corpus could not be counted"
) -> Iterator[None]:
    """Share the time of all documents among them, or what is left of it; `sooner` is what else to ask for."""
    seconds = (DEFAULT if time_limit is None else time_limit) * max(documents, 1)
    try:
        with within(Deadline(min(seconds, running().left))):
            yield
    except OutOfTime:
        hint = f"ask for {sooner}, or give more time (--time-limit)"
        raise UsageError(f"{what} in {seconds:g} seconds", hint=hint) from None


def _result(task: CorpusTask, run: Run) -> Result:
    from adjudge.stats.build import Scoring, clusters_note, options_of, result_from, scored
    from adjudge.stats.notes import inference_notes
    from adjudge.stats.result import SampledCounts, SystemResult, unique_names
    from adjudge.stats.scores import POOL, Scope, headline_keys, how_of, sampled

    names, parts, measures = unique_names(task.systems), task.parts(), tuple(task.measures())
    scoring = Scoring(
        task=task.name,
        profile=task.profile,
        measures=measures,
        pool=POOL,
        by=tuple(dict.fromkeys(run.by)),
        inference=run.inference,
        fields=dict(task.fields()),
    )
    clusters = None if (field := run.inference.cluster_by) is None else _clusters(task, field)
    options, tests = options_of(scoring, len(names), [part.slice for part in parts], clusters)
    how = msgspec.structs.replace(how_of(options), box=task.box)
    # What cannot be exchanged between systems has the jackknife.
    test = "jackknife" if how.test == "randomisation" else how.test
    samples: dict[str, list[SampledCounts]] = {name: [] for name in names}
    keys = headline_keys(measures)

    def scopes() -> Iterator[Scope]:
        for part, number in zip(parts, _resamples(options, how, tests, parts, task), strict=True):
            clusters = None if task.clusters is None else [task.clusters[at] for at in part.places]
            draws = draw(len(part.places), resamples=number, seed=options.seed, clusters=clusters)
            pairs = tuple((int(a), int(b)) for a, b in draws.pairs)
            own = msgspec.structs.replace(how, tests=tests[tuple(part.slice)], test=test)
            evidence = {}
            for name, columns in task.evaluate(part, draws).items():
                values = tuple(tuple(map(float, column)) for column in columns.values())
                counts = SampledCounts(tuple(columns), draws.left, values, dict(part.slice), pairs)
                evidence[name] = sampled(measures, counts, own)
                samples[name].append(counts)
            yield Scope(part.slice, len(part.places), keys, own, {}, evidence)

    found = scored(scopes(), names)
    outcome = Outcome(samples, {name: task.scores(name, found.scores[name]) for name in names}, how, tests)
    comparisons = task.compared(found.comparisons, outcome)
    drawn = parts[:1] if task.one_draw else parts
    usual = inference_notes(options, [(part.slice, len(part.places)) for part in drawn], outcome.scores, comparisons)
    if options.clusters is not None and options.bootstrap:
        usual.append(clusters_note((options.cluster_by, options.clusters), task.documents, keys[0], None))
    systems = [
        SystemResult(
            name=name,
            documents=task.documents,
            scores=tuple(outcome.scores[name]),
            notes=(*task.system_notes(name, outcome), *found.system_notes(name)),
            samples=tuple(samples[name]),
        )
        for name in names
    ]
    notes = task.corpus_notes(outcome, usual)
    result = result_from(scoring, options, systems, found.whole, comparisons, notes)
    if not run.align:
        return result
    from adjudge.evaluate.results import with_documents

    panels = task.panels(result)
    if not task.boxes_told:
        result = _without_boxes(result)
    return with_documents(result, task.ids, task.align(task.ids), panels)


def _without_boxes(result: Result) -> Result:
    """The result without the numbers of box plots."""
    from msgspec.structs import replace

    systems = []
    for system in result.systems:
        scores = [
            each if each.uncertainty is None else replace(each, uncertainty=replace(each.uncertainty, box=None))
            for each in system.scores
        ]
        systems.append(replace(system, scores=tuple(scores)))
    return replace(result, systems=tuple(systems))


def _clusters(task: CorpusTask, field: str) -> int:
    """The number of clusters that are drawn."""
    from adjudge.stats.build import refuse_few_clusters

    if task.clusters is None:
        raise UsageError(f"the documents have no {field!r} to cluster by", hint="leave --cluster-by out")
    number = len(set(task.clusters))
    refuse_few_clusters(number, field)
    return number


def _resamples(
    options: Any, how: How, tests: Mapping[tuple[str, ...], int], parts: Sequence[Part], task: CorpusTask
) -> list[int]:
    """How many bootstrap samples each part needs: tests by resampling need as many as their number demands."""
    if how.test not in ("bootstrap", CENTRED) or len(task.systems) < 2 or not options.bootstrap:
        return [options.bootstrap] * len(parts)
    if task.one_draw:
        return [max(options.bootstrap, *options.resamples)] * len(parts)
    return [max(options.bootstrap, tests[tuple(part.slice)]) for part in parts]
