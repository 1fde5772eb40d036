"""CorefUD: a key and a response in CoNLL-U, with heads, and an empty node in two of three sentences.

Sentences of 20 words; mentions and what a response makes of them as in `conll`, cut at the ends of sentences. Heads are
random, so that mentions compete for each other more often than in a treebank. A response moves some empty nodes.
"""

from __future__ import annotations

import random
from pathlib import Path

from benchmarks.corpora.conll import Chains, Shape, _chains, _disturbed, _spans

_SEED, _SENTENCE = 13, 20


def write(folder: Path, *, documents: int, words: int, mentions: int) -> None:
    """`key.conllu` and `response1.conllu`."""
    rng = random.Random(_SEED)
    shape = Shape(documents, mentions)
    with (folder / "key.conllu").open("w") as key, (folder / "response1.conllu").open("w") as response:
        for number in range(documents):
            spans = _spans(mentions + mentions // 5, words, rng)
            cut = list(dict.fromkeys((first, min(last, first // _SENTENCE * _SENTENCE + 19)) for first, last in spans))
            chains = _chains(cut[:mentions], shape, rng)
            theirs = _disturbed(chains, cut[mentions:], shape, rng)
            zeros = {place: rng.randrange(1, 20) for place in range(0, words, _SENTENCE) if rng.random() < 0.66}
            homes = {place: rng.randrange(len(chains)) for place in zeros}
            key.write(_document(f"bench-{number:03d}", words, chains, zeros, homes))
            moved = {place: max(1, node - (rng.random() < 0.2)) for place, node in zeros.items()}
            others = {place: home % len(theirs) for place, home in homes.items() if rng.random() < 0.8}
            response.write(_document(f"bench-{number:03d}", words, theirs, moved, others))


def _document(name: str, words: int, chains: Chains, zeros: dict[int, int], homes: dict[int, int]) -> str:
    opens: dict[int, list[str]] = {}
    closes: dict[int, list[str]] = {}
    for number, chain in enumerate(chains):
        entity = f"{name}x{number}".replace("-", "")
        taken: set[int] = set()
        for first, last in sorted(chain):
            head = 1 + (7 * first + 3 * last) % (last - first + 1)
            if first == last:
                opens.setdefault(first, []).append(f"({entity}--1-)")
            elif taken.isdisjoint(range(first, last + 1)):
                taken.update(range(first, last + 1))
                opens.setdefault(first, []).append(f"({entity}--{head}-")
                closes.setdefault(last, []).append(f"{entity})")
    lines = [f"# newdoc id = {name}", "# global.Entity = eid-etype-head-other"]
    for start in range(0, words, _SENTENCE):
        lines.append(f"# sent_id = {name}-{start}")
        for token in range(start, min(start + _SENTENCE, words)):
            place = token - start + 1
            entity = "".join((*closes.get(token, ()), *opens.get(token, ())))
            parent, relation = (0, "root") if place == 1 else (place - 1, "dep")
            misc = f"Entity={entity}" if entity else "_"
            lines.append(f"{place}\tword{token % 97}\tword\tNOUN\t_\t_\t{parent}\t{relation}\t_\t{misc}")
            if zeros.get(start) == place:
                entity = f"Entity=({name}x{homes[start]}--1-)".replace("-", "", 1) if start in homes else "_"
                lines.append(f"{place}.1\t_\t_\tPRON\t_\t_\t_\t_\t{1 + place // 5}:nsubj\t{entity}")
        lines.append("")
    return "\n".join(lines) + "\n"
