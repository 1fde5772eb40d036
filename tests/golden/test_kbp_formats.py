"""The worked example of knowledge bases, through every format that can hold a part of it and back."""

import json
from pathlib import Path

import pytest

from adjudge.formats.kb_coldstart import read_coldstart, write_coldstart
from adjudge.formats.kb_documents import read_kb_documents, write_kb_documents
from adjudge.formats.kb_links import attach_links, read_links
from adjudge.formats.kb_triples import read_triples, write_triples
from adjudge.model.kbp import Entity, Fact, KbDocument, KnowledgeBase, Mention, Provenance, Span, TripleTable

CASES = json.loads((Path(__file__).parent / "kbp.json").read_text())
EXAMPLE = CASES["worked_example"]
TYPES = {"PER", "ORG", "GPE", "FAC"}


def gold_documents() -> list[KbDocument]:
    found = []
    for id, text in EXAMPLE["texts"].items():
        entities = [
            Entity(
                entity["id"],
                entity["type"],
                tuple(
                    Mention(
                        id,
                        each["start"],
                        each["end"],
                        each["level"],
                        each["text"],
                        Span(each["hstart"], each["hend"]),
                        each["id"],
                    )
                    for each in entity["mentions"]
                ),
            )
            for entity in EXAMPLE["gold_entities"][id]
        ]
        facts = [
            Fact(each["arg1"], each["subtype"], each["arg2"], id)
            for each in EXAMPLE["gold_relations"]
            if each["doc"] == id
        ]
        found.append(KbDocument(id, entities, facts, text))
    return found


def system(name: str) -> KnowledgeBase:
    entities = []
    for id, entity in EXAMPLE["system_entities"].items():
        seen: set[str] = set()
        mentions = []
        for each in entity["mentions"]:
            best = each["doc"] not in seen and each["level"] == "NAM"
            seen |= {each["doc"]} if best else set()
            mentions.append(
                Mention(each["doc"], each["start"], each["end"], each["level"], each["text"], canonical=best)
            )
        entities.append(Entity(id, entity["type"], tuple(mentions)))
    facts = [
        Fact(each["subject"], each["relation"], each["object"], each["doc"], Provenance((Span(0, 20),)))
        for each in EXAMPLE[f"system_{name}"]
    ]
    return KnowledgeBase(f"system_{name}", entities, facts)


def test_the_example_is_whole():
    documents = gold_documents()
    assert sum(len(document.entities) for document in documents) == 14
    assert sum(len(document.facts) for document in documents) == 11
    assert len(system("A").entities) == 11
    assert [len(system(name).facts) for name in "AB"] == [10, 10]
    assert len(CASES["graph_cases"]) == 13


def test_gold_as_json_lines():
    documents = gold_documents()
    corpus = read_kb_documents(write_kb_documents(documents).encode())
    assert corpus.documents == documents
    assert not corpus.notes  # all mentions have the text of their heads or extents


@pytest.mark.parametrize("name", ["A", "B"])
def test_systems_as_cold_start(name):
    kb = system(name)
    data = b"".join(write_coldstart(kb))
    again, found = read_coldstart(data)
    assert again == kb
    # ACE relations are no predicates of Cold Start; Entity_02 asserts facts in documents that mention it.
    assert set(found.counts) <= {"illegal-predicate", "unattested", "missing-canonical-of-several"}
    assert found.counts["illegal-predicate"] == 10


def test_links():
    rows = ["doc\tmention\tpage", *(f"{row['doc']}\t{row['mention']}\t{row['page']}" for row in EXAMPLE["wiki_table"])]
    table = read_links("\n".join(rows).encode())
    found, notes = attach_links(table, gold_documents())
    assert not notes
    pages = {key[:2]: link.page for key, link in found.items()}
    assert len(found) == 11
    assert pages["D1", "D1-E3"] == "Lyon"
    assert sorted(link.page for key, link in found.items() if key[1] == "D2-E1") == [
        "Halden",
        "Halden_Group",
        "Halden_Group",
    ]


@pytest.mark.parametrize("case", CASES["graph_cases"], ids=lambda case: case["name"])
@pytest.mark.parametrize("side", ["gold", "system"])
def test_triples(case, side):
    table = TripleTable()
    for each in case[side]:
        for document in each["docs"]:
            table.add(*each["triple"], document)
    data = b"".join(write_triples(table))
    if not len(table):
        assert data == b""
        return
    again = read_triples(data)
    assert again == table
    assert {row[:3] for row in again.rows()} == {tuple(each["triple"]) for each in case[side]}
