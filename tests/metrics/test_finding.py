"""Metrics by name, file, type and text; what they report, write down, combine and say of themselves."""

import json
import random
import sys
from dataclasses import dataclass

import pytest

from adjudge.algebra import case, custom, edit, exact, f, ir, latent, number, record, set_of, union, unit, variable
from adjudge.algebra.functions import Fn
from adjudge.algebra.spec import load_spec
from adjudge.errors import AdjudgeError, UsageError, ValidationError
from adjudge.metrics import Metric, catalogue, derive, find
from adjudge.metrics.base import Scores
from adjudge.metrics.derived import Combined, as_hierarchy, with_hierarchies
from adjudge.metrics.registry import from_spec, with_common_options, write


@dataclass(frozen=True)
class Person:
    id: str
    name: str
    tags: list[str]


@dataclass(frozen=True)
class Only:
    id: str


def test_a_specification_file_has_the_name_of_the_file(tmp_path):
    spec = {"metric": {"sim": "record", "fields": {"tags": {"sim": "set", "of": {"sim": "exact"}}}}}
    for suffix in ("json", "JSON", "yaml", "yml"):
        path = tmp_path / f"tags.{suffix}"
        path.write_text(json.dumps(spec))
        metric = find(str(path))
        assert (metric.name, metric.parts) == ("tags", ("precision", "recall", "f1"))
        path.write_text(json.dumps({**spec, "name": "own", "about": "Tags."}))
        assert (find(str(path)).name, find(str(path)).about) == ("own", "Tags.")
    assert find(json.dumps(spec)).name == "metric"
    assert find(" \n" + json.dumps(spec)) == find(json.dumps(spec))
    assert find(json.dumps(spec)).score({"tags": ["a", "b"]}, {"tags": ["a"]})["recall"] == 0.5


def test_a_specification_with_a_recall_of_its_own():
    one = {"sim": "set", "of": {"sim": "exact"}}
    spec = {"metric": one, "recall": {**one, "match": "1:N"}, "name": "x", "pool": "macro", "report": ["recall"]}
    metric = from_spec(load_spec(json.dumps(spec)))
    assert metric.columns == ("x:matched", "x:system", "x:found", "x:gold")
    assert (metric.parts, metric.pool) == (("recall",), "macro")
    assert isinstance(metric.similarity, ir.Normalise)
    assert (metric.similarity.of.match, metric.similarity.recall.match) == ("1:1", "1:N")
    ratio = {"sim": "normalise", "of": one, "beta": 2.0}
    metric = from_spec(load_spec(json.dumps({**spec, "metric": ratio, "report": []})))
    assert metric.parts == ("precision", "recall", "f2")
    assert find(str(metric)) == metric


MODULE = """
from dataclasses import dataclass

@dataclass
class Person:
    id: str
    name: str
    tags: list[str]
"""


def test_a_type_by_its_place(tmp_path, monkeypatch):
    (tmp_path / "own_people.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    name = "own_people:Person"
    metric = find(name)
    gold, system = {"id": "1", "name": "n", "tags": ["a", "b"]}, {"id": "2", "name": "n", "tags": ["a"]}
    assert metric.score(metric.prepare(gold), metric.prepare(system))["f1"] == pytest.approx(2 / 3)
    assert (metric.name, str(metric)) == ("Person", name)
    counting = find(f"{name}(nested=count,pool=macro,empty=1)")
    assert str(counting) == f'{name}(nested="count",empty=1,pool="macro")'
    assert (counting.pool, counting.conventions.empty) == ("macro", 1)
    assert find(str(counting)) == counting
    with pytest.raises(UsageError, match="has no option 'beta', it takes nested, product, duplicates"):
        find(f"{name}(beta=2)")
    sys.modules.pop("own_people")


def test_the_metric_of_a_type():
    metric = derive(Person, nested="count")
    assert (metric.name, metric.within, metric.document, metric.origin) == ("Person", None, Person, None)
    assert set(metric.precision.fields) == {"name", "tags"}
    with pytest.raises(UsageError, match="Only has nothing to compare: its id pairs documents"):
        derive(Only)
    assert metric.prepare({"id": "x", "name": "n", "tags": []}) == Person("x", "n", [])
    with pytest.raises(ValidationError):
        metric.prepare({"id": "x"})
    plain = derive(list[int], name="numbers", pool="macro", conventions=ir.Conventions(empty=1))
    assert (plain.name, plain.within, plain.document, plain.pool) == ("numbers", "value", None, "macro")
    assert plain.prepare({"value": [1]}) == {"value": [1]}
    assert plain.document_of([1]) == {"value": [1]}
    assert plain.score([], [])["f1"] == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("relation.strikt", "there is no metric 'relation.strikt', did you mean relation.strict"),
        ("x", "see `adjudge metrics`, or give a .yaml file or module:Type"),
        ("relation.strict(beta)", "cannot read the options"),
        ("relation.strict(beta=1,beta=2)", "cannot read the options"),
        ("relation.strict(beta=x)", "beta cannot be 'x' (expected"),
        ("relation.strict(emty=1)", "has no option 'emty', did you mean empty"),
        ("relation.strict(zzz=1)", "it takes beta, "),
        ("relation.strict(empty=3)", "wrong convention"),
        ("relation.strict(pool=x)", "there is no pooling 'x'"),
        ("relation.strict(duplicates=x)", "write duplicates=set|multiset|error, empty=0|1, undefined=0|1|both|null"),
    ],
)
def test_what_cannot_be_found(text, said):
    with pytest.raises(AdjudgeError) as caught:
        find(text)
    assert said in str(caught.value)


