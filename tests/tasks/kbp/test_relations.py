"""Which relations count and in which directions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.model.kbp import TripleTable
from adjudge.tasks.kbp.facts import assertions
from adjudge.tasks.kbp.options import KbOptions
from adjudge.tasks.kbp.relations import prepare


def table(*rows):
    found = TripleTable()
    for row in rows:
        found.add(*row)
    return found


def triples(prepared, own):
    nodes, relations = own.names.nodes.listed, own.names.relations.listed
    return {(nodes[s], relations[r], nodes[o], int(d)) for s, r, o, d in zip(*assertions(prepared.facts), strict=True)}


def run(own, side="gold", **options):
    places = {number: number for number in range(len(own.names.documents.listed))}
    return prepare(own, KbOptions(**{"exclude": (), **options}), side, documents=places)


def test_symmetric_relations_may_leave_out_their_category():
    own = table(("a", "PHYS.Near", "b", "d"), ("a", "Employment", "b", "d"))
    found = run(own, symmetric="close")
    assert triples(found, own) == {("a", "PHYS.Near", "b", 0), ("b", "PHYS.Near", "a", 0), ("a", "Employment", "b", 0)}


def test_inverses_are_closed_on_either_name():
    own = table(("a", "owns", "b", "d"), ("c", "owned_by", "a", "d"), ("x", "other", "y", "d"))
    found = run(own, inverse="close", inverse_table={"owns": "owned_by"})
    assert triples(found, own) == {
        ("a", "owns", "b", 0),
        ("b", "owned_by", "a", 0),
        ("c", "owned_by", "a", 0),
        ("a", "owns", "c", 0),
        ("x", "other", "y", 0),
    }


@pytest.mark.parametrize("both", [False, True])
def test_inverses_are_written_forward(both):
    names = {"owns": "owned_by", "spouse": "spouse"} | ({"owned_by": "owns"} if both else {})
    own = table(("a", "owns", "b", "d"), ("b", "owned_by", "a", "d"), ("c", "spouse", "d", "d"))
    found = run(own, inverse="canonical", inverse_table=names)
    assert triples(found, own) == {("a", "owns", "b", 0), ("c", "spouse", "d", 0)}


def test_loops_are_dropped_by_what_nodes_count_as():
    own = table(("s1", "Family", "s2", "d"), ("s1", "Family", "s1", "d"), ("s1", "Family", "s3", "d"))
    kept = prepare(own, KbOptions(self_loops="drop"), "system", documents={0: 0}, labels={0: 0, 1: 0, 2: -1})
    assert kept.loops == 2
    assert triples(kept, own) == {("s1", "Family", "s3", 0)}
    labels = kept.facts.labels
    assert labels[0] == labels[1] == 0
    assert labels[2] >= len(own.names.nodes.listed)


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(*[st.sampled_from("abc"), st.sampled_from(("Family", "r")), st.sampled_from("abc")]), max_size=8
    ),
    st.sampled_from(["keep", "drop"]),
    st.sampled_from(["annotated", "close"]),
)
def test_as_the_definition_reads(rows, loops, symmetric):
    own = table(*((*row, "d") for row in rows))
    wanted = {(s, r, o, 0) for s, r, o in rows if loops == "keep" or s != o}
    if symmetric == "close":
        wanted |= {(o, r, s, 0) for s, r, o, _ in wanted if r == "Family"}
    assert triples(run(own, self_loops=loops, symmetric=symmetric), own) == wanted
