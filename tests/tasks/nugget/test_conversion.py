"""Fitting nuggets to a format, and the way through each format and back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from adjudge.errors import UsageError, ValidationError
from adjudge.formats.brat import read_brat, write_brat
from adjudge.formats.ere import read_ere, write_ere
from adjudge.formats.tbf import read_tbf, write_tbf
from adjudge.model.nugget import COREFERENCE, Nugget, NuggetDocument, Relation, Token, TokenTable
from adjudge.tasks.nugget.conversion import KINDS, TARGETS, Loss, fit, summary, to_pieces, to_tokens
from adjudge.tasks.nugget.places import check_places
from nuggets import bare, documents, tables


def through(document: NuggetDocument, target: str) -> NuggetDocument:
    """What is read back of a fitted document."""
    if target == "brat":
        file = write_brat(document).encode()
        return read_brat(file, document=document.id, text=document.text, order="file")[0]
    if target in ("ere", "nugget-xml"):
        file = write_ere(document, hoppers=target == "ere").encode()
        return read_ere(file, document=document.id, text=document.text)[0]
    (found,) = read_tbf(write_tbf([document]).encode(), mode="char")
    return NuggetDocument(found.id, found.nuggets, found.relations, document.text)


@given(documents(), st.sampled_from([target for target in TARGETS if target != "tbf-token"]))
@examples(max_examples=75)
def test_what_fits_is_kept_as_it_is(document: NuggetDocument, target: str) -> None:
    if target.startswith("tbf"):  # a nugget must be somewhere
        document = NuggetDocument("doc", [n for n in document.nuggets if n.pieces], document.relations, document.text)
    fitted, losses = fit(document, target)
    assert bare(through(fitted, target)) == bare(fitted)
    again, more = fit(fitted, target)
    assert bare(again) == bare(fitted)
    assert more == [] or target.startswith("tbf")
    assert {loss.kind for loss in losses} <= KINDS.keys()
    assert len(fitted.nuggets) + sum(loss.kind == "place" for loss in losses) == len(document.nuggets)


@given(
    st.one_of(documents(), documents(clean=True)),
    st.sampled_from([target for target in TARGETS if target != "tbf-token"]),
)
@examples(max_examples=75)
def test_without_losses_nothing_changes(document: NuggetDocument, target: str) -> None:
    """The promise of the notes: if nothing is said, nothing is lost."""
    fitted, losses = fit(document, target, system="")
    if losses:
        return
    plain = [nugget._replace(text=nugget.text) for nugget in fitted.nuggets]
    assert [n._replace(text="") for n in plain] == [n._replace(text="") for n in document.nuggets]
    assert [n.text.split() for n in plain] == [n.text.split() for n in document.nuggets]

    def related(each: NuggetDocument) -> Any:
        return sorted(
            (r.name, r.id, *(sorted(r.arguments) if r.name == COREFERENCE else r.arguments)) for r in each.relations
        )

    deduplicated = [r._replace(arguments=tuple(dict.fromkeys(r.arguments))) for r in document.relations]
    if target.startswith("tbf"):
        deduplicated = list(document.relations)
    assert related(fitted) == related(NuggetDocument("doc", (), deduplicated))


@given(documents(clean=True))
def test_all_ways_lead_to_the_same(document: NuggetDocument) -> None:
    """ERE to TBF at once, or with a stop at brat, is the same; the official converters differ here."""
    ere = through(fit(document, "ere")[0], "ere")
    direct = fit(ere, "tbf-char")[0]
    stop = through(fit(ere, "brat")[0], "brat")
    assert bare(fit(stop, "tbf-char")[0]) == bare(direct)


# ---------------------------------------------------------------------------------------------------------------------
# Tokens and characters


def slow_tokens(pieces: Any, table: TokenTable) -> list[str]:
    return [
        token.id
        for token in table.tokens
        if token.begin < token.end
        and any(
            (b <= token.begin and token.end <= e) or (token.begin <= b and e <= token.end) for b, e in pieces if b < e
        )
    ]


@st.composite
def any_table(draw: Any) -> TokenTable:
    spans = draw(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 8)), max_size=12))
    return TokenTable("doc", [Token(str(n), "", begin, begin + size) for n, (begin, size) in enumerate(spans)])


@given(documents(text=False), any_table())
@examples(max_examples=50)
def test_tokens_as_defined(document: NuggetDocument, table: TokenTable) -> None:
    found, losses = to_tokens(document, table)
    expected = [(n.id, slow_tokens(n.pieces, table)) for n in document.nuggets]
    assert [(n.id, list(n.tokens)) for n in found.nuggets] == [(id, tokens) for id, tokens in expected if tokens]
    assert sum(loss.kind == "no-token" for loss in losses) == sum(not tokens for _, tokens in expected)
    ids = {n.id for n in found.nuggets}
    gone = {n.id for n in document.nuggets} - ids
    assert all(not gone & set(relation.arguments) for relation in found.relations)


@given(tables(), st.data())
@examples(max_examples=50)
def test_tokens_to_characters_and_back(table: TokenTable, data: Any) -> None:
    if not table.tokens:
        return
    ids = [token.id for token in table.tokens]
    chosen = data.draw(st.lists(st.sampled_from(ids), min_size=1))
    text = data.draw(st.one_of(st.none(), st.text(alphabet="ab \n", min_size=45, max_size=45)))
    document = NuggetDocument("doc", [Nugget("E1", "Life_Die", "Actual", "x", tokens=tuple(chosen))], (), text)
    pieces = to_pieces(document, table)
    back, losses = to_tokens(pieces, table)
    assert losses == []
    assert back.nuggets[0].tokens == tuple(id for id in ids if id in chosen)


@given(documents(), tables())
@examples(max_examples=50)
def test_characters_to_tokens_and_back(document: NuggetDocument, table: TokenTable) -> None:
    """Without a loss the same characters come back."""
    found, losses = to_tokens(document, table)
    lost = {loss.item for loss in losses}
    back = {id(n): n for n in to_pieces(found, table).nuggets}
    assert len(back) == len(found.nuggets)

    def characters(nugget: Nugget) -> set[int]:
        return {place for begin, end in nugget.pieces for place in range(begin, end)}

    kept = [n for n in document.nuggets if slow_tokens(n.pieces, table)]
    for before, after in zip(kept, back.values(), strict=True):
        if before.id not in lost:
            assert characters(before) == characters(after)


def test_kinds_of_token_losses() -> None:
    table = TokenTable("a", [Token("1", "abcd", 0, 4), Token("2", "efgh", 5, 9), Token("3", "ijkl", 10, 14)])

    def kinds(*pieces: tuple[int, int]) -> tuple[tuple[str, ...], list[str]]:
        nugget = Nugget("E1", "T", "Actual", "x", pieces=pieces)
        document, losses = to_tokens(NuggetDocument("a", [nugget]), table)
        return document.nuggets[0].tokens if document.nuggets else (), [loss.kind for loss in losses]

    assert kinds((0, 4)) == (("1",), [])
    assert kinds((0, 9)) == (("1", "2"), [])
    assert kinds((1, 3)) == (("1",), ["grown"])
    assert kinds((1, 9)) == (("2",), ["cut"])
    assert kinds((0, 4), (5, 9)) == (("1", "2"), ["shape"])
    assert kinds((0, 2), (2, 4)) == (("1",), ["grown"])  # one token in two pieces is there once
    assert kinds((10, 14), (0, 4)) == (("1", "3"), [])
    assert kinds((4, 5)) == ((), ["no-token"])
    assert kinds((3, 6)) == ((), ["no-token"])


def test_nuggets_without_tokens_leave_their_relations() -> None:
    table = TokenTable("a", [Token("1", "a", 0, 1), Token("2", "b", 2, 3)])
    nuggets = [Nugget(f"E{n}", "T", "Actual", "x", pieces=((2 * n, 2 * n + 1),)) for n in range(3)]
    relations = [
        Relation(COREFERENCE, "C0", ("E0", "E1", "E2")),
        Relation(COREFERENCE, "C1", ("E0", "E2")),
        Relation("After", "R1", ("E1", "E2")),
        Relation("After", "R2", ("E0", "E1")),
    ]
    document, losses = to_tokens(NuggetDocument("a", nuggets, relations), table)
    assert document.relations == [Relation(COREFERENCE, "C0", ("E0", "E1")), Relation("After", "R2", ("E0", "E1"))]
    assert [(loss.kind, loss.item) for loss in losses] == [
        ("no-token", "E2"),
        ("unknown", "C0"),
        ("relation", "C1"),
        ("relation", "R1"),
    ]


def test_unknown_tokens_are_problems() -> None:
    table = TokenTable("a", [Token("t1", "a", 0, 1), Token("t2", "b", 2, 3)])
    nuggets = [
        Nugget("E1", "T", "Actual", "x", tokens=("1",), line=4),
        Nugget("E2", "T", "Actual", "x", tokens=("t9",)),
    ]
    with pytest.raises(ValidationError) as raised:
        to_pieces(NuggetDocument("a", nuggets), table, path="s.tbf")
    assert len(raised.value.problems) == 2
    assert str(raised.value).startswith(
        "s.tbf:4: E1 has the token 1, which the table a does not have (its tokens: t1 to t2)"
    )


def test_beyond_the_text() -> None:
    nugget = Nugget("E1", "T", "Actual", "x", pieces=((0, 9),), line=2)
    check_places(NuggetDocument("a", [nugget]))
    with pytest.raises(ValidationError, match=r"s\.tbf:2: E1 ends beyond the text of 3 characters"):
        check_places(NuggetDocument("a", [nugget], (), "abc"), path="s.tbf")


# ---------------------------------------------------------------------------------------------------------------------
# What gives way


def nugget(id: str = "E1", **given: Any) -> Nugget:
    return Nugget(**{"id": id, "type": "Life_Die", "realis": "Actual", "text": "died", "pieces": ((3, 7),)} | given)


def losses(target: str, *nuggets: Nugget, relations: Any = (), text: str | None = None) -> list[tuple[str, str]]:
    return [(loss.kind, loss.item) for loss in fit(NuggetDocument("a", nuggets, relations, text), target)[1]]


def test_what_brat_has_no_room_for() -> None:
    assert losses("brat", nugget()) == []
    assert losses("brat", nugget(confidence=("1",), system="s")) == [("confidence", "E1"), ("system", "s")]
    assert losses("brat", nugget("m1"), nugget("E2"), nugget("E2")) == [("id", "m1"), ("id", "E2")]
    assert losses("brat", nugget(type="Life Die", realis="")) == [("type", "E1"), ("realis", "E1")]
    assert losses("brat", nugget(pieces=((5, 3),))) == [("place", "E1")]
    assert losses("brat", nugget(), text="He\ndied") == []
    assert losses("brat", nugget(), text="He\nkilled") == [("text", "E1")]
    assert losses("brat", nugget(text="He died", pieces=((0, 7),)), text="He\ndied") == [("line-break", "E1")]


def test_what_rich_ere_has_no_room_for() -> None:
    discontinuous = nugget(text="de d", pieces=((3, 5), (6, 7)))
    assert losses("ere", discontinuous) == [("gap", "E1")]
    assert losses("ere", nugget(text="He died", pieces=((0, 2), (3, 7))), text="He\ndied") == []
    assert losses("ere", nugget(type="life_die", realis="actual")) == [("type", "E1"), ("realis", "E1")]
    assert losses("ere", nugget("E2"), nugget("E1")) == [("order", "")]
    pair = nugget("E1"), nugget("E2")
    cluster, link = Relation(COREFERENCE, "C7", ("E1", "E2")), Relation("After", "R1", ("E1", "E2"))
    assert losses("ere", *pair, relations=[cluster, link]) == [("relation", "R1")]
    assert losses("nugget-xml", *pair, relations=[cluster, link]) == [("relation", "C7"), ("relation", "R1")]


def test_clusters_that_overlap_are_merged() -> None:
    three = [nugget(f"E{n}") for n in (1, 2, 3)]
    relations = [Relation(COREFERENCE, "C0", ("E1", "E2")), Relation(COREFERENCE, "C1", ("E3", "E2"))]
    for target in ("brat", "ere"):
        document, found = fit(NuggetDocument("a", three, relations), target)
        assert document.relations == [Relation(COREFERENCE, "C0", ("E1", "E2", "E3"))]
        assert [(loss.kind, loss.item) for loss in found] == [("merged", "C1")]


def test_arguments_that_are_not_there() -> None:
    relations = [
        Relation(COREFERENCE, "C0", ("E1", "E2", "E9")),
        Relation(COREFERENCE, "C1", ("E1",)),
        Relation("After", "R1", ("E1", "E9")),
    ]
    found = losses("brat", nugget("E1"), nugget("E2"), relations=relations)
    assert found == [("unknown", "C0"), ("cluster", "C1"), ("relation", "R1")]


def test_twice_the_same_id_is_both_in_a_cluster() -> None:
    nuggets = [nugget("E1"), nugget("E1"), nugget("E5")]
    document, _ = fit(NuggetDocument("a", nuggets, [Relation(COREFERENCE, "C0", ("E1", "E5"))]), "brat")
    assert [n.id for n in document.nuggets] == ["E1", "E2", "E5"]
    assert document.clusters() == [("E1", "E2", "E5")]


def test_tbf_lines_never_break() -> None:
    document = NuggetDocument("a", [nugget(text="shot\r\ndown\tthere", realis=" ", system="")])
    fitted, found = fit(document, "tbf-char", system="mine")
    assert [loss.kind for loss in found] == ["realis"]
    assert write_tbf([fitted]).splitlines()[1] == "mine\ta\tE1\t3,7\tshot  down there\tLife_Die\tNOT_ANNOTATED"


def test_no_such_format() -> None:
    with pytest.raises(UsageError, match="there is no format 'bratt', did you mean brat"):
        fit(NuggetDocument("a"), "bratt")


def test_summary() -> None:
    found = summary([Loss("id", "a", f"m{n}", n) for n in range(1, 5)] + [Loss("order", "a", "")], path="x.tbf")
    assert [str(note) for note in found] == [
        "x.tbf:1: 4 nuggets renamed (a m1, a m2, a m3, ...)",
        "x.tbf: 1 document whose order of nuggets is not kept (a)",
    ]
    for kind in KINDS:
        for count in (1, 2):
            (note,) = summary([Loss(kind, "a", "E1")] * count)
            assert str(note).startswith(f"{count} ")
            assert "{" not in str(note)
