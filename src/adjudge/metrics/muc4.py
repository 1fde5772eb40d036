"""Templates with slots as MUC-4 fills them, aligned optimally; what the scorer of 1992 does is `--compat muc4-3.3`."""

from __future__ import annotations

from adjudge.algebra import best_of, best_pair, exact, f, hierarchy, ir, record, set_of, text, threshold
from adjudge.metrics.registry import metric

LAWS = ("self", "order", "rename", "bounded", "pooled")  # not swap: an answer that is too general is worth half
EXAMPLE = {
    "id": "m1",
    "incidents": [
        {
            "types": ["ATTACK > BOMBING"],
            "fillers": [
                {"slot": "inc-type", "values": ["ATTACK > BOMBING"], "refers": []},
                {"slot": "perp-org-id", "values": ["SHINING PATH", "SENDERO LUMINOSO"], "refers": []},
                {"slot": "inc-instr-type", "values": ["EXPLOSIVE > BOMB"], "refers": ["CAR BOMB"]},
            ],
        }
    ],
}


@metric("template.muc4", within="incidents", laws=LAWS, example=EXAMPLE)
def muc4(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of fillers in the best 1:1 alignment of templates of one type; alternatives, and half credit in sets.

    A filler is right if slot, value and reference are: any of the alternatives, without articles. A value of a set is
    written with those above it, and one of these is worth half (MUC-4: 1/2 of partial in P = (COR + PAR/2) / ACT and R
    = (COR + PAR/2) / POS). Templates may be aligned if their types are the same or the answer is more general.

    >>> def incident(type):
    ...     return [{"types": [type], "fillers": [{"slot": "inc-type", "values": [type], "refers": []}]}]
    >>> gold, system = incident("ATTACK > BOMBING"), incident("ATTACK")
    >>> muc4.score(gold, system).f1, muc4.score(system, gold).f1
    (0.5, 0.0)
    """
    kind = hierarchy(separator=" > ", credit="general")
    alike = best_of(exact, best_pair(text(normalise=["casefold", "articles", "spaces"])))
    filler = record(slot=exact, values=best_of(alike, best_pair(kind)), refers=alike)
    kinds = threshold(best_of(exact, best_pair(kind)), above=0.0)
    return f(set_of(record(types=kinds, fillers=set_of(filler))), beta=beta)
