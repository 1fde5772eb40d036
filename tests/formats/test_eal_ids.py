"""Numbers and digests of responses against slow, obvious versions."""

import hashlib
import struct

from hypothesis import given
from hypothesis import strategies as st

from adjudge.formats.eal_fields import id_2014, java_hash, sha1_id, trfr_id
from adjudge.model.eal import Cas, Span
from eal_files import RESPONSES


def signed(value):
    return (value + 2**31) % 2**32 - 2**31


@given(st.text())
def test_java_hash(text):
    data = text.encode("utf-16-le")
    units = struct.unpack(f"<{len(data) // 2}H", data)
    assert java_hash(text) == sum(unit * 31 ** (len(units) - 1 - at) for at, unit in enumerate(units)) % 2**32


@given(RESPONSES)
def test_number(response):
    def combine(values):
        result = 1
        for value in values:
            result = 31 * result + value
        return result

    document, type_, role, cas, filler, justifications, additional, realis = response
    parts = [java_hash(document), java_hash(type_), java_hash(role)]
    parts.append(combine([java_hash(cas.text), combine(cas.span)]))
    parts += [combine(filler), sum(map(combine, additional)), sum(map(combine, justifications)), java_hash(realis)]
    assert id_2014(response) == signed(combine(parts))


@given(RESPONSES)
def test_digest(response):
    document, type_, role, cas, filler, justifications, additional, realis = response
    data = "".join((document, type_, role, cas.text)).encode()
    numbers = [*cas.span, *filler, 0, *(n for span in justifications for n in span)]
    numbers += [1, *(n for span in additional for n in span), ["Actual", "Generic", "Other"].index(realis)]
    for number in numbers:
        data += number.to_bytes(4, "little")
    assert sha1_id(response) == hashlib.sha1(data).hexdigest()


@given(RESPONSES, RESPONSES)
def test_names_are_those_of_contents(one, other):
    # A digest is of texts without separators, so contents could only collide if texts shift between fields.
    assert (sha1_id(one) == sha1_id(other)) == (one == other)


def test_class_digest():
    data = b"dLife.DieVictimBob" + struct.pack("<3i", 3, 5, 2)
    assert trfr_id("d", "Life.Die", "Victim", Cas("Bob", Span(3, 5)), "Other") == hashlib.sha1(data).hexdigest()
