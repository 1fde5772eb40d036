"""The metric of a type as people use it: which fields of their documents count, and what they are told."""

import dataclasses
import json
import pickle
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple, TypedDict

import attrs
import msgspec
import pydantic
import pytest

import adjudge as aj
from adjudge.cli import run
from adjudge.errors import UsageError, ValidationError


@dataclass(frozen=True)
class Rel:
    head: int
    tail: int


GOLD = {"a": [Rel(0, place) for place in range(10)], "b": [Rel(1, 1)]}
SYSTEM = {"a": [Rel(0, 0), Rel(0, 1), Rel(9, 9)], "b": [Rel(1, 1)]}
COUNTED = pytest.approx([3 / 4, 3 / 11, 6 / 15])


@dataclass
class DataDoc:
    id: str
    relations: list[Rel]


@attrs.define
class AttrsDoc:
    id: str
    relations: list[Rel]


class StructDoc(msgspec.Struct):
    id: str
    relations: list[Rel]


class TupleDoc(NamedTuple):
    id: str
    relations: list[Rel]


class ModelDoc(pydantic.BaseModel):
    id: str
    relations: list[Rel]


class DictDoc(TypedDict):
    id: str
    relations: list[Rel]


@dataclass
class Described:
    id: str
    text: Annotated[str, aj.algebra.ignore]
    note: str = field(compare=False)
    relations: list[Rel]


class DescribedModel(pydantic.BaseModel):
    id: str
    text: Annotated[str, aj.algebra.ignore]
    relations: list[Rel]


def parts(metric, gold, system, name=None):
    (found,) = aj.score(metric, gold, system, bootstrap=0).systems
    return [score.value for score in found.scores if name in (None, score.metric)]


def docs(kind, corpus, **more):
    return [kind(id=name, relations=relations, **more) for name, relations in corpus.items()]


@pytest.mark.parametrize("kind", [DataDoc, AttrsDoc, StructDoc, TupleDoc, ModelDoc, DictDoc])
def test_an_id_does_not_change_what_is_counted(kind):
    gold, system = docs(kind, GOLD), docs(kind, SYSTEM)
    assert parts(list[Rel], GOLD, SYSTEM) == COUNTED
    assert parts(kind, gold, system) == COUNTED
    assert parts(aj.view(kind), gold, system) == COUNTED
    assert parts(aj.view(kind).only("relations"), gold, system) == COUNTED
    assert parts(aj.view(kind).ignore("relations.head").only("relations.tail"), gold, system) != COUNTED


@pytest.mark.parametrize("kind", [Described, DescribedModel])
def test_a_field_that_only_describes_is_never_compared(kind):
    more = [{"note": note} if kind is Described else {} for note in "xy"]
    gold, system = docs(kind, GOLD, text="t", **more[0]), docs(kind, SYSTEM, text="u", **more[1])
    assert parts(kind, gold, system) == COUNTED
    assert parts(aj.view(kind), gold, system) == COUNTED
    assert pickle.loads(pickle.dumps(aj.algebra.ignore)) is aj.algebra.ignore


def test_what_is_marked_must_be_a_field():
    with pytest.raises(UsageError, match="ignore marks a whole field, write, for example, text: Annotated"):
        aj.derive(list[Annotated[str, aj.algebra.ignore]])
    with pytest.raises(UsageError, match="has no fields to compare"):
        aj.derive(dataclasses.make_dataclass("Nothing", [("text", Annotated[str, aj.algebra.ignore])]))


@dataclass
class Page:
    id: str
    title: str
    entities: list[str]
    relations: list[Rel]


def pages(corpus, title="t", entities=()):
    return [Page(name, title, [name, *entities], relations) for name, relations in corpus.items()]


def test_several_collections_have_a_row_each():
    gold, system = pages(GOLD), pages(SYSTEM, "u", entities=["more"])
    result = aj.score(Page, gold, system, bootstrap=0)
    assert result.systems[0].metrics == ("Page.title", "Page.entities", "Page.relations")
    assert parts(Page, gold, system, "Page.relations") == COUNTED
    assert parts(Page, gold, system, "Page.entities") == pytest.approx([1 / 2, 1, 2 / 3])
    assert parts(Page, gold, system, "Page.title") == [0, 0, 0]
    assert parts(aj.view(Page).only("relations"), gold, system) == COUNTED
    narrow = aj.score(aj.view(Page).ignore("title"), gold, system, bootstrap=0)
    assert narrow.systems[0].metrics == ("metric.entities", "metric.relations")
    one = aj.derive(Page).score(gold[0], system[0])
    assert one["Page.relations.recall"] == 2 / 10


def test_a_product_has_the_name_that_it_is_given():
    gold, system = pages(GOLD), pages(SYSTEM, entities=["more"])
    result = aj.score(aj.derive(Page).product("joint"), gold, system, bootstrap=0)
    assert result["joint"].score == pytest.approx(1 * 2 / 3 * 6 / 15)
    assert result["Page.relations"].f1 == pytest.approx(6 / 15)
    other = aj.score(aj.derive(Page).product("other"), gold, system, bootstrap=0)
    assert other.signature.split("|")[1] != result.signature.split("|")[1]
    with pytest.raises(UsageError, match="the product cannot be called"):
        aj.derive(Page).product("Page.relations")
    with pytest.raises(UsageError, match="joint is one number already"):
        aj.derive(Page).product("joint").product("again")


