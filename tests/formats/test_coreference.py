"""The formats of coreference together: which is which, and what survives the way from one to another and back."""

import io
import threading
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import UsageError, ValidationError
from adjudge.formats.conll import read_conll, write_conll
from adjudge.formats.conllu import read_conllu, write_conllu
from adjudge.formats.coreference import FORMATS, check_coreference, read_coreference, sniff, write_coreference
from adjudge.model.coref import Chain, CorefDocument, mention_words

NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1).filter(lambda n: n == n.strip())


def spans(tokens: int) -> st.SearchStrategy[tuple[int, int]]:
    position = st.integers(0, tokens - 1)
    return st.tuples(position, position).map(lambda pair: (min(pair), max(pair)))


def _nested_or_apart(one: tuple[float, float], other: tuple[float, float]) -> bool:
    (a, b), (c, d) = one, other
    return a == b or c == d or b < c or d < a or (a <= c and d <= b) or (c <= a and b <= d)


@st.composite
def documents(draw: st.DrawFn, *, crossing: bool = False, gaps: bool = False) -> list[CorefDocument]:
    """Documents whose chains are not empty; without `crossing`, mentions of one chain nest or are apart."""
    found = []
    for name in draw(st.lists(NAMES, min_size=1, max_size=3, unique=True)):
        tokens = draw(st.integers(1, 12))
        chains: list[Chain] = []
        for _ in range(draw(st.integers(0, 4))):
            mentions: list[tuple[float, ...]] = []
            for first, last in draw(st.lists(spans(tokens), min_size=1, max_size=5)):
                fits = all(_nested_or_apart((first, last), (a, b)) for a, b in mentions)
                if crossing or fits:
                    mentions.append((first, last))
            chains.append(Chain(str(len(chains)), mentions))
        if gaps and tokens > 4:
            chains.append(Chain(str(len(chains)), [(0, 0, 2, draw(st.integers(2, tokens - 2)))]))
        found.append(CorefDocument(name, chains, tokens))
    return found


def content(found: list[CorefDocument], *, ids: bool = True) -> list[object]:
    return [
        (
            document.id,
            document.tokens,
            sorted((chain.id if ids else "", sorted(Counter(chain.mentions).items())) for chain in document.chains),
            document.heads or {},
            list(document.empty),
        )
        for document in found
    ]


@given(documents())
def test_conll_and_back(given_: list[CorefDocument]) -> None:
    text, notes = write_coreference(given_, "conll")
    assert notes == []
    back = read_coreference(text.encode()).documents
    assert content(back) == content(given_)
    assert write_conll(back)[0] == write_conll(read_conll(write_conll(back)[0].encode()).documents)[0]
    assert check_coreference(text.encode(), format="conll").counts.keys() <= {"repeated", "two-chains"}


@given(documents(crossing=True))
def test_conll_is_written_right_or_not_at_all(given_: list[CorefDocument]) -> None:
    chains = [chain for document in given_ for chain in document.chains]
    if all(_nested_or_apart(a, b) for chain in chains for a in chain.mentions for b in chain.mentions):  # type: ignore
        text, _ = write_coreference(given_, "conll")
        assert content(read_conll(text.encode()).documents) == content(given_)
    else:
        with pytest.raises(ValidationError, match="crosses or touches"):
            write_coreference(given_, "conll")


@given(documents(crossing=True, gaps=True))
def test_conllu_is_written_right_or_not_at_all(given_: list[CorefDocument]) -> None:
    chains = [chain for document in given_ for chain in document.chains if len(chain.mentions) > 1]
    pairs = [(a, b) for chain in chains for a in chain.mentions for b in chain.mentions]
    if any(a < c < b < d for (a, b), (c, d) in pairs):  # type: ignore[misc]
        with pytest.raises(ValidationError, match=r"mentions of chain \d+ cross"):
            write_coreference(given_, "conllu")
    else:
        text, notes = write_coreference(given_, "conllu")
        assert notes == []
        assert content(read_coreference(text.encode(), format="conllu").documents) == content(given_)


@given(documents(gaps=True), st.data())
def test_conllu_keeps_heads_and_empty_nodes(given_: list[CorefDocument], data: st.DataObject) -> None:
    for document in given_:
        numbers = data.draw(st.sets(st.sampled_from([-0.499, -0.498, 0.001, 0.002, 0.501, 1.001, 2.501])))
        document.empty = sorted(each for each in numbers if each < document.tokens)
        document.chains += [Chain(f"zero{n}", [(each, each)]) for n, each in enumerate(document.empty)]
        mentions = [mention for chain in document.chains for mention in chain.mentions]
        document.heads = {each: data.draw(st.sampled_from(mention_words(each))) for each in mentions} or None
    text, _ = write_coreference(given_, "conllu")
    back = read_coreference(text.encode(), format="conllu").documents
    assert content(back) == content(given_)
    again = read_coreference(write_coreference(back, "jsonl")[0].encode(), format="jsonl").documents
    assert content(again) == content(given_)


