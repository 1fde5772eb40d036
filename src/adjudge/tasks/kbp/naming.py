"""When two names are the same: as written, folded, by a table of aliases or a map, or nearly equal.

Folding and aliases apply to both sides; a map and fuzzy pairs change the names of the system. Fuzzy pairs are one to
one, maximise the sum of similarities in exact arithmetic, and are listed.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from adjudge.algebra.solve.deadline import running
from adjudge.errors import UsageError, did_you_mean
from adjudge.model.graph import blocks
from adjudge.model.kbp import Names, TripleNames, TripleTable
from adjudge.model.kg import Graph
from adjudge.stats.inference import hash_chunks

if TYPE_CHECKING:
    from adjudge.formats.source import Source

Mode: TypeAlias = Literal["exact", "folded", "alias", "map", "fuzzy"]
MODES: tuple[Mode, ...] = ("exact", "folded", "alias", "map", "fuzzy")
MOST = 2_000
"""Most names in a group in which each is near enough to some other one."""

_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»"}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CELLS = 1 << 22  # pairs of names that are compared at once


class Naming(NamedTuple):
    """How names are compared; the table of aliases (alias: canonical name) or of a map, and the fuzzy threshold."""

    mode: Mode = "exact"
    table: Mapping[str, str] | None = None
    threshold: Fraction = Fraction(0)

    @property
    def folds(self) -> bool:
        """Whether names are folded first."""
        return self.mode in ("folded", "alias", "fuzzy")

    def __str__(self) -> str:
        """For signatures."""
        if self.mode == "fuzzy":
            return f"fuzzy-{float(self.threshold):g}"
        if self.table is None:
            return self.mode
        rows = (f"{one}\t{other}\n".encode("utf-8", "surrogatepass") for one, other in sorted(self.table.items()))
        return f"{self.mode}-{hash_chunks(rows)}"


EXACT = Naming()


class NamePair(NamedTuple):
    """A name of the system that counts as a name of gold, and how similar the two are."""

    system: str
    gold: str
    similarity: float


class Renamed(NamedTuple):
    """Both sides under comparable names, how many rows were merged on each, and the fuzzy pairs."""

    gold: Graph
    systems: tuple[Graph, ...]
    merged_gold: int = 0
    merged: tuple[int, ...] = ()
    pairs: tuple[tuple[NamePair, ...], ...] = ()


def fold(name: str) -> str:
    """A name in lower case, without underscores, repeated blanks and surrounding quotes.

    >>> fold("  Ana_Ruiz "), fold("“Corvex  SA”"), fold('""')
    ('ana ruiz', 'corvex sa', '""')
    """
    if name.isascii():
        text = name.lower()
    else:
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    text = " ".join(text.replace("_", " ").split())
    if len(text) >= 2 and _QUOTES.get(text[0]) == text[-1]:
        text = text[1:-1].strip()
    return text or name


def fold_relation(name: str) -> str:
    """The same for a relation, in which a capital begins a word and a hyphen is a blank.

    >>> fold_relation("basedIn"), fold_relation("based-in"), fold_relation("BASED_IN")
    ('based in', 'based in', 'based in')
    >>> fold_relation("-")
    '-'
    """
    spread = _HUMP.sub(" ", name).replace("-", " ")
    return fold(spread if spread.strip() else name)


def naming_of(given: Any) -> Naming:
    """A way to compare names: `folded`, `alias=FILE`, `map=FILE`, `fuzzy=0.9`, or a mode with a table.

    >>> naming_of("fuzzy=.9").threshold, naming_of(("map", {"Q1": "Ana"})).table
    (Fraction(9, 10), {'Q1': 'Ana'})
    >>> naming_of("fold")
    Traceback (most recent call last):
    adjudge.errors.UsageError: names cannot be compared by 'fold', did you mean folded?
    """
    if isinstance(given, Naming):
        return given
    if isinstance(given, str):
        mode, _, value = given.partition("=")
    else:
        mode, value = given
    if mode not in MODES:
        hint = did_you_mean(mode, MODES) or "choose exact, folded, alias=FILE, map=FILE or fuzzy=THRESHOLD"
        raise UsageError(f"names cannot be compared by {mode!r}", hint=hint)
    if mode == "fuzzy":
        try:
            threshold = Fraction(str(value)) if value else Fraction(-1)
        except (ValueError, ZeroDivisionError):
            threshold = Fraction(-1)
        if not 0 < threshold <= 1:
            raise UsageError("fuzzy names need a threshold above 0, up to 1", hint="write fuzzy=0.9")
        return Naming("fuzzy", None, threshold)
    if mode == "map" and not value:
        raise UsageError("a map of names needs its table", hint="write map=FILE, rows of name TAB name")
    if mode in ("exact", "folded"):
        if value:
            raise UsageError(f"{mode} names take no value", hint=f"write {mode}")
        return Naming(mode)
    if not value:
        return Naming("alias")
    if mode == "alias":
        return Naming("alias", dict(value) if isinstance(value, Mapping) else read_aliases(value))
    from adjudge.formats.kb_links import read_pairs

    return Naming("map", dict(value) if isinstance(value, Mapping) else read_pairs(value))


def read_aliases(source: Source) -> dict[str, str]:
    r"""A table of aliases: canonical name, TAB, alias, TAB, alias ...; folded, by alias.

    >>> read_aliases(b"Ana Ruiz\tA. Ruiz\tRuiz\n")
    {'a. ruiz': 'ana ruiz', 'ruiz': 'ana ruiz'}
    """
    from adjudge.findings import Findings
    from adjudge.formats.source import read_rows, source_name

    problems = Findings(source_name(source))
    found: dict[str, tuple[str, int]] = {}
    names: dict[str, int] = {}
    for number, _, fields in read_rows(source, problems):
        if len(fields) < 2 or not all(fields):
            hint = "write a name, then its aliases, separated by TABs"
            problems.add("columns", "a line with an empty field, or with one field only", number, 1, hint)
            continue
        canonical, *aliases = map(fold, fields)
        names.setdefault(canonical, number)
        for alias in aliases:
            before = found.setdefault(alias, (canonical, number)) if alias != canonical else (canonical, number)
            if before[0] != canonical:
                message = f"{alias!r} is an alias of {before[0]!r} (line {before[1]}) and of {canonical!r}"
                problems.add("contradiction", message, number, None, "keep one of them")
    for alias, (canonical, number) in found.items():
        if alias in names:
            message = f"{alias!r} is an alias of {canonical!r}, and has aliases itself in line {names[alias]}"
            problems.add("contradiction", message, number, None, "put all of them into one line")
    problems.finish(empty=None if found else "the file has no aliases", hint="write name, TAB, alias")
    return {alias: canonical for alias, (canonical, _) in found.items()}


# ---------------------------------------------------------------------------------------------------------------------
# Graphs under other names


def rename_graphs(gold: Graph, systems: Sequence[Graph], naming: Naming, *, typed: bool = False) -> Renamed:
    """Both sides with comparable names; all graphs share their names, before and after."""
    if naming.mode == "exact" and not typed:
        return Renamed(gold, tuple(systems), 0, (0,) * len(systems), ((),) * len(systems))
    names = TripleNames(Names(), Names(), gold.table.names.documents)
    ours, theirs, relations = _functions(naming, gold, systems)
    new_gold = _renamed(gold, ours, relations, names)
    made = [_renamed(each, theirs, relations, names) for each in systems]
    pairs: list[tuple[NamePair, ...]] = [()] * len(made)
    if naming.mode == "fuzzy":
        known = used_names(new_gold)
        for place, each in enumerate(made):
            pairs[place] = fuzzy_pairs(known, used_names(each), naming.threshold)
            partner = {pair.system: pair.gold for pair in pairs[place]}
            made[place] = _renamed(each, _lookup(partner), str, names)
    merged = [_merged(*both) for both in zip((gold, *systems), (new_gold, *made), strict=True)]
    if typed:
        sides = [("gold", new_gold), *((f"system {place}", each) for place, each in enumerate(made, 1))]
        lacking = [name for name, each in sides if len(each.table) and not each.types]
        if lacking:
            message = f"--typed needs the types of entities, which are not in: {', '.join(lacking)}"
            raise UsageError(message, hint="leave --typed out, or give a format that has types")
        new_gold, *made = (_typed(each, names) for _, each in sides)
    return Renamed(new_gold, tuple(made), merged[0], tuple(merged[1:]), tuple(pairs))


_Function: TypeAlias = Callable[[str], str]


def _functions(naming: Naming, gold: Graph, systems: Sequence[Graph]) -> tuple[_Function, _Function, _Function]:
    """The functions that rename nodes of gold, nodes of systems, and relations."""
    if naming.mode == "exact":
        return str, str, str
    if naming.mode == "map":
        table = naming.table or {}
        return str, _lookup(table), str
    if naming.mode != "alias":
        return fold, fold, fold_relation
    aliases: dict[str, str] = {}
    relations: dict[str, str] = {}
    for each in (gold, *systems):
        for member, name in each.aliases.items():
            aliases.setdefault(fold(member), fold(name))
        for member, name in each.relation_aliases.items():
            relations.setdefault(fold_relation(member), fold_relation(name))
    if naming.table is None and not aliases and not relations:
        raise UsageError("there are no aliases", hint="write --names alias=FILE, rows of name TAB alias TAB alias ...")
    aliases |= {fold(alias): fold(name) for alias, name in (naming.table or {}).items()}

    def canonical(name: str) -> str:
        folded = fold(name)
        return aliases.get(folded, folded)

    def related(name: str) -> str:
        folded = fold_relation(name)
        return relations.get(folded, folded)

    return canonical, canonical, related


def _lookup(table: Mapping[str, str]) -> _Function:
    return lambda name: table.get(name, name)


def _renamed(graph: Graph, of_node: _Function, of_relation: _Function, names: TripleNames) -> Graph:
    """A graph under other names, each computed once."""
    import numpy as np

    from adjudge.tasks.kbp.relations import columns_of

    subjects, links, objects, documents = columns_of(graph.table)
    nodes = _numbers(graph.table.names.nodes, names.nodes, of_node, np.concatenate((subjects, objects)))
    relations = _numbers(graph.table.names.relations, names.relations, of_relation, links)
    table = TripleTable(names)
    for column, numbers in (
        (table.subjects, nodes[subjects]),
        (table.relations, relations[links]),
        (table.objects, nodes[objects]),
        (table.documents, documents),
    ):
        column.frombytes(numbers.astype("i4").tobytes())
    types: dict[str, str] = {}
    for name, kind in graph.types.items():
        types.setdefault(of_node(name), kind)
    isolated = {(of_node(name), document): None for name, document in graph.isolated}
    return replace(graph, table=table, types=types, isolated=isolated)


def _numbers(old: Names, new: Names, function: _Function, used: Any) -> Any:
    """The new number of each old one that is used."""
    import numpy as np

    flags = np.zeros(max(1, len(old)), dtype=bool)
    flags[used] = True
    places = np.flatnonzero(flags)
    listed = old.listed
    numbers = np.full(len(flags), -1, dtype=np.int32)
    numbers[places] = new.number_all([function(listed[place]) for place in places.tolist()])
    return numbers


def _merged(before: Graph, after: Graph) -> int:
    """How many rows were merged; none if no names were."""
    import numpy as np

    from adjudge.tasks.kbp.facts import make_facts
    from adjudge.tasks.kbp.relations import columns_of

    sides = [columns_of(each.table) for each in (before, after)]
    names = [
        tuple(np.count_nonzero(np.bincount(own)) for own in (np.concatenate((subjects, objects)), links))
        for subjects, links, objects, _ in sides
    ]
    if names[0] == names[1]:
        return 0
    sizes = [len(make_facts(*columns).documents) for columns in sides]
    return sizes[0] - sizes[1]


def _typed(graph: Graph, names: TripleNames) -> Graph:
    """The graph with the types of nodes in their names."""
    nodes = graph.table.names.nodes.listed
    relations, documents = graph.table.names.relations.listed, graph.table.names.documents.listed
    table = TripleTable(names)

    def called(name: str, kind: str) -> str:
        return f"{name} [{fold(kind or graph.types.get(name, ''))}]"

    ends = graph.ends + [("", "")] * (len(graph.table) - len(graph.ends))
    columns = graph.table
    for place, (first, last) in enumerate(ends):
        table.add(
            called(nodes[columns.subjects[place]], first),
            relations[columns.relations[place]],
            called(nodes[columns.objects[place]], last),
            documents[columns.documents[place]],
        )
    types = {called(name, ""): kind for name, kind in graph.types.items()}
    isolated = {(called(name, ""), document): None for name, document in graph.isolated}
    return replace(graph, table=table, types=types, isolated=isolated, ends=[])


def used_names(graph: Graph) -> list[str]:
    """The names of the entities of a graph, in the order of their code points."""
    listed = graph.table.names.nodes.listed
    found = {listed[number] for number in {*graph.table.subjects, *graph.table.objects}}
    return sorted(found | {name for name, _ in graph.isolated})


# ---------------------------------------------------------------------------------------------------------------------
# Nearly equal


def fuzzy_pairs(gold: Sequence[str], system: Sequence[str], threshold: Fraction) -> tuple[NamePair, ...]:
    """Names of the system with the gold name that each counts as, one to one; equal names are left out.

    Similarity is 2 LCS / (length + length), in code points. The sum of similarities is greatest; of equal sums, names
    of gold in order take the first name of the system that keeps it.

    >>> [pair[:2] for pair in fuzzy_pairs(["ana ruiz", "lyon"], ["ana ruis", "lyon"], Fraction(4, 5))]
    [('ana ruis', 'ana ruiz')]
    """
    from adjudge.algebra.solve.assignment import first_heaviest

    ours = sorted(set(gold) - set(system))
    theirs = sorted(set(system) - set(gold))
    edges = dict(_near(ours, theirs, threshold))
    pairs = []
    for rows in blocks(edges):
        size = len(rows) + len({column for row in rows for column in edges[row]})
        if size > MOST:
            message = f"{size} names are near each other in one group, more than {MOST}"
            raise UsageError(message, hint="give a higher threshold, or a table of aliases")
        scale = math.lcm(*(len(ours[row]) + len(theirs[column]) for row in rows for column in edges[row]))
        weights = {row: {column: int(value * scale) for column, value in edges[row].items()} for row in sorted(rows)}
        for row, column in first_heaviest(weights, running()).items():
            pairs.append(NamePair(theirs[column], ours[row], float(edges[row][column])))
    return tuple(sorted(pairs))


def _near(ours: Sequence[str], theirs: Sequence[str], threshold: Fraction) -> Iterable[tuple[int, dict[int, Fraction]]]:
    """The names of systems that are near enough to each name of gold, by place."""
    try:
        from rapidfuzz.distance import LCSseq
        from rapidfuzz.fuzz import ratio
        from rapidfuzz.process import cdist
    except ImportError:
        hint = "install it with: pip install 'adjudge[kg]', or use another way to compare names"
        raise UsageError("fuzzy names need rapidfuzz, which is not installed", hint=hint) from None
    import numpy as np

    if not theirs:
        return
    least = 100 * float(threshold) - 1e-3
    step = max(1, _CELLS // len(theirs))
    for at in range(0, len(ours), step):
        running().check()
        block = ours[at : at + step]
        table = cdist(block, theirs, scorer=ratio, score_cutoff=max(0.0, least), dtype=np.float32)
        for row, name in enumerate(block):
            own: dict[int, Fraction] = {}
            for column in np.flatnonzero(table[row] >= least).tolist():
                other = theirs[column]
                value = Fraction(2 * LCSseq.similarity(name, other), len(name) + len(other))
                if value >= threshold and value:
                    own[column] = value
            if own:
                yield at + row, own
