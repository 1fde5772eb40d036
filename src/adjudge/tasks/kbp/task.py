"""Paths over a knowledge base as a task of the whole corpus: counted in samples, with slices, curves and tests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from adjudge.errors import UsageError, did_you_mean
from adjudge.evaluate.corpus import CorpusTask, Draws, Outcome, Part
from adjudge.stats.inference import SignatureValue, hash_chunks
from adjudge.stats.measure import Measure, part_keys
from adjudge.stats.result import Comparison, Note, Score, Slice, Uncertainty
from adjudge.stats.scores import headline_keys, point_scores, whole_differences
from adjudge.stats.table import cluster_names
from adjudge.tasks.kbp.counting import (
    ALL_HOPS,
    KbRun,
    Scored,
    VariantCounts,
    choose_engine,
    count_all,
    count_paths,
    count_variants,
)
from adjudge.tasks.kbp.exchange import Exchange, exchange_tests
from adjudge.tasks.kbp.facts import Counts, Facts, pack_blocks
from adjudge.tasks.kbp.graph_scores import (
    CONNECTED,
    KINDS,
    PARTIAL,
    TALLIES,
    GraphSide,
    additive_columns,
    corpus_works,
    measures_of,
    metric_columns,
    sampled_sums,
)
from adjudge.tasks.kbp.notes import notes_of_corpus, notes_of_names, notes_of_system
from adjudge.tasks.kbp.options import PROFILES, KbOptions, check_engine
from adjudge.tasks.kbp.reach import Samples, connected_counts, distance_counts, every_document
from adjudge.tasks.kbp.relations import only_relation
from adjudge.tasks.kbp.walks import Work

if TYPE_CHECKING:
    from adjudge.stats.alignment import Alignment
    from adjudge.stats.panel import Panel
    from adjudge.stats.result import Result
    from adjudge.tasks.kbp.explain import Explainer
    from adjudge.tasks.kbp.naming import NamePair
    from adjudge.tasks.kbp.sampling import HopEstimate

SLICES = ("relation", "first", "sequence", "confidence")
_BLOCK = 64  # samples packed at once


class Corpus(NamedTuple):
    """The gold side: its facts, the names of relations and documents, the outcomes of other facts, notes, and digests.

    `tally` says the outcome of facts that are not triples, by name.
    """

    facts: Facts
    relations: Sequence[str]
    documents: Sequence[str]
    tally: Mapping[str, int]
    notes: Sequence[Note]
    digests: Mapping[str, str]


class PathsTask(CorpusTask):
    """Paths of several systems, compared with those of gold in all the ways that the options ask for."""

    name = "kbp"
    one_draw = True
    sooner = "fewer hops (--hops), for fewer resamples (--bootstrap 0: none)"

    def __init__(
        self,
        corpus: Corpus,
        systems: Sequence[Scored],
        options: KbOptions,
        run: KbRun,
        profile: str,
        *,
        graph: Sequence[GraphSide] = (),
    ) -> None:
        check_run(run, confidences=any(each.curve for each in systems))
        if not systems:
            raise UsageError("no system to score")
        self.corpus, self.options, self.run, self.profile = corpus, options, run, profile
        self.scored = {each.name: each for each in systems}
        self.sides = systems
        self.systems = tuple(self.scored)
        self.ids, self.documents = corpus.documents, len(corpus.documents)
        self.clusters = listed_clusters(self.ids, run.clusters)
        self.explainers: Callable[[], Iterable[tuple[str, Explainer]]] = tuple
        """Both sides of every system, by name, if the outcome of their facts can be said."""
        self.boxes_told = run.box or options.interval == "percentile"
        self.box = options.notch if self.boxes_told or run.align else None
        self.counted: list[VariantCounts] = []
        self.graph = graph
        self.names: Mapping[str, Sequence[NamePair]] = {}
        """The pairs of fuzzy names, by system."""
        checked = list(dict.fromkeys(column for side in graph for column in side.checked))
        self._measures = measures_of(options, checked=checked)
        self._items: dict[str, dict[str, Any]] = {}
        self._presence: Any = None

    def measures(self) -> list[Measure]:
        """The measures of all hops and variants, and of what was left out."""
        return self._measures

    def fields(self) -> dict[str, SignatureValue]:
        """What differs from the profile, and the digests of the inputs."""
        found: dict[str, SignatureValue] = {"hops": self.options.hops}
        usual = PROFILES[self.profile]
        for each in fields(KbOptions):
            value = getattr(self.options, each.name)
            if each.name in ("hops", "interval", "test", "notch") or value == getattr(usual, each.name):
                continue
            found[each.name.replace("_", "-")] = _written(value)
        return {**found, "notch": self.options.notch, **self.corpus.digests}

    def parts(self) -> list[Part]:
        """The whole corpus, and each relation of any side, the most frequent in gold first."""
        places = range(self.documents)
        found = [Part({}, places)]
        if "relation" in self.run.by:
            import numpy as np

            names = self.corpus.relations
            of_gold, *others = (
                np.bincount(side.relations, minlength=len(names))
                for side in (self.corpus.facts, *(each.facts for each in self.sides))
            )
            present = np.flatnonzero(of_gold + sum(others)).tolist()
            order = sorted(present, key=lambda number: (-int(of_gold[number]), names[number]))
            found += [Part({"relation": names[number]}, places) for number in order]
        return found

    def evaluate(self, part: Part, draws: Draws) -> dict[str, dict[str, Any]]:
        """All variants that are counted in samples; for a relation, its triples."""
        if not part.slice:
            if draws.samples > 1:
                blocks = (weights.T > 0 for weights in draws.weights(_BLOCK))
                self._presence = pack_blocks(self.documents, draws.samples, blocks)
            self.counted = count_variants(self.corpus.facts, self.sides, self.options, self.run, draws, self._presence)
            self._items = self._count_items(draws) if self.graph else {}
            if draws.samples == 1:
                return {name: columns for name in self.systems if (columns := self._sampled(name))}
            return {
                name: columns for name in self.systems if (columns := self._sampled(name) | self._items.get(name, {}))
            }
        if draws.samples == 1:
            return {}
        gold, *systems = self._only(part.slice)
        sides = (gold, *systems)
        (found,) = count_all([Work(sides, 1, presence=(self._presence,) * len(sides), samples=draws.samples)])
        titles = metric_columns("kbp.hop1")
        return {
            name: dict(zip(titles, (column[0] for column in own), strict=True))
            for name, own in zip(self.systems, found, strict=True)
        }

    def _count_items(self, draws: Draws) -> dict[str, dict[str, Any]]:
        """The columns of triples, pairs, entities and relations of every system, with a value for each sample."""
        if self.options.graph:
            additive = additive_columns(self.graph, self.documents)
            works = count_all(corpus_works(self.graph, self._presence, draws.samples), self.run)
            reach = self._count_reach(draws.samples)
        else:
            additive, works = [dict(side.checked) for side in self.graph[1:]], []
            reach = [{} for _ in self.systems]
        found: dict[str, dict[str, Any]] = {}
        number = len(self.systems)
        for place, name in enumerate(self.systems):
            own: dict[str, Any] = reach[place]
            found[name] = own
            own |= sampled_sums(additive[place], draws) if additive[place] else {}
            for at, kind in enumerate(KINDS if works else ()):
                if draws.samples > 1:
                    counts = [column[0] for column in works[at][place]]
                else:
                    counts = [[value] for value in works[at * number + place][0].total]
                own.update(zip(metric_columns(f"kbp.{kind}"), counts, strict=True))
        return found

    def _count_reach(self, number: int) -> list[dict[str, Any]]:
        """Connectivity and distances for every system; empty if they are too costly in so many samples."""
        sides = [side.facts for side in self.graph]
        samples = Samples(self._presence, number) if number > 1 else every_document(self.documents)
        found: list[dict[str, Any]] = [{} for _ in self.systems]
        for own, counts in zip(found, connected_counts(sides, samples) or (), strict=False):
            own.update(zip(metric_columns(CONNECTED), counts, strict=True))
        for own, hops in zip(found, distance_counts(sides, self.options.hops, samples) or (), strict=False):
            for hop, pair in enumerate(hops, 1):
                own.update(zip(metric_columns(f"kbp.distance{hop}")[:2], pair, strict=True))
        return found

    def _whole_items(self, name: str, done: Collection[str]) -> dict[str, float]:
        """What is counted on all documents only, and everything else if there are no samples."""
        place = self.systems.index(name)
        reach = self._whole_reach[place] if self.options.graph else {}
        found = {
            column: float(values[0])
            for column, values in (reach | self._items[name]).items()
            if column.rpartition(":")[0] not in done and f"kbp.{column.rpartition(':')[0]}" not in done
        }
        if not self.options.graph:
            return found
        return found | {"kbp.merged:gold": self.graph[0].merged, "kbp.merged:system": self.graph[place + 1].merged}

    @cached_property
    def _whole_reach(self) -> list[dict[str, Any]]:
        """What was not counted in samples, on all documents."""
        last = metric_columns(f"kbp.distance{self.options.hops}")[0]
        if self._presence is None or all(
            {metric_columns(CONNECTED)[0], last} <= own.keys() for own in self._items.values()
        ):
            return [{} for _ in self.systems]
        return self._count_reach(1)

    def _only(self, where: Slice) -> list[Facts]:
        """All sides with the facts of one relation alone."""
        relation = list(self.corpus.relations).index(str(where["relation"]))
        return [only_relation(side, relation) for side in (self.corpus.facts, *(each.facts for each in self.sides))]

    def _sampled(self, name: str) -> dict[str, Any]:
        """What was counted in samples of all documents, for every variant."""
        found: dict[str, Any] = {}
        for way in self.counted:
            for hop in range(way.variant.first, way.sampled + 1):
                columns = (column[hop - 1] for column in way.resampled[name])
                found |= dict(zip(metric_columns(way.variant.metric(hop)), columns, strict=True))
        first = self.counted[0]
        if self.options.hops > 1 and first.sampled == self.options.hops:
            sums = (column.sum(axis=0) for column in first.resampled[name])
            found |= dict(zip(metric_columns(ALL_HOPS), sums, strict=True))
        return found

    # Scores without samples

    def scores(self, name: str, sampled: Sequence[Score]) -> list[Score]:
        """The scores with samples and all others, in the order of the metrics; then slices, and points of the curve."""
        tally = self.scored[name].tally
        done = {each.metric for each in sampled if not each.slice}
        counts: dict[str, float] = {f"kbp.{each}:count": tally[each] for each in TALLIES if each in tally}
        estimated = []
        for way in self.counted:
            for hop in way.exact[name]:
                metric = way.variant.metric(hop.hop)
                if hop.hop >= way.variant.first and metric not in done:
                    counts |= zip(metric_columns(metric), hop.total, strict=True)
            for estimate in way.estimates[name]:
                estimated += self._estimated(way.variant.metric(estimate.hop), estimate)
        if self.graph:
            counts |= self._whole_items(name, {each.metric for each in sampled})
        exact = self.counted[0].exact[name]
        if self.options.hops > 1 and len(exact) == self.options.hops and ALL_HOPS not in done:
            counts |= zip(metric_columns(ALL_HOPS), sum((each.total for each in exact), Counts(0, 0, 0)), strict=True)
        order = {key: place for place, key in enumerate(part_keys(self._measures))}
        found = [*sampled, *point_scores(self._measures, counts), *estimated]
        found.sort(key=lambda each: (bool(each.slice), 0 if each.slice else order[each.metric, each.part]))
        slices = any(each.slice for each in sampled)
        for where, metric, own_counts in (*self._slices(name, slices), *self._curve(name)):
            sums = dict(zip(metric_columns(metric), own_counts, strict=True))
            found += point_scores(self._measures, sums, where=where)
        return found

    def _estimated(self, metric: str, found: HopEstimate) -> list[Score]:
        """Scores estimated from a sample of first nodes, with their error; the counts are estimates, too."""
        from adjudge.stats.intervals import normal_reach

        counts = dict(zip(metric_columns(metric), (found.both, found.gold, found.system), strict=True))
        reach = normal_reach(found.level)
        scores = []
        for score in point_scores(self._measures, counts):
            estimate = {"precision": found.precision, "recall": found.recall, "f1": found.f1}.get(score.part)
            if estimate is None or found.complete:
                scores.append(score)
                continue
            low, high = max(0.0, estimate.value - estimate.error), min(1.0, estimate.value + estimate.error)
            uncertainty = Uncertainty(
                intervals={"sampling": (low, high), "bound": (estimate.low, estimate.high)},
                error=estimate.error / reach,
                estimated=True,
            )
            scores.append(
                msgspec.structs.replace(
                    score,
                    value=estimate.value,
                    low=low,
                    high=high,
                    level=found.level,
                    interval="sampled first nodes",
                    numerator=None,
                    denominator=None,
                    uncertainty=uncertainty,
                )
            )
        return scores

    def _slices(self, name: str, relations: bool) -> Iterator[tuple[Slice, str, Counts]]:
        """Counts per relation, first relation and sequence of relations that have no samples."""
        way = self.counted[0]
        for field in dict.fromkeys(self.run.by):
            if field == "confidence" or (field == "relation" and relations):
                continue
            for hop in way.exact[name]:
                if (field == "sequence") == (hop.hop == 1) and field != "first":
                    continue
                groups: dict[str, Counts] = {}
                for sequence, counts in hop.sequences.items():
                    kept = sequence if field == "sequence" else sequence[:1]
                    title = "/".join(self.corpus.relations[relation] for relation in kept)
                    groups[title] = groups.get(title, Counts(0, 0, 0)) + counts
                for title, counts in sorted(groups.items(), key=lambda each: (-each[1].gold, each[0])):
                    yield {field: title}, way.variant.metric(hop.hop), counts

    def _curve(self, name: str) -> Iterator[tuple[Slice, str, Counts]]:
        """Counts of the facts at or above each confidence."""
        way, gold, options = self.counted[0].variant, self.corpus.facts, self.options
        for least, facts in self.scored[name].curve:
            hops = choose_engine(gold, facts, hops=options.hops, way=way, walks=options.walks).exact_hops
            if hops:
                for hop in count_paths(gold, facts, hops=hops, identity=way.identity, walks=options.walks):
                    yield {"confidence": f"{least:.10g}+"}, way.metric(hop.hop), hop.total

    # Comparisons

    def compared(self, found: list[Comparison], outcome: Outcome) -> list[Comparison]:
        """Pair by pair, with p from exchanging documents on request, and differences that were not tested."""
        pairs = {pair: place for place, pair in enumerate(combinations(self.systems, 2))}
        found = sorted(found, key=lambda each: pairs[each.a, each.b])
        if outcome.how.test == "randomisation" and pairs:
            p = self._exchange_p(outcome)
            for place, each in enumerate(found):
                key = each.a, each.b, each.metric, str(each.slice.get("relation", ""))
                if key in p:
                    number = outcome.tests[tuple(each.slice)]
                    found[place] = msgspec.structs.replace(each, p=p[key], test="randomisation", resamples=number)
        return found + whole_differences(outcome.scores, headline_keys(self._measures), found)

    def _exchange_p(self, outcome: Outcome) -> dict[tuple[str, str, str, str], float]:
        """p by systems, metric and relation; systems compared by their own nodes cannot exchange documents."""
        found: dict[tuple[str, str, str, str], float] = {}
        usual = Exchange(self.documents, seed=self.run.inference.seed, walks=self.options.walks, clusters=self.clusters)
        for way in self.counted:
            if not way.sampled or way.variant.own:
                continue
            exchange = usual._replace(
                trials=outcome.tests[()],
                hops=way.sampled,
                identity=way.variant.identity,
                together=way is self.counted[0] and self.options.hops > 1,
            )
            sides = [each.of(way.variant) for each in self.sides]
            for (a, b), hops in exchange_tests(self.corpus.facts, self._pairs(sides), exchange, run=self.run).items():
                for hop, p in hops.items():
                    if hop == 0 or hop >= way.variant.first:
                        found[a, b, way.variant.metric(hop) if hop else ALL_HOPS, ""] = p
        for samples in next(iter(outcome.samples.values()), ()):
            if samples.slice:
                gold, *sides = self._only(samples.slice)
                exchange = usual._replace(trials=outcome.tests[tuple(samples.slice)])
                for (a, b), hops in exchange_tests(gold, self._pairs(sides), exchange, run=self.run).items():
                    found[a, b, "kbp.hop1", str(samples.slice["relation"])] = hops[1]
        return found

    def _pairs(self, sides: Sequence[Facts]) -> dict[tuple[str, str], tuple[Facts, Facts]]:
        return {(a, b): (one, other) for (a, one), (b, other) in combinations(zip(self.systems, sides, strict=True), 2)}

    # Notes

    def system_notes(self, name: str, outcome: Outcome) -> list[Note]:
        """Notes on its mapping and on the outcomes of its facts."""
        own, scores = self.scored[name], outcome.scores[name]
        known = {each.metric for each in scores}
        wanted = (f"{PARTIAL}.micro", "kbp.distance1") if self.options.graph else ()
        lacking = [metric.removesuffix(".micro").removesuffix("1") for metric in wanted if metric not in known]
        of_names = notes_of_names(self.names.get(name, ()), lacking)
        return [*own.notes, *of_names, *notes_of_system(name, own.tally, self.counted, scores, self.options)]

    def corpus_notes(self, outcome: Outcome, usual: Sequence[Note]) -> list[Note]:
        """Gold, the cautions about intervals, what is approximate."""
        return notes_of_corpus(self, outcome.scores, usual)

    def align(self, documents: Sequence[str]) -> dict[str, list[Alignment]]:
        """The facts and paths of some documents."""
        from adjudge.tasks.kbp.documents import align_documents

        return {name: align_documents(each, documents) for name, each in self._explained}

    @cached_property
    def _explained(self) -> list[tuple[str, Explainer]]:
        return list(self.explainers())

    def panels(self, result: Result) -> tuple[Panel, ...]:
        """Waterfalls with examples, and the box plots of the paper."""
        from adjudge.tasks.kbp.explain import explained
        from adjudge.tasks.kbp.waterfalls import box_panels, waterfall_panels

        falls = explained(
            self._explained, range(1, self.options.hops + 1), limit=self.run.examples, seed=self.run.inference.seed
        )
        return (*(panel for each in falls for panel in waterfall_panels(each)), *box_panels(result))


def check_run(run: KbRun, *, confidences: bool = False) -> None:
    """Raise if an option asks for something that does not exist."""
    for field in run.by:
        if field not in SLICES:
            hint = did_you_mean(field, SLICES) or f"choose from {', '.join(SLICES)}"
            raise UsageError(f"knowledge bases have no slices by {field!r}", hint=hint)
    if "confidence" in run.by and not confidences:
        hint = "give knowledge bases, or triples with a column `confidence`"
        raise UsageError("no system says how confident it is", hint=hint)
    if run.pool not in (None, "micro"):
        raise UsageError(
            "paths cross documents, so there are no scores per document to average", hint="leave --pool out"
        )
    check_engine(run.engine)


def _written(value: Any) -> SignatureValue:
    if isinstance(value, Mapping):
        return hash_chunks(f"{one}\t{other}\n".encode() for one, other in sorted(value.items()))
    if isinstance(value, tuple) and not hasattr(value, "_fields"):  # named tuples have a text of their own
        text = "+".join(value)
        return text if len(text) <= 40 else hash_chunks([text.encode()])
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def listed_clusters(ids: Sequence[str], clusters: Mapping[str, str] | None) -> tuple[str, ...] | None:
    """The cluster of every document (its own if it is not listed); an unknown document on the list is an error."""
    if clusters is None:
        return None
    strangers = sorted(set(clusters) - set(ids))
    if strangers:
        raise UsageError(f"the clusters list {strangers[0]!r}, which is not a document here", hint="check the list")
    return cluster_names("list", ids, [clusters.get(each) for each in ids])
