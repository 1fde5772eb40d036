"""Counts of named entities, linking, templates and trees worked out by hand on small documents."""

import pytest

import adjudge as aj
from adjudge.errors import UsageError, ValidationError
from adjudge.metrics import catalogue, find
from adjudge.metrics.derived import as_hierarchy, with_hierarchies
from adjudge.metrics.linking import assigned


def mention(start, end, type="PER", entity=None):
    return {"span": {"start": start, "end": end}, "type": type, "entity": entity}


# ---------------------------------------------------------------------------------------------------------------------
# Named entities

GOLD = [mention(0, 2), mention(5, 6, "LOC"), mention(8, 11, "ORG")]
SYSTEM = [mention(0, 1), mention(5, 6, "LOC"), mention(8, 11, "LOC"), mention(20, 21)]
CHAIN = [mention(0, 2), mention(2, 6)], [mention(1, 3), mention(0, 1)]
TYPES = (
    [mention(0, 2, "Conflict.Attack.Bombing"), mention(4, 5, "Life.Die.Natural")],
    [mention(0, 2, "Conflict.Attack.Shooting"), mention(4, 5, "Life"), mention(7, 8, "Life")],
)


@pytest.mark.parametrize(
    ("name", "sides", "matched"),
    [
        ("ner.strict", (GOLD, SYSTEM), 1),  # LOC
        ("ner.exact", (GOLD, SYSTEM), 2),  # LOC, and the span of ORG
        ("ner.type", (GOLD, SYSTEM), 2),  # PER overlaps and has the type, LOC
        ("ner.partial", (GOLD, SYSTEM), 2.5),  # LOC, the span of ORG, and half of PER
        ("ner.partial(typed=true)", (GOLD, SYSTEM), 1.5),  # LOC, and half of PER
        # The best matching is taken, not the first: greedy by order leaves one over.
        ("ner.partial", ([mention(0, 4)], [mention(0, 1), mention(0, 4)]), 1),
        ("ner.type", CHAIN, 2),
        # Types with two of three levels right, and with one of three.
        ("ner.hierarchical(credit=halving)", TYPES, 1 / 2 + 1 / 4),
        ("ner.hierarchical(credit=linear)", TYPES, 2 / 3 + 1 / 3),
        ("ner.hierarchical(credit=ancestors)", TYPES, 2 * 2 / (3 + 3) + 2 * 1 / (3 + 1)),
    ],
)
def test_named_entities(name, sides, matched):
    gold, system = sides
    found = find(name).score(gold, system)
    assert (found.precision, found.recall) == pytest.approx((matched / len(system), matched / len(gold)))


def test_entities_with_one_span_are_one_where_types_do_not_count():
    both = [mention(0, 2, "PER"), mention(0, 2, "ORG")]
    assert list(find("ner.exact").observe({"entities": both}, {"entities": both[:1]}).counts.values()) == [1, 1, 1]


# ---------------------------------------------------------------------------------------------------------------------
# Linking

LINKED = [
    mention(0, 5, "PER", "E1"),
    mention(10, 16, "ORG", "E2"),
    mention(20, 26, "PER", "NIL1"),
    mention(30, 36, "PER", "NIL1"),
    mention(40, 44, "PER", "E1"),
]
LINKS = [
    mention(0, 5, "PER", "E1"),
    mention(10, 16, "ORG", "E3"),
    mention(20, 26, "PER", "NIL7"),
    mention(30, 37, "PER", "NIL7"),
    mention(40, 44, "ORG", "E1"),
    mention(50, 52, "LOC", "NIL9"),
]
# Same places: 0, 10, 20, 40 (four of five gold and six system mentions); 30 overlaps.
BY_HAND = {
    "linking.mention": (4, 6, 5),
    "linking.typed": (3, 6, 5),  # 40 has another type
    "linking.weak-mention": (5, 6, 5),
    "linking.weak-typed": (4, 6, 5),
    "linking.linked-mention": (3, 3, 3),  # 0, 10, 40 on both sides
    "linking.link": (2, 3, 3),  # 0 and 40
    "linking.weak-link": (2, 3, 3),
    "linking.nil": (1, 3, 2),  # 20
    "linking.all": (3, 6, 5),  # 0, 20, 40
    "linking.weak-all": (4, 6, 5),
    "linking.typed-link": (1, 3, 3),
    "linking.typed-nil": (1, 3, 2),
    "linking.typed-all": (2, 6, 5),
    "linking.entity": (1, 2, 2),  # E1 of {E1, E3} and {E1, E2}
    # Gold clusters E1 {0, 40}, E2 {10}, NIL1 {20, 30-36}; system E1 {0, 40}, E3 {10}, NIL7 {20, 30-37}, NIL9 {50}.
    "linking.muc": (1, 2, 2),  # the link of E1; links E1, NIL7 and E1, NIL1
    "linking.pairwise": (1, 2, 2),
    "linking.ceafm": (4, 6, 5),  # E1-E1 2, E2-E3 1, NIL1-NIL7 1
    "linking.ceafe": (2.5, 4, 3),  # 1 + 1 + 2 * 1 / 4
    "linking.b3": (3.5, 6, 5),  # 0, 40, 10: 1 each; 20: 1/2 on both sides
    "linking.b3-plus": (2.5, 6, 5),  # without 10
    "linking.ceafm-plus": (3, 6, 5),
    "linking.typed-ceafm": (3, 6, 5),  # without 40
    "linking.typed-ceafm-plus": (2, 6, 5),  # 0 and 20
}


