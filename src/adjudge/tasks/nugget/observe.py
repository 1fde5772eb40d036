"""One document of gold and system: made ready (gold once for all systems), compared by every mapping, and counted.

Micro scores are ratios of sums. A macro score averages the precision and the recall of documents, and its F1 is made of
the two averages (section 3.2.1 of the specification): so the columns are the values of each document, and a count of
documents. Where there is nothing to divide by, `spec` counts 0; the official program prints nan, which is no value.
"""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterator, Mapping, Sequence
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.model.nugget import AFTER, COREFERENCE, NOT_ANNOTATED, SUBEVENT, NuggetDocument, Relation
from adjudge.tasks.coref.counts import COLUMNS as COREF_COLUMNS
from adjudge.tasks.nugget.coreference import Chained, are_sound, chained, linked, some_of
from adjudge.tasks.nugget.mapping import Mapped, Pair, Side, map_nuggets, places_of, true_positives
from adjudge.tasks.nugget.settings import Settings, canonical
from adjudge.tasks.nugget.spans import Key, dice, dice_of_ratios, keys_of_pieces, keys_of_tokens

if TYPE_CHECKING:
    from adjudge.stats.elements import ElementTable
    from adjudge.stats.measure import Measure

SPEC = Settings()


class Observed(NamedTuple):
    """A pair of documents: numbers of nuggets, and for every mapping its pairs and their sum of Dice.

    A pair is (gold index, system index, Dice). `entangled` has the mappings of nuggets whose places overlap with other
    places, where the order of lines may decide; `sides` is what was compared, and `several` are the places of each side
    with several nuggets.
    """

    gold: int
    system: int
    mappings: dict[str, list[Pair]]
    matched: dict[str, float]
    entangled: dict[str, Mapped]
    sides: tuple[Side, Side]
    several: tuple[dict[Key, list[int]], dict[Key, list[int]]]


def observe(
    gold: NuggetDocument,
    system: NuggetDocument | None,
    settings: Settings = SPEC,
    invisible: Container[str] = frozenset(),
) -> Observed:
    """Compare two documents; `invisible` are ids of tokens that do not count. Types that do not count are gone before.

    >>> from adjudge.model.nugget import Nugget
    >>> gold = NuggetDocument("d", [Nugget("E1", "Attack", "Actual", "the attack", ("t1", "t2"))])
    >>> system = NuggetDocument("d", [Nugget("m1", "Attack", "Other", "attack", ("t2",))])
    >>> observe(gold, system).matched["span"], observe(gold, system, invisible={"t1"}).matched
    (0.666..., {'span': 1.0, 'type': 1.0, 'realis': 0.0, 'type+realis': 0.0})
    """
    other = system if system is not None else NuggetDocument(gold.id)
    char = is_char(gold, other)
    return compare(
        side(gold, settings, invisible, char=char), side(other, settings, invisible, char=char), settings, char=char
    )


def compare(gold: Side, system: Side, settings: Settings, *, char: bool) -> Observed:
    """Compare what two documents have."""
    found = map_nuggets(
        gold,
        system,
        settings.mapped,
        char=char,
        measure=dice_of_ratios if settings.profile == "evmeval-2015" else dice,
        wildcard=canonical(NOT_ANNOTATED) if settings.profile == "evmeval-1.8" else None,
        best=not settings.official,
    )
    return Observed(
        len(gold.ids),
        len(system.ids),
        found.pairs,
        {name: true_positives(pairs) for name, pairs in found.pairs.items()},
        found.entangled,
        (gold, system),
        found.several,
    )


def is_char(*documents: NuggetDocument) -> bool:
    """Whether places are characters: as the first nugget with a place has it, since a file has one kind only.

    >>> from adjudge.model.nugget import Nugget
    >>> is_char(NuggetDocument("d"), NuggetDocument("d", [Nugget("E1", "Attack", "Actual", "x", pieces=((0, 1),))]))
    True
    """
    placed = (nugget for document in documents for nugget in document.nuggets if nugget.pieces or nugget.tokens)
    return next((bool(nugget.pieces) for nugget in placed), False)


