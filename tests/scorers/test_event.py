"""The family of events: rows worked out by hand, what is done before comparing, the command, hostile files."""

from __future__ import annotations

import json
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.cli import run
from adjudge.errors import AdjudgeError
from adjudge.formats.event_lines import read_clusters, read_omnievent, read_rams, read_wikievents
from adjudge.metrics import find
from adjudge.scorers import gen_arg, omnievent
from adjudge.tasks.event import adjust


def span(start, end):
    return {"start": start, "end": end}


def event(kind, start, *arguments):
    return {
        "type": kind,
        "trigger": span(start, start + 1),
        "arguments": [{"role": role, "span": span(at, at + 1)} for role, at in arguments],
    }


GOLD = [event("attack", 3, ("attacker", 0), ("target", 5)), event("attack", 8, ("attacker", 0))]
SYSTEM = [event("attack", 3, ("attacker", 0)), event("attack", 8, ("attacker", 0), ("target", 5)), event("die", 9)]


@pytest.mark.parametrize(
    ("name", "matched", "system", "gold"),
    [
        ("event.trigger-id", 2, 3, 2),
        ("event.trigger-cls", 2, 3, 2),
        # Attached to triggers: (3, attacker), (8, attacker) of three on either side.
        ("event.argument-cls", 2, 3, 3),
        ("event.argument-id", 2, 3, 3),
        # By type: {attack-attacker-0, attack-target-5} on both sides.
        ("event.argument-cls(attach=type)", 2, 2, 2),
        ("event.argument-cls(attach=none)", 2, 2, 2),
        ("event.argument-cls(attach=span)", 2, 3, 3),
    ],
)
def test_by_hand(name, matched, system, gold):
    found = find(name).score(GOLD, SYSTEM)
    assert (found.precision, found.recall) == (matched / system, matched / gold)


def test_attach_span_forgets_the_type():
    other = [{**each, "type": ""} for each in GOLD]
    assert find("event.argument-cls(attach=span)").score(GOLD, other).f1 == 1
    assert find("event.argument-cls").score(GOLD, other).f1 == 0


class TestAdjust:
    def test_gold_triggers_leave_out_other_events(self):
        gold, system = {"id": "d", "events": GOLD}, {"id": "d", "events": SYSTEM}
        assert adjust(gold, system, triggers="gold")[1]["events"] == SYSTEM[:2]
        assert adjust(gold, None, triggers="gold") == (gold, None)

    def test_heads(self):
        headed = [{**event("die", 4), "arguments": [{"role": "victim", "span": span(0, 3), "head": span(2, 3)}]}]
        plain = [event("die", 4, ("victim", 2))]
        gold, system = adjust({"id": "d", "events": headed}, {"id": "d", "events": plain}, spans="head")
        assert find("event.argument-cls").score(gold["events"], system["events"]).f1 == 1

    def test_mentions_of_one_entity_are_one(self, tmp_path):
        clusters = tmp_path / "clusters.jsonl"
        clusters.write_text('{"doc_key": "d", "clusters": [["T2", "T1", "gone"]]}\n')
        entities = [{"id": "T1", "span": span(0, 1), "type": ""}, {"id": "T2", "span": span(6, 7), "type": ""}]
        gold = {"id": "d", "entities": entities, "events": [event("die", 4, ("victim", 0))]}
        system = {"id": "d", "events": [event("die", 4, ("victim", 6))]}
        found = adjust(gold, system, clusters=str(clusters))
        assert find("event.argument-cls").score(*(side["events"] for side in found)).f1 == 1

    @given(
        st.recursive(
            st.none() | st.integers(),
            lambda x: (
                st.lists(x)
                | st.dictionaries(
                    st.sampled_from(["events", "trigger", "start", "end", "arguments", "span", "type"]), x
                )
            ),
            max_leaves=8,
        )
    )
    def test_what_does_not_look_like_events_is_left_alone(self, value):
        gold = {"id": "d", "events": GOLD}
        changed = adjust(gold, value, spans="head", triggers="gold")[1]
        if not isinstance(value, dict) or "events" not in value:
            assert changed == value