def test_every_row_has_a_value_worked_out_by_hand():
    assert set(BY_HAND) == {each.name for each in catalogue() if each.family == "linking"}


@pytest.mark.parametrize("name", BY_HAND)
def test_linking(name):
    metric = find(name)
    counts = metric.observe({"mentions": LINKED}, {"mentions": LINKS}).counts
    values = [counts[column] for column in metric.columns]
    matched, system, gold = BY_HAND[name]
    assert values == pytest.approx([matched, system, gold] if len(values) == 3 else [matched, system, matched, gold])


def test_a_mention_of_two_entities_belongs_to_the_first_in_the_alphabet():
    twice = [mention(0, 1, None, "NIL2"), mention(0, 1, None, "NIL1"), mention(3, 4, None, "NIL1")]
    for gold in (twice, twice[::-1]):
        assert find("linking.muc").score(gold, [mention(0, 1, None, "x"), mention(3, 4, None, "x")]).recall == 1.0


def test_mentions_without_an_entity_are_clusters_of_their_own():
    alone = [mention(0, 1, None, None), mention(3, 4, None, None)]
    assert find("linking.ceafe").observe({"mentions": alone}, {"mentions": alone}).counts["linking.ceafe:gold"] == 2
    assert find("linking.nil").score(alone, alone).f1 == 1.0


def test_clusterings_are_of_the_whole_corpus_and_have_no_hierarchies():
    types = as_hierarchy(".")
    (changed,) = with_hierarchies((find("linking.typed"),), {"mentions.type": types})
    assert changed.score([mention(0, 1, "A.B", "E")], [mention(0, 1, "A.C", "E")]).f1 == 0.5
    with pytest.raises(UsageError, match=r"linking\.typed-ceafm compares clusters"):
        with_hierarchies((find("linking.typed-ceafm"),), {"mentions.type": types})
    assert "taken together as one" in find("linking.b3").definition()


NO_LIST, NO_SPAN = "the mentions are not a list", "mention 2 has no span of two whole numbers"
NO_TEXT = "the type or entity of mention 2 is not text"
WHOLE = mention(0, 5, "PER", "Q1")


@pytest.mark.parametrize(
    ("mentions", "message"),
    [
        *((mentions, NO_LIST) for mentions in ("text", b"bytes", {"span": [0, 1]}, 7)),
        *(
            ([WHOLE, {**WHOLE, "span": span}], NO_SPAN)
            for span in (None, {"start": 0}, {"start": True, "end": 3}, {"start": 0, "end": False}, {"start": "0"})
        ),
        *(([WHOLE, {**WHOLE, **wrong}], NO_TEXT) for wrong in ({"type": 3}, {"entity": 3}, {"entity": ["Q1"]})),
    ],
)
def test_malformed_mentions_are_complaints(mentions, message):
    with pytest.raises(ValidationError) as caught:
        assigned(mentions)
    assert [problem.message for problem in caught.value.problems] == [message]
    for name in ("linking.entity", "linking.typed-ceafm"):
        assert find(name).check({"mentions": mentions})
        with pytest.raises(ValidationError, match="document 'a'"):
            aj.score(name, [{"id": "a", "mentions": mentions}], [{"id": "a", "mentions": []}], bootstrap=0)