TYPES = """
from dataclasses import dataclass
from typing import Annotated
import adjudge as aj

@dataclass
class Page:
    id: str
    tags: list[str]
    links: list[str]

@dataclass
class Text:
    id: str
    text: str
    tags: list[str]
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "derived_types_of_mine.py").write_text(TYPES)
    pages = [{"id": name, "text": "t", "tags": ["x", name], "links": ["l"]} for name in "ab"]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(each) + "\n" for each in pages))
    other = [{**each, "text": "u", "links": ["l", "m"]} for each in pages]
    (tmp_path / "system.jsonl").write_text("".join(json.dumps(each) + "\n" for each in other))
    bare = [{key: value for key, value in each.items() if key != "text"} for each in other]
    (tmp_path / "bare.jsonl").write_text("".join(json.dumps(each) + "\n" for each in bare))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


def test_rows_and_products_on_the_command_line(files, capsys):
    name = "derived_types_of_mine:Page"
    assert run(["score", f"{name}(product=both)", "gold.jsonl", "system.jsonl", "--bootstrap", "0", "--quiet"]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert shown[1:4] == [
        ["Page.tags", "100.0", "100.0", "100.0"],
        ["Page.links", "50.0", "100.0", "66.7"],
        ["both", "66.7"],
    ]
    metric = aj.find(f"{name}(product=both)")
    assert str(metric) == f'{name}(product="both")'
    assert aj.find(str(metric)) == metric
    assert run(["score", "derived_types_of_mine:Text(product=both)", "gold.jsonl", "system.jsonl"]) == 2
    assert "has one row, so there is nothing to multiply" in capsys.readouterr().err


def test_a_field_that_makes_everything_nothing_is_named(files, capsys):
    name = "derived_types_of_mine:Text"
    whole = aj.score(name, "gold.jsonl", "system.jsonl", stream=False, bootstrap=0)
    assert whole["Text"].f1 == 0
    (note,) = [note for note in whole.systems[0].notes if note.code == "field-differs"]
    assert note.message == (
        "Text: nothing matches because of text: without it something would; "
        "if text only describes, mark it in the type: text: Annotated[..., adjudge.algebra.ignore]"
    )
    assert aj.score(name, "gold.jsonl", "system.jsonl", stream=True, bootstrap=0).to_json() == whole.to_json()
    # It is also said in the error if the field is not there at all.
    with pytest.raises(
        ValidationError, match=r"if text only describes, write text: Annotated\[\.\.\., adjudge\.algebra\.ignore"
    ):
        aj.score(name, "gold.jsonl", "bare.jsonl")
    # A document counts once if there is one collection among other fields.
    same = aj.score(name, "gold.jsonl", "gold.jsonl", bootstrap=0)
    assert [note.code for note in same.systems[0].notes] == []
    assert "by the product of text and the F1 of tags; to count tags over all documents" in same.notes[0].message


def test_a_field_of_elements_is_named_too():
    @dataclass(frozen=True)
    class Noted:
        at: int
        note: str

    gold, system = [[Noted(1, "x"), Noted(2, "y")]], [[Noted(1, ""), Noted(3, "")]]
    (found,) = aj.score(list[Noted], gold, system, bootstrap=0).systems
    assert ["because of note: without it" in note.message for note in found.notes] == [True]
    (row,) = aj.score(Page, pages(GOLD), pages(GOLD, "u"), bootstrap=0).systems
    assert ["no document has the same title; if title only describes" in note.message for note in row.notes] == [True]


# Empty lists


@dataclass
class Record:
    name: str
    items: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Event:
    type: str
    arguments: frozenset[str] = frozenset()


def test_equal_records_with_nothing_in_a_list_are_equal():
    assert aj.derive(Record).score(Record("a"), Record("a")).f1 == 1
    assert aj.derive(list[Record]).score([Record("a")], [Record("a")]).f1 == 1
    assert aj.derive(Record).score(Record("a"), Record("a", ["x"])).f1 == 0
    assert aj.derive(list[Record]).score([], []).f1 == 0


def test_an_event_without_arguments_can_be_missed():
    gold = {Event("attack", frozenset("x")), Event("meet")}
    found = aj.derive(set[Event]).score(gold, {Event("attack", frozenset("x"))})
    assert (found.precision, found.recall) == (1, 0.5)
    # What is counted instead is arguments, of which such an event has none.
    assert aj.derive(set[Event], nested="count").score(gold, {Event("attack", frozenset("x"))}).recall == 1


def test_a_ratio_that_was_asked_for_is_that_of_all_documents():
    @dataclass
    class Tagged:
        id: str
        tags: Annotated[list[str], aj.algebra.f1(aj.algebra.set_of(aj.algebra.text("edit")))]

    gold = [Tagged("1", ["ab"]), Tagged("2", ["c", "d", "e"])]
    system = [Tagged("1", ["ab"]), Tagged("2", ["c"])]
    assert parts(Tagged, gold, system) == pytest.approx([1, 1 / 2, 2 / 3])
