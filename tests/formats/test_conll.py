"""The CoNLL reader against the rules of the reference scorer, written out one line at a time."""

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError, UsageError
from adjudge.formats import conll
from adjudge.formats.conll import parse_brackets, read_conll
from adjudge.formats.coreference import check_coreference

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "coref.json").read_text(encoding="utf-8"))
FUZZ = json.loads((Path(__file__).parents[1] / "golden" / "coref_fuzz.json").read_text(encoding="utf-8"))["cases"]


# ---------------------------------------------------------------------------------------------------------------------
# The rules, as plainly as can be


def slow_names(data: bytes) -> dict[bytes, int]:
    """Where each document begins, the last one of a name."""
    found = {}
    for index, line in enumerate(data.split(b"\n")):
        line = line.removesuffix(b"\r")
        header = re.match(rb"#\s*begin document (.*)", line, re.DOTALL)
        if header:
            found[header[1]] = index
    return found


def slow_document(lines: list[bytes]) -> tuple[list[tuple[str, list[tuple[int, int]]]], int] | None:
    """Chains in order of appearance and the number of tokens; None where the reference scorer dies."""
    order: list[str] = []
    mentions: dict[str, list[tuple[int, int]]] = {}
    half: dict[str, list[int]] = {}

    def chain(name: bytes) -> str:
        text = name.decode()
        if text not in order:
            order.append(text)
            mentions[text], half[text] = [], []
        return text

    token = 0
    for line in lines:
        if not line.strip():
            continue
        if re.search(rb"#\s*end document", line):
            if any(half.values()):
                return None
            break
        columns = line.split(b"\t")
        while columns[-1] == b"":
            columns.pop()
        text = columns[-1]
        if text != b"_":
            while found := re.search(rb"\(\d+\+\d\)", text):
                text = text[: found.start()] + text[found.end() :]
            while found := re.search(rb"\((\d+)\)", text):
                mentions[chain(found[1])].append((token, token))
                text = text[: found.start()] + text[found.end() :]
            while found := re.search(rb"\((\d+)", text):
                half[chain(found[1])].append(token)
                text = text[: found.start()] + text[found.end() :]
            while found := re.search(rb"(\d+)\)", text):
                name = chain(found[1])
                if not half[name]:
                    return None
                mentions[name].append((half[name].pop(), token))
                text = text[: found.start()] + text[found.end() :]
        token += 1
    return [(name, mentions[name]) for name in order if mentions[name]], token


def slow(data: bytes) -> dict[str, object]:
    lines = data.split(b"\n")
    return {
        name.decode(errors="backslashreplace"): slow_document(lines[start + 1 :])
        for name, start in slow_names(data).items()
    }


def fast(data: bytes, only: set[str]) -> dict[str, object]:
    documents = read_conll(data, only=only).documents
    return {
        each.id: ([(chain.id, chain.mentions) for chain in each.chains], each.tokens)
        for each in documents
        if each.id in only
    }


# ---------------------------------------------------------------------------------------------------------------------
# Files that break rules


def soup(rng: random.Random) -> bytes:
    def column() -> bytes:
        kind = rng.random()
        if kind < 0.35:
            return rng.choice([b"-", b"-", b"_"])
        if kind < 0.85:
            shapes, chains = [b"(%s)", b"(%s", b"%s)"], [b"1", b"1", b"2", b"01", b"12"]
            items = [rng.choice(shapes) % rng.choice(chains) for _ in range(rng.randint(1, 3))]
            return rng.choice([b"|", b"|", b""]).join(items)
        return bytes(rng.choice(b"()12+|*a- _") for _ in range(rng.randint(1, 8)))

    def line(text: bytes) -> bytes:
        shapes = [b"x\t0\tw\t%s"] * 8 + [b"x  0 w  %s"] * 4
        shapes += [
            b"x\t%s\t",
            b"x\t%s \t\t",
            b"x (1) w %s",
            b"%s",
            b"# c %s",
            b"#\tc\t%s",
            b"\xff\x85\t%s",
            b"x\t%s\t ",
        ]
        return rng.choice(shapes).replace(b"%s", text)

    def balanced() -> list[bytes]:
        columns: list[list[bytes]] = [[] for _ in range(rng.randint(1, 8))]
        for _ in range(rng.randint(0, 4)):
            first = rng.randrange(len(columns))
            last = rng.randrange(first, len(columns))
            chain = rng.choice([b"1", b"2", b"3", b"01"])
            if first == last:
                columns[first].append(b"(%s)" % chain)
            else:
                columns[first].append(b"(%s" % chain)
                columns[last].append(b"%s)" % chain)
        return [rng.choice([b"|", b""]).join(column) or b"-" for column in columns]

    blanks = [b"", b"", b" ", b"\t", b"\t \t", b"\r", b"\x0b", b"\x85", b"\xa0"]
    ends = [b"#end document"] * 8
    ends += [b"# end document", b"#\tend document x", b"w\t#end document\t(1)", b"# enddocument", b"x # end document -"]
    headers = [b"#begin document "] * 8
    headers += [
        b"# begin document ",
        b"#\x0b begin document ",
        b" #begin document ",
        b"#begin  document ",
        b"#begin document\t",
    ]
    names = [b"(a); part 000", b"(a); part 001", b"(b)", b"(1); x", b"(a) ", b"\xe9", b"", b"(c) #end document"]
    out = [b"junk (1)"] if rng.random() < 0.05 else []
    for _ in range(rng.randint(1, 3)):
        out.append(rng.choice(headers) + rng.choice(names))
        whole = rng.random() < 0.5
        columns = balanced() if whole else [column() for _ in range(rng.randint(0, 5))]
        for text in columns:
            out.append(b"x\t0\tw\t" + text if whole and rng.random() < 0.8 else line(text))
            if rng.random() < 0.15:
                out.append(rng.choice(blanks))
        if rng.random() < 0.9:
            out.append(rng.choice(ends))
        if rng.random() < 0.1:
            out.append(line(column()))
    end = rng.choice([b"\n", b"\n", b"\n", b"\r\n"])
    data = end.join(out) + (end if rng.random() < 0.8 else b"")
    if rng.random() < 0.3:
        data = data.replace(b"\t", b" ")
    return b"\xef\xbb\xbf" + data if rng.random() < 0.05 else data


