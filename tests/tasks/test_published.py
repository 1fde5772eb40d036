"""Published scorers on the engine: some documents, slices, means, and options that they cannot have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import adjudge as aj
from adjudge.errors import UsageError
from adjudge.scorers.published import REFUSED

# Mentions of documents 1 to 6: in the odd ones the system finds everything, in the even ones it links to another page.
GOLD = [(f"d{n}", 0, 4, f"Q{n % 2}", "PER") for n in range(1, 7)]
SYSTEM = [(name, a, b, page if int(name[1:]) % 2 else "Q9", kind) for name, a, b, page, kind in GOLD]


def table(path, rows):
    path.write_text("".join(f"{name}\t{a}\t{b}\t{page}\t1.0\t{kind}\n" for name, a, b, page, kind in rows))
    return str(path)


@pytest.fixture
def links(tmp_path):
    return table(tmp_path / "gold.tsv", GOLD), table(tmp_path / "system.tsv", SYSTEM)


@pytest.fixture
def records(tmp_path):
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    rows = [{"id": f"d{n}", "genre": "ab"[n % 2], "records": {"x": "one", "y": "two"}} for n in range(8)]
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows))
    changed = [{**row, "records": {"x": "one", "y": "two" if row["genre"] == "a" else "???"}} for row in rows]
    system.write_text("".join(json.dumps(row) + "\n" for row in changed))
    return str(gold), str(system)


def values(result, metric, part):
    """By the value of the first field of the slice, None for the whole."""
    return {
        next(iter(score.slice.values()), None): score.value
        for score in result.systems[0].scores
        if (score.metric, score.part) == (metric, part)
    }


def test_slices_are_by_fields_of_the_gold_documents(records):
    found = aj.score("record", *records, compat="donut", by="genre", bootstrap=0)
    assert values(found, "donut.cal_f1", "f1") == {None: 0.75, "a": 1.0, "b": 0.5}
    with pytest.raises(UsageError, match="no gold document has a field 'gene' to slice by, did you mean genre"):
        aj.score("record", *records, compat="donut", by="gene", bootstrap=0)


def test_a_result_can_be_sliced_and_shown_afterwards_and_not_explained(records, tmp_path):
    found = aj.score("record", *records, compat="donut", bootstrap=0)
    assert "donut.cal_f1" in Path(found.report(tmp_path / "page.html")).read_text(encoding="utf-8")
    assert values(found.by("genre"), "donut.cal_f1", "f1") == {None: 0.75, "a": 1.0, "b": 0.5}
    with pytest.raises(UsageError, match="donut has no explain: a published scorer does not say what became of"):
        found.explain("d0")


def test_documents_are_drawn_in_clusters(records):
    with pytest.raises(UsageError, match="2 clusters by genre are too few for intervals"):
        aj.score("record", *records, compat="donut", cluster_by="genre", bootstrap=20)


def test_a_choice_of_documents_is_in_the_signature(records):
    whole, some = (
        aj.score("record", *records, compat="donut", docs=docs, bootstrap=0) for docs in (None, ("d0", "d2", "d4"))
    )
    assert values(some, "donut.cal_f1", "f1") == {None: 1.0}
    assert (whole.systems[0].documents, some.systems[0].documents) == (8, 3)
    assert whole.signature != some.signature
    with pytest.raises(UsageError, match="there is no gold document 'd9'"):
        aj.score("record", *records, compat="donut", docs=("d9",), bootstrap=0)


def test_clusters_of_the_corpus_are_those_of_the_chosen_documents(links, tmp_path):
    chosen = ("d1", "d2", "d3")
    cut = [
        table(tmp_path / name, [row for row in rows if row[0] in chosen])
        for name, rows in (("gold-cut.tsv", GOLD), ("system-cut.tsv", SYSTEM))
    ]
    some = aj.score("linking", *links, compat="neleval-3.1.1", docs=chosen, bootstrap=0)
    alone = aj.score("linking", *cut, compat="neleval-3.1.1", bootstrap=0)
    assert some.systems[0].documents == 3
    for metric in ("linking.b3", "linking.ceafm", "linking.link"):
        assert values(some, metric, "f1") == values(alone, metric, "f1")
    whole = aj.score("linking", *links, compat="neleval-3.1.1", bootstrap=0)
    assert values(whole, "linking.link", "f1") != values(some, "linking.link", "f1")


def test_scores_of_the_corpus_have_no_mean_over_documents(links):
    with pytest.raises(UsageError, match=r"neleval-3.1.1 has no pool: its scores are of the whole corpus"):
        aj.score("linking", *links, compat="neleval-3.1.1", pool="macro", bootstrap=0)


def test_counts_of_the_corpus_alone_have_no_choice(tmp_path):
    twice = [*GOLD, ("d1", 0, 4, "Q7", "PER")]  # a mention of two entities
    files = table(tmp_path / "gold.tsv", twice), table(tmp_path / "system.tsv", SYSTEM)
    whole = aj.score("linking", *files, compat="neleval-3.1.1")
    assert any(note.code == "not-resampled" for note in whole.systems[0].notes)
    with pytest.raises(UsageError, match="its counts are known for the whole corpus only"):
        aj.score("linking", *files, compat="neleval-3.1.1", docs=("d1", "d2"))


@pytest.mark.parametrize(("option", "given"), [("jobs", 2), ("stream", True), ("exact", True), ("cluster", "local")])
def test_options_that_would_do_nothing_are_refused_with_the_reason(records, option, given):
    with pytest.raises(UsageError) as caught:
        aj.score("record", *records, compat="donut", bootstrap=0, **{option: given})
    assert f"donut has no {option}: {REFUSED[option]}" in str(caught.value)


def test_a_misspelt_gate_is_an_error(records, capsys):
    from adjudge.cli import run

    words = ["record", "score", *records, "--compat", "donut", "--fail-under"]
    assert run([*words, "donut.cal_f1.f=0.1"]) == 2
    assert "there is no such score, did you mean" in capsys.readouterr().err
    assert run([*words, "donut.cal_f1.f1=0.9"]) == 3
