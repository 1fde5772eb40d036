"""The names that people import: tasks, `read`, `state`, results by system, notebooks, published scorers."""

from __future__ import annotations

import io
import json
import pickle
import re
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest

import adjudge as aj

GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-ORG"], ["B-LOC", "O"], ["B-PER", "B-PER"], ["O", "O"]]
GOOD = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-PER"], ["B-LOC", "O"], ["B-PER", "I-PER"], ["B-LOC", "O"]]
POOR = [["B-PER", "O", "O", "B-LOC"], ["O", "O"], ["O", "O"], ["B-PER", "B-PER"], ["O", "O"]]
TEXT = "Paris is big. Ada lives in Paris."


def test_the_public_names():
    expected = {
        "score",
        "read",
        "state",
        "compare",
        "agree",
        "plan",
        "explain",
        "assert_score",
        "find",
        "metric",
        "derive",
        "view",
        "Result",
        "Metric",
        "Conventions",
        "AdjudgeError",
        "algebra",
        "ner",
        "relation",
        "event",
        "coref",
        "linking",
        "record",
        "template",
        "tree",
        "amr",
        "nugget",
        "eal",
        "kbp",
        "__version__",
    }
    assert set(aj.__all__) == expected | {"estimate", "sample"}
    for name in ("exact", "iou", "f1", "set_of", "ordered", "Variable", "ignore"):
        with pytest.warns(DeprecationWarning, match=f"adjudge.{name} is now adjudge.algebra.{name}"):
            assert getattr(aj, name) is getattr(aj.algebra, name)
    with pytest.warns(DeprecationWarning, match=r"now adjudge\.explain"):
        _ = aj.explain_document
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert aj.record.name == "record"


def test_the_catalogue_and_specifications_are_found(tmp_path):
    assert "ner.strict" in [each.name for each in aj.find()]
    path = tmp_path / "m.json"
    path.write_text(json.dumps({"name": "mine", "metric": {"sim": "exact"}}), encoding="utf-8")
    assert aj.find(path).name == "mine"


@pytest.mark.parametrize(
    "name",
    ["ner", "relation", "event", "coref", "linking", "record", "template", "tree", "amr", "nugget", "eal", "kbp"],
)
def test_every_task_says_what_it_knows(name):
    task = getattr(aj, name)
    assert task == pickle.loads(pickle.dumps(task))
    assert all(metric.startswith((f"{name}.", "argument", "linking", "overall")) for metric in task.metrics[:1])
    assert "bootstrap" in task.options
    assert name in repr(task)
    with pytest.raises(AttributeError, match="no nonsense"):
        _ = task.nonsense


def test_a_task_is_its_name():
    results = [
        aj.score("ner", GOLD, GOOD, bootstrap=0),
        aj.ner.score(GOLD, GOOD, bootstrap=0),
        aj.score(aj.ner, GOLD, GOOD, run={"bootstrap": 0}),
    ]
    assert len({each.to_json() for each in results}) == 1
    chosen = aj.ner.score(GOLD, GOOD, metrics="strict, ner.partial(typed=true)", bootstrap=0)
    assert chosen.systems[0].metrics == ("ner.strict", "ner.partial")
    for call, message in (
        (lambda: aj.score("ner", GOLD, GOOD, metrics="strikt"), "ner has no metric 'strikt', did you mean ner.strict?"),
        (lambda: aj.score("ner.strict", GOLD, GOOD, metrics="exact"), "metrics are chosen of a task"),
        (lambda: aj.score("ner", GOLD, GOOD, run={"bootstrap": 0}, seed=1), "run and seed are both given"),
        (lambda: aj.score("nugget", GOLD, GOOD, metrics="span"), "nugget has no"),
    ):
        with pytest.raises(aj.AdjudgeError, match=re.escape(message)):
            call()


@pytest.mark.parametrize(
    ("task", "option", "meant"), [("ner", "bootstrp", "bootstrap"), ("coref", "singeltons", "sin")]
)
def test_a_misspelt_option_is_an_error(task, option, meant):
    with pytest.raises(TypeError, match=f"{option}.*did you mean {meant}"):
        aj.score(task, GOLD, GOOD, **{option: 0})