@pytest.mark.parametrize("seed", range(8))
def test_agrees_with_the_rules_on_bracket_soup(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    if seed % 2:
        monkeypatch.setattr(conll, "_BLOCK", 7)  # every line is cut somewhere
    fatal = 0
    for _ in range(500):
        data = soup(rng)
        expected = slow(data)
        alive = {name for name, document in expected.items() if document is not None}
        assert fast(data, alive) == {name: expected[name] for name in alive}, data
        for name in expected.keys() - alive:
            fatal += 1
            with pytest.raises(FormatError):
                read_conll(data, only={name})
    assert fatal > 50


def taken_out(column: bytes) -> tuple[list[tuple[str, int]], ...]:
    """The definition: each pattern is taken out from the left until there are no more."""
    found: tuple[list[tuple[str, int]], ...] = ([], [], [], [])
    where = list(range(len(column)))
    for pattern, items in zip(conll._PATTERNS, found, strict=True):
        while match := pattern.search(column):
            first, last = match.span()
            items.append((match[1].decode(), where[first]))
            column = column[:first] + column[last:]
            del where[first:last]
    return found


@pytest.mark.parametrize(
    "text", [b"(1)" * 100, b"(1" * 80 + b"1)" * 80, b"(1(2)3)" * 40, b"9" * 300 + b")", b"(12+3)|" * 40]
)
def test_long_columns_are_read_like_short_ones(text: bytes) -> None:
    assert parse_brackets(text) == taken_out(text)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(list(b"(()))1123+|-")), max_size=30).map(bytes))
def test_one_pass_finds_what_taking_out_finds(text: bytes) -> None:
    assert parse_brackets(text) == taken_out(text)


def test_documents_that_never_end_are_refused_by_both() -> None:
    data = b"".join(b"#begin document (%d);\nx\t(1)\n" % number for number in range(102))
    with pytest.raises(FormatError, match="no end marker"):
        read_conll(data)
    assert [each.kind for each in check_coreference(data, format="conll", limit=0).findings if each.error] == [
        "no-end-markers"
    ]


@pytest.mark.parametrize("seed", range(4))
def test_validator_and_reader_agree_on_what_is_fatal(seed: int) -> None:
    rng = random.Random(100 + seed)
    for _ in range(300):
        data = soup(rng)
        report = check_coreference(data, format="conll", limit=0)
        try:
            notes = read_conll(data, only=()).notes
        except FormatError:
            continue
        if len(slow_names(data)) < report.contents["document"]:
            continue  # of documents with one name only the last is read
        fatal = [note for note in notes if "never closes" in note.message or "none is open" in note.message]
        found = [finding.problem for finding in report.findings if finding.error and finding.kind != "no-documents"]
        assert sorted(map(str, fatal)) == sorted(map(str, found)), data


# ---------------------------------------------------------------------------------------------------------------------
# Recorded answers of the reference scorer


def denominators(document: dict[str, object]) -> tuple[int, int]:
    """Distinct mentions and all mentions."""
    distinct = total = 0
    for chains, _ in document.values():  # type: ignore[misc]
        spans = [mention for _, mentions in chains for mention in mentions]
        distinct += len(set(spans))
        total += len(spans)
    return distinct, total


