"""The rows of every task, in the order in which they are measured: what may be cut short comes last."""

from benchmarks.house.rows import Bench
from benchmarks.parts import algebra, amr, coref, eal, engine, kbp, nugget, published, records

PARTS = {
    "algebra": algebra,
    "coref": coref,
    "nugget": nugget,
    "eal": eal,
    "kbp": kbp,
    "engine": engine,
    "published": published,
    "records": records,
    "amr": amr,
}


def all_benches(*, quick: bool) -> list[Bench]:
    """Every bench of every part."""
    return [bench for part in PARTS.values() for bench in part.benches(quick=quick)]
