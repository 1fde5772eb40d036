"""Annotators of the tasks: chains, nuggets, event arguments, assessments, frames, triples."""

import shutil
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge as aj
from adjudge.demo import DATA
from adjudge.errors import UsageError
from adjudge.stats.agreement import cohen_kappa
from adjudge.tasks.annotations import ANNOTATIONS, read_assessments, read_chains, read_facts, read_nuggets
from adjudge.tasks.units import continua_of, link_labels, mentions_of

FAMILIES = {
    "coref": ("coref.conll", DATA / "coref" / "key.conll", DATA / "coref" / "maple.conll"),
    "tbf": ("nugget.type+realis,coref.muc", DATA / "nugget" / "gold.tbf", DATA / "nugget" / "wren.tbf"),
    "eal-arguments": (
        "record.exact",
        DATA / "eal" / "submissions" / "granite",
        DATA / "eal" / "submissions" / "marble",
    ),
    "eal-assessments": ("record.set,coref.b3", DATA / "eal" / "assessments", DATA / "eal" / "assessments"),
    "eal-frames": ("coref.b3", DATA / "eal" / "submissions" / "granite", DATA / "eal" / "submissions" / "marble"),
}


@pytest.mark.parametrize("reader", FAMILIES)
def test_every_task_has_agreement(reader):
    metric, first, second = FAMILIES[reader]
    found = aj.agree(metric, {"a": first, "b": second}, reader=reader, bootstrap=0)
    alone = aj.agree(metric, {"a": first, "b": first}, reader=reader, bootstrap=0)
    assert {mean.value for mean in alone.means} == {1.0}
    assert all(each.value is None or each.value == pytest.approx(1) for each in alone.coefficients)
    if first != second:
        assert all(0 < mean.value < 1 for mean in found.means)
        assert any(each.value is not None and each.value < 1 for each in found.coefficients)
    assert {each.name for each in found.coefficients} >= {"kappa (Cohen)", "alpha (Krippendorff)"}


def test_readers_are_all_tried():
    assert set(ANNOTATIONS) == {*FAMILIES, "triples"}
    with pytest.raises(UsageError, match="there is no reader 'corefs', did you mean coref"):
        aj.agree("coref.b3", {"a": b"", "b": b""}, reader="corefs")
    with pytest.raises(UsageError, match=r"readers are jsonl, .*bio, .*, tbf, .*, triples"):
        aj.agree("coref.b3", {"a": b"", "b": b""}, reader="pdf")


CHAINS = st.lists(st.sampled_from(["A", "B", "C", None]), min_size=5, max_size=5)


def clustered(names):
    groups = {}
    for mention, name in enumerate(names):
        if name is not None:
            groups.setdefault(name, []).append([mention, mention])
    return {"clusters": list(groups.values())}


@given(one=CHAINS, other=CHAINS)
def test_links_are_counted_as_pair_by_pair(one, other):
    (rows,) = link_labels({"a": {"d": clustered(one)}, "b": {"d": clustered(other)}})
    naive = {}
    for i, j in combinations(range(5), 2):
        if any(one[at] is None and other[at] is None for at in (i, j)):
            continue
        row = tuple(
            None if None in (names[i], names[j]) else "one chain" if names[i] == names[j] else "two chains"
            for names in (one, other)
        )
        naive[row] = naive.get(row, 0) + 1
    assert dict(rows) == naive


def test_kappa_of_chains_is_that_of_all_pairs():
    one, other = "AABBA", "AABBB"
    documents = [[{"id": "d", **clustered(names)}] for names in (one, other)]
    found = aj.agree("coref.b3", {"a": documents[0], "b": documents[1]}, bootstrap=0)
    labels = [[names[i] == names[j] for i, j in combinations(range(5), 2)] for names in (one, other)]
    kappa = next(each for each in found.coefficients if each.on == "links between mentions")
    assert (kappa.units, kappa.value) == (10, pytest.approx(cohen_kappa(*labels)))


