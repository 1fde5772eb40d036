"""Coreference over the mapping: chains, refusals, and the choice among nuggets that are annotated twice."""

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from adjudge.errors import FormatError, ValidationError
from adjudge.model.nugget import COREFERENCE, Nugget, NuggetDocument, Relation, Token, TokenTable
from adjudge.tasks.coref.counts import COLUMNS, count
from adjudge.tasks.nugget.coreference import are_sound, chained, cluster_problems, count_coreference
from adjudge.tasks.nugget.settings import Settings
from adjudge.tasks.nugget.task import score
from nuggets import observed

AVERAGE = "coref.kbp"


def nugget(id, token, type="Conflict_Attack"):
    return Nugget(id, type, "Actual", token, (token,))


def document(nuggets, *clusters, id="d"):
    relations = [
        Relation(COREFERENCE, f"R{number}", tuple(cluster.split(",")), 10 + number)
        for number, cluster in enumerate(clusters)
    ]
    return NuggetDocument(id, nuggets, relations)


# The example of section 4.3 of the specification: a murder is annotated as a death and as an attack.
GOLD = document([nugget("E1", "t1", "Life_Die"), nugget("E2", "t1"), nugget("E3", "t2")], "E2,E3")
SYSTEM = document([nugget("E1", "t1"), nugget("E2", "t2")], "E1,E2")


def coref(gold, system, **options):
    return score([gold], [system], coref=True, bootstrap=0, **options)


def test_the_example_of_the_specification():
    found = coref(GOLD, SYSTEM)
    expected = {"muc": 1.0, "b3": 0.8, "ceafe": 2 / 3, "blanc": 0.5, "kbp": 0.741666}
    assert {name: found[f"coref.{name}"].f1 for name in expected} == pytest.approx(expected, abs=1e-6)


def test_the_same_in_2015():
    """Departure 7: gold nuggets that were not found are not in the key, and five metrics are averaged."""
    table = TokenTable("d", [Token("t1", "murder", 0, 6), Token("t2", "kill", 7, 11)])
    found = coref(GOLD, SYSTEM, profile="evmeval-2015", tokens={"d": table})
    assert [found[name].f1 for name in (AVERAGE, "coref.kbp2015")] == [1.0, 1.0]


def test_a_document_without_a_score_does_not_count_in_2015():
    table = {id: TokenTable(id, [Token("t1", "murder", 0, 6), Token("t2", "kill", 7, 11)]) for id in ("a", "b")}
    gold = [document([nugget("E1", "t1")], id=id) for id in ("a", "b")]
    system = [document([nugget("E1", "t1")], id="a"), document([nugget("E1", "t2")], id="b")]
    how = {"coref": True, "bootstrap": 0, "tokens": table}
    found = score(gold, system, profile="evmeval-2015", **how)
    assert found["coref.b3"].precision == 1.0
    assert [note.examples for note in found.systems[0].notes if note.code == "coref-left-out"] == [("b",)]
    assert score(gold, system, **how)["coref.b3"].precision == 0.5
    with pytest.raises(ValidationError, match="no document has a coreference score above 0"):
        score(gold[1:], system[1:], profile="evmeval-2015", **how)


def test_a_greedy_choice_among_double_annotations_and_the_best_one():
    """The first of two equal nuggets is taken, even if the second would keep the cluster together."""
    gold = document([nugget("E1", "t1"), nugget("E2", "t1"), nugget("E3", "t2")], "E2,E3")
    system = document([nugget("E1", "t1"), nugget("E2", "t2")], "E1,E2")
    found = coref(gold, system)
    assert found[AVERAGE].f1 == pytest.approx(0.236111, abs=1e-6)
    assert found["coref.kbp.best"].f1 == pytest.approx(0.741666, abs=1e-6)
    assert found["coref.muc.best"].f1 == 1.0
    (note,) = (note for note in found.systems[0].notes if note.code == "double-annotation")
    assert "coref.kbp is 23.61 by the mapping and 74.17 at best" in note.message
    assert "coref.kbp.best" not in coref(GOLD, SYSTEM)


def test_a_threshold_and_another_mapping():
    gold = document(
        [Nugget("E1", "A", "Actual", "x", ("t1", "t2")), Nugget("E2", "A", "Actual", "x", ("t3",))], "E1,E2"
    )
    system = document([Nugget("m1", "A", "Actual", "x", ("t2",)), Nugget("m2", "B", "Actual", "x", ("t3",))], "m1,m2")
    found = {
        (threshold, mapping): coref(gold, system, coref_threshold=threshold, coref_mapping=mapping)["coref.muc"].f1
        for threshold in (1.0, 0.6)
        for mapping in ("span", "type")
    }
    assert found == {(1.0, "span"): 0.0, (1.0, "type"): 0.0, (0.6, "span"): 1.0, (0.6, "type"): 0.0}


def test_singletons_count_and_may_have_a_line():
    gold, system = document([nugget("E1", "t1"), nugget("E2", "t2")], "E1"), document([nugget("m1", "t1")])
    assert coref(gold, system)["coref.b3"].recall == 0.5


