"""The outcome of every nugget, hopper and link of a document, from the mappings used for scoring.

Each scored combination of attributes has a mapping of its own. A nugget is shown with its partner in the strictest
mapping that has one: type and realis, then one of them, then the place alone. So the credits of the pairs add up to the
counts. Nuggets with the same place and the same attributes are interchangeable.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from adjudge.model.nugget import AFTER, COREFERENCE, NOT_ANNOTATED, SUBEVENT, Nugget, NuggetDocument, Piece, TokenTable
from adjudge.stats.alignment import Alignment, Item, Matching, Pair, Single
from adjudge.tasks.nugget.mapping import attributes
from adjudge.tasks.nugget.sequencing import compare_links
from adjudge.tasks.nugget.settings import Settings, canonical
from adjudge.tasks.nugget.spans import partial_overlaps

if TYPE_CHECKING:
    from adjudge.tasks.nugget.coreference import Chained
    from adjudge.tasks.nugget.observe import Observed
    from adjudge.tasks.nugget.task import Seen

NUGGETS, LINKS = "nuggets", "links"
STOPPED = "the program of 2015 stopped before it"


def align_document(seen: Seen, settings: Settings, text: Layout | None) -> Alignment:
    """The nuggets and links of both sides, with their outcomes."""
    gold, system, observed = seen.gold, seen.system, seen.observed
    matchings = [_nuggets(gold, system, observed, settings)]
    relations = {relation.name for document in (gold, system) for relation in document.relations}
    coref = COREFERENCE in relations if settings.coref is None else settings.coref
    if coref:
        matchings.append(_hoppers(observed, seen.chains, settings))
    if settings.sequencing is not False and not relations.isdisjoint((AFTER, SUBEVENT)):
        numbered = len(gold.nuggets), len(system.nuggets)
        matchings.append(compare_links(gold, system, observed.mappings[settings.mapping], numbered))
    return Alignment(
        gold=_items(gold, text),
        system=_items(system, text),
        matchings=tuple(matchings),
        text=None if text is None else text.text,
        groups="hopper" if coref else "",
        missing=seen.own is None,
    )


def stopped_at(found: Alignment) -> Alignment:
    """The same document if the program of 2015 stopped before it, so that nothing counts."""
    ignored = tuple(Single(number, STOPPED) for number, item in enumerate(found.system) if item.level == NUGGETS)
    matching = Matching(metric=found.matchings[0].metric, ignored=ignored)
    return structs.replace(found, matchings=(matching,), groups="")


def _nuggets(gold: NuggetDocument, system: NuggetDocument, observed: Observed, settings: Settings) -> Matching:
    name = settings.scored[-1]
    if settings.official and not gold.nuggets:
        why = "gold has no nuggets here, and the official program does not count the document"
        ignored = tuple(Single(number, why) for number in range(len(system.nuggets)))
        return Matching(metric=f"nugget.{name}", ignored=ignored, grouped=False)
    agree = _agreement(settings)
    pairs = []
    for one, other, dice in _strictest(observed, settings):
        ours, theirs = gold.nuggets[one], system.nuggets[other]
        values = {
            attribute: (getattr(ours, attribute), getattr(theirs, attribute)) for attribute in settings.attributes
        }
        wrong = [f"{name} is {own}, gold {right}" for name, (right, own) in values.items() if not agree(right, own)]
        if wrong:
            wrong += [f"the places overlap by {dice:.2f}"] if dice < 1 else []
            pairs.append(Pair(one, other, "wrong", 0.0, "; ".join(wrong)))
        else:
            pairs.append(Pair(one, other, "correct" if dice >= 1 else "partial", min(dice, 1.0)))
    near = _neighbours(observed)
    missed, spurious = (
        tuple(
            Single(number, "" if side.keys[number] is not None else "no visible token or character", others.get(number))
            for number in range(len(side.keys))
            if number not in taken
        )
        for side, taken, others in (
            (observed.sides[0], {each.gold for each in pairs}, near[0]),
            (observed.sides[1], {each.system for each in pairs}, near[1]),
        )
    )
    numbers = {each: observed.matched[each] for each in settings.scored}
    return Matching(
        metric=f"nugget.{name}",
        pairs=tuple(sorted(pairs, key=lambda each: each.gold)),
        missed=missed,
        spurious=spurious,
        numbers={**numbers},
        grouped=False,
    )


def _agreement(settings: Settings) -> Callable[[str, str], bool]:
    """When a gold value and a system value of an attribute agree: as the profile compares them."""
    spelled = settings.spelling or str
    wildcard = canonical(NOT_ANNOTATED) if settings.profile == "evmeval-1.8" else None
    return lambda gold, system: spelled(gold) in (wildcard, spelled(system))


def _strictest(observed: Observed, settings: Settings) -> Iterator[tuple[int, int, float]]:
    """The pairs of all mappings, those that require most attributes first; each nugget once."""
    free = [set(range(len(side.keys))) for side in observed.sides]
    for name in reversed(settings.scored):
        values = [
            list(zip(side.keys, attributes(side, name, range(len(side.keys))), strict=True)) for side in observed.sides
        ]
        alike = [_alike(own, left) for own, left in zip(values, free, strict=True)]
        for *both, dice in observed.mappings[name]:
            found = [
                number if number in left else _next(others[own[number]], left)
                for number, own, others, left in zip(both, values, alike, free, strict=True)
            ]
            one, other = found
            if one is not None and other is not None:
                free[0].remove(one)
                free[1].remove(other)
                yield one, other, dice


def _alike(values: Sequence[Hashable], free: Iterable[int]) -> dict[Hashable, list[int]]:
    """The nuggets that a mapping cannot tell apart, the first ones last."""
    found: dict[Hashable, list[int]] = {value: [] for value in values}
    for number in sorted(free, reverse=True):
        found[values[number]].append(number)
    return found


def _next(numbers: list[int], free: set[int]) -> int | None:
    while numbers and numbers[-1] not in free:
        numbers.pop()
    return numbers[-1] if numbers else None


def _neighbours(observed: Observed) -> tuple[dict[int, int], dict[int, int]]:
    """For the nuggets of each side the first one of the other side that has its place or overlaps with it."""
    first: list[dict[Hashable, int]] = []
    for side in observed.sides:
        places: dict[Hashable, int] = {}
        for number, key in enumerate(side.keys):
            places.setdefault(key, number)
        places.pop(None, None)
        first.append(places)
    char = any(isinstance(key, tuple) for side in observed.sides for key in side.keys)
    overlaps = partial_overlaps(first[0], first[1], char=char)
    meets: list[dict[Hashable, int]] = [{}, {}]
    for key in first[0].keys() & first[1].keys():
        meets[0][key], meets[1][key] = first[1][key], first[0][key]
    for ours, others in overlaps.items():
        for theirs in others:
            meets[0].setdefault(ours, first[1][theirs])
            meets[1].setdefault(theirs, first[0][ours])
    gold, system = (
        {number: own[key] for number, key in enumerate(side.keys) if key in own}
        for side, own in zip(observed.sides, meets, strict=True)
    )
    return gold, system


def _hoppers(observed: Observed, chains: tuple[Chained, Chained], settings: Settings) -> Matching:
    """The nuggets as mentions of events: the credit is the Dice of the two hoppers that a pair is in."""
    ours, theirs = chains
    pairs, below = [], {}
    for one, other, dice in sorted(observed.mappings[settings.mapping]):
        if dice >= settings.threshold:
            pairs.append((one, other))
        else:
            below[one], below[~other] = (dice, other), (dice, one)
    common: dict[tuple[int, int], int] = {}
    for one, other in pairs:
        key = ours.home[one], theirs.home[other]
        common[key] = common.get(key, 0) + 1
    found = []
    for one, other in pairs:
        key = ours.home[one], theirs.home[other]
        sizes, both = (ours.sizes.each[key[0]], theirs.sizes.each[key[1]]), common[key]
        credit = 2 * both / sum(sizes)
        why = f"a hopper of {sizes[0]} nugget{'s' * (sizes[0] > 1)}, {both} of them in one of {sizes[1]}"
        found.append(Pair(one, other) if credit == 1 else Pair(one, other, "partial", round(credit, 6), why))

    def single(number: int, key: int) -> Single:
        dice, near = below.get(key, (0.0, None))
        return Single(number, "" if near is None else f"a Dice of {dice:.2f} is below the threshold", near)

    golds, systems = {one for one, _ in pairs}, {other for _, other in pairs}
    missed = [single(number, number) for number in range(len(ours.home)) if number not in golds]
    spurious = [single(number, ~number) for number in range(len(theirs.home)) if number not in systems]
    if settings.profile == "evmeval-2015":  # which leaves them out of the key
        missed = []
    return Matching(metric="coref", pairs=tuple(found), missed=tuple(missed), spurious=tuple(spurious))


# ---------------------------------------------------------------------------------------------------------------------
# Items


def _items(document: NuggetDocument, text: Layout | None) -> tuple[Item, ...]:
    """The nuggets, then the After and Subevent links."""
    used: dict[str, int] = {}
    home: dict[str, str] = {}
    for relation in document.relations:
        if relation.name == COREFERENCE:
            name = _unique(relation.id, used)
            for argument in relation.arguments:
                home.setdefault(argument, name)
    ids: dict[str, int] = {}
    items = []
    places: dict[str, tuple[Piece, ...]] = {}
    words: dict[str, str] = {}
    for nugget in document.nuggets:
        place = () if text is None else tuple(place_in(nugget, text))
        where = {"tokens": list(nugget.tokens)} if nugget.tokens else {"pieces": [list(each) for each in nugget.pieces]}
        confidence = {"confidence": list(nugget.confidence)} if nugget.confidence else {}
        own = _unique(nugget.id, ids)
        item = Item(
            id=own,
            level=NUGGETS,
            text=nugget.text,
            place=place,
            label=nugget.type,
            group=(home[nugget.id] if nugget.id in home else _unique(own, used),),
            value={"realis": nugget.realis, **where, **confidence},
        )
        items.append(item)
        places[nugget.id], words[nugget.id] = place, nugget.text
    for relation in document.relations:
        if relation.name in (AFTER, SUBEVENT):
            pieces = [(piece, argument) for argument in relation.arguments for piece in places.get(argument, ())]
            items.append(
                Item(
                    id=_unique(relation.id, ids),
                    level=LINKS,
                    text=" > ".join(words.get(each, each) for each in relation.arguments),
                    place=tuple(piece for piece, _ in pieces),
                    roles=tuple(argument for _, argument in pieces),
                    label=relation.name,
                    value={"arguments": list(relation.arguments)},
                )
            )
    return tuple(items)


def _unique(name: str, used: dict[str, int]) -> str:
    found, number = name, used.get(name, 0)
    while found in used:
        number += 1
        found = f"{name} {number + 1}"
    used[name] = number
    used.setdefault(found, 0)
    return found


# ---------------------------------------------------------------------------------------------------------------------
# The text of a document, and where the nuggets are in it


class Layout(NamedTuple):
    """A text, and for every token id its index and its place there (empty if nuggets refer to characters)."""

    text: str
    tokens: Mapping[str, tuple[int, int, int]]


def layout(text: str | None, table: TokenTable | None) -> Layout | None:
    """The text to show: the given one, else one made of the tokens; None if there is neither.

    If the tokens are not where their table says, the text cannot be used, and the tokens are shown instead.

    >>> from adjudge.model.nugget import Token
    >>> table = TokenTable("d", [Token("t1", "They", 0, 4), Token("t2", "ran", 5, 8), Token("t3", ".", 8, 9)])
    >>> layout(None, table).text
    'They ran.'
    """
    if table is None or not table.tokens:
        return None if text is None else Layout(text, {})
    if text is not None and _fits(text, table):
        return Layout(text, {token.id: (n, token.begin, token.end) for n, token in enumerate(table.tokens)})
    parts: list[str] = []
    tokens: dict[str, tuple[int, int, int]] = {}
    size, before = 0, None
    for number, token in enumerate(table.tokens):
        if before is not None and token.begin > before:
            parts.append(" ")
            size += 1
        tokens[token.id] = number, size, size + len(token.text)
        parts.append(token.text)
        size, before = size + len(token.text), token.end
    return Layout("".join(parts), tokens)


def _fits(text: str, table: TokenTable) -> bool:
    """Whether every token is in the text where its table says, ignoring whitespace."""
    return all(
        (found := text[token.begin : token.end]) == token.text or found.split() == token.text.split() != []
        for token in table.tokens
    )


def place_in(nugget: Nugget, found: Layout) -> list[Piece]:
    """The pieces of a nugget in the text; consecutive tokens form one piece, with the whitespace between them.

    >>> tokens = {"1": (0, 0, 1), "3": (2, 4, 5), "4": (3, 6, 7)}
    >>> place_in(Nugget("E1", "T", "R", "a c d", ("1", "3", "4")), Layout("a b c d", tokens))
    [(0, 1), (4, 7)]
    """
    if nugget.pieces:
        return [(begin, end) for begin, end in sorted(nugget.pieces) if 0 <= begin < end <= len(found.text)]
    pieces: list[Piece] = []
    last = None
    for number, begin, end in sorted({found.tokens[token] for token in nugget.tokens if token in found.tokens}):
        if pieces and number - 1 == last:
            pieces[-1] = pieces[-1][0], end
        elif begin < end:
            pieces.append((begin, end))
        last = number
    return pieces