def test_results_by_system():
    result = aj.score("ner", GOLD, {"A": GOOD, "B": POOR}, bootstrap=20)
    assert result["ner.strict"]["A"].f1 == result["ner.strict", "A"].f1 != result["ner.strict", "B"].f1
    with pytest.raises(aj.AdjudgeError, match=r'the result has 2 systems \(A, B\); say result\["ner.strict"\]\["A"\]'):
        _ = result["ner.strict"].f1
    sliced = result.by("type")
    assert sliced["ner.strict", "A"].where(**{"entities.type": "ORG"}).recall == 0
    assert sliced["ner.strict", "A"].f1 == result["ner.strict", "A"].f1
    with pytest.raises(aj.AdjudgeError, match="colour"):
        result.by("colour")
    assert "missed" in str(result.explain("2")["B"])
    assert str(aj.explain(result, "2")["A"]) == str(aj.explain("ner", GOLD, {"A": GOOD}, "2")["A"])
    assert result.to_markdown().startswith("|")
    assert "tabular" in result.to_latex()


def test_a_loaded_result_cannot_be_scored_again(tmp_path):
    result = aj.score("ner", GOLD, GOOD, bootstrap=0)
    result.save(tmp_path / "r.json")
    again = aj.Result.load(tmp_path / "r.json")
    assert again.reading == result.reading
    with pytest.raises(aj.AdjudgeError, match="score with documents=True"):
        again.explain("1")
    with pytest.raises(aj.AdjudgeError, match="score with by='type'"):
        again.by("type")


def test_pages_are_written(tmp_path):
    result = aj.score("ner", GOLD, GOOD, bootstrap=0)
    path = result.report(tmp_path / "page.html")
    assert path == str(tmp_path / "page.html")
    page = Path(path).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "spurious" in page  # the outcome of every item is found out
    temporary = Path(result.report())
    try:
        assert temporary.suffix == ".html"
        assert "srcdoc" in result.report(tmp_path / "page.html")._repr_html_()
    finally:
        temporary.unlink()


def test_the_reading_is_kept_and_signed():
    result = aj.score("ner", [[(0, 2, "PER")]], [[(0, 2, "PER")]], bootstrap=0)
    assert "|ends:exclusive?|" in result.signature
    assert (result.reading["gold"].shape, result.reading["gold"].ends) == ("spans", "exclusive?")
    declared = aj.score("ner", [[(0, 1, "PER")]], [[(0, 1, "PER")]], ends="inclusive", bootstrap=0)
    assert "|ends:inclusive|" in declared.signature
    assert "ends:" not in aj.score("ner", GOLD, GOOD, bootstrap=0).signature
    both = aj.compare(
        result, aj.score("ner", [[(0, 2, "PER")]], {"B": [[(0, 2, "PER")]]}, ends="exclusive", bootstrap=0)
    )
    assert list(both.reading) == ["gold", "B", "system"]


def test_mentions_that_are_not_in_the_text_are_listed():
    gold = [{"id": "d", "text": TEXT, "entities": [(0, 5, "LOC"), (14, 17, "PER")]}]
    said = [{"id": "d", "entities": [{"text": "Paris", "label": "LOC"}, {"text": "Rome", "label": "LOC"}]}]
    result = aj.score("ner", gold, {"A": said, "B": gold}, bootstrap=0)
    assert result.ungrounded == {"A": {"d": [{"text": "Rome", "type": "LOC"}]}, "B": {}}


