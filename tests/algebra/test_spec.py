import json
import math

import jsonschema
import msgspec
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import problems
from adjudge.algebra import ir
from adjudge.algebra.functions import Fn
from adjudge.algebra.matching import ALIASES
from adjudge.algebra.shape import Fields, Leaf, Number, Schema
from adjudge.algebra.spec import MetricSpec, decode, dump_spec, encode, load_spec, spec_schema
from adjudge.errors import FormatError, UsageError

# Random trees over all nodes: those that can be computed, inside of records with odd names and beside odd values

names = st.text(max_size=8)
places = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=6)
literals = st.one_of(names, st.integers(-(2**53), 2**53), st.booleans(), st.none())
kinds = st.sampled_from([None, "string", "integer", "number", "boolean", "null", "array", "object"])
exacts = st.builds(ir.Exact, type=kinds, values=st.none() | st.lists(literals, min_size=1, max_size=3).map(tuple))
computed = st.one_of(problems.shapes(), problems.latent_shapes()).map(lambda shape: shape.node)
cases = st.builds(
    lambda of, literal, place: ir.Union(cases=(ir.Case(of=of, field=place, equals=literal), ir.Case(of=of, has=place))),
    *(exacts, literals, places),
)
trees = computed | st.builds(ir.Record, fields=st.dictionaries(places, computed | exacts | cases, min_size=1))
specs = st.builds(
    MetricSpec,
    metric=trees,
    name=names.filter(bool),
    about=names,
    recall=st.none() | trees,
    report=st.lists(st.sampled_from(["precision", "recall", "gold"]), max_size=3, unique=True).map(tuple),
    pool=st.sampled_from(["micro", "macro"]),
    conventions=st.builds(
        ir.Conventions,
        duplicates=st.sampled_from(["set", "multiset", "error"]),
        empty=st.sampled_from([0, 1]),
        undefined=st.sampled_from([0, 1, None]),
    ),
)
many = settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)


def test_the_strategy_reaches_every_node():
    seen = set()

    @settings(max_examples=160, database=None, derandomize=True, suppress_health_check=list(HealthCheck), deadline=None)
    @given(trees)
    def collect(tree):
        todo = [tree]
        while todo:
            node = todo.pop()
            seen.add(type(node))
            assert msgspec.structs.replace(node) == node
            todo += ir.children(node)

    collect()
    assert seen == set(ir.Node.__subclasses__())