def test_options_are_read_as_json_or_as_text():
    metric = find('relation.strict( beta = 2 , undefined = null,duplicates="multiset", pool = macro )')
    assert (metric.beta, metric.pool) == (2.0, "macro")
    assert metric.conventions == ir.Conventions(duplicates="multiset", undefined=None)
    assert str(metric) == 'relation.strict(beta=2,duplicates="multiset",undefined=null,pool="macro")'
    assert with_common_options("x", ir.Conventions(), "micro") == "x"
    assert with_common_options("x", ir.Conventions(), "macro") == 'x(pool="macro")'


def test_definitions_say_what_they_are():
    for definition in catalogue():
        assert definition.documentation.startswith(definition.about)
        assert definition.family == definition.name.split(".")[0]
    (strict,) = (each for each in catalogue() if each.name == "relation.strict")
    assert strict.score([], [], undefined=1).f1 == 1
    assert strict.score([], []).f1 == 0
    assert [each.name for each in catalogue()] == sorted(each.name for each in catalogue())


TAGS = set_of(exact)


def test_what_is_reported():
    every = ("precision", "recall", "f1", "jaccard", "matched", "system", "gold")
    metric = Metric(TAGS, name="tags", report=every, within="tags")
    scores = metric.score(["a", "b", "c"], ["a", "d"])
    assert dict(scores) == pytest.approx(
        {"precision": 1 / 2, "recall": 1 / 3, "f1": 2 / 5, "jaccard": 1 / 4, "matched": 1, "system": 2, "gold": 3}
    )
    assert len(scores) == 7
    assert list(scores) == list(every)
    assert repr(Scores({"a": 1.0, "b": None})) == "a=1.0 b=None"
    with pytest.raises(AttributeError, match="nothing"):
        _ = scores.nothing
    with pytest.raises(KeyError):
        _ = scores["nothing"]
    two = Metric(ir.Normalise(of=TAGS, recall=set_of(exact, match="1:N")), report=("gold", "system"))
    assert tuple(two.score(["a", "b"], ["a"]).values()) == (2, 1)
    for part in ("jaccard", "matched"):
        with pytest.raises(UsageError, match=f"{part} needs one matching value"):
            Metric(ir.Normalise(of=TAGS, recall=TAGS), report=(part,))
    with pytest.raises(UsageError, match="cannot report 'recal', did you mean recall"):
        Metric(TAGS, report=("recal",))
    with pytest.raises(UsageError, match="choose from precision, recall, f1, jaccard, matched, system, gold, f2"):
        Metric(f(TAGS, beta=2.0), report=("zzzzz",))
    for limit in (0, -1.0):
        with pytest.raises(UsageError, match="leaves no time"):
            Metric(TAGS, time_limit=limit)


def test_which_part_is_told_of_a_ratio():
    for by, part in (("precision", "precision"), ("recall", "recall"), ("jaccard", "jaccard")):
        metric = Metric(ir.Normalise(of=TAGS, by=by))
        assert metric.parts == (part,)
        assert list(metric.score(["a", "b"], ["a"])) == [part]
    assert Metric(ir.Normalise(of=TAGS, beta=0.5)).parts == ("precision", "recall", "f0.5")


def test_equal_metrics():
    one, other = find("relation.strict"), find("relation.strict(beta=1)")
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other, find("relation.strict(beta=2)")}) == 2
    assert one != find("relation.boundary")
    assert one != "relation.strict"
    assert (one == 3) is False
    assert one.with_options() == one
    assert one.with_options(pool="macro").pool == "macro"
    assert one.with_options(time_limit=3.0).time_limit == 3.0
    assert one.with_options(time_limit=3.0).with_options().time_limit == 3.0


