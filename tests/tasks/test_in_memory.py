"""Documents in memory: what is made of them, and when."""

from __future__ import annotations

import copy
import io
import pickle
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec
import pydantic
import pytest

import adjudge as aj
from adjudge.errors import FormatError, UsageError, ValidationError
from adjudge.formats.coerce.corpus import Table

TRIPLES = [("a", "b", "t"), ("b", "c", "t"), ("c", "d", "u"), ("d", "a", "u")]
RELATIONS = aj.algebra.f1(
    aj.algebra.record(
        relations=aj.algebra.set_of(
            aj.algebra.record(head=aj.algebra.exact, tail=aj.algebra.exact, type=aj.algebra.exact)
        )
    )
)
STRICT = aj.algebra.f1(
    aj.algebra.record(
        relations=aj.algebra.set_of(
            aj.algebra.record(head=aj.algebra.text(), tail=aj.algebra.exact, type=aj.algebra.exact)
        )
    )
)


@dataclass(frozen=True)
class Relation:
    head: str
    tail: str
    type: str


class Row(NamedTuple):
    head: str
    tail: str
    type: str


class Struct(msgspec.Struct, frozen=True):
    head: str
    tail: str
    type: str


class Model(pydantic.BaseModel):
    head: str
    tail: str
    type: str


@dataclass
class Page:
    id: str
    relations: Any


def plain(head: str, tail: str, type: str) -> dict[str, str]:
    return {"head": head, "tail": tail, "type": type}


def model(head: str, tail: str, type: str) -> Model:
    return Model(head=head, tail=tail, type=type)


@pytest.mark.parametrize("make", [plain, Relation, Row, Struct, model])
def test_the_same_numbers_whatever_the_elements_are(make: Any) -> None:
    gold = [Page("d1", [make(*each) for each in TRIPLES])]
    system = [Page("d1", [make(*each) for each in (*TRIPLES[1:], TRIPLES[1], ("x", "y", "z"))])]
    assert aj.score(RELATIONS, gold, system, bootstrap=0)["metric"].f1 == pytest.approx(6 / 8)


def test_elements_of_different_types_are_the_same_if_their_fields_are() -> None:
    gold = [Page("d1", [plain(*TRIPLES[0]), Relation(*TRIPLES[1]), Row(*TRIPLES[2])])]
    system = [Page("d1", [Struct(*TRIPLES[0]), Row(*TRIPLES[1]), plain(*TRIPLES[2])])]
    assert aj.score(RELATIONS, gold, system, bootstrap=0)["metric"].f1 == 1


def test_true_and_numbers_are_told_apart_in_any_place() -> None:
    gold = [{"id": "d", "items": [{"n": 1}, {"n": 2}, {"n": 3}]}]
    system = [{"id": "d", "items": [{"n": True}, {"n": 2.0}, {"n": "3"}]}]
    metric = aj.algebra.f1(aj.algebra.record(items=aj.algebra.set_of(aj.algebra.record(n=aj.algebra.exact))))
    assert aj.score(metric, gold, system, bootstrap=0)["metric"].f1 == pytest.approx(1 / 3)


@pytest.mark.parametrize("place", [0, 2, 3])
def test_what_does_not_fit_among_many_is_named_by_its_place(place: int) -> None:
    items: list[Any] = [plain(*each) for each in TRIPLES]
    items[place] = {**items[place], "head": 7}
    with pytest.raises(ValidationError, match=rf"relations\[{place}\]\.head: expected a string, got an integer"):
        aj.score(STRICT, [{"id": "d", "relations": items}], [{"id": "d", "relations": []}])


class Hidden:
    """Has no form but its text, and counts who asks for it."""

    asked = 0

    def __repr__(self) -> str:
        Hidden.asked += 1
        return "hidden"


@dataclass
class Note:
    id: str
    tags: frozenset[str]
    about: Any = field(default=None, compare=False)


def notes(*tags: str) -> list[Note]:
    return [Note("d1", frozenset(tags), Hidden())]


TAGS = aj.algebra.f1(aj.algebra.record(tags=aj.algebra.set_of(aj.algebra.exact)))


def test_documents_are_hashed_only_if_somebody_asks_for_the_signature() -> None:
    before = Hidden.asked
    result = aj.score(TAGS, notes("a", "b"), notes("a"), bootstrap=0)
    assert result["metric"].f1 == pytest.approx(2 / 3)
    assert Hidden.asked == before
    other = aj.score(TAGS, notes("a", "b"), notes("b"), bootstrap=0)
    assert result.signature != other.signature
    assert Hidden.asked > before
    assert result.options is not None
    assert f"gold:{result.options.fields['gold']}|" in result.signature


