"""Penman notation: one graph, and files of them; whatever the bytes, documents or problems with a place."""

import pytest

from adjudge.model.penman import PenmanError, parse


def test_everything_that_the_notation_has():
    graph = parse(
        '(w/want-01 :ARG0 (b / boy~e.1) :ARG1(g / "go (there)":ARG0 b :op1 "a \\" b"~e.2 :url a:b/c)\n:li -1 )'
    )
    assert graph.top == "w"
    assert graph.concepts == {"w": "want-01", "b": "boy~e.1", "g": '"go (there)"'}
    assert graph.edges == [
        ("w", "ARG0", "b"),
        ("w", "ARG1", "g"),
        ("g", "ARG0", "b"),
        ("g", "op1", '"a \\" b"~e.2'),
        ("g", "url", "a:b/c"),
        ("w", "li", "-1"),
    ]
    assert graph.homes == {"b": 0, "g": 1}


def test_a_variable_may_be_mentioned_before_it_is_defined():
    graph = parse("(a / and :op1 b :op2 (b / boy))")
    assert graph.homes == {"b": 1}
    assert [target for _, _, target in graph.edges] == ["b", "b"]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", (1, 1), "there is no graph"),
        ("boy", (1, 1), "expected an opening bracket, found boy"),
        ("(b / boy", (1, 1), "this bracket is never closed"),
        ("(b / boy\n :mod (s / small)", (1, 1), "this bracket is never closed"),
        ("(b / boy))", (1, 10), "there is ) after the end of the graph"),
        ("(b / boy) (g / girl)", (1, 11), "there is ( after the end of the graph"),
        ("(b)", (1, 3), 'expected a "/" and a concept, found )'),
        ("(b boy)", (1, 4), 'expected a "/" and a concept, found boy'),
        ("(b / )", (1, 6), "expected a concept, found )"),
        ("( / boy)", (1, 3), "expected a variable, found /"),
        ("(b / boy girl)", (1, 10), "expected a :role or a closing bracket, found girl"),
        ("(b / boy\n  :ARG0 )", (2, 9), "expected a node, a variable or a constant, found )"),
        ("(b / boy :ARG0 :ARG1 x)", (1, 16), "expected a node, a variable or a constant, found :ARG1"),
        ("(b / boy : x)", (1, 10), "a role has no name"),
        ('(b / boy :op1 "x)', (1, 15), "this quotation mark is never closed"),
        ("(b / boy :mod (b / bad))", (1, 16), "the variable b is defined twice"),
    ],
)
def test_mistakes_have_a_place(text, place, message):
    with pytest.raises(PenmanError) as raised:
        parse(text)
    assert raised.value.place(text) == place
    assert raised.value.message == message


def test_deep_graphs_need_no_deep_stack():
    depth = 50_000
    graph = parse("".join(f"(v{k} / c :r " for k in range(depth)) + "-" + ")" * depth)
    assert len(graph.concepts) == len(graph.edges) == depth
