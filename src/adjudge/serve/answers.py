"""The interpreter of schemas: what the answers to an item mean, and which questions are open.

Of a question it is decided in this order: not asked (`nil`), answered, carried from an item with equal fields, implied.
The last two count once an answer that finishes is given, or once nothing that finishes is left to ask. The page does
the same in the browser, so that it works without a connection; `tests/serve/interpreter.json` has cases for both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from adjudge.serve.schema import Condition, Question, Schema

Answers: TypeAlias = Mapping[str, str]
Fields: TypeAlias = Mapping[str, Any]

_NOTHING: Answers = {}


class State(NamedTuple):
    """What answers mean: a value for each question that has one, what is not asked, and what is open."""

    values: dict[str, str]
    nil: tuple[str, ...]
    open: tuple[str, ...]
    complete: bool

    def settled(self) -> dict[str, str]:
        """What is stored of a complete answer: all that was asked, so that no later change of a schema alters it."""
        return {id_: value for id_, value in self.values.items() if id_ not in self.nil}


class Around(NamedTuple):
    """What an answer may depend on beside the item: the answers to the item above, and those of equal items before."""

    above: Answers = _NOTHING
    carried: Answers = _NOTHING


def holds(condition: Condition, fields: Fields, values: Mapping[str, str | None], above: Answers = _NOTHING) -> bool:
    """Whether any table of a condition holds.

    >>> holds(({"realis==": ("item.realis",)},), {"realis": "Other"}, {"realis": "Other"})
    True
    """

    def look(name: str) -> Any:
        if name.startswith("parent."):
            return above.get(name.removeprefix("parent."))
        if name.startswith("item."):
            return fields.get(name.removeprefix("item."))
        return values.get(name)

    def entry(name: str, allowed: Sequence[str]) -> bool:
        if name.endswith("=="):
            return look(name.removesuffix("==")) in [look(each) for each in allowed]
        return look(name) in allowed

    return any(all(entry(name, allowed) for name, allowed in table.items()) for table in condition)


def names_in(condition: Condition) -> Iterable[str]:
    """The questions, fields and answers above that a condition asks for."""
    for table in condition:
        for name, allowed in table.items():
            yield name.removesuffix("==")
            if name.endswith("=="):
                yield from allowed


def interpret(schema: Schema, fields: Fields, answers: Answers, around: Around | None = None) -> State:
    """What answers to an item mean.

    >>> from adjudge.serve.schema import named_schema
    >>> state = interpret(named_schema("eal-2015"), {}, {"aer": "W"})
    >>> state.values, state.complete
    ({'aet': 'C', 'aer': 'W'}, True)
    """
    plan = _plan(schema)
    around = around or Around()
    if plan.asks_fields:
        return _interpret(plan, fields, answers, around)
    key = (*answers.items(), None, *around.carried.items(), None, *(around.above.items() if plan.asks_above else ()))
    state = plan.known.get(key)
    if state is None:
        if len(plan.known) >= _MANY:
            plan.known.clear()
        state = plan.known[key] = _interpret(plan, fields, answers, around)
    return state


def _interpret(plan: Plan, fields: Fields, answers: Answers, around: Around) -> State:
    questions = plan.schema.question
    first = Pass(plan, fields, answers, around, rest=False)
    asked = [each for each in questions if not first.is_nil(each)]
    if any(each.finishes for each in questions):
        closing = [each for each in asked if each.finishes]
        finished = not closing or any(each.id in answers for each in closing)
    else:
        given = [each for each in asked if each.id in answers]
        finished = bool(given) and all(_rests(each, around) for each in asked if each not in given)
    last = Pass(plan, fields, answers, around, rest=finished)
    values = {each.id: last.value(each) for each in questions}
    nil = tuple(each.id for each in questions if last.is_nil(each))
    open_ = tuple(each.id for each in questions if values[each.id] is None and each.id not in nil)
    return State({id_: value for id_, value in values.items() if value is not None}, nil, open_, not open_)


def _rests(question: Question, around: Around) -> bool:
    return question.implied is not None or question.id in around.carried


class Plan:
    """A schema with what its conditions ask for, and the states that were met: there are few for many items."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.questions = schema.questions()
        self.nil = {each.id: schema.condition(each.nil) for each in schema.question}
        named = {id_: frozenset(names_in(condition)) for id_, condition in self.nil.items()}
        self.asked = {id_: [name for name in self.questions if name in names] for id_, names in named.items()}
        self.asks_fields = any(name.startswith("item.") for names in named.values() for name in names)
        self.asks_above = any(name.startswith("parent.") for names in named.values() for name in names)
        self.known: dict[object, State] = {}