def side(document: NuggetDocument, settings: Settings, invisible: Container[str], *, char: bool) -> Side:
    """What is compared of one document."""
    if not document.nuggets:
        return Side((), (), (), ())
    ids, types, realis, _, tokens, pieces, *_ = zip(*document.nuggets, strict=True)
    keys = keys_of_pieces(pieces, repeated=settings.official) if char else keys_of_tokens(tokens, invisible)
    spelled = settings.spelling
    if spelled is not None:
        types, realis = tuple(map(spelled, types)), tuple(map(spelled, realis))
    return Side(keys, types, realis, ids, places_of(keys))


def of_types(document: NuggetDocument, settings: Settings) -> NuggetDocument:
    """The document with the types that count only; a relation keeps its other arguments if there are at least two.

    >>> from adjudge.model.nugget import Nugget
    >>> nuggets = [Nugget("E1", "Life_Die", "Actual", "x"), Nugget("E2", "Life_Born", "Actual", "y")]
    >>> [each.id for each in of_types(NuggetDocument("d", nuggets), Settings(types=frozenset({"lifedie"}))).nuggets]
    ['E1']
    """
    wanted = settings.types
    if wanted is None:
        return document
    nuggets = [nugget for nugget in document.nuggets if canonical(nugget.type) in wanted]
    known = {nugget.id for nugget in nuggets}
    relations = []
    for relation in document.relations:
        arguments = tuple(argument for argument in relation.arguments if argument in known)
        if len(arguments) > 1:
            relations.append(Relation(relation.name, relation.id, arguments, relation.line))
    return NuggetDocument(document.id, nuggets, relations, document.text, document.line)


# ---------------------------------------------------------------------------------------------------------------------
# One side of a document


class Summary(NamedTuple):
    """What is known of one side of a document once it is counted: values as written, who wrote it, its relations.

    `name` is the first column of the first nugget, None if there is none; `confident` if it has confidences.
    """

    types: tuple[str, ...] = ()
    realis: tuple[str, ...] = ()
    name: str | None = None
    confident: bool = False
    clusters: bool = False
    links: bool = False


class Ready(NamedTuple):
    """A document and what is compared of it.

    `sound` unless something is wrong with its clusters, `unknown` are clusters that name unknown mentions.
    """

    document: NuggetDocument
    side: Side
    chains: Chained
    sound: bool
    unknown: list[str]
    summary: Summary


def prepare(document: NuggetDocument, settings: Settings, invisible: Container[str], *, char: bool) -> Ready:
    """Make a document ready; `invisible` are ids of tokens that do not count.

    >>> from adjudge.model.nugget import Nugget
    >>> nuggets = [Nugget(id, "Attack", "Actual", "x", (id,)) for id in ("a", "b")]
    >>> document = NuggetDocument("d", nuggets, [Relation("Coreference", "R1", ("a", "c"))])
    >>> ready = prepare(document, Settings(), (), char=False)
    >>> ready.side.keys, ready.chains, ready.sound, ready.unknown
    (['a', 'b'], Chained(home=[0, 1], sizes=[1, 1], linked=True), False, ['d: c in R1'])
    """
    own, links = side(document, settings, invisible, char=char), linked(document)
    known = links.home.keys() <= set(own.ids)
    several = own.places.several if own.places is not None else {}
    return Ready(
        document,
        own,
        chained(links, own.ids),
        settings.coref is not False and are_sound(links, own, several, settings),
        [] if known else list(_unknown(document, set(own.ids))),
        _summary(document, own, settings),
    )


def _summary(document: NuggetDocument, own: Side, settings: Settings) -> Summary:
    names = {relation.name for relation in document.relations}
    relations = COREFERENCE in names, AFTER in names or SUBEVENT in names
    if not document.nuggets:
        return Summary((), (), None, False, *relations)
    first = document.nuggets[0]
    values = [set[str](), set[str]()] if settings.spelling else [set(own.types), set(own.realis)]
    types, realis = (tuple(map(intern, each)) for each in values)
    return Summary(types, realis, intern(first.system), bool(first.confidence), *relations)