@given(documents(crossing=True, gaps=True))
def test_jsonl_keeps_everything(given_: list[CorefDocument]) -> None:
    text, notes = write_coreference(given_, "jsonl")
    back = read_coreference(text.encode()).documents
    assert notes == []
    assert content(back) == content([_without_empty(document) for document in given_])
    assert [[chain.mentions for chain in each.chains] for each in back] == [
        [chain.mentions for chain in each.chains if chain.mentions] for each in given_
    ]


def _without_empty(document: CorefDocument) -> CorefDocument:
    kept = [chain for chain in document.chains if chain.mentions]
    return CorefDocument(document.id, kept, document.tokens)


def test_what_conll_cannot_keep_is_said() -> None:
    chains = [Chain("e1", [(0, 0, 2, 3)]), Chain("e2", [(1.001, 1.001)]), Chain("e3", [])]
    document = CorefDocument("d", chains, -1, heads={(1.001, 1.001): 1.001}, empty=[1.001])
    text, notes = write_conll([document], path="x")
    assert [str(note) for note in notes] == [
        "x: 1 mention with gaps written from the first to the last token",
        "x: 1 empty node written as tokens, so that later tokens have other numbers",
        "x: in 1 document chains got new numbers, because their ids are not made of digits only",
        "x: 1 chain without mentions left out",
        "x: 1 document of unknown length written up to the last mention",
        "x: heads of mentions left out, in 1 document",
    ]
    (back,) = read_conll(text.encode()).documents
    assert [chain.mentions for chain in back.chains] == [[(0, 4)], [(2, 2)]]


def test_names_that_do_not_fit_in_a_line() -> None:
    for format_ in ("conll", "conllu"):
        with pytest.raises(ValidationError, match="rename the document"):
            write_coreference([CorefDocument("a\nb", [], 1)], format_)


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (b"", "conll"),
        (b"\n\n#begin document (a)\n", "conll"),
        (b"# comment\n# begin document (a)\n# newdoc\n", "conll"),
        (b"\xef\xbb\xbf#begin document (a)\n", "conll"),
        (b" \n {", "jsonl"),
        (b"[", "jsonl"),
        (b"\xef\xbb\xbf# global.Entity = eid\n", "conllu"),
        (b"# sent_id = 1\n1\tw\t_\t_", "conllu"),
        (b"1\tw\t_\t_\t_\t_\t_\t_\t_\t_\n", "conllu"),
        (b"a\t0\t0\tw\t(1)\n", "conll"),
    ],
)
def test_sniff(start: bytes, expected: str) -> None:
    assert sniff(start) == expected


def test_streams_and_pipes(tmp_path: Path, make_pipe) -> None:
    document = CorefDocument("d", [Chain("1", [(0, 1)])], 2)
    for format_ in FORMATS:
        data = write_coreference([document], format_)[0].encode()
        for source in (io.BytesIO(data), data):
            assert content(read_coreference(source).documents) == content([document]), format_
        pipe = tmp_path / format_
        make_pipe(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(data,))
        writer.start()
        assert content(read_coreference(pipe).documents, ids=False) == content([document], ids=False)
        writer.join()


def test_unknown_format() -> None:
    with pytest.raises(UsageError, match="did you mean conllu"):
        read_coreference(b"", format="conlu")
    with pytest.raises(UsageError, match="formats are conll, conllu, jsonl"):
        write_coreference([], "xml")


def test_strict_and_checks_of_the_other_formats() -> None:
    data = b'{"id": "a", "clusters": [[[0, 1], [0, 1]], [[0, 1]]]}'
    assert len(read_coreference(data).documents) == 1
    with pytest.raises(ValidationError) as caught:
        read_coreference(data, profile="strict")
    assert [problem.message for problem in caught.value.problems] == [
        "the mention [0, 1] is twice in chain 0, in document 'a'",
        "the mention [0, 1] is in chain 0 and in chain 1, in document 'a'",
    ]
    report = check_coreference(data)
    assert [finding.kind for finding in report.findings] == ["repeated", "two-chains"]
    assert (report.errors, report.warnings, report.contents["mention"]) == (0, 2, 3)


def chains(document: CorefDocument) -> dict[str, list[tuple[float, ...]]]:
    return {chain.id: chain.mentions for chain in document.chains}


def test_what_cannot_be_kept_is_said() -> None:
    written, notes = write_conllu([CorefDocument("d", [Chain("a-b", [(0, 1)])])])
    assert "chains got new ids" in notes[0].message
    assert "unknown length" in notes[1].message
    assert chains(read_conllu(written.encode()).documents[0]) == {"e1": [(0, 1)]}
