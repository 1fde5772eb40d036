"""What is given to score: systems and their names, values and documents, types, and documents that cannot be scored."""

import gzip
import json
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge as aj
from adjudge.algebra import exact, record, set_of, view
from adjudge.errors import AdjudgeError, UsageError, ValidationError
from adjudge.evaluate.sides import distinct
from adjudge.metrics.documents import typed, without_repeats
from adjudge.tasks.scoring import explain_document, score


def lines(*documents: Any) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in documents)


# Names


@given(st.lists(st.sampled_from(["a", "a-1", "a-2", "b", "a-1-1"]), max_size=7))
def test_names_become_distinct_and_single_ones_stay(names: list[str]) -> None:
    found = distinct(names)
    assert len(set(found)) == len(found)
    for name, new in zip(names, found, strict=True):
        assert new == name if names.count(name) == 1 else new.startswith(f"{name}-")


def test_no_system_is_lost(tmp_path) -> None:
    paths = []
    for number, name in enumerate(["d1/system", "d2/system", "d2/system-1"]):
        path = tmp_path / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(lines({"id": "a", "items": list(range(number))}))
        paths.append(path)
    result = score("record.set", [{"id": "a", "items": [0, 1]}], paths, bootstrap=0)
    assert len({each.name for each in result.systems}) == 3
    assert [each["record.set"].recall for each in result.systems] == [0, 0.5, 1]
    with pytest.raises(UsageError, match="two systems are called 'x', give each system a name of its own"):
        score("record.set", [{"id": "a", "items": [0, 1]}], paths, names=["x", "y", "x"])


# Values and documents


@pytest.mark.parametrize(
    ("gold", "systems"),
    [
        ([["a"], ["b"]], [[["a"], ["b"]], [["a"], ["x"]]]),
        ([{"items": ["a"]}, {"items": ["b"]}], [[{"items": ["a"]}, {"items": []}], [{"items": []}, {"items": []}]]),
        ([{"id": 1, "items": ["a"]}], [[{"id": 1, "items": ["a"]}]]),
        ([[], ["b"]], [[["a"], ["b"]], [["a"], ["x"]], [[], []]]),
    ],
)
def test_a_list_of_systems_is_not_one_system(gold, systems) -> None:
    with pytest.raises(UsageError, match="look like lists of documents, pass several systems as a mapping from names"):
        score("record.set", gold, systems)


def test_lists_of_lists_that_are_documents() -> None:
    clusters = [[["a", "b"], ["c"]], [["d"]]]
    assert score(list[list[str]], clusters, clusters, bootstrap=0)["list"].f1 == 1
    assert score("record.set", [["a"], []], [[], ["b"]], bootstrap=0)["record.set"].f1 == 0


def test_a_mapping_can_be_the_value_itself() -> None:
    metric = aj.derive(dict[str, int])
    assert aj.score(metric, [{"a": 1, "b": 2}], [{"a": 1, "b": 3}], bootstrap=0)["dict"].recall == 0.5
    # A field of the right name, an id, or a file make it a document.
    document = [{"value": {"a": 1}}]
    assert aj.score(metric, document, document, bootstrap=0)["dict"].f1 == 1
    with pytest.raises(ValidationError, match="value: the field 'value' is missing"):
        aj.score(metric, [{"id": "x", "a": 1}], [{"id": "x", "a": 1}])
    # What the metric can only compare as an array is a document with a mistake in it.
    with pytest.raises(ValidationError, match="the field 'items' is missing, did you mean item"):
        aj.score("record.set", [{"item": []}], [{"item": []}])


def test_views_are_metrics() -> None:
    pairs = view(set_of(record(a=exact, b=exact))).ignore("b")
    result = aj.score(pairs, [[{"a": 1, "b": 2}]], [[{"a": 1, "b": 3}]], bootstrap=0)
    assert result["metric"].f1 == 1


def test_results_are_compared_one_by_one_or_as_a_list() -> None:
    gold = [{"id": f"d{i}", "items": [i]} for i in range(3)]
    a, b = (score("record.set", gold, {name: gold}, bootstrap=10) for name in "ab")
    assert aj.compare(a, b) == aj.compare([a, b])
    assert [each.name for each in aj.compare(a, a.renamed("again")).systems] == ["a", "again"]
    with pytest.raises(UsageError, match="two systems are called a, rename one of them: NAME=FILE"):
        aj.compare(a, a)
    with pytest.raises(UsageError, match="a result of 2 systems cannot be called x"):
        aj.compare(a, b).renamed("x")