@many
@given(trees)
def test_round_trip_through_json(tree):
    data = encode(tree)
    assert decode(data) == tree
    assert decode(data.decode()) == tree
    assert encode(decode(data)) == data
    assert hash(decode(data)) == hash(tree)
    json.loads(data, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def reordered(node):
    """An equal node whose mappings were filled the other way round."""
    node = ir.rebuild(node, reordered)
    if isinstance(node, ir.Record | ir.Sum):
        return type(node)(fields=dict(reversed(node.fields.items())))
    return node


@many
@given(trees)
def test_equal_nodes_have_equal_bytes(tree):
    assert reordered(tree) == tree
    assert encode(reordered(tree)) == encode(tree)


def test_the_order_of_the_fields_of_a_schema_is_kept():
    fields = {"sku": Leaf(), "price": Leaf(by=Number()), "fields": Leaf(), "shape": Leaf()}
    both = [
        ir.Leaves(schema=Schema(root=Fields(fields=dict(each)))) for each in (fields.items(), reversed(fields.items()))
    ]
    written = [encode(ir.Set(of=each)) for each in both]
    assert written[0] != written[1]
    for data in written:
        assert encode(decode(data)) == data
    assert list(decode(written[1]).of.schema.root.fields) == ["shape", "fields", "price", "sku"]


def copied(text):
    return "".join(list(text))


def test_what_is_equal_has_equal_bytes_however_it_was_made():
    assert encode(ir.Number(scale=2)) == encode(ir.Number(scale=2.0))
    assert encode(ir.Span(start=copied("start"), by=copied("jaccard"))) == encode(ir.Span()) == b'{"sim":"span"}'
    assert encode(ir.Set(of=ir.Exact(), match=copied("1:1"))) == encode(ir.Set(of=ir.Exact()))
    assert encode(ir.Normalise(of=ir.Exact(), beta=float("1"))) == encode(ir.Normalise(of=ir.Exact()))
    # true is not 1
    assert encode(ir.Exact(values=(True,))) != encode(ir.Exact(values=(1,)))


@settings(many, max_examples=30)
@given(specs)
def test_specs_round_trip_through_json_and_yaml(spec):
    plain = dump_spec(spec)
    assert load_spec(json.dumps(plain, indent="\t")) == spec
    assert load_spec(json.dumps(plain, ensure_ascii=False, indent=1), path="x.json") == spec
    assert load_spec(yaml.safe_dump(plain)) == spec
    assert load_spec(yaml.safe_dump(plain, default_flow_style=True, sort_keys=False)) == spec
    assert dump_spec(load_spec(json.dumps(plain))) == plain


SCHEMA = jsonschema.Draft202012Validator(spec_schema())


@settings(many, max_examples=8)  # the validator is slow
@given(specs)
def test_specs_fit_their_schema(spec):
    SCHEMA.validate(dump_spec(spec))


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(spec_schema())
    text = json.dumps(spec_schema())
    assert "discriminator" not in text
    assert all(f'"#/$defs/{kind.__name__}"' in text for kind in ir.Node.__subclasses__())


# Shorthands

FULL = """
name: arguments
about: Argument F1
metric:
  sim: set
  match: 1:1
  of:
    sim: record
    fields:
      trigger: {sim: record, fields: [start, end, type]}
      arguments:
        sim: set
        of: {sim: record, fields: {role: exact, span: {sim: threshold, above: 0.5, of: span}}}
report: [precision, recall, f1]
pool: macro
conventions: {duplicates: error}
"""


def test_a_whole_file(tmp_path):
    exact = ir.Exact()
    expected = MetricSpec(
        name="arguments",
        about="Argument F1",
        metric=ir.Set(
            of=ir.Record(
                fields={
                    "trigger": ir.Record(fields={"start": exact, "end": exact, "type": exact}),
                    "arguments": ir.Set(
                        of=ir.Record(fields={"role": exact, "span": ir.Threshold(of=ir.Span(), above=0.5)})
                    ),
                }
            )
        ),
        report=("precision", "recall", "f1"),
        pool="macro",
        conventions=ir.Conventions(duplicates="error"),
    )
    assert load_spec(FULL) == expected
    SCHEMA.validate(yaml.safe_load(FULL.replace("1:1", "'1:1'")))
    for name in ("m.yaml", "m.yml", "m.json"):
        file = tmp_path / name
        file.write_text(FULL if "y" in name else json.dumps(dump_spec(expected)), encoding="utf-8")
        assert load_spec(file) == load_spec(str(file)) == expected
    bom = tmp_path / "bom.yaml"
    bom.write_text("\ufeffmetric: exact\n", encoding="utf-8")
    assert load_spec(bom) == MetricSpec(name="bom", metric=exact)


@pytest.mark.parametrize("alias", ALIASES)
def test_every_alias_of_a_matching(alias):
    assert load_spec(f"metric: {{sim: set, of: exact, match: {alias}}}").metric.match == ALIASES[alias]
    assert load_spec(f"metric:\n  sim: set\n  of: exact\n  match: {alias}\n").metric.match == ALIASES[alias]
    SCHEMA.validate({"metric": {"sim": "set", "of": "exact", "match": alias}})


def test_yaml_without_surprises():
    text = (
        "metric: {sim: record, fields: {no: exact, 1: exact, on: {sim: exact, values: [yes, 2020-01-01, 010, 1:30]}}}"
    )
    node = load_spec(text).metric
    assert list(node.fields) == ["no", "1", "on"]
    assert node.fields["on"].values == ("yes", "2020-01-01", "010", "1:30")
    assert load_spec("metric: {sim: exact, values: [true, null, 12, '12']}").metric.values == (True, None, 12, "12")
    assert (
        load_spec("metric: {sim: set, of: &x {sim: record, fields: [a]}}\nrecall: {sim: set, of: *x}").recall
        is not None
    )


def test_functions_by_name():
    node = load_spec("metric: {sim: map, by: 'ngrams(3)', of: {sim: overlap, of: exact}}").metric
    assert node.by == Fn("ngrams(3)")
    # A function of the user's own is not imported by reading a file.
    assert load_spec("metric: {sim: custom, function: 'no.such:thing'}").metric.function == Fn("no.such:thing")


# Mistakes: everything at once, with line and column


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("metric:\n  sim: set\n  of: exakt\n", ["3:7: there is no similarity 'exakt', did you mean exact?"]),
        ("metric: {sim: sett, of: exact}", ["1:15: there is no similarity 'sett', did you mean set?"]),
        ("metric: {sim: zzz}", ["1:15: there is no similarity 'zzz', known are exact, record, "]),
        ("metric: {sim: 3}", ["1:15: there is no similarity 3"]),
        ("metric: {sim: [set]}", ["1:15: there is no similarity ['set']"]),
        ("metric: set", ["1:9: set needs of, write {sim: set, of: ...}"]),
        ("metric: hierarchy", ["1:9: hierarchy needs its settings"]),
        ("metric: [exact]", ["1:9: expected a similarity, got an array"]),
        ("metric: 3", ["1:9: expected a similarity, got an integer"]),
        ("metric: true", ["1:9: expected a similarity, got true"]),
        ("metric: {of: exact}", ["1:9: a similarity needs sim, its name, add, for example, sim: set"]),
        ("metric: {fields: [a]}", ["1:9: a similarity needs sim, its name, add, for example, sim: record"]),
        (
            "metric: {sim: set, of: {cases: []}}",
            ["1:24: a similarity needs sim, its name, add, for example, sim: union"],
        ),
        (
            "pol: micro\nmetric:\n  sim: set\n  off: exact\n",
            [
                "1:1: a metric has no key 'pol', did you mean pool?",
                "3:3: set needs of",
                "4:3: set has no key 'off', did you mean of?",
            ],
        ),
        ("about: x", ["1:1: a metric needs metric"]),
        ("sim: set\nof: exact", ["1:1: the similarity is at the top level, put it under metric:"]),
        ("- metric\n- exact", ["1:1: expected an object with metric: ..., got an array"]),
        ("metric: exact\npool: both", ["2:7: pool cannot be both, use micro, macro"]),
        ("metric: exact\nreport: f1", ["2:9: expected an array, got a string"]),
        ("metric: exact\nreport: [f1, 2]", ["2:14: expected a string, got an integer"]),
        ("metric: exact\nname: 3", ["2:7: expected a string, got an integer"]),
        ("metric: exact\nconventions: 3", ["2:14: expected an object, got an integer"]),
        (
            "metric: exact\nconventions: {empty: 2, duplicate: set}",
            ["2:22: empty cannot be 2, use 0, 1", "2:25: conventions has no key 'duplicate', did you mean duplicates?"],
        ),
        ("metric: {sim: set, of: exact, empty: true}", ["1:38: empty cannot be true"]),
        ("metric: {sim: set, of: exact, match: one_to_on}", ["1:38: match cannot be one_to_on"]),
        ("metric: {sim: set, of: exact, match: [1]}", ["1:38: match cannot be [1]"]),
        ("metric: {sim: sequence, of: exact, match: best}", ["1:43: match cannot be best"]),
        ("metric: {sim: overlap, of: exact, by: dise}", ["1:39: by cannot be dise, did you mean dice?"]),
        (
            "metric:\n  sim: record\n  fields:\n"
            "    a: {sim: number, scale: wide}\n    b: {sim: threshold, of: span, above: x}\n",
            ["4:29: expected a number, got a string", "5:42: expected a number or null, got a string"],
        ),
        ("metric: {sim: record, fields: 3}", ["1:31: expected an object, got an integer"]),
        ("metric: {sim: record, fields: [a, 3]}", ["1:31: expected an object, got an array"]),
        ("metric: {sim: record, fields: [a, b, a]}", ["1:38: the field 'a' is listed twice"]),
        ("metric: {sim: record, fields: []}", ["1:31: there must be at least one field"]),
        ("metric: {sim: max, of: exact}", ["1:24: expected an array, got a string"]),
        ("metric: {sim: max, of: [exact, exat]}", ["1:32: there is no similarity 'exat'"]),
        ("metric: {sim: union, cases: [exact]}", ["1:30: expected a case, got a string"]),
        (
            "metric: {sim: union, cases: [{type: strng, of: exact}]}",
            ["1:37: type cannot be strng, did you mean string?"],
        ),
        ("metric: {sim: union, cases: [{type: string}]}", ["1:30: a case needs of"]),
        ("metric: {sim: union, cases: [{of: exact, prefix: 3}]}", ["1:50: expected a string or null, got an integer"]),
        ("metric: {sim: union, cases: [{of: exact, equals: 3}]}", ["1:50: equals needs field"]),
        ("metric: {sim: union, cases: [{of: exact}, {of: exact}]}", ["1:29: case 0 takes every value"]),
        ("metric: {sim: exact, values: [a, 1.5]}", ["1:34: expected "]),
        ("metric: {sim: custom, function: 3}", ["1:33: expected a string, got an integer"]),
        (
            "metric: {sim: map, of: exact, by: casefld}",
            ["1:35: there is no function 'casefld', did you mean casefold?"],
        ),
        ("metric: {sim: map, of: exact, by: 'ngrams(x)'}", ["1:35: ngrams(x): wrong arguments"]),
        ("metric: {sim: map, of: exact}", ["1:9: a function is needed: by, system or gold"]),
        ("metric: {sim: threshold, of: span}", ["1:9: give exactly one of above (strict) and at_least"]),
        ("metric: {sim: threshold, of: span, above: -1}", ["1:43: above must not be negative"]),
        ("metric: {sim: number, scale: 0}", ["1:30: scale must be above 0"]),
        ("metric: {sim: hierarchy}", ["1:9: give parents, a separator, or a table of credits"]),
        ("metric: {sim: hierarchy, parents: {a: b, c: 3}}", ["1:45: expected a string, got an integer"]),
        ("metric: {sim: hierarchy, parents: {a: b, b: a}}", ["1:35: the hierarchy has a cycle: a < b < a"]),
        ("metric: {sim: hierarchy, table: [[a, b, 2]]}", ["1:33: the credit of a for b"]),
        ("metric: {sim: hierarchy, table: [[a, b]]}", ["1:34: expected an array of length 3, got 2"]),
        ("metric: {sim: overlap, of: span}", ["1:28: overlap counts equal elements"]),
        ("metric: {sim: normalise, of: {sim: set, of: exact}, by: recall, beta: 2}", ["1:71: beta has no meaning"]),
        ("metric: exact\nrecall: exat", ["2:9: there is no similarity 'exat'"]),
        # Syntax
        ("metric: [\n a", ["2:3: "]),
        ("metric: {a: b\n\tc: d}", ["2:1: "]),
        ("metric: exact\nmetric: edit", ["2:1: the key 'metric' is given twice"]),
        ("metric: &a {sim: set, of: *a}", ["1:9: an alias refers to what contains it"]),
        ("metric: !!python/name:os.system x", ["1:9: the tag "]),
        ("metric: exact\n---\nmetric: edit", ["2:1: "]),
        ("? [a]\n: b", ["1:1: a key must be a name"]),
        ("metric: \x01\n", ["1: the character "]),
        ("", ["the file is empty"]),
        ("\n  \n", ["the file is empty"]),
        ("# only a comment\n", ["the file is empty"]),
        ('{"metric": \n  }', ["2:3: Expecting value"]),
        ('{"metric": NaN}', ["1:12: NaN is not allowed"]),
        ('{"metric": "exact", "about": "\\ud800"}', ["1:31: '\\ud800' is half a character"]),
        ('metric: exact\nabout: "\\ud800"', ["2:9: '\\ud800' is half a character"]),
        ('{"about": "\x7f\u2028\x85", "metric": "exat"}', ["1:28: there is no similarity 'exat'"]),
        ('{"metric": "exact",\n "metric": "edit"}', ["2:2: the key 'metric' is given twice"]),
        ('{"metric": {"sim": "set",\n\t"of": "exat"}}', ["2:8: there is no similarity 'exat'"]),
    ],
)
def test_mistakes_have_a_place(text, expected):
    with pytest.raises(FormatError) as caught:
        load_spec(text, path="m.json" if text.startswith('{"') else "m.yaml")
    problems = caught.value.problems
    assert len(problems) == len(expected), str(caught.value)
    for problem, start in zip(problems, expected, strict=True):
        place = f"{problem.path}:" + ("" if problem.line is not None else " ")
        assert str(problem).startswith(place + start), str(problem)


