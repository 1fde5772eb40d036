"""Where nuggets are: from pieces of the text to tokens, and back."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.formats.standoff import code_points
from adjudge.model.nugget import COREFERENCE, Nugget, NuggetDocument, Piece, Token, TokenTable
from adjudge.tasks.nugget.losses import Loss
from adjudge.tasks.nugget.spans import merged_pieces

SHOWN = 3  # token ids in a message


def to_tokens(document: NuggetDocument, table: TokenTable) -> tuple[NuggetDocument, list[Loss]]:
    """Nuggets by tokens: a token belongs to a piece if one of the two covers the other.

    >>> table = TokenTable("a", [Token("1", "shot", 0, 4), Token("2", "down", 5, 9)])
    >>> nugget = Nugget("E1", "Conflict_Attack", "Actual", "shot down", pieces=((0, 9),))
    >>> to_tokens(NuggetDocument("a", [nugget]), table)[0].nuggets[0].tokens
    ('1', '2')
    """
    tokens = sorted(enumerate(table.tokens), key=lambda each: each[1].begin)
    begins = [token.begin for _, token in tokens]
    reach = list(accumulate((token.end for _, token in tokens), max))  # how far any token up to here goes
    losses: list[Loss] = []
    kept = []
    for nugget in document.nuggets:
        if nugget.tokens:
            kept.append(nugget)
            continue
        inside: dict[int, Token] = {}
        kinds: set[str] = set()
        pieces = [piece for piece in nugget.pieces if piece[0] < piece[1]]
        for begin, end in pieces:
            for place, token in tokens[bisect_right(reach, begin) : bisect_left(begins, end)]:
                if not token.begin < token.end or token.end <= begin:
                    continue
                if begin <= token.begin and token.end <= end:
                    inside[place] = token
                elif token.begin <= begin and end <= token.end:
                    inside[place] = token
                    kinds.add("grown")
                else:
                    kinds.add("cut")
        if not inside:
            losses.append(Loss("no-token", document.id, nugget.id, nugget.line))
            continue
        found = [inside[place] for place in sorted(inside)]
        if not kinds and merged_pieces(pieces) != merged_pieces(_pieces(inside, document.text)):
            kinds.add("shape")
        losses += [Loss(kind, document.id, nugget.id, nugget.line) for kind in sorted(kinds)]
        kept.append(nugget._replace(tokens=tuple(token.id for token in found), pieces=()))
    return remaining(document, kept, losses), losses


def to_pieces(document: NuggetDocument, table: TokenTable, *, path: str | None = None) -> NuggetDocument:
    """Nuggets by characters: tokens that follow each other in the table, and in one line of the text, are one piece.

    >>> table = TokenTable("a", [Token(str(number), "x", 2 * number, 2 * number + 1) for number in range(5)])
    >>> nugget = Nugget("E1", "Conflict_Attack", "Actual", "x x x", tokens=("0", "2", "3"))
    >>> to_pieces(NuggetDocument("a", [nugget]), table).nuggets[0].pieces
    ((0, 1), (4, 7))
    """
    known = {token.id: place for place, token in enumerate(table.tokens)}
    problems: list[Problem] = []
    kept = []
    for nugget in document.nuggets:
        strange = [token for token in nugget.tokens if token not in known]
        if strange:
            problems.append(_strange(nugget, strange, table, path))
        elif nugget.tokens:
            inside = {known[token]: table.tokens[known[token]] for token in nugget.tokens}
            nugget = nugget._replace(tokens=(), pieces=_pieces(inside, document.text))
        kept.append(nugget)
    if problems:
        raise ValidationError(problems)
    return NuggetDocument(document.id, kept, document.relations, document.text, document.line)


def other_words(nuggets: Iterable[Nugget], table: TokenTable) -> bool:
    """Whether most nuggets, which are by tokens, have other words than these: is the table that of another document?

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
    """Text without blanks and signs, since tokens do not have those between them."""
    return "".join([c for c in text if c.isalnum()]).lower()