@pytest.mark.parametrize(
    ("task", "gold", "metrics"),
    [
        ("relation", [[("Ada", "knows", "Bo")]], ["relation.triples"]),
        ("ner", [[("Ada", "PER")]], ["ner.mention"]),
        ("ner", [[("Ada", "PER"), ("Bo", "PER")]], ["ner.mention"]),
        ("tree", [{"heads": [2, 0], "deprels": ["nsubj", "root"]}], ["tree.uas", "tree.las", "tree.clas"]),
    ],
)
def test_the_usual_metrics_fit_the_documents(task, gold, metrics, tmp_path):
    result = aj.score(task, gold, gold, bootstrap=0)
    assert list(result.systems[0].metrics) == metrics
    assert all(result[name].f1 == 1 for name in metrics)
    aj.read(task, gold).save(tmp_path / "x.jsonl")
    again = aj.score(task, tmp_path / "x.jsonl", tmp_path / "x.jsonl", bootstrap=0)
    assert set(again.systems[0].metrics) >= set(metrics)


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (["B-PER O"], "'B-PER O' is one text with several tags; split it into a list of tags"),
        ([["B-PER O", "O"]], "'B-PER O' is one text with several tags"),
    ],
)
def test_several_tags_in_one_text_are_refused(gold, message):
    with pytest.raises(aj.AdjudgeError, match=message):
        aj.score("ner", gold, gold)
    assert aj.score("ner", [["B-creative work"]], [["B-creative work"]], bootstrap=0)["ner.strict"].f1 == 1


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        ('[["B-PER"]]', GOOD, "gold: a text is always the path of a file, and this looks like data"),
        (GOLD, "B-PER\nO\n", "system: a text is always the path of a file"),
        (
            {"d1": ["O"], "d2": ["O"], "d3": ["O"]},
            {"A": {"doc1": ["O"]}},
            "no document of system 'A' is in gold (gold: 'd1', 'd2', ...; system: 'doc1'); do the ids agree?",
        ),
    ],
)
def test_mistakes_are_said(gold, system, message):
    with pytest.raises(aj.AdjudgeError, match=re.escape(message)):
        aj.score("ner", gold, system)


def test_one_document_without_an_id():
    document = {"tokens": ["Ada", "ran"], "tags": ["B-PER", "O"]}
    result = aj.score("ner", document, document, bootstrap=0)
    assert result.systems[0].documents == 1
    assert "one-document" in {note.code for note in result.systems[0].notes}


def test_other_names_of_ids_pair_documents():
    gold = [
        {"doc_id": "a", "entities": [{"span": {"start": 0, "end": 1}, "type": "X"}]},
        {"doc_id": "b", "entities": []},
    ]
    assert aj.score("ner", gold, gold[::-1], bootstrap=0)["ner.strict"].f1 == 1


def test_notes_in_python_speak_of_its_options():
    result = aj.score("record", [{"a": 1}], ['{"a": 1,}'], bootstrap=0)
    assert "the option repair would read 1 of them" in str(result)
    assert aj.score("record", [{"a": 1}], ['{"a": 1,}'], repair=True, bootstrap=0)["record.fields"].f1 == 1


# ---------------------------------------------------------------------------------------------------------------------
# Tasks with rules of their own


def test_coreference_and_triples_in_memory():
    gold = {"d": [["m1", "m2"], ["m3", "m4", "m5"]]}
    system = {"d": [["m1", "m2", "m3"], ["m4", "m5"]]}
    result = aj.score("coref", gold, {"A": system}, metrics="muc, b3", bootstrap=0)
    assert result.profile == "conll-8.01"
    assert result["coref.muc", "A"].f1 == pytest.approx(2 / 3)
    assert aj.read("coref", gold)["d"]["clusters"][0] == ["m1", "m2"]
    assert aj.coref.score(gold, gold, compat="conll-8.01", bootstrap=0)["coref.conll"].f1 == 1
    facts = [("Ada", "works_for", "Acme"), ("Acme", "based_in", "London")]
    kb = aj.score("kbp", facts, {"A": facts[:1]}, hops=2, bootstrap=0)
    assert [kb["kbp.hop1", "A"].recall, kb["kbp.hop2", "A"].recall] == [0.5, 0]
    assert "one-document" in {note.code for note in kb.notes}
    assert "Acme" in str(aj.kbp.explain(facts, facts[:1], "-", hops=2)["system"])


def test_agreement_is_printed_as_a_table():
    found = aj.agree("ner", {"ann": [["B-PER", "O"]] * 6, "bob": [["B-PER", "B-LOC"]] * 6}, bootstrap=0)
    assert str(found).startswith("agreement of pairs\nscore")
    assert "signature" in str(found)
    assert not str(found).endswith("\n")


