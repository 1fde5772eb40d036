"""What people forget or say twice: nothing of it is dropped in silence."""

from __future__ import annotations

import click
import pytest

import adjudge as aj
from adjudge.cli.app import app

LISTS = ("NAMES", "LIST", "LEVELS", "SCORES")


def options(command: click.Command, *path: str):
    """Every option with a value of every command, hidden ones too, and the words that lead to the command."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from options(command.get_command(context, name), *path, name)
        return
    for each in command.params:
        if isinstance(each, click.Option) and (not each.is_flag or each.secondary_opts):
            yield path, command, each


def test_nothing_that_is_given_twice_is_lost(adjudge) -> None:
    """An option has both values, or one value and an error; of NAME=VALUE, a name has one value."""
    kinds = set()
    for path, command, each in options(app):
        flag = each.opts[-1]
        pair = each.multiple and "=" in (each.metavar or "")
        if each.is_flag:
            given = [flag, each.secondary_opts[0]]
        else:
            given = [word for text in (("x=1", "x=2") if pair else ("a", "b")) for word in (flag, *[text] * each.nargs)]
        if each.metavar in LISTS and not each.multiple:
            context = command.make_context(path[-1], [*given], resilient_parsing=True)
            assert "a,b" in str(context.params[each.name]), (path, flag)
            kinds.add("list")
        elif pair or not each.multiple:
            ran = adjudge(*path, *given)
            assert ran.code == 2, (path, flag)
            assert f"{flag} x is given twice" in ran.err if pair else "is given twice, give it once" in ran.err, (
                path,
                flag,
                ran.err,
            )
            kinds.add("pair" if pair else "one")
    assert kinds == {"list", "pair", "one"}


def test_a_name_that_is_given_one_value_twice_is_no_mistake(adjudge) -> None:
    files = ("relation", "validate", "gold.jsonl")
    assert adjudge(*files, "--severity", "empty=off", "--severity", "empty=off").code == 0


def test_a_list_that_is_given_twice_is_one_list(adjudge) -> None:
    files = ("relation", "score", "gold.jsonl", "good.jsonl", "--bootstrap", "0", "--quiet")
    once = adjudge(*files, "--metric", "relation.strict,relation.boundary", "--docs", "d1,d2")
    twice = adjudge(
        *files, "--metric", "relation.strict", "--docs=d1", "--metric=relation.boundary", "--docs", "d2", "--quiet"
    )
    assert once.code == twice.code == 0, twice.err
    assert once.out == twice.out
    assert "relation.boundary" in once.out
    valid = ("relation", "validate", "gold.jsonl", "--metric", "relation.strict", "--metric")
    assert adjudge(*valid, "relation.boundary").code == 0
    assert "'nonsense'" in adjudge(*valid, "nonsense").err


def test_one_score_that_is_given_twice_is_an_error(adjudge) -> None:
    ran = adjudge("select", "a.json", "--metric", "relation.strict", "--metric=relation.boundary")
    assert (ran.code, ran.err) == (2, "error: --metric is given twice, give it once\n")


@pytest.mark.parametrize("systems", [("good.jsonl",), ("good.jsonl", "poor.jsonl")])
def test_a_forgotten_metric_is_said(systems: tuple[str, ...], adjudge) -> None:
    files = " ".join(("gold.jsonl", *systems))
    ran = adjudge("score", "gold.jsonl", *systems)
    said = f"the metric comes first, and gold.jsonl is a file, write adjudge score METRIC {files}, or adjudge {files}"
    assert (ran.code, ran.err) == (2, f"error: {said}, which guesses the task\n")


def test_a_forgotten_side_is_said(adjudge) -> None:
    ran = adjudge("score", "relation.strict", "gold.jsonl")
    assert ran.code == 2
    assert "missing argument 'SYSTEM...' ('METRIC' comes first, then 'GOLD'; adjudge GOLD SYSTEM guesses" in ran.err


@pytest.mark.parametrize("metric", ["relation.strict", "relation.strict,relation.boundary"])
def test_a_field_of_one_kind_of_elements_needs_no_other_name(metric: str, adjudge) -> None:
    score = ("score", metric, "gold.jsonl", "good.jsonl", "--bootstrap", "0", "--by")
    short, full = adjudge(*score, "type", "--save", "short.json"), adjudge(*score, "relations.type")
    assert (short.code, short.out) == (full.code, full.out) == (0, full.out), short.err
    assert "relations.type=" in short.out
    assert adjudge("compare", "short.json", "--by", "relations.type").code == 0
    gold = [{"id": "d", "type": "x", "entities": [{"span": {"start": 0, "end": 1}, "type": "PER"}]}]
    found = aj.score("ner.strict", gold, gold, bootstrap=0, by="type")
    assert {tuple(each.slice) for each in found.systems[0].scores} == {(), ("type",)}, "documents come first"
    del gold[0]["type"]
    found = aj.score("ner.strict", gold, gold, bootstrap=0, by=["type"])
    assert {tuple(each.slice) for each in found.systems[0].scores} == {(), ("entities.type",)}


def test_a_field_of_two_kinds_of_elements_needs_its_whole_name(tmp_path, adjudge) -> None:
    span = '{"span": {"start": 0, "end": 1}, "type": "PER"'
    gold = tmp_path / "both.jsonl"
    gold.write_text(f'{{"id": "d", "entities": [{span}}}], "mentions": [{span}, "entity": "E"}}]}}\n')
    ran = adjudge("score", "ner.strict,linking.typed", str(gold), str(gold), "--by", "type")
    said = "no gold document has a field 'type' to slice by, elements have it: write entities.type or mentions.type"
    assert (ran.code, ran.err) == (2, f"error: {said}\n")