@pytest.mark.parametrize(
    "raw",
    [
        {"metric": "set"},
        {"metric": {"sim": "set"}},
        {"metric": {"sim": "sett", "of": "exact"}},
        {"metric": {"sim": "set", "of": "exact", "match": "1:*"}},
        {"metric": {"sim": "set", "of": "exact", "extra": 1}},
        {"metric": {"sim": "record", "fields": [1]}},
        {"metric": {"sim": "map", "of": "exact", "by": 3}},
        {"metric": "exact", "pool": "both"},
        {},
    ],
)
def test_the_schema_rejects_what_the_reader_rejects(raw):
    assert not SCHEMA.is_valid(raw)
    with pytest.raises(FormatError):
        load_spec(json.dumps(raw))


def test_files_that_cannot_be_read(tmp_path):
    for source, message in [
        (tmp_path / "none.yaml", "none.yaml: cannot be read"),
        (str(tmp_path / "none.json"), "none.json: cannot be read"),
        (tmp_path, "cannot be read"),
    ]:
        with pytest.raises(UsageError, match=message):
            load_spec(source)
    latin = tmp_path / "latin.yaml"
    latin.write_bytes(b"about: \xe9\nmetric: exact\n")
    with pytest.raises(FormatError, match="not UTF-8"):
        load_spec(latin)


