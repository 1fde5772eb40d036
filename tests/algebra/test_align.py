"""The explanation of a score, on cases small enough to check by eye."""

from adjudge.algebra import (
    case,
    exact,
    f1,
    iou,
    latent,
    mapped,
    one_sided,
    overlap,
    record,
    set_of,
    threshold,
    union,
    variable,
)
from adjudge.algebra.plan import plan

ARGUMENT = record(role=exact, span=exact)
EVENTS = record(events=set_of(record(type=exact, trigger=exact, arguments=set_of(ARGUMENT))))


def event(kind, trigger, *arguments):
    return {"type": kind, "trigger": trigger, "arguments": [{"role": r, "span": s} for r, s in arguments]}


GOLD = {"events": [event("die", 1, ("victim", 5), ("place", 6)), event("attack", 2, ("target", 7))]}
SYSTEM = {"events": [event("meet", 9, ("person", 5)), event("die", 1, ("place", 6), ("agent", 5))]}


def test_levels_and_paths():
    found = plan(EVENTS).align(GOLD, SYSTEM)
    assert found.levels == ["events[*]", "events[*].arguments[*]"]
    events = found.at("events[*]")
    assert [(m.gold_path, m.system_path, m.score) for m in events.matched] == [("events[0]", "events[1]", 1.0)]
    assert [u.path for u in events.missed] == ["events[1]"]
    assert [u.path for u in events.spurious] == ["events[0]"]
    inner = found.at("events[*].arguments[*]")
    assert [(m.gold_path, m.system_path) for m in inner.matched] == [
        ("events[0].arguments[1]", "events[1].arguments[0]")
    ]
    # What stands below an unmatched event is unmatched too: the counts of the level add up to all arguments.
    assert [u.path for u in inner.missed] == ["events[0].arguments[0]", "events[1].arguments[0]"]
    assert [u.path for u in inner.spurious] == ["events[1].arguments[1]", "events[0].arguments[0]"]


def test_why_of_something_unlike_everything():
    found = plan(set_of(record(a=exact))).align([{"a": 1}], [{"a": 2}])
    assert found.why(found.missed[0]).nearest_path is None
    assert "nothing" in str(found.why(found.missed[0]))


def test_multisets_list_every_copy():
    found = plan(set_of(exact, duplicates="multiset")).align(["a", "a", "b"], ["a", "a", "a"])
    assert [(m.gold_path, m.system_path) for m in found.matched] == [("[0]", "[0]"), ("[1]", "[1]")]
    assert [u.path for u in found.missed] == ["[2]"]
    assert [u.path for u in found.spurious] == ["[2]"]


def test_many_to_one_matches_a_gold_item_more_than_once():
    found = plan(set_of(overlap(exact, by="subset"), match="N:1")).align([["a", "b"]], [["a"], ["b"]])
    entities = found.at("[*]")
    assert [(m.system_path, m.gold_path) for m in entities.matched] == [("[0]", "[0]"), ("[1]", "[0]")]
    assert not entities.missed


def test_entities_down_to_mentions():
    found = plan(set_of(f1(set_of(exact)))).align([["a", "b"], ["c"]], [["a"], ["d"]])
    assert found.levels == ["[*]", "[*][*]"]
    assert [(m.gold_path, m.system_path) for m in found.at("[*][*]").matched] == [("[0][0]", "[0][0]")]
    assert [u.path for u in found.at("[*][*]").missed] == ["[0][1]", "[1][0]"]


def test_mapped_collections_say_so():
    found = plan(mapped(set_of(exact), by="words")).align("a b", "b c")
    assert [m.gold_path for m in found.matched] == ["|words[1]"]


def test_variables_are_reported():
    triples = set_of(record({"0": union(case(variable, prefix="?"), exact), "1": exact}))
    found = plan(record(props=latent(triples))).align({"props": [["?a", "p"], ["?b", "q"]]}, {"props": [["?x", "q"]]})
    assert found.variables == {"props": {"?x": "?b"}}
    assert [(m.gold_path, m.system_path) for m in found.matched] == [("props[1]", "props[0]")]
    assert [u.path for u in found.missed] == ["props[0]"]


def test_a_union_of_different_cases_matches_nothing_inside():
    sim = union(case(record(items=set_of(exact)), type="object"), exact)
    found = plan(record(x=sim)).align({"x": {"items": [1]}}, {"x": 3})
    assert [u.path for u in found.missed] == ["x.items[0]"]
    assert not found.matched


def test_recall_of_its_own_decides_what_is_missed():
    """One-sided: one long system span covers two gold spans; recall is perfect, so nothing is missed."""
    from adjudge.metrics import Metric

    metric = Metric(one_sided(iou(above=0.3)), name="spans", within="spans")
    assert metric.score([[0, 4], [4, 8]], [[0, 8]]).recall == 1
    found = metric.explain([[0, 4], [4, 8]], [[0, 8]])
    assert not found.missed
    assert {m.gold_path for m in found.matched} == {"spans[0]", "spans[1]"}


def test_below_a_counterpart_matched_twice():
    sim = set_of(record(t=exact, a=set_of(exact)), match="N:1")
    found = plan(sim).align([{"t": 0, "a": [1, 2]}], [{"t": 0, "a": [1]}, {"t": 0, "a": [2, 3]}])
    assert not found.missed
    assert [u.path for u in found.spurious] == ["[1].a[1]"]


def test_nothing_is_matched_below_a_failed_threshold():
    sim = record(a=threshold(f1(set_of(exact)), above=0.5))
    found = plan(sim).align({"a": [1, 2, 3]}, {"a": [1, 4, 5]})
    assert not found.matched
    assert len(found.missed) == len(found.spurious) == 3