def test_the_same_content_has_the_same_hash_however_it_is_written(tmp_path) -> None:
    documents = [{"id": "a", "items": ["é"], "n": 1.5}, {"id": "b", "items": []}]
    plain, windows, packed = (tmp_path / name for name in ("plain.jsonl", "windows.jsonl", "packed.jsonl.gz"))
    plain.write_bytes(lines(*documents))
    turned = [dict(reversed(each.items())) for each in documents]
    windows.write_bytes(b"\r\n\r\n".join(json.dumps(each, ensure_ascii=False).encode() for each in turned))
    packed.write_bytes(gzip.compress(plain.read_bytes()))

    def gold(source: Any) -> str:
        found = score("record.set", source, documents, bootstrap=0)
        return next(part for part in found.signature.split("|") if part.startswith("gold:"))

    assert len({gold(source) for source in (plain, windows, packed, documents)}) == 1
    assert gold(plain) != gold([{**documents[0], "n": 2}, documents[1]])


# Types


@dataclass(frozen=True)
class Edge:
    source: aj.algebra.Variable
    label: str


@dataclass(frozen=True)
class Drawing:
    edges: list[Edge]


def test_variables_are_names_in_json() -> None:
    gold = [{"id": "a", "edges": [{"source": "x", "label": "l"}, {"source": "y", "label": "m"}]}]
    system = [{"id": "a", "edges": [{"source": "q", "label": "l"}, {"source": "r", "label": "m"}]}]
    assert score(Drawing, gold, system, bootstrap=0)["Drawing"].f1 == 1
    assert typed(Edge, {"source": "x", "label": "l"}) == Edge(aj.algebra.Variable("x"), "l")
    with pytest.raises(ValidationError, match=r"\$.source: expected the name of a variable, got `int`"):
        typed(Edge, {"source": 1, "label": "l"})


@dataclass(frozen=True)
class Page:
    id: str
    items: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Pages:
    inner: list[Page | None]


@dataclass(frozen=True)
class Listed:
    id: str
    items: list[str]


@pytest.mark.parametrize("profile", ["strict", "multiset"])
def test_a_set_cannot_be_asked_for_repeated_elements(profile: str) -> None:
    documents = [{"id": "a", "items": ["x", "x"]}]
    with pytest.raises(UsageError, match=r"Page.items is a set, and reading a document drops them, write list\[...\]"):
        score(Page, documents, documents, profile=profile)
    with pytest.raises(UsageError, match=r"Page.items is a set"):
        explain_document(Page, documents, documents, "a", profile=profile)
    assert score(Page, [Page("a", {"x"})], [Page("a", {"x"})], profile=profile, bootstrap=0)["Page"].f1 == 1
    assert score(Page, documents, documents, bootstrap=0)["Page"].f1 == 1
    if profile == "strict":
        with pytest.raises(ValidationError, match="occurs twice"):
            score(Listed, documents, documents, profile=profile)
    assert without_repeats(Pages) == "Page.items"
    assert without_repeats(Listed) is None


def test_a_missing_document_of_a_type_with_an_id() -> None:
    gold = [{"id": "a", "items": ["x"]}, {"id": "b", "items": ["y"]}]
    for kind in (Listed, Page):
        result = score(kind, gold, gold[:1], bootstrap=0)
        assert result[kind.__name__].recall == 0.5
        assert result.systems[0].notes[0].code == "missing-document"


@dataclass(frozen=True)
class Single:
    k: int


def test_missing_documents_that_cannot_be_empty_are_all_named(tmp_path) -> None:
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    gold.write_bytes(lines(*({"id": name, "k": 1} for name in "abc")))
    system.write_bytes(lines({"id": "b", "k": 1}))
    with pytest.raises(ValidationError) as caught:
        score(Single, gold, system)
    remedy = "this metric compares single values, give every gold document a system document"
    assert str(caught.value).splitlines() == [
        f"{system}: document {name!r}: it is missing and cannot count as empty: {remedy}" for name in "ac"
    ]


@dataclass(frozen=True)
class Angry:
    items: list[str]

    def __post_init__(self) -> None:
        if "boom" in self.items:
            raise RuntimeError("no")


def test_a_type_that_refuses_a_document(tmp_path) -> None:
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    gold.write_bytes(lines({"id": "a", "items": []}))
    system.write_bytes(lines({"id": "a", "items": ["boom"]}))
    with pytest.raises(ValidationError, match=r"system.jsonl:1:1: Angry refuses it \(RuntimeError: no\)"):
        score(Angry, gold, system)