def test_annotators_have_what_they_have():
    found = aj.agree("ner", {"anna": GOLD, "ben": [*GOLD[:4], ["B-PER", "O"]]}, bootstrap=0)
    assert found.means[0].value == pytest.approx(12 / 13)
    triples = [[("Ada", "knows", "Bo")]]
    assert aj.relation.agree({"anna": triples, "ben": triples}, bootstrap=0).means[0].metric == "relation.triples"


def test_documents_are_validated_in_memory():
    assert aj.ner.validate(GOLD).errors == 0
    assert aj.coref.validate([[[[0, 1], [2, 3]]]]).errors == 0
    found = aj.ner.validate([["O", "B-PER"]], gold=[["O", "B-LOC"]])
    assert found.counts["unknown-label"] == 1


def test_gold_of_another_format_is_recognised_when_a_file_is_validated(tmp_path):
    (tmp_path / "system.bio").write_text("Ann B-PER\n\n")
    line = {"id": "sentence-1", "entities": [{"span": {"start": 0, "end": 1}, "type": "LOC"}]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(line) + "\n")
    for how in ({}, {"reader": "bio", "gold_reader": "jsonl"}):
        found = aj.ner.validate(tmp_path / "system.bio", gold=tmp_path / "gold.jsonl", **how)
        assert (found.errors, [each.kind for each in found.findings]) == (0, ["unknown-label"])


# ---------------------------------------------------------------------------------------------------------------------
# State


def summary(result):
    return [(s.metric, s.part, s.value, s.low, s.high) for system in result.systems for s in system.scores]


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1, 1), (2, 3), (5,)])
def test_a_state_is_the_whole(sizes):
    whole = aj.score("ner", GOLD, GOOD, bootstrap=50, interval="percentile")
    parts, at = [], 0
    for size in sizes:
        one = aj.state("ner", interval="percentile")
        one.update(GOLD[at : at + size], GOOD[at : at + size])
        parts.append(pickle.loads(pickle.dumps(one)))
        at += size
    first, *others = parts
    for other in others:
        first.merge(other)
    assert len(first) == 5
    found = first.compute(bootstrap=50)
    assert summary(found) == summary(whole)
    assert found.signature == whole.signature
    assert str(found.explain("2")["system"]) == str(whole.explain("2")["system"])
    first.reset()
    assert len(first) == 0
    with pytest.raises(aj.AdjudgeError, match="no document yet"):
        first.result()


@pytest.mark.parametrize("sizes", [(1300,), (700, 600), (1299, 1), (3, 1297)])
def test_a_state_forgets_documents_and_keeps_their_counts(sizes):
    gold = [["B-PER", "I-PER", "O", "B-LOC"][: 1 + at % 4] for at in range(1300)]
    system = [[tag if at % 3 else "O" for tag in tags] for at, tags in enumerate(gold)]
    state, at = aj.state("ner", interval="percentile"), 0
    for size in sizes:
        other = aj.state("ner", interval="percentile")
        for start in range(at, at + size, 400):
            rows = slice(start, min(start + 400, at + size))
            other.update(gold[rows], system[rows])
        state.merge(pickle.loads(pickle.dumps(other)))
        at += size
    whole = aj.score("ner", gold, system, bootstrap=50, interval="percentile")
    found = state.result(bootstrap=50)
    assert (len(state), summary(found)) == (1300, summary(whole))
    assert state._parts
    assert len(state._pairs) < 1000
    with pytest.raises(aj.AdjudgeError, match="already counted are not kept, ask the new state for slices"):
        state.result(by="genre")
    with pytest.raises(aj.AdjudgeError, match="documents=True"):
        found.explain("2")


def test_a_state_that_somebody_wants_to_look_at_keeps_its_documents():
    state = aj.state("ner", documents=True)
    state.update([["B-PER"]] * 1200, [["B-PER"]] * 1200)
    assert not state._parts
    assert "correct" in str(state.result(bootstrap=0).explain("1")["system"])


