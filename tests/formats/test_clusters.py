"""Clusters as JSON lines."""

from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import AdjudgeError, FormatError, ValidationError
from adjudge.formats.clusters import read_clusters, write_clusters


def test_only_id_and_clusters_are_needed() -> None:
    (document,) = read_clusters(b'{"id": 7, "clusters": [[[0, 1], [4, 4]], [], [[3, 3, 6, 7]]]}').documents
    assert (document.id, document.tokens, document.heads) == ("7", -1, None)
    assert [(chain.id, chain.mentions) for chain in document.chains] == [("0", [(0, 1), (4, 4)]), ("2", [(3, 3, 6, 7)])]


def test_everything_is_kept() -> None:
    line = (
        '{"id": "d", "tokens": 9, "clusters": [[[0, 1], [4, 4]], [[3, 3, 6.001, 6.001]]], "ids": ["x", "y"], '
        '"heads": [[1, null], [6.001]], "empty": [6.001]}\n'
    )
    corpus = read_clusters(line.encode())
    assert corpus.documents[0].heads == {(0, 1): 1, (3, 3, 6.001, 6.001): 6.001}
    assert write_clusters(corpus.documents) == line
    assert corpus.notes == []


def test_other_fields_are_named() -> None:
    note = read_clusters(b'{"id": "d", "clusters": [], "text": "x", "genre": "nw"}').notes[0]
    assert note.message == "not read: genre, text"


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ('{"id": "a"}', 1, "has no clusters"),
        ('{"id": "a", "clusters": 5}', 25, "expected a list of clusters, got 5"),
        ('{"id": "a", "clusters": [[0, 1]]}', 27, "expected a mention, got 0"),
        ('{"id": "a", "clusters": [[[0, 1], [1, 0]]]}', 35, "ends before it starts"),
        ('{"id": "a", "clusters": [[[0, 1, 1, 2]]]}', 27, "are not in order"),
        ('{"id": "a", "clusters": [[[0, true]]]}', 27, "expected a mention"),
        ('{"id": "a", "clusters": [[[0, 1.5]]]}', 27, "expected a mention"),
        ('{"id": "a", "clusters": [[[-1, 1]]]}', 27, "starts before the document"),
        ('{"id": "a", "tokens": 2, "clusters": [[[1, 2]]]}', 40, "ends behind the last token, 1"),
        ('{"id": "a", "tokens": "2", "clusters": []}', 23, "expected the number of tokens"),
        ('{"id": "a", "clusters": [[[0, 1]]], "ids": []}', 44, "a string for each cluster"),
        ('{"id": "a", "clusters": [[[0, 1]]], "heads": [[7]]}', 46, "7 is no head of the mention [0, 1]"),
        ('{"id": "a", "clusters": [[[0, 1]]], "heads": [7]}', 46, "the head of each mention"),
        ('{"id": "a", "clusters": [], "empty": [7]}', 38, "numbers between words"),
    ],
)
def test_mistakes(line: str, column: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "b", "clusters": []}\n' + line + "\n")
    with pytest.raises(ValidationError) as caught:
        read_clusters(path)
    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == (2, column)
    assert message in problem.message


def test_all_mistakes_at_once() -> None:
    lines: list[Any] = ['{"id": "a"}', "{", '{"id": "c", "clusters": 1}', '{"id": "c", "clusters": 1}']
    with pytest.raises(FormatError) as caught:
        read_clusters("\n".join(lines).encode())
    assert [problem.line for problem in caught.value.problems] == [1, 2, 3, 4]
    with pytest.raises(AdjudgeError, match="no documents"):
        read_clusters(b"")


def test_many_mistakes_are_counted() -> None:
    lines = [f'{{"id": {n}}}' for n in range(150)]
    with pytest.raises(ValidationError) as caught:
        read_clusters("\n".join(lines).encode())
    assert str(caught.value.problems[-1]).endswith("and 50 more problems")
