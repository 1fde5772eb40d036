"""Knowledge bases of T gold and 1.2 T system triples, and corpora of documents that state triples.

0.45 T entities (60 % persons, 30 % organisations, 10 % places), 15 relations with the argument types of ACE, subjects
and objects drawn from Zipf laws with exponents 0.55 and 0.85; the system has 70 % of gold and noise of the same kind. A
corpus for resampling has ten triples in each document, of which a system keeps 42 %. They are made in the process that
needs them, or written as files.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from adjudge.tasks.kbp.facts import Facts, make_facts

# Argument types of the relations: 0 person, 1 organisation, 2 place; subject, object, share of the triples.
KINDS = (
    (0, 1, 0.22), (0, 1, 0.02), (0, 1, 0.02), (0, 1, 0.03), (0, 1, 0.02), (0, 1, 0.02), (0, 1, 0.08),
    (1, 2, 0.08), (1, 1, 0.03), (2, 2, 0.12), (1, 1, 0.06), (0, 0, 0.04), (0, 0, 0.06), (0, 2, 0.18), (2, 2, 0.02),
)  # fmt: skip
_SEED = 13


def draw_triples(
    number: int, entities: int, rng: np.random.Generator, *, zipf: tuple[float, float] = (0.55, 0.85)
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Triples whose arguments have the types of their relation."""
    sizes = [int(entities * share) for share in (0.6, 0.3, 0.1)]
    offsets = np.concatenate(([0], np.cumsum(sizes)))[:3]
    shares = np.array([share for *_, share in KINDS])
    relations = rng.choice(len(KINDS), size=number, p=shares / shares.sum())
    ends = []
    for side in (0, 1):
        kinds = np.array([kind[side] for kind in KINDS])[relations]
        column = np.empty(number, dtype=np.int64)
        for kind in range(3):
            at = np.flatnonzero(kinds == kind)
            weights = np.arange(1, sizes[kind] + 1) ** -zipf[side]
            ends_of = np.cumsum(weights)
            drawn = np.searchsorted(ends_of, rng.random(len(at)) * ends_of[-1])
            # An entity that is often an object is often a subject too: that is what makes paths explode.
            column[at] = offsets[kind] + drawn
        ends.append(column)
    return ends[0], relations, ends[1]


def make_pair(triples: int) -> tuple[Facts, Facts]:
    """Gold and system of the given size."""
    gold, system = _draw_pair(triples, np.random.default_rng(_SEED))
    return make_facts(*gold), make_facts(*system)


def _draw_pair(triples: int, rng: np.random.Generator) -> tuple[list[np.ndarray], list[np.ndarray]]:
    entities = max(30, int(0.45 * triples))
    gold = draw_triples(triples, entities, rng)
    kept = rng.random(triples) < 0.7
    noise = draw_triples(int(1.2 * triples) - int(kept.sum()), entities, rng)
    return list(gold), [np.concatenate((own[kept], other)) for own, other in zip(gold, noise, strict=True)]


def write(folder: Path, *, triples: int) -> None:
    """`gold.tsv` and `system.tsv` of the given size, ten triples to a document."""
    rng = np.random.default_rng(_SEED)
    for name, (s, r, o) in zip(("gold", "system"), _draw_pair(triples, rng), strict=True):
        where = rng.integers(0, max(1, triples // 10), len(s))
        rows = zip(s.tolist(), r.tolist(), o.tolist(), where.tolist(), strict=True)
        with (folder / f"{name}.tsv").open("w", encoding="utf-8") as file:
            file.writelines(f"entity_{a:07}\trel:type_{b}\tentity_{c:07}\tdoc-{d:06}\n" for a, b, c, d in rows)


def make_corpus(documents: int, per_document: int = 10) -> tuple[Facts, Facts]:
    """Gold and system with documents: the system keeps 42 % of what a document says and adds as much as it drops."""
    rng = np.random.default_rng(_SEED)
    rows = documents * per_document
    entities = max(30, int(0.33 * rows))
    s, r, o = draw_triples(rows, entities, rng)
    where = np.repeat(np.arange(documents), per_document)
    kept = rng.random(rows) < 0.42
    a, b, c = draw_triples(rows, entities, rng)
    system = [np.where(kept, one, other) for one, other in ((s, a), (r, b), (o, c))]
    return make_facts(s, r, o, where), make_facts(*system, where)