def test_ids_of_a_state():
    ids = ["a", "b", "c", "d", "e"]
    found = aj.state("ner")
    for name, gold, system in reversed(list(zip(ids, GOLD, GOOD, strict=True))):
        found.add(gold, system, id=name)
    whole = aj.score("ner", dict(zip(ids, GOLD, strict=True)), dict(zip(ids, GOOD, strict=True)), bootstrap=50)
    assert summary(found.result(bootstrap=50)) == summary(whole)
    with pytest.raises(aj.AdjudgeError, match="'c' was already added"):
        found.add(["O"], ["O"], id="c")
    with pytest.raises(aj.AdjudgeError, match="was already added"):
        found.merge(found)
    with pytest.raises(aj.AdjudgeError, match="2 ids for 1 documents"):
        found.add_batch([["O"]], [["O"]], ids=[1, 2])
    with pytest.raises(aj.AdjudgeError, match="different tasks or options"):
        found.merge(aj.state("relation"))
    found.add(["B-PER"], None)
    notes = {note.code for note in found.result(bootstrap=0).systems[0].notes}
    assert "missing-document" in notes
    assert len(found) == 6


@pytest.mark.parametrize(
    ("task", "gold", "system"),
    [
        ("coref", [[[[0, 1], [2, 3]]], [[[4, 4], [5, 5]]]], [[[[0, 1], [2, 3]]], [[[4, 4], [6, 6]]]]),
        ("kbp", [[("a", "r", "b")], [("b", "r", "c")]], [[("a", "r", "b")], [("b", "r", "d")]]),
        ("record", [{"a": 1}, {"a": 2}], ['{"a": 1}', "none"]),
        ("record", [{"id": "x", "a": 1}, {"id": "y", "a": 2}], ['{"a": 1}', "{}"]),
        ("relation", [[("a", "r", "b")], [("b", "r", "c")]], ['[["a", "r", "b"]]', "[]"]),
    ],
)
def test_states_of_other_tasks(task, gold, system):
    found = aj.state(task)
    for one, other in zip(gold, system, strict=True):
        found.add(one, other)
    assert summary(found.result(bootstrap=0)) == summary(aj.score(task, gold, system, bootstrap=0))


# ---------------------------------------------------------------------------------------------------------------------
# Reading, notebooks, published scorers


ANSWERED = {
    "ner": ([{"id": 1, "text": "Ada met Bo", "entities": [(0, 3, "PER")]}], '{"PER": ["Ada"]}'),
    "linking": ([{"id": 1, "text": "Ada", "mentions": [(0, 3, "Q1")]}], '[{"start": 0, "end": 3, "kb_id": "Q1"}]'),
    "relation": ([{"id": 1, "triples": [("Ada", "met", "Bo")]}], '[["Ada", "met", "Bo"]]'),
    "event": ([{"id": 1, "events": [{"type": "A", "trigger": [0, 2]}]}], '[{"type": "A", "trigger": [0, 2]}]'),
    "coref": ([{"id": 1, "clusters": [[[0, 1], [2, 3]]]}], "```json\n[[[0, 1], [2, 3]]]\n```"),
    "tree": ([{"id": 1, "heads": [2, 0], "deprels": ["a", "root"]}], '{"heads": [2, 0], "deprels": ["a", "root"]}'),
    "amr": (["(w / want-01 :ARG0 (b / boy))"], "Sure:\n```\n(w / want-01 :ARG0 (b / boy))\n```"),
    "kbp": ([("Ada", "met", "Bo")], '[["Ada", "met", "Bo"]]'),
    "record": ([{"id": 1, "a": 2}], '<think>{"a": 3}</think> {"a": 2}'),
}
CLIENTS = {
    "text": lambda text: text,
    "output": lambda text: {"id": 1, "output": text},
    "response": lambda text: {"id": 1, "response": text},
    "choices": lambda text: Made(choices=[Made(message=Made(content=text))]),
    "output_text": lambda text: Made(output_text=text),
}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("task", ANSWERED)
def test_answers_of_models_are_taken_in_every_task(task, client):
    gold, text = ANSWERED[task]
    result = aj.score(task, gold, [CLIENTS[client](text)], bootstrap=0)
    f1 = [row.value for row in result.systems[0].scores if row.part == "f1" and "hop2" not in row.metric]
    assert f1[0] == 1


