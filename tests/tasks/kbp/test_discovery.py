"""Entity discovery and linking of knowledge bases, worked out by hand."""

import json

import pytest

from adjudge.cli import run
from adjudge.demo.kbp import GOLD as DEMO
from adjudge.demo.kbp import LINKS, SYSTEMS
from adjudge.errors import UsageError
from adjudge.evaluate.task import run_of
from adjudge.stats.result import Result
from adjudge.tasks.kbp.discovery import CLUSTERS, SETS, DiscoveryTask
from adjudge.tasks.kbp.inputs import read_inputs


def mention(start, text, level="NAM"):
    return {"start": start, "end": start + len(text), "text": text, "level": level}


def lines(*documents):
    return "".join(json.dumps({"id": id, "entities": entities}) + "\n" for id, entities in documents).encode()


def entity(id, type, *mentions, **more):
    return {"id": id, "type": type, "mentions": list(mentions), **more}


# Gold: Ana in both documents (one entity by name), Oslo with a page in d1, and a pronoun that does not count.
GOLD = lines(
    (
        "d1",
        [entity("E1", "PER", mention(0, "Ana"), mention(9, "she", "PRO")), entity("E2", "GPE", mention(20, "Oslo"))],
    ),
    ("d2", [entity("E1", "PER", mention(0, "Ana"))]),
)
WIKI = b"doc,start,end,page\nd1,20,24,Oslo\n"
# The system finds all three and a false one, takes Oslo for an organisation, and knows nothing across documents.
SYSTEM = lines(
    ("d1", [entity("n1", "PER", mention(0, "Ana")), entity("n2", "ORG", mention(20, "Oslo"))]),
    ("d2", [entity("n1", "PER", mention(0, "Ana")), entity("n2", "PER", mention(30, "Bo"))]),
)
BY_HAND = {
    "kbp.mention": (3 / 4, 3 / 3),
    "kbp.mention.typed": (2 / 4, 2 / 3),
    "kbp.link": (0, 0),  # the system has no pages
    "kbp.nil": (2 / 4, 2 / 2),
    # Gold entities: Ana {d1, d2}, Oslo {d1}; system: four of one mention each.
    "kbp.entity.ceafm": (2 / 4, 2 / 3),  # Ana with one of its mentions, Oslo
    "kbp.entity.ceafm.typed": (1 / 4, 1 / 3),
    "kbp.entity.ceafe": ((2 / 3 + 1) / 4, (2 / 3 + 1) / 2),
    "kbp.entity.b3": (3 / 4, 2 / 3),  # recall: 1/2, 1/2 and 1 of 3
    "kbp.entity.muc": (0, 0),
    "kbp.entity.pairwise": (0, 0),
}


def score_discovery(read, bootstrap=1000, **how):
    return DiscoveryTask(read, **how).result(run_of(by=("type",) * bool(how.get("by_type")), bootstrap=bootstrap))


def scores(result, place=0):
    return {(s.metric, s.part): s.value for s in result.systems[place].scores if not s.slice}


def test_every_metric_is_worked_out_by_hand():
    assert set(BY_HAND) == {*SETS, *CLUSTERS}
    found = scores(score_discovery(read_inputs(GOLD, [SYSTEM], wiki=WIKI, names=["A"])))
    for metric, (precision, recall) in BY_HAND.items():
        assert found[metric, "precision"] == pytest.approx(precision), metric
        assert found[metric, "recall"] == pytest.approx(recall), metric


def test_gold_against_itself_is_perfect_if_names_tell_who_is_who():
    one = lines(("d1", [entity("E1", "PER", mention(0, "Ana"))]), ("d2", [entity("E2", "ORG", mention(0, "Corvex"))]))
    found = scores(score_discovery(read_inputs(one, [one], names=["A"]), bootstrap=0))
    for metric in ("kbp.mention", "kbp.mention.typed", "kbp.entity.b3", "kbp.entity.ceafe"):
        assert found[metric, "f1"] == 1.0


def test_levels_and_types():
    read = read_inputs(GOLD, [SYSTEM], wiki=WIKI, names=["A"])
    assert scores(score_discovery(read, levels=("NAM", "PRO"), bootstrap=0))["kbp.mention", "recall"] == 3 / 4
    sliced = score_discovery(read, by_type=True, bootstrap=20)
    found = {(s.metric, s.slice["type"]): s.value for s in sliced.systems[0].scores if s.slice and s.part == "recall"}
    assert found["kbp.mention", "PER"] == 1.0
    assert found["kbp.mention", "GPE"] == 0.0


