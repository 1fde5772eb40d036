"""Numbers with intervals, and what estimators say of themselves."""

from adjudge.stats.inference import OFF
from adjudge.stats.influence import ItemInfluence
from adjudge.stats.measure import Ratio
from adjudge.stats.table import StatsTable
from made import made_result

RECALL = Ratio("x", "recall", (("s", 1.0),), (("g", 1.0),))


def table(*rows, ids="abcdefg"):
    return StatsTable(
        tuple(ids[: len(rows)]), ("s", "g"), list(rows), {"genre": tuple(["nw", "df", "nw"][: len(rows)])}
    )


def scores(found, **options):
    (score,) = made_result({"A": found}, measures=[RECALL], inference=OFF, **options).systems[0].scores
    return score


def test_bounds_are_of_parts_that_can_still_rise():
    found, better = table([1, 2], [1, 2]), table([1, 2], [2, 2])
    assert scores(found).optimal
    assert scores(found, best={"A": found}).optimal
    for pool in ("micro", "macro"):
        score = scores(found, best={"A": better}, pool=pool)
        assert (score.value, score.bound, score.optimal) == (0.5, 0.75, False)
    sliced = made_result({"A": found}, measures=[RECALL], inference=OFF, best={"A": better}, by=("genre",))
    assert [score.bound for score in sliced.systems[0].scores] == [0.75, None, 1.0]


def test_fractions_are_of_sums_only():
    found = table([1, 2], [1, 4])
    assert (scores(found).numerator, scores(found).denominator) == (2.0, 6.0)
    assert scores(found, pool="macro").denominator is None


def test_the_strongest_effect_of_an_item_first_flips_then_is_large():
    from adjudge.stats.influence import Effect

    def item(*effects):
        return ItemInfluence(
            document="d", item="i", value=None, gold=True, credits={}, influence=0.0, disagreement=0.0, effects=effects
        )

    names = list(Effect.__struct_fields__ if hasattr(Effect, "__struct_fields__") else Effect._fields)

    def effect(size, flips):
        values = {"effect": size, "flips": flips}
        return Effect(
            **{name: values.get(name, "x" if name in ("a", "b", "better", "worse") else 0.0) for name in names}
        )

    assert item().strongest is None
    small, large, turned = effect(0.1, False), effect(-0.9, False), effect(0.2, True)
    assert item(small, large).strongest == large
    assert item(small, large, turned).strongest == turned
