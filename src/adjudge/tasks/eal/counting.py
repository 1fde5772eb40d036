"""Count documents of all submissions. They do not depend on each other, so other processes can do it, too."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from adjudge.errors import FormatError, Problem, ValidationError
from adjudge.formats.eal_store import FramesStore, Held, KeyStore, Store
from adjudge.model.eal import Linking, Span
from adjudge.tasks.eal.diagnostics import Slices
from adjudge.tasks.eal.document import Compared, Prepared, compare, prepare
from adjudge.tasks.eal.facts import Facts
from adjudge.tasks.eal.quotes import Quoted
from adjudge.tasks.eal.settings import Settings

Regions: TypeAlias = "Callable[[str], Sequence[Span] | None]"
Visitor: TypeAlias = "Callable[[str, str, Prepared, Compared], None]"
AnyStore: TypeAlias = Store | KeyStore | FramesStore
H = TypeVar("H", bound=Held)


class Share(NamedTuple):
    """What was counted of one system: a row for each document, what happened on the way, and counts by slice."""

    rows: list[tuple[float, ...]]
    facts: Facts
    slices: Mapping[str, list[Mapping[str, list[float]]]]


class Part(NamedTuple):
    """What was counted of some documents, one after the other.

    A system whose files have problems has fewer rows. `written` is what the hash of every side is made of.
    """

    gold: Facts
    systems: Mapping[str, Share]
    regions: list[Sequence[Span] | None]
    problems: list[list[Problem]]
    written: list[bytes]


class Counter(NamedTuple):
    """All sides of a campaign, open for reading.

    It can be sent to another process if `regions` can and nobody visits: the stores do not own what archives were
    unpacked to, which the process that opened them removes.
    """

    keys: KeyStore
    frames: FramesStore | None
    stores: Mapping[str, Store]
    settings: Settings
    regions: Regions | None
    slices: Mapping[str, Slices]
    visit: Visitor | None

    def part(self, documents: Sequence[str], _: object = None) -> Part:
        """Read some documents of all sides, and compare; problems are collected."""
        systems = {name: Share([], Facts(), {field: [] for field in self.slices}) for name in self.stores}
        part = Part(Facts(), systems, [], [], [])
        sides: list[AnyStore] = [self.keys, *([] if self.frames is None else [self.frames]), *self.stores.values()]
        written: list[list[bytes]] = [[] for _ in sides]
        for document in documents:
            part.problems.append(self._count(document, part))
            for side, own in zip(sides, written, strict=True):
                own += hashed(side, document)
        part.written.extend(map(b"".join, written))
        return part

    def _count(self, document: str, part: Part) -> list[Problem]:
        """Add one document to a part; what is wrong with it."""
        problems: list[Problem] = []
        prepared = None
        regions: Sequence[Span] | None = None
        try:
            key = self.keys.key(document)
            linking = None if self.frames is None else self.frames.linking(key)
            regions = None if self.regions is None else self.regions(document)
            if regions and isinstance(self.regions, Quoted):
                part.gold.add("unclosed", len(self.regions.unclosed(document)), document)
            prepared = prepare(
                key,
                linking,
                self.settings,
                regions=regions,
                key_place=self.keys.place(document),
                frames_place=None if self.frames is None else self.frames.place(document),
            )
            part.gold.see_gold(prepared.gold, prepared.reference)
            part.gold.add("joined", len(key.joined), document)
        except (FormatError, ValidationError) as error:
            problems += error.problems
        part.regions.append(regions)
        for name, share in part.systems.items():
            try:
                self._share(name, document, prepared, share)
            except (FormatError, ValidationError) as error:
                problems += error.problems
        return problems

    def _share(self, name: str, document: str, prepared: Prepared | None, share: Share) -> None:
        settings, store, facts = self.settings, self.stores[name], share.facts
        arguments = store.arguments(document)
        linking: Linking | None = None
        if settings.linking and store.has_linking:
            linking = store.linking(document)
            if linking is None:
                linking = Linking(document)
                if settings.profile.missing_document == "error":
                    hint = "add the linking file, which may be empty, or use the profile spec"
                    raise ValidationError(Problem(f"{document} has no linking", path=store.path, hint=hint))
                facts.add("unlinked-document", bool(arguments.arguments), document)
        if document not in store:
            facts.add("missing", 1, document)
        if prepared is None:
            return  # the problem is with the key
        compared = compare(arguments, linking, prepared, settings, place=store.place(document))
        facts.see(compared, settings, len(arguments.arguments), document)
        for field, each in self.slices.items():
            share.slices[field].append(each.count(compared.observed, prepared.reference))
        if self.visit is not None:
            self.visit(name, document, prepared, compared)
        share.rows.append(compared.row)


def hashed(store: AnyStore, document: str) -> list[bytes]:
    """What a document adds to the hash of a store; nothing if that is an archive, which is hashed as a whole."""
    if store.packed:
        return []
    files = (
        {kind: store.bytes_of(document, kind) for kind in ("arguments", "linking")}
        if isinstance(store, Store)
        else {"": store.bytes_of(document)}
    )
    found = []
    for kind, data in files.items():
        found += [f"{document}\t{kind}\t{-1 if data is None else len(data)}\n".encode(), data or b""]
    return found


def lent(store: H) -> H:
    """The same store, but whoever closes this one does not remove what an archive was unpacked to."""
    other = copy.copy(store)
    Held.__init__(other, None)
    return other
