"""Text to triples as the script of WebNLG 2020 counts it; the script tries all orders of triples, this takes polynomial
time.

Departures from the definitions (`kbp.triples`): words are compared, not triples; a triple whose subject and object are
exchanged is exact and partially right; a quoted literal is never strictly equal to itself; every entry is filled up
with empty triples, and precision, recall and F1 are means over all pairs of all entries, so that F1 is not the harmonic
mean of the other two; entries are paired by their places, not by their ids. The script gives spans to nervaluate, of
which 0.1.7 was required; later installations have 0.1.8, which counts in another way. Where the script crashes
(repeated words, entries that are empty on both sides), the rule that it follows elsewhere is applied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import permutations
from math import lcm
from typing import Any, NamedTuple

from adjudge.algebra.solve.assignment import first_heaviest
from adjudge.algebra.solve.deadline import running, timed
from adjudge.errors import FormatError, Problem, ValidationError
from adjudge.findings import raise_problems
from adjudge.formats.kg_webnlg import read_entries
from adjudge.formats.source import read_whole
from adjudge.model.prf import precision_recall_f1, ratio
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.shared import both_sides, sum_in_order
from adjudge.scorers.webnlg_spans import (
    COUNTS,
    KINDS,
    Tally,
    Words3,
    bare_words,
    count_spans,
    gold_words,
    system_words,
    triple_spans,
)
from adjudge.stats.measure import Measure, Ratio, Total

PLACES = ("subject", "predicate", "object")
_HALF = ("ent_type", "partial")  # in which a partial match is half a match
_ENUMERATED = 8  # triples whose orders are tried one by one, because rounding decides ties
_PARTS = ("precision", "recall", "f1")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BLANKS = re.compile(r"\s+")


class Entry(NamedTuple):
    """An entry: its name, and its triples as they are written."""

    name: str
    triples: tuple[str, ...]


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def entries_of(source: Any) -> tuple[str, list[Entry]]:
    """The entries of WebNLG XML, or of JSON: lists of triples, which are texts with bars or lists of three.

    >>> entries_of(b'[["Ana | child | Ben"]]')[1]
    [Entry(name='1', triples=('Ana | child | Ben',))]
    """
    whole = read_whole(source)
    if whole.data.lstrip()[:1] == b"<":
        return whole.place, [Entry(each.name, each.triples) for each in read_entries(whole.data, name=whole.place)]
    if whole.data.lstrip()[:1] not in b"[{":
        raise FormatError(Problem("this is neither WebNLG XML nor JSON", whole.place, 1, hint="give WebNLG XML"))
    from adjudge.formats.kg_json import LISTS, json_entries, shown
    from adjudge.formats.source import decode

    found, problems = [], []
    for number, entry in enumerate(json_entries(decode(whole.data, whole.place), whole.place), 1):
        value, name = entry.value, str(number)
        if isinstance(value, Mapping):
            name = str(value.get("id", number))
            value = next((value[key] for key in LISTS if key in value), None)
        if not isinstance(value, list):
            hint = "write a list of triples for every entry"
            problems.append(Problem(f"entry {number}: {shown(value)} is not a list of triples", whole.place, hint=hint))
            continue
        for place, each in enumerate(value, 1):
            if not isinstance(each, str | list | tuple):
                message = f"entry {number}, triple {place}: {shown(each)} is not a triple"
                hint = 'write [subject, relation, object], or "subject | relation | object"'
                problems.append(Problem(message, whole.place, hint=hint))
        if problems:
            continue
        triples = [each if isinstance(each, str) else " | ".join(map(str, each)) for each in value if each]
        found.append(Entry(name, tuple(triples)))
    raise_problems(problems, whole.place)
    return whole.place, found


def parts_of(triple: str) -> list[str]:
    """The parts of a triple as the script compares them.

    >>> parts_of("Ana_Ruiz | birthPlace | Lyon_(city)")
    ['ana ruiz', 'birth place', 'lyon']
    """
    text = _BLANKS.sub(" ", _HUMP.sub(" ", triple).lower().replace("_", " "))
    parts = text.split(" | ")
    if parts[-1].endswith(")") and " (" in parts[-1]:
        parts[-1] = parts[-1].partition(" (")[0]
    return parts if len(parts) > 1 else ["", "", ""]


@lru_cache(maxsize=1 << 16)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a part by nltk; by its word rules alone if it has no data for splitting sentences."""
    return tuple(_tokenizer()(text))