@pytest.mark.parametrize(
    "use",
    [
        lambda result: result.to_json(),
        lambda result: result.to_json(with_tables=True),
        lambda result: str(result),
        lambda result: result.renamed("run").signature,
        lambda result: copy.copy(result).signature,
        lambda result: pickle.loads(pickle.dumps(result)).to_json(),
        lambda result: aj.compare(result, bootstrap=0).signature,
    ],
)
def test_whatever_is_done_with_a_result_its_signature_is_there(use: Any) -> None:
    first, second = (aj.score(TAGS, notes("a", "b"), notes("a"), bootstrap=0) for _ in range(2))
    assert first.signature
    assert use(second) == use(first)
    assert aj.score(TAGS, notes("a", "b"), notes("a"), bootstrap=0) == first


def test_a_result_has_no_other_attributes() -> None:
    with pytest.raises(AttributeError, match="sginature"):
        _ = aj.score(TAGS, notes("a"), notes("a"), bootstrap=0).sginature  # type: ignore[attr-defined]


TEXT = "Ada Lovelace met Charles Babbage in London"
PEOPLE = [{"text": TEXT, "entities": [(0, 12, "PER"), (17, 32, "PER"), (36, 42, "LOC")]}]


def test_one_end_inside_a_word_does_not_prove_that_ends_are_inclusive():
    gold = [{"text": TEXT, "entities": [(0, 12, "PER")]}]
    result = aj.score("ner.strict", gold, [{"text": TEXT, "entities": [(0, 11, "PER")]}], bootstrap=0)
    assert result["ner.strict"].f1 == 0
    assert "cuts-word" in {note.code for note in result.systems[0].notes}
    inclusive = [{"text": TEXT, "entities": [(0, 11, "PER"), (17, 31, "PER"), (36, 41, "LOC")]}]
    assert aj.score("ner.strict", PEOPLE, inclusive, bootstrap=0)["ner.strict"].f1 == 1


@pytest.mark.parametrize("named", [False, True])
def test_a_list_of_raw_answers_is_no_list_of_files(named):
    answers = ['```json\n[{"text": "Ada Lovelace", "type": "PER"}]\n```', "I found nothing."]
    system = {"A": answers} if named else answers
    assert aj.score("ner.strict", PEOPLE * 2, system, bootstrap=0)["ner.strict"].recall == pytest.approx(1 / 6)


def test_texts_of_graphs_and_tokens_are_no_raw_answers():
    one = {"id": "d", "tokens": ["[", "Ada", "\\n"], "tags": ["O", "B-PER", "O"]}
    assert aj.score("ner.strict", one, one, bootstrap=0)["ner.strict"].f1 == 1
    graph = ["(a / eat-01\n   :ARG0 (b / boy))"]
    assert aj.score("amr.smatch", graph, graph, bootstrap=0)["amr.smatch"].f1 == 1


@pytest.mark.parametrize("gold", [[["B-PER", "O"], ["B-LOC"]], [[(0, 3, "PER")], [(4, 6, "LOC")]], PEOPLE])
def test_a_system_that_found_nothing_scores_0_whatever_the_shape_of_gold(gold):
    result = aj.score("ner.strict", gold, [], bootstrap=0)
    assert result["ner.strict"].f1 == 0
    assert "empty-system" in {note.code for note in result.systems[0].notes}


def test_answers_are_repaired_on_request():
    gold, answers = [{"a": 1}], ['{"a": 1,}']
    assert aj.score("record.fields", gold, answers, bootstrap=0)["record.fields"].f1 == 0
    result = aj.score("record.fields", gold, answers, bootstrap=0, repair=True)
    assert result["record.fields"].f1 == 1
    assert "|repair:yes|" in result.signature
    with pytest.raises(UsageError, match="repair is for the answers of records"):
        aj.score("ner.strict", PEOPLE, PEOPLE, repair=True)
    with pytest.raises(TypeError, match="did you mean repair"):
        aj.score("record.fields", gold, answers, repiar=True)


@pytest.mark.parametrize("schema", [None, {"a": "number"}])
def test_answers_of_chat_clients_are_read_with_a_schema_too(schema):
    class Answer:
        output_text = '{"a": 1}'

    assert aj.score("record.fields", [{"a": 1}], [Answer()], schema=schema, bootstrap=0)["record.fields"].f1 == 1


