"""What classification_report of seqeval 1.2.2 gives for two columns of tags.

The default mode takes chunks as conlleval does, and knows E- and S- besides. In strict mode an entity that breaks the
rules of the scheme is left out on both sides, so that a system with broken output can score higher than by default.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from adjudge.formats.bio import OUTSIDE, SCHEMES, Chunk, Turns, decode_strict
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.shared import prf, three
from adjudge.scorers.tagged import BOTH_COLUMNS, by_document, read_pairs
from adjudge.stats.measure import Combined, Measure
from adjudge.stats.result import Note

_PARTS = ("matched", "system", "gold")
_ENDS = frozenset(("BB", "BS", "BO", "IB", "IS", "IO"))
_STARTS = frozenset(("EE", "EI", "SE", "SI", "OE", "OI"))


def run(gold: Any, system: Any, *, both_columns: bool = False, scheme: str | None = None) -> Published:
    """The report of seqeval for one system; with a scheme, that of its strict mode.

    >>> print(run(b"EU B-ORG\\nrejects O\\n", b"EU B-ORG\\nrejects B-PER\\n").text, end="")
                  precision    recall  f1-score   support
    <BLANKLINE>
             ORG       1.00      1.00      1.00         1
             PER       0.00      0.00      0.00         0
    <BLANKLINE>
       micro avg       0.50      1.00      0.67         1
       macro avg       0.50      0.50      0.50         1
    weighted avg       1.00      1.00      1.00         1
    <BLANKLINE>
    """
    prefixes = SCHEMES[scheme].prefixes if scheme else ""
    pairs = read_pairs(gold, system, both_columns=both_columns, prefixes=prefixes)
    if scheme:
        turns = Turns(SCHEMES[scheme], _strict_tag)
        sides = [[decode_strict(tags, turns) for tags in side] for side in (pairs.gold, pairs.system)]
    else:
        sides = [_default(side) for side in (pairs.gold, pairs.system)]
    totals = {part: Counter[str]() for part in _PARTS}
    counts: list[dict[str, float]] = []
    for mine, theirs in zip(*sides, strict=True):
        own: dict[str, float] = {}
        counts.append(own)
        if mine or theirs:
            ours, given = set(mine), set(theirs)
            for part, chunks in zip(_PARTS, (ours & given, given, ours), strict=True):
                own[part] = len(chunks)
                total = totals[part]
                for kind, _, _ in chunks:
                    column = f"{kind}:{part}"
                    own[column] = own.get(column, 0) + 1
                    total[kind] += 1
    right, found, wanted = totals.values()
    kinds = sorted({*wanted, *found})
    columns = [*_PARTS, *(f"{kind}:{part}" for kind in kinds for part in _PARTS)]
    alone = Note("no-entities", 1, "neither side has an entity, and seqeval stops with an error there")
    text = _report(kinds, wanted, found, right)
    return Published(by_document(pairs, counts, columns), _measures(kinds), text, notes=[] if kinds else [alone])


def _measures(kinds: Sequence[str]) -> tuple[Measure, ...]:
    each = [prf(f"seqeval[{kind}]", kind) for kind in kinds]
    macro = [
        Combined("seqeval.mean", part, "mean", tuple((measure.name, part) for measure in each))
        for part in ("precision", "recall", "f1")
        if each
    ]
    return (prf("seqeval"), *each, *macro)


def _strict_tag(tag: str) -> tuple[str, str]:
    return tag[0], tag[1:].strip("-") or "_"


def _default(sentences: Sequence[Sequence[str]]) -> list[list[Chunk]]:
    """The chunks of each sentence; as the program does, all sentences are gone through as one, an O after each."""
    steps: dict[tuple[str, str], tuple[bool, bool, str]] = {}
    found: list[list[Chunk]] = []
    before = ""
    start = offset = 0
    for tags in sentences:
        chunks: list[Chunk] = []
        if before == OUTSIDE and tags.count(OUTSIDE) == len(tags):
            found.append(chunks)
            offset += len(tags) + 1
            continue
        for place, tag in enumerate((*tags, OUTSIDE), offset):
            if tag == before == OUTSIDE:
                continue
            step = steps.get((before, tag))
            if step is None:
                step = steps[before, tag] = _step(before, tag)
            ends, starts, kind = step
            if ends:
                chunks.append((kind, start, place))
            if starts:
                start = place
            before = tag
        found.append(chunks)
        offset += len(tags) + 1
    return found


def _parts(tag: str) -> tuple[str, str]:
    if not tag:  # before the first tag of all
        return OUTSIDE, ""
    return tag[0], tag[1:].split("-", maxsplit=1)[-1] or "_"


def _step(before: str, tag: str) -> tuple[bool, bool, str]:
    (left, kind), (right, other) = _parts(before), _parts(tag)
    changed = kind != other
    ends = left in "ES" or left + right in _ENDS or (left != OUTSIDE and changed)
    return ends, right in "BS" or left + right in _STARTS or (right != OUTSIDE and changed), kind


def _report(kinds: Sequence[str], wanted: Counter[str], found: Counter[str], right: Counter[str]) -> str:
    """The lines, from numbers that are rounded where numpy rounds them."""
    import numpy as np

    width = max([*map(len, kinds), len("weighted avg")])

    def line(name: str, values: Sequence[float], support: int) -> str:
        return f"{name:>{width}} " + "".join(f" {value:>9.2f}" for value in values) + f" {support:>9}"

    support = [wanted[kind] for kind in kinds]
    each = [three(right[kind], found[kind], wanted[kind]) for kind in kinds]
    micro = three(right.total(), found.total(), wanted.total())
    parts = np.array(each, dtype=float).reshape(-1, 3).T.copy()
    macro = [float(np.average(values)) if kinds else 0.0 for values in parts]
    weighted = [float(np.average(values, weights=np.array(support))) if sum(support) else 0.0 for values in parts]
    head = f"{'':>{width}} " + "".join(f" {name:>9}" for name in ("precision", "recall", "f1-score", "support"))
    lines = [head, ""]
    lines += [line(kind, values, wanted[kind]) for kind, values in zip(kinds, each, strict=True)]
    lines += [
        "",
        *(
            line(f"{name} avg", values, sum(support))
            for name, values in (("micro", micro), ("macro", macro), ("weighted", weighted))
        ),
        "",
    ]
    return "\n".join(lines) + "\n"


SCORER = Scorer(
    name="seqeval-1.2.2",
    family="ner",
    about="classification_report of seqeval 1.2.2",
    run=run,
    options={
        "both-columns": BOTH_COLUMNS,
        "scheme": Option(
            "Its strict mode with this scheme.", choices=("IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU")
        ),
    },
)
