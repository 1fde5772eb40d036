"""All counts of all coreference metrics for one document, from one sparse contingency table in one pass.

Chains are lists of mentions in file order. Floating point sums (B3, CEAFe, LEA) are computed in the order of the
reference scorer 8.01, from left to right, because its truncated percentages show the last bit: B3 mention by mention of
the response, CEAFe chain by chain of the key as 1 - (1 - s), LEA chain by chain. The built-in `sum` is not used on
floats, since it compensates errors since Python 3.12.

Repeated mentions are treated as in the reference scorer, see `observe`; documents without any, which are nearly all,
take the fast path, which needs a third of the time.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from adjudge.tasks.coref.ceaf import align

Mentions = Sequence[Hashable]
Chains = Sequence[Mentions]

_THREE, _FOUR = ("matched", "system", "gold"), ("matched", "system", "found", "gold")
NAMES = {
    "coref.mentions": _THREE,
    "coref.muc": _THREE,
    "coref.b3": _FOUR,
    "coref.ceafm": _THREE,
    "coref.ceafe": _THREE,
    "coref.blanc.coref": _THREE,
    "coref.blanc.noncoref": _THREE,
    "coref.lea": _FOUR,
}
COLUMNS = tuple(f"{metric}:{column}" for metric, columns in NAMES.items() for column in columns)
"""What `count` counts: `matched` is the numerator of precision and, unless there is a `found`, of recall."""
UD_NAMES = NAMES | {"coref.muc": _FOUR, "coref.mor": _THREE, "coref.zero": _THREE}
UD_COLUMNS = tuple(f"{metric}:{column}" for metric, columns in UD_NAMES.items() for column in columns)
"""The counts for CorefUD, where MUC has two numerators because a mention may be in two entities."""


def count(key: Chains, response: Chains) -> tuple[float, ...]:
    """The counts of one document, in the order of `COLUMNS`.

    No chain is empty, and no mention of the key occurs twice in the response (see `without_matched_copies`).

    >>> counts = dict(zip(COLUMNS, count([["a", "b", "c"]], [["a", "b"], ["c", "d"]]), strict=True))
    >>> counts["coref.muc:matched"], counts["coref.b3:found"], counts["coref.ceafm:matched"]
    (1, 1.6666666666666665, 2)
    """
    return count_unrepeated(key, response) or count_repeated(key, response)


def count_unrepeated(key: Chains, response: Chains) -> tuple[float, ...] | None:
    """The counts of a document in which no side has a mention twice; None if one has."""
    owner: dict[Hashable, int] = {}
    for place, chain in enumerate(key):
        for mention in chain:
            owner[mention] = place
    gold, system = sizes_of(list(map(len, key))), sizes_of(list(map(len, response)))
    if len(owner) != gold.mentions or len(set().union(*response)) != system.mentions:
        return None
    hits = [[place for place in map(owner.get, chain) if place is not None] for chain in response]
    return count_hits(gold, system, {number: own for number, own in enumerate(hits) if own})


class Sizes(NamedTuple):
    """The sizes of the chains of one side by index, and their sums; `links` counts each pair twice."""

    each: Sequence[int]
    mentions: int
    chains: int
    links: int


def sizes_of(each: Sequence[int]) -> Sizes:
    """Chains of these sizes; 0 is not a chain.

    >>> sizes_of([3, 0, 1])
    Sizes(each=[3, 0, 1], mentions=4, chains=2, links=6)
    """
    return Sizes(each, sum(each), len(each) - each.count(0), sum([size * (size - 1) for size in each]))


def count_hits(key: Sizes, response: Sizes, met: Mapping[int, Sequence[int]]) -> tuple[float, ...]:
    """The counts of a document without repeated mentions, from the sizes of the chains of key and response.

    `met` has, for each chain of the response that has any mentions of the key, the key chains of these.

    >>> counts = count_hits(sizes_of([3]), sizes_of([2, 2]), {0: [0, 0], 1: [0]})
    >>> counts == count([["a", "b", "c"]], [["a", "b"], ["c", "d"]])
    True
    """
    sizes, gold, chains, chained_gold = key
    spread, system, found_chains, chained_system = response
    found = precise = lea_precision = 0.0
    matched = sum(map(len, met.values()))
    links = pairs = inside_response = 0
    cells: dict[int, dict[int, int]] = {}  # key chain -> response chain -> mentions in both
    degree = dict.fromkeys(met, 1)  # key chains that a response chain meets
    alone: set[int] = set()  # key singletons that are singletons of the response
    for number, hits in met.items():
        size = spread[number]
        if len(hits) == 1:
            place = hits[0]
            if place in cells:
                cells[place][number] = 1
            else:
                cells[place] = {number: 1}
            found += 1 / sizes[place]
            precise += 1 / size
            if size == sizes[place] == 1:
                alone.add(place)
                lea_precision += 1.0
            continue
        shared: dict[int, int] = {}
        for place in hits:
            shared[place] = shared.get(place, 0) + 1
        degree[number] = len(shared)
        links += len(hits) - len(shared)
        inside_response += len(hits) * (len(hits) - 1)
        resolved = 0
        for place, both in shared.items():
            if place in cells:
                cells[place][number] = both
            else:
                cells[place] = {number: both}
            resolved += both * (both - 1)
        for place in hits:
            both = shared[place]
            found += both / sizes[place]
            precise += both / size
        pairs += resolved
        lea_precision += (resolved / (size * (size - 1))) * size

    lea_recall = 0.0
    inside_key = 0
    cells = dict(sorted(cells.items()))
    for place, mine in cells.items():
        size = sizes[place]
        if size == 1:
            lea_recall += 1.0 if place in alone else 0.0
            continue
        total = resolved = 0
        for both in mine.values():
            total += both
            resolved += both * (both - 1)
        inside_key += total * (total - 1)
        lea_recall += (resolved / (size * (size - 1))) * size

    all_gold, all_system = gold * (gold - 1), system * (system - 1)
    apart = matched * (matched - 1) - inside_key - inside_response + pairs
    ceafm, ceafe = _ceaf(cells, sizes, spread, degree)
    return (
        *(matched, system, gold),
        *(links, system - found_chains, gold - chains),
        *(precise, system, found, gold),
        *(ceafm, system, gold),
        *(ceafe, found_chains, chains),
        *(pairs // 2, chained_system // 2, chained_gold // 2),
        *(apart // 2, (all_system - chained_system) // 2, (all_gold - chained_gold) // 2),
        *(lea_precision, system, lea_recall, gold),
    )


def _ceaf(
    cells: Mapping[int, dict[int, int]], sizes: Sequence[int], spread: Sequence[int], degree: Mapping[int, int]
) -> tuple[int, float]:
    """The values of the best alignments under phi3 = |K & R| and phi4 = 2 |K & R| / (|K| + |R|).

    `degree` is the number of key chains with which each response chain shares mentions.
    """
    whole = 0
    aligned: dict[int, float] = {}  # key chains and phi4 of their counterparts
    rest: list[int] = []
    lone: dict[int, list[int]] = {}  # key chains that share mentions with this response chain only, which has others
    for place, mine in cells.items():
        if len(mine) == 1:
            ((number, both),) = mine.items()
            if degree[number] == 1:  # the two chains share mentions only with each other
                whole += both
                aligned[place] = 2 * both / (sizes[place] + spread[number])
            elif number in lone:
                lone[number].append(place)
            else:
                lone[number] = [place]
        elif mine and max(map(degree.__getitem__, mine)) == 1:  # a key chain in pieces: it takes the best one
            whole += max(mine.values())
            aligned[place] = max([2 * both / (sizes[place] + spread[number]) for number, both in mine.items()])
        elif mine:
            rest.append(place)
    for number, places in lone.items():
        if len(places) < degree[number]:
            rest += places
            continue
        whole += max([cells[place][number] for place in places])
        dice = [2 * cells[place][number] / (sizes[place] + spread[number]) for place in places]
        aligned[places[dice.index(max(dice))]] = max(dice)
    if rest:
        shared = {place: cells[place] for place in sorted(rest)}
        whole += sum([shared[place][number] for place, number in align(shared).items()])
        table = {
            place: {number: 2 * both / (sizes[place] + spread[number]) for number, both in mine.items()}
            for place, mine in shared.items()
        }
        aligned |= {place: table[place][number] for place, number in align(table).items()}
    total = 0.0
    for place in sorted(aligned):
        total += 1 - (1 - aligned[place])
    return whole, total


# ---------------------------------------------------------------------------------------------------------------------
# With repeated mentions


def count_repeated(key: Chains, response: Chains) -> tuple[float, ...]:
    """The same counts if mentions are repeated: chains are lists, and a copy counts in their length.

    A mention in several chains of the key belongs to all of them when elements are counted, and to the last one when
    its chain is looked up. In the response, only mentions that the key lacks can still be repeated.
    """
    owners = _owners(key)
    home = {mention: number for number, chain in enumerate(response) for mention in chain}
    sizes, spread = list(map(len, key)), list(map(len, response))
    gold, system = sum(sizes), sum(spread)

    found = precise = lea_precision = 0.0
    links = 0
    for chain in response:
        inside: dict[int, int] = {}  # elements of this chain that a key chain has
        looked_up: dict[int, int] = {}  # elements of this chain by their last key chain
        size = len(chain)
        hits = [owners[mention] for mention in chain if mention in owners]
        for places in hits:
            looked_up[places[-1]] = looked_up.get(places[-1], 0) + 1
            for place in places:
                inside[place] = inside.get(place, 0) + 1
        links += len(hits) - len(looked_up)
        for places in hits:
            both = inside[places[-1]]
            found += both / sizes[places[-1]]
            precise += both / size
        if size > 1:
            lea_precision += (sum([n * (n - 1) for n in looked_up.values()]) / (size * (size - 1))) * size
        elif hits:
            lea_precision += 1.0 if sizes[hits[0][-1]] == 1 else 0.0

    lea_recall = 0.0
    cells: dict[int, dict[int, int]] = {}
    for place, chain in enumerate(key):
        mine: dict[int, int] = {}
        size = len(chain)
        for mention in chain:
            if mention in home:
                mine[home[mention]] = mine.get(home[mention], 0) + 1
        cells[place] = mine
        if size > 1:
            lea_recall += (sum([n * (n - 1) for n in mine.values()]) / (size * (size - 1))) * size
        elif mine:
            lea_recall += 1.0 if spread[home[chain[0]]] == 1 else 0.0

    degree = dict.fromkeys(range(len(spread)), 0)
    for mine in cells.values():
        for number in mine:
            degree[number] += 1
    ceafm, ceafe = _ceaf(cells, sizes, spread, degree)
    matched = len(owners.keys() & home.keys())
    (chained_gold, apart_gold), (chained_system, apart_system) = (
        _links(key, owners),
        _links(response, _owners(response)),
    )
    chained, apart = _common_links(owners, response)
    return (
        *(matched, len(home), len(owners)),
        *(links, system - len(spread), gold - len(sizes)),
        *(precise, system, found, gold),
        *(ceafm, system, gold),
        *(ceafe, len(spread), len(sizes)),
        *(chained, chained_system, chained_gold),
        *(apart, apart_system, apart_gold),
        *(lea_precision, system, lea_recall, gold),
    )


Owners = dict[Hashable, tuple[int, ...]]


def _owners(chains: Chains) -> Owners:
    """The chains of every mention, ascending, each once."""
    owners: Owners = {}
    for place, chain in enumerate(chains):
        for mention in chain:
            before = owners.get(mention, ())
            if not before or before[-1] != place:
                owners[mention] = (*before, place)
    return owners


def _links(chains: Chains, owners: Owners) -> tuple[int, int]:
    """The sizes of the sets of unordered pairs within one chain and between two chains.

    A mention twice in one chain has a link to itself within it, a mention in two chains one between them.
    """
    twice = {mention for chain in chains if len(set(chain)) < len(chain) for mention in _repeated(chain)}
    several = sum([len(places) > 1 for places in owners.values()])
    single: dict[int, int] = {}
    for places in owners.values():
        if len(places) == 1:
            single[places[0]] = single.get(places[0], 0) + 1
    # Two mentions have no link between chains only if both are in one and the same chain alone.
    apart = _pairs(len(owners)) - sum([_pairs(n) for n in single.values()]) + several
    return _sharing(list(owners.values())) + len(twice), apart


def _common_links(owners: Owners, response: Chains) -> tuple[int, int]:
    """The pairs linked on both sides within a chain, and on both sides between chains.

    A mention of the key occurs once in the response, so it is never linked to itself there.
    """
    chained = inside_response = inside_both = matched = 0
    single: dict[int, int] = {}
    for chain in response:
        hits = [owners[mention] for mention in chain if mention in owners]
        matched += len(hits)
        inside_response += _pairs(len(hits))
        chained += _sharing(hits)
        here: dict[int, int] = {}
        for places in hits:
            if len(places) == 1:
                here[places[0]] = here.get(places[0], 0) + 1
        for place, number in here.items():
            single[place] = single.get(place, 0) + number
            inside_both += _pairs(number)
    different_chains = _pairs(matched) - inside_response
    only_in_response = sum([_pairs(number) for number in single.values()]) - inside_both
    return chained, different_chains - only_in_response


def _sharing(owners: Sequence[tuple[int, ...]]) -> int:
    """The number of unordered pairs of mentions that have a chain in common."""
    kinds: dict[tuple[int, ...], int] = {}
    for places in owners:
        kinds[places] = kinds.get(places, 0) + 1
    holders: dict[int, list[tuple[int, ...]]] = {}
    for places in kinds:
        for place in places:
            holders.setdefault(place, []).append(places)
    total = sum([_pairs(number) for number in kinds.values()])
    twice = 0
    for places, number in kinds.items():
        if len(places) > 1:
            near = {other for place in places for other in holders[place]} - {places}
            # A kind with one chain does not count this pair again, one with several does.
            twice += number * sum([kinds[other] * (1 + (len(other) == 1)) for other in near])
    return total + twice // 2


def _repeated(chain: Mentions) -> set[Hashable]:
    seen: set[Hashable] = set()
    return {mention for mention in chain if mention in seen or seen.add(mention)}  # type: ignore[func-returns-value]


def _pairs(number: int) -> int:
    return number * (number - 1) // 2
