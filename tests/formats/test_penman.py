"""Penman notation: one graph, and files of them; whatever the bytes, documents or problems with a place."""

from adjudge.model.penman import parse


def test_deep_graphs_need_no_deep_stack():
    depth = 50_000
    graph = parse("".join(f"(v{k} / c :r " for k in range(depth)) + "-" + ")" * depth)
    assert len(graph.concepts) == len(graph.edges) == depth