_PLANS: dict[int, Plan] = {}
_MANY = 10_000


def _plan(schema: Schema) -> Plan:
    plan = _PLANS.get(id(schema))
    if plan is None or plan.schema is not schema:
        if len(_PLANS) > 100:
            _PLANS.clear()
        plan = _PLANS[id(schema)] = Plan(schema)
    return plan


class Pass:
    """One evaluation; with `rest` what is carried or implied counts."""

    def __init__(self, plan: Plan, fields: Fields, answers: Answers, around: Around, *, rest: bool) -> None:
        self._plan, self._fields, self._answers = plan, fields, answers
        self._around, self._rest = around, rest
        self._nil: dict[str, bool] = {}

    def is_nil(self, question: Question) -> bool:
        """Whether it is not asked."""
        known = self._nil.get(question.id)
        if known is None:
            condition = self._plan.nil[question.id]
            values = {name: self._seen(self._plan.questions[name]) for name in self._plan.asked[question.id]}
            known = self._nil[question.id] = holds(condition, self._fields, values, self._around.above)
        return known

    def _seen(self, question: Question) -> str | None:
        """What a condition sees: of what is not asked, what is written into files."""
        value = self.value(question)
        return self._plan.schema.files.nil_value if value is None and self.is_nil(question) else value

    def value(self, question: Question) -> str | None:
        """What it is, or None."""
        if self.is_nil(question):
            return question.nil_value
        if question.id in self._answers:
            return self._answers[question.id]
        return self._around.carried.get(question.id, question.implied) if self._rest else None


class Card(NamedTuple):
    """An item as a reader meets it."""

    id: str
    fields: Fields
    parent: str | None = None


class Reading:
    """The answers of one reader in a scope, in the order in which they were given.

    >>> from adjudge.serve.schema import named_schema
    >>> rome = {"cas": "Rome", "cas_span": [0, 3], "type": "Life.Die", "role": "Place"}
    >>> reading = Reading(named_schema("eal-2015"), [Card("a", rome), Card("b", rome)])
    >>> reading.answer("a", {"mention_type": "NAME"}).complete
    False
    >>> for card in ("a", "b"): state = reading.answer(card, {**reading.answers.get(card, {}), "realis": "Actual"})
    >>> state.complete, state.values["mention_type"]
    (True, 'NAME')
    """

    def __init__(self, schema: Schema, cards: Iterable[Card]) -> None:
        self.schema = schema
        self.cards = {card.id: card for card in cards}
        self.answers: dict[str, Answers] = {}
        self._carrying = [each for each in schema.question if each.carry]
        self._last: dict[tuple[str, str], dict[str, str]] = {}  # question and fields: by card, the last one last
        self._states: dict[str, State] = {}

    def answer(self, id_: str, answers: Answers) -> State:
        """Record an answer, which replaces the previous one."""
        self._states.clear() if self.schema.item.parent else self._states.pop(id_, None)
        self.answers.pop(id_, None)
        if answers:
            self.answers[id_] = dict(answers)  # the last answer comes last
        card = self.cards[id_]
        for question in self._carrying:
            last = self._last.setdefault(shared(question.id, card.fields, question.carry), {})
            last.pop(id_, None)
            if question.id in answers:
                last[id_] = answers[question.id]
        state = self.state(id_)
        if state.complete and answers:
            self.answers[id_] = state.settled()
            for question in self._carrying:
                if question.id in self.answers[id_]:
                    last = self._last[shared(question.id, card.fields, question.carry)]
                    last[id_] = self.answers[id_][question.id]
        return state

    def state(self, id_: str) -> State:
        """What the answers to an item mean."""
        if id_ not in self._states:
            card = self.cards[id_]
            self._states[id_] = interpret(self.schema, card.fields, self.answers.get(id_, {}), self.around(id_))
        return self._states[id_]

    def around(self, id_: str) -> Around:
        """What the answers to an item may depend on."""
        card = self.cards[id_]
        above = self.state(card.parent).values if card.parent in self.cards and card.parent is not None else _NOTHING
        carried = {}
        for question in self._carrying:
            last = self._last.get(shared(question.id, card.fields, question.carry), {})
            others = [value for other, value in last.items() if other != id_]
            if others:
                carried[question.id] = others[-1]
        return Around(above, carried)


def shared(question: str, fields: Fields, names: Iterable[str]) -> tuple[str, str]:
    """A key that items have in common whose fields are equal."""
    return question, repr([fields.get(name) for name in names])