@pytest.mark.parametrize("case", GOLDEN["edge_cases"] + FUZZ, ids=lambda case: str(case["id"]))
def test_counts_of_recorded_cases(case: dict) -> None:  # type: ignore[type-arg]
    key, response = case["key"].encode(), case["response"].encode()
    if "exit" in case["observed"]["muc"] and case["observed"]["muc"]["exit"] != 1:
        with pytest.raises(FormatError):
            [read_conll(key), read_conll(response)]
        return
    names = set(slow(key))
    documents = fast(key, names)
    if "exit" in case["observed"]["muc"]:
        return
    distinct, total = denominators(documents)
    assert str(distinct) == case["observed"]["mentions"]["recall"][1]
    assert str(total) == case["observed"]["bcub"]["recall"][1]
    assert str(denominators(fast(response, names))[0]) == case["observed"]["mentions"]["precision"][1]


@pytest.mark.parametrize("case", GOLDEN["reference_cases"], ids=lambda case: case["id"])
def test_official_files(case: dict, conformance: Path) -> None:  # type: ignore[type-arg]
    for side in ("key", "response"):
        path = conformance / "conformance" / "conll-scorer" / Path(case[f"{side}_file"]).name
        (document,) = read_conll(path).documents
        assert document.id == case["document"]
        found = [[list(mention) for mention in chain.mentions] for chain in document.chains]
        assert found == case[f"{side}_chains"]


# ---------------------------------------------------------------------------------------------------------------------
# Messages


def doc(*columns: str, name: str = "(a); part 000", end: str = "#end document\n") -> bytes:
    lines = "".join(f"wörd\t{column}\n" for column in columns)
    return f"#begin document {name}\n{lines}{end}".encode()


def problems(data: bytes, profile: str = "conll-8.01") -> list[tuple[int | None, int | None, str]]:
    with pytest.raises(FormatError) as caught:
        read_conll(data, profile=profile, name="f")
    return [(problem.line, problem.column, problem.message) for problem in caught.value.problems]


def test_all_mistakes_at_once_with_line_and_column() -> None:
    data = doc("(1", "2)", "(3|(3", "3)") + doc("1)|1)", "(7", name="(b)")
    found = problems(data)
    assert [(line, column) for line, column, _ in found] == [(2, 6), (3, 6), (4, 6), (8, 6), (8, 9), (9, 6)]
    assert "chain 1 opens here and never closes, in document '(a); part 000'" in found[0][2]
    assert "chain 2 closes here but none is open" in found[1][2]


def test_column_behind_a_trailing_tab_and_in_a_space_separated_line() -> None:
    assert problems(b"#begin document (a)\nx\t2)\t\t\n#end document\n")[0][:2] == (2, 3)
    assert problems("#begin document (a)\nö  w  2)\n#end document\n".encode())[0][:2] == (2, 7)


def test_many_mistakes_are_counted() -> None:
    found = problems(doc(*["1)"] * 250))
    assert len(found) == 101
    assert found[-1][2] == "and 150 more problems"


def test_mistakes_in_documents_that_do_not_count_are_notes() -> None:
    data = doc("1)") + doc("(1)", name="(b)")
    assert len(read_conll(data, only={"(b)"}).notes) == 1
    again = doc("1)") + doc("(1)")  # the first one is never read
    assert [chain.mentions for chain in read_conll(again).documents[0].chains] == [[(0, 0)]]


def test_documents_are_in_file_order_and_the_last_of_a_name_wins() -> None:
    data = doc("(1)") + doc("(2)", name="(b)") + doc("(3)", "-")
    corpus = read_conll(data)
    assert [(each.id, each.tokens, each.line) for each in corpus.documents] == [("(b)", 1, 4), ("(a); part 000", 2, 7)]
    assert "occurs again in line 7" in corpus.notes[0].message


def test_missing_end_marker_swallows_the_next_document() -> None:
    corpus = read_conll(doc("(1)", end="") + doc("(2)", name="(b)"))
    assert [(each.id, each.tokens) for each in corpus.documents] == [("(a); part 000", 3), ("(b)", 1)]
    assert [note.line for note in corpus.notes] == [1]


def test_notes() -> None:
    assert "byte-order mark" in read_conll(b"\xef\xbb\xbf" + doc("(1)")).notes[0].message
    assert "no documents" in read_conll(b"").notes[0].message
    note = read_conll(doc("(1)", end="# x\n#y\tz\n#end document\n")).notes[0]
    assert note.message == "2 comment lines inside documents count as tokens"
    assert note.line == 3
    assert read_conll(doc("(1)")).notes == []


