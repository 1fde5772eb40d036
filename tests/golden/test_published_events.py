"""Events: the published scorers TextEE, OneIE and DyGIE++, to the digit they print."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from adjudge.formats.event_lines import read_textee
from adjudge.metrics import find
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import dygie, gen_arg, omnievent, oneie, rams, textee

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
    assert json.loads(dygie.run_events(*sides).text) == case["expected"]["DyGIE++"]


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


def test_textee_joins_events_with_one_trigger_and_type():
    """Gold has A(x) twice at one trigger, with other arguments; the system has one event with both.

    TextEE compares sets of (trigger, type, argument): 2 of 2. One-to-one, the system's event is one of the two: 1 of 2.
    """
    x, y = [5, 6, "agent"], [7, 8, "place"]
    lines = [
        encoded(
            [{"doc_id": "d", "wnd_id": "w", "events": [{"trigger": [0, 1, "A"], "arguments": each} for each in side]}]
        )
        for side in ([[x], [y]], [[x, y]])
    ]
    row = textee.run(*lines).rows[0][1]
    assert [row[f"event.argument-cls:{name}"] for name in ("matched", "system", "gold")] == [2, 2, 2]
    gold, system = (read_textee(line).documents[0].data for line in lines)
    assert list(find("event.argument-cls").observe(gold, system).counts.values()) == [1, 2, 2]


ALL = {case["id"]: case for case in json.loads((Path(__file__).parent / "published.json").read_text("utf-8"))["cases"]}
RAMS = [case for name, case in ALL.items() if name.startswith("rams-") and "gold" in case["input"]]


@pytest.mark.parametrize("case", RAMS, ids=[case["id"] for case in RAMS])
def test_rams(case):
    given = case["input"]
    constrained = given["ontology_line"].encode() if given["type_constrained"] else None
    # An empty file is an error of ours; a document that gold does not have is passed over, so it says the same.
    answers = given["pred"] or [{"doc_key": "other", "predictions": []}]
    found = rams.run(encoded(given["gold"]), encoded(answers), constrained=constrained)
    assert found.text == rams_text(case["expected"])


def rams_text(expected):
    lines = [
        " {distance} & {pred} & {p:.1f} & {r:.1f} & {f1:.1f} \\\\ [p r f1 {gold} gold/{pred} pred. ]\n".format(**row)
        for row in expected["by_distance"]
    ]
    last = "Precision: {Precision_printed:.4f} Recall: {Recall_printed:.4f} F1: {F1_printed:.4f}\n".format(**expected)
    return "".join(lines) + last


@pytest.mark.parametrize("kind", ["nocd", "cd"])
def test_rams_corpus(kind, conformance):
    folder = conformance / "conformance" / "published" / "RAMS"
    if not folder.is_dir():
        pytest.skip(f"needs {folder}")
    constrained = str(folder / "event_role_multiplicities.txt") if kind == "cd" else None
    found = rams.run(
        str(folder / "test.jsonlines.gz"), str(folder / "synthetic_pred.jsonlines"), constrained=constrained
    )
    expected = json.loads((folder / f"expected_{kind}.json").read_text())
    text = "".join(line for line in found.text.splitlines(keepends=True) if not line.startswith("not found"))
    assert text == rams_text(expected)
    case = ALL["rams-test-synthetic"]["expected"]["cd" if kind == "cd" else "no_cd"]
    assert text == rams_text(case)


def test_wikievents_corpus(conformance):
    folder = conformance / "conformance" / "published" / "gen-arg"
    if not folder.is_dir():
        pytest.skip(f"needs {folder}")
    found = gen_arg.run(
        str(folder / "wikievents_test.jsonl.gz"),
        str(folder / "predictions.jsonl"),
        templates=str(folder / "event_role_KAIROS.json"),
        coref=str(folder / "wikievents_coref_test.jsonlines"),
    )
    expected = ALL["wikievents-genarg-corpus"]["expected"]
    lines = [
        "{}: P: {:.2f}, R: {:.2f}, F: {:.2f}\n".format(title, *numbers)
        for title, numbers in expected.items()
        if title != "counts"
    ]
    assert found.text == "".join(lines)
    sums = {key: sum(row[key] for _, row in found.rows) for key in gen_arg.COUNTS}
    counts = expected["counts"]
    assert [sums[key] for key in ("system", "gold", "id", "cls")] == [
        counts[key] for key in ("pred_arg_num", "gold_arg_num", "arg_idn_num", "arg_class_num")
    ]
    assert sums["coref_id"] - sums["id"] == counts["arg_idn_coref_num"]
    assert sums["coref_cls"] - sums["cls"] == counts["arg_class_coref_num"]


def test_omnievent():
    given, expected = ALL["omni-unified-ed"]["input"], ALL["omni-unified-ed"]["expected"]
    counts = omnievent.labels_counts(zip(given["gold"], given["pred"], strict=True), set(given["gold"]) - {"NA"})
    assert [100 * value for value in precision_recall_f1(*counts)] == pytest.approx(list(expected.values()))

    given, expected = ALL["omni-with-type"]["input"], ALL["omni-with-type"]["expected"]
    sides = [list(zip(given[f"{side}_event_types"], given[f"{side}_roles"], strict=True)) for side in ("gold", "pred")]
    assert list(precision_recall_f1(*omnievent.pair_counts(zip(*sides, strict=True)))) == pytest.approx(
        list(expected.values())
    )

    given, expected = ALL["omni-multiset"]["input"], ALL["omni-multiset"]["expected"]
    sides = [[tuple(item) for item in given[side]] for side in ("pred", "gold")]
    found, right = map(Counter, sides)
    assert precision_recall_f1((found & right).total(), found.total(), right.total(), tiny=omnievent.TINY) == tuple(
        expected.values()
    )
