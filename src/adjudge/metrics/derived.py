"""Metrics made of others: means, sums and products; that of a type or of a view; any with a hierarchy of types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec
from msgspec.structs import replace

from adjudge.algebra import hierarchy, ir
from adjudge.algebra.views import View, counting_elements, is_collection, view
from adjudge.errors import UsageError, did_you_mean
from adjudge.metrics.base import Metric, Pool, Row, Scores

if TYPE_CHECKING:
    from adjudge.algebra.align import Alignment
    from adjudge.algebra.solve.deadline import Deadline
    from adjudge.stats.measure import Measure

CREDITS: tuple[str, ...] = get_args(ir.Credit)


def derive(
    kind: Any,
    *,
    name: str | None = None,
    nested: Literal["f1", "count"] = "f1",
    pool: Pool = "micro",
    conventions: ir.Conventions | None = None,
    names: Mapping[str, Any] | None = None,
) -> Metric | Combined:
    """The metric defined by a type.

    Fields are compared by equality unless `typing.Annotated` says otherwise (with `aj.algebra.ignore` not at all),
    records by the product of their fields, collections by the best one-to-one matching of their elements; inside a
    record a collection counts by its F1 (1 if both are empty), or with `nested="count"` by the number of matched
    elements. `names` resolves forward references to types that are not at the top of a module.

    A record type is a document, whose field `id` pairs documents and is never compared; values of any other type stand
    in a document's field `value`. A document with one field counts its elements over all documents. One with several
    collections has a row for each field, `NAME.FIELD`; `derive(Doc).product("joint")` adds their product. Any other is
    one record, which counts once.

    >>> derive(set[int]).score({3, 4, 5}, {1, 2, 3, 4}).precision
    0.5
    """
    from adjudge.algebra.derive import derive_similarity

    similarity = derive_similarity(kind, nested=nested, names=names)
    shape: ir.Similarity = similarity
    while isinstance(shape, ir.Latent | ir.Normalise):
        shape = shape.of
    whole = isinstance(shape, ir.Record | ir.Sum)
    made = Metric(
        similarity=similarity,
        name=name or str(getattr(kind, "__name__", "metric")),
        pool=pool,
        conventions=conventions or ir.Conventions(),
        document=kind if whole else None,
        within=None if whole else "value",
    )
    return _of_document(made) if whole else made


def of_view(chosen: View) -> Metric | Combined:
    """The metric of a view; that on a type treats documents as `derive` does.

    >>> from typing import NamedTuple
    >>> class Page(NamedTuple):
    ...     id: str
    ...     tags: list[str]
    ...     links: list[str]
    >>> of_view(view(Page)).parts[-1], of_view(view(Page).only("tags")).parts[-1]
    ('metric.links.f1', 'f1')
    """
    made = Metric(similarity=chosen.node)
    return _of_document(made) if chosen.derived else made


def _of_document(metric: Metric) -> Metric | Combined:
    """A metric of documents without their id, with a row for each field if several are collections."""
    node = counting_elements(_without_id(metric))
    if not isinstance(node, ir.Record) or sum(map(is_collection, node.fields.values())) < 2 or node.size is not None:
        return replace(metric, similarity=node)
    rows = [
        replace(metric, name=f"{metric.name}.{field}", similarity=counting_elements(ir.Record(fields={field: inner})))
        for field, inner in node.fields.items()
    ]
    return Combined(name=metric.name, of=tuple((row, row.parts[-1]) for row in rows), op=None)


def _without_id(metric: Metric) -> ir.Similarity:
    node = metric.similarity
    record = node.of if isinstance(node, ir.Latent) else node
    if not isinstance(record, ir.Record) or "id" not in record.fields:
        return node
    if len(record.fields) == 1:
        hint = "add a field, or derive the type of what is compared, such as list[str]"
        raise UsageError(f"{metric.name} has nothing to compare: its id pairs documents", hint=hint)
    return view(node).ignore("id").node


# ---------------------------------------------------------------------------------------------------------------------
# Hierarchies: a field that is compared by equality gives partial credit instead


def as_hierarchy(value: Any, *, credit: str = "halving") -> ir.Hierarchy:
    """A hierarchy from a file, from a mapping of types to their parents, or from what separates levels in names.

    >>> as_hierarchy(".").separator, as_hierarchy({"bombing": "attack"}).parents
    ('.', {'bombing': 'attack'})
    """
    if isinstance(value, ir.Hierarchy):
        return value
    if credit not in CREDITS:
        hint = did_you_mean(credit, CREDITS) or f"choose from {', '.join(CREDITS)}"
        raise UsageError(f"there is no credit {credit!r}", hint=hint)
    if isinstance(value, str) and value and not any(c.isalnum() or c.isspace() for c in value) and not _is_file(value):
        return hierarchy(separator=value, credit=credit)  # type: ignore[arg-type]
    return hierarchy(value, credit=credit)  # type: ignore[arg-type]


def with_hierarchies(metrics: tuple[Any, ...], hierarchies: Mapping[str, ir.Hierarchy]) -> tuple[Any, ...]:
    """Metrics whose fields at the paths give partial credit; a path must be a field of at least one of them.

    >>> from adjudge.metrics import find
    >>> (changed,) = with_hierarchies((find("ner.strict"),), {"entities.type": as_hierarchy(".")})
    >>> def mention(type): return [{"span": {"start": 0, "end": 5}, "type": type}]
    >>> changed.score(mention("Conflict.Attack"), mention("Conflict.Meet")).f1
    0.5
    """
    for path, types in hierarchies.items():
        changed = tuple(_with(metric, path, types) for metric in metrics)
        if changed == metrics:
            members = [member for metric in metrics for member in metric.members]
            raise _unknown(members[0], path)
        metrics = changed
    return metrics


def _with(metric: Any, path: str, types: ir.Hierarchy) -> Any:
    if isinstance(metric, Combined):
        of = tuple((_with(member, path, types), part) for member, part in metric.of)
        return metric if of == metric.of else replace(metric, of=of, laws=(), origin=None)
    return _one(metric, path, types)


def _one(metric: Metric, path: str, types: ir.Hierarchy) -> Metric:
    if metric.clustered is not None and _inner(metric, path) in metric.clustered.fields:
        hint = "choose other metrics"
        raise UsageError(f"{metric.name} compares clusters, which give no partial credit for {path}", hint=hint)
    try:
        similarity = view(metric.similarity).set(_inner(metric, path), types).node
    except UsageError:
        return metric  # it does not look at this field
    # What the metric promises holds of equality; what it is called by no longer says all, so it is written in full.
    return replace(metric, similarity=similarity, laws=(), origin=None)


def _inner(metric: Metric, path: str) -> str:
    """The path from where the similarity begins, which is inside one field of the document."""
    return path.removeprefix(f"{metric.within}.") if metric.within else path


def _unknown(metric: Metric, path: str) -> UsageError:
    try:
        view(metric.similarity).set(_inner(metric, path), ir.Hierarchy(separator="."))
    except UsageError as error:
        problem = error.problems[0]
        return UsageError(f"{metric.name}: {problem.message}", hint=problem.hint)
    return UsageError(f"{metric.name} has this hierarchy already")


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


class Combined(msgspec.Struct, frozen=True):
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
