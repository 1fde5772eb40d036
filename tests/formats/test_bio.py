"""Columns of tags: sentences, documents, decoding, and everything that can be wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge as aj
from adjudge.errors import FormatError
from adjudge.formats.bio import check_sentences, read_bio
from adjudge.model.tags import (
    SCHEMES,
    Steps,
    Turns,
    decode_strict,
    decode_tags,
    lenient,
    split_tag,
)


class TestLenient:
    @settings(max_examples=100, deadline=None)
    @given(st.lists(st.sampled_from(["O", *(f"{p}-{t}" for p in "BIESUL" for t in ("x", "y"))]), max_size=9))
    def test_every_tag_but_o_is_in_exactly_one_chunk(self, tags):
        found = decode_tags(tags, Steps(lenient))
        covered = [place for _, start, end in found for place in range(start, end)]
        assert covered == [place for place, tag in enumerate(tags) if tag != "O"]
        for kind, start, end in found:
            assert {split_tag(tag)[1] for tag in tags[start:end]} == {kind}
            assert not any(tag[0] in "BSU" for tag in tags[start + 1 : end])


class TestStrict:
    @settings(max_examples=50, deadline=None)
    @given(st.lists(st.tuples(st.sampled_from("xy"), st.integers(1, 3)) | st.none(), max_size=6))
    def test_what_a_scheme_writes_it_reads_again(self, parts):
        shapes = {
            "IOB2": lambda n: "B" + "I" * (n - 1),
            "IOBES": lambda n: "S" if n == 1 else "B" + "I" * (n - 2) + "E",
            "BILOU": lambda n: "U" if n == 1 else "B" + "I" * (n - 2) + "L",
        }
        for scheme, shape in shapes.items():
            tags, wanted = [], []
            for part in parts:
                if part is None:
                    tags.append("O")
                else:
                    wanted.append((part[0], len(tags), len(tags) + part[1]))
                    tags += [f"{prefix}-{part[0]}" for prefix in shape(part[1])]
            assert decode_strict(tags, Turns(SCHEMES[scheme])) == wanted
            assert decode_tags(tags, Steps(lenient)) == wanted


class TestSameSentences:
    def test_other_lengths(self):
        gold, system = read_bio(b"a B-x\n\nb O\n", name="g"), read_bio(b"a B-x\nc O\n\nb O\n", name="s")
        with pytest.raises(
            FormatError, match=r"s:1: sentence-1 has 2 tokens in 1 sentence, in g 1 token in 1 sentence"
        ):
            check_sentences(gold, system)

    @pytest.mark.parametrize("reader", ["bio", "iob2"])
    def test_other_tokens_are_noted_and_the_first_is_named(self, reader, tmp_path):
        gold, system = tmp_path / "g.bio", tmp_path / "s.bio"
        gold.write_text("-DOCSTART- O\n\nAda B-x\nleft O\n\nBo B-x\n", encoding="utf-8")
        system.write_text("-DOCSTART- O\n\nAda B-x\nleft O\n\nBob B-x\n", encoding="utf-8")
        for other, noted in ((gold, []), (system, [("tokens-differ", 1)])):
            result = aj.score("ner.strict", gold, {"run": other}, reader=reader, bootstrap=0)
            assert [(note.code, note.count) for note in result.systems[0].notes] == noted
            assert result["ner.strict"].f1 == 1
        assert "document 'document-1', token 3: 'Bob', and 'Bo' in gold" in str(result)

    def test_other_numbers(self):
        gold, system = read_bio(b"a B-x\n\nb O\n", name="g"), read_bio(b"a B-x\n", name="s")
        with pytest.raises(FormatError, match=r"s: 1 documents, but g has 2"):
            check_sentences(gold, system)
