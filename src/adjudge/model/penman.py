"""Graphs in Penman notation: text in, nodes and edges out, in one pass.

(w / want-01 :ARG0 (b / boy) :polarity -) has the nodes w and b and the edges (w, ARG0, b) and (w, polarity, -). Edges
are kept as they are written; how inverse roles and quoted constants are interpreted is up to the metric.

The library penman is not used because it takes five times as long, inverts inverse roles, and fails with a
RecursionError on deeply nested graphs.
"""

from __future__ import annotations

import re
from typing import NamedTuple

Edge = tuple[str, str, str]


class Graph(NamedTuple):
    """A rooted graph: concepts by variable in the order of their definition, and edges (source, role, target).

    A target that is not a key of `concepts` is a constant; a quoted one keeps its quotes. `homes` has, for every
    variable but the top, the number of the edge under which it is defined.
    """

    top: str
    concepts: dict[str, str]
    edges: list[Edge]
    homes: dict[str, int]


class PenmanError(ValueError):
    """Why a text is not a graph, and at which offset."""

    def __init__(self, message: str, offset: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.offset, self.hint = message, offset, hint

    def place(self, text: str) -> tuple[int, int]:
        """Line and column in the text, from 1."""
        before = text[: self.offset]
        return before.count("\n") + 1, self.offset - (before.rfind("\n") + 1) + 1


# A string may carry an alignment (~e.3) behind its closing quote; what is left over is a stray quote.
_TOKEN = re.compile(r'[()]|"(?:[^"\\]|\\.)*"(?:~[^\s()"]*)?|[^\s()"]+|"', re.DOTALL)

_QUOTE = '"'

# What may come next.
_START, _VARIABLE, _SLASH, _CONCEPT, _ROLE, _TARGET = range(6)
_EXPECTED = {
    _START: "an opening bracket",
    _VARIABLE: "a variable",
    _SLASH: 'a "/" and a concept',
    _CONCEPT: "a concept",
    _ROLE: "a :role or a closing bracket",
    _TARGET: "a node, a variable or a constant",
}


def parse(text: str) -> Graph:
    """The graph that a text in Penman notation describes.

    >>> graph = parse('(w / want-01 :ARG0 (b / boy) :polarity -)')
    >>> graph.top, graph.concepts, graph.homes
    ('w', {'w': 'want-01', 'b': 'boy'}, {'b': 0})
    >>> graph.edges
    [('w', 'ARG0', 'b'), ('w', 'polarity', '-')]
    """
    concepts: dict[str, str] = {}
    edges: list[Edge] = []
    homes: dict[str, int] = {}
    stack: list[str] = []
    top = role = ""
    state = _START
    opened: list[int] = []
    for found in _TOKEN.finditer(text):
        token = found[0]
        first = token[0]
        if state == _ROLE:
            if first == ":":
                role = token[1:]
                if not role:
                    raise PenmanError("a role has no name", found.start(), "write :ARG0 or the like")
                state = _TARGET
            elif first == ")":
                stack.pop()
                opened.pop()
                if not stack:
                    state = _START
            else:
                raise _unexpected(token, state, found.start())
        elif state == _TARGET:
            if first == "(":
                state = _VARIABLE
                opened.append(found.start())
            elif first in ":)" or token == _QUOTE:
                raise _unexpected(token, state, found.start())
            else:
                edges.append((stack[-1], role, token))
                state = _ROLE
        elif state == _VARIABLE:
            if first in '()":/':
                raise _unexpected(token, state, found.start())
            variable, slash, concept = token.partition("/")
            if variable in concepts:
                raise PenmanError(
                    f"the variable {variable} is defined twice",
                    found.start(),
                    "mention it the second time without brackets",
                )
            if stack:
                homes[variable] = len(edges)
                edges.append((stack[-1], role, variable))
            else:
                top = variable
            stack.append(variable)
            concepts[variable] = concept
            state = _ROLE if concept else _CONCEPT if slash else _SLASH
        elif state == _SLASH:
            if first != "/":
                raise _unexpected(token, state, found.start())
            concepts[stack[-1]] = token[1:]
            state = _ROLE if token[1:] else _CONCEPT
        elif state == _CONCEPT:
            if first in "():" or token == _QUOTE:
                raise _unexpected(token, state, found.start())
            concepts[stack[-1]] = token
            state = _ROLE
        elif first == "(" and not top:
            state = _VARIABLE
            opened.append(found.start())
        elif top:
            raise PenmanError(
                f"there is {_shown(token)} after the end of the graph", found.start(), "write one graph at a time"
            )
        else:
            raise _unexpected(token, state, found.start())
    if opened:
        raise PenmanError("this bracket is never closed", opened[-1], "add a closing bracket")
    if not top:
        raise PenmanError("there is no graph", 0, "write (variable / concept ...)")
    return Graph(top, concepts, edges, homes)


def _unexpected(token: str, state: int, offset: int) -> PenmanError:
    if token == _QUOTE:
        return PenmanError("this quotation mark is never closed", offset, "add a closing quotation mark")
    return PenmanError(f"expected {_EXPECTED[state]}, found {_shown(token)}", offset)


def _shown(token: str) -> str:
    return token if len(token) <= 30 else f"{token[:27]}..."