def test_mentions_are_units():
    assert mentions_of([[[0, 1], [4, 4]], [[7, 7, 9, 9]]]) == [
        {"start": 0, "end": 2},
        {"start": 4, "end": 5},
        {"start": 7, "end": 10},
    ]
    assert mentions_of([["a", "b"]]) == [["a", "b"]]
    assert mentions_of("x") == "x"
    chains = {"d": {"tokens": 9, "clusters": [[[0, 1], [4, 4]]]}}
    found = continua_of({"a": chains, "b": chains}, "clusters")
    assert (found.on, found.documents[0][0]) == ("tokens", 9)
    assert len(found.documents[0][1][0]) == 2


def test_chains_keep_what_is_there():
    text = b"#begin document (nw/a); part 000\nx 0 0 w (0)\nx 0 1 w (0)\n#end document\n"
    (document,) = read_chains(text).documents
    assert document.data == {"id": "(nw/a); part 000", "clusters": [[[0, 0], [1, 1]]], "tokens": 2, "genre": "nw"}


def test_nuggets_by_characters_and_their_events():
    lines = (
        "s\td\tE1\t4,8;13,16\tmade way\tMovement\tActual",
        "s\td\tE2\t20,24\twent\tMovement\tOther",
        "s\td\tE3\t30,34\tdied\tLife_Die\tActual",
        "@Coreference\tR1\tE1,E2",
    )
    text = "\n".join(["#BeginOfDocument d", *lines, "#EndOfDocument", ""]).encode()
    data = read_nuggets(text).documents[0].data
    assert data["nuggets"][0] == {
        "tokens": ["4,8", "13,16"],
        "type": "Movement",
        "realis": "Actual",
        "span": {"start": 4, "end": 16},
    }
    assert data["clusters"] == [
        [["13,16", "4,8", "Movement"], ["20,24", "Movement"]],
        [["30,34", "Life_Die"]],
    ]


def test_nuggets_whose_tokens_have_no_numbers_have_no_spans():
    text = b"#BeginOfDocument d\ns\td\tE1\tab,cd\tx y\tT\tActual\n#EndOfDocument\n"
    assert "span" not in read_nuggets(text).documents[0].data["nuggets"][0]


def test_judgements_are_labels(tmp_path):
    shutil.copytree(DATA / "eal" / "assessments", tmp_path / "second")
    name = "MINI_NW_01"
    lines = (tmp_path / "second" / name).read_text(encoding="utf-8").splitlines()
    changed = 0
    for place, line in enumerate(lines):
        columns = line.split("\t")
        if columns[16:17] == ["Actual"] and changed < 3:
            columns[16] = "Other"
            lines[place] = "\t".join(columns)
            changed += 1
    (tmp_path / "second" / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    sides = {"a": DATA / "eal" / "assessments", "b": tmp_path / "second"}
    labels = ["responses.role", "responses.realis"]
    found = aj.agree("record.set", sides, reader="eal-assessments", label=labels, unit=["id"], bootstrap=0)
    kappas = {each.on: each.value for each in found.coefficients if each.name == "kappa (Cohen)"}
    assert kappas["responses.role"] == 1
    first, second = (
        {one["id"]: one.get("realis") for each in read_assessments(side).documents for one in each.data["responses"]}
        for side in sides.values()
    )
    both = [key for key in first if first[key] is not None and second[key] is not None]
    expected = cohen_kappa([first[key] for key in both], [second[key] for key in both])
    assert expected < 1
    assert kappas["responses.realis"] == pytest.approx(expected)
    assert "label:responses.role+responses.realis" in found.signature


def test_triples_by_document():
    facts = read_facts(b"a\tr\tb\td1\nb\tr\tc\td2\na\tr\tc\td1\n")
    assert {each.id: each.data["items"] for each in facts.documents} == {
        "d1": [["a", "r", "b"], ["a", "r", "c"]],
        "d2": [["b", "r", "c"]],
    }
    sides = {"a": b"a\tr\tb\td1\nb\tr\tc\td2\n", "b": b"a\tr\tb\td1\nb\tr\tx\td2\n"}
    found = aj.agree("record.set", sides, reader="triples", bootstrap=0, disagreements=True)
    assert found.means[0].value == 0.5
    assert found.coefficients == ()
    assert [each.only for each in found.disagreements] == ["a", "b"]
