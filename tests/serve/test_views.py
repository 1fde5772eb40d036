"""What a reader sees of a scope: order, marks, words, and nothing that is hidden."""

import json
from itertools import groupby

import pytest

from adjudge.formats.eal_assessments import write_key
from adjudge.model.eal import AnswerKey, Cas, Response, Span
from adjudge.serve.codecs import Sources
from adjudge.serve.store import Write, stream_of
from adjudge.serve.views import campaign_view, scope_view
from serve.demo_campaign import NAME, campaign, desk


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with campaign(tmp_path_factory.mktemp("store"), answers=False, readers=["ann"]) as store:
        yield store


def shown(view):
    """The text as it is drawn."""
    text, kept, at = view["text"], [], 0
    for start, end in view["hide"]:
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])


def test_the_response_of_the_design(store):
    items = scope_view(desk(store), "MINI_NW_01")["items"]
    (item,) = [each for each in items if each["detail"] == ["base filler Tuesday", "may be PER, ORG, GPE"]]
    assert item["claim"] == "Justice.Arrest-Jail > Agent is the Kalder Bay constabulary"
    assert item["differs"] == ["base filler"]
    text = scope_view(desk(store), "MINI_NW_01")["text"]
    assert [text[start:end] for start, end in item["marks"]["fill"]] == ["Tuesday"]
    assert [text[start:end] for start, end in item["marks"]["line"]] == ["the Kalder Bay constabulary"]
    assert item["ask"]["aer"] == "Does it support that something fills Agent?"
    assert (item["group"], item["label"]) == ("Justice.Arrest-Jail", "Agent the Kalder Bay constabulary")


def test_tags_are_hidden_and_quotations_are_known(store):
    view = scope_view(desk(store), "MINI_DF_01")
    assert shown(view).startswith('Small weddings\nauthor="mossfox" datetime="2031-06-16T09:12:00"\nMy sister Runa')
    assert "<" not in shown(view)
    quotes = [view["text"][start:end] for start, end in view["quote"]]
    assert len(quotes) == 2
    assert all(each.startswith("<quote") and each.endswith("</quote>") for each in quotes)
    assert "<DATELINE>\nKALDER BAY, 2031-05-06" in shown(scope_view(desk(store), "MINI_NW_01"))


def test_near_duplicates_follow_each_other(store):
    cards = 0
    for scope in campaign_view(desk(store))["scopes"]:
        items = scope_view(desk(store), scope["id"])["items"]
        cards += len(items)
        keys = [[each["fields"][name] for name in ("type", "role", "cas", "justifications")] for each in items]
        assert len([*groupby(map(repr, keys))]) == len({*map(repr, keys)})
        assert [each["group"] for each in items] == sorted(each["group"] for each in items)
    assert cards == 310


def test_a_time_that_is_no_date(tmp_path):
    at, because = Span(0, 7), (Span(0, 9),)
    texts = ("today", "2031-05-XX")
    times = [Response("D", "Life.Die", "Time", Cas(text, at), at, because, (), "Actual") for text in texts]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "D").write_bytes(write_key(AnswerKey("D", {}, times, {})))
    (tmp_path / "D.txt").write_text("Somebody died.")
    with campaign(tmp_path / "s", sources=Sources(tmp_path / "in", tmp_path)) as store:
        warnings = {item["fields"]["cas"]: item["warn"] for item in scope_view(desk(store), "D")["items"]}
    assert warnings == {"2031-05-XX": [], "today": ["no normalised date: the CAS is wrong"]}


def test_warnings(store):
    items = scope_view(desk(store), "MINI_DF_01")["items"]
    for item in items:
        heightened = item["fields"]["type"].startswith(("Life.Marry", "Life.Divorce", "Movement."))
        assert bool(item["warn"]) == heightened


def test_suggestions_do_not_exist_in_the_validity_sample(tmp_path):
    lines = [
        {
            "document": document,
            "record": "r",
            "path": "p",
            "value": "v",
            "evidence": [],
            "run": "canary",
            "confidence": 0.75,
        }
        for document in ("d1", "d2")
    ]
    source = tmp_path / "items.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with campaign(tmp_path / "s", schema="records", sources=Sources(source), readers=["ann"]) as store:
        with store.read() as snapshot:
            one, other = snapshot.items(NAME)
        drawn = {"id": "v1", "scope": "d2", "identity": "v1", "body": {**other.body, "value": "w"}}
        suggested = [{"item": item.id, "answers": {"judgment": "W"}, "score": 0.5} for item in (one, other)]
        store.write(
            [
                Write(stream_of(NAME), "pool", "d2", {"items": [{**drawn, "validity": True, "p": 0.1}]}, "org", "k1"),
                Write(stream_of(NAME), "suggest", "model", {"suggestions": suggested}, "org", "k2"),
            ]
        )
        shown_, hidden = (scope_view(desk(store), name) for name in ("d1", "d2"))
        assert shown_["items"][0]["suggestion"] == {"source": "model", "answers": {"judgment": "W"}}
        assert [item["suggestion"] for item in hidden["items"]] == [None, None]
        assert "canary" not in json.dumps([shown_, hidden])
        assert "0.75" not in json.dumps([shown_, hidden])
