"""Score corpora that are too large to hold: gold and systems are read side by side, a block of documents at a time.

Each block becomes a part, as if it had been scored by itself, and the parts are merged; what is kept of a document is
its id, its counts and its short fields. The result is the same to the byte as that of reading everything first.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from adjudge.engine.local import map_documents
from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, ValidationError
from adjudge.evaluate.sides import Names, check_sides
from adjudge.formats.shards import stream_documents
from adjudge.model.document import Document
from adjudge.stats.inference import OFF
from adjudge.tasks.adding import Campaign, add_up, fields_of
from adjudge.tasks.aligned import Indexed, OutOfOrder, SideBySide
from adjudge.tasks.documents import Side, unknown_document
from adjudge.tasks.large import Inputs
from adjudge.tasks.observe import GOLD, AnyMetric, Complaint, Observer, Seen
from adjudge.tasks.packed import Packed, add_up_packed
from adjudge.tasks.part_reader import Change
from adjudge.tasks.placing import placed
from adjudge.tasks.slices import partial_slicing, refuse_unknown

if TYPE_CHECKING:
    from adjudge.stats.inference import Inference
    from adjudge.stats.result import Result

BLOCK = 10_000
_PROBLEMS = 1000

Progress = Callable[[int, "int | None"], None]


class Plan(NamedTuple):
    """What is to be scored; `docs` are the ids of gold documents if only some are wanted.

    `change` is done to pairs of documents before they are compared, and `options` is what the signature says of it.
    Results are made of blocks of `block` documents, which is what is held at once, or of all together.
    """

    metrics: tuple[AnyMetric, ...]
    inputs: Inputs
    by: tuple[str, ...]
    docs: frozenset[str] | None
    profile: str
    change: Change | None
    options: Mapping[str, str]
    block: int | None


def score_stream(
    plan: Plan,
    *,
    inference: Inference,
    jobs: int | None = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Result:
    """The scores of systems in files, `by` fields of the documents; see `adjudge.tasks.scoring.score`."""
    indexed: set[int] = set()
    while True:
        run = Run(plan)
        try:
            parts = run.parts(frozenset(indexed), jobs=jobs, cluster=cluster, progress=progress)
            return run.merged(parts, inference)
        except _Unordered as unordered:
            indexed.add(unordered.place)


class _Unordered(Exception):
    """One of the systems has another order than gold."""

    def __init__(self, place: int) -> None:
        self.place = place


@dataclass(slots=True)
class Block:
    """Some documents of gold, those of the systems that belong to them, and what was seen of them so far."""

    chosen: dict[str, Document]
    found: list[dict[str, Document]]
    seen: list[list[Seen]] = field(default_factory=list)
    complaints: list[tuple[str, Complaint]] = field(default_factory=list)


class Run:
    """One reading of all files."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.digests = [hashlib.sha256() for _ in plan.inputs.files]
        self.errors: list[AdjudgeError] = []
        self.unknown: list[Problem] = []
        self.strangers: list[list[str]] = [[] for _ in plan.inputs.systems]  # ids that gold does not have
        self.shared = [False] * len(plan.inputs.systems)
        self.some: list[str] = []  # ids of gold
        self.problems: dict[int, list[Problem]] = {}
        self.there: set[str] = set()
        self.unchosen = set() if plan.docs is None else set(plan.docs)

    def parts(
        self, indexed: frozenset[int], *, jobs: int | None, cluster: str | None, progress: Progress | None
    ) -> list[Result]:
        """One result for every block of documents."""
        systems: list[SideBySide | Indexed] = []
        waiting: deque[Block] = deque()
        done = 0

        def pairs() -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
            for block in self._blocks(systems):
                waiting.append(block)
                yield from self._pairs(block)

        def advance(number: int) -> None:
            nonlocal done
            done += number
            if progress is not None:
                progress(done, None)

        try:
            for place in range(len(self.plan.inputs.systems)):
                documents = self._documents(place + 1)
                systems.append(Indexed(documents) if place in indexed else SideBySide(documents))
            parts: list[Result] = []
            observer = Observer(self.plan.metrics)
            for identifier, observed in map_documents(observer, pairs(), jobs=jobs, cluster=cluster, progress=advance):
                current = waiting[0]
                current.seen.append(observed.systems)
                current.complaints += [(identifier, each) for each in observed.complaints]
                if len(current.seen) == len(current.chosen):
                    self._complain(waiting[0])
                    if not self.problems and not self.errors:
                        parts.append(self.part(current))
                    waiting.popleft()
            self._finish()
            return parts
        finally:
            for system in systems:
                system.close()

    def merged(self, parts: list[Result], inference: Inference) -> Result:
        """All parts as one result, with the hashes of what was read."""
        from adjudge.stats.merge import merge
        from adjudge.stats.result import result_fields
        from adjudge.stats.signature import signature

        result = merge(parts, inference=inference)
        table = result.systems[0].table
        assert table is not None
        assert result.options is not None
        for name in self.plan.by:
            if name not in self.there:
                refuse_unknown(name, table.attributes)
        gold, *systems = (self._side(place, {}, digest.hexdigest()) for place, digest in enumerate(self.digests))
        whole = Campaign(
            self.plan.metrics, table.ids, gold, systems, [], whole=self.plan.docs is None, options=self.plan.options
        )
        options = msgspec.structs.replace(result.options, fields=dict(fields_of(whole)))
        line = result_fields(self.plan.profile, len(table.ids), len(systems), options)
        return msgspec.structs.replace(result, options=options, signature=signature(result.task, line))

    def whole(self, packed: Packed, inference: Inference) -> Result:
        """The result of all documents, if they were kept together."""
        plan = self.plan
        gold, *systems = (self._side(place, {}, digest.hexdigest()) for place, digest in enumerate(self.digests))
        campaign = Campaign(
            plan.metrics, tuple(packed.ids), gold, systems, [], whole=plan.docs is None, options=plan.options
        )
        slices = packed.slicing(plan.by, plan.metrics)
        return add_up_packed(campaign, packed, slices, profile=plan.profile, inference=inference)

    def _documents(self, place: int) -> Iterator[Document]:
        """The documents of gold (0) or a system; what is wrong with them is kept for the end."""
        paths = self.plan.inputs.files[place]
        try:
            for document in stream_documents(paths, digest=self.digests[place]):
                yield document if len(paths) > 1 else msgspec.structs.replace(document, path=None)
        except UsageError:
            raise
        except AdjudgeError as error:
            self.errors.append(error)

    def _blocks(self, systems: Sequence[SideBySide | Indexed]) -> Iterator[Block]:
        chosen: dict[str, Document] = {}
        others: set[str] = set()
        for document in self._documents(0):
            if self.plan.docs is None or document.id in self.plan.docs:
                chosen[document.id] = document
                self.unchosen.discard(document.id)
            else:
                others.add(document.id)
            if len(chosen) + len(others) == self.plan.block:
                yield from self._with_systems(chosen, others, systems)
                chosen, others = {}, set()
        yield from self._with_systems(chosen, others, systems)
        for place, system in enumerate(systems):
            side = self._side(place + 1, {})
            try:
                for document in system.rest():
                    if len(self.strangers[place]) < _PROBLEMS:
                        self.strangers[place].append(document.id)
                    if len(self.unknown) < _PROBLEMS:
                        self.unknown.append(unknown_document(side, document))
            except OutOfOrder:
                raise _Unordered(place) from None

    def _with_systems(
        self, chosen: dict[str, Document], others: Collection[str], systems: Sequence[SideBySide | Indexed]
    ) -> Iterator[Block]:
        found = []
        for place, system in enumerate(systems):
            try:
                own = system.take([*chosen, *others])
            except OutOfOrder:
                raise _Unordered(place) from None
            self.shared[place] |= bool(own)
            found.append({identifier: document for identifier, document in own.items() if identifier in chosen})
        self.some += [*chosen, *others][: _PROBLEMS - len(self.some)]
        if chosen:
            yield Block(chosen, found)

    def _pairs(self, block: Block) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
        for identifier, document in block.chosen.items():
            own = [found.get(identifier) for found in block.found]
            answers = tuple(None if each is None else each.data for each in own)
            if self.plan.change is None:
                yield identifier, document.data, answers
            else:
                both = [self.plan.change(document.data, each) for each in answers]
                yield identifier, both[0][0], tuple(answer for _, answer in both)

    def _complain(self, block: Block) -> None:
        if not block.complaints:
            return
        gold = self._side(0, block.chosen)
        systems = [self._side(place, found) for place, found in enumerate(block.found, 1)]
        for number in range(GOLD, len(systems)):
            own = [each for each in block.complaints if each[1].side == number]
            known = self.problems.setdefault(number, [])
            known += list(placed(own, gold, systems))[: _PROBLEMS - len(known)]

    def part(self, block: Block) -> Result:
        """The result of some documents, as if there were no others."""
        gold = self._side(0, block.chosen)
        systems = [self._side(place, found) for place, found in enumerate(block.found, 1)]
        data = [document.data for document in block.chosen.values()]
        slices, there = partial_slicing(self.plan.by, data, self.plan.metrics)
        self.there |= there
        campaign = Campaign(
            self.plan.metrics, tuple(block.chosen), gold, systems, block.seen, options=self.plan.options
        )
        return add_up(campaign, slices, profile=self.plan.profile, inference=OFF)

    def packed_part(self, packed: Packed) -> Result:
        """The same of documents that other processes have counted."""
        slices, there = packed.partial_slicing(self.plan.by, self.plan.metrics)
        self.there |= there
        gold, *systems = (self._side(place, {}) for place in range(len(self.plan.inputs.files)))
        campaign = Campaign(self.plan.metrics, tuple(packed.ids), gold, systems, [], options=self.plan.options)
        return add_up_packed(campaign, packed, slices, profile=self.plan.profile, inference=OFF)

    def _side(self, place: int, documents: dict[str, Document], digest: str = "") -> Side:
        name = self.plan.inputs.names[place - 1] if place else "gold"
        path = self.plan.inputs.systems[place - 1] if place else self.plan.inputs.gold
        return Side(name, path, documents, digest, jsonl=True)

    def _finish(self) -> None:
        """Raise what was wrong, as far as one reading has found it."""
        if self.errors:
            raise FormatError([problem for error in self.errors for problem in error.problems])
        apart = zip(self.plan.inputs.systems, self.strangers, self.shared, strict=True)
        check_sides(
            Names(self.plan.inputs.gold, self.some), [Names(path, ids) for path, ids, shared in apart if not shared]
        )
        if self.unknown:
            raise ValidationError(self.unknown)
        if self.unchosen:
            raise UsageError(
                [Problem(f"there is no gold document {name!r}", hint="check the id") for name in sorted(self.unchosen)]
            )
        if any(self.problems.values()):
            raise ValidationError([problem for number in sorted(self.problems) for problem in self.problems[number]])
