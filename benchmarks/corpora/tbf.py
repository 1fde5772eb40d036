"""TBF files of event nuggets with coreference: gold and systems.

Character spans, 8 % of the nuggets annotated twice, 45 % of the clusters with more than one nugget; a system finds
about 70 % of the spans, some only in part, and gets some types, realis values and clusters wrong.
"""

from __future__ import annotations

import random
from contextlib import ExitStack
from pathlib import Path

TYPES = [f"{kind}_{name}" for kind in ("Life", "Conflict", "Movement", "Justice", "Contact") for name in "ABCDEFG"]
REALIS = ("Actual", "Actual", "Actual", "Generic", "Other")
_SEED = 13

Line = tuple[int, int, str, str]


def write(folder: Path, *, documents: int, nuggets: int, systems: int = 1) -> None:
    """`gold.tbf` and `system1.tbf`, ..."""
    rng = random.Random(_SEED)
    own = [rng, *(random.Random(f"{_SEED} {number}") for number in range(2, systems + 1))]
    with ExitStack() as stack:
        names = ["gold", *(f"system{number}" for number in range(1, systems + 1))]
        files = [stack.enter_context((folder / f"{name}.tbf").open("w")) for name in names]
        for number in range(documents):
            name = f"bench_{number:05d}"
            lines = _nuggets(nuggets, rng)
            clusters = _apart(_clusters(len(lines), rng), lines)
            files[0].write(_document(name, lines, clusters, "gold"))
            for file, each in zip(files[1:], own, strict=True):
                found, kept = _found(lines, each)
                theirs = _apart(_disturbed(clusters, kept, len(found), each), found)
                file.write(_document(name, found, theirs, "system"))


def _nuggets(number: int, rng: random.Random) -> list[Line]:
    lines: list[Line] = []
    at = 0
    while len(lines) < number:
        at += rng.randrange(15, 90)
        end = at + rng.randrange(3, 12)
        lines.append((at, end, rng.choice(TYPES), rng.choice(REALIS)))
        if rng.random() < 0.08 and len(lines) < number:
            lines.append((at, end, rng.choice(TYPES), rng.choice(REALIS)))
        at = end
    return lines


def _clusters(number: int, rng: random.Random) -> list[list[int]]:
    order = list(range(number))
    rng.shuffle(order)
    clusters = []
    while order:
        size = rng.choice((2, 2, 3, 5)) if rng.random() < 0.45 else 1
        clusters.append([order.pop() for _ in range(min(size, len(order)))])
    return clusters


def _apart(clusters: list[list[int]], lines: list[Line]) -> list[list[int]]:
    """The clusters without a second nugget of the same span in one of them, which is not allowed."""
    done = []
    for cluster in clusters:
        spans = {lines[place][:2]: place for place in cluster}
        done.append(list(spans.values()))
    return done


def _found(lines: list[Line], rng: random.Random) -> tuple[list[Line], dict[int, int]]:
    """What the system has, and which gold line a system line comes from."""
    found: list[Line] = []
    kept: dict[int, int] = {}
    for place, (begin, end, type_, realis) in enumerate(lines):
        if rng.random() < 0.25:
            continue
        if rng.random() < 0.1:
            begin += rng.randrange(-3, 3)
        kept[place] = len(found)
        found.append(
            (
                max(0, begin),
                max(begin + 1, end),
                rng.choice(TYPES) if rng.random() < 0.15 else type_,
                rng.choice(REALIS) if rng.random() < 0.2 else realis,
            )
        )
    for _ in range(len(lines) // 4):
        begin = rng.randrange(lines[-1][1] + 100)
        found.append((begin, begin + rng.randrange(3, 12), rng.choice(TYPES), rng.choice(REALIS)))
    return found, kept


def _disturbed(clusters: list[list[int]], kept: dict[int, int], size: int, rng: random.Random) -> list[list[int]]:
    mapped = [[kept[place] for place in cluster if place in kept] for cluster in clusters]
    moving = [place for cluster in mapped for place in cluster if rng.random() < 0.2]
    moving += range(len(kept), size)
    left = [[place for place in cluster if place not in moving] for cluster in mapped]
    for place in moving:
        if rng.random() < 0.5:
            left.append([place])
        else:
            rng.choice(left).append(place)
    return left


def _document(name: str, lines: list[Line], clusters: list[list[int]], side: str) -> str:
    text = [f"#BeginOfDocument {name}"]
    for place, (begin, end, type_, realis) in enumerate(lines):
        text.append(f"{side}\t{name}\tE{place}\t{begin},{end}\tword{place}\t{type_}\t{realis}")
    for number, cluster in enumerate(clusters):
        if len(cluster) > 1:
            text.append(f"@Coreference\tR{number}\t{','.join(f'E{place}' for place in cluster)}")
    return "\n".join([*text, "#EndOfDocument", ""])
