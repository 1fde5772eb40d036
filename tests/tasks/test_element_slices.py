"""Slices by fields of elements: which documents they have, what they keep, and what a saved result can do later."""

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.algebra import exact, f, record, set_of
from adjudge.errors import UsageError
from adjudge.metrics import Metric, Row, find
from adjudge.stats.compare import compare
from adjudge.stats.result import Result
from adjudge.stats.saved import decode_result
from adjudge.tasks.observe import compared_fields, looks_at
from adjudge.tasks.scoring import score

KINDS: list[Any] = ["x", "y", "1", 1, True, None]
ITEMS = st.lists(st.fixed_dictionaries({"kind": st.sampled_from(KINDS), "n": st.integers(0, 2)}), max_size=4)
CORPORA = st.lists(st.tuples(ITEMS, ITEMS, ITEMS), min_size=1, max_size=5)


def campaign(rows: list[tuple[Any, Any, Any]]) -> tuple[list[Any], dict[str, list[Any]]]:
    gold = [{"id": f"d{i}", "items": g} for i, (g, _, _) in enumerate(rows)]
    one = [{"id": f"d{i}", "items": s} for i, (_, s, _) in enumerate(rows)]
    two = [{"id": f"d{i}", "items": s} for i, (_, _, s) in enumerate(rows)]
    return gold, {"one": one, "two": two}


def key(value: Any) -> tuple[bool, Any]:
    return isinstance(value, bool), value


def document_f1(gold: list[Any], system: list[Any], value: Any) -> float | None:
    """F1 of the elements with a value in one document by hand; None if neither side has any."""
    g, s = (
        {json.dumps(each, sort_keys=True) for each in side if key(each["kind"]) == key(value)}
        for side in (gold, system)
    )
    return 2 * len(g & s) / (len(g) + len(s)) if g or s else None


@settings(max_examples=30)
@given(CORPORA)
def test_the_mean_of_a_slice_is_over_the_documents_that_have_its_value(rows) -> None:
    gold, systems = campaign(rows)
    if not any(each["items"] for each in gold):
        return
    result = score("record.set", gold, systems, by=["items.kind"], pool="macro", bootstrap=0)
    found = {}
    for place, system in enumerate(result.systems):
        for each in system.scores:
            if each.slice and each.part == "f1":
                found[place, key(each.slice["items.kind"])] = each.value
    for value in KINDS:
        having = [row for row in rows if any(key(each["kind"]) == key(value) for side in row for each in side)]
        for place in (0, 1):
            scores = [document_f1(row[0], row[1 + place], value) or 0.0 for row in having]
            mean = sum(scores) / len(scores) if scores else None
            assert found.get((place, key(value))) == (None if mean is None else pytest.approx(mean))


def test_a_perfect_system_is_perfect_in_every_slice() -> None:
    gold = [{"id": f"d{i}", "items": [{"kind": "rare" if i == 0 else "common"}]} for i in range(6)]
    result = score("record.set", gold, gold, by=["items.kind"], pool="macro", bootstrap=100)
    assert {each.value for each in result.systems[0].scores} == {1.0}


def saved(result: Result) -> Result:
    return decode_result(result.to_json(with_tables=True).encode())


@settings(max_examples=25)
@given(CORPORA, st.sampled_from(["micro", "macro"]), st.randoms())
def test_saved_slices_compare_as_if_scored_together(rows, pool, random) -> None:
    gold, systems = campaign(rows)
    if not any(each["items"] for each in gold):
        return
    options: dict[str, Any] = {"by": ["items.kind"], "pool": pool, "bootstrap": 20}
    together = score("record.set", gold, systems, **options)
    one = score("record.set", gold, {"one": systems["one"]}, **options)
    shuffled = random.sample(gold, len(gold))
    two = score("record.set", shuffled, {"two": systems["two"]}, **options)
    two = Result(**{name: getattr(two, name) for name in two.__struct_fields__} | {"options": one.options})
    compared = compare(saved(one), saved(two))
    assert [each.scores for each in compared.systems] == [each.scores for each in together.systems]
    assert compared.comparisons == together.comparisons