def _unknown(document: NuggetDocument, ids: set[str]) -> Iterator[str]:
    for relation in document.relations:
        if relation.name == COREFERENCE and not ids.issuperset(relation.arguments):
            yield f"{document.id}: {some_of(sorted(set(relation.arguments) - ids))} in {relation.id}"


# ---------------------------------------------------------------------------------------------------------------------
# What is counted, and the formulas over the sums

COREF = ("muc", "b3", "ceafm", "ceafe", "blanc", "kbp")
BEST = ("muc", "b3", "ceafe", "blanc", "kbp")
_BEST_PLACES = [
    place for place, column in enumerate(COREF_COLUMNS) if not column.startswith(("coref.ceafm:", "coref.lea:"))
]
OFFICIAL_2015 = "coref.kbp2015"
"""The average that the program of 2015 prints: over five metrics, although it says four."""


def columns(settings: Settings) -> tuple[str, ...]:
    """The names of what `row` counts.

    >>> columns(Settings(attributes=()))[:3]
    ('nugget.span:matched', 'nugget:system', 'nugget:gold')
    """
    return (
        *(f"nugget.{name}:matched" for name in settings.scored),
        "nugget:system",
        "nugget:gold",
        *(f"nugget.{name}.macro:{part}" for name in settings.scored for part in ("precision", "recall")),
        "nugget:documents",
    )


def row(matched: Mapping[str, float], system: int, gold: int, settings: Settings) -> tuple[float, ...]:
    """The counts of one document.

    The official program leaves a document without gold nuggets out, false alarms included.

    >>> row({"span": 1.0}, 2, 4, Settings(attributes=()))
    (1.0, 2, 4, 0.5, 0.25, 1)
    >>> row({"span": 0.0}, 2, 0, Settings(profile="evmeval-1.8", attributes=()))
    (0, 0, 0, 0, 0, 0)
    """
    names = settings.scored
    if settings.official and not gold:
        return (0,) * (3 * len(names) + 3)
    found = [matched[name] for name in names]
    ratios = [value for tp in found for value in (tp / system if system else 0.0, tp / gold if gold else 0.0)]
    return (*found, system, gold, *ratios, 1)


def measures(
    settings: Settings, *, coref: bool, sequencing: bool, double: bool = False, pool: str | None = None
) -> list[Measure]:
    """The measures of a result; `pool` chooses micro or macro scores, None both.

    With `double` there is also coreference with the best choice among nuggets that are annotated twice.

    >>> [each.name for each in measures(Settings(attributes=("type",)), coref=False, sequencing=False)]
    ['nugget.span', 'nugget.type', 'nugget.span.macro', 'nugget.type.macro']
    """
    from adjudge.stats.measure import Combined, Prf
    from adjudge.tasks.coref.settings import measures_of
    from adjudge.tasks.nugget.sequencing import sequence_measures

    official = settings.official
    found: list[Measure] = []
    if pool != "macro":
        for name in settings.scored:
            matched = f"nugget.{name}:matched"
            ratios = (matched, "nugget:system"), (matched, "nugget:gold")
            found.append(Prf(f"nugget.{name}", *ratios, undefined=None if official else 0, harmonic=official))
    if pool != "micro":
        for name in settings.scored:
            own = f"nugget.{name}.macro"
            ratios = (f"{own}:precision", "nugget:documents"), (f"{own}:recall", "nugget:documents")
            found.append(Prf(own, *ratios, undefined=None if official else 0, harmonic=official))
    if coref and pool != "macro":
        found += measures_of(COREF, "8.01")
        if settings.profile == "evmeval-2015":
            five = tuple((f"coref.{name}", "f1") for name in ("b3", "ceafe", "ceafm", "muc", "blanc"))
            found.append(Combined(OFFICIAL_2015, "f1", "mean", five))
    if double and pool != "macro":
        found += [_renamed(measure) for measure in measures_of(BEST, "8.01") if "coref.blanc." not in measure.name]
    if sequencing and pool != "macro":
        found += sequence_measures()
    return found


