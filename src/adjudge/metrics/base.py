"""Metrics: a similarity of documents, what is reported of it, and its conventions.

observe(gold, system) -> Row     counts of one document
measures                         how summed counts become scores
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from adjudge.algebra import ir
from adjudge.algebra.solve.deadline import Deadline
from adjudge.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from adjudge.algebra.align import Alignment
    from adjudge.algebra.operators.leaf_outcomes import Outcome
    from adjudge.algebra.plan import Observation
    from adjudge.stats.measure import Measure

Pool = Literal["micro", "macro"]
DEFAULTS = ir.Conventions()
INTEGER, TEXT = ir.Exact(type="integer"), ir.Exact(type="string")
OPTIONAL = ir.Union(cases=(ir.Case(type="string", of=TEXT), ir.Case(type="null", of=ir.Exact(type="null"))))
SPAN = ir.Record(fields={"start": INTEGER, "end": INTEGER})
PARTS = ("precision", "recall", "f1", "jaccard", "matched", "system", "gold")


def part(value: Any, name: str) -> Any:
    """A field of a document or of something in it, whether it is JSON or an object.

    >>> part({"type": "die"}, "type")
    'die'
    """
    return value[name] if isinstance(value, Mapping) else getattr(value, name)


class Row(msgspec.Struct, frozen=True):
    """The counts of one document; `bound` holds proven upper bounds where a search was cut short.

    `outcomes` has the outcome of leaves, by metric and path, for metrics that count them.
    """

    counts: Mapping[str, float]
    optimal: bool = True
    bound: Mapping[str, float] | None = None
    outcomes: Mapping[str, Mapping[str, Outcome]] = {}


class Clustered(msgspec.Struct, frozen=True):
    """Which clusters of a whole corpus are compared, for metrics that are not sums over documents.

    `assign` names a function (`module:name`) of the document's field `within`: it returns the cluster of every item, by
    a name that means the same in all documents, or None for a cluster of its own. `by` is how the clusters
    are compared: muc, b3, ceafm, ceafe or pairwise. `fields` of the elements must be equal, besides their offsets.
    """

    assign: str
    by: str
    fields: tuple[str, ...] = ()


class Scores(Mapping[str, float | None]):
    """The parts of a score of one pair of values, by name or as attributes.

    >>> Scores({"precision": 0.5, "f1": 0.4}).f1
    0.4
    """

    def __init__(self, values: Mapping[str, float | None]) -> None:
        self._values = dict(values)

    def __getitem__(self, part: str) -> float | None:
        return self._values[part]

    def __getattr__(self, part: str) -> float | None:
        try:
            return self._values[part]
        except KeyError:
            raise AttributeError(part) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return " ".join(f"{part}={value}" for part, value in self._values.items())


class Metric(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A metric of documents.

    `similarity` compares two documents; if it is a ratio, the ratio says what is reported (a plain matching value
    is reported as precision, recall and F1). `name` is that of the catalogue, or the user's. `origin` is the text
    it was found by, without conventions; `str(metric)` is the whole text, which `find` turns back. If it is
    `clustered`, the counts of a corpus are not the sum of those of its documents, and `observe` is of one document.
    `per` field it is the unweighted mean of the F scores of all fields. `usual` are the conventions that are not
    written out.
    """

    similarity: ir.Similarity
    name: str = "metric"
    report: tuple[str, ...] = ()
    pool: Pool = "micro"
    conventions: ir.Conventions = DEFAULTS
    about: str = ""
    laws: tuple[str, ...] = ()
    origin: str | None = None
    document: Any = None
    within: str | None = None
    time_limit: float | None = None
    clustered: Clustered | None = None
    per: Literal["field"] | None = None
    usual: ir.Conventions = DEFAULTS

    def __post_init__(self) -> None:
        if self.time_limit is not None and not self.time_limit > 0:
            raise UsageError(
                f"a time limit of {self.time_limit:g} seconds leaves no time", hint="give a positive number"
            )
        if self.pool not in ("micro", "macro"):
            raise UsageError(f"there is no pooling {self.pool!r}", hint="use micro or macro")
        if self.per is not None and (self.leaves is None or self.beta != 1):
            raise UsageError(f"{self.name} cannot be a mean of fields", hint="give the F1 of leaves")
        known = (*PARTS, f"f{self.beta:g}", *self._outcomes)
        for part in self.report:
            if part not in known:
                raise UsageError(
                    f"{self.name} cannot report {part!r}",
                    hint=did_you_mean(part, known) or f"choose from {', '.join(known)}",
                )
        for part in ("jaccard", "matched"):
            if part in self.report and len(self._sides) == 2:
                raise UsageError(f"{self.name}: {part} needs one matching value, and this metric has two")

    # What is computed

    @property
    def _ratio(self) -> ir.Normalise | None:
        return self.similarity if isinstance(self.similarity, ir.Normalise) else None

    @property
    def beta(self) -> float:
        """The weight of recall in F."""
        return self._ratio.beta if self._ratio is not None else 1.0

    @property
    def leaves(self) -> ir.Leaves | None:
        """The similarity whose leaves are counted, if that is what it is about."""
        inner = self.similarity if self._ratio is None else self._ratio.of
        return inner if isinstance(inner, ir.Leaves) else None

    @property
    def _outcomes(self) -> tuple[str, ...]:
        """What may become of a leaf, if leaves are counted."""
        if self.leaves is None:
            return ()
        from adjudge.algebra.operators.leaf_outcomes import OUTCOMES

        return OUTCOMES

    @cached_property
    def _sides(self) -> tuple[ir.Similarity, ...]:
        """The similarity of documents whose value precision divides, and that of recall if it differs."""
        ratio = self._ratio
        nodes = (self.similarity,) if ratio is None else (ratio.of, ratio.recall)
        found = (node for node in nodes if node is not None)
        return tuple(node if self.within is None else ir.Record(fields={self.within: node}) for node in found)

    @property
    def whole(self) -> ir.Similarity:
        """The similarity of documents, with the ratio outside."""
        first, *second = self._sides
        recall = second[0] if second else None
        return first if self._ratio is None else msgspec.structs.replace(self._ratio, of=first, recall=recall)

    @cached_property
    def precision(self) -> ir.Similarity:
        """The matching value that precision (and, if there is no other, recall) divides."""
        return ir.with_conventions(self._sides[0], self.conventions)

    @cached_property
    def recall(self) -> ir.Similarity | None:
        """The matching value of recall, if it differs from that of precision."""
        return ir.with_conventions(self._sides[1], self.conventions) if len(self._sides) == 2 else None

    @property
    def parts(self) -> tuple[str, ...]:
        """What is reported, most telling last."""
        if self.report:
            return self.report
        if self.per is not None:
            return ("f1",)
        kind = "f" if self._ratio is None else self._ratio.by
        usual = ("precision", "recall", f"f{self.beta:g}") if kind == "f" else (kind,)
        return (*usual, *self._outcomes)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the counts of one document."""
        names = ("matched", "system", "gold") if len(self._sides) == 1 else ("matched", "system", "found", "gold")
        counted = self._outcomes[1:] if self.per is None else ()
        return tuple(f"{self.name}:{name}" for name in (*names, *counted))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """How summed counts become scores."""
        from adjudge.stats.measure import Fields, Prf, Total

        if self.per is not None:
            return (Fields(self.name, "f1", (), self.conventions.undefined),)
        matched, system, *others = self.columns[: 3 if self.leaves is not None else 4]
        recall = (others[0], others[1]) if len(others) == 2 else (matched, others[0])
        made = Prf(
            name=self.name,
            precision=(matched, system),
            recall=recall,
            beta=self.beta,
            undefined=self.conventions.undefined,
            parts=tuple(part for part in self.parts if part not in self._outcomes),
        )
        counts = {"correct": matched} | {column.rpartition(":")[2]: column for column in self.columns[3:]}
        totals = (Total(self.name, part, ((counts[part], 1.0),)) for part in self.parts if part in self._outcomes)
        return (made, *totals)

    def measures_of(self, fields: Iterable[str]) -> tuple[tuple[Measure, ...], tuple[str, ...]]:
        """The measures of documents with these fields, and the columns that they need beside those of the metric."""
        from adjudge.stats.measure import Fields

        if self.per is None:
            return self.measures, ()
        groups = tuple(
            (f"{self.name}:{field}:matched", f"{self.name}:{field}:system", f"{self.name}:{field}:gold")
            for field in sorted(fields)
        )
        made = Fields(self.name, "f1", groups, self.conventions.undefined)
        return (made,), tuple(name for group in groups for name in group)

    @cached_property
    def _plans(self) -> tuple[Any, ...]:
        from adjudge.algebra.plan import Plan

        return tuple(Plan(node, self.conventions, time_limit=self.time_limit) for node in self._sides)

    @property
    def flat(self) -> Any:
        """How many documents are counted at once, if what is compared is a set of plain elements; else None."""
        return self._plans[0].flat if len(self._plans) == 1 else None

    @property
    def of_records(self) -> Any:
        """How the counts of documents of one record follow from its outcomes leaves; None if they do not."""
        return self._plans[0].of_records if len(self._plans) == 1 else None

    def observe(self, gold: Any, system: Any, deadline: Deadline | None = None) -> Row:
        """The counts of one document."""
        plans = self._plans
        if len(plans) == 1:
            only: Observation = plans[0].observe(gold, system, deadline)
            matched, found, given, *more = self.columns
            counts = {matched: only.value, found: only.system, given: only.gold}
            outcomes = {}
            if only.outcomes is not None:
                outcomes = {self.name: only.outcomes.by_path}
                counts.update(zip(more, only.outcomes.total[1:], strict=False))  # a mean of fields has no more
            if only.optimal:
                return Row(counts, outcomes=outcomes)
            bound = counts if only.bound is None else {**counts, matched: only.bound}
            return Row(counts, optimal=False, bound=bound, outcomes=outcomes)
        clock = deadline or Deadline(self.time_limit)
        left = range(len(plans), 0, -1)
        seen: list[Observation] = [
            plan.observe(gold, system, clock.part(many)) for plan, many in zip(plans, left, strict=True)
        ]
        first, last = seen
        counts = dict(zip(self.columns, (first.value, first.system, last.value, last.gold), strict=True))
        if first.optimal and last.optimal:
            return Row(counts)
        best = [each.value if each.bound is None else each.bound for each in seen]
        bound = dict(zip(self.columns, (best[0], first.system, best[1], last.gold), strict=True))
        return Row(counts, optimal=False, bound=bound)

    def score(self, gold: Any, system: Any) -> Scores:
        """The scores of one pair of values: documents, or what stands in their field `within`."""
        from adjudge.stats.points import points

        row = self.observe(self.document_of(gold), self.document_of(system))
        counts, outcomes = row.counts, row.outcomes.get(self.name, {})
        measures, columns = self.measures_of(outcomes)
        if columns:
            triples = ((each.correct, each.system, each.gold) for _, each in sorted(outcomes.items()))
            counts = dict(zip(columns, (number for each in triples for number in each), strict=True))
        found = points(measures, counts)
        return Scores({part: found[self.name, part] for part in self.parts})

    def explain(self, gold: Any, system: Any) -> Alignment:
        """What is behind `score`: matched, missed and spurious parts of one pair of values."""
        return self.align(self.document_of(gold), self.document_of(system))

    def document_of(self, value: Any) -> Any:
        """A value as the document it would stand in."""
        return value if self.within is None else {self.within: value}

    def align(self, gold: Any, system: Any, deadline: Deadline | None = None) -> Alignment:
        """What is matched, missed and spurious in one document, from the plan that makes the score.

        If precision and recall come from two matchings, spurious is what the first leaves over, missed what the second
        does.
        """
        first, *second = (plan.align(gold, system, deadline) for plan in self._plans)
        found: Alignment = first.joined(second[0]) if second else first
        return found

    def plan(self) -> str:
        """How it is computed, printed like a query plan."""
        texts = [plan.explain() for plan in self._plans]
        return texts[0] if len(texts) == 1 else f"for precision:\n{texts[0]}\nfor recall:\n{texts[1]}"

    def definition(self) -> str:
        """What it is: name, formula, conventions, laws."""
        from adjudge.metrics.describe import definition

        return definition(self)

    # Documents

    def check(self, document: Any) -> list[tuple[str, str, str | None]]:
        """Every reason why a document does not fit, as (path, message, remedy)."""
        from adjudge.algebra.plan import misfits

        return list(
            dict.fromkeys(problem for plan in self._plans for problem in misfits(plan.op, document, sides=plan.sides))
        )

    def prepare(self, document: Any) -> Any:
        """A raw JSON document as what `observe` wants."""
        if self.document is None:
            return document
        from adjudge.metrics.documents import typed

        return typed(self.document, document)

    # Identity

    def with_options(
        self,
        *,
        pool: Pool | None = None,
        conventions: ir.Conventions | None = None,
        time_limit: float | None = None,
    ) -> Metric:
        """The same metric, pooled or counting otherwise, or with a limit in seconds for each search."""
        return msgspec.structs.replace(
            self,
            pool=pool or self.pool,
            conventions=conventions or self.conventions,
            time_limit=self.time_limit if time_limit is None else time_limit,
        )

    @property
    def members(self) -> tuple[Metric, ...]:
        """The metric itself; a combined metric has several."""
        return (self,)

    def _repr_html_(self) -> str:
        from adjudge.metrics.describe import metric_html

        return metric_html(self)

    def __str__(self) -> str:
        from adjudge.metrics.registry import write

        return write(self)

    def _identity(self) -> tuple[Any, ...]:
        return (self.name, self.precision, self.recall, self.beta, self.parts, self.pool, self.conventions, self.per)

    def __eq__(self, other: object) -> bool:
        """Metrics are equal if they have the same name and compute the same, however they were written."""
        return self._identity() == other._identity() if isinstance(other, Metric) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity())
