"""Records of plain JSON, prepared in one step by a function that is written for their fields.

For a mention with a span and a type it reads

    def prepare(value, side, memo):
        if type(value) is not dict: return slow(value, side, memo)
        try:
            v0 = value['span']
            if type(v0) is not dict: return slow(value, side, memo)
            v1 = v0['start']
            if type(v1) is not int: return slow(value, side, memo)
            ...
            v3 = (v1, v2,)
            v4 = value['type']
            if type(v4) is not str: return slow(value, side, memo)
            return (v3, v4,)
        except (KeyError, Misfit): return slow(value, side, memo)

Whatever is not as expected (an object of the user's own, a list for a span, a field that is missing or does not fit)
goes the slow way, which also knows what to complain about. It is about four times faster than asking every operator.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from adjudge.algebra.operators.base import Memo, Misfit, Op

Prepare = Callable[[Any, int, Memo], Any]

_LEAVE = "return slow(value, side, memo)"


class Code:
    """The statements of such a function, and what their names stand for."""

    def __init__(self, slow: Prepare) -> None:
        self.lines: list[str] = []
        self.known: dict[str, Any] = {"slow": slow, "Misfit": Misfit}
        self._values = 0

    def name(self, thing: Any) -> str:
        """A name for an object."""
        name = f"x{len(self.known)}"
        self.known[name] = thing
        return name

    def field(self, value: str, field: str, op: Op) -> str:
        """The prepared field of a value that is a dict, as an expression."""
        # A field that may be null may also be absent.
        raw = self.kept(f"{value}.get({field!r})" if op.accepts_null else f"{value}[{field!r}]")
        return op.expression(raw, self)

    def kept(self, expression: str) -> str:
        """The name of a value that is needed again."""
        if expression.isidentifier():
            return expression
        name = f"v{self._values}"
        self._values += 1
        self.lines.append(f"{name} = {expression}")
        return name

    def require(self, value: str, kinds: Collection[type]) -> None:
        """Leave if the value is of none of these types."""
        one = f"is not {self.name(next(iter(kinds)))}" if len(kinds) == 1 else f"not in {self.name(kinds)}"
        self.lines.append(f"if type({value}) {one}: {_LEAVE}")

    def function(self, result: str) -> Prepare:
        """The function, which returns this expression of the values that were read."""
        body = "\n        ".join((*self.lines, f"return {result}"))
        source = (
            "def prepare(value, side, memo):\n"
            f"    if type(value) is not dict: {_LEAVE}\n"
            f"    try:\n        {body}\n"
            f"    except (KeyError, Misfit): {_LEAVE}\n"
        )
        exec(source, self.known)  # noqa: S102  # nothing but field names comes from outside, and those are quoted
        prepare: Prepare = self.known["prepare"]
        return prepare
