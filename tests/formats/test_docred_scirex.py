"""Readers of DocRED and SciREX files."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError
from adjudge.formats.docred import read_answers, read_docred, read_docred_result, read_gold, read_train_facts
from adjudge.formats.scirex import read_scirex, read_scirex_output, read_scirex_system

GOLD = {
    "title": "T",
    "vertexSet": [[{"name": "Paris"}, {"name": "City of Light"}], [{"name": "France"}]],
    "labels": [{"h": 0, "t": 1, "r": "P17", "evidence": [2, 0, 2]}],
}
SCIREX = {
    "doc_id": "d",
    "ner": [[0, 3, "Material"], [5, 6, "Metric"], [7, 9, "Task"], [10, 12, "Method"], [20, 22, "Method"]],
    "coref": {"mat": [[0, 3]], "met": [[5, 6]], "task": [[7, 9]], "meth": [[10, 12]], "sub": [[20, 22]], "x": [[1, 2]]},
    "n_ary_relations": [{"Material": "mat", "Metric": "met", "Task": "task", "Method": "meth", "score": "3"}],
    "method_subrelations": {"meth": [[[0, 1], "sub"], [[0, 1], "meth"]]},
}


def encoded(*lines):
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def says(action, text):
    with pytest.raises(AdjudgeError) as caught:
        action()
    found = [str(problem) for problem in caught.value.problems]
    assert any(text in each for each in found), found


class TestDocred:
    def test_both_sides_have_one_form(self):
        fact = {"type": "P17", "head": 0, "tail": 1, "evidence": [0, 2], "known": False}
        names = [["Paris", "City of Light"], ["France"]]
        assert read_docred(encoded([GOLD])).documents[0].data == {"id": "T", "facts": [fact], "names": names}
        answer = {"title": "T", "h_idx": 0, "t_idx": 1, "r": "P17", "evidence": [0, 2]}
        assert read_docred_result(encoded([answer])).documents[0].data == {"id": "T", "facts": [fact]}

    def test_training_facts_have_all_names(self):
        facts = {("Paris", "France", "P17"), ("City of Light", "France", "P17")}
        assert read_train_facts(encoded([GOLD])) == facts
        assert read_train_facts(encoded([list(fact) for fact in facts])) == facts

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ([GOLD, GOLD], "[1]: duplicate title 'T'"),
            ([{**GOLD, "labels": [{"h": 0, "t": 7, "r": "x"}]}], "[0].labels[0]: entities 0 and 7 of 2"),
            ([{"title": 5}], "[0].title: expected `str`, got `int`"),
            ({"title": "T"}, "expected `array`, got `object`"),
        ],
    )
    def test_what_is_wrong_is_said(self, value, text):
        says(lambda: read_gold(encoded(value)), text)

    @given(
        st.recursive(
            st.none() | st.integers() | st.text(max_size=3),
            lambda x: (
                st.lists(x)
                | st.dictionaries(st.sampled_from(["title", "labels", "h", "t", "r", "vertexSet", "h_idx"]), x)
            ),
            max_leaves=6,
        )
    )
    def test_any_json_is_read_or_refused(self, value):
        for read in (read_docred, read_answers, read_train_facts):
            try:
                read(encoded(value))
            except AdjudgeError as error:
                found = error.problems
                assert found


class TestScirex:
    @pytest.fixture
    def folder(self, tmp_path):
        clusters = {"doc_id": "d", "clusters": {"A": [[0, 2]], "B": [[5, 6]], "C": [[7, 9]], "D": [[10, 12]]}}
        relations = {
            "doc_id": "d",
            "predicted_relations": [[["A", "B", "C", "D"], 0.9, 1], [["A", "B", "C", "A"], 0.1, 0]],
        }
        for name, line in (
            ("x_ner.jsonl", {"doc_id": "d", "ner": SCIREX["ner"]}),
            ("clusters.jsonl", clusters),
            ("rel.jsonl", relations),
        ):
            (tmp_path / name).write_bytes(encoded(line))
        return tmp_path

    def test_gold_has_salient_entities_and_mentions_of_sub_methods(self):
        data = read_scirex(encoded(SCIREX)).documents[0].data
        assert data["clusters"] == [[[0, 3]], [[5, 6]], [[7, 9]], [[10, 12], [20, 22]]]
        (relation,) = data["nary"]
        assert relation[3] == {"role": "Method", "mentions": [{"start": 10, "end": 12}, {"start": 20, "end": 22}]}

    def test_output_has_relations_with_label_one(self, folder):
        data = read_scirex_output(folder).documents[0].data
        assert len(data["clusters"]) == 4
        assert [[filler["role"] for filler in relation] for relation in data["nary"]] == [
            ["Material", "Metric", "Task", "Method"]
        ]

    def test_entities_without_mentions_are_left_out(self):
        ghost = {**SCIREX, "coref": {**SCIREX["coref"], "mat": []}}
        data = read_scirex(encoded(ghost)).documents[0].data
        assert len(data["clusters"]) == 3
        assert data["nary"] == []

    @pytest.mark.parametrize(
        ("change", "text"),
        [
            ({"n_ary_relations": [{"Material": "nope"}]}, "n_ary_relations[0]: no entity as Material"),
            ({"method_subrelations": {"meth": [[[0, 1], "nope"]]}}, "there is no entity 'nope'"),
            ({"ner": [[3, 3, "Task"]]}, "ner: a span from 3 up to 3"),
            ({"coref": []}, "coref: expected `object`, got `array`"),
        ],
    )
    def test_what_is_wrong_with_gold(self, change, text):
        says(lambda: read_scirex(encoded({**SCIREX, **change})), text)

    def test_what_is_wrong_with_a_folder(self, folder):
        says(lambda: read_scirex_system(b""), "expected a folder")
        (folder / "rel.jsonl").write_bytes(encoded({"doc_id": "e", "predicted_relations": []}))
        says(lambda: read_scirex_system(folder), "rel.jsonl: there is no document 'd'")
        (folder / "other_rel.jsonl").write_bytes(b"")
        says(lambda: read_scirex_system(folder), "2 files with rel in the name")
        (folder / "other_rel.jsonl").unlink()
        (folder / "rel.jsonl").write_bytes(encoded({"doc_id": "d", "predicted_relations": [[["A"], 1.0, 1]]}))
        says(lambda: read_scirex_system(folder), "rel.jsonl:1:42: predicted_relations[0][0]: 1 entities")
