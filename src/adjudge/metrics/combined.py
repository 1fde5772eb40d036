"""Metrics made of others: means, sums and products of their parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from adjudge.algebra import ir
from adjudge.errors import UsageError, did_you_mean
from adjudge.metrics.base import Metric, Pool, Row, Scores

if TYPE_CHECKING:
    from adjudge.algebra.align import Alignment
    from adjudge.algebra.solve.deadline import Deadline
    from adjudge.stats.measure import Measure


@dataclass(frozen=True)
class Combined:
    """A mean, sum or product of parts of other metrics over the same documents (CoNLL average, BETTER).

    If `op` is None, nothing is combined: the metrics are the rows of one table (the fields of a document type).
    """

    name: str
    of: tuple[tuple[Metric | Combined, str], ...]
    op: Literal["mean", "sum", "product"] | None = "mean"
    part: str = "score"
    about: str = ""
    laws: tuple[str, ...] = ()
    origin: str | None = None

    def __post_init__(self) -> None:
        if not self.of:
            raise UsageError(f"{self.name} combines nothing", hint="name at least one metric")
        for member, part in self.of:
            if part not in member.parts:
                raise UsageError(
                    f"{self.name}: {member.name} has no part {part!r}", hint=did_you_mean(part, member.parts)
                )
        if len({member.pool for member, _ in self.of}) > 1:
            raise UsageError(f"{self.name} combines metrics that are pooled differently")

    @property
    def members(self) -> tuple[Metric, ...]:
        """The metrics that are counted, each once."""
        return tuple({one.name: one for each, _ in self.of for one in each.members}.values())

    @property
    def pool(self) -> Pool:
        """How documents are pooled before the parts are combined."""
        return self.of[0][0].pool

    @property
    def conventions(self) -> ir.Conventions:
        """The conventions of the first member."""
        return self.of[0][0].conventions

    @property
    def parts(self) -> tuple[str, ...]:
        """What is reported, besides what the members report; of rows, `score` calls it by row and part."""
        if self.op is None:
            return tuple(f"{member.name}.{part}" for member in self.members for part in member.parts)
        return (self.part,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of all members."""
        return tuple(column for member in self.members for column in member.columns)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The members' measures, then their combination."""
        from adjudge.stats.measure import Combined as Combination

        members = tuple(dict.fromkeys(measure for each, _ in self.of for measure in each.measures))
        if self.op is None:
            return members
        of = tuple((member.name, part) for member, part in self.of)
        return (*members, Combination(name=self.name, part=self.part, op=self.op, of=of))

    @property
    def time_limit(self) -> float | None:
        """The seconds for a document; None: as many as usual."""
        return self.members[0].time_limit

    def observe(self, gold: Any, system: Any, deadline: Deadline | None = None) -> Row:
        """The counts of all members, which share the time."""
        from adjudge.algebra.solve.deadline import Deadline

        clock = deadline or Deadline(self.time_limit)
        rows: list[Row] = []
        for number, member in enumerate(self.members):
            rows.append(member.observe(gold, system, clock.part(len(self.members) - number)))
        return _joined(rows)

    def score(self, gold: Any, system: Any) -> Scores:
        """The combined score of one pair of values; of rows, all parts of all of them."""
        from adjudge.stats.points import points

        first = self.members[0]
        found = points(self.measures, self.observe(first.document_of(gold), first.document_of(system)).counts)
        if self.op is None:
            return Scores(dict(zip(self.parts, found.values(), strict=True)))
        return Scores({part: found[self.name, part] for part in self.parts})

    def product(self, name: str) -> Combined:
        """The same rows, and one more called `name`: the product of what they report last (F1).

        >>> from typing import NamedTuple
        >>> from adjudge.metrics import derive
        >>> class Page(NamedTuple):
        ...     tags: set[str]
        ...     links: set[str]
        >>> derive(Page).product("joint").score(Page({"a"}, {"b"}), Page({"a"}, {"b", "c", "d"}))
        score=0.5
        """
        if self.op is not None:
            raise UsageError(f"{self.name} is one number already", hint="a product is made of the rows of a type")
        if not name.strip() or name in (member.name for member in self.members):
            raise UsageError(f"the product cannot be called {name!r}", hint="give it a name that no row has")
        return replace(self, name=name, op="product", origin=None)

    def align(self, gold: Any, system: Any, deadline: Deadline | None = None) -> Alignment:
        """The alignment of the first member; the others have their own."""
        return self.members[0].align(gold, system, deadline)

    def plan(self) -> str:
        """The plans of all members."""
        return "\n".join(f"{member.name}:\n{member.plan()}" for member in self.members)

    def definition(self) -> str:
        """What it is."""
        from adjudge.metrics.describe import combined_definition

        return combined_definition(self)

    def check(self, document: Any) -> list[tuple[str, str, str | None]]:
        """Every reason why a document does not fit one of the members."""
        return list(dict.fromkeys(problem for member in self.members for problem in member.check(document)))

    def prepare(self, document: Any) -> Any:
        """A raw JSON document as what `observe` wants."""
        return self.members[0].prepare(document)

    def with_options(
        self,
        *,
        pool: Pool | None = None,
        conventions: ir.Conventions | None = None,
        time_limit: float | None = None,
    ) -> Combined:
        """The same combination of members that are pooled or count otherwise."""
        changed = [
            member.with_options(pool=pool, conventions=conventions, time_limit=time_limit) for member, _ in self.of
        ]
        return replace(self, of=tuple((member, part) for member, (_, part) in zip(changed, self.of, strict=True)))

    def _repr_html_(self) -> str:
        from adjudge.metrics.describe import metric_html

        return metric_html(self)

    def __str__(self) -> str:
        from adjudge.metrics.registry import with_common_options

        return with_common_options(self.origin or self.name, self.conventions, self.pool)


def _joined(rows: Sequence[Row]) -> Row:
    """The counts of all members."""
    counts = {column: value for row in rows for column, value in row.counts.items()}
    outcomes = {name: found for row in rows for name, found in row.outcomes.items()}
    if all(row.optimal for row in rows):
        return Row(counts, outcomes=outcomes)
    bounds = {column: value for row in rows for column, value in (row.bound or row.counts).items()}
    return Row(counts, optimal=False, bound=bounds, outcomes=outcomes)
