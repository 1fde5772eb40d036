"""Run the notebooks of this folder without Jupyter, and write down what their cells print.

python docs/run_notebooks.py           run them and write their outputs
python docs/run_notebooks.py --check   exit with 1 if a cell prints something else
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
NOTEBOOKS = sorted(DOCS.glob("notebook-*.ipynb"))


def run(notebook: dict[str, Any]) -> None:
    """Run all cells in an empty folder, with the outputs as Jupyter would write them."""
    space: dict[str, Any] = {"__name__": "__main__"}
    back = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for number, cell in enumerate((c for c in notebook["cells"] if c["cell_type"] == "code"), 1):
                printed, value = run_cell("".join(cell["source"]), space)
                cell["execution_count"] = number
                cell["outputs"] = outputs_of(printed, value, number)
        finally:
            os.chdir(back)


def run_cell(source: str, space: dict[str, Any]) -> tuple[str, Any]:
    """What a cell prints, and the value of its last line."""
    tree, out, value = ast.parse(source), io.StringIO(), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(out):
        exec(compile(tree, "<cell>", "exec"), space)  # noqa: S102
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)  # noqa: S307
    return out.getvalue(), value


def outputs_of(printed: str, value: Any, number: int) -> list[dict[str, Any]]:
    """The outputs of a cell: what it printed, and its value."""
    found: list[dict[str, Any]] = []
    if printed:
        found.append({"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        found.append({"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": data})
    return found


def main() -> None:
    """Write the notebooks, or compare them."""
    for path in NOTEBOOKS:
        before = path.read_text(encoding="utf-8")
        notebook = json.loads(before)
        run(notebook)
        after = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
        if "--check" not in sys.argv:
            path.write_text(after, encoding="utf-8")
        elif after != before:
            raise SystemExit(f"{path.name} prints something else now: run python docs/run_notebooks.py and look at it")


if __name__ == "__main__":
    main()
