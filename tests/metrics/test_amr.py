"""Smatch and its relatives: numbers by hand, and the best of all matchings by trying them all."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.metrics import find
from adjudge.metrics.amr_triples import (
    Name,
    dereified,
    directed,
    domains,
    read,
    reified,
    whole_names,
)


def counts(name, gold, system):
    row = find(name).observe({"amr": gold}, {"amr": system})
    assert row.optimal
    return tuple(row.counts.values())


def test_smatch_by_hand():
    # System: 4 concepts, top, 4 relations = 9. Gold: 5 concepts, top, 4 relations = 10. With w-w, b-b, b2-b2, g-g all
    # but the system's (b2 ARG1 b) and gold's concept "he" and (b2 ARG1 h) agree: 8.
    gold = "(w / want-01 :ARG0 (b / boy) :ARG1 (b2 / believe-01 :ARG0 (g / girl) :ARG1 (h / he)))"
    system = "(w / want-01 :ARG0 (b / boy) :ARG1 (b2 / believe-01 :ARG0 (g / girl) :ARG1 b))"
    assert counts("amr.smatch", gold, system) == (8, 9, 10)


@pytest.mark.parametrize(
    ("options", "gold", "system", "expected"),
    [
        # Only the mark of the top agrees; with the concept there, nothing does; without it, one triple is left.
        ("", "(c / car)", "(d / dog)", (1, 2, 2)),
        ("(top=concept)", "(c / car)", "(d / dog)", (0, 2, 2)),
        ("(top=none)", "(c / car)", "(d / dog)", (0, 1, 1)),
        # Two concepts, top and one relation on both sides; turned round the relation is the same, the top is not.
        ("", "(g / go-02 :ARG0 (b / boy))", "(b / boy :ARG0-of (g / go-02))", (3, 4, 4)),
        ("", "(s / small :domain (b / boy))", "(b / boy :mod (s / small))", (3, 4, 4)),
        ("", "(s / small :domain (b / boy))", "(s / small :mod-of (b / boy))", (4, 4, 4)),
        # consist-of is not an inverse: only the concepts agree.
        ("", "(g / group :consist-of (m / man))", "(m / man :consist (g / group))", (2, 4, 4)),
        # A constant under mod counts; a repeated triple counts once.
        ("", "(a / and :mod 5 :mod 5)", "(a / and :mod 5)", (3, 3, 3)),
        # Case, quotation marks and alignments mean nothing.
        ("", '(x / Boy :op1 "PARIS"~e.3)', "(x / boy~e.1 :op1~e.2 paris)", (3, 3, 3)),
        # A string is not cut at its blank.
        ("", '(x / boy :op1 "New York")', '(x / boy :op1 "New Delhi")', (2, 3, 3)),
        ("", '(x / boy :wiki "A")', '(x / boy :wiki "B")', (2, 3, 3)),
        ("(wiki=false)", '(x / boy :wiki "A")', '(x / boy :wiki "B")', (2, 2, 2)),
        # As nodes: two concepts, top, name, op1 and op2 of gold; op2 is missing. As a whole: the name is another.
        ("", "(x / boy :name (n / name :op1 Al :op2 Bo))", "(x / boy :name (n / name :op1 Al))", (5, 5, 6)),
        (
            "(names=whole)",
            "(x / boy :name (n / name :op1 Al :op2 Bo))",
            "(x / boy :name (n / name :op1 Al))",
            (2, 3, 3),
        ),
        # be-located-at-91 stands for location: 3 triples of x, y and the top, and one location on both sides.
        (
            "(roles=dereify)",
            "(x / boy :location (y / city))",
            "(x / boy :ARG1-of (z / be-located-at-91 :ARG2 (y / city)))",
            (4, 4, 4),
        ),
        (
            "(roles=reify)",
            "(x / boy :location (y / city))",
            "(x / boy :ARG1-of (z / be-located-at-91 :ARG2 (y / city)))",
            (6, 6, 6),
        ),
        ("", "(x / boy :location (y / city))", "(x / boy :ARG1-of (z / be-located-at-91 :ARG2 (y / city)))", (3, 6, 4)),
    ],
)
def test_options_by_hand(options, gold, system, expected):
    assert counts(f"amr.smatch{options}", gold, system) == expected


GOLD = """(w / want-01 :ARG0 (p / person :name (n / name :op1 "Bo") :wiki "Bo_Peep")
   :ARG1 (g / go-02 :ARG0 p :polarity - :time (d / day)))"""
SYSTEM = """(w / want-02 :ARG0 (p / person :name (n / name :op1 "Bo") :wiki -)
   :ARG1 (g / go-02 :ARG1 p :polarity - :duration (d / day)) :polarity -)"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Gold: 5 concepts, top, 5 relations (ARG0, name, ARG1, ARG0, time), op1, wiki, polarity = 14; the system has
        # one polarity more. Wrong: want, wiki, ARG1 for ARG0, duration for time, and the polarity of want.
        ("amr.smatch", (10, 15, 14)),
        # Unlabelled, ARG1 and duration come right.
        ("amr.unlabelled", (12, 15, 14)),
        ("amr.no-wsd", (11, 15, 14)),
        # want-02 for want-01.
        ("amr.concepts", (4, 5, 5)),
        ("amr.named-entities", (1, 1, 1)),
        # go-02; the system also negates want-02.
        ("amr.negation", (1, 2, 1)),
        ("amr.wiki", (0, 1, 1)),
        # Into p: (w ARG0 p) and (g ARG0 p), with w, g and p: 5 triples each. Right: two concepts and (w ARG0 p).
        ("amr.reentrancy", (3, 5, 5)),
        # Three arguments and w, g, p: 6 triples each. Right: person, go, (w ARG0 p), (w ARG1 g).
        ("amr.srl", (4, 6, 6)),
    ],
)
def test_fine_grained_scores_by_hand(name, expected):
    assert counts(name, GOLD, SYSTEM) == expected