@pytest.mark.parametrize("one", [({7, 8}, {9}), ({"a", "b"}, {"c"}), (["a", "b"], ["c"]), ([(0, 1), (4, 5)], [(7, 8)])])
@pytest.mark.parametrize("several", [False, True])
def test_clusters_of_ids_and_of_places(one, several):
    gold, system = list(one), [type(one[0])([*one[0], *one[1]])]
    found = aj.score("coref", [gold] if several else gold, [system] if several else system, bootstrap=0)
    assert found["coref.b3"].precision == pytest.approx(5 / 9)


def test_a_table_of_items_has_documents_without_any():
    rows = [{"doc": "a", "start": 0, "end": 2, "label": "PER"}]
    found = aj.score("ner", rows, rows, documents=["a", "b"], bootstrap=0)
    assert found.systems[0].documents == 2


SENTENCES, OTHERS = [["B-PER", "I-PER", "O"], ["O", "B-LOC"]], [["B-PER", "I-PER", "O"], ["O", "B-ORG"]]


def strict(*sides, **options):
    return aj.score("ner.strict", *sides, bootstrap=0, **options)


@pytest.mark.parametrize("frame", [list, lambda rows: Table(("id", "ner_tags", "pred"), rows)])
def test_both_sides_in_two_columns_of_lists(frame):
    rows = [
        {"id": place, "ner_tags": gold, "pred": own}
        for place, (gold, own) in enumerate(zip(SENTENCES, OTHERS, strict=True))
    ]
    assert strict(frame(rows), gold_column="ner_tags", system_column="pred")["ner.strict"].f1 == 0.5
    with pytest.raises(FormatError, match="system has no column 'prd'; it has id, ner_tags, pred"):
        strict(frame(rows), gold_column="ner_tags", system_column="prd")


def test_rows_of_tags_are_in_the_order_of_their_tokens():
    rows = [{"id": "a", "token_id": place, "tag": tag} for place, tag in enumerate(SENTENCES[0])]
    columns = ("id", "token_id", "tag")
    assert strict(Table(columns, rows), Table(columns, rows[::-1]))["ner.strict"].f1 == 1


def test_text_in_memory_is_read_as_a_file_is():
    text = "a B-PER\nb I-PER\nc O\n\nd O\ne B-LOC\n"
    assert strict(io.StringIO(text), OTHERS)["ner.strict"].f1 == 0.5
    assert strict(io.StringIO(text), {"A": io.StringIO(text)})["ner.strict"].f1 == 1
    assert len(aj.read("ner", io.StringIO(text))) == 2
    with pytest.raises(FormatError, match="this looks like data"):
        aj.read("ner", text)


def test_columns_and_streams_of_documents_are_lists():
    names = SimpleNamespace(feature=SimpleNamespace(names=["O", "B-PER", "I-PER", "B-LOC"]))
    column = type("Column", (list,), {"__module__": "datasets.arrow_dataset", "features": names})
    series = type("Series", (tuple,), {"__module__": "polars.series", "to_list": lambda self: list(self)})
    for gold in (column([[1, 2, 0], [0, 3]]), series(SENTENCES), iter(SENTENCES)):
        assert strict(gold, {"A": iter(OTHERS), "B": series(SENTENCES)})["ner.strict", "A"].f1 == 0.5


def test_what_is_not_at_its_offsets_and_who_has_no_id_is_said():
    gold = [{"id": "d", "text": "😀 Bob ran", "entities": [{"start": 3, "end": 6, "label": "PER", "text": "Bob"}]}]
    notes = {note.code: note for note in strict(gold, gold).systems[0].notes}
    assert notes["text-differs"].examples == ("d: Bob (1 earlier)",)
    some = strict([{"id": "a", "tags": SENTENCES[0]}, {"tags": SENTENCES[1]}], SENTENCES)
    assert "ids-missing" in {note.code for note in some.systems[0].notes}
    text = [{"id": "d", "text": "Ada met Bob", "entities": [(0, 3, "PER")]}]
    found = strict(text, [{"id": "d", "PER": ["ADA", "BOB"]}]).systems[0].notes
    assert [note.count for note in found if note.code == "found-folded"] == [2]


DYGIE = {
    "doc_key": "d",
    "sentences": [["A", "hit", "B"]],
    "ner": [[[0, 0, "PER"], [2, 2, "PER"]]],
    "relations": [[[0, 0, 2, 2, "R"]]],
    "events": [[[[1, "Attack"], [0, 0, "Agent"]]]],
}
PREDICTED = {**DYGIE, "predicted_ner": [[[0, 0, "PER"]]], "predicted_relations": [[]], "predicted_events": [[]]}
GRAPH = {"entities": [[0, 1, "A"], [2, 3, "B"]], "triggers": [], "relations": [[0, 1, "R"]], "roles": []}
FACTS = {"title": "d", "vertexSet": [[], []], "labels": [{"h": 0, "t": 1, "r": "P1"}]}


