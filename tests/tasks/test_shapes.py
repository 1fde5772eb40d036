"""Shapes in memory that are near others: each is taken for what it is, or refused with what helps."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import adjudge as aj
from adjudge.errors import AdjudgeError
from adjudge.formats.coerce.sides import coerce

GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-ORG"]]
SYSTEM = [["B-PER", "I-PER", "O", "O"], ["O", "B-ORG"]]
TOKENS = [["Ada", "Lovelace", "in", "Rome"], ["at", "IBM"]]
TEXT = "Ada met Bob in Paris"
CLUSTERS = {"m1": "e1", "m2": "e1", "m3": "e2", "m4": "e2"}


class DatasetDict(dict):
    """As the library `datasets` has it, by the name of the module that it comes from."""

    __module__ = "datasets.dataset_dict"


class Span(SimpleNamespace):
    """A span of spaCy, by the name of the module that it comes from."""

    __module__ = "spacy.tokens.span"


def spans(*places):
    doc = SimpleNamespace(text=TEXT)
    return [Span(start_char=a, end_char=b, label_=label, kb_id_="", doc=doc) for a, b, label in places]


def strict(gold, system, **options):
    score = aj.score("ner.strict", gold, system, bootstrap=0, **options)["ner.strict"]
    return float(score.precision), float(score.recall)


def test_one_document_of_tokens_and_tags():
    assert strict((TOKENS[0], GOLD[0]), (TOKENS[0], SYSTEM[0])) == (1, 0.5)
    assert strict((TOKENS[0], GOLD[0]), (TOKENS[0], ["O"] * 4)) == (0, 0)
    assert strict((["PER", "O"], ["O", "PER"]), (["PER", "O"], ["O", "O"]), scheme="IO") == (1, 0.5)  # two documents


@pytest.mark.parametrize("between", [(), ("NN",)], ids=["pairs", "with parts of speech"])
def test_tokens_each_with_its_tag(between):
    gold, system = (
        [[(token, *between, tag) for token, tag in zip(*each, strict=True)] for each in zip(TOKENS, side, strict=True)]
        for side in (GOLD, SYSTEM)
    )
    assert strict(gold, system) == pytest.approx((1, 2 / 3))


@pytest.mark.parametrize("labels", [{0: "O", 1: "B-PER"}, {"0": "O", "1": "B-PER"}, {"O": 0, "B-PER": 1}])
def test_the_labels_of_a_model_are_a_mapping_in_either_direction(labels):
    assert strict([[0, 1, 1]], [[0, 1, 0]], labels=labels) == (1, 0.5)
    with pytest.raises(AdjudgeError, match="the numbers are not 0, 1, 2"):
        strict([[0, 1]], [[0, 1]], labels={0: "O", 7: "B-PER"})


@pytest.mark.parametrize("sides", [lambda own: (own, GOLD), lambda own: (GOLD, own)], ids=["gold", "system"])
def test_the_splits_of_a_dataset_are_no_documents_and_no_systems(sides):
    splits = DatasetDict(train=GOLD, test=GOLD)
    with pytest.raises(AdjudgeError, match="is a DatasetDict with the splits 'train', 'test'; pass one of them"):
        strict(*sides(splits))


def test_spans_of_spacy_without_their_documents():
    gold, system = spans((0, 3, "PER"), (8, 11, "PER")), spans((0, 3, "PER"), (15, 20, "LOC"))
    assert strict([gold, []], [tuple(system), ()]) == (0.5, 0.5)
    assert strict([gold], [[{"text": "Bob", "label": "PER"}]]) == (1, 0.5)  # found in their text


def test_documents_of_spacy_as_json():
    group = {"sc": [{"start": 0, "end": 11, "label": "PER", "kb_id": ""}]}
    words = [{"id": 0, "start": 0, "end": 3}]
    gold = {"text": TEXT, "ents": [{"start": 0, "end": 3, "label": "PER"}], "tokens": words, "spans": group}
    found = aj.read("ner", [gold])
    assert found[0]["entities"] == [{"span": {"start": 0, "end": 3}, "type": "PER"}]
    assert (found.reading.unit, found.reading.said) == ("char", "shape")


def test_an_entity_of_a_link_is_no_tagged_piece():
    adjacent = [{"start": 0, "end": 3, "entity": "I-94"}, {"start": 4, "end": 8, "entity": "I-94"}]
    assert len(aj.read("linking", [adjacent])[0]["mentions"]) == 2


def test_answers_without_json_are_no_paths():
    gold = [{"id": "a", "text": TEXT, "entities": [{"start": 0, "end": 3, "label": "PER"}]}]
    result = aj.score("ner", gold, ["I found no names"], bootstrap=0)
    assert float(result["ner.strict"].recall) == 0
    assert "no-json" in {note.code for note in result.systems[0].notes}
    assert strict(gold, ["<PER>Ada</PER> met Bob in Paris"], format="inline") == (1, 1)
    with pytest.raises(AdjudgeError, match="there is no such file"):
        strict(gold, ["my runs/a.jsonl"])


@pytest.mark.parametrize("wrap", [lambda text: text, lambda text: {"id": "a", "output": text}])
@pytest.mark.parametrize(
    ("answer", "right", "notes"),
    [
        ("Bo  met <PER>Bo</PER>", 1, set()),  # and not the first one
        ("Bo met\n<PER>BO</PER>", 1, set()),  # the same text but for spaces and case
        ("Bo saw <PER>Bo</PER>", 0, {"other-text", "ungrounded"}),
        ("<PER>Bo</PER>", 0, {"other-text", "ungrounded"}),
    ],
)
def test_marked_answers_have_the_text_of_the_document_or_are_ungrounded(wrap, answer, right, notes):
    gold = [{"id": "a", "text": "Bo  met Bo", "entities": [{"start": 8, "end": 10, "label": "PER"}]}]
    result = aj.score("ner", gold, [wrap(answer)], format="inline", bootstrap=0)
    scores = result["ner.strict"]
    assert (float(scores.precision), float(scores.recall)) == (right, right)
    assert notes == {note.code for note in result.systems[0].notes} & {"other-text", "ungrounded"}


def test_documents_by_the_ids_that_a_list_of_gold_has_are_one_system():
    gold = [{"id": "a", "text": TEXT, "entities": [{"start": 0, "end": 3, "label": "PER"}]}]
    assert strict(gold, {"a": [("Ada", "PER"), ("Paris", "LOC")]}) == (0.5, 1)


def test_what_gold_leaves_out_is_left_out_of_the_system():
    span = {"start": 0, "end": 3, "label": "PER"}
    gold = [
        {"text": TEXT, "_input_hash": number, "spans": [span], "answer": answer}
        for number, answer in enumerate(("accept", "reject"))
    ]
    system = [{"text": TEXT, "_input_hash": number, "spans": [span]} for number in range(2)]
    result = aj.score("ner", gold, system, bootstrap=0)
    assert float(result["ner.strict"].precision) == 1
    assert "not-accepted" in {note.code for note in result.systems[0].notes}


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("locate", "frist", "'next' or 'all' or 'first'"),
        ("ends", "incl", "'exclusive' or 'inclusive'"),
        ("system_ends", "open", "'exclusive' or 'inclusive'"),
        ("unit", "word", "'token' or 'char'"),
        ("offsets", "utf8", "'utf-16' or 'bytes'"),
    ],
)
def test_a_value_that_an_option_does_not_have_is_refused(name, value, hint):
    with pytest.raises(AdjudgeError, match=f"there is no .*={value!r}, use {hint}"):
        strict([[(0, 3, "PER")]], [[(0, 3, "PER")]], **{name: value})


def test_rows_without_a_document_are_refused():
    rows = [{"sent_id": name, "start": 0, "end": 2, "label": "PER"} for name in ("a", None, "b")]
    with pytest.raises(AdjudgeError, match=r"1 of 3 rows have no 'sent_id' \(first: row 2\); fill them in"):
        strict(rows, rows)


# Relations, coreference, trees


def test_a_system_without_a_triple_is_scored_against_triples():
    gold = {"d1": [("Ada", "born in", "London"), ("Ada", "met", "Bob")]}
    result = aj.score("relation", gold, {"A": {"d1": gold["d1"][:1]}, "B": {"d1": []}}, bootstrap=0)
    assert [float(result["relation.triples", name].recall) for name in "AB"] == [0.5, 0]


def test_a_relation_of_an_entity_that_is_not_there_is_named():
    entities = [{"id": "T1", "start": 0, "end": 3, "label": "PER"}]
    gold = [{"entities": entities, "relations": [{"type": "met", "head": "T1", "tail": "T9"}]}]
    with pytest.raises(AdjudgeError, match="gold: a relation refers to 'T9', which is none of the entities"):
        aj.score("relation", gold, gold, bootstrap=0)


def test_the_entity_of_every_mention_is_one_document():
    system = {**CLUSTERS, "m3": "e1", "m4": "e1"}
    result = aj.score("coref.muc", CLUSTERS, system, shape="mapping", bootstrap=0)
    assert float(result["coref.muc"].precision) == pytest.approx(2 / 3)
    several = aj.score("coref.muc", CLUSTERS, {"A": system, "B": CLUSTERS}, shape="mapping", bootstrap=0)
    assert float(several["coref.muc", "B"].precision) == 1
    by_document = aj.score("coref.muc", {"d": CLUSTERS}, {"d": system}, shape="mapping", bootstrap=0)
    assert float(by_document["coref.muc"].precision) == pytest.approx(2 / 3)


def test_a_table_of_mentions_needs_no_word_about_its_ends():
    pandas = pytest.importorskip("pandas")
    rows = [("d", 0, 1, 1), ("d", 2, 3, 1), ("d", 4, 5, 2)]
    table = pandas.DataFrame(rows, columns=["doc", "start", "end", "cluster"])
    recall = aj.score("coref.mentions", table, table[:2], bootstrap=0)["coref.mentions"].recall
    assert float(recall) == pytest.approx(2 / 3)


# A side in memory beside a file


@pytest.fixture
def bio(tmp_path):
    path = tmp_path / "side.bio"
    path.write_text("Ada B-PER\nLovelace I-PER\nin O\nRome B-LOC\n\nat O\nIBM B-ORG\n", encoding="utf-8")
    return path


def test_gold_in_memory_is_compared_with_a_file(bio, tmp_path):
    assert strict(SYSTEM, bio) == pytest.approx((2 / 3, 1))
    assert strict(bio, SYSTEM) == pytest.approx((1, 2 / 3))
    lines = tmp_path / "system.jsonl"
    lines.write_text('{"id": "x", "entities": [{"span": {"start": 0, "end": 2}, "type": "PER"}]}\n', encoding="utf-8")
    assert strict({"x": GOLD[0]}, lines) == (1, 0.5)
    result = aj.score("ner.strict", GOLD, {"file": bio, "list": SYSTEM}, bootstrap=0)
    assert [float(result["ner.strict", name].recall) for name in ("file", "list")] == pytest.approx([1, 2 / 3])
    with pytest.raises(AdjudgeError, match="give ids on both sides, or on neither"):
        strict(GOLD[:1], bio)


def test_characters_in_memory_are_not_compared_with_tokens_in_a_file(bio):
    gold = [spans((0, 3, "PER")), spans((0, 3, "PER"))]
    with pytest.raises(AdjudgeError, match="system counts tokens, and gold counts characters"):
        strict(gold, bio)
    with pytest.raises(AdjudgeError, match="system counts characters, and gold counts tokens"):
        strict(bio, gold)


def test_a_file_in_a_list_is_called_by_its_name(bio, tmp_path):
    gold = tmp_path / "gold.jsonl"
    rows = [{"text": TEXT, "entities": [{"start": 0, "end": 3, "label": "PER"}]}] * 2
    gold.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    with pytest.raises(AdjudgeError) as caught:
        strict(gold, [bio])
    message = "system counts tokens, and gold counts characters, give both in one unit"
    assert str(caught.value) == f"{bio}: {message}"
    tokens = [{"id": f"sentence-{n}", "tokens": ["at", "IBM"], "entities": [(1, 2, "ORG")]} for n in (1, 2)]
    gold.write_text("".join(json.dumps(each) + "\n" for each in tokens), encoding="utf-8")
    assert [each.name for each in aj.score("ner.strict", gold, [bio], bootstrap=0).systems] == [bio.stem]


def test_a_tree_in_memory_is_compared_with_a_file(tmp_path):
    path = tmp_path / "gold.conllu"
    rows = "1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tate\teat\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    path.write_text(rows, encoding="utf-8")
    heads = [{"heads": [2, 0], "deprels": ["obj", "root"]}]
    for sides in ((path, heads), (heads, path)):
        result = aj.score("tree", *sides, bootstrap=0)
        assert (float(result["tree.uas"].f1), float(result["tree.las"].f1)) == (1, 0.5)


def test_a_table_in_parquet_is_read_as_one_in_memory(tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    items = {"doc_id": ["a", "a"], "start": [0, 3], "end": [2, 4], "label": ["PER", "LOC"]}
    tags = {"id": ["a"], "tags": [["B-PER", "I-PER", "O", "B-LOC"]]}
    for name, columns in (("items", items), ("tags", tags)):
        parquet.write_table(pyarrow.table(columns), tmp_path / f"{name}.parquet")
    assert strict(tmp_path / "items.parquet", tmp_path / "items.parquet", ends="exclusive") == (1, 1)
    assert strict(tmp_path / "tags.parquet", [["B-PER", "I-PER", "O", "O"]]) == (1, 0.5)


def _calls(run: Callable[[], object]) -> int:
    """How many functions of Python are called."""
    calls = 0

    def seen(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        run()
    finally:
        sys.setprofile(before)
    return calls


def test_what_it_takes_to_read_lists_of_tags_is_what_it_takes_to_decode_them() -> None:
    sides = [[["B-PER", "I-PER", "O"]] * number for number in (100, 300)]
    few, many = (_calls(lambda side=side: coerce("ner", side, {"system": side}, {})) for side in sides)
    assert (many - few) / 400 <= 16


def test_findings_are_shown_as_text() -> None:
    found = aj.ner.validate([{"id": "a", "entities": [{"span": {"start": 3, "end": 1}, "type": "PER"}]}])
    first, last = repr(found).splitlines()
    assert "error: document 'a', entities[0].span: the span ends at 1 before it starts at 3" in first
    assert last.endswith("1 document, 1 item, 1 error, 0 warnings")


def test_the_first_token_that_differs_is_named() -> None:
    gold = [{"tokens": tokens, "tags": tags} for tokens, tags in zip(TOKENS, GOLD, strict=True)]
    other = [{**gold[0], "tokens": ["Ada", "King", "in", "Paris"]}, gold[1]]
    result = aj.score("ner.strict", gold, other, bootstrap=0)
    (note,) = [each for system in result.systems for each in system.notes if each.code == "tokens-differ"]
    assert (note.count, note.message) == (1, "system: 1 document has other tokens than gold")
    assert note.examples == ("document '1', token 2: 'King', and 'Lovelace' in gold",)
    same = aj.score("ner.strict", gold, gold, bootstrap=0)
    assert not [each for system in same.systems for each in system.notes if each.code == "tokens-differ"]


@pytest.mark.parametrize(
    "gold",
    [
        [{"id": "d1", "mentions": [{"span": {"start": 0, "end": 3}, "type": "PER", "qid": "Q1"}]}],
        {"d1": [{"start": 0, "end": 3, "label": "PER", "qid": "Q1"}]},
        [{"id": "d1", "mentions": [{"start": 0, "end": 3, "label": "PER", "qid": "Q1"}]}],
    ],
)
def test_entities_under_another_name_are_no_entities(gold: object) -> None:
    told = r'gold: no mention has an entity \(first: document \'d1\' has qid\); call it entity, or set fields={"entity"'
    with pytest.raises(AdjudgeError, match=told):
        aj.score("linking.link", gold, gold)
    named = aj.score("linking.link", gold, gold, fields={"entity": "qid"}, ends="exclusive", bootstrap=0)
    assert float(named["linking.link"].f1) == 1


def test_mentions_without_an_entity_are_scored_as_before() -> None:
    gold = [{"id": "d1", "mentions": [{"span": {"start": 0, "end": 3}, "type": "PER", "mention_id": "m1"}]}]
    assert float(aj.score("linking.nil", gold, gold, bootstrap=0)["linking.nil"].f1) == 1


def codes(result):
    """The notes on gold and on the system, with their numbers."""
    notes = [*result.notes, *(note for each in result.systems for note in each.notes)]
    return {note.code: note.count for note in notes}


BROKEN = {
    "pairs and a label": ([(0, 3), (8, 10)], "PER"),
    "a label and pairs": ("PER", [[8, 10], [0, 3]]),
    "span": {"span": [[0, 3], [8, 10]], "label": "PER"},
    "spans": {"spans": [[0, 3], [8, 10]], "label": "PER"},
    "offsets, as BigBio has them": {"offsets": [[0, 3], [8, 10]], "text": ["Ada", "Bo"], "type": "PER"},
    "fragments with fields": {"fragments": [{"start": 0, "end": 3}, {"start": 8, "end": 10}], "label": "PER"},
    "lists of starts and ends": {"start": [0, 8], "end": [3, 10], "label": "PER"},
}


@pytest.mark.parametrize("item", BROKEN.values(), ids=BROKEN)
def test_fragments_are_joined_to_their_hull_or_kept(item) -> None:
    gold, hull = [[item]], [[(0, 10, "PER")]]
    found = aj.score("ner.strict", gold, hull, bootstrap=0, ends="exclusive")
    assert (found["ner.strict"].f1, codes(found)) == (1, {"fragments-joined": 1})
    kept = aj.score("ner.strict", gold, [[(0, 3, "PER")]], bootstrap=0, ends="exclusive", fragments="keep")
    assert (kept["ner.strict"].precision, kept["ner.strict"].recall, codes(kept)) == (1, 0.5, {})
    # Both fragments end before the place that is said to be the last.
    assert strict(gold, [[(0, 11, "PER")]], gold_ends="inclusive", system_ends="exclusive") == (1, 1)


def test_a_single_fragment_is_a_span() -> None:
    gold = [{"text": "Ada met Bo", "entities": [{"offsets": [[0, 3]], "text": ["Ada"], "type": "PER"}]}]
    found = aj.score("ner.strict", gold, [[(0, 3, "PER")]], bootstrap=0, system_ends="exclusive")
    assert (found["ner.strict"].f1, codes(found)) == (1, {})


def test_fragments_of_relations_and_triggers_are_joined() -> None:
    gold = [{"relations": [([(0, 3), (8, 10)], "knows", (12, 15))]}]
    found = aj.score("relation", gold, [[((0, 10), "knows", (12, 15))]], bootstrap=0, ends="exclusive")
    assert (found["relation.strict"].f1, codes(found)["fragments-joined"]) == (1, 1)
    gold = [{"events": [{"type": "T", "trigger": [[0, 3], [8, 10]], "arguments": []}]}]
    system = [{"events": [{"type": "T", "trigger": [0, 10, "T"], "arguments": []}]}]
    assert codes(aj.score("event", gold, system, bootstrap=0, ends="exclusive"))["fragments-joined"] == 1


@pytest.mark.parametrize("item", [(0, 36.0, "PER"), {"start": 0.0, "end": 36.0, "label": "PER"}, ((0.0, 36.0), "PER")])
def test_whole_numbers_may_be_floats(item) -> None:
    assert strict([[item]], [[(0, 36, "PER")]]) == (1, 1)
    native = [{"id": "a", "entities": [{"span": {"start": 0.0, "end": 36.0}, "type": "PER"}]}]
    assert strict(native, [{"id": "a", "entities": [(0, 36, "PER")]}]) == (1, 1)


@pytest.mark.parametrize("item", [(0, 36.5, "PER"), ("PER", 0, 36.5), {"start": 0, "end": 36.5, "label": "PER"}])
def test_an_offset_that_is_no_whole_number_is_named(item) -> None:
    with pytest.raises(AdjudgeError, match=r"^system, document 'b': the offset 36\.5 is not a whole number; offsets"):
        strict({"a": [], "b": []}, {"a": [(0, 3, "PER")], "b": [item]})
    with pytest.raises(AdjudgeError, match=r"^gold, document '1': the offset 36\.5 is not a whole number; offsets"):
        aj.score("relation", [[((0, 36.5), "r", (40, 42))]], [[((0, 36), "r", (40, 42))]], bootstrap=0)


def test_rows_of_items_may_have_gaps_and_other_columns() -> None:
    gold = [
        {"id": "a", "start": 0.0, "end": 3.0, "label": "PER"},
        {"id": "b", "start": None, "end": None, "label": None},  # nothing is in it
        {"id": "a", "start": 5.0, "end": float("nan"), "label": "PER", "score": 0.5},
    ]
    with pytest.raises(AdjudgeError, match="gold: 1 of 2 documents have none of entities"):
        strict(gold, gold)
    gold[2]["end"] = 9.0
    assert strict(gold, [{"id": "a", "start": 0, "end": 3, "label": "PER"}], ends="exclusive") == (1, 0.5)
    assert len(aj.read("ner", gold)) == 2


CELLS = {
    "JSON": ('["Ada", "left"]', '["B-PER", "O"]'),
    "lists of Python": ("['Ada', 'left']", "['B-PER', 'O']"),
    "tuples of Python": ("('Ada', 'left')", "('B-PER', 'O')"),
    "arrays of numpy": ("['Ada' 'left']", "['B-PER'\n 'O']"),
}


def written(path, rows, **style):
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, list(rows[0]), **style)
        table.writeheader()
        table.writerows(rows)
    return str(path)


@pytest.mark.parametrize(("tokens", "tags"), CELLS.values(), ids=CELLS)
@pytest.mark.parametrize("style", [{}, {"delimiter": "\t"}, {"delimiter": ";", "quoting": csv.QUOTE_ALL}])
def test_lists_in_the_cells_of_a_table_are_lists(tokens, tags, style, tmp_path) -> None:
    gold = [{"id": "a", "tokens": tokens, "ner_tags": tags}, {"id": "b", "tokens": "['Bo']", "ner_tags": "['B-PER']"}]
    system = [{"id": "b", "tokens": "['Bo']", "ner_tags": "['O']"}, {"id": "a", "tokens": tokens, "ner_tags": tags}]
    both = written(tmp_path / "gold.csv", gold, **style), written(tmp_path / "system.csv", system, **style)
    assert strict(gold, system) == strict(*both) == strict(*both, reader="csv") == (1, 0.5)
    assert strict(both[0], system) == strict(gold, both[1]) == (1, 0.5)
    assert aj.read("ner", both[0])[0]["tokens"] == ["Ada", "left"]
    both = [[{name: row[name] for name in ("tokens", "ner_tags")} for row in side] for side in (gold, system[::-1])]
    assert strict(*both) == (1, 0.5)  # by position
    assert strict(written(tmp_path / "gold.csv", both[0]), written(tmp_path / "system.csv", both[1])) == (1, 0.5)


def test_lists_of_other_things_in_cells(tmp_path) -> None:
    rows = [{"id": "a", "text": "[Ada] met Bo", "entities": '[{"start": 1, "end": 4, "label": "PER"}]'}]
    assert strict(rows, written(tmp_path / "a.csv", rows)) == (1, 1)
    assert strict([{"id": "a", "ner_tags": "[1 0 2]"}], [["B-PER", "O", "I-PER"]], labels=["O", "B-PER", "I-PER"])
    relations = [{"id": "a", "relations": '[[[0, 3], "knows", [8, 10]]]'}]
    path = written(tmp_path / "r.csv", relations)
    for source in (relations, path):
        found = aj.score("relation.strict", source, relations, reader="csv" if source is path else "guess", bootstrap=0)
        assert found["relation.strict"].f1 == 1
    triples = written(tmp_path / "t.csv", [{"id": "a", "triples": "[['Ada', 'born', 'Rome']]"}])
    assert aj.score("relation", triples, {"a": [("Ada", "born", "Rome")]}, bootstrap=0)["relation.triples"].f1 == 1
    both = [{"id": "a", "truth": "['B-PER' 'O']", "mine": "['B-PER' 'B-LOC']"}]
    for source in (both, written(tmp_path / "both.csv", both)):
        found = aj.score(
            "ner",
            source,
            gold_column="truth",
            system_column="mine",
            reader="csv" * (source is not both) or "guess",
            bootstrap=0,
        )
        assert found["ner.strict"].precision == 0.5


def test_a_cell_that_is_no_list_among_lists_is_named(tmp_path) -> None:
    rows = [{"id": "a", "tags": "['B-PER']"}, {"id": "b", "tags": "['B-PER'"}]
    said = r"""document 'b': "\['B-PER'" in the column tags is not a list; write all of them as JSON"""
    with pytest.raises(AdjudgeError, match=f"^gold, {said}"):
        strict(rows, rows[:1])
    with pytest.raises(AdjudgeError, match=rf"a\.csv:3: {said}"):
        strict(written(tmp_path / "a.csv", rows), written(tmp_path / "b.csv", rows[:1]))


def test_offsets_in_a_table_on_disk_may_have_gaps(tmp_path) -> None:
    rows = [
        {"doc_id": "a", "start": "0.0", "end": "36.0", "label": "PER"},
        {"doc_id": "b", "start": "", "end": "", "label": ""},
    ]
    gold = written(tmp_path / "gold.csv", rows)
    assert strict(gold, {"a": [(0, 36, "PER")], "b": []}) == (1, 1)
    rows[0]["end"] = "36.5"
    with pytest.raises(
        AdjudgeError, match=r"odd\.csv:2: document 'a': the offset 36\.5 is not a whole number; offsets"
    ):
        strict(gold, written(tmp_path / "odd.csv", rows))
    with pytest.raises(
        AdjudgeError, match=r"odd\.csv:2: document 'a': the offset 36\.5 is not a whole number; offsets"
    ):
        strict(str(tmp_path / "odd.csv"), gold, reader="csv")


def test_a_table_of_documents_is_still_one_of_records_for_who_asks(tmp_path) -> None:
    path = written(tmp_path / "a.csv", [{"id": "a", "tags": "['x']", "name": "Ada"}])
    assert aj.score("record", path, path, bootstrap=0)["record.fields"].f1 == 1


def test_files_called_like_documents_are_systems_and_documents_by_the_ids_of_a_file_are_not(tmp_path) -> None:
    rows = [{"id": "a", "ner_tags": "['B-PER']"}, {"id": "b", "ner_tags": "['B-LOC']"}]
    gold = {"a": ["B-PER"], "b": ["B-LOC"]}
    assert strict(gold, written(tmp_path / "a.csv", rows)) == (1, 1)
    assert strict(str(tmp_path / "a.csv"), gold) == (1, 1)
    path = tmp_path / "gold.bio"
    path.write_text("Ada B-PER\n\nRome B-LOC\n", encoding="utf-8")
    assert strict(path, {"sentence-1": ["B-PER"], "sentence-2": ["O"]}) == (1, 0.5)
    found = aj.score("ner.strict", path, {"A": [["B-PER"], ["O"]], "B": path}, bootstrap=0)["ner.strict"]
    assert (found["A"].recall, found["B"].recall) == (0.5, 1)


@pytest.mark.parametrize("own", [["B-PER", "O"], [(0, 3, "PER")], {"tokens": ["a", "b"], "tags": ["O", "O"]}])
def test_documents_by_other_ids_than_those_of_gold_are_no_systems(own) -> None:
    gold = {"d1": own, "d2": own, "d3": own}
    said = r"^no document of system is in gold \(gold: 'd1', 'd2', ...; system: 'doc1', 'doc2'\); do the ids agree\?"
    with pytest.raises(AdjudgeError, match=said):
        strict(gold, {"doc1": own, "doc2": own})
    found = aj.score("ner.strict", list(gold.values()), {"A": list(gold.values()), "B": [own, own, own]}, bootstrap=0)
    assert len(found.systems) == 2


def test_the_likeliest_mistakes_are_said_of_the_side_that_has_them() -> None:
    tags = [["O"], ["O"] * 5, ["O"] * 3]
    mistakes = {
        "system 'A', document '1': tags are numbers (5, 6, 6, ...) without names; pass labels=[\"O\", \"B-PER\", ...], "
        "or a Dataset whose features name them": ([["O"] * 3], [[5, 6, 6]]),
        "system 'A', document '1': 'PER' has no B- or I- prefix; say scheme=\"IO\" if each run of a label is one "
        "entity": ([["O"] * 2], [["PER", "O"]]),
        "system 'A': 2 of 3 spans are empty with exclusive ends (first: document '1', (4, 4, 'PER')); if an end is the "
        'last token or character of the span, say ends="inclusive"': (
            [[(1, 2, "PER")]],
            [[(4, 4, "PER"), (5, 5, "PER"), (6, 8, "PER")]],
        ),
        "document '2': gold has 5 tags, system 'A' has 4; both sides need the same tokens (2 documents differ)": (
            tags,
            [["O"], ["O"] * 4, ["O"] * 2],
        ),
        "gold has 1 document, system 'A' has 2, and they have no ids; pass {id: document}, or lists of equal length": (
            [["O"]],
            [["O"], ["O"]],
        ),
        "no document of system 'A' is in gold (gold: 'd1', 'd2', ...; system: 'doc1', 'doc2', ...); do the ids "
        "agree?": (
            dict(zip(("d1", "d2", "d3"), tags, strict=True)),
            dict(zip(("doc1", "doc2", "doc3"), tags, strict=True)),
        ),
        "system 'A': 60 of 60 documents have none of entities, spans, tags, ... (first: document '1' has prompt, "
        'verdict); name the field with field="verdict"': ([["O"]] * 60, [{"prompt": "x", "verdict": "y"}] * 60),
        "system 'A': a table with one row per entity needs a column for the document; its columns are start, end, "
        'label; name it with id="COLUMN"': ([["O"]], [{"start": 0, "end": 3, "label": "PER"}]),
        "system 'A' is a DatasetDict with the splits 'train', 'test'; pass one of them, for example system[\"test\"]": (
            [["O"]],
            DatasetDict(train=GOLD, test=GOLD),
        ),
    }
    for said, (gold, system) in mistakes.items():
        with pytest.raises(AdjudgeError) as caught:
            aj.score("ner", gold, {"A": system, "B": gold}, bootstrap=0)
        assert str(caught.value) == said
    with pytest.raises(AdjudgeError) as caught:
        aj.score("ner", GOLD, GOLD, reader="bio")
    said = 'reader="bio" is for files; gold is in memory and was recognised as tag lists; leave reader out'
    assert str(caught.value) == said


def test_entities_as_flair_writes_them() -> None:
    entity = {"text": "Ada", "start_pos": 0, "end_pos": 3, "labels": [{"value": "PER", "confidence": 0.9}]}
    assert strict([{"text": "Ada met Bo", "entities": [entity]}], [[(0, 3, "PER")]]) == (1, 1)
    with pytest.raises(AdjudgeError, match=r"gold: a label is \['PER'\]; give each entity one label, a text"):
        strict([[(0, 3, ["PER"])]], [[(0, 3, "PER")]])


def test_places_by_type() -> None:
    assert strict([{"PER": [(0, 3), (8, 10)], "LOC": []}], [{"PER": [[0, 3]]}], ends="exclusive") == (1, 0.5)


def test_spans_of_one_document() -> None:
    gold, system = [(0, 3, "PER"), (8, 10, "PER")], [("PER", 0, 3)]
    found = aj.score("ner.strict", gold, system, bootstrap=0, ends="exclusive")
    assert (found["ner.strict"].recall, codes(found)) == (0.5, {"one-document": 1})
    assert strict({"a": gold}, {"a": system}, ends="exclusive") == strict([gold], [system]) == (1, 0.5)
