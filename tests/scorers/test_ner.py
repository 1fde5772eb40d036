"""The published scorers of named entities, on examples worked out by hand."""

from __future__ import annotations

import contextlib
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.compat.nervaluate import EvaluationResult, tally
from adjudge.errors import FormatError, UsageError
from adjudge.scorers import conlleval, nervaluate, seqeval
from adjudge.tasks.family import pairing, reads


def columns(*sentences):
    return "".join("".join(f"w {tag}\n" for tag in tags.split()) + "\n" for tags in sentences).encode()


class TestConlleval:
    def test_report(self):
        # Gold PER(0,2) LOC(5,6) ORG(0,2); found PER(0,1) LOC(5,6) ORG(0,2) PER(3,4): 2 of 4 found, 2 of 3 wanted.
        gold = columns("O O B-PER I-PER O B-LOC O", "B-ORG I-ORG O O")
        system = columns("O O B-PER O O B-LOC O", "B-ORG I-ORG O B-PER")
        assert conlleval.run(gold, system).text == (
            "processed 11 tokens with 3 phrases; found: 4 phrases; correct: 2.\n"
            "accuracy:  81.82%; precision:  50.00%; recall:  66.67%; FB1:  57.14\n"
            "              LOC: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"
            "              ORG: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"
            "              PER: precision:   0.00%; recall:   0.00%; FB1:   0.00  2\n"
        )

    def test_both_columns_of_one_file(self):
        both = b"a B-x B-x\nb O B-x\n"
        assert conlleval.run(both, both, both_columns=True).text == conlleval.run(b"B-x\nO\n", b"B-x\nB-x\n").text

    def test_lines_that_start_documents_are_tokens_that_are_right(self):
        text = conlleval.run(b"-DOCSTART- O\n\na B-x\n", b"-DOCSTART- O\n\na O\n").text
        assert text.startswith("processed 2 tokens")
        assert "accuracy:  50.00%" in text

    def test_single_tags_are_not_known_to_it(self):
        assert "with 1 phrases" in conlleval.run(columns("S-x S-x"), columns("O O")).text
        assert seqeval.run(columns("S-x S-x"), columns("O O")).text.splitlines()[2].split()[-1] == "2"

    def test_counts_are_those_of_documents(self):
        rows = conlleval.run(columns("B-x", "B-x O"), columns("B-x", "O B-x")).rows
        assert rows == [
            ("sentence-1", {"matched": 1, "system": 1, "gold": 1, "tags": 1, "tokens": 1}),
            ("sentence-2", {"matched": 0, "system": 1, "gold": 1, "tags": 0, "tokens": 2}),
        ]


class TestSeqeval:
    def test_strict_leaves_out_what_breaks_the_rules_and_may_score_higher(self):
        gold, system = columns("B-x I-x O O"), columns("B-x I-x O I-x")
        # By default I-x is a second entity: P = 1/2; strictly it is none: P = 1.
        assert "micro avg       0.50      1.00      0.67         1" in seqeval.run(gold, system).text
        assert "micro avg       1.00      1.00      1.00         1" in seqeval.run(gold, system, scheme="IOB2").text

    def test_weighted_by_gold(self):
        # x: 1 of 2 found, y: 1 of 1. Recall: macro (1/2 + 1) / 2 = 0.75, weighted (2 * 1/2 + 1 * 1) / 3 = 0.67.
        lines = seqeval.run(columns("B-x B-x B-y"), columns("B-x O B-y")).text.splitlines()
        assert [line.split()[3] for line in lines[-3:-1]] == ["0.75", "0.67"]

    def test_no_entity_at_all(self):
        found = seqeval.run(columns("O"), columns("O"))
        assert [note.code for note in found.notes] == ["no-entities"]

    def test_prefixes_of_another_scheme_are_refused(self):
        with pytest.raises(FormatError, match="'S-x' is not a tag"):
            seqeval.run(columns("S-x"), columns("O"), scheme="IOB2")


class TestNervaluate:
    def test_the_first_entity_that_overlaps_is_taken_even_if_a_later_one_would_be_right_with_it(self):
        # The first system entity takes the gold one with which the second would have been right.
        gold, system = [("x", 0, 4)], [("x", 0, 1), ("x", 0, 4)]
        assert tally("strict", gold, system, 1.0) == EvaluationResult(incorrect=1, spurious=1)
        assert tally("partial", gold, system, 1.0) == EvaluationResult(partial=1, spurious=1)

    def test_the_same_type_goes_to_the_closest_boundaries(self):
        gold = [("x", 0, 3), ("x", 3, 5)]
        assert tally("ent_type", gold, [("x", 2, 5), ("x", 0, 1)], 1.0) == EvaluationResult(correct=2)

    def test_overlap_is_measured_in_the_gold_entity(self):
        gold, system = [("x", 0, 4)], [("x", 3, 9)]
        assert tally("partial", gold, system, 25.0) == EvaluationResult(partial=1)
        assert tally("partial", gold, system, 26.0) == EvaluationResult(missed=1, spurious=1)

    def test_by_type_a_wrong_type_is_spurious_and_missed(self):
        lines = nervaluate.run(columns("B-x"), columns("B-y"), scenario="strict").text.splitlines()
        assert [line.split()[:6] for line in lines[4:]] == [
            ["x", "0", "0", "0", "1", "0"],
            ["y", "0", "0", "0", "0", "1"],
        ]

    def test_prefixes(self):
        assert "strict            1" in nervaluate.run(columns("B-x E-x"), columns("B-x I-x")).text
        with pytest.raises(FormatError, match=r":2: an entity starts with S-x"):
            nervaluate.run(columns("O S-x"), columns("O O"))

    @pytest.mark.parametrize("percent", ["0", "101", "x"])
    def test_least_overlap(self, percent):
        with pytest.raises(UsageError, match="from 1 to 100"):
            nervaluate.run(columns("O"), columns("O"), min_overlap=percent)


class TestSides:
    def test_problems_of_both_files(self):
        with pytest.raises(FormatError) as caught:
            conlleval.run(b"a Q\n", b"a W\n")
        assert [each.message for each in caught.value.problems] == ["'Q' is not a tag", "'W' is not a tag"]

    def test_another_number_of_sentences(self):
        with pytest.raises(FormatError, match="1 sentences and 0 starts of documents, but <bytes> has 2 sentences"):
            conlleval.run(columns("O", "O"), columns("O"))

    def test_another_number_of_tokens(self):
        with pytest.raises(FormatError, match=r":3: a sentence of 2 tokens, but of 1 in line 3"):
            conlleval.run(columns("O", "O"), columns("O", "O O"))


def test_readers_of_one_family_are_paired_and_others_are_not():
    assert pairing("bio", "iobes") is pairing("bio")
    assert pairing("bio", "jsonl") is None
    assert [read.__name__ for read in reads("bio-both")] == ["read_both_gold", "read_bio"]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text("BIOESx- \n", max_size=30).map(str.encode) | st.binary(max_size=20), min_size=2, max_size=2))
def test_any_bytes_are_scored_or_refused(files):
    for run in (conlleval.run, seqeval.run, nervaluate.run, partial(seqeval.run, scheme="IOB2")):
        with contextlib.suppress(FormatError):
            assert run(*files).text.endswith("\n")
