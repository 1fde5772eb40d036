"""Templates, and the folders of SciREX."""

import json

import pytest

from adjudge.errors import AdjudgeError
from adjudge.formats.relation_documents import read_scirex_output, read_scirex_system
from adjudge.formats.templates import Template, distinct, output_id


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [("TST3-MUC4-0001", "30001"), ("DEV-MUC3-0001", "DEV-MUC3-0001"), ("7", "7"), ("a1-2", "10002"), ("", "")],
)
def test_ids_of_the_output(identifier, expected):
    assert output_id(identifier) == expected


def test_equal_templates_are_one():
    one = Template("A", {"Victim": [["x-y"]]})
    other = Template("A", {"Victim": [["xy"]]})
    assert distinct([one, one, other]) == [one, other]
    assert distinct([one, other], clean=lambda text: text.replace("-", "")) == [other]


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

    def test_output_has_relations_with_label_one(self, folder):
        data = read_scirex_output(folder).documents[0].data
        assert len(data["clusters"]) == 4
        assert [[filler["role"] for filler in relation] for relation in data["nary"]] == [
            ["Material", "Metric", "Task", "Method"]
        ]

    def test_what_is_wrong_with_a_folder(self, folder):
        says(lambda: read_scirex_system(b""), "expected a folder")
        (folder / "rel.jsonl").write_bytes(encoded({"doc_id": "e", "predicted_relations": []}))
        says(lambda: read_scirex_system(folder), "rel.jsonl: there is no document 'd'")
        (folder / "other_rel.jsonl").write_bytes(b"")
        says(lambda: read_scirex_system(folder), "2 files with rel in the name")
        (folder / "other_rel.jsonl").unlink()
        (folder / "rel.jsonl").write_bytes(encoded({"doc_id": "d", "predicted_relations": [[["A"], 1.0, 1]]}))
        says(lambda: read_scirex_system(folder), "rel.jsonl:1:42: predicted_relations[0][0]: 1 entities")
