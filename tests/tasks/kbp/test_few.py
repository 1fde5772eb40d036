"""Few triples are prepared, counted and hashed in plain Python, many as arrays: with the same numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.model.kbp import TripleTable
from adjudge.tasks.kbp import relations, walks
from adjudge.tasks.kbp.counting import count_paths
from adjudge.tasks.kbp.facts import Facts, Few, walk_totals
from adjudge.tasks.kbp.options import KbOptions

NAMES = ("ana", "ben", "corvex", "Łódź, a name of more than sixteen bytes", "", "x" * 2000)
ROWS = st.lists(
    st.tuples(
        st.sampled_from(NAMES[:4]),
        st.sampled_from(("owns", "owned_by", "spouse", "gone")),
        st.sampled_from(NAMES[:4]),
        st.sampled_from(("d1", "d2", "d3")),
    ),
    max_size=12,
)
OPTIONS = st.builds(
    KbOptions,
    inverse=st.sampled_from(("none", "close", "canonical")),
    inverse_table=st.just({"owns": "owned_by"}),
    symmetric=st.sampled_from(("annotated", "close")),
    symmetric_types=st.just(("spouse",)),
    self_loops=st.sampled_from(("keep", "drop")),
    exclude=st.just(("gone",)),
)


def table(rows):
    made = TripleTable()
    for name in ("d1", "d2", "d3"):
        assert made.names.documents[name] >= 0
    for row in rows:
        made.add(*row)
    return made


@given(ROWS, OPTIONS, st.booleans())
def test_facts_are_the_same(rows, options, labelled):
    def prepared(few):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(relations, "FEW", few)
            labels = {0: 1, 2: -1} if labelled else None
            found = relations.prepare(table(rows), options, "system", documents={0: 1, 1: 0}, labels=labels)
            columns = [
                None if column is None else column.tolist() for column in (*found.facts.columns[:5], found.facts.labels)
            ]
            return columns, found.facts.nodes, found[1:], relations.used_documents(table(rows))

    assert prepared(100) == prepared(-1)


@given(ROWS)
def test_digests_are_the_same(rows):
    def digest(few):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(relations, "FEW", few)
            return relations.table_digest(table([*rows, ("ana", "owns", NAMES[-1], NAMES[-2] or "d1")]))

    assert digest(100) == digest(-1)


TRIPLES = st.frozensets(st.tuples(*(st.integers(0, last) for last in (4, 1, 4, 2))), max_size=12)
LABELS = st.none() | st.lists(st.integers(0, 3), min_size=5, max_size=5).map(tuple)


@given(TRIPLES, TRIPLES, LABELS, st.sampled_from(("endpoints", "full")), st.sampled_from(("all", "simple")))
def test_paths_are_the_same(gold, system, labels, identity, ways):
    def counted(few):
        sides = Facts(few=Few(gold)), Facts(few=Few(system, labels))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(walks, "FEW", few)
            return count_paths(*sides, hops=3, identity=identity, walks=ways)

    assert counted(1e9) == counted(-1)


@given(TRIPLES)
def test_walks_are_the_same(rows):
    few = Facts(few=Few(rows))
    assert walk_totals(few, 3) == walk_totals(Facts(few.columns), 3)