# Documents that cannot be scored


@pytest.mark.parametrize("depth", [500, 700, 900])
@pytest.mark.parametrize("jobs", [1, 2])
def test_documents_nested_too_deeply(tmp_path, depth: int, jobs: int) -> None:
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    gold.write_bytes(lines({"id": "a", "items": [1]}))
    system.write_bytes(b'{"id": "a", "items": ' + b"[" * depth + b"]" * depth + b"}\n")
    # How deep is too deep depends on the version of Python; either way the answer is a score or our own error.
    try:
        result = score("record.set", gold, system, jobs=jobs, bootstrap=0)
    except AdjudgeError as error:
        complaint = str(error)
        assert complaint.startswith(f"{system}:1")
        assert "nested too deeply, flatten" in complaint
    else:
        assert result["record.set"].f1 == 0


def test_a_function_that_ends_the_program() -> None:
    metric = aj.algebra.set_of(aj.algebra.custom(lambda a, b: sys.exit(3)))
    with pytest.raises(UsageError, match="a function of the metric exits the program"):
        score(metric, [["a"]], [["b"]])


def test_a_function_that_does_not_exist_is_named_once(tmp_path) -> None:
    spec = '{"metric": {"sim": "record", "fields": {"items": {"sim": "set", "of": {"sim": "map", "by": "no_such:f", '
    gold = [{"id": f"d{i}", "items": ["a"]} for i in range(3)]
    with pytest.raises(UsageError, match=r"cannot find the function 'no_such:f'") as caught:
        score([aj.find(spec + '"of": "exact"}}}}}')], gold, gold)
    assert len(caught.value.problems) == 1


def test_a_program_from_standard_input_has_one_process() -> None:
    program = (
        "import adjudge as aj\n"
        "if __name__ == '__main__':\n"
        "    print(aj.score('record.set', [['a']] * 99, [['a']] * 99, jobs={}, bootstrap=0)['record.set'].f1)\n"
    )
    ran = [
        subprocess.run([sys.executable, "-"], input=program.format(jobs), capture_output=True, text=True)
        for jobs in (0, 1, 2)
    ]
    assert [each.stdout for each in ran] == ["1.0000\n", "1.0000\n", ""]
    assert "a program that is read from standard input cannot use several processes, save it as a file" in ran[2].stderr


@pytest.mark.parametrize(
    ("gold", "system", "options", "message"),
    [
        ([{"id": "d", "entities": []}], [{"id": "d", "entities": []}], {"reader": "bio"}, 'reader="bio" is for files'),
        (
            [{"id": "d", "entities": []}],
            {"A": [{"id": "d"}]},
            {"reader": "bio"},
            "gold is in memory and was recognised as documents; leave reader out",
        ),
        (
            b"x O\n",
            [{"id": "d"}],
            {"reader": "bio", "system_reader": "bio"},
            'system_reader="bio" is for files; system is in memory',
        ),
        (
            [{"id": "d"}],
            [{"id": "d"}],
            {"system_reader": "jsonl"},
            "system is in memory and was recognised as documents",
        ),
        (
            [{"id": "d"}],
            b"x O\n",
            {"reader": "bio", "system_reader": "bio"},
            'reader="bio" is for files; gold is in memory',
        ),
    ],
)
def test_a_reader_is_not_ignored_for_data_in_memory(gold, system, options, message):
    with pytest.raises(aj.AdjudgeError, match=message):
        aj.score("ner.strict", gold, system, bootstrap=0, **options)
    if isinstance(system, list):
        with pytest.raises(aj.AdjudgeError, match=message):
            aj.explain("ner.strict", gold, system, "d", **options)


def test_a_reader_is_for_the_side_that_is_a_file():
    file = b"Ada B-PER\ncame O\n"
    result = aj.score("ner.strict", file, file, reader="bio", bootstrap=0)
    assert result["ner.strict"].f1 == 1
    (identifier,) = result.systems[0].table.ids
    held = [{"id": identifier, "entities": [{"span": {"start": 0, "end": 1}, "type": "PER"}]}]
    assert aj.score("ner.strict", file, held, reader="bio", bootstrap=0)["ner.strict"].f1 == 1
    assert aj.score("ner.strict", held, file, reader="bio", bootstrap=0)["ner.strict"].f1 == 1
    with pytest.raises(aj.AdjudgeError, match='reader="bio" is for files'):
        aj.agree("ner.strict", {"a": held, "b": held}, reader="bio")