@pytest.mark.parametrize(
    ("metric", "gold", "system", "recall"),
    [
        ("ner.strict", DYGIE, PREDICTED, 1 / 2),
        ("relation.boundary", DYGIE, PREDICTED, 0),
        ("relation.boundary", DYGIE, DYGIE, 1),
        ("event.trigger-cls", DYGIE, PREDICTED, 0),
        ("event.argument-cls", DYGIE, DYGIE, 1),
        ("relation.strict", {"sent_id": "s", "tokens": ["a", "b", "c"], "graph": GRAPH}, None, 1),
        ("relation.docred", FACTS, {"title": "d", "h_idx": 0, "t_idx": 1, "r": "P1"}, 1),
        ("relation.docred", FACTS, {**FACTS, "labels": []}, 0),
        ("coref.b3", {"id": "d", "clusters": [[[0, 1], [2, 3]]]}, None, 1),
        ("coref.muc", *[{"id": "d", "clusters": [[[0, 1], [2, 3]]], "predicted_clusters": []}] * 2, 0),
    ],
)
def test_the_output_of_a_program_that_keeps_gold_is_not_gold(metric, gold, system, recall):
    assert aj.score(metric, [gold], [system or gold], bootstrap=0)[metric].recall == pytest.approx(recall)


def test_nothing_of_a_document_is_lost_in_silence():
    gold = [{"text": "Ada met Bob", "mentions": [{"start": 0, "end": 3, "entity": "Q1"}]}]
    answer = [{"mentions": [{"text": "Ada", "entity": "Q1"}, {"text": "Zed", "entity": "Q2"}]}]
    assert aj.score("linking.link", gold, answer, bootstrap=0)["linking.link"].precision == 0.5
    one, several = ([[{"type": "A", "trigger": [1, 2], "arguments": {"X": span}}]] for span in ([0, 1], [[0, 1]]))
    assert aj.score("event.argument-cls", one, several, bootstrap=0, ends="exclusive")["event.argument-cls"].f1 == 1
    whole = [
        [{"id": (1, 2), "text": "ab"}, {"id": 1, "head": 2, "deprel": "x"}, {"id": 2, "head": 0, "deprel": "root"}]
    ]
    assert aj.score("tree.las", whole, [whole[0][1:]], bootstrap=0)["tree.las"].f1 == 1
    both = [{"expected": {"a": 1}, "answer": '{"a": 1}'}]
    options = {"gold_column": "expected", "system_column": "answer"}
    assert aj.score("record.fields", both, bootstrap=0, **options)["record.fields"].f1 == 1


ROWS = [
    (
        "ner.strict",
        [{"sentence_id": 1, "token": "Ada", "tag": "B-PER"}, {"sentence_id": 1, "token": "ran", "tag": "O"}],
    ),
    ("relation.triples", [{"doc": 1, "head": "a", "relation": "r", "tail": end} for end in "bc"]),
    ("relation.triples", [{"doc": 1, "subject": "a", "predicate": "r", "object": end} for end in "bc"]),
    ("ner.strict", [{"id": 1, "entities": [{"span": {"start": 0, "end": 2}, "label": "PER"}]}]),
]


@pytest.mark.parametrize(("metric", "rows"), ROWS)
def test_rows_and_labels_as_people_have_them(metric, rows):
    found = aj.score(metric, rows, rows, bootstrap=0)
    assert (found.systems[0].documents, found[metric].f1) == (1, 1)


@pytest.mark.parametrize("argument", [("X", (0, 1)), ((0, 1), "X"), ("X", 0, 1), (0, 1, "X")])
def test_arguments_are_pairs_and_tuples(argument):
    one, other = ([[{"type": "A", "trigger": (1, 2), "arguments": each}]] for each in ([argument], {"X": (0, 1)}))
    assert aj.score("event.argument-cls", one, other, bootstrap=0)["event.argument-cls"].f1 == 1


class NAType:
    """What pandas has where nothing is."""


class Array:
    dtype = "int64"

    def tolist(self):
        return [1, 2]


def test_values_of_numpy_and_pandas_in_records_are_plain_ones():
    rows = [{"a": float("nan"), "b": NAType(), "c": Array(), "d": [{"e": float("nan"), "f": 1}]}]
    assert aj.score("record.fields", rows, [{"c": [1, 2], "d": [{"f": 1}]}], bootstrap=0)["record.fields"].f1 == 1
