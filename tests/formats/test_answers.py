"""Answers of language models: the cases of the specification, everything that is repaired, and texts that attack."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError
from adjudge.formats.answer_text import read_answer
from adjudge.formats.answers import read_answers, read_answers_strictly

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "records_reading.json").read_text(encoding="utf-8"))
MALFORMED, TRUNCATED, NONE = "malformed JSON", "truncated JSON", "there is no JSON in it"


def read(text, *, repair=False):
    found = read_answer(text, repair=repair)
    return {"value": found.value, "failed": found.failed, "notes": dict(found.notes)}


@pytest.mark.parametrize("case", GOLDEN["answers"], ids=lambda case: case["id"])
def test_answers_of_the_specification(case):
    assert read(case["text"]) == case["strict"]
    assert read(case["text"], repair=True) == case["repair"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # Where the value stands.
        ('<answer>{"a": 1}</answer>', {"a": 1}),
        ('<Thinking>x</THINKING> {"a": 1}', {"a": 1}),
        ('<think>a</think> b <reasoning>c</reasoning>\n{"a": 1}', {"a": 1}),
        ('<think>one <think>two</think> {"a": 1}', {"a": 1}),
        ('   ````json\n{"a": 1}\n````\n```\nx\n```', {"a": 1}),
        ('```json {"a": 1} ```', {"a": 1}),
        ("```json\n[1, 2]\n```", [1, 2]),
        ('```\n{"a": 1}\n```\n```\nnot JSON {"a": 2}\n```', {"a": 1}),
        ('[1] {"a": 1} [sic] [2-3] {x}', {"a": 1}),
        ('[12a] says {"a": 1}, and so does [2024-01-05]', {"a": 1}),
        ('[["x"]] or [{"a": 1}]', [{"a": 1}]),
        ('{"a": "```"}', {"a": "```"}),
        ('{"a": 1} {"b": 2} ', [{"a": 1}, {"b": 2}]),
        ('{"a": "\\ud83d"}', {"a": "\ufffd"}),
        ('{"a": -0.5e3, "b": [true, false, null, "\\u00e9\\n"]}', {"a": -500, "b": [True, False, None, "é\n"]}),
    ],
)
def test_where_the_value_is(text, value):
    assert (read(text)["value"], read(text)["failed"]) == (value, None)


@pytest.mark.parametrize(
    ("text", "value", "mended"),
    [
        ("```\n// an answer\n{\"a\": 1} # yes\n```", {"a": 1}, {"comment": 2}),
        ("{a: 'it''s'}", None, None),
        ("{a: \"x\" \"b\": 2, c: ['y' \"z\"]}", {"a": "x", "b": 2, "c": ["y", "z"]},
         {"bare-key": 2, "missing-comma": 2, "quotes": 1}),
        ("{\"a\": 1 \"b\": 2}", {"a": 1, "b": 2}, {"missing-comma": 1}),
        ("[\"a\" 1]", None, None),
        ("[1 \"a\"]", None, None),
        ("[[1] [2], {} {}]", [[1], [2], {}, {}], {"missing-comma": 2}),
        ("[{\"a\": 1,},]", [{"a": 1}], {"trailing-comma": 2}),
        ("{\"a\": [1,,2]}", None, None),
        ("{\"a\": [,]}", None, None),
        ("{\"a\": 1]", None, None),
        ("{\"a\": \"x\\q\\u12\"}", {"a": "x\\q\\u12"}, {"escape": 2}),
        ("{\"a\": \"x\ty\"}", {"a": "x\ty"}, {"control-character": 1}),
        ("{\"a\": [+Infinity, undefined, -.5, +1., 1.e2]}", {"a": [None, None, -0.5, 1, 100]},
         {"nan": 1, "literal": 1, "number-form": 3}),
        ("{\"a\": -NaN}", None, None),
        ("{\"a\": TRUE}", None, None),
        ("{\"a\": 1e999}", None, None),
        ("{\"a\": 5x}", None, None),
        ("{\"a\": 1, a: 2, \"a\": 2}", {"a": 2}, {"bare-key": 1}),
        # What is cut off.
        ("{\"a\": tru", {}, {"truncated": 1}),
        ("{\"a\": true", {"a": True}, {"truncated": 1}),
        ("{\"a\": \"x\"", {"a": "x"}, {"truncated": 1}),
        ("{\"a\": [1, 2", {"a": [1]}, {"truncated": 1}),
        ("{\"a\": [1, 2 ", {"a": [1, 2]}, {"truncated": 1}),
        ("{\"a\": 1, \"b\": 1e", {"a": 1}, {"truncated": 1}),
        ("{\"a\": 1, \"b\": -", {"a": 1}, {"truncated": 1}),
        ("{\"a\": 1, /* and", {"a": 1}, {"truncated": 1, "comment": 1}),
        ("{\"a\": 1, \"b\":", {"a": 1}, {"truncated": 1}),
        ("{\"a\": 1, \"b\"", {"a": 1}, {"truncated": 1}),
        ("{\"a\": 1, b", {"a": 1}, {"truncated": 1}),
        ("{\"a\": {\"b\": [{\"c\": \"\\", {"a": {"b": [{}]}}, {"truncated": 1}),
        ("{\"a\": nothing", None, None),
        ("\"{'a': 1,}\"", {"a": 1}, {"encoded": 1, "quotes": 1, "trailing-comma": 1}),
    ],
)  # fmt: skip
def test_what_is_repaired(text, value, mended):
    strict, repaired = read(text), read(text, repair=True)
    assert strict["failed"] is not None
    if value is None:
        assert repaired["failed"] == MALFORMED
        assert repaired["value"] is None
        return
    assert repaired["value"] == value
    codes = {code.removeprefix("repair:"): count for code, count in repaired["notes"].items() if "repair" in code}
    assert codes == mended


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("Final: {", NONE),
        ('{"a": 1} and so on: {"b": $5}', MALFORMED),
        ('```json\n{"a": 1} and {"b": 2}\n```', MALFORMED),
        ("<think>x</think>", NONE),
        ("true", "it is neither an object nor a list"),
        ('["a", "b', TRUNCATED),
        ("NaN", NONE),
    ],
)
def test_what_fails(text, failed):
    assert read(text)["failed"] == failed


@pytest.mark.parametrize(("levels", "failed"), [(500, None), (501, "nested too deeply"), (99_999, "nested too deeply")])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_depth(levels, failed, opening, closing):
    text = opening * (levels - 1) + "{}" + closing * (levels - 1)
    assert read(text)["failed"] == failed
    assert read(text[:-1])["failed"] == (failed or TRUNCATED)
    assert read(f"so: {{}} {text}")["failed"] == failed


MANY = 150_000
HOSTILE = [
    *("{", "[", '{"', '{"a":', "[1,", '{"a":x}', "{'a': '}", "<think>", "</think>", "<think></thinking>", "```\n"),
    *('```json\n{"a"\n', "[1] ", "{a", "{/*", "[//", '{"a":1} x ', '{"a":1,"a":2},', "{#", "~~~~~\n", '{"\\', "['"),
    *('{"a": 1 x "', "`", "[-", "{ ", '{"a":/*', '["\\"', "\\", '"', "[{", "{}", '["a" '),
]


@pytest.mark.parametrize("part", HOSTILE)
def test_time_is_linear(part):
    """A hundred thousand characters take a second at most, and would take minutes if each was read again and again."""
    text = part * (MANY // len(part))
    started = time.process_time()
    read_answer(text, repair=True)
    assert time.process_time() - started < 30


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda of: st.lists(of, max_size=3) | st.dictionaries(st.text(max_size=3), of, max_size=3),
)
VALUES = st.lists(JSON, max_size=3) | st.dictionaries(st.text(max_size=3), JSON, max_size=3)


@given(VALUES, st.booleans())
def test_json_is_read_as_it_is(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert read(text) == read(text, repair=True) == {"value": value, "failed": None, "notes": {}}
    assert read(f"```json\n{text}\n```")["value"] == value


@given(VALUES, st.data())
def test_cut_json_gives_no_other_values(value, data):
    text = json.dumps({"a": value, "b": 1})
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    found = read(cut, repair=True)
    assert read(cut)["failed"]
    if found["failed"] is None:
        assert is_part(found["value"], {"a": value, "b": 1})


def is_part(one, whole):
    if isinstance(one, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(value, whole[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(whole, list):
        return len(one) <= len(whole) and all(map(is_part, one, whole))
    return one == whole


@given(st.text(alphabet="{}[]\"'`~<>/*#,:\\\n -+.1eatrufnN“”", max_size=40))
def test_nothing_breaks_it(text):
    for repair in (False, True):
        found = read_answer(text, repair=repair)
        assert (found.failed is None) == isinstance(found.value, dict | list)


LINES = [
    {"id": "a", "output": '{"x": 1,}'},
    {"id": "b", "output": "{'x': 1, y: [1, 2,],}"},
    {"id": "c", "output": '{"x": $5}', "genre": "news"},
    {"id": "d", "records": {"x": 1}},
    {"id": "e", "x": 1, "y": {"id": "inner"}},
    {"id": "f", "output": None},
    {"id": "g", "output": 'draft {"x": 1}, final {"x": 2, "x": 3}'},
]


def lines(documents):
    return "\n".join(map(json.dumps, documents)).encode()


def test_documents_and_notes():
    corpus = read_answers(lines(LINES), name="f")
    assert [each.data for each in corpus.documents] == [
        {"id": "a", "records": [], "unreadable": MALFORMED},
        {"id": "b", "records": [], "unreadable": MALFORMED},
        {"id": "c", "records": [], "unreadable": MALFORMED, "genre": "news"},
        {"id": "d", "records": {"x": 1}},
        {"id": "e", "records": {"x": 1, "y": {"id": "inner"}}},
        {"id": "f", "records": [], "unreadable": "it is null"},
        {"id": "g", "records": {"x": 3}},
    ]
    assert [(each.code, each.count, each.message) for each in corpus.notes] == [
        ("malformed-answer", 3, "3 answers cannot be read (malformed JSON); the option repair would read 2 of them"),
        ("malformed-answer", 1, "1 answer cannot be read (it is null)"),
        ("several-values", 1, "1 answer with several values, of which the last counts"),
        ("duplicate-key", 1, "1 answer with keys that are given twice (1 place), the last counts"),
    ]
    assert corpus.notes[0].examples == ("a", "b", "c")


def test_repairs_are_counted():
    corpus = read_answers(lines(LINES[:3]), name="f", repair=True)
    assert [each.data["records"] for each in corpus.documents] == [{"x": 1}, {"x": 1, "y": [1, 2]}, []]
    assert [(each.code, each.message) for each in corpus.notes] == [
        ("malformed-answer", "1 answer cannot be read (malformed JSON)"),
        ("repair:trailing-comma", "repaired: commas before a closing bracket (2 answers, 3 places)"),
        ("repair:quotes", "repaired: other quotation marks (1 answer, 1 place)"),
        ("repair:bare-key", "repaired: keys without quotation marks (1 answer, 1 place)"),
    ]


def test_a_field_of_ones_own():
    corpus = read_answers(lines([{"id": "a", "answer": {"text": 1}, "records": [5]}]), name="f", field="answer")
    assert corpus.documents[0].data == {"id": "a", "records": {"text": 1}}
    with pytest.raises(AdjudgeError, match="f:1: the document has no field 'anwser', did you mean answer"):
        read_answers(lines([{"id": "a", "answer": {}}]), name="f", field="anwser")


def test_strictly():
    with pytest.raises(AdjudgeError) as caught:
        read_answers_strictly(lines(LINES), name="f")
    assert [str(each).partition(", ")[0] for each in caught.value.problems] == [
        "f:1: output: malformed JSON",
        "f:2: output: malformed JSON",
        "f:3: output: malformed JSON",
        "f:6: output: it is null",
        "f:7: output: 1 answer with keys that are given twice (1 place)",
        "f:7: output: 1 answer with several values",
    ]
    assert len(read_answers_strictly(lines(LINES[3:5])).documents) == 2
