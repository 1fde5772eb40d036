"""The bundled campaign of nuggets is sound, and shows every kind of error."""

import pytest

from adjudge.cli import run
from adjudge.demo.nugget import GOLD, SYSTEMS, TEXTS, TOKENS
from adjudge.formats.tbf import read_tbf
from adjudge.formats.token_table import read_table
from adjudge.model.nugget import AFTER, COREFERENCE, SUBEVENT
from adjudge.tasks.nugget import explain
from adjudge.tasks.nugget.task import score

FILES = [GOLD, *SYSTEMS.values()]


@pytest.fixture(scope="module")
def tables():
    return {document.id: read_table(TOKENS / f"{document.id}.tab", document.id) for document in read_tbf(GOLD)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_validator_has_nothing_to_say(path, capsys):
    arguments = ["-t", str(TOKENS), "--texts", str(TEXTS), "--types", "2015", "--docs", str(GOLD), "--strict"]
    assert run(["nugget", "validate", str(path), *arguments]) == 0
    assert capsys.readouterr().out.endswith("0 errors, 0 warnings\n")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_mentions_are_their_tokens(path, tables):
    for document in read_tbf(path):
        words = {token.id: token.text for token in tables[document.id].tokens}
        order = list(words)
        for nugget in document.nuggets:
            assert nugget.text == " ".join(words[token] for token in nugget.tokens)
            places = [order.index(token) for token in nugget.tokens]
            assert places == sorted(set(places))


def test_tokens_are_the_words_of_the_texts(tables):
    for name, table in tables.items():
        text = (TEXTS / f"{name}.txt").read_bytes().decode()
        assert all(text[token.begin : token.end] == token.text for token in table.tokens)
        assert "".join(token.text for token in table.tokens) == "".join(text.split())


def test_there_is_something_of_everything(tables):
    gold = read_tbf(GOLD)
    assert [document.id for document in gold] == [
        *(f"nw-0{n}" for n in range(1, 7)),
        *(f"df-0{n}" for n in range(1, 5)),
    ]
    assert {relation.name for document in gold for relation in document.relations} == {COREFERENCE, AFTER, SUBEVENT}
    assert {nugget.realis for document in gold for nugget in document.nuggets} == {"Actual", "Generic", "Other"}
    twice = gaps = 0
    kinds = set()
    for document in gold:
        order = [token.id for token in tables[document.id].tokens]
        places = [nugget.tokens for nugget in document.nuggets]
        twice += len(places) - len(set(places))
        gaps += sum(order.index(tokens[-1]) - order.index(tokens[0]) >= len(tokens) for tokens in places)
        for found in explain(GOLD, {name: str(path) for name, path in SYSTEMS.items()}, document.id).values():
            matching = found.alignment.matchings[0]
            kinds |= {each.outcome for each in matching.pairs}
            kinds |= {name for name in ("missed", "spurious") if getattr(matching, name)}
    assert (twice, gaps) == (4, 3)
    assert kinds == {"correct", "partial", "wrong", "missed", "spurious"}
    # A nugget whose words differ by an invisible one only.
    (court,) = (document for document in gold if document.id == "nw-03")
    assert "pay a fine" in [nugget.text for nugget in court.nuggets]
    assert "pay fine" in [nugget.text for each in read_tbf(SYSTEMS["heron"]) for nugget in each.nuggets]


def test_the_systems_differ():
    result = score(str(GOLD), {name: str(path) for name, path in SYSTEMS.items()}, tokens=str(TOKENS), bootstrap=0)
    f1 = [float(system["nugget.type+realis"].f1) for system in result.systems]
    assert f1 == sorted(f1, reverse=True)
    assert f1[0] - f1[1] > 0.1 < f1[1] - f1[2]
