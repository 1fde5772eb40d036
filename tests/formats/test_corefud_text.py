"""Texts and JSON of language models, put onto the words of a key: what is read, repaired and said."""

import json

import pytest

from adjudge.cli import run
from adjudge.errors import AdjudgeError
from adjudge.formats.corefud import read_corefud
from adjudge.formats.corefud_text import _edits, read_marked

ROWS = [
    [
        ("1", "Los", 2, "_"),
        ("2", "jugadores", 5, "_"),
        ("3", "de", 4, "_"),
        ("4", "Espanyol", 2, "_"),
        ("5", "hablan", 0, "_"),
    ],
    [("0.1", "_", "_", "2:nsubj"), ("1", "No", 2, "_"), ("2", "saben", 0, "_"), ("3", "por favor", 2, "_")],
]


def key(name="d"):
    lines = [f"# newdoc id = {name}", "# global.Entity = eid-etype-head-other"]
    for number, rows in enumerate(ROWS, 1):
        lines.append(f"# sent_id = {name}{number}")
        lines += ["\t".join((word, form, *"____", str(head), "x", deps, "_")) for word, form, head, deps in rows]
        lines.append("")
    return ("\n".join(lines) + "\n").encode()


def read(text, file=None):
    return read_marked(
        text if isinstance(text, bytes) else text.encode(), read_corefud(file or key(), trees=True).documents
    )


def mentions(corpus):
    """Mentions with their heads, by entity."""
    document = corpus.documents[0]
    return {
        chain.id: [
            (document.written(mention), document.written((head, head)).partition(":")[2])
            for mention, head in zip(chain.mentions, heads, strict=True)
        ]
        for chain, heads in zip(document.chains, document.marks, strict=True)
    }


def test_a_text_with_zeros():
    corpus = read("Los|[e1 jugadores de Espanyol|[e2],e1] hablan No saben ##|[e1] por_favor")
    assert mentions(corpus) == {"e1": [("1:1-4", "2"), ("2:2.1", "2.1")], "e2": [("1:4", "4")]}
    assert corpus.counted == []
    document = corpus.documents[0]
    assert [{relation for _, relation in each} for each in document.deps.values()] == [{"nsubj"}]
    without = read("Los|[e1 jugadores de Espanyol|[e2],e1] hablan No saben|[e1] por_favor")
    assert mentions(without)["e1"] == [("1:1-4", "2"), ("2:2", "2")]


def test_what_is_repaired_is_counted():
    text = "Los|[e1 futbolistas|[e9] de Espanyol|e2],x,e1] pero hablan No|[e3 saben por_favor|[e4"
    corpus = read(text)
    assert mentions(corpus) == {
        "e1": [("1:1-4", "2")],
        "e2": [("1:4", "4")],
        "e3": [("2:1", "1")],
        "e4": [("2:3", "3")],
    }
    assert {note.code: note.count for note in corpus.counted} == {
        "text-words": 2,
        "text-missing": 1,
        "text-unbalanced": 3,
        "text-unread": 1,
        "text-lost": 1,
    }


def test_a_text_that_breaks_off_is_scored_as_far_as_it_goes():
    corpus = read("Los|[e1 jugadores de Espanyol|e1]")
    assert mentions(corpus) == {"e1": [("1:1-4", "2")]}
    assert {note.code: note.count for note in corpus.counted} == {"text-missing": 4}  # empty nodes may be left out
    nothing = read('[{"doc_id": "d", "tokens": [], "clusters_token_offsets": []}]')
    assert [note.count for note in nothing.counted] == [8]


def test_json_is_the_same_as_a_text():
    tokens = ["Los", "jugadores", "de", "Espanyol", "hablan", "No", "saben", "##", "por_favor"]
    data = [{"doc_id": "d", "tokens": tokens, "clusters_token_offsets": [[[0, 3], [7, 7]], [[3, 3]]]}]
    text = read("Los|[e1 jugadores de Espanyol|[e2],e1] hablan No saben ##|[e1] por_favor")
    assert mentions(read(json.dumps(data))) == mentions(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Los|[e1]\nLos", r"expected as many lines as the key has documents \(1\), got 2"),
        ("Quite|[e1] another text", "<bytes>:1: this is not the text of document 'd'"),
        ('[{"doc_id": "d"}]', "document 'd' has no tokens"),
        (
            '[{"doc_id": "d", "tokens": ["Los"], "clusters_token_offsets": [[[0, 1]]]}]',
            "that are not those of its tokens",
        ),
        ("[{", "this is not JSON"),
    ],
)
def test_what_cannot_be_read(text, said):
    with pytest.raises(AdjudgeError, match=said.replace("[", r"\[")):
        read(text)


def test_edits_are_the_fewest():
    for said, own in (("kitten", "sitting"), ("abcbd", "xbcd"), ("", "ab"), ("ab", ""), ("aaab", "ab")):
        places = _edits(said, own)
        kept = [(at, place) for at, place in enumerate(places) if place is not None]
        assert all(said[at] == own[place] for at, place in kept)
        assert kept == sorted(kept, key=lambda each: each[1])
    assert sum(place is not None for place in _edits("kitten", "sitting")) == 4


def test_a_text_is_scored(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    marked = key().replace(b"1\tLos\t_\t_\t_\t_\t2\tx\t_\t_", b"1\tLos\t_\t_\t_\t_\t2\tx\t_\tEntity=(e1--2-")
    marked = marked.replace(b"\tEspanyol\t_\t_\t_\t_\t2\tx\t_\t_", b"\tEspanyol\t_\t_\t_\t_\t2\tx\t_\tEntity=e1)")
    marked = marked.replace(b"2:nsubj\t_", b"2:nsubj\tEntity=(e1--1-)")
    (tmp_path / "key.conllu").write_bytes(marked)
    (tmp_path / "system.txt").write_text(
        "Los|[e1 jugadores de Espanyol|e1] hablan No saben ##|[e1] por_favor oh|[e2]\n"
    )
    words = ["key.conllu", "system.txt", "--profile", "corefud"]
    assert run(["coref", "score", *words]) == 0
    out = capsys.readouterr().out
    assert "coref.conll                              100.0" in out
    assert "mentions that repairs cost: 1" in out
    assert run(["coref", "validate", "system.txt", "--profile", "corefud", "--gold", "key.conllu"]) == 0
    assert run(["coref", "validate", "system.txt", "--profile", "corefud"]) == 2
    (tmp_path / "gold").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "gold" / "es_x-corefud-dev.conllu").write_bytes(marked)
    (tmp_path / "run" / "es_x.txt").write_text((tmp_path / "system.txt").read_text())
    capsys.readouterr()
    assert run(["coref", "score", "gold", "run", "--profile", "corefud"]) == 0
    assert "coref.crac  all           100.0    100.0  100.0       100.0" in capsys.readouterr().out
