"""Notes on fields of custom types, views and similarities: which make a score 0, and what counts once per document.

Metrics of the catalogue say themselves what they compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from msgspec.structs import replace

from adjudge.algebra import ir
from adjudge.algebra.views import is_collection, view
from adjudge.errors import AdjudgeError
from adjudge.tasks.observe import prepared, wrapped
from adjudge.tasks.slices import field_paths

if TYPE_CHECKING:
    from adjudge.metrics import Metric
    from adjudge.stats.result import Note, Result, SystemResult

Pick: TypeAlias = Callable[[Sequence[str]], Sequence[dict[str, Any]]]
"""Called with ids; returns the documents of gold and of each system that have them."""

_LOOKED_AT = 200  # documents searched for the reason
_NAMED = 3  # fields


def with_field_notes(result: Result, members: Sequence[Metric], pick: Pick, *, plain: bool = False) -> Result:
    """The result with notes on which fields made a score 0 everywhere, and which documents count as a whole."""
    whole = [note for member in members for note in _whole(member)]
    zeros = {system.name: [member for member in members if _is_zero(system, member)] for system in result.systems}
    if not any(zeros.values()):
        return msgspec.structs.replace(result, notes=(*result.notes, *whole)) if whole else result
    first = next(system for system in result.systems if system.table is not None)
    assert first.table is not None
    ids = sorted(first.table.ids)[:_LOOKED_AT]
    gold, *others = pick(ids)
    systems = []
    for system, own in zip(result.systems, others, strict=True):
        pairs = [(gold[name], own[name]) for name in ids if name in gold and name in own]
        notes = [note for member in zeros[system.name] for note in _reason(member, pairs, plain)]
        systems.append(msgspec.structs.replace(system, notes=(*system.notes, *notes)))
    return msgspec.structs.replace(result, systems=tuple(systems), notes=(*result.notes, *whole))


def _whole(member: Metric) -> Iterator[Note]:
    """Note that a document with other fields besides a collection counts once, as a product."""
    from adjudge.stats.result import Note

    node = member.similarity
    if member.document is None or not isinstance(node, ir.Record):
        return
    ratios = [name for name, inner in node.fields.items() if is_collection(inner) and not _is_counted(inner)]
    others = [name for name in node.fields if name not in ratios]
    if len(ratios) == 1 and others:
        kind = getattr(member.document, "__name__", member.name)
        message = (
            f"{member.name}: a document counts once, by the product of {', '.join(others)} and the F1 of {ratios[0]}; "
            f"to count {ratios[0]} over all documents, use view({kind}).only({ratios[0]!r}), "
            f"or mark what only describes: {others[0]}: Annotated[..., adjudge.algebra.ignore]"
        )
        yield Note("whole-documents", 1, message)


def _is_counted(node: ir.Similarity) -> bool:
    """Whether a collection yields a number of elements rather than a ratio."""
    return not isinstance(node, ir.Normalise) and not any(
        isinstance(inner, ir.Normalise) for inner in ir.children(node) if isinstance(node, ir.Mapped | ir.Union)
    )


def _is_zero(system: SystemResult, member: Metric) -> bool:
    """Whether nothing matched although both sides have something."""
    scores = [score.value for score in system.scores if score.metric == member.name and not score.slice]
    if system.table is None or any(scores):
        return False
    places = [system.table.columns.index(column) for column in member.columns]
    matched, predicted, *_, gold = (fsum(row[place] for row in system.table.values) for place in places)
    return matched == 0 and predicted > 0 and gold > 0


def _reason(member: Metric, pairs: Sequence[tuple[Any, Any]], plain: bool) -> Iterator[Note]:
    """The fields without which something would match, those with the largest effect first."""
    from adjudge.stats.result import Note

    found: list[tuple[float, str]] = []
    for path, other in _without_one(member):
        matched = fsum(_matched(other, gold, system, plain) for gold, system in pairs)
        if matched > 0:
            found.append((-matched, path))
    alone = _alone(member)
    if found:
        names = [path for _, path in sorted(found)[:_NAMED]]
        said = f"nothing matches because of {' or '.join(names)}: without it something would"
    elif alone is not None:
        names, said = [alone], f"no document has the same {alone}"
    else:
        return
    last = names[0].rpartition(".")[2]
    remedy = f"if {last} only describes, mark it in the type: {last}: Annotated[..., adjudge.algebra.ignore]"
    yield Note("field-differs", len(pairs), f"{member.name}: {said}; {remedy}", ())


def _alone(member: Metric) -> str | None:
    """The one field of a document that is compared, if it is not a collection."""
    node = member.similarity
    if member.document is None or not isinstance(node, ir.Record) or len(node.fields) != 1:
        return None
    ((name, inner),) = node.fields.items()
    return None if is_collection(inner) else name


def _without_one(member: Metric) -> Iterator[tuple[str, Metric]]:
    """The metric without each of its fields, by the path of that field in a document."""
    if ir.has_variables(member.similarity) or isinstance(member.similarity, ir.Latent):
        return  # searching over arbitrary names takes time
    for path in dict.fromkeys(field_paths(member.similarity)):
        try:
            narrowed = view(member.similarity).ignore(path).node
            yield path, replace(member, similarity=narrowed, origin=None)
        except AdjudgeError:  # nothing would be left, or the rest cannot be compared this way
            continue


def _matched(metric: Metric, gold: Any, system: Any, plain: bool) -> float:
    pair = [prepared(metric, wrapped(metric, each, plain=plain)) for each in (gold, system)]
    return metric.observe(*pair).counts[metric.columns[0]]
