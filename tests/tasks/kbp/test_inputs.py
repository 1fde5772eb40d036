import gzip
import io
import json
import random

import pytest

from adjudge.errors import FormatError, UsageError, ValidationError
from adjudge.tasks.kbp.answers import GoldJudge
from adjudge.tasks.kbp.inputs import read_gold, read_inputs, read_system
from adjudge.tasks.kbp.mapping import map_systems
from adjudge.tasks.kbp.options import make_options
from adjudge.tasks.kbp.queries import ask_all, generate_queries, read_gold_asked
from adjudge.tasks.kbp.query_scoring import score_answers
from adjudge.tasks.kbp.scoring import score

GOLD = b"ana\tspouse\tben\td1\nben\temployee\tcorvex\td2\n"
SYSTEM = b"ana\tspouse\tben\td1\nana\tspouse\tdan\td3\n"

# The tags before the text make the offsets of the raw file differ from those of ACE.
SGM = "<DOC>\n<TEXT>Ana runs Corvex</TEXT>\n</DOC>\n"
ENTITY = """<entity ID="D-E{n}" TYPE="{type}"><entity_mention ID="D-E{n}-1" TYPE="NAM">
<extent><charseq START="{start}" END="{end}">{text}</charseq></extent>
<head><charseq START="{start}" END="{end}">{text}</charseq></head></entity_mention></entity>"""
APF = f"""<source_file><document DOCID="D">
{ENTITY.format(n=1, type="PER", start=1, end=3, text="Ana")}
{ENTITY.format(n=2, type="ORG", start=10, end=15, text="Corvex")}
<relation ID="D-R1" TYPE="ORG-AFF" SUBTYPE="Employment">
<relation_argument REFID="D-E1" ROLE="Arg-1"/><relation_argument REFID="D-E2" ROLE="Arg-2"/></relation>
</document></source_file>"""
ERE = """<deft_ere doc_id="D"><entities>
<entity id="ent-1" type="PER"><entity_mention id="m-1" noun_type="NAM" offset="0" length="3">
<mention_text>Ana</mention_text></entity_mention></entity>
<entity id="ent-m.07" type="ORG"><entity_mention id="m-2" noun_type="NAM" offset="9" length="6">
<mention_text>Corvex</mention_text></entity_mention></entity></entities>
<relations><relation id="r-1" type="orgaffiliation" subtype="leadership"><relation_mention id="rm-1" realis="true">
<rel_arg1 entity_id="ent-1" entity_mention_id="m-1" role="p">Ana</rel_arg1>
<rel_arg2 entity_id="ent-m.07" entity_mention_id="m-2" role="o">Corvex</rel_arg2>
</relation_mention></relation></relations></deft_ere>"""


def coldstart(start, relation="Employment"):
    """A knowledge base in which Ana begins at `start` of the text."""
    lines = [
        "run1",
        ":E1\ttype\tPER",
        f':E1\tmention\t"Ana"\tD:{start}-{start + 2}',
        ":E2\ttype\tORG",
        f':E2\tmention\t"Corvex"\tD:{start + 9}-{start + 14}',
        f":E1\t{relation}\t:E2\tD:{start}-{start + 14}",
    ]
    return "\n".join(lines).encode() + b"\n"


def documents(start, name="D", relation="Employment"):
    record = {
        "id": name,
        "entities": [
            {"id": "A", "type": "PER", "mentions": [{"start": start, "end": start + 3, "text": "Ana"}]},
            {"id": "B", "type": "ORG", "mentions": [{"start": start + 9, "end": start + 15, "text": "Corvex"}]},
        ],
        "relations": [{"type": relation, "subject": "A", "object": "B"}],
    }
    return json.dumps(record).encode() + b"\n"


@pytest.fixture
def ace(tmp_path):
    folder = tmp_path / "ace"
    folder.mkdir()
    (folder / "D.sgm").write_text(SGM)
    (folder / "D.apf.xml").write_text(APF)
    return folder


@pytest.fixture
def ere(tmp_path):
    folder = tmp_path / "ere"
    folder.mkdir()
    (folder / "D.rich_ere.xml").write_text(ERE)
    return folder


def mapped(inputs):
    found = map_systems(
        inputs.gold.corpus.documents,
        [system.kb for system in inputs.systems],
        make_options("paper"),
        links=inputs.gold.links,
        redirects=inputs.gold.redirects,
        stop=inputs.gold.stop,
        names=[system.name for system in inputs.systems],
    )
    return list(found.gold.rows()), [list(system.table.rows()) for system in found.systems]


def same(inputs):
    gold, systems = mapped(inputs)
    return len(gold) == 1 and all(rows == gold for rows in systems)


# Triples


