"""Answers of language models, of which the value is taken and then read as if it had been given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudge.formats.coerce.corpus import Declared, Notes, fields_of, first_of

OUTPUTS = ("output", "answer", "completion", "response", "prediction")
_PENMAN = ("(", "#")
_OWN = {  # fields by which documents are none
    "relation": ("relations", "triples", "edges", "_input_hash"),
    "event": ("events", "graph"),
    "tree": ("dependencies", "heads", "arcs", "edges"),
    "amr": ("amr", "graph", "penman"),
    "coref": ("clusters", "predicted_clusters", "chains"),
}


def chat_answer(value: Any) -> Any:
    """What a chat client answered, its text or an object that it has parsed; other values as they are.

    >>> from types import SimpleNamespace as Made
    >>> chat_answer(Made(choices=[Made(message=Made(content="[]"))])), chat_answer(Made(output_text="{}"))
    ('[]', '{}')
    """
    if isinstance(value, Mapping | str | list | tuple):
        return value
    if hasattr(value, "choices"):
        message = value.choices[0].message
        parsed = getattr(message, "parsed", None)
        return str(message.content) if parsed is None else parsed
    text = getattr(value, "output_text", None)
    if isinstance(text, str):
        return text
    parsed = getattr(value, "parsed", None)
    return value if parsed is None else parsed


def is_answer(kind: str, value: Any) -> bool:
    """Whether a document is an answer, of which the value has to be taken.

    >>> is_answer("coref", {"id": 1, "output": "[]"}), is_answer("coref", {"clusters": [], "answer": 1})
    (True, False)
    """
    if isinstance(value, str):
        return kind != "amr" or not value.lstrip().startswith(_PENMAN)
    if isinstance(value, Mapping):
        return first_of(value, OUTPUTS) is not None and not any(name in value for name in _OWN[kind])
    return chat_answer(value) is not value


def is_raw(value: Any) -> bool:
    """Whether a document is a text, or one among its fields, of a model that wrote it."""
    fields = value if isinstance(value, Mapping) else {}
    return isinstance(value, str) or chat_answer(value) is not value or first_of(fields, OUTPUTS) is not None


def unwrapped(kind: str, name: str, value: Any, declared: Declared, notes: Notes) -> Any:
    """The value of an answer; other documents as they are."""
    value = chat_answer(value)
    if not is_answer(kind, value):
        return value
    fields = fields_of(value)
    given = value if fields is None else chat_answer(first_of(fields, OUTPUTS))
    if not isinstance(given, str):
        return given
    if kind == "amr":
        from adjudge.formats.answer_text import without_prose

        return given if given.lstrip().startswith(_PENMAN) else without_prose(given, "(")
    found = answer_value(name, given, declared, notes)
    return [] if found is None else found


def answer_value(name: str, text: str, declared: Declared, notes: Notes) -> Any:
    """The value of the JSON in an answer; None if there is none, with a note."""
    from adjudge.formats.answer_text import read_answer

    answer = read_answer(text)
    if answer.failed is not None:
        notes.add(
            "no-json",
            f"{declared.side}: {{n:answer has|answers have}} no JSON ({answer.failed}), counted as empty",
            name,
        )
        return None
    return answer.value