class Made(SimpleNamespace):
    """What a client answers."""


def test_what_a_client_has_parsed_is_taken():
    answer = Made(choices=[Made(message=Made(content="", parsed={"a": 1}))])
    assert aj.score("record", [{"a": 1}], [answer], bootstrap=0)["record.fields"].f1 == 1
    assert aj.score("record", [{"a": 1}], [Made(parsed={"a": 1})], bootstrap=0)["record.fields"].f1 == 1


MISTAKES = {
    "no JSON in gold": (
        "ner", [{"prompt": "x", "answer": "y"}] * 60, {},
        "gold: 60 of 60 documents have none of entities, spans, tags, ... (first: document '1' has prompt, answer); "
        'name the field with field="answer"',
    ),
    "rows without documents": (
        "ner", [{"start": 0, "end": 1, "label": "X"}], {},
        "gold: a table with one row per entity needs a column for the document; its columns are start, end, label; "
        'name it with id="COLUMN"',
    ),
    "two shapes": (
        "ner", [["B-PER"], [(0, 1, "PER")]], {},
        "gold has documents of two shapes: tags (document '1') and spans (document '2'); give all of them in one",
    ),
    "a broken scheme": (
        "ner", [["O", "I-PER"]], {"scheme": "IOB2"}, "gold, document '1': the tag 'I-PER' breaks IOB2; fix it, or",
    ),
    "several tags in one": ("ner", ["B-PER O", "O O"], {}, "gold, document '1': 'B-PER O' is one text with several"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_say_what_helps(mistake):
    task, source, options, said = MISTAKES[mistake]
    with pytest.raises(aj.AdjudgeError) as caught:
        aj.score(task, source, source, **options)
    assert str(caught.value).startswith(said)


def test_one_record_is_one_document():
    gold = {"tokens": ["a", "b"], "tags": ["x"]}
    for system in (gold, {"A": gold}):
        result = aj.score("record", gold, system, bootstrap=0)
        assert result.systems[0].documents == 1
        assert "one-document" in {note.code for note in result.systems[0].notes}
    assert (
        aj.score("record", {"d1": {"a": 1}, "d2": {"a": 2}}, {"d1": "no", "d2": "{}"}, bootstrap=0).systems[0].documents
        == 2
    )


def test_what_is_read_can_be_saved_and_scored(tmp_path):
    corpus = aj.ner.read([(["Ada", "ran"], ["B-PER", "O"]), (["Oslo"], ["B-LOC"])])
    assert [each["id"] for each in corpus] == ["1", "2"]
    assert (len(corpus), corpus["2"], corpus[-1]) == (2, corpus[1], corpus[1])
    corpus.save(tmp_path / "x.jsonl")
    for gold in (corpus, tmp_path / "x.jsonl"):
        assert aj.score("ner", gold, {"A": corpus}, bootstrap=0)["ner.strict", "A"].f1 == 1
    with pytest.raises(aj.AdjudgeError, match="no document '3'"):
        _ = corpus["3"]


def test_notebooks_show_everything_and_load_nothing():
    evil = "<script>alert(1)</script>"
    result = aj.score("ner", GOLD, {evil: GOOD, "B": POOR, "C": POOR}, bootstrap=20)
    read = aj.read("ner", [([evil, "ran"], [f"B-{evil}", "O"])])
    shown = [
        result,
        result.comparisons[0],
        read,
        aj.find("ner.strict"),
        aj.find("coref.conll"),
        result.explain("1")[evil],
    ]
    shown += [aj.find("record.set").explain([evil], ["b"])]
    for value in shown:
        html = value._repr_html_()
        assert html.startswith('<div class="adjudge">')
        assert "<script" not in html
        assert not re.search(r"https?://|src=|@import|url\(", html)
        assert "color-scheme:light dark" in html
    html = result._repr_html_()
    assert "p (Holm)" in html  # the best one against the others
    assert "few" in html  # notes
    assert "<mark>" in read._repr_html_()
    assert "example" in aj.find("ner.strict")._repr_html_()


def test_a_notebook_links_to_the_page(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "IPython", sys)
    result = aj.score("ner", GOLD, GOOD, bootstrap=0)
    (address,) = re.findall(r'<a href="file://([^"]*)">open report</a>', result._repr_html_())
    assert address in result._repr_html_()  # written once
    assert Path(address).read_text(encoding="utf-8").startswith("<!doctype html>")
    Path(address).unlink()


def test_published_scorers_in_memory(tmp_path):
    from adjudge.compat import seqeval

    result = aj.score("ner", GOLD, {"A": GOOD, "B": POOR}, compat="seqeval-1.2.2", bootstrap=0)
    assert result["seqeval", "A"].f1 == pytest.approx(seqeval.f1_score(GOLD, GOOD))
    strict = aj.ner.score(GOLD, GOOD, compat="seqeval-1.2.2", scheme="IOB2", bootstrap=0)
    assert strict["seqeval"].f1 == pytest.approx(seqeval.f1_score(GOLD, GOOD, mode="strict", scheme="IOB2"))
    files = []
    for name, tags in (("gold", GOLD), ("A", GOOD)):
        files.append(tmp_path / f"{name}.bio")
        lines = ("\n".join(f"w\t{tag}" for tag in sentence) for sentence in tags)
        files[-1].write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    assert (
        summary(aj.score("ner", *files, compat="seqeval-1.2.2", bootstrap=0))[0][2] == result["seqeval", "A"].precision
    )
    graph = "(w / want-01 :ARG0 (b / boy))"
    assert aj.amr.score([graph], [graph], compat="smatch-1.0.4", bootstrap=0).profile == "smatch-1.0.4"
    records = aj.record.score([{"a": 1}], [{"a": 2}], compat="anls-star-1.0.1", bootstrap=0)
    assert records.profile == "anls-star-1.0.1"
    names = [[{"name": "Paris"}], [{"name": "France"}]]
    key = [{"title": "A", "vertexSet": names, "labels": [{"h": 0, "t": 1, "r": "P17", "evidence": [0]}]}]
    found = [{"title": "A", "h_idx": 0, "t_idx": 1, "r": "P17", "evidence": [0]}]
    assert aj.relation.score(key, found, compat="docred", bootstrap=0)["relation.docred"].f1 == 1
    tree = "1\tfish\tfish\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    assert aj.tree.score(io.StringIO(tree), tree.encode(), compat="ud-2018", bootstrap=0)["ud.las"].f1 == 1
    for call, message in (
        (lambda: aj.ner.score(GOLD, GOOD, compat="seqeval-1.2.1"), "did you mean seqeval-1.2.2"),
        (lambda: aj.score("ner.strict", GOLD, GOOD, compat="seqeval-1.2.2"), 'name the task: score("ner", ...)'),
        (lambda: aj.coref.score(GOLD, GOOD, compat="seqeval-1.2.2"), "there are conll-8.01"),
    ):
        with pytest.raises(aj.AdjudgeError, match=re.escape(message)):
            call()


def test_annotators_in_memory_keep_their_names():
    tags = [["B-PER", "O"], ["O", "B-LOC"]]
    other = [["B-PER", "O"], ["O", "O"]]
    found = aj.agree("ner.strict", {"anna": tags, "gold": other}, bootstrap=0)
    assert list(found.annotators) == ["anna", "gold"]
    assert [(pair.a, pair.b) for pair in found.pairs] == [("anna", "gold")]
    assert found.means[0].value == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: aj.agree("ner.strict", [[["O"]], [["O"]]]), "annotators have no names, give {name: documents}"),
        (lambda: aj.compare({"a": 1}), "cannot compare str, give results"),
        (lambda: aj.score("kbp", ["a r b"], ["a r b"]), "gold: 1 of 1 documents have none of relations, triples"),
    ],
)
def test_what_is_given_in_another_shape_is_said(call, said):
    with pytest.raises(aj.AdjudgeError) as caught:
        call()
    assert said in str(caught.value)