def test_a_list_of_documents_for_triples():
    inputs = read_inputs(GOLD, [SYSTEM], documents=b"d1\nempty\n", names=["A"])
    assert list(inputs.gold.table.rows()) == [("ana", "spouse", "ben", "d1")]
    assert list(inputs.systems[0].table.rows()) == [("ana", "spouse", "ben", "d1")]
    assert inputs.systems[0].outside == 1
    assert inputs.documents == {"d1", "empty"}
    with pytest.raises(ValidationError, match="no document of the list has a gold triple"):
        read_inputs(GOLD, [SYSTEM], documents=b"other\n")


def test_triples_take_no_table_of_links():
    with pytest.raises(UsageError, match="plain triples, whose names are taken as they are"):
        read_inputs(GOLD, [SYSTEM], stop=b"Country\n")


# Annotation


def test_ace_and_cold_start_count_different_characters(ace):
    raw, text = SGM.index("Ana"), 1
    assert same(read_inputs(ace, [coldstart(raw)]))
    assert not same(read_inputs(ace, [coldstart(text)]))
    assert same(read_inputs(ace, [coldstart(text)], units="text"))


def test_mixed_offsets_are_refused(ace):
    with pytest.raises(UsageError, match="count the tags of the source files"):
        read_inputs(ace, [coldstart(12), documents(1)], names=["A", "B"])
    assert read_inputs(ace, [coldstart(12), documents(12)], names=["A", "B"], units="raw")


def test_units_are_for_ace(ere):
    with pytest.raises(UsageError, match="units are chosen for ACE annotation only"):
        read_inputs(ere, [documents(0)], units="raw")


@pytest.mark.parametrize("system", [coldstart(12), documents(1)], ids=["raw", "text"])
def test_the_table_of_links_counts_as_ace_does(ace, system):
    wiki = b"http://en.wikipedia.org/wiki/corvex%20AS\tD.sgm\tE2\t10\n"
    inputs = read_inputs(ace, [system], wiki=wiki)
    row = ("N:Ana", "Employment", "W:Corvex_AS", "D")
    assert mapped(inputs) == ([row], [[row]])


def test_a_table_of_links_in_raw_offsets(ace):
    tab = b"run\tm1\tCorvex\tD:21-26\tm.07\tORG\tNAM\t1.0\n"
    assert SGM[21:27] == "Corvex"
    assert mapped(read_inputs(ace, [coldstart(12)], wiki=tab))[0] == [("N:Ana", "Employment", "W:m.07", "D")]


def test_redirects_and_stop_list(ace):
    wiki = b"doc,start,end,page\nD,1,4,Ana_Ruiz\nD,10,16,Corvex_AS\n"
    inputs = read_inputs(ace, [documents(1)], wiki=wiki, redirects=b"Corvex_AS\tCorvex\n", stop=b"Ana Ruiz\n")
    assert mapped(inputs)[0] == [("N:Ana", "Employment", "W:Corvex", "D")]
    with pytest.raises(UsageError, match="nothing links to pages"):
        read_inputs(ace, [documents(1)], stop=b"Ana Ruiz\n")


def test_a_table_that_fits_nothing_is_an_error(ace):
    with pytest.raises(ValidationError, match="no row fits a mention of"):
        read_inputs(ace, [documents(1)], wiki=b"doc,start,end,page\nD,2,4,Ana_Ruiz\n")


def test_rich_ere_has_links_of_its_own(ere):
    inputs = read_inputs(ere, [documents(0, relation="orgaffiliation.leadership")])
    assert mapped(inputs)[0] == [("N:Ana", "orgaffiliation.leadership", "W:m.07", "D")]
    assert same(inputs)
    stopped = read_inputs(ere, [documents(0)], stop=b"m.07\n")
    assert mapped(stopped)[0] == [("N:Ana", "orgaffiliation.leadership", "N:Corvex", "D")]


def test_a_list_of_documents(tmp_path):
    gold = documents(0, "d1") + documents(0, "d2")
    inputs = read_inputs(gold, [gold], documents=b"d2\n", names=["A"])
    assert [document.id for document in inputs.gold.corpus.documents] == ["d2"]
    assert len(mapped(inputs)[1][0]) == 1
    listed = tmp_path / "list.txt"
    listed.write_text("d1\nd9\nd8\n")
    with pytest.raises(ValidationError) as error:
        read_inputs(gold, [gold], documents=listed)
    assert [str(each) for each in error.value.problems] == [
        f"{listed}:2: there is no document 'd9' in <bytes>, check its id",
        f"{listed}:3: there is no document 'd8' in <bytes>, check its id",
    ]


def test_strict_cold_start(ace):
    broken = coldstart(12)[5:]  # without the run id
    inputs = read_inputs(ace, [broken])
    assert "missing-run-id" in str(inputs.notes[0])
    with pytest.raises(FormatError, match="the first line is not a run id"):
        read_inputs(ace, [broken], strict=True)


# What does not fit


def test_what_is_wrong_with_any_side_is_told_together():
    with pytest.raises(FormatError) as error:
        read_inputs(GOLD + b"ana\tspouse\n", [SYSTEM, b"ben\tspouse\n"], names=["A", "B"], gold_format="triples")
    assert len(error.value.problems) == 2


