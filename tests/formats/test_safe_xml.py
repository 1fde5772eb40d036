"""XML from strangers: every reader refuses what would read other files, ask the network, or grow without end."""

import socket
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.errors import FormatError
from adjudge.formats.ere import read_ere
from adjudge.formats.kb_annotation import read_ace, read_ere_corpus
from adjudge.formats.kb_queries import read_queries
from adjudge.formats.safe_xml import DEEPEST, read_xml

Reader = Callable[[bytes, Path], object]


def as_file(read: Callable[[Path], object], ending: str) -> Reader:
    def reader(data: bytes, folder: Path) -> object:
        (folder / f"d{ending}").write_bytes(data)
        return read(folder / f"d{ending}")

    return reader


READERS: dict[str, tuple[str, Reader]] = {
    "nuggets": ("deft_ere", lambda data, _: read_ere(data)),
    "ere": ("deft_ere", as_file(read_ere_corpus, ".rich_ere.xml")),
    "ace": ("source_file", as_file(read_ace, ".apf.xml")),
    "queries": ("query_set", lambda data, _: read_queries(data)),
}
LAUGHS = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 20))
ENTITIES = "declares or uses entities"
DECLARED = "declares a value for attributes 'c'"
ATTACKS = [
    ("laughs", f"<!DOCTYPE @ [{LAUGHS}]><@>&a19;</@>", ENTITIES),
    ("laughs in an attribute", f'<!DOCTYPE @ [{LAUGHS}]><@ x="&a19;"/>', ENTITIES),
    ("one long entity", f'<!DOCTYPE @ [<!ENTITY a "{"x" * 50_000}">]><@>{"&a;" * 50_000}</@>', ENTITIES),
    ("another file", '<!DOCTYPE @ [<!ENTITY a SYSTEM "file://SECRET">]><@>&a;</@>', ENTITIES),
    ("the network", '<!DOCTYPE @ [<!ENTITY a SYSTEM "http://localhost:9/x">]><@>&a;</@>', ENTITIES),
    ("a parameter entity", '<!DOCTYPE @ [<!ENTITY % a SYSTEM "file://SECRET"> %a;]><@/>', ENTITIES),
    ("an entity of a document type", '<!DOCTYPE @ SYSTEM "http://localhost:9/x.dtd"><@>&a;</@>', ENTITIES),
    ("in an attribute", '<!DOCTYPE @ SYSTEM "http://localhost:9/x.dtd"><@ y="1" x="&a;"/>', ENTITIES),
    ("in an inner attribute", '<!DOCTYPE @ SYSTEM "x.dtd"><@><![CDATA[&a;]]><b x="&a;">t</b></@>', ENTITIES),
    ("an unparsed entity", '<!DOCTYPE @ [<!NOTATION n SYSTEM "x"><!ENTITY a SYSTEM "SECRET" NDATA n>]><@/>', ENTITIES),
    ("long attributes", f'<!DOCTYPE @ [<!ATTLIST b c CDATA "{"x" * 90_000}">]><@>{"<b/>" * 9000}</@>', DECLARED),
    ("fixed attributes", '<!DOCTYPE @ [<!ATTLIST b c CDATA #FIXED "x">]><@><b/></@>', DECLARED),
    ("deep nesting", "<@>" + "<b>" * 1_000_000, f"nested more than {DEEPEST} deep"),
    ("a null", "<@>\0</@>", "not XML: not well-formed"),
    ("two elements", "<@/><@/>", "not XML: junk after document element"),
    ("nothing", "", "not XML: no element found"),
    ("half of it", "<@><b", "not XML: unclosed token"),
    ("an unknown encoding", f'<?xml version="1.0" encoding="{"x" * 5000}"?><@/>', "cannot be decoded"),
    ("a module of the encodings", '<?xml version="1.0" encoding="zlib"?><@/>', "cannot be decoded"),
    ("many bytes for one character", '<?xml version="1.0" encoding="shift_jis"?><@/>', "cannot be decoded"),
    ("another encoding than it says", '<?xml version="1.0" encoding="utf-16"?><@/>', "encoding specified in XML"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("text", "says"), [each[1:] for each in ATTACKS], ids=[each[0] for each in ATTACKS])
def test_refused_within_bounds(tmp_path: Path, reader: str, text: str, says: str) -> None:
    root, read = READERS[reader]
    (tmp_path / "secret").write_text("do not tell")
    data = text.replace("@", root).replace("SECRET", str(tmp_path / "secret"))
    if reader == "queries" and not data.startswith("<"):
        pytest.skip("a file of queries that does not begin with < is a table")
    began = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(FormatError) as caught:
            read(data.encode(), tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    problem = caught.value.problems[0]
    assert says in problem.message
    assert "do not tell" not in str(problem)
    assert (problem.line, problem.hint is None) == (1, False)
    assert len(str(problem)) < 400
    assert peak < 8 * len(data) + (4 << 20)
    assert time.process_time() - began < 20  # without the bounds it would be hours


@pytest.mark.parametrize("reader", READERS)
def test_utf16_is_read(tmp_path: Path, reader: str) -> None:
    root, read = READERS[reader]
    inner = {"ace": '<document DOCID="d"/>', "queries": ""}.get(reader, "")
    text = f'<?xml version="1.0" encoding="utf-16"?><{root} doc_id="d">{inner}</{root}>'
    outcomes = []
    for data in (text.encode("utf-16"), text.replace("utf-16", "utf-8").encode()):
        try:
            outcomes.append(str(read(data, tmp_path)))
        except FormatError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1] or reader == "queries"
    with pytest.raises(FormatError, match="entities"):
        read_xml(f'<!DOCTYPE {root} SYSTEM "x.dtd"><{root} a="&b;"/>'.encode("utf-16"), "f")


def test_what_a_file_asks_for_is_not_done(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("do not tell")
    inclusion = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{tmp_path}/secret" parse="text"/>'
    root = read_xml(f'<?xml-stylesheet href="http://localhost:9/"?><a>{inclusion}<?php exit() ?></a>'.encode(), "f")
    assert [child.tag for child in root.children] == ["xi:include"]
    assert root.text == ""
    assert read_xml(f'<!DOCTYPE a SYSTEM "{tmp_path}/secret"><a>x</a>'.encode(), "f").text == "x"
    assert read_xml(b'<!DOCTYPE a PUBLIC "p" "http://localhost:9/x.dtd"><a>x</a>', "f").text == "x"


def test_usual_entities_and_declarations_are_fine() -> None:
    data = b'<!DOCTYPE a SYSTEM "a.dtd" [<!ELEMENT a ANY><!ATTLIST a b CDATA #IMPLIED>]><a b="&lt;&#65;&amp;">&gt;</a>'
    root = read_xml(data, "f")
    assert (root.tag, root.attributes, root.text) == ("a", {"b": "<A&"}, ">")
    assert read_xml(b'<a b="&amp;x;"/>', "f").attributes == {"b": "&x;"}


def test_long_attributes_cost_no_more_than_their_length() -> None:
    data = b'<a b="' + b"x" * (5 << 20) + b'"/>'
    tracemalloc.start()
    try:
        assert len(read_xml(data, "f").get("b")) == 5 << 20
        assert tracemalloc.get_traced_memory()[1] < 6 * len(data)
    finally:
        tracemalloc.stop()