def _pieces(inside: Mapping[int, Token], text: str | None) -> tuple[Piece, ...]:
    """The pieces of the tokens at these places of a table."""
    pieces: list[Piece] = []
    before = -2
    for place in sorted(inside):
        token = inside[place]
        gap = text[pieces[-1][1] : token.begin] if text is not None and pieces else ""
        if place == before + 1 and pieces[-1][0] <= token.begin and not {"\n", "\r"} & set(gap):
            pieces[-1] = (pieces[-1][0], max(pieces[-1][1], token.end))
        else:
            pieces.append((token.begin, token.end))
        before = place
    return tuple(pieces)


def _strange(nugget: Nugget, strange: Sequence[str], table: TokenTable, path: str | None) -> Problem:
    """Token ids that the table does not have."""
    ids = [token.id for token in table.tokens]
    range_ = f"{ids[0]} to {ids[-1]}" if ids else "none"
    message = (
        f"{nugget.id} has the token{'s' * (len(strange) > 1)} {', '.join(strange[:SHOWN])}, "
        f"which the table {table.path or table.document} does not have (its tokens: {range_})"
    )
    hint = "give the table that the file was made with, or say --from tbf-char if these are characters"
    return Problem(message, path=path, line=nugget.line or None, hint=hint)


def recounted(table: TokenTable, text: str, *, path: str | None = None) -> TokenTable:
    """A table with offsets in UTF-16 units as one in code points."""
    offsets = code_points(text)
    if offsets is None:
        return table
    moved, problems = [], []
    for token in table.tokens:
        ends = [offsets[end] if end < len(offsets) else -1 for end in (token.begin, token.end)]
        if min(ends) < 0:
            message = f"the token {token.id!r} begins or ends inside a character, or behind the text"
            hint = "check that the offsets are UTF-16 units"
            problems.append(Problem(message, path=path or table.path, line=token.line or None, hint=hint))
        moved.append(token._replace(begin=ends[0], end=ends[1]))
    if problems:
        raise ValidationError(problems)
    return TokenTable(table.document, moved, table.path)


def recounted_pieces(document: NuggetDocument, *, path: str | None = None) -> NuggetDocument:
    """A document with offsets in UTF-16 units as one in code points."""
    if document.text is None:
        message = f"UTF-16 offsets cannot be read without the text of {document.id!r}"
        raise UsageError(Problem(message, path=path, line=document.line or None, hint="give it with --texts"))
    offsets = code_points(document.text)
    if offsets is None:
        return document
    nuggets, problems = [], []
    for nugget in document.nuggets:
        pieces = [tuple(offsets[end] if 0 <= end < len(offsets) else -1 for end in piece) for piece in nugget.pieces]
        if any(-1 in piece for piece in pieces):
            message = f"{nugget.id} begins or ends inside a character, or behind the text"
            hint = "check that the offsets are UTF-16 units"
            problems.append(Problem(message, path=path, line=nugget.line or None, hint=hint))
        nuggets.append(nugget._replace(pieces=tuple((begin, end) for begin, end in pieces)))
    if problems:
        raise ValidationError(problems)
    return NuggetDocument(document.id, nuggets, document.relations, document.text, document.line)


def check_places(document: NuggetDocument, *, path: str | None = None) -> None:
    """Raise if a nugget goes beyond the text."""
    size = len(document.text) if document.text is not None else None
    problems = []
    for nugget in document.nuggets:
        if size is not None and any(end > size for _, end in nugget.pieces):
            message = f"{nugget.id} ends behind the text of {size} characters, in document {document.id!r}"
            hint = "check that the text is the one that was annotated"
            problems.append(Problem(message, path=path, line=nugget.line or None, hint=hint))
    if problems:
        raise ValidationError(problems)


def remaining(document: NuggetDocument, kept: Sequence[Nugget], losses: list[Loss]) -> NuggetDocument:
    """The document with these nuggets, and what remains of its relations."""
    gone = {nugget.id for nugget in document.nuggets} - {nugget.id for nugget in kept}
    relations = []
    for relation in document.relations:
        if not gone & set(relation.arguments):
            relations.append(relation)
            continue
        arguments = tuple(argument for argument in relation.arguments if argument not in gone)
        if relation.name == COREFERENCE and len(arguments) > 1:
            losses.append(Loss("unknown", document.id, relation.id, relation.line))
            relations.append(relation._replace(arguments=arguments))
        else:
            losses.append(Loss("relation", document.id, relation.id, relation.line))
    return NuggetDocument(document.id, kept, relations, document.text, document.line)
