"""Count one document of all submissions. Documents do not depend on each other, so other processes can do it, too."""

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
from adjudge.tasks.eal.settings import Settings

Regions: TypeAlias = "Callable[[str], Sequence[Span] | None]"
Visitor: TypeAlias = "Callable[[str, str, Prepared, Compared], None]"
H = TypeVar("H", bound=Held)


class Share(NamedTuple):
    """What was counted of one system in one document: its row, what happened on the way, and counts by slice."""

    row: tuple[float, ...]
    facts: Facts
    slices: Mapping[str, Mapping[str, list[float]]]


class Part(NamedTuple):
    """What was counted of one document; systems whose files have problems are not there."""

    gold: Facts
    systems: Mapping[str, Share]
    regions: Sequence[Span] | None
    problems: Sequence[Problem]


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

    def part(self, document: str, _: object = None) -> Part:
        """Read a document of all sides, and compare; problems are collected."""
        problems: list[Problem] = []
        facts = Facts()
        prepared = None
        regions: Sequence[Span] | None = None
        try:
            key = self.keys.key(document)
            linking = None if self.frames is None else self.frames.linking(key)
            regions = None if self.regions is None else self.regions(document)
            prepared = prepare(
                key,
                linking,
                self.settings,
                regions=regions,
                key_place=self.keys.place(document),
                frames_place=None if self.frames is None else self.frames.place(document),
            )
            facts.see_gold(prepared.gold, prepared.reference)
        except (FormatError, ValidationError) as error:
            problems += error.problems
        systems = {}
        for name in self.stores:
            try:
                share = self._share(name, document, prepared)
            except (FormatError, ValidationError) as error:
                problems += error.problems
            else:
                if share is not None:
                    systems[name] = share
        return Part(facts, systems, regions, problems)

    def _share(self, name: str, document: str, prepared: Prepared | None) -> Share | None:
        settings, store, facts = self.settings, self.stores[name], Facts()
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
            return None  # the problem is with the key
        compared = compare(arguments, linking, prepared, settings, place=store.place(document))
        facts.see(compared, settings, len(arguments.arguments), document)
        slices = {field: each.count(compared.observed, prepared.reference) for field, each in self.slices.items()}
        if self.visit is not None:
            self.visit(name, document, prepared, compared)
        return Share(compared.row, facts, slices)


def lent(store: H) -> H:
    """The same store, but whoever closes this one does not remove what an archive was unpacked to."""
    other = copy.copy(store)
    Held.__init__(other, None)
    return other
