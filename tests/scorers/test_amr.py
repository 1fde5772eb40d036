"""The stand-ins for published scorers of meaning graphs: where they depart from the definition, and their search."""

import re
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError, UsageError
from adjudge.model.penman import parse
from adjudge.scorers import amr_evaluation, smatch, smatchpp
from adjudge.scorers.published import find_scorers
from adjudge.scorers.smatch import Triples, best_match

NODES = st.sampled_from("abc")
SIDE = st.builds(
    Triples,
    st.lists(st.tuples(NODES, st.just("i"), st.sampled_from("xy")), max_size=4),
    st.lists(st.tuples(NODES, st.sampled_from("rq"), NODES), max_size=5),
)


@settings(max_examples=40)
@given(SIDE, SIDE)
def test_best_match_counts_every_pair_of_equal_triples(system, gold):
    best = 0
    for image in permutations(["a", "b", "c", "?", "?", "?"], 3):
        mapping = dict(zip("abc", image, strict=True))
        moved = Counter((mapping[n], r, v) for n, r, v in system.attributes)
        moved += Counter((mapping[s], r, mapping[t]) for s, r, t in system.relations)
        there = Counter([*gold.attributes, *gold.relations])
        best = max(best, sum(count * there[triple] for triple, count in moved.items()))
    assert best_match(system, gold).value == best


def test_smatch_loses_what_it_loses():
    graph = parse('(b / "big boy" :mod 5 :quant-of 3 :op1 "New York" :op2 "" :op3 b~e.1)')
    # bigboy; a constant under mod or under an inverse role is gone; a string ends at its blank; alignments stay.
    assert smatch.triples(graph) == Triples(
        [
            ("b", "instance", "bigboy"),
            ("b", "top", "top"),
            ("b", "op1", "new"),
            ("b", "op2", ""),
            ("b", "op3", "b~e.1"),
        ],
        [],
    )


def test_the_older_smatch_turns_an_inverse_role_round_only_in_some_places():
    # A node that is defined here, and the last role of a node; not a variable with another role behind it.
    graph = parse("(a / x :r-of (b / y :q-of a) :s-of b :consist-of (c / z) :t-of b)")
    assert amr_evaluation.triples(graph).relations == [
        ("b", "r", "a"),
        ("a", "q", "b"),
        ("a", "s-of", "b"),
        ("c", "consist", "a"),
        ("b", "t", "a"),
    ]
    assert ("a", "top", "x") in amr_evaluation.triples(graph).attributes


def test_smatchpp_turns_every_inverse_role_round_and_removes_repeats():
    graph = parse("(b / Boy :consist-of (s / small) :mod 'x' :mod x :quant-of 5)")
    assert smatchpp.triples(graph, "amr") == [
        ("?b", "instance", "boy"),
        ("?s", "instance", "small"),
        ("?b", "root", "boy"),
        ("?s", "consist", "?b"),
        ("?b", "mod", "=x"),
        ("=5", "quant", "?b"),
    ]
    assert len(smatchpp.triples(graph, "generic")) == 7


def test_smatchpp_dereifies():
    located = parse("(x / boy :ARG1-of (z / be-located-at-91 :ARG2 (y / city)))")
    plain = parse("(x / boy :location (y / city))")
    assert smatchpp.observe(*(smatchpp.triples(each, "amr") for each in (located, plain))) == ((4, 4, 4), True)
    top = parse("(z / be-located-at-91 :ARG1 (x / boy) :ARG2 (y / city))")
    assert len(smatchpp.triples(top, "amr")) == 6


def test_senses_and_labels_are_changed_in_the_text():
    # A colon in a string is a label too: "1:30" and "1:45" become equal. duck-02 becomes duck-01.
    gold, system = b'(d / duck-01 :time "1:30")', b'(d / duck-02 :time "1:45")'
    lines = amr_evaluation.run(gold, system).text.splitlines()
    # Three triples: concept, top (the concept) and time.
    assert lines[0] == "Smatch -> P: 0.00, R: 0.00, F: 0.00"
    assert lines[1] == "Unlabeled -> P: 0.33, R: 0.33, F: 0.33"
    assert lines[2] == "No WSD -> -> P: 0.67, R: 0.67, F: 0.67"
    assert lines[3] == "Concepts -> P: 0.00 , R: 0.00 , F: 0.00"


@pytest.mark.parametrize("name", find_scorers("amr"))
def test_files_must_belong_together(name):
    run = find_scorers("amr")[name].run
    with pytest.raises(FormatError, match="2 graphs, but gold has 1"):
        run(b"(a / b)", b"(a / b)\n\n(c / d)")
    with pytest.raises(FormatError) as raised:
        run(b"(a / b", b"(a / b)\n\n(c d)")
    assert len(raised.value.problems) == 2


def test_digits_are_checked():
    with pytest.raises(UsageError, match="--digits cannot be 'x'"):
        smatch.run(b"(a / b)", b"(a / b)", digits="x")
    assert smatch.run(b"(a / b)", b"(a / c)", digits="0").text == "Precision: 0\nRecall: 0\nF-score: 0\n"


def test_the_table_of_the_documentation_is_true():
    from adjudge.metrics import find

    page = (Path(__file__).parents[2] / "docs" / "amr.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\(.*?)` \| `(\(.*?)` \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$", page, re.MULTILINE)
    assert len(rows) == 3
    for system, gold, *promised in rows:
        files = gold.encode(), system.encode()
        found = [
            f"{100 * find('amr.smatch').score(gold, system).f1:.1f}",
            smatch.run(*files).text.split("F-score: ")[1].strip(),
            smatchpp.run(*files).text.split()[3],
            amr_evaluation.run(*files).text.split("F: ")[1].split()[0],
        ]
        assert found == promised


def test_the_first_node_of_a_part_is_its_top():
    # Triples with constants come first, so b is the system's top: two concepts, ARG1, ARG2 and (b, top, y), 5 in all;
    # gold has two concepts, ARG1 and (a, top, x). The concepts and ARG1 agree: 3/5 and 3/4.
    lines = amr_evaluation.run(b"(a / x :ARG1 (b / y))", b"(a / x :ARG1 (b / y :ARG2 5))").text.splitlines()
    assert lines[-1] == "SRL -> P: 0.60 , R: 0.75 , F: 0.67"
