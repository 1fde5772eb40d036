"""Scores without intervals need neither numpy nor scipy, which take longer to load than a small corpus to score."""

import json
import subprocess
import sys

import pytest

MENTIONS = [
    {
        "id": name,
        "mentions": [{"span": {"start": at, "end": at + 3}, "type": "PER", "entity": f"E{at % 4}"} for at in (0, 5, 9)],
    }
    for name in ("d1", "d2", "d3")
]
ENTITIES = [
    {
        "id": name,
        "entities": [
            {"id": f"E{at}", "type": "PER", "mentions": [{"start": at, "end": at + 3, "text": f"Ana{at % 2}"}]}
            for at in (0, 5, 9)
        ],
        "relations": [{"type": "knows", "subject": "E0", "object": "E5"}],
    }
    for name in ("d1", "d2", "d3")
]
CODE = """
import sys
from adjudge.cli import run
code = run(sys.argv[1:])
print(sorted({'numpy', 'scipy'} & set(sys.modules)), code)
"""


@pytest.mark.parametrize(
    ("documents", "words", "metric"),
    [
        (MENTIONS, ("linking", "score", "--reader", "jsonl"), "linking.b3"),
        (ENTITIES, ("kbp", "discovery"), "kbp.entity.b3"),
        (ENTITIES, ("kbp", "score"), "kbp.hop1"),
    ],
)
def test_points_are_plain(documents, words, metric, tmp_path):
    for name, some in (("gold", documents), ("system", documents[:2])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in some))
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words, "gold.jsonl", "system.jsonl", "--bootstrap", "0"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert metric in done.stdout
    assert done.stdout.splitlines()[-1] == "[] 0"
