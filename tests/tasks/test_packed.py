"""Counts that come in packed parts give the result of the same counts document by document."""

from array import array
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.model.document import Document
from adjudge.stats.inference import Inference
from adjudge.tasks import packed, slices
from adjudge.tasks.adding import Campaign, add_up, columns_of
from adjudge.tasks.documents import Side
from adjudge.tasks.observe import Counted, Seen
from adjudge.tasks.packed import Packed, add_up_packed
from adjudge.tasks.part_reader import Part, _kinds
from adjudge.tasks.scoring import as_metrics
from adjudge.tasks.slices import Slicing, partial_slicing, slicing

METRICS = as_metrics("record.set")
COLUMNS = columns_of(METRICS)
NOTHING_DRAWN = {"profile": "default", "inference": Inference(bootstrap=0)}

VALUES = st.sampled_from([1, 1.0, True, 0, 0.0, -0.0, False, None, "nw", "", "x" * 99, []])
FIELDS = st.dictionaries(
    st.sampled_from(["genre", "year", "meta", "note"]),
    st.one_of(VALUES, st.dictionaries(st.sampled_from("ab"), VALUES, max_size=2)),
    max_size=3,
)


def part_of(ids, fields, systems=()):
    """A part, of every system `{id: Counted or None}`, None if it does not have the document."""
    kinds, kind = _kinds(fields)
    counts, missing, unproven = [], [], []
    for found in systems:
        rows = [found[name] or empty() for name in ids]
        counts.append(array("d", [each.counts[column] for each in rows for column in COLUMNS]).tobytes())
        missing.append([name for name in ids if found[name] is None])
        unproven.append({name: each for name, each in zip(ids, rows, strict=True) if not each.optimal})
    return Part(list(ids), [], kinds, kind, missing, counts, unproven, [])


def empty():
    return Counted(dict.fromkeys(COLUMNS, 0.0))


def cut(items, places):
    ends = [0, *sorted(min(place, len(items)) for place in places), len(items)]
    return [items[start:end] for start, end in pairwise(ends)]


@settings(max_examples=150, deadline=None)
@given(st.lists(FIELDS, max_size=8), st.lists(st.integers(0, 8), max_size=3), st.integers(1, 6))
def test_one_document_of_each_kind_stands_for_the_others(documents, places, most):
    whole = Packed(0)
    for some in cut(documents, places):
        whole.add(part_of([""] * len(some), some))
    # The limit decides which fields are saved; a small one makes it matter how many documents have them.
    with patch.object(slices, "MOST", most), patch.object(packed, "MOST", most):
        assert repr(outcome(lambda: whole.slicing((), METRICS))) == repr(
            outcome(lambda: slicing((), documents, METRICS))
        )
        for by in (("genre",), ("year", "genre")):
            assert repr(outcome(lambda by=by: whole.slicing(by, METRICS))) == repr(
                outcome(lambda by=by: slicing(by, documents, METRICS))
            )
            found, there = outcome(lambda by=by: whole.partial_slicing(by, METRICS))
            expected, known = outcome(lambda by=by: partial_slicing(by, documents, METRICS))
            assert repr(found) == repr(expected)
            assert there == known


def outcome(function):
    """What a function gives, or what it complains about."""
    try:
        return function()
    except UsageError as error:
        return str(error), None


COUNTED = st.builds(
    lambda matched, more, optimal: Counted(
        dict(zip(COLUMNS, map(float, (matched, matched + more, matched + 1)), strict=True)),
        {} if optimal else {COLUMNS[0]: matched + 0.5},
        optimal,
    ),
    st.integers(0, 3),
    st.integers(0, 2),
    st.booleans(),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.none() | COUNTED, st.none() | COUNTED), min_size=1, max_size=8),
    st.lists(st.integers(0, 8), max_size=3),
)
def test_packed_counts_give_the_same_result(rows, places):
    ids = [f"d{number}" for number in range(len(rows))]
    fields = [{"genre": f"g{number % 2}"} for number in range(len(rows))]
    systems = [{name: row[at] for name, row in zip(ids, rows, strict=True)} for at in range(2)]
    sides = [
        Side(f"s{at}", None, {name: Document(id=name, data=None) for name in ids if found[name] is not None}, "7")
        for at, found in enumerate(systems)
    ]
    gold = Side("gold", None, {}, "9")
    seen = [[Seen(each or empty()) for each in row] for row in rows]
    slicing_ = slicing(("genre",), fields, METRICS)
    expected = add_up(Campaign(METRICS, tuple(ids), gold, sides, seen), slicing_, **NOTHING_DRAWN)

    whole = Packed(2)
    for some, own in zip(cut(ids, places), cut(fields, places), strict=True):
        whole.add(part_of(some, own, systems))
    bare = [Side(side.name, None, {}, side.digest) for side in sides]
    campaign = Campaign(METRICS, tuple(whole.ids), gold, bare, [])
    found = add_up_packed(campaign, whole, whole.slicing(("genre",), METRICS), **NOTHING_DRAWN)
    assert found.to_json(with_tables=True) == expected.to_json(with_tables=True)


def test_a_kind_is_sent_once():
    kinds, kind = _kinds([{"genre": "nw"}, {"genre": "df"}, {"genre": "nw"}, {"genre": 1}, {"genre": True}])
    assert list(kinds.values()) == [{"genre": "nw"}, {"genre": "df"}, {"genre": 1}, {"genre": True}]
    assert kind == [0, 1, 0, 2, 3]


def test_no_documents_have_no_slices():
    assert Packed(1).slicing((), METRICS) == Slicing((), {}, (), ())
    with pytest.raises(UsageError, match="no gold document has a field 'genre'"):
        Packed(1).slicing(("genre",), METRICS)