@pytest.mark.parametrize("option", [["--triggers", "gold"], ["--spans", "head"], ["--clusters", "clusters.jsonl"]])
@pytest.mark.parametrize(
    "events",
    [
        "3",
        '[{"type": "x"}]',
        '[{"trigger": {"start": 1, "end": 2}, "arguments": []}]',
        '[{"type": ["q"], "trigger": {"start": [1], "end": 2}, "arguments": []}]',
        '[{"type": "q", "trigger": {"start": 1, "end": 2}, "arguments": [{"role": "r", "span": {"start": [1]}}]}]',
    ],
)
def test_malformed_events_are_reported_whatever_the_options(events, option, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clusters.jsonl").write_text('{"doc_key": "d", "clusters": [["T1"]]}\n')
    (tmp_path / "good.jsonl").write_text(json.dumps({"id": "d", "events": GOLD}) + "\n")
    (tmp_path / "bad.jsonl").write_text(f'{{"id": "d", "events": {events}, "entities": 5}}\n')
    for files in (["bad.jsonl", "good.jsonl"], ["good.jsonl", "bad.jsonl"], ["bad.jsonl", "bad.jsonl"]):
        assert run(["event", "score", *files, *option]) == 1
        assert "bad.jsonl:1:" in capsys.readouterr().err


class TestOmniEvent:
    """One gold event and one negative trigger; the system finds both, and something outside the candidates."""

    GOLD: ClassVar = {
        "id": "d",
        "events": [
            {
                "type": "attack",
                "triggers": [
                    {
                        "trigger_word": "bombed",
                        "position": [3, 9],
                        "arguments": [{"role": "place", "mentions": [{"mention": "Rome", "position": [13, 17]}]}],
                    }
                ],
            }
        ],
        "negative_triggers": [{"trigger_word": "said", "position": [30, 34]}],
        "entities": [{"mentions": [{"position": [13, 17]}, {"position": [0, 2]}]}],
    }
    SYSTEM: ClassVar = {
        "id": "d",
        "events": [
            {
                "type": "attack",
                "triggers": [
                    {
                        "trigger_word": "said",
                        "position": [30, 34],
                        "arguments": [{"role": "place", "mentions": [{"position": [0, 2]}]}],
                    }
                ],
            },
            {"type": "attack", "triggers": [{"trigger_word": "x", "position": [50, 51]}]},
        ],
    }

    def run(self, mode):
        found = omnievent.run(json.dumps(self.GOLD).encode(), json.dumps(self.SYSTEM).encode(), mode=mode)
        return {key: int(value) for key, value in found.rows[0][1].items()}

    def test_triggers_outside_the_candidates_cost_nothing(self):
        found = self.run("default")
        assert (found["ed:matched"], found["ed:system"], found["ed:gold"]) == (0, 1, 1)

    @pytest.mark.parametrize(
        ("mode", "counts"),
        [
            ("loose", (0, 0, 0)),  # the gold trigger was not found, the negative one does not take part
            ("default", (0, 1, 0)),  # the negative trigger brings its argument
            ("strict", (0, 1, 1)),  # and the gold trigger its own
        ],
    )
    def test_modes(self, mode, counts):
        found = self.run(mode)
        assert (found["eae:matched"], found["eae:system"], found["eae:gold"]) == counts

    @pytest.mark.parametrize(
        ("entities", "found"),
        [
            # The gold argument is at 13-17. An entity one mention of which overlaps it is not a candidate at all.
            ([{"mentions": [{"position": [15, 20]}, {"position": [0, 2]}]}], 0),
            ([{"mentions": [{"position": [17, 20]}, {"position": [0, 2]}]}], 1),
            ([{"mentions": [{"position": [0, 2]}]}, {"mentions": [{"position": [0, 2]}]}], 2),  # listed twice
            (None, 1),  # the negative trigger at 30-34 is a candidate
        ],
    )
    def test_candidates(self, entities, found):
        gold = {key: value for key, value in self.GOLD.items() if key != "entities"}
        if entities is not None:
            gold["entities"] = entities
        trigger = self.GOLD["events"][0]["triggers"][0]
        wrong = [{"role": "place", "mentions": [{"position": place} for place in ([0, 2], [15, 20], [30, 34])]}]
        system = {"id": "d", "events": [{"type": "attack", "triggers": [{**trigger, "arguments": wrong}]}]}
        counted = omnievent.run(json.dumps(gold).encode(), json.dumps(system).encode()).rows[0][1]
        assert (counted["eae:matched"], counted["eae:system"], counted["eae:gold"]) == (0, found, 1)

    def test_words(self):
        same = json.dumps(self.GOLD).encode()
        found = json.loads(omnievent.run(same, same, paradigm="seq2seq").text)
        assert found["ED"]["micro_f1"] == pytest.approx(100, abs=1e-6)
        assert found["ED"]["micro_f1"] < 100  # 1e-10 in every denominator

    def test_words_of_a_trigger_are_compared_with_those_of_the_same_trigger(self):
        def line(*triggers):
            events = [
                {
                    "type": kind,
                    "triggers": [
                        {
                            "trigger_word": "hit",
                            "position": [start, start + 3],
                            "arguments": [
                                {"role": role, "mentions": [{"mention": text, "position": [90, 94]}]}
                                for role, text in arguments
                            ],
                        }
                    ],
                }
                for start, kind, arguments in triggers
            ]
            return json.dumps({"id": "d", "events": events, "negative_triggers": [{"position": [50, 53]}]}).encode()

        gold = line((0, "Conflict.Attack", [("Time-Start", "New York")]), (10, "Attack", [("agent", "Ann")]))
        system = line(
            (0, "attack", [("timestart", "NewYork"), ("agent", "Ann")]),  # the second belongs to the other trigger
            (50, "attack", [("agent", "Ann")]),  # no event in gold
            (70, "attack", [("agent", "Ann")]),  # no candidate, so its arguments disappear
        )
        counts = {"loose": (1, 2, 1), "default": (1, 3, 1), "strict": (1, 3, 2)}
        for mode, expected in counts.items():
            row = omnievent.run(gold, system, paradigm="seq2seq", mode=mode).rows[0][1]
            assert tuple(row[f"eae:{name}"] for name in ("matched", "system", "gold")) == expected
            # Triggers are words of the text, wherever they stand: two of the three are right.
            assert tuple(row[f"ed:{name}"] for name in ("matched", "system", "gold")) == (2, 3, 2)


class TestGenArg:
    TEMPLATES: ClassVar = {"Die": {"template": "<arg1> died at <arg2> place", "roles": ["Victim", "Place"]}}
    DOCUMENT: ClassVar = {
        "doc_id": "d",
        "tokens": ["The", "man", "and", "his", "dog", "died", "near", "Rome", ";", "the", "man", "was", "old"],
        "entity_mentions": [
            {"id": "T1", "start": 0, "end": 2, "entity_type": "PER"},
            {"id": "T2", "start": 7, "end": 8, "entity_type": "GPE"},
            {"id": "T3", "start": 9, "end": 11, "entity_type": "PER"},
        ],
        "event_mentions": [
            {
                "event_type": "Die",
                "trigger": {"start": 5, "end": 6},
                "arguments": [{"entity_id": "T1", "role": "Victim"}, {"entity_id": "T2", "role": "Place"}],
            }
        ],
    }

    def run(self, predicted, **options):
        line = json.dumps({"doc_key": "d", "predicted": predicted}).encode()
        found = gen_arg.run(
            json.dumps(self.DOCUMENT).encode(), line, templates=json.dumps(self.TEMPLATES).encode(), **options
        )
        return {key: int(value) for key, value in found.rows[0][1].items()}

    @pytest.mark.parametrize(
        ("predicted", "system", "right"),
        [
            ("man died at Rome place", 2, 2),  # "The man" loses its article; "man" stands nearer at 1 than at 10
            ("man died at <arg> place", 1, 1),
            ("man and dog died at Rome place", 3, 2),  # two parts, of which "dog" is not gold
            ("unicorn died at Rome place", 1, 1),  # what was invented costs nothing
            ("<arg> died at <arg> place", 0, 0),
        ],
    )
    def test_by_hand(self, predicted, system, right):
        found = self.run(predicted)
        assert (found["system"], found["cls"], found["gold"]) == (system, right, 2)

    def test_too_many_lines_are_an_error(self):
        lines = b'{"doc_key": "d", "predicted": "x"}\n' * 2
        with pytest.raises(AdjudgeError, match="'d' has 1 gold events, and this is sentence 2 of it"):
            gen_arg.run(json.dumps(self.DOCUMENT).encode(), lines, templates=json.dumps(self.TEMPLATES).encode())


JUNK = st.recursive(
    st.none() | st.integers(-3, 9) | st.text(max_size=2) | st.booleans(),
    lambda x: (
        st.lists(x, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "position", "mentions", "role", "start", "end", "id", "triggers"]), x
        )
    ),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        "sentences",
        "evt_triggers",
        "gold_evt_links",
        "predictions",
        "events",
        "entities",
        "tokens",
        "clusters",
        "entity_mentions",
        "event_mentions",
        "negative_triggers",
    ]
)