def test_nodes_with_a_page_are_that_page():
    linked = lines(
        ("d1", [entity("n2", "GPE", mention(20, "Oslo"), links=[{"target": "http://en.wikipedia.org/wiki/Oslo"}])])
    )
    found = scores(score_discovery(read_inputs(GOLD, [linked], wiki=WIKI, names=["A"]), bootstrap=0))
    assert found["kbp.link", "f1"] == 1.0


def test_canonical_mentions_are_mentions():
    """In a Cold Start file every node has one per document; without them little of the demo is left."""
    systems = [str(path) for path in SYSTEMS.values()]
    result = score_discovery(read_inputs(str(DEMO), systems, wiki=str(LINKS)), bootstrap=0)
    found = {each.name: scores(result, place) for place, each in enumerate(result.systems)}
    assert {name: round(100 * own["kbp.mention", "recall"], 1) for name, own in found.items()} == {
        "delta": 98.6,
        "fjord": 95.7,
        "geyser": 91.4,
    }
    assert found["delta"]["kbp.mention", "precision"] == 1.0
    marked = lines(("d1", [entity("E1", "PER", {**mention(0, "Ana"), "canonical": True})]))
    own = scores(score_discovery(read_inputs(marked, [marked], names=["A"]), bootstrap=0))
    assert own["kbp.mention", "f1"] == own["kbp.entity.b3", "f1"] == 1.0


def test_notes_say_why_there_are_no_links():
    result = score_discovery(read_inputs(GOLD, [SYSTEM], names=["A"]), bootstrap=0)
    assert {"gold-unlinked", "system-unlinked"} <= {note.code for note in result.systems[0].notes}


def test_triples_have_no_mentions():
    read = read_inputs(b"ana\tspouse\tben\td1\n", [b"ana\tspouse\tben\td1\n"], names=["A"])
    with pytest.raises(UsageError, match="no mentions"):
        score_discovery(read)


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in (("gold.jsonl", GOLD), ("a.jsonl", SYSTEM), ("links.csv", WIKI)):
        (tmp_path / name).write_bytes(content)
    command = ["kbp", "discovery", "--gold", "gold.jsonl", "--wiki", "links.csv", "a.jsonl", "b=gold.jsonl"]
    assert run([*command, "--by", "type"]) == 0
    out = capsys.readouterr().out
    assert "kbp.entity.ceafm.typed" in out
    assert "type=GPE" in out
    assert run([*command, "--format", "json", "--fail-under", "kbp.mention.f1=0.99"]) == 3
    result = json.loads(capsys.readouterr().out)
    assert result["task"] == "kbp"
    assert {each["test"] for each in result["comparisons"] if each.get("test")} <= {"jackknife"}
    (tmp_path / "t.tsv").write_text("ana\tspouse\tben\td1\n")
    assert run(["kbp", "discovery", "--gold", "t.tsv", "t.tsv"]) == 2


def test_a_document_is_explained_and_saved(capsys, tmp_path):
    command = ["kbp", "discovery", str(DEMO), str(SYSTEMS["fjord"]), "--wiki", str(LINKS)]
    assert run([*command, "--explain", "04"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("kb-04  fjord  kbp.mention.typed: 5 correct, 2 missed, 2 spurious\n")
    assert "correct  PER Ilva Marn (71-80): no page, gold Ilva_Marn\n" in out
    assert "merged: gold NIL:N:Joss Marn [Joss Marn, Joss] Ilva_Marn [Ilva Marn]" in out
    assert run([*command, "--save", str(tmp_path / "r.json"), "--save-documents", "--bootstrap", "0"]) == 0
    capsys.readouterr()
    result = Result.load(tmp_path / "r.json")
    assert str(result.explain("04")["fjord"]) + "\n" == out
    pairs = [pair for own in result.systems[0].aligned for pair in own.matchings[0].pairs]
    right = sum(pair.outcome == "correct" for pair in pairs)
    matchings = [own.matchings[0] for own in result.systems[0].aligned]
    gold = len(pairs) + sum(not each.why for own in matchings for each in own.missed)
    system = len(pairs) + sum(len(own.spurious) for own in matchings)
    found = result["kbp.mention.typed"]
    assert found.recall == pytest.approx(right / gold)
    assert found.precision == pytest.approx(right / system)
