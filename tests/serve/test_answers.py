"""The interpreter of schemas, case by case and on the whole bundled campaign."""

import json
from bisect import bisect_right
from pathlib import Path

import pytest

from adjudge.demo.eal import ASSESSMENTS, SOURCES
from adjudge.formats.eal_store import open_key
from adjudge.serve.answers import Card
from adjudge.serve.schema import named_schema
from adjudge.tasks.eal.texts import sentences
from serve.keyboard import Keyboard

CASES = json.loads(Path(__file__).with_name("interpreter.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["about"] for case in CASES])
def test_case(case):
    cards = [Card(each["id"], each["fields"], each.get("parent")) for each in case["cards"]]
    reading = Keyboard(named_schema(case["schema"]), cards)
    for step in case["steps"]:
        if "likewise" in step:
            assert reading.likewise(step["likewise"]) == step["are"]
        elif "classes" in step:
            card, question = step["classes"]
            assert [list(each) for each in reading.classes(card, reading.schema.questions()[question])] == step["are"]
        else:
            state = reading.state(step["state"]) if "state" in step else reading.press(*step["press"])
            if step.get("none"):
                assert state is None
            else:
                assert (list(state.open), state.values, state.complete) == (
                    step["open"],
                    step["values"],
                    step["complete"],
                ), step


def wanted_of(assessment):
    """Columns 12 to 18 without the cluster, as answers."""
    event_type, *rest = assessment
    columns = dict(
        zip(("aet", "aer", "cas", "bf", "realis", "mention_type"), (event_type or "NIL", *rest), strict=True)
    )
    return {name: value for name, value in columns.items() if value is not None}


def keys_for(reading, card, wanted):
    """The keys that a reader presses who knows what to say: only what is neither implied nor carried."""
    carried = reading.around(card).carried
    for question in sorted(reading.schema.question, key=lambda each: each.finishes):
        value = wanted.get(question.id)
        if value is not None and carried.get(question.id, question.implied) != value:
            yield next(key for key, said in question.keys.items() if said == value)


def test_the_bundled_campaign_by_keys():
    schema = named_schema("eal-2015")
    pressed = responses = met = 0
    for key in open_key(ASSESSMENTS):
        starts = [start for start, _ in sentences((SOURCES / f"{key.document}.txt").read_text())]
        wanted, cards = {}, {}
        for response, assessment in key.assessed.items():
            blind = response._replace(realis="Actual")
            place = bisect_right(starts, blind.justifications[0].start)
            order = (blind.type, place, blind.role, blind.cas.text, repr(blind))
            fields = {"type": blind.type, "role": blind.role, "cas": blind.cas.text, "cas_span": [*blind.cas.span]}
            cards[order] = Card(repr(blind), {**fields, "justifications": [[*each] for each in blind.justifications]})
            wanted[repr(blind)] = wanted_of(assessment)
        reading = Keyboard(schema, [cards[order] for order in sorted(cards)])
        for card in reading.cards:
            if reading.state(card).complete:
                continue
            for each in [*keys_for(reading, card, wanted[card])]:
                reading.press(card, each)
                pressed += 1
            likewise = reading.likewise(card)
            if likewise and all(wanted[other] == wanted[card] for other in likewise):
                pressed += 1
                for other in likewise:
                    reading.answer(other, reading.answers[card])
        assert {card: reading.state(card).values for card in reading.cards} == wanted
        assert all(reading.state(card).complete for card in reading.cards)
        responses += len(key.assessed)
        met += len(reading.cards)
    assert (responses, met) == (348, 310)
    assert pressed / responses <= 1.8
