"""What classification_report of seqeval 1.2.2 gives for two columns of tags.

The default mode takes chunks as conlleval does, and knows E- and S- besides. In strict mode an entity that breaks the
rules of the scheme is left out on both sides, so that a system with broken output can score higher than by default.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from adjudge.compat.seqeval import Counts, default_entities, report, strict_entities
from adjudge.model.tags import SCHEMES
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.shared import BOTH_COLUMNS, by_document, prf, read_tagged
from adjudge.stats.measure import Combined, Measure
from adjudge.stats.result import Note

_PARTS = ("matched", "system", "gold")


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
    pairs = read_tagged(gold, system, both_columns=both_columns, prefixes=prefixes)
    decode = partial(strict_entities, scheme=scheme) if scheme else default_entities
    sides = [decode(side) for side in (pairs.gold, pairs.system)]
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
    text = report(Counts(kinds, *([each[kind] for kind in kinds] for each in (right, found, wanted)))) + "\n"
    return Published(by_document(pairs, counts, columns), _measures(kinds), text, notes=[] if kinds else [alone])


def _measures(kinds: Sequence[str]) -> tuple[Measure, ...]:
    each = [prf(f"seqeval[{kind}]", kind) for kind in kinds]
    macro = [
        Combined("seqeval.mean", part, "mean", tuple((measure.name, part) for measure in each))
        for part in ("precision", "recall", "f1")
        if each
    ]
    return (prf("seqeval"), *each, *macro)


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
