import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kbp_annotation as notes
import kbp_naive as naive
from adjudge.errors import ValidationError
from adjudge.model.kbp import Entity, KbDocument, Link, Mention, MentionLink, Span
from adjudge.tasks.kbp.linking import link, mention_name
from adjudge.tasks.kbp.options import KbOptions


def entity(id, *texts, level="NAM", type="PER", document="d", links=()):
    mentions = tuple(Mention(document, 10 * n, 10 * n + len(text), level, text) for n, text in enumerate(texts))
    return Entity(id, type, mentions, tuple(Link(each) for each in links))


def ids(documents, links=(), **options):
    lists = {name: options.pop(name) for name in ("redirects", "stop") if name in options}
    rows = {key: MentionLink(key[0], page) for key, page in dict(links).items()}
    found = link(documents, KbOptions(**options), links=rows, **lists)
    return {f"{document}-{name}": each.id for (document, name), each in found.items()}


# Cases


@pytest.mark.parametrize("case", naive.cases()["linking_cases"], ids=lambda case: case["name"])
def test_case(case):
    gold = notes.gold_entity({"id": "e", **case}, "d")
    rows = {
        ("d", "e", number): MentionLink("d", case["pages"][mention.id])
        for number, mention in enumerate(gold.mentions)
        if mention.id in case["pages"]
    }
    found = link([KbDocument("d", [gold])], KbOptions(**case["options"]), links=rows)
    assert found["d", "e"].id == case["corpus_id"]


def test_worked_example():
    example = notes.worked_example()
    found = link(example.gold, KbOptions(), links=example.links)
    assert {name: each.id for (_, name), each in found.items()} == example.expected["gold_links"]
    assert found["D2", "D2-E1"].votes == (("Halden_Group", 2), ("Halden", 1))


# Pages


def test_a_page_on_the_stop_list_does_not_vote():
    gold = [KbDocument("d", [entity("E", "People", "The People", "Ana")])]
    links = {("d", "E", 0): "People", ("d", "E", 1): "People", ("d", "E", 2): "Ana_Ruiz"}
    assert ids(gold, links) == {"d-E": "W:People"}
    assert ids(gold, links, stop={"People"}) == {"d-E": "W:Ana_Ruiz"}
    assert ids(gold, links, stop={"People", "Ana_Ruiz"}) == {"d-E": "N:The People"}


def test_votes_are_counted_behind_redirects():
    gold = [KbDocument("d", [entity("E", "a", "b", "c")])]
    links = {("d", "E", 0): "Bergen", ("d", "E", 1): "Christiania", ("d", "E", 2): "Oslo"}
    assert ids(gold, links) == {"d-E": "W:Bergen"}
    assert ids(gold, links, redirects={"Christiania": "Kristiania", "Kristiania": "Oslo"}) == {"d-E": "W:Oslo"}
    # A stopped page stays so whether it is named itself or reached.
    assert ids(gold, links, redirects={"Christiania": "Oslo"}, stop={"Oslo"}) == {"d-E": "W:Bergen"}
    assert ids(gold, links, redirects={"Bergen": "Oslo"}, stop={"Bergen"}) == {"d-E": "W:Christiania"}


def test_ties_are_decided_by_place_not_by_order():
    late, early = Mention("d", 50, 51, text="x"), Mention("d", 3, 4, text="y")
    gold = [KbDocument("d", [Entity("E", "", (late, early))])]
    assert ids(gold, {("d", "E", 0): "A", ("d", "E", 1): "Z"}) == {"d-E": "W:Z"}
    same = [KbDocument("d", [Entity("E", "", (early, early))])]
    assert ids(same, {("d", "E", 0): "Z", ("d", "E", 1): "A"}) == {"d-E": "W:A"}


def test_a_link_of_the_entity_counts_if_no_mention_has_a_page():
    gold = [KbDocument("d", [entity("E", "Oslo", links=["m.05l64"]), entity("F", "he", level="PRO", links=["m.1"])])]
    assert ids(gold) == {"d-E": "W:m.05l64", "d-F": None}
    assert ids(gold, {("d", "E", 0): "Oslo"}) == {"d-E": "W:Oslo", "d-F": None}
    assert ids(gold, stop={"m.05l64"}) == {"d-E": "N:Oslo", "d-F": None}
    assert ids([KbDocument("d", [entity("E", "Oslo", links=["NIL0001"])])]) == {"d-E": "N:Oslo"}


# Names


def test_names_are_compared_across_documents_exactly():
    gold = [
        KbDocument("d1", [entity("E", "Corvex"), entity("F", "corvex")]),
        KbDocument("d2", [entity("E", "Corvex ", "it", level="NAM")]),
    ]
    found = ids(gold)
    assert found["d1-E"] == found["d2-E"] == "N:Corvex"
    assert found["d1-F"] == "N:corvex"


