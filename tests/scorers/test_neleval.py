"""Where neleval departs from the definitions."""

import pytest

import adjudge as aj
from adjudge.formats.linking import read_neleval
from adjudge.scorers.neleval import run


def printed(gold, system, measure):
    (line,) = (line for line in run(gold, system).text.splitlines() if line.endswith(f"\t{measure}"))
    return line.split("\t")[:4]


def ours(gold, system, metric):
    result = aj.score(metric, read_neleval(gold), read_neleval(system), bootstrap=0)
    return {score.part: score.value for score in result.systems[0].scores}


def test_mentions_without_a_candidate_are_one_cluster_there_and_alone_here():
    both = b"d1\t0\t1\nd1\t3\t4\n"
    assert printed(both, both, "entity_ceaf") == ["1.000", "0.000", "1.000", "0.000"]  # one entity of two mentions
    assert printed(both, both, "strong_nil_match") == ["0", "0", "0", "0"]  # neither linked nor nil
    assert ours(both, both, "linking.nil")["f1"] == 1.0


def test_a_missing_mention_is_compared_with_the_cluster_without_a_name():
    # Gold has E1 = {0-1, 3-4}; the system has 3-4 without a candidate. B3 recall: 0-1 is not in the system, so that it
    # is looked for in the cluster without a name, which shares 3-4 with E1: 1/2; 3-4 itself: 1/2. That is 1 of 2.
    gold, system = b"d1\t0\t1\tE1\nd1\t3\t4\tE1\n", b"d1\t3\t4\n"
    assert printed(gold, system, "b_cubed") == ["1.000", "0.000", "1.000", "1.000"]
    assert ours(gold, system, "linking.b3")["recall"] == pytest.approx(0.25)  # 0-1 nothing, 3-4 a half, of two


def test_a_mention_of_two_entities_counts_in_both_for_pairs_and_in_the_last_for_muc():
    gold = b"d1\t0\t1\tA\nd1\t0\t1\tB\nd1\t3\t4\tA\nd1\t6\t7\tB\n"
    system = b"d1\t0\t1\tx\nd1\t3\t4\tx\n"
    # A = {0, 3}, B = {0, 6}: two pairs, one of them found. MUC: 0 is in B, so that x has no link of A left.
    assert printed(gold, system, "pairwise") == ["1", "0", "1", "1"]
    assert printed(gold, system, "muc")[0] == "0"
    found = run(gold, system)
    assert not found.resampled
    assert {note.code for note in found.notes} == {"not-resampled", "hash-order"}


def test_documents_that_gold_does_not_have_count():
    assert printed(b"d1\t0\t1\tA\n", b"d1\t0\t1\tA\nd2\t0\t1\tA\n", "strong_mention_match") == ["1", "1", "1", "0"]


def test_types_of_the_tab_format_have_their_level():
    gold, system = (f"r\tm\tOslo\td:0-3\tE1\tGPE\t{level}\t1.0\n".encode() for level in ("NAM", "NOM"))
    assert printed(gold, system, "strong_typed_mention_match") == ["0", "1", "0", "1"]
    assert printed(gold, system, "strong_link_match") == ["1", "0", "1", "0"]


def test_empty_files_print_what_the_program_prints():
    lines = run(b"", b"").text.splitlines()
    assert "0\t0.000\t0\t0.000\t0.000\t0.000\t0.000\tentity_ceaf" in lines
    assert "0.000\t0.000\t0.000\t0.000\t0.000\t0.000\t0.000\tb_cubed" in lines
    assert "0\t0\t0\t0\t0.000\t0.000\t0.000\tmuc" in lines


def test_without_quirks_the_counts_are_resampled_and_agree_with_the_definitions():
    gold = b"d1\t0\t1\tA\t1\tPER\nd1\t3\t4\tNIL1\t1\tPER\nd2\t3\t4\tNIL1\t1\tORG\nd3\t3\t4\tA\t1\tORG\n"
    system = b"d1\t0\t1\tA\t1\tPER\nd1\t3\t4\tNIL5\t1\tORG\nd2\t3\t4\tB\t1\tORG\nd3\t3\t4\tB\t1\tORG\n"
    import numpy as np

    found = run(gold, system)
    counts = found.counter(np.ones((1, 3)))
    assert found.resampled
    for metric in ("linking.b3", "linking.ceafe", "linking.typed-all", "linking.muc", "linking.entity"):
        scores = ours(gold, system, metric)
        precision = counts[f"{metric}:matched"][0] / counts[f"{metric}:system"][0]
        assert precision == pytest.approx(scores["precision"]), metric
