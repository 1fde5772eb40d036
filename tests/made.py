"""Results made of tables, as tests need them."""

from adjudge.stats.build import Counts, Scoring, build_result


def made_result(tables, *, notes=None, best=None, elements=None, **how):
    """The result of tables by name; notes, best counts and counts of elements are by name, too."""
    notes, best, elements = notes or {}, best or {}, elements or {}
    systems = {
        name: Counts(table, notes.get(name, ()), best.get(name), elements.get(name, ()))
        for name, table in tables.items()
    }
    usual = {"task": "t", "profile": "p"}
    return build_result(Scoring(**usual | how), systems)