def test_what_cannot_be_written_down():
    with pytest.raises(UsageError, match="cannot be serialised"):
        encode(ir.Mapped(of=ir.Exact(), by=Fn.of(lambda value: value)))
    with pytest.raises(UsageError, match="cannot be serialised"):
        dump_spec(MetricSpec(metric=ir.Custom(function=Fn.of(lambda a, b: 1.0))))
    for bad in (math.nan, math.inf):
        with pytest.raises((UsageError, FormatError)):
            encode(ir.Number(scale=bad))
        with pytest.raises((UsageError, FormatError)):
            encode(ir.Threshold(of=ir.Exact(), above=bad))


def test_decode_says_what_is_wrong():
    for data in (b"{", b'{"sim":"sett"}', b'{"sim":"map","of":{"sim":"exact"},"by":3}'):
        with pytest.raises(FormatError, match="not a similarity"):
            decode(data)


def test_the_conventions_are_always_written():
    plain = dump_spec(MetricSpec(metric=ir.Exact()))
    assert plain == {
        "metric": {"sim": "exact"},
        "pool": "micro",
        "conventions": {"duplicates": "set", "empty": 0, "undefined": 0},
    }
    assert msgspec.json.decode(msgspec.json.encode(plain)) == plain


def test_a_number_that_is_too_long_is_called_so() -> None:
    with pytest.raises(FormatError, match=r"a number of 5000 digits is too large, write a finite one"):
        load_spec(f"metric: {{sim: number, scale: {'9' * 5000}}}")
