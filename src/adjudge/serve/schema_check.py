"""The problems of a schema: unknown names, clashing keys, questions that are never asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import combinations, product
from typing import TypeAlias

from adjudge.errors import did_you_mean
from adjudge.serve.answers import Around, Pass, Plan, names_in
from adjudge.serve.schema import Complaints, Condition, Question, Schema, Stage, placeholders

RESERVED = ("j", "k", "z", ".", ",", "f", "h", "s", "/", "?")
"""Keys of the page itself; arrows, Enter and Esc have no letter."""
CHECKS = ("eal.frames", "eal.key")
_FUNCTIONS = {"": 1, "text": 1, "ontology": 2}
_MANY = 200_000  # maximum states examined

Where: TypeAlias = "tuple[str | int, ...]"


def check_schema(schema: Schema, complaints: Complaints) -> None:
    """Find all errors."""
    check = _Check(schema, complaints)
    check.names()
    check.questions()
    check.conditions()
    check.stages()
    if not check.cycles():
        check.states()


class _Check:
    def __init__(self, schema: Schema, complaints: Complaints) -> None:
        self.schema = schema
        self.say = complaints.add
        self.fields = schema.fields
        self.known = schema.questions()

    def names(self) -> None:
        """Fields that are named somewhere must be there, and what is shown may not be hidden."""
        schema, item, show = self.schema, self.schema.item, self.schema.show
        self._fields(("item", "identity"), item.identity)
        self._fields(("item", "hidden"), item.hidden)
        seen: list[tuple[Where, Iterable[str]]] = [
            (("show", "group"), [show.group] if show.group else []),
            (("show", "label"), show.label),
            (("show", "order"), [each.removeprefix("sentence:") for each in show.order if each != "id"]),
            (("show", "marks"), show.marks.values()),
            (("show", "differs"), show.differs.values()),
        ]
        seen += [(("show", "warn", at, "when"), each.when) for at, each in enumerate(show.warn)]
        for at, question in enumerate(schema.question):
            seen += [(("question", at, name), getattr(question, name)) for name in ("carry", "same", "within")]
            seen.append((("question", at, "show"), [question.show] if question.show else []))
        for where, names in seen:
            self._fields(where, names, shown=True)
        self._template(("show", "claim"), show.claim)
        for each in show.detail:
            self._template(("show", "detail"), each)
        for at, question in enumerate(schema.question):
            self._template(("question", at, "ask"), question.ask)
        for name in show.marks.values():
            if self.fields.get(name) in ("string", "number"):
                self.say(("show", "marks", name), f"{name!r} is not a position in a text", "mark spans or places")
        values = {value for question in schema.question for value in question.values}
        for word in show.words:
            if word not in values:
                hint = did_you_mean(word, sorted(values)) or "remove it"
                self.say(("show", "words", word), f"no question has the value {word!r}", hint)

    def _fields(self, where: Where, names: Iterable[str], *, shown: bool = False) -> None:
        for name in names:
            if name not in self.fields:
                hint = did_you_mean(name, list(self.fields)) or f"choose from {', '.join(self.fields)}"
                self.say((*where, name), f"there is no field {name!r}", hint)
            elif shown and name in self.schema.item.hidden:
                self.say((*where, name), f"the field {name!r} is hidden", "use another, or do not hide it")

    def _template(self, where: Where, template: str) -> None:
        for function, names in placeholders(template):
            if function not in _FUNCTIONS:
                self.say((*where, function), f"there is no function {function!r}", "choose from text, ontology")
            elif len(names) != _FUNCTIONS[function]:
                self.say(where, f"{function or 'a field'!r} takes {_FUNCTIONS[function]} names", "correct it")
            self._fields(where, names, shown=True)

    def questions(self) -> None:
        """Each has an id of its own, keys of one character that the page does not need, and some way to be answered."""
        first: dict[str, int] = {}
        if not self.schema.question:
            self.say(("question",), "there are no questions", "add a [[question]]")
        for at, each in enumerate(self.schema.question):
            where: Where = ("question", at)
            if first.setdefault(each.id, at) != at:
                self.say((*where, "id"), f"a second question {each.id!r}", "give it another id")
            for key in each.pressed:
                if len(key) != 1 or not key.isprintable() or key.isspace():
                    self.say((*where, "keys", key), f"{key!r} is not a key", "write one character")
                elif key in RESERVED:
                    hint = f"the page needs {' '.join(RESERVED)}; take another"
                    self.say((*where, "keys", key), f"the key {key!r} of {each.id!r} is reserved", hint)
            if each.kind == "class" and each.new_key is None:
                self.say(where, f"the class {each.id!r} has no new_key", 'add one, such as new_key = "0"')
            if each.kind == "choice" and not each.keys:
                self.say(where, f"nobody can answer {each.id!r}", "give it keys")
            if each.kind != "choice" and each.keys:
                self.say((*where, "keys"), f"{each.id!r} is not a choice and has keys", "remove them")
            if each.kind != "class" and (each.within or each.new_key):
                self.say(where, f"{each.id!r} is not a class and has within or new_key", 'write kind = "class"')

    def conditions(self) -> None:
        """What conditions name must be there, and the values that they ask for possible."""
        for name, condition in self.schema.when.items():
            self._condition(("when", name), condition)
        for at, question in enumerate(self.schema.question):
            self._given(("question", at, "nil"), question.nil)
        for at, stage in enumerate(self.schema.stage):
            self._given(("stage", at, "when"), stage.when)
        used = [*(each.nil for each in self.schema.question), *(each.when for each in self.schema.stage)]
        for name in self.schema.when:
            if name not in used:
                self.say(("when", name), f"nothing uses the condition {name!r}", "remove it")

    def _given(self, where: Where, given: str | Condition) -> None:
        if not isinstance(given, str):
            self._condition(where, given)
        elif given not in self.schema.when:
            hint = did_you_mean(given, list(self.schema.when)) or "write it under [when]"
            self.say((*where, given), f"there is no condition {given!r}", hint)

    def _condition(self, where: Where, condition: Condition) -> None:
        for table in condition:
            for name, allowed in table.items():
                bare = name.removesuffix("==")
                question = self._named((*where, name), bare)
                if name.endswith("=="):
                    for each in allowed:
                        self._named((*where, each), each)
                elif question is not None and question.kind == "choice":
                    values = (*question.values, *((self.schema.files.nil_value,) if question.nil else ()))
                    for value in allowed:
                        if value not in values:
                            hint = did_you_mean(value, values) or f"choose from {', '.join(values)}"
                            self.say((*where, value), f"{bare!r} is never {value!r}", hint)

    def _named(self, where: Where, name: str) -> Question | None:
        if name.startswith("item."):
            self._fields(where[:-1], [name.removeprefix("item.")])
            return None
        bare = name.removeprefix("parent.")
        if bare != name and self.schema.item.parent is None:
            self.say(where, f"{name!r}: items have nothing above them", "name the field of it: parent under [item]")
        if bare not in self.known:
            hint = did_you_mean(bare, list(self.known)) or f"choose from {', '.join(self.known)}, or item.FIELD"
            self.say(where, f"there is no question {bare!r}", hint)
        return self.known.get(bare)

    def stages(self) -> None:
        """The first is to assess, and later ones have what they need."""
        stages = self.schema.stage
        if not stages or stages[0].kind != "assess":
            self.say(("stage",), "the first stage is not to assess", 'begin with [[stage]] and kind = "assess"')
        kinds = [stage.kind for stage in stages]
        for at, stage in enumerate(stages):
            where: Where = ("stage", at)
            if kinds.index(stage.kind) != at:
                self.say((*where, "kind"), f"a second stage to {stage.kind}", "join the two")
            needed = {"group": ("of",), "link": ("class_", "table")}.get(stage.kind, ())
            for name in needed:
                if not getattr(stage, name):
                    shown = name.rstrip("_")
                    self.say(where, f"the stage to {stage.kind} has no {shown!r}", "name fields")
            groups = ("group",) if "group" in kinds[:at] else ()
            self._fields((*where, "of"), stage.of, shown=True)
            self._stage_names(where, stage, groups)
        checks: list[tuple[Where, str | None]] = [
            (("stage", at, "check"), each.check) for at, each in enumerate(stages)
        ]
        for where, check in ((("files", "check"), self.schema.files.check), *checks):
            if check is not None and check not in CHECKS:
                self.say((*where, check), f"there is no check {check!r}", f"choose from {', '.join(CHECKS)}")

    def _stage_names(self, where: Where, stage: Stage, groups: Collection[str]) -> None:
        for name in (*stage.class_, *([stage.table] if stage.table else [])):
            if name not in self.fields and name not in self.known and name not in groups:
                hint = did_you_mean(name, [*self.fields, *self.known]) or "name fields, answers or, after it, group"
                self.say((*where, "class", name), f"there is nothing called {name!r}", hint)

    def cycles(self) -> bool:
        """Questions that are asked or not depending on themselves."""
        asks = {
            each.id: [name for name in names_in(self.schema.condition(each.nil)) if name in self.known]
            for each in self.schema.question
        }
        done: set[str] = set()
        found = False

        def walk(name: str, path: tuple[str, ...]) -> None:
            nonlocal found
            if name in path:
                circle = (*path[path.index(name) :], name)
                at = [each.id for each in self.schema.question].index(name)
                message = f"whether {name!r} is asked depends on itself: {' > '.join(circle)}"
                self.say(("question", at, "nil"), message, "let a question depend on earlier ones only")
                found = True
            elif name not in done:
                for other in asks[name]:
                    walk(other, (*path, name))
                done.add(name)

        for each in asks:
            walk(each, ())
        return found

    def states(self) -> None:
        """Keys that two questions take in one state, and questions that are asked in none."""
        questions = self.schema.question
        asked: set[str] = set()
        clashes: dict[tuple[int, int, str], None] = {}
        pairs = [
            (one, other, key)
            for one, other in combinations(range(len(questions)), 2)
            for key in questions[one].pressed
            if key in questions[other].pressed
        ]
        plan = Plan(self.schema)
        for fields, answers, above in self._reachable():
            for rest in (False, True):
                state = Pass(plan, fields, answers, Around(above), rest=rest)
                here = [not state.is_nil(each) for each in questions]
                asked.update(each.id for each, is_asked in zip(questions, here, strict=True) if is_asked)
                clashes.update(dict.fromkeys(pair for pair in pairs if here[pair[0]] and here[pair[1]]))
        for one, other, key in clashes:
            message = f"the key {key!r} answers {questions[one].id!r} and {questions[other].id!r} at the same time"
            self.say(("question", other, "keys", key), message, "give one of them another key")
        for at, each in enumerate(questions):
            if each.id not in asked:
                self.say(("question", at), f"{each.id!r} is never asked", "correct its nil, or remove it")

    def _reachable(self) -> Iterator[tuple[dict[str, str], dict[str, str], dict[str, str]]]:
        """Fields, answers and answers above that differ in anything conditions ask for."""
        domains: dict[str, set[str]] = {}
        for question in self.schema.question:
            for table in self.schema.condition(question.nil):
                for name, allowed in table.items():
                    bare = name.removesuffix("==")
                    domain = domains.setdefault(bare, set())
                    known = self.known.get(bare.removeprefix("parent."))
                    domain.update(known.values if known and not bare.startswith("item.") else ())
                    if not name.endswith("=="):
                        domain.update(allowed)
                    else:
                        for each in allowed:
                            domains.setdefault(each, set()).update(domain)
        names = sorted(domains)
        for count, values in enumerate(product(*([None, *sorted(domains[name])] for name in names))):
            if count == _MANY:
                self.say(("when",), f"more than {_MANY} states", "let fewer answers decide what is asked")
                return
            given = {name: value for name, value in zip(names, values, strict=True) if value is not None}
            fields = {name.removeprefix("item."): value for name, value in given.items() if name.startswith("item.")}
            above = {name.removeprefix("parent."): value for name, value in given.items() if name.startswith("parent.")}
            yield fields, {name: value for name, value in given.items() if "." not in name}, above