def test_what_has_no_name_is_written_in_full():
    metric = Metric(f(TAGS, beta=2.0), name="tags", within="tags", about="Tags.", pool="macro", report=("f2",))
    assert find(write(metric)).similarity.of.fields.keys() == {"tags"}
    again = find(str(metric))
    assert (again.name, again.about, again.pool, again.report) == ("tags", "Tags.", "macro", ("f2",))
    assert again.score({"tags": ["a"]}, {"tags": ["a", "b"]}) == metric.score(["a"], ["a", "b"])
    two = Metric(ir.Normalise(of=TAGS, recall=set_of(exact, match="1:N")), name="two", within="tags")
    again = find(str(two))
    assert again.recall.fields["tags"].match == "1:N"
    plain = Metric(TAGS, name="plain", within="tags")
    assert find(str(plain)).precision == plain.precision


def test_a_search_cut_short_has_bounds():
    def graph(seed):
        rng = random.Random(seed)
        pairs = [(a, b) for a in range(24) for b in range(24) if a != b and rng.random() < 0.25]
        return [[f"?{a}", rng.choice("rs"), f"?{b}"] for a, b in pairs]

    hard, other = graph(1), graph(2)
    name = union(case(variable, prefix="?"), exact)
    triples = latent(set_of(record({"0": name, "1": exact, "2": name})))
    one = Metric(triples, name="one", within="t", time_limit=1e-6)
    gold, system = {"t": hard}, {"t": other}
    row = one.observe(gold, system)
    assert not row.optimal
    assert row.bound["one:matched"] > row.counts["one:matched"]
    assert (row.bound["one:system"], row.bound["one:gold"]) == (len(other), len(hard))
    two = Metric(ir.Normalise(of=triples, recall=triples), name="two", within="t", time_limit=1e-6)
    row = two.observe(gold, system)
    assert row.bound.keys() == set(two.columns)
    assert row.bound["two:found"] > row.counts["two:found"]
    both = Combined("both", ((one, "f1"), (Metric(TAGS, name="tags", within="u"), "f1")))
    whole = both.observe({**gold, "u": ["a"]}, {**system, "u": ["a"]})
    assert not whole.optimal
    assert whole.bound["one:matched"] > whole.counts["one:matched"]
    assert whole.bound["tags:matched"] == whole.counts["tags:matched"] == 1


ONE, TWO = Metric(TAGS, name="one", within="t"), Metric(f(TAGS, beta=2.0), name="two", within="u")


@pytest.mark.parametrize(("op", "value"), [("mean", 0.75), ("sum", 1.5), ("product", 0.5)])
def test_a_combination(op, value):
    both = Combined("both", ((ONE, "precision"), (TWO, "recall")), op=op, about="Two.")
    document = {"t": ["a", "b"], "u": ["x", "y"]}
    answer = {"t": ["a"], "u": ["x"]}
    whole = Metric(TAGS, name="one"), Metric(TAGS, name="two")
    plain = Combined("plain", ((whole[0], "precision"), (whole[1], "recall")), op=op)
    assert plain.score(["a", "b"], ["a"]) == {"score": value}
    assert (both.parts, both.pool, both.conventions) == (("score",), "micro", ir.Conventions())
    assert both.columns == (*ONE.columns, *TWO.columns)
    assert [measure.name for measure in both.measures] == ["one", "two", "both"]
    assert both.measures[-1].op == op
    assert both.measures[-1].of == (("one", "precision"), ("two", "recall"))
    assert both.observe(document, answer).counts["two:gold"] == 2
    assert both.plan().startswith("one:\n")
    assert "\ntwo:\n" in both.plan()
    assert both.definition().splitlines()[:2] == ["both: Two.", f"{op} of one.precision, two.recall"]
    assert both.check(document) == []
    assert len(both.check({})) == len(set(both.check({}))) == 2
    assert both.prepare(document) == document
    macro = both.with_options(pool="macro", conventions=ir.Conventions(empty=1), time_limit=2.0)
    assert (macro.pool, macro.conventions.empty, macro.members[1].time_limit) == ("macro", 1, 2.0)
    assert str(both) == "both"
    assert str(macro) == 'both(empty=1,pool="macro")'
    undefined = plain.with_options(conventions=ir.Conventions(undefined=None))
    assert undefined.score([], []) == {"score": None}
    assert [each.gold_path for each in both.align(document, answer).matched] == ["t[0]"]