@pytest.mark.parametrize("profile", ["spec", "evmeval-1.8"])
def test_clusters_that_should_be_one(profile):
    """Check 4.4.2; the message has the line that mends it."""
    broken = document([nugget("E1", "t1"), nugget("E2", "t2"), nugget("E3", "t3")], "E1,E2", "E2,E3")
    with pytest.raises(FormatError) as refused:
        coref(GOLD, broken, profile=profile)
    assert "cluster R1 and cluster R0 (line 10) have E2 in common" in str(refused.value)
    assert "@Coreference R0 E1,E2,E3" in str(refused.value)
    score([GOLD], [broken], coref=False, bootstrap=0, profile=profile)


def test_cyclic_clusters_are_one_problem_with_one_line():
    nuggets = [nugget(f"E{number}", f"t{number}") for number in range(6)]
    broken = document(nuggets, "E0,E1", "E3,E4", "E1,E2", "E5,E3", "E2,E0")
    with pytest.raises(FormatError) as refused:
        coref(GOLD, broken)
    first, second = map(str, refused.value.problems)
    assert first.endswith("and lines 10, 12, 14 are one cluster, merge them: @Coreference R0 E0,E1,E2")
    assert second.endswith("have E3 in common, merge them: @Coreference R1 E3,E4,E5")


def test_a_cluster_of_millions_makes_a_short_message():
    hostile = document([nugget("E1", "t1")], ",".join(f"X{number}" for number in range(5000)), "E1,X1")
    with pytest.raises(FormatError) as refused:
        coref(GOLD, hostile)
    assert len(str(refused.value)) < 1000
    assert "X0, X1, X2, X3, X4 and 4995 more, which are not mentions of document d" in str(refused.value)
    nuggets = [nugget(f"E{number}", f"t{number}") for number in range(5000)]
    many = document(nuggets, ",".join(each.id for each in nuggets), "E1,E2")
    with pytest.raises(FormatError, match="have E1 in common, merge them into one line"):
        coref(GOLD, many)


def test_two_nuggets_of_one_place_in_a_cluster():
    """Check 4.4.1: responses are refused by the specification, not by v1.8; gold may have them."""
    twice = document([nugget("E1", "t1"), nugget("E2", "t1", "Life_Die")], "E1,E2")
    with pytest.raises(FormatError, match="cluster R0 has E1 and E2, which have the same span"):
        coref(GOLD, twice)
    coref(GOLD, twice, profile="evmeval-1.8")
    coref(twice, SYSTEM)


def test_unknown_mentions():
    """Departure 8: v1.8 takes no notice of them; we do."""
    invented = document([nugget("E1", "t1")], "E1,E9")
    with pytest.raises(FormatError, match="cluster R0 has E9, which is not a mention"):
        coref(GOLD, invented)
    notes = coref(GOLD, invented, profile="evmeval-1.8").systems[0].notes
    assert [note.examples for note in notes if note.code == "unknown-mention"] == [("d: E9 in R0",)]


def test_a_token_that_is_not_in_the_table_in_2015():
    table = {"d": TokenTable("d", [Token("t1", "murder", 0, 6)])}
    with pytest.raises(FormatError, match="E2 has token t2, which is not in the token table"):
        coref(GOLD, SYSTEM, profile="evmeval-2015", tokens=table)
    notes = coref(GOLD, SYSTEM, profile="spec", tokens=table).systems[0].notes
    assert any(note.code == "foreign-token" and note.examples == ("d: t2",) for note in notes)


@st.composite
def clustered(draw):
    ids = [f"E{k}" for k in range(draw(st.integers(0, 6)))]
    nuggets = [nugget(id, draw(st.sampled_from(["t1", "t2", "t3"])), draw(st.sampled_from("AB"))) for id in ids]
    home = [draw(st.integers(0, 3)) for _ in ids]
    clusters = [",".join(id for id, own in zip(ids, home, strict=True) if own == k) for k in range(3)]
    return document(nuggets, *filter(None, clusters))


@given(clustered(), clustered())
@examples(max_examples=75)
def test_counts_are_those_of_the_rows(gold, system):
    """Every nugget is a row, a mapped pair shares one: what the official conversion to CoNLL writes."""
    seen = observed(gold, system, Settings())
    pairs = seen.mappings["type"]
    both = tuple(
        chained(own.clusters(), side.ids, side.named) for own, side in zip((gold, system), seen.sides, strict=True)
    )
    found = count_coreference(both, pairs, Settings())

    def partition(document, names):
        alone = [{id} for id in names if not any(id in cluster for cluster in document.clusters())]
        return [*map(set, document.clusters()), *alone]

    mates = {other: f"gold {gold.nuggets[one].id}" for one, other, _ in pairs}
    named = {each.id: mates.get(place, f"system {each.id}") for place, each in enumerate(system.nuggets)}
    key = [[f"gold {id}" for id in cluster] for cluster in partition(gold, [each.id for each in gold.nuggets])]
    response = [[named[id] for id in cluster] for cluster in partition(system, named)]
    expected = count([chain for chain in key if chain], [chain for chain in response if chain])
    assert dict(zip(COLUMNS, found, strict=True)) == pytest.approx(dict(zip(COLUMNS, expected, strict=True)))
    for side, own in enumerate((gold, system)):
        problems = cluster_problems(own, seen.sides[side].keys, Settings())
        assert are_sound(both[side], seen.several[side], Settings()) == (not list(problems))
