"""Flat records are counted many at once; every number is the one that the algebra gives for two documents."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge as aj

SCALARS = st.sampled_from(["x", "X ", "y z", "", " ", None, 0, 0.0, -0.0, 1, 1.0, True, "1", "n/a", "2015-03-04", "y"])
VALUES = st.one_of(SCALARS, SCALARS, SCALARS, st.lists(SCALARS, max_size=1))
COMPARISONS = st.sampled_from(
    [
        {"text": "text"},
        {"exact": "exact"},
        {"number": {"number": 1}},
        {"any": {"compare": "number", "any": True}},
        {"words": "words"},
        {"edit": {"edit": 0.3, "graded": True}},
        {"date": {"date": 1}},
        {"boolean": "boolean"},
        {"enum": {"enum": {"x": ["y"]}}},
        {"sim": {"sim": "exact"}},
    ]
)
METRICS = ("record.fields", "record.exact", "record.match", "record.field-mean")


@st.composite
def corpora(draw):
    schema = None
    if draw(st.booleans()):
        schema = {f"{name}{n}": how for n in range(3) for name, how in draw(COMPARISONS).items()}
    names = st.sampled_from([*(schema or ()), "a", "b.c", "d"])
    record = st.dictionaries(names, VALUES, max_size=4)
    answer = st.one_of(record, record, record, st.lists(record, max_size=2))
    pairs = draw(st.lists(st.tuples(record, answer), min_size=1, max_size=6))
    gold = {str(n): {"records": one} for n, (one, _) in enumerate(pairs)}
    system = {str(n): {"records": other} for n, (_, other) in enumerate(pairs)}
    return schema, draw(st.sampled_from(["", "n/a,y"])), gold, system


@settings(max_examples=150, deadline=None)
@given(corpora())
def test_counts_are_those_of_single_documents(tmp_path_factory, corpus):
    schema, nulls, gold, system = corpus
    options = {"nulls": nulls}
    if schema is not None:
        file = tmp_path_factory.mktemp("schema") / "s.json"
        file.write_bytes(msgspec.json.encode(schema))
        options["schema"] = str(file)
    definitions = {each.name: each for each in aj.catalogue()}
    metrics = [definitions[name](**options) for name in METRICS]
    try:
        result = aj.score(metrics, gold, system, bootstrap=0, by=["field"])
    except aj.AdjudgeError:
        return  # gold does not fit the schema
    if any(note.code in ("wrapped", "unwrapped") for note in result.systems[0].notes):
        return  # the answer is compared in another shape
    table = result.systems[0].table
    for name, row in zip(table.ids, table.values, strict=True):
        expected = {}
        for metric in metrics:
            found = metric.observe(gold[name], system[name])
            expected.update(found.counts)
            if metric.per:
                for path, own in found.outcomes[metric.name].items():
                    numbers = zip(("matched", "system", "gold"), (own.correct, own.system, own.gold), strict=True)
                    expected.update({f"{metric.name}:{path}:{part}": number for part, number in numbers})
        counted = dict(zip(table.columns, row, strict=True))
        assert {column: value for column, value in counted.items() if value or column in expected} == expected
