"""Flat records are counted many at once; every number is the one that the algebra gives for two documents."""

import random

import msgspec
import pytest

import adjudge as aj

SCALARS = [
    "x",
    "X ",
    "y z",
    "y  q",
    "",
    " ",
    None,
    0,
    0.0,
    -0.0,
    1,
    1.0,
    True,
    "1",
    "n/a",
    "2015-03-04",
    "4 March 2015",
]
COMPARISONS = {
    "text": "text",
    "exact": "exact",
    "number": {"number": 1},
    "any": {"compare": "number", "any": True},
    "words": "words",
    "edit": {"edit": 0.3, "graded": True},
    "date": {"date": 1},
    "boolean": "boolean",
    "enum": {"enum": {"x": ["y z"]}},
    "sim": {"sim": "exact"},
}
METRICS = ("record.fields", "record.exact", "record.match", "record.field-mean")


def record(rng, names):
    return {name: rng.choice(SCALARS) for name in rng.sample(names, rng.randrange(len(names) + 1))}


def answer(rng, given, names):
    """Mostly what is right, sometimes more, less, a list, or no flat record."""
    found = {name: value if rng.random() < 0.6 else rng.choice(SCALARS) for name, value in given.items()}
    found |= record(rng, names) if rng.random() < 0.2 else {}
    found |= {"more": ["x"]} if rng.random() < 0.1 else {}
    return rng.choice([[], [found], [found, record(rng, names)]]) if rng.random() < 0.1 else found


@pytest.mark.parametrize("seed", range(40))
def test_counts_are_those_of_single_documents(seed, tmp_path):
    rng = random.Random(seed)
    options = {"nulls": rng.choice(["", "n/a,y z"])}
    names = ["a", "b.c", "d", "e"]
    if seed % 2:
        names = rng.sample(list(COMPARISONS), 4)
        (tmp_path / "s.json").write_bytes(msgspec.json.encode({name: COMPARISONS[name] for name in names}))
        options["schema"] = str(tmp_path / "s.json")
    gold = {str(n): {"records": record(rng, names)} for n in range(20)}
    system = {n: {"records": answer(rng, each["records"], names)} for n, each in gold.items()}
    definitions = {each.name: each for each in aj.find()}
    metrics = [definitions[name](**options) for name in METRICS]
    table = aj.score(metrics, gold, system, bootstrap=0, by=["field"]).systems[0].table
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
