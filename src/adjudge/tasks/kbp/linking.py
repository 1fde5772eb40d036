"""Links gold entities across documents: by the page of most of their named mentions, else by name.

Every named mention with a page votes for it; other mentions do not vote. Of equal numbers of votes, the page of the
earliest voting mention wins, then the first in the alphabet. An entity without a page is known by its name, compared
exactly. Corpus ids show their source: `W:page`, `N:name`, `C:cluster` of the table, `D:document#entity`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from adjudge.errors import Problem, ValidationError
from adjudge.model.graph import closed
from adjudge.model.kbp import NAMED, Entity, KbDocument, Mention, MentionLink
from adjudge.tasks.kbp.options import KbOptions, NilKey

if TYPE_CHECKING:
    from adjudge.formats.kb_links import MentionKey

GoldKey: TypeAlias = "tuple[str, str]"
"""A gold entity: its document and its id."""

_SHOWN = 20  # problems


class Linked(NamedTuple):
    """The corpus id of a gold entity, None without a name, and its source.

    `votes` are the pages (or clusters) with their numbers of votes, the winner first; `names` are the distinct names.
    """

    id: str | None
    votes: tuple[tuple[str, int], ...] = ()
    names: tuple[str, ...] = ()


def link(
    documents: Sequence[KbDocument],
    options: KbOptions,
    *,
    links: Mapping[MentionKey, MentionLink] | None = None,
    redirects: Mapping[str, str] | None = None,
    stop: Collection[str] = (),
) -> dict[GoldKey, Linked]:
    """The corpus id of every gold entity.

    `links` has the rows of the table of links by mention, as returned by `attach_links`; pages in `stop` do not count.
    An entity without a linked name may have a link of its own (`Entity.links`), which is taken as its page.

    >>> oslo = Entity("E1", mentions=(Mention("d", 0, 4, text="Oslo"),))
    >>> link([KbDocument("d", [oslo])], KbOptions())["d", "E1"].id
    'N:Oslo'
    >>> link([KbDocument("d", [oslo])], KbOptions(), links={("d", "E1", 0): MentionLink("d", "Oslo")})["d", "E1"]
    Linked(id='W:Oslo', votes=(('Oslo', 1),), names=('Oslo',))
    """
    pages = _Pages(links or {}, redirects or {}, frozenset(stop))
    found: dict[GoldKey, Linked] = {}
    unlinked: list[_Unlinked] = []
    nameless: list[Problem] = []
    for document in documents:
        for entity in document.entities:
            key = document.id, entity.id
            named = _named(entity)
            spelt = [mention_name(mention, document.text) for _, mention in named]
            names = tuple(sorted(set(spelt) - {""}))
            if not named:
                id = f"D:{document.id}#{entity.id}" if options.unnamed == "document" else None
                found[key] = Linked(id)
                continue
            votes = pages.votes(document.id, entity, named)
            clusters = () if votes or options.nil_merge != "as-given" else pages.clusters(document.id, entity, named)
            if votes:
                found[key] = Linked(f"W:{votes[0][0]}", votes, names)
            elif clusters:
                found[key] = Linked(f"C:{clusters[0][0]}", clusters, names)
            elif not names:
                message = f"the names of the entity {entity.id!r} of document {document.id!r} are not known"
                hint = "give the text of its mentions or of the document, or a page"
                nameless.append(Problem(message, path=document.path or None, hint=hint))
            else:
                type_ = entity.type if options.nil_by_type else ""
                name = nil_name([each for each in spelt if each], options.nil_key)
                unlinked.append(_Unlinked(key, name, type_, names))
    if nameless:
        more = len(nameless) - _SHOWN
        rest = [Problem(f"and {more} more entities without known names")] if more > 0 else []
        raise ValidationError([*nameless[:_SHOWN], *rest])
    merged = _any_shared(unlinked) if options.nil_merge == "any-shared-name" else [each.name for each in unlinked]
    for each, name in zip(unlinked, merged, strict=True):
        id = f"N:{each.type}:{name}" if options.nil_by_type else f"N:{name}"
        found[each.key] = Linked(id, (), each.names)
    # In the order of the annotation, not of linking.
    return {
        (document.id, entity.id): found[document.id, entity.id]
        for document in documents
        for entity in document.entities
    }


def mention_name(mention: Mention, text: str | None = None) -> str:
    r"""The name that a mention has: the string of its head, white space folded.

    The text of a mention may be that of its extent or of its head; without one, the text of the document is used.

    >>> from adjudge.model.kbp import Span
    >>> mention_name(Mention("d", 0, 12, text="the Per\nDahl", head=Span(4, 12)))
    'Per Dahl'
    >>> mention_name(Mention("d", 0, 4), "Oslo is large")
    'Oslo'
    """
    found = mention.text
    if not found:
        start, end = mention.head_span
        found = "" if text is None else text[start:end]
    elif mention.head is not None and len(found) == mention.end - mention.start:
        found = found[mention.head.start - mention.start : mention.head.end - mention.start]
    return " ".join(found.split())


def nil_name(names: Sequence[str], key: NilKey) -> str:
    """The name of an entity, from its names in the order of the text.

    Of equally long names the more frequent, of equally frequent ones the longer, then the first in the alphabet.
    """
    if key == "first":
        return names[0]
    counts = Counter(names)
    if key == "longest":
        return min(counts, key=lambda name: (-len(name), -counts[name], name))
    return min(counts, key=lambda name: (-counts[name], -len(name), name))


def vote(pages: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """The pages with their votes, the winner first; votes come in the order of the text."""
    # Counter keeps the order of first votes, and sorting is stable: of equals the earliest comes first.
    return tuple(sorted(Counter(pages).items(), key=lambda pair: -pair[1]))


def _named(entity: Entity) -> list[tuple[int, Mention]]:
    """The named mentions with their numbers, in the order of the text."""
    named = [(number, mention) for number, mention in enumerate(entity.mentions) if mention.level == NAMED]
    if len(named) > 1:
        named.sort(key=lambda pair: (pair[1].head or pair[1][1:3], pair[1][1:3], pair[1].text, pair[1].id))
    return named


class _Pages(NamedTuple):
    links: Mapping[MentionKey, MentionLink]
    redirects: Mapping[str, str]
    stop: frozenset[str]

    def votes(self, document: str, entity: Entity, named: list[tuple[int, Mention]]) -> tuple[tuple[str, int], ...]:
        if not self.links and not entity.links:
            return ()
        given = self._rows(document, entity, named, lambda row: self.page(row.page))
        if not given and entity.links:
            best = max(entity.links, key=lambda each: each.confidence)  # the first of equals
            page = "" if _is_nil(best.target) else self.page(best.target)
            given = [page] if page else []
        return vote(given)

    def clusters(self, document: str, entity: Entity, named: list[tuple[int, Mention]]) -> tuple[tuple[str, int], ...]:
        given = self._rows(document, entity, named, lambda row: row.cluster)
        return vote(given or [each.target for each in entity.links if _is_nil(each.target)][:1])

    def page(self, page: str) -> str:
        """The page to which redirects lead, empty for a page on the stop list; pages in a circle are one page."""
        seen: dict[str, None] = {}
        while page and page not in seen:
            if page in self.stop:
                return ""
            seen[page] = None
            page = self.redirects.get(page, page)
        return min(list(seen)[list(seen).index(page) :]) if page else ""

    def _rows(
        self, document: str, entity: Entity, named: list[tuple[int, Mention]], what: Callable[[MentionLink], str]
    ) -> list[str]:
        """The values of the rows of the mentions, in text order; at one place, the first in the alphabet."""
        found = []
        for number, mention in named:
            row = self.links.get((document, entity.id, number))
            said = "" if row is None else what(row)
            if said:
                found.append((mention.head_span.start, said))
        return [said for _, said in sorted(found)]


def _is_nil(target: str) -> bool:
    return target.upper().startswith("NIL")


class _Unlinked(NamedTuple):
    key: GoldKey
    name: str
    type: str
    names: tuple[str, ...]


def _any_shared(entities: Sequence[_Unlinked]) -> list[str]:
    """One name for all entities that are connected by names in common.

    Different groups have no name in common, so any member's name would do; the longest is taken.
    """
    links = [[(each.type, name) for name in each.names] for each in entities]
    groups = closed(links, (name for link in links for name in link))
    first = {name: group[0] for group in groups for name in group}
    roots = [first.get(link[0], link[0]) for link in links]
    found: dict[tuple[str, str], list[str]] = {}
    for entity, root in zip(entities, roots, strict=True):
        found.setdefault(root, []).append(entity.name)
    chosen = {root: nil_name(names, "longest") for root, names in found.items()}
    return [chosen[root] for root in roots]