def test_slices_that_were_not_saved_by_all() -> None:
    gold, systems = campaign([([{"kind": "x", "n": 1}], [], [{"kind": "x", "n": 1}])] * 2)
    with_slices = score("record.set", gold, {"one": systems["one"]}, by=["items.kind"], bootstrap=0)
    without = score("record.set", gold, {"two": systems["two"]}, bootstrap=0)
    compared = compare([with_slices, without])
    assert all(not each.slice for system in compared.systems for each in system.scores)
    assert [note.code for note in compared.systems[0].notes] == ["no-slices"]
    with pytest.raises(UsageError, match=r"not all saved with slices by items.kind, score and save all systems with"):
        compare(with_slices, without, by=["items.kind"])
    with pytest.raises(UsageError, match=r"no field 'genre' to slice by"):
        compare(with_slices, by=["genre"])


def test_any_short_attribute_of_the_documents_can_be_sliced_by_later() -> None:
    gold = [
        {"id": "a", "items": [1], "genre": "nw", "year": 1999, "text": "x", "meta": {"ok": True}, "title": "t" * 65},
        {"id": "b", "items": [2], "genre": "df", "text": "y", "meta": {"ok": False}, "more": [1], "title": "short"},
    ]
    result = saved(score("record.set", gold, gold, bootstrap=0))
    assert result.systems[0].table.attributes == {"genre": ("nw", "df"), "year": (1999, None), "meta.ok": (True, False)}
    assert [each.slice for each in result.systems[0].scores] == [{}] * 3
    sliced = compare(result, by=["meta.ok", "genre"])
    found = [each.slice for each in sliced.systems[0].scores if each.part == "f1"]
    assert found == [{}, {"meta.ok": True}, {"meta.ok": False}, {"genre": "nw"}, {"genre": "df"}]
    assert sliced.systems[0]["record.set"].where(genre="df").f1 == 1
    many = [{"id": str(i), "items": [], "genre": "nw", "seen": {f"k{i}-{j}": 1 for j in range(9)}} for i in range(90)]
    attributes = score("record.set", many, many, bootstrap=0).systems[0].table.attributes
    assert len(attributes) == 50
    assert "genre" in attributes


@dataclass(frozen=True)
class Unfinished:
    """A metric whose search is cut short wherever there is anything to find."""

    inner: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.inner, name)

    def with_options(self, **options: Any) -> "Unfinished":
        return replace(self, inner=self.inner.with_options(**options))

    def observe(self, gold: Any, system: Any, deadline: Any = None) -> Row:
        row = self.inner.observe(gold, system, deadline)
        if not gold["items"]:
            return row
        bound = {**row.counts, "record.set:matched": row.counts["record.set:gold"]}
        return Row(row.counts, optimal=False, bound=bound)


def test_bounds_reach_every_slice_and_every_comparison() -> None:
    gold = [
        {"id": "a", "genre": "nw", "items": [{"kind": "x"}, {"kind": "y"}]},
        {"id": "b", "genre": "df", "items": [{"kind": "x"}]},
    ]
    system = [{"id": "a", "items": [{"kind": "x"}, {"kind": "z"}]}, {"id": "b", "items": [{"kind": "x"}]}]
    by = ["genre", "items.kind"]
    result = score(Unfinished(find("record.set")), gold, {"s": system}, by=by, bootstrap=0)

    def bounds(found: Result) -> dict[Any, Any]:
        scores = [each for each in found.systems[0].scores if each.part == "recall"]
        return {tuple(each.slice.values()): (each.value, each.optimal, each.bound) for each in scores}

    expected = {
        (): (2 / 3, False, 1.0),
        ("nw",): (0.5, False, 1.0),
        ("df",): (1.0, True, None),
        ("x",): (1.0, True, None),
        ("y",): (0.0, False, 1.0),
        ("z",): (0.0, True, None),
    }
    assert bounds(result) == expected
    again = compare(saved(result))
    assert bounds(again) == expected
    assert again.systems == result.systems
    other = saved(score("record.set", gold, {"t": system}, by=by, bootstrap=0))
    fields = {name: getattr(other, name) for name in other.__struct_fields__} | {"options": result.options}
    assert bounds(compare(saved(result), Result(**fields))) == expected