def test_ways_to_name():
    gold = [KbDocument("d", [entity("E", "Lie", "Dahl", "Per Dahl", "Dahl")])]
    assert ids(gold) == {"d-E": "N:Per Dahl"}
    assert ids(gold, nil_key="most_frequent") == {"d-E": "N:Dahl"}
    assert ids(gold, nil_key="first") == {"d-E": "N:Lie"}
    assert ids([KbDocument("d", [entity("E", "bb", "aa", "bb")])]) == {"d-E": "N:bb"}
    assert ids([KbDocument("d", [entity("E", "bb", "aa")])]) == {"d-E": "N:aa"}


def test_any_shared_name_joins_chains():
    gold = [
        KbDocument("d1", [entity("E", "Per Dahl", "Dahl")]),
        KbDocument("d2", [entity("E", "Dahl", "Mr Dahl")]),
        KbDocument("d3", [entity("E", "Mr Dahl"), entity("F", "Ruiz")]),
        KbDocument("d4", [entity("E", "Dahl", type="ORG")]),
    ]
    plain = ids(gold)
    assert len(set(plain.values())) == 4
    joined = ids(gold, nil_merge="any-shared-name")
    assert joined["d1-E"] == joined["d2-E"] == joined["d3-E"] == joined["d4-E"] == "N:Per Dahl"
    assert joined["d3-F"] == "N:Ruiz"
    typed = ids(gold, nil_merge="any-shared-name", nil_by_type=True)
    assert typed["d1-E"] == typed["d3-E"] == "N:PER:Per Dahl"
    assert typed["d4-E"] == "N:ORG:Dahl"


def test_clusters_as_given():
    gold = [KbDocument("d", [entity("E", "Dahl"), entity("F", "Per"), entity("G", "Oslo"), entity("H", "Lie")])]
    rows = {
        ("d", "E", 0): MentionLink("d", cluster="NIL7"),
        ("d", "F", 0): MentionLink("d", cluster="NIL7"),
        ("d", "G", 0): MentionLink("d", "Oslo", cluster="NIL7"),
    }
    found = link(gold, KbOptions(nil_merge="as-given"), links=rows)
    assert [found["d", id].id for id in "EFGH"] == ["C:NIL7", "C:NIL7", "W:Oslo", "N:Lie"]
    assert link(gold, KbOptions(), links=rows)["d", "E"].id == "N:Dahl"


def test_unknown_names_are_an_error():
    gold = [KbDocument("d", [Entity("E", mentions=(Mention("d", 0, 4),))], path="gold.jsonl")]
    with pytest.raises(
        ValidationError, match=r"gold\.jsonl: the names of the entity 'E' of document 'd' are not known"
    ):
        link(gold, KbOptions())
    assert ids(gold, {("d", "E", 0): "Oslo"}) == {"d-E": "W:Oslo"}
    many = [KbDocument("d", [Entity(f"E{n}", mentions=(Mention("d", 0, 4),)) for n in range(30)])]
    with pytest.raises(ValidationError) as error:
        link(many, KbOptions())
    assert len(error.value.problems) == 21


@pytest.mark.parametrize(
    ("mention", "text", "name"),
    [
        (Mention("d", 0, 12, text="the Per Dahl", head=Span(4, 12)), None, "Per Dahl"),
        (Mention("d", 0, 12, text="Per Dahl", head=Span(4, 12)), None, "Per Dahl"),
        (Mention("d", 4, 12, text="Per\n\u00a0Dahl"), None, "Per Dahl"),
        (Mention("d", 0, 12, head=Span(4, 12)), "the Per Dahl", "Per Dahl"),
        (Mention("d", 0, 12), None, ""),
        (Mention("d", 0, 6, text="AT&T", head=Span(0, 4)), "AT&amp;T", "AT&T"),
    ],
)
def test_the_name_is_that_of_the_head(mention, text, name):
    assert mention_name(mention, text) == name


# Properties


@given(notes.gold_documents(), st.randoms(), st.sampled_from(["longest", "most_frequent", "first"]), st.data())
@settings(max_examples=30)
def test_order_does_not_matter(gold, random, key, data):
    merge = data.draw(st.sampled_from(["canonical", "any-shared-name"]))
    options = KbOptions(nil_key=key, nil_merge=merge)
    shuffled = list(gold)
    random.shuffle(shuffled)
    shuffled = [KbDocument(each.id, random.sample(each.entities, len(each.entities)), each.facts) for each in shuffled]
    one, other = link(gold, options), link(shuffled, options)
    assert one == other
    assert list(other) == [(document.id, each.id) for document in shuffled for each in document.entities]


def test_pages_that_lead_to_each_other_are_one_page():
    gold = [KbDocument("d", [entity("E", "a"), entity("F", "b"), entity("G", "c")])]
    links = {("d", "E", 0): "C", ("d", "F", 0): "B", ("d", "G", 0): "X"}
    found = ids(gold, links, redirects={"A": "B", "B": "C", "C": "A", "X": "B"})
    assert set(found.values()) == {"W:A"}
    assert ids(gold, links, redirects={"C": "C"}) == {"d-E": "W:C", "d-F": "W:B", "d-G": "W:X"}
