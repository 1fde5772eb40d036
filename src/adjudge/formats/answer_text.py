"""The JSON value in the text of an answer: after the reasoning, in a code fence, between prose, or several in a row.

A value is read as a whole or the answer fails: no part of a value that did not parse is ever taken instead.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from adjudge.formats.tolerant import (
    DEEPEST,
    LITERALS,
    QUOTES,
    Malformed,
    Tolerated,
    balanced_end,
    joined,
    number_of,
    read_tolerantly,
)  # fmt: skip

_TAG = re.compile(r"<(/?)(think|thinking|thought|reasoning|scratchpad)>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*+(?:(`{3,}+)[^`\n]*+|(~{3,}+)[^\n]*+)(?:\n|\Z)", re.MULTILINE)
_COMMENT = r"#|//|/\*"
_OPEN = re.compile(
    rf"\{{(?=\s*+(?:[{QUOTES}}}]|{_COMMENT}|[^\W\d][\w$-]*+\s*+:))"
    rf"|\[(?=\s*+(?:[\[\]{{{QUOTES}\d-]|{_COMMENT}|(?:{'|'.join(LITERALS)})\b))"
)
_BETWEEN = re.compile(r"[\s,]*+")
_COMMENTS = re.compile(r"(?:#|//)[^\n]*+|/\*.*?\*/", re.DOTALL)
_BLANK = re.compile(rf"(?:\s++|{_COMMENTS.pattern})*+", re.DOTALL)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_REFERENCE = re.compile(rf"\s*+[\d-][^{{\[{QUOTES}]*+\Z")
TRUNCATED = "truncated JSON"
NO_JSON = "there is no JSON in it"
NO_VALUE = "it is neither an object nor a list"


@dataclass(slots=True)
class Answer:
    """The value of an answer, or why there is none, and the counts of what was done to get it."""

    value: Any = None
    failed: str | None = None
    notes: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class _Candidate:
    """A piece of the text that may be the answer: its value, or why it has none, and the result of a repair."""

    value: Any = None
    failed: str | None = None
    notes: Counter[str] = field(default_factory=Counter)
    repaired: Tolerated | None = None
    fenced: bool = False
    reference: bool = False


def read_answer(text: str, *, repair: bool = False) -> Answer:
    """The value of an answer.

    >>> read_answer('The answer is {"name": "Ada"}.').value
    {'name': 'Ada'}
    >>> read_answer('{"name": "Ada",}').failed, read_answer('{"name": "Ada",}', repair=True).value
    ('malformed JSON', {'name': 'Ada'})
    """
    whole = text.lstrip("\ufeff").lstrip()  # not trailing space, which ends a number
    if not whole:
        return Answer(failed="it is empty")
    answer = Answer()
    rest = whole
    found = _strictly(whole)
    if found is None:
        rest = _without_reasoning(whole)
        if rest != whole:
            answer.notes["reasoning"] += 1
            found = _strictly(rest)
    chosen = found or _chosen(rest, answer.notes)
    if chosen is None:
        answer.failed = NO_JSON
        return answer
    return _settled(chosen, answer, repair=repair)


def without_prose(text: str, begins: str) -> str:
    """An answer in another language than JSON: the last code fence with `begins`, or everything from there on.

    >>> without_prose("Sure:\\n```\\n(a / ant)\\n```", "("), without_prose("Sure: (a / ant)", "(")
    ('(a / ant)', '(a / ant)')
    """
    text = _without_reasoning(text)
    found, at = "", 0
    while fence := _FENCE.search(text, at):
        content, at = _fenced(text, fence)
        found = content if begins in content else found
    return (found or text[max(text.find(begins), 0) :]).strip()


def _settled(chosen: _Candidate, answer: Answer, *, repair: bool) -> Answer:
    """The value of the chosen piece, repaired if wanted."""
    answer.notes.update(chosen.notes)
    answer.value, answer.failed = chosen.value, chosen.failed
    if chosen.failed and chosen.repaired is not None:
        if not repair:
            answer.notes["repairable"] += 1
            return answer
        answer.value, answer.failed = chosen.repaired.value, None
        answer.notes.update({f"repair:{code}": count for code, count in chosen.repaired.repaired.items()})
        if chosen.repaired.repeated:
            answer.notes["duplicate-key"] += chosen.repaired.repeated
    if answer.failed is None and not isinstance(answer.value, dict | list):
        if repair and isinstance(answer.value, str):
            inner = read_answer(answer.value)  # once: an encoded text is not decoded again
            if inner.failed and inner.notes["repairable"]:
                inner = read_answer(answer.value, repair=True)
            if inner.failed is None:
                inner.notes.update(answer.notes)
                inner.notes["repair:encoded"] += 1
                return inner
        answer.value, answer.failed = None, "it is null" if answer.value is None else NO_VALUE
    return answer


def _without_reasoning(text: str) -> str:
    """A text without reasoning: between its tags, before a last closing tag, and after an opening one.

    >>> _without_reasoning("a <think>b</think> c </think> d<think> e")
    'd'
    """
    ends: dict[str, list[int]] = {}
    tags = list(_TAG.finditer(text))
    for tag in reversed(tags):
        if tag[1]:
            ends.setdefault(tag[2].lower(), []).append(tag.end())
    kept: list[str] = []
    at = 0
    for tag in tags:
        if tag.start() < at or tag[1]:
            continue
        known = ends.get(tag[2].lower(), [])
        while known and known[-1] < tag.end():
            known.pop()
        if known:
            kept.append(text[at : tag.start()])
            at = known[-1]
    kept.append(text[at:])
    rest = "".join(kept)
    closing = [tag.end() for tag in _TAG.finditer(rest) if tag[1]]
    rest = rest[closing[-1] :] if closing else rest
    opening = _TAG.search(rest)
    return (rest[: opening.start()] if opening else rest).lstrip()


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _strictly(text: str) -> _Candidate | None:
    """The value of a text that is one JSON value and nothing else, else None."""
    text = text.strip()
    if not text or text[0] not in '{["-0123456789tfn':
        return None
    notes: Counter[str] = Counter()

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: dict[str, Any] = {}
            for key, value in pairs:
                notes["duplicate-key"] += key in seen and seen[key] != value
                seen[key] = value
        return found

    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=number_of, object_pairs_hook=members)
    except (ValueError, RecursionError, Malformed):
        return None
    if text.count("[") + text.count("{") > DEEPEST and _is_deep(value):
        return None
    if _SURROGATE.search(text):
        value = _whole_characters(value)
    return _Candidate(value, notes=+notes)


def _is_deep(value: Any) -> bool:
    level, depth = [value], 0
    while level and depth < DEEPEST:
        depth += 1
        inner = (each.values() if isinstance(each, dict) else each for each in level)
        level = [each for values in inner for each in values if isinstance(each, dict | list)]
    return bool(level)


def _whole_characters(value: Any) -> Any:
    if isinstance(value, str):
        return joined(value)
    if isinstance(value, dict):
        return {joined(key): _whole_characters(each) for key, each in value.items()}
    return [_whole_characters(each) for each in value] if isinstance(value, list) else value


def _piece(text: str, start: int) -> tuple[_Candidate, int]:
    """The piece that starts with a bracket at a place, and its end."""
    try:
        read = read_tolerantly(text, start)
    except Malformed as error:
        return _Candidate(failed=error.reason), max(balanced_end(text, start), error.at)
    return _of(read), read.end


def _of(read: Tolerated) -> _Candidate:
    if read.repaired:
        return _Candidate(failed=TRUNCATED if "truncated" in read.repaired else Malformed.reason, repaired=read)
    return _Candidate(read.value, notes=Counter({"duplicate-key": read.repeated} if read.repeated else {}))


def _in_a_row(text: str) -> _Candidate | None:
    """Two or more objects with nothing but space and commas between them, as one list; else None."""
    found: list[_Candidate] = []
    at = 0
    while True:
        opened = _OPEN.match(text, at)
        if opened is None or opened[0] != "{":
            return None
        piece, at = _piece(text, at)
        found.append(piece)
        at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        if at == len(text):
            break
    if len(found) < 2:
        return None
    notes: Counter[str] = Counter({"json-lines": 1})
    repaired: Counter[str] = Counter()
    values: list[Any] = []
    repeated = 0
    for each in found:
        if each.notes:
            notes.update(each.notes)
        if each.repaired is not None:
            repaired.update(each.repaired.repaired)
            repeated += each.repaired.repeated
        values.append(each.value if each.repaired is None else each.repaired.value)
    failed = next((each.failed for each in found if each.failed), None)
    if failed is None:
        return _Candidate(values, notes=notes)
    if any(each.failed and each.repaired is None for each in found):
        return _Candidate(failed=failed, notes=notes)
    return _Candidate(failed=failed, notes=notes, repaired=Tolerated(values, at, repaired, repeated))


def _chosen(text: str, notes: Counter[str]) -> _Candidate | None:
    """The piece of a text that is the answer: the last candidate."""
    row = _in_a_row(text) if text else None
    if row is not None:
        return row
    candidates = list(_candidates(text))
    fenced = [each for each in candidates if each.fenced]
    candidates = [each for each in fenced or candidates if not each.reference]
    likely = [each for each in candidates if each.failed or _has_object(each.value)]
    likely = likely or [each for each in candidates if each.fenced or _is_list_of_texts(each.value)]
    if len(likely) > 1:
        notes["several-values"] += 1
    return likely[-1] if likely else None


def _has_object(value: Any) -> bool:
    return isinstance(value, dict) or any(isinstance(each, dict) for each in value)


def _is_list_of_texts(value: Any) -> bool:
    return not value or any(isinstance(each, str) for each in value)


def _candidates(text: str) -> Iterator[_Candidate]:
    """Everything in a text that looks like JSON, from left to right, without nested pieces."""
    at = 0
    fence = _FENCE.search(text)
    while opened := _OPEN.search(text, at):
        while fence and fence.start() < at:
            fence = _FENCE.search(text, at)
        if fence and fence.start() < opened.start():
            content, at = _fenced(text, fence)
            candidate = _content(content)
            if candidate is not None:
                yield candidate
            continue
        start = opened.start()
        piece, at = _piece(text, start)
        # A number in brackets, as in "see [12a]", is a reference rather than a malformed list.
        inside = text[start + 1 : at] if piece.failed == Malformed.reason else ""
        piece.reference = _REFERENCE.match(inside) is not None
        yield piece


def _fenced(text: str, fence: re.Match[str]) -> tuple[str, int]:
    """The content of a code fence, and where it ends."""
    mark = fence[1] or fence[2]
    closing = re.compile(rf"^[ \t]*+{re.escape(mark[0])}{{{len(mark)},}}[ \t]*+$", re.MULTILINE)
    closed = closing.search(text, fence.end())
    return (text[fence.end() : closed.start()], closed.end()) if closed else (text[fence.end() :], len(text))


def _content(content: str) -> _Candidate | None:
    """The value that a code fence holds; None if it does not look like JSON."""
    start = _BLANK.match(content).end()  # type: ignore[union-attr]
    if not _OPEN.match(content, start):
        return None
    found = _strictly(content) or _in_a_row(content[start:]) or _alone(content, start)
    found.fenced = True
    return found


def _alone(content: str, start: int) -> _Candidate:
    """The value of a code fence that has nothing else but comments."""
    try:
        read = read_tolerantly(content, start)
    except Malformed as error:
        return _Candidate(failed=error.reason)
    if not _BLANK.fullmatch(content, read.end):
        return _Candidate(failed=Malformed.reason)
    comments = _COMMENTS.findall(content[:start]) + _COMMENTS.findall(content[read.end :])
    read.repaired.update({"comment": len(comments)} if comments else {})
    return _of(read)