def test_double_antecedents_and_what_their_removal_leaves() -> None:
    assert parse_brackets(b"((1+2)3)") == ([("1+2", 1)], [("3", 0)], [], [])
    assert read_conll(doc("(1+2)", "(1)")).documents[0].chains[0].mentions == [(1, 1)]


def test_unknown_profile() -> None:
    with pytest.raises(UsageError, match=r"did you mean conll-8\.01"):
        read_conll(b"", profile="conll-8.1")


# ---------------------------------------------------------------------------------------------------------------------
# Strict reading and the validator

WRONG = {
    "never-opened": (doc("-", "1)"), 3, 6, True),
    "never-closed": (doc("(1"), 2, 6, True),
    "two-chains": (doc("(1)|(2)"), 2, 10, False),
    "repeated": (doc("(1|(1", "1)|1)"), 2, 6, False),
    "no-end-marker": (doc("(1)", end=""), 1, 1, False),
    "byte-order-mark": (b"\xef\xbb\xbf" + doc("(1)") + doc("(1)", name="(b)"), 1, 1, False),
    "header-blanks": (doc("(1)", name="(a)  "), 1, 20, False),
    "comment-token": (doc("(1)", end="# x\n#end document\n"), 3, 1, False),
    "same-name": (doc("(1)") + doc("(1)"), 4, 1, False),
    "discarded": (doc("(1)", "(1+2)"), 3, 6, False),
    "reopened": (doc("(1", "1)|(1", "1)"), 3, 9, False),
    "not-read": (doc("(a)"), 2, 6, False),
    "word-as-mention": (b"#begin document (a)\nx (12) -\n#end document\n", 2, 3, False),
    "outside": (b"x\n" + doc("(1)"), 1, 1, False),
}


@pytest.mark.parametrize("kind", WRONG)
def test_validator(kind: str) -> None:
    data, line, column, error = WRONG[kind]
    (finding,) = check_coreference(data, format="conll", limit=0).findings
    assert (finding.kind, finding.problem.line, finding.problem.column) == (kind, line, column)
    assert finding.error == error


@pytest.mark.parametrize("kind", WRONG)
def test_strict_refuses_what_the_validator_finds(kind: str) -> None:
    data, line, column, error = WRONG[kind]
    assert problems(data, "strict")[0][:2] == (line, column)
    if not error:
        read_conll(data)
        read_conll(data, profile="clean")


def test_a_clean_file_passes() -> None:
    data = doc("(1|(2", "-", "1)", "2)|(3)")
    report = check_coreference(data, format="conll", limit=0)
    assert report.findings == []
    assert report.contents == {"document": 1, "token": 4, "chain": 3, "mention": 3}
    strict, plain = read_conll(data, profile="strict"), read_conll(data)
    assert strict.documents[0].chains == plain.documents[0].chains


def test_parse_column_of_space_separated_files_is_no_mention() -> None:
    line = b"bc/cctv  0  1  word  NN  (TOP(S(NP*  -  -  -  Speaker#1  *  (ARG0*)  "
    data = b"#begin document (a)\n" + line + b"(12\n" + line + b"12)|(3)\n#end document\n"
    assert check_coreference(data, format="conll", limit=0).findings == []
    assert [chain.mentions for chain in read_conll(data).documents[0].chains] == [[(0, 1)], [(1, 1)]]


@pytest.mark.parametrize("blank", ["\t", " "])
def test_a_mention_that_never_closes_is_told_with_its_place_however_long_the_document_is(blank: str) -> None:
    token = blank.join(("a", "0", "wörd", "-"))
    lines = ["#begin document (a)", token, "", blank.join(("a", "1", "wörd", "(1)|(22)|(333")), *[token, ""] * 20_000]
    with pytest.raises(FormatError) as caught:
        read_conll("\n".join([*lines, "#end document"]).encode())
    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == (4, 19)
    closed = read_conll("\n".join([*lines, blank.join(("a", "2", "wörd", "333)")), "#end document"]).encode())
    (document,) = closed.documents
    assert [(chain.id, chain.mentions) for chain in document.chains] == [
        *(("1", [(1, 1)]), ("22", [(1, 1)])),
        ("333", [(1, 20_002)]),
    ]


def test_ends_of_lines_that_look_alike_are_told_apart() -> None:
    """The end of a long column is another column, alone or after a blank."""
    ends = ["_\t12)|(345)", "_\t2)|(345)", "_ (345)", "(345)", "_\t(345)", "_\t(12|(345)"]
    before = ["_\t(12", "_\t(2"]
    text = "\n".join(["#begin document (a)", *before, *ends, "_\t12)", "#end document", ""])
    (document,) = read_conll(text.encode()).documents
    assert {chain.id: chain.mentions for chain in document.chains} == {
        "12": [(0, 2), (7, 8)],
        "2": [(1, 3)],
        "345": [(number, number) for number in range(2, 8)],
    }
