"""Events: the published scorers TextEE, OneIE and DyGIE++, to the digit they print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.metrics import find
from adjudge.tasks.catalogue import dygie_events, oneie, textee

CASES = [
    case
    for case in json.loads((Path(__file__).parent / "published.json").read_text("utf-8"))["cases"]
    if case["id"].startswith("ee-")
]
cases = pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])


def encoded(lines):
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


@cases
def test_textee(case):
    found = textee.run(encoded(case["input"]["gold"]), encoded(case["input"]["pred"])).text.splitlines()
    for line, expected in zip(found[1:-1], case["expected"]["TextEE E2E"].values(), strict=True):
        counts = "{match_num:5d}/{pred_num:5d}), R: {recall:6.2f} ({match_num:5d}/{gold_num:5d}), F: {f1:6.2f}"
        assert line.partition("P: ")[2] == ("{precision:6.2f} (" + counts).format(**expected)


def graph(window):
    """A window as a graph; an entity for each argument, as OneIE has them."""
    entities, triggers, roles = [], [], []
    for event in window["events"]:
        triggers.append(event["trigger"])
        for start, end, role in event["arguments"]:
            entities.append([start, end, "X", "NAM", 1.0])
            roles.append([len(triggers) - 1, len(entities) - 1, role])
    return {"sent_id": window["wnd_id"], "graph": {"entities": entities, "triggers": triggers, "roles": roles}}


@cases
def test_oneie(case):
    sides = (encoded(graph(window) for window in case["input"][side]) for side in ("gold", "pred"))
    lines = oneie.run(*sides).text.splitlines()
    printed = {name: line.partition(": ")[2] for name, line in zip(oneie.LINES, lines, strict=True)}
    for name, expected in case["expected"]["OneIE"].items():
        p, r, f = (100 * expected[part] for part in ("prec", "rec", "f"))
        assert printed[name] == f"P: {p:.2f}, R: {r:.2f}, F: {f:.2f}"


def sentence(window):
    events = [
        [
            [event["trigger"][0], event["trigger"][2]],
            *([start, end - 1, role] for start, end, role in event["arguments"]),
        ]
        for event in window["events"]
    ]
    return {"doc_key": window["wnd_id"], "events": [events]}


@cases
def test_dygie(case):
    sides = (encoded(sentence(window) for window in case["input"][side]) for side in ("gold", "pred"))
    assert json.loads(dygie_events.run(*sides).text) == case["expected"]["DyGIE++"]


@cases
def test_textee_is_our_definition(case):
    def events(side):
        return [
            {
                "type": event["trigger"][2],
                "trigger": {"start": event["trigger"][0], "end": event["trigger"][1]},
                "arguments": [{"role": role, "span": {"start": s, "end": e}} for s, e, role in event["arguments"]],
            }
            for window in case["input"][side]
            for event in window["events"]
        ]

    names = {
        "trigger_id": "event.trigger-id",
        "trigger_cls": "event.trigger-cls",
        "argument_id": "event.argument-id(attach=type)",
        "argument_cls": "event.argument-cls(attach=type)",
        "argument_attached_id": "event.argument-id",
        "argument_attached_cls": "event.argument-cls",
    }
    for key, expected in case["expected"]["TextEE E2E"].items():
        found = find(names[key]).score(events("gold"), events("pred"))
        assert 100 * found.f1 == pytest.approx(expected["f1"])
        assert 100 * found.precision == pytest.approx(expected["precision"])
