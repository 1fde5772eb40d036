"""What keys do to the answers of a reader, as the page does it: `interpreter.json` has cases for both."""

from __future__ import annotations

from adjudge.serve.answers import Answers, Reading, State, shared
from adjudge.serve.schema import Question


class Keyboard(Reading):
    """The answers of a reader who presses keys."""

    def classes(self, id_: str, question: Question) -> list[tuple[str, str]]:
        """The classes that an item may join: those within the same fields, or below the same class."""
        here = self._room(id_, question)
        shown: dict[str, str] = {}
        for other, answers in self.answers.items():
            if question.id in answers and self._room(other, question) == here:
                fields = self.cards[other].fields
                shown.setdefault(answers[question.id], str(fields.get(question.show or "", "")))
        return sorted(shown.items(), key=lambda each: (len(each[0]), each[0]))

    def _room(self, id_: str, question: Question) -> object:
        card = self.cards[id_]
        if card.parent is not None and card.parent in self.cards:
            above = self.answers.get(card.parent, {}).get(question.id)
            if above is not None:
                return self._room(card.parent, question), above
        return tuple(str(card.fields.get(name)) for name in question.within)

    def press(self, id_: str, key: str) -> State | None:
        """The state after a key; None if the key says nothing here."""
        answers = self.pressed(id_, key)
        return None if answers is None else self.answer(id_, answers)

    def pressed(self, id_: str, key: str) -> Answers | None:
        """The answers to an item after a key, before they are taken in; a key that says it again takes it back."""
        state = self.state(id_)
        answers = dict(self.answers.get(id_, {}))
        for question in self.schema.question:
            if question.id in state.nil or key not in question.pressed:
                continue
            value = question.keys.get(key)
            if value is None:
                known = [name for name, _ in self.classes(id_, question)]
                if key == question.new_key:
                    value = str(max((int(name) for name in known if name.isdecimal()), default=0) + 1)
                elif int(key) <= len(known):
                    value = known[int(key) - 1]
                else:
                    return None
            if question.implied is not None and answers.get(question.id) == value:
                del answers[question.id]
            else:
                answers[question.id] = value
            return answers
        return None

    def likewise(self, id_: str) -> list[str]:
        """The open items of which the same can be said as of this one, by one key."""
        answers = self.answers.get(id_, {})
        questions = [each for each in self.schema.question if each.id in answers]
        if not questions or not self.state(id_).complete or not all(each.same for each in questions):
            return []
        names = tuple(dict.fromkeys(name for each in questions for name in each.same))
        mine = shared("", self.cards[id_].fields, names)
        return [
            other
            for other, card in self.cards.items()
            if other != id_ and not self.state(other).complete and shared("", card.fields, names) == mine
        ]
