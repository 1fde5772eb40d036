"""Columns of tags: sentences, documents, decoding, and everything that can be wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError
from adjudge.formats.bio import (
    SCHEMES,
    Steps,
    Turns,
    check_sentences,
    decode_strict,
    decode_tags,
    lenient,
    read_bilou,
    read_bio,
    read_both_gold,
    read_columns,
    read_iob1_gold,
    read_iob2,
    read_iob2_gold,
    read_iobes,
    split_tag,
)


def chunks(text):
    return decode_tags(text.split(), Steps(lenient))


def spans(corpus):
    return [
        [(each["type"], each["span"]["start"], each["span"]["end"]) for each in document.data["entities"]]
        for document in corpus.documents
    ]


def problems(read, data):
    with pytest.raises(FormatError) as caught:
        read(data)
    return [(each.line, each.column, each.message) for each in caught.value.problems]


class TestLenient:
    @pytest.mark.parametrize(
        ("tags", "found"),
        [
            ("B-PER I-PER O", [("PER", 0, 2)]),
            ("I-PER I-PER B-PER", [("PER", 0, 2), ("PER", 2, 3)]),
            ("B-PER I-LOC", [("PER", 0, 1), ("LOC", 1, 2)]),
            ("S-PER S-PER", [("PER", 0, 1), ("PER", 1, 2)]),
            ("B-PER E-PER E-PER", [("PER", 0, 2), ("PER", 2, 3)]),
            ("B-PER I-PER L-PER U-PER", [("PER", 0, 3), ("PER", 3, 4)]),
            ("E-PER I-PER", [("PER", 0, 1), ("PER", 1, 2)]),
            ("B-A-B I-A-B", [("A-B", 0, 2)]),
            ("B I O", [("_", 0, 2)]),
            ("O O", []),
        ],
    )
    def test_chunks(self, tags, found):
        assert chunks(tags) == found

    @settings(max_examples=200, deadline=None)
    @given(st.lists(st.sampled_from(["O", *(f"{p}-{t}" for p in "BIESUL" for t in ("x", "y"))]), max_size=9))
    def test_every_tag_but_o_is_in_exactly_one_chunk(self, tags):
        found = decode_tags(tags, Steps(lenient))
        covered = [place for _, start, end in found for place in range(start, end)]
        assert covered == [place for place, tag in enumerate(tags) if tag != "O"]
        for kind, start, end in found:
            assert {split_tag(tag)[1] for tag in tags[start:end]} == {kind}
            assert not any(tag[0] in "BSU" for tag in tags[start + 1 : end])


class TestStrict:
    @pytest.mark.parametrize(
        ("scheme", "tags", "found"),
        [
            ("IOB1", "I-x I-x B-x O B-y", [("x", 0, 2), ("x", 2, 3)]),
            ("IOB2", "I-x B-x I-x I-y", [("x", 1, 3)]),
            ("IOE2", "I-x E-x E-y I-y", [("x", 0, 2), ("y", 2, 3)]),
            ("IOBES", "S-x B-x E-x B-x I-x", [("x", 0, 1), ("x", 1, 3)]),
            ("BILOU", "U-x B-x I-x L-x L-x", [("x", 0, 1), ("x", 1, 4)]),
        ],
    )
    def test_chunks(self, scheme, tags, found):
        assert decode_strict(tags.split(), Turns(SCHEMES[scheme])) == found

    @settings(max_examples=100, deadline=None)
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

    def test_gold_must_keep_to_the_scheme_and_a_system_need_not(self):
        data = b"a I-x\nb O\n\nc B-x\nd I-y\n"
        assert spans(read_iob2(data)) == [[], [("x", 0, 1)]]
        assert problems(read_iob2_gold, data) == [
            (1, None, "I-x is not part of an entity in IOB2"),
            (5, None, "I-y is not part of an entity in IOB2"),
        ]
        assert spans(read_iob1_gold(b"a I-x\nb O\n\nc I-x\nd I-y\n")) == [[("x", 0, 1)], [("x", 0, 1), ("y", 1, 2)]]

    def test_prefixes_of_another_scheme(self):
        assert problems(read_iob2, b"a S-x\n") == [(1, 3, "'S-x' is not a tag")]
        assert problems(read_bilou, b"a E-x\n") == [(1, 3, "'E-x' is not a tag")]
        assert spans(read_iobes(b"a S-x\n")) == [[("x", 0, 1)]]


class TestFiles:
    def test_each_sentence_is_a_document(self):
        corpus = read_bio(b"EU NNP B-ORG\nrejects VBZ O\n\n\nPeter NNP I-PER\n")
        assert [(each.id, each.line, each.data["sentences"]) for each in corpus.documents] == [
            ("sentence-1", 1, [2]),
            ("sentence-2", 5, [1]),
        ]
        assert spans(corpus) == [[("ORG", 0, 1)], [("PER", 0, 1)]]

    def test_documents_begin_at_their_lines_and_count_tokens_through(self):
        data = b"-DOCSTART- -X- O\n\na x O\nb x B-L\n\nc x B-L\n\n-DOCSTART- -X- O\n\nd x B-L\n"
        corpus = read_bio(data)
        assert [(each.id, each.data["sentences"]) for each in corpus.documents] == [
            ("document-1", [2, 1]),
            ("document-2", [1]),
        ]
        assert spans(corpus) == [[("L", 1, 2), ("L", 2, 3)], [("L", 0, 1)]]

    def test_a_chunk_does_not_cross_sentences(self):
        assert spans(read_bio(b"a B-x\n\nb I-x\n")) == [[("x", 0, 1)], [("x", 0, 1)]]

    def test_tabs_blanks_and_line_ends(self):
        assert spans(read_bio(b"a\tB-x\r\nb  I-x \r\n\r\nc O\r\n")) == [[("x", 0, 2)], []]

    def test_a_space_that_is_no_blank_is_part_of_the_token(self):
        assert spans(read_bio("10\u00a0000 B-x\n\u3000 I-x\n".encode())) == [[("x", 0, 2)]]

    def test_both_columns(self):
        data = b"a B-x O\nb O B-y\n"
        assert spans(read_both_gold(data)) == [[("x", 0, 1)]]
        assert spans(read_bio(data)) == [[("y", 1, 2)]]

    def test_everything_that_is_wrong_is_said_at_once(self):
        assert problems(read_bio, b"a B-x\nb\nc PER\nd B-x O\n") == [
            (2, None, "1 column, but 2 in line 1"),
            (3, 3, "'PER' is not a tag"),
            (4, None, "3 columns, but 2 in line 1"),
        ]

    def test_columns_that_are_missing(self):
        assert problems(read_both_gold, b"B-x\nO\n")[0] == (1, None, "1 column, at least 2 are needed")

    @pytest.mark.parametrize("data", [b"", b"\n\n", b"-DOCSTART- O\n"])
    def test_nothing_at_all(self, data):
        assert problems(read_bio, data) == [(None, None, "the file has no tokens")]

    def test_many_problems_are_counted(self):
        found = problems(read_bio, b"x Q\n" * 150)
        assert len(found) == 101
        assert found[-1][2] == "and 50 more problems"

    def test_lines_of_sentences_after_special_ones(self):
        data = b"a B-x\n\nb B-x\nc I-x\n\n\n\nd Q-x\n"
        assert problems(read_bio, data) == [(8, 3, "'Q-x' is not a tag")]
        assert [each.line for each in read_columns(data.replace(b"Q", b"B")).sentences] == [1, 3, 8]


class TestSameSentences:
    def test_other_lengths(self):
        gold, system = read_bio(b"a B-x\n\nb O\n", name="g"), read_bio(b"a B-x\nc O\n\nb O\n", name="s")
        with pytest.raises(
            FormatError, match=r"s:1: sentence-1 has 2 tokens in 1 sentence, in g 1 token in 1 sentence"
        ):
            check_sentences(gold, system)

    def test_other_numbers(self):
        gold, system = read_bio(b"a B-x\n\nb O\n", name="g"), read_bio(b"a B-x\n", name="s")
        with pytest.raises(FormatError, match=r"s: 1 documents, but g has 2"):
            check_sentences(gold, system)
