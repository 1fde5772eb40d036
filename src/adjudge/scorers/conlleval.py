"""What conlleval.pl (2004-01-26) prints for two columns of tags.

A chunk is a maximal run of tags of one type; it may start with I-. A chunk is correct if its type and boundaries are.
Of the prefixes only B, I, E and O have a meaning, so that `S-PER S-PER` is one chunk. Accuracy is that of tags; a
`-DOCSTART-` line counts as a correct token.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from adjudge.model.prf import precision_recall_f1
from adjudge.model.tags import OUTSIDE, Step, Steps, decode_tags
from adjudge.scorers import Published, Scorer
from adjudge.scorers.shared import BOTH_COLUMNS, by_document, prf, read_tagged
from adjudge.stats.measure import Ratio

COLUMNS = ("matched", "system", "gold", "tags", "tokens")
MEASURES = (
    prf("conlleval"),
    Ratio("conlleval", "accuracy", (("tags", 1.0),), (("tokens", 1.0),)),
)

_ENDS = frozenset(("BB", "BO", "IB", "IO", "EE", "EI", "EO"))
_STARTS = frozenset(("BB", "IB", "OB", "OI", "EE", "EI", "OE"))


def _parts(tag: str) -> tuple[str, str]:
    prefix, _, kind = tag.partition("-")
    return prefix, "" if kind == "0" else kind  # false in Perl


def _step(before: str, tag: str) -> Step:
    (left, kind), (right, other) = _parts(before), _parts(tag)
    changed = kind != other
    return Step(
        left + right in _ENDS or (left != OUTSIDE and changed),
        left + right in _STARTS or (right != OUTSIDE and changed),
        kind,
    )


def run(gold: Any, system: Any, *, both_columns: bool = False) -> Published:
    """The report of conlleval for one system.

    >>> print(run(b"EU B-ORG\\nrejects O\\n", b"EU B-ORG\\nrejects B-PER\\n").text, end="")
    processed 2 tokens with 1 phrases; found: 2 phrases; correct: 1.
    accuracy:  50.00%; precision:  50.00%; recall: 100.00%; FB1:  66.67
                  ORG: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
                  PER: precision:   0.00%; recall:   0.00%; FB1:   0.00  1
    """
    pairs = read_tagged(gold, system, both_columns=both_columns)
    steps = Steps(_step)
    counts: list[dict[str, float]] = []
    found: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for tags, guessed in zip(pairs.gold, pairs.system, strict=True):
        size = len(tags)
        if tags == guessed:
            mine = theirs = decode_tags(tags, steps)
            shared, same = mine, size
        else:
            mine, theirs = decode_tags(tags, steps), decode_tags(guessed, steps)
            others = set(mine)
            shared = [chunk for chunk in theirs if chunk in others]
            same = sum(a == b for a, b in zip(tags, guessed, strict=True))
        if mine or theirs:
            wanted.update([kind for kind, _, _ in mine])
            found.update([kind for kind, _, _ in theirs])
            right.update([kind for kind, _, _ in shared])
        counts.append({"matched": len(shared), "system": len(theirs), "gold": len(mine), "tags": same, "tokens": size})
    rows = by_document(pairs, counts, COLUMNS)
    for name, row in rows:
        if pairs.starts and name != "document-0":
            row["tags"] += 1
            row["tokens"] += 1
    text = _report(wanted, found, right, *(int(sum(row[key] for _, row in rows)) for key in ("tags", "tokens")))
    return Published(rows, MEASURES, text)


def _report(wanted: Counter[str], found: Counter[str], right: Counter[str], tags: int, tokens: int) -> str:
    all_wanted, all_found, all_right = wanted.total(), found.total(), right.total()
    lines = [f"processed {tokens} tokens with {all_wanted} phrases; found: {all_found} phrases; correct: {all_right}."]
    lines.append(f"accuracy: {100 * tags / tokens:6.2f}%; {_scores(all_right, all_found, all_wanted)}")
    lines += [
        f"{kind:>17}: {_scores(right[kind], found[kind], wanted[kind])}  {found[kind]}"
        for kind in _sorted(wanted, found)
    ]
    return "".join(f"{line}\n" for line in lines)


def _scores(right: int, found: int, wanted: int) -> str:
    precision, recall, f1 = precision_recall_f1(100 * right, found, wanted)
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"


def _sorted(*counters: Counter[str]) -> list[str]:
    """Types by the bytes of their names, as Perl sorts them."""
    return sorted({kind for counter in counters for kind in counter}, key=str.encode)


SCORER = Scorer(
    name="conlleval",
    family="ner",
    about="conlleval.pl of 2004-01-26 (CoNLL-2000 to 2003)",
    run=run,
    options={"both-columns": BOTH_COLUMNS},
)