def table_columns(settings: Settings, *, coref: bool, sequencing: bool, double: bool = False) -> tuple[str, ...]:
    """The columns of the table of documents."""
    from adjudge.tasks.nugget.sequencing import COLUMNS

    return (
        *columns(settings),
        *(COREF_COLUMNS if coref else ()),
        *(COLUMNS if sequencing else ()),
        *(_best(COREF_COLUMNS[place]) for place in _BEST_PLACES if double),
    )


def chosen_columns(
    counts: array[float],
    columns: Sequence[str],
    chosen: Sequence[str],
    changed: Mapping[int, tuple[tuple[float, ...], Any, Any]],
) -> array[float]:
    """Rows of the chosen columns; those of the best choice are those of coreference, changed in some documents."""
    table = {name: counts[place :: len(columns)] for place, name in enumerate(columns)}
    for place in _BEST_PLACES if changed or _best(COREF_COLUMNS[0]) in chosen else ():
        own = table[_best(COREF_COLUMNS[place])] = table[COREF_COLUMNS[place]][:]
        for document, (better, *_) in changed.items():
            own[document] = better[place]
    found = array("d", bytes(8 * len(chosen) * len(table[columns[0]])))
    for place, name in enumerate(chosen):
        found[place :: len(chosen)] = table[name]
    return found


def _best(column: str) -> str:
    """The name of a column, or of a metric, for the best choice.

    >>> _best("coref.muc:matched"), _best("coref.muc")
    ('coref.muc.best:matched', 'coref.muc.best')
    """
    metric, colon, name = column.partition(":")
    return f"{metric}.best{colon}{name}"


def _renamed(measure: Measure) -> Measure:
    """The same measure over the columns of the best choice."""
    from adjudge.stats.measure import Blanc, Combined, Prf

    name = _best(measure.name)
    if isinstance(measure, Prf):
        precision, recall = ((_best(top), _best(bottom)) for top, bottom in (measure.precision, measure.recall))
        return Prf(name, precision, recall, parts=measure.parts)
    if isinstance(measure, Blanc):
        kinds = [(_best(m), _best(s), _best(g)) for m, s, g in (measure.coref, measure.noncoref, measure.mentions)]
        return Blanc(name, kinds[0], kinds[1], kinds[2], measure.rule)
    assert isinstance(measure, Combined)  # coreference has no other kinds
    return Combined(name, measure.part, measure.op, tuple((_best(metric), part) for metric, part in measure.of))


# ---------------------------------------------------------------------------------------------------------------------
# Scores of the nuggets of one type, or of one realis value: the pairs of a mapping by the value of their gold nugget
#
# A mapping that asks for equal values pairs nuggets of one value only with each other, so this is what scoring these
# nuggets alone would give. Of the mappings, those that ask for the value count.


def _names(field: str, settings: Settings) -> list[str]:
    return [name for name in settings.scored if field in name.split("+")]


def sliced(observed: Observed, field: str, settings: Settings) -> dict[str, list[float]]:
    """The counts of every value of a field that a document has on either side: matched by mapping, system, gold."""
    gold, system = (side.types if field == "type" else side.realis for side in observed.sides)
    names = _names(field, settings)
    found: dict[str, list[float]] = {}
    for column, values in ((-1, gold), (-2, system)):
        for value in values:
            if value not in found:
                found[value] = [0.0] * (len(names) + 2)
            found[value][column] += 1
    for number, name in enumerate(names):
        for one, _, share in observed.mappings[name]:
            found[gold[one]][number] += share
    return found


def element_table(field: str, documents: Sequence[Mapping[str, Sequence[float]]], settings: Settings) -> ElementTable:
    """The slices of all documents, each with the counts of its values, in the form of results."""
    from adjudge.stats.elements import ElementSlice, ElementTable, Rows

    values: dict[str, dict[int, tuple[float, ...]]] = {}
    for place, found in enumerate(documents):
        for value, counts in found.items():
            values.setdefault(value, {})[place] = tuple(counts)
    names = (*(f"nugget.{name}:matched" for name in _names(field, settings)), "nugget:system", "nugget:gold")
    slices = tuple(ElementSlice(value, tuple(own), Rows(tuple(own.values()))) for value, own in values.items())
    return ElementTable(field, names, Rows(((0.0,) * len(names),) * len(documents)), slices)
