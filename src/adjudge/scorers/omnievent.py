"""OmniEvent's unified evaluation: every candidate gets a label, and labels are compared.

Candidates for triggers are the gold triggers and the negative ones of the file; for arguments of a trigger, its gold
arguments and the mentions of entities that have no mention overlapping one of these (without entities in the file, the
negative triggers that overlap none). Departures from our metrics: what a system finds outside the candidates is dropped
and costs nothing; so do types that gold never has; arguments are scored once for each trigger. `mode`
says which triggers take part in the scores of arguments: `loose` only gold triggers that were found, `default` these
and negative triggers that were taken for events, `strict` also gold triggers that were not found. With `paradigm`
seq2seq, words (without blanks; of names the last level, in small letters) are compared instead of candidates, as
multisets of each text for triggers and of each trigger for arguments, with 1e-10 added to denominators.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from adjudge.formats.event_lines import read_omnievent
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.shared import Rows, counted, paired, prf, totals

NOTHING = "NA"
TINY = 1e-10
MEASURES = (prf("event.omnievent-trigger", "ed"), prf("event.omnievent-argument", "eae"))
EMPTY: dict[str, Any] = {"events": []}
Pair = tuple[str, str]


def run(gold: Any, system: Any, *, mode: str | None = None, paradigm: str | None = None) -> Published:
    """Count one system."""
    pairs = paired(read_omnievent(gold), read_omnievent(system), EMPTY)
    if paradigm == "seq2seq":
        return _words(pairs, mode or "default")
    types = {event["type"] for _, right, _ in pairs for event in right["events"]}
    rows = []
    for identifier, right, found in pairs:
        triggers = list(_triggers(right, found))
        arguments = list(_arguments(right, found, mode or "default"))
        numbers = {"ed": labels_counts(triggers, types), "eae": pair_counts(arguments)}
        rows.append((identifier, counted(numbers)))
    return Published(rows, MEASURES, _text(rows))


def labels_counts(pairs: Iterable[Pair], types: Iterable[str]) -> tuple[int, int, int]:
    """Right, found and gold labels of (gold, system) pairs; only types that gold has anywhere are counted.

    >>> labels_counts([("A", "A"), ("NA", "C"), ("B", "NA")], {"A", "B"})
    (1, 1, 2)
    """
    known = set(types)
    both = list(pairs)
    right = sum(gold == system for gold, system in both if gold in known)
    return right, sum(system in known for _, system in both), sum(gold in known for gold, _ in both)


def pair_counts(pairs: Iterable[tuple[Pair, Pair]]) -> tuple[int, int, int]:
    """The same for (event type, role) of gold and system; a pair is nothing if either part is.

    >>> pair_counts([(("Attack", "Agent"), ("Attack", "Agent")), (("Attack", "Agent"), ("Attack", "NA"))])
    (1, 1, 2)
    """
    right = found = total = 0
    for gold, system in pairs:
        is_gold, is_system = not _nothing(gold), not _nothing(system)
        right += is_gold and gold == system
        found += is_system
        total += is_gold
    return right, found, total


def _nothing(pair: Pair) -> bool:
    return NOTHING in pair or "None" in pair


def _span(value: Mapping[str, int]) -> tuple[int, int]:
    return value["start"], value["end"]


def _triggers(gold: Any, system: Any) -> Iterator[Pair]:
    said = {_span(event["trigger"]): event["type"] for event in system["events"]}
    for event in gold["events"]:
        yield event["type"], said.get(_span(event["trigger"]), NOTHING)
    for trigger in gold["negative_triggers"]:
        yield NOTHING, said.get(_span(trigger), NOTHING)


def _scored(gold: Any, system: Any, mode: str) -> Iterator[tuple[Any, Any]]:
    """Every trigger whose arguments are scored, and the system's event for it (None if there is none)."""
    said = {_span(event["trigger"]): event for event in system["events"]}
    negative = [{"type": NOTHING, "trigger": trigger, "arguments": []} for trigger in gold["negative_triggers"]]
    for event in (*gold["events"], *(negative if mode != "loose" else ())):
        answer = said.get(_span(event["trigger"]))
        if answer is not None or (event["type"] != NOTHING and mode == "strict"):
            yield event, answer


def _arguments(gold: Any, system: Any, mode: str) -> Iterator[tuple[Pair, Pair]]:
    for event, answer in _scored(gold, system, mode):
        kind = NOTHING if answer is None else answer["type"]
        roles = {} if answer is None else {_span(each["span"]): each["role"] for each in answer["arguments"]}
        own = [(_span(each["span"]), each["role"]) for each in event["arguments"]]
        others = [(span, NOTHING) for span in _others(gold["candidates"], [span for span, _ in own])]
        for span, role in (*own, *others):
            yield (event["type"], role), (kind, roles.get(span, NOTHING))


def _others(entities: Any, arguments: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The mentions of all entities none of whose mentions overlaps an argument."""
    for entity in entities:
        spans = [_span(mention) for mention in entity]
        if not any(start < last and first < end for start, end in spans for first, last in arguments):
            yield from spans


def _words(pairs: list[tuple[str, Any, Any]], mode: str) -> Published:
    rows = []
    for identifier, right, found in pairs:
        triggers = [_trigger_words(side) for side in (right, found)]
        arguments: list[list[tuple[Any, ...]]] = [[], []]
        for number, both in enumerate(_scored(right, found, mode)):
            for items, event in zip(arguments, both, strict=True):
                items += () if event is None else _argument_words(number, event)
        numbers = {
            task: ((Counter(gold) & Counter(system)).total(), len(system), len(gold))
            for task, (gold, system) in (("ed", triggers), ("eae", arguments))
        }
        rows.append((identifier, counted(numbers)))
    return Published(rows, MEASURES, _text(rows, tiny=TINY))


def _trigger_words(side: Any) -> list[tuple[str, ...]]:
    return [(_plain(event["type"]), _bare(event["text"])) for event in side["events"]]


def _argument_words(number: int, event: Any) -> list[tuple[Any, ...]]:
    kind = _plain(event["type"])
    return [(number, kind, _plain(each["role"]), _bare(each["text"])) for each in event["arguments"]]


def _bare(text: str) -> str:
    """A text without blanks, which are ignored in generated text."""
    return text.replace(" ", "")


def _plain(label: str) -> str:
    """A label as models generate it: the last level of its name, in lower case.

    >>> _plain("Attack.Time-Start")
    'timestart'
    """
    return label if label == NOTHING else _bare(label.rpartition(".")[2].replace("-", "").replace("_", "").lower())


def _text(rows: Rows, *, tiny: float = 0) -> str:
    shown = {}
    for task, key in (("ED", "ed"), ("EAE", "eae")):
        scores = precision_recall_f1(*totals(rows, key), tiny=tiny)
        shown[task] = {
            name: 100.0 * value for name, value in zip(("precision", "recall", "micro_f1"), scores, strict=True)
        }
    return json.dumps(shown, indent=2) + "\n"


SCORER = Scorer(
    name="omnievent",
    family="event",
    about="OmniEvent: labels of candidates",
    run=run,
    options={
        "mode": Option("omnievent: the triggers whose arguments are scored.", choices=("loose", "default", "strict")),
        "paradigm": Option(
            "omnievent: candidates, or words as a sequence-to-sequence model gives them.",
            choices=("candidates", "seq2seq"),
        ),
    },
)
