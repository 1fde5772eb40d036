"""Scoring whole corpora, from files and from memory, against counting by hand."""

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.algebra import exact, f, mapped, set_of
from adjudge.errors import FormatError, UsageError, ValidationError
from adjudge.metrics import Row, find
from adjudge.stats.result import Result
from adjudge.tasks.chosen import as_metrics, split_names
from adjudge.tasks.scoring import explain, explain_document, score

SPANS = st.builds(lambda start, length: {"start": start, "end": start + length}, st.integers(0, 3), st.integers(1, 2))
RELATIONS = st.fixed_dictionaries({"type": st.sampled_from("xyz"), "subject": SPANS, "object": SPANS})
SIDE = st.lists(RELATIONS, max_size=4)
CORPORA = st.lists(st.tuples(st.sampled_from(["nw", "df"]), SIDE, SIDE, st.booleans()), min_size=1, max_size=5)


def corpus(rows: list[tuple[str, Any, Any, bool]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    gold = [{"id": f"d{i}", "genre": genre, "relations": g} for i, (genre, g, _, _) in enumerate(rows)]
    system = [{"id": f"d{i}", "relations": s} for i, (_, _, s, there) in enumerate(rows) if there]
    return gold, system[::-1]  # the order must not matter


def by_hand(gold: list[dict[str, Any]], system: list[dict[str, Any]], keep=lambda document, relation: True):
    def bag(documents: list[dict[str, Any]]) -> set[tuple[str, str]]:
        genres = {document["id"]: document["genre"] for document in gold}
        return {
            (document["id"], json.dumps(relation, sort_keys=True))
            for document in documents
            for relation in document["relations"]
            if keep(genres[document["id"]], relation)
        }

    g, s = bag(gold), bag(system)
    both = len(g & s)
    return tuple(
        part / whole if whole else 0.0 for part, whole in ((both, len(s)), (both, len(g)), (2 * both, len(g) + len(s)))
    )


def parts(result: Result, where: Mapping[str, Any], system: int = 0) -> tuple[float | None, ...]:
    return tuple(each.value for each in result.systems[system].scores if each.slice == where)


@settings(deadline=None)
@given(CORPORA)
def test_pooled_scores_and_slices_equal_counting_by_hand(rows) -> None:
    gold, system = corpus(rows)
    types = sorted({relation["type"] for side in (gold, system) for each in side for relation in each["relations"]})
    by = ["genre"] + ["relations.type"] * any(each["relations"] for each in gold)
    result = score("relation.strict", gold, system, by=by, bootstrap=0)
    assert parts(result, {}) == by_hand(gold, system)
    for genre in {document["genre"] for document in gold}:
        assert parts(result, {"genre": genre}) == by_hand(gold, system, lambda g, _, genre=genre: g == genre)
    for kind in types if len(by) == 2 else ():
        expected = by_hand(gold, system, lambda _, relation, kind=kind: relation["type"] == kind)
        assert parts(result, {"relations.type": kind}) == expected


def documents(number: int = 12) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    gold = [{"id": f"d{i}", "genre": "nw" if i % 3 else "df", "items": list(range(i, i + 4))} for i in range(number)]
    near = [{**each, "items": each["items"][:3]} for each in gold]
    far = [{**each, "items": [*each["items"][:1], 99]} for each in gold]
    return gold, {"near": near, "far": far}


def write(path, docs: list[dict[str, Any]], packed: bool = False):
    content = "".join(json.dumps(each) + "\n" for each in docs).encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    return path


def test_every_way_to_give_documents_gives_the_same_scores(tmp_path) -> None:
    gold, systems = documents()
    near = systems["near"]
    path = write(tmp_path / "gold.jsonl", gold)
    other = write(tmp_path / "near.jsonl.gz", near, packed=True)
    by_id = {each["id"]: each for each in near}
    values = [each["items"] for each in gold], [each["items"] for each in near]
    expected = score("record.set", gold, near)
    ways = [
        score("record.set", path, other),
        score("record.set", str(path), [other]),
        score("record.set", gold, by_id),
        score("record.set", {each["id"]: each for each in gold}, by_id),
        score("record.set", *values),
        score("record.set", values[0], {"one": values[1]}),
        score("record.set", gold, reversed(near)),
        score(find("record.set"), gold, near, jobs=2),
        score(["record.set"], gold, near, jobs=0),
    ]
    for result in ways:
        assert [each.value for each in result.systems[0].scores] == [each.value for each in expected.systems[0].scores]
        assert [each.low for each in result.systems[0].scores] == [each.low for each in expected.systems[0].scores]
    assert ways[0].systems[0].name == ways[1].systems[0].name == "near"
    assert ways[0].signature == ways[1].signature
    assert ways[5].systems[0].name == "one"
    assert ways[7].systems[0].table == expected.systems[0].table


def test_similarities_and_types_are_metrics() -> None:
    @dataclass(frozen=True)
    class Item:
        id: str
        name: str

    gold, system = [{Item("1", "a"), Item("2", "b")}], [{Item("1", "a")}]
    assert score(set[Item], gold, system, bootstrap=0)["set"].recall == 0.5
    plain = score(f(set_of(exact)), [["a", "b"]], [["a"]], bootstrap=0)
    assert plain["metric"].recall == 0.5


def test_objects_with_an_id_are_paired_by_it() -> None:
    @dataclass(frozen=True)
    class Page:
        id: str
        items: list[str]

    gold = [Page("a", ["x"]), Page("b", ["y"])]
    assert score("record.set", gold, gold[::-1], bootstrap=0)["record.set"].f1 == 1


def test_several_systems_are_compared_and_named(tmp_path) -> None:
    gold, systems = documents()
    result = score("record.set", gold, systems, by=["genre"])
    assert [each.name for each in result.systems] == ["near", "far"]
    whole = [each for each in result.comparisons if not each.slice]
    assert [(each.a, each.b, each.part) for each in whole] == [("near", "far", "f1")]
    assert whole[0].difference > 0
    for name in "ab":
        (tmp_path / name).mkdir()
        write(tmp_path / name / "run.jsonl", systems["near"])
    paths = [tmp_path / name / "run.jsonl" for name in "ab"]
    assert [each.name for each in score("record.set", gold, paths, bootstrap=0).systems] == ["run-1", "run-2"]
    named = score("record.set", gold, paths, bootstrap=0, names=["x", "y"])
    assert [each.name for each in named.systems] == ["x", "y"]
    with pytest.raises(UsageError, match="1 names for 2 systems"):
        score("record.set", gold, paths, names=["x"])


def test_several_metrics_share_one_result() -> None:
    gold, systems = documents()
    both = score("record.set, record.jaccard", gold, systems["near"], bootstrap=50)
    for name in ("record.set", "record.jaccard"):
        alone = score(name, gold, systems["near"], bootstrap=50)
        assert [s for s in both.systems[0].scores if s.metric == name] == list(alone.systems[0].scores)
    with pytest.raises(UsageError, match=r"the metric record.set is named twice"):
        score("record.set,record.set(beta=2)", gold, systems["near"])
    with pytest.raises(UsageError, match="different pooling"):
        as_metrics("record.set(pool=macro),record.jaccard")
    assert {each.pool for each in as_metrics("record.set(pool=macro),record.jaccard", pool="micro")} == {"micro"}


def test_extra_and_duplicate_documents_are_errors(tmp_path) -> None:
    gold, systems = documents(3)
    extra = write(tmp_path / "s.jsonl", [*systems["near"], {"id": "d2x", "items": []}, {"id": "zzz", "items": []}])
    with pytest.raises(ValidationError) as caught:
        score("record.set", gold, extra)
    assert str(caught.value).splitlines() == [
        f"{extra}:4: the document 'd2x' is not in the gold documents, did you mean d2?",
        f"{extra}:5: the document 'zzz' is not in the gold documents, "
        "remove it, add it to the gold documents, or choose documents with --docs",
    ]
    with pytest.raises(ValidationError, match="system: duplicate id 'd0', give every document its own id"):
        score("record.set", gold, [*systems["near"], systems["near"][0]])
    with pytest.raises(ValidationError, match="system: document 2 has no id"):
        score("record.set", gold, [systems["near"][0], {"items": []}])


def test_documents_without_ids_must_be_as_many() -> None:
    with pytest.raises(UsageError, match="system has 1 documents and gold has 2"):
        score("record.set", [["a"], ["b"]], [["a"]])
    paired = score("record.set", [{"id": "x", "items": ["a"]}], [["a"]])  # ids on one side: by position, with a note
    assert paired["record.set"].f1 == 1
    assert paired.systems[0].notes
    with pytest.raises(UsageError, match="cannot take documents from int"):
        score("record.set", 5, [["a"]])


def test_all_problems_of_all_files_at_once(tmp_path) -> None:
    bad_gold, bad_system = tmp_path / "g.jsonl", tmp_path / "s.jsonl"
    bad_gold.write_text('{"id": "a"\n{"id": "b"}\n')
    bad_system.write_text('{"id": "a"}\n{"id": "a"}\n')
    with pytest.raises(FormatError) as caught:
        score("record.set", bad_gold, [bad_system, bad_system])
    assert [problem.path for problem in caught.value.problems] == [str(bad_gold), str(bad_system)]
    write(bad_gold, [{"id": "a", "items": 5}, {"id": "b"}])
    write(bad_system, [{"id": "a", "items": []}, {"id": "b", "items": "x"}])
    with pytest.raises(ValidationError) as caught:
        score("record.set", bad_gold, bad_system, jobs=2)
    places = [(problem.path, problem.line, problem.column) for problem in caught.value.problems]
    assert places == [(str(bad_gold), 1, 22), (str(bad_gold), 2, 1), (str(bad_system), 2, 22)]


def test_documents_in_memory_are_named_in_errors() -> None:
    with pytest.raises(ValidationError, match="system: document 'a', items: expected an array, got an integer"):
        score("record.set", [{"id": "a", "items": []}], [{"id": "a", "items": 5}])


def test_profiles() -> None:
    gold, system = [{"id": "a", "items": [1, 1, 2]}], [{"id": "a", "items": [1, 1]}]
    assert score("record.set", gold, system, bootstrap=0)["record.set"].recall == 1 / 2
    assert score("record.set", gold, system, bootstrap=0, profile="multiset")["record.set"].recall == 2 / 3
    with pytest.raises(ValidationError, match="occurs twice"):
        score("record.set", gold, system, profile="strict")
    empty = [{"id": "a", "items": []}]
    assert score("record.set", empty, empty, bootstrap=0).systems[0].scores[0].value == 0
    undefined = score("record.set", empty, empty, bootstrap=0, profile="undefined").systems[0]
    assert undefined.scores[0].value is None
    assert undefined.notes[0].code == "undefined"
    own = score("record.set(duplicates=multiset)", gold, system, bootstrap=0)
    assert own["record.set"].recall == 2 / 3  # the default profile leaves a metric as it is
    with pytest.raises(UsageError, match="there is no profile 'stric', did you mean strict"):
        score("record.set", gold, system, profile="stric")


def test_pool_and_docs() -> None:
    gold, systems = documents(3)
    system = [systems["near"][0], *systems["far"][1:]]
    macro = score("record.set", gold, system, pool="macro", bootstrap=0)
    assert macro["record.set"].recall == pytest.approx((3 / 4 + 1 / 4 + 1 / 4) / 3)
    only = score("record.set", gold, system, docs=["d1", "d0"], bootstrap=0)
    assert only["record.set"].recall == 4 / 8
    assert only.systems[0].table.ids == ("d0", "d1")
    with pytest.raises(UsageError, match="there is no gold document 'd1x', did you mean d1"):
        score("record.set", gold, system, docs=["d1x"])


def test_slicing_by_fields_of_documents() -> None:
    gold, systems = documents(4)
    gold = [{**each, "meta": {"year": 2000 + i % 2}} for i, each in enumerate(gold)]
    del gold[0]["genre"]
    result = score("record.set", gold, systems["near"], by=["meta.year", "genre"], bootstrap=0)
    found = [tuple(each.slice.items()) for each in result.systems[0].scores if each.part == "f1"]
    years = [(("meta.year", 2000),), (("meta.year", 2001),)]
    assert found == [(), *years, (("genre", None),), (("genre", "nw"),), (("genre", "df"),)]


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ("gener", "no gold document has a field 'gener' to slice by, did you mean genre"),
        ("items", "cannot slice by 'items': its value is an array"),
        ("relations.typ", r"no element has a field 'typ' to slice by \(relations.typ\), did you mean type"),
        ("other.x", "no metric uses 'other.x', name a field of relations"),
    ],
)
def test_what_cannot_be_sliced_by(by: str, said: str) -> None:
    span = {"start": 0, "end": 1}
    relation = {"type": "x", "subject": span, "object": span}
    gold = [{"id": "a", "genre": "nw", "items": [], "relations": [relation], "other": [{"x": 1}]}]
    with pytest.raises(UsageError, match=said):
        score("relation.strict", gold, gold, by=[by])


