"""The texts and token tables that nuggets refer to: whether places exist in them, and offsets in UTF-16 units."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from adjudge.bounded import file_bytes
from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.formats.standoff import code_points
from adjudge.model.nugget import Nugget, NuggetDocument, Piece, TokenTable
from adjudge.model.whereabouts import not_utf8


def folder_of(path: str | Path | None, what: str) -> Path | None:
    """An existing folder, if one is named."""
    folder = None if path is None else Path(path)
    try:
        there = folder is None or folder.is_dir()
    except (OSError, ValueError):  # the name is too long or has a null character
        there = False
    if not there:
        raise UsageError(Problem("there is no such folder", path=str(path), hint=f"name the folder with the {what}"))
    return folder


def read_text(path: Path) -> str | Problem:
    """A text unchanged, because offsets refer to it, or what is wrong with it."""
    try:
        return file_bytes(path).decode()
    except UnicodeDecodeError as error:
        return not_utf8(error, str(path), hint="convert it to UTF-8")
    except OSError as error:
        message = f"the text cannot be read: {error.strerror or error}"
        return Problem(message, str(path), hint="check its permissions")


def other_words(nuggets: Iterable[Nugget], table: TokenTable) -> bool:
    """Whether the words of most nuggets (by tokens) differ from these, so that the table may be another document's.

    >>> from adjudge.model.nugget import Token
    >>> nuggets = [Nugget(id, "Life_Die", "Actual", "died", tokens=("1",)) for id in ("E1", "E2")]
    >>> other_words(nuggets, TokenTable("a", [Token("1", "married", 0, 7)]))
    True
    """
    words = {token.id: token.text for token in table.tokens}
    wrong = compared = 0
    for nugget in nuggets:
        said = _letters(nugget.text)
        if said and words.keys() >= set(nugget.tokens):
            compared += 1
            spelled = _letters("".join([words[token] for token in nugget.tokens]))
            wrong += said not in spelled and (not spelled or spelled not in said)
    return wrong > 1 and 2 * wrong > compared


def _letters(text: str) -> str:
    """Text without whitespace and punctuation, since tokens lack those between them."""
    return "".join([c for c in text if c.isalnum()]).lower()


def recounted(table: TokenTable, text: str) -> TokenTable:
    """A table with offsets in UTF-16 units as one in code points."""
    named = [((token.begin, token.end), f"the token {token.id!r}", token.line) for token in table.tokens]
    places = _recounted(text, named, table.path)
    both = zip(table.tokens, places, strict=True)
    return TokenTable(table.document, [token._replace(begin=at[0], end=at[1]) for token, at in both], table.path)


def recounted_pieces(document: NuggetDocument, *, path: str | None = None) -> NuggetDocument:
    """A document with offsets in UTF-16 units as one in code points."""
    if document.text is None:
        message = f"UTF-16 offsets cannot be read without the text of {document.id!r}"
        raise UsageError(Problem(message, path=path, line=document.line or None, hint="give it with --texts"))
    named = [(piece, each.id, each.line) for each in document.nuggets for piece in each.pieces]
    places = iter(_recounted(document.text, named, path))
    nuggets = [each._replace(pieces=tuple(next(places) for _ in each.pieces)) for each in document.nuggets]
    return NuggetDocument(document.id, nuggets, document.relations, document.text, document.line)


def _recounted(text: str, named: Iterable[tuple[Piece, str, int]], path: str | None) -> list[Piece]:
    """Places in code points, each given with what is there and its line."""
    offsets = code_points(text)
    found: list[Piece] = []
    problems: dict[tuple[str, int], Problem] = {}
    for (begin, end), what, line in named:
        if offsets is not None:
            begin, end = (offsets[each] if 0 <= each < len(offsets) else -1 for each in (begin, end))
            if min(begin, end) < 0:
                message = f"{what} begins or ends inside a character, or beyond the text"
                hint = "check that the offsets are UTF-16 units"
                problems[what, line] = Problem(message, path=path, line=line or None, hint=hint)
        found.append((begin, end))
    if problems:
        raise ValidationError(list(problems.values()))
    return found


def check_places(document: NuggetDocument, *, path: str | None = None) -> None:
    """Raise if a nugget extends beyond the text."""
    size = len(document.text) if document.text is not None else None
    problems = []
    for nugget in document.nuggets:
        if size is not None and any(end > size for _, end in nugget.pieces):
            message = f"{nugget.id} ends beyond the text of {size} characters, in document {document.id!r}"
            hint = "check that the text is the one that was annotated"
            problems.append(Problem(message, path=path, line=nugget.line or None, hint=hint))
    if problems:
        raise ValidationError(problems)