def test_a_file_and_a_graph_in_memory():
    inputs = read_inputs(GOLD, {"A": [("ana", "spouse", "ben", "d1")]}, documents=["d1"])
    assert list(inputs.systems[0].table.rows()) == list(inputs.gold.table.rows()) == [("ana", "spouse", "ben", "d1")]
    with pytest.raises(UsageError, match="the system is plain triples without mentions, but gold"):
        read_inputs(documents(0), [("ana", "spouse", "ben", "d1")])


def test_triples_and_annotation_do_not_fit(ace):
    with pytest.raises(UsageError) as error:
        read_inputs(GOLD, [SYSTEM, coldstart(0), documents(0)])
    assert len(error.value.problems) == 2
    assert "gold (<bytes>) is plain triples without mentions" in str(error.value)
    assert "subject, relation, object, document" in str(error.value)
    with pytest.raises(UsageError, match="the system is plain triples without mentions, but gold"):
        read_inputs(ace, [SYSTEM])


def test_what_cannot_be_gold_or_system():
    with pytest.raises(UsageError, match="a Cold Start knowledge base cannot be gold"):
        read_gold(coldstart(0))
    with pytest.raises(UsageError, match="a table of links is not the output of a system"):
        read_system(b"http://en.wikipedia.org/wiki/Oslo\ta.sgm\tE1\t4\n")
    with pytest.raises(UsageError, match="cannot be read from a stream"):
        read_gold(b"<deft_ere>")
    with pytest.raises(UsageError, match="2 names for 1 systems"):
        read_inputs(GOLD, [SYSTEM], names=["a", "b"])


def test_a_stream_is_what_gold_is():
    stream = io.BytesIO(b"ana\tspouse\tben\td1\n")
    assert read_inputs(b"ana\tspouse\tben\td1\n", [stream], names=["A"]).systems[0].format == "triples"


def test_queries_from_ace_start_where_the_systems_do(ace, tmp_path):
    run = tmp_path / "run.tac"
    run.write_bytes(coldstart(SGM.index("Ana")))
    extracted = tmp_path / "run.jsonl"
    extracted.write_bytes(documents(1))
    for system, units in ((run, None), (extracted, None), (run, "raw"), (extracted, "text")):
        gold = read_gold_asked(ace, systems=[system], units=units)
        queries = generate_queries(gold, 5, hops=[1], seed=1)
        asked, (answers,) = ask_all(queries, [system])
        found = score_answers(asked, [answers.given], GoldJudge(gold), bootstrap=0)
        assert found.result["kbp.query"].f1 == 1
    with pytest.raises(UsageError, match="units are chosen for ACE"):
        read_gold_asked(documents(1), units="raw")


# Triples in several files, and in Parquet

RELATIONS = ("Employment", "Family", "per:children", "per:parents", "Lasting-Personal")


def write_rows(path, rows):
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    return str(path)


def random_rows(seed, number, nodes):
    rng = random.Random(seed)
    return [
        (
            f"n{int(nodes * rng.random() ** 2)}",
            rng.choice(RELATIONS),
            f"n{int(nodes * rng.random() ** 2)}",
            f"d{rng.randrange(8)}",
        )
        for _ in range(number)
    ]


def test_shards_are_one_table(tmp_path):
    rows = random_rows(1, 60, 20)
    whole = write_rows(tmp_path / "whole.tsv", rows)
    folder = tmp_path / "gold"
    folder.mkdir()
    write_rows(folder / "0.tsv", rows[:20])
    (folder / "1.tsv.gz").write_bytes(gzip.compress("".join("\t".join(row) + "\n" for row in rows[20:]).encode()))
    (folder / "README.md").write_text("not triples")
    expected = score(whole, [whole], bootstrap=0, names=["A"]).to_json()
    for source in (folder, f"{folder}/*.tsv*"):
        assert score(str(source), [str(source)], bootstrap=0, names=["A"]).to_json() == expected


def test_parquet_is_a_table(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = random_rows(1, 60, 20)
    whole = write_rows(tmp_path / "whole.tsv", rows)
    columns = dict(zip(("subject", "relation", "object", "document"), zip(*rows, strict=True), strict=True))
    parquet.write_table(pyarrow.table(columns), tmp_path / "whole.parquet")
    packed = str(tmp_path / "whole.parquet")
    assert score(packed, [packed], bootstrap=0).to_json() == score(whole, [whole], bootstrap=0).to_json()
    columns["object"] = (None, *columns["object"][1:])
    parquet.write_table(pyarrow.table(columns), packed)
    with pytest.raises(FormatError, match="row 1: the object is empty"):
        score(packed, [packed], bootstrap=0)
    del columns["relation"]
    parquet.write_table(pyarrow.table(columns), packed)
    with pytest.raises(FormatError, match="no columns for subject, relation and object"):
        score(packed, [packed], bootstrap=0)