def test_slices_by_elements_are_compared_and_corrected_together() -> None:
    span = {"start": 0, "end": 1}
    relations = [
        {"type": kind, "subject": span, "object": {"start": 0, "end": i}} for i in range(2, 6) for kind in "xy"
    ]
    gold = [{"id": f"d{i}", "relations": relations} for i in range(8)]
    systems = {
        "good": gold,
        "poor": [{**each, "relations": [r for r in relations if r["type"] == "x"]} for each in gold],
    }
    result = score("relation.strict,relation.spans", gold, systems, by=["relations.type"], bootstrap=200)
    strict = {tuple(each.slice.values()): each for each in result.comparisons if each.metric == "relation.strict"}
    assert set(strict) == {(), ("x",), ("y",)}
    assert strict["x",].difference == 0
    assert strict["y",].difference == 1
    assert strict["y",].p_holm == 2 * strict["y",].p
    assert strict[()].p_holm == strict[()].p


def test_the_signature_tells_metrics_and_inputs_apart() -> None:
    gold, systems = documents(3)

    def signature(metric: Any, system: Any = systems["near"], **options: Any) -> str:
        sides = (
            (gold, system) if isinstance(metric, str) else ([each["items"] for each in side] for side in (gold, system))
        )
        return score(metric, *sides, bootstrap=0, **options).signature

    base = signature("record.set")
    assert base == signature("record.set")
    others = [
        signature("record.set(beta=2)"),
        signature("record.set", systems["far"]),
        signature("record.set", pool="macro"),
        signature("record.set", profile="multiset"),
        signature(f(set_of(exact))),
        signature(f(set_of(exact), beta=2)),
        signature(f(set_of(mapped(exact, by=lambda item: item)))),
    ]
    assert len({base, *others}) == len(others) + 1


