"""Assessment files: all rules of consistency, and that what is written comes back."""

import pytest
from hypothesis import given

from adjudge.errors import UsageError, ValidationError
from adjudge.formats.eal_arguments import scan_lines, write_arguments
from adjudge.formats.eal_assessments import parse_key, scan_key_lines, write_key
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Cas, Response, Span
from eal_files import DOCUMENT, keys

ROME = Response("D", "Life.Die", "Place", Cas("Rome", Span(20, 23)), Span(20, 23), (Span(5, 50),), (), "Actual")


class TestWrite:
    @given(keys())
    def test_what_is_written_comes_back(self, key):
        data = write_key(key)
        again, problems = parse_key(data, DOCUMENT)
        assert not problems
        assert (again.assessed, set(again.unassessed), again.coref) == (key.assessed, set(key.unassessed), key.coref)
        assert write_key(again) == data
        assert parse_key(write_key(again), DOCUMENT)[0] == again

    def test_there_are_no_ids_to_keep(self):
        with pytest.raises(UsageError):
            write_key(AnswerKey("D"), ids="keep")

    def test_assessed_first(self):
        later = ROME._replace(role="Victim", cas=Cas("Oslo", Span(1, 4)))
        key = AnswerKey("D", {later: Assessment("W")}, (ROME, later), {})
        lines = write_key(key).decode().splitlines()
        assert [each.split("\t")[4] for each in lines] == ["Oslo", "Rome"]
        assert lines[0].split("\t")[11:] == ["W", "NIL", "NIL", "NIL", "NIL", "NIL", "NIL"]
        assert lines[1].split("\t")[10:] == ["1.0", *["UNANNOTATED"] * 7]

    def test_clusters_that_would_not_come_back_are_not_written(self):
        for number in (-(2**31), 2**31 - 1):
            key = AnswerKey("D", {ROME: Assessment("W")}, (), {ROME.cas: number})
            assert parse_key(write_key(key), "D") == (key, [])
        for number in (-(2**31) - 1, 2**31):
            with pytest.raises(ValidationError, match=f"the cluster {number} of 'Rome' is not a 32-bit number"):
                write_key(AnswerKey("D", {ROME: Assessment("W")}, (), {ROME.cas: number}))


@given(keys())
def test_a_comment_changes_nothing(key):
    """Files without anything unusual are read in another way, column by column; it must say the same."""
    data = write_key(key)
    assert parse_key(data, key.document) == parse_key(data + b"#\n", key.document)


@given(keys())
def test_arguments_are_the_same_whether_the_key_was_read_before(key):
    """Responses that the key has just been read with are not read again."""
    responses = [*key.assessed, *key.unassessed]
    arguments = Arguments(key.document, [Argument(each, 0.5) for each in responses])
    data = write_arguments(arguments)
    changes = (b"", b"x\tD\tbroken\n"), (b"\t0.5\n", b"\t1.5\n"), (b"\t0.5\n", b"\t0.5\tmore\n"), (b"\t", b"\t ")
    files = [data, *(data.replace(*change, 1) for change in changes)]
    known = dict.fromkeys(scan_key_lines(write_key(key), key.document)[0].written)
    read = [[scan_lines(each, key.document, known=already) for each in files] for already in (None, known)]
    afresh, again = ([(lines.whole(), findings) for lines, findings in each] for each in read)
    assert again == afresh
