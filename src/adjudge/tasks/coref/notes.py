"""What a reader of the scores should know: repeated mentions, documents on one side only, unequal texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from adjudge.errors import Problem, ValidationError
from adjudge.evaluate.sides import NO_DOCUMENTS
from adjudge.model.coref import CorefCorpus, CorefDocument, Mention
from adjudge.tasks.coref.observe import Compared
from adjudge.tasks.coref.repeats import Repeat
from adjudge.tasks.coref.sides import Sides

if TYPE_CHECKING:
    from adjudge.stats.result import Note

SHOWN = 10
REFUSAL = 10  # repeats after which the reference scorer does not score


def remarks(sides: Sides, name: str, compared: Sequence[Compared]) -> list[Note]:
    """The notes of one response."""
    from adjudge.stats.result import Note

    return [
        Note(code, count, message, tuple(sorted(examples)[:SHOWN]))
        for code, count, message, examples in _remarks(sides, name, compared)
    ]


def warnings(sides: Sides, name: str, compared: Sequence[Compared]) -> Iterator[str]:
    """The same as lines of text, all repeats by name."""
    for code, _, message, examples in _remarks(sides, name, compared):
        if code.startswith("repeated"):
            yield message + ":"
            yield from (f"  {example}" for example in examples)
        else:
            yield message + (f" ({', '.join(examples)})" if examples else "")


def strict_problems(sides: Sides, compared: Mapping[str, Sequence[Compared]]) -> None:
    """Raise everything that the profile `strict` does not allow."""
    problems: list[Problem] = []
    ids = {document.id for document in sides.key.documents}
    for place, document in enumerate(sides.documents):
        first = next(iter(compared.values()))[place]
        problems += [_repeat_problem(each, document, sides.key) for each in first.key_repeats]
    for name, corpus in sides.responses.items():
        found = sides.found[name]
        for document, each in zip(sides.documents, compared[name], strict=True):
            own = found.get(document.id)
            if own is None:
                message = f"document {document.id!r} of the key is not there"
                problems.append(Problem(message, path=corpus.path, hint="add it, even without mentions"))
                continue
            problems += [_repeat_problem(repeat, own, corpus) for repeat in each.response_repeats]
            if _unequal(document, own):
                message = f"document {own.id!r} has {own.tokens} tokens, the key has {document.tokens}"
                hint = "the texts must be the same"
                problems.append(Problem(message, path=corpus.path, line=own.line, hint=hint))
        for own in corpus.documents:
            if own.id not in ids:
                message = f"document {own.id!r} is not in the key"
                problems.append(
                    Problem(message, path=corpus.path, line=own.line, hint="remove it, or add it to the key")
                )
    if problems:
        raise ValidationError(problems)


Remark = tuple[str, int, str, list[str]]


def _remarks(sides: Sides, name: str, compared: Sequence[Compared]) -> Iterator[Remark]:
    found, corpus = sides.found[name], sides.responses[name]
    for problem in (*sides.key.notes, *corpus.notes):
        yield "input", 1, str(problem), []
    missing = [document.id for document in sides.documents if document.id not in found]
    if not found:
        yield "empty-system", 1, NO_DOCUMENTS, []
    if missing:
        what = _number(len(missing), "key document has", "key documents have")
        yield "missing-document", len(missing), f"{what} no response and {_verb(missing)} as empty", missing
    ids = {document.id for document in sides.key.documents}
    extra = [document.id for document in corpus.documents if document.id not in ids]
    if extra:
        what = _number(len(extra), "response document is", "response documents are")
        yield "extra-document", len(extra), f"{what} not in the key and ignored", extra
    unequal = [
        f"{document.id}: {document.tokens} and {found[document.id].tokens}"
        for document in sides.documents
        if document.id in found and _unequal(document, found[document.id])
    ]
    if unequal:
        what = _number(len(unequal), "document differs", "documents differ")
        yield "unequal-tokens", len(unequal), f"{what} in the number of tokens, so mentions may be shifted", unequal
    yield from _repeats(sides, compared)


def _repeats(sides: Sides, compared: Sequence[Compared]) -> Iterator[Remark]:
    documents = [document.id for document in sides.documents]
    pairs = list(zip(documents, compared, strict=True))
    for side, removed, what in (
        ("key", True, "removed"),
        ("key", False, "kept, as the reference scorer does; scores may exceed 100 %"),
        ("response", True, "removed"),
        ("response", False, "kept because the key does not have them, as the reference scorer does"),
    ):
        found = [
            (each.mention, each.first, each.again, document)
            for document, pair in pairs
            for each in (pair.key_repeats if side == "key" else pair.response_repeats)
            if each.removed == removed
        ]
        if found:
            number = _number(len(found), "repeated mention", "repeated mentions")
            message = f"{number} in the {side} {'was' if len(found) == 1 else 'were'} {what}"
            if side == "response" and removed and len(found) > REFUSAL:
                message += f" (with more than {REFUSAL}, the reference scorer refuses to score)"
            times = dict.fromkeys(found, 0)
            for each in found:
                times[each] += 1
            listed = [_told(*each) + (f", {n} times" if n > 1 else "") for each, n in times.items()]
            yield f"repeated-{side}-mention", len(found), message, listed


def _told(mention: Mention, first: str, again: str, document: str) -> str:
    chains = f"twice in chain {first}" if first == again else f"in chains {first} and {again}"
    return f"{written(mention)} {chains} of {document!r}"


def _repeat_problem(repeat: Repeat, document: CorefDocument, corpus: CorefCorpus) -> Problem:
    where = (
        f"twice in chain {repeat.first}"
        if repeat.first == repeat.again
        else f"in chain {repeat.first} and again in chain {repeat.again}"
    )
    message = f"the mention {written(repeat.mention)} stands {where} of document {document.id!r}"
    return Problem(message, path=corpus.path, line=document.line, hint="remove one of them")


def _unequal(key: CorefDocument, response: CorefDocument) -> bool:
    return key.tokens >= 0 and response.tokens >= 0 and key.tokens != response.tokens


def written(mention: Mention) -> str:
    """A mention as the reference scorer writes it: (first,last).

    >>> written((3, 5))
    '(3,5)'
    """
    return f"({','.join(f'{number:g}' for number in mention)})"


def _number(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _verb(items: Sequence[str]) -> str:
    return "counts" if len(items) == 1 else "count"
