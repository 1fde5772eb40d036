"""Ids, dates, quote filters and stores as the official program has them, and a whole corpus that it has read."""

import json
from pathlib import Path

import pytest

from adjudge.formats.eal_arguments import parse_arguments, write_arguments
from adjudge.formats.eal_assessments import parse_key, write_key
from adjudge.formats.eal_fields import id_2014, is_valid, less_specific, sha1_id
from adjudge.formats.eal_linking import parse_linking, write_linking
from adjudge.formats.eal_sources import parse_quotes, write_quotes
from adjudge.formats.eal_store import open_frames, open_key, open_store
from adjudge.model.eal import (
    AnswerKey,
    Argument,
    Arguments,
    Assessment,
    Cas,
    Frame,
    Linking,
    Response,
    Span,
)

HERE = Path(__file__).parent
CASES = json.loads((HERE / "eal.json").read_text())
CORPUS = HERE / "eal" / "corpusA"
IDENTITY = CASES["response_identity"]["rows"]
DATES = CASES["timex"]["rows"]
MICRO = {row["name"]: row for row in CASES["micro_documents_2015"]["rows"]}


def test_all_cases_are_here():
    assert (len(IDENTITY), len(DATES), len(MICRO)) == (12, 25, 30)


@pytest.mark.parametrize("row", IDENTITY, ids=lambda row: row["line"].split("\t")[0])
def test_identity(row):
    arguments, problems = parse_arguments(row["line"].encode(), row["line"].split("\t")[1])
    assert not problems
    (argument,) = arguments.arguments
    assert argument.response.cas.text == row["cas"]
    assert id_2014(argument.response) == row["id2014"]
    assert sha1_id(argument.response) == row["sha1"]


@pytest.mark.parametrize("row", DATES, ids=lambda row: row["text"])
def test_dates(row):
    assert is_valid(row["text"], x_year=False) == row["valid"]
    if row["valid"]:
        assert less_specific(row["text"], x_year=False) == row["less_specific"]


def test_dates_of_2014_have_capital_letters():
    for row in DATES:
        assert is_valid(row["text"], x_year=False, lower_x=False) == (row["valid"] and "x" not in row["text"])


def test_the_description_has_years_that_nobody_knows():
    refused = {row["text"] for row in DATES if is_valid(row["text"]) != row["valid"]}
    assert refused == {"XXXX-05-04"}


def test_quote_filter():
    case = CASES["quote_filter_serialisation"]
    regions = {document: tuple(Span(*pair) for pair in pairs) for document, pairs in case["regions"].items()}
    data = "".join(f"{line}\n" for line in case["file_lines"]).encode()
    assert write_quotes(regions) == data
    assert parse_quotes(data, "quotes") == (regions, [])


def test_hash_distinguishes_justifications():
    case = CASES["hash_distinguishes_pj_from_aj"]
    at = Span(700, 705)

    def response(row):
        spans = [tuple(sorted(Span(*pair) for pair in row[name])) for name in ("pj", "aj")]
        return Response("doc", "Life.Die", "Victim", Cas("x", at), at, spans[0], spans[1], "Actual")

    one, other = response(case["response1"]), response(case["response2"])
    assert (sha1_id(one) != sha1_id(other)) is case["sha1_must_differ"]


ASSESSED = "1\tD\tLife.Die\tPlace\tRome\t20-23\t5-50\t20-23\tNIL\tActual\t1.0\tC\tC\tC\tC\t7\tActual\tNAME\n"


@pytest.mark.parametrize(
    ("case", "second"),
    [
        ("same_response_same_assessment_twice", ASSESSED),
        ("same_response_different_assessments", ASSESSED.replace("C\t7", "I\t7")),
    ],
)
def test_answer_key_consistency(case, second):
    key, problems = parse_key((ASSESSED + second).encode(), "D")
    assert len(key.assessed) == 1
    assert bool(problems) == (CASES["answer_key_consistency"][case] == "error")


def response_of(each):
    return Response(
        "DOC",
        each["type"],
        each["role"],
        Cas(each["cas"], Span(*each["cas_offsets"])),
        Span(*each["base_filler"]),
        tuple(sorted(Span(*pair) for pair in each["pj"])),
        tuple(sorted(Span(*pair) for pair in each["aj"])),
        each["realis"],
    )


@pytest.mark.parametrize("name", MICRO)
def test_micro_documents_survive_files(name):
    row = MICRO[name]
    responses = {key: response_of(each) for key, each in row["responses"].items()}
    system = {responses[key]: confidence for key, confidence in row["system"].items()}
    arguments = Arguments("DOC", [Argument(each, confidence) for each, confidence in system.items()])
    again, problems = parse_arguments(write_arguments(arguments), "DOC")
    assert {each.response: each.confidence for each in again.arguments} == system
    assert not problems
    frames = [Frame(frozenset(responses[key] for key in frame)) for frame in row["system_linking"]]
    if all(frame.responses <= system.keys() for frame in frames):
        linking = Linking("DOC", frames)
        assert parse_linking(write_linking(linking), again) == (linking, [])
    assessed = {}
    coref = {}
    for key, each in row["assessments"].items():
        mention = "NAME" if each["cas"] else None
        answers = (each["aet"], each["aer"], each["cas"], each["bf"], each["realis"], mention)
        assessed[responses[key]] = Assessment(*answers)
        if each["coref"] is not None:
            coref[responses[key].cas] = each["coref"]
    key = AnswerKey("DOC", assessed, (), coref)
    assert parse_key(write_key(key), "DOC")[0] == key


class TestCorpus:
    @pytest.mark.parametrize("system", ["S0", "S1", "S2"])
    def test_systems(self, system):
        store = open_store(CORPUS / "systems" / system, layout="2015")
        assert store.documents == (CORPUS / "docs.txt").read_text().split()
        assert store.linking_documents == store.documents
        assert not store.notes
        for arguments, linking in store:
            assert [sha1_id(each.response) for each in arguments.arguments] == [each.id for each in arguments.arguments]
            given = store.bytes_of(arguments.document)
            written = write_arguments(arguments)
            assert sorted(given.splitlines()) == written.splitlines()
            assert write_arguments(parse_arguments(written, arguments.document)[0]) == written
            assert write_linking(linking) == store.bytes_of(arguments.document, "linking")

    def test_key_and_frames(self):
        key_store, frames = open_key(CORPUS / "key"), open_frames(CORPUS / "ref")
        assert key_store.documents == frames.documents == (CORPUS / "docs.txt").read_text().split()
        for key in key_store:
            given = (CORPUS / "key" / key.document).read_bytes()
            assert sorted(given.splitlines()) == write_key(key).splitlines()
            linking = frames.linking(key)
            assert write_linking(linking) == (CORPUS / "ref" / key.document).read_bytes()

    def test_blanks_separate_as_well(self):
        store = open_store(CORPUS / "systems" / "S0")
        for arguments, linking in store:
            data = write_linking(linking, separator=" ").replace(b"\t", b" ")
            assert parse_linking(data, arguments) == (linking, [])
