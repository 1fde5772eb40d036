"""Published scorers of tags after a transcription of their rules, token by token, on random columns.

Other profiles have theirs beside their own tests; `fuzz/differential.py` lists them.
"""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.scorers import conlleval, seqeval

TAGS = st.sampled_from(["O", *(f"{prefix}-{kind}" for prefix in "BIES" for kind in ("PER", "LOC"))])
SENTENCES = st.lists(st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=7), min_size=1, max_size=4)


def columns(sentences, side: int) -> bytes:
    return "".join("".join(f"w {pair[side]}\n" for pair in sentence) + "\n" for sentence in sentences).encode()


def parts(tag: str) -> tuple[str, str]:
    return (tag[0], tag[2:]) if tag != "O" else ("O", "")


def perl_counts(sentences) -> tuple[int, int, int, int, int]:
    """Tokens, phrases, found, right, right tags: a phrase is right if both sides were in it from start to end."""
    tokens = phrases = found = right = tags = 0
    inside = False
    last = [("O", ""), ("O", "")]
    rows = [row for sentence in sentences for row in (*sentence, None)]  # an empty line after each sentence
    for row in rows:
        now = [("O", ""), ("O", "")] if row is None else [parts(tag) for tag in row]
        ends = [_perl_ends(*pair) for pair in zip(last, now, strict=True)]
        starts = [_perl_starts(*pair) for pair in zip(last, now, strict=True)]
        if inside:
            if all(ends) and last[0][1] == last[1][1]:
                inside, right = False, right + 1
            elif ends[0] != ends[1] or now[0][1] != now[1][1]:
                inside = False
        if all(starts) and now[0][1] == now[1][1]:
            inside = True
        phrases, found = phrases + starts[0], found + starts[1]
        if row is not None:
            tokens, tags = tokens + 1, tags + (row[0] == row[1])
        last = now
    return tokens, phrases, found, right, tags


def _perl_ends(last: tuple[str, str], now: tuple[str, str]) -> bool:
    pairs = ("BB", "BO", "IB", "IO", "EE", "EI", "EO")
    return last[0] + now[0] in pairs or (last[0] != "O" and last[1] != now[1])


def _perl_starts(last: tuple[str, str], now: tuple[str, str]) -> bool:
    pairs = ("BB", "IB", "OB", "OI", "EE", "EI", "OE")
    return last[0] + now[0] in pairs or (now[0] != "O" and last[1] != now[1])


@settings(max_examples=75, deadline=None)
@given(SENTENCES)
def test_conlleval_token_by_token(sentences) -> None:
    tokens, phrases, found, right, tags = perl_counts(sentences)
    text = conlleval.run(columns(sentences, 0), columns(sentences, 1)).text
    head = f"processed {tokens} tokens with {phrases} phrases; found: {found} phrases; correct: {right}."
    assert text.splitlines()[0] == head
    assert float(re.findall(r"accuracy: +([0-9.]+)%", text)[0]) == round(100 * tags / tokens, 2)


def entities(sentences, side: int) -> set[tuple[int, str, int, int]]:
    """Entities of the default mode, from one running state for each sentence."""
    found = set()
    for number, sentence in enumerate(sentences):
        last, begin = ("O", ""), 0
        for place, tag in enumerate([row[side] for row in sentence] + ["O"]):
            now = parts(tag)
            changed = last[1] != now[1]
            if last[0] in "ES" or (last[0] in "BI" and now[0] in "BSO") or (last[0] != "O" and changed):
                found.add((number, last[1], begin, place))
            if now[0] in "BS" or (last[0] in "ESO" and now[0] in "EI") or (now[0] != "O" and changed):
                begin = place
            last = now
    return found


@settings(max_examples=75, deadline=None)
@given(SENTENCES)
def test_seqeval_token_by_token(sentences) -> None:
    gold, system = entities(sentences, 0), entities(sentences, 1)
    rows = seqeval.run(columns(sentences, 0), columns(sentences, 1)).rows
    kinds = {kind for _, kind, _, _ in gold | system}
    for kind in kinds:
        mine, theirs = ({each for each in side if each[1] == kind} for side in (gold, system))
        counts = [sum(row.get(f"{kind}:{part}", 0) for _, row in rows) for part in ("matched", "system", "gold")]
        assert counts == [len(mine & theirs), len(theirs), len(mine)], kind
