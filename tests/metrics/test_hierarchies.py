"""Any type or role field can take a hierarchy."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from adjudge.cli.family import score as command
from adjudge.errors import UsageError
from adjudge.metrics import find
from adjudge.metrics.derived import as_hierarchy, with_hierarchies
from adjudge.tasks.scoring import score

SPAN, OTHER = {"start": 0, "end": 5}, {"start": 9, "end": 15}
GOLD = {
    "id": "d",
    "entities": [{"span": SPAN, "type": "city"}],
    "relations": [{"type": "capital", "subject": SPAN, "object": OTHER}],
    "events": [{"type": "bombing", "trigger": SPAN, "arguments": [{"role": "killer", "span": OTHER}]}],
}
SYSTEM = {
    "id": "d",
    "entities": [{"span": SPAN, "type": "place"}],
    "relations": [{"type": "located", "subject": SPAN, "object": OTHER}],
    "events": [{"type": "attack", "trigger": SPAN, "arguments": [{"role": "agent", "span": OTHER}]}],
}
PARENTS = {
    "city": "place",
    "capital": "located",
    "bombing": "attack",
    "killer": "agent",
}


@pytest.mark.parametrize(
    ("metric", "paths", "value"),
    [
        # The parent is one level of two: halving gives 2^(1-2).
        ("ner.strict", ["entities.type"], 0.5),
        ("relation.strict", ["relations.type"], 0.5),
        ("event.trigger-cls", ["events.type"], 0.5),
        # A type worth 1/2 times a role worth 1/2.
        ("event.argument-cls", ["events.type", "events.arguments.role"], 0.25),
    ],
)
def test_by_hand(metric, paths, value):
    assert score(metric, [GOLD], [SYSTEM], bootstrap=0)[metric].f1 == 0
    result = score(metric, [GOLD], [SYSTEM], bootstrap=0, hierarchy=dict.fromkeys(paths, PARENTS))
    assert result[metric].f1 == value
    assert result[metric].precision == value


def test_a_changed_metric_is_written_in_full_and_read_back():
    (metric,) = with_hierarchies((find("ner.strict"),), {"entities.type": as_hierarchy(PARENTS, credit="linear")})
    assert metric != find("ner.strict")
    again = find(str(metric))
    assert again.observe(GOLD, SYSTEM).counts == metric.observe(GOLD, SYSTEM).counts


def test_only_metrics_with_the_field_change():
    metrics = (find("ner.strict"), find("ner.span"))
    changed = with_hierarchies(metrics, {"entities.type": as_hierarchy(".")})
    assert changed[0] != metrics[0]
    assert changed[1] == metrics[1]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("entities.typ", "ner.strict: there is no field 'typ', did you mean type"),
        ("relations.type", "ner.strict: there is no field 'relations'"),
    ],
)
def test_an_unknown_field_is_refused(path, says):
    with pytest.raises(UsageError, match=says):
        with_hierarchies((find("ner.strict"),), {path: as_hierarchy(".")})


def test_an_unknown_credit_is_refused():
    with pytest.raises(UsageError, match="there is no credit 'linar', did you mean linear"):
        as_hierarchy(".", credit="linar")


class TestCommand:
    @pytest.fixture
    def files(self, tmp_path):
        paths = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
        for path, data in zip(paths, (GOLD, SYSTEM), strict=True):
            path.write_text(json.dumps(data))
        (tmp_path / "types.tsv").write_text("".join(f"{child}\t{parent}\n" for child, parent in PARENTS.items()))
        return [str(path) for path in paths], str(tmp_path / "types.tsv")

    def run(self, metric, files, *arguments):
        found = CliRunner().invoke(
            command,
            [metric, *files, "--bootstrap", "0", "--format", "json", *arguments],
            catch_exceptions=False,
            standalone_mode=False,
        )
        return {each["part"]: each["value"] for each in json.loads(found.output)["systems"][0]["scores"]}

    def test_with_a_file_and_with_a_credit(self, files):
        sides, types = files
        assert self.run("event.trigger-cls", sides, "--hierarchy", f"events.type={types}")["f1"] == 0.5
        # As sets of supertypes: {bombing, attack} and {attack} share one, so F1 is 2/3.
        third = self.run(
            "event.trigger-cls", sides, "--hierarchy", f"events.type={types}", "--hierarchy-credit", "ancestors"
        )
        assert third["f1"] == pytest.approx(2 / 3)

    def test_a_credit_without_a_hierarchy_does_nothing_and_is_refused(self, files):
        with pytest.raises(UsageError, match="--hierarchy-credit does nothing without --hierarchy"):
            self.run("ner.strict", files[0], "--hierarchy-credit", "linear")

    def test_a_field_without_a_file_is_refused(self, files):
        found = CliRunner().invoke(command, ["ner.strict", *files[0], "--hierarchy", "events.type"])
        assert found.exit_code == 2
        assert "write for example events.type=types.tsv" in found.output
