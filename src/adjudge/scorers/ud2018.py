"""What conll18_ud_eval.py (version 1.2) prints for two files of CoNLL-U.

Precision is correct over system words, recall correct over gold words, F1 2 correct / (system + gold), and aligned
accuracy correct over the words that both files have. Subtypes of relations and features that are not universal do not
count; punctuation does.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from adjudge.errors import FormatError, Problem
from adjudge.formats.conllu_trees import CONTENT, FUNCTIONAL, ROOT, Treebank, read_treebank, unique_names
from adjudge.model.document import Corpus, Document
from adjudge.model.prf import ratio
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.shared import both_sides
from adjudge.stats.measure import Measure, Prf, Ratio

METRICS = (
    "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX",
)  # fmt: skip
SPANS = ("Tokens", "Sentences", "Words")
CONTENT_ONLY = ("CLAS", "MLAS", "BLEX")
PARTS = ("correct", "system", "gold", "aligned")


def run(gold: Any, system: Any, *, counts: bool = False) -> Published:
    """The table of the script for one system; `counts` prints its counts instead of its scores.

    >>> row = b"1\\tEat\\teat\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> run(row, row).text.splitlines()[11]
    'LAS        |    100.00 |    100.00 |    100.00 |    100.00'
    """
    left, right = both_sides(read_treebank, gold, system)
    check_text(left.text, right.text, left.place, right.place)
    rows = _rows(left, right)
    sums = {metric: {part: sum(row[f"{metric}:{part}"] for _, row in rows) for part in PARTS} for metric in METRICS}
    return Published(rows, _measures(), _table(sums, _counts if counts else _scores))


def _measures() -> tuple[Measure, ...]:
    made: list[Measure] = []
    for metric in METRICS:
        name = f"ud.{metric.lower()}"
        correct, system, gold, aligned = (f"{metric}:{part}" for part in PARTS)
        made.append(Prf(name, (correct, system), (correct, gold)))
        if metric not in SPANS:
            made.append(Ratio(name, "accuracy", ((correct, 1.0),), ((aligned, 1.0),)))
    return tuple(made)


# ---------------------------------------------------------------------------------------------------------------------
# Counting; words of the system are counted in the gold sentence in which they start


def _rows(gold: Treebank, system: Treebank) -> list[tuple[str, dict[str, float]]]:
    starts = [sentence.start for sentence in gold.sentences]

    def home(place: int) -> int:
        return bisect_right(starts, place) - 1

    tallies = [[0] * (len(METRICS) * len(PARTS)) for _ in gold.sentences]
    _spans(tallies, 0, gold.tokens, system.tokens, home)
    ours, theirs = ([(each.start, each.end) for each in bank.sentences] for bank in (gold, system))
    _spans(tallies, 1, ours, theirs, home)
    _words(tallies, gold, system, home)
    columns = [f"{metric}:{part}" for metric in METRICS for part in PARTS]
    return [
        (name, dict(zip(columns, tally, strict=True))) for name, tally in zip(unique_names(gold), tallies, strict=True)
    ]


def _spans(
    tallies: Sequence[list[int]],
    metric: int,
    gold: Sequence[tuple[int, int]],
    system: Sequence[tuple[int, int]],
    home: Callable[[int], int],
) -> None:
    correct, of_system, of_gold, _ = range(metric * 4, metric * 4 + 4)
    known = set(gold)
    for span in gold:
        tallies[home(span[0])][of_gold] += 1
    for span in system:
        tally = tallies[home(span[0])]
        tally[of_system] += 1
        tally[correct] += span in known


def _words(tallies: Sequence[list[int]], gold: Treebank, system: Treebank, home: Callable[[int], int]) -> None:
    homes = [place for place, each in enumerate(gold.sentences) for _ in range(each.first, each.last)]
    _totals(tallies, 2, homes, [word.label in CONTENT for word in gold.words])
    _totals(tallies, 1, [home(word.start) for word in system.words], [word.label in CONTENT for word in system.words])
    found = align(gold.words, system.words)
    aligned = [g for g in found if g != NONE]
    _totals(tallies, 3, [homes[g] for g in aligned], [gold.words[g].label in CONTENT for g in aligned])
    children = [_functional(bank) for bank in (gold, system)]
    for s, g in enumerate(found):
        if g != NONE:
            tally = tallies[homes[g]]
            for place, correct in enumerate(_correct(gold, system, g, s, found, children), 2):
                if correct:
                    tally[place * 4] += 1


def _totals(tallies: Sequence[list[int]], part: int, homes: Sequence[int], content: Sequence[bool]) -> None:
    """Count words in one of the PARTS of all metrics of words; some metrics count content words alone."""
    counts = [[0, 0] for _ in tallies]
    for place, counts_too in zip(homes, content, strict=True):
        counts[place][counts_too] += 1
    for tally, (other, own) in zip(tallies, counts, strict=True):
        for number, metric in enumerate(METRICS):
            if number > 1:
                tally[number * 4 + part] = own if metric in CONTENT_ONLY else own + other


def _correct(
    gold: Treebank, system: Treebank, g: int, s: int, found: Sequence[int], children: Sequence[Sequence[Sequence[int]]]
) -> tuple[bool, ...]:
    """Whether an aligned word is right, from Words on: to BLEX for content words, to LAS for the others."""
    a, b = gold.words[g], system.words[s]
    upos, xpos, feats = a.upos == b.upos, a.xpos == b.xpos, a.feats == b.feats
    lemma = a.lemma in ("_", b.lemma)
    uas = a.head == (ROOT if b.head == ROOT else found[b.head] if found[b.head] != NONE else None)
    las = uas and a.label == b.label
    first = (True, upos, xpos, feats, upos and xpos and feats, lemma, uas, las)
    if a.label not in CONTENT:
        return first
    mlas = las and upos and feats and _same_children(gold, system, children[0][g], children[1][s], found)
    return (*first, las, mlas, las and lemma)


def _same_children(
    gold: Treebank, system: Treebank, own: Sequence[int], others: Sequence[int], found: Sequence[int]
) -> bool:
    if len(own) != len(others):
        return False
    for g, s in zip(own, others, strict=True):
        a, b = gold.words[g], system.words[s]
        if found[s] != g or a.label != b.label or a.upos != b.upos or a.feats != b.feats:
            return False
    return True


def _functional(bank: Treebank) -> list[list[int]]:
    """The function words below each word."""
    found: list[list[int]] = [[] for _ in bank.words]
    for place, word in enumerate(bank.words):
        if word.head != ROOT and word.label in FUNCTIONAL:
            found[word.head].append(place)
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Printing


def _table(sums: dict[str, dict[str, float]], line: Callable[[str, dict[str, float]], str]) -> str:
    head = "Metric     | Correct   |      Gold | Predicted | Aligned"
    if line is _scores:
        head = "Metric     | Precision |    Recall |  F1 Score | AligndAcc"
    rule = "-----------+-----------+-----------+-----------+-----------"
    return "".join(f"{each}\n" for each in (head, rule, *(line(metric, sums[metric]) for metric in METRICS)))


def _scores(metric: str, own: dict[str, float]) -> str:
    correct, system, gold, aligned = (own[part] for part in PARTS)
    precision, recall, f1 = ratio(correct, system), ratio(correct, gold), ratio(2 * correct, system + gold)
    last = "" if metric in SPANS else f"{100 * ratio(correct, aligned):10.2f}"
    return f"{metric:11}|{100 * precision:10.2f} |{100 * recall:10.2f} |{100 * f1:10.2f} |{last}"


def _counts(metric: str, own: dict[str, float]) -> str:
    correct, system, gold, aligned = (int(own[part]) for part in PARTS)
    last = "" if metric in ("Tokens", "Sentences") or not aligned else str(aligned)
    if metric == "Words":
        last = str(correct)
    return f"{metric:11}|{correct:10} |{gold:10} |{system:10} |{last:>10}"


# ---------------------------------------------------------------------------------------------------------------------
# Words of different tokenizations


Placed: TypeAlias = "Sequence[Any]"
"""Start and end of the token, whether it is part of a multiword token, its form, and anything else."""

NONE = -1
SHOWN = 20


def align(gold: Sequence[Placed], system: Sequence[Placed]) -> list[int]:
    """For each system word the place of its gold word, NONE if it has none.

    >>> align([(0, 3, False, "can"), (3, 6, False, "not")], [(0, 6, True, "can"), (0, 6, True, "not")])
    [0, 1]
    """
    found = [NONE] * len(system)
    g = s = 0
    while g < len(gold) and s < len(system):
        left, right = gold[g], system[s]
        if left[2] or right[2]:
            g_start, s_start, g, s = _region(gold, system, g, s)
            for i, j in _common(
                [word[3].lower() for word in gold[g_start:g]], [w[3].lower() for w in system[s_start:s]]
            ):
                found[s_start + j] = g_start + i
        elif left[0] == right[0] and left[1] == right[1]:
            found[s] = g
            g += 1
            s += 1
        elif left[0] <= right[0]:
            g += 1
        else:
            s += 1
    return found


def _region(gold: Sequence[Placed], system: Sequence[Placed], g: int, s: int) -> tuple[int, int, int, int]:
    """Where the words around a multiword token begin and end on both sides: the fewest that split no multiword
    token."""
    left, right = gold[g], system[s]
    if left[2]:
        end = left[1]
        s += not right[2] and right[0] < left[0]
    else:
        end = right[1]
        g += left[0] < right[0]
    starts = g, s

    def over(words: Sequence[Placed], place: int) -> bool:
        if place >= len(words):
            return True
        word = words[place]
        return bool(word[0] >= end if word[2] else word[1] > end)

    while not (over(gold, g) and over(system, s)):
        if g < len(gold) and (s >= len(system) or gold[g][0] <= system[s][0]):
            word = gold[g]
            g += 1
        else:
            word = system[s]
            s += 1
        if word[2] and word[1] > end:
            end = word[1]
    return *starts, g, s


def _common(gold: Sequence[str], system: Sequence[str]) -> list[tuple[int, int]]:
    """A longest common subsequence as pairs of places; of several, the one that skips gold words first."""
    if gold == system:
        return [(place, place) for place in range(len(gold))]
    best = [[0] * (len(system) + 1) for _ in range(len(gold) + 1)]
    for i in range(len(gold) - 1, -1, -1):
        here, below = best[i], best[i + 1]
        for j in range(len(system) - 1, -1, -1):
            here[j] = max(below[j], here[j + 1], below[j + 1] + 1 if gold[i] == system[j] else 0)
    pairs = []
    i = j = 0
    while i < len(gold) and j < len(system):
        if gold[i] == system[j]:
            pairs.append((i, j))
            i += 1
            j += 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def check_text(gold: str, system: str, gold_path: str | None, path: str | None, line: int | None = None) -> None:
    """Raise unless both files have the same characters."""
    if gold == system:
        return
    place = next((i for i, (a, b) in enumerate(zip(gold, system, strict=False)) if a != b), min(len(gold), len(system)))
    here, there = system[place : place + SHOWN], gold[place : place + SHOWN]
    message = f"the text continues with {here!r} where {gold_path} has {there!r} (character {place + 1} without blanks)"
    raise FormatError(Problem(message, path=path, line=line, hint="both files must have the same characters"))


def align_documents(gold: Corpus, system: Corpus) -> Corpus:
    """The words of the system in the sentences of gold, with the numbers of the gold words that they are.

    A word without a gold word gets a number that no gold word has. Where gold has no lemma (`_`), the system's is
    dropped.
    """
    _check_documents(gold, system)
    ours = [(document, word) for document in gold.documents for word in document.data["dependencies"]]
    theirs = [word for document in system.documents for word in document.data["dependencies"]]
    found = align([_placed(word) for _, word in ours], [_placed(word) for word in theirs])
    place_of = {document.id: place for place, document in enumerate(gold.documents)}
    first = [document.data["dependencies"][0]["token"][0] for document in gold.documents]
    sizes = [len(document.data["dependencies"]) for document in gold.documents]
    words: list[list[dict[str, Any]]] = [[] for _ in gold.documents]
    base = 0
    for document in system.documents:
        own = document.data["dependencies"]
        homes = [
            place_of[ours[found[place]][0].id]
            if found[place] != NONE
            else bisect_right(first, theirs[place]["token"][0]) - 1
            for place in range(base, base + len(own))
        ]
        for word, home in zip(own, homes, strict=True):

            def number(local: int, home: int = home, base: int = base, homes: list[int] = homes) -> int:
                """The number of a word of this sentence among the gold words of `home`."""
                if local == 0:
                    return 0
                place = base + local - 1
                if found[place] == NONE or homes[local - 1] != home:
                    return sizes[home] + 1 + place
                matched: int = ours[found[place]][1]["dependent"]
                return matched

            place = base + word["dependent"] - 1
            bare = found[place] != NONE and ours[found[place]][1]["lemma"] == "_"
            words[home].append(
                {
                    **word,
                    "dependent": number(word["dependent"]),
                    "head": number(word["head"]),
                    "lemma": "_" if bare else word["lemma"],
                    "functional": [[number(child), *rest] for child, *rest in word["functional"]],
                }
            )
        base += len(own)
    documents = [
        Document(id=each.id, data={**each.data, "dependencies": own}, line=None)
        for each, own in zip(gold.documents, words, strict=True)
    ]
    return Corpus(path=system.path, documents=tuple(documents), digest=system.digest)


def _placed(word: dict[str, Any]) -> Placed:
    start, end = word["token"]
    return start, end, word["multiword"], word["form"]


def _check_documents(gold: Corpus, system: Corpus) -> None:
    texts = ["".join(document.data["text"] for document in side.documents) for side in (gold, system)]
    if texts[0] == texts[1]:
        return
    place = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
    line, before = None, 0
    for document in system.documents:  # the sentence in which it happens
        if before <= place:
            line = document.line
        before += len(document.data["text"])
    check_text(texts[0], texts[1], gold.path, system.path, line)


SCORER = Scorer(
    name="ud-2018",
    family="tree",
    about="conll18_ud_eval.py 1.2 of the CoNLL 2018 shared task, its table of all metrics",
    run=run,
    options={"counts": Option("Print its counts instead of its scores.")},
)
