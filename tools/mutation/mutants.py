"""Small faults that can be put into a source text, each a replaced stretch of it.

Left out because no test should notice them: docstrings, annotations and the names that only these use, what is imported
for type checkers only, and the wording of errors. Everything else that a fault can be made of is listed, whether or not
a test can see it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
REACHED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd, ast.MatMult: ast.Mult,
}  # fmt: skip
EXCHANGED = {"min": "max", "max": "min", "any": "all", "all": "any"}
# Calls whose texts are read by people: their wording is not a behaviour.
WORDED = ("Error", "Problem", "Finding", "Warning", "warn", "TypeVar")


class Mutant(NamedTuple):
    """A fault: the bytes from `start` to `end` of a file, read as something else."""

    path: str
    line: int
    end_line: int
    start: int
    end: int
    text: str
    kind: str

    def applied(self, source: bytes) -> bytes:
        """The source with the fault in it."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def shown(self, source: bytes) -> str:
        """One line that says what is changed into what."""
        old = " ".join(source[self.start : self.end].decode().split())
        return f"{self.path}:{self.line}: {self.kind}: {old}  ->  {' '.join(self.text.split())}"


def find_mutants(path: str, source: bytes) -> list[Mutant]:
    """Every fault that can be put into a file, in the order of the text; a few give a text that is no program.

    >>> [m.text for m in find_mutants("a.py", b"def f(a):\\n    return a < 1\\n")]
    ['(a <= 1)', 'None', '2']
    """
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: dict[tuple[int, int, str], Mutant] = {}
    for node, text, kind in _changes(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        end = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        mutant = Mutant(path, node.lineno, node.end_lineno, start, end, text, kind)  # type: ignore[attr-defined]
        if source[start:end].decode() != text:
            found.setdefault((start, end, text), mutant)
    return sorted(found.values(), key=lambda m: (m.start, m.end, m.text))


def folder_mutants(root: Path, folder: str) -> list[Mutant]:
    """Every fault of the modules in a folder, whose paths are given from the root."""
    return [
        mutant
        for file in sorted((root / folder).rglob("*.py"))
        for mutant in find_mutants(file.relative_to(root).as_posix(), file.read_bytes())
    ]


def parses(source: bytes) -> bool:
    """Whether a text is a program."""
    try:
        compile(source, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def _changes(tree: ast.Module) -> Iterator[tuple[ast.AST, str, str]]:
    """What is replaced, by which text, and the name of the change."""
    todo: list[tuple[ast.AST, bool]] = [(tree, False)]
    while todo:
        node, worded = todo.pop()
        if _for_types(node):
            continue
        yield from _changes_of(node, worded)
        worded = worded or isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and _name(node).endswith(WORDED))
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "type_params") or _left_out(node, field):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _docstring(node, child):
                    hint = isinstance(child, ast.keyword) and child.arg in ("hint", "remedy", "message")
                    todo.append((child, worded or hint))


def _left_out(node: ast.AST, field: str) -> bool:
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return True
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.JoinedStr)):
        return True  # places inside of formatted texts are only right since 3.12
    return isinstance(node, ast.Subscript) and field == "slice" and ast.unparse(node.value) in ("Literal", "cast")


def _for_types(node: ast.AST) -> bool:
    """Whether a name is bound for type checkers: annotations are not evaluated, so that nothing ever reads it.

    Where a struct does read it, the struct cannot be made without it, and importing the module fails.
    """
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.annotation) == "TypeAlias"
    if isinstance(node, ast.Assign):
        target = ast.unparse(node.targets[0])
        alias = ast.unparse(node.value).split("[")[0].split(".")[-1]
        return target == "__all__" or alias in ("Literal", "Callable", "Annotated", "Union", "Mapping", "TypeVar")
    return False


def _docstring(parent: ast.AST, child: ast.AST) -> bool:
    return isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant) and hasattr(parent, "body")


def _changes_of(node: ast.AST, worded: bool) -> Iterator[tuple[ast.AST, str, str]]:
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            changed = copy.deepcopy(node)
            changed.ops[place] = COMPARED[type(operator)]()
            yield node, f"({ast.unparse(changed)})", "comparison"
    elif isinstance(node, ast.BinOp):
        changed_op = copy.deepcopy(node)
        changed_op.op = REACHED[type(node.op)]()
        if not worded:
            yield node, f"({ast.unparse(changed_op)})", "operator"
    elif isinstance(node, ast.BoolOp):
        changed_bool = copy.deepcopy(node)
        changed_bool.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield node, f"({ast.unparse(changed_bool)})", "and/or"
    elif isinstance(node, ast.UnaryOp):
        yield node, f"({ast.unparse(node.operand)})", "sign"
    elif isinstance(node, ast.Constant):
        yield from _constants(node, worded)
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
        if ast.unparse(node.test) != "TYPE_CHECKING" and isinstance(
            node.test, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.NamedExpr)
        ):
            yield node.test, f"(not ({ast.unparse(node.test)}))", "condition"
    elif isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield test, "True", "filter"
    elif isinstance(node, ast.Return):
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield node.value, "None", "return"
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        if node.value is not None and not isinstance(node.value, ast.Constant):
            yield node.value, "None", "assigned"
    elif isinstance(node, ast.AugAssign):
        changed_aug = copy.deepcopy(node)
        changed_aug.op = REACHED[type(node.op)]()
        yield node, ast.unparse(changed_aug), "operator"
        yield node, f"{ast.unparse(node.target)} = {ast.unparse(node.value)}", "added"
    elif isinstance(node, ast.Break):
        yield node, "continue", "break"
    elif isinstance(node, ast.Continue):
        yield node, "break", "continue"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield node, "pass", "left out"
    elif isinstance(node, ast.Call) and not worded and not _name(node).endswith(WORDED):
        yield from _calls(node)


def _constants(node: ast.Constant, worded: bool) -> Iterator[tuple[ast.AST, str, str]]:
    value = node.value
    if isinstance(value, bool):
        yield node, str(not value), "constant"
    elif isinstance(value, (int, float)):
        yield node, repr(value + 1), "constant"
    elif isinstance(value, (str, bytes)) and not worded:
        yield node, repr(f"XX{value}XX" if isinstance(value, str) else b"XX" + value + b"XX"), "text"


def _calls(node: ast.Call) -> Iterator[tuple[ast.AST, str, str]]:
    name = _name(node)
    if isinstance(node.func, ast.Name) and name in EXCHANGED:
        yield node.func, EXCHANGED[name], "function"
    for place, keyword in enumerate(node.keywords):
        if keyword.arg is not None:
            changed = copy.deepcopy(node)
            del changed.keywords[place]
            yield node, ast.unparse(changed), "argument left out"


def _name(node: ast.Call) -> str:
    return ast.unparse(node.func).split(".")[-1]