@dataclass(frozen=True)
class Unfinished:
    """A metric whose search is always cut short."""

    inner: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.inner, name)

    def with_options(self, **options: Any) -> "Unfinished":
        return replace(self, inner=self.inner.with_options(**options))

    def observe(self, gold: Any, system: Any, deadline: Any = None) -> Row:
        row = self.inner.observe(gold, system)
        bound = {**row.counts, "record.set:matched": row.counts["record.set:matched"] + 1}
        return Row(row.counts, optimal=False, bound=bound)


def test_scores_that_are_not_proven_say_so() -> None:
    gold, systems = documents(2)
    result = score(Unfinished(find("record.set")), gold, systems["near"], bootstrap=0)
    (note,) = result.systems[0].notes
    assert (note.code, note.count, note.examples) == ("not-optimal", 2, ("d0", "d1"))
    assert "at most 2 too low" in note.message


def test_progress_reaches_the_end() -> None:
    gold, systems = documents(5)
    seen: list[tuple[int, int]] = []
    score("record.set", gold, systems["near"], bootstrap=0, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (5, 5)
    assert seen == sorted(seen)


def test_an_explanation_and_the_counts_agree() -> None:
    gold, systems = documents(3)
    found = explain_document("record.set,record.jaccard", gold, systems, "d1")
    assert list(found) == ["near", "far"]
    assert list(found["near"]) == ["record.set", "record.jaccard"]
    far = found["far"]["record.set"]
    assert [item.gold for item in far.matched] == [1]
    assert [item.value for item in far.missed] == [2, 3, 4]
    assert [item.value for item in far.spurious] == [99]
    missing = explain_document("record.set", gold, systems["near"][:1], "d1")["system"]["record.set"]
    assert len(missing.missed) == 4
    with pytest.raises(UsageError, match="there is no gold document 'd11', did you mean"):
        explain_document("record.set", gold, systems, "d11")


def test_names_are_split_outside_of_brackets() -> None:
    assert split_names(" a(x=1,y=[2,3]) , b,,c ") == ["a(x=1,y=[2,3])", "b", "c"]
    with pytest.raises(UsageError, match="there is no metric"):
        as_metrics(" , ")


def test_options_that_do_not_exist_or_do_nothing_are_refused(tmp_path) -> None:
    gold = [{"id": "d", "items": ["a"]}]
    with pytest.raises(
        TypeError, match=r"score\(\) got an unexpected keyword argument 'bootstrp', did you mean bootstrap"
    ):
        score("record.set", gold, gold, bootstrp=10)
    with pytest.raises(TypeError, match=r"explain_document\(\) got an unexpected keyword argument 'bogus'"):
        explain_document("record.set", gold, gold, "d", bogus=1)
    with pytest.raises(UsageError, match="a block at a time"):
        score("record.set", gold, gold, stream=True)


def test_what_a_type_refuses_is_said_of_both_sides() -> None:
    class Doc(NamedTuple):
        items: list[int]

    wrong = [{"id": "d", "items": ["a"]}]
    with pytest.raises(ValidationError) as caught:
        score(Doc, wrong, {"run": wrong})
    assert [problem.path for problem in caught.value.problems] == ["gold", "run"]


def test_values_whose_difference_cannot_be_seen_are_not_written_out():
    def incident(filler: str) -> list[dict[str, Any]]:
        fillers = [{"slot": "inc-instr-type", "values": [filler], "refers": []}]
        return [{"id": "m1", "incidents": [{"types": ["ATTACK"], "fillers": fillers}]}]

    found = explain("template.muc4", incident("EXPLOSIVE > BOMB"), incident("GUN > RIFLE"), "m1")
    said = str(found["system"])
    assert "fillers differs" in said
    assert "[{" not in said