def test_text_and_triples_are_the_same_graph():
    text = "(g / go-02 :ARG0-of (b / boy) :polarity -)"
    triples = [
        ["g", ":instance", "go-02"],
        ["b", "instance", "boy"],
        ["g", "TOP", "g"],
        ["g", "ARG0-of", "b"],
        ["g", "polarity", "-"],
    ]
    assert sorted(map(str, read(text))) == sorted(map(str, read(triples)))
    assert counts("amr.smatch", text, triples) == (5, 5, 5)


def test_steps():
    a, b, c = Name("a"), Name("b"), Name("c")
    assert directed([(a, "arg0-of-of", b), (a, "quant-of", "5"), (a, "consist-of-of", b)]) == [
        (a, "arg0", b),
        (a, "quant-of", "5"),
        (b, "consist-of", a),
    ]
    assert domains([(a, "mod", "5")]) == [(a, "mod", "5")]
    # The top, an argument of another, or a node with a third role stays.
    whole = [(a, "instance", "have-degree-91"), (a, "arg1", b), (a, "arg2", c)]
    for extra in ((a, "top", "top"), (b, "arg0", a), (a, "arg3", c)):
        assert dereified([*whole, extra]) == [*whole, extra]
    made = reified([(a, "domain", b), (a, "arg0", b)])
    assert [(role, target) for _, role, target in made] == [
        ("instance", "have-mod-91"),
        ("arg1", b),
        ("arg2", a),
        ("arg0", b),
    ]
    assert dereified(made) == [(a, "arg0", b), (b, "mod", a)]
    # A name that says more than its words stays.
    said = [(a, "name", b), (b, "op1", "x"), (b, "mod", c)]
    assert whole_names(said) == said


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("(b / boy", "line 1, column 1 of the graph: this bracket is never closed"),
        ([["a", "b"]], "triple 1 is not [source, role, target]"),
        ([["a", "instance", "c"], "abc"], "triple 2 is not [source, role, target]"),
        (5, "this is not a graph"),
    ],
)
def test_what_is_no_graph_is_said(value, message):
    ((path, found, hint),) = find("amr.smatch").check({"amr": value})
    assert (path, found) == ("$.amr", message)
    assert hint


def test_unknown_options_are_refused():
    for text in ("amr.smatch(top=first)", "amr.smatch(roles=plain)", "amr.smatch(names=none)"):
        with pytest.raises(UsageError):
            find(text)


VARIABLES = st.sampled_from("abc")
TRIPLES = st.lists(
    st.tuples(VARIABLES, st.sampled_from(["instance", "r", "r-of", "mod", "domain"]), st.sampled_from("abcx")),
    max_size=7,
)


@settings(max_examples=30)
@given(TRIPLES, TRIPLES)
def test_smatch_is_the_best_of_all_matchings(gold, system):
    left, right = (list(dict.fromkeys(domains(directed(read(each))))) for each in (gold, system))
    assert counts("amr.smatch", gold, system) == (brute_force(left, right), len(right), len(left))


def brute_force(left, right):
    """Equal triples under the best of all one-to-one maps of nodes."""
    nodes = [
        list(dict.fromkeys(n for s, _, t in side for n in (s, t) if isinstance(n, Name))) for side in (right, left)
    ]
    few, many = nodes
    wanted = set(left)
    best = 0
    for image in set(permutations([*many, *([None] * len(few))], len(few))):
        mapping = dict(zip(few, image, strict=True))
        best = max(best, len({tuple(mapping.get(n, n) for n in triple) for triple in right} & wanted))
    return best


# Roles that have a concept of their own, as the AMR guidelines list them.
TABLE = """
    accompanier accompany-01 arg1 arg0
    age age-01 arg1 arg2
    beneficiary benefit-01 arg0 arg1
    concession have-concession-91 arg1 arg2
    condition have-condition-91 arg1 arg2
    degree have-degree-91 arg1 arg2
    destination be-destined-for-91 arg1 arg2
    duration last-01 arg1 arg2
    example exemplify-01 arg1 arg0
    extent have-extent-91 arg1 arg2
    frequency have-frequency-91 arg1 arg2
    instrument have-instrument-91 arg1 arg2
    li have-li-91 arg1 arg2
    location be-located-at-91 arg1 arg2
    manner have-manner-91 arg1 arg2
    mod have-mod-91 arg1 arg2
    name have-name-91 arg1 arg2
    ord have-ord-91 arg1 arg2
    part have-part-91 arg1 arg2
    polarity have-polarity-91 arg1 arg2
    poss own-01 arg1 arg0
    purpose have-purpose-91 arg1 arg2
    quant have-quant-91 arg1 arg2
    source be-from-91 arg1 arg2
    subevent have-subevent-91 arg1 arg2
    time be-temporally-at-91 arg1 arg2
    topic concern-02 arg0 arg1
    value have-value-91 arg1 arg2
"""
ROWS = [tuple(line.split()) for line in TABLE.strip().splitlines()]


@pytest.mark.parametrize("how", ["reify", "dereify"])
def test_a_role_and_the_concept_that_stands_for_it_say_the_same(how):
    for role, concept, first, second in ROWS:
        short = f"(a / thing :{role} (b / other))"
        long = f"(a / thing :{first.upper()}-of (z / {concept} :{second.upper()} (b / other)))"
        assert find(f"amr.smatch(roles={how})").score(short, long).f1 == 1.0, role
        assert find("amr.smatch").score(short, long).f1 == 0.6
