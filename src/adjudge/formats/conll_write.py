"""Writing CoNLL coreference files that the reference scorer reads back as they were meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import floor

from adjudge.errors import Problem, ValidationError
from adjudge.model.coref import CorefDocument, Mention


def write_conll(documents: Iterable[CorefDocument], *, path: str | None = None) -> tuple[str, list[Problem]]:
    """The text of a file, and what could not be kept; `path` is where the documents came from, for messages.

    Mentions of one chain that cross or touch cannot be written, because brackets of one chain are paired last in,
    first out.

    >>> from adjudge.model.coref import Chain
    >>> document = CorefDocument("(a); part 000", [Chain("1", [(0, 1), (1, 1)])], 3)
    >>> print(write_conll([document])[0], end="")
    #begin document (a); part 000
    _	0	0	_	(1
    _	0	1	_	(1)|1)
    _	0	2	_	-
    #end document
    """
    lost: Counter[str] = Counter()
    problems: list[Problem] = []
    parts: list[str] = []
    for document in documents:
        if "\n" in document.id or document.id.endswith("\r"):
            message = f"the name {document.id!r} cannot be written in one line"
            problems.append(Problem(message, path=path, line=document.line, hint="rename the document"))
        parts.append(f"#begin document {document.id}\n")
        columns, trouble = _columns(document, lost)
        for chain, mention in trouble:
            message = (
                f"the mention {list(mention)} of chain {chain} crosses or touches another one of its chain, "
                f"in document {document.id!r}"
            )
            problems.append(Problem(message, path=path, line=document.line, hint="write another format"))
        parts += [f"_\t0\t{token}\t_\t{'|'.join(column) or '-'}\n" for token, column in enumerate(columns)]
        parts.append("#end document\n")
    if problems:
        raise ValidationError(problems)
    said = [text.format(n=lost[kind], s="s" * (lost[kind] > 1)) for kind, text in _LOST.items() if lost[kind]]
    return "".join(parts), [Problem(text, path=path) for text in said]


_LOST = {
    "gaps": "{n} mention{s} with gaps written from the first to the last token",
    "empty": "{n} empty node{s} written as tokens, so that later tokens have other numbers",
    "ids": "in {n} document{s} chains got new numbers, because their ids are not made of digits only",
    "chains": "{n} chain{s} without mentions left out",
    "tokens": "{n} document{s} of unknown length written up to the last mention",
    "heads": "heads of mentions left out, in {n} document{s}",
}


def _columns(document: CorefDocument, lost: Counter[str]) -> tuple[list[list[str]], list[tuple[str, Mention]]]:
    """The brackets of each token, and mentions that would be read as others."""
    ids = [chain.id for chain in document.chains]
    if not all(each.isascii() and each.isdigit() for each in ids) or len(set(ids)) < len(ids):
        lost["ids"] += 1
        ids = [str(number) for number in range(len(ids))]
    used = [position for chain in document.chains for mention in chain.mentions for position in mention]
    length = max([document.tokens, *(floor(position) + 1 for position in used)])
    lost["tokens"] += document.tokens < 0
    lost["heads"] += bool(document.heads)
    empty = sorted({*document.empty, *(position for position in used if position != floor(position))})
    lost["empty"] += len(empty)
    number = {position: index for index, position in enumerate(sorted([*range(length), *empty]))}
    singles: list[list[str]] = [[] for _ in number]
    opens: list[list[str]] = [[] for _ in number]
    closes: list[list[str]] = [[] for _ in number]
    trouble: list[tuple[str, Mention]] = []
    for name, chain in zip(ids, document.chains, strict=True):
        lost["chains"] += not chain.mentions
        spans = []
        for mention in chain.mentions:
            lost["gaps"] += len(mention) > 2
            first, last = number[mention[0]], number[mention[-1]]
            spans.append((first, last))
            if first == last:
                singles[first].append(f"({name})")
            else:
                opens[first].append(f"({name}")
                closes[last].append(f"{name})")
        misread = Counter(spans) - Counter(_read_back(spans))
        trouble += [(chain.id, mention) for mention, span in zip(chain.mentions, spans, strict=True) if misread[span]]
    return [[*a, *b, *c] for a, b, c in zip(opens, singles, closes, strict=True)], trouble


def _read_back(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans that a reader makes of the brackets of one chain: openings first, then last in, first out."""
    found = [span for span in spans if span[0] == span[1]]
    long = [span for span in spans if span[0] < span[1]]
    events = sorted([(first, 0) for first, _ in long] + [(last, 1) for _, last in long])
    half: list[int] = []
    for token, closing in events:
        if closing:
            found.append((half.pop(), token))
        else:
            half.append(token)
    return found
