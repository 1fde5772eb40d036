"""The text of a document for its page, and where the nuggets stand in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from adjudge.model.nugget import Nugget, NuggetDocument, Piece, TokenTable


class Layout(NamedTuple):
    """A text, and for every token id its number and its place there (nothing if nuggets name characters)."""

    text: str
    tokens: Mapping[str, tuple[int, int, int]]


def layout(document: NuggetDocument, text: str | None, table: TokenTable | None) -> Layout | None:
    """The text to show: the given one, else one made of the tokens; None if there is neither.

    A text in which the tokens are not where their table says is of no use, and the tokens are shown instead.

    >>> from adjudge.model.nugget import Token
    >>> table = TokenTable("d", [Token("t1", "They", 0, 4), Token("t2", "ran", 5, 8), Token("t3", ".", 8, 9)])
    >>> layout(NuggetDocument("d"), None, table).text
    'They ran.'
    """
    text = document.text if text is None else text
    if table is None or not table.tokens:
        return None if text is None else Layout(text, {})
    if text is not None and fits(text, table):
        return Layout(text, {token.id: (n, token.begin, token.end) for n, token in enumerate(table.tokens)})
    parts: list[str] = []
    tokens: dict[str, tuple[int, int, int]] = {}
    size, before = 0, None
    for number, token in enumerate(table.tokens):
        if before is not None and token.begin > before:
            parts.append(" ")
            size += 1
        tokens[token.id] = number, size, size + len(token.text)
        parts.append(token.text)
        size, before = size + len(token.text), token.end
    return Layout("".join(parts), tokens)


def fits(text: str, table: TokenTable) -> bool:
    """Whether every token stands in the text where its table says, whatever blanks it has.

    >>> from adjudge.model.nugget import Token
    >>> table = TokenTable("d", [Token("t2", "ran", 5, 8)])
    >>> fits("They ran", table), fits("They walk", table)
    (True, False)
    """
    return all(
        (found := text[token.begin : token.end]) == token.text or found.split() == token.text.split() != []
        for token in table.tokens
    )


def place(nugget: Nugget, found: Layout) -> list[Piece]:
    """The pieces of a nugget in the text; tokens that follow each other are one piece, with the blanks between them.

    >>> tokens = {"1": (0, 0, 1), "3": (2, 4, 5), "4": (3, 6, 7)}
    >>> place(Nugget("E1", "T", "R", "a c d", ("1", "3", "4")), Layout("a b c d", tokens))
    [(0, 1), (4, 7)]
    """
    if nugget.pieces:
        return [(begin, end) for begin, end in sorted(nugget.pieces) if 0 <= begin < end <= len(found.text)]
    pieces: list[Piece] = []
    last = None
    for number, begin, end in sorted({found.tokens[token] for token in nugget.tokens if token in found.tokens}):
        if pieces and number - 1 == last:
            pieces[-1] = pieces[-1][0], end
        elif begin < end:
            pieces.append((begin, end))
        last = number
    return pieces


def places(nuggets: Sequence[Nugget], found: Layout) -> list[list[Piece]]:
    """The pieces of every nugget."""
    return [place(nugget, found) for nugget in nuggets]