def test_problems_at_once_up_to_twenty_and_spans_as_pairs():
    for number, told in ((3, 3), (25, 20)):
        with pytest.raises(ValidationError) as caught:
            assigned([{**WHOLE, "span": None}] * number)
        assert len(caught.value.problems) == told
    assert find("linking.b3").score([WHOLE], [{**WHOLE, "span": [0, 5]}]).f1 == 1.0


# ---------------------------------------------------------------------------------------------------------------------
# Templates


def template(kind, *fillers):
    return {"type": kind, "fillers": [{"role": role, "mentions": list(names)} for role, *names in fillers]}


FILLED = [
    template(
        "attack / bombing", ("Victim", "Juan Perez", "the mayor"), ("Victim", "two guards"), ("Weapon", "dynamite")
    ),
    template("attack", ("Victim", "priest")),
]
FILLERS = [
    template("bombing", ("Victim", "mayor"), ("Victim", "Juan Perez", "guards"), ("Weapon", "Dynamite.")),
    template("kidnapping", ("Victim", "a priest")),
]
# Fillers: 4 of gold, 4 of the system. Mentions: 5 of gold, 5 of the system.
VALUES = {
    # mayor, dynamite and, from the other template, priest; the second victim has a foreign mention: 3 of 4 and of 4.
    "template.ceaf-ree": (3 / 4, 3 / 4),
    # The entity {mayor, Juan Perez} shares 1 mention with one of the two; guards is not "two guards": 3 of 5 and of 5.
    "template.ceaf-ree(phi=3)": (3 / 5, 3 / 5),
    # {mayor} and the gold entity: 2*1/3; dynamite 1; priest 1. The second victim shares with a taken one: 8/3 of 4.
    "template.ceaf-ree(phi=4)": (2 / 3, 2 / 3),
    # The two templates of one type: mayor and dynamite of 4 and 4.
    "template.fillers": (2 / 4, 2 / 4),
    # Mentions mayor, Juan Perez, dynamite of 5; gold entities: the first victim and dynamite of 4.
    "template.ceaf-rme": (3 / 5, 2 / 4),
    # The same three mentions, of 5 and of 5.
    "template.ceaf-rme(phi=3)": (3 / 5, 3 / 5),
    # 2/3 for mayor and 1 for dynamite, of 4 and of 4.
    "template.ceaf-rme(phi=4)": (5 / 12, 5 / 12),
    # The type of the pair, mayor and dynamite; of 2 types and 4 fillers on either side.
    "template.gtt-like": (3 / 6, 3 / 6),
    # With phi=4 Juan Perez is half of an entity of two, guards aside: 1 type + 2/3 + 1/2 + 1; recall: 1 + 2/3 + 1.
    "template.gtt-like(phi=4)": (19 / 36, 8 / 18),
}


@pytest.mark.parametrize("name", VALUES)
def test_templates(name):
    found = find(name).score(FILLED, FILLERS)
    assert (found.precision, found.recall) == pytest.approx(VALUES[name])


def test_normalising_is_an_option_and_a_type_is_a_text():
    gold, system = [template("A", ("Victim", "mayor"))], [template("A", ("Victim", "The mayor."))]
    assert find("template.fillers").score(gold, system).f1 == 1
    assert find("template.fillers(normalise=none)").score(gold, system).f1 == 0
    for kind in (5, None):
        assert find("template.fillers").check({"templates": [template(kind)]})


OWN = '''
def first_word(system, gold):
    """The share of gold mentions that begin like one of the system."""
    begins = {each.split()[0] for each in system}
    return sum(each.split()[0] in begins for each in gold) / len(gold)
'''


