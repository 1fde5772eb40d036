"""Words that are the same words, and what the script of the shared task makes of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError
from adjudge.formats.conllu_trees import read_conllu_trees
from adjudge.scorers import ud2018
from adjudge.scorers.ud2018 import NONE, align, align_documents
from adjudge.tasks.scoring import score


def words(*tokens):
    """Tokens as the script's own tests write them: `ab`, or `abc a b c` for one that stands for three words."""
    found, start = [], 0
    for token in tokens:
        form, *parts = token.split()
        end = start + len(form)
        found += [(start, end, True, part) for part in parts] or [(start, end, False, form)]
        start = end
    return found


def matched(gold, system):
    return [place for place in align(words(*gold), words(*system)) if place != NONE]


class TestAlign:
    @pytest.mark.parametrize(
        ("gold", "system", "number"),
        [
            (["a", "b", "c"], ["a", "b", "c"], 3),
            (["abc a b c"], ["a", "b", "c"], 3),
            (["a", "bc b c", "d"], ["a", "b", "c", "d"], 4),
            (["abcd a b c d"], ["ab a b", "cd c d"], 4),
            (["abc a b c", "de d e"], ["a", "bcd b c d", "e"], 5),
            (["abcd"], ["a", "b", "c", "d"], 0),
            (["abc", "d"], ["a", "b", "c", "d"], 1),
            (["a", "bc", "d"], ["a", "b", "c", "d"], 2),
            (["a", "bc b c", "d"], ["a", "b", "cd"], 2),
            (["abc a BX c", "def d EX f"], ["ab a b", "cd c d", "ef e f"], 4),
            (["ab a b", "cd bc d"], ["a", "bc", "d"], 2),
            (["a", "bc b c", "d"], ["ab AX BX", "cd CX a"], 1),
        ],
    )
    def test_numbers(self, gold, system, number):
        assert len(matched(gold, system)) == number

    @settings(max_examples=75, deadline=None)
    @given(st.data())
    def test_pairs_are_in_order_and_each_word_has_one(self, data):
        def tokens():
            cuts = data.draw(st.lists(st.integers(1, 3), min_size=4, max_size=4))
            found, start = [], 0
            for size in cuts:
                form = "abcabcabcabc"[start : start + size]
                parts = data.draw(st.lists(st.sampled_from(["a", "b", form]), max_size=3))
                found.append(" ".join([form, *parts]))
                start += size
            return [*found, "abcabcabcabc"[start:]] if start < 12 else found

        found = matched(tokens(), tokens())
        assert found == sorted(set(found))

    def test_forms_are_compared_in_lower_case(self):
        assert align(words("Am AN DEM"), words("Am an dem")) == [0, 1]


GOLD = (
    "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n"
    "2\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n"
    "3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
)


class TestDocuments:
    def test_a_word_that_is_none_of_gold_matches_nothing(self):
        # "runs." is one word of the system: It -> head unknown; 1 word is aligned, and its head is not.
        system = "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\truns.\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n"
        pair = read_conllu_trees(GOLD.encode()), read_conllu_trees(system.encode())
        found = align_documents(*pair).documents[0].data["dependencies"]
        assert [(word["dependent"], word["head"]) for word in found] == [(1, 5), (5, 0)]
        result = score("tree.uas", pair[0], align_documents(*pair), bootstrap=0)
        assert (result["tree.uas"].precision, result["tree.uas"].recall) == (0, 0)

    def test_other_sentences_of_the_system_are_put_into_those_of_gold(self):
        both = GOLD + GOLD
        one = both.replace("\n\n", "\n", 1).splitlines()
        lines = [line.split("\t") for line in one if line]
        for number, line in enumerate(lines, 1):
            line[0] = str(number)
            line[6] = {"4": "5", "5": "2", "6": "5"}.get(line[0], line[6])
        system = "\n".join("\t".join(line) for line in lines) + "\n\n"
        pair = read_conllu_trees(both.encode()), read_conllu_trees(system.encode())
        result = score("tree.uas", pair[0], align_documents(*pair), bootstrap=0)
        # Of six words only the second root has another head.
        assert float(result["tree.uas"].f1) == pytest.approx(5 / 6)
        assert (
            "UAS        |     83.33 |     83.33 |     83.33 |     83.33"
            in ud2018.run(both.encode(), system.encode()).text
        )

    def test_where_gold_has_no_lemma_any_is_right(self):
        gold = GOLD.replace("\trun\t", "\t_\t")
        pair = read_conllu_trees(gold.encode()), read_conllu_trees(GOLD.encode())
        assert score("tree.blex", pair[0], align_documents(*pair), bootstrap=0)["tree.blex"].f1 == 1

    def test_another_text(self):
        with pytest.raises(FormatError, match=r"s:1: the text continues with 'an.' where g has 'uns.' .character 4"):
            align_documents(
                read_conllu_trees(GOLD.encode(), name="g"),
                read_conllu_trees(GOLD.replace("runs", "ran").encode(), name="s"),
            )
        with pytest.raises(FormatError, match="both files must have the same characters"):
            ud2018.run(GOLD.encode(), (GOLD + GOLD).encode())


class TestScript:
    def test_counts(self):
        # One label of three is wrong; nsubj and root are content words, punct is not.
        system = GOLD.replace("nsubj", "obj")
        lines = ud2018.run(GOLD.encode(), system.encode(), counts=True).text.splitlines()
        assert lines[-4:] == [
            "LAS        |         2 |         3 |         3 |         3",
            "CLAS       |         1 |         2 |         2 |         2",
            "MLAS       |         1 |         2 |         2 |         2",
            "BLEX       |         1 |         2 |         2 |         2",
        ]

    def test_function_words_count_for_their_heads(self):
        noun = "1\tthe\tthe\tDET\t_\t_\t2\tdet\t_\t_\n2\tdog\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
        lines = ud2018.run(noun.encode(), noun.replace("DET", "PRON").encode(), counts=True).text.splitlines()
        assert [line.split("|")[1].strip() for line in lines[-3:]] == ["1", "0", "1"]

    def test_problems_of_both_files(self):
        with pytest.raises(FormatError) as caught:
            ud2018.run(b"x\n\n", b"y\n\n")
        assert len(caught.value.problems) == 1  # the same words about the same name are said once