@given(st.dictionaries(FIELDS, JUNK))
def test_readers_take_any_json_or_refuse_it(fields):
    line = json.dumps({"id": "d", "doc_id": "d", "doc_key": "d", **fields}).encode()
    for read in (read_rams, read_omnievent, read_wikievents, read_clusters):
        try:
            found = read(line)
        except AdjudgeError as error:
            found = error.problems
        assert found


class TestCommand:
    @pytest.fixture
    def files(self, tmp_path):
        for name, events in (("gold", GOLD), ("system", SYSTEM)):
            (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": "d", "events": events}))
        return [str(tmp_path / "gold.jsonl"), str(tmp_path / "system.jsonl")]

    def scores(self, capsys, *arguments):
        assert run([*arguments, "--bootstrap", "0", "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        return {(s["metric"], s["part"]): s["value"] for s in found["systems"][0]["scores"]}, found["signature"]

    def test_gold_triggers_change_the_score_and_the_signature(self, files, capsys):
        plain, signature = self.scores(capsys, "event", "score", *files)
        assert plain["event.trigger-cls", "precision"] == 2 / 3
        assert "triggers" not in signature
        changed, signature = self.scores(capsys, "event", "score", *files, "--triggers", "gold")
        assert changed["event.trigger-cls", "precision"] == 1
        assert "triggers:gold" in signature

    def test_per_role_tables(self, files, capsys):
        arguments = ["event", "score", *files, "--metric", "event.argument-cls", "--by", "events.arguments.role"]
        assert run([*arguments, "--bootstrap", "0", "--format", "json"]) == 0
        scores = json.loads(capsys.readouterr().out)["systems"][0]["scores"]
        by = {s["slice"]["events.arguments.role"]: s["value"] for s in scores if s["slice"] and s["part"] == "recall"}
        assert by == {"attacker": 1.0, "target": 0.0}

    def test_an_option_of_ours_and_a_published_scorer_do_not_mix(self, files, capsys):
        assert run(["event", "score", *files, "--compat", "oneie", "--triggers", "gold"]) == 2
        assert "--triggers is not an option of published scorers" in capsys.readouterr().err

    def test_a_needed_file_is_asked_for(self, files, capsys):
        assert run(["event", "score", *files, "--compat", "gen-arg"]) == 2
        assert "--compat gen-arg needs --templates" in capsys.readouterr().err