def test_better_with_a_similarity_of_ones_own(tmp_path, monkeypatch):
    """Types: 1 of 2 and of 2, or 1/2. Fillers: Juan of {Juan Perez, the mayor} 1/2, dynamite 1; 3/2 of 4: 3/8."""
    (tmp_path / "similarity_of_ones_own.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    fillers = ("Victim", "Juan"), ("Weapon", "dynamite sticks"), ("Target", "x")
    system = [template("bombing", *fillers), template("y", ("z", "z"))]
    metric = find("template.better(filler=similarity_of_ones_own:first_word)")
    assert metric.score(FILLED, system).score == pytest.approx(1 / 2 * 3 / 8)
    with pytest.raises(UsageError, match="no similarity of fillers 'dice'"):
        find("template.better(filler=dice)")
    with pytest.raises(UsageError, match="phi cannot be 5"):
        find("template.fillers(phi=5)")


# ---------------------------------------------------------------------------------------------------------------------
# Trees


def word(dependent, form, head, label, *, lemma="", upos="X", feats="", functional=()):
    return {
        "dependent": dependent,
        "form": form,
        "head": head,
        "label": label,
        "lemma": lemma or form,
        "upos": upos,
        "feats": feats,
        "functional": [list(each) for each in functional],
    }


TREE = [
    word(1, "the", 2, "det"),
    word(2, "dog", 3, "nsubj", functional=[(1, "det", "X", "")]),
    word(3, "barked", 0, "root", lemma="bark"),
    word(4, "!", 3, "punct"),
]
PARSED = [
    word(1, "the", 2, "det", upos="Y"),
    word(2, "dog", 3, "obj", functional=[(1, "det", "Y", "")]),
    word(3, "barked", 0, "root", lemma="barked"),
    word(4, "!", 2, "punct"),
]


@pytest.mark.parametrize(
    ("name", "f1"),
    [
        ("tree.uas", 3 / 4),  # the head of "!" is wrong
        ("tree.las", 2 / 4),  # and the label of "dog"
        ("tree.uas(punctuation=false)", 1),
        ("tree.las(punctuation=false)", 2 / 3),
        ("tree.clas", 1 / 2),  # of dog and barked, the second
        ("tree.mlas", 1 / 2),
        ("tree.blex", 0),  # whose lemma is wrong
    ],
)
def test_trees(name, f1):
    assert find(name).score(TREE, PARSED).f1 == pytest.approx(f1)


def test_function_words_count_in_mlas_alone():
    system = [*TREE[:1], {**TREE[1], "functional": []}, *TREE[2:]]
    assert [find(f"tree.{name}").score(TREE, system).f1 for name in ("clas", "mlas", "blex")] == [1, 0.5, 1]


def test_content_words_of_each_side_are_counted_by_themselves():
    # Gold has two content words, the system one: P = 1/1, R = 1/2.
    system = [TREE[0], {**TREE[1], "label": "case"}, *TREE[2:]]
    found = find("tree.clas").score(TREE, system)
    assert (found.precision, found.recall) == (1, 0.5)


def test_a_field_that_is_missing_is_named():
    (problem,) = find("tree.mlas").check(
        {"dependencies": [{"head": 0, "dependent": 1, "label": "root", "upos": "X", "feats": ""}]}
    )
    assert "functional" in problem[0] + problem[1]


def test_a_dag_is_matched_by_what_reaches_what():
    diamond = {"nodes": [{"label": label} for label in "abcd"], "edges": [[0, 1], [0, 2], [1, 3], [2, 3]]}
    chain = {"nodes": [{"label": label} for label in "abcd"], "edges": [[0, 1], [1, 2], [2, 3]]}
    # b and c are side by side in one and one above the other in the other: three of four nodes.
    assert find("tree.dag").score(diamond, chain).f1 == 0.75
    assert find("tree.dag").score(diamond, {**diamond, "edges": [[0, 1], [0, 2], [1, 3], [2, 3], [0, 3]]}).f1 == 1


def test_a_tree_is_matched_by_what_is_above_what():
    gold = {"label": "S", "children": [{"label": "NP", "children": [{"label": "N"}]}, {"label": "VP"}]}
    # VP is above NP here, and beside it in gold: S, N and one of the two can be matched, 3 of 4 and of 5 nodes.
    system = {"label": "S", "children": [{"label": "VP", "children": [{"label": "NP", "children": [{"label": "N"}]}]}]}
    system["children"].append({"label": "X"})
    found = find("tree.match").score(gold, system)
    assert (found.precision, found.recall) == (3 / 5, 3 / 4)


def test_the_longest_common_subsequence():
    # b c d is common to both, in order; a is before them in gold and after them in the other.
    found = find("record.sequence").score(list("abcd"), list("bxcda"))
    assert (found.precision, found.recall) == (3 / 5, 3 / 4)