@lru_cache(maxsize=1)
def _tokenizer() -> Callable[[str], list[str]]:
    try:
        from nltk.tokenize import NLTKWordTokenizer, word_tokenize
    except ImportError:
        hint = "install it with: pip install 'adjudge[kg]'"
        raise ValidationError("this program tokenizes with nltk, which is not installed", hint=hint) from None
    try:
        word_tokenize("a. b")
    except LookupError:
        plain: Callable[[str], list[str]] = NLTKWordTokenizer().tokenize
        return plain
    whole: Callable[[str], list[str]] = word_tokenize
    return whole


def has_sentences() -> bool:
    """Whether nltk has the data for splitting sentences, which may change a word or two."""
    return getattr(_tokenizer(), "__name__", "") == "word_tokenize"


def _words(parts: Sequence[str], own: Callable[[Sequence[str]], tuple[str, ...]]) -> Words3:
    found = [words_of(part) for part in parts]
    first, second, third = ((own(each), bare_words(each)) for each in found)
    return Words3((first[0], second[0], third[0]), (first[1], second[1], third[1]))


# ---------------------------------------------------------------------------------------------------------------------
# Counting


def ratios(kind: str, counts: Sequence[int]) -> tuple[Fraction, Fraction, Fraction]:
    """Precision, recall and F1 of one kind of a pair, exactly.

    >>> ratios("partial", (1, 0, 1, 0, 1))
    (Fraction(1, 2), Fraction(3, 4), Fraction(3, 5))
    """
    correct, incorrect, half, missed, spurious = counts
    found = 2 * correct + (half if kind in _HALF else 0)
    possible, actual = correct + incorrect + half + missed, correct + incorrect + half + spurious
    return precision_recall_f1(Fraction(found), 2 * actual, 2 * possible, undefined=Fraction(0))


_ratios = lru_cache(maxsize=1 << 12)(ratios)


def float_f1(kind: str, counts: Sequence[int]) -> float:
    """F1 with the rounding of the script, by which it breaks ties."""
    correct, incorrect, half, missed, spurious = counts
    found = correct + 0.5 * half if kind in _HALF else correct
    possible, actual = correct + incorrect + half + missed, correct + incorrect + half + spurious
    return precision_recall_f1(found, actual, possible)[2]


@lru_cache(maxsize=1 << 12)
def _float_weight(tally: Tally) -> float:
    return sum_in_order(float_f1(kind, own) for kind, own in zip(KINDS, tally.kinds, strict=True)) / 4