def test_a_metric_looks_at_the_fields_it_compares_and_no_others() -> None:
    spec = Metric(similarity=record(items=set_of(record(kind=exact))), name="mine")
    assert compared_fields(spec) == {"items"}
    assert looks_at(spec, "items.kind")
    assert not looks_at(spec, "others.kind")
    whole = Metric(similarity=f(record(a=set_of(exact)), beta=2), name="ratio")
    assert compared_fields(whole) == {"a"}
    mapped = find('{"metric": {"sim": "map", "by": "get(items)", "of": {"sim": "set", "of": "exact"}}}')
    assert compared_fields(mapped) is None
    gold = [{"id": "a", "items": [{"kind": "x"}], "others": [{"kind": "x"}]}]
    with pytest.raises(UsageError, match=r"no metric uses 'others.kind', name a field of items"):
        score(spec, gold, gold, by=["others.kind"])


def test_a_field_that_holds_an_object_is_no_slice() -> None:
    span = {"start": 0, "end": 1}
    gold = [{"id": "a", "relations": [{"type": "x", "subject": span, "object": span}]}]
    said = r"cannot slice by 'relations.subject': its value is an object, name one of its fields, such as "
    with pytest.raises(UsageError, match=said + r"relations\.subject\.start"):
        score("relation.strict", gold, gold, by=["relations.subject"])
    assert score("relation.strict", gold, gold, by=["relations.subject.start"], bootstrap=0)


def test_notes_that_many_slices_share_are_one_note() -> None:
    gold = [{"id": f"d{i}", "items": [{"kind": f"k{i}"}]} for i in range(4)]
    result = score("record.set", gold, gold, by=["items.kind"], bootstrap=100)
    note = next(each for each in result.notes if each.code == "one-document")
    assert (note.code, note.count) == ("one-document", 4)
    assert note.message == "with one document in 4 slices there is no interval and no test"
    assert note.examples[0] == "items.kind=k0"


def test_few_resamples_are_noted() -> None:
    gold = [{"id": f"d{i}", "items": [i]} for i in range(4)]
    for number, method, codes in (
        (0, "percentile", []),
        (99, "percentile", ["few-resamples", "few-documents"]),
        (100, "percentile", ["few-documents"]),
        (99, "jackknife", ["few-documents"]),
    ):
        result = score("record.set", gold, gold, bootstrap=number, interval=method)
        assert [each.code for each in result.notes] == codes


def test_the_signature_names_slices_limits_and_chosen_documents() -> None:
    gold = [{"id": f"d{i}", "genre": "nw", "items": [{"kind": "x"}]} for i in range(3)]
    plain = score("record.set", gold, gold, bootstrap=0).signature
    assert "|docs:3|" in plain
    assert "limit:" not in plain
    sliced = score("record.set", gold, gold, by=["items.kind", "genre"], bootstrap=0).signature
    assert "|by:items.kind+genre|" in sliced
    limited = score("record.set", gold, gold, bootstrap=0, time_limit=2.5).signature
    assert "|limit:2.5|" in limited
    chosen = [
        score("record.set", gold, gold, bootstrap=0, docs=docs).signature for docs in (["d0", "d1"], ["d0", "d2"])
    ]
    parts = [next(part for part in each.split("|") if part.startswith("docs:")) for each in chosen]
    assert all(part.startswith("docs:2#") for part in parts)
    assert parts[0] != parts[1]


def test_elements_of_elements():
    # Two events, three arguments: the slice of a role has only its arguments, and only the events that have any.
    def event(start, *roles):
        arguments = [{"role": role, "span": {"start": at, "end": at + 1}} for at, role in enumerate(roles)]
        return {"type": "t", "trigger": {"start": start, "end": start + 1}, "arguments": arguments}

    gold = [{"id": "d", "events": [event(10, "agent", "place"), event(20, "agent")]}]
    system = [{"id": "d", "events": [event(10, "agent", "time"), event(20)]}]
    result = score("event.argument-cls", gold, system, by=["events.arguments.role"], bootstrap=0)
    found = {
        each.slice["events.arguments.role"]: (each.numerator, each.denominator)
        for each in result.systems[0].scores
        if each.slice and each.part == "recall"
    }
    assert found == {"agent": (1, 2), "place": (0, 1), "time": (0, 0)}


def test_an_unknown_field_of_inner_elements_is_refused():
    event = {
        "type": "t",
        "trigger": {"start": 0, "end": 1},
        "arguments": [{"role": "r", "span": {"start": 1, "end": 2}}],
    }
    documents = [{"id": "d", "events": [event]}]
    with pytest.raises(UsageError, match=r"no element has a field 'rule' to slice by .*did you mean role"):
        score("event.argument-cls", documents, documents, by=["events.arguments.rule"], bootstrap=0)
