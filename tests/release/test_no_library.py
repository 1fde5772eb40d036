"""What other libraries have goes in without them: none is imported unless the caller did."""

from __future__ import annotations

import subprocess
import sys

OTHERS = ("pandas", "polars", "spacy", "datasets", "pyarrow", "duckdb", "networkx", "penman", "conllu", "inspect_ai")
SCRIPT = f"""
import sys
import adjudge as aj
aj.score("ner", [["B-PER", "O"]], [["B-PER", "O"]], bootstrap=0)
aj.score("ner", [[(0, 2, "PER")]], [[(0, 2, "PER")]], ends="exclusive", bootstrap=0)
aj.score("relation", [[("Ada", "knows", "Bo")]], [[("Ada", "knows", "Bo")]], bootstrap=0)
aj.score("record", [{{"a": 1}}], ['{{"a": 1}}'], bootstrap=0)
tree = {{"heads": [2, 0], "deprels": ["a", "b"]}}
aj.score("tree", [tree], [tree], bootstrap=0)
from adjudge.cli import run
run(["doctor", sys.argv[1]])
print([name for name in {OTHERS!r} if name in sys.modules])
"""


def test_no_other_library_is_imported(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": 1, "text": "Ada", "label": [[0, 3, "PER"]]}\n')
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.splitlines()[-1] == "[]"