def best_order(tallies: Sequence[Sequence[Tally]]) -> list[int]:
    """The gold triple of each triple of the system: the order with the greatest sum of weights, the first of equals."""
    size = len(tallies)
    if size == 1:
        return [0]
    if size <= _ENUMERATED:
        import numpy as np

        weights = np.array([[_float_weight(each) for each in row] for row in tallies])
        orders = _orders(size)
        sums = weights[0, orders[:, 0]]
        for row in range(1, size):
            sums = sums + weights[row, orders[:, row]]
        found: list[int] = orders[int(sums.argmax())].tolist()
        return found
    exact = [[_weight(each) for each in row] for row in tallies]
    scale = lcm(*{value.denominator for row in exact for value in row})
    whole = [[value.numerator * (scale // value.denominator) for value in row] for row in exact]
    more = 1 + size * max(max(row) for row in whole)  # a bonus for every pair, so that all triples get one
    pairs = first_heaviest(
        {row: {place: value + more for place, value in enumerate(own)} for row, own in enumerate(whole)}, running()
    )
    return [pairs[row] for row in range(size)]


@lru_cache(maxsize=_ENUMERATED)
def _orders(size: int) -> Any:
    import numpy as np

    return np.array(list(permutations(range(size))))


@lru_cache(maxsize=1 << 12)
def _weight(tally: Tally) -> Fraction:
    return sum((_ratios(kind, own)[2] for kind, own in zip(KINDS, tally.kinds, strict=True)), Fraction(0))


def count_entry(gold: Sequence[Words3], system: Sequence[Words3], *, newer: bool) -> list[Tally]:
    """The counts of the pairs of an entry; both sides are padded with empty triples."""
    size = max(len(gold), len(system))
    empty = Words3(((), (), ()), ((), (), ()))
    ours = [*gold, *[empty] * (size - len(gold))]
    theirs = [*system, *[empty] * (size - len(system))]
    table = []
    for own in theirs:
        running().check()
        table.append([_pair(other, own, newer) for other in ours])
    order = best_order(table) if size else []
    return [table[row][place] for row, place in enumerate(order)]


def _pair(gold: Words3, system: Words3, newer: bool) -> Tally:
    if all(gold.own) and all(system.own) and _all_words(gold).isdisjoint(_all_words(system)):
        return _nothing(newer)
    return count_spans(*triple_spans(gold, system), newer)


@lru_cache(maxsize=1 << 16)
def _all_words(words: Words3) -> frozenset[str]:
    return frozenset(word for part in words.own for word in part)


@lru_cache(maxsize=2)
def _nothing(newer: bool) -> Tally:
    """Two triples without a word in common."""
    gold = ("SUB", 0, 0), ("PRED", 2, 2), ("OBJ", 4, 4)
    return count_spans(gold, (("SUB", 1, 1), ("PRED", 3, 3), ("OBJ", 5, 5)), newer)


# ---------------------------------------------------------------------------------------------------------------------
# The program


def measures() -> tuple[Measure, ...]:
    """Means over all pairs, sums of counts, and the score of whole triples."""
    found: list[Measure] = []
    for kind in KINDS:
        name = f"kbp.webnlg.{kind}"
        found += [Ratio(name, part, ((f"{kind}:{part}", 1.0),), (("pairs", 1.0),)) for part in _PARTS]
        found += [Total(name, count, ((f"{kind}:{count}", 1.0),)) for count in COUNTS]
        found += [
            Total(name, part, tuple((f"{kind}:{count}", 1.0) for count in (*COUNTS[:3], last)))
            for part, last in (("possible", "missed"), ("actual", "spurious"))
        ]
        for place in PLACES:
            own = f"{kind}:{place}"
            found += [Ratio(f"{name}.{place}", part, ((f"{own}:{part}", 1.0),), (("pairs", 1.0),)) for part in _PARTS]
    found += [Ratio("kbp.webnlg.full", part, ((f"full:{part}", 1.0),), (("full:triples", 1.0),)) for part in _PARTS]
    return tuple(found)


def _columns(tallies: Sequence[Tally]) -> dict[str, float]:
    """The columns of an entry: counts, and the sums of precision, recall and F1 of its pairs."""
    found: dict[str, float] = {"pairs": float(len(tallies))}
    for number, kind in enumerate(KINDS):
        for count, column in enumerate(COUNTS):
            found[f"{kind}:{column}"] = float(sum(each.kinds[number][count] for each in tallies))
        groups = [(kind, [each.kinds[number] for each in tallies])]
        groups += [
            (f"{kind}:{name}", [each.positions[place][number] for each in tallies]) for place, name in enumerate(PLACES)
        ]
        for key, own in groups:
            values = [_ratios(kind, counts) for counts in own]
            for place, part in enumerate(_PARTS):
                found[f"{key}:{part}"] = float(sum((value[place] for value in values), Fraction(0)))
    return found


def run(gold: Any, system: Any, *, newer: bool = False, malformed: str | None = None) -> Published:
    """Count one system.

    >>> found = run(b'[["Ana | child | Ben"]]', b'[["Ana | child | Ben"]]')
    >>> found.text.splitlines()[1].split()
    ['ent_type', '1.0000', '1.0000', '1.0000', '3', '0', '0', '0', '0', '3', '3']
    """
    import numpy as np

    (our_place, ours), (their_place, theirs) = both_sides(entries_of, gold, system)
    if len(ours) != len(theirs):
        message = f"{len(theirs)} entries, and gold ({our_place}) has {len(ours)}"
        raise ValidationError(
            Problem(message, path=their_place, hint="entries are paired by position: fill in the missing ones")
        )
    if not ours:
        raise ValidationError(Problem("there are no entries", path=our_place, hint="check the file"))
    sides = [_triples(ours, our_place, None), _triples(theirs, their_place, malformed)]
    rows = []
    for number in timed(range(len(ours))):
        mine = [_words(parts, gold_words) for parts in sides[0][number]]
        yours = [_words(parts, system_words) for parts in sides[1][number]]
        rows.append((f"{number + 1}:{ours[number].name}", _columns(count_entry(mine, yours, newer=newer))))
    names = list(rows[0][1])
    table = np.array([[row[name] for name in names] for _, row in rows])
    full = _full_triples(ours, theirs)

    def counter(weights: Any) -> dict[str, Any]:
        from adjudge.stats.resample import exact_product, exact_slices

        sums = exact_product(weights, exact_slices(table))
        return {**dict(zip(names, sums.T, strict=True)), **full(np.asarray(weights, dtype=float))}

    whole = {name: float(values[0]) for name, values in counter(np.ones((1, len(rows)))).items()}
    from adjudge.stats.result import Note

    notes = []
    if not has_sentences():
        notes.append(Note("tokens:line", 1, "nltk has no data to find sentences: words are found by its rules alone"))
    return Published(rows, measures(), _text(whole), notes=notes, counter=counter)


def _triples(entries: Sequence[Entry], place: str, malformed: str | None) -> list[list[list[str]]]:
    """The parts of all triples; a system's triple without three parts may be wrong instead of an error."""
    found, problems = [], []
    for number, entry in enumerate(entries, 1):
        own = []
        for at, triple in enumerate(entry.triples, 1):
            parts = parts_of(triple)
            if len(parts) != 3 and malformed != "wrong":
                message = f"entry {number}, triple {at}: {len(parts)} parts instead of 3"
                hint = "write subject | predicate | object, or give --malformed wrong for systems"
                problems.append(Problem(message, path=place, hint=hint))
            own.append([*parts, ""][:3])
        found.append(own)
    if problems:
        raise FormatError(problems)
    return found


def _full_triples(ours: Sequence[Entry], theirs: Sequence[Entry]) -> Callable[[Any], dict[str, Any]]:
    """Precision, recall and F1 of every triple over the entries that have it, as sums over all triples."""
    import numpy as np
    from scipy.sparse import csr_matrix

    sides = [[{triple.lower() for triple in entry.triples} for entry in entries] for entries in (ours, theirs)]
    known = {triple: place for place, triple in enumerate(sorted(set().union(*sides[0], *sides[1])))}
    tables = []
    for own in (sides[0], sides[1], [one & other for one, other in zip(*sides, strict=True)]):
        cells = [(known[triple], entry) for entry, each in enumerate(own) for triple in sorted(each)]
        places = np.array(cells, dtype=np.int64).reshape(-1, 2)
        tables.append(csr_matrix((np.ones(len(cells)), (places[:, 0], places[:, 1])), shape=(len(known), len(ours))))

    def counted(weights: Any) -> dict[str, Any]:
        gold, system, both = (table @ weights.T for table in tables)
        present = (gold + system) > 0
        shares = {"precision": ratio(both, system), "recall": ratio(both, gold), "f1": ratio(2 * both, gold + system)}
        found = {**shares, "triples": present.astype(float)}
        return {f"full:{name}": values.sum(axis=0) for name, values in found.items()}

    return counted


def _text(whole: Mapping[str, float]) -> str:
    """All numbers as a table; the layout is ours."""
    header = ["", *_PARTS, *COUNTS, "possible", "actual"]
    rows = [header]
    pairs = whole["pairs"] or 1.0
    for kind in KINDS:
        counts = [whole[f"{kind}:{count}"] for count in COUNTS]
        ends = sum(counts[:4]), sum(counts[:3]) + counts[4]
        rows.append(
            [
                kind,
                *(f"{whole[f'{kind}:{part}'] / pairs:.4f}" for part in _PARTS),
                *(f"{each:g}" for each in (*counts, *ends)),
            ]
        )
    for place in PLACES:
        for kind in KINDS:
            rows.append([f"{place} {kind}", *(f"{whole[f'{kind}:{place}:{part}'] / pairs:.4f}" for part in _PARTS)])
    triples = whole["full:triples"] or 1.0
    rows.append(["full triples", *(f"{whole[f'full:{part}'] / triples:.4f}" for part in _PARTS)])
    widths = [max(len(row[place]) for row in rows if place < len(row)) for place in range(len(header))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip() for row in rows)
    return "".join(f"{line}\n" for line in lines)


OPTIONS = {
    "malformed": Option(
        "WebNLG: a triple of a system that does not have three parts is an error, or wrong.", choices=("error", "wrong")
    )
}

SCORER = Scorer(
    name="webnlg-2020",
    family="kbp",
    about="the script of the WebNLG 2020 task from text to triples, with nervaluate 0.1.7",
    run=run,
    options=OPTIONS,
)

NEWER = Scorer(
    name="webnlg-2020-nervaluate-0.1.8",
    family="kbp",
    about="the same with nervaluate 0.1.8, which counts in another way",
    run=partial(run, newer=True),
    options=OPTIONS,
)
