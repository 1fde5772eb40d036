import dataclasses

import pytest

from adjudge.algebra import ir
from adjudge.algebra.matching import f1, latent, one_to_one, prf, sequence
from adjudge.algebra.similarity import (
    best_of,
    case,
    exact,
    iou,
    mapped,
    overlap,
    record,
    span,
    threshold,
    union,
    unit,
)
from adjudge.algebra.views import view
from adjudge.errors import UsageError


@dataclasses.dataclass
class Span:
    start: int
    end: int


@dataclasses.dataclass
class Argument:
    role: str
    span: Span


@dataclasses.dataclass
class Event:
    type: str
    trigger: Span
    arguments: list[Argument]
    note: str | None


@dataclasses.dataclass
class Document:
    events: list[Event]
    tokens: list[str]


STRING, INTEGER = ir.Exact(type="string"), ir.Exact(type="integer")
SPAN = record(start=INTEGER, end=INTEGER)


def test_the_type_is_not_touched():
    whole = view(set[Event])
    before = whole.node
    narrow = whole.only("trigger")
    assert whole.node == before != narrow.node
    assert view(set[Event]) == whole
    with pytest.raises(dataclasses.FrozenInstanceError):
        whole.node = narrow.node
    assert view(whole) is whole
    assert view(narrow.node) == narrow
    assert hash(view(set[Event])) == hash(whole)


def test_only():
    assert view(set[Event]).only("type", "trigger").node == one_to_one(record(type=STRING, trigger=SPAN))
    # One field is left: its elements are counted.
    starts = f1(one_to_one(record(span=record(start=INTEGER))), undefined=1)
    assert view(Document).only("events.arguments.span.start", "events.type").node == record(
        events=one_to_one(record(type=STRING, arguments=starts))
    )
    # A path keeps everything below it, even if a narrower one is named too.
    assert view(set[Event]).only("trigger", "trigger.start").node == one_to_one(record(trigger=SPAN))


def test_ignore():
    left = view(set[Event]).ignore("note", "arguments.role", "trigger").node
    assert left == one_to_one(record(type=STRING, arguments=f1(one_to_one(record(span=SPAN)), undefined=1)))


def test_set():
    loose = view(Document).set("events.arguments.span", iou(above=0.5)).node
    assert loose.fields["events"].of.of.fields["arguments"].of.of.fields["span"] == iou(above=0.5)
    assert loose.fields["events"].of.of.fields["trigger"] == SPAN
    narrow = view(set[Event]).set("trigger", view(Span).only("start"))
    assert narrow.node.of.fields["trigger"] == record(start=INTEGER)


def test_count():
    counted = view(set[Event]).count("arguments").node
    assert counted.of.fields["arguments"] == one_to_one(record(role=STRING, span=SPAN))
    assert view(counted).count("arguments").node == counted
    inside = record(x=union(case(exact, type="null"), f1(one_to_one(exact))))
    assert view(inside).count("x").node == record(x=union(case(exact, type="null"), one_to_one(exact)))
    wrapped = record(x=unit(mapped(f1(sequence(exact)), by="words")))
    assert view(wrapped).count("x").node == record(x=unit(mapped(sequence(exact), by="words")))
    assert view(Document, nested="count").count("events.arguments") == view(Document, nested="count")


INNER = record(a=exact, b=exact)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda node: one_to_one(node),
        lambda node: sequence(node),
        lambda node: f1(one_to_one(node)),
        lambda node: prf(one_to_one(node), one_to_one(unit(node))),
        lambda node: latent(one_to_one(node)),
        lambda node: mapped(node, by="get(x)"),
        lambda node: threshold(node, above=0.5),
        lambda node: best_of(node, unit(node)),
        lambda node: overlap(node),
        lambda node: ir.Greedy(of=node),
        lambda node: ir.Graph(of=node),
        lambda node: union(case(exact, type="null"), node),
        lambda node: union(case(node, type="object"), case(record(b=exact, c=exact), type="array")),
    ],
)
def test_paths_look_through_everything_but_records(wrap):
    node = record(x=wrap(INNER), y=exact)
    changed = view(node).set("x.b", STRING).node
    assert changed.fields["x"] != node.fields["x"]
    assert "type='string'" in repr(changed.fields["x"])
    assert view(node).ignore("y").node == record(x=wrap(INNER))
    assert view(changed).set("x.b", exact).node == node
    if "c" not in repr(wrap(INNER)).replace("Case", "").replace("cases", ""):
        assert view(node).only("x.b").node == record(x=wrap(record(b=exact)))


def test_cases_without_the_field_are_left_alone():
    node = one_to_one(union(case(record(a=exact, b=exact), has="a"), case(record(c=exact), has="c"), exact))
    assert view(node).ignore("b").node == one_to_one(
        union(case(record(a=exact), has="a"), case(record(c=exact), has="c"), exact)
    )
    with pytest.raises(UsageError, match="nothing would be left of the record"):
        view(node).only("a")
    assert view(node).only("a", "c").node == view(node).ignore("b").node


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v.only(), "at least one path, the fields there are type, trigger, arguments, note"),
        (lambda v: v.only("tigger"), "no field 'tigger', did you mean trigger\\?"),
        (lambda v: v.only("xyz"), "no field 'xyz', the fields there are type, trigger, arguments, note"),
        (lambda v: v.only("type", "arguments.rol"), "no field 'arguments.rol', did you mean role\\?"),
        (lambda v: v.ignore("type.name"), "no field 'type.name', there are no fields there"),
        (lambda v: v.ignore(""), "no field ''"),
        (lambda v: v.ignore("arguments."), "no field 'arguments.'"),
        (lambda v: v.ignore("trigger.start", "trigger.end"), "nothing would be left of the record trigger"),
        (lambda v: v.ignore("type", "type"), "no field 'type'"),
        (lambda v: v.only("note").ignore("note"), "nothing would be left of the record, keep at least one of note"),
        (lambda v: v.set("arguments.spam", exact), "did you mean span"),
        (lambda v: v.set("type", "exact"), "must be a similarity"),
        (lambda v: v.count("type"), "type is not a collection"),
        (lambda v: v.count("trigger"), "trigger is not a collection"),
        (lambda v: v.count("args"), "there is no field 'args'"),
    ],
)
def test_mistakes(change, message):
    with pytest.raises(UsageError, match=message):
        change(view(set[Event]))


def test_a_view_cannot_break_a_rule():
    with pytest.raises(UsageError, match="overlap counts equal elements"):
        view(overlap(record(span=exact))).set("span", span())