def test_what_cannot_be_combined():
    with pytest.raises(UsageError, match="combines nothing"):
        Combined("x", ())
    with pytest.raises(UsageError, match="x: one has no part 'recal', did you mean recall"):
        Combined("x", ((ONE, "recal"),))
    with pytest.raises(UsageError, match="pooled differently"):
        Combined("x", ((ONE, "f1"), (TWO.with_options(pool="macro"), "f2")))


def near(a, b):
    return 1.0 if abs(a - b) < 2 else 0.0


def test_definitions_in_words():
    fields = {
        "edit": edit(),
        "number": number(2.5),
        "unit": set_of(unit(edit())),
        "custom": custom(near),
        "both": ir.Normalise(of=TAGS, recall=TAGS, by="f", beta=2.0),
        "cut": ir.Threshold(of=edit(), at_least=0.5, keep=True),
        "best": ir.Max(of=(exact, edit())),
        "mapped": ir.Mapped(of=exact, system=Fn("casefold")),
    }
    text = Metric(ir.Record(fields=fields), name="x").definition()
    for line in (
        "  edit: closeness by edit distance",
        "  number: closeness of numbers, 0 from a difference of 2.5",
        "    each: counted as one",
        "      of: closeness by edit distance",
        f"  custom: function {near.__module__}:near",
        "  both: F2",
        "    precision from: set, matched 1:1 (duplicates: set, empty: 0)",
        "    recall from: set, matched 1:1 (duplicates: set, empty: 0)",
        "  cut: kept if >= 0.5",
        "  best: the best of",
        "  mapped: after casefold (system), as is (gold)",
        "    alternative 1: equal",
        "    alternative 2: closeness by edit distance",
    ):
        assert line in text.splitlines(), line
    two = Metric(ir.Normalise(of=TAGS, recall=TAGS), name="two", about="Two.", pool="macro", laws=("self", "order"))
    assert two.with_options(conventions=ir.Conventions(undefined=None)).definition().splitlines() == [
        "two: Two.",
        "reports precision, recall, f1; documents averaged (macro)",
        "precision, of documents: set, matched 1:1 (duplicates: set, empty: 0)",
        "  each: equal",
        "recall, of documents: set, matched 1:1 (duplicates: set, empty: 0)",
        "  each: equal",
        "0/0 is undefined",
        "promises self, order",
    ]
    assert two.plan().startswith("for precision:\n")
    assert "\nfor recall:\n" in two.plan()


@pytest.mark.parametrize(
    ("how", "gold", "system", "expected"),
    [
        ("exact", "A", "a", 0),
        ("text", "The  Café", "the café", 1),
        ("text", 3, 3, 1),
        ("squad", "the Cat!", "cat", 1),
        ("squad", "dog", "cat", 0),
        ("squad", 3, 3, 1),
        ("words", "red big cat", "red cat", 0.8),
        ("words", 12, "12", 1),
        ("edit", "abcd", "abce", 0.75),
        ("number", 3, 3.0, 1),
        ("number", 3, 3.5, 0),
        ("date", "2020-01-01", "2020-01-01", 1),
        ("date", "2020-01-01", "2020-01-02", 0),
        ({"number": 1}, 3, 4, 1),
        ({"number": 1}, 3, 4.5, 0),
        ({"number": 0.1, "relative": True}, 100, 109, 1),
        ({"number": 0.1, "relative": True}, 100, 120, 0),
        ({"date": 2}, "2020-01-01", "2020-01-03", 1),
        ({"date": 2}, "2020-01-01", "2020-01-04", 0),
        ({"sim": "edit"}, "ab", "ac", 0.5),
    ],
)
def test_fields_are_compared_as_a_schema_says(tmp_path, how, gold, system, expected):
    path = tmp_path / "fields.json"
    path.write_text(json.dumps({"x": how, "y": "ignore"}))
    found = find(f'record.fields(schema="{path}")').score({"x": gold, "y": 1}, {"x": system, "y": 2})
    assert (found.correct, found.wrong) == pytest.approx((expected, 1 - expected))


def test_hierarchies_in_combined_metrics():
    types = as_hierarchy(".")
    both = Combined("both", ((find("ner.strict"), "f1"), (find("ner.strict"), "recall")), laws=("self",), origin="x")
    (changed,) = with_hierarchies((both,), {"entities.type": types})
    assert (changed.laws, changed.origin) == ((), None)
    assert [part for _, part in changed.of] == ["f1", "recall"]
    assert changed.members[0].similarity != both.members[0].similarity
    with pytest.raises(UsageError, match="has this hierarchy already"):
        with_hierarchies((changed,), {"entities.type": types})
    with pytest.raises(UsageError):
        with_hierarchies((both,), {"entities.kind": types})
